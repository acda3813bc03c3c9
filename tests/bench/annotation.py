"""Annotating one system, and thirteen, against errant_parallel: rows of `tests.bench`. They need a
spaCy pipeline.

Whole processes in processor time: errant_parallel once for each system, as people use it, and
`gec-pipeline m2 annotate` once for all, without the cache, with one worker, and for thirteen with
two as well. The files have to be the same."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

from tests.bench.measuring.bench import Bench
from tests.bench.measuring.rows import Row

PARALLEL = """
import sys, spacy
from errant.commands.parallel_to_m2 import main
load, name = spacy.load, sys.argv.pop(1)
spacy.load = lambda _, **options: load(name, **options)
main()
"""
"""errant_parallel with the spaCy pipeline that its first argument names: it loads en_core_web_sm by
this name alone."""
MOST = 2
"""Times that everything is done: errant_parallel takes minutes."""


def annotation(bench: Bench) -> Iterator[Row]:
    """M2 files of one system and of all systems."""
    from pipeline.errors import ConfigError
    from pipeline.extensions.errant.errant_annotator import named, versions_of

    try:
        versions_of()
    except ConfigError as error:
        print(f"the row annotation is left out: {error}", file=sys.stderr)
        return
    source, _, systems = bench.conll()
    ours = bench.folder / "ours.m2"
    theirs = bench.folder / "theirs.m2"

    def mine(jobs: str, *texts: Path) -> float:
        line = f"-m pipeline m2 annotate --no-cache -q --n-jobs {jobs} -orig {source}"
        program: list[str | Path] = [sys.executable, *line.split()]
        program += ["-cor", *texts, "-out", ours]
        return bench.seconds(program, cpu=True)

    def peer(text: Path) -> float:
        program = [sys.executable, "-c", PARALLEL, named(None)]
        return bench.seconds(
            [*program, "-orig", source, "-cor", text, "-out", theirs], cpu=True
        )

    alone = bench.pairs(
        lambda: mine("1", systems[0]), lambda: peer(systems[0]), most=MOST
    )
    if ours.read_bytes() != theirs.read_bytes():
        raise SystemExit("errant_parallel writes another file")
    yield alone.row(
        "one system to M2, processor time of whole processes, one worker",
        "errant_parallel",
        "5 times",
    )
    found = []
    for _ in range(min(bench.runs, MOST)):
        before = mine("1", *systems)
        two = mine("2", *systems)
        other = sum(map(peer, systems))
        found.append((mean([before, mine("1", *systems)]), two, other))
    one, two, other = map(mean, zip(*found, strict=True))
    name = f"{len(systems)} systems to M2, processor time, one worker; two"
    ratios = [spent / before for before, _, spent in found]
    figures = (
        name,
        f"{one:.1f}; {two:.1f} s",
        f"errant_parallel: {other:.0f} s",
        mean(ratios),
        "7 times",
    )
    yield Row(*figures, seconds=one, least=min(ratios), most=max(ratios))
