"""The tokens of TER against those of sacreBLEU, live."""

from __future__ import annotations

import random
from itertools import product

import pytest
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

from pipeline.errors import InvalidTextError
from pipeline.kernel.lines import join_lines
from pipeline.tokenizers.tercom import Tercom

OPTIONS = ("normalized", "no_punct", "asian_support", "case_sensitive")
PIECES = ["a", "B", "It's", "'s", "s'", "'S", "5", ".", ",", "-", "--", "...", "1,5", "-3", "4-5", "\n", "\n-", " "]
PIECES += ["  ", "\t", "&quot;", "&amp;", "&amp;quot;", "&lt;", "<skipped>", "!", "?", ":", ";", "(", ")", "[", "]"]
PIECES += [
    "{",
    "}",
    "~",
    "`",
    "_",
    "@",
    "/",
    "\\",
    '"',
    "日本",
    "中",
    "、",
    "。",
    "「",
    "ｱ",
    "カナ",
    "ひら",
    "ー",
    "・",
]
PIECES += ["\uff0c", "\uff0e", "\uff1f", "㍿", "㈱", "⺀", "㇀", "\uf900", "\ufe30", "㐀", "ㇰ", "\u3f23", "é", "İ"]
PIECES += ["ΣΑΣ", "\xa0", "\u3000", "\u2028", "\x1c", "\x85", "٣", "½", ".5", "5.", "x,y", "''s", "😀", "\x00"]


@pytest.mark.parametrize("chosen", list(product([False, True], repeat=4)))
@pytest.mark.usefixtures("kernel")
def test_tokens_are_sacrebleus(chosen: tuple[bool, ...]) -> None:
    rng = random.Random(3)
    options = dict(zip(OPTIONS, chosen, strict=True))
    own, oracle = Tercom(**options), TercomTokenizer(**options)
    texts = ["".join(rng.choices(PIECES, k=rng.randint(0, 12))) for _ in range(300)]
    texts += ["".join(rng.choices("a5.,- '()s\n&;", k=rng.randint(0, 12))) for _ in range(150)]
    wanted = [oracle(text.rstrip()).split() for text in texts]
    assert [own.tokens(text) for text in texts] == wanted
    (encoded,) = own.encode([join_lines([text.encode() for text in texts])])
    numbers: dict[str, int] = {}
    assert encoded.ids.tolist() == [numbers.setdefault(word, len(numbers)) for line in wanted for word in line]


def test_what_is_not_utf8_is_told_with_its_place() -> None:
    for own in (Tercom(), Tercom(normalized=True), Tercom(no_punct=True, case_sensitive=True)):
        with pytest.raises(InvalidTextError) as error:
            own.encode([join_lines([b"a"]), join_lines([b"A", b"b \xff"])])
        assert (error.value.text, error.value.line, error.value.byte) == (1, 1, 2)


def test_names_differ_where_tokens_can() -> None:
    every = [Tercom(*chosen) for chosen in product([False, True], repeat=4)]
    assert len({own.key for own in every}) == len({own.cache_key for own in every}) == 16
