"""Metrics with neural models, a language model as judge, and effects of edits."""

from ...extension import Extension

EXTENSION = Extension(
    name="neural",
    about="metrics with neural models, a language model as judge, effects of edits",
    needs=("edits", "errant", "functions"),
    works_with=("page",),
    metrics={
        "some": "some:Some",
        "impara": "impara:Impara",
        "scribendi": "scribendi:Scribendi",
        "bertscore": "bertscore:BertScore",
        "pt_errant": "pt_errant:PtErrant",
        "comet": "comet:Comet",
        "judge": "judge:JudgeMetric",
    },
    explain_options={"effects": "commands.effects:OPTION"},
    page_sections={"effects": "page_sections:effects"},
    package_notes={
        "comet": "it needs transformers 4 and numpy 1: mostly an environment of its own"
    },
    help_folder="help",
)
