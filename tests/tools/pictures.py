"""The pictures of README.md: `python -m tests.tools.pictures` makes them anew, at each release.

They are of a run of thirteen systems, mixed of the four of the sample, by five metrics and by
people. The file of a picture has its text too, so that a test can compare it with what the program
shows today."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import random
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from unittest import mock

from rich.console import Console
from rich.text import Text

from pipeline.cli import dispatch
from tests.conftest import ROOT
from tests.extensions.page import browser as browsers

if TYPE_CHECKING:
    from tests.extensions.page.browser import Browser

FOLDER = ROOT / ".github" / "pictures"
METRICS = ["gleu", "chrf", "m2", "imeasure", "green"]
SHARES = (75, 50, 25)
"""Percentages of the lines that a mixed system has of one of the sample; all others are unchanged.
"""
COLUMNS = 100
"""Columns of letters of the terminal."""


class Shot(NamedTuple):
    """A picture of a part of the page."""

    file: str
    alt: str
    """What README.md says of it to those who do not see it."""
    width: int
    height: int
    address: str
    part: str
    """The selector of what is to be read in it."""


SHOTS = (
    Shot(
        "board.png",
        "thirteen systems by five metrics, and where metrics disagree",
        1440,
        900,
        "",
        ".overview",
    ),
    Shot(
        "sentence.png",
        "a sentence with the edits of two systems, judged by M²",
        1440,
        900,
        "dataset=sample&metric=m2&a=careful-75&b=eager&line=3",
        "#detail",
    ),
)
TERMINAL = "terminal.svg"


def thirteen(folder: Path) -> Path:
    """Run the thirteen systems in a folder, and return the run directory, which has a page."""
    data = ROOT / "data"
    texts = {
        name: (data / "systems" / f"{name}.txt")
        .read_text(encoding="utf-8")
        .splitlines()
        for name in ("careful", "eager", "unchanged", "broken")
    }
    for name in ("careful", "eager", "broken"):
        for share in SHARES:
            chance = random.Random(f"{name} {share}")
            pairs = zip(texts[name], texts["unchanged"], strict=True)
            texts[f"{name}-{share}"] = [
                one if chance.random() < share / 100 else other
                for one, other in pairs
            ]
    for name, lines in texts.items():
        (folder / f"{name}.txt").write_text(
            "".join(f"{line}\n" for line in lines), encoding="utf-8"
        )
    config = {
        "description": "Thirteen systems, mixed of the four of data/",
        "datasets": {
            "sample": {
                "source": str(data / "source.txt"),
                "references": [
                    str(data / f"reference{number}.txt") for number in (0, 1)
                ],
                "gold": str(data / "m2" / "gold.m2"),
            }
        },
        "systems": {name: f"{name}.txt" for name in texts},
        "metrics": METRICS,
        "statistics": {"baseline": "unchanged"},
        "human": {
            "file": str(data / "judgements.csv"),
            "scores": ["expected_wins"],
        },
        "output": {"dir": str(folder / "run"), "formats": ["html"]},
    }
    (folder / "c.json").write_text(json.dumps(config), encoding="utf-8")
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        assert dispatch.main(["run", str(folder / "c.json"), "-q"]) == 0
    return folder / "run"


def read(browser: Browser, shot: Shot, run: Path) -> str:
    """Open what a picture shows, and return what is to be read in it."""
    browser.size(shot.width, shot.height)
    browser.open(run / "report.html", shot.address)
    text = "return document.querySelector(arguments[0]).innerText"
    return re.sub(r"\s+", " ", str(browser.run(text, shot.part))).strip()


def taken(browser: Browser, shot: Shot, run: Path) -> bytes:
    """Return a picture as PNG, with its texts."""
    from PIL import Image, PngImagePlugin

    said = PngImagePlugin.PngInfo()
    said.add_itxt("Title", shot.alt)
    said.add_itxt("Description", read(browser, shot, run))
    found = browser.driver.execute_cdp_cmd(
        "Page.captureScreenshot", {"format": "png"}
    )
    buffer = io.BytesIO()
    Image.open(io.BytesIO(base64.b64decode(found["data"]))).convert(
        "P", palette=Image.Palette.ADAPTIVE
    ).save(buffer, format="png", pnginfo=said, optimize=True)
    return buffer.getvalue()


def terminal(run: Path) -> str:
    """Return as SVG what `show` prints of the run on a terminal."""
    out = io.StringIO()
    surroundings = {
        "COLUMNS": str(COLUMNS),
        "TERM": "xterm-256color",
        "FORCE_COLOR": "1",
    }
    with (
        mock.patch.dict(os.environ, surroundings),
        mock.patch.object(out, "isatty", return_value=True),
        contextlib.redirect_stdout(out),
    ):
        os.environ.pop("NO_COLOR", None)
        assert dispatch.main(["show", str(run)]) == 0
    # signatures are wider than the terminal
    table = out.getvalue().partition("\ngleu = ")[0]
    console = Console(
        record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True
    )
    console.print(Text.from_ansi(table))
    return console.export_svg(title="gec-pipeline show", unique_id="terminal")


def main() -> int:
    """Make all pictures."""
    if reason := browsers.why_missing():
        sys.stderr.write(f"{reason}\n")
        return 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run = thirteen(folder)
        with browsers.browser(folder / "profile") as browser:
            for shot in SHOTS:
                (FOLDER / shot.file).write_bytes(taken(browser, shot, run))
        (FOLDER / TERMINAL).write_text(terminal(run), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
