"""The rows `scale` of tests.bench: each backend with one and two workers on 1M and 10M lines: time,
memory, disk.

The figures of `gec-pipeline help scale` come from here. Backends that are not installed are left
out, and said so."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from tests.bench.measuring.rows import NOTHING, Row
from tests.bench.survive import measured
from tests.conftest import tree

HOWS = {
    "1 process": ("", "--backend serial"),
    "2 threads": ("", "--n-jobs 2 --backend threading"),
    "loky, 1 worker": ("", "--n-jobs 1 --backend loky"),
    "loky, 2 workers": ("", "--n-jobs 2 --backend loky"),
    "dask, 1 worker": ("distributed", "--n-jobs 1 --backend dask"),
    "dask, 2 workers": ("distributed", "--n-jobs 2 --backend dask"),
    "ray, 1 worker": ("ray", "--n-jobs 1 --backend ray"),
    "ray, 2 workers": ("ray", "--n-jobs 2 --backend ray"),
    "spark, 1 worker": (
        "joblibspark",
        "--backend spark --address local-cluster[1,1,1024]",
    ),
    "spark, 2 workers": (
        "joblibspark",
        "--backend spark --address local-cluster[2,1,1024]",
    ),
}
"""The package that each needs, and its options."""
STATISTICS = ["--set", "statistics={resamples: 100, trials: 100}"]


def scale(config: Path, folder: Path, lines: str) -> Iterator[Row]:
    """Yield a row for each way of working, beside one process. All runs have the same files."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    first = None
    for name, (package, how) in HOWS.items():
        if package and find_spec(package) is None:
            print(f"{name}: {package} is not installed", file=sys.stderr)
            continue
        run = folder / name.replace(", ", "-").replace(" ", "-")
        shutil.rmtree(run, ignore_errors=True)
        found = measured(config, run, how.split())
        if first is None:
            first = run
            seconds = found.seconds
        elif tree(run) != tree(first):
            raise SystemExit(
                f"{name}: the files of the run are not those of one process"
            )
        else:
            shutil.rmtree(run)
        figures = (
            f"{lines} lines, {name}",
            str(found),
            f"1 process: {seconds:.1f} s",
            seconds / found.seconds,
            "-",
        )
        yield Row(*figures, seconds=found.seconds)
    if first is not None:
        found = measured(
            config, first, [*HOWS["1 process"][1].split(), *STATISTICS]
        )
        told = "1,000 bootstrap samples: ten times its time"
        name = f"{lines} lines, 100 bootstrap samples of counted columns"
        yield Row(name, str(found), told, NOTHING, "-", seconds=found.seconds)
        shutil.rmtree(first)
