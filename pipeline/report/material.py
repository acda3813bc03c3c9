"""What reports are made of. All of it follows from config, inputs and version, so equal runs have equal reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .tables.plot_style import PLAIN, PlotStyle

if TYPE_CHECKING:
    from ..corpus.corpus import Corpus
    from ..human.human_judgements import HumanJudgements
    from ..io.safe_files import Content
    from ..scoring.board import Board
    from ..scoring.results import Results


@dataclass(frozen=True, kw_only=True)
class Material:
    """A run to report."""

    results: Results
    measured: tuple[Board, ...] = ()
    """The scores of each metric on each data set, with the columns of counts that they are made of."""
    corpora: Mapping[str, Corpus] = field(default_factory=dict)
    """The texts by data set; empty where they are not at hand."""
    config: Any = None
    """The config as it was written."""
    people: Callable[[], HumanJudgements | None] = lambda: None
    """Reads what people said of the systems, as `human` in the config has it; None where that is not at hand."""
    unread: str = ""
    """Why the texts are not at hand."""
    digits: int = 2
    """Decimals of percentages."""
    by_type: bool = False
    """Whether the scores by type are asked for, and nothing else."""
    tier: int = 2
    """How finely types of edits are told apart: 3 is finest."""
    plots: tuple[str, ...] = ()
    """Names of the plots to draw; empty for all."""
    plot_type: str = "png"
    plot_style: PlotStyle = PLAIN
    """Width, letters and title of plots."""
    name: str = ""
    """What this run is called in figures of several runs."""
    beside: tuple[tuple[str, Results], ...] = ()
    """Names and results of the other runs that a figure shows."""
    columns: tuple[str, ...] = ()
    """Names or patterns of the columns that tables have beside names and score; empty for the usual ones."""
    lines: int | None = None
    """How many sentences of a data set the page shows; None for as many as fit."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """A form of report."""

    about: str
    """What it is, in a line of help."""
    files: Callable[[Material], Mapping[str, Content]]
    """Makes its files, by their names."""
    printed: bool = False
    """Whether the command `report` prints it when no folder is named, so that people can paste it."""
    package: str = ""
    """The package it needs that a plain installation lacks."""
    extra: str = ""
    """The extra of gec-pipeline that brings this package."""
    texts: bool = False
    """Whether it shows texts. If no form that is asked for does, the texts are not read again."""
