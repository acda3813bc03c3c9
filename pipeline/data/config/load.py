"""From the YAML file to a checked config, with all problems and their positions at once.

`models.py` has the written form. `load` adds names and files: the other rooms read `Config`. The
options of metrics are checked in `metrics/`, since each metric knows its own.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel, Field, ValidationError, create_model

from ...backends import unused_address
from ...errors import ConfigError, Problem, did_you_mean
from ...extension import missing_extension
from . import models
from .compose import compose
from .models import SECTIONS, ConfigFile, Records, config_model, tag
from .resolved import Config, TextFormat
from .resolver import ABSENT, Resolver
from .tree import Node, too_many


class LoadedConfig(NamedTuple):
    """A config, and the nodes of its metrics."""

    config: Config | None
    """None if it cannot be used."""
    metric_nodes: tuple[Node, ...]


def load(
    config: str | Path | Node,
    settings: Sequence[str],
    formats: Mapping[str, TextFormat],
    problems: list[Problem],
) -> LoadedConfig:
    """Return a config and the nodes of its metrics, and add all problems.

    `settings` are the values of `--set`; `formats` are the formats of texts that a config may name.
    The metrics are returned even if the config has problems elsewhere, so that all problems can be
    shown together. Raises ConfigError where the file is not a YAML mapping at all.
    """
    root, problems_of_file = compose(config, tuple(settings))
    problems += problems_of_file
    if not isinstance(root.value, dict):
        message = "expected a mapping with the keys datasets, systems, metrics"
        raise ConfigError([root.problem(message)])
    crowded = too_many(root)
    if crowded:
        raise ConfigError([*problems[:1], crowded])

    metric_nodes: tuple[Node, ...] = ()
    metrics = root.get("metrics")
    if metrics and isinstance(metrics.value, list):
        metric_nodes = tuple(metrics.value)

    sections = _sections(root.value)
    written = _validate(root, problems, record_models(formats), sections)
    if written is None:
        return LoadedConfig(None, metric_nodes)
    resolver = Resolver(root, written, problems, formats)
    loaded = Config(
        root=root,
        datasets=resolver.datasets(),
        systems=resolver.systems(),
        written=written,
        sections=tuple(name for name in sections if name in written.model_fields_set),
        matches=tuple(resolver.matches),
        notes=tuple(resolver.notes),
        missing_files=frozenset(resolver.missing_files),
        locations=resolver.locations,
    )
    problems += _idle_settings(loaded)
    problems += _unused_names(loaded)
    return LoadedConfig(loaded, metric_nodes)


def _idle_settings(config: Config) -> list[Problem]:
    """Return problems of settings without effect, and of a baseline that is no system."""
    problems: list[Problem] = []

    def add(message: str, *location: str) -> None:
        problems.append(config.root.problem(message, location))

    run = config.written.run
    if run.backend == "serial" and run.n_jobs not in ("auto", 1):
        add("has no effect with `backend: serial`; leave one out", "run", "n_jobs")
    if run.address:
        reason = unused_address(run.backend)
        if reason:
            add(reason, "run", "address")

    statistics = config.written.statistics
    if statistics is None:
        return problems
    baseline = statistics.baseline
    systems = [system.name for system in config.systems]
    if baseline is not None and systems and baseline not in systems:
        hint = did_you_mean(baseline, systems)
        add(f"no system is called '{baseline}'{hint}", "statistics", "baseline")
    return problems


def _unused_names(config: Config) -> list[Problem]:
    """Return problems of data sets without outputs, and of systems under `bom` without outputs."""
    problems = []
    for name in config.written.datasets:
        if config.systems and not any(
            name in system.paths for system in config.systems
        ):
            message = "no system has an output for this data set"
            problems.append(config.root.problem(message, ("datasets", name)))
    for dataset in config.datasets:
        if not isinstance(dataset.bom, tuple):
            continue
        systems = [
            system.name for system in config.systems if dataset.name in system.paths
        ]
        for name in dataset.bom:
            if name not in systems:
                message = f"no system '{name}' has an output for it{did_you_mean(name, systems)}"
                location = ("datasets", dataset.name, "bom")
                problems.append(config.root.problem(message, location))
    return problems


def record_models(formats: Mapping[str, TextFormat]) -> Records:
    """Return a model for each format: the path under the name of the format, and its other keys."""
    records: Records = {}
    for name, declared in formats.items():
        fields: dict[str, Any] = {"path": (models.PathText, Field(alias=name))}
        if declared.column:
            fields["column"] = (models.Column, Field(description=declared.column))
            about = f"{models.KEY}; default: the key of the data set"
            fields["key"] = (models.Column | None, Field(None, description=about))
        if declared.header:
            fields["header"] = (
                models.Truth | None,
                Field(None, description=declared.header),
            )
        records[name] = create_model(
            f"{name.capitalize()}Config",
            __base__=models.ConfigModel,
            __doc__=declared.summary,
            **fields,
        )
    return records


TEXTS = ("source", "references", "m2", "path", "gold")
"""The keys of a data set that have texts."""
MAX_ROUNDS = 20
"""How often something wrong is left out of a config. What is left may be wrong because of that, so
it is read again."""
KeyPath = tuple[str | int, ...]
"""Keys and indices from the root of a config, as errors of pydantic have them."""


def _sections(keys: Iterable[str]) -> tuple[str, ...]:
    """Return those of the keys of a config that are sections of extensions."""
    others = [key for key in keys if key not in ConfigFile.model_fields]
    return tuple(key for key in others if not key.startswith("x-") and key in SECTIONS)


def _validate(
    root: Node, problems: list[Problem], records: Records, sections: tuple[str, ...]
) -> ConfigFile | None:
    """Return the config as its models read it, or None if unreadable; adds problems."""
    # Unknown keys and wrong values are left out, so that all the rest is checked, with the files
    # that it names.
    plain = root.plain()
    data = {key: value for key, value in plain.items() if not key.startswith("x-")}
    missing = [key for key in ("datasets", "systems", "metrics") if key not in data]
    if len(missing) == 3 and any(SECTIONS[name].standalone for name in sections):
        missing = []  # such as judgements alone
    for key in missing:
        problems.append(root.problem(f"the key '{key}' is missing"))

    reported = {problem.position for problem in problems}
    left_out: set[KeyPath] = set()
    for _ in range(MAX_ROUNDS):
        try:
            return config_model(sections).model_validate(data, context=records)
        except ValidationError as error:
            errors = error.errors(include_url=False)
        found = dict.fromkeys(_explain(root, item, records) for item in errors)
        for problem in found:
            if not left_out or problem.position not in reported:
                problems.append(problem)
        reported |= {problem.position for problem in found}
        for location in dict.fromkeys(map(_wrong_location, errors)):
            _leave_out(data, location, again=location in left_out)
            left_out.add(location)
    return None


def _wrong_location(error: Any) -> KeyPath:
    """Return the location of what an error of pydantic is about: for a missing key, its mapping."""
    location: KeyPath = error["loc"]
    return location[:-1] if error["type"] == "missing" else location


class _Step(NamedTuple):
    """A value of a config: the mapping or list that has it, and its key or index there."""

    parent: Any
    key: str | int


def _leave_out(data: Any, location: KeyPath, *, again: bool) -> None:
    """Leave a value out of a config. `again` is for one that was left out before: what has it is
    left out with it.

    A text, a system or a data set becomes one that is not there, as other parts of the config may
    name it. No entry of a list is left out alone: the others would have other numbers.
    """
    steps = _steps_to(data, location)
    keys = [step.key for step in steps]
    section = keys[0] if keys else ""
    if not again:
        if section == "systems" and len(keys) > 1 and isinstance(keys[-1], str):
            steps[1].parent[keys[1]] = ABSENT
            return
        if section == "datasets" and len(keys) > 2 and keys[2] in TEXTS:
            text = steps[3] if isinstance(keys[-1], int) else steps[2]
            text.parent[text.key] = [ABSENT] if text.key == "references" else ABSENT
            return
        if section == "datasets" and (len(keys) == 2 or keys[2:] == ["data"]):
            steps[1].parent[keys[1]] = {"source": ABSENT, "references": [ABSENT]}
            return
        stand_in = _stand_in(section) if len(keys) == 2 else {}
        if stand_in:
            steps[1].parent[keys[1]] = stand_in
            return
    in_mappings = [step for step in steps if isinstance(step.parent, dict)]
    if not in_mappings:
        return  # it was left out with another value
    removed = in_mappings[-1]
    if again and len(in_mappings) > 1:
        removed = in_mappings[-2]
    removed.parent.pop(removed.key, None)


def _steps_to(data: Any, location: KeyPath) -> list[_Step]:
    """Return the steps from a config to a location, without steps of pydantic that are no keys."""
    steps: list[_Step] = []
    for key in location:
        if isinstance(data, dict):
            exists = key in data
        else:
            exists = isinstance(data, list) and isinstance(key, int)
        if exists:
            steps.append(_Step(data, key))
            data = data[key]
    return steps


def _stand_in(section: str | int) -> dict[str, str]:
    """Return what replaces a wrong entry of a section; an empty mapping if nothing does."""
    if section in ConfigFile.model_fields or section not in SECTIONS:
        return {}
    return dict(SECTIONS[str(section)].stand_in or {})


_EMPTY = {
    "too_short": "is empty; at least one is needed",
    "string_too_short": "is empty; expected a path",
}
_EXPECTED = {
    "string_type": "expected text",
    "list_type": "expected a list",
    "dict_type": "expected a mapping (key: value)",
    "model_type": "expected a mapping (key: value)",
    "int_type": "expected a whole number",
}
"""Our words for errors of pydantic, by their types."""
_OTHER_NAMES = {
    "hyp": "systems",
    "hyps": "systems",
    "hypotheses": "systems",
    "outputs": "systems",
    "src": "source",
    "ref": "references",
    "refs": "references",
}
"""Keys as other programs name them, and the key here."""
REMOVED_KEYS: dict[KeyPath, str] = {
    (
        "statistics",
        "annotators",
    ): "was removed: samples keep the annotators that were chosen on the whole data set"
}
"""Keys of earlier versions: their paths, and the message about each."""


def _explain(root: Node, item: Any, records: Records) -> Problem:
    """Return the problem that an error of pydantic stands for, in our words and with its position."""
    location: KeyPath = item["loc"]
    kind = item["type"]
    if kind == "extra_forbidden" and location in REMOVED_KEYS:
        return root.problem(REMOVED_KEYS[location], location)
    if kind == "extra_forbidden":
        missing = ""
        if len(location) == 1:
            missing = missing_extension("config_sections", str(location[0]))
        if missing:
            return root.problem(missing, location)
        return root.problem(f"unknown key{_known_key(location, records)}", location)
    if kind == "missing":
        return root.problem(f"the key '{location[-1]}' is missing", location[:-1])
    if kind in _EMPTY:
        return root.problem(_EMPTY[kind], location)

    value = item["input"]
    hint = ""
    if kind == "literal_error":
        choices = re.findall(r"'([^']*)'", item["ctx"]["expected"])
        expected = f"expected one of {', '.join(choices)}"
        hint = did_you_mean(str(value), choices)
    elif kind in _EXPECTED:
        expected = _EXPECTED[kind]
    else:
        text = item["msg"].removeprefix("Value error, ")
        expected = text[:1].lower() + text[1:]
    return root.problem(f"{expected}, found {_displayed(value)}{hint}", location)


def _displayed(value: object) -> str:
    """Return a wrong value as messages show it."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return f"'{value}'"


def _known_key(location: KeyPath, records: Records) -> str:
    """Return " (did you mean 'x'?)" for an unknown key, or an empty text."""
    key = str(location[-1])
    known = _fields(location[:-1], records)
    other_name = _OTHER_NAMES.get(key, "")
    if other_name in (*known, "systems"):
        return f" (did you mean '{other_name}'?)"
    return did_you_mean(key, known)


def _fields(location: KeyPath, records: Records) -> list[str]:
    """Return the keys that are known at a location: those of the innermost model on the way."""
    record_models_by_tag: dict[str | int, type[BaseModel]] = {}
    for name, record_model in records.items():
        record_models_by_tag[tag(name)] = record_model
    model: type[BaseModel] = config_model(tuple(SECTIONS))
    for step in location:
        if step in record_models_by_tag:
            model = record_models_by_tag[step]
            continue
        for name, field in model.model_fields.items():
            if step in (name, field.alias):
                model = _model_in(field.annotation) or model
                break
    return [field.alias or name for name, field in model.model_fields.items()]


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model that a type is or holds, such as in the values of a mapping, or None."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in get_args(annotation):
        model = _model_in(argument)
        if model:
            return model
    return None
