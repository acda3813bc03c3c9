"""A run, from config to results: what is done, in order. Read this file first.

prepare() in `prepare.py` reads and checks the config and every text. Then run() goes through these
stages. It reports the name of each to a listener, such as the progress bar:

counting      Workers count what each metric needs of each sentence, unless the run directory has
              these counts.
scoring       Counts become scores and ranks.
resampling    Scores get intervals, rank ranges and paired tests, if the config has `statistics`.
averaging     Scores are averaged over data sets, if the config has `output: {mean: true}`.
writing       Reports are written: results.json, and those that the config names.

Before counting, code of users computes the numbers of their metrics, each in a stage with its name.
If all counts of a data set are stored, the first stage is named `looking` instead. Some metrics
read all references before a line can be counted, such as for how rare an n-gram is: that is the
stage `surveying`.

After resampling come the stages of extensions that the config has a section of.

To add a stage between scoring and writing, write a function like resample(), and add a line to
STAGES, or name a Stage in Extension.stages.
"""

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from . import kernel
from .data.texts import read_texts
from .errors import InputError
from .execution.count import count_all
from .execution.options import (
    AUTO,
    SILENT,
    Listener,
    LoggingListener,
    Missing,
    RunOptions,
)
from .execution.store.counts import ids_file
from .execution.store.run_directory import (
    RunDirectory,
    folder_of,
    running,
    surroundings,
)
from .files.plain_files import remove_abandoned
from .metrics.base.capabilities import computes_numbers
from .prepare import prepare
from .report import FORMATS
from .report.console import replacement_note
from .report.context import ReportContext
from .scoring.metric_results import (
    count_warnings,
    new_results,
    score,
    specs_of,
    tasks_of,
    with_means,
)
from .scoring.resampling.samples import SampleCluster
from .scoring.results import Results
from .scoring.stored_runs import EarlierResults
from .stage import Job, Scored, Stage, output_settings

if TYPE_CHECKING:
    from .data.config.models import StatisticsConfig
    from .execution.count import Counted
    from .files.safe_files import Content

__all__ = ["STAGES", "Job", "Scored", "Stage", "prepare", "run"]


def run(
    job: Job,
    output: str | Path | None = None,
    options: RunOptions = AUTO,
    listener: Listener = SILENT,
    *,
    fresh: bool = False,
) -> tuple[RunDirectory, Results]:
    """Do a checked run; return its directory and its results.

    The directory is `output`, or the config's `output.dir`. `fresh` first deletes the files of
    earlier runs in it. Results there stay as they are if --only leaves out some of their scores. If
    lines could not be counted, `Results.missing` lists them; the same call goes on with them later.
    Raises StoreError if the directory cannot be used.
    """
    remove_abandoned()
    directory = RunDirectory(folder_of(output or job.config.written.output.dir))
    with (
        options.under(job.config.written.run).connected(job.cluster) as connected,
        directory.held(listener.warn),
    ):
        earlier = EarlierRun() if fresh else earlier_run(directory, job)
        for note in earlier.notes:
            listener.warn(note)
        started = {"kernel": kernel.name(), **job.written, **running()}
        directory.write_manifest(directory.about if earlier.stays else started)
        if fresh:
            directory.clear(everything=False)
        with directory.logged(listener) as logging_listener:
            results = go_through_stages(
                job, directory, connected, logging_listener, stays=earlier.stays
            )
    return directory, results


class EarlierRun(NamedTuple):
    """What a run directory has from earlier runs."""

    notes: tuple[str, ...] = ()
    """What the user should know of its results, such as that they are replaced."""
    stays: bool = False
    """Whether its results stay as they are."""


def earlier_run(directory: RunDirectory, job: Job) -> EarlierRun:
    """Return what a run directory has from earlier runs.

    Raises StoreError if its results are of another config, or if they stay and a text of them has
    changed.
    """
    directory.refuse_other_config(job.written)
    earlier = EarlierResults.read(directory.path)
    notes: list[str] = []
    scores = earlier.scores_beside(job.tasks)
    if job.partial and scores:
        earlier.refuse_changed_texts(job.corpora, len(scores))
        notes.append(
            f"{directory.path}: the results there stay as they are, because --only leaves out "
            f"{len(scores):,} of their scores; the new scores are only shown (--output DIR writes "
            "them to another folder)"
        )
    elif scores:
        signatures = [task.signature for task in job.tasks]
        notes.append(replacement_note(directory.path, scores, signatures) or "")
    if earlier.has_old_digests:
        notes.append(
            f"{directory.path}: an earlier version had other digests of texts; "
            "they are counted anew, once"
        )
    return EarlierRun(tuple(notes), stays=job.partial and bool(scores))


def go_through_stages(
    job: Job,
    directory: RunDirectory,
    options: RunOptions,
    listener: LoggingListener,
    *,
    stays: bool,
) -> Results:
    """Go through all stages; return the results.

    With `stays`, earlier results in the directory stay, and none are written.
    """
    started = time.monotonic()

    # counting
    computed = compute_numbers(job, options, listener)
    job = computed.job
    counts: dict[str, Counted] = {}
    missing: list[Missing] = []
    lost_systems: dict[str, set[str]] = {}
    for corpus in job.corpora:
        specs = specs_of(task for task in job.tasks if task.corpus is corpus)
        counts[corpus.name], missing_of_corpus = count_all(
            corpus, specs, directory, options, listener
        )
        missing += missing_of_corpus
        lost_systems[corpus.name] = {item.system for item in missing_of_corpus}
    counting_seconds = time.monotonic() - started
    listener.note(f"counted in {counting_seconds:.1f} s")

    # scoring
    listener.stage("scoring")
    tasks = [task.without(lost_systems[task.corpus.name]) for task in job.tasks]
    metric_results = score(tasks, counts, options.threads)
    results = new_results(
        job.corpora,
        job.metrics,
        metric_results,
        warnings=[*job.warnings, *count_warnings(tasks, counts)],
        missing=missing,
        order=job.config.written.output.x,
    )
    scored = Scored(
        job=job,
        corpora=tuple(
            corpus.without(lost_systems[corpus.name]) for corpus in job.corpora
        ),
        metric_results=metric_results,
        results=results,
        listener=listener,
        threads=options.threads,
    )
    if options.cluster:
        sample_cluster = SampleCluster(options.cluster, directory)
        scored = replace(scored, sample_cluster=sample_cluster)

    # the stages after it
    for stage in (*STAGES, *job.stages, *LAST_STAGES):
        requested = stage.request(job)
        if requested is not None:
            listener.stage(stage.name)
            scored = stage.add(scored, requested)
    if stays:
        directory.write_manifest(directory.about)
        return scored.results

    # writing
    listener.stage("writing")
    files = written_files(scored)
    directory.announce(names=files)
    directory.write_all(files)
    # --only leaves out parts whose files are good
    if not job.partial and not missing:
        deleted = directory.remove_stale()
        if deleted:
            names = ", ".join(deleted)
            listener.warn(f"deleted, because they show earlier results: {names}")
    seconds = round(time.monotonic() - started, 3)
    manifest: dict[str, Any] = {
        "kernel": kernel.name(),
        "state": "incomplete" if missing else "done",
        "seconds": {"counting": round(counting_seconds, 3), "all": seconds},
        "bytes_read": {"opening": job.bytes_opened, "counting": listener.bytes},
    }
    manifest |= job.written | surroundings()
    if computed.plugins:
        manifest["plugins"] = computed.plugins
    directory.write_manifest(manifest)
    listener.note(f"{manifest['state']} in {seconds} s")
    return scored.results


class ComputedNumbers(NamedTuple):
    """A run with the numbers that code of users computes."""

    job: Job
    plugins: list[dict[str, Any]]
    """The records of this code in run.json."""


def compute_numbers(
    job: Job, options: RunOptions, listener: Listener
) -> ComputedNumbers:
    """Compute the numbers of metrics of users."""
    origins = {}
    for metric in job.metrics:
        if metric.origin or computes_numbers(metric):
            origins[metric.name] = metric.origin
    plugins: list[dict[str, Any]] = [
        {"name": name, **origins[name]} for name in origins
    ]
    if not any(map(computes_numbers, job.metrics)):
        return ComputedNumbers(job, plugins)
    from .execution.function_metrics import Computing, with_computed

    computing = Computing(options, listener)
    corpora = tuple(with_computed(job.corpora, job.metrics, computing))
    warnings = list(job.warnings)
    for old, new in zip(job.corpora, corpora, strict=True):
        warnings += [
            f"{new.name}: {note}" for note in new.notes if note not in old.notes
        ]
    for plugin in plugins:
        plugin.update(computing.records.get(plugin["name"], {}))
    tasks = tasks_of(job.metrics, corpora)
    job = replace(job, corpora=corpora, tasks=tasks, warnings=tuple(warnings))
    return ComputedNumbers(job, plugins)


def resample(scored: Scored, settings: "StatisticsConfig") -> Scored:
    """Add intervals, rank ranges and paired tests."""
    from .scoring.resampling.significance import with_statistics

    results, metric_results = with_statistics(
        scored.results,
        scored.metric_results,
        settings,
        scored.listener.testing,
        scored.threads,
        scored.sample_cluster,
    )
    return replace(scored, results=results, metric_results=metric_results)


def average(scored: Scored, _: bool) -> Scored:
    """Add the means over data sets."""
    try:
        return replace(scored, results=with_means(scored.results))
    except InputError as error:
        return scored.with_warnings(str(error))


STAGES = [
    Stage(
        name="resampling",
        requested=lambda job: job.config.written.statistics,
        add=resample,
    ),
]
"""The stages between scoring and those of extensions, in this order."""
LAST_STAGES = [
    Stage(
        name="averaging",
        requested=lambda job: job.config.written.output.mean or None,
        add=average,
    ),
]
"""The stages between those of extensions and writing."""


def written_files(scored: Scored) -> "dict[str, Content]":
    """Return the files of results by name: ids of lines, results.json, those the config names."""
    job = scored.job
    files: dict[str, Content] = {}
    for corpus in scored.corpora:
        if corpus.ids:
            lines = read_texts(corpus.ids, 0, corpus.lines)
            files[ids_file(corpus.name)] = "\n".join([*lines, ""])
    output = job.config.written.output
    context = ReportContext(
        results=scored.results,
        measured=tuple(scored.metric_results),
        corpora={corpus.name: corpus for corpus in scored.corpora},
        config=job.config.root.plain(),
        opened=job.opened.get,
        **output_settings(output),
    )
    for name in dict.fromkeys(("json", *output.formats)):
        files |= FORMATS[name].files(context)
    return files
