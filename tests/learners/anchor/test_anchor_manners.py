"""The estimator of anchor words and its documents: what it reads, keeps, says and goes with."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.corpus.synthetic.corpora import synthetic_corpus
from chatham.corpus.synthetic.planting import planted_topics
from tests.conftest import matched_distance, plant, split
from tests.learners.anchor.drawn import INFERENCES, fitted

# Near the truth


@pytest.fixture(scope="module")
def drawn():
    topics = planted_topics(5, 80, concentration=0.1, anchor_probability=0.02, random_state=1)
    prior = [0.1, 0.15, 0.2, 0.25, 0.3]
    return synthetic_corpus(topics, 1500, lengths=80, prior=prior, random_state=1)


# Words and documents


@pytest.mark.parametrize("inference", INFERENCES)
@pytest.mark.parametrize("refine", [0, 3])
def test_words_that_never_occurred_say_nothing(refine, inference):
    counts = sp.lil_array(plant(n=120, d=30, k=3)[0])
    counts[:, 4] = 0
    model = ch.AnchorWords(3, refine=refine, inference=inference, min_anchor_df=1)
    model.fit(sp.csr_array(counts))
    assert model.components_.sum(axis=1) == pytest.approx(1)
    assert 4 not in model.anchors_
    if refine == 0:
        assert (model.components_[:, 4] == 0).all()
        rows = np.zeros((3, 30))
        rows[1:, 4], rows[2, :3] = 5, 40
        nothing, unknown, mixed = model.transform(rows)
        np.testing.assert_allclose(nothing, model.prevalence_)
        np.testing.assert_allclose(unknown, model.prevalence_)
        assert mixed.sum() == pytest.approx(1)


def test_short_and_empty_documents_take_no_part_in_the_co_occurrence():
    counts = plant(n=120, d=30, k=3)[0]
    short = sp.csr_array(np.vstack([np.eye(30), np.zeros((4, 30)), np.full((1, 30), 0.01)]))
    settings = {"refine": 0, "min_anchor_df": 0.02}
    plain = ch.AnchorWords(3, **settings).fit(counts)
    padded = ch.AnchorWords(3, **settings).fit(sp.csr_array(sp.vstack([counts, short])))
    np.testing.assert_allclose(padded.components_, plain.components_, atol=1e-12)
    refined = ch.AnchorWords(3, refine=4).fit(sp.csr_array(sp.vstack([counts, short])))
    assert np.isfinite(refined.likelihood_).all()


def test_fractional_counts_are_learned_from():
    counts, truth, _ = plant(n=300, d=30, k=3)
    model = ch.AnchorWords(3, refine=0, min_anchor_df=0.05).fit(counts * 0.37)
    assert matched_distance(model.components_, truth) < 0.35
    refined = ch.AnchorWords(3, refine=10, min_anchor_df=0.05).fit(counts * 0.37)
    assert matched_distance(refined.components_, truth) < 0.25


def test_the_co_occurrence_is_kept_on_request_only():
    counts = plant(n=60, d=20, k=3)[0]
    model = ch.AnchorWords(3, refine=0, keep_cooccurrence=True).fit(counts)
    kept = model.cooccurrence_
    assert kept.shape == (20, 20)
    assert kept.sum() == pytest.approx(1)
    assert (kept == kept.T).all()
    model.set_params(keep_cooccurrence=False).fit(counts[:30])
    assert not hasattr(model, "cooccurrence_")


def test_another_inference_may_be_chosen_afterwards(drawn):
    model, rows = fitted(drawn), drawn.corpus.counts[:50]
    for inference in ("spi", "tli", "least-squares", "posterior"):
        model.set_params(inference=inference)
        wanted = fitted(drawn, inference=inference).transform(rows)
        assert model.transform(rows).tobytes() == wanted.tobytes()
    model.set_params(inference="padd")
    with pytest.warns(UserWarning, match="PADD is least squares; if this model was fitted for"):
        weights = model.transform(rows)
    model.set_params(inference="least-squares")
    np.testing.assert_allclose(weights, model.transform(rows), atol=1e-12)


def test_a_new_fit_forgets_the_old_inference(drawn):
    model = fitted(drawn, inference="tli")
    model.transform(drawn.corpus.counts[:5])
    counts = plant(n=120, d=80, k=5, seed=3)[0]
    wanted = fitted(drawn, inference="tli").fit(counts).transform(counts)
    assert model.fit(counts).transform(counts).tobytes() == wanted.tobytes()


def test_projections_are_counted(drawn):
    model = fitted(drawn, max_iter=4, tol=0)
    assert model.n_iter_ == 4
    assert len(model.objective_) == 3
    assert fitted(drawn, max_iter=1).n_iter_ == 1
    patient = fitted(drawn, max_iter=500, tol=1e-3)
    assert 1 < patient.n_iter_ < 100
    assert patient.objective_[-1] <= 1e-3
    assert fitted(drawn, rectify="none").n_iter_ == 1


def test_progress_is_told(drawn, capsys, caplog):
    fitted(drawn, max_iter=3, tol=0, refine=2, verbose=1)
    said = capsys.readouterr()
    assert "AnchorWords" in said.out + said.err + caplog.text


def test_a_hierarchy_of_the_topics(drawn):
    model = fitted(drawn)
    (level,) = model.hierarchy([2]).levels
    assert level.topics.shape == (2, 5)
    np.testing.assert_allclose(level.topics.sum(axis=1), 1)


def test_measures_and_tables_take_it(drawn):
    model = ch.fit("anchor", drawn.corpus, n_components=5, refine=3, min_anchor_df=0.02)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = ch.evaluate(model, drawn.corpus)
    assert {"npmi", "frobenius", "log_likelihood", "specificity"} <= set(scores["measure"])
    assert np.isfinite(scores["value"].astype(float)).all()
    assert len(model.topic_info()) == 5


def test_the_smallest_eigenvalue_is_told():
    counts = plant(n=200)[0]
    model = ch.AnchorWords(5, refine=0, min_anchor_df=0.02).fit(counts)
    expected = np.linalg.eigvalsh(model.correlations_)[0]
    assert model.smallest_eigenvalue_ == pytest.approx(expected, abs=1e-12)
    # Refined correlations are means of wwᵀ, so they have no negative eigenvalue.
    assert ch.AnchorWords(5, refine=3).fit(counts).smallest_eigenvalue_ >= -1e-12


def test_holders_equal_pooled_in_single_precision_too():
    """Sums cross in double precision, so that what is rounded afterwards is the same."""
    counts = plant(n=300)[0]
    settings = {"refine": 0, "min_anchor_df": 0.02, "precision": "single"}
    alone = ch.AnchorWords(5, **settings).fit(counts)
    for holders in (3, 9):
        several = ch.AnchorWords(5, **settings).fit(ch.Simulated(split(counts, holders)))
        assert several.anchors_.tolist() == alone.anchors_.tolist()
        np.testing.assert_allclose(several.components_, alone.components_, atol=1e-8)
