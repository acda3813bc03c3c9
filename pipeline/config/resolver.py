"""From the written data sets and systems to files: paths, globs, the layout of gec-datasets, names."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..errors import ConfigError, CorpusError, DataError, Problem, did_you_mean
from ..io import remote
from ..io.catalogue import PREFIX, Scorable, is_data, named_in, named_one, scorable
from ..io.dataset_cache import cache_path, locate_all
from ..io.remote import Remote, is_remote, locate
from .globs import called, exists, glob, is_glob, natural
from .line_numbers import read_numbers, select
from .models import OFFICIAL, WrittenDataset
from .resolved import STDIN, Column, Dataset, Input, Match, System, fill
from .tree import base_of
from .values import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ..io.catalogue import DataFile
    from .line_numbers import Selection
    from .models import WrittenConfig
    from .tree import Node
    from .values import Declared

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
MAX_NAME = 100
Location = tuple[str | int, ...]


class Resolver:
    """Turns what is written into files; collects problems and what globs matched."""

    def __init__(
        self, root: Node, written: WrittenConfig, problems: list[Problem], formats: Mapping[str, Declared]
    ) -> None:
        self.root, self.written, self.problems, self.formats = root, written, problems, formats
        self.matches: list[Match] = []
        self.notes: list[str] = []
        self.absent: set[Path] = set()
        self.wholes: dict[str, Scorable] = {}

    def problem(self, message: str, location: Location) -> None:
        """Add a problem at a place of the config."""
        self.problems.append(self.root.problem(message, location))

    def datasets(self) -> tuple[Dataset, ...]:
        """Return the data sets; those that are wrong have added problems."""
        _check_names(list(self.written.datasets), self.root, "datasets", self.problems)
        for name in set(self.formats) & set(self.written.datasets):
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
        if d.data is not None:
            source, references = self.whole(d.data, name)
        if d.m2 is not None:
            m2 = self.path(d.m2, (*at, "m2"), name)
        if d.source is not None:
            source = self.input(d.source, (*at, "source"), name)
        for index, reference in enumerate(d.references):
            references += self.reference(reference, (*at, "references", index), name, null=empty == "none")
        lines = self.selection(d, name)
        if d.outputs == "kept" and lines is None:
            self.problem("has no effect without keep or drop; leave it out", (*at, "outputs"))
        return Dataset(
            name=name,
            source=source,
            references=tuple(references),
            empty_references=empty,
            m2=m2,
            missing_annotator=d.missing_annotator,
            explicit="missing_annotator" in d.model_fields_set,
            selection=lines,
            outputs=d.outputs,
            replace=d.replace,
        )

    def check_keys(self, d: WrittenDataset, at: Location) -> None:
        """Tell of keys that are missing, or that another makes idle."""
        given = d.model_fields_set
        others = {"m2": ["references"], "path": ["source", "references", "m2"]}
        others["data"] = ["source", "references", "m2", "path"]
        for one, two in ((one, two) for one, names in others.items() for two in names):
            if one in given and two in given:
                self.problem(f"has no effect beside '{one}', which names it; leave one out", (*at, two))
        if not given & {"references", "m2", "path", "data"}:
            self.problem("the key 'references' is missing", at)
        if "missing_annotator" in given and not given & {"m2", "path"}:
            self.problem("has no effect without m2; leave it out", (*at, "missing_annotator"))
        if d.missing_annotator == "none" and "empty_references" in given and d.empty_references != "none":
            self.problem("missing_annotator: none needs `empty_references: none`", (*at, "empty_references"))

    def path(self, text: str, location: Location, dataset: str, system: str = "{system}") -> Path | Remote:
        """Return the path or address that text stands for."""
        if text == "-":
            return STDIN
        text = fill(text, dataset, system)
        if not is_data(text) or is_glob(text):
            return locate(base_of(self.root.find(location)), text)
        files = self.located(lambda: [named_one(text)], location)
        return files[0] if files else self.never(text)

    def never(self, text: str) -> Path:
        """Return a path that stands for what cannot be had; it is not opened, since its problem is told already."""
        self.absent.add(Path(text))
        return Path(text)

    def located(self, wanted: Callable[[], Iterable[DataFile]], location: Location) -> list[Path]:
        """Return paths of files of data sets; where some are not here, or there are none such, adds a problem."""
        files: list[DataFile] = []
        try:
            files = list(wanted())
            locate_all(files)
        except DataError as error:
            for problem in error.problems:
                self.problem(problem.message, location)
            self.absent |= {cache_path(file) for file in files}
        return [cache_path(file) for file in files]

    def here(self, text: str, location: Location, name: str) -> Path | None:
        """Return the path that text stands for; None for an address, which adds a problem, and for what is absent."""
        path = self.path(text, location, name)
        if isinstance(path, Remote):
            self.problem(f"'{path}' is an address; only source, references, m2 and outputs may be one", location)
        return None if isinstance(path, Remote) or path in self.absent else path

    def glob(self, pattern: str, location: Location) -> list[Path | Remote]:
        """Return the files that a pattern matches, of a data set, at an address or on this computer."""
        if is_remote(pattern):
            return self.listed(Remote(pattern), location)
        return [*self.matching(pattern, location)]

    def listed(self, pattern: Remote, location: Location) -> list[Path | Remote]:
        """Return the files that match an address, in natural order; adds a problem where there are none."""
        try:
            found = remote.glob(pattern)
        except CorpusError as error:
            self.problems += [self.root.problem(str(problem), location) for problem in error.problems]
            return []
        if not found:
            self.problem(f"no file matches '{pattern}'", location)
        return sorted(found, key=lambda file: [natural(Path(part)) for part in file.parts])

    def matching(self, pattern: str, location: Location) -> list[Path]:
        """Return the files that a pattern matches, of a data set or on this computer."""
        if not is_data(pattern):
            return glob(base_of(self.root.find(location)), pattern)
        try:
            files = named_in(pattern)
        except DataError:
            return []
        return self.located(lambda: files, location)

    def unmatched(self, pattern: str, location: Location) -> None:
        """Add the problem of a pattern that matches no file; of an address it is told already."""
        if is_data(pattern):
            self.located(lambda: named_in(pattern), location)
        elif not is_remote(pattern):
            self.problem(f"no file matches '{pattern}'", location)

    def whole(self, text: str, name: str) -> tuple[Input | None, list[Input]]:
        """Return source and references of a fetched data set that a config names as a whole."""
        at: Location = ("datasets", name, "data")
        try:
            found = self.wholes[name] = scorable(fill(text, name, "{system}"))
        except DataError as error:
            self.problem(str(error), at)
            lost = self.never(f"{PREFIX}{text}")
            return lost, [lost]
        source, *references = self.located(lambda: [found.source, *found.references], at)
        return source, list(references)

    def input(self, written: object, location: Location, dataset: str, system: str = "{system}") -> Input:
        """Return a path or column as it is used: absolute, or against the working directory."""
        if not isinstance(written, Record):
            return self.path(str(written), location, dataset, system)
        path = self.path(written.path, (*location, written.format), dataset, system)
        return Column(kind=written.format, path=path, column=written.column, header=self.header(written, location))

    def header(self, written: Record, location: Location) -> bool:
        """Return whether the first line of a file has names: where nothing says so, if the column is a name."""
        if not self.formats[written.format].header:
            return False
        number = bool(re.fullmatch(r"[1-9][0-9]{0,5}", written.column))
        if not number and written.header is False:
            self.problem("without a header the column must be a number, from 1", (*location, "header"))
        return not number if written.header is None else written.header

    def reference(self, written: object, location: Location, dataset: str, *, null: bool) -> list[Input]:
        """Return the references of one entry: several, where it is a glob."""
        found = self.input(written, location, dataset)
        if isinstance(found, Column):
            return [replace(found, null=null)]
        if not isinstance(written, str) or not is_glob(written) or exists(found):
            return [found]
        pattern = fill(written, dataset, "{system}")
        files = self.glob(pattern, location)
        if not files:
            self.unmatched(pattern, location)
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
                if path is None:
                    return None
                items = read_numbers(path)
            return select(given[0] == "keep", items)
        except ConfigError as error:
            self.problems += error.problems
            return None

    def systems(self) -> tuple[System, ...]:
        """Return the systems; those that are wrong have added problems."""
        names = list(self.written.datasets)
        if not isinstance(self.written.systems, dict):
            globs = self.written.systems if isinstance(self.written.systems, list) else [OFFICIAL]
            found = self.globbed(globs, names)
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
            self.problem(f"no data set of this name{did_you_mean(unknown, [*datasets, *self.formats])}", (*at, unknown))
        if not value:
            self.problem("names no output", at)
        return System(name, {d: self.output(v, (*at, d), d, name) for d, v in value.items() if d in datasets})

    def output(self, value: object, location: Location, dataset: str, system: str) -> Input:
        """Return a system's output; a glob must match one file."""
        found = self.input(value, location, dataset, system)
        if not isinstance(value, str) or isinstance(found, Column) or not is_glob(value) or exists(found):
            return found
        pattern = fill(value, dataset, system)
        files = self.glob(pattern, location)
        if len(files) != 1:
            if files:
                shown = Remote(pattern) if is_remote(pattern) else pattern
                self.problem(f"{len(files)} files match '{shown}'; a system has one", location)
            else:
                self.unmatched(pattern, location)
            return self.never(pattern) if is_data(pattern) else found
        self.matches.append(Match(self.root.find(location).path, pattern, tuple(files)))
        return files[0]

    def globbed(self, globs: list[str], datasets: list[str]) -> tuple[System, ...]:
        """Find the systems that globs name: one for each file, called as the file is, without a text suffix."""
        found: dict[str, dict[str, Input]] = {}
        for index, pattern in enumerate(globs):
            at: Location = ("systems", index)
            matched: dict[Path | Remote, None] = {}
            for dataset in datasets:
                outputs = self.outputs(pattern, dataset, at)
                for path, name in outputs.items():
                    if found.setdefault(name, {}).setdefault(dataset, path) != path:
                        twin = found[name][dataset]
                        self.problem(f"two files would both be the system '{name}': {twin} and {path}", at)
                matched |= dict.fromkeys(outputs)
            if not matched and pattern == OFFICIAL:
                self.problem("no data set here has outputs of its own", at)
            elif not matched:
                self.unmatched(pattern, at)
            self.matches.append(Match(f"systems[{index}]", pattern, tuple(matched)))
        for name, paths in found.items():
            self.notes += [f"{d}: no output of system {name} matches" for d in datasets if d not in paths]
        return tuple(System(name, paths) for name, paths in found.items())

    def outputs(self, pattern: str, dataset: str, location: Location) -> dict[Path | Remote, str]:
        """Return the outputs of a data set that a pattern of the list of systems names, and what they are called."""
        if pattern == OFFICIAL:
            known = self.wholes[dataset].systems if dataset in self.wholes else {}
            return dict(zip(self.located(known.values, location), known, strict=True))
        files = [STDIN] if pattern == "-" else self.glob(fill(pattern, dataset, "*"), location)
        written = fill(pattern, dataset, "{system}").removeprefix(PREFIX)
        return {path: called(path, written) for path in files}


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
