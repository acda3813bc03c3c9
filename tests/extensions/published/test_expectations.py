"""Expected values: digits, rounding, tolerance, orders, verdicts; the section `expect` and what is
said of it.
"""

import math
from pathlib import Path
from typing import Any

import pytest

from pipeline import stages
from pipeline.data.config import Overrides
from pipeline.data.config.resolved import brackets
from pipeline.errors import CorpusError
from pipeline.extensions.human.records import filtered, read_records
from pipeline.extensions.published.published_sections import cells_of
from pipeline.extensions.published.verdicts import (
    Leaf,
    Verdict,
    compare,
    compare_order,
    is_worse,
    leaves,
    verdict_of,
    whole_verdict,
)
from pipeline.scoring.results import Results
from tests.config_files import prepare, problems, write
from tests.conftest import write_run
from tests.support.in_process import Call
from tests.support.tables import table


def verdict(
    expected: str,
    value: object,
    scale: str = "1",
    rule: str | None = None,
    within: str | None = None,
) -> str:
    return compare(Leaf((), expected, value), scale, rule, within).verdict


CUT = "0.9007842791853424"


# Each by hand: the value written out in decimals, then rounded or cut to the digits of the expected
# text.
@pytest.mark.parametrize(
    ("expected", "value", "scale", "rule", "found"),
    [
        ("38.21", 0.382146, "100", None, "equal"),  # 38.2146
        ("38.22", 0.382146, "100", None, "differs"),
        ("38.20", 0.382, "100", None, "equal"),
        ("38.20", 0.38249, "100", None, "differs"),  # the zero is a digit: 38.25
        # A tie is equal to both. Published by Chollampatt and Ng 2018, and Python's "%.2f": -15.62,
        # 28.12 and -9.38.
        ("-15.62", -0.15625, "100", None, "equal"),
        ("-15.63", -0.15625, "100", "half_up", "equal"),
        ("-15.61", -0.15625, "100", None, "differs"),
        ("28.12", 0.28125, "100", None, "equal"),
        ("-9.38", -0.09375, "100", None, "equal"),
        ("-15.62", -0.1562500001, "100", None, "differs"),  # just beside it
        ("-15.62", -0.15625, "100", "cut", "equal"),
        ("-15.63", -0.15625, "100", "cut", "differs"),
        ("0.124", 0.1245, "1", None, "equal"),  # a tie in decimals, though the float is 0.12449999...
        ("0.125", 0.1245, "1", None, "equal"),
        ("0.3", 0.1 + 0.2 + 0.05, "1", None, "equal"),  # 0.35000000000000003
        ("0.4", 0.35 - 1e-16, "1", None, "equal"),  # 0.3499999999999999
        ("29.00", 0.29, "100", "cut", "equal"),  # 100 * 0.29 as floats is 28.999999999999996
        ("55.27", 0.55268, "100", "half_up", "equal"),
        ("55.27", 0.55268, "100", "cut", "differs"),
        ("-1.2", -1.29, "1", "cut", "equal"),  # towards zero
        ("5347", 5346.6, "1", None, "equal"),  # printed without decimals
        ("0", 0.0, "1", None, "equal"),
        ("1e-05", 0.00001, "1", None, "equal"),
        ("1.2E3", 1249.0, "1", None, "equal"),  # two digits are printed
        ("1.2E3", 1250.5, "1", None, "differs"),
        # twelve digits count
        (CUT, 0.9007842791853424, "1", None, "equal"),
        (CUT, 0.9007842791857, "1", None, "equal"),  # 3.6e-13 away; half of the twelfth digit is 5e-13
        (CUT, 0.9007842791859, "1", None, "differs"),  # 5.6e-13 away
        ("123456789012345", 123456789012345, "1", None, "equal"),
    ],
)  # fmt: skip
def test_a_value_is_compared_by_the_digits_printed(
    expected: str, value: float, scale: str, rule: str | None, found: str
) -> None:
    assert verdict(expected, value, scale, rule) == found


@pytest.mark.parametrize(
    ("expected", "value", "found"),
    [
        ("-", math.nan, "equal"),
        ("-", None, "equal"),
        ("0.00", math.nan, "differs"),
        ("-", 0.0, "differs"),
        ("nan", math.nan, "differs"),
        ("#", "#", "equal"),
        ("1", "1", "equal"),  # a text is compared as a text
        ("1", True, "differs"),
        ("a", 1.0, "differs"),
        ("1e9999999", 1.0, "differs"),  # beyond all arithmetic
        ("0." + "1" * 2000, 0.1, "differs"),
    ],
)
def test_what_is_no_number(expected: str, value: object, found: str) -> None:
    assert verdict(expected, value) == found


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (83.0603, "equal"),
        (83.08, "tolerance"),
        (83.04, "tolerance"),
        (83.0800000001, "differs"),
        (83.0399, "differs"),
    ],
)
def test_the_edges_of_a_tolerance_are_within(value: float, found: str) -> None:
    assert verdict("83.06", value, within="0.02") == found


def test_the_difference_is_in_units_of_the_value() -> None:
    found = compare(Leaf(("AMU",), "38.20", 0.3814), "100", None, None)
    assert found.found == "38.14"
    # as many decimals as the exponent says
    assert (
        compare(Leaf((), "5e-4", 0.00049), "1", None, None).found == "0.00049"
    )
    assert found.difference == pytest.approx(-0.06)


def test_values_in_lists_and_mappings_are_found_by_their_keys() -> None:
    expected = {"A": ["1", "2"], "B": {"x": "3"}, "C": "4"}
    *found, missing = leaves(
        expected, {"A": [1, 2, 9], "B": {"x": 3, "y": 0}, "Z": 1}
    )
    assert [leaf[:3] for leaf in found] == [
        (("A", "1"), "1", 1),
        (("A", "2"), "2", 2),
        (("B", "x"), "3", 3),
    ]
    message = "there is no such value; there are A, B, Z"
    assert tuple(missing) == (("C",), "4", None, message)
    one, other = leaves({"A": ["1", "2"]}, {"A": [1]})
    assert (one[-1], other[-1]) == ("", "there is no such value")
    (wrong,) = leaves("1", {"A": 1})
    assert wrong[-1] == "expected one value, and there are several"


def test_an_order_is_compared_rank_by_rank() -> None:
    scores = {"A": 0.5, "B": 0.7, "C": 0.7, "D": 0.1, "E": math.nan, "x": 1.0}
    # B and C are equal
    for one in compare_order([*"CBADE"], scores):
        assert one.verdict == "equal"
    *differing, last = compare_order([*"ABCD"], scores)
    pairs = [(one.expected, one.found) for one in differing]
    assert pairs == [("A", "B"), ("B", "C"), ("C", "A")]
    assert {one.verdict for one in differing} == {"differs"}
    assert last.verdict == "equal"
    found = compare_order(["A", "none"], {"A": 1.0})
    assert [one.found for one in found] == ["A", None]


def test_verdicts_of_entries() -> None:
    equal, near, wrong = (
        compare(Leaf((), "1.00", value), "1", None, "0.01")
        for value in (1.0, 1.01, 1.02)
    )
    for values, rule, expected in (
        ([equal, equal], None, "exact"),
        ([equal], "half_up", "rounding"),
        ([equal, near], None, "tolerance"),
        ([near], "cut", "tolerance"),
        ([equal, near, wrong], None, "differs"),
        ([], None, "differs"),
    ):
        assert verdict_of(values, rule) == expected


@pytest.mark.parametrize(
    ("published", "others", "expected"),
    table("""
        exact rounding tolerance  -        tolerance
        exact differs             -        partly
        differs differs           -        differs
        -                         exact    not published
        exact                     exact    exact
        exact                     differs  partly
        differs                   exact    differs
    """),
)
def test_verdicts_of_all(published: str, others: str, expected: str) -> None:
    entries: list[Any] = []
    for text, is_published in ((published, True), (others, False)):
        verdicts = text.replace("-", "").split()
        entries += [(one, is_published) for one in verdicts]
    assert whole_verdict(entries) == expected


@pytest.mark.parametrize(
    ("found", "recorded", "worse"),
    table("""
        exact      exact          no
        exact      tolerance      no
        rounding   exact          yes
        tolerance  rounding       yes
        differs    partly         yes
        differs    differs        no
        tolerance  differs        no
        exact      not published  no
        differs    not published  yes
    """),
)
def test_what_is_worse_than_on_record(
    found: Verdict, recorded: Verdict, worse: str
) -> None:
    assert is_worse(found, recorded) is (worse == "yes")


# ---- the section `expect`

CONFIG = """\
datasets: {d: {source: s.txt, references: [r.txt, a.txt]}}
systems: {A: a.txt, B: s.txt}
metrics: ['gleu[iter=2]', 'gleu[level=mean]', length]
columns: {one: {scores: {A: 1, B: 2, C: 4}}, two: {order: [C, A, B]}}
correlations: [{of: [one], with: [two]}]
expect:
"""


@pytest.fixture(autouse=True)
def folder(cwd: Path) -> Path:
    write(
        {
            "s.txt": "a b c d e\nf g h i\n",
            "r.txt": "a b x d e\nf g h i\n",
            "a.txt": "a b z d e\nf g h i\n",
        }
    )
    return cwd


@pytest.mark.parametrize(
    ("entry", "message"),
    table("""
        {metric: gleu, values: {A: 1}}                           expect[0].metric: the config has no metric 'gleu': several are called so
        {metric: chrf, values: {A: 1}}                           expect[0].metric: the config has no metric 'chrf': there are gleu, length
        {values: {A: 1}}                                         expect[0]: which metric? Say `metric`; there are gleu, length
        {metric: length, dataset: dd, values: {A: 1}}            expect[0].dataset: no data set is called 'dd' (did you mean
        {metric: length, order: [A, C]}                          expect[0].order[1]: no system is called 'C'; there are A, B
        {path: columns/on, values: {A: 1}}                       expect[0].path: no part of columns is called 'on' (did you mean 'one'?
        {path: column/one, values: 1}                            expect[0].path: results.json has no 'column' (did you mean 'columns'?)
        {path: columns/one, metric: length, values: 1}           expect[0]: 'metric' has no effect beside 'path'
        {metric: length}                                         expect[0]: expected one of values, order, table, same, reports; found none
        {metric: length, values: {A: 1}, tolerance: 0.1}         expect[0]: a tolerance needs 'why'
        {metric: length, values: {A: 1}, tolerance: -1, why: x}  tolerance: expected a number from 0, found -1
        {metric: length, same: columns/one}                      expect[0]: 'same' needs 'path'
        {metric: length, values: {A: 1}, before: {digits: 2}}    expect[0]: 'before' has no effect without 'mean'
        {metric: length, table: {file: none.tsv}}                none.tsv: no such file
    """),
)  # fmt: skip
def test_what_is_wrong_is_told_before_work_with_its_place(
    entry: str, message: str
) -> None:
    (found, *_) = problems(CONFIG + f"  - {entry}\n")
    assert message in found
    assert found.startswith(("c.yaml:7:", "none.tsv"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("columns: {one: {scores: {A: 1}, order: [A]}}", "columns.one: expected one of metric, file, table"),
        ("columns: {one: {scores: {A: 1}, output: x}}", "columns.one: 'output' has no effect beside 'scores'"),
        ("columns: {one: {judgments: j}}", "columns.one.judgments: no section of judgments is called 'j'; there is"),
        ("columns: {one: {scores: {A: 1}}}\ncorrelations: [{of: [one], with: [tow]}]", "correlations[0].with[0]: no column is called 'tow'"),
        ("columns: {one: {scores: {A: 1}}}\nagreements: {a: {judgments: j, metric: gleu}}", "agreements.a.judgments: no section of judgments is called 'j'"),
        ("columns: {one: {table: {file: s.txt, score: 9}}}", "s.txt:2: has 4 columns; column 9 is asked for"),
        ("columns: {one: {table: {file: s.txt, where: {a: b}}}}", "s.txt: no line has 'b' in column a"),
        ("columns: {a/b: {scores: {A: 1}}}", "columns.a/b: 'a/b' cannot be a name: / parts the keys of paths"),
        (
            "columns: {a: {scores: {A: 1}}, b: {order: [A]}}\n"
            "correlations: [{of: [a], with: [b]}, {of: [a], with: [b]}]",
            "correlations[1]: a and b are correlated twice",
        ),
    ],
)  # fmt: skip
def test_configs_without_texts(text: str, message: str) -> None:
    found = problems(text + "\n")
    assert any(message in one for one in found), found


def test_validate_counts_expectations(call: Call) -> None:
    header = "segmentId,system1Id,system1rank,system2Id,system2rank\n"
    write({"j.csv": f"{header}0,A,1,B,2\n"})
    expect = "expect: [{path: judgments/j/total/items, values: 1}]\n"
    write({"c.yaml": f"judgments: {{j: {{file: j.csv}}}}\n{expect}"})
    assert call("validate c.yaml").out == (
        "judgments j: 2 systems, 1 judge, 1 pairs of systems\nentries of expect: 1\n"
    )
    out = call("run c.yaml --output o -q").out
    summary = "judgments j: Expected Wins, 1 items, 1 pairs of systems\n"
    assert out.startswith(summary)


def test_a_missed_value_ends_the_run_with_1_and_is_named(call: Call) -> None:
    """Length by hand: A and B have 5 and 4 words, mean 4.5, shown against 100."""
    entries = """\
  - {metric: length, scale: 100, values: {A: 4.5, B: 4.500}}
  - {path: correlations/one/two, values: {spearman: 0.500, mean_rank_difference: 0.67}, rounding: half_up}
  - {path: columns/one, order: [C, B, A], title: all of one}
  - {metric: 'gleu[level=mean]', sentences: [2], scale: 100, values: {A: [100.00], B: [100.00]}}
  - {metric: length, mean: [A, B], before: {digits: 0, rule: cut}, scale: 100, values: 4}
"""
    write({"c.yaml": CONFIG + entries})
    out = call("run c.yaml --output o -q").out
    assert "all of one" in out
    assert "missed" not in out
    found = Results.read(Path("o/results.json")).expectations
    assert found
    verdicts = [entry["verdict"] for entry in found["entries"]]
    assert verdicts == ["exact", "rounding", "exact", "exact", "exact"]
    assert (found["verdict"], found["missed"]) == ("rounding", [])
    assert found["recorded"] is None
    write({"c.yaml": CONFIG + entries.replace("B: 4.500", "B: 4.501")})
    out = call("run c.yaml --output o -q", code=1).out
    message = "missed: 1. length: B: expected 4.501, found 4.500"
    assert out.splitlines()[-1] == message
    assert "missed: 1. length" in call("show o").out


def test_values_that_only_the_results_can_refuse(call: Call) -> None:
    entries = """\
  - {metric: length, output: wrong, values: {A: 1}}
  - {path: correlations/one/tow/pearson, values: 1}
  - {metric: length, output: samples.std, values: {A: -}}
  - {metric: 'gleu[level=mean]', sentences: [9], values: {A: [1]}}
"""
    write({"c.yaml": CONFIG + entries})
    lines = call("run c.yaml --output o -q", code=1).out.splitlines()
    missed = [line for line in lines if line.startswith("missed")]
    # a score without draws has no deviation
    for line, message in zip(
        missed,
        (
            "length has no output 'wrong'; there are length, score, rank",
            "there is no 'tow' in 'correlations/one'; there are two",
            "line 9 is beyond the end: there are 2 lines",
        ),
        strict=True,
    ):
        assert message in line


def test_a_recorded_difference_is_no_miss(call: Call) -> None:
    entry = "  - {metric: length, values: {A: 9.0}, recorded: differs, why: not known}\n"
    write({"c.yaml": CONFIG + entry})
    assert "differs (as recorded)" in call("run c.yaml --output o -q").out


def test_values_of_a_file_and_of_another_path() -> None:
    rows = "m\tA\t1\t0.05\nm\tA\t2\t0.04\nx\tA\t1\t9\nm\tB\t1\t0.05\nm\tB\t2\t0.05\n"
    write({"t.tsv": rows})
    entries = """\
  - {metric: length, sentences: all, table: {file: t.tsv, system: 2, sentence: 3, score: 4, where: {1: m}}}
  - {path: columns/one, same: columns/one}
  - {path: columns/one, same: columns/two}
"""
    found = run(CONFIG + entries)["entries"]
    verdicts = [entry["verdict"] for entry in found]
    assert verdicts == ["differs", "exact", "differs"]
    wrong = [
        (one["place"], one["expected"], one["found"])
        for one in found[0]["compared"]
        if one["verdict"] != "equal"
    ]
    assert wrong == [("B/2", "0.05", "0.04")]


def run(text: str) -> dict[str, Any]:
    found = stages.run(prepare(text), "o")[1].expectations
    assert found
    return found


def test_expectations_are_left_out_where_only_a_part_runs(
    tmp_path: Path,
) -> None:
    config = write_run(tmp_path, 5, expect=[{"order": ["A", "B"]}])
    job = stages.prepare(config, overrides=Overrides((), ("A",)))
    assert (
        "nothing is compared with what is expected where --only chooses"
        in job.warnings
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", "t.tsv: has no lines"),
        ("m\tA\n", "t.tsv:1: has 2 columns; column 3 is asked for"),
        ("m\tA\tx\n", "t.tsv:1: expected a score, a number, found 'x'"),
        ("m\tA\t1\nm\tA\t2\n", "t.tsv:2: system 'A' comes twice (first at t.tsv:1)"),
        ("x\tA\t1\n", "t.tsv: no line has 'm' in column 1"),
    ],
)  # fmt: skip
def test_files_of_columns_that_cannot_be_read(data: str, message: str) -> None:
    write({"t.tsv": data})
    with pytest.raises(CorpusError) as caught:
        cells_of(filtered(read_records(Path("t.tsv")), {"1": "m"}), "2", "3")
    assert str(caught.value) == message


JUDGED = "segmentId,system1Id,system1rank,system2Id,system2rank\n0,A,1,B,2\n5,A,2,B,1\n"


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("columns: {c: {scores: {A: 1, B: 2}, rename: {A: B}}}", "c: two systems would have the same name"),
        ("columns: {c: {scores: {A: 1, B: 2}}}\ncorrelations: [{of: [c], with: [c], without: [X]}]", "correlations: without: no column has a system 'X'"),
        ("columns: {c: {scores: {A: 1}}}\nagreements: {a: {judgments: j, table: {file: t.tsv, sentence: 3}}}", "a: agreements: the table has no score of B for the judged sentence 5"),
        ("columns: {c: {scores: {A: 1}}}\nagreements: {a: {judgments: j, table: {file: u.tsv, sentence: 3}}}", "a: agreements: the table has no score of the judged sentence 5"),
    ],
)  # fmt: skip
def test_what_cannot_be_made_is_told_and_the_rest_is_kept(
    text: str, note: str
) -> None:
    write(
        {
            "j.csv": JUDGED,
            "t.tsv": "A\t1\t0\nB\t2\t0\nA\t1\t5\n",
            "u.tsv": "A\t1\t0\nB\t2\t0\n",
        }
    )
    found = stages.run(
        prepare(f"judgments: {{j: {{file: j.csv}}}}\n{text}\n"), "o"
    )[1]
    assert any(warning.startswith(note) for warning in found.warnings)
    assert found.judgments


def test_a_correlation_of_one_system_is_none() -> None:
    text = "columns: {a: {scores: {A: 1}}, b: {scores: {A: 1, B: 2}}}\ncorrelations: [{of: [a], with: [b]}]\nexpect:\n"
    found = run(
        text
        + "  - {path: correlations/a/b, values: {systems: 1, pearson: -, mean_rank_difference: -}}\n"
    )
    assert found["verdict"] == "exact"


def test_outputs_of_the_chosen_lines_alone() -> None:
    """The same scores, whether outputs have all lines or only those of `keep`."""
    write({"k.txt": "f g h i\n"})
    entry = "  - {metric: length, values: {A: 0.04, B: 0.04}}\n"
    every = CONFIG.replace("a.txt]}", "a.txt], keep: [2]}") + entry
    chosen = every.replace("keep: [2]}", "keep: [2], outputs: kept}").replace(
        "{A: a.txt, B: s.txt}", "{A: k.txt, B: k.txt}"
    )
    assert run(every)["verdict"] == run(chosen)["verdict"] == "exact"
    found = problems(chosen.replace("[2], outputs", "[1-2], outputs"))
    assert "the texts have different numbers of lines" in found[0]
    idle = CONFIG.replace("a.txt]}", "a.txt], outputs: kept}") + entry
    assert "outputs: has no effect without keep or drop" in problems(idle)[0]


def test_brackets_of_the_penn_treebank() -> None:
    assert (
        brackets(b"a -LRB- b -rrb- -lsb- -RSB- -lcb c-lrb- -")
        == b"a ( b ) [ ] { c-lrb- -"
    )
    write(
        {
            "s.txt": "a -LRB- b -RRB- c\nd\n",
            "r.txt": "a ( b ) c\nd\n",
            "a.txt": "a -lrb- b -rrb- c\nd\n",
        }
    )
    text = "datasets: {d: {references: [r.txt], replace: ptb_brackets}}\nsystems: {A: a.txt}\nmetrics: [bleu]\nexpect:\n"
    assert run(text + "  - {values: {A: 1.000}}\n")["verdict"] == "exact"
    without = text.replace(", replace: ptb_brackets", "")
    assert run(without + "  - {values: {A: 1.000}}\n")["verdict"] == "differs"


# ---- reports of m2scorer -v

GOLD = """\
S a b c
A 0 1|||X|||x|||REQUIRED|||-NONE-|||0
A 1 2|||X|||y|||REQUIRED|||-NONE-|||1

S d e
A 0 1|||X|||z|||REQUIRED|||-NONE-|||0

"""
REPORT = """\
>> Annotator: 0
SOURCE        : a b c
# correct     : 0
# proposed    : 1
# gold        : 1
-------------------------------------------
>> Annotator: 1
# correct     : 1
# proposed    : 1
# gold        : 1
-------------------------------------------
>> Chosen Annotator for line 1 : 1

>> Annotator: 0
# correct     : 1
# proposed    : 1
# gold        : 2
>> Chosen Annotator for line 2 : 0
Precision   : 1.0
"""
"""By hand: the output is a y c, d e. So it has the edit of annotator 1, and none in the second
sentence."""
REPORTS = "datasets: {d: {gold: g.m2}}\nsystems: {A: o.txt}\nmetrics: [m2]\nexpect:\n  - reports: {A: r.txt}\n"


def test_the_counts_of_each_sentence_with_each_annotator() -> None:
    write({"g.m2": GOLD, "o.txt": "a y c\nd e\n"})

    def entry(old: str, new: str) -> dict[str, Any]:
        write({"r.txt": REPORT.replace(old, new)})
        (found,) = run(REPORTS)["entries"]
        return found  # type: ignore[no-any-return]

    found = entry("", "")
    assert (found["verdict"], found["values"]) == ("exact", 11)
    found = entry("line 1 : 1", "line 1 : 0")
    assert (found["title"], found["verdict"]) == ("m2 reports", "differs")
    assert found["equal"] == 10
    first = ">> Annotator: 0\n# correct"
    found = entry(first, first.replace("0", "2"))
    assert found["message"] == "there is no such value; there are 0, taken"


@pytest.mark.parametrize(
    ("report", "message"),
    [
        ("Precision   : 1.0\n", "r.txt: is no report of `m2scorer -v`: it has no '>> Chosen Annotator for line'"),
        ("# gold : 1\n", "r.txt:1: has a count, and no annotator stands before it"),
        (">> Chosen Annotator for line 1 : 0\n", "r.txt:1: has a chosen annotator, and no counts before it"),
    ],
)  # fmt: skip
def test_wrong_reports_are_refused(report: str, message: str) -> None:
    write({"g.m2": GOLD, "o.txt": "a y c\nd e\n", "r.txt": report})
    assert message in problems(REPORTS)
    write({"r.txt": REPORT})
    config = REPORTS.replace("{A: r.txt}", "{B: r.txt}")
    assert "no system is called 'B'" in problems(config)[0]
    message = "'output' has no effect beside 'reports'"
    assert message in problems(f"{REPORTS}    output: gold\n")[0]


def test_a_metric_without_counts_of_annotators_has_no_report() -> None:
    write({"report.txt": REPORT})
    entries = "  - {metric: length, reports: {A: report.txt}}\n"
    (entry,) = run(CONFIG + entries)["entries"]
    assert entry["verdict"] == "differs"
    message = "length has no counts for each annotator, as reports have them"
    assert entry["message"] == message


def test_what_nobody_could_run_is_never_missed() -> None:
    """The verdict is found, and nothing is worse than the record."""
    entry = "  - {metric: length, values: {A: 999}}\n"
    recorded = "publication: {what: a table, verdict: %s}\n"
    found = run(CONFIG + entry + recorded % "not run")
    assert (found["verdict"], found["missed"]) == ("differs", [])
    assert found["recorded"] == found["entries"][0]["recorded"] == "not run"
    assert run(CONFIG + entry + recorded % "exact")["missed"] == [1]


def test_the_order_of_systems_decides_which_one_is_later_in_a_tie() -> None:
    """People prefer A in both sentences, and the metric ties the systems: right where A is the
    later one."""
    write(
        {
            "j.csv": JUDGED.replace("5,A,2,B,1", "5,A,1,B,2"),
            "t.tsv": "A\t1\t0\nB\t1\t0\nA\t2\t5\nB\t2\t5\n",
        }
    )
    text = "judgments: {j: {file: j.csv}}\nagreements: {a: {judgments: j, table: {file: t.tsv, sentence: 3}%s}}\n"
    for order, right in (
        (", order: [B, A]", 1),
        (", order: [A, B]", 0),
        ("", 0),
    ):
        expect = f"expect: [{{path: agreements/a/accuracy, values: {right}}}]\n"
        assert run(text % order + expect)["verdict"] == "exact"
    found = stages.run(prepare(text % ", order: [A, C]"), "o")[1]
    assert "a: order: expected each of A, B once" in found.warnings
    assert (
        "'order' has no effect with 'ties: half'"
        in problems(text % ", order: [A, B], ties: half")[0]
    )
