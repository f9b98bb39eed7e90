"""Between parties PLSA and LDA leave out the words that few of a party's documents have."""

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.learners.rare_words import FEWEST
from tests.conftest import split

LEARNERS = {
    "plsa": lambda **more: ch.PLSA(3, random_state=0, max_iter=8, **more),
    "lda": lambda **more: ch.LDA(3, random_state=0, max_iter=20, **more),
}


def parts_with_rare_words(n=240, d=60, rare=5):
    """Three holders' counts; the last `rare` words are in one to five documents of the first."""
    counts = np.random.default_rng(0).poisson(0.6, (n, d)).astype(float)
    counts[:, -rare:] = 0
    parts = [part.copy() for part in split(counts, 3)]
    for word in range(rare):
        parts[0][: word + 1, d - rare + word] = 1
    return [sp.csr_array(part) for part in parts]


def without(parts, words):
    kept = np.ones(parts[0].shape[1], dtype=bool)
    kept[words] = False
    return [sp.csr_array(part * kept) for part in parts]


@pytest.mark.parametrize("name", LEARNERS)
def test_a_word_that_four_documents_have_counts_for_nothing_and_one_of_five_does(name):
    parts = parts_with_rare_words()
    learner, d = LEARNERS[name](), parts[0].shape[1]
    secrets = [b"one", b"two", b"three"]
    told = learner.fit(ch.Simulated(parts, secure=True, secrets=secrets)).components_
    rare = list(range(d - FEWEST, d - 1))
    left = ch.Simulated(without(parts, rare), secure=True, secrets=secrets, exact_totals=True)
    if name == "plsa":  # its draws don't depend on documents; those of LDA do
        np.testing.assert_allclose(told, LEARNERS[name]().fit(left).components_, atol=1e-9)
    # What is left of them is a prior, the same for all.
    np.testing.assert_allclose(told[:, rare], told[:, rare[:1]] * np.ones(len(rare)))
    assert told[:, rare].max() < told[:, d - 1].max()


@pytest.mark.parametrize("name", LEARNERS)
def test_copies_of_a_document_count_once(name):
    """Five copies have the same weights, and would give their words away as one does."""
    parts = parts_with_rare_words()
    d = parts[0].shape[1]
    copies = sp.csr_array(np.tile(parts[0][[4]].toarray(), (9, 1)))
    parts[0] = sp.csr_array(sp.vstack([parts[0][5:], copies]))  # their last word is theirs alone
    model = LEARNERS[name]().fit(ch.Simulated(parts, secure=True))
    np.testing.assert_allclose(model.components_[:, d - 1], model.components_[:, d - 2])


@pytest.mark.parametrize("name", LEARNERS)
def test_where_all_know_of_exact_totals_every_word_counts(name):
    parts = parts_with_rare_words()
    model = LEARNERS[name]().fit(ch.Simulated(parts, secure=True, exact_totals=True))
    plain = LEARNERS[name]().fit(ch.Simulated(parts))
    np.testing.assert_allclose(model.components_, plain.components_, atol=1e-7)


@pytest.mark.parametrize("name", LEARNERS)
def test_no_sum_has_a_word_that_too_few_documents_have(name):
    parts = parts_with_rare_words()

    class Heard(ch.Simulated):
        def _run(self, step, rows, memory, shared):
            parts, is_tuple = super()._run(step, rows, memory, shared)
            sums.extend(part for part in parts if part.shape[:1] == (self.n_features,))
            return parts, is_tuple

    sums = []
    LEARNERS[name]().fit(Heard(parts, secure=True))
    d = parts[0].shape[1]
    assert len(sums) >= 24
    assert all((total[d - FEWEST : d - 1] == 0).all() for total in sums)
    assert any((total[d - 1] != 0).any() for total in sums)


@pytest.mark.filterwarnings("ignore:.*fewer than 30 documents")
@pytest.mark.parametrize("name", LEARNERS)
def test_nothing_but_rare_words_is_refused(name):
    parts = [sp.csr_array(np.eye(6)) for _ in range(3)]
    with pytest.raises(ch.InputError, match="bring more documents"):
        LEARNERS[name]().fit(ch.Simulated(parts, secure=True))
