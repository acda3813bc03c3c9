"""The edits of pairs of texts, as errant_parallel of the package errant writes them, to the byte.

The parse, the merging and the types are errant's and spaCy's own. errant_parallel parses one text at a time, and the
source again for each corrected text. Here each text is parsed once, and texts are parsed together: spaCy gives the same
parse, since it sees the same words. How the alignment is found faster stands in `alignments.py`.
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError
from .alignments import Word, common_end, faster
from .spacy_pipelines import lacking, named, versions_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .pairs import Annotation, Pair

BATCH = 128
"""Texts that are parsed together."""
MOST_COSTS = 1 << 18
"""The most pairs of words whose cost is kept, about 50 MB."""
UNUSED = ["ner"]
"""Parts of a spaCy pipeline that errant switches off."""
LAYERS = {"TAG": "tags", "POS": "parts of speech", "LEMMA": "lemmas", "DEP": "dependencies"}
"""What errant needs of a spaCy pipeline."""
PROBE = "This are a test ."
"""A sentence that shows what a spaCy pipeline gives."""


class ErrantAnnotator:
    """errant with a spaCy pipeline: a name, a folder, or None for the default.

    Raises ConfigError where a package or the pipeline is missing, or where the pipeline cannot serve errant.
    """

    def __init__(self, model: str | None = None) -> None:
        self.versions = versions_of(model)
        """The versions that the annotations depend on."""
        self._nlp, self._errant, alignment = _load(named(model))
        self._words: dict[tuple[int, ...], Word] = {}
        self._faster = faster(alignment)
        self._check(named(model))

    def _check(self, model: str) -> None:
        """Raise ConfigError where the spaCy pipeline gives words too little for errant, or is not for English."""
        if self._nlp.lang != "en":
            raise ConfigError(
                f"annotator: the spaCy pipeline {model} is for the language '{self._nlp.lang}'; errant is for English"
            )
        doc = self._nlp(self._split(PROBE))
        absent = [layer for name, layer in LAYERS.items() if not doc.has_annotation(name)]
        if absent:
            raise ConfigError(f"annotator: the spaCy pipeline {model} gives no {', '.join(absent)}, which errant needs")

    def annotate(self, pairs: Sequence[Pair]) -> list[Annotation]:
        """Return the edits of each pair. Each distinct text is parsed once.

        Raises ConfigError where errant has no type for a word, since it does not know a tag of the spaCy pipeline.
        """
        if sum(len(word.costs) for word in self._words.values()) > MOST_COSTS:
            self._words.clear()
        docs = self.parse(text for pair in pairs for text in pair)
        words = {text: self._read(doc) for text, doc in docs.items()}
        return [self._edits(pair, docs, words) for pair in pairs]

    def parse(self, texts: Iterable[str]) -> dict[str, Any]:
        """Return spaCy's Doc of each distinct text, split at blanks."""
        distinct = list(dict.fromkeys(texts))
        return dict(zip(distinct, self._nlp.pipe(map(self._split, distinct), batch_size=BATCH), strict=True))

    def _split(self, text: str) -> Any:
        from spacy.tokens import Doc

        return Doc(self._nlp.vocab, text.split())

    def _read(self, doc: Any) -> list[Word]:
        """Return the words of a text, the same object for equal words with equal attributes."""
        from spacy.attrs import LEMMA, LOWER, ORTH, POS

        rows = map(tuple, doc.to_array([ORTH, LOWER, LEMMA, POS]).tolist())
        return [
            self._words.get(row) or self._words.setdefault(row, Word(token.text, *row))
            for row, token in zip(rows, doc, strict=True)
        ]

    def _aligned(self, pair: Pair, docs: dict[str, Any], words: dict[str, list[Word]]) -> Any:
        """Return errant's alignment of a pair."""
        if self._faster is None:
            return self._errant.align(docs[pair.source], docs[pair.corrected])
        source, corrected = words[pair.source], words[pair.corrected]
        common = common_end(source, corrected)
        alignment = self._faster(source[: len(source) - common], corrected[: len(corrected) - common])
        alignment.orig, alignment.cor = docs[pair.source], docs[pair.corrected]
        return alignment

    def _edits(self, pair: Pair, docs: dict[str, Any], words: dict[str, list[Word]]) -> Annotation:
        """Return the edits of a pair."""
        alignment = self._aligned(pair, docs, words)
        try:
            edits = [self._errant.classify(edit) for edit in self._errant.merge(alignment)]
        except KeyError as error:
            raise ConfigError(
                f"annotator: errant does not know the tag {error} that {self.versions.model} gives in: {pair.source}"
            ) from None
        return tuple(edit.to_m2(0)[:-1] for edit in edits)


def _load(model: str) -> tuple[Any, Any, Any]:
    """Return the spaCy pipeline, errant's annotator and its class of alignments; raises ConfigError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of spaCy about its own imports: no user can change them
        try:
            import errant
            import spacy
            from errant.alignment import Alignment
        except ImportError as error:
            raise lacking(error) from None
        try:
            nlp = spacy.load(model, disable=UNUSED)
        except (OSError, ValueError, ImportError) as error:
            reason = str(error).partition("\n")[0]
            raise ConfigError(f"annotator: the spaCy pipeline {model} cannot be loaded: {reason}") from None
    return nlp, errant.load("en", nlp), Alignment


@cache
def annotator_of(model: str | None) -> ErrantAnnotator:
    """Return the annotator of this process for a spaCy pipeline. It is loaded once."""
    return ErrantAnnotator(model)
