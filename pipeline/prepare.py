"""What comes before a run: config, metrics and every file are read and checked. All problems are
raised at once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pipeline.extensions.edits.annotated_texts import Annotating, with_annotated

from .data.config.resolved import NO_OVERRIDES, Config, Overrides, select
from .data.config.tree import Node
from .data.corpus import Corpus
from .data.formats import READERS
from .data.input_files import Opener
from .data.input_warnings import mixed_styles, suspicions
from .data.inputs import EDITS, GOLD, TEXTS, annotator_of, compares_gold
from .data.opener import open_corpus
from .data.texts import read_texts
from .errors import ConfigError, InputError, Problem, bounded, did_you_mean
from .execution.options import AUTO, SILENT, Listener, RunOptions
from .metrics.base import capabilities
from .metrics.base.capabilities import reads_files, reference_rules
from .metrics.base.metric import Metric
from .metrics.base.options import KEEP, render_signature
from .metrics.build import metrics_called, resolve_all, with_defaults
from .metrics.caller_tokens import has_own_tokens
from .scoring.aggregation import POLICIES
from .scoring.metric_results import Task, tasks_of
from .stage import Job, Preparation, Stage, extension_stages, open_stages

if TYPE_CHECKING:
    from pipeline.execution.cluster import Cluster


def prepare(
    written: str | Path | Node,
    options: RunOptions = AUTO,
    overrides: Overrides = NO_OVERRIDES,
    listener: Listener = SILENT,
) -> Job:
    """Read and check config, metrics and every file; raises ConfigError with all problems.

    `written` is a YAML file, or the node of a mapping of Python. `listener` is told how texts are
    annotated, where a metric asks for it. Raises IncompleteError where a process that annotates
    dies.
    """
    config, metrics, corpora, problems, cluster, bytes_opened = _opened(
        written, options, overrides, listener
    )
    if config:
        problems += _impossible(config, metrics)
    stages: tuple[Stage, ...] = ()
    opened: dict[str, Any] = {}
    notes: list[str] = []
    if config:
        stages = extension_stages(config)
        preparation = Preparation(
            config=config,
            metrics=metrics,
            partial=bool(overrides.only),
            problems=problems,
            warnings=notes,
        )
        opened = open_stages(stages, preparation)
    if problems or config is None:
        raise ConfigError(dict.fromkeys(problems))
    completed = complete(metrics, corpora)
    tasks = tasks_of(metrics, completed)
    warnings = list(config.notes)
    for corpus in completed:
        own = [task for task in tasks if task.corpus is corpus]
        if own:
            warnings += text_warnings(own)
    return Job(
        config=config,
        metrics=metrics,
        corpora=completed,
        tasks=tasks,
        warnings=(*warnings, *notes),
        overrides=overrides,
        written=_kept(written, config, overrides),
        stages=stages,
        opened=opened,
        cluster=cluster,
        bytes_opened=bytes_opened,
    )


def _kept(written: str | Path | Node, config: Config, overrides: Overrides) -> dict[str, Any]:
    """Return what run.json keeps of a config."""
    file = Path(config.root.mark.file).absolute()
    if isinstance(written, str | Path):
        kept: dict[str, Any] = {"config": str(file)}
    else:  # a mapping is kept whole, with the folder where relative paths start
        kept = {"config": written.plain(), "folder": str(file.parent)}
    return {
        **kept,
        "set": list(overrides.settings),
        "only": list(overrides.only),
        "written": config.root.plain(),
    }


def text_warnings(tasks: Sequence[Task]) -> list[str]:
    """Return the warnings about a data set: those of its texts, then those of its texts with the
    metrics of tasks.
    """
    corpus = tasks[0].corpus
    read = any(task.metric.spec.input == TEXTS or task.input.annotated for task in tasks)
    warnings = suspicions(corpus, references=read)
    warnings += mixed_styles(
        corpus if read else replace(corpus, references=()), [task.metric for task in tasks]
    )
    of_gold: dict[str, None] = {}
    for task in tasks:
        if task.metric.spec.input == GOLD:
            records = (read_texts(text, 0, text.lines) for text in task.input.references)
            found = capabilities.warner(task.metric).gold_warnings(chain.from_iterable(records))
            of_gold |= dict.fromkeys(f"{corpus.name}: {warning}" for warning in found)
    return [*bounded(warnings), *bounded(list(of_gold))]


def reread(
    written: str | Path | Node, overrides: Overrides = NO_OVERRIDES
) -> tuple[Config, tuple[Metric, ...], tuple[Corpus, ...]]:
    """Return config, metrics and texts of a run that is done; raises ConfigError.

    Packages for plots and the files of human judgements are not checked: reports do not need them
    any more."""
    config, metrics, corpora, problems, *_ = _opened(written, RunOptions(backend="auto"), overrides)
    if problems or config is None:
        raise ConfigError(dict.fromkeys(problems))
    return config, metrics, complete(metrics, corpora)


def _opened(
    written: str | Path | Node,
    options: RunOptions,
    overrides: Overrides,
    listener: Listener = SILENT,
) -> "tuple[Config | None, tuple[Metric, ...], list[Corpus], list[Problem], Cluster | None, int]":
    """Return config, metrics, texts, all problems, the cluster and how many bytes were read (see
    Job).

    The config is None where it cannot be read.
    """
    from .data.config.load import (
        load,  # here, because loading YAML and pydantic takes time: scoring needs neither
    )
    from .data.number_files import missing_number_files, misused, parted, with_numbers

    config, nodes, problems = load(written, overrides.settings, READERS)
    metrics = resolve_all(with_defaults(nodes, config.root if config else None, problems), problems)
    corpora: list[Corpus | None] = []
    cluster = None
    bytes_opened = 0
    if config:
        named = {dataset.name for dataset in config.datasets} | {
            system.name for system in config.systems
        }
        meant = {
            text: metrics_called(text, metrics) for text in overrides.only if text not in named
        }
        names = [
            (
                metric.name,
                render_signature(metric.name, metric.settings()),
                *(t for t in meant if metric in meant[t]),
            )
            for metric in metrics
        ]
        config, kept = select(config, names, overrides.only, problems)
        metrics = tuple(metric for metric, own in zip(metrics, names, strict=True) if own in kept)
        address, options = options.address, options.under(config.written.run)
        if address:
            from .backends import unused_address

            wrong = unused_address(str(options.backend))
            problems += [Problem("--address", wrong)] if wrong else []
        readers = [
            cast("capabilities.ReadsFiles", metric) for metric in metrics if reads_files(metric)
        ]
        absent = config.missing_files | missing_number_files(config, readers, problems)
        problems += misused(config, readers)
        systems = with_numbers(config.systems, readers)
        views = {metric.spec.input for metric in metrics}
        cluster = options.new_cluster()
        shared = cluster.shared if cluster else None
        opener = Opener(options.threads, config.written.run.max_unpacked, absent, shared)
        opened_all = [
            open_corpus(item, systems, problems, opener, views) for item in config.datasets
        ]
        corpora = [corpus and parted(corpus, readers) for corpus in opened_all]
        for number, problem in enumerate(problems):
            if problem.position in config.locations and problem.message.startswith("no such file"):
                problems[number] = config.root.problem(
                    str(problem), config.locations[problem.position]
                )
        problems += _missing_texts(config, metrics)
        if not problems:
            how = Annotating(options.threads, listener, opener)
            try:
                corpora = [with_annotated(corpus, views, how) for corpus in corpora if corpus]
            except InputError as error:
                corpora, problems = [], [*problems, *error.problems]
        bytes_opened = opener.read
    if config and any(map(capabilities.computes_numbers, metrics)):
        from .execution.function_metrics import (
            all_references,  # here, because most runs have no such metric
        )

        metrics = capabilities.for_run(
            metrics, len(config.systems), lambda: all_references(filter(None, corpora))
        )
    problems += fit(metrics, corpora)
    opened = [corpus for corpus in corpora if corpus]
    return config, tuple(metrics), opened, problems, cluster, bytes_opened


def _impossible(config: Config, metrics: Sequence[Metric]) -> list[Problem]:
    """Return why a config that can be read cannot be run, whatever its texts are."""
    problems = [
        *impossible_files(config),
        *(_unsupported(config, metrics) if config.written.statistics else ()),
    ]
    return problems + [
        Problem("", message) for message in map(capabilities.lacks_code, metrics) if message
    ]


def impossible_files(config: Config) -> list[Problem]:
    """Return why reports and plots that a config asks for could not be written."""
    from . import report

    root, output = config.root, config.written.output
    formats = [name for name in output.formats if name in report.FORMATS]
    problems = [
        root.problem(reason, ("output", "formats")) for reason in report.unavailable(formats)
    ]
    for number, name in enumerate(output.formats):
        if name not in report.FORMATS:
            hint = did_you_mean(name, report.FORMATS)
            message = f"expected one of {', '.join(report.FORMATS)}, found '{name}'{hint}"
            problems.append(root.problem(message, ("output", "formats", number)))
    if output.plots:
        from .report import PLOTS

        for number, name in enumerate(output.plots):
            if name not in PLOTS:
                message = f"no plot is called '{name}'{did_you_mean(name, PLOTS)}; there are {', '.join(PLOTS)}"
                problems.append(root.problem(message, ("output", "plots", number)))
    return problems


def _unsupported(config: Config, metrics: Sequence[Metric]) -> list[Problem]:
    """Return why metrics cannot have what the section `statistics` asks for."""
    from .scoring.resampling.intervals import unsupported

    return [
        config.root.problem(reason, ("statistics",))
        for reason in map(unsupported, metrics)
        if reason
    ]


def fit(metrics: Sequence[Metric], corpora: Sequence[Corpus | None]) -> list[Problem]:
    """Return why metrics cannot score the data sets."""
    unavailable = dict.fromkeys(metric.spec.unavailable() for metric in metrics)
    problems = [Problem("", message) for message in unavailable if message]
    for corpus in filter(None, corpora):
        messages = [_misfit(metric, corpus) for metric in metrics]
        unread = [
            metric.name
            for metric in metrics
            if reads_files(metric) and metric.spec.key not in corpus.external
        ]
        for name in dict.fromkeys(unread):
            messages.append(
                f"{name} reads files that a config names: `gec-pipeline help statistics`"
            )
        problems += [Problem("", f"{corpus.name}: {message}") for message in messages if message]
    return problems


def _misfit(metric: Metric, corpus: Corpus) -> str | None:
    """Return why a metric cannot score a data set, because of its settings or its policy of
    references; or None.
    """
    own = capabilities.annotates_texts(metric)
    if metric.spec.input != TEXTS and metric.spec.input not in corpus.views:
        if annotator_of(metric.spec.input) and not corpus.source:
            return None  # which is told as a missing source
        ways = "`gold: FILE` in the data set, --gold FILE, or gold=FILE"
        if own:
            ways += (
                "; or have texts annotated, with `annotator: auto` among the options of the metric"
            )
        return f"{metric.name} compares edits with those of an M2 file: {ways}"
    view = corpus.views.get(metric.spec.input) if compares_gold(metric.spec.input) else None
    if view and view.foreign and own and own.gold != KEEP:
        ways = "`annotator: auto` among the options of the metric (--annotator auto) has the gold annotated anew; "
        ways += "`gold: keep` (--gold-edits keep) compares it as it is"
        return f"{metric.name}: {view.foreign}, and the outputs have edits of ERRANT: {ways}"
    if has_own_tokens(metric) and not corpus.own_tokens:
        ways = "lists of tokens, or tokenizer=function, of pipeline.evaluate, Scorer and sentence_scores"
        return f"{metric.name}: the tokenizer own is for tokens of a program: {ways} (`gec-pipeline help api`)"
    task, policy = Task.of(metric, corpus), POLICIES[metric.policy]
    references, missing = task.references, task.input.missing
    return reference_rules(metric).misfit(references, missing=missing) or policy.misfit(
        metric, references, missing=missing
    )


def complete(metrics: Sequence[Metric], corpora: Sequence[Corpus]) -> tuple[Corpus, ...]:
    """Return the data sets. Where a metric scores references too, they are added to the systems."""
    policies = [POLICIES[metric.policy] for metric in metrics]
    return tuple(
        corpus.with_references()
        if any(policy.rows(len(corpus.references)) for policy in policies)
        else corpus
        for corpus in corpora
    )


def _missing_texts(config: Config, metrics: Sequence[Metric]) -> Iterator[Problem]:
    """Yield a problem for each data set without source or references, and each metric that needs
    them.
    """
    from .data.config.models import DatasetConfig

    for dataset in config.datasets:
        has_edits, value = (
            dataset.m2 or dataset.gold,
            config.root.find(("datasets", dataset.name)).value,
        )
        written = set(value if isinstance(value, dict) else ())
        if (
            written - DatasetConfig.model_fields.keys()
        ):  # which are told, and may stand for what is missing
            continue
        for metric in {metric.name: metric for metric in metrics}.values():
            if metric.spec.source and not (dataset.source or has_edits):
                message = without_source(metric.name, metric.hint, "add `source: FILE`")
                yield config.root.problem(message, ("datasets", dataset.name))
            told = "references" in written or metric.spec.input in (GOLD, EDITS)  # by others
            if metric.spec.references and not (dataset.references or has_edits or told):
                message = without_references(metric.name, "add `references: [FILE]`")
                yield config.root.problem(message, ("datasets", dataset.name))


def without_source(name: str, hint: str, remedy: str) -> str:
    """Return the message for a metric that lacks the source. `remedy` says how to give one."""
    return f"{name} needs a source, the uncorrected text: {remedy}" + (f"; {hint}" if hint else "")


def without_references(name: str, remedy: str) -> str:
    """Return the message for a metric that lacks references. `remedy` says how to give some."""
    return f"{name} needs references, the texts that outputs are compared with: {remedy}"
