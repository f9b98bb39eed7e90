"""A session in words: what will be computed, what leaves a party, and what stays."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chatham.audit.cost_of_privacy import CostOfPrivacy
    from chatham.federation.session import Session


def show_session(
    session: Session, path: Path, quiet: bool, as_json: bool, cost: CostOfPrivacy | None = None
) -> None:
    """Print what the session says, and what to do with its file."""
    from chatham.cli.output import print_json, print_rows
    from chatham.cli.progress import print_notes
    from chatham.model.registry import LEARNERS

    ours = session.algorithm in LEARNERS
    if not ours and not quiet:
        print_notes([_about_learner(session.algorithm)])
    if as_json:
        told = {} if cost is None else {"cost_of_privacy": cost.to_dict()}
        print_json(session_as_json(session) | {"file": str(path)} | told)
    elif quiet:
        print(session.hash.hex())
    else:
        print_rows([*in_words(session), *([] if cost is None else [("Costs", cost.in_words)])])
        file = shlex.quote(str(path))
        print(f"\nWritten to {path}. Give it to all parties and to the relay's operator:\n")
        print(f"  chatham relay {file}{_where(session)}")
        learner = "" if ours else f" --learner {session.algorithm}"
        print(f"  chatham join {file} --corpus FILE --key FILE --folder FOLDER -o MODEL{learner}")


def _where(session: Session) -> str:
    """What a relay needs besides the session, which says where it listens."""
    from chatham.federation.session import parts_of

    return " --certificate FILE --key FILE" if parts_of(session.relay)[0] == "https" else ""


def _about_learner(name: str) -> str:
    return (
        f"The learner {name} isn't Chatham's own: each party must have the package that offers it, "
        f"and join with --learner {name}."
    )


def session_as_json(session: Session) -> dict[str, Any]:
    """The same for machines."""
    return {"hash": session.hash.hex(), **session.as_plain()}


def in_words(session: Session, me: int | None = None) -> list[tuple[str, str]]:
    """What a party confirms, in rows of a heading and sentences."""
    return [
        ("Session", session.id),
        ("Hash", session.hash.hex()),
        ("Parties", _parties(session, me)),
        *_keys(session),
        ("Relay", _relay(session)),
        ("Model", _model(session)),
        ("Words", words_in_words(session)),
        *_scores(session),
        *_tables(session),
        ("Leaves", _leaves(session)),
        *_pace(session),
        ("Reveals", _reveals(session)),
        *_promised(session),
        *_known(session),
        *_links(session, me),
        ("Stays", _stays(session)),
        *_order(),
    ]


def _parties(session: Session, me: int | None) -> str:
    names = [
        f"{member.name} (you)" if index == me else member.name
        for index, member in enumerate(session.parties)
    ]
    return f"{len(names)}: {', '.join(names)}."


def _keys(session: Session) -> list[tuple[str, str]]:
    """Everybody's fingerprint: a roster with a key that nobody checked protects nobody."""
    lines = [f"{member.fingerprint}  {member.name}" for member in session.parties]
    return [("Keys" if i == 0 else "", line) for i, line in enumerate(lines)]


def _reveals(session: Session) -> str:
    from chatham.model.registry import learner_named

    learner = learner_named(session.algorithm)
    if session.promised is not None:
        return learner._reveals_privately(session.parameters)
    return learner._reveals(session.parameters, session.exact_totals_know)


LARGE_EPSILON = 20.0


def _promised(session: Session) -> list[tuple[str, str]]:
    privacy = session.promised
    if privacy is None:
        return []
    words, counted = session.vocabulary, "document frequencies, by which rows may be weighted"
    only_listed = words.get("words") and words.get("min_df") == 1
    if only_listed and words.get("max_features") is None and words.get("max_df") is None:
        counted = "none of the words"
        if session.parameters.get("weighting") != "counts":
            counted = "document frequencies, if words are weighted by them"
    exact = counted if only_listed else f"words and their {counted}"
    little = " So large an ε promises next to nothing." if privacy.epsilon > LARGE_EPSILON else ""
    return [
        (
            "Privacy",
            f"The fit is differentially private: ε = {privacy.epsilon:g} at δ = {privacy.delta:g} "
            "for one document in the place of another, against all who see totals and model, as "
            f"long as {privacy.honest} parties don't collude. It doesn't cover what is told "
            f"before the fit and at its start: {exact}, the number of documents, how many of "
            "them have words, and whether any was in a session of other parties. δ has to be far "
            f"below one over the number of documents.{little}",
        )
    ]


def _known(session: Session) -> list[tuple[str, str]]:
    """What the session does only because its parties say that they know of it."""
    known = {
        "two_parties_know": "There are two parties: each subtracts its own part from a total and "
        "has the other's.",
        "exact_totals_know": "Totals are exact, also where that gives documents away.",
        "roster_changed_know": "Documents may have been in a session of other parties. Who knows "
        "the totals of both subtracts them, and has sums over the documents of those who came or "
        "left: of one party, its co-occurrences, document frequencies and number of documents.",
    }
    said = [sentence for name, sentence in known.items() if getattr(session, name)]
    return [("Known" if i == 0 else "", sentence) for i, sentence in enumerate(said)]


def _order() -> list[tuple[str, str]]:
    """Who starts when, and what to do if somebody is late."""
    return [
        (
            "Order",
            "Somebody starts the relay with this session. Every party joins when it is ready, in "
            "any order; who is early waits, and is told for whom. No sum leaves before all have "
            "joined. Then let it run until you have the model: all are needed for every sum.",
        ),
        (
            "Late",
            "If somebody is late, ask them, and wait: that costs nothing, and nobody can be left "
            "out. You may stop with Ctrl-C at any time; the same command goes on where it stopped.",
        ),
    ]


def _stays(session: Session) -> str:
    offered = (
        "Nobody is told the letters of a word that you alone offer, but whoever guesses it can see "
        "that one party does."
    )
    words = "" if "words" in session.vocabulary else f" {offered}"
    return (
        "No document is sent, nor the topics of any; what others can derive of them is said above."
        f"{words} The ledger has every sum."
    )


def _relay(session: Session) -> str:
    if session.certificate:
        return f"{session.relay}, identified by the certificate in the session."
    return session.relay


def _model(session: Session) -> str:
    from chatham.learners.parameters import learner_called
    from chatham.model.registry import learner_named

    parameters = dict(session.parameters)
    topics = parameters.pop("n_components", None)
    parts = [
        *([] if topics is None else [f"{topics} topics"]),
        *(f"{name.replace('_', ' ')} {_value(value)}" for name, value in parameters.items()),
        f"seed {session.seed}",
    ]
    return f"{learner_called(learner_named(session.algorithm))}: {', '.join(parts)}."


def _value(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def words_in_words(session: Session) -> str:
    """Which words enter the vocabulary, and how."""
    from chatham.federation.words.rules import WordRules

    word_rules = WordRules.of(session.vocabulary)
    rules, noun = word_rules.rules, "An item" if word_rules.items else "A word"
    if rules.words is not None:
        listed = f"A public list of {len(rules.words):,}; nobody offers any."
        few = f" Those in fewer than {_documents(rules.min_df)} over all parties are left out."
        often = f" Those in more than {_documents(rules.max_df)} are left out."
        out = few * (rules.min_df != 1) + often * (rules.max_df is not None)
        return f"{listed}{out}{_about_words(word_rules)}"
    most = "" if rules.max_features is None else f" At most {rules.max_features:,} enter."
    often = "" if rules.max_df is None else f", but no more than {_documents(rules.max_df)}"
    return (
        f"{noun} enters if at least {rules.min_parties} parties offer it and "
        f"{_documents(rules.min_df, 'of their documents')} contain it{often}. A party offers what "
        f"at least {rules.own_df} of its own documents contain.{most}{_about_words(word_rules)}"
    )


def _documents(limit: float | None, whose: str = "documents") -> str:
    """A limit in words.

    >>> _documents(1200), _documents(0.5)
    ('1,200 documents', '50 % of all documents')
    """
    if isinstance(limit, int):
        return f"{limit:,} {whose}"
    return f"{100 * (limit or 0.0):.4g} % of all documents"


def _about_words(rules: Any) -> str:
    if rules.items:
        return ""
    longest = rules.ngrams[1]
    ngrams = "" if rules.ngrams == (1, 1) else f" N-grams of up to {longest} words count too."
    chosen = rules.stop_words
    if chosen == "none":
        return f"{ngrams} Stop words are words too."
    which = {"auto": "in the language of its texts"}.get(chosen, f"({chosen})")
    if isinstance(chosen, tuple):
        which = f"({len(chosen):,} of them are listed in the session)"
        if chosen and isinstance(chosen[-1], tuple):
            more = f"{len(chosen[-1]):,} more that are listed in the session"
            which = f"in the language of its texts, nor {more}"
    return f"{ngrams} Nobody offers stop words {which}."


def _leaves(session: Session) -> str:
    return (
        f"Sums over your documents, in steps of 2^-{session.fraction_bits}, masked; in at most "
        f"{session.rounds:,} rounds. The relay can read neither them nor their total. The other "
        "parties see the total of all and nobody's contribution to it."
    )


def _pace(session: Session) -> list[tuple[str, str]]:
    if not session.pace:
        return []
    return [
        (
            "Pace",
            f"Every contribution leaves {session.pace:,} ms after the total before it. Whoever "
            "isn't ready by then says so in one more number of the sum, and all wait twice as "
            "long from then on.",
        )
    ]


def _scores(session: Session) -> list[tuple[str, str]]:
    from chatham.federation.scores import ScoreRules

    rules = ScoreRules.of(session.score)
    if not rules.measures:
        return []
    named = f"Measured on the documents of all: {', '.join(rules.measures)}."
    held = f" Every party holds out a share of {rules.held_out:g} of its documents for them."
    return [("Scores", named + (held if rules.held_out else ""))]


def _tables(session: Session) -> list[tuple[str, str]]:
    from chatham.federation.tables import in_words as tables_in_words

    return [("Tables", tables_in_words(session.tables))] if session.tables else []


def _links(session: Session, me: int | None) -> list[tuple[str, str]]:
    """What a party should know about direct links, which protect against fewer parties."""
    from chatham.federation.normed.linking import uses_links

    if not uses_links(session):
        return []
    fewer = (len(session.parties) - 1) // 2
    reached = "" if me is None else f" Others reach you at {session.parties[me].address}."
    return [
        (
            "Direct",
            "Directions of sums are computed over direct links from each party to each, under TLS, "
            f"identified by the certificates in the session.{reached} They protect you against "
            f"fewer than half of the parties: {fewer + 1} of {len(session.parties)} who collude "
            "can see your numbers, which they can't in masked sums.",
        )
    ]
