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
from pipeline.errors import InputError
from pipeline.evaluation import Evaluation, Result
from pipeline.scoring import MetricColumns
from pipeline.scoring.results import Results
from tests.config_files import problems, write
from tests.conftest import mirrored
from tests.support.in_process import run_mapping

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def folder(cwd: Path) -> Path:
    return cwd


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
    rng = random.Random(seed)
    items = []
    for _ in range(lines):
        tokens = rng.choices(WORDS, k=rng.randint(1, 7))
        rows = []
        present = rng.randint(0, annotators)
        for annotator in rng.sample(range(annotators), present):
            rows += [noop(annotator)] if rng.random() < 0.3 else []
            for _ in range(rng.randint(0, 3)):
                start = rng.randint(0, len(tokens))
                end = min(len(tokens), start + rng.randint(0, 2))
                texts = []
                for _ in range(rng.choice([1, 1, 2])):
                    words = rng.choices(WORDS, k=rng.randint(0, 2))
                    texts.append(" ".join(words))
                rows.append(edit(start, end, "||".join(texts), annotator))
        items.append((" ".join(tokens), rows))
    return items


def changed(source: str, rng: random.Random) -> str:
    words: list[str] = []
    for word in source.split():
        remaining = [rng.choice(WORDS)] if rng.random() < 0.3 else [word]
        words += remaining if rng.random() < 0.85 else []
        words += [rng.choice(WORDS)] if rng.random() < 0.15 else []
    return " ".join(words)


def corrected(source: str, lines: Sequence[str], rng: random.Random) -> str:
    """Return a sentence with some of the edits of all annotators applied, and now and then another
    change.
    """
    words = source.split()
    for line in sorted(lines, key=lambda line: line.split()[1], reverse=True):
        span, _, texts, *_ = line[2:].split("|||")
        start, end = map(int, span.split())
        if start >= 0 and rng.random() < 0.5:
            words[start:end] = rng.choice(texts.split("||")).split()
    text = " ".join(words)
    return text if rng.random() < 0.7 else changed(text, rng)


def naive_choice(
    rows: Sequence[Sequence[tuple[int, Counts]]],
    beta: float,
    *,
    running: bool = True,
) -> list[int]:
    """Return the chosen annotators of sentences, whose annotators are given in their order: section
    7, written out.
    """
    totals = np.zeros(3)
    chosen = []
    for row in rows:
        best: Any = None
        for annotator, counts in row:
            correct, proposed, gold = totals + counts
            load = proposed + beta**2 * gold
            f = (1 + beta**2) * correct / load if load else float(correct == 0)
            key = f, correct, -load
            if best is None or key > best[0]:
                best = key, annotator, counts
        chosen.append(best[1])
        if running:
            totals += best[2]
    return chosen


def f_of(counts: Sequence[float], beta: float) -> tuple[float, float, float]:
    """Return precision, recall and F of right, proposed and annotated edits, as section 7 has them."""
    correct, proposed, gold = counts
    p = correct / proposed if proposed else 1.0
    r = correct / gold if gold else 1.0
    below = beta**2 * p + r
    return p, r, (1 + beta**2) * p * r / below if below else 0.0


def counted(result: Any) -> list[float]:
    """Return the right, proposed and annotated edits of a score."""
    return [result.outputs[name] for name in ("correct", "proposed", "gold")]


def measured(result: Any) -> list[float]:
    """Return precision, recall and F of a score."""
    return [result.outputs[name] for name in ("precision", "recall", "m2")]


def close(expected: Any) -> Any:
    return pytest.approx(expected, rel=0, abs=1e-15)


def rows_of(result: Result) -> list[list[tuple[int, Counts]]]:
    """Return the counts of each sentence with those who take part, in the order of the column
    `order`.
    """
    columns = result.columns
    rows: list[Any] = [[] for _ in columns["ref_len@0"]]
    for a in range(sum(name.startswith("ref_len@") for name in columns)):
        names = [f"{name}@{a}" for name in ("correct", "proposed", "ref_len")]
        order = columns[f"order@{a}"].tolist()
        cells = zip(*(columns[name].tolist() for name in names), strict=True)
        for line, counts in enumerate(cells):
            if counts[-1] >= 0:
                rows[line].append((order[line], a, Counts(*counts)))
    return [[ours[1:] for ours in sorted(row)] for row in rows]


def chosen_by(result: Result) -> list[int]:
    """Return the annotator of each sentence. The metric numbers only those who take part."""
    choose = result.measure.chooser()
    blocks = MetricColumns(result.measure).compact_blocks(result.statistics)
    numbers = np.concatenate([choose(block) for block in blocks])
    return [
        sorted(annotator for annotator, _ in row)[number]
        for row, number in zip(rows_of(result), numbers, strict=True)
    ]


def sums(rows: Any, chosen: Sequence[int]) -> list[int]:
    """Return the sums of the counts with the chosen annotators."""
    each = [dict(row)[a] for row, a in zip(rows, chosen, strict=True)]
    return np.sum(each, axis=0).tolist()  # type: ignore[no-any-return]


def official(shared: Path, gold: str) -> list[dict[str, str]]:
    """Return the counts of m2scorer -v and whether it chose the annotator, from sentences.*.tsv.gz."""
    path = shared / "edits" / "golden" / "m2scorer" / f"sentences.{gold}.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def counts_in(row: dict[str, str]) -> Counts:
    return Counts(*(int(row[name]) for name in ("correct", "proposed", "gold")))


def conll(shared: Path, name: str) -> Path:
    if name == "combined":
        return mirrored(
            shared, "awasthiabhijeet/PIE", "scratch/official-2014.combined.m2"
        )
    return shared / "edits" / "m2" / "official-2014.combined-withalt.m2"


def outputs(shared: Path, *names: str) -> dict[str, list[str]]:
    texts = {}
    for name in names:
        text = (shared / "conll14" / name).read_text(encoding="utf-8")
        texts[name] = text.split("\n")[:-1]
    return texts


@pytest.mark.parametrize("gold", ["combined", "withalt"])
def test_conll_totals(shared: Path, gold: str) -> None:
    """Source: conll14.tsv, printed by m2scorer cb874a7; version 3.2 prints the same for these
    outputs.
    """
    path = shared / "edits" / "golden" / "m2scorer" / "conll14.tsv"
    with path.open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t")
        systems = {row["system"]: row for row in rows if row["gold"] == gold}
    scored = pipeline.evaluate(
        outputs(shared, *systems),
        metrics=["m2", "m2[code=3.2]"],
        gold=conll(shared, gold),
        n_jobs=1,
    )
    assert len(scored) == 10
    for result in scored:
        row = systems[result.system]
        counts = [float(row[n]) for n in ("correct", "proposed", "gold_edits")]
        assert counted(result) == counts
        assert measured(result) == close(
            [float(row[name]) for name in ("P", "R", "F0.5")]
        )


@pytest.mark.parametrize("gold", ["combined", "withalt"])
def test_conll_sentences_and_chosen_annotators(shared: Path, gold: str) -> None:
    """Against the counts of m2scorer -v and the annotator that it named."""
    rows = official(shared, gold)
    systems = sorted({row["system"] for row in rows})
    scored = pipeline.evaluate(
        outputs(shared, *systems), metrics="m2", gold=conll(shared, gold)
    )
    for system in systems:
        found = [dict(row) for row in rows_of(scored[system])]
        chosen = {}
        for row in rows:
            if row["system"] == system:
                line, a = int(row["line"]) - 1, int(row["annotator"])
                assert found[line][a] == counts_in(row), (system, row)
                if row["chosen"] == "1":
                    chosen[line] = a
        assert len(chosen) == 1312
        assert chosen_by(scored[system]) == [chosen[n] for n in range(1312)]


def test_conll_choice_for_each_sentence_alone(shared: Path) -> None:
    """By the official counts of AMU, chosen as m2scorer_fork does, with totals of 0 for every
    sentence.

    The numbers are those of section 8 of the specification: .4163 .2138 .3500.
    """
    rows: dict[str, list[tuple[int, Counts]]] = {}
    for row in official(shared, "combined"):
        if row["system"] == "AMU":
            counts = int(row["annotator"]), counts_in(row)
            rows.setdefault(row["line"], []).append(counts)
    chosen = naive_choice([*rows.values()], 0.5, running=False)
    result = pipeline.evaluate(
        outputs(shared, "AMU"),
        metrics="m2[choice=sentence]",
        gold=conll(shared, "combined"),
    )
    assert counted(result) == sums(rows.values(), chosen)
    numbers = [round(value, 4) for value in measured(result)]
    assert numbers == [0.4163, 0.2138, 0.35]


def score(
    items: Sequence[tuple[str, Sequence[str]]],
    texts: Any,
    metrics: Any,
    **options: Any,
) -> Evaluation:
    """Score outputs against blocks of an M2 file in the working directory."""
    write({"gold.m2": blocks(items)})
    return pipeline.evaluate(texts, metrics=metrics, gold="gold.m2", **options)


@pytest.mark.parametrize("beta", BETAS)
def test_random_corpora_against_the_choice_written_out(beta: str) -> None:
    differ = 0
    for seed in range(12):
        items, rng = random_items(seed, 60), random.Random(seed)
        texts = [corrected(*item, rng) for item in items]
        metrics = [f"m2[beta={beta}]", f"m2[beta={beta},choice=sentence]"]
        running, alone = score(items, texts, metrics)
        for result, is_running in ((running, True), (alone, False)):
            rows = rows_of(result)
            chosen = naive_choice(rows, float(beta), running=is_running)
            assert chosen_by(result) == chosen
            counts = sums(rows, chosen)
            assert counted(result) == counts
            assert measured(result) == close(f_of(counts, float(beta)))
        differ += chosen_by(running) != chosen_by(alone)
    assert differ > 0  # or else the totals would not matter


def test_gold_edits_are_counted_as_they_stand_in_the_file() -> None:
    """By hand, from section 1: what is beyond the sentence does not count, what ends before it
    begins does.
    """
    edits = [(2, 4, "x"), (3, 3, "z"), (2, 1, "w"), (0, 1, "y")]
    items = [("a b c", [edit(*ours, 0) for ours in edits])]
    # z is before y in the file
    assert counted(score(items, ["y b c z"], "m2")) == [1, 2, 3]
    twice = [("a b c", [edit(0, 1, "x||y", 0)] * 2)]
    # an edit that is given twice is matched twice
    assert score(twice, ["y b c"], "m2").outputs["precision"] == 2


def test_all_annotators_take_part_as_if_they_had_a_noop() -> None:
    for seed in range(8):
        items, rng = random_items(seed, 25), random.Random(seed)
        texts = [changed(source, rng) for source, _ in items]
        of_lines = [{line[-1] for line in lines} for _, lines in items]
        present = sorted({"0"}.union(*of_lines))
        full = []
        for (source, lines), ours in zip(items, of_lines, strict=True):
            added = [noop(int(a)) for a in present if a not in ours]
            full.append((source, [*lines, *added]))
        every = score(items, texts, "m2[annotators=all]")
        assert every.outputs == score(full, texts, "m2").outputs
        assert every.outputs != score(items, texts, "m2").outputs


@pytest.mark.parametrize("beta", BETAS)
def test_mean_of_sentence_scores(beta: str) -> None:
    """SentM2: the mean over sentences of F with the best annotator of each."""
    items, rng = random_items(3, 40), random.Random(3)
    texts = [changed(source, rng) for source, _ in items]
    result = score(items, texts, f"m2[level=mean,beta={beta}]")[0]
    best = []
    for row in rows_of(result):
        best.append(max(f_of(counts, float(beta))[2] for _, counts in row))
    mean = sum(best) / len(best)
    assert result.score == pytest.approx(mean, rel=0, abs=1e-12)
    assert result.sentences.tolist() == close(best)


def test_large_numbers_of_annotators_come_as_in_a_dict_of_python_2() -> None:
    """By hand: ids 9, 8, 1, 0 come as 8, 9, 0, 1 (section 1); 8 and 1 match alike, so that 8 is
    taken.
    """

    def of(**texts: str) -> Result:
        edits = [edit(0, 1, text, int(a[1:])) for a, text in texts.items()]
        return score([("a b", edits)], ["y b"], "m2")[0]

    result = of(a9="x", a8="y", a1="y", a0="z")
    # columns are in rising order: 0, 1, 8, 9
    assert [a for a, _ in rows_of(result)[0]] == [2, 3, 0, 1]
    assert chosen_by(result) == [2]
    # small ids: in rising order
    assert chosen_by(of(a3="y", a2="x", a1="y")) == [0]


def test_letters_change_case_one_by_one() -> None:
    """By hand, as Python 2 does: a Sigma at the end of a word does not become a final sigma."""
    items = [("\u0391\u03a3 b", [noop(0)])]
    folding = "m2[ignore_whitespace_casing=true]"
    for output, metric, proposed in (
        ("\u03b1\u03c3 b", folding, 0),
        ("\u03b1\u03c2 b", folding, 1),
        ("\u03b1\u03c3 b", "m2", 1),
    ):
        assert score(items, [output], metric).outputs["proposed"] == proposed


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
    write({"gold.m2": blocks(items), "c.yaml": CONFIG})
    write({"source.txt": "".join(f"{line}\n" for line in sources)})
    for name in ("r.txt", "a.txt", "b.txt"):
        lines = [changed(source, rng) + "\n" for source in sources]
        write({name: "".join(lines)})
    return CONFIG


@pytest.mark.usefixtures("config")
def test_intervals_and_tests_keep_the_choice_of_all_sentences() -> None:
    evaluation = pipeline.run("c.yaml", "run", n_jobs=1)
    for result in evaluation:
        assert result.bootstrap is not None
        low, high = result.bootstrap.interval
        assert low < result.score < high
    tests = pipeline.compare("run").tests
    assert sum(test.metric.startswith("m2|") for test in tests) == 2
    result = evaluation.get(system="A", metric="m2 (beta:0.5)")
    rows, rng = rows_of(result), np.random.default_rng(5)
    pairs = zip(rows, chosen_by(result), strict=True)
    chosen = np.array([dict(row)[a] for row, a in pairs])
    draws = []
    for _ in range(400):
        drawn = chosen[rng.integers(len(chosen), size=len(chosen))]
        draws.append(f_of(drawn.sum(axis=0).tolist(), 0.5)[2])
    assert result.bootstrap is not None
    width = np.ptp(np.quantile(draws, (0.025, 0.975)))
    assert 0.6 < np.ptp(result.bootstrap.interval) / width < 1.6


def test_gold_beside_references_changes_no_other_metric(config: str) -> None:
    def gleu(text: str, output: str) -> list[Any]:
        write({"c.yaml": text})
        found = []
        for result in pipeline.run("c.yaml", output, n_jobs=1):
            if result.signature.startswith("gleu"):
                columns = {k: v.tolist() for k, v in result.columns.items()}
                found.append((result.signature, result.outputs, columns))
        return found

    alone = config.replace(", gold: gold.m2", "").replace(
        "m2, 'm2[annotators=all,code=3.2,beta=1]', ", ""
    )
    found = gleu(alone, "alone")
    assert len(found) == 2
    assert gleu(config, "beside") == found


def test_lines_of_keep_are_scored_as_a_file_of_them(config: str) -> None:
    items, lines = random_items(11, 90), [*range(4, 30), 50, *range(60, 90)]
    chosen = "gold: gold.m2, keep: ['5-30', 51, '61-90']"
    write({"c.yaml": config.replace("gold: gold.m2", chosen)})
    result = pipeline.run("c.yaml", "run", n_jobs=1).get(
        system="A", metric="m2 (beta:0.5)"
    )
    texts = Path("a.txt").read_text().split("\n")
    alone = score(
        [items[line] for line in lines], [texts[line] for line in lines], "m2"
    )
    assert result.outputs == alone.outputs
    assert chosen_by(result) == chosen_by(alone[0])


def test_gold_and_lists_that_do_not_fit() -> None:
    items = random_items(1, 3)
    sources = [source for source, _ in items]
    message = "gold: expected the path of an M2 file, found int"
    with pytest.raises(InputError, match=message):
        pipeline.evaluate(sources, metrics="m2", gold=3)  # type: ignore[arg-type]
    for texts, message in (
        (sources[:2], "2 lines  hypotheses"),
        ({"A": sources, "B": "b.m2"}, "found both"),
    ):
        with pytest.raises(InputError, match=message):
            score(items, texts, "m2")
    message = "the source is not that of the annotations"
    with pytest.raises(InputError, match=message):
        score(items, sources, "m2", sources=["x y", *sources[1:]])


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


def ran(gold: Any, *metrics: str) -> Results:
    """Run metrics on the output and gold edits of data sets, or of one."""
    datasets = gold if isinstance(gold, dict) else {"d": {"gold": gold}}
    config = {"systems": {"A": "a.txt"}, "output": {"dir": "run"}}
    return run_mapping({"datasets": datasets, "metrics": [*metrics], **config})


@pytest.fixture
def two_files() -> None:
    write({"one.m2": ONE, "two.m2": TWO, "both.m2": BOTH, "a.txt": OUTPUT})


@pytest.mark.usefixtures("two_files")
def test_the_last_annotator_counts_whatever_the_scores() -> None:
    """By hand: two edits are proposed; the last annotator has y, which is right, and z, which is
    missed.
    """
    found = ran("both.m2", "m2", "m2[choice=last]")
    assert [*map(counted, found.scores)] == [[1, 2, 1], [1, 2, 2]]
    best, last = pipeline.load("run")
    # P 1/2, R 1
    f = 1.25 * 0.5 / 1.125
    assert best.sentences.tolist() == pytest.approx([f, 1, 1])
    assert last.sentences.tolist() == pytest.approx([f, 0, 1])


@pytest.mark.usefixtures("two_files")
def test_an_annotator_without_a_line_is_not_the_last() -> None:
    line = "A 0 1|||X|||z|||REQUIRED|||-NONE-|||1\n"
    write({"less.m2": BOTH.replace(line, "")})
    found = ran("less.m2", "m2[choice=last]")
    assert [*map(counted, found.scores)] == [[1, 2, 1]]


@pytest.mark.usefixtures("two_files")
@pytest.mark.parametrize(
    "metric", ["m2", "m2[annotators=all]", "m2[choice=last]", "imeasure"]
)
def test_annotators_of_several_files_are_those_of_one(metric: str) -> None:
    """Numbers begin anew in each file. A sentence without a line is one that the file's annotator
    leaves as it is.
    """
    several = {"gold": ["one.m2", "two.m2"]}
    one, parts = ran({"d": {"gold": "both.m2"}, "e": several}, metric).scores
    assert (one.outputs, one.score) == (parts.outputs, parts.score)
    assert parts.outputs  # there is something to be equal


@pytest.mark.usefixtures("two_files")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TWO.replace("e f", "e g"), "token 2 is 'f', and in two.m2, sentence 2 it is 'g': the source is not that of"),
        (TWO.replace("\nS g h\n", ""), "two.m2"),
        (XML, "two.m2: is XML; of several gold files each is M2"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_joined(text: str, message: str) -> None:
    write({"two.m2": text})
    found = problems(
        "datasets: {d: {gold: [one.m2, two.m2]}}\nsystems: {A: a.txt}\nmetrics: [m2]\n"
    )
    assert message in "\n".join(found)
