"""Leader boards across publications: the outputs for the same data that recipes name, and their
printed scores.

`boards.yaml` names the data set and the metric of each board. Its systems are the outputs of all
recipes for the same texts, recognised by checksums, so that a new recipe joins a board without
being named there."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.data import Catalogue, DataFile, DatasetCache
from pipeline.data.config import read_yaml
from pipeline.errors import InputError
from pipeline.extensions.human.json_objects import JsonObject
from pipeline.extensions.human.records import read_records
from pipeline.files import WrittenPath
from pipeline.metrics import from_text
from pipeline.metrics.base import Metric

from .recipe import Outcome, Recipe
from .verdicts import EXACT, read_number

OTHER = "unknown: on record as not reproducible"
"""The settings of a printed score that differs from ours though it should be by the same metric."""
TRUTH = {"true": "yes", "false": "no"}
MAX_PERCENT = Decimal(10) ** 6
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


def printed_scores(
    outcome: Outcome,
    dataset: str,
    metric: Metric,
) -> list[tuple[str, Printed]]:
    """Return (system, published score) for each score by a metric on a data set that a recipe
    expects, in the order of its entries.

    Scores in a table or file are known only if the recipe ran. What is no number is left out."""
    recipe = outcome.recipe
    compared_entries = (outcome.expectations or {}).get("entries", [])
    scores = []
    for index, entry in enumerate(recipe.expected):
        settings = _other_settings(entry, recipe, dataset, metric)
        if settings is None:
            continue
        values = entry.get("values")
        if not isinstance(values, dict):
            values = {}
            if index < len(compared_entries):
                for item in compared_entries[index]["compared"]:
                    values[item["place"]] = item["expected"]
        is_published = entry.get("published") != "false"
        for system, value in values.items():
            percent = _percent(str(value), str(entry.get("scale", "1")))
            if percent:
                printed = Printed(
                    recipe.name, percent, settings, recipe.year, is_published
                )
                scores.append((system, printed))
    return scores


def _other_settings(
    entry: JsonObject,
    recipe: Recipe,
    dataset: str,
    metric: Metric,
) -> str | None:
    """Return the metric of an entry of `expect` as the recipe writes it, if its settings are others
    than those of `metric`; else "", or OTHER for values that could not be reproduced.

    None if the entry has no scores of systems on the data set, or by another metric."""
    if entry.keys() & {"path", "mean", "sentences", "order"}:
        return None
    if entry.get("output", "score") != "score":
        return None
    if entry.get("dataset", dataset) != dataset:
        return None
    text = entry.get("metric")
    if text is None:
        text = recipe.content.get("metrics")
        if isinstance(text, list) and len(text) == 1:
            text = text[0]
    if not isinstance(text, str):
        return None
    try:
        entry_metric = from_text(text)
    except InputError:
        return None
    if entry_metric.name != metric.name:
        return None
    if entry_metric == metric:
        return OTHER if entry.get("recorded") == "differs" else ""
    return text


def _percent(value: str, scale: str) -> str | None:
    """Return a published number in percent with all its digits, such as "51.30" for 0.5130; `scale`
    is by what the publication multiplies scores, such as "100". None if it is no score.
    """
    score = read_number(value)
    factor = read_number(scale)
    if score is None or not factor:
        return None
    if factor == Decimal(1).scaleb(factor.adjusted()):
        # A power of ten: all digits stay, zeros at the end too.
        percent = score.scaleb(2 - factor.adjusted())
    else:
        percent = EXACT.divide(EXACT.multiply(score, Decimal(100)), factor)
    return f"{percent:f}" if abs(percent) < MAX_PERCENT else None


TEXTS = ("source", "references", "gold")
"""The keys of a data set that say which texts it has. Any other key but `bom` makes it another data
set."""
RESAMPLES = 1000
TRIALS = 10_000
SEED = 12345
TRIALS_PER_PAIR = 40
"""Trials for each pair of systems if there are many: Holm's correction multiplies the smallest p by
their number."""


@dataclass
class Entrant:
    """A system of a board: an output, and the recipes that name it for the data set."""

    name: str
    file: DataFile
    """Its output."""
    recipes: list[Recipe] = field(default_factory=list)
    """Those of the oldest publication first."""
    printed: list[Printed] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """All names that systems with this output have, its own first."""
    is_scored: bool = False
    """Whether a recipe has a score of it by the metric of the board."""

    @property
    def first(self) -> Recipe:
        """The recipe of the oldest publication that scores this output on the data set."""
        return self.recipes[0]

    @property
    def here(self) -> bool:
        """Whether the output is in the cache of data sets."""
        return DatasetCache().state(self.file) == "here"


@dataclass(frozen=True, kw_only=True)
class LeaderBoard:
    """A leader board before it is scored."""

    name: str
    title: str
    what: str
    """What it is scored against, in words."""
    dataset: JsonObject
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

    @property
    def has_published_scores(self) -> bool:
        """Whether a publication has a score of one of its systems."""
        printed = chain.from_iterable(
            entrant.printed for entrant in self.entrants
        )
        return any(score.published for score in printed)

    def config(self, added: Path | None = None) -> JsonObject | None:
        """Return the config that scores the outputs which are in the cache of data sets; None if
        there are fewer than two, or the data set is missing.

        `added` is an output of the user's, which becomes the baseline: every system is tested
        against it. Its name is that of its file, with @own if a system has that name."""
        here = [entrant for entrant in self.entrants if entrant.here]
        if len(here) < 2 or not self._texts_are_here():
            return None
        systems = {entrant.name: f"data:{entrant.file.key}" for entrant in here}
        dataset = dict(self.dataset)
        if isinstance(dataset.get("bom"), list):
            dataset["bom"] = [
                name for name in dataset["bom"] if name in systems
            ]
        trials = max(TRIALS, TRIALS_PER_PAIR * math.comb(len(here), 2))
        statistics = {
            "resamples": str(RESAMPLES),
            "trials": str(trials),
            "seed": str(SEED),
        }
        if added:
            name = f"{added.stem}@own" if added.stem in systems else added.stem
            systems[name] = str(added)
            statistics["trials"] = str(TRIALS)
            statistics["baseline"] = name
        return {
            "version": "1",
            "description": self.title,
            "datasets": {self.name: dataset},
            "systems": systems,
            "metrics": [self.metric],
            "statistics": statistics,
            "output": {"dir": f"runs/{self.folder}"},
        }

    def _texts_are_here(self) -> bool:
        """Return whether source, references and gold are in the cache of data sets."""
        files = chain.from_iterable(_files(self.dataset).values())
        return all(DatasetCache().state(file) == "here" for file in files)


@cache
def written_boards() -> Mapping[str, JsonObject]:
    """Return what boards.yaml says, by the names of the boards."""
    path = Path(__file__).with_name("boards.yaml")
    boards: dict[str, JsonObject] = read_yaml(path)
    return boards


def leader_boards(
    outcomes: Sequence[Outcome],
    *,
    unread: bool = False,
) -> list[LeaderBoard]:
    """Return the leader boards that have two systems or more in the recipes of the outcomes.

    Only systems with a score by the board's metric are on it. With `unread` these may be scores in
    files that were not read, because the recipe did not run."""
    # Files may have been fetched or changed since the last call.
    _of_catalogue.cache_clear()
    _records_of.cache_clear()
    boards = []
    for name, written in written_boards().items():
        for board_name, fields in _each_board(name, written, outcomes):
            entrants = tuple(_entrants(fields, outcomes, unread=unread))
            if len(entrants) > 1:
                boards.append(
                    LeaderBoard(name=board_name, **fields, entrants=entrants)
                )
    return boards


def _each_board(
    name: str,
    written: JsonObject,
    outcomes: Sequence[Outcome],
) -> Iterator[tuple[str, JsonObject]]:
    """Yield the name and the fields (see LeaderBoard) of each board that an entry of boards.yaml
    stands for: the entry itself, or with the key `of` one for each recipe of the file named there.

    Such a board is of the recipe's first data set, by its metric of this name."""
    if "of" not in written:
        yield name, written
        return
    for outcome in outcomes:
        recipe = outcome.recipe
        if recipe.family != written["of"]:
            continue
        metrics = recipe.content["metrics"]
        names = [from_text(text).name for text in metrics]
        metric = metrics[names.index(written["metric"])]
        result = recipe.name.removeprefix(f"{recipe.family}-")
        facts = {}
        if "facts" in written:
            facts = _facts(written["facts"], result)
        fields = {
            "title": written["title"].replace("{result}", result),
            "what": written["what"],
            "dataset": next(iter(recipe.mapping("datasets").values())),
            "metric": metric,
            "family": recipe.family,
            "result": result,
            "facts": facts,
        }
        yield f"{recipe.name}-{written['metric']}", fields


def _facts(
    written: Mapping[str, Any], result: str
) -> dict[str, dict[str, str]]:
    """Return what a table says of the systems of a result, as LeaderBoard.facts: {title: {system:
    text}}; {} if the file is missing.

    `written` names the file, the columns by their titles, the column of the system, and that of the
    result (`where`)."""
    (file,) = _of_catalogue(written["file"])
    if DatasetCache().state(file, quick=True) != "here":
        return {}
    facts: dict[str, dict[str, str]] = {
        title: {} for title in written["columns"]
    }
    for record in _records_of(DatasetCache().path(file)):
        if record.text(written["where"]) != result:
            continue
        for title, column in written["columns"].items():
            text = record.text(column).lower()
            system = record.text(written["system"])
            facts[title][system] = TRUTH.get(text, text)
    return facts


_records_of = cache(read_records)


def _entrants(
    written: JsonObject,
    outcomes: Sequence[Outcome],
    *,
    unread: bool,
) -> list[Entrant]:
    """Return the systems of a board from the recipes that have its data set, those of the oldest
    publication first. Outputs with the same content are one system; references are no systems.

    A system has its name in the oldest recipe, with @RECIPE if an older system has that name.
    `written` has the data set and the metric of the board; for `unread` see leader_boards()."""
    texts = _files(written["dataset"])
    metric = from_text(written["metric"])
    references = {
        DatasetCache().content(file) for file in texts.get("references", ())
    }
    # By checksum of the output.
    outputs: dict[str, Entrant] = {}

    def by_year(outcome: Outcome) -> tuple[float, str]:
        return outcome.recipe.year or math.inf, outcome.recipe.name

    for outcome in sorted(outcomes, key=by_year):
        recipe = outcome.recipe
        for dataset in _same_datasets(recipe, texts):
            printed = printed_scores(outcome, dataset, metric)
            has_unread_table = unread and _has_table(recipe, dataset, metric)
            for system, output in recipe.mapping("systems").items():
                is_by_dataset = isinstance(output, dict)
                text = output.get(dataset) if is_by_dataset else output
                files = _named(text)
                if (
                    len(files) != 1
                    or DatasetCache().content(files[0]) in references
                ):
                    continue
                entrant = Entrant(system, files[0])
                entrant = outputs.setdefault(
                    DatasetCache().content(files[0]), entrant
                )
                scores = [score for name, score in printed if name == system]
                entrant.names.append(system)
                if recipe not in entrant.recipes[-1:]:
                    entrant.recipes.append(recipe)
                entrant.printed += scores
                entrant.is_scored |= bool(scores) or has_unread_table
    entrants: dict[str, Entrant] = {}
    for entrant in outputs.values():
        if not entrant.is_scored:
            continue
        if entrant.name in entrants:
            entrant.name = f"{entrant.name}@{entrant.first.name}"
        names = [entrant.name, *entrant.names[1:]]
        entrant.names = list(dict.fromkeys(names))
        entrants[entrant.name] = entrant
    return list(entrants.values())


def _has_table(recipe: Recipe, dataset: str, metric: Metric) -> bool:
    """Return whether a recipe expects scores by a metric on a data set in a table."""
    tables = [entry for entry in recipe.expected if "table" in entry]
    return any(
        _other_settings(entry, recipe, dataset, metric) is not None
        for entry in tables
    )


def _named(text: Any) -> list[DataFile]:
    """Return the files of the catalogue that data:NAME/FILE stands for; [] if it is no such text."""
    if isinstance(text, str) and WrittenPath(text).is_data:
        return _of_catalogue(text)
    return []


@cache
def _of_catalogue(text: str) -> list[DataFile]:
    """Return the files of a text, which boards look up thousands of times; [] where there are none."""
    try:
        return Catalogue.known().files_in_config(text)
    except InputError:
        return []


def _files(dataset: Any) -> dict[str, list[DataFile]]:
    """Return the files of a data set of a config, by its keys source, references and gold; {} if it
    has other keys, or texts that are not in the catalogue.
    """
    if not isinstance(dataset, dict) or not set(dataset) <= {*TEXTS, "bom"}:
        return {}
    files: dict[str, list[DataFile]] = {}
    for key, value in dataset.items():
        if key not in TEXTS:
            continue
        for text in value if isinstance(value, list) else [value]:
            named = _named(text)
            if not named:
                return {}
            files.setdefault(key, []).extend(named)
    return files


def _same_datasets(
    recipe: Recipe, texts: dict[str, list[DataFile]]
) -> Iterator[str]:
    """Yield the names of the data sets of a recipe that have the texts of a board: files with the
    same content. None if the recipe's data sets may get keys from elsewhere.
    """
    if "include" in recipe.content or recipe.mapping("defaults"):
        return
    expected = _contents(texts)
    for name, dataset in recipe.mapping("datasets").items():
        contents = _contents(_files(dataset))
        if contents and expected.items() <= contents.items():
            yield name


def _contents(texts: dict[str, list[DataFile]]) -> dict[str, list[str]]:
    """Return the checksums of files."""
    return {
        key: list(map(DatasetCache().content, files))
        for key, files in texts.items()
    }
