"""What the counts of ROUGE tell beside the scores: texts without a token, texts of one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..base.metric import Note

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ...arrays import Ints
    from ..base.columns import Columns


class Found:
    """The lines of a text that lost all their letters: how many, and the first (from 1)."""

    def __init__(self) -> None:
        self.count = self.first = 0

    def add(self, emptied: Ints, line: int) -> None:
        """Take some lines, the first of which is `line`, from 0."""
        places = np.flatnonzero(emptied)
        if len(places) and not self.count:
            self.first = line + int(places[0]) + 1
        self.count += len(places)


def notes(statistics: Mapping[str, Iterable[Columns]], tokenizer: str, sums: bool) -> list[Note]:
    """Return the notes about a data set; sums: whether Lsum is asked for."""
    references: dict[int, Found] = {}
    result, longest = [], 0
    for number, (name, blocks) in enumerate(statistics.items()):
        system, line = Found(), 0
        for columns in blocks:
            system.add(columns["hyp_emptied"], line)
            for reference in range(columns["ref_len"].shape[1]) if number == 0 else ():
                references.setdefault(reference, Found()).add(columns["ref_emptied"][:, reference], line)
            sizes = columns["hyp_sentences"], columns["ref_sentences"]
            longest = max(longest, *(int(array.max(initial=0)) for array in sizes))
            line += len(columns["hyp_len"])
        if system.count:
            result.append(Note(_emptied(system, tokenizer), system=name, line=system.first))
    found = [
        Note(_emptied(item, tokenizer), reference=number, line=item.first)
        for number, item in references.items()
        if item.count
    ]
    if sums and statistics and longest <= 1:
        found.append(Note("rougeLsum is the same as rougeL: no text has more than one sentence (see `split`)"))
    return found + result


def _emptied(found: Found, tokenizer: str) -> str:
    others = found.count - 1
    more = f" (nor have {others} more)" if others > 1 else " (nor has one more)" if others else ""
    return (
        f"has letters, but no token for the tokenizer {tokenizer}{more}: every score with it is 0; "
        "`tokenizer: unicode` reads all scripts, `tokenizer: char` suits Chinese and Japanese too"
    )
