"""The sentence of a page: edits in pairs and letters, who makes them, hits, all scores, overlaps,
copies for papers.
"""

import json
import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pipeline import reopen
from tests.extensions.page import browser as browsers
from tests.extensions.page.browser import (
    DATA,
    Browser,
    report_of,
    sample_config,
    write_lines,
)
from tests.extensions.page.test_browser import choose, listed
from tests.support.tables import word_list

browsers.skip_module()

SYSTEMS = ("careful", "eager", "unchanged", "broken")
TEXTS = [
    "He go to school yesterdays .",
    "He goes to the school yesterday .",
    "彼は走る。 she runing",
    "彼女は走った。 she running",
    "a<n>b c.<n>d",
    "a <n> b c. d",
    "می\u200cخواهم من",  # noqa: RUF001
    "e\u0301tait \U0001f600 x",
    "every day",
    "everyday",
    "",
]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample of data/ and a data set of two summaries, with metrics whose overlaps are marked."""
    folder = tmp_path_factory.mktemp("pages")
    document = " ".join(f"Word{number} stands here ." for number in range(40))
    texts = {
        "documents": [document, document.replace("here", "there")],
        "summaries": [
            "Word1 stands .<n>Word2 too .",
            "Many words stand there .",
        ],
        "A": ["Word1 stands .<n>Word3 does .", "The words stood there ."],
        "B": ["Word2 .", "Words ."],
    }
    write_lines(folder, texts)
    metrics = "gleu[iter=2] rouge[types=1+2+L] chrf bleu rouge[flavour=perl,types=1+L]"
    config = sample_config(*metrics.split(), gold=False)
    short = {"source": "documents", "references": ["summaries"]}
    config["datasets"]["short"] = short
    config["systems"] = {
        name: {"sample": f"{DATA}/systems/{name}.txt", "short": file}
        for name, file in zip(SYSTEMS, "ABAB", strict=True)
    }
    del config["statistics"]
    return report_of(folder, config)


EDITS = """
return arguments[0].map(([one, two]) => {
  const [x, y] = [split(one).words, split(two).words], found = wordEdits(x, y);
  return [x, y, found.filter(([kind]) => kind === "changed").map(([, ...at]) => at), found];
});
"""


def lcs_length(one: list[str], two: list[str]) -> int:
    """Return the length of the longest common subsequence, by its definition."""
    before = [0] * (len(two) + 1)
    for word in one:
        row = [0]
        for j, other in enumerate(two):
            row.append(
                before[j] + 1 if word == other else max(before[j + 1], row[j])
            )
        before = row
    return before[-1]


def test_edits_keep_as_many_words_as_there_can_be(
    browser: Browser, page: Path
) -> None:
    """Texts of many scripts by hand, and random ones: the same words are as many as a naive table
    finds.
    """
    generator = random.Random(26)
    vocabulary = word_list(
        "go goes going walk walkes walking r\u00e9 r\u00e9es r\u00e9ing"
    )
    pairs = [*product(TEXTS, TEXTS)]
    for size in (*range(1, 30), 90):
        one, two = (
            " ".join(generator.choices(vocabulary, k=size)) for _ in "ab"
        )
        pairs.append((one, two))
    browser.open(page)
    for one, two, changed, found in browser.run(EDITS, pairs):
        at, same = (0, 0), 0
        for kind, a, b, c, d in found:
            assert (a, c) == at
            at = b, d
            if kind == "same":
                assert one[a:b] == two[c:d]
                same += b - a
        assert at == (len(one), len(two))
        assert same == lcs_length(one, two)
        assert all(one[a:b] != two[c:d] for a, b, c, d in changed)
    one, two = (
        " ".join(form.format(n) for n in range(500))
        for form in ("w{} a", "b w{}")
    )
    # cut at words that both have once
    ((_, _, changed, _),) = browser.run(EDITS, [[one, two]])
    assert [b - a for a, b, _, _ in changed] == [0, *[1] * 500]


def test_words_are_pairs_where_they_are_alike(
    browser: Browser, page: Path
) -> None:
    """By hand: goes and go share 2 of 2 and 4 letters (4/6); of yesterdays and yesterday 9 (18/19)."""
    browser.open(page)
    for one, two, share in (
        ("go", "goes", 4 / 6),
        ("yesterdays", "Yesterday", 18 / 19),
        ("a", "walking", 0),
    ):
        assert browser.run("return likeness(...arguments)", one, two) == share
    assert browser.run("return letters('e\u0301t')") == ["e\u0301", "t"]
    for one, two, changed in (
        ("go to school", "goes to the School", [[0, 1, 0, 1], [2, 2, 2, 3], [2, 3, 3, 4]]),
        ("every day", "everyday", [[0, 2, 0, 1]]),
        ("to go", "goes", [[0, 1, 0, 0], [1, 2, 0, 1]]),
    ):  # fmt: skip
        assert browser.run(EDITS, [[one, two]])[0][2] == changed
    ((words, *_),) = browser.run(EDITS, [["走る。 she<n>is", ""]])
    assert words == word_list("走 る 。 she <n> is")


@pytest.mark.parametrize(
    ("text", "other", "expected"),
    [
        ("she is running", "she is runing", "she is <del>runing</del>\u2009<ins>run<b>n</b>ing</ins>"),
        ("goes too", "go to", "<del>go</del>\u2009<ins>go<b>es</b></ins> <del>to</del>\u2009<ins>to<b>o</b></ins>"),
        ("big houses", "small tree", "<del>small tree</del>\u2009<ins>big houses</ins>"),
        ("a b", "a  b", "a b"),
    ],
)  # fmt: skip
def test_letters_that_differ_are_marked(
    browser: Browser, page: Path, text: str, other: str, expected: str
) -> None:
    browser.open(page)
    html = "return marked(...arguments).innerHTML"
    assert browser.run(html, text, other) == expected


def test_breaks_of_sentences_are_marked(browser: Browser, page: Path) -> None:
    browser.open(page)
    text = browser.run("return marked('one<n>two', null).textContent")
    assert text == "one↵\ntwo"


def test_references_stand_for_annotators(browser: Browser, page: Path) -> None:
    """The table and the filter say how many references make each edit of the page's own alignment."""
    corpus = reopen.revisit(page.parent).corpora["sample"]
    source, *texts = (text.read(0, 96) for text in corpus.texts)
    outputs = dict(zip(corpus.systems, texts[2:], strict=True))
    browser.open(page, "dataset=sample&metric=bleu")
    browser.click("#agreement summary")
    rows = "return document.querySelectorAll('#agreement tbody tr').length"
    browser.wait(rows, 4)
    rows = browser.run(
        "return [...document.querySelectorAll('#agreement tbody tr')].map((row) => [...row.cells].map((cell) "
        "=>(cell.querySelector('button') ?? cell).textContent))"
    )

    def edits(texts: list[str]) -> list[set[Any]]:
        pairs = [*zip(source, texts, strict=True)]
        return [
            {(a, b, *two[c:d]) for a, b, c, d in cuts}
            for _, two, cuts, _ in browser.run(EDITS, pairs)
        ]

    annotators = [*map(edits, texts[:2])]
    for name, *numbers in rows:
        lines: dict[int, list[int]] = {0: [], 1: [], 2: []}
        each = zip(edits(outputs[name]), *annotators, strict=True)
        for line, (ours, one, other) in enumerate(each, 1):
            for edit in ours:
                lines[(edit in one) + (edit in other)].append(line)
        counts = [len(lines[makers]) for makers in (2, 1, 0)]
        assert [*map(int, numbers[:4])] == [sum(counts), *counts]
        choose(browser, a=name, edits="no reference makes")
        assert listed(browser) == sorted(set(lines[0]))


def test_a_source_stands_beside_its_summary(
    browser: Browser, page: Path
) -> None:
    browser.size(1440)
    browser.open(page, "dataset=short&line=1")
    assert browser.run("return state.against") == "nothing"
    assert browser.count("#agreement[hidden]") == 1
    box = "return document.querySelector(arguments[0]).getBoundingClientRect()"
    source, cards = (
        browser.run(box, f"#detail {name}")
        for name in (".given.source", ".cards")
    )
    assert source["right"] < cards["left"]
    assert "↵\n" in browser.text("#detail .card .text")
    browser.size(390)
    assert browser.fits(390)
    browser.size()


def test_hits_of_a_search_are_marked(browser: Browser, page: Path) -> None:
    marks = "#detail mark"
    browser.open(page, "dataset=sample&a=careful&line=1&q=SCHOOL")
    assert set(browser.texts(marks)) == {"school"}
    assert browser.count("#list mark") > 0
    choose(browser, q="/by (the )?bus/")
    assert "".join(browser.texts(marks)).startswith("by the bus")
    choose(browser, q="")
    assert browser.count(marks) == 0


def test_ids_stand_beside_lines_and_are_found(
    browser: Browser, tmp_path: Path
) -> None:
    texts = ("a text {} of mine", "a text {} of yours")
    records = []
    for n in range(4):
        ref, hyp = (text.format(n) for text in texts)
        records.append(json.dumps({"id": f"doc-{n}", "ref": ref, "hyp": hyp}))
    write_lines(tmp_path, {"d.jsonl": records})
    reference, output = (
        {"jsonl": "d.jsonl", "key": "id", "column": name}
        for name in ("ref", "hyp")
    )
    config = {
        "datasets": {"d": {"references": [reference]}},
        "systems": {"A": output},
        "metrics": ["bleu"],
    }
    browser.open(report_of(tmp_path, config), "line=3")
    assert browser.text("#detail h3") == "line 3 (id doc-2) d"
    choose(browser, q="doc-1")
    assert browser.text("#found") == "1 of 4 sentences"


def test_all_metrics_of_a_sentence_stand_side_by_side(
    browser: Browser, page: Path
) -> None:
    browser.open(page, "dataset=sample&line=1&a=eager&b=careful")
    browser.press("m")
    rows = browser.rows(".allscores tbody tr")
    displayed = {
        name.split(" ")[-1]: cells
        for row in rows
        for name in row[0].split(", ")
        for cells in [row[1:]]
    }
    assert set(displayed) == set(SYSTEMS)
    expected = browser.run(
        "return dataset().systems.map((name, system) => [name, dataset().metrics.map((metric) "
        "=>percent(score(dataset(), metric, 0, system, -1)))])"
    )
    assert displayed == dict(expected)
    assert rows[0][0].startswith("A eager")
    browser.run("writeNow()")
    assert "scores=1" in browser.run("return location.hash")


OVERLAPS = """
const wrong = [];
let seen = 0;
for (const own of DATA.datasets) for (const metric of own.metrics.filter((one) => one.overlaps)) {
  for (let line = 0; line < own.numbers.length; line++) own.systems.forEach((_, system) => {
    const { orders } = counts(own, metric, line, system, Math.max(best(own, metric, line, system), 0));
    for (const node of overlapLines(own, metric, line, system, best(own, metric, line, system), orders)) {
      if (node.matches("button")) continue;
      if (node.matches(".grams")) seen++;
      else wrong.push([metric.label, line, system, node.textContent]);
    }
  });
}
return [seen, wrong];
"""


def test_overlaps_of_rouge_and_chrf_are_those_that_were_counted(
    browser: Browser, page: Path
) -> None:
    """ROUGE-1, 2 and L of google, ROUGE-1 of perl, and chrF: five of each output."""
    browser.open(page)
    assert browser.run(OVERLAPS) == [98 * 4 * 5, []]


@pytest.mark.parametrize(
    ("sentence_end", "metrics", "types"),
    [
        ("<n>", "rouge[split=marker] rouge[split=marker,tok=char,types=1+L] rouge[split=regex,tok=13a]", 8),
        ("\n", "rouge rouge[tok=char,types=1+L] rouge[flavour=perl,types=1+2]", 7),
    ],
)  # fmt: skip
def test_what_parts_sentences_is_in_no_overlap(
    browser: Browser,
    tmp_path: Path,
    sentence_end: str,
    metrics: str,
    types: int,
) -> None:
    """The summaries of data/, with <n> between sentences and with newlines: each type of each
    metric of each output.
    """
    columns = []
    names = ("reference0", "reference1", "lead", "rambling")
    for name in names:
        path = next((DATA / "summaries").rglob(f"{name}.txt"))
        columns.append(path.read_text(encoding="utf-8").splitlines())
    assert all("<n>" in column[0] for column in columns)
    rows = []
    for row in zip(*columns, strict=True):
        texts = [text.replace("<n>", sentence_end) for text in row]
        rows.append(json.dumps(dict(zip(names, texts, strict=True))))
    write_lines(tmp_path, {"d.jsonl": rows})
    first, second, *systems = (
        {"jsonl": "d.jsonl", "column": name} for name in names
    )
    config = {
        "datasets": {"d": {"references": [first, second]}},
        "systems": dict(zip(names[2:], systems, strict=True)),
        "metrics": metrics.split(),
    }
    browser.open(report_of(tmp_path, config))
    assert browser.run(OVERLAPS) == [12 * 2 * types, []]


def test_matched_n_grams_are_folded(browser: Browser, page: Path) -> None:
    """Line 1 of eager with reference 0: three tokens match, then one is penalised."""
    browser.open(page, "dataset=sample&metric=gleu&a=eager&reference=0&line=1")
    chips = "return [...document.querySelector('#detail .grams').querySelectorAll('.gram')].map((one) => one.textContent)"
    assert browser.run(chips)[:3] == ["3 ✓", "the", "2 ✓"]
    browser.press("d")
    assert browser.run(chips)[:4] == ["She", "goes", "to", "the"]


def copied(browser: Browser, action: str) -> Any:
    """Return what a button copies."""
    browser.run(
        "window.copied = ''; Object.defineProperty(navigator, 'clipboard', {configurable: true, "
        "value: {writeText: async (text) => { window.copied = text; }}});"
        f"document.querySelector('#detail [data-action={action}]').click()"
    )
    return browser.run("return window.copied")


def test_a_sentence_is_copied_for_a_paper(browser: Browser, page: Path) -> None:
    browser.open(page, "dataset=sample&metric=bleu&a=careful&b=eager&line=1")
    assert copied(browser, "markdown").splitlines()[:3] == [
        "| line 1 of sample | | BLEU |",
        "|---|---|---:|",
        "| source | She go to school by the bus every days . |  |",
    ]
    latex = copied(browser, "latex")
    assert (
        r"careful & She \gecdel{go} \gecins{go\textbf{es}} to school by \gecdel{\textbf{the}} bus"
        in latex
    )
    assert latex.count(r"\begin{figure}") == latex.count(r"\end{figure}") == 1
    hostile = r"50% of $x_1 & {a}^2 ~ \dots <b> #1 " + "``-- \u202e"
    escaped = browser.run("return tex(arguments[0])", hostile)
    assert escaped == (
        r"50\% of \$x\_1 \& \{a\}\textasciicircum{}2 \textasciitilde{} \textbackslash{}dots \textless{}b\textgreater{} "
        r"\#1 \textasciigrave{}\textasciigrave{}-\kern0pt{}- {\tiny RLO}"
    )
    assert (
        browser.run("return markdownText(arguments[0])", "a|b *c* <d> [e](f)")
        == r"a\|b \*c\* \<d\> \[e\](f)"
    )
