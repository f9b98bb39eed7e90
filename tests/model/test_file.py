"""A model as a folder: bit for bit there and back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chatham as ch
from chatham.errors import ModelFileError
from chatham.model.registry import LEARNERS
from tests.model.model_folders import COUNTS, WORDS, bytes_of

TEXTS = ["Cats purr, cats sleep.", "Dogs bark!", "The dogs bark at the cats.", "Cats sleep.", ""]


@pytest.mark.parametrize("name", list(LEARNERS))
def test_there_and_back_bit_for_bit(name, tmp_path):
    model = ch.fit(name, COUNTS, vocabulary=WORDS, n_components=2, random_state=3, max_iter=20)
    model.save(tmp_path / "a")
    again = ch.load(tmp_path / "a")
    assert again.algorithm == name
    assert again.parameters == model.parameters
    assert again.seed == 3
    assert again.vocabulary.tolist() == WORDS
    assert (again.topics == model.topics).all()
    assert (again.prevalence == model.prevalence).all()
    assert (again.estimator.objective_ == model.estimator.objective_).all()
    assert again.estimator.n_iter_ == model.estimator.n_iter_
    assert (again.transform(COUNTS) == model.transform(COUNTS)).all()
    again.save(tmp_path / "b")
    assert bytes_of(tmp_path / "a") == bytes_of(tmp_path / "b")


@pytest.mark.parametrize("name", list(LEARNERS))
def test_no_fitted_number_is_forgotten(name, tmp_path):
    model = ch.fit(name, COUNTS, vocabulary=WORDS, n_components=2, random_state=0)
    model.save(tmp_path)
    again = ch.load(tmp_path).estimator
    for attribute, value in vars(model.estimator).items():
        if attribute.endswith("_"):
            assert np.array_equal(getattr(again, attribute), value), attribute


def test_what_happened_on_the_way_is_kept(tmp_path):
    model = ch.fit("nmf", COUNTS, vocabulary=WORDS, n_components=2, random_state=0)
    model.estimator.revived_ = [(3, np.int64(1)), (4, 0)]
    model.save(tmp_path)
    assert ch.load(tmp_path).estimator.revived_ == [(3, 1), (4, 0)]


def test_texts_are_read_as_before(tmp_path):
    corpus = ch.read_corpus(TEXTS, weighting="tfidf", ngrams=(1, 2))
    model = ch.fit("nmf", corpus, n_components=2, random_state=0)
    model.save(tmp_path)
    assert (ch.load(tmp_path).transform(TEXTS) == model.transform(TEXTS)).all()


def test_arrays_among_the_parameters_are_kept(tmp_path):
    start = np.array([[0.7, 0.3, 0, 0], [0, 0, 0.5, 0.5]])
    model = ch.fit("nmf", COUNTS, vocabulary=WORDS, n_components=2, init=start)
    model.save(tmp_path)
    again = ch.load(tmp_path)
    assert (again.estimator.init == start).all()
    assert again.estimator.fit(COUNTS).components_ == pytest.approx(model.estimator.components_)


def test_a_general_nmf_is_kept_as_it_is(tmp_path):
    model = ch.fit("nmf", COUNTS, vocabulary=WORDS, n_components=2, constraint="none")
    model.save(tmp_path)
    assert (ch.load(tmp_path).topics == model.topics).all()


def test_a_random_generator_is_not_kept(tmp_path):
    seed = np.random.RandomState(0)
    model = ch.fit("nmf", COUNTS, vocabulary=WORDS, n_components=2, random_state=seed)
    model.save(tmp_path)
    assert model.seed is None
    assert ch.load(tmp_path).seed is None


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"])), min_size=4, max_size=4, unique=True
    )
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_any_words_come_back(tmp_path_factory, words):
    folder = tmp_path_factory.mktemp("model")
    model = ch.fit("kmeans", COUNTS, vocabulary=words, n_components=2, random_state=0)
    model.save(folder)
    assert ch.load(folder).vocabulary.tolist() == words
    assert isinstance(model._repr_html_(), str)
    assert all(line.isprintable() for line in repr(model).split("\n"))


# Where it is written


@pytest.fixture(scope="module")
def model():
    return ch.fit("nmf", COUNTS, vocabulary=WORDS, n_components=2, random_state=0)


def test_an_older_model_is_replaced_and_other_files_stay(model, tmp_path):
    other = ch.fit("plsa", COUNTS, vocabulary=WORDS, n_components=3, random_state=0)
    other.save(tmp_path / "m")
    (tmp_path / "m" / "notes.md").write_text("mine")
    model.save(tmp_path / "m")
    assert ch.load(tmp_path / "m").algorithm == "nmf"
    assert sorted(bytes_of(tmp_path / "m")) == ["arrays.safetensors", "model.json", "notes.md"]
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_a_folder_of_something_else_stays_as_it_is(model, tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(ModelFileError, match="something other than a Chatham model"):
        model.save(tmp_path)
    assert sorted(bytes_of(tmp_path)) == ["thesis.tex"]


def test_a_file_is_no_place_for_a_model(model, tmp_path):
    (tmp_path / "m").write_text("x")
    with pytest.raises(ModelFileError, match="is a file"):
        model.save(tmp_path / "m")
    with pytest.raises(ModelFileError, match="could not be written"):
        model.save(tmp_path / "m" / "below")


def test_folders_on_the_way_are_made(model, tmp_path):
    model.save(tmp_path / "a" / "b")
    assert ch.load(tmp_path / "a" / "b").n_topics == 2


@pytest.mark.parametrize(
    "priors", [{"alpha": [1.0, 2.0]}, {"alpha": np.ones(2), "beta": np.ones(4)}]
)
def test_priors_given_one_by_one_are_kept(tmp_path, priors):
    model = ch.fit("lda", COUNTS, vocabulary=WORDS, n_components=2, max_iter=5, **priors)
    model.save(tmp_path)
    again = ch.load(tmp_path)
    assert np.array_equal(again.estimator.alpha, priors["alpha"])
    assert np.array_equal(again.estimator.beta_, model.estimator.beta_)
    assert (again.transform(COUNTS) == model.transform(COUNTS)).all()
