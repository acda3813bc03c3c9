"""Metrics of simplification, translation and texts from data, and features of texts."""

from ...extension import Extension

EXTENSION = Extension(
    name="nlg",
    about="SARI, NIST, CIDEr-D, METEOR, and features of texts",
    metrics={
        "sari": "sari:Sari",
        "nist": "weighed_grams:Nist",
        "cider": "weighed_grams:Cider",
        "meteor": "meteor:Meteor",
        "length": "features:Length",
        "features": "features:Features",
    },
    help_folder="help",
)
