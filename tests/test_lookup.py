"""A table imports what it names when it is first asked for, and names alone import nothing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from pipeline.lookup import Table
from tests.conftest import ROOT
from tests.test_structure import loaded


def test_what_a_table_names_is_imported_when_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shelf").mkdir()
    (tmp_path / "shelf" / "__init__.py").touch()
    (tmp_path / "shelf" / "book.py").write_text("class Book: ...\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    table: Table[Any] = Table(
        "shelf", {"book": "book.Book", "lost": "nowhere.Lost"}
    )
    assert (list(table), len(table), "book" in table, "pen" in table) == (
        ["book", "lost"],
        2,
        True,
        False,
    )
    assert "shelf.book" not in sys.modules
    book = table["book"]
    assert book.__name__ == "Book"
    assert table["book"] is book
    with pytest.raises(KeyError):
        table["pen"]
    with pytest.raises(ModuleNotFoundError):
        table["lost"]
    table["lost"] = int
    assert table["lost"] is int
    del table["lost"]
    assert list(table.items()) == [("book", book)]


@pytest.mark.parametrize(
    ("code", "metrics"),
    [
        ("from pipeline.metrics import METRICS; list(METRICS)", []),
        (
            "from pipeline.metrics.build import from_text; from_text('chrf[word_order=2]')",
            ["chrf"],
        ),
        (
            "import pipeline.cli.commands.score, pipeline.report.console, pipeline.api",
            [],
        ),
    ],
)
def test_metrics_are_imported_when_they_are_asked_for(
    code: str, metrics: list[str]
) -> None:
    names = [
        "pipeline.metrics.chrf",
        "pipeline.extensions.errant.metrics.errant",
        "pipeline.metrics.gleu",
    ]
    assert loaded(code, names) == [
        f"pipeline.metrics.{name}" for name in metrics
    ]


def test_options_of_metrics_are_declared_where_they_are_named() -> None:
    texts = f"'-r', '{ROOT}/data/reference0.txt', '-o', '{ROOT}/data/systems/careful.txt'"
    code = "from pipeline.cli import main; main(['score', 'chrf', {}])"
    names = [
        "pipeline.metrics.green",
        "pipeline.extensions.human.judgments",
        "concurrent.futures",
        "importlib.metadata",
    ]
    assert loaded(code.format(texts), names) == []
    of_all = code.format(f"{texts}, '--word-order', '2'")
    assert loaded(of_all, names[:3]) == ["pipeline.metrics.green"]
