r"""Tokens that a program of the user has made: lists of strings, or texts with a function.

Tokens are written as a text that white space splits into just these tokens, so that everything
counts them as it counts texts. White space and backslashes inside of a token are written as \32;
with the number of the character, and a token without any character is written as \0;. Only digits
and punctuation are used, since lower case leaves those as they are.
"""

import re
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Mapping,
    Sequence,
    Set,
)
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple, Protocol

from ..errors import InputError
from .table import OWN

Tokens = Sequence[str]
"""The tokens of a text."""
Texts = Sequence[str | Tokens]
"""Texts, or the tokens of each."""
References = Sequence[str | None | Sequence[str | None | Tokens]]
"""The texts of one annotator, or of several. None is a missing reference."""


class Tokenizing(Protocol):
    """An object with a method that returns the tokens of a text."""

    def tokenize(self, text: str, /) -> Tokens:
        """Return the tokens of a text."""


Splitter = Callable[[str], Iterable[str]] | Tokenizing
"""A function that returns the tokens of a text, or an object with such a method."""

_INSIDE = re.compile(r"[\s\\]")


class OwnTexts(NamedTuple):
    """Texts of a call whose tokens are made by the caller."""

    hypotheses: Any
    references: Any
    sources: Any
    tokenizer: str
    """The name of the tokens in signatures: own, or own+NAME with the name of a function.

    It is empty if the texts are unchanged.
    """

    @classmethod
    def of_call(
        cls,
        hypotheses: Any,
        references: Any,
        sources: Any,
        splitter: Any = None,
        *,
        expected: bool = False,
    ) -> "OwnTexts":
        """Return the texts of a call of evaluate(), with lists of tokens written as texts.

        If there is a splitter, it splits all texts. If nothing is a list of tokens and there is no
        splitter, all is returned unchanged, unless lists of tokens are `expected`, because a metric is
        for them. Hypotheses, references and sources may each be None. Raises InputError for texts
        beside lists of tokens, and for tokens that are no strings.
        """
        unchanged = cls(hypotheses, references, sources, "")
        if (
            splitter is None
            and not expected
            and _are_ordinary(hypotheses, references, sources)
        ):
            return unchanged
        outputs = {"hypotheses": hypotheses}
        if isinstance(hypotheses, Mapping):
            outputs = {
                f"hypotheses[{name!r}]": texts
                for name, texts in hypotheses.items()
            }
        are_tokens = any(_depth(texts) == 2 for texts in outputs.values())
        if hypotheses is None:
            are_tokens = _depth(references) == 3 or _depth(sources) == 2
        if splitter is not None:
            if are_tokens:
                raise InputError(
                    "tokenizer: the texts are lists of tokens already; leave it out"
                )
            split = _split_function(splitter)
            write: Callable[[str, Any], Any] = partial(_split_texts, split)
            tokenizer = f"{OWN}+{_name_of(split)}"
        elif are_tokens or expected:
            write = _written_lists
            tokenizer = OWN
            if _depth(references) == 2:
                _check_tokens(references, outputs.values())
                references = [references]
        else:
            return unchanged
        written = {name: write(name, texts) for name, texts in outputs.items()}
        if isinstance(hypotheses, Mapping):
            hypotheses = dict(zip(hypotheses, written.values(), strict=True))
        else:
            hypotheses = written["hypotheses"]
        if _depth(references) < 2:
            references = write("references", references)
        else:  # a list for each annotator
            annotators = enumerate(references)
            references = [
                write(f"references[{number}]", texts)
                for number, texts in annotators
            ]
        return cls(hypotheses, references, write("sources", sources), tokenizer)

    @staticmethod
    def outputs(name: str, values: Any, splitter: Any = None) -> Any:
        """Return outputs as of_call() does, if source and references are tokens already.

        Raises InputError.
        """
        if splitter is not None:
            return _split_texts(_split_function(splitter), name, values)
        return _written_lists(name, values)


def is_list(value: object) -> bool:
    """Return whether a value can be read several times in the same order, and is no text itself."""
    if type(value) in (list, tuple):
        return True
    return isinstance(value, Collection) and not isinstance(
        value, str | bytes | Mapping | Set
    )


def _are_ordinary(hypotheses: Any, references: Any, sources: Any) -> bool:
    """Return whether the first items show that there are only texts; this is fast."""
    if (
        type(references) in (list, tuple)
        and references
        and type(references[0]) is not str
    ):
        references = references[0]
    return all(map(_begins_with_text, (hypotheses, references, sources)))


def _begins_with_text(values: Any) -> bool:
    """Return whether values are None or an ordinary list whose first item is a text."""
    if values is None:
        return True
    return (
        type(values) in (list, tuple)
        and bool(values)
        and type(values[0]) is str
    )


def _depth(values: Any) -> int:
    """Return how many lists are in each other, down to the first text; 0 for what is no list."""
    return _measured(values)[0]


def _measured(values: Any) -> tuple[int, bool]:
    """Return the depth, and whether it is that of a text."""
    if not is_list(values):
        return 0, isinstance(values, str)
    deepest = 1
    for value in values:
        depth, has_text = _measured(value)
        if has_text:
            return depth + 1, True
        deepest = max(deepest, depth + 1)
    return deepest, False


def _check_tokens(references: Any, outputs: Iterable[Any]) -> None:
    """Raise InputError if references seem to be several lists of texts, not one of lists of tokens.

    Such lists have a text for each output, and white space in texts, but no token of an output has
    any.
    """
    lists = [tokens for tokens in references if is_list(tokens)]
    first_output = next((output for output in outputs if is_list(output)), None)
    if not lists or first_output is None:
        return
    if any(len(tokens) != len(first_output) for tokens in lists):
        return
    if any(map(_has_spaces, filter(is_list, first_output))):
        return
    if any(map(_has_spaces, lists)):
        raise InputError(
            "references: texts with white space stand where lists of tokens are expected, as "
            "hypotheses are; if these are tokens, put a list around them: [references]"
        )


def _has_spaces(tokens: Any) -> bool:
    """Return whether white space is inside of a token."""
    return any(
        len(token.split()) > 1 for token in tokens if isinstance(token, str)
    )


def _written_lists(name: str, values: Any) -> Any:
    """Return lists of tokens as texts; None stays, and so does None as a missing reference.

    Raises InputError.
    """
    if not is_list(values):
        return values
    written: list[str | None] = []
    for number, tokens in enumerate(values, 1):
        if tokens is None and name.startswith("references"):
            written.append(None)
        elif is_list(tokens):
            written.append(_written(tokens, f"{name}, item {number}"))
        else:
            kind = "None" if tokens is None else type(tokens).__name__
            if isinstance(tokens, str):
                kind = "a text"
            message = f"expected a list of tokens, as other texts of the call are; found {kind}"
            raise InputError(f"{name}, item {number}: {message}")
    return written


def _written(tokens: Iterable[Any], position: str) -> str:
    """Return tokens as a text that white space splits into them.

    Raises InputError at the position for what is no string.
    """
    tokens = list(tokens)
    if not all(issubclass(kind, str) for kind in set(map(type, tokens))):
        for number, token in enumerate(tokens, 1):
            if not isinstance(token, str):
                kind = type(token).__name__
                raise InputError(
                    f"{position}, token {number}: expected a string, found {kind}; "
                    "take str(token), or its text"
                )
    text = " ".join(tokens)
    if "\\" not in text and text.split() == tokens:
        return text
    return " ".join(map(_escaped, tokens))


def _escaped(token: str) -> str:
    if not token:
        return "\\0;"
    return _INSIDE.sub(lambda character: f"\\{ord(character[0])};", token)


def _split_function(splitter: Any) -> Callable[[str], Any]:
    """Return the function of a splitter; raises InputError for what is none."""
    split: Any = (
        splitter if callable(splitter) else getattr(splitter, "tokenize", None)
    )
    if split is None:
        message = f"tokenizer: expected a function that splits a text, found {splitter!r}"
        if isinstance(splitter, str):
            option = f"bleu[tok={splitter}]"
            message += f"; a tokenizer of this program is an option of a metric: {option}"
        raise InputError(message)
    function: Callable[[str], Any] = split
    return function


def _split_texts(split: Callable[[str], Any], name: str, values: Any) -> Any:
    """Return texts split by a function, and written as texts.

    What is no text stays, for the checks of all texts. Raises InputError.
    """
    if not is_list(values):
        return values
    written = list(values)
    for number, text in enumerate(values, 1):
        if isinstance(text, str):
            tokens = split(text)
            position = f"{name}, item {number}"
            if isinstance(tokens, str | bytes) or not isinstance(
                tokens, Iterable
            ):
                kind = type(tokens).__name__
                raise InputError(
                    f"{position}: expected a list of tokens from {_name_of(split)}, found {kind}"
                )
            written[number - 1] = _written(tokens, position)
    return written


def _name_of(function: Any) -> str:
    """Return the name of a function, or of the class of a method, as signatures may have it."""
    while isinstance(function, partial):
        function = function.func
    owner = getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, type | ModuleType):
        function = type(owner)
    name = getattr(function, "__name__", type(function).__name__)
    return re.sub(r"[^A-Za-z0-9_.-]+", "", name) or "function"
