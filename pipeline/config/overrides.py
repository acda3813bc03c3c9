"""What of a config is wanted: `--set` and `--only` of the command line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from ..errors import Problem, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .load import Config


@dataclass(frozen=True)
class Overrides:
    """What the command line says of a config: settings "a.b.0=value", and patterns of names."""

    settings: tuple[str, ...] = ()
    only: tuple[str, ...] = ()


NO_OVERRIDES = Overrides()


def select(
    config: Config, metrics: Sequence[tuple[str, ...]], patterns: Sequence[str], problems: list[Problem]
) -> tuple[Config, Sequence[tuple[str, ...]]]:
    """Return the config with the data sets, systems and metrics whose names match.

    A pattern chooses among those of its kind: where none matches a data set, all stay. One that matches nothing
    at all, or patterns that leave nothing together, are problems. metrics: the names of each, its own and as printed;
    those that stay are returned.
    """
    if not patterns:
        return config, metrics
    names = {
        "data set": [dataset.name for dataset in config.datasets],
        "system": [system.name for system in config.systems],
        "metric": [name for own in metrics for name in own],
    }
    for pattern in patterns:
        if not any(_matches(name, [pattern]) for kind in names.values() for name in kind):
            known = [name for kind in names.values() for name in kind]
            hint = did_you_mean(pattern, known)
            message = f"matches no data set, system or metric{hint}; there are {', '.join(dict.fromkeys(known))}"
            problems.append(Problem(f"--only {pattern}", message))
    chosen = {kind: {n for n in known if _matches(n, patterns)} or set(known) for kind, known in names.items()}
    systems = tuple(system for system in config.systems if system.name in chosen["system"])
    wanted = [dataset for dataset in config.datasets if dataset.name in chosen["data set"]]
    datasets = tuple(dataset for dataset in wanted if any(dataset.name in system.paths for system in systems))
    systems = tuple(system for system in systems if any(d.name in system.paths for d in datasets))
    if not datasets and not problems:
        problems.append(Problem(f"--only {' '.join(patterns)}", "no such system has an output for such a data set"))
    kept = [own for own in metrics if chosen["metric"] & set(own)]
    note = f"only {', '.join(patterns)} of the config: ranks are among those here"
    return replace(config, datasets=datasets, systems=systems, notes=(*config.notes, note)), kept


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
