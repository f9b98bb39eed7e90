"""What `chatham join` prints when the model is there."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from chatham.cli.fit_view import rounds_of
from chatham.cli.join_scores import FILE, not_taken, save_scores, score_table, scores_as_json
from chatham.cli.ledger_read import Crossed, crossed
from chatham.cli.output import console, print_json, topic_table, topics_as_json
from chatham.corpus import Corpus
from chatham.federation.session import Session
from chatham.learners.words import printable
from chatham.model.topic_model import TopicModel


@dataclass
class Joined:
    """What was brought and found."""

    session: Session
    corpus: Corpus
    model: TopicModel
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    folder: Path
    seconds: float = 0.0
    output: Path | None = None

    def save(self, output: Path) -> None:
        """The model, and its scores beside it."""
        self.model.save(output)
        save_scores(self.model, self.session, output)
        self.output = output

    @property
    def left(self) -> Crossed:
        """What left, in all."""
        return crossed(self.folder)


def print_as_json(joined: Joined, words: int) -> None:
    """Everything, as one JSON document."""
    model, left = joined.model, joined.left
    print_json(
        {
            "session": joined.session.hash.hex(),
            "documents": joined.corpus.n_documents,
            "words": len(model.vocabulary),
            "algorithm": model.algorithm,
            "parameters": model.parameters,
            "seed": model.seed,
            "iterations": int(model.estimator.n_iter_),
            "rounds": left.rounds,
            "bytes": left.bytes,
            "seconds": round(joined.seconds, 3),
            "saved": None if joined.output is None else str(joined.output),
            "notes": list(joined.notes),
            "warnings": list(joined.warnings),
            "topics": topics_as_json(model, model.top_word_lists(words)),
            **scores_as_json(model),
        }
    )


def print_for_people(joined: Joined, words: int, quiet: bool) -> None:
    """The topics and how it went; the topics alone if quiet."""
    screen, model = console(), joined.model
    screen.print(topic_table(model, model.top_word_lists(words)))
    if model.scores is not None:
        screen.print()
        screen.print(score_table(model.scores))
        for sentence in () if quiet else not_taken(model.scores):
            screen.print(f"\n{sentence}", soft_wrap=True)
    if not quiet:
        screen.print(f"\n{_how_it_went(joined)}", soft_wrap=True)
        screen.print(_where_it_is(joined), soft_wrap=True)


def _how_it_went(joined: Joined) -> str:
    model, left = joined.model, joined.left
    rounds = "".join(f"{part}, " for part in rounds_of(model.estimator))
    return (
        f"{type(model.estimator).__name__} of {len(joined.session.parties)} parties over "
        f"{len(model.vocabulary):,} words they agreed on: {rounds}{left.rounds:,} sums, "
        f"{left.bytes / 1e6:,.1f} MB sent, {joined.seconds:.1f} s in all."
    )


def _where_it_is(joined: Joined) -> str:
    ledger = f"what left is in the ledger: chatham ledger {shlex.quote(str(joined.folder))}"
    if joined.output is None:
        return f"Not saved; give -o FOLDER to keep the model. And {ledger}"
    place = shlex.quote(str(joined.output))
    scores = "" if joined.model.scores is None else f" The scores are in it too, as {FILE}."
    told = printable(f"Saved in {place}; see it with: chatham topics {place}")
    return f"{told}{'.' if scores else ''}{scores}\nAnd {ledger}"
