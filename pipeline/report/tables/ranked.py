"""Scores by data set and metric: short names of metrics, the best systems, and ranked tables with
their columns.
"""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import NamedTuple
from unicodedata import normalize

from ...errors import InputError, known_names
from ...metrics import class_of, factor
from ...metrics.base import Metric
from ...scoring.results import (
    REFERENCES_ROW,
    Comparison,
    DatasetInfo,
    Results,
    Score,
    grouped,
)
from . import Table, columns_of, percent, round_half_up
from .comparisons import EXTRA, bootstrap_columns, level_name, shown_interval
from .metric_names import called, in_text, labels, rivalry

LEFT_OUT = "|refs:leave_one_out|"
"""A part of signatures: the metric scores references as systems too."""
REFERENCE = re.compile(rf"reference[0-9]+|{REFERENCES_ROW}")
"""Names of references that are scored as systems."""
SOURCE = "source"
"""The kind of a system that left every line as it was. It does not compete."""
HUMAN = "reference"
"""The kind of a system whose lines are those of a reference. It does not compete."""
ALWAYS_SHOWN = frozenset({"standard_error"})
"""Outputs that the table always has beside the score. A metric adds its own by `table_outputs`."""


# --- scores by data set and metric


class Group(NamedTuple):
    """The scores of one metric on one data set."""

    dataset: str
    metric: str
    """The signature of the metric."""
    label: str
    """A short name of the metric."""
    scores: list[Score]
    """The best comes first."""
    tests: list[Comparison]
    """The comparisons of its systems."""
    called: str
    """The name of the metric in papers, with what tells it from others of its name."""

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
    def heading(self) -> str:
        """The name of the metric if several share it, with their differences; else nothing."""
        return self.called if rivalry(self.metric, self.label) else ""


def groups(results: Results) -> list[Group]:
    """Return the scores by data set and metric, in the order of the results.

    This is the only function that finds rows of the same metric by its signature.
    """
    scores = grouped(sorted(results.scores, key=lambda score: score.rank))
    tests = grouped(results.tests)
    signatures = [score.metric for score in results.scores]
    short_names = labels(signatures)
    paper_names = called(signatures)
    all_groups = []
    for key in grouped(results.scores):  # in the order of the results
        dataset, metric = key
        group = Group(
            dataset=dataset,
            metric=metric,
            label=short_names[metric],
            scores=scores[key],
            tests=tests.get(key, []),
            called=paper_names[metric],
        )
        all_groups.append(group)
    return all_groups


def best_of(info: DatasetInfo, group: Group, digits: int) -> set[str]:
    """Return the systems whose scores are equal to the best as they are printed; none if the best
    is NaN.

    References and the unchanged source do not compete.
    """
    apart = kinds(info, group)
    texts = {}
    for score in group.scores:
        if score.system not in apart:
            texts[score.system] = percent(score.score, digits, group.metric)
    best = next(iter(texts.values()), "-")
    return {system for system, text in texts.items() if text == best != "-"}


def kinds(info: DatasetInfo, group: Group) -> dict[str, str]:
    """Return the kinds of the systems of a group that do not compete, by name: SOURCE or HUMAN.

    SOURCE is a system whose every line equals the source. HUMAN is one whose every line equals a
    reference, or a reference that is scored as a system (`references: leave_one_out`).
    """
    reference_digests = set()
    system_digests: dict[str, set[str]] = {}
    for role, digest in info.digests.items():
        if role.startswith("reference "):
            reference_digests.add(digest)
        _, prefix, name = role.partition("system ")
        if prefix:
            system_digests.setdefault(name, set()).add(digest)
    apart = {}
    for score in group.scores:
        name = score.system
        digests = system_digests.get(name, set())
        if LEFT_OUT in group.metric and REFERENCE.fullmatch(name):
            apart[name] = HUMAN
        elif info.digests.get("source") in digests:
            apart[name] = SOURCE
        elif digests & reference_digests:
            apart[name] = HUMAN
    return apart


def cluster_ends(scores: Sequence[Score]) -> list[int]:
    """Return the numbers of the rows at which a cluster ends and another follows."""
    clusters = [
        score.bootstrap.cluster if score.bootstrap else 0 for score in scores
    ]
    ends = []
    for row, (cluster, next_cluster) in enumerate(pairwise(clusters)):
        if cluster != next_cluster:
            ends.append(row)
    return ends


def size(info: DatasetInfo) -> str:
    """Return the numbers of lines and references of a data set in words."""
    return f"{_counted(info.lines, 'line')}, {_counted(info.references, 'reference')}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def notes_of(scores: Sequence[Score]) -> list[str]:
    """Return each note on scores once, after the names of its systems unless it is on all of them."""
    systems: dict[str, list[str]] = {}
    for score in scores:
        for note in score.notes:
            systems.setdefault(note, []).append(score.system)
    notes = []
    for note, names in systems.items():
        if len(names) == len(scores):
            notes.append(note)
        else:
            notes.append(f"{', '.join(names)}: {note}")
    return notes


# --- tables


def ranked_table(
    results: Results,
    scores: Sequence[Score],
    digits: int,
    columns: Sequence[str] = (),
) -> Table:
    """Return a row for each score, in their order: rank, system, score, interval, comparisons,
    ranks, spread of draws.

    With `columns`, names or patterns, it has those of these columns, also of EXTRA, and of all
    outputs that they name.
    """
    signature = scores[0].metric
    metric = class_of(signature)
    score_name, *outputs = scores[0].outputs
    usual = [name for name in outputs if _is_usual(name, metric)]
    more = [name for name in outputs if name not in usual]
    titles, compared_cells = bootstrap_columns(results, scores, digits)
    has_draws = any(score.samples for score in scores)
    header = ["rank", "system", score_name, *usual, *titles]
    if has_draws:
        header += ["std of draws", "95% of draws"]
    header += more
    rows = []
    for score, cells in zip(scores, compared_cells, strict=True):
        row = [
            str(score.rank),
            score.system,
            percent(score.score, digits, signature),
        ]
        for name in usual:
            more_digits = 2 if name == "standard_error" else 0
            value = score.outputs[name]
            row.append(output_cell(value, name, metric, digits + more_digits))
        row += cells
        if has_draws:
            row += _draw_cells(score, digits)
        for name in more:
            row.append(output_cell(score.outputs[name], name, metric, digits))
        rows.append(row)
    if columns:
        names = _names_of_printed_outputs(results, scores[0])
        patterns = [names.get(pattern, pattern) for pattern in columns]
        chosen = [0, 1, 2, *picked(header[3:], patterns, 3)]
    else:
        usual_titles = header[: len(header) - len(more)]
        chosen = []
        for number, title in enumerate(usual_titles):
            if not EXTRA.fullmatch(title):
                chosen.append(number)
    return columns_of((header, rows), chosen)


def _draw_cells(score: Score, digits: int) -> list[str]:
    """Return the standard deviation over draws of references, and the range of 95% of them."""
    samples = score.samples
    if not samples:
        return ["-", "-"]
    spread = shown_interval(samples.clipped_interval, digits, score.metric)
    std = percent(samples.std, digits + 1, score.metric)
    return [std, spread.replace("- to -", "-")]


def _is_usual(output: str, metric: type[Metric]) -> bool:
    """Return whether a table has an output without being asked."""
    if "@" in output or output in ALWAYS_SHOWN:
        return True
    return bool(re.fullmatch(metric.table_outputs, output))


def _names_of_printed_outputs(results: Results, score: Score) -> dict[str, str]:
    """Return the names of outputs by how papers write them, such as P for precision; none for a
    metric of another version.
    """
    try:
        metric = results.metric(score.metric)
    except InputError:
        return {}
    names = {}
    for name in score.outputs:
        _, below = metric.in_text(name)
        names[normalize("NFKC", below)] = name
    return names


def output_cell(
    value: float,
    name: str,
    metric: type[Metric],
    digits: int,
) -> str:
    """Return an output as a cell: counts, means of counts, and other numbers that are no fractions
    as they are, fractions in percent.
    """
    # a number of n-grams or tokens
    if re.sub("_[0-9]+$", "", name) in metric.counts:
        return (
            f"{value:.0f}"
            if value.is_integer()
            else round_half_up(value, digits)
        )
    if metric.in_percent:
        value *= 100
    return round_half_up(value, digits)


def interval_table(
    results: Results, scores: Sequence[Score], digits: int
) -> Table:
    """Return a row for each output of each score that has an interval of its own."""
    header = [
        "system",
        "output",
        "value",
        "std of samples",
        f"{level_name(results)} interval",
    ]
    rows = []
    for score in scores:
        for name, spread in score.intervals.items():
            row = [
                score.system,
                name,
                percent(score.outputs[name], digits, score.metric),
                percent(spread.std, digits + 1, score.metric),
                shown_interval(spread.interval, digits, score.metric),
            ]
            rows.append(row)
    return header, rows


# --- columns by patterns


def picked(
    titles: Sequence[str], patterns: Sequence[str], first: int = 0
) -> list[int]:
    """Return the numbers of the titles that patterns name, counted from `first`.

    A pattern names a title, or else every title that it matches, or of which it matches a word.
    """
    chosen: set[int] = set()
    for pattern in patterns:
        folded = _folded(pattern)
        equal = []
        matching = []
        with_word = []
        for number, title in enumerate(titles, first):
            if _folded(title) == folded:
                equal.append(number)
            elif fnmatchcase(_folded(title), folded):
                matching.append(number)
            elif any(fnmatchcase(word, pattern) for word in title.split()):
                with_word.append(number)
        chosen.update(equal or matching or with_word)
    return sorted(chosen)


def _folded(title: str) -> str:
    """Return a title for comparison, in lower case unless it is one letter: P is not p."""
    return re.sub("[ _-]", "_", title.lower() if len(title) > 1 else title)


def check_picked(titles: Sequence[str], patterns: Sequence[str]) -> None:
    """Raise InputError for the first pattern that names none of the titles."""
    for pattern in patterns:
        if not picked(titles, [pattern]):
            hint = known_names(pattern, titles)
            raise InputError(
                f"--columns {pattern}: there is no such column{hint}"
            )
