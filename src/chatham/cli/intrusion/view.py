"""How `chatham intrusion` asks its questions, and how it shows the score."""

from __future__ import annotations

import sys
from collections.abc import Container, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chatham.cli.output import console, plain_table, print_json
from chatham.learners.words import printable
from chatham.naming import plural

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console
    from rich.table import Table

    from chatham.measures.intrusion.score import (
        IntrusionScore,
        IntrusionTask,
        Question,
        QuestionScore,
    )

ASKED = {
    "word": "Which word doesn't belong with the others?",
    "topic": "Which topic doesn't belong to the document?",
}
HOW = "Type its number and Enter. Enter alone skips a question; q, or Ctrl-C, ends."
STOP = "q"
WIDEST = 100


def ask(task: IntrusionTask, save: Path | None = None) -> dict[str, str]:
    """Ask one question after another on standard error; the answers by question.

    They are saved after each, so that nothing is lost whatever happens.
    """
    from rich.console import Console

    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")  # a stray byte is a wrong answer, not an error
    screen = Console(stderr=True, highlight=False, markup=False, emoji=False)
    screen.print(ASKED[task.kind], style="bold")
    screen.print(HOW)
    answers: dict[str, str] = {}
    for number, question in enumerate(task.questions, start=1):
        _show(screen, question, f"{number} of {len(task.questions)}")
        try:
            answer = _answer(screen, question)
        except KeyboardInterrupt:
            answer = None
        if answer is None:
            break
        answers[question.id] = answer
        if save is not None and answer:
            _save(task, answers, save)
    screen.print()
    return answers


def _save(task: IntrusionTask, answers: Mapping[str, str], path: Path) -> None:
    """The questions with their answers; unanswered ones are empty."""
    table = task.table()
    table["answer"] = [answers.get(question, "") for question in table["question"]]
    _write(table, path)


def write_questions(table: pd.DataFrame, path: Path) -> None:
    """Write a file for raters; one that already has answers in it is refused."""
    from chatham.measures.intrusion.answers import check_unanswered

    check_unanswered(path)
    _write(table, path)


def _write(table: pd.DataFrame, path: Path) -> None:
    from chatham.cli.tables import write_table
    from chatham.measures.intrusion.answers import guarded

    write_table(guarded(table), path)


def _show(screen: Console, question: Question, number: str) -> None:
    width = min(screen.width, WIDEST)
    screen.print(f"\n{number}", style="dim")
    if question.document:
        screen.print(printable(question.snippet or question.document), style="italic", width=width)
        screen.print()
    for choice, option in enumerate(question.options, start=1):
        screen.print(f"  {choice}  {printable(option)}", width=width)


def _answer(screen: Console, question: Question) -> str | None:
    """The option's number, empty to skip, or None to end; anything else is asked again."""
    from chatham.errors import InputError
    from chatham.measures.intrusion.answers import choice_of

    while True:
        screen.print("> ", end="", style="bold")
        line = sys.stdin.readline()
        typed = line.strip()
        if not line or typed.casefold() == STOP:
            return None
        try:
            return str(choice_of(typed, question.options) + 1) if typed else ""
        except InputError:
            screen.print(f"A number from 1 to {len(question.options)}, Enter to skip, or q to end.")


def say_written(task: IntrusionTask, output: Path, quiet: bool, as_json: bool) -> None:
    """Where the questions are, and what to do with them."""
    if as_json:
        described = {"task": task.kind, "questions": len(task.questions), "chance": task.chance}
        print_json({**described, "skipped": task.skipped, "saved": str(output)})
    elif not quiet:
        console().print(
            f"{plural(len(task.questions), 'question')}, saved in {printable(str(output))}. Fill "
            "in the column 'answer', then score it with --answers and otherwise the same options.",
            soft_wrap=True,
        )


def say_score(
    task: IntrusionTask, answers: Any, *, asked: bool, quiet: bool, as_json: bool
) -> None:
    """The score and the right answers; without any answer, that there is no score."""
    if asked and not any(answers.values()):
        if as_json:
            print_json({"task": task.kind, "questions": len(task.questions), "answered": 0})
        else:
            console().print("No question was answered, so there is no score.")
        return
    score = task.score(answers)
    if as_json:
        print_json(_described(task, score))
        return
    screen = console()
    for line in score_lines(score):
        screen.print(line, soft_wrap=True)
    if not quiet:
        screen.print()
        screen.print(_table(task, score, answers if asked else ()))


def score_lines(score: IntrusionScore) -> list[str]:
    """The score in sentences."""
    lines = [
        f"Model precision {score.precision:.2f}: {score.right:,} of "
        f"{plural(score.answered, 'answer')} right; guessing gives {score.chance:.2f}."
    ]
    if score.log_odds is not None:
        lines.append(f"Topic log odds {score.log_odds:.2f}; at best 0.")
    if score.agreement is not None:
        lines.append(
            f"Agreement {score.agreement:.2f} of {score.raters:,} raters; guessing gives "
            f"{score.chance:.2f}."
        )
    if score.unanswered:
        lines.append(f"Left out {plural(score.unanswered, 'question')} without an answer.")
    return lines


def _table(task: IntrusionTask, score: IntrusionScore, asked: Container[str]) -> Table:
    """Intruders and answers of the questions that were asked or answered."""
    rows = enumerate(zip(task.questions, score.per_question, strict=True), start=1)
    seen = [(number, q, scored) for number, (q, scored) in rows if scored.chosen or q.id in asked]
    table = plain_table(*_columns(task.kind, score.raters))
    if task.kind == "word":
        seen.sort(key=lambda row: row[2].topic)
    for number, question, scored in seen:
        intruder, answered = question.options[scored.intruder], _answered(question, scored, score)
        others = " ".join(option for option in question.options if option != intruder)
        about = [str(scored.topic), others] if task.kind == "word" else [str(number)]
        table.add_row(*map(printable, [*about, intruder, answered]))
    return table


def _columns(kind: str, raters: int) -> list[tuple[str, str]]:
    answer = "right" if raters > 1 else "answer"
    if kind == "word":
        return [("topic", "right"), ("words", "fold"), ("intruder", "left"), (answer, "left")]
    return [("question", "right"), ("intruder", "fold"), (answer, "fold")]


def _answered(question: Question, scored: QuestionScore, score: IntrusionScore) -> str:
    if not scored.chosen:
        return "-"
    if score.raters > 1:
        return f"{scored.right} of {len(scored.chosen)}"
    return "right" if scored.right else question.options[scored.chosen[0]]


def _described(task: IntrusionTask, score: IntrusionScore) -> dict[str, Any]:
    fields = {"task" if name == "kind" else name: value for name, value in asdict(score).items()}
    for question, scored in zip(task.questions, fields["per_question"], strict=True):
        scored["options"] = list(question.options)
        scored["intruder"] += 1
        scored["chosen"] = [choice + 1 for choice in scored["chosen"]]
    return {**fields, "questions": len(task.questions), "skipped": task.skipped}
