"""Compares the compiled kernel with its Python twin on random shards. A case is the seed of a shard."""

from __future__ import annotations

import random
from importlib import import_module
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pipeline.kernel.common import KINDS, MAX_ORDER, MERGED_KINDS, SPLITS, WITHOUT_OUTPUT
from pipeline.kernel.lines import Lines

from .driver import Fuzzer

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from types import ModuleType

    from pipeline.kernel.common import Encoded

    Outcome = list[Any]

SURROGATES = range(0xD800, 0xE000)
WHITE = [chr(code) for code in range(0x110000) if chr(code).isspace()]
"""Every character that str.split() splits at."""
NEIGHBOURS = sorted(
    {chr(ord(white) + step) for white in WHITE for step in (-1, 1) if ord(white) + step >= 0} - set(WHITE)
)
"""Characters next to white space in code point order."""
WORDS = ["a", "b", "ab", "the", ",", "naïve", "日本", "日", "😀", "\x00", "\x7f", "\ufeff", "\U0010ffff"]
WORDS += ["1", "23", ".", ",.", "...", "-", "--", "(", "'s", "€", "٣", "،", "。", "!?", "½", "\u2028"]
LONG = "abcdefgh"
INVALID = {
    "overlong": ["c080", "c1bf", "e08080", "e09fbf", "f0808080", "f08fbfbf"],
    "surrogate": ["eda080", "edbfbf", "eda080edb080"],
    "truncated": ["c2", "df", "e0a0", "e282", "ef", "f09f98", "f09f", "f4", "f48fbf"],
    "too high": ["f4908080", "f5808080", "f7bfbfbf", "f888808080", "fe", "ff"],
    "stray": ["80", "bf", "a0", "85"],
    "broken off": ["c241", "e28041", "e24141", "f09f41", "f0419898", "e2c280", "f0e28080"],
}
"""Bytes that are not UTF-8, by what is wrong with them."""
REFERENCES = (1, 2, 3, 4, 5, 8, 9, 17, 100)
SYSTEMS = (1, 2, 5)
SIZES = (0, 1, 2, 3, 7, 8, 20, 63, 64, 65, 128, 129, 193, 256, 257)
"""Tokens in a line: the edges of machine words."""
MANY = 2500
"""Different tokens for which the tables of the compiled kernel must grow."""


def bordering(size: int, changed: int) -> str:
    """Return one of the tokens of size bytes that share all bytes but one: changed says which (none: size or more)."""
    token = "".join(islice(cycle(LONG), size))
    return token[:changed] + "X" + token[changed + 1 :] if changed < size else token


def lay_out(lines: Sequence[bytes], between: Sequence[bytes], order: Sequence[int]) -> Lines:
    """Return lines that lie in a buffer in any order, with other bytes before each and after the last."""
    starts, ends = np.zeros(len(lines), np.int64), np.zeros(len(lines), np.int64)
    data = b""
    for index, other in zip(order, between, strict=False):
        data += other
        starts[index], ends[index] = len(data), len(data) + len(lines[index])
        data += lines[index]
    return Lines(data + between[-1], starts, ends)


def outcome(function: Callable[..., Any], *arguments: Any) -> Outcome:
    """Return all that can be seen of a call: names, types, shapes and bytes of its arrays, or its exception."""
    try:
        value = function(*arguments)
    except Exception as error:  # noqa: BLE001 (whatever it is, the twin must raise it too)
        return [type(error), str(error)]
    if isinstance(value, list):  # texts of ids and offsets
        value = {(number, name): array for number, text in enumerate(value) for name, array in text._asdict().items()}
    return [(name, array.dtype.str, array.shape, array.tobytes()) for name, array in value.items()]


class Shard(NamedTuple):
    """What the twins are asked for."""

    texts: list[Lines]
    split: str
    references: int
    has_source: bool
    order: int
    kinds: tuple[str, ...]


def compare(shard: Shard, python: ModuleType, native: ModuleType) -> str:
    """Return which function of the twins differs on a shard, "" where none does."""
    expected = outcome(python.encode, shard.texts, shard.split)
    if outcome(native.encode, shard.texts, shard.split) != expected:
        return "encode"
    if expected and isinstance(expected[0], type):
        return ""  # what cannot be encoded has no n-grams
    encoded: list[Encoded] = python.encode(shard.texts, shard.split)
    source = encoded.pop(0) if shard.has_source else None
    references, systems = encoded[: shard.references], encoded[shard.references :]
    arguments = (source, references, systems, shard.order, shard.kinds)
    return "" if outcome(python.overlap, *arguments) == outcome(native.overlap, *arguments) else "overlap"


class Maker:
    """Makes random shards; lines that lie at the same place in their texts resemble each other, as real ones do."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.broken, self.long = rng.random() < 0.1, rng.random() < 0.01
        words = rng.sample(WORDS, rng.randint(1, 4)) + [self.token() for _ in range(rng.randint(0, 3))]
        self.words = words + rng.sample(NEIGHBOURS, rng.randint(0, 2))
        self.blanks = [" ", *rng.choices([" ", rng.choice(WHITE), "  ", "\r", " \t", rng.choice(NEIGHBOURS)], k=2)]

    def token(self) -> str:
        """Return a token around the borders of 8 and 16 bytes, or any text."""
        if self.rng.random() < 0.7:
            size = self.rng.randint(1, 40)
            return bordering(size, self.rng.randint(0, size))
        return "".join(self.rng.choices(WORDS + WHITE + NEIGHBOURS, k=self.rng.randint(1, 6)))

    def tokens(self, sizes: Sequence[int]) -> list[str]:
        """Return the tokens of a line: often the same few again and again; now and then very many."""
        if self.long:
            return [str(number) for number in range(MANY)]
        size = self.rng.choice(sizes)
        period = self.rng.choices(self.words, k=self.rng.randint(1, 6))
        return list(islice(cycle(period), size))

    def edited(self, tokens: Sequence[str]) -> list[str]:
        """Return tokens with some changed, left out or said twice."""
        result = list(tokens)
        for _ in range(self.rng.randint(0, 3)):
            place = self.rng.randint(0, len(result))
            result[place : place + self.rng.randint(0, 2)] = self.rng.choices(self.words, k=self.rng.randint(0, 2))
        return result

    def line(self, tokens: Sequence[str]) -> bytes:
        """Return the bytes of a line; now and then they are not UTF-8."""
        line = "".join(part for token in tokens for part in (token, self.rng.choice(self.blanks))).encode()
        if self.rng.random() < 0.3:
            line = self.rng.choice(self.blanks).encode() + line.rstrip()
        if self.broken and self.rng.random() < 0.2:
            place = self.rng.choice([0, len(line), self.rng.randint(0, len(line))])
            line = line[:place] + bytes.fromhex(self.rng.choice(self.rng.choice(list(INVALID.values())))) + line[place:]
        return line

    def text(self, lines: Sequence[bytes]) -> Lines:
        """Return lines as they lie in a file, behind one another, or in a buffer with much else."""
        ends = self.rng.choice([[b"\n"], [b"\r\n"], [b""], [b"abc", b"\x80", b" ", b"\xe2", b""]])
        order = list(range(len(lines)))
        if len(ends) > 1:
            self.rng.shuffle(order)
        return lay_out(lines, self.rng.choices(ends, k=len(lines) + 1), order)

    def shard(self) -> Shard:
        """Return a shard: few lines where there are many references."""
        references = self.rng.choices(REFERENCES, [30, 30, 20, 20, 20, 5, 5, 2, 0.3])[0]
        lines = self.rng.choice([0, 1, 2, 3, 4, 6]) if references < 8 and not self.long else 1
        has_source = self.rng.random() < 0.8
        texts = has_source + references + self.rng.choice(SYSTEMS)
        base = [
            self.tokens(SIZES if references < 5 else SIZES[:10] if references < 17 else SIZES[:6]) for _ in range(lines)
        ]
        made = [self.text([self.line(self.edited(tokens)) for tokens in base]) for _ in range(texts)]
        order = self.rng.choice([*range(1, MAX_ORDER + 1), *[4] * 20, 0, -1, MAX_ORDER + 1])
        order = min(order, 3) if self.long else order
        every = KINDS + MERGED_KINDS
        some = tuple(self.rng.sample(every, self.rng.randint(1, len(every))))
        bits = tuple(kind for kind in KINDS if kind not in WITHOUT_OUTPUT)  # short outputs are counted without a trie
        choices = [every, KINDS, bits, MERGED_KINDS, some, (), ("match", "none")]
        kinds = self.rng.choices(choices, [10, 5, 20, 10, 20, 1, 1])
        split = self.rng.choices([*SPLITS, "words"], [20, 6, 6, 6, 4, 4, 8, 8, 8, 1])
        return Shard(made, split[0], references, has_source, order, kinds[0])


def shard_of(seed: int, number: int) -> Shard:
    """Return shard `number` of a seed."""
    return Maker(random.Random(f"{seed}:{number}")).shard()


def check(seed: str, _: Path, tally: Counter[str]) -> str:
    """Compare the kernels on the shard of a seed."""
    python, native = (import_module(f"pipeline.kernel.{name}") for name in ("python", "native"))
    shard = shard_of(*map(int, seed.split(":")))
    tally["shards"] += 1
    differs = compare(shard, python, native)
    return f"{differs} differs: {shard}" if differs else ""


FUZZER = Fuzzer("the compiled kernel and its Python twin on random shards", str, check)
