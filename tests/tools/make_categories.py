"""Writes `pipeline/kernel/categories.py` from the package regex: `python -m tests.tools.make_categories`.

The tokeniser intl asks for Unicode's punctuation, symbols and numbers as the package regex knows them, since
sacreBLEU asks it. Python's own table (unicodedata) is another with every version of Python.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap

TARGET = Path(__file__).parents[2] / "pipeline" / "kernel" / "categories.py"
NAMES = {"P": "PUNCTUATION", "S": "SYMBOLS", "N": "NUMBERS"}


def ranges(category: str) -> list[tuple[int, int]]:
    """Return first and last code points of the stretches that have a category."""
    import regex

    pattern = regex.compile(rf"\p{{{category}}}")
    members = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000 and pattern.match(chr(code))]
    found: list[tuple[int, int]] = []
    for code in members:
        if found and found[-1][1] == code - 1:
            found[-1] = (found[-1][0], code)
        else:
            found.append((code, code))
    return found


def render() -> str:
    """Return the text of the file."""
    import regex

    origin = f"made by `python -m tests.tools.make_categories`, regex {regex.__version__}."
    parts = [f'"""Unicode categories as code points in hex; {origin}"""']
    for category, name in NAMES.items():
        written = " ".join(f"{a:X}" if a == b else f"{a:X}-{b:X}" for a, b in ranges(category))
        lines = "\n".join(wrap(written, 116, break_on_hyphens=False))
        parts.append(f'{name} = """\n{lines}\n"""\n"""General category {category}."""')
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")
