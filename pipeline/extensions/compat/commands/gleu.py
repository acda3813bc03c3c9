"""Score files as the package gleu (gleu, sgleu, mgleu) does: the same options, defaults and output.

  corpus  print a score for each system; references are chosen at random (-m: the best of each line)
  sent    print a line for each sentence, with a column for each system (mean reference; -m: best)
  mean    print a score for each system: the mean of its sentence scores

examples:
  gec-pipeline gleu corpus -f -s source.txt -r ref0.txt ref1.txt -o a.txt b.txt
  gec-pipeline gleu corpus -m -v -s source.txt -r ref0.txt ref1.txt -o a.txt
  gec-pipeline gleu sent -d 4 -s source.txt -r ref0.txt ref1.txt -o a.txt b.txt

The option -d is the number of digits. Three things are unlike the package: -v prints the table of
orders in mode corpus without -m too, files that do not fit together are refused, and a line ends at
a line feed only.
"""

import argparse
import math
import secrets
import sys
from collections.abc import Iterable, Mapping, Sequence

from pipeline.api import evaluate_corpus
from pipeline.cli.arguments import add_files, jobs, open_files
from pipeline.data import TEXTS, Corpus
from pipeline.errors import ConfigError
from pipeline.evaluation import Evaluation
from pipeline.metrics import from_texts
from pipeline.report.tables import percent, round_half_up

LINES_AT_ONCE = 128
"""How many lines are read at once."""
HEADER = ("", "match", "penal", "numer", "denom", "p", "bp", "gleu")
"""The columns of the package's table."""
COUNTED = ("match", "penalty", "numer", "total")
"""The outputs that the four columns with counts show."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the package's arguments, and --seed.

    The metric checks the values of its options.
    """
    add = parser.add_argument
    add("mode", choices=["corpus", "sent", "mean"])
    add_files(parser, plain=True)
    add(
        "-n",
        dest="order",
        default="4",
        metavar="N",
        help="longest n-grams (default: 4)",
    )
    add(
        "-i",
        "--iter",
        dest="iterations",
        default="500",
        metavar="N",
        help="iterations (default: 500)",
    )
    add(
        "-d",
        "--digit",
        type=int,
        choices=range(31),
        default=2,
        metavar="N",
        help="decimals (default: 2)",
    )
    add(
        "-p",
        "--proc",
        type=jobs,
        default=1,
        metavar="N",
        help="workers (default: 1)",
    )
    add(
        "-t",
        "--token",
        dest="unit",
        choices=["char", "word"],
        default="word",
        help="unit (default: word)",
    )
    add(
        "-m",
        "--max",
        action="store_true",
        help="the best reference of each sentence",
    )
    add(
        "-f",
        "--fix",
        "--fix-seed",
        action="store_true",
        help="choose references as the original does",
    )
    add(
        "-v",
        "--verbose",
        action="store_true",
        help="print a table of the orders",
    )
    add(
        "--seed",
        metavar="N",
        help="repeat the choice of references of a run without -f",
    )


def _options(args: argparse.Namespace) -> dict[str, str]:
    """Return the options of the metric gleu for the package's arguments.

    Those of random draws of references have the sampler, but no seed unless --seed is given.
    """
    options = {"order": args.order, "unit": args.unit}
    if args.unit == "word":
        options["tokenizer"] = "whitespace"  # the package is in Python 3
    draws_references = args.mode == "corpus" and not args.max
    if args.mode == "corpus":
        options["zero_total"] = "one"
    else:
        options["level"] = "mean"
    if draws_references:
        options["iterations"] = args.iterations
    else:
        options["references"] = "max" if args.max else "mean"
    if args.seed is not None:
        options["seed"] = args.seed
    if draws_references and not args.fix:
        options["sampler"] = "numpy"
    return options


def run(args: argparse.Namespace) -> None:
    """Print the scores of systems or sentences; raises ConfigError without a source."""
    if args.source is None:
        raise ConfigError("-s: GLEU+ needs the source")
    options = _options(args)
    random_seed = None
    if "sampler" in options and args.seed is None:
        random_seed = str(secrets.randbelow(2**32))
        options["seed"] = random_seed
    metrics = from_texts(["gleu"], options)
    corpus = open_files(args, views=(TEXTS,))
    if random_seed is not None:
        print(
            f"seed: {random_seed} (--seed {random_seed} repeats these draws)",
            file=sys.stderr,
        )
    evaluation = evaluate_corpus(corpus, metrics, n_jobs=args.proc)
    if args.mode == "sent" and args.verbose:
        _print_sentences(args, evaluation, corpus)
    elif args.mode == "sent":
        for row in zip(
            *(result.sentences.tolist() for result in evaluation), strict=True
        ):
            print("\t".join(percent(score, args.digit) for score in row))
    else:
        for result in evaluation:
            if args.verbose and args.mode == "corpus":
                print(f"{result.system}\n{_table(result.outputs, args)}")
            else:
                print(f"{result.system}\t{percent(result.score, args.digit)}")


def _print_sentences(
    args: argparse.Namespace, evaluation: Evaluation, corpus: Corpus
) -> None:
    """Print each sentence: source, output, and every reference with its table.

    The best reference has a star.
    """
    reference_count = len(corpus.references)
    start = 0  # the first line of the block of statistics
    for blocks in zip(
        *(result.statistics.blocks() for result in evaluation), strict=True
    ):
        # the scores of the block's lines by system
        scores_of_systems = []
        best_references = []
        for result, columns in zip(evaluation, blocks, strict=True):
            scores_of_systems.append(result.measure.sentence_outputs(columns))
            best_references.append(result.measure.choose(columns))
        end = start + len(best_references[0])

        # their texts, some lines at a time
        for low in range(start, end, LINES_AT_ONCE):
            high = min(low + LINES_AT_ONCE, end)
            texts = [text.read(low, high) for text in corpus.texts]
            for line in range(low, high):
                source, *others = (text[line - low] for text in texts)
                references = others[:reference_count]
                for system, output in enumerate(others[reference_count:]):
                    best = best_references[system][line - start]
                    for index, reference in enumerate(references):
                        star = "*" if index == best else " "
                        scores = {}
                        for name, column in scores_of_systems[system].items():
                            scores[name] = float(column[line - start, index])
                        print(f"S-{line + 1}   \t{source}")
                        print(f"H-{line + 1}-{system + 1} \t{output}")
                        print(f"R-{line + 1}-{index + 1}{star}\t{reference}")
                        print(_table(scores, args))
        start = end


def _table(outputs: Mapping[str, float], args: argparse.Namespace) -> str:
    """Return the package's table of outputs, with a row for each order and a row for the total.

    `outputs` has the outputs of the metric gleu by name, such as match_2 for order 2.
    """
    totals = dict.fromkeys(COUNTED, 0.0)

    def row(title: str, counts: Iterable[float], suffix: str) -> list[str]:
        """Return the cells of a row; `suffix` is that of the names of its outputs."""
        cells = [title]
        for count in counts:
            cells.append(_count(count, args.digit))
        for name in (f"precision{suffix}", "brevity_penalty", f"gleu{suffix}"):
            cells.append(percent(outputs[name], args.digit))
        return cells

    rows = []
    for n in range(1, int(args.order) + 1):
        counts = {name: outputs[f"{name}_{n}"] for name in COUNTED}
        for name, count in counts.items():
            totals[name] += count
        rows.append(row(str(n), counts.values(), f"_{n}"))
    rows.append(row("total", totals.values(), ""))
    return _boxed(HEADER, rows)


def _boxed(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table as the package prints it, by prettytable: boxed, with centred cells.

    If the blanks of a cell are odd in number, the larger half is on the right of cells of odd
    length.
    """
    all_rows = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*all_rows, strict=True)]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+"
    lines = []
    for row in all_rows:
        cells = [
            cell.center(width) for cell, width in zip(row, widths, strict=True)
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])


def _count(value: float, digits: int) -> str:
    """Return a number of n-grams as text. A mean over references, or their draws, has decimals."""
    nearest = round(value)
    # A sum of means may differ from an integer in its last bit.
    if math.isclose(value, nearest, rel_tol=1e-12, abs_tol=1e-12):
        return str(nearest)
    return round_half_up(value, digits)
