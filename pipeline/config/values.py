"""What single values of a config may be, and what all its models have in common.

Texts may be in the records of a file. What a config says of these depends on the format of the file, so that the model
of such a mapping is made from what the format declares of itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Protocol

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, WithJsonSchema, create_model

if TYPE_CHECKING:
    from collections.abc import Mapping


def whole_number(value: object) -> object:
    """Read a whole number as written in YAML, where every scalar arrives as text."""
    if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,18}", value):
        return int(value)
    if isinstance(value, int):
        return value
    raise ValueError("expected a whole number")


def truth(value: object) -> object:
    """Read true or false."""
    if value in ("true", "false"):
        return value == "true"
    raise ValueError("expected true or false")


def numbers(value: object) -> object:
    """Read line numbers: a list, or the path of a file of them."""
    if isinstance(value, list) and not value:
        raise ValueError("is empty; at least one line is needed")
    if isinstance(value, str) and value:
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    raise ValueError("expected a list of line numbers and ranges, such as [1-100, 418], or a file of them")


def a_level(value: object) -> object:
    """Read a share such as that of an interval."""
    if isinstance(value, str) and re.fullmatch(r"0?\.[0-9]{1,6}", value) and float(value) > 0:
        return float(value)
    raise ValueError("expected a number between 0 and 1, such as 0.95, with at most 6 decimals")


class Written(BaseModel):
    """What is written in a config: unknown keys are told, values arrive as text."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


_RANGES: dict[str, Any] = {"type": "array", "minItems": 1, "items": {"type": ["integer", "string"]}}
Numbers = Annotated[
    Any,
    BeforeValidator(numbers),
    WithJsonSchema({"anyOf": [{"type": ["string", "integer"], "minLength": 1}, _RANGES]}),
]
Truth = Annotated[bool, BeforeValidator(truth)]
PathText = Annotated[
    str,
    Field(
        min_length=1,
        description="a path, against the folder of the file that names it; - is standard input; data:NAME/FILE "
        "is a file of a fetched data set",
    ),
]


class Declared(Protocol):
    """What a format of texts declares of itself."""

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
    """What a config says of a file with a text in each record."""

    format: str
    path: str
    column: str = ""
    header: bool | None = None


Column = Annotated[str, Field(min_length=1), WithJsonSchema({"type": ["string", "integer"], "minLength": 1})]
Records = dict[str, type[BaseModel]]
"""The model of each format's mapping, by the name of the format. It is the context of the validation of a config."""


def record_models(formats: Mapping[str, Declared]) -> Records:
    """Return a model for each format: a mapping with the path under the name of the format, and its other keys."""
    return {name: _model(name, declared) for name, declared in formats.items()}


def _model(name: str, declared: Declared) -> type[BaseModel]:
    fields: dict[str, Any] = {"path": (PathText, Field(alias=name))}
    if declared.column:
        fields["column"] = (Column, Field(description=declared.column))
    if declared.header:
        fields["header"] = (Truth | None, Field(None, description=declared.header))
    return create_model(f"Written{name.capitalize()}", __base__=Written, __doc__=declared.summary, **fields)


def tag(name: str) -> str:
    """Return the step that stands for a format in the location of an error: in brackets, which no key has."""
    return f"<{name}>"


def named_format(value: dict[str, Any], records: Records) -> str | None:
    """Return the format that a mapping names, or None."""
    return next((name for name in records if name in value), None)


def read_record(value: dict[str, Any], records: Records) -> Record:
    """Return what a mapping says; raises ValueError where it names no format, ValidationError for wrong keys."""
    name = named_format(value, records)
    if name is None:
        raise ValueError(f"expected a path, or a mapping with one of the keys {', '.join(records)}")
    reader: TypeAdapter[dict[str, BaseModel]] = TypeAdapter(dict[str, records[name]])  # type: ignore[valid-type]
    read = reader.validate_python({tag(name): value}, context=records)[tag(name)]
    return Record(name, **read.model_dump())
