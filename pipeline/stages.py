"""A run, from config to results: what is done, in order. Read this file first.

prepare() in `prepare.py` reads and checks the config and every text. Then run() goes through these
stages. It reports the name of each to a listener, such as the progress bar:

counting      Workers count what each metric needs of each sentence, unless the run directory has
              these counts.
scoring       Counts become scores and ranks.
resampling    Scores get intervals, rank ranges and paired tests, if the config has `statistics`.
averaging     Scores are averaged over data sets, if the config has `output: {mean: true}`.
writing       Reports are written: results.json, and those that the config names.

Before counting, the numbers of metrics that are computed are, each in a stage with its name.
If all counts of a data set are stored, the first stage is named `looking` instead. Some metrics
read all references before a line can be counted, such as for how rare an n-gram is: that is the
stage `surveying`.

After resampling come the stages of extensions that the config has a section of.

To add a stage between scoring and writing, write a function like resample(), and add a line to
STAGES, or name a Stage in Extension.stages.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from . import kernel
from .errors import InputError
from .execution import (
    AUTO,
    SILENT,
    Listener,
    LoggingListener,
    Missing,
    RunDirectory,
    RunOptions,
    computations,
    count_all,
    folder_of,
    ids_file,
    specs_of,
    tasks_of,
)
from .files import TempFiles
from .prepare import prepare
from .report import FORMATS, ReportContext
from .report.tables import called
from .scoring import (
    DatasetInfo,
    EarlierResults,
    MetricResult,
    Results,
    SampleCluster,
    Score,
    ScoredRun,
    Series,
    count_warnings,
    score,
)
from .stage import Job, Scored, Stage, output_settings

if TYPE_CHECKING:
    from .data.config import StatisticsConfig
    from .execution import Counted


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
    with begin(job, output, options, listener, fresh=fresh) as begun:
        directory = begun.directory
        options = begun.options
        started = time.monotonic()

        # counting
        computed = compute_numbers(job, options, begun.listener)
        job = computed.job
        counts: dict[str, Counted] = {}
        missing: list[Missing] = []
        lost_systems: dict[str, set[str]] = {}
        for corpus in job.corpora:
            specs = specs_of(
                task for task in job.tasks if task.corpus is corpus
            )
            counts[corpus.name], missing_of_corpus = count_all(
                corpus, specs, directory, options, begun.listener
            )
            missing += missing_of_corpus
            lost_systems[corpus.name] = {
                item.system for item in missing_of_corpus
            }
        counting_seconds = time.monotonic() - started
        begun.listener.note(f"counted in {counting_seconds:.1f} s")

        # scoring
        begun.listener.stage("scoring")
        tasks = [
            task.without(lost_systems[task.corpus.name]) for task in job.tasks
        ]
        metric_results = score(tasks, counts, options.threads)
        warnings = [*job.warnings, *count_warnings(tasks, counts)]
        results = first_results(job, metric_results, warnings, missing)
        complete = [
            corpus.without(lost_systems[corpus.name]) for corpus in job.corpora
        ]
        scored = Scored(
            job=job,
            corpora=tuple(complete),
            metric_results=metric_results,
            results=results,
            listener=begun.listener,
            threads=options.threads,
        )

        # the stages of the core and of extensions
        if options.cluster:
            sample_cluster = SampleCluster(options.cluster, directory)
            scored = replace(scored, sample_cluster=sample_cluster)
        for stage in (*STAGES, *job.stages, *LAST_STAGES):
            requested = stage.request(job)
            if requested is not None:
                begun.listener.stage(stage.name)
                scored = stage.add(scored, requested)
        if begun.earlier_manifest:
            directory.write_manifest(begun.earlier_manifest)
            return directory, scored.results

        # writing
        begun.listener.stage("writing")
        files = written_files(scored)
        directory.announce(names=files)
        directory.write_all(files)
        # --only leaves out parts whose files are good
        if not job.partial and not missing:
            deleted = directory.remove_stale()
            if deleted:
                names = ", ".join(deleted)
                begun.listener.warn(
                    f"deleted, because they show earlier results: {names}"
                )
        seconds = round(time.monotonic() - started, 3)
        state = "incomplete" if missing else "done"
        manifest: dict[str, Any] = {
            "kernel": kernel.name(),
            "state": state,
            "seconds": {"counting": round(counting_seconds, 3), "all": seconds},
            "bytes_read": {
                "opening": job.bytes_opened,
                "counting": begun.listener.bytes,
            },
        }
        manifest |= job.written
        if computed.plugins:
            manifest["plugins"] = computed.plugins
        directory.finish(manifest)
        begun.listener.note(f"{state} in {seconds} s")
    return directory, scored.results


class BegunRun(NamedTuple):
    """What a run works with while it holds its directory."""

    directory: RunDirectory
    options: RunOptions
    """The options of the config and of the caller, connected to a cluster if there is one."""
    listener: LoggingListener
    earlier_manifest: dict[str, Any]
    """The content of run.json if earlier results stay; empty if they do not."""


@contextmanager
def begin(
    job: Job,
    output: str | Path | None,
    options: RunOptions,
    listener: Listener,
    *,
    fresh: bool,
) -> Iterator[BegunRun]:
    """Take the run directory for a run, and give it back at the end; raises StoreError."""
    TempFiles.remove_abandoned()
    directory = RunDirectory(folder_of(output or job.config.parsed.output.dir))
    with (
        options.under(job.config.parsed.run).connected(
            job.cluster
        ) as connected,
        directory.held(listener.warn),
    ):
        earlier = EarlierRun() if fresh else earlier_run(directory, job)
        for note in earlier.notes:
            listener.warn(note)
        if fresh:
            directory.clear(everything=False)
        if earlier.manifest:
            directory.write_manifest(earlier.manifest)
        else:
            directory.begin({"kernel": kernel.name(), **job.written})
        with directory.logged(listener) as logging_listener:
            yield BegunRun(
                directory, connected, logging_listener, earlier.manifest
            )


class EarlierRun(NamedTuple):
    """What a run directory has from earlier runs."""

    notes: tuple[str, ...] = ()
    """What the user should know of its results, such as that they are replaced."""
    manifest: dict[str, Any] = {}  # noqa: RUF012 (never changed)
    """The content of run.json if its results stay as they are; empty if they do not."""


def earlier_run(directory: RunDirectory, job: Job) -> EarlierRun:
    """Return what a run directory has from earlier runs.

    Raises StoreError if its results are of another config, or if they stay and a text of them has
    changed.
    """
    earlier = EarlierResults.read(directory)
    earlier.refuse_other_config(job.written)
    scores = earlier.scores_beside(job.tasks)
    notes: list[str] = []
    manifest: dict[str, Any] = {}
    if job.partial and scores:
        earlier.refuse_changed_texts(job.corpora, len(scores))
        manifest = directory.about
        notes.append(
            f"{directory.path}: the results there stay as they are, because --only leaves out "
            f"{len(scores):,} of their scores; the new scores are only shown (--output DIR writes "
            "them to another folder)"
        )
    elif scores:
        signatures = [task.signature for task in job.tasks]
        notes.append(replacement_note(directory.path, scores, signatures))
    if earlier.has_old_digests:
        notes.append(
            f"{directory.path}: an earlier version had other digests of texts; "
            "they are counted anew, once"
        )
    return EarlierRun(tuple(notes), manifest)


def replacement_note(
    folder: Path, scores: Sequence[Score], signatures: Sequence[str]
) -> str:
    """Return what a run replaces in a folder, in a sentence.

    `scores` are those of the results there that the run does not compute, `signatures` those that
    it computes.
    """
    short_names = called([*(item.metric for item in scores), *signatures])
    left_out = {
        "system": [item.system for item in scores],
        "metric": [short_names[item.metric] for item in scores],
    }
    lists = []
    for kind, names in left_out.items():
        unique = list(dict.fromkeys(names))
        plural = "" if len(unique) == 1 else "s"
        text = f"{kind}{plural} {', '.join(unique[:MAX_NAMES])}"
        if len(unique) > MAX_NAMES:
            text += f" and {len(unique) - MAX_NAMES} more"
        lists.append(text)
    count = "1 score"
    pronoun = "it"
    if len(scores) > 1:
        count = f"{len(scores):,} scores"
        pronoun = "them"
    return (
        f"{folder}: the results there are replaced, of which this run does not make {count} "
        f"({'; '.join(lists)}); the counts behind {pronoun} stay; --output DIR writes to another "
        "folder and keeps all"
    )


MAX_NAMES = 5
"""The most systems, and metrics, that replacement_note() lists."""


class ComputedNumbers(NamedTuple):
    """A run with the numbers that are computed before counting."""

    job: Job
    plugins: list[dict[str, Any]]
    """The records in run.json of metrics that others bring."""


def compute_numbers(
    job: Job, options: RunOptions, listener: Listener
) -> ComputedNumbers:
    """Compute the numbers of metrics that have them before counting."""
    records: dict[str, dict[str, Any]] = {}
    for metric in job.metrics:
        if metric.origin or metric.computes_numbers:
            records[metric.name] = {"name": metric.name, **metric.origin}
    corpora = list(job.corpora)
    for computation in computations(job.metrics, options, listener):
        corpora = computation.with_numbers(corpora)
        for name, record in computation.records.items():
            records[name] |= record
    warnings = list(job.warnings)
    for old, new in zip(job.corpora, corpora, strict=True):
        warnings += [
            f"{new.name}: {note}" for note in new.notes if note not in old.notes
        ]
    tasks = tasks_of(job.metrics, corpora)
    job = replace(
        job, corpora=tuple(corpora), tasks=tasks, warnings=tuple(warnings)
    )
    return ComputedNumbers(job, list(records.values()))


def first_results(
    job: Job,
    metric_results: Sequence[MetricResult],
    warnings: list[str],
    missing: list[Missing],
) -> Results:
    """Return the results of a run whose systems have scores; `missing` could not be counted."""
    order = job.config.parsed.output.x
    series: list[Series] = []
    if order:
        systems: list[str] = []
        for corpus in job.corpora:
            systems += corpus.systems
        series = Series.find(systems, order)
        if not series:
            warnings = [
                *warnings,
                f"output.x: '{order}' finds no number in the names of two systems",
            ]
    declared = {}
    for metric in job.metrics:
        if metric.declared:
            declared[metric.name] = metric.declared
    results = Results(
        datasets={
            corpus.name: DatasetInfo.of(corpus) for corpus in job.corpora
        },
        scores=[],
        declared=declared,
        warnings=warnings,
        missing=missing,
        series=series,
    )
    return results.with_rows(metric_results)


def resample(scored: Scored, settings: "StatisticsConfig") -> Scored:
    """Add intervals, rank ranges and paired tests."""
    scored_run = ScoredRun(scored.results, scored.metric_results)
    results, metric_results = scored_run.with_statistics(
        settings,
        scored.listener.testing,
        scored.threads,
        scored.sample_cluster,
    )
    return replace(scored, results=results, metric_results=metric_results)


def average(scored: Scored, _: bool) -> Scored:
    """Add the means over data sets."""
    try:
        return replace(scored, results=scored.results.with_means())
    except InputError as error:
        return scored.with_warnings(str(error))


STAGES = [
    Stage(
        name="resampling",
        requested=lambda job: job.config.parsed.statistics,
        add=resample,
    ),
]
"""The stages between scoring and those of extensions, in this order."""
LAST_STAGES = [
    Stage(
        name="averaging",
        requested=lambda job: job.config.parsed.output.mean or None,
        add=average,
    ),
]
"""The stages between those of extensions and writing."""


def written_files(scored: Scored) -> "dict[str, str | bytes | Iterable[bytes]]":
    """Return the files of results by name: ids of lines, results.json, those the config names."""
    job = scored.job
    files: dict[str, str | bytes | Iterable[bytes]] = {}
    for corpus in scored.corpora:
        if corpus.ids:
            lines = corpus.ids.read(0, corpus.lines)
            files[ids_file(corpus.name)] = "\n".join([*lines, ""])
    output = job.config.parsed.output
    context = ReportContext(
        results=scored.results,
        measured=tuple(scored.metric_results),
        corpora={corpus.name: corpus for corpus in scored.corpora},
        config=job.config.plain,
        opened=job.opened.get,
        **output_settings(output),
    )
    for name in dict.fromkeys(("json", *output.formats)):
        files |= FORMATS[name].files(context)
    return files
