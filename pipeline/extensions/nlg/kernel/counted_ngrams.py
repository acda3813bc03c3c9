"""What both kernels share: names, types of results, and checks of arguments."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pipeline.arrays import Bools, Ints
from pipeline.kernel.common import Encoded, Texts, check_overlap

SARI_ORDER = 4
"""The longest n-grams that sari() counts."""

SARI_COUNTS = (
    "add_c",
    "add_h",
    "add_r",
    "keep_c",
    "keep_h",
    "keep_r",
    "del_c",
    "del_h",
    "del_r",
    "kept",
    "keepable",
    "deleted",
    "deletable",
)
"""What sari() counts.

R is the number of references of a line, and s, r, h are how often an n-gram is in the source, in
all references together, and in the output.

add_c, add_h and add_r are different n-grams that the source lacks: of output and references, of the
output, of the references. keep_c, keep_h, keep_r are the sums of min(Rs, Rh, r), R min(s, h) and
min(Rs, r). del_c, del_h, del_r are the sums of min(R(s - h), Rs - r), R(s - h) and Rs - r, where
these are above 0. The last four are how many different n-grams have a min(s, h), a min(Rs, r), an s
- h and an Rs - r above 0.
"""

SARI_RATIOS = ("keep_p", "keep_q", "del_p")
"""The sums of ratios of sari().

They are ratios of min(Rs, Rh, r) to R min(s, h) and to min(Rs, r), and of R(s - h) - r, if this is
above 0, to R(s - h).
"""


class SharedGrams(NamedTuple):
    """The n-grams of one length in the rows of a text.

    The rows are the lines of references, then those of outputs. An entry is an n-gram of a row;
    those of a row are in the order in which they first occur in it. A slot is an n-gram that a
    reference of a line has. All numbers are int64.
    """

    shorter: Ints
    """The number of each n-gram without its last token, among those that are one token shorter.

    It is 0 for the length 1.
    """
    last: Ints
    """The id of the last token of each n-gram."""
    rows: Ints
    """The row of each entry."""
    numbers: Ints
    """The number of its n-gram."""
    times: Ints
    """How often the row has it."""
    slots: Ints
    """Its slot; -1 for an n-gram of an output that no reference of the line has."""
    most: Ints
    """For each slot the highest count of the n-gram in a reference."""


def check_sari(
    source: Encoded,
    references: Texts,
    systems: Texts,
    missing: Bools | None,
) -> Bools:
    """Check the arguments of sari(), and return which references each line has.

    `missing`, and what is returned, are bool [lines, references]. None: no reference is missing.
    Raises ValueError if it has another shape, and as check_overlap() does.
    """
    check_overlap(source, references, systems, SARI_ORDER, ())
    shape = (len(source.offsets) - 1, len(references))
    if missing is not None and missing.shape != shape:
        raise ValueError(
            "missing: expected a row for each line, with a column for each reference"
        )
    if missing is None:
        return np.ones(shape, np.bool_)
    return ~missing


def check_rows(text: Encoded, lines: int, references: int, order: int) -> Ints:
    """Return how many tokens each row has, int64 [rows]; raises ValueError as shared_ngrams() does.

    Rows are the lines of each reference, then of each output, `lines` each.
    """
    sizes: Ints = np.diff(text.offsets)
    if order < 1:
        raise ValueError(f"order: expected 1 or more, found {order}")
    rows = len(sizes)
    texts = rows // lines if lines > 0 else 0
    is_multiple = lines >= 0 and rows == texts * lines
    if not is_multiple or not 0 <= references * lines <= rows:
        raise ValueError(
            f"rows: expected {lines} for each text, and {references} references; "
            f"found {rows} rows"
        )
    ends_fit = text.offsets[0] == 0 and text.offsets[-1] == len(text.ids)
    if not ends_fit or (sizes < 0).any():
        raise ValueError("offsets: expected those of all tokens, rising from 0")
    return sizes
