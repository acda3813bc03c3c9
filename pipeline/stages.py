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

import shlex
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from . import kernel
from ._version import __version__
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
    Log,
    RunDirectory,
    folder_of,
    running,
    surroundings,
)
from .files.plain_files import remove_abandoned
from .metrics.base import computes_numbers
from .metrics.base.capabilities import declared_of
from .prepare import prepare
from .report import FORMATS
from .report.console import replacement_note
from .report.context import PlotStyle, ReportContext
from .scoring.metric_results import (
    count_warnings,
    describe,
    rows_of,
    tasks_of,
    views_of,
    with_means,
)
from .scoring.metric_results import score as score_all
from .scoring.resampling.samples import SampleCluster
from .scoring.results import Results, Series, series_of
from .scoring.stored_runs import has_old_digests, left_out
from .stage import Job, Scored, Stage

if TYPE_CHECKING:
    from .data.config.models import StatisticsConfig
    from .execution.count import Counted

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
    config = job.config.written
    directory = RunDirectory(folder_of(output or config.output.dir))
    with (
        options.under(config.run).connected(job.cluster) as connected,
        directory.held(listener.warn),
    ):
        previous_manifest: dict[str, Any] = {}  # of results that stay as they are
        if not fresh:
            note = replacement(directory, job)
            if note:
                listener.warn(note)
                if job.partial:
                    previous_manifest = directory.about()
            if has_old_digests(directory.path):
                listener.warn(
                    f"{directory.path}: an earlier version had other digests of texts; "
                    "they are counted anew, once"
                )
        started = {"kernel": kernel.name(), **job.written, **running()}
        directory.write_manifest(previous_manifest or started)
        if fresh:
            directory.clear(everything=False)
        with closing(Log(directory.path)) as log:
            log(
                f"begins: gec-pipeline {__version__}, {kernel.name()} kernel: {shlex.join(sys.argv)}"
            )
            try:
                logging_listener = LoggingListener(listener, log)
                results = go_through_stages(
                    job, directory, connected, logging_listener, previous_manifest
                )
            except BaseException as error:
                lines = [f"stopped: {type(error).__name__}: {error}"]
                lines += getattr(error, "__notes__", ())[:1]
                log("\n".join(lines))
                raise
        return directory, results


def replacement(directory: RunDirectory, job: Job) -> str | None:
    """Return a note on results in a run directory that the run does not make; None without any.

    Raises StoreError if they are of another config, or if they stay and a text of them has changed.
    """
    scores = left_out(directory.path, job.tasks, stay=job.partial)
    directory.refuse_other_config(job.written)
    if job.partial and scores:
        return (
            f"{directory.path}: the results there stay as they are, because --only leaves out "
            f"{len(scores):,} of their scores; the new scores are only shown (--output DIR writes "
            "them to another folder)"
        )
    return replacement_note(
        directory.path, scores, [task.signature for task in job.tasks]
    )


def go_through_stages(
    job: Job,
    directory: RunDirectory,
    options: RunOptions,
    listener: LoggingListener,
    previous_manifest: dict[str, Any],
) -> Results:
    """Go through all stages; return the results.

    With `previous_manifest`, results in the directory stay, and none are written.
    """
    started = time.monotonic()

    # counting
    computed = compute_numbers(job, options, listener)
    job = computed.job
    counted = count(job, directory, options, listener)
    counting_seconds = time.monotonic() - started
    listener.note(f"counted in {counting_seconds:.1f} s")

    # scoring, and the stages after it
    listener.stage("scoring")
    scored = score(job, counted, options.threads, listener)
    if options.cluster:
        scored = replace(
            scored, sample_cluster=SampleCluster(options.cluster, directory)
        )
    for stage in (*STAGES, *job.stages, *LAST_STAGES):
        requested = stage.request(job)
        if requested is not None:
            listener.stage(stage.name)
            scored = stage.add(scored, requested)
    if previous_manifest:
        directory.write_manifest(previous_manifest)
        return scored.results

    # writing
    listener.stage("writing")
    write(scored, directory)
    if (
        not job.partial and not counted.missing
    ):  # --only leaves out parts whose files are good
        deleted = directory.remove_stale()
        if deleted:
            listener.warn(
                f"deleted, because they show earlier results: {', '.join(deleted)}"
            )
    state = "incomplete" if counted.missing else "done"
    seconds = round(time.monotonic() - started, 3)
    manifest: dict[str, Any] = {
        "kernel": kernel.name(),
        "state": state,
        "seconds": {"counting": round(counting_seconds, 3), "all": seconds},
        "bytes_read": {"opening": job.bytes_opened, "counting": listener.bytes},
    }
    manifest |= job.written | surroundings()
    if computed.plugins:
        manifest["plugins"] = computed.plugins
    directory.write_manifest(manifest)
    listener.note(f"{state} in {seconds} s")
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


class CountedRun(NamedTuple):
    """The counts of a run."""

    counts: "dict[str, Counted]"
    """Those of each data set, by its name."""
    missing: list[Missing]
    """The lines that could not be counted."""

    def lost_systems(self, dataset: str) -> set[str]:
        """Return the systems of a data set that have no counts of some line."""
        return {item.system for item in self.missing if item.dataset == dataset}


def count(
    job: Job, directory: RunDirectory, options: RunOptions, listener: Listener
) -> CountedRun:
    """Count all data sets, unless the run directory has their counts."""
    counts: dict[str, Counted] = {}
    missing: list[Missing] = []
    for corpus in job.corpora:
        views = views_of(task for task in job.tasks if task.corpus is corpus)
        counts[corpus.name], missing_of_corpus = count_all(
            views, directory, options, listener
        )
        missing += missing_of_corpus
    return CountedRun(counts, missing)


def score(job: Job, counted: CountedRun, threads: int, listener: Listener) -> Scored:
    """Return the scores of all systems of which every line is counted."""
    tasks = [task.without(counted.lost_systems(task.corpus.name)) for task in job.tasks]
    metric_results = score_all(tasks, counted.counts, threads)
    warnings = [*job.warnings, *count_warnings(tasks, counted.counts)]
    series: list[Series] = []
    pattern = job.config.written.output.x
    if pattern:
        systems: list[str] = []
        for corpus in job.corpora:
            systems += corpus.systems
        series = series_of(systems, pattern)
        if not series:
            warnings.append(
                f"output.x: '{pattern}' finds no number in the names of two systems"
            )
    results = Results(
        datasets={corpus.name: describe(corpus) for corpus in job.corpora},
        declared=declared_of(job.metrics),
        warnings=warnings,
        missing=counted.missing,
        series=series,
        **rows_of(metric_results),
    )
    corpora = [
        corpus.without(counted.lost_systems(corpus.name)) for corpus in job.corpora
    ]
    return Scored(
        job=job,
        corpora=tuple(corpora),
        metric_results=metric_results,
        results=results,
        listener=listener,
        threads=threads,
    )


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


def write(scored: Scored, directory: RunDirectory) -> None:
    """Write the ids of the lines, results.json, and the formats that the config names."""
    output = scored.job.config.written.output
    context = ReportContext(
        results=scored.results,
        measured=tuple(scored.metric_results),
        corpora={corpus.name: corpus for corpus in scored.corpora},
        config=scored.job.config.root.plain(),
        opened=scored.job.opened.get,
        digits=output.digits,
        plots=tuple(output.plots),
        plot_type=output.plot_type,
        plot_style=PlotStyle(
            output.plot_width or "", output.plot_font, output.plot_title
        ),
    )
    ids = {}
    for corpus in scored.corpora:
        if corpus.ids:
            lines = read_texts(corpus.ids, 0, corpus.lines)
            ids[ids_file(corpus.name)] = "\n".join([*lines, ""])
    reports = [
        FORMATS[name].files(context)
        for name in dict.fromkeys(("json", *output.formats))
    ]
    for files in (ids, *reports):
        directory.announce(names=files)
        directory.write_all(files)
