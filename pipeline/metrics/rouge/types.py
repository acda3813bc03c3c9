"""The types of ROUGE (1 to 9, L, Lsum, W, S, SU), with the matches and totals of each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .columns import UNLIMITED, gap_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...arrays import Floats, Ints
    from ..base.needs import Columns

    Numbers = NDArray[Any]

PATTERN = r"(?:[1-9]|L|Lsum|W|SU?[0-9]{0,4})"


class Overlap(NamedTuple):
    """Matches and totals of one type, with each reference or with merged references: [lines, references or 1] each."""

    match: Numbers
    reference: Numbers
    """The total of the reference."""
    output: Numbers
    """The total of the output."""


class Type(NamedTuple):
    """A type of ROUGE, such as 1, Lsum or SU4."""

    name: str
    """The name, as in the output rouge{name}."""
    family: str
    """n, L, Lsum, W, S or SU."""
    number: int = 0
    """The order of the family n, the gap of S and SU."""

    @property
    def weighted(self) -> bool:
        """Whether the counts are float64 weights."""
        return self.family == "W"


def read_types(text: str) -> list[Type]:
    """Return the types of a text such as 1+2+L+SU4."""
    types = []
    for name in text.split("+"):
        skip = re.fullmatch(r"(SU|S)([0-9]*)", name)
        if skip:
            types.append(Type(name, skip[1], int(skip[2]) if skip[2] else UNLIMITED))
        else:
            types.append(Type(name, "n", int(name)) if name.isdigit() else Type(name, name))
    return types


def pairs(sizes: Ints, gap: int) -> Ints:
    """Return how many skip bigrams texts of these sizes have: Σ (size - distance) over the allowed distances."""
    reach = np.maximum(sizes - 1, 0)
    if gap != UNLIMITED:
        reach = np.minimum(reach, gap + 1)
    count: Ints = reach * sizes - reach * (reach + 1) // 2
    return count


def order_of(kind: Type, script: bool) -> int:
    """Return the highest order of n-grams that a type needs, in ROUGE-1.5.5 if `script` is true."""
    return kind.number if kind.family == "n" else int(kind.family == "SU" and not script)


def subsequence_of(kind: Type, script: bool) -> str:
    """Return which subsequence a type needs, or an empty string. ROUGE-1.5.5 takes unions over sentences."""
    names = {"L": "union" if script else "lcs", "Lsum": "union", "W": "weighted_union" if script else "weighted"}
    return names.get(kind.family, "")


def overlap_of(kind: Type, columns: Columns, script: bool, merged: bool, weight: str) -> Overlap:
    """Return the matches and totals of a type, in ROUGE-1.5.5 if `script` is true.

    The source is Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries". For W, ROUGE-1.5.5 applies the
    weight once more to the sum of the weights of sentences. For SU, it leaves out the last unigram of each text.
    """
    if merged:
        match, total = _merged(kind, columns, script)
        return Overlap(match[:, None], total[:, None], _total(kind, columns["hyp_len"][:, None], script))
    ref_len, hyp_len = columns["ref_len"], columns["hyp_len"][:, None]
    if kind.family == "W":
        power = float(weight)
        base = columns["base"] if script else ref_len.astype(np.float64)
        match = columns["weighted_union" if script else "weighted"]
        return Overlap(match, base**power, np.broadcast_to(hyp_len.astype(np.float64) ** power, match.shape))
    if kind.family in ("L", "Lsum"):
        match, ref_len = columns[subsequence_of(kind, script)], columns.get("union_len", ref_len)
    elif kind.family == "n":
        match = columns["match"][..., kind.number - 1]
    else:
        match = columns[f"skip_{gap_name(kind.number)}"]
        if kind.family == "SU":
            match = match + (columns["lead"] if script else columns["match"][..., 0])
    output = np.broadcast_to(_total(kind, hyp_len, script), match.shape)
    return Overlap(match, _total(kind, ref_len, script), output)


def _merged(kind: Type, columns: Columns, script: bool) -> tuple[Ints, Ints]:
    """Return matches and reference totals of n-grams or skip bigrams with merged references: [lines] each."""
    if kind.family == "n":
        return columns["match"][:, kind.number - 1], columns["match_total"][:, kind.number - 1]
    name = f"skip_{gap_name(kind.number)}"
    match, total = columns[name], columns[f"{name}_total"]
    if kind.family == "SU" and script:
        return match + columns["lead"], total + columns["lead_total"]
    if kind.family == "SU":
        return match + columns["match"][:, 0], total + columns["match_total"][:, 0]
    return match, total


def _total(kind: Type, sizes: Ints, script: bool) -> Ints:
    """Return the total of a type in texts of these sizes."""
    if kind.family == "n":
        return np.maximum(sizes - kind.number + 1, 0)
    if kind.family in ("L", "Lsum"):
        return sizes
    single = np.maximum(sizes - script, 0) if kind.family == "SU" else 0
    return pairs(sizes, kind.number) + single


def printed(values: Floats) -> Floats:
    """Return numbers rounded to five decimals as printf rounds them: by their exact binary value, ties to even."""
    scaled = values * 1e5
    near = np.rint(scaled)
    rounded = near / 1e5
    tied = np.abs(np.abs(scaled - near) - 0.5) < 1e-6
    if tied.any():
        rounded[tied] = [float(f"{value:.5f}") for value in values[tied].tolist()]
    return rounded
