"""Columns of ROUGE: n-grams, subsequences and skip bigrams that outputs share with references."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import kernel
from ...arrays import Ints
from ...errors import InvalidTextError, LongTextError
from ...kernel.common import Allowed, Encoded, Lines, Sentences
from ...tokenizers.tokenization import PreparedTokens, Tokenization
from ..base.statistics_spec import Columns, Field, StatisticsSpec, Text
from ..prepared import Gathered
from .texts import UNLIMITED_TEXT, Limit, Splitting, common

Numbers = NDArray[Any]


UNLIMITED = -1
"""The gap of skip bigrams that may have any number of tokens between them."""


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
    added_later: ClassVar[frozenset[str]] = frozenset({"limit"})

    @property
    def key(self) -> str:
        """A name, safe in file names. It is different for any two needs whose columns can differ."""
        gaps = [f"skip_{gap_name(gap)}" for gap in self.gaps]
        flags = ["lead"] * self.lead + ["merged"] * self.merged + [*filter(None, [self.limit.key])]
        weight = [f"w{self.weight}"] if self.weight else []
        names = ["rouge", f"n{self.order}", *self.parts, *gaps, *flags, *weight, self.splitting.key]
        return "-".join([*names, self.tokenization.key])

    def unavailable(self) -> str | None:
        """Return why the stop words, or what splits sentences, cannot be used here, or None."""
        return super().unavailable() or self.splitting.unavailable()

    @property
    def _counted(self) -> dict[str, int]:
        """The columns of matches in n-grams and skip bigrams, with the number of orders of each."""
        skips = {f"skip_{gap_name(gap)}": 0 for gap in self.gaps}
        return (
            ({"match": self.order} if self.order else {})
            | ({"lead": 0} if self.lead else {})
            | skips
        )

    @cached_property
    def columns(self) -> tuple[Field, ...]:
        """The columns.

        For output and references there are the numbers of tokens and of sentences with a token, and
        whether the text has letters but no token. What is asked for follows."""
        fields = [Field("hyp_len"), Field("hyp_sentences"), Field("hyp_emptied")]
        fields += [
            Field(name, per_reference=True) for name in ("ref_len", "ref_sentences", "ref_emptied")
        ]
        for name, orders in self._counted.items():
            fields.append(Field(name, orders, per_reference=not self.merged))
            fields += [Field(f"{name}_total", orders)] if self.merged else []
        for part in self.parts:
            fields.append(Field(part, per_reference=True, real="weighted" in part))
            fields += (
                [Field("base", per_reference=True, real=True)] if part == "weighted_union" else []
            )
            fields += (
                [Field("union_len", per_reference=True)]
                if part == "union" and self.limit.bytes
                else []
            )
        return tuple(fields)

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count a shard. All texts become ids once, whatever the types are."""
        lines = [*text.references, *text.systems]
        encoded, apart = self._encode(lines)
        emptied = [_emptied(raw, ids.whole) for raw, ids in zip(lines, encoded, strict=True)]
        cut = len(text.references)
        references, systems = encoded[:cut], encoded[cut:]
        shared = {
            "ref_len": np.stack(
                [np.diff(reference.whole.offsets) for reference in references], axis=-1
            )
        }
        shared |= {
            "ref_sentences": np.stack([_full(reference) for reference in references], axis=-1)
        }
        shared |= {"ref_emptied": np.stack(emptied[:cut], axis=-1)}
        wholes = [reference.whole for reference in references], [system.whole for system in systems]
        arrays = self._matches(*wholes, shared)
        allowed = (
            [[common(one.whole, two.whole) for one in references] for two in systems]
            if apart
            else None
        )
        arrays |= self._subsequences(
            *((apart[:cut], apart[cut:]) if apart else (references, systems)), allowed, shared
        )
        result = []
        for number, system in enumerate(systems):
            own = {"hyp_len": np.diff(system.whole.offsets), "hyp_sentences": _full(system)}
            columns = {name: array[number] for name, array in arrays.items()}
            result.append(shared | own | {"hyp_emptied": emptied[cut + number]} | columns)
        return result

    def prepare(self, text: Text) -> "PreparedRouge | None":
        """Return the references prepared; see `metrics/prepared.py`.

        None for all but n-grams and subsequences of whole texts, which are split into sentences at
        newlines or nowhere."""
        newlines = self.splitting.mode == "newline"
        more = any(self.limit) or self.gaps or self.lead or self.merged or set(self.parts) - {"lcs"}
        if more or self.splitting.mode not in ("newline", "none"):
            return None
        tokens = self.tokenization.prepared(None, text.references)
        if tokens is None:
            return None
        fixed = {}
        if any(b"\n" in reference.data for reference in text.references) or not newlines:
            (columns,) = self.count(text._replace(systems=[text.references[0]]))
            fixed = {name: columns[name] for name in ("ref_sentences", "ref_emptied")}
        gathered = Gathered(self, text._replace(source=None))
        return PreparedRouge(tokens, self.order, "lcs" in self.parts, fixed, newlines, gathered)

    def _encode(self, texts: Sequence[Lines]) -> tuple[list[Sentences], list[Sentences]]:
        """Return the ids of texts, sentence by sentence, and those that unions of subsequences see
        where they differ.

        These are the texts that the script cuts in another way for L and W; see Limit.cut_each().
        Else there are none."""
        split = []
        for number, text in enumerate(texts):
            try:
                split.append(self.splitting.split(text))
            except InvalidTextError as error:
                raise InvalidTextError(number, error.line, error.byte) from None
            except LongTextError as error:
                raise LongTextError(number, error.line, error.message) from None
        cut = [self.limit.cut(*one) for one in split]
        if self.limit.bytes and self.parts:
            cut += [self.limit.cut_each(*one) for one in split]
        try:
            encoded = self.tokenization.encode(cut)
        except InvalidTextError as error:  # error.line is the number of a sentence
            number = error.text % len(texts)
            line = int(np.searchsorted(split[number][1], error.line, side="right")) - 1
            raise InvalidTextError(number, line, error.byte) from None
        result = [
            Sentences(*ids, split[number % len(texts)][1]) for number, ids in enumerate(encoded)
        ]
        return result[: len(texts)], result[len(texts) :]

    def _matches(
        self, references: list[Encoded], systems: list[Encoded], shared: dict[str, Ints]
    ) -> dict[str, Ints]:
        """Return matches of n-grams and skip bigrams [systems, lines, ...]; totals of merged ones
        go to `shared`.
        """
        arrays = {}
        for name, orders in self._counted.items():
            if name.startswith("skip"):
                gap = next(gap for gap in self.gaps if name == f"skip_{gap_name(gap)}")
                if self.merged:
                    match, total = kernel.skip_bigrams(references, systems, gap)
                else:
                    each = [
                        kernel.skip_bigrams([reference], systems, gap)[0]
                        for reference in references
                    ]
                    match = np.stack(each, axis=-1)
            else:
                texts = (references, systems)
                if name == "lead":
                    texts = [_lead(text) for text in references], [_lead(text) for text in systems]
                kinds = ("union_match", "added") if self.merged else ("match",)
                counts = kernel.overlap(None, *texts, max(orders, 1), kinds)
                match = counts[kinds[0]] if orders else counts[kinds[0]][..., 0]
                if self.merged:
                    total = counts["added"][0] if orders else counts["added"][0, ..., 0]
            arrays[name] = match
            if self.merged:
                shared[f"{name}_total"] = total
        return arrays

    def _subsequences(
        self,
        references: list[Sentences],
        systems: list[Sentences],
        allowed: Allowed | None,
        shared: dict[str, NDArray[Any]],
    ) -> dict[str, NDArray[Any]]:
        """Return the subsequences [systems, lines, references]; put totals of references in
        `shared`.

        `allowed` are the tokens that unions may hit; see union_lcs() of the kernel.
        """
        arrays: dict[str, NDArray[Any]] = {}
        powers = np.zeros(0)
        if self.weight:  # k ** weight for k from 0 to the tokens of the longest line
            longest = max(
                int(np.diff(text.whole.offsets).max(initial=0)) for text in (*references, *systems)
            )
            powers = np.array([float(k) ** float(self.weight) for k in range(longest + 1)])
        whole = [reference.whole for reference in references], [system.whole for system in systems]
        for part in self.parts:
            if part == "lcs":
                arrays[part] = kernel.lcs(*whole)
            elif part == "union":
                arrays[part] = kernel.union_lcs(references, systems, allowed)
                if allowed:
                    sizes = [np.diff(reference.whole.offsets) for reference in references]
                    shared["union_len"] = np.stack(sizes, axis=-1)
            elif part == "weighted":
                arrays[part] = kernel.weighted_lcs(references, systems, powers)
            else:
                arrays[part], shared["base"] = kernel.weighted_union(
                    references, systems, powers, allowed
                )
        return arrays


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
        columns = self.tokens.count(outputs, rows, self.order or 1, kinds, self.subsequences)
        del columns["total"]
        hyp_len, ref_len = columns["hyp_len"], columns["ref_len"]
        if self.fixed:
            columns |= {name: column[rows] for name, column in self.fixed.items()}
        elif not ref_len.all():  # a reference without words may have letters
            return self.gathered.count(outputs, rows)
        else:
            shape = ref_len.shape
            columns |= {
                "ref_sentences": np.ones(shape, np.int64),
                "ref_emptied": np.zeros(shape, np.int64),
            }
        full = hyp_len > 0
        columns |= {
            "hyp_sentences": full.astype(np.int64),
            "hyp_emptied": np.zeros(len(full), np.int64),
        }
        if not full.all():
            for number in np.flatnonzero(~full).tolist():
                columns["hyp_emptied"][number] = any(
                    character.isalnum() for character in outputs[number]
                )
        return columns


def gap_name(gap: int) -> str:
    """Return the name of a gap in the names of columns."""
    return "all" if gap == UNLIMITED else str(gap)


def _full(text: Sentences) -> Ints:
    """Return how many sentences of each line have a token: int64 [lines]."""
    counts = np.concatenate(([0], np.cumsum(np.diff(text.offsets) > 0, dtype=np.int64)))
    return np.diff(counts[text.firsts])


def _emptied(lines: Lines, encoded: Encoded) -> Ints:
    """Return whether a line has letters or digits and yet no token: int64 [lines]."""
    result = np.zeros(len(lines.starts), np.int64)
    for line in np.flatnonzero(
        (np.diff(encoded.offsets) == 0) & (lines.ends > lines.starts)
    ).tolist():
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


# The types of ROUGE (1 to 9, L, Lsum, W, S, SU), with the matches and totals of each.


PATTERN = r"(?:[1-9]|L|Lsum|W|SU?[0-9]{0,4})"


class Overlap(NamedTuple):
    """Matches and totals of one type, with each reference or with merged references: [lines,
    references or 1] each.
    """

    match: Numbers
    reference: Numbers
    """The total of the reference."""
    output: Numbers
    """The total of the output."""


class Type(NamedTuple):
    """A type of ROUGE, such as 1, Lsum or SU4."""

    name: str
    """The name, as in the output rouge{name}."""
    family: str
    """n, L, Lsum, W, S or SU."""
    number: int = 0
    """The order of the family n, the gap of S and SU."""

    @property
    def order(self) -> int:
        """The order of its n-grams, or 0 for other families."""
        return self.number if self.family == "n" else 0

    @property
    def weighted(self) -> bool:
        """Whether the counts are float64 weights."""
        return self.family == "W"


def read_types(text: str) -> list[Type]:
    """Return the types of a text such as 1+2+L+SU4."""
    types = []
    for name in text.split("+"):
        skip = re.fullmatch(r"(SU|S)([0-9]*)", name)
        if skip:
            types.append(Type(name, skip[1], int(skip[2]) if skip[2] else UNLIMITED))
        else:
            types.append(Type(name, "n", int(name)) if name.isdigit() else Type(name, name))
    return types


def subsequence_of(kind: Type, script: bool) -> str:
    """Return which subsequence a type needs, or an empty string. ROUGE-1.5.5 takes unions over
    sentences.
    """
    names = {
        "L": "union" if script else "lcs",
        "Lsum": "union",
        "W": "weighted_union" if script else "weighted",
    }
    return names.get(kind.family, "")


def overlap_of(kind: Type, columns: Columns, script: bool, merged: bool, weight: str) -> Overlap:
    """Return the matches and totals of a type, in ROUGE-1.5.5 if `script` is true.

    The source is Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries". For W,
    ROUGE-1.5.5 applies the weight once more to the sum of the weights of sentences. For SU, it
    leaves out the last unigram of each text."""
    ref_len, hyp_len = columns["ref_len"], columns["hyp_len"][:, None]
    if kind.family == "W":
        power = float(weight)
        base = columns["base"] if script else ref_len.astype(np.float64)
        match = columns["weighted_union" if script else "weighted"]
        return Overlap(
            match, base**power, np.broadcast_to(hyp_len.astype(np.float64) ** power, match.shape)
        )
    if kind.family in ("L", "Lsum"):
        match, ref_len = columns[subsequence_of(kind, script)], columns.get("union_len", ref_len)
    elif merged:
        match, total = (_grams(kind, columns, script, end)[:, None] for end in ("", "_total"))
        return Overlap(match, total, _total(kind, hyp_len, script))
    else:
        match = _grams(kind, columns, script)
    output = np.broadcast_to(_total(kind, hyp_len, script), match.shape)
    return Overlap(match, _total(kind, ref_len, script), output)


def _grams(kind: Type, columns: Columns, script: bool, end: str = "") -> Ints:
    """Return the matches of n-grams or skip bigrams, or the totals of merged references, whose
    columns have an end.
    """
    if kind.family == "n":
        return columns[f"match{end}"][..., kind.number - 1]
    counts = columns[f"skip_{gap_name(kind.number)}{end}"]
    if kind.family == "SU":
        counts = counts + (columns[f"lead{end}"] if script else columns[f"match{end}"][..., 0])
    return counts


def _total(kind: Type, sizes: Ints, script: bool) -> Ints:
    if kind.family == "n":
        return np.maximum(sizes - kind.number + 1, 0)
    if kind.family in ("L", "Lsum"):
        return sizes
    reach = np.maximum(sizes - 1, 0)
    if kind.number != UNLIMITED:
        reach = np.minimum(reach, kind.number + 1)
    bigrams = (
        reach * sizes - reach * (reach + 1) // 2
    )  # the sum of size - distance over the allowed distances
    total: Ints = bigrams + (np.maximum(sizes - script, 0) if kind.family == "SU" else 0)
    return total
