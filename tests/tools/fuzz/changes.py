"""Changes of a value of JSON, and of bytes, which are values of JSON themselves."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

Change = list[Any]
"""["put", place, value], ["drop", place] or ["rename", place, name]; a place is a list of keys and
numbers."""
MUCH = "!"
"""The key of a value that stands for a large one: {"!": "repeat", "n": 9, "of": value} is a list of
nine."""
PIECES = [
    b"\n",
    b"\0",
    b"'",
    b'"',
    b"[",
    b"]",
    b"{",
    b"}",
    b"&a ",
    b"*a",
    b"!!",
    b": ",
    b"\t",
    b"9",
    b"-",
    b"\xff",
]


def expanded(value: Any) -> Any:
    """Return a value with large ones in the place of what stands for them."""
    if isinstance(value, list):
        return [expanded(item) for item in value]
    if not isinstance(value, dict):
        return value
    if MUCH not in value:
        return {key: expanded(item) for key, item in value.items()}
    inner = expanded(value["of"])
    number = value["n"]
    if value[MUCH] == "nest":
        for _ in range(number):
            inner = {"k": inner} if value.get("keys") else [inner]
        return inner
    if value[MUCH] == "keys":
        return {f"{value.get('name', 'k')}{n}": inner for n in range(number)}
    return inner * number if value[MUCH] == "text" else [inner] * number


def much(rng: random.Random, inner: Any) -> dict[str, Any]:
    """Return what stands for a large value."""
    kind = rng.choice(["repeat", "keys", "nest", "text"])
    number = int(10 ** rng.uniform(0.5, 5))
    inner = "ab*[,"[rng.randrange(5)] if kind == "text" else inner
    return {
        MUCH: kind,
        "n": min(number, 300) if kind == "nest" else number,
        "of": inner,
        "keys": rng.random() < 0.5,
    }


def places(value: Any, above: Sequence[Any] = ()) -> Iterator[list[Any]]:
    """Yield the places of all values inside a value."""
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in items:
        yield [*above, key]
        yield from places(item, [*above, key])


def drawn(rng: random.Random, content: Any, values: Sequence[Any]) -> Change:
    """Draw a change of a value."""
    place = rng.choice(list(places(content)))
    way = rng.random()
    if way < 0.15:
        return ["drop", place]
    if way < 0.25:
        return [
            "rename",
            place,
            rng.choice(["x", "", "a b", "metrics", "lines", "\u00e9", "0"]),
        ]
    value = (
        rng.choice(values)
        if way < 0.8
        else at(content, rng.choice(list(places(content))))
    )
    return ["put", place, much(rng, value) if rng.random() < 0.1 else value]


def at(content: Any, path: Sequence[Any]) -> Any:
    """Return the value at a place; raises KeyError, IndexError or TypeError where there is none."""
    for key in path:
        content = content[key]
    return content


def changed(content: Any, changes: Sequence[Change]) -> Any:
    """Return a value with changes made; one whose place is gone is left out."""
    content = json.loads(json.dumps(content))
    for way, place, *more in changes:
        try:
            inside = at(content, place[:-1])
            if way == "put" or place[-1] not in inside:
                inside[place[-1]] = expanded(more[0])
            elif way == "drop":
                del inside[place[-1]]
            elif isinstance(inside, dict):
                inside[more[0]] = inside.pop(place[-1])
        except (KeyError, IndexError, TypeError):
            continue
    return content


def drawn_bytes(rng: random.Random) -> list[Any]:
    """Draw a change of bytes: the share of the data before it, how many bytes go, and what comes in
    hex.
    """
    inserted = rng.choice([bytes([rng.randrange(256)]), b"", *PIECES])
    return [
        round(rng.random(), 6),
        rng.choice([0, 0, 1, 2, 1 << 40 if rng.random() < 0.2 else 1]),
        inserted.hex(),
    ]


def changed_bytes(data: bytes, changes: Sequence[Sequence[Any]]) -> bytes:
    """Return bytes with changes made."""
    for share, gone, inserted in changes:
        offset = int(share * len(data))
        data = data[:offset] + bytes.fromhex(inserted) + data[offset + gone :]
    return data
