"""Score files without a config. METRIC is a name, name[key=value,...] or a printed signature; several may be given.

Names are understood as people write them: BLEU, sacreBLEU, rougeL, ROUGE-2, chrF++, GLEU+, Google GLEU. An option is
for the metrics that have a use for it. FILE may be plain text, packed or not, an address, data:NAME/FILE, or
FILE:COLUMN: a key of .jsonl, a column of .csv, .tsv (its name, or its number from 1), .parquet, .arrow or a folder that
`datasets` saved, an annotator of .m2. A column of lists is several references; --key ID joins records by their ids.
An .m2 file as the only -r has the references of all annotators, and the source. A file of exactly that name goes first.
--gold is an M2 file, whatever its name: m2 and errant compare edits with it, and other metrics take source and
references from it where -s and -r are not given. errant needs outputs that are M2 files; m2 takes texts.
Options of sacreBLEU's command are understood too: -m, -b, -w, -l, -nr, -e, -sl, -tok, -lc, -ci, -cin, -cw and others.

examples:
  gec-pipeline score gleu -s source.txt -r ref0.txt ref1.txt -o system.txt --confidence
  gec-pipeline score gleu -s source.txt -r ref0.txt ref1.txt -o a.txt b.txt --refs max --order 3
  gec-pipeline score BLEU chrF++ rougeL -r ref.txt -o a.txt b.txt --lowercase
  gec-pipeline score bleu -r ref0.txt ref1.txt -i system.txt --tokenizer intl
  cat system.txt | gec-pipeline score bleu -r ref.txt
  gec-pipeline score ref.txt -i system.txt -m bleu chrf ter --chrf-lowercase -w 1
  gec-pipeline score bleu -l en-ja -r ref.txt -i system.txt -b
  gec-pipeline score bleu --paired-bs -r ref.txt -i baseline.txt a.txt b.txt
  gec-pipeline score gleu -s d.jsonl:source -r d.jsonl:target -o d.jsonl:hyp outputs.tsv:2 outputs.tsv:AMU
  gec-pipeline score rouge1 bleu --key id -r d.jsonl:references -o a.jsonl:prediction b.csv:prediction
  gec-pipeline score gleu -r gold.m2 -o system.txt
  gec-pipeline score gleu -s gold.m2 -r gold.m2:0 gold.m2:1 -o system.txt
  gec-pipeline score m2 gleu --gold gold.m2 -o a.txt b.txt --confidence
  gec-pipeline score errant --gold gold.m2 -o a.m2 b.m2
  gec-pipeline score errant --annotator auto -s source.txt -r ref0.txt ref1.txt -o a.txt
  gec-pipeline score rouge --types 1+2+Lsum -r ref.txt -o system.txt --sentence-outputs
  gec-pipeline score bleu -r s3://bucket/ref.txt -o https://example.org/system.txt.gz
  gec-pipeline score "gleu[level=mean,smoothing=ones]" -s source.txt -r ref*.txt -o system.txt --sentences
"""

from __future__ import annotations

import argparse
import sys
from itertools import repeat
from typing import TYPE_CHECKING, Any

from ...errors import printable
from ...metrics.base.capabilities import reads_files
from ...report.terminal.progress import Bar
from ..arguments import add_computing, add_files, computing_options, jobs, kernel_notes, open_files, output_from_pipe
from ..sacrebleu_options import add_habits, check_habits, metrics_asked, print_bare, statistics_asked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...evaluation import Result
    from ...metrics.base.options import Option
    from ..dispatch import Parser


def configure(parser: Parser) -> None:
    """Declare the arguments: the files, and, where they are needed, the options of all metrics."""
    metrics = parser.add_argument("metrics", metavar="METRIC", nargs="+")
    add_files(parser, "-i", "--hyp", "--hypotheses", "--input", piped=True, gold=True)
    parser.add_argument("--digits", type=int, default=2, choices=range(13), metavar="N", help="decimals (default: 2)")
    parser.add_argument("--n-jobs", type=jobs, default="auto", metavar="N", help="workers (default: auto)")
    parser.add_argument(
        "--confidence", action="store_true", help="also bootstrap intervals and paired tests (help statistics)"
    )
    parser.add_argument(
        "--all-intervals", action="store_true", help="the same, with an interval of each output, such as the recall"
    )
    add_computing(parser)
    add_habits(parser)
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--orders", action="store_true", help="print match, penalty, precision ... of each order")
    shown.add_argument(
        "--sentences", "--sentence", action="store_true", help="print each sentence: score, std, low, high"
    )
    shown.add_argument(
        "--sentence-outputs", action="store_true", help="print each sentence: all outputs, such as recall and precision"
    )
    shown.add_argument("--json", action="store_true", help="print as results.json does")
    parser.declare_later(lambda: _declare_options(parser, metrics))


TAKEN = {"references": ["--refs"], "gold": ["--gold-edits"]}
"""The flags of options whose names are those of files."""


def _declare_options(parser: Parser, metrics: argparse.Action) -> None:
    """Declare every option of every metric, all of which have to be imported for that."""
    from ...metrics import METRICS

    known = {name: metric for name, metric in METRICS.items() if not reads_files(metric)}
    metrics.help = f"one or several of {', '.join(known)}; also with options"
    alone = "An option with the name of a metric before it is for that metric alone, such as --chrf-lowercase."
    group = parser.add_argument_group("options of the metrics", alone)
    options = {option.name: option for metric in known.values() for option in metric.options}
    for name, option in options.items():
        if len(option.choices or ()) == 1:  # there is nothing to choose here
            continue
        flags = [f"--{name.replace('_', '-')}", *([f"--{name}"] if "_" in name else [])]
        flags = TAKEN.get(name, flags)
        group.add_argument(*flags, dest=f"option_{name}", metavar="VALUE", help=_help(name), **_value_of(option))
    for metric in known.values():
        for option in metric.options:
            flag, dest = f"--{metric.name}-{option.name}".replace("_", "-"), f"option_{metric.name}.{option.name}"
            group.add_argument(flag, dest=dest, help=argparse.SUPPRESS, **_value_of(option))


def _value_of(option: Option) -> dict[str, Any]:
    """Return how argparse reads the value of an option. A flag of what is true or false needs none."""
    return {"nargs": "?", "const": "true", "type": _truth} if option.is_truth else {}


def _truth(text: str) -> str:
    """Return true or false. A flag without a value means true; what follows it may have been meant otherwise."""
    if text not in ("true", "false"):
        raise argparse.ArgumentTypeError(f"expected true or false, found '{text}'; a METRIC stands before all options")
    return text


def _help(name: str) -> str:
    """Return the help of an option: each of its meanings, after the metrics that have this meaning if not all do."""
    from ...metrics import METRICS

    meant: dict[str, list[str]] = {}
    known = [metric for metric in METRICS.values() if not reads_files(metric)]
    for metric in known:
        for option in metric.options:
            if option.name == name:
                meant.setdefault(f"{option.help}: {option.values()}", []).append(metric.name)
    return "; ".join(text if len(of) == len(known) else f"({', '.join(of)}) {text}" for text, of in meant.items())


def run(args: argparse.Namespace) -> int:
    """Score and print."""
    from ...api import evaluate_corpus
    from ...corpus.input_warnings import suspicions
    from ...execution.options import RunOptions
    from ...metrics.base.needs import TEXTS
    from ...metrics.defaults import from_texts
    from ...report.terminal.printing import print_text
    from ...scoring.board import describe
    from ...scoring.results import Results

    given = {key.removeprefix("option_"): value for key, value in vars(args).items() if key.startswith("option_")}
    texts = metrics_asked(args)
    options = {key: value for key, value in given.items() if value is not None}
    metrics = from_texts(texts, options, args.pair or "")
    output_from_pipe(args)
    check_habits(args, len(metrics), len(args.outputs))
    views = {metric.needs.input for metric in metrics}
    needed = any(metric.needs.references for metric in metrics)
    corpus = open_files(args, views=views, quiet=args.quiet, references=needed)
    statistics = statistics_asked(args, next(iter(corpus.systems)))
    for note in () if args.quiet else kernel_notes([corpus]):
        print_text(f"note: {note}", sys.stderr)
    known = suspicions(corpus, references=TEXTS in views)  # told when the files were opened
    with Bar(enabled=sys.stderr.isatty() and not args.quiet) as bar:
        how = RunOptions(n_jobs=args.n_jobs, **computing_options(args))
        evaluation = evaluate_corpus(corpus, metrics, options=how, listener=bar, by_type=False)
    results = Results(
        datasets={corpus.name: describe(corpus)},
        scores=[result.found for result in evaluation],
        warnings=list(dict.fromkeys([*known, *evaluation.warnings])),
    )
    if statistics:
        from ...evaluation import boards_of
        from ...scoring.resampling.significance import with_statistics

        results = with_statistics(results, boards_of(evaluation), statistics)[0]
    for note in (note for note in results.warnings if note not in known and not args.quiet):
        print_text(f"warning: {note}", sys.stderr)
    order = list(corpus.systems)
    from ...report.console import print_comparisons, print_orders, print_results

    if args.bare:
        print_bare(evaluation, order, args.digits, sentences=args.sentences)
    elif args.json:
        sys.stdout.write(results.to_json())
    elif args.sentences or args.sentence_outputs:
        print_lines(evaluation, args.digits, outputs=args.sentence_outputs)
    elif args.orders:
        print_orders(results, args.digits)
    else:
        print_results(results, args.digits, settings=not args.paired)
    if args.paired and not args.json:
        print()
        print_comparisons(results, args.digits)
    return 0


def print_lines(results: Sequence[Result], digits: int, *, outputs: bool) -> None:
    """Print, tab-separated, each sentence of each system: line (from 1), id where there are ids, and numbers.

    The numbers are score, std and interval over references in percent, or all outputs: those that count as they are,
    else in percent. Where there are several metrics, the first column is the metric, and a cell is empty where a metric
    has no such output.
    """
    from ...report.tables import percent
    from ...report.tables.ranked import labels, output_cell

    called, ids = labels(result.signature for result in results), results[0].ids
    several, tables = len(called) > 1, list[dict[str, list[str]]]()
    for result in results:
        own = result.sentence_outputs if outputs else result.sentence_spread()
        metric = type(result.measure)
        tables.append(
            {
                name: [output_cell(v, name, metric, digits) if outputs else percent(v, digits) for v in values.tolist()]
                for name, values in own.items()
            }
        )
    names = list(dict.fromkeys(name for own in tables for name in own))
    print(*(["metric"] if several else []), "system", "line", *(["id"] if ids else []), *names, sep="\t")
    for result, table in zip(results, tables, strict=True):
        first = [called[result.signature]] if several else []
        cells = [table.get(name, repeat("")) for name in names]
        for line, row in enumerate(zip(*cells, strict=False), 1):
            place = [line, printable(ids[line - 1])] if ids else [line]
            print(*first, result.system, *place, *row, sep="\t")
