"""Annotators by name: how configs ask for one, and how signatures and results call it, with its versions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..errors import ConfigError
from .spacy_pipelines import DEFAULTS, installed, is_installed, versions_of

if TYPE_CHECKING:
    from pathlib import Path

AUTO = "auto"
"""What stands for the first spaCy pipeline for English that is installed."""
EXAMPLE = "errant-3.0.2.spacy-3.8.7.en_core_web_sm-3.8.0"
"""A name with versions."""
_NAME = re.compile(
    r"errant-[0-9][A-Za-z0-9_.+-]*?\.spacy-[0-9][A-Za-z0-9_.+-]*?\.[A-Za-z][A-Za-z0-9_]*-[A-Za-z0-9_.+-]+"
)
_FOREIGN = re.compile(r"[^A-Za-z0-9_.+-]")

_models: dict[str, tuple[str, str]] = {}
"""The models that this process has given a name, which may be folders, and the digests of their files."""


def annotator_named(asked: str, base: Path) -> str:
    """Return the name with versions of the annotator that a text asks for.

    The text is a spaCy pipeline, AUTO, or such a name, which is returned as it is. A relative folder starts at `base`.
    Raises ConfigError, with what to install, where errant, spaCy or the pipeline are missing.
    """
    if not asked or _NAME.fullmatch(asked):
        return asked
    return _remembered(_first() if asked == AUTO else str(base / asked) if "/" in asked else asked)


def model_of(name: str) -> str:
    """Return the spaCy pipeline of a name with versions.

    Raises ConfigError where these versions are not the installed ones: their edits are others.
    """
    if name in _models:
        return _models[name][0]
    versions_of(_first())  # so that what is missing is told first
    known = [_remembered(model) for model in dict.fromkeys([*filter(is_installed, DEFAULTS), *installed()])]
    if name in _models:
        return _models[name][0]
    here = f"here are {', '.join(dict.fromkeys(known))}"
    raise ConfigError(
        f"annotator: {name} is not installed, and other versions give other edits; {here}; install these versions, or "
        f"write `annotator: {AUTO}` for what is installed"
    )


def _first() -> str:
    """Return the first spaCy pipeline for English that is installed, or the one to install."""
    english = [name for name in installed() if name.startswith("en_")]
    return next(filter(is_installed, [*DEFAULTS, *english]), DEFAULTS[0])


def _remembered(model: str) -> str:
    """Return the name with versions of a spaCy pipeline, and remember whose it is.

    Raises ConfigError where another one, with other files, has the same name.
    """
    versions = versions_of(model)
    parts = (f"errant-{versions.errant}", f"spacy-{versions.spacy}", versions.model)
    name = ".".join(_FOREIGN.sub("_", part) for part in parts)
    other, digest = _models.setdefault(name, (model, versions.digest))
    if digest != versions.digest:
        raise ConfigError(
            f"annotator: the spaCy pipelines {other} and {model} differ, and both call themselves {versions.model}; "
            "give one another name or version in its meta.json"
        )
    return name
