"""Every learner keeps scikit-learn's manners; new ones are found without being named here."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import chatham as ch
from chatham.errors import InputError
from chatham.learners.base import TopicLearner


def learners():
    """Every public learner."""
    found = {getattr(ch, name) for name in ch.__all__} - {TopicLearner}
    classes = [c for c in found if isinstance(c, type) and issubclass(c, TopicLearner)]
    return sorted(classes, key=lambda c: c.__name__)


def instances():
    return [
        *(learner(2) for learner in learners()),
        ch.NMF(2, constraint="none"),
        ch.NMF(2, schedule="interleaved", l2_weights=-0.1),
        ch.NMF(2, constraint="none", missing="unobserved"),
        ch.AnchorWords(2, refine=0, inference="tli"),
        ch.AnchorWords(2, rectify="none", inference="padd"),
        ch.SVD(2, sums="normed"),
    ]


def test_the_six_are_found():
    names = {"AnchorWords", "KMeans", "LDA", "NMF", "PLSA", "SVD"}
    assert names <= {c.__name__ for c in learners()}


@pytest.mark.parametrize("estimator", instances(), ids=repr)
def test_scikit_learn_checks_pass_with_no_expected_failures(estimator):
    with warnings.catch_warnings():
        # A fixture with fewer patterns than topics makes dead topics begin anew, and says so.
        warnings.filterwarnings("ignore", message=".*were restarted")
        # One with fewer positive eigenvalues than topics isn't rectified, and one on which PADD has
        # nothing to change has a dual of zeros.
        warnings.filterwarnings("ignore", message=".*without rectification")
        warnings.filterwarnings("ignore", message="The dual is zero")
        # Few passes are allowed there, and an SVD says when they were too few.
        warnings.filterwarnings("ignore", message="SVD stopped")
        checks = check_estimator(estimator, on_skip=None, on_fail=None)
    failed = [(c["check_name"], c["exception"]) for c in checks if c["status"] == "failed"]
    assert failed == []
    # Skipped is only what needs an array library other than numpy.
    skipped = {c["check_name"] for c in checks if c["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}


@pytest.mark.parametrize("learner", learners(), ids=lambda c: c.__name__)
def test_pipeline_names_and_clones(learner):
    texts = ["wheat corn grain", "corn grain corn", "loan bank debt", "bank debt loan loan"] * 5
    pipeline = make_pipeline(CountVectorizer(), learner(2, random_state=0))
    weights = pipeline.fit_transform(texts)
    assert weights.shape == (20, 2)
    assert weights[:2].argmax(axis=1).tolist() != weights[2:4].argmax(axis=1).tolist()
    names = pipeline.get_feature_names_out().tolist()
    assert names == [f"{learner.__name__.lower()}{topic}" for topic in range(2)]
    assert clone(pipeline[-1]).get_params() == pipeline[-1].get_params()


@pytest.mark.parametrize("learner", learners(), ids=lambda c: c.__name__)
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_components": 0}, r"'n_components' parameter of \w+ must be a whole number"),
        ({"n_components": 2.5}, "Got 2.5 instead"),
        ({"max_iter": -1}, "max_iter"),
        ({"tol": -1.0}, "tol"),
        ({"tol": float("nan")}, "tol"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_wrong_parameters_are_named(learner, settings, message):
    with pytest.raises(InputError, match=message):
        learner(**settings).fit(np.ones((4, 3)))


@pytest.mark.parametrize("learner", learners(), ids=lambda c: c.__name__)
def test_nothing_but_empty_documents_is_an_error(learner):
    says = "All 3 documents are empty|None of the 3 documents has two words"
    with pytest.raises(InputError, match=says):
        learner(2).fit(np.zeros((3, 4)))


@pytest.mark.parametrize("learner", learners(), ids=lambda c: c.__name__)
def test_bad_counts_at_a_holder_are_named(learner):
    rows = np.ones((4, 3))
    if learner is not ch.SVD:  # which takes any matrix
        with pytest.raises(ch.ChathamError, match=r"Holder 2 of 2 .*at least 0"):
            learner(2, max_iter=2).fit(ch.Simulated([rows, -rows]))
    rows = np.full((4, 3), np.nan)
    with pytest.raises(ch.ChathamError, match=r"Holder 1 of 1 .*NaN"):
        learner(2, max_iter=2).fit(ch.Simulated([rows]))
