"""The data of a page's sentence explorer: each text once, with scores and counts of each different
output of a line.

Of a large data set only some lines are shown. They are chosen by their counts; no other texts are
read. The scripts `assets/data.js` and `assets/compare.js` read the data."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Floats, Ints
from pipeline.data.corpus import Corpus
from pipeline.data.texts import lines_of
from pipeline.errors import InputError
from pipeline.extensions.neural.attribution import EXACT, ORDERS, attributed, is_attributed
from pipeline.metrics.base import capabilities
from pipeline.metrics.base.metric import Metric
from pipeline.metrics.base.statistics_spec import Columns
from pipeline.metrics.names import factor
from pipeline.report.context import ReportContext
from pipeline.report.sentence import references_of
from pipeline.report.tables import round_half_up
from pipeline.report.tables.comparisons import is_significant, level_name, p_cell, settings_line
from pipeline.report.tables.ranked import called, labels
from pipeline.scoring.metric_results import MetricResult
from pipeline.scoring.results import Results, without_nan
from pipeline.scoring.sentences import sentence_scores
from pipeline.scoring.terms import blocks_of, compact, of_annotators, present_blocks

from .texts import MAX_TEXT, Texts, edit_data, number_of

RULE = (
    "half of them where the sentence scores of the systems (by the first metric) lie furthest apart, a quarter with "
    "the lowest mean of scores, an eighth with the highest, the rest evenly spread"
)
"""How telling() chooses, in words for the readers of a page."""


def telling(measured: MetricResult, size: int) -> Ints:
    """Return the numbers of `size` lines that tell most (see RULE), from 0 and in rising order:
    int64 [size].

    If there are fewer lines, all are returned. The columns are read once, block after block.
    """
    if size >= measured.lines or not measured.columns:
        return np.arange(min(size, measured.lines))
    spreads, means = list[Floats](), list[Floats]()
    for blocks in zip(
        *(present_blocks(measured.metric, columns) for columns in measured.columns), strict=True
    ):
        found = np.stack([sentence_scores(measured.metric, columns) for columns in blocks])
        scores = np.nan_to_num(found)
        spreads.append(scores.max(axis=0) - scores.min(axis=0))
        goodness = measured.metric.goodness(scores.mean(axis=0))
        means.append(
            np.where(np.isnan(found).all(axis=0), np.nan, goodness)
        )  # neither worst nor best: sorted last
    spread, mean = np.concatenate(spreads), np.concatenate(means)
    apart, worst, best = (np.argsort(keys, kind="stable") for keys in (-spread, mean, -mean))
    evenly = np.linspace(0, measured.lines - 1, size).round().astype(np.int64)
    taken: dict[int, None] = {}
    quotas = [
        (apart[spread[apart] > 0], size // 2),
        (worst, size // 4),
        (best, size // 8),
        (evenly, size),
    ]
    for lines, quota in (*quotas, (worst, size)):  # no line is taken twice
        new = [line for line in lines.tolist() if line not in taken][
            : min(quota, size - len(taken))
        ]
        taken |= dict.fromkeys(new)
    return np.array(sorted(taken), np.int64)


def table(
    metric: Metric, columns: Columns, digits: int, references: Ints | None = None
) -> tuple[Floats, list[list[Any]]]:
    """Return the numbers of lines, float64 [lines, width], and the fields of the counts.

    The first numbers are scores, as scaled() returns them: that of the metric and, if it looks at
    one reference at a time, one with each reference and the number of the best reference. The
    counts follow. What is missing is NaN. A field has a name, the first column, whether it is there
    for each reference, and the number of orders. `references` is as for of_annotators()."""
    unit = factor(metric.name) / 100
    parts = [scaled(unit * sentence_scores(metric, columns), digits)[:, None]]
    columns = of_annotators(metric, columns, references)
    metric = metric if references is None else capabilities.by_annotator(metric)
    moved = compact(columns, metric.spec.of_references)
    if metric.by_reference:
        scores, best = metric.sentence_scores(moved), metric.choose(moved)
        missing = columns["ref_len"] < 0 if "ref_len" in columns else np.zeros(scores.shape, bool)
        order = np.argsort(
            missing, axis=1, kind="stable"
        )  # the order into which compact() moves them
        apart = np.full(scores.shape, np.nan)
        np.put_along_axis(apart, order, scores, axis=1)
        apart[missing] = np.nan
        parts += [
            scaled(unit * apart, digits),
            np.take_along_axis(order, best[:, None], axis=1).astype(np.float64),
        ]
    fields: list[list[Any]] = []
    for count in metric.shown_counts(columns if metric.by_reference else moved):
        values = count.values.reshape(len(count.values), -1).astype(np.float64)
        orders = count.values.shape[-1] if count.orders else 0
        fields.append(
            [count.name, sum(part.shape[1] for part in parts), count.per_reference, orders]
        )
        parts.append(values)
    return np.concatenate(parts, axis=1), fields


def scaled(values: Floats, digits: int) -> Floats:
    """Return fractions as whole numbers of 10**-digits percent, rounded half up like percent(); NaN
    if not finite.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        exact = values * 10.0 ** (digits + 2)
        rounded = np.floor(exact + 0.5)
        near = np.abs(exact - np.floor(exact) - 0.5) < 1e-3 + 1e-15 * np.abs(exact)
    for index in zip(
        *np.nonzero(near), strict=True
    ):  # the decimal form decides which way a half goes
        rounded[index] = float(round_half_up(100 * float(values[index]), digits).replace(".", ""))
    return np.where(np.isfinite(rounded), rounded, np.nan)


BUDGET = 9_700_000
"""About how many bytes the sentences of a page may take, unless more sentences are asked for."""
LARGEST = 4 * BUDGET
"""About how many they may take then. A browser would not show more, and memory is ten times as
much."""
EDITS = 10
"""About how many numbers take as much room as what an annotator says of the edits of an output."""
NUMBER = 1.2
"""About how many bytes a number takes. Equal outputs of a line share their numbers."""


def explorer(context: ReportContext, lines: int | None = None) -> dict[str, Any] | None:
    """Return all that the explorer shows, None where there are no texts or no columns.

    `lines` says how many lines of each data set it shows, None as many as take about BUDGET bytes.
    """
    metric_results = [measured.by_line for measured in context.measured]
    scored = {
        name: [m for m in metric_results if m.scores[0].dataset == name] for name in context.corpora
    }
    scored = {
        name: measured for name, measured in scored.items() if any(m.columns for m in measured)
    }
    if not scored or lines == 0:
        return None
    sizes = _affordable(context, scored, BUDGET)
    if lines is not None:
        most = _affordable(context, scored, LARGEST)
        if too_many := [name for name in scored if most[name] < min(lines, scored[name][0].lines)]:
            told = f"at most {most[too_many[0]]:,} of {too_many[0]} fit into a page of {LARGEST:,} bytes"
            raise InputError(f"--lines {lines}: {told}")
        sizes = dict.fromkeys(scored, lines)
    texts = Texts()
    numbers: dict[capabilities.Tokens, int] = {}
    every, rules = [score.metric for score in context.results.scores], set[str]()
    named, printed, datasets = labels(every), called(every), []
    for name, measured in scored.items():
        dataset = _dataset(context.corpora[name], measured, sizes[name], context, texts)
        datasets.append(dataset)
        for entry, shown in zip(
            dataset["metrics"], (m for m in measured if m.columns), strict=True
        ):
            ngrams = capabilities.shown_ngrams(shown.metric)
            rule, overlaps = ngrams.ngram_rule(), ngrams.overlaps()
            entry |= {
                "rule": None,
                "label": named[entry["signature"]],
                "called": printed[entry["signature"]],
            }
            if rule:
                about = {
                    "name": rule.name,
                    "first": rule.first,
                    "last": rule.last,
                    "merged": rule.merged,
                }
                entry["rule"] = {**about, "tokens": number_of(rule.tokenization, numbers)}
                rules.add(rule.name)
            if overlaps:
                read = [(one, number_of(one.tokenization, numbers)) for one in overlaps]
                entry["overlaps"] = [
                    {"row": o.row, "kind": o.kind, "n": o.n, "tokens": tokens} for o, tokens in read
                ]
            if any(one.kind != "sequence" for one in overlaps):
                rules.add("match")
    return {
        "texts": texts.shown,
        "cut": texts.cut,
        "alike": texts.alike,
        "maxText": MAX_TEXT,
        "tokens": [texts.tokens(tokenization) for tokenization in numbers],
        "digits": context.digits,
        "datasets": datasets,
        "rules": {
            name: {"roles": capabilities.ROLES[name], "counts": capabilities.COUNTS[name]}
            for name in sorted(rules)
        },
        "rule": RULE,
    }


def _affordable(
    context: ReportContext, scored: Mapping[str, Sequence[MetricResult]], budget: int
) -> dict[str, int]:
    """Return how many lines of each data set a budget has room for. The share is the same for all
    data sets.
    """
    cost, lines = {}, {name: measured[0].lines for name, measured in scored.items()}
    for name, measured in scored.items():
        text = sum(text.size for text in context.corpora[name].texts()) / max(lines[name], 1)
        numbers = sum(
            len(m.columns) * (4 + m.metric.spec.schema(m.references).width) for m in measured
        )
        numbers += sum(
            EDITS * len(m.columns) * m.references
            for m in measured
            if capabilities.edit_judge(m.metric)
        )
        cost[name] = text * 1.1 + numbers * NUMBER
    share = budget / max(sum(lines[name] * cost[name] for name in scored), 1.0)
    return {
        name: lines[name] if share >= 1 else max(1, int(lines[name] * share)) for name in scored
    }


def _dataset(
    corpus: Corpus,
    measured: Sequence[MetricResult],
    size: int,
    context: ReportContext,
    texts: Texts,
) -> dict[str, Any]:
    """Return `size` lines of a data set, which systems have which outputs, and the metrics with
    their numbers.
    """
    with_columns, digits = [m for m in measured if m.columns], context.digits
    lines = telling(with_columns[0], size)
    explained = [
        line
        for line in telling(with_columns[0], min(context.effects, size)).tolist()
        if line in lines
    ]
    first = corpus.texts()[0]
    names = list(dict.fromkeys(name for m in with_columns for name in m.names[: len(m.columns)]))
    outputs = np.array(
        [[texts.number(text) for text in lines_of(corpus.systems[name], lines)] for name in names]
    )
    variants = variants_of(outputs.reshape(len(names), len(lines)))
    effects = [(m, _effects(corpus, m, explained, lines, digits)) for m in with_columns]
    return {
        "name": corpus.name,
        "total": corpus.lines,
        "numbers": [first.number(line + 1) for line in lines.tolist()],
        **({"ids": list(lines_of(corpus.ids, lines))} if corpus.ids else {}),
        "source": [texts.number(text) for text in lines_of(corpus.source, lines)]
        if corpus.source
        else None,
        "references": [
            [texts.number(text) for text in lines_of(file, lines)] for file in corpus.references
        ],
        "missing": corpus.missing,
        "systems": names,
        "outputs": variants.texts.tolist(),
        "starts": variants.starts.tolist(),
        "who": variants.who.ravel().tolist(),
        "metrics": [
            _metric(corpus, m, names, lines, variants, digits) | more for m, more in effects
        ],
    }


class Variants(NamedTuple):
    """The different outputs of each line, line after line, in the order of the systems that have
    them first.
    """

    texts: Ints
    """The number of the text of each output."""
    starts: Ints
    """Where the outputs of each line begin: int64 [lines + 1]."""
    who: Ints
    """Which of the outputs of a line each system has, from 0: int64 [lines, systems]."""


def variants_of(outputs: Ints) -> Variants:
    """Return the different outputs, given the numbers of the texts that systems gave: int64
    [systems, lines].
    """
    texts, starts, who = list[int](), [0], np.empty(outputs.T.shape, np.int64)
    for line, row in enumerate(outputs.T.tolist()):
        numbers = {text: number for number, text in enumerate(dict.fromkeys(row))}
        texts += numbers
        who[line] = [numbers[text] for text in row]
        starts.append(len(texts))
    return Variants(np.array(texts, np.int64), np.array(starts, np.int64), who)


def _metric(
    corpus: Corpus,
    measured: MetricResult,
    names: Sequence[str],
    lines: Ints,
    variants: Variants,
    digits: int,
) -> dict[str, Any]:
    """Return a metric with its numbers, and how they lie in `rows`.

    There is a row for each different output of a line. Numbers that are not of these texts, but of
    files or of the edits of outputs, have a row for each system instead."""
    metric, own = measured.metric, measured.names[: len(measured.columns)]
    shown = capabilities.by_annotator(metric)
    references = None if shown is metric else references_of(corpus, metric, lines)
    each = (picked(blocks_of(metric, columns), lines) for columns in measured.columns)
    by_system = [table(metric, columns, digits, references) for columns in each]
    fields, width = by_system[0][1], by_system[0][0].shape[1]
    tables = np.full((len(names), len(lines), width), np.nan)
    for name, (rows, _) in zip(own, by_system, strict=True):
        tables[names.index(name)] = rows
    read = corpus.read_by(metric.spec).systems
    by_system_alone = any(read[name] is not corpus.systems[name] for name in own)
    if by_system_alone:
        rows = tables.transpose(1, 0, 2).reshape(-1, width)
    else:
        rows = np.full((len(variants.texts), width), np.nan)
        for number in reversed(
            [number for number, name in enumerate(names) if name in own]
        ):  # the first one's stay
            rows[variants.starts[:-1] + variants.who[:, number]] = tables[number]
    unit = factor(metric.name) / 100
    return {
        "signature": measured.scores[0].metric,
        "output": metric.output,
        **({"lower": True} if metric.lower_is_better else {}),
        "scores": {
            score.system: [score.rank, *_numbers(scaled(np.array([unit * score.score]), digits))]
            for score in measured.scores
        },
        "apart": measured.references if shown.by_reference else 0,
        "bySystem": by_system_alone,
        "edits": edit_data(corpus, measured, names, lines, references),
        "rowNames": capabilities.row_names(metric),
        "fields": fields,
        "width": width,
        "rows": lettered(rows),
    }


def _effects(
    corpus: Corpus, measured: MetricResult, explained: list[int], lines: Ints, digits: int
) -> dict[str, Any]:
    """Return what each edit does to the scores of some lines, by the places of lines and by
    systems; or nothing.
    """
    metric, unit = measured.metric, factor(measured.metric.name) / 100
    if (
        not explained
        or not is_attributed(metric)
        or capabilities.lacks_code(metric)
        or corpus.source is None
    ):
        return {}
    names = [
        name
        for name in measured.names[: len(measured.columns)]
        if name not in corpus.references_as_systems
    ]
    by_place: dict[int, dict[str, Any]] = {}
    for (name, line), own in attributed(
        metric, corpus, [(name, line) for name in names for line in explained]
    ).items():
        rows = [
            [*one[:5], *_numbers(scaled(unit * np.array(one[5:]), digits))] for one in own.effects
        ]
        told = {"by": own.by, "edits": rows, "drawn": ORDERS if len(rows) > EXACT else 0}
        by_place.setdefault(int(np.searchsorted(lines, line)), {})[name] = told
    return {"effects": by_place}


def _numbers(rows: Floats) -> list[float | None]:
    """Return all numbers in one list, whole numbers as int and NaN as None."""
    flat = rows.ravel()
    return [
        None if value != value else int(value) if value.is_integer() else value  # noqa: PLR0124
        for value in flat.tolist()
    ]


FIRST, NOTHING, MOST = 93, "[", 0xD7FF - 93
"""The letter of 0, which needs no escape in JSON, that of NaN before it, and the highest number
that is a letter."""


def lettered(rows: Floats) -> str | list[float | None]:
    """Return numbers as a text with a letter for each, a fifth as long as a list; as a list where
    some have no letter.

    Whole numbers from 0 to MOST have one, and so has NaN.
    """
    codes = np.where(np.isnan(rows), ord(NOTHING) - FIRST, rows).ravel()
    if (codes != np.floor(codes)).any() or codes.max(initial=0) > MOST or (rows < 0).any():
        return _numbers(rows)
    return (codes + FIRST).astype("<u2").tobytes().decode("utf-16-le")


def picked(blocks: Iterable[Columns], lines: Ints) -> dict[str, NDArray[Any]]:
    """Return the columns of these lines, which are in rising order, from blocks of all lines."""
    parts: list[Columns] = []
    first = 0
    for columns in blocks:
        size = len(next(iter(columns.values())))
        low, high = np.searchsorted(lines, (first, first + size))
        parts.append({name: values[lines[low:high] - first] for name, values in columns.items()})
        first += size
    return {name: np.concatenate([columns[name] for columns in parts]) for name in parts[0]}


def pairs_data(
    results: Results, data: Mapping[str, Any] | None, digits: int
) -> dict[str, Any] | None:
    """Return scores and tests of the data sets and metrics in `data`, which is what explorer()
    returned.

    They are by the names of data sets and the signatures of metrics. A test is [system, other,
    difference, low and high end of its interval, p-value as text, 1 if it is significant, wins,
    losses, ties]. The difference and its interval are whole numbers, as scaled() returns them.
    Returns None where `data` is None."""
    if data is None:
        return None
    kept = {
        (own["name"], metric["signature"]) for own in data["datasets"] for metric in own["metrics"]
    }
    of: dict[str, dict[str, Any]] = {}
    for score in results.scores:
        if (score.dataset, score.metric) in kept:
            own = of.setdefault(score.dataset, {}).setdefault(
                score.metric, {"scores": {}, "tests": []}
            )
            own["scores"][score.system] = without_nan(factor(score.metric) / 100 * score.score)
    for test in results.tests:
        if (test.dataset, test.metric) in kept:
            ends = factor(test.metric) / 100 * np.array([test.difference, *test.interval])
            shown = _numbers(scaled(ends, digits))
            told = [
                p_cell(test, results),
                int(is_significant(test, results)),
                test.wins,
                test.losses,
                test.ties,
            ]
            of[test.dataset][test.metric]["tests"].append([test.system, test.other, *shown, *told])
    settings = settings_line(results.statistics) if results.statistics else ""
    return {"level": level_name(results), "settings": settings, "of": of}
