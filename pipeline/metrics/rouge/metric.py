"""ROUGE (Lin 2004): recall, precision and F of n-grams, subsequences and skip bigrams that texts share."""

from __future__ import annotations

import functools
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ... import kernel
from ...dataclass import dataclass
from ...tokenizers.stop_words import WithoutStopWords, words_of
from ...tokenizers.tokenization import Tokenization
from ..base.arithmetic import f_beta, ratio
from ..base.capabilities import Compiled, LimitsReferences, ScoresLines, ScoresSamples, ShowsNgrams, Warns
from ..base.columns import PRESENT, Field
from ..base.metric import Counted, Metric
from ..base.ngram_roles import Shared
from .aggregates import aggregates
from .columns import RougeNeeds
from .limits import Limit
from .notes import notes
from .options import RougeOptions
from .sentences import Splitting
from .types import Overlap, order_of, overlap_of, printed, subsequence_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ...arrays import Floats, Ints
    from ..base.capabilities import CountWarning
    from ..base.columns import Columns
    from .types import Numbers, Type


@dataclass(frozen=True)
class Rouge(RougeOptions, LimitsReferences, ScoresLines, ScoresSamples, Compiled, ShowsNgrams, Warns, Metric):
    """ROUGE of several types at once. The F of the first type is the score that ranks systems.

    The flavour google follows the package rouge-score, which has the types 1 to 9, L and Lsum; W, S and SU follow the
    paper (Lin 2004). The flavour perl follows the script ROUGE-1.5.5. Its L and W are unions over sentences, and its
    scores of a text are rounded to five decimals.

    The option references is the policy for several references:

    - best takes for each type the reference with the best F (google) or the best recall (perl).
    - mean takes the mean of the scores (google), or sums matches and totals (perl, the script's -f A).
    - merged makes one reference by maximum counts.
    - jackknife is the mean of best over the sets that lack one reference.
    - jackknife_mean is the mean of mean over these sets.
    """

    name: ClassVar[str] = "rouge"
    summary: ClassVar[str] = "ROUGE for summarisation (Lin 2004), as rouge-score or as ROUGE-1.5.5; needs no source"
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {
        **{f"ROUGE-{name}": {"types": name} for name in (*"123456789", "L", "Lsum", "W", "S", "SU", "S4", "SU4")},
        "ROUGE-1.5.5": {"flavour": "perl"},
    }
    table_outputs: ClassVar[str] = "rouge[A-Za-z0-9]+(_low|_high)?"
    name_in_text: ClassVar[str] = "ROUGE"

    def misfit(self, references: int, *, missing: bool = False) -> str | None:
        """Refuse missing references at level micro if counts are summed for each reference or set of them."""
        del references
        if missing and self.level == "micro" and self._sets:
            return f"references: {self.references} is not defined at level: micro where references are missing"
        return None

    @property
    def policy(self) -> str:
        """The policy mean if there is a score for each reference or set of references, else merged."""
        return "mean" if self._sets else "merged"

    @property
    def _sets(self) -> bool:
        """Whether the score is a mean of scores, one for each reference or for each set that lacks one."""
        return self.references.startswith("jackknife") or (self.references == "mean" and not self.script)

    @property
    def by_reference(self) -> bool:
        """False, since each type has a best reference of its own, and scores may be of sets of references."""
        return False

    @property
    def citations(self) -> tuple[str, ...]:
        """The paper of ROUGE, and that of the stemmer if there is one."""
        return ("lin-2004-rouge", *(("porter-1980-algorithm",) if self.stemmer != "none" else ()))

    def overlaps(self) -> tuple[Shared, ...]:
        """Return what is shared by n-grams and by the type L, if one reference counts and no limit cuts a text.

        The script's L is a union over sentences, and is left out.
        """
        if self.references != "best" or self.needs.limit != Limit():
            return ()
        split, kinds = self.needs.tokenization, enumerate(self.kinds)
        rows = [(row, kind) for row, kind in kinds if kind.family == "n" or (kind.family == "L" and not self.script)]
        return tuple(
            Shared(row, "ngrams" if kind.family == "n" else "sequence", split, kind.number or 1) for row, kind in rows
        )

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return matches and totals of each type, but nothing if there are several sets of references."""
        if self._sets:
            return []
        terms, fields = self.make_terms(columns), {"match": "match", "ref_total": "reference", "hyp_total": "output"}
        stacks = {name: [terms[f"{kind.name}_{field}"] for kind in self.kinds] for name, field in fields.items()}
        return [Counted(name, np.stack(stack, axis=-1), orders=True) for name, stack in stacks.items()]

    def row_names(self) -> list[str]:
        """Return the names of the types."""
        return [f"ROUGE-{kind.name}" for kind in self.kinds]

    @functools.cached_property
    def needs(self) -> RougeNeeds:
        """What the types count."""
        subsequences = {subsequence_of(kind, self.script) for kind in self.kinds} - {""}
        skips = [kind for kind in self.kinds if kind.family in ("S", "SU")]
        return RougeNeeds(
            self._tokenization,
            Splitting(self.split, self.boundary),
            max(order_of(kind, self.script) for kind in self.kinds),
            tuple(sorted(subsequences)),
            tuple(sorted({kind.number for kind in skips})),
            lead=self.script and any(kind.family == "SU" for kind in skips),
            merged=self.references == "merged",
            weight=self.weight if any(kind.weighted for kind in self.kinds) else "",
            limit=Limit(self.max_words, self.max_bytes),
        )

    @property
    def _tokenization(self) -> Tokenization:
        if not self.stop_words:
            return Tokenization(self.tokenizer, lowercase=self.lowercase, stemmer=self.stemmer)
        return WithoutStopWords(
            self.tokenizer, stemmer=self.stemmer, stop_words=self.stop_words, left_out=words_of(self.stop_words)
        )

    @cached_property
    def terms(self) -> tuple[Field, ...]:
        """The matches and totals of each type."""
        return tuple(
            Field(name, per_reference=self._sets, real=kind.weighted) for kind in self.kinds for name in _terms_of(kind)
        )

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return matches and totals of each type, with references combined: [lines], or [lines, sets]."""
        terms: dict[str, Ints] = {}
        for kind in self.kinds:
            overlap = overlap_of(kind, columns, self.script, self.references == "merged", self.weight)
            terms |= dict(zip(_terms_of(kind), self._combined(kind, overlap, columns), strict=True))
        return terms

    def _combined(self, kind: Type, overlap: Overlap, columns: Columns) -> list[Numbers]:
        """Apply the policy for references to the matches and totals of a type."""
        lines, references = overlap.match.shape
        present = columns.get(PRESENT, np.full(lines, references))
        there = np.arange(references) < present[:, None]
        if self.references == "merged":
            return [part[:, 0] for part in overlap]
        if self.references == "mean":
            return list(overlap) if self._sets else [np.where(there, part, 0).sum(axis=-1) for part in overlap]
        if self.references == "best":
            return [_picked(part, self._key(kind, overlap, columns).argmax(axis=-1)) for part in overlap]
        sets = []
        for left_out in range(references):
            kept = there & ((np.arange(references) != left_out) | (present[:, None] == 1))
            if self.references == "jackknife_mean":
                sets.append([np.where(kept, part, 0).sum(axis=-1) for part in overlap])
            else:
                best = np.where(kept, self._key(kind, overlap, columns), -1.0).argmax(axis=-1)
                sets.append([_picked(part, best) for part in overlap])
        return [np.stack(parts, axis=-1) for parts in zip(*sets, strict=True)]

    def _key(self, kind: Type, overlap: Overlap, columns: Columns) -> Floats:
        """Return what the best reference has most of: F, or in ROUGE-1.5.5 recall, which is rounded but for L and W."""
        if not self.script:
            return self._scores(kind, overlap)[0]
        if kind.weighted:  # the script compares before it applies the weight to the sum once more
            return ratio(overlap.match, columns["base"]) ** (1 / float(self.weight))
        recall = ratio(overlap.match, overlap.reference)
        return recall if kind.family == "L" else printed(recall)

    def _scores(self, kind: Type, overlap: Overlap) -> tuple[Floats, Floats, Floats]:
        """Return F, recall and precision."""
        recall, precision = ratio(overlap.match, overlap.reference), ratio(overlap.match, overlap.output)
        if kind.weighted:
            recall, precision = (value ** (1 / float(self.weight)) for value in (recall, precision))
        rounded = printed if self.script and self.level == "mean" else np.asarray
        recall, precision = rounded(recall), rounded(precision)
        if self.alpha:
            alpha = float(self.alpha)
            score = ratio(precision * recall, (1 - alpha) * precision + alpha * recall)
        else:
            score = f_beta(precision, recall, float(self.beta))
        return rounded(score), recall, precision

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return for each type F, recall and precision: rouge1, rouge1_recall, rouge1_precision ..."""
        outputs: dict[str, Floats] = {}
        for kind in self.kinds:
            overlap = Overlap(*(totals[name] for name in _terms_of(kind)))
            score, recall, precision = self._scores(kind, overlap)
            name = f"rouge{kind.name}"
            outputs |= {name: score, f"{name}_recall": recall, f"{name}_precision": precision}
        return outputs

    def line_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return the outputs of score() for each text, means over the sets of references if any: float64 [lines]."""
        outputs = self.score(self.make_terms(columns))
        if not self._sets:
            return outputs
        first = next(iter(outputs.values()))
        there = np.arange(first.shape[1]) < columns.get(PRESENT, np.full(len(first), first.shape[1]))[:, None]
        return {name: np.where(there, values, 0).sum(axis=-1) / there.sum(axis=-1) for name, values in outputs.items()}

    @property
    def _outputs(self) -> list[tuple[str, str, str]]:
        """The names of the outputs of each type."""
        return [(name, f"{name}_recall", f"{name}_precision") for name in (f"rouge{kind.name}" for kind in self.kinds)]

    def aggregated(self, outputs: Mapping[str, Floats]) -> dict[str, float]:
        """Return the medians of means in samples of the texts, and the ends of their intervals."""
        return aggregates(outputs, self._outputs, self.samples, self.seed, float(self.interval))

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the F of the first type: float64 [lines, references or sets], or [lines, 1] if there are no sets."""
        first = next(iter(self.score(self.make_terms(columns)).values()))
        return first if self._sets else first[:, None]

    def compiled(self) -> Callable[[Columns], Floats] | None:
        """Return sentence_scores() of n-grams and subsequences with the best reference, as rouge-score, compiled."""
        formula, kind, weight = kernel.formula("best_f_scores"), self.kinds[0], float(self.beta) ** 2
        if formula is None or self.script or self.alpha or self.references != "best":
            return None
        if kind.family == "L":
            return lambda columns: formula(columns["lcs"], columns["hyp_len"], columns["ref_len"], 1, weight)[:, None]
        if kind.family != "n":
            return None
        n = kind.number
        return lambda columns: formula(columns["match"][..., n - 1], columns["hyp_len"], columns["ref_len"], n, weight)[
            :, None
        ]

    def count_warnings(self, counts: Mapping[str, Iterable[Columns]]) -> list[CountWarning]:
        """Return notes about texts with letters but no token, and about an Lsum that is the same as L."""
        cut = bool(self.stop_words or self.max_words or self.max_bytes)
        return notes(counts, self.tokenizer, has_lsum=any(kind.family == "Lsum" for kind in self.kinds), cut=cut)


def _terms_of(kind: Type) -> list[str]:
    """Return the names of the terms of a type, in the order of the fields of Overlap."""
    return [f"{kind.name}_{field}" for field in Overlap._fields]


def _picked(part: Numbers, references: Any) -> Numbers:
    """Return the numbers of one reference for each line."""
    picked: Numbers = part[np.arange(len(part)), references]
    return picked
