"""TER (Snover et al. 2006): edits and shifts that turn an output into a reference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import kernel
from ..arrays import Floats, Ints
from ..kernel.python import edit_rate
from ..tokenizers import OWN, Tercom, is_own
from .base import Columns, Counted, Field, Metric, StatisticsSpec, Text, ratio
from .base.statistics_spec import is_present, lengths
from .options import level_option, option
from .options.signatures import sacrebleu_signature

# Columns of TER: the lengths of texts, and the edits that make an output a reference.


@dataclass(frozen=True)
class TerSpec(StatisticsSpec):
    """The edits with each reference, beside lengths in tokens."""

    tokens: Tercom
    columns = (
        Field("hyp_len"),
        Field("ref_len", per_reference=True),
        Field("edits", per_reference=True),
    )
    """The length of the output, and for each reference its length and the edits."""

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count a shard."""
        encoded = self.tokens.encode([*text.references, *text.systems])
        references = encoded[: len(text.references)]
        systems = encoded[len(text.references) :]
        edits = kernel.edit_rate(references, systems)
        result = []
        for system, system_edits in zip(systems, edits, strict=True):
            columns = {
                "hyp_len": np.diff(system.offsets),
                "ref_len": lengths(references),
                "edits": system_edits,
            }
            result.append(columns)
        return result


def _with_number(count: int, name: str) -> str:
    if count == 1:
        return f"1 {name}"
    return f"{count} {name}s"


MAX_REFERENCES = 22
SHARES = 232_792_560
"""The smallest number that all numbers up to MAX_REFERENCES divide: the mean of so many lengths is
a multiple of 1 / SHARES, so that sums of means are whole numbers too."""


@dataclass(frozen=True)
class Ter(Metric):
    """TER: edits divided by the length of the reference. The lower the score, the better the
    output.

    An edit puts in, leaves out or changes a word, or shifts a block of words. For each sentence the
    fewest edits with any reference count, and the mean length of its references. The source is
    sacreBLEU 2, which follows tercom.
    """

    name = "ter"
    summary = "translation edit rate (Snover et al. 2006), as sacreBLEU; lower is better; needs no source"
    help_page = "ter"
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "translation edit rate": {},
        "tercom": {},
    }
    counts = frozenset({"edits", "ref_len"})
    table_outputs = "edits|ref_len"
    name_in_text = "TER"
    scores_lines = True
    explains = True
    citations = (
        "snover-etal-2006-study",
        "post-2018-call",
    )
    policy = "merged"
    """All references count together."""
    terms = (
        Field("edits"),
        Field("ref_len"),
        Field("ref_rest"),
    )
    """The edits, and the length of the reference: its whole part, and the rest as a multiple of 1 /
    SHARES."""
    lower_is_better = True

    normalized: bool = option(
        False,
        key="norm",
        help="split punctuation from words, and replace entities",
    )
    no_punct: bool = option(False, key="nopunct", help="remove punctuation")
    asian_support: bool = option(
        False,
        key="asian",
        help="know the characters of Chinese and Japanese, beside normalized or no_punct",
        implicit=True,
    )
    case_sensitive: bool = option(False, key="cased", help="keep upper case")
    tokens: str = option(
        "tercom",
        help="how texts are split; own for tokens of Python",
        choices=("tercom",),
        beside=OWN,
        implicit=True,
    )
    level: str = level_option()

    def conflicts(self) -> list[tuple[str, str]]:
        """Return what changes texts, if tokens are those of the caller."""
        if is_own(self.tokens) and (self.normalized or self.no_punct):
            return [
                (
                    "tokens",
                    "normalized and no_punct change texts, and not tokens of your own",
                )
            ]
        return []

    def misfit(self, references: int, *, missing: bool = False) -> str | None:
        """Refuse numbers of references whose mean length could not be summed exactly."""
        numbers = range(1, references + 1) if missing else (references,)
        if all(SHARES % number == 0 for number in numbers):
            return None
        return f"references: ter takes at most {MAX_REFERENCES} for a line, found {references}"

    @property
    def spec(self) -> TerSpec:
        """Lengths, and the edits with each reference."""
        asian = self.asian_support and (self.normalized or self.no_punct)
        return TerSpec(
            Tercom(self.normalized, self.no_punct, asian, self.case_sensitive)
        )

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the fewest edits of each line, and the mean length of its references."""
        present = is_present(columns, columns["ref_len"].shape[1])
        references = present.sum(axis=1)
        total = np.where(present, columns["ref_len"], 0).sum(axis=1)
        ref_len, rest = np.divmod(total, references)
        return {
            "edits": columns["edits"].min(axis=1),
            "ref_len": ref_len,
            "ref_rest": rest * (SHARES // references),
        }

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return ter, the edits and the length of the reference.

        Without any word in the references ter is 1 where there are edits, and else 0.
        """
        edits = totals["edits"].astype(np.float64)
        ref_len = totals["ref_len"] + totals["ref_rest"] / SHARES
        score = np.where(
            ref_len > 0, ratio(edits, ref_len), (edits > 0).astype(np.float64)
        )
        return {"ter": score, "edits": edits, "ref_len": ref_len}

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the length of the output, and the edits and reference length that count."""
        outputs = self.line_outputs(columns)
        return [
            Counted("hyp_len", columns["hyp_len"]),
            Counted("ref_len", outputs["ref_len"]),
            Counted("edits", outputs["edits"]),
        ]

    def explained(self, text: Text) -> list[tuple[str, str]]:
        """Return the shifts of an output, and its alignment with the nearest reference.

        That is the reference that it can become with fewest edits.
        """
        numbers: dict[str, int] = {}
        encoded = []
        for lines in (*text.references, *text.systems):
            tokens = self.spec.tokens.tokens(next(lines.texts()).decode())
            encoded.append(
                [numbers.setdefault(token, len(numbers)) for token in tokens]
            )
        words = list(numbers)
        *references, output = encoded
        paths = [edit_rate.path(output, reference) for reference in references]
        number = min(range(len(paths)), key=lambda index: paths[index].edits)
        best = paths[number]
        reference = references[number]

        edits = _with_number(best.edits, "edit")
        tokens_in_reference = _with_number(len(reference), "token")
        lines_out = [
            (
                "",
                f"{edits} to reference {number + 1}, of {tokens_in_reference}:",
            )
        ]
        current = output
        for shift in best.shifts:
            block = current[shift.start : shift.start + shift.length]
            current = shift.apply(current)
            line = f"{_joined(words, block)}: to {_joined(words, current)}"
            lines_out.append(("shifted", line))

        output_words = (words[word] for word in best.words)
        reference_words = (words[word] for word in reference)
        roles: dict[str, list[str]] = {
            "match": [],
            "wrong": [],
            "missing": [],
        }
        for step in best.steps:
            if step == edit_rate.INSERTED:
                roles["wrong"].append(next(output_words))
            elif step == edit_rate.EQUAL:
                roles["match"].append(next(output_words))
                next(reference_words)
            elif step == edit_rate.CHANGED:
                roles["wrong"].append(
                    f"{next(output_words)} → {next(reference_words)}"
                )
            else:
                roles["missing"].append(next(reference_words))
        for role, listed in roles.items():
            if listed:
                lines_out.append((role, " · ".join(listed)))
        return lines_out

    def peer_signature(
        self, references: int, *, missing: bool = False
    ) -> str | None:
        """Return sacreBLEU's own signature, or None for level mean and tokens of the caller."""
        if self.level != "corpus" or is_own(self.tokens):
            return None
        return sacrebleu_signature(
            "TER",
            references,
            missing=missing,
            case="mixed" if self.case_sensitive else "lc",
            tok="tercom",
            norm=self.normalized,
            punct=not self.no_punct,
            asian=self.asian_support,
        )


def _joined(words: Sequence[str], numbers: Sequence[int]) -> str:
    return " ".join(words[number] for number in numbers)
