"""Rank systems by human judgements: Expected Wins with rank ranges and clusters, and the agreement of the judges.

The command reads rankings that Appraise has written (XML: ranking-item with a translation for each output), or pairs
in the form of the WMT scripts (CSV: system1Id, system1rank, system2Id ...). `gec-pipeline help human` explains formats
and formulas.

examples:
  gec-pipeline human data/judgements.csv
  gec-pipeline human judgments.xml --head-to-head --agreement
  gec-pipeline human judgments.xml --trueskill 100 --without-judge annot4
  gec-pipeline human judgments.xml --per-judge --divisor beaten --json
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...report.terminal.progress import Bar
from ..arguments import given_path

if TYPE_CHECKING:
    from ...human.judgment_summary import JudgmentSummary


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    many: dict[str, Any] = {"action": "append", "default": [], "metavar": "NAME"}
    parser.add_argument(
        "file", help="judgements, XML or CSV; - (standard input) or data:NAME/FILE (a file of a data set)"
    )
    parser.add_argument("--judge", help="only this judge; may be repeated", **many)
    parser.add_argument("--without-judge", help="not this judge; may be repeated", **many)
    parser.add_argument("--without", help="not this system; may be repeated", **many)
    parser.add_argument(
        "--divisor",
        choices=("opponents", "beaten"),
        default="opponents",
        help="the divisor of Expected Wins: all opponents (default), or those beaten at least once, as in EW.pl",
    )
    parser.add_argument(
        "--trueskill", type=int, metavar="RUNS", help="also print TrueSkill, the mean of so many runs, such as 100"
    )
    parser.add_argument("--engine", choices=("arrays", "package"), help=argparse.SUPPRESS)
    parser.add_argument("--agreement", action="store_true", help="print the kappa of each two judges")
    parser.add_argument("--head-to-head", action="store_true", help="print how often each system beats each other one")
    parser.add_argument("--per-judge", action="store_true", help="print the Expected Wins of each judge")
    parser.add_argument(
        "--accuracy",
        type=int,
        metavar="FOLDS",
        help="print the accuracy of Expected Wins by cross-validation with so many folds, such as 100",
    )
    parser.add_argument("--resamples", type=int, default=1000, metavar="N", help="bootstrap samples (default: 1000)")
    parser.add_argument(
        "--level", type=float, default=0.95, metavar="SHARE", help="level of rank ranges (default: 0.95)"
    )
    parser.add_argument(
        "--seed", type=int, default=12345, metavar="N", help="seed of all random numbers (default: 12345)"
    )
    parser.add_argument("--digits", type=int, default=3, choices=range(13), metavar="N", help="decimals (default: 3)")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("-q", "--quiet", action="store_true", help="no warnings and no progress")


def run(args: argparse.Namespace) -> int:
    """Print the ranking."""
    from ...human.judgment_summary import JudgmentSummary
    from ...human.judgments import read_judgments
    from ...io.remote import Remote
    from ...report.terminal.printing import print_text

    bounds = {
        "trueskill": (1, 100_000),
        "accuracy": (2, 1_000_000),
        "resamples": (1, 1_000_000),
        "seed": (0, 2**32 - 1),
    }
    for name, (low, high) in bounds.items():
        value = getattr(args, name)
        if value is not None and not low <= value <= high:
            raise InputError(f"--{name}: expected {low:,} to {high:,}, found {value:,}")
    if not 0 < args.level < 1:
        raise InputError(f"--level: expected a number between 0 and 1, such as 0.95, found {args.level}")
    if args.engine and not args.quiet:
        print("warning: --engine is deprecated: it has no effect any more and will be removed", file=sys.stderr)
    path = given_path(args.file)
    if isinstance(path, Remote):
        raise InputError(f"{path}: is an address; only texts may be one")
    judgments = read_judgments(path, args.judge, args.without_judge, args.without)
    for note in () if args.quiet else judgments.notes:
        print_text(f"warning: {judgments.file}: {note}", sys.stderr)
    with Bar(enabled=bool(args.trueskill) and not args.quiet and sys.stderr.isatty()) as bar:
        bar.stage("TrueSkill")
        summary = JudgmentSummary(
            judgments,
            divisor=args.divisor,
            resamples=args.resamples,
            level=args.level,
            seed=args.seed,
            runs=args.trueskill,
            folds=args.accuracy,
            progress=bar.matches,
        )
    if args.json:
        sys.stdout.write(json.dumps(_as_lists(summary, args), indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    else:
        _print(summary, args)
    return 0


def _print(summary: JudgmentSummary, args: argparse.Namespace) -> None:
    """Print the tables that the arguments ask for."""
    from ...human.judgment_summary import MIN_COMPARISONS
    from ...report.tables import people as tables
    from ...report.tables import round_half_up
    from ...report.terminal.printing import print_square, print_table

    names, judges, scores = summary.judgments.systems, summary.judgments.judges, summary.scores()
    print_table(*tables.counts_table(summary), left=(0,))
    for key, title in (("expected_wins", "Expected Wins"), ("trueskill", "TrueSkill")):
        if scores[key]:
            print()
            print_table(*tables.judged_table(scores[key], title, args.digits))
    order = summary.expected_wins.order
    if args.per_judge:
        rows = [[names[n], *(round_half_up(own[n], args.digits) for own in summary.of_judges)] for n in order]
        print("\nExpected Wins of each judge")
        print_square(["system", *judges], rows)
        print("\ncorrelation of these: Spearman above, Pearson below; with the scores of all other judges")
        print_square(*tables.judge_table(summary.judge_correlations, judges))
    if args.head_to_head:
        print("\nhow often the column's system is better than the row's; p: # <= 0.01, + <= 0.05, * <= 0.10")
        print_square(*tables.head_to_head_table(summary.head_to_head, names, order))
    if args.agreement:
        print(f"\nCohen's kappa of two judges, and of a judge with himself; *: under {MIN_COMPARISONS} comparisons")
        print_square(*tables.kappa_table(summary.kappas, judges, MIN_COMPARISONS))
    print()
    between, within = (round_half_up(value, 2) for value in summary.mean_kappas.values())
    print(f"Cohen's kappa: {between} between judges, {within} within (means by comparisons)")
    if summary.accuracy is not None:
        print(tables.accuracy_line(summary.accuracy, args.accuracy))
    level = f"{args.level * 100:g}%"
    print(f"ranks: {level} of {args.resamples:,} bootstrap samples of the pairs, seed {args.seed}")


def _as_lists(summary: JudgmentSummary, args: argparse.Namespace) -> dict[str, Any]:
    """Return the summary as lists. Their order is that of the names of systems and judges; NaN is None."""
    from ...scoring.results import without_nan

    judges, matrix = summary.judgments.judges, summary.head_to_head
    correlations = summary.judge_correlations._asdict()
    lists: dict[str, Any] = without_nan(
        {
            "systems": list(summary.judgments.systems),
            "judges": summary.counts,
            **summary.scores(),
            "per_judge": {name: own.tolist() for name, own in zip(judges, summary.of_judges, strict=True)},
            "judge_correlations": {
                name: value if isinstance(value, float) else value.tolist() for name, value in correlations.items()
            },
            "head_to_head": {"share": matrix.share.tolist(), "p": matrix.p.tolist()},
            "kappa": {
                **summary.mean_kappas,
                "pairs": [
                    {"judges": [judges[first], judges[second]], "kappa": kappa.kappa, **kappa._asdict()}
                    for (first, second), kappa in summary.kappas.items()
                ],
            },
            "accuracy": {"folds": args.accuracy, "share": summary.accuracy} if args.accuracy else None,
            "settings": {"resamples": args.resamples, "level": args.level, "seed": args.seed},
        }
    )
    return lists
