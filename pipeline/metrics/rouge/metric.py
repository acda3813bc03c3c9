"""ROUGE (Lin 2004): recall, precision and F of n-grams, subsequences and skip bigrams that summaries share."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...tokenizers.tokenization import Tokenization
from ..base.arithmetic import f_beta, ratio
from ..base.columns import PRESENT, Field
from ..base.description import Counted
from ..base.metric import Metric
from .columns import RougeNeeds
from .notes import notes
from .options import RougeOptions
from .sentences import Splitting
from .types import Parts, order_of, part_of, parts, printed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ...arrays import Floats, Ints
    from ..base.columns import Columns
    from ..base.metric import Note
    from .types import Numbers, Type


@dataclass(frozen=True)
class Rouge(RougeOptions, Metric):
    """ROUGE of several types at once; the first type's F is the ranked score.

    flavour google: as the package rouge-score (whose types are 1 to 9, L and Lsum; W, S and SU are those of the
    paper); perl: as the script ROUGE-1.5.5, whose L and W are unions over sentences and whose scores of a text are
    rounded to five decimals. Policies for references: best (per type: google the best F, perl the best recall), mean
    (google: of the scores; perl: matches and totals are summed, its -f A), merged (one reference by maximum counts),
    jackknife (best in each set that lacks one reference, and the mean over the sets), jackknife_mean (mean in each
    set). Source: Lin 2004; the package rouge-score; the script itself.
    """

    name: ClassVar[str] = "rouge"
    summary: ClassVar[str] = "ROUGE for summarisation (Lin 2004), as rouge-score or as ROUGE-1.5.5; needs no source"
    beside_score: ClassVar[str] = "rouge[A-Za-z0-9]+"
    name_in_text: ClassVar[str] = "ROUGE"

    def misfit(self, references: int, *, missing: bool = False) -> str | None:
        """Return what is wrong with missing references: summed counts of each reference need it everywhere."""
        del references
        if missing and self.level == "micro" and self._sets:
            return f"references: {self.references} is not defined at level: micro where references are missing"
        return None

    @property
    def policy(self) -> str:
        """How reduce.py sees it: terms are made of the reference chosen, or apart for each set of references."""
        return "mean" if self._sets else "merged"

    @property
    def _sets(self) -> bool:
        """Whether there are several scores to average: one for each reference, or for each set that lacks one."""
        return self.references.startswith("jackknife") or (self.references == "mean" and not self.script)

    @property
    def by_reference(self) -> bool:
        """Sets of references are no references, and each type has a best reference of its own."""
        return False

    @property
    def citations(self) -> tuple[str, ...]:
        """The paper, and that of the stemmer."""
        return ("lin-2004-rouge", *(("porter-1980-algorithm",) if self.stemmer != "none" else ()))

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return matches and totals of each type, where the metric has one of each for a sentence."""
        if self._sets:
            return []
        terms, ends = self.make_terms(columns), {"match": "match", "ref_total": "reference", "hyp_total": "output"}
        stacks = {name: [terms[f"{kind.name}_{end}"] for kind in self.kinds] for name, end in ends.items()}
        return [Counted(name, np.stack(stack, axis=-1), orders=True) for name, stack in stacks.items()]

    def row_names(self) -> list[str]:
        """Return the types."""
        return [f"ROUGE-{kind.name}" for kind in self.kinds]

    @functools.cached_property
    def needs(self) -> RougeNeeds:
        """What the types count."""
        found = [part_of(kind, self.script) for kind in self.kinds]
        skips = [kind for kind in self.kinds if kind.family in ("S", "SU")]
        return RougeNeeds(
            Tokenization(self.tokenizer, lowercase=self.lowercase, stemmer=self.stemmer),
            Splitting(self.split, self.boundary),
            max(order_of(kind, self.script) for kind in self.kinds),
            tuple(sorted({part for part in found if part})),
            tuple(sorted({kind.number for kind in skips})),
            lead=self.script and any(kind.family == "SU" for kind in skips),
            merged=self.references == "merged",
            weight=self.weight if any(kind.weighted for kind in self.kinds) else "",
        )

    @property
    def terms(self) -> tuple[Field, ...]:
        """Matches and totals of each type."""
        names = [(kind, end) for kind in self.kinds for end in ("match", "reference", "output")]
        return tuple(Field(f"{kind.name}_{end}", per_reference=self._sets, real=kind.weighted) for kind, end in names)

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return matches and totals of each type, of the reference chosen: [lines], or [lines, sets]."""
        terms: dict[str, Ints] = {}
        for kind in self.kinds:
            found = parts(kind, columns, self.script, self.references == "merged", self.weight)
            combined = self._combined(kind, found, columns)
            terms |= dict(
                zip((f"{kind.name}_{end}" for end in ("match", "reference", "output")), combined, strict=True)
            )
        return terms

    def _combined(self, kind: Type, found: Parts, columns: Columns) -> list[Numbers]:
        """Apply the policy for references to the parts of a type."""
        lines, references = found.match.shape
        present = columns.get(PRESENT, np.full(lines, references))
        there = np.arange(references) < present[:, None]
        if self.references == "merged":
            return [part[:, 0] for part in found]
        if self.references == "mean":
            return list(found) if self._sets else [np.where(there, part, 0).sum(axis=-1) for part in found]
        if self.references == "best":
            return [_picked(part, self._key(kind, found, columns).argmax(axis=-1)) for part in found]
        sets = []
        for left_out in range(references):
            kept = there & ((np.arange(references) != left_out) | (present[:, None] == 1))
            if self.references == "jackknife_mean":
                sets.append([np.where(kept, part, 0).sum(axis=-1) for part in found])
            else:
                chosen = np.where(kept, self._key(kind, found, columns), -1.0).argmax(axis=-1)
                sets.append([_picked(part, chosen) for part in found])
        return [np.stack(parts, axis=-1) for parts in zip(*sets, strict=True)]

    def _key(self, kind: Type, found: Parts, columns: Columns) -> Floats:
        """Return what the best reference has most of: F, or as in ROUGE-1.5.5 recall (of n-grams as it prints it)."""
        if not self.script:
            return self._scores(kind, found)[0]
        if kind.weighted:  # the script compares before it weighs the sum of weights once more
            return ratio(found.match, columns["base"]) ** (1 / float(self.weight))
        recall = ratio(found.match, found.reference)
        return recall if kind.family == "L" else printed(recall)

    def _scores(self, kind: Type, found: Parts) -> tuple[Floats, Floats, Floats]:
        """Return F, recall and precision."""
        recall, precision = ratio(found.match, found.reference), ratio(found.match, found.output)
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
            found = Parts(*(totals[f"{kind.name}_{end}"] for end in ("match", "reference", "output")))
            score, recall, precision = self._scores(kind, found)
            name = f"rouge{kind.name}"
            outputs |= {name: score, f"{name}_recall": recall, f"{name}_precision": precision}
        return outputs

    def line_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return the same for each text: float64 [lines]; over several sets of references their mean."""
        outputs = self.score(self.make_terms(columns))
        if not self._sets:
            return outputs
        first = next(iter(outputs.values()))
        there = np.arange(first.shape[1]) < columns.get(PRESENT, np.full(len(first), first.shape[1]))[:, None]
        return {name: np.where(there, values, 0).sum(axis=-1) / there.sum(axis=-1) for name, values in outputs.items()}

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the first type's F: float64 [lines, references or sets] (best, merged: [lines, 1])."""
        first = next(iter(self.score(self.make_terms(columns)).values()))
        return first if self._sets else first[:, None]

    def remarks(self, statistics: Mapping[str, Iterable[Columns]]) -> list[Note]:
        """Tell of texts that lost all their letters, and of an Lsum that is an L."""
        return notes(statistics, self.tokenizer, any(kind.family == "Lsum" for kind in self.kinds))


def _picked(part: Numbers, chosen: Any) -> Numbers:
    picked: Numbers = part[np.arange(len(part)), chosen]
    return picked
