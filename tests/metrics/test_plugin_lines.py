"""Metrics of users: lines left out wherever lines are shown or joined, numbers as files, and what is tried before."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import pipeline
from pipeline.cli import main
from pipeline.human.score_files import metric_scores
from pipeline.report.html.explorer import explorer, telling
from pipeline.reopen import revisit
from pipeline.scoring.column_blocks import ByLine
from tests.metrics.test_plugins import OUTPUTS, REFERENCES, SOURCE, folder, forgotten  # noqa: F401 (fixtures)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SOME = """
import pipeline

@pipeline.metric(version="1", names=("some", "words"), none="skip")
def some(outputs):
    "Words of an output; none where it has the word the and a multiple of 4 words."
    sizes = [len(o.split()) for o in outputs]
    return [None if "the" in o.split() and not n % 4 else (n / 100, n) for o, n in zip(outputs, sizes)]
"""
CONFIG = """
datasets: {sample: {source: data/source.txt, references: [data/reference0.txt]}}
systems: [data/systems/*.txt]
metrics: [%s]
statistics: {resamples: 50, trials: 50%s}
output: {dir: %s}
"""


def left_out(*systems: list[str]) -> list[int]:
    """Return the lines, from 0, for which `some` has no number for one of the systems."""
    return [
        line
        for line, outputs in enumerate(zip(*systems, strict=True))
        if any("the" in text.split() and len(text.split()) % 4 == 0 for text in outputs)
    ]


GONE = left_out(*OUTPUTS.values())


def run(folder: Path, metrics: str = "some, chrf", out: str = "runs/some", statistics: str = "") -> Path:  # noqa: F811
    """Run a config with `some`."""
    (folder / "some.py").write_text(SOME)
    (folder / "some.yaml").write_text(CONFIG % (metrics, statistics, out))
    assert main(["run", "some.yaml", "--plugin", "some.py", "-q"]) == 0
    return folder / out


class Blocks:
    """Blocks of a column with the numbers 0, 1, 2 ..., of these sizes."""

    def __init__(self, sizes: list[int]) -> None:
        self.sizes = sizes

    def blocks(self) -> Iterator[dict[str, Any]]:
        """Yield them."""
        first = 0
        for size in self.sizes:
            yield {"value": np.arange(first, first + size, dtype=np.float64)}
            first += size


@pytest.mark.parametrize("gone", [[], [0], [0, 1], [2], [3], [4, 5], [7], [6, 7], [0, 2, 3, 5, 7], [1, 4]])
def test_lines_left_out_are_nan_in_their_places(gone: list[int]) -> None:
    kept = [line for line in range(8) if line not in gone]
    for cut in range(1, len(kept)):
        blocks = ByLine(Blocks([cut, len(kept) - cut]), gone).blocks()
        joined = np.concatenate([block["value"] for block in blocks])
        expected = np.full(8, np.nan)
        expected[kept] = np.arange(len(kept))
        np.testing.assert_array_equal(joined, expected)


def test_results_have_all_lines_fresh_and_read_again(folder: Path) -> None:  # noqa: F811
    stored = pipeline.load(run(folder))
    assert 5 < len(GONE) < 60
    for name, texts in OUTPUTS.items():
        expected = [math.nan if line in GONE else len(text.split()) / 100 for line, text in enumerate(texts)]
        result = stored.get(system=name, metric="some")
        np.testing.assert_array_equal(result.sentences, expected)
        np.testing.assert_array_equal(result.sentence_outputs["words"], np.rint(100 * np.array(expected)))
        assert len(result.columns["some"]) == len(texts)
        assert result.score == pytest.approx(np.nanmean(expected), abs=1e-12)
        assert not np.isnan(stored.get(system=name, metric="chrf").sentences).any()


def test_pages_files_and_tables_have_all_lines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: F811
    from pyarrow import parquet

    directory = run(folder)
    material = revisit(directory)
    data = explorer(material)
    assert data is not None
    (dataset,) = data["datasets"]
    entry = dataset["metrics"][0]
    width, starts = entry["width"], dataset["starts"]
    for line in range(len(SOURCE)):
        scores = entry["rows"][starts[line] * width : starts[line + 1] * width : width]
        names = {name: dataset["who"][line * 4 + n] for n, name in enumerate(dataset["systems"])}
        assert len(names) == 4
        for name, own in names.items():
            words = len(OUTPUTS[name][line].split())
            assert scores[own] == (None if line in GONE else words * 100)
    picked = telling(material.measured[0].by_line, 12)
    assert len(picked) == 12
    assert main(["report", str(directory), "--format", "parquet", "html"]) == 0
    table = parquet.read_table(directory / "sentences.parquet").to_pylist()
    own = [row for row in table if row["system"] == "eager" and row["metric"].startswith("some")]
    assert [row["line"] for row in own] == list(range(1, len(SOURCE) + 1))
    assert [row["line"] - 1 for row in own if row["score"] is None] == GONE
    capsys.readouterr()
    line = GONE[0] + 1
    assert main(["show", str(directory), "--line", str(line)]) == 0
    told = capsys.readouterr().out
    assert OUTPUTS["eager"][line - 1] in told
    assert [row.split()[1] for row in told.splitlines() if row.startswith("eager ")][-1:] == ["-"]
    files = [f"data/systems/{name}.txt" for name in OUTPUTS]
    assert main(["score", "some", "--plugin", "some.py", "-o", *files, "-r", "data/reference0.txt", "--sentences"]) == 0
    rows = [row.split("\t") for row in capsys.readouterr().out.splitlines()[1:]]
    assert [int(row[1]) - 1 for row in rows if "eager" in row[0] and row[2] == "-"] == GONE
    assert main(["compare", str(directory), "--worst", "3", "--system", "eager", "broken", "--metric", "some"]) == 0
    worst = [row for row in capsys.readouterr().out.splitlines() if row.startswith("line ")]
    kept = [n for n in range(len(SOURCE)) if n not in GONE]
    apart = {n: abs(len(OUTPUTS["eager"][n].split()) - len(OUTPUTS["broken"][n].split())) for n in kept}
    assert [int(row.split()[1].strip(":")) - 1 for row in worst] == sorted(apart, key=lambda n: -apart[n])[:3]


def test_lines_left_out_count_for_no_judge(folder: Path) -> None:  # noqa: F811
    directory = run(folder)
    (scores, _) = metric_scores(revisit(directory).measured)
    assert scores.sentences is not None
    table = scores.sentences()
    assert scores.lines == table.shape[1] == len(SOURCE)
    assert np.flatnonzero(np.isnan(table).all(axis=0)).tolist() == GONE
    assert np.isnan(table).any(axis=0).sum() == len(GONE)
