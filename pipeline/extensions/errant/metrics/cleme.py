"""CLEME (Ye et al. 2023) and the countable part of CLEME 2.0 (Ye et al. 2025), from M2 files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Floats, Ints
from pipeline.errors import InputError
from pipeline.extensions.edits.annotators import SequentialAnnotatorChoice
from pipeline.extensions.edits.options import choice_option
from pipeline.metrics import precision_recall_f
from pipeline.metrics.base import (
    Columns,
    Counted,
    CountWarning,
    Field,
    Metric,
    Schema,
    best_by,
    f_of_counts,
    ratio,
    rounded,
)
from pipeline.metrics.options import beta_option, level_option, option

from ..options import AnnotatesTexts, annotator_option, gold_option
from .cleme_counts import CHANGED, KINDS, ClemeSpec

NEAR = 1e-6
"""Far more than the rounding error of a score times ten thousand."""
DECIMALS = 4
"""Decimals to which the authors' program rounds."""
SHARES = {
    "corpus": (0.45, 0.35, 0.15, 0.05),
    "mean": (0.35, 0.25, 0.20, 0.20),
}
"""The shares of the four rates in the score of CLEME 2.0, by level."""


class Sums(NamedTuple):
    """Weighted sums of chunks: float64 arrays of equal shape."""

    tp: Floats
    fp_ne: Floats
    fp_un: Floats
    fn: Floats
    tn: Floats

    @property
    def fp(self) -> Floats:
        """The misses of both kinds."""
        return self.fp_ne + self.fp_un


def first_version(sums: Sums, beta: float) -> dict[str, Floats]:
    """Return the scores of CLEME: F-beta, precision, recall and accuracy of sums of chunks.

    Precision is 1 if nothing is proposed, recall 1 if nothing is required, and accuracy 0 without
    any chunk.
    """
    proposed = sums.tp + sums.fp
    required = sums.tp + sums.fn
    score, precision, recall = f_of_counts(sums.tp, proposed, required, beta)
    accuracy = ratio(sums.tp + sums.tn, proposed + sums.fn + sums.tn)
    return {
        "cleme": score,
        "precision": precision,
        "recall": recall,
        "accuracy": accuracy,
    }


def second_version(sums: Sums, level: str) -> dict[str, Floats]:
    """Return the score of CLEME 2.0, and its rates hit, err, und and ove, 0 without any chunk."""
    to_change = sums.tp + sums.fp_ne + sums.fn
    hit = ratio(sums.tp, to_change)
    err = ratio(sums.fp_ne, to_change)
    und = ratio(sums.fn, to_change)
    ove = ratio(sums.fp_un, sums.tp + sums.fp)
    rates = {"hit": hit, "err": err, "und": und, "ove": ove}
    return {"cleme": score_of_rates(level, **rates), **rates}


def score_of_rates(level: str, hit: Any, err: Any, und: Any, ove: Any) -> Any:
    """Return the score of CLEME 2.0; of numbers or of arrays."""
    a, b, c, d = SHARES[level]
    return a * hit + b * (1 - err) + c * (1 - und) + d * (1 - ove)


# The weights of lengths in CLEME, and sums with weights that are exact.
#
# A weighted sum is held as two whole numbers, its high and its low half, in units of 2**-48. So
# sums depend neither on the order of sentences nor on blocks, and equal counts have equal sums,
# which matters where references are chosen.


HALF = 24
"""Bits in each half of a weight's fraction."""


class Curve(NamedTuple):
    """How a weight rises with the length, or falls with it for misses of the output."""

    alpha: float
    low: float
    high: float

    def weights(
        self, lengths: Ints, mean: float, *, falling: bool = False
    ) -> Floats:
        """Return the weight of each length, float64 of the same shape.

        It is a logistic function of the length, clipped to `low` and `high`. `mean` is the mean
        length of the chunks that references change.
        """
        exponents = lengths - mean if falling else mean - lengths
        # exp() may be infinite, then the weight is `low`
        with np.errstate(over="ignore"):
            decay = (self.alpha - 1) * np.exp(exponents)
        weights: Floats = np.clip(self.alpha / (1 + decay), self.low, self.high)
        return weights


class Curves(NamedTuple):
    """The curves of hits, of misses of the output, and of chunks that it leaves."""

    tp: Curve
    fp: Curve
    fn: Curve

    def of_kinds(self, lengths: int, mean: float) -> Ints:
        """Return the weights of so many lengths, from 0, for each of KINDS: int64 [4, lengths].

        They are in units of 2**-48. `mean` is the mean length of the chunks that references change.
        """
        all_lengths = np.arange(lengths)
        tp = self.tp.weights(all_lengths, mean)
        fp = self.fp.weights(all_lengths, mean, falling=True)
        fn = self.fn.weights(all_lengths, mean)
        weights = np.ldexp([tp, fp, fp, fn], 2 * HALF)
        return np.rint(weights).astype(np.int64)


ALIKE = Curve(1, 1, 1)
OF_CORPUS = Curve(2, 0.75, 1.25)
FALSE_POSITIVES = Curve(10, 0.25, 1)
CURVES = {
    "none": Curves(ALIKE, ALIKE, ALIKE),
    "corpus": Curves(OF_CORPUS, OF_CORPUS, OF_CORPUS),
    "sentence": Curves(Curve(10, 1, 10), FALSE_POSITIVES, Curve(10, 1, 1)),
}
"""The settings of the authors' program, by their names."""
INDEPENDENT_SENTENCE = Curves(
    Curve(10, 2.5, 10), FALSE_POSITIVES, Curve(10, 1, 1)
)
"""Those of `sentence` if all references count at each chunk."""
LONGEST = {"none": 0, "corpus": 16, "sentence": 48}
"""The length up to which chunks are counted apart, by the name of the settings.

From half a word above the mean length on, weights of `corpus` do not change any more: 16 is exact
for means up to 15. Those of `sentence` change by less than the precision of float64 from 40 words
above the mean on."""
HIGHEST_MEAN = 18
"""The highest mean length at which weights `sentence` of longer chunks are exact.

They differ by less than 1e-12: 9 * exp(18 - 48)."""


TERMS = (
    "tp_high",
    "tp_low",
    "fp_ne_high",
    "fp_ne_low",
    "fp_un_high",
    "fp_un_low",
    "fn_high",
    "fn_low",
    "tn",
)
"""The halves of the weighted sums, and the chunks that are rightly left, without weights."""
FIRST: dict[str, Any] = {
    "applies": lambda m: m.version == "1",
    "why": "CLEME 2.0 is made of rates without weights",
}


@dataclass(frozen=True)
class Cleme(AnnotatesTexts, Metric):
    """F-beta of chunks of sentences, which are cut alike for the output and all references.

    A chunk that the output changes is a hit (tp) if a reference has the same words there, else a
    miss (fp). A chunk that it leaves is a miss (fn) if the reference changes it. With the
    assumption `dependent` one reference counts for each sentence, as in ERRANT, and with
    `independent` all count at each chunk. Chunks have weights by their length. The source is the
    program of the authors at github.com/THUKElab/CLEME.
    """

    name: ClassVar[str] = "cleme"
    summary: ClassVar[str] = (
        "CLEME of annotated edits (Ye et al. 2023), and rates of CLEME 2.0"
    )
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "CLEME-dependent": {"assumption": "dependent"},
        "CLEME-independent": {"assumption": "independent"},
        "SentCLEME-dependent": {"assumption": "dependent", "level": "mean"},
        "SentCLEME-independent": {"assumption": "independent", "level": "mean"},
        "CLEME2.0-dependent": {"assumption": "dependent", "version": "2"},
        "CLEME2.0-independent": {"assumption": "independent", "version": "2"},
        "SentCLEME": {"level": "mean"},
        "CLEME2.0": {"version": "2"},
        "SentCLEME2.0": {"version": "2", "level": "mean"},
    }
    counts: ClassVar[frozenset[str]] = frozenset(
        {"tp", "fp", "fn", "tn", "fp_ne", "fp_un"}
    )
    table_outputs: ClassVar[str] = "precision|recall|hit|err|und|ove"
    corpus_sums: ClassVar[tuple[str, ...]] = CHANGED
    scores_lines: ClassVar[bool] = True
    """What the mean length of the chunks that references change is made of."""

    version: str = option(
        "1",
        help="CLEME (1), or the rates of CLEME 2.0 without weights (2)",
        choices=("1", "2"),
    )
    assumption: str = option(
        "dependent",
        help="one reference counts for a sentence, or the references count independently "
        "at each piece",
        choices=("dependent", "independent"),
    )
    beta: str = beta_option(**FIRST)
    weights: str = option(
        lambda options: (
            "sentence" if options.get("level") == "mean" else "corpus"
        ),
        help="weights of lengths: those of the authors for the score of a corpus or for sentences, "
        "or none",
        choices=("corpus", "sentence", "none"),
        **FIRST,
    )
    choice: str = choice_option(
        applies=lambda m: m.level == "corpus" and m.assumption == "dependent",
        why="references are chosen for the score of a corpus with the assumption dependent",
    )
    level: str = level_option()
    annotator: str = annotator_option()
    gold: str = gold_option()

    @property
    def name_in_text(self) -> str:
        """CLEME or CLEME 2.0, with Sent before it where sentences are scored."""
        name = "CLEME" if self.version == "1" else "CLEME 2.0"
        return f"Sent{name}" if self.level == "mean" else name

    @property
    def score_in_text(self) -> str:
        """The score of the first version is an F-score."""
        return "F{beta}" if self.version == "1" else ""

    @property
    def citations(self) -> tuple[str, ...]:
        """The paper of the version."""
        if self.version == "1":
            return ("ye-etal-2023-cleme",)
        return ("ye-etal-2025-cleme2",)

    @property
    def policy(self) -> str:
        """The best reference counts, or all are taken together."""
        return "max" if self._apart else "merged"

    @property
    def _apart(self) -> bool:
        return self.assumption == "dependent"

    @property
    def _weights(self) -> str:
        return self.weights if self.version == "1" else "none"

    @property
    def spec(self) -> ClemeSpec:
        """The chunks of each kind and length."""
        return ClemeSpec(self._apart, LONGEST[self._weights], self.annotation)

    @property
    def terms(self) -> tuple[Field, ...]:
        """The weighted sums."""
        return tuple(Field(name, per_reference=self._apart) for name in TERMS)

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the weighted sums of each sentence: int64 [lines] or [lines, references].

        Columns count chunks by their length, on the last axis. Raises InputError if the mean length
        is too great for exact weights of the lengths that are counted apart.
        """
        mean = _mean_length(columns)
        name = self._weights
        longest = LONGEST[name]
        beginning = f"cleme: what references change is {mean:.1f} words long on average, and"
        if name == "corpus" and mean > longest - 1:
            raise InputError(
                f"{beginning} weights: corpus is for at most {longest - 1}; "
                "write weights: none or weights: sentence"
            )
        has_long_chunks = any(columns[kind][..., -1].any() for kind in KINDS)
        if name == "sentence" and mean > HIGHEST_MEAN and has_long_chunks:
            raise InputError(
                f"{beginning} with weights: sentence pieces of {longest} words and more are "
                f"weighed exactly for at most {HIGHEST_MEAN}; write weights: none"
            )
        curves = CURVES[name]
        if name == "sentence" and not self._apart:
            curves = INDEPENDENT_SENTENCE

        # the counts of each length times the halves of its weight
        terms = {"tn": columns["tn"]}
        weights = curves.of_kinds(longest + 1, mean)
        for kind, weights_of_kind in zip(KINDS, weights, strict=True):
            high, low = np.divmod(weights_of_kind, 1 << HALF)
            terms[f"{kind}_high"] = columns[kind] @ high
            terms[f"{kind}_low"] = columns[kind] @ low
        return terms

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return how many chunks of each kind there are, without weights."""
        chunks_of_kinds = {}
        for kind in KINDS:
            chunks_of_kinds[kind] = columns[kind].sum(axis=-1)  # of any length
        chunks_of_kinds["tn"] = columns["tn"]
        counted = []
        for kind, chunks in chunks_of_kinds.items():
            counted.append(Counted(kind, chunks, per_reference=self._apart))
        return counted

    def count_warnings(
        self,
        counts: Mapping[str, Iterable[Columns]],
    ) -> list[CountWarning]:
        """Return a warning for each output with further annotators, who do not count.

        `counts` has the columns of each system, block after block of lines.
        """
        notes = []
        for system, blocks in counts.items():
            annotators = np.concatenate(
                [block["annotators"] for block in blocks]
            )
            lines = np.flatnonzero(annotators > 1)
            if len(lines):
                first = int(lines[0]) + 1
                message = (
                    f"has several annotators ({len(lines)} sentences do): "
                    "CLEME takes the first of each sentence"
                )
                notes.append(CountWarning(message, system, line=first))
        return notes

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return cleme, the rates of the version, and the sums of weights of each kind of chunk."""
        sums = _sums(totals)
        if self.version == "2":
            return second_version(sums, self.level) | sums._asdict()
        counts = {
            "tp": sums.tp,
            "fp": sums.fp,
            "fn": sums.fn,
            "tn": sums.tn,
        }
        return first_version(sums, float(self.beta)) | counts

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the scores with each reference, or with all: float64 [lines, references or 1]."""
        return self._rates(columns)["cleme"]

    def line_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return score and rates of each sentence with its chosen reference: float64 [lines]."""
        rates = self._rates(columns)
        best = _best(rates)
        lines = np.arange(len(best))
        return {name: values[lines, best] for name, values in rates.items()}

    def sequential_choice(self) -> SequentialAnnotatorChoice | None:
        """Return the choice of references by running totals; None if each is chosen alone."""
        if self._apart and self.choice == "official":
            return self._by_key(running=True)
        return None

    def choose(self, columns: Columns) -> Ints:
        """Return the reference of each sentence, chosen for the sentence alone: int64 [lines]."""
        if self.level == "mean" or not self._apart:
            return _best(self._rates(columns))
        return self._by_key(running=False)(columns)

    def _by_key(self, *, running: bool) -> SequentialAnnotatorChoice:
        def ordered(columns: Columns) -> Columns:
            return {**self.make_terms(columns), "order": columns["order"]}

        return SequentialAnnotatorChoice(
            self._keys, TERMS, counts_of=ordered, running=running
        )

    def _rates(self, columns: Columns) -> dict[str, Floats]:
        """Return the rates of each sentence with each reference: float64 [lines, references].

        Those of the first version are rounded to 4 decimals, as the authors' program takes them.
        """
        sums = _sums(self.make_terms(columns))
        if self.version == "2":
            rates = second_version(sums, self.level)
        else:
            rates = {}
            for name, values in first_version(sums, float(self.beta)).items():
                rates[name] = rounded(values, DECIMALS)
        if self._apart:
            return rates
        return {name: values[:, None] for name, values in rates.items()}

    def _exact(self, sums: Sequence[int]) -> float:
        """Return the score of sums of TERMS for one reference, as the authors' program rounds it.

        It is computed with whole numbers of Python, in units of 2**-48, which cancel.
        """
        tp, fp_ne, fp_un, fn = _in_units(sums)
        fp = fp_ne + fp_un
        if self.version == "1":
            beta = float(self.beta)
            _, _, score = precision_recall_f(tp, fp, fn, beta)
            return round(score, DECIMALS)
        to_change = tp + fp_ne + fn
        hit = 0.0
        err = 0.0
        und = 0.0
        ove = 0.0
        if to_change:
            hit = tp / to_change
            err = fp_ne / to_change
            und = fn / to_change
        if tp + fp:
            ove = fp_un / (tp + fp)
        return float(score_of_rates(self.level, hit, err, und, ove))

    def _keys(
        self, totals: Ints, counts: Ints
    ) -> list[NDArray[np.number[Any]]]:
        """Return the parts of the key that is greatest for the chosen reference.

        `totals` of the sentences before and `counts` of each sentence are TERMS: int64 [terms, 1 or
        references, sentences]. Scores are floats. If their rounding could change the choice, they
        are computed anew with whole numbers.
        """
        new_totals = totals + counts
        sums = _sums(dict(zip(TERMS, new_totals, strict=True)))
        if self.version == "2":
            score = second_version(sums, self.level)["cleme"]
            is_near_best = score > score.max(axis=0) - NEAR
            is_doubtful = is_near_best & (is_near_best.sum(axis=0) > 1)
        else:
            unrounded = first_version(sums, float(self.beta))["cleme"]
            score = rounded(unrounded, DECIMALS)
            scaled = unrounded * 10.0**DECIMALS
            # the digit behind the last one is nearly a 5
            is_doubtful = np.abs(scaled - np.floor(scaled) - 0.5) < NEAR
        for index in map(tuple, np.argwhere(is_doubtful)):
            terms = new_totals[(slice(None), *index)]
            score[index] = self._exact(terms.tolist())
        tp, fp_ne, fp_un, fn = _in_units(counts)
        tn = counts[TERMS.index("tn")]
        return [score, tp, -(fp_ne + fp_un), -fn, tn]


def _mean_length(columns: Columns) -> float:
    """Return the mean length of the chunks that references change, 0 without any.

    It is that of the data set if its sums are among the columns (the same for each line), or else
    that of the lines.
    """
    sums = []
    for name in CHANGED:
        if Schema.CORPUS_SUM + name in columns:
            sums.append(columns[Schema.CORPUS_SUM + name][0])
        else:
            sums.append(columns[name].sum())
    words, chunks = sums
    return float(words / chunks) if chunks else 0.0


def _in_units(terms: Any) -> list[Any]:
    """Return the weighted sums of TERMS in units, from their halves; of numbers or of arrays."""
    halves = zip(terms[:-1:2], terms[1::2], strict=True)
    return [(high << HALF) + low for high, low in halves]


def _sums(terms: Columns) -> Sums:
    weighted = {}
    for kind in KINDS:
        high = terms[f"{kind}_high"].astype(np.float64)
        low = terms[f"{kind}_low"].astype(np.float64)
        weighted[kind] = np.ldexp(high, -HALF) + np.ldexp(low, -2 * HALF)
    return Sums(**weighted, tn=terms["tn"].astype(np.float64))


def _best(rates: Mapping[str, Floats]) -> Ints:
    """Return the best reference of each sentence by score, then by the rates in their order."""
    keys = []
    for name, values in rates.items():
        lower_is_better = name in ("err", "und", "ove", "accuracy")
        keys.append(-values if lower_is_better else values)
    return best_by(keys)
