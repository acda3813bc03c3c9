"""The JSON Schema of configs, made from the models of their sections."""

from typing import Any

from ...backends import backend_names
from .load import record_models
from .models import ANY_RECORD, SECTIONS, config_model


def config_schema(metric: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of configs, in which `metric` is the schema of a metric.

    Names that only higher rooms know, such as those of tests and plots, may be any text.
    """
    schema = config_model(tuple(SECTIONS)).model_json_schema()
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
    }
    definitions = schema["$defs"]
    definitions["Metric"] = metric
    schema["properties"]["metrics"]["items"] = {"$ref": "#/$defs/Metric"}
    _allow_one(schema["properties"], "metrics")
    for key in ("references", "gold"):
        _allow_one(definitions["DatasetConfig"]["properties"], key)
    definitions["RunConfig"]["properties"]["backend"]["enum"] = list(
        backend_names()
    )
    fetched_data_set = {
        "type": "string",
        "pattern": "^data(:.+)?$",
        "description": "a fetched data set, by its own name or another",
    }
    datasets = schema["properties"]["datasets"]
    datasets["additionalProperties"] = {
        "anyOf": [datasets["additionalProperties"], fetched_data_set]
    }
    records = {}
    for model in record_models().values():
        records[model.__name__] = model.model_json_schema()
    schema["$defs"] = dict(sorted({**definitions, **records}.items()))
    _fill_records(schema, [{"$ref": f"#/$defs/{name}"} for name in records])

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
    return schema


def _allow_one(properties: dict[str, Any], key: str) -> None:
    """Allow a single item in place of a list."""
    items = properties[key]
    properties[key] = {"anyOf": [items, items["items"]]}
    for name in ("description", "default"):
        if name in items:
            properties[key][name] = items.pop(name)


def _fill_records(node: object, formats: list[dict[str, str]]) -> None:
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
            _fill_records(child, formats)
    elif isinstance(node, list):
        for child in node:
            _fill_records(child, formats)
