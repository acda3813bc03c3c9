"""The table of tokenisers. An entry says how a tokeniser works, and what help prints of it."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from ..kernel.common import Lines
from ..lookup import Table, later
from .sacrebleu import BORROWED, prepare


class Tokenizer(NamedTuple):
    """How a tokeniser works, and its line of help."""

    split: str
    """How the kernel splits the prepared lines: one of SPLITS or FOLDS in `kernel/common.py`."""
    prepare: Callable[[Lines], Lines] | None
    """What is done to the lines before the split, or None."""
    help: str
    expects: str = ""
    """Which texts it is for.

    They are "tokens" with white space between tokens, "text" as people write it, or "" for both. Of
    "words" only letters and digits are read, without regard to case.
    """
    signs: str = ""
    """ASCII characters: `prepare` changes no line without any of them. Empty: it may change any."""

    def changes(self, data: bytes) -> bool:
        """Return whether `prepare` may change lines of this UTF-8 text."""
        if self.prepare is None:
            return False
        return not self.signs or any(
            sign in data for sign in self.signs.encode()
        )


TOKENIZERS: Table[Tokenizer] = Table(
    __package__,
    {
        "whitespace": Tokenizer(
            "whitespace",
            None,
            "at Unicode white space, as Python 3's str.split() (sacreBLEU's none)",
            "tokens",
        ),
        "ascii_whitespace": Tokenizer(
            "ascii_whitespace",
            None,
            "at ASCII white space, as Python 2's str.split()",
            "tokens",
        ),
        "blank": Tokenizer(
            "blank",
            None,
            "at every single blank, as str.split(' '): two blanks make an empty token",
            "tokens",
        ),
        "char": Tokenizer(
            "char",
            None,
            "every code point, blanks included; in bleu only of flavour nltk, else nonspace",
        ),
        "nonspace": Tokenizer(
            "nonspace",
            None,
            "every code point but white space (sacreBLEU's char)",
        ),
        "13a": Tokenizer(
            "13a",
            later(__package__, "tercom.mteval"),
            "punctuation apart, as mteval-v13a and sacreBLEU do for Western languages",
            "text",
            signs="&<\n",
        ),
        "zh": Tokenizer(
            "zh",
            None,
            "Chinese characters apart, the rest nearly as 13a; as sacreBLEU",
        ),
        "intl": Tokenizer(
            "intl",
            None,
            "punctuation and symbols of all scripts apart, as mteval-v14 and sacreBLEU",
            "text",
        ),
        "chrf": Tokenizer(
            "chrf",
            None,
            "at white space, one ASCII punctuation mark apart, as chrF++'s words",
        ),
        "google": Tokenizer(
            "google",
            None,
            "as rouge-score: lower-cased, then runs of a-z and 0-9; all else is dropped",
            "words",
        ),
        "perl": Tokenizer(
            "perl",
            None,
            "as ROUGE-1.5.5: the same, but A-Z alone are lower-cased",
            "words",
        ),
        "unicode": Tokenizer(
            "whitespace",
            later(__package__, "tokenization.unicode_words"),
            "lower-cased runs of letters and digits; ideographs stand alone",
            "words",
        ),
    },
    kind="tokenizers",
)

for _name, _entry in BORROWED.items():
    TOKENIZERS[_name] = Tokenizer(
        "whitespace",
        partial(prepare, _name),
        f"of {_entry.package}, pip install {_entry.install}",
    )

OWN = "own"
"""The tokeniser of metrics whose tokens a program of the user has made, also with a name: own+NAME.

Texts of files have no such tokens, so it is not in the table. See `own_tokens.py`.
"""
_OWN = Tokenizer(
    "whitespace", None, "tokens that a program of the user has made", "tokens"
)


def is_own(name: str) -> bool:
    """Return whether a name of a tokeniser stands for tokens that a program of the user has made."""
    return name.partition("+")[0] == OWN


def tokenizer_named(name: str) -> Tokenizer:
    """Return the tokeniser of a name; raises KeyError for an unknown one."""
    return _OWN if is_own(name) else TOKENIZERS[name]
