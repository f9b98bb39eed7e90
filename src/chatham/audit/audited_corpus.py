"""The documents that an audit is about: as the fit sees them, and as plain counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.audit.neighbours import targets_by_id
from chatham.corpus import Corpus
from chatham.corpus.tfidf import is_weighted, unweighted, weighted
from chatham.learners.base import TopicLearner
from chatham.model.fit import corpus_for
from chatham.model.intake import as_matrix


@dataclass(frozen=True, eq=False)
class AuditedCorpus:
    """Documents × words twice over, and what the rows are called."""

    rows: sp.csr_array
    """What the fit sees: counts, or counts that are weighted word by word."""
    counts: sp.csr_array
    """Plain counts. Of a matrix nobody knows whether it is one of counts: it is taken as it is."""
    scale: NDArray[np.float64]
    """What counts are multiplied by before the fit, word by word: idf, or ones."""
    ids: tuple[str, ...]
    vocabulary: NDArray[Any]
    """Words; the numbers of its columns for a matrix, which has none."""
    vectorizer: Any = None
    has_words: bool = True
    """Whether the vocabulary is one of words."""

    @classmethod
    def read(
        cls, corpus: Any, learner: TopicLearner, weighting: str, without: Sequence[str] = ()
    ) -> AuditedCorpus:
        """The documents as `ch.fit` reads them for this learner, but for those that are left out.

        Columns stay the same. If idf is the corpus's own, it is that of the documents that remain.
        """
        read = corpus_for(learner, corpus, weighting)
        if read is None:
            return cls._of_matrix(sp.csr_array(as_matrix(corpus)), without)
        if len(without):
            kept = _others(without, read.ids.tolist())
            own_idf = is_weighted(read) and not (isinstance(corpus, Corpus) and is_weighted(corpus))
            read = weighted(unweighted(read).rows(kept)) if own_idf else read.rows(kept)
        idf = None if read.vectorizer is None else read.vectorizer.idf
        return cls(
            sp.csr_array(read.counts),
            sp.csr_array(unweighted(read).counts),
            np.ones(read.shape[1]) if idf is None else np.asarray(idf, dtype=np.float64),
            tuple(str(each) for each in read.ids),
            read.vocabulary,
            read.vectorizer,
        )

    @classmethod
    def _of_matrix(cls, rows: sp.csr_array, without: Sequence[str]) -> AuditedCorpus:
        """A matrix, whose documents are called by the numbers of their rows."""
        ids = [str(row) for row in range(rows.shape[0])]
        kept = _others(without, ids)
        words = np.array([str(column) for column in range(rows.shape[1])], dtype=object)
        rows = sp.csr_array(rows[kept])
        names = tuple(ids[row] for row in kept)
        return cls(rows, rows, np.ones(len(words)), names, words, has_words=False)

    def __len__(self) -> int:
        return int(self.rows.shape[0])


def _others(without: Sequence[str], ids: Sequence[Any]) -> NDArray[np.int64]:
    """The rows of all documents but these."""
    return np.delete(np.arange(len(ids)), targets_by_id(list(without), ids))
