"""The written form of a config: what may stand in the YAML file. The JSON Schema is made from these
models.

Texts may be in the records of a file. The keys of such a mapping depend on the format of the file,
so its model is made from what the format declares.
"""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, Self, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    create_model,
)
from pydantic_core import PydanticCustomError

from ...backends import backend_names
from ...errors import ConfigError, InputError, Problem, did_you_mean
from ...extension import missing_extension
from ...files import TempFiles
from ...lookup import Table
from .tree import Location, Node


def whole_number(value: object) -> object:
    """Return a whole number that a config has as text; raises ValueError for what is none.

    It is for BeforeValidator of pydantic, as the other functions of values below.
    """
    if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,18}", value):
        return int(value)
    if isinstance(value, int):
        return value
    raise ValueError("expected a whole number")


def _truth(value: object) -> object:
    if value in ("true", "false"):
        return value == "true"
    raise ValueError("expected true or false")


def _order(value: object) -> object:
    """Return a pattern with a group that orders systems."""
    # With few repeats, none of them of a group, no engine takes long for a name.
    if isinstance(value, str):
        repeats = re.findall(r"[*+{]|(?<!\()\?", value)
        repeats_group = re.search(r"\)[*+{]", value)
        if len(repeats) <= 3 and not repeats_group:
            with suppress(re.error, RecursionError, OverflowError):
                if re.compile(value).groups:
                    return value
    raise ValueError(
        r"expected a pattern with a group that finds a number in names of systems, such as 'step-(\d+)', "
        "with at most three repeats, and none of a group"
    )


def _line_numbers(value: object) -> object:
    """Return a list of line numbers and ranges, or the path of a file of them."""
    if isinstance(value, list) and not value:
        raise ValueError("is empty; at least one line is needed")
    if isinstance(value, str) and value:
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    message = "expected a list of line numbers and ranges, such as [1-100, 418], or a file of them"
    raise ValueError(message)


def _level(value: object) -> object:
    if (
        isinstance(value, str)
        and re.fullmatch(r"0?\.[0-9]{1,6}", value)
        and float(value) > 0
    ):
        return float(value)
    raise ValueError(
        "expected a number between 0 and 1, such as 0.95, with at most 6 decimals"
    )


class ConfigModel(BaseModel):
    """What is written in a config. Unknown keys are refused; values arrive as text."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @classmethod
    def from_settings(
        cls, settings: Mapping[str, Any], prefix: str = ""
    ) -> Self:
        """Return a section with settings from outside a file; raises InputError for wrong settings."""
        try:
            return cls.model_validate(settings)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            name = str(first["loc"][0])
            reason = first["msg"].removeprefix("Value error, ")
            if first["type"] == "extra_forbidden":
                reason = f"is no setting{did_you_mean(name, cls.model_fields)}"
            reason = reason[:1].lower() + reason[1:]
            raise InputError(
                f"{prefix}{name} {first['input']}: {reason}"
            ) from None


_RANGES: dict[str, Any] = {
    "type": "array",
    "minItems": 1,
    "items": {"type": ["integer", "string"]},
}
LineNumbers = Annotated[
    Any,
    BeforeValidator(_line_numbers),
    WithJsonSchema(
        {"anyOf": [{"type": ["string", "integer"], "minLength": 1}, _RANGES]}
    ),
]
Truth = Annotated[bool, BeforeValidator(_truth)]
"""true or false."""
Level = Annotated[float, BeforeValidator(_level)]
"""The level of intervals, between 0 and 1."""
Digits = Annotated[int, Field(ge=0, le=12), BeforeValidator(whole_number)]
Resamples = Annotated[
    int, Field(ge=1, le=1_000_000), BeforeValidator(whole_number)
]
"""A number of bootstrap samples."""
Count = Annotated[int, Field(ge=1), BeforeValidator(whole_number)]
"""A whole number from 1."""
Trials = Annotated[
    int, Field(ge=1, le=100_000_000), BeforeValidator(whole_number)
]
Seed = Annotated[int, Field(ge=0, le=2**32 - 1), BeforeValidator(whole_number)]
"""The seed of random numbers."""
PathText = Annotated[
    str,
    Field(
        min_length=1,
        description="a path, relative to the folder of the file that names it; - is standard input; data:NAME/FILE "
        "is a file of a fetched data set",
    ),
]
"""A path or an address as a config has it."""


class Record(NamedTuple):
    """A file whose records have texts, as a config names it."""

    format: str
    path: str
    column: str = ""
    header: bool | None = None
    """None if the config does not say whether the first line has names."""
    key: str | None = None


ColumnName = Annotated[
    str,
    Field(min_length=1),
    WithJsonSchema({"type": ["string", "integer"], "minLength": 1}),
]
"""The name or number of a column of records."""
KEY = "the column of the ids by which records are joined, in whatever order they are"
Records = dict[str, type[BaseModel]]
"""The model of each format's mapping, by the name of the format. Validation of a config has it as
its context."""


def tag(name: str) -> str:
    """Return the step for a format in the location of an error. Its brackets tell it from keys."""
    return f"<{name}>"


def named_format(value: dict[str, Any], records: Records) -> str | None:
    """Return the format that a mapping names, or None."""
    for name in records:
        if name in value:
            return name
    return None


OFFICIAL = "data"
"""The word that stands for the outputs that come with data sets."""


def _backend(value: object) -> object:
    """Refuse a name that no backend has."""
    names = backend_names()
    if value not in names:
        expected = ", ".join(f"'{name}'" for name in names)
        raise PydanticCustomError(
            "literal_error", "is no backend", {"expected": expected}
        )
    return value


def _jobs(value: object) -> object:
    if value == "auto":
        return value
    if isinstance(value, str) and re.fullmatch(r"[1-9][0-9]{0,4}", value):
        return int(value)
    raise ValueError("expected 'auto' or a number of workers from 1")


Jobs = Annotated[
    Any,
    BeforeValidator(_jobs),
    WithJsonSchema(
        {
            "anyOf": [
                {"const": "auto"},
                {"type": "integer", "minimum": 1, "maximum": 99_999},
            ]
        }
    ),
]
_PATH: TypeAdapter[str] = TypeAdapter(PathText)
ANY_RECORD = {"const": "<record>"}
"""Stands for the records of all formats in the JSON Schema of the models, until `schema` puts them
there."""


def _texts(value: object, info: ValidationInfo) -> str | Record:
    """Return a path, or a record with a path and its column; raises ValueError for wrong keys."""
    if not isinstance(value, dict):
        return _PATH.validate_python(value)
    records: Records = info.context or {}
    name = named_format(value, records)
    if name is None:
        raise ValueError(
            f"expected a path, or a mapping with one of the keys {', '.join(records)}"
        )
    # The model is validated in a mapping, so that the locations of errors begin with its tag.
    tagged_model = dict[str, records[name]]  # type: ignore[valid-type]
    adapter: TypeAdapter[dict[str, BaseModel]] = TypeAdapter(tagged_model)
    tagged = adapter.validate_python({tag(name): value}, context=records)
    return Record(name, **tagged[tag(name)].model_dump())


Texts = Annotated[
    Any,
    BeforeValidator(_texts),
    WithJsonSchema({"oneOf": [_PATH.json_schema(), ANY_RECORD]}),
]
_BY_DATASET: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Texts])


def _outputs(value: object, info: ValidationInfo) -> object:
    """Return a text with outputs for all data sets, or a mapping with a text for each."""
    if isinstance(value, dict) and not named_format(value, info.context or {}):
        return _BY_DATASET.validate_python(value, context=info.context)
    return _texts(value, info)


Outputs = Annotated[
    Any,
    BeforeValidator(_outputs),
    WithJsonSchema(
        {"oneOf": [_PATH.json_schema(), ANY_RECORD, _BY_DATASET.json_schema()]}
    ),
]


def _form(value: object) -> str:
    """Return the tag of the form in which systems are written."""
    if value == OFFICIAL:
        return "<data>"
    if isinstance(value, list):
        return "<list>"
    return "<mapping>"


SystemsConfig = Annotated[
    Annotated[dict[str, Outputs], Tag("<mapping>"), Field(min_length=1)]
    | Annotated[list[PathText], Tag("<list>"), Field(min_length=1)]
    | Annotated[Literal["data"], Tag("<data>")],
    Discriminator(_form),
]


class DatasetConfig(ConfigModel):
    """Parallel text, one sentence a line. One of references, m2, gold and data is needed by most
    metrics.
    """

    source: Texts | None = Field(
        None, description="the uncorrected text; GLEU+ and GREEN need it"
    )
    references: list[Texts] = Field(
        [],
        min_length=1,
        description="one file for each annotator; a glob stands for the files that it matches, in natural order",
    )
    m2: PathText | None = Field(
        None,
        description="annotated sentences: source, and a reference for each annotator",
    )
    gold: list[PathText] = Field(
        [],
        min_length=1,
        description="annotated sentences (M2) whose edits errant and m2 compare with; without references they are "
        "made of it, as m2 makes them; of several files of the same sentences each has annotators of its own",
    )
    data: str | None = Field(
        None,
        min_length=1,
        description="a fetched data set, NAME or NAME/PART, with source and references; see gec-pipeline data list",
    )
    key: ColumnName | None = Field(
        None, description=f"{KEY}; also of outputs; tables have the ids"
    )
    missing_annotator: Literal["first", "source", "none"] = Field(
        "first",
        description="what stands in an M2 file for an annotator who has no line for a sentence that others "
        "annotated: the edits of the first annotator, the source, or nothing (none)",
    )
    empty_references: Literal["keep", "error", "none"] = Field(
        "keep",
        description="what a reference line without a token is: a sentence of length 0, with a warning (keep), a "
        "mistake (error), or a sign that this annotator has nothing for the sentence (none)",
    )
    keep: LineNumbers | None = Field(
        None,
        description="lines to score, from 1: [1-100, 418], or a file of them",
    )
    drop: LineNumbers | None = Field(
        None,
        description="lines to leave out, from 1: [1-100, 418], or a file of them",
    )
    outputs: Literal["whole", "kept"] = Field(
        "whole",
        description="kept: the files of systems hold only the lines that keep or drop leaves",
    )
    replace: Literal["none", "ptb_brackets"] = Field(
        "none",
        description="ptb_brackets: -LRB- and its like, in upper or lower case, become the brackets that they mean",
    )
    bom: Literal["drop", "keep"] | list[str] = Field(
        "drop",
        description="keep: a byte order mark at the beginning of a text counts as text, as in sacreBLEU; or a list of "
        "the systems of whose outputs it does",
    )


class DefaultsConfig(ConfigModel):
    """Values for the metrics that do not give their own."""

    metrics: dict[str, Any] | None = Field(
        None, description="options for the metrics that have a use for them"
    )


class RunConfig(ConfigModel):
    """How the work is done. Nothing here changes a number."""

    n_jobs: Jobs = Field(
        "auto",
        description="worker processes or threads; auto: as many as there are processors, none for small runs",
    )
    backend: Annotated[str, BeforeValidator(_backend)] = Field(
        "auto",
        description="what runs the workers; clusters need the extra of the same name",
    )
    address: str | None = Field(
        None,
        min_length=1,
        description="address of the scheduler of a cluster, such as tcp://HOST:PORT",
    )
    max_unpacked: Count = Field(
        TempFiles.DEFAULT_CAP,
        description="bytes that compressed and other unpacked inputs of a run may take together",
    )
    devices: str | list[str] = Field(
        "auto",
        description="where models of metrics of your own compute: auto, cpu, cuda:1, or a list (help plugins)",
    )
    batch_size: Annotated[
        int | None, Field(ge=1), BeforeValidator(whole_number)
    ] = Field(
        None,
        description="the most lines that a metric of your own gets at once; it changes no number",
    )
    patience: Count = Field(
        600,
        description="seconds without any answer after which a metric of your own is given up",
    )


class StatisticsConfig(ConfigModel):
    """Intervals, rank ranges and paired tests. Without this section there are none."""

    baseline: str | None = Field(
        None,
        description="the system that the others are compared with; default: all pairs",
    )
    test: str = Field(
        "approximate_randomization",
        description="the paired test: one of the table SIGNIFICANCE_TESTS; none: no comparisons",
    )
    correction: Literal["holm", "bonferroni", "none"] = Field(
        "holm",
        description="correction of p-values for several comparisons by one metric on one data set",
    )
    level: Level = Field(
        0.95,
        description="level of intervals and rank ranges; 1 - level is the level of significance",
    )
    resamples: Resamples = Field(1000, description="bootstrap samples")
    trials: Trials = Field(
        10_000, description="shuffles of approximate randomisation"
    )
    seed: Seed = Field(12345, description="seed of both random streams")
    outputs: Literal["score", "all"] = Field(
        "score",
        description="what has an interval: the score alone, or all outputs that are fractions, such as recall",
    )


class OutputConfig(ConfigModel):
    """Where results go and how they are printed."""

    dir: PathText = Field(
        "runs/latest",
        description="the run directory, relative to the working directory",
    )
    formats: list[str] = Field(
        ["json", "csv"], description="files beside results.json"
    )
    plots: list[str] = Field(
        [],
        description="plots that the format plots draws; default: all for which there are results",
    )
    plot_type: Literal["png", "svg", "pdf"] = Field(
        "png", description="type of the files that the format plots writes"
    )
    plot_width: Literal["column", "text"] | None = Field(
        None,
        description="width of plots, for a paper: that of a column (219 points) or of the text (455 points)",
    )
    plot_font: Literal["sans", "serif"] = Field(
        "sans", description="letters of plots"
    )
    plot_title: Truth = Field(
        True, description="whether plots say above the axes what they show"
    )
    x: Annotated[str | None, BeforeValidator(_order)] = Field(
        None,
        description=r"the order of systems, such as step-(\d+): a pattern whose group is a number in their names",
    )
    digits: Digits = Field(2, description="decimals of the printed percentages")
    mean: Truth = Field(
        False,
        description="also the mean over data sets of each system and metric",
    )


Version = Annotated[int, Field(ge=1, le=1), BeforeValidator(whole_number)]


class ConfigFile(ConfigModel):
    """A gec-pipeline config."""

    version: Version = Field(1, description="version of this format")
    description: str | None = None
    include: list[PathText] = Field(
        [], description="configs over which this one is merged"
    )
    catalogue: dict[str, Any] = Field(
        {},
        description="data sets for data:NAME/FILE, written as in datasets.yaml: "
        "NAME: {from: [...]} (`help data`)",
    )
    defaults: DefaultsConfig = DefaultsConfig()
    datasets: dict[str, DatasetConfig] = Field({}, min_length=1)
    systems: SystemsConfig = Field(
        {},
        description="name: path, name: {dataset: path}, a list of globs, or data: the outputs "
        "that data sets come with",
    )
    metrics: list[Any] = Field([], min_length=1)
    statistics: StatisticsConfig | None = Field(
        None, description="intervals and tests; {} takes the defaults"
    )
    run: RunConfig = RunConfig()
    output: OutputConfig = OutputConfig()

    @property
    def output_count(self) -> int:
        """How many outputs, or patterns of such, the systems have for all data sets."""
        systems = self.systems
        count = 0
        for system in (
            systems.values() if isinstance(systems, dict) else systems
        ):
            count += len(system if isinstance(system, dict) else self.datasets)
        return count


@dataclass(frozen=True, kw_only=True)
class Section:
    """A section of the config that an extension adds."""

    type: Any
    """Its type, such as a pydantic model, or a dict or list of such."""
    field: Any = None
    """The Field of pydantic with its description and limits. None: an optional section without."""
    standalone: bool = False
    """Whether a config that has it needs no data sets, systems and metrics."""
    stand_in: Mapping[str, str] | None = None
    """What replaces a wrong entry of a list, so that the other entries are still checked."""


SECTIONS: Table[Section] = Table(__name__, {}, kind="config_sections")
"""The sections that extensions add."""


@cache
def config_model(sections: tuple[str, ...]) -> type[ConfigFile]:
    """Return the model of a config with these sections of extensions besides those of the core."""
    if not sections:
        return ConfigFile
    fields: dict[str, Any] = {}
    for name in sections:
        section = SECTIONS[name]
        if section.field is None:
            fields[name] = (section.type | None, None)
        else:
            fields[name] = (section.type, section.field)
    return create_model(
        "ConfigFile", __base__=ConfigFile, __doc__=ConfigFile.__doc__, **fields
    )


# ---- from a tree to the models

MAX_OUTPUTS = 20_000
"""Outputs of systems, or patterns of such, for all data sets together."""
ABSENT = "what is left out"
"""A path that stands for a text that is written wrongly, and has a problem already."""
TEXTS = ("source", "references", "m2", "path", "gold")
"""The keys of a data set that have texts."""
MAX_ROUNDS = 20
"""How often something wrong is left out of a config. What is left may be wrong because of that, so
it is read again."""


def sections_of(plain: Iterable[str]) -> tuple[str, ...]:
    """Return those of the keys of a config that are sections of extensions."""
    others = [key for key in plain if key not in ConfigFile.model_fields]
    return tuple(
        key for key in others if not key.startswith("x-") and key in SECTIONS
    )


def validate(
    root: Node,
    problems: list[Problem],
    records: Records,
    sections: tuple[str, ...],
) -> ConfigFile | None:
    """Return the config as its models read it, or None if unreadable; adds problems.

    `records` has the models of formats, and `sections` the sections of extensions that the config
    has. Unknown keys and wrong values are left out, so that all the rest is checked, with the files
    that it names. Raises ConfigError if there are too many outputs.
    """
    data: dict[str, Any] = {}
    for key, value in root.plain().items():
        if not key.startswith("x-"):
            data[key] = value
    missing = [
        key for key in ("datasets", "systems", "metrics") if key not in data
    ]
    if len(missing) == 3 and any(
        SECTIONS[name].standalone for name in sections
    ):
        missing = []  # such as judgements alone
    for key in missing:
        problems.append(root.problem(f"the key '{key}' is missing"))

    reported = {problem.position for problem in problems}
    left_out: set[Location] = set()
    for _ in range(MAX_ROUNDS):
        try:
            parsed = config_model(sections).model_validate(
                data, context=records
            )
        except ValidationError as error:
            errors = error.errors(include_url=False)
        else:
            count = parsed.output_count
            if count > MAX_OUTPUTS:
                message = f"{count:,} outputs of systems for data sets; {MAX_OUTPUTS:,} are allowed"
                raise ConfigError([root.problem(message, ("systems",))])
            return parsed
        explained = [_explain(item, records) for item in errors]
        found = {root.problem(*message_at): None for message_at in explained}
        for problem in found:
            if not left_out or problem.position not in reported:
                problems.append(problem)
        reported |= {problem.position for problem in found}
        for location in dict.fromkeys(map(_wrong_location, errors)):
            _leave_out(data, location, again=location in left_out)
            left_out.add(location)
    return None


def _wrong_location(error: Any) -> Location:
    """Return the location of the value that is wrong; for a missing key that is its mapping."""
    location: Location = error["loc"]
    return location[:-1] if error["type"] == "missing" else location


class _Step(NamedTuple):
    """A value of a config: the mapping or list that has it, and its key or index there."""

    parent: Any
    key: str | int


def _leave_out(data: Any, location: Location, *, again: bool) -> None:
    """Leave a wrong value out of a config, so that the rest of it can be checked.

    Other parts of the config may name a text, a system or a data set: it is replaced by one whose
    file is ABSENT. An entry of a list is left out with the list, as the others would get other
    numbers. `again` says that the value was left out before and the config is still wrong: then the
    mapping around it is left out too.
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
            text.parent[text.key] = (
                [ABSENT] if text.key == "references" else ABSENT
            )
            return
        if section == "datasets" and (len(keys) == 2 or keys[2:] == ["data"]):
            steps[1].parent[keys[1]] = {
                "source": ABSENT,
                "references": [ABSENT],
            }
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


def _steps_to(data: Any, location: Location) -> list[_Step]:
    """Return the steps from a config to the location of an error of pydantic.

    Its location also has tags of models, which are no keys of the config and are left out.
    """
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
REMOVED_KEYS: dict[Location, str] = {
    (
        "statistics",
        "annotators",
    ): "was removed: samples keep the annotators that were chosen on the whole data set"
}
"""Keys of earlier versions: their paths, and the message about each."""


def _explain(item: Any, records: Records) -> tuple[str, Location]:
    """Return what an error of pydantic means, in our words, and its location."""
    location: Location = item["loc"]
    kind = item["type"]
    if kind == "extra_forbidden" and location in REMOVED_KEYS:
        return REMOVED_KEYS[location], location
    if kind == "extra_forbidden":
        missing = ""
        if len(location) == 1:
            missing = missing_extension("config_sections", str(location[0]))
        if missing:
            return missing, location
        return f"unknown key{_known_key(location, records)}", location
    if kind == "missing":
        return f"the key '{location[-1]}' is missing", location[:-1]
    if kind in _EMPTY:
        return _EMPTY[kind], location

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
    return f"{expected}, found {_displayed(value)}{hint}", location


def _displayed(value: object) -> str:
    """Return a wrong value as messages show it."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return f"'{value}'"


def _known_key(location: Location, records: Records) -> str:
    """Return " (did you mean 'x'?)" for an unknown key, or an empty text."""
    key = str(location[-1])
    known = _fields(location[:-1], records)
    other_name = _OTHER_NAMES.get(key, "")
    if other_name in (*known, "systems"):
        return f" (did you mean '{other_name}'?)"
    return did_you_mean(key, known)


def _fields(location: Location, records: Records) -> list[str]:
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
