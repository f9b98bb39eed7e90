"""Ratings that were held out, by a party's own factors and by common ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import chatham as ch
from uplift_study.parties import HELD_OUT, Member
from uplift_study.words import Meet

Array = NDArray[np.float64]

ITERATIONS, TOL = 60, 1e-4
LEAST, MOST = 1.0, 5.0
"""Stars."""


@dataclass(frozen=True)
class Held:
    """Ratings to learn from, and ratings of the same users that are held out."""

    train: sp.csr_array
    test: sp.csr_array

    def of(self, users: NDArray[np.int64]) -> Held:
        """Those of some users."""
        return Held(self.train[users], self.test[users])


def hold_out(ratings: sp.csr_array, seed: int, share: float = HELD_OUT) -> Held:
    """A share of all ratings, chosen at random."""
    cells = ratings.tocoo()
    out = np.random.default_rng([seed, ratings.nnz]).random(ratings.nnz) < share
    parts = [
        sp.csr_array((cells.data[kept], (cells.row[kept], cells.col[kept])), shape=ratings.shape)
        for kept in (~out, out)
    ]
    return Held(*parts)


def learner(k: int, penalty: float, seed: int) -> ch.NMF:
    """Weighted NMF: cells that aren't stored have no part in the error."""
    return ch.NMF(
        k, constraint="none", missing="unobserved", l2_weights=penalty, l2_topics=penalty,
        max_iter=ITERATIONS, tol=TOL, random_state=seed,
    )  # fmt: skip


def fit_together(k: int, penalty: float, seed: int, users: list[sp.csr_array], meet: Meet) -> Any:
    """One model of all parties' users; films are a public list, so their columns are agreed on."""
    return learner(k, penalty, seed).fit(meet(users))


def user_means(train: sp.csr_array) -> Array:
    """The mean of what each user gave, and the middle for one who gave nothing."""
    numbers = np.diff(train.indptr)
    sums = np.asarray(train.sum(axis=1), dtype=float)
    return np.where(numbers > 0, sums / np.maximum(numbers, 1), (LEAST + MOST) / 2)


def predictions(model: Any, held: Held, known: NDArray[np.bool_]) -> Array:
    """Stars for each held-out rating; a film that no one learned from gets the user's mean."""
    weights, cells = model.transform(held.train), held.test.tocoo()
    given = (weights[cells.row] * model.components_.T[cells.col]).sum(axis=1)
    guess = np.where(known[cells.col], given, user_means(held.train)[cells.row])
    return np.clip(guess, LEAST, MOST)


def known_films(train: sp.csr_array) -> NDArray[np.bool_]:
    """Which films have been rated."""
    return np.bincount(train.indices, minlength=train.shape[1]) > 0


def rmse(guess: Array, held: Held, among: NDArray[np.bool_] | None = None) -> float:
    """Root of the mean squared error over held-out ratings, or over those of some films."""
    cells = held.test.tocoo()
    squares = (cells.data - guess) ** 2
    return float(np.sqrt(np.mean(squares if among is None else squares[among[cells.col]])))


def score(alone: Any, together: Any, mine: Held, everyone: NDArray[np.bool_]) -> dict[str, float]:
    """A party's errors: of all its held-out ratings, and of films that it has ratings of."""
    films, cells = known_films(mine.train), mine.test.tocoo()
    own, common = predictions(alone, mine, films), predictions(together, mine, everyone)
    mean = user_means(mine.train)[cells.row]
    return {
        "alone": rmse(own, mine), "together": rmse(common, mine), "mean": rmse(mean, mine),
        "alone, known": rmse(own, mine, films), "together, known": rmse(common, mine, films),
        "unknown": float(1.0 - films[cells.col].mean()),
    }  # fmt: skip


def sizes_of(member: Member, held: Held) -> dict[str, Any]:
    """Who it is, and how many users and ratings it has."""
    return {
        "party": member.name, "share": member.share, "train": len(member.rows),
        "test": int(held.test.nnz),
    }  # fmt: skip
