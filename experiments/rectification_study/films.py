"""Are topics of films of one genre and one time? Their twenty top films, by genre and year."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import entr

import chatham as ch
from chatham.measures.distances import divergences

Array = NDArray[np.float64]

N_FILMS = 20
DRAWS = 1000
"""Random lists of films, for what chance gives."""
COLUMNS = {
    "genre": "share of its commonest genre",
    "entropy": "entropy of genres, bits",
    "apart": "genres' KL from all films', bits",
    "decade": "share of its commonest decade",
    "spread": "years between the quartiles",
}
"""What is said of a list of films; the mean over topics is shown."""


class Films:
    """Genres and years of the films of a corpus, by their places in its vocabulary."""

    def __init__(self, corpus: ch.Corpus, table: pd.DataFrame) -> None:
        titles = [re.sub(r" \[\d+\]$", "", str(word)) for word in corpus.vocabulary]
        of_film = table.loc[titles]
        self.genres = sorted({genre for each in of_film["genres"] for genre in each})
        self.has = np.array([[name in each for name in self.genres] for each in of_film["genres"]])
        self.years = of_film["year"].to_numpy(dtype=float)
        self.share = np.asarray(corpus.counts.sum(axis=0), dtype=float) / corpus.n_tokens
        self.place = {str(word): place for place, word in enumerate(corpus.vocabulary)}

    def of_topics(self, tops: Sequence[list[str]]) -> dict[str, float]:
        """The mean over topics of what is said of their top films."""
        return self.mean([self.places(words) for words in tops])

    def by_chance(self, seed: int) -> dict[str, float]:
        """The same of films drawn in proportion to how often they are watched."""
        rng = np.random.default_rng(seed)
        drawn = [
            rng.choice(len(self.share), N_FILMS, replace=False, p=self.share) for _ in range(DRAWS)
        ]
        return self.mean(drawn)

    def of_most_watched(self) -> dict[str, float]:
        """The same of the films that are watched most."""
        return self.mean([np.argsort(-self.share, kind="stable")[:N_FILMS]])

    def mean(self, lists: Sequence[NDArray[Any]]) -> dict[str, float]:
        """The mean over lists of films."""
        said = [self.said_of(places) for places in lists]
        return {name: float(np.mean([each[name] for each in said])) for name in COLUMNS}

    def places(self, titles: Sequence[str]) -> NDArray[np.int64]:
        """Where a topic's top films are."""
        return np.array([self.place[title] for title in titles[:N_FILMS]], dtype=np.int64)

    def said_of(self, places: NDArray[Any]) -> dict[str, float]:
        """A film of several genres counts in each for its commonest, and in parts for the rest."""
        years = self.years[places]
        genres = self._shares(places, np.ones(len(places)))
        everywhere = self._shares(np.arange(len(self.share)), self.share)
        return {
            "genre": float(self.has[places].mean(axis=0).max()),
            "entropy": float(entr(genres).sum() / np.log(2)),
            "apart": float(divergences(genres[None], everywhere)[0] / np.log(2)),
            "decade": max(Counter(years // 10).values()) / len(years),
            "spread": float(np.subtract(*np.quantile(years, [0.75, 0.25]))),
        }

    def name(self, titles: Sequence[str]) -> str:
        """A topic's commonest genre and decade with their shares: "Sci-Fi 0.8, 1980s 0.6"."""
        places = self.places(titles)
        shares = self.has[places].mean(axis=0)
        (decade, number), *_ = Counter(self.years[places] // 10).most_common(1)
        genre = self.genres[int(shares.argmax())]
        return f"{genre} {shares.max():.2f}, {int(decade)}0s {number / len(places):.2f}"

    def _shares(self, places: NDArray[Any], weights: Array) -> Array:
        parts = self.has[places] / self.has[places].sum(axis=1, keepdims=True)
        return np.asarray(weights @ parts / weights.sum())
