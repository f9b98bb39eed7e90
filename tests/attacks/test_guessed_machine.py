"""A relay that tries out which kind of machine a party has.

There are few kinds of machines: processor, system, versions of libraries. Whoever sees a hash of
them finds the kind by hashing all; whoever sees two such values sees whether they are equal.
"""

from functools import partial
from hashlib import sha256

from tests.federation.parties import Federation, all_good, play, together

MACHINES = [sha256(b"machine %d" % number).digest() for number in range(5000)]
MINE = (MACHINES[4321], MACHINES[4321], MACHINES[7])


def everything_said(federation):
    """All values in headers, and all bodies."""
    heard = [message for links in federation.links for link in links for message in link.heard]
    values = {str(value) for frame, _ in heard for value in frame.header.values()}
    return values, b"".join(body for _, body in heard)


def run(federation, numerics):
    connections = [federation.connect(index, numerics=numerics[index]) for index in range(3)]
    all_good(together(*(partial(play, each, 1) for each in connections)))
    return connections


def test_no_machine_is_found_by_trying_all(tmp_path):
    federation = Federation(tmp_path)
    connections = run(federation, MINE)
    values, bodies = everything_said(federation)
    found = [machine for machine in MACHINES if machine.hex() in values or machine in bodies]
    print(f"{len(found)} of {len(set(MINE))} machines found by {len(MACHINES):,} guesses")
    assert not found
    assert all(connection.machines_differ for connection in connections), "parties do know"


def test_nor_which_are_equal_nor_whether_one_has_changed(tmp_path):
    """What a party says of its machine is never said twice, by it or by anybody."""
    federation = Federation(tmp_path)
    for _ in range(2):
        connections = run(federation, MINE[:1] * 3)
    assert not any(connection.machines_differ for connection in connections)
    said = [
        frame.header.get("machine", frame.header.get("numerics"))
        for links in federation.links
        for link in links
        for kind in ("hello", "confirm")
        for frame in {f.raw: f for f, _ in link.heard if f.kind == kind}.values()
        if {"machine", "numerics"} & set(frame.header)
    ]
    assert len(said) >= 3
    assert len(set(said)) == len(said)
