"""Published results with their recipes: the configs in `recipes/`, one file each, found by the file's name.

To add one: a config with `publication` and `expect`, whose paths are of data sets (data:NAME/FILE), in that folder.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, did_you_mean
from ..io.catalogue import is_data, named_in
from ..io.dataset_cache import fetch_files, state
from .verdicts import is_worse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..io.catalogue import DataFile

FOLDER = Path(__file__).parent / "recipes"


@dataclass(frozen=True)
class Recipe:
    """A published result: name, its config, what the config says of the publication, the files it reads."""

    name: str
    path: Path
    publication: dict[str, Any]
    files: tuple[DataFile, ...]

    @property
    def slow(self) -> bool:
        """Whether it takes minutes."""
        return self.publication.get("slow") == "true"

    def lacking(self) -> list[DataFile]:
        """Return the files that are not here, or have changed."""
        return [file for file in self.files if state(file) != "here"]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a recipe: expectations as results.json has them, or None and a message why it did not run.

    signatures: of its metrics; seconds: that it took, fetching apart.
    """

    recipe: Recipe
    expectations: dict[str, Any] | None
    message: str = ""
    signatures: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def worse(self) -> bool:
        """Whether a verdict, of an entry or of the whole, is worse than the one on record."""
        found = self.expectations
        return bool(found and (found["missed"] or is_worse(found["verdict"], self.recipe.publication["verdict"])))


@cache
def recipes() -> dict[str, Recipe]:
    """Return all recipes by name, in order of names."""
    return {path.stem: read_recipe(path) for path in sorted(FOLDER.glob("*.yaml"))}


def read_recipe(path: Path) -> Recipe:
    """Return what a config says of its publication, and the data it reads; raises InputError."""
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # builds text, lists and mappings, nothing else
    content = yaml.load(path.read_text(encoding="utf-8"), loader)  # noqa: S506
    if not isinstance(content, dict) or not isinstance(content.get("publication"), dict):
        raise InputError(f"{path}: has no section `publication`, so it is no recipe")
    files = dict.fromkeys(file for text in _texts(content) if is_data(text) for file in named_in(text))
    return Recipe(path.stem, path, content["publication"], tuple(files))


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    else:
        for child in content.values() if isinstance(content, dict) else content:
            yield from _texts(child)


def chosen(names: Sequence[str]) -> list[Recipe]:
    """Return the recipes of names or patterns such as 'koyama-*'; raises InputError for one that matches none."""
    known, found = recipes(), dict[str, Recipe]()
    for pattern in names:
        matching = [name for name in known if fnmatchcase(name, pattern)]
        if not matching:
            hint = did_you_mean(pattern, known) or "; `gec-pipeline reproduce --list` lists them"
            raise InputError(f"no published result is called '{pattern}'{hint}")
        found |= {name: known[name] for name in matching}
    return list(found.values())


def fetch_missing(
    wanted: Sequence[Recipe],
    mirror: str | None,
    tell: Callable[[str], None],
    progress: Callable[[int, int], None] = lambda _done, _whole: None,
) -> list[str]:
    """Fetch the files of recipes that are not here; return what went wrong.

    Raises DataError where the mirror is none.
    """
    files = list(dict.fromkeys(file for recipe in wanted for file in recipe.lacking()))
    if not files:
        return []
    names = ", ".join(dict.fromkeys(file.dataset for file in files))
    tell(f"fetching {len(files)} file{'s' if len(files) > 1 else ''} of {names}")
    done = fetch_files(files, mirror, progress=progress)
    return [str(problem) for problem in done.problems]
