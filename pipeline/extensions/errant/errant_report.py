"""Comparison of the edits of two M2 files as errant_compare does it, and what it prints.

The keys of edits depend on which properties count as equal; keys make hits and misses. Totals,
categories and the choice of annotators are printed to the character. The source is errant_compare
of the package errant, version 3.0.2. Versions since 2.0.0 print the same, but for -v.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from operator import add
from typing import NamedTuple, TypeAlias

from pipeline.extensions.edits.m2_files import NOOP as NOOP_LINE
from pipeline.extensions.edits.m2_files import (
    PREFIXES,
    Annotated,
    Edit,
    edit_of,
)
from pipeline.metrics import precision_recall_f

Key: TypeAlias = "tuple[int | str, ...]"
"""The properties of an edit that have to be equal."""
Keys: TypeAlias = "dict[Key, list[str]]"
"""The types of the edits of an annotator, by their keys, in the order of the file."""

MODES = ("cs", "cse", "ds", "dt")
"""Correction by span; the same and by type; detection by span; detection by token."""
CHERRANT = "cherrant"
STYLES = ("errant", CHERRANT)
"""Corrections as they stand in the files, or without blanks, as ChERRANT compares Chinese ones."""
UNJUDGED = "NA"
"""In ChERRANT's files the type of a sentence that the annotator did not judge."""
NOOP = "noop"
UNKNOWN = "UNK"
WORDS = 2
"""The words from which on an edit is a multi-word edit."""


class Hits(NamedTuple):
    """Hits and misses of an output against an annotator: the type of each."""

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

    def by_key(self, edits: Iterable[Edit]) -> dict[Key, list[Edit]]:
        """Return an annotator's edits that are compared, by what makes two of them equal."""
        by_key: dict[Key, list[Edit]] = {}
        for edit in edits:
            for key in self.keys_of(edit):
                by_key.setdefault(key, []).append(edit)
        return by_key

    def keys(self, edits: Iterable[Edit]) -> Keys:
        """Return the types of an annotator's edits by their keys."""
        keys = {}
        for key, edits_of_key in self.by_key(edits).items():
            keys[key] = [edit.type for edit in edits_of_key]
        return keys

    def keys_of(self, edit: Edit) -> list[Key]:
        """Return the keys of an edit, what has to be equal for a hit.

        There is none if the edit is left out. In the mode dt there is one for each token, otherwise
        a single one.
        """
        if edit.type in self.left_out:
            return []
        if edit.type == UNKNOWN and self.mode in ("cs", "cse"):
            return []  # an error of unknown type is detected, but not corrected
        start, end, _, correction, _ = edit
        if self.style == CHERRANT:
            correction = correction.replace(" ", "")
        if self.single or self.multi:
            is_multi = end - start >= WORDS or len(correction.split()) >= WORDS
            if (self.single and is_multi) or (self.multi and not is_multi):
                return []
        if self.mode == "cs":
            return [(start, end, correction)]
        if self.mode == "cse":
            return [(start, end, edit.type, correction)]
        if self.mode == "ds":
            return [(start, end)]
        return _token_keys(start, end)


def _token_keys(start: int, end: int) -> list[Key]:
    """Return the keys of each token of an edit."""
    if start == -1:
        return [(-1, -1)]
    if start == end:  # an insertion is charged to the token on its right
        return [(start, start + 1)]
    return [(token, token + 1) for token in range(start, end)]


def compare(output: Keys, annotator: Keys) -> Hits:
    """Return the hits and misses of a sentence.

    Both arguments have the types of edits by key. An edit that both have is filed under the
    annotator's type, once for each edit of the annotator with its key. A key whose first edit is a
    noop is left out.
    """
    hits = Hits([], [], [])
    for key, types in output.items():
        if types[0] == NOOP:
            continue
        if key in annotator:
            hits.tp.extend(annotator[key])
        else:
            hits.fp.extend(types)
    for key, types in annotator.items():
        if types[0] != NOOP and key not in output:
            hits.fn.extend(types)
    return hits


def category(type_: str, tier: int) -> str:
    """Return the category of a type.

    Tier 1 is M, R or U, tier 2 is such as NOUN:NUM, and tier 3 is the type itself. A type that is
    not ERRANT's, such as ArtOrDet, is a category of its own.
    """
    if tier == 3 or not type_.startswith(PREFIXES) or type_ in PREFIXES:
        return type_
    return type_[:1] if tier == 1 else type_[2:]


def preference(
    totals: Sequence[int],
    counts: Sequence[int],
    beta: float,
) -> tuple[float, ...]:
    """Return the key that is greatest for the annotator that errant_compare takes.

    It is F of all sentences so far, rounded to 4 decimals, and then tp, -fp and -fn of the sentence
    alone. Of equal keys the first annotator is taken. `totals` are tp, fp and fn of the sentences
    before, and `counts` those of the sentence with the annotator.
    """
    total_tp, total_fp, total_fn = map(add, totals, counts)
    _, _, score = precision_recall_f(total_tp, total_fp, total_fn, beta)
    tp, fp, fn = counts
    return round(score, 4), tp, -fp, -fn


def is_of(type_: str, patterns: tuple[str, ...]) -> bool:
    """Return whether a type is one of some types, categories of a tier, or patterns as R:VERB*."""
    names = {category(type_, tier) for tier in (1, 2, 3)}
    pairs = itertools.product(names, patterns)
    return any(itertools.starmap(fnmatchcase, pairs))


# ---- The report of errant_compare

TITLES = {
    "cs": "Span-Based Correction",
    "cse": "Span-Based Correction + Classification",
    "ds": "Span-Based Detection",
    "dt": "Token-Based Detection",
}
"""What is compared, by the modes of Comparison."""
CATEGORIES_WIDTH = 66
"""The width of the table of categories, in characters."""
TOTALS_WIDTH = 46
"""The width of the table of totals, in characters."""
RULE = "-" * 40
"""The line between sentences and pairs of annotators that the option -v prints."""
UNCHANGED = {0: [edit_of(NOOP_LINE, "", 0)]}
"""The annotators of a sentence without edits."""
TYPE_TIER = 3
"""The tier of categories that are types themselves."""


class Pair(NamedTuple):
    """An annotator of the output and one of the reference, compared for a sentence."""

    output: int
    """The number of the output's annotator."""
    reference: int
    """The number of the reference's annotator."""
    output_keys: Keys
    """The edits of the output's annotator."""
    reference_keys: Keys
    """The edits of the reference's annotator."""
    hits: Hits

    @property
    def counts(self) -> tuple[int, int, int]:
        """The numbers of hits and misses: tp, fp, fn."""
        return len(self.hits.tp), len(self.hits.fp), len(self.hits.fn)

    def by_type(self) -> dict[str, list[int]]:
        """Return tp, fp and fn of each type.

        First come those of the output's keys in order, then those of the others.
        """
        rows: dict[str, list[int]] = {}
        for key, types in self.output_keys.items():
            if types[0] != NOOP:
                for type_ in self.reference_keys.get(key, types):
                    rows[type_] = [0, 0, 0]
        for type_ in self.hits.fn:
            rows[type_] = [0, 0, 0]
        _add_types(rows, self.hits)
        return rows


def _add_types(rows: dict[str, list[int]], hits: Hits) -> None:
    """Add hits and misses to tp, fp and fn of each type."""
    for column, types in enumerate(hits):
        for type_ in types:
            rows.setdefault(type_, [0, 0, 0])[column] += 1


def report(
    output: Annotated,
    reference: Annotated,
    comparison: Comparison,
    beta: float,
    *,
    tier: int | None,
    verbose: bool,
) -> Iterator[str]:
    """Yield the lines that errant_compare prints, without their ends.

    The files have the same sentences. For each sentence the pair of annotators counts that
    errant_compare takes. `tier`, 1 to 3, asks for the scores of the categories of this tier too,
    and `verbose` for the edits of each sentence.
    """
    # compare the sentences
    totals = [0, 0, 0]  # tp, fp, fn
    counts_by_type: dict[str, list[int]] = {}
    sentences = zip(output.blocks, output.read, reference.read, strict=True)
    for number, (block, output_lines, reference_lines) in enumerate(sentences):
        pairs = _pairs(
            output_lines.by_annotator, reference_lines.by_annotator, comparison
        )
        chosen = pairs[0]
        if len(pairs) > 1:
            keys = [preference(totals, pair.counts, beta) for pair in pairs]
            chosen = pairs[keys.index(max(keys))]
        if verbose:
            yield RULE
            yield f"Original sentence {number}: {block.sentence}"
            yield RULE
            for pair in pairs:
                yield from _pair_lines(number, pair, totals, beta)
            yield f"^^ HYP {chosen.output}, REF {chosen.reference} chosen for sentence {number}"
            yield "Local results:"
            yield from _local_lines(chosen)
        totals = list(map(add, totals, chosen.counts))
        if tier:
            _add_types(counts_by_type, chosen.hits)

    # the table of categories
    title = TITLES[comparison.mode]
    if tier:
        yield ""
        yield f" {title} ".center(CATEGORIES_WIDTH, "=")
        yield _row(("Category", "TP", "FP", "FN", "P", "R", f"F{beta}"))
        counts_by_category: dict[str, list[int]] = {}
        for type_, counts in counts_by_type.items():
            name = _cut_category(type_, tier)
            before = counts_by_category.get(name, (0, 0, 0))
            counts_by_category[name] = list(map(add, before, counts))
        for name, counts in sorted(counts_by_category.items()):
            yield _row((name, *counts, *_rounded(counts, beta)))

    # the table of totals
    yield ""
    yield f" {title} ".center(TOTALS_WIDTH, "=")
    yield f"TP\tFP\tFN\tPrec\tRec\tF{beta}"
    yield "\t".join(map(str, (*totals, *_rounded(totals, beta))))
    yield "=" * TOTALS_WIDTH
    yield ""


def _cut_category(type_: str, tier: int) -> str:
    """Return the category of a type as errant_compare does, which cuts two letters off any type."""
    if type_ == UNKNOWN or tier == TYPE_TIER:
        return type_
    return type_[:1] if tier == 1 else type_[2:]


def _pairs(
    output: Mapping[int, list[Edit]],
    reference: Mapping[int, list[Edit]],
    comparison: Comparison,
) -> list[Pair]:
    """Compare each annotator of the output with each of the reference, for a sentence.

    Both have the edits of the sentence by annotator. Without any, annotator 0 leaves it unchanged.
    """
    pairs = []
    for output_annotator, output_edits in (output or UNCHANGED).items():
        output_keys = comparison.keys(output_edits)
        for annotator, edits in (reference or UNCHANGED).items():
            keys = comparison.keys(edits)
            pair = Pair(
                output=output_annotator,
                reference=annotator,
                output_keys=output_keys,
                reference_keys=keys,
                hits=compare(output_keys, keys),
            )
            pairs.append(pair)
    return pairs


def _pair_lines(
    number: int,
    pair: Pair,
    totals: Sequence[int],
    beta: float,
) -> Iterator[str]:
    """Yield what the option -v prints about a pair of annotators of sentence `number`.

    `totals` are tp, fp and fn of the sentences before.
    """
    yield f"SENTENCE {number} - HYP {pair.output} - REF {pair.reference}"
    yield f"HYPOTHESIS EDITS : {_listed(pair.output_keys)}"
    yield f"REFERENCE EDITS  : {_listed(pair.reference_keys)}"
    totals_with_pair = list(map(add, totals, pair.counts))
    for name, counts in (("Local", pair.counts), ("Global", totals_with_pair)):
        title = f"{name} TP/FP/FN"
        yield f"{title:<16} : {' '.join(map(str, counts))}"
        rates = _rounded(counts, beta)
        yield f"{name} P/R/F{beta}  : {' '.join(map(str, rates))}"
    yield RULE


def _local_lines(pair: Pair) -> Iterator[str]:
    """Yield the counts of each type in a sentence, in aligned columns."""
    rows: list[list[str]] = [["Category", "TP", "FP", "FN"]]
    for name, counts in pair.by_type().items():
        rows.append([name, *map(str, counts)])
    columns = zip(*rows, strict=True)
    widths = [max(map(len, column)) + 3 for column in columns]
    for row in rows:
        yield "".join(map(str.rjust, row, widths))


def _listed(keys: Keys) -> list[Key]:
    """Return the edits in order, each with its first type; nothing if there is a noop."""
    listed = sorted((*key, types[0]) for key, types in keys.items())
    if listed and listed[0][0] == -1:
        return []
    return listed


def _row(cells: Sequence[object]) -> str:
    """Return a row of the table of categories, in aligned columns."""
    name, *numbers, last = map(str, cells)
    padded = [f"{number:<8}" for number in numbers]
    return " ".join([f"{name:<14}", *padded, last])


def _rounded(counts: Sequence[int], beta: float) -> tuple[float, ...]:
    """Return precision, recall and F of tp, fp and fn, rounded to 4 decimals."""
    tp, fp, fn = counts
    rates = precision_recall_f(tp, fp, fn, beta)
    return tuple(round(rate, 4) for rate in rates)
