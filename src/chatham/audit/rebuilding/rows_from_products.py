"""Rows of a matrix of words × words, from its products with blocks that everybody knows.

A coalition knows the blocks Q and, of the others' matrix F (co-occurrence, or XᵀX), the products
FQ, up to rounding and noise: for each word as many equations as there are columns, for a row that
isn't negative and in which most words don't occur. It tries to solve them for the words that the
fewest of the others' documents have, whose rows are the sparsest:

- by non-negative least squares;
- by a linear programme, the cheapest row that agrees with the equations, where a word is the
  cheaper the more often it occurs together with the row's word in one's own documents;
- the same one row after another, with what is known by symmetry from the rows before.

**The certificate.** The cheapest row is a corner of what the equations allow, and a corner has as
many words as equations hold exactly: with fewer, more equations agree than words could make agree.
And where one document alone has the row's word, the row is that document: whole multiples of one
number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog, nnls

from chatham.audit.observing import Round
from chatham.audit.rebuilding.differences import whole_multiples
from chatham.audit.rebuilding.finding import LEAST, SURE, Certificate, Finding, whole_document
from chatham.audit.rebuilding.known import Known
from chatham.audit.rebuilding.pair_lengths import Tied, lengths_of
from chatham.audit.rebuilding.word_totals import are_products
from chatham.learners.cooccurrence import ALIKE, Pairing, statistics_of_pairs, unpacked
from chatham.learners.documents import Documents

Array = NDArray[np.float64]

WIDTH = 3.0
"""Within how many standard deviations of its noise an equation is taken to hold."""
SPARSE = 0.5
"""A solved row is certain if it has fewer words than this share of its equations."""
SOLVED_TO = 1e-6
"""To what share of the largest product a programme solves its equations."""
NOTHING = 1e-3
"""A cell below this share of the largest is rounding."""


@dataclass(frozen=True)
class Equations:
    """F × blocks = products, each product within ± `off`; F is the others' matrix."""

    blocks: Array
    products: Array
    off: float
    words: NDArray[np.bool_]
    """The words that the others may have."""
    own: Array
    """What the coalition's documents would make one expect: their own co-occurrence."""


def equations(rounds: Sequence[Round], step: str, others: int, own: Array) -> Equations:
    """What a coalition knows of so many others after a fit: products of this step."""
    blocks, products, off = [], [], 0.0
    for one in rounds:
        if one.step == step:
            (block, *more), (product,) = one.shared, one.others
            factor = more[0] if more and isinstance(more[0], float) else 1.0
            blocks.append(block)
            products.append(product / factor)
            off = (others * one.units[0] / 2.0 + WIDTH * one.noise[0]) / factor
    known = np.hstack(products)
    return Equations(np.hstack(blocks), known, off, np.abs(known).sum(axis=1) > 0, own)


def cooccurrences(rows: Any, pairing: Pairing = ALIKE) -> Array:
    """A party's exact co-occurrences."""
    packed, _, _ = statistics_of_pairs(Documents(rows), pairing)
    return unpacked(packed, rows.shape[1])


def by_least_squares(system: Equations, word: int, weights: Array) -> Array:
    """The nearest row that isn't negative, in units of the weights."""
    columns = np.flatnonzero(system.words)
    scaled = system.blocks[columns].T * weights[columns]
    row = np.zeros(len(system.words))
    row[columns] = weights[columns] * nnls(scaled, system.products[word], maxiter=20_000)[0]
    return row


def by_programme(
    system: Equations, word: int, weights: Array, known: dict[int, float] | None = None
) -> Array | None:
    """The row that costs least and agrees with the equations; None if there is none."""
    known = {} if known is None else known
    columns = np.flatnonzero(system.words & ~np.isin(np.arange(len(system.words)), list(known)))
    given = sum((value * system.blocks[other] for other, value in known.items()), 0.0)
    right = system.products[word] - given
    matrix = np.ascontiguousarray(system.blocks[columns].T)
    scale = max(float(np.abs(right).max()), 1e-300)
    found = linprog(
        1.0 / weights[columns],
        A_ub=np.vstack([matrix, -matrix]),
        b_ub=np.concatenate([right + system.off, system.off - right]) / scale,
        bounds=(0, None),
        method="highs",
    )
    if found.x is None:
        return None
    row = np.zeros(len(system.words))
    row[columns] = found.x * scale
    for other, value in known.items():
        row[other] = value
    return row


def expectations(system: Equations, word: int) -> Array:
    """How much of a row one's own documents make one expect in each cell; never nothing.

    The fourth root served best: one's own documents are only somewhat like the others'.
    """
    own, overall = system.own[word], system.own.sum(axis=0)
    shares = own / max(float(own.sum()), 1e-12) + overall / max(float(overall.sum()), 1e-12)
    return np.asarray((shares + 1e-6) ** 0.25)


def peeled(system: Equations, words: Sequence[int]) -> dict[int, Array]:
    """Rows one after another, the cells known by symmetry taken from the rows before."""
    rows: dict[int, Array] = {}
    for word in words:
        known = {other: float(row[word]) for other, row in rows.items()}
        row = by_programme(system, word, expectations(system, word), known)
        if row is None:  # what was taken from rows before doesn't agree: those were wrong
            row = by_programme(system, word, expectations(system, word))
        if row is not None:
            rows[word] = row
    return rows


def groups_in_rows(
    rows: dict[int, Array], tolerance: float = 0.01, by_length: bool = False
) -> set[Tied]:
    """Four words or more that a row ties together: its word, and those with the same 1/n(n−1)."""
    groups = set()
    for word, row in rows.items():
        lengths = lengths_of(row, tolerance / 2.0, by_length)
        lengths[word] = 0
        for n in np.unique(lengths[lengths > 0]):
            words = frozenset([word, *np.flatnonzero(lengths == n).tolist()])
            if len(words) >= LEAST:
                groups.add(Tied(words, int(n)))
    return groups


def by_products(rounds: Sequence[Round], known: Known, most: int) -> Iterator[Finding]:
    """Rows of the rarest words, and documents where a row is one.

    Every word costs the same at first; if that leads to nothing sure, as one's own documents say.
    """
    steps = dict.fromkeys(one.step for one in rounds if are_products(one, known.n_words))
    if not steps or not most:
        return
    own = np.zeros((0, 0)) if known.own is None else cooccurrences(abs(known.own))
    for step in steps:
        system = equations(rounds, step, known.others, own)
        for word in _rarest(system, known, most):
            costs = [np.ones(known.n_words)]
            if known.own is not None:
                costs.append(expectations(system, word))
            rows = (by_programme(system, word, each) for each in costs)
            found = (_certified(system, word, row, known, step) for row in rows if row is not None)
            sure = next((each for each in found if each is not None), None)
            if sure is not None:
                yield sure


def _rarest(system: Equations, known: Known, most: int) -> list[int]:
    """The words that fewest of the others' documents have, as far as is known."""
    sizes = np.abs(system.products).sum(axis=1)
    words = np.flatnonzero(sizes > len(system.products[0]) * system.off)
    rare = sizes if known.frequencies is None else np.asarray(known.frequencies)
    return [int(word) for word in words[np.argsort(rare[words], kind="stable")[:most]]]


def _certified(system: Equations, word: int, row: Array, known: Known, step: str) -> Finding | None:
    """The row as a finding, if it has far fewer words than equations; or the document it is."""
    held = np.flatnonzero(row > NOTHING * row.max())
    told = system.blocks.shape[1]
    if not LEAST <= len(held) < SPARSE * told:
        return None
    right = system.products[word]
    off = max(2 * system.off, SOLVED_TO * float(np.abs(right).max()))
    if (np.abs(row @ system.blocks - right) > off).any():
        return None
    # Each equation beyond one for each word agrees by chance as often as ± off is of its size.
    share = min(2 * off / float(np.abs(right).mean()), 1.0)
    chance = (told - len(held)) * float(np.log10(share))
    if chance > np.log10(SURE):
        return None
    if row[word] == 0.0:  # co-occurrences: a word that occurs once doesn't pair with itself
        row = row.copy()
        row[word] = row[held].min()
        held = np.append(held, word)
    document = whole_multiples(np.where(np.isin(np.arange(len(row)), held), row, 0.0) / row.max(),
                               known.scale, NOTHING / 8)  # fmt: skip
    seen = f"{told} equations agree with {len(held)} words"
    if document is not None and _is_lone(word, known):
        seen += ", and these are in whole proportions"
        certificate = Certificate(seen, chance + document.log10_chance)
        return whole_document(document.words, document.counts, step, certificate)
    ordered = (word, *(int(each) for each in np.sort(held) if each != word))
    return Finding("row", ordered, None, None, step, Certificate(seen, chance))


def _is_lone(word: int, known: Known) -> bool:
    return known.frequencies is None or int(known.frequencies[word]) == 1
