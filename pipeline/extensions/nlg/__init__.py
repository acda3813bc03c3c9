"""Metrics of simplification, translation and texts from data, and features of texts."""

from ...extension import Extension

EXTENSION = Extension(
    name="nlg",
    about="SARI, NIST, CIDEr-D, METEOR, and features of texts",
    needs=("functions",),
    metrics={
        "sari": "sari:Sari",
        "nist": "nist:Nist",
        "cider": "cider:Cider",
        "meteor": "meteor:Meteor",
        "length": "features:Length",
        "features": "features:Features",
    },
    text_formats={
        "blocks": "e2e_texts:BLOCKS",
        "by_source": "e2e_texts:BY_SOURCE",
    },
    help_folder="help",
)
