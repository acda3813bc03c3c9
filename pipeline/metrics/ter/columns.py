"""Columns of TER: the lengths of texts, and the edits that make an output a reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ... import kernel
from ...dataclass import dataclass
from ..base.columns import Field, Schema
from ..base.views import TEXTS

if TYPE_CHECKING:
    from ...arrays import Ints
    from ...tokenizers.tercom import Tercom
    from ..base.metric import Text


@dataclass(frozen=True)
class TerNeeds:
    """The edits with each reference, beside lengths in tokens."""

    tokens: Tercom

    source: ClassVar[bool] = False
    tokenization: ClassVar[None] = None
    view: ClassVar[str] = TEXTS

    @property
    def key(self) -> str:
        """A name, safe in file names. It is different for any two needs whose columns can differ."""
        return f"ter-{self.tokens.key}"

    @property
    def identity(self) -> str:
        """The text that stands for these columns in the keys of stored counts."""
        return f"TerNeeds(tokens={self.tokens.identity})"

    def schema(self, references: int) -> Schema:
        """Return the length of the output, and for each reference its length and the edits."""
        apart = (Field(name, per_reference=True) for name in ("ref_len", "edits"))
        return Schema((Field("hyp_len"), *apart), references)

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
