"""Data frames of pandas and polars. Both packages are optional, and imported when a frame is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...scoring.results import Bootstrap, Comparison


def frame(library: str, rows: Sequence[Mapping[str, Any]] | Mapping[str, Any]) -> Any:
    """Return a DataFrame of pandas or polars, of rows, or of columns by name. What a row lacks is missing in the frame.

    Raises InputError where the package is not installed.
    """
    try:
        package = import_module(library)
    except ImportError:
        raise InputError(f"to_{library}() needs {library}: pip install {library}") from None
    if hasattr(rows, "keys"):
        return package.DataFrame(rows)
    names = list(dict.fromkeys(name for row in rows for name in row))
    if library == "pandas":
        return package.DataFrame(list(rows), columns=names)
    return package.DataFrame({name: [row.get(name) for row in rows] for name in names}, strict=False)


def are_few(columns: str, others: Sequence[str] = ("all",)) -> bool:
    """Return whether a frame is to have scores alone; raises InputError for a word that is none of the others."""
    if columns not in ("scores", *others):
        known = " or ".join(map(repr, ("scores", *others)))
        raise InputError(f"columns: expected {known}, found {columns!r}")
    return columns == "scores"


def ends(bootstrap: Bootstrap | None) -> dict[str, float]:
    """Return the ends of an interval as columns, or none."""
    return dict(zip(("low", "high"), bootstrap.interval, strict=True)) if bootstrap else {}


def test_row(test: Comparison) -> dict[str, Any]:
    """Return a paired test as a row, with the names of tests.csv."""
    row = dict(vars(test))
    low, high = row.pop("interval")
    names = {name: row.pop(name) for name in ("dataset", "metric", "system", "other", "difference")}
    return {**names, "low": low, "high": high, **row}
