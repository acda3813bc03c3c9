"""The counts of GLEU+ that reports show of a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.metric import Counted
from ..base.ngram_counts import shown_matches
from .codes import CODES

if TYPE_CHECKING:
    from ..base.columns import Columns

MERGED = {"match": "union_match", "penalty": "gone_match"}
"""The columns shown for merged references, by the names under which they are shown."""
MERGED_OF = {
    "2015": {"match": "union_match", "penalty": "removed_match", "added": "added_match"},
    "2016-03": {**MERGED, "new": "new_match"},
}
"""The variants that show other columns.

added are matches of n-grams that the references have more often than the source. new are matches of n-grams that the
source does not have at all.
"""


def apart(variant: str, columns: Columns, terms: Columns) -> list[Counted]:
    """Return the counts with each reference."""
    penalty = Counted("penalty", columns[CODES[variant].kinds[1]], per_reference=True, orders=True)
    numer = Counted("numer", terms["numer"], per_reference=True, orders=True)
    return [*shown_matches(columns), penalty, numer, Counted("total", columns["total"], orders=True)]


def together(variant: str, columns: Columns, terms: Columns) -> list[Counted]:
    """Return the counts with all references merged."""
    lengths = [Counted("hyp_len", columns["hyp_len"]), Counted("ref_len", terms["ref_len"])]
    kinds = MERGED_OF.get(variant, MERGED)
    counts = [Counted(name, columns[kind], orders=True) for name, kind in kinds.items()]
    return [*lengths, *counts, Counted("total", terms["total"], orders=True)]
