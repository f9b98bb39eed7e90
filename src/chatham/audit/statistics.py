"""Statistics: what an adversary who has a document computes from what it saw (thesis, 3.4).

A statistic is a function of (observables, document) with one number as its value. An adversary
can't reason about distributions of whole models, so it reasons about distributions of such numbers;
how far they differ between databases with the document and without is what the audit measures.

Each is registered by name, with a sentence, and says which observables it needs: which statistics
apply is a question to what was observed, never to the learner. All of them read the document's own
words and a few totals over all words, so no array has the size words × words.

The thesis's own: σ = a·w², for NMF; |Ŝ∘xxᵀ| and D = |Ŝ/‖Ŝ‖_F − xxᵀ/‖x‖|, for the SVD. (In D both
terms would have the same size if xxᵀ were divided by ‖x‖², its Frobenius norm; it is as printed.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.audit.mechanisms import Observables, SeenTotal
from chatham.audit.unit_box import in_unit_box
from chatham.errors import InputError
from chatham.naming import listed, nearest, shown

Array = NDArray[np.float64]

FOLDING_IN = 30
"""Rounds of expectation and maximisation for a document's weights."""
LEAST = 1e-12
"""A probability below which logarithms no longer tell two apart."""
RAREST = 10
"""The number of a document's rarest words whose pairs are looked at."""


@dataclass(frozen=True)
class Document:
    """The document in question, which the adversary has."""

    words: NDArray[np.int64]
    """Its words' columns, in ascending order."""
    counts: Array
    """How often it has each; or whatever the corpus holds."""
    rarity: Array
    """How many documents of the corpus have each of its words: what is public about a language."""

    def values(self, frequencies: bool) -> Array:
        """As frequencies, or as it is."""
        total = self.counts.sum()
        return self.counts / total if frequencies and total > 0 else self.counts


def documents_at(counts: sp.csr_array, rows: Iterable[int]) -> list[Document]:
    """These rows of a corpus as documents in question."""
    counts = sp.csr_array(counts)
    frequencies = np.bincount(counts.indices[counts.data != 0], minlength=counts.shape[1])
    return [_document(counts[[int(row)]], frequencies) for row in rows]


def _document(row: sp.csr_array, frequencies: NDArray[np.int64]) -> Document:
    row.sum_duplicates()
    row.eliminate_zeros()
    words = row.indices.astype(np.int64)
    return Document(words, row.data.astype(np.float64), frequencies[words].astype(np.float64))


@dataclass(frozen=True)
class Statistic:
    """A number that an adversary computes for a document, and what it needs to have seen."""

    name: str
    meaning: str
    """A sentence for a person."""
    compute: Callable[[Observables, Document], float]
    """From observables about this document's words alone."""
    needs: tuple[str, ...]
    """The observables that it reads."""

    def __call__(self, seen: Observables, document: Document) -> float:
        """Its value, of observables about any words among which are the document's."""
        return float(self.compute(seen.about(document.words), document))

    def applies(self, seen: Observables) -> bool:
        """Whether these observables have what it needs."""
        return all(_is_there(getattr(seen, name)) for name in self.needs)


def _is_there(observable: Any) -> bool:
    return observable is not None and len(observable) > 0


def values_of(
    statistics: Sequence[Statistic], seen: Observables, document: Document
) -> list[float]:
    """Several statistics of the same observables and document."""
    about = seen.about(document.words)
    return [float(each.compute(about, document)) for each in statistics]


STATISTICS: dict[str, Statistic] = {}
"""All statistics, by name."""

Compute = Callable[[Observables, Document], float]


def statistic(name: str, *needs: str) -> Callable[[Compute], Compute]:
    """Register a function as a statistic; the first line of its docstring is its meaning."""

    def registered(compute: Compute) -> Compute:
        meaning = (compute.__doc__ or "").strip().splitlines()[0]
        STATISTICS[name] = Statistic(name, meaning, compute, needs)
        return compute

    return registered


def statistics_named(names: Sequence[str]) -> list[Statistic]:
    """The statistics of these names."""
    for name in names:
        if name not in STATISTICS:
            raise InputError(
                f"There is no statistic {shown(name)}"
                + (nearest(name, STATISTICS) or f"; there are {listed(STATISTICS)}.")
            )
    return [STATISTICS[name] for name in names]


def applicable(seen: Observables) -> list[Statistic]:
    """All statistics that can be computed from these observables."""
    return [each for each in STATISTICS.values() if each.applies(seen)]


# Of topics.


@statistic("topic_weights", "topics", "denominators")
def weighted_topic_weights(seen: Observables, document: Document) -> float:
    """The document's coefficients times the topics' weights, a·w²: the thesis's own for NMF."""
    assert seen.denominators is not None
    return float(coefficients(seen, document) @ seen.denominators)


@statistic("reconstruction_error", "topics")
def reconstruction_error(seen: Observables, document: Document) -> float:
    """How far the document is from what the topics can make of it, min ‖x − uT‖² for 0 ≤ u ≤ 1."""
    assert seen.gram is not None
    x, a = document.values(seen.frequencies), coefficients(seen, document)
    return float(x @ x - 2 * a @ _products(seen, x) + a @ seen.gram @ a)


@statistic("nearest_topic", "topics")
def nearest_topic(seen: Observables, document: Document) -> float:
    """The distance from the document, scaled to unit length, to the nearest topic scaled so too."""
    assert seen.gram is not None
    x, norms = document.values(seen.frequencies), np.sqrt(np.diag(seen.gram))
    cosines = _products(seen, x) / np.maximum(norms * np.linalg.norm(x), LEAST)
    return float(np.sqrt(max(2.0 - 2.0 * cosines.max(), 0.0)))


@statistic("log_likelihood", "topics")
def log_likelihood(seen: Observables, document: Document) -> float:
    """How probable the document's words are under the mixture of topics that suits it best.

    The average over its words; weights by expectation and maximisation from equal ones. Directions
    have no probabilities: their negative entries count as none.
    """
    assert seen.topics is not None
    probabilities = np.maximum(seen.topics, 0.0) + LEAST
    x = document.values(frequencies=True)
    weights = np.full(len(probabilities), 1.0 / len(probabilities))
    for _ in range(FOLDING_IN):
        weights = weights * (probabilities @ (x / (weights @ probabilities)))
        weights /= max(weights.sum(), LEAST)
    return float(x @ np.log(np.maximum(weights @ probabilities, LEAST)))


@statistic("rarest_pairs", "topics", "prevalence")
def rarest_pairs(seen: Observables, document: Document) -> float:
    """How much more often the model has the document's rarest words together than by chance.

    The largest ratio of Σₜ pₜTₜᵢTₜⱼ to pᵢpⱼ over pairs of its ten rarest words, as a logarithm:
    which pairs are rare only the corpus knows, and pairs of rare words are.
    """
    assert seen.topics is not None
    assert seen.prevalence is not None
    rarest = np.argsort(document.rarity, kind="stable")[:RAREST]
    if len(rarest) < 2:
        return 0.0
    topics = np.maximum(seen.topics[:, rarest], 0.0)
    marginals = seen.prevalence @ topics + LEAST
    joint = (topics.T * seen.prevalence) @ topics
    ratios = (joint + LEAST**2) / np.outer(marginals, marginals)
    return float(np.log(ratios[np.triu_indices(len(rarest), 1)].max()))


def coefficients(seen: Observables, document: Document) -> Array:
    """a = argmin over u in [0,1]ᵏ of ‖x − uT‖²: the document's coefficients under the topics."""
    assert seen.gram is not None
    return in_unit_box(seen.gram, _products(seen, document.values(seen.frequencies)))


def _products(seen: Observables, x: Array) -> Array:
    assert seen.topics is not None
    return seen.topics @ x


# Of Ŝ = VΣ̂²Vᵀ, the adversary's estimate of XᵀX (thesis, 3.4.2).


@statistic("product_max", "topics", "squares")
def product_max(seen: Observables, document: Document) -> float:
    """The largest entry of |Ŝ∘xxᵀ|: where the document and all documents together agree most.

    Ŝ is positive semidefinite, and so is Ŝ∘xxᵀ: the largest entry is on the diagonal.
    """
    assert seen.topics is not None
    assert seen.squares is not None
    x = document.values(seen.frequencies)
    return float((seen.squares @ seen.topics**2 * x**2).max(initial=0.0))


@statistic("product_sum", "topics", "squares")
def product_sum(seen: Observables, document: Document) -> float:
    """The sum of the entries of |Ŝ∘xxᵀ|."""
    x = np.abs(document.values(seen.frequencies))
    return float(x @ np.abs(_pairs(seen)) @ x)


@statistic("product_squares", "topics", "squares")
def product_squares(seen: Observables, document: Document) -> float:
    """The sum of the squared entries of |Ŝ∘xxᵀ|: Σₛₜ σₛ²σₜ²(Σᵢ vₛᵢvₜᵢxᵢ²)²."""
    assert seen.topics is not None
    assert seen.squares is not None
    weighted = (seen.topics * document.values(seen.frequencies) ** 2) @ seen.topics.T
    return float(seen.squares @ weighted**2 @ seen.squares)


@statistic("difference_max", "topics", "squares")
def difference_max(seen: Observables, document: Document) -> float:
    """The largest entry of D = |Ŝ/‖Ŝ‖_F − xxᵀ/‖x‖|."""
    among, _, norm = _differences(seen, document)
    # Outside of the document's own words D is |Ŝ|/‖Ŝ‖_F, and Ŝ is symmetric: rows are enough.
    return max(float(among.max(initial=0.0)), seen.other_maximum / norm)


@statistic("difference_sum", "topics", "squares")
def difference_sum(seen: Observables, document: Document) -> float:
    """The sum of the entries of D = |Ŝ/‖Ŝ‖_F − xxᵀ/‖x‖|."""
    among, pairs, norm = _differences(seen, document)
    return float(among.sum() + (seen.absolute_sum - np.abs(pairs).sum()) / norm)


@statistic("difference_squares", "topics", "squares")
def difference_squares(seen: Observables, document: Document) -> float:
    """The sum of the squared entries of D = |Ŝ/‖Ŝ‖_F − xxᵀ/‖x‖|: 1 − 2xŜxᵀ/(‖Ŝ‖_F‖x‖) + ‖x‖²."""
    assert seen.squares is not None
    x = document.values(seen.frequencies)
    length = max(float(np.linalg.norm(x)), LEAST)
    agreement = seen.squares @ _products(seen, x) ** 2 / (_frobenius(seen) * length)
    return float(1.0 - 2.0 * agreement + x @ x)


def _pairs(seen: Observables) -> Array:
    """Ŝ among the document's words."""
    assert seen.topics is not None
    assert seen.squares is not None
    return (seen.topics.T * seen.squares) @ seen.topics


def _differences(seen: Observables, document: Document) -> tuple[Array, Array, float]:
    """D among the document's words, Ŝ among them, and ‖Ŝ‖_F."""
    x, norm = document.values(seen.frequencies), _frobenius(seen)
    length = max(float(np.linalg.norm(x)), LEAST)
    pairs = _pairs(seen)
    return np.abs(pairs / norm - np.outer(x, x) / length), pairs, norm


def _frobenius(seen: Observables) -> float:
    """‖VΣ²Vᵀ‖_F from VᵀV alone; directions of noised fits needn't be quite orthogonal."""
    assert seen.gram is not None
    assert seen.squares is not None
    scaled = seen.gram * seen.squares
    return max(float(np.sqrt(max(np.sum(scaled * scaled.T), 0.0))), LEAST)


# Of a transcript.


@statistic("total_projection", "totals")
def total_projection(seen: Observables, document: Document) -> float:
    """The largest product of the document, at unit length, with a row of any round's total."""
    projections = [np.max(each, initial=-np.inf) for each in _projections(seen, document)]
    return float(max(projections, default=0.0))


@statistic("mean_projection", "totals")
def mean_projection(seen: Observables, document: Document) -> float:
    """The sum over topics of the document's products with each total, averaged over rounds."""
    projections = [float(np.sum(each)) for each in _projections(seen, document)]
    return float(np.mean(projections)) if projections else 0.0


@statistic("quietest_projection", "totals")
def quietest_projection(seen: Observables, document: Document) -> float:
    """The sum of the document's products with the quietest total: noise left out shows here."""
    by_word = [total for total in seen.totals if total.by_word]
    if not by_word:
        return 0.0
    quietest = min(by_word, key=lambda total: total.squares / max(total.size, 1))
    return float(np.sum(quietest.cells @ _unit(seen, document)))


@statistic("change_max", "totals")
def change_max(seen: Observables, document: Document) -> float:
    """The largest product of the document with what changed in a row from one round to the next."""
    return max((float(np.abs(each).max()) for each in _changes(seen, document)), default=0.0)


@statistic("change_squares", "totals")
def change_squares(seen: Observables, document: Document) -> float:
    """The mean square of the document's products with what changed between consecutive rounds."""
    squares = [float(np.square(each).mean()) for each in _changes(seen, document)]
    return float(np.mean(squares)) if squares else 0.0


@statistic("second_moment", "totals")
def second_moment(seen: Observables, document: Document) -> float:
    """The mean square of all cells of totals, as a logarithm: noise that varies shows here."""
    totals = _of_words(seen)
    squares, size = (sum(getattr(t, name) for t in totals) for name in ("squares", "size"))
    return float(np.log(max(squares / max(size, 1), LEAST)))


@statistic("own_second_moment", "totals")
def own_second_moment(seen: Observables, document: Document) -> float:
    """The mean square of the cells of the document's own words, over all totals."""
    own = [np.ravel(total.cells).astype(np.float64) for total in _of_words(seen)]
    cells = np.concatenate([np.empty(0), *own])
    return float(np.log(max(float(np.mean(cells**2)), LEAST))) if cells.size else 0.0


@statistic("low_bits", "totals")
def low_bits(seen: Observables, document: Document) -> float:
    """The share of odd numbers among the cells of the document's words, as they are in the ring."""
    odd = [_odd(total) for total in _of_words(seen) if total.unit > 0]
    bits = np.concatenate([np.empty(0), *odd])
    return float(bits.mean()) if bits.size else 0.0


def _projections(seen: Observables, document: Document) -> Iterator[Array]:
    """Each total of words times the document at unit length: one product for each of its rows."""
    x = _unit(seen, document)
    for total in seen.totals:
        if total.by_word:
            yield np.asarray(total.cells @ x)


def _changes(seen: Observables, document: Document) -> Iterator[Array]:
    """The same of the differences between consecutive totals of one step."""
    x = _unit(seen, document)

    def kind(total: SeenTotal) -> tuple[str, int]:
        return total.step, total.array

    alike = sorted((total for total in seen.totals if total.by_word), key=kind)
    for _, group in groupby(alike, kind):
        totals = list(group)
        for before, after in pairwise(totals):
            if before.cells.shape == after.cells.shape:
                yield np.asarray((after.cells - before.cells) @ x)


def _unit(seen: Observables, document: Document) -> Array:
    x = document.values(seen.frequencies)
    return x / max(float(np.linalg.norm(x)), LEAST)


def _of_words(seen: Observables) -> Sequence[SeenTotal]:
    """The totals that have words, or all if none has: beside sums of weights, words are small."""
    return [total for total in seen.totals if total.by_word] or seen.totals


def _odd(total: SeenTotal) -> Array:
    whole = np.rint(np.ravel(total.cells) / total.unit).astype(np.int64)
    return (whole & 1).astype(np.float64)
