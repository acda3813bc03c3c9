"""Writes `pipeline/kernel/categories.txt` from the package regex: `python -m
tests.tools.make_categories`.

The tokeniser intl asks for Unicode's punctuation, symbols and numbers as the package regex knows
them, since sacreBLEU asks it. Python's own table (unicodedata) is another with every version of
Python."""

from __future__ import annotations

from pathlib import Path

TARGET = Path(__file__).parents[2] / "pipeline" / "kernel" / "categories.txt"


def ranges(category: str) -> list[tuple[int, int]]:
    """Return first and last code points of the stretches that have a category."""
    import regex

    pattern = regex.compile(rf"\p{{{category}}}")
    members = [
        code
        for code in range(0x110000)
        if not 0xD800 <= code < 0xE000 and pattern.match(chr(code))
    ]
    found: list[tuple[int, int]] = []
    for code in members:
        if found and found[-1][1] == code - 1:
            found[-1] = (found[-1][0], code)
        else:
            found.append((code, code))
    return found


def render() -> str:
    """Return the text of the file."""
    listed = {
        name: (f"{a:X}" if a == b else f"{a:X}-{b:X}" for a, b in ranges(name))
        for name in "PSN"
    }
    return "".join(
        f"{name} {' '.join(written)}\n" for name, written in listed.items()
    )


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")
