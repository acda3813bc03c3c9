"""What a run reads: data sets, systems, where their texts are, which lines are scored; a checked
config as a whole.

Also how patterns of paths are matched, and what the command line changes (`--set`) and selects
(`--only`)."""

import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ...errors import ConfigError, Problem, known_names
from ...files.plain_files import OPENERS, small_text
from ...files.remote import Remote, is_remote

if TYPE_CHECKING:
    from .models import ConfigFile
    from .tree import Node

RANGE = re.compile(r"([0-9]{1,15})(?:\s*-\s*([0-9]{1,15}))?")
MAX_BYTES = 100_000_000
"""A file of line numbers may not be longer."""
TEXT_SUFFIXES = frozenset({".txt", ".out", ".hyp", ".sys", ".tok", ".m2", ".errant"})


@dataclass(frozen=True, kw_only=True)
class Column:
    """Texts in the records of a file, or numbers in its columns."""

    kind: str
    """The name of the format, a key of `READERS` in `corpus/formats/`; or "numbers"."""
    path: Path | Remote
    column: str
    """The name or number of the column. Several columns of numbers are joined by +."""
    header: bool = False
    """Whether the first line holds the names of the columns. For numbers: whether the columns were
    named."""
    null: bool = False
    """Whether a record may have no text."""
    decimals: int | None = None
    """Decimals that numbers have at most. None allows any real numbers."""
    key: str = ""
    """The column of the ids by which the records are joined with others. Empty: they are in the
    same order."""
    lenient: bool = False
    """Whether edits of an M2 file that cannot be applied are left out of its text. Otherwise they
    are an error."""

    def joined_by(self, key: str, *, named: bool) -> "Column":
        """Return the column with one of ids. If this has a name, and columns are `named`, the first
        line has names.
        """
        return replace(
            self, key=key, header=self.header or (named and bool(key) and not key.isdecimal())
        )


Input = Path | Remote | Column
"""Where texts are: a file of lines, here or at an address, or a column."""


class TextFormat(NamedTuple):
    """A format of files with a text in each record. A config names such a file as {NAME OF THE
    FORMAT: PATH}.
    """

    texts: Callable[[Path, str, Column], Iterator[object]]
    """Yields the texts, from the path of a file, its name in messages, and what the config says of
    it.

    Records may also hold a list of texts, or none; see `as_text` in `data/formats/records.py`.
    """
    summary: str
    """What such a file holds, for the schema."""
    column: str = ""
    """What the key `column` of a config means; empty where the format has no such key."""
    header: str = ""
    """What the key `header` of a config means; empty where the format has no such key."""
    unit: str = ":"
    """What stands between the name of a file and the number of a text in messages."""
    suffixes: tuple[str, ...] = ()
    """Suffixes of such files, beside the name of the format: of these a column may be named as
    FILE:COLUMN."""


@dataclass(frozen=True)
class Selection:
    """Lines to keep, or to drop."""

    keep: bool
    ranges: tuple[tuple[int, int, str], ...]
    """First line, last line and position of each range. Lines count from 1; the ranges are in order
    and disjoint."""

    def numbers(self, lines: int) -> list[tuple[int, int]]:
        """Return the kept lines of a text as ranges low <= i < high from 0.

        Raises ConfigError for a number beyond the last line, and where no line is left.
        """
        _, last, position = self.ranges[-1]
        if last > lines:
            raise ConfigError(
                [Problem(position, f"line {last} is beyond the end: there are {lines} lines")]
            )
        ranges = [(first - 1, last) for first, last, _ in self.ranges]
        if not self.keep:
            borders = [0, *(border for pair in ranges for border in pair), lines]
            ranges = [
                (low, high)
                for low, high in zip(borders[::2], borders[1::2], strict=True)
                if low < high
            ]
        if not ranges:
            raise ConfigError([Problem(position, "every line is dropped; nothing can be scored")])
        return ranges


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """A data set: a source and references in the order in which they are written, or an M2 file,
    which has both.
    """

    name: str
    source: Input | None
    references: tuple[Input, ...]
    empty_references: Literal["keep", "error", "none"] = "keep"
    m2: Path | Remote | None = None
    """The M2 file from which the references are made, and the source where none is given."""
    gold: tuple[Path | Remote, ...] = ()
    """The M2 files whose edits are what metrics of edits compare with. Each has annotators of its
    own."""
    missing_annotator: Literal["first", "source", "none"] = "first"
    explicit: bool = False
    """Whether the config says what `missing_annotator` is."""
    selection: Selection | None = None
    """The lines that are scored. None stands for all."""
    outputs: Literal["whole", "kept"] = "whole"
    """Whether the files of systems have all lines of the data set, or only those that are kept."""
    replace: Literal["none", "ptb_brackets"] = "none"
    """What is replaced in all texts."""
    bom: tuple[str, ...] | Literal["drop", "keep"] = "drop"
    """Whether a byte order mark at the beginning of a text counts as text; or the systems of whose
    outputs it does."""

    @property
    def annotated(self) -> tuple[Path | Remote, ...]:
        """The M2 files from which the references are made."""
        if self.m2 is None:
            return ()
        return self.gold if self.m2 in self.gold else (self.m2,)


@dataclass(frozen=True)
class System:
    """A system, with its output for each data set that it has one for."""

    name: str
    paths: dict[str, Input]


@dataclass(frozen=True)
class Match:
    """The files that a glob matched, for the user to see."""

    key: str
    """The key of the config that holds the glob."""
    pattern: str
    files: tuple[Path | Remote, ...]


def fill(path: str, dataset: str, system: str) -> str:
    """Return a written path with its placeholders replaced."""
    return path.replace("{dataset}", dataset).replace("{system}", system)


def select_lines(keep: bool, items: Iterable[tuple[str, str]]) -> Selection:
    """Return the selection of written numbers and ranges such as "418" and "1-100".

    Each item is such a text with its position. Raises ConfigError with all problems of the items.
    """
    problems, ranges = [], []
    for text, position in items:
        match = RANGE.fullmatch(text.strip())
        low, high = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not match:
            problems.append(
                Problem(position, f"'{text[:50]}' is no line number or range, such as 418 or 1-100")
            )
        elif low < 1:
            problems.append(Problem(position, f"'{text}': lines are numbered from 1"))
        elif high < low:
            problems.append(Problem(position, f"'{text}' ends before it begins"))
        else:
            ranges.append((low, high, position))
    ranges.sort(key=lambda item: item[:2])
    for (_, last, position), (first, _, second_position) in itertools.pairwise(ranges):
        if first <= last:
            problems.append(
                Problem(second_position, f"line {first} is named twice (also at {position})")
            )
    if problems:
        raise ConfigError(problems)
    return Selection(keep, tuple(ranges))


def read_line_numbers(path: Path) -> list[tuple[str, str]]:
    """Return the lines of a file of numbers and ranges that are not blank, each with its position.

    Raises InputError where it cannot be read, or has none.
    """
    lines = small_text(path, MAX_BYTES).split("\n")
    items = [
        (line.strip(), f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip()
    ]
    if not items:
        raise ConfigError([Problem(str(path), "names no line")])
    return items


@dataclass(frozen=True, kw_only=True)
class Config:
    """A checked config."""

    root: "Node"
    """The whole config as it was written, with the position of everything."""
    datasets: tuple[Dataset, ...]
    systems: tuple[System, ...]
    written: "ConfigFile"
    """All sections as their models read them."""
    sections: tuple[str, ...] = ()
    """The names of those that are sections of extensions."""
    matches: tuple[Match, ...] = ()
    """What globs matched."""
    notes: tuple[str, ...] = ()
    """Warnings about the config itself."""
    places: Mapping[str, tuple[str | int, ...]] = field(default_factory=dict)
    """Where each file is named first."""
    absent: frozenset[Path] = frozenset()
    """Files of fetched data sets that are not here. They have problems already, so nobody need open
    them."""

    def section(self, name: str) -> Any:
        """Return a section of an extension as its model reads it; None if the config has none."""
        return getattr(self.written, name) if name in self.sections else None


def is_glob(text: str) -> bool:
    """Return whether a written path is a pattern. In an address, ? is no wildcard: it begins a
    query.
    """
    return any(character in text for character in ("*[" if is_remote(text) else "*?["))


def glob(base: Path, pattern: str) -> list[Path]:
    """Return the files that match a pattern, in natural order; a file that is called exactly so is
    the only match.
    """
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
    parts = [
        (int(part), "") if part.isdecimal() else (-1, part)
        for part in re.split(r"([0-9]+)", path.name)
    ]
    return [*parts, (-1, path.name)]


def called(path: Path | Remote, pattern: str) -> str:
    """Return the name of a system: the part of the path at {system}, or else the file's name
    without text suffixes.
    """
    before, placeholder, after = pattern.partition("{system}")
    literal = after.partition("*")[0]
    if (
        placeholder
        and not is_glob(before)
        and (after == literal or (literal and not is_glob(literal)))
    ):
        whole = path.as_posix() if isinstance(path, Path) else str(path)
        start = whole.rfind(before) + len(before) if before and before in whole else 0
        end = (
            len(whole) - len(after) if after == literal else whole.rfind(literal)
        )  # such as at the last dot
        return whole[start:end].rpartition("/")[2]
    name = Path(path.name).stem if path.suffix.lower() in OPENERS else path.name
    return Path(name).stem if Path(name).suffix.lower() in TEXT_SUFFIXES else name


@dataclass(frozen=True)
class Overrides:
    """What the command line says about a config."""

    settings: tuple[str, ...] = ()
    """Values of keys, such as "a.b.0=value"."""
    only: tuple[str, ...] = ()
    """Patterns of the names of data sets, systems and metrics."""


NO_OVERRIDES = Overrides()


def overrides_from_values(
    only: str | Sequence[str], settings: Mapping[str, Any] | str | Sequence[str]
) -> Overrides:
    """Return what users of Python say: one pattern or several; settings as {"a.b.0": value} or as
    "a.b.0=value".
    """
    if isinstance(settings, Mapping):
        # JSON is YAML too.
        settings = [
            f"{key}={json.dumps(v, ensure_ascii=False, default=str)}" for key, v in settings.items()
        ]
    each = [
        (settings,) if isinstance(settings, str) else tuple(settings),
        (only,) if isinstance(only, str) else only,
    ]
    return Overrides(*(tuple(map(str, texts)) for texts in each))


def select(
    config: Config,
    metrics: Sequence[tuple[str, ...]],
    patterns: Sequence[str],
    problems: list[Problem],
) -> tuple[Config, Sequence[tuple[str, ...]]]:
    """Return the config with the data sets and systems whose names match, and the metrics whose
    names match.

    `metrics` has the names of each metric: its own, and the one that is printed. If no pattern
    matches a data set, all data sets stay; the same holds for systems and metrics. A pattern that
    matches no name is a problem, and so are patterns that together leave nothing."""
    if not patterns:
        return config, metrics

    def matches(name: str, *patterns: str) -> bool:
        return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)

    names = {
        "data set": [dataset.name for dataset in config.datasets],
        "system": [system.name for system in config.systems],
        "metric": [name for own in metrics for name in own],
    }
    all_names = list(dict.fromkeys(name for kind in names.values() for name in kind))
    for pattern in patterns:
        if not any(matches(name, pattern) for name in all_names):
            message = f"matches no data set, system or metric{known_names(pattern, all_names)}"
            problems.append(Problem(f"--only {pattern}", message))
    kept = {
        kind: {name for name in own if matches(name, *patterns)} or set(own)
        for kind, own in names.items()
    }
    systems = tuple(system for system in config.systems if system.name in kept["system"])
    named = [dataset for dataset in config.datasets if dataset.name in kept["data set"]]
    datasets = tuple(
        dataset for dataset in named if any(dataset.name in system.paths for system in systems)
    )
    systems = tuple(
        system for system in systems if any(dataset.name in system.paths for dataset in datasets)
    )
    if not datasets and not problems:
        message = "no system that matches has an output for a data set that matches"
        problems.append(Problem(f"--only {' '.join(patterns)}", message))
    note = f"only {', '.join(patterns)} of the config: ranks are among those here"
    config = replace(config, datasets=datasets, systems=systems, notes=(*config.notes, note))
    return config, [own for own in metrics if kept["metric"] & set(own)]
