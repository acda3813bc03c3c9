"""Tables of judgements, and of how far metrics agree with people. Formatting only."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.report.tables import Table, round_half_up, shown_level, shown_range
from pipeline.report.tables.comparisons import shown_p
from pipeline.report.tables.metric_names import called

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

    rows = []
    for judge, numbers in {**summary.counts, "all": counts(summary.judgments)}.items():
        rows.append([judge, *(f"{number:,}" for number in numbers.values())])
    return ["judge", "items", "pairs", "ties", "expanded", "ties"], rows


def judged_table(scores: dict[str, Any], title: str, digits: int) -> Table:
    """Return a row for each system, the best first, with its human score, rank range and cluster."""
    rows = []
    for rank, name in enumerate(scores["order"], 1):
        score = coefficient(scores["scores"][name], digits)
        ranks = shown_range(*scores["ranks"][name])
        rows.append([str(rank), name, score, ranks, str(scores["clusters"][name])])
    return ["rank", "system", title, "ranks", "cluster"], rows


def kappa_table(
    kappas: "dict[tuple[int, int], Kappa]", names: Sequence[str], least: int
) -> Table:
    """Return the kappa of each two judges, or * where they share fewer than `least` comparisons."""
    rows = []
    for row, name in enumerate(names):
        cells = [name, *[""] * row]
        for column in range(row, len(names)):
            kappa = kappas[row, column]
            enough = kappa.comparisons >= least
            cells.append(round_half_up(kappa.kappa, 2) if enough else "*")
        rows.append(cells)
    return ["judge", *names], rows


def head_to_head_table(
    pairs: "HeadToHead", names: Sequence[str], order: Sequence[int]
) -> Table:
    """Return how often the column's system is better than the row's, with a mark for the p-value.

    `order` holds the numbers of the systems in the order of the rows and columns.
    """
    from pipeline.scoring.resampling.paired_tests import mark

    rows = []
    for row in order:
        cells = [names[row]]
        for column in order:
            share = float(pairs.share[column, row])
            if row == column:
                cells.append("")
            elif math.isnan(share):
                cells.append("-")
            else:
                cells.append(
                    round_half_up(share, 2) + mark(float(pairs.p[column, row]))
                )
        rows.append(cells)
    return ["", *(names[number] for number in order)], rows


def correlation_table(human: dict[str, Any]) -> Table:
    """Return a row for each metric and human score: coefficients with their intervals."""
    items = human["correlations"]
    labels = _labels(human)
    names = list(items[0]["coefficients"]) if items else []
    rows = []
    for item in items:
        row = [labels[item["metric"]], item["human"], str(len(item["systems"]))]
        for name in names:
            row += _with_interval(item["coefficients"][name])
        rows.append(row)
    level = shown_level(human["settings"]["level"])
    header = ["metric", "human score", "n"]
    for name in names:
        header += [name, level]
    return header, rows


def sentence_table(human: dict[str, Any]) -> Table:
    """Return a row for each metric: accuracy and Kendall's tau on pairs of outputs."""
    labels = _labels(human)
    level = shown_level(human["settings"]["level"])
    rows = []
    for item in human["sentences"]:
        row = [labels[item["metric"]], f"{item['pairs']:,}", f"{item['metric_ties']:,}"]
        for name in ("accuracy", "kendall"):
            row += _with_interval(item["coefficients"][name])
        rows.append(row)
    return ["metric", "pairs", "metric ties", "accuracy", level, "kendall", level], rows


def _labels(human: dict[str, Any]) -> dict[str, str]:
    """Return the labels of the metrics by their signatures."""
    return called(item["metric"] for item in human["correlations"])


def _with_interval(stored: dict[str, Any]) -> list[str]:
    bounds = [coefficient(bound) for bound in stored["interval"]]
    return [
        coefficient(stored["value"]),
        "-" if bounds[0] == "-" else " to ".join(bounds),
    ]


def coefficient(value: float | None, digits: int = 3) -> str:
    """Return a coefficient with three decimals, "-" for none."""
    return "-" if value is None else round_half_up(value, digits)


def test_table(human: dict[str, Any]) -> Table:
    """Return a row for each of Williams' tests of whether a metric correlates higher with people
    than another.
    """
    labels = _labels(human)
    rows = []
    for item in human["tests"]:
        p = "-" if item["p"] is None else shown_p(item["p"])
        names = [labels[item["metric"]], labels[item["other"]], item["human"]]
        rows.append([*names, coefficient(item["between"]), coefficient(item["t"]), p])
    return ["metric", "other", "human score", "r of both", "t", "p"], rows


def window_table(human: dict[str, Any]) -> Table:
    """Return the correlations among neighbours in the human ranking."""
    labels = _labels(human)
    rows = []
    for item in human["windows"]:
        names = [
            labels[item["metric"]],
            item["human"],
            f"{item['first']}-{item['last']}",
        ]
        rows.append(
            [*names, coefficient(item["pearson"]), coefficient(item["spearman"])]
        )
    return ["metric", "human score", "places", "pearson", "spearman"], rows


def statistic_table(human: dict[str, Any]) -> Table:
    """Return a row for each statistic and metric, the best first: the value, what was compared, the
    epsilon found.
    """
    items = human.get("statistics", ())
    labels = called(item["metric"] for item in items)
    short = _short(items)
    order = list(short)
    has_epsilon = any(item["epsilon"] is not None for item in items)

    def sort_key(item: dict[str, Any]) -> tuple[int, str, float]:
        value = item["value"]
        missing = value is None or math.isnan(value)
        return (
            order.index(item["statistic"]),
            item["human"],
            math.inf if missing else -value,
        )

    rows = []
    for item in sorted(items, key=sort_key):
        row = [short[item["statistic"]], labels[item["metric"]], item["human"]]
        row.append(coefficient(item["value"]))
        if has_epsilon:
            row.append("" if item["epsilon"] is None else f"{item['epsilon']:.3g}")
        row += [f"{item[key]:,}" for key in ("scores", "groups", "undefined")]
        rows.append(row)
    header = ["statistic", "metric", "human score", "value"]
    if has_epsilon:
        header.append("epsilon")
    return [*header, "scores", "groups", "undefined"], rows


def _short(items: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Return statistics as they may be requested, by their signatures: acc_eq, or
    name[option=value,...].
    """
    spellings = {meaning: name for name, meaning in SPELLINGS.items() if "[" in meaning}
    short = {}
    for item in items:
        name, *settings = item["statistic"].split("|")
        options = [text.replace(":", "=", 1) for text in settings]
        options = [option for option in options if option not in USUAL]
        text = f"{name}[{','.join(options)}]" if options else name
        short[item["statistic"]] = spellings.get(text, text)
    return short


def permutation_table(human: dict[str, Any]) -> Table:
    """Return a row for each permutation test of whether a statistic of a metric is higher than that
    of another.

    A p-value is a share of the permutations. If none reached the difference, it is below one of
    them."""
    items = human.get("permutations", ())
    signatures = []
    for item in items:
        signatures += [item["metric"], item["other"]]
    labels = called(signatures)
    short = _short(items)
    rows = []
    for item in items:
        resamples = item["resamples"]
        if item["p"] is None:
            p = "-"
        elif item["p"]:
            p = shown_p(item["p"])
        else:
            p = f"<{1 / resamples:.2g}"
        row = [short[item["statistic"]], labels[item["metric"]], labels[item["other"]]]
        rows.append(
            [*row, item["human"], coefficient(item["delta"]), p, f"{resamples:,}"]
        )
    return [
        "statistic",
        "metric",
        "other",
        "human score",
        "d",
        "p",
        "permutations",
    ], rows


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
    Agreement(
        "people-windows", "windows of neighbours in the human ranking", window_table, 2
    ),
    Agreement(
        "people-sentences", "sentences: pairs that people do not tie", sentence_table, 1
    ),
    Agreement(
        "people-tests",
        "Williams' test: metric correlates higher than other",
        test_table,
        3,
    ),
    Agreement("people-statistics", "statistics", statistic_table, 3),
    Agreement(
        "people-permutations",
        "permutation test: metric agrees better than other",
        permutation_table,
        4,
    ),
)
"""In the order in which they are shown."""
