"""Which words make up the vocabulary: not too rare, not too common, not too many.

``min_df`` and ``max_df`` are a number of documents (a whole number) or a share of them (a fraction,
1.0 being all). ``max_features`` keeps the words with the largest total count, or with the largest
total tf-idf (the formula is in ``weighting.py``), which prefers words that few documents use a lot.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.corpus.checks import whole
from chatham.corpus.text.weighting import document_frequencies, own_idf
from chatham.errors import InputError
from chatham.naming import plural
from chatham.notes import PRUNED, Note
from chatham.wording import Either, Parameter, Sentence, say

RANKINGS = ("count", "tfidf")
FEW_DOCUMENTS = 50
SOME_DOCUMENTS = 1000


@dataclass(frozen=True)
class Pruning:
    """The limits as the user gave them; None means the default for what is pruned."""

    min_df: float | None = None
    max_df: float | None = None
    max_features: int | None = None
    max_features_by: str = "count"

    def __post_init__(self) -> None:
        """Refuse limits that no word or no corpus could meet."""
        _check_limit("min_df", self.min_df)
        _check_limit("max_df", self.max_df)
        max_features = self.max_features
        if max_features is not None and (not whole(max_features) or max_features < 1):
            raise InputError(
                say(
                    "{max_features} must be a whole number of at least 1, not {it!r}.",
                    it=max_features,
                )
            )
        if self.max_features_by not in RANKINGS:
            raise InputError(
                say(
                    "{max_features_by} must be 'count' or 'tfidf', not {it!r}.",
                    it=self.max_features_by,
                )
            )

    def for_texts(self, n_documents: int) -> Pruning:
        """Fill in limits that suit ordinary texts.

        >>> Pruning().for_texts(2000).min_df, Pruning().for_texts(20).min_df
        (5, 1)
        """
        few = n_documents < FEW_DOCUMENTS
        min_df = 1 if few else 2 if n_documents < SOME_DOCUMENTS else 5
        return self._filled(min_df, 1.0 if few else 0.5)

    def for_counts(self) -> Pruning:
        """Fill in limits that leave given counts as they are.

        >>> Pruning(max_df=0.9).for_counts()
        Pruning(min_df=0, max_df=0.9, max_features=None, max_features_by='count')
        """
        # A column that is zero throughout is still a word of the given vocabulary.
        return self._filled(0, 1.0)

    def _filled(self, min_df: float, max_df: float) -> Pruning:
        return Pruning(
            min_df if self.min_df is None else self.min_df,
            max_df if self.max_df is None else self.max_df,
            self.max_features,
            self.max_features_by,
        )

    @property
    def is_set(self) -> bool:
        """Say whether any limit was given."""
        return any(x is not None for x in (self.min_df, self.max_df, self.max_features))

    def keep(self, counts: sp.csr_array) -> NDArray[np.int64]:
        """Choose the columns to keep, in their order.

        >>> Pruning(min_df=2, max_df=1.0).keep(sp.csr_array([[2, 0], [1, 1]])).tolist()
        [0]
        """
        n_documents = counts.shape[0]
        frequency = document_frequencies(counts)
        fewest = _documents(self.min_df, n_documents)
        most = _documents(self.max_df, n_documents)
        columns = np.flatnonzero((frequency >= fewest) & (frequency <= most))
        if columns.size == 0:
            raise InputError(self._nothing_left(counts.shape[1], n_documents))
        return self._largest(counts, columns)

    def _largest(self, counts: sp.csr_array, columns: NDArray[np.int64]) -> NDArray[np.int64]:
        if self.max_features is None or self.max_features >= columns.size:
            return columns
        score = np.asarray(counts.sum(axis=0), dtype=float)
        if self.max_features_by == "tfidf":
            score = score * own_idf(counts)
        # A stable sort: of words with equal scores the earlier column stays, on every machine.
        largest = np.argsort(-score[columns], kind="stable")[: self.max_features]
        return np.sort(columns[largest])

    @property
    def limits(self) -> Sentence:
        """The limits in words.

        >>> Pruning(2, 0.5).limits
        'min_df=2 and max_df=0.5'
        """
        return say("{min_df=} and {max_df=}", min_df=self.min_df, max_df=self.max_df)

    def _nothing_left(self, n_words: int, n_documents: int) -> Sentence:
        return say(
            "No word is left of {words} in {documents} with {limits}: lower {min_df}, raise "
            "{max_df}, or look at {cause}.",
            words=plural(n_words, "word"),
            documents=plural(n_documents, "document"),
            limits=self.limits,
            cause=Either("the tokenizer and stop words", say("{stop_words}")),
        )

    def note(self, n_before: int, n_after: int, noun: str = "word") -> Note:
        """Say what was done, in one sentence.

        >>> Pruning(2, 0.5).note(900, 400)
        'Kept 400 of 900 words: min_df=2 and max_df=0.5.'
        """
        largest = ""
        if self.max_features is not None:
            largest = f", then the {self.max_features:,} largest by {self.max_features_by}"
        sentence = say(
            "Kept {after:,} of {before}: {limits}{largest}.",
            after=n_after,
            before=plural(n_before, noun),
            limits=self.limits,
            largest=largest,
        )
        return Note(sentence, PRUNED)


def _check_limit(name: str, value: object) -> None:
    share = isinstance(value, float | np.floating) and 0.0 <= float(value) <= 1.0
    number = whole(value) and int(value) >= 0  # type: ignore[call-overload]
    if value is not None and not share and not number:
        raise InputError(
            say(
                "{name} must be a number of documents (a whole number) or a share of them "
                "(between 0.0 and 1.0), not {value!r}.",
                name=Parameter(name),
                value=value,
            )
        )


def _documents(limit: float | None, n_documents: int) -> float:
    assert limit is not None, "fill the limits in first: for_texts or for_counts"
    return float(limit) if whole(limit) else limit * n_documents
