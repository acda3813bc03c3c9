"""Human judgements and the agreement of metrics with them as tables: formatting only."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...human.statistics import SPELLINGS
from .comparisons import shown_p
from .digits import percent, round_half_up, shown_level, shown_range
from .labels import labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...human.judgment_summary import HeadToHead, JudgeCorrelations, JudgmentSummary, Kappa
    from . import Table


def counts_table(summary: JudgmentSummary) -> Table:
    """Return a row for each judge: numbers of items, pairs of outputs, pairs of systems, and ties among the pairs."""
    from ...human.judgment_summary import counts  # here, because few tables are of judgements

    every = [*summary.counts.items(), ("all", counts(summary.judgments))]
    rows = [[judge, *(f"{count:,}" for count in own.values())] for judge, own in every]
    return ["judge", "items", "pairs", "ties", "expanded", "ties"], rows


def ranked_table(scores: dict[str, Any], title: str, digits: int) -> Table:
    """Return a row for each system, the best first, with its human score, range of ranks and cluster."""
    rows = []
    for rank, name in enumerate(scores["order"], 1):
        score = scores["scores"][name]
        shown = "-" if score is None else round_half_up(score, digits)
        ranks = shown_range(*scores["ranks"][name])
        rows.append([str(rank), name, shown, ranks, str(scores["clusters"][name])])
    return ["rank", "system", title, "ranks", "cluster"], rows


def kappa_table(kappas: dict[tuple[int, int], Kappa], names: Sequence[str], least: int) -> Table:
    """Return the kappa of each two judges, or * where they share fewer than `least` comparisons."""
    rows = []
    for row, name in enumerate(names):
        cells = [_kappa(kappas[row, column], least) if column >= row else "" for column in range(len(names))]
        rows.append([name, *cells])
    return ["judge", *names], rows


def _kappa(kappa: Kappa, least: int) -> str:
    return "*" if kappa.comparisons < least else round_half_up(kappa.kappa, 2)


def judge_table(judges: JudgeCorrelations, names: Sequence[str]) -> Table:
    """Return the correlations of judges: Spearman's above the diagonal, Pearson's below it.

    The last columns are the correlations of each judge with all the others.
    """
    rows = []
    for row, name in enumerate(names):
        both = [judges.spearman if column > row else judges.pearson for column in range(len(names))]
        cells = ["" if column == row else _rounded(both[column][row, column]) for column in range(len(names))]
        rows.append([name, *cells, _rounded(judges.others_spearman[row]), _rounded(judges.others_pearson[row])])
    blank = [""] * len(names)
    rows.append(["mean", *blank, _rounded(judges.mean_spearman), _rounded(judges.mean_pearson)])
    return ["judge", *names, "others: spearman", "pearson"], rows


def _rounded(value: float) -> str:
    return round_half_up(float(value), 2)


def head_to_head_table(pairs: HeadToHead, names: Sequence[str], order: Sequence[int]) -> Table:
    """Return how often the column's system is better than the row's, with a mark for the p-value.

    `order` holds the numbers of the systems in the order of the rows and columns.
    """
    rows = [[names[row], *("" if row == column else _share(pairs, column, row) for column in order)] for row in order]
    return ["", *(names[number] for number in order)], rows


def _share(pairs: HeadToHead, system: int, other: int) -> str:
    from ...scoring.resampling.paired_tests import mark

    share, p = float(pairs.share[system, other]), float(pairs.p[system, other])
    return "-" if math.isnan(share) else round_half_up(share, 2) + mark(p)


USUAL = ("average=none", "epsilon=0", "permutations=1000", "seed=4")
"""Options of statistics that tables leave out, because they are defaults. Signatures have them."""


def correlation_table(human: dict[str, Any]) -> Table:
    """Return a row for each metric and human score: coefficients with their intervals."""
    items = human["correlations"]
    named = labels(item["metric"] for item in items)
    level = shown_level(human["settings"]["level"])
    names = list(items[0]["coefficients"]) if items else []
    header = ["metric", "human score", "n", *(cell for name in names for cell in (name, level))]
    rows = []
    for item in items:
        cells = [cell for name in names for cell in _with_interval(item["coefficients"][name])]
        rows.append([named[item["metric"]], item["human"], str(len(item["systems"])), *cells])
    return header, rows


def sentence_table(human: dict[str, Any]) -> Table:
    """Return a row for each metric: accuracy and Kendall's tau on pairs of outputs."""
    named = labels(item["metric"] for item in human["correlations"])
    level = shown_level(human["settings"]["level"])
    rows = []
    for item in human["sentences"]:
        cells = [cell for name in ("accuracy", "kendall") for cell in _with_interval(item["coefficients"][name])]
        rows.append([named[item["metric"]], f"{item['pairs']:,}", f"{item['metric_ties']:,}", *cells])
    return ["metric", "pairs", "metric ties", "accuracy", level, "kendall", level], rows


def _with_interval(stored: dict[str, Any]) -> list[str]:
    bounds = [coefficient(bound) for bound in stored["interval"]]
    return [coefficient(stored["value"]), "-" if bounds[0] == "-" else " to ".join(bounds)]


def coefficient(value: float | None) -> str:
    """Return a coefficient with three decimals, "-" for none."""
    return "-" if value is None or math.isnan(value) else round_half_up(value, 3)


def test_table(human: dict[str, Any]) -> Table:
    """Return a row for each of Williams' tests of whether a metric correlates higher with people than another."""
    named = labels(item["metric"] for item in human["correlations"])
    rows = []
    for item in human["tests"]:
        p = "-" if item["p"] is None or math.isnan(item["p"]) else shown_p(item["p"])
        cells = [coefficient(item["between"]), coefficient(item["t"]), p]
        rows.append([named[item["metric"]], named[item["other"]], item["human"], *cells])
    return ["metric", "other", "human score", "r of both", "t", "p"], rows


def window_table(human: dict[str, Any]) -> Table:
    """Return the correlations among neighbours in the human ranking."""
    named = labels(item["metric"] for item in human["correlations"])
    rows = []
    for item in human["windows"]:
        cells = [coefficient(item["pearson"]), coefficient(item["spearman"])]
        rows.append([named[item["metric"]], item["human"], f"{item['first']}-{item['last']}", *cells])
    return ["metric", "human score", "places", "pearson", "spearman"], rows


def statistic_table(human: dict[str, Any]) -> Table:
    """Return a row for each statistic and metric: the value, what was compared, and the epsilon that was sought."""
    items = human.get("statistics", ())
    named, short = labels(item["metric"] for item in items), _short(items)
    sought = any(item["epsilon"] is not None for item in items)
    rows = []
    order = list(short)
    ranked = sorted(items, key=lambda item: (order.index(item["statistic"]), item["human"], _fall(item["value"])))
    for item in ranked:
        epsilon = ["" if item["epsilon"] is None else f"{item['epsilon']:.3g}"] if sought else []
        counts = [f"{item['groups']:,}", f"{item['undefined']:,}"]
        cells = [short[item["statistic"]], named[item["metric"]], item["human"], coefficient(item["value"])]
        rows.append([*cells, *epsilon, f"{item['scores']:,}", *counts])
    epsilon = ["epsilon"] if sought else []
    return ["statistic", "metric", "human score", "value", *epsilon, "scores", "groups", "undefined"], rows


def _fall(value: float | None) -> float:
    return math.inf if value is None or math.isnan(value) else -value


def _short(items: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Return statistics as they may be asked for, by their signatures: acc_eq, or name[option=value,...]."""
    known = {meaning: name for name, meaning in SPELLINGS.items() if "[" in meaning}
    short = {}
    for item in items:
        name, *settings = item["statistic"].split("|")
        options = [text.replace(":", "=", 1) for text in settings]
        kept = [text for text in options if text not in USUAL]
        text = f"{name}[{','.join(kept)}]" if kept else name
        short[item["statistic"]] = known.get(text, text)
    return short


def permutation_table(human: dict[str, Any]) -> Table:
    """Return a row for each permutation test of whether a statistic of a metric is higher than that of another."""
    items = human.get("permutations", ())
    named, short = labels(text for item in items for text in (item["metric"], item["other"])), _short(items)
    rows = []
    for item in items:
        names = [short[item["statistic"]], named[item["metric"]], named[item["other"]], item["human"]]
        rows.append(
            [*names, coefficient(item["delta"]), _share_of(item["p"], item["resamples"]), f"{item['resamples']:,}"]
        )
    return ["statistic", "metric", "other", "human score", "d", "p", "permutations"], rows


def _share_of(p: float | None, resamples: int) -> str:
    """Return a p-value that is a share of resamples. Where none reached the difference, it is below one of them."""
    if p is None or math.isnan(p):
        return "-"
    return shown_p(p) if p else f"<{1 / resamples:.2g}"


def rank_table(human: dict[str, Any]) -> Table:
    """Return a row for each metric and two ranks: how often the metric agrees on outputs of these ranks."""
    items = human.get("by_rank", ())
    named = labels(item["metric"] for item in items)
    rows = [
        [
            named[item["metric"]],
            f"{item['better']}-{item['worse']}",
            f"{item['pairs']:,}",
            coefficient(item["accuracy"]),
        ]
        for item in items
    ]
    return ["metric", "ranks", "pairs", "accuracy"], rows


def accuracy_line(share: float, folds: int) -> str:
    """Return the accuracy of Expected Wins as a line."""
    return f"accuracy on pairs that are no ties, {folds}-fold cross-validation: {percent(share, 2)}%"
