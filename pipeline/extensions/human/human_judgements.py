"""Human judgements or scores of systems, which are read here to be correlated with metrics."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.arrays import Floats
from pipeline.errors import InputError, known_names

from .comparison import configured_statistics
from .json_objects import JsonObject
from .judgment_summary import (
    expected_wins,
    head_to_head,
    named,
    rank_by_expected_wins,
)
from .judgments import (
    Judgments,
    check_aliases,
    check_known,
    is_judgments,
    read_judgments,
)
from .models import HumanConfig
from .score_files import means, read_scores, read_sentence_scores
from .trueskill import Progress, trueskill

MIN_SYSTEMS = 3
"""With fewer systems nothing is correlated, because any two systems correlate perfectly."""
OF_JUDGEMENTS = ("judges", "scores", "divisor", "runs", "numbering", "ties")
"""Settings that have no effect if the file has scores."""


@dataclass(frozen=True)
class HumanJudgements:
    """The judgements in a file, or the human scores of systems."""

    file: str
    """What messages call the file."""
    digest: str
    """The digest of the file."""
    scores: dict[str, dict[str, float]]
    """The scores in the file by name; empty where the file has judgements, from which scores are
    computed."""
    judgments: Judgments | None = None
    sentences: dict[str, dict[str, Floats]] = field(default_factory=dict)
    """The scores of sentences in the file, by name and system: float64 [lines], NaN for a missing
    one."""

    @property
    def systems(self) -> list[str]:
        """The names of all systems, in ASCII order."""
        if self.judgments:
            return list(self.judgments.systems)
        return sorted(set().union(*self.scores.values()))


def open_human_judgements(
    path: Path,
    config: HumanConfig,
    names: Sequence[str] = (),
) -> HumanJudgements:
    """Read judgements or scores from a file, or the rankings of a run directory's metrics.

    `names` are the systems of files that have numbers alone. Raises CorpusError if the file is
    wrong, and InputError if the config does not suit it."""
    judgments = None
    if is_judgments(path):
        judgments = read_judgments(path, config.judges, aliases=config.aliases)
    results_or_file = path / "results.json" if path.is_dir() else path
    new_digest = partial(hashlib.blake2b, digest_size=16)
    with results_or_file.open("rb") as file:
        digest = hashlib.file_digest(file, new_digest).hexdigest()
    if judgments:
        human_data = HumanJudgements(str(path), digest, {}, judgments)
    else:
        human_data = _open_scores(path, digest, config, names)
    configured_statistics(
        config, str(path), has_sentences=bool(human_data.sentences)
    )
    for name in config.without:
        check_known(f"{path}: without", name, human_data.systems)
    return human_data


def _open_scores(
    path: Path,
    digest: str,
    config: HumanConfig,
    names: Sequence[str],
) -> HumanJudgements:
    """Read scores of systems, or of their sentences, whose means are then the systems' scores.

    `names` are the systems of files that have numbers alone. Raises InputError if an alias does not
    suit the file, or the config has settings for judgements."""
    sentences = read_sentence_scores(path) or {}
    if sentences:
        scores = {title: means(columns) for title, columns in sentences.items()}
    else:
        scores = read_scores(path, names)
    if config.aliases:
        systems = set().union(*scores.values())
        check_aliases(str(path), config.aliases, systems)
    ineffective = sorted(config.model_fields_set.intersection(OF_JUDGEMENTS))
    if ineffective:
        raise InputError(
            f"{path}: holds scores, no judgements: {', '.join(ineffective)} would have no effect"
        )
    return HumanJudgements(
        file=str(path),
        digest=digest,
        scores=_renamed(scores, config.aliases),
        sentences=_renamed(sentences, config.aliases),
    )


def _renamed(
    scores: Mapping[str, Mapping[str, Any]],
    aliases: Mapping[str, str],
) -> dict[str, JsonObject]:
    """Return scores {name of the score: {system: score}} with new names for some systems: `aliases`
    is {system: new name}.
    """
    renamed: dict[str, JsonObject] = {}
    for title, column in scores.items():
        renamed[title] = {}
        for system, score in column.items():
            renamed[title][aliases.get(system, system)] = score
    return renamed


def misfit(
    human_data: HumanJudgements,
    config: HumanConfig,
    datasets: Sequence[str],
    systems: Sequence[str],
) -> str | None:
    """Return why the systems of a run cannot be correlated with human scores, or None if they can:
    too few systems are in both, or it is unclear which of the data sets was judged.
    """
    judged = set(human_data.systems).difference(config.without)
    scored = set(systems).difference(config.without)
    try:
        judged_dataset(datasets, config.dataset)
        check_common(human_data, judged, scored)
    except InputError as error:
        return str(error)
    return None


def human_scores(
    human_data: HumanJudgements,
    config: HumanConfig,
    progress: Progress | None = None,
) -> dict[str, dict[str, float]]:
    """Return the human scores, {name of the score: {system: score}}: those of the file, or computed
    from judgements, expected_wins and trueskill as the config asks.

    `progress` is that of TrueSkill."""
    judgments = human_data.judgments
    if judgments is None:
        return human_data.scores
    scores = {}
    if "expected_wins" in config.scores:
        wins = expected_wins(judgments.wins(), config.divisor)
        scores["expected_wins"] = named(wins, judgments.systems)
    if "trueskill" in config.scores:
        skills = trueskill(
            judgments, config.runs, config.seed, progress=progress
        )
        scores["trueskill"] = named(skills.mean(axis=0), judgments.systems)
    return scores


def judged_dataset(names: Sequence[str], name: str | None) -> str:
    """Return the data set that was judged: `name`, or the only one of a run's data sets `names`.
    Raises InputError if `name` is unknown, or None and there are several.
    """
    if name is None and len(names) == 1:
        return names[0]
    if name is None:
        listed = ", ".join(names)
        raise InputError(
            f"human: which data set was judged? Say `dataset`: {listed}"
        )
    if name not in names:
        listed = known_names(name, names)
        raise InputError(f"human: no data set is called '{name}'{listed}")
    return name


def check_common(
    human_data: HumanJudgements,
    judged: set[str],
    scored: set[str],
) -> None:
    """Raise InputError if fewer than MIN_SYSTEMS have both human scores (`judged`) and scores by
    metrics (`scored`).
    """
    common = len(judged & scored)
    if common < MIN_SYSTEMS:
        raise InputError(
            f"{human_data.file}: has {common} systems in common with the metrics, at least "
            f"{MIN_SYSTEMS} are needed; people: {', '.join(sorted(judged)[:30])}; "
            f"metrics: {', '.join(sorted(scored)[:30])}"
        )


class HumanRanking(NamedTuple):
    """How people rank all systems that they judged, also those that no metric scored."""

    expected_wins: JsonObject
    """As rank_by_expected_wins() returns them."""
    head_to_head: dict[str, JsonObject]


def human_ranking(
    human_data: HumanJudgements,
    settings: Mapping[str, Any],
) -> HumanRanking | None:
    """Return how people rank systems by Expected Wins; None if the file has no judgements.

    `settings` are those of the section `human` that results have: divisor, resamples, level and
    seed are used."""
    judgments = human_data.judgments
    if judgments is None:
        return None
    by_expected_wins = rank_by_expected_wins(
        judgments,
        settings["divisor"],
        settings["resamples"],
        settings["level"],
        settings["seed"],
    )
    wins = judgments.wins()
    return HumanRanking(by_expected_wins, head_to_head(judgments.systems, wins))
