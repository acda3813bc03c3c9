"""From a corpus to its statistics: shards cut, sent to workers, what comes back kept on disk or in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from . import execute, shards
from .corpus import STRIDE
from .store import MemoryStatistics, RunDirectory, Statistics, content_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from .corpus import Corpus
    from .metrics.base import Needs
    from .models import WrittenRun
    from .shards import Shard

    Progress = Callable[[int, int], None]
    Counted = Mapping[tuple[str, Needs], Statistics | MemoryStatistics]


class How(NamedTuple):
    """What never changes a number: workers, backend, lines in a shard (None: by size), who hears of progress.

    progress is called with (lines done, lines in all), where a line counts once for each system.
    """

    n_jobs: int | Literal["auto"] | None = None
    backend: execute.Backend | None = None
    shard_lines: int | None = None
    progress: Progress | None = None

    def under(self, settings: WrittenRun) -> How:
        """Return this with what it leaves open taken from a config."""
        return self._replace(n_jobs=self.n_jobs or settings.n_jobs, backend=self.backend or settings.backend)

    @property
    def threads(self) -> int:
        """How many threads the parent may use for its own work."""
        if self.backend == "serial":
            return 1
        return execute.processors() if self.n_jobs in (None, "auto") else int(self.n_jobs or 1)


AUTO = How()


def count_to_disk(corpus: Corpus, needs: Sequence[Needs], directory: RunDirectory, how: How = AUTO) -> Counted:
    """Have the columns counted that are not in the run directory yet; return where all of them are.

    What a shard gave is written as it comes, under a key of its content: after an interruption the next run goes
    on from there.
    """
    places, keys = placed(corpus, needs, directory)
    missing = [place for place in places if not directory.is_current(places[place], keys[place])]
    names = list(dict.fromkeys(name for name, _ in missing))
    wanted = list(dict.fromkeys(need for _, need in missing))
    directory.announce(places[place] for place in missing)
    key = content_key(_base(corpus), [corpus.systems[name].digest for name in names], wanted)
    pieces = _cut(corpus, names, how)
    parts = {piece: directory.part(key, piece) for piece in pieces}
    undone = [piece for piece in pieces if not parts[piece].exists()]
    for piece, arrays in _counted(corpus, names, wanted, pieces, undone, how):
        directory.write_part(parts[piece], arrays)
    joined = []
    for name, need in missing:
        own = [(parts[piece], index) for piece, index in _own(pieces, names.index(name), wanted.index(need))]
        joined.append((directory.join(places[name, need], keys[name, need], own), places[name, need]))
    directory.put_in_place(joined)  # all or none: until then the parts are what the next run goes on from
    directory.remove_parts(parts.values())
    return places


def placed(
    corpus: Corpus, needs: Sequence[Needs], directory: RunDirectory
) -> tuple[dict[tuple[str, Needs], Statistics], dict[tuple[str, Needs], str]]:
    """Return, for each system and needs, where its columns are or will be, and the key of what they depend on."""
    places, keys = {}, {}
    base = _base(corpus)
    for need in needs:
        schema = need.schema(len(corpus.references))
        for name, file in corpus.systems.items():
            places[name, need] = directory.statistics(corpus.name, name, need.key, schema, corpus.lines)
            keys[name, need] = content_key(base, file.digest, need)
    return places, keys


def _base(corpus: Corpus) -> list[object]:
    """Return what all columns of a data set depend on."""
    references = [file.digest for file in corpus.references]
    return [corpus.source and corpus.source.digest, references, corpus.lines, corpus.missing]


def count_in_memory(corpus: Corpus, needs: Sequence[Needs], how: How = AUTO) -> Counted:
    """Have all columns counted and keep them."""
    names = list(corpus.systems)
    pieces = _cut(corpus, names, how)
    parts = dict(_counted(corpus, names, needs, pieces, pieces, how))
    counted = {}
    for row, need in enumerate(needs):
        schema = need.schema(len(corpus.references))
        for number, name in enumerate(names):
            arrays = [parts[piece][index] for piece, index in _own(pieces, number, row)]
            counted[name, need] = MemoryStatistics(arrays, schema)
    return counted


def _cut(corpus: Corpus, names: Sequence[str], how: How) -> list[Shard]:
    size = sum(text.size for text in corpus.texts())
    return shards.cut(corpus.lines, len(names), size, STRIDE, how.shard_lines)


def _own(pieces: Iterable[Shard], number: int, row: int) -> list[tuple[Shard, int]]:
    """Return the shards that system number `number` is in, and which of their arrays is its for needs `row`."""
    own = [piece for piece in pieces if piece.first <= number < piece.last]
    return [(piece, row * (piece.last - piece.first) + number - piece.first) for piece in own]


def _counted(
    corpus: Corpus,
    names: Sequence[str],
    needs: Sequence[Needs],
    pieces: Sequence[Shard],
    undone: Sequence[Shard],
    how: How,
) -> Iterator[tuple[Shard, list[NDArray[np.integer]]]]:
    """Yield shards as workers finish them: packed columns, needs after needs, of each system of the shard."""
    tasks = []
    for number, piece in enumerate(undone):
        outputs = tuple(corpus.systems[name].span(piece.low, piece.high) for name in names[piece.first : piece.last])
        source = corpus.source.span(piece.low, piece.high) if corpus.source else None
        references = tuple(text.span(piece.low, piece.high) for text in corpus.references)
        tasks.append(execute.Task(number, source, references, outputs, tuple(needs), corpus.missing, piece.low))
    size = sum(text.size for text in corpus.texts())
    n_jobs, backend = execute.plan(how.n_jobs or "auto", how.backend or "auto", size)
    whole = sum(_lines(piece) for piece in pieces)
    done = whole - sum(_lines(piece) for piece in undone)
    for number, arrays in execute.run(tasks, n_jobs, backend):
        yield undone[number], arrays
        done += _lines(undone[number])
        if how.progress:
            how.progress(done, whole)


def _lines(piece: Shard) -> int:
    return (piece.high - piece.low) * (piece.last - piece.first)
