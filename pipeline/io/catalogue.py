"""The data sets that can be fetched: what `datasets.yaml` says, read and checked. Nothing here touches the network."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from ..errors import DataError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PREFIX = "data:"
"""What a path begins with that names a file of a data set: data:NAME/FILE."""
_STEP = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
_ENTRY = re.compile(r"^@[a-z]+\{([^,\s]+),\n.*?^\}\n", re.MULTILINE | re.DOTALL)
_RULES = {
    "repository": re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]*[A-Za-z0-9_-]"),
    "commit": re.compile(r"[0-9a-f]{40}"),
    "sha256": re.compile(r"[0-9a-f]{64}"),
    "bytes": re.compile(r"[0-9]{1,12}"),
}


@dataclass(frozen=True, kw_only=True)
class DataFile:
    """A file of a data set: dataset and name here, where it is published, size in bytes and SHA-256 (hexadecimal)."""

    dataset: str
    name: str
    repository: str
    commit: str
    path: str
    size: int
    sha256: str
    licence: str

    @property
    def key(self) -> str:
        """NAME/FILE, as users write it and as the cache is laid out."""
        return f"{self.dataset}/{self.name}"

    @property
    def address(self) -> str:
        """REPOSITORY/COMMIT/PATH, the layout of every mirror."""
        return f"{self.repository}/{self.commit}/{self.path}"


@dataclass(frozen=True)
class Scorable:
    """What a config can name as a whole: source, references in order, official outputs by the name of the system."""

    name: str
    source: DataFile
    references: tuple[DataFile, ...]
    systems: Mapping[str, DataFile]


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """A data set: files by their plain names; parts: what is written of those that can be scored."""

    name: str
    title: str
    note: str
    files: Mapping[str, DataFile]
    citations: tuple[str, ...]
    parts: Mapping[str, Mapping[str, Any]]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files.values())

    @property
    def licences(self) -> tuple[str, ...]:
        """The licences that its repositories state, each once."""
        return tuple(dict.fromkeys(file.licence for file in self.files.values()))

    def file(self, name: str) -> DataFile:
        """Return the file of this name; raises DataError with the nearest."""
        if name not in self.files:
            hint = did_you_mean(name, self.files) or f"; `gec-pipeline data list {self.name}` lists them"
            raise DataError(f"the data set {self.name} has no file '{name}'{hint}")
        return self.files[name]

    def matching(self, pattern: str) -> list[DataFile]:
        """Return the files of a name, a folder, or a glob (* stays within a folder); raises DataError for none."""
        steps = pattern.rstrip("/").split("/")
        found = [file for name, file in self.files.items() if _matches(name.split("/"), steps)]
        if not found:
            found = [file for name, file in self.files.items() if _matches(name.split("/")[: len(steps)], steps)]
        return found or [self.file(pattern)]


def _matches(steps: list[str], patterns: list[str]) -> bool:
    return len(steps) == len(patterns) and all(map(fnmatchcase, steps, patterns))


@cache
def catalogue() -> Mapping[str, DataSet]:
    """Return every data set by its name, in the order of the file."""
    return read_catalogue((resources.files("pipeline.io") / "datasets.yaml").read_text(encoding="utf-8"))


def read_catalogue(text: str) -> dict[str, DataSet]:
    """Return the data sets that YAML text describes; raises DataError for what can be no name, path or checksum."""
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # builds text, lists and mappings, nothing else
    written: dict[str, Any] = yaml.load(text, loader)  # noqa: S506
    return {name: _data_set(name, entry) for name, entry in written.items()}


def _data_set(name: str, entry: Mapping[str, Any]) -> DataSet:
    files: dict[str, DataFile] = {}
    for group in entry["from"]:
        for file, about in group["files"].items():
            if file in files:
                raise DataError(f"datasets.yaml: {name}/{file} is described twice")
            files[file] = _file(name, file, {**group, **about})
    cited = tuple(dict.fromkeys(key for group in entry["from"] for key in group["cite"]))
    return DataSet(
        name=name,
        title=entry["title"],
        note=entry.get("note", ""),
        files=files,
        citations=cited,
        parts=entry.get("sets", {}),
    )


def _file(dataset: str, name: str, about: Mapping[str, Any]) -> DataFile:
    for what, path in (("name", f"{dataset}/{name}"), ("path", about["path"])):
        if not all(_STEP.fullmatch(step) for step in path.split("/")):
            raise DataError(f"datasets.yaml: {dataset}: the {what} '{path}' is not made of plain names and slashes")
    for key, rule in _RULES.items():
        if not rule.fullmatch(about[key]):
            raise DataError(f"datasets.yaml: {dataset}/{name}: {key}: '{about[key]}' cannot be one")
    return DataFile(
        dataset=dataset,
        name=name,
        repository=about["repository"],
        commit=about["commit"],
        path=about["path"],
        size=int(about["bytes"]),
        sha256=about["sha256"],
        licence=about["licence"],
    )


def data_set(name: str) -> DataSet:
    """Return the data set of this name; raises DataError with the nearest."""
    if name not in catalogue():
        known = f"known: {', '.join(catalogue())}"
        raise DataError(f"no data set is called '{name}'{did_you_mean(name, catalogue())}; {known}")
    return catalogue()[name]


def is_data(text: str) -> bool:
    """Whether a written path names a file of a data set."""
    return text.startswith(PREFIX)


def named(text: str) -> list[DataFile]:
    """Return the files that NAME, NAME/FILE, NAME/FOLDER or NAME/GLOB stands for, with or without data: before it.

    Raises DataError where there are none.
    """
    name, slash, pattern = text.removeprefix(PREFIX).partition("/")
    found = data_set(name)
    return found.matching(pattern) if slash else list(found.files.values())


def named_in(text: str) -> list[DataFile]:
    """Return the files that data:NAME/FILE or data:NAME/GLOB stands for in a config; raises DataError."""
    return named(text) if "/" in text.rstrip("/") else [named_one(text)]


def named_one(text: str) -> DataFile:
    """Return the one file that data:NAME/FILE stands for; raises DataError."""
    name, slash, file = text.removeprefix(PREFIX).partition("/")
    found = data_set(name)
    if not slash or not file:
        raise DataError(
            f"'{text}' names no file; expected data:{name}/FILE, such as data:{name}/{next(iter(found.files))}"
        )
    return found.file(file)


def scorable(text: str) -> Scorable:
    """Return what NAME, NAME/PART or NAME-PART stands for in a config; raises DataError with what there is."""
    known = scorables()
    name = text.removeprefix(PREFIX)
    if name in known:
        dataset, part = known[name]
        return _scorable(name, dataset, dataset.parts[part])
    parts = [key for key, (dataset, _) in known.items() if dataset.name == name]
    if parts:
        raise DataError(f"the data set {name} has several parts; name one: {', '.join(parts)}")
    if name in catalogue():
        message = f"the data set {name} has no source and references of its own; name its files as data:{name}/FILE"
        raise DataError(message)
    hint = did_you_mean(name, [*known, *catalogue()])
    raise DataError(f"no data set is called '{name}'{hint}; known: {', '.join(known)}")


def scorables() -> dict[str, tuple[DataSet, str]]:
    """Return what configs can name: data set and part by NAME, or by NAME/PART where there are several."""
    known = {}
    for dataset in catalogue().values():
        for part in dataset.parts:
            known[dataset.name if len(dataset.parts) == 1 else f"{dataset.name}/{part}"] = dataset, part
    return known


def _scorable(name: str, dataset: DataSet, about: Mapping[str, Any]) -> Scorable:
    source, *references = _those(dataset, [about["source"], *about["references"]])
    systems = {
        file.name.rpartition("/")[2].removesuffix(".txt"): file for file in _those(dataset, about.get("systems", ()))
    }
    return Scorable(name, source, tuple(references), systems)


def _those(dataset: DataSet, written: Iterable[str]) -> list[DataFile]:
    """Return files of the data set, or of another where data: is written before."""
    found = []
    for text in written:
        found += named(text) if is_data(text) else dataset.matching(text)
    return found


def citations() -> dict[str, str]:
    """Return the BibTeX entries of the package by their keys."""
    text = (resources.files("pipeline.io") / "citations.bib").read_text(encoding="utf-8")
    return {entry[1]: entry[0] for entry in _ENTRY.finditer(text)}


def bibtex(key: str) -> str:
    """Return the BibTeX entry of a key; raises DataError where there is none."""
    found = citations()
    if key not in found:
        raise DataError(f"citations.bib: has no entry '{key}'")
    return found[key].rstrip("\n")
