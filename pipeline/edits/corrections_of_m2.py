"""The errors of a sentence, made of its edits in an M2 file as the official converter of I-measure makes them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..errors import InputError, did_you_mean
from .correction_references import Alternative, CorrectedSentence, Correction, Error, split_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .correction_references import Tokens
    from .m2_lines import Edit

    Split = Callable[[str], Tokens]

NOOP = "noop"
_NUMBERED = re.compile(r"error ([0-9]+) (yes|no)")


def corrections_of_m2(tokens: Sequence[str], edits: Iterable[Edit], split: Split) -> CorrectedSentence:
    """Return a sentence with its errors; `edits` are in the order of the file, with those of type noop.

    Of alternatives of a correction, the first is taken; `split` makes words of it. Longer edits go first. Each edit
    joins the first group that has an edit it overlaps, or begins a group. A group is an error. Edits whose types say
    to which error they belong (type_of_error) stay as they are.
    """
    every = list(edits)
    if any(is_numbered(edit.type) for edit in every):
        return _as_numbered(tokens, every)
    groups: list[list[Edit]] = []
    changes = [edit for edit in every if not _changes_nothing(edit)]
    for edit in sorted(changes, key=lambda edit: edit.start - edit.end):
        group = next((group for group in groups if any(overlap(edit, other) for other in group)), None)
        if group is None:
            groups.append([edit])
        else:
            group.append(edit)
    groups.sort(key=lambda group: (group[0].start, group[0].end))
    annotators = len({edit.annotator for edit in every})
    return CorrectedSentence(tuple(tokens), annotators, tuple(_error(group, annotators, split) for group in groups))


def type_of_error(number: int, *, required: bool) -> str:
    """Return the type of the edits of an error, where a file numbers the errors of a sentence itself."""
    return f"error {number} {'yes' if required else 'no'}"


def is_numbered(type_: str) -> bool:
    """Return whether the type of an edit says to which error of its sentence it belongs."""
    return bool(_NUMBERED.fullmatch(type_))


def _as_numbered(tokens: Sequence[str], edits: Sequence[Edit]) -> CorrectedSentence:
    """Return a sentence with its errors, of edits whose types say to which error they belong."""
    groups: dict[int, list[Edit]] = {}
    required: dict[int, bool] = {}
    for edit in edits:
        match = _NUMBERED.fullmatch(edit.type)
        if match:
            groups.setdefault(int(match[1]), []).append(edit)
            required[int(match[1])] = match[2] == "yes"
    errors = []
    for number in sorted(groups):
        alternatives: dict[int, list[Correction]] = {}
        for edit in groups[number]:
            words = split_words(edit.correction)
            alternatives.setdefault(edit.annotator, []).append(Correction(edit.start, edit.end, words))
        each = (Alternative(annotator, tuple(corrections)) for annotator, corrections in alternatives.items())
        errors.append(Error(tuple(each), required[number]))
    return CorrectedSentence(tuple(tokens), len({edit.annotator for edit in edits}), tuple(errors))


def _changes_nothing(edit: Edit) -> bool:
    return edit.type == NOOP and edit.start == edit.end == -1


def overlap(one: Edit, two: Edit) -> bool:
    """Return whether two edits concern the same tokens; an insertion overlaps only what it is strictly inside of."""
    if (one.start, one.end) == (two.start, two.end):
        return True
    return one.start < two.end and two.start < one.end


def _error(group: Sequence[Edit], annotators: int, split: Split) -> Error:
    by_annotator: dict[int, list[Correction]] = {}
    for edit in group:
        words = split(edit.correction.split("||")[0])
        by_annotator.setdefault(edit.annotator, []).append(Correction(edit.start, edit.end, words))
    alternatives = (Alternative(annotator, tuple(by_annotator[annotator])) for annotator in sorted(by_annotator))
    return Error(tuple(alternatives), required=len(by_annotator) == annotators)


def _nltk(text: str) -> Tokens:
    """Return the words of nltk.word_tokenize(), which the official converter uses.

    It is told that a correction is a single sentence, so that it needs no model to find sentences.
    """
    try:
        from nltk import word_tokenize
    except ImportError:
        raise InputError("the tokenisation nltk needs the package nltk: pip install nltk") from None
    return tuple(word_tokenize(text, preserve_line=True))


SPLITS: dict[str, Split] = {"whitespace": split_words, "nltk": _nltk}
"""How the words of a correction are made."""


def split_of(name: str) -> Split:
    """Return the function of SPLITS with a name; raises InputError where there is none."""
    if name not in SPLITS:
        hint = did_you_mean(name, SPLITS)
        raise InputError(f"tokenisation of corrections: expected one of {', '.join(SPLITS)}, found '{name}'{hint}")
    return SPLITS[name]
