"""Tables of objects by name, which are imported when they are first used; and where from."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from .extension import Extension, contributions

Item = TypeVar("Item")


def imported(package: str, name: str) -> Any:
    """Return the object of a text "module.name", relative to a package, after importing its module."""
    module, _dot, attribute = name.rpartition(".")
    return getattr(import_module(f".{module}", package), attribute)


def later(package: str, name: str) -> Callable[..., Any]:
    """Return a stand-in for the function "module.name". Its first call imports the module."""
    first = cache(imported)

    def call(*arguments: Any) -> Any:
        return first(package, name)(*arguments)

    return call


def lazy_names(
    package: str, modules: Mapping[str, str]
) -> Callable[[str], Any]:
    """Return the function `__getattr__` of a package whose names are imported on their first use.

    `modules` has the names that each module of the package has, between blanks.
    """

    def load(name: str) -> Any:
        for module, names in modules.items():
            if name in names.split():
                return imported(package, f"{module}.{name}")
        raise AttributeError(f"module '{package}' has no attribute '{name}'")

    return load


class Table(MutableMapping[str, Item]):
    """Objects by name: those of the core, then those that extensions add.

    An entry of the core may be a text "module.name", which is imported at its first use. Extensions
    are only imported if a name is not one of the core, or if all names are listed.
    """

    def __init__(
        self, package: str, entries: Mapping[str, Any], *, kind: str = ""
    ) -> None:
        """Take the package, its entries, and the field of Extension that adds to this table."""
        self.package = package
        self.kind = kind
        self.entries: dict[str, Any] = dict(entries)
        """Those of the core, and those that this process has set."""
        self._added: dict[str, tuple[Extension, str] | Item] | None = None

    def _extensions(self) -> dict[str, Any]:
        """Return the entries of extensions, each with its extension until it is imported."""
        if self._added is None:
            self._added = {}
            added = contributions(self.kind) if self.kind else ()
            for name, extension, reference in added:
                if name not in self.entries:
                    self._added.setdefault(name, (extension, reference))
        return self._added

    def __getitem__(self, name: str) -> Item:
        if name in self.entries:
            entries = self.entries
            item = entries[name]
            if isinstance(item, str):
                item = imported(self.package, item)
        else:
            entries = self._extensions()
            item = entries[name]
            if isinstance(item, tuple) and isinstance(item[0], Extension):
                extension, reference = item
                item = extension.load(reference)
        entries[name] = item
        result: Item = item
        return result

    def __setitem__(self, name: str, item: Item) -> None:
        self.entries[name] = item

    def __delitem__(self, name: str) -> None:
        del self.entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self.entries or name in self._extensions()

    def __iter__(self) -> Iterator[str]:
        yield from self.entries
        for name in self._extensions():
            if name not in self.entries:
                yield name

    def __len__(self) -> int:
        return len(self.entries.keys() | self._extensions().keys())


def leave_working_directory() -> None:
    """Import nothing from the working directory, neither in this process nor in those it starts.

    Otherwise a user's file numpy.py would be imported in place of the package. `python -m` searches
    the working directory first, and so does Python for an empty part of PYTHONPATH. The folder that
    this package was imported from stays.
    """
    try:
        here = os.getcwd()  # noqa: PTH109 (pathlib might be imported from there)
    except OSError:  # it was deleted
        here = ""
    if not __file__.startswith(os.path.join(here, __package__, "")):  # noqa: PTH118
        sys.path[:] = [
            folder for folder in sys.path if folder not in ("", here)
        ]
        os.environ["PYTHONSAFEPATH"] = "1"
