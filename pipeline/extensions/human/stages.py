"""The stage that correlates metrics with people, if the config has a section `human`."""

from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.data import DatasetCache
from pipeline.errors import DataError, InputError
from pipeline.files import WrittenPath
from pipeline.stage import Preparation, Scored, Stage

if TYPE_CHECKING:
    from pipeline.report import ReportContext

    from .human_judgements import HumanJudgements, HumanRanking
    from .models import HumanConfig


def _open(preparation: Preparation) -> "HumanJudgements | None":
    """Return the judgements or scores that the config's section `human` names; None without the
    section, in a run of some metrics or systems only, or if they cannot be used.

    What is wrong with the file is added to the problems of the preparation."""
    from .human_judgements import misfit, open_human_judgements

    config = preparation.config
    section: HumanConfig | None = config.section("human")
    if section is None:
        return None
    if preparation.partial:
        preparation.warnings.append(
            "nothing is correlated with people where --only chooses"
        )
        return None
    file_keys = ("human", "file")
    problems = preparation.problems
    if WrittenPath(section.file).is_remote:
        message = "is an address; only texts may be one"
        problems.append(config.problem(message, file_keys))
        return None
    systems = [system.name for system in config.systems]
    try:
        path = DatasetCache().path_of(section.file, config.folder(file_keys))
        human_data = open_human_judgements(path, section, systems)
    except DataError as error:
        for problem in error.problems:
            problems.append(config.problem(problem.message, file_keys))
        return None
    except InputError as error:
        problems.extend(error.problems)
        return None
    datasets = [dataset.name for dataset in config.datasets]
    reason = misfit(human_data, section, datasets, systems)
    if reason:
        problems.append(config.problem(reason, ("human",)))
    return human_data


def _correlate(scored: Scored, human_data: "HumanJudgements") -> Scored:
    """Return the run's results with the correlations of metrics and human scores; with a warning
    instead if they cannot be computed.
    """
    from .meta_evaluation import meta_evaluate
    from .score_files import metric_scores

    section: HumanConfig = scored.job.config.section("human")
    metrics = metric_scores(scored.metric_results)
    try:
        agreement = meta_evaluate(
            metrics, human_data, section, scored.listener.testing
        )
    except InputError as error:
        # For example, a data set lacks outputs; the scores are still good.
        return scored.with_warnings(
            f"nothing is correlated with people: {error}"
        )
    scored = scored.with_warnings(*agreement.notes)
    results = replace(scored.results, human=agreement.plain())
    return replace(scored, results=results)


CORRELATING = Stage(name="correlating", prepare=_open, add=_correlate)


def human_data_of(context: "ReportContext") -> "HumanJudgements | None":
    """Return the judgements or scores that a run was correlated with; None if it was not, or if
    they are unavailable or have changed since the run.
    """
    human = context.results.human
    if not human:
        return None
    human_data: HumanJudgements | None = context.opened(CORRELATING.name)
    if human_data is None or human_data.digest != human["digest"]:
        return None
    return human_data


def human_ranking_of(context: "ReportContext") -> "HumanRanking | None":
    """Return how people rank the systems of a run; None without judgements."""
    from .human_judgements import human_ranking

    human = context.results.human
    if not human or not human.get("correlations"):
        return None
    human_data = human_data_of(context)
    return human_ranking(human_data, human["settings"]) if human_data else None
