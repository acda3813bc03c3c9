"""Text to ids: lines are split into tokens, and each distinct token gets a number; and strings
joined to UTF-8.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

import numpy as np

from ...arrays import Ints
from ...errors import InvalidTextError
from ..characters import ASCII_ALONE, CHINESE, Range, in_category
from ..common import FOLDS, Encoded, Lines, Words, check_lines

# The tokenisers 13a, zh and intl as their authors wrote them: substitutions, one after the other.
#
# Sources: mteval-v13a.pl and mteval-v14.pl (NIST), and sacreBLEU, which removes white space at the
# end of the line first. The compiled kernel does the same in one pass. The kinds of characters are
# in `characters.py`.


def _any_of(ranges: Iterable[Range]) -> str:
    """Return what stands inside the brackets of a pattern for these characters."""
    return "".join(f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in ranges)


ASCII_MARK, CHINESE_SIGN = (
    re.compile(f"[{_any_of(ASCII_ALONE)}]"),
    re.compile(f"[{_any_of(CHINESE)}]"),
)
NUMBER, POINT, SIGN = (_any_of(in_category(name)) for name in "NPS")
POINT_AFTER, POINT_BEFORE = (
    re.compile(f"([^{NUMBER}])([{POINT}])"),
    re.compile(f"([{POINT}])([^{NUMBER}])"),
)
"""Punctuation after, and before, a character that is no number."""
SYMBOL = re.compile(f"[{SIGN}]")


def western(text: str) -> list[str]:
    """Return the tokens of a line by 13a. Its entities have been replaced before."""
    return _points(f" {text.rstrip()} ").split()


def chinese(text: str) -> list[str]:
    """Return the tokens of a line by zh."""
    return _points(CHINESE_SIGN.sub(r" \g<0> ", text.strip())).split()


def international(text: str) -> list[str]:
    """Return the tokens of a line by intl."""
    text = POINT_BEFORE.sub(r" \1 \2", POINT_AFTER.sub(r"\1 \2 ", text.rstrip()))
    return SYMBOL.sub(r" \g<0> ", text).split()


def _points(text: str) -> str:
    """Put blanks around ASCII punctuation: full stops and commas unless between digits, dashes only
    after a digit."""
    text = ASCII_MARK.sub(r" \g<0> ", text)
    text = re.sub("([^0-9])([.,])", r"\1 \2 ", text)
    text = re.sub("([.,])([^0-9])", r" \1 \2", text)
    return re.sub("([0-9])-", r"\1 - ", text)


SPLITS: dict[str, Callable[[bytes], Iterable[str]]] = {
    "whitespace": lambda line: line.decode().split(),
    "ascii_whitespace": lambda line: line.decode() and [word.decode() for word in line.split()],
    "blank": lambda line: line.decode().split(" "),
    "char": lambda line: line.decode(),
    "nonspace": lambda line: "".join(line.decode().split()),
    "chrf": lambda line: [
        part for word in line.decode().split() for part in _without_punctuation(word)
    ],
    "fields": lambda line: re.split(r"\n|\|{3}", line.decode()),
    "13a": lambda line: western(line.decode()),
    "zh": lambda line: chinese(line.decode()),
    "intl": lambda line: international(line.decode()),
}
"""How a line becomes tokens. Each function decodes the line, so that invalid UTF-8 is refused by
every split."""

CHRF_MARKS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def _without_punctuation(word: str) -> list[str]:
    """Return a word with one ASCII punctuation mark at its end, or else at its start, set apart, as
    chrF++ does.
    """
    if len(word) > 1 and word[-1] in CHRF_MARKS:
        return [word[:-1], word[-1]]
    if len(word) > 1 and word[0] in CHRF_MARKS:
        return [word[0], word[1:]]
    return [word]


def encode(texts: Sequence[Lines], split: str) -> list[Encoded]:
    """Turn texts into ids that are equal where tokens are equal, across all texts of the call.

    Ids count up from 0 in the order in which tokens first occur. Raises InvalidTextError for bytes
    that are not UTF-8, KeyError for an unknown split and ValueError for lines that reach outside of
    their data."""
    return _numbered(texts, SPLITS[split], {})


def _numbered(
    texts: Sequence[Lines], tokenize: Callable[[bytes], Iterable[str]], vocabulary: dict[str, int]
) -> list[Encoded]:
    """Return texts as ids of their tokens, which are counted up in the vocabulary."""
    check_lines(texts)
    result = []
    for number, text in enumerate(texts):
        ids: list[int] = []
        offsets = [0]
        for index, line in enumerate(text.texts()):
            try:
                ids.extend(
                    vocabulary.setdefault(token, len(vocabulary)) for token in tokenize(line)
                )
            except UnicodeDecodeError as error:
                raise InvalidTextError(number, index, error.start) from None
            offsets.append(len(ids))
        result.append(Encoded(np.array(ids, np.int32), np.array(offsets, np.int64)))
    return result


_WORD = re.compile("[a-z0-9]+")


def words(texts: Sequence[Lines], split: str) -> Words:
    """Do what encode() does, and return the distinct tokens too. `split` may also be one of FOLDS.

    Words are then runs of a-z and 0-9 after lower-casing. With google, this is str.lower(), which
    also turns KELVIN SIGN and I WITH DOT ABOVE into ASCII letters; with perl, it is only A-Z.
    Raises KeyError for an unknown split or fold, and otherwise as encode() does."""
    vocabulary: dict[str, int] = {}

    def folded(line: bytes) -> list[str]:
        return _WORD.findall(line.decode().lower() if split == "google" else line.lower().decode())

    result = _numbered(texts, folded if split in FOLDS else SPLITS[split], vocabulary)
    distinct = [token.encode() for token in vocabulary]
    return Words(result, b"".join(distinct), np.cumsum([*map(len, distinct)], dtype=np.int64))


def joined(texts: Iterable[str]) -> tuple[tuple[str, ...], bytes, Ints, list[int]]:
    """Return texts as plain strings, joined in UTF-8, with the edges between them, and which have
    no token.

    The edges are int64 [texts + 1], in bytes. Texts without a token are told by their numbers, from
    1. Raises UnicodeEncodeError where a text holds half of a surrogate pair."""
    strings = tuple(map(str.__str__, texts))
    encoded = [text.encode() for text in strings]
    edges = np.fromiter(accumulate(map(len, encoded), initial=0), np.int64, len(strings) + 1)
    return (
        strings,
        b"".join(encoded),
        edges,
        [n for n, text in enumerate(strings, 1) if not text or text.isspace()],
    )
