"""All outputs of each sentence: against rouge-score run live, and each sentence scored as a corpus
of its own.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pipeline
from pipeline.errors import InputError
from tests.conftest import RunLine, printed
from tests.metrics.test_rouge import ASKED, TYPES, texts
from tests.support.extensions import with_extension

ENDS = {"": "fmeasure", "_recall": "recall", "_precision": "precision"}
"""The ends of the names of ROUGE's outputs, and what rouge-score calls them."""
SENTENCES = [
    (
        "the cat sat on the mat .",
        "the cat sat on a mat .",
        "a cat was on the mat .",
        "the cats sit on mat .",
    ),
    ("no", "no .", "none at all", "nothing is here ."),
    (
        "He go to the school .",
        "He goes to school .",
        "He went to school .",
        "He go to school .",
    ),
    (
        "same text here too",
        "same text here too",
        "same text here too",
        "same text there too",
    ),
    ("w x y z", "a b c d e", "w x q", "w x y"),
]
"""Sentences: an output, two references and a source."""
HYPOTHESES, ONE, TWO, SOURCES = (
    list(column) for column in zip(*SENTENCES, strict=True)
)
ALONE = [
    "chrf",
    "chrf++[eps=true,beta=0.5]",
    "google_gleu[min_order=2]",
    "green",
    "bleu[effective_order=yes]",
    "ter",
    "rouge[types=1+2+L+W]",
    "rouge[flavour=perl,types=1+L+SU4]",
    "gleu[refs=max]",
    *with_extension("nlg", "length"),
]
"""Metrics whose score of a corpus with one sentence is the score of that sentence."""


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("references", [1, 3])
@pytest.mark.parametrize("stem", [False, True])
def test_every_type_of_every_text_is_that_of_rouge_score(
    references: int, stem: bool
) -> None:
    peer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(
        TYPES, use_stemmer=stem
    )
    hypotheses, sets = (
        texts(51, 50),
        [texts(52 + number, 50) for number in range(references)],
    )
    metric = f"rouge[types={ASKED},stemmer={'porter' if stem else 'none'}]"
    outputs = pipeline.evaluate(hypotheses, sets, metrics=[metric])[
        0
    ].sentence_outputs
    expected = [
        peer.score_multi(list(items), text)
        for items, text in zip(zip(*sets, strict=True), hypotheses, strict=True)
    ]
    assert list(outputs) == [*map("".join, product(TYPES, ENDS))]
    for name in TYPES:
        for end, field in ENDS.items():
            values = [getattr(item[name], field) for item in expected]
            assert outputs[name + end].tolist() == pytest.approx(
                values, abs=1e-12
            ), name + end


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("metric", ALONE)
def test_outputs_are_those_of_the_sentence_as_a_corpus(metric: str) -> None:
    outputs = pipeline.evaluate(
        HYPOTHESES, [ONE, TWO], SOURCES, metrics=[metric]
    )[0].sentence_outputs
    for line, (output, one, two, source) in enumerate(SENTENCES):
        alone = pipeline.evaluate(
            [output], [[one], [two]], [source], metrics=[metric]
        )[0].outputs
        found = {name: values[line] for name, values in outputs.items()}
        # the whole penalty, and precision 1 of orders that the sentence lacks
        if metric.startswith("gleu"):
            found, alone = (
                {name: items[name] for name in ("gleu", "hyp_len", "ref_len")}
                for items in (found, alone)
            )
        if line == 1 and metric.startswith(("gleu", "green")):
            continue
        assert found == pytest.approx(alone, abs=1e-12), (line, metric)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "metric",
    [
        "chrf",
        "google_gleu",
        "green",
        "gleu[refs=max]",
        "gleu[refs=mean,level=mean]",
        "ter",
    ],
)
def test_missing_references_take_no_part(metric: str) -> None:
    """A line with its only reference scores as one that has another equal one beside it."""
    lacking: Any = [ONE[0], None, ONE[2], None, None]
    filled = [ONE[0], TWO[1], ONE[2], TWO[3], TWO[4]]
    some = pipeline.evaluate(
        HYPOTHESES, [lacking, TWO], SOURCES, metrics=[metric]
    )[0].sentence_outputs
    every = pipeline.evaluate(
        HYPOTHESES, [filled, TWO], SOURCES, metrics=[metric]
    )[0].sentence_outputs
    for name, values in some.items():
        assert values.tolist() == pytest.approx(
            every[name].tolist(), abs=1e-12
        ), name


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "metric",
    ["rouge[refs=mean]", "gleu[refs=mean]", "gleu", "gleu[refs=merged]"],
)
def test_other_policies_have_the_mean_of_references(metric: str) -> None:
    both = pipeline.evaluate(HYPOTHESES, [ONE, TWO], SOURCES, metrics=[metric])[
        0
    ]
    outputs = both.sentence_outputs
    assert np.array_equal(next(iter(outputs.values())), both.sentences)
    if "merged" not in metric:
        alone = [
            pipeline.evaluate(HYPOTHESES, [items], SOURCES, metrics=[metric])[
                0
            ].sentence_outputs
            for items in (ONE, TWO)
        ]
        for name, values in outputs.items():
            assert values == pytest.approx(
                (alone[0][name] + alone[1][name]) / 2, abs=1e-12
            ), name


def test_frames_have_a_column_for_each_output() -> None:
    pytest.importorskip("pandas")
    result = pipeline.evaluate(HYPOTHESES, [ONE], metrics=["rouge[types=1]"])[0]
    frame = result.to_pandas(columns="outputs")
    assert frame.columns.tolist() == [
        "rouge1",
        "rouge1_recall",
        "rouge1_precision",
    ]
    assert (
        frame["rouge1_recall"].tolist()
        == result.sentence_outputs["rouge1_recall"].tolist()
    )


def test_the_command_prints_them(tmp_path: Path, run_line: RunLine) -> None:
    """By hand: 2 of 3 words of the output and of 4 words of the reference are shared; 2 edits of 4
    words.
    """
    for name, text in (("o", "a b x\nq\n"), ("r", "a b c d\nq\n")):
        (tmp_path / name).write_text(text)
    files = ("-r", str(tmp_path / "r"), "-o", str(tmp_path / "o"))
    rows = [
        line.split("\t")
        for line in printed(
            run_line("score rouge1", *files, "--sentence-outputs")
        ).splitlines()
    ]
    assert rows[0] == [
        "system",
        "line",
        "rouge1",
        "rouge1_recall",
        "rouge1_precision",
    ]
    assert [row[1:] for row in rows[1:]] == [
        ["1", "57.14", "50.00", "66.67"],
        ["2", "100.00", "100.00", "100.00"],
    ]
    rows = [
        line.split("\t")
        for line in printed(
            run_line(
                "score rouge1 ter",
                *files,
                "--sentence-outputs",
                "--digits",
                "1",
            )
        ).splitlines()
    ]
    assert rows[0] == [
        "metric",
        "system",
        "line",
        "rouge1",
        "rouge1_recall",
        "rouge1_precision",
        "ter",
        "edits",
        "ref_len",
    ]
    assert [rows[1][3:], rows[3][3:]] == [
        ["57.1", "50.0", "66.7", "", "", ""],
        ["", "", "", "50.0", "2", "4"],
    ]


def test_an_unknown_word_for_the_columns_of_a_frame_is_refused() -> None:
    result = pipeline.evaluate(HYPOTHESES, [ONE], metrics=["rouge[types=1]"])[0]
    wrong: Any = "output"
    with pytest.raises(
        InputError,
        match=r"^to_pandas: expected one of scores, outputs, all, found 'output'$",
    ):
        result.to_pandas(columns=wrong)
