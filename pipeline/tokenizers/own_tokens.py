r"""Tokens that a program of the user has made: lists of strings in place of texts, or texts with a
function.

Tokens are written as a text that white space splits into just these tokens, so that everything
counts them as it counts texts. White space and backslashes inside of a token are written as \32;
with the number of the character, and a token without any character is written as \0;. Digits and
signs alone are used, since lower case leaves those as they are."""

import functools
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from types import ModuleType
from typing import Any, NamedTuple, Protocol

from ..errors import InputError
from . import OWN

Tokens = Sequence[str]
"""The tokens of a text."""
Texts = Sequence[str | Tokens]
"""Texts, or the tokens of each."""
References = Sequence[str | None | Sequence[str | None | Tokens]]
"""The texts of one annotator, or of several. None stands where a reference is missing."""


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
    """What signatures call the tokens: own, or own+NAME with the name of a function. Empty: texts
    are as given."""


def own_texts(
    hypotheses: Any, references: Any, sources: Any, splitter: Any = None, *, expected: bool = False
) -> OwnTexts:
    """Return what evaluate() is called with, with lists of tokens written as texts, or all texts
    split by `splitter`.

    Where nothing is a list of tokens and there is no splitter, all is returned as it is, unless
    lists of tokens are `expected`, because a metric is for them. Hypotheses, references and sources
    may each be None. Raises InputError for texts beside lists of tokens, and for tokens that are no
    strings."""
    sets = references[0] if type(references) in (list, tuple) and references else references
    ordinary = _begin_with_text(hypotheses) and _begin_with_text(sources)
    if (
        ordinary
        and splitter is None
        and not expected
        and (type(sets) is str or _begin_with_text(sets))
    ):
        return OwnTexts(hypotheses, references, sources, "")
    several = isinstance(hypotheses, Mapping)
    named = (
        {f"hypotheses[{name!r}]": texts for name, texts in hypotheses.items()} if several else {}
    )
    each = named if several else {"hypotheses": hypotheses}
    later = hypotheses is None and (_depth(references) == 3 or _depth(sources) == 2)
    by_tokens = later or any(_depth(texts) == 2 for texts in each.values())
    if splitter is not None:
        write, name = _splitting(splitter, by_tokens=by_tokens)
    elif by_tokens or expected:
        write, name = _written_lists, OWN
        if _depth(references) == 2:
            _check_tokens(references, each.values())
            references = [references]
    else:
        return OwnTexts(hypotheses, references, sources, "")
    outputs = {called: write(called, texts) for called, texts in each.items()}
    written = (
        dict(zip(hypotheses, outputs.values(), strict=True)) if several else outputs["hypotheses"]
    )
    if _depth(references) < 2:
        sets = write("references", references)
    else:  # a list for each annotator
        sets = [write(f"references[{number}]", texts) for number, texts in enumerate(references)]
    return OwnTexts(written, sets, write("sources", sources), name)


def outputs_of(name: str, values: Any, splitter: Any = None) -> Any:
    """Return outputs as own_texts() does, where source and references are tokens already; raises
    InputError.
    """
    return (_splitting(splitter)[0] if splitter is not None else _written_lists)(name, values)


def is_list(value: object) -> bool:
    """Return whether a value can be read several times in the same order, and is no text itself."""
    if type(value) in (list, tuple):
        return True
    return isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping | Set)


def _begin_with_text(values: Any) -> bool:
    """Return whether values are an ordinary list whose first item is a text, which is quickly said;
    or None.
    """
    return values is None or (
        type(values) in (list, tuple) and bool(values) and type(values[0]) is str
    )


def _depth(values: Any) -> int:
    """Return how many lists are in each other, down to the first text; 0 for what is no list."""
    return _measured(values)[0]


def _measured(values: Any) -> tuple[int, bool]:
    """Return the depth, and whether a text was there to tell it."""
    if not is_list(values):
        return 0, isinstance(values, str)
    deepest = 1
    for value in values:
        depth, sure = _measured(value)
        if sure:
            return depth + 1, True
        deepest = max(deepest, depth + 1)
    return deepest, False


def _check_tokens(references: Any, outputs: Iterable[Any]) -> None:
    """Raise InputError where references are several lists of texts, which look like one list of
    lists of tokens.

    Such lists have a text for each output, and white space in texts, where no token of an output
    has any."""
    given = [tokens for tokens in references if is_list(tokens)]
    lines = [output for output in outputs if is_list(output)][:1]
    if not given or not lines or any(len(tokens) != len(lines[0]) for tokens in given):
        return
    if any(map(_is_spaced, given)) and not any(
        _is_spaced(tokens) for tokens in lines[0] if is_list(tokens)
    ):
        message = (
            "texts with white space stand where lists of tokens are expected, as hypotheses are"
        )
        raise InputError(
            f"references: {message}; if these are tokens, put a list around them: [references]"
        )


def _is_spaced(tokens: Any) -> bool:
    """Return whether white space is inside of some token."""
    return any(len(token.split()) > 1 for token in tokens if isinstance(token, str))


def _written_lists(name: str, values: Any) -> Any:
    """Return lists of tokens as texts. None stays, for the whole and for a missing reference.
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
            kind = (
                "a text"
                if isinstance(tokens, str)
                else "None"
                if tokens is None
                else type(tokens).__name__
            )
            message = f"expected a list of tokens, as other texts of the call are; found {kind}"
            raise InputError(f"{name}, item {number}: {message}")
    return written


def _written(tokens: Any, place: str) -> str:
    """Return tokens as a text that white space splits into them; raises InputError for what is no
    string.
    """
    tokens = list(tokens)
    if not all(issubclass(kind, str) for kind in set(map(type, tokens))):
        number, token = next(
            (n, token) for n, token in enumerate(tokens, 1) if not isinstance(token, str)
        )
        kind = type(token).__name__
        raise InputError(
            f"{place}, token {number}: expected a string, found {kind}; take str(token), or its text"
        )
    text = " ".join(tokens)
    if "\\" not in text and text.split() == tokens:
        return text
    return " ".join(
        _INSIDE.sub(lambda sign: f"\\{ord(sign[0])};", token) or "\\0;" for token in tokens
    )


def _splitting(splitter: Any, *, by_tokens: bool = False) -> tuple[Callable[[str, Any], Any], str]:
    """Return what writes texts that a function of the caller splits, and the name of the tokens;
    raises InputError.
    """
    if by_tokens:
        raise InputError("tokenizer: the texts are lists of tokens already; leave it out")
    split: Any = splitter if callable(splitter) else getattr(splitter, "tokenize", None)
    if split is None:
        named = f"; a tokenizer of this program is an option of a metric: bleu[tok={splitter}]"
        hint = named if isinstance(splitter, str) else ""
        raise InputError(
            f"tokenizer: expected a function that splits a text, found {splitter!r}{hint}"
        )
    function = _name_of(split)

    def write(name: str, values: Any) -> Any:
        """Return texts split, and written as texts. What is no text is left to the checks of all
        texts.
        """
        if not is_list(values):
            return values
        written = list(values)
        for number, text in enumerate(values, 1):
            if isinstance(text, str):
                tokens, place = split(text), f"{name}, item {number}"
                if isinstance(tokens, str | bytes) or not isinstance(tokens, Iterable):
                    kind = type(tokens).__name__
                    raise InputError(
                        f"{place}: expected a list of tokens from {function}, found {kind}"
                    )
                written[number - 1] = _written(tokens, place)
        return written

    return write, f"{OWN}+{function}"


def _name_of(function: Any) -> str:
    """Return the name of a function with the signs that signatures have; of a method that of its
    class.
    """
    while isinstance(function, functools.partial):
        function = function.func
    owner = getattr(function, "__self__", None)
    named = function if owner is None or isinstance(owner, type | ModuleType) else type(owner)
    return (
        re.sub(r"[^A-Za-z0-9_.-]+", "", getattr(named, "__name__", type(named).__name__))
        or "function"
    )
