"""The table of significance tests: paired tests of the difference between two systems' scores.

To add a test, write a file with a `SignificanceTest` and add a line to SIGNIFICANCE_TESTS, or name
it in `significance_tests` of an extension. Config, commands and reports read all names from here.
The table itself imports no statistics, since most reports need only the names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ...errors import did_you_mean
from ...extension import missing_extension
from ...lookup import Table

if TYPE_CHECKING:
    from ...arrays import Floats
    from ...data.config import StatisticsConfig
    from ...metrics.base import Metric
    from ..resampling.paired_tests import Pair, Sentencewise
    from ..resampling.samples import Resources
    from ..results import Results
    from ..sums import Summand


@dataclass(frozen=True, kw_only=True)
class PairedScores:
    """The scores of several systems by one metric, and the pairs of systems to compare."""

    pairs: Sequence[Pair]
    scores: Sequence[float]
    """The score of each system."""
    samples: Floats
    """The scores in bootstrap samples: float64 [samples, systems]."""
    sentencewise: Sequence[Sentencewise]
    """How many sentences each system of a pair wins, for each pair."""
    summands: Sequence[Summand]
    """The parts of the scores. They give the scores of any weighting of the sentences."""
    lines: int
    settings: StatisticsConfig
    resources: Resources
    """What the test may use, and who is informed of its progress."""

    def limit(self, one: int, two: int) -> float:
        """Return the absolute difference of two systems' scores.

        It is a little higher, so that rounded differences that are equal to it are not above it.
        """
        from ..resampling.paired_tests import TIE

        first = self.scores[one]
        second = self.scores[two]
        return abs(second - first) + TIE * max(abs(first), abs(second))


@dataclass(frozen=True, kw_only=True)
class SignificanceTest:
    """A paired test, as `statistics: {test: NAME}` of a config asks for it."""

    summary: str
    """One line of help."""
    p_values: Callable[[PairedScores], Sequence[float]]
    """Returns the two-sided p of each pair."""
    samples: Literal["trials", "resamples", ""] = ""
    """The setting with the number of random samples. p is at least 1 / (samples + 1).

    Empty: the test draws none, and has no seed."""
    compares_scores: bool = True
    """Whether systems with equal scores have p = 1."""
    label: str = ""
    """The name in reports; default: the name in the table, without underscores."""
    short_name: str = ""
    """The name in signatures and on the command line of sacreBLEU, if it has the test."""
    citations: Sequence[str] = ()
    """Keys of citations.bib, or BibTeX entries."""

    def printed_settings(self, name: str, statistics: Mapping[str, Any]) -> str:
        """Return the test as a line below a table names it, with the number of trials."""
        label = self.label or name.replace("_", " ")
        if self.samples == "trials":
            return f"{label} ({statistics['trials']:,} trials)"
        return label  # the line has the number of bootstrap samples already

    def printed_samples(self, statistics: Mapping[str, Any]) -> str:
        """Return the number of random samples and the seed; an empty text if none are drawn."""
        if not self.samples:
            return ""
        noun = "trials" if self.samples == "trials" else "samples"
        return f"{statistics[self.samples]:,} {noun}, seed {statistics['seed']}"


class SignificanceTests(Table[SignificanceTest]):
    """The significance tests by the name that configs and commands have for them."""

    NONE = "none"
    """The value of `test` that asks for intervals without comparisons."""
    INTERVALS = "paired_bootstrap"
    """The test that draws the samples of the intervals."""

    def values_of_setting(self) -> list[str]:
        """Return the values that the setting `test` can have."""
        return [*self, self.NONE]

    def short_names(self) -> dict[str, str]:
        """Return the names of the tests by the names that they have in sacreBLEU."""
        names = {}
        for name, test in self.items():
            if test.short_name:
                names[test.short_name] = name
        return names

    def of(self, results: Results) -> SignificanceTest | None:
        """Return the test that results were tested with; None if there was none."""
        settings = results.statistics or {}
        return self.get(settings.get("test", self.NONE))

    def signature(
        self, peer: str, statistics: Mapping[str, Any], test: str = INTERVALS
    ) -> str:
        """Return sacreBLEU's signature with the number of samples and the seed of a test.

        `statistics` are the settings as results.json has them. The signature of a test that
        sacreBLEU does not have is unchanged.
        """
        significance_test = self.get(test)
        is_signature = "|" in peer  # the hash of bert-score is none
        if (
            significance_test is None
            or not significance_test.short_name
            or not is_signature
        ):
            return peer
        name, references, *others = peer.split("|")
        number = statistics[significance_test.samples]
        drawn = [
            f"{significance_test.short_name}:{number}",
            f"seed:{statistics['seed']}",
        ]
        return "|".join([name, references, *drawn, *others])

    def problems(
        self, settings: StatisticsConfig, metrics: Iterable[Metric] = ()
    ) -> Iterator[tuple[str, str]]:
        """Yield the settings that are wrong, each with a message: unknown tests, idle settings.

        Before them come the metrics without intervals and tests, with an empty setting.
        """
        # here, because most reports need only the names of tests
        from ..resampling.intervals import unsupported

        for metric in metrics:
            reason = unsupported(metric)
            if reason:
                yield "", reason
        name = settings.test
        if name != self.NONE and name not in self:
            missing = missing_extension("significance_tests", name)
            names = self.values_of_setting()
            hint = did_you_mean(name, names)
            expected = f"expected one of {', '.join(names)}, found '{name}'"
            yield "test", missing or expected + hint
            return
        if name == self.NONE:
            idle = ["baseline", "correction", "trials"]
        elif self[name].samples == "trials":
            idle = []
        else:
            idle = ["trials"]
        for key in idle:
            if key in settings.model_fields_set:
                yield key, f"has no effect with `test: {name}`; leave it out"


SIGNIFICANCE_TESTS = SignificanceTests(
    __name__,
    {
        "approximate_randomization": "approximate_randomization.TEST",
        "paired_bootstrap": "paired_bootstrap.TEST",
        "sign": "sign_test.TEST",
    },
    kind="significance_tests",
)
"""Significance tests by the name that configs and commands have for them."""
