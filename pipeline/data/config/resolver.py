"""From the written data sets and systems to those of a run: names, files and columns."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from ...errors import (
    ConfigError,
    CorpusError,
    DataError,
    Problem,
    did_you_mean,
    gathered,
    wrong_name,
)
from ...files import remote
from ...files.plain_files import STDIN
from ...files.remote import PREFIX, Remote, expanded, is_data, is_remote, is_short, is_there, locate
from ..catalogue import DataFile, Scorable, bring, named_in, named_one, scorable
from ..dataset_cache import cache_path, locate_all
from . import resolved
from .models import OFFICIAL, ConfigFile, DatasetConfig, Record
from .resolved import Column, Dataset, Input, Match, Selection, System, TextFormat, is_glob
from .tree import Node, base_of

Location = tuple[str | int, ...]
"""Keys and indices from the root of a config to a value."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
MAX_NAME = 100
MAX_OUTPUTS = 20_000
"""Outputs of systems, or patterns of such, for all data sets together."""
ABSENT = "what is left out"
"""A path that stands for a text that is written wrongly, and has a problem already."""
M2_NAME = re.compile(r"\.(m2|errant)(\.[a-z0-9]+)?$")
"""How the name of an M2 file ends, packed or not."""


class Resolver:
    """Turns written data sets and systems into those of a run; adds a problem for what cannot be
    had.

    Raises ConfigError where systems and data sets, each with each, are more than anybody has.
    """

    def __init__(
        self,
        root: Node,
        written: ConfigFile,
        problems: list[Problem],
        formats: Mapping[str, TextFormat],
    ) -> None:
        self.root, self.written, self.problems, self.formats = root, written, problems, formats
        self.matches: list[Match] = []
        """What globs matched."""
        self.absent: set[Path] = set()
        """Paths of files that are not here. They have a problem already, so nobody need open them.
        """
        self.places: dict[str, Location] = {}
        self.notes: list[str] = []
        self.scorables: dict[str, Scorable] = {}
        """Fetched data sets that the config names as a whole, by the names that it gives them."""
        each = written.systems.values() if isinstance(written.systems, dict) else written.systems
        count = sum(len(item) if isinstance(item, dict) else len(written.datasets) for item in each)
        if count > MAX_OUTPUTS:
            message = f"{count:,} outputs of systems for data sets; {MAX_OUTPUTS:,} are allowed"
            raise ConfigError([root.problem(message, ("systems",))])

    def datasets(self) -> tuple[Dataset, ...]:
        """Return the data sets; adds the problems of those that are wrong."""
        try:
            bring(self.written.catalogue, self.root.mark.file)
        except DataError as error:
            self.problem(str(error).removeprefix("catalogue: "), ("catalogue",))
        self.check_names(list(self.written.datasets), "datasets")
        for name in set(self.formats) & set(self.written.datasets):
            self.problem(
                f"'{name}' is the name of a file format, so no data set can have it",
                ("datasets", name),
            )
        return tuple(self.dataset(name, written) for name, written in self.written.datasets.items())

    def dataset(self, name: str, written: DatasetConfig) -> Dataset:
        """Return a data set."""
        at: Location = ("datasets", name)
        self.check_keys(written, at)
        none = written.missing_annotator == "none"
        empty: Literal["keep", "error", "none"] = "none" if none else written.empty_references
        source, references = None, list[Input]()
        if written.data is not None:
            source, references = self.whole(written.data, name)
        m2 = self.path(written.m2, (*at, "m2"), name) if written.m2 is not None else None
        golds = [
            self.path(text, (*at, "gold", index), name) for index, text in enumerate(written.gold)
        ]
        gold = tuple(golds) if golds or m2 is None else (m2,)
        if written.source is not None:
            source = self.input(written.source, (*at, "source"), name)
        for index, reference in enumerate(written.references):
            named = self.inputs(reference, (*at, "references", index), name)
            references += [
                replace(i, null=empty == "none") if isinstance(i, Column) else i for i in named
            ]
        m2 = m2 if references or m2 or not gold else gold[0]
        selection = self.selection(written, name)
        if written.outputs == "kept" and selection is None:
            self.problem("has no effect without keep or drop; leave it out", (*at, "outputs"))
        return Dataset(
            name=name,
            source=source,
            references=tuple(references),
            empty_references=empty,
            m2=m2,
            gold=gold,
            missing_annotator=written.missing_annotator,
            explicit="missing_annotator" in written.model_fields_set,
            selection=selection,
            outputs=written.outputs,
            replace=written.replace,
            bom=tuple(written.bom) if isinstance(written.bom, list) else written.bom,
        )

    def check_keys(self, written: DatasetConfig, at: Location) -> None:
        """Add problems of keys that are missing, and of those that have no effect beside another."""
        keys = written.model_fields_set
        for key, idle in {"m2": ["references"], "data": ["source", "references", "m2"]}.items():
            for other in idle if key in keys else ():
                if other in keys:
                    self.problem(
                        f"'{key}' gives this already; leave one of the two out", (*at, other)
                    )
        if {"m2", "gold"} <= keys:
            self.problem("'m2' gives the edits already; leave one of the two out", (*at, "gold"))
        if not keys & {"source", "references", "m2", "gold", "data"}:
            self.problem("the key 'references' is missing", at)
        from_edits = "m2" in keys or ("gold" in keys and "references" not in keys)
        if "missing_annotator" in keys and not from_edits:
            self.problem("has no effect without m2; leave it out", (*at, "missing_annotator"))
        if (
            written.missing_annotator == "none"
            and "empty_references" in keys
            and written.empty_references != "none"
        ):
            self.problem(
                "missing_annotator: none needs `empty_references: none`", (*at, "empty_references")
            )

    def whole(self, text: str, name: str) -> tuple[Input | None, list[Input]]:
        """Return source and references of a fetched data set that the config names as a whole."""
        at: Location = ("datasets", name, "data")
        try:
            data = self.scorables[name] = scorable(resolved.fill(text, name, "{system}"))
        except DataError as error:
            self.problem(str(error), at)
            absent = self.never(f"{PREFIX}{text}")
            return absent, [absent]
        source, *references = self.fetched(lambda: [data.source, *data.references], at)
        return source, list(references)

    def inputs(
        self, written: object, location: Location, dataset: str, system: str = "{system}"
    ) -> list[Input]:
        """Return where the texts of one entry are; a glob may match several files, or none, which
        is a problem.
        """
        named = self.input(written, location, dataset, system)
        if (
            not isinstance(written, str)
            or isinstance(named, Column)
            or not is_glob(written)
            or is_there(named)
        ):
            return [named]
        pattern = self.filled(written, location, dataset, system)
        files = self.glob(pattern, location)
        if not files:
            self.unmatched(pattern, location)
        self.matches.append(Match(self.root.find(location).path, pattern, tuple(files)))
        return [*files]

    def input(
        self, written: object, location: Location, dataset: str, system: str = "{system}"
    ) -> Input:
        """Return where texts are; a relative path is against the folder of the config that wrote
        it.

        The first line of a table holds names as the config says, or else if the column has a name.
        """
        if not isinstance(written, Record):
            return self.path(str(written), location, dataset, system)
        path = self.path(written.path, (*location, written.format), dataset, system)
        is_number = bool(re.fullmatch(r"[1-9][0-9]{0,5}", written.column))
        header = not is_number if written.header is None else written.header
        if not self.formats[written.format].header:
            header = False
        elif not is_number and not header:
            self.problem(
                "without a header the column must be a number, from 1", (*location, "header")
            )
        column = Column(kind=written.format, path=path, column=written.column, header=header)
        default = (
            self.written.datasets[dataset].key if self.formats[written.format].column else None
        )
        return column.joined_by(
            written.key or default or "", named=bool(self.formats[written.format].header)
        )

    def selection(self, written: DatasetConfig, name: str) -> Selection | None:
        """Return the lines that `keep` or `drop` selects, or None for all."""
        keys = [key for key in ("keep", "drop") if getattr(written, key) is not None]
        if len(keys) == 2:
            self.problem("give keep or drop, not both", ("datasets", name, "drop"))
        if len(keys) != 1:
            return None
        location: Location = ("datasets", name, keys[0])
        node = self.root.find(location)
        with gathered(self.problems):
            if isinstance(node.value, list):
                items = [(str(child.value), f"{child.mark}: {child.path}") for child in node.value]
            elif re.fullmatch(r"[0-9]+( *- *[0-9]+)?", str(node.value)):
                items = [(str(node.value), f"{node.mark}: {node.path}")]
            else:
                path = self.path(str(node.value), location, name)
                if isinstance(path, Remote):
                    told = "is an address; only source, references, m2 and outputs may be one"
                    self.problem(f"'{path}' {told}", location)
                    return None
                if path in self.absent:
                    return None
                items = resolved.read_line_numbers(path)
            return resolved.select_lines(keys[0] == "keep", items)
        return None

    def systems(self) -> tuple[System, ...]:
        """Return the systems; adds the problems of those that are wrong. Call it after `datasets`."""
        names = list(self.written.datasets)
        if isinstance(self.written.systems, dict):
            systems = tuple(
                self.system(name, value, names) for name, value in self.written.systems.items()
            )
        else:
            globs = self.written.systems if isinstance(self.written.systems, list) else [OFFICIAL]
            systems = self.globbed(globs, names)
        self.check_names([system.name for system in systems], "systems")
        return systems

    def system(self, name: str, written: object, datasets: list[str]) -> System:
        """Return a system with the same path for all data sets, or one for each data set that it
        names.
        """
        at: Location = ("systems", name)
        if not isinstance(written, dict):
            return System(
                name, {dataset: self.output(written, at, dataset, name) for dataset in datasets}
            )
        for key in (key for key in written if key not in datasets):
            self.problem(
                f"no data set of this name{did_you_mean(key, [*datasets, *self.formats])}",
                (*at, key),
            )
        if not written:
            self.problem("has no output; name one for at least one data set", at)
        return System(
            name,
            {d: self.output(v, (*at, d), d, name) for d, v in written.items() if d in datasets},
        )

    def output(self, written: object, location: Location, dataset: str, system: str) -> Input:
        """Return a system's output; a glob must match one file. One whose name says so is a file of
        edits.
        """
        files = self.inputs(written, location, dataset, system)
        if len(files) == 1:
            return _as_edits(files[0])
        pattern = self.filled(str(written), location, dataset, system)
        if files:
            shown = Remote(pattern) if is_remote(pattern) else pattern
            self.problem(f"{len(files)} files match '{shown}'; a system has one", location)
        return (
            self.never(pattern)
            if is_data(pattern)
            else self.path(str(written), location, dataset, system)
        )

    def globbed(self, globs: list[str], datasets: list[str]) -> tuple[System, ...]:
        """Return the systems whose outputs match globs. Each is called as its file without a common
        suffix.
        """
        systems: dict[str, dict[str, Input]] = {}
        suffixes = {Path(pattern).suffix for pattern in globs if is_glob(pattern)}
        shared = suffixes.pop() if len(suffixes) == 1 else ""
        for index, pattern in enumerate(globs):
            at: Location = ("systems", index)
            matched: dict[Path | Remote, None] = {}
            for dataset in datasets:
                outputs = self.outputs(pattern, dataset, at)
                for path, called_so in outputs.items():
                    name = called_so.removesuffix(shared) if shared[1:].isalpha() else called_so
                    twin = systems.setdefault(name, {}).setdefault(dataset, path)
                    if twin != path:
                        self.problem(
                            f"two files would both be the system '{name}': {twin} and {path}", at
                        )
                matched |= dict.fromkeys(outputs)
            if not matched and pattern == OFFICIAL:
                self.problem("no data set here has outputs of its own", at)
            elif not matched:
                self.unmatched(pattern, at)
            self.matches.append(Match(f"systems[{index}]", pattern, tuple(matched)))
        for name, paths in systems.items():
            self.notes += [
                f"{d}: no output of system {name} matches" for d in datasets if d not in paths
            ]
        return tuple(
            System(n, {d: _as_edits(path) for d, path in paths.items()})
            for n, paths in systems.items()
        )

    def outputs(self, pattern: str, dataset: str, location: Location) -> dict[Path | Remote, str]:
        """Return the outputs for a data set that match a pattern of the list of systems, with the
        systems' names.
        """
        if pattern == OFFICIAL:
            official = self.scorables[dataset].systems if dataset in self.scorables else {}
            return dict(zip(self.fetched(official.values, location), official, strict=True))
        files = (
            [STDIN]
            if pattern == "-"
            else self.glob(self.filled(pattern, location, dataset, "*"), location)
        )
        written = self.filled(pattern, location, dataset).removeprefix(PREFIX)
        return {path: resolved.called(path, written) for path in files}

    def check_names(self, names: Sequence[str], section: str) -> None:
        """Add problems of names that cannot be read in a table, and of two that differ in case
        only.
        """
        seen: dict[str, str] = {}
        for name in names:
            twin = seen.setdefault(name.lower(), name)
            if twin != name:
                self.problem(f"differs from '{twin}' in upper and lower case only", (section, name))
            if message := wrong_name(name, MAX_NAME):
                self.problem(
                    f"'{name[: MAX_NAME + 1]}' cannot be a name: {message}", (section, name)
                )

    # ---- from a written path to a file: here, at an address, or of a data set

    def problem(self, message: str, location: Location) -> None:
        """Add a problem with the value at a location of the config."""
        self.problems.append(self.root.problem(message, location))

    def path(
        self, text: str, location: Location, dataset: str, system: str = "{system}"
    ) -> Path | Remote:
        """Return the path or address that a text stands for."""
        if text in ("-", ABSENT):
            return STDIN if text == "-" else self.never(text)
        text = self.filled(text, location, dataset, system)
        if not is_data(text) or is_glob(text):
            path = locate(base_of(self.root.find(location)), text)
            self.places.setdefault(str(path), location)
            return path
        files = self.fetched(lambda: [named_one(text)], location)
        return files[0] if files else self.never(text)

    def filled(self, text: str, location: Location, dataset: str, system: str = "{system}") -> str:
        """Return a written path with its placeholders, ~ and variables replaced; adds a problem for
        an unset variable.

        {name} is the name of what has the path, a data set or a system. A file whose very name is
        written so stays."""
        plain, base = resolved.fill(text, dataset, system), base_of(self.root.find(location))
        if (not is_short(text) and "{name}" not in text) or is_there(base / plain):
            return plain
        try:
            own = "{dataset}" if location[0] == "datasets" else "{system}"
            return resolved.fill(expanded(text, base).replace("{name}", own), dataset, system)
        except DataError as error:
            problem = self.root.problem(str(error), location)
            self.problems += [problem] if problem not in self.problems else []
            self.absent.add(base / plain)
            return plain

    def never(self, text: str) -> Path:
        """Return a path that stands for a file that cannot be had, and whose problem was added
        before.
        """
        self.absent.add(Path(text))
        return Path(text)

    def fetched(self, files_of: Callable[[], Iterable[DataFile]], location: Location) -> list[Path]:
        """Return the paths of the files of data sets that a function names.

        Adds a problem where some of the files are not here, and where the function raises
        DataError."""
        files: list[DataFile] = []
        try:
            files = list(files_of())
            locate_all(files)
        except DataError as error:
            for problem in error.problems:
                self.problem(problem.message, location)
            self.absent |= {cache_path(file) for file in files}
        return [cache_path(file) for file in files]

    def glob(self, pattern: str, location: Location) -> list[Path | Remote]:
        """Return the files that a pattern matches: of a data set, at an address, or on this
        computer.
        """
        if is_remote(pattern):
            try:
                found = remote.glob(Remote(pattern))
            except CorpusError as error:
                self.problems += [
                    self.root.problem(str(problem), location) for problem in error.problems
                ]
                return []
            if not found:
                self.problem(f"no file matches '{Remote(pattern)}'", location)
            return sorted(
                found, key=lambda file: [resolved.natural(Path(part)) for part in file.parts]
            )
        if not is_data(pattern):
            return [*resolved.glob(base_of(self.root.find(location)), pattern)]
        try:
            files = named_in(pattern)
        except DataError:
            return []
        return [*self.fetched(lambda: files, location)]

    def unmatched(self, pattern: str, location: Location) -> None:
        """Add the problem of a pattern that matches no file. An address has that problem already."""
        if is_data(pattern):
            self.fetched(lambda: named_in(pattern), location)
        elif not is_remote(pattern):
            self.problem(f"no file matches '{pattern}'", location)


def _as_edits(output: Input) -> Input:
    """Return an output; a file whose name says that it is an M2 file is one of edits."""
    if isinstance(output, Column) or not M2_NAME.search(output.name.lower()):
        return output
    return Column(kind="m2", path=output, column="")
