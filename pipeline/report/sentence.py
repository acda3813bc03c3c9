"""One sentence of a run: its texts, if they are at hand, and its scores and counts by each metric."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..corpus.texts import TextFile, read_texts
from ..errors import StoreError, did_you_mean
from ..metrics.base.capabilities import MISSED, RIGHT, by_annotator, edit_judge
from ..scoring.column_blocks import annotators_of, chosen_references, of_annotators, present_blocks
from ..scoring.sentences import sentence_scores
from .tables.digits import percent, round_half_up
from .tables.labels import labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..corpus.corpus import Corpus
    from ..metrics.base.capabilities import Verdict
    from ..metrics.base.columns import Columns
    from ..metrics.base.metric import Metric
    from ..scoring.board import Board
    from ..scoring.column_blocks import HasBlocks
    from .material import Material
    from .tables import Table

ALWAYS = 9
"""Rows of tables up to this one are shown even where all their counts are 0."""


NOTHING = "∅"
"""What stands for no token, in edits that insert or delete."""


class Sentence(NamedTuple):
    """The texts of a sentence."""

    texts: list[tuple[str, str]]
    """Pairs of the name of a text and the text itself; empty where the texts are not at hand."""
    origin: str = ""
    """Where the sentence stands in the files; empty if its line is the same there."""


class Edits(NamedTuple):
    """The edits of a sentence, and which of them are right."""

    metric: str
    """The label of the metric."""
    table: Table
    """A row for each edit, with the verdict of each annotator."""
    chosen: int
    """The number of the annotator who counts for the score of the data set."""
    makers: str
    """How many annotators make the edits, in words."""


class Counts(NamedTuple):
    """The counts of a sentence that some metrics share."""

    metrics: str
    """Labels of these metrics."""
    singles: list[str]
    """Counts without orders: a line for each reference, or a single line."""
    table: Table
    """Counts with orders: a row for each order, and for each reference if the counts depend on it."""


def sentence(material: Material, dataset: str, line: int, systems: Sequence[str]) -> Sentence:
    """Return source, references and outputs of a sentence. Lines count from 1.

    Raises StoreError if the data set has no such line.
    """
    lines = material.results.datasets[dataset].lines
    if not 1 <= line <= lines:
        raise StoreError(f"--line {line}: {dataset} has the lines 1 to {lines:,}")
    corpus = material.corpora.get(dataset)
    if corpus is None:
        return Sentence([])
    named = [("source", corpus.source)] if corpus.source else []
    named += [(f"reference {number}", text) for number, text in enumerate(corpus.references)]
    named += [(name, corpus.systems[name]) for name in systems if name in corpus.systems]
    first = named[0][1]
    number = first.number(line) if isinstance(first, TextFile) else line
    texts = [(name, read_texts(text, line - 1, line)[0]) for name, text in named if text]
    return Sentence(texts, f"line {number:,} of the files" if number != line else "")


def score_table(material: Material, dataset: str, line: int, systems: Sequence[str], digits: int) -> Table:
    """Return a row for each system with its scores of one sentence by all metrics."""
    own = [measured for measured in material.measured if measured.scores[0].dataset == dataset]
    named = labels(measured.scores[0].metric for measured in material.measured)
    rows = [[name] for name in systems]
    for measured in own:
        columns = dict(zip(measured.names, measured.columns, strict=False))
        for row in rows:
            own_columns = columns.get(row[0])
            row.append("-" if own_columns is None else percent(_score(measured, own_columns, line), digits))
    return ["system", *(named[measured.scores[0].metric] for measured in own)], rows


def most_different(measured: Board, one: str, two: str, count: int) -> list[tuple[int, float, float]]:
    """Return line, score of `one` and score of `two` of the sentences that differ most; equal scores are left out."""
    columns = dict(zip(measured.names, measured.columns, strict=False))
    first, second = (
        np.concatenate([sentence_scores(measured.metric, block) for block in present_blocks(measured.metric, own)])
        for own in (columns[one], columns[two])
        if own
    )
    apart = np.nan_to_num(np.abs(first - second))
    order = np.argsort(-apart, kind="stable")[:count]
    return [(int(row) + 1, float(first[row]), float(second[row])) for row in order if apart[row]]


def count_tables(material: Material, dataset: str, line: int, system: str) -> Iterator[Counts]:
    """Yield the counts of a sentence, once for all metrics that share them."""
    own = [measured for measured in material.measured if measured.scores[0].dataset == dataset]
    named = labels(measured.scores[0].metric for measured in material.measured)
    for needs in dict.fromkeys(measured.metric.needs for measured in own):
        users = [measured for measured in own if measured.metric.needs == needs]
        columns = dict(zip(users[0].names, users[0].columns, strict=False)).get(system)
        if columns is not None:
            own_columns = annotator_columns(users[0].metric, columns, line, material.corpora.get(dataset))
            metrics = ", ".join(named[measured.scores[0].metric] for measured in users)
            yield Counts(metrics, *_counts(users[0], {name: array[0] for name, array in own_columns.items()}))


def edit_tables(material: Material, dataset: str, line: int, system: str) -> Iterator[Edits]:
    """Yield the edits of a sentence for each metric that says which of them are right; none where texts are absent."""
    corpus = material.corpora.get(dataset)
    own = [measured for measured in material.measured if measured.scores[0].dataset == dataset]
    named = labels(measured.scores[0].metric for measured in material.measured)
    for measured in own:
        columns = dict(zip(measured.names, measured.columns, strict=False)).get(system)
        judge = edit_judge(measured.metric)
        if corpus is None or columns is None or judge is None:
            continue
        view = corpus.read_by(measured.metric.needs)
        texts = [view.source, view.systems[system], *view.references] if view.source else []
        source, output, *annotations = (read_texts(text, line - 1, line)[0] for text in texts)
        ((several,),) = judge.verdicts([source], [[output]], [[annotation] for annotation in annotations])
        chosen = next(islice(chain.from_iterable(chosen_references(measured.metric, columns)), line - 1, None))
        numbers = judge.references_of(source, annotations)
        annotator = annotators_of(np.array([numbers]), np.array([chosen]))[0]
        label = named[measured.scores[0].metric]
        yield Edits(label, verdict_table(several), int(annotator), makers(several, int(annotator)))


def verdict_table(several: Sequence[list[Verdict] | None], who: str = "annotator") -> Table:
    """Return a row for each edit, with the verdict of each annotator, or of `who` judges; "-" for who takes no part.

    Types of edits are left out where none has any.
    """
    edits = dict.fromkeys(
        verdict[:5] for verdicts in several for verdict in sorted(verdicts or (), key=lambda v: v.verdict == MISSED)
    )
    rows, typed = [], any(edit[4] for edit in edits)
    for edit in sorted(edits, key=lambda edit: edit[:2]):
        start, end, original, correction, name = edit
        cells = ["-" if own is None else _said(own, edit) for own in several]
        rows.append([f"{start}-{end}", f"{original or NOTHING} → {correction or NOTHING}", *[name] * typed, *cells])
    head = ["tokens", "edit", *["type"] * typed]
    return [*head, *(f"{who} {number}" for number in range(len(several)))], rows


def makers(several: Sequence[list[Verdict] | None], chosen: int, who: str = "annotators") -> str:
    """Return how many edits of an output all, some and none of the judges (`who` names them) make.

    Equal edits have the same place and correction. They are those that the judge who counts calls right or wrong.
    """
    right = [{verdict[:4] for verdict in own if verdict.verdict == RIGHT} for own in several if own is not None]
    counts = [sum(v[:4] in own for own in right) for v in several[chosen] or () if v.verdict != MISSED]
    each = [counts.count(len(right)), sum(0 < count < len(right) for count in counts), counts.count(0)]
    return "edits of the output: {}; all {} make {}, some {}, none {}".format(len(counts), who, *each)


def _said(verdicts: Sequence[Verdict], edit: tuple[int, int, str, str, str]) -> str:
    """Return what an annotator says of an edit, or an empty text where another type or annotator has it."""
    return ", ".join(verdict.verdict for verdict in verdicts if verdict[:5] == edit)


def _counts(measured: Board, counts: Columns) -> tuple[list[str], Table]:
    """Return the singles and the table of Counts, without references that are missing and empty rows above ALWAYS."""
    fields = measured.metric.needs.schema(measured.references).fields
    apart = any(field.per_reference for field in fields)
    orders = range(1, max(field.orders for field in fields) + 1)
    wide = [field for field in fields if field.orders]
    header = [*(["reference"] if apart else []), "n", *(field.name for field in wide)]
    singles, rows = list[str](), list[list[str]]()
    for number in range(measured.references) if apart else (0,):
        if apart and "ref_len" in counts and counts["ref_len"][number] < 0:
            continue
        own = {f.name: np.atleast_1d(counts[f.name][number] if f.per_reference else counts[f.name]) for f in fields}
        alone = "  ".join(f"{field.name} {_shown(own[field.name][0])}" for field in fields if not field.orders)
        singles.append(f"reference {number}: {alone}" if apart else alone)
        for n in orders:
            cells = [_shown(own[field.name][n - 1]) if n <= field.orders else "" for field in wide]
            if n <= ALWAYS or any(cell not in ("", "0") for cell in cells):
                rows.append([*([str(number)] if apart else []), str(n), *cells])
    return singles, (header, rows)


def _shown(value: float) -> str:
    return f"{value:.0f}" if float(value).is_integer() else round_half_up(float(value), 4)


def _score(measured: Board, columns: HasBlocks, line: int) -> float:
    block, row = _row(present_blocks(measured.metric, columns), line)
    return float(sentence_scores(measured.metric, {name: array[row : row + 1] for name, array in block.items()})[0])


def annotator_columns(metric: Metric, system: HasBlocks, line: int, corpus: Corpus | None) -> Columns:
    """Return the columns of a single line of a system, which counts from 1: each has one row.

    Where references stand for annotators, there is one for each annotator of the corpus. Without the corpus, they stay
    as they were counted.
    """
    block, row = _row(system.blocks(), line)
    columns = {name: array[row : row + 1] for name, array in block.items()}
    judge = edit_judge(metric) if by_annotator(metric) is not metric else None
    view = corpus.read_by(metric.needs) if corpus and judge else None
    if view is None or view.source is None or judge is None:
        return columns
    source, *annotations = (read_texts(text, line - 1, line)[0] for text in (view.source, *view.references))
    return of_annotators(metric, columns, np.array([judge.references_of(source, annotations)]))


def _row(blocks: Iterable[Columns], line: int) -> tuple[Columns, int]:
    """Return the block that has a line, which counts from 1, and the row of the line in it."""
    before = 0
    for block in blocks:
        count = len(next(iter(block.values())))
        if line <= before + count:
            return block, line - before - 1
        before += count
    raise StoreError(f"line {line}: the counts end at {before:,}")


def known_system(material: Material, dataset: str, system: str) -> str:
    """Return the name of a system; raises StoreError, with the nearest name, if the data set has no such system."""
    names = list(dict.fromkeys(s.system for s in material.results.scores if s.dataset == dataset))
    if system not in names:
        raise StoreError(f"{dataset}: has no system '{system}'{did_you_mean(system, names)}; it has {', '.join(names)}")
    return system
