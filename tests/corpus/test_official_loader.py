"""What is odd in a gold file is found line by line, or known not to be there by a few searches in the whole file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.corpus import edit_views as official_loader
from pipeline.corpus.edits.m2_files import NOOP

if TYPE_CHECKING:
    from pathlib import Path

END = "REQUIRED|||-NONE-"
ORDINARY = ["S a b", f"A 0 1|||R|||x|||{END}|||0", NOOP, "", ""]
ODD = [
    "S",
    "S ",
    " ",
    "\u3000",
    "I x",
    "S a\u2028b",
    "S c\x85d",
    f"A -1 -1|||R|||x|||{END}|||0",
    f"A 0 1|||noop|||-NONE-|||{END}|||1",
    f"A 0 1|||R|||noop|||{END}|||1",
]


@settings(max_examples=500, deadline=None)
@given(
    pieces=st.lists(st.sampled_from([*ORDINARY, *ORDINARY, *ODD]), max_size=8),
    ends=st.sampled_from(["\n", "\n", "\n", "\r\n"]),
    begin=st.sampled_from(["", "", "", "\ufeff", "\n"]),
)
def test_searches_find_the_same_as_a_look_at_each_line(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str], ends: str, begin: str
) -> None:
    path = tmp_path_factory.mktemp("odd") / "gold.m2"
    path.write_bytes((begin + ends.join(["S first", *pieces]) + ends).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(official_loader, "LARGEST", -1)  # every file is too large for searches
        expected = official_loader.odd_lines(path, "gold.m2")
    assert official_loader.odd_lines(path, "gold.m2") == expected


def test_nothing_is_read_line_by_line_in_an_ordinary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "gold.m2"
    path.write_text("\n".join([*ORDINARY, "S c", "", ""]), encoding="utf-8")
    monkeypatch.delattr(official_loader, "numbered_lines")
    assert official_loader.odd_lines(path, "gold.m2") == ([], [])
