"""The columns of ERRANT: hits and misses of each sentence with each annotator, in total and by type."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from ...corpus.edits.errant_report import CHERRANT, Comparison, is_of
from ...dataclass import dataclass
from ..base.columns import Field
from ..base.metric import Needs
from ..base.views import annotated_by
from .hits import hits_of

if TYPE_CHECKING:
    from ...arrays import Ints
    from ..base.metric import Text

COUNTS = ("tp", "fp", "fn")


@dataclass(frozen=True)
class ErrantNeeds(Needs):
    """Hits (tp) and misses (fp, fn) of all edits, and of the types that are asked for."""

    comparison: Comparison
    types: tuple[str, ...] = ()
    """The types, categories or patterns that are counted apart; empty: none."""
    annotator: str = ""
    """The annotator of texts, as signatures call it; empty: there are only M2 files."""

    @property
    def source(self) -> bool:  # type: ignore[override]
        """Whether texts are annotated, which takes the source."""
        return bool(self.annotator)

    @property
    def input(self) -> str:  # type: ignore[override]
        """Edits on both sides."""
        return annotated_by(self.annotator)

    @property
    def key(self) -> str:
        """A name, safe in file names. It is different for any two needs whose columns can differ."""
        more = [repr(self.comparison.left_out)] * bool(self.comparison.left_out) + [repr(self.types)] * bool(self.types)
        digests = [blake2b(text.encode(), digest_size=6).hexdigest() for text in more]
        words = ["single"] * self.comparison.single + ["multi"] * self.comparison.multi
        words += [CHERRANT] * (self.comparison.style == CHERRANT)
        return "-".join(["errant", self.comparison.mode, *words, *digests, *[self.annotator] * bool(self.annotator)])

    @property
    def cache_key(self) -> str:
        """The text that stands for these columns in the keys of stored counts."""
        compared = self.comparison
        flags = f"mode={compared.mode!r}, single={compared.single}, multi={compared.multi}"
        flags += f", style={compared.style!r}" if compared.style == CHERRANT else ""
        more = f", annotator={self.annotator!r}" if self.annotator else ""
        return f"ErrantNeeds({flags}, left_out={compared.left_out!r}, types={self.types!r}{more})"

    @property
    def columns(self) -> tuple[Field, ...]:
        """The order of the annotators, their numbers of edits, and the counts."""
        names = ["order", "ref_len", *COUNTS, *(f"type_{name}" for name in COUNTS if self.types)]
        return tuple(Field(name, per_reference=True) for name in names)

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Compare the edits of a shard."""
        compared = hits_of(self.comparison, text)
        shape = compared.edits.shape
        columns = {"order": compared.orders, "ref_len": compared.edits}
        wanted = np.array([is_of(name, self.types) for name in compared.types], bool)
        for place, name in enumerate(COUNTS):
            for prefix in ("", "type_") if self.types else ("",):
                counts = columns[prefix + name] = np.zeros(shape, np.int64)
                for number, hits in enumerate(compared.hits):
                    rows, types = hits[place]
                    own = rows[wanted[types]] if prefix else rows
                    counts[..., number] = np.bincount(own, minlength=shape[0] * shape[1]).reshape(shape[:2])
        return [{name: values[system] for name, values in columns.items()} for system in range(shape[0])]
