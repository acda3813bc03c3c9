"""Scores by type of edit in every form of report: numbers are those of the results, and fit where
they are shown.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import pandas as pd
import pytest
from rich.cells import cell_len

import pipeline
from pipeline import stages
from pipeline.api import evaluate_corpus
from pipeline.errors import InputError
from pipeline.extensions.page.type_maps import type_maps
from pipeline.reopen import revisit
from pipeline.report import documents
from pipeline.report.console import print_types
from pipeline.report.context import ReportContext
from pipeline.report.csv_files import csv_files
from pipeline.report.latex import latex_files
from pipeline.report.markdown import markdown_files
from pipeline.report.tables import Types, percent
from tests.conftest import run
from tests.extensions.errant.test_breakdown import write_edits
from tests.support.commands import Command
from tests.support.metrics import counts_of
from tests.support.terminal import on_terminal

NASTY = "R:<b>&_|*"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three systems with statistics. One of its types has letters that mean something in
    every form.
    """
    folder = tmp_path_factory.mktemp("types")
    config = write_edits(folder, statistics={"resamples": "50", "trials": "20"})
    for name in ("gold.m2", "A.m2"):
        text = (folder / name).read_text(encoding="utf-8")
        (folder / name).write_text(
            text.replace("M:NOUN", NASTY), encoding="utf-8"
        )
    run(config, folder / "run")
    return folder / "run"


@pytest.fixture(scope="module")
def context(folder: Path) -> ReportContext:
    return revisit(folder, texts=False)


def test_tables_have_the_numbers_of_the_results(context: ReportContext) -> None:
    for tier in (1, 2, 3):
        (types,) = Types.of(context.results, tier)
        header, rows = types.side_by_side(2)
        ranked = sorted(context.results.scores, key=lambda score: score.rank)
        assert header == ["type", *(score.system for score in ranked)]
        parts = {}
        for part in context.results.breakdown:
            if part.tier == tier:
                parts[part.system] = part.categories
        for kind, *cells in rows:
            for system, text in zip(header[1:], cells, strict=True):
                scores = {item.category: item.score for item in parts[system]}
                expected = percent(scores[kind], 2) if kind in scores else "-"
                assert text == expected
        header, rows = types.of_system("A", 2)
        assert ",".join(header) == (
            "type,tp,fp,fn,precision,recall,errant,95% interval"
        )
        assert [row[:4] for row in rows] == [
            [item.category, *map(str, counts_of(item.outputs))]
            for item in parts["A"]
        ]


@pytest.mark.parametrize("width", [40, 44, 60, 80, 200])
def test_tables_fit_the_terminal(
    context: ReportContext,
    width: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The scores of all systems always stand there; a single system has the columns that fit, with
    its score.
    """
    on_terminal(monkeypatch, width, "dumb")
    for results, titles in (
        (context.results, "ABC"),
        (context.results.only("A"), ["errant"]),
    ):
        (types,) = Types.of(results, 3)
        print_types(results, 2, 3)
        *table, signature = capsys.readouterr().out.splitlines()[1:]
        assert signature == types.group.metric
        words = " ".join(table).split()
        assert all(
            word in words for word in " ".join([*types.names, *titles]).split()
        )
        assert max(map(cell_len, table)) <= width
        assert all(
            percent(cell.score, 2) in words
            for (name, _), cell in types.cells.items()
            if name == "A"
        )


def test_piped_output_has_precision_recall_and_score_of_each_system(
    folder: Path, command: Command
) -> None:
    out, err = command(f"report {folder} --by type --tier 1")
    assert err == ""
    title, header, *rows, signature = out.splitlines()
    assert (
        title == "d: ERRANT by type (tier 1: missing, replaced or unnecessary)"
    )
    assert sorted(header.split()) == sorted(["type", *"ABC" * 3, *"PRF" * 3])
    assert [row.split()[0] for row in rows] == ["M", "R", "U"]
    assert signature.startswith("errant|")


def test_markup_in_types_stays_text(context: ReportContext) -> None:
    total = replace(context, tier=3, by_type=True)
    (text,) = markdown_files(total).values()
    assert r"R:\<b\>\&\_\|\*" in text
    tex = latex_files(total)["types.tex"]
    assert r"R:\textless{}b\textgreater{}\&\_\textbar{}{*}" in tex
    assert (
        tex.count(r"\begin{tabular}")
        == tex.count(r"\end{tabular}}")
        == tex.count(r"\bottomrule")
        == 1
    )
    displayed = type_maps(context.results, 2)[
        "d", context.results.scores[0].metric
    ]
    assert [item["title"].split(": ")[1].split()[0] for item in displayed] == [
        "categories",
        "missing,",
        "whole",
    ]
    assert NASTY in [name for name, _ in displayed[2]["rows"]]


def test_the_best_of_a_type_is_bold_unless_all_are_equal(
    context: ReportContext,
) -> None:
    text = markdown_files(replace(context, tier=1, by_type=True))["types.md"]
    (types,) = Types.of(context.results, 1)
    for name in types.names:
        row = next(
            line for line in text.splitlines() if line.startswith(f"| {name} ")
        )
        best = max(types.cells[system, name].score for system in types.systems)
        assert [cell.strip() for cell in row.split("|") if "**" in cell] == [
            f"**{percent(best, 2)}**"
            for system in types.systems
            if types.cells[system, name].score == best
        ]


def test_papers_have_the_types_that_references_ask_for_most_often(
    context: ReportContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    (types,) = Types.of(context.results, 3)
    target = {
        name: max(
            cell.outputs["tp"] + cell.outputs["fn"]
            for (_, entry), cell in types.cells.items()
            if entry == name
        )
        for name in types.names
    }
    monkeypatch.setattr(documents, "MAX_TYPES", 2)
    (document_table,) = documents.type_tables(context.results, 2, 3)
    displayed = [row[0].text for row in document_table.rows]
    assert len(displayed) == 2
    assert min(target[name] for name in displayed) >= max(
        target[name] for name in set(target) - set(displayed)
    )
    assert (
        f"The 2 most frequent types; {len(target) - 2} more are in types.csv."
        in document_table.notes
    )


def test_csv_has_every_number(context: ReportContext) -> None:
    text = csv_files(replace(context, by_type=True))["types.csv"]
    expected = []
    for part in context.results.breakdown:
        for item in part.categories:
            for name, value in item.outputs.items():
                cells = part.system, str(part.tier), item.category, name
                interval = item.intervals.get(name, (None, None))
                expected.append([*cells, value, *interval])
    found = []
    for row in csv.DictReader(io.StringIO(text)):
        cells = row["system"], row["tier"], row["type"], row["output"]
        numbers = [row[name] for name in ("value", "low", "high")]
        found.append([*cells, *(float(n) if n else None for n in numbers)])
    assert found == expected
    assert {"types.csv", "scores.csv", "tests.csv"} == set(csv_files(context))


def test_python_gets_rows(folder: Path) -> None:
    evaluation = pipeline.load(folder)
    rows = evaluation.breakdown(1)
    assert [(row["system"], row["type"]) for row in rows] == [
        *product("ABC", "MRU")
    ]
    stored = json.loads((folder / "results.json").read_bytes())["breakdown"]
    parts = {(p["system"], p["tier"]): p["categories"] for p in stored}
    first = parts["B", 1][0]
    low, high = first["intervals"]["errant"]
    assert evaluation["B"].breakdown(1)[0] == {
        "type": "M",
        "score": first["score"],
        "low": low,
        "high": high,
        **first["outputs"],
    }
    sizes = [len(parts[system, 3]) for system in "ABC"]
    assert len(pd.DataFrame(evaluation.breakdown())) == sum(sizes)
    job = stages.prepare(folder.parent / "c.yaml")
    in_memory = evaluate_corpus(job.corpora[0], job.metrics).breakdown(2)
    rows = evaluation.breakdown(2)
    for row in rows:
        del row["low"], row["high"]
    assert in_memory == [{"dataset": "d", **row} for row in rows]
    with pytest.raises(InputError, match="tier: expected 1, 2 or 3, found 4"):
        evaluation.breakdown(4)
