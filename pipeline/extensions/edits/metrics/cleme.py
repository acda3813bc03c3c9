"""CLEME (Ye et al. 2023) and the countable part of CLEME 2.0 (Ye et al. 2025), from M2 files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Floats, Ints
from pipeline.errors import InputError
from pipeline.metrics.base.capabilities import (
    AnnotatesTexts,
    ChoosesReferences,
    CountWarning,
    ReadsDataSet,
    ScoresLines,
    Warns,
)
from pipeline.metrics.base.choices import (
    NEAR,
    SequentialAnnotatorChoice,
    best_by,
    f_of_counts,
    nearly_tied,
    ratio,
    rounded,
)
from pipeline.metrics.base.metric import Counted, Metric
from pipeline.metrics.base.options import beta_option, level_option, option
from pipeline.metrics.base.statistics_spec import WHOLE, Columns, Field

from ..errant_report import precision_recall_f
from ..options import annotator_option, choice_option, gold_option
from .cleme_counts import CHANGED, KINDS, ClemeSpec

DECIMALS = 4
"""The authors' program rounds to so many decimals."""
SHARES = {"corpus": (0.45, 0.35, 0.15, 0.05), "mean": (0.35, 0.25, 0.20, 0.20)}
"""The shares of the four rates in the score of CLEME 2.0, by level."""


class Sums(NamedTuple):
    """Weighted sums of pieces: float64 arrays of equal shape."""

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
    """Return F-beta, precision (1 without fp), recall (1 without fn) and accuracy (0 where there is
    no piece).
    """
    tp, fp, fn = sums.tp, sums.fp, sums.fn
    score, precision, recall = f_of_counts(tp, tp + fp, tp + fn, beta)
    accuracy = ratio(tp + sums.tn, tp + fp + fn + sums.tn)
    return {"cleme": score, "precision": precision, "recall": recall, "accuracy": accuracy}


def second_version(sums: Sums, level: str) -> dict[str, Floats]:
    """Return the score of CLEME 2.0, and its rates hit, err, und and ove, which are 0 where there
    is no piece.
    """
    asked = sums.tp + sums.fp_ne + sums.fn
    hit, err, und = (ratio(part, asked) for part in (sums.tp, sums.fp_ne, sums.fn))
    ove = ratio(sums.fp_un, sums.tp + sums.fp)
    a, b, c, d = SHARES[level]
    com = a * hit + b * (1 - err) + c * (1 - und) + d * (1 - ove)
    return {"cleme": com, "hit": hit, "err": err, "und": und, "ove": ove}


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

    def weights(self, lengths: Ints, mean: float, *, falling: bool = False) -> Floats:
        """Return the weights of lengths, where the mean length of what references change is known:
        float64.
        """
        beyond = lengths - mean if falling else mean - lengths
        with np.errstate(over="ignore"):
            weights: Floats = self.alpha / (1 + (self.alpha - 1) * np.exp(beyond))
        return np.clip(weights, self.low, self.high)


class Curves(NamedTuple):
    """The curves of hits, of misses of the output, and of what it leaves."""

    tp: Curve
    fp: Curve
    fn: Curve

    def of_kinds(self, lengths: int, mean: float) -> Ints:
        """Return the weights of the lengths from 0 on, for tp, fp_ne, fp_un and fn: int64 [4,
        lengths], in units.
        """
        every = np.arange(lengths)
        tp, fp = self.tp.weights(every, mean), self.fp.weights(every, mean, falling=True)
        weights = np.stack([tp, fp, fp, self.fn.weights(every, mean)])
        return np.rint(np.ldexp(weights, 2 * HALF)).astype(np.int64)


ALIKE = Curve(1, 1, 1)
CURVES = {
    ("none", True): Curves(ALIKE, ALIKE, ALIKE),
    ("corpus", True): Curves(*[Curve(2, 0.75, 1.25)] * 3),
    ("sentence", True): Curves(Curve(10, 1, 10), Curve(10, 0.25, 1), Curve(10, 1, 1)),
    ("sentence", False): Curves(Curve(10, 2.5, 10), Curve(10, 0.25, 1), Curve(10, 1, 1)),
}
"""The settings of the authors' program, by their names, and whether each reference is compared
alone."""
LONGEST = {"none": 0, "corpus": 16, "sentence": 48}
"""Up to which length pieces are counted apart, by the name of the settings.

From half a word above the mean length on, weights of `corpus` do not change any more: 16 is exact
for means up to 15. Those of `sentence` change by less than the precision of float64 from 40 words
above the mean on."""
HIGHEST_MEAN = 18
"""Up to this mean length the weights of `sentence` of longer pieces differ by less than 1e-12: 9 *
exp(18 - 48)."""
CURVES |= {(name, False): CURVES[name, True] for name in ("none", "corpus")}


TERMS = (*(f"{kind}_{half}" for kind in KINDS for half in ("high", "low")), "tn")
"""The halves of the weighted sums (see metric.py), and the pieces that are rightly left, which have
no weights."""
FIRST: dict[str, Any] = {
    "applies": lambda m: m.version == "1",
    "why": "CLEME 2.0 is made of rates without weights",
}


@dataclass(frozen=True)
class Cleme(AnnotatesTexts, ReadsDataSet, ChoosesReferences, ScoresLines, Warns, Metric):
    """F-beta of pieces of sentences, which are cut in the same way for the output and all
    references.

    A piece that the output changes is a hit (tp) if a reference has the same words there, else a
    miss (fp). A piece that it leaves is a miss (fn) if the reference changes it. With the
    assumption `dependent` one reference counts for each sentence, as in ERRANT, and with
    `independent` all count at each piece. Pieces have weights by their length. The source is the
    program of the authors at github.com/THUKElab/CLEME."""

    name: ClassVar[str] = "cleme"
    summary: ClassVar[str] = "CLEME of annotated edits (Ye et al. 2023), and rates of CLEME 2.0"
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {
        **{f"CLEME-{name}": {"assumption": name} for name in ("dependent", "independent")},
        **{
            f"SentCLEME-{name}": {"assumption": name, "level": "mean"}
            for name in ("dependent", "independent")
        },
        **{
            f"CLEME2.0-{name}": {"assumption": name, "version": "2"}
            for name in ("dependent", "independent")
        },
        "SentCLEME": {"level": "mean"},
        "CLEME2.0": {"version": "2"},
        "SentCLEME2.0": {"version": "2", "level": "mean"},
    }
    counts: ClassVar[frozenset[str]] = frozenset({"tp", "fp", "fn", "tn", "fp_ne", "fp_un"})
    table_outputs: ClassVar[str] = "precision|recall|hit|err|und|ove"
    whole_sums: ClassVar[tuple[str, ...]] = CHANGED
    """What the mean length of the pieces that references change is made of."""

    version: str = option(
        "1", help="CLEME (1), or the rates of CLEME 2.0 without weights (2)", choices=("1", "2")
    )
    assumption: str = option(
        "dependent",
        help="one reference counts for a sentence, or the references count independently at each piece",
        choices=("dependent", "independent"),
    )
    beta: str = beta_option(**FIRST)
    weights: str = option(
        lambda given: "sentence" if given.get("level") == "mean" else "corpus",
        help="weights of lengths: those of the authors for the score of a corpus or for sentences, or none",
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
        return "Sent" * (self.level == "mean") + ("CLEME" if self.version == "1" else "CLEME 2.0")

    @property
    def score_in_text(self) -> str:
        """The score of the first version is an F-score."""
        return "F{beta}" if self.version == "1" else ""

    @property
    def citations(self) -> tuple[str, ...]:
        """The paper of the version."""
        return ("ye-etal-2023-cleme",) if self.version == "1" else ("ye-etal-2025-cleme2",)

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
        """The pieces of each kind and length."""
        return ClemeSpec(self._apart, LONGEST[self._weights], self.annotation)

    @property
    def terms(self) -> tuple[Field, ...]:
        """The weighted sums."""
        return tuple(Field(name, per_reference=self._apart) for name in TERMS)

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the weighted sums of each sentence."""
        # the length of what references change; without sums over the data set, the lines of the
        # columns are all of it
        words, several = (
            columns[WHOLE + n][0] if WHOLE + n in columns else columns[n].sum() for n in CHANGED
        )
        name, mean = self._weights, float(words / several) if several else 0.0
        if name == "corpus" and mean > LONGEST[name] - 1:
            raise InputError(
                f"cleme: what references change is {mean:.1f} words long on average, and weights: corpus is for at "
                f"most {LONGEST[name] - 1}; write weights: none or weights: sentence"
            )
        if (
            name == "sentence"
            and mean > HIGHEST_MEAN
            and any(columns[kind][..., -1].any() for kind in KINDS)
        ):
            raise InputError(
                f"cleme: what references change is {mean:.1f} words long on average, and with weights: sentence pieces "
                f"of {LONGEST[name]} words and more are weighed exactly for at most {HIGHEST_MEAN}; write weights: none"
            )
        weights = CURVES[name, self._apart].of_kinds(LONGEST[name] + 1, mean)
        terms = {"tn": columns["tn"]}
        for kind, own in zip(KINDS, weights, strict=True):
            terms[f"{kind}_high"] = columns[kind] @ (own >> HALF)
            terms[f"{kind}_low"] = columns[kind] @ (own & ((1 << HALF) - 1))
        return terms

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return how many pieces of each kind there are, without weights."""
        counts = {kind: columns[kind].sum(axis=-1) for kind in KINDS} | {"tn": columns["tn"]}
        return [Counted(name, values, per_reference=self._apart) for name, values in counts.items()]

    def count_warnings(self, counts: Mapping[str, Iterable[Columns]]) -> list[CountWarning]:
        """Return which outputs have further annotators, who do not count."""
        notes = []
        for system, blocks in counts.items():
            lines = np.flatnonzero(np.concatenate([block["annotators"] for block in blocks]) > 1)
            if len(lines):
                message = f"has several annotators ({len(lines)} sentences do): CLEME takes the first of each sentence"
                notes.append(CountWarning(message, system, line=int(lines[0]) + 1))
        return notes

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return cleme, the rates of the version, and the sums of weights of each kind of piece."""
        sums = _sums(totals)
        if self.version == "2":
            return second_version(sums, self.level) | sums._asdict()
        return first_version(sums, float(self.beta)) | {
            name: getattr(sums, name) for name in ("tp", "fp", "fn", "tn")
        }

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the score of each sentence with each reference, or with all: float64 [lines,
        references or 1].
        """
        return self._rates(columns)["cleme"]

    def line_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return the score and the rates of each sentence, with the reference that counts: float64
        [lines] each.
        """
        rates = self._rates(columns)
        best = _best(rates)
        return {name: values[np.arange(len(values)), best] for name, values in rates.items()}

    def sequential_choice(self) -> SequentialAnnotatorChoice | None:
        """Return what chooses references with the totals of the sentences before; None where each
        is chosen alone.
        """
        return self._by_key(running=True) if self._apart and self.choice == "official" else None

    def choose(self, columns: Columns) -> Ints:
        """Return the reference of each sentence, chosen for the sentence alone: int64 [lines]."""
        if self.level == "mean" or not self._apart:
            return _best(self._rates(columns))
        return self._by_key(running=False)(columns)

    def _by_key(self, *, running: bool) -> SequentialAnnotatorChoice:
        def ordered(columns: Columns) -> Columns:
            return {**self.make_terms(columns), "order": columns["order"]}

        return SequentialAnnotatorChoice(self._keys, TERMS, counts_of=ordered, running=running)

    def _rates(self, columns: Columns) -> dict[str, Floats]:
        """Return the rates of each sentence, with the references in the order of the file: float64
        [lines, references].

        Those of the first version are rounded to 4 decimals, as the authors' program takes them.
        """
        sums = _sums(self.make_terms(columns))
        if self.version == "2":
            rates = second_version(sums, self.level)
        else:
            rates = {
                name: rounded(values, DECIMALS)
                for name, values in first_version(sums, float(self.beta)).items()
            }
        return rates if self._apart else {name: values[:, None] for name, values in rates.items()}

    def _exact(self, sums: Sequence[int]) -> float:
        """Return the score of sums of TERMS, made of whole numbers. Weights are in units, which
        cancel out.
        """
        hits, necessary, unnecessary, missed = _in_units(sums)
        wrong = necessary + unnecessary
        if self.version == "2":
            asked, changed = hits + necessary + missed, hits + wrong
            hit, err, und = (part / asked if asked else 0.0 for part in (hits, necessary, missed))
            ove = unnecessary / changed if changed else 0.0
            a, b, c, d = SHARES[self.level]
            return a * hit + b * (1 - err) + c * (1 - und) + d * (1 - ove)
        return round(precision_recall_f(hits, wrong, missed, float(self.beta))[2], DECIMALS)

    def _keys(self, totals: Ints, counts: Ints) -> list[NDArray[np.number[Any]]]:
        """Return what is greatest for the reference that is taken; the candidates of a sentence are
        on the second axis.

        Scores are made of real numbers. Where rounding them could change what is chosen, whole
        numbers decide."""
        every = totals + counts
        sums = _sums(dict(zip(TERMS, every, strict=True)))
        if self.version == "2":
            score = second_version(sums, self.level)["cleme"]
            near = score > score.max(axis=0) - NEAR
            doubtful = near & (near.sum(axis=0) > 1)
        else:
            exact = first_version(sums, float(self.beta))["cleme"]
            score, doubtful = rounded(exact, DECIMALS), nearly_tied(exact, DECIMALS)
        for index in zip(*np.nonzero(doubtful), strict=True):
            score[index] = self._exact(every[(slice(None), *index)].tolist())
        tp, fp_ne, fp_un, fn = _in_units(counts)
        return [score, tp, -(fp_ne + fp_un), -fn, counts[-1]]


def _in_units(terms: Any) -> list[Any]:
    """Return the weighted sums of TERMS in units, from their halves; of numbers or of arrays."""
    return [(high << HALF) + low for high, low in zip(terms[:-1:2], terms[1::2], strict=True)]


def _sums(terms: Columns) -> Sums:
    real = {name: terms[name].astype(np.float64) for name in TERMS}
    weighted = {
        n: np.ldexp(real[f"{n}_high"], -HALF) + np.ldexp(real[f"{n}_low"], -2 * HALF) for n in KINDS
    }
    return Sums(**weighted, tn=real["tn"])


def _best(rates: Mapping[str, Floats]) -> Ints:
    """Return the best reference: by F, precision, recall and the lowest accuracy, or by score, hit,
    err, und, ove.
    """
    signs = {"err": -1, "und": -1, "ove": -1, "accuracy": -1}
    return best_by([signs.get(name, 1) * values for name, values in rates.items()])
