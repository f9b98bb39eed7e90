"""A corpus weighted by tf-idf, and one that was as plain counts again; the formula is in `text`."""

from __future__ import annotations

from chatham.corpus.corpus import Corpus, derived
from chatham.corpus.text.vectorizer import Vectorizer
from chatham.corpus.text.weighting import own_idf, unweight_by_idf
from chatham.errors import InputError


def is_weighted(corpus: Corpus) -> bool:
    """Whether its counts are weighted by tf-idf."""
    return corpus.vectorizer is not None and corpus.vectorizer.weighting == "tfidf"


def weighted(corpus: Corpus) -> Corpus:
    """A corpus of plain counts, weighted by its own idf.

    >>> corpus = weighted(Corpus([[2, 0], [1, 1]], ["milk", "tea"]))
    >>> corpus.counts.toarray().round(3).tolist()
    [[2.0, 0.0], [1.0, 1.405]]
    >>> unweighted(corpus).counts.toarray().tolist()
    [[2.0, 0.0], [1.0, 1.0]]
    """
    if is_weighted(corpus):
        raise InputError("The corpus is weighted by tf-idf already: weight plain counts only.")
    tokenizer = None if corpus.vectorizer is None else corpus.vectorizer.tokenizer
    vectorizer = Vectorizer(tokenizer, corpus.vocabulary, "tfidf", own_idf(corpus.counts))
    # Of a copy: else the two would share index arrays, and one may be changed in place.
    counts = vectorizer.weigh(corpus.counts.copy())
    return derived(corpus, counts=counts, vectorizer=vectorizer)


def unweighted(corpus: Corpus) -> Corpus:
    """A weighted corpus as plain counts again: a model may have another idf."""
    idf = None if corpus.vectorizer is None else corpus.vectorizer.idf
    if idf is None:
        return corpus
    return derived(corpus, counts=unweight_by_idf(corpus.counts, idf), vectorizer=None)
