"""Systems by metrics and data sets: the first thing that a report shows. Formatting only."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import normalize

from ..errors import InputError, listed
from ..metrics import goodness, lower_is_better, metrics_called
from ..metrics.base import Metric
from ..scoring import Comparison, Results, Score
from .tables import (
    BETTER,
    WORSE,
    ColumnPatterns,
    Group,
    groups,
    half_width,
    percent,
    shown_interval,
    shown_level,
)

MAX_NAMED = 4
"""How many systems of a shared rank are named; of more, the first three are named and the others
counted."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """The result of a metric for a system."""

    score: Score
    text: str
    """The number as it is printed: the score in percent, or the cell of another column."""
    spread: str
    """Half the width of the interval, "" if there is none."""
    interval: str
    """The bootstrap interval such as "57.93 to 60.40", "" if there is none."""
    best: bool
    """Whether no other system has a better score as it is printed; references and the source do not
    take part."""
    mark: str
    """BETTER or WORSE than the baseline; if all pairs were compared, the letters of the groups; or
    nothing."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """The score of a metric on a data set, or another column of the ranked table."""

    group: Group
    is_score: bool
    heads: tuple[str, str]
    """The title in papers: the name of the metric, and the line below it, such as P or R, or
    nothing."""
    entries: dict[str, Entry]
    """By system; a system without a score is missing."""
    verdict_sentence: str
    """The verdict of the metric in a sentence; only for its score."""

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
    """A table of systems by metrics on a data set, or by data sets if each has a single metric."""

    name: str
    """The name of the data set; "overview" if there are several."""
    about: str
    """The subject of the columns: the name and the size of the data set, or the metric."""
    systems: list[str]
    """In the order of the first column; those that it does not have follow."""
    columns: list[Column]
    groups: list[tuple[str, Group]]
    """The metrics of the columns, with their names in the lines below the table, which name the data
    set if there are several."""
    kinds: dict[str, str]
    """The kinds of systems that do not compete: "source" or "reference", by name."""
    baseline: str | None
    """The system that BETTER and WORSE refer to."""
    marks: str
    """The meaning of the marks, as a sentence; "" if there are none."""
    level: str
    """The level of the intervals, such as 95%."""


def overviews(
    results: Results, digits: int, patterns: Sequence[str] = ()
) -> list[Overview]:
    """Return the overviews of a run: one for each data set, or one for all if each of them has a
    single metric.

    There is none of a single metric on a single data set, unless `patterns` of columns name it.
    Without patterns the columns are the scores. Raises InputError for a pattern that no metric has
    a column for.
    """
    tables = [MetricTable(group, digits) for group in groups(results)]
    for pattern in patterns:
        _check_pattern(tables, pattern)
    if len(tables) < 2 and _for_all_metrics(tables, patterns) == list(patterns):
        return []
    by_dataset: dict[str, list[MetricTable]] = {
        name: [] for name in results.datasets
    }
    for table in tables:
        by_dataset[table.group.dataset].append(table)
    parts = list(by_dataset.values())
    if max(map(len, parts)) < 2:
        parts = [tables]
    found = []
    for part in parts:
        columns = _chosen_columns(part, patterns)
        if columns:
            found.append(_overview(results, part, columns, digits))
    return found


def _check_pattern(tables: Sequence["MetricTable"], pattern: str) -> None:
    """Raise InputError for a pattern that no metric has a column for."""
    if any(table.columns_of(pattern) for table in tables):
        return
    titles = []
    for table in tables:
        if table.column_part(pattern) is not None:
            titles += [f"{table.group.label}.{title}" for title in table.header]
    if not titles:
        for table in tables:
            titles += [title for title in table.header if title not in titles]
    ColumnPatterns([pattern]).check(titles)


class MetricTable:
    """The ranked table of a metric on a data set with all columns."""

    def __init__(self, group: Group, digits: int) -> None:
        header, rows = group.ranked_table(digits, ["*"])
        self.group = group
        self.header = header[2:]
        """The titles of the columns; the score is the first."""
        self.cells = {row[1]: row[2:] for row in rows}
        """The cells of each system."""
        try:
            self.metric: Metric | None = group.results.metric(group.metric)
        except InputError:  # of another version
            self.metric = None

    def column_part(self, pattern: str) -> str | None:
        """Return the column part of METRIC.COLUMN, or the title of the column with this name in
        papers; None if the pattern does not match.
        """
        ends = [
            position for position, letter in enumerate(pattern) if letter == "."
        ]
        for end in [*ends, len(pattern)]:
            name = pattern[:end]
            is_metric = name in (self.group.label, self.group.metric)
            if self.metric and not is_metric:
                is_metric = bool(metrics_called(name, [self.metric]))
            if is_metric:
                return pattern[end + 1 :]
        for number, title in enumerate(self.header):
            printed = " ".join(self.heads(number)).strip()
            if pattern in (self.title(number), printed):
                return title
        return None

    def columns_of(self, pattern: str) -> list[int]:
        """Return the numbers of the columns that a pattern names, by their names in commands or in
        papers.
        """
        column = self.column_part(pattern)
        if column in ("", "score"):
            return [0]
        text = column or pattern
        printed = []
        for number in range(len(self.header)):
            _, below = self.heads(number)
            printed.append(normalize("NFKC", below))
        exact = [number for number, name in enumerate(printed) if name == text]
        patterns = ColumnPatterns([text])
        return (
            exact or patterns.numbers(self.header) or patterns.numbers(printed)
        )

    def title(self, number: int) -> str:
        """Return the name of a column in commands."""
        title = self.header[number]
        name = self.group.metric.partition("|")[0]
        # as rouge2, whose precision is rouge2_precision
        if title.startswith(name) and title != name:
            return title + self.group.differences
        return f"{self.group.label} {title}" if number else self.group.label

    def heads(self, number: int) -> tuple[str, str]:
        """Return the name of a column in papers: the name of the metric, and the line below it or
        nothing.
        """
        title = self.header[number]
        score_title = self.header[0]
        if self.metric and title in self.group.scores[0].outputs:
            name, below = self.metric.in_text(title)
        elif self.metric:
            name, _ = self.metric.in_text(score_title)
            below = title
        else:
            name = score_title
            below = title if number else ""
        return name + self.group.differences, below


ColumnKey = tuple[MetricTable, int]
"""A table, and the number of one of its columns."""


def _for_all_metrics(
    tables: Sequence[MetricTable], patterns: Sequence[str]
) -> list[str]:
    """Return the patterns that name no metric: they are for all."""
    unnamed = []
    for pattern in patterns:
        if all(table.column_part(pattern) is None for table in tables):
            unnamed.append(pattern)
    return unnamed


def _chosen_columns(
    tables: Sequence[MetricTable], patterns: Sequence[str]
) -> list[ColumnKey]:
    """Return the columns of an overview: those of named metrics in the order of the patterns, each
    once.

    A pattern without a metric is for all metrics that have such a column, and the score comes
    before it.
    """
    chosen: dict[ColumnKey, None] = {}
    if not patterns:
        for table in tables:
            for number in range(len(table.header)):
                _, below = table.heads(number)
                if number == 0 or not below:
                    chosen[table, number] = None
    unnamed = _for_all_metrics(tables, patterns)
    for pattern in patterns:
        for table in tables:
            numbers = table.columns_of(pattern)
            if pattern in unnamed and numbers:
                all_numbers = []
                for text in unnamed:
                    all_numbers += table.columns_of(text)
                numbers = [0, *sorted(all_numbers)]
            for number in numbers:
                chosen[table, number] = None
    return list(chosen)


def _overview(
    results: Results,
    tables: Sequence[MetricTable],
    column_keys: Sequence[ColumnKey],
    digits: int,
) -> Overview:
    chosen_tables = list(dict.fromkeys(table for table, _ in column_keys))
    datasets = list(
        dict.fromkeys(table.group.dataset for table in chosen_tables)
    )
    is_one_dataset = len(datasets) == 1
    is_one_metric = len({table.group.label for table in chosen_tables}) == 1
    columns = []
    apart: dict[str, str] = {}
    for table, number in column_keys:
        dataset = table.group.dataset
        apart |= table.group.kinds
        heads = table.heads(number)
        if not is_one_dataset:
            below = " ".join(heads).strip()
            if is_one_metric and number == 0:
                below = ""
            heads = (dataset, below)
        columns.append(_column(table, number, digits, heads))
    if is_one_dataset:
        name = datasets[0]
        about = f"{name}: {results.datasets[name].size}"
    else:
        name = "overview"
        about = f"{len(datasets)} data sets"
        if is_one_metric:
            about = f"{tables[0].group.called} on {about}"
    named_groups = []
    for table in chosen_tables:
        label = table.group.called
        if not is_one_dataset and is_one_metric:
            label = table.group.dataset
        elif not is_one_dataset:
            label = f"{table.group.dataset} {label}"
        named_groups.append((label, table.group))
    systems: dict[str, None] = {}
    has_marks = False
    for column in columns:
        systems.update(
            dict.fromkeys(score.system for score in column.group.scores)
        )
        has_marks = has_marks or any(
            entry.mark for entry in column.entries.values()
        )
    baseline = results.baseline
    marks = ""
    if has_marks and baseline is None:
        marks = "In a column, systems that share a letter do not differ significantly."
    elif has_marks:
        marks = (
            f"{BETTER} {WORSE}: significantly better or worse than {baseline}."
        )
    return Overview(
        name=name,
        about=about,
        systems=list(systems),
        columns=columns,
        groups=named_groups,
        kinds=apart,
        baseline=baseline,
        marks=marks,
        level=shown_level(results.level),
    )


def _column(
    table: MetricTable,
    number: int,
    digits: int,
    heads: tuple[str, str],
) -> Column:
    group = table.group
    title = table.header[number]
    is_score = number == 0
    if is_score:
        best = group.best(digits)
        sentence = verdict_sentence(group, digits)
        comparisons = re.compile("groups$|against ")
        columns = [*filter(comparisons.match, table.header)]
        compared = table.header.index(columns[0]) if columns else 0
    else:
        best = _best_by_output(table, number, digits)
        sentence = ""
        compared = 0
    entries = {}
    for score in group.scores:
        cells = table.cells[score.system]
        spread = score.bootstrap if is_score else score.intervals.get(title)
        half = ""
        interval = ""
        if spread and not math.isnan(spread.interval[0]):
            half = half_width(spread.interval, digits, group.metric)
            interval = shown_interval(spread.interval, digits, group.metric)
        mark = ""
        if compared:
            # of a difference, the arrow alone
            mark = re.sub("^[-+0-9.]+", "", cells[compared])
        entries[score.system] = Entry(
            score=score,
            text=cells[number],
            spread=half,
            interval=interval,
            best=score.system in best,
            mark=mark,
        )
    return Column(
        group=group,
        is_score=is_score,
        heads=heads,
        entries=entries,
        verdict_sentence=sentence,
    )


def _best_by_output(table: MetricTable, number: int, digits: int) -> set[str]:
    """Return the systems whose outputs are equal to the best as they are printed, for the outputs
    of which the highest is the best.
    """
    group = table.group
    title = table.header[number]
    _, below = table.heads(number)
    if title not in group.scores[0].outputs or below not in ("", "P", "R"):
        return set()
    rivals = [
        score for score in group.scores if score.system not in group.kinds
    ]
    outputs = {score.system: score.outputs[title] for score in rivals}
    values = [value for value in outputs.values() if not math.isnan(value)]
    if not values:
        return set()
    best = percent(max(values), digits)
    return {
        system
        for system, value in outputs.items()
        if percent(value, digits) == best
    }


# --- the verdict of a metric


def verdict_sentence(group: Group, digits: int) -> str:
    """Return a sentence: which system is first, how reliably, and how the others compare with the
    baseline and the source.

    Systems share the first place if a test of all pairs did not tell them from the first, or,
    without such a test, if their rank ranges reach as high. Without either, the sentence has the
    distance of the second and says that there was no test. It is empty if no system has a score.
    """
    rivals = []
    for score in group.scores:
        if score.system not in group.kinds and not math.isnan(score.score):
            rivals.append(score)
    if not rivals:
        return ""
    first = rivals[0]
    parts = []
    if len(rivals) > 1:
        parts.append(_first_place(group, rivals, digits))
    if group.tests and group.results.baseline is not None:
        parts.append(_against_baseline(group))
    for score in group.scores:
        is_source = group.kinds.get(score.system) == Group.SOURCE
        if is_source and score.rank < first.rank:
            distance = _distance(score, first, digits)
            source = f"{score.system}, the unchanged source,"
            parts.append(f"{source} is {distance} before {first.system}")
            break
    if len(rivals) > 1 and not group.tests:
        parts.append("no test was made")
    sentences = group.best_sentences
    if parts:
        sentences.insert(0, f"{'; '.join(parts)}.")
    return " ".join(sentences)


def _against_baseline(group: Group) -> str:
    """Return how many systems are significantly better or worse than the baseline."""
    baseline = group.results.baseline
    total = len(group.tests)
    better = 0
    worse = 0
    for test in group.tests:
        if not group.results.is_significant(test):
            continue
        if goodness(test.metric, test.difference) > 0:
            better += 1
        else:
            worse += 1
    if not better + worse:
        return f"none of {total} differs from {baseline}"
    if not better:
        return f"{_share(worse, total, 'is', 'are')} worse than {baseline}"
    text = f"{_share(better, total, 'is', 'are')} better than {baseline}"
    return f"{text}, {worse} worse" if worse else text


def _first_place(group: Group, rivals: Sequence[Score], digits: int) -> str:
    """Return which of several systems is first, or which share the first place."""
    first, second, *_ = rivals
    name = first.system
    tests = [test for test in group.tests if name in (test.system, test.other)]
    if tests and group.results.baseline is None:
        significant = filter(group.results.is_significant, tests)
        different = Comparison.systems_of(significant) - {name}
        names = [
            score.system for score in rivals if score.system not in different
        ]
        share = f"none of {len(tests)} differs"
        if different:
            share = _share(len(different), len(tests), "differs", "differ")
        return f"{_sharing_first(names)}; {share} from {name}"
    if first.bootstrap:
        names = [
            system for system in Score.tied_by_rank(rivals) if system != name
        ]
        return f"{_sharing_first([name, *names])} by rank range"
    points = percent(first.score, digits, group.metric)
    equal = []
    for score in rivals:
        if percent(score.score, digits, group.metric) == points:
            equal.append(score.system)
    if len(equal) > 1:
        return f"{_sharing_first(equal)} with {points}"
    distance = _distance(first, second, digits)
    return f"{name} is first, {distance} before {second.system}"


def _distance(one: Score, two: Score, digits: int) -> str:
    """Return how far two scores are apart, as they are printed."""
    text = percent(abs(one.score - two.score), digits, one.metric)
    return text if text.strip("0.") else f"less than {text[:-1]}1"


def _sharing_first(names: Sequence[str]) -> str:
    """Return that a system is first, or that several share the first place."""
    if len(names) == 1:
        return f"{names[0]} is first"
    limit = MAX_NAMED
    if len(names) > MAX_NAMED:
        limit -= 1
    return f"{listed(names, limit)} share the first place"


def _share(
    count: int,
    total: int,
    one: str,
    several: str,
) -> str:
    """Return a count out of a total, and the verb that follows for one or for several."""
    share = f"{count} of {total}"
    if count == total > 1:
        share = f"all {total}"
    return f"{share} {one if count == 1 else several}"
