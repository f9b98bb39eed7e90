"""NMF ensembles: published topics in one weighting of words, merged by WR-NMF (thesis, 2.1).

Parties that weighted words by idf had each its own, v. A merge needs one for all, u, from the
document frequencies of all parties together, each word's over the parties that publish it. In that
weighting a party's topics are C·diag(u/v); its documents' weights W stay as they were, and so does
G = WᵀW. The gradient becomes g·diag(u/v), and each word's squared error is multiplied by (u/v)².
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.corpus.text.weighting import inverse_document_frequencies
from chatham.ensembles.alignment import Aligned
from chatham.ensembles.bounds import PLAIN, LocalFit, error_of
from chatham.ensembles.bounds import bounds as bounds_of
from chatham.ensembles.coarse import grid_of
from chatham.ensembles.mixture import Mixture
from chatham.ensembles.starts import overall_words
from chatham.ensembles.summary import (
    CELL_COSTS,
    CELL_SQUARES,
    FREQUENCIES,
    IDF,
    STEPS,
    Summary,
)
from chatham.ensembles.wr_nmf import Base, merge_topics
from chatham.errors import InputError
from chatham.learners.documents import Documents
from chatham.learners.weighted import Weighted
from chatham.wording import say

Array = NDArray[np.float64]

WEIGHTS = ("thesis", "gram")
USUAL_CELLS = 0.3
"""How much a cell that isn't known counts, beside one that is, towards what is usual for its word.

Were it nothing, a topic could have two faces (see `mixture.Usual`)."""
SUMS = 1e-6
"""Within this, the mixtures of a base topic sum to one."""
ALIKE = 1e-9
"""Within this, two parties' idf of a word are the same."""


def merge_nmf(
    together: Aligned,
    k: int,
    *,
    weights: str = "thesis",
    init: Any = "nndsvd",
    l1_topics: float = 0.0,
    l2_topics: float = 0.0,
    l1_weights: float = 0.0,
    l2_weights: float = 0.0,
    max_iter: int = 1000,
    tol: float = 1e-6,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Mixture:
    """The topics from which all base topics can be mixed with the least error to the documents.

    `weights` is what an error in a base topic costs: "thesis" for ‖W:ₜ‖², which explains more of
    the documents (docs/decisions/0018), or "gram" for (G1)ₜ, with which the sum is part of a bound.
    """
    if weights not in WEIGHTS:
        raise InputError(say("{weights} must be 'thesis' or 'gram'; got {it!r}.", it=weights))
    settings = _common_settings(together)
    idf = common_idf(together)
    fits = [fit_of(together, party, idf) for party in range(len(together.summaries))]
    bases = [_base(together, party, fit, idf, weights) for party, fit in enumerate(fits)]
    merged = merge_topics(
        bases, k, constraint=settings["constraint"], l1_topics=l1_topics, l2_topics=l2_topics,
        l1_weights=l1_weights, l2_weights=l2_weights, init=init, random_state=seed,
        max_iter=max_iter, tol=tol, n_jobs=n_jobs,
    )  # fmt: skip
    plain = merged.topics if idf is None else merged.topics / idf
    shares = [
        _shares(mixed, plain[:, known].sum(axis=1))
        for mixed, known in zip(merged.weights, together.observed, strict=True)
    ]
    more = {"revived_": [], **({} if idf is None else {"idf": idf})}
    coordinates = [
        mixed / _filled(together, party, fit, idf)[1][:, None]
        for party, (mixed, fit) in enumerate(zip(merged.weights, fits, strict=True))
    ]
    return Mixture(
        merged.topics, shares, list(merged.objective), merged.n_iter, merged.n_iter < max_iter,
        more, coordinates,
    )  # fmt: skip


def _base(together: Aligned, party: int, fit: LocalFit, idf: Array | None, weights: str) -> Base:
    """A party's topics with what errors in them cost; words that it lacks are nearly unknown."""
    known = together.observed[party]
    by: Literal["thesis", "gram"] = "gram" if weights == "gram" else "thesis"
    costs, cells = fit.costs(by), None
    if fit.by_cell:
        cells = fit.cell_costs(by) / costs[:, None]
    topics, scale = _filled(together, party, fit, idf)
    if known.all():
        return Base(topics, known, costs, None if cells is None else together.spread(party, cells))
    wide = np.full(topics.shape, USUAL_CELLS)
    if cells is not None:
        wide *= cells.mean(axis=1, keepdims=True)
    wide[:, together.columns[party]] = 1.0 if cells is None else cells
    every = np.ones(len(known), dtype=bool)
    return Base(topics * scale[:, None], every, costs / scale**2, wide)


def _filled(together: Aligned, party: int, fit: LocalFit, idf: Array | None) -> tuple[Array, Array]:
    """A party's topics with what is usual of the words that it lacks, and a factor for each topic.

    Topics on the simplex sum to more than one once further words come in; the factors make them
    distributions again.
    """
    topics, known = together.spread(party, fit.topics), together.observed[party]
    factors = np.ones(len(topics))
    if known.all():
        return topics, factors
    plain = np.ones(len(known)) if idf is None else 1.0 / idf
    usual = overall_words(together) / plain
    tokens = (topics * plain).sum(axis=1) / (usual * plain)[known].sum()
    topics[:, ~known] = (tokens[:, None] * usual)[:, ~known]
    if together.summaries[party].settings["constraint"] != "none":
        factors = 1.0 / topics.sum(axis=1)
    return topics, factors


def _common_settings(together: Aligned) -> dict[str, Any]:
    """How all were fitted; refused if not all in the same way."""
    first = together.summaries[0]
    for name, each in zip(together.names, together.summaries, strict=True):
        if each.is_weighted != first.is_weighted:
            raise InputError(
                say(
                    "Of {first} and {name} only one weighted words by tf-idf, and errors in topics "
                    "can't be compared; have both fit with the same {weighting}.",
                    first=together.names[0],
                    name=name,
                )
            )
        for setting, value in first.settings.items():
            if each.settings[setting] != value:
                raise InputError(
                    f"{together.names[0]} was fitted with {setting}={value!r} and {name} with "
                    f"{each.settings[setting]!r}, so errors in their topics can't be compared; "
                    "have both fit with the same."
                )
    return dict(first.settings)


def common_idf(together: Aligned) -> Array | None:
    """One idf for all, from the document frequencies of the parties that publish a word.

    On the simplex documents were turned into frequencies after weighting, so there parties need the
    same idf from the start.
    """
    if not together.summaries[0].is_weighted:
        return None
    documents, having = np.zeros((2, len(together.vocabulary)))
    own = np.full(together.observed.shape, np.nan)
    for party, each in enumerate(together.summaries):
        documents[together.columns[party]] += each.documents
        having[together.columns[party]] += each.statistics[FREQUENCIES]
        own[party, together.columns[party]] = each.statistics[IDF]
    low, high = np.nanmin(own, axis=0), np.nanmax(own, axis=0)
    if (high - low <= ALIKE * high).all():
        return high
    if together.summaries[0].settings["constraint"] == "simplex":
        raise InputError(
            say(
                "The parties weighted words by different idf before they turned documents into "
                "frequencies, so their topics can't be compared; have them fit with "
                "{constraint='none'} or {weighting='counts'}, or share one idf."
            )
        )
    return inverse_document_frequencies(having, documents)  # type: ignore[arg-type]


def fit_of(together: Aligned, party: int, idf: Array | None) -> LocalFit:
    """What a party published, in the common weighting of its own words."""
    summary = together.summaries[party]
    told = summary.statistics
    scale = np.ones(len(summary.vocabulary))
    if idf is not None:
        scale = idf[together.columns[party]] / told[IDF]
    costs = None
    if summary.by_cell:
        costs = {"thesis": told[CELL_SQUARES], "gram": told[CELL_COSTS]}
    return LocalFit(
        topics=summary.topics * scale,
        error=0.5 * float(told["errors"] @ scale**2),
        gram=told["gram"],
        gradient=told["gradient"] * scale,
        inner=told["gram"],
        totals=summary.sizes,
        coarse=None if summary.exact else 0.5 * _grid(summary) * scale,
        told=costs,
    )


def _grid(summary: Summary) -> Array:
    """The grid of a party's g, topics × 1: all from what it tells."""
    told = summary.statistics
    if summary.by_cell:
        return told[STEPS][:, None]
    explained = float(((told["gram"] @ summary.topics) * summary.topics).sum())
    return grid_of(summary.topics, (explained + float(told["errors"].sum())) / summary.documents)


def _shares(mixed: Array, masses: Array) -> Array:
    """p(y|z) from mixtures: the words of a base topic that come from each merged one."""
    words = mixed * masses
    totals = words.sum(axis=1, keepdims=True)
    return np.where(totals > 0, words / np.where(totals > 0, totals, 1.0), 1.0 / words.shape[1])


def largest_error(together: Aligned, mixture: Mixture, party: int) -> tuple[float, float]:
    """The error of a party's own topics, and what that of the merged ones is at most.

    Both are ½‖X − WT‖² over the party's words, as the merge weights them.
    """
    fit = fit_of(together, party, mixture.more.get("idf"))
    assert mixture.coordinates is not None
    topics = mixture.topics[:, together.columns[party]]
    return fit.error, bounds_of(fit, mixture.coordinates[party], topics).quadratic


def true_error(together: Aligned, mixture: Mixture, party: int, rows: Any) -> float:
    """The error of a party's documents under the merged topics, with the best weights.

    `rows` are plain counts over the party's words, and are weighted as the merge weights them. On
    the simplex weights are distributions, unless the words that a party lacks make mixtures larger.
    """
    summary, idf = together.summaries[party], mixture.more.get("idf")
    mine = rows if isinstance(rows, Weighted) else Weighted(rows)
    counts, scale = sp.csr_array(mine.counts, dtype=np.float64), np.ones(mine.shape[1])
    if idf is not None:
        counts = sp.csr_array(counts * summary.statistics[IDF])
        scale = idf[together.columns[party]] / summary.statistics[IDF]
    simplex = summary.settings["constraint"] == "simplex"
    documents = Documents(
        counts,
        frequencies=simplex,
        relative=summary.settings["loss"] == "relative",
        sample_weight=mine.sample_weight,
        cell_weight=mine.cell_weight,
    )
    documents.data = documents.data * scale[documents.indices]
    assert mixture.coordinates is not None
    distributions = np.allclose(mixture.coordinates[party].sum(axis=1), 1.0, rtol=0, atol=SUMS)
    rule = "simplex" if simplex and distributions else "nonnegative"
    topics = mixture.topics[:, together.columns[party]]
    return error_of(documents, topics, PLAIN._replace(rule=rule))
