"""The JSON Schema of results.json, made of the models that write it."""

from __future__ import annotations

import json

from pydantic import TypeAdapter

from pipeline.data.config.models import StatisticsConfig
from pipeline.extensions.human.meta_evaluation import MetaEvaluation
from pipeline.extensions.human.models import HumanConfig
from pipeline.scoring.results import SCHEMA, Results


def results_schema() -> str:
    """Return the schema of results.json as JSON text. Its descriptions are the docstrings of the
    models.
    """
    results = TypeAdapter(Results).json_schema()
    human = TypeAdapter(MetaEvaluation).json_schema()
    defined = {**results.pop("$defs"), **human.pop("$defs")}
    settings = HumanConfig.model_json_schema()
    for item in settings["properties"].values():
        item.pop("minItems", None)  # a list that the config does not have is empty here
    human["properties"]["settings"] = settings
    parts = {"statistics": StatisticsConfig.model_json_schema(), "human": human}
    for name, part in parts.items():
        results["properties"][name] = {"anyOf": [part, {"type": "null"}]}
    for name in ("Score", "Comparison"):
        defined[name]["properties"]["higher_is_better"] = {"type": "boolean"}
    for node in [results, human, *defined.values()]:
        node["additionalProperties"] = False
    results["properties"] = {"schema": {"const": SCHEMA}, **results["properties"]}
    results["required"] = ["schema", *results["required"], "warnings"]
    _null_for_nan([results, defined])
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **results,
        "$defs": defined,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _null_for_nan(node: object) -> None:
    """Allow null for every float; remove titles, which repeat names, and defaults."""
    if isinstance(node, dict):
        if node.get("type") == "number":
            node["type"] = ["number", "null"]
        if isinstance(node.get("title"), str):
            del node["title"]
        node.pop("default", None)
    for child in (
        node.values()
        if isinstance(node, dict)
        else node
        if isinstance(node, list)
        else ()
    ):
        _null_for_nan(child)
