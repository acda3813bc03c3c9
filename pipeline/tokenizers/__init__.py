"""The table of tokenisers, by name.

To add a tokeniser, write a file here with a function that takes Lines and returns Lines with white
space between the tokens. Then add a line to TOKENIZERS, with "whitespace" as its split.

The names of `__all__` are what other rooms import.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from ..kernel.common import Lines
from ..lookup import Table, later
from .sacrebleu import BORROWED, SPECIAL, prepare, tokenizer_of_pair

if TYPE_CHECKING:
    from .own_tokens import (
        OwnTexts,
        References,
        Splitter,
        Texts,
        is_list,
        outputs_of,
        own_texts,
    )
    from .stemmers import STEMMERS, exceptions
    from .tercom import ENTITIES, Tercom
    from .tokenization import PreparedTokens, Tokenization, changed_lines

__all__ = [
    "ENTITIES",
    "OWN",
    "SPECIAL",
    "STEMMERS",
    "TOKENIZERS",
    "OwnTexts",
    "PreparedTokens",
    "References",
    "Splitter",
    "Tercom",
    "Texts",
    "Tokenization",
    "Tokenizer",
    "changed_lines",
    "exceptions",
    "is_list",
    "is_own",
    "outputs_of",
    "own_texts",
    "tokenizer_called",
    "tokenizer_of_pair",
]
MODULES = {
    "own_tokens": "OwnTexts References Splitter Texts is_list outputs_of own_texts",
    "stemmers": "STEMMERS exceptions",
    "tercom": "ENTITIES Tercom",
    "tokenization": "PreparedTokens Tokenization changed_lines",
}
"""The modules of the names that are imported on first use, for a fast start."""


def __getattr__(name: str) -> Any:
    """Import the module of a name on its first use."""
    for module, names in MODULES.items():
        if name in names.split():
            return getattr(import_module(f".{module}", __name__), name)
    raise AttributeError(f"module 'pipeline.tokenizers' has no attribute '{name}'")


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
        return not self.signs or any(sign in data for sign in self.signs.encode())


TOKENIZERS: Table[Tokenizer] = Table(
    __name__,
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
            "nonspace", None, "every code point but white space (sacreBLEU's char)"
        ),
        "13a": Tokenizer(
            "13a",
            later(__name__, "tercom.mteval"),
            "punctuation apart, as mteval-v13a and sacreBLEU do for Western languages",
            "text",
            signs="&<\n",
        ),
        "zh": Tokenizer(
            "zh", None, "Chinese characters apart, the rest nearly as 13a; as sacreBLEU"
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
            later(__name__, "tokenization.unicode_words"),
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


def tokenizer_called(name: str) -> Tokenizer:
    """Return the tokeniser of a name; raises KeyError for an unknown one."""
    return _OWN if is_own(name) else TOKENIZERS[name]
