"""Timings against peers, as ratios of pairs measured in turn: `python -m tests.bench` (not run by pytest).

Corpora are made from ../shared/conll14 where it is there, else from data/; peers must agree on the numbers before they
are timed. Commands are timed whole, in turn (A B A B ...). A row has the median, the least and the greatest of the
pairs' ratios.

    python -m tests.bench                       every row but the large ones
    python -m tests.bench --only wc --runs 5    rows whose name contains "wc"
    python -m tests.bench --large --json FILE   also 10 million lines; figures as JSON too
    python -m tests.bench --page                the rows as `gec-pipeline help speed` has them, with the date
    python -m tests.bench --cpu                 processor time, for a machine that others use
    python -m tests.bench --only scale          every backend on 1 and 10 million lines (see `scale.py`)
    python -m tests.bench --only m2 --m2scorer m2scorer.py       against a port of the official scorer (see `edits.py`)
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

from pipeline import kernel
from tests.bench import bleu, edits, rouge, whole
from tests.bench.annotation import annotation
from tests.bench.calls import calls
from tests.bench.function_metrics import function_metrics
from tests.bench.measuring import clock
from tests.bench.measuring.bench import Bench
from tests.bench.measuring.rows import HEADER, Row
from tests.bench.neural import neural

ROWS: dict[str, tuple[Callable[[Bench], Iterator[Row]], bool]] = {
    "package": (whole.package, False),
    "google": (whole.google, False),
    "rouge": (rouge.rows, False),
    "rouge-process": (rouge.process, False),
    "statistics": (whole.statistics, False),
    "start": (whole.start, False),
    "bleu": (bleu.bleu, False),
    "chrf": (bleu.chrf, False),
    "calls": (calls, False),
    "plugins": (function_metrics, True),
    "neural": (neural, True),
    "ter": (bleu.ter, False),
    "wc": (whole.wc, False),
    "workers": (whole.workers, False),
    "draws": (whole.draws, False),
    "m2": (edits.m2, False),
    "imeasure": (edits.imeasure, False),
    "errant": (edits.errant, False),
    "edits-100k": (edits.large, True),
    "annotation": (annotation, True),
    "memory": (whole.memory, True),
    "survive": (whole.survive, True),
    "scale-1M": (lambda bench: whole.scale(bench, 1), True),
    "scale-10M": (lambda bench: whole.scale(bench, 10), True),
}
"""Rows by name, and whether they are among the large ones."""


def arguments() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--only", default="", help="rows whose name contains this"
    )
    parser.add_argument(
        "--runs",
        type=int,
        default=5,
        help="pairs timed for each row (default: 5)",
    )
    parser.add_argument(
        "--large",
        action="store_true",
        help="also the rows that need minutes and gigabytes",
    )
    parser.add_argument(
        "--cpu",
        action="store_true",
        help="processor time; rows of several workers stay by the clock",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        help="keep the corpora here (default: a temporary folder)",
    )
    parser.add_argument("--json", type=Path, help="write the figures here too")
    parser.add_argument(
        "--m2scorer",
        type=Path,
        metavar="FILE",
        help="a Python 3 port of m2scorer (see edits.py)",
    )
    parser.add_argument(
        "--annotated",
        type=Path,
        metavar="FOLDER",
        help="gold.m2, and an M2 file of each system",
    )
    parser.add_argument(
        "--page",
        action="store_true",
        help="print rows of the table in `help speed`",
    )
    return parser.parse_args()


def main() -> None:
    """Measure, print the table, write JSON."""
    args = arguments()
    if args.page and kernel.name() != "native":
        raise SystemExit(
            "the page has times of the compiled kernel, which is not here"
        )
    if args.cpu:
        os.environ[clock.VARIABLE] = "1"
    wanted = [
        n
        for n, (_, large) in ROWS.items()
        if args.only in n and (args.large or args.only or not large)
    ]
    rows: list[Row] = []
    loads = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    print(f"{os.cpu_count()} cores, load {loads} (1, 5, 15 minutes)\n")
    with tempfile.TemporaryDirectory() as temporary:
        folder = (args.folder or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        bench = Bench(folder, args.runs)
        bench.m2scorer = args.m2scorer
        bench.annotated = args.annotated
        header = [] if args.page else [HEADER, ["---"] * len(HEADER)]
        for cells in header:
            print(f"| {' | '.join(cells)} |")
        for name in wanted:
            for row in ROWS[name][0](bench):
                rows.append(row)
                print(
                    f"| {' | '.join(row.published(name) if args.page else row.cells())} |",
                    flush=True,
                )
    if args.json:
        args.json.write_text(
            json.dumps([asdict(row) for row in rows], indent=1) + "\n",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
