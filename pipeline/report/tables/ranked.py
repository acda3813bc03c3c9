"""Scores by data set and metric: the best systems, and ranked tables with their columns."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import ClassVar
from unicodedata import normalize

from ...errors import InputError
from ...metrics import class_of, factor
from ...scoring import DatasetInfo, MetricRows, Results, Score, Series
from .cells import (
    ColumnPatterns,
    Table,
    columns_of,
    half_width,
    output_cell,
    percent,
    shown_interval,
    shown_level,
    shown_range,
)
from .comparisons import both_p, marked, signed
from .metric_names import called, in_text, labels, rivalry
from .series import BestOfSeries

LEFT_OUT = "|refs:leave_one_out|"
"""A part of signatures: the metric scores references as systems too."""
REFERENCE_SYSTEM = re.compile(rf"reference[0-9]+|{Score.REFERENCES}")
"""Names of references that are scored as systems."""
ALWAYS_SHOWN = frozenset({"standard_error"})
"""Outputs that the table always has beside the score. A metric adds its own by `table_outputs`."""
RARE = re.compile("mean ± .*|p")
"""Titles of the columns of ranked tables that only `--columns` shows."""


@dataclass(frozen=True, kw_only=True)
class Group(MetricRows):
    """The scores of one metric on one data set, the best first, with the tables of them."""

    results: Results
    """The results of the run that has the scores."""
    label: str
    """A short name of the metric."""
    called: str
    """The name of the metric in papers, with what tells it from others of its name."""
    SOURCE: ClassVar[str] = "source"
    """The kind of a system that left every line as it was. It does not compete."""
    REFERENCE: ClassVar[str] = "reference"
    """The kind of a system whose lines are those of a reference. It does not compete."""

    @property
    def metric(self) -> str:
        """The signature of the metric."""
        return self.signature

    @property
    def info(self) -> DatasetInfo:
        """The data set."""
        return self.results.datasets[self.dataset]

    @property
    def output(self) -> str:
        """The name of the score in papers, such as M² F₀.₅."""
        first_output = next(iter(self.scores[0].outputs), "")
        return " ".join(
            part for part in in_text(self.metric, first_output) if part
        )

    @property
    def axis(self) -> str:
        """The title of the axis of a plot of its scores."""
        if factor(self.metric) == 1:
            return self.output
        return f"{self.output} (percent)"

    @property
    def differences(self) -> str:
        """In what the metric differs from others of its name; empty if none has its name."""
        return rivalry(self.metric, self.label)

    @property
    def heading(self) -> str:
        """The name of the metric if several share it, with their differences; else nothing."""
        return self.called if self.differences else ""

    @cached_property
    def kinds(self) -> dict[str, str]:
        """The kinds of the systems that do not compete, by name: SOURCE or REFERENCE.

        SOURCE is a system whose every line equals the source. REFERENCE is one whose every line
        equals a reference, or a reference that is scored as a system.
        """
        reference_digests = set()
        system_digests: dict[str, set[str]] = {}
        for role, digest in self.info.digests.items():
            if role.startswith("reference "):
                reference_digests.add(digest)
            _, prefix, name = role.partition(DatasetInfo.SYSTEM)
            if prefix:
                system_digests.setdefault(name, set()).add(digest)
        kinds = {}
        for score in self.scores:
            name = score.system
            digests = system_digests.get(name, set())
            is_reference = REFERENCE_SYSTEM.fullmatch(name)
            if LEFT_OUT in self.metric and is_reference:
                kinds[name] = self.REFERENCE
            elif self.info.digests.get("source") in digests:
                kinds[name] = self.SOURCE
            elif digests & reference_digests:
                kinds[name] = self.REFERENCE
        return kinds

    def best(self, digits: int) -> set[str]:
        """Return the systems whose scores are equal to the best as they are printed.

        There are none if the best is NaN. References and the unchanged source do not compete.
        """
        texts = {}
        for score in self.scores:
            if score.system not in self.kinds:
                texts[score.system] = percent(score.score, digits, self.metric)
        best = next(iter(texts.values()), "-")
        return {system for system, text in texts.items() if text == best != "-"}

    @property
    def cluster_ends(self) -> list[int]:
        """The numbers of the rows at which a cluster ends and another follows."""
        clusters = []
        for score in self.scores:
            clusters.append(score.bootstrap.cluster if score.bootstrap else 0)
        ends = []
        for row, (cluster, next_cluster) in enumerate(pairwise(clusters)):
            if cluster != next_cluster:
                ends.append(row)
        return ends

    @property
    def notes(self) -> list[str]:
        """Each note on scores once, after the names of its systems unless it is on all of them."""
        systems: dict[str, list[str]] = {}
        for score in self.scores:
            for note in score.notes:
                systems.setdefault(note, []).append(score.system)
        notes = []
        for note, names in systems.items():
            if len(names) == len(self.scores):
                notes.append(note)
            else:
                notes.append(f"{', '.join(names)}: {note}")
        return notes

    @property
    def series(self) -> list[Series]:
        """The series of its systems: those of the config, or else those that names show."""
        ordered = []
        for series in self.results.series:
            present = series.of(self.names)
            if len(present.steps) > 1:
                ordered.append(present)
        return ordered or Series.find(self.names)

    def best_of(self, series: Series) -> BestOfSeries | None:
        """Return the best system of a series, if two systems or more have a score."""
        return BestOfSeries.of(series, self, self.results)

    @property
    def best_sentences(self) -> list[str]:
        """A sentence for each series: its best system, and those that are as good."""
        best = map(self.best_of, self.series)
        return [one.sentence for one in best if one]

    def ranked_table(self, digits: int, columns: Sequence[str] = ()) -> Table:
        """Return a row for each score: rank, system, score, interval, tests, ranks, spread of draws.

        With `columns`, names or patterns, it has those of these columns, also rare ones, and of all
        outputs that they name.
        """
        metric = class_of(self.metric)
        score_name, *outputs = self.scores[0].outputs
        usual = []
        more = []
        for name in outputs:
            is_usual = "@" in name or name in ALWAYS_SHOWN
            if is_usual or re.fullmatch(metric.table_outputs, name):
                usual.append(name)
            else:
                more.append(name)
        titles, statistics_cells = self.statistics_columns(digits)
        has_draws = any(score.samples for score in self.scores)
        header = ["rank", "system", score_name, *usual, *titles]
        if has_draws:
            header += ["std of draws", "95% of draws"]
        header += more
        rows = []
        for score, cells in zip(self.scores, statistics_cells, strict=True):
            printed_score = percent(score.score, digits, self.metric)
            row = [str(score.rank), score.system, printed_score]
            for name in usual:
                more_digits = 2 if name == "standard_error" else 0
                value = score.outputs[name]
                row.append(
                    output_cell(value, name, metric, digits + more_digits)
                )
            row += cells
            if has_draws:
                row += _draw_cells(score, digits)
            for name in more:
                value = score.outputs[name]
                row.append(output_cell(value, name, metric, digits))
            rows.append(row)
        if columns:
            names = self._names_of_printed_outputs()
            patterns = [names.get(pattern, pattern) for pattern in columns]
            chosen = ColumnPatterns(patterns).numbers(header[3:], 3)
            return columns_of((header, rows), [0, 1, 2, *chosen])
        chosen = []
        for number, title in enumerate(header[: len(header) - len(more)]):
            if not RARE.fullmatch(title):
                chosen.append(number)
        return columns_of((header, rows), chosen)

    def statistics_columns(self, digits: int, *, rare: bool = True) -> Table:
        """Return titles, and cells for each score: interval, comparisons, rank range, cluster.

        The most important column is the first one. Behind it is the mean of the samples ± half of
        the interval. Without `rare`, columns are left out that only `--columns` shows.
        """
        titles, rows = self._comparison_columns(digits)
        if any(score.bootstrap for score in self.scores):
            level = shown_level(self.results.level)
            before = [f"{level} interval", f"mean ± {level}"]
            titles = [*before, *titles, "ranks", "cluster"]
            for number, score in enumerate(self.scores):
                bootstrap = score.bootstrap
                if not bootstrap:
                    rows[number] = ["-", "-", *rows[number], "-", "-"]
                    continue
                bounds = bootstrap.interval
                mean = percent(bootstrap.mean, digits, self.metric)
                half = half_width(bounds, digits, self.metric)
                rows[number] = [
                    shown_interval(bounds, digits, self.metric),
                    f"{mean} ± {half}",
                    *rows[number],
                    shown_range(*bootstrap.ranks),
                    str(bootstrap.cluster),
                ]
        chosen = []
        for number, title in enumerate(titles):
            if rare or not RARE.fullmatch(title):
                chosen.append(number)
        return columns_of((titles, rows), chosen)

    def _comparison_columns(self, digits: int) -> Table:
        """Return titles, and cells for each score, of comparisons with other systems.

        With a baseline these are the difference from it and its p-values, else the letters of the
        system: two systems that share a letter do not differ significantly.
        """
        results = self.results
        cells: dict[str, list[str]] = {}
        titles: list[str] = []
        if self.tests and results.baseline is None:
            titles = ["groups"]
            letters = results.group_letters(self.scores, self.tests)
            for system, text in letters.items():
                cells[system] = [text]
        elif self.tests:
            titles = [f"against {results.baseline}", "p", "p adjusted"]
            for test in self.tests:
                difference = marked(test, results, digits)
                cells[test.system] = [difference, *both_p(test, results)]
        missing = ["-" for _ in titles]
        return titles, [
            cells.get(score.system, missing) for score in self.scores
        ]

    def _names_of_printed_outputs(self) -> dict[str, str]:
        """Return the names of outputs by how papers write them, such as P for precision.

        There are none for a metric of another version.
        """
        try:
            metric = self.results.metric(self.metric)
        except InputError:
            return {}
        names = {}
        for name in self.scores[0].outputs:
            _, below = metric.in_text(name)
            names[normalize("NFKC", below)] = name
        return names

    def interval_table(self, digits: int) -> Table:
        """Return a row for each output of each score that has an interval of its own."""
        level = shown_level(self.results.level)
        header = [
            "system",
            "output",
            "value",
            "std of samples",
            f"{level} interval",
        ]
        rows = []
        for score in self.scores:
            for name, spread in score.intervals.items():
                row = [
                    score.system,
                    name,
                    percent(score.outputs[name], digits, self.metric),
                    percent(spread.std, digits + 1, self.metric),
                    shown_interval(spread.interval, digits, self.metric),
                ]
                rows.append(row)
        return header, rows

    def pair_table(self, digits: int, *, ranked: bool = False) -> Table:
        """Return a row for each comparison, with all its numbers; by rank if they are `ranked`."""
        results = self.results
        tests = self.tests
        if ranked:
            position = {name: row for row, name in enumerate(self.names)}
            tests = sorted(
                tests,
                key=lambda test: (position[test.system], position[test.other]),
            )
        header = [
            "system",
            "other",
            "difference",
            f"{shown_level(results.level)} interval",
            "better in",
            "wins",
            "losses",
            "ties",
            "d",
            "p",
            "p adjusted",
        ]
        rows = []
        for test in tests:
            row = [
                test.system,
                test.other,
                marked(test, results, digits),
                shown_interval(test.interval, digits, test.metric, signed),
                f"{percent(test.better, 1)}%",
                f"{test.wins:,}",
                f"{test.losses:,}",
                f"{test.ties:,}",
                "-" if math.isnan(test.cohen_d) else f"{test.cohen_d:+.3f}",
                *both_p(test, results),
            ]
            rows.append(row)
        return header, rows


def groups(results: Results) -> list[Group]:
    """Return the scores by data set and metric, in the order of the results."""
    signatures = [score.metric for score in results.scores]
    short_names = labels(signatures)
    paper_names = called(signatures)
    all_groups = []
    for rows in results.by_metric():
        group = Group(
            results=results,
            dataset=rows.dataset,
            signature=rows.signature,
            scores=sorted(rows.scores, key=lambda score: score.rank),
            tests=rows.tests,
            breakdown=rows.breakdown,
            label=short_names[rows.signature],
            called=paper_names[rows.signature],
        )
        all_groups.append(group)
    return all_groups


def _draw_cells(score: Score, digits: int) -> list[str]:
    """Return the standard deviation over draws of references, and the range of 95% of them."""
    samples = score.samples
    if not samples:
        return ["-", "-"]
    spread = shown_interval(samples.clipped_interval, digits, score.metric)
    std = percent(samples.std, digits + 1, score.metric)
    return [std, spread.replace("- to -", "-")]
