"""What a party refuses so that a promised privacy holds."""

import pytest

from chatham.commons.privacy import Privacy
from chatham.errors import SessionError
from chatham.federation.join import stay_on_this_machine
from chatham.federation.normed.linking import check_majority
from tests.federation.parties import make_session


def test_a_private_session_goes_on_where_it_began(tmp_path):
    """Another machine may compute another last bit, and so add other noise to an open round."""
    folder = tmp_path / "party"
    stay_on_this_machine(folder, b"one kind")
    stay_on_this_machine(folder, b"one kind")
    with pytest.raises(SessionError, match="another kind of machine"):
        stay_on_this_machine(folder, b"another")


@pytest.mark.parametrize(("parties", "honest"), [(3, 1), (5, 2), (4, 2)])
def test_normed_sums_promise_nothing_against_half_of_the_parties(parties, honest):
    session, _ = make_session(parties, privacy=Privacy(1.0, 1e-5, honest).as_plain())
    with pytest.raises(SessionError, match=f"fewer than half of the {parties} parties"):
        check_majority(session)


@pytest.mark.parametrize(("parties", "honest"), [(3, 2), (5, 3), (5, 4)])
def test_but_against_fewer(parties, honest):
    session, _ = make_session(parties, privacy=Privacy(1.0, 1e-5, honest).as_plain())
    assert check_majority(session) is None
    assert check_majority(make_session(parties)[0]) is None
