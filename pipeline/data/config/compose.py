"""YAML with positions, and configs of several parts: `include`, and `--set` of the command line.

A scalar stays the text that was written: `NO` is not false, and `1e3` is no number yet. The models
of a config and the options of metrics decide what a text must be. Only a plain `null`, `~` or
nothing is None. No object is built.

Mappings are merged deeply; lists and scalars are replaced. What is read later wins, and a file wins
over those that it includes. Every node keeps the mark of the file that wrote it: messages name that
file, and relative paths start there.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from ...errors import ConfigError, CorpusError, DataError, Problem, gathered
from ...files import WrittenPath, small_text
from .tree import COMMAND_LINE, MAX_DEPTH, Mark, Node, child_path

MAX_NODES = 100_000
"""Values that a document may have, and that it may expand to. One with more is an alias bomb, or no
config."""
MAX_BYTES = 10_000_000
MAX_PATHS = 20_000_000
"""Signs that the paths of all values may have together. The path of a value has the keys that lead
to it."""
MAX_INCLUDED = 100
"""Files that a config may include, directly or through others."""
MAX_ENTRIES = 10_000
"""Entries of a list or mapping in a config."""
FEWER = {"datasets": 1_000, "metrics": 1_000, "systems": 10_000}
"""Entries of the lists and mappings of single sections. Other sections that a config may have allow
1,000."""
LINES = ("keep", "drop")
"""Lists of numbers of lines, which have as many entries as a config may have values."""
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_METRIC = re.compile(r"metrics\[[0-9]+\]")
"""The paths of metrics, which may be written as a text."""
_STANDARD = frozenset(
    f"tag:yaml.org,2002:{name}"
    for name in (
        "null",
        "bool",
        "int",
        "float",
        "str",
        "map",
        "seq",
        "timestamp",
        "merge",
        "value",
    )
)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


def read(path: str | Path) -> tuple[Node, list[Problem]]:
    """Return the root node of a YAML file, and a problem for each key that is given twice.

    Raises ConfigError where the file cannot be read or is not one YAML document.
    """
    try:
        text = small_text(Path(path), MAX_BYTES)
    except CorpusError as error:
        raise ConfigError(error.problems) from None
    return parse(text, str(path))


def read_yaml(path: str | Path, text: str | None = None) -> Any:
    """Return the content of a YAML file: texts, None, lists and dicts.

    `text` is the content of the file if it is known. Raises ConfigError where the file cannot be
    read or is not one YAML document.
    """
    root, _ = read(path) if text is None else parse(text, str(path))
    return root.plain()


def parse(text: str, name: str = "config") -> tuple[Node, list[Problem]]:
    """Return the root node of YAML text, and problems of repeated keys; raises ConfigError.

    What no config needs is refused while it is read: too many values, values that are nested too
    deeply. So neither time nor memory grow with the rest of a document from a stranger.
    """
    try:
        root = _BoundedLoader(text, name).get_single_node()
    except yaml.MarkedYAMLError as error:
        position = name
        mark = error.problem_mark or error.context_mark
        if mark:
            position = f"{name}:{mark.line + 1}:{mark.column + 1}"
        detail = error.problem or error.context
        raise ConfigError.at(position, f"not valid YAML: {detail}") from None
    except (yaml.YAMLError, UnicodeError) as error:
        detail = str(error).splitlines()[0]
        raise ConfigError.at(name, f"not valid YAML: {detail}") from None
    if root is None:
        message = "is empty; `gec-pipeline init` writes a config to start from"
        raise ConfigError.at(name, message)
    converter = _Converter(name)
    return converter.convert(root), converter.problems


class _BoundedLoader(yaml.SafeLoader):
    """Reads a document as nodes of PyYAML, and stops where it has more than a config needs."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self.file_name = name
        self.value_count = 0
        self.depth = 0

    def compose_node(
        self, parent: yaml.Node | None, index: Any
    ) -> yaml.Node | None:
        """Return the next node; raises ConfigError for too many values (no keys) or deep nesting."""
        mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
        is_key = isinstance(parent, yaml.MappingNode) and index is None
        if not is_key:
            self.value_count += 1
        message = ""
        if self.value_count > MAX_NODES:
            message = f"the document has more than {MAX_NODES:,} values; is it a config?"
        elif self.depth > MAX_DEPTH:
            message = f"nested deeper than {MAX_DEPTH} levels"
        if message:
            position = f"{self.file_name}:{mark.line + 1}:{mark.column + 1}"
            raise ConfigError.at(position, message)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


class _Converter:
    """Turns nodes of PyYAML into ours, and refuses what no config needs."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.count = 0
        self.path_characters = 0
        self.problems: list[Problem] = []

    def convert(self, node: yaml.Node, path: str = "", depth: int = 0) -> Node:
        """Return a node of PyYAML as ours; `path` and `depth` say where it is in the tree."""
        mark = self.mark(node)
        self.check_limits(mark, path, depth)
        self.check_tag(node, mark)
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, mark, path, depth)
        if isinstance(node, yaml.SequenceNode):
            items = []
            for index, child in enumerate(node.value):
                items.append(self.convert(child, f"{path}[{index}]", depth + 1))
            return Node(items, mark, path)
        is_plain = isinstance(node, yaml.ScalarNode) and not node.style
        if is_plain and node.value in _NULLS:
            return Node(None, mark, path)
        return Node(str(node.value), mark, path)

    def check_limits(self, mark: Mark, path: str, depth: int) -> None:
        """Count a node; raises ConfigError where a document has more than a config needs."""
        self.count += 1
        self.path_characters += len(path)
        if self.count > MAX_NODES:
            message = f"the document expands to more than {MAX_NODES:,} values (aliases?)"
        elif self.path_characters > MAX_PATHS:
            message = f"the keys that lead to all values have more than {MAX_PATHS:,} signs together; are they names?"
        elif depth > MAX_DEPTH:
            message = (
                f"nested deeper than {MAX_DEPTH} levels (an alias to itself?)"
            )
        else:
            return
        raise ConfigError.at(mark, message)

    def mapping(
        self,
        node: yaml.MappingNode,
        mark: Mark,
        path: str,
        depth: int,
    ) -> Node:
        """Return a mapping. Keys that are missing from it are taken from the mappings that '<<'
        names, and come after its own.
        """
        children: dict[str, Node] = {}
        keys: dict[str, Mark] = {}
        merged: list[Node] = []
        for key_node, value_node in node.value:
            key_mark = self.mark(key_node)
            if not isinstance(key_node, yaml.ScalarNode):
                message = (
                    "a key must be one word or text, not a list or mapping"
                )
                raise ConfigError.at(key_mark, message)
            self.check_tag(key_node, key_mark)
            key = key_node.value
            value = self.convert(value_node, child_path(path, key), depth + 1)
            if key_node.tag.endswith(":merge"):
                merged += (
                    value.value if isinstance(value.value, list) else [value]
                )
            elif key in keys:
                message = f"the key '{key}' is given twice (first on line {keys[key].line})"
                self.problems.append(Problem(str(key_mark), message))
            else:
                children[key] = value
                keys[key] = key_mark
        for source in merged:
            if not isinstance(source.value, dict):
                raise ConfigError.at(source.mark, "'<<' must name a mapping")
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
            raise ConfigError.at(mark, message)

    def mark(self, node: yaml.Node) -> Mark:
        """Return the position of a node of PyYAML."""
        return Mark(
            self.name, node.start_mark.line + 1, node.start_mark.column + 1
        )


def compose(
    config: str | Path | Node, settings: tuple[str, ...] = ()
) -> tuple[Node, list[Problem]]:
    """Return the root of a config merged with its includes and settings ("a.b.0=value").

    The config is a YAML file, or the node of a mapping of Python.

    Also returns the problems: wrong settings, wrong includes and duplicate keys. Raises ConfigError
    where the config itself cannot be read, is no mapping, or has too many entries.
    """
    reader = _Reader()
    if isinstance(config, Node):
        root = reader.merge_includes(config, config.mark.file, ())
    else:
        root = reader.read_merged(str(config), ())
    for setting in settings:
        with gathered(reader.problems):
            root = _with_setting(root, setting)
    root = _with_data(_with_lists(root))
    if not isinstance(root.value, dict):
        message = "expected a mapping with the keys datasets, systems, metrics"
        raise ConfigError([root.problem(message)])
    crowded = _find_crowded(root)
    if crowded:
        raise ConfigError([*reader.problems[:1], crowded])
    return root, reader.problems


def _with_setting(root: Node, setting: str) -> Node:
    """Return a config changed by a value of `--set`, "a.b.0=value"; raises ConfigError."""
    key, equals, text = setting.partition("=")
    name = f"{COMMAND_LINE} {setting}"
    if (
        not equals
        or not key
        or ".." in f".{key}."
        or key.count(".") > MAX_DEPTH
    ):
        message = (
            "expected KEY=VALUE, such as output.digits=4 or metrics.0.order=3"
        )
        raise ConfigError.at(name, message)
    value = None
    if text.strip():
        node, problems = parse(text, name)
        if problems:
            raise ConfigError(
                [Problem(name, problem.message) for problem in problems]
            )
        value = node.plain()
    return _set_value(root, key, key, Node.from_plain(value, name))


def _count_values(node: Node) -> int:
    """Return how many values a tree has."""
    return 1 + sum(map(_count_values, node.children()))


def _find_crowded(node: Node, depth: int = 0) -> Problem | None:
    """Return the problem of the first list or mapping with too many entries, or None.

    `depth` is that of the node in the config, from 0.
    """
    if isinstance(node.value, str) or node.value is None:
        return None
    usual_limit = 1_000 if depth == 1 else MAX_ENTRIES
    limit = FEWER.get(node.path, usual_limit)
    if len(node.value) > limit and not node.path.endswith(LINES):
        if isinstance(node.value, list):
            marks = [child.mark for child in node.value]
        else:
            marks = list(node.keys.values())
        mark = marks[limit] if len(marks) > limit else node.mark
        name = node.path or "the config"
        message = (
            f"{name}: has {len(node.value):,} entries; {limit:,} are allowed"
        )
        return Problem(str(mark), message)
    for child in node.children():
        problem = _find_crowded(child, depth + 1)
        if problem:
            return problem
    return None


class _Reader:
    """Reads each file once, however many files include it."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.value_count = 0
        self.merged: dict[Path, Node] = {}
        """The files read so far, each merged with those that it includes."""

    def read_merged(self, name: str, including: tuple[Path, ...]) -> Node:
        """Return the root of a file, merged over the files that it includes.

        `including` are the files that include this one, from the config on.
        """
        path = _resolved(name)
        if path not in self.merged:
            if len(self.merged) >= MAX_INCLUDED:
                raise ConfigError.at(
                    name, f"more than {MAX_INCLUDED} files are included"
                )
            root, problems = read(name)
            self.problems += problems
            self.value_count += _count_values(root)
            if self.value_count > MAX_NODES:
                message = f"the config has more than {MAX_NODES:,} values together with the files that it includes"
                raise ConfigError.at(name, message)
            self.merged[path] = self.merge_includes(
                _with_lists(root), name, (*including, path)
            )
        return self.merged[path]

    def merge_includes(
        self, root: Node, name: str, including: tuple[Path, ...]
    ) -> Node:
        """Return the root of a file (`name`) merged over the files under its key `include`."""
        included = root.get("include")
        if included is None or not isinstance(root.value, dict):
            return root
        children = {
            key: child for key, child in root.value.items() if key != "include"
        }
        without_include = replace(root, value=children)
        if not isinstance(included.value, list):
            mark = root.keys.get("include", root.mark)
            self.problems.append(
                Problem(str(mark), "include: expected a list of files")
            )
            return without_include
        base: Node | None = None
        for child in included.value[: MAX_INCLUDED + 1]:
            try:
                file = _included(child, name, including)
                part = self.read_merged(file, including)
                if not isinstance(part.value, dict) or not all(
                    map(_KEY.fullmatch, part.value)
                ):
                    # Its text is not shown: it may be any file of the computer.
                    raise DataError(f"{part.mark.file} is no part of a config")
                base = merge(base, part) if base else part
            except DataError as error:
                self.problems.append(child.problem(str(error)))
            except ConfigError as error:
                self.problems += error.problems
        if base is None:
            return without_include
        return merge(base, without_include)


def _resolved(name: str) -> Path:
    """Return the path of a config without links; raises ConfigError where there can be none."""
    if "\0" in name:  # Python has other words for it in each version
        raise ConfigError.at(
            name, "cannot be read: no path has a NUL character"
        )
    try:
        return Path(name).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise ConfigError.at(name, f"cannot be read: {error}") from None


def _included(child: Node, name: str, including: tuple[Path, ...]) -> str:
    """Return the path of an included file; raises DataError if it cannot be included.

    `child` is the entry of `include` in the file `name`.
    """
    if not isinstance(child.value, str) or not child.value:
        raise DataError("expected a path")
    if "://" in child.value:
        raise DataError(
            f"'{child.value}' is not a local file; only local files can be included"
        )
    folder = Path(name).parent
    file = str(folder / WrittenPath(child.value).expanded(folder))
    try:
        path = _resolved(file)
    except ConfigError as error:
        raise DataError(
            f"'{child.value}' {error.problems[0].message}"
        ) from None
    if path in including:
        others = "" if path == including[-1] else ", through others"
        raise DataError(f"'{child.value}' includes itself{others}")
    if len(including) > MAX_DEPTH:
        raise DataError(f"includes nest deeper than {MAX_DEPTH} levels")
    return file


def merge(base: Node, over: Node) -> Node:
    """Return two mappings merged deeply, or the second node where one of them is no mapping."""
    if not isinstance(base.value, dict) or not isinstance(over.value, dict):
        return over
    children = dict(base.value)
    for key, child in over.value.items():
        if key in children:
            children[key] = merge(children[key], child)
        else:
            children[key] = child
    keys = {**base.keys, **over.keys}
    return replace(over, value=children, keys=keys)


def _set_value(node: Node, rest: str, path: str, value: Node) -> Node:
    """Return a node with a value set at a dotted path such as "metrics.0.order".

    `rest` is the path from this node on, and `path` the path from the root, for messages. If the
    path is empty, the value replaces the node. Raises ConfigError if there is no such path.
    """
    if not rest:
        return Node.from_plain(value.plain(), value.mark.file, node.path)
    parent = path.removesuffix(rest).rstrip(".") or "the config"
    if isinstance(node.value, list):
        return _set_in_list(node, rest, path, value)
    if isinstance(node.value, str) and _METRIC.fullmatch(node.path):
        # The options of the metric stand beside its name.
        name = replace(node, path=f"{node.path}.name")
        node = replace(node, value={"name": name}, keys={"name": node.mark})
    if node.value is not None and not isinstance(node.value, dict):
        message = f"'{parent}' is the text '{node.value}', which has no keys"
        raise ConfigError.at(value.mark.file, message)
    children = node.value or {}
    step = _first_key(rest, children)
    child = children.get(step) or Node(
        None, value.mark, child_path(node.path, step)
    )
    left = rest[len(step) + 1 :]
    changed = _set_value(child, left, path, value)
    children = {**children, step: changed}
    keys = {**node.keys, step: value.mark}
    return replace(node, value=children, keys=keys)


def _set_in_list(node: Node, rest: str, path: str, value: Node) -> Node:
    """Return a list with a value set at a dotted path that begins with an index."""
    assert isinstance(node.value, list)  # noqa: S101 (for types)
    step, _, left = rest.partition(".")
    items = list(node.value)
    is_index = step.isascii() and step.isdigit()
    if not is_index or int(step[:9]) >= len(items):
        parent = path.removesuffix(rest).rstrip(".") or "the config"
        message = f"'{parent}' has {len(items)} items, numbered from 0; there is no '{step}'"
        raise ConfigError.at(value.mark.file, message)
    index = int(step)
    items[index] = _set_value(items[index], left, path, value)
    return replace(node, value=items)


def _first_key(path: str, children: dict[str, Node]) -> str:
    """Return the first key of a dotted path.

    Names may have dots, so it is the longest key of the mapping that the path begins with.
    """
    end = len(path)
    while end > 0:
        if path[:end] in children:
            return path[:end]
        end = path.rfind(".", 0, end)
    return path.partition(".")[0]


def _with_lists(root: Node) -> Node:
    """Return a config in which `metrics`, `references` and `gold` are lists, even of one item."""
    root = _listed(root, "metrics")
    datasets = root.get("datasets")
    if datasets and isinstance(datasets.value, dict):
        children = {}
        for name, child in datasets.value.items():
            children[name] = _listed(child, "references", "gold")
        root = _with(root, {"datasets": _with(datasets, children)})
    return root


def _listed(node: Node, *keys: str) -> Node:
    """Return a mapping whose values of these keys are lists; a single value becomes a list of one."""
    lists = {}
    for key in keys:
        child = node.get(key)
        if child and child.value and not isinstance(child.value, list):
            lists[key] = replace(child, value=[child], keys={})
    return _with(node, lists)


def _with(node: Node, children: dict[str, Node]) -> Node:
    """Return a mapping with new values for some keys; other nodes are unchanged."""
    if not isinstance(node.value, dict):
        return node
    return replace(node, value={**node.value, **children})


def _with_data(root: Node) -> Node:
    """Return a config in which the short forms of fetched data sets are written out.

    `NAME: data` becomes `NAME: {data: NAME}`, and `NAME: data:WHAT` becomes `NAME: {data: WHAT}`.
    If there are such data sets and no systems, `systems: data` stands for their official outputs.
    """
    datasets = root.get("datasets")
    if datasets is None or not isinstance(datasets.value, dict):
        return root
    children = dict(datasets.value)
    first_data: Node | None = None
    for name, node in children.items():
        if isinstance(node.value, str):
            key, _, what = node.value.partition(":")
            if key == "data":
                data = replace(node, value=what or name)
                keys = {"data": node.mark}
                children[name] = replace(node, value={"data": data}, keys=keys)
        first_data = first_data or children[name].get("data")
    root = _with(root, {"datasets": _with(datasets, children)})
    if first_data is None or root.get("systems"):
        return root
    root = _with(root, {"systems": Node("data", first_data.mark, "systems")})
    return replace(root, keys={"systems": first_data.mark, **root.keys})
