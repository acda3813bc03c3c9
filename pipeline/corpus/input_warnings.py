"""Warnings about texts that can be scored but are probably not what was meant. They go into the results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .suspicions.mistaken_texts import mistaken_texts
from .suspicions.sample import FEW
from .texts import ORDINARY, MemoryText, read_texts, same

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .corpus import Corpus
    from .texts import AnyText

TRANSPOSED = 0.1
"""How much higher (of 0 to 1) the overlap with transposed references must be for a warning."""


def suspicions(corpus: Corpus, *, references: bool = True) -> list[str]:
    """Return the warnings about a data set, each with its name.

    `references` says whether the texts of the references are read. Metrics of edits do not read them.
    """
    if _ordinary(corpus):  # equal texts are all that can be told
        texts = [text.strings for text in corpus.texts() if isinstance(text, MemoryText)]
        if len({*texts}) == len(texts):
            return []
        warnings = [*(_references(corpus) if references else []), *_systems(corpus)]
    else:
        warnings = [*corpus.notes, *_odd_files(corpus)]
        warnings += _references(corpus) if references else []
        warnings += _systems(corpus)
        warnings += [*_transposed(corpus), *mistaken_texts(corpus)] if references else []
    return [f"{corpus.name}: {text}" for text in warnings]


def _ordinary(corpus: Corpus) -> bool:
    """Return whether a glance tells that a corpus has a few texts in memory with nothing odd in any of them."""
    if corpus.lines >= FEW or corpus.lines == len(corpus.references) > 1 or corpus.missing or corpus.notes:
        return False
    texts = corpus.texts()
    for text in texts:
        if not isinstance(text, MemoryText) or text.odd is not ORDINARY or len(text.blanks) or b"{" in text.data:
            return False
    return len({text.name for text in texts}) == len(texts)


def _odd_files(corpus: Corpus) -> Iterator[str]:
    files: dict[str, AnyText] = {}
    for file in corpus.texts():
        files.setdefault(file.place, file)
    for file in files.values():
        if file.has_bom:
            yield f"{file.name}: begins with a byte order mark, which is left out"
        if file.odd.nuls:
            count = "1 NUL character" if file.odd.nuls == 1 else f"{file.odd.nuls} NUL characters"
            yield f"{file.name}: holds {count}; is it UTF-8 text?"
        if file.odd.long and not isinstance(file, MemoryText):
            size = f"line {file.number(file.odd.long):,} has {file.odd.size:,} bytes"
            yield f"{file.name}: {size}, which takes time and memory; are line ends missing?"
    if corpus.source and corpus.source.blank * 2 > corpus.lines:
        yield f"source: {corpus.source.blank} of {corpus.lines} lines are empty"


def _references(corpus: Corpus) -> Iterator[str]:
    for number, reference in enumerate(corpus.references):
        if corpus.source and same(reference, corpus.source):
            yield f"reference {number} ({reference.name}) is the same text as the source"
        empty = len(corpus.kept[number]) if corpus.kept else reference.blank
        if empty and (corpus.kept or not corpus.missing):
            first = corpus.kept[number][0] if corpus.kept else reference.first_blank
            lines = (
                f"{empty} empty lines, the first is line {first}: each" if empty > 1 else f"an empty line, {first}: it"
            )
            yield f"reference {number} ({reference.name}) has {lines} counts as a sentence of length 0"


def _systems(corpus: Corpus) -> Iterator[str]:
    seen = [(reference, f"reference {number}") for number, reference in enumerate(corpus.references)]
    given = [*([corpus.source] if corpus.source else []), *corpus.references]
    expected = corpus.own_tokens or any(text.odd.subwords for text in given)
    for name, file in corpus.systems.items():
        if name in corpus.references_as_systems:
            continue
        twin = next((called for text, called in seen if same(file, text)), None)
        if twin:
            yield f"system {name} is the same text as {twin}"
        seen.append((file, f"system {name}"))
        if file.blank * 2 > file.lines:
            yield f"system {name}: {file.blank} of {file.lines} lines are empty"
        if file.odd.subwords and not expected:
            times = "once" if file.odd.subwords == 1 else f"{file.odd.subwords} times"
            yield f"system {name} has subword pieces ('@@ ' or '\u2581', {times}); join them before scoring"


def _transposed(corpus: Corpus) -> Iterator[str]:
    """Warn of references in memory that fit better when transposed; there must be as many of them as items."""
    texts = [*([corpus.source] if corpus.source else []), *corpus.systems.values()][:1]
    if not (1 < corpus.lines == len(corpus.references) and texts and isinstance(texts[0], MemoryText)):
        return
    base = [set(text.split()) for text in read_texts(texts[0], 0, corpus.lines)]
    given = [[set(t.split()) for t in read_texts(reference, 0, corpus.lines)] for reference in corpus.references]
    pairs = [(i, j) for i in range(corpus.lines) for j in range(corpus.lines) if i != j]
    straight = sum(_overlap(given[i][j], base[j]) for i, j in pairs) / len(pairs)
    turned = sum(_overlap(given[i][j], base[i]) for i, j in pairs) / len(pairs)
    if turned > straight + TRANSPOSED:
        yield (
            "the references look transposed: expected a list for each reference set, with a text for each item, "
            "and these fit better as a list for each item"
        )


def _overlap(one: set[str], two: set[str]) -> float:
    """Return how much of all tokens of two texts both texts have, from 0 to 1."""
    return len(one & two) / max(len(one | two), 1)


def misshapen(references: Sequence[AnyText], items: int) -> str | None:
    """Return the problem of references in memory that were given as one list for each item, or None."""
    if len(references) != items:
        return None
    counts = {text.lines for text in references}
    if counts != {items} and max(counts) < items:
        return (
            "references: look transposed: expected a list for each reference set, with a text for each item; "
            f"found {items} lists, one for each item"
        )
    return None
