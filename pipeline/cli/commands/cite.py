"""Print what to cite for a run: its data sets, metrics with their signatures, samples and tests, and their BibTeX.

What was used stands in comments, each with the keys of its entries, so that all of it is a BibTeX file. A data set is
recognised by its content. A message says what has no BibTeX entry. If you name a metric instead of
a run, the BibTeX of the metric is printed.

examples:
  gec-pipeline cite runs/quickstart
  gec-pipeline cite runs/conll14 > evaluation.bib
  gec-pipeline cite "bleu[smoothing=floor]"
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import printable

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("what", metavar="RUN|METRIC", help="a run directory, or a metric: its name or signature")


def run(args: argparse.Namespace) -> int:
    """Print what was used, and the BibTeX."""
    from ...execution.store.run_directory import folder_of
    from ...metrics.base.capabilities import declared_of
    from ...report.citations import bibtex, cited, of_metric
    from ...scoring.results import Results

    if not Path(args.what).is_dir():
        metric = of_metric(args.what)
        if not metric.citations:
            print(printable(f"no entry for {metric.output}: cite where its numbers come from"), file=sys.stderr)
        own = declared_of([metric]).values()
        sys.stdout.write(bibtex(metric.citations, [entry for each in own for entry in each.cite]))
        return 0
    results = Results.read(folder_of(args.what) / "results.json")
    things = cited(results)
    for what, keys in things:
        if keys:
            print(printable(f"% {what} [{', '.join(keys)}]"))
        else:
            print(printable(f"no entry for {what}: cite where it is from"), file=sys.stderr)
    entries = [entry for each in results.declared.values() for entry in each.cite]
    sys.stdout.write("\n" + bibtex([key for _, keys in things for key in keys], entries))
    return 0
