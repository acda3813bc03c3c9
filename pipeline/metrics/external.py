"""Numbers that another program computed for each sentence: a score, or counts of edits."""

from dataclasses import dataclass
from typing import ClassVar

from ..errors import wrong_name
from ..files.safe_files import file_name
from .base.capabilities import ReadsFiles
from .base.options import beta_option, number_option, option
from .base.statistics_spec import NumberSpec
from .functions.metric import COUNTS, Numbers

LENGTHS = ("hyp_len", "ref_len", "hyp_total", "ref_total")
OTHER_OUTPUTS = frozenset(
    {"precision", "recall", "match", "penalty", "numer", "total", *COUNTS, *LENGTHS}
)
"""Names of other outputs, which a title cannot be."""
MAX_TITLE = 50
"""The most signs of a title."""
CITATIONS = {
    "errant": ("bryant-etal-2017-automatic",),
    "m2": ("dahlmeier-ng-2012-better",),
}
"""The publications of well-known programs, by the title in small letters."""


@dataclass(frozen=True)
class ExternalSpec(NumberSpec):
    """Numbers of each sentence from files."""

    @property
    def key(self) -> str:
        """A name, safe in file names, that differs if columns can differ."""
        key = f"external-{file_name(self.title, MAX_TITLE)}-{'-'.join(self.names)}"
        if self.decimals:
            return f"{key}-d{self.decimals}"
        return key


@dataclass(frozen=True)
class External(ReadsFiles, Numbers):
    """The mean or sum of a number of each sentence, or F-beta of sums of counts of edits."""

    name: ClassVar[str] = "external"
    summary: ClassVar[str] = (
        "numbers of each sentence that another program has written into files"
    )
    help_page: ClassVar[str] = "statistics"

    title: str = option(
        "external",
        help="what the score is called",
        free=True,
        form=f"a name of at most {MAX_TITLE} signs",
    )
    score_: str = option(
        "mean",
        help="mean or sum of one number, or F-beta of true positives, false positives and false "
        "negatives",
        choices=("mean", "sum", "f_beta"),
    )
    beta: str = beta_option(
        digits=9, applies=lambda m: m.is_counts, why="only score: f_beta has one"
    )
    decimals: int = option(
        0,
        help="decimals that the counts have; more are rounded (0: whole numbers only)",
        maximum=9,
        applies=lambda m: m.is_counts,
        why="only score: f_beta counts; other numbers are taken as they are",
        implicit=True,
    )
    scale: str = number_option(
        lambda given: "100" if given.get("score") == "sum" else "1",
        "the number that is shown as 100; 0: scores are shown as they are",
        digits=9,
        applies=lambda m: not m.is_counts,
        why="F-beta is a fraction",
    )
    higher_is_better: bool = option(
        True,
        help="whether the best system is the one with the highest score",
        applies=lambda m: not m.is_counts,
        why="the highest F-beta is the best",
        implicit=True,
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
        """Return a title that another output has, and a wrong number of columns."""
        problems = []
        wrong = wrong_name(self.title, MAX_TITLE)
        if wrong:
            problems.append(("title", f"'{self.title}' cannot be a name: {wrong}"))
        if self.title in OTHER_OUTPUTS:
            problems.append(("title", f"'{self.title}' is the name of another output"))
        numbers = len(self.spec.names)
        if self.columns and len(self.columns.split("+")) != numbers:
            message = f"score: {self.score_} takes {numbers}, found '{self.columns}'"
            problems.append(("columns", message))
        return problems

    def __post_init__(self) -> None:
        """Set the direction of the score."""
        super().__post_init__()
        object.__setattr__(self, "lower_is_better", not self.higher_is_better)

    @property
    def is_counts(self) -> bool:
        """Whether the files have counts."""
        return self.score_ == "f_beta"

    @property
    def divisor(self) -> float:
        """The number that is shown as 100."""
        return float(self.scale) or 1.0

    @property
    def outputs(self) -> tuple[str, ...]:
        """The title."""
        return (self.title,)

    def column(self, output: str) -> str:
        """Return the name of the only column."""
        return "value"

    @property
    def citations(self) -> tuple[str, ...]:
        """The publications of the program that the title names, if it is well known."""
        return CITATIONS.get(self.title.lower(), ())

    @property
    def level(self) -> str:  # type: ignore[override]
        """The level: corpus for F-beta, else mean or sum."""
        if self.is_counts:
            return "corpus"
        return self.score_

    @property
    def spec(self) -> ExternalSpec:
        """The numbers of the files."""
        if self.is_counts:
            return ExternalSpec(self.title, COUNTS, self.decimals)
        return ExternalSpec(self.title, ("value",), None)
