"""Objects by the text "module.name": so a line in a table is enough to add one, without a line of import."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def imported(package: str, name: str) -> Any:
    """Import the module of "module.name", which is inside a package, and return the object of this name."""
    module, _, last = name.rpartition(".")
    return getattr(import_module(f".{module}", package), last)


def later(package: str, name: str) -> Callable[..., Any]:
    """Return a function that does what the function "module.name" does; the module is imported by the first call."""

    def call(*arguments: Any) -> Any:
        return imported(package, name)(*arguments)

    return call
