"""What a run reads, as a checked config: data sets, systems, texts and selected lines.

Also how patterns of paths are matched, and what the command line changes (`--set`) and selects
(`--only`).
"""

import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from ...errors import ConfigError, Problem, gathered, known_names
from ...files import OPENERS, Remote, WrittenPath

if TYPE_CHECKING:
    from .models import ConfigFile
    from .tree import Node


RANGE = re.compile(r"([0-9]{1,15})(?:\s*-\s*([0-9]{1,15}))?")
TEXT_SUFFIXES = frozenset(
    {".txt", ".out", ".hyp", ".sys", ".tok", ".m2", ".errant"}
)


@dataclass(frozen=True, kw_only=True)
class Column:
    """Texts in the records of a file."""

    ENCODED: ClassVar[str] = "encoded"
    """The format of lines in another encoding, which is named in place of the column."""

    kind: str
    """The name of the format, a key of TEXT_FORMATS, or ENCODED."""
    path: Path | Remote
    column: str
    """The name or number of the column."""
    header: bool = False
    """Whether the first line holds the names of the columns."""
    null: bool = False
    """Whether a record may have no text."""
    format: "TextFormat | None" = None
    """The format, if no table has it."""
    key: str = ""
    """The column of the ids by which the records are joined with others. Empty: they are in the
    same order."""
    lenient: bool = False
    """Whether edits of an M2 file that cannot be applied are left out of its text. Otherwise they
    are an error."""


Input = Path | Remote | Column
"""Where texts are: a file of lines, here or at an address, or a column."""


class TextFormat(NamedTuple):
    """A format of files with a text in each record, which a config names as {FORMAT: PATH}."""

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
    open: Callable[["Column", Any], Any] | None = None
    """Returns the stored texts of a column, given the Opener, instead of `texts`.

    It is for formats of which several texts, or texts and another input, are read at once."""
    column_named: Callable[[Path | Remote, str, str], str] | None = None
    """Returns the column of FILE:COLUMN on the command line, given the path, what is written, and
    the flag; raises ConfigError."""


class LineRange(NamedTuple):
    """Lines of a text, counted from 1."""

    first: int
    last: int
    position: str
    """Where the range is written, for messages."""


@dataclass(frozen=True)
class Selection:
    """Lines to keep, or to drop."""

    keep: bool
    ranges: tuple[LineRange, ...]
    """The ranges in order; they are disjoint."""

    def numbers(self, lines: int) -> list[tuple[int, int]]:
        """Return the kept lines of a text as ranges low <= i < high from 0.

        Raises ConfigError for a number beyond the last line, and where no line is left.
        """
        final = self.ranges[-1]
        if final.last > lines:
            message = (
                f"line {final.last} is beyond the end: there are {lines} lines"
            )
            raise ConfigError.at(final.position, message)
        written = [
            (line_range.first - 1, line_range.last)
            for line_range in self.ranges
        ]
        if self.keep:
            return written
        others = []
        start = 0
        for low, high in [*written, (lines, lines)]:
            if start < low:
                others.append((start, low))
            start = high
        if not others:
            message = "every line is dropped; nothing can be scored"
            raise ConfigError.at(final.position, message)
        return others

    @classmethod
    def of(cls, keep: bool, items: Iterable[tuple[str, str]]) -> "Selection":
        """Return the selection of written numbers and ranges such as "418" and "1-100".

        Each item is such a text with its position. Raises ConfigError with all problems of the items.
        """
        problems: list[Problem] = []
        ranges: list[LineRange] = []
        for text, position in items:
            with gathered(problems):
                ranges.append(_line_range(text, position))
        ranges.sort(key=lambda line_range: (line_range.first, line_range.last))
        for before, after in itertools.pairwise(ranges):
            if after.first <= before.last:
                message = f"line {after.first} is named twice (also at {before.position})"
                problems.append(Problem(after.position, message))
        if problems:
            raise ConfigError(problems)
        return cls(keep, tuple(ranges))


BRACKETS = {
    b"-lrb-": b"(",
    b"-rrb-": b")",
    b"-lsb-": b"[",
    b"-rsb-": b"]",
    b"-lcb-": b"{",
    b"-rcb-": b"}",
    b"-lcb": b"{",
    b"-rcb": b"}",
}
"""Brackets by the tokens that the Penn Treebank writes for them.

The last two are not in the treebank, but in outputs of systems.
"""


def brackets(text: bytes) -> bytes:
    """Return a text with brackets in place of tokens (between blanks) such as -LRB- or -lrb-."""
    if b"-" not in text:
        return text
    tokens = text.split(b" ")
    return b" ".join(BRACKETS.get(token.lower(), token) for token in tokens)


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
    keys: frozenset[str] = frozenset()
    """The keys that the config has for it."""
    has_unknown_keys: bool = False
    """Whether one of them is unknown, which is a problem already."""
    bom: tuple[str, ...] | Literal["drop", "keep"] = "drop"
    """Whether a byte order mark at the beginning of a text counts as text; or the systems of whose
    outputs it does."""

    @property
    def annotated(self) -> tuple[Path | Remote, ...]:
        """The M2 files from which the references are made."""
        if self.m2 is None:
            return ()
        return self.gold if self.m2 in self.gold else (self.m2,)

    def replaced(self, text: bytes) -> bytes:
        """Return a text with what the config replaces in all texts."""
        return text if self.replace == "none" else brackets(text)


@dataclass(frozen=True)
class System:
    """A system, with its output for each data set that it has one for."""

    name: str
    paths: dict[str, Input]

    @staticmethod
    def name_of(path: Path | Remote, pattern: str) -> str:
        """Return the name of a system: the part of the path at {system}, or else the file's name
        without text suffixes.
        """
        before, placeholder, after = pattern.partition("{system}")
        literal = after.partition("*")[0]
        ends_literally = after == literal or (
            literal and not WrittenPath(literal).is_glob
        )
        if placeholder and not WrittenPath(before).is_glob and ends_literally:
            text = path.as_posix() if isinstance(path, Path) else str(path)
            start = 0
            if before and before in text:
                start = text.rfind(before) + len(before)
            end = text.rfind(literal)  # such as at the last dot
            if after == literal:
                end = len(text) - len(after)
            return text[start:end].rpartition("/")[2]
        name = path.name
        if path.suffix.lower() in OPENERS:
            name = Path(name).stem
        if Path(name).suffix.lower() in TEXT_SUFFIXES:
            name = Path(name).stem
        return name


@dataclass(frozen=True)
class Match:
    """The files that a glob matched, for the user to see."""

    key: str
    """The key of the config that holds the glob."""
    pattern: str
    files: tuple[Path | Remote, ...]


def _line_range(text: str, position: str) -> LineRange:
    """Return the range that a text such as "418" or "1-100" names; raises ConfigError."""
    match = RANGE.fullmatch(text.strip())
    if not match:
        message = (
            f"'{text[:50]}' is no line number or range, such as 418 or 1-100"
        )
        raise ConfigError.at(position, message)
    first = int(match[1])
    last = int(match[2] or match[1])
    if first < 1:
        raise ConfigError.at(position, f"'{text}': lines are numbered from 1")
    if last < first:
        raise ConfigError.at(position, f"'{text}' ends before it begins")
    return LineRange(first, last, position)


@dataclass(frozen=True, kw_only=True)
class Config:
    """A checked config."""

    MAX_NAME: ClassVar[int] = 100
    """Limits the characters in the name of a data set or system."""

    tree: "Node"
    """The config as it was written, with the position of everything."""
    datasets: tuple[Dataset, ...]
    systems: tuple[System, ...]
    plain: dict[str, Any]
    """The same without positions: texts, None, lists and dicts."""
    origin: dict[str, Any]
    """What run.json says about it: its file, or a mapping and the folder of its relative paths."""
    parsed: "ConfigFile"
    """All sections as their models read them."""
    sections: tuple[str, ...] = ()
    """The names of those that are sections of extensions."""
    matches: tuple[Match, ...] = ()
    """What globs matched."""
    notes: tuple[str, ...] = ()
    """Warnings about the config itself."""
    locations: Mapping[str, tuple[str | int, ...]] = field(default_factory=dict)
    """The keys and indices in the config where each file is named first, by its path."""
    missing_files: frozenset[Path | Remote] = frozenset()
    """Missing files of fetched data sets. They have problems already, and are not opened."""

    def section(self, name: str) -> Any:
        """Return a section of an extension as its model reads it; None if the config has none."""
        return getattr(self.parsed, name) if name in self.sections else None

    def problem(self, message: str, location: Sequence[str | int]) -> Problem:
        """Return a problem with a value of the config, with its position."""
        return self.tree.problem(message, location)

    def placed(self, problems: Iterable[Problem]) -> list[Problem]:
        """Return problems with the positions of those that have a location in the config.

        The position of a missing file is where the config names it first.
        """
        placed = []
        for problem in problems:
            location = problem.location
            message = problem.message
            if message.startswith("no such file"):
                location = self.locations.get(problem.position)
                message = str(problem)
            if location is None:
                placed.append(problem)
            else:
                placed.append(
                    self.tree.problem(message, location, problem.kind)
                )
        return placed

    def refuse(self, problems: Iterable[Problem]) -> None:
        """Raise ConfigError with each problem once, and its position, if there are any."""
        placed = dict.fromkeys(self.placed(problems))
        if placed:
            raise ConfigError(placed)

    def folder(self, location: Iterable[str | int]) -> Path:
        """Return the folder that relative paths of a value start from."""
        return self.tree.find(location).folder

    def select(
        self,
        metrics: Sequence[tuple[str, ...]],
        patterns: Sequence[str],
        problems: list[Problem],
    ) -> tuple["Config", Sequence[tuple[str, ...]]]:
        """Return this config with the data sets and systems whose names match, and the metrics whose
        names match.

        `metrics` has the names of each metric: its own, and the one that is printed. If no pattern
        matches a data set, all data sets stay; the same holds for systems and metrics. A pattern that
        matches no name is a problem, and so are patterns that together leave nothing.
        """
        if not patterns:
            return self, metrics
        dataset_names = [dataset.name for dataset in self.datasets]
        system_names = [system.name for system in self.systems]
        metric_names = list(itertools.chain.from_iterable(metrics))
        all_names = list(
            dict.fromkeys([*dataset_names, *system_names, *metric_names])
        )
        for pattern in patterns:
            if not _matching(all_names, [pattern]):
                message = f"matches no data set, system or metric{known_names(pattern, all_names)}"
                problems.append(Problem(f"--only {pattern}", message))

        selected_datasets = _matching(dataset_names, patterns) or set(
            dataset_names
        )
        selected_systems = _matching(system_names, patterns) or set(
            system_names
        )
        selected_metrics = _matching(metric_names, patterns) or set(
            metric_names
        )
        systems = [
            system for system in self.systems if system.name in selected_systems
        ]
        datasets = []
        for dataset in self.datasets:
            has_output = any(dataset.name in system.paths for system in systems)
            if dataset.name in selected_datasets and has_output:
                datasets.append(dataset)
        remaining = {dataset.name for dataset in datasets}
        systems = [
            system for system in systems if remaining & system.paths.keys()
        ]
        if not datasets and not problems:
            message = "no system that matches has an output for a data set that matches"
            problems.append(Problem(f"--only {' '.join(patterns)}", message))
        note = f"only {', '.join(patterns)} of the config: ranks are among those here"
        config = replace(
            self,
            datasets=tuple(datasets),
            systems=tuple(systems),
            notes=(*self.notes, note),
        )
        return config, [
            names for names in metrics if selected_metrics & set(names)
        ]


def _matching(names: Iterable[str], patterns: Sequence[str]) -> set[str]:
    """Return the names that are, or match, one of some patterns."""
    matching = set()
    for name in names:
        if any(
            name == pattern or fnmatchcase(name, pattern)
            for pattern in patterns
        ):
            matching.add(name)
    return matching


@dataclass(frozen=True)
class Overrides:
    """What the command line says about a config."""

    NONE: ClassVar["Overrides"]
    """No change."""

    settings: tuple[str, ...] = ()
    """Values of keys, such as "a.b.0=value"."""
    only: tuple[str, ...] = ()
    """Patterns of the names of data sets, systems and metrics."""

    @classmethod
    def from_values(
        cls,
        only: str | Sequence[str],
        settings: Mapping[str, Any] | str | Sequence[str],
    ) -> "Overrides":
        """Return what users of Python say: one pattern or several; settings as {"a.b.0": value} or as
        "a.b.0=value".
        """
        if isinstance(settings, Mapping):
            texts = []
            for key, value in settings.items():
                # JSON is YAML too.
                texts.append(
                    f"{key}={json.dumps(value, ensure_ascii=False, default=str)}"
                )
            settings = texts
        elif isinstance(settings, str):
            settings = [settings]
        if isinstance(only, str):
            only = [only]
        return cls(tuple(map(str, settings)), tuple(map(str, only)))


Overrides.NONE = Overrides()
