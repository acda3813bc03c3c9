"""What data sets, tests and judgements cite: tables of keys of `citations.bib`."""

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
"""What tests of significance are called, and what they cite."""
CORRECTIONS = {
    "holm": ("Holm's method", ("holm-1979-simple",)),
    "bonferroni": ("Bonferroni's correction", ("dunn-1961-multiple",)),
}
"""What corrections for many tests are called, and what they cite."""
BOOTSTRAP = ("koehn-2004-statistical",)
RANKS = ("bojar-etal-2013-findings",)
LETTERS = ("piepho-2004-algorithm",)
HUMAN = {
    "expected_wins": ("Expected Wins", ("bojar-etal-2013-findings", "koehn-2012-simulating")),
    "trueskill": ("TrueSkill", ("herbrich-etal-2006-trueskill", "sakaguchi-etal-2014-efficient")),
}
"""What the ways to rank systems by judgements are called, and what they cite."""
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
"""What data sets and judgements cite, by the digests in results.json of their sources and files."""
NAMES = (
    (re.compile("conll-?_?(20)?14", re.IGNORECASE), ("ng-etal-2014-conll",)),
    (re.compile("jfleg", re.IGNORECASE), ("napoles-etal-2017-jfleg",)),
    (re.compile("seeda", re.IGNORECASE), ("kobayashi-etal-2024-revisiting",)),
)
"""What data sets cite, by parts of their names. This is for texts that DIGESTS does not have."""


def keys_of_dataset(name: str, digests: Iterable[str]) -> list[str]:
    """Return what a data set cites, by the digests of its texts or else by its name."""
    by_text = [key for digest in digests for key in DIGESTS.get(digest, ())]
    by_name = [key for pattern, keys in NAMES if pattern.search(name) for key in keys]
    return list(dict.fromkeys(by_text or by_name))
