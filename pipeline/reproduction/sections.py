"""The sections of results.json that a config asks for besides scores: `judgments` to `agreements`."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError
from ..human.agreement.metric_scores import metric_scores
from ..human.correlation import common_systems, correlate, vector
from ..human.judgment_summary import JudgmentSummary
from ..human.meta_evaluation import judged_scores
from ..human.preferences import sentence_level, sentence_pairs
from ..metrics.base.signature import parse
from .verdicts import decimal, rounded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..arrays import Floats, Ints
    from ..config.models_published import (
        AgreementConfig,
        ColumnConfig,
        CorrelationConfig,
        PublishedConfig,
        RoundingConfig,
    )
    from ..human.judgments import Judgments
    from ..human.trueskill import Progress
    from ..scoring.board import Board
    from ..scoring.results import Score
    from .open_sections import OpenedSections
    from .table_files import Cell

Scores = dict[str, float]


class Sections:
    """Computes the sections judgments, columns, correlations and agreements of results.json."""

    def __init__(
        self,
        written: PublishedConfig,
        opened: OpenedSections,
        scored: Sequence[Board],
        scores: Sequence[Score],
    ) -> None:
        self.written, self.opened, self.scored, self.scores = written, opened, scored, scores
        self.notes: list[str] = []
        """Warnings: what could not be computed, and why."""

    def compute(self, progress: Progress | None = None) -> dict[str, Any]:
        """Return the sections by name; an empty one is None."""
        self.judgments = {name: self.summary(name, progress) for name in self.opened.judgments}
        self.columns: dict[str, Scores] = {}
        for name, column in self.written.columns.items():
            self.columns |= self.attempt(name, partial(self.column, name, column))
        correlations: dict[str, dict[str, Any]] = {}
        for correlation in self.written.correlations:
            for name, others in self.correlation(correlation).items():
                correlations.setdefault(name, {}).update(others)
        agreements: dict[str, Any] = {}
        for name, agreement in self.written.agreements.items():
            agreements |= self.attempt(name, partial(self.agreement, name, agreement))
        sections = {
            "judgments": self.judgments,
            "columns": self.columns,
            "correlations": correlations,
            "agreements": agreements,
        }
        return {name: section or None for name, section in sections.items()}

    def attempt(self, name: str, make: Callable[[], Any]) -> dict[str, Any]:
        """Return {name: what `make` returns}. Return an empty mapping and add a note where that raises InputError."""
        try:
            return {name: make()}
        except InputError as error:
            self.notes.append(f"{name}: {error}")
            return {}

    def summary(self, name: str, progress: Progress | None) -> dict[str, Any]:
        """Return what judgements say, by names of judges and systems."""
        written = self.written.judgments[name]
        summary = JudgmentSummary(
            self.opened.judgments[name],
            divisor=written.divisor,
            resamples=written.resamples,
            level=written.level,
            seed=written.seed,
            runs=written.trueskill,
            folds=written.folds,
            progress=progress,
        )
        return summary.plain()

    def scored_by(self, metric: str | None, dataset: str | None) -> Board:
        """Return the scores by the metric that a text means, on a data set. None means the only data set."""
        same = (item for item in self.scored if item.metric == self.opened.metrics[metric])
        return next(item for item in same if dataset is None or item.scores[0].dataset == dataset)

    def column(self, name: str, column: ColumnConfig) -> Scores:
        """Return the scores of a column, renamed and rounded as the config says."""
        if column.metric is not None:
            scored = self.scored_by(column.metric, column.dataset).scores
            scores = {score.system: output_of(score, column.output or "score") for score in scored}
        elif column.judgments is not None:
            scores = self.judgments[column.judgments][column.human]["scores"]
        else:
            scores = self.opened.columns[name]
        renamed = {column.rename.get(system, system): value for system, value in scores.items()}
        if len(renamed) < len(scores):
            raise InputError("two systems would have the same name: see `rename`")
        return {system: round_score(value, column.rounding) for system, value in renamed.items()}

    def correlation(self, written: CorrelationConfig) -> dict[str, dict[str, Any]]:
        """Return {column: {other column: coefficients}}, computed on the systems that all of these columns have."""
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

    def agreement(self, name: str, written: AgreementConfig) -> dict[str, Any]:
        """Return how far sentence scores agree with judgements."""
        judgments = self.opened.judgments[written.judgments]
        if written.table is not None:
            systems, scores, lines = _of_cells(self.opened.sentence_tables[name], judgments, written.without)
        else:
            (metric,) = metric_scores([self.scored_by(written.metric, written.dataset)])
            systems, scores, lines = judged_scores(metric, judgments, written.without, written.numbering, self.notes)
        if written.order is not None:
            systems, scores = _in_order(written.order, systems, scores)
        level = sentence_level(scores, *sentence_pairs(judgments, systems, lines), written.ties)
        return {"systems": systems, **level._asdict()}


def _in_order(order: Sequence[str], systems: Sequence[str], scores: Floats) -> tuple[list[str], Floats]:
    """Return systems and their scores [systems, sentences] in an order; raises InputError where it has other ones."""
    if sorted(order) != sorted(systems):
        raise InputError(f"order: expected each of {', '.join(systems)} once")
    return list(order), scores[[systems.index(name) for name in order]]


def output_of(score: Score, output: str, others: Iterable[str] = ()) -> float:
    """Return an output of a score. Raises InputError, which lists `others` too, where the metric has no such output."""
    if output == "score":
        return score.score
    if output not in score.outputs:
        names = ", ".join([*score.outputs, *others])
        raise InputError(f"{parse(score.metric)[0]} has no output '{output}'; there are {names}")
    return score.outputs[output]


def round_score(value: float, rounding: RoundingConfig | None, scale: str = "1") -> float:
    """Return a score times a scale, rounded where a rounding is given."""
    if not math.isfinite(value) or (rounding is None and scale == "1"):
        return value
    scaled = decimal(value, scale)
    return float(scaled if rounding is None else rounded(scaled, rounding.digits, rounding.rule))


def _of_cells(cells: Sequence[Cell], judgments: Judgments, without: Sequence[str]) -> tuple[list[str], Floats, Ints]:
    """Return the judged systems, their scores [systems, sentences], and the column of each judged sentence in these.

    Sentences are the same where their numbers are written alike. Raises InputError where a score is lacking.
    """
    names = sorted({cell.system for cell in cells if cell.system in judgments.systems} - set(without))
    rows = {name: number for number, name in enumerate(names)}
    columns = {text: number for number, text in enumerate(dict.fromkeys(cell.sentence for cell in cells))}
    scores = np.full((len(names), len(columns)), np.nan)
    for cell in cells:
        if cell.system in rows:
            scores[rows[cell.system], columns[cell.sentence]] = float(cell.score)
    lacking = next((segment for segment in judgments.segments if segment not in columns), None)
    if lacking is not None or not names:
        reason = f"no score of the judged sentence {lacking}" if names else "no system that was judged"
        raise InputError(f"agreements: the table has {reason}")
    lines = np.array([columns[segment] for segment in judgments.segments], np.int64)
    absent = np.argwhere(np.isnan(scores[:, lines]))
    if len(absent):
        name, segment = names[absent[0][0]], judgments.segments[absent[0][1]]
        raise InputError(f"agreements: the table has no score of {name} for the judged sentence {segment}")
    return names, scores, lines
