"""Texts that look mistaken beside gold edits."""

from pathlib import Path

from pipeline.data import open_corpus
from pipeline.data.config import Dataset, System
from pipeline.metrics.build import from_text
from tests.data.test_mistaken_texts import doubts, texts


def test_outputs_beside_gold_edits_alone_are_compared_with_the_source(
    tmp_path: Path,
) -> None:
    t = texts()
    (tmp_path / "gold.m2").write_text(
        "".join(
            f"S {line}\nA 0 1|||R|||x|||REQUIRED|||-NONE-|||0\n\n"
            for line in t["s"]
        ),
        encoding="utf-8",
    )
    shuffled = [*t["o"][30:], *t["o"][:30]]
    for output, printed in (
        (t["o"], ""),
        (t["r"], ""),
        ([f"corrected: {line}" for line in t["o"]], "begin with 'corrected: '"),
        (t["o"][1:] + t["o"][:1], "shifted by one line"),
        (shuffled, "shuffled"),
        (
            [line.capitalize() for line in t["o"]],
            "no capital letters in the source (gold.m2)",
        ),
    ):
        (tmp_path / "o.txt").write_text(
            "".join(f"{line}\n" for line in output), encoding="utf-8"
        )
        data = Dataset(
            name="d", source=None, references=(), gold=(tmp_path / "gold.m2",)
        )
        corpus = open_corpus(
            data, [System("A", {"d": tmp_path / "o.txt"})], [], views={"gold"}
        )
        assert corpus is not None
        found = doubts(corpus, [from_text("m2")])
        assert len(found) == bool(printed)
        assert printed in "".join(found)
        assert found == [] or "the source (gold.m2)" in found[0]
