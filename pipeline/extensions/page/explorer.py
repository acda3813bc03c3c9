"""The data of a page's sentence explorer: each text once, with scores and counts of each different
output of a line.

A page has only some lines of a large data set. They are chosen by their counts; no other texts are
read. The scripts `assets/data.js` and `assets/compare.js` read the data.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Floats, Ints
from pipeline.data import Corpus
from pipeline.errors import InputError
from pipeline.metrics import factor
from pipeline.metrics.base import Columns, Metric, Rule, Tokens
from pipeline.report import AnnotatedEdits, ReportContext
from pipeline.report.tables import (
    called,
    labels,
    p_cell,
    settings_line,
    shown_level,
)
from pipeline.scoring import (
    MetricColumns,
    MetricResult,
    Results,
    SentenceScores,
    without_nan,
)

from .numbers import lettered, plain_numbers, scaled
from .sections import section
from .texts import MAX_TEXT, Texts, edit_data, number_of

RULE = (
    "half of them where the sentence scores of the systems (by the first metric) lie furthest "
    "apart, a quarter with the lowest mean of scores, an eighth with the highest, the rest evenly "
    "spread"
)
"""How telling() chooses, in words for the readers of a page."""
BUDGET_BYTES = 9_700_000
"""About how many bytes the sentences of a page may take, unless more sentences are requested."""
MAX_BYTES = 4 * BUDGET_BYTES
"""About how many they may take then. A browser would not show more, and memory is ten times as
much."""
NUMBERS_OF_EDITS = 10
"""About how many numbers take as much room as the edits of an output by one annotator."""
NUMBER_BYTES = 1.2
"""About how many bytes a number takes. Equal outputs of a line share their numbers."""
TEXT_BYTES = 1.1
"""About how many bytes a byte of a text takes."""


# --- which lines


def telling(metric_result: MetricResult, size: int) -> Ints:
    """Return the most telling lines of a data set, chosen by RULE from the sentence scores of its
    systems: their numbers from 0, in rising order, int64 [size]. If there are fewer lines, all.

    The systems' statistics are read once, in blocks of lines."""
    if size >= metric_result.lines or not metric_result.columns:
        return np.arange(min(size, metric_result.lines))
    metric = metric_result.metric
    spreads: list[Floats] = []
    means: list[Floats] = []
    for scores_or_nan in metric_result.sentence_scores():
        is_missing = np.isnan(scores_or_nan).all(axis=0)
        scores = np.nan_to_num(scores_or_nan)
        highest = scores.max(axis=0)
        lowest = scores.min(axis=0)
        spreads.append(highest - lowest)
        goodness = metric.goodness(scores.mean(axis=0))
        # Lines without scores are neither worst nor best: NaN is sorted last.
        means.append(np.where(is_missing, np.nan, goodness))
    spread = np.concatenate(spreads)
    mean = np.concatenate(means)
    most_apart = np.argsort(-spread, kind="stable")
    most_apart = most_apart[spread[most_apart] > 0]
    worst = np.argsort(mean, kind="stable")
    best = np.argsort(-mean, kind="stable")
    evenly_spread = (
        np.linspace(0, metric_result.lines - 1, size).round().astype(np.int64)
    )
    chosen: set[int] = set()
    for candidates, quota in (
        (most_apart, size // 2),
        (worst, size // 4),
        (best, size // 8),
        (evenly_spread, size),
        (worst, size),  # fills up what is left
    ):
        new = [line for line in candidates.tolist() if line not in chosen]
        missing = size - len(chosen)
        chosen.update(new[: min(quota, missing)])
    return np.array(sorted(chosen), np.int64)


def _affordable(
    context: ReportContext,
    scored: Mapping[str, Sequence[MetricResult]],
    budget: int,
) -> dict[str, int]:
    """Return about how many lines of each data set fit into a budget of bytes: the same share of
    all data sets, at least one line of each. `scored` are the metrics' results by data set.
    """
    line_counts = {}
    total_bytes = 0.0
    for name, metric_results in scored.items():
        line_counts[name] = metric_results[0].lines
        text_bytes = sum(text.size for text in context.corpora[name].texts)
        # How many numbers a line has: scores and counts of each system.
        numbers = 0
        for metric_result in metric_results:
            systems = len(metric_result.columns)
            references = metric_result.references
            schema = metric_result.metric.spec.schema(references)
            numbers += systems * (4 + schema.width)
            if metric_result.metric.has_verdicts:
                numbers += NUMBERS_OF_EDITS * systems * references
        line_bytes = text_bytes / max(line_counts[name], 1) * TEXT_BYTES
        line_bytes += numbers * NUMBER_BYTES
        total_bytes += line_counts[name] * line_bytes
    share = budget / max(total_bytes, 1.0)
    if share < 1:
        for name, count in line_counts.items():
            line_counts[name] = max(1, int(count * share))
    return line_counts


# --- the data


def explorer(
    context: ReportContext, lines: int | None = None
) -> dict[str, Any] | None:
    """Return the data of the sentence explorer for its scripts: texts, tokens, and for each data set
    its lines with the outputs, scores and counts of the systems.

    None if the run has no texts or no statistics of sentences. `lines` is the number of lines of
    each data set, None for as many as take about BUDGET_BYTES. Raises InputError if so many lines
    are too large for a page."""
    scored: dict[str, list[MetricResult]] = {}
    metric_results = [
        metric_result.by_line for metric_result in context.measured
    ]
    for name in context.corpora:
        results = [
            result for result in metric_results if result.dataset == name
        ]
        if any(result.columns for result in results):
            scored[name] = results
    if not scored or lines == 0:
        return None
    if lines is None:
        sizes = _affordable(context, scored, BUDGET_BYTES)
    else:
        most = _affordable(context, scored, MAX_BYTES)
        for name, results in scored.items():
            if most[name] < min(lines, results[0].lines):
                limit = f"at most {most[name]:,} of {name} fit into a page of {MAX_BYTES:,} bytes"
                raise InputError(f"--lines {lines}: {limit}")
        sizes = dict.fromkeys(scored, lines)
    texts = Texts()
    # Metrics refer to tokenisations by number and to rules of n-grams by name.
    tokenizations: dict[Tokens, int] = {}
    rules: set[str] = set()
    signatures = [score.metric for score in context.results.scores]
    short_names = labels(signatures)
    paper_names = called(signatures)
    datasets = []
    for name, results in scored.items():
        with_columns = [result for result in results if result.columns]
        corpus = context.corpora[name]
        dataset = _dataset(corpus, with_columns, sizes[name], context, texts)
        datasets.append(dataset)
        for entry, metric_result in zip(
            dataset["metrics"], with_columns, strict=True
        ):
            signature = entry["signature"]
            entry["rule"] = None
            entry["label"] = short_names[signature]
            entry["called"] = paper_names[signature]
            entry.update(
                _ngram_data(metric_result.metric, tokenizations, rules)
            )
    named_rules = {}
    for name in sorted(rules):
        named_rules[name] = {
            "roles": Rule.ROLES[name],
            "counts": Rule.COUNTS[name],
        }
    return {
        "texts": texts.cut_texts,
        "cut": texts.full_lengths,
        "alike": texts.alike,
        "maxText": MAX_TEXT,
        "tokens": [
            texts.tokens(tokenization) for tokenization in tokenizations
        ],
        "digits": context.digits,
        "datasets": datasets,
        "rules": named_rules,
        "rule": RULE,
    }


def _ngram_data(
    metric: Metric, tokenizations: dict[Tokens, int], rules: set[str]
) -> dict[str, Any]:
    """Return how the page marks the n-grams that a metric counts: its rule, and the overlaps with
    references that it scores; nothing for a metric without n-grams.

    Its tokenisations are added to `tokenizations`, with numbers, and its rules to `rules`."""
    rule = metric.ngram_rule()
    overlaps = metric.overlaps()
    data: dict[str, Any] = {}
    if rule:
        data["rule"] = {
            "name": rule.name,
            "first": rule.first,
            "last": rule.last,
            "merged": rule.merged,
            "tokens": number_of(rule.tokenization, tokenizations),
        }
        rules.add(rule.name)
    if overlaps:
        data["overlaps"] = []
        for overlap in overlaps:
            entry = {
                "row": overlap.row,
                "kind": overlap.kind,
                "n": overlap.n,
                "tokens": number_of(overlap.tokenization, tokenizations),
            }
            data["overlaps"].append(entry)
    if any(overlap.kind != "sequence" for overlap in overlaps):
        rules.add("match")
    return data


def _dataset(
    corpus: Corpus,
    metric_results: Sequence[MetricResult],
    size: int,
    context: ReportContext,
    texts: Texts,
) -> dict[str, Any]:
    """Return the `size` most telling lines of a data set for the scripts: their source, references
    and outputs as numbers in `texts`, and the metrics with their numbers.

    For the `context.effects` most telling ones, metrics say what each edit does to the score."""
    digits = context.digits
    lines = telling(metric_results[0], size)
    most_telling = telling(metric_results[0], min(context.effects, size))
    explained = [line for line in most_telling.tolist() if line in lines]
    first = corpus.texts[0]
    names: list[str] = []
    for metric_result in metric_results:
        systems = metric_result.names[: len(metric_result.columns)]
        names += [name for name in systems if name not in names]

    def numbers_of(column: Any) -> list[int]:
        return [texts.number(text) for text in column.lines_at(lines)]

    outputs = np.array([numbers_of(corpus.systems[name]) for name in names])
    variants = variants_of(outputs.reshape(len(names), len(lines)))
    dataset: dict[str, Any] = {
        "name": corpus.name,
        "total": corpus.lines,
        "numbers": [first.number(line + 1) for line in lines.tolist()],
    }
    if corpus.ids:
        dataset["ids"] = list(corpus.ids.lines_at(lines))
    source_numbers = None
    if corpus.source:
        source_numbers = numbers_of(corpus.source)
    dataset |= {
        "source": source_numbers,
        "references": [numbers_of(file) for file in corpus.references],
        "missing": corpus.missing,
        "systems": names,
        "outputs": variants.texts.tolist(),
        "starts": variants.starts.tolist(),
        "who": variants.who.ravel().tolist(),
        "metrics": [],
    }
    for metric_result in metric_results:
        entry = _metric(corpus, metric_result, names, lines, variants, digits)
        entry |= _effects(corpus, metric_result, explained, lines, digits)
        dataset["metrics"].append(entry)
    return dataset


class Variants(NamedTuple):
    """The different outputs of each line, line after line, in the order of the systems that have
    them first.
    """

    texts: Ints
    """The number of the text of each output: int64 [different outputs of all lines]."""
    starts: Ints
    """Where the outputs of each line begin: int64 [lines + 1]."""
    who: Ints
    """Which of the outputs of a line each system has, from 0: int64 [lines, systems]."""


def variants_of(outputs: Ints) -> Variants:
    """Return the different outputs of each line, from the numbers of the systems' texts: int64
    [systems, lines].
    """
    texts: list[int] = []
    starts = [0]
    who = np.empty(outputs.T.shape, np.int64)
    for line, line_outputs in enumerate(outputs.T.tolist()):
        indices: dict[int, int] = {}
        who[line] = [number_of(text, indices) for text in line_outputs]
        texts += indices
        starts.append(len(texts))
    return Variants(
        texts=np.array(texts, np.int64),
        starts=np.array(starts, np.int64),
        who=who,
    )


def _metric(
    corpus: Corpus,
    metric_result: MetricResult,
    names: Sequence[str],
    lines: Ints,
    variants: Variants,
    digits: int,
) -> dict[str, Any]:
    """Return a metric for the scripts, with its numbers (see table()) for some lines in `rows`, a
    flattened table [rows, width], and `fields`, what its columns are.

    There is a row for each different output of a line (see Variants). If the metric does not read
    these texts, but files or annotated edits of its own, `bySystem` is true and there is a row for
    each line and system. `names` are the systems, and `lines` numbers from 0, int64."""
    metric = metric_result.metric
    systems = metric_result.names[: len(metric_result.columns)]
    annotator_metric = metric.by_annotator()
    references = None
    if annotator_metric is not metric:
        references = AnnotatedEdits(metric, corpus).references(lines)
    table_of_system = {}
    for name, all_columns in zip(systems, metric_result.columns, strict=True):
        columns = picked(MetricColumns(metric).blocks(all_columns), lines)
        numbers, fields = table(metric, columns, digits, references)
        table_of_system[name] = numbers
    width = table_of_system[systems[0]].shape[1]
    read_systems = corpus.read_by(metric.spec).systems
    has_other_texts = any(
        read_systems[name] is not corpus.systems[name] for name in systems
    )
    if has_other_texts:
        tables = np.full((len(names), len(lines), width), np.nan)
        for name, numbers in table_of_system.items():
            tables[names.index(name)] = numbers
        rows = tables.transpose(1, 0, 2).reshape(-1, width)
    else:
        rows = np.full((len(variants.texts), width), np.nan)
        # Backwards, so that of systems with the same output the first one stays.
        for system, name in reversed(list(enumerate(names))):
            if name in table_of_system:
                output_rows = variants.starts[:-1] + variants.who[:, system]
                rows[output_rows] = table_of_system[name]
    # The scripts multiply by 100.
    unit = factor(metric.name) / 100
    scores = {}
    for score in metric_result.scores:
        value = scaled(np.array([unit * score.score]), digits)
        scores[score.system] = [score.rank, *plain_numbers(value)]
    entry: dict[str, Any] = {
        "signature": metric_result.scores[0].metric,
        "output": metric.output,
    }
    if metric.lower_is_better:
        entry["lower"] = True
    return entry | {
        "scores": scores,
        "apart": metric_result.references
        if annotator_metric.by_reference
        else 0,
        "bySystem": has_other_texts,
        "edits": edit_data(corpus, metric_result, names, lines, references),
        "rowNames": metric.row_names(),
        "fields": fields,
        "width": width,
        "rows": lettered(rows),
    }


def table(
    metric: Metric,
    columns: Columns,
    digits: int,
    references: Ints | None = None,
) -> tuple[Floats, list[list[Any]]]:
    """Return the numbers that the page shows for an output of each line, float64 [lines, width] with
    NaN for missing ones, and `fields`, what its counts are.

    `columns` are the statistics of the lines. The first numbers are scores, as scaled() returns
    them: that of the metric and, if it looks at one reference at a time, one with each reference
    and the index of the best reference. The counts follow. A field is [name, first column, whether
    it has columns for each reference, number of orders of n-grams or 0]. `references` is as for
    AnnotatedEdits.columns_by_annotator().
    """
    unit = factor(metric.name) / 100  # the scripts multiply by 100
    sentence_scores = SentenceScores(metric).scores(columns)
    metric_scores = scaled(unit * sentence_scores, digits)
    parts = [metric_scores[:, None]]
    columns = AnnotatedEdits.columns_by_annotator(metric, columns, references)
    if references is not None:
        metric = metric.by_annotator()
    # Metrics need the missing references of a line behind the others.
    compacted = MetricColumns(metric).compact(columns)
    counted = compacted
    if metric.by_reference:
        counted = columns
        compacted_scores = metric.sentence_scores(compacted)
        is_missing = np.zeros(compacted_scores.shape, bool)
        if "ref_len" in columns:
            is_missing = columns["ref_len"] < 0
        # Undo the move: `order` has the reference at each compacted index.
        order = np.argsort(is_missing, axis=1, kind="stable")
        by_reference = np.full(compacted_scores.shape, np.nan)
        np.put_along_axis(by_reference, order, compacted_scores, axis=1)
        by_reference[is_missing] = np.nan
        chosen = metric.choose(compacted)[:, None]
        best = np.take_along_axis(order, chosen, axis=1)
        parts.append(scaled(unit * by_reference, digits))
        parts.append(best.astype(np.float64))
    fields: list[list[Any]] = []
    first_column = sum(part.shape[1] for part in parts)
    for count in metric.shown_counts(counted):
        flat = count.values.reshape(len(count.values), -1).astype(np.float64)
        orders = count.values.shape[-1] if count.orders else 0
        fields.append([count.name, first_column, count.per_reference, orders])
        parts.append(flat)
        first_column += flat.shape[1]
    return np.concatenate(parts, axis=1), fields


def _effects(
    corpus: Corpus,
    metric_result: MetricResult,
    explained: list[int],
    lines: Ints,
    digits: int,
) -> dict[str, Any]:
    """Return {"effects": what each edit does to the score of an output}, by the index of the line in
    `lines` and by system; {} if no extension computes effects, or there are none.

    `explained` are the lines, numbers from 0, whose outputs have them."""
    if not explained:
        return {}
    by_output = section("effects", {}, corpus, metric_result, explained, digits)
    by_index: dict[int, dict[str, Any]] = {}
    for (system, line), effects in by_output.items():
        index = int(np.searchsorted(lines, line))
        by_index.setdefault(index, {})[system] = effects
    return {"effects": by_index} if by_index else {}


def picked(blocks: Iterable[Columns], lines: Ints) -> dict[str, NDArray[Any]]:
    """Return the statistics of some lines, by name of the column, from blocks of all lines.

    A block is {name: array [lines of the block, ...]}. `lines` are numbers from 0 in rising order."""
    parts: dict[str, list[NDArray[Any]]] = {}
    first_line = 0
    for columns in blocks:
        size = len(next(iter(columns.values())))
        # The lines of this block.
        start, stop = np.searchsorted(lines, (first_line, first_line + size))
        rows = lines[start:stop] - first_line
        for name, column in columns.items():
            parts.setdefault(name, []).append(column[rows])
        first_line += size
    return {name: np.concatenate(arrays) for name, arrays in parts.items()}


def pairs_data(
    results: Results, data: Mapping[str, Any] | None, digits: int
) -> dict[str, Any] | None:
    """Return what the page needs to compare two systems: `of` has the scores and tests of the data
    sets and metrics in `data`, which is what explorer() returned. None if it is None.

    They are by the names of data sets and the signatures of metrics. A test is [system, other,
    difference, low and high end of its interval, p-value as text, 1 if it is significant, wins,
    losses, ties]. The difference and its interval are whole numbers, as scaled() returns them."""
    if data is None:
        return None
    explored: set[tuple[str, str]] = set()
    for dataset in data["datasets"]:
        for metric in dataset["metrics"]:
            explored.add((dataset["name"], metric["signature"]))
    by_dataset: dict[str, dict[str, Any]] = {}
    for score in results.scores:
        if (score.dataset, score.metric) in explored:
            by_metric = by_dataset.setdefault(score.dataset, {})
            entry = by_metric.setdefault(
                score.metric, {"scores": {}, "tests": []}
            )
            unit = factor(score.metric) / 100  # the scripts multiply by 100
            entry["scores"][score.system] = without_nan(unit * score.score)
    for test in results.tests:
        if (test.dataset, test.metric) in explored:
            unit = factor(test.metric) / 100
            difference = unit * np.array([test.difference, *test.interval])
            row = [
                test.system,
                test.other,
                *plain_numbers(scaled(difference, digits)),
                p_cell(test, results),
                int(results.is_significant(test)),
                test.wins,
                test.losses,
                test.ties,
            ]
            by_dataset[test.dataset][test.metric]["tests"].append(row)
    return {
        "level": shown_level(results.level),
        "settings": settings_line(results),
        "of": by_dataset,
    }
