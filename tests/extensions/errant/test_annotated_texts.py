"""Texts that metrics of edits have annotated, from config to score, by a stand-in; the last tests
call errant.
"""

from __future__ import annotations

import json
import random
from itertools import chain
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import pipeline
from pipeline import stages
from pipeline.errors import ConfigError, InputError
from pipeline.execution import workers
from pipeline.extensions.errant.errant_annotator import Pair, versions_of
from pipeline.extensions.errant.metrics.cleme import Cleme
from pipeline.extensions.errant.metrics.errant import Errant
from pipeline.metrics.build import from_text
from pipeline.scoring.results import Results
from tests.config_files import lines, prepare, problems, write
from tests.conftest import ROOT, run
from tests.extensions.errant.errant_package import needs_errant
from tests.extensions.errant.stand_in import (
    MODELS,
    ONE,
    TWO,
    edits_of,
    m2,
    put_in,
    take_away,
)
from tests.support.commands import Command
from tests.support.extensions import needs
from tests.support.metrics import counts_of
from tests.support.words import wordlist

Chunks = list[list[Pair]]
"""The pairs that were annotated together."""
SOURCE = ["a b c", "d e f", "g h", "i j k l"]
REFS = [
    ["a x c", "d e f", "g h", "i k l"],
    ["a b c", "d y f", "g  h", "i j k m"],
]
OUTPUTS = {
    "A": ["a x c", "d z f", "g h", "i j k m"],
    "B": ["a b c", "d y f", "w v", "i k l"],
}
METRICS = wordlist(
    "errant errant[mode=cse,types=R] cleme cleme[assumption=independent] errant[level=mean]"
)


def text(sentences: list[str]) -> str:
    return "".join(f"{sentence}\n" for sentence in sentences)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path / "kept"))
    write({"s.txt": text(SOURCE), "gold.m2": m2(SOURCE, REFS)})
    write({f"r{number}.txt": text(entry) for number, entry in enumerate(REFS)})
    for name, entry in OUTPUTS.items():
        write({f"{name}.txt": text(entry), f"{name}.m2": m2(SOURCE, [entry])})


@pytest.fixture
def requested(monkeypatch: pytest.MonkeyPatch) -> Chunks:
    return put_in(monkeypatch)


def with_auto(metric: str) -> str:
    return (
        metric[:-1] + ",annotator=auto]"
        if metric.endswith("]")
        else f"{metric}[annotator=auto]"
    )


def config(
    dataset: dict[str, Any],
    systems: dict[str, Any],
    metrics: list[Any],
    **more: Any,
) -> str:
    return json.dumps(
        {
            "datasets": {"d": dataset},
            "systems": systems,
            "metrics": metrics,
            **more,
        }
    )


TEXTS = {"source": "s.txt", "references": ["r0.txt", "r1.txt"]}
PLAIN = {name: f"{name}.txt" for name in OUTPUTS}
FILES = {name: {"m2": f"{name}.m2"} for name in OUTPUTS}


def outputs(
    dataset: dict[str, Any],
    systems: dict[str, Any],
    metrics: list[Any],
    to: str = "out",
) -> list[Any]:
    """Run a config; return the outputs of all scores."""
    write({"c.yaml": config(dataset, systems, metrics)})
    return ranked(run(Path("c.yaml"), to).scores)


def ranked(results: Any) -> list[Any]:
    """Return what is to be equal of scores."""
    return [(one.system, one.outputs, one.rank) for one in results]


def from_m2() -> list[Any]:
    """The outputs of M2 files, which other tests compare with the official program."""
    return outputs({"gold": "gold.m2"}, FILES, METRICS, "m2")


def test_texts_score_as_their_m2_files(requested: Chunks) -> None:
    """All ways to name them. A reference that differs in blanks alone has no line, as in the file."""
    auto = [with_auto(metric) for metric in METRICS]
    expected = from_m2()
    assert outputs(TEXTS, PLAIN, auto) == expected
    assert (
        outputs({"source": "s.txt", "gold": "gold.m2"}, PLAIN, auto, "gold")
        == expected
    )
    assert (
        outputs(TEXTS, {"A": "A.txt", "B": {"m2": "B.m2"}}, auto, "mixed")
        == expected
    )
    assert (
        outputs(
            {**TEXTS, "gold": "gold.m2"},
            {"A": {"m2": "A.m2"}, "B": "B.txt"},
            auto,
            "both",
        )
        == expected
    )
    assert len({score["errant"] for _, score, _ in expected[:2]}) == 2
    assert len(requested) == 1  # all texts together, and the rest is kept


def test_a_second_run_annotates_and_counts_nothing(
    requested: Chunks,
) -> None:
    auto = [with_auto(metric) for metric in METRICS]
    first = outputs(TEXTS, PLAIN, auto)
    assert len(requested) == 1
    results = Path("out/results.json").read_bytes()
    with mock.patch.object(
        workers, "count", side_effect=AssertionError("counted again")
    ):
        assert outputs(TEXTS, PLAIN, auto) == first
    assert len(requested) == 1
    assert Path("out/results.json").read_bytes() == results


def test_two_annotators_stand_in_one_config(
    requested: Chunks,
) -> None:
    """The stand-ins give the same edits other types: with edits and types of M2 files only one of
    them agrees.
    """
    metrics = [
        "errant[mode=cse,annotator=en_one]",
        "errant[mode=cse,annotator=en_two]",
    ]
    dataset = {"source": "s.txt", "gold": "gold.m2"}
    write({"c.yaml": config(dataset, PLAIN, metrics)})
    results = run(Path("c.yaml"), "out")
    scores = {
        (
            score.system,
            score.metric.split("|annotator:")[1].split("|")[0],
        ): score.outputs["tp"]
        for score in results.scores
    }
    assert scores == {
        ("A", ONE): 2,
        ("B", ONE): 2,
        ("A", TWO): 0,
        ("B", TWO): 0,
    }
    assert results.datasets["d"].views == {f"edits.{ONE}": 2, f"edits.{TWO}": 2}
    assert len(requested) == 2


@pytest.mark.usefixtures("requested")
def test_signatures_name_the_versions_and_are_read_again() -> None:
    for written in (
        "errant[annotator=auto]",
        "errant[annotator=en_one]",
        f"errant|annotator:{ONE}",
    ):
        metric = from_text(written)
        assert metric == Errant(annotator="auto")
        assert ("annotator", ONE) in metric.settings()
    assert from_text("cleme[annotator=en_two]") == Cleme(annotator=TWO)
    assert ("annotator", TWO) in Cleme(annotator="en_two").settings()
    mapping = prepare(
        config(
            TEXTS, PLAIN, [{"name": "errant", "annotator": {"model": "en_two"}}]
        )
    ).metrics
    assert mapping == (Errant(annotator="en_two"),)
    assert Errant().spec != Errant(annotator="auto").spec
    assert (
        len(
            {
                item.spec.key
                for item in (
                    Errant(),
                    Errant(annotator="auto"),
                    Errant(annotator="en_two"),
                )
            }
        )
        == 3
    )


def test_a_value_that_is_no_model_is_told(requested: Chunks) -> None:
    for value, message in (
        ({"name": "x"}, "expected a spaCy pipeline"),
        ("en_no", "there is no spaCy pipeline 'en_no'"),
    ):
        (problem,) = problems(
            config(TEXTS, PLAIN, [{"name": "errant", "annotator": value}])
        )
        assert "metrics[0].annotator: " in problem
        assert message in problem
    assert requested == []


def test_results_are_read_where_nothing_is_installed(
    requested: Chunks, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = outputs(TEXTS, PLAIN, ["errant[annotator=auto]"])
    take_away(monkeypatch)
    loaded = pipeline.load("out")
    assert ranked(loaded) == expected
    assert requested


def test_other_versions_are_refused(requested: Chunks) -> None:
    other = ONE.replace("3.0.9", "2.3.3")
    (problem,) = problems(config(TEXTS, PLAIN, [f"errant[annotator={other}]"]))
    assert problem == (
        f"annotator: {other} is not installed, and other versions give other edits; here are {ONE}, {TWO}; install "
        "these versions, or write `annotator: auto` for what is installed"
    )
    assert requested == []


def test_pipelines_with_one_name_are_not_mistaken(
    requested: Chunks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "models/mine", "en_one-1.0")
    from_text("errant[annotator=en_one]")
    with pytest.raises(
        ConfigError,
        match=r"en_one and models/mine differ, and both call themselves en_one-1\.0",
    ):
        Errant(annotator="models/mine")
    assert requested == []


def test_a_folder_starts_at_the_config(
    requested: Chunks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "there/models/mine", "en_mine-1")
    write(
        {
            f"there/{name}": Path(name).read_bytes()
            for name in ("s.txt", "r0.txt", "A.txt")
        }
    )
    dataset = {"source": "s.txt", "references": ["r0.txt"]}
    metric = {"name": "errant", "annotator": "models/mine"}
    write({"there/c.yaml": config(dataset, {"A": "A.txt"}, [metric])})
    (metric_there,) = stages.prepare("there/c.yaml").metrics
    assert (
        dict(metric_there.settings())["annotator"]
        == "errant-3.0.9.spacy-3.8.9.en_mine-1"
    )
    assert len(requested) == 1


def test_texts_without_an_annotator_are_told_both_ways(
    command: Command,
) -> None:
    for found in (
        problems(
            config({**TEXTS, "gold": "gold.m2"}, {"A": "A.txt"}, ["errant"])
        ),
        problems(config(TEXTS, PLAIN, ["errant"])),
    ):
        (problem,) = found
        assert "M2 file" in problem
        assert "`annotator: auto`" in problem
    with pytest.raises(InputError, match=r"an M2 file.*annotator: auto"):
        pipeline.evaluate(OUTPUTS, REFS, SOURCE, "errant")
    notice = command.refused("score errant -s s.txt -r r0.txt -o A.txt").err
    assert "--gold FILE" in notice
    assert "--annotator auto" in notice


def test_from_python(requested: Chunks) -> None:
    auto = [with_auto(metric) for metric in METRICS]
    expected = from_m2()
    with pytest.warns(
        UserWarning,
        match="differs from the source in blanks alone in 1 sentences, the first is line 3",
    ):
        found = pipeline.evaluate(OUTPUTS, REFS, SOURCE, auto)
    assert ranked(found) == expected
    with pytest.warns(UserWarning, match="annotators without a line"):
        beside = pipeline.evaluate(
            OUTPUTS, sources=SOURCE, metrics=auto, gold="gold.m2"
        )
    assert ranked(beside) == expected
    assert len(requested) == 1


FOREIGN = """S a b c
A 0 3|||Wci|||a x c|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||2

S d e f
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 1 2|||ArtOrDet|||y|||REQUIRED|||-NONE-|||2

S g h
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S i j k l
A 1 2|||Mec||||||REQUIRED|||-NONE-|||0
A 3 4|||Nn|||m||n|||REQUIRED|||-NONE-|||2

"""
"""The texts REFS as edits with the types of NUCLE."""
REPLACED = "nucle.m2 has types of edits such as Wci, ArtOrDet, Mec ..., which are not ERRANT's: the texts that its edits make"


def test_gold_of_other_types_is_annotated_anew(
    requested: Chunks, command: Command
) -> None:
    auto = [with_auto(metric) for metric in METRICS]
    expected = from_m2()
    write({"nucle.m2": FOREIGN})
    assert outputs({"gold": "nucle.m2"}, PLAIN, auto) == expected
    assert (
        outputs(
            {"gold": "nucle.m2"},
            {"A": "A.txt", "B": {"m2": "B.m2"}},
            auto,
            "mixed",
        )
        == expected
    )
    replaced = f"{REPLACED} are annotated with {ONE} in its place; `gold: keep` among .* \\(--gold-edits keep\\)"
    with (
        pytest.warns(UserWarning, match="annotators without a line"),
        pytest.warns(UserWarning, match=replaced),
    ):
        found = pipeline.evaluate(OUTPUTS, metrics=auto, gold="nucle.m2")
    assert ranked(found) == expected
    printed, notice = command(
        "score errant --annotator auto --gold nucle.m2 -o A.txt B.txt --json"
    )
    assert outputs_in(printed) == [o for _, o, _ in expected[:2]]
    assert notice.count(REPLACED) == 1
    assert len(requested) == 1


def outputs_in(printed: str) -> list[Any]:
    return [score["outputs"] for score in json.loads(printed)["scores"]]


def test_gold_of_other_types_is_kept_where_that_is_asked_for(
    requested: Chunks, command: Command
) -> None:
    """By hand: of all edits of both outputs, that of B in the second sentence alone stands so in
    the gold.
    """
    write({"nucle.m2": FOREIGN})
    remaining = outputs(
        {"gold": "nucle.m2"},
        FILES,
        ["errant[gold=keep]", "cleme[gold=keep]"],
        "kept",
    )
    assert [score["tp"] for _, score, _ in remaining[:2]] == [0, 1]
    auto = [
        "errant[annotator=auto,gold=keep]",
        "cleme[annotator=auto,gold=keep]",
    ]
    assert outputs({"gold": "nucle.m2"}, PLAIN, auto, "auto") == remaining
    results = run(Path("c.yaml"), "auto")
    assert (
        results.scores[0].metric
        == f"errant|mode:cs|beta:0.5|annotator:{ONE}|gold:keep|nrefs:2|v:0.2.0"
    )
    assert not any("in its place" in warning for warning in results.warnings)
    both = outputs(
        {"gold": "nucle.m2"}, PLAIN, ["errant[annotator=auto]", auto[0]], "both"
    )
    assert both[2:] == remaining[:2]
    assert both[:2] == from_m2()[:2]
    printed = command(
        "score errant --annotator auto --gold-edits keep --gold nucle.m2 --json -o A.txt"
    ).out
    assert outputs_in(printed) == [remaining[0][1]]
    assert len(requested) == 1


def test_gold_of_other_types_is_refused_beside_edits_of_errant() -> None:
    write({"nucle.m2": FOREIGN, "other.m2": FOREIGN})
    found = problems(
        config({"gold": "nucle.m2"}, FILES, ["errant", "cleme", "m2"])
    )
    assert found == [
        f"d: {name}: nucle.m2 has types of edits such as Wci, ArtOrDet, Mec ..., which are not ERRANT's, and the "
        "outputs have edits of ERRANT: `annotator: auto` among the options of the metric (--annotator auto) has the "
        "gold annotated anew; `gold: keep` (--gold-edits keep) compares it as it is"
        for name in ("errant", "cleme")
    ]
    # what another program gave on both sides is compared as ever
    one = FOREIGN.replace("|||2\n", "|||0\n").replace(
        "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n", ""
    )
    write({"one.m2": one})
    assert (
        outputs({"gold": "one.m2"}, {"A": {"m2": "one.m2"}}, ["errant"])[0][1][
            "tp"
        ]
        == 4
    )


def test_one_data_set_has_gold_for_some_metrics_and_references_for_others(
    requested: Chunks,
) -> None:
    expected = from_m2()
    dataset = {**TEXTS, "gold": "nucle.m2"}
    write({"nucle.m2": FOREIGN, "r0.txt": text(REFS[0]), "gold.xml": XML})
    of_gold = outputs({"gold": "nucle.m2"}, PLAIN, ["m2", "imeasure"])
    found = outputs(
        dataset, PLAIN, ["m2", "imeasure", *map(with_auto, METRICS)], "both"
    )
    assert (found[:4], found[4:]) == (of_gold, expected)
    replaced = "the references of the data set are annotated"
    with (
        pytest.warns(UserWarning, match="annotators without a line"),
        pytest.warns(UserWarning, match="blanks alone"),
        pytest.warns(UserWarning, match=replaced),
    ):
        again = pipeline.evaluate(
            OUTPUTS, REFS, SOURCE, with_auto("errant"), gold="nucle.m2"
        )
    assert ranked(again) == expected[:2]
    of_xml = outputs(
        {**TEXTS, "gold": "gold.xml"},
        PLAIN,
        ["imeasure", with_auto("errant")],
        "xml",
    )
    assert of_xml[2:] == expected[:2]
    assert len(requested) == 1


XML = "".join(
    [
        "<a>",
        *(
            f'<sentence numann="1"><text>{line}</text></sentence>'
            for line in SOURCE[1:]
        ),
        "</a>",
    ]
).replace(
    "<a>",
    '<a><sentence numann="1"><text>a b c</text><error req="yes"><alt ann="0"><c start="1" end="2">x</c></alt></error>'
    "</sentence>",
)


@pytest.mark.usefixtures("requested")
def test_texts_of_gold_are_those_of_errant_m2() -> None:
    """By the rules of commands/m2_to_m2.py of errant 3.0.2 with -auto, on random edits: overlapping
    ones, edits that change nothing, edits that only detect (Um, UNK), and annotators without a
    line."""
    rng = random.Random(4)
    sentences = list[str]()
    gold = list[str]()
    expected = list[list[list[str]]]([])
    for _ in range(300):
        tokens = rng.choices("abcd", k=rng.randint(1, 5))
        sentences.append(" ".join(tokens))
        rows = list[str]()
        target = list[list[str]]()
        for annotator in range(2):
            spans = sorted(
                rng.choices(range(len(tokens) + 1), k=2)
                for _ in range(rng.randint(0, 3))
            )
            edits = [
                (
                    sorted(span),
                    rng.choice(wordlist("Wci Um UNK Nn")),
                    rng.choices("abx", k=rng.randint(0, 2)),
                )
                for span in spans
            ]
            rows += [
                f"A {s} {e}|||{t}|||{' '.join(w)}|||REQUIRED|||-NONE-|||{annotator}"
                for (s, e), t, w in edits
            ]
            noop = not edits and rng.random() < 0.5
            rows += [
                f"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{annotator}"
            ] * noop
            target.append(
                of_errant_m2(tokens, edits) if edits else NOOP_LINES * noop
            )
        expected.append(target if any(target) else [NOOP_LINES, []])
        gold += [f"S {sentences[-1]}", *rows, ""]
    write({"n.m2": "\n".join([*gold, ""]), "o.txt": text(sentences)})
    job = prepare(
        config({"gold": "n.m2"}, {"A": "o.txt"}, ["errant[annotator=auto]"])
    )
    view = job.corpora[0].read_by(job.metrics[0].spec)
    for number in range(2):
        found = [
            record.split("\n")[1:] for record in lines(view.references[number])
        ]
        assert found == [
            [f"{line}{number}" for line in row[number]] for row in expected
        ]


NOOP_LINES = ["A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||"]


def of_errant_m2(
    tokens: list[str], edits: list[tuple[list[int], str, list[str]]]
) -> list[str]:
    """Return the lines of an annotator's edits, whose text the stand-in annotates."""
    corrected = list(tokens)
    offset = 0
    remaining = list[str]()
    for (start, end), type_, words in sorted(edits, key=lambda edit: edit[0]):
        detected = type_ in ("Um", "UNK")
        new = tokens[start:end] if detected else words
        corrected[start + offset : end + offset] = new
        offset += len(new) - (end - start)
        remaining += [
            f"A {start} {end}|||UNK|||{' '.join(words)}|||REQUIRED|||-NONE-|||"
        ] * detected
    pair = Pair(" ".join(tokens), " ".join(corrected))
    entry = edits_of(pair, "en_one") if tokens != corrected else ()
    return sorted(
        [*remaining, *entry],
        key=lambda line: [
            int(position) for position in line[2:].split("|||")[0].split()
        ],
    )


def test_references_that_are_missing_take_no_part(
    requested: Chunks,
) -> None:
    """By hand: for the second sentence only the second reference counts, whose edit the output
    lacks.
    """
    refs: list[list[str | None]] = [["a x c", None], ["a b c", "d y f"]]
    (result,) = pipeline.evaluate(
        ["a x c", "d e f"], refs, SOURCE[:2], "errant[annotator=auto]"
    )
    assert [result.outputs[name] for name in ("tp", "fp", "fn")] == [1, 0, 1]
    assert all(pair.corrected for pair in chain(*requested))


def test_without_a_config(requested: Chunks, command: Command) -> None:
    expected = [score for _, score, _ in from_m2()[:2]]
    for gold in ("-r r0.txt r1.txt", "-r gold.m2", "--gold gold.m2"):
        for files in ("A.txt B.txt", "A.txt B.m2"):
            printed, notice = command(
                f"score errant --annotator auto -s s.txt {gold} -o {files} --json"
            )
            assert outputs_in(printed) == expected
            assert ("blanks alone" in notice) == ("r0.txt" in gold)
    assert len(requested) == 1


def test_lines_are_kept_and_texts_replaced_first(
    requested: Chunks,
) -> None:
    write(
        {
            "o.txt": text(OUTPUTS["A"][1:3]),
            "s.txt": text(["a b c", "d -LRB- f", "g h", "i j k l"]),
        }
    )
    write(
        {
            "r0.txt": text(["a b c", "d ( f", "g x", "i j k l"]),
            "o.txt": text(["d -LRB- f", "g x"]),
        }
    )
    dataset = {
        "source": "s.txt",
        "references": ["r0.txt"],
        "keep": "2-3",
        "outputs": "kept",
        "replace": "ptb_brackets",
    }
    job = prepare(config(dataset, {"A": "o.txt"}, ["errant[annotator=auto]"]))
    view = job.corpora[0].read_by(job.metrics[0].spec)
    assert [line.split("\n")[0] for line in lines(view.systems["A"])] == [
        "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0",
        "A 1 2|||R:ONE|||x|||REQUIRED|||-NONE-|||0",
    ]
    assert [pair.source for pair in chain(*requested)] == ["g h"]


def test_odd_texts_are_told(requested: Chunks) -> None:
    write({"s.txt": "a b\n\n", "r.txt": "a b\nx\n", "o.txt": "a b\ny z\n"})
    dataset = {"source": "s.txt", "references": ["r.txt"]}
    job = prepare(config(dataset, {"A": "o.txt"}, ["errant[annotator=auto]"]))
    assert job.warnings == (
        "d: the empty line 2 of the source has no edits, whatever stands in the other texts: "
        "errant annotates no empty sentence",
    )
    assert requested == []
    write({"o.txt": "a |||\ny z\n"})
    (problem,) = problems(
        config(dataset, {"A": "o.txt"}, ["errant[annotator=auto]"])
    )
    assert (
        problem
        == "o.txt:1: a word with '|||' cannot be annotated: an M2 file has this between the fields of an edit"
    )
    (problem,) = problems(
        config(
            {"references": ["r.txt"]},
            {"A": "o.txt"},
            ["errant[annotator=auto]"],
        )
    )
    assert "errant needs a source" in problem
    write(
        {
            "o.m2": m2(["a c"], [["a d"]]) + m2(["a c"], [["a d"]]),
            "s.txt": "a b\nc d\n",
        }
    )
    (problem,) = problems(
        config(dataset, {"A": {"m2": "o.m2"}}, ["errant[annotator=auto]"])
    )
    assert (
        problem
        == "o.m2:1: token 2 is 'c', and in s.txt:1 it is 'b': the edits are not of the same sentences"
    )


@needs("published")
def test_a_comparison_with_other_versions_is_a_warning(
    requested: Chunks,
) -> None:
    def warned(**more: str) -> list[str]:
        write(
            {
                "c.yaml": config(
                    TEXTS,
                    PLAIN,
                    ["errant[annotator=auto]"],
                    expect=[{"values": {"A": "0.5"}, **more}],
                )
            }
        )
        results: Results = run(Path("c.yaml"), "out")
        return [
            warning
            for warning in results.warnings
            if warning.startswith("expect ")
        ]

    begin = f"expect 1: texts are annotated with {ONE}, and those of the published values"
    end = "other versions give"
    (unknown,) = warned()
    assert unknown.startswith(
        f"{begin} may have been with others (key `annotator`): {end}"
    )
    (other,) = warned(annotator=TWO)
    assert other.startswith(f"{begin} were with {TWO}: {end}")
    assert warned(annotator=ONE) == []
    assert len(requested) == 1


@needs_errant
def test_errant_itself_on_the_sample(command: Command) -> None:
    """The M2 files of `m2 annotate`, which are compared with those of errant_parallel elsewhere,
    give the same.
    """
    data = ROOT / "data"
    refs = [str(data / f"reference{number}.txt") for number in range(2)]
    texts = {n: str(data / f"systems/{n}.txt") for n in ("careful", "eager")}
    source = str(data / "source.txt")
    for out, files in {"gold": " ".join(refs), **texts}.items():
        command(f"m2 annotate -orig {source} -cor {files} -out {out}.m2 -q")
    systems = {name: {"m2": f"{name}.m2"} for name in texts}
    expected = outputs({"gold": "gold.m2"}, systems, METRICS, "m2")
    dataset = {"source": source, "references": refs}
    auto = [with_auto(metric) for metric in METRICS]
    assert outputs(dataset, texts, auto) == expected


@needs_errant
def test_errant_itself_on_conll14(shared: Path) -> None:
    """Counts of errant_compare of errant 3.0.2 on files of errant_parallel with spaCy 3.8.7."""
    versions = versions_of()
    if (versions.errant, versions.spacy, versions.model[-5:]) != (
        "3.0.2",
        "3.8.7",
        "3.8.0",
    ):
        pytest.skip(f"the counts are of other versions than {versions}")

    def read(name: str) -> list[str]:
        return (
            (shared / "conll14" / name)
            .read_text(encoding="utf-8")
            .removesuffix("\n")
            .split("\n")
        )

    texts = {name: read(name) for name in ("AMU", "CAMB")}
    with pytest.warns(UserWarning, match="empty line"):
        found = pipeline.evaluate(
            texts,
            [read("REF0"), read("REF1")],
            read("INPUT"),
            "errant[annotator=auto]",
        )
    counts = {result.system: counts_of(result.outputs) for result in found}
    assert counts == {"AMU": [482, 797, 1936], "CAMB": [731, 1341, 1886]}


def test_texts_are_explained_as_their_m2_files(
    requested: Chunks,
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is said of M2 files is tested in tests/cli/test_explain.py."""
    auto = "--annotator auto"
    texts = "-s s.txt -r r0.txt r1.txt -o A.txt --line"
    for line in range(1, 5):
        out, err = command(f"explain errant {auto} {texts} {line}")
        from_file = command(f"explain errant -r gold.m2 -o A.m2 --line {line}")
        assert (out.replace("A.txt", "A.m2"), err) == (from_file.out, "")
    assert len(requested) == 1
    out = command(
        f"explain errant[annotator=auto] --compare errant[annotator=en_two] {texts} 1"
    ).out
    assert "R:TWO" in out
    error = command.refused(f"explain errant {texts} 1").err
    assert "--annotator auto" in error
    error = command.refused(f"explain bleu {auto} {texts} 1").err
    assert "bleu has no such option" in error
    take_away(monkeypatch)
    error = command.refused(f"explain errant {auto} {texts} 1").err
    assert "pip install" in error
