"""YAML text as a tree of nodes with their positions; no value is interpreted and no object is built.

A scalar stays the text that was written: `NO` is not false, and `1e3` is no number yet. The models of a config and the
options of metrics decide what a text must be. Only a plain `null`, `~` or nothing is None.
"""

from __future__ import annotations

from pathlib import Path

import yaml

from ..errors import ConfigError, Problem
from .tree import MAX_DEPTH, Mark, Node

MAX_NODES = 100_000
"""Nodes that a document may expand to. One with more is an alias bomb, or no config."""
MAX_BYTES = 10_000_000

_STANDARD = frozenset(
    f"tag:yaml.org,2002:{name}"
    for name in ("null", "bool", "int", "float", "str", "map", "seq", "timestamp", "merge", "value")
)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


def read(path: str | Path) -> tuple[Node, list[Problem]]:
    """Return the root node of a YAML file, and a problem for each key that is given twice.

    Raises ConfigError where the file cannot be read or is not one YAML document.
    """
    name = str(path)
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError([Problem(name, f"cannot be read: {reason}")]) from None
    if len(data) > MAX_BYTES:
        raise ConfigError([Problem(name, f"is larger than {MAX_BYTES:,} bytes; is it a config?")])
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError([Problem(f"{name}:{line}", f"byte {error.start} of the file is not valid UTF-8")]) from None
    return parse(text, name)


def parse(text: str, name: str = "config") -> tuple[Node, list[Problem]]:
    """Return the root node of YAML text, and a problem for each key that is given twice; raises ConfigError."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        position = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        raise ConfigError([Problem(position, f"not valid YAML: {error.problem or error.context}")]) from None
    except yaml.YAMLError as error:
        detail = str(error).splitlines()[0]
        raise ConfigError([Problem(name, f"not valid YAML: {detail}")]) from None
    except RecursionError:
        raise ConfigError([Problem(name, f"nested deeper than {MAX_DEPTH} levels")]) from None
    if root is None:
        raise ConfigError([Problem(name, "is empty; `gec-pipeline init` writes a config to start from")])
    converter = _Converter(name)
    return converter.convert(root), converter.problems


class _Converter:
    """Turns nodes of PyYAML into ours, and refuses what no config needs."""

    def __init__(self, name: str) -> None:
        self.name, self.count, self.problems = name, 0, list[Problem]()

    def convert(self, node: yaml.Node, path: str = "", depth: int = 0) -> Node:
        """Return a node of PyYAML as ours; `path` and `depth` say where it is in the tree."""
        mark = self.mark(node)
        self.count += 1
        if self.count > MAX_NODES:
            message = f"the document expands to more than {MAX_NODES:,} values (aliases?)"
            raise ConfigError([Problem(str(mark), message)])
        if depth > MAX_DEPTH:
            raise ConfigError([Problem(str(mark), f"nested deeper than {MAX_DEPTH} levels (an alias to itself?)")])
        self.check_tag(node, mark)
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, mark, path, depth)
        if isinstance(node, yaml.SequenceNode):
            children = [self.convert(child, f"{path}[{i}]", depth + 1) for i, child in enumerate(node.value)]
            return Node(children, mark, path)
        null = isinstance(node, yaml.ScalarNode) and node.style is None and node.value in _NULLS
        return Node(None if null else str(node.value), mark, path)

    def mapping(self, node: yaml.MappingNode, mark: Mark, path: str, depth: int) -> Node:
        """Return a mapping. Keys that it lacks are taken from the mappings that '<<' names, and come after its own."""
        children: dict[str, Node] = {}
        keys: dict[str, Mark] = {}
        merged: list[Node] = []
        for key_node, value_node in node.value:
            key_mark = self.mark(key_node)
            if not isinstance(key_node, yaml.ScalarNode):
                raise ConfigError([Problem(str(key_mark), "a key must be one word or text, not a list or mapping")])
            self.check_tag(key_node, key_mark)
            key = key_node.value
            value = self.convert(value_node, f"{path}.{key}" if path else key, depth + 1)
            if key_node.tag.endswith(":merge"):
                merged += value.value if isinstance(value.value, list) else [value]
            elif key in keys:
                message = f"the key '{key}' is given twice (first on line {keys[key].line})"
                self.problems.append(Problem(str(key_mark), message))
            else:
                children[key], keys[key] = value, key_mark
        for source in merged:
            if not isinstance(source.value, dict):
                raise ConfigError([Problem(str(source.mark), "'<<' must name a mapping")])
            children |= {**source.value, **children}
            keys |= {**source.keys, **keys}
        return Node(children, mark, path, keys)

    @staticmethod
    def check_tag(node: yaml.Node, mark: Mark) -> None:
        """Raise ConfigError where a node has a tag that no config needs."""
        if node.tag not in _STANDARD:
            tag = node.tag.replace("tag:yaml.org,2002:", "!!")
            message = f"the tag '{tag}' is not allowed: a config holds text, lists, mappings"
            raise ConfigError([Problem(str(mark), message)])

    def mark(self, node: yaml.Node) -> Mark:
        """Return the position of a node."""
        return Mark(self.name, node.start_mark.line + 1, node.start_mark.column + 1)
