"""The metric classes of numbers that others compute: what `external` and the metrics of users have
in common.
"""

import os
import re
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, make_dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np

from ...arrays import Floats, Ints
from ...errors import ConfigError, InputError
from ...files.remote import expanded
from ...files.safe_files import digest
from ...kernel.common import Lines
from ..base.capabilities import ComputesNumbers, ScoresLines
from ..base.choices import f_of_counts
from ..base.declared import Declared, Parameter, key_of
from ..base.metric import Counted, Metric
from ..base.options import beta_option, escape, option, parse_signature
from ..base.statistics_spec import Columns, Field, NumberSpec, Text
from . import models
from .calls import Call, Failure, best
from .declare import FORMS, Plugin
from .models import content_digest

COUNTS = ("tp", "fp", "fn")
"""The columns from which F-beta is computed."""


class Numbers(ScoresLines, Metric):
    """The mean or sum of numbers of each sentence, or F-beta of summed counts.

    The counts are true positives, false positives and false negatives. F-beta is that of ERRANT and
    the M² scorer. Precision is 1 if nothing was proposed, and recall is 1 if nothing had to be
    corrected. F is 0 if both are 0. The score of a sentence is computed in the same way from its
    own numbers.
    """

    counts: ClassVar[frozenset[str]] = frozenset(COUNTS)
    terms: ClassVar[tuple[Field, ...]] = tuple(map(Field, COUNTS))
    """The counts."""
    policy: ClassVar[str] = "merged"
    """References have no effect, since each sentence has its own numbers."""
    beta: str
    decimals: int

    @property
    @abstractmethod
    def is_counts(self) -> bool:
        """Whether the numbers are counts, from which F-beta is computed."""

    @property
    @abstractmethod
    def divisor(self) -> float:
        """The number that is printed as 100."""

    @property
    @abstractmethod
    def outputs(self) -> tuple[str, ...]:
        """The names of the numbers of a sentence, the score first."""

    @property
    def output(self) -> str:
        """The name of the score."""
        return self.outputs[0]

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the counts of F-beta; none for a single number, which is the score itself."""
        if not self.is_counts:
            return []
        return [Counted(name, columns[name]) for name in COUNTS]

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return F-beta under the name of the score, precision, recall, and the counts."""
        score, precision, recall = self._scores(totals)
        counts = {name: totals[name] / 10**self.decimals for name in COUNTS}
        return {self.output: score, "precision": precision, "recall": recall} | counts

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the score of each sentence: float64 [lines, 1]."""
        if self.is_counts:
            scores = self._scores(columns)[0]
        else:
            scores = columns[self.column(self.output)] / self.divisor
        return scores[:, None]

    def sentence_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return all outputs of each sentence: float64 [lines, 1]."""
        if self.is_counts:
            return super().sentence_outputs(columns)
        return {
            name: values[:, None] for name, values in self.line_outputs(columns).items()
        }

    def line_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return the numbers of each sentence: float64 [lines]. Counts have no outputs at level
        mean.
        """
        if self.is_counts:
            return {}
        return {
            name: columns[self.column(name)] / self.divisor for name in self.outputs
        }

    def column(self, output: str) -> str:
        """Return the name of the column of an output."""
        return output

    def _scores(self, counts: Columns) -> tuple[Floats, ...]:
        """Return F-beta, precision and recall of counts."""
        tp, fp, fn = (counts[name] for name in COUNTS)
        return f_of_counts(tp, tp + fp, tp + fn, float(self.beta))


# --- metrics of users


@dataclass(frozen=True)
class Code:
    """The code of a metric with the values of its options."""

    plugin: Plugin
    values: tuple[tuple[str, Any], ...]

    @cached_property
    def files(self) -> dict[str, str]:
        """The digests of the files that the numbers depend on, by their paths relative to the
        folder that has them all.
        """
        paths = [Path(path).absolute() for path in self.hook("files") or ()]
        if not paths:
            return {}
        base = os.path.commonpath([path.parent for path in paths])
        return {
            path.relative_to(base).as_posix(): content_digest(path) for path in paths
        }

    @cached_property
    def identity(self) -> str:
        """What numbers depend on and no file has, such as the model of a server."""
        return str(self.hook("identity") or "")

    def hook(self, method: str, *arguments: Any, **named: Any) -> Any:
        """Return what a method of the code returns, or None if it has no such method."""
        if not hasattr(self.plugin.target, method):
            return None
        function = self.plugin.build(dict(self.values))
        return getattr(function, method)(*arguments, **named)

    @property
    def models(self) -> dict[str, str]:
        """The models that options name: their folders, or names of the hub behind models.HUB."""
        values = dict(self.values)
        parameters = self.plugin.declared.parameters
        return {
            each.name: values[each.name] for each in parameters if each.kind == "model"
        }

    def unavailable(self) -> str | None:
        """Return why nothing can be computed, or None.

        A package or a model may be missing, or options may be wrong.
        """
        name = self.plugin.declared.name
        try:
            missing_package = self.hook("lacks")
            if missing_package:
                return f"{name} {missing_package}"
            for model in self.models.values():
                if not Path(model).is_dir():
                    return models.missing(name, model)
            self.hook("told")  # raises InputError for wrong options
            _ = self.files
        except ConfigError as error:
            return str(error)
        except InputError as error:
            return f"{name}: {error}"
        return None

    def line_numbers(self, answers: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
        """Return the numbers of a line from its answers: one, or one of each reference."""
        numbers = self.hook("of_line", answers) or best(answers, self.plugin.declared)
        return tuple(map(float, numbers))


@dataclass(frozen=True)
class FunctionMetricSpec(NumberSpec):
    """Numbers that the code of a user computes; equal if the code and its options are equal."""

    signature: str = ""
    """Name, options and version, as signatures have them."""
    code: Code | None = field(default=None, compare=False, repr=False)
    """None if the code is not available: counts can then be read, but not computed."""

    @property
    def references(self) -> bool:  # type: ignore[override]
        """Whether the code requires references."""
        if self.code is None:
            return False
        declared = self.code.plugin.declared
        return "references" in declared.reads and "references" not in declared.optional

    def unavailable(self) -> str | None:
        """Return why the code cannot compute here, or None."""
        return self.code.unavailable() if self.code else None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "code": None}  # workers read numbers, and need no code

    def computed(self, text: Text) -> Columns:
        """Return the numbers of the first system of a text."""
        assert self.code is not None  # noqa: S101 (only a name that has code is taken for a metric)
        outputs = _texts(text.systems[0])
        return PreparedCode(self, self.code, text).count(
            outputs, np.arange(len(outputs))
        )

    def prepare(self, text: Text) -> "PreparedCode | None":
        """Return the code with source and references, for calls with outputs; see
        `metrics/prepared.py`.
        """
        return PreparedCode(self, self.code, text) if self.code else None

    @property
    def computed_by(self) -> str:
        """The part of the signature that numbers of texts depend on.

        It has neither the number of systems nor options that of_line() alone reads.
        """
        late: tuple[str, ...] = ("among",)
        if self.code:
            late += tuple(getattr(self.code.plugin.target, "late", ()))
        prefixes = tuple(f"{name}:" for name in late)
        settings = self.signature.split("|")
        return "|".join(each for each in settings if not each.startswith(prefixes))

    def columns_of(self, rows: Sequence[tuple[float, ...]]) -> dict[str, Ints]:
        """Return the columns of lines with these numbers."""
        number_type = np.float64 if self.decimals is None else np.int64
        table: Any = np.array(rows, number_type).reshape(len(rows), -1)
        return {name: table[:, index] for index, name in enumerate(self.names)}

    @property
    def key(self) -> str:
        """A name, safe in file names."""
        return f"plugged-{self.title}-{digest(self.signature.encode(), size=6)}"

    @property
    def cache_key(self) -> str:
        """The text that stands for these columns in the keys of stored counts."""
        return f"plugin:{self.signature}"


def _texts(lines: Lines) -> list[str]:
    return [line.decode() for line in lines.texts()]


class PreparedCode:
    """Code of a user with source and references: each call computes the numbers of its outputs, and
    stores none.
    """

    def __init__(self, spec: FunctionMetricSpec, code: Code, text: Text) -> None:
        self.spec = spec
        self.code = code
        self.declared = code.plugin.declared
        if self.declared.listwise:
            reason = (
                "scores all outputs of a line together, so an output alone has no score"
            )
            raise InputError(f"{self.declared.name} {reason}; take evaluate() or a run")
        self.call = Call(
            code.plugin, code.plugin.origin, code.values, self.declared, ("cpu",)
        )
        self.columns: dict[str, Sequence[Any]] = {}
        if text.source and "sources" in self.declared.reads:
            self.columns["sources"] = _texts(text.source)
        if "references" in self.declared.reads:
            self.columns["references"] = list(
                zip(*map(_texts, text.references), strict=True)
            )

    def count(self, outputs: Sequence[str], rows: Ints) -> dict[str, Ints]:
        """Return the numbers of outputs, each with the line whose number `rows` has. Raises
        InputError.
        """
        items = []
        item_counts = []
        for output, line in zip(outputs, rows.tolist(), strict=True):
            texts = {name: column[line] for name, column in self.columns.items()}
            texts["outputs"] = output
            references = [texts.get("references")]
            if self.declared.each_reference:
                references = texts["references"]
            item_counts.append(len(references))
            for reference in references:
                texts["references"] = reference
                items.append(tuple(texts[name] for name in self.declared.reads))
        size = self.code.plugin.batch_size
        batches = [items[start : start + size] for start in range(0, len(items), size)]
        result = self.call((0, batches, []))
        all_answers = iter([answer for batch in result.answers for answer in batch])
        numbers = []
        for number, count in enumerate(item_counts, 1):
            answers = self._checked(
                list(islice(all_answers, count)), f"outputs, item {number}"
            )
            numbers.append(self.code.line_numbers(answers))
        return self.spec.columns_of(numbers)

    def _checked(self, answers: list[Any], position: str) -> list[Any]:
        """Return the answers of a line with a number for None; raises InputError for a failure."""
        for answer in answers:
            if isinstance(answer, Failure):
                raise InputError(answer.at(position))
        if None not in answers:
            return answers
        if self.declared.none in ("error", "skip"):
            raise InputError(f"{position}: {self.declared.name} has no score")
        substitute = (float(self.declared.none),) * len(self.spec.names)
        return [substitute if answer is None else answer for answer in answers]


class FunctionMetric(ComputesNumbers, Numbers):
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
            if parameter.default is None and getattr(self, attribute_of(name)) == "":
                problems.append(
                    (name, f"{self.name} has no default for {name}; give one")
                )
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
            declared.name,
            COUNTS if self.is_counts else declared.names,
            declared.decimals if self.is_counts else None,
            "sources" in declared.reads,
            signature="|".join(signature),
            code=self.bound_code if self.plugin else None,
        )

    @property
    def citations(self) -> tuple[str, ...]:
        """The keys of the entries that the declaration has."""
        return tuple(map(key_of, self.declared.cite))

    def for_run(self, systems: int, references: Callable[[], list[str]]) -> Metric:
        """Return the metric for a number of systems, which a listwise one depends on, and for the
        references.

        The method `with_references` of the code returns options for these.
        """
        options: dict[str, Any] = {}
        if self.declared.listwise:
            options["among"] = systems
        options |= self._hook("with_references", references) or {}
        values = {attribute_of(name): str(value) for name, value in options.items()}
        changed: Metric = replace(cast("Any", self), **values)
        return changed

    def settings(self, references: int | None = None) -> list[tuple[str, object]]:
        """Return the options as signatures have them: files and models by their digests; then
        version and level.

        The method `told` of the code returns further ones. A model that is missing has its name.
        """
        reads_references = "references" in self.declared.reads
        settings = dict(super().settings(references if reads_references else None))
        for parameter in self.declared.parameters:
            if parameter.kind not in ("path", "model"):
                continue
            value = self._code_value(parameter)
            if value.startswith(models.HUB):
                settings[parameter.name] = escape(value.removeprefix(models.HUB))
            elif value and value not in parameter.choices and not _SHA.fullmatch(value):
                digest_of = (
                    content_digest if parameter.kind == "path" else models.model_digest
                )
                settings[parameter.name] = f"sha.{digest_of(Path(value))[:12]}"
        ordered = dict.fromkeys(option.key for option in self.options) | settings
        if not self.conflicts():
            ordered |= self._hook("told") or {}
        return [(key, value) for key, value in ordered.items() if value is not None]

    @property
    def bound_code(self) -> Code:
        """The code with the values of the options."""
        assert self.plugin  # noqa: S101 (callers have checked)
        parameters = self.declared.parameters
        return Code(
            self.plugin,
            tuple((each.name, self._code_value(each)) for each in parameters),
        )

    def _hook(self, method: str, *arguments: Any) -> Any:
        """Return what a method of the code returns; None if it has none, or if the code is
        unavailable.
        """
        if not self.plugin:
            return None
        code = self.bound_code
        return None if code.unavailable() else code.hook(method, *arguments)

    def peer_signature(self, references: int, *, missing: bool = False) -> str | None:
        """Return what the method `peer_signature` of the code returns."""
        return self._hook("peer_signature")  # type: ignore[no-any-return]

    def misfit(self, references: int, *, missing: bool = False) -> str | None:
        """Return what the method `misfit` of the code returns."""
        return self._hook("misfit", references)  # type: ignore[no-any-return]

    def _code_value(self, parameter: Parameter) -> Any:
        """Return the value of an option as the code gets it: the folder of a model, if it is
        available.
        """
        value = getattr(self, attribute_of(parameter.name))
        if parameter.kind != "model" or not value:
            return value
        return str(models.located(value) or value)

    def __reduce__(self) -> tuple[Any, ...]:
        values = {
            each.attribute: getattr(self, each.attribute) for each in self.options
        }
        return _rebuilt, (self.declared, values)


_SHA = re.compile(r"sha\.[0-9a-f]{12}")
"""What a signature has in place of a path."""


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
    return (
        f"{name}_"
        if hasattr(FunctionMetric, name) or name in ("beta", "level")
        else name
    )


@lru_cache(256)
def function_metric_class(
    declared: Declared, plugin: Plugin | None = None
) -> type[FunctionMetric]:
    """Return the class of a declared metric, with its code if that is available."""
    fields: list[tuple[str, type, Any]] = []
    if declared.counts:
        fields.append(("beta", str, beta_option(f"{declared.beta:g}")))
    for parameter in declared.parameters:
        fields.append((attribute_of(parameter.name), str, parameter_option(parameter)))
    none = "" if declared.none == "error" else declared.none
    for name, value in (
        ("version", declared.version),
        ("code", declared.code),
        ("none", none),
    ):
        if value:
            only = option(value, help=f"the {name} of the code", choices=(value,))
            fields.append((attribute_of(name), str, only))
    if declared.listwise:
        among = option(
            "",
            help="how many systems are compared, which is known when they are",
            pattern="[0-9]{1,9}",
            form="a number",
            implicit=True,
        )
        fields.append(("among", str, among))
    namespace: dict[str, Any] = {
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
    if declared.counts:
        namespace["level"] = "corpus"
    else:
        namespace["beta"] = "1"
        meaning = "the mean or the sum of the lines"
        fields.append(
            (
                "level",
                str,
                option(declared.level, help=meaning, choices=("mean", "sum")),
            )
        )
    name = "".join(part.capitalize() for part in declared.name.split("_"))
    return make_dataclass(
        name, fields, bases=(FunctionMetric,), namespace=namespace, frozen=True
    )


def parameter_option(parameter: Parameter) -> Any:
    """Return the field of a dataclass for an option of a user."""
    default: Any = parameter.default or ""
    more: dict[str, Any] = {
        "help": "an option of the metric",
        "implicit": parameter.default == "",
    }
    if parameter.kind == "bool":
        default = parameter.default == "True"
    elif parameter.kind == "choice":
        more["choices"] = parameter.choices
    elif parameter.kind in FORMS:
        more["form"], more["pattern"] = FORMS[parameter.kind]
        number_type = float if parameter.kind == "float" else int
        more["resolved"] = lambda text, _: repr(number_type(text))
    elif parameter.kind == "path":
        more["form"] = " or ".join([*parameter.choices, "a path"])
        more["free"] = True
        unchanged = parameter.choices
        more["resolved"] = lambda text, base: (
            text if text in unchanged else _path(text, base)
        )
    elif parameter.kind == "model":
        if default:
            default = f"{models.HUB}{default}"
        more["form"] = (
            "a folder, or owner/name or owner/name@REVISION of the Hugging Face hub"
        )
        more["free"] = True
        more["resolved"] = _model
    else:
        more["form"] = "a text"
        more["free"] = True
    return option(default, **more)


def _model(text: str, base: Path) -> str:
    """Return the value of an option that is a model, or its digest in a signature. Raises
    ConfigError.
    """
    return text if _SHA.fullmatch(text) else models.resolved(text, base)


def _path(text: str, base: Path) -> str:
    """Return an absolute path that exists, or its digest in a signature. Raises ConfigError."""
    if _SHA.fullmatch(text):
        return text
    path = (base / expanded(text, base)).absolute()
    if not path.exists():
        raise ConfigError(f"there is no file or folder {path}")
    return str(path)
