"""The benchmark of ensembles deals documents, counts what is kept, and keeps the least seconds."""

import numpy as np
import pytest

from benchmarks import ensembles
from benchmarks.ensembles import Case, Ensemble, found_again, page_of, quickest
from chatham.corpus import sample_corpus


@pytest.mark.filterwarnings("ignore")
def test_nine_parties_and_one_pooled_fit_of_the_sample():
    case = Case(sample_corpus(min_df=20).rows(slice(0, 450)), 2, seed=0)
    assert sum(len(part) for part in case.parts) == 450
    assert {len(part) for part in case.parts} == {50}
    told = ensembles.ours("plsa", case)
    assert told.kept == 2
    assert 0 <= told.found <= 1
    assert min(told.pooled, told.fits, told.merging) > 0
    assert -1 <= told.npmi <= 1


def test_topics_are_found_again_where_one_is_alike():
    base = np.eye(4)
    assert found_again(base, base[:1]) == 0.25
    assert found_again(base, base[:0]) == 0
    assert found_again(base, np.full((1, 4), 0.25)) == 1  # each is like all words: √¼ is a half


def test_the_page_has_means_and_the_least_seconds():
    tries = [Ensemble(2.0, 0.5, 3, 0.5, 0.1, 4.0, 0.2), Ensemble(3.0, 0.4, 3, 0.5, 0.1, 1.0, 0.2)]
    best = quickest(tries)
    assert (best.fits, best.merging, best.pooled) == (2.0, 0.4, 1.0)
    nothing = Ensemble(1.0, 1.0, 0, 0.0, float("nan"))
    page = page_of({"tea": {"ours": [best, best], "theirs": [nothing, best]}}, 2, "A note.")
    assert "| ours | 1.00 | 2.00 | 0.40 | 0.40 | 3 | 50% | 0.100 | 0.200 |" in page
    assert "| theirs | 1.00 | 1.50 | 0.70 | 0.40 | 0 to 3 | 25% | 0.100 | 0.200 |" in page
    assert "the best of 2 tries" in page
    assert "the best of one try" in page_of({"tea": {"ours": [best]}}, 1)
    assert "A note." in page


def test_a_folder_without_corpora_is_an_error(tmp_path, capsys):
    assert ensembles.main(["--data", str(tmp_path)]) == 1
    assert "has neither 20newsgroups_clean.parquet nor acl_abstracts.npz" in capsys.readouterr().err
