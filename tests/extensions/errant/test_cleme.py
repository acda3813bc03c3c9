"""CLEME, against the printed numbers of the authors' program, and against a naive implementation on
random edits.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pipeline
from pipeline.arrays import Ints
from pipeline.errors import InputError
from pipeline.extensions.edits import annotators as annotator_choice
from pipeline.extensions.edits.annotators import SequentialAnnotatorChoice
from pipeline.extensions.edits.records import record_of
from pipeline.extensions.errant.errant_report import preference
from pipeline.kernel.common import join_lines
from pipeline.metrics.base.metric import Metric
from pipeline.metrics.base.statistics_spec import Text
from pipeline.metrics.build import from_text
from pipeline.scoring.sentences import reduce
from tests.conftest import run
from tests.oracles import naive_cleme as naive
from tests.support.metrics import system_counts, values_of
from tests.support.numbers import very_near
from tests.support.words import wordlist

Files = tuple[Path, dict[str, Path]]
"""Gold, and the output of each system."""
Printed = dict[str, dict[str, float]]
NAMES = {"F": "cleme", "Acc": "accuracy", "P": "precision", "R": "recall"}
ASKED = [*product(("corpus", "mean"), ("dependent", "independent"))]
EMPTY_OUTPUT = "POST"
"""This system has an empty output, in sentence 24. The authors' program drops it, and takes the
first reference for the output. So all that is printed for this system is of another output than the
file has."""


def printed(shared: Path, level: str, assumption: str) -> Printed:
    """Return what the authors' program prints, by system: golden/cleme-v1, made with THUKElab/CLEME
    at 5fc7617.
    """
    name = f"{'sentence' if level == 'mean' else 'corpus'}-{assumption}.txt"
    text = (shared / "edits" / "golden" / "cleme-v1" / name).read_text(
        encoding="utf-8"
    )
    lines = (
        line.partition(" ")
        for line in re.sub(r"np\.float64\(([^)]*)\)", r"\1", text).splitlines()
    )
    return {system: ast.literal_eval(values) for system, _, values in lines}


def scores(
    folder: Path, gold: Path, systems: dict[str, Path], *metrics: str
) -> dict[tuple[str, str], dict[str, float]]:
    """Return the outputs of a run, by metric and system."""
    named = ", ".join(
        f"{name}: {{m2: {path}}}" for name, path in systems.items()
    )
    config = folder / "c.yaml"
    quoted = ", ".join(f"'{metric}'" for metric in metrics)
    config.write_text(
        f"datasets: {{c: {{gold: {gold}}}}}\nsystems: {{{named}}}\nmetrics: [{quoted}]\n",
        "utf-8",
    )
    found = run(config, folder / "run").scores
    order = list(dict.fromkeys(score.metric for score in found))
    return {
        (metrics[order.index(score.metric)], score.system): score.outputs
        for score in found
    }


def same_as_printed(
    outputs: dict[str, float], expected: dict[str, float]
) -> bool:
    """Return whether all numbers are those that are printed: rates with 4 decimals, sums with 2."""
    compared = {
        name: value for name, value in expected.items() if name != "num_sample"
    }
    return all(
        round(outputs[NAMES.get(name, name)], 4 if name in NAMES else 2)
        == value
        for name, value in compared.items()
    )


@pytest.mark.parametrize(("level", "assumption"), ASKED)
def test_printed_numbers_of_the_authors(
    shared: Path, tmp_path: Path, level: str, assumption: str
) -> None:
    expected = printed(shared, level, assumption)
    assert len(expected) == 4
    m2 = shared / "edits" / "m2"
    metric = f"cleme[level={level},assumption={assumption}]"
    systems = {name: m2 / f"conll14-{name}.errant" for name in expected}
    found = scores(tmp_path, m2 / "conll14.errant", systems, metric)
    same = {
        name
        for name in expected
        if same_as_printed(found[metric, name], expected[name])
    }
    assert same == expected.keys() - {EMPTY_OUTPUT}


@pytest.mark.parametrize(("level", "assumption"), ASKED)
def test_the_numbers_that_differ_are_those_of_a_reference_in_place_of_the_empty_output(
    shared: Path, tmp_path: Path, level: str, assumption: str
) -> None:
    """In sentence 24 the first reference becomes the output here, as in the authors' program."""
    m2 = shared / "edits" / "m2"
    gold, output = (
        (m2 / name).read_text("utf-8").split("\n\n")
        for name in ("conll14.errant", "conll14-POST.errant")
    )
    sentence, *edits = gold[23].splitlines()
    item = output[23].splitlines()
    assert sentence == item[0] == 'S "'
    assert [line.rpartition("|||")[0] for line in item[1:]] == [
        "A 0 1|||U:PUNCT||||||REQUIRED|||-NONE-"
    ]
    first, second = (
        [line for line in edits if line.endswith(f"|||{number}")]
        for number in (0, 1)
    )
    output[23] = "\n".join([sentence, *first])
    gold[23] = "\n".join([sentence, *second])
    paths = []
    for name, blocks in (("gold", gold), ("output", output)):
        paths.append(tmp_path / name)
        paths[-1].write_text("\n\n".join(blocks), "utf-8")
    metric = f"cleme[level={level},assumption={assumption}]"
    found = scores(tmp_path, paths[0], {"POST": paths[1]}, metric)
    assert same_as_printed(
        found[metric, "POST"], printed(shared, level, assumption)["POST"]
    )


# --- against the naive implementation

WORDS = ["a", "b", "c"]
EMPTY = "-NONE-"
NOOP = (-1, -1, EMPTY)


@st.composite
def edits(draw: st.DrawFn, source: list[str]) -> list[naive.Edit]:
    """Edits that do not overlap, in any order. They may touch, insert at borders, or leave the
    words as they are.
    """
    if draw(st.integers(0, 9)) == 0:
        return [(0, len(source), EMPTY)] if source else [NOOP]
    found: list[naive.Edit] = []
    at = 0
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(at, len(source)))
        at = draw(st.integers(start, min(start + 3, len(source))))
        same = " ".join(source[start:at])
        words = draw(
            st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
            | st.just(same)
        )
        found.append((start, at, words or EMPTY))
    if len({start for start, _, _ in found}) == len(found):
        found = draw(st.permutations(found))
    return found or [NOOP]


@st.composite
def sentences(draw: st.DrawFn) -> list[naive.Sentence]:
    """Sentences with two or three references, and an output that often has the edits of one of
    them.
    """
    references = draw(st.integers(1, 3))
    result = []
    for _ in range(draw(st.integers(1, 6))):
        source = draw(st.lists(st.sampled_from(WORDS), max_size=7))
        gold = [draw(edits(source)) for _ in range(references)]
        item = draw(st.sampled_from(gold) | edits(source))
        result.append(naive.Sentence(source, item, gold))
    return result


def line_of(edit: naive.Edit, annotator: int) -> str:
    kind = "noop" if edit == NOOP else "R:OTHER"
    return f"A {edit[0]} {edit[1]}|||{kind}|||{edit[2]}|||REQUIRED|||-NONE-|||{annotator}"


def text_of(corpus: list[naive.Sentence]) -> Text:
    """Return the records of edits as workers get them."""
    gold = [
        join_lines(
            record_of(
                number,
                number,
                0,
                [line_of(edit, number) for edit in sentence.references[number]],
            )
            for sentence in corpus
        )
        for number in range(len(corpus[0].references))
    ]
    source = join_lines(
        " ".join(sentence.source).encode() for sentence in corpus
    )
    outputs = join_lines(
        "\n".join(line_of(edit, 0) for edit in sentence.output).encode()
        for sentence in corpus
    )
    return Text(source, gold, [outputs])


@dataclass
class Blocks:
    """Counts in blocks of a certain number of lines."""

    columns: dict[str, Ints]
    size: int

    def blocks(self) -> Iterator[dict[str, Ints]]:
        lines = len(self.columns["tn"])
        for low in range(0, lines, self.size):
            yield {
                name: array[low : low + self.size]
                for name, array in self.columns.items()
            }


def outputs_of(
    metric: Metric, corpus: list[naive.Sentence], size: int
) -> dict[str, float]:
    text = text_of(corpus)
    counted = Blocks(metric.spec.count(text)[0], size)
    return reduce(
        system_counts(metric, [counted], len(corpus), len(text.references))
    )[0].outputs


@given(sentences(), st.integers(1, 4), st.data())
def test_random_edits(
    corpus: list[naive.Sentence], size: int, data: st.DataObject
) -> None:
    level, assumption = data.draw(st.sampled_from(ASKED))
    version = data.draw(st.sampled_from(["1", "2"]))
    metric = f"cleme[level={level},assumption={assumption},version={version}"
    more: dict[str, Any] = {}
    if version == "1":
        weights = data.draw(st.sampled_from(["corpus", "sentence", "none"]))
        beta = data.draw(st.sampled_from(["0.5", "1", "2"]))
        more = {"weights": weights, "beta": float(beta)}
        metric += f",weights={weights},beta={beta}"
    expected = naive.cleme(
        corpus, level=level, assumption=assumption, version=version, **more
    )
    found = outputs_of(from_text(f"{metric}]"), corpus, size)
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name] == very_near(value), name
    assert outputs_of(from_text(f"{metric}]"), corpus, len(corpus)) == found


# --- by hand, and around the metric

GOLD = """\
S a b c d
A 0 1|||R:X|||x|||REQUIRED|||-NONE-|||0
A 0 1|||R:X|||y|||REQUIRED|||-NONE-|||1
A 4 4|||M:X|||e|||REQUIRED|||-NONE-|||1

S a b
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 0 2|||U:X|||-NONE-|||REQUIRED|||-NONE-|||1
"""
OUTPUT = """\
S a b c d
A 0 1|||R:X|||y|||REQUIRED|||-NONE-|||0
A 2 3|||R:X|||z z|||REQUIRED|||-NONE-|||0

S a b
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
"""


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """The references and the output above."""
    (tmp_path / "gold.m2").write_text(GOLD, "utf-8")
    (tmp_path / "own.m2").write_text(OUTPUT, "utf-8")
    return tmp_path / "gold.m2", {"A": tmp_path / "own.m2"}


def test_counts_by_hand(files: Files, tmp_path: Path) -> None:
    """The pieces of sentence 1 are a, b, c, d and the place behind it; in sentence 2 the empty
    reference is dropped.

    Reference 1 has y and e: tp y, fp z z, fn e, and b and d are left. With reference 0 there is no
    tp. Independently of each other the references do not ask for e, since one of them leaves that
    place."""
    names = ["dependent", "independent"]
    requested = [
        f"cleme[weights=none,assumption={name},version={version}]"
        for name, version in product(names, "12")
    ]
    requested = [
        text.replace("weights=none,", "") if "version=2" in text else text
        for text in requested
    ]
    found = [
        outputs for _, outputs in scores(tmp_path, *files, *requested).items()
    ]
    assert [values_of(item, "tp fn tn") for item in found] == [
        [1, 1, 3]
    ] * 2 + [[1, 0, 4]] * 2
    assert [found[number]["fp"] for number in (0, 2)] == [1, 1]
    assert [(found[n]["fp_ne"], found[n]["fp_un"]) for n in (1, 3)] == [
        (0, 1)
    ] * 2
    assert found[0]["cleme"] == pytest.approx(0.5)
    # 0.45 * 1/2 + 0.35 * 1 + 0.15 * 1/2 + 0.05 * 1/2
    assert found[1]["cleme"] == pytest.approx(0.675, rel=1e-12)


def test_weights_are_by_the_mean_of_the_whole_data_set(
    files: Files, tmp_path: Path
) -> None:
    """The references change three pieces, each of length 1, so b is 1; z z has length 2, and e,
    which is left out, 0.

    A hit of length b has the weight alpha / alpha = 1, and 0 and 2 are beyond the bounds of
    `corpus`."""
    found = scores(tmp_path, *files, "cleme")["cleme", "A"]
    assert [found[name] for name in wordlist("tp fp fn tn")] == [
        1,
        0.75,
        0.75,
        3,
    ]


@pytest.mark.parametrize(
    "text",
    wordlist("cleme cleme[assumption=independent] cleme[level=mean] CLEME2.0"),
)
def test_sentence_scores_are_with_the_mean_of_the_whole_data_set(
    files: Files,
    tmp_path: Path,
    text: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As in the naive implementation, which has the mean from all sentences, while blocks have one.

    A third sentence is added, of which the references change much.
    """
    monkeypatch.setattr("pipeline.execution.store.counts.BLOCK_LINES", 1)
    much = "q q q q q q q"
    more = [line_of((0, 2, much), annotator) for annotator in (0, 1)]
    for path, lines in ((files[0], more), (files[1]["A"], [line_of(NOOP, 0)])):
        path.write_text(
            "\n".join([path.read_text("utf-8"), "S a b", *lines, ""]), "utf-8"
        )
    gold = (
        [[(0, 1, "x")], [(0, 1, "y"), (4, 4, "e")]],
        [[NOOP], [(0, 2, EMPTY)]],
        [[(0, 2, much)]] * 2,
    )
    item = [(0, 1, "y"), (2, 3, "z z")], [NOOP], [NOOP]
    sources = ("a b c d", "a b", "a b")
    corpus = [
        naive.Sentence(s.split(), o, g)
        for s, o, g in zip(sources, item, gold, strict=True)
    ]
    metric = from_text(text)
    weights = (
        "none"
        if text == "CLEME2.0"
        else "sentence"
        if "mean" in text
        else "corpus"
    )
    assumption = "independent" if "independent" in text else "dependent"
    mean = naive.mean_length(corpus)

    def best(counts: list[naive.Counts]) -> float:
        if text == "CLEME2.0":
            return max(naive.rates(c, "corpus")[0] for c in counts)
        return max(round(naive.prf(c, 0.5)[0], 4) for c in counts)

    expected = [
        best(naive.counts(sentence, mean, weights, assumption))
        for sentence in corpus
    ]
    scores(tmp_path, *files, text)
    result = pipeline.load(tmp_path / "run")[0]
    assert result.sentences.tolist() == pytest.approx(expected, rel=1e-12)
    assert result.measure == metric


@pytest.mark.parametrize(
    ("second", "chosen"),
    [
        # F is a little lower, and the same with 4 decimals: more tp
        ([(0, 0, 0, 0), (1, 1, 5, 0)], 1),
        ([(1, 9, 0, 0), (1, 1, 5, 0)], 1),  # fewer fp
        ([(1, 1, 5, 0), (1, 1, 4, 0)], 1),  # fewer fn
        ([(1, 1, 5, 0), (1, 1, 5, 1)], 1),  # more tn
        ([(1, 1, 5, 1), (1, 1, 5, 1)], 0),  # the first
        # F is lower in the third decimal
        ([(9, 0, 0, 0), (10, 0, 9000, 9)], 0),
    ],
)
def test_ties_of_references_with_totals(
    second: list[tuple[int, int, int, int]], chosen: int
) -> None:
    """After a sentence with 1,000,000 tp, fp and fn, of which F is 0.5; the counts are tp, fp, fn
    and tn.
    """
    table = np.array([[(10**6, 10**6, 10**6, 0)] * 2, second])
    columns = {
        name: table[..., position]
        for position, name in enumerate(("tp", "fp_un", "fn", "tn"))
    }
    columns = {
        name: values if name == "tn" else values[..., None]
        for name, values in columns.items()
    }
    columns |= {
        "fp_ne": 0 * columns["tp"],
        "order": np.array([[0, 1]] * 2),
        "ref_len": np.ones((2, 2), np.int64),
    }
    columns |= dict.fromkeys(
        ("changed_words", "changed_pieces", "annotators"), np.ones(2, np.int64)
    )
    assert from_text("cleme[weights=none]").chooser()(columns).tolist() == [
        0,
        chosen,
    ]


def test_only_the_first_annotator_of_an_output_counts_and_this_is_said(
    files: Files, tmp_path: Path
) -> None:
    gold, systems = files
    before = scores(tmp_path, gold, systems, "cleme", "CLEME-independent")
    second = "A 1 2|||R:X|||q|||REQUIRED|||-NONE-|||1\n"
    (tmp_path / "two.m2").write_text(
        OUTPUT.replace("\n\nS a b", f"\n{second}\nS a b"), "utf-8"
    )
    config = tmp_path / "two.yaml"
    text = f"datasets: {{c: {{gold: {gold}}}}}\nsystems: {{A: {{m2: {tmp_path}/two.m2}}}}\n"
    config.write_text(f"{text}metrics: [cleme, CLEME-independent]\n", "utf-8")
    results = run(config, tmp_path / "second")
    assert [score.outputs for score in results.scores] == list(before.values())
    message = [
        text for text in results.warnings if "several annotators" in text
    ]
    assert len(message) == 1
    assert "line 1 " in message[0]
    assert "CLEME takes the first" in message[0]


def test_a_reference_that_has_no_line_does_not_take_part(
    files: Files, tmp_path: Path
) -> None:
    """Without annotator 0 in sentence 1, reference 1 is the only one there, also for independent
    references.
    """
    gold, systems = files
    gold.write_text(
        GOLD.replace("A 0 1|||R:X|||x|||REQUIRED|||-NONE-|||0\n", ""), "utf-8"
    )
    found = scores(
        tmp_path,
        gold,
        systems,
        "cleme[weights=none]",
        "cleme[weights=none,assumption=independent]",
    )
    assert [values_of(item, "tp fp fn tn") for item in found.values()] == [
        [1, 1, 1, 3]
    ] * 2


def test_weights_for_corpora_are_refused_where_lengths_are_cut(
    tmp_path: Path,
) -> None:
    """References that change 16 words on average; the weights of longer pieces would not be right."""
    sentence = " ".join("abcdefghijklmnop")
    total = f"S {sentence}\nA 0 16|||R:X|||x|||REQUIRED|||-NONE-|||0\n"
    (tmp_path / "gold.m2").write_text(total, "utf-8")
    with pytest.raises(
        InputError,
        match=r"16\.0 words long on average.*at most 15; write weights: none",
    ):
        scores(
            tmp_path, tmp_path / "gold.m2", {"A": tmp_path / "gold.m2"}, "cleme"
        )
    found = scores(
        tmp_path,
        tmp_path / "gold.m2",
        {"A": tmp_path / "gold.m2"},
        "cleme[weights=none]",
    )
    assert found["cleme[weights=none]", "A"]["cleme"] == 1


@pytest.mark.parametrize(
    ("size", "refused"), [(20, False), (47, False), (48, True), (60, True)]
)
def test_weights_for_sentences_are_refused_where_they_would_not_be_exact(
    tmp_path: Path, size: int, refused: bool
) -> None:
    """A mean above 18 is exact as long as no piece has 48 words: longer ones are counted as of 48."""
    sentence = " ".join(f"w{number}" for number in range(size))
    gold = tmp_path / "gold.m2"
    gold.write_text(
        f"S {sentence}\nA 0 {size}|||R:X|||x|||REQUIRED|||-NONE-|||0\n", "utf-8"
    )
    if refused:
        with pytest.raises(
            InputError,
            match=rf"{size}\.0 words long on average.*48 words and more.*at most 18",
        ):
            scores(tmp_path, gold, {"A": gold}, "SentCLEME")
    else:
        assert (
            scores(tmp_path, gold, {"A": gold}, "SentCLEME")["SentCLEME", "A"][
                "cleme"
            ]
            == 1
        )


# The choice of annotators by guesses is the choice that is made one by one, for each metric that
# can guess.


METRICS = wordlist(
    "errant errant[beta=0] errant[beta=1] errant[beta=2.3] m2 m2[beta=0] m2[beta=1.7]"
)


def choice_of(text: str, running: bool) -> SequentialAnnotatorChoice:
    metric: Any = from_text(text)
    return SequentialAnnotatorChoice(
        metric._keys, ("a", "b", "c"), running=running
    )


def one_by_one(
    text: str, running: bool, blocks: list[dict[str, Ints]]
) -> tuple[list[list[int]], list[int]]:
    """Return the choices of each block without guesses, and the totals at the end."""
    metric: Any = from_text(text)
    key = (
        metric.key
        if metric.name == "m2"
        else partial(preference, beta=float(metric.beta))
    )
    totals = [0, 0, 0]
    chosen = list[list[int]]()
    for block in blocks:
        every = np.stack([block[name] for name in "abc"], axis=-1)
        chosen.append([])
        for counts, order in zip(
            every.tolist(), block["order"].tolist(), strict=True
        ):
            known = tuple(totals) if running else (0, 0, 0)
            annotators = sorted(range(len(counts)), key=order.__getitem__)
            best = max(
                annotators,
                key=lambda annotator: key(known, tuple(counts[annotator])),
            )
            chosen[-1].append(best)
            totals = [*map(add, totals, counts[best])]
    return chosen, totals


def columns_of(
    rows: list[list[tuple[int, int, int]]], generator: np.random.Generator
) -> dict[str, Ints]:
    counts = np.array(rows, np.int64)
    orders = np.array(
        [generator.permutation(counts.shape[1]) for _ in rows], np.int64
    )
    return {
        "a": counts[..., 0],
        "b": counts[..., 1],
        "c": counts[..., 2],
        "order": orders,
    }


@st.composite
def tables(draw: st.DrawFn) -> list[list[tuple[int, int, int]]]:
    annotators = draw(st.integers(1, 4))
    most = draw(st.sampled_from([1, 2, 6, 10**6]))
    count = st.integers(0, most)
    line = st.lists(
        st.tuples(count, count, count), min_size=annotators, max_size=annotators
    )
    return draw(st.lists(line, min_size=1, max_size=40))


@pytest.mark.parametrize("running", [True, False])
@pytest.mark.parametrize("part", [1, 3, 2048])
@settings(max_examples=60, deadline=None)
@given(
    table=tables(),
    name=st.sampled_from(METRICS),
    cut=st.integers(0, 40),
    seed=st.integers(0, 99),
)
def test_guesses_end_in_the_choice_that_is_made_one_by_one(
    running: bool,
    part: int,
    table: list[list[tuple[int, int, int]]],
    name: str,
    cut: int,
    seed: int,
) -> None:
    columns = columns_of(table, np.random.default_rng(seed))
    blocks = [
        {key: values[rows] for key, values in columns.items()}
        for rows in (slice(0, cut), slice(cut, None))
    ]
    # the totals are carried from block to block
    blocks = [block for block in blocks if len(block["order"])]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(annotator_choice, "SENTENCES_AT_ONCE", part)
        choose = choice_of(name, running)
        chosen = [choose(block).tolist() for block in blocks]
    assert (chosen, choose.totals.tolist()) == one_by_one(name, running, blocks)
