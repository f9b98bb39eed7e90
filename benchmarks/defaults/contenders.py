"""Who takes part: five learners of ours as `ch.fit` sets them, and four of the peers'.

Beside them, out of the contest, stands our LDA with another start and with other priors.

Each gets the training documents' plain counts and gives back a `Found`. Topics are distributions
over plain words whatever a contender was fitted to, and documents' weights are shares of plain
words: a topic that was found among words weighted by idf has the idf divided out, as in
`chatham.model.word_space`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn import decomposition
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfTransformer

import chatham as ch
from benchmarks.contest import installed
from benchmarks.defaults.documents import Parts

Array = NDArray[np.float64]

N_WORDS = 10
"""How many top words of a topic are shown and measured."""

SWEEPS = 1000
"""Of tomotopy."""

VARIATIONAL_ROUNDS = 10
"""Of scikit-learn's LDA: its default."""

GENSIM_CHUNK, GENSIM_UPDATES, GENSIM_PASSES = 2000, 20, 5
"""Documents an update (its default), and how many updates and passes there are at least: with its
default of one pass, which of a small corpus is one update, it has hardly begun."""


@dataclass(frozen=True, eq=False)
class Found:
    """What one fit found."""

    topics: tuple[Array, ...]
    """k×d, rows that sum to one over plain words; where it isn't clear which way a peer's numbers
    are to be read, each way, of which the better counts."""
    words: list[list[str]]
    """Each topic's top words, as its library displays them."""
    main: tuple[NDArray[np.int64], ...]
    """Each training document's main topic, by its library's own inference; each way, too."""
    weigh: Callable[[sp.csr_array], Array]
    """Weights of documents that it hasn't seen, by its library's own inference."""
    notes: dict[str, Any] = field(default_factory=dict)


Fit = Callable[[Parts, int, int], Found]
"""From documents, a number of topics and a seed."""


@dataclass(frozen=True)
class Contender:
    """A name on the page, what kind of model it is, and whose."""

    name: str
    fit: Fit
    kind: str = ""
    """ "LDA" or "NMF" where there are both ours and peers'."""
    is_ours: bool = False
    competes: bool = True
    """Whether it is one of those that are asked who is first; others are shown beside them."""
    needs: str = "sklearn"


def _ours(learner: str, parts: Parts, k: int, seed: int, **parameters: Any) -> Found:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = ch.fit(learner, parts.train, n_components=k, random_state=seed, **parameters)
    unconverged = any(issubclass(each.category, ConvergenceWarning) for each in caught)
    return Found(
        topics=(np.asarray(model.topics),),
        words=model.top_word_lists(N_WORDS),
        main=(model.transform(parts.train.counts).argmax(axis=1),),
        weigh=model.transform,
        notes={"iterations": int(model.estimator.n_iter_), "unconverged": unconverged},
    )


def _even_priors(parts: Parts, k: int, seed: int) -> Found:
    """LDA with the priors that scikit-learn and gensim have: 1/k for all, and not learned."""
    return _ours("lda", parts, k, seed, alpha=1 / k, beta=1 / k, learn_priors=False)


def _sklearn_nmf(parts: Parts, k: int, seed: int) -> Found:
    """The usual recipe: rows weighted by tf-idf, of length one; all else its defaults."""
    tfidf = TfidfTransformer().fit(parts.train.counts)
    rows = tfidf.transform(parts.train.counts)
    model = decomposition.NMF(k, random_state=seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        coordinates = model.fit_transform(rows)
    plain = model.components_ / tfidf.idf_
    sizes = plain.sum(axis=1)

    def weigh(counts: sp.csr_array) -> Array:
        return _shares(model.transform(tfidf.transform(counts)) * sizes)

    return Found(
        topics=(as_shares(plain), as_shares(model.components_)),
        words=top_words(model.components_, parts),
        main=((coordinates * sizes).argmax(axis=1), coordinates.argmax(axis=1)),
        weigh=weigh,
        notes={
            "iterations": int(model.n_iter_),
            "unconverged": any(issubclass(w.category, ConvergenceWarning) for w in caught),
        },
    )


def _sklearn_lda(parts: Parts, k: int, seed: int) -> Found:
    model = decomposition.LatentDirichletAllocation(
        k, max_iter=VARIATIONAL_ROUNDS, random_state=seed
    )
    weights = model.fit_transform(parts.train.counts)
    return Found(
        topics=(as_shares(model.components_),),
        words=top_words(model.components_, parts),
        main=(weights.argmax(axis=1),),
        weigh=model.transform,
        notes={"iterations": int(model.n_iter_)},
    )


def _tomotopy(parts: Parts, k: int, seed: int) -> Found:
    tomotopy = installed("tomotopy")
    model = tomotopy.LDAModel(k=k, seed=seed)
    for words in _token_lists(parts.train.counts):
        model.add_doc(words)
    model.train(SWEEPS, workers=1)
    columns = np.array([int(word) for word in model.used_vocabs])
    topics = np.zeros((k, parts.train.n_words))
    topics[:, columns] = [model.get_topic_word_dist(topic) for topic in range(k)]

    def weigh(counts: sp.csr_array) -> Array:
        documents = [model.make_doc(words) for words in _token_lists(counts)]
        weights, _ = model.infer(documents, workers=1)
        return np.asarray(weights, dtype=np.float64)

    return Found(
        topics=(as_shares(topics),),
        words=top_words(topics, parts),
        main=(np.array([np.argmax(document.get_topic_dist()) for document in model.docs]),),
        weigh=weigh,
        notes={"iterations": SWEEPS},
    )


def _token_lists(counts: sp.csr_array) -> list[list[str]]:
    """Each document as words, which are the numbers of columns."""
    rows = []
    for row in range(counts.shape[0]):
        cells = slice(counts.indptr[row], counts.indptr[row + 1])
        tokens = np.repeat(counts.indices[cells], counts.data[cells].astype(np.int64))
        rows.append([str(column) for column in tokens])
    return rows


def _gensim(parts: Parts, k: int, seed: int) -> Found:
    from gensim.matutils import Sparse2Corpus
    from gensim.models import LdaModel

    def documents(counts: sp.csr_array) -> Any:
        return Sparse2Corpus(sp.csc_matrix(counts.T), documents_columns=True)

    updates = -(-len(parts.train) // GENSIM_CHUNK)
    passes = max(GENSIM_PASSES, -(-GENSIM_UPDATES // updates))
    names = {column: str(column) for column in range(parts.train.n_words)}
    model = LdaModel(
        documents(parts.train.counts), num_topics=k, id2word=names, passes=passes,
        chunksize=GENSIM_CHUNK, random_state=seed,
    )  # fmt: skip

    def weigh(counts: sp.csr_array) -> Array:
        gamma, _ = model.inference(list(documents(counts)))
        return _shares(gamma)

    topics = np.asarray(model.get_topics(), dtype=np.float64)
    return Found(
        topics=(as_shares(topics),),
        words=top_words(topics, parts),
        main=(weigh(parts.train.counts).argmax(axis=1),),
        weigh=weigh,
        notes={"iterations": passes},
    )


CONTENDERS: dict[str, Contender] = {
    each.name: each
    for each in (
        *(
            Contender(f"chatham {learner}", partial(_ours, learner), kind, is_ours=True)
            for learner, kind in (
                ("lda", "LDA"), ("nmf", "NMF"), ("plsa", ""), ("anchor", ""), ("kmeans", ""),
            )
        ),
        Contender(
            "chatham lda from anchors", partial(_ours, "lda", init="anchor"),
            is_ours=True, competes=False,
        ),
        Contender("chatham lda with even priors", _even_priors, is_ours=True, competes=False),
        Contender("scikit-learn NMF", _sklearn_nmf, "NMF"),
        Contender("scikit-learn LDA", _sklearn_lda, "LDA"),
        Contender("tomotopy LDA", _tomotopy, "LDA", needs="tomotopy"),
        Contender("gensim LDA", _gensim, "LDA", needs="gensim"),
    )
}  # fmt: skip
"""All, ours first. SVD is a decomposition: its directions are no topics."""


SETTINGS = {
    "scikit-learn NMF": "tf-idf, rows of length one; defaults; two ways to read it",
    "scikit-learn LDA": f"max_iter={VARIATIONAL_ROUNDS}",
    "tomotopy LDA": f"{SWEEPS} sweeps",
    "gensim LDA": f"passes for {GENSIM_UPDATES} updates, at least {GENSIM_PASSES}",
}
"""What the peers are asked to do, beyond their defaults."""


def taking_part() -> list[str]:
    """Those whose libraries are installed."""
    return [name for name, each in CONTENDERS.items() if installed(each.needs) is not None]


def top_words(topics: Any, parts: Parts) -> list[list[str]]:
    """The most probable words of each of a peer's topics, words that are as probable by name."""
    shares, words = as_shares(topics), [str(word) for word in parts.train.vocabulary]
    best = [np.lexsort((words, -topic))[:N_WORDS] for topic in shares]
    return [
        [words[column] for column in columns if topic[column] > 0]
        for topic, columns in zip(shares, best, strict=True)
    ]


def as_shares(topics: Any) -> Array:
    """Rows that sum to one; a topic without any word stays zero."""
    rows = np.asarray(topics, dtype=np.float64)
    totals = rows.sum(axis=1, keepdims=True)
    return rows / np.where(totals > 0, totals, 1.0)


def _shares(weights: Any) -> Array:
    """Weights that sum to one; a document with nothing of any topic has the same of each."""
    rows = np.asarray(weights, dtype=np.float64)
    totals = rows.sum(axis=1, keepdims=True)
    return np.where(totals > 0, rows / np.where(totals > 0, totals, 1.0), 1.0 / rows.shape[1])
