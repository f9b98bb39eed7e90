"""The contest of coherence: the same topics and texts for both, and nothing without texts."""

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.coherences import coherence_results
from benchmarks.contest import as_markdown
from benchmarks.run import corpora


def test_both_measure_the_same_topics_on_the_same_texts():
    pytest.importorskip("gensim")
    counts = corpora(None)["bundled sample"]
    corpus = counts.corpus.rows(slice(0, 80))
    few = type(counts)(corpus.counts, dtype=np.float64)
    few.corpus = corpus
    results = coherence_results("few", few, 3, 1, tries=1)
    assert [result.contender for result in results] == [
        "gensim c_npmi", "chatham npmi", "gensim c_v", "chatham c_v"
    ]  # fmt: skip
    theirs, ours = results[::2], results[1::2]
    for their, our in zip(theirs, ours, strict=True):
        assert their.ratio == 1.0
        assert our.ratio == pytest.approx(their.seconds / our.seconds)
        # Not the same: gensim's windows forget words that repeat in them.
        assert our.quality == pytest.approx(their.quality, abs=0.05)
    assert "## Coherence" in as_markdown(results, 1)


def test_counts_without_texts_take_no_part():
    assert coherence_results("counts", sp.csr_array(np.eye(3)), 2, 1, tries=1) == []


def test_counts_and_texts_are_of_the_same_documents():
    counts = corpora(None)["bundled sample"]
    assert len(counts.corpus.texts) == counts.shape[0]
    assert (counts.sum(axis=1) > 0).all()
    np.testing.assert_array_equal(counts.corpus.counts.toarray(), counts.toarray())
