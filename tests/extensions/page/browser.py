"""A headless Chromium for the tests of pages and for pictures of them: one start, pages from files,
nothing fetched.
"""

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import PATIENCE, ROOT
from tests.support.in_process import run_command
from tests.support.tables import word_list

NAMES = word_list(
    "chromium chromium-browser google-chrome google-chrome-stable"
)
DATA = ROOT / "data"
FLAGS = """
--headless=new --no-sandbox --disable-gpu --disable-quic --disable-dev-shm-usage --no-first-run
--disable-background-networking --disable-component-update --disable-sync --disable-extensions
--force-color-profile=srgb --hide-scrollbars --mute-audio --lang=en-US
"""

LUMINANCE = """
const luminance = (colour) => {
  const linear = (x) => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((x) => linear(x / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
"""
"""A script that has the luminance of a colour."""
CONTRAST = (
    LUMINANCE
    + """
const ground = (one) => {
  for (; one; one = one.parentElement) {
    const colour = getComputedStyle(one).backgroundColor;
    if (!colour.endsWith(", 0)") && colour !== "transparent") return colour;
  }
  return getComputedStyle(document.documentElement).backgroundColor;
};
const found = {};
for (const one of document.querySelectorAll("body *:not(script, svg *)")) {
  if (![...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) || !one.checkVisibility()) continue;
  if (one.closest(":disabled, option")) continue;
  const pair = [getComputedStyle(one).color, ground(one)], [low, high] = pair.map(luminance).sort((x, y) => x - y);
  const ratio = (high + 0.05) / (low + 0.05);
  if (ratio < 4.5) found[`${one.tagName}.${one.className} ${pair}`] = ratio;
}
return found;
"""
)
"""A script that returns the texts whose contrast to their ground is below 4.5, with the contrast.
"""


TABLES = """
return [...document.querySelectorAll(".scroll")].filter((box) => box.checkVisibility()).map((box) => {
  const title = box.querySelector(":scope > figcaption");
  const hint = title ? title.nextElementSibling : box.previousElementSibling;
  const said = Boolean(hint?.matches(".hint") && hint.checkVisibility() && hint.textContent.trim());
  return [box.getAttribute("aria-label") ?? box.textContent.slice(0, 40), box.scrollWidth, box.clientWidth, said];
});
"""
"""A script that returns of each box that scrolls: its name, the width that it needs and has,
whether it has a hint."""


def why_missing() -> str:
    """Return why there is no browser to test with, "" if there is one."""
    if not any(map(shutil.which, NAMES)) or not shutil.which("chromedriver"):
        return "there is no Chromium with its chromedriver (Debian: apt-get install chromium chromium-driver)"
    if find_spec("selenium") is None:
        return "selenium is not installed"
    return ""


def skip_module() -> None:
    """Skip the tests of a module if there is no browser."""
    if reason := why_missing():
        pytest.skip(reason, allow_module_level=True)


class Browser:
    """A window in which pages are opened; what it complains of and what it asks for is kept."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver  # selenium's types differ from release to release
        driver.set_script_timeout(PATIENCE)
        driver.set_page_load_timeout(PATIENCE)
        self.size()

    def reset(self) -> None:
        """Be as at the start: an empty page of the usual size, with nothing kept of earlier pages."""
        self.driver.get("about:blank")
        self.driver.execute_cdp_cmd(
            "Storage.clearDataForOrigin",
            {"origin": "file://", "storageTypes": "all"},
        )
        self.complaints()
        self.size()

    def size(
        self,
        width: int = 1280,
        height: int = 900,
        *,
        dark: bool = False,
        media: str = "screen",
    ) -> None:
        """Be a window of so many pixels (a phone where that is little), of a system with light or
        dark colours.
        """
        metrics = {
            "width": width,
            "height": height,
            "deviceScaleFactor": 1,
            "mobile": width < 600,
        }
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", metrics
        )
        feature = {
            "name": "prefers-color-scheme",
            "value": "dark" if dark else "light",
        }
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"media": media, "features": [feature]},
        )

    def open(self, page: Path, address: str = "") -> None:
        """Open a page anew, with what its address has behind #."""
        # else another address would only be a jump inside of the page
        self.driver.get("about:blank")
        self.complaints()
        self.driver.get(page.as_uri() + (f"#{address}" if address else ""))

    def run(self, script: str, *arguments: object) -> Any:
        """Run a script in the page and return what it returns."""
        return self.driver.execute_script(script, *arguments)

    def wait(
        self, script: str, expected: object, seconds: float = PATIENCE
    ) -> None:
        """Wait until a script returns what is expected; fails with what it returned last."""
        end = time.monotonic() + seconds
        while (found := self.run(script)) != expected:
            assert time.monotonic() < end, found
            time.sleep(0.01)

    def press(self, *keys: str) -> None:
        """Press keys one after the other, wherever the focus is."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver, duration=0).send_keys(*keys).perform()

    def complaints(self) -> list[str]:
        """Return errors and warnings of the console, and addresses asked for that are no files,
        since last asked.
        """
        complaints = [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] != "DEBUG"
        ]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                address = message["params"]["request"]["url"]
                if not address.startswith(("file:", "data:,")):
                    complaints.append(f"asks for {address}")
        return complaints

    def texts(self, selector: str) -> list[str]:
        """Return the texts of all elements of a selector."""
        script = "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)"
        found: list[str] = self.run(script, selector)
        return found

    def rows(self, selector: str) -> list[list[str]]:
        """Return the texts of the cells of all rows of a selector."""
        row = "(row) => [...row.children].map((cell) => cell.textContent)"
        found: list[list[str]] = self.run(
            f"return [...document.querySelectorAll(arguments[0])].map({row})",
            selector,
        )
        return found

    def text(self, selector: str) -> str:
        """Return the text of the first element of a selector."""
        return self.texts(selector)[0]

    def count(self, selector: str) -> int:
        """Return how many elements a selector has."""
        return len(self.texts(selector))

    def click(self, selector: str) -> None:
        """Press the first element of a selector."""
        self.run("document.querySelector(arguments[0]).click()", selector)

    def fits(self, width: int) -> bool:
        """Return whether the page is no wider than so many pixels."""
        return bool(
            self.run("return document.documentElement.scrollWidth") <= width
        )


def check_cut(browser: Browser) -> list[tuple[str, int, int]]:
    """Check that each table and figure that is wider than its box has a hint, and no other, with
    all details open.

    Returns the name of each with the width that it needs and has.
    """
    browser.run(
        "document.querySelectorAll('details').forEach((one) => (one.open = true))"
    )
    show = "(one) => { one.hidden = false; one.style.contentVisibility = 'visible'; }"  # as if each were in sight
    browser.run(f"document.querySelectorAll('.board').forEach({show})")
    wrong = "return [...document.querySelectorAll('table')].filter((one) => !one.closest('.scroll, .detail')).length"
    assert browser.run(wrong) == 0
    wrong = "filter((one) => (one[1] > one[2] + 2) !== one[3])"
    browser.wait(f"return JSON.stringify((() => {{{TABLES}}})().{wrong})", "[]")
    return [(name, need, room) for name, need, room, _ in browser.run(TABLES)]


def report_of(folder: Path, config: dict[str, Any], name: str = "run") -> Path:
    """Run a config in a folder, into the folder of this name in it; return its page."""
    file = folder / f"{name}.yaml"
    content = {**config, "output": {"formats": ["html"]}}
    file.write_text(json.dumps(content))
    run_command(f"run {file} -q --json --output {folder / name}")
    return folder / name / "report.html"


def sample_config(
    *metrics: str, references: int = 2, gold: bool = True, **statistics: str
) -> dict[str, Any]:
    """Return a config of the sample in data/."""
    texts: dict[str, Any] = {
        "source": f"{DATA}/source.txt",
        "references": [f"{DATA}/reference{n}.txt" for n in range(references)],
    }
    if gold:
        texts["gold"] = f"{DATA}/m2/gold.m2"
    return {
        "datasets": {"sample": texts},
        "systems": [f"{DATA}/systems/*.txt"],
        "metrics": metrics,
        "statistics": statistics,
    }


def write_lines(folder: Path, texts: dict[str, list[str]]) -> None:
    """Write a file of each list of lines."""
    for name, lines in texts.items():
        text = "".join(f"{line}\n" for line in lines)
        (folder / name).write_text(text, encoding="utf-8", newline="")


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """Start a browser whose profile is in a folder of its own, and end it."""
    from selenium.webdriver import Chrome
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = next(filter(None, map(shutil.which, NAMES)))
    for flag in word_list(f"{FLAGS} --user-data-dir={folder}"):
        options.add_argument(flag)
    options.set_capability(
        "goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"}
    )
    driver = Chrome(
        options=options, service=Service(shutil.which("chromedriver"))
    )
    try:
        yield Browser(driver)
    finally:
        driver.quit()
