"""Tiny models with random weights, made when tests run, and the texts that they are asked about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.words import wordlist

torch: Any = pytest.importorskip(
    "torch", reason="needs torch: pip install 'gec-pipeline[neural]'"
)
tokenizers: Any = pytest.importorskip("tokenizers")
transformers: Any = pytest.importorskip(
    "transformers",
    reason="needs transformers: pip install 'gec-pipeline[neural]'",
)

SOURCES = [
    "She go to school every day .",
    "I like a apples",
    "",
    "He is here .",
    "a b c d",
    "Tiny cat sit on the mat .",
]
ONE = [
    "She goes to school every day .",
    "I like apples",
    "now",
    "He is here .",
    "d c b a",
    "A tiny cat sat on it . " * 9,
]
TWO = [
    "She went to school daily .",
    "I like a apples",
    "",
    "here [SEP] is .",
    "",
    "The tiny cat sits on the mat .",
]
REFERENCES = [
    [*ONE[:5], "The tiny cat sat on the mat ."],
    [
        "She goes to school daily .",
        "I like apple",
        "no",
        "He is .",
        "x",
        "Cat .",
    ],
]
SYSTEMS = {"one": ONE, "two": TWO}
SMALL = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 24,
}
LETTERS = "abcdefghijklmnopqrstuvwxyz.ASHITC"


def bert(
    folder: Path,
    kind: str,
    seed: int,
    scale: float = 1.0,
    positions: int = 64,
    **size: int,
) -> Path:
    """Save a model of BERT whose pieces are letters and some words."""
    models = tokenizers.models
    normalizers = tokenizers.normalizers
    pre_tokenizers = tokenizers.pre_tokenizers
    processors = tokenizers.processors
    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *LETTERS,
        *(f"##{each}" for each in LETTERS),
        "the",
        "cat",
    ]
    folder.mkdir(parents=True)
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    item = tokenizers.Tokenizer(
        models.WordPiece(
            {each: number for number, each in enumerate(words)},
            unk_token="[UNK]",  # noqa: S106
        )
    )
    item.normalizer = normalizers.BertNormalizer(lowercase=False)
    item.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    item.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    names = {
        f"{each}_token": f"[{each.upper()}]"
        for each in wordlist("pad unk cls sep mask")
    }
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=item, model_max_length=40, **names
    )
    tokenizer.save_pretrained(folder)
    return save(
        folder,
        kind,
        transformers.BertConfig(
            vocab_size=len(tokenizer),
            max_position_embeddings=positions,
            num_labels=1,
            **(SMALL | size),
        ),
        seed,
        scale,
    )


def of_bytes(folder: Path, kind: str, seed: int) -> Path:
    """Save a model of GPT-2 or RoBERTa whose pieces are bytes."""
    models = tokenizers.models
    pre_tokenizers = tokenizers.pre_tokenizers
    processors = tokenizers.processors
    marks = (
        wordlist("<s> <pad> </s> <unk>")
        if kind == "roberta"
        else ["<|endoftext|>"]
    )
    vocabulary = {
        each: number
        for number, each in enumerate(
            [*marks, *sorted(pre_tokenizers.ByteLevel.alphabet()), "Ġs"]
        )
    }
    item = tokenizers.Tokenizer(models.BPE(vocabulary, [("Ġ", "s")]))
    item.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    names = {
        "bos_token": marks[0],
        "eos_token": marks[-2] if kind == "roberta" else marks[0],
    }
    if kind == "roberta":
        item.post_processor = processors.RobertaProcessing(
            ("</s>", 2), ("<s>", 0), add_prefix_space=False
        )
        names |= {
            "cls_token": "<s>",
            "sep_token": "</s>",
            "pad_token": "<pad>",
            "unk_token": "<unk>",
        }
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=item, model_max_length=50, **names
    )
    tokenizer.save_pretrained(folder)
    if kind == "roberta":
        config = transformers.RobertaConfig(
            vocab_size=len(tokenizer), max_position_embeddings=300, **SMALL
        )
        return save(folder, "RobertaModel", config, seed)
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer),
        n_positions=260,
        n_embd=16,
        n_layer=2,
        n_head=2,
        bos_token_id=0,
        eos_token_id=0,
    )
    return save(folder, "GPT2LMHeadModel", config, seed, 4.0)


def save(
    folder: Path, kind: str, config: Any, seed: int, scale: float = 1.0
) -> Path:
    torch.manual_seed(seed)
    model = getattr(transformers, kind)(config)
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if weights.dim() > 1:
                weights.normal_(
                    0,
                    scale
                    if "classifier" in name or "embeddings" in name
                    else 0.3,
                )
    model.save_pretrained(folder)
    assert json.loads((folder / "config.json").read_bytes())
    return folder
