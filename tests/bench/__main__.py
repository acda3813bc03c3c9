"""Timings against peers, as ratios of medians' pairs in the same run: `python -m tests.bench` (not run by pytest).

Corpora are made from ../shared/conll14 where it is there, else from data/; peers must agree on the numbers before they
are timed. Commands are timed whole, in turn (A B A B ...), and a row's figure is the median of the pairs' ratios.

    python -m tests.bench                       every row but the large ones
    python -m tests.bench --only wc --runs 5    rows whose name contains "wc"
    python -m tests.bench --large --json FILE   also 10 million lines; figures as JSON too
    python -m tests.bench --page                writes the rows into `gec-pipeline help speed`, with the date
    python -m tests.bench --only scale          every backend on 1 and 10 million lines (see `scale.py`)
    python -m tests.bench --only m2 --m2scorer m2scorer.py       against a port of the official scorer (see `edits.py`)
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from tests.bench import bleu as bench_bleu
from tests.bench import edits, help_page
from tests.bench import rouge as bench_rouge
from tests.bench.annotation import annotation
from tests.bench.calls import calls
from tests.bench.scale import scale
from tests.bench.statistics import SAMPLES, TRIALS, run_statistics
from tests.bench.survive import survive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ROOT = Path(__file__).parents[2]
CONLL = ROOT.parent / "shared" / "conll14"
GOLD = "mirror/awasthiabhijeet/PIE/*/scratch/official-2014.combined.m2"
"""The gold file of both annotators, from ../shared."""
SYSTEMS = ["AMU", "CAMB", "CUUI", "IITB", "INPUT", "IPN", "NTHU", "PKU", "POST", "RAC", "SJTU", "UFC", "UMC"]
MILLION = 1_000_000
TYPES = 500_000


@dataclass
class Row:
    """A figure: what was timed against what, the ratio (of medians of pairs), and the aim."""

    name: str
    ours: str
    peer: str
    ratio: float
    aim: str


@dataclass
class Done:
    """A command that has run: its seconds, those of its processors, and what it printed."""

    wall: float
    cpu: float
    printed: str


def _children() -> float:
    """Return the processor seconds of all processes that were started from here and have ended."""
    import resource  # here, because Windows has none

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Bench:
    """The rows, and the folder with the corpora that they are measured on."""

    def __init__(self, folder: Path, runs: int, *, m2scorer: Path | None = None, annotated: Path | None = None) -> None:
        self.folder, self.runs = folder, runs
        self.m2scorer, self.annotated = m2scorer, annotated

    # --- corpora

    def conll(self) -> tuple[Path, list[Path], list[Path]]:
        """Return source, references and systems: CoNLL-2014's, or the sample's."""
        if CONLL.is_dir():
            return CONLL / "INPUT", [CONLL / "REF0", CONLL / "REF1"], [CONLL / name for name in SYSTEMS]
        data = ROOT / "data"
        references = [data / "reference0.txt", data / "reference1.txt"]
        return data / "source.txt", references, sorted((data / "systems").iterdir())

    def combined_gold(self) -> Path | None:
        """Return the gold file of CoNLL-2014, or None where it is not there."""
        return next(CONLL.parent.glob(GOLD), None)

    def repeated(self, lines: int) -> list[Path]:
        """Return source, two references and one output of `lines` lines: the small corpus again and again."""
        source, references, systems = self.conll()
        paths = []
        for number, path in enumerate([source, *references, systems[0]]):
            target = self.folder / f"repeated-{lines}-{number}"
            if not target.exists():
                text = path.read_bytes().replace(b"\r\n", b"\n")
                text += b"" if text.endswith(b"\n") else b"\n"
                own = text.splitlines(keepends=True)
                with target.open("wb") as file:
                    for _ in range(lines // len(own)):
                        file.write(text)
                    file.writelines(own[: lines % len(own)])
            paths.append(target)
        return paths

    def zipf(self, lines: int) -> list[Path]:
        """Return the same of generated text: TYPES word types, Zipf's law, outputs and references edited."""
        paths = [self.folder / f"zipf-{lines}-{number}" for number in range(4)]
        if not paths[0].exists():
            generator = random.Random(20140626)
            words = [f"w{number:x}" for number in range(TYPES)]
            weights, total = [], 0.0
            for rank in range(1, TYPES + 1):
                total += 1 / rank
                weights.append(total)
            files = [path.open("w", encoding="ascii") for path in paths]
            for _ in range(lines // 1000):
                drawn = generator.choices(words, cum_weights=weights, k=22_000)
                for start in range(0, 22_000, 22):
                    sentence = drawn[start : start + 22]
                    for file in files:
                        place = generator.randrange(22)
                        file.write(" ".join([*sentence[:place], drawn[-1 - start], *sentence[place + 1 :]]) + "\n")
            for file in files:
                file.close()
        return paths

    def config(self, paths: Sequence[Path], name: str) -> Path:
        """Return a config with one system over four files."""
        source, reference0, reference1, system = paths
        path = self.folder / f"{name}.yaml"
        path.write_text(
            f"datasets: {{big: {{source: {source}, references: [{reference0}, {reference1}]}}}}\n"
            f"systems: {{one: {system}}}\nmetrics: [gleu]\noutput: {{dir: {self.folder / 'run'}}}\n",
            encoding="utf-8",
        )
        return path

    # --- timing

    def seconds(self, command: Sequence[str | Path], cpu: bool = False) -> float:
        """Return the wall (or processor) seconds of a whole command."""
        done = self.done(command)
        return done.cpu if cpu else done.wall

    def done(self, command: Sequence[str | Path]) -> Done:
        """Run a command. Its bytecode is kept, as that of an installed package is."""
        shutil.rmtree(self.folder / "run", ignore_errors=True)
        before, start = _children(), time.perf_counter()
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        words = [str(word) for word in command]
        run = subprocess.run(words, check=True, capture_output=True, text=True, env=environment, cwd=ROOT)
        return Done(time.perf_counter() - start, _children() - before, run.stdout)

    def child(self, *arguments: str | Path) -> dict[str, float]:
        """Run this program as a child that reports seconds of its own stages, and its memory."""
        shutil.rmtree(self.folder / "run", ignore_errors=True)
        command = [sys.executable, "-m", "tests.bench", "--child", *map(str, arguments)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
        figures: dict[str, float] = json.loads(done.stdout)
        return figures

    def pairs(self, ours: Callable[[], float], peer: Callable[[], float]) -> tuple[float, float, float]:
        """Return median seconds of both and the median ratio peer / ours, measured in turn after one warm-up."""
        ours(), peer()
        found = [(ours(), peer()) for _ in range(self.runs)]
        return median(o for o, _ in found), median(p for _, p in found), median(p / o for o, p in found)

    # --- rows

    def whole_process(self) -> Iterator[Row]:
        """The thirteen systems of CoNLL-2014, GLEU+ with 500 iterations, against the package gleu."""
        source, references, systems = self.conll()
        listed: list[str | Path] = ["-s", source, "-r", *references, "-o", *systems]
        package: list[str | Path] = [Path(sysconfig.get_path("scripts")) / "gleu", "-f", *listed]
        mine: list[str | Path] = [sys.executable, "-m", "pipeline", "gleu", "corpus", "-f", *listed]
        outputs = [subprocess.run(c, check=True, capture_output=True, cwd=ROOT).stdout for c in (mine, package)]
        if outputs[0] != outputs[1]:
            raise SystemExit("the package gleu prints other numbers")
        saved, self.runs = self.runs, min(self.runs, 2)
        ours, peer, ratio = self.pairs(lambda: self.seconds(mine), lambda: self.seconds(package))
        self.runs = saved
        name = f"{len(systems)} systems x 500 iterations, whole process"
        yield Row(name, f"{ours:.2f} s", f"gleu -f: {peer:.1f} s", ratio, "peer 60 to 100 times slower")

    def google(self) -> Iterator[Row]:
        """Google-GLEU of all systems, files opened to score, one worker, against nltk on the same lines."""
        _, references, systems = self.conll()
        files = ",".join(str(path) for path in [*references, *systems])
        mine, theirs = (
            self.child("google", files, str(len(references))),
            self.child("nltk", files, str(len(references))),
        )
        if abs(mine["score"] - theirs["score"]) > 1e-12:
            raise SystemExit("nltk gives another number")
        ours, peer, ratio = self.pairs(
            lambda: self.child("google", files, str(len(references)))["seconds"],
            lambda: self.child("nltk", files, str(len(references)))["seconds"],
        )
        name = f"Google-GLEU of {len(systems)} systems"
        yield Row(name, f"{ours:.3f} s", f"nltk: {peer:.2f} s", ratio, "peer 25 to 100 times slower")

    def statistics(self) -> Iterator[Row]:
        """1,000 bootstrap samples, and 10,000 shuffles against a baseline, from stored columns, against sacreBLEU."""
        source, references, systems = self.conll()
        files = ",".join(str(path) for path in [source, *references, *systems])
        mine, theirs = (self.child("statistics", what, files, "bleu") for what in ("ours", "sacrebleu"))
        if abs(mine["low"] - theirs["low"]) > 1e-6 or mine["p"] != theirs["p"]:
            raise SystemExit(f"sacrebleu has other intervals or p-values: {mine}, {theirs}")
        saved, self.runs = self.runs, min(self.runs, 3)
        for key, name, aim in (
            ("bootstrap", f"{SAMPLES:,} bootstrap samples of {len(systems)} systems", "under 1 s"),
            ("tests", f"{TRIALS:,} shuffles of {len(systems) - 1} pairs", "under 1 s"),
        ):
            ours, peer, ratio = self.pairs(
                lambda key=key: self.child("statistics", "ours", files, "bleu")[key],  # type: ignore[misc]
                lambda key=key: self.child("statistics", "sacrebleu", files, "bleu")[key],  # type: ignore[misc]
            )
            yield Row(f"{name}, BLEU", f"{ours:.3f} s", f"sacrebleu: {peer:.1f} s", ratio, aim)
            seconds = median(self.child("statistics", "ours", files, "gleu")[key] for _ in range(self.runs))
            yield Row(f"{name}, GLEU+ with draws", f"{seconds:.3f} s", "-", float("nan"), aim)
        self.runs = saved

    def start(self) -> Iterator[Row]:
        """CPU seconds of --version, a small file and the quickstart, against `import numpy`."""
        numpy = [sys.executable, "-c", "import numpy"]
        mine: list[str | Path] = [sys.executable, "-m", "pipeline"]
        score = ["score", "gleu", "-s", "data/source.txt", "-r", "data/reference0.txt"]
        rows = (
            ("--version", ["--version"], "1/3"),
            ("score of a small file", [*score, "-o", "data/systems/careful.txt"], "2"),
            ("quickstart", ["run", "configs/quickstart.yaml", "-q"], "2.7 to 4"),
        )
        for name, arguments, aim in rows:
            full = [*mine, *arguments, *(["--output", self.folder / "run"] if name == "quickstart" else [])]
            ours, peer, ratio = self.pairs(
                lambda full=full: self.seconds(full, cpu=True),  # type: ignore[misc]
                lambda: self.seconds(numpy, cpu=True),
            )
            yield Row(f"{name}, CPU", f"{ours:.2f} s", f"import numpy: {peer:.2f} s", 1 / ratio, f"{aim} of its time")

    def wc(self) -> Iterator[Row]:
        """GLEU+ columns of 1M lines, files opened to columns written, one worker, against wc -w of the four files."""
        for name, paths, aim in (
            ("repeated", self.repeated(MILLION), "2 to 2.5"),
            ("Zipf", self.zipf(MILLION), "3 to 4"),
        ):
            config = self.config(paths, name)
            ours, peer, ratio = self.pairs(
                lambda config=config: self.child("columns", config, "1")["columns"],  # type: ignore[misc]
                lambda paths=paths: self.seconds(["wc", "-w", *paths]),  # type: ignore[misc]
            )
            row = f"columns of 1M lines, {name} text"
            yield Row(row, f"{ours:.2f} s", f"wc -w: {peer:.2f} s", 1 / ratio, f"{aim} times its time")

    def workers(self) -> Iterator[Row]:
        """2 workers against 1 on 1M lines: the statistics stage, and the whole process."""
        config = self.config(self.repeated(MILLION), "workers")
        ours, peer, ratio = self.pairs(
            lambda: self.child("count", config, "2")["count"], lambda: self.child("count", config, "1")["count"]
        )
        yield Row("2 workers, statistics of 1M lines", f"{ours:.2f} s", f"1 worker: {peer:.2f} s", ratio, "1.8 to 1.9")
        command = [sys.executable, "-m", "pipeline", "run", str(config), "-q", "--n-jobs"]
        ours, peer, ratio = self.pairs(lambda: self.seconds([*command, "2"]), lambda: self.seconds([*command, "1"]))
        yield Row("2 workers, whole process, 1M lines", f"{ours:.2f} s", f"1 worker: {peer:.2f} s", ratio, "1.6 to 1.8")

    def draws(self) -> Iterator[Row]:
        """500 iterations of 1M sentences with two references: draws and sums."""
        config = self.config(self.repeated(MILLION), "draws")
        seconds = median(self.child("draws", config, "1")["draws"] for _ in range(self.runs))
        yield Row("500 iterations of 1M sentences", f"{seconds:.2f} s", "-", float("nan"), "0.4 to 0.8 s")

    def memory(self) -> Iterator[Row]:
        """Anonymous memory of a whole run at 1M and 10M lines, one worker."""
        small = self.child("draws", self.config(self.repeated(MILLION), "memory1"), "1")["megabytes"]
        large = self.child("draws", self.config(self.repeated(10 * MILLION), "memory10"), "1")["megabytes"]
        yield Row(
            "memory, 10M lines", f"{large:.0f} MB", f"1M lines: {small:.0f} MB", large / small, "1.3; 200 to 400 MB"
        )

    def rouge(self) -> Iterator[Row]:
        """ROUGE-1, 2 and L in memory, against three packages with as many threads (see `bench_rouge.py`)."""
        _, references, systems = self.conll()
        for row in bench_rouge.measured(references[0], systems[0], self.runs):
            yield Row(*row)

    def rouge_process(self) -> Iterator[Row]:
        """ROUGE-1, 2 and L of a file, whole process, against a script around rouge-score."""
        _, references, systems = self.conll()
        files = references[0], systems[0]
        script = "import sys; sys.argv[1:1] = ['rouge-score', 'lines', '1+2+L', '1']; from tests.bench.rouge import *; "
        script += "task(sys.argv[1], ['1', '2', 'L'], *pairs(*map(Path, sys.argv[5:]), 'lines'), 1)()"
        peer: list[str | Path] = [sys.executable, "-c", script, *files]
        mine: list[str | Path] = [sys.executable, "-m", "pipeline", "score", "rouge", "-r", files[0], "-o", files[1]]
        ours, theirs, ratio = self.pairs(lambda: self.seconds(mine), lambda: self.seconds(peer))
        yield Row("rouge of one system, whole process", f"{ours:.2f} s", f"rouge-score: {theirs:.2f} s", ratio, "-")

    def survive(self) -> Iterator[Row]:
        """A run of 10M lines, whole, and killed half-way and continued: time, memory, disk."""
        config = self.config(self.repeated(10 * MILLION), "survive")
        yield from (Row(*row) for row in survive(config, self.folder))

    def scale(self, millions: int) -> Iterator[Row]:
        """Each backend with one and two workers: time, memory, disk."""
        config = self.config(self.repeated(millions * MILLION), f"scale{millions}")
        yield from (Row(*row) for row in scale(config, self.folder, f"{millions}M"))


ROWS: dict[str, tuple[Callable[[Bench], Iterator[Row]], bool]] = {
    "package": (Bench.whole_process, False),
    "google": (Bench.google, False),
    "rouge": (Bench.rouge, False),
    "rouge-process": (Bench.rouge_process, False),
    "statistics": (Bench.statistics, False),
    "start": (Bench.start, False),
    "bleu": (bench_bleu.bleu, False),
    "chrf": (bench_bleu.chrf, False),
    "calls": (calls, False),
    "ter": (bench_bleu.ter, False),
    "wc": (Bench.wc, False),
    "workers": (Bench.workers, False),
    "draws": (Bench.draws, False),
    "m2": (edits.m2, False),
    "imeasure": (edits.imeasure, False),
    "errant": (edits.errant, False),
    "edits-100k": (edits.large, True),
    "annotation": (annotation, True),
    "memory": (Bench.memory, True),
    "survive": (Bench.survive, True),
    "scale-1M": (lambda bench: bench.scale(1), True),
    "scale-10M": (lambda bench: bench.scale(10), True),
}
"""Rows by name, and whether they are among the large ones."""


def run_google(what: str, files: str, references: str) -> None:
    """Time Google-GLEU of all systems after the imports, and print seconds and the mean score as JSON."""
    paths = [Path(path) for path in files.split(",")]
    own, systems = paths[: int(references)], paths[int(references) :]
    if what == "nltk":
        from nltk.translate.gleu_score import corpus_gleu

        start = time.perf_counter()
        texts = [[line.split() for line in path.read_text("utf-8").split("\n")[:-1]] for path in own]
        grouped = [list(lines) for lines in zip(*texts, strict=True)]
        outputs = [[line.split() for line in path.read_text("utf-8").split("\n")[:-1]] for path in systems]
        scores = [corpus_gleu(grouped, output) for output in outputs]
    else:
        from pipeline.api import evaluate_corpus
        from pipeline.config.resolved import Dataset, System
        from pipeline.corpus.opener import open_corpus
        from pipeline.metrics.build import from_text

        start = time.perf_counter()
        named = [System(str(number), {"files": path}) for number, path in enumerate(systems)]
        corpus = open_corpus(Dataset(name="files", source=None, references=tuple(own)), named, [])
        scores = [result.score for result in evaluate_corpus(corpus, [from_text("google_gleu")])] if corpus else []
    print(json.dumps({"seconds": time.perf_counter() - start, "score": sum(scores) / len(scores)}))


def run_child(what: str, config: str, n_jobs: str) -> None:
    """Time stages of one run inside this process, and print them as JSON."""
    peak, done = [0.0], threading.Event()
    threading.Thread(target=_watch, args=(peak, done), daemon=True).start()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from pipeline import stages
    from pipeline.execution.count import count_to_disk
    from pipeline.execution.options import RunOptions
    from pipeline.execution.store.run_directory import RunDirectory
    from pipeline.scoring import scores

    options = RunOptions(n_jobs=int(n_jobs))
    start = time.perf_counter()
    job = stages.prepare(config, options)
    opened = time.perf_counter()
    corpus = job.corpora[0]
    counted, _ = count_to_disk(corpus, job.needs, RunDirectory(Path(job.config.output.dir)), options)
    written = time.perf_counter()
    if what == "draws":
        scores.score(job.corpora, job.metrics, {corpus.name: counted}, int(n_jobs))
    end = time.perf_counter()
    done.set()
    figures = {"columns": written - start, "count": written - opened, "draws": end - written, "megabytes": peak[0]}
    print(json.dumps(figures))


def _watch(peak: list[float], done: threading.Event) -> None:
    """Keep the highest RssAnon of this process, in megabytes (Linux only)."""
    status = Path("/proc/self/status")
    while not done.wait(0.02):
        if status.exists():
            line = next(line for line in status.read_text().splitlines() if line.startswith("RssAnon"))
            peak[0] = max(peak[0], int(line.split()[1]) / 1024)


def main() -> None:
    """Measure, print the table, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--runs", type=int, default=5, help="pairs timed for each row (default: 5)")
    parser.add_argument("--large", action="store_true", help="also the rows that need minutes and gigabytes")
    parser.add_argument("--folder", type=Path, help="keep the corpora here (default: a temporary folder)")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    parser.add_argument("--m2scorer", type=Path, metavar="FILE", help="a Python 3 port of m2scorer (see edits.py)")
    parser.add_argument("--annotated", type=Path, metavar="FOLDER", help="gold.m2, and an M2 file of each system")
    parser.add_argument("--page", action="store_true", help="write the rows into `help speed` and the README too")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        what, *rest = args.child
        if what == "statistics":
            run_statistics(*rest)
        else:
            (run_google if what in ("google", "nltk") else run_child)(what, *rest)
        return
    if args.page:
        help_page.compiled()
    rows: dict[str, list[Row]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        bench = Bench(folder, args.runs, m2scorer=args.m2scorer, annotated=args.annotated)
        for name, (measure, large) in ROWS.items():
            if args.only in name and (args.large or args.only or not large):
                for row in measure(bench):
                    rows.setdefault(name, []).append(row)
                    print(f"| {row.name} | {row.ours} | {row.peer} | {row.ratio:.2f} | {row.aim} |", flush=True)
    if args.json:
        figures = [asdict(row) for group in rows.values() for row in group]
        args.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    if args.page:
        help_page.write(rows)


if __name__ == "__main__":
    main()
