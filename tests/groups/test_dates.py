"""Dates as people write them, and spans that neither lose a day nor count one twice."""

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatham.groups.dates import (
    EVERY,
    MOST_SPANS,
    all_spans,
    count_spans,
    named,
    read_dates,
    sensible,
    span_starts,
)

FEBRUARY = "2017-02-07"


@pytest.mark.parametrize(
    "written",
    [
        "2017-02-07", "2017/2/7", "2017.02.07", "20170207", 20170207, "2017-02-07T23:59:59+01:00",
        "2017-02-07 08:15", "7 Feb 2017", "07-FEB-2017 15:01:02.3", "Feb 7, 2017",
        "February 7th, 2017",         "Tue, 07 Feb 2017 10:00:00 GMT", "7.2.2017", dt.date(2017, 2, 7),
        dt.datetime(2017, 2, 7, 9), np.datetime64("2017-02-07T09"), 1486425600,
        1486425600000, 1486425600.0,
    ],
)  # fmt: skip
def test_the_same_day_written_in_many_ways(written):
    dates = read_dates([written])
    assert dates.days.astype(str).tolist() == [FEBRUARY]
    assert (dates.finest, dates.guessed) == ("day", False)


@pytest.mark.parametrize(
    "written",
    [None, "", "soon", "March 5", "5", 5, 0.5, float("nan"), True, "2017-13-01", "31/02/2017",
     "no 2017 in front", "0999-01-01", "12:30", "ISBN 2017-02", "2017-02-07-55"],
)  # fmt: skip
def test_what_is_no_date_is_none(written):
    assert np.isnat(read_dates([written]).days).all()


def test_one_clear_date_tells_how_the_others_are_meant():
    assert read_dates(["03/04/2017", "03/25/2017"]).days.astype(str)[0] == "2017-03-04"
    assert read_dates(["03/04/2017", "25/03/2017"]).days.astype(str)[0] == "2017-04-03"
    both_ways = read_dates(["03/04/2017", "05/06/2017"])
    assert both_ways.guessed
    assert both_ways.days.astype(str)[0] == "2017-03-04"


def test_years_and_months_are_known_no_finer():
    assert read_dates([2016, "2017", 2018.0, None]).finest == "year"
    assert read_dates(["2016", "2017-05"]).finest == "month"
    assert read_dates(["May 2016"]).days.astype(str).tolist() == ["2016-05-01"]


DAYS = st.integers(-300_000, 300_000).map(lambda day: np.datetime64(day, "D"))


@given(st.lists(DAYS, min_size=1, max_size=20), st.sampled_from(EVERY))
def test_every_day_is_in_the_one_span_that_begins_before_it(days, every):
    days = np.array(days, dtype="datetime64[D]")
    if every == "day" or every == "week":
        days = days[: 1 + (days - days[0] < np.timedelta64(3000, "D")).argmin()][:1]
    starts, spans = span_starts(days, every), all_spans(days, every)
    assert (np.diff(spans) > np.timedelta64(0, "D")).all()
    assert len(spans) == count_spans(days.min(), days.max(), every)
    assert np.isin(starts, spans).all()
    at = np.searchsorted(spans, days, side="right") - 1
    np.testing.assert_array_equal(spans[at], starts)
    np.testing.assert_array_equal(span_starts(spans, every), spans)
    assert len(set(named(spans, every))) == len(spans)


def test_weeks_begin_on_mondays():
    days = np.arange("1969-12-20", "1970-01-20", dtype="datetime64[D]")
    assert {day.weekday() for day in span_starts(days, "week").astype(object)} == {0}


def test_a_few_stray_dates_dont_make_spans_long():
    many = np.repeat(np.arange("2017-02-01", "2017-04-01", dtype="datetime64[D]"), 30)
    stray = np.array(["2016-04-01", "2016-08-01"], dtype="datetime64[D]")
    assert sensible(np.concatenate([stray, many])) == "week"
    assert count_spans(many[0], many[-1], "week") <= MOST_SPANS


def test_years_arent_cut_finer_and_one_day_is_one_span():
    assert sensible(np.repeat(read_dates(range(2000, 2010)).days, 50), "year") == "year"
    assert sensible(np.array(["2017-02-07"] * 3, dtype="datetime64[D]")) == "day"
    assert sensible(np.array([], dtype="datetime64[D]"), "month") == "month"
