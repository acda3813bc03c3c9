"""Compressed files by suffix: each is read in bounded pieces; damage and an early end are errors."""

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
MAX_WINDOW = 1 << 27
"""Bytes that a file may ask an unpacker to keep in memory; `xz -9` asks for half of it, and zstd has the same limit."""
ZSTD_PIECE = 1 << 12
"""Zstandard may grow 32,000 times, and the package gives at once all that a piece holds."""


class PackedError(Exception):
    """A compressed file that cannot be unpacked; the message says why."""


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
    """Return an unpacker of streams, one after the other; unlike the standard library's it takes nothing else."""

    def unpack(packed: BinaryIO) -> Iterator[bytes]:
        unpacker, whole = new(), True
        data = packed.read(PIECE)
        if not data:
            raise PackedError(f"is empty; expected {kind} data")
        try:
            while data or not unpacker.needs_input:
                whole = False
                piece = unpacker.decompress(data, PIECE)
                if piece:
                    yield piece
                data = b""
                if unpacker.eof:
                    data = unpacker.unused_data or packed.read(PIECE)
                    if kind == "xz" and not data.strip(b"\0"):  # the format allows such padding
                        data = packed.read(PIECE)
                    unpacker, whole = new(), True
                elif unpacker.needs_input:
                    data = packed.read(PIECE)
        except (lzma.LZMAError, OSError, ValueError) as error:
            raise PackedError(f"is no {kind} file, or damaged ({error})") from None
        if not whole:
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
"""How files begin that are no text."""


def looks_like(start: bytes) -> str:
    """Return a hint for a file that is not valid UTF-8, "" where its beginning says nothing."""
    return next((f"; the file looks like {kind}" for magic, kind in MAGIC.items() if start.startswith(magic)), "")
