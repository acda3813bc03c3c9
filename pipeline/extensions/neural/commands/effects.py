"""The option --effects of the command explain: what each edit of a sentence does to its score."""

import argparse
from collections.abc import Sequence

from pipeline.data import Corpus
from pipeline.errors import printable
from pipeline.extension import ExplainOption
from pipeline.extensions.edits.records import NOTHING
from pipeline.metrics.base import Metric
from pipeline.report.tables import percent
from pipeline.report.terminal import print_styled, print_table

from ..attribution import EXACT, ORDERS, Attribution, attributed, view_of_edits

HEADER = ["tokens", "edit", "type", "alone", "left out", "share"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--effects",
        nargs="?",
        const="",
        metavar="MODEL",
        help="what each edit does to the score; edits of texts are those of aligned words, or with "
        "MODEL of errant",
    )


def inputs(arguments: argparse.Namespace) -> set[str]:
    """Return the input with the edits of errant, if a model is named."""
    if not arguments.effects:
        return set()
    return {view_of_edits(arguments.effects)}


def run(
    arguments: argparse.Namespace,
    corpus: Corpus,
    metrics: Sequence[Metric],
) -> bool:
    """Print the effects of the edits of a sentence by each metric, for each system. Return whether
    the option was given.
    """
    if arguments.effects is None:
        return False
    line = arguments.line - 1
    outputs = [(system, line) for system in corpus.systems]
    attributions = [attributed(metric, corpus, outputs) for metric in metrics]
    for output in outputs:
        title = f"system  {output[0]}, {Corpus.line_name(arguments.line, corpus.ids)}"
        print_styled(printable(title), "bold")
        for metric, attribution in zip(metrics, attributions, strict=True):
            _print_attribution(metric, attribution[output])
        print()
    return True


def _print_attribution(metric: Metric, attribution: Attribution) -> None:
    """Print the scores of source and output, and a table of the edits between them."""
    name = metric.name
    source = percent(attribution.source, 2, name)
    output = percent(attribution.output, 2, name)
    difference = percent(attribution.output - attribution.source, 2, name)
    scores = f"{metric.output} {source} of the source, {output} of the output"
    print_styled(f"  {metric.name_in_text}: {scores}", "bold")
    rows = []
    for effect in attribution.effects:
        edit = f"{effect.original or NOTHING} → {effect.correction or NOTHING}"
        row = [f"{effect.start}-{effect.end}", edit, effect.type]
        for value in (effect.alone, effect.left_out, effect.share):
            row.append(percent(value, 2, name))
        rows.append(row)
    print_table(HEADER, rows, left=range(3))
    estimates = ""
    if len(rows) > EXACT:
        estimates = f"; shares are estimates from {ORDERS} orders of the edits"
    print(
        f"the edits are {attribution.by}; the shares add up to {difference}{estimates}"
    )


OPTION = ExplainOption(
    about=(
        "With --effects it shows instead what each edit between source and output does to the "
        "score of the sentence, by any\nmetric that scores one: alone, left out, and its share of "
        "the whole difference (`gec-pipeline help effects`)."
    ),
    example=(
        "gec-pipeline explain gleu -s source.txt -r ref0.txt -o system.txt --line 3 --effects"
    ),
    configure=configure,
    inputs=inputs,
    run=run,
)
