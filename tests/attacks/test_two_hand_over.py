"""A relay that makes two parties hand over different bytes for one record, under one key and nonce.

It says to both that there is a new epoch, shows them the old one, and gets a second confirm of it
from each; to either it shows its own new confirm among the others' old ones, so that both believe
to be ahead. Their bytes differ because it kept two signatures of the third party under the same
total, one of them of no epoch, and gave them one each. Two messages under one key and nonce give
away their difference, and the means to forge a third.
"""

import threading
from functools import partial

import numpy as np

from chatham.commons.secure.agreement import Message
from chatham.errors import Refused
from chatham.federation.wire import NO_EPOCH, Answer
from tests.federation.parties import (
    PATIENCE,
    Federation,
    InsideLink,
    all_good,
    play,
    sum_of,
    together,
)

ROUNDS = 3
SIGNER = 2
"""The party of which the relay has two signatures under the total of round 1."""


class Plot:
    """What the relay has gathered."""

    def __init__(self):
        self.has_signed_loosely = threading.Event()
        self.loose_signature = None
        self.refused = set()
        self.confirms = {}
        self.sealed = {}

    def refuse_once(self, *moment):
        if moment not in self.refused:
            self.refused.add(moment)
            raise Refused("epoch", "A party has started again, so there is a new epoch.")


class TwoFacedLink(InsideLink):
    def __init__(self, relay, plot):
        super().__init__(relay, patience=0.05)
        self.plot = plot

    def say(self, frame, body):
        if frame.kind == "confirm":
            return self.confirmed(frame)
        if frame.kind == "totals":
            self.plot.sealed[frame.party, frame.header["epoch"], frame.round] = bytes(body)
            return Answer([Message(frame, bytes(body))])
        if (frame.kind, frame.round) == ("sum", 2) and frame.party != SIGNER:
            self.plot.refuse_once(frame.party, "sum")
        answer = super().say(frame, body)
        if answer is not None and (frame.kind, frame.round) == ("agree", 1):
            return self.signed(frame, answer)
        return answer

    def signed(self, frame, answer):
        """The first party gets the signature of this epoch, the second the loose one."""
        if frame.party == SIGNER:
            if frame.hash_of("epoch") == NO_EPOCH:
                self.plot.loose_signature = frame
                self.plot.has_signed_loosely.set()
            self.plot.refuse_once(SIGNER, "agree")
        elif frame.party == 1:
            assert self.plot.has_signed_loosely.wait(PATIENCE)
            return Answer([*answer.messages[:SIGNER], Message(self.plot.loose_signature)])
        return answer

    def confirmed(self, frame):
        """A second confirm of an epoch is shown to its own party among the others' first ones."""
        of_epoch = self.plot.confirms.setdefault(frame.header["epoch"], {})
        mine = of_epoch.setdefault(frame.party, [])
        if frame not in mine:
            mine.append(frame)
        if len(mine) == 1:
            return super().say(frame, b"")
        firsts = [Message(of_epoch[party][0]) for party in sorted(of_epoch)]
        return Answer([*firsts[: frame.party], Message(frame), *firsts[frame.party + 1 :]])


def same_stream(one, other):
    """How many bytes of two different messages are equal at their beginning, as under one key."""
    return next(n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)


def test_no_two_contents_are_sealed_under_one_key(tmp_path):
    plot = Plot()
    federation = Federation(tmp_path, link=lambda relay: TwoFacedLink(relay, plot))
    connections = [federation.connect(index) for index in range(3)]
    totals = all_good(together(*(partial(play, each, ROUNDS) for each in connections)))
    for found in totals:
        np.testing.assert_array_equal(found, [sum_of(3, n) for n in range(1, ROUNDS + 1)])
    assert plot.has_signed_loosely.is_set()
    assert {(0, "sum"), (1, "sum"), (SIGNER, "agree")} <= plot.refused, "the plot was carried out"
    twice = [
        (party, epoch)
        for epoch, parties in plot.confirms.items()
        for party, frames in parties.items()
        if len(frames) > 1
    ]
    shared = {
        (number, one, other): same_stream(first, second)
        for (one, epoch, number), first in plot.sealed.items()
        for (other, epoch_, number_), second in plot.sealed.items()
        if one < other and (epoch, number) == (epoch_, number_) and first != second
    }
    print(f"{len(twice)} second confirms; equal bytes under one key: {shared}")
    assert not any(length >= 16 for length in shared.values())
    assert not twice
