"""OnlineLDA: the same wherever documents are, streams without end, and topics that are planted."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

import chatham as ch
from chatham.errors import InputError
from chatham.learners.convergence import UnconvergedWarning
from chatham.learners.documents import Documents
from chatham.learners.online_lda.local_gibbs import expectations
from chatham.learners.online_lda.online_lda import documents_in, mini_batches
from tests.conftest import matched_distance, plant

LEARNED = (
    "components_", "prevalence_", "objective_", "alpha_", "statistics_", "log_weights_",
    "documents_seen_", "mass_", "evidence_",
)  # fmt: skip


def bytes_of(learner):
    return {name: np.asarray(getattr(learner, name)).tobytes() for name in LEARNED}


def parts_of(counts):
    """An uneven split, out of order, with a holder of nothing."""
    order = np.random.default_rng(4).permutation(counts.shape[0])
    return [counts[order[:7]], counts[order[7:200]], counts[:0], counts[order[200:]]]


@pytest.mark.filterwarnings("ignore:.*fewer than 30 documents")
@pytest.mark.parametrize("make", [
    lambda parts: ch.Simulated(parts),
    lambda parts: ch.Simulated(parts, secure=True, exact_totals=True),
    lambda parts: ch.Alone(sp.vstack(parts, format="csr")),
])  # fmt: skip
def test_wherever_documents_are_the_model_is_the_same_to_the_bit(make, planted):
    counts = planted[0].astype(float)
    counts.data[::17] += 0.25
    settings = {"batch_size": 40, "max_iter": 3, "random_state": 5}
    alone = ch.OnlineLDA(5, **settings).fit(counts)
    apart = ch.OnlineLDA(5, **settings).fit(make(parts_of(counts)))
    assert bytes_of(apart) == bytes_of(alone)
    first, further = counts[:120], counts[120:]
    alone = ch.OnlineLDA(5, **settings).partial_fit(first).partial_fit(further)
    apart = ch.OnlineLDA(5, **settings).partial_fit(make(parts_of(first)))
    apart.partial_fit(make(parts_of(further)))
    assert bytes_of(apart) == bytes_of(alone)


def test_threads_change_no_bit(planted):
    one = ch.OnlineLDA(40, batch_size=250, max_iter=2, random_state=1).fit(planted[0])
    three = ch.OnlineLDA(40, batch_size=250, max_iter=2, random_state=1, n_jobs=3)
    assert bytes_of(three.fit(planted[0])) == bytes_of(one)


def test_planted_topics_are_found():
    counts, topics = plant(n=2300)[:2]
    counts, held_out = counts[:2000], counts[2000:]
    learner = ch.OnlineLDA(5, max_iter=4, random_state=0).fit(counts)
    assert matched_distance(learner.components_, topics) < 0.1
    assert learner.prevalence_.sum() == pytest.approx(1)
    np.testing.assert_allclose(
        learner.prevalence_, learner.transform(counts).mean(axis=0), atol=0.02
    )
    # Σα of the corpus is 0.75, and it began at 5; the last mini-batches are predicted better.
    assert 0.6 < learner.alpha_.sum() < 0.9
    assert np.mean(learner.objective_[-10:]) > learner.objective_[0] + 0.3
    sampled = ch.LDA(5, max_iter=100, random_state=0).fit(counts)
    assert learner.score(held_out) > sampled.score(held_out) - 0.01


def test_a_planted_asymmetric_alpha_is_learned():
    """Beginning near the topics: from random ones these are long in coming, and alpha with them."""
    alpha = np.array([2.0, 0.9, 0.4, 0.15])
    rng, topics = np.random.default_rng(0), np.kron(np.eye(4), np.full(8, 1 / 8))
    counts = np.array([rng.multinomial(60, w @ topics) for w in rng.dirichlet(alpha, 3000)])
    settings = {"sweeps": 30, "burn_in": 10, "kappa": 0.6, "max_iter": 6, "random_state": 0}
    learner = ch.OnlineLDA(4, init=0.98 * topics + 0.02 / 32, **settings).fit(counts)
    np.testing.assert_allclose(learner.alpha_, alpha, rtol=0.15)


def test_one_step_is_the_formula(planted):
    """One pass with one mini-batch: statistics are E[S] under the first topics, per document."""
    counts, start = planted[0], np.random.default_rng(3).dirichlet(np.ones(60), 5)
    learner = ch.OnlineLDA(
        5, init=start, batch_size=300, max_iter=1, alpha=0.3, beta=0.5, learn_alpha=False,
        random_state=7,
    ).fit(counts)  # fmt: skip
    begun = (start + 1e-6) / (start + 1e-6).sum(axis=1, keepdims=True)
    documents = Documents(counts)
    used = 299  # one of the 300 is empty
    seen = []
    for seed in range(40):
        found = expectations(documents, begun, np.full(5, 0.3), 10, 5, seed)
        seen.append(found.counts / used)
    order = np.argsort([np.abs(row - learner.statistics_).sum(axis=1).argmin() for row in seen[0]])
    spread, mean = np.std(seen, axis=0, ddof=1), np.mean(seen, axis=0)
    # 300 cells of one more draw: none is farther than six standard deviations.
    assert (np.abs(learner.statistics_ - mean[order]) <= 6 * spread[order] * np.sqrt(41 / 40)).all()
    np.testing.assert_allclose(
        learner.components_.sum(axis=1) * (learner.statistics_ + 0.5 / used).sum(axis=1),
        (learner.statistics_ + 0.5 / used).sum(axis=1),
    )
    np.testing.assert_allclose(
        learner.components_[2],
        (learner.statistics_[2] + 0.5 / used) / (learner.statistics_[2] + 0.5 / used).sum(),
    )
    assert learner.statistics_.sum() == pytest.approx(counts.sum() / used, rel=1e-6)
    assert learner.alpha_.tolist() == [0.3] * 5


def test_mini_batches_hold_every_document_once_by_its_content(planted):
    counts = planted[0]
    documents = Documents(counts)
    parts = mini_batches(documents, 11, 7)
    assert len(parts) == 7
    assert sorted(np.concatenate(parts)) == [i for i in range(300) if i != 7]
    # As even as chance makes them: 299 documents in seven parts, within six standard deviations.
    assert all(abs(len(part) - 299 / 7) < 6 * np.sqrt(299 / 7 * 6 / 7) for part in parts)
    order = np.random.default_rng(0).permutation(300)
    shuffled = mini_batches(Documents(counts[order]), 11, 7)
    for part, other in zip(parts, shuffled, strict=True):
        assert sorted(part) == sorted(order[other])
    assert [len(p) for p in mini_batches(documents, 12, 7)] != [len(p) for p in parts]
    some = documents_in(documents, parts[3])
    assert (some.sizes == documents.sizes[parts[3]]).all()


def test_the_objective_is_that_of_a_batch_before_it_is_learned():
    """Documents of topics never seen before are predicted badly once, and better ever after."""
    counts = plant(n=400, d=30, k=2)[0]
    others = sp.hstack([sp.csr_array((400, 30)), counts]).tocsr()
    counts = sp.hstack([counts, sp.csr_array((400, 30))]).tocsr()
    learner = ch.OnlineLDA(4, batch_size=400, random_state=0)
    for _ in range(4):
        learner.partial_fit(counts)
    learner.partial_fit(others).partial_fit(others).partial_fit(others)
    scores = learner.objective_
    assert len(scores) == learner.n_iter_ == 7
    assert scores[3] > scores[0]
    assert scores[4] < scores[0]  # of words that no document had
    assert scores[5] > scores[4] + 1
    assert scores[6] >= scores[5]


def test_a_stream_has_no_end_and_topics_keep_their_numbers(planted):
    counts = planted[0]
    learner = ch.OnlineLDA(5, batch_size=30, random_state=0).partial_fit(counts[:150])
    for start in range(0, 300, 30):
        before = learner.components_
        learner.partial_fit(counts[start : start + 30])
        overlaps = np.minimum(before[:, None], learner.components_[None]).sum(axis=2)
        assert overlaps.argmax(axis=1).tolist() == [0, 1, 2, 3, 4]
    assert learner.n_iter_ == 11
    # The first 150 have an empty document, and so has one of the parts.
    assert learner.documents_seen_ == 149 + 299
    before = bytes_of(learner)
    learner.partial_fit(np.zeros((3, 60)))  # nothing arrived
    assert bytes_of(learner) == before


def test_after_fit_and_after_loading_a_stream_goes_on(tmp_path, planted):
    counts = planted[0]
    words = [f"w{i}" for i in range(60)]
    model = ch.fit(
        "online-lda", counts, vocabulary=words, n_components=5, max_iter=2, random_state=0
    )
    model.save(tmp_path / "model")
    loaded = ch.load(tmp_path / "model").estimator.partial_fit(counts[:100])
    kept = model.estimator.partial_fit(counts[:100])
    assert bytes_of(loaded) == bytes_of(kept)
    assert kept.documents_seen_ == 2 * 299 + 99


def test_fit_begins_anew(planted):
    learner = ch.OnlineLDA(5, max_iter=1, random_state=0).partial_fit(planted[0])
    again = learner.fit(planted[0])
    assert bytes_of(again) == bytes_of(ch.OnlineLDA(5, max_iter=1, random_state=0).fit(planted[0]))


def test_tol_stops_or_says_that_it_did_not(planted):
    with pytest.warns(UnconvergedWarning, match="took all its 2 iterations"):
        ch.OnlineLDA(5, max_iter=2, tol=1e-6, random_state=0).fit(planted[0])
    stopped = ch.OnlineLDA(5, max_iter=100, tol=0.5, random_state=0).fit(planted[0])
    assert stopped.n_iter_ < 100


def test_in_a_pipeline():
    texts = ["wheat corn grain", "corn grain corn", "loan bank debt", "bank debt loan loan"] * 10
    lda = ch.OnlineLDA(2, batch_size=8, random_state=0)
    weights = make_pipeline(CountVectorizer(), lda).fit_transform(texts)
    assert weights[0].argmax() == weights[1].argmax() != weights[2].argmax()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"batch_size": 0}, "'batch_size' parameter of OnlineLDA must be a whole number"),
        ({"kappa": -0.1}, "'kappa' parameter of OnlineLDA"),
        ({"offset": -1.0}, "'offset' parameter of OnlineLDA"),
        ({"sweeps": 0}, "'sweeps' parameter of OnlineLDA"),
        ({"sweeps": 5, "burn_in": 5}, "leaves none to learn from"),
        ({"beta": 0.0}, "'beta' parameter of OnlineLDA"),
        ({"alpha": [0.1, -1]}, "'alpha' parameter of OnlineLDA must be finite"),
        ({"alpha": [0.1] * 3}, r"one for each topic \(2\)"),
        ({"init": "anchor"}, "must be one of 'random'"),
        ({"learn_alpha": 1}, "'learn_alpha' parameter of OnlineLDA must be True or False"),
    ],
)
def test_wrong_parameters_are_named(settings, message):
    for fit in (ch.OnlineLDA.fit, ch.OnlineLDA.partial_fit):
        with pytest.raises(InputError, match=message):
            fit(ch.OnlineLDA(2, **settings), np.ones((4, 3)))


def test_other_words_and_bad_counts_are_refused(planted):
    learner = ch.OnlineLDA(2, random_state=0).partial_fit(np.ones((4, 3)))
    before = bytes_of(learner)
    with pytest.raises(InputError, match="has 4 words, and OnlineLDA has learned 3"):
        learner.partial_fit(ch.Alone(np.ones((4, 4))))
    with pytest.raises(ValueError, match="4 features"):
        learner.partial_fit(np.ones((4, 4)))
    with pytest.raises(InputError, match="Negative"):
        learner.partial_fit(-np.ones((4, 3)))
    with pytest.raises(InputError, match="All 2 documents are empty"):
        ch.OnlineLDA(2).partial_fit(np.zeros((2, 3)))
    assert bytes_of(learner) == before


def test_it_is_not_offered_between_parties():
    """Where totals may not be exact; a real party's commons is refused alike."""
    parts = [np.ones((40, 3))] * 3
    with pytest.raises(InputError, match="OnlineLDA isn't offered between parties"):
        ch.OnlineLDA(2, random_state=0).fit(ch.Simulated(parts, secure=True))
    party = ch.Simulated(parts)
    party.index = 1  # one of three, and the others are elsewhere
    for fit in (ch.OnlineLDA.fit, ch.OnlineLDA.partial_fit):
        with pytest.raises(InputError, match="OnlineLDA isn't offered between parties"):
            fit(ch.OnlineLDA(2, random_state=0), party)
