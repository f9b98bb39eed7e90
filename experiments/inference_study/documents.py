"""The corpora: two that documents are drawn after, and those whose completion is measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import chatham as ch

FILES = {
    "NIPS": "nips12_bow.npz",
    "Blog": "poliblog5k.npz",
    "20 Newsgroups": "20newsgroups_clean.parquet",
    "BBC": "bbc_raw.parquet",
    "KOS": "kos.npz",
}
MODELLED = ("NIPS", "Blog")
"""Those whose topics documents are drawn from, as in the source; it has NYTimes too."""
SAMPLE = "bundled sample"


def read(folder: Path | None, names: Iterable[str], words: int) -> dict[str, ch.Corpus]:
    """The corpora of these names; the bundled sample alone where no folder is given."""
    if folder is None:
        return {SAMPLE: _with_words(ch.sample_corpus(max_features=words))}
    paths = {name: folder / FILES[name] for name in names}
    lacking = [path.name for path in paths.values() if not path.exists()]
    if lacking:
        raise ch.InputError(f"The folder {folder} lacks {', '.join(lacking)}.")
    return {name: _read(path, words) for name, path in paths.items()}


def _read(path: Path, words: int) -> ch.Corpus:
    options: dict[str, Any] = {"max_features": words}
    if path.suffix == ".parquet":
        options |= {"text": "text", "label": "label", "stop_words": "en", "keep_texts": False}
    corpus = _with_words(ch.read_corpus(path, **options))
    # What is known of documents that came as counts is no human's judgement of their topic.
    return corpus if path.suffix == ".parquet" else replace(corpus, labels=None)


def _with_words(corpus: ch.Corpus) -> ch.Corpus:
    """Without empty documents."""
    return corpus.rows(~corpus.empty)
