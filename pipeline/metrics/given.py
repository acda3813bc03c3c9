"""What programs of users bring along: texts prepared once for many outputs, tokens of their own, and sums of counts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from ..errors import InputError, did_you_mean
from ..kernel.common import Lines, join_lines
from ..tokenizers import OWN, is_own
from .base.capabilities import reads_files
from .base.needs import Text
from .build import from_values

if TYPE_CHECKING:
    from ..arrays import Ints
    from .base.metric import Metric
    from .base.needs import Field, Needs
    from .base.options import Option
    from .build import Asked


OF_M2 = "gold: the texts of an M2 file are split already, at blanks; give texts, and no tokens of your own"
"""The message where tokens of the caller stand beside an M2 file."""


def has_own_tokens(metric: Metric) -> bool:
    """Return whether a metric is for tokens of the caller."""
    option = _option_of(type(metric))
    return option is not None and is_own(str(getattr(metric, option.attribute)))


def with_own_tokens(metric: Metric, tokenizer: str) -> Metric:
    """Return a metric for tokens of the caller, which signatures call `tokenizer`: own, or own+NAME.

    Raises InputError for a metric that does not count tokens, and for options that change texts.
    """
    option = _option_of(type(metric))
    if option is None:
        joined = "[' '.join(tokens) for tokens in ...]"
        raise InputError(f"{metric.name} cannot score tokens of your own: it splits texts itself; give texts: {joined}")
    value = str(getattr(metric, option.attribute))
    if is_own(value):
        return metric if tokenizer == OWN else _changed(metric, option, tokenizer)
    settings = {each.name: getattr(metric, each.attribute) for each in metric.options if each is not option}
    if option.applies and not option.applies(metric):
        raise InputError(f"{metric.name} cannot score tokens of your own here: {option.why}")
    if value != option.default_of(settings):
        raise InputError(f"{metric.name}: {option.name} {value} has no effect on tokens of your own; leave it out")
    changed = _changed(metric, option, tokenizer)
    for each in metric.options:
        was_set = getattr(metric, each.attribute) != each.default_of({**settings, option.name: value})
        if was_set and each.applies and each.applies(metric) and not each.applies(changed):
            raise InputError(f"{metric.name}: {each.name}: has no effect on tokens of your own; leave it out")
    for name, problem in changed.conflicts():
        raise InputError(f"{metric.name}: {name}: {problem}")
    return changed


@cache
def _option_of(metric: type[Metric]) -> Option | None:
    return next((option for option in metric.options if option.beside == OWN), None)


def _changed(metric: Metric, option: Option, value: str) -> Metric:
    changed: Metric = replace(cast("Any", metric), **{option.attribute: value})
    return changed


def external_named(metrics: Iterable[Metric], scores: Mapping[str, Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return what a config would say of numbers in memory whose title no metric has; counts have 3 columns."""
    titles = {metric.output for metric in metrics if reads_files(metric)}
    forms = {title: np.ndim(next(iter(systems.values()), 0)) for title, systems in scores.items()}
    return [
        {"name": "external", "title": title, "score": "f_beta" if form == 2 else "mean"}
        for title, form in forms.items()
        if title not in titles
    ]


LEVELS = ("mean", "sum")
"""The levels whose scores are not made of sums of counts."""


def score_counts(metric: Asked, totals: Mapping[str, float | Sequence[float]]) -> dict[str, float]:
    """Return the outputs of a metric, the score first, from the sums of its counts over a corpus.

    `metric` is a name, a signature, a mapping or a metric, as `evaluate` takes it. `totals` has a number for each term
    of the metric, or a list of numbers where the term has orders: {"match": [8, 5, 3, 2], "hyp_len": 9, ...}. Scores
    are fractions. `metric` at the level mean has no score of sums.

    Raises InputError for unknown metrics, and for names that are wrong or lacking, and what is no number.
    """
    (measure,) = from_values([metric])
    if measure.level in LEVELS:
        levels = next((option.choices or () for option in measure.options if option.name == "level"), ())
        other = next((level for level in levels if level not in LEVELS), "")
        hint = f"; ask for {measure.name}[level={other}]" if other else ""
        raise InputError(
            f"{measure.name}: level: {measure.level} is made of sentence scores, not of sums of counts{hint}"
        )
    if not isinstance(totals, Mapping):
        raise InputError(f"totals: expected a mapping of names to numbers, found {type(totals).__name__}")
    names = [field.name for field in measure.terms]
    for name in totals:
        if name not in names:
            hint = did_you_mean(str(name), names) or f"; {measure.name} has {', '.join(names)}"
            raise InputError(f"totals: {measure.name} has no sum called '{name}'{hint}")
    for field in measure.terms:
        if field.name not in totals and not field.spare:
            needed = [field.name for field in measure.terms if not field.spare]
            raise InputError(f"totals: {field.name} is missing; {measure.name} needs {', '.join(needed)}")
    arrays: dict[str, Any] = {field.name: _array(field, totals.get(field.name, 0)) for field in measure.terms}
    return {name: float(value) for name, value in measure.score(arrays).items()}


def _array(field: Field, value: Any) -> Any:
    """Return the numbers of a term as an array; raises InputError as score_counts() does."""
    listed = isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)
    if field.orders and not (listed and len(value) == field.orders):
        expected = f"expected a list of {field.orders} numbers, one for each order"
        raise InputError(f"totals: {field.name}: {expected}, found {value!r}")
    values = [_number(field.name, one) for one in (value if field.orders else [value])]
    whole = all(float(one).is_integer() for one in values) and not field.real
    return np.array(values if field.orders else values[0], np.int64 if whole else np.float64)


def _number(name: str, value: Any) -> float:
    """Return a finite number; raises InputError for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise InputError(f"totals: {name}: expected a number, found {value!r}")
    if not math.isfinite(value):
        raise InputError(f"totals: {name}: expected a number, found {value}")
    return value if isinstance(value, int) else float(value)


class Prepared(Protocol):
    """Source and references, prepared for the columns of some needs. Several threads may use an object at once."""

    def count(self, outputs: Sequence[str], rows: Ints) -> dict[str, Ints]:
        """Return the columns of outputs, as Needs.count() does, each with the line whose number `rows` has.

        `rows` is int64 [outputs]. Raises UnicodeEncodeError for text that UTF-8 cannot hold, and LongTextError for a
        text that is too long to be counted, whose line is the number of the output.
        """


def prepared(needs: Needs, text: Text) -> Prepared:
    """Return the source and the references of a text prepared for needs.

    Needs that can prepare more than lines have a method `prepare`, with the same argument. It returns None for settings
    for which there is no prepared form.
    """
    prepare = getattr(needs, "prepare", None)
    own: Prepared | None = prepare(text) if prepare else None
    return own or Gathered(needs, text)


@dataclass(frozen=True)
class Gathered:
    """The prepared form of any needs: lines, which are counted anew with each output."""

    needs: Needs
    text: Text
    """Source and references, what is known of them, and no outputs."""

    def count(self, outputs: Sequence[str], rows: Ints) -> dict[str, Ints]:
        """Return the columns of outputs, as Prepared.count() does."""
        text, own = self.text, join_lines([output.encode() for output in outputs])
        source = text.source and _taken(text.source, rows)
        references = [_taken(reference, rows) for reference in text.references]
        missing = None if text.missing is None else text.missing[rows]
        (columns,) = self.needs.count(Text(source, references, [own], {}, (), rows, text.whole, missing))
        return {name: np.ascontiguousarray(column) for name, column in columns.items()}


def _taken(lines: Lines, rows: Ints) -> Lines:
    """Return the lines that rows names, one after the other."""
    starts, ends = lines.starts[rows].tolist(), lines.ends[rows].tolist()
    return join_lines([lines.data[start:end] for start, end in zip(starts, ends, strict=True)])
