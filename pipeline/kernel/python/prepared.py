"""Texts that are encoded once, and outputs that are counted against them, in Python."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..common import FOLDS, Encoded, Lines, check_order, check_texts, join_lines
from .encode import encode, words
from .lcs import lcs
from .overlap import overlap


class Prepared:
    """The lines of a source and of references, against which outputs are counted.

    `split` is one of SPLITS or FOLDS. Raises as encode() and words() do, and ValueError where there is no reference,
    or texts have different numbers of lines. Objects can be pickled, and used by several threads at once.
    """

    def __init__(self, source: Lines | None, references: Sequence[Lines], split: str) -> None:
        self.source, self.references, self.split = source, tuple(references), split
        texts = [*([source] if source is not None else []), *self.references]
        check_texts(texts, "whitespace" if split in FOLDS else split)
        if not self.references or len({len(text.starts) for text in texts}) > 1:
            raise ValueError("texts: they have different numbers of lines, or there is no reference")
        self.lines = len(self.references[0].starts)
        self._encode(texts)

    def count(
        self,
        outputs: Sequence[str | bytes],
        rows: NDArray[np.int64],
        order: int,
        kinds: Sequence[str],
        subsequences: bool = False,
    ) -> dict[str, NDArray[np.int64]]:
        """Count outputs, each against the line whose number `rows` has.

        Returns int64 arrays: hyp_len [outputs], ref_len [outputs, references], total [outputs, order], and what
        overlap() counts for the kinds, [outputs, references, order] or [outputs, order]. With `subsequences` there is
        lcs [outputs, references] too, as lcs() returns it. Raises TypeError, with its number, for an output that is
        neither text nor bytes, UnicodeError for one that is no UTF-8, ValueError for another number of rows than
        outputs, IndexError, with its place, for a row that does not exist, and else as overlap() does.
        """
        check_order(order, kinds)
        if len(rows) != len(outputs):
            raise ValueError("rows: expected one for each output")
        data = []
        for number, own in enumerate(outputs):
            if not isinstance(own, str | bytes):
                raise TypeError(number)
            data.append(own.encode() if isinstance(own, str) else own.decode().encode())
        wrong = np.flatnonzero((rows < 0) | (rows >= self.lines))
        if len(wrong):
            raise IndexError(int(wrong[0]))
        taken = [_taken(text, rows) for text in ([] if self.source is None else [self.source])]
        encoded = self._encode([*taken, *(_taken(text, rows) for text in self.references), join_lines(data)])
        source = encoded.pop(0) if taken else None
        *references, output = encoded
        hyp_len = np.diff(output.offsets)
        columns = {"hyp_len": hyp_len, "total": np.maximum(hyp_len[:, None] - np.arange(order), 0)}
        columns["ref_len"] = np.stack([np.diff(text.offsets) for text in references], axis=-1)
        columns |= {kind: array[0] for kind, array in overlap(source, references, [output], order, kinds).items()}
        return columns | ({"lcs": lcs(references, [output])[0]} if subsequences else {})

    def _encode(self, texts: Sequence[Lines]) -> list[Encoded]:
        return words(texts, self.split).texts if self.split in FOLDS else encode(texts, self.split)


def _taken(text: Lines, rows: NDArray[np.int64]) -> Lines:
    """Return the lines that rows names."""
    return Lines(text.data, text.starts[rows], text.ends[rows])
