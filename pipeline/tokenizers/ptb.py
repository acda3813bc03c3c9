"""Tokens of the suites of COCO and E2E: those of Stanford's PTBTokenizer 3.4.1, in Java, without punctuation."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence

from ..errors import InputError
from ..io.java import Jar

SHA256 = "2fcb91bb7a111f93d71e264f4ee0e3afd19ba0dde6d21b38605088df9e940399"
JAR = Jar("PTBTokenizer 3.4.1", "tokenizer/stanford-corenlp-3.4.1.jar", SHA256)
DROPPED = re.compile(r"(?<!\S)(''?|``?|-L[RC]B-|-R[RC]B-|[.?!,:;]|--?|\.\.\.)(?!\S) ?")
"""The tokens that the suites drop. All are in lower case by then, so that brackets stay."""
ENDS = re.compile("[\r\n\x0b\x0c\u2028\u2029]")
"""Where the program ends a line. In a text each is a blank."""
BETWEEN = "x"
"""A line between texts: whether a point at the end of one is a token may depend on the next line."""
MOST = 1 << 18
"""The most texts whose tokens are remembered."""


class Ptb:
    """The program. What it makes of a text is remembered."""

    def __init__(self) -> None:
        self._jar, self._known = JAR.found(), {"": ""}

    def many(self, texts: Sequence[str]) -> list[str]:
        """Return texts in lower case, with blanks between tokens. Raises InputError where the program fails."""
        texts = [ENDS.sub(" ", text).strip() for text in texts]
        self._known = self._known if len(self._known) < MOST else {"": ""}
        if new := [text for text in dict.fromkeys(texts) if text not in self._known]:
            words = ["java", "-cp", str(self._jar), "edu.stanford.nlp.process.PTBTokenizer"]
            lines = f"\n{BETWEEN}\n".join(new).encode()
            done = subprocess.run(
                [*words, "-preserveLines", "-lowerCase"], input=lines, capture_output=True, check=False
            )
            found = done.stdout.decode().removesuffix("\n").split("\n")[::2]
            if done.returncode or len(found) != len(new):
                raise InputError(f"{JAR.title}: {len(found)} lines of {len(new)}; {done.stderr.decode()[-200:]}")
            self._known |= dict(zip(new, (DROPPED.sub("", line).rstrip() for line in found), strict=True))
        return [self._known[text] for text in texts]
