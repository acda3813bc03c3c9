"""Annotation of pairs of texts: each distinct pair once, in one process or several, with a cache."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pipeline.errors import IncompleteError
from pipeline.extensions.functions.content_cache import ContentCache
from pipeline.files import digest
from pipeline.parallel import WorkerLostError, results

from .errant_annotator import (
    Annotation,
    Pair,
    annotator_of,
    pair_of,
    trivial,
    versions_of,
)

CHUNK_TEXTS = 256
"""Distinct texts that a worker gets at once, unless one source alone has more corrected texts.

Results do not depend on it. It does not depend on the number of workers either."""


class Annotated(NamedTuple):
    """Annotated pairs of texts."""

    annotations: list[Annotation]
    """The edits of each pair."""
    changed: int
    """Pairs whose words differ."""
    distinct: int
    """Different pairs among these."""
    cached: int
    """How many of the distinct pairs the cache had."""


def annotate_all(
    pairs: Iterable[tuple[str, str]],
    *,
    model: str | None = None,
    n_jobs: int = 1,
    cache: "AnnotationCache | None" = None,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Annotated:
    """Return the edits of pairs of lines, (source, corrected), in their order.

    The same pairs have the same edits, whatever n_jobs is and whatever the cache has. `model` is
    the name or folder of a spaCy pipeline. `progress` is called with the distinct pairs so far, and
    in all, if there are any. Raises ConfigError if errant, spaCy or the pipeline are missing or do
    not fit, and IncompleteError if a worker process dies.
    """
    key = versions_of(model).key
    # find the pairs that need a parser, each once
    lines = list(pairs)
    annotations = [trivial(source, corrected) for source, corrected in lines]
    changed: list[tuple[int, Pair]] = []
    for index, (source, corrected) in enumerate(lines):
        if annotations[index] is None:
            changed.append((index, pair_of(source, corrected)))
    distinct = list(dict.fromkeys(pair for _, pair in changed))

    # take their edits from the cache, or annotate them
    edits = cache.read(key, distinct) if cache else {}
    cached = len(edits)
    if distinct:
        progress(cached, len(distinct))
    unknown = [pair for pair in distinct if pair not in edits]
    for new in _results(list(chunks(unknown)), model, n_jobs):
        if cache:
            cache.write(key, new)
        edits.update(new)
        progress(len(edits), len(distinct))
    for index, pair in changed:
        annotations[index] = edits[pair]
    complete = [annotation or () for annotation in annotations]
    return Annotated(complete, len(changed), len(distinct), cached)


def chunks(pairs: Iterable[Pair]) -> Iterator[list[Pair]]:
    """Yield distinct pairs in chunks of about CHUNK_TEXTS texts, all pairs of a source in one."""
    by_source: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_source.setdefault(pair.source, []).append(pair)
    chunk: list[Pair] = []
    texts = 0
    for pairs_of_source in by_source.values():
        added = len(pairs_of_source) + 1
        if chunk and texts + added > CHUNK_TEXTS:
            yield chunk
            chunk = []
            texts = 0
        chunk += pairs_of_source
        texts += added
    if chunk:
        yield chunk


def annotate_chunk(
    chunk: Sequence[Pair], model: str | None
) -> dict[Pair, Annotation]:
    """Return the edits of a chunk. A worker process loads its spaCy pipeline once."""
    annotations = annotator_of(model).annotate(chunk)
    return dict(zip(chunk, annotations, strict=True))


def _results(
    chunks: Sequence[list[Pair]],
    model: str | None,
    n_jobs: int,
) -> Iterator[dict[Pair, Annotation]]:
    """Yield the edits of each chunk, in any order."""
    call = partial(annotate_chunk, model=model)
    workers = min(n_jobs, len(chunks))
    if workers < 2:
        yield from map(call, chunks)
        return
    try:
        yield from results(call, chunks, workers, processes=True)
    except WorkerLostError as lost:
        raise IncompleteError(f"{lost.reason}; try fewer workers") from None


class AnnotationCache:
    """The annotations that are cached on this computer, by versions, source and corrected text."""

    def __init__(
        self,
        path: Path | None = None,
        warn: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._cache = ContentCache(ContentCache.ANNOTATIONS, path, warn)
        self.path = self._cache.path
        """The database."""

    def read(
        self, versions: str, pairs: Sequence[Pair]
    ) -> dict[Pair, Annotation]:
        """Return the cached annotations of some of the pairs, made with the same versions."""
        pair_of_key = {_key(versions, pair): pair for pair in pairs}
        annotations: dict[Pair, Annotation] = {}
        for key, data in self._cache.read(list(pair_of_key)).items():
            lines = data.decode("utf-8", "surrogatepass")
            annotation: Annotation = ()
            if lines:
                annotation = tuple(lines.split("\n"))
            annotations[pair_of_key[key]] = annotation
        return annotations

    def write(
        self, versions: str, annotations: Mapping[Pair, Annotation]
    ) -> None:
        """Cache annotations that were made with these versions."""
        rows = {}
        for pair, edits in annotations.items():
            text = "\n".join(edits)
            rows[_key(versions, pair)] = text.encode("utf-8", "surrogatepass")
        self._cache.write(rows)


def _key(versions: str, pair: Pair) -> bytes:
    """Return the key of a pair. No text has the byte 0xFF, so distinct texts have distinct keys."""
    texts = (
        text.encode("utf-8", "surrogatepass") for text in (versions, *pair)
    )
    return bytes.fromhex(digest(b"\xff".join(texts), size=16))
