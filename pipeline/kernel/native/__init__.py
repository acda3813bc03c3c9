"""The compiled kernel, whose results equal those of `python/` on every input."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..packed_numbers import plane_sums
    from ..python.draws import Drawer, add_draws, pass_draws
    from ..python.edit_rate import edit_rate
    from ..python.encode import encode
    from ..python.gold_records import gold_records
    from ..python.lcs import lcs, union_lcs, weighted_lcs, weighted_union
    from ..python.max_match import max_match
    from ..python.overlap import overlap
    from ..python.prepared import Prepared
    from ..python.skip import skip_bigrams
    from ..python.three_way import three_way, three_way_columns
    from ..python.words import words
else:
    from .draws import Drawer, add_draws, pass_draws
    from .edit_rate import edit_rate
    from .encode import encode, words
    from .gold_records import gold_records
    from .lcs import lcs, union_lcs, weighted_lcs, weighted_union
    from .max_match import max_match
    from .overlap import overlap
    from .planes import plane_sums
    from .prepared import Prepared
    from .skip import skip_bigrams
    from .three_way import three_way, three_way_columns

__all__ = [
    "Drawer",
    "Prepared",
    "add_draws",
    "edit_rate",
    "encode",
    "gold_records",
    "lcs",
    "max_match",
    "overlap",
    "pass_draws",
    "plane_sums",
    "skip_bigrams",
    "three_way",
    "three_way_columns",
    "union_lcs",
    "weighted_lcs",
    "weighted_union",
    "words",
]
