"""Tokenisers against sacreBLEU's, live: every code point in every company, generated lines, and
what comes before.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, pairwise, product

import pytest
import regex
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_char import TokenizerChar
from sacrebleu.tokenizers.tokenizer_intl import TokenizerV14International
from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer
from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

from pipeline.errors import InvalidTextError
from pipeline.kernel import characters
from pipeline.kernel.common import join_lines
from pipeline.tokenizers import TOKENIZERS, Tokenization
from pipeline.tokenizers.sacrebleu import BORROWED
from pipeline.tokenizers.tercom import Tercom
from tests.support.words import wordlist
from tests.tools.make_categories import TARGET, render

NAMES = {
    "13a": "13a",
    "zh": "zh",
    "intl": "intl",
    "nonspace": "char",
    "whitespace": "none",
}
"""Our tokenisers and sacreBLEU's."""
COMPANY = [("a", "b "), ("a", "2 "), ("1", ". ")]
"""What stands before and behind a character; two digits are tried each time, for with them the
rules are hardest."""
PARTS = [
    *(*wordlist("a 1 2 . , - ( / ' &"), " "),
    *(*wordlist("ß 中 “ 。 ٣ ، € ½"), "\u3000", "😀"),
]
SHORT_PARTS = list(PARTS)
"""Parts of which all combinations are tried."""
PARTS += wordlist("\u0301 &quot; &amp; &lt; &gt; &amp;quot; <skipped> \x00")
PARTS += ["-\n", "\n", "\x1c", "\xa0"]
SCRIPTS = {
    "latin": "Die Straße, 3.000,50 € (ca.)—„gut“ 5-10 %; it's <b>3.5</b> & more...",
    "cyrillic": "«Привет», сказал он: 3,5-4,0 кг. №5!",
    "chinese": "他说:“你好,世界!”3.5元-10元。ABC公司(2020年)",
    "arabic": "قال: «مرحبا»، ٣٫٥ و ١٢٣؟ 12.5%",  # noqa: RUF001 (Arabic)
    "emoji": "ok 😀👍🏽‍💻! 1,2 ❤️...",
    "combining": "cafe\u0301. n\u0303o, a\u0308-3-b\u0327",
    "thai": "สวัสดี, ๑๒.๕ บาท ฯลฯ",
}


def ours(
    lines: list[str], tokenizer: str, lowercase: bool = False
) -> list[list[int]]:
    (found,) = Tokenization(tokenizer, lowercase=lowercase).encode(
        [join_lines(line.encode() for line in lines)]
    )
    borders = found.offsets.tolist()
    return [found.ids[low:high].tolist() for low, high in pairwise(borders)]


def numbered(lines: Iterable[list[str]]) -> list[list[int]]:
    """Number tokens in the order in which they first come."""
    numbers: dict[str, int] = {}
    found = []
    for tokens in lines:
        found.append([numbers.setdefault(t, len(numbers)) for t in tokens])
    return found


def theirs(
    lines: list[str], tokenizer: str, lowercase: bool = False
) -> list[list[int]]:
    split: Callable[[str], str] = BLEU(
        tokenize=NAMES.get(tokenizer, tokenizer), lowercase=lowercase
    )._preprocess_segment
    found = numbered(split(line).split() for line in lines)
    for kind in (
        Tokenizer13a,
        TokenizerChar,
        TokenizerRegexp,
        TokenizerV14International,
        TokenizerZh,
    ):
        kind.__call__.cache_clear()  # they keep every line they have seen
    return found


@pytest.mark.parametrize("tokenizer", NAMES)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1", "2 "),
        *(
            pytest.param(*pair, marks=pytest.mark.exhaustive)
            for pair in COMPANY
        ),
    ],
)
def test_every_code_point_between_letters_digits_and_points(
    tokenizer: str,
    before: str,
    after: str,
    each_kernel: Callable[[], Iterator[str]],
) -> None:
    # few of the empty planes
    codes = [
        *range(0xD800),
        *range(0xE000, 0x30000),
        *range(0x30000, 0x110000, 37),
    ]
    characters = list(map(chr, codes))
    lines = []
    for low in range(0, len(characters), 256):
        chunk = characters[low : low + 256]
        lines.append("".join(f"{before}{sign}{after}" for sign in chunk))
    expected = theirs(lines, tokenizer)
    for _ in each_kernel():
        assert ours(lines, tokenizer) == expected


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("tokenizer", NAMES)
@pytest.mark.parametrize("lowercase", [False, True])
def test_lines_of_all_short_combinations_and_many_long_ones(
    tokenizer: str, lowercase: bool
) -> None:
    rng = random.Random(7)
    lines = [
        *map(
            "".join,
            chain(*(product(SHORT_PARTS, repeat=size) for size in (1, 2, 3))),
        )
    ]
    lines += [
        "".join(rng.choices(PARTS, k=rng.randint(0, 15))) for _ in range(5000)
    ]
    assert ours(lines, tokenizer, lowercase) == theirs(
        lines, tokenizer, lowercase
    )


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("tokenizer", NAMES)
@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts(tokenizer: str, script: str) -> None:
    text = SCRIPTS[script]
    lines = [
        text,
        text.upper(),
        text[::-1],
        f" {text}\n",
        *(text[start:] for start in range(len(text))),
    ]
    assert ours(lines, tokenizer, True) == theirs(lines, tokenizer, True)


@pytest.mark.parametrize("tokenizer", ["ja-mecab", "ko-mecab"])
def test_borrowed_tokenisers(tokenizer: str) -> None:
    pytest.importorskip("MeCab" if tokenizer == "ja-mecab" else "mecab_ko")
    lines = [
        "これはペンです。",
        "빛이 쐬는 노인은 완벽한 사람과 비교할 때",
        "plain text, too",
        "",
        " 今日は \n",
    ]
    assert ours(lines, tokenizer) == theirs(lines, tokenizer)


@pytest.mark.parametrize(
    "tokenizer", [name for name in TOKENIZERS if name not in BORROWED]
)
@pytest.mark.parametrize("lowercase", [False, True])
def test_tokens_shown_are_those_that_are_counted(
    tokenizer: str, lowercase: bool
) -> None:
    tokenization = Tokenization(tokenizer, lowercase=lowercase)
    lines = [*SCRIPTS.values(), "a &quot;B&quot;  c.", ""]
    displayed = numbered(map(tokenization.tokens, lines))
    assert displayed == ours(lines, tokenizer, lowercase)


def test_categories_are_those_of_the_package_regex() -> None:
    """Another version of the package may have another Unicode."""
    known = TARGET.read_text(encoding="ascii")
    if known != render() and f"regex {regex.__version__} " not in (
        characters.in_category.__doc__ or ""
    ):
        pytest.skip(
            f"regex {regex.__version__} has other categories than the version the table was made with"
        )
    assert known == render()


# The tokens of TER against those of sacreBLEU, live.


OPTIONS = ("normalized", "no_punct", "asian_support", "case_sensitive")
PIECES = [
    *wordlist("a B It's 's s' 'S 5 . , - -- ... 1,5 -3 4-5 &quot; &amp;"),
    *wordlist('&amp;quot; &lt; <skipped> ! ? : ; ( ) [ ] { } ~ ` _ @ / \\ "'),
    *wordlist("日本 中 、 。 「 ｱ カナ ひら ー ・ \uff0c \uff0e \uff1f ㍿ ㈱"),
    *wordlist("⺀ ㇀ \uf900 \ufe30 㐀 ㇰ \u3f23 é İ ΣΑΣ ٣ ½ .5 5. x,y ''s"),
    *("😀", "\x00", "\n", "\n-", " ", "  ", "\t"),
    *("\xa0", "\u3000", "\u2028", "\x1c", "\x85"),
]


@pytest.mark.parametrize("chosen", list(product([False, True], repeat=4)))
@pytest.mark.usefixtures("kernel")
def test_tokens_are_sacrebleus(chosen: tuple[bool, ...]) -> None:
    rng = random.Random(3)
    options = dict(zip(OPTIONS, chosen, strict=True))
    item = Tercom(**options)
    oracle = TercomTokenizer(**options)
    texts = [
        "".join(rng.choices(PIECES, k=rng.randint(0, 12))) for _ in range(300)
    ]
    texts += [
        "".join(rng.choices("a5.,- '()s\n&;", k=rng.randint(0, 12)))
        for _ in range(150)
    ]
    target = [oracle(text.rstrip()).split() for text in texts]
    assert [item.tokens(text) for text in texts] == target
    (encoded,) = item.encode([join_lines([text.encode() for text in texts])])
    assert encoded.ids.tolist() == [*chain(*numbered(target))]


def test_what_is_not_utf8_is_told_with_its_place() -> None:
    for item in (
        Tercom(),
        Tercom(normalized=True),
        Tercom(no_punct=True, case_sensitive=True),
    ):
        with pytest.raises(InvalidTextError) as error:
            item.encode([join_lines([b"a"]), join_lines([b"A", b"b \xff"])])
        assert (error.value.text, error.value.line, error.value.byte) == (
            1,
            1,
            2,
        )


def test_names_differ_where_tokens_can() -> None:
    every = [Tercom(*chosen) for chosen in product([False, True], repeat=4)]
    assert (
        len({item.key for item in every})
        == len({item.cache_key for item in every})
        == 16
    )
