"""Annotated files given on the command line, and a sentence of them with its edits and their verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..config.resolved import Column, Dataset, System
from ..corpus.opener import open_corpus
from ..corpus.texts import read_texts
from ..errors import ConfigError, CorpusError, printable
from ..execution.count import count_in_memory
from ..metrics.base.views import EDITS
from ..report.console import print_table
from ..report.sentence import columns_of_line, verdict_table
from ..report.tables.digits import percent
from ..scoring.column_blocks import chosen_references
from .arguments import DATASET, expanded
from .given_texts import given_path, given_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from ..corpus.corpus import Corpus
    from ..errors import Problem
    from ..metrics.base.metric import Metric
    from ..scoring.column_blocks import HasBlocks


def open_annotated(args: argparse.Namespace, metrics: Sequence[Metric]) -> Corpus:
    """Open the M2 file of -r, and the outputs of -o, for metrics that compare edits.

    Raises ConfigError where these are not the files that the metrics need, and CorpusError for what is wrong in them.
    """
    of_texts, of_edits = ([m.name for m in metrics if m.has_verdicts is asked] for asked in (False, True))
    if of_texts:
        raise ConfigError(f"--compare: {of_edits[0]} compares edits, and {of_texts[0]} texts: explain each alone")
    gold, outputs = expanded(args.references), expanded(args.outputs)
    if len(gold) > 1:
        raise ConfigError(
            f"-r: {metrics[0].name} takes one M2 file with the edits of all annotators, found {len(gold)}"
        )
    views = {metric.needs.view for metric in metrics}
    annotated = EDITS in views
    systems = [
        System(
            name,
            {DATASET: Column(kind="m2", path=given_path(name), column="") if annotated else given_text(name, "-o")},
        )
        for name in dict.fromkeys(outputs)
    ]
    path = given_path(gold[0])
    source = given_text(args.source, "-s") if args.source else None
    dataset = Dataset(name=DATASET, source=source, references=(), m2=path, gold=path)
    problems: list[Problem] = []
    corpus = open_corpus(dataset, systems, problems, views=views)
    if corpus is None:
        raise CorpusError(problems)
    return corpus


def explain_edits(corpus: Corpus, metric: Metric, line: int) -> None:
    """Print the edits of a sentence of each system, with what each annotator says of them."""
    view = corpus.read_by(metric.needs)
    counted = count_in_memory(corpus, [metric.needs])
    source = read_texts(view.source, line - 1, line)[0] if view.source else ""
    annotations = [read_texts(text, line - 1, line)[0] for text in view.references]
    for name in corpus.systems:
        columns = counted[name, metric.needs]
        chosen = [number for block in chosen_references(metric, columns) for number in block.tolist()][line - 1]
        output = read_texts(view.systems[name], line - 1, line)[0]
        print(printable(f"system  {name}, line {line}"))
        print(printable(f"source  {source}"))
        print(printable(f"output  {read_texts(corpus.systems[name], line - 1, line)[0]}"))
        several = [metric.verdicts(source, output, annotation) for annotation in annotations]
        for number, scores in enumerate(_scores(metric, columns, line)):
            counts = "counts" if number == chosen else "      "
            print(f"annotator {number}  {counts}  {'has no line here' if several[number] is None else scores}")
        table = verdict_table(several)
        if table[1]:
            print_table(*table, left=range(len(table[0])))
        else:
            print("no edits are compared")
        print()


def _scores(metric: Metric, system: HasBlocks, line: int) -> Iterator[str]:
    """Yield score and counts of a sentence with each annotator."""
    columns = columns_of_line(system, line)
    counts = metric.shown_counts(columns)
    for number, score in enumerate(metric.sentence_scores(columns)[0].tolist()):
        shown = "  ".join(f"{count.name} {count.values[0, number]:g}" for count in counts if not count.orders)
        yield f"{metric.output} {percent(score, 2)}  {shown}"
