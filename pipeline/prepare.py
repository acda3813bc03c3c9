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

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from .backends import unused_address
from .data import (
    TEXTS,
    Corpus,
    InputReader,
    Opener,
    completed,
    open_corpus,
    text_warnings,
)
from .data.config import Config, Node, Overrides
from .errors import ConfigError, InputError, Problem, did_you_mean
from .execution import AUTO, SILENT, Listener, RunOptions, Task, tasks_of
from .metrics import (
    MetricSource,
    from_nodes,
    has_own_tokens,
    metric_source,
    metrics_called,
)
from .metrics.base import Metric
from .metrics.options import render_signature
from .scoring import POLICIES
from .stage import Job, Preparation, extension_stages, open_stages

if TYPE_CHECKING:
    from pipeline.execution import Cluster


@dataclass(frozen=True, kw_only=True)
class ConfigWithMetrics:
    """A config and its metrics, or the part of them that --only selects."""

    config: Config
    metrics: tuple[Metric, ...]

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
    overrides: Overrides = Overrides.NONE,
    listener: Listener = SILENT,
) -> Job:
    """Read and check config, metrics and every file; raises ConfigError with all problems.

    `written` is a YAML file, or the node of a mapping of Python. `listener` displays progress if a
    metric has texts annotated. Raises IncompleteError if a process that annotates dies.
    """
    problems: list[Problem] = []
    opened_run = open_run(written, options, overrides, listener, problems)
    config = opened_run.config
    metrics = opened_run.metrics
    for metric in metrics:
        if metric.missing_code:
            problems.append(Problem("", metric.missing_code))
    if options.address:
        reason = unused_address(options.backend or config.parsed.run.backend)
        if reason:
            problems.append(Problem("--address", reason))
    problems += impossible_requests(config, metrics)
    stages = extension_stages(config)
    preparation = Preparation(
        config=config,
        metrics=metrics,
        partial=bool(overrides.only),
        problems=problems,
    )
    opened = open_stages(stages, preparation)
    config.refuse(problems)

    corpora = opened_run.corpora
    tasks = tasks_of(metrics, corpora)
    warnings = list(config.notes)
    for corpus in corpora:
        warnings += text_warnings(corpus, metrics)
    return Job(
        config=config,
        metrics=metrics,
        corpora=corpora,
        tasks=tasks,
        warnings=(*warnings, *preparation.warnings),
        overrides=overrides,
        written={
            **config.origin,
            "set": list(overrides.settings),
            "only": list(overrides.only),
            "written": config.plain,
        },
        stages=stages,
        opened=opened,
        cluster=opened_run.texts.cluster,
        bytes_opened=opened_run.texts.bytes_opened,
    )


def reread(
    written: str | Path | Node, overrides: Overrides = Overrides.NONE
) -> OpenedRun:
    """Return config, metrics and texts of a run that is done; raises ConfigError.

    Packages for plots and the files of human judgements are not checked: reports do not need them
    any more.
    """
    problems: list[Problem] = []
    opened_run = open_run(
        written, RunOptions(backend="auto"), overrides, SILENT, problems
    )
    opened_run.config.refuse(problems)
    return opened_run


def open_run(
    written: str | Path | Node,
    options: RunOptions,
    overrides: Overrides,
    listener: Listener,
    problems: list[Problem],
) -> OpenedRun:
    """Read a config and open its texts; raises ConfigError if the config cannot be read."""
    selected = read_config(written, overrides, problems)
    texts = open_texts(selected, options, listener, problems)
    problems += fit(selected.metrics, texts.corpora)
    systems = len(selected.config.systems)
    metrics = tuple(
        metric.for_run(systems, texts.corpora) for metric in selected.metrics
    )
    return OpenedRun(config=selected.config, metrics=metrics, texts=texts)


# --- the config


def read_config(
    written: str | Path | Node, overrides: Overrides, problems: list[Problem]
) -> ConfigWithMetrics:
    """Return a config with its metrics, or the part of them that --only selects.

    Raises ConfigError if the config cannot be read.
    """
    # here: YAML and pydantic take time, scoring needs neither
    from .data.config import load_config

    loaded = load_config(written, overrides.settings, problems)
    root = loaded.config.tree if loaded.config else None
    metrics = from_nodes(loaded.metric_nodes, root, problems)
    if loaded.config is None:
        problems += unavailable(metrics)
        raise ConfigError(dict.fromkeys(problems))
    return select_part(loaded.config, metrics, overrides.only, problems)


def select_part(
    config: Config,
    metrics: Sequence[Metric],
    patterns: Sequence[str],
    problems: list[Problem],
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
            text
            for text in spellings
            if metric in metrics_called(text, metrics)
        ]
        names.append((metric.name, signature, *matching))
    config, selected_names = config.select(names, patterns, problems)
    selected = []
    for metric, names_of_metric in zip(metrics, names, strict=True):
        if names_of_metric in selected_names:
            selected.append(metric)
    return ConfigWithMetrics(config=config, metrics=tuple(selected))


# --- the texts


def open_texts(
    selected: ConfigWithMetrics,
    options: RunOptions,
    listener: Listener,
    problems: list[Problem],
) -> OpenedTexts:
    """Open all texts and files of numbers. Texts are annotated if a metric needs it."""
    run_options = options.under(selected.config.parsed.run)
    cluster = run_options.new_cluster()
    config = selected.config
    source = MetricSource()  # without any metric
    if any(metric.reads_files for metric in selected.metrics):
        source = metric_source()
    with_numbers = source.with_files(config, selected.metrics, problems)

    opener = Opener(
        run_options.threads,
        config.parsed.run.max_unpacked,
        with_numbers.missing_files,
        cluster.shared if cluster else None,
    )
    problems += missing_texts(config, selected.metrics)
    corpora = []
    for dataset in config.datasets:
        corpus = open_corpus(
            dataset, with_numbers.systems, problems, opener, selected.views
        )
        if corpus:
            corpora.append(source.with_numbers(corpus, selected.metrics))
    if not problems:
        threads = run_options.threads
        try:
            corpora = [
                completed(corpus, selected.views, threads, listener, opener)
                for corpus in corpora
            ]
        except InputError as error:
            corpora = []
            problems += error.problems
    return OpenedTexts(
        corpora=tuple(corpora), cluster=cluster, bytes_opened=opener.read
    )


def missing_texts(config: Config, metrics: Sequence[Metric]) -> list[Problem]:
    """Return a problem for each data set without a text that a metric needs."""
    problems = []
    for dataset in config.datasets:
        keys = dataset.keys
        if dataset.has_unknown_keys:
            continue  # unknown keys are problems already, and may be misspelt ones of texts
        has_edits = bool(dataset.m2 or dataset.gold)
        for metric in {metric.name: metric for metric in metrics}.values():
            messages = []
            if metric.spec.source and not (dataset.source or has_edits):
                messages.append(
                    without_source(
                        metric.name, metric.hint, "add `source: FILE`"
                    )
                )
            # other checks report references that are empty, and inputs that are missing
            is_reported = "references" in keys or InputReader.of(
                metric.spec.input
            ).needs_files(metric.spec.input)
            has_references = dataset.references or has_edits
            if (
                metric.spec.references
                and not has_references
                and not is_reported
            ):
                messages.append(
                    without_references(metric.name, "add `references: [FILE]`")
                )
            for message in messages:
                location = ("datasets", dataset.name)
                problems.append(Problem("", message, location=location))
    return problems


def without_source(name: str, hint: str, remedy: str) -> str:
    """Return the message for a metric without its source. `remedy` says how to add one."""
    message = f"{name} needs a source, the uncorrected text: {remedy}"
    return f"{message}; {hint}" if hint else message


def without_references(name: str, remedy: str) -> str:
    """Return the message for a metric without references. `remedy` says how to add some."""
    return f"{name} needs references, the texts that outputs are compared with: {remedy}"


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


def unavailable(metrics: Iterable[Metric]) -> list[Problem]:
    """Return the problems of metrics whose packages or files are missing."""
    messages = dict.fromkeys(metric.spec.unavailable() for metric in metrics)
    return [Problem("", message) for message in messages if message]


def fit(
    metrics: Sequence[Metric], corpora: Collection[Corpus]
) -> list[Problem]:
    """Return why metrics cannot score the data sets, such as missing packages."""
    problems = unavailable(metrics)
    for corpus in corpora:
        messages = [_misfit(metric, corpus) for metric in metrics]
        without_files = [
            metric.name
            for metric in metrics
            if metric.reads_files and metric.spec.key not in corpus.external
        ]
        for name in dict.fromkeys(without_files):
            messages.append(
                f"{name} reads files that a config names: `gec-pipeline help statistics`"
            )
        problems += [
            Problem("", f"{corpus.name}: {message}")
            for message in messages
            if message
        ]
    return problems


def _misfit(metric: Metric, corpus: Corpus) -> str | None:
    """Return why a metric cannot score a data set, by its settings or its policy of references."""
    view = metric.spec.input
    message = InputReader.of(view).misfit(metric, corpus)
    if message:
        return message
    if view != TEXTS and view not in corpus.views:
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
    return POLICIES[metric.policy].misfit(
        metric, task.references, missing=missing
    )


# --- reports, plots and statistics


def impossible_requests(
    config: Config, metrics: Sequence[Metric]
) -> list[Problem]:
    """Return why a config that can be read cannot be run, whatever its texts are."""
    from .report import FORMATS, PLOTS, unavailable_formats

    problems = []

    # reports and plots
    output = config.parsed.output
    formats = [name for name in output.formats if name in FORMATS]
    for reason in unavailable_formats(formats):
        problems.append(Problem("", reason, location=("output", "formats")))
    for number, name in enumerate(output.formats):
        if name not in FORMATS:
            known = ", ".join(FORMATS)
            hint = did_you_mean(name, FORMATS)
            message = f"expected one of {known}, found '{name}'{hint}"
            location = ("output", "formats", number)
            problems.append(Problem("", message, location=location))
    for number, name in enumerate(output.plots):
        if name not in PLOTS:
            hint = f"{did_you_mean(name, PLOTS)}; there are {', '.join(PLOTS)}"
            message = f"no plot is called '{name}'{hint}"
            location = ("output", "plots", number)
            problems.append(Problem("", message, location=location))

    # the section `statistics`, and metrics without intervals
    statistics = config.parsed.statistics
    if statistics is not None:
        from .scoring import SIGNIFICANCE_TESTS

        found = SIGNIFICANCE_TESTS.problems(statistics, metrics)
        for key, message in found:
            setting = ("statistics", key) if key else ("statistics",)
            problems.append(Problem("", message, location=setting))
    return problems
