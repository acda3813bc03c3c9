"""The names of sacrebleu.metrics: BLEU, chrF and TER, with their scores and signatures."""

from __future__ import annotations

import logging
import math
import os
import statistics
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np

from ... import kernel
from ...errors import did_you_mean
from ...tokenizers import sacrebleu
from ...tokenizers.tercom import Tercom
from ...tokenizers.tokenization import Tokenization
from ..texts import (
    UnavailableError,
    WrongTypeError,
    WrongValueError,
    check_order,
    closest_lengths,
    lengths,
    lines_of,
    matches,
    totals,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from ...arrays import Floats, Ints
    from ...kernel.common import Lines

__all__ = ["BLEU", "CHRF", "TER", "BLEUScore", "CHRFScore"]

LOGGER = logging.getLogger("pipeline.compat.sacrebleu")
TOKENIZED = 100
"""So many lines that end in " ." get a warning, unless it is forbidden by `force`."""
LOG_OF_ZERO = -9999999999.0
"""What stands for the logarithm of a precision of 0."""
EPSILON = 1e-16
"""With eps_smoothing this stands for a precision, recall or F-score without n-grams."""
ABBREVIATIONS = {"nrefs": "#", "seed": "rs", "case": "c", "version": "v"}
"""Short names of the parts of signatures that all metrics have."""
Streams = Sequence[Sequence[str | None]]
"""References: a list for each annotator, with a text or None for each line."""


class Score:
    """A score in percent, and what is printed of it."""

    def __init__(self, name: str, score: float) -> None:
        self.name, self.score = name, score
        self._mean = self._ci = -1.0
        self._verbose = ""

    def format(self, width: int = 2, score_only: bool = False, signature: str = "") -> str:
        """Return the score as text with `width` decimals, as sacreBLEU prints it."""
        shown = f"{self.score:.{width}f}"
        if self._mean > 0:
            shown += f" (μ = {self._mean:.{width}f} ± {self._ci:.{width}f})"
        if score_only:
            return shown
        named = f"{self.name}|{signature}" if signature else self.name
        return f"{named} = {shown} {self._verbose}".rstrip()

    def keep_interval(self, scores: Iterable[Score]) -> None:
        """Keep the mean of the scores of bootstrap samples, and half of their interval of 95%."""
        ordered = sorted(score.score for score in scores)
        cut = len(ordered) // 40
        self._mean, self._ci = statistics.mean(ordered), (ordered[-cut - 1] - ordered[cut]) / 2

    def __repr__(self) -> str:
        return self.format()


class Signature:
    """What a score depends on. `info` has it by name; format() returns it as one word."""

    def __init__(self, info: dict[str, Any], abbreviations: Mapping[str, str]) -> None:
        self.info, self.abbreviations = info, abbreviations

    def format(self, short: bool = False) -> str:
        """Return the parts that have a value, joined by |. `short` takes short names of parts."""
        parts = []
        for name, value in self.info.items():
            shown = ("no", "yes")[value] if isinstance(value, bool) else value
            if value is not None:
                parts.append(f"{self.abbreviations.get(name, name) if short else name}:{shown}")
        return "|".join(parts)

    def __repr__(self) -> str:
        return self.format()


Scored = TypeVar("Scored", bound=Score)


class Metric(ABC, Generic[Scored]):
    """A metric with its settings.

    References that are given when it is made serve all calls that are given None.
    """

    abbreviations: ClassVar[Mapping[str, str]] = {}
    """Short names of the parts of its signatures, beside those that all metrics share."""

    def __init__(self, references: Streams | None) -> None:
        self._references = references
        self.n_bootstrap: int | None = None
        self.seed: str | None = None
        self.num_refs: int | None = None

    def corpus_score(self, hypotheses: Sequence[str], references: Streams | None, n_bootstrap: int = 1) -> Scored:
        """Return the score of a corpus.

        `references` has a list for each annotator, with None where an annotator has nothing for a line. If it is None,
        the references count that the metric was made with. With `n_bootstrap` above 1 the score also has the mean and
        the interval over so many bootstrap samples, drawn as sacreBLEU draws them.
        Raises InputError for texts that do not fit together.
        """
        counts = self._count(*self._texts(hypotheses, references or self._references))
        score = self._score(counts.cumsum(axis=0)[-1].tolist())  # added one after the other, as in sacreBLEU
        if n_bootstrap > 1:
            self.n_bootstrap, self.seed = n_bootstrap, os.environ.get("SACREBLEU_SEED", "12345").lower()
            drawn = np.random.default_rng(None if self.seed == "none" else int(self.seed))
            lines = len(counts)
            weights = (np.bincount(drawn.integers(0, lines, lines), minlength=lines) for _ in range(n_bootstrap))
            score.keep_interval(self._score((weight @ counts).tolist()) for weight in weights)
        return score

    def sentence_score(self, hypothesis: str, references: Sequence[str | None]) -> Scored:
        """Return the score of a sentence with its references. Raises InputError for what is no text."""
        if not isinstance(hypothesis, str):
            raise WrongTypeError(f"hypothesis: expected a text, found {type(hypothesis).__name__}")
        _check_list("references", references)
        return self.corpus_score([hypothesis], [[reference] for reference in references])

    def get_signature(self) -> Signature:
        """Return the signature of what was scored last. Raises WrongValueError where nothing was scored yet."""
        if self.num_refs is None:
            raise WrongValueError("the number of references is not known yet: score something first")
        from ...metrics.base.options import SACREBLEU

        references = "var" if self.num_refs == -1 else self.num_refs
        info = {"nrefs": references, "bs": self.n_bootstrap, "seed": self.seed, **self._settings()}
        return Signature(info | {"version": SACREBLEU}, {**ABBREVIATIONS, **self.abbreviations})

    def _texts(self, hypotheses: Sequence[str], references: Streams | None) -> tuple[list[Lines], NDArray[np.bool_]]:
        """Return references and hypotheses as lines, and which references there are: bool [lines, references].

        Raises InputError for texts that do not fit together.
        """
        _check_list("hypotheses", hypotheses)
        if not hypotheses:
            raise WrongValueError("hypotheses: the list is empty")
        if not references:
            raise WrongValueError("there are no references, neither here nor in the metric")
        _check_list("references", references)
        for number, stream in enumerate(references):
            _check_list(f"references[{number}]", stream)
            if len(stream) != len(hypotheses):
                sizes = f"{len(stream)} texts, and there are {len(hypotheses)} hypotheses"
                raise WrongValueError(f"references[{number}] has {sizes}")
        texts = [lines_of(f"references[{number}]", stream) for number, stream in enumerate(references)]
        there = np.array([[text is not None for text in stream] for stream in references]).T
        counts = there.sum(axis=1)
        if not counts.all():
            raise WrongValueError(f"item {counts.argmin() + 1} has no reference at all")
        self.num_refs = int(counts[0]) if (counts == counts[0]).all() else -1
        return [*texts, lines_of("hypotheses", hypotheses)], there

    @abstractmethod
    def _count(self, texts: list[Lines], there: NDArray[np.bool_]) -> Ints | Floats:
        """Return the counts of each line: int64 [lines, counts], float64 where lengths are means."""

    @abstractmethod
    def _score(self, sums: list[Any]) -> Scored:
        """Return the score of sums of counts."""

    @abstractmethod
    def _settings(self) -> dict[str, Any]:
        """Return the parts of the signature that the settings make."""


def _check_list(name: str, value: object) -> None:
    """Raise WrongTypeError for what is no list; `name` is what messages call it."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise WrongTypeError(f"{name}: expected a list of texts, found {type(value).__name__}")


class BLEUScore(Score):
    """A BLEU score, with the numbers that it is made of."""

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
        super().__init__("BLEU", score)
        self.counts, self.totals, self.precisions = counts, totals, precisions
        self.bp, self.sys_len, self.ref_len = bp, sys_len, ref_len
        self.prec_str = "/".join(f"{precision:.1f}" for precision in precisions)
        self.ratio = sys_len / ref_len if ref_len else 0
        lengths = f"ratio = {self.ratio:.3f} hyp_len = {sys_len:d} ref_len = {ref_len:d}"
        self._verbose = f"{self.prec_str} (BP = {bp:.3f} {lengths})"


class BLEU(Metric[BLEUScore]):
    """BLEU as sacreBLEU computes it."""

    abbreviations: ClassVar[dict[str, str]] = {"eff": "e", "smooth": "s"}
    SMOOTH_DEFAULTS: ClassVar[dict[str, float | None]] = {"none": None, "floor": 0.1, "add-k": 1, "exp": None}
    """The kinds of smoothing, with the value that a kind has by default."""
    TOKENIZERS: ClassVar[dict[str, str]] = {
        "none": "whitespace",
        "char": "nonspace",
        **{name: name for name in ("13a", "zh", "intl")},
        **{name: name for name, borrowed in sacrebleu.BORROWED.items() if borrowed.package == "sacrebleu"},
    }
    """The tokenisers by sacreBLEU's names, with the names that they have in this program."""

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
        references: Streams | None = None,
    ) -> None:
        super().__init__(references)
        check_order("max_ngram_order", max_ngram_order)
        _check_smoothing(smooth_method)
        self.lowercase, self.trg_lang, self._force = lowercase, trg_lang, force
        self.smooth_method, self.smooth_value = smooth_method, smooth_value
        self.max_ngram_order, self.effective_order = max_ngram_order, effective_order
        name = tokenize or sacrebleu.SPECIAL.get(trg_lang, "13a")
        if name not in self.TOKENIZERS:
            raise WrongValueError(f"tokenize: sacreBLEU has no '{name}'{did_you_mean(name, self.TOKENIZERS)}")
        self.tokenization = Tokenization(self.TOKENIZERS[name], lowercase=lowercase)
        reason = self.tokenization.unavailable()
        if reason:
            raise UnavailableError(reason)
        self.tokenizer_signature = sacrebleu.signature(name) if name in sacrebleu.BORROWED else name
        if tokenize and sacrebleu.SPECIAL.get(trg_lang, name) != name:
            LOGGER.warning("tokenize: %s is what %s is usually split by", sacrebleu.SPECIAL[trg_lang], trg_lang)

    @staticmethod
    def compute_bleu(
        correct: list[int],
        total: list[int],
        sys_len: int,
        ref_len: int,
        smooth_method: str = "none",
        smooth_value: float | None = None,
        effective_order: bool = False,
        max_ngram_order: int = 4,
    ) -> BLEUScore:
        """Return BLEU of counts: matches and n-grams of each order, and both lengths.

        With the smoothing add-k, the value is added to the lists `correct` and `total` themselves, as in sacreBLEU.
        """
        _check_smoothing(smooth_method)
        value = BLEU.SMOOTH_DEFAULTS[smooth_method] if smooth_value is None else smooth_value
        brevity = 1.0 if sys_len >= ref_len else math.exp(1 - ref_len / sys_len) if sys_len > 0 else 0.0
        precisions = [0.0] * max_ngram_order
        if not any(correct):
            return BLEUScore(0.0, correct, total, precisions, brevity, sys_len, ref_len)
        reached = _smoothed(precisions, correct, total, smooth_method, value)
        orders = (reached if effective_order else 0) or max_ngram_order
        logs = [LOG_OF_ZERO if precision == 0 else math.log(precision) for precision in precisions[:orders]]
        score = brevity * math.exp(sum(logs) / orders)
        return BLEUScore(score, correct, total, precisions, brevity, sys_len, ref_len)

    def corpus_score(self, hypotheses: Sequence[str], references: Streams | None, n_bootstrap: int = 1) -> BLEUScore:
        """Return the BLEU of a corpus. Where many lines look tokenised there is a warning."""
        score = super().corpus_score(hypotheses, references, n_bootstrap)
        if not self._force and sum(text.endswith(" .") for text in hypotheses) >= TOKENIZED:
            LOGGER.warning(
                "%d or more lines end in ' .', as tokenised text does; BLEU is for text that is not tokenised. "
                "force=True leaves this warning out",
                TOKENIZED,
            )
        return score

    def sentence_score(self, hypothesis: str, references: Sequence[str | None]) -> BLEUScore:
        """Return the BLEU of a sentence with its references. Without effective order there is a warning."""
        if not self.effective_order:
            LOGGER.warning("BLEU of single sentences is better with effective_order=True")
        return super().sentence_score(hypothesis, references)

    def _count(self, texts: list[Lines], there: NDArray[np.bool_]) -> Ints:
        """Return both lengths, matches and n-grams of each line: int64 [lines, 2 + 2 orders]."""
        encoded = self.tokenization.encode(texts)
        match = matches(encoded, self.max_ngram_order, "union_match")
        *reference_sizes, sizes = (lengths(text) for text in encoded)
        closest = closest_lengths(sizes, np.stack(reference_sizes, axis=-1), there)
        return np.concatenate((sizes[:, None], closest[:, None], match, totals(sizes, self.max_ngram_order)), axis=1)

    def _score(self, sums: list[int]) -> BLEUScore:
        cut = 2 + self.max_ngram_order
        settings = self.smooth_method, self.smooth_value, self.effective_order, self.max_ngram_order
        return self.compute_bleu(sums[2:cut], sums[cut:], sums[0], sums[1], *settings)

    def _settings(self) -> dict[str, Any]:
        default = self.SMOOTH_DEFAULTS[self.smooth_method]
        value = default if self.smooth_value is None else self.smooth_value
        return {
            "case": "lc" if self.lowercase else "mixed",
            "eff": "yes" if self.effective_order else "no",
            "tok": self.tokenizer_signature,
            "smooth": self.smooth_method + (f"[{value:.2f}]" if default is not None else ""),
        }


def _check_smoothing(method: str) -> None:
    if method not in BLEU.SMOOTH_DEFAULTS:
        known = ", ".join(BLEU.SMOOTH_DEFAULTS)
        raise WrongValueError(f"smooth_method: expected one of {known}; found {method!r}")


def _smoothed(precisions: list[float], correct: list[Any], total: list[Any], method: str, value: Any) -> int:
    """Fill in precisions in percent, smoothed. Return the last order of which there are n-grams.

    Products and quotients are in the order of sacreBLEU, so that the same decimals are printed.
    """
    halves = 1.0
    for n in range(len(precisions)):
        if method == "add-k" and n > 0:
            correct[n] += value
            total[n] += value
        if total[n] == 0:
            return n
        if correct[n] > 0:
            precisions[n] = 100.0 * correct[n] / total[n]
        elif method == "exp":
            halves *= 2
            precisions[n] = 100.0 / (halves * total[n])
        elif method == "floor":
            precisions[n] = 100.0 * value / total[n]
    return len(precisions)


class CHRFScore(Score):
    """A chrF score. Its name has a + for each order of words."""

    def __init__(self, score: float, char_order: int, word_order: int, beta: int) -> None:
        super().__init__(f"chrF{beta}{'+' * word_order}", score)
        self.char_order, self.word_order, self.beta = char_order, word_order, beta


class CHRF(Metric[CHRFScore]):
    """chrF as sacreBLEU computes it, with word_order=2 chrF++."""

    abbreviations: ClassVar[dict[str, str]] = {"eff": "e", "space": "s"}

    def __init__(
        self,
        char_order: int = 6,
        word_order: int = 0,
        beta: int = 2,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: Streams | None = None,
    ) -> None:
        super().__init__(references)
        for name, order in {"char_order": char_order, "word_order": word_order}.items():
            if order != 0:
                check_order(name, order)
        if not char_order + word_order:
            raise WrongValueError("char_order and word_order: both are 0, so nothing would be counted")
        self.char_order, self.word_order, self.beta = char_order, word_order, beta
        self.order = char_order + word_order
        self.lowercase, self.whitespace, self.eps_smoothing = lowercase, whitespace, eps_smoothing

    def _count(self, texts: list[Lines], there: NDArray[np.bool_]) -> Ints:
        """Return n-grams of output and reference, and matches, of the best reference: int64 [lines, 3 orders]."""
        parts = [("char" if self.whitespace else "nonspace", self.char_order), ("chrf", self.word_order)]
        counted = [self._counts(texts, tokenizer, order) for tokenizer, order in parts if order]
        counts = np.concatenate(counted, axis=2).reshape(*there.shape, -1)
        best = np.zeros(len(there), np.int64)
        if there.shape[1] > 1:
            for line, own in enumerate(counts.tolist()):
                scores = [self._f_score(row) if given else -1.0 for row, given in zip(own, there[line], strict=True)]
                best[line] = scores.index(max(scores))
        chosen: Ints = counts[np.arange(len(best)), best]
        return chosen

    def _counts(self, texts: Sequence[Lines], tokenizer: str, order: int) -> Ints:
        """Return n-grams of output and reference, and matches: int64 [lines, references, order, 3]."""
        encoded = Tokenization(tokenizer, lowercase=self.lowercase).encode(texts)
        *reference_sizes, sizes = (lengths(text) for text in encoded)
        reference = totals(np.stack(reference_sizes, axis=-1), order)
        hypothesis = np.where(reference > 0, totals(sizes, order)[:, None], 0)
        return np.stack([hypothesis, reference, matches(encoded, order, "match")], axis=-1)

    def _f_score(self, counts: Sequence[int]) -> float:
        """Return the F-score of sums of counts, in percent. All is added order by order, as in sacreBLEU."""
        factor = self.beta**2
        score = precisions = recalls = 0.0
        orders = 0
        for start in range(0, 3 * self.order, 3):
            hypothesis, reference, match = counts[start : start + 3]
            precision = match / hypothesis if hypothesis > 0 else EPSILON
            recall = match / reference if reference > 0 else EPSILON
            weighted = factor * precision + recall
            score += (1 + factor) * precision * recall / weighted if weighted > 0 else EPSILON
            if hypothesis > 0 and reference > 0:
                precisions, recalls, orders = precisions + precision, recalls + recall, orders + 1
        if self.eps_smoothing:
            return 100 * score / self.order
        if not orders or not precisions + recalls:
            return 0.0
        precision, recall = precisions / orders, recalls / orders
        return 100 * ((1 + factor) * precision * recall / (factor * precision + recall))

    def _score(self, sums: list[int]) -> CHRFScore:
        return CHRFScore(self._f_score(sums), self.char_order, self.word_order, self.beta)

    def _settings(self) -> dict[str, Any]:
        return {
            "case": "lc" if self.lowercase else "mixed",
            "eff": "no" if self.eps_smoothing else "yes",
            "nc": self.char_order,
            "nw": self.word_order,
            "space": "yes" if self.whitespace else "no",
        }


class TERScore(Score):
    """A TER score. The lower it is, the better."""

    def __init__(self, score: float, num_edits: float, ref_length: float) -> None:
        super().__init__("TER", score)
        self.num_edits, self.ref_length = int(num_edits), ref_length


class TER(Metric[TERScore]):
    """TER as sacreBLEU computes it."""

    abbreviations: ClassVar[dict[str, str]] = {"tok": "t", "norm": "nr", "punct": "pn", "asian": "as"}

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
        references: Streams | None = None,
    ) -> None:
        super().__init__(references)
        self.normalized, self.no_punct = normalized, no_punct
        self.asian_support, self.case_sensitive = asian_support, case_sensitive
        self.tokenization = Tercom(normalized, no_punct, asian_support, case_sensitive)

    def _count(self, texts: list[Lines], there: NDArray[np.bool_]) -> Floats:
        """Return the fewest edits of each line, and the mean length of its references: float64 [lines, 2]."""
        *sets, output = self.tokenization.encode(texts)
        edits = np.where(there, kernel.edit_rate(sets, [output])[0], np.iinfo(np.int64).max).min(axis=1)
        sizes = np.where(there, np.stack([lengths(text) for text in sets], axis=-1), 0).sum(axis=1)
        return np.stack([edits, sizes / there.sum(axis=1)], axis=-1)

    def _score(self, sums: list[float]) -> TERScore:
        edits, length = sums
        score = edits / length if length > 0 else float(edits > 0)
        return TERScore(100 * score, edits, length)

    def _settings(self) -> dict[str, Any]:
        return {
            "case": "mixed" if self.case_sensitive else "lc",
            "tok": "tercom",
            "norm": self.normalized,
            "punct": not self.no_punct,
            "asian": self.asian_support,
        }
