"""Systems by metrics and data sets: the first thing that a report shows. Formatting only."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import normalize

from ..errors import InputError, listed
from ..metrics.base.metric import Metric
from ..metrics.build import metrics_called
from ..metrics.names import goodness, lower_is_better
from ..scoring.results import Results, Score
from .tables import percent
from .tables.comparisons import (
    BETTER,
    WORSE,
    baseline_of,
    is_significant,
    level_name,
    shown_interval,
)
from .tables.ranked import (
    SOURCE,
    Group,
    best_of,
    check_picked,
    groups,
    kinds,
    picked,
    ranked_table,
    rivalry,
    size,
)
from .tables.series import best_sentences

NAMED = 4
"""As many systems share a place by name; of more, the first three are named and the others counted.
"""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What a metric says of a system."""

    score: Score
    text: str
    """The number as it is printed: the score in percent, or what another column has."""
    spread: str
    """Half the width of the interval, "" where there is none."""
    interval: str
    """The bootstrap interval such as "57.93 to 60.40", "" where there is none."""
    best: bool
    """Whether no other system has a better score as it is printed; references and the source do not
    take part."""
    mark: str
    """BETTER or WORSE than the baseline; where all pairs were compared, the letters of the groups;
    or nothing."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """The score of a metric on a data set, or another column of the ranked table."""

    group: Group
    is_score: bool
    heads: tuple[str, str]
    """The title in papers: the name of the metric, and what stands below it, such as P or R, or
    nothing."""
    entries: dict[str, Entry]
    """By system; a system without a score is missing."""
    verdict_sentence: str
    """What the metric says, as a sentence that stands with its score."""

    @property
    def printed(self) -> str:
        """The title in papers, in one line."""
        return " ".join(self.heads).strip()

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
    groups: list[tuple[str, Group]]
    """The metrics of the columns, and what lines below the table call each, with the data set if
    need be."""
    kinds: dict[str, str]
    """What is no system in the sense of a competitor: "source" or "reference", by name."""
    baseline: str | None
    """The system that BETTER and WORSE refer to."""
    marks: str
    """What the marks mean, as a sentence; "" where there are none."""
    level: str
    """The level of the intervals, such as 95%."""


def overviews(results: Results, digits: int, patterns: Sequence[str] = ()) -> list[Overview]:
    """Return the overviews of a run: one for each data set, or one for all where each of them has a
    single metric.

    There is none of a single metric on a single data set, unless `patterns` of columns name it.
    Without patterns the columns are the scores. Raises InputError for a pattern that no metric has
    a column for."""
    everything = [Whole(results, group, digits) for group in groups(results)]
    for pattern in patterns:
        if not any(whole.asked(pattern) for whole in everything):
            named = [whole for whole in everything if whole.after_name(pattern) is not None]
            titles = [f"{whole.group.label}.{title}" for whole in named for title in whole.header]
            check_picked(
                titles or [*dict.fromkeys(t for whole in everything for t in whole.header)],
                [pattern],
            )
    if len(everything) < 2 and _unnamed(everything, patterns) == list(patterns):
        return []
    parts = [
        [whole for whole in everything if whole.group.dataset == name] for name in results.datasets
    ]
    parts = [everything] if all(len(own) < 2 for own in parts) else [own for own in parts if own]
    return [_overview(results, own, digits, patterns) for own in parts if _chosen(own, patterns)]


class Whole:
    """The ranked table of a metric on a data set with all columns that there are."""

    def __init__(self, results: Results, group: Group, digits: int) -> None:
        header, rows = ranked_table(results, group.scores, digits, ["*"])
        self.group, self.header, self.cells = group, header[2:], {row[1]: row[2:] for row in rows}
        try:
            self.metric: Metric | None = results.metric(group.metric)
        except InputError:  # of another version
            self.metric = None
        self.differs = rivalry(group.metric, group.label)
        """In what the metric differs from others of its name, in parentheses."""

    def after_name(self, pattern: str) -> str | None:
        """Return what a pattern has after this metric and a point, or the column that it is printed
        above, or None.
        """
        for end in [*(place for place, sign in enumerate(pattern) if sign == "."), len(pattern)]:
            known = [self.metric] if self.metric else []
            if pattern[:end] in (self.group.label, self.group.metric) or metrics_called(
                pattern[:end], known
            ):
                return pattern[end + 1 :]
        printed = [
            {self.title(n), " ".join(self.heads(n)).strip()} for n in range(len(self.header))
        ]
        return next(
            (own for own, names in zip(self.header, printed, strict=True) if pattern in names), None
        )

    def asked(self, pattern: str) -> list[int]:
        """Return the numbers of the columns that a pattern names, as commands or as papers call
        them.
        """
        rest = self.after_name(pattern)
        if rest in ("", "score"):
            return [0]
        text, printed = (
            rest or pattern,
            [normalize("NFKC", self.heads(n)[1]) for n in range(len(self.header))],
        )
        exact = [n for n, name in enumerate(printed) if name == text]
        return exact or picked(self.header, [text]) or picked(printed, [text])

    def title(self, number: int) -> str:
        """Return what commands call a column."""
        own, name = self.header[number], self.group.metric.partition("|")[0]
        if (
            own.startswith(name) and own != name
        ):  # as rouge2, precision of which is rouge2_precision
            return own + self.differs
        return f"{self.group.label} {own}" if number else self.group.label

    def heads(self, number: int) -> tuple[str, str]:
        """Return what papers call a column: the name of the metric, and what stands below it or
        nothing.
        """
        own, score = self.header[number], self.header[0]
        if not self.metric:
            return score + self.differs, own if number else ""
        is_output = own in self.group.scores[0].outputs
        name, below = self.metric.in_text(own if is_output else score)
        return name + self.differs, below if is_output else own


def _unnamed(own: Sequence[Whole], patterns: Sequence[str]) -> list[str]:
    """Return the patterns that name no metric: they are for all."""
    return [
        pattern for pattern in patterns if all(whole.after_name(pattern) is None for whole in own)
    ]


def _chosen(own: Sequence[Whole], patterns: Sequence[str]) -> list[tuple[Whole, int]]:
    """Return the columns of an overview: those of named metrics in the order of the patterns, each
    once.

    A pattern without a metric is for all metrics that have such a column, and the score comes
    before it."""
    if not patterns:
        return [
            (whole, n)
            for whole in own
            for n in range(len(whole.header))
            if not n or not whole.heads(n)[1]
        ]
    chosen, unnamed = dict[tuple[Whole, int], None](), _unnamed(own, patterns)
    for pattern in patterns:
        for whole in own:
            numbers = whole.asked(pattern)
            if pattern in unnamed and numbers:
                numbers = [0, *sorted(n for text in unnamed for n in whole.asked(text))]
            chosen |= dict.fromkeys((whole, number) for number in numbers)
    return list(chosen)


def _overview(
    results: Results, own: Sequence[Whole], digits: int, patterns: Sequence[str]
) -> Overview:
    chosen, baseline, apart = _chosen(own, patterns), baseline_of(results), dict[str, str]()
    groups = [whole.group for whole in dict.fromkeys(whole for whole, _ in chosen)]
    datasets = list(dict.fromkeys(group.dataset for group in groups))
    alone, same = len(datasets) == 1, len({group.label for group in groups}) == 1
    columns = []
    for whole, number in chosen:
        dataset = whole.group.dataset
        apart |= kinds(results.datasets[dataset], whole.group)
        name, below = whole.heads(number)
        if not alone:
            name, below = dataset, "" if same and not number else f"{name} {below}".strip()
        columns.append(_column(results, whole, number, digits, (name, below)))
    by_dataset = (
        f"{own[0].group.called} on {len(datasets)} data sets"
        if same
        else f"{len(datasets)} data sets"
    )
    marks = "In a column, systems that share a letter do not differ significantly."
    if baseline is not None:
        marks = f"{BETTER} {WORSE}: significantly better or worse than {baseline}."
    return Overview(
        name=datasets[0] if alone else "overview",
        about=f"{datasets[0]}: {size(results.datasets[datasets[0]])}" if alone else by_dataset,
        systems=list(
            dict.fromkeys(score.system for column in columns for score in column.group.scores)
        ),
        columns=columns,
        groups=[
            (g.called if alone else g.dataset if same else f"{g.dataset} {g.called}", g)
            for g in groups
        ],
        kinds=apart,
        baseline=baseline,
        marks=marks
        if any(entry.mark for column in columns for entry in column.entries.values())
        else "",
        level=level_name(results),
    )


def _column(
    results: Results, whole: Whole, number: int, digits: int, heads: tuple[str, str]
) -> Column:
    group, own, entries = whole.group, whole.header[number], dict[str, Entry]()
    info, said = (
        results.datasets[group.dataset],
        "" if number else verdict_sentence(results, group, digits),
    )
    compared = next(
        (n for n, title in enumerate(whole.header) if re.match("groups$|against ", title)), 0
    )
    best = set() if number else best_of(info, group, digits)
    if number and own in group.scores[0].outputs and whole.heads(number)[1] in ("", "P", "R"):
        rivals = [score for score in group.scores if score.system not in kinds(info, group)]
        values = [score.outputs[own] for score in rivals if not math.isnan(score.outputs[own])]
        top = percent(max(values), digits) if values else "-"
        best = {
            score.system for score in rivals if percent(score.outputs[own], digits) == top != "-"
        }
    for score in group.scores:
        mark = whole.cells[score.system][compared] if compared and not number else ""
        drawn = score.intervals.get(own) if number else score.bootstrap
        low, high = drawn.interval if drawn else (math.nan, math.nan)
        entries[score.system] = Entry(
            score=score,
            text=whole.cells[score.system][number],
            spread="" if math.isnan(low) else percent((high - low) / 2, digits, group.metric),
            interval="" if math.isnan(low) else shown_interval((low, high), digits, group.metric),
            best=score.system in best,
            mark=re.sub("^[-+0-9.]+", "", mark),  # of a difference there is the arrow alone
        )
    return Column(
        group=group, is_score=not number, heads=heads, entries=entries, verdict_sentence=said
    )


def verdict_sentence(results: Results, group: Group, digits: int) -> str:
    """Return a sentence: who is first, how surely, and how the others stand to the baseline and to
    the source.

    Systems share the first place if a test of all pairs did not tell them from the first, or,
    without such a test, if their rank ranges reach as high. Without either, the sentence has the
    distance of the second and says that there was no test. It is empty where no system has a score.
    It says no more than was computed."""
    apart = kinds(results.datasets[group.dataset], group)
    own = [
        score for score in group.scores if score.system not in apart and not math.isnan(score.score)
    ]
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
    source = next(
        (one for one in group.scores if apart.get(one.system) == SOURCE and one.rank < first.rank),
        None,
    )
    if source:
        distance = _distance(source, first, digits)
        parts.append(f"{source.system}, the unchanged source, is {distance} before {first.system}")
    if len(own) > 1 and not tests:
        parts.append("no test was made")
    return " ".join([*([f"{'; '.join(parts)}."] if parts else []), *best_sentences(results, group)])


def _first(results: Results, group: Group, own: Sequence[Score], digits: int) -> str:
    """Return who is first of several systems, or who share the first place."""
    first, *others = own
    tests = [test for test in group.tests if first.system in (test.system, test.other)]
    if tests and baseline_of(results) is None:
        different = {
            name for t in tests if is_significant(t, results) for name in (t.system, t.other)
        }
        names = [score.system for score in others if score.system not in different]
        count = len(different - {first.system})
        who = (
            _share(count, len(tests), "differs", "differ")
            if count
            else f"none of {len(tests)} differs"
        )
        return f"{_place([first.system, *names])}; {who} from {first.system}"
    if first.bootstrap:
        highest = min(score.bootstrap.ranks[0] for score in own if score.bootstrap)
        names = [s.system for s in others if s.bootstrap and s.bootstrap.ranks[0] <= highest]
        return f"{_place([first.system, *names])} by rank range"
    shown = percent(first.score, digits, group.metric)
    equal = [score.system for score in own if percent(score.score, digits, group.metric) == shown]
    if len(equal) > 1:
        return f"{_place(equal)} with {shown}"
    return (
        f"{first.system} is first, {_distance(first, others[0], digits)} before {others[0].system}"
    )


def _distance(one: Score, two: Score, digits: int) -> str:
    """Return how far two scores are apart, as they are printed."""
    text = percent(abs(one.score - two.score), digits, one.metric)
    return text if text.strip("0.") else f"less than {text[:-1]}1"


def _place(names: Sequence[str]) -> str:
    """Return that a system is first, or that several share the first place."""
    if len(names) == 1:
        return f"{names[0]} is first"
    return f"{listed(names, NAMED if len(names) <= NAMED else NAMED - 1)} share the first place"


def _share(count: int, whole: int, one: str, several: str) -> str:
    """Return how many of the whole there are, and the verb that follows for one or for several."""
    return f"{f'all {whole}' if count == whole > 1 else f'{count} of {whole}'} {one if count == 1 else several}"
