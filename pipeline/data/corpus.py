"""A data set with its systems, opened and checked in the parent process; workers read its texts by
ranges.

Each file is read once when it is opened, and where some of its lines begin is kept (see `scan.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from .. import parallel as workers
from ..arrays import Ints
from ..errors import CorpusError, InputError, Problem
from ..tokenizers.own_tokens import is_list
from .inputs import TEXTS, InputSpec
from .samples import Samples
from .texts import AnyText, numbered, text_in_memory

MAX_REFERENCES = 255


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """A data set with all its systems, checked: every text has `lines` lines."""

    name: str
    lines: int
    source: AnyText | None
    references: tuple[AnyText, ...]
    systems: Mapping[str, AnyText]
    missing: bool = False
    """A reference without a token means that its annotator has none for the sentence; others then
    have one."""
    kept: tuple[Ints, ...] = ()
    """The lines, from 1, of each reference without a token that is there all the same, although
    others are missing.

    They are not among the `blanks` of the reference."""
    notes: tuple[str, ...] = ()
    """Warnings about how the texts were made."""
    ids: AnyText | None = None
    """The ids of the lines, where the data set has some."""
    own_tokens: bool = False
    """Whether the tokens of the texts were made by the caller; see `tokenizers/own_tokens.py`."""
    references_as_systems: Mapping[str, int] = field(default_factory=dict)
    """The systems that are references themselves, and the numbers of these references, from 0."""
    views: Mapping[str, Corpus] = field(default_factory=dict)
    """The same data set as metrics of edits read it, by the names of `inputs.py`."""
    categories: tuple[str, ...] = ()
    """The types of edits that are scored apart, sorted: those in the annotations of gold and
    outputs."""
    annotated: bool = False
    """Whether this is a view whose references are edits that were annotated in the texts of the
    references."""
    foreign: str = ""
    """Of a view of edits: what is said of the gold where its edits are none of ERRANT, and those of
    outputs are."""
    external: Mapping[str, Corpus] = field(default_factory=dict)
    """Numbers for metrics that read no text, by the key of their needs: data sets without
    references."""
    computed: bool = False
    """Whether these are numbers that code of a user has computed, and no files."""
    left_out: tuple[int, ...] = ()
    """The lines, from 0, that have no such number for some system, so that they are left out for
    all."""

    def read_by(self, spec: InputSpec) -> Corpus:
        """Return what a metric with these needs reads of the data set: texts, edits or files of
        numbers.

        Raises InputError where it needs edits and the data set has none.
        """
        if spec.input != TEXTS and spec.input not in self.views:
            remedy = "name an M2 file under `gold`, or have texts annotated (`errant: {annotator: auto}`)"
            raise InputError(f"{self.name}: has no edits: {remedy}")
        external = self.external.get(spec.key) if self.external else None
        return external or self.views.get(spec.input, self)

    def with_references(self) -> Corpus:
        """Return the data set with each reference as one more system; raises CorpusError where a
        name is taken.
        """
        numbers = {f"reference{number}": number for number in range(len(self.references))}
        taken = next((name for name in numbers if name in self.systems), None)
        if taken:
            message = f"a system cannot be called '{taken}': references: leave_one_out scores the references so"
            raise CorpusError([Problem(self.name, message)])
        added = {name: self.references[number] for name, number in numbers.items()}
        return replace(self, systems={**self.systems, **added}, references_as_systems=numbers)

    def present(self) -> tuple[int, int]:
        """Return the least and the greatest number of references that a line has."""
        every = len(self.references)
        if not self.missing:
            return every, every
        lines, lacking = np.unique(
            np.concatenate([file.blanks for file in self.references]), return_counts=True
        )
        return every - int(lacking.max()), every - (
            int(lacking.min()) if len(lines) == self.lines else 0
        )

    def lacks(self, number: int, line: int) -> bool:
        """Return whether a line, from 1, does not have the reference of this number."""
        return self.missing and line in self.references[number].blanks

    def without(self, names: Collection[str]) -> Corpus:
        """Return the data set without some systems."""
        return replace(
            self, systems={name: file for name, file in self.systems.items() if name not in names}
        )

    @cached_property
    def samples(self) -> Samples:
        """Some lines of each text but references that are systems; beside gold alone the source is
        the reference.
        """
        own = {
            name: text
            for name, text in self.systems.items()
            if name not in self.references_as_systems
        }
        samples = Samples(self.source, self.references, own)
        for each in (
            (samples, samples.short) if self.views and self.source and not self.references else ()
        ):
            each.references, each.source = each.given, None
        return samples

    def texts(self) -> list[AnyText]:
        """Return all texts: source, references, systems."""
        return [*([self.source] if self.source else []), *self.references, *self.systems.values()]


def check_parallel(texts: Sequence[AnyText]) -> list[Problem]:
    """Return the problems of texts that must have equal numbers of lines: they differ, or there are
    no lines.
    """
    counts = {text.lines for text in texts}
    if len(counts) == 1:
        return (
            [Problem(texts[0].display_name, "has no lines; nothing can be scored")]
            if counts == {0}
            else []
        )
    listed = "".join(
        dict.fromkeys(f"\n  {text.lines:>9} lines  {text.display_name}" for text in texts)
    )
    message = f"the texts have different numbers of lines; line {min(counts) + 1} has no partner in some:{listed}"
    return [Problem("", message)]


def without_any(references: Sequence[AnyText], why: str) -> list[Problem]:
    """Return the problem that sentences have no reference at all. `why` is the end of its message."""
    bare = references[0].blanks
    for file in references[1:]:
        bare = np.intersect1d(bare, file.blanks, assume_unique=True)
    if not len(bare):
        return []
    more = f" (nor for {len(bare) - 1} more)" if len(bare) > 1 else ""
    return [
        Problem(
            references[0].at(int(bare[0])),
            f"no annotator has a reference for this sentence{more}{why}",
        )
    ]


# ---- texts in memory as a corpus: lists of strings that a caller gives, checked

Shape = Literal["annotator", "item"]
"""Whether each list of references is that of an annotator, with a text for each item, or that of an
item."""
TOLD = 0.1
"""How much higher (of 0 to 1) the overlap with references must be by one shape to tell that it is
the right one."""
ONE = "system"
"""The name of a system where outputs are a list of texts and have no name."""


def corpus_in_memory(
    hypotheses: Sequence[str] | Mapping[str, Sequence[str]],
    references: Sequence[str] | Sequence[Sequence[str | None]] | None,
    sources: Sequence[str] | None,
    *,
    own_tokens: bool = False,
    threads: int = 1,
    references_by: Shape | None = None,
    ids: Sequence[str | int] | None = None,
) -> Corpus:
    """Return the texts as a corpus.

    `hypotheses` holds a text for each item, or such a list for each system. `references` holds a
    list for each reference set, with None where a reference is missing, or a list for each item, or
    is one list of texts alone; it is None where no metric reads any. `references_by` says which,
    where the numbers of texts do not tell. An empty text is a reference of length 0. `own_tokens`
    says that texts are tokens of the caller, as `tokenizers/own_tokens.py` writes them. Several
    `threads` take texts where these are long. `ids` has the id of each item.

    Raises InputError where the texts do not fit together, and for what is no list of texts.
    """
    systems = hypotheses if isinstance(hypotheses, Mapping) else {ONE: hypotheses}
    base = next((texts for texts in (*systems.values(), sources) if is_list(texts)), None)
    sets, notes = (
        ({}, ()) if references is None else reference_sets(references, base, references_by)
    )
    named: list[tuple[str, Any]] = [("sources", sources)] if sources is not None else []
    named += sets.items()
    named += [
        (f"hypotheses[{name!r}]" if hypotheses is systems else "hypotheses", t)
        for name, t in systems.items()
    ]
    missing = _check_texts(named)
    if missing:
        named = [(name, [text or "" for text in texts]) for name, texts in named]
    long = threads > 1 and sum(len(texts) * len(texts[0]) for _, texts in named if texts) > LONG
    with workers.threads(threads if long else 1) as shared:
        opened = shared(lambda item: text_in_memory(*item), named)
    source = opened[0] if sources is not None else None
    first = len(opened) - len(systems) - len(sets)
    reference_texts, outputs = opened[first : first + len(sets)], opened[first + len(sets) :]
    kept: list[Ints] = []
    if missing:
        lacking = [
            np.array([number for number, text in enumerate(texts, 1) if text is None], np.int64)
            for texts in sets.values()
        ]
        kept = [
            np.setdiff1d(text.blanks, lines)
            for text, lines in zip(reference_texts, lacking, strict=True)
        ]
        reference_texts = [
            replace(t, blanks=lines) for t, lines in zip(reference_texts, lacking, strict=True)
        ]
    named_ids = text_in_memory("ids", list(map(str, ids))) if ids is not None else None
    problems = check_parallel([*opened, *([named_ids] if named_ids else [])])
    if named_ids:
        numbered(named_ids)
    if missing and not problems:
        problems = without_any(reference_texts, "")
    if problems:
        raise InputError(problems)
    return Corpus(
        name="memory",
        lines=opened[0].lines,
        source=source,
        references=tuple(reference_texts),
        systems=dict(zip(systems, outputs, strict=True)),
        missing=missing,
        kept=tuple(kept),
        notes=notes,
        ids=named_ids,
        own_tokens=own_tokens,
    )


LONG = 1 << 20
"""Up to so many characters of all texts together, threads take longer to start than texts to open.
How many there are is guessed by the first text of each list."""


def reference_sets(
    references: Sequence[Any], base: Any, by: Shape | None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the reference sets by what messages call them, and warnings. A list of texts alone is
    one set.

    `base` is an output or the sources, where there are some. Raises InputError for what is no list,
    for texts beside lists, for no reference or too many, and where the numbers of texts do not tell
    what each list is of."""
    kinds = (
        {isinstance(item, str) for item in references if item is not None}
        if is_list(references)
        else {True, False}
    )
    if len(kinds) == 2:
        raise InputError(
            "references: expected a list of texts, or several of them in a list: one for each annotator"
        )
    if kinds == {True}:
        return {"references": references}, ()
    notes: tuple[str, ...] = ()
    if by is None:
        by, notes = _shape(references, base)
    if by == "item":
        if is_list(base) and len(references) != len(base):
            raise InputError(
                f"references: expected a list for each item, {len(base)}; found {len(references)}"
            )
        if odd := [own for own in references if own is not None and not is_list(own)]:
            raise InputError(
                f"references: expected a list of texts for each item; found {type(odd[0]).__name__}"
            )
        most = max((len(own) for own in references if own is not None), default=0)
        references = [
            [own[n] if own is not None and n < len(own) else None for own in references]
            for n in range(most)
        ]
    elif by != "annotator":
        raise InputError(f"references_by: expected 'annotator' or 'item', found {by!r}")
    if len(references) == 0:
        raise InputError("references: at least one reference set is needed")
    if len(references) > MAX_REFERENCES:
        raise InputError(
            f"references: there are {len(references)} references; at most {MAX_REFERENCES} are supported"
        )
    return {f"references[{number}]": texts for number, texts in enumerate(references)}, notes


def _shape(references: Sequence[Any], base: Any) -> tuple[Shape, tuple[str, ...]]:
    """Return what each list of references is of, by how many texts there are, and a warning where
    these do not tell.
    """
    items, sizes = (
        len(base) if is_list(base) else None,
        {len(texts) for texts in references if is_list(texts)},
    )
    if items is None:
        return ("item" if len(sizes) > 1 else "annotator"), ()
    if (
        items not in sizes
        and 1 < len(references) != items
        and len(references) > max(sizes, default=len(references))
    ):
        either = f"{items} lists (references_by='item'), or lists of {items} texts (references_by='annotator')"
        raise InputError(
            f"references: {len(references)} lists of up to {max(sizes)} texts; expected {either}"
        )
    if len(references) != items or items < 2:
        return ("annotator" if len(references) != items or items in sizes else "item"), ()
    if items not in sizes:
        return "item", ()
    if len(sizes) > 1:
        raise InputError(
            f"references: {items} lists of {min(sizes)} to {max(sizes)} texts for {items} items; {SAY}"
        )
    words = [set(str(text).split()) for text in base]
    own = [[set(str(text).split()) for text in texts] for texts in references]
    pairs = [(one, two) for one in range(items) for two in range(items) if one != two]
    straight, turned = (
        sum(len(t & w) / max(len(t | w), 1) for t, w in each) / len(pairs)
        for each in (
            ((own[i][j], words[j]) for i, j in pairs),
            ((own[i][j], words[i]) for i, j in pairs),
        )
    )
    if straight > turned + TOLD:
        return "annotator", ()
    seems = (
        "they look transposed, as if each were that of an item"
        if turned > straight + TOLD
        else SQUARE
    )
    return "annotator", (
        f"references: {items} lists of {items} texts, read as a list for each annotator; {seems}; {SAY}",
    )


SQUARE = "numbers and words do not tell whether each is that of an item"
SAY = "say references_by='item' or references_by='annotator', or give list(zip(*references)) to turn them"


def _check_texts(named: Sequence[tuple[str, Any]]) -> bool:
    """Return whether some reference is None, which means that it is missing; raises InputError for
    what is no text.
    """
    missing = False
    for name, texts in named:
        kinds: set[type] = set(map(type, texts)) if is_list(texts) else {int}
        if kinds == {str}:
            continue
        if type(None) in kinds and name.startswith("references"):
            missing = True
            kinds.remove(type(None))
        if not all(issubclass(kind, str) for kind in kinds):
            hint = ", None for a missing one" if name.startswith("references") else ""
            wanted = f"{name}: expected a list of strings{hint}; "
            if not is_list(texts):
                raise InputError(f"{wanted}found {type(texts).__name__}")
            number, odd = next(
                (n, t)
                for n, t in enumerate(texts, 1)
                if not (isinstance(t, str) or (hint and t is None))
            )
            lists = (
                "; lists of tokens stand alone, without strings in the same call"
                if is_list(odd)
                else ""
            )
            shown = odd if odd is None or isinstance(odd, float) else type(odd).__name__
            raise InputError(f"{wanted}item {number} is {shown}{lists}")
    return missing
