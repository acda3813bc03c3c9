"""What users of sacreBLEU's command type: options of `score` that do the same, and other names of ours."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError

if TYPE_CHECKING:
    from ..config.models import StatisticsConfig
    from ..evaluation import Result
    from .dispatch import Parser

SYNONYMS = {
    "--metrics": "-m",
    "--score-only": "-b",
    "--language-pair": "-l",
    "--width": "--digits",
    "-w": "--digits",
    "--format": "-f",
    "-sl": "--sentences",
    "--sentence-level": "--sentences",
    "-ci": "--confidence",
    "-cin": "--resamples",
    "--confidence-n": "--resamples",
    "-par": "--paired-ar",
    "-pbs": "--paired-bs",
    "-parn": "--trials",
    "--paired-ar-n": "--trials",
    "-pbsn": "--resamples",
    "--paired-bs-n": "--resamples",
    "-tok": "--tokenizer",
    "--tokenize": "--tokenizer",
    "-lc": "--bleu-lowercase",
    "--smooth-method": "--smoothing",
    "-sv": "--smoothing-value",
    "--smooth-value": "--smoothing-value",
    "-cc": "--chrf-char-order",
    "-cw": "--chrf-word-order",
    "--chrf-whitespace": "--whitespace --strip-end",
    "-e": "--encoding",
    "-nr": "--num-refs",
}
"""sacreBLEU's names of options, and ours. It calls options of chrF and TER as we do, such as --chrf-lowercase."""
PAIRED = {"--paired-ar": "approximate_randomization", "--paired-bs": "paired_bootstrap"}
"""The options that ask for paired tests, and the test of each."""


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
    meaning = "metrics, also behind other options"
    parser.add_argument("-m", dest="more_metrics", metavar="METRIC", nargs="+", action=_Metrics, help=meaning)
    parser.add_argument("-l", dest="pair", metavar="PAIR", help="languages such as en-ja: some have an own tokenizer")
    parser.add_argument("-b", dest="bare", action="store_true", help="print bare numbers, of each output or sentence")
    parser.add_argument("-q", "--quiet", action="store_true", help="no warnings and notes on standard error")
    parser.add_argument("-f", dest="form", choices=("text", "json"), help="json is --json")
    paired = parser.add_mutually_exclusive_group()
    for flag, test in PAIRED.items():
        meaning = f"also test against the first output: {test.replace('_', ' ')}"
        paired.add_argument(flag, dest="paired", action="store_const", const=test, help=meaning)
    parser.add_argument("--resamples", metavar="N", help="samples of the bootstrap (default: 1000)")
    parser.add_argument("--trials", metavar="N", help="trials of --paired-ar (default: 10000)")


def metrics_asked(args: argparse.Namespace) -> list[str]:
    """Return the metrics, and take files that stand among them for references, as sacreBLEU's command does.

    Without any metric the metric is BLEU. Raises ConfigError for such files where references stand behind -r too.
    """
    from ..metrics.names import named

    files = [text for text in args.metrics or () if Path(text).is_file() and not named(text)]
    if files and args.references:
        raise ConfigError(f"'{files[0]}' is a file, and no metric; references stand behind -r: -r {files[0]}")
    args.references = args.references or files
    return [text for text in (*(args.metrics or ()), *(args.more_metrics or ())) if text not in files] or ["bleu"]


def check_habits(args: argparse.Namespace, metrics: int, outputs: int) -> None:
    """Raise ConfigError for options that do not go together, with so many metrics and outputs."""
    args.json = args.json or (args.form == "json" and not args.bare)
    paired = next((flag for flag, test in PAIRED.items() if test == args.paired), "")
    if args.resamples is not None and not (args.confidence or args.all_intervals or paired):
        raise ConfigError("--resamples: has no effect without --confidence or --paired-bs")
    if args.trials is not None and paired != "--paired-ar":
        raise ConfigError("--trials: has no effect without --paired-ar")
    if paired and outputs < 2:
        raise ConfigError(f"{paired}: tests outputs against the first one; there is only one")
    parts = {"--sentences": args.sentences, "--sentence-outputs": args.sentence_outputs}
    for flag in (flag for flag, given in parts.items() if given):
        if paired:
            raise ConfigError(f"{paired}: is not printed with {flag}")
        if args.form and not args.bare:
            raise ConfigError(f"-f: is for results as a whole; leave out {flag}")
    if not args.bare:
        return
    others = {"--json": args.json, "--sentence-outputs": args.sentence_outputs}
    others |= {"--confidence": args.confidence, "--all-intervals": args.all_intervals, paired: bool(paired)}
    for flag in (flag for flag, given in others.items() if given):
        raise ConfigError(f"-b: prints a bare number, and nothing of {flag}; leave one of them out")
    if metrics > 1:
        raise ConfigError(f"-b: prints the numbers of one metric, found {metrics}; take --json for several")
    if args.sentences and outputs > 1:
        raise ConfigError(f"-b --sentences: prints the sentences of one output, found {outputs}; leave out -b")


def statistics_asked(args: argparse.Namespace, first: str) -> StatisticsConfig | None:
    """Return the settings of intervals and tests, or None. The baseline of paired tests is the output `first`.

    Raises InputError for wrong numbers of samples.
    """
    if not (args.confidence or args.all_intervals or args.paired):
        return None
    from ..scoring.resampling.significance import statistics_of  # here, because most scores have no statistics

    paired = {"test": args.paired, "baseline": first} if args.paired else {}
    given = {"resamples": args.resamples, "trials": args.trials, **paired}
    given |= {"outputs": "all"} if args.all_intervals else {}
    return statistics_of({name: value for name, value in given.items() if value is not None}, "--")


def print_bare(results: Sequence[Result], order: Sequence[str], digits: int, *, sentences: bool) -> None:
    """Print the score of each system in the order of `order`, or the scores of all sentences of the only one."""
    from ..report.tables import percent

    named = {result.system: result for result in results}
    for result in (named[system] for system in order):
        for score in result.sentences.tolist() if sentences else [result.score]:
            print(percent(score, digits, result.signature))
