"""Effects of edits in the page: what the browser shows is what `explain` computes; only asked-for
sentences have it.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pipeline import reopen
from pipeline.extensions.neural.attribution import attributed
from pipeline.extensions.page.explorer import explorer
from pipeline.report.tables import percent
from tests.conftest import ROOT
from tests.support.commands import typed

if TYPE_CHECKING:
    from pathlib import Path

    from tests.extensions.page.browser import Browser
    from tests.support.commands import Command


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of texts beside gold, with a metric of which a sentence alone has no score."""
    folder = tmp_path_factory.mktemp("effects")
    systems = {
        name: {"m2": str(ROOT / "data" / "m2" / f"{name}.m2")}
        for name in ("careful", "eager")
    }
    config = {
        "datasets": {"sample": {"gold": str(ROOT / "data" / "m2" / "gold.m2")}},
        "systems": systems,
        "metrics": ["chrf", "errant", "cleme"],
    }
    (folder / "c.yaml").write_text(json.dumps(config), encoding="utf-8")
    assert typed(f"run {folder / 'c.yaml'} -q --output {folder / 'run'}") == 0
    return folder / "run"


def test_the_page_shows_what_explain_says(run: Path, browser: Browser) -> None:
    assert typed(f"report {run} --format html --effects 4") == 0
    context = reopen.revisit(run)
    corpus = context.corpora["sample"]
    displayed = 0
    pages = explorer(replace(context, effects=4))
    assert pages
    chrf, errant, cleme = pages["datasets"][0]["metrics"]
    assert "effects" not in cleme
    assert len(chrf["effects"]) == len(errant["effects"]) == 4
    for number, item in enumerate((chrf, errant)):
        metric = context.measured[number].metric
        for line in item["effects"]:
            browser.open(
                run / "report.html",
                f"metric={item['label']}&a=eager&line={line + 1}&grams=1",
            )
            found = attributed(metric, corpus, [("eager", line)])["eager", line]
            rows = browser.rows(
                "#detail .cards > :first-child table.effects tbody tr"
            )
            values = [
                [percent(value, 2) for value in effect[5:]]
                for effect in found.effects
            ]
            read = [
                [
                    cell.replace("\N{MINUS SIGN}", "-").removeprefix("+")
                    for cell in row[-3:]
                ]
                for row in rows
            ]
            assert read == values
            ranges = [f"{e.start}–{e.end}" for e in found.effects]  # noqa: RUF001
            assert [row[0] for row in rows] == ranges
            displayed += len(values)
    assert displayed > 4
    assert browser.complaints() == []


def test_only_pages_have_effects(run: Path, command: Command) -> None:
    message = command.refused(f"report {run} --format markdown --effects 4").err
    assert message.strip() == "error: --effects is for --format html"
    data = explorer(reopen.revisit(run))
    assert data
    assert [
        metric.get("effects") for metric in data["datasets"][0]["metrics"]
    ] == [None] * 3
