"""The library's sentences in the words of the command line.

The library names its parameters, which a command doesn't have; here are the options that correspond
to them. A parameter that no option of the running command sets, such as a learner's own for --set,
keeps its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from chatham.notes import EMPTY, NO_STOP_WORDS, STOP_WORDS, VOCABULARY, without
from chatham.wording import spelt

SAME_NAME = (
    "text", "label", "id", "vocabulary", "encoding", "format", "delimiter", "stop_words",
    "ngrams", "min_df", "max_df", "max_features_by", "max_features", "weighting", "basket",
    "item", "rating", "names", "title", "scale", "least", "anchors", "max_iter", "held_out",
    "reference", "true_topics", "vectors", "min_parties", "own_df", "lam", "party_size",
    "databases", "power", "sees", "colluding", "documents",
    "slice",
)  # fmt: skip
OPTIONS = {name: f"--{name.replace('_', '-')}" for name in SAME_NAME} | {
    "n_components": "--topics",
    "n_jobs": "--jobs",
    "n_words": "--words",
    "parties": "--party",
    "random_state": "--seed",
}
FLAGS = {"header": "--no-header", "skip_bad_rows": "--skip-bad-rows"}
"""Options without a value that set a parameter, to what isn't usual."""

_here: ContextVar[frozenset[str]] = ContextVar(
    "_here", default=frozenset([*OPTIONS.values(), *FLAGS.values()])
)
"""The options with a value of the command that runs; outside of any, those of all."""


@contextmanager
def speaking_for(command: Any) -> Iterator[None]:
    """Name no options but this command's; few without a value are parameters of the library's."""
    valued = [each for each in command.params if not getattr(each, "is_flag", False)]
    options = {option for each in valued for option in each.opts}
    flags = {option for each in command.params for option in each.opts} & set(FLAGS.values())
    token = _here.set(frozenset(options | flags))
    try:
        yield
    finally:
        _here.reset(token)


def as_options(message: Any) -> str:
    """A sentence of the library, or an error or a warning with one, as the command line says it.

    >>> from chatham.wording import say
    >>> as_options(say("Counts need words: lower {min_df=5}, or pass {vocabulary=}."))
    'Counts need words: lower --min-df 5, or pass --vocabulary.'
    >>> as_options(say("Try a larger {min_anchor_df}."))
    'Try a larger min_anchor_df.'
    """
    return spelt(message, _option)


def _option(parameter: str) -> str | None:
    option = OPTIONS.get(parameter) or FLAGS.get(parameter)
    return option if option in _here.get() else None


def news(notes: list[str], *other_kinds: str) -> list[str]:
    """A corpus's notes for a model, which decides itself which words count.

    Without notes on that, or on documents without any of its words, of which a warning tells; and
    without those of the other kinds.
    """
    about_words = (VOCABULARY, STOP_WORDS, NO_STOP_WORDS, EMPTY)
    return [as_options(note) for note in without(notes, *about_words, *other_kinds)]
