"""What notebooks show: tables in HTML, frames, figures, and the progress of a run."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import pipeline
from pipeline.errors import InputError
from pipeline.evaluation import Evaluation
from pipeline.extensions.page.notebook import MAX_ROWS, SHADE, THIN
from pipeline.report.terminal.progress import (
    Bar,
    NotebookBar,
    progress_listener,
)
from tests.conftest import ROOT
from tests.support.extensions import needs
from tests.support.in_process import Call
from tests.support.tables import word_list

EVIL = "<b>a|*x*</b>"
SOURCES = ["She go to school .", "I like a apples ."]
REFERENCES = [
    ["She goes to school .", "I like apples ."],
    ["She is going to school .", "I like an apple ."],
]
MINE = ["She goes to school .", "I like an apples ."]


class Reader(HTMLParser):
    """Reads HTML: tags, and texts; fails where tags do not close in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(
        self, tag: str, attrs: list[tuple[str, str | None]]
    ) -> None:
        # the side of a column; no colours, so that all notebooks suit
        assert {name for name, _ in attrs} <= {"style"}
        assert not any("color" in (value or "") for _, value in attrs)
        self.open.append(tag)
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts += [data] if data.strip() else []


@pytest.fixture(scope="module")
def several() -> Evaluation:
    with pytest.warns(UserWarning, match="same text as reference 1"):
        return pipeline.evaluate(
            {"mine": MINE, EVIL: SOURCES, "twin": REFERENCES[0]},
            REFERENCES,
            SOURCES,
            ["bleu", "gleu[refs=max]"],
        )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the sample with two metrics and tests against a baseline."""
    path: Path = tmp_path_factory.mktemp("notebook") / "run"
    statistics = {"baseline": "unchanged", "resamples": 50, "trials": 99}
    pipeline.run(
        ROOT / "configs" / "quickstart.yaml",
        path,
        set={"statistics": statistics, "metrics": ["gleu[iter=5]", "bleu"]},
    )
    return path


def test_an_evaluation_shows_systems_by_metrics_and_folds_the_rest(
    several: Evaluation,
) -> None:
    text = str(several._repr_html_())
    page = Reader(text)
    assert page.tags.count("table") == 3
    assert page.tags.count("details") == 5
    assert page.texts.count("signatures") == 3
    first = page.texts[
        : page.texts.index("memory: 2 lines, 2 references; BLEU")
    ]
    assert first[1:4] == ["system", "BLEU", "GLEU+"]
    assert {"mine", "twin", EVIL, "73.49", "63.89"} <= set(first)
    assert several[0].signature in first
    assert page.texts[-2:] == [
        "warnings",
        "memory: system twin is the same text as reference 1",
    ]
    assert not set(page.tags) & {"b", "script", "a", "img"}
    assert "&lt;b&gt;a|*x*&lt;/b&gt;" in text
    assert f'{SHADE}">100.00<' in text


def test_a_single_system_is_not_the_best(several: Evaluation) -> None:
    page = Reader(str(several[0]._repr_html_()))
    assert [
        text for text in page.texts if text in ("rank", "2", "mine", "73.49")
    ] == [
        "rank",
        "2",
        "mine",
        "73.49",
    ]
    assert SHADE not in str(several[0]._repr_html_())
    assert several[0].signature in page.texts


def test_a_table_has_the_name_that_the_user_gives_the_texts() -> None:
    named = pipeline.evaluate(
        MINE, REFERENCES, metrics="bleu", dataset="Leicester"
    )
    text = str(named._repr_html_())
    assert "Leicester" in text
    assert "memory" not in text


def test_a_system_without_warnings_and_one_metric_is_one_table() -> None:
    page = Reader(
        str(pipeline.evaluate(MINE, REFERENCES, metrics="bleu")._repr_html_())
    )
    assert (
        page.tags.count("table"),
        page.tags.count("details"),
        "warnings" in page.texts,
    ) == (
        1,
        1,
        False,
    )


def test_long_tables_are_cut_and_say_so() -> None:
    systems = {f"s{number}": [f"a {number}"] for number in range(MAX_ROWS + 5)}
    page = Reader(
        str(pipeline.evaluate(systems, [["a b"]], metrics="chrf")._repr_html_())
    )
    assert page.tags.count("tr") == MAX_ROWS + 1
    assert any("And 5 more rows." in text for text in page.texts)


def test_a_run_and_its_comparison_show_what_the_run_has(folder: Path) -> None:
    loaded = pipeline.load(folder)
    text = str(loaded._repr_html_())
    page = Reader(text)
    assert page.tags.count("table") == 3
    clusters = {
        (s.metric, s.bootstrap.cluster)
        for s in loaded._as_results().scores
        if s.bootstrap
    }
    ends = text.count(
        '<tr><td style="text-align: right; border-top: none; border-bottom: '
        + THIN
    )
    assert ends == len(clusters) - 2 > 0
    assert "↑ ↓: significantly better or worse than unchanged." in " ".join(
        page.texts
    )
    compared = pipeline.compare(folder, baseline="eager", trials=200)
    texts = Reader(str(compared._repr_html_())).texts
    assert "↑ ↓: significantly better or worse than eager." in " ".join(texts)
    assert "against eager" in texts
    assert (
        "careful"
        not in Reader(
            str(loaded.get(system="eager", metric="bleu")._repr_html_())
        ).texts
    )


# ---- frames


def test_wide_frames_have_systems_by_metrics(several: Evaluation) -> None:
    pytest.importorskip("pandas")
    frame = several.to_pandas(wide=True)
    assert (list(frame.index), list(frame.columns)) == (
        ["mine", EVIL, "twin"],
        ["bleu", "gleu"],
    )
    outputs = several.to_pandas("all", wide=True)
    lines = several.to_pandas("sentences", wide=True)
    assert list(lines.index) == [1, 2]
    long = several.to_pandas("sentences")
    for result in several:
        label = result.measure.name
        assert (
            frame.loc[result.system, label]
            == outputs.loc[result.system, label]
            == result.score
        )
        ours = {
            name: outputs.loc[result.system, f"{label}.{name}"]
            for name in list(result.outputs)[1:]
        }
        assert ours == {
            name: value
            for name, value in result.outputs.items()
            if name in ours
        }
        assert lines[label, result.system].tolist() == result.sentences.tolist()
        part = long[
            (long["system"] == result.system)
            & (long["metric"] == result.signature)
        ]
        assert (part["line"].tolist(), part["score"].tolist()) == (
            [1, 2],
            result.sentences.tolist(),
        )
    with pytest.raises(
        InputError,
        match=r"^to_pandas: expected one of scores, all, sentences, found 'tests'$",
    ):
        several.to_pandas("tests", wide=True)


def test_sentences_have_their_ids(
    several: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pandas")
    monkeypatch.setattr(pipeline.Result, "ids", ["x7", "x9"], raising=False)
    frame = several.to_pandas("sentences")
    assert frame.columns.tolist() == word_list(
        "dataset system metric id line score"
    )
    assert frame["id"].tolist() == ["x7", "x9"] * 6
    wide = several.to_pandas("sentences", wide=True)
    assert (wide.index.name, list(wide.index)) == ("id", ["x7", "x9"])


def test_frames_of_a_run_and_its_comparison(folder: Path) -> None:
    pytest.importorskip("pandas")
    loaded, compared = (
        pipeline.load(folder),
        pipeline.compare(folder, trials=50),
    )
    assert loaded.to_pandas("sentences", wide=True).shape == (96, 8)
    assert loaded.to_pandas("types").empty
    frame = compared.to_pandas("tests")
    assert frame.columns.tolist()[:5] == [
        "dataset",
        "metric",
        "system",
        "other",
        "difference",
    ]
    assert list(zip(frame["low"], frame["high"], strict=True)) == [
        test.interval for test in compared.tests
    ]
    assert frame["p_adjusted"].tolist() == [
        test.p_adjusted for test in compared.tests
    ]
    scores = compared.to_pandas()
    assert scores["cluster"].tolist() == [
        score.bootstrap.cluster for score in compared.scores if score.bootstrap
    ]
    # the baseline of the run's own statistics
    assert set(frame["other"]) == {"unchanged"}
    with pytest.raises(
        InputError,
        match="expected one of scores, all, sentences, types, tests, found 'pairs'",
    ):
        compared.to_pandas("pairs")  # type: ignore[arg-type]


def test_reports_of_an_evaluation_are_those_of_the_command(
    folder: Path, several: Evaluation, call: Call
) -> None:
    forms: tuple[Any, ...] = ("markdown", "latex", "csv", "json")
    for form in forms:
        assert (
            pipeline.load(folder).report(form)
            == call(f"report {folder} --format", form, "--output", "-").out
        )
    assert "73.49" in several.report()
    named, printed = (
        several.report("latex", columns=[name]) for name in ("bleu", "BLEU")
    )
    assert named == printed != several.report("latex")
    with pytest.raises(
        InputError, match="--columns nonsense: there is no such column"
    ):
        several.report("latex", columns=["nonsense"])
    with pytest.raises(InputError, match="json has all columns"):
        several.report("json", columns=["bleu"])
    assert "73.489" in several[0].report("latex", digits=3)
    page = several.report("html")
    assert page.startswith("<!DOCTYPE html>")
    assert "&lt;b&gt;a|*x*&lt;/b&gt;" in page
    with pytest.raises(
        InputError,
        match=r"^report: expected one of .*html, found 'tex' \(did you mean 'latex'\?\)$",
    ):
        several.report("tex")  # type: ignore[arg-type]


def test_a_part_of_an_evaluation_keeps_its_baseline(folder: Path) -> None:
    part = pipeline.load(folder)[:3]
    again = pipeline.compare(part, test="sign")
    assert again.settings
    assert (again.settings["baseline"], again.settings["test"]) == (
        "unchanged",
        "sign",
    )
    assert {test.other for test in again.tests} == {"unchanged"}


def test_without_matplotlib_messages_say_how_to_get_it(
    several: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"pip install 'gec-pipeline\[plot\]'"):
        several.plot(metric="bleu")


# ---- figures


@needs("plots")
def test_plots_are_figures_that_show_themselves(
    several: Evaluation, folder: Path
) -> None:
    pytest.importorskip("matplotlib")
    drawn = [
        several.plot(metric="bleu"),
        several.plot("scores", metric="GLEU", dataset="memory"),
        pipeline.load(folder).plot("differences", metric="bleu"),
        pipeline.compare(folder, trials=50).plot("ranks", metric="gleu"),
    ]
    for figure in drawn:
        assert figure._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]
        assert len(figure.axes) == 1


@needs("plots")
def test_plots_say_what_they_lack(several: Evaluation, folder: Path) -> None:
    pytest.importorskip("matplotlib")
    for settings, message in [
        (
            {},
            r"plot\('scores'\): there are 2; say which by metric= and dataset=: memory/bleu, memory/gleu",
        ),
        (
            {"name": "score"},
            r"no such plot \(did you mean 'scores'\?\); there are .*scores, curves",
        ),
        (
            {"name": "ranks", "metric": "bleu"},
            "there is nothing for it here; it needs `statistics`",
        ),
        ({"metric": "chrf"}, "there are no scores of chrf"),
        ({"metric": "bleu", "dataset": "x"}, "there are no scores of bleu, x"),
    ]:
        arguments: Any = settings
        with pytest.raises(InputError, match=message):
            several.plot(**arguments)
    with pytest.raises(InputError, match="say which"):
        pipeline.load(folder).plot()


# ---- progress


class Line:
    """Stands in for what IPython's display returns."""

    def __init__(self) -> None:
        self.shown: list[dict[str, str]] = []

    def update(self, data: dict[str, str], raw: bool) -> None:
        assert raw
        self.shown.append(data)


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Line:
    """A notebook: IPython with a kernel."""
    built = Line()
    ipython, display = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = lambda: SimpleNamespace(kernel=object())  # type: ignore[attr-defined]
    display.display = lambda *_, **__: built  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return built


def test_a_notebook_shows_the_progress_of_a_run(
    line: Line, tmp_path: Path
) -> None:
    pipeline.run(
        ROOT / "configs" / "quickstart.yaml", tmp_path / "run", progress=True
    )
    texts = [data["text/plain"] for data in line.shown]
    assert {"counting", "scoring", "writing"} <= set(texts)
    assert "counting: 100% of 384 lines" in texts
    assert texts[-1] == ""
    assert (
        '<progress value="384" max="384"></progress> counting: 100% of 384 lines'
        in [data["text/html"] for data in line.shown]
    )


def test_the_same_percent_is_drawn_once(
    line: Line, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress_listener(True) as bar:
        assert isinstance(bar, NotebookBar)
        bar.stage("<i>")
        for done in range(1000):
            bar.testing(done, 10_000)
        bar.warn("a worker died")
    assert [data["text/html"] for data in line.shown][:2] == [
        "&lt;i&gt;",
        '<progress value="0" max="10000"></progress> &lt;i&gt;: 0% of 10,000 samples',
    ]
    assert len(line.shown) == 1 + 11 + 1
    assert capsys.readouterr().err == "note: a worker died\n"


def test_without_a_notebook_there_is_the_bar_of_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert isinstance(progress_listener(True), Bar)
    pipeline.run(
        ROOT / "configs" / "quickstart.yaml", tmp_path / "run", progress=True
    )
    assert capsys.readouterr() == ("", "")  # standard error is no terminal here
