import math

import pytest

from chatham.errors import InputError
from chatham.measures.settings import check_positive, check_share, check_whole


@pytest.mark.parametrize("value", [0, True, 1.5, "many", None])
def test_numbers_that_are_not_whole(value):
    with pytest.raises(InputError, match="seats must be a whole number of at least 1"):
        check_whole("seats", value, 1)


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, "much", None])
def test_what_is_no_share(value):
    with pytest.raises(InputError, match="smoothing must be a number at least 0 and at most 1"):
        check_share("smoothing", value)


def test_ends_that_may_be_shut_out():
    check_share("p", 0.0)
    check_share("p", 1)
    with pytest.raises(InputError, match="above 0"):
        check_share("p", 0, above_zero=True)
    with pytest.raises(InputError, match="below 1"):
        check_share("p", 1.0, below_one=True)


@pytest.mark.parametrize("value", [0, -1, math.inf, math.nan, "some", None])
def test_what_is_not_above_zero(value):
    with pytest.raises(InputError, match="penalty must be a finite number above 0"):
        check_positive("penalty", value)
