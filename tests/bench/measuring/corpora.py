"""The texts that the rows of the benchmark are measured on: CoNLL-2014, or the sample, and larger
ones made of them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from tests.support.words import CONLL14_TEAMS

ROOT = Path(__file__).parents[3]
CONLL = ROOT.parent / "shared" / "conll14"
GOLD = "mirror/awasthiabhijeet/PIE/*/scratch/official-2014.combined.m2"
"""The gold file of both annotators, from ../shared."""
MILLION = 1_000_000
TYPES = 500_000


class Corpora:
    """The folder with the texts. Those that are not there yet are made when they are asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def conll(self) -> tuple[Path, list[Path], list[Path]]:
        """Return source, references and systems: CoNLL-2014's, or the sample's."""
        if CONLL.is_dir():
            return (
                CONLL / "INPUT",
                [CONLL / "REF0", CONLL / "REF1"],
                [CONLL / name for name in CONLL14_TEAMS],
            )
        data = ROOT / "data"
        references = [data / "reference0.txt", data / "reference1.txt"]
        return (
            data / "source.txt",
            references,
            sorted((data / "systems").iterdir()),
        )

    def combined_gold(self) -> Path | None:
        """Return the gold file of CoNLL-2014, or None where it is not there."""
        return next(CONLL.parent.glob(GOLD), None)

    def repeated(self, lines: int) -> list[Path]:
        """Return source, two references and one output of `lines` lines: the small corpus again and
        again.
        """
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
        """Return the same of generated text: TYPES word types, Zipf's law, outputs and references
        edited.
        """
        paths = [self.folder / f"zipf-{lines}-{number}" for number in range(4)]
        if not paths[0].exists():
            generator = random.Random(20140626)
            words = [f"w{number:x}" for number in range(TYPES)]
            weights = []
            total = 0.0
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
                        file.write(
                            " ".join(
                                [
                                    *sentence[:place],
                                    drawn[-1 - start],
                                    *sentence[place + 1 :],
                                ]
                            )
                            + "\n"
                        )
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
