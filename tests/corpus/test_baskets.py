"""Items in baskets: what they count, what they are called, what is left out, and what is said."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chatham as ch
from chatham.corpus import read_baskets
from chatham.errors import InputError

PLAYED = pd.DataFrame(
    {
        "list": ["x", "y", "x", "x", "z", "y"],
        "song": ["Help", "Hey", "Help", "Yes", "Hey", "Hey"],
    }
)
SEEN = pd.DataFrame(
    {
        "user": [1, 1, 2, 2, 3],
        "film": [10, 20, 10, 30, 20],
        "stars": [5.0, 0.5, 3.5, 4.0, 1.25],
    }
)
RATED = {"basket": "user", "item": "film", "rating": "stars"}


def as_dict(corpus):
    """Counts by basket and item, without zeros."""
    cells = corpus.counts.tocoo()
    return {
        (str(corpus.ids[row]), str(corpus.vocabulary[column])): int(count)
        for row, column, count in zip(cells.row, cells.col, cells.data, strict=True)
    }


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
    assert "1 item rated again in the same basket: the mean counts." in corpus.notes
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
    assert "1 item without a title, named by what the table says." in corpus.notes


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
    assert f"{n - 3} baskets without any item that was kept, kept." in kept.notes
    most = read_baskets(table, basket="user", item="film", max_features=1)
    assert most.vocabulary.tolist() == ["all"]


def test_small_baskets_are_left_out_once_rare_items_are_gone():
    corpus = read_baskets(SEEN, **RATED, min_df=2, least=7)
    assert corpus.ids.tolist() == ["1", "2"]
    assert corpus.counts.toarray().tolist() == [[10, 1], [7, 0]]
    assert "Left out 1 basket that count less than 7." in corpus.notes


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


# Files


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "csv.gz"])
def test_files_give_what_the_table_gives(tmp_path, ending):
    films = pd.DataFrame({"film": [10, 20, 30], "title": ["Alien", "Emma", "Heat"]})
    paths = []
    for name, table in (("seen", SEEN), ("films", films)):
        path = tmp_path / f"{name}.{ending}"
        if ending == "parquet":
            table.to_parquet(path)
        elif ending == "jsonl":
            table.to_json(path, orient="records", lines=True)
        else:
            table.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
        paths.append(path)
    corpus = read_baskets(str(paths[0]), **RATED, names=paths[1])
    expected = read_baskets(SEEN, **RATED, names=films)
    assert as_dict(corpus) == as_dict(expected)
    assert corpus.ids.tolist() == expected.ids.tolist()


def test_films_as_they_were_rated(shared_data):
    corpus = read_baskets(
        shared_data / "movielens1m_ratings.parquet",
        basket="user",
        item="item",
        rating="rating",
        names=shared_data / "movielens1m_movies.parquet",
    )
    ratings = pd.read_parquet(shared_data / "movielens1m_ratings.parquet")
    rated_by = ratings.groupby("item").size()
    kept = ratings[ratings["item"].map(rated_by) >= 5]
    assert corpus.shape == (kept["user"].nunique(), kept["item"].nunique())
    assert corpus.n_tokens == 2 * kept["rating"].sum()
    assert corpus.counts.max() == 10
    row = corpus.ids.tolist().index("1")
    column = corpus.vocabulary.tolist().index("Toy Story (1995)")
    assert corpus.counts[row, column] == 10


def test_a_learner_takes_them():
    corpus = ch.read_baskets(PLAYED, basket="list", item="song")
    model = ch.fit("plsa", corpus, n_components=2, random_state=0, max_iter=3)
    assert model.vocabulary.tolist() == ["Help", "Hey", "Yes"]


# Bad input


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"basket": "usr"}, "basket='usr' is no column of the table; its columns are 'user',"),
        ({"basket": "usr"}, "did you mean 'user'?"),
        ({"item": "movie"}, "item='movie' is no column"),
        ({"rating": "score"}, "rating='score' is no column"),
        ({"title": "name"}, "title='name' is no column of the table"),
        ({"basket": "film"}, "basket and item are both 'film'"),
        ({"basket": None}, "basket=None is no column"),
        ({"names": pd.DataFrame({"id": [1], "title": ["x"]})}, "item='film' is no column of names"),
        ({"names": pd.DataFrame({"film": [1], "a": ["x"], "b": ["y"]})}, "pass title="),
        (
            {"names": pd.DataFrame({"film": [1], "a": ["x"]}), "title": "b"},
            "title='b' is no column of names",
        ),
        ({"names": {10: "x"}, "title": "b"}, "without title="),
        ({"names": 7}, "not a int"),
        ({"scale": 0}, "scale must be a finite number larger than 0, not 0"),
        ({"scale": np.nan}, "not nan"),
        ({"scale": 1e12}, "lower scale="),
        ({"least": -1}, "least must be a whole number of at least 0, not -1"),
        ({"least": 1000}, "No basket counts 1,000 in all, and the largest 15: lower least."),
        ({"min_df": 9}, "No item is left of 3 items in 3 baskets with min_df=9"),
        ({"min_df": 1.5}, "min_df must be"),
    ],
)
def test_bad_settings_are_refused_and_said(options, said):
    with pytest.raises(InputError) as refused:
        read_baskets(SEEN, **{**RATED, **options})
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("stars", [1, 2, -3, 4, 5], "rating in row 2 (counted from 0)"),
        ("stars", [1, 2, 3, 4, np.inf], "rating in row 4"),
        ("stars", ["5", "good", "3", "2", "1"], "rating in row 1"),
        ("stars", [None] * 5, "No row of the table has basket and item and rating"),
        ("film", [[1], [2], [3], [4], [5]], "The column of the item holds lists"),
    ],
)
def test_bad_values_are_refused_and_not_shown(column, values, said):
    with pytest.raises(InputError) as refused:
        read_baskets(SEEN.assign(**{column: values}), **RATED)
    assert said in str(refused.value)
    assert "good" not in str(refused.value)


@pytest.mark.parametrize("table", [SEEN.iloc[:0], pd.concat([SEEN, SEEN[["film"]]], axis=1)])
def test_tables_that_hold_nothing_or_too_much_are_refused(table):
    with pytest.raises(InputError, match=r"No row of the table|2 columns of the table"):
        read_baskets(table, **RATED)


def test_sources_that_are_no_table_are_refused(tmp_path):
    for source, said in [
        (tmp_path / "seen.txt", "has no ending of a table; known are '.csv'"),
        (tmp_path / "seen.csv", "There is no file"),
        ([("a", "b")], "can't be read from a list"),
    ]:
        with pytest.raises(InputError) as refused:
            read_baskets(source, **RATED)
        assert said in str(refused.value)


# Another vocabulary


def test_a_vocabulary_says_what_is_counted():
    corpus = read_baskets(SEEN, **RATED, vocabulary=["30", "40", "10"], min_df=3)
    assert corpus.vocabulary.tolist() == ["30", "40", "10"]
    assert corpus.ids.tolist() == ["1", "2", "3"]
    assert corpus.counts.toarray().tolist() == [[0, 0, 10], [8, 0, 7], [0, 0, 0]]
    assert any(note.startswith("Only the words of the vocabulary") for note in corpus.notes)
    assert any("1 basket without any item" in note for note in corpus.notes)


def test_a_vocabulary_of_titles_needs_titles():
    names = {10: "Alien", 20: "Emma"}
    corpus = read_baskets(SEEN, **RATED, names=names, vocabulary=["Emma"])
    assert corpus.counts.toarray().ravel().tolist() == [1, 0, 3]
    with pytest.raises(InputError, match=r"None of the 1 item of the vocabulary .* pass names="):
        read_baskets(SEEN, **RATED, vocabulary=["Emma"])
