"""Scores inside other programs: texts are prepared once, and scored in calls with any lines, any
number of times.

A Scorer has references and sources of one metric. sentence_scores() is for texts that differ with
every call."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import kernel
from .api import results_of
from .arrays import Floats, Ints
from .data.corpus import MAX_REFERENCES, ONE, Corpus, corpus_in_memory, reference_sets
from .data.input_readers import GOLD, reader_of, takes_texts
from .data.inputs import TEXTS
from .data.texts import read_texts, text_in_memory
from .errors import InputError, LongTextError
from .evaluation import Evaluation
from .execution.count import PreparedCounts
from .kernel.common import join_lines
from .metrics.base.capabilities import reads_files, reference_rules
from .metrics.base.metric import Metric
from .metrics.base.statistics_spec import StatisticsSpec, Text, with_corpus_pass
from .metrics.build import MetricArgument, from_values
from .metrics.caller_tokens import OF_M2, has_own_tokens, with_own_tokens
from .metrics.prepared import prepared_text
from .prepare import complete, fit, text_warnings, without_source
from .scoring.aggregation import POLICIES
from .scoring.metric_results import Task, tasks_of
from .scoring.sentences import LineScores
from .tokenizers.own_tokens import (
    OwnTexts,
    References,
    Splitter,
    Texts,
    is_list,
    outputs_of,
    own_texts,
)

Integers = NDArray[np.integer]

WAYS = "for tokens take references=[[tokens, ...]], a list around each set, or a metric such as bleu[tok=own]"
KEPT = 256
"""Of how many metrics, at most, what does not depend on texts is kept."""


class Scorer:
    """References and sources that are checked and tokenised once, and score any outputs by one
    metric.

    All numbers are those of `evaluate`, bit for bit. Several threads may use a scorer at once. It
    can be pickled, so that processes can have it: it is then prepared anew where it is unpickled.
    Its memory does not grow with calls.

        scorer = pipeline.Scorer("bleu", references)
        scorer.sentences(outputs)                       # a score for each line
        scorer.rewards(["one", "another"], [7, 7])      # of two outputs for line 7, counted from 0
        scorer.score(outputs).score                     # of all lines together
    """

    metric: Metric
    """The metric, with all its settings."""
    lines: int
    """How many lines source and references have."""

    def __init__(
        self,
        metric: MetricArgument,
        references: References | None = None,
        sources: Texts | None = None,
        *,
        gold: str | Path | None = None,
        tokenizer: Splitter | None = None,
    ) -> None:
        """Check and prepare references and sources.

        The arguments are those of `evaluate`, with one metric. `gold` is an M2 file, for metrics of
        edits that score texts, such as m2; sources and references that are not given come from it.
        `tokenizer` splits outputs too. Where references are lists of tokens, outputs are, and even
        one set of references has a list around it. What looks wrong but can be scored is a warning
        (warnings.warn). Raises InputError for texts that do not fit together, for an unknown metric
        or setting, where a source is missing, and for a metric that does not score texts."""
        self._prepare(metric, references, sources, gold, tokenizer)
        for note in text_warnings([self._task]):
            warnings.warn(note, stacklevel=2)

    @classmethod
    def quiet(
        cls,
        metric: MetricArgument,
        references: Any,
        sources: Any,
        gold: str | None = None,
        tokenizer: Splitter | None = None,
    ) -> "Scorer":
        """Return a scorer that does not warn. The arguments, also `gold` and `tokenizer`, are those
        of Scorer.
        """
        scorer = cls.__new__(cls)
        cls._prepare(scorer, metric, references, sources, gold, tokenizer)
        return scorer

    def _prepare(
        self,
        metric: MetricArgument,
        references: Any,
        sources: Any,
        gold: str | Path | None,
        splitter: Any,
    ) -> None:
        if is_list(metric):
            raise InputError("metric: expected one metric, found a list; a Scorer has one")
        (asked,) = from_values(metric)
        check_texts_scored(asked)
        texts = own_texts(None, references, sources, splitter, expected=has_own_tokens(asked))
        self._own, self._splitter = bool(texts.tokenizer), splitter
        self.metric = with_own_tokens(asked, texts.tokenizer) if self._own else asked
        self._corpus = _corpus(self.metric, texts, gold)
        file = gold and str(Path(gold).absolute())
        self._given = (metric, _copied(references), _copied(sources), file, splitter)
        self.lines = self._corpus.lines
        self._task = Task.of(self.metric, self._corpus)
        self._counts = PreparedCounts(self._task.input, self.metric.spec)
        self._scores = LineScores(self.metric)

    def __reduce__(self) -> tuple[Any, ...]:
        return Scorer.quiet, self._given

    def __repr__(self) -> str:
        return f"<Scorer {self.lines} lines {self.signature}>"

    @property
    def signature(self) -> str:
        """The metric with all its settings, as `Result.signature` has it."""
        return self._task.signature

    def sentences(self, outputs: Texts) -> Floats:
        """Return the score of each line: float64 [lines]. `outputs` holds one text for each line,
        in order.

        Raises InputError for another number of outputs, and for an output that is no text.
        """
        return self._scored(self._all(outputs), self._counts.all_rows)

    def rewards(self, outputs: Texts, ids: Sequence[int] | Integers) -> Floats:
        """Return the score of each output with the line whose number, from 0, `ids` has: float64
        [outputs].

        Lines may come in any order, any number of times. The scores are those of `sentences` where
        each score depends on its own sentence alone. Of other metrics, such as cleme, they are
        those of a corpus of just these lines. Raises InputError for an output that is no text, for
        a line that does not exist, and for unequal numbers."""
        texts = self._texts(outputs)
        return self._scored(texts, rows_of(ids, len(texts), self.lines))

    def score(self, outputs: Texts) -> Evaluation:
        """Return the result of a corpus, as `evaluate` does. `outputs` holds one text for each
        line, in order.

        What looks wrong but can be scored is a warning (warnings.warn). Raises InputError as
        `sentences` does."""
        own = text_in_memory("outputs", self._all(outputs))
        views = {
            name: replace(view, systems={ONE: own}) for name, view in self._corpus.views.items()
        }
        corpora = complete([self.metric], [replace(self._corpus, systems={ONE: own}, views=views)])
        tasks = tasks_of([self.metric], corpora)
        systems = tasks[0].input.systems
        try:
            counted = {
                (name, self.metric.spec): self._counts.counts(read_texts(text, 0, text.lines))
                for name, text in systems.items()
            }
        except LongTextError as error:
            raise InputError(f"{self._place(error, self._counts.all_rows)}: {error.message}") from None
        evaluation = results_of(tasks, counted)
        for note in evaluation.warnings:
            warnings.warn(note, stacklevel=2)
        return evaluation

    def _texts(self, outputs: Texts) -> list[str]:
        """Return outputs as texts, with tokens of the caller as `own_tokens.py` writes them; raises
        InputError.
        """
        if self._own:
            return texts_of("outputs", outputs_of("outputs", outputs, self._splitter))
        try:
            return texts_of("outputs", outputs)
        except InputError:
            if is_list(outputs) and any(map(is_list, outputs)):
                raise InputError(
                    f"outputs: there are lists of tokens, and references are texts; {WAYS}"
                ) from None
            raise

    def _all(self, outputs: Texts) -> list[str]:
        """Return one output for each line; raises InputError."""
        texts = self._texts(outputs)
        if len(texts) != self.lines:
            raise InputError(
                f"outputs: expected one for each line, {self.lines:,}; found {len(texts):,}"
            )
        return texts

    def _place(self, error: LongTextError, rows: Ints) -> str:
        """Return where a text is that is too long to be counted."""
        if error.text < self._counts.references:
            return f"references[{error.text}], item {rows[error.line] + 1}"
        return f"outputs, item {error.line + 1}"

    def _scored(self, outputs: Sequence[str], rows: Ints) -> Floats:
        """Return the scores of outputs; raises InputError for text that cannot be counted."""
        if not outputs:
            return np.zeros(0)
        try:
            columns = self._counts.columns(outputs, rows)
        except UnicodeEncodeError:
            text_in_memory("outputs", outputs)  # says which of them UTF-8 cannot hold
            raise
        except LongTextError as error:
            raise InputError(f"{self._place(error, rows)}: {error.message}") from None
        annotators = self.metric.spec.input != TEXTS  # who may have no line
        return self._scores.of(columns, missing=annotators or self._counts.missing is not None)


def check_texts_scored(metric: Metric, *, gold: bool = True) -> None:
    """Raise InputError for a metric whose outputs are no texts, or are texts that have to be
    annotated first.

    `gold` says whether there may be an M2 file, which metrics such as m2 need.
    """
    if reads_files(metric):
        raise InputError(f"{metric.name}: reads files of numbers, and no texts")
    if metric.spec.corpus_pass and metric.spec.corpus_pass.of_systems:
        raise InputError(
            f"{metric.name}: depends on all systems of a run together; score them with pipeline.evaluate"
        )
    if metric.spec.input != TEXTS and takes_texts(metric.spec.input) and not gold:
        raise InputError(
            f"{metric.name}: compares edits with those of an M2 file: pipeline.Scorer(..., gold=FILE)"
        )
    if not takes_texts(metric.spec.input):
        message = "compares edits of outputs, which have to be annotated first; score M2 files, or texts, with"
        raise InputError(f"{metric.name}: {message} pipeline.evaluate")


def _corpus(metric: Metric, texts: OwnTexts, gold: str | Path | None) -> Corpus:
    """Return source and references, checked, without outputs; raises InputError."""
    references, sources, own = texts.references, texts.sources, bool(texts.tokenizer)
    if gold is not None and own:
        raise InputError(OF_M2)
    if gold is not None:
        corpus = reader_of(GOLD).in_memory(gold, {}, references, sources, {metric.spec.input})
    elif references is None and (sources is None or metric.spec.references):
        raise InputError(
            "references: there are none; give a list of texts for each reference set, or gold=FILE"
        )
    else:
        corpus = corpus_in_memory({}, references, sources, own_tokens=own)
    problems = fit([metric], [corpus])
    if problems:
        raise InputError(problems)
    if metric.spec.source and corpus.source is None:
        raise InputError(without_source(metric.name, metric.hint, "sources=[...]"))
    return corpus


def _copied(texts: Any) -> Any:
    """Return lists of texts as tuples, which a caller cannot change later."""
    return (
        tuple(_copied(text) if is_list(text) else text for text in texts)
        if texts is not None
        else None
    )


def texts_of(name: str, values: Any) -> list[str]:
    """Return values as a list of texts; raises InputError for what is no list, and for an item that
    is no text.
    """
    if not is_list(values):
        raise InputError(f"{name}: expected a list of texts, found {type(values).__name__}")
    texts = list(values)
    if not all(issubclass(kind, str) for kind in set(map(type, texts))):
        number = next(number for number, text in enumerate(texts, 1) if not isinstance(text, str))
        raise InputError(
            f"{name}, item {number}: expected a text, found {called(texts[number - 1])}"
        )
    return texts


def rows_of(ids: Any, outputs: int, lines: int) -> Ints:
    """Return the numbers of lines as int64 [outputs].

    Raises InputError for another number of them than outputs, and for what is no number of a line.
    """
    try:
        array = np.asarray(ids)
    except ValueError:  # lists of different lengths
        array = np.asarray(None)
    if array.ndim != 1:
        raise InputError("ids: expected a list with the number of a line for each output")
    if array.dtype.kind not in "iu" and array.size:
        for place, item in enumerate(np.asarray(ids, object).tolist(), 1):
            if isinstance(item, bool) or not isinstance(item, int | np.integer):
                raise InputError(
                    f"ids, item {place}: expected the number of a line, found {called(item)}"
                )
        raise InputError("ids: expected numbers of lines, and these are too large")
    rows: Ints = array.astype(np.int64, copy=False)
    if len(rows) != outputs:
        raise InputError(f"ids: expected one for each output, {outputs:,}; found {len(rows):,}")
    wrong = (rows < 0) | (rows >= lines)
    if wrong.any():
        place = int(wrong.argmax())
        raise InputError(
            f"ids, item {place + 1}: expected the number of a line, 0 to {lines - 1}, found {rows[place]}"
        )
    return rows


def called(value: object) -> str:
    """Return how messages call a value that is not what was expected."""
    return (
        "None"
        if value is None
        else f"{float(value)!r}"
        if isinstance(value, float)
        else type(value).__name__
    )


def sentence_scores(
    metric: MetricArgument,
    outputs: Texts,
    references: References,
    sources: Texts | None = None,
    *,
    tokenizer: Splitter | None = None,
) -> Floats:
    """Return the score of each output with its own references: float64 [outputs].

    `outputs`, `references` and `sources` are those of `evaluate`, with one system and one metric,
    and so are the numbers, bit for bit. Use it for texts that differ with every call. Where
    references stay the same, a `Scorer` is faster. There are no warnings about what only looks
    wrong. Raises InputError as `evaluate` does, and for a metric that does not score texts.
    `tokenizer`, and lists of tokens in place of texts, are as in `evaluate` too."""
    asked, *others = from_values(metric)
    if others:
        raise InputError(f"metric: expected one metric, found a list of {1 + len(others)}")
    texts = own_texts(outputs, references, sources, tokenizer, expected=has_own_tokens(asked))
    asked = with_own_tokens(asked, texts.tokenizer) if texts.tokenizer else asked
    quick = _quickly(asked, texts.hypotheses, texts.references, texts.sources)
    if quick is not None:
        return quick
    if (
        not texts.tokenizer
    ):  # a Scorer knows no outputs, by whose number it could tell what each list is of
        sets, _ = reference_sets(references, outputs, None)
        references = references if "references" in sets else list(sets.values())
    return Scorer.quiet(
        asked if texts.tokenizer else metric, references, sources, None, tokenizer
    ).sentences(outputs)


def _quickly(metric: Metric, outputs: Any, references: Any, sources: Any) -> Floats | None:
    """Return the scores of ordinary texts; None for others, of which the longer way says what is
    wrong, and where.
    """
    sets = [references] if _is_texts(references) else references
    every = (
        [outputs, *([] if sources is None else [sources]), *sets]
        if isinstance(sets, list | tuple) and sets
        else []
    )
    plain = every and all(map(_is_texts, every)) and len(set(map(len, every))) == 1
    if plain and (way := _way(metric, len(sets), sources is not None, kernel.name())):
        try:
            spec, scores = way
            source = (
                join_lines(map(str.encode, sources))
                if sources is not None and spec.source
                else None
            )
            text = Text(
                source, [join_lines(map(str.encode, reference)) for reference in sets], [], {}
            )
            ready = prepared_text(spec, with_corpus_pass(spec, text))
            return scores.of(ready.count(outputs, np.arange(len(outputs))), missing=False)
        except (UnicodeEncodeError, LongTextError):
            pass
    return None


def _is_texts(values: Any) -> bool:
    return isinstance(values, list | tuple) and set(map(type, values)) == {str}


@lru_cache(KEPT)
def _way(
    metric: Metric, references: int, has_source: bool, kernel_used: str
) -> tuple[StatisticsSpec, LineScores] | None:
    """Return what a metric counts of complete texts, and the way from counts to scores; None where
    it cannot.

    The way depends on the kernel that is used.
    """
    del kernel_used
    if (
        metric.spec.input != TEXTS
        or reads_files(metric)
        or metric.spec.unavailable()
        or references > MAX_REFERENCES
    ):
        return None
    if (metric.spec.corpus_pass and metric.spec.corpus_pass.of_systems) or (
        metric.spec.source and not has_source
    ):
        return None
    reason = reference_rules(metric).misfit(references) or POLICIES[metric.policy].misfit(
        metric, references, missing=False
    )
    return None if reason else (metric.spec, LineScores(metric))
