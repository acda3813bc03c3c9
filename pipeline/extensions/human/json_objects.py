"""The type of mappings in results.json."""

from typing import Any

JsonObject = dict[str, Any]
"""A mapping of results.json, or of a config as it is written."""
