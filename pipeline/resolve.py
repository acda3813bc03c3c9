"""From the written data sets and systems to files: paths, globs, the layout of gec-datasets, names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from . import remote
from .errors import ConfigError, CorpusError, Problem, did_you_mean
from .inputs import STDIN, Column, Dataset, Input, Match, System, fill
from .models import KINDS, WrittenDataset, WrittenJsonl, WrittenParquet, WrittenTsv
from .node import base_of
from .remote import Remote, is_remote, locate
from .selection import read_numbers, select

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .models import WrittenConfig
    from .node import Node
from .selection import Selection

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
MAX_NAME = 100
TEXT_SUFFIXES = frozenset({".txt", ".out", ".hyp", ".sys", ".tok"})
PACKED_SUFFIXES = frozenset({".gz", ".bz2", ".xz", ".zst"})
Location = tuple[str | int, ...]


class Resolver:
    """Turns what is written into files; collects problems and what globs matched."""

    def __init__(self, root: Node, written: WrittenConfig, problems: list[Problem]) -> None:
        self.root, self.written, self.problems = root, written, problems
        self.matches: list[Match] = []
        self.notes: list[str] = []

    def problem(self, message: str, location: Location) -> None:
        """Add a problem at a place of the config."""
        self.problems.append(self.root.problem(message, location))

    def datasets(self) -> tuple[Dataset, ...]:
        """Return the data sets; those that are wrong have added problems."""
        _check_names(list(self.written.datasets), self.root, "datasets", self.problems)
        for name in set(KINDS) & set(self.written.datasets):
            self.problem(f"'{name}' names a kind of file, so no data set can be called so", ("datasets", name))
        return tuple(self.dataset(name, d) for name, d in self.written.datasets.items())

    def dataset(self, name: str, d: WrittenDataset) -> Dataset:
        """Return a data set."""
        at: Location = ("datasets", name)
        self.check_keys(d, at)
        empty: Literal["keep", "error", "none"] = "none" if d.missing_annotator == "none" else d.empty_references
        m2: Path | Remote | None = None
        source, references = None, list[Input]()
        if d.path is not None:
            source, references, m2 = self.folder(d, name, (*at, "path"))
        if d.m2 is not None:
            m2 = self.path(d.m2, (*at, "m2"), name)
        if d.source is not None:
            source = self.input(d.source, (*at, "source"), name)
        for index, reference in enumerate(d.references):
            references += self.reference(reference, (*at, "references", index), name, null=empty == "none")
        lines = self.selection(d, name)
        explicit = "missing_annotator" in d.model_fields_set
        return Dataset(name, source, tuple(references), empty, m2, d.missing_annotator, explicit, lines)

    def check_keys(self, d: WrittenDataset, at: Location) -> None:
        """Tell of keys that are missing, or that another makes idle."""
        given = d.model_fields_set
        for one, two in (("m2", "references"), ("path", "source"), ("path", "references"), ("path", "m2")):
            if one in given and two in given:
                self.problem(f"has no effect beside '{one}', which names it; leave one out", (*at, two))
        if not given & {"references", "m2", "path"}:
            self.problem("the key 'references' is missing", at)
        if "missing_annotator" in given and not given & {"m2", "path"}:
            self.problem("has no effect without m2; leave it out", (*at, "missing_annotator"))
        if d.missing_annotator == "none" and "empty_references" in given and d.empty_references != "none":
            self.problem("missing_annotator: none needs `empty_references: none`", (*at, "empty_references"))

    def path(self, text: str, location: Location, dataset: str, system: str = "{system}") -> Path | Remote:
        """Return the path or address that text stands for."""
        if text == "-":
            return STDIN
        return locate(base_of(self.root.find(location)), fill(text, dataset, system))

    def glob(self, pattern: str, location: Location) -> list[Path | Remote]:
        """Return the files that match a pattern, here or at an address, in natural order."""
        if not is_remote(pattern):
            return [*glob(base_of(self.root.find(location)), pattern)]
        try:
            found = remote.glob(Remote(pattern))
        except CorpusError as error:
            self.problems += [self.root.problem(str(problem), location) for problem in error.problems]
            return []
        return sorted(found, key=lambda file: [natural(Path(part)) for part in file.parts])

    def here(self, text: str, location: Location, name: str) -> Path | None:
        """Return the path that text stands for; None for an address, which adds a problem."""
        path = self.path(text, location, name)
        if isinstance(path, Remote):
            self.problem(f"'{path}' is an address; only source, references, m2 and outputs may be one", location)
            return None
        return path

    def input(self, written: object, location: Location, dataset: str, system: str = "{system}") -> Input:
        """Return a path or column as it is used: absolute, or against the working directory."""
        if isinstance(written, WrittenJsonl):
            return Column("jsonl", self.path(written.jsonl, (*location, "jsonl"), dataset, system), written.column)
        if isinstance(written, WrittenParquet):
            path = self.path(written.parquet, (*location, "parquet"), dataset, system)
            return Column("parquet", path, written.column)
        if isinstance(written, WrittenTsv):
            number = bool(re.fullmatch(r"[1-9][0-9]{0,5}", written.column))
            if not number and written.header is False:
                self.problem("without a header the column must be a number, from 1", (*location, "header"))
            header = not number if written.header is None else written.header
            path = self.path(written.tsv, (*location, "tsv"), dataset, system)
            return Column("tsv", path, written.column, header)
        return self.path(str(written), location, dataset, system)

    def reference(self, written: object, location: Location, dataset: str, *, null: bool) -> list[Input]:
        """Return the references of one entry: several, where it is a glob."""
        found = self.input(written, location, dataset)
        if isinstance(found, Column):
            return [Column(found.kind, found.path, found.column, found.header, null)]
        if not isinstance(written, str) or not is_glob(written) or _exists(found):
            return [found]
        pattern = fill(written, dataset, "{system}")
        before = len(self.problems)
        files = self.glob(pattern, location)
        if not files and len(self.problems) == before:
            self.problem(f"no file matches '{_shown(pattern)}'", location)
        self.matches.append(Match(self.root.find(location).path, pattern, tuple(files)))
        return list(files)

    def folder(self, d: WrittenDataset, name: str, location: Location) -> tuple[Input | None, list[Input], Path | None]:
        """Return source, references and M2 file of a folder that is laid out as gec-datasets has them."""
        folder = self.here(str(d.path), location, name)
        if folder is None:
            return None, [], None
        if not folder.is_dir():
            names = [p.name for p in folder.parent.iterdir() if p.is_dir()] if folder.parent.is_dir() else []
            self.problem(f"no folder {folder}{did_you_mean(folder.name, names)}", location)
            return None, [], None
        references: list[Input] = list(glob(folder, "ref[0-9]*.txt"))
        m2 = glob(folder, "*.m2")
        source = folder / "src.txt"
        numbers = [path.name for path in references if isinstance(path, Path)]
        if numbers != [f"ref{number}.txt" for number in range(len(numbers))]:
            self.problem(f"expected ref0.txt, ref1.txt ... without gaps, found {', '.join(numbers)}", location)
        if references:
            self.matches.append(Match(self.root.find(location).path, "ref*.txt", tuple(folder / n for n in numbers)))
            return source, references, None
        if len(m2) != 1:
            found = f", or one .m2 file; found {len(m2)} of those"
            self.problem(f"{folder} has no ref0.txt, ref1.txt ...{found}", location)
            return source, [], None
        self.matches.append(Match(self.root.find(location).path, "*.m2", tuple(m2)))
        return source if source.exists() else None, [], m2[0]

    def selection(self, d: WrittenDataset, name: str) -> Selection | None:
        """Return the lines to keep or drop; None: all."""
        given = [key for key in ("keep", "drop") if getattr(d, key) is not None]
        if len(given) == 2:
            self.problem("give keep or drop, not both", ("datasets", name, "drop"))
        if len(given) != 1:
            return None
        location: Location = ("datasets", name, given[0])
        node = self.root.find(location)
        try:
            if isinstance(node.value, list):
                items = [(str(child.value), f"{child.mark}: {child.path}") for child in node.value]
            elif re.fullmatch(r"[0-9]+( *- *[0-9]+)?", str(node.value)):
                items = [(str(node.value), f"{node.mark}: {node.path}")]
            else:
                path = self.here(str(node.value), location, name)
                items = read_numbers(path) if path else []
            return select(given[0] == "keep", items)
        except ConfigError as error:
            self.problems += error.problems
            return None

    def systems(self) -> tuple[System, ...]:
        """Return the systems; those that are wrong have added problems."""
        names = list(self.written.datasets)
        if isinstance(self.written.systems, list):
            found = self.globbed(self.written.systems, names)
        else:
            found = tuple(self.system(name, value, names) for name, value in self.written.systems.items())
        _check_names([system.name for system in found], self.root, "systems", self.problems)
        return found

    def system(self, name: str, value: object, datasets: list[str]) -> System:
        """Return a system: the same path everywhere, or one for each data set that it names."""
        at: Location = ("systems", name)
        if not isinstance(value, dict):
            return System(name, {d: self.output(value, at, d, name) for d in datasets})
        for unknown in (d for d in value if d not in datasets):
            self.problem(f"no data set of this name{did_you_mean(unknown, [*datasets, *KINDS])}", (*at, unknown))
        if not value:
            self.problem("names no output", at)
        return System(name, {d: self.output(v, (*at, d), d, name) for d, v in value.items() if d in datasets})

    def output(self, value: object, location: Location, dataset: str, system: str) -> Input:
        """Return a system's output; a glob must match one file."""
        found = self.input(value, location, dataset, system)
        if not isinstance(value, str) or isinstance(found, Column) or not is_glob(value) or _exists(found):
            return found
        pattern = fill(value, dataset, system)
        before = len(self.problems)
        files = self.glob(pattern, location)
        if len(files) != 1:
            listed = f"{len(files)} files match" if files else "no file matches"
            if len(self.problems) == before:
                self.problem(f"{listed} '{_shown(pattern)}'" + ("; a system has one" if files else ""), location)
            return found
        self.matches.append(Match(self.root.find(location).path, pattern, tuple(files)))
        return files[0]

    def globbed(self, globs: list[str], datasets: list[str]) -> tuple[System, ...]:
        """Find the systems that globs name: one for each file, called as the file is, without a text suffix."""
        found: dict[str, dict[str, Input]] = {}
        for index, pattern in enumerate(globs):
            matched: dict[Path | Remote, None] = {}
            before = len(self.problems)
            for dataset in datasets:
                filled = fill(pattern, dataset, "*")
                files = [STDIN] if pattern == "-" else self.glob(filled, ("systems", index))
                for path in files:
                    name = _called(path, fill(pattern, dataset, "{system}"))
                    if found.setdefault(name, {}).setdefault(dataset, path) != path:
                        twin = found[name][dataset]
                        message = f"two files would both be the system '{name}': {twin} and {path}"
                        self.problem(message, ("systems", index))
                matched |= dict.fromkeys(files)
            if not matched and len(self.problems) == before:
                self.problem(f"no file matches '{_shown(pattern)}'", ("systems", index))
            self.matches.append(Match(f"systems[{index}]", pattern, tuple(matched)))
        for name, paths in found.items():
            self.notes += [f"{d}: no output of system {name} matches" for d in datasets if d not in paths]
        return tuple(System(name, paths) for name, paths in found.items())


def is_glob(text: str) -> bool:
    """Whether a written path is a pattern; in an address ? begins what a server is asked."""
    return any(character in text for character in ("*[" if is_remote(text) else "*?["))


def _shown(pattern: str) -> str:
    return str(Remote(pattern)) if is_remote(pattern) else pattern


def _exists(path: Path | Remote) -> bool:
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


def _called(path: Path | Remote, pattern: str) -> str:
    """Return the name of a system: what {system} stands for, or else that of its file without suffixes."""
    before, found, after = pattern.partition("{system}")
    if found and not is_glob(before + after):
        whole = path.as_posix()
        start = whole.rfind(before) + len(before) if before and before in whole else 0
        return whole[start : len(whole) - len(after)].rpartition("/")[2]
    name = path.stem if path.suffix.lower() in PACKED_SUFFIXES else path.name
    return Path(name).stem if Path(name).suffix.lower() in TEXT_SUFFIXES else name


def _check_names(names: Sequence[str], root: Node, section: str, problems: list[Problem]) -> None:
    """Names become file names: letters that are safe everywhere, and no two that differ in case only."""
    seen: dict[str, str] = {}
    for name in names:
        twin = seen.setdefault(name.lower(), name)
        if twin != name:
            problems.append(root.problem(f"differs from '{twin}' in upper and lower case only", (section, name)))
        if not NAME.fullmatch(name) or len(name) > MAX_NAME:
            message = f"'{name}' cannot be a name: letters, digits and . _ + - only, a letter or digit first"
            problems.append(root.problem(message, (section, name)))
