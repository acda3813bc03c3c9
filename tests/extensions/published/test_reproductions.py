"""Pages of several runs: what they say, what hostile names can do, their structure, and how they
are in a browser.
"""

import hashlib
import itertools
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import StoreError
from pipeline.extensions.published import recipe as published
from pipeline.extensions.published.leader_boards import (
    LeaderBoard,
    Printed,
    leader_boards,
)
from pipeline.extensions.published.pages import page as report
from pipeline.extensions.published.pages.leader_boards import (
    ScoredBoard,
    board_part,
    family_tables,
    short_citation,
)
from pipeline.extensions.published.pages.own_runs import Joined, board_page
from pipeline.extensions.published.pages.page import (
    by_publication,
    reproduction_report,
    value_tables,
)
from pipeline.extensions.published.recipe import Outcome, Recipe
from pipeline.report.context import NamedRun
from pipeline.scoring.results import Results
from pipeline.scoring.rows import DatasetInfo
from tests.conftest import ROOT, run, write_run
from tests.extensions.page import browser as browsers
from tests.extensions.page.browser import CONTRAST, Browser, check_cut
from tests.extensions.page.test_page import Reader, check_harmless, check_policy
from tests.support.in_process import Call
from tests.support.sample_results import HOSTILE, context
from tests.support.tables import table

NAMES = [
    *HOSTILE,
    "</title><script>x</script>",
    '" onload="x',
    "{{ 7 * 7 }}",
    "'><img src=x onerror=x>",
]


WHOLE = {"equal": "exact", "tolerance": "tolerance", "differs": "differs"}


def entry(name: str, verdict: str = "equal", **more: Any) -> dict[str, Any]:
    """Return an entry of results.json, of one value."""
    compared = {
        "place": name,
        "expected": name,
        "found": name,
        "verdict": verdict,
        "difference": 0.25,
    }
    return {
        "title": name,
        "verdict": WHOLE[verdict],
        "recorded": WHOLE[verdict],
        "missed": False,
        "published": True,
        "values": 1,
        "equal": int(verdict == "equal"),
        "within_tolerance": 0,
        "largest_difference": 0.25,
        "rounding": None,
        "tolerance": None,
        "why": name,
        "message": None,
        "compared": [compared],
        **more,
    }


def expectations(entries: Sequence[dict[str, Any]], verdict: str) -> Any:
    return {
        "verdict": verdict,
        "recorded": "exact",
        "missed": [],
        "entries": list(entries),
    }


def outcome(
    name: str = "one", *entries: dict[str, Any], **publication: Any
) -> Outcome:
    """Return an outcome of a recipe that says `name` wherever a text can stand."""
    about = {
        "what": name,
        "verdict": "exact",
        "cite": f"{name} 2001: {name}",
        "url": name,
        "recipe": name,
        **publication,
    }
    found = {one["verdict"] for one in entries}
    order = ("differs", "tolerance", "exact")
    verdict = next((kind for kind in order if kind in found), "exact")
    content = {"expect": [{"values": {name: name}, "title": name}]}
    return Outcome(
        recipe=Recipe(name, Path("x.yaml"), about, (), content),
        expectations=expectations(entries, verdict) if entries else None,
        message="" if entries else name,
        signatures=[name],
        warnings=[name],
    )


def page_of(*outcomes: Outcome, boarded: Sequence[ScoredBoard] = ()) -> str:
    return reproduction_report(outcomes, boarded, lambda _: "")


def text_of(*outcomes: Outcome) -> str:
    """Return the words of a page."""
    return " ".join(" ".join(Reader(page_of(*outcomes)).text).split())


def runs_of(names: Sequence[str]) -> list[NamedRun]:
    """Return two runs by formula; the second has other outputs of the same names."""
    return [
        NamedRun(names[0], results_of(*names)),
        NamedRun(f"{names[0]}2", results_of(*names, outputs="2")),
    ]


# ---- what the page says


def test_values_stand_beside_ours_with_their_verdicts() -> None:
    near = entry("b", "tolerance", tolerance="0.3")
    one = outcome("one", entry("a"), near, entry("c", "differs"))
    text = text_of(one)
    for expected in (
        "= 0.25",
        "≈ 0.25",
        "≠ 0.25",
        "tolerance 0.3",
        "gec-pipeline reproduce one",
        "1 of 3 published values",
    ):
        assert expected in text
    kinds = [
        attributes.get("class")
        for tag, attributes in Reader(page_of(one)).elements
        if tag == "td"
    ]
    verdicts = [kind for kind in kinds if kind in ("good", "near", "bad")]
    assert verdicts == ["good", "near", "bad"]


def test_entries_with_the_same_keys_share_a_table() -> None:
    titles = ("P", "R", "F", "more", "last")
    same = [entry("x", title=title) for title in titles]
    tables = []
    for found in value_tables([*same, entry("y")]):
        tables.append([column["title"] for column in found["columns"]])
    assert tables == [["P", "R", "F", "more"], ["last"], ["y"]]


def test_what_was_not_run_says_why() -> None:
    assert "Not run: a-result" in text_of(outcome("a-result"))


def test_warnings_name_files_of_the_cache_as_configs_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GEC_PIPELINE_DATA", "/home/somebody/cache")
    one = replace(
        outcome("one", entry("a")),
        warnings=["d: /home/somebody/cache/conll14/x.m2: is odd"],
    )
    text = page_of(one)
    assert "d: data:conll14/x.m2: is odd" in text
    assert "somebody" not in text


@pytest.mark.parametrize(
    ("cite", "short"),
    [
        (
            "Ng, Wu, Briscoe and Bryant 2014: The CoNLL-2014 Shared Task. CoNLL",
            "Ng et al. 2014",
        ),
        ("Felice and Briscoe 2015: Towards", "Felice and Briscoe 2015"),
        ("Shota Koyama: gleu, an implementation", "Shota Koyama"),
        ("", "in no publication"),
    ],
)
def test_short_citations(cite: str, short: str) -> None:
    assert short_citation({"cite": cite}) == short


def test_publications_are_in_order_of_their_years() -> None:
    def publication(cite: str, **more: str) -> Outcome:
        return outcome(cite[:1].lower(), cite=cite, **more)

    def order(*outcomes: Outcome) -> list[str]:
        return [cite for cite, _ in by_publication(outcomes)]

    several = [*map(publication, ("C 2015: c", "A: a", "B 2014: b"))]
    expected = ["B 2014: b", "C 2015: c", "A: a"]
    assert order(*several, outcome("d", cite="")) == [*expected, ""]
    others = [
        publication("E 2001: e", field="machine translation"),
        publication("F 2000: f", field="x"),
    ]
    assert order(*others, *several) == [*expected, "E 2001: e", "F 2000: f"]
    text = page_of(*others, *several)
    title = "Machine translation</h3>"
    assert text.count(f'<h3 class="field">{title}') == 1
    first = "Grammatical error correction</h3>"
    assert text.index(first) < text.index(title)


@cache
def everything() -> tuple[list[Outcome], list[ScoredBoard]]:
    """Return all recipes of the package as not run, and their boards."""
    outcomes = [
        Outcome(recipe=one, expectations=None, message="x")
        for one in published.recipes().values()
    ]
    boards = leader_boards(outcomes)
    return outcomes, [
        ScoredBoard(board, None, None, "nothing is here") for board in boards
    ]


def test_all_recipes_are_on_the_page_and_every_link_inside_it_leads_somewhere() -> (
    None
):
    outcomes, boarded = everything()
    text = page_of(*outcomes, boarded=boarded)
    assert len(text.encode()) < 3_000_000
    elements = Reader(text).elements
    ids = {f"#{attributes.get('id')}" for _, attributes in elements}
    assert {f"#result-{name}" for name in published.recipes()} <= ids
    for tag, attributes in elements:
        if tag == "a":
            link = attributes.get("href") or ""
            assert link in ids or link.startswith("https://")


def scored(board: LeaderBoard) -> ScoredBoard:
    """Return a board on which all systems have scores, by formula."""
    results = context([entrant.name for entrant in board.entrants]).results
    info = {board.name: DatasetInfo(lines=9, references=2, digests={})}
    scores = [replace(score, dataset=board.name) for score in results.scores]
    tests = [replace(test, dataset=board.name) for test in results.tests]
    return ScoredBoard(
        board,
        {"x": "y"},
        replace(results, datasets=info, scores=scores, tests=tests),
        "",
    )


def equalled(one: Outcome) -> Outcome:
    """Return the outcome of a recipe of which every value that it has was found."""
    entries = []
    for expected in one.recipe.expected:
        values = expected.get("values")
        cells = []
        for key, value in values.items() if isinstance(values, dict) else ():
            if isinstance(value, str):
                (cell,) = entry(key)["compared"]
                found = {"expected": value, "found": f"{value}00"}
                cells.append(cell | found)
        if cells:
            title = str(expected.get("title", "values"))
            entries.append(entry(title, compared=cells, values=len(cells)))
    return replace(one, expectations=expectations(entries, "exact"), message="")


def test_a_system_has_two_printed_scores_in_its_row_and_the_others_below() -> (
    None
):
    board = everything()[1][0].board
    values = ["41.5", "41.50", "41.6", "41.7", "41.5"]
    printed = [Printed("one", value, "", 2014) for value in values]
    first, *others = board.entrants
    entrants = (replace(first, printed=printed), *others)
    part = board_part(scored(replace(board, entrants=entrants)), "")
    assert part["rows"][0].cells[-2] == "41.5, 41.50 and 2 more"
    rows = [row[1] for row in part["printed"].rows if row[0] == first.name]
    assert rows == values


def test_a_year_has_a_table_of_its_results() -> None:
    """Three systems in two clusters, of which only the last is significantly worse than its
    neighbour.
    """
    board = everything()[1][0].board
    board = replace(board, entrants=board.entrants[:3])
    results = scored(board).results
    assert results
    ranked = []
    for rank, score in enumerate(results.scores, 1):
        assert score.bootstrap
        spread = replace(score.bootstrap, cluster=(1, 1, 2)[rank - 1])
        ranked.append(replace(score, rank=rank, bootstrap=spread))
    names = [score.system for score in ranked]
    sure: dict[str, Any] = {"interval": (0.1, 0.2), "wins": 50, "losses": 5}
    tests = [
        replace(
            results.tests[0],
            system=names[one],
            other=names[two],
            p_adjusted=p,
            **sure,
        )
        for one, two, p in ((0, 1, 0.2), (2, 1, 0.01), (0, 2, 0.01))
    ]
    results = replace(results, scores=ranked, tests=tests)
    turned = replace(results, scores=ranked[::-1])
    boards = []
    for pair, metric, found in (
        ("a-b", "BLEU", results),
        ("c-d", "BLEU", results),
        ("a-b", "chrF", turned),
    ):
        name = f"y-{pair}-{metric}"
        title = f"Y {pair}, {metric}"
        named = replace(board, name=name, family="y", result=pair, title=title)
        info = {name: DatasetInfo(lines=9, references=2, digests={})}
        boards.append(ScoredBoard(named, {}, replace(found, datasets=info), ""))
    tables = family_tables([*boards, boards[0]._replace(results=None)])
    assert list(tables) == ["y"]
    titles = "result, systems, best by BLEU, clusters by BLEU, not told apart by BLEU"
    assert tables["y"].header[:5] == titles.split(", ")
    rows = [
        [getattr(cell, "text", cell) for cell in row]
        for row in tables["y"].rows
    ]
    one = [names[0], "2", "1 of 2"]
    assert rows == [
        ["a-b", "3", *one, *one, "yes"],
        ["c-d", "3", *one, "-", "-", "-", "yes"],
    ]
    assert 'href="#board-y-a-b-BLEU"' in page_of(boarded=boards)


# ---- what hostile texts can do, and the structure of the pages


@pytest.mark.parametrize("name", NAMES)
def test_hostile_texts_stay_text(name: str) -> None:
    def pages(word: str, system: str) -> tuple[str, str]:
        return page_of(outcome(word, entry(word))), board_page(
            runs_of([system, "B", "C"]), 2
        )

    for text, plain in zip(pages(name, name), pages("one", "A"), strict=True):
        check_harmless(text, plain, name, "span")


@pytest.mark.parametrize(
    ("address", "is_link"),
    [
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("//evil.example", False),
        ("file:///etc/passwd", False),
        ("https://example.org/x", True),
    ],
)
def test_only_addresses_of_the_web_are_links(
    address: str, is_link: bool
) -> None:
    found = Reader(page_of(outcome("one", entry("a"), url=address)))
    links = {attributes.get("href") for _, attributes in found.elements}
    assert (address in links) == is_link


def both() -> list[str]:
    outcomes, boarded = everything()
    return [
        page_of(*outcomes, boarded=boarded),
        board_page(runs_of(["A", "B", "C"]), 2),
    ]


def test_nothing_but_their_own_scripts_and_styles_may_run() -> None:
    for text in both():
        check_policy(Reader(text))


def test_headings_tables_and_drawings_can_be_read_aloud() -> None:
    """One h1, no level skipped; heads of tables with a scope; drawings and tables with a name; ids
    once.
    """
    for text in both():
        elements = Reader(text).elements
        tags = [tag for tag, _ in elements]
        levels = [
            int(tag[1]) for tag in tags if tag in ("h1", "h2", "h3", "h4")
        ]
        assert levels.count(1) == 1
        assert levels[0] == 1
        for earlier, later in itertools.pairwise(levels):
            assert later - earlier <= 1
        assert tags.count("th") > 0
        assert tags.count("caption") == tags.count("table")
        for tag, attributes in elements:
            # a bar shows what cells beside it say
            if attributes.get("aria-hidden"):
                continue
            if tag == "th":
                assert attributes.get("scope") in ("col", "row", "colgroup")
            if tag == "svg":
                assert attributes.get("role") == "img"
                assert attributes.get("aria-label")
        ids = [one["id"] for _, one in elements if "id" in one]
        assert len(ids) == len(set(ids))


# ---- boards of several runs


def results_of(
    *systems: str, reference: str = "a", outputs: str = "1", signature: str = ""
) -> Results:
    """Return results by formula, with digests of texts."""
    results = context(systems).results
    digests = {"reference 0": reference}
    digests |= {f"system {name}": outputs for name in systems}
    scores = [
        replace(score, metric=signature or score.metric)
        for score in results.scores
    ]
    info = DatasetInfo(lines=9, references=1, digests=digests)
    return replace(results, scores=scores, warnings=[], datasets={"d": info})


def joined(*results: Results) -> Joined:
    """Join runs r1, r2 ..."""
    return Joined(
        [NamedRun(f"r{n}", found) for n, found in enumerate(results, 1)]
    )


def test_the_same_output_of_two_runs_comes_once() -> None:
    found = joined(results_of("A", "B"), results_of("A", "B"))
    assert found.runs == {("d", "A"): ["r1", "r2"], ("d", "B"): ["r1", "r2"]}
    ranks = [(score.system, score.rank) for score in found.results.scores]
    assert ranks == [("A", 1), ("B", 2)]
    assert found.results.warnings == []


def test_another_output_of_the_same_name_is_told_apart_and_ranked() -> None:
    found = joined(
        results_of("A", "B"), results_of("B", "C", outputs="2"), results_of("B")
    )
    assert found.runs == {
        ("d", "A"): ["r1"],
        ("d", "B"): ["r1", "r3"],
        ("d", "B@r2"): ["r2"],
        ("d", "C"): ["r2"],
    }
    ranks = [f"{score.rank} {score.system}" for score in found.results.scores]
    assert sorted(ranks) == ["1 A", "1 B@r2", "3 B", "3 C"]
    assert found.results.warnings == [
        "d: B is another text in r2, and is called B@r2",
        "d: gleu of B is another number in r3",
    ]


def test_other_references_have_a_board_of_their_own_and_a_warning() -> None:
    other = results_of("A", reference="b")
    found = joined(results_of("A"), other, other)
    assert [score.dataset for score in found.results.scores] == ["d", "d (r2)"]
    assert found.runs == {("d", "A"): ["r1"], ("d (r2)", "A"): ["r2", "r3"]}
    assert found.results.warnings == [
        "d: reference 1 is not the same in r2 as before: its scores cannot be compared with those, and stand on boards "
        "of their own"
    ]


def test_other_settings_have_a_board_of_their_own_and_other_versions_a_warning() -> (
    None
):
    one = "gleu|n:4|refs:max|nrefs:1|v:0.2.0"
    two = one.replace("n:4", "n:3")
    older = one.replace("0.2.0", "0.1.0")
    first = results_of("A", signature=one)
    found = joined(first, results_of("A", signature=two)).results
    assert [score.metric for score in found.scores] == [one, two]
    found = joined(first, results_of("B", signature=older)).results
    assert [score.metric for score in found.scores] == [one, one]
    warning = "d: gleu is of versions 0.2.0 and 0.1.0 of gec-pipeline"
    assert found.warnings == [warning]


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("boards")
    for name, systems in (("one", "AB"), ("two", "BC")):
        config = write_run(
            folder,
            12,
            systems="ABC",
            chosen=["gleu[iter=5]", "bleu"],
            statistics={"resamples": "20"},
        )
        content = json.loads(config.read_text())
        content["systems"] = {key: content["systems"][key] for key in systems}
        config.write_text(json.dumps(content))
        run(config, folder / name)
    return [folder / "one", folder / "two"]


def test_the_command_writes_prints_and_chooses(
    two_runs: list[Path], tmp_path: Path, call: Call
) -> None:
    one, two = two_runs
    command = f"report {one} {two} --format board"
    printed = call(command).out
    for target, file in (("x.html", "x.html"), ("dir", "dir/board.html")):
        call(f"{command} --output {tmp_path / target}")
        assert (tmp_path / file).read_text(encoding="utf-8") == printed
    assert "one, two" in " ".join(Reader(printed).text)  # B is in both
    chosen = Reader(call(f"{command} --metric bleu --system C").out)
    ids = [attributes.get("id") or "" for _, attributes in chosen.elements]
    assert [one for one in ids if one.startswith("board-")] == ["board-1"]


@pytest.mark.parametrize(
    ("options", "message"),
    table("""
        --format markdown              one run is reported at a time; --format board and --plot curves take several
        --format board html            --format board: is a page of its own
        --format board --lines 3       --lines: has no effect on --format board
        --format board --mean          --mean: has no effect on --format board
        --format board --metric rouge  --metric rouge: there is no such one
    """),
)
def test_wrong_use(
    options: str, message: str, two_runs: list[Path], call: Call
) -> None:
    one, two = two_runs
    code = StoreError.exit_code
    assert message in call(f"report {one} {two} {options}", code=code).err


def test_the_package_has_every_part_of_the_pages() -> None:
    extensions = ROOT / "pipeline" / "extensions"
    ours, shared = (
        {file.name for file in (extensions / path / "assets").iterdir()}
        for path in ("published/pages", "page")
    )
    design = report.DESIGN
    parts = {design.template, *design.styles, *design.scripts}
    assert ours == parts - shared


browsers.skip_module()


Pages = dict[str, Path]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    """The reports on all recipes and on hostile ones, and leader boards of runs."""
    folder, (outcomes, boarded) = tmp_path_factory.mktemp("pages"), everything()
    hostile = [
        outcome(name, entry(name), entry(f"{name}2", "differs"))
        for name in HOSTILE
    ]
    entries = entry("a"), entry("b", "tolerance"), entry("c", "differs")
    good = outcome("fine", *entries, cite="Fine 2003: x")
    equal = map(equalled, outcomes)
    boards = [scored(one.board) for one in boarded]
    paths = {}
    for name, text in (
        ("report", page_of(good, *outcomes, boarded=boarded)),
        ("scored", page_of(good, *equal, boarded=boards)),
        ("hostile", page_of(*hostile)),
        ("boards", board_page(runs_of(["A", "B", "x" * 99]), 2)),
    ):
        paths[name] = folder / f"{name}.html"
        paths[name].write_text(text, encoding="utf-8")
    return paths


def open_all(browser: Browser, page: Path) -> None:
    """Open a page, and all that can be opened in it."""
    browser.open(page)
    details = "document.querySelectorAll('details')"
    browser.run(f"{details}.forEach((one) => (one.open = true))")


@pytest.mark.parametrize("name", ["report", "hostile", "boards"])
@pytest.mark.parametrize("width", [1440, 320])
def test_pages_open_without_a_complaint_and_fit(
    browser: Browser, name: str, width: int, pages: Pages
) -> None:
    browser.size(width)
    open_all(browser, pages[name])
    assert browser.fits(width)
    assert browser.complaints() == []
    browser.size()


@pytest.mark.parametrize("name", ["report", "scored", "boards"])
@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_no_table_is_cut_without_a_hint(
    browser: Browser, name: str, width: int, pages: Pages
) -> None:
    browser.size(width)
    browser.open(pages[name])
    tables = check_cut(browser)
    wide = [(label, need, room) for label, need, room in tables if need > room]
    if name == "scored" and width == 1440:
        assert len(tables) > 80
        assert wide == []


def test_one_board_is_open_at_a_time_on_a_phone_too(
    browser: Browser, pages: Pages
) -> None:
    browser.size(390)
    browser.open(pages["scored"])
    displayed = "return [...document.querySelectorAll('.board')].map((one) => one.checkVisibility())"
    boards = browser.run(displayed)
    assert len(boards) > 6
    assert boards == [True, *[False] * (len(boards) - 1)]
    browser.click("ul.contents li:nth-child(3) a")
    assert browser.run(displayed) == [
        False,
        False,
        True,
        *[False] * (len(boards) - 3),
    ]
    assert browser.run("return location.hash") == "#board=3"
    browser.open(pages["scored"], "board-jfleg-test-gleu")
    assert browser.run(
        "return document.getElementById('board-jfleg-test-gleu').checkVisibility()"
    )
    browser.size(media="print")
    assert browser.run(displayed) == [True] * len(boards)
    browser.size()


DROP = """
const [name, text] = arguments, files = new DataTransfer();
files.items.add(new File([text], name));
dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
"""
TOLD = "return document.querySelector('#own [role=status]').innerText"


def test_a_dropped_output_is_looked_up_and_never_scored(
    browser: Browser, pages: Pages
) -> None:
    """The checksum is that of Python's hashlib; line ends are those of any system."""
    browser.open(pages["scored"])
    assert browser.run(
        "return document.querySelector('#own').checkVisibility()"
    )
    board, row = "#board-conll14-m2", "#board-conll14-m2 tbody tr[data-sha256]"
    known = hashlib.sha256(b"One line .\nAnd another .\n").hexdigest()
    browser.run(
        f"document.querySelector('{row}').dataset.sha256 = arguments[0]", known
    )
    rank, system, score = browser.rows(row)[0][:3]
    for text in ("One line .\nAnd another .\n", "One line .\r\nAnd another ."):
        browser.run(DROP, "mine.txt", text)
        browser.wait(f"{TOLD}.includes('is the text of an output here')", True)
        assert f": {system} is {rank} of" in browser.run(TOLD)
        assert f"with {score}" in browser.run(TOLD)
        assert (
            browser.run(
                f"return document.querySelector('{row}').className"
            ).split()[-1]
            == "own"
        )
        browser.run(DROP, "other.txt", "x\ny\nz")
        browser.wait(f"{TOLD}.includes('3 lines, as no data set')", True)
        assert (
            browser.run("return document.querySelectorAll('tr.own').length")
            == 0
        )
    browser.run(f"document.querySelector('{board}').dataset.lines = '3'")
    browser.run(DROP, "it's mine.txt", "x\ny\nz\n")
    browser.wait(f"{TOLD}.includes('No output here has the text of')", True)
    assert (
        "gec-pipeline reproduce --board conll14-m2 --add 'it'\\''s mine.txt'"
        in browser.run(TOLD)
    )
    assert browser.complaints() == []


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", ["report", "boards"])
def test_every_text_has_contrast(
    browser: Browser, name: str, dark: bool, pages: Pages
) -> None:
    browser.size(dark=dark)
    open_all(browser, pages[name])
    assert browser.run(CONTRAST) == {}
    browser.size()


def test_a_link_opens_its_result(browser: Browser, pages: Pages) -> None:
    browser.open(pages["report"], "result-gjg-m2")
    opened = "return [...document.querySelectorAll('details.result[open]')].map((one) => one.id)"
    assert browser.run(opened) == ["result-gjg-m2"]
    browser.run("location.hash = '#result-gjg-bleu'")
    browser.wait("return document.getElementById('result-gjg-bleu').open", True)
    browser.click("#open")
    assert browser.count("details.result:not([open])") == 0
    browser.click("#close")
    assert browser.count("details.result[open]") == 0


def test_a_search_leaves_what_has_all_of_its_words(
    browser: Browser, pages: Pages
) -> None:
    """The oracle is the names of recipes and boards; the sections of other fields are gone with
    their publications.
    """
    browser.open(pages["scored"])
    visible = "[...document.querySelectorAll(arguments[0])].filter((one) => one.checkVisibility())"
    displayed = f"return {visible}.map((one) => one.innerText.trim())"
    fields, results = (
        browser.run(displayed, "h3.field"),
        browser.run(displayed, "details.result > summary b"),
    )
    assert len(fields) > 2
    search = "const i = document.getElementById('find'); i.value = arguments[0]; i.dispatchEvent(new Event('input'))"
    browser.run(search, "UniEval qags")
    remaining = ["unieval-qags-cnndm", "unieval-qags-xsum"]
    assert (
        sorted(browser.run(displayed, "details.result > summary b"))
        == remaining
    )
    assert sorted(browser.run(displayed, "#results tbody th")) == remaining
    assert [name.lower() for name in browser.run(displayed, "h3.field")] == [
        "dialogue, data to text and summaries"
    ]
    assert (
        browser.run("return document.getElementById('found').textContent")
        == "2 results, 0 boards"
    )
    browser.run(search, "jfleg DEV gleu")
    assert [
        name.partition(" GLEU")[0]
        for name in browser.run(displayed, ".contents li")
    ] == ["JFLEG dev,"]
    browser.run(search, "nothing of the kind")
    assert (
        browser.run(displayed, "details.result, h3.field, .contents li") == []
    )
    browser.run(search, "")
    assert (
        browser.run(displayed, "h3.field"),
        browser.run(displayed, "details.result > summary b"),
    ) == (
        fields,
        results,
    )


def test_columns_of_results_can_be_sorted(
    browser: Browser, pages: Pages
) -> None:
    browser.open(pages["report"])
    first = "return document.querySelector('#results tbody th').textContent"
    before = browser.run(first)
    browser.run("document.querySelector('#results thead button').click()")
    assert browser.run(first) == "acl2015-human-order" != before


def test_print_has_every_result_and_no_controls(
    browser: Browser, pages: Pages
) -> None:
    browser.size(media="print")
    browser.open(pages["report"])
    displayed = "return [...document.querySelectorAll(arguments[0])].filter((one) => one.checkVisibility()).length"
    assert browser.run(displayed, "details.result > summary") > 70
    assert browser.run(displayed, ".buttons, .top, .copy") == 0
    browser.size()
