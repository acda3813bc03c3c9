"""References of I-measure: texts that follow from the corrections of a sentence's annotators.

An error of a sentence has an alternative for each annotator who corrects it. Without mixing, there is a reference for
each annotator, with all the corrections of this annotator. With mixing, each error is corrected as any annotator
does, so that there is a reference for each combination.

Source: Felice and Briscoe 2015 (N15-1060), and its program.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

from .python2_order import python2_hash, python2_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Tokens = tuple[str, ...]

MAX_COMBINATIONS = 1 << 16
"""The most combinations of alternatives of one sentence, where nothing else is asked for."""
WHITE = " \t\n\v\f\r"


class Correction(NamedTuple):
    """The tokens start <= i < end are replaced."""

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
    """Whether all annotators of the sentence correct it. Where not, mixing may leave it uncorrected."""


class CorrectedSentence(NamedTuple):
    """A sentence with its errors."""

    tokens: Tokens
    annotators: int
    """How many annotators the sentence has, with those who correct nothing."""
    errors: tuple[Error, ...]


class MixingError(ValueError):
    """The alternatives of a sentence cannot be mixed. `combinations` is how many combinations they have."""

    def __init__(self, combinations: int, message: str) -> None:
        self.combinations = combinations
        self.message = message
        super().__init__(combinations, message)

    def __str__(self) -> str:
        return self.message


def split_words(text: str) -> Tokens:
    """Return the words of a text in a gold file: where it is ASCII, only ASCII white space separates words."""
    if not text.isascii():
        return tuple(text.split())
    return tuple(word.decode() for word in text.encode().split())


def references(sentence: CorrectedSentence, *, mix: bool, most: int = MAX_COMBINATIONS) -> tuple[Tokens, ...]:
    """Return the distinct references of a sentence, at least one.

    The order is that of the official program, which matters where two references are equally good. With mixing it may
    differ from the official order where the hashes of two texts collide.
    Raises MixingError where mixing has more than `most` combinations, or where no combination can be applied.
    """
    texts = _mixed(sentence, most) if mix else _of_annotators(sentence)
    by_text = {" ".join(tokens): tokens for tokens in texts}
    return tuple(by_text[text] for text in python2_order(by_text, python2_hash))


def _of_annotators(sentence: CorrectedSentence) -> Iterator[Tokens]:
    corrected = of_annotators(sentence)
    if len(corrected) < sentence.annotators or not corrected:
        yield sentence.tokens
    yield from corrected.values()


def of_annotators(sentence: CorrectedSentence) -> dict[int, Tokens]:
    """Return the reference of each annotator who corrects something; that of all others is the sentence itself."""
    alternatives = [alternative for error in sentence.errors for alternative in error.alternatives]
    annotators = python2_order(dict.fromkeys(str(item.annotator) for item in alternatives), python2_hash)
    corrected = {}
    for annotator in map(int, annotators):
        own = (_merged(alternative) for alternative in alternatives if alternative.annotator == annotator)
        corrected[annotator] = apply(sentence.tokens, itertools.chain.from_iterable(own))
    return corrected


def combinations(sentence: CorrectedSentence) -> int:
    """Return how many combinations of alternatives a sentence has with mixing."""
    return math.prod(len(options) for options in _options(sentence))


def _options(sentence: CorrectedSentence) -> list[list[frozenset[Correction]]]:
    """Return for each error the distinct sets of corrections, one of which is applied."""
    result = []
    for error in sentence.errors:
        options = [_merged(alternative) for alternative in error.alternatives]
        result.append(list(dict.fromkeys(options if error.required else [*options, frozenset()])))
    return result


def _mixed(sentence: CorrectedSentence, most: int) -> Iterator[Tokens]:
    options, number = _options(sentence), combinations(sentence)
    if number > most:
        raise MixingError(number, f"its corrections can be mixed in {number:,} ways; at most {most:,} are tried")
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

    A correction that would leave no token is left out.
    """
    result = list(tokens)
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end), reverse=True):
        corrected = [*result[: edit.start], *edit.words, *result[max(edit.start, edit.end) :]]
        result = corrected or result
    return tuple(result) or tokens
