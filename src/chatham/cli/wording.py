"""The library's sentences in the words of the command line.

The library speaks of parameters, which nobody can give to a command; here are the options that are
the same. What no option of the running command says, such as a learner's own parameter for --set,
keeps its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from chatham.notes import EMPTY, NO_STOP_WORDS, STOP_WORDS, VOCABULARY, without
from chatham.wording import spelt

ALIKE = (
    "text", "label", "id", "vocabulary", "encoding", "stop_words", "ngrams", "min_df", "max_df",
    "max_features_by", "max_features", "weighting", "basket", "item", "rating", "names", "title",
    "scale", "least", "anchors", "max_iter", "held_out", "reference", "true_topics", "vectors",
    "lam",
)  # fmt: skip
OPTIONS = {name: f"--{name.replace('_', '-')}" for name in ALIKE} | {
    "n_components": "--topics",
    "n_jobs": "--jobs",
    "n_words": "--words",
    "random_state": "--seed",
}

_here: ContextVar[frozenset[str]] = ContextVar("_here", default=frozenset(OPTIONS.values()))
"""The options with a value of the command that runs; outside of any, those of all."""


@contextmanager
def speaking_for(command: Any) -> Iterator[None]:
    """Name no options but this command's; one without a value is no parameter of the library's."""
    valued = [each for each in command.params if not getattr(each, "is_flag", False)]
    token = _here.set(frozenset(option for each in valued for option in each.opts))
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
    option = OPTIONS.get(parameter)
    return option if option in _here.get() else None


def news(notes: list[str], *known: str) -> list[str]:
    """Notes where a model chooses which words count, and who has none of them is warned of.

    Nor those of other kinds that are known already.
    """
    of_the_model = (VOCABULARY, STOP_WORDS, NO_STOP_WORDS, EMPTY)
    return [as_options(note) for note in without(notes, *of_the_model, *known)]
