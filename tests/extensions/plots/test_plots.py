"""Plots: what they show, that they are the same bytes each time, and that names stay text."""

import math
import subprocess
import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from pipeline.extensions.plots.canvas import add_labels, styled
from pipeline.extensions.plots.figures import plot_files
from pipeline.reopen import revisit
from pipeline.report import PLOTS
from pipeline.report.context import PlotStyle, ReportContext
from pipeline.report.tables.metric_names import labels
from tests.conftest import write_run
from tests.support.extensions import with_extension
from tests.support.in_process import run_command
from tests.support.sample_results import HOSTILE, context

APART = {"people", "curves"}
"""Plots of judgements and of systems with an order, which the results below have not."""


def texts(svg: bytes) -> list[str]:
    return [
        node.text or ""
        for node in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")  # noqa: S314
    ]


def files_of(
    whole: ReportContext, *plots: str, kind: str = "svg"
) -> dict[str, bytes]:
    return plot_files(replace(whole, plots=plots, plot_type=kind))


@pytest.mark.parametrize(
    ("baseline", "lacking"), [(None, {"differences"}), ("&amp;", set())]
)
def test_each_plot_has_the_names_of_its_systems_as_text(
    baseline: str | None, lacking: set[str]
) -> None:
    found = {
        name.partition(".")[0]: data
        for name, data in files_of(context(HOSTILE, baseline)).items()
    }
    assert set(found) == set(PLOTS) - lacking - APART
    for name in set(found) - {"windows", "correlations"}:
        written = texts(found[name])
        for system in (
            "a_b^c$x$",
            "<script>",
            "\\x1b[31mred",
            "\\u202egnp.exe",
            "日本",
            "$\\frac{a",
        ):
            assert system in written, (name, system)
        assert b"\x1b" not in found[name]
        assert any(text.startswith("xxx") and "…" in text for text in written)


def test_scores_stand_where_they_belong() -> None:
    """By hand: scores 60 and 45; the difference is 15."""
    assert list(files_of(context(["A", "B"]), "scores")) == [
        "scores.d.gleu.svg"
    ]
    with styled():
        ((_, _, figure),) = PLOTS["scores"].figures(context(["A", "B"]))
        points = [
            line.get_xydata().tolist()  # type: ignore[union-attr]
            for line in figure.axes[0].lines
            if line.get_marker() == "o"
        ]
    np.testing.assert_allclose(points, [[[60, 0]], [[45, 1]]])


def test_one_system_and_scores_that_are_no_numbers_are_drawn() -> None:
    alone = context(["A"])
    assert {name.partition(".")[0] for name in files_of(alone)} == {
        "scores",
        "ranks",
        *with_extension("human", "correlations", "human"),
    }
    (score,) = alone.results.scores
    nothing = replace(
        score,
        score=math.nan,
        bootstrap=None,
        samples=None,
        outputs={"gleu": math.nan},
    )
    results = replace(
        alone.results,
        scores=[nothing],
        breakdown=[],
        human=None,
        statistics=None,
    )
    assert [
        name.partition(".")[0]
        for name in files_of(ReportContext(results=results))
    ] == ["scores"]


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_a_plot_is_the_same_bytes_each_time_whatever_the_settings(
    kind: str,
) -> None:
    before = dict(mpl.rcParams)
    one = files_of(context(["A", "B", "C"]), "scores", kind=kind)
    with mpl.rc_context(
        {
            "font.size": 30,
            "axes.edgecolor": "red",
            "text.parse_math": True,
            "svg.hashsalt": "x",
        }
    ):
        two = files_of(context(["A", "B", "C"]), "scores", kind=kind)
    assert one == two
    assert dict(mpl.rcParams) == before


def name_box(text: Text) -> Bbox:
    text.get_window_extent()  # of an annotation: puts it in its place, and has its line too
    return Text.get_window_extent(text)


def test_names_of_points_that_crowd_lie_on_no_other_nor_on_points() -> None:
    from pipeline.extensions.plots.canvas import new_figure

    rng = np.random.default_rng(3)
    indices = [
        (f"system-{n}", *rng.uniform(0.4, 0.6, 2).tolist()) for n in range(14)
    ]
    with styled():
        built, axes = new_figure(5, 4)
        axes.set(xlim=(0, 1), ylim=(0, 1))
        add_labels(built, axes, indices)
        boxes = [name_box(text) for text in axes.texts]
    for one, two in combinations(boxes, 2):
        assert not one.padded(-0.5).overlaps(two.padded(-0.5))
    points = axes.transData.transform([index[1:] for index in indices])
    assert not any(box.contains(*point) for box in boxes for point in points)


MANY = [f"system-number-{n}" for n in range(31)]


@pytest.mark.parametrize(
    ("names", "width", "font"),
    [
        (["A", "B"], "column", "sans"),
        ([*HOSTILE, *"ABCD"], "column", "serif"),
        ([*HOSTILE, *"ABCD"], "text", "serif"),
        (MANY, "column", "sans"),
    ],
)
def test_a_figure_fits_a_column_and_can_be_read_there(
    names: list[str], width: str, font: str
) -> None:
    """219 and 455 points of TeX, of which an inch has 72.27; no letter below 7 points, none outside
    of the figure.
    """
    look = PlotStyle(width, font, title=False)
    seen = set()
    for baseline in (None, names[-1]):
        displayed = replace(context(names, baseline), plot_style=look)
        for name, plot in PLOTS.items():
            with styled(look):
                for _, _, figure in plot.figures(displayed):
                    seen.add(name)
                    figure.draw_without_rendering()
                    assert (
                        round(figure.get_figwidth() * 72.27, 6)
                        == {"column": 219, "text": 455}[width]
                    )
                    assert figure.get_suptitle() == ""
                    written = [
                        text
                        for text in figure.findobj(Text)
                        if text.get_visible() and text.get_text()
                    ]
                    assert (
                        min(float(text.get_fontsize()) for text in written) >= 7
                    )
                    assert {text.get_fontfamily()[0] for text in written} == {
                        PlotStyle.FONTS[font][0]
                    }
                    ticks = {
                        *figure.axes[0].get_xticklabels(),
                        *figure.axes[0].get_yticklabels(),
                    }
                    inside = figure.bbox.padded(1.5)
                    # of ticks, those outside of the axes are not drawn
                    for text in set(written) - ticks:
                        box = name_box(text)
                        assert inside.contains(box.x0, box.y0), (name, text)
                        assert inside.contains(box.x1, box.y1), (name, text)
    assert seen == set(PLOTS) - APART


def test_the_look_of_plots_is_chosen_by_option_above_config(
    tmp_path: Path,
) -> None:
    chosen = [
        f"output.plot_{key}"
        for key in ("width=column", "font=serif", "title=false")
    ]
    config = str(write_run(tmp_path, 30))
    run_command(
        f"run {config} -q --output {tmp_path / 'run'}",
        *(f"--set={item}" for item in chosen),
    )
    assert revisit(tmp_path / "run").plot_style == PlotStyle(
        "column", "serif", title=False
    )
    command = [
        "report",
        str(tmp_path / "run"),
        "--plot",
        "scores",
        "--type",
        "svg",
    ]
    sizes = []
    for more in ([], ["--width", "text", "--font", "sans"]):
        run_command("", *command, *more, "--output", str(tmp_path / "plots"))
        (built,) = (tmp_path / "plots").iterdir()
        root = ET.parse(built).getroot()  # noqa: S314
        family = next(
            node.get("style", "")
            for node in root.iter("{http://www.w3.org/2000/svg}text")
        )
        sizes.append(
            (
                round(
                    float(root.get("width", "").removesuffix("pt")) * 72.27 / 72
                ),
                "STIX" in family,
            )
        )
    assert sizes == [(219, True), (455, False)]


def test_matplotlib_is_imported_for_plots_alone() -> None:
    code = "import sys, pipeline.extensions.plots, pipeline.stages; sys.exit('matplotlib' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], check=False).returncode
        == 0
    )


# ---- short names


@pytest.mark.parametrize(
    ("signatures", "expected"),
    [
        (["bleu|n:4|v:1"], ["bleu"]),
        (
            ["gleu|n:4|refs:max", "gleu|n:4|refs:mean"],
            ["gleu (refs:max)", "gleu (refs:mean)"],
        ),
        (["gleu|n:4|nrefs:2", "gleu|n:4|nrefs:4"], ["gleu", "gleu"]),
        (
            [
                "gleu|n:4|refs:sample|iter:9",
                "gleu|n:3|refs:sample|iter:9",
                "gleu|n:3|refs:max",
            ],
            [
                "gleu (n:4 refs:sample)",
                "gleu (n:3 refs:sample)",
                "gleu (n:3 refs:max)",
            ],
        ),
        (["x|a:1", "x|a:1|b:2"], ["x (1)", "x (2)"]),
        (["external|title:errant", "external|title:x.c3.a4"], ["errant", "ä"]),
    ],
)
def test_labels_have_the_settings_that_tell_metrics_apart(
    signatures: list[str], expected: list[str]
) -> None:
    assert list(labels(signatures).values()) == expected
