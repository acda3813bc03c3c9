"""The options of GLEU+, and checks of which go together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...dataclass import dataclass
from ...kernel.samplers import SAMPLERS
from ..base.options import level_option, lowercase_option, option, strip_option, tokenizer_option, unit_option
from .codes import CODES

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_ITERATIONS = 1_000_000
MAX_SEED = 2**32 - 1
MERGED_ONLY = tuple(name for name, code in CODES.items() if not code.kinds)
POLICIES = {
    "corpus": ("sample", "expected", "max", "mean", "weighted", "each", "merged", "leave_one_out"),
    "mean": ("mean", "max", "weighted", "merged"),
}
"""The policies for references that each level allows."""


def _default_policy(given: Mapping[str, Any]) -> str:
    if given.get("variant") in MERGED_ONLY:
        return "merged"
    return "mean" if given.get("level") == "mean" else "sample"


def iterates(metric: Any) -> bool:
    """Return whether the policy for references draws them in many iterations."""
    return metric.references in ("sample", "expected", "leave_one_out")


def _samples(metric: Any) -> bool:
    """Return whether the policy for references uses the sampler of the options."""
    return metric.references in ("sample", "leave_one_out")


@dataclass(frozen=True)
class GleuOptions:
    """The options of GLEU+."""

    variant: str = option(
        "2017", help="which code: 2017 is today's official one; see `help gleu`", choices=tuple(CODES)
    )
    order: int = option(4, key="n", help="longest n-grams", minimum=1, maximum=9)
    unit: str = unit_option()
    tokenizer: str = tokenizer_option()
    strip: bool = strip_option()
    lowercase: bool = lowercase_option()
    level: str = level_option()
    references: str = option(
        _default_policy,
        key="refs",
        help="of several references: one at random per iteration (sample), what that converges to (expected), the "
        "best per sentence (max), the mean of their scores (mean, weighted, each), merged counts (merged), "
        "or each left out in turn (leave_one_out)",
        choices=POLICIES["corpus"],
    )
    weights: str = option(
        "",
        help="a weight for each reference, such as 0.7+0.3",
        applies=lambda m: m.references == "weighted",
        why="only references: weighted reads them",
        pattern=r"[0-9]+(\.[0-9]+)?(\+[0-9]+(\.[0-9]+)?)*",
        form="a number for each reference, joined by +, such as 0.7+0.3",
    )
    iterations: int = option(
        500,
        key="iter",
        help="how often references are drawn",
        minimum=1,
        maximum=MAX_ITERATIONS,
        applies=iterates,
        why="only references: sample, expected and leave_one_out draw",
    )
    sampler: str = option(
        "python2",
        key="rng",
        help="random stream of the draws; python2 is the original program's",
        choices=tuple(SAMPLERS),
        applies=_samples,
        why="only references: sample and leave_one_out draw so",
    )
    seed: int = option(
        12345,
        help="seed of the sampler numpy, and of references: expected",
        maximum=MAX_SEED,
        applies=lambda m: m.references == "expected" or (_samples(m) and m.sampler == "numpy"),
        why="only the sampler numpy and references: expected take one",
    )
    zero_total: str = option(
        "zero",
        help="where the corpus has no n-gram of some order: score 0, or precision 1 as in the package gleu",
        choices=("zero", "one"),
        applies=lambda m: m.level == "corpus",
        why="sentence scores always take precision 1 there",
    )
    smoothing: str = option(
        "none",
        help="ones: every zero count of a sentence becomes 1, as the original program's -d does",
        choices=("none", "ones"),
        applies=lambda m: m.level == "mean",
        why="only level: mean scores sentences",
    )
    clip: str = option(
        "none",
        help="numerators below 0: kept as the paper has them, or 0 per sentence and order as in compare-mt",
        choices=("none", "sentence"),
        applies=lambda m: m.variant == "paper",
        why="only variant: paper leaves it open",
    )
    lambda_: str = option(
        "0",
        help="weight of the penalty",
        applies=lambda m: m.variant in MERGED_ONLY,
        why=f"only the variants {' and '.join(MERGED_ONLY)} have it",
        pattern=r"[0-9]{1,3}(\.[0-9]{1,6})?",
        form="a number such as 0.1, with at most 6 decimals",
    )

    def conflicts(self) -> list[tuple[str, str]]:
        """Return a level or a policy for references that does not go with the variant or the level."""
        allowed = POLICIES[self.level]
        if self.variant in MERGED_ONLY:
            if self.level == "mean":
                return [("level", f"variant {self.variant} is defined for a corpus only, found 'mean'")]
            allowed = ("merged",)
        if self.references == "merged" and not CODES[self.variant].merged_kinds:
            return [("references", f"variant {self.variant} is not defined for merged references")]
        if self.references not in allowed:
            where = f"variant {self.variant}" if allowed == ("merged",) else f"level: {self.level}"
            return [("references", f"{where} takes {', '.join(allowed)}; found '{self.references}'")]
        if self.references == "weighted" and not any(self.shares):
            return [("references", "weighted needs `weights`, not all 0, such as weights: 0.7+0.3")]
        return []

    @property
    def shares(self) -> tuple[float, ...]:
        """The weights of the references, with sum 1, or nothing if none are given."""
        weights = [float(weight) for weight in self.weights.split("+")] if self.weights else []
        return tuple(weight / sum(weights) for weight in weights) if any(weights) else tuple(weights)
