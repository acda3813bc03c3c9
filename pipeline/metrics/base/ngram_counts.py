"""Columns of n-grams that outputs share with references and source, for GLEU, BLEU, chrF and others."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from ... import kernel
from ...errors import InvalidTextError
from ...kernel import long_lines
from ...kernel.common import KINDS
from .columns import Field
from .metric import Counted, Needs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...arrays import Ints
    from ...kernel.common import Encoded
    from ...tokenizers.tokenization import PreparedTokens, Tokenization
    from .columns import Columns
    from .metric import Text


@dataclass(frozen=True)
class OverlapNeeds(Needs):
    """Counts of n-grams of the orders 1 to `order`, beside lengths and totals."""

    tokenization: Tokenization = field()
    order: int
    kinds: tuple[str, ...]
    """What is counted; see `kernel/common.py`."""
    source: bool = False
    source_len: bool = False
    """Whether there is a column for the length of the source."""

    @property
    def key(self) -> str:
        """A name, safe in file names. It is different for any two needs whose columns can differ."""
        source = ["source_len"] if self.source_len else []
        return "-".join(["overlap", *self.kinds, *source, f"n{self.order}", self.tokenization.key])

    @cached_property
    def columns(self) -> tuple[Field, ...]:
        """hyp_len, src_len (if asked for), ref_len, total, and the kinds."""
        kinds = tuple(Field(kind, self.order, per_reference=kind in KINDS) for kind in self.kinds)
        source = (Field("src_len"),) if self.source_len else ()
        lengths = (Field("hyp_len"), *source, Field("ref_len", per_reference=True), Field("total", self.order))
        return lengths + kinds

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count a shard, with one pass over source and references for all systems."""
        source, references, systems = self._encoded(text)
        counts = long_lines.overlap(source, references, systems, self.order, self.kinds)
        ref_len = np.stack([np.diff(reference.offsets) for reference in references], axis=-1)
        result = []
        for number, system in enumerate(systems):
            kinds = {kind: array[number] for kind, array in counts.items()}
            lengths = {"hyp_len": np.diff(system.offsets), "ref_len": ref_len, "total": totals(system, self.order)}
            if self.source_len and source:
                lengths["src_len"] = np.diff(source.offsets)
            result.append(lengths | kinds)
        return result

    def _encoded(self, text: Text) -> tuple[Encoded | None, list[Encoded], list[Encoded]]:
        """Return source (None where it is not read), references and outputs as ids.

        They are kept for the needs of the same tokens that come later, and forgotten by the last of these.
        """
        mates = [
            need for need in text.needs if isinstance(need, OverlapNeeds) and need.tokenization == self.tokenization
        ]
        sources = [text.source] if text.source and any(need.source for need in [self, *mates]) else []
        shared = text.shared if text.shared is not None and self in mates else {}
        texts = [*text.references, *text.systems]
        try:
            encoded = shared.pop(self.tokenization, None) or self.tokenization.encode([*sources, *texts])
        except InvalidTextError:
            if self.source or not sources:
                raise
            encoded = self.tokenization.encode(texts)  # the source, which these needs do not read, may be the cause
            return None, encoded[: len(text.references)], encoded[len(text.references) :]
        if self in mates[:-1]:
            shared[self.tokenization] = encoded
        first, others = len(sources), len(sources) + len(text.references)
        return encoded[0] if self.source and sources else None, encoded[first:others], encoded[others:]

    def prepare(self, text: Text) -> PreparedOverlap | None:
        """Return source and references prepared; see `metrics/prepared.py`. None with a stemmer."""
        source = text.source if self.source else None
        tokens = self.tokenization.prepared(source, text.references)
        if tokens is None:
            return None
        lengths = None
        if self.source_len and source:
            lengths = np.diff(self.tokenization.encode([source])[0].offsets)
        return PreparedOverlap(tokens, self.order, self.kinds, lengths)


@dataclass(frozen=True)
class PreparedOverlap:
    """Source and references as tokens, with which the n-grams of outputs are counted."""

    tokens: PreparedTokens
    order: int
    kinds: tuple[str, ...]
    source_lengths: Ints | None
    """The tokens of each line of the source, if there is a column for them: int64 [lines]."""

    def count(self, outputs: Sequence[str], rows: Ints) -> dict[str, Ints]:
        """Return the columns of outputs, as Prepared.count() does."""
        columns = self.tokens.count(outputs, rows, self.order, self.kinds)
        if self.source_lengths is not None:
            columns["src_len"] = self.source_lengths[rows]
        return columns


def totals(text: Encoded, order: int) -> Ints:
    """Return how many n-grams of the orders 1 to `order` each line has: int64 [lines, order]."""
    compiled = kernel.formula("totals", "overlap")
    if compiled:
        return cast("Ints", compiled(text.offsets, order))
    return np.maximum(np.diff(text.offsets)[:, None] - np.arange(order), 0)


def shown_matches(columns: Columns) -> list[Counted]:
    """Return the lengths of output and references, and the matches with each reference, for reports."""
    lengths = [Counted("hyp_len", columns["hyp_len"]), Counted("ref_len", columns["ref_len"], per_reference=True)]
    return [*lengths, Counted("match", columns["match"], per_reference=True, orders=True)]
