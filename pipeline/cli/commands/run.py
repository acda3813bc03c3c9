"""Score the systems of a config on its data sets, rank them, and store the results.

Scores go to standard output, and progress and warnings go to standard error. Several metrics share
one table, and --boards prints a ranked table for each. If you run the same config again, nothing is
counted twice. After an interruption, a killed worker or a full disk, the same command goes on (see
`gec-pipeline help runs`). A config may contain expected values (see `gec-pipeline help reproduce`).
Then verdicts are printed, and the exit code is 1 if a value is missed.

examples:
  gec-pipeline run configs/quickstart.yaml
  gec-pipeline run eval.yaml --output runs/today --digits 4 --n-jobs 2
  gec-pipeline run eval.yaml -q --json > results.json
  gec-pipeline run eval.yaml --only AMU --set metrics.0.order=3 --dry-run
  gec-pipeline run eval.yaml --mean --boards
  gec-pipeline run eval.yaml --fresh
  gec-pipeline run eval.yaml --backend dask --address tcp://head:8786
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, NamedTuple

from ...backends import backend_names
from ...data.config.resolved import Overrides
from ...errors import IncompleteError, printable
from ...execution.options import SILENT, RunOptions
from ...report.terminal.printing import print_table
from ...report.terminal.progress import Bar
from .. import arguments

if TYPE_CHECKING:
    from ...metrics.base import StatisticsSpec
    from ...stage import Job

INCOMPLETE = (
    "the results are incomplete; run the same command again, with more memory or fewer workers, to "
    "go on"
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "config", help="a YAML file; `gec-pipeline help config` explains it"
    )
    arguments.add_selection(parser)
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="print what would be counted; compute nothing",
    )
    parser.add_argument(
        "--fresh",
        action="store_true",
        help="first delete what earlier runs left in the run directory",
    )
    parser.add_argument(
        "--output",
        metavar="DIR",
        help="run directory (~ and $NAME too), instead of output.dir",
    )
    parser.add_argument(
        "--n-jobs",
        type=arguments.jobs,
        metavar="N",
        help="workers, instead of the config's run.n_jobs",
    )
    parser.add_argument(
        "--backend",
        choices=backend_names(),
        help="who runs the workers, instead of the config's run.backend",
    )
    parser.add_argument(
        "--address",
        metavar="HOST:PORT",
        help="address of the scheduler of a cluster (help scale)",
    )
    parser.add_argument(
        "--digits",
        type=int,
        choices=range(13),
        metavar="N",
        help="decimals of printed percentages",
    )
    arguments.add_shown(parser, "mean", "boards")
    arguments.add_computing(parser)
    parser.add_argument(
        "-q",
        "--quiet",
        action="store_true",
        help="no progress; warnings are in the results only",
    )
    parser.add_argument(
        "--json", action="store_true", help="print results.json instead of tables"
    )


def run(args: argparse.Namespace) -> int:
    from ... import stages
    from ...metrics.base import computes_numbers
    from ...report.console import print_results

    if args.mean:
        args.settings = [*args.settings, "output.mean=true"]
    computing = arguments.computing_options(args)
    options = RunOptions(
        n_jobs=args.n_jobs, backend=args.backend, address=args.address, **computing
    )
    overrides = Overrides(tuple(args.settings), tuple(args.only))
    with Bar(
        enabled=not args.quiet and not args.dry_run and sys.stderr.isatty()
    ) as bar:
        bar.stage("reading")
        job = stages.prepare(
            args.config, options, overrides, SILENT if args.quiet else bar
        )
        config = job.config.written
        if not args.quiet:
            for warning in job.warnings:
                bar.print(f"warning: {warning}")
        if args.dry_run:
            planned = plan(job, args.output, fresh=args.fresh)
            print_table(planned.header, planned.rows, left=(0, 1, 2, 4))
            if any(map(computes_numbers, job.metrics)):
                from ...execution.function_metrics import Computing, texts_to_compute

                computing_settings = Computing(options.under(config.run))
                for line in texts_to_compute(
                    job.corpora, job.metrics, computing_settings
                ):
                    print(printable(line))
            if planned.replacement:
                bar.warn(planned.replacement)
            return 0
        if not args.quiet:
            for note in arguments.kernel_notes(job.corpora):
                bar.warn(note)
        directory, results = stages.run(
            job, args.output, options, bar, fresh=args.fresh
        )
        if not args.quiet:
            for warning in results.warnings[len(job.warnings) :]:
                bar.print(f"warning: {warning}")
    if args.json:
        sys.stdout.write(results.to_json())
    else:
        digits = config.output.digits if args.digits is None else args.digits
        print_results(results, digits, boards=args.boards)
    if (
        not args.quiet and "results.json" in directory.files
    ):  # with --only earlier results may stay
        print(printable(f"results: {directory.path}"), file=sys.stderr)
    if results.missing:
        raise IncompleteError("\n".join([*map(str, results.missing), INCOMPLETE]))
    return int(bool(results.expectations and results.expectations["missed"]))


class Plan(NamedTuple):
    """What a run would count."""

    header: list[str]
    rows: list[list[str]]
    """A row for each system and metric of a data set."""
    replacement: str | None
    """A sentence about results in the run directory that the run would replace."""


def plan(job: Job, output: str | None = None, *, fresh: bool = False) -> Plan:
    """Return what a run would count, and what is counted already.

    With `fresh`, there is nothing to replace. Nothing is computed or written. Raises StoreError if
    the directory cannot be used.
    """
    from ...execution.count import counts_and_keys
    from ...execution.store.run_directory import RunDirectory, folder_of
    from ...scoring.metric_results import views_of
    from ...stages import replacement

    directory = RunDirectory(
        folder_of(output or job.config.written.output.dir), make=False
    )
    rows = []
    for corpus in job.corpora:
        tasks = [task for task in job.tasks if task.corpus is corpus]
        is_counted: dict[tuple[str, StatisticsSpec], bool] = {}
        for files, spec in views_of(tasks):
            paths, keys = counts_and_keys(files, spec, directory)
            for cell, path in paths.items():
                is_counted[cell] = directory.is_current(path, keys[cell])
        for task in tasks:
            for system in corpus.systems:
                state = "to do"
                if all(is_counted[system, spec] for spec in task.spec):
                    state = "counted"
                rows.append(
                    [corpus.name, system, task.signature, f"{corpus.lines:,}", state]
                )
    header = ["dataset", "system", "metric", "lines", "counts"]
    return Plan(header, rows, None if fresh else replacement(directory, job))
