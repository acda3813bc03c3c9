"""Parts of a run that a command names: metrics, data sets and systems, by names or by patterns such as `A*`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from ..errors import StoreError, did_you_mean
from ..metrics.build import is_called
from .results import MORE
from .scores import with_means

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .results import Results
    from .scored_columns import ScoredColumns


@dataclass(frozen=True)
class Selection:
    """What a command asks for. An empty part stands for all."""

    metrics: Sequence[str] = ()
    """Names as people write them, signatures, or patterns of these."""
    datasets: Sequence[str] = ()
    systems: Sequence[str] = ()

    def __bool__(self) -> bool:
        """Whether anything is left out."""
        return bool(self.metrics or self.datasets or self.systems)


EVERYTHING = Selection()


def names_like(flag: str, patterns: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return the names that each pattern means, in the order of the patterns: the name itself, or all that match it.

    Where neither is there, upper and lower case do not matter. Raises StoreError for a pattern without a name.
    """
    known = list(dict.fromkeys(names))
    chosen = []
    for pattern in patterns:
        ways = (
            [name for name in known if name == pattern],
            [name for name in known if fnmatchcase(name, pattern)],
            [name for name in known if fnmatchcase(name.casefold(), pattern.casefold())],
        )
        own = next(filter(None, ways), None)
        if own is None:
            hint = did_you_mean(pattern, known)
            raise StoreError(f"{flag} {pattern}: there is no such one{hint}; there are {', '.join(known)}")
        chosen += own
    return chosen


def only(scored: Sequence[ScoredColumns], selection: Selection) -> list[ScoredColumns]:
    """Return the scores of these metrics and systems on these data sets; raises StoreError if there are none."""
    if not scored:
        raise StoreError("the run has no scores: its config has no data sets, systems and metrics")
    kept = [m for m in scored if not selection.metrics or any(_is_metric(m, text) for text in selection.metrics)]
    for text in selection.metrics:
        if not any(_is_metric(m, text) for m in scored):
            hint = did_you_mean(text, dict.fromkeys(m.metric.output for m in scored))
            raise StoreError(f"--metric {text}: there is no such one{hint}; there are {_all(scored)}")
    if selection.datasets:
        datasets = set(names_like("--dataset", selection.datasets, (m.scores[0].dataset for m in kept)))
        kept = [m for m in kept if m.scores[0].dataset in datasets]
    if selection.systems:
        systems = set(names_like("--system", selection.systems, (name for m in kept for name in m.names)))
        kept = [_with_systems(m, systems) for m in kept if systems & set(m.names)]
    return kept


def _is_metric(measured: ScoredColumns, text: str) -> bool:
    """Whether a text is a name of a metric, its signature, or a pattern of one of these."""
    names = (measured.metric.output, measured.scores[0].metric)
    return any(text == name or fnmatchcase(name, text) for name in names) or is_called(measured.metric, text)


def _with_systems(measured: ScoredColumns, systems: set[str]) -> ScoredColumns:
    kept = [number for number, name in enumerate(measured.names) if name in systems]
    counted = [number for number in kept if number < len(measured.columns)]
    return replace(
        measured,
        scores=tuple(measured.scores[number] for number in kept),
        columns=tuple(measured.columns[number] for number in counted),
        own=tuple(measured.own[number] for number in counted),
        has_mean=measured.has_mean and len(kept) > len(counted),
    )


def _all(scored: Sequence[ScoredColumns]) -> str:
    return ", ".join(dict.fromkeys(measured.scores[0].metric for measured in scored))


def narrowed(results: Results, scored: Sequence[ScoredColumns]) -> Results:
    """Return the results for these data sets, metrics and systems alone, with their statistics.

    Results of the run as a whole, such as correlations of columns and verdicts on expectations, are left out. So is
    agreement with people where systems are left out, for it is that of all systems.
    """
    pairs = {(measured.scores[0].dataset, measured.scores[0].metric) for measured in scored}
    human = results.human and {
        key: [item for item in value if _is_of(item, pairs)] if key in LISTS else value
        for key, value in results.human.items()
    }
    datasets = {name: info for name, info in results.datasets.items() if any(name == pair[0] for pair in pairs)}
    scores = [score for measured in scored for score in measured.scores]
    names = {score.system for score in scores}
    tests = [
        test for test in results.tests if (test.dataset, test.metric) in pairs and {test.system, test.other} <= names
    ]
    all_systems = names >= {score.system for score in results.scores if (score.dataset, score.metric) in pairs}
    missing = [item for item in results.missing if item.dataset in datasets and (all_systems or item.system in names)]
    whole: dict[str, Any] = dict.fromkeys(key for key in MORE if key != "human" or not all_systems)
    parts = [part for part in results.breakdown if (part.dataset, part.metric) in pairs and part.system in names]
    whole |= {"datasets": datasets, "scores": scores, "missing": missing, "tests": tests, "human": human}
    whole |= {"breakdown": parts}
    part = replace(results, means=None, **whole)
    return with_means(part) if results.means and len(datasets) > 1 else part


def _is_of(item: dict[str, Any], pairs: set[tuple[str, str]]) -> bool:
    """Whether an item about a metric, or a comparison of two, is about these data sets and metrics alone."""
    return all((item["dataset"], item[key]) in pairs for key in ("metric", "other") if key in item)


LISTS = ("correlations", "sentences", "tests", "windows")
"""The parts of the section `human` that are lists with items for each metric."""


def restricted(results: Results, scored: Sequence[ScoredColumns]) -> Results:
    """Return the results with only these scores, and without earlier statistics and scores by type."""
    scores = [replace(score, bootstrap=None) for measured in scored for score in measured.scores]
    return replace(results, scores=scores, tests=[], means=None, breakdown=[])
