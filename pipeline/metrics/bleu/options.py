"""The options of BLEU: its flavours, and what each of them allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...dataclass import dataclass
from ...kernel.common import MAX_ORDER
from ...tokenizers import OWN, TOKENIZERS
from ..base.options import level_option, lowercase_option, option
from .smoothing import SMOOTHING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Flavour(NamedTuple):
    """The defaults of a flavour."""

    tokenizer: str
    smoothing: str
    char: str = "nonspace"
    """The tokeniser that this flavour calls char."""


FLAVOURS = {
    "sacrebleu": Flavour("13a", "exp"),
    "nltk": Flavour("whitespace", "method0", char="char"),
    "tensorflow": Flavour("13a", "none"),
    "moses": Flavour("ascii_whitespace", "none"),  # Perl splits bytes: a no-break space is part of a word
}
NUMBER = r"[0-9]{1,3}(\.[0-9]{1,17})?"
QUARTERS = [0.25] * 4
"""The weights that auto_reweigh replaces."""
WEIGHTS = rf"{NUMBER}(\+{NUMBER}){{0,8}}"


def _flavour(given: Mapping[str, Any]) -> Flavour:
    return FLAVOURS[given.get("flavour", "sacrebleu")]


def _order(given: Mapping[str, Any]) -> int:
    sets = weight_sets(given.get("weights", ""))
    return max(map(len, sets)) if sets else 4


def weight_sets(weights: str) -> list[list[float]]:
    """Return the sets of weights in the text of the option, or none if it is empty."""
    return [[float(weight) for weight in part.split("+")] for part in weights.split("_")] if weights else []


def _value(given: Mapping[str, Any]) -> str:
    return SMOOTHING[given.get("smoothing", _flavour(given).smoothing)].value


@dataclass(frozen=True)
class BleuOptions:
    """The options of BLEU, and which of them do not go together."""

    flavour: str = option("sacrebleu", help="whose BLEU; see `help bleu`", choices=tuple(FLAVOURS))
    weights: str = option(
        "",
        help="a weight for each order; several sets are joined by _",
        implicit=True,
        pattern=rf"{WEIGHTS}(_{WEIGHTS}){{0,8}}",
        form="a number for each order joined by +, such as 0.5+0.5; several sets joined by _",
    )
    order: int = option(_order, key="n", help="longest n-grams", minimum=1, maximum=MAX_ORDER)
    tokenizer: str = option(
        lambda given: _flavour(given).tokenizer,
        key="tok",
        help="how lines are split: 13a, or whitespace for the flavour nltk, ascii_whitespace for moses",
        choices=("none", *TOKENIZERS),
        beside=OWN,
    )
    lowercase: bool = lowercase_option()
    level: str = level_option()
    smoothing: str = option(
        lambda given: _flavour(given).smoothing,
        key="smooth",
        help="what stands for precisions of 0: exp for the flavour sacrebleu, method0 for nltk, else none",
        choices=tuple(SMOOTHING),
    )
    smoothing_value: str = option(
        _value,
        key="value",
        help="the value of floor (0.1), add-k (1), method1 (0.1), method4, method6 and method7 (5)",
        applies=lambda m: bool(SMOOTHING[m.smoothing].value),
        why="this smoothing has no value",
        pattern=NUMBER,
        form="a number such as 0.1",
    )
    effective_order: str = option(
        "auto",
        key="eff",
        help="leave out orders that the output has no n-grams of; auto: at sentence level",
        choices=("auto", "yes", "no"),
        applies=lambda m: m.flavour == "sacrebleu",
        why="only the flavour sacrebleu has it",
    )
    auto_reweigh: bool = option(
        False,
        key="reweigh",
        help="share default weights among the orders that a text of fewer than 4 tokens has",
        applies=lambda m: m.flavour == "nltk" and QUARTERS in m.sets,
        why="only the flavour nltk has it, for weights of 0.25 of four orders",
        implicit=True,
    )
    ties: str = option(
        "shorter",
        help="of two reference lengths equally close: the shorter, or that of the first reference",
        choices=("shorter", "first"),
        applies=lambda m: m.flavour != "tensorflow",
        why="the flavour tensorflow takes the shortest length",
    )
    brevity_penalty: str = option(
        "standard",
        key="bp",
        help="inverted: punish long outputs instead, as the code of Napoles et al. 2016 does",
        choices=("standard", "inverted"),
    )

    def conflicts(self) -> list[tuple[str, str]]:
        """Return a smoothing that the flavour or the order does not allow, and wrong weights."""
        problems = []
        if self.flavour not in SMOOTHING[self.smoothing].flavours:
            allowed = ", ".join(name for name, smoothing in SMOOTHING.items() if self.flavour in smoothing.flavours)
            problems.append(("smoothing", f"flavour {self.flavour} takes {allowed}; found '{self.smoothing}'"))
        if self.smoothing == "method6" and self.order < 3:
            problems.append(("smoothing", f"method6 needs an order of at least 3, found {self.order}"))
        sets = weight_sets(self.weights)
        if sets and max(map(len, sets)) != self.order:
            problems.append(("order", f"the weights are for order {max(map(len, sets))}, found {self.order}"))
        if not all(map(sum, sets)):
            problems.append(("weights", "all weights of a set are 0"))
        elif any(len(weights) == 1 and weights != [1] for weights in sets):  # most likely a list was meant
            message = "one weight alone can only be 1; those of several orders are joined: 0.4+0.3+0.3"
            problems.append(("weights", message))
        if len(sets) > 1 and self.level == "mean":
            problems.append(("weights", "level: mean takes one set of weights"))
        return problems

    @property
    def sets(self) -> list[list[float]]:
        """The sets of weights of the orders. Where none is given there is one, with equal weights."""
        return weight_sets(self.weights) or [[1 / self.order] * self.order]
