"""METEOR 1.5 (Denkowski and Lavie 2014): what the authors' program in Java counts, and the score of
sums of that.
"""

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np

from pipeline.arrays import Floats
from pipeline.errors import ConfigError
from pipeline.metrics.base.capabilities import ComputesNumbers
from pipeline.metrics.base.choices import ratio
from pipeline.metrics.base.declared import Declared, Parameter
from pipeline.metrics.base.metric import Counted, Metric
from pipeline.metrics.base.options import level_option, option
from pipeline.metrics.base.statistics_spec import Columns, Field
from pipeline.metrics.functions.declare import Plugin
from pipeline.metrics.functions.metric import Code, FunctionMetricSpec
from pipeline.tokenizers.sacrebleu import JAR as PTB
from pipeline.tokenizers.sacrebleu import Jar, Ptb

SHA256 = "1e57b4c72c0830ebe68558f1c799a624e96cbc1b6045c9f6330e26dcff6eafc2"
JAR = Jar("METEOR 1.5", "meteor/meteor-1.5.jar", SHA256)


class Parameters(NamedTuple):
    """Those of a language, as the program prints them in its evaluation ID."""

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: tuple[float, ...]
    """Of exact matches, then of as many as the language has of stems, synonyms and paraphrases."""


FULL = {
    "en": Parameters(0.85, 0.2, 0.6, 0.75, (1, 0.6, 0.8, 0.6)),
    "cz": Parameters(0.95, 0.2, 0.6, 0.8, (1, 0.4)),
    "de": Parameters(0.95, 1.0, 0.55, 0.55, (1, 0.8, 0.2)),
    "es": Parameters(0.65, 1.3, 0.5, 0.8, (1, 0.8, 0.6)),
    "fr": Parameters(0.9, 1.4, 0.6, 0.65, (1, 0.2, 0.4)),
    "ru": Parameters(0.75, 1.4, 0.7, 0.5, (1, 0.5, 0.5)),
}
"""Languages with rules of normalisation, and with a table of paraphrases in a file of its own."""
OTHERS = ("da", "fi", "hu", "it", "nl", "no", "pt", "ro", "se", "tr")
LANGUAGES = FULL | dict.fromkeys(OTHERS, Parameters(0.75, 1.4, 0.7, 0.5, (1, 0.5)))
SIDES, STAGES = ("hyp", "ref"), (1, 2, 3, 4)
COUNTS = (
    *(f"{side}_{kind}" for kind in ("tokens", "function") for side in SIDES),
    *(
        f"{side}_{kind}_{stage}"
        for stage in STAGES
        for kind in ("content", "function")
        for side in SIDES
    ),
    *("chunks", "hyp_matched", "ref_matched"),
)
"""What the program counts of an output and its best reference, in its order: tokens of both,
function words among them, content and function words that each stage matches, runs of matches, and
words in them."""


class Program:
    """The program, started anew for each call, which takes some seconds."""

    def __init__(self, language: str, normalize: str, tokenizer: str, jar: Path | None) -> None:
        self._language, self._tokenizer, self._given = language, tokenizer, jar
        self._words = [
            "-",
            "-",
            "-stdio",
            "-l",
            language,
            *([] if normalize == "none" else [f"-{normalize}"]),
        ]

    def files(self) -> list[Path]:
        """Return the jar and the table of paraphrases, on which numbers depend; raises ConfigError
        where one lacks.
        """
        jar = JAR.found(self._given)
        table = jar.parent / "data" / f"paraphrase-{self._language}.gz"
        if self._language in FULL and not table.is_file():
            raise ConfigError(
                f"{JAR.title}: {table} is missing; www.cs.cmu.edu/~alavie/METEOR has it with the jar"
            )
        of_tokens = [PTB.found()] if self._tokenizer == "ptb" else []
        return [jar, *([table] if self._language in FULL else []), *of_tokens]

    def __call__(
        self, outputs: Sequence[str], references: Sequence[Sequence[str]]
    ) -> list[list[float]]:
        """Return COUNTS of each output with the best of its references."""
        # no text may have what parts texts and lines
        texts = [
            re.sub(r"\|\|\||[\r\n]", " ", text) for own in (*references, outputs) for text in own
        ]
        each = iter(Ptb().many(texts) if self._tokenizer == "ptb" else texts)
        fields = [list(islice(each, len(own))) for own in references]
        lines = "".join(
            " ||| ".join(("SCORE", *own, output)) + "\n"
            for own, output in zip(fields, each, strict=True)
        )
        command = [
            "java",
            "-Xmx2G",
            "-Dfile.encoding=UTF-8",
            "-jar",
            str(self.files()[0]),
            *self._words,
        ]
        done = subprocess.run(
            command, input=lines, capture_output=True, encoding="utf-8", check=False
        )
        counts = [[*map(float, line.split())] for line in done.stdout.splitlines()]
        if [*map(len, counts)] != [len(COUNTS)] * len(outputs):
            raise RuntimeError(
                f"{JAR.title} printed {len(counts)} lines for {len(outputs)}: {done.stderr[-300:]}"
            )
        return counts


@dataclass(frozen=True)
class Meteor(ComputesNumbers, Metric):
    """METEOR 1.5, by the authors' program in Java, of which the user has a copy.

    The program aligns an output with each reference by exact words, stems, synonyms and
    paraphrases, and counts what the best alignment has. The score of a set is that of the summed
    counts, as the program computes it: the harmonic mean of weighted precision and recall, less a
    penalty for matches in many chunks, by the language's parameters."""

    name: ClassVar[str] = "meteor"
    summary: ClassVar[str] = "METEOR 1.5, by your copy of its jar in Java; needs no source"
    spellings: ClassVar[dict[str, dict[str, str]]] = {"METEOR 1.5": {}}
    help_page: ClassVar[str] = "nlg"
    name_in_text: ClassVar[str] = "METEOR"
    table_outputs: ClassVar[str] = "precision|recall|penalty"
    citations: ClassVar[tuple[str, ...]] = ("denkowski-lavie-2014-meteor",)
    policy: ClassVar[str] = "merged"
    """The program chooses the best reference."""

    language: str = option(
        "en", help="language of the texts, the program's -l", choices=tuple(LANGUAGES)
    )
    normalize: str = option(
        lambda given: "norm" if given.get("language", "en") in FULL else "lower",
        key="norm",
        help="the program's -norm (its own tokens, lower case), -lower (lower case), or none",
        choices=("norm", "lower", "none"),
    )
    tokenizer: str = option(
        "none",
        key="tok",
        help="what is done to texts before: none, or ptb, as the suites of COCO and E2E do",
        choices=("none", "ptb"),
        implicit=True,
    )
    jar: str = option(
        "",
        help="where meteor-1.5.jar is; by default in the package pycocoevalcap",
        free=True,
        form="a path",
        path=True,
        in_signatures=False,
    )
    level: str = level_option()

    def conflicts(self) -> list[tuple[str, str]]:
        """Return a normalisation that the language has not."""
        wrong = self.normalize == "norm" and self.language not in FULL
        return (
            [("normalize", f"the program normalises {', '.join(FULL)} alone; take lower or none")]
            if wrong
            else []
        )

    @cached_property
    def spec(self) -> FunctionMetricSpec:
        """What the program counts."""
        options = tuple(
            (name, getattr(self, name)) for name in ("language", "normalize", "tokenizer")
        )
        told = "|".join(
            (
                "meteor",
                *(f"{name}:{value}" for name, value in options),
                f"version:{DECLARED.version}",
            )
        )
        code = Code(
            Plugin(Program, DECLARED, batch_size=5000, workers=1), (*options, ("jar", self.jar))
        )
        return FunctionMetricSpec("meteor", COUNTS, 0, signature=told, code=code)

    @property
    def terms(self) -> tuple[Field, ...]:
        """All counts."""
        return self.spec.columns

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return meteor, precision, recall and the penalty for many chunks, 0 where there is none."""
        alpha, beta, gamma, delta, weights = LANGUAGES[self.language]
        shares, whole = [], totals["chunks"] == 1
        for side in SIDES:
            content, function = (
                [totals[f"{side}_{kind}_{n}"] for n in STAGES] for kind in ("content", "function")
            )
            tokens, functions = totals[f"{side}_tokens"], totals[f"{side}_function"]
            hits = sum(
                w * (delta * c + (1 - delta) * f)
                for w, c, f in zip(weights, content, function, strict=False)
            )
            shares.append(
                ratio(np.asarray(hits), delta * (tokens - functions) + (1 - delta) * functions)
            )
            whole = whole & (sum(content) + sum(function) == tokens)
        precision, recall = shares
        mean = ratio(precision * recall, alpha * precision + (1 - alpha) * recall)
        chunks = ratio(2 * totals["chunks"], totals["hyp_matched"] + totals["ref_matched"])
        penalty = (
            gamma * np.where(whole, 0.0, chunks) ** beta
        )  # none where one chunk is all of both texts
        return {
            "meteor": mean * (1 - penalty),
            "precision": precision,
            "recall": recall,
            "penalty": penalty,
        }

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the tokens of both texts, the words that match, and the chunks in which they are."""
        return [
            Counted(name, columns[name])
            for name in ("hyp_tokens", "ref_tokens", "hyp_matched", "chunks")
        ]


DECLARED = Declared(
    "meteor",
    Meteor.summary,
    version="1.5",
    names=COUNTS,
    returns="counts",
    reads=("outputs", "references"),
    parameters=(
        *(Parameter(name, "str") for name in ("language", "normalize", "tokenizer")),
        Parameter("jar", "path"),
    ),
)
"""How the program is called, in the terms of metrics of users."""
