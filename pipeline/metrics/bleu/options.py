"""The options of BLEU: its flavours, and what each of them takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...tokenizers import TOKENIZERS
from ..base.option import LEVEL, Option
from .smoothing import SMOOTHING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Flavour(NamedTuple):
    """Defaults of a flavour, and which tokeniser it means by char."""

    tokenizer: str
    smoothing: str
    char: str = "nonspace"


FLAVOURS = {
    "sacrebleu": Flavour("13a", "exp"),
    "nltk": Flavour("whitespace", "method0", char="char"),
    "tensorflow": Flavour("13a", "none"),
    "moses": Flavour("ascii_whitespace", "none"),  # Perl splits bytes: a no-break space is part of a word
}
NUMBER = r"[0-9]{1,3}(\.[0-9]{1,17})?"
QUARTERS = [0.25] * 4
"""The weights that nltk shares anew where it is asked to."""
WEIGHTS = rf"{NUMBER}(\+{NUMBER}){{0,8}}"


def _flavour(given: Mapping[str, Any]) -> Flavour:
    return FLAVOURS[given.get("flavour", "sacrebleu")]


def _order(given: Mapping[str, Any]) -> int:
    sets = weight_sets(given.get("weights", ""))
    return max(map(len, sets)) if sets else 4


def weight_sets(weights: str) -> list[list[float]]:
    """Return the sets of weights that the option says; none where it is empty."""
    return [[float(weight) for weight in one.split("+")] for one in weights.split("_")] if weights else []


def _value(given: Mapping[str, Any]) -> str:
    return SMOOTHING[given.get("smoothing", _flavour(given).smoothing)].value


OPTIONS = (
    Option("flavour", "flavour", "sacrebleu", "whose BLEU; see `help bleu`", tuple(FLAVOURS)),
    Option(
        "weights",
        "weights",
        "",
        "a weight for each order; several sets are joined by _",
        implicit=True,
        pattern=rf"{WEIGHTS}(_{WEIGHTS}){{0,8}}",
        form="a number for each order joined by +, such as 0.5+0.5; several sets joined by _",
    ),
    Option("order", "n", _order, "longest n-grams", minimum=1, maximum=9),
    Option(
        "tokenizer",
        "tok",
        lambda given: _flavour(given).tokenizer,
        "how lines are split: 13a, or whitespace for the flavour nltk, ascii_whitespace for moses",
        ("none", *TOKENIZERS),
    ),
    Option("lowercase", "lc", False, "compare without upper case", implicit=True),
    LEVEL,
    Option(
        "smoothing",
        "smooth",
        lambda given: _flavour(given).smoothing,
        "what stands for precisions of 0: exp for the flavour sacrebleu, method0 for nltk, else none",
        tuple(SMOOTHING),
    ),
    Option(
        "smoothing_value",
        "value",
        _value,
        "the value of floor (0.1), add-k (1), method1 (0.1), method4, method6 and method7 (5)",
        applies=lambda m: bool(SMOOTHING[m.smoothing].value),
        why="this smoothing has no value",
        pattern=NUMBER,
        form="a number such as 0.1",
    ),
    Option(
        "effective_order",
        "eff",
        "auto",
        "leave out orders that the output has no n-grams of; auto: at sentence level",
        ("auto", "yes", "no"),
        applies=lambda m: m.flavour == "sacrebleu",
        why="only the flavour sacrebleu has it",
    ),
    Option(
        "auto_reweigh",
        "reweigh",
        False,
        "share default weights among the orders that a text of fewer than 4 tokens has",
        applies=lambda m: m.flavour == "nltk" and QUARTERS in m.sets,
        why="only the flavour nltk has it, for weights of 0.25 of four orders",
        implicit=True,
    ),
    Option(
        "ties",
        "ties",
        "shorter",
        "of two reference lengths equally close: the shorter, or that of the first reference",
        ("shorter", "first"),
        applies=lambda m: m.flavour != "tensorflow",
        why="the flavour tensorflow takes the shortest length",
    ),
    Option(
        "brevity_penalty",
        "bp",
        "standard",
        "inverted: punish long outputs instead, as the code of Napoles et al. 2016 does",
        ("standard", "inverted"),
    ),
)
