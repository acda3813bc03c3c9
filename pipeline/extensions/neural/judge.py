"""A language model as judge: it marks the outputs of a line side by side, at an address that is
compatible with OpenAI.
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
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import (
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from pipeline.errors import ConfigError
from pipeline.extensions.functions.declare import metric
from pipeline.files import small_text

from .networks import built_in

PROMPT = Path(__file__).with_name("judge.txt")
"""The default prompt of the model."""
ADDRESS = "OPENAI_BASE_URL"
"""The environment variable with the address of the server."""
KEY = "OPENAI_API_KEY"
"""The environment variable with the key for this address."""
REQUESTS = "GEC_PIPELINE_JUDGE_REQUESTS"
"""The environment variable with the number of concurrent requests."""
DEFAULT_ADDRESS = "https://api.openai.com/v1"
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
"""This computer, which a config may name, and which no proxy serves."""
TRIES = 5
"""How often a line is asked for."""
PAUSE = 2.0
"""Seconds before a line is asked for again; they double each time."""
MAX_PAUSE = 60.0
MAX_REQUESTS = 16
"""Concurrent requests."""
TIMEOUT = 90.0
"""Seconds that a server has for an answer."""
MAX_BYTES = 1 << 20
"""Bytes of an answer, and of a prompt."""
ESCAPES = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>[]|"})
"""Characters that delimit messages for some models. JSON can escape them, so that no text has
them.
"""


class Answer(NamedTuple):
    """The answer of a server to a request."""

    status: int
    """The status of HTTP; 0 if there is no answer."""
    retry_after: str
    """The header Retry-After."""
    text: str
    """The text without the key, or why there is no answer."""


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
        requests = os.environ.get(REQUESTS) or str(MAX_REQUESTS)
        if highest < 2 or requests not in map(str, range(1, MAX_REQUESTS + 1)):
            limits = f"highest is at least 2, {REQUESTS} is 1 to {MAX_REQUESTS}"
            raise ConfigError(f"{limits}; found {highest} and {requests}")
        if address and urlsplit(address).hostname not in LOCAL_HOSTS:
            remedy = f"{ADDRESS} may name any other"
            raise ConfigError(
                f"address: a config may name a server of this computer; {remedy}"
            )
        self.model = model
        self.prompt = prompt or PROMPT
        self.temperature = temperature
        self.highest = highest
        self.address = address
        self.semaphore = threading.Semaphore(int(requests))
        self.lock = threading.Lock()
        self.used = Counter[str]()

    def signature_options(self) -> dict[str, str | None]:
        """Return the options of signatures: digests of the prompt, and of the option address.

        Raises CorpusError if the prompt cannot be read.
        """
        prompt = _digest(small_text(self.prompt, MAX_BYTES))
        return {
            "prompt": prompt,
            "address": _digest(self.address) if self.address else None,
        }

    def cost(self, source: str, outputs: Sequence[str]) -> float:
        """Return about how many tokens the question and its answer have: four letters are one, as
        in English.
        """
        return len(json.dumps(self.question(source, outputs))) / 4 + 6 * len(
            outputs
        )

    def spent(self) -> dict[str, int]:
        """Return what was used since the last call."""
        with self.lock:
            used = self.used
            self.used = Counter()
        return dict(used)

    def __call__(
        self,
        sources: Sequence[str],
        outputs: Sequence[Sequence[str]],
    ) -> list[list[float | None]]:
        """Return the marks of the outputs of each line."""
        return [
            self.marks(source, texts)
            for source, texts in zip(sources, outputs, strict=True)
        ]

    def marks(self, source: str, texts: Sequence[str]) -> list[float | None]:
        """Return the marks of the distinct outputs (`texts`) of a line; None for all if no answer of
        TRIES is valid.

        A server that is busy, or has an error of its own, is asked again after a pause. Raises
        ConfigError if it never answers, or refuses the request."""
        # An order that neither systems nor lengths decide.
        ordered = sorted(texts, key=lambda text: sha256(text.encode()).digest())
        address, key = self.server()
        question = self.question(source, ordered)
        pause = PAUSE
        for tries_left in reversed(range(TRIES)):
            answer = self.ask(address, key, question)
            if answer.status == 200:
                marks_or_problem = self.read(answer.text, len(ordered))
                if isinstance(marks_or_problem, str):
                    complaint = f"\n\nYour last answer {marks_or_problem}."
                    question = self.question(source, ordered, complaint)
                    continue
                return [marks_or_problem[ordered.index(text)] for text in texts]
            words = answer.text[:500].split()
            if answer.status:
                words.insert(0, f"answers {answer.status}")
            problem = " ".join([address, *words])
            is_final = 0 < answer.status < 500
            # 408: the server has waited too long; 429: too many requests.
            if is_final and answer.status not in (408, 429):
                raise ConfigError(problem)
            if not tries_left:
                remedy = "answers are kept: run the command again"
                raise ConfigError(f"{problem}, {TRIES} times; {remedy}")
            seconds = pause
            if answer.retry_after.isdecimal():
                seconds = float(answer.retry_after)
            sleep(min(seconds, MAX_PAUSE))
            pause *= 2
        return [None] * len(texts)

    def question(
        self,
        source: str,
        outputs: Sequence[str],
        more: str = "",
    ) -> dict[str, Any]:
        """Return the body of a request for a chat completion: the prompt, and a message with source
        and outputs, under numbers from 1, as JSON, so that no text can end it. `more` follows.
        """
        content = {
            "source": source,
            "outputs": dict(enumerate(outputs, 1)),
            "highest_mark": self.highest,
        }
        message = json.dumps(content, ensure_ascii=False).translate(ESCAPES)
        message += more
        prompt = small_text(self.prompt, MAX_BYTES).strip()
        messages = [
            {"role": "system", "content": prompt},
            {"role": "user", "content": message},
        ]
        return {
            "model": self.model,
            "temperature": self.temperature,
            "messages": messages,
        }

    def ask(self, address: str, key: str, question: dict[str, Any]) -> Answer:
        """Send a request to the server and return its answer. The status is 0 if there is none, or
        something else than a chat completion.
        """
        headers = {"Content-Type": "application/json"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        data = json.dumps(question).encode()
        request = Request(f"{address}/chat/completions", data, headers)  # noqa: S310 (checked)
        is_local = urlsplit(address).hostname in LOCAL_HOSTS
        proxies: dict[str, str] | None = {} if is_local else None
        # No handler of redirects: another server would get texts and key.
        opener = OpenerDirector()
        for handler in (ProxyHandler(proxies), HTTPHandler(), HTTPSHandler()):
            opener.add_handler(handler)
        with self.lock:
            self.used["requests"] += 1
        text = ""
        try:
            with (
                self.semaphore,
                opener.open(request, timeout=TIMEOUT) as response,
            ):
                received = _received(response)
                if received is None:
                    return Answer(0, "", "sends too much, or too slowly")
                text = received.decode("utf-8", "replace")
                if key:  # messages quote the text
                    text = text.replace(key, "***")
                if response.status == 200:
                    json.loads(text)["choices"][0]["message"]
                retry_after = response.headers.get("Retry-After", "")
                return Answer(response.status, retry_after, text)
        except (ValueError, LookupError, TypeError, RecursionError):
            # A page of HTML, or an answer that ends too soon.
            return Answer(
                0, "", f"sends no chat completion: {text or 'nothing'}"
            )
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", error)
            return Answer(0, "", f"does not answer: {reason!s}")

    def server(self) -> tuple[str, str]:
        """Return the address of the server and the key to send it. The address of the config has
        precedence over that of the environment; the key is for the latter only, and otherwise "".

        Raises ConfigError for a wrong address, or without a key for the default one."""
        environment_address = os.environ.get(ADDRESS) or DEFAULT_ADDRESS
        environment_address = environment_address.rstrip("/")
        key = os.environ.get(KEY, "").strip()
        address = (self.address or environment_address).rstrip("/")
        parts = urlsplit(address)
        is_web = parts.scheme in ("http", "https") and parts.hostname
        if not is_web or {*"@?#"} & {*address}:
            expected = f"expected an address such as {DEFAULT_ADDRESS}"
            raise ConfigError(
                f"{ADDRESS}: {expected}, without names, keys or a question mark"
            )
        if address == DEFAULT_ADDRESS and not key:
            remedy = f"or the address of another server in {ADDRESS}"
            raise ConfigError(f"needs {KEY} in the environment, {remedy}")
        if address != environment_address:
            key = ""
        return address, key

    def read(self, text: str, count: int) -> list[float] | str:
        """Return the marks of the `count` outputs in an answer, in the order of their numbers; or
        what is wrong with the answer, as a predicate such as "was cut off".

        The tokens that it has used are counted."""
        # Here, because every command declares the options of all metrics.
        from pydantic import TypeAdapter

        try:
            answer = json.loads(text)
            usage = answer.get("usage") or {}
            used = {}
            for name in ("prompt_tokens", "completion_tokens"):
                used[name] = int(usage.get(name) or 0)
            with self.lock:
                self.used.update(used)
            choice = answer["choices"][0]
            if choice.get("finish_reason") == "length":
                return "was cut off"
            content = choice["message"]["content"]
            # Models write text around the object.
            json_text = content[content.rindex("{") : content.rindex("}") + 1]
            marks = TypeAdapter(dict[int, float]).validate_json(json_text)
        except (
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
            RecursionError,
            OverflowError,
        ):
            return "had no JSON object of marks"
        output_numbers = list(range(1, count + 1))
        in_range = all(1 <= mark <= self.highest for mark in marks.values())
        if sorted(marks) != output_numbers or not in_range:
            return f"had not one mark from 1 to {self.highest} for each of 1 to {count}"
        return [marks[number] for number in output_numbers]


def _digest(text: str) -> str:
    return f"sha.{sha256(text.encode()).hexdigest()[:12]}"


def _received(response: Any) -> bytes | None:
    """Return the body of a response, or None if it is too long or takes too long."""
    data = b""
    end = monotonic() + TIMEOUT
    while received := response.read1(1 << 16):
        data += received
        if len(data) > MAX_BYTES or monotonic() > end:
            return None
    return data


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
