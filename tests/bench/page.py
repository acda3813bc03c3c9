"""Time and size of the report's page: `python -m tests.bench.page` (not run by pytest; needs
Chromium).

The thirteen systems of CoNLL-2014 with seven metrics (the sample of data/ where ../shared is
absent), and these lines joined to long documents: how long the browser takes from the address to
the first sentence drawn, and how long for a key that goes to the next sentence."""

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
from tests.extensions.page import browser as browsers

LONG = 40
"""So many sentences make a long document."""
KEYS = """
byId("sentences").scrollIntoView();
const seen = [];
for (let round = 0; round < 3; round++) {
  show(0);
  for (let number = 0; number < Math.min(30, list.items.length - 1); number++) {
    const before = performance.now();
    step(1);
    detail.offsetHeight;
    (seen[number] ??= []).push(performance.now() - before);
  }
}
const least = seen.map((times) => Math.min(...times)).sort((one, two) => one - two);
return [least[least.length >> 1], least.at(-1)];
"""
"""Milliseconds that a key takes: the median of 30 sentences and the longest, each the least of
three."""
READY = "return document.querySelectorAll('#detail .card').length > 0"
PEAK = "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)"
"""Megabytes, on Linux."""


def config(folder: Path, kind: str) -> Path:
    """Write a config of all systems: of the corpus as it is, or of documents of LONG of its lines."""
    source, references, systems = Bench(folder, 1).conll()
    texts = {path: path for path in (source, *references, *systems)}
    if kind == "documents":
        for number, path in enumerate(texts):
            texts[path] = folder / f"text-{number}"
            own = path.read_bytes().splitlines()
            longer = [
                b" ".join(own[start : start + LONG])
                for start in range(0, len(own), LONG)
            ]
            texts[path].write_bytes(b"".join(line + b"\n" for line in longer))
    content = {
        "datasets": {
            "corpus": {
                "source": str(texts[source]),
                "references": [str(texts[path]) for path in references],
            }
        },
        "systems": {path.stem: str(texts[path]) for path in systems},
        "metrics": [
            "gleu[iter=20]",
            "bleu",
            "green",
            "google_gleu",
            "chrf",
            "rouge",
            "ter",
        ],
    }
    path = folder / f"{kind}.yaml"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def made(folder: Path, kind: str) -> tuple[Path, float, int]:
    """Return a page, the seconds of `report`, and the megabytes it took."""
    run = folder / f"run-{kind}"
    line = f"-m pipeline run {config(folder, kind)} -q --json --output {run}"
    subprocess.run(
        [sys.executable, *line.split()], check=True, stdout=subprocess.DEVNULL
    )
    started = time.perf_counter()
    code = f"from pipeline.cli import main; main(['report', {str(run)!r}, '--format', 'html']); {PEAK}"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
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
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--runs", type=int, default=7, help="how often a page is opened"
    )
    args = parser.parse_args()
    if reason := browsers.why_missing():
        sys.exit(reason)
    with (
        tempfile.TemporaryDirectory() as name,
        browsers.browser(Path(name) / "profile") as browser,
    ):
        print(
            "texts     page      made in   memory   opens in   a key takes (longest)"
        )
        for kind in ("corpus", "documents"):
            page, seconds, memory = made(Path(name), kind)
            size = page.stat().st_size / 1e6
            shown = (
                f"{kind:<9} {size:.1f} MB   {seconds:5.2f} s   {memory:4d} MB"
            )
            seconds = opened(browser, page, args.runs)
            usual, longest = browser.run(KEYS)
            print(
                f"{shown}   {seconds:.2f} s     {usual:.0f} ms ({longest:.0f} ms)"
            )


if __name__ == "__main__":
    main()
