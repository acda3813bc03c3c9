"""Tokenisers of the optional packages sacrebleu, sacremoses and pycocoevalcap; those of languages."""

import functools
import re
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ConfigError, InputError
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
    spec: str = ""
    """The package that it comes from, if the module is one of this program."""

    @property
    def package(self) -> str:
        """The package that it comes from."""
        return self.spec or self.module.partition(".")[0]


PACKAGE = "pycocoevalcap"
"""A package of Python that has the jars of PTBTokenizer and METEOR."""

MANY = "many"
"""The method of a tokeniser that takes a list of texts."""

_SPM = "sacrebleu.tokenizers.tokenizer_spm"
_SPM_INSTALL = "sacrebleu sentencepiece"

BORROWED = {
    "ja-mecab": Borrowed(
        "sacrebleu.tokenizers.tokenizer_ja_mecab",
        "TokenizerJaMecab",
        "sacrebleu[ja]",
    ),
    "ko-mecab": Borrowed(
        "sacrebleu.tokenizers.tokenizer_ko_mecab",
        "TokenizerKoMecab",
        "sacrebleu[ko]",
    ),
    "spm": Borrowed(_SPM, "TokenizerSPM", _SPM_INSTALL),
    "flores101": Borrowed(_SPM, "Flores101Tokenizer", _SPM_INSTALL),
    "flores200": Borrowed(_SPM, "Flores200Tokenizer", _SPM_INSTALL),
    "spBLEU-1K": Borrowed(_SPM, "spBLEU1KTokenizer", _SPM_INSTALL),
    "moses": Borrowed(
        "sacremoses",
        "MosesTokenizer",
        "sacremoses",
        options={"escape": False, "return_str": True},
        method="tokenize",
    ),
    "penn": Borrowed(
        "sacremoses",
        "MosesTokenizer",
        "'sacremoses<0.1'",
        options={"return_str": True},
        method="penn_tokenize",
    ),
    "ptb": Borrowed(
        f"{__package__}.ptb",
        "Ptb",
        f"--no-deps {PACKAGE}",
        method=MANY,
        spec=PACKAGE,
    ),
}


@functools.cache
def _tokenizer(name: str) -> Callable[[Any], Any]:
    """Return a tokeniser of a package; raises InputError if it cannot be used.

    Models are not fetched.
    """
    borrowed = BORROWED[name]
    try:
        module = import_module(borrowed.module)
        models = getattr(module, "SPM_MODELS", {})
        if models:
            _check_model(models[name]["url"])
        tokenizer: Callable[[Any], Any] = getattr(module, borrowed.name)()
        if borrowed.method != "__call__":
            method = getattr(tokenizer, borrowed.method)
            tokenizer = functools.partial(method, **borrowed.options)
        if borrowed.method != MANY:
            tokenizer("a b.")  # some versions of a package fail at every text
    except Exception as error:  # noqa: BLE001 (of a model, a dictionary or the network)
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(
            f"tokenizer {name}: cannot be used ({reason}); it needs: pip install {borrowed.install}"
        ) from None
    return tokenizer


def _check_model(url: str) -> None:
    """Raise LookupError if sacreBLEU would fetch a model into the home folder."""
    folder = import_module("sacrebleu.utils").SACREBLEU_DIR
    model = Path(folder, "models", Path(url).name)
    if not model.is_file():
        raise LookupError(
            f"{model} is not there, and is not fetched unasked: save {url} under this name"
        )


def prepare(name: str, lines: Lines) -> Lines:
    """Return lines with white space between tokens.

    Raises InputError if the tokeniser cannot be used, and UnicodeDecodeError for bytes that are not
    UTF-8.
    """
    tokenizer = _tokenizer(name)
    texts = [line.decode().rstrip() for line in lines.texts()]
    if BORROWED[name].method == MANY:
        texts = tokenizer(texts)
    else:
        texts = [tokenizer(text) for text in texts]
    return join_lines(text.encode() for text in texts)


def unavailable(name: str) -> str | None:
    """Return why a tokeniser cannot be used; None if it can be used, or is one of this program."""
    try:
        if name in BORROWED:
            _tokenizer(name)
    except InputError as error:
        return str(error)
    return None


def signature(name: str) -> str | None:
    """Return sacreBLEU's signature of its tokeniser, with the version of the dictionary.

    It is empty for tokenisers of other packages, and None for those of this program.
    """
    if name not in BORROWED:
        return None
    if BORROWED[name].package != "sacrebleu":
        return ""
    return str(getattr(_tokenizer(name), "signature")())  # noqa: B009 (the package has no types)


def version(name: str) -> str:
    """Return the versions of package and dictionary that tokens depend on.

    It is empty for a tokeniser of this program.
    """
    if name not in BORROWED:
        return ""
    from importlib import metadata  # here, because it loads slowly

    package = BORROWED[name].package
    versions = f"{package} {metadata.version(package)}"
    of_dictionary = signature(name)
    if of_dictionary:
        versions += f", {of_dictionary}"
    return versions


USUAL = "13a"
"""The tokeniser of all other languages."""
SPECIAL = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
"""The tokenisers of languages that write no blanks between words, or many endings."""
MISTAKEN = {
    "jp": "ja",
    "cn": "zh",
    "jpn": "ja",
    "zho": "zh",
    "chi": "zh",
    "cmn": "zh",
    "kor": "ko",
}
"""Codes of countries, and of three letters, that are mistaken for those of SPECIAL."""


def tokenizer_of_pair(pair: str) -> str:
    """Return the tokeniser for the second language of a pair such as en-ja.

    Raises ConfigError for what is no pair, and for codes that are often mistaken for others.
    """
    codes = pair.split("-")
    if len(codes) != 2 or not all(
        re.fullmatch("[a-z]{2,3}", code) for code in codes
    ):
        raise ConfigError(
            f"-l {pair}: expected two codes of languages, source and target, such as en-ja"
        )
    for code in codes:
        if code in MISTAKEN:
            raise ConfigError(
                f"-l {pair}: the code of this language is {MISTAKEN[code]}, not {code}"
            )
    return SPECIAL.get(codes[1], USUAL)
