"""Parts of a run that a command names: systems, data sets, metrics, and columns of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from ..scoring.stored_runs import Selection

SEVERAL: dict[str, Any] = {"nargs": "+", "action": "extend", "default": [], "metavar": "NAME"}


def add_parts(parser: argparse.ArgumentParser) -> None:
    """Declare --metric, --dataset and --system, each of which takes several names or patterns."""
    metrics = "only these metrics: names (BLEU, chrF++), signatures, or patterns such as 'rouge*'"
    parser.add_argument("--metric", "--metrics", dest="metric", help=metrics, **SEVERAL)
    parser.add_argument("--dataset", "--datasets", dest="dataset", help="only these data sets, or patterns", **SEVERAL)
    systems = "only these systems, or patterns such as 'A*'"
    parser.add_argument("--system", "--systems", dest="system", help=systems, **SEVERAL)


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Declare --columns."""
    text = "only these columns beside names and score: outputs such as precision or recall_*, interval, ranks, p ..."
    parser.add_argument("--columns", help=text, **SEVERAL)


def add_mean(parser: argparse.ArgumentParser) -> None:
    """Declare --mean."""
    text = "also the mean over data sets, each of which counts the same, of systems that have scores on all of them"
    parser.add_argument("--mean", action="store_true", help=text)


def add_boards(parser: argparse.ArgumentParser) -> None:
    """Declare --boards."""
    text = "a ranked table for each metric and data set instead of one table of systems by metrics"
    parser.add_argument("--boards", action="store_true", help=text)


def selection_of(args: argparse.Namespace) -> Selection:
    """Return what --metric, --dataset and --system ask for. Some commands have not all, or take one name each.

    A single system is not among it, because `show` prints the counts of one.
    """
    from ..scoring.stored_runs import Selection

    metric, dataset, system = (getattr(args, name, None) or [] for name in ("metric", "dataset", "system"))
    systems = system if isinstance(system, list) else []
    return Selection(_listed(metric), _listed(dataset), systems)


def _listed(names: str | list[str]) -> list[str]:
    return [names] if isinstance(names, str) else names
