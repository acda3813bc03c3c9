"""The kernel in Python: the specification. Results of the compiled kernel in `native/` equal its own on every input."""

from ..packed_numbers import plane_sums
from .draws import Drawer, add_draws, pass_draws
from .edit_rate import edit_rate
from .encode import encode
from .gold_records import gold_records
from .lcs import lcs, union_lcs, weighted_lcs, weighted_union
from .max_match import max_match
from .overlap import overlap
from .prepared import Prepared
from .skip import skip_bigrams
from .three_way import three_way, three_way_columns
from .words import words

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
