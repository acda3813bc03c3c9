"""The names of sacrebleu.metrics: BLEU, chrF and TER, with their scores and signatures."""

import logging
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from ...tokenizers import SPECIAL
from ..texts import (
    WrongTypeError,
    WrongValueError,
    lines_of,
    metric_of,
    sums_of,
)

if TYPE_CHECKING:
    from ...kernel.common import Lines
    from ...metrics.base import Metric as OwnMetric

__all__ = ["BLEU", "CHRF", "TER", "BLEUScore", "CHRFScore"]

LOGGER = logging.getLogger("pipeline.compat.sacrebleu")
MIN_TOKENIZED_LINES = 100
"""Lines that end in " ." from which there is a warning, without `force`."""
LOG_OF_ZERO = -9999999999.0
"""The logarithm of a precision of 0."""
SMOOTH_DEFAULTS: dict[str, float] = {"floor": 0.1, "add-k": 1}
"""The kinds of smoothing that have a value, with their default value."""
Streams = Sequence[Sequence[str | None]]
"""References: a list for each annotator, with a text or None for each line."""


class Score:
    """A score in percent, and how it is printed."""

    def __init__(self, name: str, score: float, verbose: str = "") -> None:
        self.name = name
        self.score = score
        self._verbose = verbose

    def format(
        self, width: int = 2, score_only: bool = False, signature: str = ""
    ) -> str:
        """Return the score as text with `width` decimals, as sacreBLEU prints it."""
        score = f"{self.score:.{width}f}"
        if score_only:
            return score
        name = f"{self.name}|{signature}" if signature else self.name
        return f"{name} = {score} {self._verbose}".rstrip()

    def __repr__(self) -> str:
        return self.format()


Scored = TypeVar("Scored", bound=Score)


class Metric(ABC, Generic[Scored]):
    """A metric with its settings."""

    def __init__(self, counted: "OwnMetric", signed: "OwnMetric") -> None:
        """Take the metric of this program that counts, and the one whose signature is sacreBLEU's."""
        self._counted = counted
        self._signed = signed
        self.num_refs: int | None = None

    def corpus_score(
        self, hypotheses: Sequence[str], references: Streams
    ) -> Scored:
        """Return the score of a corpus.

        `references` has a list for each annotator, with None for a line without a reference. Raises
        InputError for texts that do not fit together.
        """
        from ...metrics.base import Text

        *reference_lines, output = _texts(hypotheses, references)
        # bool [lines, references]
        present = np.array(
            [list(map(_is_present, stream)) for stream in references]
        ).T
        reference_counts = present.sum(axis=1)
        if not reference_counts.all():
            item = reference_counts.argmin() + 1
            raise WrongValueError(f"item {item} has no reference at all")
        (columns,) = self._counted.spec.count(
            Text(None, reference_lines, [output])
        )
        # Signatures say so if lines have different numbers of references.
        self.num_refs = -1
        if (reference_counts == reference_counts[0]).all():
            self.num_refs = int(reference_counts[0])
        return self._score(sums_of(self._counted, columns, present))

    def sentence_score(
        self, hypothesis: str, references: Sequence[str | None]
    ) -> Scored:
        """Return the score of a sentence with its references. Raises InputError for anything else
        than texts.
        """
        if not isinstance(hypothesis, str):
            raise WrongTypeError(
                f"hypothesis: expected a text, found {type(hypothesis).__name__}"
            )
        _check_list("references", references)
        return self.corpus_score(
            [hypothesis], [[reference] for reference in references]
        )

    def get_signature(self) -> str:
        """Return the signature of the last score. Raises WrongValueError before the first one."""
        if self.num_refs is None:
            raise WrongValueError(
                "the number of references is not known yet: score something first"
            )

        signature = self._signed.peer_signature(
            self.num_refs, missing=self.num_refs == -1
        )
        if signature is None:
            raise WrongValueError(
                f"sacreBLEU has no signature for these settings: {self._signed}"
            )
        return signature.partition("|")[2]

    def _outputs(self, sums: dict[str, Any]) -> list[float]:
        """Return the outputs of the metric from sums of its terms; the first is the score, a
        fraction.
        """
        totals = {
            name: np.array(value, np.int64) for name, value in sums.items()
        }
        return list(map(float, self._counted.score(totals).values()))

    @abstractmethod
    def _score(self, sums: dict[str, Any]) -> Scored:
        """Return the score from sums of the terms of the metric."""


def _is_present(reference: str | None) -> bool:
    return reference is not None


def _texts(hypotheses: Sequence[str], references: Streams) -> "list[Lines]":
    """Return the references of each annotator as lines for the kernel, and the hypotheses last.
    Raises InputError if they are no lists of texts, or differ in length.
    """
    _check_list("hypotheses", hypotheses)
    if not hypotheses:
        raise WrongValueError("hypotheses: the list is empty")
    if not references:
        raise WrongValueError("there are no references")
    _check_list("references", references)
    # All lists are checked before any text is.
    named = {}
    for index, stream in enumerate(references):
        name = f"references[{index}]"
        _check_list(name, stream)
        if len(stream) != len(hypotheses):
            sizes = f"{len(stream)} texts, and there are {len(hypotheses)} hypotheses"
            raise WrongValueError(f"{name} has {sizes}")
        named[name] = stream
    texts = [lines_of(name, stream) for name, stream in named.items()]
    return [*texts, lines_of("hypotheses", hypotheses)]


def _check_list(name: str, value: object) -> None:
    """Raise WrongTypeError unless a value is a list; `name` is its name in messages."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise WrongTypeError(
            f"{name}: expected a list of texts, found {type(value).__name__}"
        )


class BLEUScore(Score):
    """A BLEU score, with the numbers from which it is computed."""

    def __init__(
        self,
        score: float,
        counts: list[int],
        totals: list[int],
        precisions: list[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        self.counts = counts
        self.totals = totals
        self.precisions = precisions
        self.bp = bp
        self.sys_len = sys_len
        self.ref_len = ref_len
        self.prec_str = "/".join(f"{precision:.1f}" for precision in precisions)
        self.ratio = sys_len / ref_len if ref_len else 0
        lengths = f"ratio = {self.ratio:.3f} hyp_len = {sys_len:d} ref_len = {ref_len:d}"
        super().__init__(
            "BLEU", score, f"{self.prec_str} (BP = {bp:.3f} {lengths})"
        )


class BLEU(Metric[BLEUScore]):
    """BLEU as sacreBLEU computes it."""

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = 4,
        effective_order: bool = False,
        trg_lang: str = "",
    ) -> None:
        if smooth_value is None:
            smooth_value = SMOOTH_DEFAULTS.get(smooth_method, 0.0)
        settings: dict[str, Any] = {
            "tokenizer": tokenize or SPECIAL.get(trg_lang, "13a"),
            "lowercase": lowercase,
            "smoothing": smooth_method,
            "effective_order": "yes" if effective_order else "no",
        }
        if smooth_method in SMOOTH_DEFAULTS:
            settings["smoothing_value"] = f"{Decimal(str(smooth_value)):f}"
        counted = metric_of("bleu", order=max_ngram_order, **settings)
        super().__init__(counted, metric_of("bleu", **settings))
        self.effective_order = effective_order
        self._force = force
        self._smooth_method = smooth_method
        self._smooth_value = smooth_value
        self._order = max_ngram_order

    def corpus_score(
        self, hypotheses: Sequence[str], references: Streams
    ) -> BLEUScore:
        """Return the BLEU of a corpus, with a warning if many lines look tokenised."""
        score = super().corpus_score(hypotheses, references)
        tokenized_lines = sum(text.endswith(" .") for text in hypotheses)
        if not self._force and tokenized_lines >= MIN_TOKENIZED_LINES:
            LOGGER.warning(
                "%d or more lines end in ' .', as tokenised text does; BLEU is for text that is "
                "not tokenised. force=True leaves this warning out",
                MIN_TOKENIZED_LINES,
            )
        return score

    def sentence_score(
        self, hypothesis: str, references: Sequence[str | None]
    ) -> BLEUScore:
        """Return the BLEU of a sentence with its references, with a warning without effective
        order.
        """
        if not self.effective_order:
            LOGGER.warning(
                "BLEU of single sentences is better with effective_order=True"
            )
        return super().sentence_score(hypothesis, references)

    def _score(self, sums: dict[str, Any]) -> BLEUScore:
        """Return the score, in percent, from the sums of matching and all n-grams by order, and of
        the lengths of output and reference.
        """
        correct = sums["match"]
        total = sums["total"]
        sys_len = sums["hyp_len"]
        ref_len = sums["ref_len"]
        if sys_len >= ref_len:
            brevity = 1.0
        elif sys_len > 0:
            brevity = math.exp(1 - ref_len / sys_len)
        else:
            brevity = 0.0
        precisions = [0.0] * self._order
        score = 0.0
        if any(correct):
            last_order = self._smooth(precisions, correct, total)
            orders = self._order
            if self.effective_order and last_order:
                orders = last_order
            log_sum = sum(map(_log, precisions[:orders]))
            score = brevity * math.exp(log_sum / orders)
        return BLEUScore(
            score, correct, total, precisions, brevity, sys_len, ref_len
        )

    def _smooth(
        self, precisions: list[float], correct: list[Any], total: list[Any]
    ) -> int:
        """Set `precisions` in percent, smoothed, from the numbers of matching and all n-grams of
        each order. Return the last order with n-grams.

        With the smoothing add-k, the value is added to the counts themselves, which the score
        shows, as in sacreBLEU. Products and quotients are in the order of sacreBLEU, so that the
        same decimals are printed."""
        divisor = 1.0  # of exp: doubles with each order without matches
        for n in range(len(precisions)):
            if self._smooth_method == "add-k" and n > 0:
                correct[n] += self._smooth_value
                total[n] += self._smooth_value
            if total[n] == 0:
                return n
            if correct[n] > 0:
                precisions[n] = 100.0 * correct[n] / total[n]
            elif self._smooth_method == "exp":
                divisor *= 2
                precisions[n] = 100.0 / (divisor * total[n])
            elif self._smooth_method == "floor":
                precisions[n] = 100.0 * self._smooth_value / total[n]
        return len(precisions)


def _log(precision: float) -> float:
    return LOG_OF_ZERO if precision == 0 else math.log(precision)


class CHRFScore(Score):
    """A chrF score. Its name has a + for each order of words."""

    def __init__(
        self, score: float, char_order: int, word_order: int, beta: int
    ) -> None:
        super().__init__(f"chrF{beta}{'+' * word_order}", score)
        self.char_order = char_order
        self.word_order = word_order
        self.beta = beta


class CHRF(Metric[CHRFScore]):
    """chrF as sacreBLEU computes it, with word_order=2 chrF++."""

    def __init__(
        self,
        char_order: int = 6,
        word_order: int = 0,
        beta: int = 2,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
    ) -> None:
        orders: dict[str, Any] = {
            "char_order": char_order,
            "word_order": word_order,
            "beta": str(beta),
        }
        metric = metric_of(
            "chrf",
            **orders,
            lowercase=lowercase,
            whitespace=whitespace,
            eps_smoothing=eps_smoothing,
        )
        super().__init__(metric, metric)
        self.char_order = char_order
        self.word_order = word_order
        self.beta = beta

    def _score(self, sums: dict[str, Any]) -> CHRFScore:
        return CHRFScore(
            100 * self._outputs(sums)[0],
            self.char_order,
            self.word_order,
            self.beta,
        )


class TERScore(Score):
    """A TER score. The lower it is, the better."""

    def __init__(self, score: float, num_edits: int, ref_length: float) -> None:
        super().__init__("TER", score)
        self.num_edits = num_edits
        self.ref_length = ref_length


class TER(Metric[TERScore]):
    """TER as sacreBLEU computes it."""

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
    ) -> None:
        settings = {
            "normalized": normalized,
            "no_punct": no_punct,
            "asian_support": asian_support,
        }
        metric = metric_of("ter", **settings, case_sensitive=case_sensitive)
        super().__init__(metric, metric)

    def _score(self, sums: dict[str, Any]) -> TERScore:
        score, edits, length = self._outputs(sums)
        return TERScore(100 * score, int(edits), length)
