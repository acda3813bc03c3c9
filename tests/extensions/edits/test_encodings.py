"""Encodings of XML files of gold edits."""

import pytest

from tests.config_files import write
from tests.support.in_process import Call

GOLD = '<scripts><script id="1"><sentence id="1" numann="1"><text>a b</text></sentence></script></scripts>'


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("utf-8", "utf-8"),
        ("UTF-16", "utf-16"),
        ("ISO-8859-1", "latin-1"),
        ("zip", None),
        ("hex", None),
        ("idna", None),
        ("cp037", None),
        ("x" * 3000, None),
    ],
)
@pytest.mark.usefixtures("cwd")
def test_xml_has_few_encodings(name: str, code: str | None, call: Call) -> None:
    text = f'<?xml version="1.0" encoding="{name}"?>\n{GOLD}'
    write({"gold.xml": text.encode(code or "utf-8"), "output": "a b\n"})
    expected = 0 if code else 2
    err = call("score imeasure --gold gold.xml -o output", code=expected).err
    message = (
        f"gold.xml:1: is in the encoding '{name[:40]}'; expected UTF-8, UTF-16"
    )
    assert (message in err) is (code is None)
