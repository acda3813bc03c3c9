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

from ...data.config import config_schema
from ...metrics import METRICS
from ...metrics.options import Option
from ...report import FORMATS, PLOTS
from ...scoring import SIGNIFICANCE_TESTS


def run(_: argparse.Namespace) -> None:
    print(json_schema(), end="")


def json_schema() -> str:
    """Return the schema of configs as JSON text."""
    text = {
        "type": "string",
        "description": "name, name[key=value,...] or a printed signature",
    }
    schema = config_schema(
        {"anyOf": [text, *(_metric(name) for name in METRICS)]}
    )
    definitions = schema["$defs"]
    definitions["StatisticsConfig"]["properties"]["test"]["enum"] = (
        SIGNIFICANCE_TESTS.values_of_setting()
    )
    output = definitions["OutputConfig"]["properties"]
    for key, names in (("formats", FORMATS), ("plots", PLOTS)):
        output[key]["items"] = {"enum": list(names), "type": "string"}
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


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
