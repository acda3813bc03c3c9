"""The names of sacreBLEU, against the package itself run live: the same floats, and the same
printed text.
"""

from __future__ import annotations

import itertools
import logging
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import sacrebleu

from pipeline.compat import sacrebleu as own
from pipeline.errors import InputError
from tests.metrics.test_bleu import generated
from tests.support.words import wordlist

peer: Any = sacrebleu
"""The package, whose types do not say that references may be None."""
Texts = tuple[list[str], list[list[str | None]]]
TOKENIZERS = wordlist("none char 13a zh intl")
SMOOTHINGS: list[tuple[str, float | None]] = [
    *(
        ("exp", None),
        ("none", None),
        ("floor", None),
        ("floor", 0.01),
        ("floor", 0.0),
    ),
    *(("add-k", None), ("add-k", 0.5), ("add-k", 2)),
]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """sacreBLEU warns at every sentence that is scored without effective order."""
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    yield
    logging.getLogger("sacrebleu").setLevel(logging.NOTSET)


def corpus(
    seed: int, lines: int = 12, references: int = 3, missing: bool = False
) -> Texts:
    """Outputs and references in several scripts; with `missing`, some references are None, but one
    of each line.
    """
    rng = random.Random(seed)
    hypotheses, built = generated(seed, lines, references)
    sets: list[list[str | None]] = [list(texts) for texts in built]
    for line in range(lines if missing else 0):
        remaining = rng.randrange(references)
        for number, texts in enumerate(sets):
            if number != remaining and rng.random() < 0.5:
                texts[line] = None
    return hypotheses, sets


def same(mine: Any, theirs: Any) -> None:
    """All attributes, floats bit for bit but for sums of mean lengths, and what is printed."""
    for name, value in vars(mine).items():
        expected = getattr(theirs, name)
        assert value == (
            pytest.approx(expected, rel=1e-14)
            if name in ("score", "ref_length")
            else expected
        ), name
    assert repr(mine) == repr(theirs)
    for width, alone in itertools.product((1, 2, 4, 12), (True, False)):
        assert mine.format(width, alone) == theirs.format(width, alone)


def check(
    mine: Any, theirs: Any, hypotheses: Sequence[str], references: Any
) -> None:
    """The score of the corpus, of its sentences, and signatures."""
    one = mine.corpus_score(hypotheses, references)
    two = theirs.corpus_score(hypotheses, references)
    same(one, two)
    signature = str(theirs.get_signature())
    assert mine.get_signature() == signature
    assert one.format(signature=signature) == two.format(signature=signature)
    for line, hypothesis in enumerate(hypotheses):
        texts = [texts[line] for texts in references]
        same(
            mine.sentence_score(hypothesis, texts),
            theirs.sentence_score(hypothesis, texts),
        )


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_bleu_of_every_tokenizer(tokenizer: str, missing: bool) -> None:
    for seed, lowercase in itertools.product(range(3), (False, True)):
        settings: dict[str, Any] = {
            "tokenize": tokenizer,
            "lowercase": lowercase,
            "effective_order": seed % 2 == 0,
        }
        check(
            own.BLEU(**settings),
            peer.BLEU(**settings),
            *corpus(seed, missing=missing),
        )


@pytest.mark.parametrize("effective", [False, True])
@pytest.mark.parametrize(("smoothing", "value"), SMOOTHINGS)
def test_bleu_of_every_smoothing(
    smoothing: str, value: float | None, effective: bool
) -> None:
    for seed, order in itertools.product(range(3), (1, 3, 4, 6)):
        settings: dict[str, Any] = {
            "smooth_method": smoothing,
            "smooth_value": value,
            "effective_order": effective,
        }
        settings |= {"max_ngram_order": order}
        check(
            own.BLEU(**settings),
            peer.BLEU(**settings),
            *corpus(seed, lines=4 + seed, references=1 + seed),
        )


@pytest.mark.parametrize("eps", [False, True])
@pytest.mark.parametrize(
    ("char_order", "word_order", "beta"),
    [(6, 0, 2), (6, 2, 2), (6, 1, 1), (3, 4, 3), (12, 0, 2)],
)
def test_chrf_of_every_kind(
    char_order: int, word_order: int, beta: int, eps: bool
) -> None:
    for seed, lowercase, whitespace in itertools.product(
        range(2), (False, True), (False, True)
    ):
        settings: dict[str, Any] = {
            "char_order": char_order,
            "word_order": word_order,
            "beta": beta,
        }
        settings |= {
            "lowercase": lowercase,
            "whitespace": whitespace,
            "eps_smoothing": eps,
        }
        for missing in (False, True):
            check(
                own.CHRF(**settings),
                peer.CHRF(**settings),
                *corpus(seed, missing=missing),
            )


@pytest.mark.parametrize(
    "options", list(itertools.product((False, True), repeat=4))
)
def test_ter_of_every_kind(options: tuple[bool, bool, bool, bool]) -> None:
    names = ("normalized", "no_punct", "asian_support", "case_sensitive")
    settings: dict[str, Any] = dict(zip(names, options, strict=True))
    for missing in (False, True):
        texts = corpus(3, lines=8, missing=missing)
        check(own.TER(**settings), peer.TER(**settings), *texts)
    hypotheses, references = corpus(5, lines=8)
    same(
        own.corpus_ter(hypotheses, references, *options),
        peer.corpus_ter(hypotheses, references, *options),
    )


def test_the_functions_of_older_versions() -> None:
    hypotheses, references = corpus(7, lines=20)
    for keys in (
        {},
        {"smooth_method": "floor", "lowercase": True},
        {"tokenize": "intl", "use_effective_order": True},
    ):
        arguments: dict[str, Any] = keys
        same(
            own.corpus_bleu(hypotheses, references, **arguments),
            peer.corpus_bleu(hypotheses, references, **arguments),
        )
    for line, hypothesis in enumerate(hypotheses):
        texts: Any = [texts[line] for texts in references]
        same(
            own.sentence_bleu(hypothesis, texts),
            peer.sentence_bleu(hypothesis, texts),
        )
        same(
            own.sentence_bleu(hypothesis, texts, "add-k"),
            peer.sentence_bleu(hypothesis, texts, "add-k"),
        )
    chosen: dict[str, Any] = {
        "char_order": 4,
        "word_order": 2,
        "beta": 3,
        "eps_smoothing": True,
    }
    same(
        own.corpus_chrf(hypotheses, references, **chosen),
        peer.corpus_chrf(hypotheses, references, **chosen),
    )
    remaining: dict[str, Any] = {"remove_whitespace": False}
    same(
        own.corpus_chrf(hypotheses, references, **remaining),
        peer.corpus_chrf(hypotheses, references, **remaining),
    )


@pytest.mark.parametrize("name", ["BLEU", "CHRF"])
def test_wrong_texts_are_refused_with_their_place(name: str) -> None:
    metric = getattr(own, name)()
    for hypotheses, references, message in [
        (
            ["a", "b"],
            [["a"]],
            r"references\[0\] has 1 texts, and there are 2 hypotheses",
        ),
        (["a"], [[None], [None]], "item 1 has no reference at all"),
        (
            ["a", None],
            [["a", "b"]],
            "hypotheses, item 2: expected a text, found NoneType",
        ),
        (
            ["a", "b"],
            [["a", 3]],
            r"references\[0\], item 2: expected a text, found int",
        ),
        (
            ["a\ud800"],
            [["a"]],
            r"hypotheses, item 1: has half a character \(U\+D800\)",
        ),
        ([], [[]], "hypotheses: the list is empty"),
        ("a", [["a"]], "hypotheses: expected a list of texts, found str"),
        (["a"], ["a"], r"references\[0\]: expected a list of texts, found str"),
        (["a"], [], "there are no references"),
    ]:
        with pytest.raises(InputError, match=message):
            metric.corpus_score(hypotheses, references)
    with pytest.raises(
        TypeError, match="references: expected a list of texts, found str"
    ):
        metric.sentence_score("a", "a")
    with pytest.raises(
        TypeError, match="hypothesis: expected a text, found list"
    ):
        metric.sentence_score(["a"], ["a"])


def test_what_cannot_be_had_says_why() -> None:
    with pytest.raises(
        InputError, match="number of references is not known yet"
    ):
        own.BLEU().get_signature()
    wrong: list[tuple[Callable[[], Any], str]] = [
        (lambda: own.BLEU(tokenize="13A"), "did you mean '13a'"),
        (
            lambda: own.BLEU(smooth_method="exponential"),
            "bleu.smoothing: expected none, floor, add-k, exp",
        ),
        (lambda: own.BLEU(max_ngram_order=17), "a whole number from 1 to 16"),
        (lambda: own.BLEU(max_ngram_order=0), "a whole number from 1"),
        (
            lambda: own.CHRF(char_order=0),
            "chrf.char_order: expected a whole number from 1",
        ),
    ]
    for make, message in wrong:
        with pytest.raises(InputError, match=message):
            make()


def test_tokenised_text_gets_a_warning_unless_forced(
    caplog: pytest.LogCaptureFixture,
) -> None:
    texts = ["It is ."] * 100
    own.BLEU(force=True).corpus_score(texts, [texts])
    own.BLEU().corpus_score(texts[1:], [texts[1:]])
    assert caplog.messages == []
    own.BLEU().corpus_score(texts, [texts])
    assert "end in ' .'" in caplog.text
    own.BLEU().sentence_score("a", ["a"])
    assert "effective_order=True" in caplog.text
    chinese = own.BLEU(trg_lang="zh")
    chinese.corpus_score(["a"], [["a"]])
    assert "tok:zh" in chinese.get_signature()
