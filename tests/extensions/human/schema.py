"""The JSON Schema of the section `human` of results.json."""

from pydantic import TypeAdapter

from pipeline.extensions.human.meta_evaluation import MetaEvaluation
from pipeline.extensions.human.models import HumanConfig
from tests.support.results_schema import Schema


def human_schema() -> Schema:
    """Return the schema, made of the models that write the section."""
    human = TypeAdapter(MetaEvaluation).json_schema()
    settings = HumanConfig.model_json_schema()
    for item in settings["properties"].values():
        # a list that the config does not have is empty here
        item.pop("minItems", None)
    settings["additionalProperties"] = False
    human["properties"]["settings"] = settings
    return human
