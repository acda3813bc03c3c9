"""Evaluation from Python: `evaluate` on lists of texts, `run` on a config, `load` on a directory.

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

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

from pipeline.metrics import bind_tokens

from .data import Corpus, InputReader, completed, text_warnings
from .data.config import Node, Overrides
from .errors import IncompleteError, InputError, did_you_mean
from .evaluation import Evaluation, Result, metric_results_of
from .execution import (
    SILENT,
    Listener,
    RunOptions,
    Task,
    count_in_memory,
    folder_of,
    specs_of,
    tasks_of,
    with_computed,
)
from .metrics import MetricArgument, from_values, metric_source
from .metrics.base import Metric
from .prepare import complete, fit, without_references, without_source
from .scoring import (
    DatasetInfo,
    MetricResult,
    Results,
    ScoredRun,
    count_warnings,
    score,
)
from .tokenizers import OwnTexts, References, Splitter, Texts

if TYPE_CHECKING:
    from .data.config import StatisticsConfig
    from .execution import Counted


Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")
OTHER_NAMES = {
    "predictions": "hypotheses",
    "preds": "hypotheses",
    "outputs": "hypotheses",
    "candidates": "hypotheses",
    "systems": "hypotheses",
    "hyps": "hypotheses",
    "refs": "references",
    "targets": "references",
    "labels": "references",
    "inputs": "sources",
    "src": "sources",
    "originals": "sources",
    "baseline": "statistics",
    "resamples": "statistics",
    "trials": "statistics",
    "seed": "statistics",
    "level": "statistics",
    "bootstrap": "statistics",
    "workers": "n_jobs",
    "jobs": "n_jobs",
    "num_workers": "n_jobs",
}
"""Our arguments by the names that they, or their keys, have in other programs."""


def _suggests_arguments(
    function: Callable[Arguments, Returned],
) -> Callable[Arguments, Returned]:
    """Return the function with errors that suggest an argument in place of an unknown one."""
    known = list(signature(function).parameters)

    @wraps(function)
    def call(
        *arguments: Arguments.args, **keywords: Arguments.kwargs
    ) -> Returned:
        for name in keywords:
            if name not in known:
                hint = did_you_mean(name, known)
                if OTHER_NAMES.get(name) in known:
                    hint = f" (did you mean '{OTHER_NAMES[name]}'?)"
                hint = hint or f"; there are {', '.join(known)}"
                raise InputError(
                    f"{function.__name__}: no argument is called '{name}'{hint}"
                )
        return function(*arguments, **keywords)

    return call


@_suggests_arguments
def evaluate(
    hypotheses: Texts | Mapping[str, Texts] | Path | Mapping[str, Path],
    references: References | None = None,
    sources: Texts | None = None,
    metrics: MetricArgument | Sequence[MetricArgument] = ("gleu",),
    *,
    gold: str | Path | None = None,
    n_jobs: int | Literal["auto"] = 1,
    statistics: Mapping[str, Any] | bool | None = None,
    tokenizer: Splitter | None = None,
    scores: Mapping[str, Any] | None = None,
    references_by: Literal["annotator", "item"] | None = None,
    ids: Sequence[str | int] | None = None,
    dataset: str | None = None,
) -> Evaluation:
    """Score outputs that are in memory. Nothing is written to disk, and texts may contain newlines.

    - `hypotheses`: one text for each item, or such a list for each system, {system: texts}.
    - `references`: a list for each reference set (annotator), with one text for each item, and None
      where its annotator has none. With one annotator, the list of texts alone is enough. It may
      also hold a list for each item instead, with one reference or more, as the packages of Hugging
      Face have it. The numbers of texts decide between both; if they do not, as with as many
      references as items, set `references_by` to "annotator" or "item".
    - `sources`: one uncorrected text for each item. Only some metrics, such as gleu, need it.
    - `metrics`: names ("gleu", "BLEU", "chrF++"), names with settings ("gleu[n=3]"), signatures,
      metric objects, or mappings such as {"name": "gleu", "n": [2, 4]}, which stands for gleu with
      each of these values. A single one needs no list.
    - `gold`: an M2 file, for metrics of edits such as m2. Sources and references that are not given
      come from it. For errant `hypotheses` are M2 files too: a path, or {system: path}; then there
      are no other texts. With "errant[annotator=auto]" they are texts, which errant annotates; the
      annotations are cached (`help annotation`).
    - `n_jobs`: the number of workers, or "auto" to choose it by the amount of text.
    - `statistics`: intervals, rank ranges and paired tests, with the keys of a config's section of
      this name, such as {"baseline": "A", "resamples": 500}; True takes the defaults. The results
      are in Result.bootstrap and Evaluation.tests.
    - `tokenizer`: a function that splits a text into a list of tokens, or an object with a method
      tokenize. Without it, all texts may be lists of tokens themselves. Tokens are compared as they
      are by all metrics of tokens; others, such as chrf, are an error. Signatures then have tok:own,
      or tok:own+NAME of the function.
    - `scores`: numbers of each line from elsewhere, {title: {system: array}}. An array is [lines],
      or [lines, 3] with true positives, false positives and false negatives, for F-beta. A metric
      {"name": "external", "title": title} among `metrics`, which may be empty here, sets how they
      are scored.
    - `ids`: an id for each item, for tables of sentences (Result.to_pandas).
    - `dataset`: the name of the texts in tables and warnings; default: "memory".

    Suspicious texts that can be scored are warnings (warnings.warn), also in Evaluation.warnings.
    Raises InputError for texts that do not fit together, for unknown metrics or settings, and for a
    missing source.
    """
    numbers = _numbers_by_system(scores or {}, hypotheses)
    all_metrics: tuple[Metric, ...] = ()
    if metrics or not numbers:
        all_metrics = from_values(metrics)
    if numbers:
        more = metric_source().metrics_of_scores(all_metrics, numbers)
        if more:
            all_metrics = (*all_metrics, *from_values(more))
    bound_metrics, texts = bind_tokens(
        all_metrics, hypotheses, references, sources, tokenizer
    )
    if isinstance(texts.hypotheses, Mapping) and not texts.hypotheses:
        raise InputError("hypotheses: there is no system")
    if gold is not None and ids is not None:
        raise InputError("ids: leave it out beside gold")
    if gold is not None and references_by:
        raise InputError("references_by: leave it out beside gold")
    corpus = corpus_of_call(
        bound_metrics,
        texts,
        gold,
        threads=n_jobs if isinstance(n_jobs, int) and n_jobs > 0 else 1,
        references_by=references_by,
        ids=ids,
    )
    corpus = replace(corpus, name=dataset or corpus.name)
    if numbers:
        corpus = metric_source().with_arrays(corpus, bound_metrics, numbers)
    evaluation = evaluate_corpus(
        corpus, bound_metrics, n_jobs=n_jobs, statistics=statistics
    )
    for note in evaluation.warnings:
        warnings.warn(note, stacklevel=3)
    return evaluation


def _numbers_by_system(
    scores: Mapping[str, Any], hypotheses: Any
) -> dict[str, Mapping[str, Any]]:
    """Return the argument `scores` of evaluate() with arrays by title and system."""
    numbers: dict[str, Mapping[str, Any]] = {}
    for title, value in scores.items():
        if isinstance(value, Mapping):
            numbers[title] = value
        elif isinstance(hypotheses, Mapping):
            systems = ", ".join(
                f"{name!r}: [...]" for name in list(hypotheses)[:3]
            )
            name = repr("METRIC" if title in hypotheses else title)
            raise InputError(
                f"scores[{title!r}]: numbers need the names of systems: "
                f"scores={{{name}: {{{systems}}}}}"
            )
        else:
            numbers[title] = {Corpus.SINGLE_SYSTEM: value}
    return numbers


def corpus_of_call(
    metrics: Sequence[Metric],
    texts: OwnTexts,
    gold: str | Path | None,
    *,
    threads: int = 1,
    references_by: Literal["annotator", "item"] | None = None,
    ids: Sequence[str | int] | None = None,
) -> Corpus:
    """Return the texts of a call as a data set; with the M2 file `gold`, missing ones are its own.

    The other arguments are as in corpus_in_memory(). Raises InputError for texts that do not fit
    together, and for tokens of the caller beside an M2 file.
    """
    if gold is None:
        return Corpus.in_memory(
            texts.hypotheses,
            texts.references,
            texts.sources,
            own_tokens=bool(texts.tokenizer),
            threads=threads,
            references_by=references_by,
            ids=ids,
        )
    if texts.tokenizer:
        raise InputError(
            "gold: the texts of an M2 file are split already, at blanks; "
            "give texts, and no tokens of your own"
        )
    views = {metric.spec.input for metric in metrics}
    return InputReader.of(InputReader.GOLD).in_memory(
        gold, texts.hypotheses, texts.references, texts.sources, views
    )


def evaluate_corpus(
    corpus: Corpus,
    metrics: Sequence[Metric],
    *,
    n_jobs: int | Literal["auto"] = 1,
    listener: Listener = SILENT,
    statistics: Mapping[str, Any] | bool | None = None,
    by_type: bool = True,
    options: RunOptions | None = None,
) -> Evaluation:
    """Score a corpus that is open already, without a run directory.

    `statistics` is as in evaluate(). `by_type` says whether there are scores by type of edit too.
    `listener` displays progress if a metric has texts annotated. `options` stand in place of
    n_jobs. Raises InputError if a metric cannot score this corpus, and for wrong `n_jobs` and
    `statistics`.
    """
    settings = _statistics_settings(statistics, corpus)
    if n_jobs != "auto" and (not isinstance(n_jobs, int) or n_jobs < 1):
        raise InputError(
            f"n_jobs: expected 'auto' or a number of workers from 1, found {n_jobs!r}"
        )
    for metric in metrics:
        if metric.spec.source and corpus.source is None:
            raise InputError(
                without_source(
                    metric.name, metric.hint, "-s FILE, or sources=[...]"
                )
            )
        if metric.spec.references and not corpus.references:
            raise InputError(
                without_references(metric.name, "-r FILE, or references=[...]")
            )
    options = options or RunOptions(n_jobs=n_jobs)
    views = {metric.spec.input for metric in metrics}
    corpus = completed(corpus, views, options.threads, listener)
    systems = len(corpus.systems)
    metrics = tuple(metric.for_run(systems, [corpus]) for metric in metrics)
    problems = fit(metrics, [corpus])
    if problems:
        raise InputError(problems)
    (corpus,) = with_computed([corpus], metrics, options, listener)
    tasks = tasks_of(metrics, complete(metrics, [corpus]))
    corpus = tasks[0].corpus
    specs = tuple(dict.fromkeys(metric.spec for metric in metrics))
    if by_type:
        specs = specs_of(tasks)
    return results_of(tasks, count_in_memory(corpus, specs, options), settings)


def _statistics_settings(
    statistics: Mapping[str, Any] | bool | None, corpus: Corpus
) -> "StatisticsConfig | None":
    """Return the settings of intervals and tests; None if `statistics` is None or False.

    True and an empty mapping take the defaults. Raises InputError for another type or setting.
    """
    if statistics is None or statistics is False:
        return None
    written = {} if statistics is True else statistics
    if not isinstance(written, Mapping):
        raise InputError(
            f"statistics: expected True or a mapping such as {{'seed': 1}}, found {statistics!r}"
        )
    # here: most calls request no statistics
    from .scoring import statistics_settings

    return statistics_settings(written, corpus.systems, "statistics: ")


def results_of(
    tasks: Sequence[Task],
    counted: "Counted",
    settings: "StatisticsConfig | None" = None,
) -> Evaluation:
    """Return the results of a data set whose texts are counted, with statistics by `settings`."""
    corpus = tasks[0].corpus
    counts = {corpus.name: counted}
    metric_results: Sequence[MetricResult] = score(tasks, counts)
    warnings_of_texts = text_warnings(corpus, [task.metric for task in tasks])
    warnings_of_texts += count_warnings(tasks, counts)
    if settings is None:
        return Evaluation(metric_results, warnings_of_texts)
    datasets = {corpus.name: DatasetInfo.of(corpus)}
    scored_run = ScoredRun(
        Results(datasets=datasets, scores=[]), metric_results
    )
    results, metric_results = scored_run.with_statistics(settings)
    all_warnings = [*warnings_of_texts, *results.warnings]
    return Evaluation(
        metric_results, all_warnings, replace(results, warnings=all_warnings)
    )


@_suggests_arguments
def run(
    config: str | Path | Mapping[str, Any],
    output: str | Path | None = None,
    *,
    n_jobs: int | Literal["auto"] | None = None,
    only: str | Sequence[str] = (),
    set: Mapping[str, Any] | Sequence[str] = (),  # noqa: A002 (the name of the option of the command line)
    progress: bool = False,
) -> Evaluation:
    """Run a config as `gec-pipeline run` does, and return the results.

    `config` is a YAML file, or a mapping with the same keys, whose relative paths start from the
    working directory. `output` is the run directory; None takes the config's `output.dir`. A run
    that was interrupted is resumed. `n_jobs` is the number of workers, or "auto"; None
    takes the config's. `only` is a pattern, or several, of the names of data sets, systems or
    metrics: the rest is left out. `set` changes values of the config: {"output.digits": 4,
    "metrics.0.order": 3}. `progress` shows a progress bar, on a terminal or in a notebook.

    Raises ConfigError, with all problems at once, if the config or a text is wrong. Raises
    StoreError if the run directory cannot be used. Both are InputErrors. Raises IncompleteError if
    some lines could not be counted; the results of all others are then in the run directory.
    """
    from . import stages  # here: no other function needs it
    from .report.terminal import progress_listener

    if not isinstance(config, str | PathLike | Mapping):
        raise InputError(
            f"config: expected a YAML file or a mapping, found {type(config).__name__}"
        )
    written = (
        Node.from_mapping(config) if isinstance(config, Mapping) else config
    )
    options = RunOptions(n_jobs=n_jobs)
    with progress_listener(progress) as listener:
        overrides = Overrides.from_values(only, set)
        job = stages.prepare(written, options, overrides, listener)
        directory, results = stages.run(job, output, options, listener)
    if results.missing:
        raise IncompleteError("\n".join(map(str, results.missing)))
    return _evaluation(directory.path, results)


def load(directory: str | Path) -> Evaluation:
    """Return the results of a run directory, which may be an address. Nothing is computed again.

    The counts of sentences are read when they are needed. Raises StoreError if the directory has
    no results.
    """
    directory = folder_of(directory)
    return _evaluation(directory, Results.read(directory / "results.json"))


def _evaluation(directory: Path, stored: Results) -> Evaluation:
    """Return the results of a run whose counts are in a directory."""
    scored_run = ScoredRun.of(directory, stored)
    return Evaluation(scored_run.metric_results, stored.warnings, stored)


def compare(
    run: str | Path | Sequence[Result],
    run2: str | Path | None = None,
    **settings: str | float,
) -> Evaluation:
    """Return the results of a run directory with intervals, rank ranges and paired tests.

    `run` may also be an Evaluation, which `evaluate`, `run` and `load` return, or a list of its
    results. With `run2`, the systems of both run directories are compared. `settings` are the keys
    of a config's section `statistics`: baseline, test, correction, level, resamples, trials and
    seed. The default of each is that of the run's own config (the first one's), or of the
    `statistics` of `evaluate`. A list of results has neither.

    In the result, `bootstrap` of each score has its interval and ranks, and `tests` the
    comparisons. They are computed from the stored counts; texts are not read. Raises InputError if
    a run directory cannot be used, if two do not fit together, and for wrong settings.
    """
    from .scoring import statistics_settings

    if isinstance(run, Sequence) and not isinstance(run, str):
        if run2 is not None:
            raise InputError(
                "compare: results in memory are compared with each other; "
                "evaluate all systems in one call"
            )
        if not run:
            raise InputError("there is no result to compare")
        metric_results = metric_results_of(run)
        scored_run = ScoredRun.in_memory(metric_results)
        if isinstance(run, Evaluation):
            # the results that it was loaded from
            results = run._as_results()  # noqa: SLF001
            scored_run = ScoredRun(results, metric_results)
    else:
        for path in (run, run2):
            if path is not None and not isinstance(path, str | PathLike):
                raise InputError(
                    "compare: expected the path of a run directory, or results in a list; "
                    f"found {type(path).__name__}"
                )
        scored_run = ScoredRun.read(run, run2)

    names: list[str] = []
    for metric_result in scored_run.metric_results:
        names += metric_result.names
    written = scored_run.results.stored_settings
    written["baseline"] = _stored_baseline(written.get("baseline"), names)
    statistics = statistics_settings(written | settings, names)
    bare_run = scored_run.without_statistics()
    results, analysed = bare_run.with_statistics(statistics)
    return Evaluation(analysed, results.warnings, results)


def _stored_baseline(baseline: str | None, names: Sequence[str]) -> str | None:
    """Return the baseline of a run as systems of two runs are named: NAME, or NAME@RUN."""
    if not baseline:
        return None
    for name in names:
        if name == baseline or name.startswith(f"{baseline}@"):
            return name
    return None
