"""List what can be chosen: metrics, or all options of those that are named; tokenizers; statistics
of agreement.

examples:
  gec-pipeline list metrics
  gec-pipeline list metrics gleu
  gec-pipeline list tokenizers 13a
  gec-pipeline list statistics accuracy
"""

import argparse
from collections.abc import Collection, Iterable
from typing import Any

from ...errors import InputError, known_names
from ...extension import known_names as known_names_of_project
from ...extension import missing_extension
from ...lookup import Table
from ...report.terminal.printing import print_table, print_text


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=list(LISTS))
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these; default: all")


def run(args: argparse.Namespace) -> None:
    LISTS[args.what](args.names)


def _chosen(names: Iterable[str], known: Collection[str], what: str) -> list[str]:
    """Return the names that are asked for, or all; raises InputError for one that is not known."""
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        if name not in known:
            raise InputError(f"no {what} is called '{name}'{known_names(name, known, 'known:')}")
    return wanted or list(known)


def _metrics(names: Iterable[str]) -> None:
    from ...metrics import METRICS
    from ...metrics.functions.loading import find, installed

    wanted, packages = [*names], installed()
    for name in {*wanted} & {*packages} - {*METRICS}:
        find(name)
    for name in _chosen(wanted, METRICS, "metric"):
        metric = METRICS[name]
        place = metric.origin.get("from", "")
        print_text(f"{name}: {metric.summary}{f' ({place})' if place else ''}")
        if not wanted:
            continue
        print()
        rows = []
        for option in metric.options:
            default = option.default_of({})
            text = str(default).lower() if isinstance(default, bool) else str(default)
            rows.append([option.name, option.key, text, option.values(), option.help])
        header = ["option", "in signatures", "default", "values", "meaning"]
        print_table(header, rows, left=range(5), first_out=("in signatures", "default"))
        print(f"\nmore of it: gec-pipeline help {metric.help_page or name}")
    if wanted:
        return
    for name, package in packages.items():
        if name not in METRICS:
            print_text(
                f"{name}: in {package}; `gec-pipeline list metrics {name}` imports it and tells more"
            )
    print("options of one: gec-pipeline list metrics NAME")


def _tokenizers(names: Iterable[str]) -> None:
    from ...tokenizers import TOKENIZERS

    rows = [[name, TOKENIZERS[name].help] for name in _chosen(names, TOKENIZERS, "tokenizer")]
    print_table(["tokenizer", "splits"], rows, left=(0, 1))


def _statistics(names: Iterable[str]) -> None:
    kind = "agreement_statistics"
    statistics: Table[Any] = Table(__name__, {}, kind=kind)
    for name in [*names, *known_names_of_project()[kind]]:
        if reason := missing_extension(kind, name):
            raise InputError(reason)
    for name in _chosen(names, statistics, "statistic"):
        statistic = statistics[name]
        print(f"{name}: {statistic.summary}\n")
        rows = [
            [one.name, str(one.default_of({})), one.values(), one.help] for one in statistic.options
        ]
        print_table(
            ["option", "default", "values", "meaning"], rows, left=range(4), first_out=("default",)
        )
        print()


LISTS = {"metrics": _metrics, "tokenizers": _tokenizers, "statistics": _statistics}
