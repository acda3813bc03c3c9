"""The page in a real browser: nothing is fetched, nothing hostile runs, and what is shown is what
was counted.
"""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline import reopen
from pipeline.data.texts import read_texts
from pipeline.scoring.metric_results import MetricResult
from pipeline.scoring.sentences import sentence_scores
from tests.conftest import ROOT
from tests.extensions.page import browser as browsers
from tests.extensions.page.browser import CONTRAST, Browser, report_of
from tests.support.commands import run_command
from tests.support.tables import word_list
from tests.support.words import CONLL14_TEAMS

if browsers.lacking():
    pytest.skip(browsers.lacking(), allow_module_level=True)

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
    data = ROOT / "data"
    texts = {
        "source": str(data / "source.txt"),
        "references": [str(data / f"reference{n}.txt") for n in (0, 1)],
    }
    systems = [str(data / "systems" / "*.txt")]
    statistics = {"resamples": "100", "trials": "100"}
    config = {
        "datasets": {"sample": texts},
        "systems": systems,
        "metrics": METRICS,
        "statistics": statistics,
    }
    return report_of(folder, config, "sample")


@pytest.fixture(scope="module")
def hostile(folder: Path) -> Path:
    texts = {
        "source": HOSTILE,
        "ref0": [f"{text} x" for text in HOSTILE],
        "ref1": [t.upper() for t in HOSTILE],
    }
    texts |= {
        "A": HOSTILE,
        "B": [text[::-1] for text in HOSTILE],
        "C": [f"{text} </script>" for text in HOSTILE],
    }
    for name, lines in texts.items():
        (folder / name).write_text(
            "".join(f"{line}\n" for line in lines), encoding="utf-8", newline=""
        )
    config = {
        "description": "<script>window.hostile = 2</script> \u202eevil",
        "datasets": {
            "d": {
                "source": "source",
                "references": ["ref0", "ref1"],
                "empty_references": "keep",
            }
        },
        "systems": {name: name for name in "ABC"},
        "metrics": [
            "gleu[iter=2]",
            "bleu[tok=intl,lc=true]",
            "gleu[unit=char,iter=2]",
            "bleu[tok=zh]",
        ],
    }
    return report_of(folder, config, "hostile")


@pytest.fixture(scope="module")
def people(folder: Path) -> Path:
    """configs/human.yaml."""
    target = folder / "people"
    run_command(
        f"run {ROOT / 'configs' / 'human.yaml'} -q --json --output {target}"
    )
    run_command(f"report {target} --format html")
    return target / "report.html"


def scores(page: Path, metric: int) -> dict[str, list[float]]:
    """Return the sentence scores of the systems, from the columns of the run."""
    measured = reopen.revisit(page.parent).measured[metric]
    return {
        name: _joined(measured, system)
        for system, name in enumerate(measured.names)
    }


def _joined(measured: MetricResult, system: int) -> list[float]:
    blocks = [
        sentence_scores(measured.metric, columns)
        for columns in measured.columns[system].blocks()
    ]
    return np.floor(np.concatenate(blocks) * 1e4 + 0.5).tolist()  # type: ignore[no-any-return]


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


@pytest.mark.parametrize("name", ["sample", "hostile", "people"])
@pytest.mark.parametrize("width", [1280, 390, 320])
def test_pages_open_without_a_complaint_and_fit(
    browser: Browser, name: str, width: int, request: pytest.FixtureRequest
) -> None:
    browser.size(width, dark=width == 390)
    browser.open(request.getfixturevalue(name))
    assert browser.fits(width)
    assert browser.count("#list .row") > 0
    assert (
        browser.run(
            "return [...document.querySelectorAll('[hidden]')].some((one) => one.checkVisibility())"
        )
        is False
    )
    browser.run("step(1); state.grams = true; update();")
    assert browser.fits(width)
    assert browser.complaints() == []
    browser.size()


def test_what_is_asked_for_would_be_noticed(
    browser: Browser, folder: Path
) -> None:
    """Else the test above could not fail."""
    page = folder / "asking.html"
    page.write_text(
        "<script src='missing.js'></script><img src='http://127.0.0.1:9/x.png'>",
        encoding="utf-8",
    )
    browser.open(page)
    found = browser.complaints()
    assert any("missing.js" in said for said in found)
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
            blocks = list(columns.blocks())
            whole = {
                name: np.concatenate([block[name] for block in blocks])
                for name in blocks[0]
            }
            own = rows[system :: len(measured.columns)]
            for name, expected in counted(
                measured, rule.name, rule.merged, whole
            ).items():
                shown = np.array(
                    [
                        [
                            [order[name] for order in reference]
                            for reference in line
                        ]
                        for line in own
                    ]
                )
                assert np.array_equal(
                    shown, expected[..., rule.first - 1 : rule.last]
                ), (
                    measured.names[system],
                    name,
                )
                compared += shown.size
    return compared


def counted(
    measured: MetricResult, rule: str, merged: bool, columns: dict[str, Any]
) -> dict[str, Any]:
    """Return what was counted: int64 [lines, references, orders]."""
    if rule == "green":
        return measured.metric.make_terms(columns)
    found = {
        "match": columns["union_match"][:, None] if merged else columns["match"]
    }
    penalty = {
        "gleu": "gone_match" if merged else "penalty",
        "paper": "source_only",
    }.get(rule)
    if penalty:
        found["penalty"] = (
            columns[penalty][:, None] if merged else columns[penalty]
        )
    return found


def test_the_n_grams_shown_are_those_that_were_counted(
    browser: Browser, sample: Path
) -> None:
    assert check_sums(browser, sample) == 96 * 4 * 4 * (
        2 * 2 + 2 * 2 + 2 + 1 + 2 + 3 * 2
    )


@pytest.mark.exhaustive
def test_the_n_grams_of_conll_2014_are_those_that_were_counted(
    browser: Browser, folder: Path, shared: Path
) -> None:
    texts = {"source": str(shared / "conll14" / "INPUT")}
    texts["references"] = [
        str(shared / "conll14" / name) for name in ("REF0", "REF1")
    ]  # type: ignore[assignment]
    systems = {name: str(shared / "conll14" / name) for name in CONLL14_TEAMS}
    config = {
        "datasets": {"conll14": texts},
        "systems": systems,
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
    card = "document.querySelector('#detail .card')"
    assert (
        browser.run(f"return {card}.querySelector('.names').textContent")
        == "A eager"
    )
    rows = browser.rows("#detail .card:first-child .orders tr")
    assert rows[0] == ["n", "match", "penalty", "numer", "total"]
    assert rows[1] == ["1", "9", "1", "8", "11"]
    chips = browser.run(
        f"return [...{card}.querySelector('.grams').querySelectorAll('.gram')].map((chip) => "
        "[chip.textContent, chip.className])"
    )
    expected = word_list("She goes to the school by the bus every day .")
    kinds = (
        ["match"] * 3
        + ["penalised"]
        + ["match"] * 2
        + ["other"]
        + ["match"] * 4
    )
    assert chips == [
        [text, f"gram {kind}"]
        for text, kind in zip(expected, kinds, strict=True)
    ]


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
    a, b = by_name["careful"], by_name["eager"]
    source = reopen.revisit(sample.parent).corpora["sample"].source
    assert source
    sizes = list(map(len, read_texts(source, 0, 96)))
    spread = [
        max(column) - min(column)
        for column in zip(*by_name.values(), strict=True)
    ]
    keys = {
        "as in the file": [0.0] * 96,
        "A: worst first": a,
        "A: best first": [-value for value in a],
        "A − B: A ahead first": [y - x for x, y in zip(a, b, strict=True)],  # noqa: RUF001
        "A − B: B ahead first": [x - y for x, y in zip(a, b, strict=True)],  # noqa: RUF001
        "A and B furthest apart": [
            -abs(x - y) for x, y in zip(a, b, strict=True)
        ],
        "all systems furthest apart": [-value for value in spread],
        "longest first": [-size for size in sizes],
        "shortest first": sizes,
    }
    labels = browser.run(
        "return [...document.forms.controls.elements.sort.options].map((one) => one.textContent)"
    )
    assert labels == list(keys)
    for label, key in keys.items():
        choose(browser, sort=label)
        assert listed(browser) == [
            line + 1 for line in sorted(range(96), key=lambda n: (key[n], n))
        ], label
        assert browser.run("return state.line + 1") == listed(browser)[0]
    assert browser.complaints() == []


def test_filters(browser: Browser, sample: Path) -> None:
    browser.open(sample)
    corpus = reopen.revisit(sample.parent).corpora["sample"]
    source, careful = (
        read_texts(t, 0, 96)
        for t in (corpus.source, corpus.systems["careful"])
        if t
    )
    by_name = scores(sample, 0)
    a, b = by_name["careful"], by_name["eager"]
    wanted = {
        "A beats B": [x > y for x, y in zip(a, b, strict=True)],
        "B beats A": [x < y for x, y in zip(a, b, strict=True)],
        "A and B equal": [x == y for x, y in zip(a, b, strict=True)],
        "A and B differ": [x != y for x, y in zip(a, b, strict=True)],
    }
    for label, kept in wanted.items():
        choose(browser, wins=label)
        assert listed(browser) == [
            line + 1 for line in range(96) if kept[line]
        ], label
        assert 0 < len(listed(browser)) < 96
    choose(browser, wins="A beats B", edits="only unchanged")
    unchanged = [one == two for one, two in zip(source, careful, strict=True)]
    assert listed(browser) == [
        n + 1 for n in range(96) if unchanged[n] and wanted["A beats B"][n]
    ]
    choose(browser, wins="all", edits="only changed")
    assert listed(browser) == [n + 1 for n in range(96) if not unchanged[n]]
    browser.click("#clear")
    assert len(listed(browser)) == 96


def test_search(browser: Browser, sample: Path) -> None:
    browser.open(sample)
    corpus = reopen.revisit(sample.parent).corpora["sample"]
    lines = list(
        zip(*(read_texts(text, 0, 96) for text in corpus.texts), strict=True)
    )
    choose(browser, q="SCHOOL")
    expected = [
        n
        for n, texts in enumerate(lines, 1)
        if any("school" in text.lower() for text in texts)
    ]
    assert listed(browser) == expected != []
    choose(browser, q="/^The\\b.*\\d/")
    assert listed(browser) == [
        n
        for n, t in enumerate(lines, 1)
        if any(x.startswith("The ") and any(map(str.isdigit, x)) for x in t)
    ]
    choose(browser, q="/(/")
    assert listed(browser) == []
    assert (
        browser.run(
            "return document.forms.controls.elements.q.validity.customError"
        )
        is True
    )
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
    assert browser.run(
        "return [dataset().systems[state.a], dataset().systems[state.b]]"
    ) == [
        "eager",
        "careful",
    ]
    browser.press("n")
    assert (
        browser.run(
            "return [...document.querySelectorAll('#detail .card details')].every((one) => one.open)"
        )
        is True
    )
    browser.press("?")
    assert browser.run("return document.getElementById('help').open") is True
    browser.press(Keys.ESCAPE)
    assert browser.run("return document.getElementById('help').open") is False
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
    state, address = browser.run(
        "writeNow(); return [JSON.stringify(state), location.hash]"
    )
    browser.open(sample, address[1:])
    assert browser.run(
        "writeNow(); return [JSON.stringify(state), location.hash]"
    ) == [
        state,
        address,
    ]
    assert (
        browser.run(
            "return document.getElementById('sentences').getBoundingClientRect().top"
        )
        < 200
    )
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
    scripts = browser.run("return document.scripts.length")
    for number, text in enumerate(HOSTILE):
        browser.run("state.grams = true; show(arguments[0])", number)
        shown = browser.text("#detail .named .text")
        found = browser.run(
            "return document.body.textContent.replace(document.getElementById('data').textContent, '')"
        )
        assert not set(found) & set(INVISIBLE), text[:30]
        if text.isprintable() and "\u200d" not in text:
            assert shown.replace("\u25cc", "") == (text[:20_000] or "(empty)")
        assert (
            browser.count(
                "#detail :is(script, img, iframe), #list :is(script, img)"
            )
            == 0
        )
    assert browser.run(
        "return [document.scripts.length, typeof window.hostile]"
    ) == [
        scripts,
        "undefined",
    ]
    assert (
        browser.run("return document.title")
        == "<script>window.hostile = 2</script> \\u202eevil"
    )
    labels = [
        ("RLO", 4),
        ("U+0007", 6),
        ("U+0000", 7),
        ("LS", 8),
        ("⍽", 9),
        ("ZWSP", 12),
        ("BOM", 12),
        ("SHY", 12),
        ("⇥", 16),
    ]
    for label, number in labels:
        browser.run("show(arguments[0])", number)
        assert label in browser.texts("#detail .named .odd")
    assert browser.complaints() == []


def test_cut_texts_say_so(browser: Browser, hostile: Path) -> None:
    browser.open(hostile, f"line={len(HOSTILE)}")
    text = browser.text("#detail")
    assert "the first 20,000 of 50,000 characters" in text
    assert "a text was cut" in text


# --- colours, theme, print


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_has_contrast(
    browser: Browser, sample: Path, hostile: Path, dark: bool
) -> None:
    browser.size(dark=dark)
    for page, address in (
        (sample, "a=broken&grams=1&line=12"),
        (hostile, "line=7"),
    ):
        browser.open(page, address)
        assert browser.run(CONTRAST) == {}
    ground = browser.run(
        "return getComputedStyle(document.body).backgroundColor"
    )
    assert ground == ("rgb(20, 23, 28)" if dark else "rgb(255, 255, 255)")
    browser.size()


def test_low_contrast_would_be_noticed(browser: Browser, sample: Path) -> None:
    browser.open(sample)
    browser.run("document.querySelector('h1').style.color = '#aaa'")
    assert len(browser.run(CONTRAST)) == 1


def test_the_theme_can_be_chosen(browser: Browser, sample: Path) -> None:
    browser.open(sample)
    seen = []
    for _ in range(3):
        browser.click("#theme")
        seen.append(
            browser.run(
                "return [document.getElementById('theme').textContent.slice(2),getComputedStyle(document.body)"
                ".backgroundColor]"
            )
        )
    assert seen == [
        ["light", "rgb(255, 255, 255)"],
        ["dark", "rgb(20, 23, 28)"],
        ["auto", "rgb(255, 255, 255)"],
    ]


def test_print_has_boards_plots_and_the_sentence(
    browser: Browser, sample: Path
) -> None:
    browser.size(media="print")
    browser.open(sample)
    shown = "return arguments[0].map((one) => document.querySelector(one).checkVisibility())"
    assert (
        browser.run(
            shown,
            [
                ".ranked",
                "figure",
                "#detail .card",
                "#controls",
                "#list",
                ".top",
                ".copy",
            ],
        )
        == [True] * 3 + [False] * 4
    )
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
    for name, lines in texts.items():
        (folder / f"{name}.spaces").write_text(
            "".join(f"{line}\n" for line in lines), encoding="utf-8"
        )
    config = {
        "datasets": {
            "d": {"source": "spaced.spaces", "references": ["fixed.spaces"]}
        },
        "systems": {name: f"{name}.spaces" for name in "PQR"},
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
    for line, cards in enumerate(
        [
            [["PQR", "unchanged"]],
            [["PR", "equal to a reference"], ["Q", "unchanged"]],
            [["PQR", "unchanged, equal to a reference"]],
        ]
    ):
        browser.run("show(arguments[0])", line)
        assert browser.run(CARDS) == cards
    for name, changed in (("P", [2]), ("Q", []), ("R", [2])):
        choose(browser, a=name, edits="only changed")
        assert listed(browser) == changed


def test_more_white_space_is_shown(browser: Browser, spaces: Path) -> None:
    browser.open(spaces)
    assert (
        browser.run(
            "return marked('a  b ', 'a b').querySelectorAll('.odd').length"
        )
        == 2
    )
    assert browser.run("return marked('a  b ', 'a b').textContent") == "a ␣b␣"
    assert browser.run("return marked('a b', 'a  b ').textContent") == "a b"
    assert browser.run("return marked('a  b ', null).textContent") == "a  b "


def test_the_keyboard_goes_on_after_a_button_and_after_a_choice(
    browser: Browser, spaces: Path
) -> None:
    browser.open(spaces)
    browser.run("document.querySelector('[data-action=next]').focus()")
    browser.press("\ue007", "\ue007")  # Enter
    assert browser.run(
        "return [state.line, document.activeElement.dataset.action]"
    ) == [2, "next"]
    browser.run("form.elements.a.focus()")
    browser.press("k")
    assert browser.run("return [state.line, document.activeElement.name]") == [
        1,
        "a",
    ]


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
