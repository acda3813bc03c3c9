"""A mirror of invented files with the names, formats and numbers of lines of the data sets, for
recipes to run on.
"""

import gzip
import hashlib
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePosixPath
from random import Random
from typing import Any

import yaml

from pipeline.data import Catalogue, DataFile, DataSet
from pipeline.extensions import published
from tests.support.tables import word_list
from tests.support.words import CONLL14_TEAMS

SETS = word_list("BN15 E-fluency E-minimal NE-fluency NE-minimal NUCLE all")
LINES = {"dev": 754, "test": 747, "conll": 1312, "wmt": 100}
WORDS = word_list("the a cat dogs see sees -LRB- runs 12 , to be or not")


def chance(*parts: object) -> int:
    """Return a number that looks random and is always the same."""
    return zlib.crc32(repr(parts).encode())


@cache
def sentences(part: str) -> list[list[str]]:
    """Return the words of each line of a part."""
    return [
        [
            WORDS[chance(part, line, index) % len(WORDS)]
            for index in range(4 + line % 4)
        ]
        for line in range(LINES[part])
    ]


def text(file: DataFile) -> bytes:
    """Return the sentences of a part of the data, a word of each changed in the file's own way."""
    part = "wmt" if file.dataset.startswith("wmt") else "conll"
    if file.dataset.startswith("jfleg"):
        part = "dev" if "/dev" in file.name else "test"
    ours = Random(file.key)
    lines = []
    for words in sentences(part):
        changed = [*words, "."]
        changed[ours.randrange(len(words))] = ours.choice(WORDS)
        lines.append(" ".join(changed))
    return "".join(f"{line}\n" for line in lines).encode()


def pairs() -> bytes:
    """Return judgements of pairs as Chollampatt and Ng have them; sentences from 0."""
    rows = [
        "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID"
    ]
    for number in range(400):
        one, two = (
            f"conll14st-test.{CONLL14_TEAMS[(number + step) % 13]}.src-trg"
            for step in (0, 1 + number % 5)
        )
        segment = number * 3
        ranks = 1 + chance(number) % 3, 1 + chance(number, "two") % 3
        rows.append(
            f"src,trg,{segment},{segment},judge1,{one},{ranks[0]},{two},{ranks[1]},{number}"
        )
    return "".join(f"{row}\n" for row in rows).encode()


def scores(key: str, *columns: str) -> list[str]:
    """Return a line for each system: columns, the system, a score."""
    return [
        "\t".join([*columns, name, f"{chance(key, name) % 9999 / 10000:.4f}"])
        for name in CONLL14_TEAMS
    ]


def annotated(
    file: DataFile,
) -> list[tuple[list[str], list[tuple[int, str] | None]]]:
    """Return the sentences of CoNLL-2014, each with the word that annotators replace, or None where
    they see no error.

    Files of one annotator are those of Bryant and Ng, and outputs; all others have two.
    """
    annotators = (
        1
        if file.name.startswith(("10gec/", "conll14-", "demo-", "demo.hyp"))
        else 2
    )
    found = []
    for line, words in enumerate(sentences("conll")):
        edits: list[tuple[int, str] | None] = []
        for annotator in range(annotators):
            seen = chance(file.key, line, annotator)
            edits.append(
                (seen % len(words), WORDS[seen // 7 % len(WORDS)])
                if seen % 3
                else None
            )
        found.append(([*words, "."], edits))
    return found


def m2(file: DataFile) -> bytes:
    """Return annotated sentences as an M2 file."""
    lines = []
    for words, edits in annotated(file):
        lines.append(" ".join(["S", *words]))
        for annotator, edit in enumerate(edits):
            span, kind, word = (
                (f"{edit[0]} {edit[0] + 1}", "X", edit[1])
                if edit
                else ("-1 -1", "noop", "-NONE-")
            )
            lines.append(
                f"A {span}|||{kind}|||{word}|||REQUIRED|||-NONE-|||{annotator}"
            )
        lines.append("")
    return "\n".join(lines).encode()


def corrections(file: DataFile) -> bytes:
    """Return annotated sentences as a gold file of I-measure."""
    lines = ['<scripts><script id="1">']
    for number, (words, edits) in enumerate(annotated(file), 1):
        errors = "".join(
            f'<error id="{annotator}" req="no" type="X"><alt ann="{annotator}"><c start="{edit[0]}" '
            f'end="{edit[0] + 1}">{edit[1]}</c></alt></error>'
            for annotator, edit in enumerate(edits)
            if edit
        )
        lines.append(
            f'<sentence id="{number}" numann="{len(edits)}"><text>{" ".join(words)}</text>{errors}</sentence>'
        )
    return "\n".join([*lines, "</script></scripts>"]).encode()


def report(file: DataFile) -> bytes:
    """Return a report of m2scorer -v with two annotators of each sentence."""
    lines = []
    for line in range(1, LINES["conll"] + 1):
        for annotator in (0, 1):
            counts = (
                f"# {name:<11} : {chance(file.key, line, name)}"
                for name in ("correct", "proposed", "gold")
            )
            lines += [
                f">> Annotator: {annotator}",
                "SOURCE        : a",
                *counts,
                "f_0.5         : 1.0",
                "-" * 43,
            ]
        lines += [f">> Chosen Annotator for line {line} : {line % 2}", ""]
    return "".join(f"{line}\n" for line in lines).encode()


def automatic_scores(dataset: str) -> Iterator[str]:
    """Yield the lines of the table of scores of a year of WMT."""
    yield "pair\tsystem\tid\tis_constrained\tmetric\tscore"
    names = [
        PurePosixPath(file).name.split(".", 3)
        for file in Catalogue.known()[dataset].files
        if file.startswith("txt/")
    ]
    labels = {
        (pair, rest.rpartition(".")[0])
        for _, pair, kind, rest in names
        if kind == "ref"
    }
    for _, pair, _, rest in (name for name in names if name[2] == "hyp"):
        for metric in ("bleu", "chrf"):
            for label in (
                "all",
                *sorted(ours for of, ours in labels if of == pair),
            ):
                yield f"{pair}\t{rest.rpartition('.')[0]}\t1\tTrue\t{metric}-{label}\t12.5"


RECIPES = Path(published.__file__).parent / "recipes"
RECORDS = ("unieval", "metaeval-simplification", "opinsummeval", "wmt-mqm")
"""The data sets of scores of outputs in records."""


def records(file: DataFile) -> bytes:
    """Return scores of outputs in the form of a data set, all of them small numbers."""

    def number(*parts: object) -> float:
        return chance(file.name, *parts) % 97 / 10

    written = yaml.safe_load(
        (RECIPES / f"{file.dataset}.yaml").read_text(encoding="utf-8")
    )
    if file.dataset == "wmt-mqm":
        names = sorted(
            {name for entry in written["expect"] for name in entry["values"]}
        )
        rows = [
            f"{name}\t{-number(name, line):f} {line}"
            for name in names
            for line in (1, 2)
        ]
        return "".join(
            f"{row}\n"
            for row in ["system mqm_avg_score seg_id", *rows, "SMU\tNone 3"]
        ).encode()
    if file.dataset == "unieval":
        names = sorted(
            {
                name
                for row in written["each"]["data"].values()
                for name in row["dimension"]
            }
        )
        both = [
            [
                {name: number(name, line, part) for name in names}
                for line in range(20)
            ]
            for part in (0, 1)
        ]
        return json.dumps(
            [
                {"scores": one, "predict_scores": two}
                for one, two in zip(*both, strict=True)
            ]
        ).encode()
    metrics = written["usual"]["metric"]
    if file.dataset == "opinsummeval":
        lines = []
        for case in range(5):
            ours: dict[str, dict[str, Any]] = {}
            for model in range(6):
                ours[f"model{model}"] = {
                    name: number(case, model, name) for name in metrics
                }
                for annotator in ("annot1", "annot2"):
                    scores_of = {
                        name: number(case, model, name, annotator)
                        for name in written["usual"]["dimension"]
                    }
                    ours[f"model{model}"][annotator] = scores_of
            lines.append(json.dumps({**ours, "case": f"case {case}"}))
        return "\n".join(lines).encode()
    columns = ["simplicity_zscore", "structural_simplicity", *metrics]
    parts = (
        ("asset", "turk", "hsplit", "all")
        if file.name.startswith("metrics")
        else ("",)
    )
    outputs = [
        (str(line), name, part)
        for line in range(1, 9)
        for name in ("A", "B")
        for part in parts
    ]
    cells = [
        [*output, *(str(number(*output, column)) for column in columns)]
        for output in outputs
    ]
    return "\n".join(
        map(",".join, [["sent_id", "sys_name", "test_set", *columns], *cells])
    ).encode()


def table(file: DataFile) -> bytes:
    """Return sources and texts as E2E's files have them: references as CSV, outputs in one of four
    styles of TSV.
    """
    if file.name == "dev-baseline":
        return "".join(
            f"a place number {line} , near the river .\n" for line in range(50)
        ).encode()
    rows = []
    for line in range(50):
        many = (
            1 + chance("refs", line) % 5
            if not file.name.startswith("outputs/")
            else 1
        )
        for number in range(many):
            words = [
                WORDS[chance(file.key, line, number, index) % len(WORDS)]
                for index in range(6)
            ]
            rows.append(
                (
                    f"name[Place {line}], area[riverside]",
                    f"It's {' '.join(words)} place, number {line}.",
                )
            )
    if not file.name.startswith("outputs/"):
        return (
            "mr,ref\n"
            + "".join(f'"{source}","{printed}"\n' for source, printed in rows)
        ).encode()
    style = chance(file.key) % 4
    form = ['"{}"\t"{}"\n', "{}\t{}\n", "'{}'\t'{}'\n", "{}\t{} \r\n"][style]
    header = ["MR\toutput\n", "", "", "\ufeffMR\tsystem output\n"][style]
    return (header + "".join(form.format(*row) for row in rows)).encode()


def is_invented(file: DataFile) -> bool:
    """Whether a file of the form of this one can be invented: judgements, and what is made of them,
    cannot.
    """
    if file.dataset == "metaeval-simplification":
        return True
    return file.name.endswith(".ieval.xml") or not file.name.endswith(
        (".xml", ".csv")
    )


def content(file: DataFile) -> bytes:
    """Return the invented content of a file."""
    if ours := {"e2e": table, **dict.fromkeys(RECORDS, records)}.get(
        file.dataset
    ):
        return ours(file)
    if file.name.startswith("metrics/"):
        return "".join(
            f"{row}\t0.1\t0.2\n".replace("\t", " ") for row in scores(file.key)
        ).encode()
    forms = {
        ".m2": m2,
        ".errant": m2,
        ".char": m2,
        ".xml": corrections,
        ".m2-report": report,
    }
    if form := forms.get(PurePosixPath(file.name).suffix):
        return form(file)
    if file.name.endswith(".csv.gz"):
        return gzip.compress(pairs(), mtime=0)
    if file.name == "scores/automatic-scores.tsv":
        return "".join(
            f"{row}\n" for row in automatic_scores(file.dataset)
        ).encode()
    if file.name == "metric_scores":
        named = [
            line
            for metric in ("BLEU", "GLEU")
            for part in SETS
            for line in scores(part, metric, part)
        ]
        return "".join(
            f"{line}\n".replace("INPUT", "source") for line in named
        ).encode()
    if file.name.endswith(".txt.gz"):
        start = "gleu", "src-trg", "conll14st-test"
        rows = scores(file.key, *start)
        if "/sentence/" in file.name:
            rows = [
                "\t".join(
                    [
                        *start,
                        name,
                        str(line),
                        f"{chance(file.key, name, line) % 9999 / 10000:.4f}",
                    ]
                )
                for name in CONLL14_TEAMS
                for line in range(LINES["conll"])
            ]
        return gzip.compress(
            "".join(f"{row}\n" for row in rows).encode(), mtime=0
        )
    return text(file)


def write_mirror(
    folder: Path, own: Callable[[DataFile], bytes] = content
) -> Mapping[str, DataSet]:
    """Write every file that is text or one of the forms above; return data sets with these sizes
    and checksums.

    What users bring is fetched here too.
    """
    built = {}
    for name, found in Catalogue.known().items():
        files = {}
        for key, file in found.files.items():
            if is_invented(file):
                data = own(file)
                path = folder / file.address
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                file = replace(  # noqa: PLW2901
                    file,
                    size=len(data),
                    sha256=hashlib.sha256(data).hexdigest(),
                    how_to_obtain="",
                )
            files[key] = file
        built[name] = replace(found, files=files)
    return built
