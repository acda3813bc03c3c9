"""Which tokeniser suits a language: the choice of sacreBLEU."""

from __future__ import annotations

import re

from ..errors import ConfigError, did_you_mean

USUAL = "13a"
"""The tokeniser of languages that have none of their own."""
SPECIAL = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
"""The tokenisers of languages that write no blanks between words, or many endings."""
MISTAKEN = {"jp": "ja", "cn": "zh", "jpn": "ja", "zho": "zh", "chi": "zh", "cmn": "zh", "kor": "ko"}
"""Codes of countries, and of three letters, that stand for a language which has a tokeniser of its own."""
_TWO_LETTERS = """
aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el
en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu
ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na
nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn
so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
"""
CODES = frozenset(_TWO_LETTERS.split())
"""The codes of languages in ISO 639-1. Those of three letters are taken as they are."""


def tokenizer_of_pair(pair: str) -> str:
    """Return the tokeniser for the outputs of a pair such as en-ja, from the first language to the second.

    Raises ConfigError for what is no pair, and for an unknown language.
    """
    codes = pair.split("-")
    if len(codes) != 2 or not all(re.fullmatch("[a-z]{2,3}", code) for code in codes):
        raise ConfigError(f"-l {pair}: expected two codes of languages, source and target, such as en-ja")
    for code in codes:
        if code in MISTAKEN:
            raise ConfigError(f"-l {pair}: the code of this language is {MISTAKEN[code]}, not {code}")
        if len(code) == 2 and code not in CODES:
            raise ConfigError(f"-l {pair}: '{code}' is no code of a language (ISO 639-1){did_you_mean(code, CODES)}")
    return SPECIAL.get(codes[1], USUAL)
