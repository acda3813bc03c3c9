"""TER against sacreBLEU, live, and all that goes by the rule that lower is better."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sacrebleu.metrics.ter import TER

import pipeline
from pipeline.errors import InputError
from pipeline.metrics.ter import MAX_REFERENCES, SHARES
from pipeline.report import FORMATS
from tests.conftest import ROOT
from tests.metrics.test_bleu import (
    Texts,
    check_sentences,
    conll,
    generated,
    ours,
    sample,
)
from tests.support.commands import Command
from tests.support.extensions import with_extension
from tests.support.files import write_named_lines
from tests.support.numbers import very_near

NAMES = {
    "norm": "normalized",
    "nopunct": "no_punct",
    "asian": "asian_support",
    "cased": "case_sensitive",
}


def same_as_sacrebleu(
    texts: Texts, sentences: bool = True, **chosen: bool
) -> None:
    """Compare ours with sacreBLEU's, with some options by their keys in signatures."""
    options = ",".join(
        f"{key}={value}".lower() for key, value in chosen.items()
    )
    found = ours(texts, f"ter[{options}]")
    named: dict[str, Any] = {NAMES[key]: value for key, value in chosen.items()}
    oracle = TER(**named)
    expected = oracle.corpus_score(*texts)
    assert 100 * found.score == very_near(expected.score)
    assert found.outputs["edits"] == expected.num_edits
    assert found.outputs["ref_len"] == pytest.approx(
        expected.ref_length, rel=1e-12
    )
    assert found.peer_signature == f"TER|{oracle.get_signature()}"
    if sentences:
        check_sentences(found, oracle, texts)


@pytest.mark.parametrize(
    ("norm", "nopunct", "cased"), list(product([False, True], repeat=3))
)
def test_every_setting_as_sacrebleu(
    norm: bool, nopunct: bool, cased: bool
) -> None:
    for seed in range(2):
        texts = generated(seed, lines=8, references=1 + 2 * seed)
        same_as_sacrebleu(texts, norm=norm, nopunct=nopunct, cased=cased)
        if norm or nopunct:
            same_as_sacrebleu(
                texts, norm=norm, nopunct=nopunct, cased=cased, asian=True
            )


@pytest.mark.parametrize(
    ("hypotheses", "references"),
    [
        ([""], [[""]]),  # nothing at all: 0
        ([""], [["a"]]),
        (["a"], [[""]]),  # no word in the reference: 1
        (["a b c"], [["a b"]]),
        (["a", "d e f g"], [["", "g d e f"], ["", "x"]]),
        (["a a a a a a"], [["b"]]),  # above 1
        (
            ["a"],
            [["a b"], ["c d e"], ["f"], ["g"], ["h i"], ["j"], ["k"]],
        ),  # a mean length of 11 / 7
    ],
)
def test_corners_as_sacrebleu(
    hypotheses: list[str], references: list[list[str]]
) -> None:
    same_as_sacrebleu((hypotheses, references))


@pytest.mark.parametrize("name", ["AMU", "INPUT"])
def test_conll14_as_sacrebleu(shared: Path, name: str) -> None:
    hypotheses, references = conll(shared, name)
    same_as_sacrebleu((hypotheses[:100], [text[:100] for text in references]))


def test_missing_references_do_not_count() -> None:
    hypotheses = ["a b c d", "e f", "g"]
    references = [
        ["a c b", "e f g", None],
        ["a", None, "g h i"],
        ["b c", None, "g"],
    ]
    oracle = TER()
    sets: Any = references
    expected = oracle.corpus_score(hypotheses, sets)
    (found,) = pipeline.evaluate(hypotheses, references, metrics="ter")
    assert (100 * found.score, found.outputs["ref_len"]) == (
        expected.score,
        expected.ref_length,
    )
    assert found.peer_signature == f"TER|{oracle.get_signature()}"


def test_mean_lengths_are_summed_exactly() -> None:
    assert [
        number for number in range(1, MAX_REFERENCES + 2) if SHARES % number
    ] == [MAX_REFERENCES + 1]
    texts = [["a b"]] * 21 + [["a"]]
    assert (
        pipeline.evaluate(["c"], texts, metrics="ter").outputs["ref_len"]
        == 43 / 22
    )
    with pytest.raises(
        InputError,
        match="references: ter takes at most 22 for a line, found 23",
    ):
        pipeline.evaluate(["c"], [*texts, ["a"]], metrics="ter")


def test_the_mean_of_sentence_scores() -> None:
    texts = generated(4)
    found = ours(texts, "ter[level=mean]")
    assert found.score == pytest.approx(
        float(np.mean(ours(texts, "ter").sentences)), rel=1e-12
    )
    assert found.peer_signature is None


def three() -> tuple[dict[str, list[str]], list[list[str]]]:
    """A good, a middling and a bad system."""
    hypotheses, references = sample()
    careful = ROOT / "data" / "systems" / "careful.txt"
    systems = {
        "bad": [" ".join(line.split()[::-1]) for line in references[0]],
        "good": careful.read_text(encoding="utf-8").splitlines(),
        "middle": hypotheses,
    }
    for lines in (*systems.values(), *references):
        del lines[40:]
    return systems, references


def test_the_lowest_score_has_the_first_rank() -> None:
    found = pipeline.evaluate(*three(), metrics=["ter", "bleu[tok=whitespace]"])
    for metric in ("ter", "bleu"):
        for rank, system in enumerate(("good", "middle", "bad"), 1):
            assert found.get(metric=metric, system=system).rank == rank
    bad, good = (
        found.get(metric="ter", system=system) for system in ("bad", "good")
    )
    assert bad.score > good.score
    assert good.notes == ("the lower the score, the better",)


@pytest.fixture(scope="module")
def lower_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run directory of TER and BLEU on the three systems."""
    folder = tmp_path_factory.mktemp("ter")
    systems, (one, two) = three()
    write_named_lines(folder, source=one, r0=one, r1=two, **systems)
    references = [str(folder / "r0"), str(folder / "r1")]
    config = {
        "datasets": {
            "d": {"source": str(folder / "source"), "references": references}
        },
        "systems": {name: str(folder / name) for name in systems},
        "metrics": ["ter", "bleu[tok=whitespace]"],
        "statistics": {"resamples": 200, "trials": 200},
        "output": {
            "formats": [
                *("json", "csv", "markdown", "latex"),
                *with_extension("page", "html"),
            ]
        },
    }
    pipeline.run(config, folder / "run")
    return folder / "run"


def test_ranges_comparisons_and_means_go_by_it(lower_run: Path) -> None:
    results = pipeline.compare(lower_run)
    ter = [score for score in results.scores if score.metric.startswith("ter")]
    ranks = {"good": 1, "middle": 2, "bad": 3}
    assert {score.system: score.rank for score in ter} == ranks
    for score in ter:
        assert score.bootstrap
        assert score.bootstrap.ranks == (score.rank, score.rank)
        assert score.bootstrap.cluster == score.rank
    pairs = {
        (test.system, test.other, test.metric[:3]): test
        for test in results.tests
    }
    worse = pairs["bad", "good", "ter"]
    by_bleu = pairs["bad", "good", "ble"]
    assert worse.difference > 0 > by_bleu.difference
    assert (
        (worse.better, worse.wins) == (by_bleu.better, by_bleu.wins) == (0, 0)
    )
    assert worse.losses == by_bleu.losses
    # the sign of the difference, as the difference itself
    assert worse.cohen_d > 0


def test_reports_mark_the_lowest(lower_run: Path) -> None:
    folder = lower_run
    text = (folder / "results.md").read_text(encoding="utf-8")
    assert all(
        "good" in line
        for line in text.splitlines()
        if "**" in line and "|" in line
    )
    assert "The lower the score, the better" in text
    if "html" in FORMATS:
        page = (folder / "report.html").read_text(encoding="utf-8")
        assert page.count('"lower": true') + page.count('"lower":true') == 1


def test_explain_shows_shifts_and_words(
    tmp_path: Path, command: Command
) -> None:
    (tmp_path / "r").write_text("a b c d e f\n", encoding="utf-8")
    (tmp_path / "o").write_text("d e a b x g\n", encoding="utf-8")
    output = command(
        f"explain ter -r {tmp_path / 'r'} -o {tmp_path / 'o'} --line 1"
    ).out
    assert output.splitlines()[3:] == [
        "  TER: ter 50.00 (6 of 6 tokens)",
        "  3 edits to reference 1, of 6 tokens:",
        "    shifted   d e: to a b x d e g",
        "    match     a · b · d · e",
        "    wrong     x → c · g → f",
    ]
