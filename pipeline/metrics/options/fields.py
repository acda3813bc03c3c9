"""Options of metrics: each is declared once, as a field of the metric's dataclass.

    order: int = option(4, key="n", help="longest n-grams", minimum=1, maximum=9)

The name of the field is the name of the option. If that is a word of Python or a method of Metric,
the field has an underscore behind it, as in `lambda_` and `score_`. The order of the fields is the
order of signatures. Options that several metrics have are functions that return a field:
`unit: str = unit_option()`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import field, fields
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar

from ...errors import did_you_mean
from ...kernel.common import MAX_ORDER
from ...tokenizers import OWN, TOKENIZERS, is_own
from .signatures import escape, unescape

_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")

Value = TypeVar("Value", bound="str | int")
"""The type of an option: text, an integer, or true and false."""
TextDefault = str | Callable[[Mapping[str, Any]], str]
"""The default of a text, which may depend on the other options."""
METADATA = "option"
"""The key under which a field of a dataclass holds its option."""


class Option(NamedTuple):
    """The description of an option, for configs, signatures and the command line.

    The allowed values are true and false, unless choices, maximum, pattern or free say otherwise.
    """

    default: str | int | Callable[[Mapping[str, Any]], str | int]
    """The default value, or a function that computes it from the other options by name."""
    help: str
    """What the option means, for lists and help texts."""
    key: str = ""
    """The name in signatures, which configs may use too. By default the name of the option."""
    choices: tuple[str, ...] | None = None
    """All allowed values."""
    beside: str = ""
    """A value that is allowed beside the choices, alone or with + and a name behind it. Lists do
    not show it."""
    minimum: int = 0
    """The smallest integer allowed, if there is a maximum."""
    maximum: int | None = None
    """The largest integer allowed. An option with a maximum is an integer."""
    pattern: str = ""
    """A regular expression: texts that match it entirely are allowed."""
    numbers: bool = False
    """Whether a text that matches has numbers, each of which is written in one way: 0.90 is 0.9."""
    form: str = ""
    """The allowed texts in words, beside pattern or free."""
    free: bool = False
    """Whether any text is allowed. Signatures escape it."""
    path: bool = False
    """Whether it is a path. A relative path starts at the folder of the config that has it."""
    resolved: Callable[[str, Path], str] | None = None
    """A function that returns the value to store for a text, and the folder of relative paths.

    Its results are unchanged if it gets them again. It raises ConfigError for a text without a
    meaning.
    """
    inner: str = ""
    """The key of a mapping that may be written for the value: `annotator: {model: M}` is
    `annotator: M`."""
    applies: Callable[[Any], bool] | None = None
    """Whether the option can change a number of a metric. None means that it always can."""
    why: str = ""
    """Why the option cannot change a number where it does not apply, for the message about that."""
    implicit: bool = False
    """Whether signatures leave out the option while it has its default."""
    in_signatures: bool = True
    """Whether the option stands in signatures. Metrics that differ only in options that do not are
    equal."""
    attribute: str = ""
    """The name of the field that declares the option."""

    @property
    def name(self) -> str:
        """The name in configs; on the command line it is --name."""
        return self.attribute.removesuffix("_")

    def at(self, attribute: str) -> "Option":
        """Return the option with the name of the field that declares it."""
        named = self._replace(attribute=attribute)
        return named._replace(key=self.key or named.name)

    @property
    def is_truth(self) -> bool:
        """Whether the values are true and false."""
        return not (
            self.free
            or self.choices
            or self.pattern
            or self.maximum is not None
        )

    def default_of(self, settings: Mapping[str, Any]) -> str | int:
        """Return the default, which may depend on the other options."""
        if callable(self.default):
            return self.default(settings)
        return self.default

    def values(self) -> str:
        """Return the allowed values in words."""
        if self.choices:
            return ", ".join(self.choices)
        if self.pattern or self.free:
            return self.form
        if self.maximum is None:
            return "true, false"
        return f"a whole number from {self.minimum} to {self.maximum}"

    def read(self, text: str) -> str | int:
        """Return the value that a text means. Raises ValueError if it is not allowed."""
        if self.free:
            if text:
                return unescape(text)
        elif self.choices:
            is_beside = self.beside and text.partition("+")[0] == self.beside
            if text in self.choices or is_beside:
                return text
        elif self.pattern:
            if re.fullmatch(self.pattern, text):
                return (
                    _NUMBER.sub(_without_zeros, text) if self.numbers else text
                )
        elif self.maximum is None:
            if text in ("true", "false"):
                return text == "true"
        elif (
            re.fullmatch(r"[0-9]{1,18}", text)
            and self.minimum <= int(text) <= self.maximum
        ):
            return int(text)
        hint = did_you_mean(text, self.choices or ())
        raise ValueError(f"expected {self.values()}, found '{text}'{hint}")


def _without_zeros(number: re.Match[str]) -> str:
    """Return a number without needless zeros, so that equal numbers are equal texts."""
    return f"{Decimal(number[0]).normalize():f}"


def option(
    default: Value | Callable[[Mapping[str, Any]], Value], **more: Any
) -> Value:
    """Return a field of a dataclass that is an option.

    The default and the keywords in `more` are the fields of Option, which are explained there. The
    default of the dataclass field is the one that holds if no option is set.
    """
    described = Option(default, **more)
    field_default: Any = described.default_of({})
    declared: Value = field(
        default=field_default,
        compare=described.in_signatures,
        metadata={METADATA: described},
    )
    return declared


class _OptionsOfClass:
    """The member `options` of HasOptions."""

    def __init__(self) -> None:
        self._of_class: dict[type, tuple[Option, ...]] = {}

    def __get__(self, metric: object, owner: type) -> tuple[Option, ...]:
        if owner not in self._of_class:
            options = []
            for declared in fields(owner):
                if METADATA in declared.metadata:
                    options.append(
                        declared.metadata[METADATA].at(declared.name)
                    )
            self._of_class[owner] = tuple(options)
        return self._of_class[owner]


class HasOptions:
    """The part of a dataclass, such as Metric, that knows which of its fields are options."""

    options: ClassVar[_OptionsOfClass] = _OptionsOfClass()
    """The options that the class declares, in the order of its fields: tuple[Option, ...]."""

    @classmethod
    def option_named(cls, key: str) -> Option | None:
        """Return the option of this name, or of this key in signatures."""
        for option in cls.options:
            if key in (option.name, option.key):
                return option
        return None

    def option_settings(self) -> list[tuple[str, object]]:
        """Return the options that can change a number, by their keys in signatures."""
        settings: list[tuple[str, object]] = []
        for option in self.options:
            is_idle = option.applies and not option.applies(self)
            if is_idle or not option.in_signatures:
                continue
            value: Any = getattr(self, option.attribute)
            if option.implicit and value == option.default:
                continue
            if option.free:
                value = escape(value)
            settings.append((option.key, value))
        return settings


def splits_words(metric: Any) -> bool:
    """Return whether a metric splits lines into words: its option unit, if it has one, is word."""
    return bool(getattr(metric, "unit", "word") == "word")


def _reads_line_ends(metric: Any) -> bool:
    """Return whether white space at the ends of lines can change the tokens of a metric."""
    tokenizer = metric.tokenizer
    ignores_it = tokenizer == "whitespace" or is_own(tokenizer)
    return not (splits_words(metric) and ignores_it)


def unit_option() -> str:
    """Return the option unit: words or characters."""
    return option(
        "word",
        help="what an n-gram is made of",
        choices=("word", "char"),
    )


def tokenizer_option(
    default: TextDefault = "whitespace",
    meaning: str = "how lines are split into words",
    *more: str,
    beside_unit: bool = True,
) -> str:
    """Return the option tokenizer, whose choices are `more` and all tokenisers.

    Beside the option unit, it has no effect if that is char, and is not char itself.
    """
    choices = [*more, *TOKENIZERS]
    if beside_unit:
        choices.remove("char")
    return option(
        default,
        key="tok",
        help=meaning,
        choices=tuple(choices),
        beside=OWN,
        applies=splits_words,
        why="unit char takes every code point",
    )


def order_option(
    default: int | Callable[[Mapping[str, Any]], int] = 4,
    meaning: str = "longest n-grams",
    key: str = "n",
    **more: Any,
) -> int:
    """Return an option that is a length of n-grams, from 1 on. `more` is as in number_option()."""
    limits = {"minimum": 1, "maximum": MAX_ORDER, **more}
    return option(default, key=key, help=meaning, **limits)


def strip_option(
    default: Any = False,
    meaning: str = "drop white space at both ends of lines first",
    choices: tuple[str, ...] | None = None,
) -> Any:
    """Return the option strip of metrics that have the option tokenizer."""
    return option(
        default,
        help=meaning,
        choices=choices,
        applies=_reads_line_ends,
        why="tokenizer whitespace ignores it anyway",
        implicit=True,
    )


def lowercase_option() -> bool:
    """Return the option lowercase."""
    return option(
        False,
        key="lc",
        help="compare without upper case",
        implicit=True,
    )


def level_option() -> str:
    """Return the option level: corpus or mean."""
    meaning = "score the corpus, or the mean of sentence scores"
    return option(
        "corpus",
        help=meaning,
        choices=("corpus", "mean"),
        implicit=True,
    )


def number_option(
    default: str | Callable[[Mapping[str, Any]], str],
    meaning: str,
    *,
    digits: int = 3,
    such: str = "2 or 0.5",
    **more: Any,
) -> str:
    """Return an option that is a number with so many digits at most, such as those of `such`, and 6
    decimals at most.

    `more` has further fields of Option, such as `applies`.
    """
    pattern = rf"[0-9]{{1,{digits}}}(\.[0-9]{{1,6}})?"
    form = f"a number such as {such}, with at most 6 decimals"
    return option(
        default,
        help=meaning,
        pattern=pattern,
        numbers=True,
        form=form,
        **more,
    )


def beta_option(default: str = "0.5", **more: Any) -> str:
    """Return the option beta of an F-score. `more` is as in number_option()."""
    return number_option(default, "weight of recall against precision", **more)
