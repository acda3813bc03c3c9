"""The samplers of references, and what both kernels check before they draw."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..arrays import Ints

SAMPLERS = ("python2", "python3", "numpy")
"""Samplers that a metric can ask for. The functions of these names in `python/draws.py` say what they draw."""
BALANCED = ("turned", "all")
"""Samplers of the expected score."""

SEED_STEP = 101
"""The seed of an iteration is so many times its number."""
MOST_DRAWN = 255
"""The most references that can be drawn from: a draw is a byte."""


def check_drawer(sampler: str, iterations: Iterable[int], references: int) -> list[int]:
    """Return the numbers of the iterations. Raises ValueError where a Drawer cannot be made for its arguments."""
    if sampler not in SAMPLERS + BALANCED:
        raise ValueError(f"sampler: expected one of {', '.join(SAMPLERS + BALANCED)}, found '{sampler}'")
    if not 1 <= references <= MOST_DRAWN:
        raise ValueError(f"references: expected 1 to {MOST_DRAWN}, found {references}")
    numbers = list(iterations)
    if numbers and not 0 <= min(numbers) <= max(numbers) < 2**32 // SEED_STEP:
        raise ValueError(f"iterations: expected numbers of which {SEED_STEP} times is below 2**32")
    return numbers


def check_present(present: Ints | None, lines: int, references: int) -> None:
    """Raise ValueError unless there are `lines` lines, with 1 to `references` references each where `present` is."""
    if lines < 0:
        raise ValueError(f"lines: expected 0 or more, found {lines}")
    if present is None:
        return
    if present.shape != (lines,):
        raise ValueError(f"present: expected a number for each of {lines} lines")
    if lines and not 1 <= present.min() <= present.max() <= references:
        raise ValueError(f"present: expected 1 to {references} references for each line")


def check_terms(terms: Sequence[Ints], references: int) -> int:
    """Return the number of lines of some terms [lines, references, width]. Raises ValueError for other shapes."""
    lines: set[int] = {term.shape[0] for term in terms}
    if len(lines) != 1 or any(term.ndim != 3 or term.shape[1] != references for term in terms):
        raise ValueError(f"terms: expected the shape [lines, {references}, width], with as many lines for all")
    if any(term.dtype != "int64" or not term.flags.c_contiguous for term in terms):
        raise ValueError("terms: expected int64 arrays, in the order of C")
    return lines.pop()
