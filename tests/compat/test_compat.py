"""The room as a whole: its names, its page of help, and what its imports cost."""

from __future__ import annotations

import re
from importlib import import_module
from itertools import chain
from typing import Any

import pytest

import pipeline
import pipeline.compat
from tests.conftest import ROOT
from tests.support.numbers import near
from tests.support.words import wordlist
from tests.test_structure import HEAVY, PEERS, loaded

PAGE = (ROOT / "pipeline" / "help" / "compat.md").read_text(encoding="utf-8")
MODULES = wordlist(
    "sacrebleu sacrebleu.metrics nltk nltk.translate nltk.translate.bleu_score"
)
MODULES += [
    "nltk.translate.gleu_score",
    "rouge_score",
    "rouge_score.rouge_scorer",
]


def test_the_examples_of_the_page_of_help_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names: dict[str, Any] = {}
    exec("\n".join(re.findall(r"^ {4}(.+)$", PAGE, re.MULTILINE)), names)  # noqa: S102
    assert capsys.readouterr().out.startswith("BLEU = ")
    assert names["scores"]["rougeL"].fmeasure > 0.5


def test_the_page_of_help_has_every_name() -> None:
    names = {
        *chain(
            *(
                import_module(f"pipeline.compat.{module}").__all__
                for module in MODULES
            )
        )
    }
    names -= {"BLEUScore", "CHRFScore", "TERScore"}  # what is returned
    assert [name for name in sorted(names) if name not in PAGE] == []


# torchmetrics 1.9.0 with torch 2.13.0 in double precision, run on the output careful of data/ with
# both references: bleu_score, the same with smooth=True and n_gram=3, sacre_bleu_score, the same
# with intl, lowercase and smooth=True, chrf_score, the same with n_word_order=0, whitespace=True
# and lowercase=True, and the fmeasures of rouge_score.
TORCHMETRICS = {
    "bleu[tok=none,smooth=none,ties=first]": [0.9282812283205752],
    "bleu[tok=none,smooth=add-k,ties=first,n=3]": [0.9436261378729499],
    "bleu[smooth=none,ties=first]": [0.9282812283205752],
    "bleu[smooth=add-k,ties=first,tok=intl,lc=true]": [0.9284693451046573],
    "chrf[nw=2,eps=true]": [0.9632799056400694],
    "chrf[eps=true,space=true,lc=true]": [0.9725731476615561],
    "rouge[types=1+2+L]": [
        0.9813146880089049,
        0.9547501479280475,
        0.9797043820507728,
    ],
    "rouge[types=1+2+L,refs=mean,stem=porter]": [
        0.9505373410890664,
        0.8860144928115289,
        0.9385949276249136,
    ],
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("metric", TORCHMETRICS)
def test_settings_that_give_the_numbers_of_torchmetrics(metric: str) -> None:
    files = ("systems/careful.txt", "reference0.txt", "reference1.txt")
    output, *references = (
        (ROOT / "data" / name).read_text(encoding="utf-8").split("\n")[:-1]
        for name in files
    )
    outputs = pipeline.evaluate(output, references, metrics=[metric])[0].outputs
    found = [
        outputs[name]
        for name in wordlist("bleu chrf rouge1 rouge2 rougeL")
        if name in outputs
    ]
    assert found == near(TORCHMETRICS[metric])


def test_where_torchmetrics_differs() -> None:
    """There TER is 0.25; BLEU with smooth=True is 0; chrF is 0.3593487440686082. Versions as above."""

    def score(metric: str, output: list[str], references: list[str]) -> float:
        return float(
            pipeline.evaluate(output, [references], metrics=[metric])[0].score
        )

    assert score("ter", ["c d b a b c b e"], ["c c d d b a b e"]) == 0.375
    assert (
        score(
            "bleu[tok=none,smooth=add-k,ties=first]", ["a b x y"], ["a b c d"]
        )
        > 0.4
    )
    # sacreBLEU 2.6.0, CHRF(eps_smoothing=True)
    item = score("chrf[eps=true]", ["abc de", "xyz xyz"], ["abc df", "qqq q"])
    assert item == near(0.2492375562880361)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in MODULES
        if name not in ("nltk", "nltk.translate", "rouge_score")
    ],
)
def test_paths_are_those_of_the_packages(name: str) -> None:
    """Every public name of a module here is one of the package's module. Those left out above have
    more names here.
    """
    peer = pytest.importorskip(name)
    item = import_module(f"pipeline.compat.{name}")
    named = {
        key
        for key, value in vars(item).items()
        if getattr(value, "__module__", "") == item.__name__
    }
    public = {
        key
        for key in (getattr(item, "__all__", None) or named)
        if not key.startswith("_")
    }
    assert public
    assert [key for key in sorted(public) if not hasattr(peer, key)] == []


@pytest.mark.parametrize("name", ["sacrebleu", "nltk", "rouge_score"])
def test_imports_are_light(name: str) -> None:
    heavy = [*HEAVY, *sorted(PEERS), "pipeline.metrics", "pipeline.api"]
    assert loaded("import pipeline.compat", heavy) == []
    assert loaded(f"import pipeline.compat.{name}", heavy) == ["numpy"]


def test_modules_are_there_when_they_are_used() -> None:
    code = "import pipeline; pipeline.compat.nltk.sentence_gleu([['a']], ['a']); print(dir(pipeline.compat))"
    assert loaded(
        code, ["pipeline.compat.sacrebleu", "pipeline.compat.nltk"]
    ) == ["pipeline.compat.nltk"]
    for module in (pipeline.compat, pipeline.compat.sacrebleu):
        with pytest.raises(
            AttributeError, match="has no attribute 'corpus_wer'"
        ):
            _ = module.corpus_wer
