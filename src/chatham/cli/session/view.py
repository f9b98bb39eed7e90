"""A session in words: what will be computed, what leaves a party, and what stays."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chatham.federation.session import Session

MOST_SHOWN = 12
"""Parties that are named one by one."""


def show_session(session: Session, path: Path, quiet: bool, as_json: bool) -> None:
    """Print what was written down, and what to do with it."""
    from chatham.cli.output import print_json, print_rows
    from chatham.cli.progress import print_notes
    from chatham.model.registry import LEARNERS

    ours = session.algorithm in LEARNERS
    if not ours and not quiet:
        print_notes([_about_learner(session.algorithm)])
    if as_json:
        print_json(session_as_json(session) | {"file": str(path)})
    elif quiet:
        print(session.hash.hex())
    else:
        print_rows(in_words(session))
        place = shlex.quote(str(path))
        print(f"\nWritten to {path}. Give it to all parties and to whoever runs the relay:\n")
        print(f"  chatham relay {place}")
        learner = "" if ours else f" --learner {session.algorithm}"
        print(f"  chatham join {place} --corpus FILE --key FILE --folder FOLDER -o MODEL{learner}")


def _about_learner(name: str) -> str:
    return (
        f"The learner {name} isn't Chatham's own: each party must have the package that offers it, "
        f"and join with --learner {name}."
    )


def session_as_json(session: Session) -> dict[str, Any]:
    """The same for machines."""
    return {"hash": session.hash.hex(), **session.as_plain()}


def in_words(session: Session, me: int | None = None) -> list[tuple[str, str]]:
    """What a party confirms, in rows of a word and sentences."""
    return [
        ("Session", session.id),
        ("Hash", session.hash.hex()),
        ("Parties", _parties(session, me)),
        ("Relay", _relay(session)),
        ("Model", _model(session)),
        ("Words", words_in_words(session)),
        *_scores(session),
        ("Leaves", _leaves(session)),
        *_links(session, me),
        (
            "Stays",
            "Documents, their topics, words that only you have. What the sums themselves give away "
            "is for you to judge: every one of them is in the ledger.",
        ),
    ]


def _parties(session: Session, me: int | None) -> str:
    names = [
        f"{member.name} (you)" if place == me else member.name
        for place, member in enumerate(session.parties)
    ]
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    return f"{len(names)}: {', '.join(names[:MOST_SHOWN])}{more}."


def _relay(session: Session) -> str:
    if session.certificate:
        return f"{session.relay}, known by the certificate in the session."
    return session.relay


def _model(session: Session) -> str:
    from chatham.learners.parameters import learner_called
    from chatham.model.registry import learner_named

    parameters = dict(session.parameters)
    topics = parameters.pop("n_components", None)
    said = [
        *([] if topics is None else [f"{topics} topics"]),
        *(f"{name.replace('_', ' ')} {_value(value)}" for name, value in parameters.items()),
        f"seed {session.seed}",
    ]
    return f"{learner_called(learner_named(session.algorithm))}: {', '.join(said)}."


def _value(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def words_in_words(session: Session) -> str:
    """Which words enter, and how they do."""
    from chatham.federation.words.rules import WordRules

    told = WordRules.of(session.vocabulary)
    rules, what = told.rules, "An item" if told.items else "A word"
    if rules.words is not None:
        listed = f"A public list of {len(rules.words):,}; nobody offers any."
        few = f" Those in fewer than {rules.min_df:,} documents of all are left out."
        return f"{listed}{few if rules.min_df > 1 else ''}{_about_words(told)}"
    most = "" if rules.max_features is None else f" At most {rules.max_features:,} enter."
    return (
        f"{what} enters if at least {rules.min_parties} parties offer it and {rules.min_df:,} of "
        f"their documents have it. A party offers what at least {rules.own_df} of its own "
        f"documents have.{most}{_about_words(told)}"
    )


def _about_words(told: Any) -> str:
    if told.items:
        return ""
    grams = "" if told.ngrams == (1, 1) else f" Phrases of up to {told.ngrams[1]} words count too."
    if told.stop_words == "none":
        return f"{grams} Stop words are words too."
    which = {"auto": "in the language of its texts"}.get(told.stop_words, f"({told.stop_words})")
    if isinstance(told.stop_words, tuple):
        which = f"({len(told.stop_words):,} of them are listed in the session)"
    return f"{grams} Nobody offers stop words {which}."


def _leaves(session: Session) -> str:
    return (
        f"Sums over your documents, in steps of 2^-{session.fraction_bits}, masked; in at most "
        f"{session.rounds:,} rounds. The relay can read neither them nor their total. The other "
        "parties see the total of all and nobody's part of it."
    )


def _scores(session: Session) -> list[tuple[str, str]]:
    from chatham.federation.scores import ScoreRules

    rules = ScoreRules.of(session.score)
    if not rules.measures:
        return []
    named = f"Measured on the documents of all: {', '.join(rules.measures)}."
    held = f" Every party holds out a share of {rules.held_out:g} of its documents for them."
    return [("Scores", named + (held if rules.held_out else ""))]


def _links(session: Session, me: int | None) -> list[tuple[str, str]]:
    """What a party should know of direct links, which protect against fewer."""
    from chatham.federation.normed.linking import uses_links

    if not uses_links(session):
        return []
    fewer = (len(session.parties) - 1) // 2
    mine = "" if me is None else f" Others reach you at {session.parties[me].address}."
    return [
        (
            "Direct",
            "Directions of sums are found over direct links from each party to each, under TLS, "
            f"known by the certificates in the session.{mine} They protect you against fewer than "
            f"half of the parties: {fewer + 1} of {len(session.parties)} who put their heads "
            "together can see your numbers, as they can't in masked sums.",
        )
    ]
