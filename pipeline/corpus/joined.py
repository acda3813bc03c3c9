"""Records joined by their ids: texts of other files in the order of a data set."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..config.resolved import Column
from ..errors import CorpusError, Problem, did_you_mean
from .texts import read_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..arrays import Ints
    from ..config.resolved import Input
    from .input_files import Opener
    from .texts import AnyText, TextFile


def join(
    inputs: Sequence[Input], outputs: int, files: Sequence[TextFile | None], opener: Opener, problems: list[Problem]
) -> tuple[list[TextFile | None], TextFile | None, list[str]]:
    """Return texts in the order of the ids of the first one that has ids; these ids; and warnings.

    The last of the inputs, so many as `outputs`, are those of systems, and the first one with ids is none of these.
    Texts without ids stay as they are. A record whose id the first text does not have is left out, with a warning.
    Adds problems where an id is missing in a text, or stands twice in one.
    """
    keys = [replace(i, column=i.key, null=False) if isinstance(i, Column) and i.key else None for i in inputs]
    ids = iter(opener.open_all([key for key in keys if key], problems))
    joined: list[TextFile | None] = []
    notes: dict[str, None] = {}
    base: TextFile | None = None
    known: dict[str, int] = {}
    orders: dict[TextFile, Ints | None] = {}
    if any(keys) and not any(keys[: len(keys) - outputs]):
        message = "has ids, but no text of the data set has any: name the field of a file of records there too"
        problems.append(Problem(str(next(key.path for key in keys if key)), message))
        keys = [None] * len(keys)
    for file, key in zip(files, keys, strict=True):
        own = next(ids) if key else None
        if key is None or own is None or file is None:
            joined.append(file if key is None else None)
            continue
        try:
            if base is None:
                base, known = own, numbered(own)
            if own not in orders:
                orders[own], note = (None, "") if own.digest == base.digest else _order(base, known, own)
                notes |= {note: None} if note else {}
            order = orders[own]
            joined.append(file if order is None else opener.ordered(file, order))
        except CorpusError as error:
            problems += error.problems
            joined.append(None)
    return joined, base, list(notes)


def numbered(ids: AnyText) -> dict[str, int]:
    """Return the line, from 0, of each id; raises CorpusError where one stands twice."""
    known: dict[str, int] = {}
    for line, name in enumerate(read_texts(ids, 0, ids.lines)):
        if known.setdefault(name, line) != line:
            first = ids.at(known[name] + 1)
            raise CorpusError([Problem(ids.at(line + 1), f"has the id '{name}', as {first} has; ids stand once")])
    return known


def _order(base: TextFile, known: dict[str, int], own: TextFile) -> tuple[Ints, str]:
    """Return the line, from 0, of each id of `base` in another file, and a warning of further ids there.

    Raises CorpusError where one is missing.
    """
    lines = numbered(own)
    lacking = [name for name in known if name not in lines]
    if lacking:
        hint = did_you_mean(lacking[0], [name for name in lines if name not in known][:1000])
        more = f", nor for {len(lacking) - 1:,} more" if len(lacking) > 1 else ""
        message = f"has no record with the id '{lacking[0]}' of {base.at(known[lacking[0]] + 1)}{more}{hint}"
        raise CorpusError([Problem(own.place, message)])
    further = [(line, name) for name, line in lines.items() if name not in known]
    note = ""
    if further:
        line, name = further[0]
        count = f"{len(further):,} record{'s' if len(further) > 1 else ''}"
        where = f"the first is '{name}', {own.at(line + 1)}"
        note = f"{own.name}: {count} left out, whose ids {base.name} does not have; {where}"
    return np.array([lines[name] for name in known], np.int64), note
