"""How much is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from uplift_study.documents import (
    ENRON,
    LEAST_TOKENS,
    NEWSGROUPS,
    NEWSROOMS,
    POLICY,
    SAMPLE,
)
from uplift_study.parties import HELD_OUT, MIX, Mix
from uplift_study.recommender import ITERATIONS as RATING_ITERATIONS
from uplift_study.recommender import TOL as RATING_TOL
from uplift_study.ways import ITERATIONS, LEADS_OFF, PASSES, RELATIVE, SVD, TOL, TOPICS

WAYS = (TOPICS, RELATIVE, SVD)
OF_SIZES, NATURAL, SHUFFLED = "of sizes", "natural", "shuffled"


@dataclass(frozen=True)
class Plan:
    """How much is done."""

    topics: tuple[int, ...] = (7, 14, 42)
    relative: tuple[int, ...] = (14,)
    """Topics with the relative loss: enough to see whether it matters."""
    ranks: tuple[int, ...] = (7, 14, 42)
    natural_ranks: tuple[int, ...] = (7, 14, 42, 126)
    """Parties that write about different things may need more."""
    small: tuple[int, ...] = (12, 25, 50, 100, 200)
    small_topics: int = 14
    """Documents that a natural party is cut to, and topics then."""
    rating_topics: tuple[int, ...] = (3, 7, 14)
    penalties: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0, 16.0)
    seeds: int = 3
    rating_seeds: int = 3
    mix: Mix = MIX
    n_jobs: int = 1

    def comparisons(self, split: str) -> list[tuple[str, int]]:
        """Ways to learn, each with its numbers of topics."""
        ranks = self.ranks if split == OF_SIZES else self.natural_ranks
        numbers = {TOPICS: self.topics, RELATIVE: self.relative, SVD: ranks}
        return [(way, k) for way in WAYS for k in numbers[way]]

    def corpora(self, with_data: bool) -> dict[str, tuple[str, ...]]:
        """Whose documents are dealt out in which ways."""
        if not with_data:
            return {SAMPLE: (OF_SIZES, NATURAL, SHUFFLED)}
        return {
            ENRON: (OF_SIZES, NATURAL, SHUFFLED),
            NEWSGROUPS: (OF_SIZES,),
            NEWSROOMS: (NATURAL, SHUFFLED),
        }


SETTINGS: dict[str, list[Any]] = {
    TOPICS: [ITERATIONS, TOL],
    RELATIVE: [ITERATIONS, TOL],
    SVD: [PASSES, LEADS_OFF],
}
WORDS = [*POLICY.values(), LEAST_TOKENS, HELD_OUT]
RATED = [RATING_ITERATIONS, RATING_TOL, HELD_OUT]
"""What results depend on besides what is asked."""
