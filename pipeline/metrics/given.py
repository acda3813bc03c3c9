"""What programs of users bring along: texts prepared once for many outputs, and tokens of their
own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Protocol, cast

import numpy as np

from ..arrays import Ints
from ..errors import InputError
from ..kernel.common import Lines, join_lines
from ..tokenizers import OWN, is_own
from .base.capabilities import reads_files
from .base.metric import Metric
from .base.options import Option
from .base.statistics_spec import StatisticsSpec, Text

OF_M2 = "gold: the texts of an M2 file are split already, at blanks; give texts, and no tokens of your own"
"""The message where tokens of the caller stand beside an M2 file."""


def has_own_tokens(metric: Metric) -> bool:
    """Return whether a metric is for tokens of the caller."""
    option = _option_of(type(metric))
    return option is not None and is_own(str(getattr(metric, option.attribute)))


def with_own_tokens(metric: Metric, tokenizer: str) -> Metric:
    """Return a metric for tokens of the caller, which signatures call `tokenizer`: own, or
    own+NAME.

    Raises InputError for a metric that does not count tokens, and for options that change texts.
    """
    option = _option_of(type(metric))
    if option is None:
        joined = "[' '.join(tokens) for tokens in ...]"
        raise InputError(
            f"{metric.name} cannot score tokens of your own: it splits texts itself; give texts: "
            f"{joined}"
        )
    value = str(getattr(metric, option.attribute))
    if is_own(value):
        return metric if tokenizer == OWN else _changed(metric, option, tokenizer)
    settings = {
        each.name: getattr(metric, each.attribute) for each in metric.options if each is not option
    }
    if option.applies and not option.applies(metric):
        raise InputError(f"{metric.name} cannot score tokens of your own here: {option.why}")
    if value != option.default_of(settings):
        raise InputError(
            f"{metric.name}: {option.name} {value} has no effect on tokens of your own; leave it "
            f"out"
        )
    changed = _changed(metric, option, tokenizer)
    for each in metric.options:
        was_set = getattr(metric, each.attribute) != each.default_of(
            {**settings, option.name: value}
        )
        if was_set and each.applies and each.applies(metric) and not each.applies(changed):
            raise InputError(
                f"{metric.name}: {each.name}: has no effect on tokens of your own; leave it out"
            )
    for name, problem in changed.conflicts():
        raise InputError(f"{metric.name}: {name}: {problem}")
    return changed


@cache
def _option_of(metric: type[Metric]) -> Option | None:
    return next((option for option in metric.options if option.beside == OWN), None)


def _changed(metric: Metric, option: Option, value: str) -> Metric:
    changed: Metric = replace(cast("Any", metric), **{option.attribute: value})
    return changed


def external_named(
    metrics: Iterable[Metric], scores: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, str]]:
    """Return what a config would say of numbers in memory whose title no metric has; counts have 3
    columns.
    """
    titles = {metric.output for metric in metrics if reads_files(metric)}
    forms = {title: np.ndim(next(iter(systems.values()), 0)) for title, systems in scores.items()}
    return [
        {"name": "external", "title": title, "score": "f_beta" if form == 2 else "mean"}
        for title, form in forms.items()
        if title not in titles
    ]


class Prepared(Protocol):
    """Source and references, prepared for the columns of some needs. Several threads may use an
    object at once.
    """

    def count(self, outputs: Sequence[str], rows: Ints) -> dict[str, Ints]:
        """Return the columns of outputs, as Needs.count() does, each with the line whose number
        `rows` has.

        `rows` is int64 [outputs]. Raises UnicodeEncodeError for text that UTF-8 cannot hold, and
        LongTextError for a text that is too long to be counted, whose line is the number of the
        output."""


def prepared(spec: StatisticsSpec, text: Text) -> Prepared:
    """Return the source and the references of a text prepared for needs.

    Needs that can prepare more than lines have a method `prepare`, with the same argument. It
    returns None for settings for which there is no prepared form."""
    prepare = getattr(spec, "prepare", None)
    own: Prepared | None = prepare(text) if prepare else None
    return own or Gathered(spec, text)


@dataclass(frozen=True)
class Gathered:
    """The prepared form of any needs: lines, which are counted anew with each output."""

    spec: StatisticsSpec
    text: Text
    """Source and references, and what the survey of the needs has found."""

    def count(self, outputs: Sequence[str], rows: Ints) -> dict[str, Ints]:
        """Return the columns of outputs, as Prepared.count() does."""
        source = self.text.source and _taken(self.text.source, rows)
        references = [_taken(reference, rows) for reference in self.text.references]
        own = join_lines([output.encode() for output in outputs])
        missing = None if self.text.missing is None else self.text.missing[rows]
        given = Text(
            source, references, [own], {}, rows=rows, missing=missing, whole=self.text.whole
        )
        (columns,) = self.spec.count(given)
        return {name: np.ascontiguousarray(column) for name, column in columns.items()}


def _taken(lines: Lines, rows: Ints) -> Lines:
    starts, ends = lines.starts[rows].tolist(), lines.ends[rows].tolist()
    return join_lines([lines.data[start:end] for start, end in zip(starts, ends, strict=True)])
