"""What the titles of columns mean, in a sentence each, for every form of report that has room to say so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


EXPLANATIONS = {
    "rank": "The place by score: 1 is the best. Systems with equal scores share a place.",
    "system": "The name of the output, as the config has it.",
    "std": "The standard deviation of the score over random draws of references.",
    "[0-9.]+% of draws": "Of random draws of references, so many give a score in this range.",
    "[0-9.]+% interval": (
        "Where the number would lie if other sentences of the same kind had been drawn: percentiles of bootstrap "
        "samples of the sentences."
    ),
    "[0-9.]+%": "The interval of the number before it, over bootstrap samples.",
    "ranks": "The best and the worst rank in bootstrap samples of the sentences, without the extremes.",
    "cluster": ("Systems of different clusters do not overlap in their ranks. Within a cluster the order is not sure."),
    "groups": "Systems that share a letter do not differ significantly.",
    "against (?P<name>.+)": (
        "The score less that of the baseline {name}, in points. Marked is what differs significantly."
    ),
    "p": "The p-value: how likely so large a difference is if there is none in truth, after the correction.",
    "p adjusted": "The p-value after the correction for the number of comparisons.",
    "other": "What the first is compared with.",
    "difference": "The score of the first system less that of the other, in points.",
    "better in": "The share of bootstrap samples in which the first system scores better. Equal scores count half.",
    "wins": "Sentences with which the first system scores better than the other.",
    "losses": "Sentences with which the first system scores worse than the other.",
    "ties": "Sentences with which both systems score the same.",
    "d": "The size of the difference: its mean over sentences, divided by its standard deviation (Cohen).",
    "n": "The order: of how many tokens an n-gram is made. Where metrics meet people, the number of systems.",
    "(.+_)?precision": "Of what the output has, the share that is right.",
    "(.+_)?recall": "Of what a reference has, the share that the output has too.",
    "brevity_penalty": "What the score is multiplied by where the output is shorter than the reference; 100 is none.",
    "ratio": "The length of the output divided by that of the reference.",
    "match": "N-grams of the output that the reference has too.",
    "penalty": "N-grams of the output that the source has and the reference has not.",
    "numer": "What the score counts: matches less penalties.",
    "total": "All n-grams of the output.",
    "hyp_len": "Tokens of the output.",
    "ref_len": "Tokens of the reference.",
    "hyp_total": "All n-grams of the output.",
    "ref_total": "All n-grams of the reference.",
    "tp": "What is right and in the output: edits, or n-grams, that the reference has too.",
    "fp": "What is in the output and wrong: edits, or n-grams, that the reference has not.",
    "fn": "What the output lacks: edits, or n-grams, that the reference alone has.",
    "tn": "What both the output and the reference leave as it is.",
    "type": "The kind of edit, such as that of a noun's number.",
    "metric": "The metric, with its settings where several share a name.",
    "human score": "How the judgements of people became a score of each system.",
    "pearson": "Pearson's r: how near the two are to a straight line, from -1 to 1.",
    "spearman": "Spearman's rho: how far the two agree on the order, from -1 to 1.",
    "kendall": "Kendall's tau: pairs in the same order less those in the opposite order, as a share, from -1 to 1.",
    "accuracy": "The share of pairs that are in the same order.",
    "r of both": "Pearson's r of the two metrics with each other.",
    "t": "The statistic of Williams' test: above 0 where the first metric is closer to people.",
    "places": "The places in the human ranking that are compared.",
    "pairs": "How many pairs are compared.",
    "metric ties": "Pairs to which the metric gives equal scores.",
    "statistic": "How agreement is measured.",
    "value": "The statistic's value; for most of them 1 is perfect agreement.",
    "epsilon": "Differences of the metric up to this count as ties.",
    "permutations": "How many times the scores of both metrics were exchanged at random.",
    "undefined": "Groups in which the statistic has no value, since all scores are equal.",
    "expected": "What the config expects.",
    "equal": "How many of the values are as expected.",
    "largest difference": "How far the value that is furthest off is from the expected one.",
    "verdict": "Whether the values are as expected, in a word.",
}
"""Sentences by titles. A title is a regular expression for the whole of it; its groups may stand in the sentence."""
BESIDE = {
    ("p", "p adjusted"): "The p-value: how likely so large a difference is if there is none in truth.",
    ("p", "t"): "The p-value of Williams' test.",
    ("d", "permutations"): "The statistic of the first metric less that of the other.",
    ("groups", "undefined"): "Over how many groups of judgements the statistic is a mean.",
    ("ranks", "accuracy"): "The ranks that people gave to the two outputs of a pair.",
}
"""Sentences by a title and another title that stands in the same table, where these come before EXPLANATIONS."""
_PATTERNS = [(re.compile(title), text) for title, text in EXPLANATIONS.items()]


def explanation(title: str, header: Sequence[str] = ()) -> str:
    """Return what the title of a column means, or an empty text where nothing is known about it.

    `header` has all titles of the table, since a few mean different things in different tables.
    """
    for other in header:
        if text := BESIDE.get((title, other)):
            return text
    for pattern, text in _PATTERNS:
        if match := pattern.fullmatch(title):
            return text.format(**match.groupdict())
    return ""
