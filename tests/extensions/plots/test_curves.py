"""Systems with an order: which series there are, which steps are best, and figures of scores over
steps.
"""

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import pipeline
from pipeline.errors import InputError
from pipeline.extensions.page import charts
from pipeline.extensions.plots.canvas import draw_curves, styled
from pipeline.extensions.plots.figures import plot_files
from pipeline.extensions.plots.plot_data import Curves, step_curves
from pipeline.report import PLOTS
from pipeline.report.tables.ranked import groups
from pipeline.scoring.results import Results
from pipeline.scoring.rows import (
    Bootstrap,
    Comparison,
    DatasetInfo,
    Score,
    Series,
)
from tests.support.in_process import Call
from tests.support.tables import word_list

METRIC = "gleu|n:4|refs:max"
LOWER = "ter|norm:no|v:0.1"


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (
            ["step-2000", "step-10000", "step-500"],
            [("step", "step", [500, 2000, 10000])],
        ),
        (
            ["checkpoint-500", "checkpoint-1500"],
            [("checkpoint", "checkpoint", [500, 1500])],
        ),
        (["epoch_3", "epoch_10"], [("epoch", "epoch", [3, 10])]),
        (
            ["b.step2k", "b.step10k", "a.step1.5k", "a.step1M"],
            [
                ("a.step", "step", [1500, 1e6]),
                ("b.step", "step", [2000, 10000]),
            ],
        ),
        (
            ["big-epoch1-beam5", "big-epoch2-beam5", "step-1"],
            [("big-epoch-beam5", "epoch", [1, 2])],
        ),
        (
            word_list("""
                AMU team1 team2 gpt-3.5 gpt-4 footstep1
                footstep2 step-1a step-2a
            """),
            [],
        ),
    ],
)
def test_series_are_told_by_names(
    names: list[str], expected: list[Any]
) -> None:
    found = [
        (one.name, one.axis, [number for number, _ in one.steps])
        for one in Series.find(names)
    ]
    assert found == expected


def test_a_pattern_tells_other_series() -> None:
    names = ["llama-13b", "llama-7b", "llama-70b", "step-1", "step-2"]
    steps = ((7.0, "llama-7b"), (13.0, "llama-13b"), (70.0, "llama-70b"))
    assert Series.find(names, r"(\d+)b") == [Series("llama-b", "b", steps)]
    assert Series.find(names, r"x(\d+)") == []


def made(
    values: dict[str, float],
    pairs: dict[tuple[str, str], float],
    metric: str = METRIC,
) -> Results:
    """Return results with these scores, and tests with these p-values; 0.001 for other pairs, where
    there are any.
    """
    order = sorted(
        values, key=lambda name: values[name] * (1 if metric == LOWER else -1)
    )
    scores = [
        Score(
            dataset="d",
            system=name,
            metric=metric,
            score=values[name],
            outputs={"gleu": values[name]},
            samples=None,
            rank=rank,
        )
        for rank, name in enumerate(order, 1)
    ]
    same: dict[str, Any] = {
        "dataset": "d",
        "metric": metric,
        "interval": (0.0, 0.1),
        "better": 0.9,
        "cohen_d": 0.1,
        "p": 0.01,
    }
    tests = [
        Comparison(
            **same,
            system=one,
            other=two,
            difference=values[one] - values[two],
            wins=9,
            losses=1,
            ties=0,
            p_adjusted=pairs.get((one, two), pairs.get((two, one), 0.001)),
        )
        for one, two in combinations(order, 2)
        if pairs
    ]
    info = DatasetInfo(lines=9, references=1, digests={"source": "0"})
    return Results(
        datasets={"d": info},
        scores=scores,
        tests=tests,
        statistics={"level": 0.95, "baseline": None},
    )


VALUES = {
    "base": 0.3,
    "step-1000": 0.4,
    "step-2000": 0.5,
    "step-10000": 0.6,
    "step-20000": 0.58,
}


def test_the_best_step_and_those_not_worse_are_named() -> None:
    """By hand: 10000 is best; p with 20000 and 2000 is 0.2 and 0.05 (not below 0.05), with 1000 it
    is 0.001.
    """
    results = made(
        VALUES,
        {("step-10000", "step-20000"): 0.2, ("step-10000", "step-2000"): 0.05},
    )
    (group,) = groups(results)
    printed = "Best of step: step-10000; step-2000 and step-20000 are not significantly worse."
    assert group.best_sentences == [printed]
    alone = made(VALUES, {("step-10000", "step-20000"): 0.01})
    assert groups(alone)[0].best_sentences == [
        "Best of step: step-10000; all others are significantly worse."
    ]
    bare = made(VALUES, {})
    assert groups(bare)[0].best_sentences == [
        "Best of step: step-10000; no test was made."
    ]
    lower = made(VALUES, {("step-1000", "step-2000"): 0.2}, LOWER)
    assert groups(lower)[0].best_sentences == [
        "Best of step: step-1000; step-2000 is not significantly worse."
    ]


def test_with_a_baseline_rank_ranges_say_who_may_be_as_good() -> None:
    """By hand: the highest rank in samples is 1, which 10000 and 20000 reach."""
    results = made(VALUES, {})
    ranges = {
        "step-10000": (1, 2),
        "step-20000": (1, 3),
        "step-2000": (2, 3),
        "step-1000": (4, 4),
        "base": (5, 5),
    }
    scores = [
        replace(
            s,
            bootstrap=Bootstrap(
                0.5, 0.1, (s.score - 0.1, s.score + 0.2), ranges[s.system], 1
            ),
        )
        for s in results.scores
    ]
    ranked = replace(results, scores=scores)
    assert groups(ranked)[0].best_sentences == [
        "Best of step: step-10000; by rank range step-20000 may be as good."
    ]
    ((_, displayed),) = step_curves([("", ranked)])
    ((name, dots),) = displayed.lines
    assert (name, displayed.x_axis, displayed.y_axis) == (
        "step",
        "step",
        "GLEU+ (percent), 95% interval",
    )
    np.testing.assert_allclose(
        next((d.x, d.y, d.low, d.high) for d in dots), (1000, 40, 30, 60)
    )
    assert [(round(level), name) for name, level in displayed.levels] == [
        (30, "base")
    ]


def curves() -> Curves:
    one = made(VALUES, {("step-10000", "step-20000"): 0.2})
    scores = [
        replace(
            s,
            bootstrap=Bootstrap(
                0.5, 0.1, (s.score - 0.05, s.score + 0.1), (1, 2), 1
            ),
        )
        for s in one.scores
    ]
    two = made({"step-1000": 0.2, "step-5000": 0.45}, {})
    ((_, displayed),) = step_curves(
        [("one", replace(one, scores=scores)), ("two", two)]
    )
    return displayed


def test_runs_share_a_figure_that_both_renderers_draw_alike() -> None:
    """Places lie on lines through the ticks: those of the page are a linear function of those of
    matplotlib.
    """
    displayed = curves()
    assert [name for name, _ in displayed.lines] == ["one: step", "two: step"]
    assert [[dot.kind for dot in dots] for _, dots in displayed.lines] == [
        ["value", "value", "large", "open"],
        ["value", "large"],
    ]
    assert displayed.caption == (
        [
            "one: Best of step: step-10000; step-20000 is not significantly worse.",
            "two: Best of step: step-5000; no test was made.",
        ]
    )
    with styled():
        figure, axes = draw_curves(displayed)
        lines: list[Any] = [
            line.get_xydata()
            for line in axes.lines
            if line.get_label() in ("one: step", "two: step")
        ]
        (band,) = axes.collections
        labels = [text.get_text() for text in figure.legends[0].get_texts()]
    required = [[(dot.x, dot.y) for dot in dots] for _, dots in displayed.lines]
    for line, points in zip(lines, required, strict=True):
        np.testing.assert_allclose(line, points)
    corners: Any = band.get_paths()[0].vertices
    assert {(dot.x, dot.low) for dot in displayed.lines[0][1]} <= {
        tuple(point) for point in corners.tolist()
    }
    assert labels == [
        "one: step",
        "two: step",
        "one: base",
        "large: the best",
        "hollow: not significantly worse",
    ]
    (drawing,) = charts.drawn("x", displayed).values()
    root = ET.fromstring(drawing.__html__())  # noqa: S314
    drawn_lines = [
        [
            tuple(map(float, point.split(",")))
            for point in one.get("points", "").split()
        ]
        for one in root.iter("polyline")
    ]
    for axis in (0, 1):
        values = [point[axis] for line in required for point in line]
        pixels = [point[axis] for line in drawn_lines for point in line]
        slope, start = np.polyfit(values, pixels, 1)
        np.testing.assert_allclose(
            start + slope * np.array(values), pixels, atol=0.11
        )
    (shade,) = root.iter("polygon")  # the second run has no intervals
    around = [
        tuple(map(float, point.split(",")))
        for point in shade.get("points", "").split()
    ]
    first = displayed.lines[0][1]
    ends = [dot.low for dot in first] + [dot.high for dot in reversed(first)]
    np.testing.assert_allclose(
        [start + slope * end for end in ends], [y for _, y in around], atol=0.11
    )
    assert [one.get("r") for one in root.iter("circle")].count("7") == 2
    assert (
        len(
            [
                one
                for one in root.iter("circle")
                if "hollow" in one.get("class", "")
            ]
        )
        == 1
    )


def test_systems_without_an_order_are_no_curves() -> None:
    results = made({"A": 0.5, "B": 0.4}, {})
    assert list(step_curves([("", results)])) == []


def test_other_texts_get_another_figure() -> None:
    one, two = made(VALUES, {}), made(VALUES, {})
    other = replace(
        two, datasets={"d": replace(two.datasets["d"], digests={"source": "1"})}
    )
    assert [
        len(list(step_curves([("one", one), ("two", ours)])))
        for ours in (two, other)
    ] == [1, 2]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs whose outputs keep more and more of the reference, and a system of another name."""
    folder: Path = tmp_path_factory.mktemp("curves")
    words = [f"a{n} b{n} c{n} d{n} e{n} f{n}" for n in range(40)]
    (folder / "ref").write_text("".join(f"{line}\n" for line in words))
    for name in ("one", "two"):
        (folder / name).mkdir()
        for step, chosen in ((200, 2), (1000, 4), (3000, 5)):
            lines = [
                " ".join([*line.split()[:chosen], *"xyz"]) for line in words
            ]
            (folder / name / f"step-{step}.txt").write_text(
                "".join(f"{line}\n" for line in lines)
            )
        (folder / name / "other.txt").write_text(
            "".join(f"{line} {name}\n" for line in words)
        )
        config = {
            "datasets": {"d": {"references": [str(folder / "ref")]}},
            "systems": [str(folder / name / "*.txt")],
            "metrics": ["bleu", "chrf"],
            "statistics": {"resamples": 50, "trials": 999},
            "output": {
                "dir": str(folder / "runs" / name),
                "formats": ["html", "markdown", "csv"],
            },
        }
        pipeline.run(config)
    return folder / "runs"


def test_outputs_are_in_natural_order_in_all_lists(runs: Path) -> None:
    """other comes before step, and 200 before 1000 and 3000; results.json has the order of the
    globs.
    """
    stored = json.loads((runs / "one" / "results.json").read_text())
    names = ["other", "step-200", "step-1000", "step-3000"]
    assert [score["system"] for score in stored["scores"]] == names * 2
    assert "series" not in stored
    assert list(pipeline.load(runs / "one").to_pandas(wide=True).index) == names


@pytest.mark.parametrize(
    "command", ["show", "rank", "show --boards", "report --format markdown"]
)
def test_commands_name_the_best_step(
    runs: Path, call: Call, command: str
) -> None:
    name, *more = command.split()
    out = " ".join(call("", name, str(runs / "one"), *more).out.split())
    assert (
        out.count(
            "Best of step: step-3000; all others are significantly worse."
        )
        >= 2
    )
    page = (runs / "one" / "report.html").read_text()
    assert (
        "Best of step: step-3000; all others are significantly worse." in page
    )
    assert page.count("<figcaption>Scores by step</figcaption>") == 2


def test_figures_of_several_runs(
    runs: Path, tmp_path: Path, call: Call
) -> None:
    both = ["report", str(runs / "one"), str(runs / "two")]
    call(
        "",
        *both,
        "--format",
        "plots",
        "--type",
        "svg",
        "--output",
        str(tmp_path),
    )
    assert {path.name for path in tmp_path.iterdir()} == {
        "curves.d.bleu_step.svg",
        "curves.d.chrf_step.svg",
    }
    text = (tmp_path / "curves.d.bleu_step.svg").read_text()
    assert all(
        f">{words}<" in text
        for words in (
            "one: step",
            "two: step",
            "one: other",
            "two: other",
            "step",
        )
    )
    for more, message in (
        (
            ["--plot", "scores", "--output", "x"],
            "--plot curves take",
        ),
        (["--plot", "curves"], "--output: which folder?"),
    ):
        assert message in call("", *both, *more, code=2).err
    assert (
        "the run is named twice"
        in call(
            f"report {runs / 'one'} {runs / 'one'} --plot curves --output x",
            code=2,
        ).err
    )


def test_a_config_says_the_order(runs: Path, tmp_path: Path) -> None:
    folder = runs.parent
    config: dict[str, Any] = {
        "datasets": {"d": {"references": [str(folder / "ref")]}},
        "systems": {
            f"m{n}b": str(folder / "one" / f"step-{step}.txt")
            for n, step in ((70, 200), (7, 1000), (13, 3000))
        },
        "metrics": ["bleu"],
        "output": {"dir": str(tmp_path / "run"), "x": r"(\d+)b"},
    }
    found = pipeline.run(config)
    assert found._as_results().series == [
        Series("m-b", "b", ((7.0, "m7b"), (13.0, "m13b"), (70.0, "m70b")))
    ]
    assert pipeline.load(tmp_path / "run")._as_results() == found._as_results()
    figure = pipeline.load(tmp_path / "run").plot("curves")
    assert figure.axes[0].get_xlabel() == "b"
    config["output"]["x"] = r"step(\d+)"
    (warning,) = [
        note for note in pipeline.run(config).warnings if "output.x" in note
    ]
    assert (
        warning
        == r"output.x: 'step(\d+)' finds no number in the names of two systems"
    )
    for wrong in ("step", "step-(", r"(?:\d+)"):
        config["output"]["x"] = wrong
        with pytest.raises(
            InputError,
            match=r"output\.x: expected a pattern with a group that finds a number",
        ):
            pipeline.run(config)


def test_titles_stand_over_the_axes(runs: Path) -> None:
    from pipeline.reopen import revisit

    context = revisit(runs / "one", texts=False)
    with styled():
        for _, _, figure in PLOTS["scores"].figures(context):
            figure.draw_without_rendering()
            left, right = (
                figure.axes[0].get_position().x0,
                figure._suptitle.get_position()[0],  # type: ignore[attr-defined]
            )
            assert abs(left - right) < 0.01
    files = plot_files(replace(context, plots=("curves",)))
    assert list(files) == ["curves.d.bleu_step.png", "curves.d.chrf_step.png"]
