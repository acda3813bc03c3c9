"""Extensions: what others add to the program, and how it is found.

An extension is a package with one object that says what it adds:

    EXTENSION = Extension(
        name="readability",
        about="readability formulas",
        metrics={"flesch": "flesch:Flesch"},
    )

It is found through the entry-point group `gec_pipeline.extensions`, so it works as soon as its
package is installed:

    [project.entry-points."gec_pipeline.extensions"]
    readability = "gec_pipeline_readability:EXTENSION"

Everything that it adds is named by a text "module:object", relative to the package of the
extension, and is imported when it is first used. `gec-pipeline help extending` has an example of
each kind. The names of this file are stable: a change of them is announced one version ahead.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from .errors import ConfigError

__all__ = ["GROUP", "Command", "ExplainOption", "Extension", "Reference"]

GROUP = "gec_pipeline.extensions"
"""The group of entry points that extensions are found through."""

Reference = str
"""A text "module:object": a module relative to the package of the extension, and an object in it."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command: a module whose docstring is its help, with configure(parser) and run(arguments)."""

    module: str
    """The module, relative to the package of the extension."""
    summary: str
    """One line for the list of commands."""
    takes_plugins: bool = False
    """Whether it has the options --plugin and --download, for metrics of users and their models."""
    reads_runs: bool = False
    """Whether its arguments `run`, `run2` and `more` are run directories, which may be damaged."""
    completions: Mapping[str, Reference] = field(default_factory=dict)
    """The names that the Tab key proposes for an argument: a table, or a function returning them."""


@dataclass(frozen=True, kw_only=True)
class ExplainOption:
    """An option of the command `explain`, with which it prints something else about a sentence."""

    about: str
    """A paragraph for the help of the command."""
    example: str
    """A command with the option."""
    configure: Callable[[Any], None]
    """Adds the option to a parser."""
    inputs: Callable[[Any], set[str]]
    """Returns the inputs of the data set that it reads beside those of metrics, from the arguments.
    """
    run: Callable[[Any, Any, Sequence[Any]], bool]
    """Prints, for arguments, a data set and metrics; returns False without the option."""


@dataclass(frozen=True, kw_only=True)
class Extension:
    """What an extension adds. Mappings are from the name that a user types to what it stands for."""

    name: str
    """The name of the extension, in messages and in `needs` of others."""
    about: str
    """What it is for, in a few words."""
    package: str = ""
    """The package that references are relative to. Empty: the one that holds the object."""
    needs: Sequence[str] = ()
    """The extensions whose modules it imports."""
    works_with: Sequence[str] = ()
    """Extensions that it adds to, if they are installed: only what it adds imports their modules."""

    metrics: Mapping[str, Reference] = field(default_factory=dict)
    """Metrics: subclasses of pipeline.Metric."""
    metric_sources: Mapping[str, Reference] = field(default_factory=dict)
    """Where metrics come from that no table has, such as functions of users: objects of
    pipeline.metrics.MetricSource. The first one is used."""
    tokenizers: Mapping[str, Reference] = field(default_factory=dict)
    """Tokenisers: objects of pipeline.tokenizers.Tokenizer."""
    text_formats: Mapping[str, Reference] = field(default_factory=dict)
    """Formats of files with texts: objects of pipeline.data.config.TextFormat."""
    inputs: Mapping[str, Reference] = field(default_factory=dict)
    """Inputs of data sets beside texts: objects of pipeline.data.InputReader."""
    report_formats: Mapping[str, Reference] = field(default_factory=dict)
    """Forms of reports: objects of pipeline.report.Format."""
    several_runs_formats: Mapping[str, Reference] = field(default_factory=dict)
    """Forms of reports of several runs: objects of pipeline.report.SeveralRunsFormat."""
    plots: Mapping[str, Reference] = field(default_factory=dict)
    """Plots: objects of pipeline.report.Plot."""
    displays: Mapping[str, Reference] = field(default_factory=dict)
    """How notebooks show results: functions of pipeline.scoring.Results, by MIME type."""
    commands: Mapping[str, Command] = field(default_factory=dict)
    """Commands of the command line."""
    explain_options: Mapping[str, Reference] = field(default_factory=dict)
    """Options of the command explain: objects of ExplainOption."""
    agreement_statistics: Mapping[str, Reference] = field(default_factory=dict)
    """Statistics of agreement between metrics and people: subclasses of Statistic."""
    significance_tests: Mapping[str, Reference] = field(default_factory=dict)
    """Paired tests for `statistics: {test: ...}`: objects of
    pipeline.scoring.significance_tests.SignificanceTest."""
    backends: Mapping[str, Reference] = field(default_factory=dict)
    """Backends for `run: {backend: ...}`."""
    stages: Sequence[Reference] = ()
    """Stages between scoring and writing: objects of pipeline.stage.Stage. They take part if the
    config has one of the sections of the extension."""
    config_sections: Mapping[str, Reference] = field(default_factory=dict)
    """Sections of the config: objects of pipeline.data.config.Section."""
    page_sections: Mapping[str, Reference] = field(default_factory=dict)
    """Parts of the HTML report: functions, by the names of its parts."""
    report_tables: Sequence[Reference] = ()
    """Functions of results and digits that yield tables for the terminal, Markdown and LaTeX:
    objects of pipeline.report.tables.ReportTable."""
    package_notes: Mapping[str, str] = field(default_factory=dict)
    """Remarks that the command doctor prints, by the extra of optional packages."""
    help_folder: str = ""
    """The folder with help pages (*.md), relative to the package."""
    data_sets: str = ""
    """A YAML file with data sets, relative to the package."""
    recipes: str = ""
    """The folder with recipes of published results, relative to the package."""
    names: Mapping[str, Reference] = field(default_factory=dict)
    """Names that users of Python find in the package `pipeline`."""

    def load(self, reference: Reference) -> Any:
        """Return the object of a reference; raises ImportError or AttributeError."""
        module, _, name = reference.partition(":")
        return getattr(self.module(module), name)

    def module(self, name: str) -> Any:
        """Return a module, named relative to the package; raises ImportError."""
        return import_module(f".{name}" if name else self.package, self.package)

    @property
    def folder(self) -> Path:
        """The folder of the package, where its data files are."""
        return Path(next(iter(import_module(self.package).__path__)))


@cache
def installed() -> Mapping[str, Extension]:
    """Return the installed extensions by name; raises ConfigError if one cannot be loaded.

    An extension whose package is gone although its entry point is still there is left out.
    """
    # here, because most scores need no extension
    from importlib.metadata import entry_points

    extensions: dict[str, Extension] = {}
    for point in sorted(
        entry_points(group=GROUP), key=lambda point: point.name
    ):
        try:
            extension = point.load()
        except ModuleNotFoundError as error:
            if error.name and f"{point.module}.".startswith(f"{error.name}."):
                continue
            raise ConfigError(
                f"the extension {point.name} cannot be loaded: {error}"
            ) from error
        except Exception as error:
            raise ConfigError(
                f"the extension {point.name} cannot be loaded: {error}"
            ) from error
        if not isinstance(extension, Extension):
            kind = type(extension).__name__
            raise ConfigError(
                f"the entry point {point.name} is no Extension, but a {kind}"
            )
        if not extension.package:
            object.__setattr__(extension, "package", point.module)
        extensions[extension.name] = extension
    return extensions


def contributions(kind: str) -> Iterator[tuple[str, Extension, Any]]:
    """Yield what all extensions add to a table: the name, the extension, and its entry.

    `kind` is a field of Extension that holds a mapping, such as "metrics".
    """
    for extension in installed().values():
        for name, reference in getattr(extension, kind).items():
            yield name, extension, reference


def loaded(kind: str) -> dict[str, Any]:
    """Return what all extensions add to a table, each object by its name."""
    return {
        name: extension.load(reference)
        for name, extension, reference in contributions(kind)
    }


@cache
def known_names() -> Mapping[str, Mapping[str, str]]:
    """Return for each kind which extension of the project has a name, whether installed or not."""
    text = (
        Path(__file__)
        .with_name("extension_names.json")
        .read_text(encoding="utf-8")
    )
    names: Mapping[str, Mapping[str, str]] = json.loads(text)
    return names


def missing_extension(kind: str, name: str) -> str:
    """Return which extension has a name, if it is one of the project that is not installed.

    Else return an empty text.
    """
    extension = known_names().get(kind, {}).get(name)
    if extension is None or extension in installed():
        return ""
    return (
        f"'{name}' is part of the extension {extension}, which is not installed"
    )
