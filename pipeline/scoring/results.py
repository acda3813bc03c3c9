"""What a run found: the model of results.json (schema 1), written and read back."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..errors import StoreError
from ..execution.shards import Missing
from ..io.safe_files import read_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SCHEMA = 1
MORE = ("human", "judgments", "columns", "correlations", "agreements", "expectations")
"""Sections that are mappings as they are; files of earlier versions lack some."""
REFERENCES_ROW = "REFERENCE"
"""The row of references: leave_one_out that is the mean of the references' own scores (JFLEG's REFERENCE)."""


@dataclass(frozen=True)
class Samples:
    """Spread of a score over draws of references: population deviation, and mean ± 1.959964 deviations."""

    iterations: int
    std: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Bootstrap:
    """A score in bootstrap samples of the sentences: mean, deviation (the standard error), percentile interval.

    ranks: best and worst of the system in the samples, less the extremes; cluster: from 1, of systems whose ranks
    cannot be told apart.
    """

    mean: float
    std: float
    interval: tuple[float, float]
    ranks: tuple[int, int]
    cluster: int


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two systems compared: difference of the scores of system and other, and whether it is real.

    interval: of the difference, by bootstrap; better: the share of samples in which system scores higher (ties count
    half); wins, losses, ties: sentences that system has better, worse, as good; cohen_d: mean of the differences of
    sentence scores over their deviation; p, p_adjusted: of the test, before and after the correction.
    """

    dataset: str
    metric: str
    system: str
    other: str
    difference: float
    interval: tuple[float, float]
    better: float
    wins: int
    losses: int
    ties: int
    cohen_d: float
    p: float
    p_adjusted: float


@dataclass(frozen=True, kw_only=True)
class Score:
    """The score of a system on a data set; all values are fractions. rank: 1 is best, equal scores share one.

    notes: what a reader should know of this score; peer_signature: what the field's own tool would call it.
    """

    dataset: str
    system: str
    metric: str
    score: float
    outputs: dict[str, float]
    samples: Samples | None
    rank: int
    notes: tuple[str, ...] = ()
    peer_signature: str | None = None
    bootstrap: Bootstrap | None = None


@dataclass(frozen=True)
class DatasetInfo:
    """What was scored: number of lines and references, digests of the lines of each file."""

    lines: int
    references: int
    digests: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Results:
    """The content of results.json.

    missing: empty but where the run is incomplete; statistics: the settings of intervals and tests, None where there
    are none; human: how the metrics agree with people (meta_evaluation.MetaEvaluation as a mapping); judgments,
    columns, correlations, agreements: what the sections of these names say (`reproduction/sections.py`); expectations:
    verdicts on the section expect (expected.check_expectations). None where that was not asked.
    """

    datasets: dict[str, DatasetInfo]
    scores: list[Score]
    warnings: list[str] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)
    statistics: dict[str, Any] | None = None
    tests: list[Comparison] = field(default_factory=list)
    human: dict[str, Any] | None = None
    judgments: dict[str, Any] | None = None
    columns: dict[str, Any] | None = None
    correlations: dict[str, Any] | None = None
    agreements: dict[str, Any] | None = None
    expectations: dict[str, Any] | None = None

    def only(self, system: str) -> Results:
        """Return the same results with the scores of one system."""
        return replace(self, scores=[score for score in self.scores if score.system == system], tests=[])

    def to_json(self) -> str:
        """Return the text of results.json; the same results give the same text."""
        content = {"schema": SCHEMA, **self.plain()}
        return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    def plain(self) -> dict[str, Any]:
        """Return everything as mappings and lists; NaN is None."""
        found: dict[str, Any] = without_nan(asdict(self))
        return found

    @staticmethod
    def read(path: Path) -> Results:
        """Read results.json; raises StoreError where it is missing, damaged or of another schema."""
        try:
            content = read_json(path)
            if content["schema"] != SCHEMA:
                raise StoreError(f"{path}: is of schema {content['schema']}; this version reads {SCHEMA}")
            datasets = {name: DatasetInfo(**info) for name, info in content["datasets"].items()}
            missing = [Missing(**item) for item in content.get("missing", ())]
            scores = [_score(item) for item in content["scores"]]
            tests = [_comparison(item) for item in content.get("tests", ())]
            more = {name: content.get(name) for name in MORE}
            return Results(
                datasets=datasets,
                scores=scores,
                warnings=content["warnings"],
                missing=missing,
                statistics=content.get("statistics"),
                tests=tests,
                **more,
            )
        except OSError as error:
            raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StoreError(f"{path}: is not the results file of a run ({type(error).__name__}: {error})") from None


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
    read = {"score": _number(item["score"]), "outputs": outputs, "samples": samples, "bootstrap": bootstrap}
    return Score(**{**item, **read, "notes": tuple(item.get("notes", ()))})


def _comparison(item: dict[str, Any]) -> Comparison:
    low, high = (_number(value) for value in item["interval"])
    numbers = {key: _number(item[key]) for key in ("difference", "better", "cohen_d", "p", "p_adjusted")}
    return Comparison(**{**item, **numbers, "interval": (low, high)})


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def without_nan(value: Any) -> Any:
    """JSON has no NaN: it is written as null."""
    if isinstance(value, dict):
        return {key: without_nan(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(child) for child in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def ranks(scores: Sequence[float]) -> list[int]:
    """Return the rank of each score: 1 for the highest; equal scores share a rank, the next are skipped (1 2 2 4).

    Scores that are not numbers come last.
    """
    keys = [-math.inf if math.isnan(score) else score for score in scores]
    return [1 + sum(other > key for other in keys) for key in keys]
