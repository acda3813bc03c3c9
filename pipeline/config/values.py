"""What single values of a config may be, and what all its models have in common."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema


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
