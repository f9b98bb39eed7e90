"""A party that is stopped within its normed sums, over and over, to see one direction many times.

Each try shows the direction under another blur, and the mean of many has less of it. So tries are
limited, whichever process makes them.
"""

from functools import partial

import numpy as np

from chatham.errors import LinkError
from chatham.federation.party.ledger import Ledger, read_ledger
from chatham.federation.party.normed_rounds import TRIES
from chatham.federation.party.party import Party
from tests.federation.parties import Crash, Federation, together

STARTS = 3 * TRIES


def power_step(rows, memory, vector):
    """The product of XᵀX with a vector."""
    return rows.T @ (rows @ vector)


class BreakingLinks:
    """Links on which nothing is ever found: they break, or the process dies on them, when shares
    have left."""

    def __init__(self, error):
        self.error, self.tries = error, 0

    def normed_sum(self, part, bits, about, leaving=lambda: None):
        leaving()
        self.tries += 1
        raise self.error

    def close(self):
        pass


class Gone(BaseException):
    """The party in question has given up, so the others needn't wait any longer."""


def sums(federation, index, links, given_up):
    ledger = Ledger(federation.folder_of(index))
    connection = federation.connect(index, tell=partial(leave, given_up, index))
    party = Party(np.ones((2, 3)), connection, ledger)
    party.links = links
    return party.normed_sum(power_step, np.ones(3))


def leave(given_up, index, told):
    if given_up and index != 1:
        raise Gone


def test_a_party_that_starts_again_has_no_more_tries_than_one_that_doesnt(tmp_path):
    federation, given_up = Federation(tmp_path), []
    dying, breaking = BreakingLinks(Crash()), BreakingLinks(LinkError("A link broke."))

    def stopped_over_and_over():
        for _ in range(STARTS):
            try:
                sums(federation, 1, dying, given_up)
            except Crash:
                continue
            except LinkError as error:
                given_up.append(error)
                raise
        given_up.append(None)

    others = [partial(sums, federation, index, breaking, given_up) for index in (0, 2)]
    first, result, second = together(others[0], stopped_over_and_over, others[1])
    print(f"{dying.tries} tries in {STARTS} starts; the limit is {TRIES}")
    assert dying.tries == TRIES
    assert isinstance(result, LinkError)
    assert f"tried {TRIES} times" in str(result)
    assert all(isinstance(error, Gone | LinkError) for error in (first, second))
    lines = [line for line in read_ledger(federation.folder_of(1)) if "attempt" in line]
    assert [line["attempt"] for line in lines] == list(range(1, TRIES + 1))
