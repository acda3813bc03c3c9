"""The API: evaluate, run and load, what they give, and what they refuse."""

from __future__ import annotations

import doctest
import math
import random
import re
import sys
import warnings
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import pytest
import sacrebleu

import pipeline
import pipeline.api
from pipeline import Evaluation, Result, evaluate
from pipeline.errors import CorpusError, InputError, StoreError
from pipeline.extension import installed, known_names
from pipeline.metrics.build import from_text
from tests.conftest import edited, sentence, write_run
from tests.oracles import naive


def near(expected: Any) -> Any:
    """Allow for another order of the same additions and logarithms."""
    return pytest.approx(expected, abs=1e-12, rel=0)


class Texts(NamedTuple):
    """Parallel texts as lists of strings."""

    sources: list[str]
    references: list[list[str]]
    hypotheses: list[str]


def make(
    seed: int, items: int = 14, references: int = 3, *, newlines: bool = False
) -> Texts:
    """Return random texts; with newlines, and white space at both ends, where asked for."""
    rng = random.Random(seed)

    def written(line: str) -> str:
        if newlines:
            line = "".join(
                rng.choice("\n\n\t  \u00a0")
                if c == " " and rng.random() < 0.4
                else c
                for c in line
            )
            line = (
                rng.choice(["", "\n", " "])
                + line
                + rng.choice(["", "\n", " \n "])
            )
        return line

    base = [sentence(rng) for _ in range(items)]
    columns = [
        base,
        *([edited(line, rng) for line in base] for _ in range(references + 1)),
    ]
    source, *others = [[written(line) for line in column] for column in columns]
    return Texts(source, others[:-1], others[-1])


@pytest.fixture
def silent() -> Any:
    """Random texts may have what a warning is given for: that is not what these tests are about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


# ---- documentation


def test_the_examples_in_the_documentation_are_right() -> None:
    done = doctest.testmod(pipeline.api, raise_on_error=False)
    assert done.attempted >= 5
    assert done.failed == 0


def test_the_package_gives_what_it_promises() -> None:
    functions = {
        "compare",
        "correlate",
        "evaluate",
        "load",
        "run",
        "metric",
        "sentence_scores",
    }
    others = {
        "Evaluation",
        "Metric",
        "Model",
        "Result",
        "Scorer",
        "__version__",
        "compat",
        "errors",
        "rewards",
    }
    assert set(pipeline.__all__) == functions | others
    of_extensions = known_names()["names"]
    expected = {
        name for name in of_extensions if of_extensions[name] not in installed()
    }
    missing = {name for name in pipeline.__all__ if not hasattr(pipeline, name)}
    assert missing == expected
    assert set(dir(pipeline)) >= set(pipeline.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'evalute'"):
        _ = pipeline.evalute


# ---- scores and the naive oracle


def table_of(
    texts: Texts,
    order: int,
    unit: str = "word",
    split: str = "ascii_whitespace",
) -> list[list[naive.Columns]]:
    return naive.all_columns(
        texts.sources,
        texts.references,
        texts.hypotheses,
        order,
        unit=unit,
        split=split,
    )


def draws_of(
    sampler: str, seed: int, iterations: int, items: int, references: int
) -> list[list[int]]:
    """Return the references drawn; numpy: rows of doubles of one generator (design, sampling)."""
    if sampler == "numpy":
        doubles = np.random.default_rng(seed).random((iterations, items))
        return [
            [int(number * references) for number in row]
            for row in doubles.tolist()
        ]
    return [
        naive.draws(sampler, iteration, items, references)
        for iteration in range(iterations)
    ]


@pytest.mark.usefixtures("kernel", "silent")
@pytest.mark.parametrize("newlines", [False, True])
@pytest.mark.parametrize("sampler", ["python2", "python3", "numpy"])
@pytest.mark.parametrize("zero_total", ["zero", "one"])
@pytest.mark.parametrize(
    ("unit", "order"),
    [
        ("word", 1),
        ("word", 2),
        ("word", 4),
        ("word", 9),
        ("char", 3),
        ("char", 6),
    ],
)
@pytest.mark.parametrize("variant", ["2017", "2016"])
def test_sampled_scores_equal_the_naive_ones(
    variant: str,
    unit: str,
    order: int,
    zero_total: str,
    sampler: str,
    newlines: bool,
) -> None:
    texts = make(order, newlines=newlines)
    options = {
        "variant": variant,
        "unit": unit,
        "n": order,
        "zero_total": zero_total,
        "rng": sampler,
        "iter": 8,
    }
    result = evaluate(
        *hypotheses_first(texts),
        metrics=[{"name": "gleu", **options} | seeded(sampler)],
    )
    table = table_of(
        texts,
        order,
        unit,
        "whitespace" if sampler == "python3" else "ascii_whitespace",
    )
    scores = [
        naive.gleu_corpus(table, choice, variant, zero_total=zero_total)
        for choice in draws_of(sampler, 7, 8, len(texts.sources), 3)
    ]
    mean, std = naive.mean_and_std(scores)
    assert result.score == near(mean)
    assert result.samples.iterations == 8
    assert result.samples.std == near(std)
    assert result.samples.interval == pytest.approx(
        naive.interval(mean, std), abs=1e-6, nan_ok=True
    )  # 1.959964


def hypotheses_first(
    texts: Texts,
) -> tuple[list[str], list[list[str]], list[str]]:
    """Return texts in the order of evaluate's arguments."""
    return texts.hypotheses, texts.references, texts.sources


def seeded(sampler: str) -> dict[str, Any]:
    """Return the seed where the sampler takes one."""
    return {"seed": 7} if sampler == "numpy" else {}


UNITS = [("word", 1), ("word", 4), ("char", 4)]


@pytest.mark.usefixtures("kernel", "silent")
@pytest.mark.parametrize("newlines", [False, True])
@pytest.mark.parametrize("zero_total", ["zero", "one"])
@pytest.mark.parametrize(("unit", "order"), UNITS)
@pytest.mark.parametrize("variant", ["2017", "2016"])
def test_scores_of_the_best_references_equal_the_naive_ones(
    variant: str, unit: str, order: int, zero_total: str, newlines: bool
) -> None:
    texts = make(20 + order, newlines=newlines)
    options = {
        "variant": variant,
        "unit": unit,
        "order": order,
        "zero_total": zero_total,
        "references": "max",
    }
    result = evaluate(
        *hypotheses_first(texts), metrics=[{"name": "gleu", **options}]
    )
    expected = naive.gleu_max(
        table_of(texts, order, unit), variant, zero_total=zero_total
    )
    assert result.score == near(expected.score)
    assert result.samples is None
    found = [
        [result.outputs[f"{name}_{n}"] for n in range(1, order + 1)]
        for name in ("match", "penalty", "numer")
    ]
    assert found == [expected.match, expected.penal, expected.numer]
    assert (result.outputs["hyp_len"], result.outputs["ref_len"]) == (
        expected.hyp_len,
        expected.ref_len,
    )


@pytest.mark.usefixtures("kernel", "silent")
@pytest.mark.parametrize("newlines", [False, True])
@pytest.mark.parametrize("smoothing", ["none", "ones"])
@pytest.mark.parametrize("references", ["mean", "max"])
@pytest.mark.parametrize(("unit", "order"), UNITS)
@pytest.mark.parametrize("variant", ["2017", "2016"])
def test_sentence_scores_and_their_mean_equal_the_naive_ones(
    variant: str,
    unit: str,
    order: int,
    references: str,
    smoothing: str,
    newlines: bool,
) -> None:
    texts = make(30 + order, newlines=newlines)
    options = {
        "variant": variant,
        "unit": unit,
        "n": order,
        "smoothing": smoothing,
    }
    result = evaluate(
        *hypotheses_first(texts),
        metrics=[
            {"name": "gleu", "level": "mean", "refs": references, **options}
        ],
    )
    rows = table_of(texts, order, unit)
    summaries = [
        naive.sentence_summary(row, variant, smoothing=smoothing)
        for row in rows
    ]
    one = {"none": naive.sentence_gleu, "ones": naive.sentence_gleu_ones}[
        smoothing
    ]
    best = [max(one(columns, variant) for columns in row) for row in rows]
    scores = (
        best if references == "max" else [summary.mean for summary in summaries]
    )
    stds = (
        [0.0] * len(best)
        if references == "max"
        else [summary.std for summary in summaries]
    )
    assert result.sentences.tolist() == near(scores)
    assert result.score == near(fmean(scores))
    spread = result.sentence_spread()
    assert list(spread) == ["score", "std", "low", "high"]
    assert spread["score"].tolist() == result.sentences.tolist()
    assert spread["std"].tolist() == near(stds)
    for name, side in (("low", -1), ("high", 1)):
        bounds = [
            s + side * naive.Z_95 * std if std else math.nan
            for s, std in zip(scores, stds, strict=True)
        ]
        # 1.959964 has seven digits
        assert spread[name].tolist() == pytest.approx(
            bounds, abs=1e-6, nan_ok=True
        )


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize(
    "metric", ["gleu", "gleu[refs=max]", "gleu[level=mean]"]
)
def test_sentences_of_a_corpus_score_are_scored_alone(metric: str) -> None:
    """Specification, sentence level (a): precision 1 where there is no n-gram, mean or best over
    the references.
    """
    texts = make(40)
    expected = naive.sentence_scores(
        table_of(texts, 4), "max" if "max" in metric else "mean"
    )
    result = evaluate(*hypotheses_first(texts), metrics=[metric])
    assert result.sentences.dtype == np.float64
    assert result.sentences.tolist() == near(expected)


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize(
    "numbers", ["sentences", "sentence_outputs", "columns"]
)
def test_the_mean_of_references_has_no_sentences(numbers: str) -> None:
    results = evaluate(
        *hypotheses_first(make(3)), metrics=["gleu[refs=leave_one_out,iter=2]"]
    )
    with pytest.raises(
        InputError,
        match=r"^REFERENCE is the mean of .* has no sentences: take reference0",
    ):
        getattr(results["REFERENCE"], numbers)
    assert len(getattr(results["reference0"], numbers)) > 0


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize("references", [1, 2, 5])
@pytest.mark.parametrize("unit", ["word", "char"])
def test_columns_are_the_integers_of_the_naive_oracle(
    references: int, unit: str
) -> None:
    texts = make(50, references=references, newlines=True)
    result = evaluate(
        *hypotheses_first(texts), metrics=[f"gleu[unit={unit},n=2]"]
    )
    rows = table_of(texts, 2, unit)
    expected: dict[str, list[int]] = {
        "hyp_len": [row[0].hyp_len for row in rows]
    }
    expected |= {
        f"ref_len@{r}": [row[r].ref_len for row in rows]
        for r in range(references)
    }
    expected |= {
        f"total_{n + 1}": [row[0].total[n] for row in rows] for n in range(2)
    }
    for name in ("match", "penalty"):
        for r in range(references):
            expected |= {
                f"{name}_{n + 1}@{r}": [
                    getattr(row[r], name)[n] for row in rows
                ]
                for n in range(2)
            }
    assert {
        name: column.tolist() for name, column in result.columns.items()
    } == expected
    assert {column.dtype.name for column in result.columns.values()} == {
        "int64"
    }


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize("metric", ["gleu[iter=5]", "gleu[refs=max]"])
def test_outputs_of_one_reference_are_sums_of_columns(metric: str) -> None:
    result = evaluate(
        *hypotheses_first(make(60, items=40, references=1)), metrics=[metric]
    )
    columns, outputs = result.columns, result.outputs
    for n in range(1, 5):
        match, penalty = columns[f"match_{n}@0"], columns[f"penalty_{n}@0"]
        numer = np.maximum(match - penalty, 0).sum()
        assert outputs[f"match_{n}"] == match.sum()
        assert outputs[f"numer_{n}"] == numer
        assert outputs[f"penalty_{n}"] == np.minimum(match, penalty).sum()
        assert outputs[f"total_{n}"] == columns[f"total_{n}"].sum()
        assert outputs[f"precision_{n}"] == numer / columns[f"total_{n}"].sum()
        assert outputs[f"gleu_{n}"] == near(
            outputs["brevity_penalty"] * outputs[f"precision_{n}"]
        )
    assert outputs["hyp_len"] == columns["hyp_len"].sum()
    assert outputs["ref_len"] == columns["ref_len@0"].sum()
    assert outputs["gleu"] == near(
        outputs["brevity_penalty"] * outputs["precision"]
    )
    assert next(iter(outputs.items())) == ("gleu", result.score)


@pytest.mark.usefixtures("silent")
def test_outputs_of_a_sampled_score_are_means_over_the_draws() -> None:
    texts = make(61)
    result = evaluate(*hypotheses_first(texts), metrics=["gleu[iter=6]"])
    columns = result.columns
    draws = [naive.python2_draws(iteration, 14, 3) for iteration in range(6)]
    for name in ("ref_len", "match_2"):
        stacked = np.stack([columns[f"{name}@{r}"] for r in range(3)], axis=-1)
        sums = [
            sum(int(stacked[i, r]) for i, r in enumerate(choice))
            for choice in draws
        ]
        assert result.outputs[name] == near(fmean(sums))
    assert result.outputs["total_2"] == columns["total_2"].sum()


# ---- signatures


@pytest.mark.usefixtures("silent")
def test_metrics_may_be_names_signatures_mappings_or_metrics() -> None:
    texts = make(71)
    forms: list[Any] = [
        "gleu[n=3]",
        "gleu|n:3",
        {"name": "gleu", "order": 3},
        {"name": "gleu", "n": "3"},
    ]
    found = [
        evaluate(*hypotheses_first(texts), metrics=[form]).signature
        for form in [*forms, from_text("gleu[n=3]")]
    ]
    assert found == [found[0]] * 5
    assert "|n:3|" in found[0]


# ---- evaluations of several systems and metrics


@pytest.fixture
def several(silent: None) -> Evaluation:  # noqa: ARG001
    """Two systems, two metrics."""
    texts = make(80)
    systems = {"mine": texts.hypotheses, "other": texts.references[0]}
    return evaluate(
        systems,
        texts.references,
        texts.sources,
        metrics=["gleu[iter=4]", "gleu[refs=max]"],
    )


def test_an_evaluation_is_a_sequence_by_metric_and_system(
    several: Evaluation,
) -> None:
    assert len(several) == 4
    assert [result.system for result in several] == [
        "mine",
        "other",
        "mine",
        "other",
    ]
    assert ["refs:max" in result.signature for result in several] == [
        False,
        False,
        True,
        True,
    ]
    assert list(several[1:3]) == [several[1], several[2]]
    assert several[-1] is list(several)[3]
    assert {result.dataset for result in several} == {"memory"}
    with pytest.raises(IndexError):
        _ = several[4]


def test_texts_have_the_name_that_their_user_gives(silent: None) -> None:  # noqa: ARG001
    texts = make(80)
    named = evaluate(
        *hypotheses_first(texts),
        metrics=["gleu[iter=4]"],
        dataset="Leicester",
        statistics=True,
    )
    assert named.dataset == "Leicester"
    assert "Leicester" in repr(named)
    assert "memory" not in repr(named)


def test_ranks_are_those_of_the_systems_of_a_metric(
    several: Evaluation,
) -> None:
    for pair in (several[:2], several[2:]):
        best = max(pair, key=lambda result: result.score)
        assert [result.rank for result in pair] == [
            1 if result is best else 2 for result in pair
        ]


def test_each_system_of_several_is_scored_as_if_alone(
    several: Evaluation,
) -> None:
    texts = make(80)
    alone = evaluate(*hypotheses_first(texts), metrics=["gleu[iter=4]"])
    assert several[0].outputs == alone.outputs
    assert several[0].samples == alone.samples
    assert several[0].sentences.tolist() == alone.sentences.tolist()


def test_one_result_is_picked_by_system_metric_and_dataset(
    several: Evaluation,
) -> None:
    assert (
        several.get(
            system="other", metric=several[2].signature, dataset="memory"
        )
        is several[3]
    )
    with pytest.raises(
        InputError,
        match=r"^2 results fit, say which: memory/mine/gleu \(refs:sample\), memory/mine/gl",
    ):
        several.get(system="mine")
    with pytest.raises(
        InputError,
        match=r"^no result fits \(did you mean 'mine'\?\); there are memory/mine/gleu ",
    ):
        _ = several["mne"]
    with pytest.raises(InputError, match=r"^no result fits; there are "):
        several.get(metric="bleu")


def test_attributes_of_several_results_are_of_none(several: Evaluation) -> None:
    with pytest.raises(
        AttributeError,
        match=r"^there are 4 results, so \.score is of none; take one",
    ):
        _ = several.score
    with pytest.raises(
        AttributeError, match=r"^Evaluation has no attribute 'scoring'$"
    ):
        _ = several.scoring


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize(
    "name", [name for name in vars(Result) if not name.startswith("_")]
)
def test_attributes_of_the_only_result_are_those_of_the_evaluation(
    name: str,
) -> None:
    evaluation = evaluate(*hypotheses_first(make(81)), metrics=["gleu[iter=4]"])
    values, of_result = getattr(evaluation, name), getattr(evaluation[0], name)
    if not callable(values):
        np.testing.assert_equal(values, of_result)
    else:
        assert values.__self__ in (evaluation, evaluation[0])


def test_what_is_printed_names_system_metric_and_score(
    several: Evaluation,
) -> None:
    assert (
        repr(several[0])
        == f"<Result memory mine {several[0].score!r} {several[0].signature}>"
    )
    assert repr(several) == (
        "<Evaluation: memory/mine/gleu (refs:sample), memory/other/gleu (refs:sample), "
        "memory/mine/gleu (refs:max), memory/other/gleu (refs:max)>"
    )


def test_a_text_is_a_system_or_else_a_metric(several: Evaluation) -> None:
    alone = evaluate(
        GOOD["hypotheses"], GOOD["references"], metrics=["bleu", "chrf[nc=3]"]
    )
    assert alone["bleu"] is alone[0]
    assert (
        alone["chrf"]
        is alone["chrf[nc=3]"]
        is alone["chrf|nc:3"]
        is alone[alone[1].signature]
        is alone[1]
    )
    assert several.get(system="mine", metric="gleu[refs=max]") is several[2]
    # as the message lists it
    assert several.get(system="mine", metric="gleu (refs:max)") is several[2]
    with pytest.raises(
        InputError,
        match=r"^4 results fit, say which: memory/mine/gleu \(refs:sample\), .*; take one",
    ):
        _ = several["gleu"]
    with pytest.raises(
        InputError,
        match=r"^no result fits \(did you mean 'bleu'\?\); there are memory/system/bleu, ",
    ):
        _ = alone["blue"]


def test_a_system_that_is_called_as_a_metric_comes_first() -> None:
    results = evaluate(
        {"bleu": ["a b", "c"], "other": ["a", "c"]},
        GOOD["references"],
        metrics="bleu",
    )
    assert results["bleu"] is results[0]


def test_completion_shows_the_attributes_of_the_only_result(
    several: Evaluation,
) -> None:
    assert "sentences" not in dir(several)
    assert {"get", "score", "sentences"} <= set(dir(evaluate(**GOOD)))


@pytest.mark.usefixtures("silent", "kernel")
@pytest.mark.parametrize("n_jobs", [1, 2, "auto"])
def test_workers_change_nothing(n_jobs: Any) -> None:
    texts = make(82, items=300)
    one, many = (
        evaluate(*hypotheses_first(texts), metrics=["gleu[iter=4]"], n_jobs=n)
        for n in (1, n_jobs)
    )
    assert one.outputs == many.outputs
    assert {k: v.tolist() for k, v in one.columns.items()} == {
        k: v.tolist() for k, v in many.columns.items()
    }


# ---- wrong input

GOOD: dict[str, Any] = {
    "hypotheses": ["a b", "c"],
    "references": [["a", "b"]],
    "sources": ["x", "y"],
}
FLAT = "references: expected a list of texts, or several of them in a list: one for each annotator"
NO_STRINGS = "expected a list of strings"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"hypotheses": "a b"}, f"hypotheses: {NO_STRINGS}"),
        ({"hypotheses": ["a", None]}, f"hypotheses: {NO_STRINGS}"),
        ({"hypotheses": [b"a", b"b"]}, f"hypotheses: {NO_STRINGS}"),
        ({"hypotheses": None}, f"hypotheses: {NO_STRINGS}"),
        # a set has no order
        ({"hypotheses": {"a b", "c"}}, f"hypotheses: {NO_STRINGS}"),
        # can be read once only
        ({"hypotheses": iter(["a b", "c"])}, f"hypotheses: {NO_STRINGS}"),
        ({"sources": {"x": "y", "z": "w"}}, f"sources: {NO_STRINGS}"),
        ({"sources": [["x"], ["y"]]}, f"sources: {NO_STRINGS}"),
        ({"references": "ab"}, FLAT),
        ({"references": ["a", ["b"]]}, FLAT),
        (
            {"references": ["a"]},
            "the texts have different numbers of lines; line 2 has no partner in some:",
        ),
        (
            {"references": ["a", None]},
            "references, item 2: no annotator has a reference",
        ),
        ({"references": {"one": ["a", "b"]}}, FLAT),
        ({"references": [["a", 2]]}, f"references[0]: {NO_STRINGS}"),
        ({"references": None}, "gleu needs references, "),
        ({"sources": None}, "gleu needs "),
        ({"hypotheses": {}}, "hypotheses: there is no system"),
        (
            {"references": []},
            "references: at least one reference set is needed",
        ),
        (
            {"hypotheses": [], "references": [[]], "sources": []},
            "sources: has no lines; nothing can be scored",
        ),
        (
            {"metrics": "glue"},
            "metrics: [0]: no metric is called 'glue' (did you mean 'gleu'?); known: gleu",
        ),
        ({"metrics": [None]}, "metrics: [0]: expected a metric"),
        ({"metrics": ["gleu", "gleu[orders=3]"]}, "metrics: [1]"),
        (
            {
                "metrics": [
                    {"name": "gleu", "level": "mean", "references": "sample"}
                ]
            },
            "metrics: [0]",
        ),
    ],
)
def test_wrong_input_is_refused_with_a_message(
    wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}"):
        evaluate(**GOOD | wrong)


def test_one_metric_or_one_reference_set_needs_no_list() -> None:
    expected = evaluate(**GOOD | {"metrics": ["gleu[refs=max]"]})
    for metric in (
        "gleu[refs=max]",
        {"name": "gleu", "refs": "max"},
        from_text("gleu[refs=max]"),
    ):
        assert (
            evaluate(**GOOD | {"metrics": metric}).signature
            == expected.signature
        )
    for texts in (["a", "b"], ("a", "b"), np.array(["a", "b"])):
        assert (
            evaluate(
                **GOOD | {"metrics": "gleu[refs=max]", "references": texts}
            ).outputs
            == expected.outputs
        )
    sets = np.array([["a", "b"], ["a c", "b"]])
    two = evaluate(
        **GOOD
        | {"metrics": "bleu", "references": sets, "references_by": "annotator"}
    )
    assert two.signature.split("|")[-2] == "nrefs:2"


def test_no_metric_at_all_is_refused() -> None:
    """Nothing would be scored, and nothing be said of it."""
    with pytest.raises(InputError, match="metrics"):
        evaluate(**GOOD, metrics=[])


@pytest.mark.parametrize("n_jobs", [0, "all"])
def test_numbers_of_workers_that_are_none_are_refused(n_jobs: Any) -> None:
    """As on the command line and in a config: a whole number from 1, or auto."""
    with pytest.raises(InputError, match="n_jobs"):
        evaluate(**GOOD, n_jobs=n_jobs)


def test_unequal_lengths_are_told_with_all_counts() -> None:
    with pytest.raises(InputError) as reported:
        evaluate(
            **GOOD
            | {"references": [["a", "b"], ["a"]], "references_by": "annotator"}
        )
    first, *counts = str(reported.value).splitlines()
    assert (
        first
        == "the texts have different numbers of lines; line 2 has no partner in some:"
    )
    assert dict(line.split()[::-2] for line in counts) == {
        "sources": "2",
        "references[0]": "2",
        "references[1]": "1",
        "hypotheses": "2",
    }


@pytest.mark.parametrize("name", ["hypotheses", "references", "sources"])
def test_half_a_surrogate_pair_is_told_with_its_place(name: str) -> None:
    broken = ["fine", "a \ud83d b"]
    arguments = GOOD | {name: [broken] if name == "references" else broken}
    position = "references[0]" if name == "references" else name
    with pytest.raises(CorpusError) as reported:
        evaluate(**arguments)
    assert (
        str(reported.value)
        == f"{position}, item 2: character 3 is half of a surrogate pair, which is no text"
    )


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize("references", [255, 257, 300])
@pytest.mark.parametrize("sampler", ["python2", "python3"])
def test_many_references_are_drawn_rightly_or_refused(
    references: int, sampler: str
) -> None:
    """Files have at most 255; here every reference matches differently, so that a wrong draw is
    seen.
    """
    rng = random.Random(references)
    sets = [
        [" ".join(rng.choices("abcdef", k=8)) for _ in range(4)]
        for _ in range(references)
    ]
    sources, hypotheses = (
        ["a b x d"] * 4,
        ["a b c d e f", "a a b c", "f e d", "c"],
    )
    try:
        found = evaluate(
            hypotheses,
            sets,
            sources,
            metrics=[f"gleu[n=1,iter=300,rng={sampler}]"],
        ).score
    except InputError as error:
        found, reported = None, str(error)
    if found is None:
        assert references > 255
        assert f"{references} references" in reported
    else:
        assert found == near(
            naive.gleu_sampled(
                sources, sets, hypotheses, 1, 300, sampler=sampler
            )[0]
        )


# ---- warnings


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"hypotheses": ["a", "b"]},
            "memory: system system is the same text as reference 1",
        ),
        (
            {
                "references": [["a", "b"], ["", "b"]],
                "references_by": "annotator",
            },
            "memory: reference 2 (references[1]) has an empty line, 1: it counts as a sentence of length 0",
        ),
    ],
)
def test_what_is_probably_not_meant_is_a_warning(
    changed: dict[str, Any], message: str
) -> None:
    with pytest.warns(UserWarning) as caught:  # noqa: PT030 (the messages are compared below)
        evaluation = evaluate(**GOOD | changed)
    assert [message in str(warning.message) for warning in caught] == [True]
    assert list(evaluation.warnings) == [
        str(warning.message) for warning in caught
    ]
    assert caught[0].filename == __file__


def test_ordinary_texts_give_no_warning() -> None:
    """Warnings are errors in these tests; half of the lines empty is not over half."""
    assert evaluate(**GOOD).warnings == ()
    assert evaluate(**GOOD | {"hypotheses": ["", "c"]}).warnings == ()


# ---- pandas


def test_without_pandas_the_message_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    evaluation = evaluate(**GOOD)
    monkeypatch.setitem(sys.modules, "pandas", None)
    for give in (evaluation.to_pandas, evaluation[0].to_pandas):
        with pytest.raises(
            InputError,
            match=r"^to_pandas\(\) needs pandas: pip install 'gec-pipeline\[pandas\]'$",
        ):
            give()


def test_a_data_frame_of_a_result_has_a_row_for_each_sentence() -> None:
    pytest.importorskip("pandas")
    result = evaluate(**GOOD)[0]
    frame = result.to_pandas()
    assert frame.columns.tolist() == ["score", *result.columns]
    assert frame["score"].tolist() == result.sentences.tolist()
    assert frame["match_1@0"].tolist() == [1, 0]
    few = result.to_pandas(columns="scores")
    assert few.columns.tolist() == ["score", "std", "low", "high"]
    assert few["score"].tolist() == result.sentences.tolist()
    with pytest.raises(
        InputError,
        match=r"^to_pandas: expected one of scores, outputs, all, found 'score'$",
    ):
        result.to_pandas(columns="score")  # type: ignore[arg-type]


def test_a_data_frame_of_an_evaluation_has_a_row_for_each_result(
    several: Evaluation,
) -> None:
    pytest.importorskip("pandas")
    few = ["dataset", "system", "metric", "score", "rank"]
    assert several.to_pandas().columns.tolist() == few
    frame = several.to_pandas("all")
    assert frame.columns.tolist() == [*few, *several[0].outputs]
    assert frame["score"].tolist() == frame["gleu"].tolist()
    for name, value in (
        ("system", "system"),
        ("metric", "signature"),
        ("rank", "rank"),
        ("gleu", "score"),
    ):
        assert frame[name].tolist() == [
            getattr(result, value) for result in several
        ]


# ---- runs on disk

RUN_METRICS = [
    "gleu[iter=6]",
    "gleu[refs=max,n=2]",
    "gleu[level=mean,smoothing=ones]",
    "gleu[unit=char,strip=true,iter=6]",
]


def in_memory(folder: Path) -> Evaluation:
    """Return what evaluate gives for the files of a run."""
    source, ref0, ref1, a, b = (
        naive.read_lines(folder / "d" / name)
        for name in ("source", "ref0", "ref1", "A", "B")
    )
    return evaluate({"A": a, "B": b}, [ref0, ref1], source, metrics=RUN_METRICS)


def shown(results: Evaluation) -> list[Any]:
    """Return all that a result gives, but for the name of its data set."""
    return [
        {
            "system": result.system,
            "signature": result.signature,
            "outputs": result.outputs,
            "samples": repr(result.samples),
            "rank": result.rank,
            "spread": {
                name: repr(values.tolist())
                for name, values in result.sentence_spread().items()
            },
            "columns": {
                name: column.tolist() for name, column in result.columns.items()
            },
        }
        for result in results
    ]


@pytest.mark.usefixtures("kernel", "silent")
def test_run_and_load_give_what_evaluate_gives(tmp_path: Path) -> None:
    config = write_run(tmp_path, lines=30, chosen=RUN_METRICS)
    results = pipeline.run(config, tmp_path / "run")
    expected = in_memory(tmp_path)
    assert len(results) == 8
    assert {result.dataset for result in results} == {"d"}
    assert shown(results) == shown(expected)
    assert shown(pipeline.load(tmp_path / "run")) == shown(expected)
    assert shown(pipeline.load(str(tmp_path / "run"))) == shown(expected)


@pytest.mark.usefixtures("silent")
def test_run_goes_into_the_directory_of_the_config(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    config = write_run(tmp_path / "in", lines=5, output={"dir": "made/here"})
    assert shown(pipeline.run(str(config), n_jobs=2)) == shown(
        pipeline.load("made/here")
    )


def test_warnings_of_a_run_are_kept(tmp_path: Path) -> None:
    config = write_run(tmp_path, lines=6)
    (tmp_path / "d/A").write_bytes((tmp_path / "d/source").read_bytes())
    (tmp_path / "d/ref0").write_bytes((tmp_path / "d/source").read_bytes())
    results = pipeline.run(config, tmp_path / "run")
    assert (
        "d: reference 1 (ref0) is the same text as the source"
        in results.warnings
    )
    assert "d: system A is the same text as reference 1" in results.warnings
    assert pipeline.load(tmp_path / "run").warnings == results.warnings


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=re.escape(str(tmp_path))):
        pipeline.load(tmp_path)


@pytest.mark.usefixtures("silent")
def test_results_without_their_columns_still_have_scores(
    tmp_path: Path,
) -> None:
    """Columns are read when they are asked for."""
    expected = pipeline.run(write_run(tmp_path, lines=6), tmp_path / "run")
    for path in (tmp_path / "run/statistics").rglob("*.columns"):
        path.unlink()
    results = pipeline.load(tmp_path / "run")
    assert [result.outputs for result in results] == [
        result.outputs for result in expected
    ]
    with pytest.raises(StoreError, match="cannot be read"):
        _ = results[0].columns


# ---- the original program


@pytest.fixture(scope="module")
def conll14(shared: Path) -> Texts:
    """INPUT, its two references, and the output AMU."""
    source, *references, output = (
        naive.read_lines(shared / "conll14" / n)
        for n in ("INPUT", "REF0", "REF1", "AMU")
    )
    return Texts(source, references, output)


@pytest.fixture(scope="module")
def debug_output(shared: Path) -> list[str]:
    """What the original program prints with -d for AMU (golden/README.md)."""
    return (
        (shared / "golden/gleu-2017.conll14.AMU.debug.txt")
        .read_text(encoding="ascii")
        .splitlines()
    )


@pytest.mark.usefixtures("silent")
def test_sentence_figures_equal_every_line_of_the_original_program(
    conll14: Texts, debug_output: list[str]
) -> None:
    expected = [
        line
        for line in debug_output
        if re.match(r"[0-9]+ [0-9.]+ [0-9.]+ \(", line)
    ]
    result = evaluate(
        *hypotheses_first(conll14),
        metrics=[{"name": "gleu", "level": "mean", "smoothing": "ones"}],
    )
    spread = result.sentence_spread()
    rows = zip(
        *(spread[name].tolist() for name in ("score", "std", "low", "high")),
        strict=True,
    )
    found = [
        f"{i} {mean:.6f} {std:.6f} ({low:.3f},{high:.3f})"
        for i, (mean, std, low, high) in enumerate(rows)
    ]
    assert len(expected) == 1312
    assert found == expected


@pytest.mark.usefixtures("silent")
def test_corpus_figures_equal_those_of_the_original_program(
    conll14: Texts, debug_output: list[str]
) -> None:
    result = evaluate(*hypotheses_first(conll14))
    low, high = result.samples.interval
    assert (
        f"{result.score:.6f} {result.samples.std:.6f} ({low:.3f},{high:.3f})"
        == debug_output[-1]
    )


@pytest.mark.usefixtures("silent")
def test_characters_without_blanks_at_the_ends_on_conll14(
    conll14: Texts,
) -> None:
    """Origin: the specification (order 6, 1000 iterations, stripped): AMU 83.0603."""
    result = evaluate(
        *hypotheses_first(conll14),
        metrics=["gleu[unit=char,n=6,iter=1000,strip=true]"],
    )
    assert f"{100 * result.score:.4f}" == "83.0603"


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_empty_reference_beside_none_is_a_sentence_of_length_0(
    n_jobs: int,
) -> None:
    # sacreBLEU takes "" for a reference of no words and None for none
    outputs = ["a b c d", "e f", "", "k l"] * 30
    references: list[list[str | None]] = [
        ["a b c d", "e f g", None, ""] * 30,
        [None, "", " ", "k l m"] * 30,
    ]
    sets: Any = references
    kinds: dict[str, Any] = {
        "bleu[tok=none]": sacrebleu.BLEU(tokenize="none", force=True),
        "chrf": sacrebleu.CHRF(),
        "ter": sacrebleu.TER(),
    }
    with pytest.warns(
        UserWarning, match="each counts as a sentence of length 0"
    ) as warned:
        found = pipeline.evaluate(
            outputs, references, None, list(kinds), n_jobs=n_jobs
        )
    for result, oracle in zip(found, kinds.values(), strict=True):
        assert 100 * result.score == pytest.approx(
            oracle.corpus_score(outputs, sets).score, rel=1e-12
        )
    empty = [
        str(item.message) for item in warned if "length 0" in str(item.message)
    ]
    assert empty == [
        f"memory: reference {number + 1} (references[{number}]) has {lines}: each counts as a sentence of length 0"
        for number, lines in enumerate(
            [
                "30 empty lines, the first is line 4",
                "60 empty lines, the first is line 2",
            ]
        )
    ]
