"""The results of a run: the content of results.json (schema 1), which is written and read here.

The classes are the schema of the file. A TypeAdapter of pydantic is made of them, which validates
a file; pydantic is imported only if a file is read.
"""

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
from ..execution import Missing
from ..files import read_json
from ..metrics import Declared, lower_is_better
from ..metrics.base import Metric, StatisticsSpec

if TYPE_CHECKING:
    from pydantic import TypeAdapter


SCHEMA = 1
UNTYPED_SECTIONS = (
    "human",
    "judgments",
    "columns",
    "correlations",
    "agreements",
    "expectations",
)
"""Sections without a class of their own. Some are missing in files of earlier versions."""
REFERENCES_ROW = "REFERENCE"
"""The name of the row with the mean score of the references under leave_one_out (REFERENCE in
JFLEG's table)."""
MAX_COUNT = 2**53
"""The largest whole number: counts are exact in float64 up to this."""
MAX_TEXT = 100_000
"""The most characters of a text, such as a warning that lists names."""
MAX_ITEMS = 20_000
"""The most entries of a list or mapping within a section. A section itself, such as all scores, may
have more."""
MAX_REFERENCES = 1 << 12
"""The most references. The names of the columns of counts are made for each of them."""
MAX_DATASETS = 1_000
"""The most data sets: a config can have no more."""
TIERS = (3, 2, 1)
"""How fine categories are: 3 is as the data set has them, 1 is coarsest."""
REST = "(other types)"
"""The category of edits whose type is not in the data set's categories."""


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


@dataclass(frozen=True)
class Category:
    """The score of a system in a category."""

    category: str
    score: Number
    outputs: dict[str, Annotated[float, _Number(exact=True)]]
    """All outputs of the metric for the category, the score first. Counts are whole numbers."""
    intervals: dict[str, Pair] = field(default_factory=dict)
    """The bootstrap intervals of those outputs that are fractions; empty without statistics."""


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


@dataclass(frozen=True, kw_only=True)
class Results:
    """The content of results.json. A section is None if the config does not have it."""

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
    """The agreement of the metrics with human judgements, as a mapping."""
    judgments: dict[str, Any] | None = None
    """This section and the next three are those of the same names in the config."""
    columns: dict[str, Any] | None = None
    correlations: dict[str, Any] | None = None
    agreements: dict[str, Any] | None = None
    expectations: dict[str, Any] | None = None
    """Whether the numbers in the section `expect` of the config were reached."""
    means: list[Mean] | None = None
    """The means over data sets, for each metric. The file has no such key if they were not
    requested."""
    series: list[Series] = field(default_factory=list)
    """The order of systems, if `output.x` of the config has one."""
    declared: dict[str, Declared] = field(default_factory=dict)
    """The metrics of users, by name. With these, results can be read without their code."""
    more: dict[str, Any] = field(default_factory=dict)
    """The results of stages of other extensions, by the names of their sections."""

    @property
    def has_sections(self) -> bool:
        """Whether stages of extensions computed anything."""
        sections = (
            self.human,
            self.judgments,
            self.correlations,
            self.agreements,
        )
        return any(sections) or bool(self.expectations or self.more)

    def metric(self, printed: str) -> Metric:
        """Return the metric of a signature; raises ConfigError.

        The code of a metric of a user is not needed.
        """
        declared = self.declared.get(printed.partition("|")[0])
        if not declared:
            from ..metrics import (
                from_text,  # here: this file is read without any metric
            )

            return from_text(printed)
        # few runs have such metrics
        from ..metrics import metric_source

        return metric_source().restored(self.declared, printed)

    def only(self, system: str) -> "Results":
        """Return the same results with the scores of one system, and without comparisons."""
        parts = [part for part in self.breakdown if part.system == system]
        scores = [score for score in self.scores if score.system == system]
        return replace(
            self, scores=scores, tests=[], means=None, breakdown=parts
        )

    def to_json(self) -> str:
        """Return the text of results.json. The same results give the same text."""
        content = {"schema": SCHEMA, **self.plain()}
        return (
            json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
            + "\n"
        )

    def plain(self) -> dict[str, Any]:
        """Return the results as mappings and lists, with None for NaN.

        Scores and comparisons have a key for whether a higher score is better. It follows from the
        metric and is not read.
        """
        content: dict[str, Any] = without_nan(asdict(self))
        for row in (*content["scores"], *content["tests"]):
            row["higher_is_better"] = not lower_is_better(row["metric"])
        _leave_out_empty(content, ("breakdown", "series", "declared", "more"))
        for info in content["datasets"].values():
            _leave_out_empty(info, ("views", "categories", "left_out"))
        for score in content["scores"]:
            _leave_out_empty(score, ("intervals",))
        if self.means is None:
            del content["means"]
        return content

    @staticmethod
    def read(path: Path) -> "Results":
        """Read results.json; raises StoreError if it is missing, damaged or of another schema."""
        try:
            content = read_json(path)
            if content["schema"] != SCHEMA:
                schema = f"{content['schema']!r:.50}"
                raise StoreError(
                    f"{path}: is of schema {schema}; this version reads {SCHEMA}"
                )
            problem = next(_too_large(content), None)
            if problem:
                raise ValueError(problem)
            results = _validated(content)
            _check_datasets(results)
        except FileNotFoundError:
            raise StoreError(
                f"{path.parent}: has no results of a run{_runs_beside(path)}"
            ) from None
        except OSError as error:
            raise StoreError(
                f"{path}: cannot be read: {error.strerror}"
            ) from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            reason = f"{type(error).__name__}: {error}"
            raise StoreError(
                f"{path}: is not the results file of a run ({reason})"
            ) from None
        return results


def _leave_out_empty(mapping: dict[str, Any], keys: Iterable[str]) -> None:
    """Leave out keys whose values are empty."""
    for key in keys:
        if not mapping[key]:
            del mapping[key]


def _check_datasets(results: Results) -> None:
    """Raise ValueError if a row is about a data set that the results do not have."""
    for section in ("scores", "tests", "breakdown"):
        for number, row in enumerate(getattr(results, section)):
            if row.dataset not in results.datasets:
                name = row.dataset[:100]
                raise ValueError(
                    f"{section}[{number}].dataset: there is no data set '{name}'"
                )


def _runs_beside(path: Path) -> str:
    """Return the end of a message that lists the runs in the folder of a run directory."""
    folder = path.parent.parent
    if not folder.is_dir():
        return ""
    runs = sorted(file.parent.name for file in folder.glob("*/results.json"))
    return f"; {folder} has the runs {', '.join(runs[:20])}" if runs else ""


@cache
def _adapter() -> "TypeAdapter[Results]":
    """Return the validator of results.json; its method json_schema() returns the schema."""
    from pydantic import TypeAdapter

    return TypeAdapter(Results)


def _validated(content: Any) -> Results:
    """Return the results of a JSON value; raises ValueError with the path of the first error."""
    from pydantic import ValidationError

    try:
        return _adapter().validate_python(content)
    except ValidationError as error:
        item = error.errors(include_url=False)[0]
    value = item["input"]
    if not isinstance(value, str | int | float):
        value = type(value).__name__
    raise ValueError(
        f"{_path_text(item['loc'])}: {item['msg']}; found {value!r:.50}"
    )


def _path_text(path: Sequence[int | str]) -> str:
    """Return the path of a value in the file, such as scores[0].rank."""
    text = ""
    for key in path:
        text += f"[{key}]" if isinstance(key, int) else f".{key[:50]}"
    return text.lstrip(".")


def _too_large(value: Any, *path: int | str) -> Iterator[str]:
    """Yield a message for each text, list and mapping that is larger than any run writes."""
    if isinstance(value, str) and len(value) > MAX_TEXT:
        yield f"{_path_text(path)}: expected at most {MAX_TEXT:,} signs, found {value[:49]!r}"
    if not isinstance(value, list | dict):
        return
    if path == ("datasets",):
        limit: float = MAX_DATASETS
    elif len(path) > 1:
        limit = MAX_ITEMS
    else:
        limit = math.inf
    if len(value) > limit:
        yield f"{_path_text(path)}: has {len(value):,} entries; {limit:,} are allowed"
    children = value.items() if isinstance(value, dict) else enumerate(value)
    for key, child in children:
        yield from _too_large(child, *path, key)


def without_nan(value: Any) -> Any:
    """Replace numbers that are not finite by None, since JSON has no such numbers."""
    if isinstance(value, dict):
        return {key: without_nan(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(child) for child in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


Row = TypeVar("Row", Score, Breakdown, Comparison)


def grouped(rows: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    """Return rows by data set and signature of the metric, in the order in which these come."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.dataset, row.metric), []).append(row)
    return groups


def ranks(scores: Sequence[float]) -> list[int]:
    """Return the rank of each score: 1 for the highest.

    Equal scores share a rank, as in 1, 2, 2, 4. NaN comes last.
    """
    keys = [-math.inf if math.isnan(score) else score for score in scores]
    rising = sorted(keys)
    return [1 + len(keys) - bisect_right(rising, key) for key in keys]


# --- systems with an order, such as the checkpoints step-1000, step-2000 ... of a training


STEPS = (
    r"(?<![A-Za-z])(?i:(?:global[-_.]?)?(?:steps?|checkpoint|ckpt|epoch|iter(?:ation)?|update))[-_.]?"
    r"([0-9]+(?:\.[0-9]+)?[kKmM]?)(?![A-Za-z0-9])"
)
"""Names of systems that have an order by default: a word of training, and a number."""
NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?)([km]?)")
FACTORS = {"": 1, "k": 1_000, "m": 1_000_000}
"""The factor of the letter after a number."""
SEPARATORS = "-_.+"


def series_of(systems: Iterable[str], pattern: str = STEPS) -> list[Series]:
    """Return the series of two systems or more.

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
            series.append(Series(name, axis, tuple(sorted(steps))))
    return series
