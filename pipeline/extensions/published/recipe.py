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

from pipeline.data.catalogue import DataFile, bring, data_set, named_in
from pipeline.data.config.resolved import called
from pipeline.data.config.tree import Node, from_plain
from pipeline.data.dataset_cache import by_hand, fetch_files, state
from pipeline.errors import InputError, did_you_mean
from pipeline.files.remote import PREFIX, is_data

from .verdicts import VERDICTS, is_worse

FOLDER = Path(__file__).parent / "recipes"
NEEDED = ("what", "verdict")
"""The keys of the section `publication` without which a config is no recipe."""


@dataclass(frozen=True)
class Recipe:
    """A published result, and how it is computed."""

    name: str
    path: Path
    """The config."""
    publication: dict[str, Any]
    """The section `publication` of the config, all values as texts."""
    files: tuple[DataFile, ...]
    """The files of data sets that the config reads."""
    content: dict[str, Any] = field(default_factory=dict)
    """The whole config: texts, lists and mappings."""

    @property
    def family(self) -> str:
        """The name of the file, where it has several recipes (`each`); else an empty text."""
        return self.path.stem if self.name.startswith(f"{self.path.stem}-") else ""

    @property
    def config(self) -> Path | Node:
        """What is run: the file, or its config with the parameters of this recipe."""
        return from_plain(self.content, str(self.path)) if self.family else self.path

    @property
    def year(self) -> int | None:
        """The year of the publication: the first one that its citation names, or None."""
        named = re.search(r"\b(?:19|20)[0-9]{2}\b", self.publication.get("cite", ""))
        return int(named[0]) if named else None

    @property
    def expected(self) -> list[dict[str, Any]]:
        """The entries of `expect` as they are written; none where they are not even mappings."""
        from .models import entry_of_each_metric  # here, because it takes time to load

        entries = entry_of_each_metric(self.content.get("expect"))
        whole = isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)
        return entries if whole else []

    def mapping(self, name: str) -> dict[str, Any]:
        """Return a section of the config, such as `systems`; {} where it is missing or is no
        mapping.
        """
        section = self.content.get(name)
        return section if isinstance(section, dict) else {}

    @property
    def slow(self) -> bool:
        """Whether the recipe takes minutes."""
        return self.publication.get("slow") == "true"

    def lacking(self) -> list[DataFile]:
        """Return the files that are not in the cache of data sets, or have changed there."""
        return [file for file in self.files if state(file) != "here"]

    def what_lacks(self) -> str:
        """Return how the reader gets the files that are not here; an empty text where all are here."""
        lacking = self.lacking()
        if not lacking:
            return ""
        count = "1 file is" if len(lacking) == 1 else f"{len(lacking)} files are"
        names = dict.fromkeys(file.dataset for file in lacking if not file.how_to_obtain)
        fetched = " ".join(dict.fromkeys(data_set(name).home or name for name in names))
        ways = [f"gec-pipeline data fetch {fetched}"] if fetched else []
        others = dict.fromkeys(file.dataset for file in lacking if file.how_to_obtain)
        ways += [f"{name}: {by_hand(name)}" for name in others]
        return f"{count} not here: {'; '.join(ways)}"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a recipe."""

    recipe: Recipe
    expectations: dict[str, Any] | None
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
        return bool(self.expectations["missed"]) or is_worse(self.expectations["verdict"], recorded)


@cache
def recipes() -> dict[str, Recipe]:
    """Return all recipes by name, in order of names."""
    return {
        recipe.name: recipe
        for path in sorted(FOLDER.glob("*.yaml"))
        for recipe in read_recipes(path)
    }


def read_recipes(path: Path) -> list[Recipe]:
    """Return the recipes of a config: one, or those of `each`. Raises InputError for what cannot be
    read or is none.
    """
    from pipeline.data.config.compose import read

    content = read(path)[0].plain()
    if not isinstance(content, dict) or "each" not in content:
        return [_recipe(path.stem, path, content)]
    return [
        _recipe(f"{path.stem}-{value}", path, own) for value, own in members(content, str(path))
    ]


def _recipe(name: str, path: Path, content: Any) -> Recipe:
    publication = content.get("publication") if isinstance(content, dict) else None
    lists = ("tried", "not_compared")
    if not isinstance(publication, dict) or not (
        all(isinstance(value, list if key in lists else str) for key, value in publication.items())
        and set(NEEDED) <= set(publication)
        and publication["verdict"] in VERDICTS
    ):
        raise InputError(
            f"{path}: is no recipe, which has `publication` with the keys {' and '.join(NEEDED)}, "
            f"one of {', '.join(VERDICTS)}; "
            "`gec-pipeline help reproduce` has an example"
        )
    files: dict[DataFile, None] = {}
    bring(content.get("catalogue", {}), str(path))
    for text in filter(is_data, texts_in({**content, "catalogue": None})):
        try:
            files |= dict.fromkeys(named_in(text))
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
    return Recipe(name, path, content["publication"], tuple(files), content)


def texts_in(content: Any) -> Iterator[str]:
    """Yield the texts of lists and mappings inside each other, but for keys."""
    if isinstance(content, str):
        yield content
    else:
        for child in content.values() if isinstance(content, dict) else content or ():
            yield from texts_in(child)


def matching_recipes(patterns: Sequence[str]) -> list[Recipe]:
    """Return the recipes whose names match, such as 'koyama-*', and those of files, such as
    my.yaml.

    Raises InputError for a pattern that matches none, a file that is no recipe, and two results of
    one name."""
    selected: dict[str, Recipe] = {}
    for pattern in patterns:
        if pattern.lower().endswith((".yaml", ".yml")):
            for own in read_recipes(Path(pattern)):
                if selected.setdefault(own.name, own).path != own.path:
                    raise InputError(
                        f"{pattern}: another result is called {own.name} too; give the file another name"
                    )
            continue
        known = recipes()
        matches = {
            name: one
            for name, one in known.items()
            if fnmatchcase(name, pattern) or one.family == pattern
        }
        if not matches:
            hint = (
                did_you_mean(
                    pattern, [*known, *filter(None, (one.family for one in known.values()))]
                )
                or "; `gec-pipeline reproduce --list` lists them"
            )
            raise InputError(f"no published result is called '{pattern}'{hint}")
        selected |= matches
    return list(selected.values())


def fetch_missing(
    selected: Sequence[Recipe],
    mirror: str | None,
    warn: Callable[[str], None],
    progress: Callable[[int, int], None] = lambda _done, _whole: None,
) -> list[str]:
    """Fetch the files that recipes lack, but for those that the user brings, and return what went
    wrong.

    `progress` is told the bytes so far and in all. Raises DataError where the mirror is not one.
    """
    lacking = dict.fromkeys(file for recipe in selected for file in recipe.lacking())
    files = [file for file in lacking if not file.how_to_obtain]
    if not files:
        return []
    names = ", ".join(dict.fromkeys(file.dataset for file in files))
    warn(f"fetching {len(files)} file{'s' if len(files) > 1 else ''} of {names}")
    return [str(problem) for problem in fetch_files(files, mirror, progress=progress).problems]


# Recipes of one file that differ by a parameter, such as the language pairs of a year.

Parameters = Mapping[str, Any]
"""Texts, lists of texts, and mappings."""

_NAMED = re.compile(r"\{(\w+)\}")


def members(content: Mapping[str, Any], file: str) -> Iterator[tuple[str, Any]]:
    """Yield (value of the parameter, config) for each recipe of a file that has several. They are the rows of `each`.

        each: {pair: {cs-en: {references: [C, B]}, de-fr: {}}}    # the values of the parameter, and what differs
        usual: {references: [A], tokenizer: 13a}                  # parameters that a row need not say

    In a text {pair}, or another of these names, stands for its value. Where that is a list, what holds the text comes
    once for each of its items: the item of a list, or the entry of a mapping whose key is the text. Only the value of a
    mapping that is the name alone, '{references}', stands for the list itself; it may be a mapping too. Raises
    InputError where `each` is wrong.
    """
    each, usual = content["each"], content.get("usual") or {}
    rest = {key: child for key, child in content.items() if key not in ("each", "usual")}
    if not isinstance(each, dict) or len(each) != 1 or not isinstance(usual, dict):
        raise InputError(
            f"{file}: each: expected one parameter with its values, such as {{pair: {{cs-en: {{}}}}}}"
        )
    ((parameter, rows),) = each.items()
    rows = dict.fromkeys(rows) if isinstance(rows, list) else rows
    for value, row in rows.items() if isinstance(rows, dict) else ():
        if row is not None and not isinstance(row, dict):
            raise InputError(
                f"{file}: each: {parameter}: {value}: expected parameters of this row, such as {{}}"
            )
        filled = _filled(rest, {**usual, **(row or {}), parameter: value})
        yield (
            value,
            {**filled, "systems": _listed(filled["systems"])} if "systems" in filled else filled,
        )


def _filled(node: Any, given: Parameters) -> Any:
    """Return a part of a config with the values of parameters."""
    if isinstance(node, str):
        whole = _NAMED.fullmatch(node)
        if whole and whole[1] in given:
            return given[whole[1]]
        return _NAMED.sub(lambda found: str(given.get(found[1], found[0])), node)
    if isinstance(node, list):
        return [_filled(child, one) for child in node for one in _each(_lists(child, given), given)]
    if isinstance(node, dict):
        pairs = (
            (key, child, one)
            for key, child in node.items()
            for one in _each(_lists(key, given), given)
        )
        return {_filled(key, one): _filled(child, one) for key, child, one in pairs}
    return node


def _lists(node: Any, given: Parameters) -> set[str]:
    """Return the lists that a text names, or the texts inside an item of a list that do not stand
    for a list.
    """
    if isinstance(node, str):
        return {name for name in _NAMED.findall(node) if isinstance(given.get(name), list)}
    pairs = node.items() if isinstance(node, dict) else ()
    inner = (
        (key, child)
        for key, child in pairs
        if not (isinstance(child, str) and _NAMED.fullmatch(child))
    )
    return {name for key, child in inner for name in _lists(child, given) - _lists(key, given)}


def _each(names: set[str], given: Parameters) -> Iterator[Parameters]:
    """Yield the parameters with one item of each of these lists in its place."""
    for items in product(*(given[name] for name in sorted(names))):
        yield {**given, **dict(zip(sorted(names), items, strict=True))}


def _listed(systems: Any) -> Any:
    """Return systems by name where patterns such as data:NAME/{system}.txt name them, so that
    reports know them.
    """
    if not isinstance(systems, list) or not all(
        is_data(text) and "{dataset}" not in text for text in systems
    ):
        return systems
    files = [
        (pattern, file.key)
        for pattern in systems
        for file in named_in(pattern.replace("{system}", "*"))
    ]
    return {
        called(Path(key), pattern.removeprefix(PREFIX)): f"{PREFIX}{key}" for pattern, key in files
    }
