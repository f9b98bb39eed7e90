"""Orders of words, contingency and maps of topics: their measures, tiny runs."""

import numpy as np
import pytest

import chatham as ch
import contingency
import exploring_study.models as models
import three_orders
import topic_maps
from contingency import facts, others
from three_orders import ORDERS, exchanged, in_common
from topic_maps import MAPS, apart, family_shares, related

SMALL = ["--sweeps", "10", "--seeds", "2", "--topics", "5"]


@pytest.fixture
def small(monkeypatch):
    corpus = ch.sample_corpus(max_features=300).rows(range(0, 2887, 12))
    monkeypatch.setattr(models, "read", lambda folder, names: {"some": corpus})
    return corpus


@pytest.fixture
def record():
    """Two topics of two words: the second changes one of them, which fewer documents have."""
    usual, other = [["tea", "milk"], ["rain", "wind"]], [["milk", "tea"], ["rain", "gale"]]
    return {
        "lists": {"prevalence": usual, "discriminability": other},
        "frequencies": {
            "prevalence": [[0.3, 0.2], [0.4, 0.1]], "discriminability": [[0.2, 0.3], [0.4, 0.02]],
        },
    }  # fmt: skip


def test_what_an_order_changes(record):
    assert in_common(record, "discriminability") == [2, 1]
    assert exchanged(record, "discriminability") == pytest.approx((0.1, 0.02))
    assert exchanged(record, "prevalence") is None


def test_orders_are_the_models_own(small):
    model = ch.fit("lda", small, n_components=4, max_iter=10, random_state=0)
    found = three_orders.trial(small, model)
    assert found["lists"]["uplift λ = 0.6"] == model.top_word_lists(5, by="uplift", lam=0.6)
    places = [str(word) for word in small.vocabulary]
    first = found["lists"]["prevalence"][0][0]
    column = small.counts[:, [places.index(first)]].toarray()
    assert found["frequencies"]["prevalence"][0][0] == pytest.approx((column > 0).mean())
    top = np.sort(model.topics, axis=1)[:, -5:].sum(axis=1)
    assert found["clear"] == pytest.approx(top)


def test_a_tiny_run_of_orders(small, capsys, tmp_path):
    run = [*SMALL, "--keep", str(tmp_path / "kept.jsonl")]
    assert three_orders.main(run) == 0
    page = capsys.readouterr().out
    assert all(page.count(f"| {order} |") == 6 for order in ORDERS)  # a row, and five topics
    assert "of 10 |" in page
    assert three_orders.main(run) == 0
    assert capsys.readouterr().out == page


def test_the_heaviest_topic_against_the_rest():
    weights = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 0.5], [0.0, 0.0, 1.0]])
    together = weights.T @ weights
    record = {"weights": weights.sum(axis=0).tolist(), "contingency": together.tolist(),
              "lists": [["tea"], ["milk"], ["rain"]]}  # fmt: skip
    of = facts(record)
    assert of["words"] == "tea"
    assert of["times the mean"] == pytest.approx(1.5)
    assert of["count"] == (0.25, pytest.approx(0.125), 1)
    assert of["own"] == pytest.approx((1.5 + 0.25 + 1.25) / 4)
    assert others(together).tolist() == [0.25, 0.125, 0.125]
    # Its pairs are ¼ / (2·½) and ¼ / (2·1½), the third one is 0: means of 1/6, 1/8 and 1/24.
    assert of["lift"][0] / of["lift"][1] == pytest.approx(2.0)
    assert of["lift"][2] == 1


def test_a_tiny_run_of_contingency(small, tmp_path):
    assert contingency.main([*SMALL, "--output", str(tmp_path)]) == 0
    page = (tmp_path / "contingency.md").read_text("utf-8")
    assert page.count("| some |") == 2
    kept = [
        line for line in page.splitlines() if line.startswith(tuple(f"| {n} |" for n in range(5)))
    ]
    documents = sum(float(line.split(" | ")[2]) for line in kept)
    assert documents == pytest.approx(len(small), abs=3)  # weights are rounded
    assert (tmp_path / "contingency.png").stat().st_size > 10_000


def test_families_are_where_a_topics_weight_is():
    corpus = ch.Corpus([[1, 0], [0, 1], [1, 1]], ["tea", "beer"],
                       labels=["comp.graphics", "sci.med", "sci.space"])  # fmt: skip
    names, shares = family_shares(corpus, np.array([[1.0, 0.0], [0.5, 0.5], [0.5, 0.5]]))
    assert names == ["computers", "science"]
    assert shares.tolist() == [[0.5, 0.5], [0.0, 1.0]]


def test_related_topics_without_a_family_dont_count():
    line = np.array([[0.0, 0], [1, 0], [3, 0], [4, 0]])
    assert related(apart(line), [0, 0, 1, 1], [True] * 4) == 1.0
    assert related(apart(line), [0, 1, 0, 1], [True] * 4) == 0.0
    assert related(apart(line), [0, 1, 0, 1], [True, False, True, False]) == 1.0
    assert related(apart(line), [0, 1, 2, 3], [True] * 4) is None


def test_a_tiny_run_of_maps(small, tmp_path):
    run = [*SMALL, "--keep", str(tmp_path / "kept.jsonl"), "--output", str(tmp_path)]
    assert topic_maps.main(run) == 0
    page = (tmp_path / "topic_maps.md").read_text("utf-8")
    assert all(page.count(f"| {name} |") == 2 for name in MAPS.values())
    assert (tmp_path / "topic_maps.png").stat().st_size > 10_000
    assert topic_maps.main(run) == 0
    assert (tmp_path / "topic_maps.md").read_text("utf-8") == page


@pytest.mark.parametrize(("experiment", "k"), [(contingency, "1"), (topic_maps, "3")])
def test_too_few_topics_are_refused(experiment, k, capsys):
    with pytest.raises(SystemExit):
        experiment.main(["--topics", k])
    assert "--topics must be at least" in capsys.readouterr().err


def test_what_is_missing_is_said(tmp_path, capsys):
    assert topic_maps.main(["--data", str(tmp_path)]) == 1
    assert "20newsgroups_clean.parquet" in capsys.readouterr().err
