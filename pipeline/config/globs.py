"""Patterns of paths: what they match, in which order, and what the systems that they find are called."""

from __future__ import annotations

import re
from pathlib import Path

from ..io.remote import Remote, is_remote

TEXT_SUFFIXES = frozenset({".txt", ".out", ".hyp", ".sys", ".tok"})
PACKED_SUFFIXES = frozenset({".gz", ".bz2", ".xz", ".zst"})


def is_glob(text: str) -> bool:
    """Whether a written path is a pattern; in an address ? begins what a server is asked."""
    return any(character in text for character in ("*[" if is_remote(text) else "*?["))


def exists(path: Path | Remote) -> bool:
    """Whether there is such a file; False also where that cannot be known."""
    if isinstance(path, Remote):
        return False
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def glob(base: Path, pattern: str) -> list[Path]:
    """Return the files that match a pattern (or are called exactly so), in natural order."""
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
    """Return a sort key by which system2 comes before system10; different names have different keys."""
    parts = [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]+)", path.name)]
    return [*parts, (-1, path.name)]


def called(path: Path | Remote, pattern: str) -> str:
    """Return the name of a system: what {system} stands for, or else that of its file without suffixes."""
    before, found, after = pattern.partition("{system}")
    if found and not is_glob(before + after):
        whole = path.as_posix()
        start = whole.rfind(before) + len(before) if before and before in whole else 0
        return whole[start : len(whole) - len(after)].rpartition("/")[2]
    name = path.stem if path.suffix.lower() in PACKED_SUFFIXES else path.name
    return Path(name).stem if Path(name).suffix.lower() in TEXT_SUFFIXES else name
