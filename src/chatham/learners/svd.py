"""The singular value decomposition of rows that stay where they are (thesis, section 2.3).

X ≈ UΣVᵀ. The right singular vectors V are the eigenvectors of XᵀX, a sum over rows, so everyone
learns them from sums of XᵀXV (PD-SVD, Algorithms 9 and 10); the left ones, U = XVΣ⁻¹, have one row
per document and never leave.

Where the algorithms add up private random starts (steps 2 and 3 of Algorithm 10), here all draw the
same one from the seed: it isn't secret, and a sum of random starts is no better than one. They
print V̂ as n × d; it has one row per word and one column per vector, d × k.

Fixed-point sums have room for whole numbers up to a bound. No entry of XᵀXv exceeds ‖X‖² for a unit
vector v; so, once ‖X‖² is known to a power of two, images are multiplied by the power of two that
uses the whole range. That changes no digit here, and loses as few as possible in fixed point.

Every column of XᵀXV is an equation for each row of XᵀX, and a coalition solves them for the rows of
rare words (`tests/attacks`). So between parties each adds noise to its images: small beside the
directions that many documents have in common, and large beside what a single one adds to an
equation. As whoever has more equations averages the noise, there are a fixed number of them.
"""

from __future__ import annotations

import warnings
from functools import partial
from math import ceil, ldexp, log2
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons, Memory
from chatham.commons.fixed_point import LARGEST
from chatham.errors import InputError
from chatham.learners.base import TopicLearner
from chatham.learners.convergence import UnconvergedWarning
from chatham.learners.documents import Documents
from chatham.learners.fitted import Fitted
from chatham.learners.noised_totals import warn_of_ignored
from chatham.learners.private_products import PrivateProducts
from chatham.learners.settings.svd import NORMED_TOL, SVDSettings
from chatham.numerics.eigen import leading
from chatham.numerics.products import multiply
from chatham.numerics.settled import settled, upright
from chatham.wording import say

Array = NDArray[np.float64]

OVERSAMPLING = 10
"""Extra vectors, which make the requested ones converge sooner."""

DEPTH, ROOM = 8, 2**25
"""How often a space grows before it restarts, and the maximum number of its entries."""

NOTHING = 1e-12
"""Eigenvalues below this share of ‖X‖² can't be distinguished from rounding."""
DEPENDENT = 1e-8
"""Directions that are this close to a combination of others add nothing."""
ROUNDING = 1e-4
"""Eigenvalues below this share of the first are found to `tol` of that share, due to rounding."""
NOISE = 0.02
"""The standard deviation of what each party adds to a cell of XᵀXv between parties, as a share of a
row's mean squared norm, which is the most that a row of that size adds."""
PASSES, NORMED_PASSES, PRIVATE_NORMED_PASSES = 5, 20, 5
"""The number of noised passes, of blocks and of vectors: more make hardly better vectors. Where
vectors share out a promised privacy among passes, more make worse ones."""
SHIFTS = (5, 30, 55)
"""Powers of two by which ‖X‖² is multiplied: it may be anything from 2⁻⁵⁰ to 2⁵⁰."""


class SVD(SVDSettings, TopicLearner):
    """The directions in which documents differ most: X ≈ UΣVᵀ, of X as it is.

    Parameters
    ----------
    n_components : number of directions, k.
    sums : "secure" finds all directions at once, by sums of XᵀXV for a block of k + 10 vectors and
        the best vectors within all blocks so far (Krylov, Rayleigh–Ritz); singular values are
        known to all. "normed" is Algorithm 10 as published: one vector at a time through
        `normed_sum`, which returns only a sum's direction; k sums per pass, many more passes, and
        no singular values. (Their size stays hidden. Their ratios don't quite: since XᵀX is
        symmetric, qᵢ·XᵀXqⱼ = qⱼ·XᵀXqᵢ, and the ratio of two hidden norms follows from directions
        wherever these products aren't zero.)
    max_iter : maximum number of passes over the rows.
    tol : stop when ‖XᵀXv − λv‖ is at most this share of λ for each vector v.

    Attributes
    ----------
    components_ : the right singular vectors (k×d), orthonormal, the largest first. The largest
        entry of each is positive. One beyond the rank of X is zero, and so is one whose singular
        value is less than a millionth of ‖X‖, which is lost in rounding in XᵀX. For equal
        singular values the vectors depend on their space alone, so a split changes nothing.
    singular_values_ : theirs; empty with `sums="normed"`.
    prevalence_ : each one's share of the sum of their squares; all equal where these are hidden.
    objective_ : the largest ‖XᵀXv − λv‖ / λ at each pass (of blocks: after the first).

    `transform` gives coordinates XVᵀ (n×k): the left singular vectors times the singular values.
    Before the first pass the number of rows and ‖X‖² cross; with "normed", each holder's ‖X‖² to a
    power of 16, since fixed-point numbers need a scale.

    Between parties each adds Gaussian noise to every cell of XᵀXV: 0.02 of the mean squared norm of
    a row (with "normed", a quarter to four times as much). There are five passes ("normed":
    twenty), or `max_iter` if that is less, whatever `tol` is; a direction that noise may account
    for is zero. Where all parties know that totals are exact (`exact_totals_know` in the session),
    there is no noise. Where they agreed on differential privacy (`privacy` in the session), every
    row is scaled to unit length, and noise is as large as that needs (see `private_products`).

    >>> import numpy as np
    >>> from chatham import SVD
    >>> rows = np.array([[3.0, 4.0, 0.0], [3.0, 4.0, 0.0], [0.0, 0.0, 2.0]])
    >>> svd = SVD(2, random_state=0).fit(rows)
    >>> np.abs(svd.components_).round(2)
    array([[0.6, 0.8, 0. ],
           [0. , 0. , 1. ]])
    >>> (svd.singular_values_ ** 2).round(6)
    array([50.,  4.])
    """

    def _fit(self, commons: Commons, seed: int) -> Fitted:
        measured = measure(commons, self._hidden) if commons.privacy is None else counted(commons)
        if measured.filled == 0:
            raise InputError(
                f"All {measured.rows} documents are empty; SVD needs at least one that isn't."
            )
        if not commons.exact_totals:
            passes = self._noised_passes(commons)
            warn_of_ignored(self, passes, NORMED_TOL, stacklevel=5)
        start = np.random.default_rng(seed).standard_normal((commons.n_features, self._width))
        start = np.linalg.qr(start[:, : commons.n_features])[0]
        find = self._by_vectors if self._hidden else self._by_blocks
        squares, vectors, errors = find(commons, start, measured)
        k, n_found = self.n_components, len(vectors)
        if n_found == 0:
            raise InputError(
                "No direction of these documents stands out from the noise that totals have; bring "
                "more documents" + (", or promise less." if commons.privacy is not None else ".")
            )
        vectors = np.vstack([vectors, np.zeros((k - n_found, commons.n_features))])
        values = np.sqrt(squares) * np.sqrt(measured.scale)
        more = {"singular_values_": np.empty(0) if self._hidden else values}
        passes = len(errors) + (0 if self._hidden else 1)  # a block's first image has no error yet
        if commons.exact_totals:
            self._warn(passes, errors[-1])
        return Fitted(vectors, squares, errors, passes, more)

    def _by_blocks(
        self, commons: Commons, start: Array, measured: Measured
    ) -> tuple[Array, Array, list[float]]:
        """All directions at once: σ²/scale of each (zeros at the end) and the vectors."""
        errors: list[float] = []
        times = (
            Products(commons, measured)
            if commons.privacy is None
            else PrivateProducts(commons, measured.rows, blocks=PASSES)
        )

        def tell(error: float) -> None:
            errors.append(error)
            self._report(len(errors) + 1, error)

        k = min(self.n_components, start.shape[1])
        depth = min(max(ROOM // start.size - 1, 2), DEPTH)
        passes, tol, nothing = self.max_iter, self.tol, NOTHING
        if not commons.exact_totals:
            passes, tol = min(passes, self._noised_passes(commons)), -1.0
            if commons.privacy is not None:  # a space that restarts would go over some of it again
                passes = min(passes, depth + 1)
            nothing = noise_value(times.deviation, start.shape[1] * passes)
        vectors, values = leading(
            times, start, k, tol=tol, depth=depth, most=passes, smallest=ROUNDING, tell=tell
        )
        nonzero = values > nothing
        directions = settled(values[nonzero], vectors[:, nonzero]).T[:k]
        squares = np.zeros(self.n_components)
        squares[: len(directions)] = values[nonzero][: len(directions)]
        return squares, upright(directions), errors

    def _by_vectors(
        self, commons: Commons, start: Array, measured: Measured
    ) -> tuple[Array, Array, list[float]]:
        """One vector after another, from directions of sums alone (Algorithm 10)."""
        errors: list[float] = []
        vectors = start[:, : self.n_components]
        exact = commons.exact_totals
        passes = self.max_iter if exact else min(self.max_iter, self._noised_passes(commons))
        products = (
            Products(commons, measured)
            if commons.privacy is None
            else PrivateProducts(commons, measured.rows, blocks=self.n_components, again=passes)
        )
        for iteration in range(1, passes + 1):
            images = np.stack([products.direction(v) for v in vectors.T], axis=1)
            residuals = images - vectors * (images * vectors).sum(axis=0)
            error = float(np.linalg.norm(residuals, axis=0).max())
            errors.append(error)
            self._report(iteration, error)
            orthogonal, triangle = np.linalg.qr(images)
            vectors = orthogonal[:, np.abs(np.diag(triangle)) > DEPENDENT]
            if exact and error <= self.tol:
                break
        return np.ones(self.n_components), upright(vectors.T), errors

    def _noised_passes(self, commons: Commons) -> int:
        if not self._hidden:
            return PASSES
        return NORMED_PASSES if commons.privacy is None else PRIVATE_NORMED_PASSES

    def _warn(self, passes: int, error: float) -> None:
        if 0 < self.tol < error:
            warnings.warn(
                say(
                    "SVD stopped after {passes} passes, and a vector still has a relative error "
                    "of {error:.1e}, more than {tol=:g}; allow more passes with {max_iter}, or "
                    "ask for fewer components.",
                    passes=passes,
                    error=error,
                    tol=self.tol,
                ),
                UnconvergedWarning,
                stacklevel=5,
            )

    @property
    def _width(self) -> int:
        return self.n_components + (0 if self._hidden else OVERSAMPLING)

    def _documents(self, rows: Any) -> Documents:
        return Documents(rows, signed=True)

    def _weights(self, documents: Documents) -> Array:
        return multiply(documents, np.ascontiguousarray(self.components_.T))

    def _weights_of_nothing(self) -> Array:
        return np.zeros(len(self.components_))

    def _check_documents(self, commons: Commons) -> None:
        """Nothing to do: rows are counted in the sum that also measures them."""


class Products:
    """XᵀXV/scale from sums, of rows as they are, with noise where totals may not be exact."""

    def __init__(self, commons: Commons, measured: Measured) -> None:
        self.commons, self.scale = commons, measured.scale
        self.noise = NOISE * measured.mean / measured.scale
        self.deviation = self.noise * np.sqrt(commons.holders)
        """The standard deviation of the noise in a cell, if there is any."""

    def __call__(self, basis: Array) -> Array:
        """The products with a block of directions."""
        most = room(self.commons.holders)
        image = self.commons.sum(
            gram_image, basis, most / self.scale, total=most, noise=self.noise * most
        )
        return np.asarray(image) / most

    def direction(self, vector: Array) -> Array:
        """The direction of the product with one vector."""
        direction = self.commons.normed_sum(
            gram_image, vector[:, None], 1.0 / self.scale, noise=self.noise
        )
        return np.asarray(direction)[:, 0]


def noise_value(deviation: float, columns: int) -> float:
    """More than the largest eigenvalue of noise alone, in a space of so many directions.

    Within the space every cell above the diagonal is taken as it is, and below it again; such noise
    has an eigenvalue of about 2 · √columns · deviation, and hardly ever one a tenth larger.
    """
    return float(1.15 * 2.0 * np.sqrt(columns) * deviation)


class Measured(NamedTuple):
    """How large X is: known to all before the first pass."""

    rows: int
    filled: int
    """How many rows aren't empty."""
    mean: float
    """The mean squared norm of those; with "normed" about as much."""
    scale: float
    """A power of two of at least ‖X‖²."""


def measure(commons: Commons, hidden: bool) -> Measured:
    """The size of X, in one round."""
    (rows, filled), sizes = commons.sum(size_of_rows, hidden, total=room(commons.holders))
    fits = np.flatnonzero(sizes < room(commons.holders))
    best = int(fits[-1]) if len(fits) else 0
    size = float(sizes[best])
    exponent = ceil(log2(size)) - SHIFTS[best] if size > 0 else 0
    # Rounded up to a power of 16, it is four times too large in the middle.
    mean = ldexp(size, -SHIFTS[best]) / max(int(filled), 1) / (4.0 if hidden else 1.0)
    return Measured(int(rows), int(filled), mean, 2.0**exponent)


def counted(commons: Commons) -> Measured:
    """The size of X where every row has unit length: only its rows are counted."""
    documents, filled = commons.count()
    return Measured(documents, filled, 1.0, 2.0 ** ceil(log2(max(documents, 1))))


def size_of_rows(rows: Any, memory: Memory, hidden: bool) -> tuple[NDArray[np.int64], Array]:
    """The number of rows, the number that aren't empty, and ‖X‖² (if hidden: to a power of 16).

    ‖X‖² crosses as three whole numbers, each capped at the largest that fits: a total below the cap
    is right, and the last of those is the most precise.
    """
    documents = rows_of(rows, memory)
    size = documents.squared_norm
    if hidden and size > 0:
        size = 16.0 ** ceil(log2(size) / 4)
    sizes = np.minimum(size * 2.0 ** np.array(SHIFTS), room(memory.holders))
    return np.array([documents.n, (~documents.empty).sum()], dtype=np.int64), np.rint(sizes)


def room(holders: int) -> float:
    """The largest power of two that this many holders' whole numbers may reach without overflow."""
    return 2.0 ** ((LARGEST // holders).bit_length() - 1)


def gram_image(rows: Any, memory: Memory, basis: Array, factor: float) -> Array:
    """XᵀX times some directions over words, scaled; between parties noise is added before."""
    documents = rows_of(rows, memory)
    image = multiply(documents, np.ascontiguousarray(basis))
    return multiply(documents.by_word, image) * factor


def rows_of(rows: Any, memory: Memory) -> Documents:
    """My rows as they are, negative numbers included, prepared once per fit."""
    return memory.derived("rows", partial(Documents, signed=True), rows)
