"""The race of online LDA runs, sees each document once, and calls a miss a miss."""

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks import online
from benchmarks.online import OURS, Point, averaged, contenders, curve, page_of, race, split
from tests.conftest import plant


@pytest.fixture(scope="module")
def counts():
    return sp.csr_array(plant(n=150, d=40, k=3)[0], dtype=float)


@pytest.mark.filterwarnings("ignore")
def test_the_race_on_a_planted_corpus(counts, monkeypatch):
    monkeypatch.setattr(online, "FIRST_MARK", 60)
    stages = []
    curves = race(counts, [0, 1], stages.append)
    assert list(curves) == list(contenders())
    assert len(stages) == 2 * len(curves)
    for of_seeds in curves.values():
        assert [[point.documents for point in points] for points in of_seeds] == [[60, 120]] * 2
        # Topics as planted predict a token as −3.0, random ones as −log 40 = −3.7.
        assert all(-3.7 < point.quality < -2.8 for points in of_seeds for point in points)
    page = page_of({"planted": curves}, "The machine was asleep.")
    assert "## planted" in page
    assert "The machine was asleep." in page
    assert page.count(f"| {OURS} |") == 2


def test_a_curve_shows_each_document_once(counts, monkeypatch):
    monkeypatch.setattr(online, "FIRST_MARK", 16)
    shown = []

    class Spy(online.Ours):
        def learn(self, documents):
            shown.append(documents.toarray())
            super().learn(documents)

    learned, held_out = split(counts)
    points = curve(Spy, learned, held_out, 0)
    assert [point.documents for point in points] == [16, 64, 120]
    assert (np.vstack(shown) == learned.toarray()).all()
    assert sorted(point.seconds for point in points) == [point.seconds for point in points]
    assert held_out.shape[0] == 30


def test_a_miss_is_called_one():
    ours = [[Point(8, 1.0, -5.0), Point(16, 2.0, -4.0)]]
    ahead = [[Point(8, 1.5, -5.5), Point(16, 3.0, -4.5)]]
    later = [[Point(8, 0.5, -5.5), Point(16, 3.0, -3.5)]]
    page = page_of({"tea": {OURS: ours, "behind": ahead, "quick": later}})
    assert "| behind | at all 2 points | at all 2 points |" in page
    assert (
        "| quick | at 1 of 2 points; **missed at 16** | at 0 of 2 points; **missed at 8, 16** |"
        in (page)
    )


def test_curves_are_averaged_over_seeds():
    curves = [[Point(8, 1.0, -5.0)], [Point(8, 3.0, -6.0)]]
    assert averaged(curves) == [Point(8, 2.0, -5.5)]


def test_a_folder_without_corpora_is_an_error(tmp_path, capsys):
    assert online.main(["--data", str(tmp_path)]) == 1
    assert "has neither 20newsgroups_clean.parquet nor acl_abstracts.npz" in capsys.readouterr().err
