"""What `AnchorWords` may be told, what it refuses, and what it falls back on."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.errors import InputError
from chatham.learners.anchor.notices import warn_of_empty
from tests.conftest import plant


@pytest.fixture(scope="module")
def counts():
    return plant(n=150, d=60, k=5)[0]


def fitted(counts, k=5, **settings):
    settings = {"refine": 0, "min_anchor_df": 0.02, "random_state": 0, **settings}
    return ch.AnchorWords(k, **settings).fit(counts)


def test_fewer_words_than_topics():
    with pytest.raises(InputError, match=r"4 topics need as many .* n_features=3 words"):
        ch.AnchorWords(4).fit(np.ones((5, 3)))


@pytest.mark.parametrize("least", [140, 0.95])
def test_fewer_candidates_than_topics(counts, least):
    with pytest.raises(InputError, match=rf"in enough of the 150 .* min_anchor_df={least}; "):
        fitted(counts, k=59, min_anchor_df=least)
    with pytest.raises(
        InputError, match=r"58 anchors must be found, and only \d words can be anchors"
    ):
        fitted(counts, k=59, min_anchor_df=least, anchors=[3])


def test_anchors_that_are_given_need_no_candidates(counts):
    model = fitted(counts, min_anchor_df=150, anchors=[0, 11, 22, 33, 44])
    assert sorted(model.anchors_) == [0, 11, 22, 33, 44]


@pytest.mark.parametrize("anchors", ["pca", "tsne"])
def test_a_hull_with_too_few_corners(anchors):
    counts = plant(n=60, d=20, k=3)[0]
    with pytest.raises(InputError, match=r"The hull of 20 words in 2 dimensions has \d+ corners"):
        ch.AnchorWords(18, anchors=anchors, dimensions=2, min_anchor_df=1, refine=0,
                       rectify="none", random_state=0).fit(counts)  # fmt: skip


@pytest.mark.parametrize("inference", ["posterior", "padd"])
def test_documents_of_one_word(inference):
    with pytest.raises(InputError, match=r"None of the 12 documents has two words or more"):
        ch.AnchorWords(2, inference=inference).fit(np.eye(12))
    with pytest.raises(InputError, match=r"None of the 4 documents has two words or more"):
        ch.AnchorWords(2).fit(ch.Simulated([np.eye(3)[:2], np.eye(3)[1:]]))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"anchors": "svd"}, "'anchors' parameter of AnchorWords must be one of 'qr', 'fast'"),
        ({"rectify": None}, "'rectify' .* must be one of 'alternating', 'diagonal', 'none'"),
        ({"rectify": "dykstra"}, "Got 'dykstra' instead"),
        ({"recover": "nnls"}, "'recover' .* must be one of 'admm', 'l2', 'kl', 'inverse'"),
        ({"inference": "gibbs"}, "'inference' .* must be one of 'posterior', 'padd'"),
        ({"precision": "half"}, "'precision' .* must be one of 'auto', 'single', 'double'"),
        ({"smoothing": -1e-5}, "'smoothing' .* must be a finite number of at least 0"),
        ({"smoothing": float("inf")}, "'smoothing' .* must be a finite number"),
        ({"smoothing": 1e-5, "recover": "inverse"}, "zero with 'inverse'"),
        ({"correlations": "inverse"}, "'correlations' .* must be one of 'anchors', 'least-squ"),
        ({"prior": "grid"}, "'prior' .* must be one of 'moments', 'likelihood'"),
        ({"fast_projection": "dense"}, "'fast_projection' .* one of 'gaussian', 'sparse'"),
        ({"fast_dimensions": 0}, "'fast_dimensions' .* must be a whole number of at least 1"),
        ({"anchors": "fast", "fast_dimensions": 2}, "2 dimensions can't .* fast_dimensions must"),
        ({"mean_over": "words"}, "'mean_over' .* must be one of 'auto', 'tokens', 'documents'"),
        ({"min_length": -1}, "'min_length' .* must be a finite number of at least 0"),
        ({"min_length": "10"}, "'min_length' .* must be a finite number"),
        ({"refine": -1}, "'refine' .* must be a whole number of at least 0"),
        ({"refine": 2.0}, "'refine' .* must be a whole number"),
        ({"refine": "heldout"}, "'refine' .* at least 0, or 'held-out'. Got 'heldout'"),
        ({"refine": True}, "'refine' .* must be a whole number"),
        ({"beta": -0.1}, "'beta' .* must be a finite number of at least 0"),
        ({"beta": "auto"}, "'beta' .* must be a finite number"),
        ({"dimensions": 1}, "'dimensions' .* must be a whole number of at least 2"),
        ({"dimensions": 5}, "'dimensions' .* must be 2, 3 or 4. Got 5"),
        ({"min_anchor_df": -1}, "'min_anchor_df' .* must be 'auto', a whole number"),
        ({"min_anchor_df": -0.5}, "'min_anchor_df' .* must be 'auto', a whole number"),
        ({"min_anchor_df": 0}, "'min_anchor_df' .* whole number of documents of at least 1"),
        ({"min_anchor_df": np.array([1, 2])}, "'min_anchor_df' .* must be 'auto', a whole"),
        ({"min_anchor_df": 1.0}, "'min_anchor_df' .* share of them .* Got 1.0 instead"),
        ({"min_anchor_df": 2.5}, "'min_anchor_df' .* Got 2.5 instead"),
        ({"min_anchor_df": True}, "'min_anchor_df' .* must be 'auto', a whole number"),
        ({"min_anchor_df": "1%"}, "'min_anchor_df' .* must be 'auto', a whole number"),
        ({"min_anchor_df": float("nan")}, "'min_anchor_df' .* must be 'auto', a whole number"),
        ({"keep_cooccurrence": "yes"}, "'keep_cooccurrence' .* must be True or False. Got 'yes'"),
        ({"keep_cooccurrence": 1}, "'keep_cooccurrence' .* must be True or False. Got 1"),
        ({"max_iter": 0}, "'max_iter'"),
        ({"random_state": -3}, "'random_state'"),
    ],
    ids=str,
)
def test_wrong_parameters_are_named(settings, message):
    counts = plant(n=40, d=15, k=3)[0]
    with pytest.raises(InputError, match=message):
        ch.AnchorWords(3, **settings).fit(counts)


@pytest.mark.parametrize("least", [1, 3, 0.0, 0.05, np.int64(2), np.float32(0.05)])
def test_a_least_frequency_is_a_number_or_a_share(least):
    counts = plant(n=60, d=20, k=3)[0].toarray()
    model = ch.AnchorWords(3, refine=0, min_anchor_df=least).fit(counts)
    fewest = least if least >= 1 else least * 60
    assert ((counts > 0).sum(axis=0)[model.anchors_] >= fewest).all()


def test_a_flag_may_be_numpys(counts):
    assert hasattr(fitted(counts, keep_cooccurrence=np.True_), "cooccurrence_")


@pytest.mark.parametrize("inference", ["bogus", "Posterior", None, 3, ["padd"]])
def test_an_inference_that_was_set_later_is_checked_too(counts, inference):
    model = fitted(counts).set_params(inference=inference)
    rule = "'inference' .* must be one of 'posterior', 'padd', 'spi', 'tli', 'least-squares'"
    with pytest.raises(InputError, match=rf"{rule}\. Got "):
        model.transform(counts)


# Documents that are too long


@pytest.mark.parametrize("size", [1e151, 1e200, 1e308])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, pd.DataFrame])
def test_counts_that_overflow_when_squared_are_refused(counts, size, kind):
    rows = counts.toarray().astype(float)
    rows[3, :2] = size
    with pytest.raises(InputError, match=r"counts of a document sum to (\de\+\d+|inf), and at mo"):
        fitted(kind(rows))
    model = fitted(kind(rows[:3]), k=2)
    for inference in ("posterior", "least-squares"):
        model.set_params(inference=inference)
        with pytest.raises(InputError, match="can be squared safely"):
            model.transform(kind(rows))


@pytest.mark.parametrize("refine", [0, 3])
def test_the_largest_counts_that_are_taken_are_counted(refine):
    """Each document's pairs are a distribution, so a factor of all counts changes little where all
    count alike; by length that document is all there is."""
    rows = plant(n=150, d=30, k=3)[0].toarray().astype(float)
    rows[5] *= 1e148
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        model = fitted(rows, k=3, refine=refine, mean_over="documents")
        weights = model.transform(rows)
        by_length = fitted(rows, k=1, refine=refine, mean_over="tokens")
    for array in (model.components_, model.correlations_, model.prevalence_, weights):
        assert np.isfinite(array).all()
    np.testing.assert_allclose(by_length.components_[0], rows[5] / rows[5].sum(), atol=1e-3)
    without = fitted(np.delete(rows, 5, axis=0), k=3, mean_over="documents")
    if refine == 0:
        assert 0 < np.abs(model.components_ - without.components_).max() < 0.05


# Warnings


def warned(counts, k, **settings):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = fitted(counts, k=k, **settings)
    assert all(warning.filename == __file__ for warning in caught)
    return model, [str(warning.message) for warning in caught]


@pytest.mark.parametrize(
    ("method", "limit", "unit", "advice"),
    [
        ("l2", 1000, "times the anchors' mean square", "recover='admm', which converges better"),
        ("kl", 500, "nats", "recover='admm', which converges better, or fewer topics"),
        ("admm", 500, "times the anchors' mean square", "fewer topics, or a larger min_anchor_df"),
    ],
)
def test_iterations_that_run_out_are_told(method, limit, unit, advice):
    counts = plant(n=400)[0]
    model, (message,) = warned(counts, 20, recover=method, min_anchor_df=1)
    assert f"by {method!r} stopped after {limit} iterations, with a duality gap of " in message
    assert f" {unit} left where at most 1e-05 is allowed" in message
    assert f"; try {advice}" in message
    assert np.isfinite(model.components_).all()
    assert warned(counts, 5, recover=method)[1] == []


def test_topics_that_hold_nothing_are_named():
    """Words that are in three documents of five thousand, and never with others."""
    rows = np.zeros((5000, 14))
    rows[:2500, :5], rows[2500:-3, 5:10] = 300, 300
    rows[-3:-1, 10:12], rows[-1, 12:] = 300, 300
    settings = {"rectify": "none", "anchors": [0, 5, 10, 12], "refine": 0}
    model, (message,) = warned(sp.csr_array(rows), 4, **settings)
    assert (model.prevalence_[2:] < 1e-3).all()
    assert message.startswith("Topics 2, 3 have a share of less than 0.10%, which is practically n")
    assert "; try fewer topics, or a larger min_anchor_df" in message
    _, (message,) = warned(sp.csr_array(rows), 3, **settings | {"anchors": [0, 5, 12]})
    assert message.startswith("Topic 2 has a share of less than 0.10%")
    assert warned(sp.csr_array(rows), 2, **settings | {"anchors": [0, 5]})[1] == []


def test_many_topics_may_be_smaller():
    """Among 2,000 topics an even share is 0.05 %, and a tenth of that is nothing."""
    shares = np.full(2000, 1 / 2000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_empty(shares)
    shares[-12:] = 1e-6
    with pytest.warns(UserWarning, match=r"Topics 1988, 1989, (\d+, ){8}… have .* less than 0.01%"):
        warn_of_empty(shares)


# Fallbacks


def test_too_few_positive_eigenvalues_leave_the_co_occurrence_as_counted():
    groups = np.kron(np.eye(3), np.ones((8, 4)))
    with pytest.warns(UserWarning, match="no more than 3 positive eigenvalues, too few for 5"):
        model = ch.AnchorWords(5, refine=0).fit(groups)
    counted = ch.AnchorWords(5, refine=0, rectify="none").fit(groups)
    assert model.components_.tobytes() == counted.components_.tobytes()
    assert model.n_iter_ == 1
    assert len(set(model.anchors_)) == 5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ch.AnchorWords(3, refine=0).fit(groups)


def test_words_that_are_all_alike_have_one_anchor():
    with pytest.raises(InputError, match="2 topics need 2 anchors, but after 1 of them"):
        ch.AnchorWords(2, rectify="none").fit(np.tile([[3, 3, 0], [2, 2, 0]], (5, 1)) * 1e16)


@pytest.mark.parametrize("refine", [0, 5])
def test_anchors_that_never_meet_are_topics_that_never_do(refine):
    groups = np.kron(np.eye(3), np.ones((8, 4)))
    groups = np.vstack([groups, groups[:4]])
    model = ch.AnchorWords(3, rectify="none", refine=refine).fit(groups)
    np.testing.assert_allclose(model.prevalence_, [12 / 28, 8 / 28, 8 / 28], atol=0.03)
    if refine == 0:
        assert (model.correlations_ == np.diag(np.diag(model.correlations_))).all()


def test_one_topic_is_the_distribution_of_words():
    counts = plant(n=60, d=20, k=3)[0]
    rows = counts.toarray() / counts.sum(axis=1)[:, None]
    for rectify in ("alternating", "none"):
        model = ch.AnchorWords(1, refine=0, rectify=rectify).fit(counts)
        np.testing.assert_allclose(model.components_[0], rows.mean(axis=0), atol=0.02)
        assert model.prevalence_.tolist() == [1]
        assert (model.transform(counts) == 1).all()
