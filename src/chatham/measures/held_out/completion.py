"""Document completion: half of a document's tokens predict the other half.

The "document completion" of Wallach et al. (2009) in the form that suits every learner: weights
are those that the model itself gives the half that is seen, so no prior is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.commons.precision import Budgets
from chatham.learners.held_out import halves
from chatham.measures.evidence import documents_at
from chatham.measures.held_out.sums import BUDGETS, score_of, sums_over
from chatham.measures.likelihood import log_likelihoods
from chatham.measures.measure import Measure, Score
from chatham.measures.settings import check_share, check_whole
from chatham.measures.subject import Subject, smoothed

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Completion(Measure):
    """The mean log-probability of the hidden half's tokens, Σ_ij H_ij log (W T)_ij / Σ_ij H_ij.

    A coin for each token, keyed by its document's content, decides whether it is seen or hidden; W
    are the weights that the model gives the seen halves, and H counts the hidden ones. Tokens are
    scored independently: hidden words say nothing about one another, unlike in `left_to_right`. A
    cell of 2.7 is two tokens and one of weight 0.7.

    A document with an empty half is left out, as one of a single token always is; the notes say
    how many were. Topics are mixed with a share `smoothing` of the uniform distribution; with 0 a
    hidden word of probability zero in its document makes the measure undefined. The notes have
    the standard error over documents. Another `seed` tosses other coins.
    """

    smoothing: float = 0.01
    seed: int = 0
    name: ClassVar[str] = "completion"
    higher_is_better: ClassVar[bool] = True
    counts_absence: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"topics", "held_out"})
    source: ClassVar[str] = "Wallach et al. (2009)"
    budget: ClassVar[Budgets] = BUDGETS

    def __post_init__(self) -> None:
        check_share("smoothing", self.smoothing)
        check_whole("seed", self.seed, 0)

    def shared(self, subject: Subject) -> tuple[Any, ...]:
        """How much the topics are smoothed, and which coins are tossed."""
        return self.smoothing, self.seed

    @staticmethod
    def local_statistics(
        rows: Any, memory: Memory, subject: Subject, smoothing: float, seed: int
    ) -> tuple[Array, Array, Array]:
        """Sums of log-probability, tokens, squares, product; documents, left out, impossible.

        Over my documents' hidden halves: log p, N, (log p)², N² and N·log p; how many they are, how
        many were left out, and how many have a word of probability zero.
        """
        counts, settings = documents_at(rows, memory, subject).counts, (smoothing, seed)
        # Perplexity needs the same sums.
        return memory.derived(("completion", *settings), _completed, counts, subject, *settings)

    def value(self, totals: Any, subject: Subject) -> Score:
        """The mean over hidden tokens, with its error."""
        plain, squares, left_out = totals
        if_none = "No document has a word of the vocabulary in each of two halves."
        score = score_of(plain, squares, if_none)
        score.notes.update(left_out=int(left_out[0]))
        return score


def _completed(
    counts: sp.csr_array, subject: Subject, smoothing: float, seed: int
) -> tuple[Array, Array, Array]:
    seen, hidden = halves(counts, seed)
    has_both = (np.diff(seen.indptr) > 0) & (np.diff(hidden.indptr) > 0)
    left_out = np.array([float((~has_both).sum())])
    if not has_both.any():
        return *sums_over(np.zeros(0), np.zeros(0)), left_out
    seen, hidden = sp.csr_array(seen[has_both]), sp.csr_array(hidden[has_both])
    topics = smoothed(subject.distributions, smoothing)
    logs = log_likelihoods(hidden, subject.weights(seen), topics)
    possible = np.isfinite(logs)
    sizes = np.asarray(hidden.sum(axis=1))
    return *sums_over(np.where(possible, logs, 0.0), sizes, (~possible).sum()), left_out
