"""How much worse merged topics explain a party's documents than its own: bounds without documents.

A party that has factorised X ≈ WT⁰ publishes T⁰ and sums over its documents, G = WᵀW and
g = Wᵀ(WT⁰ − X), the gradient of its error by its topics. For any topics T and any mixtures Ŵ of
them, with Δ = T⁰ − ŴT,

    E(X, T) ≤ E(X, T⁰) − ⟨g, Δ⟩ + ½tr(ΔᵀGΔ)
            ≤ E(X, T⁰) − ⟨g, Δ⟩ + ½Σₜ(G1)ₜ‖Δₜ‖²,

where E(X, T) = ½‖X − WT‖² with the best W. The first holds with equality for W held at WŴ.
Theorem 1 of the thesis has E(X, T⁰) + ½Σₜ‖W:ₜ‖²‖Δₜ‖² instead, which is no bound: its proof adds up
what each topic's error costs by itself, and leaves out that errors of topics that share documents
add up (the other entries of G), and that at entries of T⁰ that are zero the gradient needn't
vanish. Why, and how often it fails: docs/decisions/0018.

With weights of cells Ψ (eq. 2.23) each word j has a matrix of its own, Gⱼ = Wᵀdiag(Ψ:ⱼ)W, and
g = Wᵀ(Ψ∘(WT⁰ − X)): the same with ½Σⱼ Δ:ⱼᵀGⱼΔ:ⱼ and ½Σₜⱼ(Gⱼ1)ₜΔₜⱼ².
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.documents import Documents
from chatham.learners.nmf.cells import cells_of
from chatham.learners.nmf.nmf import weights_for
from chatham.learners.nmf.problem import Problem, documents_for
from chatham.naming import value_shown

Array = NDArray[np.float64]

PLAIN = Problem("nonnegative", 0.0, 0.0, unobserved=False, relative=False)


@dataclass(frozen=True)
class Penalties:
    """The penalties of the objective, ℓ1‖·‖₁ + ½ℓ2‖·‖² of topics and of weights."""

    l1_topics: float = 0.0
    l2_topics: float = 0.0
    l1_weights: float = 0.0
    l2_weights: float = 0.0

    def of_topics(self, topics: Array) -> float:
        """ℓ1ᵗ‖T‖₁ + ½ℓ2ᵗ‖T‖²."""
        return self.l1_topics * float(topics.sum()) + 0.5 * self.l2_topics * float(
            (topics**2).sum()
        )

    def of_mixed(self, fit: LocalFit, mixtures: Array) -> float:
        """ℓ1ʷ‖WŴ‖₁ + ½ℓ2ʷ‖WŴ‖², which Wᵀ1 and WᵀW determine."""
        size = float(fit.totals @ mixtures.sum(axis=1))
        squares = float(((mixtures.T @ fit.inner) * mixtures.T).sum())
        return self.l1_weights * size + 0.5 * self.l2_weights * squares


NONE = Penalties()


@dataclass(frozen=True, eq=False)
class LocalFit:
    """What a party's fit leaves behind: sums over its documents, none of which grows with them."""

    topics: Array
    """T⁰, topics × words."""
    error: float
    """½‖X − WT⁰‖², of cells as they count."""
    gram: Array
    """G = WᵀW; with weights of cells words × topics × topics, one for each word."""
    gradient: Array
    """g = Wᵀ(WT⁰ − X), topics × words."""
    inner: Array
    """WᵀW whatever the weights of cells: what penalties on weights need."""
    totals: Array
    """Wᵀ1."""
    coarse: Array | None = None
    """By how much each entry of g may be off, where it was rounded; bounds allow for it."""
    told: Mapping[str, Array] | None = None
    """`cell_costs` by name, where they were published in place of a matrix for each word."""

    @property
    def by_cell(self) -> bool:
        """Whether an error costs more in one word than in another."""
        return self.told is not None or self.gram.ndim == 3

    def costs(self, by: Literal["thesis", "gram"] = "gram") -> Array:
        """v²: what a squared error in each topic costs; with weights of cells at most.

        "thesis" is ‖W:ₜ‖² (Theorem 1), with weights of cells maxⱼ Σᵢ Ψᵢⱼ Wᵢₜ²: the norm of
        Corollary 4 read as a maximum, since Ψ = 1 must give Theorem 1. "gram" is (G1)ₜ.
        """
        each = self.cell_costs(by)
        return each if each.ndim == 1 else np.asarray(each.max(axis=1))

    def cell_costs(self, by: Literal["thesis", "gram"] = "gram") -> Array:
        """The same for each topic and word, topics × words, where cells have weights."""
        if by not in ("thesis", "gram"):
            raise InputError(f"Costs are by 'thesis' or by 'gram'; got {value_shown(by)}.")
        if self.told is not None:
            return self.told[by]
        if by == "gram":
            return self.gram.sum(axis=-1).T
        return np.diagonal(self.gram, axis1=-2, axis2=-1).T


@dataclass(frozen=True)
class Bounds:
    """What the error of documents under merged topics is at most, by what was published of them."""

    quadratic: float
    """E(X, T⁰) − ⟨g, Δ⟩ + ½tr(ΔᵀGΔ); where matrices of words weren't published, the next."""
    diagonal: float
    """E(X, T⁰) − ⟨g, Δ⟩ + ½Σ(G1)ₜ‖Δₜ‖², what a merge with weights G1 minimises but for ⟨g, Δ⟩."""
    printed: float
    """E(X, T⁰) + ½Σ(‖W:ₜ‖² + ℓ2ᵗ)‖Δₜ‖², as in Theorem 1: no bound."""


def local_fit(rows: Any, weights: Array, topics: Array) -> LocalFit:
    """A party's sums over its documents, which are factorised as weights × topics.

    `rows` is the matrix that was factorised (frequencies for a fit on the simplex, rows divided by
    their norms for a relative loss), or one with weights (`Weighted`).

    >>> topics = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    >>> fit = local_fit(np.array([[1.0, 1.0, 2.0]]), np.ones((1, 2)), topics)
    >>> fit.error, fit.costs("thesis").tolist(), fit.costs("gram").tolist()
    (0.0, [1.0, 1.0], [2.0, 2.0])
    """
    documents = documents_for(rows, PLAIN)
    weights, topics = np.array(weights, dtype=np.float64), np.array(topics, dtype=np.float64)
    k = len(topics)
    if weights.shape != (documents.n, k) or topics.shape != (k, documents.d):
        raise InputError(
            f"Weights of shape {weights.shape} and topics of shape {topics.shape} don't factorise "
            f"{documents.n:,} rows of {documents.d:,} columns; give rows × topics and topics × "
            "columns."
        )
    weights[documents.repeats == 0] = 0.0
    cells = cells_of(documents, weights, PLAIN)
    products, grams, _ = cells.sums()
    important = weights * documents.importance[:, None]
    inner = weights.T @ important
    if documents.cell_weight is None:
        gram, modelled = inner, inner @ topics
    else:
        gram = unpacked(grams, k)
        modelled = np.einsum("jst,tj->sj", gram, topics)
    return LocalFit(
        topics=topics,
        error=0.5 * cells.squared_error(np.ascontiguousarray(topics.T)),
        gram=gram,
        gradient=modelled - products.T,
        inner=inner,
        totals=important.sum(axis=0),
    )


def bounds(fit: LocalFit, mixtures: Array, topics: Array, penalties: Penalties = NONE) -> Bounds:
    """What the party's objective is at most with these topics; `mixtures` is Ŵ, of its own topics.

    With penalties the first two hold for the objective with penalties on these topics and on the
    documents' weights WŴ. As printed, the penalty on topics is counted as that of ŴT.
    """
    change = fit.topics - mixtures @ topics
    squares = change**2
    if fit.told is not None:
        quadratic = diagonal = float((fit.cell_costs("gram") * squares).sum())
    elif fit.gram.ndim == 2:
        quadratic = float(((fit.gram @ change) * change).sum())
        diagonal = float(fit.costs("gram") @ squares.sum(axis=1))
    else:
        quadratic = float((np.einsum("jst,tj->sj", fit.gram, change) * change).sum())
        diagonal = float((fit.cell_costs("gram") * squares).sum())
    linear = fit.error - float((fit.gradient * change).sum())
    if fit.coarse is not None:
        linear += float((fit.coarse * np.abs(change)).sum())
    linear += penalties.of_topics(topics) + penalties.of_mixed(fit, mixtures)
    own = fit.error + penalties.of_topics(fit.topics)
    own += penalties.of_mixed(fit, np.eye(len(fit.topics)))
    costs = fit.costs("thesis") + penalties.l2_topics
    printed = float(costs @ squares.sum(axis=1))
    return Bounds(linear + 0.5 * quadratic, linear + 0.5 * diagonal, own + 0.5 * printed)


def least_error(rows: Any, topics: Array, constraint: str = "none") -> float:
    """E(X, T): the error of documents under topics, with the best weights; needs the documents.

    `rows` are as in `local_fit`. On the simplex each row's weights are a distribution.
    """
    problem = PLAIN._replace(rule="nonnegative" if constraint == "none" else "simplex")
    topics = np.asarray(topics, dtype=np.float64)
    return error_of(documents_for(rows, PLAIN), topics, problem)


def error_of(documents: Documents, topics: Array, problem: Problem) -> float:
    """The same of documents as they are read, with the weights that the problem allows."""
    weights = weights_for(documents, topics, problem)
    weights[documents.empty] = 0.0
    cells = cells_of(documents, weights, problem)
    return 0.5 * cells.squared_error(np.ascontiguousarray(topics.T))


def unpacked(packed: Array, k: int) -> Array:
    """Symmetric matrices from their upper halves."""
    upper = np.triu_indices(k)
    whole = np.empty((len(packed), k, k))
    whole[:, upper[0], upper[1]] = packed
    whole[:, upper[1], upper[0]] = packed
    return whole
