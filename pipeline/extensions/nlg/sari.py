"""SARI (Xu et al. 2016) for text simplification: n-grams that are rightly added, kept and deleted."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from pipeline import kernel
from pipeline.arrays import Floats, Ints
from pipeline.kernel.common import SARI_COUNTS, SARI_ORDER, SARI_RATIOS, Encoded, join_lines
from pipeline.metrics.base.capabilities import Rule, ScoresLines, ShowsNgrams
from pipeline.metrics.base.choices import ratio
from pipeline.metrics.base.metric import Counted, Metric
from pipeline.metrics.base.options import any_tokenizer_option, option
from pipeline.metrics.base.statistics_spec import Columns, Field, StatisticsSpec, Text
from pipeline.tokenizers.tokenization import Tokenization, changed_lines

SUMMED = SARI_COUNTS[:9]
"""The counts that are summed over sentences."""
PARTS = ("add", "keep", "del")
UNIT = 1 << 50
"""The parts of a sentence score are whole numbers of 1 / UNIT, whose sums do not depend on an
order."""


@dataclass(frozen=True)
class SariSpec(StatisticsSpec):
    """What outputs add, keep and delete: counts of each order, or, where sentences are scored, the
    finished parts.
    """

    tokenization: Tokenization = field()
    flavour: str
    legacy: bool

    source = True

    @property
    def columns(self) -> tuple[Field, ...]:
        """Lengths in tokens, and SUMMED of each order; or the parts of the sentence score, in 1 /
        UNIT.
        """
        lengths = (Field("src_len"), Field("hyp_len"), Field("ref_len", per_reference=True))
        if self.flavour == "easse":
            return (*lengths, *(Field(name, SARI_ORDER) for name in SUMMED))
        more = ("del_recall", "del_f") if self.flavour == "modified" else ()
        return (*lengths, *map(Field, (*PARTS, *more)))

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count a shard."""
        source, *others = self._encoded(text)
        references, systems = others[: len(text.references)], others[len(text.references) :]
        counts, ratios = kernel.sari(source, references, systems, text.missing)
        if self.flavour == "modified":
            counts[:, :, 0] = _moved(text)
        src_len, ref_len = (
            np.diff(source.offsets),
            np.stack([np.diff(one.offsets) for one in references], axis=-1),
        )
        result = []
        for number, system in enumerate(systems):
            lengths = {"src_len": src_len, "hyp_len": np.diff(system.offsets), "ref_len": ref_len}
            whole = dict(zip(SARI_COUNTS, np.moveaxis(counts[number], 1, 0), strict=True))
            real = dict(zip(SARI_RATIOS, np.moveaxis(ratios[number], 1, 0), strict=True))
            own = whole if self.flavour == "easse" else self._parts(whole, real)
            result.append({item.name: own[item.name] for item in self.columns[3:]} | lengths)
        return result

    def _encoded(self, text: Text) -> list[Encoded]:
        assert text.source is not None  # noqa: S101 (these needs read it)
        texts = [text.source, *text.references, *text.systems]
        if self.tokenization.tokenizer == "intl":
            texts = [join_lines(map(_with_end, lines.texts())) for lines in texts]
        if self.legacy:  # the source alone is not tokenised
            apart = self.tokenization.tokens
            spaced = [
                changed_lines(text, n, lambda line: " ".join(apart(line)))
                for n, text in enumerate(texts[1:], 1)
            ]
            return kernel.encode([texts[0], *spaced], "whitespace")
        encoded = self.tokenization.encode(texts)
        return _with_empty_tokens(encoded) if self.flavour == "huggingface" else encoded

    def _parts(self, whole: Mapping[str, Ints], real: Mapping[str, Floats]) -> dict[str, Ints]:
        """Return the parts of each sentence score: the means over orders of the F1 of additions and
        so on.
        """
        empty = 1.0 if self.flavour == "huggingface" else 0.0  # a ratio of nothing to nothing

        def share(part: Any, total: Ints) -> Floats:
            return np.where(total == 0, empty, ratio(part, total))

        kept = share(real["keep_p"], whole["kept"])
        wanted = (
            share(whole["keep_c"], whole["keep_r"])
            if empty
            else share(real["keep_q"], whole["keepable"])
        )
        gone, recall = (share(real["del_p"], whole[total]) for total in ("deleted", "deletable"))
        parts = {
            "add": _f1(
                share(whole["add_c"], whole["add_h"]), share(whole["add_c"], whole["add_r"])
            ),
            "keep": _f1(kept, wanted),
            "del": gone,
            "del_recall": recall,
            "del_f": _f1(gone, recall),
        }
        return {
            name: np.rint(part.mean(axis=-1) * UNIT).astype(np.int64)
            for name, part in parts.items()
        }


def _with_end(line: bytes) -> bytes:
    """Return a line in which punctuation before white space at the end is apart, as in EASSE.

    There intl sees this white space. In sacreBLEU, and so in the kernel, it is dropped first, and
    `12.` is one token."""
    text = line.decode(errors="surrogateescape")
    end = text.rstrip()
    apart = len(end) < len(text) and unicodedata.category(end[-1:] or " ").startswith("P")
    return f"{end[:-1]} {end[-1]}".encode(errors="surrogateescape") if apart else line


def _f1(one: Floats, two: Floats) -> Floats:
    return ratio(2 * one * two, one + two)


def _with_empty_tokens(texts: list[Encoded]) -> list[Encoded]:
    """Return texts in which a line without tokens has an empty token, as str.split(' ') makes one."""
    empty = max((int(text.ids.max(initial=-1)) for text in texts), default=-1) + 1
    result = []
    for ids, offsets in texts:
        lacks = offsets[1:] == offsets[:-1]
        more = np.concatenate(([0], np.cumsum(lacks)))
        result.append(
            Encoded(np.insert(ids, offsets[:-1][lacks], empty).astype(np.int32), offsets + more)
        )
    return result


def _moved(text: Text) -> Ints:
    """Return add_c of the flavour modified: int64 [systems, lines, order].

    An added n-gram must moreover have a word that no n-gram of this order of the source has, or
    must not be a subsequence of the source's words, which are not lower-cased. Words are split at
    any white space, tokens at blanks."""
    assert text.source is not None  # noqa: S101 (the needs read it)
    counts = np.zeros((len(text.systems), len(text.source.starts), SARI_ORDER), np.int64)
    there = (
        np.ones((len(text.source.starts), len(text.references)), bool)
        if text.missing is None
        else ~text.missing
    )
    references, systems = (
        [list(lines.texts()) for lines in texts] for texts in (text.references, text.systems)
    )
    for line, source in enumerate(text.source.texts()):
        words, lower = source.decode().split(), source.decode().lower()
        own = [
            reference[line]
            for reference, is_there in zip(references, there[line], strict=True)
            if is_there
        ]
        for order in range(1, SARI_ORDER + 1):
            known = set(lower.split() if len(lower.split(" ")) >= order else ())
            wanted = set().union(*(_grams(reference, order) for reference in own)) - _grams(
                source, order
            )
            for number, system in enumerate(systems):
                added = [" ".join(gram).split() for gram in wanted & _grams(system[line], order)]
                counts[number, line, order - 1] = sum(
                    not (known.issuperset(g) and _within(g, words)) for g in added
                )
    return counts


def _grams(line: bytes, order: int) -> set[tuple[str, ...]]:
    tokens = line.decode().lower().split(" ")
    return set(zip(*(tokens[start:] for start in range(order)), strict=False))


def _within(gram: list[str], words: list[str]) -> bool:
    """Return whether the words of an n-gram stand among others in this order, with or without
    others between them.
    """
    rest = iter(words)
    return all(word in rest for word in gram)


def _own(flavour: str) -> dict[str, Any]:
    return {"applies": lambda m: m.flavour == flavour, "why": f"only flavour: {flavour} has it"}


@dataclass(frozen=True)
class Sari(ScoresLines, ShowsNgrams, Metric):
    """SARI: the mean of the scores of n-grams that an output adds, keeps and deletes, for the orders 1 to 4.

    All references of a sentence count together: an n-gram is wanted as often as they have it on average.

    - easse sums counts over sentences, as the package EASSE does (github.com/feralvam/easse, 6a4352ec). Each order has
      an F1 for additions, for what is kept, and for deletions.
    - xu, huggingface and modified are means of sentence scores, as in SARI.py and modified-sari.py of the first authors
      (github.com/cocoxu/simplification, 35570464), and in the metric sari of Hugging Face's evaluate. Deletions are
      scored by their precision. huggingface takes a ratio of nothing to nothing as 1, the others as 0.

    modified counts an added n-gram only if a token of it is new, or if it is no subsequence of the source. References
    may be of different numbers; a missing one does not count, and one that is there twice counts twice.
    """

    name: ClassVar[str] = "sari"
    summary: ClassVar[str] = (
        "SARI for text simplification (Xu et al. 2016), as EASSE and others; needs a source"
    )
    table_outputs: ClassVar[str] = "add|keep|del|sari_f|del_f"
    name_in_text: ClassVar[str] = "SARI"
    policy: ClassVar[str] = "merged"
    """All references count together."""

    flavour: str = option(
        "easse",
        help="whose: EASSE's, that of its first authors (xu), Hugging Face's, or modified-sari.py",
        choices=("easse", "xu", "huggingface", "modified"),
    )
    tokenizer: str = any_tokenizer_option(
        lambda given: "blank" if given.get("flavour") in ("xu", "modified") else "13a",
        "how lines are split into words: 13a, or blank for the flavours xu and modified",
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
        help="for texts that are tokenised: the source is split at white space, and nothing is lower-cased",
        implicit=True,
        **_own("easse"),
    )
    deletion: str = option(
        "f1",
        key="del",
        help="what deletions are scored by",
        choices=("f1", "precision"),
        implicit=True,
        **_own("easse"),
    )
    average: str = option(
        "macro",
        key="avg",
        help="mean of the F1 of all orders (macro), or F1 of mean precision and mean recall (micro, as in the paper)",
        choices=("macro", "micro"),
        implicit=True,
        **_own("easse"),
    )
    level: str = option(
        lambda given: "corpus" if given.get("flavour", "easse") == "easse" else "mean",
        help="score the corpus, or the mean of sentence scores, which the flavours but easse always are",
        choices=("corpus", "mean"),
        implicit=True,
    )

    def conflicts(self) -> list[tuple[str, str]]:
        """Return what the flavours that score sentences do not have, and what needs no source."""
        if self.flavour != "easse" and self.level != "mean":
            return [
                ("level", f"flavour {self.flavour} scores sentences, so that it is always mean")
            ]
        if self.flavour == "modified" and (self.tokenizer, self.lowercase) != ("blank", True):
            return [
                (
                    "flavour",
                    "modified takes lower-cased tokens between single blanks: no other tokenizer or case",
                )
            ]
        return []

    @property
    def edition(self) -> str:
        """The program that is followed."""
        return "" if self.flavour == "easse" else self.flavour

    @property
    def citations(self) -> tuple[str, ...]:
        """The metric, and the package that is followed."""
        return (
            "xu-etal-2016-optimizing",
            *(["alva-manchego-etal-2019-easse"] if self.flavour == "easse" else []),
        )

    @cached_property
    def spec(self) -> SariSpec:
        """Counts of n-grams of source, output and references."""
        tokenization = Tokenization(self.tokenizer, lowercase=self.lowercase and not self.legacy)
        return SariSpec(tokenization, self.flavour, self.legacy)

    @cached_property
    def terms(self) -> tuple[Field, ...]:
        """SUMMED of each order, or the parts of sentence scores."""
        return self.spec.columns[3:]

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return sari, add, keep and del, for modified also sari_f, del_recall and del_f; 0 where
        there is none.
        """
        if self.flavour == "easse":
            parts = {part: self._part(part, totals) for part in PARTS}
        else:
            parts = {term.name: totals[term.name] / UNIT for term in self.terms}
        outputs = {"sari": (parts["add"] + parts["keep"] + parts["del"]) / 3} | parts
        if "del_f" in parts:
            outputs["sari_f"] = (parts["add"] + parts["keep"] + parts["del_f"]) / 3
        return outputs

    def _part(self, part: str, totals: Columns) -> Floats:
        """Return the score of additions, of what is kept, or of deletions, from counts [...,
        order].
        """
        precision, recall = (
            ratio(totals[f"{part}_c"], totals[f"{part}_{total}"]) for total in "hr"
        )
        if self.average == "micro":
            precision, recall = precision.mean(axis=-1), recall.mean(axis=-1)
        by_precision = part == "del" and self.deletion == "precision"
        scores = precision if by_precision else _f1(precision, recall)
        return scores if self.average == "micro" else scores.mean(axis=-1)

    def ngram_rule(self) -> Rule | None:
        """Return that n-grams are added, kept and deleted, rightly or not."""
        return (
            None
            if self.legacy
            else Rule("sari", self.spec.tokenization, 1, SARI_ORDER, merged=True)
        )

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the lengths, and the counts of each order."""
        lengths = [Counted("src_len", columns["src_len"]), Counted("hyp_len", columns["hyp_len"])]
        if self.flavour != "easse":
            return lengths
        return [*lengths, *(Counted(name, columns[name], orders=True) for name in SUMMED)]
