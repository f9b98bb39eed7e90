"""Lists of topics from corners and from greedy anchors: ranks, closest topics, a tiny run."""

import numpy as np
import pytest

import salient_topics
from salient_topics import FAMILIES, FIGURES, closest_ranks, hard_ranks, same_anchors

OF = FAMILIES["C̄"]


@pytest.fixture
def found():
    """Two topics of each; the first of t-SNE is like the second of both others."""
    tsne, pca, greedy = OF
    words = [["tea", "milk"], ["rain", "wind"]]
    return {
        "closest": {f"{tsne}: {pca}": [1, 0], f"{tsne}: {greedy}": [1, 1]},
        "topics": {
            tsne: {"anchors": ["tea", "rain"], "ranks": [0, 2], "words": words},
            pca: {"anchors": ["wind", "tea"], "ranks": [0, 5], "words": words},
            greedy: {"anchors": ["kaye", "milk"], "ranks": [0, 40], "words": words},
        },
    }


def test_figures_are_those_of_the_closest_topics(found):
    values = {name: figure(found, OF) for name, figure in FIGURES.items()}
    assert closest_ranks(found, OF, 1) == [5, 0]
    assert values == {
        "t-SNE: HR 0": 0.5, "PCA: HR 0": 0.5, "greedy: HR 0": 0.0, "greedy: median HR": 40.0,
        "greedy: anchor shown": 0.0, "greedy: later (#)": 0.5, "same anchor in PCA's": 0.5,
    }  # fmt: skip
    assert same_anchors(found, OF) == 0.5  # tea is the second anchor there


def test_ranks_begin_with_zero_and_ties_dont_count():
    assert hard_ranks(np.array([[0.4, 0.4, 0.2], [0.2, 0.5, 0.3]]), [1, 0]) == [0, 2]


def test_a_tiny_run(tmp_path, monkeypatch):
    monkeypatch.setattr("hulls_study.documents.FEW", 120)
    run = ["--most", "6", "--seeds", "1", "--keep", str(tmp_path / "kept.jsonl")]
    assert salient_topics.main([*run, "--output", str(tmp_path)]) == 0
    page = (tmp_path / "salient_topics.md").read_text("utf-8")
    assert page.count("| t-SNE |") == page.count("| PCA |") == page.count("| Greedy |") == 10
    assert page.count("| bundled sample | C") == 2
    assert "**" in page  # anchors among the words
    assert salient_topics.main([*run, "--output", str(tmp_path)]) == 0
    assert (tmp_path / "salient_topics.md").read_text("utf-8") == page


def test_what_is_missing_is_said(tmp_path, capsys):
    assert salient_topics.main(["--data", str(tmp_path)]) == 1
    assert "poliblog5k.npz" in capsys.readouterr().err
