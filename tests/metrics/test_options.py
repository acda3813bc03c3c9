"""Options of metrics: each is declared once, as a field of the metric's dataclass, and nothing else is needed."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import pickle
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pytest

import pipeline
from pipeline.cli.commands.schema import json_schema
from pipeline.cli.dispatch import main
from pipeline.errors import IDLE, ConfigError, Problem
from pipeline.metrics import METRICS
from pipeline.metrics.base.choices import f_beta, ratio
from pipeline.metrics.base.metric import Metric
from pipeline.metrics.base.needs import Field, OverlapNeeds
from pipeline.metrics.base.options import METADATA, option
from pipeline.metrics.build import from_text
from pipeline.metrics.gleu import Gleu
from pipeline.tokenizers.tokenization import Tokenization

if TYPE_CHECKING:
    from pipeline.arrays import Floats, Ints
    from pipeline.metrics.base.needs import Columns

FOLDER = Path(pipeline.__file__).parent / "metrics"
FILES = sorted(path for path in FOLDER.rglob("*.py") if path.parent.name != "base")


@dataclasses.dataclass(frozen=True)
class Mine(Metric):
    """As many tokens as words that are asked for, and never more than 1."""

    name: ClassVar[str] = "mine"
    summary: ClassVar[str] = "a metric with two options"

    words: int = option(4, key="n", help="words that are enough", minimum=1, maximum=16)
    lambda_: str = option("0", help="weight of nothing", choices=("0", "1"))

    level = "mean"

    @property
    def needs(self) -> OverlapNeeds:
        return OverlapNeeds(Tokenization(), 1, (), source=False)

    @property
    def terms(self) -> tuple[Field, ...]:
        return (Field("hyp_len"),)

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        return {"hyp_len": columns["hyp_len"]}

    def score(self, totals: Columns) -> dict[str, Floats]:
        return {"mine": np.minimum(totals["hyp_len"] / self.words, 1.0)}

    def sentence_scores(self, columns: Columns) -> Floats:
        return self.score(columns)["mine"][:, None]


@pytest.fixture
def mine(monkeypatch: pytest.MonkeyPatch) -> type[Metric]:
    monkeypatch.setitem(METRICS, "mine", Mine)
    return Mine


# ---- once


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_a_metric_says_nothing_of_an_option_but_in_its_field(path: Path) -> None:
    """No Option is made, and no tuple of options written, outside metrics/base."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            assert ast.unparse(node.func).rpartition(".")[2] != "Option", f"{path}:{node.lineno}"
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            assert node.target.id != "options", f"{path}:{node.lineno}"


@pytest.mark.parametrize("name", METRICS)
def test_the_fields_of_a_metric_are_its_options(name: str) -> None:
    fields = dataclasses.fields(METRICS[name])  # type: ignore[arg-type]
    options = METRICS[name].options
    assert [field.name for field in fields] == [option.attribute for option in options]
    assert all(METADATA in field.metadata for field in fields)
    assert [field.default for field in fields] == [option.default_of({}) for option in options]
    assert [field.compare for field in fields] == [option.in_signatures for option in options]
    spellings = [spelling for option in options for spelling in {option.name, option.key}]
    assert len(spellings) == len(set(spellings)), "two options have one name"
    assert all(option.help for option in options)


def test_positional_order_is_that_of_signatures() -> None:
    assert list(inspect.signature(Gleu).parameters) == [option.attribute for option in Gleu.options]
    assert Gleu("2016", 3) == from_text("gleu[variant=2016,n=3]")


# ---- a metric with two options needs nothing else


@pytest.mark.usefixtures("mine")
def test_two_declared_options_are_read_and_signed() -> None:
    assert [(item.name, item.attribute, item.key) for item in Mine.options] == [
        ("words", "words", "n"),
        ("lambda", "lambda_", "lambda"),
    ]
    metric = from_text("mine[n=3,lambda=1]")
    assert metric == Mine(3, "1") == Mine(words=3, lambda_="1")
    assert metric.settings() == [("n", 3), ("lambda", "1")]
    assert from_text("mine|words:3|lambda:1") == metric
    assert repr(metric) == "Mine(words=3, lambda_='1')"
    assert {metric: 1}[pickle.loads(pickle.dumps(metric))] == 1  # noqa: S301 (our own)
    with pytest.raises(ConfigError, match="expected a whole number from 1 to 16, found '17'"):
        from_text("mine[n=17]")


@pytest.mark.usefixtures("mine")
def test_two_declared_options_are_listed_and_can_be_given(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("one two three\n", encoding="utf-8")
    assert main(["list", "metrics"]) == 0
    assert "a whole number from 1 to 16  words that are enough" in capsys.readouterr().out
    assert main(["score", "mine", "--words", "6", "-r", "a.txt", "-o", "a.txt", "--json", "--n-jobs", "1"]) == 0
    (score,) = json.loads(capsys.readouterr().out)["scores"]
    assert score["score"] == 0.5
    assert score["metric"].startswith("mine|n:6|lambda:0|")
    forms = json.loads(json_schema())["$defs"]["Metric"]["anyOf"]
    assert set(forms[-1]["properties"]) == {"name", "words", "n", "lambda"}


# ---- kinds of problems


def test_a_kind_changes_neither_equality_nor_what_is_printed() -> None:
    plain, idle = Problem("f:1:2", "is wrong"), Problem("f:1:2", "is wrong", IDLE)
    assert (plain, hash(plain), str(plain), repr(plain)) == (idle, hash(idle), str(idle), repr(idle))
    assert dataclasses.replace(idle, message="is mended").kind == IDLE


@pytest.mark.parametrize(
    ("text", "kinds"),
    [("gleu[refs=max,iter=3]", [IDLE]), ("gleu[n=10]", [""]), ("gleu[refs=max,seed=3,n=0]", ["", IDLE])],
)
def test_an_option_without_effect_is_idle(text: str, kinds: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        from_text(text)
    assert [problem.kind for problem in caught.value.problems] == kinds


# ---- arithmetic


def test_ratios_are_0_where_the_whole_is_0() -> None:
    assert ratio(np.array([1, 3, 0]), np.array([2, 0, 0])).tolist() == [0.5, 0.0, 0.0]
    assert ratio(np.array([[2], [4]]), np.array([4, 0])).tolist() == [[0.5, 0.0], [1.0, 0.0]]
    precision, recall = np.array([0.0, 0.5, 0.0, 1.0]), np.array([0.0, 0.5, 1.0, 0.5])
    assert f_beta(precision, recall, 1.0).tolist() == [0.0, 0.5, 0.0, 1.0 / 1.5]
    assert f_beta(precision, recall, 0.0).tolist() == [0.0, 0.5, 0.0, 1.0]
