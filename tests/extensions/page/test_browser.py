"""The page in a real browser: nothing is fetched, nothing hostile runs, and what is shown is what
was counted.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline import reopen
from pipeline.scoring import SentenceScores
from pipeline.scoring.metric_results import MetricResult
from tests.conftest import ROOT
from tests.extensions.page import browser as browsers
from tests.extensions.page.browser import (
    CONTRAST,
    Browser,
    report_of,
    sample_config,
    write_lines,
)
from tests.support.extensions import with_extension
from tests.support.in_process import run_command
from tests.support.tables import table, word_list
from tests.support.words import CONLL14_TEAMS

browsers.skip_module()

METRICS = word_list("""
    gleu[iter=20] gleu[variant=paper,refs=max] gleu[refs=merged] bleu
    google_gleu green chrf
""")
HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>window.hostile = 1</script>",
    "<!-- <script> --> <img src=x onerror=alert(2)>",
    "\"quotes\" 'single' & &amp; &lt;",
    "abc \u202egnp.exe\u202c end",
    "\u2067isolate\u2069 עברית and العربية",
    "bell \x07 escape \x1b[31m red",
    "nul \x00 here",
    "line \u2028 paragraph \u2029 end",
    "a\u00a0b  two blanks",
    "e\u0301 combining \u0301start",
    "emoji 👩‍💻 👍🏽",
    "zero\u200bwidth \ufeffbom soft\u00adhyphen",
    "می‌خواهم فارسی",
    "日本語の文です。",
    "{{ 7*7 }} ${x} `y` \\u003c",
    "tab\there",
    "",
    "w " * 25_000,
]
INVISIBLE = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u00ad\u200b\ufeff\u2028\u2029"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def sample(folder: Path) -> Path:
    """The sample of data/: four systems, metrics of every rule for n-grams, statistics."""
    config = sample_config(*METRICS, gold=False, resamples="100", trials="100")
    return report_of(folder, config, "sample")


@pytest.fixture(scope="module")
def hostile(folder: Path) -> Path:
    texts = {
        "source": HOSTILE,
        "ref0": [f"{text} x" for text in HOSTILE],
        "ref1": [text.upper() for text in HOSTILE],
        "A": HOSTILE,
        "B": [text[::-1] for text in HOSTILE],
        "C": [f"{text} </script>" for text in HOSTILE],
    }
    write_lines(folder, texts)
    dataset = {
        "source": "source",
        "references": ["ref0", "ref1"],
        "empty_references": "keep",
    }
    config = {
        "description": "<script>window.hostile = 2</script> \u202eevil",
        "datasets": {"d": dataset},
        "systems": {name: name for name in "ABC"},
        "metrics": word_list(
            "gleu[iter=2] bleu[tok=intl,lc=true] gleu[unit=char,iter=2] bleu[tok=zh]"
        ),
    }
    return report_of(folder, config, "hostile")


@pytest.fixture(scope="module")
def people(folder: Path) -> Path:
    """configs/human.yaml."""
    target = folder / "people"
    run_command(f"run {ROOT}/configs/human.yaml -q --json --output {target}")
    run_command(f"report {target} --format html")
    return target / "report.html"


def scores(page: Path, metric: int) -> dict[str, list[float]]:
    """Return the sentence scores of the systems, from the columns of the run."""
    measured = reopen.revisit(page.parent).measured[metric]
    found = {}
    for name, columns in zip(measured.names, measured.columns, strict=True):
        blocks = [
            SentenceScores(measured.metric).scores(block)
            for block in columns.blocks()
        ]
        found[name] = np.floor(np.concatenate(blocks) * 1e4 + 0.5).tolist()
    return found


def texts_of(page: Path) -> list[list[str]]:
    """Return the lines of the source, the references and the systems of a page."""
    (corpus,) = reopen.revisit(page.parent).corpora.values()
    return [text.read(0, corpus.lines) for text in corpus.texts]


def listed(browser: Browser) -> list[int]:
    """Return the numbers of the lines in the list."""
    found: list[int] = browser.run(
        "return list.items.map((line) => dataset().numbers[line])"
    )
    return found


def choose(browser: Browser, **values: str) -> None:
    """Choose in the controls, by the labels that people see."""
    for name, text in values.items():
        browser.run(
            """const field = document.forms.controls.elements[arguments[0]];
            if (field.options) field.value = [...field.options].find((one) => one.textContent === arguments[1]).value;
            else field.value = arguments[1];
            field.dispatchEvent(new InputEvent("input", {bubbles: true}));""",
            name,
            text,
        )


# --- opening


@pytest.mark.parametrize(
    "name",
    ["sample", "hostile", *with_extension("human", "people")],
)
@pytest.mark.parametrize("width", [1280, 390, 320])
def test_pages_open_without_a_complaint_and_fit(
    browser: Browser, name: str, width: int, request: pytest.FixtureRequest
) -> None:
    browser.size(width, dark=width == 390)
    browser.open(request.getfixturevalue(name))
    assert browser.fits(width)
    assert browser.count("#list .row") > 0
    hidden = "return [...document.querySelectorAll('[hidden]')].some((one) => one.checkVisibility())"
    assert browser.run(hidden) is False
    browser.run("step(1); state.grams = true; update();")
    assert browser.fits(width)
    assert browser.complaints() == []
    browser.size()


def test_a_request_would_be_noticed(browser: Browser, folder: Path) -> None:
    """Else the test above could not fail."""
    page = folder / "asking.html"
    page.write_text(
        "<script src='missing.js'></script><img src='http://127.0.0.1:9/x.png'>"
    )
    browser.open(page)
    found = browser.complaints()
    assert "missing.js" in " ".join(found)
    assert "asks for http://127.0.0.1:9/x.png" in found


# --- what is shown is what was counted


SUMS = """
const found = [];
for (const own of DATA.datasets) for (const metric of own.metrics) {
  const rows = [];
  for (let line = 0; line < own.numbers.length; line++) {
    const known = new Map();
    own.systems.forEach((_, system) => {
      const variant = own.who[line * own.systems.length + system];
      if (!known.has(variant)) {
        const references = metric.rule && !metric.rule.merged ? own.references.map((_, number) => number) : [0];
        known.set(variant, !metric.rule ? null : references.map((reference) =>
          analysed(own, metric, line, system, reference).map(({sums}) => {
            const counts = Object.entries(DATA.rules[metric.rule.name].counts);
            const sum = (kinds) => kinds.reduce((all, kind) => all + sums[kind], 0);
            return Object.fromEntries(counts.map(([name, kinds]) => [name, sum(kinds)]));
          })));
      }
      rows.push(known.get(variant));
    });
  }
  found.push(rows);
}
return JSON.stringify(found);
"""


def check_sums(browser: Browser, page: Path) -> int:
    """Hold the n-grams that the page shows against the columns, for every line, system and
    reference; count them.
    """
    browser.open(page)
    compared = 0
    context = reopen.revisit(page.parent)
    for measured, rows in zip(
        context.measured, json.loads(browser.run(SUMS)), strict=True
    ):
        rule = measured.metric.ngram_rule()
        if rule is None:
            assert set(map(str, rows)) == {"None"}
            continue
        for system, columns in enumerate(measured.columns):
            (block,) = columns.blocks()
            of_system = rows[system :: len(measured.columns)]
            for name, expected in counted(measured, rule, block).items():
                displayed = []
                for line in of_system:
                    for reference in line:
                        displayed += [order[name] for order in reference]
                expected = expected[..., rule.first - 1 : rule.last]  # noqa: PLW2901
                assert expected.ravel().tolist() == displayed, (system, name)
                compared += len(displayed)
    return compared


def counted(
    measured: MetricResult, rule: Any, columns: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what was counted: int64 [lines, references, orders]."""
    if rule.name == "green":
        return measured.metric.make_terms(columns)
    names = {"match": "union_match" if rule.merged else "match"}
    if rule.name == "gleu":
        names["penalty"] = "gone_match" if rule.merged else "penalty"
    elif rule.name == "paper":
        names["penalty"] = "source_only"
    return {key: columns[name] for key, name in names.items()}


def test_the_n_grams_shown_are_those_that_were_counted(
    browser: Browser, sample: Path
) -> None:
    counts = 2 * 2 + 2 * 2 + 2 + 1 + 2 + 3 * 2
    assert check_sums(browser, sample) == 96 * 4 * 4 * counts


@pytest.mark.exhaustive
def test_the_n_grams_of_conll_2014_are_those_that_were_counted(
    browser: Browser, folder: Path, shared: Path
) -> None:
    texts = shared / "conll14"
    references = [f"{texts}/REF0", f"{texts}/REF1"]
    dataset = {"source": f"{texts}/INPUT", "references": references}
    config = {
        "datasets": {"conll14": dataset},
        "systems": {name: f"{texts}/{name}" for name in CONLL14_TEAMS},
        "metrics": ["gleu[iter=2]", "bleu", "green"],
    }
    page = report_of(folder, config, "conll14")
    assert check_sums(browser, page) == 1312 * 13 * 4 * (2 * 2 + 1 + 3 * 2)
    assert page.stat().st_size < 15_000_000


def test_n_grams_that_were_not_counted_are_not_shown(
    browser: Browser, sample: Path
) -> None:
    browser.open(sample)
    assert browser.count("#detail .gram") > 10
    browser.run(
        "DATA.texts[dataset().source[0]] = DATA.texts[dataset().references[0][0]] = 'other'; show(0);"
    )
    assert "not those that were counted" in browser.text("#detail .card")
    assert browser.count("#detail .card:first-child .gram") == 0


def test_counts_score_and_n_grams_of_a_sentence(
    browser: Browser, sample: Path
) -> None:
    """Line 1, eager, reference 0; by hand: 9 of 11 tokens match, "the" is penalised once."""
    browser.open(
        sample,
        "dataset=sample&metric=gleu+(refs%3Asample)&a=eager&b=careful&reference=0&line=1&whole=1",
    )
    assert browser.text("#detail .card .names") == "A eager"
    header, first, *_ = browser.rows("#detail .card:first-child .orders tr")
    assert header == ["n", "match", "penalty", "numer", "total"]
    assert first == ["1", "9", "1", "8", "11"]
    chips = browser.run(
        "return [...document.querySelector('#detail .card .grams').querySelectorAll('.gram')]"
        ".map((chip) => `${chip.textContent} ${chip.className}`)"
    )
    expected = """
        She match, goes match, to match, the penalised, school match, by match,
        the other, bus match, every match, day match, . match
    """
    pairs = [part.split() for part in expected.split(",")]
    assert chips == [f"{text} gram {kind}" for text, kind in pairs]


def test_edits_are_marked_by_elements(browser: Browser, sample: Path) -> None:
    browser.open(sample, "dataset=sample&a=careful&line=1")
    text = browser.run(
        "return document.querySelector('#detail .card .text').innerHTML"
    )
    makers = re.findall("<small [^>]*>([^<]*)</small>", text)
    assert makers == ["1/2", "1/2", "2/2"]
    assert re.sub("<small.*?</small>", "", text) == (
        "She <del>go</del>\u2009<ins>go<b>es</b></ins> to school by <del>the</del> bus every "
        "<del>day<b>s</b></del>\u2009<ins>day</ins> ."
    )


# --- sort, filters, search, keys, links


def test_orders_of_the_list(browser: Browser, sample: Path) -> None:
    browser.open(sample)
    by_name = scores(sample, 0)
    a, b, every = (
        np.array(ours)
        for ours in (by_name["careful"], by_name["eager"], [*by_name.values()])
    )
    sizes = np.array([*map(len, texts_of(sample)[0])])
    keys = {
        "as in the file": 0 * a,
        "A: worst first": a,
        "A: best first": -a,
        "A − B: A ahead first": b - a,  # noqa: RUF001
        "A − B: B ahead first": a - b,  # noqa: RUF001
        "A and B furthest apart": -abs(a - b),
        "all systems furthest apart": -np.ptp(every, axis=0),
        "longest first": -sizes,
        "shortest first": sizes,
    }
    labels = browser.texts("#controls [name=sort] option")
    assert labels == list(keys)
    for label, key in keys.items():
        choose(browser, sort=label)
        order = np.argsort(key, kind="stable") + 1
        assert listed(browser) == order.tolist(), label
        assert browser.run("return state.line + 1") == order[0]
    assert browser.complaints() == []


def test_filters(browser: Browser, sample: Path) -> None:
    browser.open(sample)
    by_name = scores(sample, 0)
    source, _, _, *outputs = texts_of(sample)
    careful = outputs[[*by_name].index("careful")]
    a, b = (np.array(by_name[name]) for name in ("careful", "eager"))

    def lines(chosen: Any) -> list[int]:
        return [int(line) + 1 for line in np.flatnonzero(chosen)]

    for label, chosen in (
        ("A beats B", a > b),
        ("B beats A", a < b),
        ("A and B equal", a == b),
        ("A and B differ", a != b),
    ):
        choose(browser, wins=label)
        assert listed(browser) == lines(chosen), label
        assert 0 < len(listed(browser)) < 96
    unchanged = np.array(source) == np.array(careful)
    choose(browser, wins="A beats B", edits="only unchanged")
    assert listed(browser) == lines(unchanged & (a > b))
    choose(browser, wins="all", edits="only changed")
    assert listed(browser) == lines(~unchanged)
    browser.click("#clear")
    assert len(listed(browser)) == 96


def test_search(browser: Browser, sample: Path) -> None:
    browser.open(sample)
    lines = [*enumerate(zip(*texts_of(sample), strict=True), 1)]
    choose(browser, q="SCHOOL")
    expected = [n for n, texts in lines if "school" in " ".join(texts).lower()]
    assert listed(browser) == expected != []
    choose(browser, q="/^The\\b.*\\d/")
    expected = []
    for n, texts in lines:
        if any(re.match(r"The .*\d", text) for text in texts):
            expected.append(n)
    assert listed(browser) == expected
    choose(browser, q="/(/")
    assert listed(browser) == []
    error = "return document.forms.controls.elements.q.validity.customError"
    assert browser.run(error) is True
    choose(browser, q="no such text anywhere")
    assert "No sentence fits" in browser.text("#detail")
    assert browser.complaints() == []


def test_keys(browser: Browser, sample: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.open(sample)
    line = "return state.line + 1"
    browser.press("j", "j", "j", "k")
    assert browser.run(line) == 3
    browser.press("/", "the", Keys.ENTER)
    assert browser.run("return document.activeElement.id") == "list"
    found = listed(browser)
    assert 3 < len(found) < 96
    browser.press(Keys.HOME, Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP)
    assert browser.run(line) == found[1]
    browser.press(Keys.END)
    assert browser.run(line) == found[-1]
    chosen = browser.run(
        "const id = document.getElementById('list').getAttribute('aria-activedescendant');return ['aria-selected', "
        "'aria-posinset'].map((name) => document.getElementById(id).getAttribute(name))"
    )
    assert chosen == ["true", str(len(found))]
    browser.press("/", Keys.ESCAPE)
    assert len(listed(browser)) == 96
    browser.press(Keys.ESCAPE, "x")
    pair = "return [state.a, state.b].map((n) => dataset().systems[n]).join()"
    assert browser.run(pair) == "eager,careful"
    browser.press("n")
    closed = "#detail .card details:not([open])"
    assert browser.count(closed) == 0 < browser.count("#detail .card details")
    browser.press("?")
    assert browser.count("#help[open]") == 1
    browser.press(Keys.ESCAPE)
    assert browser.count("#help[open]") == 0
    assert browser.complaints() == []


def test_a_link_leads_back_to_what_is_shown(
    browser: Browser, sample: Path
) -> None:
    browser.open(sample)
    choose(
        browser,
        metric="GREEN",
        a="broken",
        b="eager",
        reference="1",
        sort="A: worst first",
        wins="B beats A",
        q="the",
    )
    choose(browser, against="reference 1", edits="only changed")
    browser.press("j", "j", "n")
    read = "writeNow(); return [JSON.stringify(state), location.hash]"
    state, address = browser.run(read)
    browser.open(sample, address[1:])
    assert browser.run(read) == [state, address]
    top = "return document.getElementById('sentences').getBoundingClientRect().top"
    assert browser.run(top) < 200
    browser.run("location.hash = '#dataset=sample&a=careful&line=7'")
    browser.wait(
        "return [state.line + 1, dataset().systems[state.a]]", [7, "careful"]
    )
    assert browser.complaints() == []


@pytest.mark.parametrize(
    "address",
    [
        "dataset=no&metric=no&a=no&b=no&reference=99&sort=no&line=99999",
        "line=-1&a=__proto__&against=reference 9",
        "q=%2F(%2F&line=x",
    ],
)
def test_links_to_what_is_not_there(
    browser: Browser, sample: Path, address: str
) -> None:
    browser.open(sample, address)
    assert browser.count("#controls select") == 9
    assert browser.complaints() == []


def test_names_in_the_leader_board_lead_to_sentences(
    browser: Browser, sample: Path
) -> None:
    browser.open(sample)
    browser.click("#board-4 a[href*=broken]")
    browser.wait(
        "return [metric().label, dataset().systems[state.a], state.sort]",
        ["bleu", "broken", "worst"],
    )


def test_only_rows_in_sight_are_in_the_page(
    browser: Browser, sample: Path
) -> None:
    browser.open(sample)
    assert browser.count("#list .row") < 40
    browser.run("document.getElementById('list').scrollTop = 1e6")
    browser.run("list.show()")
    assert browser.texts("#list .row .number")[-1] == "96"


# --- hostile text


def test_hostile_text_stays_text(browser: Browser, hostile: Path) -> None:
    browser.open(hostile)
    scripts = "return [document.scripts.length, typeof window.hostile]"
    before = browser.run(scripts)
    for number, text in enumerate(HOSTILE):
        browser.run("state.grams = true; show(arguments[0])", number)
        found = browser.run(
            "return document.body.textContent.replace(document.getElementById('data').textContent, '')"
        )
        assert not set(found) & set(INVISIBLE), text[:30]
        if text.isprintable() and "\u200d" not in text:
            displayed = browser.text("#detail .named .text")
            expected = text[:20_000] or "(empty)"
            assert displayed.replace("\u25cc", "") == expected
        dangerous = "#detail :is(script, img, iframe), #list :is(script, img)"
        assert browser.count(dangerous) == 0
    assert browser.run(scripts) == before
    assert before[1] == "undefined"
    title = "<script>window.hostile = 2</script> \\u202eevil"
    assert browser.run("return document.title") == title
    for number, labels in (
        (4, "RLO"),
        (6, "U+0007"),
        (7, "U+0000"),
        (8, "LS"),
        (9, "⍽"),
        (12, "ZWSP BOM SHY"),
        (16, "⇥"),
    ):
        browser.run("show(arguments[0])", number)
        assert {*labels.split()} <= {*browser.texts("#detail .named .odd")}
    assert browser.complaints() == []


def test_cut_texts_say_so(browser: Browser, hostile: Path) -> None:
    browser.open(hostile, f"line={len(HOSTILE)}")
    text = browser.text("#detail")
    assert "the first 20,000 of 50,000 characters" in text
    assert "a text was cut" in text


# --- colours, theme, print

GROUND = "return getComputedStyle(document.body).backgroundColor"


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_has_contrast(
    browser: Browser, sample: Path, hostile: Path, dark: bool
) -> None:
    browser.size(dark=dark)
    browser.open(sample, "a=broken&grams=1&line=12")
    assert browser.run(CONTRAST) == {}
    browser.open(hostile, "line=7")
    assert browser.run(CONTRAST) == {}
    expected = "rgb(20, 23, 28)" if dark else "rgb(255, 255, 255)"
    assert browser.run(GROUND) == expected
    browser.size()


def test_low_contrast_would_be_noticed(browser: Browser, sample: Path) -> None:
    browser.open(sample)
    browser.run("document.querySelector('h1').style.color = '#aaa'")
    assert len(browser.run(CONTRAST)) == 1


def test_the_theme_can_be_chosen(browser: Browser, sample: Path) -> None:
    browser.open(sample)
    for theme, ground in table("""
        light  rgb(255, 255, 255)
        dark   rgb(20, 23, 28)
        auto   rgb(255, 255, 255)
    """):
        browser.click("#theme")
        assert browser.text("#theme")[2:] == theme
        assert browser.run(GROUND) == ground


def test_print_has_boards_plots_and_the_sentence(
    browser: Browser, sample: Path
) -> None:
    browser.size(media="print")
    browser.open(sample)
    visible = "return document.querySelector(arguments[0]).checkVisibility()"
    for selector in (".ranked", "figure", "#detail .card"):
        assert browser.run(visible, selector)
    for selector in ("#controls", "#list", ".top", ".copy"):
        assert not browser.run(visible, selector)
    browser.size()


def test_signatures_can_be_copied(browser: Browser, sample: Path) -> None:
    browser.open(sample)
    browser.run(
        "window.copied = []; document.execCommand = () => copied.push(document.activeElement.value);"
        "Object.defineProperty(navigator, 'clipboard', {value: undefined})"
    )
    browser.click(".copied .copy")
    assert browser.run("return copied")[0].startswith("gleu|variant:2017|")


# --- white space, filters, focus


@pytest.fixture(scope="module")
def spaces(folder: Path) -> Path:
    """Outputs that differ from the source, a reference or each other in their white space alone."""
    texts = {
        "spaced": ["A cat sat . ", "It rains .", "He  goes home ."],
        "fixed": ["The cat sat .", "It rained .", "He goes home ."],
        "P": ["A cat sat .", "It rained . ", "He goes home ."],
        "Q": ["A  cat sat .", "It rains .", "He goes home ."],
        "R": ["A cat sat . ", "It rained .", "He goes  home ."],
    }
    write_lines(folder, texts)
    config = {
        "datasets": {"d": {"source": "spaced", "references": ["fixed"]}},
        "systems": {name: name for name in "PQR"},
        "metrics": ["gleu[iter=2]", "chrf"],
    }
    return report_of(folder, config, "spaces")


CARDS = """
return [...document.querySelectorAll("#detail .card")].map((one) => [
  [...one.querySelectorAll(".name")].map((name) => name.textContent.slice(-1)).sort().join(""),
  [...one.querySelectorAll(".tag")].map((tag) => tag.textContent).join(", ")]).sort();
"""


def test_texts_are_compared_by_their_words(
    browser: Browser, spaces: Path
) -> None:
    browser.open(spaces)
    for line, cards in (
        (0, [["PQR", "unchanged"]]),
        (1, [["PR", "equal to a reference"], ["Q", "unchanged"]]),
        (2, [["PQR", "unchanged, equal to a reference"]]),
    ):
        browser.run("show(arguments[0])", line)
        assert browser.run(CARDS) == cards
    for name, changed in (("P", [2]), ("Q", []), ("R", [2])):
        choose(browser, a=name, edits="only changed")
        assert listed(browser) == changed


def test_more_white_space_is_shown(browser: Browser, spaces: Path) -> None:
    browser.open(spaces)
    marks = "return marked('a  b ', 'a b').querySelectorAll('.odd').length"
    assert browser.run(marks) == 2
    for text, other, expected in (
        ("a  b ", "a b", "a ␣b␣"),
        ("a b", "a  b ", "a b"),
        ("a  b ", None, "a  b "),
    ):
        marked = "return marked(...arguments).textContent"
        assert browser.run(marked, text, other) == expected


def test_the_keyboard_goes_on_after_a_button_and_after_a_choice(
    browser: Browser, spaces: Path
) -> None:
    browser.open(spaces)
    browser.run("document.querySelector('[data-action=next]').focus()")
    browser.press("\ue007", "\ue007")  # Enter
    focus = "const one = document.activeElement; return [state.line, one.dataset.action ?? one.name]"
    assert browser.run(focus) == [2, "next"]
    browser.run("form.elements.a.focus()")
    browser.press("k")
    assert browser.run(focus) == [1, "a"]


def test_a_linked_sentence_is_in_sight_after_a_reload(
    browser: Browser, sample: Path
) -> None:
    browser.open(sample, "dataset=sample&line=90")
    for _ in range(2):
        browser.wait(IN_SIGHT, True)
        browser.driver.refresh()
    browser.wait(IN_SIGHT, True)


IN_SIGHT = """
const row = document.querySelector("#list [aria-selected=true]"), box = document.getElementById("list");
if (!row) return false;
const [one, two] = [row.getBoundingClientRect(), box.getBoundingClientRect()];
return one.top >= two.top - 1 && one.bottom <= two.bottom + 1 && one.top >= 0 && one.bottom <= innerHeight;
"""
