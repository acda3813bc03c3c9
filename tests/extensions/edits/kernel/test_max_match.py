"""MaxMatch: both kernels against the official program's counts and edits, and against each other."""

import gzip
import json
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.errors import LongTextError
from pipeline.extensions.edits import kernel as edits_kernel
from pipeline.extensions.edits.kernel import gold_edits
from pipeline.extensions.edits.kernel.gold_edits import GoldEdits, MaxMatches
from pipeline.extensions.edits.kernel.python import max_match
from pipeline.extensions.edits.kernel.python.max_match import lattice
from pipeline.kernel.common import Encoded
from tests.oracles.max_match_linear import WayOrLinear
from tests.support.kernels import Twin

Edit = tuple[int, int, Sequence[str]]

PYTHON = Twin("python", edits_kernel)
GOLDEN = "edits/golden/m2scorer"
COMBINED = "mirror/awasthiabhijeet/PIE/474769e3c4266deefcb7dd5daf802a1306bc7c99/scratch/official-2014.combined.m2"

CODES = {"master": False, "3.2": True}


def encoded(lines: Sequence[Sequence[int]]) -> Encoded:
    ids = np.array([token for line in lines for token in line], np.int32)
    return Encoded(ids, np.cumsum([0, *map(len, lines)], dtype=np.int64))


def gold_of(cells: Sequence[Sequence[Any]]) -> GoldEdits:
    """Return the edits of each line and annotator: start, end, ids of corrections."""
    flat = [edit for edits in cells for edit in edits]
    texts = [text for *_, corrections in flat for text in corrections]
    return GoldEdits(
        np.cumsum([0, *map(len, cells)], dtype=np.int64),
        np.array([edit[0] for edit in flat], np.int32),
        np.array([edit[1] for edit in flat], np.int32),
        np.cumsum([0, *(len(edit[2]) for edit in flat)], dtype=np.int64),
        encoded(texts),
    )


class Case:
    """Texts and gold edits as the kernel takes them; the edits of each line and annotator: start,
    end, corrections.
    """

    def __init__(
        self,
        source: Sequence[str],
        systems: Sequence[Sequence[str]],
        gold: Sequence[Sequence[list[Any]]],
    ):
        self.words: dict[str, int] = {}
        self.annotators = max([1, *map(len, gold)])
        self.source = encoded([*map(self.ids, source)])
        self.systems = [encoded([*map(self.ids, system)]) for system in systems]
        cells = []
        for line in gold:
            for edits in [*line, *[[]] * (self.annotators - len(line))]:
                cells.append([self.edit(*edit) for edit in edits])
        self.gold = gold_of(cells)

    def ids(self, text: str) -> list[int]:
        words = self.words
        return [words.setdefault(word, len(words)) for word in text.split()]

    def edit(self, start: int, end: int, *rest: Any) -> Any:
        possible = [text for text in rest[-1] if " ".join(text.split()) == text]
        return start, end, [*map(self.ids, possible)]

    def folded(self) -> list[bytes]:
        return [word.lower().encode() for word in self.words]

    def count(self, kernel: Twin, **options: Any) -> MaxMatches:
        result = kernel.max_match(
            self.source, self.systems, self.gold, self.annotators, **options
        )
        assert isinstance(result, MaxMatches)
        return result


def counts(
    kernel: Twin, source: str, output: str, edits: list[Edit], **options: Any
) -> tuple[int, int]:
    """Return what is correct and proposed in a line of one annotator."""
    result = Case([source], [[output]], [[edits]]).count(kernel, **options)
    return int(result.correct[0, 0, 0]), int(result.proposed[0, 0, 0])


# ---- what the official program gives


@cache
def golden(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def one(case: dict[str, Any]) -> Case:
    return Case(
        [case["source"]],
        [[case["hypothesis"]]],
        [[edits for _, edits in case["gold"]]],
    )


@pytest.mark.parametrize("code", CODES)
def test_golden_cases(twin: Twin, shared: Path, code: str) -> None:
    """Every count and every proposed edit; the Python twin takes every fourth case, to be quick."""
    cases = golden(shared / GOLDEN / "cases.jsonl.gz")
    for case in cases if twin.name == "native" else cases[::4]:
        line = one(case)
        folded = line.folded() if case["ignore_whitespace_casing"] else None
        result = line.count(
            twin,
            max_unchanged=case["max_unchanged_words"],
            first_row=CODES[code],
            folded=folded,
            edits=True,
        )
        assert result.edits is not None
        source, output = case["source"].split(), case["hypothesis"].split()
        found = []
        for a, correct in enumerate(result.correct[0, 0].tolist()):
            rows = slice(*result.edits.offsets[a : a + 2])
            assert result.edits.hits[rows].sum() == correct
            edits = []
            for (i1, i2, j1, j2), span in zip(
                result.edits.spans[rows].tolist(),
                result.edits.compared[rows].tolist(),
                strict=True,
            ):
                texts = source[i1:i2], output[j1:j2]
                edits.append([*span, *map(" ".join, texts)])
            proposed = int(result.proposed[0, 0, a])
            size = int(np.diff(line.gold.firsts)[a])
            found.append([correct, proposed, size, edits])
        official = [rest for _, *rest in case[code]["annotators"]]
        assert found == official, case["id"]


def test_golden_lattices(shared: Path) -> None:
    for case in golden(shared / GOLDEN / "cases.jsonl.gz")[::4]:
        line = one(case)
        graph = lattice(
            line.source.ids.tolist(),
            line.systems[0].ids.tolist(),
            case["max_unchanged_words"],
        )
        assert graph
        assert (len(graph.vertices), len(graph.arcs)) == (
            case["master"]["V"],
            case["master"]["E"],
        ), case["id"]


def read_gold(path: Path) -> tuple[list[str], list[list[list[Edit]]]]:
    """Return the sentences of an M2 file of two annotators, and the edits of each that are inside
    the sentence.
    """
    sentences: list[str] = []
    gold: list[list[list[Edit]]] = []
    for paragraph in path.read_text(encoding="utf-8").strip("\n").split("\n\n"):
        first, *rest = paragraph.split("\n")
        annotators: list[list[Edit]] = [[], []]
        size = len(first.split()) - 1
        for line in rest:
            span, kind, corrections, *_, annotator = line[2:].split("|||")
            start, end = map(int, span.split()[:2])
            if kind != "noop" and 0 <= start <= size and 0 <= end <= size:
                texts = corrections.replace("-NONE-", "").split("||")
                edit = start, end, [text.strip() for text in texts]
                annotators[int(annotator)].append(edit)
        sentences.append(first[2:])
        gold.append(annotators)
    return sentences, gold


# ---- by hand: examples of the official program's habits


QUESTION: Any = (
    "Thursday , is it not ?",
    "It 's Thursday , is n't it ?",
    [(0, 0, ["It 's"]), (3, 5, ["n't it"])],
)


@pytest.mark.parametrize(
    ("source", "output", "edits", "expected"),
    [
        ("a x y c", "b x y d", [], (0, 1)),  # merged over two unchanged tokens
        ("a x y z c", "b x y z d", [], (0, 2)),  # not over three
        ("a x y c", "b x y d", [(0, 1, ["b"])], (1, 2)),
        # no such edit: three are unchanged
        ("a x b c d", "b x b c e", [(0, 5, ["b x b c e"])], (0, 2)),
        ("a b", "a x y b", [(1, 1, ["x"]), (1, 1, ["y"])], (2, 2)),
        # insertions in the order of the gold edits
        ("a b", "a x y b", [(1, 1, ["y"]), (1, 1, ["x"])], (1, 2)),
        # a gold edit that is given twice
        ("a", "b", [(0, 1, ["b"]), (0, 1, ["b"])], (2, 1)),
        # not in the order of the sentence
        ("a b c", "x b y", [(2, 3, ["y"]), (0, 1, ["x"])], (1, 2)),
        ("a b c", "x b y", [(0, 1, ["x"]), (2, 3, ["y"])], (2, 2)),
        ("a", "a", [(0, 1, ["a"])], (0, 0)),
        ("a b", "a", [(2, 1, [""])], (0, 1)),  # ends before it starts
        (*QUESTION, (2, 2)),
    ],
)
def test_examples(
    twin: Twin, source: str, output: str, edits: list[Edit], expected: Any
) -> None:
    assert counts(twin, source, output, edits) == expected


def test_the_code_3_2_misplaces_insertions_at_the_start(twin: Twin) -> None:
    assert counts(twin, *QUESTION, first_row=True) == (1, 2)


def test_folded_edits_are_not_proposed(twin: Twin) -> None:
    case = Case(["The dog s bark"], [["the dogs barks"]], [[[(0, 1, ["the"])]]])
    assert case.count(twin).correct.tolist() == [[[1]]]
    result = case.count(twin, folded=case.folded(), max_unchanged=0)
    assert result.correct.tolist() == [[[0]]]
    assert result.proposed.tolist() == [[[1]]]


def test_edits_are_listed_on_request(twin: Twin) -> None:
    case = Case(
        ["a b c d", "a"],
        [["a x c d", "a"], ["a b c d", "b"]],
        [[[(1, 2, ["x", "y"])], []], [[], [(0, 1, [])]]],
    )
    assert case.count(twin).edits is None
    result = case.count(twin, edits=True)
    assert result.edits is not None
    assert result.correct.tolist() == [[[1, 0], [0, 0]], [[0, 0], [0, 0]]]
    assert result.proposed.tolist() == [[[1, 1], [0, 0]], [[0, 0], [1, 1]]]
    assert result.edits.offsets.tolist() == [0, 1, 2, 2, 2, 2, 2, 3, 4]
    # without gold, the substitution and two unchanged tokens weigh less as one edit: 3.001 for
    # 1.002 + 1 + 1
    spans = [[1, 2, 1, 2], [1, 4, 1, 4], [0, 1, 0, 1], [0, 1, 0, 1]]
    assert result.edits.spans.tolist() == spans
    assert result.edits.hits.tolist() == [1, 0, 0, 0]
    assert result.edits.matched.tolist() == [[1, 0], [0, 0]]


# ---- one kernel against the other

Arguments = tuple[tuple[Encoded, list[Encoded], GoldEdits, int], dict[str, Any]]


def changed(rng: random.Random, line: list[int], tokens: int) -> list[int]:
    edited = list(line)
    for _ in range(rng.randint(0, 4)):
        index = rng.randint(0, len(edited))
        edited[index : index + rng.randint(0, 2)] = rng.choices(
            range(tokens), k=rng.randint(0, 2)
        )
    return edited


def random_gold(
    rng: random.Random, source: list[int], output: list[int], tokens: int
) -> tuple[int, int, list[list[int]]]:
    """Return an edit with some corrections: random ones, the original, or a part of the output."""
    start = rng.randint(0, len(source))
    lengths = [0, 1, 2, rng.randint(-start, len(source))]
    end = min(len(source), start + rng.choice(lengths))
    at = rng.randint(0, len(output))
    texts = [
        rng.choices(range(tokens), k=rng.randint(0, 2)),
        source[start:end],
        output[at : at + rng.randint(0, 3)],
    ]
    return start, end, rng.choices(texts, k=rng.choice([0, 1, 1, 2, 3]))


def random_arguments(seed: int) -> Arguments:
    rng = random.Random(seed)
    tokens = rng.choice([1, 2, 2, 3, 5])
    annotators = rng.choice([1, 1, 2, 3])
    source = [
        rng.choices(range(tokens), k=rng.randint(0, 9))
        for _ in range(rng.choice([0, 1, 2, 3]))
    ]
    systems = [
        [changed(rng, line, tokens) for line in source]
        for _ in range(rng.choice([0, 1, 1, 2]))
    ]
    cells = []
    for line, output in zip(source, (systems or [source])[0], strict=True):
        for _ in range(annotators):
            count = rng.choice([0, 0, 1, 2, 3, 6])
            edits = [
                random_gold(rng, line, output, tokens) for _ in range(count)
            ]
            cells.append(edits)
    folded = [rng.choice([b"", b"a", b"ab", b"b"]) for _ in range(tokens)]
    options = {
        "max_unchanged": rng.choice([0, 1, 2, 2, 3, 4, 5, 100]),
        "first_row": rng.random() < 0.5,
        "folded": folded if rng.random() < 0.3 else None,
        "max_arcs": rng.choice([10**6, 10**6, 0, 0, 30, 200]),
        "edits": rng.random() < 0.8,
    }
    outputs = [encoded(system) for system in systems]
    return (encoded(source), outputs, gold_of(cells), annotators), options


def seen(result: MaxMatches) -> list[Any]:
    arrays = [
        result.correct,
        result.proposed,
        result.reduced,
        *(result.edits or ()),
    ]
    return [(array.dtype.str, array.shape, array.tobytes()) for array in arrays]


@pytest.mark.parametrize("changes", [1, 2, 4, 8, 30])
def test_outputs_near_and_far_from_their_source(
    native: Twin, changes: int
) -> None:
    """Near ones are aligned in a narrow band, far ones in a wider one. Both kinds of bands hold all
    best alignments.
    """
    rng = random.Random(changes)
    source = [rng.choices(range(6), k=rng.randint(8, 24)) for _ in range(25)]
    outputs = []
    for line in source:
        output = list(line)
        for _ in range(changes):
            start = rng.randrange(len(output) + 1)
            new = rng.choices(range(6), k=rng.choice([0, 1, 1, 3]))
            output[start : start + rng.choice([0, 1, 1, 2])] = new
        outputs.append(output)
    texts = encoded([*source, [*range(6)]]), [encoded([*outputs, []])]
    gold = gold_of([[]] * 26)
    for most in (10**6, 0):
        native_matches, expected = (
            kernel.max_match(*texts, gold, 1, max_arcs=most, edits=True)
            for kernel in (native, PYTHON)
        )
        assert seen(native_matches) == seen(expected)


def test_threads_do_not_disturb_each_other(native: Twin) -> None:
    def matches(seed: int) -> list[Any]:
        arguments, options = random_arguments(seed)
        return seen(native.max_match(*arguments, **options))

    seeds = range(200)
    alone = [*map(matches, seeds)]
    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(matches, [*seeds] * 5)] == alone * 5


# ---- lattices with too many arcs


def test_the_linear_method_is_nearly_always_the_exact_one(
    native: Twin, shared: Path
) -> None:
    """All lines of a system and of a reference: (correct, proposed) differ in at most 1 of 200."""
    sentences, gold = read_gold(shared / COMBINED)
    texts = [
        (shared / "conll14" / s).read_text(encoding="utf-8").split("\n")[:-1]
        for s in ("CAMB", "REF1")
    ]
    case = Case(sentences, texts, gold)
    exact, linear = case.count(native), case.count(native, max_arcs=0)
    assert linear.reduced.sum() > 2000
    same = (exact.correct == linear.correct) & (
        exact.proposed == linear.proposed
    )
    assert same[linear.reduced].mean() > 0.995


def test_the_python_kernel_refuses_what_the_linear_method_would_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (ours,) = WayOrLinear.__bases__
    monkeypatch.setattr(max_match, "Way", ours)
    arguments = encoded([[1, 2]]), [encoded([[1, 3, 4]])], gold_of([[]]), 1
    assert PYTHON.max_match(*arguments).proposed.tolist() == [[[1]]]
    message = (
        "an output of 3 tokens and a source of 2 are too long for MaxMatch"
    )
    with pytest.raises(LongTextError, match=message):
        PYTHON.max_match(*arguments, max_arcs=3)


def test_long_repetitions_end(native: Twin) -> None:
    """An output of 10,000 equal tokens, and one gold insertion of that token: it is used once, not
    9,971 times.
    """
    source = [*range(5), 99, *range(6, 30)]
    gold = gold_of([[(5, 5, [[99]]), (6, 7, [[99]]), (3, 4, [[1, 2]])], []])
    result = native.max_match(
        encoded([source]), [encoded([[99] * 10_000])], gold, 2
    )
    assert result.reduced.all()
    assert result.correct.tolist() == [[[2, 0]]]
    assert result.proposed[0, 0, 0] < 10


def test_lines_beyond_all_limits_are_refused(twin: Twin) -> None:
    """A line may be as long as it likes where the output equals it."""
    line, other = (encoded([[1], [n] * 20_000]) for n in (1, 2))
    gold = gold_of([[], []])
    assert twin.max_match(line, [line], gold, 1).proposed.sum() == 0
    message = "20,000 tokens and a source of 20,000 are too long for MaxMatch"
    with pytest.raises(LongTextError, match=message) as caught:
        twin.max_match(line, [line, other], gold, 1)
    assert (caught.value.text, caught.value.line) == (2, 1)


# ---- arguments


def test_limits_fit_each_other() -> None:
    """No diagonal is longer than the compiled kernel's counters can say."""
    assert gold_edits.MAX_LATTICE**0.5 < gold_edits.MAX_UNCHANGED
    assert 3 * (gold_edits.MAX_UNCHANGED + 2) < 0xFFFF


def array(*numbers: int, of: Any = np.int64) -> Any:
    return np.array(numbers, of)


@pytest.mark.parametrize(
    ("gold", "options", "message"),
    [
        ({"firsts": array(0, 2)}, {}, "offsets do not rise"),
        ({"firsts": array(0, 0, 1)}, {}, "do not fit lines, annotators and each other"),
        ({"starts": array(-1, of=np.int32)}, {}, "outside of their lines"),
        ({"ends": array(3, of=np.int32)}, {}, "outside of their lines"),
        ({"ends": array(of=np.int32)}, {}, "do not fit lines"),
        ({"alternatives": array(0, 2)}, {}, "offsets do not rise"),
        ({"corrections": Encoded(array(0, of=np.int32), array(0, 2))}, {}, "do not rise"),
        ({}, {"max_unchanged": -1}, "max_unchanged: expected 0 to"),
        ({}, {"max_arcs": 1 << 31}, "max_arcs: expected 0 to"),
        ({}, {"folded": [b"a", b"b"]}, "folded: there are 2 tokens, but ids reach 2"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit(
    twin: Twin, gold: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    changed = gold_of([[(1, 2, [[2]])]])._replace(**gold)
    texts = encoded([[0, 1]]), [encoded([[0, 2]])]
    with pytest.raises(ValueError, match=message):
        twin.max_match(*texts, changed, 1, **options)


def test_there_is_an_annotator(twin: Twin) -> None:
    with pytest.raises(ValueError, match="annotators: expected at least 1"):
        twin.max_match(encoded([]), [], gold_of([]), 0)
