"""Documents from the transcript of NMF: what a word tells that one document alone has.

All that such a word enters is the word's own number times its document: its sums of weight × word
are the document's weights, and its row of XᵀX is the document itself. So it gives equations:

- Every column of a block that XᵀX was multiplied with, as a start by singular vectors does, is one
  for the document, up to a factor.
- Without constraint, so is every step of NMF's descent. In a sweep each weight goes to its minimum
  given the others; where it isn't zero, (xTᵀ)ₜ = Σ_{s≤t} Gₜₛw'ₛ + Σ_{s>t} Gₜₛwₛ with G = TTᵀ, w
  before and w' after the sweep: linear in the document x, with all else known. (On the simplex a
  sweep trades weight between topics, which ends in no such equation.)

No word's sum of weight × word is less than what this document adds to it, which says what words the
document may have at all. Whole counts that agree with all equations are the document. One that is
known can be taken off all totals; words that it had in common with one other document are then
words of one document, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chatham.audit.observing import Round
from chatham.audit.rebuilding.finding import Certificate, Finding, whole_document
from chatham.audit.rebuilding.known import Known, words_of_one
from chatham.audit.rebuilding.whole_counts import Solved, solve_whole

Array = NDArray[np.float64]

WEIGHTED, PRODUCTS = "topic_statistics", "power"
MOST_OF_A_WORD = 3
"""How often a word may occur that leads to its document."""
KNOWN_TO = 100.0
"""A weight is known if it is so many times its error."""


@dataclass(frozen=True)
class Transcript:
    """What NMF told of the others, word by word; exact totals alone."""

    topics: list[Array]
    """Each round's topics × words, where steps of descent are equations; otherwise none."""
    products: list[Array]
    """Each round's sums of weight × word, topics × words."""
    blocks: Array
    """The blocks that XᵀX was multiplied with, words × columns."""
    images: Array
    """The others' products with them."""
    off: float
    """By how much a sum of weight × word may be off by rounding."""
    images_off: float
    """By how much a product may."""

    @classmethod
    def of(cls, rounds: Sequence[Round], known: Known) -> Transcript | None:
        """The exact rounds of a fit; None if there are no products nor steps of descent."""
        exact = [one for one in rounds if not any(one.noise)]
        told = [one for one in exact if one.step == WEIGHTED and not one.shared[-1].unobserved]
        start = [one for one in exact if one.step == PRODUCTS]
        free = [one for one in told if _without_constraint(one.shared[-1])]
        if not told or (not start and len(free) < 2):
            return None
        nothing = np.empty((known.n_words, 0))
        return cls(
            [np.asarray(one.shared[0]) for one in free],
            [np.array(np.asarray(one.others[0]).T, order="C") for one in told],
            np.hstack([nothing, *(np.asarray(one.shared[0]) for one in start)]),
            np.hstack([nothing, *(np.asarray(one.others[0]) for one in start)]),
            known.others * max((one.units[0] for one in told), default=0.0) / 2.0,
            known.others * max((one.units[0] for one in start), default=0.0) / 2.0,
        )

    def weights(self, word: int, own: float) -> list[Array]:
        """A document's weights, up to a factor, by a word that it alone has `own` of."""
        return [np.maximum(products[:, word], 0.0) / own for products in self.products]

    def may_be_in(self, weights: Sequence[Array], off: float, least: Array) -> NDArray[np.int64]:
        """The words that may be in the document, `least` being the least that each adds."""
        possible = np.ones(len(least), dtype=bool)
        for own, products in zip(weights, self.products, strict=True):
            sure = own > KNOWN_TO * off
            room = products[sure] + 2 * self.off
            possible &= (room >= 0.9 * np.outer(own[sure], least)).all(axis=0)
        return np.flatnonzero(possible)

    def equations(
        self, word: int, own: float, weights: Sequence[Array], words: Any
    ) -> tuple[Array, Array, Array]:
        """For the document that alone has `own` of this word: a matrix, what it times the document
        is, and errors."""
        image = self.images[word] / own
        rounding = self.images_off / own + 1e-13 * float(np.abs(image).max(initial=0.0))
        matrix, right, off = [self.blocks[words].T], [image], [np.full(len(image), rounding)]
        error = self.off / own
        for (before, after), topics in zip(
            pairwise(weights if self.topics else ()), self.topics[1:], strict=True
        ):
            gram = topics @ topics.T
            wanted = np.tril(gram) @ after + np.triu(gram, 1) @ before
            moved = after > KNOWN_TO * error
            matrix.append(topics[np.ix_(moved, words)])
            right.append(wanted[moved])
            off.append(error * np.abs(gram).sum(axis=1)[moved] + 1e-13 * wanted[moved])
        return np.vstack(matrix), np.concatenate(right), np.concatenate(off)

    def without(self, word: int, own: float, words: Any, numbers: Array) -> None:
        """Take the document that alone has `own` of this word off all totals."""
        for products in self.products:
            products[:, words] -= np.outer(products[:, word] / own, numbers)
        self.images[words] -= np.outer(numbers, self.images[word] / own)


def _without_constraint(problem: Any) -> bool:
    """Whether weights move freely, without penalty, and all documents count alike."""
    free = problem.rule == "nonnegative" and not problem.relative
    return free and problem.l1 == problem.l2 == 0


class Lone(NamedTuple):
    """The one document that has a word: its words, their counts, and what it has of the word."""

    words: NDArray[np.int64]
    solved: Solved
    own: float
    equations: int


def document_of(transcript: Transcript, word: int, scale: Array) -> Lone | None:
    """The one document that has this word, if it is sure."""
    for count in range(1, MOST_OF_A_WORD + 1):
        own = float(count * scale[word])
        weights = transcript.weights(word, own)
        words = transcript.may_be_in(weights, transcript.off / own, scale)
        column = np.flatnonzero(words == word)
        if not len(column):
            return None
        matrix, right, off = transcript.equations(word, own, weights, words)
        solved = solve_whole(matrix * scale[words], right, off, given=(int(column[0]), count))
        if solved is not None:
            held = np.flatnonzero(solved.counts)
            return Lone(
                words[held], Solved(solved.counts[held], solved.log10_chance), own, len(right)
            )
    return None


def by_lone_rows(rounds: Sequence[Round], known: Known, most: int) -> Iterator[Finding]:
    """Documents that have a word to themselves, and those that have once these are taken off."""
    transcript = Transcript.of(rounds, known)
    if transcript is None or known.frequencies is None:
        return
    for word, left in words_of_one(known.frequencies, most):
        found = document_of(transcript, word, known.scale)
        if found is None:
            continue
        words, counts = found.words, found.solved.counts
        transcript.without(word, found.own, words, known.scale[words] * counts)
        left[words] -= 1
        seen = f"{found.equations} equations have whole counts of {len(words)} words"
        certificate = Certificate(seen, found.solved.log10_chance)
        yield whole_document(words, counts, WEIGHTED, certificate, int(counts.sum()))
