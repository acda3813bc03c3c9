"""Compare the systems of a run, or of two runs on the same data, and say which differences are
real.

The command reads the counts that the run has stored, never the texts. The settings are those of the
run's config, or else the defaults of `statistics`. The options below change them. `gec-pipeline
help statistics` explains all settings. `--fail-if-worse` is a gate for continuous integration: OLD
is named first, and the exit code is 1 where NEW is worse. `--worst` tests nothing: it prints the
sentences whose scores differ most between two systems, with their texts.

examples:
  gec-pipeline compare runs/conll14 --baseline INPUT
  gec-pipeline compare runs/conll14 --metric gleu --all
  gec-pipeline compare runs/conll14 --system AMU 'C*' --metric BLEU gleu --columns interval p
  gec-pipeline compare runs/conll14 --worst 10 --system AMU CAMB --metric gleu
  gec-pipeline compare runs/old runs/new --test paired_bootstrap --correction none
  gec-pipeline compare runs/old runs/new --fail-if-worse --metric chrf
  gec-pipeline compare runs/old runs/new --fail-if-worse --margin 0.5 --json
"""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from ...data.config.models import StatisticsConfig
from ...errors import InputError, PipelineError, printable
from ...execution.store.run_directory import folder_of
from ...metrics.names import factor, goodness, lower_is_better
from ...reopen import chosen, revisit
from ...report.console import print_comparisons
from ...report.sentence import most_different, sentence
from ...report.tables import percent
from ...report.tables.comparisons import is_significant, p_cell, pair_table
from ...report.tables.ranked import called, check_picked
from ...report.terminal.printing import print_text, print_warnings
from ...report.terminal.progress import Bar
from ...scoring import stored_runs
from ...scoring.metric_results import MetricResult, picked
from ...scoring.resampling.paired_tests import CORRECTIONS
from ...scoring.resampling.significance import settings_of, stored_settings, with_statistics
from ...scoring.results import Comparison, Results, without_nan
from ...scoring.significance_tests import names_of_tests, short_names
from ...scoring.stored_runs import Selection, names_like, only, restricted
from ..arguments import add_parts, add_settings, add_shown, selection_of, whole_number

NO_TEST = "--test none: nothing is compared; the run's config says so, or --test; name another test"
ASKED = ("test", "correction", "outputs", "level", "resamples", "trials", "seed")
"""Settings of the run's statistics that the command line may change."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", help="a run directory")
    parser.add_argument(
        "run2", nargs="?", help="another run on the same data sets: systems of both are compared"
    )
    against = parser.add_mutually_exclusive_group()
    against.add_argument("--baseline", metavar="SYSTEM", help="compare each system with this one")
    against.add_argument(
        "--all",
        action="store_true",
        help="compare all pairs, also where the config names a baseline",
    )
    meaning = "exit code 1 where a system of the second run is significantly worse"
    parser.add_argument("--fail-if-worse", action="store_true", help=meaning)
    meaning = "with --fail-if-worse, in place of the test: worse by more than X points as printed, significant or not"
    parser.add_argument("--margin", type=_margin, metavar="X", help=meaning)
    meaning = "print the N sentences where two systems differ most"
    parser.add_argument("--worst", type=whole_number(1), metavar="N", help=meaning)
    add_statistics(parser)


def _margin(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(
            f"expected a number of points from 0, such as 0.5, found '{text}'"
        )
    return number


def add_statistics(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that `compare` and `rank` share."""
    tests = [*names_of_tests(), *short_names()]
    parser.add_argument(
        "--test", choices=tests, help="the paired test; ar and bs are the first two"
    )
    add_settings(parser, StatisticsConfig, ASKED[1:], {})
    add_parts(parser)
    add_shown(parser, "columns")
    parser.add_argument(
        "--digits",
        type=int,
        default=2,
        choices=range(13),
        metavar="N",
        help="decimals (default: 2)",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")
    parser.add_argument("--json", action="store_true", help="print as results.json does")


def run(args: argparse.Namespace) -> int:
    if args.worst:
        return _worst(args)
    if args.fail_if_worse or args.margin is not None:
        try:
            return _gate(args)
        except PipelineError as error:
            if args.json:
                print(json.dumps({"verdict": "error", "message": str(error)}, indent=1))
            raise
    results = compared(args, from_config=not args.all)
    check_picked(pair_table(results, [], args.digits)[0][2:], args.columns)
    if args.json:
        sys.stdout.write(results.to_json())
    elif results.tests:
        print_comparisons(results, args.digits, args.columns)
    elif (results.statistics or {}).get("test") == "none":
        raise InputError(NO_TEST)
    else:
        raise InputError(f"{args.run}: there is one system only, so there is nothing to compare")
    return 0


def _gate(args: argparse.Namespace) -> int:
    """Print whether systems of the second run are worse than in the first one; return 1 where one
    is.
    """
    if not args.fail_if_worse or not args.run2 or args.baseline is not None:
        raise InputError("--fail-if-worse: takes two runs, OLD and NEW, and no --baseline")
    results = compared(args, versions=True)
    settings, tests = results.statistics or {}, list["Comparison"]()
    if settings["test"] == "none":
        raise InputError(NO_TEST)
    for _, group in groupby(results.tests, key=lambda test: (test.dataset, test.metric)):
        own = list(group)
        adjusted = CORRECTIONS[settings["correction"]]([test.p for test in own])
        tests += [replace(test, p_adjusted=p) for test, p in zip(own, adjusted, strict=True)]
    printed, verdicts = called(test.metric for test in tests), []
    scores = {(score.dataset, score.metric, score.system): score.score for score in results.scores}
    by = "" if args.margin is None else f" by more than {args.margin:g}"
    for test in tests:
        both = {(test.dataset, test.metric, name) for name in (test.system, test.other)}
        keys = [key for key in scores if key in both]  # in the order of _versions()
        old, new = (scores[key] for key in keys)
        gain = float(goodness(test.metric, new) - goodness(test.metric, old))
        real = is_significant(test, results) and not test.interval[0] <= 0 <= test.interval[1]
        real = abs(gain) * factor(test.metric) > args.margin if args.margin is not None else real
        verdict = ("better" if gain > 0 else "worse") if real and gain else "same"
        ends = (
            test.interval
            if test.system == keys[1][2]
            else tuple(-end for end in reversed(test.interval))
        )
        numbers = {
            "old": old,
            "new": new,
            "difference": new - old,
            "p": test.p,
            "p_adjusted": test.p_adjusted,
        }
        better = not lower_is_better(test.metric)
        was, now = (key[2].rpartition("@")[0] or key[2] for key in keys)
        names = {"dataset": test.dataset, "metric": test.metric, "system": now}
        verdicts.append(
            {**names, "verdict": verdict, "higher_is_better": better, **numbers, "interval": ends}
        )
        if not args.json:
            before, after = (percent(value, args.digits, test.metric) for value in (old, new))
            change = f"{before} -> {after}, p adjusted {p_cell(test, results)}"
            told = ("not worse" if by else "not different") if verdict == "same" else verdict
            name = now if now == was else f"{now} (before: {was})"
            print(
                printable(f"{test.dataset}, {printed[test.metric]}: {name} is {told}{by}: {change}")
            )
    if not verdicts and not args.json:
        print("no system has other outputs in the two runs, so none is worse")
    whole = next(
        (name for name in ("worse", "better") if any(item["verdict"] == name for item in verdicts)),
        "same",
    )
    if args.json:
        sections = {
            "verdict": whole,
            "warnings": results.warnings,
            "comparisons": without_nan(verdicts),
        }
        print(json.dumps(sections, indent=1))
    return int(whole == "worse")


def _versions(
    args: argparse.Namespace, metric_results: Sequence[MetricResult]
) -> tuple[list[MetricResult], list[str]]:
    """Return a board for each system of both runs, or the only two, as it was and as it is; and
    what NEW lacks.
    """
    left = {
        part
        for metric_result in metric_results
        for name in metric_result.names
        for part in (name, name.rpartition("@")[0])
    }
    read = (stored_runs.load_runs(run)[0].scores for run in (args.run, args.run2))
    old, new = (
        list(dict.fromkeys(score.system for score in scores if score.system in left))
        for scores in read
    )
    both = [name for name in old if name in new]
    if not both and (len(old), len(new)) != (1, 1):
        known = "; ".join(
            f"{run} has {', '.join(own) or 'none'}"
            for run, own in ((args.run, old), (args.run2, new))
        )
        message = f"--fail-if-worse: no name is in both runs: {known}; --system with one of each compares these two"
        raise InputError(message)
    versions = []
    for metric_result in metric_results:
        for name in both or [""]:
            own = [
                n
                for n, called in enumerate(metric_result.names)
                if not both or called.rpartition("@")[0] == name
            ]
            versions += [picked([(metric_result, n) for n in own])] if len(own) == 2 else []
    return versions, [name for name in old if both and name not in new]


def _worst(args: argparse.Namespace) -> int:
    """Print the sentences of a run where two systems differ most by one metric on one data set."""
    if args.run2 or args.baseline or args.json:
        raise InputError(
            "--worst: takes one run, and the two systems as --system A B; it prints texts"
        )
    context = chosen(revisit(folder_of(args.run)), replace(selection_of(args), systems=()))
    dataset, *more = list(context.results.datasets)
    if more:
        raise InputError(
            f"--worst: of which data set? Say --dataset: {', '.join([dataset, *more])}"
        )
    measured, *others = context.measured
    if others:
        metrics = ", ".join(one.scores[0].metric for one in context.measured)
        raise InputError(f"--worst: by which metric? Say --metric: {metrics}")
    names = [name for name, own in zip(measured.names, measured.columns, strict=False) if own]
    names = names_like("--system", args.system, names) if args.system else names
    if len(names) != 2:
        raise InputError(
            f"--worst: between which systems? Say --system A B; there are {', '.join(names)}"
        )
    one, two = names
    lines = most_different(measured, one, two, args.worst)
    print(
        printable(
            f"{dataset}: the sentences where {one} and {two} differ most\n{measured.scores[0].metric}"
        )
    )
    for line, *scores in lines:
        texts, place = sentence(context, dataset, line, [one, two])
        first, second = (percent(score, args.digits, measured.signature) for score in scores)
        print(printable(f"\n{place}: {one} {first}, {two} {second}"))
        width = max((len(name) for name, _ in texts), default=0)
        for name, text in texts:
            print_text(f"  {name.ljust(width)}  {text.replace(chr(10), ' ')}".rstrip())
    if not lines:
        print("\nno sentence has different scores")
    if context.unread:
        print(printable(f"no texts: {context.unread}"), file=sys.stderr)
    return 0


def compared(
    args: argparse.Namespace, *, from_config: bool = False, versions: bool = False
) -> Results:
    """Return the results of one run, or of two, with the statistics that the arguments ask for.

    `from_config` says that the baseline of the run's config holds where the arguments name none.
    `versions` compares each system of two runs with itself alone."""
    results, columns = stored_runs.load_runs(args.run, getattr(args, "run2", None) or None)
    columns = only(columns, replace(selection_of(args), systems=()))
    written = stored_settings(results) | ({} if from_config else {"baseline": None})
    asked = {name: getattr(args, name) for name in (*ASKED, "baseline")}
    asked["test"] = short_names().get(args.test, args.test)
    given = written | {name: value for name, value in asked.items() if value is not None}
    names = list(dict.fromkeys(name for scored in columns for name in scored.names))
    settings = settings_of(given, names, "--")
    if args.system:
        if args.baseline is None and len(names_like("--system", args.system, names)) == 2:
            settings = settings.model_copy(
                update={"baseline": None}
            )  # the two alone, one against the other
        columns = only(
            columns,
            Selection(systems=[*args.system, *([settings.baseline] if settings.baseline else [])]),
        )
        columns = [metric_result.reranked() for metric_result in columns]
    if versions:
        columns, lost = _versions(args, columns)
        told = (
            [f"{args.run2}: lacks {', '.join(lost)}, which {args.run} has: not compared"]
            if lost
            else []
        )
        results = replace(results, warnings=[*told, *results.warnings])
    results, columns = restricted(results, columns)
    with Bar(enabled=not args.quiet and sys.stderr.isatty()) as bar:
        bar.stage("resampling")
        results, _ = with_statistics(results, columns, settings, bar.testing)
    print_warnings(results.warnings, quiet=args.quiet)
    return results
