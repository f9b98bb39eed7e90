"""The corpora, and what is known about films."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

import chatham as ch

NIPS, BLOG, MOVIES, SAMPLE = "NIPS", "Blog", "Movies", "bundled sample"
FILES = {NIPS: "nips12_bow.npz", BLOG: "poliblog5k.npz", MOVIES: "movielens1m_ratings.parquet"}
FILMS = "movielens1m_movies.parquet"

LEAST_TOKENS = 5
"""Documents with fewer are left out, as in the source (section 2.4)."""
MAX_DF = 0.5
"""Words in more of the documents than this are left out. The source prunes by tf-idf and doesn't
say how, but the commonest words of NIPS (network, learning, model) are in none of its lists."""


def read_corpora(folder: Path | None, words: int) -> dict[str, ch.Corpus]:
    """NIPS, Blog and Movies; the bundled sample alone where no folder is given."""
    limits: dict[str, Any] = {
        "min_df": 4, "max_df": MAX_DF, "max_features": words, "max_features_by": "tfidf",
    }  # fmt: skip
    if folder is None:
        return {SAMPLE: _long_enough(ch.sample_corpus(**limits))}
    lacking = [file for file in (*FILES.values(), FILMS) if not (folder / file).exists()]
    if lacking:
        raise ch.InputError(f"The folder {folder} lacks {', '.join(lacking)}.")
    texts = {
        name: _long_enough(
            ch.read_corpus(folder / FILES[name], stop_words="en", keep_texts=False, **limits)
        )
        for name in (NIPS, BLOG)
    }
    return {**texts, MOVIES: read_movies(folder)}


def read_movies(folder: Path) -> ch.Corpus:
    """A user is a document, a film they rated 2 × stars of its words."""
    return ch.read_baskets(
        folder / FILES[MOVIES], basket="user", item="item", rating="rating",
        names=folder / FILMS, title="title", least=LEAST_TOKENS,
    )  # fmt: skip


def read_films(folder: Path) -> pd.DataFrame:
    """Each film's genres (a list) and year, by title."""
    table = pd.read_parquet(folder / FILMS).drop_duplicates("title").set_index("title")
    years = pd.Series(table.index, index=table.index).str.extract(r"\((\d{4})\)$")[0]
    return pd.DataFrame({"genres": table["genres"].str.split("|"), "year": years.astype(float)})


def _long_enough(corpus: ch.Corpus) -> ch.Corpus:
    return corpus.rows(corpus.counts.sum(axis=1) >= LEAST_TOKENS)
