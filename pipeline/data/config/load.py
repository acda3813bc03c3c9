"""From the YAML file to a checked config, with all problems and their positions at once.

load_config() reads the file as a tree (`compose.py`), checks it against the models of the sections
(`models.py`), and has a Resolver find the files. The other rooms read `Config`. The options
of metrics are checked in `metrics/`, since each metric knows its own.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field, create_model

from ...backends import unused_address
from ...errors import (
    ConfigError,
    CorpusError,
    DataError,
    Problem,
    did_you_mean,
    gathered,
    wrong_name,
)
from ...files import Remote, WrittenPath, small_text
from ..catalogue import Catalogue, DataFile, Scorable
from ..dataset_cache import DatasetCache
from ..formats import TEXT_FORMATS
from . import models
from .compose import compose
from .models import (
    ABSENT,
    OFFICIAL,
    ConfigFile,
    DatasetConfig,
    Record,
    Records,
    sections_of,
    validate,
)
from .resolved import Column, Config, Dataset, Input, Match, Selection, System
from .tree import Location, Node

NUMBER_OR_RANGE = r"[0-9]+( *- *[0-9]+)?"
MAX_NUMBERS_BYTES = 100_000_000
"""A file of line numbers may not be longer."""
IDLE_BESIDE = (
    ("m2", "references"),
    ("data", "source"),
    ("data", "references"),
    ("data", "m2"),
)
"""Keys of a data set, each with a key whose texts it gives already."""


class LoadedConfig(NamedTuple):
    """A config, and the nodes of its metrics."""

    config: Config | None
    """None if it cannot be used."""
    metric_nodes: tuple[Node, ...]


def load_config(
    config: str | Path | Node,
    settings: Sequence[str],
    problems: list[Problem],
) -> LoadedConfig:
    """Read a config and find its files; adds all problems, with their positions.

    `config` is a YAML file, or the node of a mapping of Python. `settings` are the values of
    `--set`. The nodes of metrics are returned even if other parts have problems, so that those of
    metrics can be reported with them. Raises ConfigError if the file is not a YAML mapping at all.
    """
    tree, problems_of_file = compose(config, tuple(settings))
    problems += problems_of_file
    metric_nodes: tuple[Node, ...] = ()
    metrics = tree.get("metrics")
    if metrics and isinstance(metrics.value, list):
        metric_nodes = tuple(metrics.value)

    file = Path(tree.mark.file).absolute()
    origin: dict[str, Any] = {"config": str(file)}
    if isinstance(config, Node):
        origin = {"config": config.plain(), "folder": str(file.parent)}
    plain = tree.plain()
    nodes = tree.by_location()
    sections = sections_of(plain)
    parsed = validate(tree, problems, record_models(), sections)
    if parsed is None:
        return LoadedConfig(None, metric_nodes)
    resolver = Resolver(nodes, parsed)
    datasets = resolver.datasets()
    systems = resolver.systems()
    resolver.check_names(list(parsed.datasets), "datasets")
    resolver.check_names([system.name for system in systems], "systems")
    loaded = Config(
        tree=tree,
        datasets=datasets,
        systems=systems,
        plain=plain,
        origin=origin,
        parsed=parsed,
        sections=tuple(
            name for name in sections if name in parsed.model_fields_set
        ),
        matches=tuple(resolver.matches),
        notes=tuple(resolver.notes),
        missing_files=frozenset(resolver.missing_files),
        locations=resolver.locations,
    )
    problems += loaded.placed(
        [
            *resolver.problems,
            *_idle_settings(loaded),
            *_unused_names(loaded),
        ]
    )
    return LoadedConfig(loaded, metric_nodes)


def record_models() -> Records:
    """Return a model for each format: the path under the name of the format, and its other keys."""
    records: Records = {}
    for name, declared in TEXT_FORMATS.items():
        fields: dict[str, Any] = {"path": (models.PathText, Field(alias=name))}
        if declared.column:
            fields["column"] = (
                models.ColumnName,
                Field(description=declared.column),
            )
            about = f"{models.KEY}; default: the key of the data set"
            fields["key"] = (
                models.ColumnName | None,
                Field(None, description=about),
            )
        if declared.header:
            fields["header"] = (
                models.Truth | None,
                Field(None, description=declared.header),
            )
        records[name] = create_model(
            f"{name.capitalize()}Config",
            __base__=models.ConfigModel,
            __doc__=declared.summary,
            **fields,
        )
    return records


def _idle_settings(config: Config) -> list[Problem]:
    """Return problems of settings without effect, and of a baseline that is no system."""
    problems = []
    run = config.parsed.run
    if run.backend == "serial" and run.n_jobs not in ("auto", 1):
        message = "has no effect with `backend: serial`; leave one out"
        problems.append(Problem("", message, location=("run", "n_jobs")))
    if run.address:
        reason = unused_address(run.backend)
        if reason:
            problems.append(Problem("", reason, location=("run", "address")))
    statistics = config.parsed.statistics
    baseline = statistics.baseline if statistics else None
    systems = [system.name for system in config.systems]
    if baseline is not None and systems and baseline not in systems:
        message = (
            f"no system is called '{baseline}'{did_you_mean(baseline, systems)}"
        )
        problems.append(
            Problem("", message, location=("statistics", "baseline"))
        )
    return problems


def _unused_names(config: Config) -> list[Problem]:
    """Return problems of data sets without outputs, and of systems under `bom` without outputs."""
    problems = []
    systems_of: dict[str, list[str]] = {}
    for system in config.systems:
        for name in system.paths:
            systems_of.setdefault(name, []).append(system.name)
    for name in config.parsed.datasets:
        if config.systems and name not in systems_of:
            message = "no system has an output for this data set"
            problems.append(Problem("", message, location=("datasets", name)))
    for dataset in config.datasets:
        systems = systems_of.get(dataset.name, [])
        for name in dataset.bom if isinstance(dataset.bom, tuple) else ():
            if name not in systems:
                message = f"no system '{name}' has an output for it{did_you_mean(name, systems)}"
                location = ("datasets", dataset.name, "bom")
                problems.append(Problem("", message, location=location))
    return problems


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A text of a data set or system as the config names it."""

    written: str | Record
    """A path, or a record with a path and its column."""
    location: Location
    folder: Path
    """The folder that a relative path starts from."""
    key: str
    """The location as messages show it, such as datasets.a.references[1]."""
    dataset: str
    system: str = "{system}"

    @property
    def text(self) -> str:
        """The path."""
        return (
            self.written if isinstance(self.written, str) else self.written.path
        )

    def filled(self, text: str) -> str:
        """Return a path with {dataset} and {system} replaced by their names."""
        return text.replace("{dataset}", self.dataset).replace(
            "{system}", self.system
        )


class Resolver:
    """Finds the files of data sets and systems, and adds a problem for each that is missing.

    It begins with what a config says of them (`parsed`), and with the nodes of the config, whose
    positions and folders it needs. Call datasets() first, then systems().
    """

    def __init__(
        self,
        nodes: Mapping[Location, Node],
        parsed: ConfigFile,
    ) -> None:
        self.nodes = nodes
        self.parsed = parsed
        self.cache = DatasetCache()
        self.problems: list[Problem] = []
        """Most have a location instead of a position; see Config.placed()."""
        self.matches: list[Match] = []
        """What globs matched."""
        self.missing_files: set[Path] = set()
        """Paths of missing files. They have a problem already, and are not opened."""
        self.locations: dict[str, Location] = {}
        """Where each file is named first, by its path."""
        self.notes: list[str] = []
        self.scorables: dict[str, Scorable] = {}
        """Fetched data sets that the config names as a whole, by the names that it gives them."""

    @property
    def catalogue(self) -> Catalogue:
        """The data sets that can be fetched. Most configs do not need them."""
        return Catalogue.known()

    def datasets(self) -> tuple[Dataset, ...]:
        """Return all data sets with their files."""
        # the data sets that the config adds to the catalogue, and those that it takes from it
        try:
            if self.parsed.catalogue:
                file = self.nodes[()].mark.file
                self.catalogue.add(self.parsed.catalogue, file)
        except DataError as error:
            self.add_problem(
                str(error).removeprefix("catalogue: "), ("catalogue",)
            )
        for name, parsed in self.parsed.datasets.items():
            if parsed.data is not None:
                try:
                    text = parsed.data.replace("{dataset}", name)
                    self.scorables[name] = self.catalogue.scorable(text)
                except DataError as error:
                    self.add_problem(str(error), ("datasets", name, "data"))
        for name in set(TEXT_FORMATS) & set(self.parsed.datasets):
            message = f"'{name}' is the name of a file format, so no data set can have it"
            self.add_problem(message, ("datasets", name))
        return tuple(
            self.dataset(name, parsed)
            for name, parsed in self.parsed.datasets.items()
        )

    def dataset(self, name: str, parsed: DatasetConfig) -> Dataset:
        """Return a data set with its files.

        Texts come from `data`, a fetched data set; `m2` or `gold`, files with edits; and `source`
        and `references`. The last of these that is written counts.
        """
        at: Location = ("datasets", name)
        self.check_keys(parsed, at)
        empty_references: Literal["keep", "error", "none"] = (
            parsed.empty_references
        )
        if parsed.missing_annotator == "none":
            empty_references = "none"

        source: Input | None = None
        references: list[Input] = []
        if parsed.data is not None:
            source, references = self.texts_of_fetched(parsed.data, name)

        # gold edits
        m2: Path | Remote | None = None
        if parsed.m2 is not None:
            m2_entry = self.entry(parsed.m2, (*at, "m2"), name)
            m2 = self.find_path(m2_entry)
        gold: list[Path | Remote] = []
        for index, text in enumerate(parsed.gold):
            gold_entry = self.entry(text, (*at, "gold", index), name)
            gold.append(self.find_path(gold_entry))
        if not gold and m2 is not None:
            gold = [m2]

        # texts
        if parsed.source is not None:
            source_entry = self.entry(parsed.source, (*at, "source"), name)
            source = self.find_input(source_entry)
        for index, reference in enumerate(parsed.references):
            entry = self.entry(reference, (*at, "references", index), name)
            for file in self.find_inputs(entry):
                if isinstance(file, Column):
                    may_be_null = empty_references == "none"
                    references.append(replace(file, null=may_be_null))
                else:
                    references.append(file)
        if m2 is None and gold and not references:
            m2 = gold[0]  # references are made of the edits

        # lines
        node = self.nodes[at]
        keys = frozenset(node.value if isinstance(node.value, dict) else ())
        selection = self.select_lines(name, parsed)
        if parsed.outputs == "kept" and selection is None:
            self.add_problem(
                "has no effect without keep or drop; leave it out",
                (*at, "outputs"),
            )
        return Dataset(
            name=name,
            source=source,
            references=tuple(references),
            empty_references=empty_references,
            m2=m2,
            gold=tuple(gold),
            missing_annotator=parsed.missing_annotator,
            explicit="missing_annotator" in parsed.model_fields_set,
            selection=selection,
            outputs=parsed.outputs,
            replace=parsed.replace,
            keys=keys,
            has_unknown_keys=not keys <= DatasetConfig.model_fields.keys(),
            bom=tuple(parsed.bom)
            if isinstance(parsed.bom, list)
            else parsed.bom,
        )

    def check_keys(self, parsed: DatasetConfig, at: Location) -> None:
        """Add problems of keys that are missing, and of those that have no effect beside another."""
        keys = parsed.model_fields_set
        for key, other in IDLE_BESIDE:
            if key in keys and other in keys:
                message = (
                    f"'{key}' gives this already; leave one of the two out"
                )
                self.add_problem(message, (*at, other))
        if {"m2", "gold"} <= keys:
            message = "'m2' gives the edits already; leave one of the two out"
            self.add_problem(message, (*at, "gold"))
        if not keys & {"source", "references", "m2", "gold", "data"}:
            self.add_problem("the key 'references' is missing", at)
        if "missing_annotator" in keys:
            from_edits = "m2" in keys or (
                "gold" in keys and "references" not in keys
            )
            if not from_edits:
                self.add_problem(
                    "has no effect without m2; leave it out",
                    (*at, "missing_annotator"),
                )
        keeps_empty = (
            "empty_references" in keys and parsed.empty_references != "none"
        )
        if parsed.missing_annotator == "none" and keeps_empty:
            message = "missing_annotator: none needs `empty_references: none`"
            self.add_problem(message, (*at, "empty_references"))

    def texts_of_fetched(
        self, text: str, name: str
    ) -> tuple[Input | None, list[Input]]:
        """Return source and references of the fetched data set that a data set's key `data` names."""
        data = self.scorables.get(name)
        if data is None:
            missing = self.missing_path(f"{WrittenPath.DATA}{text}")
            return missing, [missing]
        at: Location = ("datasets", name, "data")
        source, *references = self.cached_paths(
            [data.source, *data.references], at
        )
        return source, list(references)

    def select_lines(
        self, name: str, parsed: DatasetConfig
    ) -> Selection | None:
        """Return the lines that `keep` or `drop` selects, or None for all.

        The key has a list of numbers and ranges, or names a file of them.
        """
        keys = [
            key for key in ("keep", "drop") if getattr(parsed, key) is not None
        ]
        if len(keys) == 2:
            self.add_problem(
                "give keep or drop, not both", ("datasets", name, "drop")
            )
        if len(keys) != 1:
            return None
        location: Location = ("datasets", name, keys[0])
        node = self.nodes[location]
        with gathered(self.problems):
            numbers = node.value if isinstance(node.value, list) else [node]
            items = []
            for child in numbers:
                items.append((str(child.value), f"{child.mark}: {child.path}"))
            is_text = isinstance(node.value, str)
            if is_text and not re.fullmatch(NUMBER_OR_RANGE, str(node.value)):
                path = self.find_path(
                    self.entry(str(node.value), location, name)
                )
                if isinstance(path, Remote):
                    message = "is an address; only source, references, m2 and outputs may be one"
                    self.add_problem(f"'{path}' {message}", location)
                    return None
                if path in self.missing_files:
                    return None
                items = _read_line_numbers(path)
            return Selection.of(keys[0] == "keep", items)
        return None

    def systems(self) -> tuple[System, ...]:
        """Return all systems with their outputs."""
        parsed = self.parsed.systems
        if isinstance(parsed, dict):
            systems = [
                self.system(name, value) for name, value in parsed.items()
            ]
        else:
            globs = parsed if isinstance(parsed, list) else [OFFICIAL]
            systems = self.systems_of_globs(globs)
        return tuple(systems)

    def system(self, name: str, parsed: object) -> System:
        """Return a system. The config has one text for all data sets, or a mapping of data sets."""
        at: Location = ("systems", name)
        datasets = list(self.parsed.datasets)
        location_of = dict.fromkeys(datasets, at)
        texts = dict.fromkeys(datasets, parsed)
        if isinstance(parsed, dict):
            location_of = {dataset: (*at, dataset) for dataset in parsed}
            texts = parsed
            if not parsed:
                message = "has no output; name one for at least one data set"
                self.add_problem(message, at)
        paths = {}
        for dataset, text in texts.items():
            location = location_of[dataset]
            if dataset in datasets:
                entry = self.entry(text, location, dataset, name)
                paths[dataset] = self.find_output(entry)
            else:
                hint = did_you_mean(dataset, [*datasets, *TEXT_FORMATS])
                self.add_problem(f"no data set of this name{hint}", location)
        return System(name, paths)

    def find_output(self, entry: Entry) -> Input:
        """Return the output of a system; a glob must match one file."""
        files = self.find_inputs(entry)
        if len(files) == 1:
            return self.by_suffix(files[0])
        pattern = self.expand_path(entry)
        if files:
            displayed = (
                Remote(pattern) if WrittenPath(pattern).is_remote else pattern
            )
            message = (
                f"{len(files)} files match '{displayed}'; a system has one"
            )
            self.add_problem(message, entry.location)
        if WrittenPath(pattern).is_data:
            return self.missing_path(pattern)
        return self.find_path(entry)

    def systems_of_globs(self, globs: list[str]) -> list[System]:
        """Return the systems whose outputs match globs.

        Each is named after its file, without the suffix that all globs share.
        """
        entries = []
        for index, pattern in enumerate(globs):
            entries.append(self.entry(pattern, ("systems", index), "{dataset}"))
        suffixes = {
            Path(entry.text).suffix
            for entry in entries
            if WrittenPath(entry.text).is_glob
        }
        common_suffix = ""
        if len(suffixes) == 1:
            (suffix,) = suffixes
            if suffix[1:].isalpha():
                common_suffix = suffix

        paths_by_system: dict[str, dict[str, Path | Remote]] = {}
        for entry in entries:
            at = entry.location
            matched: dict[Path | Remote, None] = {}
            for dataset in self.parsed.datasets:
                of_dataset = self.find_outputs(replace(entry, dataset=dataset))
                for path, file_name in of_dataset.items():
                    matched[path] = None
                    name = file_name.removesuffix(common_suffix)
                    twin = paths_by_system.setdefault(name, {}).setdefault(
                        dataset, path
                    )
                    if twin != path:
                        message = f"two files would both be the system '{name}': {twin} and {path}"
                        self.add_problem(message, at)
            if not matched and entry.text == OFFICIAL:
                self.add_problem("no data set here has outputs of its own", at)
            elif not matched:
                self.report_unmatched(entry)
            key = f"systems[{at[-1]}]"
            self.matches.append(Match(key, entry.text, tuple(matched)))

        systems = []
        for name, paths in paths_by_system.items():
            for dataset in self.parsed.datasets:
                if dataset not in paths:
                    self.notes.append(
                        f"{dataset}: no output of system {name} matches"
                    )
            outputs = {
                dataset: self.by_suffix(path) for dataset, path in paths.items()
            }
            systems.append(System(name, outputs))
        return systems

    def find_outputs(self, entry: Entry) -> dict[Path | Remote, str]:
        """Return the outputs of a data set that match a glob, each with the name of its system."""
        pattern = entry.text
        if pattern == OFFICIAL:
            if entry.dataset not in self.scorables:
                return {}
            official = self.scorables[entry.dataset].systems
            paths = self.cached_paths(list(official.values()), entry.location)
            return dict(zip(paths, official, strict=True))
        files: list[Path | Remote] = [WrittenPath.STDIN]
        if pattern != "-":
            files = self.find_files(replace(entry, system="*"))
        written = self.expand_path(entry).removeprefix(WrittenPath.DATA)
        return {path: System.name_of(path, written) for path in files}

    def check_names(self, names: Sequence[str], section: str) -> None:
        """Add problems of names that a table cannot show, and of names that differ in case only."""
        seen: dict[str, str] = {}
        for name in names:
            twin = seen.setdefault(name.lower(), name)
            if twin != name:
                message = f"differs from '{twin}' in upper and lower case only"
                self.add_problem(message, (section, name))
            reason = wrong_name(name, Config.MAX_NAME)
            if reason:
                message = f"'{name[: Config.MAX_NAME + 1]}' cannot be a name: {reason}"
                self.add_problem(message, (section, name))

    # ---- from an entry to a file: on this computer, at an address, or of a data set

    def entry(
        self,
        written: object,
        location: Location,
        dataset: str,
        system: str = "{system}",
    ) -> Entry:
        """Return the text that the config names at a location, for a data set and a system.

        A location may lie below the last node, if a default stands for what is not written.
        """
        if not isinstance(written, Record):
            written = str(written)
        known = location
        while known not in self.nodes:
            known = known[:-1]
        node = self.nodes[known]
        return Entry(
            written=written,
            location=location,
            folder=node.folder,
            key=node.path,
            dataset=dataset,
            system=system,
        )

    def add_problem(self, message: str, location: Location) -> None:
        """Add a problem with the value at a location of the config."""
        self.problems.append(Problem("", message, location=location))

    def find_inputs(self, entry: Entry) -> list[Input]:
        """Return where the texts of an entry are.

        A glob stands for all files that it matches. It is a problem if it matches none.
        """
        if (
            isinstance(entry.written, Record)
            or not WrittenPath(entry.text).is_glob
        ):
            return [self.find_input(entry)]
        files = self.find_files(entry)
        pattern = self.expand_path(entry)
        if not files:
            self.report_unmatched(replace(entry, written=pattern))
        self.matches.append(Match(entry.key, pattern, tuple(files)))
        return [*files]

    def find_input(self, entry: Entry) -> Input:
        """Return where the texts of an entry are, which is no glob: a file or a column of records.

        The first line of a table has the names of columns if the config says so, or by default if
        it names the column or the ids by other than a number.
        """
        record = entry.written
        if not isinstance(record, Record):
            return self.find_path(entry)
        location = entry.location
        of_path = (*location, record.format)
        path_entry = self.entry(
            record.path, of_path, entry.dataset, entry.system
        )
        path = self.find_path(path_entry)
        text_format = TEXT_FORMATS[record.format]
        is_number = bool(re.fullmatch(r"[1-9][0-9]{0,5}", record.column))
        header = False
        if text_format.header:
            header = not is_number if record.header is None else record.header
            if not is_number and not header:
                message = "without a header the column must be a number, from 1"
                self.add_problem(message, (*location, "header"))
        key = record.key
        if not key and text_format.column:
            key = self.parsed.datasets[entry.dataset].key
        if text_format.header and key and not key.isdecimal():
            header = True
        return Column(
            kind=record.format,
            path=path,
            column=record.column,
            header=header,
            key=key or "",
        )

    def find_path(self, entry: Entry) -> Path | Remote:
        """Return the path or address of an entry.

        Adds a problem for a file of a data set that is unknown or missing.
        """
        if entry.text == "-":
            return WrittenPath.STDIN
        if entry.text == ABSENT:
            return self.missing_path(entry.text)
        text = self.expand_path(entry)
        if not WrittenPath(text).is_data:
            path = WrittenPath(text).located(entry.folder)
            self.locations.setdefault(str(path), entry.location)
            return path
        try:
            file = self.catalogue.file(text)
        except DataError as error:
            self.add_problem(str(error), entry.location)
            return self.missing_path(entry.text)
        return self.cached_paths([file], entry.location)[0]

    def find_files(self, entry: Entry) -> list[Path | Remote]:
        """Return the files that match the pattern of an entry, here, at an address or of a data set.

        Adds a problem for missing files of data sets, and if no file at an address matches.
        """
        pattern = self.expand_path(entry)
        if WrittenPath(pattern).is_data:
            try:
                data_files = self.catalogue.files_in_config(pattern)
            except DataError:
                return []
            return [*self.cached_paths(data_files, entry.location)]
        try:
            return WrittenPath(pattern).files(entry.folder)
        except CorpusError as error:
            for problem in error.problems:
                self.add_problem(str(problem), entry.location)
            return []

    def expand_path(self, entry: Entry) -> str:
        """Return the path of an entry with its placeholders, ~ and variables replaced.

        Adds a problem for a variable that is not set.

        {name} stands for the name of the data set or system that has the path. A file that exists
        under the name as it is written, with such signs, is meant literally.
        """
        plain = entry.filled(entry.text)
        path = entry.folder / plain
        if WrittenPath(plain).exists(entry.folder):
            return plain
        placeholder = (
            "{dataset}" if entry.location[0] == "datasets" else "{system}"
        )
        try:
            text = (
                WrittenPath(entry.text)
                .expanded(entry.folder)
                .replace("{name}", placeholder)
            )
        except DataError as error:
            problem = Problem("", str(error), location=entry.location)
            if problem not in self.problems:
                self.problems.append(problem)
            self.missing_files.add(path)
            return plain
        return entry.filled(text)

    def missing_path(self, text: str) -> Path:
        """Return a path in place of a file that has a problem already, so that it is not opened."""
        self.missing_files.add(Path(text))
        return Path(text)

    def cached_paths(
        self, files: Sequence[DataFile], location: Location
    ) -> list[Path]:
        """Return the paths of fetched files in the cache; adds a problem if some are missing."""
        try:
            self.cache.locate(files)
        except DataError as error:
            for problem in error.problems:
                self.add_problem(problem.message, location)
            self.missing_files |= {self.cache.path(file) for file in files}
        return [self.cache.path(file) for file in files]

    def by_suffix(self, output: Input) -> Input:
        """Return an output, as a column if its file has a suffix such as .m2 (see TextFormat.open)."""
        if isinstance(output, Column):
            return output
        for name, text_format in TEXT_FORMATS.items():
            if not text_format.open:
                continue
            suffixes = "|".join(map(re.escape, (name, *text_format.suffixes)))
            # also of compressed files, such as .m2.gz
            if re.search(
                rf"\.({suffixes})(\.[a-z0-9]+)?$", output.name.lower()
            ):
                return Column(kind=name, path=output, column="")
        return output

    def report_unmatched(self, entry: Entry) -> None:
        """Add the problem that a glob matches no file; glob() has added that of an address."""
        message = f"no file matches '{entry.text}'"
        if WrittenPath(entry.text).is_data:
            try:
                self.catalogue.files_in_config(entry.text)
            except DataError as error:
                message = str(error)
        if not WrittenPath(entry.text).is_remote:
            self.add_problem(message, entry.location)


def _read_line_numbers(path: Path) -> list[tuple[str, str]]:
    """Return the lines of a file of numbers and ranges that are not blank, each with its position.

    Raises InputError where it cannot be read, or has none.
    """
    items = []
    for number, line in enumerate(
        small_text(path, MAX_NUMBERS_BYTES).split("\n"), 1
    ):
        if line.strip():
            items.append((line.strip(), f"{path}:{number}"))
    if not items:
        raise ConfigError.at(path, "names no line")
    return items
