"""Intrusion tasks as people see them: questions, a separate key, the score of the answers.

Model precision is the share of right answers, and the topic log odds of Chang et al. (2009),
"Reading tea leaves", are the mean of log θ_intruder − log θ_chosen. The tasks are made in
`chatham.measures.intrusion.tasks`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from chatham.errors import InputError
from chatham.measures.intrusion.answers import Answer, answers_in, check_unanswered, guarded
from chatham.naming import plural

REASONS: dict[str, tuple[str, str]] = {
    "too_few_words": ("topic", "with too few words"),
    "no_intruder": ("question", "for which there is no intruder"),
    "without_words": ("document", "without any word of the model"),
    "too_few_topics": ("document", "with too few topics"),
}
"""What a question can't be made of: what it is, and why."""


def left_out(skipped: Mapping[str, int]) -> list[str]:
    """What no question could be made of, and why.

    >>> left_out({"too_few_words": 2, "no_intruder": 0})
    ['2 topics with too few words']
    """
    counted = [(*REASONS[reason], number) for reason, number in skipped.items() if number]
    return [f"{plural(number, item)} {why}" for item, why, number in counted]


@dataclass(frozen=True)
class Question:
    """What a person is shown; the id changes with whatever is shown.

    `document` are the document's most frequent words where the question is about a document;
    `snippet`, how its text begins, is for people who may read it.
    """

    id: str
    options: tuple[str, ...]
    document: str = ""
    snippet: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Key:
    """What a person isn't shown: which option is the intruder (from 0), and what choices cost.

    `topic` is the topic whose words are shown, or, where topics are shown, the intruding one.
    `log_odds` has log θ_intruder − log θ_option for each option where topics are shown.
    """

    intruder: int
    topic: int
    log_odds: tuple[float, ...] = ()


@dataclass(frozen=True)
class IntrusionTask:
    """Questions with one intruder each; `kind` is "word" or "topic".

    `key` belongs to the questions one by one. `skipped` says how many questions could not be
    made, by reason; `numbers` are those of the model's topics.
    """

    kind: str
    questions: tuple[Question, ...]
    key: tuple[Key, ...] = field(repr=False)
    numbers: tuple[int, ...]
    skipped: dict[str, int] = field(default_factory=dict)

    @property
    def chance(self) -> float:
        """The share of right answers that guessing gives."""
        return 1.0 / len(self.questions[0].options)

    @property
    def notes(self) -> list[str]:
        """What was left out, in sentences."""
        return [f"Left out {items}." for items in left_out(self.skipped)]

    def table(self, snippets: bool = False) -> pd.DataFrame:
        """The questions without the key, one row each, with an empty column for the answer.

        A question about a document shows its most frequent words, or with `snippets=True` how its
        text begins.
        """
        rows = [
            {"question": q.id, **self._about(q, snippets), **_numbered(q.options), "answer": ""}
            for q in self.questions
        ]
        return pd.DataFrame(rows)

    def _about(self, question: Question, snippets: bool) -> dict[str, str]:
        if self.kind == "word":
            return {}
        if snippets and question.snippet is None:
            raise InputError("There are no texts to show; make the task of texts, not of counts.")
        return {"document": str(question.snippet) if snippets else question.document}

    def write(self, path: str | Path, snippets: bool = False) -> None:
        """Write the questions as CSV for raters, without the key; they fill in the last column.

        Cells that a spreadsheet would run as formulas begin with an apostrophe. A file that has
        answers in it already isn't written over.
        """
        check_unanswered(path)
        table = guarded(self.table(snippets))
        table.to_csv(path, index=False, lineterminator="\n", encoding="utf-8")

    def score(self, answers: Any) -> IntrusionScore:
        """Score answers: a CSV file or a table with columns question, answer and optionally rater.

        An answer is the option's number, counted from 1, or else the option itself in upper or
        lower case; an empty one means that the question wasn't answered. A dict from questions to
        answers is one rater's. Of several files in a list, each without a column rater is one
        rater's.
        """
        return score_answers(self, answers_in(answers, self.questions))


def _numbered(options: Iterable[str]) -> dict[str, str]:
    return {f"option_{number}": option for number, option in enumerate(options, start=1)}


@dataclass(frozen=True)
class QuestionScore:
    """One question's answers (`chosen`: numbers of options, from 0), and which would be right."""

    question: str
    topic: int
    intruder: int
    chosen: tuple[int, ...]
    log_odds: float | None = None

    @property
    def right(self) -> int:
        """How many answers are right."""
        return self.chosen.count(self.intruder)

    @property
    def precision(self) -> float | None:
        """The share of right answers; None where nobody answered."""
        return self.right / len(self.chosen) if self.chosen else None


@dataclass(frozen=True)
class IntrusionScore:
    """How well people found the intruders.

    `precision` is the share of right answers among all `answered`, and `chance` what guessing
    gives. `unanswered` questions, counted once for each rater, are left out. `per_topic` has the
    precision of each topic in word intrusion (None: not asked or not answered). `log_odds` is the
    mean topic log odds in topic intrusion, at best 0. `agreement` is, with several raters, the
    share of pairs of raters who agree, averaged over the questions that two or more answered
    (the observed agreement of Fleiss; options are shuffled, so a number means nothing across
    questions and the agreement by chance is `chance`).
    """

    kind: str
    precision: float
    chance: float
    right: int
    answered: int
    unanswered: int
    raters: int
    agreement: float | None
    log_odds: float | None
    per_topic: tuple[float | None, ...] | None
    per_question: tuple[QuestionScore, ...] = field(repr=False)


def score_answers(task: IntrusionTask, answers: Sequence[Answer]) -> IntrusionScore:
    """The score of answers that were read and checked."""
    if not answers:
        raise InputError("No question is answered, so there is nothing to score.")
    scored = _per_question(task, answers)
    right, raters = sum(q.right for q in scored), len({answer.rater for answer in answers})
    odds = [task.key[a.question].log_odds[a.choice] for a in answers if task.kind == "topic"]
    return IntrusionScore(
        kind=task.kind,
        precision=right / len(answers),
        chance=task.chance,
        right=right,
        answered=len(answers),
        unanswered=raters * len(task.questions) - len(answers),
        raters=raters,
        agreement=_agreement(scored),
        log_odds=_mean(odds),
        per_topic=_per_topic(task, scored) if task.kind == "word" else None,
        per_question=scored,
    )


def _per_question(task: IntrusionTask, answers: Sequence[Answer]) -> tuple[QuestionScore, ...]:
    chosen: list[list[int]] = [[] for _ in task.questions]
    for answer in answers:
        chosen[answer.question].append(answer.choice)
    return tuple(
        QuestionScore(
            question.id, key.topic, key.intruder, tuple(choices),
            _mean([key.log_odds[choice] for choice in choices] if key.log_odds else []),
        )
        for question, key, choices in zip(task.questions, task.key, chosen, strict=True)
    )  # fmt: skip


def _per_topic(task: IntrusionTask, scored: Sequence[QuestionScore]) -> tuple[float | None, ...]:
    by_topic = {question.topic: question.precision for question in scored}
    return tuple(by_topic.get(topic) for topic in task.numbers)


def _agreement(scored: Sequence[QuestionScore]) -> float | None:
    return _mean([_agreeing_share(q.chosen) for q in scored if len(q.chosen) > 1])


def _agreeing_share(chosen: Sequence[int]) -> float:
    agreeing = sum(times * (times - 1) for times in Counter(chosen).values())
    return agreeing / (len(chosen) * (len(chosen) - 1))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
