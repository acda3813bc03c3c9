"""What both kernels share: names, types of results, limits, and checks of arguments."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..errors import LongTextError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..arrays import Bools, Floats, Ints

Texts = Sequence["Encoded"]
"""Several references, or several outputs, of the same lines. All texts of a call are encoded
together."""

Allowed = Sequence[Texts]
"""For each system and each reference a text with the tokens that may be hit, each as often as it
may be."""

FOLDS = ("google", "perl")
"""How words() can lower-case text: google as str.lower() does, perl only A-Z. Words are then runs
of a-z and 0-9."""

SPLITS = (
    "whitespace",
    "ascii_whitespace",
    "blank",
    "char",
    "nonspace",
    "chrf",
    "fields",
    "13a",
    "zh",
    "intl",
)
"""How encode() can split lines; fields are those of a record of edits, between ||| and newlines."""


class Kind(NamedTuple):
    """How often an n-gram is counted, from its counts in three texts: s is the source, r the
    reference, h the output.

    It counts as often as all texts of `of` have it, beyond any text of `less`.
    """

    of: str
    less: str = ""
    without: str = ""
    """A text in which the n-gram must not stand at all."""
    within: str = ""
    """A text that must have it as often as it is counted, beyond those of `less` too."""

    def times(self, source: int, reference: int, output: int) -> int:
        """Return how often an n-gram is counted, from how often it stands in the texts."""
        texts = {"s": source, "r": reference, "h": output}
        if self.without and texts[self.without]:
            return 0
        count = min(texts[letter] for letter in self.of) - max(
            (texts[letter] for letter in self.less), default=0
        )
        return min(max(count, 0), texts[self.within]) if self.within else max(count, 0)


COUNTED = {
    "match": Kind("hr"),
    "penalty": Kind("hs", without="r"),
    "source_only": Kind("hs", less="r"),
    "common": Kind("hsr"),
    "source_match": Kind("sr"),
    "union_match": Kind("hr"),
    "new_match": Kind("hr", without="s"),
    "gone_match": Kind("hs", without="r"),
    "added_match": Kind("r", less="s", within="h"),
    "removed_match": Kind("s", less="r", within="h"),
    "added": Kind("r", less="s"),
}
"""All that overlap() can count. The penalty of GLEU+ is `penalty`, that of its paper `source_only`.
"""

MERGED_KINDS = ("union_match", "new_match", "gone_match", "added_match", "removed_match", "added")
"""What is counted with all references merged: each n-gram as often as the reference that has most
of it."""

KINDS = tuple(kind for kind in COUNTED if kind not in MERGED_KINDS)
"""What is counted with each reference."""

WITHOUT_OUTPUT = frozenset(
    name for name, kind in COUNTED.items() if "h" not in kind.of + kind.within
)
"""The kinds that do not depend on the output, so that n-grams which the output lacks count too."""

MAX_ORDER = 16
"""The longest n-grams that overlap() counts."""

MAX_NGRAMS = 1 << 25
"""The most n-grams of a line, of all orders in source and references. Each takes up to a hundred
bytes."""


SARI_ORDER = 4
"""The longest n-grams that sari() counts."""

SARI_COUNTS = (
    *("add_c", "add_h", "add_r", "keep_c", "keep_h", "keep_r", "del_c", "del_h", "del_r"),
    *("kept", "keepable", "deleted", "deletable"),
)
"""What sari() counts. R is the number of references of a line, and s, r, h are how often an n-gram
stands in the source, in all references together, and in the output.

add_c, add_h and add_r are different n-grams that the source lacks: of output and references, of the
output, of the references. keep_c, keep_h, keep_r are the sums of min(Rs, Rh, r), R min(s, h) and
min(Rs, r). del_c, del_h, del_r are the sums of min(R(s - h), Rs - r), R(s - h) and Rs - r, where
these are above 0. The last four are how many different n-grams have a min(s, h), a min(Rs, r), an s
- h and an Rs - r above 0."""

SARI_RATIOS = ("keep_p", "keep_q", "del_p")
"""The sums of ratios of sari(): of min(Rs, Rh, r) to R min(s, h) and to min(Rs, r), and of R(s - h)
- r, where this is above 0, to R(s - h)."""


class Lines(NamedTuple):
    """The text of some lines."""

    data: bytes
    """UTF-8, in which the lines are somewhere."""
    starts: Ints
    """Where each line begins in data."""
    ends: Ints
    """Where each line ends in data; the newline at its end is not part of it."""

    def own(self) -> Lines:
        """Return the same lines without the bytes that come before and behind all of them."""
        if not len(self.starts):
            return self
        first, last = int(self.starts.min()), int(self.ends.max())
        if (first, last) == (0, len(self.data)):
            return self
        return Lines(self.data[first:last], self.starts - first, self.ends - first)

    def __reduce__(self) -> tuple[type[Lines], tuple[bytes, Ints, Ints]]:
        """Have only the bytes of these lines pickled, since data may be that of many more."""
        lines = self.own()
        return Lines, (lines.data, lines.starts, lines.ends)

    def texts(self) -> Iterator[bytes]:
        """Yield each line's bytes."""
        for start, end in zip(self.starts.tolist(), self.ends.tolist(), strict=True):
            yield self.data[start:end]


def join_lines(texts: Iterable[bytes]) -> Lines:
    """Return texts (which may hold newlines) as Lines."""
    import numpy as np

    pieces = list(texts)
    ends = np.cumsum(np.fromiter(map(len, pieces), np.int64, len(pieces)))
    return Lines(
        b"".join(pieces), np.concatenate((np.zeros(min(len(pieces), 1), np.int64), ends[:-1])), ends
    )


class Encoded(NamedTuple):
    """The tokens of some lines."""

    ids: NDArray[np.int32]
    """The ids of all tokens, line after line."""
    offsets: Ints
    """Where each line begins in ids, and at last the number of ids: [lines + 1]."""

    def lines(self) -> list[tuple[int, ...]]:
        """Return the ids of each line."""
        return [
            tuple(self.ids[start:end].tolist())
            for start, end in itertools.pairwise(self.offsets.tolist())
        ]


class SharedGrams(NamedTuple):
    """The n-grams of one length in the rows of a text: the lines of references, then those of
    outputs.

    An entry is an n-gram of a row; those of a row stand in the order in which they first occur in
    it. A place stands for an n-gram that some reference of a line has. All numbers are int64."""

    shorter: Ints
    """The number of each n-gram without its last token, among those of the length below: 0 for the
    length 1."""
    last: Ints
    """The id of the last token of each n-gram."""
    rows: Ints
    """The row of each entry."""
    numbers: Ints
    """The number of its n-gram."""
    times: Ints
    """How often the row has it."""
    places: Ints
    """Its place; -1 for an n-gram of an output that no reference of the line has."""
    most: Ints
    """For each place, how often the reference has the n-gram that has most of it."""


class Words(NamedTuple):
    """What words() returns: the ids of each text, and the distinct tokens in the order of their
    ids.
    """

    texts: list[Encoded]
    data: bytes
    """All distinct tokens, one after the other, in UTF-8."""
    ends: Ints
    """The end of each token in data."""

    def distinct(self) -> list[str]:
        """Return the token of each id."""
        ends, data = self.ends.tolist(), self.data
        return [data[low:high].decode() for low, high in zip([0, *ends], ends, strict=False)]


class Sentences(NamedTuple):
    """The tokens of some lines that have several sentences each."""

    ids: NDArray[np.int32]
    """The ids of all tokens, sentence after sentence."""
    offsets: Ints
    """Where each sentence begins in ids, and at last the number of ids: [sentences + 1]."""
    firsts: Ints
    """The first sentence of each line, and at last the number of sentences: [lines + 1]."""

    @property
    def as_lines(self) -> Encoded:
        """The same with each line as one sequence of tokens."""
        return Encoded(self.ids, self.offsets[self.firsts])

    @property
    def whole(self) -> Encoded:
        """The same as `as_lines`."""
        return self.as_lines


MAX_SKIPPED = 100_000
"""The longest line, in tokens, of which skip_bigrams() counts pairs with any gap: their number is
quadratic."""

MAX_CELLS = 1 << 32
"""The most pairs of tokens for which two sentences are aligned with weights. A pair takes a
nanosecond or two."""

THREE_WAY_COUNTS = ("c_tp", "tn", "d_fp", "d_fn", "fpn")
"""What three_way() counts: columns, in the names of I-measure."""

FIELDS = ("start", "end", "output", "reference", "kind")
"""What is said of a column: it holds the source's tokens from start up to but not end, which are
one or none. Output and reference are the numbers of their tokens in their lines, -1 for a gap. The
kind is a place in THREE_WAY_COUNTS."""


class ChangedColumns(NamedTuple):
    """The changed columns of the alignments of all references with all systems."""

    offsets: Ints
    """Where the columns of each alignment begin: [references of all lines * systems + 1]. Those of
    reference r and system s are at r * systems + s."""
    columns: NDArray[np.int32]
    """FIELDS of each column, from the first to the last of an alignment: [columns, 5]."""


MAX_PAIRS = 1 << 25
"""The most cells of a two-way alignment in three_way(). It bounds memory to half a gigabyte or so.
"""

MAX_TRIPLES = 1 << 36
"""The most cells of a three-way alignment in three_way(). If all had to be looked at, that would
take minutes."""

BEAM = 25
"""How many columns on each side of the diagonal edit_rate() computes, unless rows and columns
differ very much."""

LONGEST_SHIFT = 10
"""The most tokens of a block that edit_rate() shifts."""

FARTHEST = 50
"""The most tokens between the places of a block in output and reference, for edit_rate() to shift
it."""

MOST_SHIFTS = 1000
"""After so many shifts that edit_rate() tried for an output and a reference, it does none any more.
"""

MAX_BEAM_CELLS = 1 << 27
"""The most cells that edit_rate() computes for an alignment. It bounds memory to half a gigabyte or
so."""


def check_lines(texts: Sequence[Lines]) -> None:
    """Raise ValueError for lines that reach outside of their data. The compiled kernel would read
    foreign memory.
    """
    for text in texts:
        if len(text.starts) != len(text.ends):
            raise ValueError("lines: there are not as many ends as starts")
        inside = (text.starts >= 0) & (text.starts <= text.ends) & (text.ends <= len(text.data))
        if not inside.all():
            raise ValueError("lines: they reach outside of the data")


def check_overlap(
    source: Encoded | None, references: Texts, systems: Texts, order: int, kinds: Sequence[str]
) -> None:
    """Check the arguments of overlap().

    Raises KeyError for an unknown kind, LongTextError for a line with more than MAX_NGRAMS, where
    text 0 is the first reference, and ValueError for all else."""
    check_order(order, kinds)
    given = [*references, *([] if source is None else [source])]
    check_parallel(references, [*given[len(references) :], *systems])
    if sum(len(text.ids) for text in given) * order > MAX_NGRAMS:
        sizes = given[0].offsets[1:] * 0
        for text in given:
            sizes += text.offsets[1:] - text.offsets[:-1]
        check_sizes(sizes, order)


def check_sari(source: Encoded, references: Texts, systems: Texts, missing: Bools | None) -> Bools:
    """Return which references each line has: bool [lines, references]. Raises as check_overlap()
    does.
    """
    import numpy as np

    check_overlap(source, references, systems, SARI_ORDER, ())
    shape = (len(source.offsets) - 1, len(references))
    if missing is not None and missing.shape != shape:
        raise ValueError("missing: expected a row for each line, with a column for each reference")
    return np.ones(shape, np.bool_) if missing is None else ~missing


def check_sizes(sizes: Ints, order: int) -> None:
    """Raise LongTextError as check_overlap() does, from the tokens that source and references of
    each line have.
    """
    if (sizes * order > MAX_NGRAMS).any():
        line = int((sizes * order > MAX_NGRAMS).argmax())
        message = f"source and references of {sizes[line]:,} tokens have too many n-grams (at most {MAX_NGRAMS:,})"
        raise LongTextError(0, line, message)


def check_order(order: int, kinds: Sequence[str]) -> None:
    """Raise ValueError for an order outside of 1 to MAX_ORDER, and KeyError for an unknown kind."""
    if not 1 <= order <= MAX_ORDER:
        raise ValueError(f"order: expected 1 to {MAX_ORDER}, found {order}")
    for kind in kinds:
        if kind not in KINDS and kind not in MERGED_KINDS:
            raise KeyError(kind)


def check_rows(text: Encoded, lines: int, references: int, order: int) -> Ints:
    """Return how many tokens each row has; raises ValueError as shared_ngrams() does."""
    import numpy as np

    sizes: Ints = np.diff(text.offsets)
    if order < 1:
        raise ValueError(f"order: expected 1 or more, found {order}")
    if (
        lines < 0
        or (len(sizes) % lines if lines else len(sizes))
        or not 0 <= references * lines <= len(sizes)
    ):
        raise ValueError(
            f"rows: expected {lines} for each text, and {references} references; found {len(sizes)} rows"
        )
    if (sizes < 0).any() or text.offsets[0] != 0 or text.offsets[-1] != len(text.ids):
        raise ValueError("offsets: expected those of all tokens, rising from 0")
    return sizes


def check_parallel(references: Texts, others: Texts) -> None:
    """Raise ValueError unless there is a reference, texts have equally many lines, and offsets and
    ids are sound.
    """
    if not references:
        raise ValueError("references: at least one is needed")
    for text in [*references, *others]:
        offsets = text.offsets
        if len(offsets) != len(references[0].offsets) or len(offsets) == 0:
            raise ValueError("texts: they have different numbers of lines")
        _check_rising(offsets, len(text.ids))
        if text.ids.size and text.ids.min() < 0:
            raise ValueError("texts: ids are below 0")


def _check_rising(offsets: Ints, size: int) -> None:
    if offsets[0] != 0 or offsets[-1] > size or (offsets[1:] < offsets[:-1]).any():
        raise ValueError("texts: offsets do not rise from 0 to the number of ids")


def check_sentences(references: Sequence[Sentences], systems: Sequence[Sentences]) -> None:
    """Raise ValueError for texts of sentences, as check_parallel() does for lines."""
    for text in [*references, *systems]:
        if len(text.offsets) == 0 or len(text.firsts) == 0:
            raise ValueError("texts: they have different numbers of lines")
        _check_rising(text.offsets, len(text.ids))
        _check_rising(text.firsts, len(text.offsets) - 1)
    check_parallel([text.whole for text in references], [text.whole for text in systems])


def check_allowed(
    references: Sequence[Sentences], systems: Sequence[Sentences], allowed: Allowed | None
) -> None:
    """Raise ValueError unless there is a text for each system with each reference, as
    check_parallel() has them.
    """
    if allowed is None:
        return
    if [len(texts) for texts in allowed] != [len(references)] * len(systems):
        raise ValueError("allowed: expected a text for each system with each reference")
    check_parallel(
        [text.whole for text in references], [text for texts in allowed for text in texts]
    )


def check_skip(references: Texts, systems: Texts, gap: int) -> None:
    """Check the arguments of skip_bigrams().

    Raises ValueError as check_parallel() does, and LongTextError where the gap has no limit (it is
    below 0) and a line is longer than MAX_SKIPPED."""
    check_parallel(references, systems)
    for number, text in enumerate([*references, *systems] if gap < 0 else []):
        sizes = text.offsets[1:] - text.offsets[:-1]
        if (sizes > MAX_SKIPPED).any():
            line = int((sizes > MAX_SKIPPED).argmax())
            message = f"{sizes[line]:,} tokens have too many skip bigrams without a limit to the gap (at most "
            raise LongTextError(
                number, line, f"{message}{MAX_SKIPPED:,} tokens); ask for a gap, such as S4 or SU4"
            )


def check_weighted(
    references: Sequence[Sentences], systems: Sequence[Sentences], powers: Floats
) -> None:
    """Check the arguments of weighted_lcs() and weighted_union().

    Raises ValueError as check_sentences() does, and where `powers` has no value for the longest
    sentence. Raises LongTextError where the lengths of two sentences of a line, multiplied, exceed
    MAX_CELLS."""
    check_sentences(references, systems)
    longest = [_longest(text) for text in [*references, *systems]]
    if max(int(sizes.max(initial=0)) for sizes in longest) >= len(powers):
        raise ValueError("powers: there are fewer than the longest sentence has tokens")
    for number, system in enumerate(longest[len(references) :], len(references)):
        for reference in longest[: len(references)]:
            too_long = system * reference > MAX_CELLS
            if too_long.any():
                line = int(too_long.argmax())
                sizes = f"sentences of {reference[line]:,} and {system[line]:,} tokens"
                raise LongTextError(
                    number, line, f"{sizes} are too long to be aligned with weights (ROUGE-W)"
                )


def _longest(text: Sentences) -> Ints:
    """Return how many tokens the longest sentence of each line has: int64 [lines]."""
    sizes = text.offsets[1:] - text.offsets[:-1]
    longest = text.firsts[:-1] * 0
    full = text.firsts[:-1] < text.firsts[1:]
    if full.any():
        import numpy as np

        ends = sizes[: text.firsts[-1]]
        longest[full] = np.maximum.reduceat(ends, text.firsts[:-1][full])
    return longest


def check_three_way(source: Encoded, systems: Texts, references: Encoded, firsts: Ints) -> None:
    """Check the arguments of three_way().

    Raises ValueError where source and systems have different numbers of lines, where `firsts` does
    not give all references to the lines, and for unsound offsets and ids. Raises LongTextError
    where lines are too long to be aligned: a two-way alignment exceeds MAX_PAIRS, or the three-way
    one MAX_TRIPLES. In it text 0 is the references, and its line is that of the source."""
    import numpy as np

    check_parallel([source], systems)
    check_parallel([references], [])
    if len(firsts) != len(source.offsets):
        raise ValueError("firsts: expected one for each line, and one more")
    _check_rising(firsts, len(references.offsets) - 1)
    if firsts[-1] != len(references.offsets) - 1:
        raise ValueError("firsts: there are references that belong to no line")
    lines = np.repeat(np.arange(len(firsts) - 1), firsts[1:] - firsts[:-1])
    one = (source.offsets[1:] - source.offsets[:-1])[lines] + 1
    three = references.offsets[1:] - references.offsets[:-1] + 1
    for number, system in enumerate(systems, 1):
        two = (system.offsets[1:] - system.offsets[:-1])[lines] + 1
        pairs = np.maximum(np.maximum(one * two, one * three), two * three)
        too_long = (pairs > MAX_PAIRS) | (one * two * three.astype(float) > MAX_TRIPLES)
        if too_long.any():
            place = int(too_long.argmax())
            sizes = f"{one[place] - 1:,}, {two[place] - 1:,} and {three[place] - 1:,} tokens"
            message = f"source, output and reference of {sizes} are too long for a three-way alignment (I-measure)"
            raise LongTextError(number, int(lines[place]), message)


def check_edit_rate(references: Texts, systems: Texts) -> None:
    """Check the arguments of edit_rate().

    Raises ValueError as check_parallel() does, and LongTextError where the beam of an output and a
    reference has more than MAX_BEAM_CELLS cells."""
    check_parallel(references, systems)
    for number, system in enumerate(systems, len(references)):
        sizes = system.offsets[1:] - system.offsets[:-1]
        for reference in references:
            targets = reference.offsets[1:] - reference.offsets[:-1]
            too_long = 2 * (BEAM + 1) * sizes + 2 * targets > MAX_BEAM_CELLS
            if too_long.any():
                line = int(too_long.argmax())
                both = f"output and reference of {sizes[line]:,} and {targets[line]:,} tokens"
                raise LongTextError(number, line, f"{both} are too long for the edits of TER")


# --- samplers of references, and what both kernels check before they draw


SAMPLERS = ("python2", "python3", "numpy")
"""Samplers that a metric can ask for. The functions of these names in `python/draws.py` say what
they draw."""
BALANCED = ("turned", "all")
"""Samplers of the expected score."""

SEED_STEP = 101
"""The seed of an iteration is so many times its number."""
MOST_DRAWN = 255
"""The most references that can be drawn from: a draw is a byte."""


def check_drawer(sampler: str, iterations: Iterable[int], references: int) -> list[int]:
    """Return the numbers of the iterations. Raises ValueError where a Drawer cannot be made for its
    arguments.
    """
    if sampler not in SAMPLERS + BALANCED:
        raise ValueError(
            f"sampler: expected one of {', '.join(SAMPLERS + BALANCED)}, found '{sampler}'"
        )
    if not 1 <= references <= MOST_DRAWN:
        raise ValueError(f"references: expected 1 to {MOST_DRAWN}, found {references}")
    numbers = list(iterations)
    if numbers and not 0 <= min(numbers) <= max(numbers) < 2**32 // SEED_STEP:
        raise ValueError(f"iterations: expected numbers of which {SEED_STEP} times is below 2**32")
    return numbers


def check_present(present: Ints | None, lines: int, references: int) -> None:
    """Raise ValueError unless there are `lines` lines, with 1 to `references` references each where
    `present` is.
    """
    if lines < 0:
        raise ValueError(f"lines: expected 0 or more, found {lines}")
    if present is None:
        return
    if present.shape != (lines,):
        raise ValueError(f"present: expected a number for each of {lines} lines")
    if lines and not 1 <= present.min() <= present.max() <= references:
        raise ValueError(f"present: expected 1 to {references} references for each line")


def check_terms(terms: Sequence[Ints], references: int) -> int:
    """Return the number of lines of some terms [lines, references, width]. Raises ValueError for
    other shapes.
    """
    lines: set[int] = {term.shape[0] for term in terms}
    if len(lines) != 1 or any(term.ndim != 3 or term.shape[1] != references for term in terms):
        raise ValueError(
            f"terms: expected the shape [lines, {references}, width], with as many lines for all"
        )
    if any(term.dtype != "int64" or not term.flags.c_contiguous for term in terms):
        raise ValueError("terms: expected int64 arrays, in the order of C")
    return lines.pop()
