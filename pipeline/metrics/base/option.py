"""An option of a metric: declared once, as a field of the metric's dataclass.

    order: int = option(4, key="n", help="longest n-grams", minimum=1, maximum=9)

The name of the field is the name of the option. Where that is a word of Python or a method of Metric, the field has an
underscore behind it, as in `lambda_` and `score_`. The order of the fields is the order of signatures.
"""

from __future__ import annotations

import re
from dataclasses import field, fields
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ...errors import did_you_mean
from . import signature

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

Value = TypeVar("Value", bound="str | int")
"""The type of an option: text, a whole number, or true and false."""
METADATA = "option"
"""The key under which a field of a dataclass holds its option."""


class Option(NamedTuple):
    """The description of an option, for configs, signatures and the command line.

    The allowed values are true and false, unless choices, maximum, pattern or free say otherwise.
    """

    default: str | int | Callable[[Mapping[str, Any]], str | int]
    """The value where none is given, or a function that computes it from the options that are given, by name."""
    help: str
    """What the option means, for lists and help texts."""
    key: str = ""
    """The name in signatures, which configs may use too. By default it is the name of the option."""
    choices: tuple[str, ...] | None = None
    """All allowed values."""
    beside: str = ""
    """A value that is allowed beside the choices, alone or with + and a name behind it. Lists do not show it."""
    minimum: int = 0
    """The smallest whole number allowed, where there is a maximum."""
    maximum: int | None = None
    """The largest whole number allowed. An option with a maximum is a whole number."""
    pattern: str = ""
    """A regular expression: texts that match it as a whole are allowed."""
    form: str = ""
    """The allowed texts in words, beside pattern or free."""
    free: bool = False
    """Whether any text is allowed. Signatures escape it."""
    path: bool = False
    """Whether it is a path. A relative path starts at the folder of the config that has it."""
    resolved: Callable[[str, Path], str] | None = None
    """A function that returns what is kept for a text, given the folder from which relative paths start.

    What it returns it has to return unchanged. It raises ConfigError where the text has no meaning here."""
    inner: str = ""
    """The key of a mapping that may be written for the value: `annotator: {model: M}` is `annotator: M`."""
    applies: Callable[[Any], bool] | None = None
    """A function that says whether the option can change a number of a given metric. None means that it always can."""
    why: str = ""
    """Why the option cannot change a number where it does not apply, for the message about that."""
    implicit: bool = False
    """Whether signatures leave out the option while it has its default."""
    in_signatures: bool = True
    """Whether the option stands in signatures. Metrics that differ only in options that do not are equal."""
    attribute: str = ""
    """The name of the field that declares the option."""

    @property
    def name(self) -> str:
        """The name in configs; on the command line it is --name."""
        return self.attribute.removesuffix("_")

    def at(self, attribute: str) -> Option:
        """Return the option with the name of the field that declares it."""
        named = self._replace(attribute=attribute)
        return named._replace(key=self.key or named.name)

    @property
    def is_truth(self) -> bool:
        """Whether the values are true and false."""
        return not (self.free or self.choices or self.pattern or self.maximum is not None)

    def default_of(self, given: Mapping[str, Any]) -> str | int:
        """Return the default, which may depend on the options that are given."""
        return self.default(given) if callable(self.default) else self.default

    def values(self) -> str:
        """Return the allowed values in words."""
        if self.choices:
            return ", ".join(self.choices)
        if self.pattern or self.free:
            return self.form
        return "true, false" if self.maximum is None else f"a whole number from {self.minimum} to {self.maximum}"

    def read(self, text: str) -> str | int:
        """Return the value that a text means. Raises ValueError if it is not allowed."""
        if self.free:
            if text:
                return signature.unescape(text)
        elif self.choices:
            if text in self.choices or (self.beside and text.partition("+")[0] == self.beside):
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


def option(default: Value | Callable[[Mapping[str, Any]], Value], **more: Any) -> Value:
    """Return a field of a dataclass that is an option.

    The default and the keywords in `more` are the fields of Option, which are explained there. The default of the
    dataclass field is the one that holds where no option is given.
    """
    described = Option(default, **more)
    usual: Any = described.default_of({})
    declared: Value = field(default=usual, compare=described.in_signatures, metadata={METADATA: described})
    return declared


class Options:
    """The member `options` of Metric: the options that a class declares, in the order of its fields."""

    def __init__(self) -> None:
        self._read: dict[type, tuple[Option, ...]] = {}

    def __get__(self, metric: object, owner: type) -> tuple[Option, ...]:
        if owner not in self._read:
            declared = {item.name: item.metadata[METADATA] for item in fields(owner) if METADATA in item.metadata}
            self._read[owner] = tuple(option.at(attribute) for attribute, option in declared.items())
        return self._read[owner]
