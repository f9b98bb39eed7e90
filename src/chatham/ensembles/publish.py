"""Publishing: from a model and its documents to a summary, by local statistics and a sum.

A model's folder has its topics and their shares. All else that a merge needs are sums over
documents, so they are taken where the documents are, in a few rounds:

1. which words at least five different documents have; all others are left out of everything that
   follows, as if they had never been written;
2. which topics at least five different documents carry, by weights for the topics that are left; a
   topic that too few carry is left out, and the others are weighed again, until all are carried;
3. the sums of the model's kind, with these words, topics and weights.

So a summary is of the part of the model that it shows, and nothing in it depends on a word or a
topic that it doesn't show.

Sums by topic and word are told no finer than a document adds to them: exact ones lead to documents,
since a topic's part of a word is often one document's, even where five have the word
(`tests/attacks/test_summaries.py`). NMF's topics are told to a few bits before anything is summed,
and its gradient on a grid; PLSA's expected counts are told in whole tokens, and its topics are
their shares. Whoever has nothing to hide asks for exact sums (`exact=True`), and the summary says
so.

Rows may have weights (NMF's `sample_weight` and Ψ): then all sums are weighted as in the fit, and
with weights of cells every topic and word has a cost of its own (Corollary 4).
"""

from __future__ import annotations

import copy
import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.commons import Commons, Memory, as_commons
from chatham.commons.state import state_hash
from chatham.ensembles.bounds import unpacked
from chatham.ensembles.coarse import grid_of, steps_of_costs, to_bits, up_to, whole_tokens
from chatham.ensembles.summary import (
    CARRIES,
    CELL_COSTS,
    CELL_SQUARES,
    FEWEST,
    FREQUENCIES,
    IDF,
    STATISTICS,
    STEPS,
    Summary,
)
from chatham.errors import InputError
from chatham.learners.base import TopicLearner
from chatham.learners.documents import (
    OWN_WORDS,
    Documents,
    counted_documents,
    counts_of,
    with_words,
)
from chatham.learners.lda.steps import EXACT, count_start
from chatham.learners.nmf.cells import cells_of
from chatham.learners.nmf.problem import Problem
from chatham.learners.parameters import check_seed
from chatham.learners.plsa import reweigh
from chatham.learners.rare_words import ROUNDING, as_many, leave_out_rare_words
from chatham.learners.weighted import counted_in
from chatham.model.edits import check_unedited
from chatham.model.topic_model import TopicModel
from chatham.notes import ChathamWarning
from chatham.numerics.products import gather_by_word, sums_by
from chatham.numerics.threads import threads
from chatham.wording import say

Array = NDArray[np.float64]

OTHERS = 0.1
"""From this difference between the sizes of topics on, documents aren't those of the fit."""


@dataclass(frozen=True)
class Telling:
    """How much a summary tells."""

    fewest: int
    """Words, and topics, that fewer documents have are left out."""
    exact: bool
    """Whether topics and sums are told to the last digit, and not as finely as documents add."""

    @property
    def kept(self) -> bool:
        """Whether it is for its owner alone."""
        return self.fewest == 0


FOR_OTHERS = Telling(FEWEST, exact=False)
EXACTLY = Telling(FEWEST, exact=True)
AT_HOME = Telling(0, exact=True)
"""All of it, for a model that grows: what is left out now couldn't be added to later."""


@dataclass(frozen=True, eq=False)
class Part:
    """The part of a model that is published: some of its topics, over some of its words.

    Words that aren't published keep their columns, with nothing in them. `plain` is how many plain
    words a unit of each column stands for: one over its idf, if words were weighted.
    """

    estimator: Any
    plain: Array | None
    problem: Problem | None = None
    """NMF's, as all holders share it: whether any cells have weights."""
    exact: bool = False
    """Whether sums are told as they are."""

    def shared_state(self) -> bytes:
        """A hash of what decides the sums."""
        return state_hash((self.estimator.components_, self.plain))

    @property
    def topics(self) -> Array:
        """The topics in the learner's own terms."""
        return self.estimator.components_

    @property
    def masses(self) -> Array | None:
        """How many plain words a unit of each topic's weight stands for; None where it is one."""
        if self.plain is None and self.estimator._on_simplex:
            return None
        return np.asarray((self.topics * (1.0 if self.plain is None else self.plain)).sum(axis=1))


class Weighed(NamedTuple):
    """A holder's documents without rare words, and their weights for the published topics."""

    documents: Documents
    weights: Array
    """In the learner's own terms; zero for a document without words."""
    shares: Array
    """Of each document's words, those that come from each topic."""


def publish(
    model: TopicModel,
    documents: Any = None,
    *,
    name: str = "",
    exact: bool = False,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Summary:
    """A summary of a model, for others to merge; see `summary.reveals` for what it tells.

    `documents` are those of the model, as `model.transform` takes them, or a commons with the rows
    that it was fitted to; by default the training documents, if the model still has them. NMF's may
    have weights (`Weighted`), with which they then count. `name` is what others call you. With
    `exact`, sums and topics are told to the last digit, from which words of single documents can be
    found: for documents that may be known. `random_state` is the seed by which tokens are drawn for
    LDA.

    >>> import chatham as ch
    >>> corpus = ch.sample_corpus()
    >>> model = ch.fit("plsa", corpus, n_components=5, random_state=0)
    >>> summary = ch.publish(model, corpus, name="North")
    >>> summary.n_topics, summary.documents
    (5, 2887)
    >>> summary.reveals[0]
    'It was made from 2,887 documents with ... tokens; both numbers are exact.'
    """
    check_model(model, "publish")
    commons = _commons(model, documents)
    if commons.private:
        raise InputError(
            "A summary has exact sums over documents, which may not cross between parties; publish "
            "your own documents, with a matrix or Alone(matrix)."
        )
    telling = EXACTLY if exact else FOR_OTHERS
    return summarised(model, commons, telling, name, check_seed(random_state), n_jobs)


def summarised(
    model: TopicModel, commons: Commons, telling: Telling, name: str, seed: int, n_jobs: int | None
) -> Summary:
    """The summary of a model that can be merged, with these rows, for others or at home."""
    with threads(n_jobs), commons.fitting():
        frequencies, held = _count_words(commons, telling.fewest)
        told = (frequencies > 0) | telling.kept
        part, numbers, statistics = _sums(model, commons, told, telling, seed)
        sizes = commons.sum(sum_shares, part, most=1.0)
        tokens = float(commons.sum(count_tokens, part.plain))
    _warn_of_others(model, numbers, sizes)
    words = np.flatnonzero(told)
    topics = part.topics
    if model.algorithm == "plsa":
        expected = statistics["expected"]
        tokens = float(expected.sum())
        if not telling.exact:  # of its last step, topics would tell exact expected counts again
            topics = expected / expected.sum(axis=1, keepdims=True)
    if part.plain is not None:
        statistics |= {IDF: 1.0 / part.plain, FREQUENCIES: frequencies.astype(np.float64)}
    vectorizer = model.vectorizer
    tokenizer = None if vectorizer is None else vectorizer.tokenizer
    return Summary(
        kind=model.algorithm,
        vocabulary=model.vocabulary[words],
        topics=np.ascontiguousarray(topics[:, words]),
        sizes=sizes,
        documents=held,
        tokens=tokens,
        statistics={
            each: np.array(array[..., words] if "d" in axes else array, order="C")
            for each, axes in STATISTICS[model.algorithm].items()
            if (array := statistics.get(each)) is not None
        },
        settings=_settings(model),
        numbers=tuple(numbers),
        tokenizer=None if tokenizer is None else tokenizer.to_dict(),
        name=name,
        exact=telling.exact,
        kept=telling.kept,
    )


def _warn_of_others(model: TopicModel, numbers: list[int], sizes: Array) -> None:
    """Warn of documents in which the topics are of quite other sizes than in those of the fit.

    In the same documents they differ by what rare words and topics did: on the bundled sample a
    hundredth, and fourteen to eighteen in documents of another party.
    """
    before = model.prevalence[numbers]
    if before.sum() <= 0:
        return
    apart = 0.5 * float(np.abs(before / before.sum() - sizes / sizes.sum()).sum())
    if apart > OTHERS:
        warnings.warn(
            f"{apart:.0%} of these documents are of other topics than in the fit: they don't seem "
            "to be those that the model was fitted to, and then a merge counts its topics wrongly; "
            "publish it with its own documents.",
            ChathamWarning,
            stacklevel=3,
        )


def check_model(model: Any, what: str) -> None:
    """Refuse a model that can't be merged."""
    if not isinstance(model, TopicModel):
        raise InputError(
            f"{what} takes a TopicModel, as ch.fit and ch.load return it, and not a "
            f"{type(model).__name__}."
        )
    check_kind(model.algorithm)
    check_unedited(model, f"{what} takes")
    if model._fitted._observes:
        raise InputError(
            say(
                "This model takes cells that aren't stored as unknown ({missing='unobserved'}), "
                "and a summary counts them as zeros; fit it with {missing=None}, and with cells of "
                "weight zero where they are unknown (Weighted), to {what} it.",
                what=what,
            )
        )
    if model.algorithm != "nmf" and getattr(model.vectorizer, "idf", None) is not None:
        raise InputError(
            say(
                "This {algorithm} model was fitted to words weighted by tf-idf, and a summary of "
                "it counts plain words; fit it with {weighting='counts'} to {what} it.",
                what=what,
                algorithm=model.algorithm,
            )
        )


def check_kind(algorithm: str) -> None:
    """Refuse a kind of model that can't be merged."""
    if algorithm not in STATISTICS:
        raise InputError(
            f"Summaries are of nmf, plsa and lda, and this model is of {algorithm}; fit one of "
            "these."
        )


def _commons(model: TopicModel, documents: Any) -> Commons:
    """Rows over the model's words, weighted as it learned them."""
    if isinstance(documents, Commons):
        if documents.n_features != len(model.vocabulary):
            raise InputError(
                f"The commons has {documents.n_features:,} columns, and the model "
                f"{len(model.vocabulary):,} words; give rows over the model's own vocabulary."
            )
        return documents
    taken = model._take_in(model._training_documents() if documents is None else documents)
    return as_commons(taken.counts)


def _settings(model: TopicModel) -> dict[str, Any]:
    if model.algorithm != "nmf":
        return {}
    return {name: model.parameters[name] for name in ("constraint", "loss")}


def _count_words(commons: Commons, fewest: int) -> tuple[NDArray[np.int64], int]:
    """How many documents have each word, as far as it is told, and how many there are at all."""
    held = commons.count().documents
    if not int(commons.sum(leave_out_rare_words, fewest)):
        raise InputError(
            f"No word is in {FEWEST} different documents, and words that fewer have aren't "
            "published; publish a model of more documents."
        )
    return commons.sum(count_documents_with_words), held


def _sums(
    model: TopicModel, commons: Commons, words: NDArray[np.bool_], telling: Telling, seed: int
) -> tuple[Part, list[int], dict[str, Array]]:
    """The part of the model that is published, its topics' numbers, and the sums of its kind."""
    numbers = [
        number for number, topic in enumerate(model._fitted.components_) if topic[words].sum() > 0
    ]
    while numbers:
        part = _part(model, commons, numbers, words, telling.exact)
        carriers, totals, squares = commons.sum(count_carriers, part)
        enough = carriers >= telling.fewest
        enough &= as_many(totals, squares) >= telling.fewest - ROUNDING
        if enough.all():
            statistics, enough = _OF_KIND[model.algorithm](commons, part, seed)
            if enough.all():
                return part, numbers, statistics
        numbers = [n for n, has in zip(numbers, enough, strict=True) if has]
    raise InputError(
        f"No topic is carried by {FEWEST} different documents, and one that fewer carry isn't "
        "published; fit fewer topics, or to more documents."
    )


def _part(
    model: TopicModel, commons: Commons, numbers: list[int], words: NDArray[np.bool_], exact: bool
) -> Part:
    """The estimator with these topics alone, and nothing in the columns of other words."""
    estimator: TopicLearner = copy.copy(model.estimator)
    topics = estimator.components_[numbers] * words
    if model.algorithm == "nmf" and not exact:
        topics = to_bits(topics)
    if estimator._on_simplex:
        topics /= topics.sum(axis=1, keepdims=True)
    estimator.components_ = np.ascontiguousarray(topics)
    shares = estimator.prevalence_[numbers]
    estimator.prevalence_ = shares / max(float(shares.sum()), np.finfo(float).tiny)
    estimator.n_components = len(numbers)
    if model.algorithm == "lda":
        estimator.alpha_ = estimator.alpha_[numbers]  # type: ignore[attr-defined]
    idf = getattr(model.vectorizer, "idf", None)
    problem = estimator._problem_of(commons) if model.algorithm == "nmf" else None  # type: ignore[attr-defined]
    return Part(estimator, None if idf is None else 1.0 / idf, problem, exact)


def _nmf_sums(
    commons: Commons, part: Part, seed: int
) -> tuple[dict[str, Array], NDArray[np.bool_]]:
    """G, g and squared errors, and with weights of cells what errors in each topic and word cost.

    By default g is on its grid, errors and costs are rounded up, and all is told from sums alone.
    """
    products, grams, inner, squares = commons.sum(sum_factors, part)
    gram, towards = 0.5 * (inner + inner.T), products.T
    by_cell = part.problem is not None and part.problem.by_word
    if by_cell:
        each = unpacked(grams, len(gram))
        fitted = np.einsum("jst,tj->sj", each, part.topics)
    else:
        fitted = gram @ part.topics
    errors = np.maximum(squares + ((fitted - 2.0 * towards) * part.topics).sum(axis=0), 0.0)
    gradient, documents = fitted - towards, commons.count().documents
    errors = errors if part.exact else to_bits(errors, up=True)
    statistics = {"gram": gram, "gradient": gradient, "errors": errors}
    told = np.diag(gram) > 0
    if by_cell:
        costs = {
            CELL_SQUARES: np.diagonal(each, axis1=1, axis2=2).T,
            CELL_COSTS: each.sum(axis=2).T,
        }
        steps = np.zeros((len(gram), 1))
        if not part.exact:
            usual = float(squares.sum()) / documents
            steps = grid_of(part.topics, usual)
            grid = steps_of_costs(part.topics, usual)
            costs = {name: up_to(cost, grid) for name, cost in costs.items()}
        statistics |= costs | {STEPS: steps[:, 0]}
        told &= (costs[CELL_SQUARES] > 0).any(axis=1)
    elif not part.exact:
        usual = (float((fitted * part.topics).sum()) + float(errors.sum())) / documents
        steps = grid_of(part.topics, usual)
    if not part.exact:
        statistics["gradient"] = np.rint(gradient / steps) * steps
    return statistics, told


def _plsa_sums(
    commons: Commons, part: Part, seed: int
) -> tuple[dict[str, Array], NDArray[np.bool_]]:
    by_word, likelihood = commons.sum(expect_words, part)
    expected = by_word.T if part.exact else whole_tokens(by_word.T)
    return {"expected": expected, "log_likelihood": likelihood}, expected.sum(axis=1) > 0


def _lda_sums(
    commons: Commons, part: Part, seed: int
) -> tuple[dict[str, Array], NDArray[np.bool_]]:
    alpha, k = part.estimator.alpha_, len(part.topics)
    by_word = commons.sum(count_start, k, 1, seed, part.topics, alpha, total=EXACT)
    counts = by_word.T.astype(np.float64)
    return {"counts": counts, "alpha": np.asarray(alpha)}, counts.sum(axis=1) > 0


_OF_KIND = {"nmf": _nmf_sums, "plsa": _plsa_sums, "lda": _lda_sums}


# Where the documents are


def weighed_at(rows: Any, memory: Memory, part: Part) -> Weighed:
    """This holder's documents and their weights, computed once for a part of a model."""
    return memory.derived("weighed", _weighed, rows, memory[OWN_WORDS], part)


def _weighed(rows: Any, words: NDArray[np.bool_], part: Part) -> Weighed:
    learner = part.estimator
    documents = learner._documents(with_words(rows, words))
    weights = learner._weights(documents) * ~documents.empty[:, None]
    return Weighed(documents, weights, _shares(part, documents, weights))


def _shares(part: Part, documents: Documents, weights: Array) -> Array:
    words = weights if part.masses is None else np.maximum(weights, 0.0) * part.masses
    alpha = getattr(part.estimator, "alpha_", None)
    if alpha is not None:  # without what the prior adds, which no document has
        totals = documents.sizes[:, None] + alpha.sum()
        words = np.maximum(weights * totals - alpha, 0.0) * ~documents.empty[:, None]
    sums = words.sum(axis=1, keepdims=True)
    return np.asarray(words / np.where(sums > 0, sums, 1.0))


def count_documents_with_words(rows: Any, memory: Memory) -> NDArray[np.int64]:
    """How many of a holder's documents have each word; of words that few have, nothing."""
    documents = counted_documents(with_words(rows, memory[OWN_WORDS]))
    counted = documents.repeats[documents.owners] > 0
    return np.bincount(documents.indices[counted], minlength=documents.d)


def count_carriers(rows: Any, memory: Memory, part: Part) -> tuple[NDArray[np.int64], Array, Array]:
    """How many different documents carry each topic; sums of their weights, and of the squares.

    To carry it is to have a tenth of its words or more from it.
    """
    documents, _, shares = weighed_at(rows, memory, part)
    keys = documents.keys(0)
    carried = (shares >= CARRIES).T & (documents.repeats > 0)
    numbers = np.array([len(np.unique(keys[each])) for each in carried], dtype=np.int64)
    return numbers, carried @ documents.repeats, carried @ documents.repeats**2


def sum_shares(rows: Any, memory: Memory, part: Part) -> Array:
    """The sum over documents of each topic's share of their words."""
    documents, _, shares = weighed_at(rows, memory, part)
    return np.asarray(documents.repeats @ shares)


def count_tokens(rows: Any, memory: Memory, plain: Array | None) -> Array:
    """How many tokens there are of all words that are published."""
    matrix = sp.csr_array(counted_in(with_words(rows, memory[OWN_WORDS])))
    return np.array((matrix.data * (1.0 if plain is None else plain[matrix.indices])).sum())


def sum_factors(rows: Any, memory: Memory, part: Part) -> tuple[Array, Array, Array, Array]:
    """Sums over documents of weight × word, weight × weight, and of each word's squares.

    With weights of cells there is weight × weight for each word, and besides over all.
    """
    documents, weights, _ = weighed_at(rows, memory, part)
    assert part.problem is not None
    products, grams, _ = cells_of(documents, weights, part.problem).sums()
    inner = weights.T @ (weights * documents.importance[:, None])
    squares = documents.counting_in_all * documents.data**2
    return products, grams, inner, sums_by(documents.indices, squares, documents.d)


def expect_words(rows: Any, memory: Memory, part: Part) -> tuple[Array, Array]:
    """How often each word is expected to come from each topic; the documents' log-likelihood."""
    weights = weighed_at(rows, memory, part).weights
    documents = counts_of(rows, memory)
    by_word, ratios = np.ascontiguousarray(part.topics.T), np.empty(len(documents.data))
    likelihood = reweigh(documents, by_word, weights, ratios, move=False)
    expected = by_word * gather_by_word(documents.by_word, ratios, weights)
    return expected, np.array(likelihood)
