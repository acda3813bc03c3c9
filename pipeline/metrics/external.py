"""Numbers that another program has computed for each sentence: a score, or counts of ERRANT or the M² scorer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..errors import wrong_name
from ..io.safe_files import file_name
from .base.capabilities import ReadsFiles
from .base.choices import f_beta, ratio
from .base.metric import Counted, Metric
from .base.needs import Field, Needs
from .base.options import option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..arrays import Floats, Ints
    from .base.needs import Columns, Text

COUNTS = ("tp", "fp", "fn")
LENGTHS = ("hyp_len", "ref_len", "hyp_total", "ref_total")
OTHER_OUTPUTS = frozenset({"precision", "recall", "match", "penalty", "numer", "total", *COUNTS, *LENGTHS})
"""Names of other outputs, which a title cannot be."""
MAX_TITLE = 50
"""The most signs of a title."""
CITATIONS = {"errant": ("bryant-etal-2017-automatic",), "m2": ("dahlmeier-ng-2012-better",)}
"""The publications of well-known programs, by the title in small letters."""


@dataclass(frozen=True)
class ExternalNeeds(Needs):
    """Numbers of each sentence, as `corpus/formats/numbers.py` writes them."""

    title: str
    names: tuple[str, ...]
    """The names of the columns."""
    decimals: int | None
    """Numbers are whole multiples of 10**-decimals, or floats if this is None."""
    source: bool = False

    @property
    def key(self) -> str:
        """A name, safe in file names. It is different for any two needs whose columns can differ."""
        decimals = f"-d{self.decimals}" if self.decimals else ""
        return f"external-{file_name(self.title, MAX_TITLE)}-{'-'.join(self.names)}{decimals}"

    @property
    def columns(self) -> tuple[Field, ...]:
        """One field for each name."""
        return tuple(Field(name, real=self.decimals is None) for name in self.names)

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Read the numbers of each system."""
        number_type = np.float64 if self.decimals is None else np.int64
        result: list[dict[str, Any]] = []
        for lines in text.systems:
            rows = [row.split() for row in lines.texts()]
            table = np.array([[number_type(cell) for cell in row] for row in rows], number_type)
            table = table.reshape(len(rows), len(self.names))
            result.append({name: table[:, number] for number, name in enumerate(self.names)})
        return result


def _counts(metric: External) -> bool:
    return metric.score_ == "f_beta"


def _default_scale(given: Mapping[str, object]) -> str:
    return "100" if given.get("score") == "sum" else "1"


_NUMBER: dict[str, Any] = {
    "pattern": r"[0-9]{1,9}(\.[0-9]{1,6})?",
    "form": "a number such as 2 or 0.5, with at most 6 decimals",
    "numbers": True,
}


@dataclass(frozen=True)
class External(ReadsFiles, Metric):
    """The mean or sum of a number of each sentence, or F-beta of the sums of true and false positives and negatives.

    F-beta is that of ERRANT and the M² scorer. Precision is 1 if nothing was proposed, and recall is 1 if nothing had
    to be corrected. F is 0 if both are 0. The score of a sentence is computed in the same way from its own numbers.
    """

    name: ClassVar[str] = "external"
    summary: ClassVar[str] = "numbers of each sentence that another program has written into files"
    help_page: ClassVar[str] = "statistics"
    counts: ClassVar[frozenset[str]] = frozenset(COUNTS)

    title: str = option(
        "external",
        help="what the score is called",
        free=True,
        form=f"a name of at most {MAX_TITLE} signs",
    )
    score_: str = option(
        "mean",
        help="mean or sum of one number, or F-beta of true positives, false positives and false negatives",
        choices=("mean", "sum", "f_beta"),
    )
    beta: str = option(
        "0.5",
        help="weight of recall against precision",
        applies=_counts,
        why="only score: f_beta has one",
        **_NUMBER,
    )
    decimals: int = option(
        0,
        help="decimals that the counts have; more are rounded (0: whole numbers only)",
        maximum=9,
        applies=_counts,
        why="only score: f_beta counts; other numbers are taken as they are",
        implicit=True,
    )
    scale: str = option(
        _default_scale,
        help="the number that is shown as 100",
        applies=lambda m: not _counts(m),
        why="F-beta is a fraction",
        **_NUMBER,
    )
    files: str = option(
        "",
        help="the files, one for each system, such as scores/{system}.txt",
        pattern=r"[^\x00]+",
        form="a path; {system} and {dataset} in it are replaced",
        path=True,
        in_signatures=False,
    )
    columns: str = option(
        "",
        help="which columns of the files, by name or by number from 1, such as F0.5 or TP+FP+FN",
        pattern=r"[^\x00+]+(\+[^\x00+]+)*",
        form="names or numbers of columns, joined by +",
        in_signatures=False,
    )

    def conflicts(self) -> list[tuple[str, str]]:
        """Return a title that another output has, a wrong number of columns, and a scale of 0."""
        wrong = wrong_name(self.title, MAX_TITLE)
        problems = [("title", f"'{self.title}' cannot be a name: {wrong}")] if wrong else []
        if self.title in OTHER_OUTPUTS:
            problems.append(("title", f"'{self.title}' is the name of another output"))
        numbers = len(self.needs.names)
        if self.columns and len(self.columns.split("+")) != numbers:
            problems.append(("columns", f"score: {self.score_} takes {numbers}, found '{self.columns}'"))
        if not _counts(self) and float(self.scale) == 0:
            problems.append(("scale", "expected a number above 0"))
        return problems

    @property
    def output(self) -> str:
        """The title."""
        return self.title

    @property
    def citations(self) -> tuple[str, ...]:
        """The publications of the program that the title names, if it is well known."""
        return CITATIONS.get(self.title.lower(), ())

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the counts of F-beta. A single number is the score itself and is not shown again."""
        return [Counted(name, columns[name]) for name in self.needs.names if _counts(self)]

    @property
    def level(self) -> str:  # type: ignore[override]
        """The level: corpus for F-beta, else mean or sum."""
        return "corpus" if _counts(self) else self.score_

    @property
    def policy(self) -> str:
        """References have no effect, since each sentence has its own numbers."""
        return "merged"

    @property
    def needs(self) -> ExternalNeeds:
        """The numbers of the files."""
        return ExternalNeeds(self.title, *((COUNTS, self.decimals) if _counts(self) else (("value",), None)))

    @property
    def terms(self) -> tuple[Field, ...]:
        """The counts."""
        return tuple(Field(name) for name in COUNTS)

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the counts."""
        return {name: columns[name] for name in COUNTS}

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return F-beta under the name of the title, precision, recall, and the counts."""
        score, precision, recall = self._scores(totals)
        counts = {name: totals[name] / 10**self.decimals for name in COUNTS}
        return {self.title: score, "precision": precision, "recall": recall} | counts

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the score of each sentence: float64 [lines, 1]."""
        if _counts(self):
            return self._scores(columns)[0][:, None]
        values: Floats = (columns["value"] / float(self.scale))[:, None]
        return values

    def sentence_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return the outputs of each sentence, of which there is one unless it is F-beta: float64 [lines, 1]."""
        return super().sentence_outputs(columns) if _counts(self) else {self.title: self.sentence_scores(columns)}

    def _scores(self, counts: Columns) -> tuple[Floats, Floats, Floats]:
        """Return F-beta, precision and recall."""
        tp, fp, fn = (counts[name] for name in COUNTS)
        precision, recall = np.where(fp == 0, 1.0, ratio(tp, tp + fp)), np.where(fn == 0, 1.0, ratio(tp, tp + fn))
        return f_beta(precision, recall, float(self.beta)), precision, recall
