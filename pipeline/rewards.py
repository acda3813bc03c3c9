"""Rewards for training: the sentence scores of any metric of texts, in the shapes that programs for
training call.

plain(metric)    reward(outputs, references, sources) -> list of numbers, for any program
trl(metric)      reward(prompts, completions, **columns), for TRL's GRPOTrainer and RLOOTrainer

None of these programs is imported. What is returned can be pickled, and used by several threads at
once. References come with their output: one text, or a list of texts; outputs of one call may have
different numbers of references. Without any reference the reward is `missing`: by default None for
TRL, else an error.

Errors are InputErrors, which name the item, counted from 1. `gec-pipeline help rewards` has
examples, and a table of the treatment of texts that are empty, missing or NaN.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import isnan
from typing import Any

from .errors import InputError
from .metrics import MetricArgument
from .metrics.base import Metric
from .scorers import (
    check_texts_scored,
    sentence_scores,
    single_metric,
    texts_of,
    type_name,
)
from .tokenizers import is_list

Extract = Callable[[str], str]
"""Returns the text to be scored from an output."""

REFUSED = "refused"
"""The value of `missing` that makes an output without any reference an error."""


def plain(
    metric: MetricArgument,
    *,
    missing: float | None | str = REFUSED,
    extract: Extract | None = None,
) -> Callable[..., list[Any]]:
    """Return reward(outputs, references, sources=None) -> list of numbers.

    `references` has one text, or a list of texts, for each output. `missing` is the reward of an
    output without any reference; without it there is an error. `extract` returns the text to be
    scored from an output. Raises InputError for an unknown metric or setting, and for a metric that
    does not score texts.
    """
    return partial(_rewards, _metric(metric), missing, extract)


def trl(
    metric: MetricArgument,
    *,
    references: str = "references",
    sources: str = "sources",
    missing: float | None | str = None,
    extract: Extract | None = None,
    name: str = "",
) -> Callable[..., list[float | None]]:
    """Return reward(prompts, completions, **columns) -> list of numbers, a reward function of TRL.

    `references` and `sources` are the names of columns of the data set; sources="prompts" means the
    prompts themselves. Sources are read if the metric needs them. Texts may be strings or
    conversations, whose last message counts. `name` is the name of the reward in the logs of TRL,
    by default that of the metric. See plain() for the rest. Raises InputError as plain() does.
    """
    resolved = _metric(metric)
    columns = [references]
    if resolved.spec.source:
        columns.append(sources)
    reward = partial(
        _trl, plain(resolved, missing=missing, extract=extract), columns
    )
    vars(reward)["__name__"] = name or resolved.name
    return reward


def _metric(metric: MetricArgument) -> Metric:
    """Return the metric; raises InputError unless it is a single one that scores texts without
    gold edits.
    """
    resolved = single_metric(
        metric, "add up rewards of several, each with its weight"
    )
    check_texts_scored(resolved, gold=False)
    if resolved.spec.corpus_pass:
        problem = "depends on all references of a data set, and a reward has its own alone"
        scorer = "pipeline.Scorer(metric, references) knows all"
        remedy = f"{scorer}, and its rewards(outputs, ids) scores some"
        raise InputError(f"{resolved.name}: {problem}: {remedy}")
    return resolved


def _rewards(
    metric: Metric,
    missing: float | None | str,
    extract: Extract | None,
    outputs: Sequence[str],
    references: Sequence[Any],
    sources: Any = None,
) -> list[Any]:
    """Return the reward of each output. Raises InputError for anything else than texts, and for
    lists of different lengths.
    """
    texts = texts_of("outputs", outputs)
    if extract is not None:
        texts = texts_of("extract", [extract(text) for text in texts])
    references_of = _references(references, len(texts))
    if missing == REFUSED and [] in references_of:
        number = references_of.index([]) + 1
        remedy = "say what the reward is then, such as missing=0.0"
        raise InputError(f"references, item {number}: there is none; {remedy}")
    source_texts = None
    if metric.spec.source:
        if sources is None:
            problem = (
                "the metric needs the source of each output, and there is none"
            )
            raise InputError(f"sources: {problem}")
        source_texts = texts_of("sources", sources)
        if len(source_texts) != len(texts):
            expected = f"expected one text for each output, {len(texts):,}"
            raise InputError(
                f"sources: {expected}; found {len(source_texts):,}"
            )
    # outputs with equal numbers of references are scored together
    rows_of: dict[int, list[int]] = {}
    for row, row_references in enumerate(references_of):
        if row_references:
            rows_of.setdefault(len(row_references), []).append(row)
    rewards: list[Any] = [missing] * len(texts)
    for rows in rows_of.values():
        row_texts = [texts[row] for row in rows]
        reference_sets = list(
            zip(*(references_of[row] for row in rows), strict=True)
        )
        row_sources = None
        if source_texts is not None:
            row_sources = [source_texts[row] for row in rows]
        scores = sentence_scores(metric, row_texts, reference_sets, row_sources)
        for row, score in zip(rows, scores.tolist(), strict=True):
            rewards[row] = score
    return rewards


def _references(references: Any, outputs: int) -> list[list[str]]:
    """Return the references that each output has, without None and NaN; raises InputError."""
    expected = "expected a text or a list of texts"
    if not is_list(references):
        actual = type_name(references)
        raise InputError(
            f"references: {expected} for each output, found {actual}"
        )
    if len(references) != outputs:
        actual = f"{len(references):,}"
        raise InputError(
            f"references: {expected} for each output, {outputs:,}; found {actual}"
        )
    result = []
    for number, item in enumerate(references, 1):
        texts = []
        for text in item if is_list(item) else [item]:
            if isinstance(text, str):
                texts.append(text)
            elif not _is_missing(text):
                actual = type_name(text)
                raise InputError(
                    f"references, item {number}: {expected}, found {actual}"
                )
        result.append(texts)
    return result


def _is_missing(text: Any) -> bool:
    """Return whether a reference is None or NaN, as tables have it."""
    return text is None or (isinstance(text, float) and isnan(text))


def _trl(
    reward: Callable[..., list[Any]],
    needed: Sequence[str],
    prompts: Any,
    completions: Sequence[Any],
    **columns: Any,
) -> list[float | None]:
    """Return the reward of each completion. Raises InputError if a column is missing, and as
    plain() does.

    `needed` are the columns of references and, if the metric needs them, of sources.
    """
    columns["prompts"] = prompts
    for column in needed:
        if column not in columns:
            known = ", ".join(sorted(columns))
            problem = f"there is no column '{column}'; there are {known}"
            raise InputError(f"{problem}. Name the one to read in trl()")
    references, *source_columns = (columns[column] for column in needed)
    sources = None
    if source_columns:
        sources = list(map(_message_text, source_columns[0]))
    return reward(list(map(_message_text, completions)), references, sources)


def _message_text(text: Any) -> Any:
    """Return the text of a string, or of the last message of a conversation."""
    if isinstance(text, dict):
        text = [text]
    if not is_list(text) or not all(
        isinstance(message, dict) for message in text
    ):
        return text
    content = text[-1].get("content") if text else None
    if content is not None and is_list(content):  # parts, also pictures
        content = "".join(
            part.get("text") or "" for part in content if isinstance(part, dict)
        )
    return "" if content is None else content
