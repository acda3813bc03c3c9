"""The recipes of rankings by metrics of edits, each with the results of published-m2.json that it
has.
"""

OF_EDITS = {
    "arxiv1605-m2": [],
    "coling2018-i-sentence": ["coling2018-i-sentence"],
    "coling2018-i-system": ["coling2018-i-system"],
    "coling2018-m2-sentence": ["coling2018-m2-sentence"],
    "coling2018-m2-system": ["coling2018-m2-system"],
    "conll14-bea2019": ["bea2019-restricted", "bea2019-lowresource"],
    "conll14-emnlp2016": ["emnlp2016-10gec"],
    "conll14-emnlp2016-first": [],
    "conll14-errant": [],
    "conll14-greco": ["greco-reports"],
    "conll14-greco-counts": [],
    "conll14-magec": ["magec-finetuned", "magec-magec"],
    "conll14-mlconvgec2018": ["mlconvgec2018"],
    "conll14-neural-naacl2018": ["naacl2018-conll14"],
    "conll14-ng2014": ["ng2014-noalt"],
    "conll14-ng2014-alt": ["ng2014-withalt"],
    "conll14-pseudodata": ["pseudodata-conll14"],
    "fb2015-i": ["fb2015-i"],
    "gjg-m2": ["gjg-scores-m2"],
    "seeda-m2": ["seeda-m2"],
    "seeda-sentm2": ["seeda-sentm2"],
    "tacl2016-i": ["tacl2016-i"],
    "tacl2016-m2": ["tacl2016-m2"],
}
"""Those without a name there are correlations, of published.json, or were printed by the official
program."""
IN_FILES = {
    "coling2018-i-sentence",
    "coling2018-m2-sentence",
    "conll14-greco-counts",
    "fb2015-i",
    "gjg-m2",
}
"""Recipes whose published values are in a file of a data set."""
OF_ERRANT = {
    "bea2019-dev": "edinburgh-bea-dev",
    "bea2019-fce": "edinburgh-fce",
    "cherrant-demo": "cherrant-demo",
    "cleme-amu": "cleme-amu",
    "cleme-conll14": None,
    "cleme-demo": "cleme-amu",
    "pillars-bea-dev": "pillars-bea-dev",
    "pillars-conll14": "pillars-bea-dev",
    "seeda-errant": "seeda-errant",
    "seeda-senterrant": "seeda-errant",
}
"""The recipes by ERRANT and CLEME, each with the result of published-errant.json that its values
are of, if any."""
WITHOUT_RECIPE = {
    "gec-metrics-test",
    "gotoscorer-demo",
    "mucgec-dev-example",
    "multigec-2025",
}
"""Results of that file without a recipe. `help reproduce` says why."""
ELSEWHERE = {
    "e2e-bleu-nist",
    "e2e-challenge",
    "easse-sari",
    "gecmetrics-gjg-sentence",
    "gecmetrics-gjg-system",
}
"""Recipes of results that no file beside the checkout lists; their values were read in the
publication."""
