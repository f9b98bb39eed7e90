"""The experiment on exact totals and products, on a small scale."""

import numpy as np
import scipy.sparse as sp

from exact_or_products import Case, measured, natural, spread, table_of, tokens_kept
from tests.conftest import plant
from uplift_study.documents import SAMPLE


def planted():
    counts, topics, _ = plant(n=900, d=300, k=4, length=150, seed=2)
    parts = [sp.csr_array(counts[start::3]) for start in range(3)]
    words = [f"w{i}" for i in range(300)]
    return Case("planted", parts, words, {"true_topics": topics}, ("l1_to_truth",))


def test_both_ways_are_measured_and_told_in_one_table():
    case = planted()
    result = measured(case, 4, 0, 0)
    assert result["anchors"] >= 3
    assert abs(result["exact"]["l1_to_truth"] - result["products"]["l1_to_truth"]) < 0.1
    result |= {"parties": 3, "words": 300}
    page = table_of({("planted", 0, 0): result, ("planted", 0, 1): result})
    assert page.splitlines()[2].startswith("| planted | 3 | 300 | 0 | l1_to_truth | ")


def test_natural_parties_agree_on_words_and_hold_documents_out():
    case = natural(SAMPLE, None, 0, own_df=10)
    assert len(case.parts) == 3
    assert {part.shape[1] for part in case.parts} == {len(case.vocabulary)}
    fitted, held_out = case.evidence["corpus"], case.evidence["held_out"]
    assert 0.15 < len(held_out) / (len(fitted) + len(held_out)) < 0.25
    assert 0.8 < tokens_kept(case.parts) < 1.0


def test_the_spread_is_half_the_distance_of_the_extremes():
    assert spread(np.array([1.0, 2.0, 3.0])) == "2.0000 ± 1.0000"
