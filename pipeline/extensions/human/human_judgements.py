"""What people said of systems: judgements or scores, which are read here to be correlated with
metrics.
"""

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
"""Settings that have no effect on scores."""


@dataclass(frozen=True)
class HumanJudgements:
    """What people said: judgements, or scores of systems."""

    file: str
    """What messages call the file."""
    digest: str
    """The digest of the file."""
    scores: dict[str, dict[str, float]]
    """The scores in the file by name; empty where the file has judgements, from which scores are
    computed."""
    judgments: Judgments | None = None
    sentences: dict[str, dict[str, Floats]] = field(default_factory=dict)
    """The scores of sentences in the file, by name and system: float64 [lines], NaN where one is
    lacking."""

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
    """Read judgements or scores. `names` are the systems of files that have numbers alone.

    Raises CorpusError where the file is wrong, and InputError where the config does not fit to it.
    """
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
    """Read scores of systems, or of their sentences, whose means are then the scores."""
    sentences = read_sentence_scores(path) or {}
    if sentences:
        scores = {
            title: means(of_systems) for title, of_systems in sentences.items()
        }
    else:
        scores = read_scores(path, names)
    if config.aliases:
        systems = set().union(*scores.values())
        check_aliases(str(path), config.aliases, systems)
    idle = [
        name
        for name in sorted(OF_JUDGEMENTS)
        if name in config.model_fields_set
    ]
    if idle:
        raise InputError(
            f"{path}: holds scores, no judgements: {', '.join(idle)} would have no effect"
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
    """Return scores by name and system, with other names for some systems."""
    renamed = {}
    for title, systems in scores.items():
        renamed[title] = {
            aliases.get(name, name): value for name, value in systems.items()
        }
    return renamed


def misfit(
    human_data: HumanJudgements,
    config: HumanConfig,
    datasets: Sequence[str],
    systems: Sequence[str],
) -> str | None:
    """Return why these systems cannot be correlated with people, or None where they can."""
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
    """Return the human scores, such as {expected_wins: {system: score}}, which judgements give or
    the file has.
    """
    judgments = human_data.judgments
    if judgments is None:
        return human_data.scores
    values: dict[str, Floats] = {}
    if "expected_wins" in config.scores:
        values["expected_wins"] = expected_wins(
            judgments.wins(), config.divisor
        )
    if "trueskill" in config.scores:
        skills = trueskill(
            judgments, config.runs, config.seed, progress=progress
        )
        values["trueskill"] = skills.mean(axis=0)
    scores = {}
    for title, column in values.items():
        scores[title] = named(column, judgments.systems)
    return scores


def judged_dataset(names: Sequence[str], name: str | None) -> str:
    """Return the data set that was judged: the named one, or the only one. Raises InputError where
    there is no such.
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
    """Raise InputError where too few systems have scores by both people and the metrics."""
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
    """Return how people rank systems, None where the file has no judgements.

    `settings` are those of the section `human` that results have: divisor, resamples, level and
    seed."""
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
