"""Helpers of the tests of inputs: files in the working directory, a config of them, and what is
said of it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import jsonschema
import pytest

from pipeline import stages
from pipeline.cli.commands.schema import json_schema
from pipeline.data import AnyText
from pipeline.data.config import Overrides
from pipeline.errors import ConfigError

TEXTS = {
    "s.txt": "a b c\nd e f\ng h i\n",
    "r.txt": "a b x\nd e f\ng h y\n",
    "a.txt": "a b z\nd e f\ng h i\n",
}
CONFIG = """\
datasets: {d: {source: s.txt, references: [r.txt]}}
systems: {A: a.txt}
metrics: ['gleu[iter=2]']
"""


def write(files: dict[str, str | bytes]) -> None:
    """Write files into the working directory."""
    for name, data in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)


def prepare(
    text: str | bytes = CONFIG, *only: str, settings: tuple[str, ...] = ()
) -> stages.Job:
    """Check a config with this text."""
    write({"c.yaml": text})
    return stages.prepare("c.yaml", overrides=Overrides(settings, only))


def problems(
    text: str | bytes = CONFIG, *only: str, settings: tuple[str, ...] = ()
) -> list[str]:
    """Return what is wrong with a config."""
    with pytest.raises(ConfigError) as caught:
        prepare(text, *only, settings=settings)
    return [str(problem) for problem in caught.value.problems]


@cache
def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads(json_schema()))


def schema_accepts(content: object) -> bool:
    """Return whether a config is valid by the printed schema."""
    return bool(validator().is_valid(content))


def output(value: str) -> str:
    """Return the config with another output."""
    return CONFIG.replace("{A: a.txt}", f"{{A: {value}}}")


def dataset(value: str) -> str:
    """Return the config with another data set."""
    return CONFIG.replace("{source: s.txt, references: [r.txt]}", value)


def lines(text: AnyText | None) -> list[str]:
    """Return all lines of a text."""
    assert text
    return text.read(0, text.lines)
