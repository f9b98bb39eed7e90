"""A party that scores a model on very few documents is told what its sums would show."""

import numpy as np
import pytest

import chatham as ch
from tests.conftest import plant


@pytest.fixture(scope="module")
def rows():
    return plant(n=60, d=30, k=3, length=20)[0]


@pytest.fixture(scope="module")
def model(rows):
    words = [f"w{place}" for place in range(rows.shape[1])]
    return ch.fit("plsa", rows, vocabulary=words, n_components=3, max_iter=5, random_state=0)


def warnings_of(recwarn):
    return [str(each.message) for each in recwarn if "fewer than 30 documents" in str(each.message)]


@pytest.mark.parametrize("where", ["corpus", "held_out"])
def test_few_documents_between_parties_are_warned_of_once(where, rows, model, recwarn):
    few = ch.Simulated([rows[:3], rows[3:30], rows[30:]], secure=True)
    name = "log_likelihood" if where == "corpus" else "log_likelihood_held_out"
    table = ch.evaluate(model, **{where: few}, measures=[name])
    assert np.isfinite(table.value).all()
    (said,) = warnings_of(recwarn)
    assert said.startswith("2 of 3 holders have fewer than 30 documents: a sum over so few ")


def test_nobody_is_warned_alone_or_with_enough(rows, model, recwarn):
    ch.evaluate(model, rows[:3], measures=["npmi"])
    ch.evaluate(model, ch.Simulated([rows[:3], rows[3:]]), measures=["npmi"])
    many = ch.Simulated([rows[:30], rows[30:], rows[:0]], secure=True)
    ch.evaluate(model, many, measures=["npmi"])
    assert not warnings_of(recwarn)
