"""The atlas and the boards of several runs in a real browser: nothing is fetched, all fits, everything can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.report.reproduction.own_runs import board_page
from tests.report import browser as browsers
from tests.report.browser import CONTRAST
from tests.report.test_atlas import entry, everything, outcome, page_of, runs_of
from tests.report.test_plots import HOSTILE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.report.browser import Browser

if browsers.lacking():
    pytest.skip(browsers.lacking(), allow_module_level=True)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The atlas of all recipes and of hostile ones, and boards of runs."""
    folder, (outcomes, boarded) = tmp_path_factory.mktemp("pages"), everything()
    hostile = [outcome(name, entry(name), entry(f"{name}2", "differs")) for name in HOSTILE]
    good = outcome("fine", entry("a"), entry("b", "tolerance"), entry("c", "differs"), cite="Fine 2003: x")
    texts = {
        "atlas": page_of(good, *outcomes, boarded=boarded),
        "hostile": page_of(*hostile),
        "boards": board_page(runs_of(["A", "B", "x" * 99]), 2),
    }
    paths = {name: folder / f"{name}.html" for name in texts}
    for name, text in texts.items():
        paths[name].write_text(text, encoding="utf-8")
    return paths


@pytest.mark.parametrize("name", ["atlas", "hostile", "boards"])
@pytest.mark.parametrize("width", [1440, 320])
def test_pages_open_without_a_complaint_and_fit(
    browser: Browser, name: str, width: int, pages: dict[str, Path]
) -> None:
    browser.size(width)
    browser.open(pages[name])
    browser.run("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.complaints() == []
    browser.size()


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", ["atlas", "boards"])
def test_every_text_has_contrast(browser: Browser, name: str, dark: bool, pages: dict[str, Path]) -> None:
    browser.size(dark=dark)
    browser.open(pages[name])
    browser.run("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    assert browser.run(CONTRAST) == {}
    browser.size()


def test_a_link_opens_its_result(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["atlas"], "result-gjg-m2")
    assert browser.run("return [...document.querySelectorAll('details.result[open]')].map((one) => one.id)") == [
        "result-gjg-m2"
    ]
    browser.run("location.hash = '#result-gjg-bleu'")
    browser.wait("return document.getElementById('result-gjg-bleu').open", True)
    browser.run("document.getElementById('open').click()")
    assert browser.run("return document.querySelectorAll('details.result:not([open])').length") == 0
    browser.run("document.getElementById('close').click()")
    assert browser.run("return document.querySelectorAll('details.result[open]').length") == 0


def test_columns_of_results_can_be_sorted(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["atlas"])
    first = "return document.querySelector('#results tbody th').textContent"
    before = browser.run(first)
    browser.run("document.querySelector('#results thead button').click()")
    assert browser.run(first) == "acl2015-human-order" != before


def test_print_has_every_result_and_no_controls(browser: Browser, pages: dict[str, Path]) -> None:
    browser.size(media="print")
    browser.open(pages["atlas"])
    shown = "return [...document.querySelectorAll(arguments[0])].filter((one) => one.checkVisibility()).length"
    assert browser.run(shown, "details.result > summary") > 70
    assert browser.run(shown, ".buttons, .top, .copy") == 0
    browser.size(780, media="print")
    right = "return Math.max(...[...document.querySelectorAll('svg.wide')].map((d) => d.getBoundingClientRect().right))"
    assert browser.run(right) <= 780
    browser.size()
