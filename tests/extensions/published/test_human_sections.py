"""The same numbers by the sections of this extension as by the section human."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import run, write_run


@pytest.mark.parametrize("ties", ["later", "wrong", "half", "out"])
def test_people_and_published_sections_compute_the_same_numbers(
    tmp_path: Path, ties: str
) -> None:
    """The same vectors, and the same judged sentences, by the section `human` and by those of
    recipes: bit for bit.
    """
    rng = np.random.default_rng(4)
    ranked = [
        (line, rng.integers(1, 4, 4)) for line in range(12) for _ in range(3)
    ]
    cells = [
        (line, names, ranks[list(names)])
        for line, ranks in ranked
        for names in combinations(range(4), 2)
    ]
    rows = [
        f"x,{line},{'ABCD'[i]},{one},{'ABCD'[j]},{two}\n"
        for line, (i, j), (one, two) in cells
    ]
    header = "judgeID,segmentId,system1Id,system1rank,system2Id,system2rank\n"
    (tmp_path / "people.csv").write_text(
        "".join([header, *rows]), encoding="utf-8"
    )
    names = {"gleu": "gleu", "google": "google_gleu"}
    config = write_run(
        tmp_path,
        12,
        systems=tuple("ABCD"),
        chosen=tuple(names.values()),
        human={"file": "people.csv", "ties": ties, "numbering": "0"},
        judgments={"all": {"file": "people.csv"}},
        columns={
            **{key: {"metric": name} for key, name in names.items()},
            "wins": {"judgments": "all"},
        },
        correlations=[{"of": list(names), "with": ["wins"]}],
        agreements={
            key: {
                "judgments": "all",
                "metric": name,
                "ties": ties,
                "numbering": "0",
            }
            for key, name in names.items()
        },
    )
    results = run(config, tmp_path / "run")
    assert results.human
    assert results.correlations
    assert results.agreements
    for key, systems, sentences in zip(
        names,
        results.human["correlations"],
        results.human["sentences"],
        strict=True,
    ):
        values = {
            name: found["value"]
            for name, found in systems["coefficients"].items()
        }
        published = results.correlations[key]["wins"]
        assert values == {name: published[name] for name in values}
        assert set(published) - set(values) == {
            "systems",
            "spearman_by_differences",
            "mean_rank_difference",
        }
        agreement = results.agreements[key]
        for name in ("systems", "pairs", "metric_ties"):
            assert sentences[name] == agreement[name]
        for name in ("accuracy", "kendall"):
            assert sentences["coefficients"][name]["value"] == agreement[name]
        assert agreement["human_ties"] > 0
