"""What users of sacreBLEU's command type: options of `score` that do the same, and other names of ours."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..evaluation import Result
    from .dispatch import Parser

MOST_COLUMNS = 255
SYNONYMS = {
    "--metrics": "-m",
    "--score-only": "-b",
    "--language-pair": "-l",
    "--width": "--digits",
    "-w": "--digits",
    "-nr": "--num-refs",
    "--format": "-f",
    "-sl": "--sentences",
    "--sentence-level": "--sentences",
    "-ci": "--confidence",
    "-cin": "--resamples",
    "--confidence-n": "--resamples",
    "-tok": "--tokenizer",
    "--tokenize": "--tokenizer",
    "-lc": "--lowercase",
    "--smooth-method": "--smoothing",
    "-sv": "--smoothing-value",
    "--smooth-value": "--smoothing-value",
    "-cc": "--char-order",
    "--chrf-char-order": "--char-order",
    "-cw": "--word-order",
    "--chrf-word-order": "--word-order",
    "--chrf-beta": "--beta",
    "--chrf-whitespace": "--whitespace",
    "--ter-normalized": "--normalized",
    "--ter-no-punct": "--no-punct",
    "--ter-asian-support": "--asian-support",
    "--ter-case-sensitive": "--case-sensitive",
}
"""sacreBLEU's names of options, and ours."""


class _Metrics(argparse.Action):
    """Metrics after -m, beside which none is needed before all options."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: Any = None) -> None:
        """Add the metrics."""
        del option_string
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or ()), *values])
        for action in parser._actions:  # noqa: SLF001 (argparse has no other way to find it)
            action.required = action.required and action.dest != "metrics"


def add_habits(parser: Parser) -> None:
    """Declare the options that sacreBLEU has too."""
    parser.synonyms = SYNONYMS
    parser.add_argument(
        "-m",
        dest="more_metrics",
        metavar="METRIC",
        nargs="+",
        action=_Metrics,
        help="metrics, also behind other options",
    )
    parser.add_argument(
        "-l", dest="pair", metavar="PAIR", help="languages such as en-ja: zh, ja and ko have tokenizers of their own"
    )
    parser.add_argument(
        "--num-refs",
        type=_columns,
        metavar="N",
        help="-r is one file of tab-separated lines, whose N columns are the references",
    )
    parser.add_argument(
        "-b", dest="bare", action="store_true", help="print the bare number: one line for each output, or each sentence"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="no warnings and notes on standard error")
    parser.add_argument("-f", dest="form", choices=("text", "json"), help="json is --json")
    parser.add_argument("--resamples", metavar="N", help="samples of --confidence (default: 1000)")


def _columns(text: str) -> int:
    """Read a number of columns; for argparse."""
    if text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= MOST_COLUMNS:
        return int(text)
    raise ValueError(text)


_columns.__name__ = f"number of columns (1 to {MOST_COLUMNS})"


def check_habits(args: argparse.Namespace, metrics: int, outputs: int) -> None:
    """Raise ConfigError for options that do not go together, with so many metrics and outputs."""
    args.json = args.json or args.form == "json"
    if args.resamples is not None and not args.confidence:
        raise ConfigError("--resamples: has no effect without --confidence")
    if args.form and (args.orders or args.sentences):
        raise ConfigError("-f: is for results as a whole; leave out --orders and --sentences")
    if not args.bare:
        return
    others = {"--json": args.json, "--orders": args.orders, "--confidence": args.confidence}
    for flag in (flag for flag, given in others.items() if given):
        raise ConfigError(f"-b: prints a bare number, and nothing of {flag}; leave one of them out")
    if metrics > 1:
        raise ConfigError(f"-b: prints the numbers of one metric, found {metrics}; take --json for several")
    if args.sentences and outputs > 1:
        raise ConfigError(f"-b --sentences: prints the sentences of one output, found {outputs}; leave out -b")


def print_bare(results: Sequence[Result], order: Sequence[str], digits: int, *, sentences: bool) -> None:
    """Print the score of each system in the order of `order`, or the scores of all sentences of the only one."""
    from ..report.tables.digits import percent

    named = {result.system: result for result in results}
    for result in (named[system] for system in order):
        for score in result.sentences.tolist() if sentences else [result.score]:
            print(percent(score, digits))
