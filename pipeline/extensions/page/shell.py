"""The frame of every page: templates filled in by jinja2, all text escaped, and a content security
policy.

Styles and scripts are parts of the page. The policy names them by their digests, so that nothing
else runs and nothing is fetched.
"""

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from importlib import resources
from typing import Any, NamedTuple

from pipeline._version import __version__
from pipeline.errors import printable

from .svg import Drawing, minus

BESIDE = {
    ("p", "t"): "The p-value of Williams' test.",
    (
        "d",
        "permutations",
    ): "The statistic of the first metric less that of the other.",
    (
        "groups",
        "undefined",
    ): "Over how many groups of judgements the statistic is a mean.",
    (
        "ranks",
        "accuracy",
    ): "The ranks that people gave to the two outputs of a pair.",
}
"""Explanations by a title and another title of the same table. They come before those of
`explanations.yaml`."""
_CELL_END = re.compile(r"</t[dh]>(?=<t[dh][ >]|</tr>)")
"""The end of a cell before the next one. HTML does without, and large pages have ten thousands."""
HERE = "pipeline.extensions.page"
"""The package whose assets all pages share."""
SHADES = 10
"""How many shades a map has besides that of 0."""


def explanation(title: str, header: Sequence[str] = ()) -> str:
    """Return the meaning of a column by its title, or an empty text if it is unknown.

    `header` has all titles of the table, since a few mean different things in different tables.
    """
    for other in header:
        if (title, other) in BESIDE:
            return BESIDE[title, other]
    for pattern, text in explanations().items():
        match = re.fullmatch(pattern, title)
        if match:
            return text.format(**match.groupdict())
    return ""


@lru_cache(1)
def explanations() -> dict[str, str]:
    """Return the sentences of `explanations.yaml` by the patterns of titles."""
    import yaml  # here, because only pages need it

    file = resources.files(HERE) / "assets/explanations.yaml"
    return dict(yaml.safe_load(file.read_text(encoding="utf-8")))


class Design(NamedTuple):
    """The assets of a page, by their names."""

    template: str
    styles: Sequence[str]
    scripts: Sequence[str]
    """In the order in which they run: the first before the page is drawn."""
    package: str = HERE
    """The package with the assets that this page alone has."""

    def part(self, name: str) -> str:
        """Return the text of an asset: that of the page's own package, or else the shared one."""
        file = resources.files(self.package) / "assets" / name
        if not file.is_file():
            file = resources.files(HERE) / "assets" / name
        return file.read_text(encoding="utf-8")


class Link(NamedTuple):
    """A cell of a table with a link."""

    text: str
    href: str

    def __html__(self) -> str:
        """Return the link as an element of a page; templates take it as it is."""
        return (
            f'<a href="{escape(self.href)}">{escape(printable(self.text))}</a>'
        )


class PageTable(NamedTuple):
    """A table for the template."""

    header: Sequence[str]
    rows: Sequence[Sequence[str | Link]]
    left: Sequence[int] = (0,)
    """Numbers of the columns of text, which are aligned to the left."""


class Shade(NamedTuple):
    """A cell of a table whose numbers are shaded by their size."""

    text: str
    kind: str
    """The class of the style sheet: h0 for a score of 0, up to h10, or none."""
    title: str = ""
    """All numbers, which the pointer shows."""


class Heads:
    """The explanations of titles of columns that a page needs, each once."""

    def __init__(self) -> None:
        self.texts: dict[tuple[str, str], str] = {}
        """The name of an element for each title and its explanation."""

    def about(
        self, title: str, header: Sequence[str] = ()
    ) -> dict[str, str] | None:
        """Return the explanation of a column's title in a table with this header, and the name of
        the element of the page that will have it; None if there is none.
        """
        text = explanation(title, header)
        if not text:
            return None
        name = self.texts.setdefault(
            (title, text), f"about-{len(self.texts) + 1}"
        )
        return {"name": name, "text": text}


class Row(NamedTuple):
    """A system of a leader board."""

    rank: str
    system: str
    score: str
    """The score as text."""
    bar: Drawing | None
    cells: Sequence[str]
    """The cells after the score and its bar."""
    best: bool = False
    href: str = ""
    """The address of its sentences, or an empty text."""
    sha256: str = ""
    """The checksum of the file of its output, where the page knows outputs by it."""


def render(
    design: Design, content: dict[str, Any], used: int | None = None
) -> str:
    """Return a page as HTML. `content` has the variables of the template; only the first `used`
    scripts are put into it, or all. The policy always allows all of them. Needs jinja2.
    """
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
    styles = [design.part(name) for name in design.styles]
    scripts = [design.part(name) for name in design.scripts]
    # The content security policy: these styles and scripts work, nothing else.
    rules = [
        "default-src 'none'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        " ".join(["style-src", *map(_digest, styles)]),
        " ".join(["script-src", *map(_digest, scripts)]),
    ]
    text: str = environment.get_template(design.template).render(
        **content,
        styles=styles,
        scripts=scripts,
        policy="; ".join(rules),
        used=used,
        version=__version__,
    )
    return _CELL_END.sub("", text).rstrip("\n") + "\n"


def _digest(text: str) -> str:
    """Return a style or script as a content security policy names it."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"
