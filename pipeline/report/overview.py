"""Systems by metrics and data sets: the first thing that a report shows. Formatting only."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..dataclass import dataclass
from ..metrics.names import class_of
from .tables import percent
from .tables.comparisons import (
    BETTER,
    WORSE,
    baseline_of,
    compared,
    is_significant,
    level_name,
    shown_interval,
    tests_of,
)
from .tables.ranked import SOURCE, best_of, groups, kinds, size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..scoring.results import Results, Score
    from .tables.ranked import Group


# What a metric says of the systems on a data set, in one sentence. It says no more than was computed.


NAMED = 4
"""As many systems share a place by name; of more, the first three are named and the others counted."""


def verdict_sentence(results: Results, group: Group, digits: int) -> str:
    """Return a sentence: who is first, how surely, and how the others stand to the baseline and to the source.

    Systems share the first place if a test of all pairs did not tell them from the first, or, without such a test, if
    their rank ranges reach as high. Without either, the sentence has the distance of the second and says that
    there was no test. It is empty where no system has a score.
    """
    apart = kinds(results.datasets[group.dataset], group)
    own = [score for score in group.scores if score.system not in apart and not math.isnan(score.score)]
    if not own:
        return ""
    parts = [_first(results, own, digits), _baseline(results, own[0]), _source(group, apart, own[0], digits)]
    if len(own) > 1 and not tests_of(results, own[0]):
        parts.append("no test was made")
    return f"{'; '.join(filter(None, parts))}." if any(parts) else ""


def _first(results: Results, own: Sequence[Score], digits: int) -> str:
    """Return who is first, or who share the first place; "" of a system that has no rival."""
    first, *others = own
    tests = [test for test in tests_of(results, first) if first.system in (test.system, test.other)]
    if not others:
        return ""
    if tests and baseline_of(results) is None:
        different = {name for t in tests if is_significant(t, results) for name in (t.system, t.other)}
        names = [score.system for score in others if score.system not in different]
        count = len(different - {first.system})
        who = _of(count, len(tests)) if count else f"none of {len(tests)}"
        return f"{_place([first.system, *names])}; {who} {_verb(count or 1, 'differ')} from {first.system}"
    if first.bootstrap:
        highest = min(score.bootstrap.ranks[0] for score in own if score.bootstrap)
        names = [s.system for s in others if s.bootstrap and s.bootstrap.ranks[0] <= highest]
        return f"{_place([first.system, *names])} by rank range"
    equal = [score.system for score in own if percent(score.score, digits) == percent(first.score, digits)]
    if len(equal) > 1:
        return f"{_place(equal)} with {percent(first.score, digits)}"
    return f"{first.system} is first, {_distance(first, others[0], digits)} before {others[0].system}"


def _baseline(results: Results, score: Score) -> str:
    """Return how many systems are better and worse than the baseline; "" where all pairs were compared, or none."""
    baseline, tests = baseline_of(results), tests_of(results, score)
    if baseline is None or not tests:
        return ""
    different = [test for test in tests if is_significant(test, results)]
    ahead = sum(class_of(test.metric).goodness(test.difference) > 0 for test in different)
    behind = len(different) - ahead
    if not different:
        return f"none of {len(tests)} differs from {baseline}"
    count, word = (ahead, "better") if ahead else (behind, "worse")
    rest = f", {behind} worse" if ahead and behind else ""
    return f"{_of(count, len(tests))} {_verb(count, 'be')} {word} than {baseline}{rest}"


def _source(group: Group, apart: dict[str, str], first: Score, digits: int) -> str:
    """Return that the unchanged source is before the first system, where it is."""
    for score in group.scores:
        if apart.get(score.system) == SOURCE and score.rank < first.rank:
            return f"{score.system}, the unchanged source, is {_distance(score, first, digits)} before {first.system}"
    return ""


def _distance(one: Score, two: Score, digits: int) -> str:
    """Return how far two scores are apart, as they are printed."""
    text = percent(abs(one.score - two.score), digits)
    return text if text.strip("0.") else f"less than {text[:-1]}1"


def _place(names: Sequence[str]) -> str:
    """Return that a system is first, or that several share the first place."""
    if len(names) == 1:
        return f"{names[0]} is first"
    if len(names) > NAMED:
        return f"{', '.join(names[: NAMED - 1])} and {len(names) - NAMED + 1} more share the first place"
    return f"{', '.join(names[:-1])} and {names[-1]} share the first place"


def _of(count: int, whole: int) -> str:
    return f"all {whole}" if count == whole > 1 else f"{count} of {whole}"


def _verb(count: int, verb: str) -> str:
    """Return the verb that follows after a count."""
    return {"be": "is" if count == 1 else "are", "differ": "differs" if count == 1 else "differ"}[verb]


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
        verdict=verdict_sentence(results, group, digits),
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
