"""Keep the bytes of run directories before a large change, and compare them afterwards.

    python -m tests.tools.frozen make FOLDER [--mirror MIRROR]   run all configs and recipes into FOLDER
    python -m tests.tools.frozen compare BEFORE AFTER            name the files that differ; exit code 1 if some do

Recipes whose data is not in the mirror are left out. run.json, the log and the lock are not
compared: they hold times and paths."""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
IDLE = {"run.json", "log.txt", "run.lock"}
WIDE = """
datasets:
  conll14: {{source: {shared}/conll14/INPUT, references: [{shared}/conll14/REF0, {shared}/conll14/REF1]}}
systems: ["{shared}/conll14/[A-QS-Z]*", "{shared}/conll14/RAC"]
metrics:
  - gleu
  - {{name: gleu, variant: 2016, references: max}}
  - {{name: gleu, level: mean, references: mean}}
  - google_gleu
  - {{name: green}}
  - {{name: bleu, tokenizer: whitespace}}
  - bleu
  - chrf
  - ter
  - "rouge[types=1+2+L+SU4]"
  - {{name: rouge, flavour: perl, types: 1+L+W, references: mean}}
  - length
statistics: {{baseline: INPUT, resamples: 60, trials: 60, correction: holm}}
output: {{dir: wide, formats: [json, csv, markdown, latex]}}
"""
"""All metrics of texts and their statistics on thirteen systems with two references."""


def make(folder: Path, mirror: Path) -> None:
    """Run every config and every recipe whose files are there."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "wide.yaml").write_text(
        WIDE.format(shared=SHARED), encoding="utf-8"
    )
    for config in [
        *sorted((ROOT / "configs").glob("*.yaml")),
        folder / "wide.yaml",
    ]:
        done = _command(
            f"run {config} -q --fresh --output {folder}/configs/{config.stem}"
        )
        print(f"{config.stem}: exit code {done}")
    done = _command(
        f"reproduce --all --slow -q --mirror {mirror} --output {folder}/recipes"
    )
    print(f"recipes: exit code {done}")


def _command(line: str) -> int:
    return subprocess.run(
        [sys.executable, "-m", "pipeline", *line.split()],
        stdout=subprocess.DEVNULL,
        check=False,
    ).returncode


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file by its path in the folder."""
    files = [
        path
        for part in ("configs", "recipes")
        for path in sorted((folder / part).rglob("*"))
        if path.is_file()
    ]
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(
            path.read_bytes()
        ).hexdigest()
        for path in files
        if path.name not in IDLE
    }


def compare(before: Path, after: Path) -> int:
    """Print which files differ; return how many do."""
    old, new = digests(before), digests(after)
    differing = [
        name for name in sorted(old | new) if old.get(name) != new.get(name)
    ]
    for name in differing:
        print(
            f"{name}: {'only before' if name not in new else 'only after' if name not in old else 'differs'}"
        )
    print(f"{len(old | new) - len(differing)} of {len(old | new)} files equal")
    return len(differing)


def main() -> None:
    """Do what the arguments say."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=["make", "compare"])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--mirror", type=Path, default=SHARED / "mirror")
    args = parser.parse_args()
    if args.what == "make":
        make(args.folders[0].absolute(), args.mirror)
    else:
        raise SystemExit(min(compare(*args.folders), 1))


if __name__ == "__main__":
    main()
