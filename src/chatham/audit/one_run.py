"""A first look in one fit: many documents in or out by a coin each (Steinke et al. 2023).

A party's database is made of canaries, documents that are there or not by independent coins; it is
fitted once, as a session would fit it. An adversary who has all of them guesses from the result
which were there. If the mechanism is (ε, δ)-private, the number of right guesses is seldom more
than that of coins which show heads with probability eᵉ/(1 + eᵉ): so many right guesses bound ε from
below, with a stated probability, in seconds instead of hundreds of fits.

To guess, documents must be compared with each other, and statistics aren't comparable as they are:
a long document is nearer to its nearest topic whether it was there or not. So the coins of one half
of the canaries are turned up. A classifier learns from these how statistics, together with what is
plain about a document (its length, how rare its words are), go with having been there, and the
coins of the other half are guessed. All values are ranks among the canaries, for which no coin is
needed. The guesses are fixed by the fit and the coins that were turned up, and the other coins are
independent of these, so the bound holds as if nothing had been turned up.

It can't say which documents are exposed, nor how much: the classifier learns from few documents,
and a small bound proves nothing. ε is about an adversary who knows every other document, unlike
that of the verdict; a mechanism without noise has no finite ε, so that there any bound is true and
only the guesses tell something.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

from chatham.audit.epsilon import Guesses, guess, one_run_epsilon, one_run_p_value
from chatham.audit.intervals import Estimate
from chatham.audit.learned import held_out_scores
from chatham.audit.mechanisms import Mechanism, Observables
from chatham.audit.neighbours import run_seed
from chatham.audit.statistics import Document, applicable, documents_at, values_of
from chatham.numerics.threads import threads

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

MOST_CANARIES = 1000
"""More would take longer to look at than to fit."""
LEAST_CANARIES = 40
"""With fewer there would be hardly a guess."""
GUESSED = 1 / 3
"""The share of canaries that are guessed about: of the others the adversary is less sure."""


@dataclass(frozen=True)
class OneRun:
    """What one fit says of many documents together."""

    documents: int
    """How many the database had."""
    turned_up: int
    """The canaries whose coins were learned from."""
    guesses: Guesses
    """About the other canaries."""
    epsilon: Estimate
    """A lower bound on ε at `delta`."""
    delta: float

    @property
    def right(self) -> Estimate:
        """The share of right guesses: its lower end is what the bound on ε allows."""
        low = 1 / (1 + math.exp(-self.epsilon.low))
        share = self.guesses.right / self.guesses.made
        return Estimate(share, min(low, share), 1.0, self.epsilon.level)

    @property
    def p(self) -> float:
        """How likely so many guesses are right, or more, where nothing is given away."""
        return one_run_p_value(self.guesses, 0.0)

    @property
    def in_words(self) -> str:
        """What was found, and what it doesn't say."""
        canaries = self.guesses.canaries + self.turned_up
        found = (
            f"ε is at least {self.epsilon.low:.2f} ({100 * self.epsilon.level:g} %)"
            if self.epsilon.low > 0
            else "that may be chance"
        )
        return (
            f"In one fit, where each of {canaries:,} documents was in or out by a coin, "
            f"{self.guesses.right} of {self.guesses.made} guesses about these are right and half "
            f"would be by chance; {found}. That is about all of them together, says "
            "nothing of any one, and a small bound proves nothing."
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it in JSON's terms."""
        return {
            "summary": self.in_words,
            "documents": self.documents,
            "canaries": self.guesses.canaries + self.turned_up,
            "guesses": self.guesses.made,
            "right": self.guesses.right,
            "right_at_least": self.right.low,
            "p": self.p,
            "epsilon_at_least": self.epsilon.low,
            "delta": self.delta,
            "level": self.epsilon.level,
        }


def canaries_of(size: int, corpus_size: int) -> int:
    """How many canaries there can be, half of which make up a database of this size, or a part."""
    return min(2 * size, 2 * (corpus_size - size), MOST_CANARIES, corpus_size)


def one_run(
    mechanism: Mechanism,
    counts: sp.csr_array,
    size: int,
    *,
    seed: int = 0,
    delta: float = 0.0,
    level: float = 0.95,
) -> OneRun | None:
    """Fit once a database of about `size` documents, and guess about the canaries.

    None if so few documents can be in or out that nothing would come of it.
    """
    counts = sp.csr_array(counts)
    with_words = np.flatnonzero(np.diff(counts.indptr) > 0)
    number = canaries_of(size, len(with_words))
    if number < LEAST_CANARIES:
        return None
    draws = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(3,)))
    chosen = draws.choice(with_words, number + size - number // 2, replace=False)
    canaries, rest = chosen[:number], chosen[number:]
    present = draws.random(number) < 0.5
    rows = np.sort(np.concatenate([canaries[present], rest]))
    documents = documents_at(counts, canaries)
    with threads(None):
        features = _features(mechanism(counts[rows], run_seed(draws)), documents)
    # Canaries are in random order: the first half is turned up, the second guessed about.
    half = np.arange(number) * 2 // number
    scores = held_out_scores(features, present, half)[half == 1]
    each_way = max(1, round(GUESSED * scores.size / 2))
    guesses = guess(scores, present[half == 1], said_in=each_way, said_out=each_way)
    epsilon = one_run_epsilon(guesses, delta=delta, level=level)
    return OneRun(len(rows), int((half == 0).sum()), guesses, epsilon, delta)


def _features(seen: Observables, documents: Sequence[Document]) -> Array:
    """Canaries × what is seen of them and plain about them, as normal scores."""
    about = seen.about(np.unique(np.concatenate([each.words for each in documents])))
    statistics = applicable(about)
    values = [[*values_of(statistics, about, each), *_plain(each)] for each in documents]
    ranks = rankdata(np.array(values), axis=0)
    return np.asarray(ndtri((ranks - 0.5) / len(documents)))


def _plain(document: Document) -> tuple[float, ...]:
    """What anybody knows of a document: its length, how even it is, how rare its words are."""
    return (
        float(len(document.words)),
        float(document.counts.sum()),
        float(np.linalg.norm(document.values(frequencies=True))),
        float(np.log(document.rarity).mean()),
        float(document.rarity.min()),
    )
