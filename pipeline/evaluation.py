"""The results that `evaluate`, `run` and `load` return, each with its score and its counts."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast, get_args, overload

import numpy as np

from .arrays import Floats, Ints
from .errors import InputError, did_you_mean
from .execution import InMemoryCounts, StoredCounts
from .metrics import METRICS
from .metrics.base import Columns, Metric
from .report import PlotStyle, Reportable
from .report.tables import labels
from .scoring import (
    Breakdown,
    Comparison,
    HasBlocks,
    MetricColumns,
    MetricResult,
    Results,
    Score,
    ScoredRun,
    SentenceScores,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


Table = Literal["scores", "all", "sentences", "types", "tests"]
"""The tables of to_pandas()."""
MAX_LISTED = 10
"""How many results a message lists."""


def _of_score(name: str, meaning: str) -> Any:
    """Return a property of Result that reads an attribute of its score."""
    return property(lambda self: getattr(self.found, name), doc=meaning)


@dataclass(frozen=True)
class Result(Reportable):
    """The score of one system by one metric on one data set, with its counts."""

    _metric_result: MetricResult
    """The scores of all systems of the same call by the metric on the data set."""
    _number: int
    """The index of this score."""

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
        """The counts of each sentence. Those of a run directory are read when they are needed."""
        if self._number < len(self._metric_result.columns):
            return cast(
                "StoredCounts | InMemoryCounts",
                self._metric_result.columns[self._number],
            )
        return InMemoryCounts(
            [], self.measure.spec.schema(self._metric_result.references)
        )

    @property
    def parts(self) -> tuple[Breakdown, ...]:
        """The scores by type of edit, of metrics that have them, for each tier."""
        return tuple(
            part
            for part in self._metric_result.breakdown
            if part.system == self.system
        )

    dataset = _of_score("dataset", "The name of the data set.")
    system = _of_score("system", "The name of the system.")
    signature = _of_score(
        "metric",
        "The metric with all its settings; `metrics=[signature]` takes it back.",
    )
    score = _of_score(
        "score", "The score by which systems are ranked, as a fraction."
    )
    outputs = _of_score(
        "outputs", "All numbers of the metric (score, precisions ...), by name."
    )
    rank = _of_score(
        "rank", "The rank among the systems of the same call; 1 is best."
    )
    notes = _of_score(
        "notes", "Notes for the reader, such as why the score is 0."
    )
    peer_signature = _of_score(
        "peer_signature",
        "The signature of sacreBLEU for the same settings, if it has them.",
    )

    samples = _of_score(
        "samples",
        "The spread of the score over draws of references; None if none are drawn.",
    )
    bootstrap = _of_score(
        "bootstrap",
        "Interval, rank range and cluster over samples of the sentences, or None.",
    )
    intervals = _of_score(
        "intervals",
        "The spread of each output, if `statistics` had {'outputs': 'all'}.",
    )

    @property
    def sentences(self) -> Floats:
        """The score of each sentence: float64 [lines].

        With several references, this is the mean over them, or the best one if the metric takes
        the best. A sentence that a metric of your own leaves out (`none="skip"`) has NaN.
        """
        return self.sentence_spread()["score"]

    @property
    def sentence_outputs(self) -> dict[str, Floats]:
        """All outputs of each sentence by name, the score first: float64 [lines] each.

        The names are those of `outputs` at level corpus. For example,
        `sentence_outputs["rouge1_precision"]` holds the precision of each text. If the best
        reference of a sentence counts, the numbers are those with it.
        """
        return self._of_sentences(SentenceScores(self.measure).outputs)

    @property
    def ids(self) -> list[str] | None:
        """The ids of the sentences, or None if the data set has none."""
        ids = self._metric_result.ids
        return ids.read(0, ids.lines) if ids else None

    def sentence_spread(self) -> dict[str, Floats]:
        """Return the spread of each sentence's score over its references.

        The keys are score, std, low and high; each value is float64 [lines]. low and high are score
        ± 1.959964 std. They are NaN if std is 0, as in the original GLEU program with the option
        -d.
        """
        return self._of_sentences(SentenceScores(self.measure).spread)

    def _of_sentences(
        self, numbers: Callable[[Columns], dict[str, Floats]]
    ) -> dict[str, Floats]:
        """Return the numbers that a function computes from the counts of all sentences."""
        blocks = []
        for columns in MetricColumns(self.measure).blocks(self._by_line()):
            blocks.append(numbers(columns))
        joined = {}
        for name in blocks[0]:
            joined[name] = np.concatenate([block[name] for block in blocks])
        return joined

    @property
    def columns(self) -> dict[str, Ints]:
        """The counts of each sentence by name: int64 [lines] each.

        For example, `match_2@0` holds the matches of order 2 (bigrams) with the first reference.
        """
        schema = self.statistics.schema
        blocks = [schema.pack(columns) for columns in self._by_line().blocks()]
        return schema.named(np.concatenate(blocks))

    def _by_line(self) -> HasBlocks:
        """Return the counts of each sentence, NaN for those left out.

        Raises InputError for the row of all references, which has no counts.
        """
        if self.system == Score.REFERENCES:
            remedy = "take reference0 or another reference"
            raise InputError(
                f"{self.system} is the mean of the references' scores and has no sentences: "
                f"{remedy}"
            )
        return self._metric_result.by_line.columns[self._number]

    def breakdown(self, tier: int = 3) -> list[dict[str, Any]]:
        """Return a mapping for each type of edit: its score and all other outputs.

        The keys are type, score, low and high of its interval, and the names of the outputs. `tier`
        says how fine the types are: 3 is R:NOUN:NUM, 2 is NOUN:NUM, 1 is R. pandas.DataFrame takes
        the list, which is empty for metrics that have no scores by type. Raises InputError for
        another tier.
        """
        if tier not in Breakdown.TIERS:
            raise InputError(f"tier: expected 1, 2 or 3, found {tier!r}")
        parts = [part for part in self.parts if part.tier == tier]
        if not parts:
            parts = [part for part in self.parts if part.tier == 3]
        rows = []
        for part in parts:
            rows += part.rows()
        return rows

    def to_pandas(
        self, columns: Literal["scores", "outputs", "all"] = "all"
    ) -> Any:
        """Return a DataFrame with a row for each sentence, with its id if the sentences have ids.

        The argument `columns` says what follows: "all" is the score and the counts of `self.columns`,
        "scores" the score, std, low and high of sentence_spread(), and "outputs" the numbers of
        `sentence_outputs`, such as recall and precision. Raises InputError if pandas is not
        installed.
        """
        _check_table(columns, ("scores", "outputs", "all"))
        ids = self.ids
        table: dict[str, Any] = {}
        if ids:
            table["id"] = ids
        if columns == "outputs":
            table |= self.sentence_outputs
        elif columns == "scores":
            table |= self.sentence_spread()
        else:
            table |= {"score": self.sentences, **self.columns}
        return _frame(table)

    def _as_results(self) -> Results:
        row = (self._metric_result, self._number)
        return ScoredRun.in_memory([MetricResult.of_rows([row])]).results

    def __repr__(self) -> str:
        return f"<Result {self.dataset} {self.system} {self.score!r} {self.signature}>"


class Evaluation(Sequence[Result], Reportable):
    """The results of one call: a sequence of Result, ordered by data set, then metric, then system.

    Take a result by its number (`evaluation[0]`), by the name of its system (`evaluation["AMU"]`),
    by metric name unless a system has the same name (`evaluation["bleu"]`), or with
    `evaluation.get(system="AMU", metric="gleu")`. An evaluation with a single result also has the
    attributes of that result, such as `evaluation.score`.
    """

    results: tuple[Result, ...]
    warnings: tuple[str, ...]
    """Warnings about the texts, such as empty lines. Notes on a single score are in Result.notes."""
    tests: tuple[Comparison, ...]
    """The paired tests, if evaluate() or the config of the run had `statistics`; else empty."""

    def __init__(
        self,
        metric_results: Sequence[MetricResult],
        notes: Sequence[str] = (),
        stored: Results | None = None,
    ) -> None:
        results: list[Result] = []
        tests: list[Comparison] = []
        for metric_result in metric_results:
            numbers = range(len(metric_result.scores))
            results += [Result(metric_result, number) for number in numbers]
            tests += metric_result.tests
        self.results = tuple(results)
        self.warnings = tuple(notes)
        self.tests = tuple(tests)
        self._stored = stored

    @overload
    def __getitem__(self, key: int | str) -> Result: ...
    @overload
    def __getitem__(self, key: slice) -> "Evaluation": ...
    def __getitem__(self, key: int | str | slice) -> "Result | Evaluation":
        """Return a result by its number, its system or its metric, or several by a slice.

        A text is the name of a system, or else a metric, as `get` takes it. Raises InputError
        unless exactly one result matches, and IndexError for a number out of range.
        """
        if isinstance(key, slice):
            return self._part(self.results[key])
        if not isinstance(key, str):
            return self.results[key]
        is_system = any(result.system == key for result in self.results)
        if not is_system and self._signatures(key):
            return self.get(metric=key)
        return self.get(system=key)

    def _part(self, results: tuple[Result, ...]) -> "Evaluation":
        """Return some of the results, in this order."""
        metric_results = metric_results_of(results)
        stored = None
        if self._stored:
            stored = self._stored.narrowed(metric_results)
        part = Evaluation(metric_results, self.warnings, stored)
        part.results = results
        return part

    @property
    def scores(self) -> tuple[Score, ...]:
        """The scores as results.json has them, in the same order."""
        return tuple(result.found for result in self.results)

    @property
    def settings(self) -> dict[str, Any] | None:
        """The settings of intervals and tests: baseline, test, seed and so on; None without them."""
        return self._stored.statistics if self._stored else None

    def __len__(self) -> int:
        return len(self.results)

    def get(
        self,
        *,
        system: str | None = None,
        metric: str | None = None,
        dataset: str | None = None,
    ) -> Result:
        """Return the one result that matches all arguments.

        `system` and `dataset` are names. `metric` is a name, a signature, the text that was requested ("gleu[refs=max]"), or the
        short name in tables and messages ("gleu (refs:max)"). Raises InputError if no result
        matches, or more than one.
        """
        matching = list(self.results)
        if system is not None:
            matching = [
                result for result in matching if result.system == system
            ]
        if dataset is not None:
            matching = [
                result for result in matching if result.dataset == dataset
            ]
        if metric is not None:
            signatures = self._signatures(metric)
            matching = [
                result for result in matching if result.signature in signatures
            ]
        if len(matching) == 1:
            return matching[0]
        if matching:
            remedy = "take one with .get(system=..., metric=..., dataset=...)"
            raise InputError(
                f"{len(matching)} results fit, say which: {self._listing(matching)}; {remedy}"
            )
        systems = {result.system for result in self.results}
        metrics = {result.measure.name for result in self.results}
        hint = ""
        for name in (system, metric):
            if name and name not in {*systems, *metrics, *METRICS}:
                hint = did_you_mean(name, sorted(systems | metrics))
                break
        raise InputError(
            f"no result fits{hint}; there are {self._listing(self.results)}"
        )

    def _signatures(self, metric: str) -> set[str]:
        """Return the signatures of the results that a name of a metric may mean."""
        metrics = {result.signature: result.measure for result in self.results}
        return self._matching_signatures(metrics, metric)

    def _listing(self, results: Sequence[Result]) -> str:
        """Return data sets, systems and metrics of results, MAX_LISTED at most."""
        short = labels(result.signature for result in self.results)
        names = []
        for result in results[:MAX_LISTED]:
            names.append(
                f"{result.dataset}/{result.system}/{short[result.signature]}"
            )
        if len(results) > MAX_LISTED:
            names.append("...")
        return ", ".join(names) or "none"

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the only result; raises AttributeError if there are several."""
        if name.startswith("_") or not hasattr(Result, name):
            raise AttributeError(
                f"{type(self).__name__} has no attribute '{name}'"
            )
        if len(self.results) != 1:
            raise AttributeError(
                f"there are {len(self.results)} results, so .{name} is of none; take one, e.g. [0]"
            )
        return getattr(self.results[0], name)

    def __dir__(self) -> list[str]:
        """Return all attributes, also of a single result, for completion in notebooks."""
        names = {*super().__dir__()}
        if len(self.results) == 1:
            names |= {*dir(self.results[0])}
        return sorted(names)

    def breakdown(self, tier: int = 3) -> list[dict[str, Any]]:
        """Return the scores by type of edit of all results: a row for each system and type.

        `tier` is that of Result.breakdown(). pandas.DataFrame(evaluation.breakdown()) is a table of
        them.
        """
        rows = []
        for result in self.results:
            for row in result.breakdown(tier):
                rows.append(_keys(result) | row)
        return rows

    def to_pandas(self, table: Table = "scores", *, wide: bool = False) -> Any:
        """Return a DataFrame with a row for each result, or another `table`. Scores are fractions.

        - "scores": data set, system, metric, score and rank; with statistics also the ends `low`
          and `high` of the interval, the range of ranks and the cluster.
        - "all": the same, and all numbers of the metrics, such as precisions and counts.
          `recall_low` and `recall_high` are the ends of the interval of the recall, if outputs have
          any.
        - "sentences": a row for each sentence of each result: its id if it has one, its number from
          1 and its score.
        - "types": a row for each system and type of edit, of metrics that have them.
        - "tests": a row for each paired test.

        If it is `wide`, there is a row for each system and a column for each metric, whose short
        names are those of reports. A column of "all" is named such as bleu.precision_1, and of
        "sentences" there is a row for each sentence, and a column for each metric and system.
        Raises InputError if pandas is not installed, and for another table.
        """
        _check_table(table, get_args(Table)[:3] if wide else get_args(Table))
        if wide:
            return self._wide(table)
        if table == "types":
            return _frame(self.breakdown())
        if table == "tests":
            rows = []
            for test in self.tests:
                low, high = test.interval
                rows.append({**vars(test), "low": low, "high": high})
            return _frame(rows).drop(columns="interval", errors="ignore")
        return _frame(list(self._rows(table)))

    def _rows(self, table: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of the tables "scores", "all" and "sentences"."""
        for result in self.results:
            row = _keys(result)
            if table == "sentences":
                for sentence, score in _sentences(result):
                    yield {**row, **sentence, "score": score}
                continue
            row |= {"score": result.score, "rank": result.rank}
            bootstrap = result.bootstrap
            if bootstrap:
                row["low"], row["high"] = bootstrap.interval
                row["rank_best"], row["rank_worst"] = bootstrap.ranks
                row["cluster"] = bootstrap.cluster
            if table == "all":
                row |= result.outputs | result.found.ends
            yield row

    def _wide(self, table: str) -> Any:
        """Return a frame in which metrics, or metrics and systems, are columns."""
        short = labels(result.signature for result in self.results)
        row_name = "system"
        wide: dict[tuple[Any, ...], dict[Any, Any]] = {}
        for result in self.results:
            label = short[result.signature]
            if table == "sentences":
                for sentence, score in _sentences(result):
                    # the id if there are ids, else the number
                    row_name = next(iter(sentence))
                    cells = wide.setdefault(
                        (result.dataset, sentence[row_name]), {}
                    )
                    cells[label, result.system] = score
                continue
            cells = wide.setdefault((result.dataset, result.system), {})
            cells[label] = result.score
            if table == "all":
                for name in list(result.outputs)[1:]:  # the first is the score
                    cells[f"{label}.{name}"] = result.outputs[name]
        wide_frame = _frame(()).from_dict(wide, orient="index")
        wide_frame.index = wide_frame.index.set_names(["dataset", row_name])
        datasets = {dataset for dataset, _ in wide}
        return (
            wide_frame.droplevel("dataset")
            if len(datasets) == 1
            else wide_frame
        )

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
        """Return a plot as a figure of matplotlib, which notebooks display.

        `name` is one of those of `gec-pipeline report --format plots` (scores, curves, ranks,
        differences ...). With several metrics or data sets, `metric` and `dataset` name one. For a
        paper, `width` is that of a column (219 points) or of the text (455 points), `font` is sans
        or serif, and `title` False leaves the title to the caption. The method savefig() of the
        figure writes it to a file.

        Raises InputError for an unknown name, width or font, if results have nothing for the plot,
        and if matplotlib is not installed.
        """
        style = PlotStyle.of(width, font, title=title)
        return self._plotted(name, metric, dataset, style)

    def _as_results(self) -> Results:
        """Return the results that the run directory has, or those of evaluate() in the same form."""
        if self._stored is not None:
            return self._stored
        metric_results = metric_results_of(self.results)
        return ScoredRun.in_memory(metric_results, self.warnings).results

    def __repr__(self) -> str:
        return f"<Evaluation: {self._listing(self.results)}>"


def _frame(rows: Any) -> Any:
    """Return a DataFrame of rows, or of columns by name. Missing values of a row are missing in it.

    Raises InputError if pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError:
        raise InputError(
            "to_pandas() needs pandas: pip install 'gec-pipeline[pandas]'"
        ) from None
    return pd.DataFrame(rows)


def _check_table(table: str, tables: Iterable[str]) -> None:
    """Raise InputError for a table that is none of these."""
    if table not in tables:
        raise InputError(
            f"to_pandas: expected one of {', '.join(tables)}, found {table!r}"
        )


def _keys(result: Result) -> dict[str, Any]:
    """Return the columns of a table that say which result a row is of."""
    return {
        "dataset": result.dataset,
        "system": result.system,
        "metric": result.signature,
    }


def _sentences(result: Result) -> Iterator[tuple[dict[str, Any], float]]:
    """Yield the columns `id`, if there is one, and `line` of each sentence with its score.

    Lines are numbered from 1. The row of all references has none.
    """
    if result.system == Score.REFERENCES:
        return
    ids = result.ids
    for index, score in enumerate(result.sentences.tolist()):
        sentence: dict[str, Any] = {}
        if ids:
            sentence["id"] = ids[index]
        sentence["line"] = index + 1
        yield sentence, score


def metric_results_of(results: Iterable[Result]) -> list[MetricResult]:
    """Return the scores of each metric and data set, with these results alone."""
    rows: dict[tuple[str, Metric], list[tuple[MetricResult, int]]] = {}
    for result in results:
        row = (result._metric_result, result._number)  # noqa: SLF001
        rows.setdefault((result.dataset, result.measure), []).append(row)
    return [MetricResult.of_rows(of_metric) for of_metric in rows.values()]
