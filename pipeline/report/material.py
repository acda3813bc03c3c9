"""What reports are made of: it depends on config, inputs and version alone, and so do they."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..corpus import Corpus
    from ..files import Content
    from ..results import Results
    from ..significance import Measured


@dataclass(frozen=True)
class Material:
    """A run to report: results, scores with their columns, texts, and the config as it was written.

    corpora: the texts by data set, {} where they are not at hand, and unread says why; digits: decimals of
    percentages.
    """

    results: Results
    measured: tuple[Measured, ...] = ()
    corpora: Mapping[str, Corpus] = field(default_factory=dict)
    config: Any = None
    unread: str = ""
    digits: int = 2


@dataclass(frozen=True)
class Format:
    """A form of report: what it is, in a line, and the function that makes its files by their names."""

    told: str
    files: Callable[[Material], Mapping[str, Content]]
    printed: bool = False
    """Whether `report` prints it where no folder is named: text that people paste."""
