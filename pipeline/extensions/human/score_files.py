"""Scores of systems and of their sentences, by people or a metric, from files or a run.

`gec-pipeline help human` has the forms of files. One number a line, as in the data of SEEDA, is the
scores of systems that are known from elsewhere, in ASCII order of their names."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from pipeline.arrays import Floats
from pipeline.errors import CorpusError, InputError, Problem
from pipeline.files.plain_files import named
from pipeline.files.small_tables import (
    NOT_A_NUMBER,
    Row,
    SpacedRow,
    at_line,
    is_numeric,
    number_of,
    read_rows,
)
from pipeline.scoring.metric_results import MetricResult
from pipeline.scoring.sentences import scores_of_system

Scores = dict[str, dict[str, float]]

MAX_BYTES = 1 << 26
SUFFIXES = frozenset({".txt", ".csv", ".tsv", ".tab", ".gz", ".bz2", ".xz"})
QUOTE = '; a name with blanks stands in quotation marks ("GPT-4 (few-shot)" 0.5), or tabs or commas separate columns'
SENTENCES = ".seg.score"
"""The end of the names of files of scores of sentences in mt-metrics-eval. It is no part of the
name of the score."""
INFINITE = frozenset({"inf", "infinity"})
NO_LINES = frozenset({".yaml", ".yml", ".json"})


def read_scores(path: Path, names: Sequence[str] = ()) -> Scores:
    """Return {name of the score: {system: score}}. A score without a name gets the name of the
    file.

    `names` are the systems to which lines of a single number belong. Raises CorpusError where the
    file cannot be read, a score is not a number, or a system comes twice."""
    name = named(path)
    if path.suffix.lower() in NO_LINES:
        raise CorpusError(
            [Problem(name, "expected lines `system score`, CSV or TSV, and neither YAML nor JSON")]
        )
    rows = list(read_rows(path, MAX_BYTES, comment="#"))
    if not rows:
        raise CorpusError([Problem(name, "is empty; expected lines `system score`")])
    if all(len(row.cells) == 1 for row in rows):
        if len(rows) != len(names):
            expected = f"; there are {len(names)} systems" if names else ""
            message = (
                f"has {len(rows)} lines with one column; expected lines `system score`{expected}"
            )
            raise CorpusError([Problem(name, message)])
        titles = [_title(path)]
        rows = [
            Row(line, [system, *cells])
            for (line, cells), system in zip(rows, sorted(names), strict=True)
        ]
    else:
        titles, rows = _titles(rows, path)
    scores: Scores = {title: {} for title in titles}
    for row in rows:
        line, cells = row
        hint = QUOTE if isinstance(row, SpacedRow) and len(cells) > 2 else ""
        if len(cells) != len(titles) + 1:
            several = "a score" if len(titles) == 1 else f"{len(titles)} scores"
            raise at_line(
                name, line, f"expected a system and {several}, found {len(cells)} columns{hint}"
            )
        for title, text in zip(titles, cells[1:], strict=True):
            if cells[0] in scores[title]:
                raise at_line(name, line, f"the system '{cells[0]}' comes twice")
            scores[title][cells[0]] = _number(text, f"{name}:{line}", hint)
    return scores


def read_sentence_scores(path: Path) -> dict[str, dict[str, Floats]] | None:
    """Return {name of the score: {system: float64 [lines]}}, where NaN is a lacking score.

    None where the file has no scores of sentences: where the systems do not come equally often, and
    more than once. Raises CorpusError where a score is not a number."""
    if path.suffix.lower() in NO_LINES:
        return None
    rows = [row for row in read_rows(path, MAX_BYTES, comment="#") if len(row.cells) > 1]
    titles, rows = (
        _titles(rows, path.with_name(path.name.replace(SENTENCES, ""))) if rows else ([], rows)
    )
    places: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(row.cells[0], []).append(place)
    counts = {len(own) for own in places.values()}
    if len(counts) != 1 or counts == {1} or any(len(row.cells) != len(titles) + 1 for row in rows):
        return None
    name = named(path)
    lacking = NOT_A_NUMBER - INFINITE
    cells = ((row.line, text) for row in rows for text in row.cells[1:])
    numbers = [
        math.nan if text.lower() in lacking else _number(text, f"{name}:{line}")
        for line, text in cells
    ]
    table = np.array(numbers).reshape(len(rows), len(titles))
    columns = enumerate(titles)
    return {
        title: {system: table[own, column] for system, own in places.items()}
        for column, title in columns
    }


def means(sentences: Mapping[str, Floats]) -> dict[str, float]:
    """Return the mean score of each system over the sentences for which it has one; NaN where it
    has none.
    """
    present = {system: scores[~np.isnan(scores)] for system, scores in sentences.items()}
    return {
        system: float(scores.mean()) if len(scores) else math.nan
        for system, scores in present.items()
    }


def _titles(rows: list[Row], path: Path) -> tuple[list[str], list[Row]]:
    """Return the names of the scores, and the rows of scores, which are all rows or all but the
    first.
    """
    line, header = rows[0]
    if len(header) < 2 or any(map(is_numeric, header[1:])):
        title = _title(path)
        return [title] if len(header) <= 2 else [
            f"{title}.{number}" for number in range(1, len(header))
        ], rows
    if len(set(header)) < len(header):
        raise at_line(named(path), line, "two columns have the same name")
    if len(rows) == 1:
        raise CorpusError(
            [Problem(named(path), "has a header only; expected lines `system score`")]
        )
    return header[1:], rows[1:]


def _title(path: Path) -> str:
    """Return the name of a file without its suffixes."""
    name = path.name
    while Path(name).suffix.lower() in SUFFIXES:
        name = Path(name).stem
    return name


def _number(text: str, position: str, hint: str = "") -> float:
    try:
        return number_of(text, "a score, a number")
    except ValueError as error:
        raise CorpusError([Problem(position, f"{error}{hint}")]) from None


@dataclass(frozen=True)
class MetricScores:
    """Scores of systems by one metric on one data set, from a run or a file."""

    dataset: str
    metric: str
    scores: dict[str, float]
    """The higher, the better: scores of metrics where lower is better are negated, and so are
    sentence scores."""
    lines: int = 0
    sentences: Callable[[], Floats] | None = None
    """Returns the sentence scores, float64 [systems, lines], with the systems in ASCII order. None:
    there are none."""

    @property
    def systems(self) -> list[str]:
        """The names of the systems in ASCII order, in which `sentences` returns them."""
        return sorted(self.scores)

    def sentences_of(self, systems: Sequence[str], what: str) -> Floats:
        """Return the sentence scores of these systems: float64 [systems, lines].

        Raises InputError, which begins with `what`, where there are none.
        """
        if self.sentences is None:
            raise InputError(f"{what}: {self.metric} has no scores of sentences")
        return self.sentences()[[self.systems.index(name) for name in systems]]


def metric_scores(columns: Iterable[MetricResult]) -> list[MetricScores]:
    """Return the scores of a run, with sentence scores. References that are scored as systems are
    left out.
    """
    metrics = []
    for scored in columns:
        own = zip(scored.scores, scored.own, strict=False)
        scores = {
            score.system: scored.metric.goodness(score.score)
            for score, number in own
            if number is None
        }
        every = scored.by_line
        metrics.append(
            MetricScores(
                scored.dataset, scored.signature, scores, every.lines, partial(_sentences, every)
            )
        )
    return metrics


def scores_of_file(path: Path) -> list[MetricScores]:
    """Return the scores of systems or of sentences that a file has. Raises CorpusError where it is
    wrong.
    """
    sentences = read_sentence_scores(path)
    if sentences is None:
        return [MetricScores("", name, own) for name, own in read_scores(path).items()]
    metrics = []
    for name, own in sentences.items():
        rows = [own[system] for system in sorted(own)]
        metrics.append(MetricScores("", name, means(own), len(rows[0]), partial(np.stack, rows)))
    return metrics


def _sentences(scored: MetricResult) -> Floats:
    """Return the sentence scores of the systems in ASCII order: float64 [systems, lines]."""
    numbered = zip(scored.names, scored.columns, scored.own, strict=False)
    columns = {name: blocks for name, blocks, own in numbered if own is None}
    rows = [
        scored.metric.goodness(scores_of_system(scored.metric, columns[name]))
        for name in sorted(columns)
    ]
    return np.stack(rows)
