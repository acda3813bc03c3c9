"""Leader boards across publications: which outputs that recipes name are for the same data, and what was printed.

`boards.yaml` names the data set and the metric of each board. Its systems are the outputs of all recipes for the same
texts, which the checksums of the catalogue tell, so that a new recipe joins a board without being named there.
"""

from __future__ import annotations

import math
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from ..dataclass import dataclass
from ..errors import InputError
from ..io.catalogue import named_in
from ..io.dataset_cache import state
from ..io.remote import is_data
from ..metrics.build import from_text
from .printed_scores import Printed, printed_scores
from .published import recipes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..io.catalogue import DataFile
    from .published import Outcome, Recipe

TEXTS = ("source", "references", "gold")
"""The keys of a data set that say which texts it has. Any other key makes it another data set."""
RESAMPLES, TRIALS, SEED = 1000, 10_000, 12345
PER_PAIR = 100
"""Trials for each pair of systems where there are many: Holm's correction multiplies the smallest p by their number."""


@dataclass(frozen=True)
class Entrant:
    """A system of a board."""

    name: str
    file: DataFile
    """Its output."""
    recipes: tuple[Recipe, ...]
    """The recipes that name this output for the data set, those of the oldest publication first."""
    printed: tuple[Printed, ...]
    first: Recipe
    """The recipe of the oldest publication that scores this output, on whatever data set."""

    @property
    def here(self) -> bool:
        """Whether the output is in the cache of data sets."""
        return state(self.file) == "here"


@dataclass(frozen=True, kw_only=True)
class PublishedBoard:
    """A leader board before it is scored."""

    name: str
    title: str
    what: str
    """What it is scored against, in words."""
    dataset: dict[str, Any]
    """The data set as a config has it."""
    metric: str
    entrants: tuple[Entrant, ...] = ()

    @property
    def folder(self) -> str:
        """The name of its run directory."""
        return f"board-{self.name}"

    def config(self) -> dict[str, Any] | None:
        """Return the config that scores the outputs which are here; None where these or the data set are not here."""
        here = [entrant for entrant in self.entrants if entrant.here]
        shared = [file for files in _files(self.dataset).values() for file in files]
        if len(here) < 2 or any(state(file) != "here" for file in shared):
            return None
        return {
            "version": "1",
            "description": self.title,
            "datasets": {self.name: self.dataset},
            "systems": {entrant.name: f"data:{entrant.file.key}" for entrant in here},
            "metrics": [self.metric],
            "statistics": {
                "resamples": str(RESAMPLES),
                "trials": str(max(TRIALS, PER_PAIR * math.comb(len(here), 2))),
                "seed": str(SEED),
            },
            "output": {"dir": f"runs/{self.folder}"},
        }


@cache
def written_boards() -> Mapping[str, dict[str, Any]]:
    """Return what boards.yaml says, by the names of the boards."""
    import yaml

    text = (resources.files("pipeline.reproduction") / "boards.yaml").read_text(encoding="utf-8")
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # builds text, lists and mappings, nothing else
    boards: dict[str, dict[str, Any]] = yaml.load(text, loader)  # noqa: S506
    return boards


def boards(outcomes: Sequence[Outcome]) -> list[PublishedBoard]:
    """Return the boards on which these recipes have at least two systems, with all of their outputs."""
    listed = []
    for name, written in written_boards().items():
        entrants = _entrants(written, outcomes)
        if len(entrants) > 1:
            listed.append(PublishedBoard(name=name, **written, entrants=tuple(entrants)))
    return listed


def _entrants(written: dict[str, Any], outcomes: Sequence[Outcome]) -> list[Entrant]:
    """Return the systems of a board. Outputs with the same content are one, and references are none."""
    own, metric = _files(written["dataset"]), from_text(written["metric"])
    references = {file.sha256 for file in own.get("references", ())}
    named: dict[str, list[tuple[str, Outcome, list[Printed], DataFile]]] = {}
    for outcome in sorted(outcomes, key=lambda one: (one.recipe.year or math.inf, one.recipe.name)):
        for dataset in _same_datasets(outcome.recipe, own):
            printed = printed_scores(outcome, dataset, metric)
            for system, file in _outputs(outcome.recipe, dataset):
                if file.sha256 not in references:
                    of_system = [one for name, one in printed if name == system]
                    named.setdefault(file.sha256, []).append((system, outcome, of_system, file))
    oldest, used = first_recipes([outcome.recipe for outcome in outcomes]), set[str]()
    return [_entrant(places, oldest, used) for places in named.values() if any(printed for _, _, printed, _ in places)]


def _entrant(
    places: Sequence[tuple[str, Outcome, list[Printed], DataFile]], oldest: Mapping[str, Recipe], used: set[str]
) -> Entrant:
    """Return a system under the name of its oldest recipe, followed by that recipe's where another one has the name."""
    system, outcome, _, file = places[0]
    name = system if system not in used else f"{system}@{outcome.recipe.name}"
    used.add(name)
    own = {place.recipe.name: place.recipe for _, place, _, _ in places}
    printed = tuple(one for _, _, printed, _ in places for one in printed)
    return Entrant(name, file, tuple(own.values()), printed, oldest[file.sha256])


def first_recipes(named: Sequence[Recipe]) -> dict[str, Recipe]:
    """Return the recipe of the oldest publication that scores an output, by the checksum of the output.

    All recipes of the package count, and those that are named.
    """
    oldest: dict[str, Recipe] = {}
    for recipe in {**recipes(), **{recipe.name: recipe for recipe in named}}.values():
        for dataset in recipe.mapping("datasets"):
            for _, file in _outputs(recipe, dataset):
                before = oldest.setdefault(file.sha256, recipe)
                if (recipe.year or math.inf) < (before.year or math.inf):
                    oldest[file.sha256] = recipe
    return oldest


def _files(dataset: Any) -> dict[str, list[DataFile]]:
    """Return the files of a data set by the keys source, references and gold; {} where it is none of such files."""
    if not isinstance(dataset, dict) or not set(dataset) <= set(TEXTS):
        return {}
    files: dict[str, list[DataFile]] = {}
    for key, value in dataset.items():
        for text in value if isinstance(value, list) else [value]:
            if not isinstance(text, str) or not is_data(text):
                return {}
            try:
                files.setdefault(key, []).extend(named_in(text))
            except InputError:
                return {}
    return files


def _same_datasets(recipe: Recipe, own: dict[str, list[DataFile]]) -> Iterator[str]:
    """Yield the names of the data sets of a recipe that have the texts of a board."""
    common = recipe.mapping("defaults").get("datasets", {})
    if (
        "include" in recipe.content
        or not set(recipe.mapping("defaults")) <= {"datasets"}
        or not isinstance(common, dict)
    ):
        return
    for name, dataset in recipe.mapping("datasets").items():
        files = _files({**common, **dataset} if isinstance(dataset, dict) else dataset)
        if files and all(_sums(files.get(key, ())) == _sums(texts) for key, texts in own.items()):
            yield name


def _sums(files: Sequence[DataFile]) -> list[str]:
    return [file.sha256 for file in files]


def _outputs(recipe: Recipe, dataset: str) -> Iterator[tuple[str, DataFile]]:
    """Yield the systems of a recipe, each with its output for a data set, where that is a file of the catalogue."""
    for name, written in recipe.mapping("systems").items():
        text = written.get(dataset) if isinstance(written, dict) else written
        if isinstance(text, str) and is_data(text):
            try:
                files = named_in(text)
            except InputError:
                continue
            if len(files) == 1:
                yield name, files[0]
