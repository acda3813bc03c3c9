"""SARI (Xu et al. 2016) for text simplification: n-grams that are rightly added, kept and deleted."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from pipeline import kernel
from pipeline.arrays import Floats, Ints
from pipeline.kernel.common import Encoded, join_lines
from pipeline.metrics.base import (
    Columns,
    Counted,
    Field,
    Metric,
    Rule,
    StatisticsSpec,
    Text,
    ratio,
)
from pipeline.metrics.options import option, tokenizer_option
from pipeline.tokenizers import Tokenization, changed_lines

from . import kernel as ngram_kernel
from .kernel.counted_ngrams import SARI_COUNTS, SARI_ORDER, SARI_RATIOS

SUMMED = SARI_COUNTS[:9]
"""The counts that are summed over sentences."""
PARTS = ("add", "keep", "del")
UNIT = 1 << 50
"""The parts of a sentence score are whole multiples of 1 / UNIT, whose sums do not depend on their
order.
"""


@dataclass(frozen=True)
class SariSpec(StatisticsSpec):
    """The n-grams that outputs add, keep and delete.

    They are counts of each order or, if sentences are scored, the parts of the sentence score.
    """

    tokenization: Tokenization = field()
    flavour: str
    legacy: bool

    source = True

    @property
    def columns(self) -> tuple[Field, ...]:
        """Lengths in tokens, then `numbers`."""
        lengths = (
            Field("src_len"),
            Field("hyp_len"),
            Field("ref_len", per_reference=True),
        )
        return (*lengths, *self.numbers)

    @property
    def numbers(self) -> tuple[Field, ...]:
        """SUMMED of each order, or the parts of the sentence score in 1 / UNIT."""
        if self.flavour == "easse":
            return tuple(Field(name, SARI_ORDER) for name in SUMMED)
        parts = [Field(name) for name in PARTS]
        if self.flavour == "modified":
            parts += [Field("del_recall"), Field("del_f")]
        return tuple(parts)

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Return the columns of each system: int64 [lines, orders] or [lines] each."""
        source, *others = self._encoded(text)
        references = others[: len(text.references)]
        systems = others[len(text.references) :]
        counts, ratios = ngram_kernel.sari(
            source, references, systems, text.missing
        )
        if self.flavour == "modified":
            counts[:, :, SARI_COUNTS.index("add_c")] = _new_additions(text)
        source_length = np.diff(source.offsets)
        reference_lengths = np.stack(
            [np.diff(reference.offsets) for reference in references], axis=-1
        )
        columns_of_systems = []
        for index, system in enumerate(systems):
            counted = _by_name(SARI_COUNTS, counts[index])
            if self.flavour != "easse":
                sums = _by_name(SARI_RATIOS, ratios[index])
                counted = self._parts(counted, sums)
            columns = {item.name: counted[item.name] for item in self.numbers}
            columns["src_len"] = source_length
            columns["hyp_len"] = np.diff(system.offsets)
            columns["ref_len"] = reference_lengths
            columns_of_systems.append(columns)
        return columns_of_systems

    def _encoded(self, text: Text) -> list[Encoded]:
        """Return source, references and outputs, in this order, as ids of tokens."""
        assert text.source is not None  # noqa: S101 (this spec reads it)
        texts = [text.source, *text.references, *text.systems]
        if self.tokenization.tokenizer == "intl":
            for index, lines in enumerate(texts):
                mended = map(_with_final_punctuation, lines.texts())
                texts[index] = join_lines(mended)
        if self.legacy:  # the source alone is not tokenised

            def tokenized(line: str) -> str:
                return " ".join(self.tokenization.tokens(line))

            for index in range(1, len(texts)):
                texts[index] = changed_lines(texts[index], index, tokenized)
            return kernel.encode(texts, "whitespace")
        encoded = self.tokenization.encode(texts)
        if self.flavour == "huggingface":
            return _with_empty_tokens(encoded)
        return encoded

    def _parts(
        self,
        counts: Mapping[str, Ints],
        sums: Mapping[str, Floats],
    ) -> dict[str, Ints]:
        """Return the parts of each sentence score, as whole multiples of 1 / UNIT: int64 [lines].

        A part, such as the F1 of kept n-grams, is its mean over the orders. `counts` are SARI_COUNTS
        and `sums` SARI_RATIOS: [lines, orders] each.
        """
        # the ratio of nothing to nothing
        empty = 1.0 if self.flavour == "huggingface" else 0.0

        def share(part: Any, total: str) -> Floats:
            """Return part / counts[total]: float64 [lines, orders]."""
            return np.where(
                counts[total] == 0, empty, ratio(part, counts[total])
            )

        add_precision = share(counts["add_c"], "add_h")
        add_recall = share(counts["add_c"], "add_r")
        keep_precision = share(sums["keep_p"], "kept")
        if self.flavour == "huggingface":
            keep_recall = share(counts["keep_c"], "keep_r")
        else:
            keep_recall = share(sums["keep_q"], "keepable")
        del_precision = share(sums["del_p"], "deleted")
        del_recall = share(sums["del_p"], "deletable")
        parts = {
            "add": _f1(add_precision, add_recall),
            "keep": _f1(keep_precision, keep_recall),
            "del": del_precision,
            "del_recall": del_recall,
            "del_f": _f1(del_precision, del_recall),
        }
        scaled = {}
        for name, part in parts.items():
            units = part.mean(axis=-1) * UNIT
            scaled[name] = np.rint(units).astype(np.int64)
        return scaled


def _by_name(names: Sequence[str], table: Any) -> dict[str, Any]:
    """Cut a table [lines, names, orders] into columns by name: [lines, orders] each."""
    return dict(zip(names, np.moveaxis(table, 1, 0), strict=True))


def _with_final_punctuation(line: bytes) -> bytes:
    """Return a line in which punctuation before white space at the end is a token, as in EASSE.

    There intl finds this white space. In sacreBLEU, and so in the kernel, it is dropped first, and
    `12.` is one token. Other lines are returned as they are.
    """
    text = line.decode(errors="surrogateescape")
    stripped = text.rstrip()
    if not stripped or stripped == text:
        return line
    if not unicodedata.category(stripped[-1]).startswith("P"):
        return line
    separated = f"{stripped[:-1]} {stripped[-1]}"
    return separated.encode(errors="surrogateescape")


def _f1(precision: Floats, recall: Floats) -> Floats:
    return ratio(2 * precision * recall, precision + recall)


def _with_empty_tokens(texts: list[Encoded]) -> list[Encoded]:
    """Return texts in which a line without tokens has an empty token, as str.split(' ') makes one.

    The empty token gets an id that no other token of the texts has.
    """
    empty_id = 1 + max(int(text.ids.max(initial=-1)) for text in texts)
    extended = []
    for ids, offsets in texts:
        starts = offsets[:-1]
        is_empty = starts == offsets[1:]
        new_ids = np.insert(ids, starts[is_empty], empty_id)
        # each line moves by the number of empty lines before it
        shifts = np.concatenate(([0], np.cumsum(is_empty)))
        extended.append(Encoded(new_ids.astype(np.int32), offsets + shifts))
    return extended


def _new_additions(text: Text) -> Ints:
    """Return how many n-grams outputs add correctly by modified-sari.py: int64 [systems, lines,
    orders].

    An n-gram is added if a reference and the output have it, and the source does not. To count, it
    must moreover have a word that no n-gram of this order of the source has, or must not be a
    subsequence of the source's words. N-grams are of lower-cased tokens between blanks. Words are
    split at any white space; for the subsequence, those of the source are not lower-cased.
    """
    assert text.source is not None  # noqa: S101 (the spec reads it)
    sources = list(text.source.texts())
    references = [list(lines.texts()) for lines in text.references]
    systems = [list(lines.texts()) for lines in text.systems]
    counts = np.zeros((len(systems), len(sources), SARI_ORDER), np.int64)
    for line, source in enumerate(sources):
        source_words = source.decode().split()
        lower_case = source.decode().lower()
        for order in range(1, SARI_ORDER + 1):
            # the words of the source's n-grams: all of them, or none if it is too short
            known_words: set[str] = set()
            if len(lower_case.split(" ")) >= order:
                known_words.update(lower_case.split())
            expected: set[tuple[str, ...]] = set()
            for index, reference in enumerate(references):
                if text.missing is None or not text.missing[line, index]:
                    expected |= _ngrams(reference[line], order)
            expected -= _ngrams(source, order)
            for index, system in enumerate(systems):
                for ngram in expected & _ngrams(system[line], order):
                    words = " ".join(ngram).split()
                    has_new_word = not known_words.issuperset(words)
                    if has_new_word or not _is_subsequence(words, source_words):
                        counts[index, line, order - 1] += 1
    return counts


def _ngrams(line: bytes, order: int) -> set[tuple[str, ...]]:
    """Return the distinct n-grams of lower-cased tokens between blanks."""
    tokens = line.decode().lower().split(" ")
    shifted = [tokens[start:] for start in range(order)]
    return set(zip(*shifted, strict=False))


def _is_subsequence(words: list[str], sequence: list[str]) -> bool:
    """Return whether a sequence has these words in this order, with or without gaps."""
    # `in` takes words from the iterator up to the one that it finds
    remaining = iter(sequence)
    return all(word in remaining for word in words)


def _only(flavour: str) -> dict[str, Any]:
    """Return the arguments of an option that only one flavour has."""
    return {
        "applies": lambda m: m.flavour == flavour,
        "why": f"only flavour: {flavour} has it",
    }


@dataclass(frozen=True)
class Sari(Metric):
    """SARI: the mean of the scores of n-grams that an output adds, keeps and deletes.

    N-grams are of the orders 1 to 4.

    All references of a sentence count together: an n-gram is expected as often as they have it on
    average.

    - easse sums counts over sentences, as the package EASSE does (github.com/feralvam/easse,
      6a4352ec). Each order has an F1 for additions, for kept n-grams, and for deletions.
    - xu, huggingface and modified are means of sentence scores, as in SARI.py and modified-sari.py
      of the first authors (github.com/cocoxu/simplification, 35570464), and in the metric sari of
      Hugging Face's evaluate. Deletions are scored by their precision. huggingface takes a ratio of
      nothing to nothing as 1, the others as 0.

    modified counts an added n-gram only if a token of it is new, or if it is no subsequence of the
    source. References may be of different numbers; a missing one does not count, and one that is
    there twice counts twice.
    """

    name: ClassVar[str] = "sari"
    summary: ClassVar[str] = (
        "SARI for text simplification (Xu et al. 2016), as EASSE and others; needs a source"
    )
    table_outputs: ClassVar[str] = "add|keep|del|sari_f|del_f"
    name_in_text: ClassVar[str] = "SARI"
    scores_lines: ClassVar[bool] = True
    policy: ClassVar[str] = "merged"
    """All references count together."""

    flavour: str = option(
        "easse",
        help="whose: EASSE's, that of its first authors (xu), Hugging Face's, or modified-sari.py",
        choices=("easse", "xu", "huggingface", "modified"),
    )
    tokenizer: str = tokenizer_option(
        lambda options: (
            "blank" if options.get("flavour") in ("xu", "modified") else "13a"
        ),
        "how lines are split into words: 13a, or blank for the flavours xu and modified",
        beside_unit=False,
    )
    lowercase: bool = option(
        True,
        key="lc",
        help="compare without upper case",
        applies=lambda m: not m.legacy,
        why="legacy never lower-cases",
    )
    legacy: bool = option(
        False,
        help="for texts that are tokenised: the source is split at white space, and nothing is "
        "lower-cased",
        implicit=True,
        **_only("easse"),
    )
    deletion: str = option(
        "f1",
        key="del",
        help="what deletions are scored by",
        choices=("f1", "precision"),
        implicit=True,
        **_only("easse"),
    )
    average: str = option(
        "macro",
        key="avg",
        help="mean of the F1 of all orders (macro), or F1 of mean precision and mean recall "
        "(micro, as in the paper)",
        choices=("macro", "micro"),
        implicit=True,
        **_only("easse"),
    )
    level: str = option(
        lambda options: (
            "corpus" if options.get("flavour", "easse") == "easse" else "mean"
        ),
        help="score the corpus, or the mean of sentence scores, which the flavours but easse "
        "always are",
        choices=("corpus", "mean"),
        implicit=True,
    )

    def conflicts(self) -> list[tuple[str, str]]:
        """Return a level, tokeniser or case that the flavour does not have."""
        if self.flavour != "easse" and self.level != "mean":
            problem = f"flavour {self.flavour} scores sentences, so that it is always mean"
            return [("level", problem)]
        has_other_tokens = self.tokenizer != "blank" or not self.lowercase
        if self.flavour == "modified" and has_other_tokens:
            tokens = "lower-cased tokens between single blanks"
            problem = f"modified takes {tokens}: no other tokenizer or case"
            return [("flavour", problem)]
        return []

    @property
    def edition(self) -> str:
        """The program that is followed."""
        return "" if self.flavour == "easse" else self.flavour

    @property
    def citations(self) -> tuple[str, ...]:
        """The metric, and the package that is followed."""
        if self.flavour == "easse":
            return ("xu-etal-2016-optimizing", "alva-manchego-etal-2019-easse")
        return ("xu-etal-2016-optimizing",)

    @cached_property
    def spec(self) -> SariSpec:
        """Counts of n-grams of source, output and references."""
        tokenization = Tokenization(
            self.tokenizer, lowercase=self.lowercase and not self.legacy
        )
        return SariSpec(tokenization, self.flavour, self.legacy)

    @cached_property
    def terms(self) -> tuple[Field, ...]:
        """SUMMED of each order, or the parts of sentence scores."""
        return self.spec.numbers

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return sari, add, keep and del, for modified also sari_f, del_recall and del_f; 0 for
        undefined ones.
        """
        if self.flavour == "easse":
            parts = {part: self._part(part, totals) for part in PARTS}
        else:  # sentence scores, which are averaged later
            parts = {term.name: totals[term.name] / UNIT for term in self.terms}
        without_deletions = parts["add"] + parts["keep"]
        outputs = {"sari": (without_deletions + parts["del"]) / 3, **parts}
        if "del_f" in parts:
            outputs["sari_f"] = (without_deletions + parts["del_f"]) / 3
        return outputs

    def _part(self, part: str, totals: Columns) -> Floats:
        """Return the score of added, kept or deleted n-grams (add, keep, del) from summed counts.

        The counts are int64 [..., orders] each, and the score is float64 [...].
        """
        correct = totals[f"{part}_c"]
        precision = ratio(correct, totals[f"{part}_h"])
        recall = ratio(correct, totals[f"{part}_r"])
        if self.average == "micro":
            precision = precision.mean(axis=-1)
            recall = recall.mean(axis=-1)
        scores = _f1(precision, recall)
        if part == "del" and self.deletion == "precision":
            scores = precision
        return scores if self.average == "micro" else scores.mean(axis=-1)

    def ngram_rule(self) -> Rule | None:
        """Return how n-grams are counted; none for legacy, whose source has other tokens."""
        if self.legacy:
            return None
        return Rule(
            "simplification",
            self.spec.tokenization,
            1,
            SARI_ORDER,
            merged=True,
        )

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the lengths, and the counts of each order."""
        lengths = [
            Counted("src_len", columns["src_len"]),
            Counted("hyp_len", columns["hyp_len"]),
        ]
        if self.flavour != "easse":
            return lengths
        return [
            *lengths,
            *(Counted(name, columns[name], orders=True) for name in SUMMED),
        ]
