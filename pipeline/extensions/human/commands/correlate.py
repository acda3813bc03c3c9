"""Correlate the metrics of a run with human judgements or scores.

Systems are correlated by Pearson, Spearman, Kendall's tau-b and pairwise accuracy, with bootstrap intervals. Williams'
test compares each two metrics. With --window there are also correlations among neighbours in the human ranking. With
judgements and a run, sentences are correlated too. The scores of metrics may also come from files. With --statistic
scores of sentences are compared as in mt-metrics-eval, and --permutations tests each two metrics on them.
Records of outputs, in JSON, JSON lines or tables with a row an output, are named as {file: FILE, score: COLUMN}.
`gec-pipeline help human` explains formats, numbers and formulas.

examples:
  gec-pipeline correlate runs/quickstart --human data/judgements.csv
  gec-pipeline correlate runs/seeda --human judgments_edit.xml --without INPUT REF-F GPT-3.5 --scores trueskill
  gec-pipeline correlate runs/seeda --human EW.txt --window 4
  gec-pipeline correlate runs/conll14 --human EW.txt --alias src=INPUT
  gec-pipeline correlate metric_scores.csv --human human_scores.csv
  gec-pipeline correlate chrF.seg.score COMET.seg.score --human mqm.seg.score --statistic acc_eq --permutations 1000
  gec-pipeline correlate runs/seeda --human judgments_edit.xml --aggregation trueskill
  gec-pipeline correlate '{file: r.json, score: ours.x}' --human '{file: r.json, score: people.x}' --statistic pearson
"""

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from pipeline.cli.arguments import add_settings, selection_of
from pipeline.data import DatasetCache
from pipeline.errors import InputError
from pipeline.report import print_extra_tables
from pipeline.report.tables import shown_level
from pipeline.report.terminal import Bar, print_table, print_warnings
from pipeline.scoring import ScoredRun

from ..comparison import requested_statistics
from ..human_judgements import open_human_judgements
from ..meta_evaluation import meta_evaluate
from ..models import CorrelationConfig, HumanConfig, RecordsConfig
from ..records import correlated, read_records, records_config, scores_of
from ..report_tables import human_tables
from ..score_files import MetricScores, metric_scores, scores_of_file
from .human import print_json, settings_of

OPTIONS = (
    "dataset",
    "judges",
    "without",
    "scores",
    "divisor",
    "runs",
    "numbering",
    "ties",
    "window",
    "level",
    "resamples",
    "seed",
    "permutations",
    "aggregation",
    "statistics",
)
"""The arguments that are settings of the config's section `human`, under the same names."""
OF_RECORDS = ("statistics", "without", "level", "seed", "resamples")
"""Those that records have too."""


def configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "run",
        nargs="+",
        help="a run directory, or files of scores: lines `system score`, CSV",
    )
    add(
        "--human",
        required=True,
        metavar="FILE",
        help="judgements (XML, CSV) or scores (lines, CSV)",
    )
    add(
        "--metric",
        metavar="NAME",
        help="only this metric: its name, such as gleu[n=3], or its signature",
    )
    aliases = "what the run calls a system of --human, as src=INPUT"
    several: dict[str, Any] = {"nargs": "+", "action": "extend"}
    add("--alias", metavar="NAME=OTHER", help=aliases, **several)
    add_settings(
        parser, HumanConfig, OPTIONS, several, statistics="--statistic"
    )
    add(
        "--absolute",
        action="store_true",
        help="of records: absolute values of statistics",
    )
    add(
        "--part",
        choices=("lower", "upper"),
        help="of records: the half of the outputs with these scores by people",
    )
    add(
        "--given",
        choices=("system",),
        help="of records: partial correlation, of scores less their system's mean",
    )
    add(
        "--json",
        action="store_true",
        help="print everything as JSON, unrounded",
    )
    add(
        "-q", "--quiet", action="store_true", help="no warnings and no progress"
    )


def run(args: argparse.Namespace) -> None:
    """Correlate the metrics of a run, or scores in files, with human judgements or scores, and print
    the tables; or do the same with scores in records.
    """
    records = [records_config(text) for text in (args.human, *args.run)]
    if any(records) or args.absolute or args.part or args.given:
        _correlate_records(args, records)
        return
    aliases: dict[str, str] = {}
    for text in args.alias or ():
        name, sign, other = text.partition("=")
        if not (name and sign and other):
            raise InputError(
                f"--alias {text}: expected NAME=OTHER, such as src=INPUT"
            )
        if name in aliases:
            raise InputError(f"--alias: {name} is given twice")
        aliases[name] = other
    from_arguments: dict[str, Any] = {"file": args.human}
    if aliases:
        from_arguments["aliases"] = aliases
    settings = settings_of(HumanConfig, args, OPTIONS, **from_arguments)
    metrics = _metrics(args)
    systems: set[str] = set()
    for metric in metrics:
        systems.update(metric.scores)
    human_data = open_human_judgements(
        DatasetCache().path_of(args.human), settings, sorted(systems)
    )
    with Bar(enabled=not args.quiet and sys.stderr.isatty()) as bar:
        bar.stage("correlating")
        evaluation = meta_evaluate(metrics, human_data, settings, bar.matches)
    print_warnings(evaluation.notes, quiet=args.quiet)
    if args.json:
        print_json(evaluation.plain())
    else:
        print_extra_tables(human_tables(evaluation.plain()))


def _correlate_records(
    args: argparse.Namespace,
    configs: Sequence[RecordsConfig | None],
) -> None:
    """Print the statistics between the human scores in records and each other score in records, with
    their intervals.

    `configs` say where the scores are, the human ones first; None is an argument that is no such
    mapping. Raises InputError for None, and for arguments that have no effect on records."""
    requested_statistics(args.statistics or ())
    if not all(configs) or not args.statistics:
        raise InputError(
            "records: name all scores as {file: FILE, score: COLUMN}, and say --statistic"
        )
    ineffective = []
    for name in (*OPTIONS, "metric", "alias"):
        if name not in OF_RECORDS and getattr(args, name, None):
            ineffective.append(f"--{name}")
    if ineffective:
        raise InputError(f"{', '.join(ineffective)}: no effect on records")
    # A config would name the columns to correlate; here they are arguments.
    fixed: dict[str, Any] = {"of": ["-"], "with": ["-"]}
    fixed["resamples"] = args.resamples or "1000"
    if args.absolute:
        fixed["absolute"] = "true"
    settings = settings_of(
        CorrelationConfig, args, (*OF_RECORDS, "part", "given"), **fixed
    )
    columns = []
    for config in configs:
        if config:
            records = read_records(DatasetCache().path_of(config.file))
            columns.append(scores_of(config, records))
    human_scores, *metric_columns = columns
    results = {}
    for argument, scores in zip(args.run, metric_columns, strict=True):
        results[argument] = correlated(scores, human_scores, settings)
    if args.json:
        print_json(results)
        return
    header = ["scores"]
    for statistic in args.statistics:
        header += [statistic, f"{shown_level(settings.level)} interval"]
    rows = []
    for argument, result in results.items():
        row = [argument]
        for statistic in args.statistics:
            low, high = result["intervals"][statistic]
            row += [f"{result[statistic]:.4f}", f"{low:.4f} to {high:.4f}"]
        rows.append([*row, str(result["scores"])])
    print_table([*header, "outputs"], rows, left=(0,))


def _metrics(args: argparse.Namespace) -> list[MetricScores]:
    """Return the scores of a run's metrics, or of each column of one or more files, but only those
    of the argument --metric.

    Raises InputError if two columns have one name, or there is no such metric."""
    paths = list(map(DatasetCache().path_of, args.run))
    if paths[0].is_dir() and len(paths) == 1:
        metric_results = ScoredRun.read(paths[0]).metric_results
        return metric_scores(selection_of(args).of(metric_results))
    metrics: list[MetricScores] = []
    for path in paths:
        metrics += scores_of_file(path)
    names = [metric.metric for metric in metrics]
    for name in names:
        if names.count(name) > 1:
            raise InputError(
                f"two files have scores called '{name}'; rename one, since a score has the name of "
                "its file"
            )
    if args.metric is not None and args.metric not in names:
        raise InputError(
            f"--metric {args.metric}: there is no such one; there are {', '.join(names)}"
        )
    return [
        metric for metric in metrics if args.metric in (None, metric.metric)
    ]
