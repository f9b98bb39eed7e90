"""Words of one document by its weights: they have one direction over topics, in every round.

Words that one document alone has enter NMF's sums, and PLSA's expected counts divided by the
topics, with that document's weights. So they are proportional to each other, over the topics of all
rounds together, to the last digits; words of different documents are not.

LDA draws topics at random, so that sums of single sweeps tell little. Averages over sweeps (first
moments) rank pairs of words by how alike their weights are. Second moments can say more: when a
document leans to a topic in a sweep, all its words do, so that words of one document move together
from sweep to sweep. What they do at sweeps far apart, where they can't, is chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from chatham.audit.observing import Round
from chatham.audit.rebuilding.finding import SURE, Certificate, Finding, group_of
from chatham.audit.rebuilding.known import Known

Array = NDArray[np.float64]

ALIKE = 1e-6
"""By how much the cosine of two words' weights may be short of one."""
SWEEPS, SETTLED, APART = "sweep_documents", 50, 20
"""LDA's step; sweeps that are left out, since topics still form; and how many sweeps lie between
two that are taken to be independent."""
OFTEN = 0.25
"""In what share of sweeps a word must move: two that move once may do so together by chance, which
no normal distribution allows for."""


def directions(profiles: Array) -> Array:
    """Each word's profile (a column) scaled to length one."""
    return np.asarray(profiles / np.maximum(np.linalg.norm(profiles, axis=0), 1e-300))


def alike(profiles: Array) -> Array:
    """The cosine of each pair of words, words × words."""
    units = directions(profiles)
    return np.asarray(units.T @ units)


def profiles_of_plsa(rounds: Sequence[Round], words: Any) -> Array:
    """Weights that expected counts of words tell, all rounds below each other."""
    told = [one for one in rounds if one.step == "expectations"]
    each = [np.asarray(one.others[0]).T[:, words] / one.shared[0][:, words] for one in told]
    return np.vstack([directions(profile) for profile in each]) if each else np.empty((0, 0))


def profiles_of_nmf(rounds: Sequence[Round], words: Any, scale: Any) -> Array:
    """Weight × word over the word's scale, all rounds below each other."""
    told = [one for one in rounds if one.step == "topic_statistics"]
    each = [np.asarray(one.others[0]).T[:, words] / scale[words] for one in told]
    return np.vstack(each) if each else np.empty((0, 0))


def profiles_of_lda(rounds: Sequence[Round], words: Any, skip: int = SETTLED) -> list[Array]:
    """Topics of words over what topics make one expect, sweep by sweep."""
    return [drawn / topics for drawn, topics in _sweeps(rounds, words, skip)]


def _sweeps(rounds: Sequence[Round], words: Any, skip: int) -> Iterator[tuple[Array, Array]]:
    """How often each of these words has each topic, and their shares in topics, topics × words."""
    for one in [one for one in rounds if one.step == SWEEPS][skip:]:
        shared = np.asarray(one.shared[0], dtype=float).T + 0.01
        topics = shared / shared.sum(axis=1, keepdims=True)
        yield np.asarray(one.others[0], dtype=float).T[:, words], topics[:, words]


def moving_together(rounds: Sequence[Round], words: Any, skip: int = SETTLED) -> Array:
    """How much two words' topics move together from sweep to sweep, words × words, in standard
    deviations of what they do at sweeps far apart; 0 where a word moves too seldom to tell.

    Topics drift, and all their words with them, so a word's topics count as far as they aren't what
    the topics of that sweep and its own usual weights make one expect.
    """
    told = list(_sweeps(rounds, words, skip))
    sweeps = len(told)
    if sweeps < 3 * APART:
        return np.zeros((len(words), len(words)))
    drawn, topics = (np.array(each) for each in zip(*told, strict=True))
    expected = (drawn / topics).mean(axis=0) * topics
    shares = expected / np.maximum(expected.sum(axis=1, keepdims=True), 1e-300)
    moves = drawn - shares * drawn.sum(axis=1, keepdims=True)
    moves -= moves.mean(axis=0)
    lags = range(APART, sweeps - APART)
    now = np.einsum("rti,rtj->ij", moves, moves)
    sums = np.zeros_like(now)
    squares = np.zeros_like(now)
    for lag in lags:
        then = np.einsum("rti,rtj->ij", moves, np.roll(moves, lag, axis=0))
        sums, squares = sums + then, squares + then**2
    mean = sums / len(lags)
    spread = np.sqrt(np.maximum(squares / len(lags) - mean**2, 1e-12))
    often = (np.diff(drawn, axis=0) != 0).any(axis=1).mean(axis=0) >= OFTEN
    return np.where(np.outer(often, often), (now - mean) / spread, 0.0)


def by_same_weights(rounds: Sequence[Round], known: Known) -> Iterator[Finding]:
    """Words of one document, two or more: their weights agree in every round."""
    if known.frequencies is None or any(any(one.noise) for one in rounds):
        return
    words = np.flatnonzero(np.asarray(known.frequencies) == 1)
    for step, profiles in (
        ("expectations", profiles_of_plsa(rounds, words)),
        ("topic_statistics", profiles_of_nmf(rounds, words, known.scale)),
    ):
        told = np.linalg.norm(profiles, axis=0) > 0 if profiles.size else np.zeros(0, bool)
        if told.sum() >= 2:
            yield from _groups(step, words[told], alike(profiles[:, told]))
    yield from _moving(rounds, words)


def _groups(step: str, words: Any, cosines: Array) -> Iterator[Finding]:
    """Words that are alike, each in one group."""
    rest = cosines[np.triu_indices(len(words), 1)]
    # Among pairs that differ, how often one would be as much alike: as the nearest ones thin out.
    usual = max(float((rest > 1 - ALIKE**0.5).mean()), 1.0 / len(rest)) * ALIKE**0.5
    left = np.ones(len(words), dtype=bool)
    for i in range(len(words)):
        group = np.flatnonzero(left & (cosines[i] > 1 - ALIKE))
        if left[i] and len(group) >= 2:
            left[group] = False
            seen = f"{len(group)} words that one document has, each, have the same weights"
            chance = (len(group) - 1) * np.log10(usual * len(words))
            if chance < np.log10(SURE):
                yield group_of(words[group], step, Certificate(seen, float(chance)))


def _moving(rounds: Sequence[Round], words: Any) -> Iterator[Finding]:
    """Pairs of words that move together from sweep to sweep, beyond chance in any pair."""
    if not any(one.step == SWEEPS for one in rounds) or len(words) < 2:
        return
    together = moving_together(rounds, words)
    first, second = np.triu_indices(len(words), 1)
    chances = norm.logsf(together[first, second]) / np.log(10) + np.log10(len(first))
    for pair in np.flatnonzero(chances < np.log10(SURE)):
        seen = "two words that one document has, each, change topics together"
        certificate = Certificate(seen, float(chances[pair]))
        yield group_of((words[first[pair]], words[second[pair]]), SWEEPS, certificate)
