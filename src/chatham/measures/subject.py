"""What is measured: a Chatham model or topics from anywhere, in the form that measures read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from chatham.commons.state import state_hash
from chatham.errors import InputError, UnknownLearnerError
from chatham.learners.settings.learned import Numbers, Series
from chatham.learners.words import best_words, check_ordering, score_words
from chatham.measures.settings import check_whole
from chatham.model.edits import Edits, described, shown_weights
from chatham.model.names import CANDIDATES, automatic_names
from chatham.model.registry import make_estimator
from chatham.model.topic_model import TopicModel
from chatham.model.word_space import WordSpace
from chatham.wording import Either, say

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Subject:
    """Topics over words; what computes documents' weights; each topic's share where it is known.

    `topics` is k×d with rows that sum to one, over plain words; None where only lists of words were
    given (`lists`), or where a model has `directions` in place of topics. `estimator` finds
    weights, which `space` turns into shares of plain words; `learner` is the name of a model's
    learner, known here or not; `vectorizer` weights counts as its training documents were.
    `classes` are the names of labels that everyone uses; `true_topics` and `vectors` (by word) are
    there if they were given. `anchors` (one column of the vocabulary per topic) and `correlations`
    (k×k, the joint distribution of two topics) are those of a model that has them. All who take
    part know all of this beforehand.
    """

    vocabulary: NDArray[np.object_]
    topics: Array | None = None
    lists: Sequence[Sequence[str]] | None = None
    prevalence: Array | None = None
    alpha: Array | None = None
    estimator: Any = None
    vectorizer: Any = None
    name: str = "topics"
    classes: tuple[str, ...] | None = None
    true_topics: Array | None = None
    vectors: Mapping[str, Array] | None = None
    anchors: NDArray[np.int64] | None = None
    correlations: Array | None = None
    learner: str = ""
    space: WordSpace | None = None
    """The map of a model to plain words; its order of a topic's words is the model's."""
    directions: int = 0
    """How many directions a decomposition has."""
    observes: bool = False
    """Whether cells that aren't stored are unknown to the model, and not zeros."""
    edits: Edits | None = None
    """What was done to a model's topics after its fit."""
    names: Mapping[int, str] | None = None
    """What a model's topics are called, by their numbers; it decides no sum."""

    @property
    def n_topics(self) -> int:
        """How many topics there are."""
        if self.topics is not None:
            return len(self.topics)
        return self.directions or len(self.lists or ())

    @property
    def has(self) -> frozenset[str]:
        """What is here of all that measures may need, by its names in `measure.NEEDS`."""
        available = {
            "words": not self.directions,
            "ratings": self.observes,
            "topics": self.topics is not None,
            "anchors": self.anchors is not None,
            "correlations": self.correlations is not None,
            "true_topics": self.true_topics is not None,
            "vectors": self.vectors is not None,
        }
        return frozenset(need for need, is_available in available.items() if is_available)

    @property
    def distributions(self) -> Array:
        """The topics as distributions, or an error where there are none."""
        if self.directions:
            raise InputError(
                f"The directions of {self.learner} are no distributions over words; measure a "
                "model that has topics."
            )
        if self.topics is None:
            raise InputError(
                "Lists of words have no probabilities; give topics as a K×V array with its "
                "vocabulary for measures that need them."
            )
        return self.topics

    @property
    def ordering(self) -> Array:
        """The topics by which words are ordered: with words weighted as the learner had them."""
        if self.edits is not None:
            return self.edits.ordering
        return self.distributions if self.space is None else self.space.ordering

    @property
    def numbers(self) -> list[int]:
        """What the topics are numbered by; not the places of rows where a model was edited."""
        return list(range(self.n_topics)) if self.edits is None else list(self.edits.last.numbers)

    @property
    def uttering(self) -> NDArray[np.bool_]:
        """Which topics have any words."""
        return np.asarray(self.distributions.any(axis=1))

    @property
    def shares(self) -> Array:
        """Each topic's share of the training documents; equal where it isn't known."""
        if self.prevalence is None:
            return np.full(self.n_topics, 1.0 / max(self.n_topics, 1))
        return self.prevalence

    def top_words(self, n: int, by: str = "prevalence", lam: float = 0.6) -> list[list[str]]:
        """The `n` first words of each topic, as the model's own tables have them.

        A topic with fewer has fewer, an empty one none.
        """
        check_whole("n", n, least=1)
        if self.topics is None and not self.directions:
            return [list(words[:n]) for words in self.lists or ()]
        check_ordering(by, lam)
        lists, ordering = _TOP_WORDS.setdefault(self, {}), (int(n), by, float(lam))
        if ordering not in lists:
            lists[ordering] = _top_words(self, self.ordering, *ordering)
        return [list(words) for words in lists[ordering]]

    @property
    def titles(self) -> list[str]:
        """What the topics are called, in the order of rows."""
        if self.names is not None:
            return list(self.names.values())
        return automatic_names(self.top_words(CANDIDATES, by="relevance"), set())

    def shared_state(self) -> bytes:
        """A hash of what decides the sums, for parties to compare; the name isn't part of it."""
        if self not in _STATES:
            words = None if self.lists is None else [list(map(str, words)) for words in self.lists]
            vectors = None if self.vectors is None else sorted(self.vectors.items())
            _STATES[self] = state_hash(
                [
                    "\n".join(map(str, self.vocabulary)), words, self.topics, self.prevalence,
                    self.alpha, _estimator_state(self.estimator),
                    _vectorizer_state(self.vectorizer), self.classes, self.true_topics, vectors,
                    self.anchors, self.correlations, *_edits_state(self.edits),
                ]
            )  # fmt: skip
        return _STATES[self]

    def weights(self, counts: Any) -> Array:
        """The documents' weights (n×k) from plain counts over the vocabulary; none may be empty."""
        if self.estimator is None:
            if self.topics is None:
                raise InputError("Lists of words can't give documents weights; give whole topics.")
            raise UnknownLearnerError(
                say(
                    "Documents get no weights without the model's learner, which isn't known "
                    "here; {how}.",
                    how=Either(
                        "load the model with its class, as learners=[...]",
                        f"if an installed package offers it, give --learner {self.learner}",
                    ),
                )
            )
        weighed = self.weighed(counts)
        weights = np.asarray(self.estimator.transform(weighed), dtype=np.float64)
        if self.directions:
            return weights
        if self.space is None:
            return on_simplex(weights)
        shares = self.shares if self.edits is None else self.edits.prevalence
        return shown_weights(self.space, self.edits, shares, weights, weighed)

    def weighed(self, counts: Any) -> Any:
        """Plain counts as the model reads them: weighted as its training documents were."""
        return counts if self.vectorizer is None else self.vectorizer.weigh(counts)


_TOP_WORDS: WeakKeyDictionary[Subject, dict[tuple[int, str, float], list[list[str]]]] = (
    WeakKeyDictionary()
)
"""The top words of subjects that are still in use: many measures need the same ones."""


_STATES: WeakKeyDictionary[Subject, bytes] = WeakKeyDictionary()
"""Hashes of subjects that are still in use: every round of every measure needs them."""

_WITHOUT_EFFECT = {"n_jobs", "verbose", "random_state", "init", "max_iter", "tol"}
"""Parameters that don't affect the weights of documents, and may differ between holders."""


def _estimator_state(estimator: Any) -> list[Any] | None:
    """What of an estimator decides the weights of documents: arrays and plain values."""
    if estimator is None:
        return None
    parameters = estimator.get_params(deep=False) if hasattr(estimator, "get_params") else {}
    plain = {
        n: v for n, v in sorted(parameters.items()) if n not in _WITHOUT_EFFECT and np.isscalar(v)
    }
    learned = getattr(estimator, "learned", {}).items()
    numbers = [name for name, kind in learned if isinstance(kind, Numbers | Series)]
    names = ["components_", "prevalence_", *numbers]
    fitted = {n: np.asarray(getattr(estimator, n)) for n in names if hasattr(estimator, n)}
    return [type(estimator).__name__, plain, fitted]


def _vectorizer_state(vectorizer: Any) -> list[Any] | None:
    """How texts become counts; a user's own tokenizer function can't be inspected."""
    if vectorizer is None:
        return None
    tokenizer = vectorizer.tokenizer
    rules = (
        {} if tokenizer is None else {f.name: getattr(tokenizer, f.name) for f in fields(tokenizer)}
    )
    rules |= {"stop_words": sorted(rules.get("stop_words", ())), "split": None}
    return [vectorizer.weighting, vectorizer.idf, rules]


def _edits_state(edits: Edits | None) -> list[Any]:
    """Nothing for a model as it was fitted; else what was done to it."""
    if edits is None:
        return []
    listed, arrays = described(edits)
    return [json.dumps(listed), arrays]


def _top_words(subject: Subject, topics: Array, n: int, by: str, lam: float) -> list[list[str]]:
    scores = score_words(topics, subject.shares, by, lam)
    columns = best_words(scores, topics, list(subject.vocabulary), n)
    return [[str(word) for word in subject.vocabulary[best]] for best in columns]


def on_simplex(weights: Array) -> Array:
    """Rows that sum to one, for learners whose weights are plain coordinates too."""
    positive = np.maximum(weights, 0.0)
    totals = positive.sum(axis=1, keepdims=True)
    return np.where(totals > 0, positive / np.where(totals > 0, totals, 1.0), 1 / weights.shape[1])


def subject_of_model(model: TopicModel, name: str | None = None) -> Subject:
    """One of our own models."""
    estimator = _estimator_of(model)
    fitted = model._fitted if estimator is None else estimator
    alpha, directions = getattr(fitted, "alpha_", None), model._fitted._gives_directions
    correlations, edits = getattr(fitted, "correlations_", None), model._edits
    if edits is not None and alpha is not None:
        alpha = np.asarray(alpha, dtype=np.float64) @ edits.map
    return Subject(
        vocabulary=model.vocabulary,
        topics=None if directions else model.topics,
        prevalence=model.prevalence,
        alpha=None if alpha is None else np.asarray(alpha, dtype=np.float64),
        estimator=estimator,
        vectorizer=model.vectorizer,
        name=name or model.algorithm,
        anchors=None if edits is not None else getattr(fitted, "anchors_", None),
        correlations=None if correlations is None else model._correlations,
        learner=model.algorithm,
        space=None if directions else model.word_space,
        edits=edits,
        names=model.names,
        directions=model.n_topics if directions else 0,
        observes=fitted._observes,
    )


def _estimator_of(model: TopicModel) -> Any:
    """None where its learner isn't known here: then documents get no weights."""
    try:
        return model.estimator
    except UnknownLearnerError:
        return None


def folding(learner: str, topics: Array) -> Any:
    """An estimator that only finds weights for these topics, as the learner of that name does.

    "plsa" finds those of the highest likelihood, "nmf" those of the least squared error.
    """
    estimator = make_estimator(learner, {"n_components": len(topics)})
    estimator.components_ = np.ascontiguousarray(topics, dtype=np.float64)
    estimator.prevalence_ = np.full(len(topics), 1.0 / len(topics))
    estimator.n_features_in_ = topics.shape[1]
    return estimator


def smoothed(topics: Array, smoothing: float) -> Array:
    """Topics with a share of the uniform distribution, so that no word is impossible."""
    return np.asarray((1 - smoothing) * topics + smoothing / topics.shape[1])
