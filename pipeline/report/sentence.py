"""One sentence of a run: its texts, its scores and counts by each metric, and its edits."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Ints
from ..data import AnyText, Corpus, TextFile
from ..errors import StoreError, known_names, printable
from ..metrics.base import Columns, Metric, StatisticsSpec, Verdict
from ..scoring.metric_results import MetricResult
from ..scoring.results import Score
from ..scoring.sentences import scores_of_system, sentence_scores
from ..scoring.terms import (
    HasBlocks,
    annotators_of,
    chosen_references,
    of_annotators,
    present_blocks,
)
from .context import ReportContext
from .tables import Table, percent, round_half_up
from .tables.metric_names import called
from .terminal.printing import console, has_colours, terminal_width

MAX_EMPTY_ORDER = 9
"""Rows of tables up to this order are shown even if all their counts are 0."""
NOTHING = "∅"
"""The sign for no token, in edits that insert or delete."""
SUMMARY = 2.5
"""A source of so many times the words of an output is not aligned with it: the output is a summary.
"""
MAX_CELLS = 4_000_000
"""Texts whose numbers of words have a higher product are not aligned."""
DELETED = "strike red"
"""The style on a terminal of words that only the source has."""
INSERTED = "underline green"
"""The style on a terminal of words that only the text has."""


# --- texts


class SentenceTexts(NamedTuple):
    """The texts of a sentence."""

    texts: list[tuple[str, str]]
    """Names and texts: source, references, outputs; empty without the files."""
    name: str
    """The name of the line, such as "line 3"."""


def sentence(
    context: ReportContext,
    dataset: str,
    line: int,
    systems: Sequence[str],
) -> SentenceTexts:
    """Return the texts of a sentence. Lines count from 1.

    If the line has an id or another number in the files, its name has these too. Raises StoreError
    if the data set has no such line.
    """
    lines = context.results.datasets[dataset].lines
    if not 1 <= line <= lines:
        raise StoreError(
            f"--line {line}: {dataset} has the lines 1 to {lines:,}"
        )
    line_name = Corpus.line_name(line, _ids(context, dataset))
    corpus = context.corpora.get(dataset)
    if corpus is None:
        return SentenceTexts([], line_name)
    files: list[tuple[str, AnyText | None]] = [("source", corpus.source)]
    for number, file in enumerate(corpus.references, 1):
        files.append((f"reference {number}", file))
    for name in systems:
        files.append((name, corpus.systems.get(name)))
    opened = [(name, file) for name, file in files if file]
    texts = [(name, _text(file, line)) for name, file in opened]
    _, first = opened[0]
    if isinstance(first, TextFile) and first.number(line) != line:
        line_name = f"{line_name} (line {first.number(line):,} of the files)"
    return SentenceTexts(texts, line_name)


def _ids(context: ReportContext, dataset: str) -> AnyText | None:
    """Return the ids of the lines of a data set, if it has any."""
    for metric_result in context.measured:
        if metric_result.dataset == dataset:
            return metric_result.ids
    return None


def _text(file: AnyText, line: int) -> str:
    return file.read(line - 1, line)[0]


def print_texts(texts: Sequence[tuple[str, str]]) -> None:
    """Print the texts of a sentence beside their names; on a terminal with edits against the source
    in colour.

    In a pipe, a text is below its names if these are too long for the column of names.
    """
    if not sys.stdout.isatty():
        _print_plain_texts(texts)
        return
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True, max_width=terminal_width() // 2)
    grid.add_column(overflow="fold")
    source = dict(texts).get("source", "")
    is_marked = bool(source) and has_colours(sys.stdout)
    if is_marked:
        legend = (("inserted", INSERTED), ", ", ("deleted", DELETED))
        grid.add_row("", Text.assemble("(", *legend, ": against the source)"))
    for names, text in grouped(texts):
        original = text
        if is_marked and names != ["source"]:
            original = source
        words = [Text(*word) for word in marked(original, text)]
        label = ",\n".join(map(printable, names))
        grid.add_row(Text(label), Text(" ").join(words))
    console(width=terminal_width(), height=25).print(grid)


def _print_plain_texts(texts: Sequence[tuple[str, str]]) -> None:
    width = max((len(printable(name)) for name, _ in texts), default=0)
    for names, text in grouped(texts):
        label = printable(", ".join(names))
        if len(label) > width:
            print(label)
            label = ""
        line = printable(text.replace("\n", " "))
        print(f"{label.ljust(width)}  {line}".rstrip())


def grouped(texts: Sequence[tuple[str, str]]) -> list[tuple[list[str], str]]:
    """Return texts with all names that they have, in the order of the first ones.

    References that are the same are one, and so are outputs, except for white space. No output is
    one with a reference.
    """
    groups: dict[tuple[str, str], tuple[list[str], str]] = {}
    for name, text in texts:
        kind = ""
        if name == "source" or " " in name:
            kind, _, _ = name.partition(" ")
        words = " ".join(text.split())
        names, _ = groups.setdefault((kind, words), ([], text))
        names.append(name)
    return list(groups.values())


def marked(source: str, text: str) -> list[tuple[str, str]]:
    """Return the words of a text with their styles: INSERTED, or DELETED for words that it deletes
    from the source.

    Texts of a single word, such as those without blanks, and summaries stay as they are.
    """
    source_words = source.split()
    text_words = text.split()
    is_summary = len(source_words) > SUMMARY * max(len(text_words), 1)
    is_too_long = len(source_words) * len(text_words) > MAX_CELLS
    if len(source_words) < 2 or is_summary or is_too_long:
        line = printable(text.replace("\n", " "))
        return [(word, "") for word in line.split(" ")]
    words = []
    matcher = SequenceMatcher(None, source_words, text_words, autojunk=False)
    for kind, start, end, text_start, text_end in matcher.get_opcodes():
        if kind == "equal":
            words += [(word, "") for word in source_words[start:end]]
        else:
            words += [(word, DELETED) for word in source_words[start:end]]
            words += [
                (word, INSERTED) for word in text_words[text_start:text_end]
            ]
    return [(printable(word), style) for word, style in words]


# --- scores and counts


def score_table(
    context: ReportContext,
    dataset: str,
    line: int,
    systems: Sequence[str],
    digits: int,
) -> Table:
    """Return a row for each system with its scores of one sentence by all metrics."""
    header = ["system"]
    rows = [[name] for name in systems]
    for label, metric_result in _metric_results(context, dataset):
        header.append(label)
        for row in rows:
            columns = _columns(metric_result, row[0])
            if columns is None:
                row.append("-")
                continue
            line_columns = _row(
                present_blocks(metric_result.metric, columns), line
            )
            (score,) = sentence_scores(metric_result.metric, line_columns)
            row.append(percent(float(score), digits, metric_result.signature))
    return header, rows


def most_different(
    metric_result: MetricResult,
    one: str,
    two: str,
    count: int,
) -> list[tuple[int, float, float]]:
    """Return line, score of `one` and score of `two` of the sentences that differ most; equal
    scores are left out.
    """
    scores = []
    for system in (one, two):
        columns = _columns(metric_result, system)
        if columns:
            scores.append(scores_of_system(metric_result.metric, columns))
    first, second = scores
    distances = np.nan_to_num(np.abs(first - second))
    lines = np.argsort(-distances, kind="stable")[:count].tolist()
    differing = []
    for line in lines:
        if distances[line]:
            differing.append(
                (line + 1, float(first[line]), float(second[line]))
            )
    return differing


class CountTables(NamedTuple):
    """The counts of a sentence that some metrics share."""

    labels: str
    """The labels of the metrics."""
    lines: list[str]
    """The counts without orders: a line for each reference, or a single line."""
    table: Table
    """The counts with orders: a row for each order, and for each reference if they depend on it."""


def count_tables(
    context: ReportContext,
    dataset: str,
    line: int,
    system: str,
) -> Iterator[CountTables]:
    """Yield the counts of a sentence.

    Missing references are left out, and so are rows above MAX_EMPTY_ORDER without a count.
    """
    by_spec: dict[StatisticsSpec, list[MetricResult]] = {}
    labels: dict[StatisticsSpec, list[str]] = {}
    for label, metric_result in _metric_results(context, dataset):
        spec = metric_result.metric.spec
        by_spec.setdefault(spec, []).append(metric_result)
        labels.setdefault(spec, []).append(label)
    for spec, metric_results in by_spec.items():
        metric_result = metric_results[0]
        columns = _columns(metric_result, system)
        if columns is None:
            continue
        corpus = context.corpora.get(dataset)
        counts = annotator_columns(metric_result.metric, columns, line, corpus)
        lines, table = _counts(metric_result, counts)
        yield CountTables(", ".join(labels[spec]), lines, table)


def _counts(
    metric_result: MetricResult, counts: Columns
) -> tuple[list[str], Table]:
    """Return the lines and the table of CountTables."""
    fields = metric_result.metric.spec.schema(metric_result.references).fields
    with_orders = [field for field in fields if field.orders]
    without_orders = [field for field in fields if not field.orders]
    max_order = max(field.orders for field in fields)
    per_reference = any(field.per_reference for field in fields)
    title = "reference"
    first_number = 1
    if metric_result.metric.has_verdicts:
        title = "annotator"
        first_number = 0
    lines = []
    rows = []
    for reference in range(metric_result.references if per_reference else 1):
        lengths = counts.get("ref_len")
        if per_reference and lengths is not None and lengths[0, reference] < 0:
            continue
        values = {}
        for field in fields:
            field_values = counts[field.name][0]
            if field.per_reference:
                field_values = field_values[reference]
            values[field.name] = np.atleast_1d(field_values)
        texts = []
        for field in without_orders:
            texts.append(f"{field.name} {_count_text(values[field.name][0])}")
        text = "  ".join(texts)
        first_cells = []
        if per_reference:
            name = str(reference + first_number)
            text = f"{title} {name}: {text}"
            first_cells = [name]
        lines.append(text)
        for order in range(1, max_order + 1):
            cells = []
            for field in with_orders:
                cell = ""
                if order <= field.orders:
                    cell = _count_text(values[field.name][order - 1])
                cells.append(cell)
            if order <= MAX_EMPTY_ORDER or set(cells) - {"", "0"}:
                rows.append([*first_cells, str(order), *cells])
    header = ["n", *(field.name for field in with_orders)]
    if per_reference:
        header.insert(0, title)
    return lines, (header, rows)


def _count_text(value: float) -> str:
    number = float(value)
    return f"{number:.0f}" if number.is_integer() else round_half_up(number, 4)


def _metric_results(
    context: ReportContext, dataset: str
) -> Iterator[tuple[str, MetricResult]]:
    """Yield the label of each metric of a data set, with its scores and columns."""
    labels = called(
        metric_result.signature for metric_result in context.measured
    )
    for metric_result in context.measured:
        if metric_result.dataset == dataset:
            yield labels[metric_result.signature], metric_result


def _columns(metric_result: MetricResult, system: str) -> HasBlocks | None:
    by_system = zip(
        metric_result.names, metric_result.by_line.columns, strict=False
    )
    return dict(by_system).get(system)


def _row(blocks: Iterable[Columns], line: int) -> Columns:
    """Return the columns of a single line, which counts from 1, out of those of all lines."""
    before = 0
    for block in blocks:
        count = len(next(iter(block.values())))
        if line <= before + count:
            row = slice(line - before - 1, line - before)
            return {name: array[row] for name, array in block.items()}
        before += count
    raise StoreError(f"line {line}: the counts end at {before:,}")


def known_system(scores: Iterable[Score], owner: str, system: str) -> str:
    """Return the name of a system; raises StoreError, with the nearest name, if no score is of it.

    `owner` is what has the scores, such as the run.
    """
    names = list(dict.fromkeys(score.system for score in scores))
    if system not in names:
        hint = known_names(system, names, "it has")
        raise StoreError(f"{owner}: has no system '{system}'{hint}")
    return system


# --- edits


class Edits(NamedTuple):
    """The edits of a sentence, and which of them are right."""

    verdicts: Sequence[list[Verdict] | None]
    """The verdicts of each annotator on the edits; None if an annotator takes no part."""
    chosen: int
    """The number of the annotator who counts for the score of the data set."""

    @property
    def table(self) -> Table:
        """A row for each edit, with the verdict of each judge; "-" for annotators who take no part.

        Types of edits are left out if none has any. A cell is empty if another type or annotator
        has the edit.
        """
        edits: dict[tuple[Any, ...], None] = {}
        for verdicts in self.verdicts:
            for verdict in sorted(verdicts or (), key=_is_missed):
                edits[verdict[:5]] = None
        has_types = any(type_name for *_, type_name in edits)
        rows = []
        for edit in sorted(edits, key=lambda edit: edit[:2]):
            start, end, original, correction, type_name = edit
            change = f"{original or NOTHING} → {correction or NOTHING}"
            row = [f"{start}-{end}", change]
            if has_types:
                row.append(type_name)
            for verdicts in self.verdicts:
                if verdicts is None:
                    row.append("-")
                    continue
                words = [one.verdict for one in verdicts if one[:5] == edit]
                row.append(", ".join(words))
            rows.append(row)
        header = ["tokens", "edit"]
        if has_types:
            header.append("type")
        header += [
            f"annotator {number}" for number in range(len(self.verdicts))
        ]
        return header, rows


def _is_missed(verdict: Verdict) -> bool:
    return verdict.verdict == Verdict.MISSED


def edits_of(
    metric: Metric,
    corpus: Corpus,
    columns: HasBlocks,
    system: str,
    line: int,
) -> Edits:
    """Return the edits of a sentence, which counts from 1, by a metric that judges which of them
    are right.
    """
    view = corpus.read_by(metric.spec)
    assert view.source is not None  # noqa: S101 (verdicts need it)
    source = _text(view.source, line)
    output = _text(view.systems[system], line)
    annotations = [_text(file, line) for file in view.references]
    columns_of_annotations = [[annotation] for annotation in annotations]
    ((verdicts,),) = metric.verdicts(
        [source], [[output]], columns_of_annotations
    )
    all_chosen = chain.from_iterable(chosen_references(metric, columns))
    reference = next(islice(all_chosen, line - 1, None))
    numbers = np.array([metric.references_of(source, annotations)])
    (annotator,) = annotators_of(numbers, np.array([reference]))
    return Edits(verdicts, int(annotator))


def edit_tables(
    context: ReportContext,
    dataset: str,
    line: int,
    system: str,
) -> Iterator[tuple[str, Edits]]:
    """Yield the label of each metric that judges which edits of a sentence are right, and the
    edits; none without texts.
    """
    corpus = context.corpora.get(dataset)
    for label, metric_result in _metric_results(context, dataset):
        metric = metric_result.metric
        columns = _columns(metric_result, system)
        if corpus and columns is not None and metric.has_verdicts:
            yield label, edits_of(metric, corpus, columns, system, line)


def annotator_columns(
    metric: Metric,
    system: HasBlocks,
    line: int,
    corpus: Corpus | None,
) -> Columns:
    """Return the columns of a single line of a system, which counts from 1: each has one row.

    If references stand for annotators, there is one for each annotator of the corpus. Without the
    corpus, they stay as they were counted.
    """
    columns = _row(system.blocks(), line)
    if metric.by_annotator() is metric or corpus is None:
        return columns
    if not corpus.read_by(metric.spec).source:
        return columns
    references = references_of(corpus, metric, np.array([line - 1]))
    return of_annotators(metric, columns, references)


def references_of(corpus: Corpus, metric: Metric, lines: Ints) -> Ints:
    """Return for some lines which reference of the columns is that of each annotator: int64 [lines,
    annotators].
    """
    view = corpus.read_by(metric.spec)
    files = [view.source, *view.references]
    texts = [file.lines_at(lines) for file in files if file]
    numbers = []
    for source, *annotations in zip(*texts, strict=True):
        numbers.append(metric.references_of(source, annotations))
    return np.array(numbers, np.int64).reshape(len(lines), len(view.references))
