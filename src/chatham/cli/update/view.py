"""What `chatham update` prints and draws: the topics, and what became of them in the new slice."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from chatham.cli.history import print_history
from chatham.cli.output import console, plain, print_json, topics_as_json
from chatham.cli.paths import unwritable
from chatham.corpus import Corpus
from chatham.learners.words import printable
from chatham.model.topic_model import TopicModel
from chatham.naming import plural

FEW_WORDS = 5
LAST = 2
"""So many slices are shown, the newest of them; all of them by `chatham topics --history`."""


@dataclass
class Outcome:
    """The model after and before, the new documents, and what there is to say."""

    model: TopicModel
    before: TopicModel
    corpus: Corpus
    output: Path
    plot: Path | None
    warnings: tuple[str, ...]


def draw(model: TopicModel, plot: Path) -> None:
    """The figure of the history."""
    from chatham.plots.history import plot_history
    from chatham.plots.panels import save_figure

    try:
        save_figure(plot_history(model.history, model.top_word_lists(FEW_WORDS)), plot)
    except OSError as error:
        raise unwritable(plot, error) from None


def print_for_people(outcome: Outcome, words: int, quiet: bool) -> None:
    """The topics with their shares of the new slice, and what became of them."""
    model, screen = outcome.model, console()
    history = model._history
    if not quiet:
        new = len(model.vocabulary) - len(outcome.before.vocabulary)
        screen.print(
            printable(
                f"{history.names[-1]}: {plural(len(outcome.corpus), 'document')}, "
                f"{plural(new, 'new word')}; slice {len(history.slices)} of the model."
            ),
            soft_wrap=True,
        )
        screen.print()
    last = range(max(len(history.slices) - LAST, 0), len(history.slices))
    print_history(model, model.top_word_lists(words), last)
    if quiet:
        return
    screen.print()
    for sentence in history.sentences() or ["No topic was born or died, grew or shrank."]:
        screen.print(printable(sentence), soft_wrap=True)
    if outcome.plot is not None:
        screen.print(f"Figure saved in {printable(str(outcome.plot))}.", soft_wrap=True)
    folder = printable(str(outcome.output))
    screen.print(
        f"Saved in {folder}; see all of it with: chatham topics {shlex.quote(folder)} --history",
        soft_wrap=True,
    )


def print_as_json(outcome: Outcome, words: int) -> None:
    """Everything as one JSON document."""
    model = outcome.model
    print_json(
        plain(
            {
                "algorithm": model.algorithm,
                "vocabulary_size": len(model.vocabulary),
                "new_words": len(model.vocabulary) - len(outcome.before.vocabulary),
                "slice": model._history.names[-1],
                "documents": len(outcome.corpus),
                "topics": topics_as_json(model, model.top_word_lists(words)),
                "slices": model.slices.to_dict(orient="records"),
                "history": model.history.to_dict(orient="records"),
                "report": model._history.sentences(),
                "saved": str(outcome.output),
                "picture": None if outcome.plot is None else str(outcome.plot),
                "warnings": list(outcome.warnings),
            }
        )
    )
