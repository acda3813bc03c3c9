"""Random texts and configs through the command line: no traceback, no hang, no silent score, no wrong score.

Each case writes texts in random forms (plain, compressed, JSON lines, TSV, Parquet, M2) and a config. An intact one
must score as the same texts do from memory. One with a damage that makes a needed thing wrong must be refused
with exit code 2. One with random bytes changed must be scored or refused, and nothing else. A case is its seed.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
import warnings
from typing import TYPE_CHECKING, Any

import pipeline

from .driver import Fuzzer, said

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable
    from pathlib import Path

WORDS = ["a", "b", "dog", "dogs", "run", "naïve", "日本", "😀", ".", ",", "x\u00a0y", "NO", "1.0"]
METRICS: list[Any] = ["gleu[iter=5]", {"name": "gleu", "references": "max"}, "gleu[unit=char,iter=3]"]


class Case:
    """Texts in a folder, in random forms, and the config that names them."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.folder, self.rng = folder, rng
        self.count = rng.randint(1, 7)
        self.files: list[tuple[Path, str]] = []
        source = [self.sentence() for _ in range(self.count)]
        self.texts: dict[str, list[str]] = {"source": source}
        dataset: dict[str, Any] = {}
        references = rng.randint(1, 3)
        self.m2 = rng.random() < 0.3
        if self.m2:
            self.write_m2(references)
            dataset["m2"] = "data.m2"
        else:
            for number in range(references):
                self.texts[f"ref{number}"] = [self.edited(line) for line in source]
            dataset["references"] = [self.form(f"ref{number}") for number in range(references)]
        if not self.m2 or rng.random() < 0.5:
            dataset["source"] = self.form("source")
        systems = {}
        for name in rng.sample(["A", "B", "c.1", "D-d"], rng.randint(1, 3)):
            self.texts[f"system-{name}"] = [self.edited(line) for line in source]
            systems[name] = self.form(f"system-{name}")
        self.kept = list(range(self.count))
        if rng.random() < 0.3:
            chosen = sorted(rng.sample(self.kept, rng.randint(1, self.count)))
            dropped = rng.random() < 0.5 and len(chosen) < self.count
            dataset["drop" if dropped else "keep"] = [number + 1 for number in chosen]
            self.kept = [n for n in self.kept if (n in chosen) != dropped]
        self.metrics = rng.sample(METRICS, rng.randint(1, 3))
        self.config: dict[str, Any] = {"datasets": {"d": dataset}, "systems": systems, "metrics": self.metrics}
        if rng.random() < 0.3:
            self.config["run"] = {"backend": rng.choice(["auto", "serial"])}

    def sentence(self) -> str:
        return " ".join(self.rng.choices(WORDS, k=self.rng.randint(1, 9)))

    def edited(self, line: str) -> str:
        words = [self.rng.choice(WORDS) if self.rng.random() < 0.2 else word for word in line.split(" ")]
        return " ".join(words if self.rng.random() < 0.8 else words[:-1] or words)

    def write_m2(self, annotators: int) -> None:
        """Write data.m2; its references are made here from left to right, the program works from right to left."""
        rows = []
        references: list[list[str]] = [[] for _ in range(annotators)]
        for line in self.texts["source"]:
            tokens = line.split()
            rows.append("S " + " ".join(tokens))
            for annotator in range(annotators):
                made, at = [], 0
                edits = []
                while at <= len(tokens):
                    if self.rng.random() < 0.2:
                        end = self.rng.randint(at, min(at + 2, len(tokens)))
                        new = self.rng.choices(WORDS, k=self.rng.randint(0 if end > at else 1, 2))
                        edits.append(
                            f"A {at} {end}|||X|||{' '.join(new) or '-NONE-'}|||REQUIRED|||-NONE-|||{annotator}"
                        )
                        made += new + ([] if end > at else tokens[at : at + 1])
                        at = max(end, at + 1)
                    else:
                        made += tokens[at : at + 1]
                        at += 1
                rows += edits or [f"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{annotator}"]
                references[annotator].append(" ".join(made))
            rows.append("")
        for annotator, texts in enumerate(references):
            self.texts[f"ref{annotator}"] = texts
        self.texts["source"] = [" ".join(line.split()) for line in self.texts["source"]]
        self.save("data.m2", "\n".join(rows) + "\n", "m2")

    def save(self, name: str, data: str | bytes, kind: str) -> Path:
        path = self.folder / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        self.files.append((path, kind))
        return path

    def form(self, key: str) -> Any:
        """Write a text in a random form; return what the config says of it."""
        texts = self.texts[key]
        end = self.rng.choice(["\n", "\r\n"])
        plain = end.join([*texts, ""]) if self.rng.random() < 0.8 else "\n".join(texts)
        kind = self.rng.choice(["txt", "txt", "gz", "bz2", "xz", "zst", "jsonl", "tsv", "parquet"])
        if kind == "jsonl":
            rows = [json.dumps({"id": n, "t": {"x": text}}, ensure_ascii=bool(n % 2)) for n, text in enumerate(texts)]
            packed = self.rng.random() < 0.3
            data = ("\n".join(rows) + "\n").encode()
            name = f"{key}.jsonl" + ".gz" * packed
            self.save(name, gzip.compress(data) if packed else data, "gz" if packed else "jsonl")
            return {"jsonl": name, "column": "t.x"}
        if kind == "tsv":
            header = self.rng.random() < 0.5
            rows = ["id\tt"] * header + [f"{n}\t{text}" for n, text in enumerate(texts)]
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
            "zst": _zstd,
            "txt": bytes,
        }
        self.save(f"{key}.{kind}", packers[kind](plain.encode()), kind)
        return f"{key}.{kind}"

    def write(self) -> Path:
        path = self.folder / "config.yaml"
        path.write_text(json.dumps(self.config, ensure_ascii=False), encoding="utf-8")
        return path

    def expected(self) -> dict[tuple[str, str], float]:
        """Return the scores of the same texts from memory."""
        texts = {key: [lines[n] for n in self.kept] for key, lines in self.texts.items()}
        references = [texts[key] for key in sorted(texts) if key.startswith("ref")]
        systems = {key.removeprefix("system-"): t for key, t in texts.items() if key.startswith("system-")}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = pipeline.evaluate(systems, references, texts["source"], self.metrics)
        return {(result.system, result.signature): result.score for result in found}


def _zstd(data: bytes) -> bytes:
    import zstandard

    packed: bytes = zstandard.ZstdCompressor().compress(data)
    return packed


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
    if kind in ("gz", "bz2", "xz", "zst", "parquet"):
        path.write_bytes(data[: case.rng.randrange(len(data))])
    elif kind == "m2":
        path.write_bytes(data[: data.rfind(b"S ")] if case.count > 1 else b"")
    else:
        path.write_bytes(
            b"\n".join(data.removesuffix(b"\n").split(b"\n")[:-1]) + b"\n" if data.count(b"\n") > 1 else b""
        )


def add_a_line(case: Case) -> None:
    path, kind = case.rng.choice(case.files)
    extra = {
        "txt": b"\nz\n",
        "jsonl": b'{"t": {"x": "z"}}\n',
        "tsv": b"9\tz\n",
        "m2": b"S z\nA 0 1|||X|||y|||R|||N|||0\n",
    }
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
    if kind in ("txt", "jsonl", "tsv", "m2"):
        at = case.rng.randrange(len(data) + 1)
        path.write_bytes(data[:at] + case.rng.choice([b"\xff", b"\xc0\x80", b"\xed\xa0\x80"]) + data[at:])
    else:
        path.write_bytes(b"\xff\xfe\xff" + data)


def break_a_record(case: Case) -> None:
    """Damage a line of records or annotations; where there are none, lose a file."""
    chosen = [(path, kind) for path, kind in case.files if kind in ("jsonl", "tsv", "m2")]
    if not chosen:
        lose_a_file(case)
        return
    path, kind = case.rng.choice(chosen)
    lines = path.read_text(encoding="utf-8").split("\n")
    wanted = [i for i, line in enumerate(lines) if line.startswith("A " if kind == "m2" else "") and line]
    at = case.rng.choice(wanted)
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
        "m2": [
            lambda s: s.replace("|||", "||", 1),
            lambda _: "A 0 99|||X|||y|||REQUIRED|||-NONE-|||0",
            lambda _: "A 1 0|||X|||y|||REQUIRED|||-NONE-|||0",
            lambda _: "A x 1|||X|||y|||REQUIRED|||-NONE-|||0",
            lambda _: "A 0 1|||X|||y|||REQUIRED|||-NONE-|||z",
            lambda s: f"B{s[1:]}",
        ],
    }
    lines[at] = case.rng.choice(ways[kind])(lines[at])
    if kind == "tsv" and len([line for line in lines if line]) < 2:
        lines = [""]
    path.write_text("\n".join(lines), encoding="utf-8", newline="")


def spoil_the_config(case: Case) -> None:
    """Make one thing of the config wrong."""
    config, rng = case.config, case.rng
    dataset, systems = config["datasets"]["d"], config["systems"]
    name = rng.choice(list(systems))
    ways: list[Callable[[], object]] = [
        lambda: config.update(metric=["gleu"]),
        lambda: dataset.update(refernces=["r"]),
        lambda: config.update(run={"n_jobs": rng.choice([0, -1, "two", 1.5, None, []])}),
        lambda: config.update(run={"n_jobs": 3, "backend": "serial"}),
        lambda: config.update(output={"digits": rng.choice([13, -1, "x", {}, None])}),
        lambda: config.update(metrics=["glue"]),
        lambda: config.update(metrics=[]),
        lambda: config.update(metrics=[{"name": "gleu", "iterations": 3, "references": "max"}]),
        lambda: config.update(systems=rng.choice([{}, [], None, "x", 5, ["*.none"]])),
        lambda: systems.update({name.swapcase(): systems[name]}) if name.swapcase() != name else systems.clear(),
        lambda: systems.update({name: {"jsonl": "x"}}),
        lambda: systems.update({name: {"e": systems[name]}}),
        lambda: systems.update({name: rng.choice([[], None, {}, "", "no/such*", "no\0such", "x" * 300])}),
        lambda: (dataset.pop("m2", None), dataset.update(references=[])),
        lambda: (dataset.pop("m2", None), dataset.pop("references", None)),
        lambda: (dataset.pop("m2", None), dataset.update(references=["*.none"])),
        lambda: dataset.update(keep=[case.count + 1], drop=[1]),
        lambda: (dataset.pop("drop", None), dataset.update(keep=[rng.choice([case.count + 1, 0, "2-1", "x", "1-99"])])),
        lambda: (dataset.pop("keep", None), dataset.update(drop=[f"1-{case.count}"])),
        lambda: dataset.update(empty_references="nonee"),
        lambda: dataset.update(path="nowhere"),
        lambda: config.update(include=["config.yaml"]),
        lambda: config.update(include=["http://example.org/x.yaml"]),
        lambda: config.update(defaults={"metrics": {"ordre": 3}}),
        lambda: config.update(version=2),
        lambda: config.pop(rng.choice(["datasets", "systems", "metrics"])),
        lambda: config["datasets"].update(e={"source": dataset.get("source"), "references": ["nothing.txt"]}),
    ]
    rng.choice(ways)()


DAMAGES = [lose_a_file, make_it_a_folder, cut_it_short, add_a_line, break_utf8, break_a_record, spoil_the_config]


def shuffle_bytes(case: Case, config: Path) -> None:
    """Change some bytes of the config or of a file; nothing is known of what must come of it."""
    rng = case.rng
    path = config if rng.random() < 0.5 else rng.choice(case.files)[0]
    data = bytearray(path.read_bytes())
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        piece = rng.choice(
            [bytes([rng.randrange(256)]), b"\n", b"\0", b"'", b"[", b"]", b"&a ", b"*a", b"!!", b": ", b"\t"]
        )
        data[at : at + rng.randint(0, 2)] = piece
    path.write_bytes(bytes(data))


def check(seed: str, folder: Path, tally: Counter[str]) -> str:
    """Write the texts and the config of a seed, and run it."""
    rng = random.Random(seed)
    case = Case(folder, rng)
    way = rng.choice(["intact", "damaged", "damaged", "shuffled"])
    damage = rng.choice(DAMAGES) if way == "damaged" else None
    if damage:
        damage(case)
    config = case.write()
    if way == "shuffled":
        shuffle_bytes(case, config)
    done = said("run", config, "--output", folder / "out", "--json")
    tally[f"{way}: {'scored' if done.code == 0 else 'refused'}"] += 1
    if done.wrong():
        return f"{way}: {done.wrong()}"
    if damage and done.code == 0:
        return f"{damage.__name__}: scored in silence\n{json.dumps(case.config)}"
    if way == "intact":
        if done.code:
            return f"intact, but refused: {done.err}"
        found = {(s["system"], s["metric"]): s["score"] for s in json.loads(done.out)["scores"]}
        if found != case.expected():
            return f"scores {found}, expected {case.expected()}"
    return ""


FUZZER = Fuzzer("texts and configs in random forms: scored right or refused", str, check)
