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
    ("chatham topics model/ --by relevance", "the words that tell its topics apart"),
    ("chatham evaluate model/ news.csv", "how good they are"),
    ("chatham transform model/ new.csv", "the topics of new documents"),
    ("chatham demo --json", "all of the above for machines"),
)


def show(found: Study, folder: Path | None = None) -> None:
    """Print the whole study; `folder` is where it is kept, if it is."""
    screen = console()
    _say(screen, "Three parties, one model, nothing pooled", style="bold")
    _say(screen, _setting(found))
    _head(screen, "Who explains best what all three write")
    screen.print(_scores(found))
    _say(
        screen,
        "\nMeasured on the held-out documents of all three. Error: what NMF can't rebuild of them, "
        "lower is better. Per word: the log-likelihood of one half of each document's words after "
        "seeing the other half, higher is better.",
        style="dim",
    )
    _head(screen, "Together equals pooled")
    _say(screen, _equality(found))
    _head(screen, "What crossed the wall")
    for line in ledger_lines(found):
        _say(screen, line)
    if found.meeting.home is not None:
        _ledger(screen, found, found.meeting.home)
    _head(screen, "The model that all three now have")
    screen.print(topic_table(found.lda, found.lda.top_word_lists(8, by="relevance")))
    _head(screen, "What to try next")
    screen.print(_next(folder))


def _ledger(screen: Console, found: Study, home: Path) -> None:
    """The ledger of one party, as whoever is responsible for its documents sees it."""
    from chatham.cli.ledger.view import crossed, table_of

    first = printable(next(iter(found.parties)))
    _head(screen, f"The ledger of {first}, for LDA")
    screen.print(table_of(crossed(home / "lda")))


def _say(screen: Console, text: str, style: str = "") -> None:
    screen.print(text, style=style, width=min(screen.width, 100))


def _head(screen: Console, text: str) -> None:
    screen.print()
    _say(screen, text, style="bold cyan")


def _setting(found: Study) -> str:
    names = ", ".join(f"{printable(name)} ({n:,})" for name, n in found.parties.items())
    return (
        f"Abstracts of the ACL Anthology, kept by three communities: {names}. "
        f"{found.held_out:,} more are held out. {_who_plays(found)}"
    )


def _who_plays(found: Study) -> str:
    if found.meeting.home is None:
        return f"All count the same {found.vocabulary:,} words. One process plays all three."
    return (
        "Each is a process of its own with its own key, and a fourth process is the relay, which "
        f"adds up what it can't read. They agreed on {found.vocabulary:,} words that at least two "
        "of them have."
    )


def _scores(found: Study) -> Any:
    table = plain_table(
        ("fitted by", "left"), ("documents", "right"), ("NMF error", "right"),
        ("NMF per word", "right"), ("LDA per word", "right"),
    )  # fmt: skip
    for score in found.scores:
        table.add_row(*_row(score, found), style="bold" if score.fitted_by == "together" else "")
    return table


def _row(score: Score, found: Study) -> list[str]:
    alone = " alone" if score.fitted_by in found.parties else ""
    return [
        printable(score.fitted_by) + alone,
        f"{score.documents:,}",
        f"{score.nmf_error:.4f}",
        f"{score.nmf_log_likelihood:.4f}",
        f"{score.lda_log_likelihood:.4f}",
    ]


def _equality(found: Study) -> str:
    scores = {score.fitted_by: score for score in found.scores}
    together, pooled = scores["together"], scores["pooled"]
    apart = abs(together.lda_log_likelihood / pooled.lda_log_likelihood - 1)
    alike = "All three saved the same model, to the byte. " if _are_alike(found) else ""
    return (
        f"{alike}The largest difference between NMF's topics, fitted together and fitted on the "
        f"pooled documents, is {found.largest_difference:.1e}: rounding. LDA draws at random, and "
        f"parties sample side by side; its log-likelihood differs by {apart:.2%}."
    )


def _are_alike(found: Study) -> bool:
    return found.meeting.home is not None and found.meeting.alike


def ledger_lines(found: Study) -> list[str]:
    """The ledger for a person: how many sums, of what, how large, and what they don't hold."""
    lines = []
    for name, rounds in found.rounds.items():
        mine = [crossing for crossing in found.crossings if crossing.model == name]
        size = sum(crossing.bytes for crossing in mine) / 1e6
        largest = max(mine, key=lambda crossing: crossing.bytes)
        lines.append(
            f"{name.upper()}: {rounds} sums, {size:,.1f} MB in all, {_share(largest, mine):.0%} of "
            f"it {_shape(largest.shape)} arrays. {largest.meaning}"
        )
    k, d = found.nmf.topics.shape
    lines.append(
        f"The size of these follows from the {k} topics and the {d:,} words: none grows with the "
        f"documents. {_what_they_hold(found)}"
    )
    return lines


def _what_they_hold(found: Study) -> str:
    revived = len(found.nmf.estimator.revived_)
    if found.meeting.home is None and revived:
        return (
            f"But {revived} times an NMF topic that no document used began anew from single "
            "documents, and these crossed as they are; with fewer topics (-k) none does."
        )
    return "Every number in them is a sum over the documents of all three."


def _share(one: Crossing, all_of_them: list[Crossing]) -> float:
    return one.bytes / max(sum(crossing.bytes for crossing in all_of_them), 1)


def _shape(shape: tuple[int, ...]) -> str:
    return " × ".join(f"{length:,}" for length in shape) or "single-number"


def _next(folder: Path | None) -> Any:
    from rich.table import Table

    table = Table.grid(padding=(0, 3, 0, 0))
    for command, what in [*_kept(folder), *NEXT]:
        table.add_row(command, what)
    return table


def _kept(folder: Path | None) -> list[tuple[str, str]]:
    if folder is None:
        return [("chatham demo --folder demo/", "keep keys, sessions, ledgers and models")]
    place = shlex.quote(str(folder / "party-1" / "lda"))
    return [(f"chatham ledger {place} --rounds", "every single sum that left a party")]
