"""The metrics of users: a class for each declared function or class of a user."""

import re
from collections.abc import Collection
from dataclasses import make_dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, ClassVar, cast

from pipeline.data import Corpus
from pipeline.errors import ConfigError
from pipeline.files import WrittenPath
from pipeline.metrics import Declared, Parameter
from pipeline.metrics.base import Metric
from pipeline.metrics.options import (
    beta_option,
    escape,
    option,
    parse_signature,
)

from . import models
from .computation import ComputedByCode
from .declare import FORMS, Plugin, code_value
from .function_spec import Code, FunctionMetricSpec
from .items import all_references
from .numbers import COUNTS, Numbers


class FunctionMetric(ComputedByCode, Numbers):
    """A metric that a user declares with a function or class; there is a subclass for each."""

    help_page: ClassVar[str] = "plugins"
    declared: ClassVar[Declared]  # type: ignore[assignment,misc,unused-ignore]
    plugin: ClassVar[Plugin | None]
    """The code, or None if only results are available."""
    decimals: int

    def conflicts(self) -> list[tuple[str, str]]:
        """Return the options without a default that have no value."""
        problems = []
        for parameter in self.declared.parameters:
            name = parameter.name
            value = getattr(self, attribute_of(name))
            if parameter.default is None and value == "":
                message = f"{self.name} has no default for {name}; give one"
                problems.append((name, message))
        return problems

    @property
    def is_counts(self) -> bool:
        """Whether the numbers are counts."""
        return self.declared.returns == "counts"

    @property
    def divisor(self) -> float:
        """The number that is printed as 100; 1 if numbers are printed unchanged."""
        return self.declared.scale or 1.0

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the numbers of a sentence."""
        return self.declared.names

    @property
    def spec(self) -> FunctionMetricSpec:
        """The numbers that the code computes."""
        declared = self.declared
        signature = [declared.name]
        for key, value in self.settings():
            if key not in ("beta", "level"):
                signature.append(f"{key}:{value}")
        return FunctionMetricSpec(
            title=declared.name,
            names=COUNTS if self.is_counts else declared.names,
            decimals=declared.decimals if self.is_counts else None,
            source="sources" in declared.reads,
            signature="|".join(signature),
            code=self.bound_code if self.plugin else None,
        )

    @property
    def citations(self) -> tuple[str, ...]:
        """The keys of the entries that the declaration has."""
        return tuple(map(Declared.citation_key, self.declared.cite))

    def for_run(self, systems: int, corpora: Collection[Corpus]) -> Metric:
        """Return the metric with the options that depend on the systems and data sets of a run.

        A listwise metric depends on the number of systems. The method `with_references` of the
        code, if it has one, gets the references of all data sets and returns options.
        """
        options: dict[str, Any] = {}
        if self.declared.listwise:
            options["among"] = systems
        options |= (
            self._hook("with_references", lambda: all_references(corpora)) or {}
        )
        values = {}
        for name, value in options.items():
            values[attribute_of(name)] = str(value)
        changed: Metric = replace(cast("Any", self), **values)
        return changed

    def settings(
        self, references: int | None = None
    ) -> list[tuple[str, object]]:
        """Return the options as signatures have them, in their order, without those that are None.

        Files and models have their digests; a model that is missing has its name. The method
        `signature_options` of the code returns further options.
        """
        reads_references = "references" in self.declared.reads
        settings = dict(
            super().settings(references if reads_references else None)
        )
        for parameter in self.declared.parameters:
            if parameter.kind in ("path", "model"):
                in_signature = _in_signature(
                    parameter, self._code_value(parameter)
                )
                if in_signature:
                    settings[parameter.name] = in_signature
        keys = [option.key for option in self.options]
        ordered = dict.fromkeys(keys) | settings
        if not self.conflicts():
            ordered |= self._hook("signature_options") or {}
        return [
            (key, value) for key, value in ordered.items() if value is not None
        ]

    @property
    def bound_code(self) -> Code:
        """The code with the values of the options."""
        assert self.plugin  # noqa: S101 (callers have checked)
        values = []
        for parameter in self.declared.parameters:
            values.append((parameter.name, self._code_value(parameter)))
        return Code(self.plugin, tuple(values))

    def _hook(self, method: str, *arguments: Any) -> Any:
        """Return what a method of the code returns; None if it has none, or if the code is
        unavailable.
        """
        if not self.plugin:
            return None
        code = self.bound_code
        return None if code.unavailable() else code.hook(method, *arguments)

    def peer_signature(
        self, references: int, *, missing: bool = False
    ) -> str | None:
        """Return what the method `peer_signature` of the code returns."""
        return self._hook("peer_signature")  # type: ignore[no-any-return]

    def misfit(self, references: int, *, missing: bool = False) -> str | None:
        """Return what the method `misfit` of the code returns."""
        return self._hook("misfit", references)  # type: ignore[no-any-return]

    def _code_value(self, parameter: Parameter) -> Any:
        """Return the value of an option as the code gets it: for a model, its folder if available."""
        value = getattr(self, attribute_of(parameter.name))
        if parameter.kind != "model" or not value:
            return value
        return str(models.located(value) or value)

    def __reduce__(self) -> tuple[Any, ...]:
        values = {}
        for each in self.options:
            values[each.attribute] = getattr(self, each.attribute)
        return _rebuilt, (self.declared, values)


_SHA = re.compile(r"sha\.[0-9a-f]{12}")
"""What a signature has in place of a path."""


def _in_signature(parameter: Parameter, value: str) -> str:
    """Return what a signature has in place of a path or a model; empty: the value itself."""
    if value.startswith(models.HUB):
        return escape(value.removeprefix(models.HUB))
    if not value or value in parameter.choices or _SHA.fullmatch(value):
        return ""
    if parameter.kind == "path":
        file_digest = models.content_digest(Path(value))
    else:
        file_digest = models.model_digest(Path(value))
    return f"sha.{file_digest[:12]}"


def _rebuilt(declared: Declared, values: dict[str, Any]) -> FunctionMetric:
    return function_metric_class(declared)(**values)


def restored(declared: Declared, signature: str) -> Metric:
    """Return the metric of a signature in results; its code is not needed. Raises ConfigError."""
    metric_class = function_metric_class(declared)
    options = {option.key: option for option in metric_class.options}
    values = {}
    try:
        for key, text in parse_signature(signature)[1].items():
            values[options[key].attribute] = options[key].read(text)
        return metric_class(**values)
    except (KeyError, ValueError) as error:
        raise ConfigError(f"{signature}: {error}") from None


def attribute_of(name: str) -> str:
    """Return the attribute of an option: its name, with an underscore if Metric has that name."""
    if hasattr(FunctionMetric, name) or name in ("beta", "level"):
        return f"{name}_"
    return name


@lru_cache(256)
def function_metric_class(
    declared: Declared, plugin: Plugin | None = None
) -> type[FunctionMetric]:
    """Return the class of a declared metric: a subclass of FunctionMetric with its options.

    `plugin` is the code, None if only results of the metric are available.
    """
    options: dict[str, Any] = {}
    members: dict[str, Any] = {
        "name": declared.name,
        "summary": declared.summary,
        "declared": declared,
        "plugin": plugin,
        "decimals": declared.decimals,
        "lower_is_better": not declared.higher_is_better,
        "in_percent": declared.scale != 0,
        "table_outputs": declared.beside,
        "__doc__": declared.summary,
    }
    # the options, in the order of signatures
    if declared.counts:
        options["beta"] = beta_option(f"{declared.beta:g}")
        members["level"] = "corpus"
    else:
        members["beta"] = "1"
    for parameter in declared.parameters:
        options[attribute_of(parameter.name)] = parameter_option(parameter)
    constants = {"version": declared.version, "code": declared.code}
    if declared.none != "error":
        constants["none"] = declared.none
    for name, value in constants.items():
        if value:
            about = f"the {name} of the code"
            constant = option(value, help=about, choices=(value,))
            options[attribute_of(name)] = constant
    if declared.listwise:
        options["among"] = option(
            "",
            help="how many systems are compared, which is known when they are",
            pattern="[0-9]{1,9}",
            form="a number",
            implicit=True,
        )
    if not declared.counts:
        options["level"] = option(
            declared.level,
            help="the mean or the sum of the lines",
            choices=("mean", "sum"),
        )
    # the class
    words = declared.name.split("_")
    return make_dataclass(
        "".join(word.capitalize() for word in words),
        [(attribute, str, each) for attribute, each in options.items()],
        bases=(FunctionMetric,),
        namespace=members,
        frozen=True,
    )


def parameter_option(parameter: Parameter) -> Any:
    """Return the field of a dataclass for an option of a user's metric, by the kind of its values.

    An option whose default is empty (None in the code) is left out of signatures.
    """
    kind = parameter.kind
    default: Any = parameter.default or ""
    arguments: dict[str, Any] = {
        "help": "an option of the metric",
        "implicit": parameter.default == "",
    }
    if kind == "bool":
        default = parameter.default == "True"
    elif kind == "choice":
        arguments["choices"] = parameter.choices
    elif kind in FORMS:
        form, pattern = FORMS[kind]
        arguments["form"] = form
        arguments["pattern"] = pattern
        # so that 0.5 and .50 have the same signature
        arguments["resolved"] = lambda text, _: repr(
            code_value(parameter, text)
        )
    elif kind == "path":
        arguments["free"] = True
        arguments["form"] = " or ".join([*parameter.choices, "a path"])
        arguments["resolved"] = partial(_path, parameter.choices)
    elif kind == "model":
        if default:
            default = f"{models.HUB}{default}"
        names = "owner/name or owner/name@REVISION of the Hugging Face hub"
        arguments["free"] = True
        arguments["form"] = f"a folder, or {names}"
        arguments["resolved"] = _model
    else:
        arguments["free"] = True
        arguments["form"] = "a text"
    return option(default, **arguments)


def _model(text: str, base: Path) -> str:
    """Return the value of an option that is a model, or its digest in a signature. Raises
    ConfigError.
    """
    return text if _SHA.fullmatch(text) else models.resolved(text, base)


def _path(unchanged: Collection[str], text: str, base: Path) -> str:
    """Return an absolute path that exists, or what is no path: a word, or a digest in a signature.

    Raises ConfigError.
    """
    if text in unchanged or _SHA.fullmatch(text):
        return text
    path = (base / WrittenPath(text).expanded(base)).absolute()
    if not path.exists():
        raise ConfigError(f"there is no file or folder {path}")
    return str(path)
