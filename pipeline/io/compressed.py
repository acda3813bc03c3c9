"""Readers of compressed files, by suffix. Each reads in pieces of bounded size; damage and an early end are errors."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

PIECE = 1 << 20
"""Bytes that are read and unpacked at once."""
MAX_WINDOW = 1 << 27
"""Bytes of memory that a file may ask of an unpacker: twice what `xz -9` asks for, and the limit of zstd."""
ZSTD_PIECE = 1 << 12
"""Bytes of zstd data that are read at once; fewer, since they may unpack to 32,000 times as many."""


class PackedError(Exception):
    """A compressed file cannot be unpacked; the message says why."""


def _unpack_gzip(packed: BinaryIO) -> Iterator[bytes]:
    try:
        with gzip.GzipFile(fileobj=packed, mode="rb") as file:
            while piece := file.read(PIECE):
                yield piece
    except EOFError:
        raise PackedError("is cut short: the gzip data ends before its end mark") from None
    except (zlib.error, OSError) as error:
        raise PackedError(f"is no gzip file, or damaged ({error})") from None


def _streams(kind: str, new: Callable[[], Any]) -> Callable[[BinaryIO], Iterator[bytes]]:
    """Return an unpacker of files that hold one stream after the other.

    Unlike the standard library's, it refuses other bytes after a stream.
    """

    def unpack(packed: BinaryIO) -> Iterator[bytes]:
        unpacker, complete = new(), True
        data = packed.read(PIECE)
        if not data:
            raise PackedError(f"is empty; expected {kind} data")
        try:
            while data or not unpacker.needs_input:
                complete = False
                piece = unpacker.decompress(data, PIECE)
                if piece:
                    yield piece
                data = b""
                if unpacker.eof:
                    data = unpacker.unused_data or packed.read(PIECE)
                    if kind == "xz" and not data.strip(b"\0"):  # the format allows such padding
                        data = packed.read(PIECE)
                    unpacker, complete = new(), True
                elif unpacker.needs_input:
                    data = packed.read(PIECE)
        except (lzma.LZMAError, OSError, ValueError) as error:
            raise PackedError(f"is no {kind} file, or damaged ({error})") from None
        if not complete:
            raise PackedError(f"is cut short: the {kind} data ends before its end mark")

    return unpack


def _zstd(packed: BinaryIO) -> Iterator[bytes]:
    try:
        from compression.zstd import ZstdDecompressor, ZstdError  # type: ignore[import-not-found]  # Python 3.14
    except ImportError:
        yield from _zstandard(packed)
        return
    try:
        yield from _streams("zstd", ZstdDecompressor)(packed)
    except ZstdError as error:
        raise PackedError(f"is no zstd file, or damaged ({error})") from None


def _zstandard(packed: BinaryIO) -> Iterator[bytes]:
    try:
        import zstandard
    except ImportError:
        raise PackedError("needs the package zstandard: pip install 'gec-pipeline[zstd]'") from None
    unpacker, begun = None, False
    try:
        while data := packed.read(ZSTD_PIECE):
            while data:
                if unpacker is None:
                    unpacker, begun = zstandard.ZstdDecompressor().decompressobj(), True
                piece = unpacker.decompress(data)
                if piece:
                    yield piece
                data = unpacker.unused_data if unpacker.eof else b""
                unpacker = None if unpacker.eof else unpacker
    except zstandard.ZstdError as error:
        raise PackedError(f"is no zstd file, or damaged ({error})") from None
    if unpacker is not None or not begun:
        raise PackedError("is cut short: the zstd data ends before its end mark")


OPENERS: dict[str, Callable[[BinaryIO], Iterator[bytes]]] = {
    ".gz": _unpack_gzip,
    ".bz2": _streams("bzip2", bz2.BZ2Decompressor),
    ".xz": _streams("xz", lambda: lzma.LZMADecompressor(memlimit=MAX_WINDOW)),
    ".zst": _zstd,
}
"""Unpackers by suffix: each takes an open file, and yields its bytes in pieces or raises PackedError."""

MAGIC = {
    b"\x1f\x8b": "gzip data; name it .gz",
    b"BZh": "bzip2 data; name it .bz2",
    b"\xfd7zXZ\x00": "xz data; name it .xz",
    b"\x28\xb5\x2f\xfd": "zstd data; name it .zst",
    b"PAR1": "a Parquet file; write {parquet: FILE, column: NAME}",
    b"PK\x03\x04": "a ZIP archive, which is not read",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
}
"""The first bytes of files that are no UTF-8 text, and what messages say of such a file."""


def looks_like(start: bytes) -> str:
    """Return a hint for a file that is not valid UTF-8, or "" where its first bytes are of no known kind."""
    return next((f"; the file looks like {kind}" for magic, kind in MAGIC.items() if start.startswith(magic)), "")
