"""What `evaluate`, `run` and `load` return: the results of one call, each with its score and the
counts behind it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast, get_args, overload

import numpy as np

from .arrays import Floats, Ints
from .data.texts import read_texts
from .errors import InputError, did_you_mean
from .execution.store.counts import InMemoryCounts, StoredCounts
from .metrics import METRICS
from .metrics.base.metric import Metric
from .metrics.base.statistics_spec import Columns
from .report.context import plot_style
from .report.notebook import NotebookResults, frame, known_table, matching_signatures, plotted
from .report.tables.ranked import labels
from .scoring.metric_results import MetricResult, datasets_of, picked, rows_of
from .scoring.results import REFERENCES_ROW, TIERS, Breakdown, Comparison, Results, Score
from .scoring.sentences import every_output, sentence_spread
from .scoring.stored_runs import narrowed
from .scoring.terms import HasBlocks, blocks_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Table = Literal["scores", "all", "sentences", "types", "tests"]
"""The tables of to_pandas()."""


def _of_score(name: str, meaning: str) -> Any:
    """Return a property of Result that reads an attribute of its score."""
    return property(lambda self: getattr(self.found, name), doc=meaning)


@dataclass(frozen=True)
class Result(NotebookResults):
    """The score of one system by one metric on one data set, with the counts that the score is made
    of.
    """

    _metric_result: MetricResult
    """The scores of all systems of the same call by the metric on the data set."""
    _number: int
    """The number of this one."""

    @property
    def found(self) -> Score:
        """The score as results.json has it. The properties below read it."""
        return self._metric_result.scores[self._number]

    @property
    def measure(self) -> Metric:
        """The metric, with all its settings."""
        return self._metric_result.metric

    @property
    def statistics(self) -> StoredCounts | InMemoryCounts:
        """The counts of each sentence. Those of a run directory are read when they are asked for."""
        if self._number < len(self._metric_result.columns):
            return cast("StoredCounts | InMemoryCounts", self._metric_result.columns[self._number])
        return InMemoryCounts([], self.measure.spec.schema(self._metric_result.references))

    @property
    def parts(self) -> tuple[Breakdown, ...]:
        """The scores by type of edit, of metrics that have them, for each tier."""
        return tuple(part for part in self._metric_result.breakdown if part.system == self.system)

    dataset = _of_score("dataset", "The name of the data set.")
    system = _of_score("system", "The name of the system.")
    signature = _of_score(
        "metric", "The metric with all its settings; `metrics=[signature]` takes it back."
    )
    score = _of_score("score", "The score by which systems are ranked, as a fraction.")
    outputs = _of_score(
        "outputs", "All numbers that the metric gives (score, precisions ...), by name."
    )
    rank = _of_score("rank", "The rank among the systems of the same call; 1 is best.")
    notes = _of_score("notes", "What a reader should know of the score, such as why it is 0.")
    peer_signature = _of_score(
        "peer_signature", "What sacreBLEU prints for the same settings, where it has them."
    )

    samples = _of_score(
        "samples", "The spread of the score over draws of references; None where none are drawn."
    )
    bootstrap = _of_score(
        "bootstrap", "Interval, rank range and cluster over samples of the sentences, or None."
    )
    intervals = _of_score(
        "intervals", "The spread of each output, where `statistics` had {'outputs': 'all'}."
    )

    @property
    def sentences(self) -> Floats:
        """The score of each sentence: float64 [lines].

        Where there are several references, this is the mean over them, or the best one if the
        metric takes the best. A sentence that a metric of your own leaves out (`none="skip"`) has
        NaN."""
        return self.sentence_spread()["score"]

    @property
    def sentence_outputs(self) -> dict[str, Floats]:
        """All outputs of each sentence by name, the score first: float64 [lines] each.

        The names are those of `outputs` at level corpus. For example,
        `sentence_outputs["rouge1_precision"]` holds the precision of each text. Where the best
        reference of a sentence counts, the numbers are those with it."""
        return self._of_sentences(every_output)

    @property
    def ids(self) -> list[str] | None:
        """The ids of the sentences, or None where the data set has none."""
        ids = self._metric_result.ids
        return read_texts(ids, 0, ids.lines) if ids else None

    def sentence_spread(self) -> dict[str, Floats]:
        """Return the spread of each sentence's score over its references.

        The keys are score, std, low and high; each value is float64 [lines]. low and high are score
        ± 1.959964 std. They are NaN where std is 0, as in the original GLEU program with the option
        -d."""
        return self._of_sentences(sentence_spread)

    def _of_sentences(
        self, numbers: Callable[[Metric, Columns], dict[str, Floats]]
    ) -> dict[str, Floats]:
        """Return what a function makes of the counts of all sentences."""
        blocks = [
            numbers(self.measure, columns) for columns in blocks_of(self.measure, self._by_line())
        ]
        return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}

    @property
    def columns(self) -> dict[str, Ints]:
        """The counts of each sentence by name: int64 [lines] each.

        For example, `match_2@0` holds the matches of order 2 (bigrams) with the first reference.
        """
        schema = self.statistics.schema
        return schema.named(
            np.concatenate([schema.pack(columns) for columns in self._by_line().blocks()])
        )

    def _by_line(self) -> HasBlocks:
        """Return the counts of each sentence, NaN for those left out; the row of all references has
        none.
        """
        if self.system == REFERENCES_ROW:
            remedy = "take reference0 or another reference"
            raise InputError(
                f"{self.system} is the mean of the references' scores and has no sentences: {remedy}"
            )
        return self._metric_result.by_line.columns[self._number]

    def breakdown(self, tier: int = 3) -> list[dict[str, Any]]:
        """Return a mapping for each type of edit: type, score, low and high of its interval, and
        all outputs.

        `tier` says how finely types are told apart: 3 is R:NOUN:NUM, 2 is NOUN:NUM, 1 is R. The
        list is what pandas.DataFrame takes, and it is empty for metrics that have no scores by
        type. Raises InputError for another tier."""
        if tier not in TIERS:
            raise InputError(f"tier: expected 1, 2 or 3, found {tier!r}")
        parts = [part for part in self.parts if part.tier == tier] or [
            part for part in self.parts if part.tier == 3
        ]
        return [row for part in parts for row in part.rows()]

    def to_pandas(self, columns: Literal["scores", "outputs", "all"] = "all") -> Any:
        """Return a DataFrame with a row for each sentence: its id, where it has one, its score,
        then its columns.

        With columns="scores" a row is what `sentence_spread` gives: score, std, low and high. With
        columns="outputs" it is what `sentence_outputs` gives, such as recall and precision. Raises
        InputError where pandas is not installed."""
        known_table(columns, ("scores", "outputs", "all"))
        ids = {"id": own} if (own := self.ids) else {}
        if columns == "outputs":
            return frame(ids | self.sentence_outputs)
        few = columns == "scores"
        return frame(
            ids | (self.sentence_spread() if few else {"score": self.sentences, **self.columns})
        )

    def _as_results(self) -> Results:
        return _written([picked([(self._metric_result, self._number)])], ())

    def __repr__(self) -> str:
        return f"<Result {self.dataset} {self.system} {self.score!r} {self.signature}>"


class Evaluation(Sequence[Result], NotebookResults):
    """The results of one call: a sequence of Result, ordered by data set, then metric, then system.

    Take a result by its number (`evaluation[0]`), by the name of its system (`evaluation["AMU"]`),
    by its metric where no system is called so (`evaluation["bleu"]`), or with
    `evaluation.get(system="AMU", metric="gleu")`. An evaluation with a single result also has the
    attributes of that result, such as `evaluation.score`."""

    results: tuple[Result, ...]
    warnings: tuple[str, ...]
    """What a reader should know of the texts, such as empty lines. Notes on a single score are in
    Result.notes."""
    tests: tuple[Comparison, ...]
    """The paired tests, where `statistics` were asked for, of evaluate() or in the config of the
    run; else empty."""

    def __init__(
        self,
        metric_results: Sequence[MetricResult],
        notes: Sequence[str] = (),
        stored: Results | None = None,
    ) -> None:
        self.results = tuple(
            Result(metric_result, number)
            for metric_result in metric_results
            for number in range(len(metric_result.scores))
        )
        self.warnings, self.tests = (
            tuple(notes),
            tuple(test for metric_result in metric_results for test in metric_result.tests),
        )
        self._stored = stored

    @overload
    def __getitem__(self, key: int | str) -> Result: ...
    @overload
    def __getitem__(self, key: slice) -> "Evaluation": ...
    def __getitem__(self, key: int | str | slice) -> "Result | Evaluation":
        """Return a result by its number, its system or its metric, or an evaluation of several by a
        slice.

        A text is the name of a system, or else a metric, as `get` takes it. Raises InputError
        unless exactly one result is meant, and IndexError for a number out of range."""
        if isinstance(key, slice):
            metric_results = boards_of(self.results[key])
            part = Evaluation(
                metric_results,
                self.warnings,
                narrowed(self._stored, metric_results) if self._stored else None,
            )
            part.results = self.results[key]
            return part
        if not isinstance(key, str):
            return self.results[key]
        is_system = any(result.system == key for result in self.results)
        return (
            self.get(metric=key)
            if not is_system and self._signatures(key)
            else self.get(system=key)
        )

    @property
    def scores(self) -> tuple[Score, ...]:
        """The scores as results.json has them, in the same order."""
        return tuple(result.found for result in self.results)

    @property
    def settings(self) -> dict[str, Any] | None:
        """How intervals and tests were made, with the defaults: baseline, test, seed and so on;
        None without them.
        """
        return self._stored.statistics if self._stored else None

    def __len__(self) -> int:
        return len(self.results)

    def get(
        self, *, system: str | None = None, metric: str | None = None, dataset: str | None = None
    ) -> Result:
        """Return the one result that fits all names given: `system` and `dataset` as they are, and
        `metric`.

        `metric` is a name, a signature, the text that was asked for ("gleu[refs=max]"), or the
        short name that tables and messages print ("gleu (refs:max)"). Raises InputError where no
        result fits, or more than one."""
        fits = [
            r for r in self.results if system in (None, r.system) and dataset in (None, r.dataset)
        ]
        fits = [r for r in fits if metric is None or r.signature in self._signatures(metric)]
        if len(fits) == 1:
            return fits[0]
        if fits:
            remedy = "take one with .get(system=..., metric=..., dataset=...)"
            raise InputError(f"{len(fits)} results fit, say which: {self._listing(fits)}; {remedy}")
        systems = {result.system for result in self.results}
        metrics = {result.measure.name for result in self.results}
        unknown = [
            name for name in (system, metric) if name and name not in {*systems, *metrics, *METRICS}
        ]
        hint = "".join(did_you_mean(name, sorted(systems | metrics)) for name in unknown[:1])
        raise InputError(f"no result fits{hint}; there are {self._listing(self.results)}")

    def _signatures(self, metric: str) -> set[str]:
        """Return the signatures of the results that a name of a metric may mean."""
        metrics = {result.signature: result.measure for result in self.results}
        return matching_signatures(metrics, metric)

    def _listing(self, results: Sequence[Result]) -> str:
        """Return data sets, systems and metrics of results, ten at most."""
        short = labels(result.signature for result in self.results)
        shown = [
            f"{result.dataset}/{result.system}/{short[result.signature]}" for result in results[:10]
        ]
        return ", ".join([*shown, *(["..."] if len(results) > 10 else [])]) or "none"

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the only result; raises AttributeError where there are several."""
        if name.startswith("_") or not (
            hasattr(Result, name) or name in Result.__dataclass_fields__
        ):
            raise AttributeError(f"{type(self).__name__} has no attribute '{name}'")
        if len(self.results) != 1:
            raise AttributeError(
                f"there are {len(self.results)} results, so .{name} is of none; take one, e.g. [0]"
            )
        return getattr(self.results[0], name)

    def __dir__(self) -> list[str]:
        """Return all attributes: those of the only result too, for completion in editors and
        notebooks.
        """
        return sorted(
            {*super().__dir__(), *(dir(self.results[0]) if len(self.results) == 1 else ())}
        )

    def breakdown(self, tier: int = 3) -> list[dict[str, Any]]:
        """Return the scores by type of edit of all results: a row for each system and type.

        `tier` is that of Result.breakdown(). pandas.DataFrame(evaluation.breakdown()) is a table of
        them."""
        return [
            {"dataset": result.dataset, "system": result.system, "metric": result.signature, **row}
            for result in self.results
            for row in result.breakdown(tier)
        ]

    def to_pandas(self, table: Table = "scores", *, wide: bool = False) -> Any:
        """Return a DataFrame with a row for each result, or another `table`. Scores are fractions.

        - "scores": data set, system, metric, score and rank; with statistics also the ends `low` and `high` of the
          interval, the range of ranks and the cluster.
        - "all": the same, and all numbers that the metrics give, such as precisions and counts. `recall_low` and
          `recall_high` are the ends of the interval of the recall, if outputs have any.
        - "sentences": a row for each sentence of each result: its id if it has one, its number from 1 and its score.
        - "types": a row for each system and type of edit, of metrics that have them.
        - "tests": a row for each paired test.

        If it is `wide`, there is a row for each system and a column for each metric, whose short names are those of
        reports. Of "all" a column is called such as bleu.precision_1, and of "sentences" there is a row for each
        sentence, and a column for each metric and system. Raises InputError where pandas is not installed, and for
        another table.
        """
        known_table(table, get_args(Table)[:3] if wide else get_args(Table))
        if wide:
            return self._wide(table)
        if table == "types":
            return frame(self.breakdown())
        if table == "tests":
            rows = [
                vars(test) | dict(zip(("low", "high"), test.interval, strict=True))
                for test in self.tests
            ]
            return frame(rows).drop(columns="interval", errors="ignore")
        return frame(list(self._rows(table)))

    def _rows(self, table: str) -> Iterator[dict[str, Any]]:
        for result in self.results:
            row: dict[str, Any] = {
                "dataset": result.dataset,
                "system": result.system,
                "metric": result.signature,
            }
            if table == "sentences":
                yield from (row | place | {"score": score} for place, score in _places(result))
                continue
            row |= {"score": result.score, "rank": result.rank}
            if boot := result.bootstrap:
                (low, high), (best, worst) = boot.interval, boot.ranks
                row |= {
                    "low": low,
                    "high": high,
                    "rank_best": best,
                    "rank_worst": worst,
                    "cluster": boot.cluster,
                }
            yield {**row, **(result.outputs | result.found.ends if table == "all" else {})}

    def _wide(self, table: str) -> Any:
        """Return a frame in which metrics, or metrics and systems, are columns."""
        short, own = labels(result.signature for result in self.results), "system"
        wide: dict[tuple[Any, ...], dict[Any, Any]] = {}
        for result in self.results:
            label = short[result.signature]
            if table == "sentences":
                for place, score in _places(result):
                    own = next(iter(place))  # the id where there are ids, else the number
                    wide.setdefault((result.dataset, place[own]), {})[label, result.system] = score
                continue
            cells = wide.setdefault((result.dataset, result.system), {})
            cells[label] = result.score
            others = (
                list(result.outputs.items())[1:] if table == "all" else []
            )  # the first is the score
            cells |= {f"{label}.{name}": value for name, value in others}
        found = frame(()).from_dict(wide, orient="index")
        found.index = found.index.set_names(["dataset", own])
        return found.droplevel("dataset") if len({dataset for dataset, _ in wide}) == 1 else found

    def plot(
        self,
        name: str = "scores",
        *,
        metric: str | None = None,
        dataset: str | None = None,
        width: Literal["column", "text"] | None = None,
        font: Literal["sans", "serif"] = "sans",
        title: bool = True,
    ) -> "Figure":
        """Return a plot as a figure of matplotlib, which notebooks show, and whose savefig() writes
        it to a file.

        `name` is one of those of `gec-pipeline report --format plots` (scores, curves, ranks,
        differences ...). Where there are several metrics or data sets, `metric` and `dataset` say
        which. For a paper, `width` is that of a column (219 points) or of the text (455 points),
        `font` is sans or serif, and `title` False leaves the title to the caption.

        Raises InputError for an unknown name, width or font, where results have nothing for it, and
        where matplotlib is missing."""
        return plotted(
            self._as_results(), name, metric, dataset, plot_style(width, font, title=title)
        )

    def _as_results(self) -> Results:
        """Return the results that the run directory has, or those of evaluate() in the same form."""
        if self._stored is not None:
            return self._stored
        return _written(boards_of(self.results), self.warnings)

    def __repr__(self) -> str:
        return f"<Evaluation: {self._listing(self.results)}>"


def _places(result: Result) -> Iterator[tuple[dict[str, Any], float]]:
    """Yield id, where there is one, and number from 1 of each sentence with its score; none for
    REFERENCES_ROW.
    """
    ids = result.ids
    for number, score in enumerate(
        result.sentences.tolist() if result.system != REFERENCES_ROW else (), 1
    ):
        yield {**({"id": ids[number - 1]} if ids else {}), "line": number}, score


def boards_of(results: Iterable[Result]) -> list[MetricResult]:
    """Return a board for each metric and data set, with these results alone."""
    rows: dict[tuple[str, Metric], list[tuple[MetricResult, int]]] = {}
    for result in results:
        rows.setdefault((result.dataset, result.measure), []).append(
            (result._metric_result, result._number)  # noqa: SLF001
        )
    return list(map(picked, rows.values()))


def _written(metric_results: Sequence[MetricResult], warnings: Sequence[str]) -> Results:
    """Return what results.json would say of boards."""
    return Results(
        datasets=datasets_of(metric_results), warnings=list(warnings), **rows_of(metric_results)
    )
