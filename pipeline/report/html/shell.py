"""What every page is made with: templates filled in by jinja2, all text escaped, and a content security policy.

Styles and scripts are parts of the page. The policy names them by their digests, so that nothing else runs and nothing
is fetched.
"""

from __future__ import annotations

import base64
import hashlib
from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

from ..._version import __version__
from ...errors import printable
from ..tables.explanations import explanation
from .svg import minus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .svg import Drawing

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
    shell = {"styles": styles, "scripts": scripts, "policy": policy(styles, scripts), "used": used}
    text: str = environment.get_template(design.template).render(**content, **shell, version=__version__)
    return text.rstrip("\n") + "\n"


def policy(styles: Sequence[str], scripts: Sequence[str]) -> str:
    """Return the content security policy that lets these styles and scripts work and nothing else."""
    named = {
        kind: " ".join(
            f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in texts
        )
        for kind, texts in (("style-src", styles), ("script-src", scripts))
    }
    rules = ["default-src 'none'", "img-src data:", "base-uri 'none'", "form-action 'none'"]
    return "; ".join([*rules, *(f"{kind} {digests}" for kind, digests in named.items())])
