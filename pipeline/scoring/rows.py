"""The rows of results: scores, comparisons, scores by category, means, and what they are about.

They are parts of the schema of results.json (`results.py`).
"""

import math
import re
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

from ..data import AnyText, TextFile
from ..metrics import goodness
from ..metrics.base import StatisticsSpec

if TYPE_CHECKING:
    from ..data import Corpus

MAX_COUNT = 2**53
"""The largest whole number: counts are exact in float64 up to this."""
MAX_REFERENCES = 1 << 12
"""The most references. The names of the columns of counts are made for each of them."""
STEPS = (
    r"(?<![A-Za-z])(?i:(?:global[-_.]?)?(?:steps?|checkpoint|ckpt|epoch|iter(?:ation)?|update))[-_.]?"
    r"([0-9]+(?:\.[0-9]+)?[kKmM]?)(?![A-Za-z0-9])"
)
"""Names of systems that have an order by default: a word of training, and a number."""
NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?)([km]?)")
FACTORS = {"": 1, "k": 1_000, "m": 1_000_000}
"""The factor of the letter after a number."""
SEPARATORS = "-_.+"


class _Number(NamedTuple):
    """Marks a number that is finite, or null, which stands for NaN."""

    exact: bool = False
    """Whether a whole number stays one."""

    def __get_pydantic_core_schema__(self, *_: Any) -> Any:
        from pydantic_core import core_schema

        def checked(value: Any, check: Any) -> float:
            if value is None:
                return math.nan
            number: float = check(value)
            return value if self.exact and isinstance(value, int) else number

        return core_schema.no_info_wrap_validator_function(
            checked, core_schema.float_schema(strict=True, allow_inf_nan=False)
        )


class _Count(NamedTuple):
    """Marks a whole number from 0."""

    maximum: int = MAX_COUNT

    def __get_pydantic_core_schema__(self, *_: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.int_schema(strict=True, ge=0, le=self.maximum)


Number = Annotated[float, _Number()]
Count = Annotated[int, _Count()]
References = Annotated[int, _Count(MAX_REFERENCES)]
Pair = tuple[Number, Number]


@dataclass(frozen=True)
class Samples:
    """The spread of a score over draws of references."""

    iterations: Count
    std: Number
    """The population deviation."""
    interval: Pair
    """The mean ± 1.959964 deviations."""

    @property
    def clipped_interval(self) -> tuple[float, float]:
        """The interval within 0 and 1, as scores are, for reports. NaN stays NaN."""
        return max(self.interval[0], 0.0), min(self.interval[1], 1.0)


@dataclass(frozen=True)
class Spread:
    """A number, such as the recall, in bootstrap samples of the sentences."""

    mean: Number
    std: Number
    """The deviation over the samples, which estimates the standard error."""
    interval: Pair
    """The percentile interval."""


@dataclass(frozen=True)
class Bootstrap(Spread):
    """A score in bootstrap samples of the sentences."""

    ranks: tuple[Count, Count]
    """The best and the worst rank of the system in the samples, without extreme ranks."""
    cluster: Count
    """The number of the system's cluster, from 1. Systems whose rank ranges overlap share one."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The comparison of a system with another one."""

    dataset: str
    metric: str
    system: str
    other: str
    difference: Number
    """The score of `system` minus the score of `other`."""
    interval: Pair
    """The bootstrap interval of the difference."""
    better: Number
    """The share of bootstrap samples in which `system` is better. Ties count half."""
    wins: Count
    """How many sentences have a better score in `system`."""
    losses: Count
    """How many sentences have a worse score in `system`."""
    ties: Count
    """How many sentences score the same."""
    cohen_d: Number
    """The mean of the differences of sentence scores, divided by their deviation."""
    p: Number
    """The p-value of the test."""
    p_adjusted: Number
    """The p-value after the correction for several tests."""
    MIN_DIFFERING: ClassVar[int] = 6
    """The number of sentences on which systems have to differ for an exact test to give a p below
    0.05: 2 / 2**6."""

    @staticmethod
    def corrected(
        tests: "Sequence[Comparison]", correction: str
    ) -> "list[Comparison]":
        """Return tests whose p-values are corrected together, in the way of this name."""
        from .resampling.paired_tests import CORRECTIONS  # most reports have it

        adjusted = CORRECTIONS[correction]([test.p for test in tests])
        corrected = []
        for test, p in zip(tests, adjusted, strict=True):
            corrected.append(replace(test, p_adjusted=p))
        return corrected

    @staticmethod
    def systems_of(tests: "Iterable[Comparison]") -> set[str]:
        """Return the names of the systems of some comparisons."""
        names: set[str] = set()
        for test in tests:
            names |= {test.system, test.other}
        return names

    @property
    def differ_too_rarely(self) -> bool:
        """Whether systems differ on so few sentences that no test can tell them apart, whatever p.

        If they differ on n sentences, two of the 2**n ways to exchange the outputs are as far apart
        as the systems. But the tests count only what is farther apart, as sacreBLEU does, so that p
        can be small without a difference.
        """
        low, high = self.interval
        differing = self.wins + self.losses
        return differing < self.MIN_DIFFERING and low <= 0 <= high


@dataclass(frozen=True, kw_only=True)
class Score:
    """The score of a system on a data set. All values are fractions."""

    dataset: str
    system: str
    metric: str
    """The signature of the metric."""
    score: Number
    outputs: dict[str, Number]
    """All outputs of the metric. The first is the score."""
    samples: Samples | None
    rank: Count
    """The rank among the systems: 1 is the best. Equal scores share a rank."""
    notes: tuple[str, ...] = ()
    """Notes for the reader on this score."""
    peer_signature: str | None = None
    """The signature that sacreBLEU, or another tool of the field, prints for this metric."""
    bootstrap: Bootstrap | None = None
    intervals: dict[str, Spread] = field(default_factory=dict)
    """The outputs in bootstrap samples, by name, if `statistics` have `outputs: all`. Counts have
    none."""
    REFERENCES: ClassVar[str] = "REFERENCE"
    """The system of the row with the mean score of the references under leave_one_out (REFERENCE in
    JFLEG's table)."""

    @staticmethod
    def tied_by_rank(scores: "Iterable[Score]") -> list[str]:
        """Return the systems whose rank ranges reach as high as that of any other."""
        best_ranks = {}
        for score in scores:
            if score.bootstrap:
                best_ranks[score.system], _ = score.bootstrap.ranks
        best = min(best_ranks.values())
        return [system for system, rank in best_ranks.items() if rank <= best]

    @staticmethod
    def ranked(scores: "Sequence[Score]") -> "list[Score]":
        """Return scores by the same metric with their ranks among each other."""
        order = ranks([goodness(score.metric, score.score) for score in scores])
        ranked = []
        for score, rank in zip(scores, order, strict=True):
            ranked.append(replace(score, rank=rank))
        return ranked

    @property
    def ends(self) -> dict[str, float]:
        """The ends of the intervals of outputs, as NAME_low and NAME_high."""
        ends = {}
        for name, spread in self.intervals.items():
            ends[f"{name}_low"], ends[f"{name}_high"] = spread.interval
        return ends


@dataclass(frozen=True, kw_only=True)
class DatasetInfo:
    """A data set that was scored."""

    lines: Count
    references: References
    digests: dict[str, str]
    """The digests of the lines of each file, by role: "source", "reference 0", "system NAME"."""
    views: dict[str, References] = field(default_factory=dict)
    """How many references metrics of edits have, by their input (`data/inputs.py`)."""
    categories: tuple[str, ...] = ()
    """The types of edits that are scored apart, sorted."""
    left_out: dict[str, tuple[Count, ...]] = field(default_factory=dict)
    """The lines, from 0, without a number of a metric of a user, by the input of the metric."""
    SYSTEM: ClassVar[str] = "system "
    """The prefix of the names of outputs in digests."""
    SHARED: ClassVar[tuple[str, ...]] = (
        "reference ",
        "gold annotator ",
        "edits annotator ",
    )
    """The prefixes of the names of texts that all systems share, beside the source."""

    @classmethod
    def of(
        cls, corpus: "Corpus", known: Mapping[str, str] | None = None
    ) -> "DatasetInfo":
        """Return what results.json has of a data set.

        The digest of a text is of the same kind as in `known`, the digests of an earlier run.
        """
        texts: dict[str, AnyText | None] = {
            "ids": corpus.ids,
            "source": corpus.source,
        }

        def add(prefix: str, named: Mapping[Any, AnyText]) -> None:
            for name, text in named.items():
                texts[f"{prefix} {name}"] = text

        add("reference", dict(enumerate(corpus.references)))
        add("system", corpus.systems)
        left_out = {}
        for key, files in corpus.external.items():
            if not files.computed:
                add(key, files.systems)
            if files.left_out:
                left_out[key] = files.left_out
        views = {}
        for key, view in corpus.views.items():
            add(f"{key} annotator", dict(enumerate(view.references)))
            add(f"{key} system", view.systems)
            views[key] = len(view.references)
        categories: tuple[str, ...] = ()
        if corpus.views:
            first_view = next(iter(corpus.views.values()))
            categories = first_view.categories

        known = known or {}
        digests = {}
        for role, text in texts.items():
            if text:
                digests[role] = text.digest_like(known.get(role))
        return cls(
            lines=corpus.lines,
            references=len(corpus.references),
            digests=digests,
            views=views,
            categories=categories,
            left_out=left_out,
        )

    @property
    def size(self) -> str:
        """The numbers of lines and references in words."""
        counts = []
        for number, noun in (
            (self.lines, "line"),
            (self.references, "reference"),
        ):
            plural = "" if number == 1 else "s"
            counts.append(f"{number:,} {noun}{plural}")
        return ", ".join(counts)

    @property
    def has_old_digests(self) -> bool:
        """Whether the digests are those of an earlier version."""
        return not all(
            digest.startswith(TextFile.DIGEST_PREFIX)
            for digest in self.digests.values()
        )

    def differing_texts(self, other: "DatasetInfo") -> list[str]:
        """Return the names of the texts, shared by all systems, that differ in another data set."""
        names = []
        for name, digest in self.digests.items():
            is_shared = name == "source" or name.startswith(self.SHARED)
            if is_shared and other.digests.get(name, digest) != digest:
                names.append(name)
        return names

    def lines_of(self, spec: StatisticsSpec) -> int:
        """Return how many lines have a score."""
        return self.lines - len(self.left_out.get(spec.key, ()))

    def references_of(self, spec: StatisticsSpec) -> int:
        """Return how many references the columns of a metric have."""
        return self.views.get(spec.input, self.references)


@dataclass(frozen=True)
class Mean:
    """The mean of the scores on all data sets, in which each data set counts the same."""

    metric: str
    """The signature of the metric without the number of references, which data sets may differ in."""
    datasets: list[str]
    systems: dict[str, Number]
    """The mean of each system that has a score on every data set, the best first."""
    lacking: dict[str, list[str]]
    """The systems without a mean, with the data sets on which they have no score."""

    @staticmethod
    def metric_of(score: Score) -> str:
        """Return the metric of a score without the number of references."""
        return re.sub(r"\|nrefs:[^|]*", "", score.metric)

    @classmethod
    def of(
        cls,
        metric: str,
        scores: Mapping[str, Mapping[str, float]],
        datasets: list[str],
    ) -> "Mean":
        """Return the means of a metric; `scores` has the score of each system on each data set."""
        means: dict[str, float] = {}
        missing: dict[str, list[str]] = {}
        for system, by_dataset in scores.items():
            if len(by_dataset) == len(datasets):
                means[system] = math.fsum(by_dataset.values()) / len(datasets)
            else:
                missing[system] = [
                    name for name in datasets if name not in by_dataset
                ]
        goodness_of_means = [goodness(metric, mean) for mean in means.values()]
        rank_of_system = dict(zip(means, ranks(goodness_of_means), strict=True))
        ranked = {}
        for system in sorted(means, key=rank_of_system.__getitem__):
            ranked[system] = means[system]
        return cls(metric, datasets, ranked, missing)

    def rows(
        self, scores: Iterable[Score]
    ) -> Iterator[tuple[str, str, list[float]]]:
        """Yield rank, name and numbers of each system: the mean, and the score on each data set.

        The rank of a system without a mean is "-", and missing numbers are NaN.
        """
        values: dict[tuple[str, str], float] = {}
        for score in scores:
            if self.metric_of(score) == self.metric:
                values[score.system, score.dataset] = score.score
        order = ranks(
            [goodness(self.metric, mean) for mean in self.systems.values()]
        )
        positions = [*map(str, order), *("-" for _ in self.lacking)]
        systems = [*self.systems, *self.lacking]
        for position, system in zip(positions, systems, strict=True):
            numbers = [self.systems.get(system, math.nan)]
            for dataset in self.datasets:
                numbers.append(values.get((system, dataset), math.nan))
            yield position, system, numbers


@dataclass(frozen=True)
class Category:
    """The score of a system in a category."""

    category: str
    score: Number
    outputs: dict[str, Annotated[float, _Number(exact=True)]]
    """All outputs of the metric for the category, the score first. Counts are whole numbers."""
    intervals: dict[str, Pair] = field(default_factory=dict)
    """The bootstrap intervals of those outputs that are fractions; empty without statistics."""
    REST: ClassVar[str] = "(other types)"
    """The category of edits whose type is not in the data set's categories."""


@dataclass(frozen=True, kw_only=True)
class Breakdown:
    """The scores of a system on a data set by category.

    Sums of its counts are the counts of the score.
    """

    dataset: str
    metric: str
    """The signature of the metric."""
    system: str
    tier: Count
    """One of TIERS."""
    categories: tuple[Category, ...]
    """Those that have counts, sorted by name."""
    TIERS: ClassVar[tuple[int, ...]] = (3, 2, 1)
    """How fine categories are: 3 is as the data set has them, 1 is coarsest."""

    def rows(self) -> list[dict[str, Any]]:
        """Return a mapping for each category.

        It has `type` and `score`, `low` and `high` of the interval, and all outputs.
        """
        rows = []
        for item in self.categories:
            row: dict[str, Any] = {"type": item.category, "score": item.score}
            for low, high in list(item.intervals.values())[:1]:
                row |= {"low": low, "high": high}
            rows.append(row | item.outputs)
        return rows


@dataclass(frozen=True)
class Series:
    """Systems whose names differ in a number alone."""

    name: str
    """The name without the number."""
    axis: str
    """The name of the number, such as step."""
    steps: tuple[tuple[float, str], ...]
    """The number and the name of each system, in the order of the numbers."""

    def of(self, systems: Container[str]) -> "Series":
        """Return the same with these systems alone."""
        return replace(
            self, steps=tuple(step for step in self.steps if step[1] in systems)
        )

    @classmethod
    def find(
        cls, systems: Iterable[str], pattern: str = STEPS
    ) -> "list[Series]":
        """Return the series of two systems or more, such as checkpoints of a training.

        The first group of the pattern matches the number in a name.
        """
        groups: dict[tuple[str, str], list[tuple[float, str]]] = {}
        for system in dict.fromkeys(systems):
            match = re.search(pattern, system)
            if not match:
                continue
            number = NUMBER.fullmatch((match[1] or "").lower())
            if not number:
                continue
            step = float(number[1]) * FACTORS[number[2]]
            start, end = match.span(1)

            # the name without the number
            before = system[:start].rstrip(SEPARATORS)
            after = system[end:]
            gap = ""
            if after and after[0] not in SEPARATORS:
                gap = "-"
            name = (before + gap + after).strip(SEPARATORS)

            # what the pattern matches beside the number
            word = system[match.start() : start] + system[end : match.end()]
            axis = word.strip(SEPARATORS).lower()
            key = (name, axis or "number")
            groups.setdefault(key, []).append((step, system))
        series = []
        for (name, axis), steps in sorted(groups.items()):
            if len(steps) > 1:
                series.append(cls(name, axis, tuple(sorted(steps))))
        return series


@dataclass(frozen=True, kw_only=True)
class MetricRows:
    """The rows of results that are about one metric on one data set."""

    dataset: str
    signature: str
    """The signature of the metric."""
    scores: Sequence[Score]
    tests: Sequence[Comparison] = ()
    """The paired tests of systems, if there are any."""
    breakdown: Sequence[Breakdown] = ()
    """The scores by category."""

    @property
    def names(self) -> list[str]:
        """The names of the systems."""
        return [score.system for score in self.scores]


def ranks(scores: Sequence[float]) -> list[int]:
    """Return the rank of each score: 1 for the highest.

    Equal scores share a rank, as in 1, 2, 2, 4. NaN comes last.
    """
    keys = [-math.inf if math.isnan(score) else score for score in scores]
    rising = sorted(keys)
    return [1 + len(keys) - bisect_right(rising, key) for key in keys]
