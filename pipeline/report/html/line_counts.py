"""What a report shows of a sentence: its score with each reference, and the counts that it is made of, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...metrics.bleu.metric import Bleu
from ...metrics.chrf import Chrf
from ...metrics.external import External
from ...metrics.gleu.codes import CODES
from ...metrics.gleu.metric import Gleu
from ...metrics.google_gleu import GoogleGleu
from ...metrics.green import Green
from ...metrics.rouge.metric import Rouge
from ...scoring.column_blocks import compact
from ...scoring.sentences import sentence_scores

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ...arrays import Floats
    from ...metrics.base.columns import Columns
    from ...metrics.base.metric import Metric


class Counted(NamedTuple):
    """A count of sentences: [lines] + [references, if per reference] + [orders, if any]."""

    name: str
    values: NDArray[np.int64] | NDArray[np.float64]
    per_reference: bool = False
    orders: bool = False


class LineScores(NamedTuple):
    """Scores of sentences: as the metric combines references, float64 [lines]; with each, and the best of them.

    apart: float64 [lines, references], NaN where a reference is missing; best: int64 [lines]; both None where the
    metric does not look at one reference at a time.
    """

    whole: Floats
    apart: Floats | None
    best: NDArray[np.int64] | None


def line_scores(metric: Metric, columns: Columns) -> LineScores:
    """Return the scores of each sentence."""
    whole = sentence_scores(metric, columns)
    if not by_reference(metric):
        return LineScores(whole, None, None)
    apart = [field.name for field in metric.needs.schema(1).fields if field.per_reference]
    moved = compact(columns, apart)
    scores, best = metric.sentence_scores(moved), metric.choose(moved)
    missing = columns["ref_len"] < 0
    order = np.argsort(missing, axis=1, kind="stable")  # as compact() has moved them
    back = np.full(scores.shape, np.nan)
    np.put_along_axis(back, order, scores, axis=1)
    back[missing] = np.nan
    return LineScores(whole, back, np.take_along_axis(order, best[:, None], axis=1)[:, 0])


def by_reference(metric: Metric) -> bool:
    """Whether a metric scores a sentence with one reference at a time."""
    return isinstance(metric, Green | GoogleGleu | Chrf) or (isinstance(metric, Gleu) and metric.references != "merged")


def line_counts(metric: Metric, columns: Columns) -> list[Counted]:
    """Return the counts of each sentence that are shown; of a missing reference they mean nothing."""
    for kind, function in COUNTS.items():
        if isinstance(metric, kind):
            return function(metric, columns)
    return []


def row_names(metric: Metric) -> list[str]:
    """Return what the rows of counts with orders are called."""
    if isinstance(metric, Rouge):
        return [f"ROUGE-{kind.name}" for kind in metric.kinds]
    if isinstance(metric, Chrf):
        characters, words = range(1, metric.char_order + 1), range(1, metric.word_order + 1)
        return [*map(str, characters), *(f"words {n}" for n in words)]
    return [str(n) for n in range(1, getattr(metric, "order", 0) + 1)]


def _gleu(metric: Any, columns: Columns) -> list[Counted]:
    """Return match, penalty, numer and total; of merged references the counts of all together.

    added, new: matches of n-grams that the references have more often than the source, or that it has not at all.
    """
    code = CODES[metric.variant]
    if metric.references != "merged":
        terms = metric.make_terms(columns)
        numer = Counted("numer", terms["numer"], per_reference=True, orders=True)
        penalty = Counted("penalty", columns[code.kinds[1]], per_reference=True, orders=True)
        length, ref_len, match, total = _overlap(columns, "match")
        return [length, ref_len, match, penalty, numer, total]
    terms = metric.make_terms(compact(columns, ["ref_len"]))
    lengths = [_length(columns), Counted("ref_len", terms["ref_len"])]
    kinds = {"match": "union_match", "penalty": "removed_match" if metric.variant == "2015" else "gone_match"}
    kinds |= {"2015": {"added": "added_match"}, "2016-03": {"new": "new_match"}}.get(metric.variant, {})
    return [*lengths, *(_orders(name, columns[kind]) for name, kind in kinds.items()), _orders("total", terms["total"])]


def _overlap(columns: Columns, match: str) -> list[Counted]:
    """Return lengths, matches and totals of columns that are apart for each reference."""
    ref_len = Counted("ref_len", columns["ref_len"], per_reference=True)
    found = Counted("match", columns[match], per_reference=True, orders=True)
    return [_length(columns), ref_len, found, _orders("total", columns["total"])]


def _length(columns: Columns) -> Counted:
    return Counted("hyp_len", columns["hyp_len"])


def _orders(name: str, values: NDArray[np.int64]) -> Counted:
    return Counted(name, values, orders=True)


def _rouge(metric: Any, columns: Columns) -> list[Counted]:
    """Return matches and totals of each type, where the metric has one of each for a sentence."""
    if any(field.per_reference for field in metric.terms):
        return []
    apart = [field.name for field in metric.needs.schema(1).fields if field.per_reference]
    terms = metric.make_terms(compact(columns, apart))
    ends = {"match": "match", "ref_total": "reference", "hyp_total": "output"}
    stacked = {n: np.stack([terms[f"{kind.name}_{end}"] for kind in metric.kinds], axis=-1) for n, end in ends.items()}
    return [Counted(name, values, orders=True) for name, values in stacked.items()]


def _green(metric: Any, columns: Columns) -> list[Counted]:
    terms = metric.make_terms(columns)
    return [Counted(name, terms[name], per_reference=True, orders=True) for name in ("tp", "fp", "fn")]


def _google_gleu(metric: Any, columns: Columns) -> list[Counted]:
    ref_total = np.maximum(columns["ref_len"][..., None] - np.arange(metric.order), 0)
    return [*_overlap(columns, "match"), Counted("ref_total", ref_total, per_reference=True, orders=True)]


def _bleu(metric: Any, columns: Columns) -> list[Counted]:
    """Return matches with all references, and the reference length that counts."""
    closest = metric.make_terms(compact(columns, ["ref_len"]))["ref_len"]
    total, match = (columns[name][:, : metric.order] for name in ("total", "union_match"))
    return [_length(columns), Counted("ref_len", closest), _orders("match", match), _orders("total", total)]


def _chrf(_: Any, columns: Columns) -> list[Counted]:
    ref_total = Counted("ref_total", columns["ref_total"], per_reference=True, orders=True)
    return [*_overlap(columns, "match"), ref_total]


def _external(metric: Any, columns: Columns) -> list[Counted]:
    names = [field.name for field in metric.needs.schema(0).fields]
    return [Counted(name, columns[name]) for name in names if name != "value"]


COUNTS: dict[type[Metric], Callable[[Any, Columns], list[Counted]]] = {
    Gleu: _gleu,
    Green: _green,
    GoogleGleu: _google_gleu,
    Bleu: _bleu,
    Chrf: _chrf,
    Rouge: _rouge,
    External: _external,
}
"""What is shown of the counts of each kind of metric."""
