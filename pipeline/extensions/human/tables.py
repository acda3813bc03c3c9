"""Tables of judgements, and of how far metrics agree with people. Formatting only."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pipeline.report.tables import (
    Table,
    called,
    round_half_up,
    shown_level,
    shown_p,
    shown_range,
)

from .json_objects import JsonObject
from .statistics import SPELLINGS

USUAL = ("average=none", "epsilon=0", "permutations=1000", "seed=4")
"""Options of statistics that tables leave out, because they are defaults. Signatures have them."""


def counts_table(summary: JsonObject) -> Table:
    """Return a row for each judge, and one for all: numbers of items, pairs of outputs, pairs of
    systems, and ties among the pairs.
    """
    rows = []
    judges = {**summary["judges"], "all": summary["total"]}
    for judge, counts in judges.items():
        cells = [f"{count:,}" for count in counts.values()]
        rows.append([judge, *cells])
    return ["judge", "items", "pairs", "ties", "expanded", "ties"], rows


def judged_table(scores: JsonObject, title: str, digits: int) -> Table:
    """Return a row for each system, the best first, with its human score, rank range and cluster.

    `scores` is the result of judgment_summary.ranked(), and `title` the name of the score."""
    rows = []
    for rank, name in enumerate(scores["order"], 1):
        score = coefficient(scores["scores"][name], digits)
        ranks = shown_range(*scores["ranks"][name])
        cluster = str(scores["clusters"][name])
        rows.append([str(rank), name, score, ranks, cluster])
    return ["rank", "system", title, "ranks", "cluster"], rows


def kappa_table(kappas: dict[str, dict[str, float | None]]) -> Table:
    """Return the kappa of each two judges, or * for None: they share too few comparisons.

    `kappas` are those of each judge with himself and the later ones: the upper triangle."""
    rows = []
    for index, (name, kappas_of_judge) in enumerate(kappas.items()):
        cells = [name, *[""] * index]
        for kappa in kappas_of_judge.values():
            cells.append("*" if kappa is None else round_half_up(kappa, 2))
        rows.append(cells)
    return ["judge", *kappas], rows


def head_to_head_table(
    pairs: dict[str, JsonObject], order: Sequence[str]
) -> Table:
    """Return how often the column's system is better than the row's, with a mark for the p-value; ""
    on the diagonal, "-" if the two were never compared without a tie.

    `pairs` is the result of judgment_summary.head_to_head(), and `order` has the names of the
    systems in the order of the rows and columns."""
    rows = []
    for row in order:
        cells = [row]
        for column in order:
            share = pairs["share"][row].get(column)
            if share is None:
                cells.append("")
            elif math.isnan(share):
                cells.append("-")
            else:
                sign = pairs["sign"][row][column]
                cells.append(round_half_up(share, 2) + sign)
        rows.append(cells)
    return ["", *order], rows


def coefficient(value: float | None, digits: int = 3) -> str:
    """Return a coefficient with three decimals, "-" for none."""
    return "-" if value is None else round_half_up(value, digits)


TITLES = {
    "human": "human score",
    "systems": "n",
    "metric_ties": "metric ties",
    "between": "r of both",
    "delta": "d",
    "resamples": "permutations",
}
"""The titles of columns that are not named after the key of their values."""


@dataclass(frozen=True, kw_only=True)
class AgreementTable:
    """A table of how far metrics agree with people."""

    name: str
    title: str
    section: str
    """The list of the section `human` of the results that has an item for each row."""
    names: Sequence[str]
    """The keys of an item whose columns are aligned to the left."""
    values: Sequence[str]
    """The keys of the other columns."""

    def table(self, human: JsonObject) -> Table:
        """Return the titles of the columns, and a row for each item of the results' section `human`.

        Both are empty if it has no items. The column `epsilon` is left out if no item has one.
        Statistics are sorted; other items keep their order."""
        items = human.get(self.section, ())
        if not items:
            return [], []
        # A metric has the same label in all tables, so all metrics are named.
        signatures = []
        for item in [*human.get("correlations", ()), *items]:
            signatures += [
                item[key] for key in ("metric", "other") if key in item
            ]
        labels = called(signatures)
        keys = [*self.names, *self.values]
        if all(item.get("epsilon") is None for item in items):
            keys = [key for key in keys if key != "epsilon"]
        header: list[str] = []
        for key in keys:
            if key == "coefficients":
                level = shown_level(human["settings"]["level"])
                for name in items[0][key]:
                    header += [name, level]
            else:
                header.append(TITLES.get(key, key))
        if self.section == "statistics":
            items = sorted(items, key=_order_of_statistics(items))
        rows = []
        for item in items:
            row: list[str] = []
            for key in keys:
                row += _cells(item, key, labels)
            rows.append(row)
        return header, rows


def _cells(item: JsonObject, key: str, labels: Mapping[str, str]) -> list[str]:
    """Return the cells of an item for a key: one, or two for each coefficient, its value and its
    interval. `labels` are the short names of metrics by signature.
    """
    value = item.get(key)
    if key == "coefficients":
        cells = []
        for stored in item[key].values():
            low, high = map(coefficient, stored["interval"])
            interval = "-" if low == "-" else f"{low} to {high}"
            cells += [coefficient(stored["value"]), interval]
        return cells
    if key in ("metric", "other"):
        cell = labels[item[key]]
    elif key == "human":
        cell = item[key]
    elif key == "statistic":
        cell = _spelling(item[key])
    elif key == "places":
        cell = f"{item['first']}-{item['last']}"
    elif key == "systems":
        cell = str(len(item[key]))
    elif key == "epsilon":
        cell = "" if value is None else f"{value:.3g}"
    elif key == "p":
        cell = _p_value(item)
    elif isinstance(value, int):
        cell = f"{value:,}"
    else:
        cell = coefficient(value)
    return [cell]


def _p_value(item: JsonObject) -> str:
    """Return the p-value of a test as text. If no permutation reached the difference, it is below
    the share of one permutation.
    """
    p = item["p"]
    if p is None:
        return "-"
    if p == 0 and "resamples" in item:
        return f"<{1 / item['resamples']:.2g}"
    return shown_p(p)


def _order_of_statistics(
    items: Iterable[JsonObject],
) -> Callable[[JsonObject], tuple[int, str, float]]:
    """Return a sort key for items: by statistic in the order of the config, then by human score,
    then by value, the highest first and missing ones last.
    """
    order = list(dict.fromkeys(item["statistic"] for item in items))

    def sort_key(item: JsonObject) -> tuple[int, str, float]:
        value = item["value"]
        is_missing = value is None or math.isnan(value)
        descending = math.inf if is_missing else -value
        return order.index(item["statistic"]), item["human"], descending

    return sort_key


def _spelling(signature: str) -> str:
    """Return a statistic as it may be requested, from its signature: name[option=value,...] without
    default options, or a shorter name such as acc_eq.
    """
    name, *settings = signature.split("|")
    options = [text.replace(":", "=", 1) for text in settings]
    options = [option for option in options if option not in USUAL]
    text = f"{name}[{','.join(options)}]" if options else name
    # A spelling such as spa for a plain name would hide that name.
    for spelling, meaning in SPELLINGS.items():
        if meaning == text and options:
            return spelling
    return text


AGREEMENT_TABLES = (
    AgreementTable(
        name="people",
        title="systems",
        section="correlations",
        names=("metric", "human"),
        values=("systems", "coefficients"),
    ),
    AgreementTable(
        name="people-windows",
        title="windows of neighbours in the human ranking",
        section="windows",
        names=("metric", "human"),
        values=("places", "pearson", "spearman"),
    ),
    AgreementTable(
        name="people-sentences",
        title="sentences: pairs that people do not tie",
        section="sentences",
        names=("metric",),
        values=("pairs", "metric_ties", "coefficients"),
    ),
    AgreementTable(
        name="people-tests",
        title="Williams' test: metric correlates higher than other",
        section="tests",
        names=("metric", "other", "human"),
        values=("between", "t", "p"),
    ),
    AgreementTable(
        name="people-statistics",
        title="statistics",
        section="statistics",
        names=("statistic", "metric", "human"),
        values=("value", "epsilon", "scores", "groups", "undefined"),
    ),
    AgreementTable(
        name="people-permutations",
        title="permutation test: metric agrees better than other",
        section="permutations",
        names=("statistic", "metric", "other", "human"),
        values=("delta", "p", "resamples"),
    ),
)
"""In the order in which they are shown."""
