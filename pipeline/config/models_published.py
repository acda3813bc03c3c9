"""The written form of what a config asks for besides scores, and of what it expects: judgements to correlations."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from .values import PathText, Truth, Written, a_level, whole_number

NUMBER = re.compile(r"[+-]?([0-9]{1,18}(\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][+-]?[0-9]{1,3})?")
Rule = Literal["half_up", "cut"]
Worth = Literal["exact", "rounding", "tolerance", "partly", "differs", "not published"]
"""Verdicts, the best first; not published: the values are of another computation, not of a publication."""
SPECIAL = ("score", "rank", "samples.std", "samples.interval", "bootstrap.mean", "bootstrap.std", "bootstrap.interval")
"""What may be expected of a score besides the metric's own outputs."""
SECTIONS = ("judgments", "columns", "correlations", "agreements")


def _number(value: object) -> object:
    if isinstance(value, str) and NUMBER.fullmatch(value):
        return value
    raise ValueError("expected a number")


def _scores(value: object) -> object:
    if isinstance(value, dict) and value and all(isinstance(v, str) and NUMBER.fullmatch(v) for v in value.values()):
        return {str(name): float(text) for name, text in value.items()}
    raise ValueError("expected a score, a number, for each system")


def _values(value: object) -> object:
    """Read published values: text, or lists and mappings of such."""
    if isinstance(value, dict) and value:
        return {str(key): _values(child) for key, child in value.items()}
    if isinstance(value, list) and value:
        return [_values(child) for child in value]
    if isinstance(value, str):
        return value
    raise ValueError("expected values: a number with all its printed digits, a list or a mapping of such")


Number = Annotated[str, BeforeValidator(_number), WithJsonSchema({"type": ["string", "number"]})]
Scores = Annotated[
    dict[str, float],
    BeforeValidator(_scores),
    WithJsonSchema({"type": "object", "additionalProperties": {"type": "number"}}),
]
Values = Annotated[Any, BeforeValidator(_values), WithJsonSchema({"type": ["string", "number", "array", "object"]})]
Digits = Annotated[int, Field(ge=0, le=12), BeforeValidator(whole_number)]
Place = Annotated[int, Field(ge=1, le=1000), BeforeValidator(whole_number)]
Name = Annotated[str, Field(min_length=1)]


class WrittenRounding(Written):
    """A rounding of numbers before something is made of them."""

    digits: Digits = Field(description="decimals that are left, after the scale")
    rule: Rule = Field("half_up", description="half_up, on the decimal form; cut: the rest is dropped")


class WrittenJudgments(Written):
    """Human judgements, of which all is told that `gec-pipeline human` prints."""

    file: PathText = Field(description="judgements (XML or CSV)")
    judges: list[str] = Field([], min_length=1, description="only these judges; default: all")
    without_judges: list[str] = Field([], description="not these judges")
    without: list[str] = Field([], description="not these systems")
    divisor: Literal["opponents", "beaten"] = Field("opponents", description="of Expected Wins")
    trueskill: Annotated[int, Field(ge=1, le=100_000), BeforeValidator(whole_number)] | None = Field(
        None, description="runs of TrueSkill; default: none"
    )
    folds: Annotated[int, Field(ge=2, le=1_000_000), BeforeValidator(whole_number)] | None = Field(
        None, description="of the cross-validation of Expected Wins; default: none is made"
    )
    level: Annotated[float, BeforeValidator(a_level)] = Field(0.95, description="of the ranges of ranks")
    resamples: Annotated[int, Field(ge=1, le=1_000_000), BeforeValidator(whole_number)] = Field(
        1000, description="bootstrap samples"
    )
    seed: Annotated[int, Field(ge=0, le=2**32 - 1), BeforeValidator(whole_number)] = Field(
        12345, description="of all random numbers"
    )


class WrittenTable(Written):
    """Numbers in a file of lines with columns: which columns, and which lines. Columns are numbered from 1."""

    file: PathText = Field(description="lines with columns, separated by tabs, commas or blanks; may be compressed")
    system: Place = Field(1, description="the column of the system's name")
    score: Place = Field(2, description="the column of the score")
    sentence: Place | None = Field(None, description="the column of the sentence's number, where there is one")
    where: dict[str, str] = Field({}, description="only lines with these texts in these columns, {1: BLEU}")


class WrittenFBeta(Written):
    """F-beta of two columns of a file of scores."""

    file: PathText
    precision: Place = Field(description="the column of precision; the system's name is column 1")
    recall: Place = Field(description="the column of recall")
    beta: Number = Field("0.5", description="weight of recall against precision")


class WrittenColumn(Written):
    """A score of each system: a metric's, a file's, of judgements, or written out. One of the first six is needed."""

    metric: Name | None = Field(None, description="a metric of this config, as it is written there")
    file: PathText | None = Field(None, description="a file of scores, as `human` reads them")
    table: WrittenTable | None = None
    f_beta: WrittenFBeta | None = None
    judgments: Name | None = Field(None, description="a name of the section `judgments`")
    scores: Scores | None = Field(None, description="system: score")
    order: list[str] | None = Field(None, description="systems, the best first: their scores are places")
    dataset: Name | None = Field(
        None, description="of the metric, where there are several; its systems are those of a file of numbers alone"
    )
    output: Name | None = Field(None, description="of the metric; default: the score")
    human: Literal["expected_wins", "trueskill"] = Field("expected_wins", description="of the judgements")
    title: Name | None = Field(None, description="of the file, where it has several scores")
    rename: dict[str, str] = Field({}, description="other names for systems, {source: INPUT}")
    rounding: WrittenRounding | None = Field(None, description="of the scores, before they are used")

    @model_validator(mode="after")
    def _one(self) -> WrittenColumn:
        sources = ("metric", "file", "table", "f_beta", "judgments", "scores", "order")
        given = [key for key in sources if getattr(self, key) is not None]
        if len(given) != 1:
            raise ValueError(f"expected one of {', '.join(sources)}; found {', '.join(given) or 'none'}")
        uses = {"dataset": ("metric", "file"), "output": ("metric",), "human": ("judgments",), "title": ("file",)}
        for key, owners in uses.items():
            if key in self.model_fields_set and given[0] not in owners:
                raise ValueError(f"'{key}' has no effect beside '{given[0]}'")
        return self


class WrittenCorrelation(Written):
    """Columns to correlate: each of the first with each of the second, on the systems that both have."""

    of: list[Name] = Field(min_length=1, description="columns, such as metrics")
    with_: list[Name] = Field(min_length=1, alias="with", description="columns, such as human scores")
    without: list[str] = Field([], description="systems that are left out")


class WrittenAgreement(Written):
    """How far sentence scores agree with judgements. One of metric and table is needed."""

    judgments: Name = Field(description="a name of the section `judgments`")
    metric: Name | None = Field(None, description="a metric of this config, as it is written there")
    table: WrittenTable | None = Field(None, description="sentence scores; sentences are numbered as the judgements'")
    dataset: Name | None = Field(None, description="of the metric, where there are several")
    without: list[str] = Field([], description="systems that are left out")
    numbering: Literal["auto", "0", "1", "judged"] = Field("auto", description="as in the section `human`")
    ties: Literal["later", "wrong", "half", "out"] = Field("later", description="as in the section `human`")

    @model_validator(mode="after")
    def _one(self) -> WrittenAgreement:
        if (self.metric is None) == (self.table is None):
            raise ValueError("expected one of metric, table")
        if self.table is not None and self.table.sentence is None:
            raise ValueError("table: the key 'sentence' is missing")
        return self


class WrittenExpectation(Written):
    """Values that the results should have: of scores (metric, dataset, output), or of a path into results.json."""

    title: str | None = Field(None, description="what the values are, for the table")
    metric: Name | None = Field(None, description="a metric of this config, as it is written there")
    dataset: Name | None = Field(None, description="where there are several")
    output: Name = Field("score", description=f"of the metric, or one of {', '.join(SPECIAL)}")
    sentences: Any = Field(None, description="lines, such as [1-10], whose sentence scores are expected; all")
    path: Name | None = Field(None, description="keys into results.json, joined by / , such as judgments/all/total")
    mean: list[str] | None = Field(None, min_length=1, description="of these systems, one value is expected")
    before: WrittenRounding | None = Field(None, description="rounding of each score before the mean")
    scale: Number = Field("1", description="what the results are multiplied with; 100 for percent")
    rounding: Rule | None = Field(
        None, description="the publication rounded (half_up) or cut what it had; default: the digits are all there were"
    )
    tolerance: Number | None = Field(None, description="difference that is allowed, in units of the values")
    why: str | None = Field(None, description="why there is a tolerance, or why the values are missed")
    recorded: Worth | None = Field(None, description="verdict that is known; only a worse one is a miss")
    published: Truth = Field(True, description="false: the values are of another computation")
    values: Values | None = Field(None, description="with all their printed digits")
    order: list[str] | None = Field(None, min_length=2, description="systems, the best first")
    table: WrittenTable | None = Field(None, description="values in a file")
    same: Name | None = Field(None, description="another path into results.json with the same content")

    @model_validator(mode="after")
    def _one(self) -> WrittenExpectation:
        given = [key for key in ("values", "order", "table", "same") if getattr(self, key) is not None]
        if len(given) != 1:
            raise ValueError(f"expected one of values, order, table, same; found {', '.join(given) or 'none'}")
        if self.path is not None:
            idle = [key for key in ("metric", "dataset", "output", "sentences") if key in self.model_fields_set]
            if idle:
                raise ValueError(f"'{idle[0]}' has no effect beside 'path'")
        if self.same is not None and self.path is None:
            raise ValueError("'same' needs 'path'")
        if self.before is not None and self.mean is None:
            raise ValueError("'before' has no effect without 'mean'")
        if self.tolerance is not None and self.tolerance.startswith("-"):
            raise ValueError(f"tolerance: expected a number from 0, found {self.tolerance}")
        if self.tolerance is not None and self.why is None:
            raise ValueError("a tolerance needs 'why'")
        return self


class WrittenPublication(Written):
    """What the expected values are: where they were published, what was tried, what is recorded."""

    what: str = Field(description="where the numbers stand")
    cite: str | None = Field(None, description="the publication")
    url: str | None = None
    recipe: str | None = Field(None, description="how the numbers come about")
    verdict: Worth = Field(description="the verdict on record")
    note: str | None = Field(None, description="what else a reader should know")
    tried: list[str] = Field([], description="what was tried in vain")
    not_compared: list[str] = Field([], description="published numbers that are not computed here, and why")
    slow: Truth = Field(False, description="takes minutes")


class WrittenPublished(Written):
    """What a config may ask for besides scores."""

    publication: WrittenPublication | None = None
    judgments: dict[str, WrittenJudgments] = Field({}, min_length=1, description="human judgements by name")
    columns: dict[str, WrittenColumn] = Field({}, min_length=1, description="scores of systems by name")
    correlations: list[WrittenCorrelation] = Field([], min_length=1)
    agreements: dict[str, WrittenAgreement] = Field({}, min_length=1, description="on sentences, by name")
    expect: list[WrittenExpectation] = Field(
        [], min_length=1, description="published values; where one is missed the exit code is 1"
    )
