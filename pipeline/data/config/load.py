"""From the YAML file to a checked config, with all problems and their positions at once.

`models.py` has the written form. `load` adds names and files: the other rooms read `Config`. The
options of metrics are checked in `metrics/`, since each metric knows its own."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, Field, ValidationError, create_model

from ...errors import ConfigError, Problem, did_you_mean
from ...extension import missing_extension
from . import models
from .compose import compose
from .models import SECTIONS, ConfigFile, Records, config_model, idle_address, tag
from .resolved import Config, TextFormat
from .resolver import ABSENT, Resolver
from .tree import Node, too_many


def load(
    config: str | Path | Node, settings: Sequence[str], formats: Mapping[str, TextFormat]
) -> tuple[Config | None, tuple[Node, ...], list[Problem]]:
    """Return a config (None where it cannot be used), the nodes of its metrics, and all problems.

    `settings` are the values of `--set`; `formats` are the formats of texts that a config may name.
    The metrics are returned even if the config has problems elsewhere, so that all problems can be
    shown together. Raises ConfigError where the file is not a YAML mapping at all."""
    root, problems = compose(config, tuple(settings))
    if not isinstance(root.value, dict):
        raise ConfigError(
            [root.problem("expected a mapping with the keys datasets, systems, metrics")]
        )
    if crowded := too_many(root):
        raise ConfigError([*problems[:1], crowded])
    metrics = root.get("metrics")
    nodes = tuple(metrics.value) if metrics and isinstance(metrics.value, list) else ()
    sections = _sections(root.value)
    written = _validate(root, problems, record_models(formats), sections)
    if written is None:
        return None, nodes, problems
    resolver = Resolver(root, written, problems, formats)
    datasets, systems = resolver.datasets(), resolver.systems()
    # Add problems of settings and data sets that nothing uses, and of a baseline that is no system.

    def add(message: str, *location: str) -> None:
        problems.append(root.problem(message, location))

    run, statistics = written.run, written.statistics
    if run.backend == "serial" and run.n_jobs not in ("auto", 1):
        add("has no effect with `backend: serial`; leave one out", "run", "n_jobs")
    if run.address and (wrong := idle_address(run.backend)):
        add(wrong, "run", "address")
    if statistics:
        names = [system.name for system in systems]
        if statistics.baseline is not None and names and statistics.baseline not in names:
            hint = did_you_mean(statistics.baseline, names)
            add(f"no system is called '{statistics.baseline}'{hint}", "statistics", "baseline")
        idle = {"none": ("baseline", "correction", "trials"), "approximate_randomization": ()}
        for key in idle.get(statistics.test, ("trials",)):
            if key in statistics.model_fields_set:
                add(
                    f"has no effect with `test: {statistics.test}`; leave it out", "statistics", key
                )
    for name in written.datasets:
        if systems and not any(name in system.paths for system in systems):
            add("no system has an output for this data set", "datasets", name)
    marked = (
        (item.name, name) for item in datasets if isinstance(item.bom, tuple) for name in item.bom
    )
    for dataset, name in marked:
        own = [system.name for system in systems if dataset in system.paths]
        if name not in own:
            add(
                f"no system '{name}' has an output for it{did_you_mean(name, own)}",
                "datasets",
                dataset,
                "bom",
            )
    loaded = Config(
        root=root,
        datasets=datasets,
        systems=systems,
        written=written,
        sections=tuple(name for name in sections if name in written.model_fields_set),
        matches=tuple(resolver.matches),
        notes=tuple(resolver.notes),
        absent=frozenset(resolver.absent),
        places=resolver.places,
    )
    return loaded, nodes, problems


def record_models(formats: Mapping[str, TextFormat]) -> Records:
    """Return a model for each format: its mapping has the path under the name of the format, and
    its other keys.
    """
    read: Records = {}
    for name, declared in formats.items():
        fields: dict[str, Any] = {"path": (models.PathText, Field(alias=name))}
        if declared.column:
            fields["column"] = (models.Column, Field(description=declared.column))
            about = f"{models.KEY}; default: the key of the data set"
            fields["key"] = (models.Column | None, Field(None, description=about))
        if declared.header:
            fields["header"] = (models.Truth | None, Field(None, description=declared.header))
        title, about = f"{name.capitalize()}Config", declared.summary
        read[name] = create_model(title, __base__=models.ConfigModel, __doc__=about, **fields)
    return read


TEXTS = ("source", "references", "m2", "path", "gold")
"""The keys of a data set that have texts."""
ROUNDS = 20
"""How often something wrong is left out of a config. What is left may be wrong because of that, so
it is read again."""


def _sections(keys: Iterable[str]) -> tuple[str, ...]:
    """Return those of the keys of a config that are sections of extensions."""
    others = [key for key in keys if key not in ConfigFile.model_fields]
    return tuple(key for key in others if not key.startswith("x-") and key in SECTIONS)


def _validate(
    root: Node, problems: list[Problem], records: Records, sections: tuple[str, ...]
) -> ConfigFile | None:
    """Return the config as its models read it; adds the problems. None where it cannot be read at
    all.
    """
    # Unknown keys and wrong values are left out, so that all the rest is checked, with the files
    # that it names.
    data = {key: value for key, value in root.plain().items() if not key.startswith("x-")}
    lacking = [key for key in ("datasets", "systems", "metrics") if key not in data]
    if len(lacking) == 3 and any(SECTIONS[name].standalone for name in sections):
        lacking = []  # such as judgements alone
    problems += [root.problem(f"the key '{key}' is missing") for key in lacking]
    known, wrong = {problem.position for problem in problems}, set[tuple[str | int, ...]]()
    for _ in range(ROUNDS):
        try:
            return config_model(sections).model_validate(data, context=records)
        except ValidationError as error:
            errors = error.errors(include_url=False)
        found = dict.fromkeys(_explain(root, item, records) for item in errors)
        problems += [problem for problem in found if not wrong or problem.position not in known]
        known |= {problem.position for problem in found}
        for location in {
            item["loc"][: -1 if item["type"] == "missing" else None]: None for item in errors
        }:
            _leave_out(data, location, again=location in wrong)
            wrong.add(location)
    return None


def _leave_out(data: Any, location: tuple[str | int, ...], *, again: bool) -> None:
    """Leave a value out of a config. `again` is for one that was left out before: what has it is
    left out with it.

    A text, a system or a data set becomes one that is not there, as other parts of the config may
    name it. No entry of a list is left out alone: the others would have other numbers."""
    way: list[tuple[Any, str | int]] = []
    for step in location:
        if (
            step in data
            if isinstance(data, dict)
            else isinstance(data, list) and isinstance(step, int)
        ):
            way.append((data, step))
            data = data[step]
    keys = [key for _, key in way]
    if not again and keys[:1] == ["systems"] and isinstance(keys[-1], str) and len(keys) > 1:
        way[1][0][keys[1]] = ABSENT
    elif not again and keys[:1] == ["datasets"] and len(keys) > 2 and keys[2] in TEXTS:
        owner, key = way[3] if isinstance(keys[-1], int) else way[2]
        owner[key] = [ABSENT] if key == "references" else ABSENT
    elif not again and keys[:1] == ["datasets"] and (len(keys) == 2 or keys[2:] == ["data"]):
        way[1][0][keys[1]] = {"source": ABSENT, "references": [ABSENT]}
    elif not again and len(keys) == 2 and (stand_in := _stand_in(keys[0])):
        way[1][0][keys[1]] = stand_in
    elif named := [
        (owner, key) for owner, key in way if isinstance(owner, dict)
    ]:  # else it was left out with another
        owner, key = named[-1 - (again and len(named) > 1)]
        owner.pop(key, None)


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
_MEANT = dict.fromkeys(("hyp", "hyps", "hypotheses", "outputs"), "systems")
_MEANT |= {"src": "source", "ref": "references", "refs": "references"}
"""Keys as other programs call them, and what is written here."""


def _explain(root: Node, item: Any, records: Records) -> Problem:
    """Return the problem that an error of pydantic stands for, in our words and with its position."""
    location, kind, value = item["loc"], item["type"], item["input"]
    shown = "nothing" if value is None else f"'{value}'"
    if isinstance(value, dict | list):
        shown = "a mapping" if isinstance(value, dict) else "a list"
    if kind == "extra_forbidden":
        if len(location) == 1 and (missing := missing_extension("config_sections", location[0])):
            return root.problem(missing, location)
        known, meant = _fields(location[:-1], records), _MEANT.get(location[-1], "")
        hint = (
            f" (did you mean '{meant}'?)"
            if meant in (*known, "systems")
            else did_you_mean(location[-1], known)
        )
        return root.problem(f"unknown key{hint}", location)
    if kind == "missing":
        return root.problem(f"the key '{location[-1]}' is missing", location[:-1])
    if kind in _EMPTY:
        return root.problem(_EMPTY[kind], location)
    if kind == "literal_error":
        choices = re.findall(r"'([^']*)'", item["ctx"]["expected"])
        hint = did_you_mean(str(value), choices)
        return root.problem(f"expected one of {', '.join(choices)}, found {shown}{hint}", location)
    text = item["msg"].removeprefix("Value error, ")
    return root.problem(
        f"{_EXPECTED.get(kind, text[:1].lower() + text[1:])}, found {shown}", location
    )


def _fields(location: tuple[str | int, ...], records: Records) -> list[str]:
    """Return the keys that are known at a location: those of the innermost model on the way."""
    model: type[BaseModel] = config_model(tuple(SECTIONS))
    for step in location:
        named = next((model for name, model in records.items() if tag(name) == step), None)
        field = next(
            (field for name, field in model.model_fields.items() if step in (name, field.alias)),
            None,
        )
        model = named or (_model_in(field.annotation) if field else None) or model
    return [field.alias or name for name, field in model.model_fields.items()]


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model that a type is or holds, such as that of the values of a mapping; None where
    there is none.
    """
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)
