"""Reports: golden tables, what renderers make of them, numbers read back, and that names stay text
everywhere.
"""

from __future__ import annotations

import csv
import html
import io
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.cells import cell_len

from pipeline._version import __version__
from pipeline.errors import printable
from pipeline.execution.options import Missing
from pipeline.reopen import chosen, revisit
from pipeline.report import FORMATS, latex, markdown
from pipeline.report.console import print_results
from pipeline.report.context import ReportContext
from pipeline.report.csv_files import human_to_csv
from pipeline.report.documents import Cell, document_tables
from pipeline.report.latex import latex_files
from pipeline.report.markdown import markdown_files
from pipeline.report.tables import groups
from pipeline.scoring.stored_runs import Selection
from tests.conftest import (
    ROOT,
    RunLine,
    printed,
    read_json,
    run,
    write_config,
    write_json,
    write_run,
)
from tests.oracles import naive
from tests.support.extensions import with_extension
from tests.support.programs import program
from tests.support.results_schema import results_schema
from tests.support.sample_results import HOSTILE, context
from tests.support.terminal import on_terminal

GOLDEN = ROOT / "tests" / "report" / "reports"
NASTY = [
    *HOSTILE,
    "[x]",
    "*x*",
    "--opt",
    "a,,b",
    "?`!`",
    "\"o 'q'",
    "#1",
    "- x",
    "1. x",
    "a|b",
    "~~x~~",
    "@you",
    "~",
    "",
]
NASTY += [
    ":smile:",
    "http://x.org",
    "www.x.org",
    "\\input{x}",
    "\\",
    "100%",
    "`",
    "``",
    "_x_",
    "a  b",
    "![x](y)",
    "{{x}}",
]


@pytest.fixture(scope="module")
def sampled(sample: Path) -> ReportContext:
    return revisit(sample)


# ---- golden tables


@pytest.mark.parametrize("name", ["run", "pairs"])
@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_tables_are_the_golden_ones(sample: Path, name: str, form: str) -> None:
    """The numbers of the golden files are those of results.json by the test below; they were looked
    at once.
    """
    (file, text), *signatures = (
        FORMATS[form].files(revisit(sample.parent / name)).items()
    )
    assert [more for more, _ in signatures] == (
        ["signatures.tex"] if form == "latex" else []
    )
    assert isinstance(text, str)
    golden = GOLDEN / f"{name}{Path(file).suffix}"
    assert text.replace(f"v:{__version__}", "v:VERSION") == golden.read_text(
        "utf-8"
    )


def cells(text: str) -> list[list[list[str]]]:
    """Return the tables of Markdown, as a plain reader splits them."""
    tables: list[list[list[str]]] = [[]]
    for line in text.splitlines():
        if line.startswith("|"):
            tables[-1].append(
                [cell.strip() for cell in line.strip("|").split("|")]
            )
        elif tables[-1]:
            tables.append([])
    return [table for table in tables if table]


def test_numbers_of_the_tables_are_those_of_the_results(
    sampled: ReportContext,
) -> None:
    overview, *ranked = cells(str(markdown_files(sampled)["results.md"]))
    items = {
        (score.system, score.metric.partition("|")[0]): score
        for score in sampled.results.scores
    }
    assert overview[0] == ["system", "GLEU+ ± 95%", "BLEU ± 95%"]
    for called_so, *values in overview[2:]:
        system = called_so.removesuffix(" <sup>†</sup>")
        assert (system == "unchanged") == (system != called_so)
        for name, cell in zip(("gleu", "bleu"), values, strict=True):
            score = items[system, name]
            assert score.bootstrap
            displayed = naive.round_half_up(100 * score.score, 2)
            best = score.rank == 1
            test = [
                t
                for t in sampled.results.tests
                if (t.system, t.metric) == (system, score.metric)
            ]
            mark = (
                ""
                if not test or test[0].p_adjusted >= 0.05
                else "\u00a0↑"
                if test[0].difference > 0
                else "\u00a0↓"
            )
            low, high = score.bootstrap.interval
            spread = naive.round_half_up(100 * (high - low) / 2, 2)
            assert (
                cell
                == f"{f'**{displayed}**' if best else displayed}\u00a0±\u00a0{spread}{mark}"
            )
    assert [table[0][2] for table in ranked[:2]] == ["GLEU+", "BLEU"]
    assert [row[1] for row in ranked[0][2:]] == [
        "careful",
        "eager",
        "unchanged",
        "broken",
    ]


def test_equal_scores_are_all_bold() -> None:
    twice = context(["A", "B", "C"])
    scores = twice.results.scores
    same = [
        scores[0],
        replace(scores[1], score=scores[0].score - 1e-9),
        scores[2],
    ]
    text = str(
        markdown_files(
            replace(twice, results=replace(twice.results, scores=same))
        )["results.md"]
    )
    assert text.count("**60.00**") == 2


# ---- what renderers make of them


def drawn(text: str) -> tuple[list[str], set[str]]:
    """Return the text of every td and th of Markdown, and every tag, as a renderer makes them."""
    page = (
        MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    )
    cells = re.findall("<t[dh](?: [^>]*)?>(.*?)</t[dh]>", page, re.DOTALL)
    return [html.unescape(re.sub("<[^>]*>", "", cell)) for cell in cells], set(
        re.findall("<([a-z]+)", page)
    )


TAGS = {
    "p",
    "strong",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "ul",
    "li",
    "code",
    "sup",
}


def test_hostile_names_are_text_in_markdown() -> None:
    displayed, tags = drawn(str(markdown_files(context(NASTY))["results.md"]))
    assert tags <= TAGS
    for name in NASTY:
        plain = " ".join(
            name.replace("\x1b", "\\x1b")
            .replace("\u202e", "\\u202e")
            .split(" ")
        ).strip()
        assert plain in displayed, name


@given(
    text=st.text(
        st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12
    )
)
def test_any_text_is_itself_in_markdown(text: str) -> None:
    displayed = printable(text.replace("\n", " "))
    found, _ = drawn(f"| a | b |\n| - | - |\n| {markdown.escape(text)} | x |")
    assert found == ["a", "b", displayed.strip(" "), "x"]
    assert (
        drawn(
            f"| a |\n| - |\n| {markdown.code(displayed).replace('|', chr(92) + '|')} |"
        )[0][1:]
        != []
    )
    line = MarkdownIt("commonmark").render(markdown.paragraph(text))
    assert re.fullmatch("(?s)(<p>.*</p>\n)?", line)
    assert not re.search("<(?!/?p>)", line)


def test_latex_leaves_no_sign_that_means_something() -> None:
    for name in NASTY:
        text = latex.escape(name)
        bare = re.sub(
            r"\\[A-Za-z]+[0-9]*(\{\})?|\\[{}$&#%_]|\$\\?[a-z]+\$|\{[\[\]*]\}|[-,]\\kern0pt\{\}",
            "",
            text,
        )
        assert not set(bare) & set("\\{}$&#%_^~<>|\"`'[]*"), (name, text, bare)
        assert "--" not in text
    assert latex.escape("a_b & 50% of $x^2~{#}\\") == (
        r"a\_b \& 50\% of \$x\textasciicircum{}2\textasciitilde{}\{\#\}\textbackslash{}"
    )


def compiled(folder: Path, engine: str, content: str) -> tuple[int, str]:
    """Compile a document with the packages that our tables ask for; return the exit code and what
    was said.
    """
    fonts = r"\usepackage[T1]{fontenc}" if engine == "pdflatex" else ""
    head = rf"\documentclass[twocolumn]{{article}}{fonts}\usepackage{{booktabs,graphicx}}"
    (folder / "main.tex").write_text(
        rf"{head}\begin{{document}}{content}\end{{document}}", "utf-8"
    )
    command = [
        engine,
        "-interaction=nonstopmode",
        "-halt-on-error",
        "-no-shell-escape",
        "main.tex",
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return done.returncode, done.stdout.decode("latin-1")


def test_a_table_that_is_wider_than_a_column_stands_over_both() -> None:
    narrow, *_ = document_tables(context(["A", "B"]))
    wide = replace(
        narrow, header=[*narrow.header, *("column" for _ in range(9))]
    )
    wide = replace(
        wide,
        rows=[
            [*row, *(Cell("12.34") for _ in range(9))] for row in narrow.rows
        ],
    )
    narrow = replace(
        narrow, header=narrow.header[:3], rows=[row[:3] for row in narrow.rows]
    )
    for document_table, kind in ((narrow, "table"), (wide, "table*")):
        text = latex.table(document_table)
        assert re.findall(r"\\(?:begin|end)\{(table\*?)\}", text) == [
            kind,
            kind,
        ]


def test_signatures_stand_once_in_a_file_of_their_own(
    sampled: ReportContext,
) -> None:
    files = latex_files(sampled)
    signatures = {score.metric for score in sampled.results.scores}
    assert len(signatures) == 2
    for signature in map(latex.escape, signatures):
        assert (
            files["signatures.tex"].replace(r"\allowbreak", "").count(signature)
            == 1
        )
        assert signature not in files["results.tex"].replace(r"\allowbreak", "")


@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
def test_latex_compiles(
    tmp_path: Path, sampled: ReportContext, engine: str
) -> None:
    if not shutil.which(engine):
        pytest.skip(f"{engine} is not installed")
    if compiled(
        tmp_path, engine, r"a \textbf{b} \textit{c} \texttt{d} $\beta^2$"
    )[0]:
        pytest.skip(
            f"{engine} has not the fonts and packages of a plain document"
        )
    names = [name for name in NASTY if name.isascii() or engine == "lualatex"]
    texts = [
        str(latex_files(created)["results.tex"])
        for created in (sampled, context(names), context(names, names[0]))
    ]
    (tmp_path / "results.tex").write_text("\n".join(texts), "utf-8")
    (tmp_path / "signatures.tex").write_text(
        str(latex_files(sampled)["signatures.tex"]), "utf-8"
    )
    code, result = compiled(
        tmp_path, engine, r"\input{results}\clearpage\input{signatures}"
    )
    assert code == 0, result[-2000:]
    assert "Overfull" not in result
    if shutil.which("pdftotext"):
        pdf = subprocess.run(
            ["pdftotext", "-layout", "main.pdf", "-"],
            cwd=tmp_path,
            capture_output=True,
            check=True,
        )
        printed = pdf.stdout.decode("utf-8")
        for name in (
            "a_b^c$x$",
            "<script>",
            "&amp;",
            "[x]",
            "*x*",
            "--opt",
            "a|b",
            "\\input{x}",
            "100%",
            "{{x}}",
        ):
            assert name in printed, name


# ---- the terminal


@pytest.mark.parametrize("width", [40, 60, 80, 120, 300])
@pytest.mark.parametrize("baseline", [None, "B"])
def test_the_ranked_table_fits(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    width: int,
    baseline: str | None,
) -> None:
    names = [
        "A",
        "B",
        "a name that is far too long for any table of this width, whatever its columns",
        "日本" * 30,
    ]
    created = context(names, baseline)
    on_terminal(monkeypatch, width, "dumb")
    for scores in (created.results.scores, created.results.scores[:2]):
        tests = [
            test
            for test in created.results.tests
            if {test.system, test.other} <= {s.system for s in scores}
        ]
        results = replace(
            created.results, scores=scores, tests=tests, human=None
        )
        print_results(results, 2)
        lines = (
            capsys.readouterr()
            .out.split(f"{scores[0].metric}\n")[0]
            .splitlines()
        )
        hint = next(
            (n for n, line in enumerate(lines) if line.startswith("(")),
            len(lines),
        )
        table = lines[:hint]
        assert max(map(cell_len, table)) <= width
        # the best has its row, on one line
        assert sum("60.00" in line for line in lines) == 1
        assert len(
            [line for line in table if re.match(" +[1-4] ", line)]
        ) == len(scores)
        # with that below the header
        rules = len(
            {score.bootstrap.cluster for score in scores if score.bootstrap}
        )
        assert len([line for line in table if line.startswith(" ─")]) == rules
        group = groups(results)[0]
        reported = "".join(lines)
        titles = group.ranked_table(2)[0]
        titles[2] = group.output
        assert all(
            word in reported
            for title in titles
            for word in title.removeprefix("95% ").split()
        )
        assert width < 300 or hint == len(lines)


TWO_GLEUS = ["gleu[iter=3]", "gleu[refs=max]", "green"]


@pytest.fixture(scope="module")
def two_gleus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gleus")
    run(write_run(folder, 9, chosen=TWO_GLEUS), folder / "run")
    return folder / "run"


@pytest.mark.parametrize("width", [40, 80, 120, None])
def test_tables_are_headed_by_what_differs(
    monkeypatch: pytest.MonkeyPatch,
    run_line: RunLine,
    two_gleus: Path,
    width: int | None,
) -> None:
    """Before, two tables of gleu were told apart by the signature below them alone."""
    if width:
        on_terminal(monkeypatch, width)
    about = "d: 9 lines, 2 references"
    expected = [
        f"{about}; GLEU+ (refs:sample)",
        f"{about}; GLEU+ (refs:max)",
        about,
    ]
    for line in (f"show {two_gleus} --boards", f"rank {two_gleus} --test none"):
        words = " ".join(run_line(line).out.split())
        assert [words.count(heading) for heading in expected] == [1, 1, 3]
        markdown = run_line(f"report {two_gleus} --format markdown")[1]
        names = ("GLEU+ (refs:sample)", "GLEU+ (refs:max)", "GREEN")
        assert all(f"**{about}; {name}**" in markdown for name in names)
    compared = run_line(f"compare {two_gleus} --resamples 50 --trials 50")[1]
    assert [line for line in compared.splitlines() if line.startswith("d  ")][
        :2
    ] == [
        "d  GLEU+ (refs:sample)",
        "d  GLEU+ (refs:max)",
    ]
    assert run_line(f"show {two_gleus} --metric green")[1].startswith(
        f"{about}\n"
    )


def test_piped_tables_have_every_standard_column(
    run_line: RunLine, sample: Path
) -> None:
    code, out, _ = run_line(f"show {sample} --metric gleu")
    header = " ".join(out.splitlines()[1].split())
    assert code == 0
    assert header == (
        "rank system GLEU+ 95% interval against unchanged p adjusted ranks cluster std of draws 95% of draws"
    )
    assert "\x1b" not in out


# ---- Parquet, CSV, JSON


def test_hostile_names_are_text_in_csv_and_parquet() -> None:
    rows = list(
        csv.reader(
            io.StringIO(human_to_csv(context(["=cmd|'x'!A0", "B"]).results))
        )
    )
    assert rows[1] == [
        "d",
        "gleu|n:4|refs:max",
        "people",
        "2",
        "pearson",
        "0.5",
        "0.1",
        "0.9",
    ]
    results = context(["=1+1", "@x"]).results
    assert results.human
    correlation = {**results.human["correlations"][0], "human": "=1"}
    bad = replace(results, human={"correlations": [correlation]})
    assert list(csv.reader(io.StringIO(human_to_csv(bad))))[1][2] == "'=1"


def test_results_fit_their_schema(sample: Path, tmp_path: Path) -> None:
    schema = results_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    check = jsonschema.Draft202012Validator(schema)
    bare = write_run(tmp_path, 5, references=1)
    run(bare, tmp_path / "run")
    for path in (sample, sample.parent / "pairs", tmp_path / "run"):
        check.validate(read_json(path / "results.json"))
    content = read_json(sample / "results.json")
    for wrong in (
        {"schema": 2},
        {"new": 1},
        {"scores": None},
        {"scores": [{**content["scores"][0], "new": 1}]},
    ):
        assert not check.is_valid(content | wrong)
    content["scores"][0]["score"] = "high"
    assert not check.is_valid(content)


# ---- the command, and `formats` of a config


def test_what_a_config_asks_for_is_what_the_command_writes(
    tmp_path: Path, run_line: RunLine
) -> None:
    plots = with_extension("plots", "scores", "ranks")
    output: dict[str, Any] = {"formats": list(FORMATS)}
    expected = {"results.json", "scores.csv", "results.md", "results.tex"}
    if "parquet" in FORMATS:
        expected.add("sentences.parquet")
    if plots:
        output |= {"plots": plots, "plot_type": "svg"}
        expected |= {"scores.d.gleu.svg", "ranks.d.gleu.svg"}
    statistics = {"resamples": 20}
    chosen = ["gleu[iter=5]"]
    run(
        write_run(
            tmp_path, 9, chosen=chosen, statistics=statistics, output=output
        ),
        tmp_path / "run",
    )
    out = tmp_path / "out"
    line = f"report {tmp_path}/run --output {out} --format"
    assert run_line(line, *FORMATS).code == 0
    written = {path.name: path.read_bytes() for path in out.iterdir()}
    assert expected <= set(written)
    for name, content in written.items():
        assert (tmp_path / "run" / name).read_bytes() == content, name


def test_tables_are_printed(
    sample: Path, run_line: RunLine, sampled: ReportContext
) -> None:
    assert run_line(f"report {sample} --format markdown") == (
        0,
        markdown_files(sampled)["results.md"],
        "",
    )
    code, out, err = run_line(f"report {sample} --format csv --metric bleu")
    assert (code, err) == (
        0,
        "printed: scores.csv; there is more, --output DIR writes it: tests.csv\n",
    )
    assert {
        row[2][:4] for row in csv.reader(io.StringIO(out)) if row[2] != "metric"
    } == {"bleu"}
    out = run_line(f"report {sample} --format latex --metric gleu --digits 1")[
        1
    ]
    best = next(
        s
        for s in sampled.results.scores
        if s.rank == 1 and s.metric.startswith("gleu")
    )
    assert rf"\textbf{{{naive.round_half_up(100 * best.score, 1)}}}" in out
    assert "bleu" not in out


def test_tables_need_no_texts(tmp_path: Path, run_line: RunLine) -> None:
    config = write_run(tmp_path, 9, output={"digits": 4})
    run(config, tmp_path / "run")
    with_texts = revisit(tmp_path / "run")
    shutil.rmtree(tmp_path / "d")
    config.unlink()
    without = revisit(tmp_path / "run", texts=False)
    assert (
        (without.digits, without.unread)
        == (with_texts.digits, "were not asked for")
        == (4, "were not asked for")
    )
    code, out, err = run_line(f"report {tmp_path}/run --format markdown")
    assert (code, out, err) == (0, markdown_files(with_texts)["results.md"], "")


@pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="there is no /dev/full here"
)
def test_a_full_disk_behind_standard_output_is_told(sample: Path) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = program("show", str(sample), cwd=sample, stdout=full)
    assert done.returncode == 2
    assert done.stderr.endswith(
        "error: standard output cannot be written: No space left on device\n"
    )
    assert "Traceback" not in done.stderr


def test_a_choice_keeps_what_belongs_to_it(sampled: ReportContext) -> None:
    fewer = chosen(sampled, Selection(["bleu"], ["sample"])).results
    assert (
        {score.metric[:4] for score in fewer.scores}
        == {test.metric[:4] for test in fewer.tests}
        == {"bleu"}
    )


# ---- runs with more than scores, with less, and with neither plots nor texts


def test_systems_without_scores_are_told_below_the_tables(
    sampled: ReportContext,
) -> None:
    lost = Missing("sample", "gone", 3, 4)
    created = replace(sampled, results=replace(sampled.results, missing=[lost]))
    for document_table in [
        document_table
        for document_table in document_tables(created)
        if document_table.name.startswith("sample")
    ]:
        assert (
            document_table.notes[0]
            == "Incomplete: sample: gone has no scores: lines 3 to 4 could not be counted."
        )


def test_one_line_is_no_lines(tmp_path: Path, run_line: RunLine) -> None:
    run(write_run(tmp_path, 1, references=1), tmp_path / "run")
    for arguments in (
        ["show", tmp_path / "run"],
        ["report", tmp_path / "run", "--format", "markdown"],
    ):
        assert "d: 1 line, 1 reference" in run_line(*arguments)[1]


def test_the_best_system_is_bold_and_no_reference(
    tmp_path: Path, run_line: RunLine
) -> None:
    (tmp_path / "d").mkdir()
    lines = {
        "source": "a b c d e f g",
        "ref0": "a x c d e f g",
        "ref1": "a x c d e f g h",
    }
    lines |= {"A": "a x c d e q g", "B": "q r s t u"}
    for name, line in lines.items():
        (tmp_path / "d" / name).write_text(f"{line}\n" * 9, "utf-8")
    chosen = ["gleu[refs=leave_one_out]"]
    run(write_config(tmp_path / "c.yaml", chosen=chosen), tmp_path / "run")
    _, _, *rows = cells(
        run_line(f"report {tmp_path}/run --format markdown")[1]
    )[0]
    bold = {row[1] for row in rows if "**" in row[2]}
    assert rows[0][1].startswith("ref")
    assert bold == {"A"}
    if "html" in FORMATS:
        page = str(
            FORMATS["html"].files(revisit(tmp_path / "run"))["report.html"]
        )
        assert len(re.findall('<tr class="best">', page)) == 1


def test_results_of_a_run_before_are_called_so(
    tmp_path: Path, run_line: RunLine
) -> None:
    run(write_run(tmp_path, 3), tmp_path / "run")
    assert "an earlier run" not in run_line(f"show {tmp_path}/run")[2]
    manifest = read_json(tmp_path / "run" / "run.json")
    write_json(tmp_path / "run" / "run.json", manifest | {"state": "running"})
    code, out, err = run_line(f"show {tmp_path}/run")
    assert (code, "gleu" in out) == (0, True)
    assert (
        "warning: the run was not finished, or still goes on: these are the results of an earlier run\n"
        in err
    )


def test_the_interval_over_draws_is_shown_within_0_and_100(
    tmp_path: Path, run_line: RunLine
) -> None:
    """One reference is met and the other is not: the mean is near 50, and 1.96 deviations are more
    than 50.
    """
    for name, text in {
        "s": "a b c d x",
        "r0": "a b c d e",
        "r1": "f g h i j",
        "o": "a b c d e",
    }.items():
        (tmp_path / name).write_text(f"{text}\n", "utf-8")
    paths = {name: str(tmp_path / name) for name in ("s", "r0", "r1", "o")}
    config = f"""
datasets: {{d: {{source: {paths["s"]}, references: [{paths["r0"]}, {paths["r1"]}]}}}}
systems: {{A: {paths["o"]}}}
metrics: [gleu]
output: {{dir: {tmp_path / "run"}, formats: [{", ".join(FORMATS)}]}}
"""
    (tmp_path / "c.yaml").write_text(config, "utf-8")
    assert "0.00 to 100.00" in printed(run_line(f"run {tmp_path}/c.yaml -q"))
    low, high = read_json(tmp_path / "run" / "results.json")["scores"][0][
        "samples"
    ]["interval"]
    # the number stays what the original program prints
    assert (low < 0, high > 1) == (True, True)
    with_intervals = ["results.md"]
    if "html" in FORMATS:
        with_intervals.append("report.html")
    for name in with_intervals:
        assert "0.00 to 100.00" in (tmp_path / "run" / name).read_text("utf-8")
