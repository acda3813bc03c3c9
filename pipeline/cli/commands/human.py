"""Rank systems by human judgements: Expected Wins with ranges of ranks and clusters, and how far the judges agree.

Reads rankings as Appraise writes them (XML: ranking-item with a translation for each output) or pairs as the WMT
scripts do (CSV: system1Id, system1rank, system2Id ...). `gec-pipeline help human` explains formats and formulas.

examples:
  gec-pipeline human data/judgements.csv
  gec-pipeline human judgments.xml --head-to-head --agreement
  gec-pipeline human judgments.xml --trueskill 100 --without-judge annot4
  gec-pipeline human judgments.xml --per-judge --divisor beaten --json
"""

from __future__ import annotations

import json
import math
import sys
from typing import TYPE_CHECKING, Any

from ...errors import InputError, printable
from ..arguments import given_path
from ..progress import Bar

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from ...human.expected_wins import Ranked
    from ...human.judge_agreement import JudgeCorrelations
    from ...human.judgments import Judgments


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    many: dict[str, Any] = {"action": "append", "default": [], "metavar": "NAME"}
    parser.add_argument("file", help="judgements, XML or CSV; - is standard input, data:NAME/FILE a data set's")
    parser.add_argument("--judge", help="only this judge; may be repeated", **many)
    parser.add_argument("--without-judge", help="not this judge; may be repeated", **many)
    parser.add_argument("--without", help="not this system; may be repeated", **many)
    parser.add_argument(
        "--divisor",
        choices=("opponents", "beaten"),
        default="opponents",
        help="of Expected Wins: all opponents (default), or those beaten at least once, as the program EW.pl divides",
    )
    parser.add_argument("--trueskill", type=int, metavar="RUNS", help="also TrueSkill, the mean of so many runs (100)")
    parser.add_argument(
        "--engine",
        choices=("arrays", "package"),
        default="arrays",
        help="of TrueSkill: all runs at once (default), or one by one with the package trueskill; the results agree",
    )
    parser.add_argument("--agreement", action="store_true", help="print the kappa of each two judges")
    parser.add_argument("--head-to-head", action="store_true", help="print how often each system beats each other one")
    parser.add_argument("--per-judge", action="store_true", help="print the Expected Wins of each judge")
    parser.add_argument(
        "--accuracy", type=int, metavar="FOLDS", help="print the accuracy of Expected Wins by cross-validation (100)"
    )
    parser.add_argument("--resamples", type=int, default=1000, metavar="N", help="bootstrap samples (default: 1000)")
    parser.add_argument("--level", type=float, default=0.95, metavar="SHARE", help="of ranges of ranks (default: 0.95)")
    parser.add_argument("--seed", type=int, default=12345, metavar="N", help="of all random numbers (default: 12345)")
    parser.add_argument("--digits", type=int, default=3, choices=range(13), metavar="N", help="decimals (default: 3)")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("-q", "--quiet", action="store_true", help="no warnings and no progress")


def run(args: argparse.Namespace) -> int:
    """Read, rank and print."""
    from ...human.judgments import read_judgments
    from ...io.remote import Remote

    _check(args)
    path = given_path(args.file)
    if isinstance(path, Remote):
        raise InputError(f"{path}: is an address; only texts may be one")
    judgments = read_judgments(path, args.judge, args.without_judge, args.without)
    for note in () if args.quiet else judgments.notes:
        print(printable(f"warning: {judgments.place}: {note}"), file=sys.stderr)
    found = _Found(judgments, args)
    if args.json:
        sys.stdout.write(json.dumps(found.plain(), indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    else:
        found.print()
    return 0


def _check(args: argparse.Namespace) -> None:
    """Raise InputError for numbers out of range."""
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
    if args.engine != "arrays" and args.trueskill is None:
        raise InputError("--engine: has no effect without --trueskill")


class _Found:
    """What the arguments ask of the judgements."""

    def __init__(self, judgments: Judgments, args: argparse.Namespace) -> None:
        from ...human.expected_wins import accuracy, head_to_head, rank_by_expected_wins
        from ...human.judge_agreement import agreement

        self.args, self.judgments = args, judgments
        settings = args.divisor, args.resamples, args.level, args.seed
        self.wins = rank_by_expected_wins(judgments, *settings)
        self.skill = self._trueskill() if args.trueskill else None
        self.kappas = agreement(judgments)
        self.matrix = head_to_head(judgments.wins())
        self.accuracy = accuracy(judgments, args.accuracy, args.seed, args.divisor) if args.accuracy else math.nan

    def _trueskill(self) -> Ranked:
        from ...human.expected_wins import ranked
        from ...human.trueskill import trueskill

        args = self.args
        with Bar(enabled=not args.quiet and sys.stderr.isatty()) as bar:
            bar.stage("TrueSkill")
            means = trueskill(self.judgments, args.trueskill, args.seed, args.engine, bar.matches)
        return ranked(means.mean(axis=0), means, args.level)

    def _mean_kappas(self) -> tuple[float, float]:
        from ...human.judge_agreement import mean_kappa

        inter = mean_kappa([kappa for (one, two), kappa in self.kappas.items() if one != two])
        return inter, mean_kappa([kappa for (one, two), kappa in self.kappas.items() if one == two])

    def _of_judges(self) -> list[list[float]]:
        from ...human.expected_wins import expected_wins

        numbers = range(len(self.judgments.judges))
        each = (expected_wins(self.judgments.of_judge(number).wins(), self.args.divisor) for number in numbers)
        return [values.tolist() for values in each]

    def _judge_correlations(self) -> JudgeCorrelations:
        from ...human.judge_agreement import judge_correlations

        return judge_correlations(self.judgments, self.args.divisor)

    def print(self) -> None:
        """Print the tables."""
        from ...human.judge_agreement import MIN_COMPARISONS
        from ...report.console import print_table
        from ...report.tables import human as tables
        from ...report.tables.digits import round_half_up

        args, names = self.args, self.judgments.systems
        print_table(*tables.counts_table(self.judgments), left=(0,))
        print()
        print_table(*tables.ranked_table(self.wins, names, "Expected Wins", args.digits))
        if self.skill:
            print()
            print_table(*tables.ranked_table(self.skill, names, "TrueSkill", args.digits))
        if args.per_judge:
            order, each = self.wins.order, self._of_judges()
            rows = [[names[n], *(round_half_up(values[n], args.digits) for values in each)] for n in order]
            print("\nExpected Wins of each judge")
            print_table(["system", *self.judgments.judges], rows, left=(0,))
            print("\ncorrelation of these: Spearman above, Pearson below; with the scores of all other judges")
            print_table(*tables.judge_table(self._judge_correlations(), self.judgments.judges), left=(0,))
        if args.head_to_head:
            print("\nhow often the column's system is better than the row's; p: # <= 0.01, + <= 0.05, * <= 0.10")
            print_table(*tables.head_to_head_table(self.matrix, names, self.wins.order), left=(0,))
        if args.agreement:
            print(f"\nCohen's kappa of two judges, and of a judge with himself; *: under {MIN_COMPARISONS} comparisons")
            print_table(*tables.kappa_table(self.kappas, self.judgments.judges, MIN_COMPARISONS), left=(0,))
        print()
        inter, intra = (round_half_up(value, 2) for value in self._mean_kappas())
        print(f"Cohen's kappa: {inter} between judges, {intra} within (means by comparisons)")
        if args.accuracy:
            print(tables.accuracy_line(self.accuracy, args.accuracy))
        level = f"{args.level * 100:g}%"
        print(f"ranks: {level} of {args.resamples:,} bootstrap samples of the pairs, seed {args.seed}")

    def plain(self) -> dict[str, Any]:
        """Return everything as mappings and lists; NaN is null."""
        from ...human.judgment_summary import counts
        from ...scoring.results import without_nan

        judgments, args = self.judgments, self.args
        inter, intra = self._mean_kappas()
        judges = judgments.judges
        found = {
            "systems": list(judgments.systems),
            "judges": {name: counts(judgments.of_judge(number)) for number, name in enumerate(judges)},
            "expected_wins": {"divisor": args.divisor, **self._ranked(self.wins)},
            "trueskill": {"runs": args.trueskill, **self._ranked(self.skill)} if self.skill else None,
            "per_judge": dict(zip(judges, self._of_judges(), strict=True)),
            "judge_correlations": {
                name: getattr(values, "tolist", lambda found=values: found)()
                for name, values in self._judge_correlations()._asdict().items()
            },
            "head_to_head": {"share": self.matrix.share.tolist(), "p": self.matrix.p.tolist()},
            "kappa": {
                "between": inter,
                "within": intra,
                "pairs": [
                    {"judges": [judges[one], judges[two]], "kappa": k.kappa, **k._asdict()}
                    for (one, two), k in self.kappas.items()
                ],
            },
            "accuracy": {"folds": args.accuracy, "share": self.accuracy} if args.accuracy else None,
            "settings": {"resamples": args.resamples, "level": args.level, "seed": args.seed},
        }
        plain: dict[str, Any] = without_nan(found)
        return plain

    def _ranked(self, found: Ranked) -> dict[str, Any]:
        names: Sequence[str] = self.judgments.systems
        return {
            "order": [names[number] for number in found.order],
            "scores": dict(zip(names, found.point.tolist(), strict=True)),
            "means": dict(zip(names, found.mean.tolist(), strict=True)),
            "ranks": dict(zip(names, found.ranges, strict=True)),
            "clusters": dict(zip(names, found.cluster, strict=True)),
        }
