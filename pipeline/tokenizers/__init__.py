"""Tokenisers by name, tokens of the caller, and what a metric does with both.

To add a tokeniser, write a file here with a function that takes Lines and returns Lines with white
space between the tokens. Then add a line to `table.py`. The names of `__all__` are what other rooms
import.
"""

from typing import TYPE_CHECKING

from ..lookup import lazy_names
from .sacrebleu import SPECIAL, tokenizer_of_pair
from .table import OWN, TOKENIZERS, Tokenizer, is_own

if TYPE_CHECKING:
    from .own_tokens import OwnTexts, References, Splitter, Texts, is_list
    from .ptb import Jar, Ptb
    from .stemmers import STEMMERS, exceptions
    from .tercom import Tercom
    from .tokenization import (
        PreparedTokens,
        Tokenization,
        changed_lines,
        inner_newlines,
    )

__all__ = [
    "OWN",
    "SPECIAL",
    "STEMMERS",
    "TOKENIZERS",
    "Jar",
    "OwnTexts",
    "PreparedTokens",
    "Ptb",
    "References",
    "Splitter",
    "Tercom",
    "Texts",
    "Tokenization",
    "Tokenizer",
    "changed_lines",
    "exceptions",
    "inner_newlines",
    "is_list",
    "is_own",
    "tokenizer_of_pair",
]
if not TYPE_CHECKING:
    __getattr__ = lazy_names(
        __name__,
        {
            "own_tokens": "OwnTexts References Splitter Texts is_list",
            "ptb": "Jar Ptb",
            "stemmers": "STEMMERS exceptions",
            "tercom": "Tercom",
            "tokenization": "PreparedTokens Tokenization changed_lines inner_newlines",
        },
    )
