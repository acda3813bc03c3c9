"""The references of I-measure, made of the edits of a sentence as its official converter does."""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from pipeline.errors import InputError

from .m2_files import NUMBERED, SPAN, Edit

Tokens = tuple[str, ...]

Split = Callable[[str], Tokens]

Key = TypeVar("Key", str, int)

MASK = (1 << 64) - 1
NEW_SLOTS = 8
"""How many slots a new dictionary has."""
LARGE = 50_000
"""The number of keys from which a dictionary doubles; before, it grows fourfold."""


def python2_hash(text: str) -> int:
    """Return the hash of a text in Python 2 with 64 bits and without a seed, as a number from 0."""
    if not text:
        return 0
    hashed = ord(text[0]) << 7
    for character in text:
        hashed = (hashed * 1000003 & MASK) ^ ord(character)
    return hashed ^ len(text)


def python2_order(
    keys: Iterable[Key], hashed: Callable[[Key], int]
) -> list[Key]:
    """Return distinct keys in the order in which a dictionary of Python 2 holds them.

    The official programs go through dictionaries, so this order decides ties. Keys are entered one
    after the other into a hash table, which grows when two thirds of it are full. `hashed` is
    python2_hash for texts. The hash of a small number is the number itself.
    """
    keys = list(keys)
    if len(keys) < 2:
        return keys
    slots: list[Key | None] = [None] * NEW_SLOTS
    for count, key in enumerate(keys, 1):
        _enter(slots, key, hashed(key))
        if 3 * count >= 2 * len(slots):
            old_slots = slots
            growth = 2 if count > LARGE else 4
            size = len(slots)
            while size <= count * growth:
                size *= 2
            slots = [None] * size
            for old_key in old_slots:
                if old_key is not None:
                    _enter(slots, old_key, hashed(old_key))
    return [key for key in slots if key is not None]


def _enter(slots: list[Key | None], key: Key, hashed: int) -> None:
    """Put a key into the first free slot of those that its hash leads to, as CPython 2 does."""
    slot = hashed
    perturbation = hashed
    while slots[slot % len(slots)] is not None:
        slot = 5 * slot + perturbation + 1
        perturbation >>= 5
    slots[slot % len(slots)] = key


# References of I-measure (Felice and Briscoe 2015, N15-1060, and its program).
#
# An error of a sentence has an alternative for each annotator who corrects it. Without mixing,
# there is a reference for each annotator, with all the corrections of this annotator. With mixing,
# each error is corrected as any annotator does, so that there is a reference for each combination.


MAX_COMBINATIONS = 1 << 16
"""The most combinations of alternatives of one sentence."""


class Correction(NamedTuple):
    """A replacement of the slice from `start` to `end`, numbers of the file that may fit no token."""

    start: int
    end: int
    words: Tokens
    """What replaces the tokens; if there is none, they are deleted."""


class Alternative(NamedTuple):
    """How an annotator corrects an error."""

    annotator: int
    corrections: tuple[Correction, ...]


class Error(NamedTuple):
    """A part of the sentence that some annotators correct."""

    alternatives: tuple[Alternative, ...]
    """One for each of these annotators."""
    required: bool
    """Whether all annotators of the sentence correct it. If not, mixing may skip it."""


class CorrectedSentence(NamedTuple):
    """A sentence with its errors."""

    tokens: Tokens
    annotators: int
    """How many annotators the sentence has, with those who correct nothing."""
    errors: tuple[Error, ...]


class MixingError(ValueError):
    """The alternatives of a sentence cannot be mixed.

    `combinations` is how many combinations they have.
    """

    def __init__(self, combinations: int, message: str) -> None:
        self.combinations = combinations
        self.message = message
        super().__init__(combinations, message)

    def __str__(self) -> str:
        return self.message


def split_words(text: str) -> Tokens:
    """Return the words of a text in a gold file; only ASCII white space separates ASCII text."""
    if not text.isascii():
        return tuple(text.split())
    return tuple(word.decode() for word in text.encode().split())


def references(
    sentence: CorrectedSentence,
    *,
    mix: bool,
    most: int = MAX_COMBINATIONS,
) -> tuple[Tokens, ...]:
    """Return the distinct references of a sentence, at least one, as tokens.

    They are what each annotator corrects it to or, with `mix`, each combination of the annotators'
    corrections. The order is that of the official program, which matters if two references are
    equally good. With `mix` it may differ from the official order if the hashes of two texts
    collide. Raises MixingError if there are more than `most` combinations, or if none can be
    applied.
    """
    texts: list[Tokens] = []
    if mix:
        texts += _mixed(sentence, most)
    else:
        corrected = of_annotators(sentence)
        if len(corrected) < sentence.annotators or not corrected:
            # some annotator corrects nothing
            texts.append(sentence.tokens)
        texts += corrected.values()
    by_text = {" ".join(tokens): tokens for tokens in texts}
    return tuple(by_text[text] for text in python2_order(by_text, python2_hash))


def of_annotators(sentence: CorrectedSentence) -> dict[int, Tokens]:
    """Return the reference of each annotator who corrects something, by number.

    That of all others is the sentence itself. The order is that of the official program, whose
    numbers are texts.
    """
    corrections: dict[str, list[Correction]] = {}
    for error in sentence.errors:
        for alternative in error.alternatives:
            of_annotator = corrections.setdefault(
                str(alternative.annotator), []
            )
            of_annotator += _merged(alternative)
    corrected = {}
    for annotator in python2_order(corrections, python2_hash):
        corrected[int(annotator)] = apply(
            sentence.tokens, corrections[annotator]
        )
    return corrected


def _mixed(sentence: CorrectedSentence, most: int) -> Iterator[Tokens]:
    """Yield the reference of each combination: for each error, the corrections of one annotator.

    An error that not all annotators correct may also stay as it is. Combinations in which two
    corrections replace the same tokens are left out. Raises MixingError as references() does.
    """
    options = []  # for each error the distinct sets of corrections, one of which is applied
    for error in sentence.errors:
        sets = [_merged(alternative) for alternative in error.alternatives]
        if not error.required:
            sets.append(frozenset())
        options.append(dict.fromkeys(sets))
    combinations = math.prod(map(len, options))
    if combinations > most:
        message = f"its corrections can be mixed in {combinations:,} ways; at most {most:,} are tried"
        raise MixingError(combinations, message)
    any_compatible = False
    for combination in itertools.product(*options):
        corrections = list(itertools.chain.from_iterable(combination))
        spans = set(map(SPAN, corrections))
        if len(spans) == len(corrections):
            any_compatible = True
            yield apply(sentence.tokens, corrections)
    if not any_compatible:
        message = (
            "its corrections cannot be mixed: in each combination, two of them replace "
            "the same tokens"
        )
        raise MixingError(combinations, message)


def _merged(alternative: Alternative) -> frozenset[Correction]:
    """Return the corrections of an alternative; those of the same span are joined to one."""
    words_of_span: dict[tuple[int, int], Tokens] = {}
    for correction in alternative.corrections:
        span = (correction.start, correction.end)
        words_of_span[span] = words_of_span.get(span, ()) + correction.words
    merged = []
    for (start, end), words in words_of_span.items():
        merged.append(Correction(start, end, words))
    return frozenset(merged)


def apply(tokens: Tokens, edits: Iterable[Correction]) -> Tokens:
    """Return tokens with corrections applied, from the last to the first.

    Each replaces a slice of the tokens that are there by then, as Python has slices: numbers beyond
    the end mean the end, and negative ones count from there. A correction that would leave no token
    is left out.
    """
    corrected = list(tokens)
    for edit in sorted(edits, key=SPAN, reverse=True):
        changed = corrected.copy()
        changed[edit.start : edit.end] = edit.words
        if changed:
            corrected = changed
    return tuple(corrected)


def corrections_of_m2(
    tokens: Sequence[str],
    edits: Iterable[Edit],
    split: Split,
) -> CorrectedSentence:
    """Group the edits of a sentence to errors; `edits` are in the order of the file, with noops.

    In gold files of I-measure (`correction_xml.py`) the types of edits have the number of the error
    and whether it is required. In M2 files an error is a group of edits: longer edits go first, and
    each joins the first group that has an edit it overlaps, or begins a group. Of alternatives of a
    correction, the first is taken; `split` makes words of it.
    """
    sentence_edits = list(edits)
    annotators = len({edit.annotator for edit in sentence_edits})
    errors = []

    # edits with the number of their error
    by_number: dict[tuple[int, bool], list[Edit]] = {}
    for edit in sentence_edits:
        match = NUMBERED.fullmatch(edit.type)
        if match:
            required = match[2] == "yes"
            by_number.setdefault((int(match[1]), required), []).append(edit)
    if by_number:
        for (_, required), group in sorted(by_number.items()):
            errors.append(_error(group, required, split_words))
        return CorrectedSentence(tuple(tokens), annotators, tuple(errors))

    # edits of M2 files
    def first_words(text: str) -> Tokens:
        return split(text.split("||", maxsplit=1)[0])

    for group in _groups(sentence_edits):
        required = len({edit.annotator for edit in group}) == annotators
        group.sort(key=lambda edit: edit.annotator)
        errors.append(_error(group, required, first_words))
    return CorrectedSentence(tuple(tokens), annotators, tuple(errors))


def _groups(edits: Iterable[Edit]) -> list[list[Edit]]:
    """Return the groups of edits that overlap, in the order of the sentence, without noops."""
    groups: list[list[Edit]] = []
    for edit in sorted(edits, key=lambda edit: edit.start - edit.end):
        if edit.type == "noop" and edit.start == edit.end == -1:
            continue
        for group in groups:
            if any(overlap(edit, other) for other in group):
                group.append(edit)
                break
        else:
            groups.append([edit])
    groups.sort(key=lambda group: SPAN(group[0]))
    return groups


def overlap(one: Edit, two: Edit) -> bool:
    """Return whether two edits concern the same tokens.

    An insertion overlaps only what it is strictly inside of.
    """
    if SPAN(one) == SPAN(two):
        return True
    return one.start < two.end and two.start < one.end


def _error(edits: Sequence[Edit], required: bool, split: Split) -> Error:
    """Return the error that some edits correct, with an alternative for each of their annotators.

    Alternatives are in the order in which annotators first appear. `split` makes words of a
    correction.
    """
    corrections: dict[int, list[Correction]] = {}
    for edit in edits:
        correction = Correction(edit.start, edit.end, split(edit.correction))
        corrections.setdefault(edit.annotator, []).append(correction)
    alternatives = []
    for annotator, of_annotator in corrections.items():
        alternatives.append(Alternative(annotator, tuple(of_annotator)))
    return Error(tuple(alternatives), required)


def _nltk(text: str) -> Tokens:
    """Return the words of nltk.word_tokenize() for one sentence, as the official converter does."""
    try:
        from nltk import word_tokenize
    except ImportError:
        raise InputError(
            "the tokenisation nltk needs the package nltk: pip install nltk"
        ) from None
    return tuple(word_tokenize(text, preserve_line=True))


SPLITS: dict[str, Split] = {"whitespace": split_words, "nltk": _nltk}
"""How the words of a correction are made."""
