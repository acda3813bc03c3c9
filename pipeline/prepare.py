"""A run before its work: config, metrics and every file read and checked, all problems told at once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from . import report
from .config.overrides import NO_OVERRIDES, Overrides, select
from .config.tree import base_of
from .corpus.formats import READERS
from .corpus.input_warnings import suspicions
from .corpus.number_files import absent as lacking
from .corpus.number_files import misused, parted, with_numbers
from .corpus.opener import Opener, open_corpus
from .errors import ConfigError, DataError, InputError, Problem, did_you_mean
from .execution.options import AUTO
from .io.dataset_cache import path_of
from .io.remote import is_remote
from .metrics.base import signature
from .metrics.build import resolve_all
from .metrics.defaults import with_defaults
from .scoring.references import POLICIES
from .scoring.resampling.bootstrap import unsupported

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .config.load import Config
    from .corpus.corpus import Corpus
    from .corpus.number_files import NumberFiles
    from .execution.options import RunOptions
    from .human.people import People
    from .metrics.base.metric import Metric, Needs
    from .reproduction.open_sections import OpenedSections


@dataclass(frozen=True, kw_only=True)
class Job:
    """A checked run: config, metrics, indexed text files, and warnings about them."""

    config: Config
    metrics: tuple[Metric, ...]
    corpora: tuple[Corpus, ...]
    warnings: tuple[str, ...]
    overrides: Overrides = NO_OVERRIDES
    people: People | None = None
    sources: OpenedSections | None = None

    @property
    def partial(self) -> bool:
        """Whether the command line has chosen among what the config has."""
        return bool(self.overrides.only)

    @property
    def needs(self) -> tuple[Needs, ...]:
        """The columns to count; metrics with equal needs share them."""
        return tuple(dict.fromkeys(metric.needs for metric in self.metrics))

    def written(self) -> dict[str, Any]:
        """Return what the manifest keeps of the config, so that reports can open the texts again: see reopen.py."""
        return {
            "config": str(Path(self.config.root.mark.file).absolute()),
            "set": list(self.overrides.settings),
            "only": list(self.overrides.only),
            "written": self.config.root.plain(),
        }


def prepare(path: str | Path, options: RunOptions = AUTO, overrides: Overrides = NO_OVERRIDES) -> Job:
    """Read and check config, metrics and every text file; raises ConfigError with all problems found."""
    config, metrics, corpora, problems = _opened(path, options, overrides)
    if config:
        problems += unmade(config)
        reasons = (unsupported(metric) for metric in metrics if config.statistics)
        problems += [config.root.problem(reason, ("statistics",)) for reason in reasons if reason]
    people = _people(config, problems) if config and config.human and not overrides.only else None
    sources = _sources(config, metrics, problems) if config and not overrides.only else None
    if problems or config is None:
        raise ConfigError(dict.fromkeys(problems))
    opened = complete(metrics, corpora)
    warnings = (*config.notes, *(text for corpus in opened for text in suspicions(corpus)))
    if config.human and overrides.only:
        warnings = (*warnings, "nothing is correlated with people where --only chooses")
    if config.published.expect and overrides.only:
        warnings = (*warnings, "nothing is compared with what is expected where --only chooses")
    return Job(
        config=config,
        metrics=metrics,
        corpora=opened,
        warnings=warnings,
        overrides=overrides,
        people=people,
        sources=sources,
    )


def reread(path: str | Path, overrides: Overrides = NO_OVERRIDES) -> tuple[Config, tuple[Corpus, ...]]:
    """Return config and texts of a run that is done; raises ConfigError.

    What only its work needed, such as packages for its plots or the judgements of people, need not be there any more.
    """
    config, metrics, corpora, problems = _opened(path, AUTO, overrides)
    if problems or config is None:
        raise ConfigError(dict.fromkeys(problems))
    return config, complete(metrics, corpora)


def _opened(
    path: str | Path, options: RunOptions, overrides: Overrides
) -> tuple[Config | None, tuple[Metric, ...], list[Corpus], list[Problem]]:
    """Return config, metrics and texts, and the problems found in them."""
    from .config.load import load  # YAML and its models: not for those who score without

    config, nodes, problems = load(path, overrides.settings, READERS)
    metrics = resolve_all(with_defaults(nodes, config.root if config else None, problems), problems)
    corpora: list[Corpus | None] = []
    if config:
        names = [(metric.name, signature.render(metric.name, metric.settings())) for metric in metrics]
        config, kept = select(config, names, overrides.only, problems)
        metrics = tuple(metric for metric, own in zip(metrics, names, strict=True) if own in kept)
        address, options = options.address, under(config, options)
        if address:
            from .config.models import check_address  # with config, whose models they are

            wrong = check_address(str(options.backend), address)
            problems += [Problem("--address", wrong)] if wrong else []
        readers = readers_of_numbers(metrics)
        absent = config.absent | lacking(config, readers, problems)
        opener = Opener(options.threads, config.run.max_unpacked, absent)
        problems += misused(config, readers)
        systems = with_numbers(config.systems, readers)
        opened_all = [open_corpus(dataset, systems, problems, opener=opener) for dataset in config.datasets]
        corpora = [corpus and parted(corpus, readers) for corpus in opened_all]
        problems += _missing_sources(config, metrics)
    problems += fit(metrics, corpora)
    return config, tuple(metrics), [corpus for corpus in corpora if corpus], problems


def under(config: Config, options: RunOptions) -> RunOptions:
    """Return options with what they leave open taken from a config."""
    written = config.run
    return options.under(n_jobs=written.n_jobs, backend=written.backend, address=written.address)


def readers_of_numbers(metrics: Sequence[Metric]) -> list[NumberFiles]:
    """Return the metrics that read files of numbers."""
    return [cast("NumberFiles", metric) for metric in metrics if metric.reads_files]


def unmade(config: Config) -> list[Problem]:
    """Return why files that a config asks for could not be made."""
    root, wanted = config.root, config.output
    formats = [name for name in wanted.formats if name in report.FORMATS]
    problems = [root.problem(reason, ("output", "formats")) for reason in report.unavailable(formats)]
    for number, name in enumerate(wanted.formats):
        if name not in report.FORMATS:
            hint = did_you_mean(name, report.FORMATS)
            message = f"expected one of {', '.join(report.FORMATS)}, found '{name}'{hint}"
            problems.append(root.problem(message, ("output", "formats", number)))
    if wanted.plots:
        from .report.plots import PLOTS

        for number, name in enumerate(wanted.plots):
            if name not in PLOTS:
                message = f"no plot is called '{name}'{did_you_mean(name, PLOTS)}; there are {', '.join(PLOTS)}"
                problems.append(root.problem(message, ("output", "plots", number)))
    return problems


def fit(metrics: Sequence[Metric], corpora: Sequence[Corpus | None]) -> list[Problem]:
    """Return why metrics cannot score the data sets they are asked to."""
    lacking = (metric.unavailable() for metric in metrics)
    problems = [Problem("", message) for message in dict.fromkeys(lacking) if message]
    for corpus in filter(None, corpora):
        messages = [_misfit(metric, corpus) for metric in metrics]
        unread = [metric.name for metric in metrics if metric.reads_files and metric.needs.key not in corpus.external]
        for name in dict.fromkeys(unread):
            messages.append(f"{name} reads files that a config names: `gec-pipeline help statistics`")
        problems += [Problem("", f"{corpus.name}: {message}") for message in messages if message]
    return problems


def _misfit(metric: Metric, corpus: Corpus) -> str | None:
    """Return why a metric cannot score a data set: because of its settings, or of its policy of references."""
    references, missing = len(corpus.references), corpus.missing
    policy = POLICIES[metric.policy]
    return metric.misfit(references, missing=missing) or policy.misfit(metric, references, missing=missing)


def complete(metrics: Sequence[Metric], corpora: Sequence[Corpus]) -> tuple[Corpus, ...]:
    """Return the data sets with the references as systems too, where a metric scores them."""
    policies = [POLICIES[metric.policy] for metric in metrics]
    return tuple(
        corpus.with_references() if any(policy.rows(len(corpus.references)) for policy in policies) else corpus
        for corpus in corpora
    )


def _people(config: Config, problems: list[Problem]) -> People | None:
    """Return the human judgements or scores that the config names; appends why they cannot be used."""
    from .human.people import misfit, open_people

    wanted = config.human
    if wanted is None:
        return None
    if is_remote(wanted.file):
        problems.append(config.root.problem("is an address; only texts may be one", ("human", "file")))
        return None
    names = [system.name for system in config.systems]
    try:
        path = path_of(wanted.file, base_of(config.root.find(("human", "file"))))
        people = open_people(path, wanted, names)
    except DataError as error:
        problems += [config.root.problem(problem.message, ("human", "file")) for problem in error.problems]
        return None
    except InputError as error:
        problems += error.problems
        return None
    message = misfit(people, wanted, [dataset.name for dataset in config.datasets], names)
    problems += [config.root.problem(message, ("human",))] if message else []
    return people


def _sources(config: Config, metrics: Sequence[Metric], problems: list[Problem]) -> OpenedSections | None:
    """Open what the sections judgments to expect name."""
    wanted = config.published
    if not any((wanted.judgments, wanted.columns, wanted.correlations, wanted.agreements, wanted.expect)):
        return None
    from .reproduction.open_sections import open_sections

    return open_sections(config, metrics, problems)


def _missing_sources(config: Config, metrics: Sequence[Metric]) -> Iterator[Problem]:
    needing = {metric.name: metric.hint for metric in metrics if metric.needs.source}
    for dataset in config.datasets:
        for name, hint in needing.items() if dataset.source is None and not dataset.m2 else ():
            message = without_source(name, hint, "add `source: FILE`")
            yield config.root.problem(message, ("datasets", dataset.name))


def without_source(name: str, hint: str, remedy: str) -> str:
    """Return what is said when a metric misses the source."""
    return f"{name} needs a source, the uncorrected text: {remedy}" + (f"; {hint}" if hint else "")
