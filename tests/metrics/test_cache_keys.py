"""The names of stored counts: with others, counts that users have stored would not be found."""

from __future__ import annotations

import pytest

from pipeline.corpus.edits.errant_report import Comparison
from pipeline.metrics.build import from_text
from pipeline.metrics.cleme.counts import ClemeNeeds
from pipeline.metrics.errant.counts import ErrantNeeds, TypeNeeds

KEYS = {
    "gleu[tok=13a,strip=true,lc=true]": (
        "overlap-match-penalty-n4-13a-strip-lc",
        "OverlapNeeds(tokenization=Tokenization(tokenizer='13a', strip=True, lowercase=True, stemmer='none', "
        "strip_end=False), order=4, kinds=('match', 'penalty'), source=True, source_len=False)",
    ),
    "gleu[variant=2016-03,lambda=0.1]": (
        "overlap-union_match-new_match-gone_match-n4-whitespace",
        "OverlapNeeds(tokenization=Tokenization(tokenizer='whitespace', strip=False, lowercase=False, "
        "stemmer='none', strip_end=False), order=4, kinds=('union_match', 'new_match', 'gone_match'), "
        "source=True, source_len=False)",
    ),
    "green": (
        "overlap-match-source_only-common-source_match-source_len-n4-whitespace",
        "OverlapNeeds(tokenization=Tokenization(tokenizer='whitespace', strip=False, lowercase=False, "
        "stemmer='none', strip_end=False), order=4, kinds=('match', 'source_only', 'common', "
        "'source_match'), source=True, source_len=True)",
    ),
    "chrf++": (
        "chrf-overlap-match-n6-nonspace-overlap-match-n2-chrf",
        "ChrfNeeds(characters=OverlapNeeds(tokenization=Tokenization(tokenizer='nonspace', strip=False, "
        "lowercase=False, stemmer='none', strip_end=False), order=6, kinds=('match',), source=False, "
        "source_len=False), words=OverlapNeeds(tokenization=Tokenization(tokenizer='chrf', strip=False, "
        "lowercase=False, stemmer='none', strip_end=False), order=2, kinds=('match',), source=False, "
        "source_len=False))",
    ),
    "ter[nopunct=true,asian=true,cased=true]": (
        "ter-tercom-nopunct-asian-cased",
        "TerNeeds(tokens=Tercom(normalized=False, no_punct=True, asian_support=True, case_sensitive=True))",
    ),
    "rouge[types=1+L+W+SU4]": (
        "rouge-n1-lcs-weighted-skip_4-w1.2-newline-google",
        "RougeNeeds(tokenization=Tokenization(tokenizer='google', strip=False, lowercase=False, "
        "stemmer='none', strip_end=False), splitting=Splitting(mode='newline', boundary=''), order=1, "
        "parts=('lcs', 'weighted'), gaps=(4,), lead=False, merged=False, weight='1.2', source=False)",
    ),
    "rouge[flavour=perl,types=1+L+W+S4+SU4,bytes=50]": (
        "rouge-n1-union-weighted_union-skip_4-lead-b50-w1.2-newline-perl",
        "RougeNeeds(tokenization=Tokenization(tokenizer='perl', strip=False, lowercase=False, "
        "stemmer='none', strip_end=False), splitting=Splitting(mode='newline', boundary=''), order=1, "
        "parts=('union', 'weighted_union'), gaps=(4,), lead=True, merged=False, weight='1.2', source=False, "
        "limit=Limit(words=0, bytes=50))",
    ),
    "m2[mu=3,iwc=true]": (
        "m2-master-u3-casing-listed",
        "MaxMatchNeeds(max_unchanged_words=3, ignore_whitespace_casing=True, code='master', annotators='listed')",
    ),
    "imeasure[mix=true,w=3,measure=f,beta=0.5,chosen_by=detection]": (
        "imeasure-whitespace-mix-detection-f-3-0.5",
        "ImeasureNeeds(words='whitespace', mix=('detection', 'f', '3', '0.5'))",
    ),
    "errant[mode=ds,multi=true,filter=R:OTHER+R:SPELL]": (
        "errant-ds-multi-a8f352ffdade",
        "ErrantNeeds(mode='ds', single=False, multi=True, left_out=('R:OTHER', 'R:SPELL'), types=())",
    ),
    "errant[style=cherrant]": (
        "errant-cs-cherrant",
        "ErrantNeeds(mode='cs', single=False, multi=False, style='cherrant', left_out=(), types=())",
    ),
    "cleme[weights=sentence]": (
        "cleme-dependent-48",
        "ClemeNeeds(dependent=True, longest=48)",
    ),
    "external[score=f_beta,decimals=2]": (
        "external-external-tp-fp-fn-d2",
        "ExternalNeeds(title='external', names=('tp', 'fp', 'fn'), decimals=2, source=False)",
    ),
    "length[strip=end,tok=13a]": (
        "overlap-n1-13a-rstrip",
        "OverlapNeeds(tokenization=Tokenization(tokenizer='13a', strip=False, lowercase=False, "
        "stemmer='none', strip_end=True), order=1, kinds=(), source=False, source_len=False)",
    ),
}
"""Key and cache key of the needs of a metric, as version 0.2.0 of the program made them."""


@pytest.mark.parametrize("text", KEYS)
def test_keys_of_stored_counts_are_as_they_were(text: str) -> None:
    needs = from_text(text).needs
    assert (needs.key, needs.cache_key) == KEYS[text]


def test_fields_that_were_added_later_stand_in_cache_keys_where_they_are_set() -> None:
    errant = ErrantNeeds(Comparison("cs", False, False, (), "errant"), annotator="errant-3.0.2.spacy-3")
    assert errant.key == "errant-cs-errant-3.0.2.spacy-3"
    assert errant.cache_key == (
        "ErrantNeeds(mode='cs', single=False, multi=False, left_out=(), types=(), annotator='errant-3.0.2.spacy-3')"
    )
    assert TypeNeeds(errant, ("R:NOUN",)).cache_key == f"TypeNeeds({errant.cache_key}, categories=('R:NOUN',))"
    cleme = ClemeNeeds(dependent=True, longest=16, annotator="errant-3")
    assert (cleme.key, cleme.cache_key) == (
        "cleme-dependent-16-errant-3",
        "ClemeNeeds(dependent=True, longest=16, annotator='errant-3')",
    )
