"""Outputs of each sentence by metrics of edits."""

from pathlib import Path
from typing import Any

import pytest

import pipeline
from tests.support.tables import word_list

GOLD = """\
S He go to the school .
A 1 2|||R:VERB|||goes|||REQUIRED|||-NONE-|||0
A 3 4|||U:DET||||||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB|||went|||REQUIRED|||-NONE-|||1

S All is well .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB|||was|||REQUIRED|||-NONE-|||1

"""


@pytest.mark.filterwarnings("ignore:.*same text as reference")
@pytest.mark.parametrize(
    "metric",
    word_list("m2 m2[choice=last] imeasure imeasure[mix=true] errant cleme"),
)
def test_metrics_of_edits_have_precision_and_recall_of_each_sentence(
    metric: str, tmp_path: Path
) -> None:
    """Those of the annotator with the best score of the sentence, as if it were the only sentence."""
    edits = metric.startswith(("errant", "cleme"))
    ours = [
        "S He go to the school .\nA 1 2|||R:VERB|||goes|||REQUIRED|||-NONE-|||0\n\n",
        "S All is well .\n\n",
    ]
    written = ["He goes to the school .", "All is well ."]

    def scored(gold: str, outputs: list[str], m2: str) -> Any:
        (tmp_path / "gold.m2").write_text(gold, encoding="utf-8")
        (tmp_path / "own.m2").write_text(m2, encoding="utf-8")
        received: Any = tmp_path / "own.m2" if edits else outputs
        return pipeline.evaluate(
            received, metrics=[metric], gold=tmp_path / "gold.m2"
        )[0]

    outputs = scored(GOLD, written, "".join(ours)).sentence_outputs
    assert {"precision", "recall"} <= outputs.keys()
    for line, gold in enumerate(GOLD.strip().split("\n\n")):
        alone = scored(f"{gold}\n\n", [written[line]], ours[line]).outputs
        # sentences are weighed by the lengths of the edits of all
        if metric == "cleme":
            continue
        assert {
            name: values[line] for name, values in outputs.items()
        } == pytest.approx(alone, abs=1e-12)
    # right: goes; annotator 0 has two edits, annotator 1 another one
    if metric in ("m2", "errant"):
        assert [outputs[name][0] for name in ("precision", "recall")] == [
            1,
            0.5,
        ]
        assert [outputs[name][1] for name in ("precision", "recall")] == [1, 1]
    if metric == "m2[choice=last]":
        assert [outputs[name][0] for name in ("precision", "recall")] == [0, 0]
