"""Tokenisers by name: each turns the lines of a shard into ids.

To add one: a function from Lines to Lines whose tokens are separated by white space, and a line in TOKENIZERS.
"""

from __future__ import annotations

import functools
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .. import kernel
from ..errors import InvalidTextError
from ..kernel.common import FOLDS, Encoded
from ..kernel.lines import Lines, join_lines
from . import sacrebleu
from .stemmers import STEMMERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..kernel.common import Words


class Tokenizer(NamedTuple):
    """A split of the kernel, a function that prepares a shard for it (or None), and a line of help."""

    split: str
    prepare: Callable[[Lines], Lines] | None
    help: str


class _Letters(dict[int, str]):
    """For str.translate: letters, marks and digits stay, ideographs and kana stand alone, all else is white space."""

    ALONE = ((0x3040, 0x3100), (0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00), (0x20000, 0x323B0))

    def __missing__(self, code: int) -> str:
        letter = chr(code) if unicodedata.category(chr(code))[0] in "LMN" else " "
        if letter != " " and any(low <= code < high for low, high in self.ALONE):
            letter = f" {letter} "
        self[code] = letter
        return letter


_LETTERS = _Letters()


def unicode_words(lines: Lines) -> Lines:
    """Return the words of lines, lower-cased, with white space between them."""
    words = []
    for index, line in enumerate(lines.texts()):
        try:
            words.append(line.decode().lower().translate(_LETTERS).encode())
        except UnicodeDecodeError as error:
            raise InvalidTextError(0, index, error.start) from None
    return join_lines(words)


BREAK = b"\xff"
"""What separates lines where a whole shard is changed at once: no UTF-8 has it."""
ENTITIES = ((b"&quot;", b'"'), (b"&amp;", b"&"), (b"&lt;", b"<"), (b"&gt;", b">"))
"""What mteval-v13a replaces, in this order."""


def _mteval(lines: Lines) -> Lines:
    """Replace what mteval-v13a does before it splits: <skipped>, hyphens and newlines inside of lines, entities."""
    data = lines.data
    inside = _newlines_inside(lines)
    entities = b"&" in data and any(entity in data for entity, _ in ENTITIES)
    if not inside and not entities and not (b"<" in data and b"<skipped>" in data):
        return lines
    text = BREAK.join(_bare(lines) if inside else lines.texts()) + BREAK
    for old, new in ((b"<skipped>", b""), (b"-\n", b""), (b"\n", b" "), *ENTITIES):
        text = text.replace(old, new)
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == BREAK[0])[: len(lines.starts)]
    return Lines(text, np.concatenate((np.zeros(1, np.int64), ends + 1))[:-1], ends)


def _newlines_inside(lines: Lines) -> bool:
    """Return whether a line has a newline inside."""
    if not len(lines.starts) or b"\n" not in lines.data:
        return False
    places = np.flatnonzero(np.frombuffer(lines.data, np.uint8) == ord("\n"))
    owners = np.searchsorted(lines.starts, places, side="right") - 1
    return bool(((owners >= 0) & (places < lines.ends[owners])).any())


def _bare(lines: Lines) -> Iterator[bytes]:
    """Yield lines without white space at their ends (a hyphen there is not before a newline)."""
    for line in lines.texts():
        yield line.decode().rstrip().encode() if b"\n" in line else line


TOKENIZERS: dict[str, Tokenizer] = {
    "whitespace": Tokenizer("whitespace", None, "at Unicode white space, as Python 3's str.split() (sacreBLEU's none)"),
    "ascii_whitespace": Tokenizer("ascii_whitespace", None, "at ASCII white space, as Python 2's str.split()"),
    "blank": Tokenizer("blank", None, "at every single blank, as str.split(' '): two blanks make an empty token"),
    "char": Tokenizer("char", None, "every code point, blanks included; in bleu only of flavour nltk, else nonspace"),
    "nonspace": Tokenizer("nonspace", None, "every code point but white space (sacreBLEU's char)"),
    "13a": Tokenizer("13a", _mteval, "punctuation apart, as mteval-v13a and sacreBLEU do for Western languages"),
    "zh": Tokenizer("zh", None, "Chinese characters apart, the rest nearly as 13a; as sacreBLEU"),
    "intl": Tokenizer("intl", None, "punctuation and symbols of all scripts apart, as mteval-v14 and sacreBLEU"),
    "chrf": Tokenizer("chrf", None, "at white space, one ASCII punctuation mark apart, as chrF++'s words"),
    "google": Tokenizer("google", None, "as rouge-score: lower-cased, then runs of a-z and 0-9; all else is dropped"),
    "perl": Tokenizer("perl", None, "as ROUGE-1.5.5: the same, but A-Z alone are lower-cased"),
    "unicode": Tokenizer("whitespace", unicode_words, "lower-cased runs of letters and digits; ideographs stand alone"),
    **{
        name: Tokenizer(
            "whitespace", functools.partial(sacrebleu.prepare, name), f"sacreBLEU's, pip install {b.install}"
        )
        for name, b in sacrebleu.BORROWED.items()
    },
}


@dataclass(frozen=True, order=True)
class Tokenization:
    """How text becomes tokens: a tokeniser, and what is done to each line before."""

    tokenizer: str = "whitespace"
    strip: bool = False
    lowercase: bool = False
    stemmer: str = "none"
    """Of ASCII words alone: tokenizers google and perl."""
    strip_end: bool = False

    @property
    def key(self) -> str:
        """A short name, safe in file names."""
        return "-".join(
            [
                self.tokenizer,
                *(["strip"] if self.strip else ["rstrip"] if self.strip_end else []),
                *(["lc"] if self.lowercase else []),
                *self._stem_key,
            ]
        )

    @property
    def _stem_key(self) -> list[str]:
        return [] if self.stemmer == "none" else [f"stem_{self.stemmer}"]

    @property
    def version(self) -> str:
        """What tokens depend on that is no part of this program: the version of a package, or nothing."""
        return sacrebleu.version(self.tokenizer)

    def encode(self, texts: Sequence[Lines]) -> list[Encoded]:
        """Return the ids of the lines of several texts, equal where tokens are equal."""
        tokenizer = TOKENIZERS[self.tokenizer]
        prepared = [self._prepare(text, tokenizer, number) for number, text in enumerate(texts)]
        if tokenizer.split not in FOLDS:
            return kernel.encode(prepared, tokenizer.split)
        words = kernel.words(prepared, tokenizer.split)
        return words.texts if self.stemmer == "none" else _stemmed(words, STEMMERS[self.stemmer])

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of one text, to be shown: what the ids of encode() stand for."""
        from ..kernel.python.overlap import SPLITS

        (line,) = self._prepare(join_lines([text.encode()]), TOKENIZERS[self.tokenizer], 0).texts()
        if TOKENIZERS[self.tokenizer].split in FOLDS:
            found = kernel.words([join_lines([line])], TOKENIZERS[self.tokenizer].split)
            ends = found.ends.tolist()
            known = [found.data[low:high].decode() for low, high in zip([0, *ends], ends, strict=False)]
            words = [known[number] for number in found.texts[0].ids.tolist()]
            return words if self.stemmer == "none" else [STEMMERS[self.stemmer](word) for word in words]
        split = SPLITS[TOKENIZERS[self.tokenizer].split]
        return [token if isinstance(token, str) else token.decode() for token in split(line)]

    def _prepare(self, text: Lines, tokenizer: Tokenizer, number: int) -> Lines:
        try:
            stripped = self.strip or self.strip_end
            if self.lowercase and not stripped and text.data.isascii():
                text = text._replace(data=text.data.lower())
            elif stripped or self.lowercase:
                text = join_lines(self._clean(line) for line in text.texts())
            return tokenizer.prepare(text) if tokenizer.prepare else text
        except InvalidTextError as error:
            raise InvalidTextError(number, error.line, error.byte) from None
        except UnicodeDecodeError as error:
            index = next(index for index, line in enumerate(text.texts()) if error.object == line)
            raise InvalidTextError(number, index, error.start) from None

    def _clean(self, line: bytes) -> bytes:
        text = line.decode()
        text = text.strip() if self.strip else text.rstrip() if self.strip_end else text
        return (text.lower() if self.lowercase else text).encode()


def _stemmed(words: Words, stem: Callable[[str], str]) -> list[Encoded]:
    """Return texts with the ids of stems in place of those of words."""
    ends = words.ends.tolist()
    text = words.data.decode()
    stems: dict[str, int] = {}
    ids = [stems.setdefault(stem(text[low:high]), len(stems)) for low, high in zip([0, *ends], ends, strict=False)]
    table = np.array(ids, np.int32)
    return [Encoded(table[found.ids], found.offsets) for found in words.texts]
