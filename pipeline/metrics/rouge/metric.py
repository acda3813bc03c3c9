"""ROUGE (Lin 2004): recall, precision and F of n-grams, subsequences and skip bigrams that texts
share.
"""

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from ... import kernel
from ...arrays import Floats, Ints
from ...errors import ConfigError
from ...kernel.common import FOLDS
from ...tokenizers.stemmers import STEMMERS, exceptions
from ...tokenizers.tokenization import Tokenization, WithoutStopWords, list_named, words_of
from ..base import ShowsNgrams
from ..base.capabilities import (
    ChoosesReferences,
    Compiled,
    CountWarning,
    ScoresLines,
    Shared,
    Warns,
)
from ..base.choices import f_beta, ratio, rounded
from ..base.metric import Counted, Metric
from ..base.options import any_tokenizer_option, number_option, option
from ..base.statistics_spec import PRESENT, Columns, Field
from .columns import (
    PATTERN,
    Numbers,
    Overlap,
    RougeSpec,
    Type,
    overlap_of,
    read_types,
    subsequence_of,
)
from .texts import USUAL, Limit, SentenceTokens, Splitting, expression, notes

POLICIES = {
    "google": ("best", "mean", "merged", "jackknife"),
    "perl": ("best", "mean", "merged", "jackknife", "jackknife_mean"),
    "coco": ("best",),
}
"""The policies for references that each flavour allows."""
BOUNDARIES = {"marker": "<n>", "regex": USUAL}
"""The default of the option boundary for each way to split."""
COCO = {"types": "L", "tokenizer": "blank", "split": "none", "beta": "1.2"}
"""The defaults of the flavour coco."""
DECIMALS = 5
"""With so many decimals ROUGE-1.5.5 prints the scores of a text."""


def _usual(name: str, otherwise: str) -> Callable[[Mapping[str, Any]], str]:
    """Return what gives the default of an option: that of the flavour coco, or of the others."""
    return lambda given: COCO[name] if given.get("flavour") == "coco" else otherwise


_SAMPLED: dict[str, Any] = {
    "applies": lambda m: m.level == "bootstrap",
    "why": "only level: bootstrap draws samples",
}
_LIMIT: dict[str, Any] = {
    "maximum": 1_000_000,
    "implicit": True,
    "applies": lambda m: m.script,
    "why": "only flavour: perl has limits",
}


@dataclass(frozen=True)
class Rouge(ChoosesReferences, ScoresLines, Compiled, ShowsNgrams, Warns, Metric):
    """ROUGE of several types at once. The F of the first type is the score that ranks systems.

    The flavour google follows the package rouge-score, which has the types 1 to 9, L and Lsum; W, S
    and SU follow the paper (Lin 2004). The flavour perl follows the script ROUGE-1.5.5. Its L and W
    are unions over sentences, and its scores of a text are rounded to five decimals. The flavour
    coco is the type L of the suites of COCO and E2E, for texts that are tokenised as theirs: recall
    and precision are each the best of any reference.

    The option references is the policy for several references:

    - best takes for each type the reference with the best F (google) or the best recall (perl).
    - mean takes the mean of the scores (google), or sums matches and totals (perl, the script's -f
      A).
    - merged makes one reference by maximum counts.
    - jackknife is the mean of best over the sets that lack one reference.
    - jackknife_mean is the mean of mean over these sets.
    """

    name: ClassVar[str] = "rouge"
    summary: ClassVar[str] = (
        "ROUGE (Lin 2004), as rouge-score, ROUGE-1.5.5 or the suite of COCO; needs no source"
    )
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {
        **{
            f"ROUGE-{name}": {"types": name}
            for name in (*"123456789", "L", "Lsum", "W", "S", "SU", "S4", "SU4")
        },
        "ROUGE-1.5.5": {"flavour": "perl"},
        "coco rouge": {"flavour": "coco"},
    }
    table_outputs: ClassVar[str] = "rouge[A-Za-z0-9]+(_low|_high)?"
    name_in_text: ClassVar[str] = "ROUGE"
    by_reference: ClassVar[bool] = False
    """False, since each type has a best reference of its own, and scores may be of sets of
    references."""

    flavour: str = option(
        "google",
        help="as rouge-score, as the script ROUGE-1.5.5, or as the suite of COCO",
        choices=tuple(POLICIES),
    )
    types: str = option(
        _usual("types", "1+2+L"),
        help="what is counted: n-grams, subsequences (L, Lsum, W), skip bigrams (S4, SU4; S, SU: "
        "any gap)",
        pattern=rf"{PATTERN}(?:\+{PATTERN})*",
        form="types joined by + out of 1 to 9, L, Lsum, W, S, SU, S4, SU4 ..., such as 1+2+L",
    )
    tokenizer: str = any_tokenizer_option(
        lambda given: _usual("tokenizer", given.get("flavour", "google"))(given), "words"
    )
    lowercase: bool = option(
        False,
        key="lc",
        help="compare without upper case",
        applies=lambda m: m.tokenizer not in (*FOLDS, "unicode"),
        why="the tokenizer does it anyway",
        implicit=True,
    )
    stemmer: str = option(
        "none",
        key="stem",
        help="of words longer than three letters: nltk's Porter stemmer, or that of ROUGE-1.5.5 "
        "with its exceptions",
        choices=("none", *STEMMERS),
        applies=lambda m: m.tokenizer in FOLDS,
        why=f"only words of the tokenizers {' and '.join(FOLDS)} are stemmed",
    )
    split: str = option(
        _usual("split", "newline"),
        help="where a text is split into sentences: at newlines, at a marker, where a regular "
        "expression fits, by nltk "
        "(rouge-score's split_summaries), nowhere",
        choices=("newline", "marker", "regex", "nltk", "none"),
    )
    boundary: str = option(
        lambda given: BOUNDARIES.get(given.get("split", ""), ""),
        help="the marker (default <n>), or the regular expression; what it matches is no part of a "
        "sentence",
        applies=lambda m: m.split in BOUNDARIES,
        why="only split: marker and regex have one",
        form="some text",
        free=True,
    )
    weight: str = option(
        "1.2",
        help="of W: a run of k words counts k to this power",
        applies=lambda m: any(kind.weighted for kind in m.kinds),
        why="only the type W has one",
        pattern=r"[1-9](\.[0-9]{1,6})?",
        numbers=True,
        form="a number from 1, below 10, such as 1.2",
    )
    beta: str = number_option(
        _usual("beta", "1"),
        "weight of recall against precision in F",
        such="1 or 1.2",
        applies=lambda m: not m.alpha,
        why="alpha says it",
    )
    alpha: str = option(
        lambda given: "0.5" if given.get("flavour") == "perl" and "beta" not in given else "",
        help="weight of precision in F, instead of beta: the script's -p",
        applies=lambda m: bool(m.alpha),
        pattern=r"0(\.[0-9]{1,6})?|1(\.0{1,6})?",
        numbers=True,
        form="a number from 0 to 1",
    )
    references: str = option(
        "best",
        key="refs",
        help="of several references: the best, the mean, merged counts, or the mean over the sets "
        "that lack one",
        choices=POLICIES["perl"],
    )
    level: str = option(
        "mean",
        help="the mean of the texts' scores, the score of summed counts, or the median of means in "
        "samples of "
        "the texts (rouge-score's aggregator, Hugging Face's evaluate)",
        choices=("mean", "micro", "bootstrap"),
    )
    samples: int = option(
        1000, help="samples of level: bootstrap", minimum=1, maximum=1_000_000, **_SAMPLED
    )
    seed: int = option(
        12345, help="the seed of numpy's stream for level: bootstrap", maximum=2**32 - 1, **_SAMPLED
    )
    interval: str = option(
        "0.95",
        help="how much the intervals of level: bootstrap hold",
        pattern=r"0\.[0-9]{1,6}",
        numbers=True,
        form="a number such as 0.95",
        **_SAMPLED,
    )

    max_words: int = option(
        0, key="words", help="the script's -l: how many words of each text count; 0: all", **_LIMIT
    )
    max_bytes: int = option(
        0, key="bytes", help="the script's -b: how many bytes of each text count; 0: all", **_LIMIT
    )
    stop_words: str = option(
        "",
        key="stop",
        help="the script's -s: words that are left out",
        free=True,
        form="smart (the script's list), or a file with a word on each line, of which signatures "
        "have a checksum",
        resolved=list_named,
        implicit=True,
        applies=lambda m: m.script and m.tokenizer in FOLDS,
        why=f"only flavour: perl has stop words, for words of the tokenizers {' and '.join(FOLDS)}",
    )

    def conflicts(self) -> list[tuple[str, str]]:
        """Return types, policies, boundaries and stemmers that do not go with the rest."""
        names, problems = [kind.name for kind in self.kinds], []
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice:
            problems.append(("types", f"{twice} is asked for twice"))
        if self.script and "Lsum" in names:
            problems.append(
                ("types", "the L of flavour perl is the union over sentences already; write L")
            )
        if self.coco and names != ["L"]:
            problems.append(("types", f"flavour coco has the type L alone; found '{self.types}'"))
        if self.coco and self.level != "mean":
            problems.append(
                ("level", f"flavour coco is the mean of the texts' scores; found '{self.level}'")
            )
        if self.references not in POLICIES[self.flavour]:
            allowed = ", ".join(POLICIES[self.flavour])
            problems.append(
                ("references", f"flavour {self.flavour} takes {allowed}; found '{self.references}'")
            )
        if self.script and self.level == "bootstrap":
            problems.append(("level", "bootstrap is rouge-score's; flavour perl takes mean, micro"))
        subsequence = next(
            (kind.name for kind in self.kinds if subsequence_of(kind, self.script)), None
        )
        if self.references == "merged" and subsequence:
            problems.append(
                (
                    "references",
                    f"merged is defined for n-grams and skip bigrams, not for {subsequence}",
                )
            )
        try:
            if self.split == "regex":
                with contextlib.suppress(ImportError):  # the needs say so
                    expression(self.boundary)
        except ValueError as error:
            problems.append(("boundary", f"is no regular expression: {error}"))
        try:
            if self.stemmer == "perl":
                exceptions()
        except ConfigError as error:
            problems.append(("stemmer", error.problems[0].message))
        if self.max_words and self.max_bytes:
            problems.append(("max_bytes", "max_words is given too; the script takes one of them"))
        return problems

    @property
    def script(self) -> bool:
        """Whether the metric follows the script ROUGE-1.5.5."""
        return self.flavour == "perl"

    @property
    def coco(self) -> bool:
        """Whether the metric follows the suite of COCO."""
        return self.flavour == "coco"

    @cached_property
    def kinds(self) -> list[Type]:
        """The types that are asked for."""
        return read_types(self.types)

    def in_text(self, output: str) -> tuple[str, str]:
        """Return how papers head an output: ROUGE-L for the F of a type, R or P below it; the score
        is of the first."""
        kind, _, part = output.partition("_")
        return f"ROUGE-{kind.removeprefix(self.name) or self.kinds[0].name}", super().in_text(part)[
            1
        ] if part else ""

    def misfit(self, references: int, *, missing: bool = False) -> str | None:
        """Refuse missing references at level micro if counts are summed for each reference or set
        of them."""
        if missing and self.level == "micro" and self._sets:
            return f"references: {self.references} is not defined at level: micro where references are missing"
        return None

    @property
    def policy(self) -> str:
        """The policy mean if there is a score for each reference or set of references, else merged."""
        return "mean" if self._sets else "merged"

    @property
    def _sets(self) -> bool:
        """Whether the score is a mean of scores, one for each reference or for each set that lacks
        one."""
        return self.references.startswith("jackknife") or (
            self.references == "mean" and not self.script
        )

    @property
    def citations(self) -> tuple[str, ...]:
        """The paper of ROUGE, and those of the stemmer and of the suite of COCO where they are
        used."""
        coco = ("chen-etal-2015-microsoft",) if self.coco else ()
        return (
            "lin-2004-rouge",
            *coco,
            *(("porter-1980-algorithm",) if self.stemmer != "none" else ()),
        )

    def overlaps(self) -> tuple[Shared, ...]:
        """Return what is shared by n-grams and by the type L, if one reference counts and no limit
        cuts a text.

        The script's L is a union over sentences, and is left out.
        """
        if self.references != "best" or self.spec.limit != Limit():
            return ()
        split, kinds = (
            SentenceTokens(self.spec.tokenization, self.spec.splitting),
            enumerate(self.kinds),
        )
        rows = [
            (row, kind)
            for row, kind in kinds
            if kind.family == "n" or (kind.family == "L" and not self.script)
        ]
        return tuple(
            Shared(row, "ngrams" if kind.family == "n" else "sequence", split, kind.number or 1)
            for row, kind in rows
        )

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return matches and totals of each type, but nothing if there are several sets of
        references."""
        if self._sets:
            return []
        terms, fields = (
            self.make_terms(columns),
            {"match": "match", "ref_total": "reference", "hyp_total": "output"},
        )
        stacks = {
            name: [terms[f"{kind.name}_{field}"] for kind in self.kinds]
            for name, field in fields.items()
        }
        return [
            Counted(name, np.stack(stack, axis=-1), orders=True) for name, stack in stacks.items()
        ]

    def row_names(self) -> list[str]:
        """Return the names of the types."""
        return [f"ROUGE-{kind.name}" for kind in self.kinds]

    @cached_property
    def spec(self) -> RougeSpec:
        """What the types count."""
        if self.stop_words:
            tokenization: Tokenization = WithoutStopWords(
                self.tokenizer,
                stemmer=self.stemmer,
                stop_words=self.stop_words,
                left_out=words_of(self.stop_words),
            )
        else:
            tokenization = Tokenization(
                self.tokenizer, lowercase=self.lowercase, stemmer=self.stemmer
            )
        subsequences = {subsequence_of(kind, self.script) for kind in self.kinds} - {""}
        skips = [kind for kind in self.kinds if kind.family in ("S", "SU")]
        return RougeSpec(
            tokenization,
            Splitting(self.split, self.boundary),
            max(int(kind.family == "SU" and not self.script) or kind.order for kind in self.kinds),
            tuple(sorted(subsequences)),
            tuple(sorted({kind.number for kind in skips})),
            lead=self.script and any(kind.family == "SU" for kind in skips),
            merged=self.references == "merged",
            weight=self.weight if any(kind.weighted for kind in self.kinds) else "",
            limit=Limit(self.max_words, self.max_bytes),
        )

    @cached_property
    def terms(self) -> tuple[Field, ...]:
        """The matches and totals of each type. In coco the most matches with any reference are
        apart, for precision."""
        fields = [
            Field(name, per_reference=self._sets, real=kind.weighted)
            for kind in self.kinds
            for name in _terms_of(kind)
        ]
        return (*fields, Field(MOST)) if self.coco else tuple(fields)

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return matches and totals of each type, with references combined: [lines], or [lines,
        sets]."""
        terms: dict[str, Ints] = {}
        for kind in self.kinds:
            overlap = overlap_of(
                kind, columns, self.script, self.references == "merged", self.weight
            )
            terms |= dict(zip(_terms_of(kind), self._combined(kind, overlap, columns), strict=True))
            terms |= {MOST: overlap.match.max(axis=-1)} if self.coco else {}
        return terms

    def _combined(self, kind: Type, overlap: Overlap, columns: Columns) -> list[Numbers]:
        lines, references = overlap.match.shape
        if self.references == "merged":
            return [part[:, 0] for part in overlap]
        if self.references == "best":
            # of a single reference no score is needed to find the best
            best = (
                np.zeros(lines, np.int64)
                if references == 1
                else self._key(kind, overlap, columns).argmax(axis=-1)
            )
            return [_picked(part, best) for part in overlap]
        present = columns.get(PRESENT, np.full(lines, references))
        there = np.arange(references) < present[:, None]
        if self.references == "mean":
            return (
                list(overlap)
                if self._sets
                else [np.where(there, part, 0).sum(axis=-1) for part in overlap]
            )
        keys, sets = (
            self._key(kind, overlap, columns) if self.references == "jackknife" else None,
            [],
        )
        for left_out in range(references):
            kept = there & ((np.arange(references) != left_out) | (present[:, None] == 1))
            if keys is None:
                sets.append([np.where(kept, part, 0).sum(axis=-1) for part in overlap])
            else:
                best = np.where(kept, keys, -1.0).argmax(axis=-1)
                sets.append([_picked(part, best) for part in overlap])
        return [np.stack(parts, axis=-1) for parts in zip(*sets, strict=True)]

    def _key(self, kind: Type, overlap: Overlap, columns: Columns) -> Floats:
        """Return what the best reference has most of: F, or recall, which is rounded in ROUGE-1.5.5
        but for L and W."""
        if not self.script and not self.coco:
            return self._scores(kind, overlap)[0]
        if kind.weighted:  # the script compares before it applies the weight to the sum once more
            return ratio(overlap.match, columns["base"]) ** (1 / float(self.weight))
        recall = ratio(overlap.match, overlap.reference)
        return recall if kind.family == "L" else rounded(recall, DECIMALS)

    def _scores(
        self, kind: Type, overlap: Overlap, most: Numbers | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """Return F, recall and precision, for which coco has `most` matches of its own."""
        recall = ratio(overlap.match, overlap.reference)
        precision = ratio(overlap.match if most is None else most, overlap.output)
        if kind.weighted:
            recall, precision = (value ** (1 / float(self.weight)) for value in (recall, precision))
        shown = (
            partial(rounded, digits=DECIMALS)
            if self.script and self.level == "mean"
            else np.asarray
        )
        recall, precision = shown(recall), shown(precision)
        if self.alpha:
            alpha = float(self.alpha)
            score = ratio(precision * recall, (1 - alpha) * precision + alpha * recall)
        else:
            score = f_beta(precision, recall, float(self.beta))
        return shown(score), recall, precision

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return for each type F, recall and precision: rouge1, rouge1_recall, rouge1_precision ..."""
        outputs: dict[str, Floats] = {}
        for kind in self.kinds:
            overlap = Overlap(*(totals[name] for name in _terms_of(kind)))
            score, recall, precision = self._scores(kind, overlap, totals.get(MOST))
            name = f"rouge{kind.name}"
            outputs |= {name: score, f"{name}_recall": recall, f"{name}_precision": precision}
        return outputs

    def line_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return the outputs of score() for each text, means over the sets of references if any:
        float64 [lines]."""
        outputs = self.score(self.make_terms(columns))
        if not self._sets:
            return outputs
        first = next(iter(outputs.values()))
        there = (
            np.arange(first.shape[1])
            < columns.get(PRESENT, np.full(len(first), first.shape[1]))[:, None]
        )
        return {
            name: np.where(there, values, 0).sum(axis=-1) / there.sum(axis=-1)
            for name, values in outputs.items()
        }

    def aggregated(self, outputs: Mapping[str, Floats]) -> dict[str, float]:
        """Return the median of each output's means in samples of the texts; then the intervals,
        name_low and name_high.

        The outputs of a type share samples. All samples come from one stream of numpy's
        RandomState, type after type, as BootstrapAggregator of rouge-score draws them from numpy's
        global one after numpy.random.seed(seed). Hugging Face's evaluate gives out its medians."""
        stream, tail = np.random.RandomState(self.seed), (1 - float(self.interval)) / 2
        percents = [100 * tail, 50, 100 * (1 - tail)]
        middle: dict[str, float] = {}
        ends: dict[str, float] = {}
        for kind in self.kinds:
            names = [f"rouge{kind.name}{part}" for part in ("", "_recall", "_precision")]
            values = np.stack([outputs[name] for name in names], axis=1)
            samples = (
                values[stream.choice(len(values), size=len(values))] for _ in range(self.samples)
            )
            means = np.stack([sample.mean(axis=0) for sample in samples])
            for name, low, mid, high in zip(
                names, *np.percentile(means, percents, axis=0).tolist(), strict=True
            ):
                middle[name] = mid
                ends |= {f"{name}_low": low, f"{name}_high": high}
        return middle | ends

    def compiled(self) -> Callable[[Columns], Floats] | None:
        """Return sentence_scores() of n-grams and subsequences with the best reference, as
        rouge-score, compiled."""
        formula, kind, weight = (
            kernel.native_function("best_f_scores"),
            self.kinds[0],
            float(self.beta) ** 2,
        )
        if formula is None or self.flavour != "google" or self.alpha or self.references != "best":
            return None
        if kind.family not in ("L", "n"):
            return None
        n = kind.order or 1

        def scores(columns: Columns) -> Floats:
            match = columns["match"][..., n - 1] if kind.order else columns["lcs"]
            best: Floats = formula(match, columns["hyp_len"], columns["ref_len"], n, weight)
            return best[:, None]

        return scores

    def count_warnings(self, counts: Mapping[str, Iterable[Columns]]) -> list[CountWarning]:
        """Return notes about texts with letters but no token, and about an Lsum that is the same as
        L."""
        cut = bool(self.stop_words or self.max_words or self.max_bytes)
        return notes(
            counts,
            self.tokenizer,
            has_lsum=any(kind.family == "Lsum" for kind in self.kinds),
            cut=cut,
        )


MOST = "L_most"
"""The term of coco for precision."""


def _terms_of(kind: Type) -> list[str]:
    return [f"{kind.name}_{field}" for field in Overlap._fields]


def _picked(part: Numbers, references: Any) -> Numbers:
    picked: Numbers = part[np.arange(len(part)), references]
    return picked
