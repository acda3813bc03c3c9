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

    A file has lines of a system and its scores, or of one number each: then these are the scores of
    the systems `names` in ASCII order. Raises CorpusError if the file cannot be read, a score is
    not a number, or a system comes twice."""
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
            expected = (
                "a score" if len(titles) == 1 else f"{len(titles)} scores"
            )
            message = f"expected a system and {expected}, found {len(cells)} columns{hint}"
            raise CorpusError.at(f"{name}:{line}", message)
        system, *texts = cells
        for title, text in zip(titles, texts, strict=True):
            if system in scores[title]:
                raise CorpusError.at(
                    f"{name}:{line}", f"the system '{system}' comes twice"
                )
            scores[title][system] = _number(text, f"{name}:{line}", hint)
    return scores


def read_sentence_scores(path: Path) -> dict[str, dict[str, Floats]] | None:
    """Return {name of the score: {system: float64 [lines]}}, where NaN is a missing score, from a
    file that has a row for each sentence of each system.

    None if it has not: if rows differ in length, or the systems do not come equally often, and more
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
    counts = set(map(len, rows_of_system.values()))
    if len(counts) > 1 or 1 in counts:
        return None
    name = named(path)
    scores: dict[str, dict[str, Floats]] = {title: {} for title in titles}
    for system, system_rows in rows_of_system.items():
        for column, title in enumerate(titles, 1):
            sentence_scores = []
            for row in system_rows:
                score = math.nan
                text = row.cells[column]
                if text.lower() not in MISSING:
                    score = _number(text, f"{name}:{row.line}")
                sentence_scores.append(score)
            scores[title][system] = np.array(sentence_scores)
    return scores


def means(sentences: Mapping[str, Floats]) -> dict[str, float]:
    """Return the mean of each system's sentence scores, float64 [lines], but for those that are NaN;
    NaN if all are.
    """
    system_means = {}
    for system, scores in sentences.items():
        present = scores[~np.isnan(scores)]
        system_means[system] = math.nan
        if len(present):
            system_means[system] = float(present.mean())
    return system_means


def _titles(
    rows: list[TableRow], path: Path
) -> tuple[list[str], list[TableRow]]:
    """Return the names of the scores, and the rows without the header, if the first row is one: it
    has no number after its first cell.

    Without a header the only score is named after the file; several are numbered from 1. Raises
    CorpusError if two columns have the same name, or a header is all there is."""
    line, header = rows[0]
    if len(header) < 2 or any(
        TableCell(cell).is_numeric for cell in header[1:]
    ):
        title = _title(path)
        if len(header) <= 2:
            return [title], rows
        return [f"{title}.{column}" for column in range(1, len(header))], rows
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

        Raises InputError if there are none; `what` names what needs them.
        """
        if self.sentences is None:
            raise InputError(
                f"{what}: {self.metric} has no scores of sentences"
            )
        rows = [self.systems.index(name) for name in systems]
        return self.sentences()[rows]


def metric_scores(columns: Iterable[MetricResult]) -> list[MetricScores]:
    """Return the scores of a run's metrics on its data sets, with sentence scores; the higher, the
    better. References that are scored as systems are left out.
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
    """Return the scores of a file, each as those of a metric on the data set "". Scores of systems
    are in it, or the means of sentence scores. Raises CorpusError if the file is wrong.
    """
    sentences = read_sentence_scores(path)
    metrics = []
    if sentences is None:
        for name, scores in read_scores(path).items():
            metrics.append(MetricScores("", name, scores))
        return metrics
    for name, columns in sentences.items():
        rows = [columns[system] for system in sorted(columns)]
        metrics.append(
            MetricScores(
                dataset="",
                metric=name,
                scores=means(columns),
                lines=len(rows[0]),
                sentences=partial(np.stack, rows),
            )
        )
    return metrics


def _sentences(result: MetricResult) -> Floats:
    """Return the sentence scores of a metric, float64 [systems, lines], the higher, the better. The
    systems are in ASCII order, without references that are scored as systems.
    """
    systems = zip(
        result.names,
        result.columns,
        result.reference_of_system,
        strict=False,
    )
    metric = result.metric
    rows = {}
    for name, statistics, reference in systems:
        if reference is None:
            scores = SentenceScores(metric).of_system(statistics)
            rows[name] = metric.goodness(scores)
    return np.stack([rows[name] for name in sorted(rows)])
