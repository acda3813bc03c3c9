"""Rank systems by human judgements: Expected Wins with rank ranges and clusters, and the agreement
of the judges.

The command reads rankings that Appraise has written (XML: ranking-item with a translation for each
output), or pairs in the form of the WMT scripts (CSV: system1Id, system1rank, system2Id ...). The
metrics of a run are judges by their scores of sentences. `gec-pipeline help human` explains formats
and formulas.

examples:
  gec-pipeline human data/judgements.csv
  gec-pipeline human judgments.xml --head-to-head --agreement
  gec-pipeline human judgments.xml --trueskill 100 --without-judge annot4
  gec-pipeline human judgments.xml --divisor beaten --json
  gec-pipeline human runs/judge --judge judge --trueskill 100
"""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any, TypeVar

from pipeline.cli.arguments import add_settings, given_path
from pipeline.data.config import ConfigModel
from pipeline.errors import InputError
from pipeline.files import Remote
from pipeline.report.tables import percent, round_half_up
from pipeline.report.terminal import (
    Bar,
    print_square,
    print_table,
    print_warnings,
)
from pipeline.scoring import without_nan

from .. import tables
from ..judgment_summary import MIN_COMPARISONS, judgment_summary
from ..judgments import read_judgments
from ..models import JudgmentsConfig

Model = TypeVar("Model", bound=ConfigModel)

OPTIONS = (
    "judges",
    "without_judges",
    "without",
    "divisor",
    "trueskill",
    "folds",
    "resamples",
    "level",
    "seed",
)
"""The arguments that are settings of judgements in a config, under the same names."""


def configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "file",
        help="judgements, XML or CSV, or a run; - (standard input) or data:NAME/FILE (a file of a data set)",
    )
    repeated = {"action": "append"}
    add_settings(
        parser,
        JudgmentsConfig,
        OPTIONS,
        repeated,
        judges="--judge",
        without_judges="--without-judge",
    )
    add("--accuracy", dest="folds", metavar="N", help="the same as --folds")
    add(
        "--agreement",
        action="store_true",
        help="print the kappa of each two judges",
    )
    add(
        "--head-to-head",
        action="store_true",
        help="print how often each system beats each other one",
    )
    add(
        "--digits",
        type=int,
        default=3,
        choices=range(13),
        metavar="N",
        help="decimals (default: 3)",
    )
    add("--json", action="store_true", help="print everything as JSON")
    add(
        "-q", "--quiet", action="store_true", help="no warnings and no progress"
    )


def settings_of(
    model: type[Model],
    args: argparse.Namespace,
    names: Sequence[str],
    **more: Any,
) -> Model:
    """Return a section of a config from the arguments named `names`, but for those that the user
    left out (None), and `more` settings.

    Raises InputError for a wrong value."""
    settings = {}
    for name in names:
        value = getattr(args, name)
        if value is not None:
            settings[name] = value
    return model.from_settings({**settings, **more}, "--")


def print_json(content: Any) -> None:
    """Print mappings and lists as JSON, with null for NaN."""
    plain = without_nan(content)
    print(json.dumps(plain, indent=1, ensure_ascii=False, allow_nan=False))


def run(args: argparse.Namespace) -> None:
    """Read judgements, compute their statistics, and print them as tables or JSON."""
    config = settings_of(JudgmentsConfig, args, OPTIONS, file="-")
    path = given_path(args.file)
    if isinstance(path, Remote):
        raise InputError(f"{path}: is an address; only texts may be one")
    judgments = read_judgments(
        path,
        config.judges,
        config.without_judges,
        config.without,
    )
    print_warnings(
        (f"{judgments.file}: {note}" for note in judgments.notes),
        quiet=args.quiet,
    )
    with Bar(
        enabled=bool(config.trueskill)
        and not args.quiet
        and sys.stderr.isatty()
    ) as bar:
        bar.stage("TrueSkill")
        summary = judgment_summary(judgments, config, bar.matches)
    if args.json:
        print_json(summary)
    else:
        _print(summary, config, args)


def _print(
    summary: dict[str, Any],
    config: JudgmentsConfig,
    args: argparse.Namespace,
) -> None:
    """Print a judgment_summary(): counts, the rankings, and what the arguments ask for."""
    print_table(*tables.counts_table(summary), left=(0,))
    for key, title in (
        ("expected_wins", "Expected Wins"),
        ("trueskill", "TrueSkill"),
    ):
        if summary[key]:
            print()
            print_table(*tables.judged_table(summary[key], title, args.digits))
    if args.head_to_head:
        print(
            "\nhow often the column's system is better than the row's; "
            "p: # <= 0.01, + <= 0.05, * <= 0.10"
        )
        order = summary["expected_wins"]["order"]
        print_square(*tables.head_to_head_table(summary["head_to_head"], order))
    kappa = summary["kappa"]
    if args.agreement:
        print(
            "\nCohen's kappa of two judges, and of a judge with himself; "
            f"*: under {MIN_COMPARISONS} comparisons"
        )
        print_square(*tables.kappa_table(kappa["pairs"]))
    print()
    between = round_half_up(kappa["between"], 2)
    within = round_half_up(kappa["within"], 2)
    print(
        f"Cohen's kappa: {between} between judges, {within} within (means by comparisons)"
    )
    if summary["accuracy"] is not None:
        share = percent(summary["accuracy"], 2)
        print(
            f"accuracy on pairs that are no ties, {config.folds}-fold cross-validation: {share}%"
        )
    print(
        f"ranks: {config.level * 100:g}% of {config.resamples:,} bootstrap samples of the pairs, "
        f"seed {config.seed}"
    )
