"""The kind of each code point for the tokenisers 13a, zh and intl, which both kernels read.

The three tokenisers share their rules and differ in the kinds of characters. 13a takes those of
mteval-v13a, for Western text. zh takes the same, and every Chinese character stands alone. intl
takes those of mteval-v14, which are Unicode's categories.
"""

import functools
from collections.abc import Sequence
from pathlib import Path

OTHER, DIGIT, POINT, ALONE, DASH, SPACE = range(6)
"""The kinds.

ALONE is always a separate token, POINT unless it is between digits, and DASH after a digit.
"""

Range = tuple[int, int]

WHITE_SPACE: tuple[Range, ...] = (
    (0x09, 0x0D),
    (0x1C, 0x20),
    (0x85, 0x85),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
)
"""What str.split() splits at."""

ASCII_ALONE: tuple[Range, ...] = (
    (0x21, 0x26),
    (0x28, 0x2B),
    (0x2F, 0x2F),
    (0x3A, 0x40),
    (0x5B, 0x60),
    (0x7B, 0x7E),
)
"""ASCII punctuation without the apostrophe, comma, dash and full stop."""

CHINESE: tuple[Range, ...] = (
    (0x3400, 0x4DB5),
    (0x4E00, 0x9FA5),
    (0x9FA6, 0x9FBB),
    (0xF900, 0xFA2D),
    (0xFA30, 0xFA6A),
    (0xFA70, 0xFAD9),
    # The next was to be 20000-2A6D6 (extension B), but is read as four hexadecimal digits and a
    # character; then 2F800-2FA1D, read in the same way.
    (0x2001, 0x2A6D),
    (0x2F81, 0x2FA1),
    (0xFF00, 0xFFEF),
    (0x2E80, 0x2EFF),
    (0x3000, 0x303F),
    (0x31C0, 0x31EF),
    (0x2F00, 0x2FDF),
    (0x2FF0, 0x2FFF),
    (0x3100, 0x312F),
    (0x31A0, 0x31BF),
    (0xFE10, 0xFE1F),
    (0xFE30, 0xFE4F),
    (0x2600, 0x26FF),
    (0x2700, 0x27BF),
    (0x3200, 0x32FF),
    (0x3300, 0x33FF),
)
"""What sacreBLEU's zh takes for Chinese characters, with its two slips."""


def in_category(name: str) -> list[Range]:
    """Return the code points of Unicode's general category P, S or N, as regex 2026.11.15 has them.

    They are ranges, first and last included.
    """
    file = Path(__file__).with_name("categories.txt")
    ranges = []
    for line in file.read_text(encoding="ascii").splitlines():
        # such as "N 30-39 B2", in hexadecimal digits
        category, *words = line.split()
        if category == name:
            for word in words:
                first, _dash, last = word.partition("-")
                ranges.append((int(first, 16), int(last or first, 16)))
    return ranges


@functools.cache
def kinds(split: str) -> bytes:
    """Return the kind of every code point for the tokeniser 13a, zh or intl.

    The kind of code point i, such as ALONE, is byte i. Raises KeyError for another tokeniser.
    """
    western: dict[int, Sequence[Range]] = {
        DIGIT: [(ord("0"), ord("9"))],
        POINT: [
            (ord(","), ord(",")),
            (ord("."), ord(".")),
        ],
        ALONE: ASCII_ALONE,
        DASH: [(ord("-"), ord("-"))],
    }
    rules: dict[str, dict[int, Sequence[Range]]] = {
        "13a": western,
        "zh": {**western, ALONE: [*ASCII_ALONE, *CHINESE]},
        "intl": {
            DIGIT: in_category("N"),
            POINT: in_category("P"),
            ALONE: in_category("S"),
        },
    }
    table = bytearray(0x110000)
    for kind, ranges in {**rules[split], SPACE: WHITE_SPACE}.items():
        for first, last in ranges:
            table[first : last + 1] = bytes([kind]) * (last + 1 - first)
    return bytes(table)
