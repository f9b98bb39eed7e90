"""Topics from anywhere, in the form that measures read: Chatham's own models, or any others."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from chatham.learners.base import TopicLearner
from chatham.measures.elsewhere.files import read_topics
from chatham.measures.elsewhere.libraries import subject_of_fitted
from chatham.measures.elsewhere.topics import (
    is_array,
    needed_words,
    subject_of_octis,
    subject_of_sequence,
    subject_of_topics,
)
from chatham.measures.subject import Subject, subject_of_model
from chatham.model.topic_model import TopicModel


def as_subject(model: Any, vocabulary: Any = None, name: str | None = None) -> Subject:
    """What is to be measured, from a model of Chatham's or topics from elsewhere.

    `model` is one of

    - a `TopicModel`, or a fitted learner of Chatham's with `vocabulary`;
    - topics as lists of words, best first;
    - a K×V array with `vocabulary` (or both as a pair), or a DataFrame whose columns are words;
    - a fitted model of gensim (LdaModel, HdpModel, Nmf) or tomotopy;
    - a fitted model of scikit-learn with the vectorizer's words as `vocabulary`, or the Pipeline
      of both;
    - OCTIS's dictionary of a model's output ("topics", and with `vocabulary` its
      "topic-word-matrix");
    - a path that `read_topics` reads.

    >>> as_subject([["cat", "purr"], ["dog", "bark"]]).top_words(1)
    [['cat'], ['dog']]
    >>> as_subject([[3, 1], [0, 0]], vocabulary=["cat", "dog"]).distributions.tolist()
    [[0.75, 0.25], [0.0, 0.0]]
    """
    if isinstance(model, Subject):
        return model
    if isinstance(model, TopicModel):
        return subject_of_model(model, name)
    if isinstance(model, TopicLearner):
        return subject_of_model(TopicModel(model, needed_words(vocabulary, "this learner")), name)
    if isinstance(model, str | os.PathLike):
        return read_topics(model, vocabulary=vocabulary, name=name)
    if isinstance(model, Mapping):
        return subject_of_octis(model, vocabulary, name or "topics")
    if is_array(model):
        return subject_of_topics(model, vocabulary, name or "topics")
    if isinstance(model, list | tuple):
        return subject_of_sequence(model, vocabulary, name or "topics")
    return subject_of_fitted(model, vocabulary, name)
