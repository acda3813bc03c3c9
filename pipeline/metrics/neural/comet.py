"""COMET (Rei et al. 2020): regression models that compare source, output and reference, by the authors' package."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import yaml

from ...errors import InputError
from ..plugged.declare import Model, metric
from ..plugged.models import HUB, located, name_of
from .networks import AT_ONCE, built_in

EXTRA: dict[str, Any] = {"packages": ("comet",), "install": "gec-pipeline[comet]"}
PUBLISHED = Model(Path("Unbabel/wmt22-comet-da"))
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
            raise InputError(f"{model} is no checkpoint of COMET: hparams.yaml and checkpoints/model.ckpt are expected")
        self.settings: dict[str, Any] = yaml.safe_load((model / "hparams.yaml").read_text(encoding="utf-8"))
        self.kind = self.settings.pop("class_identifier", None)
        if self.kind not in CLASSES:
            raise InputError(f"{name} is a {self.kind}; known: {', '.join(CLASSES)}")
        self.reads_reference, encoder = CLASSES[self.kind], str(self.settings["pretrained_model"])
        self.encoder = model / encoder if (model / encoder).is_dir() else located(f"{HUB}{encoder}")
        if self.encoder is None:
            raise InputError(f"the encoder {encoder} of {name} is not in the cache; --download fetches it")

    def loaded(self) -> Any:
        """Return the model, without running anything that is in it; raises InputError where weights are missing."""
        import comet.models
        import torch

        patched = self.settings.get("layer_transformation") == "sparsemax_patch"
        own = self.settings | ({"layer_transformation": "softmax"} if patched else {})
        own |= {"pretrained_model": str(self.encoder), "load_pretrained_weights": False, "local_files_only": True}
        made = comet.models.str2model[self.kind](**own)
        try:
            state = torch.load(self.weights, map_location="cpu", weights_only=True)["state_dict"]
        except Exception as error:  # noqa: BLE001 (whatever a file raises that is none)
            raise InputError(f"{self.weights} cannot be read without running code of it: {error}") from None
        missing = [
            name for name in made.load_state_dict(state, strict=False).missing_keys if "position_ids" not in name
        ]
        if missing:
            raise InputError(f"{self.weights} lacks weights: {', '.join(missing[:3])}")
        return made.float().eval()


@metric(name="neural_comet", version="1", batch_size=AT_ONCE, **EXTRA)
class Segment:
    """The number of a model of COMET for a source, an output and a reference, which is empty where none is read."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def load(self, device: str) -> None:
        """Load the checkpoint."""
        self.net, self.device = Checkpoint(self.model).loaded().to(device), device

    def __call__(self, sources: list[str], outputs: list[str], references: list[str]) -> list[float]:
        """Return the number of each segment."""
        import torch

        rows = [
            dict(zip(("src", "mt", "ref"), each, strict=True))
            for each in zip(sources, outputs, references, strict=True)
        ]
        order = sorted(range(len(rows)), key=lambda number: sum(map(len, rows[number].values())))
        result = [0.0] * len(order)
        for start in range(0, len(order), SMALL):
            part = order[start : start + SMALL]
            given = self.net.prepare_sample([rows[number] for number in part], stage="predict")
            with torch.inference_mode():
                scores = self.net(**{name: each.to(self.device) for name, each in given.items()}).score.tolist()
            for number, score in zip(part, scores, strict=True):
                result[number] = score
        return result


@metric(name="comet", version="1", scale=0, **EXTRA)
class Estimate:
    """Estimate of a trained model (Rei et al. 2020), by unbabel-comet; needs a source, and mostly a reference."""

    def __init__(
        self,
        model: Model = PUBLISHED,
        references: Literal["first", "mean", "max"] | None = None,
        scale: Literal["0", "1"] | None = None,
        comet: str | None = None,
    ) -> None:
        self.model, self.references, self.scale, self.comet = model, references, scale, comet

    def told(self) -> dict[str, object]:
        """Return what signatures say of options that may be left out, with the release of COMET. Raises InputError."""
        reads, release = Checkpoint(self.model).reads_reference, version("unbabel-comet")
        if self.comet not in (None, release):
            raise InputError(f"comet: expected unbabel-comet {self.comet}, found {release}")
        scale = "1" if self.scale == "1" else None
        return {"references": self.references or "first" if reads else None, "scale": scale, "comet": release}

    def __call__(
        self, sources: list[str], outputs: list[str], ask: Callable[..., Any], references: Any = ()
    ) -> list[float]:
        """Return the number of each line; of several references as the option says. Raises InputError."""
        if not Checkpoint(self.model).reads_reference:
            references = [("",)] * len(outputs)
        most = max(map(len, references))
        if most == 0:
            raise InputError(f"comet: {name_of(self.model)} reads a reference; the data set has none")
        if most > 1 and self.references is None:
            said = "give `references: first`, mean or max"
            raise InputError(f"comet takes one reference, and lines have up to {most}: {said}")
        first = self.references in (None, "first")
        lines = zip(sources, outputs, references, strict=True)
        found = ask(Segment, [[(s, o, r) for r in (rs[:1] if first else rs)] for s, o, rs in lines], model=self.model)
        join = max if self.references == "max" else lambda each: math.fsum(each) / len(each)
        return [join([number for (number,) in answers]) for answers in found]


Comet = built_in(Estimate, name_in_text="COMET", citations=("rei-etal-2020-comet",))
