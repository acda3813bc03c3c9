"""The results of a run: the content of results.json (schema 1), which is written and read here.

The classes are the schema of the file. A TypeAdapter of pydantic is made of them, which validates
a file; pydantic is imported only if a file is read.
"""

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, StoreError, known_names
from ..execution import Missing
from ..files import read_json
from ..metrics import Declared, lower_is_better
from ..metrics.base import Metric
from .group_letters import letters
from .rows import (
    Breakdown,
    Comparison,
    DatasetInfo,
    Mean,
    MetricRows,
    Score,
    Series,
)

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
SECTIONS_BY_METRIC = ("human",)
"""Those of them with lists of items about a metric on a data set. All others are about the run as a
whole."""
MAX_TEXT = 100_000
"""The most characters of a text, such as a warning that lists names."""
MAX_ITEMS = 20_000
"""The most entries of a list or mapping within a section. A section itself, such as all scores, may
have more."""
MAX_DATASETS = 1_000
"""The most data sets: a config can have no more."""


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
    def level(self) -> Fraction:
        """The level of intervals, exactly as the settings have it."""
        return Fraction(str((self.statistics or {}).get("level", 0.95)))

    @property
    def baseline(self) -> str | None:
        """The system that the others were compared with; None if all pairs were compared."""
        return (self.statistics or {}).get("baseline")

    @property
    def stored_settings(self) -> dict[str, Any]:
        """The settings of intervals and tests that this version has too."""
        from ..data.config import StatisticsConfig

        stored = {}
        for name, value in (self.statistics or {}).items():
            if name in StatisticsConfig.model_fields:
                stored[name] = value
        return stored

    def is_small_p(self, test: Comparison) -> bool:
        """Return whether the p-value of a test is below the level after the correction."""
        return test.p_adjusted < 1 - self.level

    def is_significant(self, test: Comparison) -> bool:
        """Return whether a difference is significant.

        Its p-value is small, and not because too few sentences differ.
        """
        return self.is_small_p(test) and not test.differ_too_rarely

    def group_letters(
        self, scores: Sequence[Score], tests: Sequence[Comparison]
    ) -> dict[str, str]:
        """Return the compact letter display: the letters of each system, by its name.

        `scores` and `tests` are those of one metric on one data set; systems without a test are
        left out. Two systems that share a letter do not differ significantly; see letters().
        """
        compared = Comparison.systems_of(tests)
        scores = [score for score in scores if score.system in compared]
        positions = {
            score.system: position for position, score in enumerate(scores)
        }
        different = []
        for test in tests:
            if self.is_significant(test):
                different.append(
                    (positions[test.system], positions[test.other])
                )
        letters_of_systems = letters(
            [score.rank for score in scores], different
        )
        return dict(zip(positions, letters_of_systems, strict=True))

    @property
    def systems(self) -> list[str]:
        """The names of all systems, in the order of the scores."""
        return list(dict.fromkeys(score.system for score in self.scores))

    def check_system(self, owner: str, system: str) -> None:
        """Raise StoreError, with the nearest name, if no score is of a system.

        `owner` is what has the scores, such as the run.
        """
        if system not in self.systems:
            hint = known_names(system, self.systems, "it has")
            raise StoreError(f"{owner}: has no system '{system}'{hint}")

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

    def by_metric(self) -> list[MetricRows]:
        """Return the rows of each metric on each data set, in the order of the scores."""
        sections = []
        for rows in (self.scores, self.tests, self.breakdown):
            groups: dict[tuple[str, str], list[Any]] = {}
            for row in rows:
                groups.setdefault((row.dataset, row.metric), []).append(row)
            sections.append(groups)
        scores, tests, breakdown = sections
        rows_by_metric = []
        for key in scores:
            dataset, signature = key
            rows_of_metric = MetricRows(
                dataset=dataset,
                signature=signature,
                scores=scores[key],
                tests=tests.get(key, ()),
                breakdown=breakdown.get(key, ()),
            )
            rows_by_metric.append(rows_of_metric)
        return rows_by_metric

    def with_rows(
        self, rows_by_metric: Iterable[MetricRows], **changes: Any
    ) -> "Results":
        """Return the same with scores, tests and scores by category of these metrics alone.

        `changes` are other fields with new values.
        """
        scores: list[Score] = []
        tests: list[Comparison] = []
        breakdown: list[Breakdown] = []
        for rows in rows_by_metric:
            scores += rows.scores
            tests += rows.tests
            breakdown += rows.breakdown
        return replace(
            self, scores=scores, tests=tests, breakdown=breakdown, **changes
        )

    def with_means(self) -> "Results":
        """Return the same with the mean over data sets of each system.

        There is one by each metric that all data sets have. Raises InputError if there are fewer
        than two data sets.
        """
        datasets = list(dict.fromkeys(score.dataset for score in self.scores))
        if len(datasets) < 2:
            names = " and ".join(datasets) or "none"
            raise InputError(
                f"a mean needs scores on two data sets or more; there is {names}"
            )
        # by metric, system and data set
        scores: dict[str, dict[str, dict[str, float]]] = {}
        for score in self.scores:
            systems = scores.setdefault(Mean.metric_of(score), {})
            systems.setdefault(score.system, {})[score.dataset] = score.score
        means = []
        for metric, by_system in scores.items():
            means.append(Mean.of(metric, by_system, datasets))
        return replace(self, means=means)

    def narrowed(self, rows_by_metric: Sequence[MetricRows]) -> "Results":
        """Return the same for these metrics and systems alone, with their statistics.

        Sections about the run as a whole, such as correlations of columns and verdicts on
        expectations, are left out. So is agreement with human judgements if systems are left out,
        since it is that of all systems.
        """
        pairs = {(rows.dataset, rows.signature) for rows in rows_by_metric}
        names: set[str] = set()
        for rows in rows_by_metric:
            names.update(rows.names)
        all_systems = True
        for score in self.scores:
            is_used = (score.dataset, score.metric) in pairs
            if is_used and score.system not in names:
                all_systems = False

        used = {dataset for dataset, _ in pairs}
        datasets = {
            name: info for name, info in self.datasets.items() if name in used
        }
        missing = []
        for item in self.missing:
            if item.dataset in used and (all_systems or item.system in names):
                missing.append(item)
        sections: dict[str, Any] = dict.fromkeys(UNTYPED_SECTIONS)
        if all_systems:
            for section in SECTIONS_BY_METRIC:
                sections[section] = _narrowed(getattr(self, section), pairs)
        part = self.with_rows(
            rows_by_metric,
            means=None,
            datasets=datasets,
            missing=missing,
            **sections,
        )
        if self.means and len(datasets) > 1:
            return part.with_means()
        return part

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


def _narrowed(
    section: dict[str, Any] | None, pairs: set[tuple[str, str]]
) -> dict[str, Any] | None:
    """Return a section whose lists have only items about certain metrics on certain data sets.

    An item is a mapping with a data set, and a metric or two that are compared.
    """
    if section is None:
        return None
    narrowed = dict(section)
    for key, value in section.items():
        if isinstance(value, list):
            narrowed[key] = [item for item in value if _is_about(item, pairs)]
    return narrowed


def _is_about(item: Any, pairs: set[tuple[str, str]]) -> bool:
    if isinstance(item, dict):
        for key in ("metric", "other"):
            if key in item and (item.get("dataset"), item[key]) not in pairs:
                return False
    return True


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
