"""New documents in the columns of a model's vocabulary, whatever form they come in.

Everything that `read_corpus` reads is read by it, as the training documents were; texts in a list
are counted at once, and a matrix has its columns already.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.corpus import Corpus, read_corpus
from chatham.corpus.given_words import is_list
from chatham.corpus.readers.opening import holds_paths, opened
from chatham.corpus.readers.sources import Bag, Reading, Table
from chatham.corpus.tfidf import unweighted
from chatham.errors import InputError
from chatham.learners.documents import check_counts
from chatham.learners.weighted import Weighted
from chatham.notes import UnknownWordsWarning


class Where(TypedDict, total=False):
    """Where things are in a source, as `read_corpus` has it."""

    text: str | int | Sequence[str] | None
    label: str | int | Sequence[Any] | None
    id: str | int | Sequence[Any] | None
    encoding: str | None
    format: str | None
    delimiter: str | None
    header: bool
    skip_bad_rows: bool


COLUMNS = ("text", "label", "id")
USUAL: Where = {"header": True, "skip_bad_rows": False}


def where_in(options: dict[str, Any]) -> tuple[Where, dict[str, Any]]:
    """Of options of `read_corpus` those that say where things are, and the others."""
    where = {name: value for name, value in options.items() if name in Where.__annotations__}
    others = {name: value for name, value in options.items() if name not in where}
    return where, others  # type: ignore[return-value]


def says_something(where: Where) -> bool:
    """Whether it says more than what holds without it."""
    return any(value != USUAL.get(name) for name, value in where.items() if value is not None)


def opened_where(source: Any, where: Where) -> Table | Bag:
    """What is in a source, looked at once; `columns_where` says the rest of it."""
    how = {name: value for name, value in where.items() if name not in COLUMNS}
    return opened(source, Reading(**how))  # type: ignore[arg-type]


def columns_where(where: Where) -> dict[str, Any]:
    """Which columns of what was opened are what."""
    return {name: where[name] for name in COLUMNS if name in where}  # type: ignore[literal-required]


def is_read(documents: Any, where: Where) -> bool:
    """Whether these documents are read by `read_corpus`: paths, tables, texts or lists of words.

    Whoever says where things are means that they are, whatever they look like.
    """
    if says_something(where):
        return True
    return isinstance(documents, pd.DataFrame) or holds_paths(documents) or is_texts(documents)


@dataclass(frozen=True)
class Intake:
    """Counts over the model's vocabulary, with the ids and whatever else came along."""

    counts: Any
    ids: Sequence[Any] | NDArray[Any]
    labels: Sequence[Any] | NDArray[Any] | None = None
    metadata: pd.DataFrame | None = None
    """The other columns, if any."""


def take_in(
    documents: Any, vocabulary: NDArray[np.object_], vectorizer: Any, **where: Unpack[Where]
) -> Intake:
    """Read documents of any form, or counts over the vocabulary; what has been read stays."""
    if isinstance(documents, Intake):
        return documents
    if isinstance(documents, Corpus):
        if says_something(where):
            read_corpus(documents, **where)  # says that a corpus has no columns
        return _of_corpus(documents, vocabulary, vectorizer)
    if is_texts(documents) and not holds_paths(documents) and not says_something(where):
        return Intake(_counts_of_texts(list(documents), vectorizer), _ids_of(documents))
    if is_read(documents, where):
        corpus = read_like_training(documents, vocabulary, vectorizer, where)
        _warn_of_unknown_texts(corpus.texts or [], corpus.counts)
        return _of_corpus(corpus, vocabulary, vectorizer)
    rows = as_matrix_or_weighted(documents)
    _check_width(rows, len(vocabulary))
    if isinstance(rows, Weighted):
        weighed = rows.around(_weighted(rows.counts, vectorizer))
        return Intake(weighed, np.arange(rows.shape[0]))
    return Intake(_weighted(rows, vectorizer), np.arange(rows.shape[0]))


def read_like_training(
    source: Any, words: NDArray[np.object_], vectorizer: Any, where: Where, **others: Any
) -> Corpus:
    """Read documents whose words are a model's, split as in its training; counts keep their own.

    `others` are options of `read_corpus`; a `vocabulary` among them is that of a file of counts,
    whose columns have the model's words if there is none, nor any beside the file.
    """
    contents = opened_where(source, where)
    options = {**columns_where(where), **others}
    if isinstance(contents, Bag):
        own = {"vocabulary": list(words)} if contents.words is None else {}
        return read_corpus(contents, **{**own, **options, "stop_words": None})
    options |= {"vocabulary": list(words), **tokenizing(vectorizer)}
    return as_given(read_corpus(contents, **options), vectorizer)


def as_given(corpus: Corpus, vectorizer: Any) -> Corpus:
    """The corpus, unless it has texts for a model that only knows lists of words."""
    tokenizers = [getattr(each, "tokenizer", None) for each in (vectorizer, corpus.vectorizer)]
    theirs, ours = (tokenizer is not None and tokenizer.given for tokenizer in tokenizers)
    if theirs and not ours and corpus.vectorizer is not None:
        raise InputError(
            "The words of the documents that this model was fitted to were given as lists, so how "
            "a text is split isn't known: give new documents as lists of words too."
        )
    return corpus


def _of_corpus(corpus: Corpus, vocabulary: NDArray[np.object_], vectorizer: Any) -> Intake:
    counts = _counts_of_corpus(corpus, vocabulary, vectorizer)
    return Intake(counts, corpus.ids, corpus.labels, corpus.metadata)


def _ids_of(texts: Any) -> NDArray[Any]:
    return texts.index.to_numpy() if isinstance(texts, pd.Series) else np.arange(len(texts))


def is_texts(documents: Any) -> bool:
    """Whether this is a list, a series or an array of strings, or of lists of words."""
    if isinstance(documents, pd.Series | np.ndarray):
        return documents.ndim == 1
    if not isinstance(documents, list | tuple) or not documents:
        return False
    strings = all(text is None or isinstance(text, str) for text in documents)
    # Empty lists alone are rows of no columns.
    return strings or (any(documents) and all(each is None or is_list(each) for each in documents))


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
            f"Documents can't be read from this {type(documents).__name__}; give a corpus, a path, "
            "a DataFrame, a list of texts, or a matrix of counts with one row per document, at "
            "least one."
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
        bool(texts[row].strip() if isinstance(texts[row], str) else texts[row])
        for row in np.flatnonzero(empty)
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
    if tokenizer.given:
        return {"ngrams": tokenizer.ngrams, "stop_words": sorted(tokenizer.stop_words) or None}
    names = ("lowercase", "min_length", "numbers", "hyphens", "ngrams", "entities")
    settings = {name: getattr(tokenizer, name) for name in names}
    split = {} if tokenizer.split is None else {"tokenizer": tokenizer.split}
    return settings | split | {"stop_words": sorted(tokenizer.stop_words) or None}
