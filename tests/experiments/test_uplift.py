"""What parties gain from learning together: splits, words, errors, ratings, a tiny run."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import chatham as ch
import uplift
from uplift_study.documents import corpus_of
from uplift_study.parties import MIX, Member, natural, of_sizes, shuffled
from uplift_study.plan import Plan
from uplift_study.small import compare_one, cut
from uplift_study.tables import crossed, percent
from uplift_study.tables import uplift as uplift_of
from uplift_study.ways import RELATIVE, SVD, TOPICS, compare, error, fitted
from uplift_study.words import agreed_counts, frequencies, long_enough, unit_rows, weighed

WAYS = (TOPICS, RELATIVE, SVD)
FEW = ((0.1, 3), (0.7, 1))


def drawn(n, topics, seed):
    """Documents of sixty tokens, each of one topic or two."""
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.full(len(topics), 0.2), n)
    return sp.csr_array(rng.multinomial(60, weights @ topics))


@pytest.fixture(scope="module")
def counts():
    topics = np.random.default_rng(0).dirichlet(np.full(80, 0.1), 5)
    return drawn(600, topics, 1)


def test_parties_share_all_documents_out():
    assert sum(share * times for share, times in MIX) == pytest.approx(1.0)
    members = of_sizes(1000, MIX, 0)
    assert sorted(np.concatenate([each.rows for each in members])) == list(range(1000))
    assert [len(each.rows) for each in members] == [round(1000 * each.share) for each in members]
    assert len(members[-1].test) == 60  # a fifth of 300
    assert sorted(members[0].rows) != sorted(of_sizes(1000, MIX, 1)[0].rows)


def test_natural_parties_and_shuffled_ones():
    owners = ["b"] * 10 + ["a"] * 30
    members = natural(owners, 0)
    assert [(each.name, each.share, len(each.train)) for each in members] == [
        ("a", 0.75, 24),
        ("b", 0.25, 8),
    ]
    assert sorted(members[1].rows) == list(range(10))
    dealt = shuffled(members, 0)
    assert [(each.name, len(each.rows)) for each in dealt] == [("a", 30), ("b", 10)]
    assert sorted(np.concatenate([each.rows for each in dealt])) == list(range(40))
    assert set(dealt[1].rows) != set(range(10))


def test_words_are_agreed_on_by_what_is_learned_from():
    texts = ["tea milk scone jam butter"] * 40
    texts[0:10] = ["tea milk scone jam butter secret"] * 10  # one party has it
    texts[38:40] = ["tea milk scone jam butter late"] * 2
    table = pd.DataFrame({"text": [f"{text} n{i}" for i, text in enumerate(texts)], "who": "x"})
    corpus = corpus_of(table, "who")
    rows = np.arange(40)
    members = [Member("a", 0.5, rows[:20], rows[38:39]), Member("b", 0.5, rows[20:38], rows[39:])]
    counted = agreed_counts(corpus, members, ch.Simulated)
    assert counted.shape == (40, 5)
    assert (counted.toarray() == 1).all()
    ratios = weighed(counted, members, ch.Simulated).toarray()
    assert ratios == pytest.approx(np.full((40, 5), 1 / np.sqrt(5)))
    short = sp.csr_array(np.vstack([[1, 1], [3, 2], [9, 9]]))
    kept = long_enough(short, [Member("a", 1.0, np.array([0, 1]), np.array([2]))])
    assert kept[0].train.tolist() == [1]


def test_texts_that_recur_count_once():
    table = pd.DataFrame({"text": ["tea and milk", "tea and milk ", "rum"], "who": list("xyz")})
    assert len(corpus_of(table, "who")) == 2


def test_tfidf_is_weighed_by_sums_over_what_is_learned_from(counts):
    members = of_sizes(600, FEW, 0)
    train = np.concatenate([each.train for each in members])
    learned = (counts[train].toarray() > 0).sum(axis=0)
    expected = counts.toarray() * (np.log((1 + len(train)) / (1 + learned)) + 1)
    expected /= np.linalg.norm(expected, axis=1)[:, None]
    assert weighed(counts, members, ch.Simulated).toarray() == pytest.approx(expected)


def test_the_error_of_the_svd_is_that_of_a_projection(counts):
    rows = unit_rows(counts)
    vectors = np.linalg.svd(rows[:400].toarray())[2][:6]
    dense = rows[400:].toarray()
    left = np.linalg.norm(dense - dense @ vectors.T @ vectors) / np.linalg.norm(dense)
    assert error(SVD, fitted(SVD, 6, 0, rows[:400]), rows[400:]) == pytest.approx(left, abs=1e-6)


@pytest.mark.parametrize("way", [TOPICS, RELATIVE])
def test_the_error_of_topics_by_hand(way, counts):
    model, held_out = fitted(way, 4, 0, counts[:400]), counts[400:]
    dense = frequencies(held_out).toarray()
    left = np.linalg.norm(dense - model.transform(held_out) @ model.components_, axis=1)
    sizes = np.linalg.norm(dense, axis=1)
    expected = np.sqrt(np.mean((left / sizes) ** 2))
    if way == TOPICS:
        expected = np.linalg.norm(left) / np.linalg.norm(sizes)
    assert error(way, model, held_out) == pytest.approx(expected)


@pytest.mark.parametrize("way", WAYS)
def test_together_is_pooled_and_one_party_gains_nothing(way, counts):
    rows = unit_rows(counts) if way == SVD else counts
    members = of_sizes(600, FEW, 0)
    found = compare(way, 3, 0, rows, members, ch.Simulated)
    pooled = fitted(way, 3, 0, rows[np.concatenate([each.train for each in members])])
    for each, member in zip(found, members, strict=True):
        assert each["together"] == pytest.approx(error(way, pooled, rows[member.test]), abs=1e-8)
    lonely = compare(way, 3, 0, rows, of_sizes(600, ((1.0, 1),), 0), ch.Simulated)[0]
    assert percent(lonely["alone"], lonely["together"]) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("way", WAYS)
def test_small_parties_of_one_kind_gain_most(way, counts):
    rows = unit_rows(counts) if way == SVD else counts
    found = compare(way, 5, 0, rows, of_sizes(600, ((0.03, 4), (0.88, 1)), 0), ch.Simulated)
    *small, large = [percent(each["alone"], each["together"]) for each in found]
    assert np.mean(small) > 3
    assert abs(large) < 1


@pytest.mark.parametrize("way", WAYS)
def test_parties_that_share_nothing_lose_with_few_topics(way):
    # Each party has its own words and two topics, so two in all are too few, and four are enough.
    topics = np.random.default_rng(0).dirichlet(np.full(20, 0.3), 4)
    blank = np.zeros((2, 20))
    own = [np.hstack([topics[:2], blank]), np.hstack([blank, topics[2:]])]
    counts = sp.vstack([drawn(200, each, seed) for seed, each in enumerate(own)], format="csr")
    rows = unit_rows(sp.csr_array(counts)) if way == SVD else sp.csr_array(counts)
    members = natural(["a"] * 200 + ["b"] * 200, 0)
    few = uplift_of(compare(way, 2, 0, rows, members, ch.Simulated))
    assert few.mean < -10
    enough = compare(way, 4, 0, rows, members, ch.Simulated)
    alone = compare(way, 2, 0, rows, members, ch.Simulated)
    for both, mine in zip(enough, alone, strict=True):
        assert both["together"] == pytest.approx(mine["alone"], rel=0.02)


def test_a_party_that_is_cut(counts):
    members = of_sizes(600, FEW, 0)
    fewer = cut(members, 3, 20)
    assert len(fewer[3].train) == 20
    assert set(fewer[3].train) < set(members[3].train)
    assert fewer[:3] == members[:3]
    whole = compare(TOPICS, 3, 0, counts, members, ch.Simulated)[3]
    found = [
        compare_one(TOPICS, 3, counts, cut(members, 3, n), 3, ch.Simulated) for n in (20, 9999)
    ]
    # Cut to all that it has, it is the party that it was; with few documents it gains more.
    assert found[1]["together"] == pytest.approx(whole["together"], abs=1e-8)
    assert found[1]["alone"] == pytest.approx(whole["alone"], abs=1e-8)
    few, all_ = (percent(each["alone"], each["together"]) for each in found)
    assert few > all_ + 3


def test_uplifts():
    found = uplift_of([{"alone": 0.5, "together": 0.4}, {"alone": 1.0, "together": 1.1}])
    assert found.each == (20.0, -10.0)
    assert (found.mean, found.deviation, found.gaining) == (5.0, 15.0, 0.5)
    assert (found.alone, found.together) == (0.75, 0.75)


def test_uplifts_with_other_numbers_of_topics():
    def record(k, seed, *errors):
        return {"k": k, "seed": seed, "parties": [{"alone": a, "together": t} for a, t in errors]}

    records = [record(2, 0, (0.5, 0.6)), record(2, 1, (1.0, 0.9)),
               record(9, 0, (0.1, 0.4)), record(9, 1, (0.2, 0.5))]  # fmt: skip
    assert crossed(records, 2, 2).each == (-20.0, 10.0)
    assert crossed(records, 2, 9).each == (20.0, 50.0)


@pytest.fixture
def folder(tmp_path):
    """Small files with the columns of the real ones."""
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(40, 0.2), 3)
    for name, column in (
        ("enron_ham", "owner"), ("20newsgroups_clean", "label"), ("newsarticles", "label")
    ):  # fmt: skip
        counts = drawn(150, topics, len(name)).toarray()
        texts = [" ".join(f"word{j}" for j in np.repeat(np.arange(40), row)) for row in counts]
        owners = rng.choice(["north", "south", "west"], 150)
        frame = pd.DataFrame({"text": texts, column: owners})
        frame.to_parquet(tmp_path / f"{name}.parquet")
    cells = np.argwhere(rng.random((60, 20)) < 0.5)
    table = pd.DataFrame(cells, columns=["user", "item"])
    table["rating"] = rng.integers(1, 6, len(cells))
    table.to_parquet(tmp_path / "movielens1m_ratings.parquet")
    return tmp_path


def test_a_tiny_run(folder):
    keep = folder / "kept.jsonl"
    plan = Plan(
        topics=(2, 3), relative=(2,), ranks=(2,), natural_ranks=(2, 4), rating_topics=(2,),
        penalties=(1.0, 4.0), seeds=2, rating_seeds=2, mix=FEW, small=(5, 10), small_topics=2,
    )  # fmt: skip
    assert uplift.run(plan, folder, keep, folder / "out") == 0
    files = [folder / "out" / name for name in
             ("uplift.md", "uplift_parties.md", "uplift.png", "uplift_parties.png",
              "uplift_small.png")]  # fmt: skip
    written = [file.read_bytes() for file in files]
    page, parties = (each.decode() for each in written[:2])
    kept = [json.loads(line) for line in keep.read_text("utf-8").splitlines()]
    # Two corpora of sizes with 2 + 1 + 1 fits and two seeds; two of natural parties with 2 + 1 + 2,
    # which are shuffled too; ratings; two sizes that parties are cut to, with two ways and seeds.
    assert len(kept) == 2 * 4 * 2 + 2 * 5 * (2 + 2) + 2 + 2 + 4 * 2
    assert "2 seeds. Words are those" in parties
    assert "nan" not in page + parties
    assert page.count("| 10 % |") == 2 * 3 * 2 + 5  # both corpora; ratings, and the best of them
    assert all(parties.count(f"| {name} |") == 2 * 2 * 3 for name in ("north", "south", "west"))
    # Again from what was kept: the same bytes, nothing new.
    assert uplift.run(plan, folder, keep, folder / "out") == 0
    assert [file.read_bytes() for file in files] == written
    assert len(keep.read_text("utf-8").splitlines()) == len(kept)


def test_what_is_missing_is_said(tmp_path, capsys):
    assert uplift.main(["--data", str(tmp_path)]) == 1
    assert "enron_ham.parquet" in capsys.readouterr().err
