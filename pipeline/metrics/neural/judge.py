"""A language model as judge: it marks the outputs of a line side by side, at an OpenAI-compatible address."""

from __future__ import annotations

import json
import os
import threading
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlsplit
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request

from pydantic import TypeAdapter

from ...errors import ConfigError
from ..plugged.declare import metric
from ..plugged.models import content_digest
from .networks import built_in

PROMPT = Path(__file__).with_name("judge.txt")
"""What the model is told, where nothing else is given."""
ADDRESS, KEY = "OPENAI_BASE_URL", "OPENAI_API_KEY"
"""Variables of the environment: the address of the server, and the key that is for this address alone."""
USUAL = "https://api.openai.com/v1"
LOCAL = ("localhost", "127.0.0.1", "::1")
"""This computer, which no proxy stands before, and which a config may name."""
TRIES, PAUSE, LONGEST = 5, 2.0, 60.0
"""How often a line is asked for; the seconds before it is asked for again, which double each time; and the most."""
AT_ONCE, SILENCE, LARGEST = 16, 90.0, 1 << 20
"""The most requests at once, the seconds that a server has for an answer, and the bytes that this may have."""
ESCAPES = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>[]|"})
"""Signs that stand between messages for some models. JSON can say them in other signs, so that no text has them."""
MARKS = TypeAdapter(dict[int, float])


class NoAnswerError(Exception):
    """Why the server has not answered, and its header Retry-After."""


class WrongAnswerError(Exception):
    """What is wrong with an answer, as a predicate."""


class Judge:
    """Marks of a language model that sees the distinct outputs of a line side by side; needs a source."""

    unit = "tokens"

    def __init__(
        self,
        model: str,
        prompt: Path | None = None,
        temperature: float = 0.0,
        highest: int = 5,
        address: str | None = None,
        requests: int | None = None,
    ) -> None:
        if highest < 2 or not (requests is None or 1 <= requests <= AT_ONCE):
            raise ConfigError(f"highest is at least 2, and requests are 1 to {AT_ONCE}; found {highest} and {requests}")
        if address and urlsplit(address).hostname not in LOCAL:
            raise ConfigError(f"address: a config may name a server of this computer; {ADDRESS} may name any other")
        self.model, self.prompt, self.temperature, self.highest = model, prompt or PROMPT, temperature, highest
        self.address, self.free = address, threading.Semaphore(requests or AT_ONCE)
        self.used, self.lock = Counter[str](), threading.Lock()

    def told(self) -> dict[str, str | None]:
        """Return what signatures have: the digest of every prompt, and nothing of the server."""
        return {"prompt": f"sha.{content_digest(self.prompt)[:12]}", "address": None, "requests": None}

    def cost(self, source: str, outputs: Sequence[str]) -> float:
        """Return about how many tokens the question and its answer have: four letters are one, as in English."""
        return len(json.dumps(self.question(source, outputs))) / 4 + 6 * len(outputs)

    def spent(self) -> dict[str, int]:
        """Return what was used since the last call."""
        with self.lock:
            used, self.used = self.used, Counter()
        return dict(used)

    def __call__(self, sources: Sequence[str], outputs: Sequence[Sequence[str]]) -> list[list[float | None]]:
        """Return the marks of the outputs of each line."""
        return [self.marks(source, texts) for source, texts in zip(sources, outputs, strict=True)]

    def marks(self, source: str, texts: Sequence[str]) -> list[float | None]:
        """Return the marks of a line, None for all where no answer is right. Raises ConfigError where there is none.

        The outputs stand in an order that neither systems nor lengths decide.
        """
        ordered = sorted(texts, key=lambda text: sha256(text.encode()).digest())
        question, pause = self.question(source, ordered), PAUSE
        for left in reversed(range(TRIES)):
            try:
                marks = dict(zip(ordered, self.read(self.ask(question), len(ordered)), strict=True))
                return [marks[text] for text in texts]
            except WrongAnswerError as wrong:
                question = self.question(source, ordered, f"\n\nYour last answer {wrong}.")
            except NoAnswerError as error:
                reason, wanted = error.args
                if not left:
                    raise ConfigError(f"{reason}, {TRIES} times; answers are kept: run the command again") from None
                sleep(min(float(wanted) if wanted.isdecimal() else pause, LONGEST))
                pause *= 2
        return [None] * len(texts)

    def question(self, source: str, outputs: Sequence[str], more: str = "") -> dict[str, Any]:
        """Return a request, with outputs under numbers from 1. The texts are JSON, which none of them can end."""
        told = {"source": source, "outputs": dict(enumerate(outputs, 1)), "highest_mark": self.highest}
        message = json.dumps(told, ensure_ascii=False).translate(ESCAPES) + more
        prompt = self.prompt.read_text(encoding="utf-8", errors="replace").strip()
        messages = [{"role": "system", "content": prompt}, {"role": "user", "content": message}]
        return {"model": self.model, "temperature": self.temperature, "messages": messages}

    def ask(self, question: dict[str, Any]) -> bytes:
        """Return the answer of the server. Raises NoAnswerError, and ConfigError for what it will never answer.

        No redirect is followed: another server would get texts and key.
        """
        address, key = self.server()
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        request = Request(f"{address}/chat/completions", json.dumps(question).encode(), headers)  # noqa: S310 (checked)
        opener, data = OpenerDirector(), b""
        proxies = ProxyHandler({} if urlsplit(address).hostname in LOCAL else None)
        for handler in (proxies, HTTPHandler(), HTTPSHandler()):
            opener.add_handler(handler)
        with self.lock:
            self.used["requests"] += 1
        try:
            with self.free, opener.open(request, timeout=SILENCE) as response:
                end, status, wanted = monotonic() + SILENCE, response.status, response.headers.get("Retry-After", "")
                while piece := response.read1(1 << 16):
                    data += piece
                    if len(data) > LARGEST or monotonic() > end:
                        raise NoAnswerError(f"{address} sends too much, or too slowly", "")
        except (OSError, HTTPException) as error:
            raise NoAnswerError(f"{address} does not answer: {getattr(error, 'reason', error)!s}", "") from None
        if status in (408, 429) or status >= 500:
            raise NoAnswerError(f"{address} answers {status}", wanted)
        if status != 200:
            said = " ".join(data[:500].decode("utf-8", "replace").split())
            raise ConfigError(f"{address} answers {status}: {said.replace(key, '***') if key else said}")
        return data

    def server(self) -> tuple[str, str]:
        """Return the address, and the key if the environment names the same one. Raises ConfigError."""
        usual, key = (os.environ.get(ADDRESS) or USUAL).rstrip("/"), os.environ.get(KEY, "").strip()
        address = (self.address or usual).rstrip("/")
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname or {*"@?#"} & {*address}:
            raise ConfigError(f"{ADDRESS}: expected an address such as {USUAL}, without names, keys or a question mark")
        if address == USUAL and not key:
            raise ConfigError(f"needs {KEY} in the environment, or the address of another server in {ADDRESS}")
        return address, key if address == usual else ""

    def read(self, data: bytes, number: int) -> list[float]:
        """Return so many marks, in the order of their numbers; raises WrongAnswerError where an answer has others."""
        try:
            answer = json.loads(data)
            usage = answer.get("usage") or {}
            with self.lock:
                self.used.update({name: int(usage.get(name) or 0) for name in ("prompt_tokens", "completion_tokens")})
            choice = answer["choices"][0]
            content = choice["message"]["content"]
            if choice.get("finish_reason") == "length":
                raise WrongAnswerError("was cut off")
            marks = MARKS.validate_json(content[content.rindex("{") : content.rindex("}") + 1])
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError):
            raise WrongAnswerError("had no JSON object of marks") from None
        if sorted(marks) != list(range(1, number + 1)) or not all(1 <= mark <= self.highest for mark in marks.values()):
            raise WrongAnswerError(f"had not one mark from 1 to {self.highest} for each of 1 to {number}")
        return [marks[name] for name in sorted(marks)]


JudgeMetric = built_in(
    metric(Judge, version="1", listwise=True, none="skip", scale=0, batch_size=1, waits=True, deterministic=False),
    help_page="judge",
)
