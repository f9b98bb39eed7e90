"""Words by topics, in an order that shows blocks: Termite's matrix (thesis 1.3.6.3, Fig. 1.21)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chatham.looking.seriation import seriated
from chatham.looking.topics import Topics, topics_of
from chatham.numerics.threads import threads

Array = NDArray[np.float64]

MOST_TOPICS = 40
"""More columns can't be read; the largest topics are shown."""


@dataclass(frozen=True, eq=False)
class WordMatrix:
    """Words (rows) by topics (columns), ordered."""

    topics: Topics
    columns: list[int]
    """Which rows of `topics` the columns are."""
    words: list[str]
    entries: Array
    """A word's probability in a topic, or its entry in a direction."""

    @property
    def relative(self) -> Array:
        """The same, relative to the largest in its column, so that all topics look alike."""
        return relative_to_largest(self.entries)

    def table(self) -> pd.DataFrame:
        """One row per word, one column per topic, named by its number."""
        numbers = [self.topics.numbers[row] for row in self.columns]
        index = pd.Index(np.array(self.words, dtype=object), name="word")
        return pd.DataFrame(self.entries, index=index, columns=numbers)


def word_matrix(
    model: Any,
    *,
    n: int = 3,
    by: str = "prevalence",
    lam: float = 0.6,
    topics: Any = None,
    vocabulary: Any = None,
) -> WordMatrix:
    """The `n` first words of each topic, and their probabilities in all of them.

    Topics and words are in the orders of largest bond energy, with each topic's probabilities
    relative to its largest, or a topic of one word would decide the order of all. Blocks of
    words are then put in the order of the topics that they are most probable in, so that they lie
    along the diagonal. Of many topics the largest are shown, or those with the numbers `topics`.
    """
    known = topics_of(model, vocabulary)
    rows = known.largest(MOST_TOPICS) if topics is None else known.rows_of(topics)
    column = {str(word): place for place, word in enumerate(known.vocabulary)}
    lists = known.words(n, by, lam)
    words = list(dict.fromkeys(word for row in rows for word in lists[row]))
    entries = known.entries[np.ix_(rows, [column[word] for word in words])].T
    with threads(None):
        word_order, topic_order = seriated(np.abs(relative_to_largest(entries)))
    entries = entries[:, topic_order]
    main = np.abs(relative_to_largest(entries)).argmax(axis=1) if len(words) else np.zeros(0)
    word_order = word_order[np.argsort(main[word_order], kind="stable")]
    return WordMatrix(
        known,
        [rows[place] for place in topic_order],
        [words[place] for place in word_order],
        entries[word_order],
    )


def relative_to_largest(entries: Array) -> Array:
    """Columns divided by what is largest in them, in size."""
    largest = np.abs(entries).max(axis=0, initial=0.0)
    return np.asarray(entries / np.where(largest > 0, largest, 1.0))
