"""The names of the package sacrebleu (Post 2018): BLEU, chrF, TER, and the functions of its older
versions.

    from pipeline.compat.sacrebleu import corpus_bleu, sentence_bleu
    from pipeline.compat.sacrebleu.metrics import BLEU

Scores, signatures and printed lines are those of sacreBLEU 2.6.0. Unlike there, lists of different
lengths raise InputError; sacreBLEU scores the lines that both have. Data sets, intervals and paired
tests are left out.
"""

from collections.abc import Sequence

from .metrics import BLEU, CHRF, TER, BLEUScore, CHRFScore, Streams, TERScore

__all__ = [
    "BLEU",
    "CHRF",
    "TER",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "sentence_bleu",
]


def corpus_bleu(
    hypotheses: Sequence[str],
    references: Streams,
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str = "13a",
    use_effective_order: bool = False,
) -> BLEUScore:
    """Return the BLEU of a corpus; `references` has a list for each annotator, with None where one
    is missing.
    """
    metric = BLEU(
        lowercase,
        force,
        tokenize,
        smooth_method,
        smooth_value,
        effective_order=use_effective_order,
    )
    return metric.corpus_score(hypotheses, references)


def sentence_bleu(
    hypothesis: str,
    references: Sequence[str | None],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: str = "13a",
    use_effective_order: bool = True,
) -> BLEUScore:
    """Return the BLEU of a sentence with its references."""
    metric = BLEU(
        lowercase,
        False,
        tokenize,
        smooth_method,
        smooth_value,
        effective_order=use_effective_order,
    )
    return metric.sentence_score(hypothesis, references)


def corpus_chrf(
    hypotheses: Sequence[str],
    references: Streams,
    char_order: int = 6,
    word_order: int = 0,
    beta: int = 2,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Return the chrF of a corpus, with word_order=2 chrF++."""
    metric = CHRF(
        char_order,
        word_order,
        beta,
        whitespace=not remove_whitespace,
        eps_smoothing=eps_smoothing,
    )
    return metric.corpus_score(hypotheses, references)


def corpus_ter(
    hypotheses: Sequence[str],
    references: Streams,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """Return the TER of a corpus: the lower, the better."""
    return TER(
        normalized, no_punct, asian_support, case_sensitive
    ).corpus_score(hypotheses, references)
