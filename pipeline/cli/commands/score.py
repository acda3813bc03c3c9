"""Score files without a config. METRIC is a name, a name with options as in gleu[n=3], or a printed signature.

examples:
  gec-pipeline score gleu -s source.txt -r ref0.txt ref1.txt -o system.txt --confidence
  gec-pipeline score gleu -s source.txt -r ref0.txt ref1.txt -o a.txt b.txt --references max --order 3
  gec-pipeline score bleu -r ref0.txt ref1.txt -o system.txt --tokenizer intl --lowercase true
  gec-pipeline score bleu -r s3://bucket/ref.txt -o https://example.org/system.txt.gz
  gec-pipeline score "gleu[level=mean,smoothing=ones]" -s source.txt -r ref*.txt -o system.txt --sentences
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ...errors import printable
from ..arguments import add_files, jobs, open_files
from ..kernel_note import kernel_notes

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from ...api import Result


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments: the files, and every option of every metric."""
    from ...metrics import METRICS

    known = {name: metric for name, metric in METRICS.items() if not metric.reads_files}
    parser.add_argument("metric", metavar="METRIC", help=f"one of {', '.join(known)}, also with options")
    add_files(parser)
    parser.add_argument("--digits", type=int, default=2, choices=range(13), metavar="N", help="decimals (default: 2)")
    parser.add_argument("--n-jobs", type=jobs, default="auto", metavar="N", help="workers (default: auto)")
    parser.add_argument(
        "--confidence", action="store_true", help="also print bootstrap intervals and paired tests (help statistics)"
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--orders", action="store_true", help="print match, penalty, precision ... of each order")
    shown.add_argument("--sentences", action="store_true", help="print score, std, low and high of each sentence")
    shown.add_argument("--json", action="store_true", help="print as results.json does")
    group = parser.add_argument_group("options of the metric")
    for name in dict.fromkeys(option.name for metric in known.values() for option in metric.options):
        flags = [f"--{name.replace('_', '-')}", *([f"--{name}"] if "_" in name else [])]
        if name == "references":  # --references is -r: the option has its name in signatures
            flags = ["--refs"]
        group.add_argument(*flags, dest=f"option_{name}", metavar="VALUE", help=_help(name))


def _help(name: str) -> str:
    """Return the meanings of an option. Before each stand its metrics, unless all metrics share the meaning."""
    from ...metrics import METRICS

    meanings: dict[str, list[str]] = {}
    known = [metric for metric in METRICS.values() if not metric.reads_files]
    for metric in known:
        for option in metric.options:
            if option.name == name:
                meanings.setdefault(f"{option.help}: {option.values()}", []).append(metric.name)
    return "; ".join(
        text if len(names) == len(known) else f"({', '.join(names)}) {text}" for text, names in meanings.items()
    )


def run(args: argparse.Namespace) -> int:
    """Print the scores."""
    from ...api import Evaluation, evaluate_corpus
    from ...corpus.input_warnings import suspicions
    from ...metrics.build import from_text
    from ...report.console import print_orders, print_results
    from ...scoring.results import REFERENCES_ROW, Results
    from ...scoring.scores import describe

    given = {key.removeprefix("option_"): value for key, value in vars(args).items() if key.startswith("option_")}
    metric = from_text(args.metric, {key: value for key, value in given.items() if value is not None})
    corpus = open_files(args)
    for note in kernel_notes([corpus]):
        print(printable(f"note: {note}"), file=sys.stderr)
    evaluation: Evaluation = evaluate_corpus(corpus, [metric], n_jobs=args.n_jobs)
    for note in evaluation.warnings[len(suspicions(corpus)) :]:  # open_files() has printed the others
        print(printable(f"warning: {note}"), file=sys.stderr)
    results = Results(
        datasets={corpus.name: describe(corpus)}, scores=[result.found for result in evaluation], warnings=[]
    )
    if args.confidence:
        from ...scoring.resampling.significance import statistics_of, with_statistics
        from ...scoring.scored_columns import scored_columns

        columns = [result.statistics if result.system != REFERENCES_ROW else None for result in evaluation]
        scored = scored_columns(metric, results.datasets[corpus.name], results.scores, columns)
        results = with_statistics(results, [scored], statistics_of({}))
    if args.json:
        sys.stdout.write(results.to_json())
    elif args.sentences:
        print_sentences(evaluation, args.digits)
    else:
        (print_orders if args.orders else print_results)(results, args.digits)
    return 0


def print_sentences(results: Sequence[Result], digits: int) -> None:
    """Print a tab-separated row for each sentence of each system.

    A row has the line (from 1), the score, and the standard deviation and the interval over references.
    """
    from ...report.tables.digits import percent

    print("system\tline\tscore\tstd\tlow\thigh")
    for result in results:
        spread: dict[str, Any] = {name: values.tolist() for name, values in result.sentence_spread().items()}
        rows = zip(*(spread[name] for name in ("score", "std", "low", "high")), strict=True)
        for line, row in enumerate(rows, 1):
            print(result.system, line, *(percent(value, digits) for value in row), sep="\t")
