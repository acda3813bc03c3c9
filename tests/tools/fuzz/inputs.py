"""Random texts through the command line: no traceback, no hang, no silent score, no wrong score.

Each case writes texts in random forms (plain, compressed, JSON lines, TSV, Parquet) and a config.
An intact one must score as the same texts do from memory. One with a damage that makes a needed
thing wrong must be refused with exit code 2. One with random bytes changed must be scored or
refused, and nothing else. A case is its seed."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pipeline

from .changes import changed_bytes, drawn_bytes
from .driver import Fuzzer, said

WORDS = [
    "a",
    "b",
    "dog",
    "dogs",
    "run",
    "naïve",
    "日本",
    "😀",
    ".",
    ",",
    "x\u00a0y",
    "NO",
    "1.0",
]
METRICS: list[Any] = [
    "gleu[iter=5]",
    {"name": "gleu", "references": "max"},
    "gleu[unit=char,iter=3]",
]


class Case:
    """Texts in a folder, in random forms, and the config that names them."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.folder = folder
        self.rng = rng
        self.count = rng.randint(1, 7)
        self.files: list[tuple[Path, str]] = []
        source = [self.sentence() for _ in range(self.count)]
        self.texts: dict[str, list[str]] = {"source": source}
        dataset: dict[str, Any] = {}
        references = rng.randint(1, 3)
        for number in range(references):
            self.texts[f"ref{number}"] = [self.edited(line) for line in source]
        dataset["references"] = [
            self.form(f"ref{number}") for number in range(references)
        ]
        dataset["source"] = self.form("source")
        systems = {}
        for name in rng.sample(["A", "B", "c.1", "D-d"], rng.randint(1, 3)):
            self.texts[f"system-{name}"] = [
                self.edited(line) for line in source
            ]
            systems[name] = self.form(f"system-{name}")
        self.kept = list(range(self.count))
        if rng.random() < 0.3:
            chosen = sorted(rng.sample(self.kept, rng.randint(1, self.count)))
            dropped = rng.random() < 0.5 and len(chosen) < self.count
            dataset["drop" if dropped else "keep"] = [
                number + 1 for number in chosen
            ]
            self.kept = [n for n in self.kept if (n in chosen) != dropped]
        self.metrics = rng.sample(METRICS, rng.randint(1, 3))
        self.config: dict[str, Any] = {
            "datasets": {"d": dataset},
            "systems": systems,
            "metrics": self.metrics,
        }
        if rng.random() < 0.3:
            self.config["run"] = {"backend": rng.choice(["auto", "serial"])}

    def sentence(self) -> str:
        return " ".join(self.rng.choices(WORDS, k=self.rng.randint(1, 9)))

    def edited(self, line: str) -> str:
        words = [
            self.rng.choice(WORDS) if self.rng.random() < 0.2 else word
            for word in line.split(" ")
        ]
        return " ".join(
            words if self.rng.random() < 0.8 else words[:-1] or words
        )

    def save(self, name: str, data: str | bytes, kind: str) -> Path:
        path = self.folder / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        self.files.append((path, kind))
        return path

    def form(self, key: str) -> Any:
        """Write a text in a random form; return what the config says of it."""
        texts = self.texts[key]
        end = self.rng.choice(["\n", "\r\n"])
        plain = (
            end.join([*texts, ""])
            if self.rng.random() < 0.8
            else "\n".join(texts)
        )
        kind = self.rng.choice(
            ["txt", "txt", "gz", "bz2", "xz", "jsonl", "tsv", "parquet"]
        )
        if kind == "jsonl":
            rows = [
                json.dumps(
                    {"id": n, "t": {"x": text}}, ensure_ascii=bool(n % 2)
                )
                for n, text in enumerate(texts)
            ]
            packed = self.rng.random() < 0.3
            data = ("\n".join(rows) + "\n").encode()
            name = f"{key}.jsonl" + ".gz" * packed
            self.save(
                name,
                gzip.compress(data) if packed else data,
                "gz" if packed else "jsonl",
            )
            return {"jsonl": name, "column": "t.x"}
        if kind == "tsv":
            header = self.rng.random() < 0.5
            rows = ["id\tt"] * header + [
                f"{n}\t{text}" for n, text in enumerate(texts)
            ]
            self.save(f"{key}.tsv", "\n".join(rows) + "\n", "tsv")
            return {"tsv": f"{key}.tsv", "column": "t" if header else 2}
        if kind == "parquet":
            import pyarrow as pa
            import pyarrow.parquet as pq

            path = self.folder / f"{key}.parquet"
            pq.write_table(pa.table({"t": texts}), path)
            self.files.append((path, "parquet"))
            return {"parquet": path.name, "column": "t"}
        packers: dict[str, Callable[[bytes], bytes]] = {
            "gz": gzip.compress,
            "bz2": bz2.compress,
            "xz": lzma.compress,
            "txt": bytes,
        }
        self.save(f"{key}.{kind}", packers[kind](plain.encode()), kind)
        return f"{key}.{kind}"

    def write(self) -> Path:
        path = self.folder / "config.yaml"
        path.write_text(
            json.dumps(self.config, ensure_ascii=False), encoding="utf-8"
        )
        return path

    def expected(self) -> dict[tuple[str, str], float]:
        """Return the scores of the same texts from memory."""
        texts = {
            key: [lines[n] for n in self.kept]
            for key, lines in self.texts.items()
        }
        references = [
            texts[key] for key in sorted(texts) if key.startswith("ref")
        ]
        systems = {
            key.removeprefix("system-"): t
            for key, t in texts.items()
            if key.startswith("system-")
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = pipeline.evaluate(
                systems, references, texts["source"], self.metrics
            )
        return {
            (result.system, result.signature): result.score for result in found
        }


# Damages: each makes something wrong that is needed, so the run must be refused.
def lose_a_file(case: Case) -> None:
    case.rng.choice(case.files)[0].unlink()


def make_it_a_folder(case: Case) -> None:
    path = case.rng.choice(case.files)[0]
    path.unlink()
    path.mkdir()


def cut_it_short(case: Case) -> None:
    """Cut a packed file anywhere, or a plain one by a line."""
    path, kind = case.rng.choice(case.files)
    data = path.read_bytes()
    if kind in ("gz", "bz2", "xz", "parquet"):
        path.write_bytes(data[: case.rng.randrange(len(data))])
    else:
        path.write_bytes(
            b"\n".join(data.removesuffix(b"\n").split(b"\n")[:-1]) + b"\n"
            if data.count(b"\n") > 1
            else b""
        )


def add_a_line(case: Case) -> None:
    path, kind = case.rng.choice(case.files)
    extra = {"txt": b"\nz\n", "jsonl": b'{"t": {"x": "z"}}\n', "tsv": b"9\tz\n"}
    data = path.read_bytes()
    more = extra.get(kind, b"trailing bytes that are no data")
    if kind == "parquet":
        data = b""
    if kind == "txt" and data.endswith(b"\n"):
        more = b"z\n"
    path.write_bytes(data + more)


def break_utf8(case: Case) -> None:
    path, kind = case.rng.choice(case.files)
    data = path.read_bytes()
    if kind in ("txt", "jsonl", "tsv"):
        at = case.rng.randrange(len(data) + 1)
        path.write_bytes(
            data[:at]
            + case.rng.choice([b"\xff", b"\xc0\x80", b"\xed\xa0\x80"])
            + data[at:]
        )
    else:
        path.write_bytes(b"\xff\xfe\xff" + data)


def break_a_record(case: Case) -> None:
    """Damage a line of records; where there are none, lose a file."""
    chosen = [
        (path, kind) for path, kind in case.files if kind in ("jsonl", "tsv")
    ]
    if not chosen:
        lose_a_file(case)
        return
    path, kind = case.rng.choice(chosen)
    lines = path.read_text(encoding="utf-8").split("\n")
    at = case.rng.choice([i for i, line in enumerate(lines) if line])
    ways: dict[str, list[Callable[[str], str]]] = {
        "jsonl": [
            lambda s: s[:-1],
            lambda _: "[]",
            lambda _: "{}",
            lambda _: '{"t": {"x": null}}',
            lambda _: '{"t": {"x": 5}}',
            lambda _: '{"t": {"x": "\\ud800"}}',
            lambda s: s.replace('"x"', '"y"'),
            lambda _: "",
            lambda _: "[" * 100_000,
            lambda _: '{"t": {"x": "a", "x": "b"}}',
        ],
        "tsv": [lambda s: s.replace("\t", " "), lambda s: f"{s}\tz"],
    }
    lines[at] = case.rng.choice(ways[kind])(lines[at])
    if kind == "tsv" and len([line for line in lines if line]) < 2:
        lines = [""]
    path.write_text("\n".join(lines), encoding="utf-8", newline="")


DAMAGES = [
    lose_a_file,
    make_it_a_folder,
    cut_it_short,
    add_a_line,
    break_utf8,
    break_a_record,
]


def check(seed: str, folder: Path, tally: Counter[str]) -> str:
    """Write the texts and the config of a seed, and run it."""
    rng = random.Random(seed)
    case = Case(folder, rng)
    way = rng.choice(["intact", "damaged", "damaged", "shuffled"])
    damage = rng.choice(DAMAGES) if way == "damaged" else None
    if damage:
        damage(case)
    config = case.write()
    if way == "shuffled":  # nothing is known of what must come of it
        path = config if rng.random() < 0.5 else rng.choice(case.files)[0]
        path.write_bytes(
            changed_bytes(
                path.read_bytes(),
                [drawn_bytes(rng) for _ in range(rng.randint(1, 4))],
            )
        )
    done = said("run", config, "--output", folder / "out", "--json")
    tally[f"{way}: {'scored' if done.code == 0 else 'refused'}"] += 1
    if done.wrong():
        return f"{way}: {done.wrong()}"
    if damage and done.code == 0:
        return (
            f"{damage.__name__}: scored in silence\n{json.dumps(case.config)}"
        )
    if way == "intact":
        if done.code:
            return f"intact, but refused: {done.err}"
        found = {
            (s["system"], s["metric"]): s["score"]
            for s in json.loads(done.out)["scores"]
        }
        if found != case.expected():
            return f"scores {found}, expected {case.expected()}"
    return ""


FUZZER = Fuzzer(
    "texts and configs in random forms: scored right or refused", str, check
)
