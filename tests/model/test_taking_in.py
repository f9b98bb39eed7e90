"""`fit`, `transform` and `evaluate` take what `read_corpus` takes, and read it alike."""

import io
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import chatham as ch
from chatham.errors import InputError

PETS = [
    "cats purr and cats sleep", "kittens purr", "cats sleep", "dogs bark", "a dog barks at cats",
    "dogs bark at night",
]  # fmt: skip
FRAME = pd.DataFrame({
    "id": list("abcdef"), "url": ["https://pets.example/one-of-many-pages-about-animals"] * 6,
    "title": PETS, "desk": ["cats"] * 3 + ["dogs"] * 3,
})  # fmt: skip
HOW = {"n_components": 2, "random_state": 0, "max_iter": 20}


def files(folder):
    for number, half in enumerate((slice(0, 3), slice(3, 6))):
        FRAME[half].to_csv(folder / f"{number}.dump", index=False, sep="~", header=False)
    return str(folder / "*.dump"), {
        "delimiter": "~",
        "header": False,
        "text": 3,
        "id": 1,
        "label": 4,
    }


SOURCES = {
    "a DataFrame": lambda folder: (FRAME, {"text": "title", "label": "desk"}),
    "a file": lambda folder: (csv(folder), {"text": "title", "label": "desk"}),
    "files without a header": files,
    "a list of paths": lambda folder: ([csv(folder)], {"text": "title", "label": "desk"}),
}


def csv(folder):
    FRAME.to_csv(folder / "a.csv", index=False)
    return folder / "a.csv"


@pytest.mark.parametrize("name", SOURCES)
def test_all_take_the_same(name, tmp_path):
    source, where = SOURCES[name](tmp_path)
    corpus = ch.read_corpus(source, **where)
    model = ch.fit("lda", source, **where, **HOW)
    expected = ch.fit("lda", corpus, **HOW)
    assert model.vocabulary.tolist() == expected.vocabulary.tolist()
    np.testing.assert_array_equal(model.topics, expected.topics)
    weights = expected.transform(corpus)
    np.testing.assert_array_equal(model.transform(source, **where), weights)
    np.testing.assert_array_equal(model.transform(PETS), weights)
    assert model.weights_table(source, **where)["id"].tolist() == list("abcdef")
    described = model.document_info(source, **where)
    assert described["label"].tolist() == FRAME["desk"].tolist()
    measures = ["npmi", "nmi", "frobenius"]
    scores = ch.evaluate(model, source, measures=measures, **where)
    same = ch.evaluate(model, ch.read_corpus(source, **where, min_df=1, max_df=1.0),
                       measures=measures)  # fmt: skip
    assert scores["value"].tolist() == same["value"].tolist()
    compared = ch.compare({"a": model, "b": expected}, source, measures=["npmi"], **where)
    assert compared["a"].tolist() == scores["value"].tolist()[:1]


def test_standard_input_can_be_measured(monkeypatch, tmp_path):
    model = ch.fit("lda", FRAME, text="title", **HOW)
    content = csv(tmp_path).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    scores = ch.evaluate([["cats", "purr"], ["dogs", "bark"]], "-", ["npmi"], format="csv",
                         text="title")  # fmt: skip
    assert scores["value"].notna().all()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    weights = model.transform("-", format="csv", text="title")
    np.testing.assert_array_equal(weights, model.transform(PETS))


def test_counts_of_the_models_own_words_need_no_others(tmp_path):
    import scipy.sparse as sp

    model = ch.fit("lda", FRAME, text="title", **HOW)
    counts = ch.read_corpus(PETS, vocabulary=model.vocabulary.tolist()).counts
    sp.save_npz(tmp_path / "bag.npz", counts)
    np.testing.assert_array_equal(model.transform(tmp_path / "bag.npz"), model.transform(counts))


def test_a_pattern_that_is_a_text_is_no_path():
    model = ch.fit("lda", FRAME, text="title", **HOW)
    with pytest.raises(InputError, match="pass texts as a list"):
        model.transform("do cats purr?")


@pytest.mark.parametrize("where", [{"text": "title"}, {"format": "csv"}, {"header": False}])
def test_a_corpus_has_no_columns_to_name(where):
    corpus = ch.read_corpus(FRAME, text="title")
    model = ch.fit("lda", corpus, **HOW)
    for attempt in (
        lambda: ch.fit("lda", corpus, **where, **HOW),
        lambda: model.transform(corpus, **where),
        lambda: ch.evaluate(model, corpus, measures=["npmi"], **where),
    ):
        with pytest.raises(InputError, match="has its texts, labels and ids already"):
            attempt()


def test_a_column_that_is_not_there_is_named():
    model = ch.fit("lda", FRAME, text="title", **HOW)
    for attempt in (
        lambda: ch.fit("lda", FRAME, text="titel", **HOW),
        lambda: model.transform(FRAME, text="titel"),
        lambda: ch.evaluate(model, FRAME, measures=["npmi"], text="titel"),
    ):
        with pytest.raises(InputError, match="did you mean 'title'"):
            attempt()


def test_words_of_columns_are_for_counts(tmp_path):
    (tmp_path / "docword.a.txt").write_text("2\n2\n2\n1 1 3\n2 2 3\n")
    model = ch.fit("kmeans", tmp_path / "docword.a.txt", vocabulary=["tea", "milk"], **HOW)
    assert sorted(model.top_word_lists(1)) == [["milk"], ["tea"]]
    with pytest.raises(InputError, match="fit takes vocabulary= only with a matrix of counts"):
        ch.fit("kmeans", Path(csv(tmp_path)), vocabulary=["cats"], text="title", **HOW)


def test_matrices_are_no_tables():
    model = ch.fit("kmeans", [[2, 0], [0, 3]], vocabulary=["tea", "milk"], **HOW)
    assert model.transform([[1, 0]]).shape == (1, 2)
    assert model.transform([[1, 0]], header=True, skip_bad_rows=False).shape == (1, 2)
