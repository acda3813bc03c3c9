"""M²: golden counts of the official scorer on CoNLL-2014, and the choice of annotators against one
written out here.

The golden numbers are those that m2scorer (commit cb874a7, Python 2.7) printed; each test says
which."""

import csv
import gzip
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import pipeline
from pipeline import stages
from pipeline.data.config.tree import from_mapping
from pipeline.evaluation import Evaluation, Result
from pipeline.scoring.results import Results
from pipeline.scoring.terms import present_blocks
from tests.config_files import problems, write
from tests.conftest import mirrored

pytestmark = pytest.mark.filterwarnings("ignore")

WORDS = ["a", "b", "c", "dog", "dogs"]
BETAS = ("0", "0.5", "1", "2")


class Counts(NamedTuple):
    """The counts of a sentence with an annotator."""

    correct: int
    proposed: int
    gold: int


def edit(start: int, end: int, correction: str, annotator: int) -> str:
    return (
        f"A {start} {end}|||X|||{correction}|||REQUIRED|||-NONE-|||{annotator}"
    )


def noop(annotator: int) -> str:
    return f"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{annotator}"


def blocks(items: Iterable[tuple[str, Sequence[str]]]) -> str:
    return "".join(
        "\n".join([f"S {source}", *lines]) + "\n\n" for source, lines in items
    )


def random_items(
    seed: int, lines: int, annotators: int = 3
) -> list[tuple[str, list[str]]]:
    """Return sentences with edits of annotators, who may be absent, have none, or have them in any
    order.
    """
    rng, items = random.Random(seed), []
    for _ in range(lines):
        tokens = rng.choices(WORDS, k=rng.randint(1, 7))
        rows = []
        for annotator in rng.sample(
            range(annotators), rng.randint(0, annotators)
        ):
            rows += [noop(annotator)] if rng.random() < 0.3 else []
            for _ in range(rng.randint(0, 3)):
                start = rng.randint(0, len(tokens))
                texts = [
                    " ".join(rng.choices(WORDS, k=rng.randint(0, 2)))
                    for _ in range(rng.choice([1, 1, 2]))
                ]
                rows.append(
                    edit(
                        start,
                        min(len(tokens), start + rng.randint(0, 2)),
                        "||".join(texts),
                        annotator,
                    )
                )
        items.append((" ".join(tokens), rows))
    return items


def changed(source: str, rng: random.Random) -> str:
    words: list[str] = []
    for word in source.split():
        chance = rng.random()
        words += (
            []
            if chance < 0.15
            else [rng.choice(WORDS)]
            if chance < 0.4
            else [word]
        )
        words += [rng.choice(WORDS)] if rng.random() < 0.15 else []
    return " ".join(words)


def corrected(source: str, lines: Sequence[str], rng: random.Random) -> str:
    """Return a sentence with some of the edits of all annotators applied, and now and then another
    change.
    """
    words = source.split()
    for line in sorted(lines, key=lambda line: line.split()[1], reverse=True):
        start, end = map(int, line.split("|||")[0].split()[1:])
        if start >= 0 and rng.random() < 0.5:
            words[start:end] = rng.choice(
                line.split("|||")[2].split("||")
            ).split()
    return (
        " ".join(words) if rng.random() < 0.7 else changed(" ".join(words), rng)
    )


def naive_choice(
    rows: Sequence[Sequence[tuple[int, Counts]]],
    beta: float,
    *,
    running: bool = True,
) -> list[int]:
    """Return the chosen annotators of sentences, whose annotators are given in their order: section
    7, written out.
    """
    total_c = total_p = total_g = 0.0
    chosen = []
    for row in rows:
        best: tuple[float, float, float] | None = None
        taken = row[0]
        for annotator, (c, p, g) in row:
            correct, proposed, gold = total_c + c, total_p + p, total_g + g
            try:
                f = (1 + beta**2) * correct / (beta**2 * gold + proposed)
            except ZeroDivisionError:
                f = 1.0 if correct == 0 else 0.0
            load = proposed + beta**2 * gold
            if (
                best is None
                or f > best[0]
                or (f == best[0] and correct > best[1])
                or (f == best[0] and correct == best[1] and load < best[2])
            ):
                best, taken = (f, correct, load), (annotator, Counts(c, p, g))
        chosen.append(taken[0])
        if running:
            total_c, total_p, total_g = (
                total_c + taken[1][0],
                total_p + taken[1][1],
                total_g + taken[1][2],
            )
    return chosen


def f_of(counts: Sequence[float], beta: float) -> tuple[float, float, float]:
    """Return precision, recall and F of right, proposed and annotated edits, as section 7 has them."""
    correct, proposed, gold = counts
    p, r = (
        correct / proposed if proposed else 1.0,
        correct / gold if gold else 1.0,
    )
    return (
        p,
        r,
        (1 + beta**2) * p * r / (beta**2 * p + r) if beta**2 * p + r else 0.0,
    )


def rows_of(result: Result) -> list[list[tuple[int, Counts]]]:
    """Return the counts of each sentence with those who take part, in the order of the column
    `order`.
    """
    columns, rows = result.columns, []
    several = sum(name.startswith("ref_len@") for name in columns)
    for line in range(len(columns["ref_len@0"])):
        row = []
        for a in sorted(
            range(several), key=lambda a: (columns[f"order@{a}"][line], a)
        ):
            if columns[f"ref_len@{a}"][line] >= 0:
                counts = (
                    int(columns[f"{name}@{a}"][line])
                    for name in ("correct", "proposed", "ref_len")
                )
                row.append((a, Counts(*counts)))
        rows.append(row)
    return rows


def chosen_by(result: Result) -> list[int]:
    """Return the annotator of each sentence. The metric numbers only those who take part."""
    choose = result.measure.chooser()
    chosen = [
        int(number)
        for block in present_blocks(result.measure, result.statistics)
        for number in choose(block)
    ]
    present = [
        sorted(annotator for annotator, _ in row) for row in rows_of(result)
    ]
    return [
        annotators[number]
        for annotators, number in zip(present, chosen, strict=True)
    ]


def conll(shared: Path, name: str) -> Path:
    if name == "combined":
        return mirrored(
            shared, "awasthiabhijeet/PIE", "scratch/official-2014.combined.m2"
        )
    return shared / "edits" / "m2" / "official-2014.combined-withalt.m2"


def outputs(shared: Path, *names: str) -> dict[str, list[str]]:
    texts = {
        name: (shared / "conll14" / name).read_text(encoding="utf-8")
        for name in names
    }
    return {name: text.split("\n")[:-1] for name, text in texts.items()}


def test_conll_totals(shared: Path) -> None:
    """Source: conll14.tsv, printed by m2scorer cb874a7; version 3.2 prints the same for these
    outputs.
    """
    text = (shared / "edits" / "golden" / "m2scorer" / "conll14.tsv").read_text(
        encoding="utf-8"
    )
    rows = list(csv.DictReader(text.splitlines(), delimiter="\t"))
    assert len(rows) == 10
    for gold in ("combined", "withalt"):
        own = [row for row in rows if row["gold"] == gold]
        texts = outputs(shared, *(row["system"] for row in own))
        scored = pipeline.evaluate(
            texts,
            metrics=["m2", "m2[code=3.2]"],
            gold=conll(shared, gold),
            n_jobs=1,
        )
        assert len(scored) == 10
        for row in own:
            for given in (
                result.outputs
                for result in scored
                if result.system == row["system"]
            ):
                counts = [
                    given[name] for name in ("correct", "proposed", "gold")
                ]
                assert counts == [
                    float(row[name])
                    for name in ("correct", "proposed", "gold_edits")
                ]
                expected = [float(row[name]) for name in ("P", "R", "F0.5")]
                assert [
                    given[name] for name in ("precision", "recall", "m2")
                ] == pytest.approx(expected, rel=0, abs=1e-15)


@pytest.mark.parametrize("gold", ["combined", "withalt"])
def test_conll_sentences_and_chosen_annotators(shared: Path, gold: str) -> None:
    """Source: sentences.*.tsv.gz: the counts of m2scorer -v and the annotator that it named."""
    path = shared / "edits" / "golden" / "m2scorer" / f"sentences.{gold}.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    systems = sorted({row["system"] for row in rows})
    scored = pipeline.evaluate(
        outputs(shared, *systems), metrics="m2", gold=conll(shared, gold)
    )
    for system in systems:
        result, columns = scored[system], scored[system].columns
        own = [row for row in rows if row["system"] == system]
        for row in own:
            line, a = int(row["line"]) - 1, row["annotator"]
            expected = tuple(
                int(row[name]) for name in ("correct", "proposed", "gold")
            )
            assert (
                tuple(
                    int(columns[f"{name}@{a}"][line])
                    for name in ("correct", "proposed", "ref_len")
                )
                == expected
            ), (system, row)
        named = {
            int(row["line"]): int(row["annotator"])
            for row in own
            if row["chosen"] == "1"
        }
        assert chosen_by(result) == [named[line] for line in sorted(named)]
        assert len(named) == 1312


def test_conll_choice_for_each_sentence_alone(shared: Path) -> None:
    """By the official counts of AMU, chosen as m2scorer_fork does, with totals of 0 for every
    sentence.

    The numbers are those of section 8 of the specification: .4163 .2138 .3500.
    """
    path = (
        shared / "edits" / "golden" / "m2scorer" / "sentences.combined.tsv.gz"
    )
    with gzip.open(path, "rt", encoding="utf-8") as file:
        table = [
            row
            for row in csv.DictReader(file, delimiter="\t")
            if row["system"] == "AMU"
        ]
    rows: dict[int, list[tuple[int, Counts]]] = {}
    for row in table:
        counts = Counts(
            int(row["correct"]), int(row["proposed"]), int(row["gold"])
        )
        rows.setdefault(int(row["line"]), []).append(
            (int(row["annotator"]), counts)
        )
    chosen = naive_choice(list(rows.values()), 0.5, running=False)
    sums = [
        sum(column)
        for column in zip(
            *(
                dict(row)[a]
                for row, a in zip(rows.values(), chosen, strict=True)
            ),
            strict=True,
        )
    ]
    result = pipeline.evaluate(
        outputs(shared, "AMU"),
        metrics="m2[choice=sentence]",
        gold=conll(shared, "combined"),
    )
    assert [
        result.outputs[name] for name in ("correct", "proposed", "gold")
    ] == sums
    assert [
        round(result.outputs[name], 4) for name in ("precision", "recall", "m2")
    ] == [
        0.4163,
        0.2138,
        0.35,
    ]


def score(
    items: Sequence[tuple[str, Sequence[str]]],
    texts: Any,
    metrics: Any,
    **options: Any,
) -> Evaluation:
    """Score outputs against blocks of an M2 file in the working directory."""
    write({"gold.m2": blocks(items)})
    return pipeline.evaluate(texts, metrics=metrics, gold="gold.m2", **options)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of its own as the working directory."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("beta", BETAS)
def test_random_corpora_against_the_choice_written_out(beta: str) -> None:
    differ = 0
    for seed in range(12):
        items, rng = random_items(seed, 60), random.Random(seed)
        texts = [corrected(*item, rng) for item in items]
        running, alone = score(
            items,
            texts,
            [f"m2[beta={beta}]", f"m2[beta={beta},choice=sentence]"],
        )
        for result, is_running in ((running, True), (alone, False)):
            rows = rows_of(result)
            chosen = naive_choice(rows, float(beta), running=is_running)
            assert chosen_by(result) == chosen
            sums = (
                np.array(
                    [dict(row)[a] for row, a in zip(rows, chosen, strict=True)]
                )
                .sum(axis=0)
                .tolist()
            )
            assert [
                result.outputs[name] for name in ("correct", "proposed", "gold")
            ] == sums
            expected = f_of(sums, float(beta))
            given = [
                result.outputs[name] for name in ("precision", "recall", "m2")
            ]
            assert given == pytest.approx(expected, rel=0, abs=1e-15)
        differ += chosen_by(running) != chosen_by(alone)
    assert differ > 0  # or else the totals would not matter


def test_gold_edits_are_counted_as_they_stand_in_the_file() -> None:
    """By hand, from section 1: what is beyond the sentence does not count, what ends before it
    begins does.
    """
    items = [
        (
            "a b c",
            [
                edit(2, 4, "x", 0),
                edit(3, 3, "z", 0),
                edit(2, 1, "w", 0),
                edit(0, 1, "y", 0),
            ],
        )
    ]
    result = score(items, ["y b c z"], "m2")
    assert [
        result.outputs[name] for name in ("correct", "proposed", "gold")
    ] == [
        1,
        2,
        3,
    ]  # z is before y in the file
    items = [("a b c", [edit(0, 1, "x||y", 0), edit(0, 1, "x||y", 0)])]
    # an edit that is given twice is matched twice
    assert score(items, ["y b c"], "m2").outputs["precision"] == 2


def test_all_annotators_take_part_as_if_they_had_a_noop() -> None:
    for seed in range(8):
        items, rng = random_items(seed, 25), random.Random(seed)
        texts = [changed(source, rng) for source, _ in items]
        present = {
            int(line.rpartition("|||")[2])
            for _, lines in items
            for line in lines
        } | {0}
        full = [
            (
                source,
                [
                    *lines,
                    *(
                        noop(a)
                        for a in sorted(present)
                        if not any(x.endswith(f"|||{a}") for x in lines)
                    ),
                ],
            )
            for source, lines in items
        ]
        every, listed = (
            score(items, texts, "m2[annotators=all]"),
            score(items, texts, "m2"),
        )
        completed = score(full, texts, "m2")
        assert every.outputs == completed.outputs
        assert every.outputs != listed.outputs


def test_mean_of_sentence_scores() -> None:
    """SentM2: the mean over sentences of F with the best annotator of each."""
    for beta in BETAS:
        items, rng = random_items(3, 40), random.Random(3)
        result = score(
            items,
            [changed(source, rng) for source, _ in items],
            f"m2[level=mean,beta={beta}]",
        )[0]
        best = [
            max(f_of(counts, float(beta))[2] for _, counts in row)
            for row in rows_of(result)
        ]
        assert result.score == pytest.approx(
            sum(best) / len(best), rel=0, abs=1e-12
        )
        assert result.sentences.tolist() == pytest.approx(
            best, rel=0, abs=1e-15
        )


def test_large_numbers_of_annotators_come_as_in_a_dict_of_python_2() -> None:
    """By hand: ids 9, 8, 1, 0 come as 8, 9, 0, 1 (section 1); 8 and 1 match alike, so that 8 is
    taken.
    """
    items = [
        (
            "a b",
            [
                edit(0, 1, text, number)
                for number, text in ((9, "x"), (8, "y"), (1, "y"), (0, "z"))
            ],
        )
    ]
    result = score(items, ["y b"], "m2")[0]
    assert [a for a, _ in rows_of(result)[0]] == [
        2,
        3,
        0,
        1,
    ]  # columns are in rising order: 0, 1, 8, 9
    assert chosen_by(result) == [2]
    small = [
        (
            "a b",
            [
                edit(0, 1, text, number)
                for number, text in ((3, "y"), (2, "x"), (1, "y"))
            ],
        )
    ]
    # small ids: in rising order
    assert chosen_by(score(small, ["y b"], "m2")[0]) == [0]


def test_letters_change_case_one_by_one() -> None:
    """By hand, as Python 2 does: a Sigma at the end of a word does not become a final sigma."""
    items = [("\u0391\u03a3 b", [noop(0)])]
    options = "m2[ignore_whitespace_casing=true]"
    assert score(items, ["\u03b1\u03c3 b"], options).outputs["proposed"] == 0
    assert score(items, ["\u03b1\u03c2 b"], options).outputs["proposed"] == 1
    assert score(items, ["\u03b1\u03c3 b"], "m2").outputs["proposed"] == 1


CONFIG = """\
datasets: {d: {source: source.txt, references: [r.txt], gold: gold.m2}}
systems: {A: a.txt, B: b.txt}
metrics: [m2, 'm2[annotators=all,code=3.2,beta=1]', 'gleu[iter=3]']
statistics: {resamples: 50, trials: 50}
"""


@pytest.fixture
def config() -> str:
    """A config in the working directory, with its files; returns its text."""
    items, rng = random_items(11, 90), random.Random(11)
    sources = [source for source, _ in items]
    files = {
        name: [changed(source, rng) for source in sources]
        for name in ("r.txt", "a.txt", "b.txt")
    }
    write(
        {
            name: "".join(f"{line}\n" for line in lines)
            for name, lines in {**files, "source.txt": sources}.items()
        }
    )
    write({"gold.m2": blocks(items), "c.yaml": CONFIG})
    return CONFIG


@pytest.mark.usefixtures("config")
def test_intervals_and_tests_keep_the_choice_of_the_whole_set() -> None:
    evaluation = pipeline.run("c.yaml", "run", n_jobs=1)
    for result in evaluation:
        assert result.bootstrap is not None
        low, high = result.bootstrap.interval
        assert low < result.score < high
    tests = [
        test
        for test in pipeline.compare("run").tests
        if test.metric.startswith("m2|")
    ]
    assert len(tests) == 2
    result = evaluation.get(system="A", metric="m2 (beta:0.5)")
    rows, rng = rows_of(result), np.random.default_rng(5)
    chosen = np.array(
        [dict(row)[a] for row, a in zip(rows, chosen_by(result), strict=True)]
    )
    draws = [
        f_of(
            chosen[rng.integers(len(chosen), size=len(chosen))]
            .sum(axis=0)
            .tolist(),
            0.5,
        )[2]
        for _ in range(400)
    ]
    assert result.bootstrap is not None
    spread = np.quantile(draws, 0.975) - np.quantile(draws, 0.025)
    assert (
        0.6 * spread
        < result.bootstrap.interval[1] - result.bootstrap.interval[0]
        < 1.6 * spread
    )


def test_gold_beside_references_changes_no_other_metric(config: str) -> None:
    beside = pipeline.run("c.yaml", "beside", n_jobs=1)
    write(
        {
            "c.yaml": config.replace(", gold: gold.m2", "").replace(
                "m2, 'm2[annotators=all,code=3.2,beta=1]', ", ""
            )
        }
    )
    alone = pipeline.run("c.yaml", "alone", n_jobs=1)
    assert len(alone) == 2
    for result in alone:
        other = beside.get(system=result.system, metric="gleu[iter=3]")
        assert (other.signature, other.score, other.outputs) == (
            result.signature,
            result.score,
            result.outputs,
        )
        assert {
            name: values.tolist() for name, values in other.columns.items()
        } == {name: values.tolist() for name, values in result.columns.items()}


def test_lines_that_are_kept_are_scored_as_a_file_of_them(config: str) -> None:
    items, lines = random_items(11, 90), [*range(4, 30), 50, *range(60, 90)]
    write(
        {
            "c.yaml": config.replace(
                "gold: gold.m2", "gold: gold.m2, keep: ['5-30', 51, '61-90']"
            )
        }
    )
    kept = pipeline.run("c.yaml", "kept", n_jobs=1).get(
        system="A", metric="m2 (beta:0.5)"
    )
    texts = Path("a.txt").read_text(encoding="utf-8").split("\n")
    alone = score(
        [items[line] for line in lines], [texts[line] for line in lines], "m2"
    )
    assert kept.outputs == alone.outputs
    assert chosen_by(kept) == chosen_by(alone[0])


def test_gold_and_lists_that_do_not_fit() -> None:
    items = random_items(1, 3)
    sources = [source for source, _ in items]
    with pytest.raises(
        pipeline.errors.InputError,
        match="gold: expected the path of an M2 file, found int",
    ):
        pipeline.evaluate(sources, metrics="m2", gold=3)  # type: ignore[arg-type]
    with pytest.raises(pipeline.errors.InputError, match="2 lines  hypotheses"):
        score(items, sources[:2], "m2")
    with pytest.raises(
        pipeline.errors.InputError,
        match="the source is not that of the annotations",
    ):
        score(items, sources, "m2", sources=["x y", *sources[1:]])
    with pytest.raises(pipeline.errors.InputError, match="found both"):
        score(items, {"A": sources, "B": "b.m2"}, "m2")


# M² as a metric: the last annotator of each sentence, and gold files with annotators of their own.


ONE = """\
S a b c d
A 1 2|||X|||x|||REQUIRED|||-NONE-|||3

S e f

S g h
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||3
"""
TWO = """\
S a b c d
A 3 4|||X|||y|||REQUIRED|||-NONE-|||0

S e f
A 0 1|||X|||z|||REQUIRED|||-NONE-|||0

S g h
"""
BOTH = """\
S a b c d
A 1 2|||X|||x|||REQUIRED|||-NONE-|||0
A 3 4|||X|||y|||REQUIRED|||-NONE-|||1

S e f
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 0 1|||X|||z|||REQUIRED|||-NONE-|||1

S g h
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1
"""
XML = """\
<scripts><script id="1">
<sentence id="1" numann="1"><text>a b c d</text><error-list>
  <error id="1" req="yes" type="X"><alt ann="0"><c start="1" end="2">x</c></alt></error></error-list></sentence>
<sentence id="2" numann="1"><text>e f</text></sentence>
<sentence id="3" numann="1"><text>g h</text></sentence></script></scripts>
"""
OUTPUT = "a x c y\ne f\ng h\n"


def ran(two_files: Path, **config: Any) -> Results:
    """Run a config without a file."""
    config = {
        "systems": {"A": "a.txt"},
        "output": {"dir": str(two_files / "run")},
    } | config
    return stages.run(stages.prepare(from_mapping(config)))[1]


@pytest.fixture
def two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write({"one.m2": ONE, "two.m2": TWO, "both.m2": BOTH, "a.txt": OUTPUT})
    return tmp_path


def counts(results: Results) -> list[tuple[float, ...]]:
    return [
        tuple(score.outputs[name] for name in ("correct", "proposed", "gold"))
        for score in results.scores
    ]


def test_the_last_annotator_counts_whatever_the_scores(two_files: Path) -> None:
    """By hand: two edits are proposed; the last annotator has y, which is right, and z, which is
    missed.
    """
    found = ran(
        two_files,
        datasets={"d": {"gold": "both.m2"}},
        metrics=["m2", "m2[choice=last]"],
    )
    assert counts(found) == [(1, 2, 1), (1, 2, 2)]
    (best, last) = pipeline.load(two_files / "run")
    # P 1/2, R 1
    assert best.sentences.tolist() == pytest.approx(
        [1.25 * 0.5 / 1.125 / 1, 1, 1]
    )
    assert last.sentences.tolist() == pytest.approx(
        [1.25 * 0.5 / 1.125 / 1, 0, 1]
    )


def test_an_annotator_without_a_line_is_not_the_last(two_files: Path) -> None:
    write(
        {"less.m2": BOTH.replace("A 0 1|||X|||z|||REQUIRED|||-NONE-|||1\n", "")}
    )
    found = ran(
        two_files,
        datasets={"d": {"gold": "less.m2"}},
        metrics=["m2[choice=last]"],
    )
    assert counts(found) == [(1, 2, 1)]


@pytest.mark.parametrize(
    "metric", ["m2", "m2[annotators=all]", "m2[choice=last]", "imeasure"]
)
def test_annotators_of_several_files_are_those_of_one(
    two_files: Path, metric: str
) -> None:
    """Numbers begin anew in each file. A sentence without a line is one that the file's annotator
    leaves as it is.
    """
    datasets = {
        "whole": {"gold": "both.m2"},
        "parts": {"gold": ["one.m2", "two.m2"]},
    }
    whole, parts = ran(two_files, datasets=datasets, metrics=[metric]).scores
    assert (whole.outputs, whole.score) == (parts.outputs, parts.score)
    assert parts.outputs  # there is something to be equal


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            TWO.replace("e f", "e g"),
            "token 2 is 'f', and in two.m2, sentence 2 it is 'g': the source is not that of",
        ),
        (TWO.replace("\nS g h\n", ""), "two.m2"),
        (XML, "two.m2: is XML; of several gold files each is M2"),
    ],
)
@pytest.mark.usefixtures("two_files")
def test_files_that_cannot_be_joined(text: str, message: str) -> None:
    write({"two.m2": text})
    found = problems(
        "datasets: {d: {gold: [one.m2, two.m2]}}\nsystems: {A: a.txt}\nmetrics: [m2]\n"
    )
    assert any(message in one for one in found), found


def test_last_annotators_of_conll_2014(shared: Path, tmp_path: Path) -> None:
    """F of 3,936 sentences, from the counts that the official functions gave."""
    with gzip.open(
        shared / "edits/golden/m2scorer/sentences.combined.tsv.gz",
        "rt",
        encoding="utf-8",
    ) as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    last: dict[str, dict[int, tuple[int, int, int]]] = {}
    for row in sorted(rows, key=lambda row: int(row["annotator"])):
        numbers = int(row["correct"]), int(row["proposed"]), int(row["gold"])
        last.setdefault(row["system"], {})[int(row["line"])] = numbers
    outputs = "data/original/official_submissions"
    systems = {
        name: str(
            mirrored(shared, "grammatical/evaluation", f"{outputs}/{name}")
        )
        for name in last
    }
    gold = mirrored(
        shared, "awasthiabhijeet/PIE", "scratch/official-2014.combined.m2"
    )
    ran(
        tmp_path,
        datasets={"d": {"gold": str(gold)}},
        systems=systems,
        metrics=["m2[choice=last]"],
    )
    compared = 0
    for result in pipeline.load(tmp_path / "run"):
        expected = [
            f_half(*last[result.system][line])
            for line in sorted(last[result.system])
        ]
        assert result.sentences.tolist() == pytest.approx(
            expected, rel=0, abs=1e-12
        )
        compared += len(expected)
    assert compared == 3_936


def f_half(correct: int, proposed: int, gold: int) -> float:
    """F0.5 by its definition."""
    precision, recall = (
        correct / proposed if proposed else 1.0,
        correct / gold if gold else 1.0,
    )
    return (
        1.25 * precision * recall / (0.25 * precision + recall)
        if precision or recall
        else 0.0
    )
