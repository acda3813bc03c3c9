"""Names and words that tests of several rooms share."""

CONLL14_TEAMS = [
    "AMU",
    "CAMB",
    "CUUI",
    "IITB",
    "INPUT",
    "IPN",
    "NTHU",
    "PKU",
    "POST",
    "RAC",
    "SJTU",
    "UFC",
    "UMC",
]
"""The outputs of CoNLL-2014, as the files in ../shared are named; INPUT is the source."""
MIXED_WORDS = [
    "a",
    "b",
    "The",
    "cat",
    "dogs",
    "dog's",
    ".",
    ",",
    "1.5",
    "&quot;",
    "<",
    "naïve",
    "日本",
    "😀",
    "longer-word",
]
"""Words of random sentences: short, with signs that tokenisers part, of several bytes."""


def wordlist(text: str) -> list[str]:
    """Return the words of a text: how tests write long lists of short strings."""
    return text.split()


def rows(table: str) -> list[list[str]]:
    """Return the rows of a table that is written as text: a line each, with => between columns."""
    found = []
    for line in table.strip().splitlines():
        found.append([cell.strip() for cell in line.split("=>")])
    return found
