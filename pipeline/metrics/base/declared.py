"""What results keep of the metrics of users, so that they can be read without the code."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Parameter:
    """An option of a user's metric."""

    name: str
    kind: str
    """bool, int, float, str, choice, path or model."""
    choices: tuple[str, ...] = ()
    """All values; of a path, words that stand for something else."""
    default: str | None = None
    """The default as a text. None: a value is required. An empty text stands for None."""


@dataclass(frozen=True)
class Declared:
    """What is known of a metric without its code, as results.json keeps it."""

    name: str
    summary: str
    version: str = ""
    """The author's version of the numbers; empty if `code` stands for it."""
    code: str = ""
    """The digest of the code."""
    names: tuple[str, ...] = ()
    """The names of the numbers of a line; the first is the score."""
    returns: str = "score"
    level: str = "mean"
    reads: tuple[str, ...] = ("outputs",)
    optional: tuple[str, ...] = ()
    """What is read if the data set has it."""
    each_reference: bool = False
    listwise: bool = False
    higher_is_better: bool = True
    scale: float = 1
    beta: float = 0.5
    decimals: int = 0
    beside: str = ""
    none: str = "error"
    deterministic: bool = True
    cite: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()

    @property
    def counts(self) -> bool:
        """Whether a line has true positives, false positives and false negatives."""
        return self.returns == "counts"

    @property
    def numbers(self) -> tuple[str, ...]:
        """The names of the columns."""
        if self.counts and len(self.names) == 1:
            return ("tp", "fp", "fn")
        return self.names

    @staticmethod
    def citation_key(entry: str) -> str:
        """Return the key of a BibTeX entry; a text that is no entry is its own key."""
        return entry.partition("{")[2].partition(",")[0].strip() or entry
