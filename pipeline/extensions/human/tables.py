"""Tables of judgements, and of how far metrics agree with people. Formatting only."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.report.tables import Table, round_half_up, shown_level, shown_range
from pipeline.report.tables.comparisons import shown_p
from pipeline.report.tables.ranked import called

from .statistics import SPELLINGS

if TYPE_CHECKING:
    from .judgment_summary import HeadToHead, JudgmentSummary, Kappa

USUAL = ("average=none", "epsilon=0", "permutations=1000", "seed=4")
"""Options of statistics that tables leave out, because they are defaults. Signatures have them."""


def counts_table(summary: "JudgmentSummary") -> Table:
    """Return a row for each judge: numbers of items, pairs of outputs, pairs of systems, and ties
    among the pairs.
    """
    from .judgment_summary import counts  # here, because few tables are of judgements

    every = [*summary.counts.items(), ("all", counts(summary.judgments))]
    rows = [[judge, *(f"{count:,}" for count in own.values())] for judge, own in every]
    return ["judge", "items", "pairs", "ties", "expanded", "ties"], rows


def judged_table(scores: dict[str, Any], title: str, digits: int) -> Table:
    """Return a row for each system, the best first, with its human score, rank range and cluster."""
    rows = []
    for rank, name in enumerate(scores["order"], 1):
        shown = coefficient(scores["scores"][name], digits)
        rows.append(
            [
                str(rank),
                name,
                shown,
                shown_range(*scores["ranks"][name]),
                str(scores["clusters"][name]),
            ]
        )
    return ["rank", "system", title, "ranks", "cluster"], rows


def kappa_table(kappas: "dict[tuple[int, int], Kappa]", names: Sequence[str], least: int) -> Table:
    """Return the kappa of each two judges, or * where they share fewer than `least` comparisons."""
    rows = []
    for row, name in enumerate(names):
        own = (kappas[row, column] for column in range(row, len(names)))
        cells = (
            "*" if kappa.comparisons < least else round_half_up(kappa.kappa, 2) for kappa in own
        )
        rows.append([name, *[""] * row, *cells])
    return ["judge", *names], rows


def head_to_head_table(pairs: "HeadToHead", names: Sequence[str], order: Sequence[int]) -> Table:
    """Return how often the column's system is better than the row's, with a mark for the p-value.

    `order` holds the numbers of the systems in the order of the rows and columns.
    """
    from pipeline.scoring.resampling.paired_tests import mark

    rows = [[names[row]] for row in order]
    for cells, row in zip(rows, order, strict=True):
        for column in order:
            share, p = float(pairs.share[column, row]), float(pairs.p[column, row])
            cells.append(
                ""
                if row == column
                else "-"
                if math.isnan(share)
                else round_half_up(share, 2) + mark(p)
            )
    return ["", *(names[number] for number in order)], rows


def correlation_table(human: dict[str, Any]) -> Table:
    """Return a row for each metric and human score: coefficients with their intervals."""
    items, named = human["correlations"], _named(human)
    names = list(items[0]["coefficients"]) if items else []
    rows = []
    for item in items:
        cells = [cell for name in names for cell in _with_interval(item["coefficients"][name])]
        rows.append([named[item["metric"]], item["human"], str(len(item["systems"])), *cells])
    level = shown_level(human["settings"]["level"])
    return [
        "metric",
        "human score",
        "n",
        *(title for name in names for title in (name, level)),
    ], rows


def sentence_table(human: dict[str, Any]) -> Table:
    """Return a row for each metric: accuracy and Kendall's tau on pairs of outputs."""
    named, level, rows = _named(human), shown_level(human["settings"]["level"]), []
    for item in human["sentences"]:
        cells = [
            cell
            for name in ("accuracy", "kendall")
            for cell in _with_interval(item["coefficients"][name])
        ]
        rows.append(
            [named[item["metric"]], f"{item['pairs']:,}", f"{item['metric_ties']:,}", *cells]
        )
    return ["metric", "pairs", "metric ties", "accuracy", level, "kendall", level], rows


def _named(human: dict[str, Any]) -> dict[str, str]:
    return called(item["metric"] for item in human["correlations"])


def _with_interval(stored: dict[str, Any]) -> list[str]:
    bounds = [coefficient(bound) for bound in stored["interval"]]
    return [coefficient(stored["value"]), "-" if bounds[0] == "-" else " to ".join(bounds)]


def coefficient(value: float | None, digits: int = 3) -> str:
    """Return a coefficient with three decimals, "-" for none."""
    return "-" if value is None else round_half_up(value, digits)


def test_table(human: dict[str, Any]) -> Table:
    """Return a row for each of Williams' tests of whether a metric correlates higher with people
    than another.
    """
    named, rows = _named(human), []
    for item in human["tests"]:
        cells = [
            coefficient(item["between"]),
            coefficient(item["t"]),
            "-" if item["p"] is None else shown_p(item["p"]),
        ]
        rows.append([named[item["metric"]], named[item["other"]], item["human"], *cells])
    return ["metric", "other", "human score", "r of both", "t", "p"], rows


def window_table(human: dict[str, Any]) -> Table:
    """Return the correlations among neighbours in the human ranking."""
    named, rows = _named(human), []
    for item in human["windows"]:
        cells = [coefficient(item["pearson"]), coefficient(item["spearman"])]
        rows.append(
            [named[item["metric"]], item["human"], f"{item['first']}-{item['last']}", *cells]
        )
    return ["metric", "human score", "places", "pearson", "spearman"], rows


def statistic_table(human: dict[str, Any]) -> Table:
    """Return a row for each statistic and metric, the best first: the value, what was compared, the
    epsilon found.
    """
    items = human.get("statistics", ())
    named, short = called(item["metric"] for item in items), _short(items)
    sought = ["epsilon"] if any(item["epsilon"] is not None for item in items) else []

    def place(item: dict[str, Any]) -> tuple[int, str, float]:
        value = item["value"]
        fall = math.inf if value is None or math.isnan(value) else -value
        return list(short).index(item["statistic"]), item["human"], fall

    rows = []
    for item in sorted(items, key=place):
        epsilon = ["" if item[key] is None else f"{item[key]:.3g}" for key in sought]
        cells = [
            short[item["statistic"]],
            named[item["metric"]],
            item["human"],
            coefficient(item["value"]),
            *epsilon,
        ]
        rows.append([*cells, *(f"{item[key]:,}" for key in ("scores", "groups", "undefined"))])
    return [
        "statistic",
        "metric",
        "human score",
        "value",
        *sought,
        "scores",
        "groups",
        "undefined",
    ], rows


def _short(items: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Return statistics as they may be asked for, by their signatures: acc_eq, or
    name[option=value,...].
    """
    known = {meaning: name for name, meaning in SPELLINGS.items() if "[" in meaning}
    short = {}
    for item in items:
        name, *settings = item["statistic"].split("|")
        kept = [
            option
            for option in (text.replace(":", "=", 1) for text in settings)
            if option not in USUAL
        ]
        text = f"{name}[{','.join(kept)}]" if kept else name
        short[item["statistic"]] = known.get(text, text)
    return short


def permutation_table(human: dict[str, Any]) -> Table:
    """Return a row for each permutation test of whether a statistic of a metric is higher than that
    of another.

    A p-value is a share of the permutations. Where none reached the difference, it is below one of
    them."""
    items = human.get("permutations", ())
    named, short = (
        called(text for item in items for text in (item["metric"], item["other"])),
        _short(items),
    )
    rows = []
    for item in items:
        names = [
            short[item["statistic"]],
            named[item["metric"]],
            named[item["other"]],
            item["human"],
        ]
        p, resamples = item["p"], item["resamples"]
        shown = "-" if p is None else shown_p(p) if p else f"<{1 / resamples:.2g}"
        rows.append([*names, coefficient(item["delta"]), shown, f"{resamples:,}"])
    return ["statistic", "metric", "other", "human score", "d", "p", "permutations"], rows


class Agreement(NamedTuple):
    """A table of how far metrics agree with people."""

    name: str
    title: str
    table: Callable[[dict[str, Any]], Table]
    """Makes it of the section `human` of the results."""
    texts: int
    """How many of its first columns are names, which are aligned to the left."""


AGREEMENT_TABLES = (
    Agreement("people", "systems", correlation_table, 2),
    Agreement("people-windows", "windows of neighbours in the human ranking", window_table, 2),
    Agreement("people-sentences", "sentences: pairs that people do not tie", sentence_table, 1),
    Agreement("people-tests", "Williams' test: metric correlates higher than other", test_table, 3),
    Agreement("people-statistics", "statistics", statistic_table, 3),
    Agreement(
        "people-permutations",
        "permutation test: metric agrees better than other",
        permutation_table,
        4,
    ),
)
"""In the order in which they are shown."""
