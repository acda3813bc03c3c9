"""The types of edits that ERRANT gives for English (Bryant et al. 2017): operation and category, such as R:VERB."""

BOTH_WAYS = (
    "ADJ",
    "ADV",
    "CONJ",
    "CONTR",
    "DET",
    "NOUN",
    "NOUN:POSS",
    "OTHER",
    "PART",
    "PREP",
    "PRON",
    "PUNCT",
    "VERB",
    "VERB:FORM",
    "VERB:TENSE",
)
"""Categories of what is missing (M), unnecessary (U) or replaced (R)."""
REPLACED = (
    "ADJ:FORM",
    "MORPH",
    "NOUN:INFL",
    "NOUN:NUM",
    "ORTH",
    "SPELL",
    "VERB:INFL",
    "VERB:SVA",
    "WO",
)
"""Categories of what is replaced."""
ERRANT_TYPES = frozenset(
    [f"{operation}:{name}" for operation in "MUR" for name in BOTH_WAYS] + [f"R:{name}" for name in REPLACED] + ["UNK"]
)
"""All types. UNK was detected, and not corrected."""
