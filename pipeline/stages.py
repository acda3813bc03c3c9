"""A run, from config to results: the stages in order. Read this file first.

config -> corpus -> shards -> statistics (workers) -> store -> reduce -> rank -> report
"""

from __future__ import annotations

import platform
import shlex
import sys
import time
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from . import kernel, metrics, signature
from ._version import __version__
from .borrowed import unavailable
from .corpus import Corpus, Opener, open_corpus
from .count import AUTO, How, by_files, count_all, placed
from .defaults import with_defaults
from .errors import ConfigError, InputError, Problem
from .external import misused, parted, with_numbers
from .log import Log
from .manifest import running
from .node import base_of
from .rank import ranks
from .reduce import mean_of, reduce
from .report import FORMATS
from .report.tables import tests_to_csv
from .resample import unsupported
from .results import HUMAN, DatasetInfo, Missing, Results, Score
from .select import ALL, Given, select
from .significance import Measured, measure, with_statistics
from .store import RunDirectory
from .suspicions import suspicions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .config import Config
    from .count import Counted
    from .meta_evaluation import People
    from .metrics.base import Metric, Needs


@dataclass(frozen=True)
class Job:
    """A checked run: config, metrics, indexed text files, and warnings about them."""

    config: Config
    metrics: tuple[Metric, ...]
    corpora: tuple[Corpus, ...]
    warnings: tuple[str, ...]
    partial: bool = False
    people: People | None = None

    @property
    def needs(self) -> tuple[Needs, ...]:
        """The columns to count; metrics with equal needs share them."""
        return tuple(dict.fromkeys(metric.needs for metric in self.metrics))


def prepare(path: str | Path, how: How = AUTO, given: Given = ALL) -> Job:
    """Read and check config, metrics and every text file; raises ConfigError with all problems found."""
    from . import config  # YAML and its models: not for those who score without

    settings, nodes, problems = config.load(path, given.settings)
    chosen = metrics.resolve_all(with_defaults(nodes, settings.root if settings else None, problems), problems)
    corpora: list[Corpus | None] = []
    if settings:
        settings, chosen = select(settings, chosen, given.only, problems)
        opener = Opener(how.under(settings.run).threads, settings.run.max_unpacked)
        problems += misused(settings, chosen)
        reasons = (unsupported(metric) for metric in chosen if settings.statistics)
        problems += [settings.root.problem(reason, ("statistics",)) for reason in reasons if reason]
        systems = with_numbers(settings.systems, chosen)
        opened_all = [open_corpus(dataset, systems, problems, opener=opener) for dataset in settings.datasets]
        corpora = [corpus and parted(corpus, chosen) for corpus in opened_all]
        problems += _missing_sources(settings, chosen)
    problems += fit(chosen, corpora)
    people = _people(settings, problems) if settings and settings.human and not given.only else None
    if problems or settings is None:
        raise ConfigError(dict.fromkeys(problems))
    opened = complete(chosen, [corpus for corpus in corpora if corpus])
    warnings = (*settings.notes, *(text for corpus in opened for text in suspicions(corpus)))
    if settings.human and given.only:
        warnings = (*warnings, "nothing is correlated with people where --only chooses")
    return Job(settings, chosen, opened, warnings, partial=bool(given.only), people=people)


def fit(chosen: Sequence[Metric], corpora: Sequence[Corpus | None]) -> list[Problem]:
    """Return why metrics cannot score the data sets they are asked to."""
    lacking = (unavailable(getattr(metric, "tokenizer", "")) for metric in chosen)
    problems = [Problem("", message) for message in dict.fromkeys(lacking) if message]
    for corpus in corpora:
        messages = (
            [metric.misfit(len(corpus.references), missing=corpus.missing) for metric in chosen] if corpus else []
        )
        if corpus and any(metric.from_files and metric.needs not in corpus.external for metric in chosen):
            messages.append("external reads files that a config names: `gec-pipeline help statistics`")
        problems += [Problem("", f"{corpus.name}: {message}") for message in messages if message and corpus]
    return problems


def complete(chosen: Sequence[Metric], corpora: Sequence[Corpus]) -> tuple[Corpus, ...]:
    """Return the data sets with the references as systems too, where a metric scores them."""
    if all(metric.policy != "leave_one_out" for metric in chosen):
        return tuple(corpora)
    return tuple(corpus.with_references() for corpus in corpora)


def plan(job: Job, output: str | Path | None = None) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of what run() would do: data set, system, metric, lines, whether it is counted already.

    Nothing is computed or made. Raises StoreError where the directory cannot be used.
    """
    directory = RunDirectory(Path(output or job.config.output.dir), make=False)
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
    directory = RunDirectory(Path(output or job.config.output.dir))
    with directory.held(how.tell):
        directory.write_manifest({"kernel": kernel.name(), **running()})
        if fresh:
            directory.clear(whole=False)
        with closing(Log(directory.path)) as log:
            log(f"begins: gec-pipeline {__version__}, {kernel.name()} kernel: {shlex.join(sys.argv)}")
            try:
                return directory, _run(job, directory, how.under(job.config.run).logged(log), log)
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
    reports = {"results.json": Results.to_json, **dict(FORMATS[f] for f in job.config.output.formats if f in FORMATS)}
    if results.tests and "csv" in job.config.output.formats:
        reports["tests.csv"] = tests_to_csv
    directory.announce(names=reports)
    for file, render in reports.items():
        directory.write(file, render(results))
    if not job.partial and not missing:  # what the rest of the config has there is still good
        directory.remove_stale()
    seconds = {"counting": round(counted - started, 3), "all": round(time.time() - started, 3)}
    state = "incomplete" if missing else "done"
    directory.write_manifest({"kernel": kernel.name(), "state": state, "seconds": seconds, **_machine(job)})
    for item in [*job.warnings, *missing]:
        log(str(item))
    log(f"{state} in {seconds['all']} s")
    return results


def score(
    corpora: Sequence[Corpus], chosen: Sequence[Metric], statistics: Mapping[str, Counted], threads: int = 1
) -> list[Score]:
    """Reduce statistics to the scores of every data set, metric and system, ranked."""
    scores = []
    for corpus in corpora:
        least, most = corpus.present()
        for metric in chosen:
            left_out = metric.policy == "leave_one_out"
            names = [name for name in corpus.systems if left_out or name not in corpus.own]
            columns = [statistics[corpus.name][name, metric.needs] for name in names]
            own = [corpus.own.get(name) for name in names]
            reduced = reduce(metric, columns, corpus.lines, len(corpus.references), threads, own)
            if left_out and len([name for name in names if name in corpus.own]) == len(corpus.own):  # none is lost
                names.append(HUMAN)
                humans = [item for item, number in zip(reduced, own, strict=True) if number is not None]
                reduced.append(mean_of(humans))
            references = len(corpus.references)
            printed, peer = signed(metric, references), metric.peer_signature(most, missing=least < most)
            places = ranks([item.score for item in reduced])
            for name, item, place in zip(names, reduced, places, strict=True):
                notes = tuple(metric.notes(item.outputs))
                found = Score(corpus.name, name, printed, item.score, item.outputs, item.samples, place, notes, peer)
                scores.append(found)
    return scores


def remarks(corpora: Sequence[Corpus], chosen: Sequence[Metric], statistics: Mapping[str, Counted]) -> list[str]:
    """Return what the metrics have to say of their counts, each with the place it is about."""
    found: dict[str, None] = {}
    for corpus in corpora:
        for metric in chosen:
            counted = {name: statistics[corpus.name][name, metric.needs].blocks() for name in corpus.systems}
            for note in metric.remarks(counted):
                place = ""  # names, no paths: results do not tell where files were
                if note.reference is not None:
                    text = corpus.references[note.reference]
                    place = f"reference {note.reference} ({text.name}), line {text.number(note.line)} "
                elif note.system is not None:
                    place = f"system {note.system}, line {corpus.systems[note.system].number(note.line)} "
                found[f"{corpus.name}: {place}{note.message}"] = None
    return list(found)


def measured(
    corpora: Sequence[Corpus], chosen: Sequence[Metric], statistics: Mapping[str, Counted], results: Results
) -> Iterator[Measured]:
    """Yield what intervals and tests are made of, for every data set and metric."""
    for corpus in corpora:
        for metric in chosen:
            printed, counted = signed(metric, len(corpus.references)), statistics[corpus.name]
            scores = [score for score in results.scores if (score.dataset, score.metric) == (corpus.name, printed)]
            columns = [counted.get((score.system, metric.needs)) for score in scores]
            yield measure(metric, results.datasets[corpus.name], scores, columns)


def _people(settings: Config, problems: list[Problem]) -> People | None:
    """Return the human judgements or scores that the config names; appends why they cannot be used."""
    from .meta_evaluation import misfit, open_people

    wanted = settings.human
    if wanted is None:
        return None
    path = base_of(settings.root.find(("human", "file"))) / wanted.file
    names = [system.name for system in settings.systems]
    try:
        people = open_people(path, wanted, names)
    except InputError as error:
        problems += error.problems
        return None
    message = misfit(people, wanted, [dataset.name for dataset in settings.datasets], names)
    problems += [settings.root.problem(message, ("human",))] if message else []
    return people


def with_people(
    job: Job, corpora: Sequence[Corpus], statistics: Mapping[str, Counted], results: Results, how: How = AUTO
) -> Results:
    """Return the results with how far the metrics agree with people."""
    from .meta_evaluation import meta_evaluate, metric_scores

    if job.config.human is None or job.people is None:
        return results
    found = metric_scores(measured(corpora, job.metrics, statistics, results))
    try:
        made = meta_evaluate(found, job.people, job.config.human, how.testing)
    except InputError as error:  # such as a data set that lacks outputs: the scores are good without
        return replace(results, warnings=[*results.warnings, f"nothing is correlated with people: {error}"])
    return replace(results, human=made.plain(), warnings=[*results.warnings, *made.notes])


def signed(metric: Metric, references: int) -> str:
    """Return the signature of a metric in this version, for a number of references."""
    return signature.render(metric.name, [*metric.settings(references), ("v", __version__)])


def describe(corpus: Corpus) -> DatasetInfo:
    """Return what results.json tells of a data set."""
    digests = {"source": corpus.source.digest} if corpus.source else {}
    digests |= {f"reference {number}": file.digest for number, file in enumerate(corpus.references)}
    digests |= {f"system {name}": file.digest for name, file in corpus.systems.items()}
    for need, files in corpus.external.items():
        digests |= {f"{need.key} {name}": file.digest for name, file in files.systems.items()}
    return DatasetInfo(corpus.lines, len(corpus.references), digests)


def _missing_sources(settings: Config, chosen: Sequence[Metric]) -> Iterator[Problem]:
    needing = {metric.name: metric.hint for metric in chosen if metric.needs.source}
    for dataset in settings.datasets:
        for name, hint in needing.items() if dataset.source is None and not dataset.m2 else ():
            message = without_source(name, hint, "add `source: FILE`")
            yield settings.root.problem(message, ("datasets", dataset.name))


def without_source(name: str, hint: str, remedy: str) -> str:
    """Return what is said when a metric misses the source."""
    return f"{name} needs a source, the uncorrected text: {remedy}" + (f"; {hint}" if hint else "")


def _machine(job: Job) -> dict[str, object]:
    return {
        "config": job.config.root.mark.file,
        "command": sys.argv,
        "finished": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "python": platform.python_version(),
        "numpy": sys.modules["numpy"].__version__,
        "platform": platform.platform(),
    }
