"""Metrics of users: lines left out wherever lines are shown or joined, numbers as files, and what
is tried before.
"""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pipeline
from pipeline.extensions.human.judgments import read_judgments
from pipeline.extensions.human.meta_evaluation import (
    judged_scores,
    sentence_level,
    sentence_pairs,
)
from pipeline.extensions.human.score_files import metric_scores
from pipeline.extensions.human.trueskill import skills
from pipeline.extensions.page.explorer import explorer, telling
from pipeline.extensions.plots.plot_data import score_rows
from pipeline.reopen import revisit
from pipeline.report import FORMATS
from pipeline.report.tables.ranked import groups
from pipeline.scoring.terms import ByLine
from tests.extensions.functions.plugin_page import OUTPUTS, REFERENCES, SOURCE
from tests.extensions.page.test_page import unlettered
from tests.support.commands import Command, typed
from tests.support.extensions import needs
from tests.support.numbers import near

SOME = """
import pipeline

@pipeline.metric(version="1", names=("few", "words"), none="skip")
def few(outputs):
    "Words of an output; none where it has the word the and a multiple of 4 words."
    sizes = [len(o.split()) for o in outputs]
    return [None if "the" in o.split() and not n % 4 else (n / 100, n) for o, n in zip(outputs, sizes)]
"""
CONFIG = """
datasets: {sample: {source: data/source.txt, references: [data/reference0.txt]}}
systems: [data/systems/*.txt]
metrics: [%s]
statistics: {resamples: 50, trials: 50%s}
output: {dir: %s}
"""


def left_out(*systems: list[str]) -> list[int]:
    """Return the lines, from 0, for which `few` has no number for one of the systems."""
    return [
        line
        for line, outputs in enumerate(zip(*systems, strict=True))
        if any(
            "the" in text.split() and len(text.split()) % 4 == 0
            for text in outputs
        )
    ]


GONE = left_out(*OUTPUTS.values())


def run(
    folder: Path,
    metrics: str = "few, chrf",
    out: str = "runs/few",
    statistics: str = "",
) -> Path:
    """Run a config with `few`."""
    (folder / "few.py").write_text(SOME)
    (folder / "few.yaml").write_text(CONFIG % (metrics, statistics, out))
    line = "run few.yaml --plugin few.py -q"
    for name in ("kept", "coded"):
        if name in metrics:
            line += f" --plugin {name}.py"
    assert typed(line) == 0
    return folder / out


class Blocks:
    """Blocks of a column with the numbers 0, 1, 2 ..., of these sizes."""

    def __init__(self, sizes: list[int]) -> None:
        self.sizes = sizes

    def blocks(self) -> Iterator[dict[str, Any]]:
        """Yield them."""
        first = 0
        for size in self.sizes:
            yield {"value": np.arange(first, first + size, dtype=np.float64)}
            first += size


@pytest.mark.parametrize(
    "gone",
    [[], [0], [0, 1], [2], [3], [4, 5], [7], [6, 7], [0, 2, 3, 5, 7], [1, 4]],
)
def test_lines_left_out_are_nan_in_their_places(gone: list[int]) -> None:
    remaining = [line for line in range(8) if line not in gone]
    for cut in range(1, len(remaining)):
        blocks = ByLine(Blocks([cut, len(remaining) - cut]), gone).blocks()
        joined = np.concatenate([block["value"] for block in blocks])
        expected = np.full(8, np.nan)
        expected[remaining] = np.arange(len(remaining))
        np.testing.assert_array_equal(joined, expected)


def test_results_have_all_lines_fresh_and_read_again(folder: Path) -> None:
    stored = pipeline.load(run(folder))
    assert 5 < len(GONE) < 60
    for name, texts in OUTPUTS.items():
        expected = [
            math.nan if line in GONE else len(text.split()) / 100
            for line, text in enumerate(texts)
        ]
        result = stored.get(system=name, metric="few")
        np.testing.assert_array_equal(result.sentences, expected)
        np.testing.assert_array_equal(
            result.sentence_outputs["words"], np.rint(100 * np.array(expected))
        )
        assert len(result.columns["few"]) == len(texts)
        assert result.score == near(np.nanmean(expected))
        assert not np.isnan(
            stored.get(system=name, metric="chrf").sentences
        ).any()


@pytest.mark.skipif("parquet" not in FORMATS, reason="needs the format parquet")
def test_pages_files_and_tables_have_all_lines(
    folder: Path, command: Command
) -> None:
    from pyarrow import parquet

    directory = run(folder)
    context = revisit(directory)
    data = explorer(context)
    assert data is not None
    (dataset,) = data["datasets"]
    entry = dataset["metrics"][0]
    width = entry["width"]
    starts = [width * start for start in dataset["starts"]]
    for line in range(len(SOURCE)):
        scores = unlettered(
            entry["rows"][starts[line] : starts[line + 1] : width]
        )
        names = {
            name: dataset["who"][line * 4 + n]
            for n, name in enumerate(dataset["systems"])
        }
        assert len(names) == 4
        for name, item in names.items():
            words = len(OUTPUTS[name][line].split())
            assert scores[item] == (None if line in GONE else words * 100)
    picked = telling(context.measured[0].by_line, 12)
    assert len(picked) == 12
    command(f"report {directory} --format parquet html")
    table = parquet.read_table(directory / "sentences.parquet").to_pylist()
    table = [
        row
        for row in table
        if row["system"] == "eager" and row["metric"].startswith("few")
    ]
    assert [row["line"] for row in table] == list(range(1, len(SOURCE) + 1))
    assert [row["line"] - 1 for row in table if row["score"] is None] == GONE
    line = GONE[0] + 1
    printed = command(f"show {directory} --line {line}").out
    assert OUTPUTS["eager"][line - 1] in printed
    assert re.findall(r"(?m)^eager +(\S+)", printed)[-1] == "-"
    files = [f"data/systems/{name}.txt" for name in OUTPUTS]
    printed = command(
        "score few --plugin few.py -r data/reference0.txt --sentences -o",
        *files,
    ).out
    missing = re.findall(r"(?m)^\S*eager\S*\t(\d+)\t-", printed)
    assert [int(number) - 1 for number in missing] == GONE
    printed = command(
        f"compare {directory} --worst 3 --system eager broken --metric few"
    ).out
    differences = {}
    for line in {*range(len(SOURCE))} - {*GONE}:
        sizes = [len(OUTPUTS[n][line].split()) for n in ("eager", "broken")]
        differences[line] = -abs(sizes[0] - sizes[1])
    worst = re.findall(r"(?m)^line (\d+)", printed)
    assert [int(number) - 1 for number in worst] == sorted(
        differences, key=lambda line: (differences[line], line)
    )[:3]


def test_lines_left_out_count_for_no_judge(folder: Path) -> None:
    directory = run(folder)
    (scores, _) = metric_scores(revisit(directory).measured)
    assert scores.sentences is not None
    table = scores.sentences()
    assert scores.lines == table.shape[1] == len(SOURCE)
    assert np.flatnonzero(np.isnan(table).all(axis=0)).tolist() == GONE
    assert np.isnan(table).any(axis=0).sum() == len(GONE)
    assert len(skills(table[None])[0]) == 4
    remaining = np.delete(np.arange(len(SOURCE)), GONE)
    np.testing.assert_array_equal(
        skills(table[None]), skills(table[None, :, remaining])
    )

    # the oracle: the judgements without those of lines that are left out
    header, *rows = (
        (folder / "data" / "judgements.csv").read_text().splitlines()
    )
    column = header.split(",").index(
        "segmentId" if "segmentId" in header else "srcIndex"
    )
    numbers = {int(row.split(",")[column]) for row in rows}
    first = 1 if max(numbers) == len(SOURCE) else 0
    few = [
        row for row in rows if int(row.split(",")[column]) - first not in GONE
    ]
    assert 0 < len(few) < len(rows)
    (folder / "few.csv").write_text("\n".join([header, *few, ""]))
    found = []
    for file in ("data/judgements.csv", "few.csv"):
        judgments = read_judgments(folder / file)
        names, item, lines = judged_scores(
            scores, judgments, (), str(first), []
        )
        pairs, tied = sentence_pairs(judgments, names, lines)
        found.append(sentence_level(item, pairs, tied, "half"))
    assert found[0] == found[1]
    assert found[0].pairs > 0


# --- numbers as files


def rows_of(path: Path, metric: str) -> list[Any]:
    """Return all numbers of results by a metric but the names of metrics and what columns stand
    beside the score.
    """
    results = json.loads((path / "results.json").read_bytes())
    item = [
        row
        for row in results["scores"] + results["tests"]
        if f"|{metric}|" in f"|{row['metric']}|"
    ]
    for row in item:
        row["outputs"] = list(row.get("outputs", {}).values())[:1]
    return [
        {k: v for k, v in row.items() if k not in ("metric", "peer_signature")}
        for row in item
    ]


CODED = """
import pipeline

@pipeline.metric(version="1", returns="counts", decimals=1, beta=2)
def coded(outputs):
    "Counts with a decimal."
    return [(len(o) % 7 / 2, len(o) % 5, len(o) % 3) for o in outputs]
"""


def test_numbers_as_files_give_the_same_results(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "coded.py").write_text(CODED)
    directory = run(
        folder,
        'few, "few[level=sum]", kept, coded, chrf',
        statistics=", baseline: unchanged",
    )
    command(f"report {directory} --format numbers")
    (folder / "numbers").mkdir()
    (directory / "numbers").rename(folder / "numbers" / "elsewhere")
    monkeypatch.chdir(folder.parent)  # paths are those of the config's folder
    (folder / "data").unlink()
    pairs = {
        "external.yaml": {
            "few|version:1|none:skip|level:mean": "few-level-mean",
            "level:sum": "few-level-sum",
        },
        "external-kept.yaml": {
            "kept|version:1": "kept",
            "coded|beta:2": "coded",
        },
    }
    for config, metrics in pairs.items():
        position = folder / "numbers" / "elsewhere" / config
        command(f"run {position} -q --output {folder / config}")
        for item, title in metrics.items():
            assert len(rows_of(directory, item)) == 4 + 3
            assert rows_of(folder / config, f"title:{title}") == rows_of(
                directory, item
            )
    table = (
        (folder / "numbers/elsewhere/few-level-mean/sample/eager.tsv")
        .read_text()
        .splitlines()
    )
    assert table[:2] == ["#\tfew\twords", "1\t0.11\t11.0"]
    assert table[GONE[0] + 1] == f"{GONE[0] + 1}\t\t"


def test_data_sets_with_other_numbers_of_references_are_in_one_config(
    folder: Path,
) -> None:
    text = (folder / "units.yaml").read_text()
    begin = "datasets: {"
    end = "sample: {source: data/source.txt, references: [data/reference0.txt, data/reference1.txt]}"
    assert begin + end in text
    text = text.replace(
        begin,
        f"{begin}one: {{references: [data/reference1.txt], keep: [1-50]}}, ",
    )
    (folder / "units.yaml").write_text(text)
    assert typed("run units.yaml --plugin units.py -q") == 0
    assert typed("report runs/units --format numbers") == 0
    numbers = folder / "runs" / "units" / "numbers"
    assert sorted(path.name for path in numbers.glob("*")) == [
        "external.yaml",
        "units-beta-0.5",
        "units-beta-1",
    ]
    assert typed(f"run {numbers / 'external.yaml'} -q --output again") == 0
    again = [
        rows_of(folder / "again", f"title:units-beta-{beta}")
        for beta in ("1", "0.5")
    ]
    assert again == [
        rows_of(folder / "runs" / "units", f"units|beta:{beta}")
        for beta in ("1", "0.5")
    ]
    assert [len(rows) for rows in again] == [8, 8]


def test_an_empty_cell_is_an_error_unless_its_line_is_dropped(
    folder: Path, command: Command
) -> None:
    (folder / "n.tsv").write_text("line\tn\n1\t0.5\n2\t\n3\t0.25\n")
    (folder / "t.txt").write_text("a\nb\nc\n")
    text = """
datasets: {{d: {{references: [t.txt]{}}}}}
systems: {{A: t.txt}}
metrics: [{{name: external, title: n, files: n.tsv, columns: n}}]
output: {{dir: out}}
"""
    (folder / "c.yaml").write_text(text.format(""))
    assert (
        "n.tsv:3: has an empty cell; expected a number"
        in command.refused("run c.yaml -q").err
    )
    (folder / "c.yaml").write_text(text.format(", drop: [2]"))
    command("run c.yaml -q")
    assert pipeline.load("out")[0].score == 0.375


# --- what is tried, and what would be computed

FAULTS = {
    "state": "self.calls += 1; return [self.calls for _ in outputs]",
    "batch": "return [len(o) / (1 + max(map(len, outputs))) for o in outputs]",
    "order": "return [n for n, _ in enumerate(outputs)]",
}
FAULTY = """
import pipeline

@pipeline.metric(version="1")
class Faulty:
    "A metric."
    def __init__(self):
        self.calls = 0
    def load(self, device):
        self.device = device
    def __call__(self, outputs):
        {}
"""


def trying(folder: Path, body: str) -> str:
    """Return the command that tries a metric of this body."""
    (folder / "faulty.py").write_text(FAULTY.format(body))
    (folder / "faulty.yaml").write_text(
        CONFIG % ("faulty, chrf", "", "runs/faulty")
    )
    return "validate faulty.yaml --plugin faulty.py --try --set run.devices=cpu"


@pytest.mark.parametrize("name", FAULTS)
def test_faults_that_a_batch_shows_are_found_by_a_try(
    folder: Path, name: str, command: Command
) -> None:
    assert re.fullmatch(
        r"error: sample, \w+, line \d+: faulty is \S+ in one call and \S+ in another: the number of a text must depend "
        r"on that text alone, not on its batch or on calls before\n",
        command.refused(trying(folder, FAULTS[name])).err,
    )


def test_a_try_says_what_agrees(folder: Path, command: Command) -> None:
    body = "return [len(o) + 1e-9 * len(outputs) for o in outputs]"
    assert (
        "tried: faulty|version:1: 2 texts have the same numbers in 5 calls\n"
        in command(trying(folder, body)).out
    )
    assert (
        "tried: referee|version:2026-05|none:skip|among:4: 2 texts have"
        in command("validate referee.yaml --plugin referee.py --try").out
    )


def test_a_dry_run_says_how_many_texts_would_be_computed(
    folder: Path, command: Command
) -> None:
    run(folder)
    distinct = len({*chain(*OUTPUTS.values())})
    (folder / "more.txt").write_text("x\n" * len(SOURCE))

    text = (
        (folder / "few.yaml")
        .read_text()
        .replace("[data/systems/*.txt]", "[data/systems/*.txt, more.txt]")
    )
    (folder / "few.yaml").write_text(text)
    message = command("run few.yaml --plugin few.py --dry-run").out
    new = f"1 of {distinct + 1} distinct texts would be computed; {distinct} are kept"
    assert f"few|version:1|none:skip: {new}\n" in message


# --- names: where own metrics are from, what is installed, what an earlier run had


def test_list_says_where_metrics_are_from_and_imports_only_what_is_named(
    folder: Path,
) -> None:
    position = folder / "site"
    (position / "acme-1.4.dist-info").mkdir(parents=True)
    (position / "acme-1.4.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: acme\nVersion: 1.4\n"
    )
    points = "[gec_pipeline.metrics]\npoliteness = acme_metrics:politeness\n"
    (position / "acme-1.4.dist-info" / "entry_points.txt").write_text(points)
    text = "print('imported')\n" + (folder / "acme_metrics.py").read_text()
    (position / "acme_metrics.py").write_text(text)
    begin = f"import sys; sys.path.insert(0, {str(position)!r}); from pipeline.cli import main; sys.exit(main(sys.argv[1:]))"

    def listed(*words: str) -> tuple[str, str]:
        command = [sys.executable, "-c", begin, "list", "metrics", *words]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True
        )
        return done.stdout, done.stderr

    out, err = listed("--plugin", "kept.py")
    assert (
        "\nkept: Share of the words of the source that the output still has (kept.py)\n"
        in out
    )
    assert (
        "\npoliteness: in acme 1.4; `gec-pipeline list metrics politeness` imports it and tells more\n"
        in out
    )
    assert "imported" not in out + err
    out, err = listed("politeness")
    assert out.startswith(
        "politeness: Whether an output says please (acme 1.4)\n"
    )
    assert err == "imported\n"


# --- two runs


def test_runs_whose_numbers_are_of_other_lines_or_systems_are_not_compared(
    folder: Path, command: Command
) -> None:
    text = (folder / "referee.yaml").read_text().replace("gleu", "chrf")
    for name, systems in (("a", "eager, broken"), ("b", "eager, careful")):
        files = ", ".join(
            f"data/systems/{system}.txt" for system in systems.split(", ")
        )
        (folder / "two.yaml").write_text(
            text.replace("data/systems/*.txt", files)
        )
        command(f"run two.yaml --plugin referee.py -q --output {name}")
    found = json.loads(
        command("compare a b --trials 20 --resamples 20 -q --json").out
    )
    assert {score["metric"].partition("|")[0] for score in found["scores"]} == {
        "chrf"
    }
    refused = (
        "sample: referee is left out: its numbers depend on all systems of a run, and broken, careful is in one run "
        "alone; run all systems in one config"
    )
    assert refused in found["warnings"]
    run(folder, "few", "c")
    (folder / "few.yaml").write_text(
        (CONFIG % ("few", "", "d")).replace("systems/*", "systems/eager")
    )
    command("run few.yaml --plugin few.py -q")
    line = min(set(GONE) ^ set(left_out(OUTPUTS["eager"]))) + 1
    message = f"few is left out: the runs leave out other lines, such as line {line}; run all systems in one config"
    assert command.refused("compare c d").err == f"error: sample: {message}\n"


# --- how such metrics are shown

PPL = """
import pipeline

@pipeline.metric(version="1", scale=0, higher_is_better=False, names=("ppl", "tokens"), beside="tokens",
                 cite="@article{ppl2020,\\n  title = {Perplexity},\\n}")
def ppl(outputs):
    "A number that grows with words."
    return [(3.25 * len(o.split()) + 0.125, len(o.split())) for o in outputs]
"""


@needs("published")
def test_numbers_are_shown_as_they_are_the_lowest_first_and_cited(
    folder: Path, command: Command
) -> None:
    (folder / "ppl.py").write_text(PPL)
    (folder / "ppl.yaml").write_text(
        CONFIG
        % ("ppl, chrf", ", baseline: unchanged, outputs: all", "runs/ppl")
    )
    printed = command("run ppl.yaml --plugin ppl.py -q --boards").out
    means = {}
    for name, texts in OUTPUTS.items():
        means[name] = float(np.mean([len(o.split()) for o in texts]))
    order = sorted(means, key=lambda name: means[name])
    best = order[0]
    displayed = {
        name: [f"{3.25 * mean + 0.125:.2f}", f"{mean:.2f}"]
        for name, mean in means.items()
    }
    rows = [line.split() for line in printed.splitlines()[2:6]]
    assert [row[1:4] for row in rows] == [[n, *displayed[n]] for n in order]
    away = f"{3.25 * (means[best] - means['unchanged']):+.2f}"
    assert away in " ".join(rows[0])
    for form, expected in (
        ("markdown", f"**{displayed[best][0]}**"),
        ("latex", rf"\textbf{{{displayed[best][0]}}}"),
    ):
        printed = command(f"report runs/ppl --format {form}").out
        assert expected in printed
        assert "ppl: shown as it is, not in percent." in printed
    command("report runs/ppl --format html")
    page = (folder / "runs" / "ppl" / "report.html").read_text()
    assert f">{displayed[best][0]}<" in page
    results = revisit(folder / "runs" / "ppl", texts=False).results
    axes = [score_rows(group) for group in groups(results)]
    assert [axis.axis for axis in axes] == ["ppl", "chrF (percent)"]
    marks = [mark for mark in axes[0].marks if mark.kind != "interval"]
    assert f"{marks[0].low:.2f}" == displayed[best][0]
    command("report runs/ppl --format numbers")
    command("run runs/ppl/numbers/external.yaml -q --output again")
    by_code, by_files = (
        [row | {"intervals": None} for row in rows_of(folder / run, metric)]
        for run, metric in (("runs/ppl", "ppl"), ("again", "title:ppl"))
    )
    assert len(by_code) == 4 + 3
    assert by_code == by_files
    cited = command("cite runs/ppl").out
    assert re.match(
        r"% ppl: ppl\|version:1\|level:mean\S* \[ppl2020\]\n", cited
    )
    assert "@article{ppl2020,\n  title = {Perplexity},\n}\n" in cited
    printed = command("show runs/ppl --line 4").out
    words = len(OUTPUTS["eager"][3].split())
    numbers = re.findall(r"(?m)^eager +(\S+)", printed)
    assert numbers[-1] == f"{3.25 * words + 0.125 + 1e-9:.2f}"


def test_explain_computes_the_numbers_of_a_sentence(
    folder: Path, command: Command
) -> None:
    (folder / "ppl.py").write_text(PPL)
    more = "--plugin ppl.py --plugin units.py --plugin referee.py -s data/source.txt -r data/reference0.txt -o data/systems/eager.txt --line 4"
    printed = command(f"explain ppl --compare chrf {more}").out.splitlines()
    words = len(OUTPUTS["eager"][3].split())
    assert printed[-2:] == [
        "  ppl",
        f"  ppl {3.25 * words + 0.125 + 1e-9:.2f}, tokens {words:.2f}",
    ]
    assert f"reference 1 {REFERENCES[0][3]}" in printed
    # no number there
    assert command(f"explain units {more}").out.endswith(
        "  units 100.00 (precision 100.00, recall 100.00): tp 0, fp 0, fn 0\n"
    )
    assert (
        "referee scores all outputs of a line together"
        in command.refused(f"explain referee {more}").err
    )


@needs("neural")
def test_a_page_has_effects_by_a_metric_with_a_path(folder: Path) -> None:
    """Signatures have the digest of the file alone, so the page takes the metric of the config."""
    assert typed("run fluency.yaml --plugin fluency.py -q") == 0
    # this process knows the code
    assert typed("report runs/fluency --format html --effects 1") == 0
    page = (folder / "runs" / "fluency" / "report.html").read_text(
        encoding="utf-8"
    )
    data = json.loads(
        re.search(
            r'type="application/json" id="data">(.*?)</script>', page, re.DOTALL
        )[1]  # type: ignore[index]
    )
    assert data["datasets"][0]["metrics"][0]["effects"]
