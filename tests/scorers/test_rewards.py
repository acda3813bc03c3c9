"""Rewards as programs for training call them, with their own argument names, and texts that are no
ordinary ones.
"""

from __future__ import annotations

import inspect
import math
import pickle
import re
import warnings
from typing import Any

import numpy as np
import pytest

import pipeline
from pipeline import rewards
from pipeline.errors import InputError
from tests.conftest import ROOT

OUTPUTS = ["He goes to school .", "I like an apples .", "", "So be it"]
REFERENCES: list[Any] = [
    "He goes to school .",
    ["I like apples .", "I like an apple ."],
    "A text .",
    ["So be it", "Be so"],
]
SOURCES = ["He go to school .", "I like a apples .", "A text", "So it be"]


def quiet(metric: str, number: int) -> float:
    """Return the score that evaluate gives an output alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arguments = REFERENCES[number]
        sets = [
            [text]
            for text in (
                [arguments] if isinstance(arguments, str) else arguments
            )
        ]
        sources = [SOURCES[number]] if metric.startswith("gleu") else None
        return float(
            pipeline.evaluate([OUTPUTS[number]], sets, sources, metric)[
                0
            ].sentences[0]
        )


METRICS = ["gleu", "gleu[refs=max]", "chrf", "rouge[refs=mean]"]


@pytest.mark.parametrize("metric", METRICS)
def test_a_reward_is_the_score_of_the_output_alone(metric: str) -> None:
    expected = [quiet(metric, number) for number in range(4)]
    assert expected[2] == 0
    plain = rewards.plain(metric)
    assert plain(OUTPUTS, REFERENCES, SOURCES) == expected
    copy = pickle.loads(pickle.dumps(plain))  # noqa: S301 (made here)
    assert copy(OUTPUTS, REFERENCES, SOURCES) == expected
    assert all(
        type(reward) is float for reward in plain(OUTPUTS, REFERENCES, SOURCES)
    )
    assert plain([], [], []) == []


def trainer_call(
    function: Any, rows: list[dict[str, Any]], completions: list[Any]
) -> list[float]:
    """Call a reward function as GRPOTrainer of TRL 1.16 does, and do with the result what it does."""
    keys = [
        key
        for key in rows[0]
        if key not in ("prompt", "completion", "completion_ids")
    ]
    columns = {key: [row[key] for row in rows] for key in keys}
    logs: dict[str, Any] = {"log_extra": print, "log_metric": print}
    logs["trainer_state"] = object()
    columns |= logs
    ids = [[1, 2]] * len(rows)
    prompts = [row["prompt"] for row in rows]
    result = function(
        prompts=prompts, completions=completions, completion_ids=ids, **columns
    )
    return [math.nan if reward is None else float(reward) for reward in result]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("conversational", [False, True])
def test_trl_calls_it_with_columns(metric: str, conversational: bool) -> None:
    def said(role: str, text: str) -> Any:
        return (
            [
                {"role": "system", "content": "Be brief."},
                {"role": role, "content": text},
            ]
            if conversational
            else text
        )

    rows = [
        {
            "prompt": said("user", source),
            "correct": references,
            "task": "gec",
            "wrong": source,
        }
        for source, references in zip(SOURCES, REFERENCES, strict=True)
    ]
    completions = [said("assistant", text) for text in OUTPUTS]
    expected = [quiet(metric, number) for number in range(4)]
    for column in ("wrong", "prompts"):
        function: Any = rewards.trl(
            metric, references="correct", sources=column
        )
        assert trainer_call(function, rows, completions) == expected
        assert not inspect.iscoroutinefunction(function)
        assert not inspect.iscoroutinefunction(function.__call__)
        assert function.__name__ == metric.partition("[")[0]
        copy = pickle.loads(pickle.dumps(function))  # noqa: S301
        assert trainer_call(copy, rows, completions) == expected
    rows[1]["correct"] = None  # a row of another task: TRL leaves it out
    assert [
        number
        for number, value in enumerate(
            trainer_call(function, rows, completions)
        )
        if math.isnan(value)
    ] == [1]
    assert rewards.trl(metric, name="fluency").__name__ == "fluency"
    with pytest.raises(
        InputError,
        match=r"no column 'references'; there are .*correct.*prompts",
    ):
        trainer_call(rewards.trl(metric), rows, completions)


def test_texts_that_are_no_ordinary_ones() -> None:
    """The rules that the module and `help rewards` state, one by one."""
    bleu = rewards.plain("bleu")
    # an empty output is scored
    assert bleu(["", " "], ["a b", "a b"]) == [
        0.0,
        0.0,
    ]
    # an empty reference is one of length 0
    assert bleu(["a b", "a b"], ["a b", ""])[1] == 0.0
    nothing: list[Any] = [None, math.nan, np.float64("nan")]
    for gone in nothing:  # a missing reference is left out
        assert bleu(["a b c d"], [["a b c d", gone]]) == bleu(
            ["a b c d"], ["a b c d"]
        )
        with pytest.raises(
            InputError, match="references, item 2: there is none"
        ):
            bleu(["a", "b"], ["a", gone])
        assert (
            rewards.plain("bleu", missing=0.5)(["a b", "b"], ["a b", [gone]])[1]
            == 0.5
        )
        assert rewards.plain("bleu", missing=None)(["b"], [gone]) == [None]
        with pytest.raises(
            InputError,
            match=r"outputs, item 2: expected a text, found (None|nan)",
        ):
            bleu(["a", gone], ["a", "b"])
        with pytest.raises(
            InputError,
            match=r"sources, item 1: expected a text, found (None|nan)",
        ):
            rewards.plain("gleu")(["a", "b"], ["a", "b"], [gone, "a"])
    reward = rewards.trl("bleu")
    assert reward(
        prompts=["p"],
        completions=[[{"role": "assistant", "content": None}]],
        references=["a"],
    ) == [0.0]
    parts = [
        {"type": "image"},
        {"type": "text", "text": "a b "},
        {"type": "text", "text": "c d"},
    ]
    assert reward(
        ["p"],
        [[{"role": "assistant", "content": parts}]],
        references=["a b c d"],
    ) == bleu(["a b c d"], ["a b c d"])


def test_what_is_wrong_is_named() -> None:
    bleu = rewards.plain("bleu")
    wrong: list[tuple[str, Any]] = [
        (
            "references: expected a text or a list of texts for each output, 2; found 1",
            lambda: bleu(["a", "b"], ["a"]),
        ),
        (
            "references, item 2: expected a text or a list of texts, found int",
            lambda: bleu(["a", "b"], ["a", 3]),
        ),
        (
            "outputs: expected a list of texts, found str",
            lambda: bleu("ab", ["a"]),
        ),
        (
            "sources: the metric needs the source",
            lambda: rewards.plain("gleu")(["a"], ["a"]),
        ),
        (
            "sources: expected one text for each output, 1; found 2",
            lambda: rewards.plain("gleu")(["a"], ["a"], ["b"] * 2),
        ),
        (
            "metric: expected one metric, found a list",
            lambda: rewards.plain(["bleu", "gleu"]),  # type: ignore[arg-type]
        ),
        ("blue", lambda: rewards.plain("blue")),
        (
            "item 1: character 2 is half of a surrogate pair",
            lambda: bleu(["a\ud800"], ["a"]),
        ),
    ]
    for message, call in wrong:
        with pytest.raises(InputError, match=message):
            call()


def test_the_answer_is_taken_out_of_an_output() -> None:
    function = rewards.plain(
        "bleu", extract=lambda text: text.rpartition("</think>")[2].strip()
    )
    assert function(["<think>a</think> a b c d"], ["a b c d"]) == rewards.plain(
        "bleu"
    )(["a b c d"], ["a b c d"])


PAGE = (ROOT / "pipeline" / "help" / "rewards.md").read_text("utf-8")


def test_the_examples_of_the_page_of_help_run() -> None:
    examples = "\n".join(
        re.findall(
            r"^(?: {4}.*)?$",
            re.sub(r"(?ms)^```.*?^```$", "", PAGE),
            re.MULTILINE,
        )
    )
    names: dict[str, Any] = {}
    exec(re.sub(r"^ {4}", "", examples, flags=re.MULTILINE), names)  # noqa: S102
    extra = [{"source": source, "num_turns": 1} for source in SOURCES]
    truths = [
        text if isinstance(text, str) else np.array(text, object)
        for text in REFERENCES
    ]  # as parquet has them
    expected = [quiet("gleu", number) for number in range(4)]
    assert [
        names["compute_score"]("gec", *item)
        for item in zip(OUTPUTS, truths, extra, strict=True)
    ] == expected
    assert (
        names["compute_scores"](["gec"] * 4, OUTPUTS, truths, extra) == expected
    )
    items = [(OUTPUTS[n], REFERENCES[n], SOURCES[n]) for n in (1, 3)]
    sets = list(zip(REFERENCES[1], REFERENCES[3], strict=True))
    assert (
        names["corpus_gleu"](items)
        == pipeline.evaluate(OUTPUTS[1::2], sets, SOURCES[1::2], "gleu").score
    )
    displayed = re.findall(
        r"^ {4}(rewards.*?) +# (\[[0-9., ]+\])$", PAGE, re.MULTILINE
    )
    assert len(displayed) == 3
    for code, result in displayed:
        assert repr(eval(code, names)) == result  # noqa: S307
