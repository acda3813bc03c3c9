"""Time and size of the report's page: `python -m tests.bench.page` (not run by pytest; needs Chromium).

The thirteen systems of CoNLL-2014 with three metrics (the sample of data/ where ../shared is absent), the same lines
again and again for a large run, and how long the browser takes from the address to the first sentence drawn.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from tests.bench.measuring.bench import Bench
from tests.report import browser as browsers

READY = "return document.querySelectorAll('#detail .card').length > 0"
PEAK = "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)"
"""Megabytes, on Linux."""


def config(folder: Path, lines: int) -> Path:
    """Write a config of all systems; lines: 0 for the corpus as it is."""
    source, references, systems = Bench(folder, 1).conll()
    texts = {path: path for path in (source, *references, *systems)}
    if lines:
        for number, path in enumerate(texts):
            texts[path] = folder / f"text-{number}"
            own = path.read_bytes().splitlines()
            with texts[path].open("wb") as file:
                file.writelines(own[n % len(own)] + b"\n" for n in range(lines))
    content = {
        "datasets": {"corpus": {"source": str(texts[source]), "references": [str(texts[path]) for path in references]}},
        "systems": {path.stem: str(texts[path]) for path in systems},
        "metrics": ["gleu[iter=20]", "bleu", "green"],
    }
    path = folder / f"{lines}.yaml"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def made(folder: Path, lines: int) -> tuple[Path, float, int]:
    """Return a page, the seconds of `report`, and the megabytes it took."""
    run = folder / f"run-{lines}"
    program = [sys.executable, "-m", "pipeline"]
    subprocess.run(
        [*program, "run", config(folder, lines), "-q", "--json", "--output", run], check=True, stdout=subprocess.DEVNULL
    )
    started = time.perf_counter()
    code = f"from pipeline.cli import main; main(['report', {str(run)!r}, '--format', 'html']); {PEAK}"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return run / "report.html", time.perf_counter() - started, int(done.stdout)


def opened(browser: browsers.Browser, page: Path, runs: int) -> float:
    """Return the median seconds from the address to the first sentence drawn."""
    found = []
    for _ in range(runs):
        browser.driver.get("about:blank")
        started = time.perf_counter()
        browser.driver.get(page.as_uri())  # returns when all scripts have run
        assert browser.run(READY)
        found.append(time.perf_counter() - started)
    return median(found)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7, help="how often a page is opened")
    parser.add_argument("--large", type=int, default=0, metavar="LINES", help="also a run of so many lines")
    args = parser.parse_args()
    if reason := browsers.lacking():
        sys.exit(reason)
    with tempfile.TemporaryDirectory() as name, browsers.browser(Path(name) / "profile") as browser:
        print("lines     page      made in   memory   opens in")
        for lines in [0, *([args.large] if args.large else [])]:
            page, seconds, memory = made(Path(name), lines)
            size = page.stat().st_size / 1e6
            shown = f"{lines:,}" if lines else "corpus"
            shown = f"{shown:<9} {size:.1f} MB   {seconds:5.2f} s   {memory:4d} MB"
            print(f"{shown}   {opened(browser, page, args.runs):.2f} s")


if __name__ == "__main__":
    main()
