"""A config as a tree of texts, lists and mappings, with the position where each was written."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any

from ...errors import ConfigError, Problem

COMMAND_LINE = "--set"
"""Stands for the file of a node that was written on the command line."""
MEMORY = "config"
"""Stands for the file of a config that is a mapping of Python."""
MAX_DEPTH = 50
"""Levels of lists and mappings in a config."""


Location = tuple[str | int, ...]
"""Keys and indices from the root of a config to a value."""


@dataclass(frozen=True)
class Mark:
    """A position in a file."""

    file: str
    """The file as the user named it."""
    line: int
    """From 1. The line 0 says that there are no lines, as on the command line."""
    column: int
    """From 1."""

    def __str__(self) -> str:
        if not self.line:
            return self.file
        return f"{self.file}:{self.line}:{self.column}"


@dataclass
class Node:
    """A scalar, which is text or None, a list or a mapping."""

    value: "str | None | list[Node] | dict[str, Node]"
    mark: Mark
    path: str = ""
    """The keys that lead to the node, such as "metrics[0].order"."""
    keys: dict[str, Mark] = field(default_factory=dict)
    """The marks of the keys of a mapping."""

    @property
    def is_set(self) -> bool:
        """Whether `--set` wrote the node."""
        return self.mark.file.startswith(f"{COMMAND_LINE} ")

    @property
    def folder(self) -> Path:
        """The folder that relative paths of the node start from: that of the file that wrote it.

        For what `--set` wrote that is the working directory.
        """
        return Path() if self.is_set else Path(self.mark.file).parent

    def plain(self) -> Any:
        """Return the tree without marks: texts, None, lists and dicts."""
        if isinstance(self.value, dict):
            return {key: child.plain() for key, child in self.value.items()}
        if isinstance(self.value, list):
            return [child.plain() for child in self.value]
        return self.value

    def children(self) -> "list[Node]":
        """Return the items of a list, or the values of a mapping; a scalar has none."""
        if isinstance(self.value, dict):
            return list(self.value.values())
        if isinstance(self.value, list):
            return self.value
        return []

    def by_location(self) -> "dict[Location, Node]":
        """Return this node and all nodes below it, by their keys and indices."""
        nodes: dict[Location, Node] = {(): self}
        children: Iterable[tuple[str | int, Node]] = ()
        if isinstance(self.value, dict):
            children = self.value.items()
        elif isinstance(self.value, list):
            children = enumerate(self.value)
        for step, child in children:
            for location, node in child.by_location().items():
                nodes[step, *location] = node
        return nodes

    def get(self, key: str) -> "Node | None":
        """Return the value of a key, or None where there is none or the node is no mapping."""
        if not isinstance(self.value, dict):
            return None
        return self.value.get(key)

    def find(self, path: Iterable[str | int]) -> "Node":
        """Return the node at a path of keys and indices, or the last node on the way that exists."""
        node, _ = self._walk(path)
        return node

    def problem(
        self,
        message: str,
        path: Iterable[str | int] = (),
        kind: str = "",
    ) -> Problem:
        """Return a problem at the node that `find` returns: the position of its key or list item."""
        node, mark = self._walk(path)
        if node.path:
            message = f"{node.path}: {message}"
        return Problem(str(mark), message, kind)

    def _walk(self, path: Iterable[str | int]) -> "tuple[Node, Mark]":
        """Return the node that `find` returns, and the mark of its key, or of an item of a list."""
        node = self
        mark = self.mark
        for step in path:
            if isinstance(node.value, dict) and step in node.value:
                mark = node.keys.get(str(step), node.mark)
                node = node.value[str(step)]
            elif (
                isinstance(node.value, list)
                and isinstance(step, int)
                and step < len(node.value)
            ):
                node = node.value[step]
                mark = node.mark
        return node, mark

    @classmethod
    def from_plain(cls, value: object, name: str, path: str = "") -> "Node":
        """Return Python values as nodes, as if written in a config; `name` is the name of its file."""
        mark = Mark(name, 0, 0)
        if isinstance(value, Mapping):
            children = {}
            for key, child in value.items():
                children[str(key)] = cls.from_plain(
                    child, name, child_path(path, str(key))
                )
            return cls(children, mark, path, dict.fromkeys(children, mark))
        if isinstance(value, list | tuple):
            items = [
                cls.from_plain(child, name, f"{path}[{i}]")
                for i, child in enumerate(value)
            ]
            return cls(items, mark, path)
        if value is None:
            return cls(None, mark, path)
        text = str(value)
        if isinstance(value, bool):
            text = text.lower()
        return cls(text, mark, path)

    @classmethod
    def from_mapping(
        cls, config: Mapping[str, Any], folder: str | Path = ""
    ) -> "Node":
        """Return a config that is a mapping of Python as a node. Relative paths in it start from
        `folder`.

        Raises ConfigError, with all problems, where a value is none that YAML could hold.
        """
        problems = [Problem(MEMORY, text) for text in _unwritable(config, "")]
        if problems:
            raise ConfigError(problems)
        return cls.from_plain(config, str(Path(folder) / MEMORY))


def child_path(path: str, key: str) -> str:
    """Return the path of the value of a key, in a mapping with this path."""
    return f"{path}.{key}" if path else key


def _unwritable(value: object, path: str, depth: int = 0) -> Iterator[str]:
    """Yield a message for each part of a value that YAML could not hold."""
    if depth > MAX_DEPTH:
        yield f"{path.partition('.')[0]}: nested deeper than {MAX_DEPTH} levels"
    elif isinstance(value, Mapping):
        for key, child in value.items():
            if isinstance(key, str | int):
                yield from _unwritable(
                    child, child_path(path, str(key)), depth + 1
                )
            else:
                yield f"{path}: a key must be text, found {key!r}".removeprefix(
                    ": "
                )
    elif isinstance(value, list | tuple):
        for number, child in enumerate(value):
            yield from _unwritable(child, f"{path}[{number}]", depth + 1)
    elif value is not None and not isinstance(value, str | Real | PathLike):
        yield f"{path}: expected text, a number, a list or a mapping, found {type(value).__name__}"
