"""Masked sums of all learners are those of version 0.2.0: the same steps, words and bits.

There each learner worked out its fraction bits itself; now it says how large a cell can be, and the
commons makes bits of it.
"""

import json
from pathlib import Path

import pytest

from tests.learners.ledgers import CAPS, SIZES, ledgers, other_ledgers
from tests.same_bytes_cases import Data, learners

RECORDED = Path(__file__).with_name("ledgers-0.2.0.json")


@pytest.fixture(scope="module")
def recorded():
    return json.loads(RECORDED.read_text())


def test_every_learner_is_in_the_record(recorded):
    names = {f"{name}, {cap} bits, {size or 'all'}"
             for name in learners(Data()) for cap in CAPS for size in SIZES}  # fmt: skip
    assert set(recorded) == {*names, "measures", "words"}
    rounds = [one for ledger in recorded.values() for one in ledger]
    assert len({step for _, step, _ in rounds}) > 20
    assert len({bits for *_, arrays in rounds for bits, _ in arrays}) > 15


@pytest.mark.parametrize("share", range(8))
def test_steps_words_and_bits_are_those_of_the_record(share, recorded):
    fits, seen = len(recorded) - 2, 0
    for name, ledger in ledgers(range(share, fits, 8)):
        assert json.loads(json.dumps(ledger)) == recorded[name], name
        seen += 1
    assert seen == len(range(share, fits, 8))


def test_so_are_those_of_measures_and_of_agreeing_on_words(recorded):
    for name, ledger in other_ledgers():
        # How often a classifier's descent takes a round depends on models, which fit better now.
        now, then = ([one[1:] for one in each] for each in (ledger, recorded[name]))
        assert json.loads(json.dumps(now)) == then, name
    assert sum(times for times, *_ in recorded["measures"]) > 200


def test_the_comparison_sees_a_bit_more(monkeypatch, recorded):
    from chatham.learners.nmf import bounds

    monkeypatch.setattr(bounds, "_most", lambda commons, problem: 0.5)
    name, ledger = next(iter(ledgers([list(recorded).index("nmf block nndsvd, 50 bits, all")])))
    assert json.loads(json.dumps(ledger)) != recorded[name]
