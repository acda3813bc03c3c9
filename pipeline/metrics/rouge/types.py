"""The types of ROUGE (1 to 9, L, Lsum, W, S, SU): what each counts, and its matches and totals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .columns import UNLIMITED, gap_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...arrays import Floats, Ints
    from ..base.columns import Columns

    Numbers = NDArray[Any]

PATTERN = r"(?:[1-9]|L|Lsum|W|SU?[0-9]{0,4})"


class Parts(NamedTuple):
    """Matches and totals of one type with each reference (merged: with all): [lines, references or 1] each."""

    match: Numbers
    reference: Numbers
    output: Numbers


class Type(NamedTuple):
    """A type: its name as in rouge{name}; its family (n, L, Lsum, W, S, SU); its order or gap."""

    name: str
    family: str
    number: int = 0

    @property
    def weighted(self) -> bool:
        """Whether its counts are weights, float64."""
        return self.family == "W"


def read(text: str) -> list[Type]:
    """Return the types of a text such as 1+2+L+SU4."""
    types = []
    for name in text.split("+"):
        found = re.fullmatch(r"(SU|S)([0-9]*)", name)
        if found:
            types.append(Type(name, found[1], int(found[2]) if found[2] else UNLIMITED))
        else:
            types.append(Type(name, "n", int(name)) if name.isdigit() else Type(name, name))
    return types


def pairs(sizes: Ints, gap: int) -> Ints:
    """Return how many skip bigrams texts of some sizes have: Σ (size - distance) over the distances allowed."""
    reach = np.maximum(sizes - 1, 0)
    if gap != UNLIMITED:
        reach = np.minimum(reach, gap + 1)
    found: Ints = reach * sizes - reach * (reach + 1) // 2
    return found


def order_of(kind: Type, script: bool) -> int:
    """Return the highest order of n-grams that a type needs; script: as ROUGE-1.5.5."""
    return kind.number if kind.family == "n" else int(kind.family == "SU" and not script)


def part_of(kind: Type, script: bool) -> str:
    """Return which subsequences a type needs, or an empty string; those of ROUGE-1.5.5 are unions over sentences."""
    parts = {"L": "union" if script else "lcs", "Lsum": "union", "W": "weighted_union" if script else "weighted"}
    return parts.get(kind.family, "")


def parts(kind: Type, columns: Columns, script: bool, merged: bool, weight: str) -> Parts:
    """Return matches and totals of a type.

    Source: Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries". script: as ROUGE-1.5.5, which in W
    weighs the sum of its sentences' weights once more, and in SU leaves out the last unigram of each text.
    """
    if merged:
        match, total = _merged(kind, columns, script)
        return Parts(match[:, None], total[:, None], _total(kind, columns["hyp_len"][:, None], script))
    ref_len, hyp_len = columns["ref_len"], columns["hyp_len"][:, None]
    if kind.family == "W":
        power = float(weight)
        base = columns["base"] if script else ref_len.astype(np.float64)
        match = columns["weighted_union" if script else "weighted"]
        return Parts(match, base**power, np.broadcast_to(hyp_len.astype(np.float64) ** power, match.shape))
    if kind.family in ("L", "Lsum"):
        match = columns[part_of(kind, script)]
    elif kind.family == "n":
        match = columns["match"][..., kind.number - 1]
    else:
        match = columns[f"skip_{gap_name(kind.number)}"]
        if kind.family == "SU":
            match = match + (columns["lead"] if script else columns["match"][..., 0])
    output = np.broadcast_to(_total(kind, hyp_len, script), match.shape)
    return Parts(match, _total(kind, ref_len, script), output)


def _merged(kind: Type, columns: Columns, script: bool) -> tuple[Ints, Ints]:
    """Return matches and reference totals, of n-grams and skip bigrams alone: [lines] each."""
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
    if kind.family == "n":
        return np.maximum(sizes - kind.number + 1, 0)
    if kind.family in ("L", "Lsum"):
        return sizes
    single = np.maximum(sizes - script, 0) if kind.family == "SU" else 0
    return pairs(sizes, kind.number) + single


def printed(values: Floats) -> Floats:
    """Return numbers rounded to five decimals as printf does: by their exact binary value, ties to even."""
    scaled = values * 1e5
    near = np.rint(scaled)
    rounded = near / 1e5
    tied = np.abs(np.abs(scaled - near) - 0.5) < 1e-6
    if tied.any():
        rounded[tied] = [float(f"{value:.5f}") for value in values[tied].tolist()]
    return rounded
