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
from ..base.capabilities import ChoosesReferences, ComputesNumbers, HasPeerSignature, ScoresLines
from ..base.choices import f_of_counts
from ..base.declared import Declared, Parameter, key_of
from ..base.metric import Counted, Metric
from ..base.options import beta_option, escape, option, parse_signature
from ..base.statistics_spec import Columns, Field, NumberSpec, Text
from . import models
from .calls import Call, Wrong, best
from .declare import FORMS, Plugin
from .models import content_digest

COUNTS = ("tp", "fp", "fn")
"""The columns of which F-beta is made."""


class Numbers(ScoresLines, Metric):
    """The mean or sum of numbers of each sentence, or F-beta of the sums of true and false
    positives and negatives.

    F-beta is that of ERRANT and the M² scorer. Precision is 1 if nothing was proposed, and recall
    is 1 if nothing had to be corrected. F is 0 if both are 0. The score of a sentence is computed
    in the same way from its own numbers."""

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
        """Whether the numbers are counts, of which F-beta is made."""

    @property
    @abstractmethod
    def divisor(self) -> float:
        """The number that is shown as 100."""

    @property
    @abstractmethod
    def outputs(self) -> tuple[str, ...]:
        """The names of the numbers of a sentence, the score first."""

    @property
    def output(self) -> str:
        """The name of the score."""
        return self.outputs[0]

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the counts of F-beta. A single number is the score itself and is not shown again."""
        return [Counted(name, columns[name]) for name in COUNTS if self.is_counts]

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return F-beta under the name of the score, precision, recall, and the counts."""
        score, precision, recall = self._scores(totals)
        counts = {name: totals[name] / 10**self.decimals for name in COUNTS}
        return {self.output: score, "precision": precision, "recall": recall} | counts

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the score of each sentence: float64 [lines, 1]."""
        scores = (
            self._scores(columns)[0]
            if self.is_counts
            else columns[self.column(self.output)] / self.divisor
        )
        return scores[:, None]

    def sentence_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return all outputs of each sentence: float64 [lines, 1]."""
        if self.is_counts:
            return super().sentence_outputs(columns)
        return {name: values[:, None] for name, values in self.line_outputs(columns).items()}

    def line_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return the numbers of each sentence: float64 [lines]. Counts have no outputs at level
        mean.
        """
        if self.is_counts:
            return {}
        return {name: columns[self.column(name)] / self.divisor for name in self.outputs}

    def column(self, output: str) -> str:
        """Return the name of the column of an output."""
        return output

    def _scores(self, counts: Columns) -> tuple[Floats, ...]:
        tp, fp, fn = (counts[name] for name in COUNTS)
        return f_of_counts(tp, tp + fp, tp + fn, float(self.beta))


# --- metrics of users


@dataclass(frozen=True)
class Code:
    """The code of a metric with the values of its options: what computes numbers."""

    plugin: Plugin
    values: tuple[tuple[str, Any], ...]

    @cached_property
    def files(self) -> dict[str, str]:
        """The digests of the files that the numbers depend on, by their paths from the folder that
        has them all.
        """
        made = self.plugin.made(dict(self.values)) if hasattr(self.plugin.target, "files") else None
        paths = [Path(path).absolute() for path in made.files()] if made else []
        base = os.path.commonpath([path.parent for path in paths]) if paths else ""
        return {path.relative_to(base).as_posix(): content_digest(path) for path in paths}

    @cached_property
    def identity(self) -> str:
        """What the metric says of what its numbers depend on, such as the model of a server."""
        return str(self.says("identity") or "")

    def says(self, method: str, *given: Any, **named: Any) -> Any:
        """Return what a method of the code returns; None where it has no such method."""
        has = hasattr(self.plugin.target, method)
        return (
            getattr(self.plugin.made(dict(self.values)), method)(*given, **named) if has else None
        )

    @property
    def models(self) -> dict[str, str]:
        """The models that options name: their folders, or names of the hub behind models.HUB."""
        values = dict(self.values)
        return {
            each.name: values[each.name]
            for each in self.plugin.declared.parameters
            if each.kind == "model"
        }

    def unavailable(self) -> str | None:
        """Return why nothing can be computed: a package or a model is missing, or options are
        wrong; None: nothing.
        """
        name = self.plugin.declared.name
        try:
            if lacks := self.says("lacks"):
                return f"{name} {lacks}"
            if lacking := [text for text in self.models.values() if not Path(text).is_dir()]:
                return models.missing(name, lacking[0])
            self.says("told")
            _ = self.files
        except InputError as error:
            return str(error) if isinstance(error, ConfigError) else f"{name}: {error}"
        return None

    def of_line(self, answers: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
        """Return the numbers of a line, of answers for it: of each of its references, or a single
        one.
        """
        return tuple(
            map(float, self.says("of_line", answers) or best(answers, self.plugin.declared))
        )


@dataclass(frozen=True)
class PluggedSpec(NumberSpec):
    """Numbers that the code of a user computes. StatisticsSpec are equal where the code and its options are."""

    told: str = ""
    """Name, options and version, as signatures have them."""
    code: Code | None = field(default=None, compare=False, repr=False)
    """None where the code is not at hand: counts can then be read, but not computed."""

    @property
    def references(self) -> bool:  # type: ignore[override]
        """Whether the code reads references, and cannot do without."""
        declared = self.code.plugin.declared if self.code else None
        return (
            declared is not None
            and "references" in declared.reads
            and "references" not in declared.optional
        )

    def unavailable(self) -> str | None:
        """Return why the code cannot compute here, or None."""
        return self.code.unavailable() if self.code else None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "code": None}  # workers read numbers, and need no code

    def computed(self, text: Text) -> Columns:
        """Return the numbers of the first system of a text."""
        assert self.code is not None  # noqa: S101 (only a name that has code is taken for a metric)
        outputs = _texts(text.systems[0])
        return PreparedCode(self, self.code, text).count(outputs, np.arange(len(outputs)))

    def prepare(self, text: Text) -> "PreparedCode | None":
        """Return the code with source and references, for calls with outputs; see
        `metrics/prepared.py`.
        """
        return PreparedCode(self, self.code, text) if self.code else None

    @property
    def computed_by(self) -> str:
        """What numbers of texts depend on: not on the number of systems, nor on options that
        of_line() alone reads.
        """
        late = ("among", *getattr(self.code and self.code.plugin.target, "late", ()))
        return "|".join(
            part
            for part in self.told.split("|")
            if not part.startswith(tuple(f"{name}:" for name in late))
        )

    def columns_of(self, rows: Sequence[tuple[float, ...]]) -> dict[str, Ints]:
        """Return the columns of lines with these numbers."""
        table: Any = np.array(rows, np.float64 if self.decimals is None else np.int64).reshape(
            len(rows), -1
        )
        return {name: table[:, place] for place, name in enumerate(self.names)}

    @property
    def key(self) -> str:
        """A name, safe in file names."""
        return f"plugged-{self.title}-{digest(self.told.encode(), size=6)}"

    @property
    def cache_key(self) -> str:
        """The text that stands for these columns in the keys of stored counts."""
        return f"plugin:{self.told}"


def _texts(lines: Lines) -> list[str]:
    return [line.decode() for line in lines.texts()]


class PreparedCode:
    """Code of a user with source and references: each call computes the numbers of its outputs, and
    keeps none.
    """

    def __init__(self, spec: PluggedSpec, code: Code, text: Text) -> None:
        self.spec, self.declared = spec, code.plugin.declared
        if self.declared.listwise:
            what = "scores all outputs of a line together, so an output alone has no score"
            raise InputError(f"{self.declared.name} {what}; take evaluate() or a run")
        self.code, self.call = (
            code,
            Call(code.plugin, code.plugin.place, code.values, self.declared, ("cpu",)),
        )
        self.read: dict[str, Sequence[Any]] = {}
        if text.source and "sources" in self.declared.reads:
            self.read["sources"] = _texts(text.source)
        if "references" in self.declared.reads:
            self.read["references"] = list(zip(*map(_texts, text.references), strict=True))

    def count(self, outputs: Sequence[str], rows: Ints) -> dict[str, Ints]:
        """Return the numbers of outputs, each with the line whose number `rows` has. Raises
        InputError.
        """
        items, sizes = [], []
        for output, line in zip(outputs, rows.tolist(), strict=True):
            own = {"outputs": output} | {name: texts[line] for name, texts in self.read.items()}
            each = own["references"] if self.declared.each_reference else [own.get("references")]
            sizes.append(len(each))
            items += [
                tuple((own | {"references": one})[name] for name in self.declared.reads)
                for one in each
            ]
        size = self.code.plugin.batch_size
        done = self.call(
            (0, [items[start : start + size] for start in range(0, len(items), size)], [])
        )
        flat = iter([answer for batch in done.answers for answer in batch])
        numbers = []
        for place, count in enumerate(sizes, 1):
            given = list(islice(flat, count))
            wrong = next((answer for answer in given if isinstance(answer, Wrong)), None)
            if self.declared.none not in ("error", "skip"):
                stands = (float(self.declared.none),) * len(self.spec.names)
                given = [stands if answer is None else answer for answer in given]
            if wrong or None in given:
                message = wrong.message if wrong else f": {self.declared.name} has no score"
                where = f"outputs, item {place}"
                raise InputError(
                    message.replace("{}", where, 1) if "{}" in message else where + message
                )
            numbers.append(self.code.of_line(given))
        return self.spec.columns_of(numbers)


class Plugged(ChoosesReferences, HasPeerSignature, ComputesNumbers, Numbers):
    """A metric that a user declares; `declared` says what it is. There is a subclass for each."""

    help_page: ClassVar[str] = "plugins"
    declared: ClassVar[Declared]  # type: ignore[assignment,misc,unused-ignore]
    plugin: ClassVar[Plugin | None]
    """The code; None where only results are at hand."""
    decimals: int

    def conflicts(self) -> list[tuple[str, str]]:
        """Return the options that have to be given and are not."""
        return [
            (parameter.name, f"{self.name} has no default for {parameter.name}; give one")
            for parameter in self.declared.parameters
            if parameter.default is None and getattr(self, attribute_of(parameter.name)) == ""
        ]

    @property
    def is_counts(self) -> bool:
        """Whether the numbers are counts."""
        return self.declared.returns == "counts"

    @property
    def divisor(self) -> float:
        """The number that is shown as 100; 1 where numbers are shown as they are."""
        return self.declared.scale or 1.0

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the numbers of a sentence."""
        return self.declared.names

    @property
    def spec(self) -> PluggedSpec:
        """The numbers that the code computes."""
        declared = self.declared
        shown = [f"{key}:{value}" for key, value in self.settings() if key not in ("beta", "level")]
        return PluggedSpec(
            declared.name,
            COUNTS if self.is_counts else declared.names,
            declared.decimals if self.is_counts else None,
            "sources" in declared.reads,
            told="|".join([declared.name, *shown]),
            code=self.needs_code if self.plugin else None,
        )

    @property
    def citations(self) -> tuple[str, ...]:
        """The keys of the entries that the declaration has."""
        return tuple(map(key_of, self.declared.cite))

    def for_run(self, systems: int, references: Callable[[], list[str]]) -> Metric:
        """Return the metric for so many systems, on which the numbers of a listwise one depend, and
        for the references.

        The method `with_references` of the code returns options for these.
        """
        own: dict[str, Any] = {"among": systems} if self.declared.listwise else {}
        own |= self._says("with_references", references) or {}
        changed: Metric = replace(
            cast("Any", self), **{attribute_of(name): str(value) for name, value in own.items()}
        )
        return changed

    def settings(self, references: int | None = None) -> list[tuple[str, object]]:
        """Return the options as signatures have them: files and models by their digests; then
        version and level.

        The code may have others told, by a method `told`. A model that is not there has its name.
        """
        told = dict(super().settings(references if "references" in self.declared.reads else None))
        for parameter in (
            each for each in self.declared.parameters if each.kind in ("path", "model")
        ):
            given = self._given(parameter)
            if given.startswith(models.HUB):
                told[parameter.name] = escape(given.removeprefix(models.HUB))
            elif given and given not in parameter.choices and not _SHA.fullmatch(given):
                make = content_digest if parameter.kind == "path" else models.model_digest
                told[parameter.name] = f"sha.{make(Path(given))[:12]}"
        more = (None if self.conflicts() else self._says("told")) or {}
        own = dict.fromkeys(option.key for option in self.options) | told | more
        return [(key, value) for key, value in own.items() if value is not None]

    @property
    def needs_code(self) -> Code:
        """The code with the values of the options."""
        assert self.plugin  # noqa: S101 (who asks has looked)
        values = (
            (parameter.name, self._given(parameter)) for parameter in self.declared.parameters
        )
        return Code(self.plugin, tuple(values))

    def _says(self, method: str, *given: Any) -> Any:
        """Return what a method of the code returns; None where it has none, or nothing can be
        computed.
        """
        return (
            self.needs_code.says(method, *given)
            if self.plugin and not self.needs_code.unavailable()
            else None
        )

    def peer_signature(self, references: int, *, missing: bool = False) -> str | None:
        """Return what the method `peer_signature` of the code returns."""
        return self._says("peer_signature")  # type: ignore[no-any-return]

    def misfit(self, references: int, *, missing: bool = False) -> str | None:
        """Return what the method `misfit` of the code returns."""
        return self._says("misfit", references)  # type: ignore[no-any-return]

    def _given(self, parameter: Parameter) -> Any:
        """Return the value of an option as the code gets it: of a model its folder, where it is
        there.
        """
        value = getattr(self, attribute_of(parameter.name))
        return str(models.located(value) or value) if parameter.kind == "model" and value else value

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (
            self.declared,
            {each.attribute: getattr(self, each.attribute) for each in self.options},
        )


def restored(declared: Declared, signature: str) -> Metric:
    """Return the metric of a signature, as results have it, whose code is not needed. Raises
    ConfigError.
    """
    own, settings = plugged_class(declared), parse_signature(signature)[1]
    options = {option.key: option for option in own.options}
    try:
        return own(
            **{options[key].attribute: options[key].read(text) for key, text in settings.items()}
        )
    except (KeyError, ValueError) as error:
        raise ConfigError(f"{signature}: {error}") from None


_SHA = re.compile(r"sha\.[0-9a-f]{12}")


def _remade(declared: Declared, values: dict[str, Any]) -> Plugged:
    return plugged_class(declared)(**values)


def attribute_of(name: str) -> str:
    """Return the name of the field of an option: one that Metric has has an underscore behind it."""
    return f"{name}_" if hasattr(Plugged, name) or name in ("beta", "level") else name


@lru_cache(256)
def plugged_class(declared: Declared, plugin: Plugin | None = None) -> type[Plugged]:
    """Return the class of a metric that is declared, with its code where that is at hand."""
    fields: list[tuple[str, type, Any]] = []
    if declared.returns == "counts":
        fields.append(("beta", str, beta_option(f"{declared.beta:g}")))
    fields += [
        (attribute_of(each.name), str, parameter_option(each)) for each in declared.parameters
    ]
    fixed = [("version", declared.version), ("code", declared.code)]
    fixed += [("none", "" if declared.none == "error" else declared.none)]
    for name, value in fixed:
        if value:
            fields.append(
                (
                    attribute_of(name),
                    str,
                    option(value, help=f"the {name} of the code", choices=(value,)),
                )
            )
    if declared.listwise:
        meaning = "how many systems are compared, which is known when they are"
        number: dict[str, Any] = {"pattern": "[0-9]{1,9}", "form": "a number", "implicit": True}
        fields.append(("among", str, option("", help=meaning, **number)))
    if declared.returns != "counts":
        meaning = "the mean or the sum of the lines"
        fields.append(("level", str, option(declared.level, help=meaning, choices=("mean", "sum"))))
    own = {
        **({"level": "corpus"} if declared.returns == "counts" else {"beta": "1"}),
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
    name = "".join(part.capitalize() for part in declared.name.split("_"))
    return make_dataclass(name, fields, bases=(Plugged,), namespace=own, frozen=True)


def parameter_option(parameter: Parameter) -> Any:
    """Return the field of a dataclass for an option of a user."""
    more: dict[str, Any] = {"help": "an option of the metric", "implicit": parameter.default == ""}
    usual: Any = parameter.default or ""
    if parameter.kind == "bool":
        usual = parameter.default == "True"
    elif parameter.kind == "choice":
        more |= {"choices": parameter.choices}
    elif parameter.kind in FORMS:
        form, pattern = FORMS[parameter.kind]
        make = float if parameter.kind == "float" else int
        more |= {"form": form, "pattern": pattern, "resolved": lambda text, _: repr(make(text))}
    elif parameter.kind == "path":
        more |= {"form": " or ".join([*parameter.choices, "a path"]), "free": True}
        more["resolved"] = lambda text, base: (
            text if text in parameter.choices else _found(text, base)
        )
    elif parameter.kind == "model":
        usual = f"{models.HUB}{usual}" if usual else ""
        more |= {
            "form": "a folder, or owner/name or owner/name@REVISION of the Hugging Face hub",
            "free": True,
        }
        more["resolved"] = lambda text, base: (
            text if _SHA.fullmatch(text) else models.resolved(text, base)
        )
    else:
        more |= {"form": "a text", "free": True}
    return option(usual, **more)


def _found(text: str, base: Path) -> str:
    """Return an absolute path that exists, or what a signature has in place of one. Raises
    ConfigError.
    """
    if _SHA.fullmatch(text):
        return text
    path = (base / expanded(text, base)).absolute()
    if not path.exists():
        raise ConfigError(f"there is no file or folder {path}")
    return str(path)
