"""New documents in the columns of a model's vocabulary, whatever form they come in."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.corpus import Corpus
from chatham.corpus.tfidf import unweighted
from chatham.errors import InputError
from chatham.learners.documents import check_counts
from chatham.learners.weighted import Weighted
from chatham.notes import UnknownWordsWarning


@dataclass(frozen=True)
class Intake:
    """Counts over the model's vocabulary, with the ids and labels that came along."""

    counts: Any
    ids: Sequence[Any] | NDArray[Any]
    labels: Sequence[Any] | NDArray[Any] | None = None


def take_in(documents: Any, vocabulary: NDArray[np.object_], vectorizer: Any) -> Intake:
    """Read a corpus, texts, or counts over the vocabulary; what has been read stays as it is."""
    if isinstance(documents, Intake):
        return documents
    if isinstance(documents, Corpus):
        counts = _counts_of_corpus(documents, vocabulary, vectorizer)
        return Intake(counts, documents.ids, documents.labels)
    if isinstance(documents, str):
        raise InputError(
            "transform got one string; give it a list of texts, even for a single one."
        )
    if is_texts(documents):
        return Intake(_counts_of_texts(list(documents), vectorizer), _ids_of(documents))
    rows = as_matrix_or_weighted(documents)
    _check_width(rows, len(vocabulary))
    if isinstance(rows, Weighted):
        weighed = rows.around(_weighted(rows.counts, vectorizer))
        return Intake(weighed, np.arange(rows.shape[0]))
    return Intake(_weighted(rows, vectorizer), np.arange(rows.shape[0]))


def _ids_of(texts: Any) -> NDArray[Any]:
    return texts.index.to_numpy() if isinstance(texts, pd.Series) else np.arange(len(texts))


def is_texts(documents: Any) -> bool:
    """Whether this is a list, a series or an array of strings."""
    if isinstance(documents, pd.Series | np.ndarray):
        return documents.ndim == 1
    if not isinstance(documents, list | tuple) or not documents:
        return False
    return all(text is None or isinstance(text, str) for text in documents)


def as_matrix_or_weighted(documents: Any) -> Any:
    """The same, or rows with weights as they are, for learners that can weight them."""
    if isinstance(documents, Weighted):
        return documents.around(as_matrix(documents.counts))
    return as_matrix(documents)


def as_matrix(documents: Any) -> Any:
    """Counts as a matrix with two dimensions, sparse where they were."""
    if sp.issparse(documents) and documents.shape[0]:
        check_counts(documents.data)
        return sp.csr_array(documents)
    if isinstance(documents, list | tuple) and not documents:
        raise InputError("There are no documents: give at least one.")
    try:
        matrix = np.asarray(documents, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.ndim != 2 or not len(matrix):
        raise InputError(
            f"Documents can't be read from this {type(documents).__name__}; give a corpus, a list "
            "of texts, or a matrix of counts with one row per document, at least one."
        )
    check_counts(matrix)
    return matrix


def _check_width(counts: Any, width: int) -> None:
    if counts.shape[1] != width:
        raise InputError(
            f"The matrix has {counts.shape[1]:,} columns, and the model's vocabulary has "
            f"{width:,} words; give counts over the model's own vocabulary, or a corpus, whose "
            "words can be matched."
        )


def _counts_of_texts(texts: list[Any], vectorizer: Any) -> Any:
    if not _reads_texts(vectorizer):
        raise InputError(
            "This model was fitted on counts and does not know how texts become words; give "
            "counts over its vocabulary, or a corpus from read_corpus, whose words can be matched."
        )
    counts = vectorizer.counts(texts)
    _warn_of_unknown_texts(texts, counts)
    return counts


def _reads_texts(vectorizer: Any) -> bool:
    return vectorizer is not None and vectorizer.tokenizer is not None


def _counts_of_corpus(corpus: Corpus, vocabulary: NDArray[np.object_], vectorizer: Any) -> Any:
    same_words = list(corpus.vocabulary) == list(vocabulary)
    readable = corpus.texts is not None and _reads_texts(vectorizer)
    if readable and not same_words and not _counted_already(corpus, vocabulary, vectorizer):
        return _counts_of_texts(corpus.texts or [], vectorizer)
    corpus = unweighted(corpus)
    counts = corpus.counts if same_words else _match_words(corpus, vocabulary)
    return _weighted(counts, vectorizer)


def _counted_already(corpus: Corpus, vocabulary: NDArray[np.object_], vectorizer: Any) -> bool:
    """Whether the corpus has all the model's words, tokenised in the model's way."""
    same_way = corpus.vectorizer is not None and corpus.vectorizer.tokenizer == vectorizer.tokenizer
    return same_way and set(vocabulary) <= set(corpus.vocabulary)


def _weighted(counts: Any, vectorizer: Any) -> Any:
    """Plain counts as the training documents were weighted."""
    return counts if vectorizer is None else vectorizer.weigh(sp.csr_array(counts))


def _match_words(corpus: Corpus, vocabulary: NDArray[np.object_]) -> Any:
    """The corpus's columns, moved to the columns of the same words here."""
    column_of = {word: column for column, word in enumerate(vocabulary)}
    columns = np.array([column_of.get(str(word), -1) for word in corpus.vocabulary], dtype=np.int64)
    in_vocabulary = np.flatnonzero(columns >= 0)
    if len(in_vocabulary) < len(columns):
        _warn_of_unknown_words(corpus, columns < 0)
    move = sp.csr_array(
        (np.ones(len(in_vocabulary)), (in_vocabulary, columns[in_vocabulary])),
        shape=(len(columns), len(vocabulary)),
    )
    return sp.csr_array(corpus.counts @ move)


def _warn_of_unknown_words(corpus: Corpus, unknown: NDArray[np.bool_]) -> None:
    totals = np.asarray(corpus.counts.sum(axis=0), dtype=np.float64).ravel()
    share = totals[unknown].sum() / max(totals.sum(), np.finfo(float).tiny)
    warnings.warn(
        f"{unknown.sum():,} of the corpus's {len(unknown):,} different words, {share:.1%} of "
        "its tokens, are not in the model's vocabulary and were left out.",
        UnknownWordsWarning,
        stacklevel=2,
    )


def _warn_of_unknown_texts(texts: list[Any], counts: Any) -> None:
    """Warn how many texts aren't empty, but have no word that the model knows."""
    empty = np.asarray(counts.sum(axis=1)).ravel() == 0
    n_unknown = sum(
        bool(isinstance(texts[row], str) and texts[row].strip()) for row in np.flatnonzero(empty)
    )
    if n_unknown:
        warnings.warn(
            f"{n_unknown:,} of {len(texts):,} documents have no word of the model's vocabulary; "
            "they get the weights of an empty document.",
            UnknownWordsWarning,
            stacklevel=2,
        )


def plain(vectorizer: Any) -> Any:
    """The same vectorizer without any weighting of words."""
    return None if vectorizer is None else replace(vectorizer, weighting="counts", idf=None)


def tokenizing(vectorizer: Any) -> dict[str, Any]:
    """The options with which `read_corpus` turns texts into words as the training texts were.

    Without a tokenizer every word is looked for in the vocabulary as it is, stop words included.
    """
    tokenizer = None if vectorizer is None else vectorizer.tokenizer
    if tokenizer is None:
        return {"stop_words": None}
    if tokenizer.needs_split:
        raise InputError(
            "This model was fitted with a tokenizer function, which isn't saved; load it in "
            "Python and pass the function to model.vectorizer.with_tokenizer."
        )
    names = ("lowercase", "min_length", "numbers", "hyphens", "ngrams")
    settings = {name: getattr(tokenizer, name) for name in names}
    split = {} if tokenizer.split is None else {"tokenizer": tokenizer.split}
    return settings | split | {"stop_words": sorted(tokenizer.stop_words) or None}
