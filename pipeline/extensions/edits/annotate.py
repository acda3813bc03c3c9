"""Annotates pairs of texts: each distinct pair once, in one process or several, with what the cache
has left out.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pipeline.errors import IncompleteError
from pipeline.files.content_cache import ANNOTATIONS, ContentCache
from pipeline.files.safe_files import digest
from pipeline.parallel import WorkerLostError, results

from .errant_annotator import Annotation, Pair, annotator_of, pair_of, trivial, versions_of

CHUNK = 256
"""Distinct texts that a worker gets at once, unless one source alone has more corrected texts.
Results do not depend on it. It does not depend on the number of workers either."""


class Annotated(NamedTuple):
    """What annotating has given."""

    annotations: list[Annotation]
    """The edits of each pair."""
    changed: int
    """Pairs whose words differ."""
    distinct: int
    """Different pairs among these."""
    kept: int
    """How many of the distinct pairs the cache had."""


def annotate_all(
    pairs: Iterable[tuple[str, str]],
    *,
    model: str | None = None,
    n_jobs: int = 1,
    cache: "AnnotationCache | None" = None,
    progress: Callable[[int, int], None] = lambda _done, _whole: None,
) -> Annotated:
    """Return the edits of pairs of lines, (source, corrected).

    The same pairs have the same edits, whatever n_jobs is and whatever the cache has. `model` is
    the name or folder of a spaCy pipeline. `progress` is called with the distinct pairs so far, and
    in all, where there are any. Raises ConfigError where errant, spaCy or the pipeline are missing
    or do not fit, and IncompleteError where a worker process dies."""
    key = versions_of(model).key
    lines = list(pairs)
    simple = [trivial(*pair) for pair in lines]
    needed = [
        None if known is not None else pair_of(*pair)
        for known, pair in zip(simple, lines, strict=True)
    ]
    distinct = list(dict.fromkeys(pair for pair in needed if pair))
    edits = cache.read(key, distinct) if cache else {}
    kept = len(edits)
    if distinct:
        progress(kept, len(distinct))
    for part, made in _results(
        list(chunks(pair for pair in distinct if pair not in edits)), model, n_jobs
    ):
        new = dict(zip(part, made, strict=True))
        if cache:
            cache.write(key, new)
        edits.update(new)
        progress(len(edits), len(distinct))
    given = [
        edits[pair] if pair else (known or ()) for pair, known in zip(needed, simple, strict=True)
    ]
    return Annotated(given, sum(pair is not None for pair in needed), len(distinct), kept)


def chunks(pairs: Iterable[Pair]) -> Iterator[list[Pair]]:
    """Yield distinct pairs in chunks of about CHUNK texts. All pairs of a source are in one chunk."""
    sources: dict[str, list[Pair]] = {}
    for pair in pairs:
        sources.setdefault(pair.source, []).append(pair)
    chunk: list[Pair] = []
    texts = 0
    for own in sources.values():
        if chunk and texts + len(own) + 1 > CHUNK:
            yield chunk
            chunk, texts = [], 0
        chunk, texts = chunk + own, texts + len(own) + 1
    if chunk:
        yield chunk


def annotate_chunk(chunk: Sequence[Pair], model: str | None) -> list[Annotation]:
    """Return the edits of a chunk. A worker process loads its spaCy pipeline once."""
    return annotator_of(model).annotate(chunk)


def _results(
    parts: Sequence[list[Pair]], model: str | None, n_jobs: int
) -> Iterator[tuple[list[Pair], list[Annotation]]]:
    """Yield each chunk with its edits, in any order."""
    if min(n_jobs, len(parts)) < 2:
        for part in parts:
            yield part, annotate_chunk(part, model)
        return
    call = partial(_numbered, annotate_chunk, model)
    try:
        for number, edits in results(
            call, enumerate(parts), min(n_jobs, len(parts)), processes=True
        ):
            yield parts[number], edits
    except WorkerLostError as lost:
        raise IncompleteError(f"{lost.reason}; try fewer workers") from None


def _numbered(
    call: Callable[[Sequence[Pair], str | None], list[Annotation]],
    model: str | None,
    chunk: tuple[int, list[Pair]],
) -> tuple[int, list[Annotation]]:
    return chunk[0], call(chunk[1], model)


class AnnotationCache:
    """The annotations that are kept on this computer, by versions, source and corrected text."""

    def __init__(
        self, path: Path | None = None, warn: Callable[[str], None] = lambda _: None
    ) -> None:
        self._kept = ContentCache(ANNOTATIONS, path, warn)
        self.path = self._kept.path
        """The database."""

    def read(self, versions: str, pairs: Sequence[Pair]) -> dict[Pair, Annotation]:
        """Return the annotations that are kept for some of the pairs, made with the same versions."""
        keys = {_key(versions, pair): pair for pair in pairs}
        kept = {
            keys[key]: edits.decode("utf-8", "surrogatepass")
            for key, edits in self._kept.read(list(keys)).items()
        }
        return {pair: tuple(edits.split("\n")) if edits else () for pair, edits in kept.items()}

    def write(self, versions: str, annotations: Mapping[Pair, Annotation]) -> None:
        """Keep annotations that were made with these versions."""
        rows = {_key(versions, pair): "\n".join(edits) for pair, edits in annotations.items()}
        self._kept.write(
            {key: edits.encode("utf-8", "surrogatepass") for key, edits in rows.items()}
        )


def _key(versions: str, pair: Pair) -> bytes:
    """Return the key of a pair. No text has the byte 0xFF, so that no other texts have the same
    bytes.
    """
    texts = (text.encode("utf-8", "surrogatepass") for text in (versions, *pair))
    return bytes.fromhex(digest(b"\xff".join(texts), size=16))
