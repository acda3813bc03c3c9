"""The JSON Schema of configs, from the models of the config and the metrics' options."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .metrics import METRICS
from .models import WrittenConfig

if TYPE_CHECKING:
    from .metrics.base import Option


def json_schema() -> str:
    """Return the schema as JSON text."""
    schema = WrittenConfig.model_json_schema()
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
    text = {"type": "string", "description": "name, name[key=value,...] or a printed signature"}
    schema["properties"]["metrics"]["items"] = {"anyOf": [text, *(_metric(name) for name in METRICS)]}
    whole = {
        "type": "string",
        "pattern": "^data(:.+)?$",
        "description": "a fetched data set, by its own name or another",
    }
    datasets = schema["properties"]["datasets"]
    datasets["additionalProperties"] = {"anyOf": [datasets["additionalProperties"], whole]}
    _one_of_is_any_of(schema)
    # What is included may bring the sections.
    required = schema.pop("required")
    schema["anyOf"] = [{"required": required}, {"required": ["include"]}, _with_systems_of_data()]
    schema["patternProperties"] = {"^x-": {"description": "free, for YAML anchors"}}
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def _with_systems_of_data() -> dict[str, Any]:
    """Return when systems may be left out: where a data set at least is a fetched one, which may have some."""
    fetched = {"anyOf": [{"type": "string"}, {"type": "object", "required": ["data"]}]}
    some = {"not": {"additionalProperties": {"not": fetched}}}
    return {"required": ["datasets", "metrics"], "properties": {"datasets": some}}


def _one_of_is_any_of(node: object) -> None:
    """Say anyOf for oneOf: forms of a path are told apart by their keys, which a mapping of data sets may have too."""
    if isinstance(node, dict):
        if "oneOf" in node:
            node["anyOf"] = node.pop("oneOf")
        for child in node.values():
            _one_of_is_any_of(child)
    elif isinstance(node, list):
        for child in node:
            _one_of_is_any_of(child)


def _metric(name: str) -> dict[str, Any]:
    properties: dict[str, Any] = {"name": {"const": name, "description": METRICS[name].summary}}
    for option in METRICS[name].options:
        properties[option.name] = _option(option)
        if option.key != option.name:
            properties[option.key] = {**_option(option), "description": f"short for {option.name}"}
    return {"type": "object", "properties": properties, "required": ["name"], "additionalProperties": False}


def _option(option: Option) -> dict[str, Any]:
    """Return what an option may be: a value, or a list of values, which asks for a metric with each."""
    value = _value(option)
    common: dict[str, Any] = {"description": option.help}
    if not callable(option.default):
        common["default"] = option.default
    return {"anyOf": [value, {"type": "array", "items": value, "minItems": 1}], **common}


def _value(option: Option) -> dict[str, Any]:
    if option.choices:
        numbers = [int(choice) for choice in option.choices if choice.isdigit()]
        return {"enum": [*option.choices, *numbers]}
    if option.free:
        return {"type": "string", "minLength": 1}
    if option.pattern:  # a number written without quotes is a number to an editor
        return {"anyOf": [{"type": "string", "pattern": f"^({option.pattern})$"}, {"type": "number", "minimum": 0}]}
    if option.maximum is None:
        return {"type": "boolean"}
    return {"type": "integer", "minimum": option.minimum, "maximum": option.maximum}
