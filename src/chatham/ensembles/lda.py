"""LDA ensembles (Shen et al. 2010, section IV): base topics as pseudo-documents, by ch.LDA.

A base topic z is a document in which word w occurs O_zw times: as often as it was drawn from the
topic. The sampler's work grows with the number of tokens, which is that of all parties together, so
counts may be rescaled to ⌈O/R⌉ (section IV-B; R = 2C for C parties by default).

A word that a party doesn't publish is unknown there, where LDA would take it for one that never
occurs. If there are such words, topics are first corrected (`truncated_topics`), then each
pseudo-document gets the words that it is expected to lack, and the sampler starts again from these
topics with complete pseudo-documents: one round of completing the data.

The prior α of the merged model is one of documents, not of pseudo-documents: with p(y|z) hard, the
weights of a document are sums of its weights for base topics, and a Dirichlet's parameters add up.
So α_y = Σ_z α_z p(y|z), averaged over parties by their numbers of documents.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.ensembles.alignment import Aligned
from chatham.ensembles.mixture import Mixture, truncated_topics, usual_of
from chatham.ensembles.starts import overall_words, parties_of, start_from_base
from chatham.errors import InputError
from chatham.learners.documents import MOST_TOKENS
from chatham.learners.lda import LDA
from chatham.wording import say

Array = NDArray[np.float64]

STARTS = ("base", "random", "anchor")
STEPS = 200
"""Of the correction of topics: it converges at a rate that depends on how much is unknown."""
LEAST = 1e-3
"""Expected occurrences below this are left out of completed pseudo-documents."""
LEAST_ALPHA = 1e-6
"""A topic that no base topic goes to has no prior of its own, and needs one above zero."""


def merge_lda(
    together: Aligned,
    k: int,
    *,
    rescale: bool | float = False,
    init: Any = "base",
    seed: int = 0,
    n_jobs: int | None = None,
    **parameters: Any,
) -> Mixture:
    """LDA of pseudo-documents; `parameters` are those of `ch.LDA`.

    `rescale` is the R of ⌈O/R⌉, True for 2C. `init` is "base" for chosen base topics, or as for
    `ch.LDA`. The topics have the numbers of those that it started from.
    """
    if isinstance(init, str) and init not in STARTS:
        raise InputError(
            say("{init} must be 'base', 'random', 'anchor', or topics; got {it!r}.", it=init[:40])
        )
    rows = pseudo_documents(together, rescale)
    start = start_from_base(together, k, seed) if isinstance(init, str) and init == "base" else init
    learner = LDA(k, init=start, random_state=seed, n_jobs=n_jobs, **parameters)
    learner.fit(sp.csr_array(rows))
    topics, shares, order = learner.components_, learner.transform(rows), learner._order
    if not together.complete:
        topics = _corrected(together, topics, shares, rows, learner.beta_)
        completed = _completed(together, topics, shares, rows)
        learner.set_params(init=topics).fit(sp.csr_array(completed))
        topics, order = learner.components_, order[learner._order]
        shares = _of_known(together, learner.transform(completed), topics)
    given = np.argsort(order)  # in the order of the start, not of size
    parts = _by_party(together, shares[:, given])
    more = {"alpha_": _alpha(together, parts), "beta_": learner.beta_}
    return Mixture(topics[given], parts, list(learner.objective_), learner.n_iter_, True, more)


def pseudo_documents(together: Aligned, rescale: bool | float = False) -> Array:
    """How often each word occurs in each pseudo-document: O, or ⌈O/R⌉."""
    rows = np.vstack(
        [
            together.spread(party, each.statistics["counts"])
            for party, each in enumerate(together.summaries)
        ]
    )
    number = isinstance(rescale, Real) and 0 < float(rescale) < np.inf
    if not (number or rescale is False):
        raise InputError(
            say("{rescale} must be True, False or a number above 0; got {it!r}.", it=rescale)
        )
    if rescale:
        scale = 2.0 * len(together.summaries) if rescale is True else float(rescale)
        return np.ceil(rows / scale)
    if rows.sum(axis=1).max() > MOST_TOKENS:
        raise InputError(
            say(
                "A topic has {tokens:,.0f} tokens, and LDA reads up to {most:,} of a "
                "pseudo-document; divide counts with {rescale}.",
                tokens=rows.sum(axis=1).max(),
                most=MOST_TOKENS,
            )
        )
    return rows


def _by_party(together: Aligned, rows: Array) -> list[Array]:
    ends = np.cumsum([each.n_topics for each in together.summaries])[:-1]
    return np.split(rows, ends)


def _corrected(
    together: Aligned, topics: Array, shares: Array, rows: Array, beta: float | Array
) -> Array:
    """The topics if words that a party doesn't publish are unknown there."""
    parts = zip(_by_party(together, shares), _by_party(together, rows), strict=True)
    counted = []
    for mine, counts in parts:
        mixed = mine @ topics
        ratios = np.divide(counts, mixed, out=np.zeros(counts.shape), where=mixed > 0)
        counted.append(topics * (mine.T @ ratios))
    tokens = np.stack([expected.sum(axis=1) for expected in counted])
    extra = float(np.mean(beta))
    counts = np.sum(counted, axis=0)
    known = together.observed
    usual = usual_of(known, overall_words(together), float(tokens.sum()), len(topics))
    return truncated_topics(topics, counts, tokens, known, extra, STEPS, usual)


def _completed(together: Aligned, topics: Array, shares: Array, rows: Array) -> Array:
    """Pseudo-documents with as many of the words that their party lacks as their topics expect."""
    completed = rows.copy()
    owners = parties_of(together)
    for party, known in enumerate(together.observed):
        own = np.flatnonzero(owners == party)
        lacking = topics[:, ~known] / topics[:, known].sum(axis=1, keepdims=True)
        expected = (shares[own] * rows[own].sum(axis=1, keepdims=True)) @ lacking
        completed[np.ix_(own, ~known)] = np.where(expected >= LEAST, expected, 0.0)
    return completed


def _of_known(together: Aligned, shares: Array, topics: Array) -> Array:
    """p(y|z) of the words that a party publishes, from that of all words."""
    told = shares * (together.observed.astype(np.float64) @ topics.T)[parties_of(together)]
    return np.asarray(told / told.sum(axis=1, keepdims=True))


def _alpha(together: Aligned, shares: list[Array]) -> Array:
    documents = np.array([each.documents for each in together.summaries], dtype=np.float64)
    alphas = [
        each.statistics["alpha"] @ mine
        for each, mine in zip(together.summaries, shares, strict=True)
    ]
    return np.maximum(documents / documents.sum() @ np.stack(alphas), LEAST_ALPHA)
