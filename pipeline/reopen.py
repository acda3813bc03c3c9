"""A run directory opened again for reports: its results, its columns, and the texts where they have
not changed.
"""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from .data.config.models import OutputConfig
from .data.config.resolved import Overrides
from .data.config.tree import Node, from_mapping
from .data.corpus import Corpus
from .data.formats import READERS
from .errors import InputError, StoreError
from .execution.store.run_directory import RunDirectory
from .metrics.base.metric import Metric
from .prepare import reread
from .report.context import PlotStyle, ReportContext
from .scoring import stored_runs
from .scoring.metric_results import describe, tasks_of
from .scoring.results import Results
from .scoring.stored_runs import Selection, narrowed, only
from .stage import Preparation, extension_stages, open_stages


def revisit(path: Path, digits: int | None = None, *, texts: bool = True) -> ReportContext:
    """Return what reports of a run are made of; raises StoreError where the folder holds no
    finished run.

    Where the config or a text is gone or has changed since the run, `corpora` is empty and `unread`
    says why. `digits` None takes those of the config. `texts` False leaves the texts out, which
    saves time: all of them have to be read to see that they have not changed."""
    results, columns = stored_runs.load(path)
    manifest = RunDirectory(path, make=False).manifest()
    corpora: dict[str, Corpus] = {}
    metrics: dict[str, Metric] = {}
    written: Any = manifest.get("written")
    unread = "" if texts else "were not asked for"
    try:
        if texts:
            corpora, metrics, written = _texts(manifest, results)
    except (InputError, StoreError) as error:
        unread = str(error)
    try:
        output = OutputConfig.model_validate(written["output"])
    except (
        KeyError,
        TypeError,
        ValueError,
    ):  # the config does not ask for reports, or does it wrongly
        output = OutputConfig.model_validate({})
    return ReportContext(
        results=results,
        measured=tuple(
            replace(
                metric_result, metric=metrics.get(metric_result.signature, metric_result.metric)
            )
            for metric_result in columns
        ),
        corpora=corpora,
        config=written,
        opened=partial(_opened_again, manifest),
        unread=unread,
        digits=output.digits if digits is None else digits,
        plots=tuple(output.plots),
        plot_type=output.plot_type,
        plot_style=PlotStyle(output.plot_width or "", output.plot_font, output.plot_title),
    )


def chosen(context: ReportContext, selection: Selection) -> ReportContext:
    """Return the material limited to some metrics, data sets and systems. Raises StoreError where
    nothing is left.
    """
    if not selection:
        return context
    kept = only(context.measured, selection)
    results = narrowed(context.results, kept)
    corpora = dict(context.corpora)
    if selection.systems:
        names = {score.system for score in results.scores}
        corpora = {
            name: corpus.without(set(corpus.systems) - names) for name, corpus in corpora.items()
        }
    return replace(context, results=results, measured=tuple(kept), corpora=corpora)


def _texts(
    manifest: dict[str, Any], results: Results
) -> tuple[dict[str, Corpus], dict[str, Metric], Any]:
    """Return texts, metrics by signature, and config; raises InputError or StoreError where texts
    have changed.
    """
    config, overrides = _config(manifest)
    loaded, metrics, opened = reread(config, overrides)
    corpora = {corpus.name: corpus for corpus in opened}
    for name, info in results.datasets.items():
        if name not in corpora:
            raise StoreError(f"{loaded.root.mark.file}: has no data set '{name}' any more")
        now = describe(corpora[name], info.digests).digests
        changed = [text for text, digest in info.digests.items() if now.get(text) != digest]
        if changed:
            raise StoreError(f"{name}: {changed[0]} has changed since the run")
    corpora = {name: corpora[name] for name in results.datasets}
    resolved = {task.signature: task.metric for task in tasks_of(metrics, corpora.values())}
    return corpora, resolved, loaded.root.plain()


def _config(manifest: dict[str, Any]) -> tuple[str | Node, Overrides]:
    """Return the config of a run, and what its command line changed; raises StoreError where the
    run does not tell.
    """
    config = manifest.get("config")
    if isinstance(config, dict):
        config = from_mapping(config, str(manifest.get("folder", "")))
    elif not isinstance(config, str):
        raise StoreError("the run does not tell its config")
    return config, Overrides(
        tuple(map(str, manifest.get("set", ()))), tuple(map(str, manifest.get("only", ())))
    )


def _opened_again(manifest: dict[str, Any], stage: str) -> Any:
    """Return what a stage of an extension opens for the config of a run; None if it cannot.

    Files may have changed since the run: whoever uses them compares their digests.
    """
    from .data.config.load import load  # here, because loading YAML takes time

    try:
        config, overrides = _config(manifest)
        loaded, _, _ = load(config, overrides.settings, READERS)
        if loaded is None:
            return None
        stages = [each for each in extension_stages(loaded) if each.name == stage]
        preparation = Preparation(config=loaded, metrics=())
        return open_stages(stages, preparation).get(stage)
    except (InputError, StoreError):
        return None
