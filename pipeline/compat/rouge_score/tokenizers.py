"""The tokeniser of rouge-score, with the names of rouge_score.tokenizers."""

from __future__ import annotations

from ...tokenizers.tokenization import Tokenization


class DefaultTokenizer:
    """rouge-score's own tokens: the text is lower-cased, and runs of a-z and 0-9 are tokens, stemmed if asked for."""

    def __init__(self, use_stemmer: bool = False) -> None:
        self.tokenization = Tokenization("google", stemmer="porter" if use_stemmer else "none")

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of a text."""
        return self.tokenization.tokens(text)
