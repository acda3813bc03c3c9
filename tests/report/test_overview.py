"""Systems by metrics: who is best, what does not compete, what each metric says, and how it is
printed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.reopen import revisit
from pipeline.report.console import print_results
from pipeline.report.overview import overviews, verdict_sentence
from pipeline.report.tables.comparisons import BETTER, WORSE, marked
from pipeline.report.tables.ranked import groups
from pipeline.report.terminal.printing import fit
from pipeline.scoring.results import Results
from pipeline.scoring.rows import Bootstrap, Comparison, DatasetInfo, Score
from tests.conftest import RunLine, run, write_run
from tests.support.terminal import on_terminal

GLEU = "gleu|n:4|refs:max|nrefs:2|v:1"


def results_of(
    scores: dict[str, float],
    *,
    different: tuple[tuple[str, str], ...] | None = None,
    baseline: str | None = None,
    ranks: dict[str, tuple[int, int]] | None = None,
    digests: dict[str, str] | None = None,
    metric: str = GLEU,
) -> Results:
    """Return results of systems in the order of their scores; `different` are pairs whose test is
    significant.
    """
    order = list(scores)
    rows = [
        Score(
            dataset="d",
            system=name,
            metric=metric,
            score=value,
            outputs={metric.partition("|")[0]: value},
            samples=None,
            rank=1
            + order.index(
                next(
                    n
                    for n in order
                    if scores[n] == value or scores[n] != scores[n]
                )
            ),
            bootstrap=Bootstrap(
                value, 0.01, (value - 0.03, value + 0.03), ranks[name], 1
            )
            if ranks
            else None,
        )
        for name, value in scores.items()
    ]
    pairs = (
        [
            (one, two)
            for number, one in enumerate(order)
            for two in order[number + 1 :]
        ]
        if different is not None
        else []
    )
    if baseline:
        pairs = [
            (one if two == baseline else two, baseline)
            for one, two in pairs
            if baseline in (one, two)
        ]
    tests = [
        comparison(
            metric,
            one,
            two,
            scores[one] - scores[two],
            0.01 if (one, two) in (different or ()) else 0.9,
        )
        for one, two in pairs
    ]
    settings = {
        "level": 0.95,
        "baseline": baseline,
        "test": "sign",
        "correction": "holm",
        "resamples": 9,
        "seed": 1,
    }
    return Results(
        datasets={
            "d": DatasetInfo(lines=9, references=2, digests=digests or {})
        },
        scores=rows,
        tests=tests,
        statistics=settings if different is not None or ranks else None,
    )


def comparison(
    metric: str, system: str, other: str, difference: float, p: float
) -> Comparison:
    counts: dict[str, Any] = {
        "better": 0.9,
        "wins": 6,
        "losses": 1,
        "ties": 0,
        "cohen_d": 0.1,
    }
    return Comparison(
        dataset="d",
        metric=metric,
        system=system,
        other=other,
        difference=difference,
        interval=(0.0, 0.1),
        p=p,
        p_adjusted=p,
        **counts,
    )


ABC = {"A": 0.5, "B": 0.496, "C": 0.4}
SOURCE = {"source": "1", "system C": "1", "system A": "2"}


def said(results: Results) -> str:
    (group,) = groups(results)
    return verdict_sentence(group, 2)


@pytest.mark.parametrize(
    ("results", "sentence"),
    [
        (results_of(ABC), "A is first, 0.40 before B; no test was made."),
        (
            results_of({"A": 0.5, "B": 0.499999}),
            "A and B share the first place with 50.00; no test was made.",
        ),
        (
            results_of({"A": 0.5001, "B": 0.5}),
            "A is first, 0.01 before B; no test was made.",
        ),
        (
            results_of({"A": 0.500051, "B": 0.500049}),
            "A is first, less than 0.01 before B; no test was made.",
        ),
        (results_of({"A": 0.5}), ""),
        (results_of({"A": float("nan"), "B": float("nan")}), ""),
        (
            results_of(ABC, different=()),
            "A, B and C share the first place; none of 2 differs from A.",
        ),
        (
            results_of(ABC, different=(("A", "C"),)),
            "A and B share the first place; 1 of 2 differs from A.",
        ),
        (
            results_of(ABC, different=(("A", "C"), ("A", "B"))),
            "A is first; all 2 differ from A.",
        ),
        (
            results_of(
                {name: 0.5 - n / 100 for n, name in enumerate("ABCDEF")},
                different=(("E", "F"),),
            ),
            "A, B, C and 3 more share the first place; none of 5 differs from A.",
        ),
        (
            results_of(ABC, ranks={"A": (1, 2), "B": (1, 3), "C": (2, 3)}),
            "A and B share the first place by rank range; no test was made.",
        ),
        (
            results_of(
                ABC,
                ranks={"A": (1, 1), "B": (2, 2), "C": (3, 3)},
                baseline="B",
                different=(("A", "B"),),
            ),
            "A is first by rank range; 1 of 2 is better than B.",
        ),
        (
            results_of(
                ABC,
                ranks={"A": (1, 1), "B": (2, 2), "C": (3, 3)},
                baseline="B",
                different=(("A", "B"), ("C", "B")),
            ),
            "A is first by rank range; 1 of 2 is better than B, 1 worse.",
        ),
        (
            results_of(
                ABC,
                ranks=dict.fromkeys(ABC, (1, 3)),
                baseline="A",
                different=(("B", "A"), ("C", "A")),
            ),
            "A, B and C share the first place by rank range; all 2 are worse than A.",
        ),
        (
            results_of(
                ABC,
                ranks=dict.fromkeys(ABC, (1, 3)),
                baseline="A",
                different=(),
            ),
            "A, B and C share the first place by rank range; none of 2 differs from A.",
        ),
        (
            results_of(
                ABC, digests={"source": "1", "system A": "1", "system B": "2"}
            ),
            "B is first, 9.60 before C; A, the unchanged source, is 0.40 before B; no test was made.",
        ),
        (
            results_of(ABC, digests=SOURCE),
            "A is first, 0.40 before B; no test was made.",
        ),
        (
            results_of(
                {"A": 0.5, "C": 0.4},
                digests=SOURCE,
                different=(("A", "C"),),
                baseline="C",
            ),
            "1 of 1 is better than C.",
        ),
    ],
)
def test_the_sentence_says_what_was_computed(
    results: Results, sentence: str
) -> None:
    assert said(results) == sentence


def test_where_the_lowest_score_is_the_best() -> None:
    metric = "ter|nrefs:2|v:1"
    results = results_of(
        {"A": 0.2, "B": 0.3, "C": 0.6},
        different=(("A", "B"), ("C", "B")),
        baseline="B",
        metric=metric,
    )
    assert (
        said(results)
        == "A is first, 10.00 before B; 1 of 2 is better than B, 1 worse."
    )
    (column,) = overviews(
        replace(results, scores=[*results.scores, *results_of(ABC).scores]), 2
    )[0].columns[:1]
    assert column.lower_is_better
    assert {name: entry.mark for name, entry in column.entries.items()} == {
        "A": BETTER,
        "B": "",
        "C": WORSE,
    }
    assert [name for name, entry in column.entries.items() if entry.best] == [
        "A"
    ]


def test_columns_leave_a_narrow_terminal_by_their_importance(
    sample: Path,
) -> None:
    results = revisit(sample).results
    header, rows = groups(results)[0].ranked_table(2)
    assert header[3:] == [
        *(
            "95% interval",
            "against unchanged",
            "p adjusted",
            "ranks",
            "cluster",
            "std of draws",
            "95% of draws",
        )
    ]
    layouts = [
        fit(header, rows, left=(1,), width=width, stay=(0, 1, 2))
        for width in range(30, 130)
    ]
    displayed = [{header[n] for n in layout[0]} for layout in layouts]
    pairs = [
        ("ranks", "95% interval"),
        ("against unchanged", "p adjusted"),
        ("ranks", "cluster"),
    ]
    for before, after in [*pairs, ("std of draws", "95% of draws")]:
        assert any(
            before in values and after not in values for values in displayed
        )
        assert all(before in values for values in displayed if after in values)


def test_sources_and_references_are_known_by_their_lines() -> None:
    digests = {
        "source": "1",
        "reference 0": "2",
        "system INPUT": "3",
        "gold system B": "1",
        "system A": "2",
    }
    results = results_of({"A": 0.9, "INPUT": 0.5, "B": 0.4}, digests=digests)
    (group,) = groups(results)
    assert group.kinds == {
        "A": "reference",
        "B": "source",
    }
    assert group.best(2) == {"INPUT"}


def test_no_overview_of_a_single_metric_on_a_single_data_set(
    tmp_path: Path,
) -> None:
    assert overviews(results_of(ABC), 2) == []
    result = run(
        write_run(tmp_path, 9, datasets=("d", "e"), chosen=["gleu[refs=max]"]),
        tmp_path / "run",
    )
    (both,) = overviews(result, 2)
    assert [column.printed for column in both.columns] == ["d", "e"]
    assert (both.name, both.about) == ("overview", "GLEU+ on 2 data sets")
    result = run(
        write_run(
            tmp_path, 9, datasets=("d", "e"), chosen=["gleu[refs=max]", "bleu"]
        ),
        tmp_path / "more",
    )
    assert [(one.name, len(one.columns)) for one in overviews(result, 2)] == [
        ("d", 2),
        ("e", 2),
    ]


def test_cells_are_the_results(sample: Path) -> None:
    for folder in (sample, sample.parent / "pairs"):
        results = revisit(folder).results
        (overview,) = overviews(results, 2)
        assert overview.kinds == {"unchanged": "source"}
        assert overview.systems == ["careful", "eager", "unchanged", "broken"]
        for column in overview.columns:
            assert column.verdict_sentence
            for entry in column.entries.values():
                assert entry.score.bootstrap
                assert entry.text == f"{100 * entry.score.score:.2f}"
                low, high = entry.score.bootstrap.interval
                assert entry.interval == f"{100 * low:.2f} to {100 * high:.2f}"
                assert entry.best == (entry.score.rank == 1)
            if overview.baseline:
                marked = {
                    name
                    for name, entry in column.entries.items()
                    if entry.mark in (BETTER, WORSE)
                }
                assert (
                    marked
                    == {
                        test.system
                        for test in column.group.tests
                        if test.p_adjusted < 0.05
                    }
                    != set()
                )


def test_the_overview_comes_first_and_boards_where_they_are_asked_for(
    sample: Path, run_line: RunLine
) -> None:
    code, out, _ = run_line(f"show {sample}")
    lines = out.splitlines()
    assert (code, lines[0]) == (0, "sample: 96 lines, 2 references")
    assert lines[1].split() == ["system", "GLEU+", "BLEU"]
    assert [line.split()[0] for line in lines[2:6]] == [
        "careful",
        "eager",
        "unchanged",
        "broken",
    ]
    assert lines[4].split()[1] == "(source)"
    assert lines[6].startswith(
        "GLEU+: careful is first by rank range; 2 of 3 are better than unchanged"
    )
    assert "\x1b" not in out
    assert "--boards" in out
    metric_results = run_line(f"show {sample} --boards")[1]
    assert metric_results.count("95% interval") == 2
    assert "95% interval" not in out.partition("agreement")[0]
    for signature in {score.metric for score in revisit(sample).results.scores}:
        # below the overview, and not below the agreement with people again
        assert out.count(f" = {signature}\n") == 1
    alone = run_line(f"show {sample} --metric bleu")[1]
    assert alone == run_line(f"show {sample} --metric bleu --boards")[1]
    assert "rank" in alone.splitlines()[1]


def test_what_stands_out_on_a_terminal(
    sample: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    results = replace(revisit(sample).results, human=None)
    pages = []
    for width, boards in ((120, False), (40, False), (120, True)):
        on_terminal(monkeypatch, width)
        print_results(results, 2, boards=boards)
        pages.append(capsys.readouterr().out)
    wide, narrow, ranked = pages
    assert re.search(r"\x1b\[1;32m *76\.76 ↑", wide)  # best and better
    assert re.search(r"\x1b\[31m *13\.38 ↓", wide)
    assert "wider window" not in wide
    plain = re.sub(r"\x1b\[[0-9;]*m", "", narrow)
    assert re.search(r"^ unchanged \(source\) +26\.86", plain, re.MULTILINE)
    assert (
        max(len(line) for line in plain.splitlines() if line.startswith(" "))
        <= 40
    )
    assert re.search(r"\x1b\[1;36m *76\.76", ranked)
    assert re.search(r"\x1b\[32m *\+49\.91↑", ranked)
    # below headers, and between clusters
    assert ranked.count("──\n") + ranked.count("── \n") == 2 + 3 + 2


# --- what marks mean


@pytest.mark.parametrize(
    ("metric", "difference", "mark"),
    [
        ("gleu|n:4", 0.1, "↑"),
        ("gleu|n:4", -0.1, "↓"),
        ("ter|norm:false", 0.1, "↓"),
        ("ter|norm:false", -0.1, "↑"),
    ],
)
def test_a_mark_says_which_is_better(
    metric: str, difference: float, mark: str
) -> None:
    """By ter the lowest score is the best."""
    values = results_of(ABC, different=())
    assert (
        marked(comparison(metric, "A", "B", difference, 0.01), values, 1)[-1]
        == mark
    )
    assert (
        marked(comparison(metric, "A", "B", difference, 0.5), values, 1).strip(
            "+-"
        )
        == "10.0"
    )


@pytest.mark.parametrize(
    ("wins", "low", "real"),
    [(5, -0.1, False), (5, 0.01, True), (6, -0.1, True)],
)
def test_too_few_sentences_are_not_significant(
    wins: int, low: float, real: bool
) -> None:
    """2 of the 2**5 exchanges of five sentences are as far apart as the systems: no exact p is
    below 0.0625.
    """
    one = replace(
        comparison(GLEU, "A", "B", 0.1, 0.0001),
        wins=wins,
        losses=0,
        interval=(low, 0.2),
    )
    results = results_of(ABC, different=())
    assert results.is_significant(one) == real
    assert results.is_small_p(one)
