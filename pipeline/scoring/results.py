"""The results of a run: the content of results.json (schema 1), which is written and read here."""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from dataclasses import asdict, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..dataclass import dataclass
from ..errors import StoreError
from ..execution.shards import Missing
from ..execution.store.json_shapes import mistakes
from ..io.safe_files import read_json
from .breakdown.rows import Breakdown, read
from .stored.results_shape import RESULTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ..metrics.base.metric import Needs

SCHEMA = 1
MORE = ("human", "judgments", "columns", "correlations", "agreements", "expectations")
"""Sections that are written and read without a class of their own. Files of earlier versions lack some of them."""
REFERENCES_ROW = "REFERENCE"
"""The name of the row with the mean score of the references under leave_one_out (REFERENCE in JFLEG's table)."""


@dataclass(frozen=True)
class Samples:
    """The spread of a score over draws of references."""

    iterations: int
    std: float
    """The population deviation."""
    interval: tuple[float, float]
    """The mean ± 1.959964 deviations."""

    @property
    def shown(self) -> tuple[float, float]:
        """The interval as reports show it: within 0 and 1, as scores are. NaN stays NaN."""
        return max(self.interval[0], 0.0), min(self.interval[1], 1.0)


@dataclass(frozen=True)
class Spread:
    """An output, such as the recall, in bootstrap samples of the sentences."""

    mean: float
    std: float
    """The deviation over the samples, which estimates the standard error."""
    interval: tuple[float, float]
    """The percentile interval."""


@dataclass(frozen=True)
class Bootstrap:
    """A score in bootstrap samples of the sentences."""

    mean: float
    std: float
    """The deviation over the samples, which estimates the standard error."""
    interval: tuple[float, float]
    """The percentile interval."""
    ranks: tuple[int, int]
    """The best and the worst rank of the system in the samples, without the extremes."""
    cluster: int
    """The number of the system's cluster, from 1. Systems whose ranges of ranks overlap share one."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The comparison of a system with another one."""

    dataset: str
    metric: str
    system: str
    other: str
    difference: float
    """The score of `system` minus the score of `other`."""
    interval: tuple[float, float]
    """The bootstrap interval of the difference."""
    better: float
    """The share of bootstrap samples in which `system` is better. Ties count half."""
    wins: int
    """How many sentences have a better score in `system`."""
    losses: int
    """How many sentences have a worse score in `system`."""
    ties: int
    """How many sentences score the same."""
    cohen_d: float
    """The mean of the differences of sentence scores, divided by their deviation."""
    p: float
    """The p-value of the test."""
    p_adjusted: float
    """The p-value after the correction for several tests."""


@dataclass(frozen=True, kw_only=True)
class Score:
    """The score of a system on a data set. All values are fractions."""

    dataset: str
    system: str
    metric: str
    """The signature of the metric."""
    score: float
    outputs: dict[str, float]
    """All outputs of the metric. The first is the score."""
    samples: Samples | None
    rank: int
    """The rank among the systems: 1 is the best. Equal scores share a rank."""
    notes: tuple[str, ...] = ()
    """What a reader should know about this score."""
    peer_signature: str | None = None
    """The signature that the field's own tool, such as sacreBLEU, gives to this metric."""
    bootstrap: Bootstrap | None = None
    intervals: dict[str, Spread] = field(default_factory=dict)
    """The outputs in bootstrap samples, by name, where `statistics` have `outputs: all`. Counts have none."""

    @property
    def ends(self) -> dict[str, float]:
        """The ends of the intervals of outputs, as NAME_low and NAME_high."""
        of_each = ((name, spread.interval) for name, spread in self.intervals.items())
        return {
            f"{name}_{end}": bound for name, both in of_each for end, bound in zip(("low", "high"), both, strict=True)
        }


@dataclass(frozen=True)
class DatasetInfo:
    """What was scored."""

    lines: int
    references: int
    digests: dict[str, str]
    """The digests of the lines of each file, by its role: "source", "reference 0", "system NAME"."""
    views: dict[str, int] = field(default_factory=dict)
    """How many references metrics of edits have, by what they read (`metrics/base/views.py`)."""
    categories: tuple[str, ...] = ()
    """The types of edits that are scored apart, sorted."""

    def references_of(self, needs: Needs) -> int:
        """Return how many references there are for those who count these columns."""
        return self.views.get(needs.input, self.references)


@dataclass(frozen=True)
class Mean:
    """The mean of the scores on all data sets, in which each data set counts the same."""

    metric: str
    """The signature of the metric, without the number of references, in which data sets may differ."""
    datasets: list[str]
    systems: dict[str, float]
    """The mean of each system that has a score on every data set, the best first."""
    lacking: dict[str, list[str]]
    """The systems that have no mean, with the data sets on which they have no score."""


@dataclass(frozen=True, kw_only=True)
class Results:
    """The content of results.json. A section is None where the config did not ask for it."""

    datasets: dict[str, DatasetInfo]
    scores: list[Score]
    warnings: list[str] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)
    """The lines that could not be counted. A run that has any is incomplete."""
    statistics: dict[str, Any] | None = None
    """The settings of intervals and tests."""
    tests: list[Comparison] = field(default_factory=list)
    breakdown: list[Breakdown] = field(default_factory=list)
    """The scores by category, such as types of edits, of metrics that have categories."""
    human: dict[str, Any] | None = None
    """How the metrics agree with people (human.meta_evaluation.MetaEvaluation as a mapping)."""
    judgments: dict[str, Any] | None = None
    """This section and the next three are those of the same names in the config (`reproduction/expected_values.py`)."""
    columns: dict[str, Any] | None = None
    correlations: dict[str, Any] | None = None
    agreements: dict[str, Any] | None = None
    expectations: dict[str, Any] | None = None
    """Whether the numbers in the section `expect` of the config were reached."""
    means: list[Mean] | None = None
    """The means over data sets, for each metric. The key is missing in the file where nobody asked for them."""

    def only(self, system: str) -> Results:
        """Return the same results with the scores of one system, and without comparisons."""
        parts = [part for part in self.breakdown if part.system == system]
        scores = [score for score in self.scores if score.system == system]
        return replace(self, scores=scores, tests=[], means=None, breakdown=parts)

    def to_json(self) -> str:
        """Return the text of results.json. The same results give the same text."""
        content = {"schema": SCHEMA, **self.plain()}
        return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    def plain(self) -> dict[str, Any]:
        """Return the results as mappings and lists, with None for NaN."""
        content: dict[str, Any] = without_nan(asdict(self))
        for info in content["datasets"].values():
            for key in ("views", "categories"):
                if not info[key]:
                    del info[key]
        for score in content["scores"]:
            if not score["intervals"]:
                del score["intervals"]
        if not content["breakdown"]:
            del content["breakdown"]
        if self.means is None:
            del content["means"]
        return content

    @staticmethod
    def read(path: Path) -> Results:
        """Read results.json; raises StoreError where it is missing, damaged or of another schema."""
        try:
            content = read_json(path)
            if content["schema"] != SCHEMA:
                raise StoreError(f"{path}: is of schema {content['schema']!r:.50}; this version reads {SCHEMA}")
            if wrong := next(chain(mistakes(content, RESULTS), _strays(content)), None):
                raise ValueError(wrong)
            datasets = {
                name: DatasetInfo(**{**info, "categories": tuple(info.get("categories", ()))})
                for name, info in content["datasets"].items()
            }
            missing = [Missing(**item) for item in content.get("missing", ())]
            scores = [_score(item) for item in content["scores"]]
            tests = [_comparison(item) for item in content.get("tests", ())]
            more = {name: content.get(name) for name in MORE}
            means = content.get("means")
            return Results(
                datasets=datasets,
                scores=scores,
                warnings=content["warnings"],
                missing=missing,
                statistics=content.get("statistics"),
                tests=tests,
                means=means if means is None else [_mean(item) for item in means],
                breakdown=[read(item) for item in content.get("breakdown", ())],
                **more,
            )
        except OSError as error:
            raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StoreError(f"{path}: is not the results file of a run ({type(error).__name__}: {error})") from None


def _strays(content: dict[str, Any]) -> Iterator[str]:
    """Yield a message for each part of results.json that is on a data set that the file does not have."""
    for section in ("scores", "tests", "breakdown"):
        for number, item in enumerate(content.get(section, ())):
            if item["dataset"] not in content["datasets"]:
                yield f"{section}[{number}].dataset: there is no data set '{item['dataset'][:100]}'"


def _score(item: dict[str, Any]) -> Score:
    samples = item["samples"]
    if samples is not None:
        low, high = (_number(value) for value in samples["interval"])
        samples = Samples(samples["iterations"], _number(samples["std"]), (low, high))
    outputs = {name: _number(value) for name, value in item["outputs"].items()}
    bootstrap = item.get("bootstrap")  # files of earlier versions have none
    if bootstrap is not None:
        low, high = (_number(value) for value in bootstrap["interval"])
        best, worst = bootstrap["ranks"]
        mean, std = _number(bootstrap["mean"]), _number(bootstrap["std"])
        bootstrap = Bootstrap(mean, std, (low, high), (best, worst), bootstrap["cluster"])
    spreads = {name: _spread(spread) for name, spread in item.get("intervals", {}).items()}
    read = {"score": _number(item["score"]), "outputs": outputs, "samples": samples, "bootstrap": bootstrap}
    read |= {"intervals": spreads}
    return Score(**{**item, **read, "notes": tuple(item.get("notes", ()))})


def _spread(item: dict[str, Any]) -> Spread:
    low, high = (_number(value) for value in item["interval"])
    return Spread(_number(item["mean"]), _number(item["std"]), (low, high))


def _comparison(item: dict[str, Any]) -> Comparison:
    low, high = (_number(value) for value in item["interval"])
    numbers = {key: _number(item[key]) for key in ("difference", "better", "cohen_d", "p", "p_adjusted")}
    return Comparison(**{**item, **numbers, "interval": (low, high)})


def _mean(item: dict[str, Any]) -> Mean:
    return Mean(**{**item, "systems": {name: _number(value) for name, value in item["systems"].items()}})


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def without_nan(value: Any) -> Any:
    """Replace numbers that are not finite by None, since JSON has no such numbers."""
    if isinstance(value, dict):
        return {key: without_nan(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(child) for child in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def ranks(scores: Sequence[float]) -> list[int]:
    """Return the rank of each score: 1 for the highest. Equal scores share a rank, as in 1, 2, 2, 4. NaN comes last."""
    keys = [-math.inf if math.isnan(score) else score for score in scores]
    rising = sorted(keys)
    return [1 + len(keys) - bisect_right(rising, key) for key in keys]
