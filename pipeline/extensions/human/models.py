"""The sections of a config about human judgements, and of what is correlated with them."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from pipeline.data.config import (
    ColumnName,
    ConfigModel,
    Level,
    PathText,
    Resamples,
    Section,
    Seed,
    Truth,
    whole_number,
)

Name = Annotated[str, Field(min_length=1)]
Runs = Annotated[int, Field(ge=1, le=100_000), BeforeValidator(whole_number)]


class HumanConfig(ConfigModel):
    """Human judgements, or scores made of them, with which the metrics are correlated."""

    file: PathText = Field(
        description="judgements (XML or CSV), or scores: lines `system score`, CSV"
    )
    dataset: str | None = Field(
        None,
        description="the data set that was judged; not needed where there is only one",
    )
    judges: list[str] = Field(
        [],
        min_length=1,
        description="only these judges; default: all",
    )
    aliases: dict[str, str] = Field(
        {},
        min_length=1,
        description="what systems of the file are called in the run, such as src: INPUT",
    )
    without: list[str] = Field(
        [],
        description="systems that are left out of the correlations, such as references",
    )
    scores: list[Literal["expected_wins", "trueskill"]] = Field(
        ["expected_wins"],
        min_length=1,
        description="how judgements become scores of systems",
    )
    divisor: Literal["opponents", "beaten"] = Field(
        "opponents",
        description="what Expected Wins divides by: all opponents, or those beaten at least once (as EW.pl)",
    )
    runs: Runs = Field(
        100, description="runs of TrueSkill; the score is their mean"
    )
    numbering: Literal["auto", "0", "1", "judged"] = Field(
        "auto",
        description="the number of the first sentence in the judgements; judged: the data set holds the judged "
        "sentences alone, in order of their numbers",
    )
    ties: Literal["later", "wrong", "half", "out"] = Field(
        "later",
        description="what becomes of a pair with equal sentence scores: the system later in ASCII order counts as "
        "preferred (later, as in gec-metrics), the pair is wrong, counts half, or is left out",
    )
    window: (
        Annotated[int, Field(ge=2, le=1000), BeforeValidator(whole_number)]
        | None
    ) = Field(
        None,
        description="number of systems in a window that moves along the human ranking; default: no windows",
    )
    level: Level = Field(0.95, description="level of the intervals")
    resamples: Resamples = Field(
        1000, description="bootstrap samples of systems, or of sentences"
    )
    seed: Seed = Field(
        12345,
        description="seed of the bootstrap, of TrueSkill and of permutations",
    )
    statistics: list[str] = Field(
        [],
        description="statistics of scores of sentences, or with level=system of systems, such as pearson or "
        "accuracy[average=item,epsilon=best]",
    )
    permutations: Resamples | None = Field(
        None,
        description="resamples of the permutation tests between metrics; default: no such tests",
    )
    aggregation: Literal["score", "trueskill"] = Field(
        "score",
        description="which scores of metrics are correlated on systems: their own, or TrueSkill of sentence scores",
    )


class JudgmentsConfig(ConfigModel):
    """Human judgements, for which all is computed that `gec-pipeline human` prints."""

    file: PathText = Field(description="judgements (XML or CSV)")
    judges: list[str] = Field(
        [],
        min_length=1,
        description="only these judges; default: all",
    )
    without_judges: list[str] = Field(
        [], description="judges that are left out"
    )
    without: list[str] = Field([], description="systems that are left out")
    divisor: Literal["opponents", "beaten"] = Field(
        "opponents", description="what Expected Wins divides by"
    )
    trueskill: Runs | None = Field(
        None, description="runs of TrueSkill; default: none"
    )
    folds: (
        Annotated[int, Field(ge=2, le=1_000_000), BeforeValidator(whole_number)]
        | None
    ) = Field(
        None,
        description="folds of a cross-validation of Expected Wins; default: there is none",
    )
    level: Level = Field(0.95, description="level of the rank ranges")
    resamples: Resamples = Field(1000, description="bootstrap samples")
    seed: Seed = Field(12345, description="seed of all random numbers")


class RowsConfig(ConfigModel):
    """Which rows of a file hold numbers. Columns are named by their numbers, from 1, or as in its
    first line.
    """

    file: PathText = Field(
        description="lines with columns, separated by tabs, commas or blanks; a JSON list of objects, or JSON lines; "
        "may be compressed"
    )
    where: dict[str, str] = Field(
        {},
        description="only the rows with these texts in these columns, such as {1: BLEU}",
    )


class RecordsConfig(RowsConfig):
    """Scores of outputs in records: objects of JSON or JSON lines, or rows of a table. Outputs are
    joined by names.
    """

    score: ColumnName | list[ColumnName] = Field(
        description="the column, such as scores.fluency; of several it is the mean"
    )
    system: ColumnName | None = Field(
        None,
        description="the column of the system; *: a record has an object for each system, under its name; default: "
        "all outputs are of one",
    )
    item: ColumnName | list[ColumnName] = Field(
        [],
        description="the columns that name what the output is for; default: those of a system are in order",
    )


class CorrelationConfig(ConfigModel):
    """Columns to correlate: each of `of` with each of `with`, on the systems, or outputs, that both
    have.
    """

    of: list[Name] = Field(min_length=1, description="columns, such as metrics")
    with_: list[Name] = Field(
        min_length=1,
        alias="with",
        description="columns, such as human scores",
    )
    without: list[str] = Field([], description="systems that are left out")
    statistics: list[str] = Field(
        [],
        min_length=1,
        description="of records: such as pearson or kendall[average=item] (`list statistics`)",
    )
    absolute: Truth = Field(
        False, description="of records: absolute values of the statistics"
    )
    part: Literal["lower", "upper"] | None = Field(
        None,
        description="of records: the half of the outputs with the lower, or upper, scores of `with`",
    )
    control: Literal["system"] | None = Field(
        None,
        alias="given",
        description="of records: system: of scores less the mean of their system (partial correlation)",
    )
    resamples: Resamples | None = Field(
        None,
        description="of records: bootstrap samples of the items, for intervals of the statistics; default: none",
    )
    level: Level = Field(0.95, description="level of these intervals")
    seed: Seed = Field(12345, description="seed of these samples")

    @model_validator(mode="after")
    def _of_records(self) -> "CorrelationConfig":
        if self.statistics:
            return self
        for key in ("absolute", "part", "control", "resamples"):
            if key in self.model_fields_set:
                name = type(self).model_fields[key].alias or key
                raise ValueError(f"'{name}' has no effect without 'statistics'")
        return self


HUMAN = Section(type=HumanConfig)
