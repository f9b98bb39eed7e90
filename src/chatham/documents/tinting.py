"""The topic that each word of a document is from, with its place in the text.

A word j of a document with weights W_t is from topic t with the probability

    p(t | j) ∝ W_t · P_tj,

P being the topics over plain words: what a word is from depends on the document that it is in. Of
n-grams that overlap the longest is shown, of equally long ones the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.corpus import Tokenizer
from chatham.corpus.text.places import NOWHERE, Place, places_of_terms
from chatham.corpus.text.tokens import NGRAM_JOINER
from chatham.corpus.text.vectorizer import as_texts
from chatham.errors import InputError
from chatham.measures.elsewhere.anything import as_subject
from chatham.measures.subject import Subject
from chatham.model.tinted import Span, Tinted

Array = NDArray[np.float64]

DIGITS = 12
"""Probabilities that agree to so many digits are equal: their last bits differ between machines."""


def tinted(model: Any, text: Any, vocabulary: Any = None) -> Tinted:
    """The topic that each word of a text is from.

    `text` is one text, or a list of its words; `model` a model, or topics from elsewhere.

    >>> import numpy as np
    >>> topics = np.array([[0.5, 0.5, 0.0], [0.2, 0.0, 0.8]])
    >>> document = tinted(topics, "Rain: fewer bikes, more buses!", ["rain", "bikes", "buses"])
    >>> [(text, span and span.topic) for text, span in document.pieces()]
    [('Rain', 0), (': fewer ', None), ('bikes', 0), (', more ', None), ('buses', 1), ('!', None)]
    """
    subject = as_subject(model, vocabulary)
    check_topics(subject)
    return tint(subject, one_text(text))


def check_topics(subject: Subject) -> None:
    """Refuse what has no distributions over words, or no weights of documents."""
    if subject.directions:
        raise InputError(
            f"Words are from no direction of {subject.learner}, and documents have no shares of "
            "them; give a model of topics."
        )
    _ = subject.distributions


def one_text(text: Any) -> str:
    """One text, or the list of a text's words, as a document."""
    if isinstance(text, str):
        return text
    if not isinstance(text, list | tuple | np.ndarray):
        raise InputError(
            f"A text is needed, or the list of its words, and this is of type "
            f"{type(text).__name__}; of a corpus give one of its texts, such as corpus.texts[0]."
        )
    (document,) = as_texts([list(text)])
    return document


def tint(subject: Subject, text: str, weights: Array | None = None) -> Tinted:
    """The same of a subject with topics; `weights` are the document's, if they are known."""
    places, columns = known_places(subject, text)
    if weights is None:
        weights = _weights_of(subject, columns)
    kept = _apart(places)
    shown = [places[number] for number in kept]
    probabilities = topics_of_words(subject.distributions, weights, columns[kept])
    likeliest = np.round(probabilities, DIGITS).argmax(axis=1)
    numbers = subject.numbers
    spans = [
        Span(
            place.begin,
            place.end,
            place.term,
            int(numbers[row]) if given[row] > 0 else None,
            float(given[row]),
        )
        for place, row, given in zip(shown, likeliest, probabilities, strict=True)
    ]
    return Tinted(
        text, tuple(spans), weights, np.array(numbers), tuple(subject.titles), probabilities
    )


def known_places(subject: Subject, text: str) -> tuple[list[Place], NDArray[np.int64]]:
    """The words of a text that a subject knows, each with its column, as they are counted.

    >>> from chatham.measures.elsewhere.anything import as_subject
    >>> places, columns = known_places(as_subject([[1, 1]], ["tea", "milk"]), "Milk in the tea")
    >>> [place.term for place in places], columns.tolist()
    (['milk', 'tea'], [1, 0])
    """
    column_of = {str(word): column for column, word in enumerate(subject.vocabulary)}
    found = [p for p in places_of_terms(_tokenizer_of(subject, text), text) if p.term in column_of]
    return found, np.array([column_of[place.term] for place in found], dtype=np.int64)


def topics_of_words(topics: Array, weights: Array, columns: NDArray[np.int64]) -> Array:
    """p(t | word, document) of the words in these columns (words×k); zeros if no topic has it.

    >>> topics_of_words(np.array([[0.6, 0.4], [0.2, 0.8]]), np.array([0.5, 0.5]),
    ...                 np.array([0])).round(2).tolist()
    [[0.75, 0.25]]
    """
    joint = topics[:, columns].T * weights
    totals = joint.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(joint, totals, out=np.zeros_like(joint), where=totals > 0))


def _tokenizer_of(subject: Subject, text: str) -> Tokenizer:
    tokenizer = getattr(subject.vectorizer, "tokenizer", None)
    # Without one every word is looked for as it is, stop words included, as in `transform`.
    return Tokenizer() if tokenizer is None else tokenizer


def _weights_of(subject: Subject, columns: NDArray[np.int64]) -> Array:
    if not len(columns):
        return np.asarray(subject.shares, dtype=np.float64)
    counts = np.bincount(columns, minlength=len(subject.vocabulary)).astype(np.float64)
    return np.asarray(subject.weights(sp.csr_array(counts[None, :]))[0])


def _apart(places: Sequence[Place]) -> list[int]:
    """The places that are shown, in the text's order: no two overlap, longer n-grams come first."""
    in_text = [number for number, place in enumerate(places) if place.begin != NOWHERE]
    order = sorted(in_text, key=lambda n: (-_words_in(places[n].term), places[n].begin))
    taken: list[int] = []
    covered: set[int] = set()
    for number in order:
        characters = range(places[number].begin, places[number].end)
        if characters and covered.isdisjoint(characters):
            taken.append(number)
            covered.update(characters)
    return sorted(taken, key=lambda number: places[number].begin)


def _words_in(term: str) -> int:
    return term.count(NGRAM_JOINER) + 1
