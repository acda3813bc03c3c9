"""Compare the systems of a run, or of two runs on the same data, and say which differences are real.

The command reads the counts that the run has stored, never the texts. The settings are those of the run's config, or
else the defaults of `statistics`. The options below change them. `gec-pipeline help statistics` explains all settings.

examples:
  gec-pipeline compare runs/conll14 --baseline INPUT
  gec-pipeline compare runs/conll14 --metric gleu --pairs
  gec-pipeline compare runs/old runs/new --test paired_bootstrap --correction none
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, get_args

from ...config.models import WrittenStatistics
from ...errors import InputError, did_you_mean, printable
from ..progress import Bar

if TYPE_CHECKING:
    import argparse

    from ...scoring.results import Results

SHORT = {"ar": "approximate_randomization", "bs": "paired_bootstrap"}
"""The names of the tests in sacreBLEU."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("run", help="a run directory")
    parser.add_argument("run2", nargs="?", help="another run on the same data sets: systems of both are compared")
    against = parser.add_mutually_exclusive_group()
    against.add_argument("--baseline", metavar="SYSTEM", help="compare each system with this one")
    against.add_argument("--all", action="store_true", help="compare all pairs, also where the config names a baseline")
    parser.add_argument("--pairs", action="store_true", help="print a row for each pair, with intervals and effects")
    add_settings(parser)


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that `compare` and `rank` share."""
    fields = WrittenStatistics.model_fields
    tests = [*get_args(fields["test"].annotation), *SHORT]
    corrections = get_args(fields["correction"].annotation)
    parser.add_argument("--test", choices=tests, help="the paired test; ar and bs are the first two")
    parser.add_argument("--correction", choices=corrections, help="how p-values are corrected for several comparisons")
    for name in ("level", "resamples", "trials", "seed"):
        parser.add_argument(
            f"--{name}", metavar="N", help=f"{fields[name].description}; default: {fields[name].default}"
        )
    parser.add_argument("--metric", metavar="NAME", help="only this metric: its name or its signature")
    parser.add_argument("--dataset", metavar="NAME", help="only this data set")
    parser.add_argument("--digits", type=int, default=2, choices=range(13), metavar="N", help="decimals (default: 2)")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")
    parser.add_argument("--json", action="store_true", help="print as results.json does")


def run(args: argparse.Namespace) -> int:
    """Print the comparisons."""
    from ...report.console import print_comparisons

    results = compared(args, args.run2, args.baseline, from_config=not args.all)
    if args.json:
        sys.stdout.write(results.to_json())
    elif results.tests:
        print_comparisons(results, args.digits, pairs=args.pairs)
    else:
        raise InputError(f"{args.run}: there is one system only, so there is nothing to compare")
    return 0


def compared(args: argparse.Namespace, second: str | None, baseline: str | None, *, from_config: bool) -> Results:
    """Return the results of one run, or of two, with the statistics that the arguments ask for.

    `second` is the other run, if there is one. `from_config` says that the baseline of the run's config holds where
    `baseline` is None.
    """
    from ...scoring import stored_runs
    from ...scoring.resampling.significance import with_statistics

    results, columns = stored_runs.load_runs(args.run, second or None)
    columns = stored_runs.only(columns, args.metric, args.dataset)
    written = dict(results.statistics or {}) | ({} if from_config else {"baseline": None})
    settings = _settings(args, written, baseline)
    names = list(dict.fromkeys(name for scored in columns for name in scored.names))
    if settings.baseline is not None and settings.baseline not in names:
        hint = did_you_mean(settings.baseline, names)
        raise InputError(f"--baseline {settings.baseline}: no system is called so{hint}; there are {', '.join(names)}")
    results = stored_runs.restricted(results, columns)
    with Bar(enabled=not args.quiet and sys.stderr.isatty()) as bar:
        bar.stage("resampling")
        results = with_statistics(results, columns, settings, bar.testing)
    for warning in () if args.quiet else results.warnings:
        print(printable(f"warning: {warning}"), file=sys.stderr)
    return results


def _settings(args: argparse.Namespace, written: dict[str, Any], baseline: str | None) -> WrittenStatistics:
    """Return the settings of the run, changed by those of the command line."""
    from ...scoring.resampling.significance import statistics_of

    given: dict[str, Any] = {name: getattr(args, name) for name in ("test", "correction", "level", "resamples")}
    given |= {"trials": args.trials, "seed": args.seed, "baseline": baseline}
    given = {name: value for name, value in given.items() if value is not None}
    if "test" in given:
        given["test"] = SHORT.get(given["test"], given["test"])
    texts = {name: str(value) for name, value in (written | given).items() if value is not None}
    return statistics_of(texts, "--")
