"""ROUGE of flavour google, against the package rouge-score run live, and against naive counts for
what it lacks.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pipeline
from pipeline.errors import ConfigError, InputError
from pipeline.metrics.build import from_text
from pipeline.metrics.options import escape, unescape
from pipeline.scoring.terms import exact_parts
from tests.oracles import naive_rouge as naive
from tests.oracles.naive import ngrams
from tests.support.files import write_named_lines
from tests.support.numbers import near
from tests.support.words import rows, wordlist

DATA = Path(__file__).parents[2] / "data" / "summaries"
TYPES = [*(f"rouge{n}" for n in range(1, 10)), "rougeL", "rougeLsum"]
ASKED = "1+2+3+4+5+6+7+8+9+L+Lsum"
VOCABULARY_TEXT = (
    "the a cat cats sat running runs mat on On THE flies dying news generously 2nd 10,000 don't re-entry "
    "café \u212aelvin \u0130zmir agreed happily . , ! - relational Привет"
)
VOCABULARY = VOCABULARY_TEXT.split()
"""Words that the stemmer changes, punctuation inside words, and the two letters that str.lower()
makes ASCII."""


def texts(seed: int, items: int, sentences: int = 4) -> list[str]:
    """Texts of some sentences, a newline between them; some are empty, or have empty sentences."""
    rng = random.Random(seed)
    generated = []
    for _ in range(items):
        parts = [
            " ".join(
                rng.choices(VOCABULARY, k=rng.choice([0, 1, 2, 5, 12, 30]))
            )
            for _ in range(rng.randint(0, sentences))
        ]
        generated.append("\n".join(parts))
    return generated


def several_texts(
    seed: int, items: int, references: int
) -> tuple[list[str], list[list[str]]]:
    """Outputs and sets of references."""
    sets = [texts(seed + 1 + number, items) for number in range(references)]
    return texts(seed, items), sets


@pytest.fixture(scope="module")
def score_multi() -> Callable[..., list[dict[str, Any]]]:
    """The scores of rouge-score for each item: of one reference, or the best of several."""
    scorer = pytest.importorskip("rouge_score.rouge_scorer")

    def scored(
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        stem: bool,
    ) -> list[dict[str, Any]]:
        generated = scorer.RougeScorer(TYPES, use_stemmer=stem)
        items = zip(*references, strict=True)
        return [
            generated.score_multi(list(item), text)
            for item, text in zip(items, hypotheses, strict=True)
        ]

    return scored


def compare(result: Any, expected: list[dict[str, Any]]) -> None:
    """Every mean of every type, and the first type of every item."""
    for name in TYPES:
        for end, field in rows("""
    => fmeasure
    _recall => recall
    _precision => precision
"""):
            mean = sum(getattr(item[name], field) for item in expected) / len(
                expected
            )
            assert result.outputs[name + end] == near(mean), name + end
    assert result.sentences.tolist() == near(
        [item["rouge1"].fmeasure for item in expected]
    )


pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.mark.parametrize("stem", [False, True])
@pytest.mark.parametrize("references", [1, 2, 4])
def test_all_types_are_those_of_rouge_score(
    score_multi: Any, references: int, stem: bool
) -> None:
    hypotheses, sets = several_texts(1, 60, references)
    metric = f"rouge[types={ASKED},stemmer={'porter' if stem else 'none'}]"
    compare(
        pipeline.evaluate(hypotheses, sets, metrics=[metric])[0],
        score_multi(hypotheses, sets, stem),
    )


@pytest.mark.parametrize("stem", [False, True])
def test_the_summaries_score_as_in_rouge_score(
    score_multi: Any, stem: bool
) -> None:
    sets = [lines(DATA / f"reference{number}.txt") for number in range(2)]
    for path in sorted((DATA / "systems").iterdir()):
        metric = f"rouge[types={ASKED},stemmer={'porter' if stem else 'none'},split=marker]"
        found = pipeline.evaluate(lines(path), sets, metrics=[metric])[0]
        split = [
            [text.replace("<n>", "\n") for text in one]
            for one in (lines(path), *sets)
        ]
        compare(found, score_multi(split[0], split[1:], stem))


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def test_conll14_scores_as_in_rouge_score(
    score_multi: Any, shared: Path
) -> None:
    hypotheses, *sets = (
        lines(shared / "conll14" / name)[:500]
        for name in ("AMU", "REF0", "REF1")
    )
    found = pipeline.evaluate(
        hypotheses, sets, metrics=[f"rouge[types={ASKED},stemmer=porter]"]
    )[0]
    compare(found, score_multi(hypotheses, sets, stem=True))


# --- what rouge-score lacks: naive counts

Counts = tuple[float, float, float]


def words(text: str) -> list[str]:
    return re.findall("[a-z0-9]+", text.lower())


def grams_of(kind: str, text: str) -> Counter[Any]:
    """N-grams or skip bigrams of a text."""
    tokens = words(text)
    if kind.isdigit():
        return ngrams(tokens, int(kind))
    limit = kind.lstrip("SU")
    grams: Counter[Any] = naive.skip_bigrams(
        tokens, int(limit) if limit else None
    )
    if kind.startswith("SU"):
        grams += ngrams(tokens, 1)
    return grams


def naive_counts(kind: str, output: str, reference: str) -> Counts:
    """Matches, reference total and output total of a type."""
    one = words(reference)
    two = words(output)
    sizes = len(one), len(two)
    if kind == "L":
        return naive.lcs(one, two), *sizes
    if kind == "Lsum":
        one_split, two_split = (
            [words(sentence) for sentence in text.split("\n")]
            for text in (reference, output)
        )
        return naive.union_hits(one_split, two_split), *sizes
    if kind == "W":
        match = naive.weighted_lcs(one, two, lambda k: k**1.2)
        return match, sizes[0] ** 1.2, sizes[1] ** 1.2
    grams = grams_of(kind, reference)
    others = grams_of(kind, output)
    return (grams & others).total(), grams.total(), others.total()


def naive_scores(
    kind: str, counts: Counts, beta: float = 1
) -> tuple[float, float, float]:
    """F, recall, precision: equations 2 to 4 of Lin 2004 (15 to 17 for W)."""
    match, reference, output = counts
    recall = match / reference if reference else 0.0
    precision = match / output if output else 0.0
    if kind == "W":
        recall = recall ** (1 / 1.2)
        precision = precision ** (1 / 1.2)
    bottom = recall + beta**2 * precision
    return (
        (1 + beta**2) * recall * precision / bottom if bottom else 0.0,
        recall,
        precision,
    )


EVERY = "1+2+L+Lsum+W+S+S4+SU+SU4"


def naive_items(
    kind: str, hypotheses: list[str], sets: list[list[str]], policy: str
) -> list[tuple[float, ...]]:
    """F, recall and precision of every item under a policy for references."""
    items: list[tuple[float, ...]] = []
    for output, *references in zip(hypotheses, *sets, strict=True):
        scores = [
            naive_scores(kind, naive_counts(kind, output, reference))
            for reference in references
        ]
        if policy == "best":
            items.append(max(scores))
        elif policy == "mean":
            items.append(tuple(np.mean(scores, axis=0)))
        else:
            remaining = [
                [s for number, s in enumerate(scores) if number != left]
                for left in range(len(scores))
            ]
            items.append(
                tuple(
                    np.mean(
                        [
                            max(subset, key=lambda s: s[0])
                            for subset in remaining
                        ],
                        axis=0,
                    )
                )
            )
    return items


@pytest.mark.parametrize("policy", ["best", "mean", "jackknife"])
def test_every_type_and_policy_is_the_naive_one(policy: str) -> None:
    hypotheses, sets = several_texts(11, 40, 3)
    outputs = pipeline.evaluate(
        hypotheses, sets, metrics=[f"rouge[types={EVERY},refs={policy}]"]
    ).outputs
    for kind in EVERY.split("+"):
        means = np.mean(naive_items(kind, hypotheses, sets, policy), axis=0)
        assert outputs[f"rouge{kind}"] == near(means[0]), kind
        # of equal F the first reference counts, whose recall may be another
        if policy != "best":
            assert outputs[f"rouge{kind}_recall"] == near(means[1]), kind


def test_summed_counts_are_the_naive_ones() -> None:
    hypotheses, sets = several_texts(21, 40, 1)
    metric = f"rouge[types={EVERY},level=micro,beta=2]"
    outputs = pipeline.evaluate(hypotheses, sets, metrics=[metric]).outputs
    for kind in EVERY.split("+"):
        counts = [
            naive_counts(kind, *pair)
            for pair in zip(hypotheses, sets[0], strict=True)
        ]
        score, recall, precision = naive_scores(
            kind, tuple(np.sum(counts, axis=0)), beta=2
        )
        found = [
            outputs[f"rouge{kind}{end}"]
            for end in ("", "_recall", "_precision")
        ]
        assert found == near([score, recall, precision]), kind


def test_merged_references_have_the_highest_counts() -> None:
    hypotheses, sets = several_texts(31, 30, 3)
    kinds = "1+3+S+S2+SU+SU0"
    outputs = pipeline.evaluate(
        hypotheses, sets, metrics=[f"rouge[types={kinds},refs=merged]"]
    ).outputs
    for kind in kinds.split("+"):
        scores = []
        for output, *references in zip(hypotheses, *sets, strict=True):
            merged = grams_of(kind, references[0])
            for reference in references[1:]:
                merged |= grams_of(kind, reference)
            entry = grams_of(kind, output)
            counts = (merged & entry).total(), merged.total(), entry.total()
            scores.append(naive_scores(kind, counts)[0])
        assert outputs[f"rouge{kind}"] == near(np.mean(scores)), kind


def test_scores_by_hand() -> None:
    """Reference "a b c d", output "a x c d": 3 of 4 words; of 3 bigrams c d; a c d in order; runs a
    and c d.
    """
    outputs = pipeline.evaluate(
        ["a x c d"], [["a b c d"]], metrics=["rouge[types=1+2+L+W+S+S0+SU]"]
    ).outputs
    assert outputs["rouge1"] == 3 / 4
    assert outputs["rouge2"] == pytest.approx(1 / 3)
    assert outputs["rougeL"] == 3 / 4
    assert outputs["rougeW"] == pytest.approx(
        ((1 + 2**1.2) / 4**1.2) ** (1 / 1.2)
    )
    assert outputs["rougeS"] == pytest.approx(3 / 6)  # ac ad cd
    assert outputs["rougeS0"] == pytest.approx(1 / 3)
    assert outputs["rougeSU"] == pytest.approx(6 / 10)


def test_f_by_alpha_is_f_by_beta() -> None:
    """Recall 1/2, precision 1: F = P R / (alpha R + (1 - alpha) P), with alpha = 1 / (1 + beta **
    2).
    """
    kwargs: dict[str, Any] = {
        "hypotheses": ["a b"],
        "references": [["a b c d"]],
    }
    by_beta, by_alpha = (
        pipeline.evaluate(**kwargs, metrics=[f"rouge[types=1,{o}]"]).score
        for o in ("beta=2", "alpha=0.2")
    )
    assert by_beta == pytest.approx(by_alpha, abs=1e-15)
    assert by_beta == pytest.approx(5 * 0.5 / (4 * 1 + 0.5))


# --- tokens


@pytest.mark.parametrize(
    ("tokenizer", "output", "reference", "score"),
    [
        ("unicode", "Привет, мир!", "привет мир", 1),
        ("unicode", "हिन्दी भाषा", "हिन्दी", 2 / 3),  # marks stay inside the word
        ("unicode", "今天天气", "今天", 2 / 3),  # ideographs stand alone
        ("whitespace", "The cat", "the cat", 1 / 2),
        ("whitespace,lowercase=true", "The cat", "the cat", 1),
        ("char", "ab", "ba", 1),
        ("google", "The CAT!", "the cat", 1),
    ],
)
def test_tokens(
    tokenizer: str, output: str, reference: str, score: float
) -> None:
    found = pipeline.evaluate(
        [output], [[reference]], metrics=[f"rouge[types=1,tok={tokenizer}]"]
    )
    assert found.score == pytest.approx(score)


# --- sentences

TWO = ["the cat sat on the mat<n>it was good. we saw it!"]


@pytest.mark.filterwarnings("ignore:.*rougeLsum is the same as rougeL")
@pytest.mark.parametrize(
    ("options", "joint"),
    [
        ("split=marker", "\n"),
        # <n>, as signatures write it
        ("split=marker,boundary=x.3c.6e.3e", "\n"),
        ("split=none", " n "),
    ],
)
def test_markers_are_newlines(options: str, joint: str) -> None:
    reference = "it was good<n>the cat was on a mat"
    found = pipeline.evaluate(
        TWO, [[reference]], metrics=[f"rouge[types=Lsum+1,{options}]"]
    )
    plain = [text.replace("<n>", joint) for text in (TWO[0], reference)]
    other = "none" if "none" in options else "newline"
    assert (
        found.outputs
        == pipeline.evaluate(
            [plain[0]],
            [[plain[1]]],
            metrics=[f"rouge[types=Lsum+1,split={other}]"],
        ).outputs
    )


@pytest.mark.parametrize(
    ("options", "tokens"),
    [
        ("split=marker", "one two three four"),
        ("split=newline", "one n two three four"),
        ("split=none,tok=nonspace", "O n e < n > t w o . t h r e e Ł f o u r"),
        ("split=newline,tok=char", "O n e < n > t w o . t h r e e Ł   f o u r"),
        # the boundary is Ł
        (
            "split=regex,boundary=x.c5.81,tok=whitespace",
            "One<n>two. three four",
        ),
        ("split=marker,stem=porter", "one two three four"),
    ],
)
def test_reports_show_the_tokens_of_sentences(
    options: str, tokens: str
) -> None:
    """By hand: <n>, the newline and what an expression matches are tokens only where nothing is
    split there.
    """
    metric = from_text(f"rouge[types=1,{options}]")
    (shared,) = metric.overlaps()
    found = shared.tokenization.tokens(
        "One<n>two.\nthreeŁ four"
        if "char" in options
        else "One<n>two. threeŁ four"
    )
    assert " ".join(found) == tokens


def test_sentences_are_found_by_expression() -> None:
    """Any white space behind a full stop; without the split the second sentence could not match the
    first.
    """
    texts = "we saw it. the cat sat", "the cat sat! we saw it."
    cut = pipeline.evaluate(
        [texts[0]], [[texts[1]]], metrics=["rouge[types=Lsum,split=regex]"]
    )
    total = pipeline.evaluate(
        [texts[0]], [[texts[1]]], metrics=["rouge[types=L]"]
    )
    assert (cut.score, total.score) == (1, 0.5)
    named = {
        "name": "rouge",
        "types": "Lsum",
        "split": "regex",
        "boundary": "(é|!) |\\. ",
    }
    again = pipeline.evaluate([texts[0]], [[texts[1]]], metrics=[named])
    assert again.score == 1
    assert from_text(again.signature) == again.measure


def test_an_expression_is_checked() -> None:
    with pytest.raises(
        ConfigError, match=r"boundary: is no regular expression: missing \)"
    ):
        from_text("rouge", {"split": "regex", "boundary": "(a"})


def test_newlines_separate_words_for_every_tokenizer() -> None:
    for tokenizer in ("char", "blank", "google"):
        found = pipeline.evaluate(
            ["a\nb"], [["a b"]], metrics=[f"rouge[types=1,tok={tokenizer}]"]
        )
        assert found.outputs["rouge1_precision"] == 1, tokenizer


def test_one_sentence_is_said_to_make_lsum_an_l() -> None:
    note = "rougeLsum is the same as rougeL"
    with pytest.warns(UserWarning, match=note):
        found = pipeline.evaluate(
            ["a b", "c"], [["a", "c"]], metrics=["rouge[types=Lsum+L]"]
        )
    assert found.outputs["rougeLsum"] == found.outputs["rougeL"]


@pytest.mark.parametrize(
    ("outputs", "references", "metric"),
    [
        pytest.param(
            ["a\nb", "c"], ["a", "c"], "rouge[types=Lsum+L]", id="output of two"
        ),
        pytest.param(
            ["a b", "c"],
            ["a", "c\nd"],
            "rouge[types=Lsum+L]",
            id="reference of two",
        ),
        pytest.param(["a b", "c"], ["a", "c"], "rouge", id="no Lsum"),
    ],
)
def test_nothing_is_said_where_lsum_is_no_l(
    outputs: list[str], references: list[str], metric: str
) -> None:
    assert (
        pipeline.evaluate(outputs, [references], metrics=[metric]).warnings
        == ()
    )


# --- notes


def test_a_line_that_loses_its_letters_is_told() -> None:
    with pytest.warns(
        UserWarning, match="system system, line 2 has letters, but no token"
    ) as caught:
        pipeline.evaluate(
            wordlist("a Привет мир ..."),
            [wordlist("a b c d")],
            metrics=["rouge"],
        )
    (notice,) = [str(item.message) for item in caught]
    assert notice == (
        "memory: system system, line 2 has letters, but no token for the tokenizer google (nor has one more): every "
        "score with it is 0; `tokenizer: unicode` reads all scripts, `tokenizer: char` suits Chinese and Japanese too"
    )


# --- options


@pytest.mark.parametrize(
    ("text", "message"),
    rows("""
    rouge[types=1+1] => types: 1 is asked for twice
    rouge[types=0] => types: expected types joined by
    rouge[types=1+Lsum,flavour=perl] => write L
    rouge[types=1+L,refs=merged] => merged is defined for n-grams and skip bigrams, not for L
    rouge[refs=jackknife_mean] => flavour google takes best, mean, merged, jackknife
    rouge[stemmer=porter,tok=char] => only words of the tokenizers google and perl are stemmed
    rouge[lowercase=true] => the tokenizer does it anyway
    rouge[weight=1.3] => only the type W has one
    rouge[boundary=a] => only split: marker and regex have one
    rouge[alpha=0.3,beta=2] => alpha says it
    rouge[alpha=1.3] => a number from 0 to 1
    rouge[level=corpus] => expected mean, micro
"""),
)
def test_options_that_do_not_go_together(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        from_text(text)


@pytest.mark.parametrize(
    "text", ["<n>", "a", "x", "x.3c", "x.", "é\n", "a|b:c,d]"]
)
def test_any_text_can_stand_in_a_signature(text: str) -> None:
    assert unescape(escape(text)) == text
    assert re.fullmatch(r"[A-Za-z0-9_.+-]+", escape(text))


def test_missing_references(tmp_path: Path) -> None:
    """A blank reference is none: the best, mean and jackknifed of those that are there."""
    write_named_lines(
        tmp_path,
        r0=["a b", "a b"],
        r1=["a", ""],
        r2=["a b c", ""],
        out=["a b c d", "a b"],
    )
    (tmp_path / "c.yaml").write_text(
        "datasets: {d: {references: [r0, r1, r2], empty_references: none}}\nsystems: {s: out}\nmetrics:\n"
        "  - {name: rouge, types: 1, references: [best, mean, jackknife]}\n"
        "  - {name: rouge, types: 1, flavour: perl, references: [mean, jackknife_mean]}\n"
    )
    results = pipeline.run(tmp_path / "c.yaml", tmp_path / "run")
    # precisions 1/2, 1/4, 3/4; recall 1
    two = 2 * 0.5 / 1.5
    one = 2 * 0.25 / 1.25
    three = 2 * 0.75 / 1.75

    def rounded(hits: int, outputs: int) -> float:
        """F as the script prints it, with recall 1."""
        precision = round(hits / outputs, 5)
        return round(2 * precision / (1 + precision), 5)

    expected = [
        (three + 1) / 2,
        ((two + one + three) / 3 + 1) / 2,
        ((three + three + two) / 3 + 1) / 2,
        (rounded(6, 12) + 1) / 2,
        ((rounded(4, 8) + rounded(5, 8) + rounded(3, 8)) / 3 + 1) / 2,
    ]
    assert [result.score for result in results] == near(expected)
    (tmp_path / "c.yaml").write_text(
        (tmp_path / "c.yaml")
        .read_text()
        .replace("types: 1,", "types: 1, level: micro,")
    )
    with pytest.raises(
        InputError,
        match="jackknife is not defined at level: micro where references are missing",
    ):
        pipeline.run(tmp_path / "c.yaml", tmp_path / "run2")


def test_a_line_too_long_for_all_pairs_is_told_with_its_place(
    tmp_path: Path,
) -> None:
    (tmp_path / "ref").write_text("a b\na b\n")
    (tmp_path / "out").write_text("a b\n" + "a " * 100_001 + "\n")
    (tmp_path / "c.yaml").write_text(
        "datasets: {d: {references: [ref]}}\nsystems: {s: out}\nmetrics: ['rouge[types=SU]']\n"
    )
    with pytest.raises(
        InputError,
        match=r"out:2: 100,001 tokens have too many .*, such as S4 or SU4",
    ):
        pipeline.run(tmp_path / "c.yaml", tmp_path / "run")


# --- sums


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e6, 1e300])
def test_sums_are_exact(scale: float) -> None:
    """As math.fsum's, whatever the sizes; numpy's own sum of these is not."""
    rng = np.random.default_rng(3)
    values = rng.random(5000) * scale * np.array([1.0, 1e-9] * 2500)
    assert math.fsum(exact_parts(values)) == math.fsum(values.tolist())
    parts = [*exact_parts(values[:2500]), *exact_parts(values[2500:])]
    assert math.fsum(parts) == math.fsum(values.tolist())
    assert len(parts) < 40
    assert sum(map(Fraction, parts)) == sum(map(Fraction, values.tolist()))
    assert exact_parts(np.zeros(0)) == []
