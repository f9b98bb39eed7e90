"""The experiment on rectification: its models, its arithmetic, a tiny run."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import chatham as ch
import rectification
from rectification_study.documents import FILES, FILMS, MOVIES, NIPS, SAMPLE, read_corpora
from rectification_study.factors import Counted, factors_of
from rectification_study.films import Films
from rectification_study.plan import (
    AP,
    AP_EARLY,
    AP_EG,
    AP_FULL,
    AP_SHORT,
    BASELINE,
    CURVES,
    CUTS,
    DC,
    GIBBS,
    RECURSIVE,
    Plan,
    job,
    jobs,
)
from rectification_study.scores import ROWS, SMOOTHING, coherence, scores_of, top_words
from rectification_study.tables import Claim, aligned, curve, largest_difference

PLAN = Plan(topics=(3, 5), gibbs_topics=(5,), projections=20, runs=2, sweeps=20, anchor_df=3)


@pytest.fixture(scope="module")
def counts():
    """240 documents of 60 words about one of thirty small themes, 120 words in all."""
    rng = np.random.default_rng(0)
    themes = rng.dirichlet(np.full(120, 0.1), size=30)
    return np.array([rng.multinomial(60, themes[document % 30]) for document in range(240)])


@pytest.fixture(scope="module")
def counted(counts):
    words = np.array([f"word{number:03d}" for number in range(counts.shape[1])])
    ids = np.array([str(number) for number in range(len(counts))])
    return Counted(ch.Corpus(sp.csr_array(counts), words, ids))


def fitted(counted, method, k=5, plan=PLAN):
    return factors_of(counted, k, job(plan, method, k, 10**6).settings)


@pytest.mark.parametrize("method", [*CURVES, AP_SHORT, AP_FULL, RECURSIVE])
def test_factors_are_distributions(counted, method):
    found = fitted(counted, method)
    assert found.topics.shape == (5, 120)
    assert found.topics.sum(axis=1) == pytest.approx(np.ones(5))
    assert found.coefficients.sum(axis=1) == pytest.approx(np.ones(120))
    assert min(found.topics.min(), found.coefficients.min(), found.correlations.min()) >= 0
    assert found.correlations == pytest.approx(found.correlations.T)
    assert (found.anchors is None) == (method in (GIBBS, RECURSIVE))
    scores = scores_of(counted, found, top_words(counted, found))
    assert list(scores) == [row.name for row in ROWS]
    assert (scores["recovery"] is None) == (found.anchors is None)


def test_coefficients_and_topics_say_the_same(counted):
    # p(x|z) p(z) = p(z|x) p(x), of the matrix that was factorised.
    for method in (BASELINE, DC, AP):
        found = fitted(counted, method)
        words = counted.rectified(5, job(PLAN, method, 5, 1).settings).sum(axis=1)
        joint = found.coefficients * words[:, None]
        assert found.topics.T * joint.sum(axis=0) == pytest.approx(joint)


def test_gibbs_has_the_second_moments_of_its_weights(counted, counts):
    found = fitted(counted, GIBBS)
    learner = ch.LDA(5, max_iter=20, learn_priors=False, random_state=0).fit(counts)
    weights = learner.transform(counts)
    assert found.topics == pytest.approx(learner.components_)
    assert found.correlations == pytest.approx(np.mean([np.outer(w, w) for w in weights], axis=0))
    assert found.correlations.sum() == pytest.approx(1.0)
    for word in (0, 60, 119):
        likely = learner.components_[:, word] * weights.mean(axis=0)
        assert found.coefficients[word] == pytest.approx(likely / likely.sum())


def test_exponentiated_gradient_reaches_the_minimum_of_admm(counted):
    full, early, admm = (fitted(counted, name) for name in (AP_EG, AP_EARLY, AP))
    assert full.anchors == admm.anchors == early.anchors
    assert full.topics == pytest.approx(admm.topics, abs=2e-4)
    apart = [np.abs(each.coefficients - admm.coefficients).max() for each in (full, early)]
    assert apart[0] < apart[1]


def test_a_rectified_matrix_is_shared_and_renewed(counted):
    eg, admm, dc = (job(PLAN, name, 5, 1).settings for name in (AP_EG, AP, DC))
    first = counted.rectified(5, eg)
    assert counted.rectified(5, admm) is first
    assert counted.rectified(5, job(PLAN, BASELINE, 5, 1).settings) is counted.matrix
    other = counted.rectified(5, dc)
    assert not np.array_equal(other, first)
    assert np.array_equal(counted.rectified(5, eg), first)
    assert not np.array_equal(counted.rectified(4, eg), first)


def test_coherence_is_over_all_ordered_pairs(counted, counts):
    tops = [["word003", "word001", "word007"], ["word010", "word011", "word012"]]
    there = counts > 0
    values = []
    for words in tops:
        places = [int(word[4:]) for word in words]
        values.append(
            sum(
                np.log(((there[:, i] & there[:, j]).sum() + SMOOTHING) / there[:, j].sum())
                for i in places
                for j in places
                if i != j
            )
        )
    assert coherence(counted.corpus, tops).value == pytest.approx(np.mean(values))


def test_jobs():
    usual = list(jobs(PLAN, NIPS, 10**6, first=True))
    of_curves = [(each.method, each.k) for each in usual[:11]]
    assert of_curves == [
        *((name, 3) for name in CURVES if name != GIBBS), *((name, 5) for name in CURVES),
    ]  # fmt: skip
    assert {each.method for each in usual[11:]} == {
        BASELINE, AP, AP_SHORT, AP_FULL, RECURSIVE, GIBBS,
    }  # fmt: skip
    cuts = [each.settings["anchor_df"] for each in usual[-6:]]
    assert cuts == [cut for cut in CUTS for _ in range(2)]
    films = list(jobs(PLAN, MOVIES, 10**6, first=False))
    assert {each.method for each in films if each.k == 15} == set(CURVES)
    assert len(list(jobs(PLAN, "Blog", 10**6, first=False))) == 11
    # Each model's settings differ from those of every other of its K, or it would be kept twice.
    assert len({json.dumps([e.k, e.settings]) for e in usual[:11]}) == 11


def test_settings():
    assert job(Plan(), GIBBS, 5, 10**7).settings["sweeps"] == 100  # 1e9 draws
    assert job(Plan(), GIBBS, 5, 10**4).settings["sweeps"] == 300
    assert job(Plan(), AP_SHORT, 5, 1).settings["projections"] == 15
    full = job(Plan(), AP_FULL, 5, 1).settings
    assert (full["projections"], full["tol"], full["recover"]) == (150, 0.0, "admm")
    assert job(Plan(), BASELINE, 5, 1, 0.03).settings["anchor_df"] == 0.03
    assert "--gibbs-topics 5 15 50 100 --projections 150 --tol 0.0001" in Plan().said


def record(method, k, anchor_df=4, **scores):
    return {
        "corpus": "a", "method": method, "k": k, "settings": {"anchor_df": anchor_df},
        "scores": scores,
    }  # fmt: skip


def test_curves_leave_out_other_cuts_and_what_has_no_value():
    records = [
        record(AP, 5, recovery=0.3), record(AP, 5, 0.1, recovery=0.1), record(AP, 9, recovery=None),
        record(BASELINE, 9, recovery=0.4), record(AP, 20, recovery=0.2),
    ]  # fmt: skip
    assert curve(records, "a", AP, "recovery", 4) == {5: 0.3, 20: 0.2}
    assert curve(records, "b", AP, "recovery", 4) == {}


def test_claims():
    curves = {
        AP: {5: 1.0, 10: 3.0, 20: 5.0},
        BASELINE: {5: 2.0, 10: 2.0, 20: 2.0, 30: 1.0},
        GIBBS: {5: 1.9, 20: 4.0},
    }
    assert Claim(AP, BASELINE, "x", "less").holds(curves) == [True, False, False]
    assert Claim(AP, BASELINE, "x", "more").holds(curves) == [False, True, True]
    assert Claim(AP, BASELINE, "x", "nearer", GIBBS).holds(curves) == [False, True]
    assert Claim(AP, BASELINE, "x", "nearer", 1.0).holds(curves) == [True, False, False]
    assert largest_difference(curves, AP, BASELINE) == pytest.approx(1.5)
    assert largest_difference(curves, AP, GIBBS) == pytest.approx(0.9 / 1.9)


def test_topics_are_aligned_by_what_they_share():
    reference = [["a", "b", "c"], ["d", "e", "f"], ["g", "h", "i"]]
    tops = [["g", "b", "x"], ["a", "b", "c"], ["d", "y", "g"]]
    assert aligned(tops, reference) == [1, 2, 0]


def a_few_films():
    titles = ["Ape (1971)", "Bee (1975)", "Cat (1991)", "Cat (1991) [9]", "Dog (1999)"]
    corpus = ch.Corpus(
        sp.csr_array([[4, 2, 2, 0, 0], [0, 0, 2, 4, 2]]), np.array(titles), np.array(["x", "y"])
    )
    genres = [["War"], ["War", "Drama"], ["Comedy"], ["Drama", "Comedy"]]
    table = pd.DataFrame(
        {"genres": genres, "year": [1971.0, 1975.0, 1991.0, 1999.0]},
        index=["Ape (1971)", "Bee (1975)", "Cat (1991)", "Dog (1999)"],
    )
    return Films(corpus, table)


def test_what_is_said_of_films():
    films = a_few_films()
    said = films.said_of(np.array([0, 1, 2, 4]))
    assert said["genre"] == 0.5
    # War 1 + ½, Drama ½ + ½, Comedy 1 + ½, of four films.
    shares = np.array([1.5, 1.0, 1.5]) / 4
    assert said["entropy"] == pytest.approx(-(shares * np.log2(shares)).sum())
    # Of sixteen tokens War has 4 + 1, Drama 1 + 1 and Comedy 4 + 4 + 1.
    overall = np.array([5, 2, 9]) / 16
    assert said["apart"] == pytest.approx((shares * np.log2(shares / overall)).sum())
    assert said["decade"] == 0.5
    assert said["spread"] == pytest.approx(1993 - 1974)
    alone = films.said_of(np.array([2, 3]))
    assert (alone["genre"], alone["entropy"], alone["decade"], alone["spread"]) == (1, 0, 1, 0)
    assert films.name(["Cat (1991)", "Cat (1991) [9]"]) == "Comedy 1.00, 1990s 1.00"


@pytest.fixture
def folder(tmp_path, counts):
    """Counts in the place of NIPS and Blog, and users who like one of four kinds of films."""
    for name in (FILES["NIPS"], FILES["Blog"]):
        sp.save_npz(tmp_path / name, sp.csr_matrix(counts))
        words = "\n".join(f"word{number:03d}" for number in range(counts.shape[1]))
        (tmp_path / name.replace(".npz", ".vocab.txt")).write_text(words + "\n", "utf-8")
    rng = np.random.default_rng(1)
    kinds = ["War", "Drama", "Comedy", "Horror|Comedy"]
    films = pd.DataFrame(
        {
            "item": range(60),
            "title": [f"Film {item} ({1950 + 10 * (item % 4)})" for item in range(60)],
            "genres": [kinds[item % 4] for item in range(60)],
        }
    )
    films.to_parquet(tmp_path / FILMS)
    ratings = []
    for user in range(150):
        liking = np.where(films["item"] % 4 == user % 4, 8.0, 1.0)
        seen = rng.choice(60, 15, replace=False, p=liking / liking.sum())
        ratings += [(user, item, int(rng.integers(1, 6))) for item in seen]
    table = pd.DataFrame(ratings, columns=["user", "item", "rating"])
    table.to_parquet(tmp_path / FILES[MOVIES])
    return tmp_path


def test_a_tiny_run(folder, tmp_path):
    keep, output = tmp_path / "models.jsonl", tmp_path / "results"
    run = [
        "--data", str(folder), "--topics", "3", "5", "--gibbs-topics", "5", "--projections", "10",
        "--runs", "2", "--sweeps", "10", "--seeds", "1", "--keep", str(keep),
        "--output", str(output),
    ]  # fmt: skip
    assert rectification.main(run) == 0
    kept = keep.read_text("utf-8").splitlines()
    # 11 for the curves of each corpus; 6 of 15 films; 4 more lists and 6 cuts of five topics.
    assert len(kept) == 3 * 11 + 6 + 3 + 6
    files = {path.name: path.read_bytes() for path in output.iterdir()}
    assert set(files) == {
        "rectification_words.md", "rectification_measures.md", "rectification_films.md",
        "rectification_nips.png", "rectification_blog.png", "rectification_movies.png",
    }  # fmt: skip
    films = files["rectification_films.md"].decode()
    assert films.count("<br>") == 15 * 3 * 5
    words = files["rectification_words.md"].decode()
    assert words.count("\n- ") == (4 + 3) * 5

    # Cut off in its last line, the run goes on; the lines that are whole are believed.
    first = json.loads(kept[0])
    first["scores"]["specificity"] = 123.4
    keep.write_text("\n".join([json.dumps(first), *kept[1:-1], kept[-1][:40]]), "utf-8")
    assert rectification.main(run) == 0
    again = keep.read_text("utf-8").splitlines()
    assert len(again) == len(kept) + 1
    assert json.loads(again[-1])["scores"] == json.loads(kept[-1])["scores"]
    assert "123.4" in (output / "rectification_measures.md").read_text("utf-8")
    assert (output / "rectification_blog.png").read_bytes() == files["rectification_blog.png"]


def test_other_seeds_are_other_gibbs_and_diagonals_and_nothing_else(folder, tmp_path):
    keep, output = tmp_path / "models.jsonl", tmp_path / "results"
    run = [
        "--data", str(folder), "--topics", "3", "5", "--gibbs-topics", "5", "--projections", "10",
        "--runs", "2", "--sweeps", "10", "--seeds", "2", "--keep", str(keep),
        "--output", str(output),
    ]  # fmt: skip
    assert rectification.main(run) == 0
    kept = [json.loads(line) for line in keep.read_text("utf-8").splitlines()]
    again = [record for record in kept if record["settings"].get("seed") == 1]
    assert {record["method"] for record in again} == {DC, GIBBS}
    assert len(kept) == 48 + len(again)
    assert {record["corpus"] for record in again} == {"NIPS", "Blog", MOVIES}

    pages = {path.name: path.read_text("utf-8") for path in output.glob("*.md")}
    for page in pages.values():
        assert "--seed 0 --seeds 2" in page
    gibbs = [r["scores"]["sparsity"] for r in kept
             if (r["corpus"], r["method"]) == ("Blog", GIBBS)]  # fmt: skip
    assert len(set(gibbs)) == 2
    spread = f"({min(gibbs):.4g} to {max(gibbs):.4g})"
    assert spread in pages["rectification_measures.md"]
    # Lists of words and of films are of the first seed alone.
    assert pages["rectification_words.md"].count("\n- ") == (4 + 3) * 5
    assert pages["rectification_films.md"].count("<br>") == 15 * 3 * 5
    assert "*Seed" not in pages["rectification_words.md"] + pages["rectification_films.md"]


def test_without_data_there_is_the_sample():
    corpora = read_corpora(None, 200)
    assert list(corpora) == [SAMPLE]
    assert corpora[SAMPLE].n_words == 200
    assert corpora[SAMPLE].counts.sum(axis=1).min() >= 5


def test_what_is_missing_is_said(tmp_path, capsys):
    assert rectification.main(["--data", str(tmp_path)]) == 1
    assert "poliblog5k.npz" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        rectification.main(["--topics", "1"])
