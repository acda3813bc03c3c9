"""One sentence of a run: its texts, its scores and counts by each metric, and its edits."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Ints
from ..data import AnyText, Corpus, TextFile
from ..errors import StoreError, printable
from ..metrics.base import Columns, Metric, StatisticsSpec, Verdict
from ..scoring import HasBlocks, MetricColumns, MetricResult, SentenceScores
from .context import ReportContext
from .tables import Table, called, percent, round_half_up
from .terminal import console, has_colours, terminal_width

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


@dataclass(frozen=True)
class Sentence:
    """A sentence of a data set of a run. Lines count from 1."""

    context: ReportContext
    dataset: str
    line: int

    def __post_init__(self) -> None:
        """Raise StoreError if the data set has no such line."""
        lines = self.context.results.datasets[self.dataset].lines
        if not 1 <= self.line <= lines:
            raise StoreError(
                f"--line {self.line}: {self.dataset} has the lines 1 to {lines:,}"
            )

    @property
    def name(self) -> str:
        """The name of the line, such as "line 3", with its id and its number in the files.

        The latter are only there if the data set has ids, or the files other numbers.
        """
        ids = None
        for _, metric_result in self._metric_results():
            ids = metric_result.ids
        name = Corpus.line_name(self.line, ids)
        corpus = self.context.corpora.get(self.dataset)
        if corpus and isinstance(corpus.texts[0], TextFile):
            number = corpus.texts[0].number(self.line)
            if number != self.line:
                name = f"{name} (line {number:,} of the files)"
        return name

    def _files(self, systems: Sequence[str]) -> Iterator[tuple[str, AnyText]]:
        """Yield the texts of the data set with their names; none without the files."""
        corpus = self.context.corpora.get(self.dataset)
        if corpus is None:
            return
        if corpus.source:
            yield "source", corpus.source
        for number, file in enumerate(corpus.references, 1):
            yield f"reference {number}", file
        for name in systems:
            if name in corpus.systems:
                yield name, corpus.systems[name]

    def texts(self, systems: Sequence[str]) -> list[tuple[str, str]]:
        """Return names and texts: source, references, outputs; nothing without the files."""
        return [
            (name, _text(file, self.line))
            for name, file in self._files(systems)
        ]

    def _metric_results(self) -> Iterator[tuple[str, MetricResult]]:
        """Yield the label of each metric of the data set, with its scores and columns."""
        measured = self.context.measured
        labels = called(metric_result.signature for metric_result in measured)
        for metric_result in measured:
            if metric_result.dataset == self.dataset:
                label = labels[metric_result.signature]
                yield label, metric_result.by_line

    def score_table(self, systems: Sequence[str], digits: int) -> Table:
        """Return a row for each system with its scores of the sentence by all metrics."""
        header = ["system"]
        rows = [[name] for name in systems]
        for label, metric_result in self._metric_results():
            metric = metric_result.metric
            by_system = metric_result.by_system
            header.append(label)
            for row in rows:
                if row[0] not in by_system:
                    row.append("-")
                    continue
                blocks = MetricColumns(metric).compact_blocks(by_system[row[0]])
                columns = _row(blocks, self.line)
                (score,) = SentenceScores(metric).scores(columns)
                cell = percent(float(score), digits, metric_result.signature)
                row.append(cell)
        return header, rows

    def count_tables(self, system: str) -> "Iterator[CountTables]":
        """Yield the counts of the sentence.

        Missing references are left out, and so are rows above MAX_EMPTY_ORDER without a count.
        """
        by_spec: dict[StatisticsSpec, MetricResult] = {}
        labels: dict[StatisticsSpec, list[str]] = {}
        for label, metric_result in self._metric_results():
            spec = metric_result.metric.spec
            by_spec.setdefault(spec, metric_result)
            labels.setdefault(spec, []).append(label)
        corpus = self.context.corpora.get(self.dataset)
        for spec, metric_result in by_spec.items():
            columns = metric_result.by_system.get(system)
            if columns is None:
                continue
            if corpus is None:
                counts = _row(columns.blocks(), self.line)
            else:
                judged = AnnotatedEdits(metric_result.metric, corpus)
                counts = judged.line_columns(columns, self.line)
            lines, table = _counts(metric_result, counts)
            yield CountTables(", ".join(labels[spec]), lines, table)

    def edits(self, system: str) -> "Iterator[tuple[str, Edits]]":
        """Yield the label of each metric that judges which edits are right, and the edits.

        There are none without texts.
        """
        corpus = self.context.corpora.get(self.dataset)
        for label, metric_result in self._metric_results():
            metric = metric_result.metric
            columns = metric_result.by_system.get(system)
            if corpus and columns is not None and metric.has_verdicts:
                judged = AnnotatedEdits(metric, corpus)
                yield label, judged.of(columns, system, self.line)


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


# --- counts


class CountTables(NamedTuple):
    """The counts of a sentence that some metrics share."""

    labels: str
    """The labels of the metrics."""
    lines: list[str]
    """The counts without orders: a line for each reference, or a single line."""
    table: Table
    """The counts with orders: a row for each order, and for each reference if they depend on it."""


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
            for verdict in sorted(
                verdicts or (),
                key=lambda verdict: verdict.verdict == Verdict.MISSED,
            ):
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


@dataclass(frozen=True)
class AnnotatedEdits:
    """The edits that a metric finds in the outputs of a data set, as each annotator judges them."""

    metric: Metric
    """A metric that judges which edits are right, unless only line_columns() is called."""
    corpus: Corpus

    def of(self, columns: HasBlocks, system: str, line: int) -> Edits:
        """Return the edits of a sentence of a system, which counts from 1, with its columns."""
        view = self.corpus.read_by(self.metric.spec)
        assert view.source is not None  # noqa: S101 (verdicts need it)
        source = _text(view.source, line)
        output = _text(view.systems[system], line)
        annotations = [[_text(file, line)] for file in view.references]
        ((verdicts,),) = self.metric.verdicts([source], [[output]], annotations)
        chosen_of_blocks = MetricColumns(self.metric).chosen_references(columns)
        all_chosen = chain.from_iterable(chosen_of_blocks)
        reference = next(islice(all_chosen, line - 1, None))
        references = self.references(np.array([line - 1]))
        (annotator,) = self.annotators(references, np.array([reference]))
        return Edits(verdicts, int(annotator))

    def references(self, lines: Ints) -> Ints:
        """Return for some lines which reference of the columns is that of each annotator.

        The numbers are int64 [lines, annotators], and -1 if an annotator has none.
        """
        view = self.corpus.read_by(self.metric.spec)
        files = [view.source, *view.references]
        texts = [file.lines_at(lines) for file in files if file]
        numbers = []
        for source, *annotations in zip(*texts, strict=True):
            numbers.append(self.metric.references_of(source, annotations))
        shape = (len(lines), len(view.references))
        return np.array(numbers, np.int64).reshape(shape)

    @staticmethod
    def annotators(references: Ints, chosen: Ints) -> Ints:
        """Return for each line the first annotator whose reference was chosen: int64 [lines].

        `references` is what references() returns.
        """
        is_chosen = references == chosen[:, None]  # [lines, annotators]
        first_annotators: Ints = is_chosen.argmax(axis=1)
        return first_annotators

    @staticmethod
    def columns_by_annotator(
        metric: Metric, columns: Columns, references: Ints | None
    ) -> Columns:
        """Return columns in which each reference is that of an annotator, for Metric.by_annotator().

        `references` is what references() returns. If it is None, references are annotators, and
        columns are returned unchanged.
        """
        if references is None:
            return columns
        is_missing = references < 0  # [lines, annotators]
        present = np.maximum(references, 0)
        rows = np.arange(len(references))[:, None]
        by_annotator = dict(columns)
        for name in metric.spec.of_references:
            by_annotator[name] = columns[name][rows, present]
        lengths = by_annotator["ref_len"]
        by_annotator["ref_len"] = np.where(is_missing, -1, lengths)
        return by_annotator

    def line_columns(self, system: HasBlocks, line: int) -> Columns:
        """Return the columns of a single line of a system, which counts from 1: each has one row.

        If references stand for annotators, there is one for each annotator of the corpus.
        """
        columns = _row(system.blocks(), line)
        if self.metric.by_annotator() is self.metric:
            return columns
        if not self.corpus.read_by(self.metric.spec).source:
            return columns
        references = self.references(np.array([line - 1]))
        return self.columns_by_annotator(self.metric, columns, references)
