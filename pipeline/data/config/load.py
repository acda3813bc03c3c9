"""From the YAML file to a checked config, with all problems and their positions at once.

load() reads the file as a tree (`compose.py`), checks it against the models of the sections
(`models.py`), and has a Resolver find names and files. The other rooms read `Config`. The options
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
from ..catalogue import DataFile, Scorable, bring, named_in, named_one, scorable
from ..dataset_cache import cache_path, locate_all
from . import models, resolved
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
from .resolved import (
    Column,
    Config,
    Dataset,
    Input,
    Match,
    Selection,
    System,
    TextFormat,
)
from .tree import Location, Node

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
MAX_NAME = 100
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


def load(
    config: str | Path | Node,
    settings: Sequence[str],
    formats: Mapping[str, TextFormat],
    problems: list[Problem],
) -> LoadedConfig:
    """Return a config and the nodes of its metrics, and add all problems.

    `settings` are the values of `--set`; `formats` are the formats of texts that a config may name.
    The metrics are returned even if the config has problems elsewhere, so that all problems can be
    shown together. Raises ConfigError where the file is not a YAML mapping at all.
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
    parsed = validate(tree, plain, problems, record_models(formats), sections)
    if parsed is None:
        return LoadedConfig(None, metric_nodes)
    resolver = Resolver(nodes, parsed, formats)
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


def record_models(formats: Mapping[str, TextFormat]) -> Records:
    """Return a model for each format: the path under the name of the format, and its other keys."""
    records: Records = {}
    for name, declared in formats.items():
        fields: dict[str, Any] = {"path": (models.PathText, Field(alias=name))}
        if declared.column:
            fields["column"] = (
                models.Column,
                Field(description=declared.column),
            )
            about = f"{models.KEY}; default: the key of the data set"
            fields["key"] = (
                models.Column | None,
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
    """A text of a data set, or outputs of a system, as the config writes it."""

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

    @property
    def is_glob(self) -> bool:
        """Whether it is a pattern of paths."""
        return WrittenPath(self.text).is_glob

    @property
    def is_remote(self) -> bool:
        """Whether it is an address."""
        return WrittenPath(self.text).is_remote

    def filled(self, text: str) -> str:
        """Return a path with the names of the data set and the system in place of placeholders."""
        return resolved.fill(text, self.dataset, self.system)


class Resolver:
    """Turns parsed data sets and systems into those of a run; adds a problem for what cannot be
    had.
    """

    def __init__(
        self,
        nodes: Mapping[Location, Node],
        parsed: ConfigFile,
        formats: Mapping[str, TextFormat],
    ) -> None:
        self.nodes = nodes
        self.parsed = parsed
        self.formats = formats
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

    def datasets(self) -> tuple[Dataset, ...]:
        """Return the data sets; adds the problems of those that are wrong."""
        try:
            bring(self.parsed.catalogue, self.nodes[()].mark.file)
        except DataError as error:
            self.problem(str(error).removeprefix("catalogue: "), ("catalogue",))
        for name, parsed in self.parsed.datasets.items():
            if parsed.data is not None:
                try:
                    text = resolved.fill(parsed.data, name, "{system}")
                    self.scorables[name] = scorable(text)
                except DataError as error:
                    self.problem(str(error), ("datasets", name, "data"))
        for name in set(self.formats) & set(self.parsed.datasets):
            message = f"'{name}' is the name of a file format, so no data set can have it"
            self.problem(message, ("datasets", name))
        return tuple(
            self.dataset(name, parsed)
            for name, parsed in self.parsed.datasets.items()
        )

    def dataset(self, name: str, parsed: DatasetConfig) -> Dataset:
        """Return a data set."""
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
            source, references = self.fetched_texts(parsed.data, name)
        m2: Path | Remote | None = None
        if parsed.m2 is not None:
            m2_entry = self.entry(parsed.m2, (*at, "m2"), name)
            m2 = self.path(m2_entry)
        gold: list[Path | Remote] = []
        for index, text in enumerate(parsed.gold):
            gold_entry = self.entry(text, (*at, "gold", index), name)
            gold.append(self.path(gold_entry))
        if not gold and m2 is not None:
            gold = [m2]
        if parsed.source is not None:
            source_entry = self.entry(parsed.source, (*at, "source"), name)
            source = self.input(source_entry)
        for index, reference in enumerate(parsed.references):
            entry = self.entry(reference, (*at, "references", index), name)
            for file in self.inputs(entry):
                if isinstance(file, Column):
                    may_be_null = empty_references == "none"
                    references.append(replace(file, null=may_be_null))
                else:
                    references.append(file)
        if m2 is None and gold and not references:
            m2 = gold[0]

        node = self.nodes[at]
        keys = frozenset(node.value if isinstance(node.value, dict) else ())
        selection = self.selection(name, parsed)
        if parsed.outputs == "kept" and selection is None:
            self.problem(
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
                self.problem(message, (*at, other))
        if {"m2", "gold"} <= keys:
            message = "'m2' gives the edits already; leave one of the two out"
            self.problem(message, (*at, "gold"))
        if not keys & {"source", "references", "m2", "gold", "data"}:
            self.problem("the key 'references' is missing", at)
        if "missing_annotator" in keys:
            from_edits = "m2" in keys or (
                "gold" in keys and "references" not in keys
            )
            if not from_edits:
                self.problem(
                    "has no effect without m2; leave it out",
                    (*at, "missing_annotator"),
                )
        keeps_empty = (
            "empty_references" in keys and parsed.empty_references != "none"
        )
        if parsed.missing_annotator == "none" and keeps_empty:
            message = "missing_annotator: none needs `empty_references: none`"
            self.problem(message, (*at, "empty_references"))

    def fetched_texts(
        self, text: str, name: str
    ) -> tuple[Input | None, list[Input]]:
        """Return source and references of a fetched data set that the config names as a whole."""
        data = self.scorables.get(name)
        if data is None:
            missing = self.missing(f"{WrittenPath.DATA}{text}")
            return missing, [missing]
        at: Location = ("datasets", name, "data")
        source, *references = self.fetched([data.source, *data.references], at)
        return source, list(references)

    def selection(self, name: str, parsed: DatasetConfig) -> Selection | None:
        """Return the lines that `keep` or `drop` selects, or None for all."""
        keys = [
            key for key in ("keep", "drop") if getattr(parsed, key) is not None
        ]
        if len(keys) == 2:
            self.problem(
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
                path = self.path(self.entry(str(node.value), location, name))
                if isinstance(path, Remote):
                    message = "is an address; only source, references, m2 and outputs may be one"
                    self.problem(f"'{path}' {message}", location)
                    return None
                if path in self.missing_files:
                    return None
                items = _read_line_numbers(path)
            return resolved.select_lines(keys[0] == "keep", items)
        return None

    def systems(self) -> tuple[System, ...]:
        """Return the systems; adds the problems of those that are wrong. Call it after `datasets`."""
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
        """Return a system with the same path for all data sets, or one for each data set that it
        names.
        """
        at: Location = ("systems", name)
        datasets = list(self.parsed.datasets)
        entries = {}
        if isinstance(parsed, dict):
            for dataset in parsed:
                if dataset not in datasets:
                    hint = did_you_mean(dataset, [*datasets, *self.formats])
                    self.problem(
                        f"no data set of this name{hint}", (*at, dataset)
                    )
            if not parsed:
                self.problem(
                    "has no output; name one for at least one data set", at
                )
            for dataset, text in parsed.items():
                if dataset in datasets:
                    entries[dataset] = self.entry(
                        text, (*at, dataset), dataset, name
                    )
        else:
            for dataset in datasets:
                entries[dataset] = self.entry(parsed, at, dataset, name)
        outputs = {
            dataset: self.output(entry) for dataset, entry in entries.items()
        }
        return System(name, outputs)

    def output(self, entry: Entry) -> Input:
        """Return a system's output; a glob must match one file. One whose name says so is a file of
        edits.
        """
        files = self.inputs(entry)
        if len(files) == 1:
            return self.by_name(files[0])
        pattern = self.expanded(entry.text, entry)
        if files:
            displayed = (
                Remote(pattern) if WrittenPath(pattern).is_remote else pattern
            )
            message = (
                f"{len(files)} files match '{displayed}'; a system has one"
            )
            self.problem(message, entry.location)
        if WrittenPath(pattern).is_data:
            return self.missing(pattern)
        return self.path(entry)

    def systems_of_globs(self, globs: list[str]) -> list[System]:
        """Return the systems whose outputs match globs. Each is named after its file, without a
        common suffix.
        """
        entries = []
        for index, pattern in enumerate(globs):
            entries.append(self.entry(pattern, ("systems", index), "{dataset}"))
        suffixes = {
            Path(entry.text).suffix for entry in entries if entry.is_glob
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
                of_dataset = self.outputs(replace(entry, dataset=dataset))
                for path, file_name in of_dataset.items():
                    matched[path] = None
                    name = file_name.removesuffix(common_suffix)
                    twin = paths_by_system.setdefault(name, {}).setdefault(
                        dataset, path
                    )
                    if twin != path:
                        message = f"two files would both be the system '{name}': {twin} and {path}"
                        self.problem(message, at)
            if not matched and entry.text == OFFICIAL:
                self.problem("no data set here has outputs of its own", at)
            elif not matched:
                self.unmatched(entry)
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
                dataset: self.by_name(path) for dataset, path in paths.items()
            }
            systems.append(System(name, outputs))
        return systems

    def outputs(self, entry: Entry) -> dict[Path | Remote, str]:
        """Return the outputs for a data set that match a pattern of the list of systems, with the
        systems' names.
        """
        pattern = entry.text
        if pattern == OFFICIAL:
            if entry.dataset not in self.scorables:
                return {}
            official = self.scorables[entry.dataset].systems
            paths = self.fetched(list(official.values()), entry.location)
            return dict(zip(paths, official, strict=True))
        files: list[Path | Remote] = [WrittenPath.STDIN]
        if pattern != "-":
            any_system = replace(entry, system="*")
            files = self.files(any_system, is_pattern=True)
        written = self.expanded(pattern, entry).removeprefix(WrittenPath.DATA)
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

    # ---- from an entry to a file: on this computer, at an address, or of a data set

    def entry(
        self,
        written: object,
        location: Location,
        dataset: str,
        system: str = "{system}",
    ) -> Entry:
        """Return an entry at a location of the config."""
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

    def problem(self, message: str, location: Location) -> None:
        """Add a problem with the value at a location of the config."""
        self.problems.append(Problem("", message, location=location))

    def inputs(self, entry: Entry) -> list[Input]:
        """Return where the texts of an entry are; a glob may match several files, or none, which is
        a problem.
        """
        if isinstance(entry.written, Record) or not entry.is_glob:
            return [self.input(entry)]
        files = self.files(entry, is_pattern=True)
        pattern = self.expanded(entry.text, entry)
        if not files:
            self.unmatched(replace(entry, written=pattern))
        self.matches.append(Match(entry.key, pattern, tuple(files)))
        return [*files]

    def input(self, entry: Entry) -> Input:
        """Return where the texts of an entry are.

        The first line of a table holds names as the config says, or else if the column has a name.
        """
        record = entry.written
        if not isinstance(record, Record):
            return self.path(entry)
        location = entry.location
        of_path = (*location, record.format)
        path_entry = self.entry(
            record.path, of_path, entry.dataset, entry.system
        )
        path = self.path(path_entry)
        text_format = self.formats[record.format]
        is_number = bool(re.fullmatch(r"[1-9][0-9]{0,5}", record.column))
        header = False
        if text_format.header:
            header = not is_number if record.header is None else record.header
            if not is_number and not header:
                message = "without a header the column must be a number, from 1"
                self.problem(message, (*location, "header"))
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

    def path(self, entry: Entry) -> Path | Remote:
        """Return the path or address of an entry."""
        text = entry.text
        if text == "-":
            return WrittenPath.STDIN
        if text == ABSENT:
            return self.missing(text)
        files = self.files(entry, is_pattern=False)
        return files[0] if files else self.missing(text)

    def files(self, entry: Entry, *, is_pattern: bool) -> list[Path | Remote]:
        """Return the file that an entry names, or all files that match its pattern.

        They are on this computer, at an address, or of a fetched data set. Adds a problem for a
        single file of a data set that is unknown, for missing files of data sets, and if no file at
        an address matches.
        """
        text = self.expanded(entry.text, entry)
        if not WrittenPath(text).is_data:
            if not is_pattern:
                path = WrittenPath(text).located(entry.folder)
                self.locations.setdefault(str(path), entry.location)
                return [path]
            try:
                return WrittenPath(text).files(entry.folder)
            except CorpusError as error:
                for problem in error.problems:
                    self.problem(str(problem), entry.location)
                return []
        try:
            data_files = named_in(text) if is_pattern else [named_one(text)]
        except DataError as error:
            if not is_pattern:
                self.problem(str(error), entry.location)
            return []
        return [*self.fetched(data_files, entry.location)]

    def expanded(self, text: str, entry: Entry) -> str:
        """Return a path with its placeholders, ~ and variables replaced; adds a problem for an
        unset variable.

        {name} is the name of what has the path, a data set or a system. A file whose very name is
        written so stays.
        """
        plain = entry.filled(text)
        path = entry.folder / plain
        if WrittenPath(plain).exists(entry.folder):
            return plain
        placeholder = (
            "{dataset}" if entry.location[0] == "datasets" else "{system}"
        )
        try:
            text = (
                WrittenPath(text)
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

    def missing(self, text: str) -> Path:
        """Return a path that stands for a file that cannot be had, and whose problem was added
        before.
        """
        self.missing_files.add(Path(text))
        return Path(text)

    def fetched(
        self, files: Sequence[DataFile], location: Location
    ) -> list[Path]:
        """Return the paths of files of data sets; adds a problem if some are missing."""
        try:
            locate_all(files)
        except DataError as error:
            for problem in error.problems:
                self.problem(problem.message, location)
            self.missing_files |= {cache_path(file) for file in files}
        return [cache_path(file) for file in files]

    def by_name(self, output: Input) -> Input:
        """Return an output; it is a column if its name has the suffix of a format read at once."""
        if isinstance(output, Column):
            return output
        for name, text_format in self.formats.items():
            if not text_format.open:
                continue
            suffixes = "|".join(map(re.escape, (name, *text_format.suffixes)))
            # packed or not
            if re.search(
                rf"\.({suffixes})(\.[a-z0-9]+)?$", output.name.lower()
            ):
                return Column(kind=name, path=output, column="")
        return output

    def unmatched(self, entry: Entry) -> None:
        """Add the problem of a pattern that matches no file. An address has that problem already."""
        message = f"no file matches '{entry.text}'"
        if WrittenPath(entry.text).is_data:
            try:
                named_in(entry.text)
            except DataError as error:
                message = str(error)
        if not entry.is_remote:
            self.problem(message, entry.location)


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
