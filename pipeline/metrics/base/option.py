"""A setting of a metric, and the settings that metrics over n-grams share."""

from __future__ import annotations

import re
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import did_you_mean
from ...tokenizers import TOKENIZERS
from . import signature

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


_TAKEN = frozenset({"score"})
"""Names of options that a metric has a method of."""


class Option(NamedTuple):
    """A setting of a metric, the same in YAML, signature and command line.

    name: the YAML key, the command line's --name; key: in signatures (in YAML too); default: a value, or a
    function of the options before it; choices: the values allowed, or None for true and false, for a whole number
    where maximum is given, or for a text that matches pattern, as form says; applies: whether the option can
    change a number, given the others (None: always); why: said when it is set and cannot; implicit: left out of
    the signature at its default; free: any text, escaped in the signature; path: against the folder of the file that
    wrote it; told: whether in signatures.
    """

    name: str
    key: str
    default: str | int | bool | Callable[[Mapping[str, Any]], str | int]
    help: str
    choices: tuple[str, ...] | None = None
    minimum: int = 0
    maximum: int | None = None
    applies: Callable[[Any], bool] | None = None
    why: str = ""
    implicit: bool = False
    pattern: str = ""
    form: str = ""
    free: bool = False
    path: bool = False
    told: bool = True

    @property
    def attribute(self) -> str:
        """The name of the metric's attribute."""
        return f"{self.name}_" if iskeyword(self.name) or self.name in _TAKEN else self.name

    def values(self) -> str:
        """Return the allowed values in words."""
        if self.choices:
            return ", ".join(self.choices)
        if self.pattern or self.free:
            return self.form
        return "true, false" if self.maximum is None else f"a whole number from {self.minimum} to {self.maximum}"

    def read(self, text: str) -> str | int | bool:
        """Return the value that a text means; raises ValueError."""
        if self.free:
            if text:
                return signature.unescape(text)
        elif self.choices:
            if text in self.choices:
                return text
        elif self.pattern:
            if re.fullmatch(self.pattern, text):
                return text
        elif self.maximum is None:
            if text in ("true", "false"):
                return text == "true"
        elif re.fullmatch(r"[0-9]{1,18}", text) and self.minimum <= int(text) <= self.maximum:
            return int(text)
        raise ValueError(f"expected {self.values()}, found '{text}'{did_you_mean(text, self.choices or ())}")


def tokenization_options(unit: str = "word") -> tuple[Option, ...]:
    """Return the options that say how text becomes tokens, which metrics over n-grams share."""
    return (
        Option("unit", "unit", unit, "what an n-gram is made of", ("word", "char")),
        Option(
            "tokenizer",
            "tok",
            "whitespace",
            "how lines are split into words",
            tuple(name for name in TOKENIZERS if name != "char"),
            applies=lambda m: m.unit == "word",
            why="unit char takes every code point",
        ),
        Option(
            "strip",
            "strip",
            False,
            "drop white space at both ends of lines first",
            applies=lambda m: m.unit == "char" or m.tokenizer != "whitespace",
            why="tokenizer whitespace ignores it anyway",
            implicit=True,
        ),
        Option("lowercase", "lc", False, "compare without upper case", implicit=True),
    )


LEVEL = Option(
    "level", "level", "corpus", "score the corpus, or the mean of sentence scores", ("corpus", "mean"), implicit=True
)
