"""Test which differences between the systems of a run, or of two runs, are real.

The command reads the counts that the run has stored, never the texts. The settings are those of the
run's config, or else the defaults of `statistics`. The options below change them. `gec-pipeline
help statistics` explains all settings. `--fail-if-worse` is a gate for continuous integration: OLD
is named first, and the exit code is 1 if NEW is worse. `--worst` tests nothing: it prints the
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
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from ...data.config import StatisticsConfig
from ...errors import InputError, PipelineError
from ...execution import folder_of
from ...metrics import factor, goodness, lower_is_better
from ...reopen import chosen, revisit
from ...report import Sentence, print_comparisons
from ...report.tables import ColumnPatterns, called, groups, p_cell, percent
from ...report.terminal import Bar, print_line, print_text, print_warnings
from ...scoring import (
    SIGNIFICANCE_TESTS,
    Comparison,
    MetricResult,
    Results,
    Score,
    ScoredRun,
    Selection,
    statistics_settings,
    without_nan,
)
from ..arguments import (
    add_parts,
    add_settings,
    add_shown,
    selection_of,
    whole_number,
)

NO_TEST = "--test none: nothing is compared; the run's config says so, or --test; name another test"
SETTINGS = (
    "test",
    "correction",
    "outputs",
    "level",
    "resamples",
    "trials",
    "seed",
)
"""Settings of the run's statistics that the command line may change."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", help="a run directory")
    parser.add_argument(
        "run2",
        nargs="?",
        help="another run on the same data sets: systems of both are compared",
    )
    against = parser.add_mutually_exclusive_group()
    against.add_argument(
        "--baseline", metavar="SYSTEM", help="compare each system with this one"
    )
    against.add_argument(
        "--all",
        action="store_true",
        help="compare all pairs, also where the config names a baseline",
    )
    parser.add_argument(
        "--fail-if-worse",
        action="store_true",
        help="exit code 1 where a system of the second run is significantly worse",
    )
    parser.add_argument(
        "--margin",
        type=_margin,
        metavar="X",
        help="with --fail-if-worse, in place of the test: worse by more than X points as printed, "
        "significant or not",
    )
    parser.add_argument(
        "--worst",
        type=whole_number(1),
        metavar="N",
        help="print the N sentences where two systems differ most",
    )
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
    tests = [
        *SIGNIFICANCE_TESTS.values_of_setting(),
        *SIGNIFICANCE_TESTS.short_names(),
    ]
    parser.add_argument(
        "--test",
        choices=tests,
        help="the paired test; ar and bs are the first two",
    )
    add_settings(parser, StatisticsConfig, SETTINGS[1:], {})
    add_parts(parser)
    add_shown(parser, "columns", "digits")
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="no progress"
    )
    parser.add_argument(
        "--json", action="store_true", help="print as results.json does"
    )


def run(args: argparse.Namespace) -> int:
    if args.worst:
        return _worst(args)
    if args.fail_if_worse or args.margin is not None:
        try:
            return _gate(args)
        except PipelineError as error:
            if args.json:
                print(
                    json.dumps(
                        {"verdict": "error", "message": str(error)}, indent=1
                    )
                )
            raise
    results = compared(args, from_config=not args.all)
    header, _ = groups(results)[0].pair_table(args.digits)
    ColumnPatterns(args.columns).check(header[2:])
    if args.json:
        sys.stdout.write(results.to_json())
    elif results.tests:
        print_comparisons(results, args.digits, args.columns)
    elif (results.statistics or {}).get("test") == "none":
        raise InputError(NO_TEST)
    else:
        raise InputError(
            f"{args.run}: there is one system only, so there is nothing to compare"
        )
    return 0


class Verdict(NamedTuple):
    """Whether a system of the second run is better or worse than in the first one.

    The fields are the keys of the printed JSON.
    """

    dataset: str
    metric: str
    system: str
    """The name of the system in the second run."""
    verdict: str
    """"better", "worse" or "same"."""
    higher_is_better: bool
    old: float
    new: float
    difference: float
    p: float
    p_adjusted: float
    interval: tuple[float, ...]
    """The interval of the difference."""


def _gate(args: argparse.Namespace) -> int:
    """Print for each system whether it is worse in the second run; return 1 if one is."""
    if not args.fail_if_worse or not args.run2 or args.baseline is not None:
        raise InputError(
            "--fail-if-worse: takes two runs, OLD and NEW, and no --baseline"
        )
    results = compared(args, versions=True)
    settings = results.statistics or {}
    if settings["test"] == "none":
        raise InputError(NO_TEST)
    # p values are corrected over the systems of a metric on a data set.
    tests: list[Comparison] = []
    for rows in results.by_metric():
        tests += Comparison.corrected(rows.tests, settings["correction"])
    labels = called(test.metric for test in tests)
    verdicts = []
    for test in tests:
        # the score of the old run comes first: see _versions()
        old, new = [score for score in results.scores if _is_of(score, test)]
        gain = float(
            goodness(test.metric, new.score) - goodness(test.metric, old.score)
        )
        low, high = test.interval
        if args.margin is None:
            is_real = results.is_significant(test) and not low <= 0 <= high
        else:
            is_real = abs(gain) * factor(test.metric) > args.margin
        outcome = "same"
        if is_real and gain:
            outcome = "better" if gain > 0 else "worse"
        old_name = old.system.rpartition("@")[0] or old.system
        new_name = new.system.rpartition("@")[0] or new.system
        verdict = Verdict(
            dataset=test.dataset,
            metric=test.metric,
            system=new_name,
            verdict=outcome,
            higher_is_better=not lower_is_better(test.metric),
            old=old.score,
            new=new.score,
            difference=new.score - old.score,
            p=test.p,
            p_adjusted=test.p_adjusted,
            interval=(low, high)
            if test.system == new.system
            else (-high, -low),
        )
        verdicts.append(verdict)
        if not args.json:
            name = new_name
            if old_name != new_name:
                name += f" (before: {old_name})"
            before = percent(old.score, args.digits, test.metric)
            after = percent(new.score, args.digits, test.metric)
            change = f"{before} -> {after}, p adjusted {p_cell(test, results)}"
            in_words = _outcome_in_words(outcome, args.margin)
            print_line(
                f"{test.dataset}, {labels[test.metric]}: {name} is {in_words}: {change}"
            )
    overall = "same"
    for outcome in ("better", "worse"):
        if any(verdict.verdict == outcome for verdict in verdicts):
            overall = outcome
    if args.json:
        sections = {
            "verdict": overall,
            "warnings": results.warnings,
            "comparisons": without_nan(
                [verdict._asdict() for verdict in verdicts]
            ),
        }
        print(json.dumps(sections, indent=1))
    elif not verdicts:
        print("no system has other outputs in the two runs, so none is worse")
    return int(overall == "worse")


def _is_of(score: Score, test: Comparison) -> bool:
    """Return whether a score is that of one of the systems of a comparison."""
    is_same_metric = (score.dataset, score.metric) == (
        test.dataset,
        test.metric,
    )
    return is_same_metric and score.system in (test.system, test.other)


def _outcome_in_words(outcome: str, margin: float | None) -> str:
    if margin is None:
        return outcome.replace("same", "not different")
    return f"{outcome.replace('same', 'not worse')} by more than {margin:g}"


def _versions(
    args: argparse.Namespace, metric_results: Sequence[MetricResult]
) -> tuple[list[MetricResult], list[str]]:
    """Return for each metric and system its results in both runs; and the systems missing in NEW.

    The results of a system are those of the old run, then those of the new one. If no system is in
    both, the only ones of each are compared.
    """
    names: set[str] = set()
    for metric_result in metric_results:
        for name in metric_result.names:
            names |= {name, name.rpartition("@")[0]}
    old = _systems(args.run, names)
    new = _systems(args.run2, names)
    both = [name for name in old if name in new]
    if not both and (len(old), len(new)) != (1, 1):
        raise InputError(
            f"--fail-if-worse: no name is in both runs: {args.run} has {', '.join(old) or 'none'}; "
            f"{args.run2} has {', '.join(new) or 'none'}; --system with one of each compares these "
            "two"
        )
    versions = []
    for metric_result in metric_results:
        for system in both or [""]:
            pair = []
            for number, name in enumerate(metric_result.names):
                if not both or name.rpartition("@")[0] == system:
                    pair.append((metric_result, number))
            if len(pair) == 2:
                versions.append(MetricResult.of_rows(pair))
    return versions, [name for name in old if both and name not in new]


def _systems(run: str, names: Collection[str]) -> list[str]:
    """Return which systems a run has, of these names."""
    systems = ScoredRun.read(run).results.systems
    return [name for name in systems if name in names]


def _worst(args: argparse.Namespace) -> int:
    """Print the sentences of a run where two systems differ most by one metric on one data set."""
    if args.run2 or args.baseline or args.json:
        raise InputError(
            "--worst: takes one run, and the two systems as --system A B; it prints texts"
        )
    selection = replace(selection_of(args), systems=())
    context = chosen(revisit(folder_of(args.run)), selection)
    dataset, *more = list(context.results.datasets)
    if more:
        raise InputError(
            f"--worst: of which data set? Say --dataset: {', '.join([dataset, *more])}"
        )
    measured, *others = context.measured
    if others:
        metrics = ", ".join(result.signature for result in context.measured)
        raise InputError(f"--worst: by which metric? Say --metric: {metrics}")
    names = list(measured.by_system)
    if args.system:
        names = Selection.names_like("--system", args.system, names)
    if len(names) != 2:
        raise InputError(
            f"--worst: between which systems? Say --system A B; there are {', '.join(names)}"
        )
    one, two = names
    lines = measured.most_different(one, two, args.worst)
    print_line(f"{dataset}: the sentences where {one} and {two} differ most")
    print_line(measured.signature)
    for line, score_of_one, score_of_two in lines:
        sentence = Sentence(context, dataset, line)
        texts = sentence.texts([one, two])
        first = percent(score_of_one, args.digits, measured.signature)
        second = percent(score_of_two, args.digits, measured.signature)
        print_line(f"\n{sentence.name}: {one} {first}, {two} {second}")
        width = max((len(name) for name, _text in texts), default=0)
        for name, text in texts:
            print_text(
                f"  {name.ljust(width)}  {text.replace(chr(10), ' ')}".rstrip()
            )
    if not lines:
        print("\nno sentence has different scores")
    if context.unread:
        print_line(f"no texts: {context.unread}", sys.stderr)
    return 0


def compared(
    args: argparse.Namespace,
    *,
    from_config: bool = False,
    versions: bool = False,
) -> Results:
    """Return the results of one run, or of two, with the statistics of the arguments.

    With `from_config`, the baseline of the run's config counts if the arguments have none.
    `versions` compares each system of two runs only with itself.
    """
    results, metric_results = ScoredRun.read(
        args.run, getattr(args, "run2", None) or None
    )
    selection = replace(selection_of(args), systems=())
    metric_results = selection.of(metric_results)
    # The settings of the run's config, changed by the arguments.
    written = results.stored_settings
    if not from_config:
        written["baseline"] = None
    for name in (*SETTINGS, "baseline"):
        value = getattr(args, name)
        if value is not None:
            written[name] = value
    if args.test is not None:
        short_names = SIGNIFICANCE_TESTS.short_names()
        written["test"] = short_names.get(args.test, args.test)
    all_names = chain.from_iterable(result.names for result in metric_results)
    names = list(dict.fromkeys(all_names))
    settings = statistics_settings(written, names, "--")
    if args.system:
        selected = Selection.names_like("--system", args.system, names)
        if args.baseline is None and len(selected) == 2:
            # Two systems are compared with each other.
            settings = settings.model_copy(update={"baseline": None})
        systems = list(args.system)
        if settings.baseline:
            systems.append(settings.baseline)
        some = Selection(systems=systems).of(metric_results)
        metric_results = [metric_result.reranked() for metric_result in some]
    if versions:
        metric_results, lost = _versions(args, metric_results)
        if lost:
            warning = f"{args.run2}: lacks {', '.join(lost)}, which {args.run} has: not compared"
            results = replace(results, warnings=[warning, *results.warnings])
    bare_run = ScoredRun(results, metric_results).without_statistics()
    with Bar(enabled=not args.quiet and sys.stderr.isatty()) as bar:
        bar.stage("resampling")
        results = bare_run.with_statistics(settings, bar.testing).results
    print_warnings(results.warnings, quiet=args.quiet)
    return results
