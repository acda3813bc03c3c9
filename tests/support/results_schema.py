"""The JSON Schema of results.json, made of the models that write it."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from pipeline.data.config import StatisticsConfig
from pipeline.scoring.results import SCHEMA, Results

Schema = dict[str, Any]


def results_schema(**sections: Schema) -> Schema:
    """Return the schema of results.json, with those of sections that extensions write.

    Its descriptions are the docstrings of the models.
    """
    results = TypeAdapter(Results).json_schema()
    sections["statistics"] = StatisticsConfig.model_json_schema()
    defined = results.pop("$defs")
    for name, section in sections.items():
        defined |= section.pop("$defs", {})
        results["properties"][name] = {"anyOf": [section, {"type": "null"}]}
    for name in ("Score", "Comparison"):
        defined[name]["properties"]["higher_is_better"] = {"type": "boolean"}
    for node in (results, *sections.values(), *defined.values()):
        node["additionalProperties"] = False
    results["properties"] = {
        "schema": {"const": SCHEMA},
        **results["properties"],
    }
    results["required"] = ["schema", *results["required"], "warnings"]
    _null_for_nan([results, defined])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **results,
        "$defs": defined,
    }


def _null_for_nan(node: object) -> None:
    """Allow null for every float; remove titles, which repeat names, and defaults."""
    children: list[object] = []
    if isinstance(node, dict):
        if node.get("type") == "number":
            node["type"] = ["number", "null"]
        if isinstance(node.get("title"), str):
            del node["title"]
        node.pop("default", None)
        children = list(node.values())
    elif isinstance(node, list):
        children = node
    for child in children:
        _null_for_nan(child)
