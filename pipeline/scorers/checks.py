"""Checks of what callers give: outputs and the numbers of lines. All of them raise InputError with the position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..corpus.texts import text_in_memory
from ..errors import InputError, PipelineError
from ..tokenizers.own_tokens import is_list

if TYPE_CHECKING:
    from ..arrays import Ints


def texts_of(name: str, values: Any) -> list[str]:
    """Return values as a list of texts; raises InputError for what is no list, and for an item that is no text."""
    if not is_list(values):
        raise InputError(f"{name}: expected a list of texts, found {type(values).__name__}")
    texts = list(values)
    if not all(issubclass(kind, str) for kind in set(map(type, texts))):
        number = next(number for number, text in enumerate(texts, 1) if not isinstance(text, str))
        raise InputError(f"{name}, item {number}: expected a text, found {called(texts[number - 1])}")
    return texts


def rows_of(ids: Any, outputs: int, lines: int) -> Ints:
    """Return the numbers of lines as int64 [outputs].

    Raises InputError for another number of them than outputs, and for what is no number of a line.
    """
    try:
        array = np.asarray(ids)
    except ValueError:  # lists of different lengths
        array = np.asarray(None)
    if array.ndim != 1:
        raise InputError("ids: expected a list with the number of a line for each output")
    if array.dtype.kind not in "iu" and array.size:
        for place, item in enumerate(np.asarray(ids, object).tolist(), 1):
            if isinstance(item, bool) or not isinstance(item, int | np.integer):
                raise InputError(f"ids, item {place}: expected the number of a line, found {called(item)}")
        raise InputError("ids: expected numbers of lines, and these are too large")
    rows: Ints = array.astype(np.int64, copy=False)
    if len(rows) != outputs:
        raise InputError(f"ids: expected one for each output, {outputs:,}; found {len(rows):,}")
    wrong = (rows < 0) | (rows >= lines)
    if wrong.any():
        place = int(wrong.argmax())
        raise InputError(f"ids, item {place + 1}: expected the number of a line, 0 to {lines - 1}, found {rows[place]}")
    return rows


def called(value: object) -> str:
    """Return how messages call a value that is not what was expected."""
    return "None" if value is None else f"{float(value)!r}" if isinstance(value, float) else type(value).__name__


def surrogate(name: str, outputs: Sequence[str]) -> PipelineError:
    """Return the error for outputs of which UTF-8 cannot hold one."""
    try:
        text_in_memory(name, outputs)
    except PipelineError as error:
        return error
    return InputError(f"{name}: UTF-8 cannot hold the texts")
