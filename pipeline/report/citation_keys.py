"""What data sets, tests and judgements cite: keys of `citations.bib`, in a table for each kind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

TESTS = {
    "approximate_randomization": ("approximate randomisation", ("riezler-maxwell-2005-pitfalls",)),
    "paired_bootstrap": ("paired bootstrap", ("koehn-2004-statistical",)),
    "sign": ("the sign test", ("dixon-mood-1946-statistical",)),
}
"""What tests of significance are called, and what they are from."""
CORRECTIONS = {
    "holm": ("Holm's method", ("holm-1979-simple",)),
    "bonferroni": ("Bonferroni's correction", ("dunn-1961-multiple",)),
}
"""The same of corrections for many tests."""
BOOTSTRAP = ("koehn-2004-statistical",)
RANKS = ("bojar-etal-2013-findings",)
LETTERS = ("piepho-2004-algorithm",)
HUMAN = {
    "expected_wins": ("Expected Wins", ("bojar-etal-2013-findings", "koehn-2012-simulating")),
    "trueskill": ("TrueSkill", ("herbrich-etal-2006-trueskill", "sakaguchi-etal-2014-efficient")),
}
"""The same of the ways to rank systems by judgements."""
PAIRWISE = ("deutsch-etal-2023-ties",)
WILLIAMS = ("williams-1959-regression", "graham-baldwin-2014-testing")
WINDOWS = ("kobayashi-etal-2024-revisiting",)
DIGESTS = {
    "96ce02eaed3f96e27487ccbd0ca24583": ("ng-etal-2014-conll",),  # source, and its twin without blanks at line ends
    "3a8d236d682cf99deef2e245e08ff2da": ("ng-etal-2014-conll",),
    "58df43ab51437d935ec779d6ee6c1293": ("napoles-etal-2017-jfleg",),
    "780bac619555cbbf2702b89ba00fadcd": ("kobayashi-etal-2024-revisiting", "ng-etal-2014-conll"),
    "cb1f7e090b4ad1ee77cabf86a4db53c7": ("napoles-etal-2015-ground",),
    "c931115d3ad9ada8b8033fc38a2e3dc0": ("napoles-etal-2015-ground",),
    "ad37bbd6d49262281b551ead28d5ecbf": ("grundkiewicz-etal-2015-human",),
    "4f4053508cceca677a5bda3fe2d66fe6": ("kobayashi-etal-2024-revisiting",),
    "bd3e43347192c368827550d796c29aec": ("kobayashi-etal-2024-revisiting",),
}
"""Sources of data sets, and files of human judgements, by the digests that results.json has of them."""
NAMES = (
    (re.compile("conll-?_?(20)?14", re.IGNORECASE), ("ng-etal-2014-conll",)),
    (re.compile("jfleg", re.IGNORECASE), ("napoles-etal-2017-jfleg",)),
    (re.compile("seeda", re.IGNORECASE), ("kobayashi-etal-2024-revisiting",)),
)
"""Data sets by parts of their names, where their texts are not known."""


def keys_of_dataset(name: str, digests: Iterable[str]) -> list[str]:
    """Return what a data set cites: known by its texts, else by its name."""
    known = [key for digest in digests for key in DIGESTS.get(digest, ())]
    guessed = [key for pattern, keys in NAMES if pattern.search(name) for key in keys]
    return list(dict.fromkeys(known or guessed))
