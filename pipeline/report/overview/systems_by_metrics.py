"""Systems by metrics and data sets: the first thing that a report shows. Formatting only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...metrics.build import class_of
from ..tables.columns.directions import BETTER, WORSE
from ..tables.comparisons import baseline_of, compared, is_significant, level_name, shown_interval, tests_of
from ..tables.digits import percent
from ..tables.labels import best_of, groups, kinds, size
from .verdict import verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...scoring.results import Results, Score
    from ..tables.labels import Group


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What a metric says of a system."""

    score: Score
    text: str
    """The score in percent, as it is printed."""
    spread: str
    """The standard deviation of the score, "" where there is none."""
    interval: str
    """The interval such as "57.93 to 60.40", "" where there is none."""
    best: bool
    """Whether no other system has a better score as it is printed; references and the source do not take part."""
    mark: str
    """BETTER or WORSE than the baseline; where all pairs were compared, the letters of the groups; or nothing."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """A metric on a data set."""

    group: Group
    title: str
    """The label of the metric, and the name of the data set where the overview has several."""
    entries: dict[str, Entry]
    """By system; a system without a score is missing."""
    kinds: dict[str, str]
    """What is no system in the sense of a competitor: "source" or "reference", by name."""
    verdict: str
    """What the metric says, as a sentence."""

    @property
    def lower_is_better(self) -> bool:
        """Whether the lowest score is the best."""
        return class_of(self.group.metric).lower_is_better


@dataclass(frozen=True, kw_only=True)
class Overview:
    """A table of systems by metrics on a data set, or by data sets where each has a single metric."""

    name: str
    """The name of the data set; "overview" where there are several."""
    about: str
    """What the columns are of: the name and the size of the data set, or the metric."""
    systems: list[str]
    """In the order of the first column; those that it lacks follow."""
    columns: list[Column]
    kinds: dict[str, str]
    """The kinds of all columns."""
    baseline: str | None
    """The system that BETTER and WORSE refer to."""
    marks: str
    """What the marks mean, as a sentence; "" where there are none."""
    level: str
    """The level of the intervals, such as 95%."""


def overviews(results: Results, digits: int) -> list[Overview]:
    """Return the overviews of a run: none where there is a single metric on a single data set.

    There is one for each data set, or, where every data set has a single metric, one for all of them.
    """
    everything = groups(results)
    parts = [[group for group in everything if group.dataset == name] for name in results.datasets]
    parts = [own for own in parts if own]
    if len(everything) < 2:
        return []
    if all(len(own) == 1 for own in parts):
        return [_overview(results, everything, digits)]
    return [_overview(results, own, digits) for own in parts]


def _overview(results: Results, own: Sequence[Group], digits: int) -> Overview:
    datasets = list(dict.fromkeys(group.dataset for group in own))
    same = len({group.label for group in own}) == 1
    columns = [_column(results, group, digits, _title(group, len(datasets) > 1, same)) for group in own]
    names = dict.fromkeys(score.system for group in own for score in group.scores)
    alone = len(datasets) == 1
    by_dataset = f"{own[0].label} on {len(datasets)} data sets" if same else f"{len(datasets)} data sets"
    marks = _meaning(results) if any(entry.mark for column in columns for entry in column.entries.values()) else ""
    return Overview(
        name=datasets[0] if alone else "overview",
        about=f"{datasets[0]}: {size(results.datasets[datasets[0]])}" if alone else by_dataset,
        systems=list(names),
        columns=columns,
        kinds={name: kind for column in columns for name, kind in column.kinds.items()},
        baseline=baseline_of(results),
        marks=marks,
        level=level_name(results),
    )


def _title(group: Group, several: bool, same: bool) -> str:
    """Return the title of a column: the data set, the metric, or both where both differ."""
    return group.label if not several else group.dataset if same else f"{group.dataset} {group.label}"


def _column(results: Results, group: Group, digits: int, title: str) -> Column:
    info = results.datasets[group.dataset]
    best, marks, entries = best_of(info, group, digits), marks_of(results, group.scores), {}
    for score in group.scores:
        drawn = score.bootstrap or score.samples
        bounds = score.bootstrap.interval if score.bootstrap else score.samples.shown if score.samples else None
        entries[score.system] = Entry(
            score=score,
            text=percent(score.score, digits),
            spread=percent(drawn.std, digits) if drawn else "",
            interval=shown_interval(bounds, digits) if bounds and bounds[0] == bounds[0] else "",
            best=score.system in best,
            mark=marks.get(score.system, ""),
        )
    return Column(
        group=group,
        title=title,
        entries=entries,
        kinds=kinds(info, group),
        verdict=verdict(results, group, digits),
    )


def marks_of(results: Results, scores: Sequence[Score]) -> dict[str, str]:
    """Return the mark of each system: whether it is better or worse than the baseline, or the letters of its groups."""
    baseline = baseline_of(results)
    if baseline is not None:
        places = {score.system: place for place, score in enumerate(scores)}  # the best is first
        different = [test.system for test in tests_of(results, scores[0]) if is_significant(test, results)]
        return {name: BETTER if places[name] < places[baseline] else WORSE for name in different if name in places}
    titles, cells = compared(results, scores, 2)
    return {score.system: cell[0] for score, cell in zip(scores, cells, strict=True)} if titles else {}


def _meaning(results: Results) -> str:
    baseline = baseline_of(results)
    if baseline is None:
        return "In a column, systems that share a letter do not differ significantly."
    return f"{BETTER} {WORSE}: significantly better or worse than {baseline}."
