"""How far metrics agree with human scores: correlations on systems, tests, moving windows, and
agreement of sentence scores with judged pairs of outputs."""

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
        return SentencePairs(*(column[selected] for column in self))


def preferences(
    scores: Floats, pairs: SentencePairs, ties: Ties = "later"
) -> Floats:
    """Return whether the metric agrees with people on each pair, float64 [pairs]: 1 if it scores the
    better output higher, else 0.

    The scores are float64 [systems, lines], with the systems in ASCII order of their names. Pairs
    with equal scores get 1, 0, 0.5 or NaN (left out), as `ties` says (see Ties)."""
    better = scores[pairs.better, pairs.line]
    worse = scores[pairs.worse, pairs.line]
    if_tied: Floats | float
    if ties == "later":
        if_tied = (pairs.better > pairs.worse).astype(np.float64)
    else:
        if_tied = IF_TIED[ties]
    return np.where(_tied(scores, pairs), if_tied, better > worse)


IF_TIED = {"wrong": 0.0, "half": 0.5, "out": math.nan}
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
    """Return how far sentence scores, float64 [systems, lines], agree with judgements of two outputs
    of a sentence: `pairs`, which people do not tie, and `human_ties`, which they do.

    `ties` says what equal scores mean for a pair that people do not tie."""
    agreement = preferences(scores, pairs, ties)
    counted = agreement[~np.isnan(agreement)]
    accuracy = float(correlation.quotient(counted.sum(), len(counted)))
    # Agreeing less disagreeing pairs: 1, 0 for equal scores, or -1 for each pair.
    balance = (2 * preferences(scores, pairs, "half") - 1).sum()
    balance_with_ties = balance + _tied(scores, human_ties).sum()
    untied_count = len(pairs.line)
    tied_count = len(human_ties.line)
    all_count = untied_count + tied_count
    return SentenceLevel(
        pairs=len(counted),
        accuracy=accuracy,
        kendall=2 * accuracy - 1,
        kendall_no_ties=float(correlation.quotient(balance, untied_count)),
        kendall_human_ties=float(
            correlation.quotient(balance_with_ties, all_count)
        ),
        metric_ties=int(_tied(scores, pairs).sum()),
        human_ties=tied_count,
    )


def accuracy_interval(
    scores: Floats,
    pairs: SentencePairs,
    ties: Ties,
    samples: int,
    level: float,
    seed: int,
) -> tuple[float, float]:
    """Return the percentile interval of the accuracy (see sentence_level()) over samples of the
    judged sentences, drawn with replacement; NaN if no pair counts.

    Scores are float64 [systems, lines]."""
    agreement = preferences(scores, pairs, ties)
    is_counted = ~np.isnan(agreement)
    if not is_counted.any():
        return math.nan, math.nan
    # Agreeing pairs and all pairs of each sentence that has any.
    line = pairs.line[is_counted]
    pair_counts = np.bincount(line)
    agreeing = np.bincount(line, agreement[is_counted])
    is_judged = pair_counts > 0
    pair_counts = pair_counts[is_judged]
    agreeing = agreeing[is_judged]
    sentences = len(pair_counts)
    generator = np.random.default_rng(seed)
    accuracies = []
    for _ in range(samples):
        sample = generator.integers(0, sentences, sentences)
        accuracies.append(agreeing[sample].sum() / pair_counts[sample].sum())
    return defined_interval(np.array(accuracies), level)


def sentence_pairs(
    judgments: Judgments,
    names: Sequence[str],
    lines: Ints,
) -> tuple[SentencePairs, SentencePairs]:
    """Return the judged pairs of the systems in `names`: those that people do not tie, and those
    that they tie. Systems become indices into `names`, which are in ASCII order.

    `lines`, int64 [judged sentences], has the line of each sentence in the data set, or -1 to leave
    out its pairs."""
    rows = np.full(len(judgments.systems), -1, np.int64)
    for row, name in enumerate(names):
        rows[judgments.systems.index(name)] = row
    judged_pairs = judgments.expanded
    first = rows[judged_pairs.first]
    second = rows[judged_pairs.second]
    second_wins = judged_pairs.outcome == 2
    pairs = SentencePairs(
        better=np.where(second_wins, second, first),
        worse=np.where(second_wins, first, second),
        line=lines[judged_pairs.segment],
    )
    is_counted = (first >= 0) & (second >= 0) & (pairs.line >= 0)
    is_tied = judged_pairs.outcome == 1
    return pairs.only(is_counted & ~is_tied), pairs.only(is_counted & is_tied)


def lines_of_segments(
    judgments: Judgments,
    names: Sequence[str],
    scores: Floats,
    numbering: str,
    notes: list[str],
) -> Ints:
    """Return the line in the data set, from 0, of each judged sentence: int64 [judged sentences].

    `numbering` says what number the judgements give to the first line, 0 or 1, or that the data set
    has only the `judged` sentences, in order of their numbers. `auto` tries all three: outputs that
    were judged as one are equal, so systems must have the same score there. The scores are float64
    [systems, lines], in the order of `names`. A warning goes to `notes` if some such scores differ.
    Raises InputError if no numbering fits, or several do."""
    for segment in judgments.segments:
        if not (segment.isascii() and segment.isdigit()):
            raise InputError(
                f"{judgments.file}: '{segment}' is no number of a sentence, so nothing is "
                "known of its line"
            )
    # More digits would overflow int64, and fit no data set anyway.
    whole_numbers = [int(segment[:18]) for segment in judgments.segments]
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
    # Of these, the ones with the fewest different scores of equal outputs.
    differing = {}
    for name, lines in fitting.items():
        differing[name] = _differing(judgments, names, scores, lines)
    fewest = min(differing.values())
    best = [name for name in fitting if differing[name] == fewest]
    best_lines = fitting[best[0]]
    if not all(np.array_equal(fitting[name], best_lines) for name in best):
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
    return best_lines


def _differing(
    judgments: Judgments,
    names: Sequence[str],
    scores: Floats,
    lines: Ints,
) -> int:
    """Return in how many cases systems whose outputs for a sentence were judged as one have
    different scores there: each system is compared with the first of them.

    The scores are float64 [systems, lines], with the systems of `names`; `lines` has the line of
    each judged sentence."""
    # The rows of the systems that gave each output, of a name like "A B".
    rows_of_outputs = []
    for output_name in judgments.outputs:
        systems = output_name.split()
        rows_of_outputs.append(
            [row for row, name in enumerate(names) if name in systems]
        )
    is_shared = np.array([len(rows) > 1 for rows in rows_of_outputs])
    # Each output of each sentence, once.
    pairs = judgments.unexpanded
    output_count = len(judgments.outputs)
    first = pairs.segment * output_count + pairs.first
    second = pairs.segment * output_count + pairs.second
    judged_outputs = np.unique(np.concatenate([first, second]))
    segments, outputs = np.divmod(judged_outputs, output_count)
    shared = is_shared[outputs]
    differing = 0
    for segment, output in zip(
        segments[shared].tolist(),
        outputs[shared].tolist(),
        strict=True,
    ):
        output_scores = scores[rows_of_outputs[output], lines[segment]]
        others = output_scores[1:]
        equal = correlation.equal_scores(others, output_scores[:1])
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


OPTIONAL = ("aliases", "statistics", "permutations", "aggregation")
"""The settings, and parts of the results, that results.json has only if a config asks for them."""


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
    """The human scores that the metrics were correlated with: {name of the score: {system: score}}."""

    statistics: list[Agreement] = field(default_factory=list)
    permutations: list[PermutationTest] = field(default_factory=list)

    def plain(self) -> JsonObject:
        """Return everything as mappings and lists, as results.json has it. Empty OPTIONAL parts are
        left out.
        """
        content = {}
        for name, section in asdict(self).items():
            if section or name not in OPTIONAL:
                content[name] = section
        return content


def meta_evaluate(
    metrics: Sequence[MetricScores],
    human_data: HumanJudgements,
    config: HumanConfig,
    progress: Progress | None = None,
) -> MetaEvaluation:
    """Return how far metrics agree with human judgements or scores, as the section `human` of a
    config asks.

    Metrics of other data sets are left out. Each human score is compared on the systems that have
    it and a score by every metric; notes list the others. `progress` is that of TrueSkill. Raises
    InputError if fewer than three systems have both scores."""
    datasets = list(dict.fromkeys(metric.dataset for metric in metrics))
    dataset = judged_dataset(datasets, config.dataset)
    metrics = [metric for metric in metrics if metric.dataset == dataset]
    unused = set()
    for name in OPTIONAL:
        default = HumanConfig.model_fields[name].get_default()
        if getattr(config, name) == default:
            unused.add(name)
    result = MetaEvaluation(
        settings=config.model_dump(exclude=unused), digest=human_data.digest
    )
    metric_columns = [metric.scores for metric in metrics]
    for title, scores in human_scores(human_data, config, progress).items():
        judged = set(correlation.common_systems([scores], config.without))
        scored = set(correlation.common_systems(metric_columns, config.without))
        check_common(human_data, judged, scored)
        for left_out, scorer in (
            (judged - scored, "people, no metric"),
            (scored - judged, "a metric, no people"),
        ):
            if left_out:
                listed = ", ".join(sorted(left_out))
                result.notes.append(
                    f"scored by {scorer}, and left out: {listed}"
                )
        systems = sorted(judged & scored)
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
    result.notes[:] = dict.fromkeys(result.notes)  # each note once
    return result


def _columns(
    metrics: Sequence[MetricScores],
    systems: Sequence[str],
    config: HumanConfig,
) -> dict[str, Floats]:
    """Return the scores of `systems` by each metric: {signature: float64 [systems]}. With the
    aggregation "trueskill" they are skills computed from sentence scores.
    """
    signatures = [metric.metric for metric in metrics]
    if config.aggregation == "score":
        columns = [
            correlation.vector(metric.scores, systems) for metric in metrics
        ]
    else:
        purpose = "aggregation: trueskill"
        tables = [metric.sentences_of(systems, purpose) for metric in metrics]
        columns = list(skills(np.stack(tables)))
    return dict(zip(signatures, columns, strict=True))


def _add_correlations(
    result: MetaEvaluation,
    dataset: str,
    title: str,
    metrics: Sequence[MetricScores],
    config: HumanConfig,
) -> None:
    """Add to `result` how each metric correlates with the human score of a title, in all systems and
    in windows of the human ranking, and Williams' test of each two metrics, of which the one with
    the higher correlation comes first.
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
    for metric, other in combinations(columns, 2):
        better = metric
        worse = other
        test = correlation.williams(columns[better], columns[worse], human)
        if test.t < 0:
            better = other
            worse = metric
            test = correlation.williams(columns[better], columns[worse], human)
        fields = {"dataset": dataset, "human": title, **test._asdict()}
        result.tests.append(Test(metric=better, other=worse, **fields))


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
    """Return the sentence scores of the systems that were judged, but for `without`.

    `numbering` and `notes` are those of lines_of_segments(). Sentences without any score have the
    line -1. Raises InputError if there are no such scores, or the lines of judged sentences cannot
    be known."""
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
    """Yield how each metric with sentence scores agrees with judgements of a sentence's outputs. A
    metric whose lines cannot be known is left out, with a warning in `notes`.
    """
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
