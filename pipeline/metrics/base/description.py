"""What names and describes a metric in lists, reports and citations. None of it changes a score."""

from collections.abc import Iterable, Mapping
from typing import ClassVar, NamedTuple

from ...arrays import Floats, Ints
from .statistics_spec import Columns

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class Counted(NamedTuple):
    """A count of each sentence, as reports show it."""

    name: str
    values: Ints | Floats
    """The shape is [lines], then [references] if it is per reference, then [orders] if it has
    orders."""
    per_reference: bool = False
    orders: bool = False


class Description:
    """The part of Metric that names and describes it. Only `name` and `summary` have no default."""

    name: ClassVar[str]
    """The name in configs and signatures."""
    summary: ClassVar[str]
    """One line for lists of metrics."""
    origin: ClassVar[Mapping[str, str]] = {}
    """Where the code of a user's metric comes from, and its digest, as run.json has them."""
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    """Other names that people write for the metric, each with the options that it implies.

    Case, spaces, hyphens and underscores do not matter, and the metric's own name is not repeated
    here. A name that two metrics declare is ambiguous: the user has to choose.
    """
    short_names: ClassVar[Mapping[str, str]] = {}
    """Names in tables other than `name`, by settings as signatures have them, such as nw:2 for
    chrf++."""
    hint: ClassVar[str] = ""
    """Which metric the user perhaps meant. It is printed if the source is missing."""
    help_page: ClassVar[str] = ""
    """The page of `gec-pipeline help` about the metric. An empty text means a page of its name."""
    counts: ClassVar[frozenset[str]] = frozenset()
    """The outputs that count n-grams or tokens, named without the order; never shown in percent."""
    in_percent: ClassVar[bool] = True
    """Whether scores are fractions, shown in percent. Other scores are shown as they are."""
    table_outputs: ClassVar[str] = ""
    """A regular expression for the outputs that are columns of tables beside the score."""

    @property
    def output(self) -> str:
        """The name of the score."""
        return self.name

    @property
    def name_in_text(self) -> str:
        """The name of the metric in a sentence."""
        return self.output

    @property
    def score_in_text(self) -> str:
        """The name of the score below that of the metric in a table, such as F{beta}, or ""."""
        return ""

    def in_text(self, output: str) -> tuple[str, str]:
        """Return how papers head the column of an output: the name of the metric, and P, R or F₀.₅.

        The second is empty if the first is enough, as for ROUGE-2.
        """
        score = self.score_in_text.format(**vars(self)).translate(SUBSCRIPTS)
        below = {
            self.output: score,
            "precision": "P",
            "recall": "R",
        }
        return self.name_in_text, below.get(output, output.replace("_", " "))

    @property
    def edition(self) -> str:
        """Which of several programs of the same name the metric follows, or an empty text."""
        return ""

    @property
    def citations(self) -> tuple[str, ...]:
        """The keys of the publications to cite for these settings."""
        return ()

    def notes(self, outputs: Mapping[str, float]) -> list[str]:
        """Return what a reader of these outputs should know, such as why they are 0."""
        return []

    @staticmethod
    def why_all_zero(reasons: str) -> str:
        """Return why the mean of sentence scores is 0; `reasons` says it of every sentence."""
        return f"every sentence scores 0: {reasons}"

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the counts of each sentence that reports and `explain` show.

        If the metric scores references one at a time (see Metric.by_reference), some of them may be
        missing, and their counts mean nothing. Otherwise no reference is missing.
        """
        return []

    @staticmethod
    def why_zero(
        outputs: Mapping[str, float], orders: Iterable[int], hits: str = "match"
    ) -> str:
        """Return why a score is 0 that is 0 if one of the `orders` of n-grams has no hits.

        `outputs` are the numbers of the score; those that begin with `hits` count the hits.
        """
        order = next((n for n in orders if outputs[f"{hits}_{n}"] <= 0), 0)
        if outputs["hyp_len"] == 0:
            return "all outputs are empty"
        if order and outputs[f"total_{order}"] == 0:
            return f"no output has {order} tokens"
        if order and outputs[f"match_{order}"] == 0:
            return f"no {order}-gram matches"
        if order:
            return f"the penalty takes all {order}-grams that match"
        if outputs["ref_len"] == 0:
            return "the reference length is 0"
        # a mean, over references, of scores of 0
        if outputs["brevity_penalty"] > 1e-300:
            return (
                "with each reference, some order has no n-gram that matches, "
                "or the penalty takes all that do"
            )
        return "the brevity penalty is 0"
