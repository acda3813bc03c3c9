"""Make the pictures of the README from the sample in data/: `python -m tests.tools.make_pictures` (needs Chromium).

.github/pictures/terminal.svg is what a terminal shows; board.png and sentence.png are parts of report.html.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

from tests.conftest import ROOT
from tests.report import browser as browsers

FOLDER = ROOT / ".github" / "pictures"
CONFIG = """\
description: GLEU+ of four systems on the 96 sentences of data/
include: [{root}/configs/quickstart.yaml]
metrics: [gleu]
statistics: {{baseline: unchanged}}
"""
COLUMNS = 96
SENTENCE = "dataset=sample&metric=gleu&a=careful&b=eager&line=1"


def terminal(config: Path, output: Path) -> str:
    """Run the config on a terminal of its own; return what that shows as SVG, without fonts from elsewhere."""
    import pty

    program = [sys.executable, "-m", "pipeline", "run", str(config), "-q", "--output", str(output)]
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
    with subprocess.Popen(program, stdout=theirs, cwd=ROOT, env=environment) as process:
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 1 << 16):
                shown += piece
        except OSError:  # what Linux says when the other end is closed
            pass
    os.close(ours)
    if process.returncode:
        raise SystemExit(process.returncode)
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123
    console.print("$ gec-pipeline run sample.yaml", style="bold", highlight=False)
    console.print(Text.from_ansi(shown.decode().replace("\r\n", "\n")))
    plain = re.sub(r"@font-face \{\{.*?\}\}\s*(?=@|\.)", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    text = console.export_svg(title="gec-pipeline", code_format=plain, unique_id="terminal")
    return re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)


def main() -> None:
    """Write all three, and say how large they are."""
    if reason := browsers.lacking():
        sys.exit(reason)
    with tempfile.TemporaryDirectory() as name, browsers.browser(Path(name) / "profile") as browser:
        config, run = Path(name) / "sample.yaml", Path(name) / "run"
        config.write_text(CONFIG.format(root=ROOT), encoding="utf-8")
        pictures = {"terminal.svg": terminal(config, run).encode()}
        subprocess.run([sys.executable, "-m", "pipeline", "report", run, "--format", "html"], check=True, cwd=ROOT)
        for picture, address, height in (("board.png", "", 560), ("sentence.png", SENTENCE, 780)):
            browser.size(1240, height)
            browser.open(run / "report.html", address)
            pictures[picture] = browser.driver.get_screenshot_as_png()
        assert browser.complaints() == []
    FOLDER.mkdir(parents=True, exist_ok=True)
    for file, content in pictures.items():
        (FOLDER / file).write_bytes(content)
        print(f"{FOLDER / file}: {len(content):,} bytes")


if __name__ == "__main__":
    main()
