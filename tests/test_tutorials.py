"""The tutorials of metrics with models: their commands run, on tiny models that are made here, and
on invented files.

They skip where torch, or the package of COMET, is not installed; the judge is a server of this
process."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import shlex
import shutil
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import pipeline
from pipeline.cli import main
from pipeline.cli.commands.help import help_pages
from pipeline.data import Catalogue, DataFile
from tests.conftest import ROOT, gec_pipeline, read_json
from tests.extensions.functions.plugin_page import forgotten  # noqa: F401 (a fixture)
from tests.extensions.neural.test_judge import KEY, right, served
from tests.extensions.published.stand_ins import chance, text
from tests.test_from_python import EXAMPLES

LINES = 24
"""Lines of the invented files."""


def page(name: str) -> str:
    return help_pages()[name].read_text("utf-8")


def write_configs(name: str, folder: Path) -> None:
    for file, config in re.findall(
        r"^```yaml (\S+)\n(.*?)^```$", page(name), re.MULTILINE | re.DOTALL
    ):
        (folder / file).write_text(config, "utf-8")


def commands(name: str) -> list[list[str]]:
    """Return the commands of a page in their order, in blocks of console and in those that are
    indented.

    Runs take fewer samples than there, which is quicker.
    """
    written = re.findall(
        r"^(?:\$ |    )gec-pipeline (.*)",
        page(name).replace("\\\n", " "),
        re.MULTILINE,
    )
    assert len(written) > 1
    each = [shlex.split(line) for line in written]
    return [
        [*one, "--set", "statistics.resamples=100"] if one[0] == "run" else one
        for one in each
    ]


def lacks(*packages: str) -> pytest.MarkDecorator:
    absent = [
        package
        for package in packages
        if importlib.util.find_spec(package) is None
    ]
    return pytest.mark.skipif(
        bool(absent), reason=f"{' and '.join(absent)} not installed"
    )


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert gec_pipeline("init --sample sample") == 0
    monkeypatch.chdir("sample")
    return tmp_path / "sample"


def write_models(folder: Path) -> None:
    """Write tiny models with random weights: an encoder, a classifier of texts and a language
    model.
    """
    tokenizers, torch, transformers = map(
        import_module, ("tokenizers", "torch", "transformers")
    )
    torch.manual_seed(1)
    letters = [chr(code) for code in range(33, 127)]
    vocabulary = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *letters,
        *(f"##{letter}" for letter in letters),
    ]
    words = {word: number for number, word in enumerate(vocabulary)}
    model = tokenizers.models.WordPiece(
        words,
        unk_token="[UNK]",  # noqa: S106 (no password)
    )
    values = tokenizers.Tokenizer(model)
    values.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    ends = [("[CLS]", 2), ("[SEP]", 3)]
    values.post_processor = tokenizers.processors.TemplateProcessing(
        "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", ends
    )
    special = {
        "pad_token": "[PAD]",
        "unk_token": "[UNK]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
    }
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=values, **special
    )
    size: dict[str, Any] = {
        "hidden_size": 16,
        "num_hidden_layers": 9,
        "num_attention_heads": 2,
        "intermediate_size": 16,
    }
    bert = transformers.BertConfig(
        vocab_size=len(vocabulary), num_labels=1, **size
    )
    nets = {
        "bert-base-uncased": transformers.BertModel,
        "bert-base-cased": transformers.BertModel,
    }
    for name, net in {
        **nets,
        "impara-qe": transformers.BertForSequenceClassification,
    }.items():
        net(bert).save_pretrained(folder / name)
        fast.save_pretrained(folder / name)
    signs = {
        sign: number
        for number, sign in enumerate(
            [
                "<|endoftext|>",
                *sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet()),
            ]
        )
    }
    levels = tokenizers.Tokenizer(tokenizers.models.BPE(signs, []))
    levels.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(
        add_prefix_space=False
    )
    end = "<|endoftext|>"
    plain = transformers.PreTrainedTokenizerFast(
        tokenizer_object=levels, bos_token=end, eos_token=end, unk_token=end
    )
    plain.save_pretrained(folder / "gpt2")
    tiny = transformers.GPT2Config(
        vocab_size=len(signs), n_embd=16, n_layer=2, n_head=2, n_positions=512
    )
    transformers.GPT2LMHeadModel(tiny).save_pretrained(folder / "gpt2")


def invented(file: DataFile) -> bytes:
    """Return a file of the form of SEEDA's: sentences, a score of each output, or rankings of some
    outputs.
    """
    names = [f"{name}.txt" for name in SYSTEMS]
    if file.name.startswith("scores/"):
        return "".join(
            f"{chance(file.key, name) % 999 / 1000}\n" for name in names
        ).encode()
    if file.name.startswith("judgments"):
        items = []
        for line in range(LINES):
            chosen = [
                SYSTEMS[(line + step) % len(SYSTEMS)] for step in range(5)
            ]
            ranks = [
                f'<translation system="{name}" rank="{1 + chance(line, name) % 5}"/>'
                for name in chosen
            ]
            items.append(
                f'<ranking-item src-id="{line}" user="a">{"".join(ranks)}</ranking-item>'
            )
        return f"<set>{''.join(items)}</set>".encode()
    return b"".join(text(file).splitlines(keepends=True)[:LINES])


SYSTEMS = [
    file.removeprefix("outputs/all/").removesuffix(".txt")
    for file in (
        key
        for key in Catalogue.known()["seeda"].files
        if key.startswith("outputs/all/")
    )
]


@pytest.fixture
def seeda(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of the form of SEEDA's in a mirror, described by their own checksums."""
    created = {}
    for name in ("seeda", "conll14"):
        values, files = Catalogue.known()[name], {}
        for key, file in values.files.items():
            if name == "seeda" or key.startswith("NUCLE"):
                data = invented(file)
                position = tmp_path / "mirror" / file.address
                position.parent.mkdir(parents=True, exist_ok=True)
                position.write_bytes(data)
                files[key] = replace(
                    file,
                    size=len(data),
                    sha256=hashlib.sha256(data).hexdigest(),
                    how_to_obtain="",
                )
        created[name] = replace(values, files=files)
    monkeypatch.setenv("GEC_PIPELINE_MIRROR", str(tmp_path / "mirror"))
    catalogue = Catalogue(created)
    monkeypatch.setattr(Catalogue, "known", lambda: catalogue)


@lacks("torch", "transformers")
@pytest.mark.usefixtures("forgotten", "seeda")
def test_the_tutorial_of_seeda(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_configs("seeda", sample)
    write_models(sample / "models")
    for line in commands("seeda"):
        if line[0] != "reproduce":
            numbered = (
                ["--numbering", "0"]
                if "judgments_edit" in " ".join(line) and line[0] == "correlate"
                else []
            )
            assert main([*line, *numbered]) == 0, line
    printed = capsys.readouterr().out
    for name in ("GLEU+", "IMPARA", "Scribendi", "BERTScore"):
        assert re.search(
            rf"^{re.escape(name)} +TS_edit ", printed, re.MULTILINE
        ), name
    results = read_json(sample / "runs" / "seeda" / "results.json")
    assert {
        len(row["systems"]) for row in results["human"]["correlations"]
    } == {len(SYSTEMS) - 3}


@lacks("comet", "torch")
# torchmetrics 0.10, which COMET needs
@pytest.mark.filterwarnings("ignore:pkg_resources is deprecated")
@pytest.mark.usefixtures("forgotten")
def test_the_tutorial_of_comet(
    sample: Path, shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Numbers that are exported come out again, without the model."""
    (sample / "models").mkdir()
    (sample / "models" / "comet").symlink_to(
        shared / "neural" / "models" / "comet"
    )
    write_configs("comet", sample)
    for line in commands("comet"):
        if line[0] != "init":
            assert gec_pipeline(*line) == 0, line
    one, two = (
        read_json(sample / run / "results.json")
        for run in ("runs/comet", "runs/again")
    )
    values = [
        [row["score"], row["bootstrap"]]
        for row in one["scores"]
        if row["metric"].startswith("comet")
    ]
    assert values == [[row["score"], row["bootstrap"]] for row in two["scores"]]
    assert "error" not in capsys.readouterr().err


@pytest.mark.usefixtures("forgotten")
def test_the_page_of_the_judge(
    sample: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_configs("judge", sample)
    with served() as (server, address):
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        for line in commands("judge"):
            assert gec_pipeline(*line) == 0, line
        assert server.answer is right
        assert len(server.asked) == 96
    printed = capsys.readouterr()
    assert "96 of 96 distinct texts would be computed, about " in printed.out
    assert re.search(r"^judge +96 ", printed.out, re.MULTILINE), printed.out[
        -2500:
    ]
    assert KEY not in printed.out + printed.err


@pytest.mark.usefixtures("forgotten")
def test_the_page_of_effects(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line with models is for those who have some."""
    assert gec_pipeline("run configs/quickstart.yaml -q") == 0
    for line in commands("effects"):
        if "impara" not in line:
            assert gec_pipeline(*line) == 0, line
    assert "the shares add up to" in capsys.readouterr().out
    assert '"effects":{' in (
        sample / "runs" / "quickstart" / "report.html"
    ).read_text("utf-8")


def test_the_examples_of_the_page_of_help_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    for name in ("configs", "data"):
        shutil.copytree(ROOT / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(re.sub(r"^ {4}", "", EXAMPLES, flags=re.MULTILINE), names)  # noqa: S102
    assert (tmp_path / "runs" / "changed" / "results.json").is_file()
    assert len(names["compared"].tests) == 3
    assert [type(names[name]) for name in ("alone", "result")] == [
        pipeline.Evaluation,
        pipeline.Result,
    ]
