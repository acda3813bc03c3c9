"""A data set with its systems, opened and checked in the parent process; workers read its texts by ranges.

Each file is read once when it is opened, and the byte offset of every STRIDE-th line is kept (see `scan.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..errors import CorpusError, InputError, Problem
from ..metrics.base.needs import TEXTS
from .samples import Samples
from .scan import changed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics.base.needs import Needs
    from .texts import AnyText


MAX_REFERENCES = 255
WITHOUT_EDITS = "has no edits: name an M2 file under `gold`, or have texts annotated (`errant: {annotator: auto}`)"


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """A data set with all its systems, checked: every text has `lines` lines."""

    name: str
    lines: int
    source: AnyText | None
    references: tuple[AnyText, ...]
    systems: Mapping[str, AnyText]
    missing: bool = False
    """A reference without a token means that its annotator has none for the sentence; others then have one."""
    kept: tuple[NDArray[np.int64], ...] = ()
    """The lines, from 1, of each reference without a token that is there all the same, although others are missing."""
    notes: tuple[str, ...] = ()
    """Warnings about how the texts were made."""
    ids: AnyText | None = None
    """The ids of the lines, where the data set has some."""
    own_tokens: bool = False
    """Whether the tokens of the texts were made by the caller; see `tokenizers/own_tokens.py`."""
    references_as_systems: Mapping[str, int] = field(default_factory=dict)
    """The systems that are references themselves, and the numbers of these references, from 0."""
    views: Mapping[str, Corpus] = field(default_factory=dict)
    """The same data set as metrics of edits read it, by the names in `metrics/base/metric.py`."""
    categories: tuple[str, ...] = ()
    """The types of edits that are scored apart, sorted: those in the annotations of gold and outputs."""
    annotated: bool = False
    """Whether this is a view whose references are edits that were annotated in the texts of the references."""
    foreign: str = ""
    """Of a view of edits: what is said of the gold where its edits are none of ERRANT, and those of outputs are."""
    external: Mapping[str, Corpus] = field(default_factory=dict)
    """Numbers for metrics that read no text, by the key of their needs: data sets without references."""
    computed: bool = False
    """Whether these are numbers that code of a user has computed, and no files."""
    left_out: tuple[int, ...] = ()
    """The lines, from 0, that have no such number for some system, so that they are left out for all."""

    def read_by(self, needs: Needs) -> Corpus:
        """Return what a metric with these needs reads of the data set: texts, edits or files of numbers.

        Raises InputError where it needs edits and the data set has none.
        """
        if needs.input != TEXTS and needs.input not in self.views:
            raise InputError(f"{self.name}: {WITHOUT_EDITS}")
        external = self.external.get(needs.key) if self.external else None
        return external or self.views.get(needs.input, self)

    def with_references(self) -> Corpus:
        """Return the data set with each reference as one more system; raises CorpusError where a name is taken."""
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
        lines, lacking = np.unique(np.concatenate([file.blanks for file in self.references]), return_counts=True)
        return every - int(lacking.max()), every - (int(lacking.min()) if len(lines) == self.lines else 0)

    def lacks(self, number: int, line: int) -> bool:
        """Return whether a line, from 1, does not have the reference of this number."""
        return self.missing and line in self.references[number].blanks and not (self.kept and line in self.kept[number])

    def without(self, names: Collection[str]) -> Corpus:
        """Return the data set without some systems."""
        return replace(self, systems={name: file for name, file in self.systems.items() if name not in names})

    def check_unchanged(self) -> None:
        """Raise CorpusError where a file has other lines than when it was checked."""
        names = dict.fromkeys(file.place for file in self.texts() if changed(file))
        if names:
            message = "changed while it was being scored; nothing of it is kept: run the same command again"
            raise CorpusError([Problem(name, message) for name in names])

    @cached_property
    def samples(self) -> Samples:
        """Some lines of each text but references that are systems; beside gold alone the source is the reference."""
        own = {name: text for name, text in self.systems.items() if name not in self.references_as_systems}
        samples = Samples(self.source, self.references, own)
        for each in (samples, samples.short) if self.views and self.source and not self.references else ():
            each.references, each.source = each.given, None
        return samples

    def texts(self) -> list[AnyText]:
        """Return all texts: source, references, systems."""
        return [*([self.source] if self.source else []), *self.references, *self.systems.values()]


def check_parallel(texts: Sequence[AnyText]) -> list[Problem]:
    """Return the problems of texts that must have equal numbers of lines: they differ, or there are no lines."""
    counts = {text.lines for text in texts}
    if len(counts) == 1:
        return [Problem(texts[0].place, "has no lines; nothing can be scored")] if counts == {0} else []
    listed = "".join(dict.fromkeys(f"\n  {text.lines:>9} lines  {text.place}" for text in texts))
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
    message = f"no annotator has a reference for this sentence{more}{why}"
    return [Problem(references[0].at(int(bare[0])), message)]
