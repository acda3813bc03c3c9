"""Signatures: the name of a metric with all its settings, as one word."""

import re
from collections.abc import Iterable

from ...errors import ConfigError

INFORMATIVE = frozenset({"nrefs", "v"})
"""Keys that describe the run and not the metric. parse_signature() leaves them out."""

SACREBLEU = "2.6.0"
"""The release of sacreBLEU that BLEU and chrF reproduce. sacreBLEU's own signatures have it."""

_PLAIN = re.compile(r"[A-Za-z0-9_.+-]+")
_VALUE = re.compile(r"[A-Za-z0-9_.+:*-]+")
"""A value in a signature. The types of edits have colons."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_ .+^²-]*")
"""A name as people may write it, such as chrF++ or Google GLEU. Names in signatures are simpler."""
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
