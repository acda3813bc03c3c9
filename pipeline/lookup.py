"""Objects looked up by a text "module.name", so that tables can name them without importing their modules."""

from __future__ import annotations

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
