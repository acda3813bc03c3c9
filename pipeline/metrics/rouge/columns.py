"""Columns of ROUGE: what outputs share with references in n-grams, subsequences and skip bigrams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import kernel
from ...errors import InvalidTextError
from ...kernel.common import Encoded, Sentences
from ..base.columns import Field, Schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ...arrays import Ints
    from ...kernel.lines import Lines
    from ...tokenizers.tokenization import Tokenization
    from ..base.metric import Text
    from .sentences import Splitting

UNLIMITED = -1
"""The gap of skip bigrams that may have any number of tokens between them."""


@dataclass(frozen=True)
class RougeNeeds:
    """What the types of ROUGE count: n-grams up to order, subsequences (parts), skip bigrams of some gaps.

    parts: lcs and weighted (of whole texts), union and weighted_union (over sentences); lead: unigrams but the last
    of each text, which the SU of ROUGE-1.5.5 counts; merged: references merged by maximum count (n-grams and skip
    bigrams alone).
    """

    tokenization: Tokenization
    splitting: Splitting
    order: int
    parts: tuple[str, ...] = ()
    gaps: tuple[int, ...] = ()
    lead: bool = False
    merged: bool = False
    weight: str = ""
    source: bool = False

    @property
    def key(self) -> str:
        """A name that differs whenever the columns can."""
        gaps = [f"skip_{gap_name(gap)}" for gap in self.gaps]
        flags = [*(["lead"] if self.lead else []), *(["merged"] if self.merged else [])]
        weight = [f"w{self.weight}"] if self.weight else []
        names = ["rouge", f"n{self.order}", *self.parts, *gaps, *flags, *weight, self.splitting.key]
        return "-".join([*names, self.tokenization.key])

    @property
    def identity(self) -> str:
        """The text that stands for these columns in the keys of stored counts."""
        texts = f"tokenization={self.tokenization.identity}, splitting={self.splitting.identity}"
        counted = f"order={self.order}, parts={self.parts!r}, gaps={self.gaps!r}, lead={self.lead}"
        return f"RougeNeeds({texts}, {counted}, merged={self.merged}, weight={self.weight!r}, source={self.source})"

    @property
    def _counted(self) -> dict[str, int]:
        """Names of what is matched in n-grams and skip bigrams, and how many orders each has."""
        skips = {f"skip_{gap_name(gap)}": 0 for gap in self.gaps}
        return ({"match": self.order} if self.order else {}) | ({"lead": 0} if self.lead else {}) | skips

    def schema(self, references: int) -> Schema:
        """Return tokens, sentences with a token, and whether a text lost all its letters; then what is asked for."""
        fields = [Field("hyp_len"), Field("hyp_sentences"), Field("hyp_emptied")]
        fields += [Field(name, per_reference=True) for name in ("ref_len", "ref_sentences", "ref_emptied")]
        for name, orders in self._counted.items():
            fields.append(Field(name, orders, per_reference=not self.merged))
            fields += [Field(f"{name}_total", orders)] if self.merged else []
        for part in self.parts:
            fields.append(Field(part, per_reference=True, real="weighted" in part))
            fields += [Field("base", per_reference=True, real=True)] if part == "weighted_union" else []
        return Schema(tuple(fields), references)

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count a shard: all texts become ids once, whatever the types."""
        lines = [*text.references, *text.systems]
        read = self._read(lines)
        emptied = [_emptied(raw, found.whole) for raw, found in zip(lines, read, strict=True)]
        cut = len(text.references)
        references, systems = read[:cut], read[cut:]
        shared = {"ref_len": _stacked([np.diff(found.whole.offsets) for found in references])}
        shared |= {"ref_sentences": _stacked([_full(found) for found in references])}
        shared |= {"ref_emptied": _stacked(emptied[:cut])}
        arrays = self._matches([found.whole for found in references], [found.whole for found in systems])
        arrays |= self._subsequences(references, systems)
        result = []
        for number, system in enumerate(systems):
            own = {"hyp_len": np.diff(system.whole.offsets), "hyp_sentences": _full(system)}
            columns = {name: array if name.endswith(ONE) else array[number] for name, array in arrays.items()}
            columns = {name.removesuffix(ONE): array for name, array in columns.items()}
            result.append(shared | own | {"hyp_emptied": emptied[cut + number]} | columns)
        return result

    def _read(self, texts: Sequence[Lines]) -> list[Sentences]:
        """Return the ids of texts, sentence by sentence."""
        split = []
        for number, text in enumerate(texts):
            try:
                split.append(self.splitting.split(text))
            except InvalidTextError as error:
                raise InvalidTextError(number, error.line, error.byte) from None
        try:
            encoded = self.tokenization.encode([sentences for sentences, _ in split])
        except InvalidTextError as error:  # it counts sentences: tell the line
            line = int(np.searchsorted(split[error.text][1], error.line, side="right")) - 1
            raise InvalidTextError(error.text, line, error.byte) from None
        return [Sentences(*ids, firsts) for ids, (_, firsts) in zip(encoded, split, strict=True)]

    def _matches(self, references: list[Encoded], systems: list[Encoded]) -> dict[str, Ints]:
        """Count n-grams and skip bigrams: [systems, lines, ...]; totals of merged references are the same for all."""
        arrays = {}
        for name, orders in self._counted.items():
            if name.startswith("skip"):
                gap = next(gap for gap in self.gaps if name == f"skip_{gap_name(gap)}")
                match, total = _skipped(references, systems, gap, self.merged)
            else:
                one, two = ([_lead(t) for t in part] if name == "lead" else part for part in (references, systems))
                match, total = _ngrams(one, two, max(orders, 1), self.merged)
                if not orders:
                    match, total = match[..., 0], total[..., 0]
            arrays[name] = match
            if self.merged:
                arrays[f"{name}_total{ONE}"] = total
        return arrays

    def _subsequences(self, references: list[Sentences], systems: list[Sentences]) -> dict[str, NDArray[Any]]:
        arrays: dict[str, NDArray[Any]] = {}
        powers = _powers([*references, *systems], float(self.weight)) if self.weight else np.zeros(0)
        whole = [found.whole for found in references], [found.whole for found in systems]
        for part in self.parts:
            if part == "lcs":
                arrays[part] = kernel.lcs(*whole)
            elif part == "union":
                arrays[part] = kernel.union_lcs(references, systems)
            elif part == "weighted":
                arrays[part] = kernel.weighted_lcs(references, systems, powers)
            else:
                arrays[part], arrays[f"base{ONE}"] = kernel.weighted_union(references, systems, powers)
        return arrays


ONE = "/one"
"""Ends the names of arrays that are the same for all systems."""


def gap_name(gap: int) -> str:
    """Return how a gap is called in the names of columns."""
    return "all" if gap == UNLIMITED else str(gap)


def _ngrams(references: list[Encoded], systems: list[Encoded], order: int, merged: bool) -> tuple[Ints, Ints]:
    """Return matches [systems, lines, (references,) order], and totals of merged references [lines, order]."""
    kinds = ("union_match", "added") if merged else ("match",)
    counts = kernel.overlap(None, references, systems, order, kinds)
    if not merged:
        return counts["match"], np.zeros((0, order), np.int64)
    return counts["union_match"], counts["added"][0]


def _skipped(references: list[Encoded], systems: list[Encoded], gap: int, merged: bool) -> tuple[Ints, Ints]:
    if merged:
        return kernel.skip_bigrams(references, systems, gap)
    alone = [kernel.skip_bigrams([reference], systems, gap) for reference in references]
    return np.stack([match for match, _ in alone], axis=-1), alone[0][1]


def _stacked(arrays: Sequence[Ints]) -> Ints:
    return np.stack(arrays, axis=-1)


def _full(text: Sentences) -> Ints:
    """Return how many sentences of each line have a token: int64 [lines]."""
    counts = np.concatenate(([0], np.cumsum(np.diff(text.offsets) > 0, dtype=np.int64)))
    return np.diff(counts[text.firsts])


def _emptied(lines: Lines, encoded: Encoded) -> Ints:
    """Return whether a line has letters or digits and yet no token: int64 [lines]."""
    result = np.zeros(len(lines.starts), np.int64)
    for line in np.flatnonzero((np.diff(encoded.offsets) == 0) & (lines.ends > lines.starts)).tolist():
        text = lines.data[lines.starts[line] : lines.ends[line]].decode()
        result[line] = any(character.isalnum() for character in text)
    return result


def _lead(text: Encoded) -> Encoded:
    """Return lines without their last token."""
    sizes = np.maximum(np.diff(text.offsets) - 1, 0)
    kept = np.ones(int(text.offsets[-1]), bool)
    kept[text.offsets[1:][np.diff(text.offsets) > 0] - 1] = False
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
    return Encoded(text.ids[: int(text.offsets[-1])][kept], offsets)


def _powers(texts: Sequence[Sentences], weight: float) -> NDArray[np.float64]:
    """Return k ** weight for k from 0 to the tokens of the longest line."""
    longest = max(int(np.diff(text.whole.offsets).max(initial=0)) for text in texts)
    return np.array([float(k) ** weight for k in range(longest + 1)])
