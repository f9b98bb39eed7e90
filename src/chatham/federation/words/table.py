"""A holder's own words: which of them it offers to others, and its counts of those agreed on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.corpus.build import onto_vocabulary
from chatham.corpus.checks import as_counts, as_vocabulary
from chatham.corpus.corpus import Corpus, derived
from chatham.corpus.text.vectorizer import Vectorizer
from chatham.corpus.text.weighting import document_frequencies
from chatham.errors import InputError
from chatham.federation.words.codes import LONGEST_WORD, can_travel
from chatham.naming import plural
from chatham.wording import say

OWN_DF = 5


@dataclass(frozen=True, eq=False, repr=False)
class WordTable:
    """Words that a holder offers, with their document frequencies: the rows of a commons.

    >>> WordTable(["tea", "milk"], np.array([7, 5]))
    WordTable(2 words)
    """

    words: list[str]
    frequencies: NDArray[np.int64]
    documents: int = 0
    """How many documents the holder has; only limits that are shares need it."""

    def __post_init__(self) -> None:
        """Refuse words that can't be agreed on, without showing them."""
        frequencies = np.asarray(self.frequencies)
        object.__setattr__(self, "words", [str(word) for word in self.words])
        if frequencies.shape != (len(self.words),) or frequencies.dtype.kind not in "iu":
            raise InputError("Offered words need one whole number of documents each.")
        if len(self.words) and not 1 <= frequencies.min() <= frequencies.max() < 2**32:
            raise InputError("An offered word must be in at least 1 and fewer than 2^32 documents.")
        if len(set(self.words)) < len(self.words):
            raise InputError("A word is offered twice: add up its documents first.")
        if not all(map(can_travel, self.words)):
            raise InputError(
                f"An offered word is empty, has control characters or more than {LONGEST_WORD} "
                "bytes: leave it out, as offered_words does."
            )
        object.__setattr__(self, "frequencies", frequencies.astype(np.int64))

    @property
    def shape(self) -> tuple[int, int]:
        """One row per word, and one column, its document frequency: as wide at every holder."""
        return len(self.words), 1

    def __repr__(self) -> str:
        """The number of words; the words themselves are private."""
        return f"WordTable({plural(len(self.words), 'word')})"


def offered_words(corpus: Corpus, own_df: int = OWN_DF) -> WordTable:
    """The words in at least `own_df` of a corpus's documents that can be agreed on.

    >>> corpus = Corpus(np.array([[1, 1, 0], [2, 0, 0]]), ["tea", "milk", "rum"])
    >>> offered_words(corpus, own_df=2).words
    ['tea']
    """
    if type(own_df) is not int or own_df < 1:
        raise InputError(
            say("{own_df} must be a whole number of at least 1, not {value!r}.", value=own_df)
        )
    frequencies = document_frequencies(corpus.counts)
    words = [str(word) for word in corpus.vocabulary]
    columns = [i for i, n in enumerate(frequencies) if n >= own_df and can_travel(words[i])]
    columns.sort(key=words.__getitem__)
    return WordTable([words[i] for i in columns], frequencies[columns], corpus.n_documents)


def recounted(corpus: Corpus, words: Iterable[str]) -> Corpus:
    """A corpus with these words as its vocabulary, counted in its texts if it has them.

    In the texts, a word is also found if the corpus itself left it out as too rare or too common; a
    corpus of counts has zeros there.

    >>> corpus = Corpus(np.array([[2, 1]]), ["milk", "tea"])
    >>> recounted(corpus, ["cake", "tea"]).counts.toarray().tolist()
    [[0, 1]]
    """
    columns = [str(word) for word in words]
    tokenizer = corpus.vectorizer.tokenizer if corpus.vectorizer is not None else None
    if corpus.texts is None or tokenizer is None:
        return onto_vocabulary(corpus, columns)
    vectorizer = Vectorizer(tokenizer, as_vocabulary(columns, len(columns), len(corpus)))
    return derived(
        corpus,
        counts=as_counts(vectorizer.counts(corpus.texts)),
        vocabulary=vectorizer.vocabulary,
        vectorizer=vectorizer,
        notes=[*corpus.notes, "Only the words that were agreed on are counted."],
    )


def recount(corpus: Corpus, words: Iterable[str]) -> sp.csr_array:
    """The counts of these words in a corpus's documents, one column per word, in this order."""
    return recounted(corpus, words).counts
