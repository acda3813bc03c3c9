"""Columns of TER: the lengths of texts, and the edits that make an output a reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ... import kernel
from ...dataclass import dataclass
from ..base.columns import Field
from ..base.metric import Needs

if TYPE_CHECKING:
    from ...arrays import Ints
    from ...tokenizers.tercom import Tercom
    from ..base.metric import Text


@dataclass(frozen=True)
class TerNeeds(Needs):
    """The edits with each reference, beside lengths in tokens."""

    tokens: Tercom

    @property
    def columns(self) -> tuple[Field, ...]:
        """The length of the output, and for each reference its length and the edits."""
        return (Field("hyp_len"), Field("ref_len", per_reference=True), Field("edits", per_reference=True))

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count a shard."""
        encoded = self.tokens.encode([*text.references, *text.systems])
        references, systems = encoded[: len(text.references)], encoded[len(text.references) :]
        edits = kernel.edit_rate(references, systems)
        ref_len = np.stack([np.diff(reference.offsets) for reference in references], axis=-1)
        return [
            {"hyp_len": np.diff(system.offsets), "ref_len": ref_len, "edits": edits[number]}
            for number, system in enumerate(systems)
        ]
