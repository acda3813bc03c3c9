"""Rewards for training: the sentence scores of any metric of texts, in the shapes that programs for
training call.

plain(metric)    reward(outputs, references, sources) -> list of numbers, for any program
trl(metric)      reward(prompts, completions, **columns), for TRL's GRPOTrainer and RLOOTrainer

None of these programs is imported. What is returned can be pickled, and used by several threads at
once. References come with their own output: one text, or a list of texts; outputs of one call may
have different numbers of references. Where there is no reference at all, the reward is `missing`:
by default None for TRL, else an error.

Errors are InputErrors, which name the item, counted from 1. `gec-pipeline help rewards` has
examples, and a table of what becomes of texts that are empty, missing or NaN."""

from collections.abc import Callable, Sequence
from functools import partial
from math import isnan
from typing import Any

from .errors import InputError
from .metrics.base.metric import Metric
from .metrics.build import MetricArgument, from_values
from .scorers import called, check_texts_scored, sentence_scores, texts_of
from .tokenizers.own_tokens import is_list

Extract = Callable[[str], str]
"""What takes the text to be scored out of an output."""

REFUSED = "refused"
"""What `missing` is where an output without any reference is an error."""


def plain(
    metric: MetricArgument, *, missing: float | None | str = REFUSED, extract: Extract | None = None
) -> Callable[..., list[Any]]:
    """Return reward(outputs, references, sources=None) -> list of numbers.

    `references` has one text, or a list of texts, for each output. `missing` is the reward of an
    output without any reference; without it there is an error. `extract` takes the text to be
    scored out of an output. Raises InputError for an unknown metric or setting, and for a metric
    that does not score texts."""
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
    prompts themselves. Sources are read where the metric needs them. Texts may be strings or
    conversations. Of a conversation the last message counts. `name` is what TRL calls the reward in
    its logs, by default the name of the metric. See plain() for the rest. Raises InputError as
    plain() does."""
    asked = _metric(metric)
    columns = [references, *([sources] if asked.spec.source else [])]
    reward = partial(_trl, plain(asked, missing=missing, extract=extract), columns)
    vars(reward)["__name__"] = name or asked.name
    return reward


def _metric(metric: MetricArgument) -> Metric:
    """Return the metric that is asked for; raises InputError unless it is one, and scores texts
    without a gold.
    """
    if is_list(metric):
        raise InputError(
            "metric: expected one metric, found a list; add up rewards of several, each with its weight"
        )
    (asked,) = from_values(metric)
    check_texts_scored(asked, gold=False)
    if asked.spec.corpus_pass:
        way = "pipeline.Scorer(metric, references) knows all, and its rewards(outputs, ids) scores some"
        message = f"{asked.name}: depends on all references of a data set, and a reward has its own alone: {way}"
        raise InputError(message)
    return asked


def _rewards(
    metric: Metric,
    missing: float | None | str,
    extract: Extract | None,
    outputs: Sequence[str],
    references: Sequence[Any],
    sources: Any = None,
) -> list[Any]:
    """Return the reward of each output. Raises InputError for what is no text, or has no partner."""
    texts = texts_of("outputs", outputs)
    if extract is not None:
        texts = texts_of("extract", [extract(text) for text in texts])
    own = _references(references, len(texts))
    if missing == REFUSED and [] in own:
        message = "there is none; say what the reward is then, such as missing=0.0"
        raise InputError(f"references, item {own.index([]) + 1}: {message}")
    source = None
    if metric.spec.source:
        if sources is None:
            raise InputError(
                "sources: the metric needs the source of each output, and there is none"
            )
        source = texts_of("sources", sources)
        if len(source) != len(texts):
            raise InputError(
                f"sources: expected one text for each output, {len(texts):,}; found {len(source):,}"
            )
    rewards: list[Any] = [missing] * len(texts)
    for count in {len(given) for given in own} - {0}:
        rows = [number for number, given in enumerate(own) if len(given) == count]
        sets = [[own[number][n] for number in rows] for n in range(count)]
        chosen = None if source is None else [source[number] for number in rows]
        scores = sentence_scores(metric, [texts[number] for number in rows], sets, chosen)
        for number, score in zip(rows, scores.tolist(), strict=True):
            rewards[number] = score
    return rewards


def _references(references: Any, outputs: int) -> list[list[str]]:
    """Return the references that each output has, without None and NaN; raises InputError."""
    wanted = "a text or a list of texts"
    if not is_list(references):
        raise InputError(
            f"references: expected {wanted} for each output, found {called(references)}"
        )
    if len(references) != outputs:
        raise InputError(
            f"references: expected {wanted} for each output, {outputs:,}; found {len(references):,}"
        )
    result = []
    for number, given in enumerate(references, 1):
        texts = given if is_list(given) else [given]
        own = [
            text
            for text in texts
            if not (text is None or (isinstance(text, float) and isnan(text)))
        ]
        for text in own:
            if not isinstance(text, str):
                raise InputError(
                    f"references, item {number}: expected {wanted}, found {called(text)}"
                )
        result.append(own)
    return result


def _trl(
    reward: Callable[..., list[Any]],
    needed: Sequence[str],
    prompts: Any,
    completions: Sequence[Any],
    **columns: Any,
) -> list[float | None]:
    """Return the reward of each completion. Raises InputError where a column is not there, and as
    plain() does.
    """
    columns["prompts"] = prompts
    for column in needed:
        if column not in columns:
            known = ", ".join(sorted(columns))
            raise InputError(
                f"there is no column '{column}'; there are {known}. Name the one to read in trl()"
            )
    sources = [_said(text) for text in columns[needed[1]]] if len(needed) > 1 else None
    return reward([_said(completion) for completion in completions], columns[needed[0]], sources)


def _said(text: Any) -> Any:
    """Return the text of a string, or of the last message of a conversation."""
    if isinstance(text, dict):
        text = [text]
    if not is_list(text) or not all(isinstance(message, dict) for message in text):
        return text
    content = text[-1].get("content") if text else None
    if content is not None and is_list(content):  # parts, of which some may be pictures
        content = "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    return "" if content is None else content
