"""Signatures: the name of a metric with all its settings, as one word that can be copied and read again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

INFORMATIVE = frozenset({"nrefs", "v"})
"""Keys that describe the run and not the metric. parse() leaves them out."""

SACREBLEU = "2.6.0"
"""The release of sacreBLEU that BLEU and chrF reproduce. It stands in sacreBLEU's own signatures."""

_PLAIN = re.compile(r"[A-Za-z0-9_.+-]+")
_VALUE = re.compile(r"[A-Za-z0-9_.+:*-]+")
"""A value in a signature. The types of edits have colons."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_ .+^²-]*")
"""A name as people may write it, such as chrF++ or Google GLEU. render() is given names without these signs."""

_ESCAPED = re.compile(r"x((?:\.[0-9a-f]{2})+)")


def escape(text: str) -> str:
    """Return a text as a value of a signature: unchanged if signatures allow it, else its bytes as x.3c.6e ..."""
    plain = _PLAIN.fullmatch(text) and not _ESCAPED.fullmatch(text)
    return text if plain else "x" + "".join(f".{byte:02x}" for byte in text.encode())


def unescape(text: str) -> str:
    """Return the text that escape() was given. Raises ValueError if its bytes are not UTF-8."""
    escaped = _ESCAPED.fullmatch(text)
    return bytes.fromhex(escaped[1].replace(".", "")).decode() if escaped else text


def render(name: str, settings: Iterable[tuple[str, object]]) -> str:
    """Return "name|key:value|...", in the order given.

    Raises ValueError for a value with a character outside [A-Za-z0-9_.+:*-], which parse() could not read.
    """
    parts = [name]
    for key, value in settings:
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if not _VALUE.fullmatch(text):
            raise ValueError(f"{key}: {text!r} cannot stand in a signature")
        parts.append(f"{key}:{text}")
    return "|".join(parts)


def parse(text: str) -> tuple[str, dict[str, str]]:
    """Return the name and settings of "name", "name|key:value|..." or "name[key=value,...]".

    Raises ConfigError where the text has none of these forms or repeats a key.
    """
    text = text.strip()
    if "[" in text:
        name, _, rest = text.partition("[")
        if not rest.endswith("]"):
            raise ConfigError(f"'{text}': the closing ']' is missing")
        inside = rest[:-1].strip()
        pairs = [item.partition("=") for item in inside.split(",")] if inside else []
    else:
        name, *items = text.split("|")
        pairs = [item.partition(":") for item in items]
    name = name.strip()
    if not _NAME.fullmatch(name):
        raise ConfigError(f"'{text}': expected name, name[key=value,...] or name|key:value|...")
    settings: dict[str, str] = {}
    for raw_key, separator, raw_value in pairs:
        key, value = raw_key.strip(), raw_value.strip()
        if not separator or not key or not _VALUE.fullmatch(value):
            raise ConfigError(f"'{text}': '{raw_key}{separator}{raw_value}' is not a key and a value")
        if key in settings:
            raise ConfigError(f"'{text}': '{key}' is given twice")
        settings[key] = value
    return name, {key: value for key, value in settings.items() if key not in INFORMATIVE}


SAMPLES = {"approximate_randomization": ("ar", "trials"), "paired_bootstrap": ("bs", "resamples")}
"""What sacreBLEU's signatures call the samples of a paired test, and the setting that has their number."""


def with_samples(peer: str, statistics: Mapping[str, Any], test: str = "paired_bootstrap") -> str:
    """Return sacreBLEU's signature with the number of samples and the seed, as it prints for intervals and tests.

    `statistics` are the settings as results.json has them. Of other tests than sacreBLEU's the signature is as it was.
    """
    if test not in SAMPLES:
        return peer
    key, setting = SAMPLES[test]
    name, references, *rest = peer.split("|")
    return "|".join([name, references, f"{key}:{statistics[setting]}", f"seed:{statistics['seed']}", *rest])
