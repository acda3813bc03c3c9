"""Print what to cite for a run: a paragraph that says how it was evaluated, and the BibTeX that the paragraph needs.

The paragraph names the metrics with their signatures, the data sets, the tests and the samples of the run. Check it,
and put it into your own words. A data set is recognised by its content, or else by its name. A message says what has
no BibTeX entry. If you name a metric instead of a run, the BibTeX of the metric is printed.

examples:
  gec-pipeline cite runs/quickstart
  gec-pipeline cite runs/conll14 --latex > evaluation.tex
  gec-pipeline cite runs/conll14 --bibtex > evaluation.bib
  gec-pipeline cite "bleu[smoothing=floor]"
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import printable

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("what", metavar="RUN|METRIC", help="a run directory, or a metric: its name or signature")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--latex", action="store_true", help="only the paragraph, in LaTeX")
    only.add_argument("--bibtex", action="store_true", help="only the BibTeX")


def run(args: argparse.Namespace) -> int:
    """Print the paragraph and the BibTeX."""
    from ...execution.store.run_directory import folder_of
    from ...metrics.base.capabilities import declared_of
    from ...report.citations import LATEX, PLAIN, bibtex, of_metric, paragraph, uncited
    from ...scoring.results import Results

    if not Path(args.what).is_dir():
        metric = of_metric(args.what)
        if not metric.citations:
            print(printable(f"no entry for {metric.output}: cite where its numbers come from"), file=sys.stderr)
        own = declared_of([metric]).values()
        sys.stdout.write(bibtex(metric.citations, [entry for each in own for entry in each.cite]))
        return 0
    results = Results.read(folder_of(args.what) / "results.json")
    text, keys = paragraph(results, LATEX if args.latex else PLAIN)
    if not args.bibtex:
        print(textwrap.fill(printable(text), 110, break_long_words=False, break_on_hyphens=False))
    if not args.latex:
        sys.stdout.write(
            ("" if args.bibtex else "\n")
            + bibtex(keys, [entry for each in results.declared.values() for entry in each.cite])
        )
    for name in uncited(results):
        print(printable(f"no entry for {name}: cite where it is from"), file=sys.stderr)
    return 0
