"""BLEU against the field's own programs, live: sacreBLEU, nltk, bleuscore; and figures from
elsewhere.
"""

from __future__ import annotations

import json
import random
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import bleuscore
import pytest
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

import pipeline
from pipeline.errors import ConfigError
from pipeline.metrics.build import from_text
from tests.conftest import ROOT, run
from tests.support.commands import Command
from tests.support.files import write_named_lines
from tests.support.numbers import near, very_near
from tests.support.words import rows, wordlist
from tests.tokenizers.test_tokenizers import SCRIPTS

Texts = tuple[list[str], list[list[str]]]
"""Outputs, and a list for each reference."""

TOKENIZERS = wordlist("none char 13a zh intl")


def generated(seed: int, lines: int = 40, references: int = 3) -> Texts:
    """Outputs and references in several scripts: alike, some empty, some short."""
    rng = random.Random(seed)
    hypotheses: list[str] = []
    texts: list[list[str]] = [[] for _ in range(references)]
    for _ in range(lines):
        words = rng.choice(list(SCRIPTS.values())).split()
        size = rng.choice([0, 1, 2, 3, 5, 20])
        base = rng.choices([*words, "the", "of", "a", "3.5", "x-1"], k=size)
        hypotheses.append(" ".join(word for word in base if rng.random() > 0.1))
        for text in texts:
            text.append(
                " ".join(
                    rng.choice(words) if rng.random() < 0.3 else word
                    for word in base
                )
            )
    return hypotheses, texts


def sample() -> Texts:
    folder = ROOT / "data"
    references = [
        (folder / f"reference{n}.txt").read_text(encoding="utf-8").splitlines()
        for n in range(2)
    ]
    return (folder / "systems" / "eager.txt").read_text(
        encoding="utf-8"
    ).splitlines(), references


def conll(shared: Path, name: str) -> Texts:
    def read(file: str) -> list[str]:
        text = (shared / "conll14" / file).read_bytes().decode()
        return [
            line.rstrip("\r") for line in text.removesuffix("\n").split("\n")
        ]

    return read(name), [read("REF0"), read("REF1")]


def ours(texts: Texts, metric: str) -> pipeline.Result:
    with warnings.catch_warnings():
        # of what is odd in the texts
        warnings.simplefilter("ignore", UserWarning)
        return pipeline.evaluate(*texts, metrics=[metric])[0]


def one(outputs: dict[str, float], name: str) -> list[float]:
    return [
        outputs[f"{name}_{n}"] for n in range(1, 10) if f"{name}_{n}" in outputs
    ]


def same_as_sacrebleu(
    texts: Texts,
    options: str = "",
    sentences: bool = True,
    reading: BLEU | None = None,
    **theirs: Any,
) -> None:
    """Compare ours with sacreBLEU's; reading: one that has read the references already."""
    found = ours(texts, f"bleu[{options}]" if options else "bleu")
    oracle = reading or BLEU(force=True, **theirs)
    expected = oracle.corpus_score(texts[0], None if reading else texts[1])
    outputs = found.outputs
    assert 100 * outputs["bleu"] == very_near(expected.score)
    assert [
        100 * value for value in one(outputs, "precision")
    ] == pytest.approx(expected.precisions, rel=1e-12)
    assert outputs["hyp_len"] == expected.sys_len
    assert outputs["ref_len"] == expected.ref_len
    assert outputs["brevity_penalty"] == very_near(expected.bp)
    assert outputs["ratio"] == very_near(expected.ratio)
    if oracle.smooth_method != "add-k":  # it adds to the counts that it prints
        assert one(outputs, "match") == expected.counts
        assert one(outputs, "total") == expected.totals
    if "max_ngram_order" not in theirs:
        assert found.found.peer_signature == f"BLEU|{oracle.get_signature()}"
    if sentences:
        alone = BLEU(force=True, **({"effective_order": True} | theirs))
        check_sentences(found, alone, texts)


def check_sentences(found: pipeline.Result, oracle: Any, texts: Texts) -> None:
    """Compare the scores of sentences with those of a program."""
    expected = []
    for hypothesis, *references in zip(texts[0], *texts[1], strict=True):
        expected.append(oracle.sentence_score(hypothesis, references).score)
    assert (100 * found.sentences).tolist() == very_near(expected)


@pytest.mark.parametrize(
    ("tokenizer", "smoothing"),
    list(product(TOKENIZERS, wordlist("none floor add-k exp"))),
)
def test_every_tokeniser_and_smoothing_as_sacrebleu(
    tokenizer: str, smoothing: str
) -> None:
    for seed in range(3):
        texts = generated(seed)
        same_as_sacrebleu(
            texts,
            f"tok={tokenizer},smooth={smoothing}",
            tokenize=tokenizer,
            smooth_method=smoothing,
        )


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_sacrebleus_other_settings(tokenizer: str) -> None:
    for seed in range(3, 6):
        texts = generated(seed, references=seed - 2)
        prefix = f"tok={tokenizer}"
        same_as_sacrebleu(
            texts, f"{prefix},lc=true", tokenize=tokenizer, lowercase=True
        )
        same_as_sacrebleu(
            texts, f"{prefix},eff=yes", tokenize=tokenizer, effective_order=True
        )
        same_as_sacrebleu(
            texts, f"{prefix},eff=no", tokenize=tokenizer, effective_order=False
        )
        for order in (1, 2, 6, 9):
            same_as_sacrebleu(
                texts,
                f"{prefix},n={order}",
                tokenize=tokenizer,
                max_ngram_order=order,
            )
        for method, value in (
            ("floor", 0.5),
            ("floor", 0),
            ("add-k", 2),
            ("add-k", 0),
        ):
            options = f"{prefix},smooth={method},value={value}"
            same_as_sacrebleu(
                texts,
                options,
                tokenize=tokenizer,
                smooth_method=method,
                smooth_value=value,
            )


def test_sample_and_real_outputs_as_sacrebleu(shared: Path) -> None:
    same_as_sacrebleu(sample())
    for tokenizer in TOKENIZERS:
        reading = BLEU(
            force=True, tokenize=tokenizer, references=conll(shared, "AMU")[1]
        )
        for name in wordlist("AMU IITB PKU INPUT"):
            same_as_sacrebleu(
                conll(shared, name),
                f"tok={tokenizer}",
                sentences=False,
                reading=reading,
            )


@pytest.mark.parametrize(
    ("hypotheses", "references"),
    [
        ([""], [[""]]),
        ([""], [["a b"]]),
        (["a"], [[""]]),
        (["a"], [["a"]]),
        (["a b c"], [["a b c"]]),
        (["a b c d"], [["x y z w"]]),
        (["", "a b c d e"], [["a", "a b c d e"], ["", "a b"]]),
        (["b a d c"], [["a b c d"]]),
        (["a b c d"], [["a b c"], ["a b c d e"], ["a b c d e f"]]),
    ],
)
def test_edges_as_sacrebleu(
    hypotheses: list[str], references: list[list[str]]
) -> None:
    """Nothing, too short for an order, no match, no match of an order, lengths equally close."""
    for smoothing in wordlist("none floor add-k exp"):
        texts = hypotheses, references
        same_as_sacrebleu(
            texts,
            f"tok=none,smooth={smoothing}",
            tokenize="none",
            smooth_method=smoothing,
        )


METHODS = [f"method{number}" for number in range(8)]


def nltk_score(
    texts: Texts, method: str, weights: Any = (0.25,) * 4, reweigh: bool = False
) -> Any:
    """Return nltk's score."""
    references = [
        [*map(str.split, of_line)] for of_line in zip(*texts[1], strict=True)
    ]
    hypotheses = [line.split() for line in texts[0]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of zero counts
        try:
            smooth = getattr(SmoothingFunction(), method)
            return corpus_bleu(references, hypotheses, weights, smooth, reweigh)
        except AssertionError:
            return 0.0  # method6 without a 3-gram match: refused there, 0 and a note here


@pytest.mark.parametrize("method", METHODS)
def test_every_smoothing_as_nltk(method: str) -> None:
    """Corpus and each sentence alone."""
    for seed in range(6):
        texts = generated(seed, lines=30, references=1 + seed % 3)
        if seed == 5:
            texts = (
                [*texts[0][:1], "a b"],
                [[*text[:1], "a c"] for text in texts[1]],
            )
        found = ours(texts, f"bleu[flavour=nltk,smooth={method}]")
        assert found.score == near(nltk_score(texts, method))
        alone = [
            ([h], [[text[i]] for text in texts[1]])
            for i, h in enumerate(texts[0])
        ]
        assert found.sentences.tolist() == near(
            [nltk_score(one, method) for one in alone]
        )


@pytest.mark.parametrize("method", METHODS)
def test_nltks_weights_orders_and_reweighing(method: str) -> None:
    for seed in range(3):
        texts = generated(seed, references=2)
        for weights in (
            (1.0,),
            (0.5, 0.5),
            (0.1, 0.3, 0.5, 0.1),
            (0.2,) * 5,
            (0.4, 0.3, 0.2, 0.05, 0.03, 0.02, 0.0),
        ):
            if method == "method6" and len(weights) < 3:
                continue  # nltk fails with an IndexError
            expected = nltk_score(texts, method, weights)
            found = ours(
                texts,
                f"bleu[flavour=nltk,smooth={method},weights={'+'.join(map(str, weights))}]",
            )
            assert found.score == near(expected)
        for size in (1, 2, 3, 4):
            short = [" ".join(wordlist("a b c d")[:size])], [["a b c d e"]]
            expected = nltk_score(short, method, reweigh=True)
            assert ours(
                short, f"bleu[flavour=nltk,smooth={method},reweigh=true]"
            ).score == pytest.approx(expected)


def test_several_sets_of_weights_are_several_scores() -> None:
    """The weights of nltk's documentation."""
    texts = generated(2, references=2)
    sets = [(0.5, 0.5), (0.333, 0.333, 0.334), (0.25,) * 4, (0.2,) * 5]
    written = "_".join("+".join(map(str, one)) for one in sets)
    outputs = ours(
        texts, f"bleu[flavour=nltk,smooth=method1,weights={written}]"
    ).outputs
    found = [
        outputs[name]
        for name in wordlist("bleu bleu@weights2 bleu@weights3 bleu@weights4")
    ]
    assert found == pytest.approx(nltk_score(texts, "method1", sets), rel=1e-12)


def test_the_last_sentence_matters_to_nltks_methods_as_there() -> None:
    """Its corpus score of methods 5 to 7 reads some counts of the last sentence alone."""
    hypotheses, references = generated(1, lines=60, references=2)
    for last in ("a b c d e f g", "a b", ""):
        texts = (
            [*hypotheses, last],
            [[*text, "a b c d e x y"] for text in references],
        )
        for method in ("method5", "method6", "method7"):
            found = ours(texts, f"bleu[flavour=nltk,smooth={method}]")
            assert found.score == near(nltk_score(texts, method))
            assert "of the last sentence alone" in found.found.notes[0]


def test_figures_of_blogs() -> None:
    """From the specification: two posts about BLEU in nltk, words and characters."""
    korean = (
        [
            "빛이 쐬는 노인은 완벽한 어두운곳에서 잠든 사람과 비교할 때 강박증이 심해질 기회가 훨씬 높았다"
        ],
        [
            [
                "빛이 쐬는 사람은 완벽한 어둠에서 잠든 사람과 비교할 때 우울증이 심해질 가능성이 훨씬 높았다"
            ]
        ],
    )
    assert ours(korean, "bleu[flavour=nltk]").score == pytest.approx(
        0.25400289715190977, abs=1e-15
    )
    candidates = ["the d o g jump s hig", "it is too bad"]
    first = [
        "the dog jumps high",
        "the cat runs fast",
        "dog and cats are good friends",
    ]
    second = ["ba ga ya", "lu ha a df"]
    padded = first, [*second, second[0]]  # a reference twice changes nothing
    references = [[one, two] for one, two in zip(*padded, strict=True)]
    found = ours((candidates, references), "bleu[flavour=nltk,tok=char]")
    assert found.score == pytest.approx(0.432394497754007, abs=1e-15)
    assert found.sentences[0] == pytest.approx(0.6435902693404842, abs=1e-15)


@pytest.mark.parametrize("smooth", [False, True])
def test_the_flavour_tensorflow_is_that_of_bleuscore(
    smooth: bool, shared: Path
) -> None:
    for texts in [
        *(generated(seed, references=1 + seed % 3) for seed in range(4)),
        sample(),
        conll(shared, "AMU"),
    ]:
        for order in (1, 4, 6):
            references = [
                list(of_line) for of_line in zip(*texts[1], strict=True)
            ]
            expected = bleuscore.compute(
                references, texts[0], max_order=order, smooth=smooth
            )
            method = "add-one" if smooth else "none"
            outputs = ours(
                texts, f"bleu[flavour=tensorflow,n={order},smooth={method}]"
            ).outputs
            assert outputs["bleu"] == near(expected["bleu"])
            assert one(outputs, "precision") == near(expected["precisions"])
            names = wordlist(
                "brevity_penalty length_ratio translation_length reference_length"
            )
            found = [
                outputs[name]
                for name in wordlist("brevity_penalty ratio hyp_len ref_len")
            ]
            assert found == near([expected[name] for name in names])


def test_tensorflow_divides_nothing_by_zero() -> None:
    """By hand: an empty output or reference gives 0; smoothed, an order without n-grams gives
    precision 1.
    """
    for texts in ((([""]), [["a"]]), (["a"], [[""]]), ([""], [[""]])):
        for smooth in ("none", "add-one"):
            assert (
                ours(texts, f"bleu[flavour=tensorflow,smooth={smooth}]").score
                == 0
            )
    found = ours(
        (["a b"], [["a b"]]), "bleu[flavour=tensorflow,smooth=add-one]"
    )
    assert found.score == 1.0
    assert ours((["a b"], [["a b"]]), "bleu[flavour=tensorflow]").score == 0


def test_moses_has_a_hard_zero() -> None:
    """By hand: 3/4, 1/3 and then no 3-gram; with one, the plain product."""
    found = ours((["a b c d"], [["a b x d"]]), "bleu[flavour=moses]")
    assert found.score == 0
    assert found.found.notes == ("no 3-gram matches",)
    found = ours((["a b c d e"], [["a b c d x"]]), "bleu[flavour=moses]")
    assert found.score == pytest.approx(
        (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25, rel=1e-15
    )


def test_moses_splits_at_ascii_white_space_alone() -> None:
    """multi-bleu.perl splits bytes: the no-break space is part of a word, the line tabulation (11)
    is not.
    """
    texts = (
        ["a b\xa0c d\x0be f g h", "x y z w"],
        [["a b c d e f g h", "x y z w v"]],
    )
    outputs = ours(texts, "bleu[flavour=moses]").outputs
    assert one(outputs, "match") == [10, 7, 5, 3]
    assert one(outputs, "total") == [11, 9, 7, 5]
    # of a script in Perl that splits as that does
    assert outputs["bleu"] == near(0.618598527607)


def test_ties_and_inverted_brevity_penalty() -> None:
    """By hand: lengths 3 and 5 are as close to 4; e^(1 - 5/4), inverted e^(1 - 4/3)."""
    texts = ["a b c d"], [["a b c d e"], ["a b c"]]
    assert ours(texts, "bleu[tok=none]").outputs["ref_len"] == 3
    first = ours(texts, "bleu[tok=none,ties=first]").outputs
    assert (first["ref_len"], first["bleu"]) == (
        5,
        pytest.approx(2.718281828459045 ** (1 - 5 / 4)),
    )
    inverted = ours(texts, "bleu[tok=none,bp=inverted]").outputs
    assert inverted["bleu"] == pytest.approx(2.718281828459045 ** (1 - 4 / 3))


def test_zeros_say_why() -> None:
    notes = {
        "a c d e": "no 1-gram matches",
        "b y x q": "no 2-gram matches",
        "x y": "no output has 3 tokens",
        "": "all outputs are empty",
    }
    for hypothesis, note in notes.items():
        texts = [hypothesis], [["x y b q r s"]]
        check_zero(texts, "bleu[smooth=none,tok=none]", note)
    same = ["a b c d"]
    assert ours((same, [same]), "bleu").found.notes == ()
    check_zero(
        (same, [same, [""]]),
        "bleu[flavour=tensorflow]",
        "the reference length is 0",
    )
    # exp(1 - 1000)
    long = [["a b c d " * 1000]]
    check_zero((same, long), "bleu", "the brevity penalty is 0")
    texts = [""], [["x"]]
    check_zero(texts, "bleu[flavour=nltk]", "all outputs are empty")


def check_zero(texts: Texts, metric: str, note: str) -> None:
    """Expect the score 0 and a note that says why."""
    found = ours(texts, metric)
    assert (found.score, found.found.notes) == (0, (note,))


def test_nltk_never_prints_1e_231() -> None:
    texts = ["a b c d"], [["a x y z"]]
    assert 0 < nltk_score(texts, "method0") < 1e-200
    assert ours(texts, "bleu[flavour=nltk]").score == 0


def test_missing_references_are_those_of_sacrebleu(tmp_path: Path) -> None:
    """sacreBLEU takes None; here an empty line with `empty_references: none`."""
    hypotheses, (first, second) = generated(8, references=2)
    first = [line or "x" for line in first]
    missing: list[Any] = [
        None if number % 3 == 0 else line or "y"
        for number, line in enumerate(second)
    ]
    write_named_lines(tmp_path, hyp=hypotheses, ref0=first, ref1=missing)
    config = tmp_path / "config.yaml"
    config.write_text(
        "datasets: {d: {references: [ref0, ref1], empty_references: none}}\n"
        "systems: {A: hyp}\nmetrics: [bleu, 'bleu[level=mean]']\n"
    )
    corpus, mean = run(config, tmp_path / "run").scores
    oracle = BLEU(force=True)
    assert 100 * corpus.score == pytest.approx(
        oracle.corpus_score(hypotheses, [first, missing]).score, rel=1e-12
    )
    assert corpus.peer_signature == f"BLEU|{oracle.get_signature()}"
    assert (corpus.peer_signature or "").startswith("BLEU|nrefs:var|")
    alone = BLEU(effective_order=True)
    expected = [
        alone.sentence_score(h, [r for r in references if r is not None]).score
        for h, *references in zip(hypotheses, first, missing, strict=True)
    ]
    assert 100 * mean.score == very_near(sum(expected) / len(expected))


def test_as_many_references_missing_on_every_line_are_no_variable_number(
    tmp_path: Path,
) -> None:
    """sacreBLEU counts those that each line has."""
    hypotheses = ["a b c d", "e f g h"]
    both = [["a b c d", ""], ["", "e f g x"]]
    write_named_lines(tmp_path, hyp=hypotheses, ref0=both[0], ref1=both[1])
    config = tmp_path / "config.yaml"
    config.write_text(
        "datasets: {d: {references: [ref0, ref1], empty_references: none}}\nsystems: {A: hyp}\nmetrics: [bleu, chrf]\n"
    )
    missing: list[Any] = [["a b c d", None], [None, "e f g x"]]
    for found, oracle in zip(
        run(config, tmp_path / "run").scores,
        (BLEU(force=True), CHRF()),
        strict=True,
    ):
        expected = oracle.corpus_score(hypotheses, missing)
        assert 100 * found.score == pytest.approx(expected.score, rel=1e-12)
        assert (
            found.peer_signature == f"{expected.name}|{oracle.get_signature()}"
        )
        assert "|nrefs:1|" in (found.peer_signature or "")


@pytest.mark.parametrize(
    ("metric", "message"),
    rows("""
    bleu[flavour=nltk,smooth=exp] => flavour nltk takes method0, method1
    bleu[smooth=method1] => flavour sacrebleu takes none, floor, add-k, exp; found 'method1'
    bleu[smooth=exp,value=1] => has no effect here (this smoothing has no value)
    bleu[flavour=moses,eff=yes] => only the flavour sacrebleu has it
    bleu[flavour=tensorflow,ties=first] => takes the shortest length
    bleu[n=3,weights=0.5+0.5] => the weights are for order 2, found 3
    bleu[weights=0+0] => all weights of a set are 0
    bleu[flavour=nltk,weights=0.4] => one weight alone can only be 1
    bleu[flavour=nltk,weights=0.5+0.5_0.4] => one weight alone can only be 1
    bleu[flavour=nltk,reweigh=true,n=3] => for weights of 0.25 of four orders
    bleu[flavour=nltk,reweigh=true,weights=0.5+0.5] => for weights of 0.25 of four orders
    bleu[weights=1+x] => a number for each order joined by +
    bleu[flavour=nltk,smooth=method6,n=2] => method6 needs an order of at least 3
    bleu[tok=13b] => did you mean '13a'?
    bleu[flavor=nltk] => did you mean
"""),
)
def test_what_makes_no_sense_is_refused(metric: str, message: str) -> None:
    with pytest.raises(ConfigError, match=r"\w") as caught:
        from_text(metric)
    assert message in str(caught.value)


def test_a_borrowed_tokeniser_that_is_not_there_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from pipeline.errors import InputError
    from pipeline.tokenizers import sacrebleu

    monkeypatch.setitem(
        sacrebleu.BORROWED,
        "spm",
        sacrebleu.Borrowed("nowhere", "Nothing", "sacrebleu sentencepiece"),
    )
    sacrebleu._tokenizer.cache_clear()
    with pytest.raises(
        InputError,
        match=r"tokenizer spm: cannot be used .*pip install sacrebleu sentencepiece",
    ):
        pipeline.evaluate(["a"], [["a"]], metrics=["bleu[tok=spm]"])
    sacrebleu._tokenizer.cache_clear()


def test_the_published_bleu_of_sakaguchi_et_al_2016(shared: Path) -> None:
    """13 of the 91 values to 12 digits: NUCLE's two references, 34 lines left out (one is
    misprinted as 48).
    """
    published = json.loads(
        (shared / "published" / "published.json").read_bytes()
    )["items"]
    values = next(item for item in published if item["id"] == "tacl2016-bleu")[
        "published"
    ]["NUCLE"]
    (listed,) = (shared / "mirror" / "keisks" / "reassess-gec").glob(
        "*/annotations/merged_ids"
    )
    dropped = {
        418 if number == "48" else int(number)
        for number in listed.read_text().split()
    }

    def read(name: str) -> list[str]:
        texts = conll(shared, name)[0]
        return [
            text for line, text in enumerate(texts, 1) if line not in dropped
        ]

    outputs = {
        name: read("INPUT" if name == "source" else name) for name in values
    }
    metric = "bleu[flavour=moses,ties=first,bp=inverted]"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = pipeline.evaluate(
            outputs, [read("REF0"), read("REF1")], metrics=[metric]
        )
    assert len(values) == 13
    assert {result.system: result.score for result in found} == pytest.approx(
        values, abs=6e-13
    )


def test_a_note_is_printed_and_kept(tmp_path: Path, command: Command) -> None:
    same = ["a b c", "x y"]
    write_named_lines(tmp_path, r=same, one=same, two=["c b a", "y"])
    config = tmp_path / "config.yaml"
    config.write_text(
        "datasets: {d: {references: [r]}}\nsystems: {one: one, two: two}\nmetrics: ['bleu[n=2,smooth=none]']\n"
    )
    out = command(f"run {config} --output {tmp_path / 'run'}").out
    assert out.splitlines()[-1] == "note: two: no 2-gram matches"
    (first, second) = pipeline.load(tmp_path / "run")
    assert (first.notes, second.notes) == ((), ("no 2-gram matches",))
    # sacreBLEU's signature does not tell the order
    assert second.peer_signature is None


def test_confidence_is_that_of_sacrebleu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    """The same 1,000 samples, seed 12345: mean of their scores, and half of the interval."""
    hypotheses, references = sample()
    one, two = references
    write_named_lines(tmp_path, hyp=hypotheses, ref0=one, ref1=two)
    monkeypatch.chdir(tmp_path)
    (found,) = command.json("score bleu -r ref0 ref1 -o hyp --confidence")[
        "scores"
    ]
    expected = BLEU(force=True).corpus_score(
        hypotheses, references, n_bootstrap=1000
    )
    low, high = found["bootstrap"]["interval"]
    # sacreBLEU sums in float32
    assert (high - low) / 2 == pytest.approx(expected._ci / 100, rel=1e-6)
    assert found["bootstrap"]["mean"] == pytest.approx(
        expected._mean / 100, rel=1e-6
    )
