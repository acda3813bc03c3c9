"""What a metric reads of a data set: its texts, or edits in place of the references, or edits on both sides."""

from __future__ import annotations

TEXTS = "texts"
"""Source, references and outputs as lines of text."""
GOLD = "gold"
"""Source and outputs as lines of text, and the edits of each annotator in place of references."""
EDITS = "edits"
"""The edits of outputs, and the edits of each annotator in place of references.

Where outputs have several annotators, there is a reference for each pair of annotators."""
