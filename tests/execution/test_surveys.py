"""Surveys of whole data sets before counting: the same whatever the shards, kept, taken up again,
made anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

from pipeline import stages
from pipeline.data import Corpus
from pipeline.errors import IncompleteError
from pipeline.execution import count, workers
from pipeline.execution.options import RunOptions
from pipeline.execution.store.run_directory import RunDirectory
from pipeline.metrics.base.statistics_spec import CorpusPass
from tests.conftest import Hears, tree, write_run
from tests.execution.deadly import deadly, poison
from tests.execution.surveying import (
    AgreementSpec,
    AgreementSurvey,
    LengthSpec,
    LengthSurvey,
)

NEEDS = [LengthSpec(), AgreementSpec()]
LINES = 60


@pytest.fixture
def corpus(tmp_path: Path) -> Callable[[], Corpus]:
    """A function that opens a random data set of 60 lines with two references and three systems."""
    config = write_run(tmp_path, LINES, systems="ABC")
    return lambda: stages.prepare(config).corpora[0]


def texts(folder: Path, name: str) -> list[bytes]:
    return (folder / "d" / name).read_bytes().split(b"\n")[:-1]


def columns(counts: Any, system: str, need: Any, column: str) -> list[int]:
    found: list[int] = np.concatenate(
        [block[column] for block in counts[system, need].blocks()]
    ).tolist()
    return found


HOWS = [
    RunOptions(n_jobs=1, backend="serial"),
    RunOptions(n_jobs=1, backend="serial", shard_lines=1),
    RunOptions(n_jobs=2, backend="threading", shard_lines=7),
    RunOptions(n_jobs=2, backend="loky", shard_lines=16),
]


@pytest.mark.parametrize("options", [RunOptions(n_jobs=1), *HOWS], ids=str)
def test_no_cut_and_no_worker_can_be_seen(
    corpus: Callable[[], Corpus], tmp_path: Path, options: RunOptions
) -> None:
    """The expected numbers are counted here, with the whole texts at hand."""
    outputs = {name: texts(tmp_path, name) for name in "ABC"}
    lengths = Counter(
        len(line) for name in ("ref0", "ref1") for line in texts(tmp_path, name)
    )
    most = [
        max(Counter(values).values())
        for values in zip(*outputs.values(), strict=True)
    ]
    directory = RunDirectory(tmp_path / "run")
    for counts in (
        count.count_in_memory(corpus(), NEEDS, options),
        count.count_all(corpus(), NEEDS, directory, options)[0],
    ):
        for name, lines in outputs.items():
            assert columns(counts, name, NEEDS[0], "alike") == [
                lengths[len(line)] for line in lines
            ]
            assert (
                columns(counts, name, NEEDS[0], "every") == [2 * LINES] * LINES
            )
            assert columns(counts, name, NEEDS[1], "most") == most
    other = RunDirectory(tmp_path / "other")
    count.count_all(corpus(), NEEDS, other)
    assert tree(tmp_path / "run") == tree(tmp_path / "other")
    assert (
        sum(
            name.rpartition("/")[2].startswith("=whole.")
            for name in tree(tmp_path / "run")
        )
        == 2
    )


def corpus_passes(
    corpus: Corpus, directory: RunDirectory, options: RunOptions = HOWS[2]
) -> list[tuple[str, int, int]]:
    """Count a data set; return the surveys and lines of the shards that were surveyed."""
    seen = []
    for need in (LengthSurvey, AgreementSurvey):
        original = need.count

        def spy(self: Any, text: Any, original: Any = original) -> Any:
            seen.append(
                (type(self).__name__, int(text.rows[0]), int(text.rows[-1]) + 1)
            )
            return original(self, text)

        mock.patch.object(need, "count", spy).start()
    try:
        count.count_all(corpus, NEEDS, directory, options)
    finally:
        mock.patch.stopall()
    return seen


def test_what_was_found_is_kept_and_made_anew_where_texts_change(
    corpus: Callable[[], Corpus], tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    of_lengths = [
        ("LengthSurvey", low, min(low + 7, LINES)) for low in range(0, LINES, 7)
    ]
    assert (
        sorted(corpus_passes(corpus(), RunDirectory(folder)))[9:] == of_lengths
    )
    assert corpus_passes(corpus(), RunDirectory(folder)) == []
    first = tree(folder)
    # another output: the references are as before, the systems of the run are not
    poison(tmp_path / "d" / "B", 7)
    assert {
        name for name, _, _ in corpus_passes(corpus(), RunDirectory(folder))
    } == {"AgreementSurvey"}
    changed = {
        name for name, data in tree(folder).items() if data != first[name]
    }
    assert {name.rpartition("/")[2].partition(".")[2] for name in changed} == {
        "agreementsurvey.columns",
        "agreement.columns",
        "length.columns",
    }
    poison(tmp_path / "d" / "ref0", 7)
    assert {
        name for name, _, _ in corpus_passes(corpus(), RunDirectory(folder))
    } == {
        "LengthSurvey",
        "AgreementSurvey",
    }


def test_a_damaged_file_is_made_anew(
    corpus: Callable[[], Corpus], tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    corpus_passes(corpus(), RunDirectory(folder))
    before = tree(folder)
    for path in folder.glob("statistics/d/*"):
        path.write_bytes(path.read_bytes()[:-1] + b"\xff")
    assert corpus_passes(corpus(), RunDirectory(folder))
    assert tree(folder) == before


def test_a_survey_goes_on_where_it_was_stopped(
    corpus: Callable[[], Corpus], tmp_path: Path
) -> None:
    """Each shard is surveyed once, and in the end the files are those of a run in one piece."""
    before: list[Any] = []

    class Stopped(Exception):  # noqa: N818 (it stands for a signal)
        pass

    def stop(done: int, complete: int) -> None:
        before.append((done, complete))
        if len(before) == 3:
            raise Stopped

    options = RunOptions(n_jobs=1, backend="serial", shard_lines=7)
    with pytest.raises(Stopped):
        count.count_all(
            corpus(),
            NEEDS[:1],
            RunDirectory(tmp_path / "run"),
            options,
            Hears(progress=stop),
        )
    left = corpus_passes(corpus(), RunDirectory(tmp_path / "run"), options)
    assert sorted(
        low for name, low, _ in left if name == "LengthSurvey"
    ) == list(range(21, LINES, 7))
    count.count_all(corpus(), NEEDS, RunDirectory(tmp_path / "fresh"))
    assert tree(tmp_path / "run") == tree(tmp_path / "fresh")


def test_a_worker_that_dies_is_replaced(
    corpus: Callable[[], Corpus], tmp_path: Path
) -> None:
    poison(tmp_path / "d" / "ref0", 7)
    options = RunOptions(n_jobs=2, backend="loky", shard_lines=16)
    with mock.patch.object(workers, "count", deadly(tmp_path / "dead")):
        count.count_all(
            corpus(), NEEDS, RunDirectory(tmp_path / "run"), options
        )
    assert (tmp_path / "dead").exists()
    for scrap in (tmp_path / "run" / "unfinished").glob("*.tmp"):
        scrap.unlink()  # of a worker that ended while it wrote; at the end of a run remove_stale() deletes it
    count.count_all(corpus(), NEEDS, RunDirectory(tmp_path / "fresh"))
    assert tree(tmp_path / "run") == tree(tmp_path / "fresh")


def test_nothing_is_counted_where_a_line_cannot_be_surveyed(
    corpus: Callable[[], Corpus], tmp_path: Path
) -> None:
    poison(tmp_path / "d" / "ref0", 7)
    options = RunOptions(n_jobs=2, backend="loky", shard_lines=16)
    with (
        mock.patch.object(workers, "count", deadly()),
        pytest.raises(
            IncompleteError,
            match="d: lines 7 to 7 cannot be read, and all lines together decide",
        ),
    ):
        count.count_all(
            corpus(), NEEDS, RunDirectory(tmp_path / "run"), options
        )


def test_a_survey_says_whether_it_reads_outputs() -> None:
    assert not CorpusPass.of_systems
    assert AgreementSpec().corpus_pass.of_systems
