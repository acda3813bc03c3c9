"""NIST (Doddington 2002) and CIDEr-D (Vedantam et al. 2015): shared n-grams, each weighed by how
rare it is.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

import numpy as np

from pipeline.arrays import Floats, Ints
from pipeline.kernel.common import Lines
from pipeline.metrics.base.capabilities import Rule, ShowsNgrams
from pipeline.metrics.base.choices import by_order, ratio
from pipeline.metrics.base.metric import Counted, Metric, why_all_zero
from pipeline.metrics.base.options import (
    any_tokenizer_option,
    lowercase_option,
    number_option,
    option,
)
from pipeline.metrics.base.statistics_spec import Columns, Field, Text
from pipeline.tokenizers import Tokenizer
from pipeline.tokenizers.tercom import ENTITIES
from pipeline.tokenizers.tokenization import Tokenization, changed_lines

from .grams import (
    EMPTY,
    HALVES,
    Grams,
    GramSurvey,
    InPieces,
    Shard,
    Times,
    extended,
    fixed,
    parts,
    real,
    token_key,
)

NOTHING = "\ufdd0"
"""The token of a text without any, for pymteval. Unicode has no character of this number."""
CONTROLS = {code: 0xFDD1 + number for number, code in enumerate(range(0x1C, 0x20))}
"""White space of Python that is none of Perl's, and the numbers of no characters that stand for it.
"""
CONTROL = re.compile("[\x1c-\x1f]")
ODD = re.compile(rb"[&<\x1c-\x1f]")
"""What has to be replaced in a text."""
SIGMA = "\u03a3"
"""The letter whose lower case depends on what follows: pymteval lower-cases each token, so that it
may be final."""
NAMES = ("gt", "lt", "apos", "quot", "#124", "#91", "#93", "amp")
OF_MTEVAL = tuple((old.decode(), new.decode()) for old, new in ENTITIES)
OF_NLTK = tuple((f"&{name};", sign) for name, sign in zip(NAMES, "><'\"|[]&", strict=True))
"""What is replaced and by what, in this order."""


@dataclass(frozen=True, order=True)
class NistTokenization(Tokenization):
    """How a program of NIST splits texts. The option lowercase lower-cases what the program does,
    and when it does.
    """

    tokenizer: str = "13a"
    program: str = "mteval"
    """mteval is the Perl program, pymteval its copy in Python, and nltk the class NISTTokenizer."""

    @property
    def key(self) -> str:
        """A short name, safe in file names."""
        return f"{self.program}-{super().key}"

    @property
    def cache_key(self) -> str:
        """The text that stands for this in the keys of stored counts. If it changes, all is counted
        again.
        """
        return f"NistTokenization(program={self.program!r}, lowercase={self.lowercase})"

    def _prepare(self, text: Lines, tokenizer: Tokenizer, number: int) -> Lines:
        """Return a text, the number-th of several, ready for the kernel's split; raises as encode()
        does.
        """
        text = text.trimmed()
        fast = self.program == "mteval" or (self.program == "nltk" and text.data.isascii())
        if fast and not ODD.search(text.data):
            return text._replace(data=text.data.lower()) if self.lowercase else text
        changed = changed_lines(text, number, self._line)
        of_bytes = self.program == "mteval" and self.lowercase  # of A-Z alone
        return changed._replace(data=changed.data.lower()) if of_bytes else changed

    def _line(self, line: str) -> str:
        line = line.replace("<skipped>", "")
        if self.program == "pymteval":
            line = line.replace("-\n", "")
        for old, new in OF_NLTK if self.program == "nltk" else OF_MTEVAL:
            line = line.replace(old, new)
        if self.program == "mteval":
            return line.translate(CONTROLS) if CONTROL.search(line) else line
        if self.lowercase and self.program == "pymteval" and SIGMA in line:
            from pipeline.kernel.python.encode import western

            line = " ".join(token.lower() for token in western(line))
        line = line.lower() if self.lowercase else line
        return line if self.program == "nltk" or line.split() else NOTHING


BETA = math.log(2) / math.log(1.5) ** 2
"""An output of two thirds of the references' length has half of its score."""
FALSE = extended(np.array([EMPTY], np.uint64), np.array([token_key(b"0")], np.uint64)).view(
    np.int64
)
"""The key of the word 0, which is false in Perl."""


@dataclass(frozen=True)
class NistSpec(InPieces):
    """What NIST sums: information of shared n-grams, and lengths. Real numbers are kept as fixed()
    makes them.
    """

    tokenization: Tokenization = field()
    order: int
    program: str
    source: bool = False

    @cached_property
    def columns(self) -> tuple[Field, ...]:
        """Information, totals and matches of each order, the output's length, and the references'
        length and number.
        """
        orders = ("info", "total") if self.program == "nltk" else ("info", "total", "match")
        return (
            *(Field(name, self.order) for name in orders),
            *map(Field, ("hyp_len", "length", "refs")),
        )

    @property
    def corpus_pass(self) -> GramSurvey:
        """How often n-grams occur in all references."""
        return GramSurvey(self.tokenization, self.order)

    def count_piece(self, text: Text) -> list[dict[str, Ints]]:
        """Count some lines, all systems at once."""
        shard, before = Shard(self.tokenization, text), None
        outputs = shard.lengths[shard.references :]
        info, match = np.zeros((2, *outputs.shape, self.order), np.int64)
        length, refs = self._references(shard)
        lengths = np.zeros(outputs.shape, np.int64) + (length if self.program != "nltk" else 0)
        for number, grams in enumerate(shard.grams(self.order)):
            weights = self._information(grams, before, text.whole)
            if self.program == "nltk":
                sums, chosen = _with_one(shard, grams, weights)
                info[..., number] = fixed(sums)
                lengths += fixed(chosen)
            else:
                rows, numbers, times, places = (each[grams.cut :] for each in grams.shared[2:6])
                hits = np.minimum(times, np.append(grams.shared.most, 0)[places])
                for array, values in ((match, hits), (info, hits * fixed(weights)[numbers])):
                    np.add.at(
                        array.reshape(-1, self.order)[:, number],
                        rows - shard.references * shard.lines,
                        values,
                    )
            before = grams
        totals = outputs[..., None] - np.arange(self.order)
        if self.program != "pymteval":
            totals = np.maximum(totals, 0)
        named = {
            "info": info,
            "total": totals,
            "match": match,
            "hyp_len": outputs,
            "length": lengths,
        }
        return [
            {**{name: own[n] for name, own in named.items()}, "refs": refs}
            for n in range(len(outputs))
        ]

    def _information(self, grams: Grams, before: Grams | None, times: Times) -> Floats:
        """Return the information of each n-gram, 0 for those that no reference has.

        It is log2 of how often the n-gram without its last token occurs by how often it does
        itself."""
        own = times.of(grams.keys)
        shorter = np.full(len(own), times.whole)
        if before is not None:
            counts = times.of(before.keys)
            if self.program == "mteval":
                counts[before.keys == FALSE] = times.whole
            shorter = counts[grams.shared.shorter]
        ratios, places = np.unique(ratio(shorter, own), return_inverse=True)
        return np.array(
            [math.log(value) / math.log(2) if value else 0.0 for value in ratios.tolist()]
        )[places]

    def _references(self, shard: Shard) -> tuple[Ints, Ints]:
        """Return the length and number of the references of each line, by which the mean length is
        computed.
        """
        lengths = shard.lengths[: shard.references]
        if self.program == "pymteval":
            return fixed(ratio(lengths.sum(axis=0), shard.present.sum(axis=1))), np.ones(
                shard.lines, np.int64
            )
        return fixed(lengths.sum(axis=0)), (lengths > 0).sum(axis=0)


def _with_one(shard: Shard, grams: Grams, weights: Floats) -> tuple[Floats, Ints]:
    """Return what one reference gives each output that gives most, and its length: [systems, lines]
    each.

    Of equals it is the longest. Sums are those of nltk to the last bit, on which it depends what is
    equal: n-grams are summed in the order in which they first occur in the output."""
    size, shared = shard.references * shard.lines, grams.shared
    rows, numbers, times, places = (each[: grams.cut] for each in shared[2:6])
    out_rows, _, out_times, out_places = (each[grams.cut :] for each in shared[2:6])
    lengths = np.where(shard.present.T, shard.lengths[: shard.references], -1)
    sums, chosen = [], []
    for system in range(len(shard.lengths) - shard.references):
        own = np.flatnonzero(
            (out_rows // shard.lines == shard.references + system) & (out_places >= 0)
        )
        counts, order = np.zeros((2, len(shared.most)), np.int64)
        counts[out_places[own]], order[out_places[own]] = out_times[own], own
        entries = np.flatnonzero(counts[places])
        entries = entries[np.lexsort((order[places[entries]], rows[entries]))]
        gains = weights[numbers[entries]] * np.minimum(counts[places[entries]], times[entries])
        each = np.bincount(rows[entries], gains, size).reshape(-1, shard.lines)
        each = np.where(lengths < 0, -1, each)
        sums.append(each.max(axis=0))
        chosen.append(np.where(each == sums[-1], lengths, 0).max(axis=0))
    return np.array(sums), np.array(chosen)


@dataclass(frozen=True)
class Nist(ShowsNgrams, Metric):
    """The sum over orders of the mean information of an output's n-grams, times a penalty for short
    outputs.

    Only n-grams that references have give information. The flavour mteval is the Perl program as
    the E2E suite has it, pymteval its copy in Python, and nltk is nltk.translate.nist_score, which
    Hugging Face's nist_mt calls. nltk takes one reference of each sentence and order, the others
    take each n-gram as often as the reference with most of it."""

    name: ClassVar[str] = "nist"
    summary: ClassVar[str] = (
        "NIST as mteval (E2E's edition), its copy in Python, or nltk compute it; needs no source"
    )
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "mteval": {"flavour": "mteval"},
        "pymteval": {"flavour": "pymteval"},
        "nist_mt": {"flavour": "nltk", "tokenizer": "13a"},
    }
    name_in_text: ClassVar[str] = "NIST"
    help_page: ClassVar[str] = "nlg"
    in_percent: ClassVar[bool] = False
    policy: ClassVar[str] = "merged"
    """All references together decide what counts."""
    citations: ClassVar[tuple[str, ...]] = ("doddington-2002-automatic",)

    flavour: str = option(
        "mteval", help="whose NIST; see `help nlg`", choices=("mteval", "pymteval", "nltk")
    )
    order: int = option(5, key="n", help="longest n-grams", minimum=1, maximum=9)
    tokenizer: str = any_tokenizer_option(
        lambda given: "whitespace" if given.get("flavour") == "nltk" else "13a",
        "how lines are split: 13a as each flavour has it, or whitespace for the flavour nltk",
    )
    lowercase: bool = option(
        lambda given: given.get("flavour") != "nltk",
        key="lc",
        help="compare without upper case (false for nltk)",
    )

    @cached_property
    def spec(self) -> NistSpec:
        """Information and lengths."""
        if self.tokenizer == "13a":
            tokenization: Tokenization = NistTokenization(
                lowercase=self.lowercase, program=self.flavour
            )
        else:
            tokenization = Tokenization(self.tokenizer, lowercase=self.lowercase)
        return NistSpec(tokenization, self.order, self.flavour)

    @property
    def terms(self) -> tuple[Field, ...]:
        """Both halves of real numbers, and counts."""
        halves = [
            Field(f"{name}{half}", orders)
            for name, orders in (("info", self.order), ("length", 0))
            for half in HALVES
        ]
        return (*halves, Field("total", self.order), *map(Field, ("hyp_len", "refs", "lines")))

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the columns, and 1 for each line."""
        counts = {name: columns[name] for name in ("total", "hyp_len", "refs")}
        whole = parts("info", columns["info"]) | parts("length", columns["length"])
        return {**whole, **counts, "lines": np.ones_like(columns["refs"])}

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return NIST, the penalty for brevity, and what each order gives."""
        length, lines = real("length", totals), totals["lines"]
        mean = (
            length / self.order
            if self.flavour == "nltk"
            else ratio(length, ratio(totals["refs"], lines))
        )
        shortness = np.minimum(ratio(totals["hyp_len"], mean), 1)
        logs = np.log(np.where(shortness > 0, shortness, 1))
        penalty = np.where(shortness > 0, np.exp(-BETA * logs**2), 0.0)
        gains = ratio(real("info", totals), totals["total"])
        return {"nist": gains.sum(axis=-1) * penalty, "penalty": penalty} | by_order(
            {"nist": gains}
        )

    def notes(self, outputs: Mapping[str, float]) -> list[str]:
        """Return why the score is 0."""
        if outputs["nist"] > 0:
            return []
        return [
            "the outputs or the references are empty"
            if outputs["penalty"] <= 0
            else "no n-gram gives information"
        ]

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the matches of each order, and how many n-grams there are."""
        named = ("match", "total") if "match" in columns else ("total",)
        return [
            Counted("hyp_len", columns["hyp_len"]),
            *(Counted(name, columns[name], orders=True) for name in named),
        ]

    def ngram_rule(self) -> Rule | None:
        """Return how n-grams are counted; none for nltk, where each order has a reference of its
        own.
        """
        return (
            None
            if self.flavour == "nltk"
            else Rule("match", self.spec.tokenization, 1, self.order, merged=True)
        )


# --- CIDEr-D: cosines of n-grams, each weighed by how few sentences have it in a reference


ORDER = 4
"""The longest n-grams."""
FAR = 39
"""Lengths that are so many widths apart have a weight that is too small for a float."""
FULL = 10
"""The score of an output that is equal to its only reference."""


@dataclass(frozen=True)
class CiderSpec(InPieces):
    """The score of each sentence by the n-grams of each order, as fixed() keeps real numbers."""

    tokenization: Tokenization = field()
    sigma: float
    """How wide the penalty is for an output of another length."""
    source: bool = False
    columns: ClassVar[tuple[Field, ...]] = (Field("cider", ORDER),)

    @property
    def corpus_pass(self) -> GramSurvey:
        """How many sentences have each n-gram in a reference."""
        return GramSurvey(self.tokenization, ORDER, by_line=True)

    def count_piece(self, text: Text) -> list[dict[str, Ints]]:
        """Count some lines, all systems at once."""
        shard = Shard(self.tokenization, text)
        references, outputs = np.split(
            np.maximum(shard.lengths - 1, 0), [shard.references]
        )  # their bigrams
        apart = np.minimum(np.abs(outputs[:, None] - references), math.ceil(FAR * self.sigma))
        nearness = np.array(
            [math.exp(-(d**2) / (2 * self.sigma**2)) for d in range(int(apart.max(initial=0)) + 1)]
        )
        weight = FULL * nearness[apart] / np.maximum(shard.present.sum(axis=1), 1)
        scores = np.zeros((*outputs.shape, ORDER))
        for number, grams in enumerate(shard.grams(ORDER)):
            times, places = np.unique(np.maximum(text.whole.of(grams.keys), 1), return_inverse=True)
            rarity = np.array(
                [math.log(text.whole.whole) - math.log(lines) for lines in times.tolist()]
            )[places]
            cosines = _cosines(grams, rarity, *weight.shape)
            scores[..., number] = sum(
                np.moveaxis(cosines * weight, 1, 0)
            )  # one by one, however many lines there are
        return [{"cider": fixed(own)} for own in scores]


def _cosines(grams: Grams, rarity: Floats, systems: int, references: int, lines: int) -> Floats:
    """Return the clipped cosines of outputs with references: [systems, references, lines]."""
    shared, cut = grams.shared, grams.cut
    values, rows, places = (
        shared.times * rarity[shared.numbers],
        shared.rows[:cut],
        shared.places[:cut],
    )
    norms = np.sqrt(np.bincount(shared.rows, values**2, (references + systems) * lines)).reshape(
        -1, 1, lines
    )
    theirs, dots = values[:cut], np.zeros((systems, references, lines))
    ends = np.searchsorted(shared.rows, np.arange(references, references + systems + 1) * lines)
    for system, (low, high) in enumerate(pairwise(ends)):
        vector = np.zeros(len(shared.most) + 1)
        vector[shared.places[low:high]] = values[low:high]
        vector[-1] = 0  # the place of n-grams that no reference has
        products = np.minimum(vector[places], theirs) * theirs
        dots[system] = np.bincount(rows, products, references * lines).reshape(references, lines)
    return ratio(dots, norms[references:] * norms[:references, 0])


@dataclass(frozen=True)
class Cider(ShowsNgrams, Metric):
    """CIDEr-D: the mean over references of cosines, clipped to the reference's counts, with a
    penalty for length.

    It is what the suites of COCO and of E2E print as CIDEr, for texts that are tokenised as theirs:
    in lower case, and without punctuation. A score is from 0 to 10. The n-grams of a sentence that
    stands alone have no weight."""

    name: ClassVar[str] = "cider"
    summary: ClassVar[str] = (
        "CIDEr-D as the suites of COCO and E2E print it, of tokenised texts; needs no source"
    )
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {"CIDEr-D": {}}
    name_in_text: ClassVar[str] = "CIDEr-D"
    help_page: ClassVar[str] = "nlg"
    in_percent: ClassVar[bool] = False
    policy: ClassVar[str] = "merged"
    """The mean over the references of a line is taken when it is counted."""
    citations: ClassVar[tuple[str, ...]] = ("vedantam-etal-2015-cider",)
    terms: ClassVar[tuple[Field, ...]] = (
        *(Field(f"cider{half}", ORDER) for half in HALVES),
        Field("lines"),
    )
    """Both halves of the scores, and the number of lines."""

    sigma: str = number_option(
        "6", "how wide the penalty is for outputs of another length", such="6 or 0.5"
    )
    tokenizer: str = any_tokenizer_option("whitespace", "how lines are split")
    lowercase: bool = lowercase_option()

    def conflicts(self) -> list[tuple[str, str]]:
        """Return a width of 0."""
        return [("sigma", "expected a number above 0")] if float(self.sigma) == 0 else []

    @cached_property
    def spec(self) -> CiderSpec:
        """The scores of sentences."""
        return CiderSpec(Tokenization(self.tokenizer, lowercase=self.lowercase), float(self.sigma))

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the scores in halves, and 1 for each line."""
        return {
            **parts("cider", columns["cider"]),
            "lines": np.ones(len(columns["cider"]), np.int64),
        }

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return the mean over sentences and orders, and that of each order."""
        means = ratio(real("cider", totals), totals["lines"][..., None])
        return {"cider": means.mean(axis=-1)} | by_order({"cider": means})

    def notes(self, outputs: Mapping[str, float]) -> list[str]:
        """Return why the score is 0."""
        why = "no n-gram is shared that some sentences have in a reference and others have not (of one sentence, none is)"
        return [] if outputs["cider"] > 0 else [why_all_zero(why)]

    def ngram_rule(self) -> Rule:
        """Return how n-grams are counted, with all references together."""
        return Rule("match", self.spec.tokenization, 1, ORDER, merged=True)
