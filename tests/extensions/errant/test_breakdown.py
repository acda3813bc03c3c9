"""Scores by type of edit: the official program's tables, sums, choices of annotators, samples, and
stored runs.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import validate

from pipeline import stages
from pipeline.extensions.edits import edit_views as views
from pipeline.scoring import ScoredRun
from pipeline.scoring.metric_results import breakdown_of
from pipeline.scoring.resampling.samples import Bootstrap
from pipeline.scoring.results import Results
from pipeline.scoring.rows import Breakdown, Category
from tests.conftest import run
from tests.oracles import naive_errant
from tests.support.metrics import values_of
from tests.support.numbers import near
from tests.support.results_schema import results_schema
from tests.support.words import wordlist

SYSTEMS = ("AMU", "CAMB", "CUUI", "INPUT", "POST")
TYPES = (
    "R:NOUN",
    "R:NOUN:NUM",
    "M:DET",
    "U:DET",
    "R:VERB:SVA",
    "U:PUNCT",
    "UNK",
    "M:NOUN",
)


def random_m2(
    seed: int,
    sentences: int,
    annotators: Sequence[int],
    *,
    missing: float = 0.0,
) -> str:
    """Return an M2 file of random edits. `lacking` is the share of sentences in which an annotator
    has no line.
    """
    rng = random.Random(seed)
    blocks = []
    for number in range(sentences):
        lines = [f"S {' '.join(f'w{number}.{word}' for word in range(6))}"]
        for annotator in annotators:
            if annotator and rng.random() < missing:
                continue
            edits = sorted(
                {
                    (start, start + rng.randint(0, 1))
                    for start in rng.sample(range(6), rng.randint(0, 4))
                }
            )
            for start, end in edits:
                line = f"{start} {end}|||{rng.choice(TYPES)}|||{rng.choice('xy')}|||REQUIRED|||-NONE-|||{annotator}"
                lines.append(f"A {line}")
            if not edits:
                lines.append(
                    f"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{annotator}"
                )
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def write_edits(
    folder: Path,
    sentences: int = 60,
    metrics: Sequence[Any] = ("errant",),
    **more: Any,
) -> Path:
    """Write a data set of edits with two annotators and three systems, one of them with two
    annotators.
    """
    gold = random_m2(1, sentences, (0, 1), missing=0.3)
    outputs = {
        "A": random_m2(2, sentences, (0,)),
        "B": random_m2(3, sentences, (0, 1)),
        "C": re.sub("x", "y", gold),
    }
    for name, text in {"gold": gold, **outputs}.items():
        (folder / f"{name}.m2").write_text(text, encoding="utf-8")
    content = {
        "datasets": {"d": {"gold": "gold.m2"}},
        "systems": {name: {"m2": f"{name}.m2"} for name in outputs},
    }
    file = folder / "c.yaml"
    file.write_text(
        json.dumps({**content, "metrics": list(metrics), **more}),
        encoding="utf-8",
    )
    return file


def counts_of(part: Breakdown) -> dict[str, tuple[float, ...]]:
    return {
        item.category: tuple(values_of(item.outputs, "tp fp fn"))
        for item in part.categories
    }


def check_totals(results: Results) -> None:
    """Expect that the counts of types sum to those of the scores."""
    totals = {}
    for score in results.scores:
        totals[score.system] = values_of(score.outputs, "tp fp fn")
    for part in results.breakdown:
        counts = [*counts_of(part).values()]
        assert np.sum(counts, axis=0).tolist() == totals[part.system]


def tables(text: str) -> dict[int, dict[str, list[str]]]:
    """Return the rows that errant_compare printed without options but -cat, by the number behind
    it.
    """
    found = {}
    for part in text.split("$ errant_compare ")[1:]:
        command, _, printed = part.partition("\n")
        requested = re.fullmatch(
            r"-hyp \S+ -ref \S+ -cat ([123])", command.strip()
        )
        if requested:
            rows = printed.split("Category")[1].split("\n\n")[0].split("\n")[1:]
            found[int(requested[1])] = {
                cells[0]: cells[1:] for cells in map(str.split, rows)
            }
    return found


def test_types_are_those_of_the_official_program(
    shared: Path, tmp_path: Path
) -> None:
    """errant_compare 3.0.2 -cat 1, 2 and 3 on five systems of CoNLL-2014, two annotators: every
    printed number.
    """
    m2 = shared / "edits" / "m2"
    systems = {
        name: {"m2": str(m2 / f"conll14-{name}.errant")} for name in SYSTEMS
    }
    config = {
        "datasets": {"c": {"gold": str(m2 / "conll14.errant")}},
        "systems": systems,
        "metrics": ["errant"],
    }
    (tmp_path / "c.yaml").write_text(json.dumps(config), encoding="utf-8")
    results = run(tmp_path / "c.yaml", tmp_path / "run")
    for name in SYSTEMS:
        golden = tables(
            (
                shared / "edits" / "golden" / "errant-compare" / f"{name}.txt"
            ).read_text(encoding="utf-8")
        )
        assert sorted(golden) == [1, 2, 3]
        for tier, expected in golden.items():
            (part,) = (
                part
                for part in results.breakdown
                if (part.system, part.tier) == (name, tier)
            )
            printed = {
                item.category: [
                    *(str(item.outputs[key]) for key in ("tp", "fp", "fn")),
                    *(
                        str(round(item.outputs[key], 4))
                        for key in ("precision", "recall", "errant")
                    ),
                ]
                for item in part.categories
            }
            assert printed == expected
            assert list(printed) == list(expected)


def test_types_and_their_samples_are_those_of_a_naive_program(
    tmp_path: Path,
) -> None:
    """By another implementation: annotators without lines, outputs with two annotators, the choice
    kept in samples.
    """
    config = write_edits(
        tmp_path, statistics={"resamples": "40", "trials": "10", "level": "0.9"}
    )
    results = run(config, tmp_path / "run")
    gold = (tmp_path / "gold.m2").read_text(encoding="utf-8")
    weights = Bootstrap(60, 12345).take(40).tolist()
    assert len(results.breakdown) == 9
    for part in results.breakdown:
        rows = naive_errant.chosen(
            (tmp_path / f"{part.system}.m2").read_text(encoding="utf-8"), gold
        )
        assert counts_of(part) == naive_errant.summed(rows, part.tier)
        for item in part.categories:
            samples = [
                naive_errant.summed(rows, part.tier, entry).get(
                    item.category, (0, 0, 0)
                )
                for entry in weights
            ]
            for number, name in enumerate(("errant", "precision", "recall")):
                values = sorted(
                    naive_errant.f_beta(*counts)[number] for counts in samples
                )
                assert item.intervals[name] == near(
                    (values[2], values[-3])
                )  # of 40, 5% are 2
    check_totals(results)


@pytest.mark.parametrize(
    "options",
    wordlist("mode=dt mode=cse types=DET choice=sentence single=true mode=ds"),
)
def test_types_sum_to_the_totals(tmp_path: Path, options: str) -> None:
    results = run(
        write_edits(tmp_path, metrics=[f"errant[{options}]"]), tmp_path / "run"
    )
    assert len(results.breakdown) == 9
    check_totals(results)
    if options == "types=DET":
        names = {
            item.category
            for part in results.breakdown
            for item in part.categories
            if part.tier == 3
        }
        assert names == {"M:DET", "U:DET"}


def test_rare_types_share_a_row_and_a_warning_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "MAX_CATEGORIES", 5)
    results = run(write_edits(tmp_path), tmp_path / "run")
    info = results.datasets["d"]
    assert len(info.categories) == 5
    assert any(
        "there are 8 types of edits; the 5 that are most frequent" in warning
        for warning in results.warnings
    )
    check_totals(results)
    for part in results.breakdown:
        assert part.categories[-1].category == Category.REST


def test_means_of_sentences_have_no_parts(tmp_path: Path) -> None:
    results = run(
        write_edits(tmp_path, metrics=["errant[level=mean]"]), tmp_path / "run"
    )
    assert results.breakdown == []
    assert "breakdown" not in json.loads(results.to_json())


def test_counts_of_types_are_kept_and_read_again(tmp_path: Path) -> None:
    """The second run counts nothing; a stored run gives the same parts without its texts, and fits
    the schema.
    """
    config = write_edits(
        tmp_path, statistics={"resamples": "20", "trials": "10"}
    )
    results = run(config, tmp_path / "run")
    remaining = {
        path: path.stat().st_mtime_ns
        for path in (tmp_path / "run" / "statistics").rglob("*.columns")
    }
    assert len(remaining) == 6
    run(config, tmp_path / "run")
    assert remaining == {path: path.stat().st_mtime_ns for path in remaining}
    for file in tmp_path.glob("*.m2"):
        file.unlink()
    stored, scored = ScoredRun.read(tmp_path / "run")
    assert stored.breakdown == results.breakdown
    bare = [
        replace(
            part,
            categories=tuple(
                replace(item, intervals={}) for item in part.categories
            ),
        )
        for part in stored.breakdown
    ]
    (metric_result,) = (
        metric_result for metric_result in scored if metric_result.parts
    )
    assert tuple(bare) == breakdown_of(metric_result)
    text = (tmp_path / "run" / "results.json").read_text(encoding="utf-8")
    validate(json.loads(text), results_schema())
    assert Results.read(tmp_path / "run" / "results.json").to_json() == text


def test_a_plan_names_types_that_are_not_counted_yet(tmp_path: Path) -> None:
    from pipeline.cli.commands.run import plan

    config = write_edits(tmp_path)
    run(config, tmp_path / "run")
    next((tmp_path / "run" / "statistics").rglob("A.*by-type*")).unlink()
    rows = plan(stages.prepare(config), str(tmp_path / "run"))[1]
    assert {row[1]: row[-1] for row in rows} == {
        "A": "to do",
        "B": "counted",
        "C": "counted",
    }
