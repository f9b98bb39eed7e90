"""How `chatham demo` looks on a terminal."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chatham.cli.output import console, plain_table, topic_table
from chatham.learners.words import printable

if TYPE_CHECKING:
    from rich.console import Console

    from chatham.cli.demo.meeting import Crossing
    from chatham.cli.demo.study import Score, Study

NEXT = (
    ("chatham keygen --help", "a federation of your own begins with keys"),
    ("chatham fit news.csv -k 20 -o model/", "topics of your own file"),
    ("chatham topics model/ --by relevance", "the words that distinguish its topics"),
    ("chatham explore model/ news.csv", "topics and documents in the browser"),
    ("chatham evaluate model/ news.csv", "how good they are"),
    ("chatham transform model/ new.csv", "the topics of new documents"),
    ("chatham demo --json", "all of the above for machines"),
)


def show(study: Study, folder: Path | None = None, report: Path | None = None) -> None:
    """Print the whole study; `folder` is where it was kept, `report` its report."""
    screen = console()
    _say(screen, "Three parties, one model, nothing pooled", style="bold")
    _say(screen, _setting(study))
    _head(screen, "Who explains best what all three write")
    screen.print(_scores(study))
    _say(
        screen,
        "\nMeasured on the held-out documents of all three. Error: the relative reconstruction "
        "error of NMF, lower is better. Per word: the log-likelihood of one half of each "
        "document's words given the other half, higher is better.",
        style="dim",
    )
    exact = study.largest_difference is not None
    _head(screen, "Together equals pooled" if exact else "Together, beside pooled")
    _say(screen, _equality(study) if exact else _cost(study))
    _head(screen, "What crossed the wall")
    for line in ledger_lines(study):
        _say(screen, line)
    if study.meeting.home is not None:
        _ledger(screen, study, study.meeting.home)
    _head(screen, "The model that all three now have")
    screen.print(topic_table(study.lda, study.lda.top_word_lists(8, by="relevance")))
    if report is not None:
        _head(screen, "To look at")
        _say(screen, _to_look_at(study, report))
    _head(screen, "What to try next")
    screen.print(_next(folder))


def _to_look_at(study: Study, report: Path) -> str:
    first = printable(next(iter(study.parties)))
    return (
        f"Open {printable(str(report))} in a browser: the topics of all three, and the documents "
        f"of {first} alone. 'chatham explore' shows a model as a page on which topics can be "
        "named, merged and judged too."
    )


def _ledger(screen: Console, study: Study, home: Path) -> None:
    """The ledger of one party, as the person responsible for its documents sees it."""
    from chatham.cli.ledger.view import crossed, table_of

    first = printable(next(iter(study.parties)))
    _head(screen, f"The ledger of {first}, for LDA")
    screen.print(table_of(crossed(home / "lda")))


def _say(screen: Console, text: str, style: str = "") -> None:
    screen.print(text, style=style, width=min(screen.width, 100))


def _head(screen: Console, text: str) -> None:
    screen.print()
    _say(screen, text, style="bold cyan")


def _setting(study: Study) -> str:
    names = ", ".join(f"{printable(name)} ({n:,})" for name, n in study.parties.items())
    return (
        f"Abstracts of the ACL Anthology, kept by three communities: {names}. "
        f"{study.held_out:,} more are held out. {_who_plays(study)}"
    )


def _who_plays(study: Study) -> str:
    if study.meeting.home is None:
        return f"All count the same {study.vocabulary:,} words. One process plays all three."
    return (
        "Each is a separate process with its own key, and a fourth process is the relay, which "
        f"adds up what it can't read. They agreed on {study.vocabulary:,} words that at least two "
        "of them have."
    )


def _scores(study: Study) -> Any:
    table = plain_table(
        ("fitted by", "left"), ("documents", "right"), ("NMF error", "right"),
        ("NMF per word", "right"), ("LDA per word", "right"),
    )  # fmt: skip
    for score in study.scores:
        table.add_row(*_row(score, study), style="bold" if score.fitted_by == "together" else "")
    return table


def _row(score: Score, study: Study) -> list[str]:
    alone = " alone" if score.fitted_by in study.parties else ""
    return [
        printable(score.fitted_by) + alone,
        f"{score.documents:,}",
        f"{score.nmf_error:.4f}",
        f"{score.nmf_log_likelihood:.4f}",
        f"{score.lda_log_likelihood:.4f}",
    ]


def _equality(study: Study) -> str:
    return (
        "The largest difference between NMF's topics, fitted together and fitted on the pooled "
        f"documents, is {study.largest_difference:.1e}: rounding. LDA draws at random, and the "
        f"parties sample in parallel; {_likelihoods(study)}"
    )


def _cost(study: Study) -> str:
    scores = {score.fitted_by: score for score in study.scores}
    error = scores["together"].nmf_error / scores["pooled"].nmf_error - 1
    same = "All three saved the same model, to the byte. " if study.meeting.same_bytes else ""
    return (
        f"{same}So that no total gives documents away, each party adds noise to what it tells for "
        f"NMF: its error is {abs(error):.1%} {'larger' if error > 0 else 'smaller'} than pooled. "
        "For LDA it leaves out words that few of its own documents have, and the parties sample in "
        f"parallel; {_likelihoods(study)}"
    )


def _likelihoods(study: Study) -> str:
    scores = {score.fitted_by: score for score in study.scores}
    together, pooled = (scores[name].lda_log_likelihood for name in ("together", "pooled"))
    return f"its log-likelihood differs by {abs(together / pooled - 1):.2%}."


def ledger_lines(study: Study) -> list[str]:
    """The ledger for a person: how many sums, of what, how large, and what they don't contain."""
    lines = []
    for name, rounds in study.rounds.items():
        crossed = [crossing for crossing in study.crossings if crossing.model == name]
        size = sum(crossing.bytes for crossing in crossed) / 1e6
        largest = max(crossed, key=lambda crossing: crossing.bytes)
        lines.append(
            f"{name.upper()}: {rounds} sums, {size:,.1f} MB in all, "
            f"{_share(largest, crossed):.0%} of it {_shape(largest.shape)} arrays. "
            f"{largest.meaning}"
        )
    k, d = study.nmf.topics.shape
    lines.append(
        f"Their size follows from the {k} topics and the {d:,} words: none grows with the number "
        f"of documents. {_contents(study)}"
    )
    return lines


def _contents(study: Study) -> str:
    revived = len(study.nmf.estimator.revived_)
    if study.meeting.home is None and revived:
        return (
            f"But {revived} times an NMF topic that no document used was restarted from single "
            "documents, which crossed as they are; with fewer topics (-k) none does."
        )
    return "Every number in them is a sum over the documents of all three."


def _share(largest: Crossing, crossed: list[Crossing]) -> float:
    return largest.bytes / max(sum(crossing.bytes for crossing in crossed), 1)


def _shape(shape: tuple[int, ...]) -> str:
    return " × ".join(f"{length:,}" for length in shape) or "single-number"


def _next(folder: Path | None) -> Any:
    from rich.table import Table

    table = Table.grid(padding=(0, 3, 0, 0))
    for command, purpose in [*_about_folder(folder), *NEXT]:
        table.add_row(command, purpose)
    return table


def _about_folder(folder: Path | None) -> list[tuple[str, str]]:
    if folder is None:
        return [("chatham demo --folder demo/", "keep keys, sessions, ledgers and models")]
    party = shlex.quote(str(folder / "party-1" / "lda"))
    home = folder / "party-1"
    explored = shlex.join(["chatham", "explore", str(home / "lda-model"), str(home / "texts.csv")])
    return [
        (explored, "the explorer, for the first party"),
        (f"chatham ledger {party} --rounds", "every single sum that left a party"),
    ]
