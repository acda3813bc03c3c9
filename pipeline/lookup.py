"""What is imported: objects by a text "module.name", so that tables need not import them; and from which folders."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def imported(package: str, name: str) -> Any:
    """Import the module of "module.name", relative to a package, and return the object of that name in it."""
    module, _, last = name.rpartition(".")
    return getattr(import_module(f".{module}", package), last)


def later(package: str, name: str) -> Callable[..., Any]:
    """Return a stand-in for the function "module.name". Its first call imports the module."""

    def call(*arguments: Any) -> Any:
        return imported(package, name)(*arguments)

    return call


def leave_working_directory() -> None:
    """Have nothing be imported from the working directory, neither here nor in processes that are started later.

    A user's file numpy.py would else be taken for the package. `python -m` searches the working directory first, and
    so does Python for an empty part of PYTHONPATH. The folder that this package was imported from stays.
    """
    try:
        here = os.getcwd()  # noqa: PTH109 (pathlib might be imported from there)
    except OSError:  # it was deleted
        here = ""
    if not __file__.startswith(os.path.join(here, __package__, "")):  # noqa: PTH118
        sys.path[:] = [folder for folder in sys.path if folder not in ("", here)]
        os.environ["PYTHONSAFEPATH"] = "1"
