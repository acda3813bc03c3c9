"""Findings to share: the pictures of a sentence and of a comparison say all that a reader needs to
find them again.
"""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.extensions.page import browser as browsers
from tests.extensions.page.browser import Browser, report_of, sample_config

browsers.skip_module()

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
    config = sample_config("m2", "gleu[refs=max]", resamples="50", test="sign")
    del config["datasets"]["sample"]["source"]
    del config["datasets"]["sample"]["references"]
    return report_of(tmp_path_factory.mktemp("finding"), config)


SVG = "{http://www.w3.org/2000/svg}"


def saved(browser: Browser) -> tuple[ET.Element, str, tuple[int, int]]:
    """Return the drawing that is saved, its text in the order of reading, and width and height of
    the PNG.
    """
    found = dict(browser.driver.execute_async_script(SAVED))
    root = ET.fromstring(found["image/svg+xml"])  # noqa: S314
    head = bytes(found["image/png"])
    assert head[1:4] == b"PNG"
    texts = " ".join(node.text or "" for node in root.iter(f"{SVG}text"))
    size = int.from_bytes(head[16:20]), int.from_bytes(head[20:24])
    return root, " ".join(texts.split()), size


def complaints(browser: Browser) -> list[str]:
    """Return complaints but for the picture of which the PNG is drawn."""
    drawn = "asks for data:image"
    return [one for one in browser.complaints() if drawn not in one]


@pytest.mark.parametrize("dark", [False, True])
def test_a_sentence_stands_with_its_edits_scores_signature_and_address(
    browser: Browser, page: Path, dark: bool
) -> None:
    browser.size(dark=dark)
    address = "dataset=sample&metric=m2&a=careful&b=eager&line=1"
    browser.open(page, address)
    browser.click("[data-action=picture]")
    root, text, size = saved(browser)
    sides = (root.attrib[name] for name in ("width", "height"))
    assert size == tuple(round(3 * float(side)) for side in sides)
    source = browser.run("return DATA.texts[DATA.datasets[0].source[0]]")
    start = "line 1 of sample, M² source " + " ".join(source.split())
    assert text.startswith(start)
    scores = browser.texts(".card.main .score")
    for name, score in zip(("A careful", "B eager"), scores, strict=True):
        assert re.search(rf"{name} (.* )?{re.escape(score)}\b", text)
    assert re.search("[✓✗○]", text)
    joined = re.sub(r"\s", "", text)
    assert joined.endswith(f"report.html#{address}")
    assert "m2|beta:0.5" in joined
    assert str(page.parent) not in ET.tostring(root, encoding="unicode")
    # dark letters on white, also where the page is dark
    colours = {node.get("fill") for node in root.iter(f"{SVG}text")}
    assert "rgb(27, 31, 36)" in colours
    decorations = {node.get("text-decoration") for node in root.iter()}
    assert "line-through" in decorations
    assert complaints(browser) == []
    browser.size()


def test_a_comparison_stands_with_its_verdict_and_figures(
    browser: Browser, page: Path
) -> None:
    pair = "a=careful&b=eager&part=compare"
    browser.open(page, f"dataset=sample&metric=gleu&{pair}")
    figures = "document.querySelectorAll('#compared figure svg')"
    browser.wait(f"return {figures}.length > 1", True)
    browser.click("#pair-picture")
    root, text, _ = saved(browser)
    verdict = browser.text("#pair-told")
    assert verdict.startswith("careful \u2212 eager by GLEU+: +")
    assert text.startswith(" ".join(verdict.split()))
    assert len(root.findall(f"{SVG}svg")) == 2
    assert pair in re.sub(r"\s", "", text)
    assert complaints(browser) == []
