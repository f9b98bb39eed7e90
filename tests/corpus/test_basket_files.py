"""Baskets from files, and from what holds none."""

import numpy as np
import pandas as pd
import pytest

import chatham as ch
from chatham.corpus import read_baskets
from chatham.errors import InputError
from tests.corpus.played import PLAYED, RATED, SEEN, as_dict

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
        ({"basket": "usr"}, "basket='usr' is not a column of the table; its columns are 'user',"),
        ({"basket": "usr"}, "did you mean 'user'?"),
        ({"item": "movie"}, "item='movie' is not a column"),
        ({"rating": "score"}, "rating='score' is not a column"),
        ({"title": "name"}, "title='name' is not a column of the table"),
        ({"basket": "film"}, "basket and item are both 'film'"),
        ({"basket": None}, "basket=None is not a column"),
        (
            {"names": pd.DataFrame({"id": [1], "title": ["x"]})},
            "item='film' is not a column of names",
        ),
        ({"names": pd.DataFrame({"film": [1], "a": ["x"], "b": ["y"]})}, "pass title="),
        (
            {"names": pd.DataFrame({"film": [1], "a": ["x"]}), "title": "b"},
            "title='b' is not a column of names",
        ),
        ({"names": {10: "x"}, "title": "b"}, "without title="),
        ({"names": 7}, "not a int"),
        ({"scale": 0}, "scale must be a finite number larger than 0, not 0"),
        ({"scale": np.nan}, "not nan"),
        ({"scale": 1e12}, "lower scale="),
        ({"least": -1}, "least must be a whole number of at least 0, not -1"),
        ({"least": 1000}, "No basket has a total count of 1,000, the largest 15: lower least."),
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
    (tmp_path / "there.txt").write_text("Alien\n")
    for source, said in [
        (tmp_path / "there.txt", "read from a table with columns, and this has none"),
        (tmp_path / "seen.csv", "There is no file"),
        ([("a", "b")], "can't be read from a list"),
    ]:
        with pytest.raises(InputError) as refused:
            read_baskets(source, **RATED)
        assert said in str(refused.value)
