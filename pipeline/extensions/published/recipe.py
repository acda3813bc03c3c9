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
        stem = self.path.stem
        return stem if self.name.startswith(f"{stem}-") else ""

    @property
    def config(self) -> Path | Node:
        """What is run: the file, or its config with the parameters of this recipe."""
        if not self.family:
            return self.path
        return Node.from_plain(self.content, str(self.path))

    @property
    def year(self) -> int | None:
        """The year of the publication: the first one that its citation names, or None."""
        cite = self.publication.get("cite", "")
        match = re.search(r"\b(?:19|20)[0-9]{2}\b", cite)
        return int(match[0]) if match else None

    @property
    def expected(self) -> list[JsonObject]:
        """The entries of `expect` as the config has them, one for each metric of a table; none if
        `expect` is not a list of mappings.
        """
        # Here, because it takes long to load.
        from .models import entry_of_each_metric

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
        """Return how many files are missing and how to get them: a command that fetches them, and
        for data that users must request themselves, how. Empty if none is missing.
        """
        missing = self.missing_files()
        if not missing:
            return ""
        # Dictionaries as sets in order.
        fetchable: dict[str, None] = {}
        by_request: dict[str, None] = {}
        for file in missing:
            if file.how_to_obtain:
                by_request[file.dataset] = None
            else:
                fetchable[
                    Catalogue.known().data_set(file.dataset).home
                    or file.dataset
                ] = None
        ways = []
        if fetchable:
            ways.append(f"gec-pipeline data fetch {' '.join(fetchable)}")
        for name in by_request:
            ways.append(f"{name}: {DatasetCache().how_to_obtain(name)}")
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
        """Whether the verdict on an entry, or on all, is worse than the one on record; false if the
        recipe did not run.
        """
        if not self.expectations:
            return False
        recorded = self.recipe.publication["verdict"]
        return bool(self.expectations["missed"]) or is_worse(
            self.expectations["verdict"], recorded
        )


@cache
def recipes() -> dict[str, Recipe]:
    """Return the recipes of all installed extensions by name, in order of their files."""
    paths: list[Path] = []
    for extension in installed().values():
        if extension.recipes:
            paths += (extension.folder / extension.recipes).glob("*.yaml")
    by_name = {}
    for path in sorted(paths, key=lambda path: path.name):
        for recipe in read_recipes(path):
            by_name[recipe.name] = recipe
    return by_name


def read_recipes(path: Path) -> list[Recipe]:
    """Return the recipes of a file: one, named after it, or one FILE-VALUE for each value of the
    parameter in `each`. Raises InputError if the file cannot be read or is no recipe.
    """
    from pipeline.data.config import read_yaml

    content = read_yaml(path)
    if not isinstance(content, dict) or "each" not in content:
        return [_recipe(path.stem, path, content)]
    family = []
    for value, config in members(content, str(path)):
        family.append(_recipe(f"{path.stem}-{value}", path, config))
    return family


def _recipe(name: str, path: Path, content: Any) -> Recipe:
    """Return the recipe of a config in a file, whose `content` is plain lists, mappings and texts;
    a catalogue in it is added to that of the data sets.

    Raises InputError if the section `publication` is missing or wrong, or a text data:NAME/FILE
    names no file of a data set."""
    is_mapping = isinstance(content, dict)
    if not is_mapping or not _is_publication(content.get("publication")):
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
    return Recipe(name, path, content["publication"], tuple(files), content)


def _is_publication(section: Any) -> bool:
    """Return whether a section is a mapping with the required keys of a publication, a known
    verdict, and texts: lists of them for `tried` and `not_compared`.
    """
    if not isinstance(section, dict):
        return False
    if not section.keys() >= set(REQUIRED_KEYS):
        return False
    for key, value in section.items():
        expected_type = list if key in ("tried", "not_compared") else str
        if not isinstance(value, expected_type):
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
    """Return the recipes of each pattern: those of the package whose names match, such as
    'koyama-*', or those in a file of the user, such as my.yaml.

    Raises InputError for a pattern that matches none, a file that is no recipe, and two recipes of
    one name in different files."""
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
    """Return the recipes of the package by name, if their name matches a pattern such as 'koyama-*',
    or their file of several recipes is named so. Raises InputError if there are none.
    """
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
    """Fetch the missing files of recipes, but for those that users must request themselves, and
    return messages about files that could not be fetched.

    `mirror` is an address or folder to fetch from, None for the original ones. `warn` gets a
    message before the download, and `progress` the bytes so far and in all. Raises DataError if
    the mirror is not one."""
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
    """Yield (value of the parameter, config) for each recipe of a file that has several.

        each: {pair: {cs-en: {references: [C, B]}, de-fr: {}}}
        usual: {references: [A], tokenizer: 13a}

    Each row of `each` has a value of the parameter, here `pair`, and further parameters; `usual`
    has those that a row need not name.

    In the config {pair} in a text, or another parameter in braces, stands for its value. If that is
    a list, what holds the text is repeated for each of its items: an item of a list, or an entry of
    a mapping whose key is the text. But a value of a mapping that is '{references}' alone becomes
    the whole list, or mapping. Raises InputError if `each` is wrong."""
    each = content["each"]
    usual = content.get("usual") or {}
    template = dict(content)
    template.pop("each")
    template.pop("usual", None)
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
        config = _filled(template, parameters)
        if "systems" in config:
            config["systems"] = _listed(config["systems"])
        yield value, config


def _filled(node: Any, parameters: Parameters) -> Any:
    """Return a part of a config, a text, list or mapping, with the values of parameters: see
    members().
    """
    if isinstance(node, str):
        name = _NAMED.fullmatch(node)
        if name and name[1] in parameters:
            return parameters[name[1]]

        def value_or_text(match: re.Match[str]) -> str:
            return str(parameters.get(match[1], match[0]))

        return _NAMED.sub(value_or_text, node)
    if isinstance(node, list):
        items = []
        for child in node:
            repeated = _lists(child, parameters)
            for choice in _choices(repeated, parameters):
                items.append(_filled(child, choice))
        return items
    if isinstance(node, dict):
        entries = {}
        for key, child in node.items():
            repeated = _lists(key, parameters)
            for choice in _choices(repeated, parameters):
                entries[_filled(key, choice)] = _filled(child, choice)
        return entries
    return node


def _lists(node: Any, parameters: Parameters) -> set[str]:
    """Return the names of the parameters with lists for whose items a node is repeated: those that
    a text names, or texts inside a mapping.

    In a mapping, a value '{NAME}' stands for the list itself, and lists in a key repeat the entry,
    not the mapping."""
    if isinstance(node, str):
        names = _NAMED.findall(node)
        return {
            name for name in names if isinstance(parameters.get(name), list)
        }
    lists: set[str] = set()
    if isinstance(node, dict):
        for key, child in node.items():
            stands_for_list = isinstance(child, str) and _NAMED.fullmatch(child)
            if not stands_for_list:
                lists |= _lists(child, parameters) - _lists(key, parameters)
    return lists


def _choices(names: set[str], parameters: Parameters) -> Iterator[Parameters]:
    """Yield the parameters once for each combination of one item of each list in `names`, with the
    items in place of the lists.
    """
    ordered = sorted(names)
    for items in product(*(parameters[name] for name in ordered)):
        yield {**parameters, **dict(zip(ordered, items, strict=True))}


def _listed(systems: Any) -> Any:
    """Return the section `systems` as {name: data:NAME/FILE} if it is a list of patterns such as
    data:NAME/{system}.txt; anything else as it is. Leader boards need the names.
    """
    if not isinstance(systems, list):
        return systems
    if any(
        "{dataset}" in text or not WrittenPath(text).is_data for text in systems
    ):
        return systems
    files = {}
    for pattern in systems:
        for file in Catalogue.known().files_in_config(
            pattern.replace("{system}", "*")
        ):
            name = System.name_of(
                Path(file.key), pattern.removeprefix(WrittenPath.DATA)
            )
            files[name] = f"{WrittenPath.DATA}{file.key}"
    return files
