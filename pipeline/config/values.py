"""What single values of a config may be, and what all its models have in common.

Texts may be in the records of a file. The keys of such a mapping depend on the format of the file, so its model is made
from what the format declares.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Protocol

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, WithJsonSchema, create_model

if TYPE_CHECKING:
    from collections.abc import Mapping


def whole_number(value: object) -> object:
    """Return a whole number; a config gives it as text. Raises ValueError, as all that read a value here do."""
    if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,18}", value):
        return int(value)
    if isinstance(value, int):
        return value
    raise ValueError("expected a whole number")


def _truth(value: object) -> object:
    if value in ("true", "false"):
        return value == "true"
    raise ValueError("expected true or false")


def _line_numbers(value: object) -> object:
    """Return a list of line numbers and ranges, or the path of a file of them."""
    if isinstance(value, list) and not value:
        raise ValueError("is empty; at least one line is needed")
    if isinstance(value, str) and value:
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    raise ValueError("expected a list of line numbers and ranges, such as [1-100, 418], or a file of them")


def _level(value: object) -> object:
    if isinstance(value, str) and re.fullmatch(r"0?\.[0-9]{1,6}", value) and float(value) > 0:
        return float(value)
    raise ValueError("expected a number between 0 and 1, such as 0.95, with at most 6 decimals")


class Written(BaseModel):
    """What is written in a config. Unknown keys are refused; values arrive as text."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


_RANGES: dict[str, Any] = {"type": "array", "minItems": 1, "items": {"type": ["integer", "string"]}}
LineNumbers = Annotated[
    Any,
    BeforeValidator(_line_numbers),
    WithJsonSchema({"anyOf": [{"type": ["string", "integer"], "minLength": 1}, _RANGES]}),
]
Truth = Annotated[bool, BeforeValidator(_truth)]
Level = Annotated[float, BeforeValidator(_level)]
Digits = Annotated[int, Field(ge=0, le=12), BeforeValidator(whole_number)]
Runs = Annotated[int, Field(ge=1, le=100_000), BeforeValidator(whole_number)]
Resamples = Annotated[int, Field(ge=1, le=1_000_000), BeforeValidator(whole_number)]
Seed = Annotated[int, Field(ge=0, le=2**32 - 1), BeforeValidator(whole_number)]
PathText = Annotated[
    str,
    Field(
        min_length=1,
        description="a path, relative to the folder of the file that names it; - is standard input; data:NAME/FILE "
        "is a file of a fetched data set",
    ),
]


class Declared(Protocol):
    """What a format of texts declares."""

    @property
    def summary(self) -> str:
        """What such a file holds."""

    @property
    def column(self) -> str:
        """What the key `column` means; empty where the format has no such key."""

    @property
    def header(self) -> str:
        """What the key `header` means; empty where the format has no such key."""


class Record(NamedTuple):
    """What a config says of a file whose records hold texts. `header` is None where the config does not say it."""

    format: str
    path: str
    column: str = ""
    header: bool | None = None


Column = Annotated[str, Field(min_length=1), WithJsonSchema({"type": ["string", "integer"], "minLength": 1})]
Records = dict[str, type[BaseModel]]
"""The model of each format's mapping, by the name of the format. Validation of a config has it as its context."""


def record_models(formats: Mapping[str, Declared]) -> Records:
    """Return a model for each format: its mapping has the path under the name of the format, and its other keys."""
    return {name: _model(name, declared) for name, declared in formats.items()}


def _model(name: str, declared: Declared) -> type[BaseModel]:
    fields: dict[str, Any] = {"path": (PathText, Field(alias=name))}
    if declared.column:
        fields["column"] = (Column, Field(description=declared.column))
    if declared.header:
        fields["header"] = (Truth | None, Field(None, description=declared.header))
    return create_model(f"Written{name.capitalize()}", __base__=Written, __doc__=declared.summary, **fields)


def tag(name: str) -> str:
    """Return the step that stands for a format in the location of an error. Its brackets tell it from every key."""
    return f"<{name}>"


def named_format(value: dict[str, Any], records: Records) -> str | None:
    """Return the format that a mapping names, or None."""
    return next((name for name in records if name in value), None)


def read_record(value: dict[str, Any], records: Records) -> Record:
    """Return what a mapping says. Raises ValueError where it names no format, and ValidationError for wrong keys."""
    name = named_format(value, records)
    if name is None:
        raise ValueError(f"expected a path, or a mapping with one of the keys {', '.join(records)}")
    reader: TypeAdapter[dict[str, BaseModel]] = TypeAdapter(dict[str, records[name]])  # type: ignore[valid-type]
    read = reader.validate_python({tag(name): value}, context=records)[tag(name)]
    return Record(name, **read.model_dump())
