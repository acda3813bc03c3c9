"""Text to ids, in Python: lines are split into tokens, and each distinct token gets a number.

Beside it: strings joined to UTF-8.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from string import ascii_lowercase, ascii_uppercase

import numpy as np

from ...arrays import Ints
from ...errors import InvalidTextError
from ..characters import ASCII_ALONE, CHINESE, Range, in_category
from ..common import Encoded, Lines, Words, check_lines

# The tokenisers 13a, zh and intl as their authors wrote them: substitutions, one after the other.
#
# Sources: mteval-v13a.pl and mteval-v14.pl (NIST), and sacreBLEU, which removes white space at the
# end of the line first. The compiled kernel does the same in one pass. The kinds of characters are
# in `characters.py`.


def _any_of(ranges: Iterable[Range]) -> str:
    """Return the inside of the brackets [...] of a regular expression for ranges of code points."""
    parts = []
    for first, last in ranges:
        first_character = re.escape(chr(first))
        last_character = re.escape(chr(last))
        parts.append(f"{first_character}-{last_character}")
    return "".join(parts)


ASCII_MARK = re.compile(f"[{_any_of(ASCII_ALONE)}]")
CHINESE_SIGN = re.compile(f"[{_any_of(CHINESE)}]")
NUMBER = _any_of(in_category("N"))
POINT = _any_of(in_category("P"))
POINT_AFTER = re.compile(f"([^{NUMBER}])([{POINT}])")
"""Punctuation after a character that is no number."""
POINT_BEFORE = re.compile(f"([{POINT}])([^{NUMBER}])")
"""Punctuation before a character that is no number."""
SYMBOL = re.compile(f"[{_any_of(in_category('S'))}]")
WORD = re.compile("[a-z0-9]+")
LOWER_ASCII = str.maketrans(ascii_uppercase, ascii_lowercase)


def western(text: str) -> list[str]:
    """Return the tokens of a line by 13a. Its entities have been replaced before."""
    text = f" {text.rstrip()} "
    return _points(text).split()


def chinese(text: str) -> list[str]:
    """Return the tokens of a line by zh."""
    text = text.strip()
    text = CHINESE_SIGN.sub(r" \g<0> ", text)
    return _points(text).split()


def international(text: str) -> list[str]:
    """Return the tokens of a line by intl."""
    text = text.rstrip()
    text = POINT_AFTER.sub(r"\1 \2 ", text)
    text = POINT_BEFORE.sub(r" \1 \2", text)
    text = SYMBOL.sub(r" \g<0> ", text)
    return text.split()


def _points(text: str) -> str:
    """Put blanks around ASCII punctuation.

    Full stops and commas get them unless between digits, dashes only after a digit.
    """
    text = ASCII_MARK.sub(r" \g<0> ", text)
    text = re.sub("([^0-9])([.,])", r"\1 \2 ", text)
    text = re.sub("([.,])([^0-9])", r" \1 \2", text)
    return re.sub("([0-9])-", r"\1 - ", text)


CHRF_MARKS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def words_and_marks(text: str) -> list[str]:
    """Return the words of chrF++: one ASCII mark at the end, or else at the start, stands alone."""
    words = []
    for word in text.split():
        if len(word) == 1:
            words.append(word)
        elif word[-1] in CHRF_MARKS:
            words += [word[:-1], word[-1]]
        elif word[0] in CHRF_MARKS:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words


def nonspace(text: str) -> str:
    """Return all characters but white space."""
    return "".join(text.split())


def blank_separated(text: str) -> list[str]:
    """Return what stands between blanks, which may be empty."""
    return text.split(" ")


def google_words(text: str) -> list[str]:
    """Return the words of rouge-score: runs of a-z and 0-9 in the text in lower case."""
    return WORD.findall(text.lower())


def perl_words(text: str) -> list[str]:
    """Return the words of ROUGE-1.5.5, which turns only A-Z into lower case."""
    return WORD.findall(text.translate(LOWER_ASCII))


SPLITS: dict[str, Callable[[str], Iterable[str]]] = {
    "whitespace": str.split,
    "ascii_whitespace": re.compile(r"[^ \t\n\r\v\f]+").findall,
    "blank": blank_separated,
    "char": str,
    "nonspace": nonspace,
    "chrf": words_and_marks,
    "fields": re.compile(r"\n|\|{3}").split,
    "13a": western,
    "zh": chinese,
    "intl": international,
}
"""How a line becomes tokens."""

WORD_SPLITS = {"google": google_words, "perl": perl_words, **SPLITS}
"""The same, and what else words() takes: FOLDS."""


def encode(texts: Sequence[Lines], split: str) -> list[Encoded]:
    """Turn texts into ids that are equal where tokens are equal, across all texts of the call.

    Ids count up from 0 in the order in which tokens first occur. Raises InvalidTextError for bytes
    that are not UTF-8, KeyError for an unknown split and ValueError for lines that reach outside of
    their data.
    """
    return _numbered(texts, SPLITS[split], {})


def words(texts: Sequence[Lines], split: str) -> Words:
    """Turn texts into ids as encode() does, and return the distinct tokens too.

    `split` may also be one of FOLDS, for ROUGE: words are then runs of a-z and 0-9 after
    lower-casing. With google, this is str.lower(), which also turns KELVIN SIGN and I WITH DOT
    ABOVE into ASCII letters; with perl, it is only A-Z. Raises KeyError for an unknown split or
    fold, and otherwise as encode() does.
    """
    vocabulary: dict[str, int] = {}
    encoded = _numbered(texts, WORD_SPLITS[split], vocabulary)
    tokens = [token.encode() for token in vocabulary]
    sizes = [len(token) for token in tokens]
    ends = np.cumsum(sizes, dtype=np.int64)
    return Words(encoded, b"".join(tokens), ends)


def _numbered(
    texts: Sequence[Lines],
    tokenize: Callable[[str], Iterable[str]],
    vocabulary: dict[str, int],
) -> list[Encoded]:
    """Tokenise texts, and return the ids of their tokens.

    The vocabulary has the id of each token; a token that it lacks gets the next id. Raises as
    encode() does.
    """
    check_lines(texts)
    encoded = []
    for text_index, text in enumerate(texts):
        ids: list[int] = []
        offsets = [0]
        for line_index, line in enumerate(text.texts()):
            try:
                tokens = tokenize(line.decode())
            except UnicodeDecodeError as error:
                raise InvalidTextError(
                    text_index, line_index, error.start
                ) from None
            for token in tokens:
                next_id = len(vocabulary)
                token_id = vocabulary.setdefault(token, next_id)
                ids.append(token_id)
            offsets.append(len(ids))
        text_ids = np.array(ids, np.int32)
        text_offsets = np.array(offsets, np.int64)
        encoded.append(Encoded(text_ids, text_offsets))
    return encoded


def joined(
    texts: Iterable[str],
) -> tuple[tuple[str, ...], bytes, Ints, list[int]]:
    """Join texts to one string of UTF-8.

    Return the texts as plain strings, the joined bytes, the bounds of the texts in them, int64
    [texts + 1], and the numbers, from 1, of texts that are empty or white space. Raises
    UnicodeEncodeError for a text with half of a surrogate pair.
    """
    strings = tuple(map(str.__str__, texts))  # also of a subclass of str
    encoded = [text.encode() for text in strings]
    sizes = [len(data) for data in encoded]
    bounds = np.cumsum([0, *sizes], dtype=np.int64)
    blank = []
    for number, text in enumerate(strings, 1):
        if not text.strip():
            blank.append(number)
    return strings, b"".join(encoded), bounds, blank
