"""A run, from config to results: the stages in order. Read this file first.

config -> corpus -> shards -> statistics (workers) -> store -> reduce -> rank -> report
"""

from __future__ import annotations

import platform
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from . import config, execute, kernel, metrics, shards, signature
from ._version import __version__
from .corpus import STRIDE, Corpus, open_corpus, suspicions
from .errors import ConfigError, Problem
from .rank import ranks
from .reduce import reduce
from .report import FORMATS
from .results import DatasetInfo, Results, Score
from .store import RunDirectory, Statistics, content_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .metrics.base import Metric, Needs

    Progress = Callable[[int, int], None]


class How(NamedTuple):
    """What never changes a number: workers, backend, lines in a shard (None: by size), who hears of progress.

    progress is called with (lines done, lines in all), where a line counts once for each system.
    """

    n_jobs: int | Literal["auto"] | None = None
    backend: execute.Backend | None = None
    shard_lines: int | None = None
    progress: Progress | None = None


DEFAULT = How()


@dataclass(frozen=True)
class Job:
    """A checked run: config, metrics, indexed text files, and warnings about them."""

    config: config.Config
    metrics: tuple[Metric, ...]
    corpora: tuple[Corpus, ...]
    warnings: tuple[str, ...]

    @property
    def needs(self) -> tuple[Needs, ...]:
        """The columns to count; metrics with equal needs share them."""
        return tuple(dict.fromkeys(metric.needs for metric in self.metrics))


def prepare(path: str | Path) -> Job:
    """Read and check config, metrics and every text file; raises ConfigError with all problems found."""
    settings, nodes, problems = config.load(path)
    chosen = metrics.resolve_all(nodes, problems)
    corpora = [open_corpus(d, settings.systems, problems) for d in settings.datasets] if settings else []
    if settings:
        problems += _missing_sources(settings, chosen)
    if problems or settings is None:
        raise ConfigError(problems)
    opened = tuple(corpus for corpus in corpora if corpus)
    return Job(settings, chosen, opened, tuple(text for corpus in opened for text in suspicions(corpus)))


def run(job: Job, output: str | Path | None = None, how: How = DEFAULT) -> tuple[RunDirectory, Results]:
    """Do a checked run; return its directory (output, else the config's output.dir) and what it found.

    Raises StoreError where the directory cannot be used, IncompleteError where workers were lost.
    """
    started = time.time()
    directory = RunDirectory(Path(output or job.config.output.dir))
    plan = _plan(job, how)
    about = {
        "program": f"gec-pipeline {__version__}",
        "kernel": kernel.name(),
        "n_jobs": plan[0],
        "backend": plan[1],
    }
    directory.write_manifest({**about, "state": "running"})
    statistics = {corpus.name: count(job, corpus, directory, plan, how) for corpus in job.corpora}
    counted = time.time()
    results = score(job, statistics)
    directory.write("results.json", results.to_json())
    for name in job.config.output.formats:
        if name in FORMATS:
            file, render = FORMATS[name]
            directory.write(file, render(results))
    directory.remove_stale()
    seconds = {"counting": round(counted - started, 3), "all": round(time.time() - started, 3)}
    directory.write_manifest({**about, "state": "done", "seconds": seconds, **_machine(job)})
    return directory, results


def count(
    job: Job, corpus: Corpus, directory: RunDirectory, plan: tuple[int, execute.Backend], how: How
) -> dict[tuple[str, Needs], Statistics]:
    """Have the columns of all systems counted that are not in the run directory yet; return where they are."""
    places, keys = {}, {}
    base = [corpus.source and corpus.source.digest, [file.digest for file in corpus.references]]
    for needs in job.needs:
        schema = needs.schema(len(corpus.references))
        for name, file in corpus.systems.items():
            places[name, needs] = directory.statistics(corpus.name, name, needs.key, schema, corpus.lines)
            keys[name, needs] = content_key(base, file.digest, needs, corpus.lines)
    missing = [place for place in places if not directory.is_current(places[place], keys[place])]
    systems = list(dict.fromkeys(name for name, _ in missing))
    needed = tuple(dict.fromkeys(needs for _, needs in missing))
    key = content_key(base, [corpus.systems[name].digest for name in systems], needed)
    pieces = shards.cut(corpus.lines, len(systems), sum(f.size for f in corpus.files()), STRIDE, how.shard_lines)
    parts = {piece: directory.part(key, piece) for piece in pieces}
    _count_parts(corpus, systems, needed, parts, plan, how.progress)
    for name, needs in missing:
        number = systems.index(name)
        own = [piece for piece in pieces if piece.first <= number < piece.last]
        index = [(parts[p], needed.index(needs) * (p.last - p.first) + number - p.first) for p in own]
        directory.join(places[name, needs], keys[name, needs], index)
    directory.remove_parts()
    return places


def _count_parts(
    corpus: Corpus,
    systems: list[str],
    needs: tuple[Needs, ...],
    parts: dict[shards.Shard, Path],
    plan: tuple[int, execute.Backend],
    progress: Progress | None,
) -> None:
    """Send shards whose parts are not there yet to workers, and write each part as it comes back."""
    open_pieces = [piece for piece, path in parts.items() if not path.exists()]
    tasks = []
    for number, piece in enumerate(open_pieces):
        span = (piece.low, piece.high)
        outputs = tuple(corpus.systems[name].span(*span) for name in systems[piece.first : piece.last])
        source = corpus.source.span(*span) if corpus.source else None
        references = tuple(file.span(*span) for file in corpus.references)
        tasks.append(execute.Task(number, source, references, outputs, needs))
    whole = done = sum((p.high - p.low) * (p.last - p.first) for p in parts)
    done -= sum((p.high - p.low) * (p.last - p.first) for p in open_pieces)
    for number, packed in execute.run(tasks, *plan):
        piece = open_pieces[number]
        RunDirectory.write_part(parts[piece], [array for of_needs in packed for array in of_needs])
        done += (piece.high - piece.low) * (piece.last - piece.first)
        if progress:
            progress(done, whole)


def score(job: Job, statistics: dict[str, dict[tuple[str, Needs], Statistics]]) -> Results:
    """Reduce statistics to the scores of every data set, metric and system, ranked."""
    scores = []
    for corpus in job.corpora:
        for metric in job.metrics:
            blocks = [statistics[corpus.name][name, metric.needs].blocks() for name in corpus.systems]
            reduced = reduce(metric, blocks, corpus.lines, len(corpus.references))
            printed = signed(metric, len(corpus.references))
            places = ranks([item.score for item in reduced])
            for name, item, place in zip(corpus.systems, reduced, places, strict=True):
                scores.append(Score(corpus.name, name, printed, item.score, item.outputs, item.samples, place))
    return Results({corpus.name: _describe(corpus) for corpus in job.corpora}, scores, list(job.warnings))


def signed(metric: Metric, references: int) -> str:
    """Return the signature of a metric in this version, for a number of references."""
    return signature.render(metric.name, [*metric.settings(references), ("v", __version__)])


def _describe(corpus: Corpus) -> DatasetInfo:
    digests = {"source": corpus.source.digest} if corpus.source else {}
    digests |= {f"reference {number}": file.digest for number, file in enumerate(corpus.references)}
    digests |= {f"system {name}": file.digest for name, file in corpus.systems.items()}
    return DatasetInfo(corpus.lines, len(corpus.references), digests)


def _plan(job: Job, how: How) -> tuple[int, execute.Backend]:
    size = sum(file.size for corpus in job.corpora for file in corpus.files())
    settings = job.config.run
    return execute.plan(how.n_jobs or settings.n_jobs, how.backend or settings.backend, size)


def _missing_sources(settings: config.Config, chosen: tuple[Metric, ...]) -> Iterator[Problem]:
    for dataset in settings.datasets:
        for name in sorted({metric.name for metric in chosen if metric.needs.source and dataset.source is None}):
            yield settings.root.problem(f"{name} needs a source; add `source: FILE`", ("datasets", dataset.name))


def _machine(job: Job) -> dict[str, object]:
    return {
        "config": job.config.root.mark.file,
        "command": sys.argv,
        "finished": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "python": platform.python_version(),
        "numpy": sys.modules["numpy"].__version__,
        "platform": platform.platform(),
    }
