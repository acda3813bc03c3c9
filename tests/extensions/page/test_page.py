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
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline import reopen
from pipeline.data.config import compose as yaml_file
from pipeline.data.texts import read_texts
from pipeline.extensions.page import explorer as chosen_lines
from pipeline.extensions.page import explorer as explorer_data
from pipeline.extensions.page import numbers, page
from pipeline.extensions.page.page import as_json, as_yaml, html_files
from pipeline.extensions.page.svg import minus
from pipeline.extensions.page.texts import Texts
from pipeline.metrics.base.ngrams import COUNTS, grams, merged, roles
from pipeline.metrics.base.statistics_spec import Schema
from pipeline.metrics.build import from_text
from pipeline.report.context import ReportContext
from pipeline.report.tables import percent
from pipeline.scoring.metric_results import MetricResult
from pipeline.scoring.sentences import sentence_scores
from pipeline.tokenizers.tokenization import Tokenization
from tests.conftest import ROOT, run, tree, write_run
from tests.support.commands import Call, run_command
from tests.support.extensions import needs
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
    config = write_run(
        folder, 60, references=3, systems=["A", "B", "C"], chosen=METRICS
    )
    content = json.loads(config.read_text(encoding="utf-8"))
    content["datasets"]["d"] |= {
        "empty_references": "none",
        "drop": ["3", "10-12"],
    }
    source = (folder / "d" / "source").read_text(encoding="utf-8").splitlines()
    (folder / "d" / "ref0").write_text(
        "".join(f"{line or 'a'}\n" for line in source), encoding="utf-8"
    )
    content["metrics"] = [name for name in METRICS if "jackknife" not in name]
    (folder / "d" / "C").write_bytes((folder / "d" / "source").read_bytes())
    config.write_text(json.dumps(content))
    run(config, folder / "run")
    return reopen.revisit(folder / "run")


@pytest.fixture(scope="module")
def data(made: ReportContext) -> dict[str, Any]:
    """What its page's script reads, from the page itself."""
    found: dict[str, Any] = json.loads(Reader(html(made)).data)
    return found


# --- the data


def row(
    data: dict[str, Any], metric: dict[str, Any], line: int, system: int
) -> list[float | None]:
    """Return the numbers of an output, as the script finds them."""
    (dataset,) = data["datasets"]
    variant = (
        dataset["starts"][line]
        + dataset["who"][line * len(dataset["systems"]) + system]
    )
    return unlettered(
        metric["rows"][
            variant * metric["width"] : (variant + 1) * metric["width"]
        ]
    )


def unlettered(rows: str | list[float | None]) -> list[float | None]:
    """Return the numbers of rows, as the help says."""
    return (
        [None if sign == "[" else ord(sign) - ord("]") for sign in rows]
        if isinstance(rows, str)
        else rows
    )


def whole(measured: MetricResult, system: int) -> dict[str, Any]:
    blocks = list(measured.columns[system].blocks())
    return {
        name: np.concatenate([block[name] for block in blocks])
        for name in blocks[0]
    }


def test_texts_are_those_of_the_files(
    made: ReportContext, data: dict[str, Any]
) -> None:
    (dataset,), corpus = data["datasets"], made.corpora["d"]
    texts = data["texts"]
    assert len(set(texts)) == len(texts)
    assert [texts[number] for number in dataset["source"]] == read_texts(
        corpus.source,  # type: ignore[arg-type]
        0,
        corpus.lines,
    )
    for own, reference in zip(
        dataset["references"], corpus.references, strict=True
    ):
        assert [texts[number] for number in own] == read_texts(
            reference, 0, corpus.lines
        )
    for place, name in enumerate(dataset["systems"]):
        outputs = [
            texts[dataset["outputs"][start + who]]
            for start, who in zip(
                dataset["starts"],
                dataset["who"][place :: len(dataset["systems"])],
                strict=False,
            )
        ]
        assert outputs == read_texts(corpus.systems[name], 0, corpus.lines)
    assert dataset["numbers"] == [
        n for n in range(1, 61) if n not in (3, 10, 11, 12)
    ]


def test_scores_are_those_of_the_sentences(
    made: ReportContext, data: dict[str, Any]
) -> None:
    for measured, metric in zip(
        made.measured, data["datasets"][0]["metrics"], strict=True
    ):
        for system in range(3):
            columns = whole(measured, system)
            scores = sentence_scores(measured.metric, columns).tolist()
            shown = [
                row(data, metric, line, system)[0]
                for line in range(measured.lines)
            ]
            assert [f"{(value or 0) / 100:.2f}" for value in shown] == [
                percent(score, 2) for score in scores
            ]


def test_scores_with_one_reference_and_the_best(
    made: ReportContext, data: dict[str, Any]
) -> None:
    """Against scoring with that reference alone, and the highest of the scores."""
    found = 0
    for measured, metric in zip(
        made.measured, data["datasets"][0]["metrics"], strict=True
    ):
        if not metric["apart"]:
            continue
        for reference in range(3):
            single = [
                name
                for name, per_reference in _fields(measured)
                if per_reference
            ]
            for system in range(3):
                columns = whole(measured, system)
                missing = columns["ref_len"][:, reference] < 0
                alone = {
                    n: v[:, [reference]] if n in single else v
                    for n, v in columns.items()
                }
                scores = measured.metric.sentence_scores(alone)[:, 0]
                for line in range(measured.lines):
                    own = row(data, metric, line, system)
                    if missing[line]:
                        assert own[1 + reference] is None
                        found += 1
                    else:
                        assert own[1 + reference] == float(
                            percent(scores[line], 2).replace(".", "")
                        )
                        assert own[1 + int(own[4] or 0)] == max(
                            value for value in own[1:4] if value is not None
                        )
    assert found > 20


def _fields(measured: MetricResult) -> list[tuple[str, bool]]:
    schema: Schema = measured.metric.spec.schema(measured.references)
    return [(field.name, field.per_reference) for field in schema.fields]


def test_counts_are_the_columns(
    made: ReportContext, data: dict[str, Any]
) -> None:
    """Those that a metric reads as they are; penalties and matches by the names that the columns
    have.
    """
    names = {
        "match": ("match", "union_match"),
        "penalty": ("penalty", "source_only"),
        "hyp_len": ("hyp_len",),
    }
    names |= {
        "ref_total": ("ref_total",),
        "total": ("total",),
        "tp": (),
        "fp": (),
        "fn": (),
    }
    found: dict[str, int] = {}
    for measured, metric in zip(
        made.measured, data["datasets"][0]["metrics"], strict=True
    ):
        columns = whole(measured, 1)
        terms = (
            measured.metric.make_terms(columns)
            if metric["output"] == "green"
            else {}
        )
        for name, at, _, orders in metric["fields"]:
            known = next(
                (columns[n] for n in names.get(name, ()) if n in columns),
                terms.get(name),
            )
            if known is None or (name, metric["output"]) in (
                ("match", "rouge"),
                ("total", "gleu"),
            ):
                continue
            for line in range(measured.lines):
                flat = (
                    known[line]
                    .reshape(-1, known.shape[-1])[:, : orders or None]
                    .ravel()
                    if orders
                    else known[line]
                )
                size = np.size(flat)
                assert (
                    row(data, metric, line, 1)[at : at + size]
                    == np.ravel(flat).tolist()
                )
            found[name] = found.get(name, 0) + 1
    assert found.keys() >= {
        "match",
        "penalty",
        "hyp_len",
        "total",
        "ref_total",
        "tp",
        "fp",
        "fn",
    }


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
        [rule.tokenization.tokens(t) for t in read_texts(text, 0, corpus.lines)]
        for text in corpus.texts
    ]
    columns = whole(measured, 1)
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
            for place, rho in enumerate(
                [merged(rhos)] if rule.merged else rhos
            ):
                found = {
                    kind: sum(g.values())
                    for kind, g in roles(rule.name, sigma, rho, eta).items()
                }
                at = (
                    (line, n - 1)
                    if rule.merged
                    else (line, there[place], n - 1)
                )
                counts = {
                    name: sum(found[kind] for kind in kinds)
                    for name, kinds in COUNTS[rule.name].items()
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
    shown = numbers.scaled(np.array(values), digits).tolist()
    assert [float(percent(v, digits).replace(".", "")) for v in values] == shown


def test_what_is_no_number_is_not_there() -> None:
    assert np.isnan(
        numbers.scaled(np.array([math.nan, math.inf, -math.inf]), 2)
    ).all()


# --- which lines


def naive_lines(scores: np.ndarray[Any, Any], wanted: int) -> list[int]:
    """Return what RULE says, with Python's own sort. scores: [systems, lines]."""
    lines = range(scores.shape[1])
    spread = [max(column) - min(column) for column in scores.T.tolist()]
    mean = scores.mean(axis=0).tolist()
    lists = [
        (
            [
                line
                for line in sorted(lines, key=lambda n: -spread[n])
                if spread[line] > 0
            ][:wanted],
            wanted // 2,
        ),
        (sorted(lines, key=lambda n: mean[n])[:wanted], wanted // 4),
        (sorted(lines, key=lambda n: -mean[n])[:wanted], wanted // 8),
        (
            [
                round(n * (len(lines) - 1) / (wanted - 1)) if wanted > 1 else 0
                for n in range(wanted)
            ],
            wanted,
        ),
        (sorted(lines, key=lambda n: mean[n]), wanted),
    ]
    chosen: list[int] = []
    for found, quota in lists:
        chosen += [line for line in found if line not in chosen][
            : min(quota, wanted - len(chosen))
        ]
    return sorted(chosen)


@pytest.mark.parametrize("wanted", [1, 2, 7, 16, 55, 56, 99])
def test_the_most_telling_lines(made: ReportContext, wanted: int) -> None:
    measured = made.measured[1]
    scores = np.stack(
        [
            sentence_scores(measured.metric, whole(measured, system))
            for system in range(3)
        ]
    )
    expected = (
        naive_lines(scores, wanted)
        if wanted < measured.lines
        else list(range(56))
    )
    assert chosen_lines.telling(measured, wanted).tolist() == expected
    assert len(expected) == min(wanted, 56)
    # blocks cannot be seen in it
    in_blocks = [_Blocks(whole(measured, system)) for system in range(3)]
    assert (
        chosen_lines.telling(
            replace(measured, columns=tuple(in_blocks)), wanted
        ).tolist()
        == expected
    )


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
    fewer: dict[str, Any] = json.loads(
        Reader(html(replace(made, lines=7))).data
    )
    (dataset,), (every,) = fewer["datasets"], data["datasets"]
    assert len(dataset["numbers"]) == 7
    assert dataset["total"] == 56
    for line, number in enumerate(dataset["numbers"]):
        before = every["numbers"].index(number)
        assert (
            fewer["texts"][dataset["source"][line]]
            == data["texts"][every["source"][before]]
        )
        for own, metric in zip(
            dataset["metrics"], every["metrics"], strict=True
        ):
            assert [row(fewer, own, line, s) for s in range(3)] == [
                row(data, metric, before, s) for s in range(3)
            ]


def test_the_page_takes_as_many_lines_as_fit(
    made: ReportContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explorer_data, "BUDGET_BYTES", 20_000)
    found: dict[str, Any] = json.loads(Reader(html(made)).data)
    assert 0 < len(found["datasets"][0]["numbers"]) < 56
    assert len(as_json(found).encode()) < 60_000
    monkeypatch.setattr(explorer_data, "BUDGET_BYTES", 10_000_000)
    whole_page = html(made)
    # what was estimated is too much
    monkeypatch.setattr(
        page, "MAX_PAGE_BYTES", len(whole_page.encode()) - 20_000
    )
    assert len(html(made).encode()) < len(whole_page.encode()) - 20_000
    assert html(replace(made, lines=56)) == whole_page  # asked for
    monkeypatch.setattr(page, "MAX_PAGE_BYTES", 1)  # one is always there
    smallest: dict[str, Any] = json.loads(Reader(html(made)).data)
    assert len(smallest["datasets"][0]["numbers"]) == 1


def test_long_texts_are_cut(tmp_path: Path) -> None:
    config = write_run(tmp_path, 3, chosen=["gleu[iter=2]"])
    long = ["b " * 30_000 + end for end in ("x", "y", "z")]
    (tmp_path / "d" / "A").write_text(
        "".join(f"{text}\n" for text in long), encoding="utf-8"
    )
    run(config, tmp_path / "run")
    found: dict[str, Any] = json.loads(
        Reader(html(reopen.revisit(tmp_path / "run"))).data
    )
    cut = {int(number): size for number, size in found["cut"].items()}
    # three texts, though their beginnings are the same
    assert list(cut.values()) == [60_001] * 3
    assert [found["texts"][number] for number in cut] == [("b " * 10_000)] * 3


@needs("functions")
def test_numbers_from_files_are_apart_for_each_system(tmp_path: Path) -> None:
    """Systems with the same output have numbers of their own; a system without numbers has none."""
    config = write_run(tmp_path, 4, systems=["A", "B", "C"])
    (tmp_path / "d" / "B").write_bytes((tmp_path / "d" / "A").read_bytes())
    for name, values in (
        ("A", "1 2 3 4"),
        ("B", "5 6 7 8"),
        ("C", "1 1 1 1.5"),
    ):
        (tmp_path / f"{name}.txt").write_text(
            "\n".join(values.split()) + "\n", encoding="utf-8"
        )
    content = json.loads(config.read_text(encoding="utf-8"))
    content["metrics"] = [
        "gleu[iter=2]",
        {
            "name": "external",
            "title": "x",
            "files": "{system}.txt",
            "scale": "10",
        },
    ]
    config.write_text(json.dumps(content))
    run(config, tmp_path / "run")
    found: dict[str, Any] = json.loads(
        Reader(html(reopen.revisit(tmp_path / "run"))).data
    )
    (dataset,) = found["datasets"]
    gleu, own = dataset["metrics"]
    assert (own["bySystem"], own["width"], own["rule"]) == (True, 1, None)
    assert unlettered(own["rows"]) == [
        1000,
        5000,
        1000,
        2000,
        6000,
        1000,
        3000,
        7000,
        1000,
        4000,
        8000,
        1500,
    ]
    assert gleu["bySystem"] is False


# --- the page


def test_the_same_run_gives_the_same_page(tmp_path: Path) -> None:
    """In another folder, with another number of workers, in the run or afterwards; it tells no
    path.
    """
    made = []
    for name in ("one", "other"):
        config = write_run(
            tmp_path / name,
            30,
            output={"formats": ["html"]},
            statistics={"resamples": "50"},
        )
        run_command(
            f"run {config} -q --json --output {tmp_path / name / 'run'}"
        )
        made.append((tmp_path / name / "run" / "report.html").read_bytes())
        assert "report.html" in tree(tmp_path / name / "run")
        target = tmp_path / name / "again"
        run_command(
            f"report {tmp_path / name / 'run'} --format html --output {target}"
        )
        made.append((target / "report.html").read_bytes())
    assert len(set(made)) == 1
    assert str(tmp_path).encode() not in made[0]


def test_without_its_texts_the_page_says_why(
    tmp_path: Path, call: Call
) -> None:
    config = write_run(tmp_path, 10)
    run(config, tmp_path / "run")
    (tmp_path / "d" / "B").write_text("changed\n" * 10, encoding="utf-8")
    assert (
        "note: the page is without sentences: d: system B has changed since the run"
        in call(f"report {tmp_path / 'run'} --format html").err
    )
    text = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
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
    policy = next(
        a["content"] or ""
        for _, a in found.elements
        if a.get("http-equiv") == "Content-Security-Policy"
    )
    rules = {
        name: values
        for name, *values in (rule.split() for rule in policy.split(";"))
    }
    assert rules["default-src"] == ["'none'"]
    assert "unsafe" not in policy
    for kind in ("script", "style"):
        digests = [
            base64.b64encode(hashlib.sha256(t.encode()).digest()).decode()
            for t in found.inside[kind]
        ]
        assert digests
        allowed = [f"'sha256-{digest}'" for digest in digests]
        # a page without sentences has not all scripts
        assert rules[f"{kind}-src"][: len(allowed)] == allowed
    assert set(rules) == {
        "default-src",
        "img-src",
        "base-uri",
        "form-action",
        "style-src",
        "script-src",
    }
    for tag, attributes in found.elements:
        assert not [
            name
            for name in attributes
            if name.startswith("on") or name in ("style", "src", "srcset")
        ], tag
        assert (attributes.get("href") or "#").startswith(
            ("#", "data:,", "https://")
        )


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
    shown = "".join(found.text)
    assert not set(shown) & set("\x1b\u202e")
    if name.isprintable():
        assert name in shown


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
    results = replace(
        hostile.results,
        warnings=[name],
        datasets={"d": hostile.results.datasets["d"]},
    )
    scores = [
        replace(score, notes=(name,), peer_signature=name)
        for score in results.scores
    ]
    config = {"description": name, "x-note": name}
    text = html(
        replace(hostile, results=replace(results, scores=scores), config=config)
    )
    check_harmless(
        text,
        html(context(["A", "B", "C", "D"])),
        name,
        "li ul details summary pre",
    )


def test_a_config_is_shown_as_yaml_that_means_the_same() -> None:
    scalars = [
        "500",
        "NO",
        "1e3",
        "null",
        "~",
        "",
        "a: b",
        "# no",
        "- x",
        "'quoted'",
        "two\nlines",
        "\u202e",
    ]
    scalars += ["é", "2024-01-01"]
    config = {
        "description": None,
        "list": scalars,
        "map": {text or "e": text for text in scalars},
        "empty": [],
        "none": {},
    }
    root, problems = yaml_file.parse(as_yaml(config))
    assert problems == []
    assert root.plain() == config
    assert "x: 500\n" in as_yaml({"x": "500"})  # as people write it


def test_one_system_and_one_line(tmp_path: Path) -> None:
    run(
        write_run(
            tmp_path, 1, systems=["A"], references=1, chosen=["gleu", "bleu"]
        ),
        tmp_path / "run",
    )
    found = json.loads(Reader(html(reopen.revisit(tmp_path / "run"))).data)
    assert found["datasets"][0]["numbers"] == [1]


def test_references_as_systems_have_sentences_and_their_mean_has_none(
    tmp_path: Path,
) -> None:
    config = write_run(
        tmp_path,
        9,
        references=3,
        chosen=["gleu[refs=leave_one_out,iter=2]", "bleu"],
    )
    run(config, tmp_path / "run")
    found = Reader(html(reopen.revisit(tmp_path / "run")))
    (dataset,) = json.loads(found.data)["datasets"]
    assert dataset["systems"] == [
        "A",
        "B",
        "reference0",
        "reference1",
        "reference2",
    ]
    gleu, bleu = dataset["metrics"]
    # of the references as systems there is no BLEU
    assert set(bleu["scores"]) == {"A", "B"}
    assert None in unlettered(bleu["rows"])
    assert set(gleu["scores"]) == {*dataset["systems"], "REFERENCE"}
    links = [attributes.get("href") or "" for _, attributes in found.elements]
    assert any("a=reference0&" in link for link in links)
    assert not any("a=REFERENCE&" in link for link in links)


def test_the_package_has_every_part_of_the_page() -> None:
    folder = ROOT / "pipeline" / "extensions" / "page" / "assets"
    shared = {"page.html", "shell.html", "macros.html", "explanations.yaml"}
    assert {file.name for file in folder.iterdir() if file.is_file()} == {
        *shared,
        *page.SCRIPTS,
        *page.STYLES,
    }
    sections = {
        f"sections/{file.name}" for file in (folder / "sections").iterdir()
    }
    templates = "".join(
        file.read_text(encoding="utf-8")
        for file in sorted(folder.rglob("*.html"))
    )
    assert sections == set(re.findall(r'include "(.*?)"', templates))


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
    ("text", "shown"),
    [
        ("-0.05", "−0.05"),  # noqa: RUF001
        ("-1.27↓", "−1.27↓"),  # noqa: RUF001
        ("-0.204 to -0.1", "−0.204 to −0.1"),  # noqa: RUF001
        *(
            (text, text)
            for text in (
                "-",
                "+0.05",
                "1-3",
                "run-2",
                "-2 mistakes",
                "<0.0001",
                "a",
            )
        ),
    ],
)
def test_numbers_of_tables_have_the_minus_sign_of_the_scripts(
    text: str, shown: str
) -> None:
    assert minus(text) == shown
