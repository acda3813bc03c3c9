"""From the YAML file to a checked config, with all problems and their positions at once.

`models.py` has the written form. `load` turns it into `Config`, the form that the other rooms read: names, files, and
the nodes of the metrics. The options of metrics are checked in `metrics/`, since each metric knows its own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from ..errors import ConfigError, Problem, did_you_mean
from .compose import compose
from .models import (
    DatasetConfig,
    DefaultsConfig,
    HumanConfig,
    OutputConfig,
    RunConfig,
    StatisticsConfig,
    check_address,
    record_models,
    tag,
)
from .models_published import (
    AgreementConfig,
    ColumnConfig,
    ConfigFile,
    CorrelationConfig,
    ExpectationConfig,
    JudgmentsConfig,
    PublicationConfig,
)
from .resolved import Config
from .resolver import Resolver
from .tree import too_many

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from .models import Declared, Records
    from .resolved import System
    from .tree import Node


def load(
    config: str | Path | Node, settings: Sequence[str], formats: Mapping[str, Declared]
) -> tuple[Config | None, tuple[Node, ...], list[Problem]]:
    """Return a config (None where it cannot be used), the nodes of its metrics, and all problems.

    `settings` are the values of `--set`; `formats` are the formats of texts that a config may name. The metrics are
    returned even if the config has problems elsewhere, so that all problems can be shown together. Raises ConfigError
    where the file is not a YAML mapping at all.
    """
    root, problems = compose(config, tuple(settings))
    if not isinstance(root.value, dict):
        raise ConfigError([root.problem("expected a mapping with the keys datasets, systems, metrics")])
    if crowded := too_many(root):
        raise ConfigError([*problems[:1], crowded])
    metrics = root.get("metrics")
    nodes = tuple(metrics.value) if metrics and isinstance(metrics.value, list) else ()
    written = _validate(root, problems, record_models(formats))
    if written is None:
        return None, nodes, problems
    resolver = Resolver(root, written, problems, formats)
    resolver.check_size()
    datasets, systems = resolver.datasets(), resolver.systems()
    _idle(root, written, systems, problems)
    loaded = Config(
        root=root,
        datasets=datasets,
        systems=systems,
        metrics=nodes,
        run=written.run,
        output=written.output,
        matches=tuple(resolver.matches),
        notes=tuple(resolver.notes),
        statistics=written.statistics,
        human=written.human,
        published=written,
        absent=frozenset(resolver.absent),
    )
    return loaded, nodes, problems


def _idle(root: Node, written: ConfigFile, systems: Sequence[System], problems: list[Problem]) -> None:
    """Add problems of settings and data sets that nothing uses."""
    if written.run.backend == "serial" and written.run.n_jobs not in ("auto", 1):
        problems.append(root.problem("has no effect with `backend: serial`; leave one out", ("run", "n_jobs")))
    wrong = check_address(written.run.backend, written.run.address) if written.run.address else None
    if wrong:
        problems.append(root.problem(wrong, ("run", "address")))
    if written.statistics:
        _idle_statistics(root, written.statistics, [system.name for system in systems], problems)
    for name in written.datasets:
        if systems and not any(name in system.paths for system in systems):
            problems.append(root.problem("no system has an output for this data set", ("datasets", name)))
    common, datasets = root.find(("defaults", "datasets")), root.find(("datasets",))
    if isinstance(common.value, dict) and common.path == "defaults.datasets" and isinstance(datasets.value, dict):
        for key, child in common.value.items():
            if not any(dataset.get(key) is child for dataset in datasets.value.values()):
                problems.append(root.problem("no data set takes this default", ("defaults", "datasets", key)))


def _idle_statistics(root: Node, statistics: StatisticsConfig, systems: Sequence[str], problems: list[Problem]) -> None:
    """Add problems of a baseline that is no system, and of settings that have no effect with this test."""
    if statistics.baseline is not None and systems and statistics.baseline not in systems:
        hint = did_you_mean(statistics.baseline, systems)
        problems.append(root.problem(f"no system is called '{statistics.baseline}'{hint}", ("statistics", "baseline")))
    idle = {"none": ("baseline", "correction", "trials"), "approximate_randomization": ()}
    for key in idle.get(statistics.test, ("trials",)):
        if key in statistics.model_fields_set:
            problems.append(
                root.problem(f"has no effect with `test: {statistics.test}`; leave it out", ("statistics", key))
            )


def _validate(root: Node, problems: list[Problem], records: Records) -> ConfigFile | None:
    """Return the config as its models read it, or None where it is wrong.

    Unknown keys are problems. They are left out afterwards, so that the rest is checked all the same.
    """
    data = {key: value for key, value in root.plain().items() if not key.startswith("x-")}
    lacking = _lacking(data)
    problems += [root.problem(f"the key '{key}' is missing") for key in lacking]
    try:
        written = ConfigFile.model_validate(data, context=records)
    except ValidationError as error:
        errors = error.errors(include_url=False)
    else:
        return None if lacking else written
    explained = dict.fromkeys(_explain(root, item, records) for item in errors)
    known = set(problems)
    problems += [problem for problem in explained if problem not in known]
    if lacking or any(item["type"] != "extra_forbidden" for item in errors):
        return None
    for item in errors:
        owner: Any = data
        for step in item["loc"][:-1]:
            owner = owner[step] if not isinstance(owner, dict) or step in owner else owner
        owner.pop(item["loc"][-1], None)
    try:
        return ConfigFile.model_validate(data, context=records)
    except ValidationError as error:  # what is left lacks something: it may be what an unknown key was meant to be
        problems += dict.fromkeys(_explain(root, item, records) for item in error.errors(include_url=False))
    return None


def _lacking(data: dict[str, Any]) -> list[str]:
    """Return the sections that are missing. A config of judgements and columns alone needs none of them."""
    lacking = [key for key in ("datasets", "systems", "metrics") if key not in data]
    return [] if len(lacking) == 3 and ("judgments" in data or "columns" in data) else lacking


_EMPTY = {"too_short": "is empty; at least one is needed", "string_too_short": "is empty; expected a path"}
_EXPECTED = {
    "string_type": "expected text",
    "list_type": "expected a list",
    "dict_type": "expected a mapping (key: value)",
    "model_type": "expected a mapping (key: value)",
    "int_type": "expected a whole number",
}
"""Our words for errors of pydantic, by their types."""


def _explain(root: Node, item: Any, records: Records) -> Problem:
    """Return the problem that an error of pydantic stands for, in our words and with its position."""
    location, kind, shown = item["loc"], item["type"], _shown(item["input"])
    if kind == "extra_forbidden":
        return root.problem(f"unknown key{did_you_mean(location[-1], _fields(location[:-1], records))}", location)
    if kind == "missing":
        return root.problem(f"the key '{location[-1]}' is missing", location[:-1])
    if kind in _EMPTY:
        return root.problem(_EMPTY[kind], location)
    if kind == "literal_error":
        choices = re.findall(r"'([^']*)'", item["ctx"]["expected"])
        hint = did_you_mean(str(item["input"]), choices)
        return root.problem(f"expected one of {', '.join(choices)}, found {shown}{hint}", location)
    text = item["msg"].removeprefix("Value error, ")
    return root.problem(f"{_EXPECTED.get(kind, text[:1].lower() + text[1:])}, found {shown}", location)


def _shown(value: object) -> str:
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    return "nothing" if value is None else f"'{value}'"


_MODELS: dict[str, type[BaseModel]] = {
    "datasets": DatasetConfig,
    "defaults": DefaultsConfig,
    "human": HumanConfig,
    "run": RunConfig,
    "statistics": StatisticsConfig,
    "output": OutputConfig,
    "publication": PublicationConfig,
    "judgments": JudgmentsConfig,
    "columns": ColumnConfig,
    "correlations": CorrelationConfig,
    "agreements": AgreementConfig,
    "expect": ExpectationConfig,
}


def _fields(location: tuple[str | int, ...], records: Records) -> list[str]:
    """Return the keys that are known at a location: those of the innermost model on the way."""
    tagged = [model for name, model in records.items() if tag(name) in location]
    section = "datasets" if location[:2] == ("defaults", "datasets") else str(next(iter(location), ""))
    model = next(iter(tagged), _MODELS.get(section, ConfigFile))
    return [field.alias or name for name, field in model.model_fields.items()]
