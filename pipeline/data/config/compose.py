"""YAML with positions, and configs of several parts: `include`, and `--set` of the command line.

A scalar stays the text that was written: `NO` is not false, and `1e3` is no number yet. The models
of a config and the options of metrics decide what a text must be. Only a plain `null`, `~` or
nothing is None. No object is built.

Mappings are merged deeply; lists and scalars are replaced. What is read later wins, and a file wins
over those that it includes. Every node keeps the mark of the file that wrote it: messages name that
file, and relative paths start there."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import Composer

from ...errors import ConfigError, CorpusError, DataError, Problem, gathered
from ...files.plain_files import small_text
from ...files.remote import expanded
from .tree import COMMAND_LINE, MAX_DEPTH, Mark, Node, from_plain, sizes

MAX_NODES = 100_000
"""Values that a document may have, and that it may expand to. One with more is an alias bomb, or no
config."""
MAX_BYTES = 10_000_000
MAX_PATHS = 20_000_000
"""Signs that the paths of all values may have together. The path of a value has the keys that lead
to it."""
SMALL = 20_000
"""Signs of a document that PyYAML's own parser reads. A longer one is read by libyaml, where PyYAML
was built with it.

libyaml is ten times as fast. The two put what is wrong in different words.
"""

MAX_INCLUDED = 100
"""Files that a config may include, directly or through others."""
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_METRIC = re.compile(r"metrics\[[0-9]+\]")
"""The paths of metrics, which may be written as a text."""
_STANDARD = frozenset(
    f"tag:yaml.org,2002:{name}"
    for name in ("null", "bool", "int", "float", "str", "map", "seq", "timestamp", "merge", "value")
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


def parse(text: str, name: str = "config") -> tuple[Node, list[Problem]]:
    """Return the root node of YAML text, and a problem for each key that is given twice; raises
    ConfigError.

    What no config needs is refused while it is read: too many values, values that are nested too
    deeply. So neither time nor memory grow with what a document from a stranger goes on to say."""
    try:
        loader: Any = _OwnParser(text) if len(text) <= SMALL else _Libyaml(text)
        loader.file = name
        root: yaml.Node | None = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        position = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        raise ConfigError(
            [Problem(position, f"not valid YAML: {error.problem or error.context}")]
        ) from None
    except (yaml.YAMLError, UnicodeError) as error:
        detail = str(error).splitlines()[0]
        raise ConfigError([Problem(name, f"not valid YAML: {detail}")]) from None
    if root is None:
        raise ConfigError(
            [Problem(name, "is empty; `gec-pipeline init` writes a config to start from")]
        )
    converter = _Converter(name)
    return converter.convert(root), converter.problems


class _Bounded(Composer):
    """Makes PyYAML's nodes of what a parser reads, and stops where a document has more than a
    config needs.
    """

    file = "config"
    """What messages call the document."""
    values = depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Return the next node; raises ConfigError where there are too many, keys not counted, or
        too deep ones.
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
            raise ConfigError(
                [Problem(str(mark), f"nested deeper than {MAX_DEPTH} levels (an alias to itself?)")]
            )
        self.check_tag(node, mark)
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, mark, path, depth)
        if isinstance(node, yaml.SequenceNode):
            children = [
                self.convert(child, f"{path}[{i}]", depth + 1) for i, child in enumerate(node.value)
            ]
            return Node(children, mark, path)
        null = isinstance(node, yaml.ScalarNode) and not node.style and node.value in _NULLS
        return Node(None if null else str(node.value), mark, path)

    def mapping(self, node: yaml.MappingNode, mark: Mark, path: str, depth: int) -> Node:
        """Return a mapping. Keys that it lacks are taken from the mappings that '<<' names, and
        come after its own.
        """
        children: dict[str, Node] = {}
        keys: dict[str, Mark] = {}
        merged: list[Node] = []
        for key_node, value_node in node.value:
            key_mark = self.mark(key_node)
            if not isinstance(key_node, yaml.ScalarNode):
                raise ConfigError(
                    [
                        Problem(
                            str(key_mark), "a key must be one word or text, not a list or mapping"
                        )
                    ]
                )
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
        return Mark(self.name, node.start_mark.line + 1, node.start_mark.column + 1)


def compose(
    config: str | Path | Node, settings: tuple[str, ...] = ()
) -> tuple[Node, list[Problem]]:
    """Return the root of a config merged with its includes and settings ("a.b.0=value").

    The config is a YAML file, or the node of a mapping of Python.

    Also returns the problems: wrong settings, wrong includes and duplicate keys. Raises ConfigError
    where the config itself cannot be read."""
    reader = _Reader()
    root = (
        reader.includes(config, config.mark.file, ())
        if isinstance(config, Node)
        else reader.file(str(config), ())
    )
    for text in settings:
        with gathered(reader.problems):
            key, equals, value = text.partition("=")
            file = f"{COMMAND_LINE} {text}"
            if not equals or not key or ".." in f".{key}." or key.count(".") > MAX_DEPTH:
                raise ConfigError(
                    [
                        Problem(
                            file, "expected KEY=VALUE, such as output.digits=4 or metrics.0.order=3"
                        )
                    ]
                )
            node, problems = parse(value, file) if value.strip() else (from_plain(None, file), [])
            if problems:
                raise ConfigError([Problem(file, problem.message) for problem in problems])
            root = _put(root, key, key, from_plain(node.plain(), file))
    return _with_data(_with_lists(root)), reader.problems


class _Reader:
    """Reads each file once, however many files include it."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.values = 0
        self.merged: dict[Path, Node] = {}
        """The files read so far, each merged with those that it includes."""

    def file(self, name: str, above: tuple[Path, ...]) -> Node:
        """Return a file's node merged with those it includes; `above` are the files that lead to
        it.
        """
        path = _resolved(name)
        if path not in self.merged:
            if len(self.merged) >= MAX_INCLUDED:
                raise ConfigError([Problem(name, f"more than {MAX_INCLUDED} files are included")])
            root, problems = read(name)
            self.problems += problems
            self.values += sizes(root)
            if self.values > MAX_NODES:
                message = f"the config has more than {MAX_NODES:,} values together with the files that it includes"
                raise ConfigError([Problem(name, message)])
            self.merged[path] = self.includes(_with_lists(root), name, (*above, path))
        return self.merged[path]

    def includes(self, root: Node, name: str, above: tuple[Path, ...]) -> Node:
        """Return a file's node merged over those it includes, without the key `include`."""
        included = root.get("include")
        if included is None or not isinstance(root.value, dict):
            return root
        own = replace(
            root, value={key: child for key, child in root.value.items() if key != "include"}
        )
        if not isinstance(included.value, list):
            self.problems.append(root.problem("expected a list of files", ["include"]))
            return own
        base: Node | None = None
        for child in included.value[: MAX_INCLUDED + 1]:  # of which some may not be there
            try:
                part = self.file(_included(child, name, above), above)
                if not isinstance(part.value, dict) or not all(map(_KEY.fullmatch, part.value)):
                    # it may be anything, which is nobody's business
                    raise DataError(f"{part.mark.file} is no part of a config")
                base = merge(base, part) if base else part
            except DataError as error:
                self.problems.append(child.problem(str(error)))
            except ConfigError as error:
                self.problems += error.problems
        return merge(base, own) if base else own


def _resolved(name: str) -> Path:
    if "\0" in name:  # Python has other words for it in each version
        raise ConfigError([Problem(name, "cannot be read: no path has a NUL character")])
    try:
        return Path(name).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise ConfigError([Problem(name, f"cannot be read: {error}")]) from None


def _included(child: Node, name: str, above: tuple[Path, ...]) -> str:
    """Return the path of an included file; raises DataError where it cannot be included."""
    if not isinstance(child.value, str) or not child.value:
        raise DataError("expected a path")
    if "://" in child.value:
        raise DataError(f"'{child.value}' is not a local file; only local files can be included")
    file = str(Path(name).parent / expanded(child.value, Path(name).parent))
    try:
        path = _resolved(file)
    except ConfigError as error:
        raise DataError(f"'{child.value}' {error.problems[0].message}") from None
    if path in above:
        raise DataError(
            f"'{child.value}' includes itself" + ("" if path == above[-1] else ", through others")
        )
    if len(above) > MAX_DEPTH:
        raise DataError(f"includes nest deeper than {MAX_DEPTH} levels")
    return file


def merge(base: Node, over: Node) -> Node:
    """Return two mappings merged deeply, or the second node where one of them is no mapping."""
    if not isinstance(base.value, dict) or not isinstance(over.value, dict):
        return over
    children = dict(base.value)
    for key, child in over.value.items():
        children[key] = merge(children[key], child) if key in children else child
    return replace(over, value=children, keys={**base.keys, **over.keys})


def _put(node: Node, rest: str, whole: str, value: Node) -> Node:
    """Return node with value put at the dotted path `rest`. `whole` is the path from the root, for
    messages.
    """
    file = value.mark.file

    def at(path: str) -> Node:
        return from_plain(value.plain(), file, path)

    done = whole.removesuffix(rest).rstrip(".") or "the config"
    if isinstance(node.value, list):
        step, _, left = rest.partition(".")
        if not (step.isascii() and step.isdigit() and int(step[:9]) < len(node.value)):
            message = f"'{done}' has {len(node.value)} items, numbered from 0; there is no '{step}'"
            raise ConfigError([Problem(file, message)])
        items = list(node.value)
        items[int(step)] = (
            _put(items[int(step)], left, whole, value) if left else at(items[int(step)].path)
        )
        return replace(node, value=items)
    if isinstance(node.value, str) and _METRIC.fullmatch(
        node.path
    ):  # its options stand beside its name
        name = replace(node, path=f"{node.path}.name")
        node = replace(node, value={"name": name}, keys={"name": node.mark})
    if node.value is not None and not isinstance(node.value, dict):
        raise ConfigError(
            [Problem(file, f"'{done}' is the text '{node.value}', which has no keys")]
        )
    children = node.value or {}
    # Names may hold dots, so the longest key that exists is taken.
    steps = [rest[:i] for i in range(len(rest), 0, -1) if i == len(rest) or rest[i] == "."]
    step = next((step for step in steps if step in children), rest.partition(".")[0])
    left = rest[len(step) + 1 :]
    child = children.get(step) or Node(
        None, value.mark, f"{node.path}.{step}" if node.path else step
    )
    new = _put(child, left, whole, value) if left else at(child.path)
    return replace(node, value={**children, step: new}, keys={**node.keys, step: value.mark})


def _with_lists(root: Node) -> Node:
    """Return root with lists of one for metrics, references and gold files that are written without
    a list.
    """

    def listed(node: Node, *keys: str) -> Node:
        found = ((key, node.get(key)) for key in keys)
        alone = {
            key: child
            for key, child in found
            if child and child.value and not isinstance(child.value, list)
        }
        return _with(
            node, {key: replace(child, value=[child], keys={}) for key, child in alone.items()}
        )

    root = listed(root, "metrics")
    datasets = root.get("datasets")
    if datasets and isinstance(datasets.value, dict):
        every = {
            name: listed(child, "references", "gold") for name, child in datasets.value.items()
        }
        root = _with(root, {"datasets": _with(datasets, every)})
    return root


def _with(node: Node, children: dict[str, Node]) -> Node:
    """Return a mapping with other values for some keys. Any other node stays."""
    return replace(node, value={**node.value, **children}) if isinstance(node.value, dict) else node


def _with_data(root: Node) -> Node:
    """Return root with `NAME: data` and `NAME: data:WHAT` written out, and their outputs where
    there are no systems.
    """
    datasets = root.get("datasets")
    if datasets is None or not isinstance(datasets.value, dict) or not isinstance(root.value, dict):
        return root
    children = dict(datasets.value)
    for name, node in children.items():
        if isinstance(node.value, str) and (node.value == "data" or node.value.startswith("data:")):
            data = replace(node, value=node.value.partition(":")[2] or name)
            children[name] = replace(node, value={"data": data}, keys={"data": node.mark})
    root = _with(root, {"datasets": _with(datasets, children)})
    first = next((child.get("data") for child in children.values() if child.get("data")), None)
    if first is None or root.get("systems"):
        return root
    root = _with(root, {"systems": Node("data", first.mark, "systems")})
    return replace(root, keys={"systems": first.mark, **root.keys})
