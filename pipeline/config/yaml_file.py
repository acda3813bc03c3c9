"""YAML text as a tree of nodes with their positions; no value is interpreted and no object is built.

A scalar stays the text that was written: `NO` is not false, and `1e3` is no number yet. The models of a config and the
options of metrics decide what a text must be. Only a plain `null`, `~` or nothing is None.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from yaml.composer import Composer

from ..errors import ConfigError, Problem
from .tree import MAX_DEPTH, Mark, Node

MAX_NODES = 100_000
"""Values that a document may have, and that it may expand to. One with more is an alias bomb, or no config."""
MAX_BYTES = 10_000_000
MAX_KEY = 1024
"""Signs of a key, as many as YAML allows where no question mark stands before it."""
MAX_PATHS = 20_000_000
"""Signs that the paths of all values may have together. The path of a value has the keys that lead to it."""
SMALL = 20_000
"""Signs of a document that PyYAML's own parser reads. A longer one is read by libyaml, where PyYAML was built with it.

libyaml is ten times as fast. The two put what is wrong in different words.
"""

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
    """Return the root node of YAML text, and a problem for each key that is given twice; raises ConfigError.

    What no config needs is refused while it is read: too many values, values that are nested too deeply. So neither
    time nor memory grow with what a document from a stranger goes on to say.
    """
    try:
        root = _composed(text, name)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        position = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        raise ConfigError([Problem(position, f"not valid YAML: {error.problem or error.context}")]) from None
    except (yaml.YAMLError, UnicodeError) as error:
        detail = str(error).splitlines()[0]
        raise ConfigError([Problem(name, f"not valid YAML: {detail}")]) from None
    if root is None:
        raise ConfigError([Problem(name, "is empty; `gec-pipeline init` writes a config to start from")])
    converter = _Converter(name)
    return converter.convert(root), converter.problems


class _Bounded(Composer):
    """Makes PyYAML's nodes of what a parser reads, and stops where a document has more than a config needs."""

    file = "config"
    """What messages call the document."""
    values = depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Return the next node; raises ConfigError where there are too many, or it is nested too deeply.

        Keys are not counted: there is one for each value of a mapping.
        """
        mark = self.peek_event().start_mark  # type: ignore[attr-defined]
        self.values += index is not None or not isinstance(parent, yaml.MappingNode)
        if self.values > MAX_NODES or self.depth > MAX_DEPTH:
            many = f"the document has more than {MAX_NODES:,} values; is it a config?"
            text = many if self.values > MAX_NODES else f"nested deeper than {MAX_DEPTH} levels"
            raise ConfigError([Problem(f"{self.file}:{mark.line + 1}:{mark.column + 1}", text)])
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


class _OwnParser(_Bounded, yaml.SafeLoader):
    """PyYAML's parser."""


class _Libyaml(_Bounded, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The parser of libyaml, where there is one."""

    def __init__(self, text: str) -> None:
        Composer.__init__(self)
        super(Composer, self).__init__(text)


def _composed(text: str, name: str) -> yaml.Node | None:
    """Return the root of a document as PyYAML has it, or None where it is empty."""
    loader: Any = _OwnParser(text) if len(text) <= SMALL else _Libyaml(text)
    loader.file = name
    try:
        root: yaml.Node | None = loader.get_single_node()
        return root
    finally:
        loader.dispose()


class _Converter:
    """Turns nodes of PyYAML into ours, and refuses what no config needs."""

    def __init__(self, name: str) -> None:
        self.name, self.count, self.paths, self.problems = name, 0, 0, list[Problem]()

    def convert(self, node: yaml.Node, path: str = "", depth: int = 0) -> Node:
        """Return a node of PyYAML as ours; `path` and `depth` say where it is in the tree."""
        mark = self.mark(node)
        self.count += 1
        if self.count > MAX_NODES:
            message = f"the document expands to more than {MAX_NODES:,} values (aliases?)"
            raise ConfigError([Problem(str(mark), message)])
        self.paths += len(path)
        if self.paths > MAX_PATHS:
            message = f"the keys that lead to all values have more than {MAX_PATHS:,} signs together; are they names?"
            raise ConfigError([Problem(str(mark), message)])
        if depth > MAX_DEPTH:
            raise ConfigError([Problem(str(mark), f"nested deeper than {MAX_DEPTH} levels (an alias to itself?)")])
        self.check_tag(node, mark)
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, mark, path, depth)
        if isinstance(node, yaml.SequenceNode):
            children = [self.convert(child, f"{path}[{i}]", depth + 1) for i, child in enumerate(node.value)]
            return Node(children, mark, path)
        null = isinstance(node, yaml.ScalarNode) and not node.style and node.value in _NULLS
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
            if len(key) > MAX_KEY:
                message = f"a key has at most {MAX_KEY:,} signs, this one has {len(key):,}"
                raise ConfigError([Problem(str(key_mark), message)])
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
            for key in source.value:
                children.setdefault(key, source.value[key])
                keys.setdefault(key, source.keys[key])
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
