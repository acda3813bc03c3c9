"""Lists of tokens and functions as tokenisers: evaluate, Scorer, sentence_scores; against nltk and
others live.
"""

from __future__ import annotations

import pickle
import random
import warnings
from typing import Any

import numpy as np
import pytest
from nltk.translate.bleu_score import corpus_bleu
from nltk.translate.gleu_score import corpus_gleu
from rouge_score.rouge_scorer import RougeScorer

import pipeline
from pipeline import compat
from pipeline.errors import InputError
from pipeline.metrics import METRICS
from pipeline.metrics.build import from_text
from tests.conftest import ROOT
from tests.support.commands import Command
from tests.support.extensions import with_extension
from tests.support.words import wordlist

STRANGE = [
    "a",
    "b",
    "c d",
    "",
    "\\",
    "\n",
    " ",
    "x\u00a0y",
    "\\32;",
    "\\0;",
    "e",
    "Ab",
    "ab",
]
WITH_TOKENS = [
    "gleu[iter=20]",
    "gleu[refs=max,n=2]",
    "google_gleu[lc=true]",
    "green",
    "bleu",
    "bleu[flavour=nltk,smooth=method1]",
    "bleu[flavour=moses,lc=true]",
    "rouge[types=1+2+L+SU4]",
    "rouge[flavour=perl]",
    "ter",
    "ter[cased=true]",
    *with_extension(
        "nlg",
        "length",
        "sari",
        "sari[flavour=huggingface,lc=false]",
        "features",
        "nist[flavour=nltk]",
        "cider",
    ),
]
TOKENIZER = dict.fromkeys(
    ("bleu", "rouge", "sari", "features"), "tok=whitespace"
)


def near(expected: Any) -> Any:
    return pytest.approx(expected, abs=1e-12, rel=0)


def lists(rng: random.Random, lines: int, words: list[str]) -> list[list[str]]:
    return [rng.choices(words, k=rng.randint(1, 9)) for _ in range(lines)]


def corpora(words: list[str], count: int = 40) -> Any:
    """Yield outputs, three sets of references and sources as lists of tokens."""
    rng = random.Random(11)
    for _ in range(count):
        lines = rng.randint(1, 5)
        yield (
            lists(rng, lines, words),
            [lists(rng, lines, words) for _ in range(3)],
            lists(rng, lines, words),
        )


def split_at_white_space(metric: str) -> str:
    """Return a metric whose default is another tokeniser with the one that splits at white space."""
    name, bracket, options = metric.partition("[")
    added = TOKENIZER.get(name)
    if added is None:
        return metric
    return f"{name}[{added}{',' if bracket else ''}{options or ']'}"


def again(scorer: pipeline.Scorer) -> pipeline.Scorer:
    """Return what another process gets."""
    copy: pipeline.Scorer = pickle.loads(pickle.dumps(scorer))  # noqa: S301 (our own)
    return copy


def evaluated(*arguments: Any, **more: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pipeline.evaluate(*arguments, **more)


@pytest.mark.usefixtures("kernel")
def test_tokens_are_counted_as_nltk_counts_them() -> None:
    for outputs, references, _ in corpora(STRANGE, 150):
        bleu, gleu = evaluated(
            outputs, references, metrics=["bleu[flavour=nltk]", "google_gleu"]
        )
        by_item = [list(item) for item in zip(*references, strict=True)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert bleu.score == near(corpus_bleu(by_item, outputs))
        assert gleu.score == near(corpus_gleu(by_item, outputs))
        assert gleu.score == near(
            compat.nltk.translate.gleu_score.corpus_gleu(by_item, outputs)
        )


@pytest.mark.parametrize("metric", WITH_TOKENS)
def test_tokens_of_white_space_give_what_the_texts_give(metric: str) -> None:
    """Bit for bit, corpus and sentences; the words have other cases, so that options of case
    matter.
    """
    for outputs, references, sources in corpora(
        wordlist("a B b Σ \u03c3 É. x-y 9"), 15
    ):
        texts = [
            [*map(" ".join, one)] for one in (outputs, sources, *references)
        ]
        plain = evaluated(
            texts[0], texts[2:], texts[1], split_at_white_space(metric)
        )
        entry = evaluated(outputs, references, sources, metric)
        assert entry.outputs == plain.outputs
        assert entry.sentences.tolist() == plain.sentences.tolist()
        assert entry.signature == plain.signature.replace(
            "tok:whitespace", "tok:own"
        ).replace("tok:ascii_whitespace", "tok:own") or metric.startswith("ter")
        by_function = evaluated(
            texts[0], texts[2:], texts[1], metric, tokenizer=str.split
        )
        assert by_function.outputs == plain.outputs


class Dashes:
    """A tokeniser as rouge-score takes it."""

    def tokenize(self, text: str) -> list[str]:
        return text.lower().split("-")


def test_rouge_with_a_tokeniser_is_that_of_rouge_score() -> None:
    rng = random.Random(3)
    lines = [
        "-".join(rng.choices(["A", "b", "c d", "", "e.f"], k=rng.randint(1, 8)))
        for _ in range(60)
    ]
    peer = RougeScorer(["rouge1", "rouge2", "rougeL"], tokenizer=Dashes())
    result = evaluated(
        lines[:30], lines[30:], metrics="rouge[types=1+2+L]", tokenizer=Dashes()
    )
    expected = [
        peer.score(reference, output)
        for output, reference in zip(lines[:30], lines[30:], strict=True)
    ]
    for name in ("rouge1", "rouge2", "rougeL"):
        mean = np.mean([each[name].fmeasure for each in expected])
        assert result.outputs[name] == near(mean)
    assert "|tok:own+Dashes|" in result.signature


def test_scorer_and_sentence_scores_take_tokens_too() -> None:
    for metric in WITH_TOKENS:
        for outputs, references, sources in corpora(STRANGE, 4):
            result = evaluated(outputs, references, sources, metric)
            scorer = pipeline.Scorer.quiet(metric, references, sources)
            for each in (scorer, again(scorer)):
                assert each.signature == result.signature
                assert (
                    each.sentences(outputs).tolist()
                    == result.sentences.tolist()
                )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert scorer.score(outputs).outputs == result.outputs
            assert (
                scorer.rewards(
                    outputs[::-1], range(len(outputs))[::-1]
                ).tolist()
                == result.sentences[::-1].tolist()
            )
            scores = pipeline.sentence_scores(
                metric, outputs, references, sources
            )
            assert scores.tolist() == result.sentences.tolist()


def test_one_set_of_references_where_the_metric_says_that_it_is_of_tokens() -> (
    None
):
    scorer = pipeline.Scorer("bleu[tok=own]", [["a", "b"], ["c"]])
    assert scorer.sentences([["a", "b"], ["c d"]]).tolist() == [1, 0]


def test_a_missing_reference_stays_missing() -> None:
    entry = evaluated(
        [["a", "b"], ["c"]],
        [[["a", "b"], ["d"]], [["a"], None]],
        metrics="google_gleu",
    )
    plain = evaluated(
        ["a b", "c"], [["a b", "d"], ["a", None]], metrics="google_gleu"
    )
    assert entry.outputs == plain.outputs
    scores = pipeline.sentence_scores(
        "google_gleu", [["a", "b"], ["c"]], [[["a", "b"], ["d"]], [["a"], None]]
    )
    assert scores.tolist() == plain.sentences.tolist()


@pytest.mark.parametrize("metric", WITH_TOKENS)
def test_signatures_are_read_back(metric: str) -> None:
    tokens = [["a", "b c"], wordlist("d e f g h")]
    first = evaluated(tokens, tokens, tokens, metric)
    assert (
        evaluated(tokens, tokens, tokens, first.signature).signature
        == first.signature
    )
    named = evaluated(["a b"], ["a b"], ["a b"], metric, tokenizer=str.split)
    assert from_text(named.signature).settings() == named.measure.settings()
    assert (
        "own+split"
        in evaluated(tokens, tokens, tokens, named.signature).signature
    )


LISTS = [["a"], ["b"]]
TWO: Any = ["bleu", "ter"]
GOLD = ROOT / "data/m2/gold.m2"


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (
            "chrf",
            "chrf cannot score tokens of your own: it splits texts itself; give texts",
        ),
        ("chrF++", "chrf cannot score tokens of your own"),
        *with_extension(
            "nlg", ("meteor", "meteor cannot score tokens of your own")
        ),
        *with_extension(
            "edits", ("imeasure", "imeasure cannot score tokens of your own")
        ),
        (
            "gleu[unit=char]",
            "gleu cannot score tokens of your own here: unit char takes every code point",
        ),
        (
            "bleu[tok=intl]",
            "bleu: tokenizer intl has no effect on tokens of your own; leave it out",
        ),
        (
            "rouge[stem=porter]",
            "rouge: stemmer: has no effect on tokens of your own; leave it out",
        ),
        (
            "ter[norm=true]",
            "ter: tokens: normalized and no_punct change texts, and not tokens of your own",
        ),
        (
            "ter[nopunct=true]",
            "ter: tokens: normalized and no_punct change texts, and not tokens of your own",
        ),
    ],
)
def test_metrics_and_options_that_tokens_do_not_suit(
    metric: str, message: str
) -> None:
    for score in (
        lambda: pipeline.evaluate(LISTS, [LISTS], LISTS, metric),
        lambda: pipeline.evaluate(
            ["a"], ["a"], ["a"], metric, tokenizer=str.split
        ),
        lambda: pipeline.Scorer(metric, [LISTS], LISTS),
        lambda: pipeline.sentence_scores(metric, LISTS, [LISTS], LISTS),
    ):
        with pytest.raises(InputError) as error:
            score()
        assert message in str(error.value)


def test_every_metric_takes_tokens_or_says_that_it_does_not() -> None:
    with_tokens = {from_text(metric).name for metric in WITH_TOKENS}
    for name in set(METRICS) - with_tokens:
        with pytest.raises(
            InputError, match=r"tokens of your own|files|pipeline|no default"
        ):
            pipeline.evaluate(LISTS, [LISTS], LISTS, name)


@pytest.mark.parametrize(
    ("score", "message"),
    [
        (
            lambda: pipeline.sentence_scores(TWO, ["a"], ["a"]),
            "metric: expected one metric, found a list of",
        ),
        (
            lambda: pipeline.evaluate(["a"], ["a"], metrics="bleu[tok=own]"),
            "hypotheses, item 1: expected a list of tok",
        ),
        (
            lambda: pipeline.evaluate(["a", ["b"]], ["a", "b"], metrics="bleu"),
            "expected a list of strings; item 2 is list",
        ),
        (
            lambda: pipeline.evaluate(
                ["a"],
                ["a"],
                metrics=["gleu", {"name": "bleu", "tokenizer": str.split}],
            ),
            "metrics[1].tokenizer: a function is no option of a metric; tokenizer=function is an argument of evaluate",
        ),
        *with_extension(
            "edits",
            (
                lambda: pipeline.evaluate(LISTS, metrics="m2", gold=GOLD),
                "m2 cannot score tokens of your own",
            ),
        ),
        (
            lambda: pipeline.evaluate(LISTS, metrics="bleu", gold=GOLD),
            "gold: the texts of an M2 file are split already",
        ),
        (
            lambda: pipeline.Scorer("bleu", gold=GOLD, tokenizer=str.split),
            "gold: the texts of an M2 file are split already",
        ),
        (
            lambda: pipeline.Scorer("bleu", LISTS).sentences(LISTS),
            "outputs: there are lists of tokens, and references ar",
        ),
        (
            lambda: pipeline.Scorer("bleu", [LISTS]).sentences(["a", "b"]),
            "outputs, item 1: expected a list of tokens",
        ),
        (
            lambda: pipeline.sentence_scores("bleu", LISTS, [["a"], "b"]),
            "references[0], item 2: expected a list of tokens",
        ),
    ],
)
def test_what_is_refused(score: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        score()
    assert message in str(error.value)


def test_pieces_of_words_are_no_warning_where_they_are_tokens() -> None:
    parts = [["\u2581a", "b"]] * 3
    words = [["\u2581ab"]] * 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pipeline.evaluate(
            parts,
            [[["\u2581a", "c"]] * 3, words],
            metrics="bleu[smooth=floor]",
        )
    with pytest.warns(UserWarning, match="subword pieces"):
        pipeline.evaluate(["\u2581a b"] * 3, ["ab c"] * 3, metrics="bleu")


@pytest.mark.parametrize(
    "line", ["score bleu[tok=own]", "explain bleu[tok=own] --line 1"]
)
def test_files_have_no_tokens_of_the_caller(
    line: str, command: Command
) -> None:
    data = ROOT / "data"
    files = f"-r {data}/reference0.txt -o {data}/systems/careful.txt"
    assert (
        "bleu: the tokenizer own is for tokens of a program: lists of tokens, or"
        in command.refused(f"{line} {files}").err
    )
