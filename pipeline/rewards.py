"""Rewards for training: the sentence scores of any metric of texts, in the shapes that programs for training call.

plain(metric)    reward(outputs, references, sources) -> list of numbers
trl(metric)      reward(prompts, completions, **columns), for TRL's GRPOTrainer and RLOOTrainer
verl(metric)     compute_score(data_source, solution_str, ground_truth, extra_info), for verl; verl_batch(metric)
                 the same for its reward manager `batch`
corpus(metric)   score(items) -> number, for programs that score a corpus at the end, such as lm-evaluation-harness

None of these packages is imported. What is returned can be pickled, and used by several threads at once. References
come with their own output: one text, or a list of texts. What is no ordinary text follows the same rules everywhere:

- An empty output is scored as any other text. Mostly its score is 0.
- A message without content, such as one that calls a tool, is an empty output.
- None and NaN among the references of an output are left out; the others count. An empty text is a reference of
  length 0. Outputs of one call may have different numbers of references.
- Where an output has no reference at all, its reward is `missing`. By default that is None for TRL, which leaves the
  output out of this reward; elsewhere it is an error.
- None and NaN in place of an output, or of a source that the metric reads, are errors.

Errors are InputErrors, which name the item, counted from 1. `gec-pipeline help rewards` has examples.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from .api import evaluate
from .errors import InputError
from .metrics.build import from_values
from .scorers.checks import called, texts_of
from .scorers.pairs import sentence_scores
from .scorers.scorer import check_texts_scored
from .tokenizers.own_tokens import is_list

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .metrics.base.metric import Metric
    from .metrics.build import Asked

    Extract = Callable[[str], str]
    """What takes the text to be scored out of an output."""

REFUSED = "refused"
"""What `missing` is where an output without any reference is an error."""


def plain(
    metric: Asked, *, missing: float | None | str = REFUSED, extract: Extract | None = None
) -> Callable[..., list[Any]]:
    """Return reward(outputs, references, sources=None) -> list of numbers.

    `references` has one text, or a list of texts, for each output. `missing` is the reward of an output without any
    reference; without it there is an error. `extract` takes the text to be scored out of an output. Raises InputError
    for an unknown metric or setting, and for a metric that does not score texts.
    """
    return partial(_rewards, _metric(metric), missing, extract)


def trl(
    metric: Asked,
    *,
    references: str = "references",
    sources: str = "sources",
    missing: float | None | str = None,
    extract: Extract | None = None,
    name: str = "",
) -> Callable[..., list[float | None]]:
    """Return reward(prompts, completions, **columns) -> list of numbers, a reward function of TRL.

    `references` and `sources` are the names of columns of the data set; sources="prompts" means the prompts themselves.
    Sources are read where the metric needs them. Texts may be strings or conversations. Of a conversation the last
    message counts. `name` is what TRL calls the reward in its logs, by default the name of the metric.
    See plain() for the rest. Raises InputError as plain() does.
    """
    asked = _metric(metric)
    columns = [references, *([sources] if asked.needs.source else [])]
    return _named(name or asked.name, _trl, plain(asked, missing=missing, extract=extract), columns)


def verl(
    metric: Asked, *, sources: str = "source", missing: float | None | str = REFUSED, extract: Extract | None = None
) -> Callable[..., float]:
    """Return compute_score(data_source, solution_str, ground_truth, extra_info=None) -> number, as verl calls it.

    `ground_truth` is the reference, or a list of them. `sources` is the key of `extra_info` under which the source is,
    where the metric needs one. See plain() for the rest. Raises InputError as plain() does.
    """
    return _named("compute_score", _verl, plain(metric, missing=missing, extract=extract), sources)


def verl_batch(
    metric: Asked, *, sources: str = "source", missing: float | None | str = REFUSED, extract: Extract | None = None
) -> Callable[..., list[float]]:
    """Return compute_score(data_sources, solution_strs, ground_truths, extra_infos) -> list of numbers.

    verl's reward manager `batch` calls it so, once for all outputs of a step. The arguments are those of verl().
    """
    return _named("compute_score", _verl_batch, plain(metric, missing=missing, extract=extract), sources)


def corpus(metric: Asked) -> Callable[[Sequence[Sequence[Any]]], float]:
    """Return score(items) -> number, the score of a corpus.

    An item is (output, references) or (output, references, source). Its references are one text or a list of texts.
    Raises InputError as plain() does.
    """
    return _named("corpus_score", _corpus, _metric(metric))


def _named(name: str, function: Callable[..., Any], *settings: Any) -> Callable[..., Any]:
    """Return a function with settings that can be pickled, and has a name, by which trainers call it in their logs."""
    reward = partial(function, *settings)
    vars(reward)["__name__"] = name
    return reward


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
    source = _sources(sources, len(texts)) if metric.needs.source else None
    kept = [number for number, given in enumerate(own) if given]
    if len(kept) < len(own) and missing == REFUSED:
        item = next(number for number, given in enumerate(own, 1) if not given)
        raise InputError(f"references, item {item}: there is none; say what the reward is then, such as missing=0.0")
    rewards: list[Any] = [missing] * len(texts)
    for count in sorted({len(own[number]) for number in kept}):
        rows = [number for number in kept if len(own[number]) == count]
        sets = [[own[number][n] for number in rows] for n in range(count)]
        chosen = None if source is None else [source[number] for number in rows]
        scores = sentence_scores(metric, [texts[number] for number in rows], sets, chosen)
        for number, score in zip(rows, scores.tolist(), strict=True):
            rewards[number] = score
    return rewards


def _trl(
    reward: Callable[..., list[Any]], needed: Sequence[str], prompts: Any, completions: Sequence[Any], **columns: Any
) -> list[float | None]:
    """Return the reward of each completion. Raises InputError where a column is not there, and as plain() does."""
    columns["prompts"] = prompts
    for column in needed:
        if column not in columns:
            known = ", ".join(sorted(columns))
            raise InputError(f"there is no column '{column}'; there are {known}. Name the one to read in trl()")
    sources = [_said(text) for text in columns[needed[1]]] if len(needed) > 1 else None
    return reward([_said(completion) for completion in completions], columns[needed[0]], sources)


def _verl(
    reward: Callable[..., list[Any]],
    sources: str,
    data_source: Any,
    solution_str: str,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    **more: Any,
) -> float:
    """Return the reward of one output. Raises InputError as plain() does."""
    return _verl_batch(reward, sources, [data_source], [solution_str], [ground_truth], [extra_info], **more)[0]


def _verl_batch(
    reward: Callable[..., list[Any]],
    sources: str,
    data_sources: Any,
    solution_strs: Sequence[str],
    ground_truths: Any,
    extra_infos: Any,
    **more: Any,
) -> list[float]:
    """Return the reward of each output. Raises InputError as plain() does."""
    del data_sources, more
    return reward(solution_strs, ground_truths, [(info or {}).get(sources) for info in extra_infos])


def _corpus(metric: Metric, items: Sequence[Sequence[Any]]) -> float:
    """Return the score of all items together. Raises InputError as `evaluate` does."""
    if not is_list(items) or not all(is_list(item) and len(item) in (2, 3) for item in items):
        raise InputError("items: expected (output, references) or (output, references, source) for each")
    outputs = texts_of("outputs", [item[0] for item in items])
    own = _references([item[1] for item in items], len(outputs))
    source = None
    if metric.needs.source:
        source = _sources([item[2] if len(item) > 2 else None for item in items], len(outputs))
    most = max(map(len, own), default=0)
    sets = [[given[n] if n < len(given) else None for given in own] for n in range(most)]
    return float(evaluate(outputs, sets, source, metric)[0].score)


def _metric(metric: Asked) -> Metric:
    """Return the metric that is asked for; raises InputError unless it is one, and scores texts without a gold."""
    if is_list(metric):
        raise InputError("metric: expected one metric, found a list; add up rewards of several, each with its weight")
    (asked,) = from_values(metric)
    check_texts_scored(asked, gold=False)
    return asked


def _is_missing(text: object) -> bool:
    """Return whether a value stands for a text that is missing: None, or NaN as pandas has it."""
    return text is None or (isinstance(text, float) and text != text)  # noqa: PLR0124 (NaN is not itself)


def _references(references: Any, outputs: int) -> list[list[str]]:
    """Return the references that each output has; raises InputError."""
    if not is_list(references):
        raise InputError(f"references: expected a text or a list of texts for each output, found {called(references)}")
    if len(references) != outputs:
        message = f"expected a text or a list of texts for each output, {outputs:,}; found {len(references):,}"
        raise InputError(f"references: {message}")
    result = []
    for number, given in enumerate(references, 1):
        own = [text for text in (given if is_list(given) else [given]) if not _is_missing(text)]
        wrong = next((text for text in own if not isinstance(text, str)), None)
        if wrong is not None:
            raise InputError(f"references, item {number}: expected a text or a list of texts, found {called(wrong)}")
        result.append(own)
    return result


def _sources(sources: Any, outputs: int) -> list[str]:
    """Return the source of each output; raises InputError."""
    if sources is None or (is_list(sources) and all(map(_is_missing, sources)) and outputs):
        raise InputError("sources: the metric needs the source of each output, and there is none")
    texts = texts_of("sources", sources)
    if len(texts) != outputs:
        raise InputError(f"sources: expected one text for each output, {outputs:,}; found {len(texts):,}")
    return texts


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
