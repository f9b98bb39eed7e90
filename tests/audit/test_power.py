"""Sample sizes for a stated power: the thesis's known answer, and what is refused."""

import numpy as np
import pytest

from chatham.audit.auditing import prepare
from chatham.audit.one_bit_sum import OneBitSum
from chatham.audit.power import check_databases, databases_needed
from chatham.audit.two_sample import power, two_sample
from chatham.errors import InputError
from tests.audit.toys import bags


def test_beside_100_others_a_power_of_0_8_takes_about_700_an_arm():
    needed = databases_needed(0.8, 101)
    assert 620 <= needed.per_arm <= 740
    assert needed.databases == 2 * needed.per_arm
    assert needed.power.low < 0.8 < needed.power.high
    assert needed.right == pytest.approx(0.5 + 0.079589 / 2, abs=1e-6)
    assert "54 % of guesses" in needed.in_words
    assert "probability 0.8" in needed.in_words
    assert "exact count over 101 documents" in needed.in_words


def test_so_many_databases_have_the_power():
    """By whole tests of such answers, which are moved a little so that none tie."""
    needed, draws = databases_needed(0.6, 31), np.random.default_rng(3)
    others = draws.binomial(30, 0.5, (2, 400, needed.per_arm)) + draws.random(
        (2, 400, needed.per_arm)
    )
    found = np.mean(two_sample(others[0] + 1, others[1]).p <= 0.05)
    assert found > 0.6 - 4 * np.sqrt(0.24 / 400)


def test_beside_very_many_others_it_goes_by_a_law_that_agrees_with_trying():
    needed, many = databases_needed(0.5, 3001), OneBitSum(3000)
    matters = (many.present > 1e-10) | (many.absent > 1e-10)
    tried = power(many.present[matters], many.absent[matters], needed.per_arm, ties=False)
    assert 0.48 < tried.estimate < 0.6  # the law errs on the side of too many databases
    assert needed.power.caveat == "asymptotic"
    assert databases_needed(0.5, 1001).power.caveat == ""


def test_more_power_and_more_others_take_more_databases():
    sizes = [databases_needed(0.8, size).per_arm for size in (11, 51, 101)]
    powers = [databases_needed(wanted, 51).per_arm for wanted in (0.3, 0.6, 0.9)]
    assert sizes == sorted(set(sizes))
    assert powers == sorted(set(powers))


def test_an_audit_draws_as_many_databases_as_its_power_takes_and_refuses_fewer():
    asked = {"n_components": 2, "party_size": 0.4, "documents": ["3"]}
    prepared = prepare(bags(80), "nmf", power=0.7, **asked)
    assert (
        prepared.databases_each == databases_needed(0.7, 32).databases == prepared.needed.databases
    )
    enough = prepare(bags(80), "nmf", power=0.7, databases=2000, **asked)
    assert enough.databases_each == 2000
    with pytest.raises(
        InputError, match=r"^databases=100 are too few for power=0.7: .* less power.$"
    ):
        prepare(bags(80), "nmf", power=0.7, databases=100, **asked)
    with pytest.raises(InputError, match="power"):
        prepare(bags(80), "nmf", power=1.0, **asked)
    assert prepare(bags(80), "nmf", **asked).databases_each == 400
    check_databases(prepared.needed.databases, prepared.needed)
