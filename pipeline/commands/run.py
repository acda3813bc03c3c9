"""Score the systems of a config on its data sets, rank them, and keep the results in the run directory.

Scores go to standard output, progress and warnings to standard error. Running the same config again counts
nothing twice; after an interruption the same command goes on.

examples:
  gec-pipeline run configs/quickstart.yaml
  gec-pipeline run eval.yaml --output runs/today --digits 4 --n-jobs 2
  gec-pipeline run eval.yaml -q --json > results.json
  gec-pipeline run eval.yaml --only AMU --set metrics.0.order=3 --dry-run
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..config import BACKENDS
from ..errors import printable
from .inputs import add_selection, given, jobs

if TYPE_CHECKING:
    import argparse

    from ..count import Progress


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("config", help="a YAML file; `gec-pipeline help config` explains it")
    add_selection(parser)
    parser.add_argument("--dry-run", action="store_true", help="print what would be counted; compute nothing")
    parser.add_argument("--output", metavar="DIR", help="run directory, instead of the config's output.dir")
    parser.add_argument("--n-jobs", type=jobs, metavar="N", help="workers, instead of the config's run.n_jobs")
    parser.add_argument("--backend", choices=BACKENDS, help="who runs them, instead of the config's run.backend")
    parser.add_argument("--digits", type=int, choices=range(13), metavar="N", help="decimals of printed percentages")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress; warnings only in the results")
    parser.add_argument("--json", action="store_true", help="print results.json instead of tables")


def run(args: argparse.Namespace) -> int:
    """Run the config and print its tables."""
    from .. import stages
    from ..count import How
    from ..report.console import print_results, print_table

    how = How(args.n_jobs, args.backend)
    job = stages.prepare(args.config, how, given(args))
    if not args.quiet:
        for warning in job.warnings:
            print(printable(f"warning: {warning}"), file=sys.stderr)
    if args.dry_run:
        header, rows = stages.plan(job, args.output)
        print_table(header, rows, left=(0, 1, 2, 4))
        return 0
    with _Bar(enabled=not args.quiet and sys.stderr.isatty()) as progress:
        directory, results = stages.run(job, args.output, how._replace(progress=progress))
    for warning in results.warnings[len(job.warnings) :] if not args.quiet else ():  # what only the counts tell
        print(printable(f"warning: {warning}"), file=sys.stderr)
    if args.json:
        sys.stdout.write(results.to_json())
    else:
        print_results(results, job.config.output.digits if args.digits is None else args.digits)
    if not args.quiet:
        print(printable(f"results: {directory.path}"), file=sys.stderr)
    return 0


class _Bar:
    """A progress bar on standard error, where that is a terminal: lines done, per second, time left."""

    def __init__(self, *, enabled: bool) -> None:
        self.enabled = enabled

    def __enter__(self) -> Progress | None:
        if not self.enabled:
            return None
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        told = TextColumn("{task.fields[told]}")
        columns = (TextColumn("counting"), BarColumn(), told, TimeRemainingColumn())
        self.bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self.bar.start()
        task = self.bar.add_task("", total=None, told="")

        def progress(done: int, whole: int) -> None:
            rate = self.bar.tasks[0].speed
            told = f"{done:,} of {whole:,} lines" + (f", {rate:,.0f}/s" if rate else "")
            self.bar.update(task, completed=done, total=whole, told=told)

        return progress

    def __exit__(self, *_: object) -> None:
        if self.enabled:
            self.bar.stop()
