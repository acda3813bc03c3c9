"""Evaluation from Python: `evaluate` on lists of strings, `run` on a config, `load` on a run directory.

>>> import pipeline
>>> result = pipeline.evaluate(
...     hypotheses=["He goes to school .", "I like an apples ."],
...     references=[["He goes to school .", "I like apples ."]],
...     sources=["He go to school .", "I like a apples ."],
...     metrics=["gleu"],
... )
>>> round(result.score, 6)
0.640931
>>> result.sentences.round(4).tolist()
[1.0, 0.0]
>>> result.columns["match_1@0"].tolist()
[5, 4]
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from . import stages
from .config.overrides import overrides_from_values
from .config.tree import from_mapping
from .corpus.corpus import MAX_REFERENCES, Corpus, check_parallel, without_any
from .corpus.edits.annotated_texts import Annotating, with_annotated
from .corpus.input_warnings import misshapen
from .corpus.texts import text_in_memory
from .errors import IncompleteError, InputError, Problem, did_you_mean
from .execution.count import count_in_memory
from .execution.listener import SILENT
from .execution.options import RunOptions
from .execution.store.columns_file import MemoryStatistics, Statistics
from .execution.store.remote_copy import folder_of
from .metrics import METRICS
from .metrics.build import from_text, from_values
from .metrics.names import is_called
from .prepare import complete, doubts, fit, without_source
from .report.tables.labels import labels
from .scoring import scored_columns, stored_runs
from .scoring.resampling.significance import statistics_of, with_statistics
from .scoring.results import Results
from .scoring.scores import remarks
from .scoring.scores import score as score_all
from .scoring.selection import restricted
from .scoring.sentences import sentence_spread

if TYPE_CHECKING:
    from pathlib import Path

    from .arrays import Floats, Ints
    from .execution.listener import Listener
    from .metrics.base.metric import Metric
    from .metrics.build import Asked
    from .scoring.results import Bootstrap, Samples, Score

ONE = "system"
"""The name of a system where `evaluate` gets a list of texts and no name."""


def _of_score(name: str, meaning: str) -> Any:
    """Return a property of Result that reads an attribute of its score."""
    return property(lambda self: getattr(self.found, name), doc=meaning)


@dataclass(frozen=True)
class Result:
    """The score of one system by one metric on one data set, with the counts that the score is made of."""

    found: Score
    """The score as results.json has it. The properties below read it."""
    measure: Metric
    """The metric, with all its settings."""
    statistics: Statistics | MemoryStatistics
    """The counts of each sentence. Those of a run directory are read when they are asked for."""

    dataset = _of_score("dataset", "The name of the data set.")
    system = _of_score("system", "The name of the system.")
    signature = _of_score("metric", "The metric with all its settings; `metrics=[signature]` takes it back.")
    score = _of_score("score", "The score by which systems are ranked, as a fraction.")
    outputs = _of_score("outputs", "All numbers that the metric gives (score, precisions ...), by name.")
    rank = _of_score("rank", "The rank among the systems of the same call; 1 is best.")
    notes = _of_score("notes", "What a reader should know of the score, such as why it is 0.")
    peer_signature = _of_score("peer_signature", "What sacreBLEU prints for the same settings, where it has them.")

    @property
    def samples(self) -> Samples | None:
        """The spread of the score over draws of references; None where the metric draws none."""
        return self.found.samples

    @property
    def bootstrap(self) -> Bootstrap | None:
        """The interval, rank range and cluster over samples of the sentences; None where they were not asked for."""
        return self.found.bootstrap

    @property
    def sentences(self) -> Floats:
        """The score of each sentence: float64 [lines].

        Where there are several references, this is the mean over them, or the best one if the metric takes the best.
        """
        return self.sentence_spread()["score"]

    def sentence_spread(self) -> dict[str, Floats]:
        """Return the spread of each sentence's score over its references.

        The keys are score, std, low and high; each value is float64 [lines]. low and high are score ± 1.959964 std.
        They are NaN where std is 0, as in the original GLEU program with the option -d.
        """
        blocks = [sentence_spread(self.measure, columns) for columns in self.statistics.blocks()]
        return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}

    @property
    def columns(self) -> dict[str, Ints]:
        """The counts of each sentence by name: int64 [lines] each.

        For example, `match_2@0` holds the matches of order 2 (bigrams) with the first reference.
        """
        schema = self.statistics.schema
        return schema.named(np.concatenate([schema.pack(columns) for columns in self.statistics.blocks()]))

    def to_pandas(self, columns: Literal["scores", "all"] = "all") -> Any:
        """Return a DataFrame with a row for each sentence: its score, then its columns.

        With columns="scores" a row is what `sentence_spread` gives: score, std, low and high. Raises InputError where
        pandas is not installed.
        """
        few = _are_few(columns)
        return _pandas().DataFrame(self.sentence_spread() if few else {"score": self.sentences, **self.columns})

    def __repr__(self) -> str:
        return f"<Result {self.dataset} {self.system} {self.score!r} {self.signature}>"


class Evaluation(Sequence[Result]):
    """The results of one call: a sequence of Result, ordered by data set, then metric, then system.

    Take a result by its number (`evaluation[0]`), by the name of its system (`evaluation["AMU"]`), by its metric where
    no system is called so (`evaluation["bleu"]`), or with `evaluation.get(system="AMU", metric="gleu")`. An evaluation
    with a single result also has the attributes of that result, such as `evaluation.score`.
    """

    results: tuple[Result, ...]
    warnings: tuple[str, ...]
    """What a reader should know of the texts, such as empty lines. Notes on a single score are in Result.notes."""

    def __init__(self, results: Sequence[Result], notes: Sequence[str] = ()) -> None:
        self.results, self.warnings = tuple(results), tuple(notes)

    @overload
    def __getitem__(self, key: int | str) -> Result: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Result, ...]: ...
    def __getitem__(self, key: int | str | slice) -> Result | tuple[Result, ...]:
        """Return a result by its number, its system or its metric, or several results by a slice.

        A text is the name of a system, or else a metric, as `get` takes it. Raises InputError unless exactly one
        result is meant, and IndexError for a number out of range.
        """
        if not isinstance(key, str):
            return self.results[key]
        is_system = any(result.system == key for result in self.results)
        return self.get(metric=key) if not is_system and self._signatures(key) else self.get(system=key)

    def __len__(self) -> int:
        return len(self.results)

    def get(self, *, system: str | None = None, metric: str | None = None, dataset: str | None = None) -> Result:
        """Return the one result that fits all names given.

        `metric` is a name, a signature, the text that was asked for ("gleu[refs=max]"), or the short name that tables
        and messages print ("gleu (refs:max)"). Raises InputError where no result fits, or more than one.
        """
        fits = [r for r in self.results if system in (None, r.system) and dataset in (None, r.dataset)]
        fits = [r for r in fits if metric is None or r.signature in self._signatures(metric)]
        if len(fits) == 1:
            return fits[0]
        if fits:
            remedy = "take one with .get(system=..., metric=..., dataset=...)"
            raise InputError(f"{len(fits)} results fit, say which: {self._listing(fits)}; {remedy}")
        systems = {result.system for result in self.results}
        metrics = {result.measure.name for result in self.results}
        unknown = [name for name in (system, metric) if name and name not in {*systems, *metrics, *METRICS}]
        hint = "".join(did_you_mean(name, sorted(systems | metrics)) for name in unknown[:1])
        raise InputError(f"no result fits{hint}; there are {self._listing(self.results)}")

    def _signatures(self, metric: str) -> set[str]:
        """Return the signatures of the results that a name of a metric may mean."""
        short = labels(result.signature for result in self.results)
        try:
            asked = from_text(metric)
        except InputError:  # no form in which a metric is asked for
            asked = None
        return {
            result.signature
            for result in self.results
            if metric in (result.signature, short[result.signature])
            or is_called(result.measure, metric)
            or result.measure == asked
        }

    def _listing(self, results: Sequence[Result]) -> str:
        """Return data sets, systems and metrics of results, ten at most."""
        short = labels(result.signature for result in self.results)
        shown = [f"{result.dataset}/{result.system}/{short[result.signature]}" for result in results[:10]]
        return ", ".join([*shown, *(["..."] if len(results) > 10 else [])]) or "none"

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the only result; raises AttributeError where there are several."""
        if name.startswith("_") or not (hasattr(Result, name) or name in Result.__dataclass_fields__):
            raise AttributeError(f"{type(self).__name__} has no attribute '{name}'")
        if len(self.results) != 1:
            raise AttributeError(f"there are {len(self.results)} results, so .{name} is of none; take one, e.g. [0]")
        return getattr(self.results[0], name)

    def __dir__(self) -> list[str]:
        """Return all attributes: those of the only result too, for completion in editors and notebooks."""
        return sorted({*super().__dir__(), *(dir(self.results[0]) if len(self.results) == 1 else ())})

    def to_pandas(self, columns: Literal["scores", "all"] = "scores") -> Any:
        """Return a DataFrame with a row for each result: data set, system, metric, score and rank.

        Where results have bootstrap intervals, `low` and `high` are their ends. With columns="all", all numbers that
        the metrics give follow, such as precisions and counts. Raises InputError where pandas is not installed.
        """
        few = _are_few(columns)
        return _pandas().DataFrame([_row(result) | ({} if few else result.outputs) for result in self.results])

    def __repr__(self) -> str:
        return f"<Evaluation: {self._listing(self.results)}>"


def evaluate(
    hypotheses: Sequence[str] | Mapping[str, Sequence[str]],
    references: Sequence[str] | Sequence[Sequence[str | None]],
    sources: Sequence[str] | None = None,
    metrics: Asked | Sequence[Asked] = ("gleu",),
    *,
    n_jobs: int | Literal["auto"] = 1,
) -> Evaluation:
    """Score outputs that are in memory. Nothing is written to disk, and texts may contain newlines.

    `hypotheses` holds one text for each item, or such a list for each system: {system: texts}.
    `references` holds a list for each reference set (annotator). Each has one text for each item, and None where its
    annotator has none. Where there is one annotator, the list of texts alone is enough.
    `sources` holds one uncorrected text for each item. Only some metrics, such as gleu, need it.
    `metrics` holds names as people write them ("gleu", "BLEU", "chrF++"), names with settings ("gleu[n=3]"),
    signatures, mappings such as {"name": "gleu", "references": "max"}, or metric objects. A single one needs no list.
    `n_jobs` is the number of workers, or "auto" to choose it by the amount of text.

    What looks wrong but can be scored is a warning (warnings.warn), and is kept in Evaluation.warnings. Raises
    InputError for texts that do not fit together, for unknown metrics or settings, and where a source is missing.
    """
    scorers = from_values(metrics)
    corpus = _corpus(hypotheses, references, sources, scorers)
    evaluation = evaluate_corpus(corpus, scorers, n_jobs=n_jobs)
    for note in evaluation.warnings:
        warnings.warn(note, stacklevel=2)
    return evaluation


def evaluate_corpus(
    corpus: Corpus, metrics: Sequence[Metric], *, n_jobs: int | Literal["auto"] = 1, listener: Listener = SILENT
) -> Evaluation:
    """Score a corpus that is open already, without a run directory.

    `listener` is told how texts are annotated, where a metric asks for it. Raises InputError where a metric cannot
    score this corpus, and for an impossible `n_jobs`.
    """
    if n_jobs != "auto" and (not isinstance(n_jobs, int) or n_jobs < 1):
        raise InputError(f"n_jobs: expected 'auto' or a number of workers from 1, found {n_jobs!r}")
    for metric in metrics:
        if metric.needs.source and corpus.source is None:
            raise InputError(without_source(metric.name, metric.hint, "-s FILE, or sources=[...]"))
    options = RunOptions(n_jobs=n_jobs)
    corpus = with_annotated(corpus, {metric.needs.view for metric in metrics}, Annotating(options.threads, listener))
    problems = fit(metrics, [corpus])
    if problems:
        raise InputError(problems)
    (corpus,) = complete(metrics, [corpus])
    needs = tuple(dict.fromkeys(metric.needs for metric in metrics))
    counted = count_in_memory(corpus, needs, options)
    scores = score_all([corpus], metrics, {corpus.name: counted})
    references = {metric: len(corpus.read_by(metric.needs).references) for metric in metrics}
    measures = {scored_columns.signed(metric, references[metric]): metric for metric in metrics}
    results = []
    for score in scores:
        metric = measures[score.metric]
        schema = metric.needs.schema(references[metric])
        statistics = counted.get((score.system, metric.needs)) or MemoryStatistics([], schema)
        results.append(Result(score, measures[score.metric], statistics))
    return Evaluation(results, [*doubts(corpus, metrics), *remarks([corpus], metrics, {corpus.name: counted})])


def run(
    config: str | Path | Mapping[str, Any],
    output: str | Path | None = None,
    *,
    n_jobs: int | Literal["auto"] | None = None,
    only: str | Sequence[str] = (),
    set: Mapping[str, Any] | Sequence[str] = (),  # noqa: A002 (the name of the option of the command line)
) -> Evaluation:
    """Run a config as `gec-pipeline run` does, and return the results.

    `config` is a YAML file, or a mapping with the same keys, whose relative paths start from the working directory.
    `output` is the run directory; None takes the config's `output.dir`. A run that was cut short goes on where it
    stopped. `n_jobs` is the number of workers, or "auto"; None takes the config's.
    `only` is a pattern, or several, of the names of data sets, systems or metrics: the rest is left out.
    `set` changes values of the config: {"output.digits": 4, "metrics.0.order": 3}.

    Raises ConfigError, with all problems at once, where the config or a text is wrong. Raises StoreError where the run
    directory cannot be used. Both are InputErrors. Raises IncompleteError where some lines could not be counted; the
    results of all others are then in the run directory.
    """
    if not isinstance(config, str | PathLike | Mapping):
        raise InputError(f"config: expected a YAML file or a mapping, found {type(config).__name__}")
    written = from_mapping(config) if isinstance(config, Mapping) else config
    options = RunOptions(n_jobs=n_jobs)
    job = stages.prepare(written, options, overrides_from_values(only, set))
    directory, results = stages.run(job, output, options)
    if results.missing:
        raise IncompleteError("\n".join(map(str, results.missing)))
    return _evaluation(directory.path, results)


def load(directory: str | Path) -> Evaluation:
    """Return the results of a run directory, which may be an address. Nothing is computed again.

    The counts of sentences are read when they are asked for. Raises StoreError where the directory holds no results.
    """
    directory = folder_of(directory)
    return _evaluation(directory, Results.read(directory / "results.json"))


def _evaluation(directory: Path, stored: Results) -> Evaluation:
    """Return the results of a run whose counts are in a directory."""
    results = []
    for score in stored.scores:
        metric, info = from_text(score.metric), stored.datasets[score.dataset]
        path = Statistics.path_in(directory, score.dataset, score.system, metric.needs.key)
        schema = metric.needs.schema(info.references_of(metric.needs))
        results.append(Result(score, metric, Statistics(path, schema, info.lines)))
    return Evaluation(results, stored.warnings)


def compare(run: str | Path, run2: str | Path | None = None, **settings: str | float) -> Results:
    """Return the results of a run directory with intervals, rank ranges and paired tests.

    With `run2`, the systems of both run directories are compared. `settings` are the keys of a config's section
    `statistics`: baseline, test, correction, level, resamples, trials and seed.

    In the Results returned, `scores[i].bootstrap` holds intervals and ranks, and `tests` the comparisons. They are
    computed from the stored counts; texts are not read. Raises InputError where a run directory cannot be used, where
    two do not fit together, and for settings that are wrong.
    """
    results, columns = stored_runs.load_runs(run, run2)
    statistics = statistics_of({name: str(value) for name, value in settings.items()})
    return with_statistics(restricted(results, columns), columns, statistics)


def _corpus(
    hypotheses: Sequence[str] | Mapping[str, Sequence[str]],
    references: Sequence[str] | Sequence[Sequence[str | None]],
    sources: Sequence[str] | None,
    metrics: Sequence[Metric],
) -> Corpus:
    """Return the texts as a corpus; raises InputError where they do not fit together."""
    systems = hypotheses if isinstance(hypotheses, Mapping) else {ONE: hypotheses}
    sets = _reference_sets(references)
    if not systems:
        raise InputError("hypotheses: there is no system")
    for metric in metrics:
        if metric.needs.source and sources is None:
            raise InputError(without_source(metric.name, metric.hint, "sources=[...]"))
    named: list[tuple[str, Any]] = [("sources", sources)] if sources is not None else []
    named += sets.items()
    named += [(f"hypotheses[{name!r}]" if hypotheses is systems else "hypotheses", t) for name, t in systems.items()]
    missing = _check_texts(named)
    opened = [text_in_memory(name, [text or "" for text in texts] if missing else list(texts)) for name, texts in named]
    source = opened[0] if sources is not None else None
    first = len(opened) - len(systems) - len(sets)
    reference_texts, outputs = opened[first : first + len(sets)], opened[first + len(sets) :]
    turned = misshapen(reference_texts, opened[-1].lines)
    problems = [Problem("", turned)] if turned else check_parallel(opened)
    if missing and not problems:
        problems = without_any(reference_texts, "")
    if problems:
        raise InputError(problems)
    return Corpus(
        name="memory",
        lines=opened[0].lines,
        source=source,
        references=tuple(reference_texts),
        systems=dict(zip(systems, outputs, strict=True)),
        missing=missing,
    )


def _reference_sets(references: Sequence[Any]) -> dict[str, Any]:
    """Return the reference sets by what messages call them. A list of texts alone is one set.

    Raises InputError for what is no list, for texts beside lists, and for no reference or too many.
    """
    kinds = (
        {isinstance(item, str) for item in references if item is not None} if _is_list(references) else {True, False}
    )
    if len(kinds) == 2:
        raise InputError("references: expected a list of texts, or several of them in a list: one for each annotator")
    if kinds == {True}:
        return {"references": references}
    if not len(references):
        raise InputError("references: at least one reference set is needed")
    if len(references) > MAX_REFERENCES:
        raise InputError(f"references: there are {len(references)} references; at most {MAX_REFERENCES} are supported")
    return {f"references[{number}]": texts for number, texts in enumerate(references)}


def _check_texts(named: Sequence[tuple[str, Any]]) -> bool:
    """Return whether some reference is None, which means that it is missing; raises InputError for what is no text."""
    missing = False
    for name, texts in named:
        kinds: set[type] = set(map(type, texts)) if _is_list(texts) else {int}
        if type(None) in kinds and name.startswith("references"):
            missing = True
            kinds.remove(type(None))
        if not all(issubclass(kind, str) for kind in kinds):
            hint = ", None for a missing one" if name.startswith("references") else ""
            raise InputError(f"{name}: expected a list of strings{hint}")
    for name, texts in named if missing else ():
        empty = next((n for n, text in enumerate(texts, 1) if text is not None and not text.strip()), None)
        if empty and name.startswith("references"):
            raise InputError(f"{name}, item {empty}: is empty beside references that are None; write None for this too")
    return missing


def _is_list(value: object) -> bool:
    """Return whether a value can be read several times in the same order, and is no text itself."""
    return isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping | Set)


def _are_few(columns: str) -> bool:
    """Return whether a DataFrame is to have scores alone; raises InputError for an unknown word."""
    if columns not in ("scores", "all"):
        raise InputError(f"columns: expected 'scores' or 'all', found {columns!r}")
    return columns == "scores"


def _row(result: Result) -> dict[str, Any]:
    """Return what a DataFrame of an evaluation says of a result: its names, its score, its interval and its rank."""
    names = {"dataset": result.dataset, "system": result.system, "metric": result.signature}
    ends = dict(zip(("low", "high"), result.bootstrap.interval, strict=True)) if result.bootstrap else {}
    return {**names, "score": result.score, **ends, "rank": result.rank}


def _pandas() -> Any:
    try:
        import pandas as pd
    except ImportError:
        raise InputError("to_pandas() needs pandas: pip install pandas") from None
    return pd
