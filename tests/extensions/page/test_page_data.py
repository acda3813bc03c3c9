"""`help page` says what is in the data of a page, field by field, and its example reads it."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline import reopen, stages
from pipeline.data.config import Node
from pipeline.extensions.page.explorer import explorer
from pipeline.scoring import SentenceScores
from tests.conftest import ROOT
from tests.extensions.edits.test_imeasure_metric import write_run
from tests.support.in_process import run_command

TIMES = "\N{MULTIPLICATION SIGN}"
HELP = (
    ROOT / "pipeline" / "extensions" / "page" / "help" / "page.md"
).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with metrics that have all that a page can show: rules, overlaps, edits, and a rate of
    errors.
    """
    ours = tmp_path_factory.mktemp("page")
    stages.run(
        stages.prepare(
            Node.from_mapping(
                write_run(
                    ours, ["gleu[iter=2]", "m2", "rouge[types=1+L]", "ter"]
                )
            )
        )
    )
    run_command(f"report {ours / 'run'} --format html")
    return ours / "run"


def described() -> dict[str, dict[str, str]]:
    """Return the shapes of the fields by section."""
    sections = re.findall(
        r"^## (\w+)\n(.*?)(?=^## |\Z)", HELP, re.MULTILINE | re.DOTALL
    )
    field = re.compile(r"^\| `(\w+)` \| ([^|]+?) \|", re.MULTILINE)
    return {name: dict(field.findall(text)) for name, text in sections}


def test_every_field_is_described_and_is_there(folder: Path) -> None:
    data = explorer(replace(reopen.revisit(folder), effects=2))
    assert data
    metrics = data["datasets"][0]["metrics"]
    written: dict[str, list[Any]] = {
        "data": [data],
        "tokens": data["tokens"],
        "datasets": data["datasets"],
        "metrics": metrics,
        "overlaps": [],
        "effects": [],
    }
    for name in ("rule", "edits"):
        written[name] = [one[name] for one in metrics if one.get(name)]
    for one in metrics:
        written["overlaps"] += one.get("overlaps", ())
        for line in one.get("effects", {}).values():
            written["effects"] += line.values()
    assert set(described()) == set(written)
    for section, fields in described().items():
        assert written[section]
        always = {
            name for name, shape in fields.items() if "absent" not in shape
        }
        for one in written[section]:
            assert always <= set(one) <= set(fields), section
        # these lines have no ids
        known = set().union(*written[section])
        assert known == set(fields) - {"ids"}, section


def test_lists_have_the_shapes_that_are_described(folder: Path) -> None:
    context = reopen.revisit(folder)
    data = explorer(context)
    assert data
    (dataset,) = data["datasets"]
    view = context.corpora["d"].read_by(context.measured[1].metric.spec)
    sizes = {"A": len(view.references)}
    for letter, name in zip(
        "LSVR", ("numbers", "systems", "outputs", "references"), strict=True
    ):
        sizes[letter] = len(dataset[name])
    for metric in dataset["metrics"]:
        sizes["rows"] = sizes["V"]
        if metric["bySystem"]:
            sizes["rows"] = sizes["L"] * sizes["S"]
        sizes["width"] = metric["width"]
        for section, owner in (
            ("datasets", dataset),
            ("metrics", metric),
            ("edits", metric["edits"] or {}),
        ):
            for name, shape in described()[section].items():
                check(owner.get(name), shape.removesuffix(" or null"), sizes)


def check(value: Any, shape: str, sizes: dict[str, int]) -> None:
    """Hold a list against a shape such as [R][L] or [L][S], where all its sizes are known."""
    outer = re.match(rf"\[([\w {TIMES}+]+)\]", shape)
    if not outer or not isinstance(value, list | tuple | str):
        return
    factors = [
        sum(
            sizes.get(part, int(part) if part.isdigit() else -9999)
            for part in factor.split(" + ")
        )
        for factor in outer[1].split(f" {TIMES} ")
    ]
    if min(factors) >= 0:
        assert len(value) == int(np.prod(factors)), shape
    for item in () if isinstance(value, str) else value:
        check(item, shape[outer.end() :], sizes)


def test_the_example_reads_a_score(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    code = re.search(r"```python\n(.*?)```", HELP, re.DOTALL)
    assert code
    exec(code[1], {})  # noqa: S102 (the help's own example)
    number, system, *_, score = capsys.readouterr().out.split()
    measured = reopen.revisit(folder).measured[0]
    (block,) = measured.columns[0].blocks()
    expected = 100 * SentenceScores(measured.metric).scores(block)[0]
    assert (number, system) == ("1", measured.names[0])
    assert float(score) == pytest.approx(expected, abs=0.005 + 1e-12)
