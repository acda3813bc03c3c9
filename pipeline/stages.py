"""A run, from config to results: what is done, in order. Read this file first.

prepare() in `prepare.py` reads and checks the config and every text. Then run() goes through these
stages. It gives the name of each to a listener, such as the progress bar:

counting      Workers count what each metric needs of each sentence, where the run directory has no
such counts yet.
scoring       Counts become scores and ranks.
resampling    Scores get intervals, rank ranges and paired tests, where the config has `statistics`.
averaging     Scores are averaged over data sets, where the config has `output: {mean: true}`.
writing       Reports are written: results.json, and those that the config asks for.

Before counting, code of users computes the numbers of the metrics that they bring, each in a stage
with its name. Where all counts of a data set are there already, the first stage is called `looking`
instead. Some metrics have to know all references before a line can be counted, such as how rare an
n-gram is: that is the stage `surveying`.

After resampling come the stages of extensions, of those that the config has a section of.

To add a stage between scoring and writing, write a function like resample(), and add a line to
STAGES, or name a Stage in Extension.stages."""

import shlex
import sys
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import kernel
from ._version import __version__
from .data.texts import read_texts
from .errors import InputError
from .execution.count import count_all
from .execution.options import AUTO, SILENT, Listener, LoggingListener, Missing, RunOptions
from .execution.store.counts import ids_file
from .execution.store.run_directory import Log, RunDirectory, folder_of, running, surroundings
from .files.plain_files import remove_abandoned
from .metrics.base.capabilities import computes_numbers, declared_of
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
from .scoring.results import Results, series_of
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

    The directory is `output`, or the config's `output.dir`. `fresh` first deletes what earlier runs
    have left there. Results there stay as they are where --only leaves out some of their scores.
    Where lines could not be counted, `Results.missing` lists them; the same call goes on with them
    later. Raises StoreError where the directory cannot be used."""
    remove_abandoned()
    directory = RunDirectory(folder_of(output or job.config.written.output.dir))
    with (
        options.under(job.config.written.run).connected(job.cluster) as connected,
        directory.held(listener.warn),
    ):
        note = None if fresh else replacement(directory, job)
        if note:
            listener.warn(note)
        if not fresh and has_old_digests(directory.path):
            listener.warn(
                f"{directory.path}: an earlier version had other digests of texts; they are counted anew, once"
            )
        kept = directory.about() if note and job.partial else {}  # of results that stay as they are
        directory.write_manifest(kept or {"kernel": kernel.name(), **job.written, **running()})
        if fresh:
            directory.clear(everything=False)
        with closing(Log(directory.path)) as log:
            log(
                f"begins: gec-pipeline {__version__}, {kernel.name()} kernel: {shlex.join(sys.argv)}"
            )
            try:
                return directory, _run(
                    job, directory, connected, LoggingListener(listener, log), kept
                )
            except BaseException as error:
                log(
                    "\n".join(
                        [
                            f"stopped: {type(error).__name__}: {error}",
                            *getattr(error, "__notes__", ())[:1],
                        ]
                    )
                )
                raise


def replacement(directory: RunDirectory, job: Job) -> str | None:
    """Return what becomes of the results in a run directory that the run does not make; None where
    there are none.

    Raises StoreError where they are of another config, or where they stay and a text of them has
    changed."""
    scores = left_out(directory.path, job.tasks, stay=job.partial)
    directory.refuse_other_config(job.written)
    if job.partial and scores:
        return (
            f"{directory.path}: the results there stay as they are, because --only leaves out {len(scores):,} of their "
            "scores; the new scores are only shown (--output DIR writes them to another folder)"
        )
    return replacement_note(directory.path, scores, [task.signature for task in job.tasks])


def _run(
    job: Job,
    directory: RunDirectory,
    options: RunOptions,
    listener: LoggingListener,
    kept: dict[str, Any],
) -> Results:
    """Go through all stages; return the results. Where `kept` is not empty, none are written."""
    begun = time.monotonic()
    job, computed = with_numbers(job, options, listener)
    counts, missing = count(job, directory, options, listener)
    counting = time.monotonic() - begun
    listener.note(f"counted in {counting:.1f} s")
    listener.stage("scoring")
    scored = score(job, counts, missing, options.threads, listener)
    scored = replace(scored, far=(options.cluster, directory) if options.cluster else None)
    for stage in (*STAGES, *job.stages, *LAST_STAGES):
        requested = stage.request(job)
        if requested is not None:
            listener.stage(stage.name)
            scored = stage.add(scored, requested)
    if kept:
        directory.write_manifest(kept)
        return scored.results
    listener.stage("writing")
    write(scored, directory)
    if not job.partial and not missing:  # files of the parts left out by --only are still good
        deleted = directory.remove_stale()
        if deleted:
            listener.warn(f"deleted, because they show earlier results: {', '.join(deleted)}")
    state, seconds = "incomplete" if missing else "done", round(time.monotonic() - begun, 3)
    about = {
        "kernel": kernel.name(),
        "state": state,
        "seconds": {"counting": round(counting, 3), "all": seconds},
        "bytes_read": {"opening": job.bytes_opened, "counting": listener.bytes},
    }
    directory.write_manifest({**about, **job.written, **surroundings(), **computed})
    listener.note(f"{state} in {seconds} s")
    return scored.results


def with_numbers(job: Job, options: RunOptions, listener: Listener) -> tuple[Job, dict[str, Any]]:
    """Return the job with the numbers that code of users computes, and what run.json says of this
    code.
    """
    brought = {m.name: m.origin for m in job.metrics if m.origin or computes_numbers(m)}
    plugins = [{"name": name, **origin} for name, origin in brought.items()]
    if not any(map(computes_numbers, job.metrics)):
        return job, {"plugins": plugins} if plugins else {}
    from .execution.function_metrics import Computing, with_computed

    how = Computing(options, listener)
    corpora = tuple(with_computed(job.corpora, job.metrics, how))
    pairs = zip(job.corpora, corpora, strict=True)
    notes = [
        f"{new.name}: {note}" for old, new in pairs for note in new.notes if note not in old.notes
    ]
    plugins = [{**each, **how.records.get(each["name"], {})} for each in plugins]
    tasks = tasks_of(job.metrics, corpora)
    return replace(job, corpora=corpora, tasks=tasks, warnings=(*job.warnings, *notes)), {
        "plugins": plugins
    }


def count(
    job: Job, directory: RunDirectory, options: RunOptions, listener: Listener
) -> "tuple[dict[str, Counted], list[Missing]]":
    """Return the counts by the name of the data set, and the lines that could not be counted."""
    counts: dict[str, Counted] = {}
    missing: list[Missing] = []
    for corpus in job.corpora:
        views = views_of(task for task in job.tasks if task.corpus is corpus)
        counts[corpus.name], lost = count_all(views, directory, options, listener)
        missing += lost
    return counts, missing


def score(
    job: Job,
    counts: "Mapping[str, Counted]",
    missing: list[Missing],
    threads: int,
    listener: Listener,
) -> Scored:
    """Return the scores of all systems of which every line is counted."""
    lost = {
        corpus.name: {item.system for item in missing if item.dataset == corpus.name}
        for corpus in job.corpora
    }
    tasks = [task.without(lost[task.corpus.name]) for task in job.tasks]
    metric_results, pattern = score_all(tasks, counts, threads), job.config.written.output.x
    systems = [name for corpus in job.corpora for name in corpus.systems]
    series = series_of(systems, pattern) if pattern else []
    unordered = (
        [f"output.x: '{pattern}' finds no number in the names of two systems"]
        if pattern and not series
        else []
    )
    results = Results(
        datasets={corpus.name: describe(corpus) for corpus in job.corpora},
        declared=declared_of(job.metrics),
        warnings=[*job.warnings, *count_warnings(tasks, counts), *unordered],
        missing=missing,
        series=series,
        **rows_of(metric_results),
    )
    corpora = tuple(corpus.without(lost[corpus.name]) for corpus in job.corpora)
    return Scored(
        job=job,
        corpora=corpora,
        metric_results=metric_results,
        results=results,
        listener=listener,
        threads=threads,
    )


def resample(scored: Scored, asked: "StatisticsConfig") -> Scored:
    """Add intervals, rank ranges and paired tests."""
    from .scoring.resampling.significance import with_statistics

    told = scored.listener.testing
    results, metric_results = with_statistics(
        scored.results, scored.metric_results, asked, told, scored.threads, scored.far
    )
    return replace(scored, results=results, metric_results=metric_results)


def average(scored: Scored, _: bool) -> Scored:
    """Add the means over data sets."""
    try:
        return replace(scored, results=with_means(scored.results))
    except InputError as error:
        return scored.with_warnings(str(error))


STAGES = [
    Stage(name="resampling", requested=lambda job: job.config.written.statistics, add=resample),
]
"""The stages between scoring and those of extensions, in this order."""
LAST_STAGES = [
    Stage(
        name="averaging", requested=lambda job: job.config.written.output.mean or None, add=average
    ),
]
"""The stages between those of extensions and writing."""


def write(scored: Scored, directory: RunDirectory) -> None:
    """Write results.json and the other formats that the config asks for, one after the other."""
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
        plot_style=PlotStyle(output.plot_width or "", output.plot_font, output.plot_title),
    )
    named = (
        (corpus.name, read_texts(corpus.ids, 0, corpus.lines))
        for corpus in scored.corpora
        if corpus.ids
    )
    ids = {ids_file(name): "\n".join([*own, ""]) for name, own in named}
    for files in (
        ids,
        *(FORMATS[name].files(context) for name in dict.fromkeys(("json", *output.formats))),
    ):
        directory.announce(names=files)
        directory.write_all(files)
