"""How far metrics agree with people: correlations on systems, tests, moving windows, and agreement
on sentences.

On sentences it is asked which lines the judged pairs of outputs belong to, and whether sentence
scores agree with them."""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np

from pipeline.arrays import Bools, Floats, Ints
from pipeline.errors import InputError
from pipeline.scoring.resampling.intervals import defined_interval

from . import correlation
from .comparison import Agreement, PermutationTest, compared
from .human_judgements import HumanJudgements, check_common, human_scores, judged_dataset
from .judgments import Judgments
from .models import HumanConfig
from .score_files import MetricScores
from .trueskill import Progress, skills

Ties = Literal["later", "wrong", "half", "out"]
"""What equal scores of the metric mean for a pair that people do not tie.

`later`: the metric prefers the system whose name is later in ASCII order, as in gec-metrics.
`wrong`: the metric disagrees. `half`: this is half an agreement. `out`: the pair is left out. """


class SentencePairs(NamedTuple):
    """Pairs of systems on a sentence, int64 [pairs] each. Systems and lines are numbers from 0."""

    better: Ints
    """The system that people prefer, or the first one of a pair that they tie."""
    worse: Ints
    line: Ints

    def only(self, kept: Bools) -> "SentencePairs":
        """Return the pairs where kept is true."""
        return SentencePairs(*(values[kept] for values in self))


def preferences(scores: Floats, pairs: SentencePairs, ties: Ties = "later") -> Floats:
    """Return for each pair whether the metric agrees: 1, 0, 0.5 for a tie, or NaN for a pair that
    is left out.

    The scores are float64 [systems, lines], with the systems in ASCII order of their names; the
    result is [pairs]."""
    better, worse = scores[pairs.better, pairs.line], scores[pairs.worse, pairs.line]
    later = (pairs.better > pairs.worse).astype(np.float64)
    tied = (
        later
        if ties == "later"
        else np.full(len(later), {"wrong": 0.0, "half": 0.5, "out": math.nan}[ties])
    )
    return np.where(_tied(scores, pairs), tied, better > worse)


def _tied(scores: Floats, pairs: SentencePairs) -> Bools:
    """Return for each pair whether its scores are equal."""
    one, two = scores[pairs.better, pairs.line], scores[pairs.worse, pairs.line]
    return correlation.equal_scores(one, two)


class SentenceLevel(NamedTuple):
    """How far sentence scores agree with judgements of pairs of outputs for a sentence."""

    pairs: int
    """Pairs that people do not tie, without those that are left out because the metric ties them.
    """
    accuracy: float
    """The share of these pairs on which the metric agrees."""
    kendall: float
    """Kendall's tau: the share that agrees less the share that disagrees."""
    kendall_no_ties: float
    """The same, where pairs that the metric ties count 0 (the tau of WMT shared tasks)."""
    kendall_human_ties: float
    """The same over all pairs. Pairs that both tie agree, and pairs that only one of them ties
    count 0."""
    metric_ties: int
    """Pairs that the metric alone ties."""
    human_ties: int
    """Pairs that people tie."""


def sentence_level(
    scores: Floats, pairs: SentencePairs, human_ties: SentencePairs, ties: Ties
) -> SentenceLevel:
    """Return how far sentence scores, float64 [systems, lines], agree with judgements."""
    agreeing = _counted(scores, pairs, ties)[1]
    accuracy = float(correlation.quotient(agreeing.sum(), len(agreeing)))
    balance = (2 * preferences(scores, pairs, "half") - 1).sum()
    untied, tied = len(pairs.line), len(human_ties.line)
    return SentenceLevel(
        pairs=len(agreeing),
        accuracy=accuracy,
        kendall=2 * accuracy - 1,
        kendall_no_ties=float(correlation.quotient(balance, untied)),
        kendall_human_ties=float(
            correlation.quotient(balance + _tied(scores, human_ties).sum(), untied + tied)
        ),
        metric_ties=int(_tied(scores, pairs).sum()),
        human_ties=tied,
    )


def _counted(scores: Floats, pairs: SentencePairs, ties: Ties) -> tuple[Ints, Floats]:
    """Return the line and the agreement of each pair that is not left out."""
    agreeing = preferences(scores, pairs, ties)
    kept = ~np.isnan(agreeing)
    return pairs.line[kept], agreeing[kept]


def accuracy_interval(
    scores: Floats, pairs: SentencePairs, ties: Ties, samples: int, level: float, seed: int
) -> tuple[float, float]:
    """Return the percentile interval of the accuracy over samples of the judged sentences, drawn
    with replacement.
    """
    line, agreeing = _counted(scores, pairs, ties)
    if not len(line):
        return math.nan, math.nan
    right, tried = np.bincount(line, agreeing), np.bincount(line)
    right, tried = right[tried > 0], tried[tried > 0]
    generator = np.random.default_rng(seed)
    draws = (generator.integers(0, len(tried), len(tried)) for _ in range(samples))
    return defined_interval(
        np.array([right[kept].sum() / tried[kept].sum() for kept in draws]), level
    )


def sentence_pairs(
    judgments: Judgments, names: Sequence[str], lines: Ints
) -> tuple[SentencePairs, SentencePairs]:
    """Return the expanded pairs of named systems: the pairs that people do not tie, and the pairs
    that they tie.

    The names are in ASCII order. `lines` has the line of each judged sentence, -1 for one whose
    pairs do not count."""
    number = np.full(len(judgments.systems), -1, np.int64)
    number[[judgments.systems.index(name) for name in names]] = np.arange(len(names))
    pairs = judgments.expanded
    first, second = number[pairs.first], number[pairs.second]
    better, worse = (
        np.where(pairs.outcome == 2, second, first),
        np.where(pairs.outcome == 2, first, second),
    )
    every = SentencePairs(better, worse, lines[pairs.segment])
    named = (first >= 0) & (second >= 0) & (every.line >= 0)
    tie = pairs.outcome == 1
    return every.only(named & ~tie), every.only(named & tie)


def lines_of_segments(
    judgments: Judgments, names: Sequence[str], scores: Floats, numbering: str, notes: list[str]
) -> Ints:
    """Return the line, from 0, of each judged sentence. Raises InputError where it cannot be known.

    The numbering `auto` takes the numbering that fits the number of lines, and that gives the same
    score to systems whose outputs were judged as one. The scores are float64 [systems, lines], in
    the order of `names`."""
    count = scores.shape[1]
    if wrong := [name for name in judgments.segments if not (name.isascii() and name.isdigit())]:
        raise InputError(
            f"{judgments.file}: '{wrong[0]}' is no number of a sentence, so nothing is known of its line"
        )
    numbers = np.array([int(name[:18]) for name in judgments.segments], np.int64)
    numberings = {"0": numbers, "1": numbers - 1, "judged": np.argsort(np.argsort(numbers))}
    if numbering != "auto":
        numberings = {numbering: numberings[numbering]}
    fitting = {
        name: lines
        for name, lines in numberings.items()
        if lines.min() >= 0 and lines.max() < count
    }
    if numbering == "auto" and len(numbers) != count:
        fitting.pop("judged", None)
    if not fitting:
        judged = f"sentences {numbers.min()} to {numbers.max()}, {len(numbers)} of them"
        whole = f"the data set has {count} lines: is it the one?"
        raise InputError(f"{judgments.file}: has judgements of {judged}; {whole}")
    differing = {
        name: _differing(judgments, names, scores, lines) for name, lines in fitting.items()
    }
    best = min(differing.values())
    left = [name for name in fitting if differing[name] == best]
    if len(left) > 1 and not all((fitting[name] == fitting[left[0]]).all() for name in left):
        question = "does the first sentence have the number 0 or 1? That cannot be told here; say `numbering`"
        raise InputError(f"{judgments.file}: {question}")
    if best:
        question = "" if left[0] == "judged" else f", and is the first sentence number {left[0]}"
        message = "pairs of outputs that were judged as one have different scores: are these the outputs judged"
        notes.append(f"{best} {message}{question}?")
    return fitting[left[0]]


def _differing(judgments: Judgments, names: Sequence[str], scores: Floats, lines: Ints) -> int:
    """Return how many pairs of systems whose outputs were judged as one have different scores
    there.
    """
    number = {name: new for new, name in enumerate(names)}
    pairs, count = judgments.unexpanded, len(judgments.outputs)
    seen = np.unique(
        np.concatenate([pairs.segment * count + pairs.first, pairs.segment * count + pairs.second])
    )
    segments, outputs = np.divmod(seen, count)
    groups = [
        [number[name] for name in text.split() if name in number] for text in judgments.outputs
    ]
    several = np.array([len(group) > 1 for group in groups])[outputs]
    differing = 0
    for segment, output in zip(segments[several].tolist(), outputs[several].tolist(), strict=True):
        values = scores[groups[output], lines[segment]]
        differing += int(
            (~correlation.equal_scores(values[1:], values[:1]) & ~np.isnan(values[1:])).sum()
        )
    return differing


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of agreement and its bootstrap interval."""

    value: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Correlation:
    """How one metric agrees with one human score on the systems."""

    dataset: str
    metric: str
    human: str
    systems: list[str]
    coefficients: dict[str, Coefficient]
    """By the names pearson, spearman, kendall (tau-b) and accuracy."""


@dataclass(frozen=True, kw_only=True)
class Sentences:
    """How one metric agrees with judgements of outputs of a sentence. Pairs that people tie are
    left out.
    """

    dataset: str
    metric: str
    systems: list[str]
    pairs: int
    metric_ties: int
    """Pairs that the metric ties."""
    coefficients: dict[str, Coefficient]
    """`accuracy`, and `kendall`: the share of agreeing pairs less the share of disagreeing ones."""


@dataclass(frozen=True, kw_only=True)
class Test:
    """Williams' test of whether `metric` correlates higher (Pearson) with the human score than
    `other`.
    """

    dataset: str
    human: str
    metric: str
    other: str
    t: float
    p: float
    """One-sided."""
    between: float
    """The correlation of the two metrics."""


@dataclass(frozen=True, kw_only=True)
class Windowed:
    """Correlations on neighbours in the human ranking, from the rank `first` to the rank `last`."""

    dataset: str
    metric: str
    human: str
    first: int
    last: int
    pearson: float
    spearman: float


LATER = ("aliases", "statistics", "permutations", "aggregation")
"""The settings, and parts of the results, that results have only where a config asks for them."""


@dataclass(frozen=True, kw_only=True)
class MetaEvaluation:
    """How far the metrics agree with people."""

    settings: dict[str, Any]
    """The section `human` of the config."""
    digest: str
    """The digest of the file of judgements or scores."""
    correlations: list[Correlation] = field(default_factory=list)
    sentences: list[Sentences] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)
    windows: list[Windowed] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
    """The human scores that the metrics were correlated with, by their names, of each system."""

    statistics: list[Agreement] = field(default_factory=list)
    permutations: list[PermutationTest] = field(default_factory=list)

    def plain(self) -> dict[str, Any]:
        """Return everything as mappings and lists. What only some configs ask for is left out where
        it is empty.
        """
        return {name: part for name, part in asdict(self).items() if part or name not in LATER}


def meta_evaluate(
    metrics: Sequence[MetricScores],
    human_data: HumanJudgements,
    config: HumanConfig,
    progress: Progress | None = None,
) -> MetaEvaluation:
    """Correlate metrics with people. Raises InputError where fewer than three systems have both
    scores.

    All metrics are compared on the systems that have the human score and a score by every metric.
    """
    dataset = judged_dataset(
        list(dict.fromkeys(metric.dataset for metric in metrics)), config.dataset
    )
    metrics = [metric for metric in metrics if metric.dataset == dataset]
    unused = {
        name
        for name in LATER
        if getattr(config, name) == type(config).model_fields[name].get_default()
    }
    result = MetaEvaluation(settings=config.model_dump(exclude=unused), digest=human_data.digest)
    sampling = config.resamples, config.level, config.seed
    for title, scores in human_scores(human_data, config, progress).items():
        judged = set(correlation.common_systems([scores], config.without))
        measured = set(
            correlation.common_systems((metric.scores for metric in metrics), config.without)
        )
        check_common(human_data, judged, measured)
        for only, where in (
            (judged - measured, "people, no metric"),
            (measured - judged, "a metric, no people"),
        ):
            if only:
                result.notes.append(f"scored by {where}, and left out: {', '.join(sorted(only))}")
        systems = sorted(judged & measured)
        result.scores[title] = {name: scores[name] for name in systems}
        human = correlation.vector(scores, systems)
        if config.aggregation == "score":
            values = [correlation.vector(metric.scores, systems) for metric in metrics]
        else:
            of_sentences = [
                metric.sentences_of(systems, "aggregation: trueskill") for metric in metrics
            ]
            values = list(skills(np.stack(of_sentences)))
        for metric, own in zip(metrics, values, strict=True):
            coefficients = {
                name: Coefficient(
                    value, correlation.bootstrap_interval(own, human, name, *sampling)
                )
                for name, value in correlation.correlate(
                    own, human, correlation.COEFFICIENTS
                ).items()
            }
            result.correlations.append(
                Correlation(dataset, metric.metric, title, systems, coefficients)
            )
            result.windows.extend(
                Windowed(
                    dataset=dataset,
                    metric=metric.metric,
                    human=title,
                    first=first,
                    last=last,
                    **found,
                )
                for first, last, found in (
                    correlation.windows(own, human, config.window) if config.window else ()
                )
            )
        for (one, first), (two, second) in combinations(zip(metrics, values, strict=True), 2):
            test, names = correlation.williams(first, second, human), (one.metric, two.metric)
            if test.t < 0:  # the metric with the higher correlation comes first
                test, names = correlation.williams(second, first, human), (two.metric, one.metric)
            result.tests.append(
                Test(
                    dataset=dataset, human=title, metric=names[0], other=names[1], **test._asdict()
                )
            )
        of_people = result.scores[title], human_data.sentences.get(title)
        agreements, tests, notes = compared(metrics, human_data.file, title, *of_people, config)
        result.statistics.extend(agreements)
        result.permutations.extend(tests)
        result.notes.extend(notes)
    if human_data.judgments:
        result.sentences.extend(_on_sentences(metrics, human_data.judgments, config, result.notes))
    result.notes[:] = dict.fromkeys(
        [*(human_data.judgments.notes if human_data.judgments else ()), *result.notes]
    )
    return result


def judged_scores(
    metric: MetricScores,
    judgments: Judgments,
    without: Collection[str],
    numbering: str,
    notes: list[str],
) -> tuple[list[str], Floats, Ints]:
    """Return the judged systems, their sentence scores [systems, lines], and the line of each
    judged sentence.

    It is -1 for a line that the metric leaves out. Raises InputError where that line cannot be
    known."""
    systems = [name for name in metric.systems if name in judgments.systems and name not in without]
    if metric.sentences is None or not systems:
        raise InputError(
            f"agreements: {metric.metric} has no sentence scores of systems that were judged"
        )
    scores = metric.sentences()[[metric.systems.index(name) for name in systems]]
    lines = lines_of_segments(judgments, systems, scores, numbering, notes)
    return systems, scores, np.where(np.isnan(scores[:, lines]).all(axis=0), -1, lines)


def _on_sentences(
    metrics: Sequence[MetricScores], judgments: Judgments, config: HumanConfig, notes: list[str]
) -> Iterable[Sentences]:
    for metric in metrics:
        if metric.sentences is None:
            continue
        try:
            systems, scores, lines = judged_scores(
                metric, judgments, config.without, config.numbering, notes
            )
        except InputError as error:  # what was computed on systems stays valid
            notes.append(f"nothing on sentences: {error}")
            continue
        pairs, tied = sentence_pairs(judgments, systems, lines)
        level = sentence_level(scores, pairs, tied, config.ties)
        low, high = accuracy_interval(
            scores, pairs, config.ties, config.resamples, config.level, config.seed
        )
        yield Sentences(
            dataset=metric.dataset,
            metric=metric.metric,
            systems=systems,
            pairs=level.pairs,
            metric_ties=level.metric_ties,
            coefficients={
                "accuracy": Coefficient(level.accuracy, (low, high)),
                "kendall": Coefficient(level.kendall, (2 * low - 1, 2 * high - 1)),
            },
        )
