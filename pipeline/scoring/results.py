"""The results of a run: the content of results.json (schema 1), which is written and read here.

The classes say what the file has. One TypeAdapter of pydantic is made of them, which checks a file
before it is believed; pydantic is imported only where a file is read."""

import json
import math
import re
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

from ..errors import StoreError
from ..execution.options import Missing
from ..files.safe_files import read_json
from ..metrics.base.capabilities import is_built_in
from ..metrics.base.declared import Declared
from ..metrics.base.metric import Metric
from ..metrics.base.statistics_spec import StatisticsSpec
from ..metrics.names import class_of, lower_is_better

if TYPE_CHECKING:
    from pydantic import TypeAdapter

SCHEMA = 1
MORE = ("human", "judgments", "columns", "correlations", "agreements", "expectations")
"""Sections that are written and read without a class of their own. Files of earlier versions lack
some of them."""
REFERENCES_ROW = "REFERENCE"
"""The name of the row with the mean score of the references under leave_one_out (REFERENCE in
JFLEG's table)."""
MOST = 2**53
"""The largest whole number: counts are exact in float64 up to here."""
MAX_TEXT = 100_000
"""The most signs of a text, such as a warning that lists names."""
MAX_ITEMS = 20_000
"""The most entries of a list or mapping within a section. A section itself, such as all scores, may
have more."""
MAX_REFERENCES = 1 << 12
"""The most references. The names of the columns of counts are made for each of them."""
MAX_DATASETS = 1_000
"""The most data sets: a config can have no more."""
TIERS = (3, 2, 1)
"""How finely categories are told apart: 3 is as the data set has them, 1 is coarsest."""
REST = "(other types)"
"""The category of what is of none of the categories that are counted apart."""


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


class _Whole(NamedTuple):
    """Marks a whole number from 0."""

    most: int = MOST

    def __get_pydantic_core_schema__(self, *_: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.int_schema(strict=True, ge=0, le=self.most)


Number = Annotated[float, _Number()]
Whole = Annotated[int, _Whole()]
References = Annotated[int, _Whole(MAX_REFERENCES)]
Pair = tuple[Number, Number]


@dataclass(frozen=True)
class Samples:
    """The spread of a score over draws of references."""

    iterations: Whole
    std: Number
    """The population deviation."""
    interval: Pair
    """The mean ± 1.959964 deviations."""

    @property
    def shown(self) -> tuple[float, float]:
        """The interval as reports show it: within 0 and 1, as scores are. NaN stays NaN."""
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

    ranks: tuple[Whole, Whole]
    """The best and the worst rank of the system in the samples, without the extremes."""
    cluster: Whole
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
    wins: Whole
    """How many sentences have a better score in `system`."""
    losses: Whole
    """How many sentences have a worse score in `system`."""
    ties: Whole
    """How many sentences score the same."""
    cohen_d: Number
    """The mean of the differences of sentence scores, divided by their deviation."""
    p: Number
    """The p-value of the test."""
    p_adjusted: Number
    """The p-value after the correction for several tests."""


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
    rank: Whole
    """The rank among the systems: 1 is the best. Equal scores share a rank."""
    notes: tuple[str, ...] = ()
    """What a reader should know about this score."""
    peer_signature: str | None = None
    """The signature that the field's own tool, such as sacreBLEU, gives to this metric."""
    bootstrap: Bootstrap | None = None
    intervals: dict[str, Spread] = field(default_factory=dict)
    """The outputs in bootstrap samples, by name, where `statistics` have `outputs: all`. Counts
    have none."""

    @property
    def ends(self) -> dict[str, float]:
        """The ends of the intervals of outputs, as NAME_low and NAME_high."""
        names = ((0, "low"), (1, "high"))
        return {
            f"{name}_{end}": own.interval[n]
            for name, own in self.intervals.items()
            for n, end in names
        }


@dataclass(frozen=True, kw_only=True)
class DatasetInfo:
    """What was scored."""

    lines: Whole
    references: References
    digests: dict[str, str]
    """The digests of the lines of each file, by its role: "source", "reference 0", "system NAME".
    """
    views: dict[str, References] = field(default_factory=dict)
    """How many references metrics of edits have, by what they read (`metrics/base/statistics_spec.py`)."""
    categories: tuple[str, ...] = ()
    """The types of edits that are scored apart, sorted."""
    left_out: dict[str, tuple[Whole, ...]] = field(default_factory=dict)
    """The lines, from 0, that metrics of users have no number for, by what they read."""

    def lines_of(self, spec: StatisticsSpec) -> int:
        """Return how many lines have a score."""
        return self.lines - len(self.left_out.get(spec.key, ())) if self.left_out else self.lines

    def references_of(self, spec: StatisticsSpec) -> int:
        """Return how many references there are for those who count these columns."""
        return self.views.get(spec.input, self.references)


@dataclass(frozen=True)
class Mean:
    """The mean of the scores on all data sets, in which each data set counts the same."""

    metric: str
    """The signature of the metric, without the number of references, in which data sets may differ.
    """
    datasets: list[str]
    systems: dict[str, Number]
    """The mean of each system that has a score on every data set, the best first."""
    lacking: dict[str, list[str]]
    """The systems that have no mean, with the data sets on which they have no score."""


@dataclass(frozen=True)
class Category:
    """The score of a system in a category."""

    category: str
    score: Number
    outputs: dict[str, Annotated[float, _Number(exact=True)]]
    """All outputs of the metric for the category. The first is the score. Counts are whole numbers.
    """
    intervals: dict[str, Pair] = field(default_factory=dict)
    """The bootstrap intervals of those outputs that are fractions; empty where no statistics were
    asked for."""


@dataclass(frozen=True, kw_only=True)
class Breakdown:
    """The scores of a system on a data set by category. Sums of its counts are the counts of the
    score.
    """

    dataset: str
    metric: str
    """The signature of the metric."""
    system: str
    tier: Whole
    """One of TIERS."""
    categories: tuple[Category, ...]
    """Those that have counts, sorted by name."""

    def rows(self) -> list[dict[str, Any]]:
        """Return a mapping for each category: its type and score, `low` and `high` of the interval,
        and its outputs.
        """
        return [
            {
                "type": item.category,
                "score": item.score,
                **dict(zip(("low", "high"), next(iter(item.intervals.values()), ()), strict=False)),
                **item.outputs,
            }
            for item in self.categories
        ]


@dataclass(frozen=True)
class Series:
    """Systems whose names differ in a number alone."""

    name: str
    """The name without the number."""
    axis: str
    """What is counted, such as step."""
    steps: tuple[tuple[float, str], ...]
    """The number and the name of each system, in the order of the numbers."""

    def of(self, systems: Container[str]) -> "Series":
        """Return the same with these systems alone."""
        return replace(self, steps=tuple(step for step in self.steps if step[1] in systems))


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
    """This section and the next three are those of the same names in the config."""
    columns: dict[str, Any] | None = None
    correlations: dict[str, Any] | None = None
    agreements: dict[str, Any] | None = None
    expectations: dict[str, Any] | None = None
    """Whether the numbers in the section `expect` of the config were reached."""
    means: list[Mean] | None = None
    """The means over data sets, for each metric. The key is missing in the file where nobody asked
    for them."""
    series: list[Series] = field(default_factory=list)
    """The order of systems, where `output.x` of the config gives one."""
    declared: dict[str, Declared] = field(default_factory=dict)
    """The metrics of users, by name: what is needed to read their results without their code."""
    more: dict[str, Any] = field(default_factory=dict)
    """What stages of other extensions computed, by the names of their sections."""

    @property
    def has_sections(self) -> bool:
        """Whether stages of extensions computed anything."""
        sections = (self.human, self.judgments, self.correlations, self.agreements)
        return any(sections) or bool(self.expectations or self.more)

    def metric(self, printed: str) -> Metric:
        """Return the metric of a signature. Of a metric of a user the code is not needed. Raises
        ConfigError.
        """
        declared = self.declared.get(printed.partition("|")[0])
        if not declared or is_built_in(class_of(printed)):
            from ..metrics.build import (
                from_text,  # here, because the class is needed where no metric is
            )

            return from_text(printed)
        from ..metrics.functions.loading import (
            remember,  # here, because most runs have no metric of a user
        )
        from ..metrics.functions.metric import restored

        remember(self.declared.values())
        return restored(declared, printed)

    def only(self, system: str) -> "Results":
        """Return the same results with the scores of one system, and without comparisons."""
        parts = [part for part in self.breakdown if part.system == system]
        scores = [score for score in self.scores if score.system == system]
        return replace(self, scores=scores, tests=[], means=None, breakdown=parts)

    def to_json(self) -> str:
        """Return the text of results.json. The same results give the same text."""
        return (
            json.dumps(
                {"schema": SCHEMA, **self.plain()}, indent=1, ensure_ascii=False, allow_nan=False
            )
            + "\n"
        )

    def plain(self) -> dict[str, Any]:
        """Return the results as mappings and lists, with None for NaN.

        Scores and comparisons say whether a higher score is better, which follows from the metric
        and is not read."""
        content: dict[str, Any] = without_nan(asdict(self))
        for row in (*content["scores"], *content["tests"]):
            row["higher_is_better"] = not lower_is_better(row["metric"])
        leaving = [(content, key) for key in ("breakdown", "series", "declared", "more")]
        leaving += [
            (info, key)
            for info in content["datasets"].values()
            for key in ("views", "categories", "left_out")
        ]
        for part, key in (*leaving, *((score, "intervals") for score in content["scores"])):
            if not part[key]:
                del part[key]
        if self.means is None:
            del content["means"]
        return content

    @staticmethod
    def read(path: Path) -> "Results":
        """Read results.json; raises StoreError where it is missing, damaged or of another schema."""
        try:
            content = read_json(path)
            if content["schema"] != SCHEMA:
                raise StoreError(
                    f"{path}: is of schema {content['schema']!r:.50}; this version reads {SCHEMA}"
                )
            if wrong := next(_too_much(content), None):
                raise ValueError(wrong)
            results = _checked(content)
            for section in ("scores", "tests", "breakdown"):
                for number, item in enumerate(getattr(results, section)):
                    if (name := item.dataset) not in results.datasets:
                        raise ValueError(
                            f"{section}[{number}].dataset: there is no data set '{name[:100]}'"
                        )
            return results
        except FileNotFoundError:
            beside = path.parent.parent
            runs = (
                [each.parent.name for each in beside.glob("*/results.json")]
                if beside.is_dir()
                else []
            )
            there = f"; {beside} has the runs {', '.join(sorted(runs)[:20])}" if runs else ""
            raise StoreError(f"{path.parent}: has no results of a run{there}") from None
        except OSError as error:
            raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StoreError(
                f"{path}: is not the results file of a run ({type(error).__name__}: {error})"
            ) from None


@cache
def _adapter() -> "TypeAdapter[Results]":
    """Return what checks the content of results.json; its method json_schema() says what that is."""
    from pydantic import TypeAdapter

    return TypeAdapter(Results)


def _checked(content: Any) -> Results:
    """Return the results that JSON stands for; raises ValueError with the place of the first that
    is wrong.
    """
    from pydantic import ValidationError

    try:
        return _adapter().validate_python(content)
    except ValidationError as error:
        item = error.errors(include_url=False)[0]
        found = (
            item["input"]
            if isinstance(item["input"], str | int | float)
            else type(item["input"]).__name__
        )
        raise ValueError(f"{_place(item['loc'])}: {item['msg']}; found {found!r:.50}") from None


def _place(location: Sequence[int | str]) -> str:
    """Return where something stands, such as scores[0].rank."""
    return "".join(
        f"[{part}]" if isinstance(part, int) else f".{part[:50]}" for part in location
    ).lstrip(".")


def _too_much(value: Any, *location: int | str) -> Iterator[str]:
    """Yield what is wrong with each text, list and mapping that is larger than any run writes."""
    if isinstance(value, str) and len(value) > MAX_TEXT:
        yield f"{_place(location)}: expected at most {MAX_TEXT:,} signs, found {value[:49]!r}"
    elif isinstance(value, list | dict):
        most = MAX_DATASETS if location == ("datasets",) else MAX_ITEMS
        if len(value) > most and (len(location) > 1 or location == ("datasets",)):
            yield f"{_place(location)}: has {len(value):,} entries; {most:,} are allowed"
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _too_much(child, *location, key)


def without_nan(value: Any) -> Any:
    """Replace numbers that are not finite by None, since JSON has no such numbers."""
    if isinstance(value, dict):
        return {key: without_nan(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(child) for child in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


Row = TypeVar("Row", Score, Breakdown, Comparison)


def grouped(rows: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    """Return rows by data set and signature of the metric, in the order in which these come."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.dataset, row.metric), []).append(row)
    return groups


def ranks(scores: Sequence[float]) -> list[int]:
    """Return the rank of each score: 1 for the highest. Equal scores share a rank, as in 1, 2, 2,
    4. NaN comes last.
    """
    keys = [-math.inf if math.isnan(score) else score for score in scores]
    rising = sorted(keys)
    return [1 + len(keys) - bisect_right(rising, key) for key in keys]


# --- systems with an order, such as the checkpoints step-1000, step-2000 ... of a training


STEPS = (
    r"(?<![A-Za-z])(?i:(?:global[-_.]?)?(?:steps?|checkpoint|ckpt|epoch|iter(?:ation)?|update))[-_.]?"
    r"([0-9]+(?:\.[0-9]+)?[kKmM]?)(?![A-Za-z0-9])"
)
"""Names of systems that have an order without being told: a word of training, and a number."""
STEP = re.compile(r"([0-9]+(?:\.[0-9]+)?)([km]?)")
TIMES = {"": 1, "k": 1_000, "m": 1_000_000}
"""What the letter after a number means."""
SEPARATORS = "-_.+"


def series_of(systems: Iterable[str], pattern: str = STEPS) -> list[Series]:
    """Return the series of two systems or more. The first group of the pattern finds the number in
    a name.
    """
    found: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for system in dict.fromkeys(systems):
        match = re.search(pattern, system)
        number = STEP.fullmatch((match[1] or "").lower()) if match else None
        if match and number:
            start, end = match.span(1)
            gap = "-" if system[end:] and system[end] not in SEPARATORS else ""
            name = (system[:start].rstrip(SEPARATORS) + gap + system[end:]).strip(SEPARATORS)
            axis = (
                (system[match.start() : start] + system[end : match.end()])
                .strip(SEPARATORS)
                .lower()
            )
            found.setdefault((name, axis or "number"), []).append(
                (float(number[1]) * TIMES[number[2]], system)
            )
    return [
        Series(*key, tuple(sorted(steps))) for key, steps in sorted(found.items()) if len(steps) > 1
    ]
