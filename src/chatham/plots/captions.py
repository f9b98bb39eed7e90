"""What pictures of topics say of themselves, in words that a stranger understands."""

from __future__ import annotations

from chatham.looking.relations import Relations
from chatham.looking.topics import Topics
from chatham.naming import plural

NEAR = {
    "documents": "near: often in the same documents · far: seldom",
    "correlations": "near: often in the same documents, as learned · far: seldom",
    "words": "near: many of the same words · far: few",
}
METHOD = {
    "pca": "distances are kept as well as a plane allows",
    "tsne": "only what is near means something, not how far",
    "lle": "each lies between those that are most like it",
}
LONGEST = 34
"""Letters of a name beside other things."""


def clipped(name: str, most: int = LONGEST) -> str:
    """A name that fits, cut at its end.

    >>> clipped("child custody and what came of it", 16)
    'child custody a…'
    """
    return name if len(name) <= most else f"{name[: most - 1].rstrip()}…"


def label(topics: Topics, row: int, most: int = LONGEST) -> str:
    """A topic's number and name."""
    return f"{topics.numbers[row]}  {clipped(topics.names[row], most)}".rstrip()


def counted(topics: Topics, rows: int | None = None) -> str:
    """How many topics there are, or of how many so many are shown.

    A picture says if it doesn't show all.
    """
    if rows is None or rows == len(topics):
        return plural(len(topics), topics.kind)
    return f"the {rows} largest of {plural(len(topics), topics.kind)}"


def share_of(relations: Relations) -> str:
    """What a topic's share is a share of."""
    if relations.topics.kind == "direction":
        return "share of what is explained"
    return "share of the documents"
