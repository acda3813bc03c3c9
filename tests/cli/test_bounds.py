"""What is too large, or in a form that nobody needs, is one message, whose advice works."""

from __future__ import annotations

from pathlib import Path

import pytest

import pipeline
from pipeline.errors import InputError, bounded
from tests.conftest import RunLine, refused


def test_thousands_of_equal_outputs_are_told_by_the_hundred() -> None:
    assert bounded(["a"] * 101) == ["a"] * 101
    assert bounded(["a"] * 3000) == [
        *["a"] * 100,
        "... and 2,900 more warnings such as the last",
    ]
    texts = ["This is a line .", "Here is another one .", "And a third line ."]
    with pytest.warns(
        UserWarning, match="the same text|more warnings"
    ) as reported:
        found = pipeline.evaluate(
            {f"S{n}": texts for n in range(200)}, [texts], metrics=["bleu"]
        )
    assert len(reported) == len(found.warnings) == 101


def test_no_model_is_fetched_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    utils = pytest.importorskip("sacrebleu.utils")
    monkeypatch.setattr(utils, "SACREBLEU_DIR", str(tmp_path / "models"))
    with pytest.raises(
        InputError,
        match=r"tokenizer flores200: .* is not fetched unasked: save https://",
    ):
        pipeline.evaluate(["a"], [["a"]], metrics=["bleu[tok=flores200]"])
    assert not (tmp_path / "models").exists()


@pytest.mark.parametrize(
    "lines",
    [
        "127.0.0.1 localhost hidden:\n",
        "hidden\n",
        "[hidden]\n",
        "'hidden words': 1\n",
    ],
)
def test_what_is_no_config_is_not_printed(
    tmp_path: Path, lines: str, run_line: RunLine
) -> None:
    (tmp_path / "other").write_text(lines, "utf-8")
    (tmp_path / "c.yaml").write_text("include: [other]\n", "utf-8")
    result = refused(run_line(f"validate {tmp_path}/c.yaml"))
    assert "other is no part of a config" in result
    assert "hidden" not in result
