"""COMET (Rei et al. 2020): regression models that compare source, output and reference, by the
authors' package.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from pipeline.errors import InputError
from pipeline.metrics.functions.declare import Model, metric
from pipeline.metrics.functions.models import HUB, located, name_of

from .networks import AT_ONCE, WithModels, built_in

CLASSES = {"regression_metric": True, "referenceless_regression_metric": False}
"""The classes of models, and whether they read a reference."""
SMALL = 32
"""Segments that the model gets at once; those of a call are sorted by their length before."""


class Checkpoint:
    """A model of COMET: its settings, and the folder of configuration and tokenizer of its encoder."""

    def __init__(self, model: Path) -> None:
        """Read the settings; raises InputError where they are missing, or of another kind."""
        self.weights, name = model / "checkpoints" / "model.ckpt", name_of(model)
        if not (model / "hparams.yaml").is_file() or not self.weights.is_file():
            raise InputError(
                f"{model} is no checkpoint of COMET: hparams.yaml and checkpoints/model.ckpt are expected"
            )
        self.settings: dict[str, Any] = yaml.safe_load(
            (model / "hparams.yaml").read_text(encoding="utf-8")
        )
        self.kind = self.settings.pop("class_identifier", None)
        if self.kind not in CLASSES:
            raise InputError(f"{name} is a {self.kind}; known: {', '.join(CLASSES)}")
        self.reads_reference, encoder = CLASSES[self.kind], str(self.settings["pretrained_model"])
        self.encoder = model / encoder if (model / encoder).is_dir() else located(f"{HUB}{encoder}")
        if self.encoder is None:
            raise InputError(
                f"the encoder {encoder} of {name} is not in the cache; --download fetches it"
            )

    def loaded(self) -> Any:
        """Return the model, without running anything that is in it; raises InputError where weights
        are missing.
        """
        import comet.models
        import torch

        patched = self.settings.get("layer_transformation") == "sparsemax_patch"
        own = self.settings | ({"layer_transformation": "softmax"} if patched else {})
        own |= {
            "pretrained_model": str(self.encoder),
            "load_pretrained_weights": False,
            "local_files_only": True,
        }
        made = comet.models.str2model[self.kind](**own)
        try:
            state = torch.load(self.weights, map_location="cpu", weights_only=True)["state_dict"]
        except Exception as error:  # noqa: BLE001 (whatever a file raises that is none)
            raise InputError(
                f"{self.weights} cannot be read without running code of it: {error}"
            ) from None
        missing = [
            name
            for name in made.load_state_dict(state, strict=False).missing_keys
            if "position_ids" not in name
        ]
        if missing:
            raise InputError(f"{self.weights} lacks weights: {', '.join(missing[:3])}")
        return made.float().eval()


@metric(name="comet", version="1", scale=0, each_reference=True, batch_size=AT_ONCE)
@dataclass(eq=False)
class Estimate(WithModels):
    """Estimate of a trained model (Rei et al. 2020), by unbabel-comet; needs a source, and mostly a
    reference.
    """

    model: Model = Model(Path("Unbabel/wmt22-comet-da"))  # noqa: RUF009 (a path, which nobody can change)
    references: Literal["first", "mean", "max"] | None = None
    scale: Literal["0", "1"] | None = None
    comet: str | None = None
    late = ("references", "scale")
    modules, spec = ("comet",), "unbabel-comet: pip install 'gec-pipeline[comet]'"

    def told(self) -> dict[str, object]:
        """Return what signatures say of options that may be left out, with the release of COMET.
        Raises InputError.
        """
        from importlib.metadata import (
            version,
        )  # here, because it takes longer to load than this file

        reads, release = Checkpoint(self.model).reads_reference, version("unbabel-comet")
        if self.comet not in (None, release):
            raise InputError(f"expected unbabel-comet {self.comet}, found {release}")
        scale = "1" if self.scale == "1" else None
        return {
            "references": self.references or "first" if reads else None,
            "scale": scale,
            "comet": release,
        }

    def misfit(self, references: int) -> str | None:
        """Return why a model of this kind cannot score with so many references, or None."""
        if references != 1 and Checkpoint(self.model).reads_reference:
            if references == 0:
                return f"comet: {name_of(self.model)} reads a reference; the data set has none"
            if self.references is None:
                return f"comet takes one reference, not {references}: give `references: first`, mean or max"
        return None

    def load(self, device: str) -> None:
        """Load the checkpoint."""
        self.checkpoint = Checkpoint(self.model)
        self.net, self.device = self.checkpoint.loaded().to(device), device

    def __call__(self, sources: list[str], outputs: list[str], references: Any = ()) -> list[float]:
        """Return the number of the model for each source, output and reference."""
        import torch

        read = references if self.checkpoint.reads_reference else [""] * len(outputs)
        lines = list(zip(sources, outputs, read, strict=True))
        order, found = (
            sorted({*lines}, key=lambda line: (sum(map(len, line)), line)),
            dict[Any, float](),
        )
        for start in range(0, len(order), SMALL):
            part = order[start : start + SMALL]
            rows = [dict(zip(("src", "mt", "ref"), line, strict=True)) for line in part]
            given = self.net.prepare_sample(rows, stage="predict")
            with torch.inference_mode():
                scores = self.net(
                    **{name: each.to(self.device) for name, each in given.items()}
                ).score.tolist()
            found.update(zip(part, scores, strict=True))
        return [found[line] for line in lines]

    def of_line(self, answers: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
        """Return the number of a line, of those of its references."""
        numbers = [number for (number,) in answers]
        of = {"mean": math.fsum(numbers) / len(numbers), "max": max(numbers)}
        return (of.get(self.references or "", numbers[0]),)


Comet = built_in(Estimate, name_in_text="COMET", citations=("rei-etal-2020-comet",))
