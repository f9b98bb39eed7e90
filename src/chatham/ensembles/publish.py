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
their shares.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons, Memory, as_commons
from chatham.commons.state import state_hash
from chatham.ensembles.coarse import grid_of, to_bits, whole_tokens
from chatham.ensembles.summary import CARRIES, FEWEST, FREQUENCIES, IDF, STATISTICS, Summary
from chatham.errors import InputError
from chatham.learners.base import TopicLearner
from chatham.learners.documents import OWN_WORDS, Documents, counts_of, with_words
from chatham.learners.lda.steps import EXACT, count_start
from chatham.learners.nmf.cells import AllCells
from chatham.learners.parameters import check_seed
from chatham.learners.plsa import reweigh
from chatham.learners.rare_words import leave_out_rare_words
from chatham.model.topic_model import TopicModel
from chatham.numerics.products import gather_by_word, sums_by
from chatham.numerics.threads import threads
from chatham.wording import say

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Telling:
    """How much a summary tells."""

    fewest: int
    """Words, and topics, that fewer documents have are left out."""
    coarse: bool
    """Whether sums by topic and word are told no finer than a document adds to them."""

    @property
    def kept(self) -> bool:
        """Whether it is for its owner alone."""
        return not self.coarse


FOR_OTHERS = Telling(FEWEST, coarse=True)
AT_HOME = Telling(0, coarse=False)
"""All of it, for a model that grows: what is left out now couldn't be added to later."""


@dataclass(frozen=True, eq=False)
class Part:
    """The part of a model that is published: some of its topics, over some of its words.

    Words that aren't published keep their columns, with nothing in them. `plain` is how many plain
    words a unit of each column stands for: one over its idf, if words were weighted.
    """

    estimator: Any
    plain: Array | None

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
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Summary:
    """A summary of a model, for others to merge; see `summary.reveals` for what it tells.

    `documents` are those of the model, as `model.transform` takes them, or a commons with the rows
    that it was fitted to; by default the training documents, if the model still has them. `name`
    is what others call you. `random_state` is the seed by which tokens are drawn for LDA.

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
    return summarised(model, commons, FOR_OTHERS, name, check_seed(random_state), n_jobs)


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
    words = np.flatnonzero(told)
    topics = part.topics
    if model.algorithm == "plsa":
        expected = statistics["expected"]
        tokens = float(expected.sum())
        if telling.coarse:  # of its last step, topics would tell exact expected counts again
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
        kept=telling.kept,
    )


def check_model(model: Any, what: str) -> None:
    """Refuse a model that can't be merged."""
    if not isinstance(model, TopicModel):
        raise InputError(
            f"{what} takes a TopicModel, as ch.fit and ch.load return it, and not a "
            f"{type(model).__name__}."
        )
    check_kind(model.algorithm)
    if model._fitted._observes:
        raise InputError(
            say(
                "This model takes cells that aren't stored as unknown ({missing='unobserved'}), "
                "and a summary counts them as zeros; fit it with {missing=None} to {what} it.",
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
        part = _part(model, numbers, words, telling)
        enough = commons.sum(count_carriers, part) >= telling.fewest
        if enough.all():
            statistics, enough = _OF_KIND[model.algorithm](commons, part, telling, seed)
            if enough.all():
                return part, numbers, statistics
        numbers = [n for n, has in zip(numbers, enough, strict=True) if has]
    raise InputError(
        f"No topic is carried by {FEWEST} different documents, and one that fewer carry isn't "
        "published; fit fewer topics, or to more documents."
    )


def _part(
    model: TopicModel, numbers: list[int], words: NDArray[np.bool_], telling: Telling
) -> Part:
    """The estimator with these topics alone, and nothing in the columns of other words."""
    estimator: TopicLearner = copy.copy(model.estimator)
    topics = estimator.components_[numbers] * words
    if model.algorithm == "nmf" and telling.coarse:
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
    return Part(estimator, None if idf is None else 1.0 / idf)


def _nmf_sums(
    commons: Commons, part: Part, telling: Telling, seed: int
) -> tuple[dict[str, Array], NDArray[np.bool_]]:
    """G, g on its grid, and squared errors rounded up; each residual is told from sums alone."""
    products, gram, squares = commons.sum(sum_factors, part)
    gram = 0.5 * (gram + gram.T)
    fitted, towards = gram @ part.topics, products.T
    errors = squares + ((fitted - 2.0 * towards) * part.topics).sum(axis=0)
    errors = np.maximum(errors, 0.0)  # rounding may lead below
    gradient = fitted - towards
    if telling.coarse:
        errors = to_bits(errors, up=True)
        grid = grid_of(part.topics, gram, errors, commons.count().documents)
        gradient = np.rint(gradient / grid) * grid
    statistics = {"gram": gram, "gradient": gradient, "errors": errors}
    return statistics, np.diag(gram) > 0


def _plsa_sums(
    commons: Commons, part: Part, telling: Telling, seed: int
) -> tuple[dict[str, Array], NDArray[np.bool_]]:
    by_word, likelihood = commons.sum(expect_words, part)
    expected = whole_tokens(by_word.T) if telling.coarse else by_word.T
    return {"expected": expected, "log_likelihood": likelihood}, expected.sum(axis=1) > 0


def _lda_sums(
    commons: Commons, part: Part, telling: Telling, seed: int
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
    documents = Documents(with_words(rows, memory[OWN_WORDS]))
    return np.bincount(documents.indices, minlength=documents.d)


def count_carriers(rows: Any, memory: Memory, part: Part) -> NDArray[np.int64]:
    """How many different documents have a tenth of their words or more from each topic."""
    documents, _, shares = weighed_at(rows, memory, part)
    keys = documents.keys(0)
    carried = (shares >= CARRIES).T
    return np.array([len(np.unique(keys[each])) for each in carried], dtype=np.int64)


def sum_shares(rows: Any, memory: Memory, part: Part) -> Array:
    """The sum over documents of each topic's share of their words."""
    return weighed_at(rows, memory, part).shares.sum(axis=0)


def count_tokens(rows: Any, memory: Memory, plain: Array | None) -> Array:
    """How many tokens there are of all words that are published."""
    matrix = with_words(rows, memory[OWN_WORDS])
    return np.array((matrix.data * (1.0 if plain is None else plain[matrix.indices])).sum())


def sum_factors(rows: Any, memory: Memory, part: Part) -> tuple[Array, Array, Array]:
    """Sums over documents of weight × word, weight × weight, and of each word's squares."""
    documents, weights, _ = weighed_at(rows, memory, part)
    products, gram, _ = AllCells(documents, weights, part.estimator._problem).sums()
    importance = documents.importance[documents.owners]
    return products, gram, sums_by(documents.indices, importance * documents.data**2, documents.d)


def expect_words(rows: Any, memory: Memory, part: Part) -> tuple[Array, Array]:
    """How often each word is expected to come from each topic; the documents' log-likelihood."""
    weights = weighed_at(rows, memory, part).weights
    documents = counts_of(rows, memory)
    by_word, ratios = np.ascontiguousarray(part.topics.T), np.empty(len(documents.data))
    likelihood = reweigh(documents, by_word, weights, ratios, move=False)
    expected = by_word * gather_by_word(documents.by_word, ratios, weights)
    return expected, np.array(likelihood)
