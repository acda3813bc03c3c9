"""What is read of files: digests of several streams as hashlib has them, and line ends, in every width of vectors."""

from __future__ import annotations

import hashlib
import random
from importlib import import_module

import pytest

from pipeline.corpus.spans import line_ends

digests = pytest.importorskip("pipeline.kernel.native.digests", reason="the compiled kernel was not built")
SIZES = [0, 1, 5, 127, 128, 129, 255, 256, 257, 1000, 3000]
"""Bytes of a piece: the edges of blocks of 128 bytes."""


@pytest.mark.parametrize("bits", digests.WIDTHS)
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 9])
def test_digests_are_those_of_hashlib(bits: int, count: int) -> None:
    rng = random.Random(f"{bits}:{count}")
    streams = digests.Digests(count, bits)
    for _ in range(12):
        expected = [hashlib.blake2b(digest_size=16) for _ in range(count)]
        for _ in range(rng.randrange(6)):
            pieces = [rng.randbytes(rng.choice(SIZES)) for _ in range(count)]
            streams.update(pieces)
            for own, piece in zip(expected, pieces, strict=True):
                own.update(piece)
        for number, own in enumerate(expected):
            assert streams.digest(number) == own.hexdigest()
            streams.begin(number)


def test_what_does_not_fit_is_refused() -> None:
    streams = digests.Digests(2)
    with pytest.raises(ValueError, match="pieces: expected 2, found 1"):
        streams.update([b"a"])
    for call in (streams.digest, streams.begin):
        with pytest.raises(IndexError):
            call(2)
    with pytest.raises(ValueError, match="bits: expected one of"):
        digests.Digests(1, 100)
    with pytest.raises(ValueError, match="count: expected 0 to 64"):
        digests.Digests(65)
    with pytest.raises(ValueError, match="survey: expected bytes"):
        import_module("pipeline.kernel.native.scan").survey(b"", 10, 0, 1)


@pytest.mark.parametrize("separator", [b"\n", b"\xff"])
def test_line_ends_are_those_of_numpy(separator: bytes) -> None:
    compiled = import_module("pipeline.kernel.native.scan").line_ends
    rng = random.Random(1)
    for size in [*range(6), 62, 63, 64, 65, 127, 128, 129, 500]:
        for often in (1, 9):
            data = b"".join(rng.choice([separator, *[b"x"] * often]) for _ in range(size))
            for bits in import_module("pipeline.kernel.native.encode").WIDTHS:
                assert compiled(data, separator[0], bits).tolist() == line_ends(data, separator[0]).tolist()
