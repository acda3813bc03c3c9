"""Lists of tokens as numbers: lengths, and matches of n-grams."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .... import kernel
from ...encoding import ids_of, lengths
from ...problems import WrongTypeError, WrongValueError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from ....arrays import Ints

    Tokens = Sequence[Hashable]
    """A sentence: a list of tokens. A text stands for its letters."""


class Counts(NamedTuple):
    """The counts of some sentences."""

    match: Ints
    """Matches [lines, order] with all references merged, or [lines, references, order] with each."""
    sizes: Ints
    """The tokens of each hypothesis: [lines]."""
    reference_sizes: Ints
    """The tokens of each reference: [lines, references], 0 where a line has fewer references than others."""
    references: list[int]
    """How many references each line has. They come first; what follows is empty."""


def counted(
    list_of_references: Sequence[Sequence[Tokens]], hypotheses: Sequence[Tokens], order: int, kind: str
) -> Counts:
    """Return the counts of a kind (`kernel/common.py`) of sentences that have a list of references each.

    Raises InputError for lists that do not fit together, and for tokens that cannot be keys.
    """
    if len(list_of_references) != len(hypotheses):
        sizes = f"{len(list_of_references)} lists of references, and {len(hypotheses)} hypotheses"
        raise WrongValueError(f"expected a list of references for each hypothesis; found {sizes}")
    most = max(map(len, list_of_references), default=0)
    sets: list[list[Tokens]] = [[() for _ in hypotheses] for _ in range(max(most, 1))]
    for line, references in enumerate(list_of_references):
        for number, reference in enumerate(references):
            sets[number][line] = reference
    try:
        encoded = ids_of([*sets, hypotheses])
    except TypeError as error:
        raise WrongTypeError(f"expected sentences that are lists of tokens: {error}") from None
    output = encoded.pop()
    match = kernel.overlap(None, encoded, [output], order, (kind,))[kind][0]
    reference_sizes = np.stack([lengths(text) for text in encoded], axis=-1)
    return Counts(match, lengths(output), reference_sizes, [len(references) for references in list_of_references])
