"""Text to ids: lines are split into tokens, and each distinct token gets a number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import InvalidTextError
from ..common import Encoded, check_texts
from .mteval import chinese, international, western

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..lines import Lines

SPLITS: dict[str, Callable[[bytes], Iterable[str | bytes]]] = {
    "whitespace": lambda line: line.decode().split(),
    "ascii_whitespace": lambda line: line.decode() and line.split(),
    "blank": lambda line: line.decode().split(" "),
    "char": lambda line: line.decode(),
    "nonspace": lambda line: "".join(line.decode().split()),
    "chrf": lambda line: [part for word in line.decode().split() for part in _without_punctuation(word)],
    "13a": lambda line: western(line.decode()),
    "zh": lambda line: chinese(line.decode()),
    "intl": lambda line: international(line.decode()),
}
"""How a line becomes tokens. Each function decodes the line, so that invalid UTF-8 is refused by every split."""

PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def _without_punctuation(word: str) -> list[str]:
    """Return a word with one ASCII punctuation mark at its end, or else at its start, set apart, as chrF++ does."""
    if len(word) > 1 and word[-1] in PUNCTUATION:
        return [word[:-1], word[-1]]
    if len(word) > 1 and word[0] in PUNCTUATION:
        return [word[0], word[1:]]
    return [word]


def encode(texts: Sequence[Lines], split: str) -> list[Encoded]:
    """Turn texts into ids that are equal where tokens are equal, across all texts of the call.

    Ids count up from 0 in the order in which tokens first occur. Raises InvalidTextError for bytes that are not UTF-8,
    KeyError for an unknown split and ValueError for lines that reach outside of their data.
    """
    check_texts(texts, split)
    vocabulary: dict[str | bytes, int] = {}
    tokenize = SPLITS[split]
    result = []
    for number, text in enumerate(texts):
        ids: list[int] = []
        offsets = [0]
        for index, line in enumerate(text.texts()):
            try:
                ids.extend(vocabulary.setdefault(token, len(vocabulary)) for token in tokenize(line))
            except UnicodeDecodeError as error:
                raise InvalidTextError(number, index, error.start) from None
            offsets.append(len(ids))
        result.append(Encoded(np.array(ids, np.int32), np.array(offsets, np.int64)))
    return result
