"""Score files as the package gleu (gleu, sgleu, mgleu) does, with the same options, defaults and output lines.

  corpus  print a score for each system; references are chosen at random (-m: the best for each sentence)
  sent    print a line for each sentence, with a tab-separated column for each system (mean over references; -m: best)
  mean    print a score for each system: the mean of its sentence scores

examples:
  gec-pipeline gleu corpus -f -s source.txt -r ref0.txt ref1.txt -o a.txt b.txt
  gec-pipeline gleu corpus -m -v -s source.txt -r ref0.txt ref1.txt -o a.txt
  gec-pipeline gleu sent -d 4 -s source.txt -r ref0.txt ref1.txt -o a.txt b.txt

The option -d is the number of digits. Three things are unlike the package: -v prints the table of orders in mode corpus
without -m too, files that do not fit together are refused, and a line ends at a line feed only.
"""

import argparse
import math
import secrets
import sys
from collections.abc import Mapping

from ...api import evaluate_corpus
from ...data.corpus import Corpus
from ...data.inputs import TEXTS
from ...data.scan import STRIDE
from ...data.texts import read_texts
from ...errors import ConfigError
from ...evaluation import Evaluation
from ...metrics.build import from_texts
from ...report.tables import ascii_table, percent, round_half_up
from ..arguments import add_files, jobs, open_files

HEADER = ("", "match", "penal", "numer", "denom", "p", "bp", "gleu")
"""The columns of the package's table."""
COUNTED = ("match", "penalty", "numer", "total")
"""The outputs that the four columns with counts show."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the package's arguments, and --seed. The values that are the metric's are checked
    where it is made.
    """
    add = parser.add_argument
    add("mode", choices=["corpus", "sent", "mean"])
    add_files(parser, plain=True)
    add("-n", dest="order", default="4", metavar="N", help="longest n-grams (default: 4)")
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
    add("-p", "--proc", type=jobs, default=1, metavar="N", help="workers (default: 1)")
    add(
        "-t",
        "--token",
        dest="unit",
        choices=["char", "word"],
        default="word",
        help="unit (default: word)",
    )
    add("-m", "--max", action="store_true", help="the best reference of each sentence")
    add(
        "-f",
        "--fix",
        "--fix-seed",
        action="store_true",
        help="choose references as the original does",
    )
    add("-v", "--verbose", action="store_true", help="print a table of the orders")
    add("--seed", metavar="N", help="repeat the choice of references of a run without -f")


def run(args: argparse.Namespace) -> None:
    if args.source is None:
        raise ConfigError("-s: GLEU+ needs the source")
    options = {"order": args.order, "unit": args.unit}
    if args.unit == "word":
        options["tokenizer"] = "whitespace"  # the package is in Python 3
    drawn = args.mode == "corpus" and not args.max
    if args.mode == "corpus":
        options |= {
            "zero_total": "one",
            **({"iterations": args.iterations} if drawn else {"references": "max"}),
        }
    else:
        options |= {"level": "mean", "references": "max" if args.max else "mean"}
    if args.seed is not None:
        options["seed"] = args.seed
    untold = drawn and not args.fix and args.seed is None
    if drawn and not args.fix:
        options = {"sampler": "numpy", "seed": str(secrets.randbelow(2**32)), **options}
    metrics = from_texts(["gleu"], options)
    corpus = open_files(args, views=(TEXTS,))
    if untold:
        print(
            f"seed: {options['seed']} (--seed {options['seed']} repeats these draws)",
            file=sys.stderr,
        )
    evaluation = evaluate_corpus(corpus, metrics, n_jobs=args.proc)
    if args.mode == "sent" and args.verbose:
        _print_sentences(args, evaluation, corpus)
    elif args.mode == "sent":
        for row in zip(*(result.sentences.tolist() for result in evaluation), strict=True):
            print("\t".join(percent(score, args.digit) for score in row))
    else:
        for result in evaluation:
            if args.verbose and args.mode == "corpus":
                print(f"{result.system}\n{_table(result.outputs, args)}")
            else:
                print(f"{result.system}\t{percent(result.score, args.digit)}")


def _print_sentences(args: argparse.Namespace, evaluation: Evaluation, corpus: Corpus) -> None:
    """Print each sentence: source, output, and every reference with its table. The best reference
    has a star.
    """
    start = 0
    for blocks in zip(*(result.statistics.blocks() for result in evaluation), strict=True):
        outputs = [
            r.measure.sentence_outputs(columns)
            for r, columns in zip(evaluation, blocks, strict=True)
        ]
        best = [r.measure.choose(columns) for r, columns in zip(evaluation, blocks, strict=True)]
        for low in range(start, start + len(best[0]), STRIDE):
            high = min(low + STRIDE, start + len(best[0]))
            texts = [read_texts(text, low, high) for text in corpus.texts()]
            for line in range(low, high):
                source, *others = (text[line - low] for text in texts)
                references, systems = (
                    others[: len(corpus.references)],
                    others[len(corpus.references) :],
                )
                for h, system in enumerate(systems):
                    for r, reference in enumerate(references):
                        star = "*" if r == best[h][line - start] else " "
                        print(f"S-{line + 1}   \t{source}")
                        print(f"H-{line + 1}-{h + 1} \t{system}")
                        print(f"R-{line + 1}-{r + 1}{star}\t{reference}")
                        print(
                            _table(
                                {name: float(a[line - start, r]) for name, a in outputs[h].items()},
                                args,
                            )
                        )
        start += len(best[0])


def _table(outputs: Mapping[str, float], args: argparse.Namespace) -> str:
    """Return the package's table of outputs, with a row for each order and a row for the total."""
    bp = percent(outputs["brevity_penalty"], args.digit)
    rows, sums = [], [0.0] * len(COUNTED)
    for n in range(1, int(args.order) + 1):
        counts = [outputs[f"{name}_{n}"] for name in COUNTED]
        sums = [total + count for total, count in zip(sums, counts, strict=True)]
        fractions = [
            percent(outputs[f"precision_{n}"], args.digit),
            bp,
            percent(outputs[f"gleu_{n}"], args.digit),
        ]
        rows.append([str(n), *(_count(count, args.digit) for count in counts), *fractions])
    fractions = [
        percent(outputs["precision"], args.digit),
        bp,
        percent(outputs["gleu"], args.digit),
    ]
    rows.append(["total", *(_count(count, args.digit) for count in sums), *fractions])
    return ascii_table(HEADER, rows)


def _count(value: float, digits: int) -> str:
    """Return a number of n-grams as text. A mean over draws of references, or over references, has
    decimals.
    """
    whole = round(value)  # a sum of means may differ from a whole number in its last bit
    return (
        str(whole)
        if math.isclose(value, whole, rel_tol=1e-12, abs_tol=1e-12)
        else round_half_up(value, digits)
    )
