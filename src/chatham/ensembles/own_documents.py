"""A party's own documents beside its own summary, where they are at hand.

A bound is computed without documents. Whoever has them, which is the party itself, sees beside it
what the merged topics are worth in truth: their squared error, or log-likelihood, with the best
weights, over the words that the party published and as these were weighted.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp

from chatham.ensembles.alignment import Aligned
from chatham.ensembles.summary import FREQUENCIES, Summary
from chatham.errors import InputError
from chatham.learners.weighted import counted_in
from chatham.model.intake import take_in
from chatham.naming import plural
from chatham.notes import UnknownWordsWarning

SAME = 1e-6
"""Within this share, two numbers of tokens are the same."""


def own_counts(together: Aligned, party: int, documents: Any) -> Any:
    """The documents over the words that their party published, if they are those of its summary.

    A summary was made of so many documents with so many tokens: others are refused.
    """
    summary = together.summaries[party]
    with warnings.catch_warnings():
        # Words that few documents have aren't published, and so are expected to be missing.
        warnings.simplefilter("ignore", UnknownWordsWarning)
        rows = take_in(documents, summary.vocabulary, summary.vectorizer).counts
    _check_same(summary, together.names[party], rows)
    return rows


def _check_same(summary: Summary, name: str, rows: Any) -> None:
    counted = sp.csr_array(counted_in(rows), dtype=np.float64, copy=True)
    counted.eliminate_zeros()
    tokens = float(counted.sum())
    if rows.shape[0] != summary.documents or abs(tokens - summary.tokens) > SAME * summary.tokens:
        raise InputError(
            f"These aren't the documents of {name}'s summary: it was made from "
            f"{plural(summary.documents, 'document')} with {summary.tokens:,.0f} tokens of its "
            f"words, and these are {plural(rows.shape[0], 'document')} with {tokens:,.0f}; give "
            "the documents that it was published with."
        )
    if not _same_words(summary, counted):
        raise InputError(
            f"These aren't the documents of {name}'s summary: as many, but with its words in other "
            "numbers; give the documents that it was published with."
        )


def _same_words(summary: Summary, counted: sp.csr_array) -> bool:
    """Whether words are as frequent as the summary tells, if it does."""
    told = summary.statistics
    if summary.kind == "nmf":
        having = np.bincount(counted.indices, minlength=counted.shape[1])
        return FREQUENCIES not in told or np.array_equal(having, told[FREQUENCIES])
    totals = told["expected" if summary.kind == "plsa" else "counts"].sum(axis=0)
    return bool(np.allclose(counted.sum(axis=0), totals, rtol=SAME, atol=SAME))
