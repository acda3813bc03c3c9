"""What is imported: objects by a text "module.name", so that tables need not import them; and from
which folders.
"""

import os
import sys
from collections import UserDict
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

Item = TypeVar("Item")


def imported(package: str, name: str) -> Any:
    """Import the module of "module.name", relative to a package, and return the object of that name
    in it.
    """
    module, _, last = name.rpartition(".")
    return getattr(import_module(f".{module}", package), last)


def later(package: str, name: str) -> Callable[..., Any]:
    """Return a stand-in for the function "module.name". Its first call imports the module."""
    first = cache(imported)

    def call(*arguments: Any) -> Any:
        return first(package, name)(*arguments)

    return call


class Table(UserDict[str, Item]):
    """Objects by name, each of which is imported when it is first asked for. Names alone import
    nothing.
    """

    def __init__(self, package: str, places: Mapping[str, str]) -> None:
        """Take the package, and the place of each object in it as "module.name"."""
        super().__init__()
        self.package = package
        self.data.update(places)  # type: ignore[arg-type]

    def __getitem__(self, name: str) -> Item:
        item: Any = self.data[name]
        if isinstance(item, str):
            item = self.data[name] = imported(self.package, item)
        whole: Item = item
        return whole


def leave_working_directory() -> None:
    """Have nothing be imported from the working directory, neither here nor in processes that are
    started later.

    A user's file numpy.py would else be taken for the package. `python -m` searches the working
    directory first, and so does Python for an empty part of PYTHONPATH. The folder that this
    package was imported from stays."""
    try:
        here = os.getcwd()  # noqa: PTH109 (pathlib might be imported from there)
    except OSError:  # it was deleted
        here = ""
    if not __file__.startswith(os.path.join(here, __package__, "")):  # noqa: PTH118
        sys.path[:] = [folder for folder in sys.path if folder not in ("", here)]
        os.environ["PYTHONSAFEPATH"] = "1"
