"""Evaluation from Python: `evaluate` on lists of strings, `run` on a config, `load` on a run
directory.

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
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, cast

from .data.config.resolved import overrides_from_values
from .data.config.tree import from_mapping
from .data.corpus import ONE, Corpus, corpus_in_memory
from .data.input_readers import GOLD, completed, reader_of
from .errors import IncompleteError, InputError, did_you_mean
from .evaluation import Evaluation, Result, boards_of
from .execution.count import count_in_memory
from .execution.options import SILENT, Listener, RunOptions
from .execution.store.run_directory import folder_of
from .metrics.base.capabilities import ReadsFiles, computes_numbers, for_run, reads_files
from .metrics.base.metric import Metric
from .metrics.build import MetricArgument, external_named, from_values
from .metrics.caller_tokens import OF_M2, has_own_tokens, with_own_tokens
from .prepare import complete, fit, text_warnings, without_references, without_source
from .scoring import stored_runs
from .scoring.metric_results import (
    Task,
    count_warnings,
    datasets_of,
    describe,
    score,
    specs_of,
    tasks_of,
)
from .scoring.results import Results
from .tokenizers.own_tokens import References, Splitter, Texts, own_texts

if TYPE_CHECKING:
    from .data.config.models import StatisticsConfig
    from .execution.count import Counted

Given = ParamSpec("Given")
Returned = TypeVar("Returned")
ELSEWHERE = {
    **dict.fromkeys(
        ("predictions", "preds", "outputs", "candidates", "systems", "hyps"), "hypotheses"
    ),
    **dict.fromkeys(("refs", "targets", "labels"), "references"),
    **dict.fromkeys(("inputs", "src", "originals"), "sources"),
    **dict.fromkeys(
        ("baseline", "resamples", "trials", "seed", "level", "bootstrap"), "statistics"
    ),
    **dict.fromkeys(("workers", "jobs", "num_workers"), "n_jobs"),
}
"""Arguments of ours by what they, or their keys, are called in other programs."""


def _told(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """Return a function that names the nearest argument where it is called with one that it does
    not have.
    """
    known = list(signature(function).parameters)

    @wraps(function)
    def call(*arguments: Given.args, **named: Given.kwargs) -> Returned:
        for name in named:
            if name not in known:
                meant = ELSEWHERE.get(name)
                near = (
                    f" (did you mean '{meant}'?)" if meant in known else did_you_mean(name, known)
                )
                told = near or f"; there are {', '.join(known)}"
                raise InputError(f"{function.__name__}: no argument is called '{name}'{told}")
        return function(*arguments, **named)

    return call


@_told
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

    `hypotheses` holds one text for each item, or such a list for each system: {system: texts}.
    `references` holds a list for each reference set (annotator). Each has one text for each item,
    and None where its annotator has none. Where there is one annotator, the list of texts alone is
    enough. It may also hold a list for each item instead, with one reference or more, as the
    packages of Hugging Face have it. The numbers of texts tell which; where they do not, as with as
    many references as items, `references_by` does: "annotator" or "item". `sources` holds one
    uncorrected text for each item. Only some metrics, such as gleu, need it. `metrics` holds names
    as people write them ("gleu", "BLEU", "chrF++"), names with settings ("gleu[n=3]"), signatures,
    mappings such as {"name": "gleu", "n": [2, 4]}, which asks for gleu with each of these values,
    or metric objects. A single one needs no list. `gold` is an M2 file, for metrics of edits such
    as m2. Sources and references that are not given come from it. For errant `hypotheses` are M2
    files too: a path, or {system: path}; then there are no other texts. With
    "errant[annotator=auto]" they are texts, which errant annotates; what it gives is kept (`help
    annotation`). `n_jobs` is the number of workers, or "auto" to choose it by the amount of text.
    `statistics` asks for intervals, rank ranges and paired tests. It has the keys of a config's
    section of this name, such as {"baseline": "A", "resamples": 500}; True takes the defaults. They
    are in Result.bootstrap and Evaluation.tests. `tokenizer` is a function that splits a text into
    a list of tokens, or an object with a method tokenize. Without it, all texts may be lists of
    tokens themselves. Tokens are compared as they are, whatever they hold, by all metrics of
    tokens; others, such as chrf, are an error. Signatures then have tok:own, or tok:own+NAME of the
    function. `scores` has numbers of each line that you have already, {title: {system: array}}. An
    array is [lines], or [lines, 3] with true positives, false positives and false negatives, for
    F-beta. A metric {"name": "external", "title": title} among `metrics`, which may be empty here,
    says how they are scored. `ids` has an id for each item, which stand in tables of sentences
    (Result.to_pandas). `dataset` is what the texts are called in tables and warnings. Without it
    they are called "memory".

    What looks wrong but can be scored is a warning (warnings.warn), and is kept in
    Evaluation.warnings. Raises InputError for texts that do not fit together, for unknown metrics
    or settings, and where a source is missing."""
    numbers = dict[str, Mapping[str, Any]]()
    for title, given in (scores or {}).items():
        numbers[title] = given if isinstance(given, Mapping) else {ONE: given}
        if isinstance(hypotheses, Mapping) and numbers[title] is not given:
            each = ", ".join(f"{name!r}: [...]" for name in list(hypotheses)[:3])
            named = repr("METRIC" if title in hypotheses else title)
            raise InputError(
                f"scores[{title!r}]: numbers need the names of systems: scores={{{named}: {{{each}}}}}"
            )
    scorers = from_values(metrics) if metrics or not numbers else ()
    if numbers:
        scorers = (
            *scorers,
            *(from_values(more) if (more := external_named(scorers, numbers)) else ()),
        )
    texts = own_texts(
        hypotheses, references, sources, tokenizer, expected=any(map(has_own_tokens, scorers))
    )
    if texts.tokenizer:
        scorers = tuple(with_own_tokens(metric, texts.tokenizer) for metric in scorers)
    if isinstance(texts.hypotheses, Mapping) and not texts.hypotheses:
        raise InputError("hypotheses: there is no system")
    if gold is None:
        corpus = corpus_in_memory(
            texts.hypotheses,
            texts.references,
            texts.sources,
            own_tokens=bool(texts.tokenizer),
            threads=n_jobs if isinstance(n_jobs, int) and n_jobs > 0 else 1,
            references_by=references_by,
            ids=ids,
        )
    elif texts.tokenizer:
        raise InputError(OF_M2)
    elif ids is not None or references_by:
        raise InputError(f"{'references_by' if ids is None else 'ids'}: leave it out beside gold")
    else:
        views = {metric.spec.input for metric in scorers}
        corpus = reader_of(GOLD).in_memory(
            gold, texts.hypotheses, texts.references, texts.sources, views
        )
    corpus = replace(corpus, name=dataset or corpus.name)
    if numbers:
        from .data.number_files import with_arrays

        corpus = with_arrays(
            corpus, cast("list[ReadsFiles]", list(filter(reads_files, scorers))), numbers
        )
    evaluation = evaluate_corpus(corpus, scorers, n_jobs=n_jobs, statistics=statistics)
    for note in evaluation.warnings:
        warnings.warn(note, stacklevel=3)
    return evaluation


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

    `statistics` is as in evaluate(), and `by_type` says whether there are scores by type of edit
    too. `listener` is told how texts are annotated, where a metric asks for it. `options` stand in
    place of n_jobs. Raises InputError where a metric cannot score this corpus, and for an
    impossible `n_jobs` and wrong `statistics`."""
    settings = None
    if statistics is not None and statistics is not False:
        from .scoring.resampling.significance import (
            settings_of,  # here, because most scores have no statistics
        )

        written = {} if statistics is True else statistics
        if not isinstance(written, Mapping):
            raise InputError(
                f"statistics: expected True or a mapping such as {{'seed': 1}}, found {statistics!r}"
            )
        settings = settings_of(written, corpus.systems, "statistics: ")
    if n_jobs != "auto" and (not isinstance(n_jobs, int) or n_jobs < 1):
        raise InputError(f"n_jobs: expected 'auto' or a number of workers from 1, found {n_jobs!r}")
    for metric in metrics:
        if metric.spec.source and corpus.source is None:
            raise InputError(without_source(metric.name, metric.hint, "-s FILE, or sources=[...]"))
        if metric.spec.references and not corpus.references:
            raise InputError(without_references(metric.name, "-r FILE, or references=[...]"))
    options = options or RunOptions(n_jobs=n_jobs)
    views = {metric.spec.input for metric in metrics}
    corpus = completed(corpus, views, options.threads, listener)
    if any(map(computes_numbers, metrics)):
        from .execution.function_metrics import all_references

        metrics = for_run(metrics, len(corpus.systems), lambda: all_references([corpus]))
    problems = fit(metrics, [corpus])
    if problems:
        raise InputError(problems)
    if any(map(computes_numbers, metrics)):
        from .execution.function_metrics import Computing, with_computed

        (corpus,) = with_computed([corpus], metrics, Computing(options, listener))
    tasks = tasks_of(metrics, complete(metrics, [corpus]))
    corpus = tasks[0].corpus
    spec = specs_of(tasks) if by_type else tuple(dict.fromkeys(metric.spec for metric in metrics))
    return results_of(tasks, count_in_memory(corpus, spec, options), settings)


def results_of(
    tasks: Sequence[Task], counted: "Counted", settings: "StatisticsConfig | None" = None
) -> Evaluation:
    """Return the results of a data set whose texts are counted, with the statistics that `settings`
    ask for.
    """
    corpus, counts = tasks[0].corpus, {tasks[0].corpus.name: counted}
    metric_results, whole = score(tasks, counts), None
    if settings:
        from .scoring.resampling.significance import with_statistics

        whole, metric_results = with_statistics(
            Results(datasets={corpus.name: describe(corpus)}, scores=[]), metric_results, settings
        )
    told = [
        *text_warnings(tasks),
        *count_warnings(tasks, counts),
        *(whole.warnings if whole else ()),
    ]
    return Evaluation(metric_results, told, replace(whole, warnings=told) if whole else None)


@_told
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
    that was cut short goes on where it stopped. `n_jobs` is the number of workers, or "auto"; None
    takes the config's. `only` is a pattern, or several, of the names of data sets, systems or
    metrics: the rest is left out. `set` changes values of the config: {"output.digits": 4,
    "metrics.0.order": 3}. `progress` shows a progress bar, on a terminal or in a notebook.

    Raises ConfigError, with all problems at once, where the config or a text is wrong. Raises
    StoreError where the run directory cannot be used. Both are InputErrors. Raises IncompleteError
    where some lines could not be counted; the results of all others are then in the run directory.
    """
    from . import stages  # here, because scoring needs nothing of it, nor do the functions below

    if not isinstance(config, str | PathLike | Mapping):
        raise InputError(
            f"config: expected a YAML file or a mapping, found {type(config).__name__}"
        )
    written = from_mapping(config) if isinstance(config, Mapping) else config
    options = RunOptions(n_jobs=n_jobs)
    from .report.terminal.progress import progress_listener

    with progress_listener(progress) as listener:
        overrides = overrides_from_values(only, set)
        job = stages.prepare(written, options, overrides, listener)
        directory, results = stages.run(job, output, options, listener)
    if results.missing:
        raise IncompleteError("\n".join(map(str, results.missing)))
    return _evaluation(directory.path, results)


def load(directory: str | Path) -> Evaluation:
    """Return the results of a run directory, which may be an address. Nothing is computed again.

    The counts of sentences are read when they are asked for. Raises StoreError where the directory
    holds no results."""
    directory = folder_of(directory)
    return _evaluation(directory, Results.read(directory / "results.json"))


def _evaluation(directory: Path, stored: Results) -> Evaluation:
    """Return the results of a run whose counts are in a directory."""
    return Evaluation(stored_runs.boards_of(directory, stored), stored.warnings, stored)


def compare(
    run: str | Path | Sequence[Result], run2: str | Path | None = None, **settings: str | float
) -> Evaluation:
    """Return the results of a run directory with intervals, rank ranges and paired tests.

    `run` may also be an Evaluation, which `evaluate`, `run` and `load` return, or a list of its
    results. With `run2`, the systems of both run directories are compared. `settings` are the keys
    of a config's section `statistics`: baseline, test, correction, level, resamples, trials, seed
    and annotators. What they leave open is as in that section of the run's own config (the first
    one's), or in the `statistics` that `evaluate` was given, and else the default. A list of
    results knows neither.

    In what is returned, `bootstrap` of each result holds its interval and ranks, and `tests` the
    comparisons. They are computed from the stored counts; texts are not read. Raises InputError
    where a run directory cannot be used, where two do not fit together, and for settings that are
    wrong."""
    from .scoring.resampling.significance import settings_of, stored_settings, with_statistics

    if isinstance(run, Sequence) and not isinstance(run, str):
        if run2 is not None:
            message = "compare: results in memory are compared with each other; evaluate all systems in one call"
            raise InputError(message)
        if not run:
            raise InputError("there is no result to compare")
        metric_results = boards_of(run)
        bare = Results(datasets=datasets_of(metric_results), scores=[])
        results = run._as_results() if isinstance(run, Evaluation) else bare  # noqa: SLF001 (what it was loaded from)
    else:
        for given in (run, run2):
            if given is not None and not isinstance(given, str | PathLike):
                kind = type(given).__name__
                raise InputError(
                    f"compare: expected the path of a run directory, or results in a list; found {kind}"
                )
        results, metric_results = stored_runs.load_runs(run, run2)
    names = [name for metric_result in metric_results for name in metric_result.names]
    written = stored_settings(results)
    kept = written.get("baseline")  # beside a second run it may be called NAME@RUN
    written["baseline"] = (
        next((n for n in names if n == kept or n.startswith(f"{kept}@")), None) if kept else None
    )
    found, scored = with_statistics(
        *stored_runs.restricted(results, metric_results), settings_of(written | settings, names)
    )
    return Evaluation(scored, found.warnings, found)
