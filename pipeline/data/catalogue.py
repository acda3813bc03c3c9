"""The data sets that can be fetched, as `datasets.yaml` describes them.

Nothing here uses the network.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from ..errors import DataError, did_you_mean, known_names
from ..extension import installed
from ..files import WrittenPath

_UNKNOWN = {"repository": "", "commit": "", "sha256": "", "bytes": "0"}
"""Defaults in the description of a file that is not fetched."""


@dataclass(frozen=True, kw_only=True)
class DataFile:
    """A file of a data set, and where it is published."""

    dataset: str
    name: str
    """Its path inside the data set, which need not be its path in the repository."""
    repository: str
    """The repository on GitHub: OWNER/NAME."""
    commit: str
    path: str
    """Its path in the repository."""
    size: int
    """In bytes."""
    sha256: str
    """64 hexadecimal digits."""
    licence: str
    """The licence that the repository states."""
    how_to_obtain: str = ""
    """Where a user gets a file that is not fetched because of its licence; empty for other files.

    Repository, commit, size (0) and SHA-256 of such a file may be unknown.
    """

    @property
    def key(self) -> str:
        """NAME/FILE, which is also the path inside the cache."""
        return f"{self.dataset}/{self.name}"

    @property
    def address(self) -> str:
        """REPOSITORY/COMMIT/PATH, the layout of every mirror, without unknown parts."""
        return "/".join(filter(None, (self.repository, self.commit, self.path)))


@dataclass(frozen=True)
class Scorable:
    """A data set, or a part of one, that a config can name."""

    source: DataFile
    references: tuple[DataFile, ...]
    systems: Mapping[str, DataFile]
    """The official outputs, by the name of the system."""


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """A data set: an entry of `datasets.yaml`."""

    name: str
    title: str
    note: str
    files: Mapping[str, DataFile]
    """By their names."""
    citations: tuple[str, ...]
    """Keys of citations.bib."""
    parts: Mapping[str, Mapping[str, Any]]
    """The parts that can be scored, each with the keys source, references and systems of
    `datasets.yaml`."""
    home: str = field(default="", compare=False)
    """The config that adds it; empty for one of `datasets.yaml`."""

    def file(self, name: str) -> DataFile:
        """Return the file of this name; raises DataError, which suggests the nearest name."""
        if name not in self.files:
            hint = did_you_mean(name, self.files)
            hint = hint or f"; `gec-pipeline data list {self.name}` lists them"
            raise DataError(
                f"the data set {self.name} has no file '{name}'{hint}"
            )
        return self.files[name]

    def matching(self, pattern: str) -> list[DataFile]:
        """Return the files of a name, a folder or a glob (* matches no slash).

        Raises DataError if there are none.
        """
        if pattern in self.files:
            return [self.files[pattern]]
        pattern_steps = pattern.rstrip("/").split("/")
        in_folder = []
        exact = []
        for name, file in self.files.items():
            steps = name.split("/")
            if len(steps) < len(pattern_steps):
                continue
            if all(map(fnmatchcase, steps, pattern_steps)):
                in_folder.append(file)
                if len(steps) == len(pattern_steps):
                    exact.append(file)
        return exact or in_folder or [self.file(pattern)]


def _text(name: str) -> str:
    """Return the text of a file beside this one."""
    from importlib import resources  # here, because few commands use it

    return (resources.files("pipeline.data") / name).read_text(encoding="utf-8")


def read_catalogue(text: str) -> "Catalogue":
    """Return the data sets that YAML text describes, by their names."""
    import yaml

    # builds text, lists and mappings, and nothing else
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    written: dict[str, Any] = yaml.load(text, loader)  # noqa: S506
    data_sets = Catalogue()
    for name, entry in written.items():
        data_sets[name] = _data_set(name, entry)
    return data_sets


def _data_set(name: str, entry: Mapping[str, Any], home: str = "") -> DataSet:
    files: dict[str, DataFile] = {}
    citations: dict[str, None] = {}
    for group in entry["from"]:
        citations.update(dict.fromkeys(group.get("cite", ())))
        listed = group["files"]
        if isinstance(listed, str) and not home:
            listed = _listed_files(listed)
        for file_name, described in listed.items():
            is_fetched = "given" not in group and "given" not in described
            about = {"path": file_name, "licence": "not stated"}
            about |= {} if is_fetched else _UNKNOWN
            about |= group | described
            files[file_name] = DataFile(
                dataset=name,
                name=file_name,
                repository=about["repository"],
                commit=about["commit"],
                path=about["path"],
                size=int(about["bytes"]),
                sha256=about["sha256"],
                licence=about["licence"],
                how_to_obtain=" ".join(about.get("given", "").split()),
            )
    return DataSet(
        name=name,
        title=entry.get("title", name),
        note=entry.get("note", ""),
        files=files,
        citations=tuple(citations),
        parts=entry.get("sets", {}),
        home=home,
    )


def _listed_files(name: str) -> dict[str, dict[str, str]]:
    """Return the descriptions in a list of files beside this one: PATH BYTES SHA256 a line."""
    files = {}
    for line in _text(name).splitlines():
        path, size, checksum = line.split()
        files[path] = {"bytes": size, "sha256": checksum}
    return files


_STEP = r"(?!\.{1,2}(?:/|$))[^/\\:\x00-\x1f]+"
_CHECKED = {
    "dataset": re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*"),
    "name": re.compile(rf"{_STEP}(?:/{_STEP})*"),
    "repository": re.compile(r"(?:[\w-][\w.-]*/[\w-][\w.-]*)?"),
    "commit": re.compile(r"(?:[0-9a-f]{40})?"),
    "sha256": re.compile(r"(?:[0-9a-f]{64})?"),
}
"""What members of a file of a config's data set must match. Those that may be empty are unknown for
files that are not fetched."""


def _wrong_key(file: DataFile) -> str:
    """Return the first member of a file that is invalid, or an empty text."""
    for key, form in _CHECKED.items():
        if not form.fullmatch(str(getattr(file, key))):
            return key
    return "" if file.sha256 or file.how_to_obtain else "sha256"


class Catalogue(dict[str, DataSet]):
    """The data sets that can be fetched, by name."""

    @staticmethod
    @cache
    def known() -> "Catalogue":
        """Return all data sets by name: those of `datasets.yaml`, then those of extensions."""
        data_sets = read_catalogue(_text("datasets.yaml"))
        for extension in installed().values():
            if extension.data_sets:
                text = (extension.folder / extension.data_sets).read_text(
                    encoding="utf-8"
                )
                data_sets = Catalogue(read_catalogue(text) | data_sets)
        return data_sets

    def add(self, written: Any, home: str) -> None:
        """Add the data sets of the section `catalogue` of the config `home`.

        It is written as `datasets.yaml` is. A data set of the same name from an earlier config is
        replaced. Raises DataError for what is no data set.
        """
        if not isinstance(written, dict):
            written = {"": written}
        for name, entry in written.items():
            try:
                dataset = _data_set(name, entry, home)
            except (KeyError, TypeError, AttributeError, ValueError):
                expected = (
                    "from: [{repository: OWNER/NAME, commit: COMMIT, files: {PATH: {bytes: N, sha256: "
                    "SUM}}}]"
                )
                raise DataError(
                    f"catalogue: {name}: expected {expected}"
                ) from None
            for file in dataset.files.values():
                key = _wrong_key(file)
                if key:
                    value = getattr(file, key)
                    raise DataError(
                        f"catalogue: {name}: {file.name}: '{value}' can be no {key}"
                    )
            if not self.get(name, dataset).home:
                known = "a data set of `gec-pipeline data list` is called so"
                raise DataError(
                    f"catalogue: {name}: {known}; name it otherwise"
                )
            self[name] = dataset

    def data_set(self, name: str) -> DataSet:
        """Return the data set of this name; raises DataError, which suggests the nearest name."""
        if name not in self:
            raise DataError(
                f"no data set is called '{name}'{known_names(name, self, 'known:')}"
            )
        return self[name]

    def files(self, text: str) -> list[DataFile]:
        """Return the files of NAME, NAME/FILE, NAME/FOLDER or NAME/GLOB, with or without data: before.

        Raises DataError if there are none.
        """
        name, slash, pattern = text.removeprefix(WrittenPath.DATA).partition(
            "/"
        )
        dataset = self.data_set(name)
        return (
            dataset.matching(pattern) if slash else list(dataset.files.values())
        )

    def files_in_config(self, text: str) -> list[DataFile]:
        """Return the files of data:NAME/FILE or data:NAME/GLOB in a config; raises DataError if none."""
        return (
            self.files(text) if "/" in text.rstrip("/") else [self.file(text)]
        )

    def file(self, text: str) -> DataFile:
        """Return the file of data:NAME/FILE; raises DataError if there is none."""
        name, _, file = text.removeprefix(WrittenPath.DATA).partition("/")
        dataset = self.data_set(name)
        if not file:
            example = f"data:{name}/{next(iter(dataset.files))}"
            raise DataError(
                f"'{text}' names no file; expected data:{name}/FILE, such as {example}"
            )
        return dataset.file(file)

    def scorable(self, text: str) -> Scorable:
        """Return what NAME or NAME/PART in a config names; raises DataError, which lists valid names."""
        parts_by_name = self.scorables()
        name = text.removeprefix(WrittenPath.DATA)
        if name in parts_by_name:
            dataset, part = parts_by_name[name]
            about = dataset.parts[part]
            source, *references = self._files(
                dataset, [about["source"], *about["references"]]
            )
            systems = {}
            for file in self._files(dataset, about.get("systems", ())):
                systems[file.name.rpartition("/")[2].removesuffix(".txt")] = (
                    file
                )
            return Scorable(source, tuple(references), systems)
        parts = [
            key
            for key, (dataset, _) in parts_by_name.items()
            if dataset.name == name
        ]
        if parts:
            raise DataError(
                f"the data set {name} has several parts; name one: {', '.join(parts)}"
            )
        if name in self:
            message = (
                f"the data set {name} has no source and references of its own"
            )
            raise DataError(f"{message}; name its files as data:{name}/FILE")
        hint = did_you_mean(name, [*parts_by_name, *self])
        raise DataError(
            f"no data set is called '{name}'{hint}; known: {', '.join(parts_by_name)}"
        )

    def scorables(self) -> dict[str, tuple[DataSet, str]]:
        """Return (data set, part) by its name in a config: NAME, or NAME/PART if there are several."""
        by_name = {}
        for dataset in self.values():
            for part in dataset.parts:
                name = (
                    dataset.name
                    if len(dataset.parts) == 1
                    else f"{dataset.name}/{part}"
                )
                by_name[name] = (dataset, part)
        return by_name

    def _files(self, dataset: DataSet, names: Iterable[str]) -> list[DataFile]:
        """Return files of a data set; names that begin with data: are those of another one."""
        files: list[DataFile] = []
        for name in names:
            files += (
                self.files(name)
                if WrittenPath(name).is_data
                else dataset.matching(name)
            )
        return files
