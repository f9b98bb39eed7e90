"""Pictures from a model alone: what is drawn where, and what can't be."""

import numpy as np
import pytest

import chatham as ch
from chatham.plots import anchors
from chatham.plots.anchors import plot_anchors_of
from chatham.plots.panels import save_figure
from chatham.plots.tree import plot_hierarchy_of
from tests.conftest import plant

pytest.importorskip("matplotlib")

COUNTS = plant(n=400, d=40, k=4, seed=3)[0]
WORDS = [f"w{place:02}" for place in range(40)]


@pytest.fixture(scope="module")
def model():
    settings = {"n_components": 4, "random_state": 0, "refine": 2, "min_anchor_df": 0.0}
    return ch.fit("anchor", COUNTS, vocabulary=WORDS, anchors=[["w01", "w05"]], **settings)


@pytest.fixture
def handed_over(monkeypatch):
    """What the picture of anchors was asked for, with the picture itself."""
    seen = {}
    whole = anchors.plot_anchor_words

    def looked_at(joint, anchors, names, **options):
        seen.update(joint=joint, anchors=anchors, names=names)
        return whole(joint, anchors, names, **options)

    monkeypatch.setattr(anchors, "plot_anchor_words", looked_at)
    return seen


def test_the_co_occurrence_is_what_the_model_stands_for(model, handed_over):
    plot_anchors_of(model)
    expected = model.topics.T @ model.estimator.correlations_ @ model.topics
    assert np.allclose(handed_over["joint"], expected, atol=1e-15)
    named = [[handed_over["names"][place] for place in group] for group in handed_over["anchors"]]
    assert named == model.anchors


def test_rare_words_are_left_out_and_anchors_never(model, handed_over, monkeypatch):
    monkeypatch.setattr(anchors, "MOST_WORDS", 3)
    plot_anchors_of(model)
    probable = np.argsort(-(model.prevalence @ model.topics))[:3]
    named = {word for group in model.anchors for word in group}
    assert set(handed_over["names"]) == {WORDS[place] for place in probable} | named
    named = [[handed_over["names"][place] for place in group] for group in handed_over["anchors"]]
    assert named == model.anchors


def test_both_pictures_are_the_same_bytes_again(model, tmp_path):
    for name in ("a.svg", "b.svg"):
        save_figure(plot_anchors_of(model, title="Anchors"), tmp_path / name)
        save_figure(plot_hierarchy_of(model, [2], n=2), tmp_path / f"tree_{name}")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert (tmp_path / "tree_a.svg").read_bytes() == (tmp_path / "tree_b.svg").read_bytes()


def test_a_model_without_anchors_is_refused():
    plain = ch.fit("kmeans", COUNTS, vocabulary=WORDS, n_components=2, random_state=0)
    with pytest.raises(ch.InputError, match="KMeans have no anchors to draw"):
        plot_anchors_of(plain)
    with pytest.raises(ch.InputError, match="KMeans have no correlations"):
        plot_hierarchy_of(plain, [1])
