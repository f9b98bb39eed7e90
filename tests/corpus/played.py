"""Who played what, and who rated what."""

import pandas as pd

PLAYED = pd.DataFrame(
    {
        "list": ["x", "y", "x", "x", "z", "y"],
        "song": ["Help", "Hey", "Help", "Yes", "Hey", "Hey"],
    }
)


SEEN = pd.DataFrame(
    {
        "user": [1, 1, 2, 2, 3],
        "film": [10, 20, 10, 30, 20],
        "stars": [5.0, 0.5, 3.5, 4.0, 1.25],
    }
)


RATED = {"basket": "user", "item": "film", "rating": "stars"}


def as_dict(corpus):
    """Counts by basket and item, without zeros."""
    cells = corpus.counts.tocoo()
    return {
        (str(corpus.ids[row]), str(corpus.vocabulary[column])): int(count)
        for row, column, count in zip(cells.row, cells.col, cells.data, strict=True)
    }
