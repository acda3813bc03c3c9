"""Tokens of the caller: what is written for them is split into just these tokens, and what is no
token is refused.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import InputError
from pipeline.kernel.common import join_lines
from pipeline.tokenizers import OWN, OwnTexts, Tokenization, is_own
from tests.tokenizers.test_tokenizers import numbered

SIGNS = st.sampled_from(
    [
        "a",
        "B",
        "Σ",
        "\u03c3",
        "İ",
        "'",
        "\u0301",
        "\\",
        ";",
        "0",
        "32",
        " ",
        "\n",
        "\u00a0",
        "\x1c",
        ".",
    ]
)
TOKENS = st.lists(st.lists(SIGNS, max_size=4).map("".join), max_size=5)


def counted(texts: list[str], lowercase: bool) -> list[list[int]]:
    """Return the ids of the tokens of each text, as metrics count them."""
    (encoded,) = Tokenization(OWN, lowercase=lowercase).encode(
        [join_lines(text.encode() for text in texts)]
    )
    return [
        encoded.ids[low:high].tolist()
        for low, high in zip(encoded.offsets, encoded.offsets[1:], strict=False)
    ]


@pytest.mark.usefixtures("kernel")
@given(st.lists(TOKENS, min_size=1, max_size=6))
def test_tokens_are_counted_as_whole_strings(lists: list[list[str]]) -> None:
    written = OwnTexts.of_call(lists, None, None).hypotheses
    assert counted(written, lowercase=False) == numbered(lists)
    lower = [[*map(str.lower, tokens)] for tokens in lists]
    assert counted(written, lowercase=True) == numbered(lower)


def test_ordinary_tokens_are_joined_by_blanks() -> None:
    assert OwnTexts.of_call([["a", "b."], []], None, None).hypotheses == [
        "a b.",
        "",
    ]
    assert OwnTexts.of_call([["a b", "", "\\"]], None, None).hypotheses == [
        "a\\32;b \\0; \\92;"
    ]


def test_texts_stay_as_they_are() -> None:
    texts = ["a b", "c"]
    assert OwnTexts.of_call(texts, [texts, None], None) == (
        texts,
        [texts, None],
        None,
        "",
    )


class Words:
    """A tokeniser as rouge-score has it, and a callable one."""

    def tokenize(self, text: str) -> list[str]:
        return text.split("-")

    def __call__(self, text: str) -> list[str]:
        return text.split("-")


class OnlyTokenize:
    tokenize = Words.tokenize


@pytest.mark.parametrize(
    ("splitter", "name"),
    [
        (str.split, "split"),
        (Words().tokenize, "Words"),
        (Words(), "Words"),
        (OnlyTokenize(), "OnlyTokenize"),
        (lambda text: text.split(), "lambda"),
        (functools.partial(re.split, "-"), "split"),
        (list, "list"),
        (len, "len"),
    ],
)
def test_names_of_functions(splitter: Any, name: str) -> None:
    texts = OwnTexts.of_call([], None, None, splitter)
    assert texts.tokenizer == f"own+{name}"
    assert is_own(texts.tokenizer)


def test_a_function_splits_every_text() -> None:
    texts = OwnTexts.of_call(
        {"A": ["a-b c"], "B": [""]},
        [["a-b", None], ["c-", "d"]],
        ["e-f"],
        Words(),
    )
    assert texts.hypotheses == {"A": ["a b\\32;c"], "B": ["\\0;"]}
    assert texts.references == [["a b", None], ["c \\0;", "d"]]
    assert texts.sources == ["e f"]


LISTS = [["a"], ["b"]]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            ([["a"], "b"], LISTS, None),
            "hypotheses, item 2: expected a list of tokens, as other texts of the call are;",
        ),
        (
            ({"A": LISTS, "B": [["a"], 3]}, LISTS, None),
            "hypotheses['B'], item 2: expected a list of tokens",
        ),
        (
            ([["a"], None], LISTS, None),
            "hypotheses, item 2: expected a list of tokens, as other texts of the call are; fo",
        ),
        (
            (LISTS, ["a", "b"], None),
            "references, item 1: expected a list of tokens, as other texts of the call are; f",
        ),
        (
            (LISTS, [LISTS, [["a"], "b"]], None),
            "references[1], item 2: expected a list of tokens",
        ),
        (
            (LISTS, LISTS, ["a", "b"]),
            "sources, item 1: expected a list of tokens",
        ),
        (
            (None, ["a", "b"], LISTS),
            "references, item 1: expected a list of tokens",
        ),
        (
            ([["a", 3]], LISTS, None),
            "hypotheses, item 1, token 2: expected a string, found int; take str(token)",
        ),
        (
            (LISTS, LISTS, None, str.split),
            "tokenizer: the texts are lists of tokens already; leave it out",
        ),
        (
            (["a"], ["a"], None, "13a"),
            "tokenizer: expected a function that splits a text, found '13a'; a tokenizer of th",
        ),
        (
            ([["a", "b"]], [["a b"]], None),
            "references: texts with white space stand where lists of tokens are expected",
        ),
        (
            ([["a"], ["b"]], [["a c", "b"], ["a", "b"]], None),
            "put a list around them: [references]",
        ),
        (
            (["a"], ["a"], None, 3),
            "tokenizer: expected a function that splits a text, found 3",
        ),
        (
            (["a"], ["a"], None, len),
            "hypotheses, item 1: expected a list of tokens from len, found int",
        ),
        (
            (["a"], ["a"], None, str.upper),
            "hypotheses, item 1: expected a list of tokens from upper, found str",
        ),
        (
            (["a"], ["a"], None, str.encode),
            "hypotheses, item 1: expected a list of tokens from encode, found bytes",
        ),
        (
            (["a"], ["a"], None, lambda _: [3]),
            "hypotheses, item 1, token 1: expected a string, found int",
        ),
    ],
)
def test_what_is_refused(given: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InputError) as error:
        OwnTexts.of_call(*given)
    assert message in str(error.value)


def test_references_with_white_space_in_tokens() -> None:
    """They are tokens where outputs have such tokens too, where there are not as many as lines, or
    with a list more."""
    for outputs, references in (
        ([["a b"]], [["a b"]]),
        ([["a"]], [["a b", "c"]]),
        ([["a"]], [[["a b"]]]),
    ):
        assert (
            "\\32;"
            in OwnTexts.of_call(outputs, references, None).references[0][0]
        )


@pytest.mark.parametrize(
    ("references", "sets"),
    [
        ([["a"], ["b"]], [["a", "b"]]),
        ([["a"], None], [["a", None]]),
        ([[], []], [["", ""]]),
        ([[["a"], []], [None, ["b"]]], [["a", ""], [None, "b"]]),
        ([[[], []]], [["", ""]]),
    ],
)
def test_references_of_one_annotator_or_of_several(
    references: Any, sets: Any
) -> None:
    assert OwnTexts.of_call([["a"], ["b"]], references, None).references == sets
