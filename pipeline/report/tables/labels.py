"""Scores in groups of a data set and metric, and short names for metrics."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ...metrics import METRICS
from ...metrics.base import signature
from ...metrics.base.metric import Metric
from ...scoring.results import REFERENCES_ROW
from .digits import percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...scoring.results import DatasetInfo, Results, Score

LEFT_OUT = "|refs:leave_one_out|"
"""What the signature of a metric has that scores references as systems too."""
REFERENCE = re.compile(rf"reference[0-9]+|{REFERENCES_ROW}")
"""What these are called."""
MAX_NAME = 40
"""Letters of a name that tables of a fixed width and plots show."""


class Group(NamedTuple):
    """The scores of one metric on one data set, the best first; label: a short name of the metric."""

    dataset: str
    metric: str
    label: str
    scores: list[Score]

    @property
    def output(self) -> str:
        """What the score is called."""
        return next(iter(self.scores[0].outputs), self.metric.partition("|")[0])


def groups(results: Results) -> list[Group]:
    """Return the scores by data set and metric, in the order of the results."""
    found: dict[tuple[str, str], list[Score]] = {}
    for score in results.scores:
        found.setdefault((score.dataset, score.metric), []).append(score)
    named = labels(metric for _, metric in found)
    return [Group(*key, named[key[1]], sorted(scores, key=lambda s: s.rank)) for key, scores in found.items()]


def best_of(group: Group, digits: int) -> set[str]:
    """Return the systems whose score prints the same as the best; none where the best is no number.

    References that are scored as systems (references: leave_one_out) show what people reach, and are not among them.
    """
    own = [s for s in group.scores if not (LEFT_OUT in group.metric and REFERENCE.fullmatch(s.system))]
    best = percent(own[0].score, digits) if own else "-"
    return {score.system for score in own if percent(score.score, digits) == best != "-"}


def class_of(printed: str) -> type[Metric]:
    """Return the class of the metric of a signature; of a name that this version lacks, the one with all defaults."""
    return METRICS.get(printed.partition("|")[0], Metric)


def size(info: DatasetInfo) -> str:
    """Return how large a data set is: lines and references."""
    lines, references = "line" if info.lines == 1 else "lines", "reference" if info.references == 1 else "references"
    return f"{info.lines:,} {lines}, {info.references} {references}"


def remarks(scores: Sequence[Score]) -> list[str]:
    """Return each note of scores once, behind the systems that it is of, unless it is of all."""
    found: dict[str, list[str]] = {}
    for score in scores:
        for note in score.notes:
            found.setdefault(note, []).append(score.system)
    return [note if len(of) == len(scores) else f"{', '.join(of)}: {note}" for note, of in found.items()]


def labels(metrics: Iterable[str]) -> dict[str, str]:
    """Return a short label for each signature: its name and, where several share it, the settings that tell them apart.

    Such as `gleu (refs:max)`; numbered where no setting does. The number of references and the version tell nothing
    apart, so that a metric is called the same on every data set.
    """
    split = {text: _split(text) for text in metrics}
    found: dict[str, str] = {}
    for text, (name, settings) in split.items():
        rivals = list({repr(own): own for called, own in split.values() if called == name}.values())
        found[text] = name if len(rivals) == 1 else f"{name} ({_apart(rivals)[rivals.index(settings)]})"
    return found


def _split(text: str) -> tuple[str, dict[str, str]]:
    """Return name (of numbers from files, their title) and settings of a signature."""
    name, *parts = text.split("|")
    settings = dict(part.partition(":")[::2] for part in parts)
    title = signature.unescape(settings.get("title", ""))
    return title or name, {key: value for key, value in settings.items() if key not in ("nrefs", "v")}


def _apart(rivals: Sequence[dict[str, str]]) -> list[str]:
    """Return for each metric of a name the settings, as few as need be, by which they differ; or numbers."""
    keys = [key for key in dict.fromkeys(key for own in rivals for key in own) if _values(rivals, [key]) > 1]
    everywhere = [key for key in keys if all(key in own for own in rivals)]
    chosen = [key for key in everywhere if _values(rivals, [key]) == len(rivals)][:1]
    for key in [*everywhere, *keys] if not chosen else ():
        if _values(rivals, [*chosen, key]) > _values(rivals, chosen):
            chosen.append(key)
    texts = [" ".join(f"{key}:{own[key]}" for key in chosen if key in own) for own in rivals]
    return texts if len(set(texts)) == len(texts) and all(texts) else [str(n) for n in range(1, len(texts) + 1)]


def _values(settings: Sequence[dict[str, str]], keys: Sequence[str]) -> int:
    """Return how many different values some keys have together."""
    return len({tuple(own.get(key) for key in keys) for own in settings})


def shortened(name: str, width: int = MAX_NAME) -> str:
    """Return a name of at most width letters: of a longer one, beginning and end."""
    tail = width // 3
    return name if len(name) <= width else f"{name[: max(width - tail - 1, 0)]}…{name[len(name) - tail :]}"
