"""Words that the parties agree on, counted and weighed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import chatham as ch
from chatham.commons import Commons
from chatham.corpus.text.weighting import inverse_document_frequencies, weight_by_idf
from chatham.federation.program import count_word_documents
from chatham.federation.words import agree_vocabulary, recounted
from uplift_study.documents import LEAST_TOKENS, rules
from uplift_study.parties import Member

Meet = Callable[[list[Any]], Commons]
"""Makes a commons of every party's rows."""


def agreed_counts(corpus: ch.Corpus, members: Sequence[Member], meet: Meet) -> sp.csr_array:
    """Counts of the words that the parties agree on, by what they learn from alone."""
    policy = rules()
    offers = [policy.offered(corpus.rows(member.train)) for member in members]
    agreed = agree_vocabulary(meet(offers), policy=policy.policy)
    return recounted(policy.counted(corpus), agreed.words).counts


def long_enough(counts: sp.csr_array, members: Sequence[Member]) -> list[Member]:
    """The parties without documents that have hardly any of these words."""
    kept = np.asarray(counts.sum(axis=1)) >= LEAST_TOKENS
    return [
        Member(each.name, each.share, each.train[kept[each.train]], each.test[kept[each.test]])
        for each in members
    ]


def weighed(counts: sp.csr_array, members: Sequence[Member], meet: Meet) -> sp.csr_array:
    """Rows of tf-idf of length one; in how many documents a word is, is a sum over the parties."""
    commons = meet([counts[member.train] for member in members])
    with commons.fitting():
        frequencies, (n,) = commons.sum(count_word_documents)
    return unit_rows(weight_by_idf(counts, inverse_document_frequencies(frequencies, n)))


def frequencies(counts: sp.csr_array) -> sp.csr_array:
    """Rows that sum to one."""
    return _divided(counts, np.asarray(counts.sum(axis=1), dtype=float))


def unit_rows(rows: sp.csr_array) -> sp.csr_array:
    """Rows of length one."""
    return _divided(rows, np.sqrt(squared_norms(rows)))


def squared_norms(rows: sp.csr_array) -> NDArray[np.float64]:
    """Of each row."""
    return np.asarray(rows.multiply(rows).sum(axis=1), dtype=float)


def _divided(rows: sp.csr_array, by: NDArray[np.float64]) -> sp.csr_array:
    inverse = np.divide(1.0, by, out=np.zeros_like(by), where=by > 0)
    return sp.csr_array(sp.diags_array(inverse) @ rows)
