"""How well a document's weights predict its class, compared with its words: accuracy.

Shen et al. (2010), section V-B4: logistic regression on the documents' weights, against the same on
their words. The regression is learned like everything else, by sums over documents; whether a
document is for training or for testing is decided by a coin keyed by its content, so that it falls
the same way anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.commons import Commons, Memory
from chatham.commons.precision import Total
from chatham.measures.evidence import classes_at, documents_at, weights_at
from chatham.measures.labels import logistic
from chatham.measures.labels.logistic import ClassNumbers
from chatham.measures.measure import Measure, Score, UndefinedError
from chatham.measures.settings import check_positive, check_share, check_whole
from chatham.measures.subject import Subject
from chatham.numerics.keyed import row_keys, uniforms
from chatham.wording import say

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

MOST_CLASSES = 1000
"""More labels than this aren't classes to learn."""

LARGEST_LOSS = 1000.0
"""−log of the probability of a document's class, which the search never comes near."""

MOST_PARAMETERS = 2**22
"""How many parameters a classifier may have: the search keeps some 25 copies, 800 MB, and in every
round that many numbers cross."""
Part = tuple[sp.csr_array, ClassNumbers]
"""Documents' features, and the numbers of their classes among the agreed ones."""


def count_classes(rows: Any, memory: Memory, subject: Subject, trial: Trial) -> tuple[Whole, Whole]:
    """How many documents of each class train and test; how many have no label, or several.

    Documents with several labels are counted, and not used in what follows.
    """
    mine = classified_at(rows, memory, subject, trial)
    width = len(subject.classes or ())
    counts = [np.bincount(part[1], minlength=width) for part in (mine.learned, mine.tried)]
    left_out = np.array([mine.unlabelled, mine.several], dtype=np.int64)
    return np.array(counts, dtype=np.int64), left_out


def feature_moments(
    rows: Any, memory: Memory, subject: Subject, trial: Trial
) -> tuple[Array, Array]:
    """Per topic (or word), the sum over my training documents; how many, and the sum of squares."""
    return logistic.moments(classified_at(rows, memory, subject, trial).learned[0])


def count_right(
    rows: Any,
    memory: Memory,
    subject: Subject,
    trial: Trial,
    columns: ClassNumbers,
    parameters: Array,
) -> tuple[Array, Array]:
    """How many of my test documents get the right class, and of how many."""
    tried = classified_at(rows, memory, subject, trial).tried
    return logistic.right(*tried, columns, parameters)


@dataclass(frozen=True)
class Accuracy(Measure):
    """The share of test documents whose class logistic regression finds from their weights.

    A document is a test by a coin with chance `test`, keyed by its words and `random_state`: it
    falls the same way wherever the document is, and for all documents with the same words. The
    regression (`logistic`) has a ridge `penalty` and takes up to about `max_rounds` sums; what
    crosses are a gradient for each topic and class, or each word and class. **A class with a single
    training document reveals that document's weights, and with the baseline its words**;
    `classes_of_one` in the notes says how many such classes there are. With `pairs` there is a
    problem of two classes for each pair, as in the source, and the value is the mean accuracy over
    the problems with tests.

    With `baseline` the notes have `bag_of_words`, the accuracy of the same regression on the
    documents' frequencies. By default there is one where all documents are with one
    holder: between several, a number for each word and class would cross in every round. It is
    None, and `bag_of_words_left_out` says why, where words and classes make more than 2²²
    parameters. `commonest_class` is the accuracy of always naming the class that most training
    documents have (the mean over the commonest where there are several).

    Documents without a label or with several are left out and counted. A class that no training
    document has can't be found: its tests count as wrong, and no pair has it. A tie between classes
    counts in equal parts, so a single topic scores as the commonest class. Undefined where
    the training documents have fewer than two classes, or there are no tests; where there are more
    than 1,000 classes, or than half as many as documents with one label; and where topics and pairs
    make more than 2²² parameters.
    """

    test: float = 0.2
    penalty: float = 1.0
    pairs: bool = False
    baseline: bool | None = None
    max_rounds: int = 300
    random_state: int = 0
    name: ClassVar[str] = "accuracy"
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"weights", "labels"})
    source: ClassVar[str] = "Shen et al. (2010), section V-B4"
    takes_coordinates: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse invalid settings."""
        check_share("test", self.test, above_zero=True, below_one=True)
        check_positive("penalty", self.penalty)
        check_whole("max_rounds", self.max_rounds, 1)
        check_whole("random_state", self.random_state, 0)

    @staticmethod
    def local_statistics(
        rows: Any,
        memory: Memory,
        subject: Subject,
        trial: Trial,
        columns: ClassNumbers,
        parameters: Array,
    ) -> tuple[Array, Array]:
        """The classifier's loss on my documents, and its gradient by topic (or word) and class."""
        learned = classified_at(rows, memory, subject, trial).learned
        return logistic.loss_and_gradient(*learned, columns, parameters)

    def value(self, totals: Any, subject: Subject) -> Score:
        """The mean accuracy over problems, from how many were right and of how many."""
        hits, tests = totals
        has_tests = tests > 0
        return Score(
            float((hits[has_tests] / tests[has_tests]).mean()),
            notes={"problems": int(has_tests.sum())},
        )

    def measure(self, subject: Subject, commons: Commons | None) -> Score:
        """Count the classes, learn on weights, test; and the same on words."""
        assert commons is not None, f"{self.name} needs documents"
        trial = Trial("weights", self.test, self.random_state)
        counts, left_out = commons.sum(count_classes, subject, trial)
        columns = self._columns(counts, subject.n_topics)
        total = _largest_sums(counts, columns)
        score, notes = self._tried(subject, commons, trial, columns, total)
        notes |= {"commonest_class": commonest(counts, columns), **_counted(counts, left_out)}
        if commons.holders == 1 if self.baseline is None else self.baseline:
            notes |= self._bag_of_words(subject, commons, trial, columns, total)
        return replace(score, notes=score.notes | notes)

    def _bag_of_words(
        self, subject: Subject, commons: Commons, trial: Trial, columns: ClassNumbers, total: Total
    ) -> dict[str, Any]:
        """The notes on the same regression with words, or why there is none."""
        width = len(subject.vocabulary) + 1
        if width * len(columns) > MOST_PARAMETERS:
            reason = (
                f"{width:,} × {len(columns):,} parameters are more than {MOST_PARAMETERS:,}; use "
                "fewer words."
            )
            return {"bag_of_words": None, "bag_of_words_left_out": reason}
        words = trial._replace(features="words")
        baseline, rounds = self._tried(subject, commons, words, columns, total)
        notes = {f"{name}_of_words": value for name, value in rounds.items()}
        return {"bag_of_words": baseline.value, **notes}

    def _columns(self, counts: Array, k: int) -> ClassNumbers:
        """The classes that can be learned, or their pairs."""
        learned, tried = counts
        learnable = np.flatnonzero(learned > 0)
        if len(learnable) < 2:
            raise UndefinedError(
                "The training documents have fewer than two classes, one label each."
            )
        if not (tried[learnable] if self.pairs else tried).sum():
            raise UndefinedError(
                "No document is left to test the classifier on; there are too few."
            )
        _check_classes(counts.sum(axis=0))
        pairs = len(learnable) * (len(learnable) - 1) // 2
        if self.pairs and (k + 1) * pairs > MOST_PARAMETERS:
            raise UndefinedError(
                say(
                    "{number:,} pairs of classes with {each:,} parameters each are more than "
                    "{most:,}; set {pairs=False}.",
                    number=pairs,
                    each=k + 1,
                    most=MOST_PARAMETERS,
                )
            )
        return logistic.pairs_of(learnable) if self.pairs else learnable

    def _tried(
        self, subject: Subject, commons: Commons, trial: Trial, columns: ClassNumbers, total: Total
    ) -> tuple[Score, dict[str, Any]]:
        sums, (documents, squares) = commons.sum(feature_moments, subject, trial, total=total)
        spread = logistic.Moments(float(documents), sums, float(squares))
        step = type(self).local_statistics
        sums_at = partial(commons.sum, step, subject, trial, columns, total=total)
        fit = logistic.fit(sums_at, spread, len(columns), self.penalty, self.max_rounds)
        totals = commons.sum(count_right, subject, trial, columns, fit.parameters, total=total)
        return self.value(totals, subject), {"rounds": fit.rounds, "converged": fit.converged}


def _largest_sums(counts: Whole, columns: ClassNumbers) -> Total:
    """Of sums to which a document adds a loss for each problem, and at most one.

    The search follows small differences of the loss, so its sum is as precise as there is room for.
    """
    documents = int(counts.sum())
    problems = 1 if columns.ndim == 1 else len(columns)
    most = min(problems, counts.shape[1]) * LARGEST_LOSS
    return documents * most, documents


def _check_classes(documents: Array) -> None:
    """Refuse labels that identify documents instead of grouping them."""
    classes, labelled = int((documents > 0).sum()), int(documents.sum())
    if classes > min(MOST_CLASSES, labelled / 2):
        raise UndefinedError(
            f"{labelled:,} documents have {classes:,} different labels, too many to learn: is this "
            f"an id column? There may be at most {MOST_CLASSES:,}, and half as many as documents."
        )


def commonest(counts: Array, columns: ClassNumbers) -> float:
    """The accuracy of always naming the class that most training documents have.

    `counts` are training (first row) and test documents (second row) of each class.

    >>> commonest(np.array([[3.0, 3.0, 1.0], [1.0, 2.0, 1.0]]), np.arange(3))
    0.375
    """
    problems = [counts] if columns.ndim == 1 else [counts[:, pair] for pair in columns]
    return float(np.mean([_commonest(*each) for each in problems if each[1].sum() > 0]))


def _commonest(learned: Array, tried: Array) -> float:
    return float(tried[learned == learned.max()].mean() / tried.sum())


def _counted(counts: Array, left_out: Array) -> dict[str, int]:
    return {
        "learned_on": int(counts[0].sum()),
        "tried_on": int(counts[1].sum()),
        "classes_of_one": int((counts[0] == 1).sum()),
        "classes_never_learned": int(((counts[0] == 0) & (counts[1] > 0)).sum()),
        "unlabelled": int(left_out[0]),
        "several_labels": int(left_out[1]),
    }


class Trial(NamedTuple):
    """Features to learn from ("weights" or "words"), and how documents are split to test them."""

    features: str
    test: float
    random_state: int


@dataclass(frozen=True, eq=False)
class Classified:
    """A holder's documents with one label each, training and test; how many were left out."""

    learned: Part
    tried: Part
    unlabelled: int
    several: int


def classified_at(rows: Any, memory: Memory, subject: Subject, trial: Trial) -> Classified:
    """This holder's documents with one label, prepared once."""
    return memory.derived(("classified", trial), _classified, rows, memory, subject, trial)


def _classified(rows: Any, memory: Memory, subject: Subject, trial: Trial) -> Classified:
    classes = classes_at(rows, memory, subject)
    labels = np.diff(classes.indptr)
    features = _features(rows, memory, subject, trial.features)
    test = coins(documents_at(rows, memory, subject).counts, trial)
    learned, tried = (
        (sp.csr_array(features[chosen]), classes[chosen].indices.astype(np.intp))
        for chosen in ((labels == 1) & ~test, (labels == 1) & test)
    )
    return Classified(learned, tried, int((labels == 0).sum()), int((labels > 1).sum()))


def _features(rows: Any, memory: Memory, subject: Subject, kind: str) -> sp.csr_array:
    if kind == "words":
        return documents_at(rows, memory, subject).frequencies
    # Sparse too: then both go the same way, and no threaded BLAS can reorder the sums.
    return sp.csr_array(weights_at(rows, memory, subject))


def coins(counts: sp.csr_array, trial: Trial) -> NDArray[np.bool_]:
    """Which documents are tests, by a coin for each that is keyed by its counts."""
    keys = row_keys(counts.indptr, counts.indices, counts.data, trial.random_state)
    return np.asarray(uniforms(keys, 1)[:, 0] < trial.test)
