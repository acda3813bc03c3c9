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
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from . import stages
from .corpus.corpus import MAX_REFERENCES, Corpus, check_parallel, without_any
from .corpus.input_warnings import misshapen, suspicions
from .corpus.texts import text_in_memory
from .errors import IncompleteError, InputError, Problem, did_you_mean
from .execution.count import count_in_memory
from .execution.options import RunOptions
from .execution.store.columns_file import MemoryStatistics, Statistics
from .execution.store.remote_copy import folder_of
from .metrics.build import from_text, from_values
from .prepare import complete, fit, without_source
from .scoring import scored_columns, stored_runs
from .scoring.resampling.significance import statistics_of, with_statistics
from .scoring.results import Results
from .scoring.scores import remarks
from .scoring.scores import score as score_all
from .scoring.sentences import sentence_spread

if TYPE_CHECKING:
    from pathlib import Path

    from .arrays import Floats, Ints
    from .metrics.base.metric import Metric
    from .scoring.results import Bootstrap, Samples, Score

ONE = "system"
"""The name of a system that is given without one."""


@dataclass(frozen=True)
class Result:
    """The score of one system by one metric on one data set, and all that it was made from.

    score: the ranked score, a fraction; outputs: all that the metric tells (score, precisions, counts ...);
    samples: spread over draws of references, or None; rank: among the systems of the same call, from 1;
    signature: the metric with all settings, which `metrics=[signature]` takes back; notes: what a reader should know
    (why a score is 0 ...); peer_signature: what the field's own tool prints for the same settings (sacreBLEU's).
    """

    found: Score
    measure: Metric
    statistics: Statistics | MemoryStatistics

    dataset = property(lambda self: self.found.dataset, doc="Name of the data set.")
    system = property(lambda self: self.found.system, doc="Name of the system.")
    signature = property(lambda self: self.found.metric, doc="The metric with all its settings.")
    score = property(lambda self: self.found.score, doc="The score, a fraction.")
    outputs = property(lambda self: self.found.outputs, doc="All outputs by name.")
    rank = property(lambda self: self.found.rank, doc="Rank among the systems, from 1.")
    notes = property(lambda self: self.found.notes, doc="What a reader should know of the score.")
    peer_signature = property(lambda self: self.found.peer_signature, doc="Signature of the field's own tool.")

    @property
    def samples(self) -> Samples | None:
        """Iterations, standard deviation and interval over draws of references."""
        return self.found.samples

    @property
    def bootstrap(self) -> Bootstrap | None:
        """Interval, rank range and cluster over samples of the sentences, where `statistics` were asked for."""
        return self.found.bootstrap

    @property
    def sentences(self) -> Floats:
        """The score of each sentence: float64 [lines]; over several references the mean (max: the best)."""
        return self.sentence_spread()["score"]

    def sentence_spread(self) -> dict[str, Floats]:
        """Return score, std, low and high of each sentence over its references: float64 [lines] each.

        low and high are score ± 1.959964 std, NaN where std is 0, as in the original program's -d.
        """
        blocks = [sentence_spread(self.measure, columns) for columns in self.statistics.blocks()]
        return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}

    @property
    def columns(self) -> dict[str, Ints]:
        """The integers of each sentence by name (match_2@0: order 2, first reference): int64 [lines] each."""
        schema = self.statistics.schema
        return schema.named(np.concatenate([schema.pack(columns) for columns in self.statistics.blocks()]))

    def to_pandas(self) -> Any:
        """Return a DataFrame with a row for each sentence: its score, then its columns. Needs pandas."""
        return _pandas().DataFrame({"score": self.sentences, **self.columns})

    def __repr__(self) -> str:
        return f"<Result {self.dataset} {self.system} {self.score!r} {self.signature}>"


class Evaluation(Sequence[Result]):
    """Results of one call: a sequence, in the order of metrics and systems.

    With one result its attributes are the evaluation's own (`evaluation.score`); with more, take one:
    `evaluation["AMU"]`, `evaluation.get(system="AMU", metric="gleu")`, or go through them.
    """

    def __init__(self, results: Sequence[Result], notes: Sequence[str] = ()) -> None:
        self.results, self.warnings = tuple(results), tuple(notes)

    @overload
    def __getitem__(self, key: int | str) -> Result: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Result, ...]: ...
    def __getitem__(self, key: int | str | slice) -> Result | tuple[Result, ...]:
        """Return a result by its place or by the name of its system."""
        return self.get(system=key) if isinstance(key, str) else self.results[key]

    def __len__(self) -> int:
        return len(self.results)

    def get(self, *, system: str | None = None, metric: str | None = None, dataset: str | None = None) -> Result:
        """Return the one result that fits (metric: a name, or a signature); raises InputError unless it is one."""
        fits = [r for r in self.results if system in (None, r.system) and dataset in (None, r.dataset)]
        fits = [r for r in fits if metric in (None, r.signature, r.measure.name)]
        if len(fits) == 1:
            return fits[0]
        systems = list(dict.fromkeys(r.system for r in self.results))
        if not fits:
            hint = did_you_mean(system, systems) if system and system not in systems else ""
            raise InputError(f"no result fits{hint}; there are {_listing(self.results)}")
        raise InputError(f"{len(fits)} results fit, say which: {_listing(fits)}")

    def __getattr__(self, name: str) -> Any:
        """Give the attributes of the only result."""
        if name.startswith("_") or not (hasattr(Result, name) or name in Result.__dataclass_fields__):
            raise AttributeError(f"{type(self).__name__} has no attribute '{name}'")
        if len(self.results) != 1:
            raise AttributeError(f"there are {len(self.results)} results, so .{name} is of none; take one, e.g. [0]")
        return getattr(self.results[0], name)

    def to_pandas(self) -> Any:
        """Return a DataFrame with a row for each result. Needs pandas."""
        rows = [
            {"dataset": r.dataset, "system": r.system, "metric": r.signature, "rank": r.rank, **r.outputs}
            for r in self.results
        ]
        return _pandas().DataFrame(rows)

    def __repr__(self) -> str:
        return f"<Evaluation: {_listing(self.results)}>"


def evaluate(
    hypotheses: Sequence[str] | Mapping[str, Sequence[str]],
    references: Sequence[Sequence[str | None]],
    sources: Sequence[str] | None = None,
    metrics: Sequence[str | Metric | Mapping[str, Any]] = ("gleu",),
    *,
    n_jobs: int | Literal["auto"] = 1,
) -> Evaluation:
    """Score outputs that are in memory; texts may contain newlines.

    hypotheses: one text for each item, or {system: texts}; references: a list for each reference set (annotator),
    each with one text for each item, None where its annotator has none; sources: one text for each item; metrics:
    names, "gleu[n=3]", signatures, mappings such as {"name": "gleu", "references": "max"}, or metric objects. Raises
    InputError.
    """
    chosen = from_values(metrics)
    corpus = _corpus(hypotheses, references, sources, chosen)
    evaluation = evaluate_corpus(corpus, chosen, n_jobs=n_jobs)
    for note in evaluation.warnings:
        warnings.warn(note, stacklevel=2)
    return evaluation


def evaluate_corpus(corpus: Corpus, chosen: Sequence[Metric], *, n_jobs: int | Literal["auto"] = 1) -> Evaluation:
    """Score a checked corpus in memory, without a run directory; raises InputError where a source is missing."""
    if n_jobs != "auto" and (not isinstance(n_jobs, int) or n_jobs < 1):
        raise InputError(f"n_jobs: expected 'auto' or a number of workers from 1, found {n_jobs!r}")
    for metric in chosen:
        if metric.needs.source and corpus.source is None:
            raise InputError(without_source(metric.name, metric.hint, "-s FILE, or sources=[...]"))
    problems = fit(chosen, [corpus])
    if problems:
        raise InputError(problems)
    (corpus,) = complete(chosen, [corpus])
    needs = tuple(dict.fromkeys(metric.needs for metric in chosen))
    counted = count_in_memory(corpus, needs, RunOptions(n_jobs=n_jobs))
    scores = score_all([corpus], chosen, {corpus.name: counted})
    measures = {scored_columns.signed(metric, len(corpus.references)): metric for metric in chosen}
    results = []
    for score in scores:
        need = measures[score.metric].needs
        statistics = counted.get((score.system, need)) or MemoryStatistics([], need.schema(len(corpus.references)))
        results.append(Result(score, measures[score.metric], statistics))
    return Evaluation(results, [*suspicions(corpus), *remarks([corpus], chosen, {corpus.name: counted})])


def run(
    path: str | Path, output: str | Path | None = None, *, n_jobs: int | Literal["auto"] | None = None
) -> Evaluation:
    """Run a config as `gec-pipeline run` does, into its run directory (or output).

    Raises InputError, and IncompleteError where lines could not be counted: what could be is in the run directory.
    """
    directory, found = stages.run(stages.prepare(path), output, RunOptions(n_jobs=n_jobs))
    if found.missing:
        raise IncompleteError("\n".join(map(str, found.missing)))
    return load(directory.path)


def load(directory: str | Path) -> Evaluation:
    """Return the results of a run directory; columns are read when asked for. Raises StoreError."""
    directory = folder_of(directory)
    found = Results.read(directory / "results.json")
    results = []
    for score in found.scores:
        metric = from_text(score.metric)
        info = found.datasets[score.dataset]
        schema = metric.needs.schema(info.references)
        path = Statistics.path_in(directory, score.dataset, score.system, metric.needs.key)
        results.append(Result(score, metric, Statistics(path, schema, info.lines)))
    return Evaluation(results, found.warnings)


def compare(run: str | Path, run2: str | Path | None = None, **settings: str | float) -> Results:
    """Return the results of a run directory, or the systems of two, with intervals, rank ranges and paired tests.

    settings: baseline, test, correction, level, resamples, trials, seed, as in a config's `statistics`. In the result
    `scores[i].bootstrap` and `tests` are new. Reads the kept counts, never the texts. Raises InputError.
    """
    results, found = stored_runs.load_runs(run, run2)
    wanted = statistics_of({name: str(value) for name, value in settings.items()})
    return with_statistics(stored_runs.restricted(results, found), found, wanted)


def _corpus(
    hypotheses: Sequence[str] | Mapping[str, Sequence[str]],
    references: Sequence[Sequence[str | None]],
    sources: Sequence[str] | None,
    chosen: Sequence[Metric],
) -> Corpus:
    systems = hypotheses if isinstance(hypotheses, Mapping) else {ONE: hypotheses}
    if not systems:
        raise InputError("hypotheses: there is no system")
    if not _is_list(references) or any(isinstance(item, str) for item in references):
        raise InputError("references: expected a list for each reference set; for one set of texts write [texts]")
    if not references:
        raise InputError("references: at least one reference set is needed")
    if len(references) > MAX_REFERENCES:
        raise InputError(f"references: there are {len(references)} references; at most {MAX_REFERENCES} are supported")
    for metric in chosen:
        if metric.needs.source and sources is None:
            raise InputError(without_source(metric.name, metric.hint, "sources=[...]"))
    named: list[tuple[str, Any]] = [("sources", sources)] if sources is not None else []
    named += [(f"references[{number}]", texts) for number, texts in enumerate(references)]
    named += [(f"hypotheses[{name!r}]" if hypotheses is systems else "hypotheses", t) for name, t in systems.items()]
    missing = _checked(named)
    opened = [text_in_memory(name, [text or "" for text in texts] if missing else list(texts)) for name, texts in named]
    first = int(sources is not None)
    turned = misshapen(opened[first : first + len(references)], opened[-1].lines)
    problems = [Problem("", turned)] if turned else check_parallel(opened)
    if missing and not problems:
        problems = without_any(opened[first : first + len(references)], "")
    if problems:
        raise InputError(problems)
    source = opened.pop(0) if sources is not None else None
    outputs = dict(zip(systems, opened[len(references) :], strict=True))
    return Corpus(
        name="memory",
        lines=opened[0].lines,
        source=source,
        references=tuple(opened[: len(references)]),
        systems=outputs,
        missing=missing,
    )


def _checked(named: Sequence[tuple[str, Any]]) -> bool:
    """Return whether a reference is None: missing. Raises InputError for what is no text."""
    missing = False
    for name, texts in named:
        kinds: set[type] = set(map(type, texts)) if _is_list(texts) else {int}
        if type(None) in kinds and name.startswith("references["):
            missing = True
            kinds.remove(type(None))
        if not all(issubclass(kind, str) for kind in kinds):
            raise InputError(
                f"{name}: expected a list of strings" + ("" if name[0] != "r" else ", None for a missing one")
            )
    for name, texts in named if missing else ():
        empty = next((n for n, text in enumerate(texts, 1) if text is not None and not text.strip()), None)
        if empty and name.startswith("references["):
            raise InputError(f"{name}, item {empty}: is empty beside references that are None; write None for this too")
    return missing


def _is_list(value: object) -> bool:
    """Whether a value can be gone through as often as needed and is no text itself."""
    return isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping | Set)


def _listing(results: Sequence[Result]) -> str:
    shown = [f"{r.dataset}/{r.system}/{r.measure.name}" for r in results[:10]]
    return ", ".join([*shown, *(["..."] if len(results) > 10 else [])]) or "none"


def _pandas() -> Any:
    try:
        import pandas as pd
    except ImportError:
        raise InputError("to_pandas() needs pandas: pip install pandas") from None
    return pd
