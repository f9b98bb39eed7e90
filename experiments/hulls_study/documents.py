"""Corpora like the thesis's three (Table 1.1), each cut into training and held-out documents."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import chatham as ch

HELD_OUT = 0.05
FEWEST_TOKENS = 10
"""Shorter documents are dropped, as in the thesis."""

FEW = 250
"""Words of the bundled sample: t-SNE of so few takes no time."""


@dataclass(frozen=True)
class Source:
    """A corpus: its file, how many of its words are kept, and which of the thesis's it is like."""

    file: str
    words: int
    like: str
    text: str | None = None

    def read(self, folder: Path) -> ch.Corpus:
        """The documents, over their most frequent words."""
        how: dict[str, Any] = {"max_features": self.words, "keep_texts": False}
        if self.text is not None:
            how |= {"text": self.text, "stop_words": "en", "max_df": 1.0}
        return ch.read_corpus(folder / self.file, **how)


SOURCES = {
    "20 Newsgroups": Source("20newsgroups_clean.parquet", 1600, "Yelp: 20,000, 1,606, 41", "text"),
    "poliblog": Source("poliblog5k.npz", 2500, "Blog: 13,000, 4,447, 161"),
    "newsarticles": Source("newsarticles.parquet", 2500, "NYT: 41,000, 10,713, 278", "text"),
}
"""In the order of Table 1.1; `like` has that table's documents, words and average length."""


@dataclass(frozen=True)
class Parts:
    """Documents to learn from, and those kept for the likelihood."""

    train: ch.Corpus
    held_out: ch.Corpus
    like: str

    @property
    def sizes(self) -> list[int]:
        """What tells one reading of a corpus from another."""
        return [len(self.train), len(self.held_out), self.train.n_words, int(self.train.n_tokens)]


def read_parts(folder: Path | None, seed: int) -> dict[str, Parts]:
    """The corpora by name; the bundled sample where no folder is given."""
    if folder is None:
        return {"bundled sample": parts_of(ch.sample_corpus(max_features=FEW), seed, "–")}
    lacking = [source.file for source in SOURCES.values() if not (folder / source.file).exists()]
    if lacking:
        raise ch.InputError(f"The folder {folder} lacks {', '.join(lacking)}.")
    return {
        name: parts_of(source.read(folder), seed, source.like) for name, source in SOURCES.items()
    }


def parts_of(corpus: ch.Corpus, seed: int, like: str) -> Parts:
    """Both parts, without documents that are too short."""
    lengths = np.asarray(corpus.counts.sum(axis=1)).ravel()
    train, held_out = corpus.rows(lengths >= FEWEST_TOKENS).split(HELD_OUT, random_state=seed)
    return Parts(train, held_out, like)
