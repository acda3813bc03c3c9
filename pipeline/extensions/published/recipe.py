"""Published results with their recipes. Each recipe is a config in the folder `recipes/`, and is
called as its file is.

To add a recipe, put a config with the sections `publication` and `expect` into that folder. The
paths in it name files of data sets (data:NAME/FILE)."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from pipeline.data import Catalogue, DataFile, DatasetCache
from pipeline.data.config import Node, System
from pipeline.errors import InputError, did_you_mean
from pipeline.extension import installed
from pipeline.extensions.human.json_objects import JsonObject
from pipeline.files import WrittenPath

from .verdicts import VERDICTS, is_worse

REQUIRED_KEYS = ("what", "verdict")
"""The keys of the section `publication` without which a config is no recipe."""


@dataclass(frozen=True)
class Recipe:
    """A published result, and how it is computed."""

    name: str
    path: Path
    """The config."""
    publication: JsonObject
    """The section `publication` of the config, all values as texts."""
    files: tuple[DataFile, ...]
    """The files of data sets that the config reads."""
    content: JsonObject = field(default_factory=dict)
    """The whole config: texts, lists and mappings."""

    @property
    def family(self) -> str:
        """The name of the file if it has several recipes (`each`); else an empty text."""
        return (
            self.path.stem if self.name.startswith(f"{self.path.stem}-") else ""
        )

    @property
    def config(self) -> Path | Node:
        """What is run: the file, or its config with the parameters of this recipe."""
        return (
            Node.from_plain(self.content, str(self.path))
            if self.family
            else self.path
        )

    @property
    def year(self) -> int | None:
        """The year of the publication: the first one that its citation names, or None."""
        match = re.search(
            r"\b(?:19|20)[0-9]{2}\b", self.publication.get("cite", "")
        )
        return int(match[0]) if match else None

    @property
    def expected(self) -> list[JsonObject]:
        """The entries of `expect` as they are written; none where they are not even mappings."""
        # here, because it takes time to load
        from .models import (
            entry_of_each_metric,
        )

        entries = entry_of_each_metric(self.content.get("expect"))
        if not isinstance(entries, list):
            return []
        are_mappings = all(isinstance(entry, dict) for entry in entries)
        return entries if are_mappings else []

    def mapping(self, name: str) -> JsonObject:
        """Return a section of the config, such as `systems`; {} where it is missing or is no
        mapping.
        """
        section = self.content.get(name)
        return section if isinstance(section, dict) else {}

    @property
    def slow(self) -> bool:
        """Whether the recipe takes minutes."""
        return self.publication.get("slow") == "true"

    def missing_files(self) -> list[DataFile]:
        """Return the files that are not in the cache of data sets, or have changed there."""
        return [
            file for file in self.files if DatasetCache().state(file) != "here"
        ]

    def how_to_get_files(self) -> str:
        """Return how to get the missing files; an empty text if there are none."""
        missing = self.missing_files()
        if not missing:
            return ""
        fetched: dict[str, None] = {}
        by_users: dict[str, None] = {}
        for file in missing:
            if file.how_to_obtain:
                by_users[file.dataset] = None
            else:
                fetched[
                    Catalogue.known().data_set(file.dataset).home
                    or file.dataset
                ] = None
        ways = [
            f"{name}: {DatasetCache().how_to_obtain(name)}" for name in by_users
        ]
        if fetched:
            ways.insert(0, f"gec-pipeline data fetch {' '.join(fetched)}")
        count = (
            "1 file is" if len(missing) == 1 else f"{len(missing)} files are"
        )
        return f"{count} not here: {'; '.join(ways)}"


@dataclass(kw_only=True)
class Outcome:
    """What became of a recipe."""

    recipe: Recipe
    expectations: JsonObject | None
    """The section `expectations` of results.json, or None where the recipe did not run."""
    message: str = ""
    """Why the recipe did not run."""
    signatures: list[str] = field(default_factory=list)
    """The signatures of its metrics."""
    warnings: list[str] = field(default_factory=list)
    seconds: float = 0.0
    """How long the recipe took, without the time in which files were fetched."""

    @property
    def worse(self) -> bool:
        """Whether the verdict on an entry, or on the whole, is worse than the one on record."""
        if not self.expectations:
            return False
        recorded = self.recipe.publication["verdict"]
        return bool(self.expectations["missed"]) or is_worse(
            self.expectations["verdict"], recorded
        )


@cache
def recipes() -> dict[str, Recipe]:
    """Return all recipes by name, in order of their files."""
    paths: list[Path] = []
    for extension in installed().values():
        if extension.recipes:
            paths += (extension.folder / extension.recipes).glob("*.yaml")
    result = {}
    for path in sorted(paths, key=lambda path: path.name):
        result.update({recipe.name: recipe for recipe in read_recipes(path)})
    return result


def read_recipes(path: Path) -> list[Recipe]:
    """Return the recipes of a config: one, or those of `each`. Raises InputError for what cannot be
    read or is none.
    """
    from pipeline.data.config import read_yaml

    content = read_yaml(path)
    if not isinstance(content, dict) or "each" not in content:
        return [_recipe(path.stem, path, content)]
    family = []
    for value, member in members(content, str(path)):
        family.append(_recipe(f"{path.stem}-{value}", path, member))
    return family


def _recipe(name: str, path: Path, content: Any) -> Recipe:
    publication = (
        content.get("publication") if isinstance(content, dict) else None
    )
    if publication is None or not _is_publication(publication):
        raise InputError(
            f"{path}: is no recipe, which has `publication` with the keys "
            f"{' and '.join(REQUIRED_KEYS)}, one of {', '.join(VERDICTS)}; "
            "`gec-pipeline help reproduce` has an example"
        )
    files: dict[DataFile, None] = {}
    Catalogue.known().add(content.get("catalogue", {}), str(path))
    for text in texts_in({**content, "catalogue": None}):
        if not WrittenPath(text).is_data:
            continue
        try:
            files.update(dict.fromkeys(Catalogue.known().files_in_config(text)))
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
    return Recipe(name, path, publication, tuple(files), content)


def _is_publication(section: Any) -> bool:
    """Return whether a section has the keys of a publication, all of the right types."""
    if not isinstance(section, dict) or not section.keys() >= set(
        REQUIRED_KEYS
    ):
        return False
    for key, value in section.items():
        kind = list if key in ("tried", "not_compared") else str
        if not isinstance(value, kind):
            return False
    return section["verdict"] in VERDICTS


def texts_in(content: Any) -> Iterator[str]:
    """Yield the texts of lists and mappings inside each other, but for keys."""
    if isinstance(content, str):
        yield content
    else:
        children = content.values() if isinstance(content, dict) else content
        for child in children or ():
            yield from texts_in(child)


def matching_recipes(patterns: Sequence[str]) -> list[Recipe]:
    """Return the recipes whose names match, such as 'koyama-*', and those of files, such as
    my.yaml.

    Raises InputError for a pattern that matches none, a file that is no recipe, and two results of
    one name."""
    selected: dict[str, Recipe] = {}
    for pattern in patterns:
        if not pattern.lower().endswith((".yaml", ".yml")):
            selected.update(_matching(pattern))
            continue
        for recipe in read_recipes(Path(pattern)):
            if selected.setdefault(recipe.name, recipe).path != recipe.path:
                raise InputError(
                    f"{pattern}: another result is called {recipe.name} too; "
                    "give the file another name"
                )
    return list(selected.values())


def _matching(pattern: str) -> dict[str, Recipe]:
    """Return the recipes of the package whose name, or that of whose file, matches a pattern."""
    matching = {}
    families = []
    for name, recipe in recipes().items():
        if fnmatchcase(name, pattern) or recipe.family == pattern:
            matching[name] = recipe
        if recipe.family:
            families.append(recipe.family)
    if not matching:
        hint = did_you_mean(pattern, [*recipes(), *families])
        hint = hint or "; `gec-pipeline reproduce --list` lists them"
        raise InputError(f"no published result is called '{pattern}'{hint}")
    return matching


def fetch_missing(
    selected: Sequence[Recipe],
    mirror: str | None,
    warn: Callable[[str], None],
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> list[str]:
    """Fetch the missing files of recipes, but for those that users bring; return what went wrong.

    `progress` gets the bytes so far and in all. Raises DataError if the mirror is not one.
    """
    files: dict[DataFile, None] = {}
    for recipe in selected:
        missing = recipe.missing_files()
        files.update({file: None for file in missing if not file.how_to_obtain})
    if not files:
        return []
    names = ", ".join(dict.fromkeys(file.dataset for file in files))
    warn(
        f"fetching {len(files)} file{'s' if len(files) > 1 else ''} of {names}"
    )
    problems = (
        DatasetCache().fetch(list(files), mirror, progress=progress).problems
    )
    return [str(problem) for problem in problems]


# Recipes of one file that differ by a parameter, such as the language pairs of a year.

Parameters = Mapping[str, Any]
"""Texts, lists of texts, and mappings."""

_NAMED = re.compile(r"\{(\w+)\}")


def members(content: Mapping[str, Any], file: str) -> Iterator[tuple[str, Any]]:
    """Yield (value of the parameter, config) for each recipe of a file that has several. They are the rows of `each`.

        each: {pair: {cs-en: {references: [C, B]}, de-fr: {}}}
        usual: {references: [A], tokenizer: 13a}

    Each row of `each` has the value of the parameter and what differs; `usual` has the parameters
    that a row need not name.

    In a text {pair}, or another of these names, stands for its value. Where that is a list, what holds the text comes
    once for each of its items: the item of a list, or the entry of a mapping whose key is the text. Only the value of a
    mapping that is the name alone, '{references}', stands for the list itself; it may be a mapping too. Raises
    InputError where `each` is wrong.
    """
    each = content["each"]
    usual = content.get("usual") or {}
    rest = dict(content)
    rest.pop("each")
    rest.pop("usual", None)
    is_each = isinstance(each, dict) and len(each) == 1
    if not is_each or not isinstance(usual, dict):
        raise InputError(
            f"{file}: each: expected one parameter with its values, "
            "such as {pair: {cs-en: {}}}"
        )
    ((parameter, rows),) = each.items()
    if isinstance(rows, list):
        rows = dict.fromkeys(rows)
    if not isinstance(rows, dict):
        return
    for value, row in rows.items():
        if row is not None and not isinstance(row, dict):
            raise InputError(
                f"{file}: each: {parameter}: {value}: expected parameters of this row, such as {{}}"
            )
        parameters = {**usual, **(row or {}), parameter: value}
        filled = _filled(rest, parameters)
        if "systems" in filled:
            filled["systems"] = _listed(filled["systems"])
        yield value, filled


def _filled(node: Any, parameters: Parameters) -> Any:
    """Return a part of a config with the values of parameters."""
    if isinstance(node, str):
        name = _NAMED.fullmatch(node)
        if name and name[1] in parameters:
            return parameters[name[1]]

        def value(match: re.Match[str]) -> str:
            return str(parameters.get(match[1], match[0]))

        return _NAMED.sub(value, node)
    if isinstance(node, list):
        items = []
        for child in node:
            for one in _each(_lists(child, parameters), parameters):
                items.append(_filled(child, one))
        return items
    if isinstance(node, dict):
        entries = {}
        for key, child in node.items():
            for one in _each(_lists(key, parameters), parameters):
                entries[_filled(key, one)] = _filled(child, one)
        return entries
    return node


def _lists(node: Any, parameters: Parameters) -> set[str]:
    """Return the lists that a text names, or the texts inside an item of a list that do not stand
    for a list.
    """
    if isinstance(node, str):
        names = _NAMED.findall(node)
        return {
            name for name in names if isinstance(parameters.get(name), list)
        }
    result: set[str] = set()
    if isinstance(node, dict):
        for key, child in node.items():
            stands_for_list = isinstance(child, str) and _NAMED.fullmatch(child)
            if not stands_for_list:
                result |= _lists(child, parameters) - _lists(key, parameters)
    return result


def _each(names: set[str], parameters: Parameters) -> Iterator[Parameters]:
    """Yield the parameters with one item of each of these lists in its place."""
    ordered = sorted(names)
    for items in product(*(parameters[name] for name in ordered)):
        yield {**parameters, **dict(zip(ordered, items, strict=True))}


def _listed(systems: Any) -> Any:
    """Return systems by name if patterns such as data:NAME/{system}.txt name them, so that reports
    know them.
    """
    is_list = isinstance(systems, list)
    if not is_list or any(
        "{dataset}" in one or not WrittenPath(one).is_data for one in systems
    ):
        return systems
    named = {}
    for pattern in systems:
        for file in Catalogue.known().files_in_config(
            pattern.replace("{system}", "*")
        ):
            name = System.name_of(
                Path(file.key), pattern.removeprefix(WrittenPath.DATA)
            )
            named[name] = f"{WrittenPath.DATA}{file.key}"
    return named
