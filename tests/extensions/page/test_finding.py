"""Findings to share: the pictures of a sentence and of a comparison say all that a reader needs to
find them again.
"""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.conftest import ROOT
from tests.extensions.page import browser as browsers
from tests.extensions.page.browser import Browser, report_of

if browsers.lacking():
    pytest.skip(browsers.lacking(), allow_module_level=True)

SAVED = """
const done = arguments[0], blobs = [];
URL.createObjectURL = (blob) => (blobs.push(blob), "data:,");
for (const one of document.querySelectorAll(".takes button")) if (one.textContent === "save") one.click();
const read = async (blob) => blob.type.includes("svg") ? blob.text() : [...new Uint8Array(await blob.arrayBuffer()).slice(0, 24)];
const wait = () => (blobs.length < 2 ? setTimeout(wait, 20) : Promise.all(blobs.map(async (one) => [one.type, await read(one)])).then(done));
wait();
"""
"""A script that presses what saves a picture, and returns what is saved: a text, and the first
bytes of a PNG."""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = ROOT / "data"
    config: dict[str, Any] = {
        "datasets": {"sample": {"gold": str(data / "m2" / "gold.m2")}},
        "systems": [str(data / "systems" / "*.txt")],
        "metrics": ["m2", "gleu[refs=max]"],
        "statistics": {"resamples": "50", "test": "sign"},
    }
    return report_of(tmp_path_factory.mktemp("finding"), config)


def saved(browser: Browser) -> tuple[ET.Element, str, tuple[int, int]]:
    """Return the drawing that is saved, its text in the order of reading, and width and height of
    the PNG.
    """
    found = dict(browser.driver.execute_async_script(SAVED))
    root = ET.fromstring(found["image/svg+xml"])  # noqa: S314
    head = bytes(found["image/png"])
    texts = [
        node.text or ""
        for node in root.iter("{http://www.w3.org/2000/svg}text")
    ]
    assert head[1:4] == b"PNG"
    return (
        root,
        " ".join(" ".join(texts).split()),
        (int.from_bytes(head[16:20]), int.from_bytes(head[20:24])),
    )


@pytest.mark.parametrize("dark", [False, True])
def test_a_sentence_stands_with_its_edits_scores_signature_and_address(
    browser: Browser, page: Path, dark: bool
) -> None:
    browser.size(dark=dark)
    browser.open(page, "dataset=sample&metric=m2&a=careful&b=eager&line=1")
    browser.click("[data-action=picture]")
    root, text, (width, height) = saved(browser)
    assert (width, height) == tuple(
        round(3 * float(root.attrib[name])) for name in ("width", "height")
    )
    source = browser.run("return DATA.texts[DATA.datasets[0].source[0]]")
    assert text.startswith(
        "line 1 of sample, M² source " + " ".join(source.split())
    )
    shown = browser.run(
        "return [...document.querySelectorAll('.card.main .score')].map((one) => one.textContent)"
    )
    for name, score in zip(("A careful", "B eager"), shown, strict=True):
        assert re.search(rf"{name} (.* )?{re.escape(score)}\b", text)
    assert re.search("[✓✗○]", text)
    assert re.sub(r"\s", "", text).endswith(
        "report.html#dataset=sample&metric=m2&a=careful&b=eager&line=1"
    )
    assert "m2|beta:0.5" in re.sub(r"\s", "", text)
    assert str(page.parent) not in ET.tostring(root, encoding="unicode")
    colours = {
        node.get("fill")
        for node in root.iter("{http://www.w3.org/2000/svg}text")
    }
    # dark letters on white, also where the page is dark
    assert "rgb(27, 31, 36)" in colours
    struck = [
        node
        for node in root.iter()
        if node.get("text-decoration") == "line-through"
    ]
    assert struck
    assert [
        one for one in browser.complaints() if "asks for data:image" not in one
    ] == []
    browser.size()


def test_a_comparison_stands_with_its_verdict_and_figures(
    browser: Browser, page: Path
) -> None:
    browser.open(
        page, "dataset=sample&metric=gleu&a=careful&b=eager&part=compare"
    )
    browser.wait(
        "return document.querySelectorAll('#compared figure svg').length > 1",
        True,
    )
    browser.click("#pair-picture")
    root, text, _ = saved(browser)
    told = browser.text("#pair-told")
    assert told.startswith("careful \u2212 eager by GLEU+: +")
    assert text.startswith(" ".join(told.split()))
    assert len(root.findall("{http://www.w3.org/2000/svg}svg")) == 2
    assert "a=careful&b=eager&part=compare" in re.sub(r"\s", "", text)
    assert [
        one for one in browser.complaints() if "asks for data:image" not in one
    ] == []
