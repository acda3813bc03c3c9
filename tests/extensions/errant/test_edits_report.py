"""Edits with their verdicts: those of a sentence are the hits and misses that were counted, in
every form.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pipeline.cli import dispatch
from pipeline.extensions.edits.m2_files import NOOP
from pipeline.extensions.page.explorer import explorer
from pipeline.metrics.base import Verdict
from pipeline.metrics.build import from_text
from pipeline.reopen import revisit
from pipeline.scoring import MetricColumns
from tests.conftest import run
from tests.extensions.errant.test_breakdown import write_edits
from tests.support.words import wordlist

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.report.context import ReportContext
    from tests.extensions.page import browser as browsers
    from tests.support.commands import Command


MODES = wordlist(
    "errant errant[mode=cse] errant[mode=ds] errant[mode=dt] errant[types=DET] errant[single=true]"
)
NASTY = "R:</script><b>"


def write_nasty(folder: Path, **more: Any) -> Path:
    """Write edits of which one type, and a correction, look like markup."""
    config = write_edits(folder, **more)
    for file in folder.glob("*.m2"):
        text = file.read_text(encoding="utf-8").replace(
            "M:NOUN|||x", f"{NASTY}|||<img src=x onerror=alert(1)>"
        )
        file.write_text(text, encoding="utf-8")
    return config


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("edits")
    run(write_nasty(folder, metrics=MODES), folder / "run")
    return folder / "run"


@pytest.fixture(scope="module")
def context(folder: Path) -> ReportContext:
    return revisit(folder)


def test_proposed_edits_are_what_m2_counts(tmp_path: Path) -> None:
    """Right edits are `correct`; with the wrong ones they are `proposed`, and with the missed ones
    `gold`.
    """
    names = wordlist(
        "m2 m2[mu=0] m2[annotators=all] m2[iwc=true] m2[choice=last]"
    )
    file = write_edits(tmp_path, metrics=names)
    config = json.loads(file.read_bytes())
    lines = (tmp_path / "C.m2").read_text(encoding="utf-8").split("\n")
    one = "\n".join(line for line in lines if line[-4:] != "|||1")
    (tmp_path / "C.m2").write_text(one, encoding="utf-8")
    del config["systems"]["B"]  # of two annotators, so that it is no text
    file.write_text(json.dumps(config), encoding="utf-8")
    run(file, tmp_path / "run")
    context = revisit(tmp_path / "run")
    seen = Counter[str]()
    for measured in context.measured:
        view = context.corpora["d"].read_by(measured.metric.spec)
        assert view.source
        outputs = [view.systems[name] for name in measured.names]
        judged = measured.metric.verdicts(
            view.source.read(0, 60),
            [text.read(0, 60) for text in outputs],
            [text.read(0, 60) for text in view.references],
        )
        for of_system, columns in zip(judged, measured.columns, strict=True):
            (block,) = columns.blocks()
            for line, reference in np.ndindex(block["ref_len"].shape):
                verdicts = of_system[line][reference]
                counts = [
                    block[name][line, reference]
                    for name in ("correct", "proposed", "ref_len")
                ]
                if verdicts is None:
                    assert counts[2] < 0
                    continue
                seen.update(verdict.verdict for verdict in verdicts)
                right, wrong, missed = (
                    [v for v in verdicts if v.verdict == kind]
                    for kind in (Verdict.RIGHT, Verdict.WRONG, Verdict.MISSED)
                )
                distinct = {(v.start, v.end, v.correction) for v in right}
                assert counts == [
                    len(right),
                    len(distinct) + len(wrong),
                    len(right) + len(missed),
                ]
                assert all(verdict.type for verdict in right + missed)
    assert (
        min(
            seen[kind]
            for kind in (Verdict.RIGHT, Verdict.WRONG, Verdict.MISSED)
        )
        > 50
    )
    data = explorer(context)
    assert data
    for displayed in data["datasets"][0]["metrics"]:
        assert len(displayed["edits"]["marks"]) == 60
        assert not displayed["bySystem"]


def test_the_annotators_shown_are_those_of_the_score(
    context: ReportContext,
) -> None:
    """The counts with them sum to those of the score, although some annotators have no line in some
    sentences.
    """
    for measured in context.measured:
        for score, columns in zip(
            measured.scores, measured.columns, strict=True
        ):
            (block,), (chosen,) = (
                columns.blocks(),
                MetricColumns(measured.metric).chosen_references(columns),
            )
            assert (block["ref_len"][np.arange(60), chosen] >= 0).all()
            terms = measured.metric.make_terms(block)
            totals = {
                name: terms[name][np.arange(60), chosen].sum()
                for name in ("tp", "fp", "fn")
            }
            assert totals == {name: score.outputs[name] for name in totals}


def test_a_sentence_by_hand() -> None:
    """An edit that both have, one that only the output has, one that only the annotator has, and no
    annotator.
    """
    edits = [
        "A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0",
        "A 4 4|||M:PUNCT|||!|||REQUIRED|||-NONE-|||0",
    ]
    gold = [
        "A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0",
        "A 2 3|||U:DET|||-NONE-|||REQUIRED|||-NONE-|||0",
    ]
    source = "This are a sentence"
    annotators = ["\n".join(["0 0 0", *gold]), ""]
    ((with_edits,), (without,)) = from_text("errant").verdicts(
        [source],
        [["\n".join(edits)], [NOOP]],
        [[entry] for entry in annotators],
    )
    assert with_edits == [
        [
            Verdict(1, 2, "are", "is", "R:VERB:SVA", "right"),
            Verdict(2, 3, "a", "", "U:DET", "missed"),
            Verdict(4, 4, "", "!", "M:PUNCT", "wrong"),
        ],
        None,
    ]
    assert [verdict.verdict for verdict in without[0] or ()] == [
        "missed",
        "missed",
    ]
    (((entry,),),) = from_text("errant").verdicts(
        [source], [[NOOP]], [[f"0 0 0\n{NOOP}"]]
    )
    assert entry == []


def test_show_has_the_edits_of_a_sentence(
    folder: Path, command: Command, context: ReportContext
) -> None:
    data = explorer(context)
    assert data
    chosen = data["datasets"][0]["metrics"][0]["edits"]["chosen"]
    signature = context.measured[0].scores[0].metric
    out, err = command(
        f"show {folder} --metric {signature} --line 7 --system C"
    )
    assert err == ""
    lines = out.splitlines()
    title = f"edits for ERRANT: annotator {chosen[6][2]} counts for the score of the data set"
    assert title in lines
    rows = lines[lines.index(title) + 2 : lines.index("", lines.index(title))]
    (block,) = context.measured[0].columns[2].blocks()
    entry = block["tp"][6] + block["fp"][6] + block["fn"][6]
    assert (
        sum(
            row.count(kind)
            for row in rows
            for kind in ("right", "wrong", "missed")
        )
        == entry.sum()
    )


@pytest.fixture(scope="module")
def page(folder: Path) -> Path:
    assert dispatch.main(["report", str(folder), "--format", "html"]) == 0
    return folder / "report.html"


DRAWN = """
const found = [], own = dataset(), shown = metric();
for (let line = 0; line < own.numbers.length; line++) for (let system = 0; system < own.systems.length; system++) {
  for (let number = 0; number < shown.apart; number++) {
    const drawn = judged(own, shown, line, system, number);
    const kinds = ["right", "wrong", "missed"].map((kind) => drawn.querySelectorAll(`.edit.${kind}`).length);
    found.push([line, system, number, drawn.tagName === "P" ? null : kinds]);
  }
}
return found;
"""


@pytest.mark.parametrize("width", [360])
def test_the_page_draws_what_was_counted(
    browser: browsers.Browser, page: Path, context: ReportContext, width: int
) -> None:
    browser.size(width)
    for measured in context.measured:
        browser.open(page)
        field = "const f = document.forms.controls.elements.metric; f.value = arguments[0];"
        number = context.measured.index(measured)
        browser.run(
            f"{field} f.dispatchEvent(new InputEvent('input', {{bubbles: true}}));",
            str(number),
        )
        blocks = [next(columns.blocks()) for columns in measured.columns]
        terms = [measured.metric.make_terms(block) for block in blocks]
        for line, system, reference, kinds in browser.run(DRAWN):
            missing = blocks[system]["ref_len"][line, reference] < 0
            expected = [
                int(terms[system][name][line, reference])
                for name in ("tp", "fp", "fn")
            ]
            assert kinds == (None if missing else expected), (
                measured.scores[0].metric,
                line,
                system,
                reference,
            )
        assert browser.fits(width)
        assert browser.count(".card .judged") > 0
        assert browser.count("main b, main img") == 0
        assert browser.complaints() == []


def test_a_press_on_a_title_sorts(
    browser: browsers.Browser, page: Path, context: ReportContext
) -> None:
    browser.size(1280)
    browser.open(page)
    column = "[...document.querySelector('table.heat').tBodies[0].rows].map((row) => row.cells[1].textContent)"
    press = (
        "document.querySelectorAll('table.heat .sorts')[arguments[0]].click();"
    )

    def pressed(number: int) -> list[str]:
        texts: list[str] = browser.run(f"{press} return {column}", number)
        return texts

    def numbers(texts: list[str]) -> list[float]:
        return [float(text) for text in texts if text != "-"]

    before = browser.run(f"return {column}")
    falling = numbers(pressed(1))
    assert falling == sorted(falling, reverse=True)
    rising = numbers(pressed(1))
    assert rising == sorted(rising)
    assert pressed(0) == before
    names = {
        item["category"]
        for item in json.loads(context.results.to_json())["breakdown"][0][
            "categories"
        ]
    }
    displayed = browser.texts("table.heat th[scope=row]")
    assert names <= set(displayed)
    assert NASTY in names
