"""What coarse summaries cost, on few words of the sample."""

import numpy as np

import chatham as ch
import coarse_summaries


def test_a_small_run_writes_its_table(tmp_path):
    run = ["--topics", "3", "--words", "150", "--seeds", "1", "--output", str(tmp_path)]
    assert coarse_summaries.main(run) == 0
    written = (tmp_path / coarse_summaries.NAME).read_text("utf-8")
    rows = [line.strip("| ").split(" | ") for line in written.splitlines() if line.startswith("| ")]
    assert [row[0] for row in rows] == ["NPMI, exact", "nmf", "plsa"]
    nmf = rows[1]
    assert float(nmf[3]) > 0.99
    assert abs(float(nmf[1]) - float(nmf[2])) < 0.05


def test_exact_sums_are_not_those_that_are_published():
    corpus = ch.sample_corpus(max_features=200)
    model = ch.fit("plsa", corpus, n_components=3, random_state=0)
    told = ch.publish(model, corpus).statistics["expected"]
    with coarse_summaries.exactly():
        exact = ch.publish(model, corpus).statistics["expected"]
    assert (told == np.rint(told)).all()
    assert (exact != np.rint(exact)).any()
    assert np.abs(told - exact).max() <= 1.0 + 1e-6
