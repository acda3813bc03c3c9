"""Defaults of metrics: options that each metric takes which has a use for them and does not say otherwise."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..config.tree import Node
from ..errors import ConfigError
from . import METRICS
from .base import signature
from .build import resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..errors import Problem


def with_defaults(nodes: Sequence[Node], root: Node | None, problems: list[Problem]) -> tuple[Node, ...]:
    """Return the metrics' nodes with defaults.metrics merged into them.

    A default that no metric takes, because none knows it or it would change nothing, is a problem.
    """
    section = root.get("defaults") if root else None
    common = section.get("metrics") if section else None
    if common is None or not isinstance(common.value, dict):
        return tuple(nodes)
    used: set[str] = set()
    filled = [_filled(node, common, used) for node in nodes]
    for key in common.value:
        if key not in used and filled:
            known = {name: None for metric in METRICS.values() for name in (o.name for o in metric.options)}
            known |= {option.key: None for metric in METRICS.values() for option in metric.options}
            taken = any(_gives(node, key) for node in filled)
            why = "every metric says it itself" if taken else "none has a use for it"
            hint = "" if key in known else f"; no option is called so, known: {', '.join(known)}"
            problems.append(common.problem(f"no metric takes this default: {why}{hint}", [key]))
    return tuple(filled)


def _filled(node: Node, common: Node, used: set[str]) -> Node:
    """Return a metric's node with each default that is accepted, in as many rounds as they need each other."""
    current = _mapping(node)
    if current is None or not isinstance(common.value, dict):
        return node
    wrong: list[Problem] = []
    resolve(current, wrong)
    waiting = {key: child for key, child in common.value.items() if not _gives(current, key) and _knows(current, key)}
    progress = True
    while waiting and progress:
        progress = False
        for key, child in list(waiting.items()):
            tried = _with(current, key, child, common)
            told: list[Problem] = []
            resolve(tried, told)
            idle = [problem for problem in told if "has no effect here" in problem.message]
            if not [problem for problem in idle if problem not in wrong]:
                current, wrong, progress = tried, told, True
                used.add(key)
                del waiting[key]
    return current if len(current.value or ()) > len(_options(_mapping(node))) else node


def _mapping(node: Node) -> Node | None:
    """Return a metric's node in the form of a mapping; None where it cannot be read."""
    if isinstance(node.value, dict):
        named = node.get("name")
        return node if named and isinstance(named.value, str) else None
    try:
        name, settings = signature.parse(str(node.value))
    except ConfigError:
        return None
    children = {key: Node(value, node.mark, node.path) for key, value in {"name": name, **settings}.items()}
    return Node(children, node.mark, node.path, dict.fromkeys(children, node.mark))


def _options(node: Node | None) -> dict[str, Node]:
    return node.value if node and isinstance(node.value, dict) else {}


def _with(node: Node, key: str, child: Node, common: Node) -> Node:
    return replace(node, value={**_options(node), key: child}, keys={**node.keys, key: common.keys[key]})


def _spellings(node: Node, key: str) -> set[str]:
    name = node.get("name")
    metric = METRICS.get(str(name.value)) if name else None
    return next(({o.name, o.key} for o in (metric.options if metric else ()) if key in (o.name, o.key)), set())


def _knows(node: Node, key: str) -> bool:
    return bool(_spellings(node, key))


def _gives(node: Node, key: str) -> bool:
    mapping = _mapping(node)
    return mapping is not None and bool((_spellings(mapping, key) | {key}) & set(_options(mapping)))
