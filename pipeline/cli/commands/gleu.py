"""Score files as the package gleu (gleu, sgleu, mgleu) does, with the same options, defaults and output lines.

  corpus  print a score for each system; references are chosen at random (-m: the best for each sentence)
  sent    print a line for each sentence, with a tab-separated column for each system (mean over references; -m: best)
  mean    print a score for each system: the mean of its sentence scores

examples:
  gec-pipeline gleu corpus -f -s source.txt -r ref0.txt ref1.txt -o a.txt b.txt
  gec-pipeline gleu corpus -m -v -s source.txt -r ref0.txt ref1.txt -o a.txt
  gec-pipeline gleu sent -d 4 -s source.txt -r ref0.txt ref1.txt -o a.txt b.txt

The option -d is the number of digits. Three things are unlike the package: -v prints the table of orders in every mode,
files that do not fit together are refused, and a line ends at a line feed only.
"""

from __future__ import annotations

import math
import secrets
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from ...api import evaluate_corpus
from ...corpus.scan import STRIDE
from ...corpus.texts import read_texts
from ...errors import ConfigError
from ...metrics import METRICS
from ...metrics.base.needs import TEXTS
from ...report.tables import ascii_table, percent, round_half_up
from ...report.tables.ranked import is_count
from ...scoring.aggregation import POLICIES
from ..arguments import add_files, open_files

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from ...corpus.corpus import Corpus
    from ...evaluation import Evaluation, Result

GLEU = METRICS["gleu"]
HEADER = ("", "match", "penal", "numer", "denom", "p", "bp", "gleu")
"""The columns of the package's table."""
COUNTED = ("match", "penalty", "numer", "total")
"""The outputs that the four columns with counts show."""
MAX_DIGITS = 30
MOST = {option.name: option.maximum or 0 for option in GLEU.options}
"""The largest values of the options that are whole numbers, by name. Other options have 0."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the package, and --seed."""
    parser.add_argument("mode", choices=["corpus", "sent", "mean"])
    add_files(parser)
    parser.add_argument("-n", type=_whole(1, 9), default=4, metavar="N", help="longest n-grams (default: 4)")
    parser.add_argument("-i", "--iter", type=_whole(1, MOST["iterations"]), default=500, metavar="N", help="iterations")
    parser.add_argument(
        "-d", "--digit", type=_whole(0, MAX_DIGITS), default=2, metavar="N", help="decimals (default: 2)"
    )
    parser.add_argument("-p", "--proc", type=_whole(1, 9999), default=1, metavar="N", help="workers (default: 1)")
    parser.add_argument("-t", "--token", choices=["char", "word"], default="word", help="unit (default: word)")
    parser.add_argument("-m", "--max", action="store_true", help="the best reference of each sentence")
    parser.add_argument(
        "-f",
        "--fix",
        "--fix-seed",
        dest="fix",
        action="store_true",
        help="choose references as the original does",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="print a table of the orders")
    parser.add_argument(
        "--seed", type=_whole(0, MOST["seed"]), metavar="N", help="repeat the choice of references of a run without -f"
    )


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
            raise ValueError(text)
        return int(text)

    read.__name__ = f"whole number from {low} to {high}"
    return read


def run(args: argparse.Namespace) -> int:
    """Print the scores."""
    if args.source is None:
        raise ConfigError("-s: GLEU+ needs the source")
    if args.seed is not None and (args.mode != "corpus" or args.max or args.fix):
        raise ConfigError("--seed: has an effect only in mode corpus without -m and -f")
    corpus = open_files(args, views=(TEXTS,))
    options: dict[str, Any] = {"order": args.n, "unit": args.token, "zero_total": "one"}
    if args.mode != "corpus":
        options |= {"level": "mean", "references": "max" if args.max else "mean"}
    elif args.max:
        options |= {"references": "max"}
    else:
        options |= {"iterations": args.iter, **({} if args.fix else {"sampler": "numpy", "seed": _seed(args)})}
    evaluation = evaluate_corpus(corpus, [GLEU(**options)], n_jobs=args.proc)
    if args.mode == "sent" and args.verbose:
        _print_sentences(args, evaluation, corpus)
    elif args.mode == "sent":
        for row in zip(*(result.sentences.tolist() for result in evaluation), strict=True):
            print("\t".join(percent(score, args.digit) for score in row))
    else:
        for result in evaluation:
            if args.verbose:
                outputs = _mean_outputs(result, args.n) if args.mode == "mean" else result.outputs
                print(f"{result.system}\n{_table(outputs, args)}")
            else:
                print(f"{result.system}\t{percent(result.score, args.digit)}")
    return 0


def _seed(args: argparse.Namespace) -> int:
    if args.seed is not None:
        return int(args.seed)
    seed = secrets.randbelow(MOST["seed"] + 1)
    print(f"seed: {seed} (--seed {seed} repeats these draws)", file=sys.stderr)
    return seed


def _print_sentences(args: argparse.Namespace, evaluation: Evaluation, corpus: Corpus) -> None:
    """Print each sentence: source, output, and every reference with its table. The best reference has a star."""
    start = 0
    for blocks in zip(*(result.statistics.blocks() for result in evaluation), strict=True):
        outputs = [r.measure.sentence_outputs(columns) for r, columns in zip(evaluation, blocks, strict=True)]
        best = [r.measure.choose(columns) for r, columns in zip(evaluation, blocks, strict=True)]
        for low in range(start, start + len(best[0]), STRIDE):
            high = min(low + STRIDE, start + len(best[0]))
            texts = [read_texts(text, low, high) for text in corpus.texts()]
            for line in range(low, high):
                source, *others = (text[line - low] for text in texts)
                references, systems = others[: len(corpus.references)], others[len(corpus.references) :]
                for h, system in enumerate(systems):
                    for r, reference in enumerate(references):
                        star = "*" if r == best[h][line - start] else " "
                        print(f"S-{line + 1}   \t{source}")
                        print(f"H-{line + 1}-{h + 1} \t{system}")
                        print(f"R-{line + 1}-{r + 1}{star}\t{reference}")
                        print(_table({name: float(a[line - start, r]) for name, a in outputs[h].items()}, args))
        start += len(best[0])


def _mean_outputs(result: Result, order: int) -> dict[str, float]:
    """Return sums of counts and means of fractions over sentences.

    Of several references the mean counts, or the best, as the metric says.
    """
    sums: dict[str, float] = {}
    for columns in result.statistics.blocks():
        outputs = result.measure.sentence_outputs(columns)
        for n in range(1, order + 1):
            outputs[f"penalty_{n}"] = outputs[f"match_{n}"] - outputs[f"numer_{n}"]
        best = POLICIES[result.measure.policy].best(result.measure, columns)
        for name, array in outputs.items():
            values = array.mean(axis=-1) if best is None else array[np.arange(len(array)), best]
            sums[name] = sums.get(name, 0.0) + float(values.sum())
        sums["lines"] = sums.get("lines", 0.0) + len(columns["hyp_len"])
    lines = sums.pop("lines")
    return {name: value if is_count(name, GLEU) else value / lines for name, value in sums.items()}


def _table(outputs: dict[str, float], args: argparse.Namespace) -> str:
    """Return the package's table of outputs, with a row for each order and a row for the total."""
    bp = percent(outputs["brevity_penalty"], args.digit)
    rows, sums = [], [0.0] * len(COUNTED)
    for n in range(1, args.n + 1):
        counts = [outputs[f"{name}_{n}"] for name in COUNTED]
        sums = [total + count for total, count in zip(sums, counts, strict=True)]
        fractions = [percent(outputs[f"precision_{n}"], args.digit), bp, percent(outputs[f"gleu_{n}"], args.digit)]
        rows.append([str(n), *(_count(count, args.digit) for count in counts), *fractions])
    fractions = [percent(outputs["precision"], args.digit), bp, percent(outputs["gleu"], args.digit)]
    rows.append(["total", *(_count(count, args.digit) for count in sums), *fractions])
    return ascii_table(HEADER, rows)


def _count(value: float, digits: int) -> str:
    """Return a number of n-grams as text. A mean over draws of references, or over references, has decimals."""
    whole = round(value)  # a sum of means may differ from a whole number in its last bit
    return str(whole) if math.isclose(value, whole, rel_tol=1e-12, abs_tol=1e-12) else round_half_up(value, digits)
