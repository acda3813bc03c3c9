"""The overview in the page: tabs, filter, sorting, and any system as the baseline."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.extensions.page.page import html_files, overview_part
from pipeline.reopen import revisit
from pipeline.report.tables.comparisons import signed
from pipeline.report.tables.ranked import groups
from tests.extensions.page import browser as browsers
from tests.extensions.page.browser import Browser
from tests.support.extensions import needs

browsers.skip_module()

SELECTED = "return [...document.querySelectorAll('[role=tab]')].map((one) => one.getAttribute('aria-selected') === 'true')"
VISIBLE = "return [...document.querySelectorAll('section.board')].map((one) => one.checkVisibility())"
ROWS = """return [...document.querySelectorAll('.grid tbody tr')]
  .filter((row) => !row.hidden).map((row) => row.dataset.system)"""
MINUS = "\N{MINUS SIGN}"


@pytest.fixture(scope="module")
def pages(
    sample: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """The sample with a baseline, with sentences and without, and with tests of all pairs."""
    folder = tmp_path_factory.mktemp("pages")
    several = {
        "run": (sample, None),
        "bare": (sample, 0),
        "pairs": (sample.parent / "pairs", 0),
    }
    written = {}
    for name, (run, lines) in several.items():
        written[name] = folder / f"{name}.html"
        written[name].write_text(
            html_files(replace(revisit(run), lines=lines))["report.html"],
            encoding="utf-8",
        )
    return written


def test_the_overview_is_the_first_thing_and_has_the_sentences(
    sample: Path, pages: dict[str, Path]
) -> None:
    part = overview_part(revisit(sample))
    text = pages["bare"].read_text(encoding="utf-8")
    body = text.partition("<main>")[2]
    first = body.index('<section class="overview"')
    assert (
        first
        < body.index("leader boards")
        < body.index('<section class="board"')
    )
    assert (
        re.search(r'<details class="warnings">', body)
        or "warnings" not in body[:first]
    )
    for sentence in part["sentences"].values():
        assert sentence
        assert body.count(sentence) == 1  # at its board
    assert (
        '<th scope="row" class="left">unchanged <small class="kind">source</small><td'
        in body
    )
    assert 'aria-label="significantly better than unchanged">↑' in body


def test_one_board_is_shown_at_a_time(
    browser: Browser, pages: dict[str, Path]
) -> None:
    for name in ("bare", "run"):
        browser.open(pages[name])
        assert (browser.run(SELECTED), browser.run(VISIBLE)) == (
            [True, False],
            [True, False],
        )
        browser.click("#tab-2")
        assert (browser.run(SELECTED), browser.run(VISIBLE)) == (
            [False, True],
            [False, True],
        )
        assert browser.run("return location.hash") == "#board=2"
        browser.open(pages[name], "board=2")
        assert browser.run(VISIBLE) == [False, True]
        assert (
            abs(
                browser.run(
                    "return document.querySelector('[role=tablist]').getBoundingClientRect().top"
                )
            )
            < 100
        )
        # the place in the page, as links in the page have it
        browser.open(pages[name], "board-2")
        assert browser.run(VISIBLE) == [False, True]
        assert browser.complaints() == []


def test_tabs_go_by_the_keyboard(
    browser: Browser, pages: dict[str, Path]
) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.open(pages["run"])
    browser.run("document.getElementById('tab-1').focus()")
    steps = [
        (Keys.ARROW_RIGHT, 2),
        (Keys.ARROW_RIGHT, 1),
        (Keys.ARROW_LEFT, 2),
        (Keys.HOME, 1),
        (Keys.END, 2),
    ]
    for key, tab in steps:
        browser.press(key)
        assert browser.run("return document.activeElement.id") == f"tab-{tab}"
        assert browser.run(SELECTED) == [tab == 1, tab == 2]
    assert browser.run(
        "return [...document.querySelectorAll('[role=tab]')].map((one) => one.tabIndex)"
    ) == [-1, 0]
    roles = "return ['role', 'aria-labelledby'].map((name) => document.getElementById('board-2').getAttribute(name))"
    assert browser.run(roles) == ["tabpanel", "tab-2"]
    browser.size(media="print")
    assert browser.run(VISIBLE) == [True, True]
    browser.size()


@needs("human")
def test_a_tab_stays_in_the_address_beside_the_sentence(
    browser: Browser, pages: dict[str, Path]
) -> None:
    browser.open(pages["run"], "board=2&baseline=eager")
    assert browser.run(
        "return scrollY < document.getElementById('sentences').offsetTop - innerHeight"
    )
    browser.run("step(1); writeNow();")
    address = browser.run("return location.hash")
    assert "board=2" in address
    assert "baseline=eager" in address
    assert "line=2" in address
    browser.open(pages["run"], address[1:])
    assert browser.run(VISIBLE) == [False, True]
    assert browser.run("return dataset().numbers[state.line]") == 2


def test_rows_are_filtered_and_sorted(
    browser: Browser, pages: dict[str, Path]
) -> None:
    browser.open(pages["bare"])
    everything = ["careful", "eager", "unchanged", "broken"]
    assert browser.run(ROWS) == everything
    # by bleu, the highest first
    browser.run("document.querySelectorAll('.grid .sorts')[2].click()")
    assert browser.run(ROWS) == ["careful", "unchanged", "eager", "broken"]
    typed = "wanted.value = arguments[0]; wanted.dispatchEvent(new InputEvent('input'));"
    for text, rows in (
        ("BRO", ["broken"]),
        ("car, un", ["careful", "unchanged"]),
        ("zzz", []),
    ):
        browser.run(typed, text)
        assert browser.run(ROWS) == rows
    browser.run(typed, "")
    assert sorted(browser.run(ROWS)) == sorted(everything)
    # there is less room than the columns need, as for seven metrics on a phone
    browser.size(200)
    heights = "return [...document.querySelectorAll('.grid .base')].map((one) => one.offsetHeight)"
    assert max(browser.run(heights)) < 30  # short names stand on one line
    browser.size(390)
    stays = """const box = document.querySelector('.overview .scroll'), name = box.querySelector('tbody th');
      box.scrollLeft = 90;
      return Math.round(name.getBoundingClientRect().left - box.getBoundingClientRect().left)"""
    assert browser.run(stays) == 0
    assert browser.fits(390)
    browser.size()


def deltas(browser: Browser) -> dict[str, list[list[str]]]:
    """Return text and class of each difference, by system: of the overview, then of its boards."""
    script = """
    const shown = {};
    for (const row of document.querySelectorAll('.grid tbody tr')) {
      shown[row.dataset.system] = [...row.querySelectorAll('.delta')].map((one) => [one.textContent, one.className]);
    }
    for (const row of document.querySelectorAll('.ranked tbody tr')) {
      const name = row.querySelector('.system').textContent, one = row.querySelector('.delta');
      if (one) shown[name].push([one.textContent, one.className]);
    }
    return shown;"""
    found: dict[str, list[list[str]]] = browser.run(script)
    return found


@pytest.mark.parametrize("name", ["bare", "pairs"])
def test_any_system_is_the_baseline(
    browser: Browser, pages: dict[str, Path], sample: Path, name: str
) -> None:
    results = revisit(
        sample if name == "bare" else sample.parent / "pairs"
    ).results
    browser.open(pages[name])
    assert all(not one for one in deltas(browser).values())
    for base in ("eager", "unchanged"):
        browser.run(
            "document.querySelector(`.base[data-system=${arguments[0]}]`).click()",
            base,
        )
        assert browser.run("return location.hash") == f"#baseline={base}"
        expected: dict[str, list[list[str]]] = {base: []}
        for group in groups(results):
            ours = {score.system: score for score in group.scores}
            for system, score in ours.items():
                if system != base:
                    real = [
                        test
                        for test in results.tests
                        if test.metric == group.metric
                        and {test.system, test.other} == {system, base}
                        and results.is_significant(test)
                    ]
                    difference = score.score - ours[base].score
                    direction = (
                        ("better" if difference > 0 else "worse")
                        if real
                        else ""
                    )
                    text = (
                        signed(difference, 2).replace("-", MINUS)
                        + {"better": " ↑", "worse": " ↓", "": ""}[direction]
                    )
                    kind = f"delta {direction}".strip()
                    expected.setdefault(system, []).append([text, kind])
        # overview and boards
        expected = {system: parts * 2 for system, parts in expected.items()}
        assert deltas(browser) == expected
        printed = browser.run("return tested.textContent")
        if name == "bare" and base == "eager":
            assert printed.startswith(
                "Differences to eager; ↑ ↓ significantly better or worse. Only unchanged was tested against it; "
            )
        else:
            assert (
                printed
                == f"Differences to {base}; ↑ ↓ significantly better or worse."
            )
    pressed = browser.run(
        "return [...document.querySelectorAll('.base[aria-pressed=true]')].map((one) => one.dataset.system)"
    )
    assert pressed == ["unchanged"]
    browser.click(".base[data-system=unchanged]")
    assert browser.run("return [location.hash, tested.textContent]") == ["", ""]
    assert all(not one for one in deltas(browser).values())
    browser.open(pages[name], "baseline=eager")
    assert browser.run("return baseline.value") == "eager"
    assert browser.complaints() == []


def test_differences_are_rounded_as_python_does(
    browser: Browser, pages: dict[str, Path], tmp_path: Path
) -> None:
    values = [
        0.5,
        0.49995,
        0.499949999,
        0.123455,
        0.1,
        0.3,
        1e-9,
        0.0,
        0.0000499,
    ]
    names = [f"S{number}" for number in range(len(values))]
    text = pages["bare"].read_text(encoding="utf-8")
    data: dict[str, Any] = {
        "digits": 2,
        "boards": {
            "board-1": {"systems": names, "scores": values, "tests": ""}
        },
    }
    text = re.sub(
        r'(id="scores">).*?(</script>)',
        lambda m: m[1] + json.dumps(data) + m[2],
        text,
    )
    rows = "".join(
        f'<tr data-system="{n}"><th>{n}</th><td data-board="board-1">1</td></tr>'
        for n in names
    )
    text = re.sub(
        r'(<table class="grid.*?<tbody>).*?(</tbody>)',
        lambda m: m[1] + rows + m[2],
        text,
        flags=re.DOTALL,
    )
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    for digits in (0, 2, 5):
        (tmp_path / "page.html").write_text(
            text.replace('"digits": 2', f'"digits": {digits}'), encoding="utf-8"
        )
        browser.open(tmp_path / "page.html", "baseline=S0")
        script = "return [...document.querySelectorAll('.grid .delta')].map((one) => one.textContent)"
        expected = [
            signed(value - values[0], digits).replace("-", MINUS)
            for value in values[1:]
        ]
        assert browser.run(script) == expected
        assert (
            browser.run("return tested.textContent")
            == "Differences to S0. No test was made of these pairs."
        )
