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
from ...files.remote import (
    PREFIX,
    Remote,
    expanded,
    is_data,
    is_remote,
    is_short,
    is_there,
    locate,
)
from ..catalogue import DataFile, Scorable, bring, named_in, named_one, scorable
from ..dataset_cache import cache_path, locate_all
from . import resolved
from .models import OFFICIAL, ConfigFile, DatasetConfig, Record
from .resolved import (
    Column,
    Dataset,
    Input,
    Match,
    Selection,
    System,
    TextFormat,
    is_glob,
)
from .tree import Node, base_of

Location = tuple[str | int, ...]
"""Keys and indices from the root of a config to a value."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
MAX_NAME = 100
MAX_OUTPUTS = 20_000
"""Outputs of systems, or patterns of such, for all data sets together."""
ABSENT = "what is left out"
"""A path that stands for a text that is written wrongly, and has a problem already."""

IDLE_BESIDE = (
    ("m2", "references"),
    ("data", "source"),
    ("data", "references"),
    ("data", "m2"),
)
"""Keys of a data set, each with a key whose texts it gives already."""


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
        self.root = root
        self.written = written
        self.problems = problems
        self.formats = formats
        self.matches: list[Match] = []
        """What globs matched."""
        self.missing_files: set[Path] = set()
        """Paths of missing files. They have a problem already, and are not opened."""
        self.locations: dict[str, Location] = {}
        """Where each file is named first, by its path."""
        self.notes: list[str] = []
        self.scorables: dict[str, Scorable] = {}
        """Fetched data sets that the config names as a whole, by the names that it gives them."""
        count = self.output_count()
        if count > MAX_OUTPUTS:
            message = f"{count:,} outputs of systems for data sets; {MAX_OUTPUTS:,} are allowed"
            raise ConfigError([root.problem(message, ("systems",))])

    def output_count(self) -> int:
        """Return how many outputs, or patterns of such, the systems have for all data sets."""
        systems = self.written.systems
        count = 0
        for system in systems.values() if isinstance(systems, dict) else systems:
            if isinstance(system, dict):
                count += len(system)
            else:
                count += len(self.written.datasets)
        return count

    def datasets(self) -> tuple[Dataset, ...]:
        """Return the data sets; adds the problems of those that are wrong."""
        try:
            bring(self.written.catalogue, self.root.mark.file)
        except DataError as error:
            self.problem(str(error).removeprefix("catalogue: "), ("catalogue",))
        self.check_names(list(self.written.datasets), "datasets")
        for name in set(self.formats) & set(self.written.datasets):
            message = (
                f"'{name}' is the name of a file format, so no data set can have it"
            )
            self.problem(message, ("datasets", name))
        return tuple(
            self.dataset(name, written)
            for name, written in self.written.datasets.items()
        )

    def dataset(self, name: str, written: DatasetConfig) -> Dataset:
        """Return a data set."""
        at: Location = ("datasets", name)
        self.check_keys(written, at)
        empty_references: Literal["keep", "error", "none"] = written.empty_references
        if written.missing_annotator == "none":
            empty_references = "none"

        source: Input | None = None
        references: list[Input] = []
        if written.data is not None:
            source, references = self.fetched_texts(written.data, name)
        m2: Path | Remote | None = None
        if written.m2 is not None:
            m2 = self.path(written.m2, (*at, "m2"), name)
        gold: list[Path | Remote] = []
        for index, text in enumerate(written.gold):
            gold.append(self.path(text, (*at, "gold", index), name))
        if not gold and m2 is not None:
            gold = [m2]
        if written.source is not None:
            source = self.input(written.source, (*at, "source"), name)
        for index, reference in enumerate(written.references):
            for file in self.inputs(reference, (*at, "references", index), name):
                if isinstance(file, Column):
                    references.append(replace(file, null=empty_references == "none"))
                else:
                    references.append(file)
        if m2 is None and gold and not references:
            m2 = gold[0]

        selection = self.selection(written, name)
        if written.outputs == "kept" and selection is None:
            self.problem(
                "has no effect without keep or drop; leave it out", (*at, "outputs")
            )
        return Dataset(
            name=name,
            source=source,
            references=tuple(references),
            empty_references=empty_references,
            m2=m2,
            gold=tuple(gold),
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
        for key, other in IDLE_BESIDE:
            if key in keys and other in keys:
                message = f"'{key}' gives this already; leave one of the two out"
                self.problem(message, (*at, other))
        if {"m2", "gold"} <= keys:
            message = "'m2' gives the edits already; leave one of the two out"
            self.problem(message, (*at, "gold"))
        if not keys & {"source", "references", "m2", "gold", "data"}:
            self.problem("the key 'references' is missing", at)
        if "missing_annotator" in keys:
            from_edits = "m2" in keys or ("gold" in keys and "references" not in keys)
            if not from_edits:
                self.problem(
                    "has no effect without m2; leave it out", (*at, "missing_annotator")
                )
        keeps_empty = "empty_references" in keys and written.empty_references != "none"
        if written.missing_annotator == "none" and keeps_empty:
            message = "missing_annotator: none needs `empty_references: none`"
            self.problem(message, (*at, "empty_references"))

    def fetched_texts(self, text: str, name: str) -> tuple[Input | None, list[Input]]:
        """Return source and references of a fetched data set that the config names as a whole."""
        at: Location = ("datasets", name, "data")
        try:
            data = scorable(resolved.fill(text, name, "{system}"))
        except DataError as error:
            self.problem(str(error), at)
            missing = self.missing(f"{PREFIX}{text}")
            return missing, [missing]
        self.scorables[name] = data
        source, *references = self.fetched(lambda: [data.source, *data.references], at)
        return source, list(references)

    def inputs(
        self,
        written: object,
        location: Location,
        dataset: str,
        system: str = "{system}",
    ) -> list[Input]:
        """Return where the texts of one entry are; a glob may match several files, or none, which
        is a problem.
        """
        text = self.input(written, location, dataset, system)
        if not isinstance(written, str) or isinstance(text, Column):
            return [text]
        if not is_glob(written) or is_there(text):
            return [text]
        pattern = self.filled(written, location, dataset, system)
        files = self.glob(pattern, location)
        if not files:
            self.unmatched(pattern, location)
        path = self.root.find(location).path
        self.matches.append(Match(path, pattern, tuple(files)))
        return [*files]

    def input(
        self,
        written: object,
        location: Location,
        dataset: str,
        system: str = "{system}",
    ) -> Input:
        """Return where texts are; a relative path is against the folder of the config that wrote
        it.

        The first line of a table holds names as the config says, or else if the column has a name.
        """
        if not isinstance(written, Record):
            return self.path(str(written), location, dataset, system)
        path = self.path(written.path, (*location, written.format), dataset, system)
        text_format = self.formats[written.format]
        is_number = bool(re.fullmatch(r"[1-9][0-9]{0,5}", written.column))
        header = False
        if text_format.header:
            header = not is_number if written.header is None else written.header
            if not is_number and not header:
                message = "without a header the column must be a number, from 1"
                self.problem(message, (*location, "header"))
        key = written.key
        if not key and text_format.column:
            key = self.written.datasets[dataset].key
        column = Column(
            kind=written.format, path=path, column=written.column, header=header
        )
        return column.joined_by(key or "", named=bool(text_format.header))

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
                items = [
                    (str(child.value), f"{child.mark}: {child.path}")
                    for child in node.value
                ]
            elif re.fullmatch(r"[0-9]+( *- *[0-9]+)?", str(node.value)):
                items = [(str(node.value), f"{node.mark}: {node.path}")]
            else:
                path = self.path(str(node.value), location, name)
                if isinstance(path, Remote):
                    message = "is an address; only source, references, m2 and outputs may be one"
                    self.problem(f"'{path}' {message}", location)
                    return None
                if path in self.missing_files:
                    return None
                items = resolved.read_line_numbers(path)
            return resolved.select_lines(keys[0] == "keep", items)
        return None

    def systems(self) -> tuple[System, ...]:
        """Return the systems; adds the problems of those that are wrong. Call it after `datasets`."""
        datasets = list(self.written.datasets)
        written = self.written.systems
        if isinstance(written, dict):
            systems = [
                self.system(name, value, datasets) for name, value in written.items()
            ]
        elif isinstance(written, list):
            systems = self.globbed(written, datasets)
        else:
            systems = self.globbed([OFFICIAL], datasets)
        self.check_names([system.name for system in systems], "systems")
        return tuple(systems)

    def system(self, name: str, written: object, datasets: list[str]) -> System:
        """Return a system with the same path for all data sets, or one for each data set that it
        names.
        """
        at: Location = ("systems", name)
        outputs: dict[str, Input] = {}
        if not isinstance(written, dict):
            for dataset in datasets:
                outputs[dataset] = self.output(written, at, dataset, name)
            return System(name, outputs)
        for dataset in written:
            if dataset not in datasets:
                hint = did_you_mean(dataset, [*datasets, *self.formats])
                self.problem(f"no data set of this name{hint}", (*at, dataset))
        if not written:
            self.problem("has no output; name one for at least one data set", at)
        for dataset, text in written.items():
            if dataset in datasets:
                outputs[dataset] = self.output(text, (*at, dataset), dataset, name)
        return System(name, outputs)

    def output(
        self,
        written: object,
        location: Location,
        dataset: str,
        system: str,
    ) -> Input:
        """Return a system's output; a glob must match one file. One whose name says so is a file of
        edits.
        """
        files = self.inputs(written, location, dataset, system)
        if len(files) == 1:
            return self.by_name(files[0])
        pattern = self.filled(str(written), location, dataset, system)
        if files:
            displayed = Remote(pattern) if is_remote(pattern) else pattern
            self.problem(
                f"{len(files)} files match '{displayed}'; a system has one", location
            )
        if is_data(pattern):
            return self.missing(pattern)
        return self.path(str(written), location, dataset, system)

    def globbed(self, globs: list[str], datasets: list[str]) -> list[System]:
        """Return the systems whose outputs match globs. Each is named after its file, without a
        common suffix.
        """
        suffixes = {Path(pattern).suffix for pattern in globs if is_glob(pattern)}
        common_suffix = ""
        if len(suffixes) == 1:
            (suffix,) = suffixes
            if suffix[1:].isalpha():
                common_suffix = suffix

        paths_by_system: dict[str, dict[str, Path | Remote]] = {}
        for index, pattern in enumerate(globs):
            at: Location = ("systems", index)
            matched: dict[Path | Remote, None] = {}
            for dataset in datasets:
                for path, file_name in self.outputs(pattern, dataset, at).items():
                    matched[path] = None
                    name = file_name.removesuffix(common_suffix)
                    twin = paths_by_system.setdefault(name, {}).setdefault(
                        dataset, path
                    )
                    if twin != path:
                        message = f"two files would both be the system '{name}': {twin} and {path}"
                        self.problem(message, at)
            if not matched and pattern == OFFICIAL:
                self.problem("no data set here has outputs of its own", at)
            elif not matched:
                self.unmatched(pattern, at)
            self.matches.append(Match(f"systems[{index}]", pattern, tuple(matched)))

        systems = []
        for name, paths in paths_by_system.items():
            for dataset in datasets:
                if dataset not in paths:
                    self.notes.append(f"{dataset}: no output of system {name} matches")
            outputs = {dataset: self.by_name(path) for dataset, path in paths.items()}
            systems.append(System(name, outputs))
        return systems

    def outputs(
        self,
        pattern: str,
        dataset: str,
        location: Location,
    ) -> dict[Path | Remote, str]:
        """Return the outputs for a data set that match a pattern of the list of systems, with the
        systems' names.
        """
        if pattern == OFFICIAL:
            if dataset not in self.scorables:
                return {}
            official = self.scorables[dataset].systems
            paths = self.fetched(official.values, location)
            return dict(zip(paths, official, strict=True))
        files: list[Path | Remote] = [STDIN]
        if pattern != "-":
            files = self.glob(self.filled(pattern, location, dataset, "*"), location)
        written = self.filled(pattern, location, dataset).removeprefix(PREFIX)
        return {path: resolved.called(path, written) for path in files}

    def check_names(self, names: Sequence[str], section: str) -> None:
        """Add problems of names that a table cannot show, and of names that differ in case only."""
        seen: dict[str, str] = {}
        for name in names:
            twin = seen.setdefault(name.lower(), name)
            if twin != name:
                message = f"differs from '{twin}' in upper and lower case only"
                self.problem(message, (section, name))
            reason = wrong_name(name, MAX_NAME)
            if reason:
                message = f"'{name[: MAX_NAME + 1]}' cannot be a name: {reason}"
                self.problem(message, (section, name))

    # ---- from a written path to a file: on this computer, at an address, or of a data set

    def problem(self, message: str, location: Location) -> None:
        """Add a problem with the value at a location of the config."""
        self.problems.append(self.root.problem(message, location))

    def path(
        self, text: str, location: Location, dataset: str, system: str = "{system}"
    ) -> Path | Remote:
        """Return the path or address that a text stands for."""
        if text == "-":
            return STDIN
        if text == ABSENT:
            return self.missing(text)
        text = self.filled(text, location, dataset, system)
        if not is_data(text) or is_glob(text):
            path = locate(base_of(self.root.find(location)), text)
            self.locations.setdefault(str(path), location)
            return path
        files = self.fetched(lambda: [named_one(text)], location)
        return files[0] if files else self.missing(text)

    def filled(
        self,
        text: str,
        location: Location,
        dataset: str,
        system: str = "{system}",
    ) -> str:
        """Return a written path with its placeholders, ~ and variables replaced; adds a problem for
        an unset variable.

        {name} is the name of what has the path, a data set or a system. A file whose very name is
        written so stays.
        """
        plain = resolved.fill(text, dataset, system)
        base = base_of(self.root.find(location))
        has_variables = is_short(text) or "{name}" in text
        if not has_variables or is_there(base / plain):
            return plain
        placeholder = "{dataset}" if location[0] == "datasets" else "{system}"
        try:
            text = expanded(text, base).replace("{name}", placeholder)
        except DataError as error:
            problem = self.root.problem(str(error), location)
            if problem not in self.problems:
                self.problems.append(problem)
            self.missing_files.add(base / plain)
            return plain
        return resolved.fill(text, dataset, system)

    def missing(self, text: str) -> Path:
        """Return a path that stands for a file that cannot be had, and whose problem was added
        before.
        """
        self.missing_files.add(Path(text))
        return Path(text)

    def fetched(
        self, files_of: Callable[[], Iterable[DataFile]], location: Location
    ) -> list[Path]:
        """Return the paths of the files of data sets that a function names.

        Adds a problem where some of the files are missing, and where the function raises
        DataError.
        """
        files: list[DataFile] = []
        try:
            files = list(files_of())
            locate_all(files)
        except DataError as error:
            for problem in error.problems:
                self.problem(problem.message, location)
            self.missing_files |= {cache_path(file) for file in files}
        return [cache_path(file) for file in files]

    def glob(self, pattern: str, location: Location) -> list[Path | Remote]:
        """Return the files that a pattern matches: of a data set, at an address, or on this
        computer.
        """
        if is_remote(pattern):
            return self.remote_glob(pattern, location)
        if not is_data(pattern):
            return [*resolved.glob(base_of(self.root.find(location)), pattern)]
        try:
            files = named_in(pattern)
        except DataError:
            return []
        return [*self.fetched(lambda: files, location)]

    def remote_glob(self, pattern: str, location: Location) -> list[Path | Remote]:
        """Return the files at addresses that a pattern matches, in natural order; adds a problem if
        there is none.
        """
        try:
            files = remote.glob(Remote(pattern))
        except CorpusError as error:
            for problem in error.problems:
                self.problem(str(problem), location)
            return []
        if not files:
            self.problem(f"no file matches '{Remote(pattern)}'", location)
        return sorted(files, key=lambda file: resolved.natural_parts(file.parts))

    def by_name(self, output: Input) -> Input:
        """Return an output; it is a column if its name has the suffix of a format read at once."""
        if isinstance(output, Column):
            return output
        for name, text_format in self.formats.items():
            if not text_format.open:
                continue
            suffixes = "|".join(map(re.escape, (name, *text_format.suffixes)))
            # packed or not
            if re.search(rf"\.({suffixes})(\.[a-z0-9]+)?$", output.name.lower()):
                return Column(kind=name, path=output, column="")
        return output

    def unmatched(self, pattern: str, location: Location) -> None:
        """Add the problem of a pattern that matches no file. An address has that problem already."""
        if is_data(pattern):
            self.fetched(lambda: named_in(pattern), location)
        elif not is_remote(pattern):
            self.problem(f"no file matches '{pattern}'", location)
