"""A sentence of annotated outputs with its edits, and what each annotator says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..corpus.texts import read_texts
from ..errors import printable
from ..execution.count import count_in_memory
from ..metrics.base.capabilities import by_annotator, edit_judge
from ..report.sentence import annotator_columns, makers, verdict_table
from ..report.tables.digits import percent
from ..report.terminal.table import print_table
from ..scoring.column_blocks import annotators_of, chosen_references

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..corpus.corpus import Corpus
    from ..metrics.base.columns import Columns
    from ..metrics.base.metric import Metric


def explain_edits(corpus: Corpus, metric: Metric, line: int) -> None:
    """Print the edits of a sentence of each system, with what each annotator says of them."""
    view, judge = corpus.read_by(metric.needs), edit_judge(metric)
    assert judge is not None  # noqa: S101 (the caller asks)
    counted = count_in_memory(corpus, [metric.needs])
    source = read_texts(view.source, line - 1, line)[0] if view.source else ""
    annotations = [read_texts(text, line - 1, line)[0] for text in view.references]
    for name in corpus.systems:
        columns = counted[name, metric.needs]
        reference = np.concatenate(list(chosen_references(metric, columns)))[line - 1 : line]
        chosen = annotators_of(np.array([judge.references_of(source, annotations)]), reference)[0]
        output = read_texts(view.systems[name], line - 1, line)[0]
        print(printable(f"system  {name}, line {line}"))
        print(printable(f"source  {source}"))
        print(printable(f"output  {read_texts(corpus.systems[name], line - 1, line)[0]}"))
        ((several,),) = judge.verdicts([source], [[output]], [[annotation] for annotation in annotations])
        for number, scores in enumerate(
            _scores(by_annotator(metric), annotator_columns(metric, columns, line, corpus))
        ):
            counts = "counts" if number == chosen else "      "
            print(f"annotator {number}  {counts}  {'has no line here' if several[number] is None else scores}")
        table = verdict_table(several)
        if table[1]:
            print_table(*table, left=range(len(table[0])))
            print(makers(several, int(chosen)))
        else:
            print("no edits are compared")
        print()


def _scores(metric: Metric, columns: Columns) -> Iterator[str]:
    """Yield score and counts of a sentence with each annotator."""
    counts = metric.shown_counts(columns)
    for number, score in enumerate(metric.sentence_scores(columns)[0].tolist()):
        shown = "  ".join(f"{count.name} {count.values[0, number]:g}" for count in counts if not count.orders)
        yield f"{metric.output} {percent(score, 2)}  {shown}"
