"""The names of stored counts: with others, counts that users have stored would not be found."""

import pytest

from pipeline.extensions.errant.errant_report import Comparison
from pipeline.extensions.errant.metrics.cleme_counts import ClemeSpec
from pipeline.extensions.errant.metrics.errant import ErrantSpec, TypeSpec
from pipeline.metrics.build import from_text
from tests.support.words import rows

KEYS = rows("""
    m2[mu=3,iwc=true] => m2-master-u3-casing-listed => MaxMatchNeeds(max_unchanged_words=3, ignore_whitespace_casing=True, code='master', annotators='listed')
    imeasure[mix=true,w=3,measure=f,beta=0.5,chosen_by=detection] => imeasure-whitespace-mix-detection-f-3-0.5 => ImeasureNeeds(words='whitespace', mix=('detection', 'f', '3', '0.5'))
    errant[mode=ds,multi=true,filter=R:OTHER+R:SPELL] => errant-ds-multi-a8f352ffdade => ErrantNeeds(mode='ds', single=False, multi=True, left_out=('R:OTHER', 'R:SPELL'), types=())
    errant[style=cherrant] => errant-cs-cherrant => ErrantNeeds(mode='cs', single=False, multi=False, style='cherrant', left_out=(), types=())
    cleme[weights=sentence] => cleme-dependent-48 => ClemeNeeds(dependent=True, longest=48)
""")
"""Key and cache key of the specification of a metric, as version 0.2.0 of the program made them."""


@pytest.mark.parametrize(("text", "key", "cache_key"), KEYS)
def test_keys_of_stored_counts_are_as_they_were(
    text: str, key: str, cache_key: str
) -> None:
    spec = from_text(text).spec
    assert (spec.key, spec.cache_key) == (key, cache_key)


def test_fields_that_were_added_later_stand_in_cache_keys_where_they_are_set() -> (
    None
):
    errant = ErrantSpec(
        Comparison("cs", False, False, (), "errant"),
        annotator="errant-3.0.2.spacy-3",
    )
    assert errant.key == "errant-cs-errant-3.0.2.spacy-3"
    assert errant.cache_key == (
        "ErrantNeeds(mode='cs', single=False, multi=False, left_out=(), types=(), annotator='errant-3.0.2.spacy-3')"
    )
    of_types = TypeSpec(
        errant.comparison, annotator=errant.annotator, categories=("R:NOUN",)
    )
    assert (
        of_types.cache_key
        == f"TypeNeeds({errant.cache_key}, categories=('R:NOUN',))"
    )
    cleme = ClemeSpec(dependent=True, longest=16, annotator="errant-3")
    assert (cleme.key, cleme.cache_key) == (
        "cleme-dependent-16-errant-3",
        "ClemeNeeds(dependent=True, longest=16, annotator='errant-3')",
    )
