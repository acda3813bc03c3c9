"""Paths as people write them: ~ is the home folder, and $NAME or ${NAME} a variable of the environment."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ..errors import DataError, did_you_mean
from .remote import is_remote

PREFIX = "data:"
"""What begins a path that names a file of a data set: data:NAME/FILE."""
_VARIABLE = re.compile(r"\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{(?!dataset\}|system\}|name\})([A-Za-z_][A-Za-z0-9_]*)\})")


def is_data(text: str) -> bool:
    """Return whether a written path begins with data: and so names a file of a data set."""
    return text.startswith(PREFIX)


def is_short(text: str) -> bool:
    """Return whether a written path has a ~ or a variable in it. Addresses and data:NAME/FILE have none."""
    return bool(text[:1] == "~" or _VARIABLE.search(text)) and not is_data(text) and not is_remote(text)


def expanded(text: str, base: Path = Path()) -> str:
    """Return a written path with ~ and variables replaced. A file in `base` whose very name is written so stays.

    Raises DataError for a variable that is not set, or empty.
    """
    if not is_short(text) or is_there(base / text):
        return text
    return os.path.expanduser(_VARIABLE.sub(_value, text))  # noqa: PTH111 (Path.expanduser fails for unknown users)


def is_there(path: Path) -> bool:
    """Return whether there is such a file or folder; False for what can be no path."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _value(match: re.Match[str]) -> str:
    name = match[1] or match[2]
    if not os.environ.get(name):
        hint = did_you_mean(name, os.environ)
        raise DataError(f"the environment variable {name} is not set{hint}, and no file is called '{match.string}'")
    return os.environ[name]


NO_HOME = "this user has no home directory; name a folder for the data with GEC_PIPELINE_DATA, or set HOME"


def home() -> Path:
    """Return the home directory; raises DataError where the user has none: no HOME, and no entry in the system."""
    try:
        return Path.home()
    except RuntimeError:
        raise DataError(NO_HOME) from None
