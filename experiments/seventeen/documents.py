"""The thesis's three corpora (Table 1.3), each cut into training and held-out documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

import chatham as ch

FILES = {
    "20 Newsgroups": "20newsgroups_clean.parquet",
    "Reuters": "reuters21578.parquet",
    "NIPS": "nips12_bow.npz",
}
PRUNED: dict[str, Any] = {"min_df": 5, "max_df": 0.1, "stop_words": "en", "keep_texts": False}
"""As in the thesis: stop words, words of fewer than 5 documents or more than 10 % are dropped."""

HELD_OUT = 0.2

Parts = tuple[ch.Corpus, ch.Corpus]


def read_parts(folder: Path | None, seed: int) -> dict[str, Parts]:
    """Training and held-out documents by corpus; the bundled sample where no folder is given."""
    if folder is None:
        return {"bundled sample": _parts(ch.sample_corpus(min_df=5, max_df=0.1), seed)}
    lacking = [file for file in FILES.values() if not (folder / file).exists()]
    if lacking:
        raise ch.InputError(f"The folder {folder} lacks {', '.join(lacking)}.")
    return {name: _parts(READERS[name](folder / file), seed) for name, file in FILES.items()}


def _parts(corpus: ch.Corpus, seed: int) -> Parts:
    return corpus.split(HELD_OUT, random_state=seed)


def read_news(path: Path) -> ch.Corpus:
    """20 Newsgroups, a label a document."""
    return ch.read_corpus(path, text="text", label="label", id="id", **PRUNED)


def read_reuters(path: Path) -> ch.Corpus:
    """Reuters by its ModApte split: documents with one of the 90 labels that both halves have.

    The other documents, half of the collection, aren't in the thesis's count either.
    """
    table = pd.read_parquet(path)
    table = table[table["modapte"].isin(["train", "test"])]
    labels = table["labels"].fillna("").str.split("|")
    halves = [set(labels[table["modapte"] == half].explode()) for half in ("train", "test")]
    known = (halves[0] & halves[1]) - {""}
    kept = [[label for label in of_document if label in known] for of_document in labels]
    table = table.assign(label=kept)[[bool(of_document) for of_document in kept]]
    return ch.read_corpus(
        table[["id", "title", "text"]], text="title,text", id="id", label=list(table["label"]),
        **PRUNED,
    )  # fmt: skip


def read_nips(path: Path) -> ch.Corpus:
    """NIPS, words counted already; no label of its papers is a human's judgement of the topic."""
    return replace(ch.read_corpus(path, **PRUNED), labels=None)


READERS: dict[str, Callable[[Path], ch.Corpus]] = {
    "20 Newsgroups": read_news,
    "Reuters": read_reuters,
    "NIPS": read_nips,
}
