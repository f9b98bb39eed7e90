"""What `chatham fit` prints: for people, and for machines."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chatham.cli.output import console, print_json, topic_table, topics_as_json
from chatham.cli.wording import as_options
from chatham.corpus import Corpus
from chatham.learners.base import TopicLearner
from chatham.learners.words import printable
from chatham.model.topic_model import TopicModel
from chatham.naming import plural


@dataclass
class Outcome:
    """What was read and fitted, and what there is to say about it."""

    corpus: Corpus
    model: TopicModel
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    seconds: float = 0.0
    output: Path | None = None


def print_as_json(outcome: Outcome, words: int) -> None:
    """Everything, as one JSON document."""
    print_json(
        {
            "corpus": corpus_as_json(outcome.corpus, outcome.notes),
            **fit_as_json(outcome.model),
            "seconds": round(outcome.seconds, 3),
            "saved": None if outcome.output is None else str(outcome.output),
            "warnings": list(outcome.warnings),
            f"{outcome.model.kind}s": topics_as_json(
                outcome.model, outcome.model.top_word_lists(words)
            ),
        }
    )


def corpus_as_json(corpus: Corpus, notes: Sequence[str]) -> dict[str, Any]:
    """What was read."""
    return {
        "documents": corpus.n_documents,
        "empty": int(corpus.empty.sum()),
        "words": corpus.n_words,
        "tokens": corpus.n_tokens,
        "notes": list(notes),
    }


def fit_as_json(model: TopicModel) -> dict[str, Any]:
    """How a model was fitted."""
    return {
        "algorithm": model.algorithm,
        "parameters": model.parameters,
        "seed": model.seed,
        "iterations": int(model.estimator.n_iter_),
    }


def print_for_people(outcome: Outcome, words: int, quiet: bool) -> None:
    """The corpus, the topics and how the fit went; only the topics if quiet."""
    screen, model = console(), outcome.model
    if not quiet:
        screen.print(printable_lines(as_options(outcome.corpus.summary())), soft_wrap=True)
        screen.print()
    screen.print(topic_table(model, model.top_word_lists(words)))
    if not quiet:
        screen.print(f"\n{how_it_went(outcome.model, outcome.seconds)}", soft_wrap=True)
        screen.print(_where_it_is(outcome.output), soft_wrap=True)


def how_it_went(model: TopicModel, seconds: float, *, rounds: bool = True) -> str:
    """The learner, how words were weighted, what was repeated, and how long all took."""
    weighted = model.vectorizer is not None and model.vectorizer.weighting == "tfidf"
    weighting = " on words weighted by tf-idf" if weighted else ""
    repeated = "".join(f"{part}, " for part in rounds_of(model.estimator)) if rounds else ""
    return f"{type(model.estimator).__name__}{weighting}: {repeated}{seconds:.1f} s in all."


def rounds_of(estimator: TopicLearner) -> list[str]:
    """What was repeated, and how often, such as '12 iterations'."""
    return [plural(number, unit) for unit, number in estimator._repeated().items()]


def _where_it_is(output: Path | None) -> str:
    if output is None:
        return "Not saved; give -o FOLDER to keep the model."
    folder = printable(str(output))
    return f"Saved in {folder}; see it with: chatham topics {shlex.quote(folder)}"


def printable_lines(text: str) -> str:
    """Several lines, each made printable."""
    return "\n".join(printable(line) for line in text.split("\n"))
