"""Naive reference implementation of the GLEU family: slow, literal, written from the specification
only.

Everywhere: sigma = count of an n-gram in the source, rho in the reference, eta in the hypothesis.
`references` is a list over references of lists of lines: `references[r][i]` belongs to sentence i.
Scores are fractions of 1. Sources: Napoles et al. 2015 ("Ground truth for grammatical error
correction metrics"), Napoles et al. 2016 ("GLEU without tuning"), the official code gec-ranking of
2015 to 2017, the package `gleu` 1.1.0 ("the package"), Wu et al. 2016 (Google-BLEU GLEU), Koyama et
al. 2024 (GREEN)."""

import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple, TypeVar

Gram = tuple[str, ...]
Strings = Sequence[str]
"""Tokens of a sentence, or lines of a text."""
Grams = Counter[Gram]
Number = int | Fraction
N = TypeVar("N", int, Number)
Z_95 = 1.959964  # two-sided 95 % point of the normal distribution, as the specification prints it
TIE = 1e-12  # scores closer than this (relative) are the same number computed in two ways

# ---- lines and tokens


def read_lines(path: str | Path) -> list[str]:
    r"""Lines of a UTF-8 file: ended by \n or \r\n, the last may lack its end, a BOM at the start is
    dropped.

    Only \n ends a line: a \r that is not just before a \n stays in the line, and so do U+0085 and
    U+2028."""
    parts = (
        Path(path)
        .read_bytes()
        .decode("utf-8")
        .removeprefix("\ufeff")
        .split("\n")
    )
    last = parts.pop()
    lines = [part.removesuffix("\r") for part in parts]
    if last:
        return [*lines, last]
    return lines


def tokens(
    line: str,
    unit: str = "word",
    split: str = "whitespace",
    strip: bool = False,
) -> list[str]:
    """Tokens of a line without its end. Unit "char": every code point; `split` is for unit "word"
    only.

    strip: blanks (U+0020 only, the reading taken here) at both ends are dropped first, in either
    unit."""
    if strip:
        line = line.strip(" ")
    if unit == "char":
        return list(line)
    if unit != "word":
        raise ValueError(unit)
    if split == "whitespace":
        return line.split()
    if split == "ascii_whitespace":
        return _split_at(line, [chr(code) for code in (9, 10, 11, 12, 13, 32)])
    if split == "blank":
        return line.split(" ")
    raise ValueError(split)


def _split_at(line: str, separators: list[str]) -> list[str]:
    """Maximal runs of characters that are not separators (Python 2's str.split() on bytes)."""
    for separator in separators:
        line = line.replace(separator, " ")
    return [token for token in line.split(" ") if token != ""]


def ngrams(sentence: Strings, order: int) -> Grams:
    """Counts of the n-grams of one order, as tuples."""
    return Counter(
        tuple(sentence[k : k + order]) for k in range(len(sentence) - order + 1)
    )


def ngrams_of(order: int, *sentences: Strings) -> list[Grams]:
    """The n-grams of each of some sentences."""
    return [ngrams(sentence, order) for sentence in sentences]


def add_columns(rows: Iterable[Sequence[N]]) -> list[N]:
    """Each column summed over the rows (at least one row)."""
    return [sum(column[1:], column[0]) for column in zip(*rows, strict=True)]


def union_grams(*counts: Grams) -> set[Gram]:
    """Every n-gram that occurs in any of the counters."""
    return set().union(*counts)


# ---- columns


class Columns(NamedTuple):
    """Sufficient statistics of one sentence and one reference; lists are by order, order 1 first."""

    match: list[int]
    penalty: list[int]
    penalty_paper: list[int]
    total: list[int]
    hyp_len: int
    ref_len: int


Table = Sequence[Sequence[Columns]]
"""Columns of each sentence and reference."""


def match_n(reference: Strings, hypothesis: Strings, order: int) -> int:
    """sum over g of min(rho, eta) (spec: Napoles et al. 2016, official code)."""
    return overlap(*ngrams_of(order, reference, hypothesis))


def penalty_n(
    source: Strings,
    reference: Strings,
    hypothesis: Strings,
    order: int,
) -> int:
    """sum over g of min(sigma [rho = 0], eta) (spec: official code, 2016 and 2017)."""
    sigma, rho, eta = ngrams_of(order, source, reference, hypothesis)
    return sum(
        min(sigma[g], eta[g]) for g in union_grams(sigma, eta) if rho[g] == 0
    )


def penalty_paper_n(
    source: Strings,
    reference: Strings,
    hypothesis: Strings,
    order: int,
) -> int:
    """sum over g of max(0, min(sigma, eta) - min(rho, eta)) (spec: eq. 1 of Napoles et al. 2016)."""
    sigma, rho, eta = ngrams_of(order, source, reference, hypothesis)
    return sum(
        max(0, min(sigma[g], eta[g]) - min(rho[g], eta[g]))
        for g in union_grams(sigma, rho, eta)
    )


def total_n(hypothesis: Strings, order: int) -> int:
    """max(|h| - n + 1, 0)."""
    return max(len(hypothesis) - order + 1, 0)


def columns(
    source: Strings,
    reference: Strings,
    hypothesis: Strings,
    n: int = 4,
) -> Columns:
    """All columns of one sentence and one reference, for orders 1..n."""
    orders = range(1, n + 1)
    return Columns(
        match=[match_n(reference, hypothesis, k) for k in orders],
        penalty=[penalty_n(source, reference, hypothesis, k) for k in orders],
        penalty_paper=[
            penalty_paper_n(source, reference, hypothesis, k) for k in orders
        ],
        total=[total_n(hypothesis, k) for k in orders],
        hyp_len=len(hypothesis),
        ref_len=len(reference),
    )


def all_columns(
    source_lines: Strings,
    references: Sequence[Strings],
    hypothesis_lines: Strings,
    n: int = 4,
    *,
    unit: str = "word",
    split: str = "whitespace",
    strip: bool = False,
) -> list[list[Columns]]:
    """Columns of every sentence i and reference r, as result[i][r]."""
    if any(
        len(lines) != len(source_lines)
        for lines in [hypothesis_lines, *references]
    ):
        raise ValueError("unequal numbers of lines")
    result = []
    for i, source_line in enumerate(source_lines):
        source = tokens(source_line, unit, split, strip)
        hypothesis = tokens(hypothesis_lines[i], unit, split, strip)
        row = [
            columns(source, tokens(lines[i], unit, split, strip), hypothesis, n)
            for lines in references
        ]
        result.append(row)
    return result


# ---- corpus formula


class Sums(NamedTuple):
    """What the formula needs, of one sentence or summed over sentences."""

    numer: list[Number]
    denom: list[Number]
    hyp_len: int
    ref_len: int


def numer_n(
    cols: Columns, variant: str = "2017", clip: str | None = None
) -> list[Number]:
    """match - penalty by order; 2017, 2016: at least 0; paper: its own penalty, clipped on demand."""
    if variant in ("2017", "2016"):
        if clip == "none":
            raise ValueError("variants 2017 and 2016 are always clipped")
        return [
            max(match - penalty, 0)
            for match, penalty in zip(cols.match, cols.penalty, strict=True)
        ]
    if variant != "paper" or clip not in (None, "none", "sentence"):
        raise ValueError((variant, clip))
    differences = [
        match - penalty
        for match, penalty in zip(cols.match, cols.penalty_paper, strict=True)
    ]
    return [
        max(difference, 0) if clip == "sentence" else difference
        for difference in differences
    ]


def terms(
    cols: Columns, variant: str = "2017", clip: str | None = None
) -> Sums:
    """The sums of a corpus of one sentence."""
    return Sums(
        numer_n(cols, variant, clip),
        list(cols.total),
        cols.hyp_len,
        cols.ref_len,
    )


def add_up(rows: Sequence[Sums]) -> Sums:
    """Each column summed over the sentences (at least one sentence)."""
    return Sums(
        numer=add_columns(row.numer for row in rows),
        denom=add_columns(row.denom for row in rows),
        hyp_len=sum(row.hyp_len for row in rows),
        ref_len=sum(row.ref_len for row in rows),
    )


def log_brevity_penalty(hyp_len: int, ref_len: int, kind: str) -> float:
    """min(0, 1 - |r|/|h|) ("standard"), min(0, 1 - |h|/|r|) ("inverted", 2016 and 2016-03), or 0
    ("none").

    A zero divisor: 0 when both lengths are 0, minus infinity otherwise.
    """
    if kind == "none":
        return 0.0
    if hyp_len == ref_len:
        return 0.0
    upper, lower = (
        (ref_len, hyp_len) if kind == "standard" else (hyp_len, ref_len)
    )
    if lower == 0:
        return -math.inf
    return min(0.0, 1 - upper / lower)


def penalty_kind(variant: str) -> str:
    """Which brevity penalty a variant has."""
    return {"2016": "inverted", "2016-03": "inverted", "2015": "none"}.get(
        variant, "standard"
    )


def formula(
    sums: Sums, variant: str = "2017", zero_total: str = "zero"
) -> float:
    """exp(log bp + mean over n of log(numer_n / denom_n)); 0 if any sum is 0 or a numerator is
    below 0.

    zero_total "one" (the package, corpus too): p_n = 1 where denom_n = 0; |h| = |r| = 0 gives 1 and
    |h| = 0 < |r| gives 0. Other zero sums, and negative numerators, still give 0.
    """
    if zero_total == "zero" and 0 in (sums.hyp_len, sums.ref_len, *sums.denom):
        return 0.0
    if sums.hyp_len == 0 and sums.ref_len > 0:
        return 0.0
    logs = []
    for numer, denom in zip(sums.numer, sums.denom, strict=True):
        if denom == 0:
            logs.append(0.0)
        elif numer <= 0:
            return 0.0
        else:
            logs.append(math.log(float(Fraction(numer) / denom)))
    bp = log_brevity_penalty(sums.hyp_len, sums.ref_len, penalty_kind(variant))
    return math.exp(bp + sum(logs) / len(logs))


def gleu_corpus(
    table: Table,
    choice: Sequence[int],
    variant: str = "2017",
    clip: str | None = None,
    zero_total: str = "zero",
) -> float:
    """Corpus GLEU for one choice of reference per sentence: table[i][choice[i]]; an empty corpus
    scores 0.
    """
    rows = [
        terms(row[r], variant, clip)
        for row, r in zip(table, choice, strict=True)
    ]
    if rows:
        return formula(add_up(rows), variant, zero_total)
    return 0.0


# ---- sampling


def python2_draws(
    iteration: int, n_sentences: int, n_references: int
) -> list[int]:
    """Python 2's randint(0, R-1): seed 101 j, then int(random() R), a draw a sentence (official
    code).
    """
    generator = random.Random(101 * iteration)
    return [int(generator.random() * n_references) for _ in range(n_sentences)]


def python3_draws(
    iteration: int, n_sentences: int, n_references: int
) -> list[int]:
    """Python 3's randint(0, R-1), same seed: top R.bit_length() bits of a word, again while not
    below R.
    """
    generator = random.Random(101 * iteration)
    bits = n_references.bit_length()
    draws = []
    for _ in range(n_sentences):
        value = generator.getrandbits(bits)
        while value >= n_references:
            value = generator.getrandbits(bits)
        draws.append(value)
    return draws


def draws(
    sampler: str, iteration: int, n_sentences: int, n_references: int
) -> list[int]:
    """The draws of a sampler by its name."""
    return {"python2": python2_draws, "python3": python3_draws}[sampler](
        iteration, n_sentences, n_references
    )


def mean_and_std(values: Sequence[float]) -> tuple[float, float]:
    """Mean and population standard deviation (divided by N); exactly 0 when all values are equal."""
    mean = math.fsum(values) / len(values)
    if all(value == values[0] for value in values):
        return values[0], 0.0
    return mean, math.sqrt(
        math.fsum((value - mean) ** 2 for value in values) / len(values)
    )


def interval(mean: float, std: float) -> tuple[float, float]:
    """mean -+ 1.959964 std, not divided, not cut; (nan, nan) when std is 0 (official -d)."""
    if std == 0:
        return math.nan, math.nan
    return mean - Z_95 * std, mean + Z_95 * std


def gleu_sampled(
    source_lines: Strings,
    references: Sequence[Strings],
    hypothesis_lines: Strings,
    n: int = 4,
    iterations: int = 500,
    *,
    variant: str = "2017",
    unit: str = "word",
    sampler: str = "python2",
    clip: str | None = None,
    zero_total: str = "zero",
    split: str = "whitespace",
    strip: bool = False,
) -> tuple[float, float, list[float]]:
    """Mean, population std and the scores of all iterations (one iteration when there is one
    reference).
    """
    table = all_columns(
        source_lines,
        references,
        hypothesis_lines,
        n,
        unit=unit,
        split=split,
        strip=strip,
    )
    scores = []
    for iteration in range(iterations if len(references) > 1 else 1):
        choice = draws(sampler, iteration, len(table), len(references))
        scores.append(gleu_corpus(table, choice, variant, clip, zero_total))
    mean, std = mean_and_std(scores)
    return mean, std, scores


# ---- sentence level


def sentence_gleu(
    cols: Columns, variant: str = "2017", clip: str | None = None
) -> float:
    """Convention (a), the package: the formula on the sentence's own columns, with zero_total
    "one".
    """
    return formula(terms(cols, variant, clip), variant, "one")


def sentence_gleu_ones(
    cols: Columns, variant: str = "2017", clip: str | None = None
) -> float:
    """Convention (b), official -d: after clipping every zero statistic, lengths too, becomes 1.

    A numerator of the unclipped paper variant that is below 0 stays, and the score is 0.
    """
    sums = terms(cols, variant, clip)
    smoothed = Sums(
        [numer or 1 for numer in sums.numer],
        [denom or 1 for denom in sums.denom],
        sums.hyp_len or 1,
        sums.ref_len or 1,
    )
    return formula(smoothed, variant, "zero")


class SentenceSummary(NamedTuple):
    """A sentence's scores against its references, summed up as the official -d prints them."""

    mean: float
    std: float
    low: float
    high: float


def sentence_summary(
    row: Sequence[Columns],
    variant: str = "2017",
    clip: str | None = None,
    smoothing: str = "ones",
) -> SentenceSummary:
    """Mean, population std and interval over references; smoothing "ones" is (b), "none" is (a)."""
    score = {"ones": sentence_gleu_ones, "none": sentence_gleu}[smoothing]
    mean, std = mean_and_std([score(cols, variant, clip) for cols in row])
    return SentenceSummary(mean, std, *interval(mean, std))


def sentence_scores(
    table: Table,
    over: str = "mean",
    variant: str = "2017",
    clip: str | None = None,
) -> list[float]:
    """Convention (a) for each sentence: mean or maximum ("max") over its references (the package's
    sgleu).
    """
    result = []
    for row in table:
        scores = [sentence_gleu(cols, variant, clip) for cols in row]
        result.append(
            max(scores) if over == "max" else math.fsum(scores) / len(scores)
        )
    return result


def gleu_mean(
    table: Table,
    over: str = "mean",
    variant: str = "2017",
    clip: str | None = None,
) -> float:
    """Mean mode: the mean of the sentence scores of convention (a) (the package's mgleu)."""
    scores = sentence_scores(table, over, variant, clip)
    if scores:
        return math.fsum(scores) / len(scores)
    return 0.0


# ---- max mode


class MaxResult(NamedTuple):
    """Max mode: score, the reference chosen for each sentence, the sums, the package's other
    columns.
    """

    score: float
    choice: list[int]
    numer: list[Number]
    denom: list[Number]
    match: list[int]
    penal: list[int]
    hyp_len: int
    ref_len: int


def max_key(cols: Columns, variant: str, clip: str | None) -> list[float]:
    """Sentence score (a), then bp p_n of each order alone, n = N down to 1 (p_n = 1 where total_n =
    0).
    """
    sums = terms(cols, variant, clip)
    bp = math.exp(
        log_brevity_penalty(sums.hyp_len, sums.ref_len, penalty_kind(variant))
    )
    p = [
        1.0 if denom == 0 else float(Fraction(numer) / denom)
        for numer, denom in zip(sums.numer, sums.denom, strict=True)
    ]
    return [formula(sums, variant, "one"), *(bp * p_n for p_n in reversed(p))]


def is_better(key: Sequence[float], best: Sequence[float]) -> bool:
    """Whether the first difference favours `key`; values equal up to rounding are no difference."""
    for value, best_value in zip(key, best, strict=True):
        if not math.isclose(value, best_value, rel_tol=TIE, abs_tol=0.0):
            return value > best_value
    return False


def best_reference(
    row: Sequence[Columns], variant: str = "2017", clip: str | None = None
) -> int:
    """The reference with the best key; the first one on ties."""
    keys = [max_key(cols, variant, clip) for cols in row]
    best = 0
    for r in range(1, len(keys)):
        if is_better(keys[r], keys[best]):
            best = r
    return best


def gleu_max(
    table: Table,
    variant: str = "2017",
    clip: str | None = None,
    zero_total: str = "zero",
) -> MaxResult:
    """Best reference of each sentence, then the corpus formula; penal_n = sum of min(match_n,
    penalty_n).

    The penalty is the variant's own. penal_n is that of `gleu -m -v`; `sgleu -v` prints the penalty
    itself. There must be at least one sentence."""
    choice = [best_reference(row, variant, clip) for row in table]
    chosen = [row[r] for row, r in zip(table, choice, strict=True)]
    sums = add_up([terms(cols, variant, clip) for cols in chosen])
    match = add_columns(cols.match for cols in chosen)
    penal = add_columns(_penal(cols, variant) for cols in chosen)
    score = formula(sums, variant, zero_total)
    return MaxResult(
        score,
        choice,
        sums.numer,
        sums.denom,
        match,
        penal,
        sums.hyp_len,
        sums.ref_len,
    )


def _penal(cols: Columns, variant: str) -> list[int]:
    """min(match_n, penalty_n) of one sentence."""
    penalties = cols.penalty_paper if variant == "paper" else cols.penalty
    return [
        min(match, penalty)
        for match, penalty in zip(cols.match, penalties, strict=True)
    ]


# ---- 2015 and 2016-03, all references


def merged_reference(references: Sequence[Strings], order: int) -> Grams:
    """R(g) = maximum over references of rho_r(g)."""
    result: Grams = Counter()
    for reference in references:
        for gram, count in ngrams(reference, order).items():
            result[gram] = max(result[gram], count)
    return result


def overlap(first: Grams, second: Grams) -> int:
    """sum over g of min(first(g), second(g))."""
    return (first & second).total()


def difference_2015(left: Grams, right: Grams) -> Grams:
    """max(left - right, 0) for each n-gram."""
    return Counter(
        {gram: max(count - right[gram], 0) for gram, count in left.items()}
    )


def difference_2016_03(left: Grams, right: Grams) -> Grams:
    """The n-grams of `left` that `right` does not have at all, with their whole count."""
    return Counter(
        {gram: count for gram, count in left.items() if right[gram] == 0}
    )


def terms_2015(
    source: Strings,
    references: Sequence[Strings],
    hypothesis: Strings,
    n: int,
    lam: Fraction,
) -> Sums:
    """numer = eta.A + eta.R - lam eta.P, total = |A| + max(|h|-n+1, 0), no brevity penalty (spec:
    2015).
    """
    numer: list[Number] = []
    denom: list[Number] = []
    for order in range(1, n + 1):
        sigma, eta = ngrams_of(order, source, hypothesis)
        merged = merged_reference(references, order)
        added = difference_2015(merged, sigma)
        removed = difference_2015(sigma, merged)
        numer.append(
            overlap(eta, added)
            + overlap(eta, merged)
            - lam * overlap(eta, removed)
        )
        denom.append(sum(added.values()) + total_n(hypothesis, order))
    return Sums(numer, denom, len(hypothesis), len(hypothesis))


def terms_2016_03(
    source: Strings,
    references: Sequence[Strings],
    hypothesis: Strings,
    n: int,
    lam: Fraction,
) -> Sums:
    """numer = eta.A + max(eta.R - lam eta.P, 0), total = eta.A + max(|h|-n+1, 0) (spec: 2016-03)."""
    numer: list[Number] = []
    denom: list[Number] = []
    for order in range(1, n + 1):
        sigma, eta = ngrams_of(order, source, hypothesis)
        merged = merged_reference(references, order)
        added = difference_2016_03(merged, sigma)
        removed = difference_2016_03(sigma, merged)
        matched = overlap(eta, merged) - lam * overlap(eta, removed)
        numer.append(overlap(eta, added) + max(matched, Fraction(0)))
        denom.append(overlap(eta, added) + total_n(hypothesis, order))
    return Sums(
        numer, denom, len(hypothesis), closest_length(references, hypothesis)
    )


def closest_length(references: Sequence[Strings], hypothesis: Strings) -> int:
    """The reference length closest to |h|, the first reference's on ties."""
    closest = len(references[0])
    for reference in references:
        if abs(len(reference) - len(hypothesis)) < abs(
            closest - len(hypothesis)
        ):
            closest = len(reference)
    return closest


def gleu_merged(
    source_lines: Strings,
    references: Sequence[Strings],
    hypothesis_lines: Strings,
    variant: str,
    n: int = 4,
    *,
    lam: Fraction = Fraction(0),
    unit: str = "word",
    split: str = "whitespace",
    strip: bool = False,
    zero_total: str = "zero",
) -> float:
    """Variant "2015" or "2016-03": merged references, corpus formula; an empty corpus scores 0."""
    sentence_terms = {"2015": terms_2015, "2016-03": terms_2016_03}[variant]
    rows = []
    for i, source_line in enumerate(source_lines):
        source = tokens(source_line, unit, split, strip)
        refs = [tokens(lines[i], unit, split, strip) for lines in references]
        hypothesis = tokens(hypothesis_lines[i], unit, split, strip)
        rows.append(sentence_terms(source, refs, hypothesis, n, lam))
    if rows:
        return formula(add_up(rows), variant, zero_total)
    return 0.0


# ---- rounding


def round_half_up(value: float, digits: int) -> str:
    """Shortest decimal form of the number rounded half up (away from 0) to `digits` places (the
    package).
    """
    decimal = Fraction(repr(value))
    units = math.floor(abs(decimal) * 10**digits + Fraction(1, 2))
    integer, rest = divmod(units, 10**digits)
    sign = "-" if decimal < 0 else ""
    if digits:
        return f"{sign}{integer}.{rest:0{digits}d}"
    return f"{sign}{integer}"


# ---- google_gleu (Wu et al. 2016)


def google_terms(
    reference: Strings, hypothesis: Strings, low: int, high: int
) -> tuple[int, int]:
    """tp = sum of min(rho, eta), n_all = max(sum rho, sum eta), over all orders low..high together."""
    tp = sum(
        match_n(reference, hypothesis, order) for order in range(low, high + 1)
    )
    n_ref = sum(total_n(reference, order) for order in range(low, high + 1))
    n_hyp = sum(total_n(hypothesis, order) for order in range(low, high + 1))
    return tp, max(n_ref, n_hyp)


def google_best(
    references: Sequence[Strings],
    hypothesis: Strings,
    low: int = 1,
    high: int = 4,
) -> tuple[int, int]:
    """(tp, n_all) of the reference with the highest tp / n_all, first on ties; n_all = 0 is passed
    over.
    """
    pairs = [
        google_terms(reference, hypothesis, low, high)
        for reference in references
    ]
    best = (0, 0)
    for tp, n_all in pairs:
        if n_all > 0 and (
            best == (0, 0) or Fraction(tp, n_all) > Fraction(*best)
        ):
            best = (tp, n_all)
    return best


def google_gleu_corpus(
    references: Sequence[Sequence[Strings]],
    hypotheses: Sequence[Strings],
    low: int = 1,
    high: int = 4,
) -> float:
    """sum tp / sum n_all; arguments are tokens, references[i][r] of sentence i; 0 for an empty
    corpus.
    """
    best = [
        google_best(refs, hyp, low, high)
        for refs, hyp in zip(references, hypotheses, strict=True)
    ]
    n_all = sum(pair[1] for pair in best)
    if n_all:
        return sum(pair[0] for pair in best) / n_all
    return 0.0


# ---- GREEN (Koyama et al. 2024)


class Green(NamedTuple):
    """Counts by order, of one sentence and reference or summed."""

    tp: list[int]
    fp: list[int]
    fn: list[int]


def green_columns(
    source: Strings,
    reference: Strings,
    hypothesis: Strings,
    n: int = 4,
) -> Green:
    """TP = TD + TI + TK, FP = OD + OI, FN = UD + UI, for orders 1..n (spec: Koyama et al. 2024)."""
    result = Green([], [], [])
    for order in range(1, n + 1):
        sigma, rho, eta = ngrams_of(order, source, reference, hypothesis)
        tp = fp = fn = 0
        for g in union_grams(sigma, rho, eta):
            s = sigma[g]
            r = rho[g]
            h = eta[g]
            tp += max(s - max(r, h), 0) + max(min(r, h) - s, 0) + min(s, h, r)
            fp += max(min(s, r) - h, 0) + max(h - max(s, r), 0)
            fn += max(min(s, h) - r, 0) + max(r - max(s, h), 0)
        result.tp.append(tp)
        result.fp.append(fp)
        result.fn.append(fn)
    return result


def green_ratio(tp: Sequence[int], wrong: Sequence[int]) -> float:
    """Geometric mean over orders of tp / (tp + wrong); 0 where an order has tp = 0, no n-gram at
    all too.
    """
    if 0 in tp:
        return 0.0
    logs = [math.log(t / (t + w)) for t, w in zip(tp, wrong, strict=True)]
    return math.exp(sum(logs) / len(logs))


def green_score(counts: Green, beta: float = 2.0) -> float:
    """F-beta = (1 + beta^2) P R / (beta^2 P + R); 0 when P or R is 0."""
    precision = green_ratio(counts.tp, counts.fp)
    recall = green_ratio(counts.tp, counts.fn)
    if precision == 0 or recall == 0:
        return 0.0
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def green_key(counts: Green, beta: float) -> list[float]:
    """F-beta of orders 1..N together, then of 1..N-1, ..., then of order 1 alone."""
    lengths = range(len(counts.tp), 0, -1)
    return [
        green_score(Green(counts.tp[:k], counts.fp[:k], counts.fn[:k]), beta)
        for k in lengths
    ]


def green_best(table_row: Sequence[Green], beta: float = 2.0) -> int:
    """The reference with the best sentence score; ties: best F of orders 1..k, k = N-1 down to 1;
    then first.

    The tie rule is not in the specification: it is that of the authors' program, and gives the
    figures."""
    keys = [green_key(counts, beta) for counts in table_row]
    best = 0
    for r in range(1, len(keys)):
        if is_better(keys[r], keys[best]):
            best = r
    return best


def green_table(
    source_lines: Strings,
    references: Sequence[Strings],
    hypothesis_lines: Strings,
    n: int = 4,
    unit: str = "word",
) -> list[list[Green]]:
    """Counts of every sentence i and reference r, as result[i][r]."""
    table = []
    for i, source_line in enumerate(source_lines):
        source = tokens(source_line, unit)
        hypothesis = tokens(hypothesis_lines[i], unit)
        reference_tokens = [tokens(lines[i], unit) for lines in references]
        table.append(
            [
                green_columns(source, ref, hypothesis, n)
                for ref in reference_tokens
            ]
        )
    return table


def green_corpus(table: Sequence[Sequence[Green]], beta: float = 2.0) -> float:
    """Counts of the best reference of each sentence, summed, then F-beta; an empty corpus scores 0."""
    if not table:
        return 0.0
    chosen = [row[green_best(row, beta)] for row in table]
    total = Green(
        add_columns(counts.tp for counts in chosen),
        add_columns(counts.fp for counts in chosen),
        add_columns(counts.fn for counts in chosen),
    )
    return green_score(total, beta)


def green_sentences(
    table: Sequence[Sequence[Green]], beta: float = 2.0
) -> list[float]:
    """Score of each sentence against its best reference."""
    return [green_score(row[green_best(row, beta)], beta) for row in table]
