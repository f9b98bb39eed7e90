"""Direct links of a party: whether a session needs them, and what they are made from.

A session names every party's address and certificate; the private key of mine is in a file next to
my identity's key. Only the normed sum goes over such links.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chatham.errors import InputError, SessionError
from chatham.federation.extra import need_direct_links, need_federation
from chatham.federation.session import MOST_ROUNDS, USUAL_ROUNDS, Session
from chatham.model.registry import known, make_settings
from chatham.wording import say

if TYPE_CHECKING:
    from chatham.federation.normed.sum import NormedLinks


ROUNDS, SPARE = 4, 1000
"""Rounds of a normed sum: two, and two more if machines differ. Rounds for words and scores."""


def uses_links(session: Session) -> bool:
    """Whether what will be computed goes over direct links.

    >>> from chatham.federation.session import Member
    >>> parties = tuple(Member(name, 32 * ("0" + name)) for name in "abc")
    >>> uses_links(Session("ab" * 16, "https://relay.example", parties, "svd", {"sums": "normed"}))
    True
    """
    return _takes_normed_sums(session.algorithm, session.parameters)


def enough_rounds(algorithm: str, parameters: Mapping[str, Any]) -> int:
    """How many rounds a session allows by default.

    >>> enough_rounds("lda", {}), enough_rounds("svd", {"sums": "normed", "n_components": 50})
    (10000, 61000)
    """
    if not _takes_normed_sums(algorithm, parameters):
        return USUAL_ROUNDS
    own = {name: value for name, value in parameters.items() if name != "weighting"}
    most = ROUNDS * make_settings(algorithm, own)._most_normed_sums() + SPARE
    return min(max(most, USUAL_ROUNDS), MOST_ROUNDS)


def _takes_normed_sums(algorithm: str, parameters: Mapping[str, Any]) -> bool:
    """False for a learner that isn't known here: only the parties that know it can tell."""
    learner = known(algorithm.lower())
    return learner is not None and learner._takes_normed_sums(parameters)


def direct_key_of(key: Path) -> Path:
    """Where `chatham keygen` puts the private key for direct links: next to the identity's.

    >>> direct_key_of(Path("north.key")).name
    'north.direct.key'
    """
    return key.with_name(f"{key.name.removesuffix('.key')}.direct.key")


def check_links(session: Session) -> None:
    """Refuse a session that needs direct links but can't have them."""
    if uses_links(session):
        need_federation()
        from chatham.federation.normed.sum import check_session

        check_session(session)
        check_majority(session)


def check_majority(session: Session) -> None:
    """Refuse to promise privacy against more parties than links protect from.

    Half of the parties together open every other one's contribution, which has its own share of the
    noise alone.
    """
    privacy, parties = session.promised, len(session.parties)
    if privacy is not None and 2 * privacy.honest <= parties:
        raise SessionError(
            f"Normed sums protect against fewer than half of the {parties} parties, and the "
            f"privacy would have to hold with {privacy.honest} that don't collude; assume "
            f"{parties // 2 + 1} (honest={parties // 2 + 1}), or take sums=secure."
        )


def links_of(session: Session, key: Path, direct_key: Path | None = None) -> NormedLinks | None:
    """My direct links, which are opened on first use; None if there are none.

    Whatever would prevent them on my side is detected now.
    """
    needed = uses_links(session)
    named = all(member.address and member.certificate for member in session.parties)
    path = direct_key or direct_key_of(key)
    if not needed and (not named or (direct_key is None and not path.exists())):
        return None
    need_direct_links()
    from chatham.commons.secure.keys import Identity
    from chatham.federation.addresses import check_port
    from chatham.federation.normed.sum import NormedLinks, check_session

    check_session(session)
    if needed:
        check_majority(session)
    if not path.exists():
        raise InputError(
            say(
                "This session goes over direct links, and there is no '{path}' with the "
                "private key of your certificate; give the one that 'chatham keygen' made "
                "with --direct-key (in Python, {direct_key=}).",
                path=path,
            )
        )
    index = session.index_of(Identity.load(key).public)
    links = NormedLinks(session, index, path)
    if index:  # the first party calls all others and is called by none
        check_port(session.parties[index])
    return links
