"""What BLEU and chrF share: scores, signatures, checks of texts, and bootstrap intervals."""

from __future__ import annotations

import json
import os
import statistics
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from ...texts import WrongTypeError, WrongValueError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ....arrays import Floats, Ints

Streams = Sequence[Sequence[str | None]]
"""References: a list for each annotator, with a text or None for each line."""


class Score:
    """A score in percent, and what is printed of it."""

    def __init__(self, name: str, score: float) -> None:
        self.name, self.score = name, score
        self._mean = self._ci = -1.0
        self._verbose = ""

    def format(self, width: int = 2, score_only: bool = False, signature: str = "", is_json: bool = False) -> str:
        """Return the score as text or as JSON, with `width` decimals, as sacreBLEU prints it."""
        shown = f"{self.score:.{width}f}"
        record: dict[str, Any] = {"name": self.name, "score": float(shown), "signature": signature}
        if self._mean > 0:
            mean, half = f"{self._mean:.{width}f}", f"{self._ci:.{width}f}"
            record |= {"confidence_mean": float(mean), "confidence_var": float(half)}
            record["confidence"] = f"μ = {mean} ± {half}"
            shown += f" ({record['confidence']})"
        if self._verbose:
            record["verbose_score"] = self._verbose
        if score_only:
            return shown
        if is_json:
            record |= dict(part.split(":") for part in signature.split("|"))
            return json.dumps(record, indent=1, ensure_ascii=False)
        named = f"{self.name}|{signature}" if signature else self.name
        return " ".join([f"{named} = {shown}", *([self._verbose] if self._verbose else [])])

    def estimate_ci(self, scores: Sequence[Score]) -> None:
        """Keep the mean of the scores of bootstrap samples, and half of their interval of 95%."""
        ordered = sorted(score.score for score in scores)
        cut = len(ordered) // 40
        self._mean = statistics.mean(ordered)
        self._ci = (ordered[len(ordered) - cut - 1] - ordered[cut]) / 2

    def __repr__(self) -> str:
        return self.format()


class Signature:
    """What a score depends on. `info` has it by name; format() returns it as one word.

    `abbreviations` has short names of parts, beside those that all metrics share.
    """

    shared: ClassVar[dict[str, str]] = {
        "nrefs": "#",
        "seed": "rs",
        "case": "c",
        "version": "v",
        "test": "t",
        "lang": "l",
        "subset": "S",
        "origlang": "o",
    }
    """Short names of parts; others keep their names."""

    def __init__(self, info: dict[str, Any], abbreviations: Mapping[str, str] | None = None) -> None:
        self.info, self.abbreviations = info, {**self.shared, **(abbreviations or {})}

    def format(self, short: bool = False) -> str:
        """Return the parts that have a value, joined by |, with the version last. `short` takes short names."""
        names = [*(name for name in self.info if name != "version"), "version"]
        values = {True: "yes", False: "no"}
        return "|".join(
            f"{self.abbreviations.get(name, name) if short else name}"
            f":{values[self.info[name]] if isinstance(self.info[name], bool) else self.info[name]}"
            for name in names
            if self.info[name] is not None
        )

    def update(self, key: str, value: object) -> None:
        """Add a part, or change one."""
        self.info[key] = value

    def __repr__(self) -> str:
        return self.format()


Scored = TypeVar("Scored", bound=Score)


class Metric(ABC, Generic[Scored]):
    """A metric with its settings.

    References that are given when it is made serve all calls that are given None.
    Members with an underscore have the names that they have in sacreBLEU, since its paired tests call them.
    """

    abbreviations: ClassVar[Mapping[str, str]] = {}
    """Short names of the parts of its signatures."""

    def __init__(self, references: Streams | None) -> None:
        self._ref_cache: Streams | None = None
        self.n_bootstrap: int | None = None
        self.seed: str | None = None
        self.num_refs: int | None = None
        if references is not None:
            self._check_references(references)
            self._ref_cache = references
            self.num_refs = _reference_count(references)

    def corpus_score(self, hypotheses: Sequence[str], references: Streams | None, n_bootstrap: int = 1) -> Scored:
        """Return the score of a corpus.

        `references` has a list for each annotator, with None where an annotator has nothing for a line. If it is None,
        the references count that the metric was made with. With `n_bootstrap` above 1 the score also has the mean and
        the interval over so many bootstrap samples, drawn as sacreBLEU draws them.
        Raises InputError for texts that do not fit together.
        """
        counts = self._extract_corpus_statistics(hypotheses, references)
        score = self._aggregate_and_compute(counts)
        if n_bootstrap > 1:
            self.n_bootstrap = n_bootstrap
            self.seed = os.environ.get("SACREBLEU_SEED", "12345").lower()
            score.estimate_ci(self._bootstrap(counts, n_bootstrap))
        return score

    def sentence_score(self, hypothesis: str, references: Sequence[str | None]) -> Scored:
        """Return the score of a sentence with its references. Raises InputError for what is no text."""
        name = type(self).__name__
        if not isinstance(hypothesis, str):
            raise WrongTypeError(f"{name}: hypothesis: expected a text, found {type(hypothesis).__name__}")
        if isinstance(references, str) or not isinstance(references, Sequence):
            raise WrongTypeError(f"{name}: references: expected a list of texts, found {type(references).__name__}")
        return self.corpus_score([hypothesis], [[reference] for reference in references])

    def get_signature(self) -> Signature:
        """Return the signature of what was scored last. Raises WrongValueError where nothing was scored yet."""
        if self.num_refs is None:
            raise WrongValueError("the number of references is not known yet: score something first")
        from ....metrics.base.options import SACREBLEU

        references = "var" if self.num_refs == -1 else self.num_refs
        info = {"version": SACREBLEU, "nrefs": references, "bs": self.n_bootstrap, "ar": None, "seed": self.seed}
        info |= dict.fromkeys(("test", "lang", "origlang", "subset"))
        return Signature(info | self._settings(), self.abbreviations)

    def _extract_corpus_statistics(self, hypotheses: Sequence[str], references: Streams | None) -> Ints | Floats:
        """Return the counts of each line: int64 [lines, counts]."""
        self._check_hypotheses(hypotheses)
        if references:
            self._check_references(references)
            self.num_refs = _reference_count(references)
        references = references or self._ref_cache
        if not references:
            raise WrongValueError(f"{type(self).__name__}: there are no references, neither here nor in the metric")
        for number, stream in enumerate(references):
            if len(stream) != len(hypotheses):
                sizes = f"{len(stream)} texts, and there are {len(hypotheses)} hypotheses"
                raise WrongValueError(f"{type(self).__name__}: references[{number}] has {sizes}")
        return self._count(hypotheses, references)

    def _aggregate_and_compute(self, stats: Any) -> Scored:
        """Return the score of the counts of lines."""
        import numpy as np

        return self._compute_score_from_stats(np.asarray(stats).sum(axis=0))

    def _bootstrap(self, counts: Ints | Floats, samples: int) -> list[Scored]:
        """Return the scores of bootstrap samples of the lines."""
        import numpy as np

        drawn = np.random.default_rng(None if self.seed in (None, "none") else int(str(self.seed)))
        lines = len(counts)
        weights = (np.bincount(drawn.integers(0, lines, lines), minlength=lines) for _ in range(samples))
        return [self._compute_score_from_stats(weight @ counts) for weight in weights]

    def _check_hypotheses(self, hypotheses: object) -> None:
        name = type(self).__name__
        if isinstance(hypotheses, str) or not isinstance(hypotheses, Sequence):
            raise WrongTypeError(f"{name}: hypotheses: expected a list of texts, found {type(hypotheses).__name__}")
        if not hypotheses:
            raise WrongValueError(f"{name}: hypotheses: the list is empty")

    def _check_references(self, references: object) -> None:
        name, wanted = type(self).__name__, "expected a list of texts for each annotator"
        if isinstance(references, str) or not isinstance(references, Sequence):
            raise WrongTypeError(f"{name}: references: {wanted}, found {type(references).__name__}")
        for number, stream in enumerate(references):
            if isinstance(stream, str) or not isinstance(stream, Sequence):
                raise WrongTypeError(f"{name}: references[{number}]: {wanted}, found {type(stream).__name__}")
        for line, texts in enumerate(zip(*references, strict=False)):
            if all(text is None for text in texts):
                raise WrongValueError(f"{name}: item {line + 1} has no reference at all")

    @abstractmethod
    def _count(self, hypotheses: Sequence[str], references: Streams) -> Ints | Floats:
        """Return the counts of each line: int64 [lines, counts], float64 where lengths are means."""

    @abstractmethod
    def _compute_score_from_stats(self, stats: Any) -> Scored:
        """Return the score of sums of counts."""

    @abstractmethod
    def _settings(self) -> dict[str, Any]:
        """Return the parts of the signature that the settings make."""


def _reference_count(references: Streams) -> int:
    """Return how many references lines have, -1 where the lines differ."""
    counts = {sum(text is not None for text in texts) for texts in zip(*references, strict=False)}
    return counts.pop() if len(counts) == 1 else -1
