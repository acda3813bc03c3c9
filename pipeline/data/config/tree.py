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
MAX_ENTRIES = 10_000
"""Entries of a list or mapping in a config."""
FEWER = {"datasets": 1_000, "metrics": 1_000, "systems": 10_000}
"""Entries of the lists and mappings of single sections. Other sections that a config may have allow
1,000."""
LINES = ("keep", "drop")
"""Lists of numbers of lines, which have as many entries as a config may have values."""


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
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclass
class Node:
    """A scalar, which is text or None, a list or a mapping."""

    value: "str | None | list[Node] | dict[str, Node]"
    mark: Mark
    path: str = ""
    """The keys that lead to the node, such as "metrics[0].order"."""
    keys: dict[str, Mark] = field(default_factory=dict)
    """The marks of the keys of a mapping."""

    def plain(self) -> Any:
        """Return the tree without marks: texts, None, lists and dicts."""
        if isinstance(self.value, dict):
            return {key: child.plain() for key, child in self.value.items()}
        if isinstance(self.value, list):
            return [child.plain() for child in self.value]
        return self.value

    def get(self, key: str) -> "Node | None":
        """Return the value of a key, or None where there is none or the node is no mapping."""
        return self.value.get(key) if isinstance(self.value, dict) else None

    def find(self, path: Iterable[str | int]) -> "Node":
        """Return the node at a path of keys and indices, or the last node on the way that exists."""
        return self._walk(path)[0]

    def problem(self, message: str, path: Iterable[str | int] = (), kind: str = "") -> Problem:
        """Return a problem with the position of the node that `find` returns: of its key, or of an
        item of a list.
        """
        node, mark = self._walk(path)
        return Problem(str(mark), f"{node.path}: {message}" if node.path else message, kind)

    def _walk(self, path: Iterable[str | int]) -> "tuple[Node, Mark]":
        node, mark = self, self.mark
        for step in path:
            if isinstance(node.value, dict) and step in node.value:
                mark = node.keys.get(str(step), node.mark)
                node = node.value[str(step)]
            elif isinstance(node.value, list) and isinstance(step, int) and step < len(node.value):
                node = node.value[step]
                mark = node.mark
        return node, mark


def from_plain(value: object, name: str, path: str = "") -> Node:
    """Return Python values as nodes, as if they had been written in a config. `name` stands for the
    file.
    """
    mark = Mark(name, 0, 0)
    if isinstance(value, Mapping):
        children = {
            str(key): from_plain(v, name, f"{path}.{key}" if path else str(key))
            for key, v in value.items()
        }
        return Node(children, mark, path, dict.fromkeys(children, mark))
    if isinstance(value, list | tuple):
        return Node(
            [from_plain(child, name, f"{path}[{i}]") for i, child in enumerate(value)], mark, path
        )
    if value is None:
        return Node(None, mark, path)
    return Node(str(value).lower() if isinstance(value, bool) else str(value), mark, path)


def sizes(node: Node) -> int:
    """Return how many values a tree has."""
    if isinstance(node.value, str) or node.value is None:
        return 1
    return 1 + sum(map(sizes, node.value.values() if isinstance(node.value, dict) else node.value))


def too_many(node: Node, depth: int = 0) -> Problem | None:
    """Return the problem of the first list or mapping, at this depth or below, with more entries
    than are needed.
    """
    if isinstance(node.value, str) or node.value is None:
        return None
    most = 1_000 if depth == 1 and node.path not in FEWER else FEWER.get(node.path, MAX_ENTRIES)
    if len(node.value) > most and not node.path.endswith(LINES):
        marks = (
            [child.mark for child in node.value]
            if isinstance(node.value, list)
            else list(node.keys.values())
        )
        mark = marks[most] if len(marks) > most else node.mark
        what = node.path or "the config"
        return Problem(str(mark), f"{what}: has {len(node.value):,} entries; {most:,} are allowed")
    children = node.value.values() if isinstance(node.value, dict) else node.value
    return next(filter(None, (too_many(child, depth + 1) for child in children)), None)


def is_set(node: Node) -> bool:
    """Return whether `--set` wrote a node."""
    return node.mark.file.startswith(f"{COMMAND_LINE} ")


def from_mapping(config: Mapping[str, Any], folder: str | Path = "") -> Node:
    """Return a config that is a mapping of Python as a node. Relative paths in it start from
    `folder`.

    Raises ConfigError, with all problems, where a value is none that YAML could hold.
    """

    def unwritable(value: object, path: str, depth: int = 0) -> Iterator[str]:
        if depth > MAX_DEPTH:
            yield f"{path.partition('.')[0]}: nested deeper than {MAX_DEPTH} levels"
        elif isinstance(value, Mapping):
            for key, child in value.items():
                if isinstance(key, str | int):
                    yield from unwritable(child, f"{path}.{key}" if path else str(key), depth + 1)
                else:
                    yield f"{path}: a key must be text, found {key!r}".removeprefix(": ")
        elif isinstance(value, list | tuple):
            for number, child in enumerate(value):
                yield from unwritable(child, f"{path}[{number}]", depth + 1)
        elif value is not None and not isinstance(value, str | Real | PathLike):
            yield f"{path}: expected text, a number, a list or a mapping, found {type(value).__name__}"

    problems = [Problem(MEMORY, text) for text in unwritable(config, "")]
    if problems:
        raise ConfigError(problems)
    return from_plain(config, str(Path(folder) / MEMORY))


def base_of(node: Node) -> Path:
    """Return the folder that relative paths of a node start from: that of the file that wrote it.

    For what `--set` wrote that is the working directory.
    """
    return Path() if is_set(node) else Path(node.mark.file).parent
