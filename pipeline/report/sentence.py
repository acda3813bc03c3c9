"""One sentence of a run: its texts, its scores and counts by each metric, its edits, and how texts
are printed.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from ..arrays import Ints
from ..data.corpus import Corpus
from ..data.texts import TextFile, lines_of, read_texts
from ..data.texts import called as place_of
from ..errors import StoreError, known_names, printable
from ..metrics.base.capabilities import MISSED, JudgesEdits, Verdict, by_annotator, edit_judge
from ..metrics.base.metric import Metric
from ..metrics.base.statistics_spec import Columns, StatisticsSpec
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
from .tables.ranked import called
from .terminal.printing import console, has_colours, terminal_width

ALWAYS = 9
"""Rows of tables up to this one are shown even where all their counts are 0."""
NOTHING = "∅"
"""What stands for no token, in edits that insert or delete."""
SUMMARY = 2.5
"""A source of so many times the words of an output is not aligned with it: the output is a summary.
"""
MOST_CELLS = 4_000_000
"""Texts whose numbers of words have a higher product are not aligned."""
DELETED, INSERTED = "strike red", "underline green"
"""How words are drawn on a terminal that the source alone has, or the text."""


def sentence(
    context: ReportContext, dataset: str, line: int, systems: Sequence[str]
) -> tuple[list[tuple[str, str]], str]:
    """Return the names and texts of a sentence: source, references, outputs; and how it is called,
    such as "line 3".

    Lines count from 1. Without texts at hand there are none. Where the line has an id or another
    number in the files, these are told too.

    Raises StoreError if the data set has no such line.
    """
    lines = context.results.datasets[dataset].lines
    if not 1 <= line <= lines:
        raise StoreError(f"--line {line}: {dataset} has the lines 1 to {lines:,}")
    corpus = context.corpora.get(dataset)
    place = place_of(
        line,
        next(
            (
                metric_result.ids
                for metric_result in context.measured
                if metric_result.dataset == dataset
            ),
            None,
        ),
    )
    if corpus is None:
        return [], place
    named = [("source", corpus.source)] if corpus.source else []
    named += [(f"reference {number}", text) for number, text in enumerate(corpus.references, 1)]
    named += [(name, corpus.systems[name]) for name in systems if name in corpus.systems]
    first = named[0][1]
    number = first.number(line) if isinstance(first, TextFile) else line
    texts = [(name, read_texts(text, line - 1, line)[0]) for name, text in named if text]
    return texts, f"{place} (line {number:,} of the files)" if number != line else place


def print_texts(texts: Sequence[tuple[str, str]]) -> None:
    """Print the texts of a sentence beside their names; on a terminal with edits against the source
    in colour.

    In a pipe, a text stands below its names where these are too long for the column of names.
    """
    width = max((len(printable(name)) for name, _ in texts), default=0)
    if not sys.stdout.isatty():
        for names, text in grouped(texts):
            label = printable(", ".join(names))
            if len(label) > width:
                print(label)
                label = ""
            print(f"{label.ljust(width)}  {printable(text.replace(chr(10), ' '))}".rstrip())
        return
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True, max_width=terminal_width() // 2)
    grid.add_column(overflow="fold")
    source = dict(texts).get("source", "")
    is_marked = bool(source) and has_colours(sys.stdout)
    if is_marked:
        legend = ("inserted", INSERTED), ", ", ("deleted", DELETED)
        grid.add_row("", Text.assemble("(", *legend, ": against the source)"))
    for names, text in grouped(texts):
        words = marked(source if is_marked and names != ["source"] else text, text)
        grid.add_row(
            Text(",\n".join(map(printable, names))), Text(" ").join(Text(*word) for word in words)
        )
    console(width=terminal_width(), height=25).print(grid)


def grouped(texts: Sequence[tuple[str, str]]) -> list[tuple[list[str], str]]:
    """Return texts with all names that they have, in the order of the first ones.

    References that are the same are one, and so are outputs, but for white space. No output is one
    with a reference."""
    groups: dict[tuple[str, str], tuple[list[str], str]] = {}
    for name, text in texts:
        kind = name.partition(" ")[0] if name == "source" or " " in name else ""
        groups.setdefault((kind, " ".join(text.split())), ([], text))[0].append(name)
    return list(groups.values())


def marked(source: str, text: str) -> list[tuple[str, str]]:
    """Return the words of a text with their styles: INSERTED, or DELETED for what it deletes from
    the source.

    Texts of a single word, such as those without blanks, and summaries stay as they are.
    """
    one, two = source.split(), text.split()
    if len(one) < 2 or len(one) > SUMMARY * max(len(two), 1) or len(one) * len(two) > MOST_CELLS:
        return [(word, "") for word in printable(text.replace("\n", " ")).split(" ")]
    words = list[tuple[str, str]]()
    for kind, a, b, c, d in SequenceMatcher(None, one, two, autojunk=False).get_opcodes():
        words += [(word, "" if kind == "equal" else DELETED) for word in one[a:b]]
        words += [(word, INSERTED) for word in two[c:d] if kind != "equal"]
    return [(printable(word), style) for word, style in words]


def score_table(
    context: ReportContext, dataset: str, line: int, systems: Sequence[str], digits: int
) -> Table:
    """Return a row for each system with its scores of one sentence by all metrics."""
    header, rows = ["system"], [[name] for name in systems]
    for label, measured in _measured(context, dataset):
        header.append(label)
        for row in rows:
            columns = _columns(measured, row[0])
            if columns is None:
                row.append("-")
            else:
                score = sentence_scores(
                    measured.metric, _row(present_blocks(measured.metric, columns), line)
                )[0]
                row.append(percent(float(score), digits, measured.signature))
    return header, rows


def most_different(
    measured: MetricResult, one: str, two: str, count: int
) -> list[tuple[int, float, float]]:
    """Return line, score of `one` and score of `two` of the sentences that differ most; equal
    scores are left out.
    """
    both = filter(None, (_columns(measured, one), _columns(measured, two)))
    first, second = (scores_of_system(measured.metric, own) for own in both)
    apart = np.nan_to_num(np.abs(first - second))
    order = np.argsort(-apart, kind="stable")[:count]
    return [(int(row) + 1, float(first[row]), float(second[row])) for row in order if apart[row]]


def count_tables(
    context: ReportContext, dataset: str, line: int, system: str
) -> Iterator[tuple[str, list[str], Table]]:
    """Yield the labels of metrics that share counts, and the counts of a sentence: without orders,
    then with orders.

    The former are a line for each reference, or a single line. The latter have a row for each
    order, and for each reference if they depend on it. Missing references are left out, and so are
    rows above ALWAYS without a count."""

    def shown(value: float) -> str:
        return f"{value:.0f}" if float(value).is_integer() else round_half_up(float(value), 4)

    users: dict[StatisticsSpec, list[tuple[str, MetricResult]]] = {}
    for label, measured in _measured(context, dataset):
        users.setdefault(measured.metric.spec, []).append((label, measured))
    for spec, own in users.items():
        measured = own[0][1]
        columns = _columns(measured, system)
        if columns is None:
            continue
        counts = annotator_columns(measured.metric, columns, line, context.corpora.get(dataset))
        fields = spec.schema(measured.references).fields
        apart = any(field.per_reference for field in fields)
        wide = [field for field in fields if field.orders]
        singles, rows = list[str](), list[list[str]]()
        who = (
            list(range(measured.references))
            if edit_judge(measured.metric)
            else range(1, measured.references + 1)
        )
        title = "annotator" if edit_judge(measured.metric) else "reference"
        for number in range(measured.references) if apart else (0,):
            if apart and "ref_len" in counts and counts["ref_len"][0, number] < 0:
                continue
            places = {field.name: (0, number) if field.per_reference else 0 for field in fields}
            values = {name: np.atleast_1d(counts[name][place]) for name, place in places.items()}
            alone = "  ".join(
                f"{field.name} {shown(values[field.name][0])}"
                for field in fields
                if not field.orders
            )
            singles.append(f"{title} {who[number]}: {alone}" if apart else alone)
            for n in range(1, max(field.orders for field in fields) + 1):
                cells = [
                    shown(values[field.name][n - 1]) if n <= field.orders else "" for field in wide
                ]
                if n <= ALWAYS or any(cell not in ("", "0") for cell in cells):
                    rows.append([*([str(who[number])] if apart else []), str(n), *cells])
        header = [*([title] if apart else []), "n", *(field.name for field in wide)]
        yield ", ".join(label for label, _ in own), singles, (header, rows)


def _measured(context: ReportContext, dataset: str) -> Iterator[tuple[str, MetricResult]]:
    """Yield the label of each metric of a data set, with its scores and columns."""
    named = called(measured.signature for measured in context.measured)
    yield from ((named[own.signature], own) for own in context.measured if own.dataset == dataset)


def _columns(measured: MetricResult, system: str) -> HasBlocks | None:
    return dict(zip(measured.names, measured.by_line.columns, strict=False)).get(system)


def _row(blocks: Iterable[Columns], line: int) -> Columns:
    """Return the columns of a single line, which counts from 1, out of those of all lines."""
    before = 0
    for block in blocks:
        count = len(next(iter(block.values())))
        if line <= before + count:
            return {name: array[line - before - 1 : line - before] for name, array in block.items()}
        before += count
    raise StoreError(f"line {line}: the counts end at {before:,}")


def known_system(scores: Iterable[Score], place: str, system: str) -> str:
    """Return the name of a system; raises StoreError, with the nearest name, if no score of the
    place is of it.
    """
    names = list(dict.fromkeys(score.system for score in scores))
    if system not in names:
        raise StoreError(f"{place}: has no system '{system}'{known_names(system, names, 'it has')}")
    return system


class Edits(NamedTuple):
    """The edits of a sentence, and which of them are right."""

    several: Sequence[list[Verdict] | None]
    """What each annotator says of the edits; None where an annotator takes no part."""
    chosen: int
    """The number of the annotator who counts for the score of the data set."""

    @property
    def table(self) -> Table:
        """A row for each edit, with the verdict of each judge; "-" for who takes no part.

        Types of edits are left out where none has any. A cell is empty where another type or
        annotator has the edit."""
        ordered = (
            sorted(own or (), key=lambda verdict: verdict.verdict == MISSED) for own in self.several
        )
        edits = dict.fromkeys(verdict[:5] for own in ordered for verdict in own)
        rows, typed = [], any(edit[4] for edit in edits)
        for edit in sorted(edits, key=lambda edit: edit[:2]):
            start, end, original, correction, name = edit
            said = ([one.verdict for one in own or () if one[:5] == edit] for own in self.several)
            cells = [
                "-" if own is None else ", ".join(words)
                for own, words in zip(self.several, said, strict=True)
            ]
            rows.append(
                [
                    f"{start}-{end}",
                    f"{original or NOTHING} → {correction or NOTHING}",
                    *[name] * typed,
                    *cells,
                ]
            )
        judges = [f"annotator {number}" for number in range(len(self.several))]
        return ["tokens", "edit", *["type"] * typed, *judges], rows


def edits_of(
    metric: Metric, judge: JudgesEdits, corpus: Corpus, columns: HasBlocks, system: str, line: int
) -> Edits:
    """Return the edits of a sentence, which counts from 1, by a metric that judges which of them
    are right.
    """
    view = corpus.read_by(metric.spec)
    texts = [view.source, view.systems[system], *view.references] if view.source else []
    source, output, *annotations = (read_texts(text, line - 1, line)[0] for text in texts)
    ((several,),) = judge.verdicts(
        [source], [[output]], [[annotation] for annotation in annotations]
    )
    reference = next(
        islice(chain.from_iterable(chosen_references(metric, columns)), line - 1, None)
    )
    numbers = judge.references_of(source, annotations)
    return Edits(several, int(annotators_of(np.array([numbers]), np.array([reference]))[0]))


def edit_tables(
    context: ReportContext, dataset: str, line: int, system: str
) -> Iterator[tuple[str, Edits]]:
    """Yield the label of each metric that says which edits of a sentence are right, and these; none
    without texts.
    """
    corpus = context.corpora.get(dataset)
    for label, measured in _measured(context, dataset):
        columns = _columns(measured, system)
        judge = edit_judge(measured.metric)
        if corpus and columns is not None and judge:
            yield label, edits_of(measured.metric, judge, corpus, columns, system, line)


def annotator_columns(
    metric: Metric, system: HasBlocks, line: int, corpus: Corpus | None
) -> Columns:
    """Return the columns of a single line of a system, which counts from 1: each has one row.

    Where references stand for annotators, there is one for each annotator of the corpus. Without
    the corpus, they stay as they were counted."""
    columns = _row(system.blocks(), line)
    if by_annotator(metric) is metric or not corpus or not corpus.read_by(metric.spec).source:
        return columns
    return of_annotators(metric, columns, references_of(corpus, metric, np.array([line - 1])))


def references_of(corpus: Corpus, metric: Metric, lines: Ints) -> Ints:
    """Return for some lines which reference of the columns is that of each annotator: int64 [lines,
    annotators].
    """
    view, judge = corpus.read_by(metric.spec), edit_judge(metric)
    assert judge is not None  # noqa: S101 (see by_annotator())
    texts = [lines_of(text, lines) for text in (view.source, *view.references) if text]
    numbers = [judge.references_of(source, own) for source, *own in zip(*texts, strict=True)]
    return np.array(numbers, np.int64).reshape(len(lines), len(view.references))
