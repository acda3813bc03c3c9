"""The sections of a config with columns of scores, correlations, and values that are expected."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from pipeline.data.config import (
    ColumnName,
    Config,
    ConfigModel,
    PathText,
    Section,
    Truth,
    whole_number,
)
from pipeline.extensions.human.models import (
    CorrelationConfig,
    JudgmentsConfig,
    RecordsConfig,
    RowsConfig,
)

NUMBER = re.compile(
    r"[+-]?([0-9]{1,18}(\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][+-]?[0-9]{1,3})?"
)
Name = Annotated[str, Field(min_length=1)]
Rule = Literal["half_up", "cut"]
Worth = Literal[
    "exact",
    "rounding",
    "tolerance",
    "partly",
    "differs",
    "not published",
    "not run",
]
"""Verdicts, the best first. "not published" says that the values are of another computation, not of
a publication.

"not run", which only a record has, says that the recipe's author could not run it.
"""
SPECIAL = (
    "score",
    "rank",
    "samples.std",
    "samples.interval",
    "bootstrap.mean",
    "bootstrap.std",
    "bootstrap.interval",
)
"""Outputs for which values may be expected besides those of the metric itself."""
SECTIONS = ("judgments", "columns", "correlations", "agreements")


def _number(value: object) -> object:
    if isinstance(value, str) and NUMBER.fullmatch(value):
        return value
    raise ValueError("expected a number")


def _scores(value: object) -> object:
    """Return {system: score} from a mapping of a config, whose scalars are texts; raises ValueError
    for anything else.
    """
    message = "expected a score, a number, for each system"
    if not isinstance(value, dict) or not value:
        raise ValueError(message)
    scores = {}
    for name, text in value.items():
        if not isinstance(text, str) or not NUMBER.fullmatch(text):
            raise ValueError(message)
        scores[str(name)] = float(text)
    return scores


def _values(value: object) -> object:
    """Return published values: text, or lists and mappings of such."""
    if isinstance(value, dict) and value:
        return {str(key): _values(child) for key, child in value.items()}
    if isinstance(value, list) and value:
        return [_values(child) for child in value]
    if isinstance(value, str):
        return value
    raise ValueError(
        "expected values: a number with all its printed digits, a list or a mapping of such"
    )


Number = Annotated[
    str,
    BeforeValidator(_number),
    WithJsonSchema({"type": ["string", "number"]}),
]
Scores = Annotated[
    dict[str, float],
    BeforeValidator(_scores),
    WithJsonSchema(
        {"type": "object", "additionalProperties": {"type": "number"}}
    ),
]
Values = Annotated[
    Any,
    BeforeValidator(_values),
    WithJsonSchema({"type": ["string", "number", "array", "object"]}),
]
ColumnNumber = Annotated[
    int,
    Field(ge=1, le=1000),
    BeforeValidator(whole_number),
]


def _one_of(written: ConfigModel, *keys: str) -> str:
    """Return which of these keys a section has; raises ValueError unless it is exactly one."""
    present = [key for key in keys if getattr(written, key) is not None]
    if len(present) != 1:
        found = ", ".join(present) or "none"
        raise ValueError(f"expected one of {', '.join(keys)}; found {found}")
    return present[0]


def _refuse_beside(written: ConfigModel, key: str, *idle_keys: str) -> None:
    """Raise ValueError for a key that has no effect beside another."""
    for idle in idle_keys:
        if idle in written.model_fields_set:
            raise ValueError(f"'{idle}' has no effect beside '{key}'")


class RoundingConfig(ConfigModel):
    """How numbers are rounded before they are used."""

    digits: Annotated[
        int, Field(ge=0, le=12), BeforeValidator(whole_number)
    ] = Field(
        description="decimals that are left, after multiplication with the scale"
    )
    rule: Rule = Field(
        "half_up",
        description="half_up rounds the decimal form; cut drops the rest",
    )


class TableConfig(RowsConfig):
    """Which columns of a file hold the numbers."""

    system: ColumnName = Field(
        "1", description="the column of the system's name"
    )
    score: ColumnName = Field("2", description="the column of the score")
    sentence: ColumnName | None = Field(
        None,
        description="the column of the sentence's number, where there is one",
    )
    without: list[str] = Field(
        [], description="systems whose lines are left out"
    )
    metric: ColumnName | None = Field(
        None, description="of `expect`: the column of what `metrics` names"
    )
    metrics: dict[str, Any] | None = Field(
        None,
        min_length=1,
        description="of `expect`: for each text of that column a metric, or keys of an entry, such as "
        "{bleu-all: bleu, chrf-B: {metric: chrf, dataset: B}}; there is an entry for each",
    )


class FBetaConfig(ConfigModel):
    """F-beta of two columns of a file of scores."""

    file: PathText
    precision: ColumnNumber = Field(
        description="the column of precision; the system's name is column 1"
    )
    recall: ColumnNumber = Field(description="the column of recall")
    beta: Number = Field(
        "0.5", description="weight of recall against precision"
    )


class ColumnConfig(ConfigModel):
    """A score of each system: of a metric, a file or judgements, or written out."""

    metric: Name | None = Field(
        None, description="a metric of this config, as it is written there"
    )
    file: PathText | None = Field(
        None, description="a file of scores, as `human` reads them"
    )
    table: TableConfig | None = None
    records: RecordsConfig | None = Field(
        None,
        description="scores of outputs; the column has one for each of these",
    )
    f_beta: FBetaConfig | None = None
    judgments: Name | None = Field(
        None, description="a name of the section `judgments`"
    )
    scores: Scores | None = Field(
        None, description="scores of the systems, as system: score"
    )
    order: list[str] | None = Field(
        None,
        description="systems, the best first; their scores follow from their ranks",
    )
    dataset: Name | None = Field(
        None,
        description="data set of the metric, where there are several; or that whose systems a file of numbers is for",
    )
    output: Name | None = Field(
        None, description="output of the metric; default: the score"
    )
    human: Literal["expected_wins", "trueskill"] = Field(
        "expected_wins", description="score that is made of the judgements"
    )
    title: Name | None = Field(
        None, description="title of the score in the file, where it has several"
    )
    rename: dict[str, str] = Field(
        {}, description="other names for systems, such as {source: INPUT}"
    )
    rounding: RoundingConfig | None = Field(
        None, description="rounding of the scores before they are used"
    )

    @model_validator(mode="after")
    def _one(self) -> "ColumnConfig":
        """Refuse more than one source, and keys that have no effect on it, with ValueError."""
        source = _one_of(
            self,
            "metric",
            "file",
            "table",
            "records",
            "f_beta",
            "judgments",
            "scores",
            "order",
        )
        sources_with = {
            "dataset": ("metric", "file"),
            "output": ("metric",),
            "human": ("judgments",),
            "title": ("file",),
        }
        for key, sources in sources_with.items():
            if source not in sources:
                _refuse_beside(self, source, key)
        return self


class AgreementConfig(ConfigModel):
    """How often sentence scores agree with judgements. One of metric and table is needed."""

    judgments: Name = Field(description="a name of the section `judgments`")
    metric: Name | None = Field(
        None, description="a metric of this config, as it is written there"
    )
    table: TableConfig | None = Field(
        None,
        description="sentence scores; their sentences have the numbers that the judgements have",
    )
    dataset: Name | None = Field(
        None, description="data set of the metric, where there are several"
    )
    without: list[str] = Field([], description="systems that are left out")
    numbering: Literal["auto", "0", "1", "judged"] = Field(
        "auto", description="as in the section `human`"
    )
    ties: Literal["later", "wrong", "half", "out"] = Field(
        "later", description="as in the section `human`"
    )
    order: list[str] | None = Field(
        None,
        min_length=2,
        description="all judged systems, in the order for `ties: later`; default: ASCII order",
    )

    @model_validator(mode="after")
    def _one(self) -> "AgreementConfig":
        if (self.metric is None) == (self.table is None):
            raise ValueError("expected one of metric, table")
        if self.table is not None and self.table.sentence is None:
            raise ValueError("table: the key 'sentence' is missing")
        if self.order is not None and self.ties != "later":
            raise ValueError(f"'order' has no effect with 'ties: {self.ties}'")
        return self


class ExpectationConfig(ConfigModel):
    """Values that the results should have, for scores (metric, dataset, output) or at a path into
    results.json.
    """

    title: str | None = Field(
        None, description="what the values are, for the table"
    )
    metric: Name | None = Field(
        None, description="a metric of this config, as it is written there"
    )
    dataset: Name | None = Field(
        None, description="data set, where there are several"
    )
    output: Name = Field(
        "score",
        description=f"output of the metric, or one of {', '.join(SPECIAL)}",
    )
    sentences: Any = Field(
        None,
        description="lines, such as [1-10], or all: their sentence scores are expected",
    )
    path: Name | None = Field(
        None,
        description="keys into results.json, joined by /, such as judgments/all/total",
    )
    mean: list[str] | None = Field(
        None,
        min_length=1,
        description="systems for whose mean score one value is expected",
    )
    before: RoundingConfig | None = Field(
        None, description="rounding of each score before the mean"
    )
    scale: Number = Field(
        "1",
        description="factor by which the results are multiplied; 100 for percent",
    )
    rounding: Rule | None = Field(
        None,
        description="how the publication shortened its numbers; default: they had no more digits",
    )
    tolerance: Number | None = Field(
        None, description="difference that is allowed, in units of the values"
    )
    why: str | None = Field(
        None,
        description="why there is a tolerance, or why the values are missed",
    )
    recorded: Worth | None = Field(
        None, description="verdict on record; only a worse one is a miss"
    )
    annotator: Name | None = Field(
        None,
        description="annotator of the published values, such as errant-2.3.3.spacy-2.3.9.en_core_web_sm-2.3.1",
    )
    published: Truth = Field(
        True, description="false: the values are of another computation"
    )
    values: Values | None = Field(
        None, description="values with all their printed digits"
    )
    order: list[str] | None = Field(
        None,
        min_length=2,
        description="systems, the best first",
    )
    table: TableConfig | None = Field(None, description="values in a file")
    same: Name | None = Field(
        None, description="another path into results.json with the same content"
    )
    reports: dict[str, PathText] | None = Field(
        None,
        min_length=1,
        description="reports of m2scorer -v by the names of systems: the counts of each sentence and annotator",
    )

    @model_validator(mode="after")
    def _one(self) -> "ExpectationConfig":
        """Refuse keys that do not fit together, with ValueError."""
        kind = _one_of(self, "values", "order", "table", "same", "reports")
        if kind == "reports":
            _refuse_beside(
                self, "reports", "path", "output", "sentences", "mean"
            )
        if self.path is not None:
            _refuse_beside(
                self, "path", "metric", "dataset", "output", "sentences"
            )
        if self.same is not None and self.path is None:
            raise ValueError("'same' needs 'path'")
        if self.before is not None and self.mean is None:
            raise ValueError("'before' has no effect without 'mean'")
        if self.tolerance is not None and self.tolerance.startswith("-"):
            raise ValueError(
                f"tolerance: expected a number from 0, found {self.tolerance}"
            )
        if self.tolerance is not None and self.why is None:
            raise ValueError("a tolerance needs 'why'")
        return self


def entry_of_each_metric(entries: Any) -> Any:
    """Return the list `expect` of a config with an entry for each of the `metrics` of a table, in
    place of the one entry that names them all.

    The first of these stays where the entry was, so that the others keep the positions by which
    messages find their lines; the further ones come at the end. Anything else stays as it is."""
    if not isinstance(entries, list):
        return entries
    in_place = []
    at_end = []
    for entry in entries:
        first, *further = _entries_of_table(entry)
        in_place.append(first)
        at_end += further
    return in_place + at_end


def _entries_of_table(entry: Any) -> list[Any]:
    """Return an entry of `expect` for each of the `metrics` of its table; [entry] if there are none.

    The key `metric` of the table is the column with the labels of metrics, and `metrics` maps these
    labels to metrics, or to keys of the entry."""
    table = entry.get("table") if isinstance(entry, dict) else None
    if not isinstance(table, dict) or not table.get("metric"):
        return [entry]
    metrics = table.get("metrics")
    if not isinstance(metrics, dict) or not metrics:
        return [entry]
    shared = dict(table)
    label_column = shared.pop("metric")
    del shared["metrics"]
    entries = []
    for label, keys in metrics.items():
        where = {**shared.get("where", {}), label_column: label}
        metric_keys = keys if isinstance(keys, dict) else {"metric": keys}
        metric_entry = {"title": label, **entry, **metric_keys}
        metric_entry["table"] = {**shared, "where": where}
        entries.append(metric_entry)
    return entries


class PublicationConfig(ConfigModel):
    """Where the expected values were published, what was tried, and which verdict is on record."""

    what: str = Field(description="where the numbers stand")
    cite: str | None = Field(None, description="the publication")
    field: str = Field(
        "grammatical error correction",
        description="what was evaluated, such as machine translation",
    )
    url: str | None = None
    recipe: str | None = Field(None, description="how the numbers are computed")
    verdict: Worth = Field(description="the verdict on record")
    note: str | None = Field(None, description="what else a reader should know")
    tried: list[str] = Field([], description="what was tried without success")
    not_compared: list[str] = Field(
        [], description="published numbers that are not computed here, and why"
    )
    slow: Truth = Field(False, description="whether it takes minutes")


PUBLICATION = Section(type=PublicationConfig)
JUDGMENTS = Section(
    type=dict[str, JudgmentsConfig],
    field=Field({}, min_length=1, description="human judgements by name"),
    standalone=True,
)
COLUMNS = Section(
    type=dict[str, ColumnConfig],
    field=Field({}, min_length=1, description="scores of systems by name"),
    standalone=True,
)
CORRELATIONS = Section(
    type=list[CorrelationConfig], field=Field([], min_length=1)
)
AGREEMENTS = Section(
    type=dict[str, AgreementConfig],
    field=Field(
        {}, min_length=1, description="agreements on sentences, by name"
    ),
)
EXPECT = Section(
    type=Annotated[
        list[ExpectationConfig], BeforeValidator(entry_of_each_metric)
    ],
    field=Field(
        [],
        min_length=1,
        description="published values; where one is missed the exit code is 1",
    ),
    stand_in={"path": "scores", "same": "scores"},
)


@dataclass(frozen=True, kw_only=True)
class PublishedConfig:
    """The sections of a config that this extension adds. Those that it does not have are empty."""

    publication: PublicationConfig | None = None
    judgments: Mapping[str, JudgmentsConfig] = field(default_factory=dict)
    columns: Mapping[str, ColumnConfig] = field(default_factory=dict)
    correlations: Sequence[CorrelationConfig] = ()
    agreements: Mapping[str, AgreementConfig] = field(default_factory=dict)
    expect: Sequence[ExpectationConfig] = ()

    @property
    def has_computations(self) -> bool:
        """Whether anything has to be computed or compared."""
        computed = (
            self.judgments
            or self.columns
            or self.correlations
            or self.agreements
        )
        return bool(computed or self.expect)


def published_config(config: Config) -> PublishedConfig:
    """Return the sections of this extension that a config has."""
    sections = {}
    for item in fields(PublishedConfig):
        section = config.section(item.name)
        if section is not None:
            sections[item.name] = section
    return PublishedConfig(**sections)
