"""What errant_compare prints of two M2 files, to the character: totals, categories, and the choice of annotators.

The source is errant_compare of the package errant, version 3.0.2. Versions since 2.0.0 print the same, but for what
the option -v adds.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from ..m2_lines import NOOP as M2_NOOP
from ..m2_lines import edit_of
from .edit_keys import NOOP, category, compare, precision_recall_f, preference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..m2_files import Annotated
    from ..m2_lines import Edit
    from .edit_keys import Comparison, Hits, Keys

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
NOTHING = edit_of(M2_NOOP, "", 0)
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
        """Return tp, fp and fn of each type: first those of the output's keys in order, then those of the others."""
        output, reference = self.keys
        order = (reference.get(key, types) for key, types in output.items() if types[0] != NOOP)
        rows: dict[str, list[int]] = {type_: [0, 0, 0] for type_ in chain(*order, self.hits.fn)}
        for place, types in enumerate(self.hits):
            for type_ in types:
                rows[type_][place] += 1
        return rows


class Scored(NamedTuple):
    """The result of two files."""

    totals: list[int]
    """tp, fp and fn of all sentences."""
    types: dict[str, list[int]]
    """The same by type."""
    beta: float

    def of_category(self, tier: int) -> dict[str, list[int]]:
        """Return tp, fp and fn by category of a tier, in the order of the names."""
        sums: dict[str, list[int]] = {}
        for type_, counts in self.types.items():
            _add(sums.setdefault(category(type_, tier), [0, 0, 0]), counts)
        return dict(sorted(sums.items()))


class Scorer:
    """Compares two files sentence by sentence. For each sentence the pair counts that errant_compare takes."""

    def __init__(self, comparison: Comparison, beta: float) -> None:
        self.comparison = comparison
        self.scored = Scored([0, 0, 0], {}, beta)

    def pairs(self, output: Sequence[Edit], reference: Sequence[Edit]) -> list[Pair]:
        """Return all pairs of annotators of a sentence, in the order in which they come first in their files."""
        ours, theirs = self._keys(output), self._keys(reference)
        return [Pair(h, r, (a, b), compare(a, b)) for h, a in ours.items() for r, b in theirs.items()]

    def take(self, pairs: Sequence[Pair]) -> Pair:
        """Choose the pair that counts, add it to the totals, and return it."""
        totals, beta = self.scored.totals, self.scored.beta
        best = pairs[0] if len(pairs) == 1 else max(pairs, key=lambda pair: preference(totals, pair.counts, beta))
        _add(totals, best.counts)
        for place, types in enumerate(best.hits):
            for type_ in types:
                self.scored.types.setdefault(type_, [0, 0, 0])[place] += 1
        return best

    def _keys(self, edits: Sequence[Edit]) -> dict[int, Keys]:
        by_annotator: dict[int, list[Edit]] = {}
        for edit in edits or [NOTHING]:
            by_annotator.setdefault(edit.annotator, []).append(edit)
        return {name: self.comparison.keys(own) for name, own in by_annotator.items()}


def report(
    output: Annotated, reference: Annotated, scorer: Scorer, *, tier: int | None, verbose: bool
) -> Iterator[str]:
    """Yield the lines that errant_compare prints, without their ends. The files have to be of the same sentences."""
    for number, (block, ours, theirs) in enumerate(zip(output.blocks, output.edits, reference.edits, strict=True)):
        pairs = scorer.pairs(ours, theirs)
        before = list(scorer.scored.totals)
        chosen = scorer.take(pairs)
        if verbose:
            yield from (RULE, f"Original sentence {number}: {block.sentence}", RULE)
            for pair in pairs:
                yield from _pair(number, pair, before, scorer.scored.beta)
            yield from _chosen(number, chosen)
    title = TITLES[scorer.comparison.mode]
    if tier:
        yield from _categories(title, scorer.scored, tier)
    yield from _totals(title, scorer.scored)


def _pair(number: int, pair: Pair, totals: Sequence[int], beta: float) -> Iterator[str]:
    """Yield what the option -v says of a pair of annotators."""
    yield f"SENTENCE {number} - HYP {pair.output} - REF {pair.reference}"
    yield f"HYPOTHESIS EDITS : {_listed(pair.keys[0])}"
    yield f"REFERENCE EDITS  : {_listed(pair.keys[1])}"
    running = [total + count for total, count in zip(totals, pair.counts, strict=True)]
    for name, counts in (("Local", pair.counts), ("Global", running)):
        yield f"{f'{name} TP/FP/FN':<16} : {_joined(counts, ' ')}"
        yield f"{name} P/R/F{beta}  : {_joined(_rounded(counts, beta), ' ')}"
    yield RULE


def _listed(keys: Keys) -> list[tuple[int | str, ...]]:
    """Return the edits in order, each with its first type. Of edits with a noop nothing is shown."""
    listed = sorted((*key, types[0]) for key, types in keys.items())
    return [] if listed and listed[0][0] == -1 else listed


def _chosen(number: int, pair: Pair) -> Iterator[str]:
    """Yield what the option -v says of the pair that was chosen for a sentence."""
    yield f"^^ HYP {pair.output}, REF {pair.reference} chosen for sentence {number}"
    yield "Local results:"
    rows = [("Category", ("TP", "FP", "FN")), *pair.by_type().items()]
    width = max(len(name) for name, _ in rows) + 3
    for name, counts in rows:
        yield f"{name:>{width}}" + "".join(f"{count:>5}" for count in counts)


def _categories(title: str, scored: Scored, tier: int) -> Iterator[str]:
    yield from ("", f" {title} ".center(WIDE, "="))
    header = ("Category", "TP", "FP", "FN", "P", "R", f"F{scored.beta}")
    rows = [(name, *counts, *_rounded(counts, scored.beta)) for name, counts in scored.of_category(tier).items()]
    for name, *values in (header, *rows):
        yield " ".join([f"{name!s:<14}", *(f"{value!s:<8}" for value in values[:-1]), str(values[-1])])


def _totals(title: str, scored: Scored) -> Iterator[str]:
    yield from ("", f" {title} ".center(NARROW, "="))
    yield _joined(("TP", "FP", "FN", "Prec", "Rec", f"F{scored.beta}"), "\t")
    yield _joined((*scored.totals, *_rounded(scored.totals, scored.beta)), "\t")
    yield from ("=" * NARROW, "")


def _rounded(counts: Sequence[int], beta: float) -> tuple[float, ...]:
    return tuple(round(value, 4) for value in precision_recall_f(counts[0], counts[1], counts[2], beta))


def _joined(values: Iterable[object], between: str) -> str:
    return between.join(map(str, values))


def _add(sums: list[int], counts: Sequence[int]) -> None:
    for place, count in enumerate(counts):
        sums[place] += count
