"""What comes before a run: config, metrics and every file are read and checked.

prepare() goes through these steps. Each adds its problems to the same list, and all problems are
raised at once:

- read_config() reads the config and its metrics, and selects a part of them (--only);
- open_texts() opens every file of texts and numbers;
- fit() checks whether the metrics can score the data sets;
- impossible_requests() checks reports, plots and statistics;
- stages of extensions open the files that they need;
- every metric is bound to every data set.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from .data.config.resolved import NO_OVERRIDES, Config, Overrides, select
from .data.config.tree import Node
from .data.corpus import Corpus
from .data.formats import READERS
from .data.input_files import Opener
from .data.input_readers import completed, needs_files, reader_of
from .data.input_warnings import mixed_styles, suspicions
from .data.inputs import TEXTS, NumberReader
from .data.opener import open_corpus
from .data.texts import read_texts
from .errors import InputError, Problem, Problems, bounded, did_you_mean
from .execution.options import AUTO, SILENT, Listener, RunOptions
from .metrics import from_nodes, has_own_tokens, metrics_called
from .metrics.base import (
    Metric,
    capabilities,
    computes_numbers,
    reads_files,
    render_signature,
)
from .scoring.aggregation import POLICIES
from .scoring.metric_results import Task, tasks_of
from .stage import Job, Preparation, extension_stages, open_stages

if TYPE_CHECKING:
    from pipeline.execution.cluster import Cluster


@dataclass(frozen=True, kw_only=True)
class ConfigWithMetrics:
    """A config and its metrics, or the part of them that --only selects."""

    config: Config
    metrics: tuple[Metric, ...]

    @property
    def number_readers(self) -> list[NumberReader]:
        """The metrics that read files of numbers."""
        return [
            cast("NumberReader", metric)
            for metric in self.metrics
            if reads_files(metric)
        ]

    @property
    def views(self) -> set[str]:
        """What metrics read of data sets: the texts, or inputs of extensions."""
        return {metric.spec.input for metric in self.metrics}


@dataclass(frozen=True, kw_only=True)
class OpenedTexts:
    """The data sets of a config, with all files open."""

    corpora: tuple[Corpus, ...]
    """Those without problems."""
    cluster: "Cluster | None"
    """The workers that have opened large texts, if the config has a cluster."""
    bytes_opened: int
    """The bytes that were read to open them."""


@dataclass(frozen=True, kw_only=True)
class OpenedRun:
    """A config with its metrics and open data sets."""

    config: Config
    metrics: tuple[Metric, ...]
    texts: OpenedTexts

    @cached_property
    def corpora(self) -> tuple[Corpus, ...]:
        """The data sets, with references as systems if a metric scores these too."""
        return complete(self.metrics, self.texts.corpora)

    def only(self, datasets: Collection[str]) -> "OpenedRun":
        """Return the same with some of the data sets alone, in this order."""
        corpora = {corpus.name: corpus for corpus in self.texts.corpora}
        selected = tuple(corpora[name] for name in datasets)
        return replace(self, texts=replace(self.texts, corpora=selected))


def prepare(
    written: str | Path | Node,
    options: RunOptions = AUTO,
    overrides: Overrides = NO_OVERRIDES,
    listener: Listener = SILENT,
) -> Job:
    """Read and check config, metrics and every file; raises ConfigError with all problems.

    `written` is a YAML file, or the node of a mapping of Python. `listener` displays progress if a
    metric has texts annotated. Raises IncompleteError if a process that annotates dies.
    """
    problems = Problems()
    opened_run = open_run(written, options, overrides, listener, problems)
    config = opened_run.config
    problems += impossible_requests(config, opened_run.metrics)
    stages = extension_stages(config)
    preparation = Preparation(
        config=config,
        metrics=opened_run.metrics,
        partial=bool(overrides.only),
        problems=problems,
    )
    opened = open_stages(stages, preparation)
    problems.raise_if_any()

    corpora = opened_run.corpora
    tasks = tasks_of(opened_run.metrics, corpora)
    warnings = list(config.notes)
    for corpus in corpora:
        of_corpus = [task for task in tasks if task.corpus is corpus]
        if of_corpus:
            warnings += text_warnings(of_corpus)
    return Job(
        config=config,
        metrics=opened_run.metrics,
        corpora=corpora,
        tasks=tasks,
        warnings=(*warnings, *preparation.warnings),
        overrides=overrides,
        written=_manifest_content(written, config, overrides),
        stages=stages,
        opened=opened,
        cluster=opened_run.texts.cluster,
        bytes_opened=opened_run.texts.bytes_opened,
    )


def reread(
    written: str | Path | Node, overrides: Overrides = NO_OVERRIDES
) -> OpenedRun:
    """Return config, metrics and texts of a run that is done; raises ConfigError.

    Packages for plots and the files of human judgements are not checked: reports do not need them
    any more.
    """
    problems = Problems()
    opened_run = open_run(
        written, RunOptions(backend="auto"), overrides, SILENT, problems
    )
    problems.raise_if_any()
    return opened_run


def open_run(
    written: str | Path | Node,
    options: RunOptions,
    overrides: Overrides,
    listener: Listener,
    problems: Problems,
) -> OpenedRun:
    """Read a config and open its texts; raises ConfigError if the config cannot be read."""
    selected = read_config(written, overrides, problems)
    problems += unused_address(selected.config, options)
    texts = open_texts(
        selected, options.under(selected.config.written.run), listener, problems
    )
    metrics = metrics_for_run(selected, texts.corpora)
    problems += fit(metrics, texts.corpora)
    return OpenedRun(config=selected.config, metrics=metrics, texts=texts)


# --- the config


def read_config(
    written: str | Path | Node, overrides: Overrides, problems: Problems
) -> ConfigWithMetrics:
    """Return a config with its metrics, or the part of them that --only selects.

    Raises ConfigError if the config cannot be read.
    """
    from .data.config.load import (
        load,
    )  # here: YAML and pydantic take time, scoring needs neither

    loaded = load(written, overrides.settings, READERS, problems)
    root = loaded.config.root if loaded.config else None
    metrics = from_nodes(loaded.metric_nodes, root, problems)
    if loaded.config is None:
        problems += fit(metrics, ())
        problems.raise_all()
    return select_part(loaded.config, metrics, overrides.only, problems)


def select_part(
    config: Config,
    metrics: Sequence[Metric],
    patterns: Sequence[str],
    problems: Problems,
) -> ConfigWithMetrics:
    """Return the data sets, systems and metrics that match one of the patterns of --only.

    A metric matches by its name, its signature, and any spelling of them.
    """
    other_names = {dataset.name for dataset in config.datasets}
    other_names |= {system.name for system in config.systems}
    spellings = [pattern for pattern in patterns if pattern not in other_names]
    names: list[tuple[str, ...]] = []
    for metric in metrics:
        signature = render_signature(metric.name, metric.settings())
        matching = [
            text for text in spellings if metric in metrics_called(text, metrics)
        ]
        names.append((metric.name, signature, *matching))
    config, selected_names = select(config, names, patterns, problems)
    selected = []
    for metric, names_of_metric in zip(metrics, names, strict=True):
        if names_of_metric in selected_names:
            selected.append(metric)
    return ConfigWithMetrics(config=config, metrics=tuple(selected))


def unused_address(config: Config, options: RunOptions) -> list[Problem]:
    """Return the problem of an address of the command line that the backend does not use."""
    if not options.address:
        return []
    from .backends import unused_address as reason_for

    reason = reason_for(str(options.under(config.written.run).backend))
    return [Problem("--address", reason)] if reason else []


def _manifest_content(
    written: str | Path | Node, config: Config, overrides: Overrides
) -> dict[str, Any]:
    """Return the part of run.json that reopen.py needs to open the texts again."""
    file = Path(config.root.mark.file).absolute()
    content: dict[str, Any] = {"config": str(file)}
    if isinstance(
        written, Node
    ):  # the whole mapping, and the folder of its relative paths
        content = {"config": written.plain(), "folder": str(file.parent)}
    content["set"] = list(overrides.settings)
    content["only"] = list(overrides.only)
    content["written"] = config.root.plain()
    return content


# --- the texts


def open_texts(
    selected: ConfigWithMetrics,
    options: RunOptions,
    listener: Listener,
    problems: Problems,
) -> OpenedTexts:
    """Open all texts and files of numbers. Texts are annotated if a metric needs it."""
    from .data.number_files import missing_number_files, misused, parted, with_numbers

    config = selected.config
    readers = selected.number_readers
    missing_files = config.missing_files | missing_number_files(
        config, readers, problems
    )
    problems += misused(config, readers)
    systems = with_numbers(config.systems, readers)

    cluster = options.new_cluster()
    opener = Opener(
        options.threads,
        config.written.run.max_unpacked,
        missing_files,
        cluster.shared if cluster else None,
    )
    corpora = []
    for dataset in config.datasets:
        corpus = open_corpus(dataset, systems, problems, opener, selected.views)
        if corpus:
            corpora.append(parted(corpus, readers))
    _add_locations(config, problems)
    problems += missing_texts(config, selected.metrics)
    if not problems:
        try:
            corpora = [
                completed(corpus, selected.views, options.threads, listener, opener)
                for corpus in corpora
            ]
        except InputError as error:
            corpora = []
            problems += error.problems
    return OpenedTexts(
        corpora=tuple(corpora), cluster=cluster, bytes_opened=opener.read
    )


def _add_locations(config: Config, problems: Problems) -> None:
    """Add the position in the config to the problems of missing files."""
    for number, problem in enumerate(problems):
        location = config.locations.get(problem.position)
        if location is not None and problem.message.startswith("no such file"):
            problems[number] = config.root.problem(str(problem), location)


def missing_texts(config: Config, metrics: Sequence[Metric]) -> list[Problem]:
    """Return a problem for each data set without a text that a metric needs."""
    from .data.config.models import DatasetConfig

    problems = []
    for dataset in config.datasets:
        value = config.root.find(("datasets", dataset.name)).value
        keys = set(value) if isinstance(value, dict) else set()
        if keys - DatasetConfig.model_fields.keys():
            continue  # unknown keys are problems already, and may be misspelt ones of texts
        has_edits = bool(dataset.m2 or dataset.gold)
        for metric in {metric.name: metric for metric in metrics}.values():
            messages = []
            if metric.spec.source and not (dataset.source or has_edits):
                messages.append(
                    without_source(metric.name, metric.hint, "add `source: FILE`")
                )
            # other checks report references that are empty, and inputs that are missing
            is_reported = "references" in keys or needs_files(metric.spec.input)
            has_references = dataset.references or has_edits
            if metric.spec.references and not has_references and not is_reported:
                messages.append(
                    without_references(metric.name, "add `references: [FILE]`")
                )
            for message in messages:
                problems.append(
                    config.root.problem(message, ("datasets", dataset.name))
                )
    return problems


def without_source(name: str, hint: str, remedy: str) -> str:
    """Return the message for a metric without its source. `remedy` says how to add one."""
    message = f"{name} needs a source, the uncorrected text: {remedy}"
    return f"{message}; {hint}" if hint else message


def without_references(name: str, remedy: str) -> str:
    """Return the message for a metric without references. `remedy` says how to add some."""
    return (
        f"{name} needs references, the texts that outputs are compared with: {remedy}"
    )


def complete(
    metrics: Sequence[Metric], corpora: Sequence[Corpus]
) -> tuple[Corpus, ...]:
    """Return the data sets, with references as systems if a metric scores these too."""
    policies = [POLICIES[metric.policy] for metric in metrics]
    completed_corpora = []
    for corpus in corpora:
        references = len(corpus.references)
        if any(policy.rows(references) for policy in policies):
            completed_corpora.append(corpus.with_references())
        else:
            completed_corpora.append(corpus)
    return tuple(completed_corpora)


# --- metrics with the data sets


def metrics_for_run(
    selected: ConfigWithMetrics, corpora: Collection[Corpus]
) -> tuple[Metric, ...]:
    """Return the metrics as this run needs them: some read all references before any line."""
    if not any(map(computes_numbers, selected.metrics)):
        return selected.metrics
    from .execution.function_metrics import (
        all_references,
    )  # here: few runs have such a metric

    systems = len(selected.config.systems)
    return capabilities.for_run(
        selected.metrics, systems, lambda: all_references(corpora)
    )


def fit(metrics: Sequence[Metric], corpora: Collection[Corpus]) -> list[Problem]:
    """Return why metrics cannot score the data sets, such as missing packages."""
    unavailable = dict.fromkeys(metric.spec.unavailable() for metric in metrics)
    problems = [Problem("", message) for message in unavailable if message]
    for corpus in corpora:
        messages = [_misfit(metric, corpus) for metric in metrics]
        without_files = [
            metric.name
            for metric in metrics
            if reads_files(metric) and metric.spec.key not in corpus.external
        ]
        for name in dict.fromkeys(without_files):
            messages.append(
                f"{name} reads files that a config names: `gec-pipeline help statistics`"
            )
        problems += [
            Problem("", f"{corpus.name}: {message}") for message in messages if message
        ]
    return problems


def _misfit(metric: Metric, corpus: Corpus) -> str | None:
    """Return why a metric cannot score a data set, by its settings or its policy of references."""
    view = metric.spec.input
    if view != TEXTS:
        message = reader_of(view).misfit(metric, corpus)
        if message:
            return message
        if view not in corpus.views:
            return None  # its source is missing, which is a problem of its own
    if has_own_tokens(metric) and not corpus.own_tokens:
        return (
            f"{metric.name}: the tokenizer own is for tokens of a program: lists of tokens, or "
            "tokenizer=function, of pipeline.evaluate, Scorer and sentence_scores "
            "(`gec-pipeline help api`)"
        )
    task = Task.of(metric, corpus)
    missing = task.input.missing
    reason = metric.misfit(task.references, missing=missing)
    if reason:
        return reason
    return POLICIES[metric.policy].misfit(metric, task.references, missing=missing)


def text_warnings(tasks: Sequence[Task]) -> list[str]:
    """Return the warnings about a data set with the metrics of tasks."""
    corpus = tasks[0].corpus
    reads_references = False
    for task in tasks:
        if task.metric.spec.input == TEXTS or task.input.annotated:
            reads_references = True
    warnings = suspicions(corpus, references=reads_references)
    compared = corpus if reads_references else replace(corpus, references=())
    warnings += mixed_styles(compared, [task.metric for task in tasks])

    gold_warnings: dict[str, None] = {}
    for task in tasks:
        if task.metric.spec.input != TEXTS:
            records = [
                read_texts(text, 0, text.lines) for text in task.input.references
            ]
            for warning in task.metric.gold_warnings(chain.from_iterable(records)):
                gold_warnings[f"{corpus.name}: {warning}"] = None
    return [*bounded(warnings), *bounded(list(gold_warnings))]


# --- reports, plots and statistics


def impossible_requests(config: Config, metrics: Sequence[Metric]) -> list[Problem]:
    """Return why a config that can be read cannot be run, whatever its texts are."""
    problems = [*impossible_reports(config), *impossible_statistics(config, metrics)]
    for metric in metrics:
        message = capabilities.lacks_code(metric)
        if message:
            problems.append(Problem("", message))
    return problems


def impossible_reports(config: Config) -> list[Problem]:
    """Return why reports and plots of a config could not be written."""
    from . import report

    root = config.root
    output = config.written.output
    formats = [name for name in output.formats if name in report.FORMATS]
    problems = []
    for reason in report.unavailable(formats):
        problems.append(root.problem(reason, ("output", "formats")))
    for number, name in enumerate(output.formats):
        if name not in report.FORMATS:
            hint = did_you_mean(name, report.FORMATS)
            message = (
                f"expected one of {', '.join(report.FORMATS)}, found '{name}'{hint}"
            )
            problems.append(root.problem(message, ("output", "formats", number)))
    for number, name in enumerate(output.plots):
        if name not in report.PLOTS:
            hint = f"{did_you_mean(name, report.PLOTS)}; there are {', '.join(report.PLOTS)}"
            message = f"no plot is called '{name}'{hint}"
            problems.append(root.problem(message, ("output", "plots", number)))
    return problems


def impossible_statistics(config: Config, metrics: Sequence[Metric]) -> list[Problem]:
    """Return what is wrong with the section `statistics`, and why metrics cannot have it."""
    statistics = config.written.statistics
    if statistics is None:
        return []
    from .scoring.resampling.intervals import unsupported
    from .scoring.significance_tests import problems_of_settings

    problems = []
    for key, message in problems_of_settings(statistics):
        problems.append(config.root.problem(message, ("statistics", key)))
    for metric in metrics:
        reason = unsupported(metric)
        if reason:
            problems.append(config.root.problem(reason, ("statistics",)))
    return problems
