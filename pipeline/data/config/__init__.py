"""Configs: how they are written, and what a run reads of them.

The names of `__all__` are what other rooms import:

- `load_config` reads a YAML file, with all problems and their positions, into a Config: each
  Dataset and System with its texts. An Input is a file of lines or a Column of records in a
  TextFormat. A Selection has lines of a data set. `Overrides` is what --set and --only change.
- `Node` is a part of a config as it was written, with its position. `read_yaml` returns the plain
  content of any YAML file, and `config_schema` the JSON Schema of configs.
- ConfigModel is the base of sections, such as StatisticsConfig, RunConfig and OutputConfig. An
  extension adds a Section. Its values are of the types PathText, ColumnName, Truth, Level, Count,
  Resamples and Seed; `whole_number` validates other whole numbers.
"""

from typing import TYPE_CHECKING

from ...lookup import lazy_names

if TYPE_CHECKING:
    from .compose import read_yaml
    from .load import load_config
    from .models import (
        ColumnName,
        ConfigModel,
        Count,
        Level,
        OutputConfig,
        PathText,
        Resamples,
        RunConfig,
        Section,
        Seed,
        StatisticsConfig,
        Truth,
        whole_number,
    )
    from .resolved import (
        Column,
        Config,
        Dataset,
        Input,
        Overrides,
        Selection,
        System,
        TextFormat,
    )
    from .schema import config_schema
    from .tree import Node

__all__ = [
    "Column",
    "ColumnName",
    "Config",
    "ConfigModel",
    "Count",
    "Dataset",
    "Input",
    "Level",
    "Node",
    "OutputConfig",
    "Overrides",
    "PathText",
    "Resamples",
    "RunConfig",
    "Section",
    "Seed",
    "Selection",
    "StatisticsConfig",
    "System",
    "TextFormat",
    "Truth",
    "config_schema",
    "load_config",
    "read_yaml",
    "whole_number",
]
if not TYPE_CHECKING:
    __getattr__ = lazy_names(
        __name__,
        {
            "compose": "read_yaml",
            "load": "load_config",
            "models": "ColumnName ConfigModel Count Level OutputConfig PathText Resamples RunConfig Section "
            "Seed StatisticsConfig Truth whole_number",
            "resolved": "Column Config Dataset Input Overrides Selection System TextFormat",
            "schema": "config_schema",
            "tree": "Node",
        },
    )
