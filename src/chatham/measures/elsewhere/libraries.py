"""Fitted models of gensim, tomotopy and scikit-learn, recognised by attributes, never imported."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.words import as_probabilities
from chatham.measures.elsewhere.topics import measurable, shares_of, subject_of_topics
from chatham.measures.subject import Subject
from chatham.model.word_space import WordSpace
from chatham.wording import say

Array = NDArray[np.float64]


def subject_of_fitted(model: Any, vocabulary: Any = None, name: str | None = None) -> Subject:
    """Another library's fitted model."""
    kind = type(model)
    package = kind.__module__.partition(".")[0]
    subject_name = name or kind.__name__
    if package == "tomotopy":
        return _of_tomotopy(model, subject_name)
    if package == "gensim" or callable(getattr(model, "get_topics", None)):
        return _of_gensim(model, vocabulary, subject_name)
    if hasattr(model, "steps"):
        return _of_pipeline(model, vocabulary, name)
    if hasattr(model, "components_"):
        return _of_scikit_learn(model, vocabulary, subject_name)
    if package == "sklearn":
        raise InputError(f"The {kind.__name__} isn't fitted, or has no topics; fit it first.")
    raise InputError(
        f"Topics can't be read from {kind.__name__}; give a TopicModel, lists of words, a K×V "
        "array with its vocabulary, a model of gensim, scikit-learn or tomotopy, or a path."
    )


def _of_gensim(model: Any, vocabulary: Any, name: str) -> Subject:
    """`get_topics()` and `id2word`; an HdpModel has as many topics as it was allowed at most."""
    if type(model).__name__ == "LsiModel" or not hasattr(model, "get_topics"):
        raise InputError(
            f"gensim's {type(model).__name__} has no topics that are distributions over words; "
            "give lists of its topics' words."
        )
    try:
        topics = np.asarray(model.get_topics(), dtype=np.float64)
    except (AttributeError, TypeError, ValueError):
        raise InputError(f"The {type(model).__name__} isn't trained yet; train it first.") from None
    words = vocabulary if vocabulary is not None else _words_of_gensim(model, topics.shape[-1])
    return subject_of_topics(topics, words, name, alpha=getattr(model, "alpha", None))


def _words_of_gensim(model: Any, width: int) -> list[str]:
    names = getattr(model, "id2word", None)
    names = None if type(names).__name__ == "FakeDict" else names  # whose words are numbers
    try:
        words = [names[column] for column in range(width)]  # type: ignore[index]
    except (KeyError, IndexError, TypeError):
        words = []
    if not words or not all(isinstance(word, str) for word in words):
        raise InputError(
            say(
                "This {kind} doesn't know its words: it was trained without id2word; give "
                "{vocabulary=}, one word for each column.",
                kind=type(model).__name__,
            )
        )
    return words


def _of_tomotopy(model: Any, name: str) -> Subject:
    """Its live topics; each one's share is that of the training tokens."""
    words = list(getattr(model, "used_vocabs", ()))
    if not words:  # asked for its topics, an untrained model crashes the whole process
        raise InputError(f"tomotopy's {type(model).__name__} isn't trained; train it first.")
    try:
        alive = [topic for topic in range(model.k) if _is_alive(model, topic)]
        topics = np.array([model.get_topic_word_dist(topic) for topic in alive])
        sizes = np.asarray(model.get_count_by_topics(), dtype=np.float64)[alive]
    except (AttributeError, TypeError, ValueError, RuntimeError, IndexError):
        raise InputError(
            f"Topics can't be read from tomotopy's {type(model).__name__}; give lists of its "
            "topics' words."
        ) from None
    alpha = np.asarray(getattr(model, "alpha", None))
    alive_alpha = alpha[alive] if alpha.shape == (model.k,) else None
    return subject_of_topics(topics, words, name, alpha=alive_alpha, prevalence=shares_of(sizes))


def _is_alive(model: Any, topic: int) -> bool:
    """Hierarchical models keep the numbers of topics that are gone."""
    return not hasattr(model, "is_live_topic") or bool(model.is_live_topic(topic))


def _of_pipeline(pipeline: Any, vocabulary: Any, name: str | None) -> Subject:
    """The last step is the model, and the steps before it know the words."""
    model = pipeline.steps[-1][1]
    words = vocabulary
    if words is None:
        try:
            words = [str(word) for word in pipeline[:-1].get_feature_names_out()]
        except Exception as error:
            raise InputError(
                say(
                    "The steps before the Pipeline's last have no words ({kind}): fit "
                    "it first, or give {vocabulary=}.",
                    kind=type(error).__name__,
                )
            ) from None
    idf = _idf_of(pipeline)
    return _of_scikit_learn(model, words, name or type(model).__name__, idf)


def _idf_of(pipeline: Any) -> NDArray[np.float64] | None:
    """By what a step weighted the words, which topics over plain words are without."""
    for _, step in reversed(pipeline.steps[:-1]):
        if hasattr(step, "idf_"):
            return np.asarray(step.idf_, dtype=np.float64)
    return None


def _of_scikit_learn(
    model: Any, vocabulary: Any, name: str, idf: NDArray[np.float64] | None = None
) -> Subject:
    """`components_`: pseudo-counts or weights, of which only each row's proportions are kept.

    Of words that were weighted by idf, topics are over plain words and ordered as weighted, as ours
    are (`word_space`).
    """
    if not hasattr(model, "components_"):
        raise InputError(f"The {type(model).__name__} isn't fitted, or has no topics.")
    names = getattr(model, "feature_names_in_", None) if vocabulary is None else vocabulary
    if names is None:
        raise InputError(
            say(
                "The {kind} doesn't know its words: give "
                "{vocabulary=vectorizer.get_feature_names_out()}, or the Pipeline of both.",
                kind=type(model).__name__,
            )
        )
    alpha = getattr(model, "doc_topic_prior_", None)
    if idf is None:
        return subject_of_topics(model.components_, names, name, alpha=alpha)
    weighted = as_probabilities(measurable(model.components_))
    subject = subject_of_topics(weighted / idf, names, name, alpha=alpha)
    return replace(subject, space=WordSpace(subject.distributions, weighted, None))
