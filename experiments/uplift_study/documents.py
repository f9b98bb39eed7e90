"""Documents and ratings, read as parties would read theirs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

import chatham as ch
from chatham.federation.words.rules import WordRules

ENRON, NEWSGROUPS, NEWSROOMS, SAMPLE = "Enron", "20 Newsgroups", "newsrooms", "bundled sample"
FILES = {
    ENRON: "enron_ham.parquet",
    NEWSGROUPS: "20newsgroups_clean.parquet",
    NEWSROOMS: "newsarticles.parquet",
}
RATINGS = "movielens1m_ratings.parquet"
COLUMNS = {ENRON: "owner", NEWSGROUPS: "label", NEWSROOMS: "label", SAMPLE: "community"}
"""By which documents have an owner; those of 20 Newsgroups have none that could be a party."""

POLICY: dict[str, Any] = {"stop_words": "en", "own_df": 5, "min_parties": 2, "min_df": 10}
"""How parties agree on words."""
LEAST_TOKENS = 5
"""Documents with fewer words that were agreed on are nobody's."""


def check(folder: Path, names: Sequence[str], ratings: bool) -> None:
    """Say which files are missing, before anything is computed."""
    files = [FILES[name] for name in names] + [RATINGS] * ratings
    lacking = [file for file in files if not (folder / file).exists()]
    if lacking:
        raise ch.InputError(f"The folder {folder} lacks {', '.join(lacking)}.")


def read(folder: Path | None, name: str) -> ch.Corpus:
    """A corpus with all its words, none of which is agreed on yet; texts that recur count once."""
    if folder is None:
        sample = ch.sample_corpus()
        owners = list(sample.column(COLUMNS[SAMPLE]))
        table = pd.DataFrame({"text": sample.texts, COLUMNS[SAMPLE]: owners})
    else:
        table = pd.read_parquet(folder / FILES[name])
    return corpus_of(table, COLUMNS[name])


def corpus_of(table: pd.DataFrame, label: str) -> ch.Corpus:
    """Documents of a table, each with its owner as its label."""
    # A message that was sent twice would be learned from and held out.
    once = table[~table["text"].fillna("").str.strip().duplicated()]
    return rules().read(once, {"text": "text", "label": label})


def rules() -> WordRules:
    """A session's rules about words."""
    return WordRules.of(POLICY)


def read_ratings(folder: Path) -> sp.csr_array:
    """Users × films, 1 to 5 stars; a cell that isn't stored is unknown."""
    return ratings_of(pd.read_parquet(folder / RATINGS))


def ratings_of(table: pd.DataFrame) -> sp.csr_array:
    """Users and films in the order of their numbers."""
    users, user = np.unique(table["user"], return_inverse=True)
    films, film = np.unique(table["item"], return_inverse=True)
    stars = table["rating"].to_numpy(dtype=float)
    return sp.csr_array((stars, (user, film)), shape=(len(users), len(films)))
