"""Real corpora, where they lie beside the checkout."""

import numpy as np
import pandas as pd
import scipy.sparse as sp

from chatham.corpus import read_baskets, read_corpus
from tests.conftest import CORPORA, excused


def real(name):
    """Find a corpus, or skip the test and say why."""
    path = CORPORA / name
    if not path.exists():
        excused(f"CHATHAM_DATA names no folder with the corpus {name}")
    return path


def test_twenty_newsgroups_keeps_its_empty_documents():
    path = real("20newsgroups_clean.parquet")
    corpus = read_corpus(path)
    blank = np.array([not text.strip() for text in corpus.texts])
    assert len(corpus) == 18_846
    assert blank.sum() == 49
    assert corpus.empty[blank].all()
    assert len(set(corpus.labels)) == 20
    assert any("(49 had no text at all)" in note for note in corpus.notes)
    assert any("English stop words" in note for note in corpus.notes)


def test_twenty_newsgroups_rows_stay_in_order():
    path = real("20newsgroups_clean.parquet")
    frame = pd.read_parquet(path, columns=["id", "label", "text"]).iloc[:500]
    corpus = read_corpus(frame)
    assert corpus.ids.tolist() == frame["id"].tolist()
    assert corpus.texts == frame["text"].tolist()
    assert (corpus.vectorizer.counts(frame["text"]) != corpus.counts).nnz == 0


def test_kos_is_read_as_it_was_saved():
    path = real("kos.npz")
    corpus = read_corpus(path)
    assert (corpus.n_documents, corpus.n_words, corpus.n_tokens) == (3430, 6906, 467_714)
    assert corpus.vectorizer is None
    assert (corpus.counts != sp.csr_array(sp.load_npz(path))).nnz == 0


def test_nips_has_its_table_of_documents():
    corpus = read_corpus(real("nips12_bow.npz"))
    assert corpus.ids[0] == "nips00/0001.txt"
    assert corpus.metadata["year"].between(1987, 1999).all()
    assert {"title", "authors", "abstract"} <= set(corpus.metadata.columns)
    assert sum(len(p) for p in corpus.parties(by="year").values()) == 1740


def test_reuters_joins_titles_and_texts():
    corpus = read_corpus(real("reuters21578.parquet"), text="title,text", label="labels")
    assert corpus.empty.sum() < 5
    assert sum(label is None for label in corpus.labels) > 5000
    assert {"title", "text"}.isdisjoint(corpus.metadata.columns)


def test_newsrooms_are_nine_parties():
    corpus = read_corpus(real("newsarticles.parquet"))
    parties = corpus.parties(by="label")
    assert len(parties) == 9
    assert sum(map(len, parties.values())) == len(corpus) == 3824


def test_without_options_each_file_is_read_as_with_the_right_ones():
    right = {
        "reuters21578.parquet": {"text": ["title", "text"], "label": "labels"},
        "newsarticles.parquet": {"text": ["title", "text"]},
        "bbc_raw.parquet": {"text": "text"},
        "acl_abstracts_2016on.parquet": {"text": ["title", "text"]},
        "enron_ham.parquet": {"text": "text"},
        "nips12_bow.meta.parquet": {"text": ["title", "abstract"]},
        "movielens1m_movies.parquet": {"text": "title"},
    }
    for name, options in right.items():
        # Guesses are made from a part, as reading whole corpora twice takes long.
        frame = pd.read_parquet(real(name))
        frame = frame.iloc[:: len(frame) // 200].reset_index(drop=True)
        guessed, chosen = read_corpus(frame), read_corpus(frame, stop_words="en", **options)
        assert guessed.texts == chosen.texts, name
        assert guessed.vocabulary.tolist() == chosen.vocabulary.tolist(), name
        assert (guessed.counts != chosen.counts).nnz == 0, name


def test_ratings_without_options_are_baskets():
    frame = pd.read_parquet(real("movielens1m_ratings.parquet"))
    frame = frame[frame["user"] <= 300]
    guessed = read_corpus(frame)
    chosen = read_baskets(frame, basket="user", item="item", rating="rating")
    assert guessed.vocabulary.tolist() == chosen.vocabulary.tolist()
    assert (guessed.counts != chosen.counts).nnz == 0
