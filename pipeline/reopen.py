"""A run directory opened again for reports: results, columns, and the texts if unchanged."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from .data import Corpus
from .data.config import Node, OutputConfig, Overrides
from .errors import InputError, StoreError
from .execution import RunDirectory, tasks_of
from .metrics.base import Metric
from .prepare import OpenedRun, reread
from .report import ReportContext
from .scoring import DatasetInfo, Results, ScoredRun, Selection
from .stage import Preparation, extension_stages, open_stages, output_settings


def revisit(
    path: Path, digits: int | None = None, *, texts: bool = True
) -> ReportContext:
    """Return the context of reports of a run; raises StoreError if there is no finished run.

    If the config or a text is missing or has changed since the run, `corpora` is empty and `unread`
    is the reason. `digits` None takes those of the config. `texts` False leaves the texts out,
    which saves time: all of them have to be read to see that they have not changed.
    """
    results, metric_results = ScoredRun.read(path)
    manifest = RunDirectory(path, make=False).manifest
    corpora: dict[str, Corpus] = {}
    metrics: dict[str, Metric] = {}
    written: Any = manifest.get("written")
    unread = "" if texts else "were not asked for"
    try:
        if texts:
            opened_run = _open_texts(manifest, results)
            corpora = {corpus.name: corpus for corpus in opened_run.corpora}
            metrics = {
                task.signature: task.metric
                for task in tasks_of(opened_run.metrics, opened_run.corpora)
            }
            written = opened_run.config.plain
    except (InputError, StoreError) as error:
        unread = str(error)
    try:
        output = OutputConfig.model_validate(written["output"])
    except (KeyError, TypeError, ValueError):  # the section is missing or wrong
        output = OutputConfig.model_validate({})
    measured = []
    for metric_result in metric_results:
        metric = metrics.get(metric_result.signature, metric_result.metric)
        measured.append(replace(metric_result, metric=metric))
    context = ReportContext(
        results=results,
        measured=tuple(measured),
        corpora=corpora,
        config=written,
        opened=partial(_open_again, manifest),
        unread=unread,
        **output_settings(output),
    )
    return context if digits is None else replace(context, digits=digits)


def chosen(context: ReportContext, selection: Selection) -> ReportContext:
    """Return the context limited to some metrics, data sets and systems.

    Raises StoreError if nothing is left.
    """
    if not selection:
        return context
    scored_run = ScoredRun(context.results, context.measured)
    results, selected = scored_run.only(selection)
    corpora = dict(context.corpora)
    if selection.systems:
        names = {score.system for score in results.scores}
        for name, corpus in corpora.items():
            corpora[name] = corpus.without(set(corpus.systems) - names)
    return replace(
        context, results=results, measured=tuple(selected), corpora=corpora
    )


def _open_texts(manifest: dict[str, Any], results: Results) -> OpenedRun:
    """Return the texts of a run; raises InputError or StoreError if they have changed."""
    config, overrides = _config(manifest)
    opened_run = reread(config, overrides)
    corpora = {corpus.name: corpus for corpus in opened_run.corpora}
    for name, info in results.datasets.items():
        if name not in corpora:
            file = opened_run.config.tree.mark.file
            raise StoreError(f"{file}: has no data set '{name}' any more")
        now = DatasetInfo.of(corpora[name], info.digests).digests
        changed = [
            text
            for text, digest in info.digests.items()
            if now.get(text) != digest
        ]
        if changed:
            raise StoreError(f"{name}: {changed[0]} has changed since the run")
    return opened_run.only(results.datasets)


def _config(manifest: dict[str, Any]) -> tuple[str | Node, Overrides]:
    """Return the config of a run, and what its command line changed.

    Raises StoreError if the manifest has no config.
    """
    config = manifest.get("config")
    if isinstance(config, dict):
        config = Node.from_mapping(config, str(manifest.get("folder", "")))
    elif not isinstance(config, str):
        raise StoreError("the run does not tell its config")
    settings = tuple(map(str, manifest.get("set", ())))
    patterns = tuple(map(str, manifest.get("only", ())))
    return config, Overrides(settings, patterns)


def _open_again(manifest: dict[str, Any], stage: str) -> Any:
    """Return what a stage of an extension opens for the config of a run; None if it cannot.

    Files may have changed since the run: users of them have to compare digests.
    """
    from .data.config import load_config

    try:
        config, overrides = _config(manifest)
        loaded = load_config(config, overrides.settings, []).config
        if loaded is None:
            return None
        stages = [one for one in extension_stages(loaded) if one.name == stage]
        preparation = Preparation(config=loaded, metrics=())
        return open_stages(stages, preparation).get(stage)
    except (InputError, StoreError):
        return None
