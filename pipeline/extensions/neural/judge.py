"""A language model as judge: it marks the outputs of a line side by side, at an OpenAI-compatible
address.
"""

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

from pipeline.errors import ConfigError
from pipeline.files.plain_files import small_text
from pipeline.metrics.functions.declare import metric

from .networks import built_in

PROMPT = Path(__file__).with_name("judge.txt")
"""What the model is told, where nothing else is given."""
ADDRESS, KEY, REQUESTS = "OPENAI_BASE_URL", "OPENAI_API_KEY", "GEC_PIPELINE_JUDGE_REQUESTS"
"""Variables of the environment: the address of the server, the key for this address, and the
requests at once."""
USUAL, LOCAL = "https://api.openai.com/v1", ("localhost", "127.0.0.1", "::1")
"""The address where the environment names none; and this computer, which a config may name, and no
proxy serves."""
TRIES, PAUSE, LONGEST = 5, 2.0, 60.0
"""How often a line is asked for; the seconds before it is asked for again, which double each time;
and the most."""
AT_ONCE, SILENCE, LARGEST = 16, 90.0, 1 << 20
"""The most requests at once, the seconds that a server has for an answer, and the bytes that this
may have."""
ESCAPES = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>[]|"})
"""Signs that stand between messages for some models. JSON can say them in other signs, so that no
text has them."""


class Judge:
    """Marks of a language model that sees the distinct outputs of a line side by side; needs a
    source.
    """

    unit = "tokens"

    def __init__(
        self,
        model: str,
        prompt: Path | None = None,
        temperature: float = 0.0,
        highest: int = 5,
        address: str | None = None,
    ) -> None:
        requests = os.environ.get(REQUESTS) or str(AT_ONCE)
        if highest < 2 or requests not in map(str, range(1, AT_ONCE + 1)):
            raise ConfigError(
                f"highest is at least 2, {REQUESTS} is 1 to {AT_ONCE}; found {highest} and {requests}"
            )
        if address and urlsplit(address).hostname not in LOCAL:
            raise ConfigError(
                f"address: a config may name a server of this computer; {ADDRESS} may name any other"
            )
        self.model, self.prompt, self.temperature, self.highest = (
            model,
            prompt or PROMPT,
            temperature,
            highest,
        )
        self.address, self.free = address, threading.Semaphore(int(requests))
        self.used, self.lock = Counter[str](), threading.Lock()

    def told(self) -> dict[str, str | None]:
        """Return what signatures have: digests of the prompt, and of an address that is given.
        Raises CorpusError.
        """
        texts = small_text(self.prompt, LARGEST), self.address or ""
        prompt, address = (f"sha.{sha256(text.encode()).hexdigest()[:12]}" for text in texts)
        return {"prompt": prompt, "address": address if self.address else None}

    def cost(self, source: str, outputs: Sequence[str]) -> float:
        """Return about how many tokens the question and its answer have: four letters are one, as
        in English.
        """
        return len(json.dumps(self.question(source, outputs))) / 4 + 6 * len(outputs)

    def spent(self) -> dict[str, int]:
        """Return what was used since the last call."""
        with self.lock:
            used, self.used = self.used, Counter()
        return dict(used)

    def __call__(
        self, sources: Sequence[str], outputs: Sequence[Sequence[str]]
    ) -> list[list[float | None]]:
        """Return the marks of the outputs of each line."""
        return [self.marks(source, texts) for source, texts in zip(sources, outputs, strict=True)]

    def marks(self, source: str, texts: Sequence[str]) -> list[float | None]:
        """Return the marks of a line, None for all where no answer is right. Raises ConfigError
        where there is none.

        The outputs stand in an order that neither systems nor lengths decide.
        """
        ordered = sorted(texts, key=lambda text: sha256(text.encode()).digest())
        (address, key), question, pause = self.server(), self.question(source, ordered), PAUSE
        for left in reversed(range(TRIES)):
            status, wanted, said = self.ask(address, key, question)
            if status == 200:
                marks = self.read(said, len(ordered))
                if not isinstance(marks, str):
                    return [marks[ordered.index(text)] for text in texts]
                question = self.question(source, ordered, f"\n\nYour last answer {marks}.")
                continue
            told = " ".join(
                [address, *([f"answers {status}"] if status else []), *said[:500].split()]
            )
            if 0 < status < 500 and status not in (408, 429):
                raise ConfigError(told)
            if not left:
                raise ConfigError(f"{told}, {TRIES} times; answers are kept: run the command again")
            sleep(min(float(wanted) if wanted.isdecimal() else pause, LONGEST))
            pause *= 2
        return [None] * len(texts)

    def question(self, source: str, outputs: Sequence[str], more: str = "") -> dict[str, Any]:
        """Return a request, with outputs under numbers from 1. The texts are JSON, which none of
        them can end.
        """
        told = {
            "source": source,
            "outputs": dict(enumerate(outputs, 1)),
            "highest_mark": self.highest,
        }
        message = json.dumps(told, ensure_ascii=False).translate(ESCAPES) + more
        prompt = small_text(self.prompt, LARGEST).strip()
        messages = [{"role": "system", "content": prompt}, {"role": "user", "content": message}]
        return {"model": self.model, "temperature": self.temperature, "messages": messages}

    def ask(self, address: str, key: str, question: dict[str, Any]) -> tuple[int, str, str]:
        """Return the status of the answer, its Retry-After, and its text without the key; or 0 and
        why there is none.

        No redirect is followed: another server would get texts and key.
        """
        headers = {"Content-Type": "application/json"} | (
            {"Authorization": f"Bearer {key}"} if key else {}
        )
        request = Request(f"{address}/chat/completions", json.dumps(question).encode(), headers)  # noqa: S310 (checked)
        opener, data = OpenerDirector(), b""
        proxies = ProxyHandler({} if urlsplit(address).hostname in LOCAL else None)
        for handler in (proxies, HTTPHandler(), HTTPSHandler()):
            opener.add_handler(handler)
        with self.lock:
            self.used["requests"] += 1
        try:
            with self.free, opener.open(request, timeout=SILENCE) as response:
                end = monotonic() + SILENCE
                while piece := response.read1(1 << 16):
                    data += piece
                    if len(data) > LARGEST or monotonic() > end:
                        return 0, "", "sends too much, or too slowly"
                said = data.decode("utf-8", "replace").replace(key or "\0", "***")
                if response.status == 200:
                    json.loads(said)["choices"][0]["message"]
                return response.status, response.headers.get("Retry-After", ""), said
        except (
            ValueError,
            LookupError,
            TypeError,
            RecursionError,
        ):  # a page of HTML, or an answer that ends too soon
            return 0, "", f"sends no chat completion: {said or 'nothing'}"
        except (OSError, HTTPException) as error:
            return 0, "", f"does not answer: {getattr(error, 'reason', error)!s}"

    def server(self) -> tuple[str, str]:
        """Return the address, and the key if the environment names the same one. Raises
        ConfigError.
        """
        usual, key = (os.environ.get(ADDRESS) or USUAL).rstrip("/"), os.environ.get(KEY, "").strip()
        address = (self.address or usual).rstrip("/")
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname or {*"@?#"} & {*address}:
            raise ConfigError(
                f"{ADDRESS}: expected an address such as {USUAL}, without names, keys or a question mark"
            )
        if address == USUAL and not key:
            raise ConfigError(
                f"needs {KEY} in the environment, or the address of another server in {ADDRESS}"
            )
        return address, key if address == usual else ""

    def read(self, said: str, number: int) -> list[float] | str:
        """Return so many marks, in the order of their numbers, or what is wrong with an answer, as
        a predicate.
        """
        from pydantic import (
            TypeAdapter,
        )  # here, because every command declares the options of all metrics

        try:
            answer = json.loads(said)
            usage = answer.get("usage") or {}
            with self.lock:
                self.used.update(
                    {
                        name: int(usage.get(name) or 0)
                        for name in ("prompt_tokens", "completion_tokens")
                    }
                )
            choice = answer["choices"][0]
            if choice.get("finish_reason") == "length":
                return "was cut off"
            content = choice["message"]["content"]
            marks = TypeAdapter(dict[int, float]).validate_json(
                content[content.rindex("{") : content.rindex("}") + 1]
            )
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError):
            return "had no JSON object of marks"
        if sorted(marks) != list(range(1, number + 1)) or not all(
            1 <= mark <= self.highest for mark in marks.values()
        ):
            return f"had not one mark from 1 to {self.highest} for each of 1 to {number}"
        return [marks[name] for name in sorted(marks)]


JudgeMetric = built_in(
    metric(
        Judge,
        version="1",
        listwise=True,
        none="skip",
        scale=0,
        batch_size=1,
        waits=True,
        deterministic=False,
    ),
    help_page="judge",
)
