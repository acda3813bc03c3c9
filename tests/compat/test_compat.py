"""The room as a whole: its names, its page of help, and what its imports cost."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import pytest

import pipeline
import pipeline.compat
from tests.conftest import ROOT
from tests.test_structure import HEAVY, PEERS, loaded

PAGE = (ROOT / "pipeline" / "help" / "compat.md").read_text(encoding="utf-8")
MODULES = ["sacrebleu", "sacrebleu.metrics", "nltk", "nltk.translate", "nltk.translate.bleu_score"]
MODULES += ["nltk.translate.gleu_score", "rouge_score", "rouge_score.rouge_scorer", "rouge_score.scoring"]


def test_the_examples_of_the_page_of_help_run(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    exec("\n".join(re.findall(r"^ {4}(.+)$", PAGE, re.MULTILINE)), names)  # noqa: S102
    assert capsys.readouterr().out.startswith("BLEU = ")
    assert names["scores"]["rougeL"].fmeasure > 0.5


def test_the_page_of_help_has_every_name() -> None:
    names = {name for module in MODULES[:-2] for name in import_module(f"pipeline.compat.{module}").__all__}
    names -= {"bleu", "gleu"}  # other names of what is there
    names -= {"BLEUScore", "CHRFScore", "TERScore", "AggregateScore"}  # what is returned
    assert [name for name in sorted(names) if name not in PAGE] == []


@pytest.mark.parametrize("name", [name for name in MODULES if name not in ("nltk", "nltk.translate", "rouge_score")])
def test_paths_are_those_of_the_packages(name: str) -> None:
    """Every public name of a module here is one of the package's module. Those left out above have more names here."""
    peer = pytest.importorskip(name)
    own = import_module(f"pipeline.compat.{name}")
    named = {key for key, value in vars(own).items() if getattr(value, "__module__", "") == own.__name__}
    public = {key for key in (getattr(own, "__all__", None) or named) if not key.startswith("_")}
    assert public
    assert [key for key in sorted(public) if not hasattr(peer, key)] == []


@pytest.mark.parametrize("name", ["sacrebleu", "nltk", "rouge_score"])
def test_imports_are_light(name: str) -> None:
    heavy = [*HEAVY, *sorted(PEERS), "pipeline.metrics", "pipeline.api"]
    assert loaded("import pipeline.compat", heavy) == []
    assert loaded(f"import pipeline.compat.{name}", heavy) == ["numpy"]


def test_modules_are_there_when_they_are_used() -> None:
    code = "import pipeline; pipeline.compat.nltk.sentence_gleu([['a']], ['a']); print(dir(pipeline.compat))"
    assert loaded(code, ["pipeline.compat.sacrebleu", "pipeline.compat.nltk"]) == ["pipeline.compat.nltk"]
    for module in (pipeline.compat, pipeline.compat.sacrebleu):
        with pytest.raises(AttributeError, match="has no attribute 'corpus_wer'"):
            _ = module.corpus_wer
