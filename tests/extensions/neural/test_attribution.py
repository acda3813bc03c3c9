"""Effects of edits: shares against all orders by a naive form, for games and for metrics, and what
`explain` prints.
"""

from __future__ import annotations

import math
import random
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Mapping
from itertools import chain, combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pipeline
from pipeline.data import Corpus
from pipeline.errors import InputError
from pipeline.extensions.edits.gold_beside_texts import corpus_with_gold
from pipeline.extensions.edits.m2_files import Edit
from pipeline.extensions.edits.view_names import EDITS, GOLD
from pipeline.extensions.neural.attribution import (
    EXACT,
    ORDERS,
    SEED,
    Attribution,
    applied,
    attributed,
    changes,
)
from pipeline.metrics.build import from_text, from_values
from tests.config_files import write
from tests.extensions.errant import stand_in
from tests.extensions.functions.plugin_page import folder, forgotten  # noqa: F401 (fixtures)
from tests.support.commands import Command
from tests.support.extensions import needs, with_extension
from tests.support.numbers import near
from tests.support.words import wordlist

SOURCE = "She go to the schools every days with he friend ."
OUTPUT = "She goes to school every day with her best friend ."
REFERENCES = [
    "She goes to school every day with her friend .",
    "She goes to the school each day with her friend .",
]
SPANS = [
    (1, 2, ["goes"]),
    (3, 5, ["school"]),
    (6, 7, ["day"]),
    (8, 9, ["her", "best"]),
]
"""What was replaced in SOURCE, read by hand: the alignment of words has these edits."""


def by_all_orders(
    size: int, score: Callable[[frozenset[int]], float]
) -> list[float]:
    """Return Shapley values as they are defined: the mean of what each player adds, over all orders
    of the players.
    """
    values: dict[frozenset[int], float] = {}

    def remaining(players: frozenset[int]) -> float:
        if players not in values:
            values[players] = score(players)
        return values[players]

    added = [0.0] * size
    for order in permutations(range(size)):
        for position, player in enumerate(order):
            added[player] += remaining(
                frozenset(order[: position + 1])
            ) - remaining(frozenset(order[:position]))
    return [value / math.factorial(size) for value in added]


def by_all_subsets(
    size: int, score: Callable[[frozenset[int]], float]
) -> list[float]:
    """Return Shapley values by the other definition: sums over the sets of other players, weighted
    by their size.
    """
    values = []
    for player in range(size):
        others = [other for other in range(size) if other != player]
        sets = [
            *map(
                frozenset,
                chain(*(combinations(others, count) for count in range(size))),
            )
        ]
        orders = [
            math.factorial(len(some)) * math.factorial(size - len(some) - 1)
            for some in sets
        ]
        terms = [
            n * (score(some | {player}) - score(some))
            for n, some in zip(orders, sets, strict=True)
        ]
        values.append(math.fsum(terms) / math.factorial(size))
    return values


def game(size: int, seed: int) -> dict[int, float]:
    """Return a score for each combination that is asked for."""
    needed = defaultdict[int, float](float)
    changes(size, needed)
    chance = random.Random(seed)
    return {generated: chance.uniform(-3, 5) for generated in sorted(needed)}


def shapley(size: int, worth: Mapping[int, float]) -> list[float]:
    return [share for _, _, share in changes(size, worth)]


def bits(players: frozenset[int]) -> int:
    return sum(1 << player for player in players)


# --- shares of games


@pytest.mark.parametrize(
    ("size", "oracle"),
    [
        *((size, by_all_orders) for size in range(7)),
        (5, by_all_subsets),
        (EXACT, by_all_subsets),
    ],
)
def test_shares_are_means_over_all_orders(
    size: int, oracle: Callable[..., list[float]]
) -> None:
    worth = game(size, size)
    assert sorted(worth) == list(range(1 << size))
    assert shapley(size, worth) == near(
        oracle(size, lambda players: worth[bits(players)])
    )


@pytest.mark.parametrize("size", [3, EXACT + 2])
def test_edits_alone_and_left_out(size: int) -> None:
    worth = game(size, 2)
    total = (1 << size) - 1
    assert [one[0] for one in changes(size, worth)] == [
        worth[1 << n] - worth[0] for n in range(size)
    ]
    assert [one[1] for one in changes(size, worth)] == [
        worth[total] - worth[total - (1 << n)] for n in range(size)
    ]


@pytest.mark.parametrize("size", [1, 5, EXACT, EXACT + 1, 25])
def test_shares_add_up_to_the_whole(size: int) -> None:
    worth = game(size, size)
    assert math.fsum(shapley(size, worth)) == near(
        worth[(1 << size) - 1] - worth[0]
    )


@pytest.mark.parametrize("size", [4, EXACT])
def test_an_edit_that_changes_nothing_has_no_share_and_equal_ones_have_equal_shares(
    size: int,
) -> None:
    """The axioms. Player 0 adds nothing to anybody, and players 1 and 2 stand for each other."""
    worth = game(size, 9)

    def alike(generated: int) -> int:
        generated &= ~1
        return (generated & ~6) | (
            2 if (generated >> 1 & 3) == 2 else generated & 6
        )

    worth = {generated: worth[alike(generated)] for generated in worth}
    shares = shapley(size, worth)
    assert shares[0] == near(0)
    assert shares[1] == near(shares[2])
    assert abs(shares[3]) > 1e-3


def test_more_edits_are_estimated_from_the_same_orders_each_time() -> None:
    """Where each edit adds its own number, every order says so; where not, the estimate is that of
    the drawn orders.
    """
    size = EXACT + 3
    chance = random.Random(SEED)
    half = [chance.sample(range(size), size) for _ in range(ORDERS // 2)]
    drawn = [*half, *(list(reversed(order)) for order in half)]
    assert len(set(map(tuple, drawn))) == ORDERS
    item = [0.5 * player - 2 for player in range(size)]
    added = {
        generated: sum(
            item[player] for player in range(size) if generated >> player & 1
        )
        for generated in game(size, 1)
    }
    assert shapley(size, added) == near(item)
    worth = game(size, 3)
    naive = [0.0] * size
    for order in drawn:
        for position, player in enumerate(order):
            before = bits(frozenset(order[:position]))
            with_it = bits(frozenset(order[: position + 1]))
            naive[player] += (worth[with_it] - worth[before]) / len(drawn)
    assert shapley(size, worth) == near(naive)
    assert len(worth) < ORDERS * size + 2 < 1 << size


# --- edits of texts


def replaced(chosen: frozenset[int]) -> str:
    """Return SOURCE with some of SPANS, from the last to the first, so that places stay."""
    words = SOURCE.split()
    for number in sorted(chosen, reverse=True):
        start, end, new = SPANS[number]
        words[start:end] = new
    return " ".join(words)


def test_the_oracle_makes_the_output() -> None:
    assert replaced(frozenset(range(4))) == OUTPUT


@pytest.mark.parametrize(
    ("source", "edits", "expected"),
    [
        ("a b c", [(1, 2, "x y")], "a x y c"),
        ("a b c", [(3, 3, "d"), (0, 0, "z")], "z a b c d"),
        ("  a  b\tc  ", [(1, 2, "")], "  a\tc  "),
        ("  a  b\tc  ", [(0, 1, "")], "  b\tc  "),
        ("a b c", [(0, 3, "")], ""),
        ("", [(0, 0, "a b")], "a b"),
        ("a b c", [(0, 2, "x"), (1, 3, "y")], "x c"),
        ("a b", [], "a b"),
    ],
)
def test_edits_leave_the_white_space_between_other_words(
    source: str, edits: list[tuple[int, int, str]], expected: str
) -> None:
    assert (
        applied(
            source, [Edit(start, end, "", new, 0) for start, end, new in edits]
        )
        == expected
    )


def of(
    metric: str | Any, output: str = OUTPUT, source: str = SOURCE, **texts: Any
) -> Attribution:
    references = texts.get(
        "references", [[reference] for reference in REFERENCES]
    )
    corpus = Corpus.in_memory({"A": [output]}, references, [source])
    (requested,) = from_values(metric)
    return attributed(requested, corpus, [("A", 0)])["A", 0]


@pytest.mark.parametrize(
    "metric",
    [
        "gleu",
        "gleu[refs=max]",
        "bleu",
        "chrf",
        *with_extension("nlg", "sari"),
        "ter",
        "rouge",
        "google_gleu",
        "green",
    ],
)
def test_effects_by_metrics_of_texts(metric: str) -> None:
    """The oracle scores each variant alone, through the door for pairs of texts."""

    def score(chosen: frozenset[int]) -> float:
        scored = pipeline.sentence_scores(
            metric, [replaced(chosen)], [[one] for one in REFERENCES], [SOURCE]
        )
        return float(scored[0])

    found = of(metric)
    total = frozenset(range(4))
    displayed = [
        (effect.start, effect.end, effect.correction.split())
        for effect in found.effects
    ]
    assert displayed == SPANS
    assert (found.source, found.output) == (score(frozenset()), score(total))
    assert [effect.share for effect in found.effects] == near(
        by_all_orders(4, score)
    )
    assert [effect.alone for effect in found.effects] == [
        score(frozenset({n})) - found.source for n in range(4)
    ]
    assert [effect.left_out for effect in found.effects] == [
        found.output - score(total - {n}) for n in range(4)
    ]
    assert len({round(effect.share, 9) for effect in found.effects}) > 1


def test_effects_by_a_metric_of_a_user() -> None:
    """The oracle is the function itself. Edits depend on each other, since it counts pairs of
    different words.
    """

    def pairs(
        sources: list[str],
        outputs: list[str],
        references: list[tuple[str, ...]],
    ) -> list[float]:
        assert len(sources) == len(outputs) == 16
        return [
            float(worth(output, item))
            for output, item in zip(outputs, references, strict=True)
        ]

    def worth(output: str, references: tuple[str, ...]) -> float:
        found = sum(
            len({*output.split()} & {*reference.split()}) ** 2
            for reference in references
        )
        return found / len(output)

    item = of(pipeline.metric(pairs, batch_size=100))
    shares = by_all_subsets(
        4, lambda chosen: worth(replaced(chosen), tuple(REFERENCES))
    )
    assert [effect.share for effect in item.effects] == near(shares)


def test_a_line_with_a_missing_reference_is_scored_with_the_others() -> None:
    corpus = Corpus.in_memory(
        {"A": ["x", OUTPUT]}, [["x", None], ["y", REFERENCES[1]]], ["x", SOURCE]
    )
    (requested,) = from_values("gleu[n=1]")
    found = attributed(requested, corpus, [("A", 1)])["A", 1]
    assert found == of("gleu[n=1]", references=[[REFERENCES[1]]])
    assert found.output > found.source > 0
    assert found != of("gleu[n=1]")


@needs("nlg")
def test_a_metric_that_weighs_words_by_all_sentences_has_these_weights() -> (
    None
):
    """Oracle: the score of the whole data set's sentence. CIDEr-D knows how many sentences have an
    n-gram.
    """
    others = [
        "the cat sat down",
        "she goes home every day",
        "a friend of her friend",
    ]
    sources = [*others, SOURCE]
    outputs = [*others, OUTPUT]
    corpus = Corpus.in_memory(
        {"A": outputs}, [[*others, REFERENCES[0]]], sources
    )
    (requested,) = from_values("cider")
    found = attributed(requested, corpus, [("A", 3)])["A", 3]
    total, none = (
        pipeline.evaluate(
            texts, [[*others, REFERENCES[0]]], sources, metrics="cider"
        ).sentences[3]
        for texts in (outputs, sources)
    )
    assert [found.source, found.output] == near([none, total])


def test_texts_that_differ_in_white_space_or_have_signs_of_m2_files() -> None:
    (effect,) = of(
        "chrf[whitespace=true]", "a  b", source="a b", references=[["a b"]]
    ).effects
    assert (effect.original, effect.correction) == ("a b", "a b")
    found = of(
        "chrf",
        "x||y -NONE- a|||b c",
        source="q r s c",
        references=[["x||y -NONE- a|||b c"]],
    )
    assert found.effects[0].correction == "x||y -NONE- a|||b"
    assert of("chrf", SOURCE).effects == []


def test_many_edits_are_estimated() -> None:
    source = " ".join(f"w{n} same" for n in range(EXACT + 2))
    output = source.replace("w", "v")
    found = of("chrf", output, source=source, references=[[output]])
    assert len(found.effects) == EXACT + 2
    shares = math.fsum(effect.share for effect in found.effects)
    assert shares == near(found.output - found.source)


# --- edits of ERRANT and of M2 files


def test_edits_of_errant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    """Where ERRANT finds none, as where white space alone differs, words are aligned."""
    stand_in.put_in(monkeypatch)
    monkeypatch.chdir(tmp_path)
    one = "She goes to a schools every days with he friend ."
    write(
        {
            "s": f"{SOURCE}\n" * 2,
            "o": f"{one}\n{SOURCE.replace(' to', '  to')}\n",
            "r": f"{OUTPUT}\n" * 2,
        }
    )
    line = "explain gleu -s s -r r -o o --effects en_one --line"
    printed = command(f"{line} 1").out
    assert [
        line.split()[-4] for line in printed.splitlines() if line[:1].isdigit()
    ] == ["R:ONE", "R:ONE"]
    assert "the edits are those of ERRANT; the shares add up to " in printed
    assert (
        "the edits are those of aligned words; the shares add up to 0.00"
        in command(f"{line} 2").out
    )


M2 = """\
S This are a good sentences .
A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
A 4 5|||R:NOUN:NUM|||sentence|||REQUIRED|||-NONE-|||0

"""
PROPOSED = [
    "A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0",
    "A 3 4|||U:ADJ||||||REQUIRED|||-NONE-|||0",
    "A 4 5|||R:NOUN:NUM|||sentence|||REQUIRED|||-NONE-|||0",
]
NOOP = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"


def proposed(chosen: frozenset[int]) -> str:
    lines = [PROPOSED[number] for number in sorted(chosen)] or [NOOP]
    return "\n".join(["S This are a good sentences .", *lines, "", ""])


@pytest.fixture
def m2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write({"gold.m2": M2, "A.m2": proposed(frozenset(range(3)))})


def sentence_of(metric: str, output: Path | list[str]) -> float:
    # a text is equal to the reference
    with warnings.catch_warnings(action="ignore"):
        return float(
            pipeline.evaluate(output, gold="gold.m2", metrics=metric).sentences[
                0
            ]
        )


def rows(printed: str) -> list[list[str]]:
    """Return the last three cells of the rows of effects."""
    return [
        line.split()[-3:] for line in printed.splitlines() if line[:1].isdigit()
    ]


@pytest.mark.usefixtures("m2")
def test_effects_by_errant_are_those_of_m2_files_with_fewer_edits(
    command: Command,
) -> None:
    def score(chosen: frozenset[int]) -> float:
        write({"some.m2": proposed(chosen)})
        return sentence_of("errant", Path("some.m2"))

    printed = command(
        "explain errant --gold gold.m2 -o A.m2 --line 1 --effects"
    ).out
    expected = by_all_orders(3, score)
    assert [row[2] for row in rows(printed)] == [
        f"{100 * share:.2f}" for share in expected
    ]
    assert "the edits are those of its M2 file" in printed


@pytest.mark.usefixtures("m2")
@pytest.mark.parametrize(("metric", "view"), [("errant", EDITS), ("m2", GOLD)])
def test_effects_by_metrics_of_edits_by_all_subsets(
    metric: str, view: str
) -> None:
    """The oracle scores each file of fewer edits, or each text, alone, through the door for files."""
    texts = ["is", "sentence", "very good"]

    def score(chosen: frozenset[int]) -> float:
        if view == EDITS:
            write({"some.m2": proposed(chosen)})
            return sentence_of(metric, Path("some.m2"))
        words = wordlist("This are a good sentences .")
        for number, position in enumerate((1, 4, 3)):
            words[position] = (
                texts[number] if number in chosen else words[position]
            )
        return sentence_of(metric, [" ".join(words)])

    arguments = (
        Path("A.m2") if view == EDITS else ["This is a very good sentence ."]
    )
    corpus = corpus_with_gold("gold.m2", arguments, None, None, {view})
    effects = attributed(from_text(metric), corpus, [("system", 0)])[
        "system", 0
    ].effects
    order = [0, 1, 2] if view == EDITS else [0, 2, 1]
    shares = by_all_subsets(3, score)
    total = frozenset(range(3))
    assert [effect.share for effect in effects] == near(
        [shares[n] for n in order]
    )
    left_out = [score(total) - score(total - {n}) for n in order]
    assert [effect.left_out for effect in effects] == near(left_out)
    assert len(set(left_out)) > 1


@pytest.mark.usefixtures("m2")
def test_texts_of_m2_files_have_their_edits(command: Command) -> None:
    """The oracle is the metric of the texts that the edits make."""
    texts = {
        0: "This is a good sentences .",
        1: "This are a sentences .",
        2: "This are a good sentence .",
    }
    source = "This are a good sentences ."
    gold = "This is a good sentence ."
    printed = command(
        "explain chrf --compare errant --gold gold.m2 -o A.m2 --effects --line 1"
    ).out
    first, *alone = pipeline.sentence_scores(
        "chrf", [source, *texts.values()], [[gold] * 4]
    )
    assert [row[0] for row in rows(printed)[:3]] == [
        f"{100 * (one - first):.2f}" for one in alone
    ]
    assert len(rows(printed)) == 6
    assert "U:ADJ" in printed


@pytest.mark.usefixtures("m2")
def test_effects_by_maxmatch(command: Command) -> None:
    """By hand: F0.5 of 2 right edits of 2 is 1; without gold's edits nothing is right, and R is 0."""
    write({"A.txt": "This is a good sentence .\n"})
    printed = command(
        "explain m2 --gold gold.m2 -o A.txt --line 1 --effects"
    ).out
    half = 100 * 1.25 * 1 * 0.5 / (0.25 * 1 + 0.5)  # P 1, R 1/2
    assert rows(printed) == [[f"{half:.2f}", f"{100 - half:.2f}", "50.00"]] * 2


@pytest.mark.usefixtures("m2")
def test_edits_of_several_annotators_of_an_output_are_refused(
    command: Command,
) -> None:
    write(
        {
            "B.m2": M2.rstrip("\n")
            + "\nA 0 1|||R:DET|||That|||REQUIRED|||-NONE-|||1\n\n"
        }
    )
    message = command.refused(
        "explain errant --gold gold.m2 -o B.m2 --line 1 --effects"
    ).err
    assert (
        "B.m2, line 1: has edits of several annotators; name a file of one"
        in message
    )


# --- metrics of users


COUNTED = """\
import pipeline
calls = []

@pipeline.metric(version="1", none="skip", batch_size=100)
def counted(sources, outputs):
    calls.append(list(outputs))
    return [None if "best" in o and "day " not in o else len(o) / 100 for o in outputs]
"""


@pytest.mark.usefixtures("folder")
def test_all_variants_are_computed_at_once_and_kept(
    command: Command,
) -> None:
    """No references are needed. Half of the variants that have "best" have no number, so that
    shares are unknown.
    """
    write(
        {
            "counted.py": COUNTED,
            "s": f"{SOURCE}\n",
            "o": f"{OUTPUT}\n{OUTPUT}\n",
            "s2": f"{SOURCE}\n" * 2,
        }
    )
    line = "explain counted --plugin counted.py -s s2 -o o --line 2 --effects"
    printed = command(line).out
    calls = sys.modules["gec_pipeline_plugin_counted"].calls
    assert [len(batch) for batch in calls] == [16]
    assert rows(printed)[0] == ["2.00", "2.00", "-"]
    assert rows(printed)[2] == ["-1.00", "-", "-"]
    assert command(line).out == printed
    assert sys.modules["gec_pipeline_plugin_counted"].calls == []


@pytest.mark.parametrize("metric", ["cleme", "alone"])
def test_scores_of_sentences_that_are_no_function_of_one_output(
    metric: str,
) -> None:
    listwise = pipeline.metric(
        lambda outputs: outputs, name="alone", listwise=True
    )
    requested = (
        from_values(listwise)[0] if metric == "alone" else from_text(metric)
    )
    corpus = Corpus.in_memory({"A": [OUTPUT]}, [[REFERENCES[0]]], [SOURCE])
    with pytest.raises(
        InputError,
        match=f"{metric} cannot say what an edit does: scores depend on",
    ):
        attributed(requested, corpus, [("A", 0)])
    assert np.isnan(shapley(2, {0: 0.0, 1: math.nan, 2: 1.0, 3: 1.0})[0])


def test_without_a_source_there_are_no_edits() -> None:
    corpus = Corpus.in_memory({"A": [OUTPUT]}, [[REFERENCES[0]]], None)
    with pytest.raises(
        InputError,
        match="chrf cannot say what an edit does: there is no source: add -s",
    ):
        attributed(from_text("chrf"), corpus, [("A", 0)])
