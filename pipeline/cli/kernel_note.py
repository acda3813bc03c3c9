"""The note that much text is counted with the Python kernel, where nobody asked for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import kernel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..corpus.corpus import Corpus

MANY = 20_000
"""Up to how many sentences of outputs the Python kernel takes few seconds, so that nothing is said."""


def kernel_notes(corpora: Iterable[Corpus]) -> Iterator[str]:
    """Yield which kernel is used and why, where there is much to count and the compiled kernel was expected."""
    reason = kernel.why_not_native()
    if reason and sum(corpus.lines * len(corpus.systems) for corpus in corpora) > MANY:
        yield f"the Python kernel is used: it is slower, with equal results. {reason}"
