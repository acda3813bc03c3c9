"""Words, subsequences and skip bigrams: of both kernels against naive ones, and of one against the
other.
"""

from __future__ import annotations

import math
import random
import re
import sys
from itertools import chain

import numpy as np
import pytest

from pipeline.errors import InvalidTextError, LongTextError
from pipeline.kernel import common
from pipeline.kernel.common import Encoded, Sentences, join_lines
from tests.oracles import naive_rouge as naive
from tests.support.kernels import Twin, encoded

Text = list[list[list[int]]]

POWERS = np.array([float(k) ** 1.2 for k in range(400)])
SIZES = [0, 1, 2, 3, 5, 8, 20, 63, 64, 65, 127, 128, 129, 200]


def weigh(k: int) -> float:
    return math.pow(k, 1.2)


def sentences(text: Text) -> Sentences:
    """Lines of sentences of ids, as the kernel takes them."""
    flat = encoded([*chain(*text)])
    firsts = np.cumsum([0, *map(len, text)], dtype=np.int64)
    return Sentences(*flat, firsts)


def full(text: Text) -> Encoded:
    return sentences(text).as_lines


def joined(line: list[list[int]]) -> list[int]:
    return [*chain(*line)]


def generated(seed: int, lines: int, texts: int) -> list[Text]:
    """Texts whose lines resemble each other, of few or many different tokens."""
    rng = random.Random(seed)
    types = rng.choice([1, 2, 3, 10, 100])
    result: list[Text] = [[] for _ in range(texts)]
    for _ in range(lines):
        base = []
        for _ in range(rng.choice([0, 1, 1, 2, 4])):
            size = rng.choice(SIZES if seed % 3 == 0 else SIZES[:7])
            base.append([rng.randrange(types) for _ in range(size)])
        for text in result:
            line = []
            for sentence in base:
                edited = list(sentence)
                for _ in range(rng.randint(0, 4)):
                    position = rng.randint(0, len(edited))
                    edited[position : position + rng.randint(0, 2)] = (
                        rng.choices(range(types), k=rng.randint(0, 2))
                    )
                line.append(edited)
            if rng.random() < 0.2:
                rng.shuffle(line)
            if rng.random() < 0.1:
                line = line[1:]
            text.append(line)
    return result


@pytest.mark.parametrize("seed", range(24))
def test_subsequences_are_the_naive_ones(twin: Twin, seed: int) -> None:
    one, two, three = generated(seed, 4, 3)
    references = [one, two]
    systems = [three, one]
    lengths = twin.lcs(
        [full(t) for t in references], [full(t) for t in systems]
    )
    hits = twin.union_lcs(
        [sentences(t) for t in references], [sentences(t) for t in systems]
    )
    assert lengths.shape == hits.shape == (2, 4, 2)
    for s, line, r in np.ndindex(lengths.shape):
        reference = references[r][line]
        output = systems[s][line]
        assert lengths[s, line, r] == naive.lcs(
            joined(reference), joined(output)
        )
        assert hits[s, line, r] == naive.union_hits(reference, output)


@pytest.mark.parametrize("seed", range(24))
def test_weighted_subsequences_are_the_naive_ones(
    twin: Twin, seed: int
) -> None:
    one, two, three = generated(seed * 3 + 1, 3, 3)
    references = [one, two]
    systems = [three, one]
    powers = np.array([weigh(k) for k in range(4 * 220)])
    inputs = [sentences(t) for t in references], [sentences(t) for t in systems]
    weights, (hits, bases) = (
        twin.weighted_lcs(*inputs, powers),
        twin.weighted_union(*inputs, powers),
    )
    for s, line, r in np.ndindex(weights.shape):
        reference = references[r][line]
        output = systems[s][line]
        assert weights[s, line, r] == pytest.approx(
            naive.weighted_lcs(joined(reference), joined(output), weigh),
            abs=1e-9,
        )
        assert hits[s, line, r] == pytest.approx(
            naive.weighted_hits(reference, output, weigh), abs=1e-9
        )
        assert bases[line, r] == pytest.approx(
            sum(weigh(len(sentence)) for sentence in reference), abs=1e-9
        )


@pytest.mark.parametrize("seed", range(24))
def test_unions_hit_what_is_allowed(twin: Twin, seed: int) -> None:
    one, two, three, *others = generated(seed * 7 + 2, 4, 7)
    references = [one, two]
    systems = [three, one]
    powers = np.array([weigh(k) for k in range(4 * 220)])
    inputs = [sentences(t) for t in references], [sentences(t) for t in systems]
    supplied = [others[:2], others[2:]]
    allowed = [[*map(full, texts)] for texts in supplied]
    hits, (weights, _) = (
        twin.union_lcs(*inputs, allowed),
        twin.weighted_union(*inputs, powers, allowed),
    )
    for s, line, r in np.ndindex(hits.shape):
        reference = references[r][line]
        output = systems[s][line]
        item = joined(supplied[s][r][line])
        assert hits[s, line, r] == naive.union_hits(reference, output, item)
        assert weights[s, line, r] == pytest.approx(
            naive.weighted_hits(reference, output, weigh, item), abs=1e-9
        )
    for wrong in (
        allowed[:1],
        [texts[:1] for texts in allowed],
        [[allowed[0][0]._replace(offsets=np.zeros(2, np.int64))] * 2] * 2,
    ):
        with pytest.raises(ValueError, match=r"allowed|texts"):
            twin.union_lcs(*inputs, wrong)
        with pytest.raises(ValueError, match=r"allowed|texts"):
            twin.weighted_union(*inputs, powers, wrong)


@pytest.mark.parametrize("gap", [-1, 0, 1, 4, 10**18])
@pytest.mark.parametrize("seed", range(6))
def test_skip_bigrams_are_the_naive_ones(
    twin: Twin, seed: int, gap: int
) -> None:
    one, two, three, four = generated(seed * 5 + 1, 4, 4)
    systems = [three, four]
    limit = None if gap < 0 else gap
    for references in ([one], [one, two], [two, two, one]):
        match, total = twin.skip_bigrams(
            [full(t) for t in references], [full(t) for t in systems], gap
        )
        for line in range(4):
            merged = naive.skip_bigrams(joined(references[0][line]), limit)
            for text in references[1:]:
                merged |= naive.skip_bigrams(joined(text[line]), limit)
            assert total[line] == merged.total()
            for s, system in enumerate(systems):
                assert (
                    match[s, line]
                    == (
                        merged & naive.skip_bigrams(joined(system[line]), limit)
                    ).total()
                )


def test_references_have_skip_bigrams_without_any_output(twin: Twin) -> None:
    match, total = twin.skip_bigrams([full([[[1, 2, 3]], [[]]])], [], -1)
    assert match.shape == (0, 2)
    assert total.tolist() == [3, 0]


def indices_by_rows(one: list[int], two: list[int]) -> set[int]:
    """Return what naive.lcs_indices returns, a row of the table at a time."""
    columns = np.array(two)
    row = np.zeros(len(two) + 1, np.int16)
    is_kept = []
    for token in one:
        longer = np.maximum(row[1:], row[:-1] + (columns == token))
        before = row
        row = np.append(0, np.maximum.accumulate(longer))
        is_kept.append(row == before)
    i = len(one)
    j = len(two)
    indices = set()
    while i and j:
        if one[i - 1] == two[j - 1]:
            i -= 1
            j -= 1
            indices.add(i)
        elif is_kept[i - 1][j]:
            i -= 1
        else:
            j -= 1
    return indices


@pytest.mark.parametrize("turned", [False, True])
def test_long_sentences_are_traced_in_segments(
    native: Twin, turned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond 8 MB of columns the compiled kernel makes them again, a segment at a time: 12,000 x
    6,200 tokens is 9 MB.
    """
    monkeypatch.setattr(naive, "lcs_indices", indices_by_rows)
    rng = random.Random(9)
    one = [rng.choices(range(50), k=12_000), [1, 2, 3]]
    two = [rng.choices(range(50), k=6_200), [3, 2, 1]]
    reference, output = (two, one) if turned else (one, two)
    found = native.union_lcs([sentences([reference])], [sentences([output])])
    assert found.item() == naive.union_hits(reference, output)


def test_the_oracle_of_long_sentences_is_the_naive_one() -> None:
    (one, two) = generated(10, 6, 2)
    for line, other in zip(map(joined, one), map(joined, two), strict=True):
        assert indices_by_rows(line, other) == naive.lcs_indices(line, other)


@pytest.mark.parametrize(
    ("references", "systems", "message"),
    [
        ([], [[[[1]]]], "at least one"),
        ([[[[1]]]], [[[[1]], [[1]]]], "different numbers of lines"),
        ([[[[-1]]]], [[[[1]]]], "below 0"),
    ],
)
def test_texts_that_do_not_fit_are_refused(
    twin: Twin, references: list[Text], systems: list[Text], message: str
) -> None:
    nested = [sentences(t) for t in references], [sentences(t) for t in systems]
    flat = [t.as_lines for t in nested[0]], [t.as_lines for t in nested[1]]
    for function, arguments in (
        (twin.lcs, flat),
        (twin.union_lcs, nested),
        (twin.skip_bigrams, (*flat, 4)),
    ):
        with pytest.raises(ValueError, match=message):
            function(*arguments)


def test_offsets_that_lead_outside_are_refused(twin: Twin) -> None:
    good = sentences([[[1, 2], [3]]])
    for wrong in (
        good._replace(offsets=np.array([0, 2, 9], np.int64)),
        good._replace(offsets=np.array([1, 2, 3], np.int64)),
        good._replace(firsts=np.array([0, 5], np.int64)),
        good._replace(firsts=np.array([], np.int64)),
    ):
        with pytest.raises(ValueError, match="texts"):
            twin.union_lcs([good], [wrong])
        with pytest.raises(ValueError, match="texts"):
            twin.weighted_union([wrong], [good], POWERS)


def test_unlimited_skip_bigrams_have_a_cap(twin: Twin) -> None:
    fits = [[[1] * common.MAX_SKIPPED]]
    beyond = [[[1] * (common.MAX_SKIPPED + 1)]]
    with pytest.raises(
        LongTextError, match="100,001 tokens have too many skip bigrams"
    ) as caught:
        twin.skip_bigrams([full(fits)], [full(fits), full(beyond)], -1)
    assert (caught.value.text, caught.value.line) == (2, 0)
    match, total = twin.skip_bigrams([full(beyond)], [full(beyond)], 0)
    assert match.tolist() == [[common.MAX_SKIPPED]]
    assert total.tolist() == [common.MAX_SKIPPED]


def test_weighted_subsequences_have_a_cap(twin: Twin) -> None:
    size = 1 << 16
    texts = [
        sentences([[[1]], [[1] * size]]),
        sentences([[[1]], [[1] * (size + 1)]]),
    ]
    for function in (twin.weighted_lcs, twin.weighted_union):
        with pytest.raises(
            LongTextError, match="65,536 and 65,537 tokens are too long"
        ) as caught:
            function(texts[:1], texts[1:], np.ones(size + 2))
        assert (caught.value.text, caught.value.line) == (1, 1)


LINES = [
    "The cat's 2nd-best mat",
    "",
    "Ünïcode café K\u212aK \u0130stanbul \u0130",
    "\u017f ﬁ ß Ⅷ ① ²",
    "a" * 70 + "B" * 9,
    "\n x\r",
    "ΑΣ",
]


@pytest.mark.parametrize("fold", common.FOLDS)
def test_words_are_runs_of_folded_letters_and_digits(
    twin: Twin, fold: str
) -> None:
    # all of Unicode, once each
    every = "".join(
        map(chr, [*range(0xD800), *range(0xE000, sys.maxunicode + 1)])
    )
    texts = [[*LINES, "x".join(every)], LINES[::-1]]
    found = twin.words(
        [join_lines([line.encode() for line in text]) for text in texts], fold
    )
    ends = found.ends.tolist()
    known = [
        found.data[low:high].decode()
        for low, high in zip([0, *ends], ends, strict=False)
    ]
    assert len(set(known)) == len(known)
    for text, ids in zip(texts, found.texts, strict=True):
        for number, line in enumerate(text):
            low, high = ids.offsets[number : number + 2]
            lower = (
                line.lower()
                if fold == "google"
                else line.encode().lower().decode()
            )
            assert [known[i] for i in ids.ids[low:high]] == re.findall(
                "[a-z0-9]+", lower
            )


def test_a_kelvin_is_a_letter_for_google_alone(twin: Twin) -> None:
    """str.lower() makes of it a k; ROUGE-1.5.5 reads bytes."""
    lines = join_lines(["1\u212a2 \u0130z".encode()])
    assert bytes(twin.words([lines], "google").data) == b"1k2iz"
    assert twin.words([lines], "google").ends.tolist() == [3, 4, 5]
    assert bytes(twin.words([lines], "perl").data) == b"12z"


@pytest.mark.parametrize("fold", common.FOLDS)
def test_bytes_that_are_no_text_are_refused(twin: Twin, fold: str) -> None:
    good = join_lines([b"abc"])
    bad = join_lines([b"abc", b"ab \xc4", b"\xff"])
    with pytest.raises(InvalidTextError) as caught:
        twin.words([good, bad], fold)
    assert (caught.value.text, caught.value.line, caught.value.byte) == (
        1,
        1,
        3,
    )


def test_an_unknown_fold_is_refused(twin: Twin) -> None:
    with pytest.raises(KeyError):
        twin.words([], "rouge")
    wrong = join_lines([b"abc"])._replace(ends=np.array([9], np.int64))
    with pytest.raises(ValueError, match="outside"):
        twin.words([wrong], "google")
