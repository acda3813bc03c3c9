"""What errant_compare prints of two M2 files, to the character: totals, categories, and the choice
of annotators.

First comes what is compared: the keys of edits, which depend on what counts as equal, and hits and
misses. The source is errant_compare of the package errant, version 3.0.2. Versions since 2.0.0
print the same, but for what -v adds."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import chain
from operator import add
from typing import NamedTuple, TypeAlias

from . import m2_files
from .m2_files import PREFIXES, Annotated, Edit

Keys: TypeAlias = "dict[tuple[int | str, ...], list[str]]"
"""The types of the edits of an annotator, by their keys, in the order of the file."""

MODES = ("cs", "cse", "ds", "dt")
"""Correction by span; the same and by type; detection by span; detection by token."""
CHERRANT = "cherrant"
STYLES = ("errant", CHERRANT)
"""Corrections as they stand in the files; or without blanks, as ChERRANT compares Chinese ones."""
UNJUDGED = "NA"
"""In ChERRANT's files the type of a sentence that the annotator did not judge."""
NOOP, UNKNOWN = "noop", "UNK"
WORDS = 2
"""From so many words on an edit is a multi-word edit."""


class Hits(NamedTuple):
    """Hits and misses of an output against an annotator, by type."""

    tp: list[str]
    """The annotator's types of edits that both have."""
    fp: list[str]
    """The types of edits that only the output has."""
    fn: list[str]
    """The types of edits that only the annotator has."""


@dataclass(frozen=True)
class Comparison:
    """Which edits are compared, and what makes two edits equal."""

    mode: str = "cs"
    """One of MODES."""
    single: bool = False
    """Whether edits of several words are left out."""
    multi: bool = False
    """Whether edits of one word are left out."""
    left_out: tuple[str, ...] = ()
    """The types that are left out."""
    style: str = "errant"
    """One of STYLES."""

    def by_key(self, edits: Iterable[Edit]) -> dict[tuple[int | str, ...], list[Edit]]:
        """Return an annotator's edits that are compared, by what makes two of them equal."""
        by_key: dict[tuple[int | str, ...], list[Edit]] = {}
        for edit in edits:
            for key in self.keys_of(edit):
                by_key.setdefault(key, []).append(edit)
        return by_key

    def keys(self, edits: Iterable[Edit]) -> Keys:
        """Return the types of an annotator's edits by their keys."""
        return {key: [edit.type for edit in own] for key, own in self.by_key(edits).items()}

    def keys_of(self, edit: Edit) -> list[tuple[int | str, ...]]:
        """Return the keys of an edit: none where it is left out, and several where each of its
        tokens counts.
        """
        if edit.type in self.left_out or (edit.type == UNKNOWN and self.mode in ("cs", "cse")):
            return []  # an unknown one is detected, but not corrected
        start, end, correction = edit.start, edit.end, edit.correction
        if self.style == CHERRANT:
            correction = correction.replace(" ", "")
        if self.single or self.multi:
            long = end - start >= WORDS or len(correction.split()) >= WORDS
            if (self.single and long) or (self.multi and not long):
                return []
        if self.mode == "cs":
            return [(start, end, correction)]
        if self.mode == "cse":
            return [(start, end, edit.type, correction)]
        if self.mode == "ds":
            return [(start, end)]
        if start == -1:
            return [(-1, -1)]
        # an insertion is charged to the token on its right
        return (
            [(token, token + 1) for token in range(start, end)]
            if start != end
            else [(start, start + 1)]
        )


def compare(output: Keys, annotator: Keys) -> Hits:
    """Return the hits and misses. An edit that both have is filed under the annotator's type."""
    hits = Hits([], [], [])
    for key, types in output.items():
        if types[0] != NOOP:
            if key in annotator:
                hits.tp.extend(annotator[key])
            else:
                hits.fp.extend(types)
    for key, types in annotator.items():
        if types[0] != NOOP and key not in output:
            hits.fn.extend(types)
    return hits


def category(type_: str, tier: int) -> str:
    """Return the category of a type: tier 1 is M, R or U, tier 2 is such as NOUN:NUM, and tier 3 is
    the whole type.

    A type that is not ERRANT's, such as ArtOrDet, is a category of its own.
    """
    if tier == 3 or not type_.startswith(PREFIXES) or type_ in PREFIXES:
        return type_
    return type_[:1] if tier == 1 else type_[2:]


def precision_recall_f(tp: float, fp: float, fn: float, beta: float) -> tuple[float, float, float]:
    """Return precision, recall and F-beta of counts, with the operations of errant_compare in their
    order.

    F is 0 where its denominator is. There errant_compare ends with an error if beta is 0.
    """
    precision, recall = tp / (tp + fp) if fp else 1.0, tp / (tp + fn) if fn else 1.0
    below = beta**2 * precision + recall
    return precision, recall, (1 + beta**2) * precision * recall / below if below else 0.0


def preference(totals: Sequence[int], counts: Sequence[int], beta: float) -> tuple[float, ...]:
    """Return what is greatest for the annotator that errant_compare takes for a sentence; of
    equals, the first.

    `totals` are tp, fp and fn of the sentences before, and `counts` those of the sentence with the
    annotator."""
    tp, fp, fn = map(add, totals, counts)
    return round(precision_recall_f(tp, fp, fn, beta)[2], 4), counts[0], -counts[1], -counts[2]


def is_of(type_: str, patterns: tuple[str, ...]) -> bool:
    """Return whether a type is one of some types, categories of a tier, or patterns such as
    R:VERB*.
    """
    names = {category(type_, tier) for tier in (1, 2, 3)}
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


TITLES = {
    "cs": "Span-Based Correction",
    "cse": "Span-Based Correction + Classification",
    "ds": "Span-Based Detection",
    "dt": "Token-Based Detection",
}
"""What is compared, by the modes of Comparison."""
WIDE, NARROW = 66, 46
"""The widths of the tables of categories and of totals."""
RULE = "-" * 40
"""What parts the sentences and pairs of annotators that the option -v prints."""
NOTHING = m2_files.edit_of(m2_files.NOOP, "", 0)
"""What a sentence without edits stands for."""
WHOLE = 3
"""The tier of categories that are whole types."""


class Pair(NamedTuple):
    """An annotator of the output and one of the reference, compared for a sentence."""

    output: int
    """The number of the output's annotator."""
    reference: int
    """The number of the reference's annotator."""
    keys: tuple[Keys, Keys]
    """The edits of both."""
    hits: Hits

    @property
    def counts(self) -> tuple[int, int, int]:
        """The numbers of hits and misses: tp, fp, fn."""
        return len(self.hits.tp), len(self.hits.fp), len(self.hits.fn)

    def by_type(self) -> dict[str, list[int]]:
        """Return tp, fp and fn of each type: first those of the output's keys in order, then those
        of the others.
        """
        output, reference = self.keys
        order = (reference.get(key, types) for key, types in output.items() if types[0] != NOOP)
        rows: dict[str, list[int]] = {type_: [0, 0, 0] for type_ in chain(*order, self.hits.fn)}
        for place, types in enumerate(self.hits):
            for type_ in types:
                rows[type_][place] += 1
        return rows


def report(
    output: Annotated,
    reference: Annotated,
    comparison: Comparison,
    beta: float,
    *,
    tier: int | None,
    verbose: bool,
) -> Iterator[str]:
    """Yield the lines that errant_compare prints, without their ends. The files have to be of the
    same sentences.

    For each sentence the pair of annotators counts that errant_compare takes. `tier` is that of the
    categories whose scores are printed too."""
    totals, types = [0, 0, 0], dict[str, list[int]]()
    for number, (block, *both) in enumerate(
        zip(output.blocks, output.read, reference.read, strict=True)
    ):
        each = [read.by_annotator or {0: [NOTHING]} for read in both]
        sides = [{name: comparison.keys(edits) for name, edits in own.items()} for own in each]
        pairs = [
            Pair(h, r, (a, b), compare(a, b))
            for h, a in sides[0].items()
            for r, b in sides[1].items()
        ]
        chosen = (
            max(pairs, key=lambda pair: preference(totals, pair.counts, beta))
            if len(pairs) > 1
            else pairs[0]
        )
        if verbose:
            yield from (RULE, f"Original sentence {number}: {block.sentence}", RULE)
            for pair in pairs:
                yield from _pair(number, pair, totals, beta)
            yield f"^^ HYP {chosen.output}, REF {chosen.reference} chosen for sentence {number}"
            yield "Local results:"
            rows = [
                ("Category", "TP", "FP", "FN"),
                *((name, *counts) for name, counts in chosen.by_type().items()),
            ]
            widths = [
                max(len(str(value)) for value in column) + 3 for column in zip(*rows, strict=True)
            ]
            yield from (
                "".join(f"{value:>{width}}" for value, width in zip(row, widths, strict=True))
                for row in rows
            )
        totals = list(map(add, totals, chosen.counts))
        for place, named in enumerate(chosen.hits if tier else ()):
            for type_ in named:
                types.setdefault(type_, [0, 0, 0])[place] += 1
    title = TITLES[comparison.mode]
    if tier:
        yield from ("", f" {title} ".center(WIDE, "="))
        yield _row(("Category", "TP", "FP", "FN", "P", "R", f"F{beta}"))
        sums: dict[str, list[int]] = {}
        for type_, row in types.items():
            # errant_compare cuts off two letters of any type
            name = (
                type_
                if type_ == UNKNOWN or tier == WHOLE
                else type_[:1]
                if tier == 1
                else type_[2:]
            )
            sums[name] = list(map(add, sums.get(name, (0, 0, 0)), row))
        yield from (_row((name, *row, *_rounded(row, beta))) for name, row in sorted(sums.items()))
    yield from ("", f" {title} ".center(NARROW, "="))
    yield f"TP\tFP\tFN\tPrec\tRec\tF{beta}"
    yield "\t".join(map(str, (*totals, *_rounded(totals, beta))))
    yield from ("=" * NARROW, "")


def _pair(number: int, pair: Pair, totals: Sequence[int], beta: float) -> Iterator[str]:
    """Yield what the option -v says of a pair of annotators."""
    yield f"SENTENCE {number} - HYP {pair.output} - REF {pair.reference}"
    yield f"HYPOTHESIS EDITS : {_listed(pair.keys[0])}"
    yield f"REFERENCE EDITS  : {_listed(pair.keys[1])}"
    running = [total + count for total, count in zip(totals, pair.counts, strict=True)]
    for name, counts in (("Local", pair.counts), ("Global", running)):
        yield f"{f'{name} TP/FP/FN':<16} : {' '.join(map(str, counts))}"
        yield f"{name} P/R/F{beta}  : {' '.join(map(str, _rounded(counts, beta)))}"
    yield RULE


def _listed(keys: Keys) -> list[tuple[int | str, ...]]:
    """Return the edits in order, each with its first type. Of edits with a noop nothing is shown."""
    listed = sorted((*key, types[0]) for key, types in keys.items())
    return [] if listed and listed[0][0] == -1 else listed


def _row(values: Sequence[object]) -> str:
    name, *numbers, last = map(str, values)
    return " ".join([f"{name:<14}", *(f"{number:<8}" for number in numbers), last])


def _rounded(counts: Sequence[int], beta: float) -> tuple[float, ...]:
    return tuple(
        round(value, 4) for value in precision_recall_f(counts[0], counts[1], counts[2], beta)
    )
