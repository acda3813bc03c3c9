"""What the command line changes in a config (`--set`) and which part of it is scored (`--only`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from ..dataclass import dataclass
from ..errors import Problem, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .load import Config


@dataclass(frozen=True)
class Overrides:
    """What the command line says about a config."""

    settings: tuple[str, ...] = ()
    """Values of keys, such as "a.b.0=value"."""
    only: tuple[str, ...] = ()
    """Patterns of the names of data sets, systems and metrics."""


NO_OVERRIDES = Overrides()


def overrides_from_values(only: str | Sequence[str], settings: Mapping[str, Any] | str | Sequence[str]) -> Overrides:
    """Return what users of Python say: one pattern or several; settings as {"a.b.0": value} or as "a.b.0=value"."""
    if isinstance(settings, Mapping):
        settings = [f"{key}={_as_yaml(value)}" for key, value in settings.items()]
    each = [(settings,) if isinstance(settings, str) else tuple(settings), (only,) if isinstance(only, str) else only]
    return Overrides(*(tuple(map(str, texts)) for texts in each))


def _as_yaml(value: object) -> str:
    """Return a value as JSON, which is YAML too."""
    return json.dumps(value, ensure_ascii=False, default=str)


def select(
    config: Config, metrics: Sequence[tuple[str, ...]], patterns: Sequence[str], problems: list[Problem]
) -> tuple[Config, Sequence[tuple[str, ...]]]:
    """Return the config with the data sets and systems whose names match, and the metrics whose names match.

    `metrics` has the names of each metric: its own, and the one that is printed. If no pattern matches a data set, all
    data sets stay; the same holds for systems and metrics. A pattern that matches no name is a problem, and so are
    patterns that together leave nothing.
    """
    if not patterns:
        return config, metrics
    names = {
        "data set": [dataset.name for dataset in config.datasets],
        "system": [system.name for system in config.systems],
        "metric": [name for own in metrics for name in own],
    }
    all_names = list(dict.fromkeys(name for kind in names.values() for name in kind))
    for pattern in patterns:
        if not any(_matches(name, [pattern]) for name in all_names):
            hint = did_you_mean(pattern, all_names)
            message = f"matches no data set, system or metric{hint}; there are {', '.join(all_names)}"
            problems.append(Problem(f"--only {pattern}", message))
    kept = {kind: {name for name in own if _matches(name, patterns)} or set(own) for kind, own in names.items()}
    systems = tuple(system for system in config.systems if system.name in kept["system"])
    named = [dataset for dataset in config.datasets if dataset.name in kept["data set"]]
    datasets = tuple(dataset for dataset in named if any(dataset.name in system.paths for system in systems))
    systems = tuple(system for system in systems if any(dataset.name in system.paths for dataset in datasets))
    if not datasets and not problems:
        problems.append(
            Problem(f"--only {' '.join(patterns)}", "no system that matches has an output for a data set that matches")
        )
    note = f"only {', '.join(patterns)} of the config: ranks are among those here"
    config = replace(config, datasets=datasets, systems=systems, notes=(*config.notes, note))
    return config, [own for own in metrics if kept["metric"] & set(own)]


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)
