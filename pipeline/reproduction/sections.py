"""After scoring: judgements told, columns of scores made, correlations and agreement on sentences."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError
from ..human.correlation import COEFFICIENTS, spearman_by_differences
from ..human.judgment_summary import summarize
from ..human.meta_evaluation import MetricScores, metric_scores
from ..human.preferences import EQUAL, SentencePairs, lines_of_segments, numbered, preferences, sentence_pairs
from ..metrics.base.signature import parse
from .verdicts import decimal, rounded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..arrays import Floats, Ints
    from ..config.models_published import (
        WrittenAgreement,
        WrittenColumn,
        WrittenCorrelation,
        WrittenFindings,
        WrittenRounding,
    )
    from ..human.judgments import Judgments
    from ..human.trueskill import Progress
    from ..scoring.results import Score
    from ..scoring.scored_columns import Measured
    from .open_sections import Sources
    from .table_files import Cell

Scores = dict[str, float]


class Finder:
    """Makes the findings of a run. measured: of each data set and metric, in the order of the config's."""

    def __init__(
        self, wanted: WrittenFindings, sources: Sources, measured: Sequence[Measured], scores: Sequence[Score]
    ) -> None:
        self.wanted, self.sources, self.measured, self.scores = wanted, sources, measured, scores
        self.notes: list[str] = []

    def find(self, progress: Progress | None = None) -> dict[str, Any]:
        """Return the sections by name: judgments, columns, correlations, agreements; empty ones are None."""
        self.judgments = {name: self.summary(name, progress) for name in self.sources.judgments}
        self.columns: dict[str, Scores] = {}
        for name, column in self.wanted.columns.items():
            self.columns |= self.attempt(name, partial(self.column, name, column))
        found: dict[str, dict[str, Any]] = {}
        for correlation in self.wanted.correlations:
            for one, others in self.correlation(correlation).items():
                found.setdefault(one, {}).update(others)
        agreements: dict[str, Any] = {}
        for name, wanted in self.wanted.agreements.items():
            agreements |= self.attempt(name, partial(self.agreement, name, wanted))
        sections = {
            "judgments": self.judgments,
            "columns": self.columns,
            "correlations": found,
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
        summary = summarize(
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

    def one(self, metric: str | None, dataset: str | None) -> Measured:
        """Return what was measured by the metric that a text means, on a data set (None: the only one)."""
        wanted = self.sources.metrics[metric]
        return next(
            item
            for item in self.measured
            if item.metric == wanted and (dataset is None or item.scores[0].dataset == dataset)
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

    def correlation(self, wanted: WrittenCorrelation) -> dict[str, dict[str, Any]]:
        """Return {column: {other: coefficients}} on the systems that all of these columns have."""
        of, with_ = ([name for name in names if name in self.columns] for names in (wanted.of, wanted.with_))
        every = [*of, *with_]
        if not of or not with_:
            return {}
        known = [{s for s, value in self.columns[name].items() if not math.isnan(value)} for name in every]
        systems = sorted(set.intersection(*known) - set(wanted.without))
        nowhere = [name for name in wanted.without if not any(name in some for some in known)]
        self.notes += [f"correlations: without: no column has a system '{name}'" for name in nowhere]
        values = {name: np.array([self.columns[name][system] for system in systems]) for name in every}
        return {
            one: {two: {"systems": len(systems), **_coefficients(values[one], values[two])} for two in with_}
            for one in of
        }

    def agreement(self, name: str, wanted: WrittenAgreement) -> dict[str, Any]:
        """Return how far sentence scores agree with judgements."""
        judgments = self.sources.judgments[wanted.judgments]
        if wanted.table is not None:
            names, scores, lines = _of_cells(self.sources.sentences[name], judgments, wanted.without)
        else:
            made = metric_scores([self.one(wanted.metric, wanted.dataset)])[0]
            names, scores, lines = self.of_metric(made, judgments, wanted)
        return agreement(scores, judgments, names, lines, wanted.ties)

    def of_metric(
        self, made: MetricScores, judgments: Judgments, wanted: WrittenAgreement
    ) -> tuple[list[str], Floats, Ints]:
        """Return names, sentence scores [systems, lines] and the line of each judged sentence."""
        names = [name for name in made.systems if name in judgments.systems and name not in wanted.without]
        if made.sentences is None or not names:
            raise InputError(f"agreements: {made.metric} has no sentence scores of systems that were judged")
        scores = made.sentences()[[made.systems.index(name) for name in names]]
        return names, scores, lines_of_segments(judgments, names, scores, wanted.numbering, self.notes)


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


def _coefficients(one: Floats, two: Floats) -> dict[str, float]:
    """Return what there is to say of two columns: coefficients, and by how many places systems differ on average."""
    if len(one) < 2:
        return dict.fromkeys([*COEFFICIENTS, "spearman_by_differences", "mean_rank_difference"], math.nan)
    found = {name: float(score(one, two)) for name, score in COEFFICIENTS.items()}
    found["spearman_by_differences"] = float(spearman_by_differences(one, two))
    places = [np.argsort(np.argsort(-values, kind="stable")) for values in (one, two)]
    found["mean_rank_difference"] = float(np.abs(places[0] - places[1]).mean())
    return found


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


def agreement(scores: Floats, judgments: Judgments, names: Sequence[str], lines: Ints, ties: Any) -> dict[str, Any]:
    """Return accuracy and Kendall's tau on pairs that people do not tie, and the tau that counts their ties too.

    kendall: agreeing less disagreeing; kendall_no_ties: the same, pairs that the metric ties count 0 (WMT's tau);
    kendall_human_ties: over all pairs, those tied by both agree and those that people alone tie count 0.
    """
    pairs = sentence_pairs(judgments, names, lines)
    agree = preferences(scores, pairs, ties)
    counted = agree[~np.isnan(agree)]
    accuracy = float(counted.sum() / len(counted)) if len(counted) else math.nan
    halves = preferences(scores, pairs, "half")
    difference = float((2 * halves - 1).sum())
    tied = _tied(judgments, names, lines)
    one, two = scores[tied.better, tied.line], scores[tied.worse, tied.line]
    both = int((np.abs(one - two) <= EQUAL * np.maximum(np.abs(one), np.abs(two))).sum())
    every = len(halves) + len(one)
    return {
        "systems": list(names),
        "pairs": len(counted),
        "accuracy": accuracy,
        "kendall": 2 * accuracy - 1,
        "kendall_no_ties": difference / len(halves) if len(halves) else math.nan,
        "kendall_human_ties": (difference + both) / every if every else math.nan,
        "metric_ties": int((halves == 0.5).sum()),
        "human_ties": len(one),
    }


def _tied(judgments: Judgments, names: Sequence[str], lines: Ints) -> SentencePairs:
    """Return the pairs of named systems that people tie."""
    pairs = judgments.expanded
    first, second = numbered(judgments, names)
    kept = (first >= 0) & (second >= 0) & (pairs.outcome == 1)
    return SentencePairs(first[kept], second[kept], lines[pairs.segment[kept]])
