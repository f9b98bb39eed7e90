"""What `ch.fit` sets for text: no topic takes most documents; and where the simplex stays."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import normalized_mutual_info_score

import chatham as ch
from chatham.model.fit import learner_for_text

SEEDS = range(4)
TEXTS = ["cats purr and cats sleep", "dogs bark at cats", "dogs run and bark", "cats sleep"] * 3
SIMPLEX = {"constraint": "simplex", "loss": "relative"}


def mostly_common_words(seed, n=1500, d=600, k=10, own=0.2, length=60):
    """Short documents of one topic each, four fifths of whose words are common to all of them."""
    draws = np.random.default_rng(seed)
    common = 1.0 / np.arange(1, d + 1)
    topics = draws.dirichlet(np.full(d, 0.05), k)
    labels, lengths = draws.integers(0, k, n), np.maximum(draws.poisson(length, n), 5)
    mixed = own * topics[labels] + (1 - own) * common / common.sum()
    counts = np.array([draws.multinomial(*each) for each in zip(lengths, mixed, strict=True)])
    return ch.Corpus(sp.csr_array(counts), [f"w{word}" for word in range(d)]), labels


def largest_share(model):
    main = model.weights.argmax(axis=1)
    return np.bincount(main).max() / len(main)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_topic_takes_most_of_the_sample(seed):
    """On the simplex one of thirty topics has a quarter to a third of the documents."""
    train, _ = ch.sample_corpus().split(test=0.2, random_state=seed)
    settings = {"n_components": 30, "random_state": seed}
    model, simplex = (ch.fit("nmf", train, **settings, **more) for more in ({}, SIMPLEX))
    assert largest_share(model) < 0.17
    assert largest_share(simplex) > 1.5 * largest_share(model)


def test_main_topics_agree_with_planted_ones_as_well_as_on_the_simplex():
    agreement = {"as it is": [], "simplex": []}
    for seed in SEEDS:
        corpus, labels = mostly_common_words(seed)
        for name, more in (("as it is", {}), ("simplex", SIMPLEX)):
            model = ch.fit("nmf", corpus, n_components=10, random_state=seed, **more)
            main = model.weights.argmax(axis=1)
            agreement[name].append(normalized_mutual_info_score(labels, main))
    better = np.subtract(agreement["as it is"], agreement["simplex"])
    assert better.min() > -0.05
    assert np.mean(agreement["as it is"]) > 0.8


def test_a_document_s_length_counts_as_little_as_on_the_simplex():
    """Without constraint X isn't turned into frequencies; the relative loss makes it no matter."""
    corpus, _ = mostly_common_words(0, n=200)
    lengths = np.random.default_rng(0).integers(1, 9, 200)
    longer = ch.Corpus(corpus.counts * lengths[:, None], corpus.vocabulary)
    fits = [ch.fit("nmf", each, n_components=5, random_state=0) for each in (corpus, longer)]
    np.testing.assert_allclose(fits[0].topics, fits[1].topics, atol=1e-6)
    np.testing.assert_allclose(fits[0].weights, fits[1].weights, atol=1e-5)


@pytest.mark.parametrize(
    ("given", "constraint"),
    [
        ({}, "none"),
        ({"loss": "absolute"}, "none"),
        ({"l1_weights": 0.1}, "none"),
        ({"l2_topics": 0.1}, "none"),
        ({"constraint": "simplex"}, "simplex"),
        ({"l2_weights": -0.01}, "simplex"),
        ({"l2_topics": -0.01}, "simplex"),
        ({"weights_step": "published", "schedule": "interleaved"}, "simplex"),
    ],
)
def test_the_constraint_goes_with_the_other_parameters(given, constraint):
    assert learner_for_text("nmf", given).constraint == constraint
    model = ch.fit("nmf", TEXTS, n_components=2, random_state=0, **given)
    assert model.parameters["constraint"] == constraint
    assert model.parameters["loss"] == given.get("loss", "relative")
    np.testing.assert_allclose(model.weights.sum(axis=1), 1.0)


def test_estimators_stay_as_they_are_and_ratings_have_a_penalty():
    assert ch.fit(ch.NMF(2), TEXTS).parameters["constraint"] == "simplex"
    assert ch.fit(ch.NMF(2), TEXTS).parameters["loss"] == "absolute"
    observed = learner_for_text("nmf", {"missing": "unobserved"})
    assert (observed.constraint, observed.loss) == ("none", "absolute")
    assert observed.l2_weights == observed.l2_topics == 2.0
    kept = learner_for_text("nmf", {"missing": "unobserved", "constraint": "simplex"})
    assert (kept.constraint, kept.l2_weights, kept.l2_topics) == ("simplex", 0.0, 0.0)
    own = learner_for_text("nmf", {"missing": "unobserved", "l2_weights": 0.5})
    assert (own.l2_weights, own.l2_topics) == (0.5, 2.0)


def test_parties_stay_on_the_simplex():
    """What a session may fit: other constraints would need exact totals."""
    for kind in (ch.NMF, "nmf"):
        learner = learner_for_text(kind, {}, between_parties=True)
        assert (learner.constraint, learner.loss) == ("simplex", "relative")
        learner._check_between_parties()
    draws, words = np.random.default_rng(0), list("abcd")
    parts = [draws.poisson(2, (40, 4)) for _ in range(3)]
    settings = {"vocabulary": words, "n_components": 2, "random_state": 0}
    noised = ch.fit("nmf", ch.Simulated(parts, secure=True), **settings)
    assert noised.parameters["constraint"] == "simplex"
    exact = ch.fit("nmf", ch.Simulated(parts), **settings)
    assert exact.parameters["constraint"] == "none"
    pooled = ch.fit("nmf", np.vstack(parts), **settings)
    np.testing.assert_allclose(exact.topics, pooled.topics, atol=1e-8)


def test_a_penalty_that_is_no_number_is_refused():
    with pytest.raises(ch.InputError, match="l2_weights"):
        ch.fit("nmf", TEXTS, l2_weights="small")
