"""Scores in groups of a data set and metric, and short names for metrics."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ...metrics import METRICS
from ...metrics.base.options import unescape
from ...scoring.results import REFERENCES_ROW
from .digits import percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...scoring.results import DatasetInfo, Results, Score

LEFT_OUT = "|refs:leave_one_out|"
"""A part of signatures: the metric scores references as systems too."""
REFERENCE = re.compile(rf"reference[0-9]+|{REFERENCES_ROW}")
"""Names of references that are scored as systems."""


ALWAYS = ("flavour", "level")
"""Settings that labels name wherever metrics of a name differ in them, since scores of the two are no rivals."""
SOURCE, HUMAN = "source", "reference"
"""Kinds of rows that do not compete: a system that left every line as it was, and what people wrote."""


class Group(NamedTuple):
    """The scores of one metric on one data set."""

    dataset: str
    metric: str
    """The signature of the metric."""
    label: str
    """A short name of the metric."""
    scores: list[Score]
    """The best comes first."""

    @property
    def output(self) -> str:
        """The name of the score, such as `gleu`."""
        return next(iter(self.scores[0].outputs), self.metric.partition("|")[0])


def groups(results: Results) -> list[Group]:
    """Return the scores by data set and metric, in the order of the results."""
    by_key: dict[tuple[str, str], list[Score]] = {}
    for score in results.scores:
        by_key.setdefault((score.dataset, score.metric), []).append(score)
    named = labels(metric for _, metric in by_key)
    return [Group(*key, named[key[1]], sorted(scores, key=lambda s: s.rank)) for key, scores in by_key.items()]


def best_of(info: DatasetInfo, group: Group, digits: int) -> set[str]:
    """Return the systems whose scores are equal to the best as they are printed; none if the best is NaN.

    References show what people reach, and the unchanged source what doing nothing does: they do not compete.
    """
    apart = kinds(info, group)
    own = [score for score in group.scores if score.system not in apart]
    best = percent(own[0].score, digits) if own else "-"
    return {score.system for score in own if percent(score.score, digits) == best != "-"}


def kinds(info: DatasetInfo, group: Group) -> dict[str, str]:
    """Return what the rows of a group are that do not compete, by name: SOURCE or HUMAN.

    SOURCE is a system whose every line equals the source. HUMAN is one whose every line equals a reference, or a
    reference that is scored as a system (`references: leave_one_out`).
    """
    references = {digest for role, digest in info.digests.items() if role.startswith("reference ")}
    apart = {}
    for name in (score.system for score in group.scores):
        own = {digest for role, digest in info.digests.items() if role.partition("system ")[1:] == ("system ", name)}
        if LEFT_OUT in group.metric and REFERENCE.fullmatch(name):
            apart[name] = HUMAN
        elif info.digests.get("source") in own:
            apart[name] = SOURCE
        elif own & references:
            apart[name] = HUMAN
    return apart


def size(info: DatasetInfo) -> str:
    """Return the numbers of lines and references of a data set in words."""
    lines, references = "line" if info.lines == 1 else "lines", "reference" if info.references == 1 else "references"
    return f"{info.lines:,} {lines}, {info.references} {references}"


def remarks(scores: Sequence[Score]) -> list[str]:
    """Return each note on scores once, after the names of its systems unless it is on all of them."""
    noted: dict[str, list[str]] = {}
    for score in scores:
        for note in score.notes:
            noted.setdefault(note, []).append(score.system)
    return [note if len(of) == len(scores) else f"{', '.join(of)}: {note}" for note, of in noted.items()]


def labels(metrics: Iterable[str]) -> dict[str, str]:
    """Return a short label for each signature.

    This is the name of the metric. Where several share a name, the settings in which they differ follow, such as
    `gleu (refs:max)`, or a number if they differ in none. The number of references and the version do not count as
    differences, so that a metric has the same label on every data set.
    """
    split = {text: _split(text) for text in metrics}
    named: dict[str, str] = {}
    for text, (name, settings) in split.items():
        rivals = list({repr(own): own for called, own in split.values() if called == name}.values())
        named[text] = name if len(rivals) == 1 else f"{name} ({_told_apart(name, rivals)[rivals.index(settings)]})"
    return named


def headings(metrics: Iterable[str]) -> dict[str, str]:
    """Return the label of each signature whose name several share, so that it says in what they differ."""
    return {text: label for text, label in labels(metrics).items() if label != labels([text])[text]}


def _split(text: str) -> tuple[str, dict[str, str]]:
    """Return the name and the settings of a signature. Numbers from files have their title as a name."""
    name, *parts = text.split("|")
    settings = dict(part.partition(":")[::2] for part in parts)
    title = unescape(settings.get("title", ""))
    return title or name, {key: value for key, value in settings.items() if key not in ("nrefs", "v")}


def _told_apart(name: str, rivals: Sequence[dict[str, str]]) -> list[str]:
    """Return for each metric of a name in what it differs, with defaults where signatures leave them out."""
    usual = {}
    if name in METRICS:
        usual = {option.key: str(option.default_of({})).lower() or "none" for option in METRICS[name].options}
    known = [{**own, **{key: own.get(key, usual[key]) for key in ALWAYS if key in usual}} for own in rivals]
    texts = _apart(known)
    if not texts[0].isdigit():
        return texts
    keys = dict.fromkeys(key for own in rivals for key in own if key in usual)
    return _apart([{key: own.get(key, usual[key]) for key in keys} for own in rivals])


def _apart(rivals: Sequence[dict[str, str]]) -> list[str]:
    """Return for each metric of a name the few settings in which it differs from the others, or else a number."""
    keys = [key for key in dict.fromkeys(key for own in rivals for key in own) if _values(rivals, [key]) > 1]
    everywhere = [key for key in keys if all(key in own for own in rivals)]
    picked = [key for key in ALWAYS if key in everywhere]
    if _values(rivals, picked) < len(rivals):
        picked += [key for key in everywhere if _values(rivals, [key]) == len(rivals)][:1]
    for key in [*everywhere, *keys] if _values(rivals, picked) < len(rivals) else ():
        if _values(rivals, [*picked, key]) > _values(rivals, picked):
            picked.append(key)
    texts = [" ".join(f"{key}:{own[key]}" for key in picked if key in own) for own in rivals]
    return texts if len(set(texts)) == len(texts) and all(texts) else [str(n) for n in range(1, len(texts) + 1)]


def _values(rivals: Sequence[dict[str, str]], keys: Sequence[str]) -> int:
    """Return how many different combinations of values these keys have."""
    return len({tuple(own.get(key) for key in keys) for own in rivals})
