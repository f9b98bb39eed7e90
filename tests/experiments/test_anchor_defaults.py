"""The experiments on lengths and on projections: their corpora, their tables, tiny runs."""

import numpy as np
import pytest

import document_lengths
import projections
from document_lengths import PLANTED, WAYS, draw, lengths_of, table


@pytest.mark.parametrize("kind", PLANTED)
def test_documents_have_the_lengths_that_are_said(kind):
    counts, topics = draw(kind, 0, 200)
    lengths = counts.sum(axis=1)
    np.testing.assert_allclose(topics.sum(axis=1), 1)
    assert lengths.tolist() == lengths_of(kind, _after_weights(0, 200), 200).tolist()
    if kind == "mixed":
        assert set(lengths) == {3, 120}
    elif kind == "equal":
        assert set(lengths) == {60}
    else:
        assert lengths.min() >= 2
        assert 20 < np.median(lengths) < 45


def _after_weights(seed, n):
    rng = np.random.default_rng(seed)
    rng.dirichlet(np.full(document_lengths.K, document_lengths.PRIOR), n)
    return rng


def test_the_best_mean_is_in_bold_and_seeds_show_their_spread():
    records = [
        {"planted": "mixed", "seed": seed, "way": way, "sweeps": 0, "l1": 0.1 * place + 0.01 * seed}
        for place, way in enumerate(WAYS, start=1)
        for seed in range(3)
    ]
    rows = table(records, "planted", "l1", 0, least=True).splitlines()
    assert rows[2].startswith("| mixed, K = 10 | **0.110 (0.100 to 0.120)** | 0.210 (0.200 to ")


def test_a_tiny_run_goes_on_where_it_was(tmp_path):
    how = ["--topics", "3", "--words", "150", "--planted", "60", "--seeds", "1",
           "--keep", str(tmp_path / "kept.jsonl"), "--output", str(tmp_path)]  # fmt: skip
    assert document_lengths.main(how) == 0
    page = (tmp_path / "document_lengths.md").read_text("utf-8")
    assert page.count("| bundled sample, K = 3 |") == 4
    lines = (tmp_path / "kept.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == len(WAYS) * 2 * (len(PLANTED) + 1)
    assert document_lengths.main(how) == 0
    assert (tmp_path / "kept.jsonl").read_text("utf-8").splitlines() == lines
    assert (tmp_path / "document_lengths.md").read_text("utf-8") == page


def test_a_tiny_run_of_projections(tmp_path):
    how = ["--topics", "3", "--words", "150", "--seeds", "1", "--output", str(tmp_path)]
    assert projections.main(how) == 0
    page = (tmp_path / "projections.md").read_text("utf-8")
    assert page.count("| bundled sample, K = 3 |") == len(projections.MEASURES)
    shared = page.split("## Share of the anchors")[1].splitlines()[4]
    assert shared.split(" | ")[4] == "**1.000 (1.000 to 1.000)**"
