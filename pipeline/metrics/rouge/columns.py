"""Columns of ROUGE: n-grams, subsequences and skip bigrams that outputs share with references."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import kernel
from ...arrays import Ints
from ...errors import InvalidTextError, LongTextError
from ...kernel.common import Allowed, Encoded, Lines, Sentences
from ...tokenizers import PreparedTokens, Tokenization
from ..base import Field, StatisticsSpec, Text
from ..base.statistics_spec import Gathered, lengths
from .texts import UNLIMITED_TEXT, Limit, Splitting, common
from .types import gap_name


@dataclass(frozen=True)
class RougeSpec(StatisticsSpec):
    """What the types of ROUGE count."""

    tokenization: Tokenization = field()
    splitting: Splitting
    order: int
    """The highest order of n-grams, or 0 for none."""
    parts: tuple[str, ...] = ()
    """Subsequences: lcs and weighted of whole texts, union and weighted_union over sentences."""
    gaps: tuple[int, ...] = ()
    """The gaps of skip bigrams."""
    lead: bool = False
    """Whether unigrams are counted without the last of each text, as the SU of ROUGE-1.5.5 needs
    them."""
    merged: bool = False
    """Whether references are merged by maximum counts, which is possible for n-grams and skip
    bigrams alone."""
    weight: str = ""
    """The weight of weighted subsequences, or an empty string if there are none."""
    source: bool = False
    limit: Limit = UNLIMITED_TEXT
    """How much of each text counts."""
    added_later = frozenset({"limit"})

    @property
    def key(self) -> str:
        """A name, safe in file names, that differs if columns can differ."""
        parts = ["rouge", f"n{self.order}", *self.parts, *self._skips]
        if self.lead:
            parts.append("lead")
        if self.merged:
            parts.append("merged")
        if self.limit.key:
            parts.append(self.limit.key)
        if self.weight:
            parts.append(f"w{self.weight}")
        return "-".join([*parts, self.splitting.key, self.tokenization.key])

    def unavailable(self) -> str | None:
        """Return why the stop words, or what splits sentences, cannot be used here, or None."""
        return super().unavailable() or self.splitting.unavailable()

    @property
    def _skips(self) -> dict[str, int]:
        """The gaps of skip bigrams by the names of their columns."""
        return {f"skip_{gap_name(gap)}": gap for gap in self.gaps}

    @property
    def _matches(self) -> dict[str, int]:
        """The columns of matches in n-grams and skip bigrams, with the number of orders of each."""
        matches = {}
        if self.order:
            matches["match"] = self.order
        if self.lead:
            matches["lead"] = 0
        for name in self._skips:
            matches[name] = 0
        return matches

    @cached_property
    def columns(self) -> tuple[Field, ...]:
        """The columns.

        For output and references there are the numbers of tokens and of sentences with a token, and
        whether the text has letters but no token. Matches and subsequences follow.
        """
        columns = [
            Field("hyp_len"),
            Field("hyp_sentences"),
            Field("hyp_emptied"),
        ]
        for name in ("ref_len", "ref_sentences", "ref_emptied"):
            columns.append(Field(name, per_reference=True))
        for name, orders in self._matches.items():
            columns.append(Field(name, orders, per_reference=not self.merged))
            if self.merged:
                columns.append(Field(f"{name}_total", orders))
        for part in self.parts:
            columns.append(
                Field(part, per_reference=True, real="weighted" in part)
            )
            if part == "weighted_union":
                columns.append(Field("base", per_reference=True, real=True))
            if part == "union" and self.limit.bytes:
                columns.append(Field("union_len", per_reference=True))
        return tuple(columns)

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count a shard. All texts become ids once, whatever the types are."""
        lines = [*text.references, *text.systems]
        encoded = self._encode(lines)
        first_system = len(text.references)
        references = encoded.texts[:first_system]
        systems = encoded.texts[first_system:]
        reference_tokens = [reference.as_lines for reference in references]
        system_tokens = [system.as_lines for system in systems]
        emptied = []
        for raw, sentences in zip(lines, encoded.texts, strict=True):
            emptied.append(_emptied(raw, sentences.as_lines))

        # columns that are the same for all systems
        shared: dict[str, NDArray[Any]] = {
            "ref_len": lengths(reference_tokens),
            "ref_sentences": np.stack(
                [_nonempty(text) for text in references], axis=-1
            ),
            "ref_emptied": np.stack(emptied[:first_system], axis=-1),
        }
        arrays = self._count_matches(reference_tokens, system_tokens, shared)
        allowed = None
        in_unions = encoded.for_unions or encoded.texts
        if encoded.for_unions:
            allowed = _allowed(reference_tokens, system_tokens)
        arrays |= self._count_subsequences(
            in_unions[:first_system], in_unions[first_system:], allowed, shared
        )

        result = []
        for number, system in enumerate(systems):
            columns = dict(shared)
            columns["hyp_len"] = np.diff(system.as_lines.offsets)
            columns["hyp_sentences"] = _nonempty(system)
            columns["hyp_emptied"] = emptied[first_system + number]
            for name, array in arrays.items():
                columns[name] = array[number]
            result.append(columns)
        return result

    def prepare(self, text: Text) -> "PreparedRouge | None":
        """Return the references prepared for many outputs.

        None unless n-grams and subsequences of entire texts are counted, which are split into
        sentences at newlines or not at all.
        """
        if self.splitting.mode not in ("newline", "none"):
            return None
        other_parts = set(self.parts) - {"lcs"}
        if (
            any(self.limit)
            or self.gaps
            or self.lead
            or self.merged
            or other_parts
        ):
            return None
        tokens = self.tokenization.prepared(None, text.references)
        if tokens is None:
            return None
        newlines = self.splitting.mode == "newline"
        fixed = {}
        if not newlines or any(
            b"\n" in reference.data for reference in text.references
        ):
            (columns,) = self.count(text._replace(systems=[text.references[0]]))
            fixed = {
                name: columns[name] for name in ("ref_sentences", "ref_emptied")
            }
        gathered = Gathered(self, text._replace(source=None))
        return PreparedRouge(
            tokens, self.order, "lcs" in self.parts, fixed, newlines, gathered
        )

    def _encode(self, texts: Sequence[Lines]) -> "EncodedSentences":
        """Return the ids of texts, sentence by sentence."""
        sentences = []
        firsts = []
        for number, text in enumerate(texts):
            try:
                lines, first = self.splitting.split(text)
            except InvalidTextError as error:
                raise InvalidTextError(number, error.line, error.byte) from None
            except LongTextError as error:
                raise LongTextError(number, error.line, error.message) from None
            sentences.append(lines)
            firsts.append(first)
        cut = [
            self.limit.cut(*split)
            for split in zip(sentences, firsts, strict=True)
        ]
        if self.limit.bytes and self.parts:
            cut += [
                self.limit.cut_each(*split)
                for split in zip(sentences, firsts, strict=True)
            ]
        try:
            encoded = self.tokenization.encode(cut)
        except InvalidTextError as error:
            # error.line is the number of a sentence
            number = error.text % len(texts)
            line = (
                int(
                    np.searchsorted(
                        firsts[number],
                        error.line,
                        side="right",
                    )
                )
                - 1
            )
            raise InvalidTextError(number, line, error.byte) from None
        result = []
        for number, ids in enumerate(encoded):
            result.append(Sentences(*ids, firsts[number % len(texts)]))
        return EncodedSentences(result[: len(texts)], result[len(texts) :])

    def _count_matches(
        self,
        references: list[Encoded],
        systems: list[Encoded],
        shared: dict[str, Ints],
    ) -> dict[str, Ints]:
        """Return matches of n-grams and skip bigrams [systems, lines, ...].

        Totals of merged references are put into `shared`.
        """
        skips = self._skips
        arrays = {}
        for name, orders in self._matches.items():
            if name in skips and self.merged:
                arrays[name], total = kernel.skip_bigrams(
                    references, systems, skips[name]
                )
                shared[f"{name}_total"] = total
            elif name in skips:
                matches = []
                for reference in references:
                    match, _ = kernel.skip_bigrams(
                        [reference], systems, skips[name]
                    )
                    matches.append(match)
                arrays[name] = np.stack(matches, axis=-1)
            else:
                texts = (references, systems)
                if name == "lead":
                    texts = (
                        [_lead(text) for text in references],
                        [_lead(text) for text in systems],
                    )
                kinds = ("union_match", "added") if self.merged else ("match",)
                counts = kernel.overlap(None, *texts, max(orders, 1), kinds)
                order = slice(None) if orders else 0
                arrays[name] = counts[kinds[0]][..., order]
                if self.merged:
                    shared[f"{name}_total"] = counts["added"][0][..., order]
        return arrays

    def _count_subsequences(
        self,
        references: list[Sentences],
        systems: list[Sentences],
        allowed: Allowed | None,
        shared: dict[str, NDArray[Any]],
    ) -> dict[str, NDArray[Any]]:
        """Return the subsequences [systems, lines, references].

        Totals of references are put into `shared`. `allowed` are the tokens that unions may hit;
        see union_lcs() of the kernel.
        """
        reference_tokens = [reference.as_lines for reference in references]
        system_tokens = [system.as_lines for system in systems]
        powers = np.zeros(0)
        if self.weight:
            powers = _powers(
                [*reference_tokens, *system_tokens], float(self.weight)
            )
        arrays: dict[str, NDArray[Any]] = {}
        for part in self.parts:
            if part == "lcs":
                arrays[part] = kernel.lcs(reference_tokens, system_tokens)
            elif part == "union":
                arrays[part] = kernel.union_lcs(references, systems, allowed)
                if allowed:
                    shared["union_len"] = lengths(reference_tokens)
            elif part == "weighted":
                arrays[part] = kernel.weighted_lcs(references, systems, powers)
            else:
                arrays[part], shared["base"] = kernel.weighted_union(
                    references, systems, powers, allowed
                )
        return arrays


class EncodedSentences(NamedTuple):
    """The ids of texts, sentence by sentence."""

    texts: list[Sentences]
    for_unions: list[Sentences]
    """The texts as unions of subsequences read them, if the script cuts them in another way for L
    and W (see Limit.cut_each()); else empty."""


def _allowed(references: list[Encoded], systems: list[Encoded]) -> Allowed:
    """Return the tokens that each system shares with each reference."""
    allowed = []
    for system in systems:
        allowed.append([common(reference, system) for reference in references])
    return allowed


def _powers(texts: Sequence[Encoded], weight: float) -> NDArray[np.float64]:
    """Return k ** weight for k from 0 to the number of tokens of the longest line."""
    longest = max(int(np.diff(text.offsets).max(initial=0)) for text in texts)
    return np.array([float(k) ** weight for k in range(longest + 1)])


@dataclass(frozen=True)
class PreparedRouge:
    """References as words, with which n-grams and subsequences of outputs are counted."""

    tokens: PreparedTokens
    order: int
    subsequences: bool
    fixed: dict[str, Ints]
    """Columns that do not depend on the output, int64 [lines, references]. Empty: each reference is
    one sentence."""
    newlines: bool
    """Whether newlines end a sentence."""
    gathered: Gathered

    def count(self, outputs: Sequence[str], rows: Ints) -> dict[str, Ints]:
        """Return the columns of outputs, as Prepared.count() does."""
        if self.newlines and any("\n" in output for output in outputs):
            return self.gathered.count(outputs, rows)
        kinds = ("match",) if self.order else ()
        columns = self.tokens.count(
            outputs, rows, self.order or 1, kinds, self.subsequences
        )
        del columns["total"]
        ref_len = columns["ref_len"]
        if self.fixed:
            for name, column in self.fixed.items():
                columns[name] = column[rows]
        elif not ref_len.all():  # a reference without words may have letters
            return self.gathered.count(outputs, rows)
        else:
            columns["ref_sentences"] = np.ones(ref_len.shape, np.int64)
            columns["ref_emptied"] = np.zeros(ref_len.shape, np.int64)
        nonempty = columns["hyp_len"] > 0
        columns["hyp_sentences"] = nonempty.astype(np.int64)
        emptied = np.zeros(len(nonempty), np.int64)
        if not nonempty.all():
            for number in np.flatnonzero(~nonempty).tolist():
                emptied[number] = _has_letters(outputs[number])
        columns["hyp_emptied"] = emptied
        return columns


def _nonempty(text: Sentences) -> Ints:
    """Return how many sentences of each line have a token: int64 [lines]."""
    counts = np.concatenate(
        ([0], np.cumsum(np.diff(text.offsets) > 0, dtype=np.int64))
    )
    return np.diff(counts[text.firsts])


def _has_letters(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _emptied(lines: Lines, encoded: Encoded) -> Ints:
    """Return whether a line has letters or digits and yet no token: int64 [lines]."""
    result = np.zeros(len(lines.starts), np.int64)
    without_token = (np.diff(encoded.offsets) == 0) & (
        lines.ends > lines.starts
    )
    for line in np.flatnonzero(without_token).tolist():
        text = lines.data[lines.starts[line] : lines.ends[line]].decode()
        result[line] = _has_letters(text)
    return result


def _lead(text: Encoded) -> Encoded:
    """Return lines without their last token."""
    lengths = np.diff(text.offsets)
    size = int(text.offsets[-1])
    is_lead = np.ones(size, bool)
    is_lead[text.offsets[1:][lengths > 0] - 1] = False
    offsets = np.concatenate(
        (np.zeros(1, np.int64), np.cumsum(np.maximum(lengths - 1, 0)))
    )
    return Encoded(text.ids[:size][is_lead], offsets)
