"""What every page is made with: templates filled in by jinja2, all text escaped, and a content security policy.

Styles and scripts are parts of the page. The policy names them by their digests, so that nothing else runs and nothing
is fetched.
"""

import base64
import hashlib
import re
from collections.abc import Sequence
from html import escape
from importlib import resources
from typing import Any, NamedTuple

from ..._version import __version__
from ...errors import printable
from .svg import Drawing, minus

EXPLANATIONS = {
    "rank": "The place by score: 1 is the best. Systems with equal scores share a place.",
    "system": "The name of the output, as the config has it.",
    "std of draws": "The standard deviation of the score over random draws of references.",
    "[0-9.]+% of draws": "Of random draws of references, so many give a score in this range.",
    "[0-9.]+% interval": (
        "Where the number would lie if other sentences of the same kind had been drawn: percentiles of bootstrap "
        "samples of the sentences."
    ),
    "[0-9.]+%": "The interval of the number before it, over bootstrap samples.",
    "ranks": "The best and the worst rank in bootstrap samples of the sentences, without the extremes.",
    "cluster": ("Systems of different clusters do not overlap in their ranks. Within a cluster the order is not sure."),
    "groups": "Systems that share a letter do not differ significantly.",
    "against (?P<name>.+)": (
        "The score less that of the baseline {name}, in points. Marked is what differs significantly."
    ),
    "p": "The p-value: how likely so large a difference is if there is none in truth.",
    "p adjusted": "The p-value after the correction for the number of comparisons.",
    "other": "What the first is compared with.",
    "difference": "The score of the first system less that of the other, in points.",
    "better in": "The share of bootstrap samples in which the first system scores better. Equal scores count half.",
    "wins": "Sentences with which the first system scores better than the other.",
    "losses": "Sentences with which the first system scores worse than the other.",
    "ties": "Sentences with which both systems score the same.",
    "d": "The size of the difference: its mean over sentences, divided by its standard deviation (Cohen).",
    "n": "The order: of how many tokens an n-gram is made. Where metrics meet people, the number of systems.",
    "(.+_)?precision": "Of what the output has, the share that is right.",
    "(.+_)?recall": "Of what a reference has, the share that the output has too.",
    "brevity_penalty": "What the score is multiplied by where the output is shorter than the reference; 100 is none.",
    "ratio": "The length of the output divided by that of the reference.",
    "match": "N-grams of the output that the reference has too.",
    "penalty": "N-grams of the output that the source has and the reference has not.",
    "numer": "What the score counts: matches less penalties.",
    "total": "All n-grams of the output.",
    "hyp_len": "Tokens of the output.",
    "ref_len": "Tokens of the reference.",
    "hyp_total": "All n-grams of the output.",
    "ref_total": "All n-grams of the reference.",
    "tp": "What is right and in the output: edits, or n-grams, that the reference has too.",
    "fp": "What is in the output and wrong: edits, or n-grams, that the reference has not.",
    "fn": "What the output lacks: edits, or n-grams, that the reference alone has.",
    "tn": "What both the output and the reference leave as it is.",
    "type": "The kind of edit, such as that of a noun's number.",
    "metric": "The metric, with its settings where several share a name.",
    "human score": "How the judgements of people became a score of each system.",
    "pearson": "Pearson's r: how near the two are to a straight line, from -1 to 1.",
    "spearman": "Spearman's rho: how far the two agree on the order, from -1 to 1.",
    "kendall": "Kendall's tau: pairs in the same order less those in the opposite order, as a share, from -1 to 1.",
    "accuracy": "The share of pairs that are in the same order.",
    "r of both": "Pearson's r of the two metrics with each other.",
    "t": "The statistic of Williams' test: above 0 where the first metric is closer to people.",
    "places": "The places in the human ranking that are compared.",
    "pairs": "How many pairs are compared.",
    "metric ties": "Pairs to which the metric gives equal scores.",
    "statistic": "How agreement is measured.",
    "value": "The statistic's value; for most of them 1 is perfect agreement.",
    "epsilon": "Differences of the metric up to this count as ties.",
    "permutations": "How many times the scores of both metrics were exchanged at random.",
    "undefined": "Groups in which the statistic has no value, since all scores are equal.",
    "expected": "What the config expects.",
    "equal": "How many of the values are as expected.",
    "largest difference": "How far the value that is furthest off is from the expected one.",
    "verdict": "Whether the values are as expected, in a word.",
}
"""Sentences by titles. A title is a regular expression for the whole of it; its groups may stand in the sentence."""
BESIDE = {
    ("p", "t"): "The p-value of Williams' test.",
    ("d", "permutations"): "The statistic of the first metric less that of the other.",
    ("groups", "undefined"): "Over how many groups of judgements the statistic is a mean.",
    ("ranks", "accuracy"): "The ranks that people gave to the two outputs of a pair.",
}
"""Sentences by a title and another title that stands in the same table, where these come before EXPLANATIONS."""
_CELL_END = re.compile(r"</t[dh]>(?=<t[dh][ >]|</tr>)")
"""The end of a cell before the next one. HTML does without, and large pages have ten thousands."""
_PATTERNS = [(re.compile(title), text) for title, text in EXPLANATIONS.items()]


def explanation(title: str, header: Sequence[str] = ()) -> str:
    """Return what the title of a column means, or an empty text where nothing is known about it.

    `header` has all titles of the table, since a few mean different things in different tables.
    """
    for other in header:
        if text := BESIDE.get((title, other)):
            return text
    for pattern, text in _PATTERNS:
        if match := pattern.fullmatch(title):
            return text.format(**match.groupdict())
    return ""


HERE = "pipeline.report.html"
"""The package whose assets all pages share."""


class Design(NamedTuple):
    """What a page is made of, by the names of its assets."""

    template: str
    styles: Sequence[str]
    scripts: Sequence[str]
    """In the order in which they run: the first before the page is drawn."""
    package: str = HERE
    """The package with the assets that this page alone has."""

    def part(self, name: str) -> str:
        """Return the text of an asset: that of the page's own package, or else the shared one."""
        own = resources.files(self.package) / "assets" / name
        file = own if own.is_file() else resources.files(HERE) / "assets" / name
        return file.read_text(encoding="utf-8")


class Link(NamedTuple):
    """A cell of a table that leads somewhere."""

    text: str
    href: str

    def __html__(self) -> str:
        """Return the link as an element of a page; templates take it as it is."""
        return f'<a href="{escape(self.href)}">{escape(printable(self.text))}</a>'


class PageTable(NamedTuple):
    """A table for the template."""

    header: Sequence[str]
    rows: Sequence[Sequence[str | Link]]
    left: Sequence[int] = (0,)
    """Numbers of the columns of text, which are aligned to the left."""


class Heads:
    """The explanations of titles of columns that a page needs, each once."""

    def __init__(self) -> None:
        self.texts: dict[tuple[str, str], str] = {}
        """The name of an element for each title and its explanation."""

    def about(self, title: str, header: Sequence[str] = ()) -> dict[str, str] | None:
        """Return the explanation of a title and the name of the element that has it; None where there is none."""
        text = explanation(title, header)
        if not text:
            return None
        return {"name": self.texts.setdefault((title, text), f"about-{len(self.texts) + 1}"), "text": text}


class Row(NamedTuple):
    """A system of a leader board."""

    rank: str
    system: str
    shown: str
    """The score as text."""
    bar: Drawing | None
    cells: Sequence[str]
    """The cells after the score and its bar."""
    best: bool = False
    href: str = ""
    """The address of its sentences, or an empty text."""
    sha256: str = ""
    """The checksum of the file of its output, where the page knows outputs by it."""


def render(design: Design, content: dict[str, Any], used: int | None = None) -> str:
    """Return a page. `content` has the variables of the template; only the first `used` scripts are put into it."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(design.part),
    )
    environment.filters["shown"] = printable
    environment.filters["minus"] = minus
    environment.globals["heads"] = Heads()
    styles, scripts = [design.part(name) for name in design.styles], [design.part(name) for name in design.scripts]
    rules = ["default-src 'none'", "img-src data:", "base-uri 'none'", "form-action 'none'"]
    for kind, texts in (("style-src", styles), ("script-src", scripts)):  # these work, and nothing else
        digests = [base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in texts]
        rules.append(" ".join([kind, *(f"'sha256-{digest}'" for digest in digests)]))
    shell = {"styles": styles, "scripts": scripts, "policy": "; ".join(rules), "used": used}
    text: str = environment.get_template(design.template).render(**content, **shell, version=__version__)
    return _CELL_END.sub("", text).rstrip("\n") + "\n"
