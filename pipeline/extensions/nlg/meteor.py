"""METEOR 1.5 (Denkowski and Lavie 2014): the counts of the authors' program in Java, and their
score.
"""

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pipeline.arrays import Floats
from pipeline.errors import ConfigError
from pipeline.extensions.functions.computation import ComputedByCode
from pipeline.extensions.functions.declare import Plugin
from pipeline.extensions.functions.function_spec import Code, FunctionMetricSpec
from pipeline.metrics import Declared, Parameter
from pipeline.metrics.base import Columns, Counted, Field, Metric, ratio
from pipeline.metrics.options import level_option, option
from pipeline.tokenizers import Jar, Ptb

SHA256 = "1e57b4c72c0830ebe68558f1c799a624e96cbc1b6045c9f6330e26dcff6eafc2"
JAR = Jar("METEOR 1.5", "meteor/meteor-1.5.jar", SHA256)


class Parameters(NamedTuple):
    """The parameters of a language, as the program prints them in its evaluation ID."""

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: tuple[float, ...]
    """The weights of exact matches, stems, synonyms and paraphrases, as far as the language has
    them.
    """


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
LANGUAGES = FULL | dict.fromkeys(
    OTHERS, Parameters(0.75, 1.4, 0.7, 0.5, (1, 0.5))
)
SIDES = ("hyp", "ref")
KINDS = ("content", "function")
STAGES = (1, 2, 3, 4)
COUNTS = (
    "hyp_tokens",
    "ref_tokens",
    "hyp_function",
    "ref_function",
    *(
        f"{side}_{kind}_{stage}"
        for stage, kind, side in product(STAGES, KINDS, SIDES)
    ),
    "chunks",
    "hyp_matched",
    "ref_matched",
)
"""The counts of the program for an output and its best reference, in its order: tokens of both,
function words among them, content and function words that each stage matches, runs of matches, and
words in them.
"""


class Program:
    """The program, started anew for each call, which takes some seconds."""

    def __init__(
        self,
        language: str,
        normalize: str,
        tokenizer: str,
        jar: Path | None,
    ) -> None:
        """Take the options of the metric; `jar` is the program's path, None: it is looked for."""
        self.language = language
        self.normalize = normalize
        self.tokenizer = tokenizer
        self.jar = jar

    def files(self) -> list[Path]:
        """Return the files that numbers depend on, the jar first.

        Raises ConfigError if the jar or the table of paraphrases is missing.
        """
        jar = JAR.found(self.jar)
        files = [jar]
        if self.language in FULL:
            table = jar.parent / "data" / f"paraphrase-{self.language}.gz"
            if not table.is_file():
                source = "www.cs.cmu.edu/~alavie/METEOR has it with the jar"
                raise ConfigError(f"{JAR.title}: {table} is missing; {source}")
            files.append(table)
        if self.tokenizer == "ptb":
            files.append(Ptb.JAR.found())
        return files

    def __call__(
        self,
        outputs: Sequence[str],
        references: Sequence[Sequence[str]],
    ) -> list[list[float]]:
        """Return COUNTS of each output with the best of its references.

        `references` has the references of each output. Raises ConfigError as files() does, and
        RuntimeError if the program fails.
        """
        # All texts are tokenised at once: the references of each line, then all outputs. None may
        # have the separators of texts and lines.
        separators = re.compile(r"\|\|\||[\r\n]")
        texts: list[str] = []
        for group in (*references, outputs):
            texts += [separators.sub(" ", text) for text in group]
        if self.tokenizer == "ptb":
            texts = Ptb().many(texts)

        # a line of input for each output: its references, then the output
        remaining = iter(texts)
        reference_texts = []
        for group in references:
            reference_texts.append(list(islice(remaining, len(group))))
        lines = []
        for group, output in zip(reference_texts, remaining, strict=True):
            lines.append(" ||| ".join(["SCORE", *group, output]) + "\n")

        # run the program, which answers a line of counts for each
        command = [
            "java",
            "-Xmx2G",
            "-Dfile.encoding=UTF-8",
            "-jar",
            str(self.files()[0]),
            "-",
            "-",
            "-stdio",
            "-l",
            self.language,
        ]
        if self.normalize != "none":
            command.append(f"-{self.normalize}")
        process = subprocess.run(
            command,
            input="".join(lines),
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        counts = []
        for line in process.stdout.splitlines():
            counts.append([float(count) for count in line.split()])
        expected_sizes = [len(COUNTS)] * len(outputs)
        if list(map(len, counts)) != expected_sizes:
            found = f"{len(counts)} lines for {len(outputs)}"
            raise RuntimeError(
                f"{JAR.title} printed {found}: {process.stderr[-300:]}"
            )
        return counts


@dataclass(frozen=True)
class Meteor(ComputedByCode, Metric):
    """METEOR 1.5, by the user's copy of the authors' program in Java.

    The program aligns an output with each reference by exact words, stems, synonyms and
    paraphrases, and counts what the best alignment has. The score of a set is that of the summed
    counts, as the program computes it: the harmonic mean of weighted precision and recall, less a
    penalty for matches in many chunks, by the language's parameters.
    """

    name: ClassVar[str] = "meteor"
    summary: ClassVar[str] = (
        "METEOR 1.5, by your copy of its jar in Java; needs no source"
    )
    spellings: ClassVar[dict[str, dict[str, str]]] = {"METEOR 1.5": {}}
    help_page: ClassVar[str] = "nlg"
    name_in_text: ClassVar[str] = "METEOR"
    table_outputs: ClassVar[str] = "precision|recall|penalty"
    citations: ClassVar[tuple[str, ...]] = ("denkowski-lavie-2014-meteor",)
    policy: ClassVar[str] = "merged"
    """The program chooses the best reference."""

    language: str = option(
        "en",
        help="language of the texts, the program's -l",
        choices=tuple(LANGUAGES),
    )
    normalize: str = option(
        lambda options: (
            "norm" if options.get("language", "en") in FULL else "lower"
        ),
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
        """Return a normalisation that the language does not have."""
        if self.normalize != "norm" or self.language in FULL:
            return []
        problem = f"the program normalises {', '.join(FULL)} alone; take lower or none"
        return [("normalize", problem)]

    @cached_property
    def spec(self) -> FunctionMetricSpec:
        """The counts of the program."""
        signature = ["meteor"]
        options = []
        for name in ("language", "normalize", "tokenizer"):
            value = getattr(self, name)
            options.append((name, value))
            signature.append(f"{name}:{value}")
        signature.append(f"version:{DECLARED.version}")
        plugin = Plugin(Program, DECLARED, batch_size=5000, workers=1)
        code = Code(plugin, (*options, ("jar", self.jar)))
        return FunctionMetricSpec(
            "meteor",
            COUNTS,
            0,
            signature="|".join(signature),
            code=code,
        )

    @property
    def terms(self) -> tuple[Field, ...]:
        """All counts."""
        return self.spec.columns

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return meteor, precision, recall and the penalty for many chunks; 0 for undefined ones.

        Content words have the weight delta, function words 1 - delta, and matches the weight of
        their stage (exact, stem, synonym, paraphrase).
        """
        parameters = LANGUAGES[self.language]
        alpha = parameters.alpha
        delta = parameters.delta
        all_in_one_chunk = totals["chunks"] == 1

        # precision, of the output, and recall, of the reference
        shares = []
        for side in SIDES:
            tokens = totals[f"{side}_tokens"]
            function_words = totals[f"{side}_function"]
            content_words = tokens - function_words
            weighted_matches: Any = 0
            matches: Any = 0
            for index, stage in enumerate(STAGES):
                content = totals[f"{side}_content_{stage}"]
                function = totals[f"{side}_function_{stage}"]
                if index < len(parameters.weights):
                    matched = delta * content + (1 - delta) * function
                    weight = parameters.weights[index]
                    weighted_matches = weighted_matches + weight * matched
                matches = matches + content + function
            weighted_length = (
                delta * content_words + (1 - delta) * function_words
            )
            share = ratio(np.asarray(weighted_matches), weighted_length)
            shares.append(share)
            all_in_one_chunk = all_in_one_chunk & (matches == tokens)
        precision, recall = shares
        mean = ratio(
            precision * recall, alpha * precision + (1 - alpha) * recall
        )

        # the penalty: no fragmentation if one chunk is all of both texts
        matched_words = totals["hyp_matched"] + totals["ref_matched"]
        chunks = ratio(2 * totals["chunks"], matched_words)
        fragmentation = np.where(all_in_one_chunk, 0.0, chunks)
        penalty = parameters.gamma * fragmentation**parameters.beta
        return {
            "meteor": mean * (1 - penalty),
            "precision": precision,
            "recall": recall,
            "penalty": penalty,
        }

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the tokens of both texts, the words that match, and the chunks in which they are."""
        names = ("hyp_tokens", "ref_tokens", "hyp_matched", "chunks")
        return [Counted(name, columns[name]) for name in names]


DECLARED = Declared(
    "meteor",
    Meteor.summary,
    version="1.5",
    names=COUNTS,
    returns="counts",
    reads=("outputs", "references"),
    parameters=(
        *(
            Parameter(name, "str")
            for name in ("language", "normalize", "tokenizer")
        ),
        Parameter("jar", "path"),
    ),
)
"""The program as a metric of a user would declare it."""
