"""What reports are made of: it depends on config, inputs and version alone, and so do they."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..corpus.corpus import Corpus
    from ..io.safe_files import Content
    from ..scoring.results import Results
    from ..scoring.scored_columns import ScoredColumns


@dataclass(frozen=True, kw_only=True)
class Material:
    """A run to report: results, scores with their columns, texts, and the config as it was written.

    corpora: the texts by data set, {} where they are not at hand, and unread says why; digits: decimals of
    percentages; plots: those wanted ((): all), as files of plot_type; lines: how many sentences of a data set
    the page shows, None for as many as fit.
    """

    results: Results
    measured: tuple[ScoredColumns, ...] = ()
    corpora: Mapping[str, Corpus] = field(default_factory=dict)
    config: Any = None
    unread: str = ""
    digits: int = 2
    plots: tuple[str, ...] = ()
    plot_type: str = "png"
    lines: int | None = None


@dataclass(frozen=True, kw_only=True)
class Format:
    """A form of report: what it is, in a line, and the function that makes its files by their names.

    package: what it needs that a plain installation has not, and the extra that brings it.
    """

    told: str
    files: Callable[[Material], Mapping[str, Content]]
    printed: bool = False
    """Whether `report` prints it where no folder is named: text that people paste."""
    package: str = ""
    extra: str = ""
    texts: bool = True
    """Whether it shows texts: where no form does, they need not be read again."""
