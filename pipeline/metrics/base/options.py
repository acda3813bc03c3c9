"""Options of metrics, and signatures: the name of a metric with all its settings, as one word.

An option is declared once, as a field of the metric's dataclass:

    order: int = option(4, key="n", help="longest n-grams", minimum=1, maximum=9)

The name of the field is the name of the option. If that is a word of Python or a method of Metric,
the field has an underscore behind it, as in `lambda_` and `score_`. The order of the fields is the
order of signatures. Options that several metrics have are functions that return a field:
`unit: str = unit_option()`.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, fields
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ...errors import ConfigError, did_you_mean
from ...tokenizers import OWN, TOKENIZERS, is_own

# --- signatures


INFORMATIVE = frozenset({"nrefs", "v"})
"""Keys that describe the run and not the metric. parse_signature() leaves them out."""

SACREBLEU = "2.6.0"
"""The release of sacreBLEU that BLEU and chrF reproduce. sacreBLEU's own signatures have it."""

_PLAIN = re.compile(r"[A-Za-z0-9_.+-]+")
_VALUE = re.compile(r"[A-Za-z0-9_.+:*-]+")
"""A value in a signature. The types of edits have colons."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_ .+^²-]*")
"""A name as people may write it, such as chrF++ or Google GLEU. Names in signatures are simpler."""
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
_ESCAPED = re.compile(r"x((?:\.[0-9a-f]{2})+)")


def escape(text: str) -> str:
    """Return a text as a value of a signature; bytes as x.3c.6e if signatures do not allow it."""
    if _PLAIN.fullmatch(text) and not _ESCAPED.fullmatch(text):
        return text
    return "x" + "".join(f".{byte:02x}" for byte in text.encode())


def unescape(text: str) -> str:
    """Return the text that escape() got. Raises ValueError if its bytes are not UTF-8."""
    escaped = _ESCAPED.fullmatch(text)
    if not escaped:
        return text
    return bytes.fromhex(escaped[1].replace(".", "")).decode()


def render_signature(name: str, settings: Iterable[tuple[str, object]]) -> str:
    """Return "name|key:value|..." with the settings in their order.

    Raises ValueError for a value with a character outside [A-Za-z0-9_.+:*-], which
    parse_signature() could not read.
    """
    parts = [name]
    for key, value in settings:
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if not _VALUE.fullmatch(text):
            raise ValueError(f"{key}: {text!r} cannot stand in a signature")
        parts.append(f"{key}:{text}")
    return "|".join(parts)


def parse_signature(text: str) -> tuple[str, dict[str, str]]:
    """Return the name and settings of "name", "name|key:value|..." or "name[key=value,...]".

    Raises ConfigError if the text has none of these forms or repeats a key.
    """
    text = text.strip()
    if "[" in text:
        name, _, rest = text.partition("[")
        if not rest.endswith("]"):
            raise ConfigError(f"'{text}': the closing ']' is missing")
        inside = rest[:-1].strip()
        pairs = (
            [item.partition("=") for item in inside.split(",")]
            if inside
            else []
        )
    else:
        name, *items = text.split("|")
        pairs = [item.partition(":") for item in items]
    name = name.strip()
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"'{text}': expected name, name[key=value,...] or name|key:value|..."
        )
    settings: dict[str, str] = {}
    for raw_key, separator, raw_value in pairs:
        key = raw_key.strip()
        value = raw_value.strip()
        if not separator or not key or not _VALUE.fullmatch(value):
            raise ConfigError(
                f"'{text}': '{raw_key}{separator}{raw_value}' is not a key and a value"
            )
        if key in settings:
            raise ConfigError(f"'{text}': '{key}' is given twice")
        settings[key] = value
    return name, {
        key: value for key, value in settings.items() if key not in INFORMATIVE
    }


def sacrebleu_signature(
    name: str, references: int, *, missing: bool, **settings: object
) -> str:
    """Return sacreBLEU's signature; `missing` says that some lines have fewer references."""
    parts = [name]
    settings = {
        "nrefs": "var" if missing else references,
        **settings,
        "version": SACREBLEU,
    }
    for key, value in settings.items():
        text = ("no", "yes")[value] if isinstance(value, bool) else value
        parts.append(f"{key}:{text}")
    return "|".join(parts)


# --- options


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


def settings_of(owner: Any) -> list[tuple[str, object]]:
    """Return the options of a metric or statistic that can change a number.

    They are keys in signatures with their values.
    """
    settings: list[tuple[str, object]] = []
    for each in owner.options:
        if not each.in_signatures or (each.applies and not each.applies(owner)):
            continue
        value = getattr(owner, each.attribute)
        if each.implicit and value == each.default:
            continue
        settings.append((each.key, escape(value) if each.free else value))
    return settings


class Options:
    """The member `options` of Metric: the options that a class declares, in order of its fields."""

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


def splits_words(metric: Any) -> bool:
    """Return whether a metric splits lines into words: its option unit, if it has one, is word."""
    return bool(getattr(metric, "unit", "word") == "word")


WHERE_STRIPPED: dict[str, Any] = {
    "applies": lambda m: (
        not splits_words(m)
        or not (m.tokenizer == "whitespace" or is_own(m.tokenizer))
    ),
    "why": "tokenizer whitespace ignores it anyway",
    "implicit": True,
}
"""Fields of an option that drops white space at the ends of lines: where this can change tokens."""


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
) -> str:
    """Return the option tokenizer, which has no effect if the metric has the option unit and that
    is char.
    """
    return option(
        default,
        key="tok",
        help=meaning,
        choices=tuple(name for name in TOKENIZERS if name != "char"),
        beside=OWN,
        applies=splits_words,
        why="unit char takes every code point",
    )


def any_tokenizer_option(default: TextDefault, meaning: str, *more: str) -> str:
    """Return the option tokenizer of metrics without the option unit. Its choices are `more` and
    all tokenizers, char included.
    """
    return option(
        default,
        key="tok",
        help=meaning,
        choices=(*more, *TOKENIZERS),
        beside=OWN,
    )


def strip_option() -> bool:
    """Return the option strip of metrics that have the option tokenizer."""
    return option(
        False,
        help="drop white space at both ends of lines first",
        **WHERE_STRIPPED,
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
