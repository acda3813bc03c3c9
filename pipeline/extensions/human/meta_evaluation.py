"""How far metrics agree with people: correlations on systems, tests, moving windows, and agreement
on sentences.

On sentences it is asked which lines the judged pairs of outputs belong to, and whether sentence
scores agree with them."""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from pipeline.arrays import Bools, Floats, Ints
from pipeline.errors import InputError
from pipeline.scoring import defined_interval

from . import correlation
from .comparison import Agreement, PermutationTest, compared
from .human_judgements import (
    HumanJudgements,
    check_common,
    human_scores,
    judged_dataset,
)
from .json_objects import JsonObject
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

    def only(self, selected: Bools) -> "SentencePairs":
        """Return the pairs where `selected` is true."""
        return SentencePairs(*(values[selected] for values in self))


def preferences(
    scores: Floats, pairs: SentencePairs, ties: Ties = "later"
) -> Floats:
    """Return for each pair whether the metric agrees: 1, 0, 0.5 for a tie, or NaN for a pair that
    is left out.

    The scores are float64 [systems, lines], with the systems in ASCII order of their names; the
    result is [pairs]."""
    better = scores[pairs.better, pairs.line]
    worse = scores[pairs.worse, pairs.line]
    for_ties: Floats | float
    if ties == "later":
        for_ties = (pairs.better > pairs.worse).astype(np.float64)
    else:
        for_ties = FOR_TIES[ties]
    return np.where(_tied(scores, pairs), for_ties, better > worse)


FOR_TIES = {"wrong": 0.0, "half": 0.5, "out": math.nan}
"""Agreement of a pair that the metric ties."""


def _tied(scores: Floats, pairs: SentencePairs) -> Bools:
    """Return for each pair whether its scores are equal."""
    better = scores[pairs.better, pairs.line]
    worse = scores[pairs.worse, pairs.line]
    return correlation.equal_scores(better, worse)


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
    scores: Floats,
    pairs: SentencePairs,
    human_ties: SentencePairs,
    ties: Ties,
) -> SentenceLevel:
    """Return how far sentence scores, float64 [systems, lines], agree with judgements."""
    agreement = preferences(scores, pairs, ties)
    agreeing = agreement[~np.isnan(agreement)]
    accuracy = float(correlation.quotient(agreeing.sum(), len(agreeing)))
    balance = (2 * preferences(scores, pairs, "half") - 1).sum()
    with_human_ties = balance + _tied(scores, human_ties).sum()
    untied = len(pairs.line)
    tied = len(human_ties.line)
    return SentenceLevel(
        pairs=len(agreeing),
        accuracy=accuracy,
        kendall=2 * accuracy - 1,
        kendall_no_ties=float(correlation.quotient(balance, untied)),
        kendall_human_ties=float(
            correlation.quotient(with_human_ties, untied + tied)
        ),
        metric_ties=int(_tied(scores, pairs).sum()),
        human_ties=tied,
    )


def accuracy_interval(
    scores: Floats,
    pairs: SentencePairs,
    ties: Ties,
    samples: int,
    level: float,
    seed: int,
) -> tuple[float, float]:
    """Return the percentile interval of the accuracy over samples of the judged sentences, drawn
    with replacement.
    """
    agreement = preferences(scores, pairs, ties)
    counts = ~np.isnan(agreement)
    if not counts.any():
        return math.nan, math.nan
    # Agreeing pairs and all pairs of each judged sentence.
    agreeing = np.bincount(pairs.line[counts], agreement[counts])
    total = np.bincount(pairs.line[counts])
    agreeing = agreeing[total > 0]
    total = total[total > 0]
    generator = np.random.default_rng(seed)
    accuracies = []
    for _ in range(samples):
        sample = generator.integers(0, len(total), len(total))
        pairs_in_sample = total[sample].sum()
        accuracies.append(agreeing[sample].sum() / pairs_in_sample)
    return defined_interval(np.array(accuracies), level)


def sentence_pairs(
    judgments: Judgments,
    names: Sequence[str],
    lines: Ints,
) -> tuple[SentencePairs, SentencePairs]:
    """Return the expanded pairs of named systems: the pairs that people do not tie, and the pairs
    that they tie.

    The names are in ASCII order. `lines` has the line of each judged sentence, -1 for one whose
    pairs do not count."""
    number = np.full(len(judgments.systems), -1, np.int64)
    for row, name in enumerate(names):
        number[judgments.systems.index(name)] = row
    pairs = judgments.expanded
    first = number[pairs.first]
    second = number[pairs.second]
    second_wins = pairs.outcome == 2
    every = SentencePairs(
        better=np.where(second_wins, second, first),
        worse=np.where(second_wins, first, second),
        line=lines[pairs.segment],
    )
    counts = (first >= 0) & (second >= 0) & (every.line >= 0)
    tie = pairs.outcome == 1
    return every.only(counts & ~tie), every.only(counts & tie)


def lines_of_segments(
    judgments: Judgments,
    names: Sequence[str],
    scores: Floats,
    numbering: str,
    notes: list[str],
) -> Ints:
    """Return the line, from 0, of each judged sentence. Raises InputError where it cannot be known.

    The numbering `auto` takes the numbering that fits the number of lines, and that gives the same
    score to systems whose outputs were judged as one. The scores are float64 [systems, lines], in
    the order of `names`."""
    for name in judgments.segments:
        if not (name.isascii() and name.isdigit()):
            raise InputError(
                f"{judgments.file}: '{name}' is no number of a sentence, so nothing is "
                "known of its line"
            )
    whole_numbers = [int(name[:18]) for name in judgments.segments]
    numbers = np.array(whole_numbers, np.int64)
    lines_by_numbering = {
        "0": numbers,
        "1": numbers - 1,
        "judged": np.argsort(np.argsort(numbers)),
    }
    # Numberings whose lines exist.
    line_count = scores.shape[1]
    fitting: dict[str, Ints] = {}
    for name, lines in lines_by_numbering.items():
        if numbering not in ("auto", name):
            continue
        if (
            numbering == "auto"
            and name == "judged"
            and len(numbers) != line_count
        ):
            continue
        if lines.min() >= 0 and lines.max() < line_count:
            fitting[name] = lines
    if not fitting:
        raise InputError(
            f"{judgments.file}: has judgements of sentences {numbers.min()} to {numbers.max()}, "
            f"{len(numbers)} of them; the data set has {line_count} lines: is it the one?"
        )
    # Of these, the ones that give the same score to outputs that were judged as one.
    differing = {}
    for name, lines in fitting.items():
        differing[name] = _differing(judgments, names, scores, lines)
    fewest = min(differing.values())
    best = [name for name in fitting if differing[name] == fewest]
    result = fitting[best[0]]
    if not all(np.array_equal(fitting[name], result) for name in best):
        raise InputError(
            f"{judgments.file}: does the first sentence have the number 0 or 1? That cannot be "
            "told here; say `numbering`"
        )
    if fewest:
        question = ""
        if best[0] != "judged":
            question = f", and is the first sentence number {best[0]}"
        notes.append(
            f"{fewest} pairs of outputs that were judged as one have different scores: "
            f"are these the outputs judged{question}?"
        )
    return result


def _differing(
    judgments: Judgments,
    names: Sequence[str],
    scores: Floats,
    lines: Ints,
) -> int:
    """Return how many pairs of systems whose outputs were judged as one have different scores
    there.
    """
    groups = []
    for text in judgments.outputs:
        systems = text.split()
        groups.append(
            [row for row, name in enumerate(names) if name in systems]
        )
    has_several = np.array([len(group) > 1 for group in groups])
    # Each output of each sentence, once.
    pairs = judgments.unexpanded
    count = len(judgments.outputs)
    first = pairs.segment * count + pairs.first
    second = pairs.segment * count + pairs.second
    every = np.unique(np.concatenate([first, second]))
    segments, outputs = np.divmod(every, count)
    several = has_several[outputs]
    differing = 0
    for segment, output in zip(
        segments[several].tolist(),
        outputs[several].tolist(),
        strict=True,
    ):
        values = scores[groups[output], lines[segment]]
        others = values[1:]
        equal = correlation.equal_scores(others, values[:1])
        is_scored = ~np.isnan(others)
        differing += int((is_scored & ~equal).sum())
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

    settings: JsonObject
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

    def plain(self) -> JsonObject:
        """Return everything as mappings and lists. What only some configs ask for is left out where
        it is empty.
        """
        sections = asdict(self).items()
        return {
            name: section
            for name, section in sections
            if section or name not in LATER
        }


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
    datasets = list(dict.fromkeys(metric.dataset for metric in metrics))
    dataset = judged_dataset(datasets, config.dataset)
    metrics = [metric for metric in metrics if metric.dataset == dataset]
    unused = set()
    for name in LATER:
        default = HumanConfig.model_fields[name].get_default()
        if getattr(config, name) == default:
            unused.add(name)
    result = MetaEvaluation(
        settings=config.model_dump(exclude=unused), digest=human_data.digest
    )
    for title, scores in human_scores(human_data, config, progress).items():
        # The systems that have the human score, and a score by every metric.
        judged = set(correlation.common_systems([scores], config.without))
        metric_columns = [metric.scores for metric in metrics]
        measured = set(
            correlation.common_systems(metric_columns, config.without)
        )
        check_common(human_data, judged, measured)
        for systems_of_one, where in (
            (judged - measured, "people, no metric"),
            (measured - judged, "a metric, no people"),
        ):
            if systems_of_one:
                listed = ", ".join(sorted(systems_of_one))
                result.notes.append(
                    f"scored by {where}, and left out: {listed}"
                )
        systems = sorted(judged & measured)
        result.scores[title] = {name: scores[name] for name in systems}
        _add_correlations(result, dataset, title, metrics, config)
        comparison = compared(
            metrics,
            human_data.file,
            title,
            result.scores[title],
            human_data.sentences.get(title),
            config,
        )
        result.statistics.extend(comparison.agreements)
        result.permutations.extend(comparison.tests)
        result.notes.extend(comparison.notes)
    if human_data.judgments:
        result.sentences.extend(
            _on_sentences(metrics, human_data.judgments, config, result.notes)
        )
        result.notes[:0] = human_data.judgments.notes
    result.notes[:] = dict.fromkeys(result.notes)
    return result


def _columns(
    metrics: Sequence[MetricScores],
    systems: Sequence[str],
    config: HumanConfig,
) -> dict[str, Floats]:
    """Return the scores of systems by each metric: its signature, and float64 [systems]."""
    names = [metric.metric for metric in metrics]
    if config.aggregation == "score":
        values = [
            correlation.vector(metric.scores, systems) for metric in metrics
        ]
    else:
        what = "aggregation: trueskill"
        tables = [metric.sentences_of(systems, what) for metric in metrics]
        values = list(skills(np.stack(tables)))
    return dict(zip(names, values, strict=True))


def _add_correlations(
    result: MetaEvaluation,
    dataset: str,
    title: str,
    metrics: Sequence[MetricScores],
    config: HumanConfig,
) -> None:
    """Add the correlation of each metric with a human score, also in windows, and Williams' test of
    each two metrics, of which the one with the higher correlation comes first.
    """
    systems = list(result.scores[title])
    human = correlation.vector(result.scores[title], systems)
    columns = _columns(metrics, systems, config)
    for metric, column in columns.items():
        values = correlation.correlate(column, human, correlation.COEFFICIENTS)
        coefficients = {}
        for name, value in values.items():
            interval = correlation.bootstrap_interval(
                column,
                human,
                name,
                config.resamples,
                config.level,
                config.seed,
            )
            coefficients[name] = Coefficient(value, interval)
        result.correlations.append(
            Correlation(dataset, metric, title, systems, coefficients)
        )
        if not config.window:
            continue
        for window in correlation.windows(column, human, config.window):
            windowed = Windowed(
                dataset=dataset,
                metric=metric,
                human=title,
                **window._asdict(),
            )
            result.windows.append(windowed)
    for one, two in combinations(columns, 2):
        names = [one, two]
        test = correlation.williams(columns[one], columns[two], human)
        if test.t < 0:
            names.reverse()
            test = correlation.williams(columns[two], columns[one], human)
        better, other = names
        fields = {"dataset": dataset, "human": title, **test._asdict()}
        result.tests.append(Test(metric=better, other=other, **fields))


class JudgedScores(NamedTuple):
    """Sentence scores of systems that were judged."""

    systems: list[str]
    scores: Floats
    """float64 [systems, sentences]."""
    lines: Ints
    """The sentence, from 0, of each judged sentence; -1 if the metric leaves it out."""


def judged_scores(
    metric: MetricScores,
    judgments: Judgments,
    without: Collection[str],
    numbering: str,
    notes: list[str],
) -> JudgedScores:
    """Return the sentence scores of the judged systems; raises InputError if the lines of judged
    sentences cannot be known.
    """
    judged = set(judgments.systems).difference(without)
    systems = [name for name in metric.systems if name in judged]
    if metric.sentences is None or not systems:
        raise InputError(
            f"agreements: {metric.metric} has no sentence scores of systems that were judged"
        )
    scores = metric.sentences_of(systems, "agreements")
    lines = lines_of_segments(judgments, systems, scores, numbering, notes)
    left_out = np.isnan(scores[:, lines]).all(axis=0)
    return JudgedScores(systems, scores, np.where(left_out, -1, lines))


def agreement_on_sentences(
    judgments: Judgments,
    judged: JudgedScores,
    ties: Ties,
) -> SentenceLevel:
    """Return how far sentence scores agree with judgements of pairs of outputs."""
    pairs, human_ties = sentence_pairs(judgments, judged.systems, judged.lines)
    return sentence_level(judged.scores, pairs, human_ties, ties)


def _on_sentences(
    metrics: Sequence[MetricScores],
    judgments: Judgments,
    config: HumanConfig,
    notes: list[str],
) -> Iterable[Sentences]:
    for metric in metrics:
        if metric.sentences is None:
            continue
        try:
            judged = judged_scores(
                metric,
                judgments,
                config.without,
                config.numbering,
                notes,
            )
        except InputError as error:  # what was computed on systems stays valid
            notes.append(f"nothing on sentences: {error}")
            continue
        level = agreement_on_sentences(judgments, judged, config.ties)
        pairs, _ = sentence_pairs(judgments, judged.systems, judged.lines)
        low, high = accuracy_interval(
            judged.scores,
            pairs,
            config.ties,
            config.resamples,
            config.level,
            config.seed,
        )
        kendall_interval = (2 * low - 1, 2 * high - 1)
        yield Sentences(
            dataset=metric.dataset,
            metric=metric.metric,
            systems=judged.systems,
            pairs=level.pairs,
            metric_ties=level.metric_ties,
            coefficients={
                "accuracy": Coefficient(level.accuracy, (low, high)),
                "kendall": Coefficient(level.kendall, kendall_interval),
            },
        )
