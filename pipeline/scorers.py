"""Scores inside other programs: references are prepared once, and outputs scored in many calls.

A Scorer has references and sources of one metric. sentence_scores() is for texts that differ with
every call.
"""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.metrics import bind_tokens

from . import kernel
from .api import corpus_of_call, results_of
from .arrays import Floats, Ints
from .data import TEXTS, Corpus, InputReader, MemoryText, text_warnings
from .errors import InputError, LongTextError
from .evaluation import Evaluation
from .execution import PreparedCounts, Task, tasks_of
from .kernel.common import join_lines
from .metrics import MetricArgument, from_values
from .metrics.base import Metric, StatisticsSpec, Text
from .prepare import complete, fit, without_source
from .scoring import POLICIES, SentenceScores
from .tokenizers import OwnTexts, References, Splitter, Texts, is_list

Integers = NDArray[np.integer]

TOKENS_REMEDY = (
    "for tokens take references=[[tokens, ...]], a list around each set, or a metric such as "
    "bleu[tok=own]"
)
MAX_CACHED_METRICS = 256
"""How many metrics have their formulas cached."""


class Scorer:
    """References and sources, prepared once, with which outputs are scored by one metric.

    All numbers are those of `evaluate`, bit for bit. Several threads may use a scorer at once. It
    can be pickled for other processes, and is prepared anew when it is unpickled. Its memory does
    not grow with calls.

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
        `tokenizer` splits outputs too. If references are lists of tokens, outputs have to be, and
        even one set of references has a list around it. Suspicious texts that can be scored are
        warnings (warnings.warn). Raises InputError for texts that do not fit together, for an
        unknown metric or setting, for a missing source, and for a metric that does not score texts.
        """
        self._prepare(metric, references, sources, gold, tokenizer)
        for note in text_warnings(self._task.corpus, [self._task.metric]):
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
        """Return a scorer that does not warn.

        The arguments, also `gold` and `tokenizer`, are those of Scorer.
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
        resolved = single_metric(metric)
        check_texts_scored(resolved)
        (self.metric,), texts = bind_tokens(
            [resolved], None, references, sources, splitter
        )
        self._has_tokens = bool(texts.tokenizer)
        self._splitter = splitter
        self._corpus = _corpus(self.metric, texts, gold)
        file = str(Path(gold).absolute()) if gold else gold
        self._arguments = (
            metric,
            _as_tuples(references),
            _as_tuples(sources),
            file,
            splitter,
        )
        self.lines = self._corpus.lines
        self._task = Task.of(self.metric, self._corpus)
        self._counts = PreparedCounts(self._task.input, self.metric.spec)
        self._scores = SentenceScores(self.metric)

    def __reduce__(self) -> tuple[Any, ...]:
        return Scorer.quiet, self._arguments

    def __repr__(self) -> str:
        return f"<Scorer {self.lines} lines {self.signature}>"

    @property
    def signature(self) -> str:
        """The metric with all its settings, as `Result.signature` has it."""
        return self._task.signature

    def sentences(self, outputs: Texts) -> Floats:
        """Return the score of each line: float64 [lines].

        `outputs` holds one text for each line, in order. Raises InputError for another number of
        outputs, and for an output that is no text.
        """
        return self._score_lines(
            self._one_for_each_line(outputs), self._counts.all_rows
        )

    def rewards(self, outputs: Texts, ids: Sequence[int] | Integers) -> Floats:
        """Return the score of each output with a line: float64 [outputs].

        `ids` has the number of the line, from 0, of each output. Lines may come in any order, any
        number of times. The scores are those of `sentences` if each score depends on its own
        sentence alone. For other metrics, such as cleme, they are those of a corpus of just these
        lines. Raises InputError for an output that is no text, for a line that does not exist, and
        for unequal numbers.
        """
        texts = self._texts(outputs)
        return self._score_lines(texts, rows_of(ids, len(texts), self.lines))

    def score(self, outputs: Texts) -> Evaluation:
        """Return the result of a corpus, as `evaluate` does.

        `outputs` holds one text for each line, in order. Suspicious texts that can be scored are
        warnings (warnings.warn). Raises InputError as `sentences` does.
        """
        text = MemoryText.of("outputs", self._one_for_each_line(outputs))
        views = {}
        for name, view in self._corpus.views.items():
            views[name] = replace(view, systems={Corpus.SINGLE_SYSTEM: text})
        corpus = replace(
            self._corpus, systems={Corpus.SINGLE_SYSTEM: text}, views=views
        )
        tasks = tasks_of([self.metric], complete([self.metric], [corpus]))
        counted = {}
        try:
            for name, system in tasks[0].input.systems.items():
                lines = system.read(0, system.lines)
                counted[name, self.metric.spec] = self._counts.counts(lines)
        except LongTextError as error:
            item = self._item(error, self._counts.all_rows)
            raise InputError(f"{item}: {error.message}") from None
        evaluation = results_of(tasks, counted)
        for note in evaluation.warnings:
            warnings.warn(note, stacklevel=2)
        return evaluation

    def _texts(self, outputs: Texts) -> list[str]:
        """Return outputs as texts, with tokens of the caller as `own_tokens.py` writes them.

        Raises InputError.
        """
        if self._has_tokens:
            return texts_of(
                "outputs", OwnTexts.outputs("outputs", outputs, self._splitter)
            )
        try:
            return texts_of("outputs", outputs)
        except InputError:
            if is_list(outputs) and any(map(is_list, outputs)):
                message = "there are lists of tokens, and references are texts"
                raise InputError(
                    f"outputs: {message}; {TOKENS_REMEDY}"
                ) from None
            raise

    def _one_for_each_line(self, outputs: Texts) -> list[str]:
        """Return one output for each line; raises InputError."""
        texts = self._texts(outputs)
        if len(texts) != self.lines:
            raise InputError(
                f"outputs: expected one for each line, {self.lines:,}; found {len(texts):,}"
            )
        return texts

    def _item(self, error: LongTextError, rows: Ints) -> str:
        """Return the argument and item with a text that is too long to be counted."""
        if error.text < self._counts.references:
            return f"references[{error.text}], item {rows[error.line] + 1}"
        return f"outputs, item {error.line + 1}"

    def _score_lines(self, outputs: Sequence[str], rows: Ints) -> Floats:
        """Return the scores of outputs; raises InputError for text that cannot be counted."""
        if not outputs:
            return np.zeros(0)
        try:
            columns = self._counts.columns(outputs, rows)
        except UnicodeEncodeError:
            MemoryText.of("outputs", outputs)  # raises the error with the item
            raise
        except LongTextError as error:
            raise InputError(
                f"{self._item(error, rows)}: {error.message}"
            ) from None
        # lines of theirs may be missing
        has_annotators = self.metric.spec.input != TEXTS
        return self._scores.of_lines(
            columns, missing=has_annotators or self._counts.missing is not None
        )


def single_metric(metric: MetricArgument, remedy: str = "") -> Metric:
    """Return the metric of an argument; raises InputError if it is wrong, or stands for several.

    `remedy` says what to do instead.
    """
    metrics = from_values(metric)
    if len(metrics) == 1:
        return metrics[0]
    message = f"metric: expected one metric, found a list of {len(metrics)}"
    raise InputError(f"{message}; {remedy}" if remedy else message)


def check_texts_scored(metric: Metric, *, gold: bool = True) -> None:
    """Raise InputError for a metric that does not score texts, or needs them annotated first.

    `gold` says whether there may be an M2 file, which metrics such as m2 need.
    """
    view = metric.spec.input
    if metric.reads_files:
        raise InputError(f"{metric.name}: reads files of numbers, and no texts")
    if metric.spec.corpus_pass and metric.spec.corpus_pass.of_systems:
        raise InputError(
            f"{metric.name}: depends on all systems of a run together; "
            "score them with pipeline.evaluate"
        )
    if view != TEXTS and InputReader.of(view).takes_texts(view) and not gold:
        raise InputError(
            f"{metric.name}: compares edits with those of an M2 file: "
            "pipeline.Scorer(..., gold=FILE)"
        )
    if not InputReader.of(view).takes_texts(view):
        raise InputError(
            f"{metric.name}: compares edits of outputs, which have to be annotated first; "
            "score M2 files, or texts, with pipeline.evaluate"
        )


def _corpus(metric: Metric, texts: OwnTexts, gold: str | Path | None) -> Corpus:
    """Return source and references, checked, without outputs; raises InputError."""
    needs_references = metric.spec.references or texts.sources is None
    if gold is None and texts.references is None and needs_references:
        raise InputError(
            "references: there are none; give a list of texts for each reference set, or gold=FILE"
        )
    corpus = corpus_of_call([metric], texts._replace(hypotheses={}), gold)
    problems = fit([metric], [corpus])
    if problems:
        raise InputError(problems)
    if metric.spec.source and corpus.source is None:
        raise InputError(
            without_source(metric.name, metric.hint, "sources=[...]")
        )
    return corpus


def _as_tuples(texts: Any) -> Any:
    """Return lists of texts as tuples, which a caller cannot change later."""
    if texts is None:
        return None
    return tuple(_as_tuples(text) if is_list(text) else text for text in texts)


def texts_of(name: str, values: Any) -> list[str]:
    """Return values as a list of texts; raises InputError for anything else."""
    if not is_list(values):
        raise InputError(
            f"{name}: expected a list of texts, found {type(values).__name__}"
        )
    texts = list(values)
    if not all(issubclass(kind, str) for kind in set(map(type, texts))):
        number = next(
            number
            for number, text in enumerate(texts, 1)
            if not isinstance(text, str)
        )
        value = type_name(texts[number - 1])
        raise InputError(
            f"{name}, item {number}: expected a text, found {value}"
        )
    return texts


def rows_of(ids: Any, outputs: int, lines: int) -> Ints:
    """Return the numbers of lines as int64 [outputs].

    Raises InputError for another number of them than outputs, and for one that is not of a line.
    """
    try:
        array = np.asarray(ids)
    except ValueError:  # lists of different lengths
        array = np.asarray(None)
    if array.ndim != 1:
        raise InputError(
            "ids: expected a list with the number of a line for each output"
        )
    if array.dtype.kind not in "iu" and array.size:
        for number, item in enumerate(np.asarray(ids, object).tolist(), 1):
            if isinstance(item, bool) or not isinstance(item, int | np.integer):
                value = type_name(item)
                raise InputError(
                    f"ids, item {number}: expected the number of a line, found {value}"
                )
        raise InputError(
            "ids: expected numbers of lines, and these are too large"
        )
    rows: Ints = array.astype(np.int64, copy=False)
    if len(rows) != outputs:
        raise InputError(
            f"ids: expected one for each output, {outputs:,}; found {len(rows):,}"
        )
    wrong = (rows < 0) | (rows >= lines)
    if wrong.any():
        index = int(wrong.argmax())
        raise InputError(
            f"ids, item {index + 1}: expected the number of a line, 0 to {lines - 1}, "
            f"found {rows[index]}"
        )
    return rows


def type_name(value: object) -> str:
    """Return the type of an unexpected value, or the value if it is None or a number."""
    if value is None:
        return "None"
    if isinstance(value, float):
        return f"{float(value)!r}"
    return type(value).__name__


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
    and so are the numbers, bit for bit. Use it for texts that differ with every call. If references
    stay the same, a `Scorer` is faster. There are no warnings about suspicious texts. Raises
    InputError as `evaluate` does, and for a metric that does not score texts. `tokenizer`, and
    lists of tokens in place of texts, are as in `evaluate` too.
    """
    (bound_metric,), texts = bind_tokens(
        [single_metric(metric)], outputs, references, sources, tokenizer
    )
    scores = _fast_scores(
        bound_metric, texts.hypotheses, texts.references, texts.sources
    )
    if scores is not None:
        return scores
    if texts.tokenizer:
        scorer = Scorer.quiet(
            bound_metric, references, sources, None, tokenizer
        )
        return scorer.sentences(outputs)
    # a Scorer has no outputs, by whose number it could infer whether each list is of a line
    sets, _ = Corpus.reference_sets(references, outputs, None)
    if "references" not in sets:
        references = list(sets.values())
    return Scorer.quiet(metric, references, sources, None, tokenizer).sentences(
        outputs
    )


def _fast_scores(
    metric: Metric, outputs: Any, references: Any, sources: Any
) -> Floats | None:
    """Return the scores of ordinary texts.

    None for all others; the longer way raises the errors, with positions.
    """
    sets = [references] if _is_texts(references) else references
    if not isinstance(sets, list | tuple) or not sets:
        return None
    all_texts = [outputs, *sets]
    if sources is not None:
        all_texts.append(sources)
    if not all(map(_is_texts, all_texts)) or len(set(map(len, all_texts))) > 1:
        return None
    formula = _formula(metric, len(sets), sources is not None, kernel.name())
    if formula is None:
        return None
    spec, line_scores = formula
    try:
        source = None
        if sources is not None and spec.source:
            source = join_lines(map(str.encode, sources))
        encoded = [join_lines(map(str.encode, reference)) for reference in sets]
        text = Text(source, encoded, [], {})
        prepared = spec.prepared(spec.with_corpus_pass(text))
        columns = prepared.count(outputs, np.arange(len(outputs)))
        return line_scores.of_lines(columns, missing=False)
    except (UnicodeEncodeError, LongTextError):
        return None


def _is_texts(values: Any) -> bool:
    return isinstance(values, list | tuple) and set(map(type, values)) == {str}


@lru_cache(MAX_CACHED_METRICS)
def _formula(
    metric: Metric, references: int, has_source: bool, kernel_name: str
) -> tuple[StatisticsSpec, SentenceScores] | None:
    """Return the statistics of a metric, and its scores of them, for texts without missing ones.

    None if there is no fast way. The scores depend on the kernel.
    """
    del kernel_name  # part of the cache key
    spec = metric.spec
    if spec.input != TEXTS or metric.reads_files or spec.unavailable():
        return None
    if references > Corpus.MAX_REFERENCES or (spec.source and not has_source):
        return None
    if spec.corpus_pass and spec.corpus_pass.of_systems:
        return None
    if metric.misfit(references):
        return None
    if POLICIES[metric.policy].misfit(metric, references, missing=False):
        return None
    return spec, SentenceScores(metric)
