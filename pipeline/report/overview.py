"""Systems by metrics and data sets: the first thing that a report shows. Formatting only."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..metrics.names import goodness, lower_is_better
from .tables import percent
from .tables.comparisons import (
    BETTER,
    WORSE,
    baseline_of,
    compared,
    is_significant,
    level_name,
    shown_interval,
)
from .tables.ranked import SOURCE, best_of, groups, kinds, size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..scoring.results import Results, Score
    from .tables.ranked import Group

NAMED = 4
"""As many systems share a place by name; of more, the first three are named and the others counted."""


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
    verdict_sentence: str
    """What the metric says, as a sentence."""

    @property
    def lower_is_better(self) -> bool:
        """Whether the lowest score is the best."""
        return lower_is_better(self.group.metric)


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
    """What is no system in the sense of a competitor: "source" or "reference", by name."""
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
        parts = [everything]
    return [_overview(results, own, digits) for own in parts]


def _overview(results: Results, own: Sequence[Group], digits: int) -> Overview:
    datasets, baseline = list(dict.fromkeys(group.dataset for group in own)), baseline_of(results)
    alone, same = len(datasets) == 1, len({group.label for group in own}) == 1
    columns, apart = list[Column](), dict[str, str]()
    for group in own:
        apart |= kinds(results.datasets[group.dataset], group)
        title = group.label if alone else group.dataset if same else f"{group.dataset} {group.label}"
        columns.append(_column(results, group, digits, title))
    by_dataset = f"{own[0].label} on {len(datasets)} data sets" if same else f"{len(datasets)} data sets"
    marks = "In a column, systems that share a letter do not differ significantly."
    if baseline is not None:
        marks = f"{BETTER} {WORSE}: significantly better or worse than {baseline}."
    return Overview(
        name=datasets[0] if alone else "overview",
        about=f"{datasets[0]}: {size(results.datasets[datasets[0]])}" if alone else by_dataset,
        systems=list(dict.fromkeys(score.system for group in own for score in group.scores)),
        columns=columns,
        kinds=apart,
        baseline=baseline,
        marks=marks if any(entry.mark for column in columns for entry in column.entries.values()) else "",
        level=level_name(results),
    )


def _column(results: Results, group: Group, digits: int, title: str) -> Column:
    info, baseline = results.datasets[group.dataset], baseline_of(results)
    best, marks, entries = best_of(info, group, digits), dict[str, str](), dict[str, Entry]()
    if baseline is not None:
        places = {score.system: place for place, score in enumerate(group.scores)}  # the best is first
        for test in group.tests:
            if is_significant(test, results) and test.system in places:
                marks[test.system] = BETTER if places[test.system] < places[baseline] else WORSE
    else:
        titles, cells = compared(results, group.scores, digits)
        marks = {score.system: cell[0] for score, cell in zip(group.scores, cells, strict=True)} if titles else {}
    for score in group.scores:
        drawn = score.bootstrap or score.samples
        bounds = score.bootstrap.interval if score.bootstrap else score.samples.shown if score.samples else None
        entries[score.system] = Entry(
            score=score,
            text=percent(score.score, digits, group.metric),
            spread=percent(drawn.std, digits, group.metric) if drawn else "",
            interval=shown_interval(bounds, digits, group.metric) if bounds and bounds[0] == bounds[0] else "",
            best=score.system in best,
            mark=marks.get(score.system, ""),
        )
    return Column(
        group=group,
        title=title,
        entries=entries,
        verdict_sentence=verdict_sentence(results, group, digits),
    )


def verdict_sentence(results: Results, group: Group, digits: int) -> str:
    """Return a sentence: who is first, how surely, and how the others stand to the baseline and to the source.

    Systems share the first place if a test of all pairs did not tell them from the first, or, without such a test, if
    their rank ranges reach as high. Without either, the sentence has the distance of the second and says that there was
    no test. It is empty where no system has a score. It says no more than was computed.
    """
    apart = kinds(results.datasets[group.dataset], group)
    own = [score for score in group.scores if score.system not in apart and not math.isnan(score.score)]
    if not own:
        return ""
    first, baseline, tests = own[0], baseline_of(results), group.tests
    parts = [_first(results, group, own, digits)] if len(own) > 1 else []
    different = [test for test in tests if is_significant(test, results)]
    if baseline is not None and different:
        ahead = sum(goodness(test.metric, test.difference) > 0 for test in different)
        behind = len(different) - ahead
        count, word = (ahead, "better") if ahead else (behind, "worse")
        rest = f", {behind} worse" if ahead and behind else ""
        parts.append(f"{_share(count, len(tests), 'is', 'are')} {word} than {baseline}{rest}")
    elif baseline is not None and tests:
        parts.append(f"none of {len(tests)} differs from {baseline}")
    for score in group.scores:
        if apart.get(score.system) == SOURCE and score.rank < first.rank:
            distance = _distance(score, first, digits)
            parts.append(f"{score.system}, the unchanged source, is {distance} before {first.system}")
            break
    if len(own) > 1 and not tests:
        parts.append("no test was made")
    return f"{'; '.join(parts)}." if parts else ""


def _first(results: Results, group: Group, own: Sequence[Score], digits: int) -> str:
    """Return who is first of several systems, or who share the first place."""
    first, *others = own
    tests = [test for test in group.tests if first.system in (test.system, test.other)]
    if tests and baseline_of(results) is None:
        different = {name for t in tests if is_significant(t, results) for name in (t.system, t.other)}
        names = [score.system for score in others if score.system not in different]
        count = len(different - {first.system})
        who = _share(count, len(tests), "differs", "differ") if count else f"none of {len(tests)} differs"
        return f"{_place([first.system, *names])}; {who} from {first.system}"
    if first.bootstrap:
        highest = min(score.bootstrap.ranks[0] for score in own if score.bootstrap)
        names = [s.system for s in others if s.bootstrap and s.bootstrap.ranks[0] <= highest]
        return f"{_place([first.system, *names])} by rank range"
    shown = percent(first.score, digits, group.metric)
    equal = [score.system for score in own if percent(score.score, digits, group.metric) == shown]
    if len(equal) > 1:
        return f"{_place(equal)} with {shown}"
    return f"{first.system} is first, {_distance(first, others[0], digits)} before {others[0].system}"


def _distance(one: Score, two: Score, digits: int) -> str:
    """Return how far two scores are apart, as they are printed."""
    text = percent(abs(one.score - two.score), digits, one.metric)
    return text if text.strip("0.") else f"less than {text[:-1]}1"


def _place(names: Sequence[str]) -> str:
    """Return that a system is first, or that several share the first place."""
    if len(names) == 1:
        return f"{names[0]} is first"
    shown, last = names[:-1], names[-1]
    if len(names) > NAMED:
        shown, last = names[: NAMED - 1], f"{len(names) - NAMED + 1} more"
    return f"{', '.join(shown)} and {last} share the first place"


def _share(count: int, whole: int, one: str, several: str) -> str:
    """Return how many of the whole there are, and the verb that follows for one or for several."""
    return f"{f'all {whole}' if count == whole > 1 else f'{count} of {whole}'} {one if count == 1 else several}"
