"""What the stages of a run work on: a checked run, a run with scores, and the stages of extensions.

A stage between scoring and writing is a Stage. Those of the core are in `stages.py`; an extension
names its own in Extension.stages.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .data import Corpus
from .data.config import Config, Overrides
from .errors import Problem
from .execution import Listener, Task
from .extension import installed
from .metrics.base import Metric
from .report import PlotStyle
from .scoring import MetricResult, Results, SampleCluster

if TYPE_CHECKING:
    from .data.config import OutputConfig
    from .execution import Cluster


@dataclass(frozen=True, kw_only=True)
class Job:
    """A run whose config and files are checked."""

    config: Config
    metrics: tuple[Metric, ...]
    corpora: tuple[Corpus, ...]
    """The data sets, with their texts indexed."""
    tasks: tuple[Task, ...]
    """Each metric with what it reads of each data set, in the order of data sets."""
    warnings: tuple[str, ...]
    """Warnings about the config and the texts."""
    overrides: Overrides = Overrides.NONE
    """The changes of the config by the command line."""
    written: dict[str, Any]
    """The content of run.json about the config, with which reopen.py opens the texts again."""
    stages: "tuple[Stage, ...]" = ()
    """The stages of extensions."""
    opened: Mapping[str, Any] = field(default_factory=dict)
    """The files that these stages have opened, by the names of the stages."""
    cluster: "Cluster | None" = None
    """The workers that have opened large texts, if the config has a cluster."""
    bytes_opened: int = 0
    """The bytes of texts that were read to open them."""

    @property
    def partial(self) -> bool:
        """Whether --only limits the run to a part of the config."""
        return bool(self.overrides.only)


@dataclass(frozen=True, kw_only=True)
class Scored:
    """A run whose systems have scores. The stages after scoring work on it."""

    job: Job
    corpora: tuple[Corpus, ...]
    """The data sets, without the systems that have no counts of some lines."""
    metric_results: Sequence[MetricResult]
    """The scores of each data set and metric with the columns that they are made of."""
    results: Results
    """The results of all stages so far."""
    listener: Listener
    """Displays the progress of the stage."""
    threads: int = 1
    """How many threads a stage may use."""
    sample_cluster: SampleCluster | None = None
    """The workers of a cluster that a stage may use."""

    def with_warnings(self, *warnings: str) -> "Scored":
        """Return this run with more warnings in its results."""
        all_warnings = [*self.results.warnings, *warnings]
        return replace(
            self, results=replace(self.results, warnings=all_warnings)
        )


@dataclass(frozen=True, kw_only=True)
class Preparation:
    """A run that is being prepared, for its stages."""

    config: Config
    metrics: Sequence[Metric]
    partial: bool = False
    """Whether --only limits the run to a part of the config."""
    problems: list[Problem] = field(default_factory=list)
    """All problems so far. A stage appends its own."""
    warnings: list[str] = field(default_factory=list)
    """Warnings of the stages."""


def _nothing(_: Preparation) -> None:
    return None


def _no_lines(_: Any) -> Iterable[str]:
    return ()


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Something that is computed from scores if the config requests it."""

    name: str
    """The name in the progress bar."""
    add: Callable[[Scored, Any], Scored]
    """Takes the scored run and what is requested. Returns the run with more results."""
    prepare: Callable[[Preparation], Any] = _nothing
    """Opens and checks what the config names. Returns what is requested; None leaves the stage
    out."""
    requested: Callable[[Job], Any] | None = None
    """Returns what is requested, in place of `prepare`, if nothing has to be opened."""
    describe: Callable[[Any], Iterable[str]] = _no_lines
    """Returns the lines that `gec-pipeline validate` prints of it."""

    def request(self, job: Job) -> Any:
        """Return what a job requests of the stage; None leaves it out."""
        return (
            self.requested(job) if self.requested else job.opened.get(self.name)
        )


def extension_stages(config: Config) -> tuple[Stage, ...]:
    """Return the stages of the extensions of which a config has a section."""
    if not config.sections:
        return ()
    stages: list[Stage] = []
    for extension in installed().values():
        if not extension.config_sections.keys().isdisjoint(config.sections):
            stages += map(extension.load, extension.stages)
    return tuple(stages)


def open_stages(
    stages: Sequence[Stage], preparation: Preparation
) -> dict[str, Any]:
    """Return what the stages open, by their names."""
    return {stage.name: stage.prepare(preparation) for stage in stages}


def output_settings(output: "OutputConfig") -> dict[str, Any]:
    """Return the arguments of ReportContext that are settings in the section `output`."""
    return {
        "digits": output.digits,
        "plots": tuple(output.plots),
        "plot_type": output.plot_type,
        "plot_style": PlotStyle(
            output.plot_width or "", output.plot_font, output.plot_title
        ),
    }
