"""One real party that does three power iterations by normed sums, as a process.

With a moment as option it dies around its second sum, as if its machine had, or whenever it uses
its links.
"""

import os
import sys
from pathlib import Path

import numpy as np

from chatham.commons.secure.keys import Identity
from chatham.federation.normed.protocol import Computation
from chatham.federation.normed.sum import NormedLinks
from chatham.federation.party import normed_rounds
from chatham.federation.party.connection import Connection
from chatham.federation.party.http_link import HttpLink
from chatham.federation.party.ledger import Ledger
from chatham.federation.party.party import Party
from chatham.federation.session import read_session


def rows_of(index):
    return np.random.default_rng(index).normal(size=(8 + index, 5)) + 1


def power_step(rows, memory, vector):
    """The product of XᵀX with a vector, on the way to the first singular vector."""
    return rows.T @ (rows @ vector)


def die(*_):
    print("dying", flush=True)
    os._exit(0)


async def die_within(*_):
    die()


def arm(moment):
    """Die at the next chance."""
    if moment == "links":
        NormedLinks.normed_sum = die
    elif moment == "within":
        Computation._normaliser = die_within
    elif moment == "after":
        normed_rounds.found_direction = die


def main(folder, index, key, moment=""):
    folder = Path(folder)
    session = read_session(folder / "session.toml")
    mine, identity = folder / f"party-{index}", Identity.load(folder / f"identity-{index}")
    party = Party(
        rows_of(int(index)),
        Connection(session, identity, HttpLink(session), mine),
        Ledger(mine),
    )
    vectors = [np.ones(5)]
    with NormedLinks(session, int(index), key, limit=2) as party.links:
        for number in range(3):
            if number == (0 if moment == "links" else 1):
                arm(moment)
            vectors.append(party.normed_sum(power_step, vectors[-1]))
    np.savez(folder / f"out-{index}.npz", vectors=vectors[1:])


if __name__ == "__main__":
    main(*sys.argv[1:])
