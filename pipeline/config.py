"""The YAML file: what may stand in it, checked with positions, all problems at once.

The models below are the written form, and the source of the JSON Schema. `load` turns it into `Config`, the
resolved form that the other rooms read: names, absolute paths, and the metrics' nodes (their options are checked by
`metrics.resolve`, since each metric knows its own).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    WithJsonSchema,
)

from .document import Node, read
from .errors import ConfigError, Problem, did_you_mean

BACKENDS = ("auto", "serial", "threading", "loky")
FORMATS = ("json", "csv")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
MAX_NAME = 100
TEXT_SUFFIXES = frozenset({".txt", ".out", ".hyp", ".sys", ".tok"})


def _whole(value: object) -> object:
    """Read a whole number as written in YAML, where every scalar arrives as text."""
    if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,18}", value):
        return int(value)
    if isinstance(value, int):
        return value
    raise ValueError("expected a whole number")


def _jobs(value: object) -> object:
    if value != "auto" and (not isinstance(value, str) or not re.fullmatch(r"[1-9][0-9]{0,4}", value)):
        raise ValueError("expected 'auto' or a number of workers from 1")
    return value if value == "auto" else int(str(value))


Whole = Annotated[int, BeforeValidator(_whole)]
Jobs = Annotated[
    Any,
    BeforeValidator(_jobs),
    WithJsonSchema({"anyOf": [{"const": "auto"}, {"type": "integer", "minimum": 1, "maximum": 99_999}]}),
]
PathText = Annotated[str, Field(min_length=1, description="a path, against the folder of the file that names it")]


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class WrittenDataset(_Written):
    """Parallel text: one sentence a line."""

    source: PathText | None = Field(None, description="the uncorrected text; GLEU+ and GREEN need it")
    references: list[PathText] = Field(min_length=1, description="one file for each annotator")
    empty_references: Literal["keep", "error"] = Field(
        "keep",
        description="a reference line without a token is: a sentence of length 0 (with a warning), or a mistake",
    )


class WrittenRun(_Written):
    """How the work is done; never changes a number."""

    n_jobs: Jobs = Field(
        "auto",
        description="worker processes or threads; auto: as many as there are processors, none for small runs",
    )
    backend: Literal["auto", "serial", "threading", "loky"] = Field("auto", description="who runs the workers")


class WrittenOutput(_Written):
    """Where results go and how they are printed."""

    dir: PathText = Field("runs/latest", description="the run directory, against the working directory")
    formats: list[Literal["json", "csv"]] = Field(["json", "csv"], description="files beside results.json")
    digits: Annotated[Whole, Field(ge=0, le=12)] = Field(2, description="decimals of the printed percentages")


def _form(value: object) -> str:
    return "list" if isinstance(value, list) else "mapping"


SystemPath = Annotated[
    Annotated[PathText, Tag("path")] | Annotated[dict[str, PathText], Tag("mapping")],
    Discriminator(lambda value: "mapping" if isinstance(value, dict) else "path"),
]
WrittenSystems = Annotated[
    Annotated[dict[str, SystemPath], Tag("mapping"), Field(min_length=1)]
    | Annotated[list[PathText], Tag("list"), Field(min_length=1)],
    Discriminator(_form),
]


class WrittenConfig(_Written):
    """A gec-pipeline config."""

    version: Annotated[Whole, Field(ge=1, le=1)] = Field(1, description="version of this format")
    description: str | None = None
    datasets: dict[str, WrittenDataset] = Field(min_length=1)
    systems: WrittenSystems = Field(description="name: path, name: {dataset: path}, or a list of globs")
    metrics: list[Any] = Field(min_length=1)
    run: WrittenRun = WrittenRun()
    output: WrittenOutput = WrittenOutput()


@dataclass(frozen=True)
class Dataset:
    """A data set: source (or None) and references, in the order written."""

    name: str
    source: Path | None
    references: tuple[Path, ...]
    empty_references: Literal["keep", "error"] = "keep"


@dataclass(frozen=True)
class System:
    """A system's output for each data set it has one for."""

    name: str
    paths: dict[str, Path]


@dataclass(frozen=True)
class Config:
    """A checked config. `metrics` are nodes still; `root` knows the position of everything."""

    root: Node
    datasets: tuple[Dataset, ...]
    systems: tuple[System, ...]
    metrics: tuple[Node, ...]
    run: WrittenRun
    output: WrittenOutput


def load(path: str | Path) -> tuple[Config | None, tuple[Node, ...], list[Problem]]:
    """Read a config file; return it (None where it cannot be used), its metrics' nodes, and all problems.

    Raises ConfigError where the file is not a YAML mapping at all. Metrics come back even from a config that has
    problems elsewhere, so that theirs can be told at the same time.
    """
    root, problems = read(path)
    if not isinstance(root.value, dict):
        raise ConfigError([root.problem("expected a mapping with the keys datasets, systems, metrics")])
    metrics = root.get("metrics")
    nodes = tuple(metrics.value) if metrics and isinstance(metrics.value, list) else ()
    written = _validate(root, problems)
    if written is None:
        return None, nodes, problems
    base = Path(path).parent
    datasets = tuple(
        Dataset(
            name,
            base / d.source if d.source else None,
            tuple(base / reference for reference in d.references),
            d.empty_references,
        )
        for name, d in written.datasets.items()
    )
    systems = _systems(written, base, root, problems)
    _check_names([d.name for d in datasets], root, "datasets", problems)
    _check_names([s.name for s in systems], root, "systems", problems)
    return Config(root, datasets, systems, nodes, written.run, written.output), nodes, problems


def _validate(root: Node, problems: list[Problem]) -> WrittenConfig | None:
    """Validate against the models; unknown keys are told and then left out, so that the rest is still checked."""
    data = {key: value for key, value in root.plain().items() if not key.startswith("x-")}
    try:
        return WrittenConfig.model_validate(data)
    except ValidationError as error:
        errors = error.errors(include_url=False)
    problems += [_explain(root, item) for item in errors]
    if any(item["type"] != "extra_forbidden" for item in errors):
        return None
    for item in errors:
        owner: Any = data
        for step in item["loc"][:-1]:
            owner = owner[step] if not isinstance(owner, dict) or step in owner else owner
        owner.pop(item["loc"][-1], None)
    return WrittenConfig.model_validate(data)


_MESSAGES = {
    "too_short": "is empty; at least one is needed",
    "string_too_short": "is empty; expected a path",
    "string_type": "expected text, found {found}",
    "list_type": "expected a list, found {found}",
    "dict_type": "expected a mapping (key: value), found {found}",
    "model_type": "expected a mapping (key: value), found {found}",
    "int_type": "expected a whole number, found {found}",
}


def _explain(root: Node, item: Any) -> Problem:
    """Put a pydantic error into our words, at its place in the file."""
    location = item["loc"]
    found = _found(item["input"])
    if item["type"] == "extra_forbidden":
        return root.problem(f"unknown key{did_you_mean(location[-1], _fields(location[:-1]))}", location)
    if item["type"] == "missing":
        return root.problem(f"the key '{location[-1]}' is missing", location[:-1])
    if item["type"] == "literal_error":
        choices = re.findall(r"'([^']*)'", item["ctx"]["expected"])
        hint = did_you_mean(str(item["input"]), choices)
        return root.problem(f"expected one of {', '.join(choices)}, found {found}{hint}", location)
    message = _MESSAGES.get(item["type"])
    if message is None:
        text = item["msg"].removeprefix("Value error, ")
        message = f"{text[:1].lower()}{text[1:]}, found {found}"
    return root.problem(message.replace("{found}", found), location)


def _found(value: object) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return "nothing" if value is None else f"'{value}'"


def _fields(location: tuple[str | int, ...]) -> list[str]:
    """Return the known keys at a place, for suggestions."""
    models: dict[str, type[BaseModel]] = {"datasets": WrittenDataset, "run": WrittenRun, "output": WrittenOutput}
    model = models.get(str(location[0]), WrittenConfig) if location else WrittenConfig
    return list(model.model_fields)


def _systems(written: WrittenConfig, base: Path, root: Node, problems: list[Problem]) -> tuple[System, ...]:
    names = list(written.datasets)
    if isinstance(written.systems, list):
        return _globbed(written.systems, base, names, root, problems)
    systems = []
    for name, value in written.systems.items():
        if isinstance(value, str):
            paths = {d: base / _fill(value, d, name) for d in names}
        else:
            for unknown in (d for d in value if d not in names):
                message = f"no data set of this name{did_you_mean(unknown, names)}"
                problems.append(root.problem(message, ("systems", name, unknown)))
            paths = {d: base / _fill(path, d, name) for d, path in value.items() if d in names}
        systems.append(System(name, paths))
    return tuple(systems)


def _fill(path: str, dataset: str, system: str) -> str:
    return path.replace("{dataset}", dataset).replace("{system}", system)


def natural(path: Path) -> list[tuple[int, str]]:
    """Return a sort key by which system2 comes before system10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"([0-9]+)", path.name)]


def _globbed(
    globs: list[str], base: Path, datasets: list[str], root: Node, problems: list[Problem]
) -> tuple[System, ...]:
    """Find the systems that globs name: one for each file, called as the file is, without a text suffix."""
    found: dict[str, dict[str, Path]] = {}
    for index, pattern in enumerate(globs):
        matched = False
        for dataset in datasets:
            filled = base / _fill(pattern, dataset, "*")
            parts = filled.parts[len(Path(filled.anchor).parts) :]
            for path in sorted(Path(filled.anchor).glob(str(Path(*parts))), key=natural):
                matched = matched or path.is_file()
                name = path.stem if path.suffix.lower() in TEXT_SUFFIXES else path.name
                if path.is_file() and found.setdefault(name, {}).setdefault(dataset, path) != path:
                    twin = found[name][dataset]
                    message = f"two files would both be the system '{name}': {twin} and {path}"
                    problems.append(root.problem(message, ("systems", index)))
        if not matched:
            problems.append(root.problem(f"no file matches '{pattern}'", ("systems", index)))
    return tuple(System(name, paths) for name, paths in found.items())


def _check_names(names: list[str], root: Node, section: str, problems: list[Problem]) -> None:
    """Names become file names: letters that are safe everywhere, and no two that differ in case only."""
    seen: dict[str, str] = {}
    for name in names:
        twin = seen.setdefault(name.lower(), name)
        if twin != name:
            problems.append(root.problem(f"differs from '{twin}' in upper and lower case only", (section, name)))
        if not NAME.fullmatch(name) or len(name) > MAX_NAME:
            message = f"'{name}' cannot be a name: letters, digits and . _ + - only, a letter or digit first"
            problems.append(root.problem(message, (section, name)))
