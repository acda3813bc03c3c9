"""The pictures of README.md show what the program shows today: their size, their texts and what
README says of them.
"""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.conftest import ROOT
from tests.extensions.page.browser import Browser
from tests.tools.pictures import (
    FOLDER,
    SHOTS,
    TERMINAL,
    Shot,
    read,
    terminal,
    thirteen,
)

Image = pytest.importorskip("PIL.Image")
ANEW = "make them anew: python -m tests.tools.pictures"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return thirteen(tmp_path_factory.mktemp("thirteen"))


@pytest.mark.parametrize("shot", SHOTS, ids=[shot.file for shot in SHOTS])
def test_pictures_of_the_page_are_of_today(
    browser: Browser, run: Path, shot: Shot
) -> None:
    with Image.open(FOLDER / shot.file) as picture:
        assert (picture.width, picture.height) == (shot.width, shot.height), (
            ANEW
        )
        printed = dict(picture.text)
    assert printed["Title"] == shot.alt, ANEW
    assert printed["Description"] == read(browser, shot, run), ANEW
    browser.size()


def test_the_picture_of_a_terminal_is_of_today(run: Path) -> None:
    def texts(drawing: str) -> list[str]:
        root = ET.fromstring(drawing)  # noqa: S314
        return [
            "".join(node.itertext())
            for node in root.iter("{http://www.w3.org/2000/svg}text")
        ]

    found = texts((FOLDER / TERMINAL).read_text(encoding="utf-8"))
    assert found == texts(terminal(run)), ANEW
    assert any("careful-75" in text for text in found)


def test_readme_says_what_its_pictures_show() -> None:
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    for shot in SHOTS:
        assert re.search(
            rf"\[{re.escape(shot.alt)}\]\(\S*{re.escape(shot.file)}\)", readme
        ), shot.alt
    assert sorted(file.name for file in FOLDER.iterdir()) == sorted(
        [*(shot.file for shot in SHOTS), TERMINAL]
    )
