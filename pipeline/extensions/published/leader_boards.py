"""Leader boards across publications: which outputs that recipes name are for the same data, and
what was printed.

`boards.yaml` names the data set and the metric of each board. Its systems are the outputs of all
recipes for the same texts, which their checksums tell, so that a new recipe joins a board without
being named there."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.data.catalogue import DataFile, named_in
from pipeline.data.config.compose import parse
from pipeline.data.dataset_cache import cache_path, content_of, state
from pipeline.errors import InputError
from pipeline.extensions.human.records import read_records
from pipeline.files.remote import is_data
from pipeline.metrics.base.metric import Metric
from pipeline.metrics.build import from_text

from .recipe import Outcome, Recipe
from .verdicts import EXACT, read_number

OTHER = "unknown: on record as not reproducible"
"""The settings of a printed score that differs from ours though it should be by the same metric."""
TRUTH = {"true": "yes", "false": "no"}
LARGEST = Decimal(10) ** 6
"""A printed percentage from this size on is no score."""


class Printed(NamedTuple):
    """A published score of a system."""

    recipe: str
    value: str
    """In percent, with all digits that were printed."""
    metric: str
    """The metric as the recipe writes it, where its settings are others than those of the board;
    else empty."""
    year: int | None
    """The year of the publication."""
    published: bool = True
    """Whether it stands in the publication. Otherwise it is of another computation, and only in the
    recipe."""


def printed_scores(outcome: Outcome, dataset: str, metric: Metric) -> list[tuple[str, Printed]]:
    """Return (system, published score) for each score by a metric on a data set that a recipe
    expects.
    """
    recipe, entries = outcome.recipe, (outcome.expectations or {}).get("entries", [])
    rows = []
    for number, entry in enumerate(recipe.expected):
        text = _metric_of(entry, recipe, dataset, metric)
        if text is None:
            continue
        values, is_published = entry.get("values"), entry.get("published") != "false"
        if not isinstance(values, dict) and number < len(entries):
            values = {item["place"]: item["expected"] for item in entries[number]["compared"]}
        for system, value in (values if isinstance(values, dict) else {}).items():
            shown = _percent(str(value), str(entry.get("scale", "1")))
            if shown:
                rows.append((system, Printed(recipe.name, shown, text, recipe.year, is_published)))
    return rows


def _metric_of(entry: dict[str, Any], recipe: Recipe, dataset: str, metric: Metric) -> str | None:
    """Return the text of an entry's metric, "" where it is that of the board; None if the entry is
    of no such score.
    """
    if any(key in entry for key in ("path", "mean", "sentences", "order")):
        return None
    if entry.get("output", "score") != "score" or entry.get("dataset", dataset) != dataset:
        return None
    written = recipe.content.get("metrics", [])
    text = entry.get(
        "metric", written[0] if isinstance(written, list) and len(written) == 1 else written
    )
    try:
        own = from_text(text) if isinstance(text, str) else None
    except InputError:
        return None
    if own is None or own.name != metric.name:
        return None
    if own == metric:
        return OTHER if entry.get("recorded") == "differs" else ""
    return str(text)


def _percent(value: str, scale: str) -> str | None:
    """Return a published number in percent with all its digits; None where it is no number."""
    number, factor = read_number(value), read_number(scale)
    if number is None or not factor:
        return None
    if factor == Decimal(1).scaleb(
        factor.adjusted()
    ):  # a power of ten: all digits stay, zeros at the end too
        shifted = number.scaleb(2 - factor.adjusted())
    else:
        shifted = EXACT.divide(EXACT.multiply(number, Decimal(100)), factor)
    return f"{shifted:f}" if abs(shifted) < LARGEST else None


TEXTS = ("source", "references", "gold")
"""The keys of a data set that say which texts it has. Any other key but `bom` makes it another data
set."""
RESAMPLES, TRIALS, SEED = 1000, 10_000, 12345
PER_PAIR = 40
"""Trials for each pair of systems where there are many: Holm's correction multiplies the smallest p
by their number."""


@dataclass(frozen=True)
class Entrant:
    """A system of a board."""

    name: str
    file: DataFile
    """Its output."""
    recipes: tuple[Recipe, ...]
    """The recipes that name this output for the data set, those of the oldest publication first."""
    printed: tuple[Printed, ...]
    names: tuple[str, ...] = ()
    """All names that systems with this output have, its own first."""

    @property
    def first(self) -> Recipe:
        """The recipe of the oldest publication that scores this output on the data set."""
        return self.recipes[0]

    @property
    def here(self) -> bool:
        """Whether the output is in the cache of data sets."""
        return state(self.file) == "here"


@dataclass(frozen=True, kw_only=True)
class LeaderBoard:
    """A leader board before it is scored."""

    name: str
    title: str
    what: str
    """What it is scored against, in words."""
    dataset: dict[str, Any]
    """The data set as a config has it."""
    metric: str
    entrants: tuple[Entrant, ...] = ()
    family: str = ""
    """The file of recipes for each of whose results there is such a board; the report shows less of
    each."""
    result: str = ""
    """Which of these results it is of, such as a language pair."""
    facts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What else is known of systems: the title of a column, and a text by the name of the system.
    """

    @property
    def folder(self) -> str:
        """The name of its run directory."""
        return f"board-{self.name}"

    def config(self, own: Path | None = None) -> dict[str, Any] | None:
        """Return the config that scores the outputs which are here; None where these or the data
        set are not here.

        With an output of one's own, every system is tested against that one.
        """
        here = [entrant for entrant in self.entrants if entrant.here]
        dataset = dict(self.dataset)
        if isinstance(marked := dataset.get("bom"), list):
            dataset["bom"] = [
                name for name in marked if any(entrant.name == name for entrant in here)
            ]
        shared = [file for files in _files(self.dataset).values() for file in files]
        if len(here) < 2 or any(state(file) != "here" for file in shared):
            return None
        systems = {entrant.name: f"data:{entrant.file.key}" for entrant in here}
        statistics = {"resamples": str(RESAMPLES), "trials": str(TRIALS), "seed": str(SEED)}
        if own:
            statistics["baseline"] = own.stem if own.stem not in systems else f"{own.stem}@own"
            systems[statistics["baseline"]] = str(own)
        else:
            statistics["trials"] = str(max(TRIALS, PER_PAIR * math.comb(len(here), 2)))
        return {
            "version": "1",
            "description": self.title,
            "datasets": {self.name: dataset},
            "systems": systems,
            "metrics": [self.metric],
            "statistics": statistics,
            "output": {"dir": f"runs/{self.folder}"},
        }


@cache
def written_boards() -> Mapping[str, dict[str, Any]]:
    """Return what boards.yaml says, by the names of the boards."""
    text = (resources.files("pipeline.extensions.published") / "boards.yaml").read_text(
        encoding="utf-8"
    )
    leader_boards: dict[str, dict[str, Any]] = parse(text)[0].plain()
    return leader_boards


def leader_boards(outcomes: Sequence[Outcome], *, unread: bool = False) -> list[LeaderBoard]:
    """Return the boards of two systems or more: with `unread` those of tables too whose scores were
    not read.
    """
    _of_catalogue.cache_clear()
    _records_of.cache_clear()
    listed = []
    for name, written in written_boards().items():
        for own, about in _each_board(name, written, outcomes):
            entrants = _entrants(about, outcomes, unread)
            if len(entrants) > 1:
                listed.append(LeaderBoard(name=own, **about, entrants=tuple(entrants)))
    return listed


def _each_board(
    name: str, written: dict[str, Any], outcomes: Sequence[Outcome]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the boards that boards.yaml writes as one, by name: one for each recipe of the file
    that `of` names.

    Such a board is of the recipe's first data set, by its metric of this name.
    """
    if "of" not in written:
        yield name, written
    for recipe in (
        outcome.recipe for outcome in outcomes if outcome.recipe.family == written.get("of", "?")
    ):
        metric = next(
            text for text in recipe.content["metrics"] if from_text(text).name == written["metric"]
        )
        result = recipe.name.removeprefix(f"{recipe.family}-")
        about = {
            "title": written["title"].replace("{result}", result),
            "what": written["what"],
            "dataset": next(iter(recipe.mapping("datasets").values())),
            "metric": metric,
            "family": recipe.family,
            "result": result,
            "facts": _facts(written["facts"], result) if "facts" in written else {},
        }
        yield f"{recipe.name}-{written['metric']}", about


def _facts(written: Mapping[str, Any], result: str) -> dict[str, dict[str, str]]:
    """Return columns of a table about the systems of a result, as LeaderBoard.facts; {} where it is
    not here.
    """
    (file,) = _of_catalogue(written["file"])
    if state(file, quick=True) != "here":
        return {}
    records = [one for one in _records_of(cache_path(file)) if one.text(written["where"]) == result]
    return {
        title: {
            one.text(written["system"]): TRUTH.get(text := one.text(column).lower(), text)
            for one in records
        }
        for title, column in written["columns"].items()
    }


_records_of = cache(read_records)


def _entrants(written: dict[str, Any], outcomes: Sequence[Outcome], unread: bool) -> list[Entrant]:
    """Return the systems of a board. Outputs with the same content are one, and references are
    none.

    A system has the name that it has in its oldest recipe, followed by that recipe's where another
    one has the name."""
    own, metric = _files(written["dataset"]), from_text(written["metric"])
    references = {content_of(file) for file in own.get("references", ())}
    named: dict[str, list[tuple[str, Recipe, list[Printed], DataFile]]] = {}
    scored = set[str]()
    for outcome in sorted(outcomes, key=lambda one: (one.recipe.year or math.inf, one.recipe.name)):
        for dataset in _same_datasets(outcome.recipe, own):
            recipe, printed = outcome.recipe, printed_scores(outcome, dataset, metric)
            tables = [each for each in recipe.expected if unread and "table" in each]
            awaited = any(_metric_of(each, recipe, dataset, metric) is not None for each in tables)
            for system, written_of in recipe.mapping("systems").items():
                files = _named(
                    written_of.get(dataset) if isinstance(written_of, dict) else written_of
                )
                if len(files) == 1 and (content := content_of(files[0])) not in references:
                    of_system = [one for name, one in printed if name == system]
                    named.setdefault(content, []).append((system, recipe, of_system, files[0]))
                    scored |= {content} if of_system or awaited else set()
    entrants: dict[str, Entrant] = {}
    for content, places in named.items():
        if content in scored:
            scores = tuple(one for _, _, printed, _ in places for one in printed)
            system, recipe, _, file = places[0]
            name = system if system not in entrants else f"{system}@{recipe.name}"
            recipes_of = {one.name: one for _, one, _, _ in places}
            names = tuple(dict.fromkeys([name, *(other for other, *_ in places[1:])]))
            entrants[name] = Entrant(name, file, tuple(recipes_of.values()), scores, names)
    return list(entrants.values())


def _named(text: Any) -> list[DataFile]:
    """Return the files of the catalogue that data:NAME/FILE stands for; [] where it is no such
    text.
    """
    return _of_catalogue(text) if isinstance(text, str) and is_data(text) else []


@cache
def _of_catalogue(text: str) -> list[DataFile]:
    """Return the files of a text, which boards look up thousands of times; [] where there are none."""
    try:
        return named_in(text)
    except InputError:
        return []


def _files(dataset: Any) -> dict[str, list[DataFile]]:
    """Return the files of a data set by the keys source, references and gold; {} where it is none
    of such files.
    """
    if not isinstance(dataset, dict) or not set(dataset) <= {*TEXTS, "bom"}:
        return {}
    named = {
        key: [_named(text) for text in (value if isinstance(value, list) else [value])]
        for key, value in dataset.items()
        if key in TEXTS
    }
    if not all(files for texts in named.values() for files in texts):
        return {}
    return {
        key: [file for files in texts for file in files] for key, texts in named.items() if texts
    }


def _same_datasets(recipe: Recipe, own: dict[str, list[DataFile]]) -> Iterator[str]:
    """Yield the names of the data sets of a recipe that have the texts of a board."""
    if "include" in recipe.content or recipe.mapping("defaults"):
        return
    for name, dataset in recipe.mapping("datasets").items():
        sums = {key: [content_of(file) for file in texts] for key, texts in _files(dataset).items()}
        if sums and all(
            sums.get(key, []) == [content_of(file) for file in texts] for key, texts in own.items()
        ):
            yield name
