"""Print the JSON Schema of configs, for editors that check YAML as you type.

With this first line in a config, an editor uses the schema in the file beside it:
  # yaml-language-server: $schema=schema.json

examples:
  gec-pipeline schema > schema.json
"""

import argparse
import json
import re
from typing import Any

from ...backends import backend_names
from ...data.config.load import record_models
from ...data.config.models import ANY_RECORD, SECTIONS, config_model
from ...data.formats import READERS
from ...metrics import METRICS
from ...metrics.base import Option
from ...report import FORMATS, PLOTS
from ...scoring import SIGNIFICANCE_TESTS


def run(_: argparse.Namespace) -> None:
    print(json_schema(), end="")


def json_schema() -> str:
    """Return the schema of configs as JSON text."""
    schema = config_model(tuple(SECTIONS)).model_json_schema()
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
    }
    text = {
        "type": "string",
        "description": "name, name[key=value,...] or a printed signature",
    }
    schema["$defs"]["Metric"] = {
        "anyOf": [text, *(_metric(name) for name in METRICS)]
    }
    schema["properties"]["metrics"]["items"] = {"$ref": "#/$defs/Metric"}
    _or_one(schema["properties"], "metrics")
    for key in ("references", "gold"):
        _or_one(schema["$defs"]["DatasetConfig"]["properties"], key)
    fetched_data_set = {
        "type": "string",
        "pattern": "^data(:.+)?$",
        "description": "a fetched data set, by its own name or another",
    }
    datasets = schema["properties"]["datasets"]
    datasets["additionalProperties"] = {
        "anyOf": [datasets["additionalProperties"], fetched_data_set]
    }
    schema["$defs"]["RunConfig"]["properties"]["backend"]["enum"] = list(
        backend_names()
    )
    schema["$defs"]["StatisticsConfig"]["properties"]["test"]["enum"] = (
        SIGNIFICANCE_TESTS.values_of_setting()
    )
    output = schema["$defs"]["OutputConfig"]["properties"]
    for key, names in (("formats", FORMATS), ("plots", PLOTS)):
        output[key]["items"] = {"enum": list(names), "type": "string"}
    records = {}
    for model in record_models(READERS).values():
        records[model.__name__] = model.model_json_schema()
    schema["$defs"] = dict(sorted({**schema["$defs"], **records}.items()))
    _any_of(schema, [{"$ref": f"#/$defs/{name}"} for name in records])
    # An included config may have the sections. Sections such as judgements need no others.
    # Systems may be left out if at least one data set is a fetched one, which may have outputs.
    standalone = [name for name in SECTIONS if SECTIONS[name].standalone]
    alone = [{"required": [key]} for key in ("include", *standalone)]
    fetched = {
        "anyOf": [{"type": "string"}, {"type": "object", "required": ["data"]}]
    }
    any_fetched = {"not": {"additionalProperties": {"not": fetched}}}
    with_outputs = {
        "required": ["datasets", "metrics"],
        "properties": {"datasets": any_fetched},
    }
    schema["anyOf"] = [
        {"required": ["datasets", "systems", "metrics"]},
        *alone,
        with_outputs,
    ]
    schema["patternProperties"] = {
        "^x-": {"description": "free, for YAML anchors"}
    }
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def _or_one(properties: dict[str, Any], key: str) -> None:
    """Allow a single item in place of a list."""
    items = properties[key]
    properties[key] = {"anyOf": [items, items["items"]]}
    for name in ("description", "default"):
        if name in items:
            properties[key][name] = items.pop(name)


def _any_of(node: object, formats: list[dict[str, str]]) -> None:
    """Turn oneOf into anyOf, and replace ANY_RECORD of the models by the formats of texts.

    The keys of a form of a path may also be names in a mapping of data sets. So more than one form
    may fit.
    """
    if isinstance(node, dict):
        if "oneOf" in node:
            alternatives: list[object] = []
            for item in node.pop("oneOf"):
                alternatives += formats if item == ANY_RECORD else [item]
            node["anyOf"] = alternatives
        for child in node.values():
            _any_of(child, formats)
    elif isinstance(node, list):
        for child in node:
            _any_of(child, formats)


def _metric(name: str) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "name": {"const": name, "description": METRICS[name].summary}
    }
    for option in METRICS[name].options:
        properties[option.name] = _option(option)
        if option.key != option.name:
            properties[option.key] = {
                **_option(option),
                "description": f"short for {option.name}",
            }
    return {
        "type": "object",
        "properties": properties,
        "required": ["name"],
        "additionalProperties": False,
    }


def _option(option: Option) -> dict[str, Any]:
    """Return the schema of an option: a value, or a list of values, each for a metric of its own."""
    value: dict[str, Any] = {
        "type": "integer",
        "minimum": option.minimum,
        "maximum": option.maximum,
    }
    if option.choices:
        numbers = [int(choice) for choice in option.choices if choice.isdigit()]
        value = {"enum": [*option.choices, *numbers]}
    elif option.free:
        value = {"type": "string", "minLength": 1}
    elif option.pattern:
        # In an editor, a number without quotes is a number, not text.
        numbers = []
        for number in (0, 1, 9, 999, 999_999_999):
            if re.fullmatch(option.pattern, str(number)):
                numbers.append(number)
        bounds = {"minimum": 0, "exclusiveMaximum": 1}
        if numbers:
            bounds = {"minimum": numbers[0], "maximum": numbers[-1]}
        text = {"type": "string", "pattern": f"^({option.pattern})$"}
        value = {"anyOf": [text, {"type": "number", **bounds}]}
    elif option.maximum is None:
        value = {"type": "boolean"}
    if option.inner:
        inside = {
            "type": "object",
            "properties": {option.inner: value},
            "required": [option.inner],
        }
        value = {"anyOf": [value, {**inside, "additionalProperties": False}]}
    common: dict[str, Any] = {"description": option.help}
    if not callable(option.default):
        common["default"] = option.default
    return {
        "anyOf": [value, {"type": "array", "items": value, "minItems": 1}],
        **common,
    }
