"""A language model as judge: it marks the outputs of a line side by side, at an OpenAI-compatible address."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import HTTPErrorProcessor, ProxyHandler, Request, build_opener

from ...errors import ConfigError
from ..plugged.declare import metric
from ..plugged.models import content_digest
from .networks import built_in

PROMPT = Path(__file__).with_name("judge.txt")
"""What the model is told, where nothing else is given."""
ADDRESS, KEY, AT_ONCE = "OPENAI_BASE_URL", "OPENAI_API_KEY", "GEC_PIPELINE_JUDGE_REQUESTS"
"""Variables of the environment: the address of the server, its key, and how many requests are open at once."""
USUAL = "https://api.openai.com/v1"
LOCAL = ("localhost", "127.0.0.1", "::1")
"""This computer, which no proxy stands before."""
TRIES = 5
"""How often a line is asked for."""
PAUSE, LONGEST = 2.0, 30.0
"""Seconds before a line is asked for again, which double each time, and the most, whatever the server wants."""
SILENCE = 90.0
"""Seconds after which a server that sends nothing, or too slowly, is given up."""
LARGEST = 1 << 20
"""The most bytes of an answer."""
PASSING = (408, 409, 425, 429, *range(500, 600))
"""What a server answers that may have an answer later."""
ESCAPES = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>[]|"})
"""Signs that stand between messages for some models. JSON can say them in other signs, so that no text has them."""
clock, sleep = time.monotonic, time.sleep


class NoAnswerError(Exception):
    """Why the server has not answered, how many seconds it wants to be left alone, and whether it is only busy."""

    def __init__(self, reason: str, wanted: str = "", *, busy: bool = False) -> None:
        super().__init__(reason)
        self.wanted, self.busy = float(wanted) if wanted.isdecimal() else 0.0, busy


class WrongAnswerError(Exception):
    """What is wrong with an answer, as a predicate."""


class AsItIs(HTTPErrorProcessor):
    """Takes every answer as it is: none is followed to another address, which would get texts and key."""

    def http_response(self, request: Request, response: Any) -> Any:
        """Return the answer."""
        del request
        return response

    https_response = http_response


class Judge:
    """Marks of a language model that sees the distinct outputs of a line side by side; needs a source."""

    unit = "tokens"

    def __init__(self, model: str, prompt: Path | None = None, temperature: float = 0.0, highest: int = 5) -> None:
        self.model, self.prompt, self.temperature, self.highest = model, prompt or PROMPT, temperature, highest
        self.answers, self.used, self.lock = 0, Counter[str](), threading.Lock()

    def files(self) -> list[Path]:
        """Return the prompt."""
        return [self.prompt]

    def told(self) -> dict[str, str]:
        """Return the digest of the prompt, which signatures have also where it is the usual one. Raises ConfigError."""
        if self.highest < 2:
            raise ConfigError(f"highest: expected at least 2, since the lowest mark is 1; found {self.highest}")
        return {"prompt": f"sha.{content_digest(self.prompt)[:12]}"}

    def cost(self, source: str, outputs: Sequence[str]) -> float:
        """Return about how many tokens the question and its answer have: four letters are one, as in English."""
        question = self.question(source, {str(number): text for number, text in enumerate(outputs, 1)})
        return len(json.dumps(question)) / 4 + 6 * len(outputs)

    def spent(self) -> dict[str, int]:
        """Return what was used since the last call."""
        with self.lock:
            used, self.used = self.used, Counter()
        return dict(used)

    def __call__(self, sources: Sequence[str], outputs: Sequence[Sequence[str]]) -> list[list[float | None]]:
        """Return the marks of the outputs of each line."""
        return [self.marks(source, texts) for source, texts in zip(sources, outputs, strict=True)]

    def marks(self, source: str, texts: Sequence[str]) -> list[float | None]:
        """Return the marks of a line. There is None for all where the server has right ones for other lines alone.

        The outputs stand in an order that neither systems nor lengths decide. Raises ConfigError where the server does
        not answer other lines either, or is too busy.
        """
        order = sorted(texts, key=lambda text: sha256(text.encode()).digest())
        named = {str(number): text for number, text in enumerate(order, 1)}
        question, before, pause, failed = self.question(source, named), self.answers, PAUSE, None
        for left in reversed(range(TRIES)):
            try:
                marks = self.read(self.ask(question), named)
                return [marks[text] for text in texts]
            except WrongAnswerError as wrong:
                question, failed = self.question(source, named, f"\n\nYour last answer {wrong}."), None
            except NoAnswerError as error:
                failed = error
                if left:
                    sleep(min(error.wanted or pause, LONGEST))
                pause *= 2
        if failed and (failed.busy or self.answers == before):
            raise ConfigError(f"{failed} ({TRIES} times); what was answered is kept: run the same command again")
        return [None] * len(texts)

    def question(self, source: str, named: Mapping[str, str], more: str = "") -> dict[str, Any]:
        """Return a request. The texts are JSON, which none of them can end."""
        told = {"source": source, "outputs": named, "highest_mark": self.highest}
        message = json.dumps(told, ensure_ascii=False).translate(ESCAPES) + more
        roles = ("system", self.prompt.read_text(encoding="utf-8").strip()), ("user", message)
        messages = [{"role": role, "content": text} for role, text in roles]
        return {"model": self.model, "temperature": self.temperature, "messages": messages}

    def ask(self, question: dict[str, Any]) -> bytes:
        """Return the answer of the server. Raises NoAnswerError, and ConfigError for what it will never answer."""
        address, key = server()
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        request = Request(f"{address}/chat/completions", json.dumps(question).encode(), headers)  # noqa: S310 (checked)
        own = [ProxyHandler({})] if urlsplit(address).hostname in LOCAL else []
        end, data = clock() + SILENCE, b""
        try:
            with build_opener(AsItIs, *own).open(request, timeout=SILENCE) as response:
                status, wanted = response.status, response.headers.get("Retry-After", "")
                while piece := response.read1(1 << 16):
                    data += piece
                    if len(data) > LARGEST or clock() > end:
                        raise NoAnswerError(f"{address} sends too much, or too slowly")
        except (OSError, HTTPException) as error:
            reason = str(getattr(error, "reason", "")) or str(error) or type(error).__name__
            raise NoAnswerError(f"{address} does not answer: {reason}") from None
        finally:
            self.count(requests=1)
        if status in PASSING:
            raise NoAnswerError(f"{address} answers {status}", wanted, busy=status == 429)
        if status != 200:
            said = " ".join(data[:500].decode("utf-8", "replace").split())
            raise ConfigError(f"{address} answers {status}: {said.replace(key, '***') if key else said}")
        return data

    def read(self, data: bytes, named: Mapping[str, str]) -> dict[str, float]:
        """Return the mark of each text in an answer; raises WrongAnswerError where it has not all of them."""
        try:
            answer = json.loads(data)
            usage = answer.get("usage") or {}
            self.count(**{name: int(usage.get(name) or 0) for name in ("prompt_tokens", "completion_tokens")})
            choice, self.answers = answer["choices"][0], self.answers + 1
            if choice.get("finish_reason") == "length":
                raise WrongAnswerError("was cut off")
            content = choice["message"]["content"]
            marks = json.loads(content[content.rindex("{") : content.rindex("}") + 1], object_pairs_hook=list)
            numbers = [float(mark) for _, mark in marks if isinstance(mark, int | float) and not isinstance(mark, bool)]
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError):
            raise WrongAnswerError("had no JSON object of marks") from None
        if sorted(name for name, _ in marks) != sorted(named):
            raise WrongAnswerError(f"had not one mark for each of {', '.join(named)}")
        if len(numbers) < len(marks) or not all(1 <= mark <= self.highest for mark in numbers):
            raise WrongAnswerError(f"had marks that are no numbers from 1 to {self.highest}")
        return {named[name]: number for (name, _), number in zip(marks, numbers, strict=True)}

    def count(self, **used: int) -> None:
        """Add to what was used."""
        with self.lock:
            self.used.update(used)


def server() -> tuple[str, str]:
    """Return the address of the server and the key for it, which the environment has: no config says where texts go.

    Raises ConfigError where there is none, or what is there is no address.
    """
    address, key = (os.environ.get(ADDRESS) or USUAL).rstrip("/"), os.environ.get(KEY, "").strip()
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or {*"@?#"} & {*address}:
        raise ConfigError(f"{ADDRESS}: expected an address such as {USUAL}, without names, keys or a question mark")
    if address == USUAL and not key:
        raise ConfigError(f"needs {KEY} in the environment, or the address of another server in {ADDRESS}")
    return address, key


# The most requests at once is a variable, since it is a matter of the server and not of the scores.
_most = os.environ.get(AT_ONCE) or "16"
judge = metric(
    Judge,
    version="1",
    listwise=True,
    none="skip",
    scale=0,
    batch_size=1,
    workers=min(max(int(_most), 1), 16) if _most.isdecimal() else 16,
    waits=True,
    deterministic=False,
)
JudgeMetric = built_in(judge, help_page="judge")
