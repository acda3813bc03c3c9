"""After scoring: judgements summarized, columns of scores made, correlated, and compared with judged sentences."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError
from ..human.correlation import common_systems, correlate, vector
from ..human.judgment_summary import JudgmentSummary
from ..human.meta_evaluation import judged_scores, metric_scores
from ..human.preferences import sentence_level, sentence_pairs
from ..metrics.base.signature import parse
from .verdicts import decimal, rounded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..arrays import Floats, Ints
    from ..config.models_published import (
        WrittenAgreement,
        WrittenColumn,
        WrittenCorrelation,
        WrittenPublished,
        WrittenRounding,
    )
    from ..human.judgments import Judgments
    from ..human.trueskill import Progress
    from ..scoring.results import Score
    from ..scoring.scored_columns import ScoredColumns
    from .open_sections import OpenedSections
    from .table_files import Cell

Scores = dict[str, float]


class Finder:
    """Makes the sections of results.json that a config asks for besides scores."""

    def __init__(
        self,
        wanted: WrittenPublished,
        sources: OpenedSections,
        measured: Sequence[ScoredColumns],
        scores: Sequence[Score],
    ) -> None:
        self.wanted, self.sources, self.measured, self.scores = wanted, sources, measured, scores
        self.notes: list[str] = []

    def find(self, progress: Progress | None = None) -> dict[str, Any]:
        """Return the sections by name: judgments, columns, correlations, agreements; empty ones are None."""
        self.judgments = {name: self.summary(name, progress) for name in self.sources.judgments}
        self.columns: dict[str, Scores] = {}
        for name, column in self.wanted.columns.items():
            self.columns |= self.attempt(name, partial(self.column, name, column))
        correlations: dict[str, dict[str, Any]] = {}
        for correlation in self.wanted.correlations:
            for name, others in self.correlation(correlation).items():
                correlations.setdefault(name, {}).update(others)
        agreements: dict[str, Any] = {}
        for name, agreement in self.wanted.agreements.items():
            agreements |= self.attempt(name, partial(self.agreement, name, agreement))
        sections = {
            "judgments": self.judgments,
            "columns": self.columns,
            "correlations": correlations,
            "agreements": agreements,
        }
        return {name: section or None for name, section in sections.items()}

    def attempt(self, name: str, make: Callable[[], Any]) -> dict[str, Any]:
        """Return {name: what is made}, or nothing and a note where that cannot be: the scores are good without."""
        try:
            return {name: make()}
        except InputError as error:
            self.notes.append(f"{name}: {error}")
            return {}

    def summary(self, name: str, progress: Progress | None) -> dict[str, Any]:
        """Return what judgements say, by names of judges and systems."""
        settings = self.wanted.judgments[name]
        summary = JudgmentSummary(
            self.sources.judgments[name],
            divisor=settings.divisor,
            resamples=settings.resamples,
            level=settings.level,
            seed=settings.seed,
            runs=settings.trueskill,
            folds=settings.folds,
            progress=progress,
        )
        return summary.plain()

    def one(self, metric: str | None, dataset: str | None) -> ScoredColumns:
        """Return what was measured by the metric that a text means, on a data set (None: the only one)."""
        metric_meant = self.sources.metrics[metric]
        return next(
            item
            for item in self.measured
            if item.metric == metric_meant and (dataset is None or item.scores[0].dataset == dataset)
        )

    def column(self, name: str, column: WrittenColumn) -> Scores:
        """Return the scores of a column, renamed and rounded as said."""
        if column.metric is not None:
            scores = {s.system: output_of(s, column.output) for s in self.one(column.metric, column.dataset).scores}
        elif column.judgments is not None:
            scores = self.judgments[column.judgments][column.human]["scores"]
        else:
            scores = self.sources.columns[name]
        renamed = {column.rename.get(system, system): value for system, value in scores.items()}
        if len(renamed) < len(scores):
            raise InputError("two systems would have the same name: see `rename`")
        return {system: round_score(value, column.rounding) for system, value in renamed.items()}

    def correlation(self, written: WrittenCorrelation) -> dict[str, dict[str, Any]]:
        """Return {column: {other: coefficients}} on the systems that all of these columns have."""
        of, with_ = ([name for name in names if name in self.columns] for names in (written.of, written.with_))
        if not of or not with_:
            return {}
        columns = {name: self.columns[name] for name in (*of, *with_)}
        scored = {system for column in columns.values() for system in common_systems([column])}
        nowhere = [name for name in written.without if name not in scored]
        self.notes += [f"correlations: without: no column has a system '{name}'" for name in nowhere]
        systems = common_systems(columns.values(), written.without)
        values = {name: vector(column, systems) for name, column in columns.items()}
        return {
            one: {two: {"systems": len(systems), **correlate(values[one], values[two])} for two in with_} for one in of
        }

    def agreement(self, name: str, written: WrittenAgreement) -> dict[str, Any]:
        """Return how far sentence scores agree with judgements."""
        judgments = self.sources.judgments[written.judgments]
        if written.table is not None:
            systems, scores, lines = _of_cells(self.sources.sentences[name], judgments, written.without)
        else:
            (metric,) = metric_scores([self.one(written.metric, written.dataset)])
            systems, scores, lines = judged_scores(metric, judgments, written.without, written.numbering, self.notes)
        level = sentence_level(scores, *sentence_pairs(judgments, systems, lines), written.ties)
        return {"systems": systems, **level._asdict()}


def output_of(score: Score, output: str | None) -> float:
    """Return an output of a score; raises InputError where the metric has none of this name."""
    if output is None or output == "score":
        return score.score
    if output not in score.outputs:
        raise InputError(f"{parse(score.metric)[0]} has no output '{output}'; there are {', '.join(score.outputs)}")
    return score.outputs[output]


def round_score(value: float, rounding: WrittenRounding | None, scale: str = "1") -> float:
    """Return a score times a scale, rounded as said."""
    if not math.isfinite(value) or (rounding is None and scale == "1"):
        return value
    scaled = decimal(value, scale)
    return float(scaled if rounding is None else rounded(scaled, rounding.digits, rounding.rule))


def _of_cells(cells: Sequence[Cell], judgments: Judgments, without: Sequence[str]) -> tuple[list[str], Floats, Ints]:
    """Return names, scores [systems, sentences] and the place of each judged sentence, by its number as written."""
    names = sorted({cell.system for cell in cells if cell.system in judgments.systems} - set(without))
    rows = {name: number for number, name in enumerate(names)}
    columns: Mapping[str, int] = {text: n for n, text in enumerate(dict.fromkeys(cell.sentence for cell in cells))}
    scores = np.full((len(names), len(columns)), np.nan)
    for cell in cells:
        if cell.system in rows:
            scores[rows[cell.system], columns[cell.sentence]] = float(cell.score)
    lacking = next((segment for segment in judgments.segments if segment not in columns), None)
    if lacking is not None or not names:
        what = f"no score of the judged sentence {lacking}" if names else "no system that was judged"
        raise InputError(f"agreements: the table has {what}")
    lines = np.array([columns[segment] for segment in judgments.segments], np.int64)
    absent = np.argwhere(np.isnan(scores[:, lines]))
    if len(absent):
        name, segment = names[absent[0][0]], judgments.segments[absent[0][1]]
        raise InputError(f"agreements: the table has no score of {name} for the judged sentence {segment}")
    return names, scores, lines
