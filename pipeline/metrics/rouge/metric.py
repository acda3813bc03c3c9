"""ROUGE (Lin 2004): recall, precision and F of shared n-grams, subsequences and skip bigrams."""

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ... import kernel
from ...arrays import Floats, Ints
from ...errors import ConfigError
from ...kernel.common import FOLDS
from ...tokenizers import STEMMERS, Tokenization, exceptions
from ..base import (
    Columns,
    Counted,
    CountWarning,
    Field,
    Metric,
    f_beta,
    ratio,
    rounded,
)
from ..base.ngrams import Shared
from ..base.statistics_spec import is_present
from ..options import number_option, option, tokenizer_option
from .columns import RougeSpec
from .stop_words import WithoutStopWords, list_named, words_of
from .texts import (
    SENTENCE_END,
    Limit,
    SentenceTokens,
    Splitting,
    count_warnings,
    expression,
)
from .types import (
    OUTPUTS,
    PATTERN,
    Numbers,
    Overlap,
    Type,
    TypeScores,
    read_types,
)

POLICIES = {
    "google": ("best", "mean", "merged", "jackknife"),
    "perl": ("best", "mean", "merged", "jackknife", "jackknife_mean"),
    "coco": ("best",),
}
"""The policies for references that each flavour allows."""
BOUNDARIES = {"marker": "<n>", "regex": SENTENCE_END}
"""The default of the option boundary for each way to split."""
COCO = {
    "types": "L",
    "tokenizer": "blank",
    "split": "none",
    "beta": "1.2",
}
"""The defaults of the flavour coco."""
NAMED_TYPES = (
    *"123456789",
    "L",
    "Lsum",
    "W",
    "S",
    "SU",
    "S4",
    "SU4",
)
"""The types that are names of the metric too, such as ROUGE-L."""
DECIMALS = 5
"""With so many decimals ROUGE-1.5.5 prints the scores of a text."""


MOST_MATCHES = "L_most"
"""The term of coco for precision."""


def _default(name: str, otherwise: str) -> Callable[[Mapping[str, Any]], str]:
    """Return what computes the default of an option: that of the flavour coco, or of the others."""
    return lambda settings: (
        COCO[name] if settings.get("flavour") == "coco" else otherwise
    )


def _default_tokenizer(settings: Mapping[str, Any]) -> str:
    flavour = settings.get("flavour", "google")
    if flavour == "coco":
        return COCO["tokenizer"]
    return str(flavour)


def _default_boundary(settings: Mapping[str, Any]) -> str:
    return BOUNDARIES.get(settings.get("split", ""), "")


def _default_alpha(settings: Mapping[str, Any]) -> str:
    is_script = settings.get("flavour") == "perl"
    if is_script and "beta" not in settings:
        return "0.5"
    return ""


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
class Rouge(Metric):
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

    name = "rouge"
    summary = "ROUGE (Lin 2004), as rouge-score, ROUGE-1.5.5 or the suite of COCO; needs no source"
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {
        **{f"ROUGE-{name}": {"types": name} for name in NAMED_TYPES},
        "ROUGE-1.5.5": {"flavour": "perl"},
        "coco rouge": {"flavour": "coco"},
    }
    table_outputs = "rouge[A-Za-z0-9]+(_low|_high)?"
    name_in_text = "ROUGE"
    by_reference = False
    """False, since each type has a best reference of its own, and scores may be of sets of
    references."""

    flavour: str = option(
        "google",
        help="as rouge-score, as the script ROUGE-1.5.5, or as the suite of COCO",
        choices=tuple(POLICIES),
    )
    types: str = option(
        _default("types", "1+2+L"),
        help="what is counted: n-grams, subsequences (L, Lsum, W), skip bigrams (S4, SU4; S, SU: "
        "any gap)",
        pattern=rf"{PATTERN}(?:\+{PATTERN})*",
        form="types joined by + out of 1 to 9, L, Lsum, W, S, SU, S4, SU4 ..., such as 1+2+L",
    )
    tokenizer: str = tokenizer_option(
        _default_tokenizer, "words", beside_unit=False
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
        _default("split", "newline"),
        help="where a text is split into sentences: at newlines, at a marker, where a regular "
        "expression fits, by nltk "
        "(rouge-score's split_summaries), nowhere",
        choices=("newline", "marker", "regex", "nltk", "none"),
    )
    boundary: str = option(
        _default_boundary,
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
        _default("beta", "1"),
        "weight of recall against precision in F",
        such="1 or 1.2",
        applies=lambda m: not m.alpha,
        why="alpha says it",
    )
    alpha: str = option(
        _default_alpha,
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
        1000,
        help="samples of level: bootstrap",
        minimum=1,
        maximum=1_000_000,
        **_SAMPLED,
    )
    seed: int = option(
        12345,
        help="the seed of numpy's stream for level: bootstrap",
        maximum=2**32 - 1,
        **_SAMPLED,
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
        0,
        key="words",
        help="the script's -l: how many words of each text count; 0: all",
        **_LIMIT,
    )
    max_bytes: int = option(
        0,
        key="bytes",
        help="the script's -b: how many bytes of each text count; 0: all",
        **_LIMIT,
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
        """Return types, policies, boundaries and stemmers that contradict the other options."""
        names = [kind.name for kind in self.kinds]
        repeated = next((name for name in names if names.count(name) > 1), "")
        subsequence = next(
            (kind.name for kind in self.kinds if kind.subsequence), ""
        )
        policies = POLICIES[self.flavour]
        checks = (
            (repeated, "types", f"{repeated} is asked for twice"),
            (
                self.script and "Lsum" in names,
                "types",
                "the L of flavour perl is the union over sentences already; write L",
            ),
            (
                self.coco and names != ["L"],
                "types",
                f"flavour coco has the type L alone; found '{self.types}'",
            ),
            (
                self.coco and self.level != "mean",
                "level",
                f"flavour coco is the mean of the texts' scores; found '{self.level}'",
            ),
            (
                self.references not in policies,
                "references",
                f"flavour {self.flavour} takes {', '.join(policies)}; found '{self.references}'",
            ),
            (
                self.script and self.level == "bootstrap",
                "level",
                "bootstrap is rouge-score's; flavour perl takes mean, micro",
            ),
            (
                self.references == "merged" and subsequence,
                "references",
                f"merged is defined for n-grams and skip bigrams, not for {subsequence}",
            ),
            (
                self.max_words and self.max_bytes,
                "max_bytes",
                "max_words is given too; the script takes one of them",
            ),
        )
        problems = [
            (option, message) for wrong, option, message in checks if wrong
        ]
        try:
            if self.split == "regex":
                # Splitting.unavailable() reports a missing package
                with contextlib.suppress(ImportError):
                    expression(self.boundary)
        except ValueError as error:
            problems.append(("boundary", f"is no regular expression: {error}"))
        try:
            if self.stemmer == "perl":
                exceptions()
        except ConfigError as error:
            problems.append(("stemmer", error.problems[0].message))
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
        """The selected types."""
        return read_types(self.types, script=self.script)

    def in_text(self, output: str) -> tuple[str, str]:
        """Return how papers head an output: ROUGE-L for the F of a type, with R or P below it.

        The score is that of the first type.
        """
        kind, _, part = output.partition("_")
        name = f"ROUGE-{kind.removeprefix(self.name) or self.kinds[0].name}"
        return name, super().in_text(part)[1] if part else ""

    def misfit(self, references: int, *, missing: bool = False) -> str | None:
        """Refuse missing references at level micro if counts are summed for each set of them."""
        if missing and self.level == "micro" and self._has_sets:
            return (
                f"references: {self.references} is not defined at level: micro "
                "where references are missing"
            )
        return None

    @property
    def policy(self) -> str:
        """The policy mean if each reference or set of references has a score, else merged."""
        if self._has_sets:
            return "mean"
        return "merged"

    @property
    def _has_sets(self) -> bool:
        """Whether the score is a mean of scores for each reference or each set that lacks one."""
        if self.references == "mean":
            return not self.script
        return self.references.startswith("jackknife")

    @property
    def citations(self) -> tuple[str, ...]:
        """The papers of ROUGE, and of the stemmer and the suite of COCO if they are used."""
        keys = ["lin-2004-rouge"]
        if self.coco:
            keys.append("chen-etal-2015-microsoft")
        if self.stemmer != "none":
            keys.append("porter-1980-algorithm")
        return tuple(keys)

    def overlaps(self) -> tuple[Shared, ...]:
        """Return what is shared by n-grams and by the type L, if one reference counts.

        Nothing is shared if a limit cuts a text. The script's L is a union over sentences, and is
        left out.
        """
        if self.references != "best" or self.spec.limit != Limit():
            return ()
        tokens = SentenceTokens(self.spec.tokenization, self.spec.splitting)
        shared = []
        for row, kind in enumerate(self.kinds):
            if kind.family == "n":
                shared.append(Shared(row, "ngrams", tokens, kind.number))
            elif kind.family == "L" and not self.script:
                shared.append(Shared(row, "sequence", tokens))
        return tuple(shared)

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return matches and totals of each type; nothing for several sets of references."""
        if self._has_sets:
            return []
        terms = self.make_terms(columns)
        counts = []
        for name, field in (
            ("match", "match"),
            ("ref_total", "reference"),
            ("hyp_total", "output"),
        ):
            of_types = [terms[f"{kind.name}_{field}"] for kind in self.kinds]
            counts.append(
                Counted(
                    name,
                    np.stack(of_types, axis=-1),
                    orders=True,
                )
            )
        return counts

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
        subsequences = {kind.subsequence for kind in self.kinds}
        gaps = {
            kind.number for kind in self.kinds if kind.family in ("S", "SU")
        }
        has_unigrams = any(kind.family == "SU" for kind in self.kinds)
        order = max(kind.order for kind in self.kinds)
        if has_unigrams and not self.script:
            order = max(order, 1)
        has_weights = any(kind.weighted for kind in self.kinds)
        return RougeSpec(
            tokenization,
            Splitting(self.split, self.boundary),
            order,
            tuple(sorted(subsequences - {""})),
            tuple(sorted(gaps)),
            lead=self.script and has_unigrams,
            merged=self.references == "merged",
            weight=self.weight if has_weights else "",
            limit=Limit(self.max_words, self.max_bytes),
        )

    @cached_property
    def terms(self) -> tuple[Field, ...]:
        """The matches and totals of each type.

        For coco the most matches with any reference are one more term, for precision.
        """
        fields = []
        for kind in self.kinds:
            for name in kind.terms:
                per_reference = self._has_sets
                fields.append(Field(name, 0, per_reference, real=kind.weighted))
        if self.coco:
            fields.append(Field(MOST_MATCHES))
        return tuple(fields)

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return matches and totals of each type, [lines] or [lines, sets of references]."""
        terms: dict[str, Ints] = {}
        merged = self.references == "merged"
        for kind in self.kinds:
            overlap = kind.overlap(columns, merged=merged, weight=self.weight)
            combined = self._combined(kind, overlap, columns)
            terms.update(zip(kind.terms, combined, strict=True))
            if self.coco:
                terms[MOST_MATCHES] = overlap.match.max(axis=-1)
        return terms

    def _combined(
        self, kind: Type, overlap: Overlap, columns: Columns
    ) -> Overlap:
        """Return the matches and totals of a type with references combined by the policy."""
        lines, references = overlap.match.shape
        if self.references == "merged":
            return overlap.selected(np.zeros(lines, np.int64))
        if self.references == "best":
            if references == 1:
                best = np.zeros(lines, np.int64)
            else:
                best = self._key(kind, overlap, columns).argmax(axis=-1)
            return overlap.selected(best)
        present = is_present(columns, references)
        if self.references == "mean":
            if self._has_sets:
                return overlap
            return overlap.summed(present)
        # jackknife: a set of references without each of them
        is_alone = present.sum(axis=-1, keepdims=True) == 1
        takes_best = self.references == "jackknife"
        keys = self._key(kind, overlap, columns) if takes_best else np.zeros(0)
        sets = []
        for left_out in range(references):
            in_set = present & ((np.arange(references) != left_out) | is_alone)
            if takes_best:
                best = np.where(in_set, keys, -1.0).argmax(axis=-1)
                sets.append(overlap.selected(best))
            else:
                sets.append(overlap.summed(in_set))
        return Overlap.stacked(sets)

    def _key(self, kind: Type, overlap: Overlap, columns: Columns) -> Floats:
        """Return what is highest for the best reference: F, or recall.

        ROUGE-1.5.5 rounds recall except for L and W.
        """
        if not self.script and not self.coco:
            return self._scores(kind, overlap).score
        if kind.weighted:
            # The script compares before it applies the weight to the sum once more.
            return ratio(overlap.match, columns["base"]) ** (
                1 / float(self.weight)
            )
        recall = ratio(overlap.match, overlap.reference)
        if kind.family == "L":
            return recall
        return rounded(recall, DECIMALS)

    def _scores(
        self,
        kind: Type,
        overlap: Overlap,
        precision_match: Numbers | None = None,
    ) -> TypeScores:
        """Return the scores of a type; coco has matches of their own for precision."""
        if precision_match is None:
            precision_match = overlap.match
        recall = ratio(overlap.match, overlap.reference)
        precision = ratio(precision_match, overlap.output)
        if kind.weighted:
            exponent = 1 / float(self.weight)
            recall = recall**exponent
            precision = precision**exponent
        is_rounded = self.script and self.level == "mean"
        if is_rounded:
            recall = rounded(recall, DECIMALS)
            precision = rounded(precision, DECIMALS)
        if self.alpha:
            alpha = float(self.alpha)
            score = ratio(
                precision * recall, (1 - alpha) * precision + alpha * recall
            )
        else:
            score = f_beta(precision, recall, float(self.beta))
        if is_rounded:
            score = rounded(score, DECIMALS)
        return TypeScores(score, recall, precision)

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return F, recall and precision of each type: rouge1, rouge1_recall ..."""
        outputs: dict[str, Floats] = {}
        for kind in self.kinds:
            overlap = Overlap(*(totals[name] for name in kind.terms))
            scores = self._scores(kind, overlap, totals.get(MOST_MATCHES))
            for suffix, values in zip(OUTPUTS, scores, strict=True):
                outputs[f"rouge{kind.name}{suffix}"] = values
        return outputs

    def line_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return the outputs of score() for each text: float64 [lines] each.

        They are means over the sets of references, if any.
        """
        outputs = self.score(self.make_terms(columns))
        if not self._has_sets:
            return outputs
        present = is_present(columns, columns["ref_len"].shape[1])
        sets = present.sum(axis=-1)
        means = {}
        for name, values in outputs.items():
            means[name] = np.where(present, values, 0).sum(axis=-1) / sets
        return means

    def aggregated(self, outputs: Mapping[str, Floats]) -> dict[str, float]:
        """Return the median of each output's means in samples of the texts, then the intervals.

        The intervals are name_low and name_high. The outputs of a type share samples. All samples
        come from one stream of numpy's RandomState, type after type, as BootstrapAggregator of
        rouge-score draws them from numpy's global one after numpy.random.seed(seed). Hugging Face's
        evaluate returns its medians.
        """
        stream = np.random.RandomState(self.seed)
        tail = (1 - float(self.interval)) / 2
        percents = [100 * tail, 50, 100 * (1 - tail)]
        medians: dict[str, float] = {}
        ends: dict[str, float] = {}
        for kind in self.kinds:
            names = [f"rouge{kind.name}{suffix}" for suffix in OUTPUTS]
            values = np.stack([outputs[name] for name in names], axis=1)
            means = np.zeros((self.samples, len(names)))
            for number in range(self.samples):
                sample = values[stream.choice(len(values), size=len(values))]
                means[number] = sample.mean(axis=0)
            low, median, high = np.percentile(means, percents, axis=0).tolist()
            for index, name in enumerate(names):
                medians[name] = median[index]
                ends[f"{name}_low"] = low[index]
                ends[f"{name}_high"] = high[index]
        return medians | ends

    def compiled(self) -> Callable[[Columns], Floats] | None:
        """Return sentence_scores() of n-grams and subsequences with the best reference, compiled.

        Only the flavour google has it.
        """
        formula = kernel.native_function("best_f_scores")
        kind = self.kinds[0]
        if formula is None or kind.family not in ("L", "n") or self.alpha:
            return None
        if self.flavour != "google" or self.references != "best":
            return None
        weight = float(self.beta) ** 2
        order = kind.order or 1

        def scores(columns: Columns) -> Floats:
            match = (
                columns["match"][..., order - 1]
                if kind.order
                else columns["lcs"]
            )
            best: Floats = formula(
                match, columns["hyp_len"], columns["ref_len"], order, weight
            )
            return best[:, None]

        return scores

    def count_warnings(
        self, counts: Mapping[str, Iterable[Columns]]
    ) -> list[CountWarning]:
        """Return warnings about texts with letters but no token, and an Lsum that equals L."""
        return count_warnings(
            counts,
            self.tokenizer,
            has_lsum=any(kind.family == "Lsum" for kind in self.kinds),
            cut=bool(self.stop_words or self.max_words or self.max_bytes),
        )
