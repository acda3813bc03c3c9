"""Tokenisers of the packages sacrebleu and sacremoses, which are optional, and which one suits a language."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ConfigError, InputError
from ..io.java import PACKAGE
from ..kernel.common import Lines, join_lines


class Borrowed(NamedTuple):
    """Where a tokeniser is, and how to install what it needs."""

    module: str
    name: str
    """The name of the class."""
    install: str
    """What follows `pip install`."""
    options: Mapping[str, bool] = {}
    """What the tokeniser is called with, beside the text."""
    method: str = "__call__"
    needs: str = ""
    """The package that it comes from, where the module is our own."""

    @property
    def package(self) -> str:
        """The package that it comes from."""
        return self.needs or self.module.partition(".")[0]


MANY = "many"
"""The method of a tokeniser that takes a list of texts."""
BORROWED = {
    "ja-mecab": Borrowed("sacrebleu.tokenizers.tokenizer_ja_mecab", "TokenizerJaMecab", "sacrebleu[ja]"),
    "ko-mecab": Borrowed("sacrebleu.tokenizers.tokenizer_ko_mecab", "TokenizerKoMecab", "sacrebleu[ko]"),
    "spm": Borrowed("sacrebleu.tokenizers.tokenizer_spm", "TokenizerSPM", "sacrebleu sentencepiece"),
    "flores101": Borrowed("sacrebleu.tokenizers.tokenizer_spm", "Flores101Tokenizer", "sacrebleu sentencepiece"),
    "flores200": Borrowed("sacrebleu.tokenizers.tokenizer_spm", "Flores200Tokenizer", "sacrebleu sentencepiece"),
    "spBLEU-1K": Borrowed("sacrebleu.tokenizers.tokenizer_spm", "spBLEU1KTokenizer", "sacrebleu sentencepiece"),
    "moses": Borrowed("sacremoses", "MosesTokenizer", "sacremoses", {"escape": False, "return_str": True}, "tokenize"),
    "penn": Borrowed("sacremoses", "MosesTokenizer", "'sacremoses<0.1'", {"return_str": True}, "penn_tokenize"),
    "ptb": Borrowed(f"{__package__}.ptb", "Ptb", f"--no-deps {PACKAGE}", {}, MANY, PACKAGE),
}


@functools.cache
def _tokenizer(name: str) -> Callable[[Any], Any]:
    """Return a tokeniser of a package; raises InputError where it cannot be used. Models are not fetched."""
    module, attribute, install, options, method, _ = BORROWED[name]
    try:
        if models := getattr(import_module(module), "SPM_MODELS", {}):  # sacreBLEU would fetch one into the home folder
            model = Path(
                import_module("sacrebleu.utils").SACREBLEU_DIR, "models", Path(url := models[name]["url"]).name
            )
            if not model.is_file():
                raise LookupError(f"{model} is not there, and is not fetched unasked: save {url} under this name")
        made = getattr(import_module(module), attribute)()
        use = made if method == "__call__" else functools.partial(getattr(made, method), **options)
        if method != MANY:
            use("a b.")  # some versions of a package fail at every text
    except Exception as error:  # noqa: BLE001 (whatever is wrong with a model, a dictionary or the network)
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"tokenizer {name}: cannot be used ({reason}); it needs: pip install {install}") from None
    return use


def prepare(name: str, lines: Lines) -> Lines:
    """Return lines with white space between tokens.

    Raises InputError where the tokeniser cannot be used, and UnicodeDecodeError for bytes that are not UTF-8.
    """
    tokenizer, texts = _tokenizer(name), [line.decode().rstrip() for line in lines.texts()]
    many = BORROWED[name].method == MANY
    return join_lines(text.encode() for text in (tokenizer(texts) if many else map(tokenizer, texts)))


def unavailable(name: str) -> str | None:
    """Return why a tokeniser cannot be used; None where it can be used, or is our own."""
    try:
        if name in BORROWED:
            _tokenizer(name)
    except InputError as error:
        return str(error)
    return None


def signature(name: str) -> str:
    """Return what sacreBLEU calls its tokeniser, with the version of the dictionary; "" for those of others."""
    if BORROWED[name].package != "sacrebleu":
        return ""
    return str(getattr(_tokenizer(name), "signature")())  # noqa: B009 (the package has no types)


def version(name: str) -> str:
    """Return the versions of package and dictionary that tokens depend on; "" where a tokeniser is our own."""
    if name not in BORROWED:
        return ""
    from importlib import metadata  # here, because it takes longer to load than most of this program

    package = BORROWED[name].package
    return ", ".join(filter(None, (f"{package} {metadata.version(package)}", signature(name))))


USUAL = "13a"
"""The tokeniser of languages that have none of their own."""
SPECIAL = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
"""The tokenisers of languages that write no blanks between words, or many endings."""
MISTAKEN = {"jp": "ja", "cn": "zh", "jpn": "ja", "zho": "zh", "chi": "zh", "cmn": "zh", "kor": "ko"}
"""Codes of countries, and of three letters, that stand for a language which has a tokeniser of its own."""


def tokenizer_of_pair(pair: str) -> str:
    """Return the tokeniser for the outputs of a pair such as en-ja, from the first language to the second.

    Raises ConfigError for what is no pair, and for codes that are often mistaken for others.
    """
    codes = pair.split("-")
    if len(codes) != 2 or not all(re.fullmatch("[a-z]{2,3}", code) for code in codes):
        raise ConfigError(f"-l {pair}: expected two codes of languages, source and target, such as en-ja")
    for code in codes:
        if code in MISTAKEN:
            raise ConfigError(f"-l {pair}: the code of this language is {MISTAKEN[code]}, not {code}")
    return SPECIAL.get(codes[1], USUAL)
