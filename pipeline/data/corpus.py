"""A data set with its systems, opened and checked in the parent process.

Each file is read once to be indexed (see `scan.py`). Workers then read its lines by ranges.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest
from typing import Any, ClassVar, Literal

import numpy as np

from ..arrays import Ints
from ..errors import CorpusError, InputError, Problem
from ..parallel import threads as open_threads
from ..tokenizers import is_list
from .inputs import MAX_REFERENCES, TEXTS, InputSpec
from .samples import Samples, likeness, mean
from .texts import AnyText, MemoryText, numbered

Shape = Literal["annotator", "item"]
"""Whether each list of references is that of an annotator, with a text for each item, or that of an
item."""
CLEAR_DIFFERENCE = 0.1
"""How much higher (of 0 to 1) the overlap with references must be in one shape to choose it."""
MIN_THREADED_CHARACTERS = 1 << 20
"""Up to so many characters, threads take longer to start than texts to open.

The number is estimated by the first text of each list.
"""


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """A data set with all its systems, checked: every text has `lines` lines."""

    MAX_REFERENCES: ClassVar[int] = MAX_REFERENCES
    """Limits the references, so that their numbers fit into a byte."""
    SINGLE_SYSTEM: ClassVar[str] = "system"
    """The name of the system if outputs in memory are a single list of texts."""

    name: str
    lines: int
    source: AnyText | None
    references: tuple[AnyText, ...]
    systems: Mapping[str, AnyText]
    missing: bool = False
    """Whether a line without a token means that this annotator has no reference for the sentence.
    """
    empty_references: tuple[Ints, ...] = ()
    """Lines, from 1, of each reference that have no token and are not missing, if others are.

    They are not among the `blanks` of the reference.
    """
    notes: tuple[str, ...] = ()
    """Warnings about how the texts were made."""
    ids: AnyText | None = None
    """The ids of the lines, if any."""
    own_tokens: bool = False
    """Whether the tokens of the texts were made by the caller; see `tokenizers/own_tokens.py`."""
    references_as_systems: Mapping[str, int] = field(default_factory=dict)
    """The systems that are references themselves, and the numbers of these references, from 0."""
    views: Mapping[str, Corpus] = field(default_factory=dict)
    """The same data set as metrics of edits read it, by the names of `inputs.py`."""
    categories: tuple[str, ...] = ()
    """The sorted types of edits in the annotations of gold and outputs, which are scored apart."""
    annotated: bool = False
    """Whether this is a view whose references are edits annotated in the texts of references."""
    foreign: str = ""
    """In a view of edits: a message if gold has other types of edits than ERRANT's in outputs."""
    external: Mapping[str, Corpus] = field(default_factory=dict)
    """Numbers for metrics that read no text, by the key of their specification: data sets without
    references."""
    computed: bool = False
    """Whether these are numbers that a function of the user has computed, not numbers in files."""
    left_out: tuple[int, ...] = ()
    """Indices of lines without such a number for some system, which are left out for all."""

    def read_by(self, spec: InputSpec) -> Corpus:
        """Return the view that a metric with this specification reads: texts, edits or numbers.

        Raises InputError if it reads edits and the data set has none.
        """
        if spec.input != TEXTS and spec.input not in self.views:
            remedy = (
                "name an M2 file under `gold`, or have texts annotated "
                "(`errant: {annotator: auto}`)"
            )
            raise InputError(f"{self.name}: has no edits: {remedy}")
        numbers = self.external.get(spec.key) if self.external else None
        return numbers or self.views.get(spec.input, self)

    def with_references(self) -> Corpus:
        """Return the data set with each reference as a system; raises CorpusError for taken names."""
        numbers = {
            f"reference{number}": number
            for number in range(len(self.references))
        }
        systems = dict(self.systems)
        for name, number in numbers.items():
            if name in self.systems:
                message = (
                    f"a system cannot be called '{name}': references: leave_one_out scores the "
                    "references so"
                )
                raise CorpusError.at(self.name, message)
            systems[name] = self.references[number]
        return replace(self, systems=systems, references_as_systems=numbers)

    def present(self) -> tuple[int, int]:
        """Return the smallest and the largest number of references of a line."""
        count = len(self.references)
        if not self.missing:
            return count, count
        blanks = np.concatenate([file.blanks for file in self.references])
        lines, missing_counts = np.unique(blanks, return_counts=True)
        least_missing = 0
        if len(lines) == self.lines:
            least_missing = int(missing_counts.min())
        return count - int(missing_counts.max()), count - least_missing

    def lacks(self, number: int, line: int) -> bool:
        """Return whether a line, from 1, does not have the reference with this index."""
        return self.missing and line in self.references[number].blanks

    def without(self, names: Collection[str]) -> Corpus:
        """Return the data set without the systems of these names."""
        systems = {
            name: file
            for name, file in self.systems.items()
            if name not in names
        }
        return replace(self, systems=systems)

    @cached_property
    def samples(self) -> Samples:
        """Some lines of each text but references that are systems.

        If references are gold edits alone, the source takes their place.
        """
        systems = dict(self.systems)
        for name in self.references_as_systems:
            systems.pop(name, None)
        samples = Samples(self.source, self.references, systems)
        if self.views and self.source and not self.references:
            for each in (samples, samples.short):
                each.references = each.inputs
                each.source = None
        return samples

    @property
    def texts(self) -> list[AnyText]:
        """All texts: source, references, systems."""
        texts: list[AnyText] = []
        if self.source:
            texts.append(self.source)
        texts += self.references
        texts += self.systems.values()
        return texts

    @staticmethod
    def line_name(line: int, ids: AnyText | None) -> str:
        """Return the name of a line, from 1, in output: its number, and its id if there are ids."""
        if ids is None:
            return f"line {line:,}"
        (name,) = ids.read(line - 1, line)
        return f"line {line:,} (id {name})"

    @classmethod
    def in_memory(
        cls,
        hypotheses: Sequence[str] | Mapping[str, Sequence[str]],
        references: Sequence[str] | Sequence[Sequence[str | None]] | None,
        sources: Sequence[str] | None,
        *,
        own_tokens: bool = False,
        threads: int = 1,
        references_by: Shape | None = None,
        ids: Sequence[str | int] | None = None,
    ) -> Corpus:
        """Return texts as a corpus.

        `hypotheses` holds a text for each item, or such a list for each system. `references` holds a
        list for each reference set, with None for a missing reference, or a list for each item, or is
        one list of texts; it is None if no metric reads references. `references_by` says which of
        these, if the numbers of texts leave it open. An empty text is a reference of length 0.
        `own_tokens`: the texts are tokens of the caller, as `tokenizers/own_tokens.py` writes them.
        `threads` open long texts. `ids` has the id of each item.

        Raises InputError for what is no list of texts, and for texts that do not fit together.
        """
        if isinstance(hypotheses, Mapping):
            systems = hypotheses
            name_of = {name: f"hypotheses[{name!r}]" for name in systems}
        else:
            systems = {cls.SINGLE_SYSTEM: hypotheses}
            name_of = {cls.SINGLE_SYSTEM: "hypotheses"}
        lists = [
            texts for texts in (*systems.values(), sources) if is_list(texts)
        ]
        base = lists[0] if lists else None
        sets: dict[str, Any] = {}
        notes: tuple[str, ...] = ()
        if references is not None:
            sets, notes = cls.reference_sets(references, base, references_by)

        # open the texts
        named: dict[str, Any] = {}
        if sources is not None:
            named["sources"] = sources
        named.update(sets)
        for system, texts in systems.items():
            named[name_of[system]] = texts
        missing = _check_texts(named)
        if missing:
            for name, texts in sets.items():
                named[name] = [text or "" for text in texts]
        characters = sum(
            len(texts) * len(texts[0]) for texts in named.values() if len(texts)
        )
        if characters <= MIN_THREADED_CHARACTERS:
            threads = 1
        with open_threads(threads) as shared:
            memory_texts = shared(
                lambda item: MemoryText.of(*item), list(named.items())
            )
        opened = dict(zip(named, memory_texts, strict=True))

        # separate missing references from empty ones
        empty: list[Ints] = []
        for name, texts in sets.items() if missing else ():
            lines = [line for line, text in enumerate(texts, 1) if text is None]
            missing_lines = np.array(lines, np.int64)
            empty.append(np.setdiff1d(opened[name].blanks, missing_lines))
            opened[name] = replace(opened[name], blanks=missing_lines)

        # check that the texts fit together
        parallel_texts = list(opened.values())
        named_ids = None
        if ids is not None:
            named_ids = MemoryText.of("ids", list(map(str, ids)))
            parallel_texts.append(named_ids)
        problems = check_parallel(parallel_texts)
        if named_ids:
            numbered(named_ids)  # raises the error of an id that stands twice
        reference_texts = tuple(opened[name] for name in sets)
        if missing and not problems:
            problems = without_any(reference_texts, "")
        if problems:
            raise InputError(problems)
        outputs = {system: opened[name_of[system]] for system in systems}
        return cls(
            name="memory",
            lines=parallel_texts[0].lines,
            source=opened.get("sources"),
            references=reference_texts,
            systems=outputs,
            missing=missing,
            empty_references=tuple(empty),
            notes=notes,
            ids=named_ids,
            own_tokens=own_tokens,
        )

    @staticmethod
    def reference_sets(
        references: Sequence[Any], base: Any, by: Shape | None = None
    ) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Return the reference sets by their names in messages, and warnings.

        A list of texts is one set. `base` is an output or the sources, if there are any. Raises
        InputError for what is no list, for texts beside lists, for no reference or too many, and if the
        numbers of texts leave open what each list is of.
        """
        kinds = {True, False}
        if is_list(references):
            kinds = {
                isinstance(item, str) for item in references if item is not None
            }
        if len(kinds) == 2:
            message = "expected a list of texts, or several of them in a list: one for each annotator"
            raise InputError(f"references: {message}")
        if kinds == {True}:
            return {"references": references}, ()
        notes: tuple[str, ...] = ()
        if by is None:
            by, notes = _shape(references, base)
        if by == "item":
            references = _transposed(references, base)
        elif by != "annotator":
            raise InputError(
                f"references_by: expected 'annotator' or 'item', found {by!r}"
            )
        count = len(references)
        if count == 0:
            raise InputError("references: at least one reference set is needed")
        if count > MAX_REFERENCES:
            message = f"there are {count} references; at most {MAX_REFERENCES} are supported"
            raise InputError(f"references: {message}")
        return {
            f"references[{number}]": texts
            for number, texts in enumerate(references)
        }, notes


def check_parallel(texts: Sequence[AnyText]) -> list[Problem]:
    """Return the problems of texts that must have the same number of lines, and at least one."""
    counts = {text.lines for text in texts}
    if counts == {0}:
        return [
            Problem(
                texts[0].display_name, "has no lines; nothing can be scored"
            )
        ]
    if len(counts) == 1:
        return []
    rows = [f"\n  {text.lines:>9} lines  {text.display_name}" for text in texts]
    message = f"the texts have different numbers of lines; line {min(counts) + 1} has no partner in some:"
    return [Problem("", message + "".join(dict.fromkeys(rows)))]


def without_any(references: Sequence[AnyText], why: str) -> list[Problem]:
    """Return the problem that sentences have no reference; `why` is the end of its message."""
    bare = references[0].blanks
    for file in references[1:]:
        bare = np.intersect1d(bare, file.blanks, assume_unique=True)
    if not len(bare):
        return []
    more = f" (nor for {len(bare) - 1} more)" if len(bare) > 1 else ""
    message = f"no annotator has a reference for this sentence{more}{why}"
    return [Problem(references[0].at(int(bare[0])), message)]


# ---- texts in memory as a corpus: lists of strings from a caller, checked

_UNCLEAR = "numbers and words do not tell whether each is that of an item"
_HOW_TO_SAY = (
    "say references_by='item' or references_by='annotator', or give list(zip(*references)) to turn "
    "them"
)


def _transposed(references: Sequence[Any], base: Any) -> list[list[Any]]:
    """Return a list for each annotator from a list for each item; raises InputError."""
    if is_list(base) and len(references) != len(base):
        message = f"expected a list for each item, {len(base)}; found {len(references)}"
        raise InputError(f"references: {message}")
    longest = 0
    for texts in references:
        if texts is not None and not is_list(texts):
            message = f"expected a list of texts for each item; found {type(texts).__name__}"
            raise InputError(f"references: {message}")
        if texts is not None:
            longest = max(longest, len(texts))
    sets: list[list[Any]] = [[] for _ in range(longest)]
    for texts in references:
        texts_of_item = [] if texts is None else list(texts)
        for column, text in zip_longest(sets, texts_of_item):
            column.append(text)
    return sets


def _shape(
    references: Sequence[Any], base: Any
) -> tuple[Shape, tuple[str, ...]]:
    """Return what each list of references is of, by the numbers of texts, and warnings."""
    count = len(references)
    sizes = {len(texts) for texts in references if is_list(texts)}
    if not is_list(base):
        return ("item" if len(sizes) > 1 else "annotator"), ()
    items = len(base)
    longest = max(sizes, default=count)
    if items not in sizes and 1 < count != items and count > longest:
        expected = (
            f"{items} lists (references_by='item'), or lists of {items} texts "
            "(references_by='annotator')"
        )
        message = f"{count} lists of up to {longest} texts; expected {expected}"
        raise InputError(f"references: {message}")
    if count != items:
        return "annotator", ()
    if items not in sizes:
        return "item", ()
    if items < 2:
        return "annotator", ()
    if len(sizes) > 1:
        message = f"{items} lists of {min(sizes)} to {max(sizes)} texts for {items} items"
        raise InputError(f"references: {message}; {_HOW_TO_SAY}")

    # As many lists as items: compare the words of references and texts in both shapes.
    words = [set(str(text).split()) for text in base]
    by_annotator = []
    by_item = []
    for row, texts in enumerate(references):
        for column, text in enumerate(texts):
            if row != column:
                reference_words = set(str(text).split())
                by_annotator.append(likeness(reference_words, words[column]))
                by_item.append(likeness(reference_words, words[row]))
    if mean(by_annotator) > mean(by_item) + CLEAR_DIFFERENCE:
        return "annotator", ()
    seems = _UNCLEAR
    if mean(by_item) > mean(by_annotator) + CLEAR_DIFFERENCE:
        seems = "they look transposed, as if each were that of an item"
    reading = (
        f"{items} lists of {items} texts, read as a list for each annotator"
    )
    return "annotator", (f"references: {reading}; {seems}; {_HOW_TO_SAY}",)


def _check_texts(named: Mapping[str, Any]) -> bool:
    """Return whether some reference is None, which means that it is missing.

    Raises InputError for what is no text.
    """
    missing = False
    for name, texts in named.items():
        kinds: set[type] = set(map(type, texts)) if is_list(texts) else {int}
        if kinds == {str}:
            continue
        may_be_missing = name.startswith("references")
        if type(None) in kinds and may_be_missing:
            missing = True
            kinds.remove(type(None))
        if not all(issubclass(kind, str) for kind in kinds):
            raise InputError(
                _not_texts(name, texts, may_be_missing=may_be_missing)
            )
    return missing


def _not_texts(name: str, texts: Any, *, may_be_missing: bool) -> str:
    """Return the message that something is no list of texts."""
    hint = ", None for a missing one" if may_be_missing else ""
    expected = f"{name}: expected a list of strings{hint}; "
    if not is_list(texts):
        return f"{expected}found {type(texts).__name__}"
    for number, text in enumerate(texts, 1):
        if isinstance(text, str) or (may_be_missing and text is None):
            continue
        kind = type(text).__name__
        if text is None or isinstance(text, float):
            kind = str(text)
        lists = ""
        if is_list(text):
            lists = "; lists of tokens stand alone, without strings in the same call"
        return f"{expected}item {number} is {kind}{lists}"
    return expected
