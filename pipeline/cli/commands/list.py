"""List what can be chosen: metrics with all their options, tokenizers, samplers or data sets.

examples:
  gec-pipeline list metrics
  gec-pipeline list tokenizers
  gec-pipeline list datasets
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("what", choices=list(LISTS))


def run(args: argparse.Namespace) -> int:
    """Print the list."""
    LISTS[args.what]()
    return 0


def _metrics() -> None:
    from ...metrics import METRICS
    from ...report.console import print_table

    for name, metric in METRICS.items():
        print(f"{name}: {metric.summary}\n")
        rows = []
        for option in metric.options:
            default = option.default_of({})
            text = str(default).lower() if isinstance(default, bool) else str(default)
            rows.append([option.name, option.key, text, option.values(), option.help])
        print_table(["option", "in signatures", "default", "values", "meaning"], rows, left=range(5))


def _tokenizers() -> None:
    from ...report.console import print_table
    from ...tokenizers import TOKENIZERS

    print_table(["tokenizer", "splits"], [[name, t.help] for name, t in TOKENIZERS.items()], left=(0, 1))


def _samplers() -> None:
    from ...metrics.base.reference_draws import SAMPLERS
    from ...report.console import print_table

    rows = [[name, (sampler.__doc__ or "").splitlines()[0]] for name, sampler in SAMPLERS.items()]
    print_table(["sampler", "draws"], rows, left=(0, 1))


def _datasets() -> None:
    from .data import print_catalogue

    print_catalogue()


LISTS = {"metrics": _metrics, "tokenizers": _tokenizers, "samplers": _samplers, "datasets": _datasets}
