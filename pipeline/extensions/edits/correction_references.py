"""The errors of a sentence, made of its edits in an M2 file as the official converter of I-measure
makes them.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from pipeline.errors import InputError

from .m2_files import NUMBERED, Edit

Tokens = tuple[str, ...]

Split = Callable[[str], Tokens]

Key = TypeVar("Key", str, int)

MASK = (1 << 64) - 1
SMALLEST = 8
"""How many places a new dictionary has."""
LARGE = 50_000
"""The number of keys from which a dictionary doubles where it had grown fourfold before."""


def python2_hash(text: str) -> int:
    """Return the hash of a text in Python 2 with 64 bits and without a seed, as a number from 0."""
    if not text:
        return 0
    value = ord(text[0]) << 7
    for sign in text:
        value = (value * 1000003 & MASK) ^ ord(sign)
    return value ^ len(text)


def python2_order(keys: Iterable[Key], hashed: Callable[[Key], int]) -> list[Key]:
    """Return distinct keys in the order in which a dictionary of Python 2 holds them, entered in
    the given order.

    `hashed` is python2_hash for texts. The hash of a small number is the number itself.
    """
    keys = list(keys)
    if len(keys) < 2:
        return keys
    places: list[Key | None] = [None] * SMALLEST
    for number, key in enumerate(keys, 1):
        _enter(places, key, hashed(key))
        if 3 * number >= 2 * len(places):
            held, size = [other for other in places if other is not None], len(places)
            while size <= number * (2 if number > LARGE else 4):
                size *= 2
            places = [None] * size
            for other in held:
                _enter(places, other, hashed(other))
    return [key for key in places if key is not None]


def _enter(places: list[Key | None], key: Key, disturbance: int) -> None:
    """Put a key into the first free place of those that its hash leads to."""
    place = disturbance
    while places[place % len(places)] is not None:
        place = 5 * place + disturbance + 1
        disturbance >>= 5
    places[place % len(places)] = key


# References of I-measure (Felice and Briscoe 2015, N15-1060, and its program).
#
# An error of a sentence has an alternative for each annotator who corrects it. Without mixing,
# there is a reference for each annotator, with all the corrections of this annotator. With mixing,
# each error is corrected as any annotator does, so that there is a reference for each combination.


MAX_COMBINATIONS = 1 << 16
"""The most combinations of alternatives of one sentence, where nothing else is asked for."""
WHITE = " \t\n\v\f\r"


class Correction(NamedTuple):
    """The slice from `start` to `end` is replaced; the numbers are those of the file, which may fit
    no token.
    """

    start: int
    end: int
    words: Tokens
    """What replaces the tokens; where there is none, they are deleted."""


class Alternative(NamedTuple):
    """How an annotator corrects an error."""

    annotator: int
    corrections: tuple[Correction, ...]


class Error(NamedTuple):
    """A place in the sentence that some annotators correct."""

    alternatives: tuple[Alternative, ...]
    """One for each of these annotators."""
    required: bool
    """Whether all annotators of the sentence correct it. Where not, mixing may leave it
    uncorrected."""


class CorrectedSentence(NamedTuple):
    """A sentence with its errors."""

    tokens: Tokens
    annotators: int
    """How many annotators the sentence has, with those who correct nothing."""
    errors: tuple[Error, ...]


class MixingError(ValueError):
    """The alternatives of a sentence cannot be mixed. `combinations` is how many combinations they
    have.
    """

    def __init__(self, combinations: int, message: str) -> None:
        self.combinations = combinations
        self.message = message
        super().__init__(combinations, message)

    def __str__(self) -> str:
        return self.message


def split_words(text: str) -> Tokens:
    """Return the words of a text in a gold file: where it is ASCII, only ASCII white space
    separates words.
    """
    if not text.isascii():
        return tuple(text.split())
    return tuple(word.decode() for word in text.encode().split())


def references(
    sentence: CorrectedSentence, *, mix: bool, most: int = MAX_COMBINATIONS
) -> tuple[Tokens, ...]:
    """Return the distinct references of a sentence, at least one.

    The order is that of the official program, which matters where two references are equally good.
    With mixing it may differ from the official order where the hashes of two texts collide. Raises
    MixingError where mixing has more than `most` combinations, or where no combination can be
    applied."""
    corrected = {} if mix else of_annotators(sentence)
    lacks = len(corrected) < sentence.annotators or not corrected
    texts = (
        _mixed(sentence, most)
        if mix
        else [*([sentence.tokens] if lacks else []), *corrected.values()]
    )
    by_text = {" ".join(tokens): tokens for tokens in texts}
    return tuple(by_text[text] for text in python2_order(by_text, python2_hash))


def of_annotators(sentence: CorrectedSentence) -> dict[int, Tokens]:
    """Return the reference of each annotator who corrects something; that of all others is the
    sentence itself.
    """
    alternatives = [alternative for error in sentence.errors for alternative in error.alternatives]
    annotators = python2_order(
        dict.fromkeys(str(item.annotator) for item in alternatives), python2_hash
    )
    corrected = {}
    for annotator in map(int, annotators):
        own = (
            _merged(alternative)
            for alternative in alternatives
            if alternative.annotator == annotator
        )
        corrected[annotator] = apply(sentence.tokens, itertools.chain.from_iterable(own))
    return corrected


def _mixed(sentence: CorrectedSentence, most: int) -> Iterator[Tokens]:
    options = []  # for each error the distinct sets of corrections, one of which is applied
    for error in sentence.errors:
        own = [_merged(alternative) for alternative in error.alternatives]
        options.append(dict.fromkeys(own if error.required else [*own, frozenset()]))
    number = math.prod(map(len, options))
    if number > most:
        raise MixingError(
            number, f"its corrections can be mixed in {number:,} ways; at most {most:,} are tried"
        )
    compatible = False
    for combination in itertools.product(*options):
        edits = [edit for option in combination for edit in option]
        if len({(edit.start, edit.end) for edit in edits}) == len(edits):
            compatible = True
            yield apply(sentence.tokens, edits)
    if not compatible:
        message = "its corrections cannot be mixed: in each combination, two of them replace the same tokens"
        raise MixingError(number, message)


def _merged(alternative: Alternative) -> frozenset[Correction]:
    """Return the corrections of an alternative, those of the same tokens joined."""
    words: dict[tuple[int, int], Tokens] = {}
    for edit in alternative.corrections:
        span = (edit.start, edit.end)
        words[span] = words.get(span, ()) + edit.words
    return frozenset(Correction(start, end, joined) for (start, end), joined in words.items())


def apply(tokens: Tokens, edits: Iterable[Correction]) -> Tokens:
    """Return tokens with corrections applied, from the last to the first.

    Each replaces a slice of the tokens that are there by then, as Python has slices: numbers beyond
    the end mean the end, and negative ones count from there. A correction that would leave no token
    is left out."""
    result = list(tokens)
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end), reverse=True):
        corrected = result.copy()
        corrected[edit.start : edit.end] = edit.words
        result = corrected or result
    return tuple(result)


def corrections_of_m2(
    tokens: Sequence[str], edits: Iterable[Edit], split: Split
) -> CorrectedSentence:
    """Return a sentence with its errors; `edits` are in the order of the file, with those of type
    noop.

    Of alternatives of a correction, the first is taken; `split` makes words of it. Longer edits go
    first. Each edit joins the first group that has an edit it overlaps, or begins a group. A group
    is an error. Edits whose types say to which error they belong (`correction_xml.py`) stay as they
    are."""
    every = list(edits)
    by_number: dict[tuple[int, bool], list[Edit]] = {}
    groups: list[list[Edit]] = []
    annotators = len({edit.annotator for edit in every})
    for edit in every:
        if match := NUMBERED.fullmatch(edit.type):
            by_number.setdefault((int(match[1]), match[2] == "yes"), []).append(edit)
    if by_number:
        errors = [
            _error(by_number[number, required], required, split_words)
            for number, required in sorted(by_number)
        ]
        return CorrectedSentence(tuple(tokens), annotators, tuple(errors))
    changes = [edit for edit in every if not (edit.type == "noop" and edit.start == edit.end == -1)]
    for edit in sorted(changes, key=lambda edit: edit.start - edit.end):
        group = next(
            (group for group in groups if any(overlap(edit, other) for other in group)), None
        )
        if group is None:
            groups.append([edit])
        else:
            group.append(edit)
    groups.sort(key=lambda group: (group[0].start, group[0].end))
    errors = []
    for group in groups:
        required = len({edit.annotator for edit in group}) == annotators
        group.sort(key=lambda edit: edit.annotator)
        errors.append(_error(group, required, lambda text: split(text.split("||")[0])))
    return CorrectedSentence(tuple(tokens), annotators, tuple(errors))


def overlap(one: Edit, two: Edit) -> bool:
    """Return whether two edits concern the same tokens; an insertion overlaps only what it is
    strictly inside of.
    """
    if (one.start, one.end) == (two.start, two.end):
        return True
    return one.start < two.end and two.start < one.end


def _error(edits: Sequence[Edit], required: bool, split: Split) -> Error:
    """Return an error of its edits, with the alternatives in the order in which the annotators come
    first.
    """
    alternatives: dict[int, list[Correction]] = {}
    for edit in edits:
        words = split(edit.correction)
        alternatives.setdefault(edit.annotator, []).append(Correction(edit.start, edit.end, words))
    return Error(
        tuple(Alternative(annotator, tuple(own)) for annotator, own in alternatives.items()),
        required,
    )


def _nltk(text: str) -> Tokens:
    """Return the words of nltk.word_tokenize() for a single sentence, as the official converter
    does.
    """
    try:
        from nltk import word_tokenize
    except ImportError:
        raise InputError("the tokenisation nltk needs the package nltk: pip install nltk") from None
    return tuple(word_tokenize(text, preserve_line=True))


SPLITS: dict[str, Split] = {"whitespace": split_words, "nltk": _nltk}
"""How the words of a correction are made."""
