"""The page for everybody: sixty systems, few colours, keys, screen readers, paper. axe-core checks
the rest.
"""

import base64
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.extensions.page import axe
from tests.extensions.page import browser as browsers
from tests.extensions.page.browser import (
    DATA,
    LUMINANCE,
    Browser,
    check_cut,
    report_of,
    sample_config,
    write_lines,
)

browsers.skip_module()

NAMES = [
    f"t5-{size}-finetuned-bea19-wi-locness-epoch{epoch:02d}-{'beam5' if epoch % 2 else 'greedy'}"
    for epoch in range(15)
    for size in ("small", "base", "large", "xl")
]
PAPER = 718
"""Width of the text of an A4 page in pixels, with Chromium's margins."""


@pytest.fixture(scope="module")
def sixty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty systems with long names that are much alike, each better than the one before."""
    folder, chance = tmp_path_factory.mktemp("sixty"), random.Random(1)
    source, reference = (
        (DATA / name).read_text().splitlines()[:24]
        for name in ("source.txt", "reference0.txt")
    )
    texts = {"source": source, "reference": reference}
    for number, name in enumerate(NAMES):
        share = number / len(NAMES)
        texts[name] = [
            pair[chance.random() < share]
            for pair in zip(source, reference, strict=True)
        ]
    write_lines(folder, texts)
    config = {
        "datasets": {"d": {"source": "source", "references": ["reference"]}},
        "systems": {name: name for name in NAMES},
        "metrics": ["gleu[refs=max]"],
        "statistics": {"resamples": "40", "test": "sign"},
    }
    return report_of(folder, config)


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's systems against a baseline, by metrics for which high and low is good, and by
    one of edits."""
    statistics: Any = {
        "resamples": "100",
        "trials": "1000",
        "correction": "none",
    }
    config = sample_config(
        "gleu[refs=max]", "ter", "m2", baseline="broken", **statistics
    )
    return report_of(tmp_path_factory.mktemp("few"), config)


# --- sixty systems

BOXES = """
return [...document.querySelectorAll(".scroll")].filter((one) => one.checkVisibility()).map((one) => {
  const title = one.querySelector(":scope > figcaption");
  const hint = title ? title.nextElementSibling : one.previousElementSibling;
  return [one.scrollWidth > one.clientWidth + 2, Boolean(hint?.matches(".hint")), one.tabIndex === 0];
});
"""
TITLES = """
return [...document.querySelectorAll("#results figure svg")].flatMap((svg) =>
  [...svg.querySelectorAll("title")].map((one) => one.textContent));
"""


ROWS = """
const shown = (one) => [...one.childNodes].filter((part) => part.nodeType === 3).map((part) => part.data).join("");
return [...document.querySelectorAll("#results figure svg:not(:has(.curve))")].map((svg) =>
  [...svg.querySelectorAll("text.end")].map(shown)).filter((names) => names.length);
"""
"""The names that each figure shows at its rows."""


def test_names_are_cut_in_the_middle_and_tell_systems_apart(
    browser: Browser, sixty: Path
) -> None:
    browser.size(1440)
    browser.open(sixty)
    figures = browser.run(ROWS)
    assert sum(len(names) for names in figures) == len(NAMES)
    for names in figures:
        assert len(set(names)) == len(names)
        assert all(not name.endswith("…") and len(name) < 45 for name in names)


def test_keys_and_touch_say_the_whole_name(
    browser: Browser, sixty: Path
) -> None:
    browser.open(sixty)
    rows = "#results figure:not(:has(.curve))"
    browser.run(f"document.querySelector('{rows}').focus()")
    browser.press("\ue015", "\ue015")  # arrow down
    text_printed = browser.text(f"{rows} .said-mark")
    assert text_printed in browser.run(TITLES)
    assert any(name in text_printed for name in NAMES)
    browser.run(
        f"const name = document.querySelectorAll('{rows} svg text.end')[6];name.dispatchEvent(new "
        "MouseEvent('click', {bubbles: true}))"
    )
    assert browser.text(f"{rows} .said-mark") != text_printed


@pytest.mark.parametrize("width", [1440, 390])
def test_what_runs_off_the_page_says_so(
    browser: Browser, sixty: Path, width: int
) -> None:
    """At 1440 pixels every plot is whole."""
    browser.size(width)
    browser.open(sixty)
    hinted = "every(([wide, hint, stop]) => (hint || !wide) && (stop || !wide))"
    browser.wait(f"return (() => {{{BOXES}}})().{hinted};", expected=True)
    boxes = browser.run(BOXES)
    assert any(wide for wide, _, _ in boxes) == (width == 390)
    assert browser.fits(width)
    browser.size()


def test_many_systems_fit_paper(browser: Browser, sixty: Path) -> None:
    """Each figure is on one page, with the last rank, and letters of about the size of the text."""
    browser.size(PAPER, 1040, media="print")
    browser.open(sixty)
    figures = browser.run(
        """return [...document.querySelectorAll("#results figure")].map((one) => {
          const box = one.getBoundingClientRect(), svg = one.querySelector("svg").getBoundingClientRect();
          return [box.height, svg.right - box.right, one.querySelector("svg text").getBoundingClientRect().height];
        })"""
    )
    letter = browser.run(
        "return document.querySelector('.ranked td').getBoundingClientRect().height"
    )
    assert len(figures) == 3
    for height, beyond, size in figures:
        assert height <= 1040
        assert beyond <= 0
        assert size <= letter
    browser.size()


# --- colours and marks

DRAWN = (
    LUMINANCE
    + """
const ground = luminance(getComputedStyle(document.body).backgroundColor), found = {};
for (const one of document.querySelectorAll(".range, .mark, svg .bar, .dot, .leader, .level i")) {
  const style = getComputedStyle(one), html = one instanceof HTMLElement;
  const colours = html ? [style.backgroundColor] : [style.fill, style.stroke].filter((colour) => colour !== "none");
  const ratios = colours.map(luminance).map((own) => (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05));
  const name = one.getAttribute("class") ?? "level";
  found[name] = Math.min(found[name] ?? 99, Number(style.opacity) === 1 ? Math.max(...ratios) : 0);
}
return found;
"""
)
COLOURS = """
const made = {};
for (const [name, html] of [["ins", "<ins>x</ins>"], ["del", "<del>x</del>"],
  ["right", "<span class='edit right'>x</span>"],
  ["wrong", "<span class='edit wrong'>x</span>"], ["match", "<span class='gram match'>x</span>"],
  ["penalised", "<span class='gram penalised'>x</span>"], ["good", "<span class='tag good'>x</span>"]]) {
  const place = document.body.appendChild(document.createElement("p"));
  place.innerHTML = html;
  made[name] = getComputedStyle(place.firstChild).color;
}
return made;
"""


@pytest.mark.parametrize("dark", [False, True])
def test_bars_have_contrast_and_colours_one_meaning(
    browser: Browser, few: Path, sixty: Path, dark: bool
) -> None:
    browser.size(dark=dark)
    browser.open(sixty)
    ratios = browser.run(DRAWN)
    hues = [name.rpartition(" ")[2] for name in ratios if "hue" in name]
    assert sorted({*hues}) == [f"hue{number}" for number in range(6)]
    assert min(ratios[name] for name in ratios if "hue" in name) >= 3
    browser.open(few)
    ratios = browser.run(DRAWN)
    assert {"range", "mark", "bar", "dot", "level"} <= set(ratios)
    assert min(ratios.values()) >= 3
    colours = browser.run(COLOURS)
    kinds = ("ins", "del", "right", "wrong")
    assert len({colours[kind] for kind in kinds}) == 4
    assert colours["right"] == colours["match"] == colours["good"]
    assert colours["wrong"] == colours["penalised"]
    browser.size()


LEGENDS = """
const kinds = ["dot", "bar", "rule", "border", "move up", "move down"];
return [...document.querySelectorAll("#results figure svg:not(:has(.leader, .curve))")].map((svg) => {
  const used = kinds.filter((kind) => svg.querySelector(`[class="${kind}"]`));
  const told = kinds.filter((kind) => svg.querySelector(`path[class="${kind} key"]`));
  return [svg.getAttribute("aria-label"), used, told, svg.querySelectorAll("text.key").length];
});
"""


def test_every_mark_has_a_legend(
    browser: Browser, few: Path, sixty: Path
) -> None:
    kinds: set[str] = set()
    for page in (few, sixty):
        browser.open(page)
        for label, used, note, words in browser.run(LEGENDS):
            assert set(used) <= set(note), label
            assert len(note) == words
            kinds |= set(used)
        assert browser.count(".ranked") == browser.count(".marks")
    assert kinds == {"dot", "bar", "rule", "border", "move up", "move down"}


def test_marks_name_a_direction(browser: Browser, few: Path) -> None:
    """A score above the baseline's is better by gleu, and worse by ter."""
    browser.open(few)
    cells = browser.run(
        "return [...document.querySelectorAll('.board')].map((one) => [one.querySelector('h3').textContent,"
        "[...one.querySelectorAll('.ranked td[data-title^=against]')].map((cell) => cell.textContent)])"
    )
    legend = "↑ ↓: significantly better or worse than broken"
    assert legend in browser.text("#results")
    seen = set()
    for title, texts in cells:
        metric = title.split()[0]
        assert "*" not in "".join(texts)
        for text in texts:
            if text[-1] in "↑↓":
                improved = (text[0] == "+") == (metric != "TER")
                assert (text[-1] == "↑") == improved, (title, text)
                seen.add(metric + text[-1])
    assert {"TER↑", "GLEU+↑"} <= seen


# --- titles that explain themselves

HEADS = """
return [...document.querySelectorAll("#results table:not(.heat, .grid) thead th")].filter((one) => !one.matches(".bar"))
  .map((one) => [one.textContent.trim(), Boolean(one.querySelector("button.explained[popovertarget]"))]);
"""


@pytest.mark.parametrize("width", [1280, 390])
def test_titles_explain_themselves_by_keys_and_touch(
    browser: Browser, few: Path, width: int
) -> None:
    browser.size(width)
    browser.open(few)
    if width == 1280:
        bare = {title for title, known in browser.run(HEADS) if not known}
        assert bare <= {"system", "gleu", "GLEU+", "TER", "M² F₀.₅", "edits"}
        in_cards = browser.run(
            HEADS.replace("#results table:not(.heat, .grid)", "#detail .orders")
        )
        assert in_cards
        assert all(known for _, known in in_cards)
    button = "document.querySelector('.ranked button.explained')"
    assert browser.run(f"return {button}.checkVisibility()")
    text = f"document.getElementById({button}.getAttribute('popovertarget'))"
    visible = f"return {text}.checkVisibility()"
    browser.run(f"{button}.focus()")
    browser.press("\ue007")
    assert browser.run(visible)
    explanation = browser.run(f"return {text}.innerText")
    assert explanation.startswith("rank The place by score")
    box = browser.run(f"return {text}.getBoundingClientRect().toJSON()")
    assert 0 <= box["left"] < box["right"] <= width
    browser.press("\ue00c")  # Escape
    assert not browser.run(visible)
    browser.run(f"{button}.click()")
    assert browser.run(visible)
    browser.size()


# --- keys

STOPS = """
const list = document.getElementById("list");
const before = (one) => list.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_PRECEDING;
return [...document.querySelectorAll("a[href], button, summary, select, input, [tabindex]")]
  .filter((one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility() && before(one)).length;
"""


def test_the_list_is_near_for_keys(browser: Browser, sixty: Path) -> None:
    browser.open(sixty)
    browser.wait(f"return (() => {{{STOPS}}})() < 50;", expected=True)
    # Tab, Tab, Enter: the second link for skipping
    browser.press("\ue004", "\ue004", "\ue007")
    assert browser.run("return document.activeElement.id") == "list"


def test_arrows_go_through_the_systems(browser: Browser, sixty: Path) -> None:
    browser.open(sixty)
    browser.run("document.querySelector('.ranked tbody a').focus()")
    browser.press("\ue015", "\ue015", "\ue013")
    assert browser.run(
        "return document.activeElement.textContent"
    ) == browser.run(
        "return document.querySelectorAll('.ranked tbody a')[1].textContent"
    )
    assert browser.count('.ranked tbody a:not([tabindex="-1"])') == 1


def test_a_screen_reader_hears_states_and_whole_texts(
    browser: Browser, few: Path
) -> None:
    """What a screen reader reads of a sentence: headings, states in words, text in few pieces."""
    browser.open(few, "a=careful&grams=1&line=12")
    browser.wait(
        "return document.querySelectorAll('#detail .card h4.names').length > 1",
        expected=True,
    )
    states = browser.texts("#detail .grams > .hidden")
    assert any(re.search(r"matched: .+missing: ", text) for text in states)
    assert browser.count("#detail .gram:not([aria-hidden=true])") == 0
    parted = """return [...document.querySelectorAll("#detail .text, #detail .text *")].filter((one) =>
      [...one.childNodes].some((part) => part.nodeType === 3 && part.nextSibling?.nodeType === 3)).length"""
    assert (
        browser.run(
            "return document.querySelector('#detail .named .text').childNodes.length"
        )
        == 1
    )
    assert browser.run(parted) == 0
    browser.run("state.metric = 2; update();")
    assert browser.count("#detail .judged") > 0
    assert browser.run(parted) == 0


def test_what_scrolls_is_a_stop_of_the_tab_key(
    browser: Browser, few: Path
) -> None:
    browser.open(few, "a=careful&grams=1&line=12")
    line = "document.querySelector('#detail .grams')"
    browser.wait(f"return {line}.tabIndex", -1)
    browser.run(f"{line}.style.maxHeight = '1rem'; {line}.style.width = '6rem'")
    browser.wait(f"return {line}.tabIndex", 0)


# --- paper


def printed(browser: Browser) -> list[str]:
    """Return the text of each printed page."""
    found = browser.driver.execute_cdp_cmd(
        "Page.printToPDF", {"printBackground": True}
    )
    if shutil.which("pdftotext") is None:
        pytest.skip(
            "pdftotext is not installed (Debian: apt-get install poppler-utils)"
        )
    text = subprocess.run(
        ["pdftotext", "-layout", "-", "-"],
        input=base64.b64decode(found["data"]),
        capture_output=True,
        check=True,
    ).stdout
    return text.decode().split("\f")[:-1]


def test_no_title_stands_alone_at_the_foot_of_a_page(
    browser: Browser, few: Path
) -> None:
    browser.open(few, "grams=1&line=12")
    titles = browser.run(
        "return [...document.querySelectorAll('h1, h2, h3, figcaption, thead tr')].map((one) => one.innerText)"
    )
    known = [title.split() for title in titles]
    pages = printed(browser)
    assert len(pages) > 3
    for page in pages:
        assert page.rstrip().splitlines()[-1].split() not in known


def test_paper_has_no_scroll_bars(browser: Browser, few: Path) -> None:
    browser.size(PAPER, media="print")
    browser.open(few, "grams=1&line=12")
    cut = "return [...document.querySelectorAll('.grams, .scroll, .text')].filter((one) => one.checkVisibility()"
    cut += " && getComputedStyle(one).overflowY !== 'visible').length"
    assert browser.count(".grams") > 3
    assert browser.run(cut) == 0
    browser.size()


# --- wide tables


@pytest.mark.parametrize("page", ["few", "sixty"])
@pytest.mark.parametrize("width", [1440, 1024])
def test_no_table_is_cut_without_a_hint(
    browser: Browser, page: str, width: int, request: pytest.FixtureRequest
) -> None:
    browser.size(width)
    browser.open(request.getfixturevalue(page))
    assert len(check_cut(browser)) > 5
    browser.size()


def test_hints_name_what_is_out_of_sight_and_go_when_the_window_grows(
    browser: Browser, few: Path
) -> None:
    browser.size(390)
    browser.open(few)
    hint = "const hint = document.querySelector('.overview .hint');return hint?.checkVisibility() ? hint.textContent : ''"
    browser.click("#intervals")
    browser.wait(hint, "M² F₀.₅ →")
    browser.click(".overview .hint")
    browser.wait(hint, "← scroll back")
    assert (
        browser.run(
            "return document.querySelector('.overview .scroll').scrollLeft"
        )
        > 5
    )
    browser.size(1440)
    browser.wait(hint, "")
    browser.size()


def test_the_board_begins_above_the_fold_beside_where_metrics_disagree(
    browser: Browser, few: Path
) -> None:
    browser.size(1440)
    browser.open(few)
    indices = "return [...document.querySelectorAll('.overview .scroll')].map((one) => one.getBoundingClientRect())"
    table, figure = browser.run(indices)
    assert figure["left"] > table["right"]
    assert (
        browser.run(
            "return document.querySelector('.board h3').getBoundingClientRect().bottom"
        )
        < 900
    )
    assert browser.text(".overview figcaption") == "Where metrics disagree"
    browser.size()


# --- axe-core


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_axe_finds_nothing_serious(
    browser: Browser, few: Path, width: int, dark: bool
) -> None:
    """With everything open that can be opened; contrast is held by another test, and takes axe-core
    long."""
    if not axe.script():
        pytest.skip(
            "no package with axe-core is installed (axe-selenium-python or axe-core-python)"
        )
    browser.size(width, dark=dark)
    browser.open(few, "grams=1&line=12")
    details = "[...document.querySelectorAll('details')]"
    browser.run(f"for (const one of {details}) one.open = true;")
    browser.wait(f"return {details}.every((one) => one.open)", expected=True)
    for level, *_ in axe.findings(browser, "color-contrast"):
        assert level not in ("serious", "critical")
    browser.run("document.querySelector('h1').innerHTML = '<button></button>'")
    findings = [found[:2] for found in axe.findings(browser, "color-contrast")]
    assert ["critical", "button-name"] in findings
    browser.size()
