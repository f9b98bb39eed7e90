"""Items in baskets: what they count, what they are called, what is left out."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatham.corpus import read_baskets
from chatham.errors import InputError
from tests.corpus.played import PLAYED, RATED, SEEN, as_dict

# Counts


def test_rows_add_up_without_ratings():
    corpus = read_baskets(PLAYED, basket="list", item="song")
    assert corpus.ids.tolist() == ["x", "y", "z"]
    assert corpus.vocabulary.tolist() == ["Help", "Hey", "Yes"]
    assert corpus.counts.toarray().tolist() == [[2, 0, 1], [0, 2, 0], [0, 1, 0]]
    assert corpus.counts.dtype == np.int64


def test_a_rating_counts_twice_its_stars():
    corpus = read_baskets(SEEN, **RATED)
    assert as_dict(corpus) == {
        ("1", "10"): 10,
        ("1", "20"): 1,
        ("2", "10"): 7,
        ("2", "30"): 8,
        ("3", "20"): 3,  # 2.5, and a half is rounded up
    }


def test_another_scale():
    assert as_dict(read_baskets(SEEN, **RATED, scale=1))["1", "20"] == 1
    corpus = read_baskets(SEEN, **RATED, scale=0.8)
    assert ("1", "20") not in as_dict(corpus)  # 0.4
    assert corpus.counts.nnz == 4
    assert "1 rating below half a count at scale=0.8: count 0." in corpus.notes


def test_of_several_ratings_the_mean_counts():
    rows = {"user": [1, 1, 1, 2], "film": [7, 8, 7, 7], "stars": [5, 4, 2, 1]}
    table = pd.DataFrame(rows)
    corpus = read_baskets(table, **RATED)
    assert as_dict(corpus) == {("1", "7"): 7, ("1", "8"): 8, ("2", "7"): 2}
    assert "1 item rated more than once in a basket: the mean counts." in corpus.notes
    assert as_dict(read_baskets(table[::-1], **RATED)) == as_dict(corpus)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 6), st.integers(1, 10)), min_size=1, max_size=60
    )
)
def test_counts_are_those_of_a_plain_loop(rows):
    table = pd.DataFrame(rows, columns=["user", "film", "half_stars"])
    table["stars"] = table.pop("half_stars") / 2
    plain, ratings = {}, {}
    for user, film, stars in table.itertuples(index=False):
        place = (str(user), str(film))
        plain[place] = plain.get(place, 0) + 1
        ratings.setdefault(place, []).append(stars)
    rated = {
        place: int(np.floor(2 * sum(given) / len(given) + 0.5)) for place, given in ratings.items()
    }
    assert as_dict(read_baskets(table, basket="user", item="film")) == plain
    assert as_dict(read_baskets(table, **RATED)) == rated


def test_a_number_and_its_string_are_one_item():
    table = pd.DataFrame({"user": [1.0, "1", 2], "film": ["7", 7, 7.0]})
    corpus = read_baskets(table, basket="user", item="film")
    assert as_dict(corpus) == {("1", "7"): 2, ("2", "7"): 1}


# Names


def test_titles_from_a_mapping_or_a_series():
    titles = {10: "Alien", "20": "Emma", 30: "Heat"}
    for names in (titles, pd.Series(titles)):
        corpus = read_baskets(SEEN, **RATED, names=names)
        assert corpus.vocabulary.tolist() == ["Alien", "Emma", "Heat"]
        assert as_dict(corpus)["2", "Heat"] == 8


def test_titles_from_a_table():
    films = pd.DataFrame({"film": [30, 20, 10], "year": [1995, 1996, 1979]})
    films["Title"] = ["Heat", "Emma", "Alien"]
    corpus = read_baskets(SEEN, **RATED, names=films)
    assert corpus.vocabulary.tolist() == ["Alien", "Emma", "Heat"]
    assert any("'Title', a guess" in note for note in corpus.notes)
    corpus = read_baskets(SEEN, **RATED, names=films, title="year")
    assert corpus.vocabulary.tolist() == ["1979", "1995", "1996"]
    assert as_dict(corpus)["2", "1995"] == 8
    assert not any("guess" in note for note in corpus.notes)


def test_titles_in_the_table_itself():
    table = SEEN.assign(called=["Alien", None, "Aliens", "Heat", "Emma"])
    corpus = read_baskets(table, **RATED, title="called")
    assert corpus.vocabulary.tolist() == ["Alien", "Emma", "Heat"]


def test_titles_that_repeat_or_are_missing_stay_apart():
    corpus = read_baskets(SEEN, **RATED, names={10: "Emma", 20: " Emma ", 30: ""})
    assert corpus.vocabulary.tolist() == ["30", "Emma [10]", "Emma [20]"]
    assert as_dict(corpus)["1", "Emma [20]"] == 1
    assert "2 items share their title, so the item is added to it." in corpus.notes
    assert "1 item without a title, named by the id in the table." in corpus.notes


def test_a_title_that_another_became_stays_apart_too():
    names = {10: "Emma", 20: "Emma", 30: "Emma [20]"}
    words = read_baskets(SEEN, **RATED, names=names).vocabulary.tolist()
    assert words == ["Emma [10]", "Emma [20] [20]", "Emma [20] [30]"]


def test_a_title_that_is_another_item_stays_apart():
    words = read_baskets(SEEN, **RATED, names={10: "30", 20: "Emma"}).vocabulary.tolist()
    assert words == ["30 [10]", "30 [30]", "Emma"]


# What is left out


def test_rare_items_are_left_out_and_common_ones_stay():
    n = 60
    table = pd.DataFrame(
        {"user": [*range(n), 0, 1, 2], "film": ["all"] * n + ["two", "two", "one"]}
    )
    corpus = read_baskets(table, basket="user", item="film")
    assert corpus.vocabulary.tolist() == ["all", "two"]
    assert "Kept 2 of 3 items: min_df=2 and max_df=1.0." in corpus.notes
    kept = read_baskets(table, basket="user", item="film", min_df=1, max_df=0.5)
    assert kept.vocabulary.tolist() == ["one", "two"]
    assert kept.empty.sum() == n - 3
    assert f"{n - 3} baskets left without items, but kept." in kept.notes
    most = read_baskets(table, basket="user", item="film", max_features=1)
    assert most.vocabulary.tolist() == ["all"]


def test_small_baskets_are_left_out_once_rare_items_are_gone():
    corpus = read_baskets(SEEN, **RATED, min_df=2, least=7)
    assert corpus.ids.tolist() == ["1", "2"]
    assert corpus.counts.toarray().tolist() == [[10, 1], [7, 0]]
    assert "Left out 1 basket with a total count below 7." in corpus.notes


def test_incomplete_rows_are_left_out_and_said():
    table = pd.DataFrame(
        {
            "user": ["a", None, "b", "", "c"],
            "film": ["x", "x", np.nan, "y", "y"],
            "stars": [1, 2, 3, 4, None],
        }
    )
    corpus = read_baskets(table, **RATED)
    assert as_dict(corpus) == {("a", "x"): 2}
    assert "Left out 4 rows without basket or item or rating." in corpus.notes


# Another vocabulary


def test_a_vocabulary_says_what_is_counted():
    corpus = read_baskets(SEEN, **RATED, vocabulary=["30", "40", "10"], min_df=3)
    assert corpus.vocabulary.tolist() == ["30", "40", "10"]
    assert corpus.ids.tolist() == ["1", "2", "3"]
    assert corpus.counts.toarray().tolist() == [[0, 0, 10], [8, 0, 7], [0, 0, 0]]
    assert any(note.startswith("Only the words of the vocabulary") for note in corpus.notes)
    assert any("1 basket left without items" in note for note in corpus.notes)


def test_a_vocabulary_of_titles_needs_titles():
    names = {10: "Alien", 20: "Emma"}
    corpus = read_baskets(SEEN, **RATED, names=names, vocabulary=["Emma"])
    assert corpus.counts.toarray().ravel().tolist() == [1, 0, 3]
    with pytest.raises(InputError, match=r"None of the 1 item of the vocabulary .* pass names="):
        read_baskets(SEEN, **RATED, vocabulary=["Emma"])
