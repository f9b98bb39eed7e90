"""Clopper and Pearson's intervals by their definition: tails of the binomial distribution."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from chatham.audit.intervals import clopper_pearson
from chatham.errors import InputError


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_ends_are_where_the_tails_are_half_the_error(pair):
    k, n = pair
    found = clopper_pearson(k, n, level=0.9)
    assert found.low == 0 if k == 0 else abs(binom.sf(k - 1, n, found.low) - 0.05) < 1e-9
    assert found.high == 1 if k == n else abs(binom.cdf(k, n, found.high) - 0.05) < 1e-9
    theirs = binomtest(k, n).proportion_ci(0.9)
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@pytest.mark.parametrize("given_", [(3, 2), (-1, 2), (0, 0)])
def test_what_is_no_share_is_refused(given_):
    with pytest.raises(InputError):
        clopper_pearson(*given_)


def test_a_level_of_one_is_refused():
    with pytest.raises(InputError, match="level"):
        clopper_pearson(1, 2, level=1.0)
