"""M², I-measure and ERRANT of the systems of CoNLL-2014: rows of `tests.bench`, whole processes in
processor time.

Ours is one `gec-pipeline score` for all systems, and one `gec-pipeline run` of a config. The peer
is started once for each system, as people use it. All are done in turn. Of this program's two times
around that of the peer the least counts: other processes make times longer, and never shorter.
Nothing of the peers is in this repository. `--m2scorer` names a program that takes an output and a
gold file, and prints F as its last number, such as a Python 3 port of the official scorer.
`--annotated` names a folder with an M2 file of each system (AMU.m2), which `gec-pipeline m2
annotate` makes. errant_compare is looked for on the PATH."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tests.bench.measuring.bench import Bench
from tests.bench.measuring.rows import Row, Timing
from tests.bench.survive import measured

Peers = list[list[str | Path]]
"""A command for each system."""

MOST = 3
"""Times that everything is done."""
LINES = 100_000
NUMBER = re.compile(r"[0-9]\.[0-9]+")
TOLERANCE = 6e-5
"""Peers print four decimals."""
PEERS = {
    "m2": "a port of m2scorer to Python 3",
    "imeasure": "",
    "errant": "errant_compare",
}
AIMS = {
    "m2": "300 times the fastest exact port",
    "imeasure": "-",
    "errant": "20 times",
    "compare": "3 times",
}


def m2(bench: Bench) -> Iterator[Row]:
    """M² of text outputs against the combined gold file of both annotators."""
    texts = _texts(bench)
    if texts is None:
        return
    gold, systems = texts
    peers: Peers = (
        [
            [sys.executable, bench.m2scorer, path, gold]
            for path in systems.values()
        ]
        if bench.m2scorer
        else []
    )
    yield from _row(bench, "m2", gold, systems, peers)


def imeasure(bench: Bench) -> Iterator[Row]:
    """I-measure of text outputs with the same gold. The official program is for Python 2: 79 to 195
    s for a system.
    """
    if texts := _texts(bench):
        yield from _row(bench, "imeasure", *texts, [])


def errant(bench: Bench) -> Iterator[Row]:
    """ERRANT of annotated outputs, and the command that prints what errant_compare does."""
    program = shutil.which("errant_compare")
    annotated = _annotated(bench)
    if annotated:
        peers: Peers = (
            [
                [program, "-hyp", path, "-ref", annotated[0]]
                for path in annotated[1].values()
            ]
            if program
            else []
        )
        yield from _row(bench, "errant", *annotated, peers)
        if peers:
            mine = [
                sys.executable,
                "-m",
                "pipeline",
                "errant_compare",
                *peers[0][1:],
            ]
            if bench.done(mine).printed != bench.done(peers[0]).printed:
                raise SystemExit("errant_compare prints something else")
            timing = bench.pairs(
                lambda: bench.done(mine).cpu, lambda: bench.done(peers[0]).cpu
            )
            yield timing.row(
                "errant_compare of one system, processor time of a whole process",
                PEERS["errant"],
                "3 times",
            )


def large(bench: Bench) -> Iterator[Row]:
    """100,000 sentences of one system with two annotators: time and memory of whole runs."""
    for metric, files in (
        ("m2", _texts(bench)),
        ("imeasure", _texts(bench)),
        ("errant", _annotated(bench)),
    ):
        if files is None:
            continue
        gold, systems = files
        system = next(iter(systems))
        output = _repeated(bench, systems[system], LINES)
        config = _config(
            bench, metric, _repeated(bench, gold, LINES), {system: output}
        )
        figures = []
        for workers in ("1", "2"):
            run = bench.folder / "run"
            shutil.rmtree(run, ignore_errors=True)
            figures.append(measured(config, run, ["--n-jobs", workers]))
        one, two = figures
        ratio = one.seconds / two.seconds
        yield Row(
            f"{metric} of {LINES:,} sentences",
            str(two),
            f"1 worker: {one}",
            ratio,
            "-",
            seconds=two.seconds,
        )


def _row(
    bench: Bench,
    metric: str,
    gold: Path,
    systems: Mapping[str, Path],
    peers: Peers,
) -> Iterator[Row]:
    """Yield the row of a metric. Numbers have to agree to four digits, where there is a peer."""
    program: list[str | Path] = [sys.executable, "-m", "pipeline"]
    mine = [*program, "score", metric, "--gold", gold, "-o", *systems.values()]
    printed = bench.done([*mine, "--json"]).printed
    scores = dict(zip(systems, _scores(printed, systems.values()), strict=True))
    config = _config(bench, metric, gold, systems)
    ran: list[str | Path] = [*program, "run", config, "-q"]
    once = Timing([], [])
    config_runs = Timing([], [])
    for _ in range(min(bench.runs, MOST)):
        before = bench.done(mine).cpu
        run_before = _fresh(bench, ran)
        printed_by_peers = [bench.done(peer) for peer in peers]
        for system, done in zip(systems, printed_by_peers, strict=False):
            last = NUMBER.findall(done.printed)[-1]
            if abs(float(last) - scores[system]) > TOLERANCE:
                raise SystemExit(
                    f"{metric}: the peer gives {system} another score"
                )
        once.ours.append(min(before, bench.done(mine).cpu))
        config_runs.ours.append(min(run_before, _fresh(bench, ran)))
        for timing in (once, config_runs):
            timing.peer.extend(
                [sum(done.cpu for done in printed_by_peers)]
                if printed_by_peers
                else []
            )
    name = f"{metric} of {len(systems)} systems of CoNLL-2014, processor time of whole processes"
    for called, timing in (
        (name, once),
        (f"{metric}: the same, `run` of a config", config_runs),
    ):
        yield timing.row(
            called, f"{PEERS[metric]}, {len(peers)} runs", AIMS[metric]
        )


def _fresh(bench: Bench, command: list[str | Path]) -> float:
    """Return the processor time of a run that finds nothing of an earlier one, whose counts it
    would take.
    """
    shutil.rmtree(bench.folder / "run", ignore_errors=True)
    return bench.done(command).cpu


def _scores(printed: str, paths: Iterable[Path]) -> list[float]:
    """Return the scores of systems, which are called by their paths, from printed JSON."""
    scores = {
        score["system"]: score["score"]
        for score in json.loads(printed)["scores"]
    }
    return [scores[str(path)] for path in paths]


def _config(
    bench: Bench, metric: str, gold: Path, systems: Mapping[str, Path]
) -> Path:
    outputs = {
        name: {"m2": str(path)} if metric == "errant" else str(path)
        for name, path in systems.items()
    }
    content = {
        "datasets": {"corpus": {"gold": str(gold)}},
        "systems": outputs,
        "metrics": [metric],
    }
    path = bench.folder / f"{metric}.yaml"
    path.write_text(
        json.dumps({**content, "output": {"dir": str(bench.folder / "run")}}),
        encoding="utf-8",
    )
    return path


def _texts(bench: Bench) -> tuple[Path, dict[str, Path]] | None:
    """Return the gold file and the text outputs of CoNLL-2014, or None where they are not there."""
    gold = bench.combined_gold()
    if gold is None:
        print(
            "rows of text outputs are left out: ../shared has no gold file of CoNLL-2014",
            file=sys.stderr,
        )
        return None
    return gold, {path.name: path for path in bench.conll()[2]}


def _annotated(bench: Bench) -> tuple[Path, dict[str, Path]] | None:
    """Return the gold file in ERRANT's types and the annotated outputs, or None where there are
    none.
    """
    if bench.annotated is None:
        print(
            "errant is left out: it needs --annotated FOLDER", file=sys.stderr
        )
        return None
    return bench.annotated / "gold.m2", {
        p.stem: p
        for p in sorted(bench.annotated.glob("*.m2"))
        if p.stem != "gold"
    }


def _repeated(bench: Bench, path: Path, sentences: int) -> Path:
    """Return a text or an M2 file again and again, up to a number of sentences."""
    ends = b"\n\n" if b"\n\n" in path.read_bytes() else b"\n"
    own = path.read_bytes().strip(b"\n").split(ends)
    target = bench.folder / f"large-{path.name}"
    with target.open("wb") as file:
        for number in range(sentences):
            file.write(own[number % len(own)] + ends)
    return target
