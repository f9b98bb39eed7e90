"""The numbers, names and order of a model's topics and words, wherever the page needs them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chatham.model.topic_model import TopicModel


def numbers_of(model: TopicModel) -> list[int]:
    """The topics' numbers, in the order of rows."""
    return [int(number) for number in model.numbers]


def names_of(model: TopicModel) -> dict[int, str]:
    """The name of each topic."""
    return {number: str(model.names[number]) for number in numbers_of(model)}


def ordering_of(model: TopicModel) -> NDArray[np.float64]:
    """The topics by which the model orders words: weighted as its learner had them."""
    return model.word_space.ordering if model._edits is None else model._edits.ordering
