"""The report as a page: its data against the texts and columns it is of, what its text can do,
which lines it takes.
"""

import base64
import hashlib
import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline import reopen
from pipeline.data.config import compose
from pipeline.extensions.page import explorer as explorer_data
from pipeline.extensions.page import numbers, page
from pipeline.extensions.page.page import as_json, as_yaml, html_files
from pipeline.extensions.page.svg import minus
from pipeline.extensions.page.texts import Texts
from pipeline.metrics.base import Rule
from pipeline.metrics.base.ngrams import grams, merged
from pipeline.metrics.build import from_text
from pipeline.report.context import ReportContext
from pipeline.report.tables import percent
from pipeline.scoring import SentenceScores
from pipeline.scoring.metric_results import MetricResult
from pipeline.tokenizers import Tokenization
from tests.conftest import ROOT, run, tree, write_run
from tests.support.extensions import needs
from tests.support.in_process import Call, run_command
from tests.support.sample_results import HOSTILE, context
from tests.support.tables import word_list

METRICS = word_list("""
    gleu[iter=20] gleu[refs=max,n=3] gleu[variant=2016,refs=max]
    gleu[variant=paper,refs=max] gleu[refs=merged] gleu[variant=2015]
    gleu[variant=2016-03] gleu[unit=char,iter=2] google_gleu[min=2] green
    bleu bleu[tok=intl,lc=true,n=2] bleu[flavour=nltk,smooth=method7]
    chrf[nw=2] rouge[types=1+2+L] rouge[flavour=perl,types=1+W]
    rouge[refs=jackknife]
""")
"""A metric of every kind of columns."""


class Reader(HTMLParser):
    """What a page has: elements with their attributes, the text of scripts and styles, and all
    other text.
    """

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.inside: dict[str, list[str]] = {"script": [], "style": []}
        self.text: list[str] = []
        self.data = ""
        self._open = ""
        self.feed(text)
        self.close()

    def handle_starttag(
        self, tag: str, attrs: list[tuple[str, str | None]]
    ) -> None:
        self.elements.append((tag, dict(attrs)))
        self._open = tag
        if tag in self.inside and ("type", "application/json") not in attrs:
            self.inside[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        del tag
        self._open = ""

    def handle_data(self, data: str) -> None:
        if (
            self._open == "script"
            and self.elements[-1][1].get("type") == "application/json"
        ):
            self.data += (
                data if self.elements[-1][1].get("id") == "data" else ""
            )
        elif self._open in self.inside:
            self.inside[self._open][-1] += data
        else:
            self.text.append(data)


SETTINGS = {"resamples": 9, "test": "sign", "correction": "holm", "seed": 1}


def html(made: ReportContext) -> str:
    """Return the page; of made-up results some of what every real run has is added."""
    results = made.results
    if results.statistics:
        results = replace(
            results, statistics={**SETTINGS, **results.statistics}
        )
    if results.human:
        results = replace(
            results,
            human={
                "settings": {"level": 0.95},
                "sentences": [],
                "tests": [],
                **results.human,
                "windows": [],
            },
        )
    made = replace(made, results=results)
    return html_files(made)[page.NAME]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> ReportContext:
    """A run with every kind of metric; a reference is missing now and then."""
    folder = tmp_path_factory.mktemp("page")
    chosen = [name for name in METRICS if "jackknife" not in name]
    config = write_run(folder, 60, references=3, systems="ABC", chosen=chosen)
    content = json.loads(config.read_text())
    options = {"empty_references": "none", "drop": ["3", "10-12"]}
    content["datasets"]["d"] |= options
    config.write_text(json.dumps(content))
    source = folder / "d" / "source"
    lines = source.read_text(encoding="utf-8").splitlines()
    text = "".join(f"{line or 'a'}\n" for line in lines)
    (folder / "d" / "ref0").write_text(text, encoding="utf-8")
    (folder / "d" / "C").write_bytes(source.read_bytes())
    run(config, folder / "run")
    return reopen.revisit(folder / "run")


def data_of(context: ReportContext) -> dict[str, Any]:
    """Return what the page's script reads, from the page itself."""
    found: dict[str, Any] = json.loads(Reader(html(context)).data)
    return found


def data_of_run(config: Path) -> dict[str, Any]:
    """Run a config; return what its page's script reads."""
    run(config, config.parent / "run")
    return data_of(reopen.revisit(config.parent / "run"))


@pytest.fixture(scope="module")
def data(made: ReportContext) -> dict[str, Any]:
    return data_of(made)


Pairs = list[tuple[MetricResult, dict[str, Any]]]


@pytest.fixture(scope="module")
def pairs(made: ReportContext, data: dict[str, Any]) -> Pairs:
    """The metrics of the run, and what the page has of each."""
    metrics = data["datasets"][0]["metrics"]
    return [*zip(made.measured, metrics, strict=True)]


# --- the data


def row(
    data: dict[str, Any], metric: dict[str, Any], line: int, system: int
) -> list[float | None]:
    """Return the numbers of an output, as the script finds them."""
    (dataset,) = data["datasets"]
    number = line * len(dataset["systems"]) + system
    start = dataset["starts"][line] + dataset["who"][number]
    width = metric["width"]
    return unlettered(metric["rows"][start * width : (start + 1) * width])


def unlettered(rows: str | list[float | None]) -> list[float | None]:
    """Return the numbers of rows, as the help says."""
    if not isinstance(rows, str):
        return rows
    return [None if sign == "[" else ord(sign) - ord("]") for sign in rows]


def columns_of(measured: MetricResult, system: int) -> dict[str, Any]:
    (block,) = measured.columns[system].blocks()
    return dict(block)


def test_texts_are_those_of_the_files(
    made: ReportContext, data: dict[str, Any]
) -> None:
    (dataset,), corpus = data["datasets"], made.corpora["d"]
    texts = data["texts"]
    assert len(set(texts)) == len(texts)
    columns = [dataset["source"], *dataset["references"]]
    count = len(dataset["systems"])
    for system in range(count):
        pairs = zip(
            dataset["starts"], dataset["who"][system::count], strict=False
        )
        columns.append(
            [dataset["outputs"][start + who] for start, who in pairs]
        )
    for column, text in zip(columns, corpus.texts, strict=True):
        lines = [texts[number] for number in column]
        assert lines == text.read(0, corpus.lines)
    assert list(corpus.systems) == dataset["systems"]
    dropped = {3, 10, 11, 12}
    assert dataset["numbers"] == sorted({*range(1, 61)} - dropped)


def test_scores_are_those_of_the_sentences(
    pairs: Pairs, data: dict[str, Any]
) -> None:
    for measured, metric in pairs:
        for system in range(3):
            columns = columns_of(measured, system)
            for line, score in enumerate(
                SentenceScores(measured.metric).scores(columns).tolist()
            ):
                value = row(data, metric, line, system)[0] or 0
                assert f"{value / 100:.2f}" == percent(score, 2)


def test_scores_with_one_reference_and_the_best(
    pairs: Pairs, data: dict[str, Any]
) -> None:
    """Against scoring with that reference alone, and the highest of the scores."""
    found = 0
    for measured, metric in pairs:
        if not metric["apart"]:
            continue
        fields = measured.metric.spec.schema(3).fields
        single = {field.name for field in fields if field.per_reference}
        for reference, system in product(range(3), range(3)):
            columns = columns_of(measured, system)
            missing = columns["ref_len"][:, reference] < 0
            alone = dict(columns)
            for name in single:
                alone[name] = columns[name][:, [reference]]
            scores = measured.metric.sentence_scores(alone)[:, 0]
            for line, score in enumerate(scores):
                _, *each, best = row(data, metric, line, system)[:5]
                if missing[line]:
                    assert each[reference] is None
                    found += 1
                else:
                    expected = float(percent(score, 2).replace(".", ""))
                    assert each[reference] == expected
                    known = [value for value in each if value is not None]
                    assert each[int(best or 0)] == max(known)
    assert found > 20


def test_counts_are_the_columns(pairs: Pairs, data: dict[str, Any]) -> None:
    """Those that a metric reads as they are; penalties and matches by the names that the columns
    have.
    """
    other_names = {"match": "union_match", "penalty": "source_only"}
    skipped = {("match", "rouge"), ("total", "gleu")}
    known = {"match", "penalty", "hyp_len", "total", "ref_total"}
    seen = set()
    for measured, metric in pairs:
        columns = columns_of(measured, 1)
        if metric["output"] == "green":
            terms = measured.metric.make_terms(columns)
            columns |= {name: terms[name] for name in ("tp", "fp", "fn")}
        for name, at, _, orders in metric["fields"]:
            of = name if name in columns else other_names.get(name)
            if of not in columns or (name, metric["output"]) in skipped:
                continue
            if name not in known | {"tp", "fp", "fn"}:
                continue
            values = columns[of]
            if orders:
                values = values[..., :orders]
            for line, expected in enumerate(values.reshape(len(values), -1)):
                numbers = row(data, metric, line, 1)[at : at + len(expected)]
                assert numbers == expected.tolist()
            seen.add(name)
    assert seen == known | {"tp", "fp", "fn"}


@pytest.mark.parametrize("name", METRICS)
def test_parts_of_n_grams_add_up_to_what_is_counted(
    name: str, made: ReportContext
) -> None:
    """`ngrams.parts` by hand over tokens, against the counts of the kernel."""
    measured = next(
        (m for m in made.measured if m.metric == from_text(name)), None
    )
    rule = from_text(name).ngram_rule()
    if measured is None or rule is None:
        assert name.startswith(("rouge", "chrf", "gleu[variant=2015]"))
        return
    corpus = made.corpora["d"]
    texts = [
        [rule.tokenization.tokens(t) for t in text.read(0, corpus.lines)]
        for text in corpus.texts
    ]
    columns = columns_of(measured, 1)
    terms = measured.metric.make_terms(columns) if name == "green" else {}
    for line in range(corpus.lines):
        source, *references = (text[line] for text in texts[:4])
        there = [
            number
            for number in range(3)
            if columns["ref_len"][line, number] >= 0
        ]
        for n in range(rule.first, rule.last + 1):
            sigma, eta = (
                grams(tokens, n) for tokens in (source, texts[5][line])
            )
            rhos = [grams(references[number], n) for number in there]
            for index, rho in enumerate(
                [merged(rhos)] if rule.merged else rhos
            ):
                found = {
                    kind: sum(g.values())
                    for kind, g in rule.roles(sigma, [rho], eta).items()
                }
                at = (
                    (line, n - 1)
                    if rule.merged
                    else (line, there[index], n - 1)
                )
                counts = {
                    name: sum(found[kind] for kind in kinds)
                    for name, kinds in Rule.COUNTS[rule.name].items()
                }
                if rule.name == "green":
                    assert counts == {
                        kind: terms[kind][at] for kind in ("tp", "fp", "fn")
                    }
                    continue
                assert (
                    counts["match"]
                    == columns["union_match" if rule.merged else "match"][at]
                )
                penalty = {
                    "gleu": "gone_match" if rule.merged else "penalty",
                    "paper": "source_only",
                }.get(rule.name)
                assert (
                    penalty is None or counts["penalty"] == columns[penalty][at]
                )
                assert (
                    found["match"] + found.get("penalised", 0) + found["other"]
                    == eta.total()
                )


@given(
    st.lists(
        st.floats(-2, 2) | st.integers(0, 20000).map(lambda n: n / 20000),
        min_size=1,
    ),
    st.integers(0, 6),
)
def test_scores_are_rounded_as_they_are_printed(
    values: list[float], digits: int
) -> None:
    displayed = numbers.scaled(np.array(values), digits).tolist()
    assert [
        float(percent(v, digits).replace(".", "")) for v in values
    ] == displayed


def test_what_is_no_number_is_not_there() -> None:
    assert np.isnan(
        numbers.scaled(np.array([math.nan, math.inf, -math.inf]), 2)
    ).all()


# --- which lines


def naive_lines(scores: np.ndarray[Any, Any], count: int) -> list[int]:
    """Return what RULE says, with Python's own sort. scores: [systems, lines]."""
    lines = range(scores.shape[1])
    spread = np.ptp(scores, axis=0).tolist()
    mean = scores.mean(axis=0).tolist()
    different = [line for line in lines if spread[line] > 0]
    step = (len(lines) - 1) / max(count - 1, 1)
    lists = [
        (sorted(different, key=lambda n: -spread[n])[:count], count // 2),
        (sorted(lines, key=lambda n: mean[n])[:count], count // 4),
        (sorted(lines, key=lambda n: -mean[n])[:count], count // 8),
        ([round(n * step) for n in range(count)], count),
        (sorted(lines, key=lambda n: mean[n]), count),
    ]
    chosen: list[int] = []
    for found, quota in lists:
        new = [line for line in found if line not in chosen]
        chosen += new[: min(quota, count - len(chosen))]
    return sorted(chosen)


@pytest.mark.parametrize("count", [1, 2, 7, 16, 55, 56, 99])
def test_the_most_telling_lines(made: ReportContext, count: int) -> None:
    measured = made.measured[1]
    columns = [columns_of(measured, system) for system in range(3)]
    scores = [SentenceScores(measured.metric).scores(ours) for ours in columns]
    expected = [*range(56)]
    if count < 56:
        expected = naive_lines(np.stack(scores), count)
    assert len(expected) == min(count, 56)
    # blocks cannot be seen in it
    in_blocks = replace(measured, columns=tuple(map(_Blocks, columns)))
    for result in (measured, in_blocks):
        assert explorer_data.telling(result, count).tolist() == expected


class _Blocks:
    def __init__(self, columns: dict[str, Any]) -> None:
        self.columns = columns

    def blocks(self) -> Iterator[dict[str, Any]]:
        for low in range(0, len(self.columns["hyp_len"]), 9):
            yield {
                name: values[low : low + 9]
                for name, values in self.columns.items()
            }


def test_fewer_lines_have_the_same_numbers_and_texts(
    made: ReportContext, data: dict[str, Any]
) -> None:
    fewer = data_of(replace(made, lines=7))
    (dataset,), (every,) = fewer["datasets"], data["datasets"]
    assert (len(dataset["numbers"]), dataset["total"]) == (7, 56)
    for line, number in enumerate(dataset["numbers"]):
        before = every["numbers"].index(number)
        source = data["texts"][every["source"][before]]
        assert fewer["texts"][dataset["source"][line]] == source
        for ours, metric in zip(
            dataset["metrics"], every["metrics"], strict=True
        ):
            for s in range(3):
                numbers = row(data, metric, before, s)
                assert row(fewer, ours, line, s) == numbers


def test_the_page_takes_as_many_lines_as_fit(
    made: ReportContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explorer_data, "BUDGET_BYTES", 20_000)
    found = data_of(made)
    assert 0 < len(found["datasets"][0]["numbers"]) < 56
    assert len(as_json(found).encode()) < 60_000
    monkeypatch.setattr(explorer_data, "BUDGET_BYTES", 10_000_000)
    complete = html(made)
    # what was estimated is too much
    limit = len(complete.encode()) - 20_000
    monkeypatch.setattr(page, "MAX_PAGE_BYTES", limit)
    assert len(html(made).encode()) < limit
    assert html(replace(made, lines=56)) == complete  # asked for
    monkeypatch.setattr(page, "MAX_PAGE_BYTES", 1)  # one is always there
    assert len(data_of(made)["datasets"][0]["numbers"]) == 1


def test_long_texts_are_cut(tmp_path: Path) -> None:
    config = write_run(tmp_path, 3, chosen=["gleu[iter=2]"])
    text = "".join("b " * 30_000 + f"{end}\n" for end in "xyz")
    (tmp_path / "d" / "A").write_text(text)
    found = data_of_run(config)
    # three texts, though their beginnings are the same
    assert list(found["cut"].values()) == [60_001] * 3
    for number in found["cut"]:
        assert found["texts"][int(number)] == "b " * 10_000


@needs("functions")
def test_numbers_from_files_are_apart_for_each_system(tmp_path: Path) -> None:
    """Systems with the same output have numbers of their own; a system without numbers has none."""
    external = {"title": "x", "files": "{system}.txt", "scale": "10"}
    chosen = ["gleu[iter=2]", {"name": "external", **external}]
    config = write_run(tmp_path, 4, systems="ABC", chosen=chosen)
    (tmp_path / "d" / "B").write_bytes((tmp_path / "d" / "A").read_bytes())
    for name, values in zip("ABC", ("1234", "5678", "1119"), strict=True):
        (tmp_path / f"{name}.txt").write_text("\n".join(values) + "\n")
    (dataset,) = data_of_run(config)["datasets"]
    gleu, ours = dataset["metrics"]
    assert (ours["bySystem"], ours["width"], ours["rule"]) == (True, 1, None)
    expected = [1000 * int(number) for number in "151261371489"]
    assert unlettered(ours["rows"]) == expected
    assert gleu["bySystem"] is False


# --- the page


def test_the_same_run_gives_the_same_page(tmp_path: Path) -> None:
    """In another folder, with another number of workers, in the run or afterwards; it tells no
    path.
    """
    pages = []
    options: Any = {
        "output": {"formats": ["html"]},
        "statistics": {"resamples": "50"},
    }
    for name in ("one", "other"):
        folder = tmp_path / name
        config = write_run(folder, 30, **options)
        run_command(f"run {config} -q --json --output {folder}/run")
        run_command(
            f"report {folder}/run --format html --output {folder}/again"
        )
        assert "report.html" in tree(folder / "run")
        pages += [path.read_bytes() for path in folder.glob("*/report.html")]
    assert len(pages) == 4
    assert len(set(pages)) == 1
    assert str(tmp_path).encode() not in pages[0]


def test_without_its_texts_the_page_says_why(
    tmp_path: Path, call: Call
) -> None:
    config, run_dir = write_run(tmp_path, 10), tmp_path / "run"
    run(config, run_dir)
    (tmp_path / "d" / "B").write_text("changed\n" * 10)
    note = "note: the page is without sentences: d: system B has changed since the run"
    assert note in call(f"report {run_dir} --format html").err
    text = (run_dir / "report.html").read_text(encoding="utf-8")
    found = Reader(text)
    assert "had changed since" in "".join(found.text)
    assert found.data == ""
    assert str(tmp_path) not in text
    # no links to sentences
    assert not any("a=" in (a.get("href") or "") for _, a in found.elements)


def test_lines_zero_is_a_page_without_sentences(made: ReportContext) -> None:
    found = Reader(html(replace(made, lines=0)))
    assert found.data == ""
    assert "none were asked for" in "".join(found.text)


def check_policy(found: Reader) -> None:
    """Hold that nothing but the scripts and styles of a page may run, and that nothing is fetched."""
    (policy,) = (
        a["content"] or ""
        for _, a in found.elements
        if a.get("http-equiv") == "Content-Security-Policy"
    )
    rules = {}
    for rule in policy.split(";"):
        name, *values = rule.split()
        rules[name] = values
    assert rules["default-src"] == ["'none'"]
    assert "unsafe" not in policy
    for kind in ("script", "style"):
        digests = []
        for text in found.inside[kind]:
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest())
            digests.append(f"'sha256-{digest.decode()}'")
        assert digests
        # a page without sentences has not all scripts
        assert rules[f"{kind}-src"][: len(digests)] == digests
    known = "default-src img-src base-uri form-action style-src script-src"
    assert sorted(rules) == sorted(known.split())
    for tag, attributes in found.elements:
        for name in attributes:
            assert not name.startswith("on"), tag
            assert name not in ("style", "src", "srcset"), tag
        link = attributes.get("href") or "#"
        assert link.startswith(("#", "data:,", "https://"))


def check_harmless(text: str, plain: str, name: str, more: str = "") -> None:
    """Hold that a name in a page stays text: no elements but those of a plain page and `more`; no
    odd characters.
    """
    found, expected = Reader(text), Reader(plain)
    assert {tag for tag, _ in found.elements} - set(more.split()) <= {
        tag for tag, _ in expected.elements
    }
    assert len(found.inside["script"]) == len(expected.inside["script"])
    check_policy(found)
    displayed = "".join(found.text)
    assert not set(displayed) & set("\x1b\u202e")
    if name.isprintable():
        assert name in displayed


def test_nothing_but_its_own_scripts_and_styles_may_run(
    made: ReportContext,
) -> None:
    text = html(made)
    found = Reader(text)
    check_policy(found)
    assert text.count("sha256-") == sum(
        len(parts) for parts in found.inside.values()
    )
    assert all(
        (attributes.get("href") or "#").startswith(("#", "data:,"))
        for _, attributes in found.elements
    )


@given(
    st.text()
    | st.sampled_from(["</script>", "<!--", "]]>", "\u2028", "\x00", "&lt;"])
)
def test_json_ends_no_element_and_is_read_back(text: str) -> None:
    found = as_json({"key": [text]})
    assert not set(found) & set("<>&\u2028\u2029")
    assert json.loads(found) == {"key": [text]}


@pytest.mark.parametrize(
    "name",
    [*HOSTILE, "</title><script>x</script>", '" onload="x', "{{ 7 * 7 }}"],
)
def test_hostile_names_stay_text(name: str) -> None:
    """Of systems, in results that someone else has made; title, warnings, notes and config the
    same.
    """
    hostile = context([name, "B", "C", name + "2"])
    scores = [
        replace(score, notes=(name,), peer_signature=name)
        for score in hostile.results.scores
    ]
    results = replace(hostile.results, warnings=[name], scores=scores)
    config = {"description": name, "x-note": name}
    text = html(replace(hostile, results=results, config=config))
    plain = html(context(["A", "B", "C", "D"]))
    check_harmless(text, plain, name, "li ul details summary pre")


def test_a_config_is_shown_as_yaml_that_means_the_same() -> None:
    scalars = ["a: b", "# no", "- x", "two\nlines", "", "\u202e", "é"]
    scalars += word_list("500 NO 1e3 null ~ 'quoted' 2024-01-01")
    config = {
        "description": None,
        "list": scalars,
        "map": {text or "e": text for text in scalars},
        "empty": [],
        "none": {},
    }
    root, problems = compose.parse(as_yaml(config))
    assert problems == []
    assert root.plain() == config
    assert "x: 500\n" in as_yaml({"x": "500"})  # as people write it


def test_one_system_and_one_line(tmp_path: Path) -> None:
    config = write_run(
        tmp_path, 1, systems="A", references=1, chosen=["gleu", "bleu"]
    )
    assert data_of_run(config)["datasets"][0]["numbers"] == [1]


def test_references_as_systems_have_sentences_and_their_mean_has_none(
    tmp_path: Path,
) -> None:
    chosen = ["gleu[refs=leave_one_out,iter=2]", "bleu"]
    config = write_run(tmp_path, 9, references=3, chosen=chosen)
    run(config, tmp_path / "run")
    found = Reader(html(reopen.revisit(tmp_path / "run")))
    (dataset,) = json.loads(found.data)["datasets"]
    references = [f"reference{number}" for number in range(3)]
    assert dataset["systems"] == ["A", "B", *references]
    gleu, bleu = dataset["metrics"]
    # of the references as systems there is no BLEU
    assert set(bleu["scores"]) == {"A", "B"}
    assert None in unlettered(bleu["rows"])
    assert set(gleu["scores"]) == {*dataset["systems"], "REFERENCE"}
    links = " ".join(a.get("href") or "" for _, a in found.elements)
    assert "a=reference0&" in links
    assert "a=REFERENCE&" not in links


def test_the_package_has_every_part_of_the_page() -> None:
    folder = ROOT / "pipeline" / "extensions" / "page" / "assets"
    others = word_list("page.html shell.html macros.html explanations.yaml")
    files = {file.name for file in folder.iterdir() if file.is_file()}
    assert files == {*others, *page.SCRIPTS, *page.STYLES}
    templates = ""
    for file in folder.rglob("*.html"):
        templates += file.read_text(encoding="utf-8")
    included = set(re.findall(r'include "(.*?)"', templates))
    parts = (folder / "sections").iterdir()
    assert included == {f"sections/{file.name}" for file in parts}


# --- tokens


@pytest.mark.parametrize(
    ("tokenizer", "way", "forms"),
    [
        ("blank", "words", {}),
        ("whitespace", "runs", {}),
        ("13a", "runs", {4: "The end ."}),
        ("google", "ascii", {}),
        ("char", "characters", {}),
        ("nonspace", "spaceless", {}),
    ],
)
def test_the_page_keeps_tokens_that_its_script_would_not_find(
    tokenizer: str, way: str, forms: dict[int, str]
) -> None:
    texts = Texts()
    for text in ("One", "A b", " ", "two  words", "The end.", "naïve Straße 3"):
        texts.number(text)
    assert texts.tokens(Tokenization(tokenizer)) == {"way": way, "forms": forms}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-0.05", "−0.05"),  # noqa: RUF001
        ("-1.27↓", "−1.27↓"),  # noqa: RUF001
        ("-0.204 to -0.1", "−0.204 to −0.1"),  # noqa: RUF001
    ],
)
def test_numbers_of_tables_have_the_minus_sign_of_the_scripts(
    text: str, expected: str
) -> None:
    assert minus(text) == expected


@pytest.mark.parametrize(
    "text", ["-", "+0.05", "1-3", "run-2", "-2 mistakes", "<0.0001", "a"]
)
def test_other_hyphens_stay(text: str) -> None:
    assert minus(text) == text
