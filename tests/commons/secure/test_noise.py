"""Noise in sums: whose it is, what it is bound to, its distribution, and where there is none."""

import numpy as np
import pytest
from scipy import stats

import chatham as ch
from chatham.commons.memory import Memory
from chatham.commons.precision import Precision
from chatham.commons.secure.noise import gaussians, noised
from chatham.commons.state import state_hash
from chatham.errors import InputError

NOISE = 0.2
SECRETS = [b"one", b"two", b"three"]


def add_up(rows, memory, scale):
    """The sum of the rows, scaled."""
    return rows.sum(axis=0) * scale


def two_arrays(rows, memory):
    """A noised sum, and an exact number of rows."""
    return rows.sum(axis=0), np.array([len(rows)])


def parts(n=3, d=2000):
    return [np.full((2, d), float(i)) for i in range(n)]


def commons(secrets=SECRETS, **more):
    made = ch.Simulated(parts(), secure=True, secrets=secrets, **more)
    made.count()
    return made


def noise_of(made, scale=1.0, **more):
    """What a total differs by from the exact one."""
    exact = sum(rows.sum(axis=0) for rows in made.parts) * scale
    return made.sum(add_up, scale, **{"noise": NOISE, **more}) - exact


def test_numbers_are_gaussian_and_independent():
    numbers = gaussians(b"k" * 32, 200_000)
    assert stats.kstest(numbers, "norm").pvalue > 0.01
    assert stats.kstest(gaussians(b"l" * 32, 200_000), "norm").pvalue > 0.01
    assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 0.01
    assert np.isfinite(numbers).all()
    assert 4 < np.abs(numbers).max() < 8.3


def test_the_extremes_of_the_stream_are_finite(monkeypatch):
    """The smallest and the largest word that a stream can have."""
    from chatham.commons.secure import noise

    class Stream:
        def __init__(self, *_, **__): ...
        def encryptor(self):
            return self

        def update(self, zeros):
            return bytes(8) + bytes([255] * 8)

    monkeypatch.setattr(noise, "Cipher", Stream)
    lowest, highest = noise.gaussians(b"k" * 32, 2)
    assert lowest == -highest
    assert 8 < highest < 8.3


def test_every_holder_adds_its_own():
    total = noise_of(commons())
    assert total.std() == pytest.approx(NOISE * np.sqrt(3), rel=0.05)
    assert abs(total.mean()) < 0.03
    one_other = noise_of(commons([b"one", b"two", b"other"]))
    assert (total - one_other).std() == pytest.approx(NOISE * np.sqrt(2), rel=0.05)


def test_holders_without_secrets_differ_too():
    made = ch.Simulated([np.zeros((2, 2000))] * 3, secure=True)
    made.count()
    assert noise_of(made).std() == pytest.approx(NOISE * np.sqrt(3), rel=0.05)


def test_it_is_rounded_to_a_sixteenth_of_the_noise_or_less():
    total = commons().sum(add_up, 1 / 3, noise=NOISE)
    assert np.array_equal(total, np.rint(total * 2**7) / 2**7)
    assert NOISE / 16 >= 2.0**-7


def test_a_replay_repeats_it_and_anything_else_does_not():
    first = noise_of(commons())
    assert np.array_equal(first, noise_of(commons()))
    assert not np.array_equal(first, noise_of(commons(), noise=0.201))
    again = commons()
    noise_of(again)
    second = noise_of(again)  # the same sum, a step later
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.1


def contribution(**changed):
    """One holder's part with its noise, less the part."""
    given = {
        "part": np.ones(2000), "secret": b"mine", "steps": 3, "step": "add", "state": b"state",
    } | changed  # fmt: skip
    memory = Memory(secret=given["secret"])
    memory.steps = given["steps"]
    (found,) = noised((given["part"],), [1.0], memory, given["step"], given["state"])
    return found - given["part"]


@pytest.mark.parametrize(
    "changed",
    [
        {"part": np.ones(2000) + 1e-9}, {"secret": b"yours"}, {"steps": 4}, {"step": "add more"},
        {"state": b"another"},
    ],
)  # fmt: skip
def test_it_is_bound_to_key_step_round_state_and_to_what_it_hides(changed):
    same, other = contribution(), contribution(**changed)
    assert np.array_equal(same, contribution())
    assert abs(np.corrcoef(same, other)[0, 1]) < 0.1


def test_a_fresh_fit_begins_to_count_anew():
    made = commons()
    with made.fitting():
        made.count()
        first = noise_of(made)
    with made.fitting():
        made.count()
        assert np.array_equal(first, noise_of(made))


@pytest.mark.parametrize(
    "made",
    [
        ch.Alone(np.ones((3, 5))),
        ch.Simulated([np.ones((3, 5))] * 2),
        ch.Simulated([np.ones((3, 5))] * 2, secure=True, exact_totals=True),
    ],
)
def test_nobody_adds_any_where_totals_may_be_exact(made):
    made.count()
    exact = made.sum(add_up, 1 / 3)
    assert made.sum(add_up, 1 / 3, noise=NOISE).tobytes() == exact.tobytes()


def test_a_recorded_commons_adds_what_the_one_inside_does():
    recorded, inside = ch.Recorded(commons()), commons()
    recorded.commons.counted = None
    recorded.count()
    inside.count()
    total = recorded.sum(add_up, 1.0, noise=NOISE)
    assert np.array_equal(total, inside.sum(add_up, 1.0, noise=NOISE))
    assert [entry.statistic.rsplit(".", 1)[1] for entry in recorded.ledger] == [
        "count_documents", "add_up",
    ]  # fmt: skip


def test_an_array_without_noise_stays_exact_beside_one_that_has_it():
    total, rows = commons().sum(two_arrays, noise=[NOISE, 0.0])
    assert rows[0] == 6
    assert total.std() > 0.1


def test_whole_numbers_have_no_noise():
    with pytest.raises(InputError, match=r"two_arrays returned an array of dtype int64"):
        commons().sum(two_arrays, noise=NOISE)


@pytest.mark.parametrize("noise", [-1.0, np.nan, np.inf, "much", [0.1, -0.1]])
def test_noise_that_is_none_is_refused(noise):
    with pytest.raises(InputError, match="The noise of a sum is a finite standard deviation"):
        Precision(noise=noise)


def test_bits_beside_noise():
    arrays = [np.zeros(3), np.zeros(3, dtype=np.int64)]
    assert Precision(noise=0.2).bits(arrays, 100, 3, 40) == (7, 0)
    assert Precision(noise=[0.0, 0.0]).bits(arrays, 100, 3, 40) == (40, 0)
    assert Precision(noise=1000.0).bits(arrays, 100, 3, 40) == (0, 0)
    assert not Precision().noised
    assert Precision(noise=[0.0, 0.1]).noised


def test_the_state_enters_as_parties_hash_it():
    """A party hashes what it shares once, for its peers and for its noise."""
    assert state_hash((1.0,)) != state_hash((2.0,))
    assert not np.array_equal(noise_of(commons(), 1.0), noise_of(commons(), 2.0))
