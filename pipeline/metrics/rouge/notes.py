"""Notes of ROUGE about texts without a token and texts of a single sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..base.capabilities import CountWarning

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ...arrays import Ints
    from ..base.columns import Columns


NONE = np.zeros((0, 0), np.int64)
"""Counts of no line."""


class EmptiedLines:
    """The lines of a text that have letters but no token."""

    def __init__(self) -> None:
        self.count = 0
        self.first = 0
        """The number of the first such line, from 1."""

    def add(self, emptied: Ints, line: int) -> None:
        """Add a block of lines, which begins at the number `line`, from 0."""
        if not emptied.any():
            return
        indices = np.flatnonzero(emptied)
        if not self.count:
            self.first = line + int(indices[0]) + 1
        self.count += len(indices)


def notes(counts: Mapping[str, Iterable[Columns]], tokenizer: str, *, has_lsum: bool, cut: bool) -> list[CountWarning]:
    """Return the notes about a data set, from the blocks of columns of each system.

    `cut` says that there is a limit to what counts of a text, or that stop words are left out.
    """
    references: dict[int, EmptiedLines] = {}
    about_systems, longest = [], 0
    for number, (name, blocks) in enumerate(counts.items()):
        system, line = EmptiedLines(), 0
        for columns in blocks:
            system.add(columns["hyp_emptied"], line)
            emptied_references = columns["ref_emptied"] if number == 0 else NONE
            for reference in range(emptied_references.shape[1]) if emptied_references.any() else ():
                references.setdefault(reference, EmptiedLines()).add(emptied_references[:, reference], line)
            for sentences in ("hyp_sentences", "ref_sentences") if has_lsum else ():
                longest = max(longest, int(columns[sentences].max(initial=0)))
            line += len(columns["hyp_len"])
        if system.count:
            about_systems.append(CountWarning(_emptied(system, tokenizer, cut), system=name, line=system.first))
    emptied = [(number, lines) for number, lines in references.items() if lines.count]
    result = [
        CountWarning(_emptied(lines, tokenizer, cut), reference=number, line=lines.first) for number, lines in emptied
    ]
    if has_lsum and counts and longest <= 1:
        result.append(CountWarning("rougeLsum is the same as rougeL: no text has more than one sentence (see `split`)"))
    return result + about_systems


def _emptied(lines: EmptiedLines, tokenizer: str, cut: bool) -> str:
    others = lines.count - 1
    more = f" (nor have {others} more)" if others > 1 else " (nor has one more)" if others else ""
    if cut:
        return f"has letters, but no word of it counts{more}: each is left out, or none for the tokenizer {tokenizer}"
    return (
        f"has letters, but no token for the tokenizer {tokenizer}{more}: every score with it is 0; "
        "`tokenizer: unicode` reads all scripts, `tokenizer: char` suits Chinese and Japanese too"
    )
