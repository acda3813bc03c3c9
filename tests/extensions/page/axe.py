"""axe-core, the checker of pages for people who use screen readers or keys, out of a package that
brings it along.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.extensions.page.browser import Browser

PLACES = {
    "axe_selenium_python": "node_modules/axe-core/axe.min.js",
    "axe_playwright_python": "axe.min.js",
    "axe_core_python": "axe.min.js",
}
"""Where packages have the script; the first that is installed is taken. None of them is imported.
"""
CHECK = """
const done = arguments[arguments.length - 1];
const rules = Object.fromEntries(arguments[0].map((name) => [name, {enabled: false}]));
axe.run(document, {resultTypes: ["violations"], rules}).then(
  (all) => done(all.violations.map((one) => [one.impact, one.id, one.nodes[0].html.slice(0, 300)])),
  (error) => done([["critical", "axe-core ended", String(error)]]));
"""


def script() -> str:
    """Return axe-core, "" where no package has it."""
    for package, index in PLACES.items():
        spec = find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            file = Path(folder) / index
            if file.is_file():
                return file.read_text(encoding="utf-8")
    return ""


def findings(browser: Browser, *without: str) -> list[list[Any]]:
    """Return what axe-core finds in the page that is shown: how bad it is, the rule, and the first
    element.

    `without` names rules that are left out.
    """
    browser.run(f"if (!window.axe) {{ {script()} }}")
    found: list[list[Any]] = browser.driver.execute_async_script(CHECK, without)
    return found
