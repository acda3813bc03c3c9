"""NIST (Doddington 2002): shared n-grams, weighed by their information."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from pipeline.arrays import Floats, Ints
from pipeline.kernel.common import Lines
from pipeline.metrics.base import (
    Columns,
    Counted,
    Field,
    Metric,
    Rule,
    Text,
    by_order,
    ratio,
)
from pipeline.metrics.options import option, tokenizer_option
from pipeline.tokenizers import Tercom, Tokenization, Tokenizer, changed_lines

from .ngrams import (
    EMPTY,
    HALVES,
    ChunkedSpec,
    Frequencies,
    GramSurvey,
    Ngrams,
    ShardTokens,
    extended,
    fixed,
    halves,
    real,
    token_key,
)

NO_TOKENS = "\ufdd0"
"""The token of a text without any, for pymteval. Unicode has no character of this number."""
CONTROLS = {
    code: 0xFDD1 + number for number, code in enumerate(range(0x1C, 0x20))
}
"""White space of Python that is none of Perl's, and code points without a character in its place.
"""
CONTROL = re.compile("[\x1c-\x1f]")
REPLACED = re.compile(rb"[&<\x1c-\x1f]")
"""Bytes of a text in which something may have to be replaced."""
SIGMA = "\u03a3"
"""The letter whose lower case depends on the next one. pymteval lower-cases each token, so that it
may be final.
"""
NLTK_NAMES = ("gt", "lt", "apos", "quot", "#124", "#91", "#93", "amp")
MTEVAL_ENTITIES = tuple(
    (entity.decode(), sign.decode()) for entity, sign in Tercom.ENTITIES
)
NLTK_ENTITIES = tuple(
    zip((f"&{name};" for name in NLTK_NAMES), "><'\"|[]&", strict=True)
)
"""Entities and their signs, in the order of replacement."""


@dataclass(frozen=True, order=True)
class NistTokenization(Tokenization):
    """The tokenisation of a program of NIST, which also decides when the text is lower-cased."""

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
        """Return a text with entities replaced and, if asked for, in lower case.

        The kernel then splits it. `number` is the number of the text, for errors. Raises as
        encode() does.
        """
        text = text.trimmed()
        # mteval lower-cases A to Z alone, which needs no characters, only bytes
        lowers_bytes = self.program == "mteval"
        if not lowers_bytes and self.program == "nltk":
            lowers_bytes = text.data.isascii()
        if not lowers_bytes or REPLACED.search(text.data):
            text = changed_lines(text, number, self._line)
        if lowers_bytes and self.lowercase:
            text = text._replace(data=text.data.lower())
        return text

    def _line(self, line: str) -> str:
        """Return a line with entities replaced and, except for mteval, in lower case."""
        line = line.replace("<skipped>", "")
        if self.program == "pymteval":
            line = line.replace("-\n", "")
        entities = NLTK_ENTITIES if self.program == "nltk" else MTEVAL_ENTITIES
        for entity, sign in entities:
            line = line.replace(entity, sign)
        if self.program == "mteval":
            return line.translate(CONTROLS) if CONTROL.search(line) else line
        if self.lowercase and self.program == "pymteval" and SIGMA in line:
            # each token alone, since the next letter decides the lower case of sigma
            from pipeline.kernel.python.encode import SPLITS

            line = " ".join(token.lower() for token in SPLITS["13a"](line))
        if self.lowercase:
            line = line.lower()
        if self.program == "pymteval" and not line.split():
            return NO_TOKENS
        return line


BETA = math.log(2) / math.log(1.5) ** 2
"""An output of two thirds of the references' length has half of its score."""
PERL_FALSE = extended(EMPTY, np.array([token_key(b"0")], np.uint64)).view(
    np.int64
)
"""The key of the word 0, which is false in Perl."""


@dataclass(frozen=True)
class NistSpec(ChunkedSpec):
    """The sums of NIST: information of shared n-grams as fixed() stores it, and lengths."""

    tokenization: Tokenization = field()
    order: int
    program: str
    source: bool = False

    @cached_property
    def columns(self) -> tuple[Field, ...]:
        """Information, totals and matches of each order, the output's length, and the references'
        length and number.
        """
        by_order = [Field("info", self.order), Field("total", self.order)]
        if self.program != "nltk":
            by_order.append(Field("match", self.order))
        return (*by_order, Field("hyp_len"), Field("length"), Field("refs"))

    @property
    def corpus_pass(self) -> GramSurvey:
        """The frequencies of n-grams in all references."""
        return GramSurvey(self.tokenization, self.order)

    def count_chunk(self, text: Text) -> list[dict[str, Ints]]:
        """Return the columns of each system for some lines: int64 [lines] or [lines, orders] each.

        nltk takes the length of the best reference of each order, the others that of all.
        """
        shard = ShardTokens(self.tokenization, text)
        output_lengths = shard.lengths[shard.references :]  # [systems, lines]
        shape = (*output_lengths.shape, self.order)
        info = np.zeros(shape, np.int64)
        match = np.zeros(shape, np.int64)
        lengths = np.zeros(output_lengths.shape, np.int64)
        reference_lengths, references = self._reference_lengths(shard)
        if self.program != "nltk":
            lengths += reference_lengths
        shorter = None
        for index, ngrams in enumerate(shard.ngrams(self.order)):
            information = self._information(ngrams, shorter, text.corpus_data)
            if self.program == "nltk":
                gains, best_lengths = _with_best_reference(
                    shard, ngrams, information
                )
                info[..., index] = fixed(gains)
                lengths += fixed(best_lengths)
            else:
                matches, fixed_gains = _with_all_references(
                    shard, ngrams, fixed(information)
                )
                match[..., index] = matches
                info[..., index] = fixed_gains
            shorter = ngrams
        # an output of n tokens has n, n - 1 ... n-grams of the orders 1, 2 ...
        totals = output_lengths[..., None] - np.arange(self.order)
        if self.program != "pymteval":  # where they may be below 0
            totals = np.maximum(totals, 0)
        columns_of_systems = []
        for system in range(len(output_lengths)):
            columns = {
                "info": info[system],
                "total": totals[system],
                "match": match[system],
                "hyp_len": output_lengths[system],
                "length": lengths[system],
                "refs": references,
            }
            columns_of_systems.append(columns)
        return columns_of_systems

    def _information(
        self,
        ngrams: Ngrams,
        shorter: Ngrams | None,
        frequencies: Frequencies,
    ) -> Floats:
        """Return the information of each n-gram: float64 [n-grams].

        It is log2 of the ratio of two frequencies in the references: that of the n-gram without its
        last token (for single tokens, the number of all tokens), and its own. It is 0 for n-grams
        that no reference has. `shorter` has the n-grams of one token less, None for single tokens.
        """
        ngram_frequencies = frequencies.of(ngrams.keys)
        if shorter is None:
            shorter_frequencies = np.full(
                len(ngram_frequencies), frequencies.total
            )
        else:
            of_shorter = frequencies.of(shorter.keys)
            if self.program == "mteval":
                # Perl takes the word 0 for no word
                of_shorter[shorter.keys == PERL_FALSE] = frequencies.total
            shorter_frequencies = of_shorter[ngrams.shared.shorter]
        ratios, indexes = np.unique(
            ratio(shorter_frequencies, ngram_frequencies), return_inverse=True
        )
        # by math.log, whose last bit numpy's may not have
        logs = np.zeros(len(ratios))
        for index, frequency_ratio in enumerate(ratios.tolist()):
            if frequency_ratio:
                logs[index] = math.log(frequency_ratio) / math.log(2)
        return logs[indexes]

    def _reference_lengths(self, shard: ShardTokens) -> tuple[Ints, Ints]:
        """Return the summed length and the number of the references of each line: int64 [lines].

        For pymteval these are the mean length and 1. Lengths are as fixed() stores them. For the
        others, references without tokens are not counted.
        """
        lengths = shard.lengths[: shard.references]
        total = lengths.sum(axis=0)
        if self.program == "pymteval":
            mean_lengths = ratio(total, shard.present.sum(axis=1))
            return fixed(mean_lengths), np.ones(shard.lines, np.int64)
        return fixed(total), (lengths > 0).sum(axis=0)


def _with_all_references(
    shard: ShardTokens,
    ngrams: Ngrams,
    information: Ints,
) -> tuple[Ints, Ints]:
    """Return the matches of each output, and their information: int64 [systems, lines] each.

    An n-gram matches as often as the reference has it that has it most often. `information` is
    int64 [n-grams], as fixed() stores it.
    """
    entries = ngrams.of_outputs()
    most = np.append(ngrams.shared.most, 0)  # slot -1: no reference has it
    hits = np.minimum(entries.times, most[entries.slots])
    rows = entries.rows - shard.references * shard.lines
    output_lengths = shard.lengths[shard.references :]
    matches = np.zeros(output_lengths.size, np.int64)
    np.add.at(matches, rows, hits)
    gains = np.zeros(output_lengths.size, np.int64)
    np.add.at(gains, rows, hits * information[entries.numbers])
    shape = output_lengths.shape
    return matches.reshape(shape), gains.reshape(shape)


def _with_best_reference(
    shard: ShardTokens,
    ngrams: Ngrams,
    information: Floats,
) -> tuple[Floats, Ints]:
    """Return how much information each output shares with the reference that gives it most, and
    that reference's length: [systems, lines] each.

    `information` is float64 [n-grams]. Of equally good references the longest is taken. Sums are
    those of nltk to the last bit, which decides what is equal: n-grams are summed in the order in
    which they first occur in the output.
    """
    reference_rows = shard.references * shard.lines
    slots = len(ngrams.shared.most)  # n-grams of the references of a line
    in_references = ngrams.of_references()
    in_outputs = ngrams.of_outputs()
    text_of_entry = in_outputs.rows // shard.lines
    # missing references have length -1: [references, lines]
    lengths = np.where(shard.present.T, shard.lengths[: shard.references], -1)
    best_gains = []
    best_lengths = []
    for text in range(shard.references, len(shard.lengths)):
        # how often the output has each n-gram of references, and at which position
        is_shared = (text_of_entry == text) & (in_outputs.slots >= 0)
        output_entries = np.flatnonzero(is_shared)
        output_slots = in_outputs.slots[output_entries]
        counts = np.zeros(slots, np.int64)
        counts[output_slots] = in_outputs.times[output_entries]
        positions = np.zeros(slots, np.int64)
        positions[output_slots] = output_entries

        # the entries of references that it shares, of each reference in the order of the output
        entries = np.flatnonzero(counts[in_references.slots])
        entry_positions = positions[in_references.slots[entries]]
        by_position = np.lexsort((entry_positions, in_references.rows[entries]))
        entries = entries[by_position]

        # the information that it shares with each reference: [references, lines]
        shared_counts = counts[in_references.slots[entries]]
        hits = np.minimum(shared_counts, in_references.times[entries])
        gains = information[in_references.numbers[entries]] * hits
        sums = np.bincount(in_references.rows[entries], gains, reference_rows)
        reference_gains = sums.reshape(-1, shard.lines)
        reference_gains[lengths < 0] = -1  # below any that is present

        # the best reference
        best = reference_gains.max(axis=0)
        is_best = reference_gains == best
        best_gains.append(best)
        best_lengths.append(np.where(is_best, lengths, 0).max(axis=0))
    return np.array(best_gains), np.array(best_lengths)


@dataclass(frozen=True)
class Nist(Metric):
    """The sum over orders of the mean information of an output's n-grams, times a penalty for short
    outputs.

    Only n-grams that references have give information. The flavour mteval is the Perl program as
    the E2E suite has it, pymteval its copy in Python, and nltk is nltk.translate.nist_score, which
    Hugging Face's nist_mt calls. nltk takes one reference of each sentence and order, the others
    take each n-gram as often as the reference that has it most often.
    """

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
        "mteval",
        help="whose NIST; see `help nlg`",
        choices=("mteval", "pymteval", "nltk"),
    )
    order: int = option(
        5, key="n", help="longest n-grams", minimum=1, maximum=9
    )
    tokenizer: str = tokenizer_option(
        lambda options: (
            "whitespace" if options.get("flavour") == "nltk" else "13a"
        ),
        "how lines are split: 13a as each flavour has it, or whitespace for the flavour nltk",
        beside_unit=False,
    )
    lowercase: bool = option(
        lambda options: options.get("flavour") != "nltk",
        key="lc",
        help="compare without upper case (false for nltk)",
    )

    @cached_property
    def spec(self) -> NistSpec:
        """Information and lengths."""
        tokenization = Tokenization(self.tokenizer, lowercase=self.lowercase)
        if self.tokenizer == "13a":
            tokenization = NistTokenization(
                lowercase=self.lowercase, program=self.flavour
            )
        return NistSpec(tokenization, self.order, self.flavour)

    @property
    def terms(self) -> tuple[Field, ...]:
        """Both halves of real numbers, and counts."""
        info = (Field(f"info{half}", self.order) for half in HALVES)
        length = (Field(f"length{half}") for half in HALVES)
        counts = map(Field, ("hyp_len", "refs", "lines"))
        return (*info, *length, Field("total", self.order), *counts)

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the columns whose sums make the score, and 1 for each line.

        Real numbers (info and length) become two terms, their halves().
        """
        terms = halves("info", columns["info"])
        terms |= halves("length", columns["length"])
        for name in ("total", "hyp_len", "refs"):
            terms[name] = columns[name]
        terms["lines"] = np.ones_like(columns["refs"])
        return terms

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return NIST, the penalty for brevity, and the information per n-gram of each order.

        The penalty is exp(-BETA * log(r) ** 2), where r is the length of outputs divided by the
        mean length of references, at most 1. It is 0 for empty outputs.
        """
        length = real("length", totals)
        if self.flavour == "nltk":
            # the best reference of each order has been summed
            mean_length = length / self.order
        else:
            references_per_line = ratio(totals["refs"], totals["lines"])
            mean_length = ratio(length, references_per_line)
        brevity = np.minimum(ratio(totals["hyp_len"], mean_length), 1)
        is_positive = brevity > 0
        logs = np.log(np.where(is_positive, brevity, 1))
        penalty = np.exp(-BETA * logs**2)
        penalty = np.where(is_positive, penalty, 0.0)
        information = ratio(real("info", totals), totals["total"])
        score = information.sum(axis=-1) * penalty
        outputs = {"nist": score, "penalty": penalty}
        return outputs | by_order({"nist": information})

    def notes(self, outputs: Mapping[str, float]) -> list[str]:
        """Return why the score is 0."""
        if outputs["nist"] > 0:
            return []
        if outputs["penalty"] <= 0:
            return ["the outputs or the references are empty"]
        return ["no n-gram gives information"]

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the matches of each order, and how many n-grams there are."""
        counts = [Counted("hyp_len", columns["hyp_len"])]
        for name in ("match", "total"):
            if name in columns:
                counts.append(Counted(name, columns[name], orders=True))
        return counts

    def ngram_rule(self) -> Rule | None:
        """Return how n-grams are counted; none for nltk, where each order has a reference of its
        own.
        """
        if self.flavour == "nltk":
            return None
        return Rule("match", self.spec.tokenization, 1, self.order, merged=True)
