"""List metrics, or all options of named ones; tokenizers; statistics of agreement.

examples:
  gec-pipeline list metrics
  gec-pipeline list metrics gleu
  gec-pipeline list tokenizers 13a
  gec-pipeline list statistics accuracy
"""

import argparse
from collections.abc import Collection, Sequence
from typing import Any

from ...errors import InputError, known_names
from ...extension import known_names as known_names_of_project
from ...extension import missing_extension
from ...lookup import Table
from ...report.terminal import print_table, print_text


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=list(LISTS))
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="only these; default: all"
    )


def run(args: argparse.Namespace) -> None:
    LISTS[args.what](args.names)


def _selected(
    names: Sequence[str], known: Collection[str], kind: str
) -> list[str]:
    """Return the names, or all known ones; raises InputError for an unknown name."""
    selected = list(dict.fromkeys(names))
    for name in selected:
        if name not in known:
            raise InputError(
                f"no {kind} is called '{name}'{known_names(name, known, 'known:')}"
            )
    return selected or list(known)


def _metrics(names: Sequence[str]) -> None:
    from ...metrics import METRICS, metric_source

    source = metric_source()
    packages = source.packages()
    for name in names:
        if name in packages and name not in METRICS:
            source.find(name)
    for name in _selected(names, METRICS, "metric"):
        metric = METRICS[name]
        origin = metric.origin.get("from", "")
        text = f"{name}: {metric.summary}"
        if origin:
            text += f" ({origin})"
        print_text(text)
        if not names:
            continue
        print()
        rows = []
        for option in metric.options:
            default = str(option.default_of({}))
            if option.is_truth:
                default = default.lower()
            values = option.values()
            rows.append([option.name, option.key, default, values, option.help])
        header = ["option", "in signatures", "default", "values", "meaning"]
        print_table(
            header, rows, left=range(5), first_out=("in signatures", "default")
        )
        print(f"\nmore of it: gec-pipeline help {metric.help_page or name}")
    if names:
        return
    for name, package in packages.items():
        if name not in METRICS:
            command = f"`gec-pipeline list metrics {name}`"
            print_text(
                f"{name}: in {package}; {command} imports it and tells more"
            )
    print("options of one: gec-pipeline list metrics NAME")


def _tokenizers(names: Sequence[str]) -> None:
    from ...tokenizers import TOKENIZERS

    rows = []
    for name in _selected(names, TOKENIZERS, "tokenizer"):
        rows.append([name, TOKENIZERS[name].help])
    print_table(["tokenizer", "splits"], rows, left=(0, 1))


def _statistics(names: Sequence[str]) -> None:
    kind = "agreement_statistics"
    statistics: Table[Any] = Table(__name__, {}, kind=kind)
    for name in [*names, *known_names_of_project()[kind]]:
        reason = missing_extension(kind, name)
        if reason:
            raise InputError(reason)
    for name in _selected(names, statistics, "statistic"):
        statistic = statistics[name]
        print(f"{name}: {statistic.summary}\n")
        rows = []
        for option in statistic.options:
            default = str(option.default_of({}))
            rows.append([option.name, default, option.values(), option.help])
        header = ["option", "default", "values", "meaning"]
        print_table(header, rows, left=range(4), first_out=("default",))
        print()


LISTS = {
    "metrics": _metrics,
    "tokenizers": _tokenizers,
    "statistics": _statistics,
}
