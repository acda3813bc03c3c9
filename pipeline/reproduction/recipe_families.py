"""Recipes of one file that differ by a parameter, such as the language pairs of a year: `each` has a row for each.

    each: {pair: {cs-en: {references: [C, B]}, de-fr: {}}}    # the values of the parameter, and what differs
    usual: {references: [A], tokenizer: 13a}                  # parameters that a row need not say

In a text {pair}, or another of these names, stands for its value. Where that is a list, what holds the text comes once
for each of its items: the item of a list, or the entry of a mapping whose key is the text. Only the value of a mapping
that is the name alone, '{references}', stands for the list itself; it may be a mapping too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from ..config.resolved import called
from ..errors import InputError
from ..io.catalogue import named_in
from ..io.remote import PREFIX, is_data

Parameters = Mapping[str, Any]
"""Texts, lists of texts, and mappings."""

_NAMED = re.compile(r"\{(\w+)\}")


def members(content: Mapping[str, Any], file: str) -> Iterator[tuple[str, Any]]:
    """Yield (value of the parameter, config) for each recipe of a file. Raises InputError where `each` is wrong."""
    each, usual = content["each"], content.get("usual") or {}
    rest = {key: child for key, child in content.items() if key not in ("each", "usual")}
    if not isinstance(each, dict) or len(each) != 1 or not isinstance(usual, dict):
        raise InputError(f"{file}: each: expected one parameter with its values, such as {{pair: {{cs-en: {{}}}}}}")
    ((parameter, rows),) = each.items()
    rows = dict.fromkeys(rows) if isinstance(rows, list) else rows
    for value, row in rows.items() if isinstance(rows, dict) else ():
        if row is not None and not isinstance(row, dict):
            raise InputError(f"{file}: each: {parameter}: {value}: expected parameters of this row, such as {{}}")
        filled = _filled(rest, {**usual, **(row or {}), parameter: value})
        yield value, {**filled, "systems": _listed(filled["systems"])} if "systems" in filled else filled


def _filled(node: Any, given: Parameters) -> Any:
    """Return a part of a config with the values of parameters."""
    if isinstance(node, str):
        whole = _NAMED.fullmatch(node)
        if whole and whole[1] in given:
            return given[whole[1]]
        return _NAMED.sub(lambda found: str(given.get(found[1], found[0])), node)
    if isinstance(node, list):
        return [_filled(child, one) for child in node for one in _each(_lists(child, given), given)]
    if isinstance(node, dict):
        pairs = ((key, child, one) for key, child in node.items() for one in _each(_lists(key, given), given))
        return {_filled(key, one): _filled(child, one) for key, child, one in pairs}
    return node


def _lists(node: Any, given: Parameters) -> set[str]:
    """Return the lists that a text names, or the texts inside an item of a list that do not stand for a list."""
    if isinstance(node, str):
        return {name for name in _NAMED.findall(node) if isinstance(given.get(name), list)}
    pairs = node.items() if isinstance(node, dict) else ()
    inner = ((key, child) for key, child in pairs if not (isinstance(child, str) and _NAMED.fullmatch(child)))
    return {name for key, child in inner for name in _lists(child, given) - _lists(key, given)}


def _each(names: set[str], given: Parameters) -> Iterator[Parameters]:
    """Yield the parameters with one item of each of these lists in its place."""
    for items in product(*(given[name] for name in sorted(names))):
        yield {**given, **dict(zip(sorted(names), items, strict=True))}


def _listed(systems: Any) -> Any:
    """Return systems by name where patterns such as data:NAME/{system}.txt name them, so that reports know them."""
    if not isinstance(systems, list) or not all(is_data(text) and "{dataset}" not in text for text in systems):
        return systems
    files = [(pattern, file.key) for pattern in systems for file in named_in(pattern.replace("{system}", "*"))]
    return {called(Path(key), pattern.removeprefix(PREFIX)): f"{PREFIX}{key}" for pattern, key in files}
