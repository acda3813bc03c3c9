"""Numbers that code of users computes: the code with the values of its options, and what it reads."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any

from pipeline.arrays import Ints
from pipeline.errors import ConfigError, InputError
from pipeline.files import digest
from pipeline.kernel.common import Lines
from pipeline.metrics.base import Text

from . import models
from .answers import Answer, Failure, Item, Values, best, item_length
from .calls import Call, Task
from .declare import Plugin
from .items import by_reference
from .numbers import NumberSpec


@dataclass(frozen=True)
class Code:
    """The code of a metric with the values of its options."""

    plugin: Plugin
    values: tuple[tuple[str, Any], ...]

    @cached_property
    def files(self) -> dict[str, str]:
        """The digests of the files that the numbers depend on, by their paths.

        The method `files` of the code names them. Paths are relative to the folder that has all.
        """
        file_names = self.hook("files")
        if not file_names:
            return {}
        paths = [Path(path).absolute() for path in file_names]
        base = os.path.commonpath([path.parent for path in paths])
        digests = {}
        for path in paths:
            name = path.relative_to(base).as_posix()
            digests[name] = models.content_digest(path)
        return digests

    @cached_property
    def identity(self) -> str:
        """What numbers depend on and no file has, such as the model of a server."""
        return str(self.hook("identity") or "")

    def call(self, **settings: Any) -> Call:
        """Return the call of the code, with devices and other settings of Call."""
        plugin = self.plugin
        return Call(
            plugin, plugin.origin, self.values, plugin.declared, **settings
        )

    def method(self, name: str) -> Callable[..., Any] | None:
        """Return a method of the code, or None if it has no such method."""
        if not hasattr(self.plugin.target, name):
            return None
        function = self.plugin.build(dict(self.values))
        method: Callable[..., Any] = getattr(function, name)
        return method

    def hook(self, name: str, *arguments: Any, **named: Any) -> Any:
        """Return what a method of the code returns, or None if it has no such method."""
        method = self.method(name)
        return method(*arguments, **named) if method else None

    @property
    def models(self) -> dict[str, str]:
        """The models that options name: their folders, or names of the hub behind models.HUB."""
        found = dict(self.values)
        for parameter in self.plugin.declared.parameters:
            if parameter.kind != "model":
                del found[parameter.name]
        return found

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
            # raises InputError for wrong options
            self.hook("signature_options")
            _ = self.files
        except ConfigError as error:
            return str(error)
        except InputError as error:
            return f"{name}: {error}"
        return None

    @cached_property
    def cost(self) -> Callable[[Item], float]:
        """The function that estimates how much work an item is."""
        cost = self.method("cost")
        if cost is None:
            return item_length
        return lambda item: float(cost(*item))

    def line_numbers(self, answers: Sequence[Values]) -> Values:
        """Return the numbers of a line from its answers: one, or one of each reference."""
        numbers = self.hook("of_line", answers) or best(
            answers, self.plugin.declared
        )
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
        return (
            "references" in declared.reads
            and "references" not in declared.optional
        )

    def unavailable(self) -> str | None:
        """Return why the code cannot compute here, or None."""
        return self.code.unavailable() if self.code else None

    def __getstate__(self) -> dict[str, Any]:
        # workers read numbers, and need no code
        return {
            **self.__dict__,
            "code": None,
        }

    def prepare(self, text: Text) -> "PreparedCode | None":
        """Return the code with source and references, for calls with outputs; see
        `metrics/base/statistics_spec.py`.
        """
        return PreparedCode(self, self.code, text) if self.code else None

    @property
    def substitute(self) -> Answer:
        """The numbers of a line for which the code returns None; None if there are none."""
        assert self.code  # noqa: S101 (nothing is computed without it)
        none = self.code.plugin.declared.none
        if none in ("error", "skip"):
            return None
        return (float(none),) * len(self.names)

    @property
    def computed_by(self) -> str:
        """The part of the signature that numbers of texts depend on.

        It has neither the number of systems nor options that of_line() alone reads.
        """
        late = ["among"]
        if self.code:
            late += getattr(self.code.plugin.target, "late", ())
        settings = []
        for setting in self.signature.split("|"):
            name, colon, _ = setting.partition(":")
            if not colon or name not in late:
                settings.append(setting)
        return "|".join(settings)

    @property
    def key(self) -> str:
        """A name, safe in file names."""
        return f"plugged-{self.title}-{digest(self.signature.encode(), size=6)}"

    @property
    def cache_key(self) -> str:
        """The text that stands for these columns in the keys of stored counts."""
        return f"plugin:{self.signature}"


class PreparedCode:
    """Code of a user with source and references: each call computes the numbers of its outputs, and
    stores none.
    """

    def __init__(
        self, spec: FunctionMetricSpec, code: Code, text: Text
    ) -> None:
        """Read source and references of a shard; raises InputError for a listwise metric."""
        self.spec = spec
        self.code = code
        self.declared = code.plugin.declared
        name = self.declared.name
        if self.declared.listwise:
            reason = "all outputs of a line together, so an output alone has no score"
            raise InputError(
                f"{name} scores {reason}; take evaluate() or a run"
            )
        self.call = code.call(devices=("cpu",))
        self.columns: dict[str, list[Any]] = {}
        if text.source:
            self.columns["sources"] = _texts(text.source)
        if text.references:
            references = zip(*map(_texts, text.references), strict=True)
            self.columns["references"] = list(references)

    def count(self, outputs: Sequence[str], rows: Ints) -> dict[str, Ints]:
        """Return the columns of outputs: an array for each name, in their order.

        `rows` has the index of the line of source and references for each output: int64 [outputs].
        Raises InputError if the code fails, or returns no number.
        """
        # the items of all outputs: several if each reference is one
        items: list[Item] = []
        item_counts = []
        for output, line in zip(outputs, rows.tolist(), strict=True):
            texts: dict[str, Any] = {"outputs": output}
            for name, column in self.columns.items():
                texts[name] = column[line]
            item = tuple(texts.get(name, ()) for name in self.declared.reads)
            items_of_line = by_reference(item, self.declared)
            items += items_of_line
            item_counts.append(len(items_of_line))

        # their answers, computed in batches
        batch_size = self.code.plugin.batch_size
        batches = []
        for start in range(0, len(items), batch_size):
            batches.append(items[start : start + batch_size])
        result = self.call(Task(0, batches))
        answers = chain.from_iterable(result.answers)

        # the numbers of each output
        numbers_of_outputs = []
        for number, count in enumerate(item_counts, 1):
            answers_of_line = list(islice(answers, count))
            checked = self._checked(answers_of_line, f"outputs, item {number}")
            numbers_of_outputs.append(self.code.line_numbers(checked))
        return self.spec.columns_of(numbers_of_outputs)

    def _checked(self, answers: list[Any], position: str) -> list[Any]:
        """Return the answers of a line with a number for None; raises InputError for a failure."""
        for answer in answers:
            if isinstance(answer, Failure):
                raise InputError(answer.at(position))
        substitute = self.spec.substitute
        if None in answers and substitute is None:
            raise InputError(f"{position}: {self.declared.name} has no score")
        return [answer or substitute for answer in answers]


def _texts(lines: Lines) -> list[str]:
    return [line.decode() for line in lines.texts()]
