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
from pipeline.errors import CorpusError, InputError
from pipeline.files import TableCell, TableRow, named
from pipeline.scoring import MetricResult, SentenceScores

Scores = dict[str, dict[str, float]]

MAX_BYTES = 1 << 26
SUFFIXES = frozenset({".txt", ".csv", ".tsv", ".tab", ".gz", ".bz2", ".xz"})
QUOTE = (
    '; a name with blanks stands in quotation marks ("GPT-4 (few-shot)" 0.5), or tabs or commas '
    "separate columns"
)
SENTENCES = ".seg.score"
"""The end of the names of files of scores of sentences in mt-metrics-eval. It is no part of the
name of the score."""
MISSING = TableCell.MISSING - {"inf", "infinity"}
"""What stands for a missing score, in lower case."""
NO_LINES = frozenset({".yaml", ".yml", ".json"})


def read_scores(path: Path, names: Sequence[str] = ()) -> Scores:
    """Return {name of the score: {system: score}}. A score without a name gets the name of the
    file.

    `names` are the systems to which lines of a single number belong. Raises CorpusError where the
    file cannot be read, a score is not a number, or a system comes twice."""
    name = named(path)
    if path.suffix.lower() in NO_LINES:
        raise CorpusError.at(
            name,
            "expected lines `system score`, CSV or TSV, and neither YAML nor JSON",
        )
    rows = list(TableRow.of_file(path, MAX_BYTES, comment="#"))
    if not rows:
        raise CorpusError.at(name, "is empty; expected lines `system score`")
    if all(len(row.cells) == 1 for row in rows):
        if len(rows) != len(names):
            message = f"has {len(rows)} lines with one column; expected lines `system score`"
            if names:
                message += f"; there are {len(names)} systems"
            raise CorpusError.at(name, message)
        titles = [_title(path)]
        for row, system in zip(rows, sorted(names), strict=True):
            row.cells.insert(0, system)
    else:
        titles, rows = _titles(rows, path)
    scores: Scores = {title: {} for title in titles}
    for row in rows:
        line, cells = row
        hint = QUOTE if row.is_spaced and len(cells) > 2 else ""
        if len(cells) != len(titles) + 1:
            several = "a score" if len(titles) == 1 else f"{len(titles)} scores"
            message = f"expected a system and {several}, found {len(cells)} columns{hint}"
            raise CorpusError.at(f"{name}:{line}", message)
        for title, text in zip(titles, cells[1:], strict=True):
            if cells[0] in scores[title]:
                raise CorpusError.at(
                    f"{name}:{line}", f"the system '{cells[0]}' comes twice"
                )
            scores[title][cells[0]] = _number(text, f"{name}:{line}", hint)
    return scores


def read_sentence_scores(path: Path) -> dict[str, dict[str, Floats]] | None:
    """Return {name of the score: {system: float64 [lines]}}, where NaN is a missing score.

    None if the file has no scores of sentences: if the systems do not come equally often, and more
    than once. Raises CorpusError if a score is not a number."""
    if path.suffix.lower() in NO_LINES:
        return None
    every_row = TableRow.of_file(path, MAX_BYTES, comment="#")
    rows = [row for row in every_row if len(row.cells) > 1]
    if not rows:
        return None
    file_name = path.name.replace(SENTENCES, "")
    titles, rows = _titles(rows, path.with_name(file_name))
    rows_of_system: dict[str, list[TableRow]] = {}
    for row in rows:
        if len(row.cells) != len(titles) + 1:
            return None
        rows_of_system.setdefault(row.cells[0], []).append(row)
    counts = {len(of_system) for of_system in rows_of_system.values()}
    if len(counts) > 1 or 1 in counts:
        return None
    name = named(path)
    scores: dict[str, dict[str, Floats]] = {title: {} for title in titles}
    for system, of_system in rows_of_system.items():
        for column, title in enumerate(titles, 1):
            values = []
            for row in of_system:
                text = row.cells[column]
                is_missing = text.lower() in MISSING
                position = f"{name}:{row.line}"
                values.append(
                    math.nan if is_missing else _number(text, position)
                )
            scores[title][system] = np.array(values)
    return scores


def means(sentences: Mapping[str, Floats]) -> dict[str, float]:
    """Return the mean score of each system over the sentences for which it has one; NaN where it
    has none.
    """
    result = {}
    for system, scores in sentences.items():
        present = scores[~np.isnan(scores)]
        result[system] = math.nan
        if len(present):
            result[system] = float(present.mean())
    return result


def _titles(
    rows: list[TableRow], path: Path
) -> tuple[list[str], list[TableRow]]:
    """Return the names of the scores, and the rows of scores, which are all rows or all but the
    first.
    """
    line, header = rows[0]
    if len(header) < 2 or any(
        TableCell(cell).is_numeric for cell in header[1:]
    ):
        title = _title(path)
        if len(header) <= 2:
            return [title], rows
        return [f"{title}.{number}" for number in range(1, len(header))], rows
    if len(set(header)) < len(header):
        raise CorpusError.at(
            f"{named(path)}:{line}", "two columns have the same name"
        )
    if len(rows) == 1:
        message = "has a header only; expected lines `system score`"
        raise CorpusError.at(named(path), message)
    return header[1:], rows[1:]


def _title(path: Path) -> str:
    """Return the name of a file without its suffixes."""
    name = path.name
    while Path(name).suffix.lower() in SUFFIXES:
        name = Path(name).stem
    return name


def _number(text: str, position: str, hint: str = "") -> float:
    try:
        return TableCell(text).number("a score, a number")
    except ValueError as error:
        raise CorpusError.at(position, f"{error}{hint}") from None


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
            raise InputError(
                f"{what}: {self.metric} has no scores of sentences"
            )
        rows = [self.systems.index(name) for name in systems]
        return self.sentences()[rows]


def metric_scores(columns: Iterable[MetricResult]) -> list[MetricScores]:
    """Return the scores of a run, with sentence scores. References that are scored as systems are
    left out.
    """
    metrics = []
    for result in columns:
        scores = {}
        for score, reference in zip(
            result.scores,
            result.reference_of_system,
            strict=False,
        ):
            if reference is None:
                scores[score.system] = result.metric.goodness(score.score)
        by_line = result.by_line
        metrics.append(
            MetricScores(
                dataset=result.dataset,
                metric=result.signature,
                scores=scores,
                lines=by_line.lines,
                sentences=partial(_sentences, by_line),
            )
        )
    return metrics


def scores_of_file(path: Path) -> list[MetricScores]:
    """Return the scores of systems or of sentences that a file has. Raises CorpusError where it is
    wrong.
    """
    sentences = read_sentence_scores(path)
    if sentences is None:
        return [
            MetricScores("", name, scores)
            for name, scores in read_scores(path).items()
        ]
    metrics = []
    for name, systems in sentences.items():
        rows = [systems[system] for system in sorted(systems)]
        metrics.append(
            MetricScores(
                "",
                name,
                means(systems),
                len(rows[0]),
                partial(np.stack, rows),
            )
        )
    return metrics


def _sentences(result: MetricResult) -> Floats:
    """Return the sentence scores of the systems in ASCII order: float64 [systems, lines]."""
    systems = zip(
        result.names,
        result.columns,
        result.reference_of_system,
        strict=False,
    )
    columns = {
        name: blocks for name, blocks, reference in systems if reference is None
    }
    metric = result.metric
    scores = SentenceScores(metric)
    rows = []
    for name in sorted(columns):
        rows.append(metric.goodness(scores.of_system(columns[name])))
    return np.stack(rows)
