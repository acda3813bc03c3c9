"""The data sets that can be fetched, as `datasets.yaml` describes them. Nothing here touches the
network.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from ..errors import DataError, did_you_mean, known_names
from ..files.remote import PREFIX, is_data

_ENTRY = re.compile(r"^@[a-z]+\{([^,\s]+),\n.*?^\}\n", re.MULTILINE | re.DOTALL)
_UNKNOWN = {"repository": "", "commit": "", "sha256": "", "bytes": "0"}
"""What stands for the unknown in the description of a file that is not fetched."""


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
    given: str = ""
    """Where a reader gets the file that is not fetched, since its licence keeps it.

    Empty for a file that is fetched. Of other files the repository, commit, size (0) and SHA-256
    may be unknown. """

    @property
    def key(self) -> str:
        """NAME/FILE, which is also the path inside the cache."""
        return f"{self.dataset}/{self.name}"

    @property
    def address(self) -> str:
        """REPOSITORY/COMMIT/PATH, the layout of every mirror. What is unknown is left out."""
        return "/".join(filter(None, (self.repository, self.commit, self.path)))


@dataclass(frozen=True)
class Scorable:
    """A data set, or a part of one, that a config can name as a whole."""

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
    """The config that brings it; empty where it is of `datasets.yaml`."""

    def file(self, name: str) -> DataFile:
        """Return the file of this name; raises DataError, which suggests the nearest name."""
        if name not in self.files:
            hint = (
                did_you_mean(name, self.files)
                or f"; `gec-pipeline data list {self.name}` lists them"
            )
            raise DataError(f"the data set {self.name} has no file '{name}'{hint}")
        return self.files[name]

    def matching(self, pattern: str) -> list[DataFile]:
        """Return the files that a name, a folder or a glob stands for (* stays within a folder).

        Raises DataError where there are none.
        """
        if pattern in self.files:
            return [self.files[pattern]]
        wanted = pattern.rstrip("/").split("/")
        steps_of = {
            name: name.split("/") for name in self.files if name.count("/") + 1 >= len(wanted)
        }
        below = [name for name, steps in steps_of.items() if all(map(fnmatchcase, steps, wanted))]
        whole = [name for name in below if len(steps_of[name]) == len(wanted)]
        return [self.files[name] for name in whole or below] or [self.file(pattern)]


@cache
def catalogue() -> dict[str, DataSet]:
    """Return all data sets by their names, in the order of `datasets.yaml`; behind them those that
    configs bring.
    """
    return read_catalogue(_text("datasets.yaml"))


def _text(name: str) -> str:
    """Return the text of a file that lies beside this one."""
    from importlib import resources  # here, because most commands have no use for it

    return (resources.files("pipeline.data") / name).read_text(encoding="utf-8")


def read_catalogue(text: str) -> dict[str, DataSet]:
    """Return the data sets that YAML text describes, by their names."""
    import yaml

    loader = getattr(
        yaml, "CBaseLoader", yaml.BaseLoader
    )  # builds text, lists and mappings, nothing else
    written: dict[str, Any] = yaml.load(text, loader)  # noqa: S506
    return {name: _data_set(name, entry) for name, entry in written.items()}


def _data_set(name: str, entry: Mapping[str, Any], home: str = "") -> DataSet:
    files: dict[str, DataFile] = {}
    for group in entry["from"]:
        listed = group["files"]
        if (
            isinstance(listed, str) and not home
        ):  # the name of a list of files beside this one: PATH BYTES SHA256
            rows = (line.split() for line in _text(listed).splitlines())
            listed = {path: {"bytes": size, "sha256": checksum} for path, size, checksum in rows}
        for file, own in listed.items():
            unknown = _UNKNOWN if "given" in group or "given" in own else {}
            about = {"path": file, "licence": "not stated", **unknown, **group, **own}
            given = " ".join(about.get("given", "").split())
            copied = {
                key: about[key] for key in ("repository", "commit", "path", "sha256", "licence")
            }
            files[file] = DataFile(
                dataset=name, name=file, size=int(about["bytes"]), given=given, **copied
            )
    cited = tuple(dict.fromkeys(key for group in entry["from"] for key in group.get("cite", ())))
    title, note, parts = entry.get("title", name), entry.get("note", ""), entry.get("sets", {})
    return DataSet(
        name=name, title=title, note=note, files=files, citations=cited, parts=parts, home=home
    )


_STEP = r"(?!\.{1,2}(?:/|$))[^/\\:\x00-\x1f]+"
_CHECKED = {
    "dataset": re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*"),
    "name": re.compile(rf"{_STEP}(?:/{_STEP})*"),
    "repository": re.compile(r"(?:[\w-][\w.-]*/[\w-][\w.-]*)?"),
    "commit": re.compile(r"(?:[0-9a-f]{40})?"),
    "sha256": re.compile(r"(?:[0-9a-f]{64})?"),
}
"""How members of a file of a config's data set are written. Those that may be empty are unknown of
`given` ones."""


def bring(written: Any, home: str) -> None:
    """Add the data sets of the section `catalogue` of a config, `home`, which is written as
    `datasets.yaml` is.

    One that an earlier config has brought under the same name is replaced. Raises DataError for
    what is no data set."""
    for name, entry in written.items() if isinstance(written, dict) else [("", written)]:
        try:
            own = _data_set(name, entry, home)
        except (KeyError, TypeError, AttributeError, ValueError):
            known = "from: [{repository: OWNER/NAME, commit: COMMIT, files: {PATH: {bytes: N, sha256: SUM}}}]"
            raise DataError(f"catalogue: {name}: expected {known}") from None
        for file in own.files.values():
            wrong = next(
                (
                    key
                    for key, form in _CHECKED.items()
                    if not form.fullmatch(str(getattr(file, key)))
                ),
                None,
            )
            if wrong or not (file.sha256 or file.given):
                key = wrong or "sha256"
                raise DataError(
                    f"catalogue: {name}: {file.name}: '{getattr(file, key)}' can be no {key}"
                )
        if not catalogue().get(name, own).home:
            known = "a data set of `gec-pipeline data list` is called so"
            raise DataError(f"catalogue: {name}: {known}; name it otherwise")
        catalogue()[name] = own


def data_set(name: str) -> DataSet:
    """Return the data set of this name; raises DataError, which suggests the nearest name."""
    if name not in catalogue():
        raise DataError(f"no data set is called '{name}'{known_names(name, catalogue(), 'known:')}")
    return catalogue()[name]


def named(text: str) -> list[DataFile]:
    """Return the files that NAME, NAME/FILE, NAME/FOLDER or NAME/GLOB stands for, with or without
    data: before it.

    Raises DataError where there are none.
    """
    name, slash, pattern = text.removeprefix(PREFIX).partition("/")
    dataset = data_set(name)
    return dataset.matching(pattern) if slash else list(dataset.files.values())


def named_in(text: str) -> list[DataFile]:
    """Return the files that data:NAME/FILE or data:NAME/GLOB stands for in a config; raises
    DataError for none.
    """
    return named(text) if "/" in text.rstrip("/") else [named_one(text)]


def named_one(text: str) -> DataFile:
    """Return the file that data:NAME/FILE stands for; raises DataError where there is none."""
    name, _, file = text.removeprefix(PREFIX).partition("/")
    dataset = data_set(name)
    if not file:
        example = f"data:{name}/{next(iter(dataset.files))}"
        raise DataError(f"'{text}' names no file; expected data:{name}/FILE, such as {example}")
    return dataset.file(file)


def scorable(text: str) -> Scorable:
    """Return what NAME or NAME/PART stands for in a config; raises DataError, which says what can
    be named.
    """
    parts_by_name = scorables()
    name = text.removeprefix(PREFIX)
    if name in parts_by_name:
        dataset, part = parts_by_name[name]
        about = dataset.parts[part]
        source, *references = _files(dataset, [about["source"], *about["references"]])
        outputs = _files(dataset, about.get("systems", ()))
        systems = {file.name.rpartition("/")[2].removesuffix(".txt"): file for file in outputs}
        return Scorable(source, tuple(references), systems)
    parts = [key for key, (dataset, _) in parts_by_name.items() if dataset.name == name]
    if parts:
        raise DataError(f"the data set {name} has several parts; name one: {', '.join(parts)}")
    if name in catalogue():
        message = f"the data set {name} has no source and references of its own; name its files as data:{name}/FILE"
        raise DataError(message)
    hint = did_you_mean(name, [*parts_by_name, *catalogue()])
    raise DataError(f"no data set is called '{name}'{hint}; known: {', '.join(parts_by_name)}")


def scorables() -> dict[str, tuple[DataSet, str]]:
    """Return (data set, part) by the name that a config writes: NAME, or NAME/PART where there are
    several parts.
    """
    return {
        dataset.name if len(dataset.parts) == 1 else f"{dataset.name}/{part}": (dataset, part)
        for dataset in catalogue().values()
        for part in dataset.parts
    }


def _files(dataset: DataSet, names: Iterable[str]) -> list[DataFile]:
    """Return files of a data set; names that begin with data: are those of another one."""
    return [
        file
        for name in names
        for file in (named(name) if is_data(name) else dataset.matching(name))
    ]


def citations() -> dict[str, str]:
    """Return the BibTeX entries of the package by their keys."""
    return {entry[1]: entry[0] for entry in _ENTRY.finditer(_text("citations.bib"))}
