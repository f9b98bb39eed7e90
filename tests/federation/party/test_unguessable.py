"""What the relay sees of a total tells nothing to whoever tries out guesses of it."""

from functools import partial

import pytest

from chatham.federation.party.records import FIRST
from chatham.federation.relay.board import Board
from tests.federation.parties import Federation, InsideRelay, all_good, play, together

HASHES = ("chain", "digest", "state", "proof")


def hashes_shown(federation):
    """All hashes in the headers that parties sent, but for those of their documents and keys."""
    shown = {
        frame.header[name]
        for links in federation.links
        for link in links
        for frame, _ in link.heard
        for name in HASHES
        if name in frame.header
    }
    return shown - {FIRST.hex()}


@pytest.mark.parametrize("rounds", [1, 3])
def test_the_same_session_over_again_shows_no_hash_of_before(tmp_path, rounds):
    """A hash that follows from what is summed and from the total alone would be the same again."""
    first, again = Federation(tmp_path / "a"), Federation(tmp_path / "b")
    again.session, again.identities = first.session, first.identities
    again.relay = InsideRelay(first.session, tmp_path / "b" / "other", Board)
    for federation in (first, again):
        parties = [federation.connect(i) for i in range(3)]
        all_good(together(*(partial(play, party, rounds) for party in parties)))
    assert len(hashes_shown(first)) > 2 * rounds
    assert not hashes_shown(first) & hashes_shown(again)
