"""Whose documents findings are: what an adversary would have of a party's own documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from chatham.audit.rebuilding.differences import proportions_key
from chatham.audit.rebuilding.finding import Finding
from chatham.corpus import Corpus


@dataclass(frozen=True)
class Exposed:
    """What an adversary would have of these documents."""

    documents: dict[str, Finding]
    """Documents that it has whole, by id: all words, in the right proportions."""
    parts: dict[str, frozenset[int]]
    """Words that it knows to be together, of documents that it doesn't have whole, by id."""
    elsewhere: tuple[Finding, ...]
    """Findings that are about none of these documents: of others, or wrong."""

    def __str__(self) -> str:
        whole, some = len(self.documents), len(self.parts)
        return f"{whole} documents whole, and words of {some} others"


class Lookup:
    """Documents by their content, to see whose a finding is."""

    def __init__(self, counts: Any) -> None:
        self.counts = sp.csr_array(counts, dtype=np.float64, copy=True)
        self.counts.sum_duplicates()
        self.counts.eliminate_zeros()
        self.by_word = sp.csc_array(self.counts)
        self.lengths = np.asarray(self.counts.sum(axis=1)).ravel()
        self._numbers: dict[tuple[bytes, bytes], list[int]] = {}
        for document in np.flatnonzero(np.diff(self.counts.indptr)).tolist():
            self._numbers.setdefault(proportions_key(*self.row(document)), []).append(document)

    def row(self, document: int) -> tuple[Any, Any]:
        """A document's words, in ascending order, and their counts."""
        cells = slice(self.counts.indptr[document], self.counts.indptr[document + 1])
        order = np.argsort(self.counts.indices[cells])
        return self.counts.indices[cells][order], self.counts.data[cells][order]

    def having(self, words: Any, proportions: Any) -> list[int]:
        """The documents that have these words in these proportions, and no others."""
        return self._numbers.get(proportions_key(words, proportions), [])

    def holders_of(self, words: Any) -> Any:
        """The documents that have all of these words."""
        ends = self.by_word.indptr
        each = [self.by_word.indices[ends[word] : ends[word + 1]] for word in words]
        held, times = np.unique(np.concatenate(each), return_counts=True)
        return held[times == len(words)]

    def about(self, finding: Finding) -> list[int]:
        """The documents that a finding is about, by number."""
        if finding.kind == "document":
            return self.having(finding.words, finding.counts)
        if finding.kind == "row":
            held = self.holders_of(finding.words[:1])
            return [int(i) for i in held if np.isin(self.row(i)[0], finding.words).all()]
        held = self.holders_of(finding.words)
        if finding.length is not None:
            held = held[self.lengths[held] == finding.length]
        return [int(i) for i in held]


def findings_of(findings: Iterable[Finding], corpus: Corpus) -> Exposed:
    """Which of a party's own documents an adversary with these findings would have.

    The corpus has its columns in the order of the fit. Where several documents have all words of a
    group, it is about each of them.
    """
    lookup, ids = Lookup(corpus.counts), [str(each) for each in corpus.ids]
    whole: dict[str, Finding] = {}
    parts: dict[str, set[int]] = {}
    elsewhere = []
    for finding in findings:
        about = lookup.about(finding)
        for number in about:
            if finding.kind == "document":
                whole.setdefault(ids[number], finding)
            else:
                own = np.intersect1d(lookup.row(number)[0], finding.words)
                parts.setdefault(ids[number], set()).update(map(int, own))
        if not about:
            elsewhere.append(finding)
    some = {each: frozenset(words) for each, words in parts.items() if each not in whole}
    return Exposed(whole, some, tuple(elsewhere))
