"""A run, from config to results: the stages in order. Read this file first.

config -> corpus -> shards -> statistics (workers) -> store -> reduce -> resample, rank -> report

prepare() in `checks.py` reads and checks everything; run() counts what is missing (`count.py`), scores
(`scoring.py`), resamples (`significance.py`), correlates with people (`meta_evaluation.py`), compares with what is
expected (`expected.py`) and writes.
"""

from __future__ import annotations

import platform
import shlex
import sys
import time
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from . import kernel
from ._version import __version__
from .errors import InputError
from .execution.count import by_files, count_all, placed
from .execution.options import AUTO, How
from .execution.store.log import Log
from .execution.store.manifest import running
from .execution.store.remote_copy import folder_of, mirrored
from .execution.store.run_directory import RunDirectory
from .prepare import Job, prepare
from .report import FORMATS
from .report.material import Material
from .scoring.resampling.significance import with_statistics
from .scoring.results import Results
from .scoring.scored_columns import measured, signed
from .scoring.scores import describe, remarks, score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .corpus.corpus import Corpus
    from .execution.count import Counted
    from .execution.shards import Missing
    from .scoring.scored_columns import Measured

__all__ = ["Job", "plan", "prepare", "run", "with_people"]


def plan(job: Job, output: str | Path | None = None) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of what run() would do: data set, system, metric, lines, whether it is counted already.

    Nothing is computed or made. Raises StoreError where the directory cannot be used.
    """
    directory = RunDirectory(folder_of(output or job.config.output.dir, new=True), make=False)
    rows = []
    for corpus in job.corpora:
        found = [placed(files, wanted, directory) for files, wanted in by_files(corpus, job.needs)]
        places = {cell: place for some, _ in found for cell, place in some.items()}
        keys = {cell: key for _, some in found for cell, key in some.items()}
        for metric in job.metrics:
            for name in corpus.systems:
                cell = name, metric.needs
                state = "counted" if directory.is_current(places[cell], keys[cell]) else "to do"
                rows.append([corpus.name, name, signed(metric, len(corpus.references)), f"{corpus.lines:,}", state])
    return ["dataset", "system", "metric", "lines", "counts"], rows


def run(
    job: Job, output: str | Path | None = None, how: How = AUTO, *, fresh: bool = False
) -> tuple[RunDirectory, Results]:
    """Do a checked run; return its directory (output, else the config's output.dir) and what it found.

    fresh: first delete what earlier runs have left there. Where lines could not be counted, the results say what is
    missing, and the same run later goes on. Raises StoreError where the directory cannot be used.
    """
    with mirrored(output or job.config.output.dir) as folder:
        return _run_in(RunDirectory(folder), job, how, fresh=fresh)


def _run_in(directory: RunDirectory, job: Job, how: How, *, fresh: bool) -> tuple[RunDirectory, Results]:
    with directory.held(how.tell):
        directory.write_manifest({"kernel": kernel.name(), **running()})
        if fresh:
            directory.clear(whole=False)
        with closing(Log(directory.path)) as log:
            log(f"begins: gec-pipeline {__version__}, {kernel.name()} kernel: {shlex.join(sys.argv)}")
            how = how.under(job.config.run).logged(log)
            try:
                with how.connection() or nullcontext() as cluster:
                    return directory, _run(job, directory, how._replace(cluster=cluster), log)
            except BaseException as error:
                log(f"stopped: {type(error).__name__}: {error}")
                raise


def _run(job: Job, directory: RunDirectory, how: How, log: Log) -> Results:
    started = time.time()
    statistics: dict[str, Counted] = {}
    missing: list[Missing] = []
    for corpus in job.corpora:
        statistics[corpus.name], lost = count_all(corpus, job.needs, directory, how)
        missing += lost
    counted = time.time()
    log(f"counted in {counted - started:.1f} s")
    how.stage("scoring")
    datasets = {corpus.name: describe(corpus) for corpus in job.corpora}
    corpora = [
        corpus.without({item.system for item in missing if item.dataset == corpus.name}) for corpus in job.corpora
    ]
    warnings = [*job.warnings, *remarks(corpora, job.metrics, statistics)]
    results = Results(datasets, score(corpora, job.metrics, statistics, how.threads), warnings, missing)
    if job.config.statistics:
        how.stage("resampling")
        found = list(measured(corpora, job.metrics, statistics, results))
        results = with_statistics(results, found, job.config.statistics, how.testing)
    if job.config.human and job.people:
        how.stage("correlating")
        results = with_people(job, corpora, statistics, results, how)
    if job.sources and missing:
        results = replace(results, warnings=[*results.warnings, "nothing is compared: lines could not be counted"])
    elif job.sources:
        from .reproduction.expected_values import with_findings

        how.stage("comparing")
        found = list(measured(corpora, job.metrics, statistics, results))
        results = with_findings(job.config.findings, job.sources, found, results, how.testing)
    how.stage("writing")
    _report(job, directory, results, tuple(measured(corpora, job.metrics, statistics, results)), corpora)
    if not job.partial and not missing:  # what the rest of the config has there is still good
        directory.remove_stale()
    seconds = {"counting": round(counted - started, 3), "all": round(time.time() - started, 3)}
    state = "incomplete" if missing else "done"
    directory.write_manifest({"kernel": kernel.name(), "state": state, "seconds": seconds, **_machine(job)})
    for item in [*job.warnings, *missing]:
        log(str(item))
    log(f"{state} in {seconds['all']} s")
    return results


def _report(
    job: Job, directory: RunDirectory, results: Results, columns: tuple[Measured, ...], corpora: Sequence[Corpus]
) -> None:
    """Write results.json and the forms that the config asks for, each before the next is made."""
    output, written = job.config.output, job.config.root.plain()
    texts = {corpus.name: corpus for corpus in corpora}
    material = Material(results, columns, texts, written, "", output.digits, tuple(output.plots), output.plot_type)
    for name in dict.fromkeys(("json", *output.formats)):
        files = FORMATS[name].files(material)
        directory.announce(names=files)
        directory.write_all(files)


def with_people(
    job: Job, corpora: Sequence[Corpus], statistics: Mapping[str, Counted], results: Results, how: How = AUTO
) -> Results:
    """Return the results with how far the metrics agree with people."""
    from .human.meta_evaluation import meta_evaluate, metric_scores

    if job.config.human is None or job.people is None:
        return results
    found = metric_scores(measured(corpora, job.metrics, statistics, results))
    try:
        made = meta_evaluate(found, job.people, job.config.human, how.testing)
    except InputError as error:  # such as a data set that lacks outputs: the scores are good without
        return replace(results, warnings=[*results.warnings, f"nothing is correlated with people: {error}"])
    return replace(results, human=made.plain(), warnings=[*results.warnings, *made.notes])


def _machine(job: Job) -> dict[str, object]:
    return {
        "config": str(Path(job.config.root.mark.file).absolute()),
        "set": list(job.given.settings),
        "only": list(job.given.only),
        "written": job.config.root.plain(),
        "command": sys.argv,
        "finished": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "python": platform.python_version(),
        "numpy": sys.modules["numpy"].__version__,
        "platform": platform.platform(),
    }
