"""The written form of a config: what may stand in the YAML file. The JSON Schema is made from these models."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, TypeAdapter, ValidationInfo, WithJsonSchema

from .models_published import WrittenPublished
from .resolved import UNPACKED
from .values import (
    Digits,
    Level,
    LineNumbers,
    PathText,
    Record,
    Resamples,
    Runs,
    Seed,
    Truth,
    Written,
    named_format,
    read_record,
    whole_number,
)

BACKENDS = ("auto", "serial", "threading", "loky", "dask", "ray", "spark")
OFFICIAL = "data"
"""The word that stands for the outputs that come with data sets."""
_HOST = r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}"
ADDRESSES = {
    "dask": (rf"(?:(?:tcp|tls|ws|wss)://)?{_HOST}", "tcp://HOST:PORT of a dask scheduler"),
    "ray": (rf"auto|local|(?:ray://)?{_HOST}", "ray://HOST:PORT, HOST:PORT or auto"),
    "spark": (
        r"spark://[^ ]+|local(?:-cluster)?(?:\[[0-9*, ]+\])?|yarn|k8s://[^ ]+",
        "a Spark master: spark://HOST:PORT, yarn, k8s://..., local[N] or local-cluster[N,CORES,MEMORY]",
    ),
}
"""For each backend of a cluster: a pattern that its addresses match, and the same in words."""


def check_address(backend: str, address: str) -> str | None:
    """Return what is wrong with an address for a backend, or None."""
    if backend not in ADDRESSES:
        return f"only the backends {', '.join(ADDRESSES)} take an address, not '{backend}'"
    pattern, words = ADDRESSES[backend]
    return None if re.fullmatch(pattern, address) else f"expected {words}, found '{address}'"


def _jobs(value: object) -> object:
    if value != "auto" and (not isinstance(value, str) or not re.fullmatch(r"[1-9][0-9]{0,4}", value)):
        raise ValueError("expected 'auto' or a number of workers from 1")
    return value if value == "auto" else int(str(value))


Jobs = Annotated[
    Any,
    BeforeValidator(_jobs),
    WithJsonSchema({"anyOf": [{"const": "auto"}, {"type": "integer", "minimum": 1, "maximum": 99_999}]}),
]
_PATH: TypeAdapter[str] = TypeAdapter(PathText)
ANY_RECORD = {"const": "<record>"}
"""Stands for the records of all formats in the JSON Schema of the models, until `schema` puts them there."""


def _texts(value: object, info: ValidationInfo) -> str | Record:
    """Return a path, or a record that says where in a file the texts are."""
    return read_record(value, info.context or {}) if isinstance(value, dict) else _PATH.validate_python(value)


Texts = Annotated[Any, BeforeValidator(_texts), WithJsonSchema({"oneOf": [_PATH.json_schema(), ANY_RECORD]})]
_BY_DATASET: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Texts])


def _outputs(value: object, info: ValidationInfo) -> object:
    """Return where the outputs of a system are: one text for all data sets, or a mapping with one for each."""
    if isinstance(value, dict) and not named_format(value, info.context or {}):
        return _BY_DATASET.validate_python(value, context=info.context)
    return _texts(value, info)


Outputs = Annotated[
    Any,
    BeforeValidator(_outputs),
    WithJsonSchema({"oneOf": [_PATH.json_schema(), ANY_RECORD, _BY_DATASET.json_schema()]}),
]


def _form(value: object) -> str:
    if value == OFFICIAL:
        return "<data>"
    return "<list>" if isinstance(value, list) else "<mapping>"


WrittenSystems = Annotated[
    Annotated[dict[str, Outputs], Tag("<mapping>"), Field(min_length=1)]
    | Annotated[list[PathText], Tag("<list>"), Field(min_length=1)]
    | Annotated[Literal["data"], Tag("<data>")],
    Discriminator(_form),
]


class WrittenDataset(Written):
    """Parallel text, one sentence a line. One of references, m2, gold, path and data is needed."""

    source: Texts | None = Field(None, description="the uncorrected text; GLEU+ and GREEN need it")
    references: list[Texts] = Field(
        [],
        min_length=1,
        description="one file for each annotator; a glob stands for the files that it matches, in natural order",
    )
    m2: PathText | None = Field(None, description="annotated sentences: source, and a reference for each annotator")
    gold: list[PathText] = Field(
        [],
        min_length=1,
        description="annotated sentences (M2) whose edits errant and m2 compare with; without references they are "
        "made of it, as m2 makes them; of several files of the same sentences each has annotators of its own",
    )
    path: PathText | None = Field(
        None, description="a folder in the layout of gec-datasets: src.txt and ref0.txt, ref1.txt ... (or one .m2 file)"
    )
    data: str | None = Field(
        None,
        min_length=1,
        description="a fetched data set, NAME or NAME/PART, with source and references; see gec-pipeline list datasets",
    )
    missing_annotator: Literal["first", "source", "none"] = Field(
        "first",
        description="what stands in an M2 file for an annotator who has no line for a sentence that others "
        "annotated: the edits of the first annotator, the source, or nothing (none)",
    )
    empty_references: Literal["keep", "error", "none"] = Field(
        "keep",
        description="what a reference line without a token is: a sentence of length 0, with a warning (keep), a "
        "mistake (error), or a sign that this annotator has nothing for the sentence (none)",
    )
    keep: LineNumbers | None = Field(None, description="lines to score, from 1: [1-100, 418], or a file of them")
    drop: LineNumbers | None = Field(None, description="lines to leave out, from 1: [1-100, 418], or a file of them")
    outputs: Literal["whole", "kept"] = Field(
        "whole", description="kept: the files of systems hold only the lines that keep or drop leaves"
    )
    replace: Literal["none", "ptb_brackets"] = Field(
        "none",
        description="ptb_brackets: -LRB- and its like, in upper or lower case, become the brackets that they mean",
    )


class WrittenDefaults(Written):
    """Values for the data sets and metrics that do not give their own."""

    datasets: WrittenDataset | None = None
    metrics: dict[str, Any] | None = Field(None, description="options for the metrics that have a use for them")


class WrittenRun(Written):
    """How the work is done. Nothing here changes a number."""

    n_jobs: Jobs = Field(
        "auto", description="worker processes or threads; auto: as many as there are processors, none for small runs"
    )
    backend: Literal["auto", "serial", "threading", "loky", "dask", "ray", "spark"] = Field(
        "auto",
        description="what runs the workers; dask, ray and spark are clusters, and need the extra of the same name",
    )
    address: str | None = Field(
        None,
        min_length=1,
        description="address of the cluster: tcp://HOST:PORT (dask), ray://HOST:PORT, a Spark master",
    )
    max_unpacked: Annotated[int, Field(ge=1), BeforeValidator(whole_number)] = Field(
        UNPACKED, description="bytes that compressed and other unpacked inputs of a run may take together"
    )


class WrittenStatistics(Written):
    """Intervals, ranges of ranks and paired tests. Without this section there are none."""

    baseline: str | None = Field(None, description="the system that the others are compared with; default: all pairs")
    test: Literal["approximate_randomization", "paired_bootstrap", "sign", "none"] = Field(
        "approximate_randomization", description="the paired test; none: no comparisons"
    )
    correction: Literal["holm", "bonferroni", "none"] = Field(
        "holm", description="correction of p-values for several comparisons by one metric on one data set"
    )
    level: Level = Field(0.95, description="level of intervals and rank ranges; 1 - level is the level of significance")
    resamples: Resamples = Field(1000, description="bootstrap samples")
    trials: Annotated[int, Field(ge=1, le=100_000_000), BeforeValidator(whole_number)] = Field(
        10_000, description="shuffles of approximate randomisation"
    )
    seed: Seed = Field(12345, description="seed of both random streams")
    choice: Literal["whole", "anew"] = Field(
        "whole",
        description="which annotators count in a sample, of metrics such as errant and m2 that choose them sentence by "
        "sentence with running totals: those of the whole set, or chosen anew in each sample",
    )
    outputs: Literal["score", "all"] = Field(
        "score", description="what has an interval: the score alone, or all outputs that are fractions, such as recall"
    )


class WrittenHuman(Written):
    """Human judgements, or scores made of them, with which the metrics are correlated."""

    file: PathText = Field(description="judgements (XML or CSV), or scores: lines `system score`, CSV, YAML")
    dataset: str | None = Field(None, description="the data set that was judged; not needed where there is only one")
    judges: list[str] = Field([], min_length=1, description="only these judges; default: all")
    aliases: dict[str, str] = Field(
        {}, min_length=1, description="what systems of the file are called in the run, such as src: INPUT"
    )
    without: list[str] = Field([], description="systems that are left out of the correlations, such as references")
    scores: list[Literal["expected_wins", "trueskill"]] = Field(
        ["expected_wins"], min_length=1, description="how judgements become scores of systems"
    )
    divisor: Literal["opponents", "beaten"] = Field(
        "opponents",
        description="what Expected Wins divides by: all opponents, or those beaten at least once (as EW.pl)",
    )
    runs: Runs = Field(100, description="runs of TrueSkill; the score is their mean")
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
    window: Annotated[int, Field(ge=2, le=1000), BeforeValidator(whole_number)] | None = Field(
        None, description="number of systems in a window that moves along the human ranking; default: no windows"
    )
    level: Level = Field(0.95, description="level of the intervals")
    resamples: Resamples = Field(1000, description="bootstrap samples of systems, or of sentences")
    seed: Seed = Field(12345, description="seed of the bootstrap, of TrueSkill and of permutations")
    statistics: list[str] = Field(
        [],
        description="statistics of scores of sentences, or with level=system of systems, such as pearson or "
        "accuracy[average=item,epsilon=best]",
    )
    permutations: Resamples | None = Field(
        None, description="resamples of the permutation tests between metrics; default: no such tests"
    )
    swap: Literal["auto", "scores", "pairs"] = Field(
        "auto", description="what a permutation swaps between two metrics: scores, or results of pairs of outputs"
    )
    block: Resamples | None = Field(
        None, description="after so many permutations each, a test with a clear p-value stops; default: it never does"
    )
    early_min: Level = Field(0.02, description="a test may stop where its p-value is below this")
    early_max: Level = Field(0.5, description="a test may stop where its p-value is above this")
    aggregation: Literal["score", "trueskill"] = Field(
        "score",
        description="which scores of metrics are correlated on systems: their own, or TrueSkill of sentence scores",
    )
    by_rank: Truth = Field(False, description="also the agreement on pairs of outputs by the ranks people gave them")


class WrittenOutput(Written):
    """Where results go and how they are printed."""

    dir: PathText = Field("runs/latest", description="the run directory, relative to the working directory")
    formats: list[str] = Field(["json", "csv"], description="files beside results.json")
    plots: list[str] = Field(
        [], description="plots that the format plots draws; default: all for which there are results"
    )
    plot_type: Literal["png", "svg", "pdf"] = Field("png", description="type of the files that the format plots writes")
    plot_width: Literal["column", "text"] | None = Field(
        None, description="width of plots, for a paper: that of a column (219 points) or of the text (455 points)"
    )
    plot_font: Literal["sans", "serif"] = Field("sans", description="letters of plots")
    plot_title: Truth = Field(True, description="whether plots say above the axes what they show")
    digits: Digits = Field(2, description="decimals of the printed percentages")
    mean: Truth = Field(False, description="also the mean over data sets of each system and metric")


class WrittenConfig(WrittenPublished):
    """A gec-pipeline config."""

    version: Annotated[int, Field(ge=1, le=1), BeforeValidator(whole_number)] = Field(
        1, description="version of this format"
    )
    description: str | None = None
    include: list[PathText] = Field([], description="configs over which this one is merged")
    defaults: WrittenDefaults = WrittenDefaults()
    datasets: dict[str, WrittenDataset] = Field({}, min_length=1)
    systems: WrittenSystems = Field(
        {},
        description="name: path, name: {dataset: path}, a list of globs, or data: the outputs that data sets come with",
    )
    metrics: list[Any] = Field([], min_length=1)
    statistics: WrittenStatistics | None = Field(None, description="intervals and tests; {} takes the defaults")
    human: WrittenHuman | None = None
    run: WrittenRun = WrittenRun()
    output: WrittenOutput = WrittenOutput()
