"""NIST, CIDEr-D and ROUGE-L of COCO against nltk and pycocoevalcap: processor time of whole
processes, side by side.

    python -m tests.bench.weighted [LINES [SYSTEMS]]

Texts are made up: a line has seven references. The peers score one system after the other in one
process, and print the same number of the last one. pycocoevalcap is read where it is installed
(`pip install --no-deps pycocoevalcap`)."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

REFERENCES = 7
PEERS = {
    "nist[flavour=nltk]": (
        "nltk",
        "from nltk.translate.nist_score import corpus_nist\nscore = corpus_nist(sets, hyps)",
    ),
    "cider": (
        "pycocoevalcap",
        "from pycocoevalcap.cider.cider import Cider\nscore = Cider().compute_score(gts, res)[0]",
    ),
    "rouge[flavour=coco]": (
        "pycocoevalcap",
        "from pycocoevalcap.rouge.rouge import Rouge\nscore = Rouge().compute_score(gts, res)[0]",
    ),
}
"""For each metric the package of its peer, and how this scores a system."""
READ = """
from pathlib import Path
refs = [Path(f"r{number}").read_text().split("\\n")[:-1] for number in range(7)]
gts = {line: list(own) for line, own in enumerate(zip(*refs))}
sets = [[text.split() for text in own] for own in gts.values()]
for path in sorted(Path().glob("s*.txt")):
    texts = path.read_text().split("\\n")[:-1]
    res, hyps = {line: [text] for line, text in enumerate(texts)}, [text.split() for text in texts]
"""


def seconds(command: list[str], folder: Path) -> tuple[float, str]:
    """Return the processor time of a process, and what it prints last."""
    before = os.times()
    out = subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True
    ).stdout
    after = os.times()
    used = (
        after.children_user
        + after.children_system
        - before.children_user
        - before.children_system
    )
    return used, out.split()[-1] if out.split() else ""


def write(folder: Path, lines: int, systems: int) -> None:
    """Write references, and outputs that are references with other words in them."""
    rng = random.Random(1)
    words = [f"w{int(rng.paretovariate(0.9))}" for _ in range(100_000)]

    def changed(line: list[str]) -> str:
        return " ".join(
            rng.choice(words) if rng.random() < 0.4 else word for word in line
        )

    whole = [rng.choices(words, k=rng.randint(8, 25)) for _ in range(lines)]
    for name in [
        *(f"r{number}" for number in range(REFERENCES)),
        *(f"s{number:02}.txt" for number in range(systems)),
    ]:
        (folder / name).write_text(
            "".join(f"{changed(line)}\n" for line in whole), encoding="utf-8"
        )


def main(lines: int = 5000, systems: int = 1) -> None:
    """Print a row for each metric: seconds of the peer, of this program, and how many times fewer
    these are.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, lines, systems)
        for metric, (package, code) in PEERS.items():
            config = {
                "datasets": {
                    "d": {
                        "references": [
                            f"r{number}" for number in range(REFERENCES)
                        ]
                    }
                },
                "systems": {
                    f"s{number:02}": f"s{number:02}.txt"
                    for number in range(systems)
                },
                "metrics": [metric],
                "run": {"n_jobs": 1},
                "output": {"dir": str(folder / metric.partition("[")[0])},
            }
            (folder / "config.yaml").write_text(
                json.dumps(config), encoding="utf-8"
            )
            mine, _ = seconds(
                [sys.executable, "-m", "pipeline", "run", "config.yaml", "-q"],
                folder,
            )
            if find_spec(package) is None:
                print(f"{metric}: {mine:.2f} s; {package} is not installed")
                continue
            inside = "\n".join(f"    {line}" for line in code.split("\n"))
            peer, score = seconds(
                [sys.executable, "-c", f"{READ}{inside}\nprint(score)"], folder
            )
            results = json.loads(
                (folder / metric.partition("[")[0] / "results.json").read_text(
                    encoding="utf-8"
                )
            )
            if abs(results["scores"][-1]["score"] - float(score)) > 1e-9:
                raise SystemExit(f"{metric}: {package} gives {score}")
            print(
                f"{metric}: {package} {peer:.2f} s, this program {mine:.2f} s: {peer / mine:.0f} times"
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
