"""Patterns of paths: the files that they match, in which order, and the names of the systems that they find."""

from __future__ import annotations

import re
from pathlib import Path

from ..io.remote import Remote, is_remote
from ..io.written_paths import is_there

TEXT_SUFFIXES = frozenset({".txt", ".out", ".hyp", ".sys", ".tok", ".m2", ".errant"})
PACKED_SUFFIXES = frozenset({".gz", ".bz2", ".xz", ".zst"})


def is_glob(text: str) -> bool:
    """Return whether a written path is a pattern. In an address, ? is no wildcard: it begins a query."""
    return any(character in text for character in ("*[" if is_remote(text) else "*?["))


def exists(path: Path | Remote) -> bool:
    """Return whether there is such a file; False also where that cannot be known, as of an address."""
    return not isinstance(path, Remote) and is_there(path)


def glob(base: Path, pattern: str) -> list[Path]:
    """Return the files that match a pattern, in natural order; a file that is called exactly so is the only match."""
    try:
        literal = base / pattern
        if literal.exists() and not literal.is_dir():
            return [literal]
        anchor = Path(pattern).anchor
        start, rest = (Path(anchor), pattern[len(anchor) :]) if anchor else (base, pattern)
        files = [path for path in start.glob(rest) if path.is_file()]
    except (OSError, ValueError, IndexError, NotImplementedError, re.error):
        return []
    return sorted(files, key=lambda path: [natural(Path(part)) for part in path.parts])


def natural(path: Path) -> list[tuple[int, str]]:
    """Return a sort key that puts system2 before system10. Different names have different keys."""
    parts = [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]+)", path.name)]
    return [*parts, (-1, path.name)]


def called(path: Path | Remote, pattern: str) -> str:
    """Return the name of a system: the part of the path at {system}, or else the file's name without text suffixes."""
    before, placeholder, after = pattern.partition("{system}")
    if placeholder and not is_glob(before + after):
        whole = path.as_posix()
        start = whole.rfind(before) + len(before) if before and before in whole else 0
        return whole[start : len(whole) - len(after)].rpartition("/")[2]
    name = path.stem if path.suffix.lower() in PACKED_SUFFIXES else path.name
    return Path(name).stem if Path(name).suffix.lower() in TEXT_SUFFIXES else name
