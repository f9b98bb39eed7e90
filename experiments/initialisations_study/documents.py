"""What is factorised: two corpora, and the stars that people gave to films."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import chatham as ch
from chatham.learners.documents import Documents

NEWS, ENRON, FILMS, SAMPLE = "20 Newsgroups", "Enron", "MovieLens-1M", "bundled sample"
FILES = {
    NEWS: "20newsgroups_clean.parquet",
    ENRON: "enron_ham.parquet",
    FILMS: "movielens1m_ratings.parquet",
}
WORDS = 7000
"""Of each corpus at most; the thesis has 7,097 of 20 Newsgroups."""
RATINGS = {"constraint": "none", "missing": "unobserved"}
"""Ratings that nobody gave aren't zeros, and users' weights aren't shares of anything."""


@dataclass(frozen=True)
class Source:
    """Rows, how NMF is to take them, and who would hold them if nobody split them at random."""

    name: str
    corpus: ch.Corpus
    settings: Mapping[str, Any] = field(default_factory=dict)
    """NMF's own. Without any it is the thesis's: simplex, every squared error alike."""
    column: str | None = None
    """By which natural parties differ."""
    natural: str | None = None
    """What these are called."""
    most: Mapping[int, int] = field(default_factory=dict)
    """By number of topics, the most trials there is time for."""

    @property
    def sizes(self) -> list[int]:
        """Rows, columns and cells: what tells one reading from another."""
        return [*self.corpus.counts.shape, int(self.corpus.counts.nnz)]

    @cached_property
    def half_norm(self) -> float:
        """½‖X‖²: the objective of topics that explain nothing."""
        rows = Documents(
            self.corpus,
            frequencies=self.settings.get("constraint") != "none",
            relative=self.settings.get("loss") == "relative",
        )
        return 0.5 * rows.squared_norm

    def parties(self, holders: int | str, seed: int) -> list[ch.Corpus]:
        """So many parties of the same size, at random; or the natural ones."""
        if isinstance(holders, str):
            return list(self.corpus.parties(by=self.column).values())
        return list(self.corpus.parties(n=holders, random_state=seed).values())


def read_sources(folder: Path | None) -> list[Source]:
    """All three; the bundled sample alone where no folder is given."""
    if folder is None:
        sample = ch.sample_corpus(max_features=300)
        return [Source(SAMPLE, sample, {}, "community", "three communities")]
    lacking = [file for file in FILES.values() if not (folder / file).exists()]
    if lacking:
        raise ch.InputError(f"The folder {folder} lacks {', '.join(lacking)}.")
    return [
        Source(NEWS, _read(folder / FILES[NEWS], "label"), {}, "label", "twenty groups"),
        Source(ENRON, _read(folder / FILES[ENRON], "owner"), {}, "owner", "six mailboxes"),
        Source(FILMS, _read_films(folder), RATINGS, most={50: 2}),
    ]


def _read(path: Path, label: str) -> ch.Corpus:
    return ch.read_corpus(
        path, text="text", label=label, stop_words="en", max_features=WORDS, keep_texts=False
    )


def _read_films(folder: Path) -> ch.Corpus:
    """A row for each user, with the stars they gave."""
    return ch.read_baskets(
        folder / FILES[FILMS], basket="user", item="item", rating="rating", scale=1.0, min_df=1
    )
