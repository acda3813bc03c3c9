"""Score the systems of a config on its data sets, rank them, and store the results.

Scores go to standard output, and progress and warnings go to standard error. Several metrics share
one table, and --boards prints a ranked table for each. If you run the same config again, nothing is
counted twice. After an interruption, a killed worker or a full disk, the same command goes on (see
`gec-pipeline help runs`). If the config contains expected values, verdicts are printed, and the exit
code is 1 if a value is missed.

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
from ...data.config import Overrides
from ...errors import IncompleteError
from ...execution import SILENT, RunOptions
from ...report.terminal import Bar, print_line, print_table
from .. import arguments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...stage import Job


INCOMPLETE = (
    "the results are incomplete; run the same command again, with more memory or fewer workers, to "
    "go on"
)


def configure(parser: argparse.ArgumentParser) -> None:
    arguments.add_config(parser)
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
        "--json",
        action="store_true",
        help="print results.json instead of tables",
    )


def run(args: argparse.Namespace) -> int:
    from ... import stages
    from ...execution import computations
    from ...report import print_results

    if args.mean:
        args.settings = [*args.settings, "output.mean=true"]
    computing = arguments.computing_options(args)
    options = RunOptions(
        n_jobs=args.n_jobs,
        backend=args.backend,
        address=args.address,
        **computing,
    )
    overrides = Overrides(tuple(args.settings), tuple(args.only))
    with Bar(
        enabled=not args.quiet and not args.dry_run and sys.stderr.isatty()
    ) as bar:
        bar.stage("reading")
        job = stages.prepare(
            args.config, options, overrides, SILENT if args.quiet else bar
        )
        config = job.config.parsed
        if not args.quiet:
            for warning in job.warnings:
                bar.print(f"warning: {warning}")
        if args.dry_run:
            planned = plan(job, args.output, fresh=args.fresh)
            print_table(planned.header, planned.rows, left=(0, 1, 2, 4))
            for computation in computations(
                job.metrics, options.under(config.run)
            ):
                for line in computation.planned(job.corpora):
                    print_line(line)
            for note in planned.notes:
                bar.warn(note)
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
    # with --only earlier results may stay
    if not args.quiet and "results.json" in directory.files:
        print_line(f"results: {directory.path}", sys.stderr)
    if results.missing:
        raise IncompleteError(
            "\n".join([*map(str, results.missing), INCOMPLETE])
        )
    return int(bool(results.expectations and results.expectations["missed"]))


class Plan(NamedTuple):
    """What a run would count."""

    header: list[str]
    rows: list[list[str]]
    """A row for each system and metric of a data set."""
    notes: Sequence[str]
    """Sentences about results in the run directory, such as that the run would replace them."""


def plan(job: Job, output: str | None = None, *, fresh: bool = False) -> Plan:
    """Return what a run would count, and what is counted already.

    With `fresh`, there is nothing to replace. Nothing is computed or written. Raises StoreError if
    the directory cannot be used.
    """
    from ...execution import RunDirectory, finished_counts, folder_of, specs_of
    from ...stages import earlier_run

    directory = RunDirectory(
        folder_of(output or job.config.parsed.output.dir), make=False
    )
    rows = []
    for corpus in job.corpora:
        tasks = [task for task in job.tasks if task.corpus is corpus]
        finished = finished_counts(corpus, specs_of(tasks), directory)
        for task in tasks:
            for system in corpus.systems:
                state = "to do"
                if all((system, spec) in finished for spec in task.spec):
                    state = "counted"
                rows.append(
                    [
                        corpus.name,
                        system,
                        task.signature,
                        f"{corpus.lines:,}",
                        state,
                    ]
                )
    header = ["dataset", "system", "metric", "lines", "counts"]
    return Plan(
        header, rows, () if fresh else earlier_run(directory, job).notes
    )
