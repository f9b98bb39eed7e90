"""Merged models: known answers, identities of the source, bounds, and words that a party lacks."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chatham as ch
from chatham.commons.secure.keys import Identity
from chatham.ensembles.agreement import _agreed, similarity
from chatham.ensembles.alignment import aligned
from chatham.ensembles.lda import merge_lda, pseudo_documents
from chatham.ensembles.nmf import _filled, _shares, common_idf, fit_of
from chatham.ensembles.plsa import Pseudo, least_likelihood, merge_plsa, own_mixture
from chatham.ensembles.starts import base_topics, chosen_base, parties_of, start_from_base
from chatham.ensembles.summary import STATISTICS
from chatham.errors import InputError, SummaryFileError
from chatham.notes import ChathamWarning
from tests.conftest import matched_distance
from tests.ensembles.parts import BARS, WORDS, drawn, plsa_summary, published, some_counts

KINDS = sorted(STATISTICS)


@pytest.fixture(scope="module")
def three():
    """Models and summaries of three parties, by kind; each has 200 documents of the bars."""
    counts, _ = drawn(BARS, 600, seed=1)
    parts = [counts[start::3] for start in range(3)]
    return {
        kind: [published(kind, part, 6, WORDS, name, max_iter=100)
               for part, name in zip(parts, ("A", "B", "C"), strict=True)]
        for kind in KINDS
    }, parts  # fmt: skip


# Shen et al., Fig. 5


@pytest.mark.parametrize("rescale", [False, True])
def test_lda_ensembles_recover_the_bars(rescale):
    """600 documents of 100 words in three parts, alpha = 1; with and without rescaling."""
    counts, _ = drawn(BARS, 600, seed=0)
    summaries = []
    for start in range(3):
        fitted = {"alpha": 1.0, "beta": 0.01, "learn_priors": False, "max_iter": 100}
        summaries.append(published("lda", counts[start::3], 6, WORDS, **fitted)[1])
    model = ch.merge(summaries, 6, rescale=rescale, alpha=50 / 6, learn_priors=False, max_iter=100)
    assert matched_distance(model.topics, BARS) < 0.25
    assert model.agreement.kinds == ["all"] * 6


def test_rescaled_counts_are_rounded_up():
    counts = some_counts()
    summaries = [published("lda", counts, max_iter=20, name=name)[1] for name in "AB"]
    together = aligned(summaries)
    whole = pseudo_documents(together)
    assert whole.sum() == 2 * counts.sum()
    assert np.array_equal(pseudo_documents(together, True), np.ceil(whole / 4))
    assert np.array_equal(pseudo_documents(together, 10), np.ceil(whole / 10))


def test_the_triangle():
    """Shen et al., Fig. 3: three parties see parts of one segment, whose ends the merge finds."""
    ends = np.array([[0.8, 0.15, 0.05], [0.1, 0.2, 0.7]])
    mixing = [(1.0, 0.4), (0.7, 0.2), (0.6, 0.0)]
    summaries = [
        plsa_summary([a * ends[0] + (1 - a) * ends[1], b * ends[0] + (1 - b) * ends[1]], [500, 500])
        for a, b in mixing
    ]
    model = ch.merge(summaries, 2, max_iter=4000, tol=1e-9)
    mixed = np.vstack(list(model.shares.values())) @ model.topics
    assert mixed == pytest.approx(np.vstack([each.topics for each in summaries]), abs=1e-4)
    along = np.linalg.lstsq(ends.T, model.topics.T, rcond=None)[0]
    assert along.T @ ends == pytest.approx(model.topics, abs=1e-3)  # on the line
    assert along.max(axis=1) == pytest.approx(1.0, abs=0.05)  # and hardly beyond the ends


# PLSA


@given(st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_one_party_at_its_own_number_of_topics_is_a_fixed_point(seed):
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(12, 0.5), 4) * 0.999 + 0.001 / 12
    summary = plsa_summary(topics, rng.integers(10**4, 10**5, 4))
    together = aligned([summary], ["A"])
    found = merge_plsa(together, 4, init=topics, n_init=1, max_iter=200, tol=0.0)
    assert found.topics == pytest.approx(topics, abs=1e-8)
    assert own_mixture(together, found, 0) == pytest.approx(topics, abs=1e-8)


def test_with_all_words_observed_it_is_plsa_of_pseudo_documents():
    rng = np.random.default_rng(0)
    parts = [plsa_summary(rng.dirichlet(np.ones(7), 3), np.ones(3)) for _ in range(2)]
    rows = np.vstack([part.topics for part in parts])
    fitted = ch.PLSA(2, max_iter=25, tol=0.0, random_state=0).fit(rows)
    together = aligned(parts, ["A", "B"])
    found = {"init": "random", "n_init": 1, "max_iter": 25, "tol": 0.0, "seed": fitted._seed()}
    merged = merge_plsa(together, 2, **found)
    order = np.argsort(-sum(mine.sum(axis=0) for mine in merged.shares))
    assert merged.topics[order] == pytest.approx(fitted.components_, abs=1e-9)
    assert merged.objective == pytest.approx(fitted.objective_, rel=1e-9)


@given(st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_no_iteration_makes_pseudo_documents_less_likely(seed):
    rng = np.random.default_rng(seed)
    parts = []
    for _ in range(3):
        d = int(rng.integers(4, 9))
        words = sorted({0, *rng.choice(10, d, replace=False).tolist()})
        topics = rng.dirichlet(np.full(len(words), 0.4), 2) * 0.99 + 0.01 / len(words)
        parts.append(
            plsa_summary(topics, rng.integers(10, 1000, 2), [f"w{word}" for word in words])
        )
    together = aligned(parts, ["A", "B", "C"])
    found = merge_plsa(together, 3, n_init=1, max_iter=40, tol=0.0, seed=seed)
    assert (np.diff(found.objective) > -1e-9 * np.abs(found.objective[1:])).all()


def test_proposition_1_holds_where_the_mixture_is_exact():
    """p(w,d) = p(d) Σ_y p(y|d) p(w|y) with p(y|d) = Σ_z p(z|d) p(y|z): eqs. 4 and 5."""
    counts = some_counts(80)
    model, summary = published("plsa", counts, k=3)
    merged = ch.merge([summary], 3, tol=0.0, max_iter=2000)
    own = model.transform(counts) @ model.topics
    placed = merged.place(counts, model, "summary 1")
    assert placed.sum(axis=1) == pytest.approx(1.0)
    assert placed @ merged.topics == pytest.approx(own, abs=0.01)  # topics are told by whole tokens


@given(st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_the_bound_of_the_likelihood_always_holds(seed):
    """For whatever topics and mixtures: documents are no less likely with p(y|d) of eq. 5."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(rng.gamma(0.5, 2.0, (30, 8))) + (rng.random((30, 8)) < 0.3)
    model = ch.fit("plsa", counts, vocabulary=[f"w{n}" for n in range(8)], n_components=2,
                   random_state=0, max_iter=5)  # fmt: skip
    summary = ch.publish(model, counts)
    if len(summary.vocabulary) < 8 or summary.n_topics < 2:
        return
    shares, topics = rng.dirichlet(np.ones(3), 2), rng.dirichlet(np.ones(8), 3)
    mixed = shares @ topics
    probable = model.transform(counts) @ mixed
    likelihood = float((counts * np.log(probable)).sum())
    bound = least_likelihood(summary, mixed)
    assert likelihood >= bound - 1e-9 * abs(bound)
    assert least_likelihood(summary, summary.topics) == summary.statistics["log_likelihood"]


def test_the_bound_is_jensens_document_by_document():
    """Σ n(d,w) Σ_z p(z|d,w) log (p(z|d) f(w|z) / p(z|d,w)), without any sum by topic and word."""
    counts = some_counts(40)
    model = ch.fit("plsa", counts, vocabulary=list("abcdefgh"), n_components=2, random_state=0)
    summary = ch.publish(model, counts, exact=True)
    rng = np.random.default_rng(1)
    mixed = rng.dirichlet(np.ones(3), 2) @ rng.dirichlet(np.ones(8), 3)
    weights, bound = model.transform(counts), 0.0
    for row, weight in zip(counts, weights, strict=True):
        for word in np.flatnonzero(row):
            joint = weight * model.topics[:, word]
            posterior = joint / joint.sum()
            for z in np.flatnonzero(posterior):
                ratio = weight[z] * mixed[z, word] / posterior[z]
                bound += row[word] * posterior[z] * np.log(ratio)
    assert least_likelihood(summary, mixed) == pytest.approx(bound, rel=1e-9)


def test_bounds_hold_for_the_parties_own_documents(three):
    by_kind, parts = three
    for kind in ("nmf", "plsa"):
        models, summaries = zip(*by_kind[kind], strict=True)
        merged = ch.merge(summaries, 5, random_state=0)
        assert list(merged.bounds) == ["party", "own", "bound"]
        for row, model, counts in zip(merged.bounds.itertuples(), models, parts, strict=True):
            if kind == "plsa":
                placed = merged.place(counts, model, row.party) @ merged.topics
                assert (counts * np.log(placed)).sum() >= row.bound
                assert row.own >= row.bound
                continue
            rows = counts.astype(float)
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            weights = merged.estimator.transform(counts)
            weights /= np.linalg.norm(counts, axis=1, keepdims=True)
            error = 0.5 * ((rows - weights @ merged.estimator.components_) ** 2).sum()
            assert error <= row.bound * (1 + 1e-9)
            assert row.own <= row.bound * (1 + 1e-9)
    assert ch.merge([each for _, each in by_kind["lda"]], 5, max_iter=20).bounds.empty


# Words that a party lacks


def test_words_are_matched_by_their_spelling():
    topics = np.array([[0.6, 0.3, 0.1], [0.1, 0.3, 0.6]])
    first = plsa_summary(topics, [10, 10], ["a", "b", "c"], "A")
    second = plsa_summary(topics[:, ::-1], [10, 10], ["c", "b", "a"], "B")
    model = ch.merge([first, second], 2)
    assert model.vocabulary.tolist() == ["a", "b", "c"]
    assert model.topics == pytest.approx(topics, abs=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_a_word_that_a_party_lacks_is_unknown_and_not_zero(kind):
    """Party B doesn't count w0, half of the second topic; taken for zero it would lose half of it.

    What is usual for the word pulls a little: it is in a quarter of all tokens.
    """
    topics = np.array([[0, 0.5, 0.5, 0, 0], [0.5, 0, 0, 0.25, 0.25]])
    counts = [drawn(topics, 300, 60, 0.2, seed)[0] for seed in range(2)]
    words = [f"w{number}" for number in range(5)]
    fitted = {"max_iter": 150} if kind == "lda" else {}
    summaries = [
        published(kind, counts[0], 2, words, "A", **fitted)[1],
        published(kind, counts[1][:, 1:], 2, words[1:], "B", **fitted)[1],
    ]
    model = ch.merge(summaries, 2, **fitted)
    topic = model.topics[model.topics[:, 3].argmax()]
    assert list(model.vocabulary) == words
    assert topic[0] > 0.39  # for zero it would be 1/3
    assert topic[0] < 0.56
    assert topic[3] / topic[4] == pytest.approx(1.0, abs=0.1)


def test_parties_without_a_common_word_are_refused():
    topics = np.array([[0.5, 0.5]])
    parts = [plsa_summary(topics, [9], words, name) for words, name in
             ((["a", "b"], "A"), (["b", "c"], "B"), (["x", "y"], "C"))]  # fmt: skip
    with pytest.raises(InputError, match="C and A have no word in common"):
        ch.merge(parts, 1)
    assert ch.merge(parts[:2], 1).vocabulary.tolist() == ["a", "b", "c"]


# The result


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_a_model_like_any_other(three, tmp_path, kind):
    by_kind, parts = three
    model = ch.merge([each for _, each in by_kind[kind]], 5, max_iter=100)
    assert isinstance(model, ch.TopicModel)
    assert model.n_topics == 5
    assert (np.diff(model.prevalence) <= 2e-9).all()
    assert model.prevalence.sum() == pytest.approx(1.0)
    model.save(tmp_path / "m")
    again = ch.load(tmp_path / "m")
    assert again.algorithm == kind
    assert (again.topics == model.topics).all()
    weights = again.transform(parts[0])
    assert (weights == model.transform(parts[0])).all()
    assert weights.sum(axis=1) == pytest.approx(1.0)
    assert ch.evaluate(again, parts[0], measures=["npmi"])["value"].notna().all()


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_bytes_at_any_number_of_threads(three, tmp_path, kind):
    by_kind, _ = three
    for name, jobs in (("a", 1), ("b", 2)):
        summaries = [each for _, each in by_kind[kind]]
        ch.merge(summaries, 5, random_state=3, n_jobs=jobs, max_iter=40).save(tmp_path / name)
    for file in ("model.json", "arrays.safetensors"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_nmf_explains_nearly_what_a_pooled_model_does(three):
    """Documents dealt at random: at least nineteen twentieths of the squared norm."""
    by_kind, parts = three
    counts = np.vstack(parts)
    merged = ch.merge([each for _, each in by_kind["nmf"]], 6)
    pooled = ch.fit("nmf", counts, vocabulary=WORDS, n_components=6, random_state=0)
    explained = []
    for model in (merged, pooled):
        rows = counts / np.linalg.norm(counts, axis=1, keepdims=True)
        weights = model.estimator.transform(counts) / np.linalg.norm(counts, axis=1, keepdims=True)
        explained.append(len(rows) - ((rows - weights @ model.estimator.components_) ** 2).sum())
    assert explained[0] > 0.95 * explained[1]


@pytest.mark.parametrize("weights", ["gram", "thesis"])
def test_one_party_of_nmf_is_a_fixed_point(weights):
    """Its own topics, none suppressed, with which the merge starts."""
    counts = some_counts(80)
    model, summary = published("nmf", counts, k=2)
    merged = ch.merge([summary], 2, weights=weights, init=summary.topics)
    assert merged.estimator.components_ == pytest.approx(summary.topics, abs=1e-10)
    assert summary.topics == pytest.approx(model.estimator.components_, rel=2**-8)
    assert merged.bounds["bound"][0] == pytest.approx(merged.bounds["own"][0], rel=1e-10)


def test_parties_with_their_own_idf_get_a_common_one():
    corpus = ch.sample_corpus().rows(slice(0, 900))
    parties = corpus.parties(n=3)
    summaries = [
        ch.publish(ch.fit("nmf", party, n_components=4, random_state=0, max_iter=60), name=name)
        for name, party in parties.items()
    ]
    model = ch.merge(summaries, 4)
    shared = set.intersection(*(set(each.vocabulary) for each in summaries))
    columns = {word: list(corpus.vocabulary).index(word) for word in shared}
    having = np.asarray((corpus.counts > 0).sum(axis=0)).ravel()
    for word in sorted(shared)[:50]:
        idf = np.log((1 + 900) / (1 + having[columns[word]])) + 1
        place = list(model.vocabulary).index(word)
        assert model.vectorizer.idf[place] == pytest.approx(idf)
    assert model.transform(["machine translation of languages"]).sum() == pytest.approx(1.0)
    # The bound speaks of documents in the common weighting.
    for row, party in zip(model.bounds.itertuples(), parties.values(), strict=True):
        summary = summaries[list(parties).index(row.party)]
        own = [columns_of(party.vocabulary, word) for word in summary.vocabulary]
        place = [columns_of(model.vocabulary, word) for word in summary.vocabulary]
        plain = party.counts.toarray()[:, own].astype(float)
        norms = np.linalg.norm(plain * summary.statistics["idf"], axis=1, keepdims=True)
        rows = plain * model.vectorizer.idf[place] / np.where(norms > 0, norms, 1.0)
        topics = np.ascontiguousarray(model.estimator.components_[:, place])
        learner = ch.NMF(4, constraint="none", init=topics, max_iter=1, tol=0)
        learner.fit(rows)
        learner.components_ = topics
        error = 0.5 * ((rows - learner.transform(rows) @ topics) ** 2).sum()
        assert error <= row.bound * (1 + 1e-9)


def columns_of(vocabulary, word):
    return list(vocabulary).index(word)


def test_texts_are_read_as_the_parties_read_theirs():
    corpus = ch.sample_corpus().rows(slice(0, 400))
    halves = [corpus.rows(slice(0, 200)), corpus.rows(slice(200, 400))]
    summaries = [
        ch.publish(ch.fit("plsa", half, n_components=2, random_state=0, max_iter=20))
        for half in halves
    ]
    model = ch.merge(summaries, 2)
    tokenizer = corpus.vectorizer.tokenizer
    assert model.vectorizer.tokenizer == tokenizer
    other = ch.read_corpus(corpus.texts[:200], stop_words=None)
    odd = ch.publish(ch.fit("plsa", other, n_components=2, random_state=0, max_iter=20))
    with pytest.warns(ChathamWarning, match="split texts into words in different ways"):
        assert ch.merge([summaries[0], odd], 2).vectorizer is None


# The report


def test_the_report_says_whose_topics_they_are():
    rows = np.full((4, 8), 0.01)
    for topic in range(4):
        rows[topic, 2 * topic : 2 * topic + 2] = 0.47
    first = plsa_summary(rows[[0, 1, 2]], [400, 300, 300], name="A")
    second = plsa_summary(rows[[0, 1]], [400, 300], name="B")
    third = plsa_summary(rows[[0, 3]], [400, 300], name="C")
    told = ch.merge([first, second, third], 4).agreement
    by_kind = dict(zip(told.topics["parties"], told.topics["shared_by"], strict=True))
    assert by_kind == {
        ("A", "B", "C"): "all", ("A", "B"): "some", ("A",): "one", ("C",): "one",
    }  # fmt: skip
    agreed = dict(zip(told.topics["parties"], told.topics["agreement"], strict=True))
    assert agreed[("A", "B", "C")] == pytest.approx(1.0)
    assert np.isnan(agreed[("C",)])
    assert told.base["similarity"].min() > 0.99
    assert not told.base["lost"].any()
    assert told.sentences()[0] == "Of 4 topics, all 3 parties have 1, some 1, one alone 2."
    plain = told.as_plain()
    json.dumps(plain)
    assert plain["topics"][0]["shared_by"] == "all"


def test_a_base_topic_that_collapses_is_said_to_be_lost():
    rows = np.full((3, 12), 1e-4)
    for topic in range(3):
        rows[topic, 4 * topic : 4 * topic + 4] = 0.25
    rows /= rows.sum(axis=1, keepdims=True)
    big = plsa_summary(rows[:2], [10**6, 10**6], name="A")
    small = plsa_summary(rows[2:], [10], name="B")
    told = ch.merge([big, small], 2).agreement
    assert told.base["lost"].tolist() == [False, False, True]
    assert "1 base topic can't be found again in the merged ones (B 0)" in told.sentences()[-1]


def test_numbers_of_topics_are_those_of_the_partys_model(three):
    by_kind, _ = three
    base = ch.merge([each for _, each in by_kind["plsa"]], 6).agreement.base
    assert base["topic"].tolist() == list(range(6)) * 3
    assert base["party"].tolist() == ["A"] * 6 + ["B"] * 6 + ["C"] * 6


# Starts


def test_as_many_topics_as_there_are_start_from_all_of_them(three):
    by_kind, _ = three
    together = aligned([each for _, each in by_kind["plsa"]])
    assert sorted(chosen_base(together, 18, 0)) == list(range(18))
    start = start_from_base(together, 6, 0)
    assert start.sum(axis=1) == pytest.approx(1.0)
    assert start.min() > 0


def test_base_topics_that_are_the_same_start_once():
    topics = np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]])
    together = aligned([plsa_summary(topics, [9, 9], name=name) for name in "ABC"])
    for seed in range(5):
        chosen = chosen_base(together, 2, seed)
        assert {topic % 2 for topic in chosen} == {0, 1}


def test_starts_are_drawn_by_hellinger_distance_over_common_words():
    """By the definition, one pair of base topics after the other."""
    rng = np.random.default_rng(0)
    parts = []
    for name in "ABC":
        words = sorted(rng.choice(12, 8, replace=False).tolist())
        rows = rng.dirichlet(np.full(len(words), 0.3), 5)
        spoken = [f"w{word:02d}" for word in words]
        parts.append(plsa_summary(rows, rng.integers(10, 100, 5), spoken, name))
    together = aligned(parts, list("ABC"))
    topics, sizes = base_topics(together)
    owners = parties_of(together)
    for seed in range(20):
        draws, far, chosen = np.random.default_rng(seed), np.ones(len(topics)), []
        for _ in range(6):
            chances = far * sizes
            new = int(np.searchsorted(np.cumsum(chances), draws.random() * chances.sum(), "right"))
            for topic, row in enumerate(topics):
                common = together.observed[owners[topic]] & together.observed[owners[new]]
                far[topic] = min(far[topic], max(1 - similarity(row, topics[new], common), 0.0))
            chosen.append(new)
            far[chosen] = 0.0
        assert chosen_base(together, 6, seed) == chosen


def test_how_near_first_weights_come_to_the_likeliest_is_the_same_for_large_topics():
    """They are sought for a word's likelihood, not for that of all words of a base topic."""
    rng = np.random.default_rng(0)
    rows, start = rng.dirichlet(np.full(30, 0.2), 6), rng.dirichlet(np.full(30, 0.5), 4)
    weights = []
    for tokens in (2.0, 2.0**40):
        parts = aligned([plsa_summary(rows, [tokens] * 6)], ["A"])
        pseudo = Pseudo(parts, 0, 4)
        pseudo.begin(start)
        weights.append(pseudo.weights)
    assert np.array_equal(*weights)


# Refusals


def test_what_cannot_be_merged_is_refused(three):
    by_kind, _ = three
    plsa = [each for _, each in by_kind["plsa"]]
    lda = [each for _, each in by_kind["lda"]]
    with pytest.raises(InputError, match="of lda and plsa, and models of different kinds"):
        ch.merge([plsa[0], lda[0]])
    with pytest.raises(InputError, match="nothing to merge"):
        ch.merge([])
    with pytest.raises(InputError, match="the summaries have 18 together"):
        ch.merge(plsa, 19)
    with pytest.raises(InputError, match="has no setting 'rescale'; it has 'init'"):
        ch.merge(plsa, 2, rescale=True)
    for wrong in ({"n_init": 0}, {"max_iter": "x"}, {"tol": -1}, {"init": "kmeans"}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            ch.merge(plsa, 2, **wrong)
    with pytest.raises(InputError, match="init"):
        ch.merge(plsa, 2, init=np.ones((3, 9)))
    for wrong in (0, -2.0, "two", float("nan")):
        with pytest.raises(InputError, match="rescale must be True, False or a number"):
            ch.merge(lda, 2, rescale=wrong)
    for wrong in (0, -1, 2.5):
        with pytest.raises(InputError, match="'n_components' parameter"):
            ch.merge(plsa, wrong)
    with pytest.raises(InputError, match="'thesis' or 'gram'; got 'size'"):
        ch.merge([by_kind["nmf"][0][1]], 2, weights="size")
    with pytest.raises(InputError, match="No summary of this merge is called 'D'"):
        ch.merge(plsa, 2).place(np.ones((1, 9)), by_kind["plsa"][0][0], "D")


def test_fits_of_nmf_that_differ_are_refused():
    counts = some_counts()
    first = published("nmf", counts, name="A")[1]
    second = published("nmf", counts, name="B", constraint="simplex")[1]
    with pytest.raises(
        InputError, match="A was fitted with constraint='none' and B with 'simplex'"
    ):
        ch.merge([first, second], 2)


def test_the_default_is_as_many_topics_as_the_largest_has():
    counts = some_counts()
    summaries = [published("plsa", counts, k=k)[1] for k in (2, 3)]
    assert ch.merge(summaries).n_topics == max(each.n_topics for each in summaries)


def test_signed_summaries_of_named_parties(tmp_path):
    north, south = Identity.new(), Identity.new()
    summary = published("plsa", some_counts(), name="North")[1]
    signed = ch.write_summary(summary, tmp_path / "signed", sign_as=north)
    unsigned = ch.write_summary(summary, tmp_path / "unsigned")
    known = {"North": north.public.hex()}
    assert ch.merge([signed], 2, parties=known).parties == ["North"]
    with pytest.raises(InputError, match=r"'.*unsigned.summary' is not signed"):
        ch.merge([unsigned], 2, parties=known)
    with pytest.raises(InputError, match="is signed with another key than that of North"):
        ch.merge([signed], 2, parties={"North": south.public.hex()})
    with pytest.raises(InputError, match="signed by North, who is not among the parties"):
        ch.merge([signed], 2, parties={"South": south.public.hex()})
    with pytest.raises(SummaryFileError, match="There is no summary"):
        ch.merge([tmp_path / "none.summary"], 2)


def test_parties_get_different_names(tmp_path):
    first, second, third, fourth = (
        published("plsa", some_counts(seed=seed), name=name)[1]
        for seed, name in enumerate(("North", "North", "", ""))
    )
    path = ch.write_summary(fourth, tmp_path / "west")
    model = ch.merge([first, second, third, path], 2)
    assert model.parties == ["North", "North (2)", "summary 3", "west"]


def test_nobody_counts_twice(tmp_path):
    counts, north = some_counts(), Identity.new()
    summary = published("plsa", counts, name="North")[1]
    with pytest.raises(InputError, match=r"North and North \(2\) are the same summary"):
        ch.merge([summary, summary], 2)
    later = published("plsa", counts[:50], name="North")[1]
    paths = [
        ch.write_summary(each, tmp_path / name, sign_as=north)
        for each, name in ((summary, "march"), (later, "april"))
    ]
    assert len(ch.merge(paths, 2).parties) == 2
    with pytest.raises(InputError, match="signed with the same key, and a party counts once"):
        ch.merge(paths, 2, parties={"North": north.public.hex()})


@pytest.mark.parametrize("wrong", [None, -1, 2**32, 1.5, np.random.RandomState(0)])
def test_a_seed_is_a_whole_number(wrong):
    model, summary = published("plsa", some_counts())
    with pytest.raises(InputError, match="random_state must be a whole number"):
        ch.merge([summary], 2, random_state=wrong)
    with pytest.raises(InputError, match="random_state must be a whole number"):
        ch.publish(model, some_counts(), random_state=wrong)


def test_one_summary_alone_is_put_in_a_list():
    with pytest.raises(InputError, match="put it in a list"):
        ch.merge("north.summary", 2)


def test_weighted_topics_on_the_simplex_merge():
    """Of parties with one idf: what is usual of absent words adds another share to each topic."""
    corpus = ch.sample_corpus()
    summaries = []
    for name, party in ch.sample_corpus(weighting="tfidf").parties(by="community").items():
        model = ch.fit("nmf", party, n_components=4, constraint="simplex", max_iter=30,
                       random_state=0)  # fmt: skip
        summaries.append(ch.publish(model, party, name=name))
    assert len({tuple(each.vocabulary) for each in summaries}) > 1
    merged = ch.merge(summaries, 5)
    np.testing.assert_allclose(merged.estimator.components_.sum(axis=1), 1)
    np.testing.assert_allclose(merged.transform(corpus.rows(range(20))).sum(axis=1), 1)
    together = merged.parts
    for party in range(len(summaries)):
        fit = fit_of(together, party, common_idf(together))
        topics, factors = _filled(together, party, fit, common_idf(together))
        np.testing.assert_allclose((topics * factors[:, None]).sum(axis=1), 1)
        assert factors.max() <= 1


def test_base_topics_are_over_plain_words():
    """As the party's own model shows them: starts, agreement and sizes are about words."""
    corpus = ch.sample_corpus(max_features=300).rows(slice(0, 400))
    model = ch.fit("nmf", corpus, n_components=4, random_state=0)
    summary = ch.publish(model, corpus, exact=True)
    together = aligned([summary])
    columns = [model.vocabulary.tolist().index(word) for word in together.vocabulary]
    own = model.topics[:, columns]
    topics, sizes = base_topics(together)
    assert summary.is_weighted
    assert topics == pytest.approx(own / own.sum(axis=1, keepdims=True), abs=1e-9)
    assert sizes == pytest.approx(summary.sizes)


def test_another_idf_changes_gradient_and_error_as_documents_do():
    """Against the same sums over documents that were weighted by the common idf themselves."""
    corpora = list(ch.sample_corpus().rows(range(240)).parties(n=2).values())
    models = [ch.fit("nmf", each, n_components=3, random_state=0, max_iter=40) for each in corpora]
    summaries = [ch.publish(each, name=name) for each, name in zip(models, "AB", strict=True)]
    together = aligned(summaries)
    idf = common_idf(together)
    for party, (model, summary) in enumerate(zip(models, summaries, strict=True)):
        told = fit_of(together, party, idf)
        ratio = idf[together.columns[party]] / summary.statistics["idf"]
        assert abs(np.log(ratio)).max() > 0.01
        np.testing.assert_allclose(told.topics, summary.topics * ratio)
        np.testing.assert_allclose(told.gradient, summary.statistics["gradient"] * ratio)
        np.testing.assert_allclose(told.error, 0.5 * summary.statistics["errors"] @ ratio**2)
        columns = [list(model.vocabulary).index(word) for word in summary.vocabulary]
        own = model.vectorizer.idf[columns]
        np.testing.assert_allclose(summary.statistics["idf"], own)


def test_idf_of_a_word_that_one_party_alone_has_is_of_its_documents():
    documents = ["tax bill vote tax", "tax vote", "bill vote law", "law tax bill"] * 4
    others = ["film star vote film", "film vote law", "star vote show", "show film star"] * 5
    documents, others = (
        [text + " vote" * number for number, text in enumerate(texts)]  # copies count once
        for texts in (documents, others)
    )
    summaries = []
    for name, texts in (("A", documents), ("B", others)):
        corpus = ch.read_corpus(texts, stop_words=None, min_df=1, max_df=1.0, weighting="tfidf")
        model = ch.fit("nmf", corpus, n_components=2, random_state=0)
        summaries.append(ch.publish(model, corpus, name=name))
    together = aligned(summaries)
    idf = dict(zip(together.vocabulary, common_idf(together), strict=True))
    for word, texts in (("tax", documents), ("film", others), ("law", documents + others)):
        having = sum(word in text.split() for text in texts)
        assert idf[word] == pytest.approx(np.log((1 + len(texts)) / (1 + having)) + 1)


def test_shares_count_the_words_of_each_merged_topic():
    """Half of the weight on a topic of three times as many words is three quarters of the words."""
    np.testing.assert_allclose(
        _shares(np.array([[1.0, 1.0], [0.0, 2.0], [0.0, 0.0]]), np.array([3.0, 1.0])),
        [[0.75, 0.25], [0.0, 1.0], [0.5, 0.5]],
    )


def test_a_partys_version_of_a_topic_is_of_all_its_base_topics_that_went_there():
    """Each by its size and its part: of one large and one small the large one decides."""
    words = list("abcd")
    split = plsa_summary([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]], [900, 100, 500], words, "A")
    whole = plsa_summary([[0.9, 0.1, 0, 0], [0, 0, 0.5, 0.5]], [1000, 500], words, "B")
    together = aligned([split, whole])
    shares = [np.array([[1.0, 0], [1.0, 0], [0, 1.0]]), np.eye(2)]
    went = [np.array([[True, False], [True, False], [False, True]]), np.eye(2, dtype=bool)]
    alike = _agreed(together, shares, went)
    expected = similarity(np.array([0.9, 0.1, 0, 0]), np.array([0.9, 0.1, 0, 0]), np.ones(4, bool))
    assert alike[0] == pytest.approx(expected)
    partly = [np.array([[1.0, 0], [0.5, 0.5], [0, 1.0]]), np.eye(2)]
    mine = similarity(np.array([900, 50, 0, 0.0]), np.array([0.9, 0.1, 0, 0]), np.ones(4, bool))
    assert _agreed(together, partly, went)[0] == pytest.approx(mine)
    assert mine < expected


def test_steps_of_pseudo_documents_leave_what_a_party_lacks_alone():
    summary = plsa_summary([[0.5, 0.5], [0.9, 0.1]], [5, 5], ["a", "b"], "A")
    other = plsa_summary([[0.5, 0.5]], [5], ["b", "c"], "B")
    pseudo = Pseudo(aligned([summary, other]), 0, 2)
    expected, likelihood = pseudo.expect(np.array([[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]]))
    assert expected[:, 2].tolist() == [0.0, 0.0]
    assert expected.sum() == pytest.approx(10.0)
    assert likelihood < 0


def test_lda_with_base_topics_as_a_start_keeps_words_that_only_one_party_has():
    counts = some_counts()
    first = published("lda", counts, words=[f"w{n}" for n in range(8)], name="A", max_iter=30)[1]
    second = published("lda", counts[:, :6], words=[f"w{n}" for n in range(6)], name="B",
                       max_iter=30)[1]  # fmt: skip
    found = merge_lda(aligned([first, second]), 2, seed=0, max_iter=30)
    assert found.topics.sum(axis=1) == pytest.approx(1.0)
    assert all(mine.sum(axis=1) == pytest.approx(1.0) for mine in found.shares)
