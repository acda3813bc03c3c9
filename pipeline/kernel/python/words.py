"""Words of ASCII letters and digits, in Python: the tokens of ROUGE's own programs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InvalidTextError
from ..common import FOLDS, Encoded, Words, check_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..lines import Lines

_WORD = re.compile("[a-z0-9]+")


def words(texts: Sequence[Lines], fold: str) -> Words:
    """Turn texts into ids of their words, which are equal where words are equal, across all texts of the call.

    Words are runs of a-z and 0-9 after lower-casing. With `fold` google, this is str.lower(), which also turns KELVIN
    SIGN and I WITH DOT ABOVE into ASCII letters; with perl, it is only A-Z. Ids count up from 0 in the order in which
    words first occur. Raises KeyError for an unknown fold, and otherwise as encode() does.
    """
    if fold not in FOLDS:
        raise KeyError(fold)
    check_lines(texts)
    vocabulary: dict[str, int] = {}
    result = []
    for number, text in enumerate(texts):
        ids: list[int] = []
        offsets = [0]
        for index, line in enumerate(text.texts()):
            try:
                decoded = line.decode()
            except UnicodeDecodeError as error:
                raise InvalidTextError(number, index, error.start) from None
            folded = decoded.lower() if fold == "google" else line.lower().decode()
            ids.extend(vocabulary.setdefault(word, len(vocabulary)) for word in _WORD.findall(folded))
            offsets.append(len(ids))
        result.append(Encoded(np.array(ids, np.int32), np.array(offsets, np.int64)))
    ends = np.cumsum([len(word) for word in vocabulary], dtype=np.int64)
    return Words(result, "".join(vocabulary).encode(), ends)
