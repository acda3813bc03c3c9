"""What a run is to cite: every key has an entry, every entry is whole, and a run cites what it
used.
"""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.data import Catalogue
from pipeline.errors import InputError
from pipeline.extensions.published.commands import cite
from pipeline.extensions.published.commands.cite import (
    bibtex,
    citations,
    keys_of_texts,
    of_metric,
)
from pipeline.metrics import METRICS
from pipeline.scoring.results import Results
from pipeline.scoring.significance_tests import (
    SIGNIFICANCE_TESTS,
    PairedScores,
    SignificanceTest,
)
from tests.conftest import ROOT, run, write_run
from tests.support.in_process import Call
from tests.support.tables import table

CITED = """
nist: doddington-2002-automatic
meteor: denkowski-lavie-2014-meteor
cider: vedantam-etal-2015-cider
rouge[flavour=coco]: lin-2004-rouge chen-etal-2015-microsoft
gleu: napoles-etal-2015-ground napoles-etal-2016-gleu
gleu[variant=2015]: napoles-etal-2015-ground
google_gleu: wu-etal-2016-google
green: koyama-etal-2024-n
bleu: papineni-etal-2002-bleu post-2018-call
bleu[smoothing=floor]: papineni-etal-2002-bleu post-2018-call chen-cherry-2014-systematic
bleu[flavour=moses]: papineni-etal-2002-bleu
chrf: popovic-2015-chrf
chrf[nw=2]: popovic-2015-chrf popovic-2017-chrf
ter: snover-etal-2006-study post-2018-call
sari: xu-etal-2016-optimizing alva-manchego-etal-2019-easse
features:
rouge: lin-2004-rouge
rouge[stemmer=porter]: lin-2004-rouge porter-1980-algorithm
external[title=ERRANT]: bryant-etal-2017-automatic
external[title=m2]: dahlmeier-ng-2012-better
errant: bryant-etal-2017-automatic
m2: dahlmeier-ng-2012-better
gotoscorer: gotou-etal-2020-taking
imeasure: felice-briscoe-2015-towards
cleme: ye-etal-2023-cleme
cleme[version=2]: ye-etal-2025-cleme2
external:
length:
some: yoshimura-etal-2020-reference
impara: maeda-etal-2022-impara
scribendi: islam-magnani-2021-end
bertscore: zhang-etal-2020-bertscore
pt_errant: gong-etal-2022-revisiting zhang-etal-2020-bertscore
comet: rei-etal-2020-comet
judge:
"""
"""What metrics cite, with settings that need more."""
KEYS = {}
for line in CITED.split("\n")[1:-1]:
    metric, _, keys = line.partition(":")
    KEYS[metric] = keys.split()


def all_keys() -> set[str]:
    found = {key for text in KEYS for key in of_metric(text).citations}
    for keys in (
        *cite.CITED["methods"].values(),
        *cite.CITED["texts"].values(),
    ):
        found |= set(keys)
    for test in SIGNIFICANCE_TESTS.values():
        found |= set(test.citations)
    return found


def keys_of_data_sets() -> set[str]:
    sets = Catalogue.known().values()
    return {key for dataset in sets for key in dataset.citations}


def test_every_key_has_its_entry_and_every_entry_its_use() -> None:
    path = ROOT / "pipeline" / "extensions" / "published" / "citations.bib"
    text = path.read_text(encoding="utf-8")
    entries = re.findall(r"^@[a-z]+\{([^,]+),$", text, re.MULTILINE)
    assert len(entries) == len(set(entries))
    assert set(entries) == all_keys() | keys_of_data_sets() == set(citations())


@pytest.mark.parametrize("name", METRICS)
def test_citations_of_metrics_have_entries(name: str) -> None:
    assert set(of_metric(name).citations) <= set(citations())


def test_citations_of_data_sets_have_entries_with_addresses() -> None:
    cited = keys_of_data_sets()
    assert cited
    for key in cited:
        fields = re.findall(r"^  (\w+) +=", citations()[key], re.MULTILINE)
        assert {"title", "author", "year", "url"} <= set(fields)


@pytest.mark.parametrize("key", sorted(citations()))
def test_entries_are_whole(key: str) -> None:
    entry = citations()[key]
    fields = dict(re.findall(r"^  ([a-z]+) *= \{(.*)\},$", entry, re.MULTILINE))
    assert len(fields) == len(entry.splitlines()) - 2
    assert {"title", "author", "year"} <= set(fields)
    assert entry.count("{") == entry.count("}")
    assert fields["year"] in key
    assert not re.search(r"&|(?<!\\)[%#]", entry)
    assert re.fullmatch(r"\d+--\d+", fields.get("pages", "1--2"))
    surname = fields["author"].partition(",")[0].lower()
    assert (
        key.startswith(re.sub(r"[{}\\'v]", "", surname)[:4])
        or key[:4] == surname[:4]
    )


@pytest.mark.parametrize("text", KEYS)
def test_metrics_cite_what_they_are_from(text: str) -> None:
    assert list(of_metric(text).citations) == KEYS[text]


def test_what_is_no_metric_cites_nothing() -> None:
    assert {of_metric(text).name for text in KEYS} == set(METRICS)
    with pytest.raises(
        InputError, match="cite runs/x: neither a run directory nor a metric"
    ):
        of_metric("runs/x")


def test_data_sets_are_known_by_content() -> None:
    assert keys_of_texts(["00", "58df43ab51437d935ec779d6ee6c1293"]) == [
        "napoles-etal-2017-jfleg"
    ]
    assert keys_of_texts(["00"]) == []


def test_a_run_is_cited(sample: Path, call: Call) -> None:
    out, err = call(f"cite {sample}")
    notes, _, entries = out.partition("\n@")
    # it is a BibTeX file
    assert all(line.startswith("% ") for line in notes.splitlines() if line)
    results = Results.read(sample / "results.json")
    statistics = results.statistics
    assert statistics
    peers = {
        SIGNIFICANCE_TESTS.signature(s.peer_signature, statistics)
        for s in results.scores
        if s.peer_signature
    }
    samples = f"|bs:{statistics['resamples']}|seed:"
    assert all(samples in peer for peer in peers)
    for signature in {score.metric for score in results.scores} | peers:
        assert signature in notes
    assert "% GLEU+: gleu|" in notes
    test = "approximate randomization [riezler-maxwell-2005-pitfalls]"
    assert f"\n% tests (500 trials, seed 12345): {test}\n" in notes
    cited = set()
    for keys in re.findall(r" \[([a-z0-9, -]+)\]$", notes, re.MULTILINE):
        cited |= set(keys.split(", "))
    keys = re.findall(r"^@?[a-z]+\{([^,]+),$", entries, re.MULTILINE)
    assert cited == set(keys)
    missing = "no entry for {}: cite where it is from\n"
    human = missing.format("the human scores")
    assert err == missing.format("data set sample") + human
    letters = "trials, seed 12345): letters [piepho-2004-algorithm]"
    assert letters in call(f"cite {sample.parent / 'pairs'}").out
    assert call("cite chrf").out == citations()["popovic-2015-chrf"]


@pytest.mark.parametrize(
    ("test", "line"),
    table("""
        approximate_randomization  tests (50 trials, seed 7): approximate randomization [riezler-maxwell-2005-pitfalls]
        paired_bootstrap           tests (40 samples, seed 7): paired bootstrap [koehn-2004-statistical]
        sign                       tests: sign [dixon-mood-1946-statistical]
    """),
)
def test_a_test_is_cited_with_the_samples_that_it_draws(
    test: str, line: str, sample: Path, tmp_path: Path, call: Call
) -> None:
    results = Results.read(sample / "results.json")
    assert results.statistics
    settings = {"test": test, "trials": 50, "resamples": 40, "seed": 7}
    changed = replace(results, statistics={**results.statistics, **settings})
    (tmp_path / "results.json").write_text(changed.to_json())
    assert f"% {line}" in call(f"cite {tmp_path}").out.splitlines()


def test_a_key_without_an_entry_is_named_with_the_nearest() -> None:
    with pytest.raises(
        InputError,
        match=r"citations\.bib has no entry 'post-2018-cal' \(did you mean 'post-2018-call'\?\)",
    ):
        bibtex(["post-2018-cal"])


def test_a_significance_test_cites_its_own_entry(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: Call,
) -> None:
    def p_values(systems: PairedScores) -> list[float]:
        return [0.001 for _ in systems.pairs]

    test = SignificanceTest(
        summary="always significant",
        p_values=p_values,
        samples="trials",
        citations=["@misc{always-2024-always,\n  title = {Always}\n}"],
    )
    monkeypatch.setitem(SIGNIFICANCE_TESTS, "always", test)
    statistics = {"test": "always", "correction": "none", "trials": 60}
    run(
        write_run(tmp_path, 6, systems="AB", statistics=statistics),
        tmp_path / "run",
    )
    out = call(f"cite {tmp_path / 'run'}").out
    assert "% tests (60 trials, seed 12345): always [always-2024-always]" in out
    assert "@misc{always-2024-always," in out
