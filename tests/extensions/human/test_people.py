"""How people rank the systems, and how the metrics agree with them: in the page and in plots."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline import reopen
from pipeline.extensions.human.page_sections import human_section
from pipeline.extensions.human.plot_data import coefficient_plots
from pipeline.extensions.human.stages import human_ranking_of
from pipeline.extensions.human.tables import AGREEMENT_TABLES, coefficient
from pipeline.extensions.page import charts
from pipeline.extensions.page.page import html_files
from pipeline.extensions.plots.canvas import styled
from pipeline.extensions.plots.figures import plot_files
from pipeline.report import PLOTS
from pipeline.report.context import PlotStyle, ReportContext
from pipeline.report.tables import round_half_up
from pipeline.report.tables.metric_names import called
from tests.conftest import ROOT
from tests.extensions.page.test_charts import shapes, title
from tests.support.in_process import Call, run_command

DATA = ROOT / "data"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the sample with four metrics and a copy of its judgements."""
    folder = tmp_path_factory.mktemp("run")
    shutil.copy(DATA / "judgements.csv", folder / "judgements.csv")
    texts = {
        "source": str(DATA / "source.txt"),
        "references": [str(DATA / "reference0.txt")],
    }
    config = {
        "datasets": {"sample": texts},
        "systems": [str(DATA / "systems" / "*.txt")],
        "metrics": ["gleu[iter=1]", "google_gleu", "bleu", "ter"],
        "human": {"file": "judgements.csv", "resamples": "200"},
        "output": {"formats": ["html"]},
    }
    (folder / "run.yaml").write_text(json.dumps(config))
    run_command(
        f"run {folder / 'run.yaml'} -q --json --output {folder / 'run'}"
    )
    return folder


@pytest.fixture(scope="module")
def context(folder: Path) -> ReportContext:
    return reopen.revisit(folder / "run")


@pytest.fixture(scope="module")
def human_data(context: ReportContext) -> dict[str, Any]:
    found = human_section(context)
    assert found
    return found


def test_the_ranking_is_that_of_the_command(
    folder: Path,
    context: ReportContext,
    human_data: dict[str, Any],
    call: Call,
) -> None:
    file = str(folder / "judgements.csv")
    printed = json.loads(call(f"human {file} --json --resamples 200").out)
    ours = printed["expected_wins"]
    ranking = human_data["ranking"]
    assert (
        [row[1] for row in ranking["table"].rows]
        == ours["order"]
        == ranking["pairs"]["names"]
    )
    for _, name, score, ranks, cluster in ranking["table"].rows:
        low, high = ours["ranks"][name]
        assert float(score) == pytest.approx(ours["scores"][name], abs=0.000501)
        assert (ranks, int(cluster)) == (
            str(low) if low == high else f"{low}-{high}",
            ours["clusters"][name],
        )
    scores = (context.results.human or {})["scores"]["expected_wins"]
    assert scores == pytest.approx(
        {name: ours["scores"][name] for name in scores}, abs=1e-12
    )
    for row, cells in ranking["pairs"]["rows"]:
        for column, (text, kind, _) in zip(
            ranking["pairs"]["names"], cells, strict=True
        ):
            if row == column:
                assert (text, kind) == ("", "none")
            else:
                share, p = (
                    printed["head_to_head"][name][row][column]
                    for name in ("share", "p")
                )
                assert text == round_half_up(share, 2) + (
                    "#" if p <= 0.01 else ""
                )  # no p is from 0.01 to 0.10 here
                assert kind == f"h{round(10 * share)}"


def test_a_page_of_the_run_is_that_of_the_report(
    folder: Path, context: ReportContext
) -> None:
    assert (folder / "run" / "report.html").read_text(
        encoding="utf-8"
    ) == html_files(context)["report.html"]


def test_figures_have_the_numbers_of_the_results(
    context: ReportContext, human_data: dict[str, Any]
) -> None:
    human = context.results.human or {}
    drawn_forests = [
        displayed for *_, displayed in coefficient_plots(context.results)
    ]
    drawings = [
        drawing
        for forest in drawn_forests
        for drawing in charts.drawn("x", forest).values()
    ]
    titles = {
        title(circle)
        for drawing in drawings
        for circle in shapes(drawing, "circle")
    }
    items = human["correlations"]
    names = {
        called([item["metric"]])[item["metric"]]: item["coefficients"]
        for item in items
    }
    expected = {
        f"{metric}: {name} {coefficient(ours['value'])}, {' to '.join(map(coefficient, ours['interval']))}"
        for metric, coefficients in names.items()
        for name, ours in coefficients.items()
    }
    assert titles == expected
    assert len(titles) == 16
    assert list(drawn_forests[0].names) == sorted(
        names, key=lambda metric: -names[metric]["pearson"]["value"]
    )
    assert [name for name, _ in human_data["plots"]][:2] == [
        "Pearson with expected wins",
        "Spearman with expected wins",
    ]


def test_plots_show_the_same(context: ReportContext) -> None:
    narrow = PlotStyle("column", "serif", title=False)
    plots = plot_files(
        replace(
            context,
            plots=("people", "correlations"),
            plot_type="svg",
            plot_style=narrow,
        )
    )
    displayed = ["pearson", "spearman", "kendall", "accuracy"]
    middle = [f"correlations.sample.expected_wins_{name}" for name in displayed]
    assert list(plots) == [f"{stem}.svg" for stem in ("people.sample", *middle)]
    widths = {
        re.search(r'width="([0-9.]+)pt"', data.decode()).group(1)  # type: ignore[union-attr]
        for data in plots.values()
    }
    assert [float(width) / 72 * 72.27 for width in widths] == [
        pytest.approx(219, abs=0.001)
    ]
    with styled():
        _, _, ranks = next(PLOTS["people"].figures(context))
        _, _, first = next(PLOTS["correlations"].figures(context))
    assert context.results.human
    ranking = human_ranking_of(context)
    assert ranking
    rows = [label.get_text() for label in ranks.axes[0].get_yticklabels()]
    assert rows == ranking.expected_wins["order"]
    *_, forest = next(coefficient_plots(context.results))
    dots = []
    for line in first.axes[0].lines:
        if line.get_marker() == "o":
            dots.append(np.asarray(line.get_xdata())[0])
    assert dots == [mark.low for mark in forest.marks if mark.kind == "value"]


def test_judgements_that_are_gone_are_told(folder: Path) -> None:
    """The correlations stay, since the results have them."""
    file = folder / "judgements.csv"
    text = file.read_text(encoding="utf-8")
    for change in (
        lambda: file.write_text(text + "\n", encoding="utf-8"),
        file.unlink,
    ):
        change()
        page = html_files(reopen.revisit(folder / "run"))["report.html"]
        assert "The ranking by people is not here" in page
        assert "How people rank the systems" not in page
        assert (
            ">Williams&#39; test: metric correlates higher than other<" in page
        )
    assert (
        plot_files(replace(reopen.revisit(folder / "run"), plots=("people",)))
        == {}
    )
    file.write_text(text, encoding="utf-8")


def test_no_p_value_is_printed_as_zero() -> None:
    """A p-value is a share of the permutations: where none reached the difference, it is below one
    of them.
    """
    known = {
        "statistic": "pearson|average:none",
        "metric": "m",
        "other": "n",
        "human": "h",
        "delta": 0.25,
    }
    found = [{**known, "p": p, "resamples": 20} for p in (0.0, 0.05, None)]
    permutations = AGREEMENT_TABLES[-1]
    assert [
        row[5] for row in permutations.table({"permutations": found})[1]
    ] == [
        "<0.05",
        "0.0500",
        "-",
    ]
