"""The history of a model that grows, as commands print it: topics beside slices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chatham.cli.output import Column, blocks, console, print_blocks
from chatham.learners.words import printable
from chatham.model.tables import in_a_row

if TYPE_CHECKING:
    from chatham.model.history import History
    from chatham.model.topic_model import TopicModel


def print_history(
    model: TopicModel, words: Sequence[Sequence[str]], slices: Sequence[int] | None = None
) -> None:
    """Each topic's share of the slices, and what became of it; in blocks, if they are many."""
    screen, history = console(), model._history
    topics = range(history.n_topics)
    first = [
        Column("topic", "right", [str(topic) for topic in topics]),
        Column("words", "left", [printable(in_a_row(listed)) for listed in words]),
    ]
    rest = [
        Column(
            printable(history.names[number]),
            "left",
            [_cell(history, number, topic) for topic in topics],
        )
        for number in (range(len(history.slices)) if slices is None else slices)
    ]
    print_blocks(screen, blocks(first, rest, screen.width))


def _cell(history: History, number: int, topic: int) -> str:
    """A share and an event, such as '12.5% grew'; nothing before the topic was born."""
    if history.born[topic] > number:
        return ""
    event = event_in_words(*history.event(number, topic))
    share = f"{history.shares[number, topic]:.1%}" if history.has[number, topic] else ""
    return f"{share} {event}".strip()


def event_in_words(event: str, others: Sequence[int]) -> str:
    """An event with the topics that had to do with it.

    >>> event_in_words("born", (3,)), event_in_words("split", (5, 6)), event_in_words("died", ())
    ('born of 3', 'split: 5, 6', 'died')
    """
    if not others:
        return event
    between = {"born": " of ", "merged": " into "}.get(event, ": ")
    return f"{event}{between}{', '.join(map(str, others))}"
