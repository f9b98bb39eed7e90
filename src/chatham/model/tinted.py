"""A document with the topic that each of its words is from; `model.tinted` makes one."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chatham.naming import plural

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Span:
    """A word of the vocabulary where it stands in the text, and the topic that it is from.

    `topic` is the number of the likeliest topic, of equally likely ones the smallest, and
    `probability` is how likely. It is None where no topic that the document has knows the word.
    """

    begin: int
    end: int
    word: str
    topic: int | None
    probability: float


@dataclass(frozen=True, eq=False, repr=False)
class Tinted:
    """A document with the topic that each of its words is from.

    `spans` are the words that the model knows, in their order; all else is plain text: stop words,
    words outside the vocabulary, what is between. `weights` are the document's, one for each of
    the topics' `numbers`, and `probabilities` has a row for each span and a column for each topic.
    """

    text: str
    spans: tuple[Span, ...]
    weights: Array
    numbers: NDArray[np.int64]
    names: tuple[str, ...]
    """What each topic is called."""
    probabilities: Array

    def pieces(self) -> list[tuple[str, Span | None]]:
        """The whole text in pieces: words with their spans, and what is between them with None."""
        pieces: list[tuple[str, Span | None]] = []
        behind = 0
        for span in self.spans:
            if span.begin > behind:
                pieces.append((self.text[behind : span.begin], None))
            pieces.append((self.text[span.begin : span.end], span))
            behind = span.end
        if behind < len(self.text):
            pieces.append((self.text[behind:], None))
        return pieces

    def table(self) -> pd.DataFrame:
        """One row for each span: begin, end, word, topic, probability."""
        import pandas as pd

        columns = ["begin", "end", "word", "topic", "probability"]
        rows = [[getattr(span, name) for name in columns] for span in self.spans]
        table = pd.DataFrame(rows, columns=columns)
        return table.astype({"begin": int, "end": int, "topic": "Int64", "probability": float})

    def __repr__(self) -> str:
        topics = {span.topic for span in self.spans} - {None}
        return f"Tinted({plural(len(self.spans), 'word')} of {plural(len(topics), 'topic')})"

    def _repr_html_(self) -> str:
        # Figures stand above this room, and import it.
        html: str = import_module("chatham.plots.tinted").html_of(self)
        return html
