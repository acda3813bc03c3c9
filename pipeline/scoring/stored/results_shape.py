"""The shape of results.json, schema 1. What is in the file beside it is not read."""

from __future__ import annotations

from ...execution.store.json_shapes import Each, Maybe, anything, number, references, text, truth, whole

MAX_DATASETS = 1_000
"""The most data sets: a config can have no more."""
PAIR = [number, number]
SAMPLES = {"iterations": whole, "std": number, "interval": PAIR}
BOOTSTRAP = {"mean": number, "std": number, "interval": PAIR, "ranks": [whole, whole], "cluster": whole}
SCORE = {
    "dataset": text,
    "system": text,
    "metric": text,
    "score": number,
    "outputs": Each(number),
    "samples": Maybe(SAMPLES),
    "rank": whole,
    "notes?": [text],
    "peer_signature?": Maybe(text),
    "bootstrap?": Maybe(BOOTSTRAP),
}
COMPARISON = {
    **dict.fromkeys(("dataset", "metric", "system", "other"), text),
    **dict.fromkeys(("difference", "better", "cohen_d", "p", "p_adjusted"), number),
    **dict.fromkeys(("wins", "losses", "ties"), whole),
    "interval": PAIR,
}
DATASET = {
    "lines": whole,
    "references": references,
    "digests": Each(text),
    "views?": Each(references),
    "categories?": [text],
}
BREAKDOWN = {
    **dict.fromkeys(("dataset", "metric", "system"), text),
    "tier": whole,
    "categories": [{"category": text, "score": number, "outputs": Each(number), "intervals": Each(PAIR)}],
}
COEFFICIENTS = Each({"value": number, "interval": PAIR})
_OF = {"dataset": text, "metric": text}
HUMAN = {
    "settings": {"level": number},
    "correlations": [{**_OF, "human": text, "systems": [text], "coefficients": COEFFICIENTS}],
    "sentences": [{**_OF, "systems": [text], "pairs": whole, "metric_ties": whole, "coefficients": COEFFICIENTS}],
    "tests": [{**_OF, "human": text, "other": text, "t": number, "p": number, "between": number}],
    "windows": [{**_OF, "human": text, "first": whole, "last": whole, "pearson": number, "spearman": number}],
}
RANKED = {"order": [text], "scores": Each(number), "means": Each(number), "ranks": Each(PAIR), "clusters": Each(whole)}
JUDGMENTS = {"expected_wins": Maybe(RANKED), "trueskill": Maybe(RANKED), "total": {"items": whole, "expanded": whole}}
COMPARED = {"verdict": text, "place?": text, "expected?": anything, "found?": anything, "message?": Maybe(text)}
EXPECTED = {
    **dict.fromkeys(("verdict", "recorded", "title"), text),
    **dict.fromkeys(("equal", "values"), whole),
    "missed": truth,
    "largest_difference": number,
    "message": Maybe(text),
    "compared": [COMPARED],
}
RESULTS = {
    "datasets": Each(DATASET, most=MAX_DATASETS),
    "scores": [SCORE],
    "warnings": [text],
    "missing?": [{"dataset": text, "system": text, "first": whole, "last": whole}],
    "statistics?": Maybe(Each(anything)),
    "tests?": [COMPARISON],
    "breakdown?": [BREAKDOWN],
    "human?": Maybe(HUMAN),
    "judgments?": Maybe(Each(JUDGMENTS)),
    "columns?": Maybe(Each(Each(number))),
    "correlations?": Maybe(Each(Each(Each(number)))),
    "agreements?": Maybe(Each({"systems": [text], "pairs": whole, "metric_ties": whole})),
    "expectations?": Maybe({"verdict": text, "missed": [whole], "entries": [EXPECTED]}),
    "means?": Maybe([{"metric": text, "datasets": [text], "systems": Each(number), "lacking": Each([text])}]),
}
"""The shape of results.json beside the number of its schema."""
