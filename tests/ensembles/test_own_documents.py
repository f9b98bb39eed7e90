"""What merged topics are worth to a party: the bound from its summary, and the truth beside it."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

import chatham as ch
from chatham.errors import InputError, SummaryFileError
from chatham.notes import ChathamWarning
from tests.ensembles.parts import some_counts

WORDS = [f"w{number}" for number in range(8)]
pytestmark = pytest.mark.filterwarnings("ignore")


def party(kind, seed, n=40, exact=False, words=WORDS, name="", **how):
    counts = some_counts(n, seed=seed)
    model = ch.fit(
        kind, counts, vocabulary=words, n_components=2, random_state=0, max_iter=30, **how
    )
    return counts, model, ch.publish(model, counts, exact=exact, name=name)


HOW = [
    {"constraint": "simplex", "loss": "absolute"},
    {"constraint": "none", "loss": "absolute"},
    {"constraint": "none", "loss": "relative"},
]


@settings(max_examples=12)
@given(
    st.integers(0, 1000), st.sampled_from(HOW), st.booleans(), st.booleans(), st.booleans(),
    st.integers(1, 4),
)  # fmt: skip
def test_the_bound_is_never_below_the_true_error(seed, how, exact, weighted, apart, k):
    """Whatever the parties have in common, and with rounding, weights and other words too."""
    others = [f"w{number}" for number in range(3, 11)] if apart else WORDS
    first, _, one = party("nmf", seed, exact=exact, name="A", **how)
    _, _, other = party("nmf", seed + 1, exact=exact, words=others, name="B", **how)
    if weighted:
        rng = np.random.default_rng(seed)
        first = ch.Weighted(first, sample_weight=rng.uniform(0.5, 1, 40),
                            cell_weight=rng.choice([0.2, 1.0], first.shape))  # fmt: skip
        one = ch.publish(
            ch.fit("nmf", first, vocabulary=WORDS, n_components=2, random_state=0, **how),
            first, exact=exact, name="A",
        )  # fmt: skip
    (row,) = ch.merge([one, other], k, documents={"A": first}, max_iter=20).bounds[:1].itertuples()
    assert row.true <= row.bound * (1 + 1e-6)


@settings(max_examples=12)
@given(st.integers(0, 1000), st.booleans(), st.integers(1, 4))
def test_the_likelihood_is_never_below_its_bound(seed, apart, k):
    others = [f"w{number}" for number in range(3, 11)] if apart else WORDS
    first, _, one = party("plsa", seed, exact=True, name="A")
    other = party("plsa", seed + 1, words=others, name="B")[2]
    (row,) = ch.merge([one, other], k, documents={"A": first}, max_iter=20).bounds[:1].itertuples()
    assert row.true >= row.bound - 1e-7 * abs(row.bound)


@pytest.mark.parametrize("how", HOW)
def test_the_true_error_is_that_of_the_best_weights(how):
    counts, _, one = party("nmf", 0, name="A", **how)
    merged = ch.merge([one, party("nmf", 1, name="B", **how)[2]], 1, documents={"A": counts})
    rows, importance = counts.astype(float), np.ones(40)
    if how["constraint"] == "simplex":
        rows /= rows.sum(axis=1, keepdims=True)
    if how["loss"] == "relative":
        importance = 1 / (rows**2).sum(axis=1)
    topics = merged.estimator.components_
    if how["constraint"] == "simplex":  # of one topic every document has all
        expected = 0.5 * ((rows - topics) ** 2).sum()
    else:
        left = [nnls(topics.T, row)[1] ** 2 for row in rows]
        expected = 0.5 * (importance * left).sum()
    assert merged.bounds["true"][0] == pytest.approx(expected, rel=1e-9)
    assert merged.true == {"A": merged.bounds["true"][0]}
    assert np.isnan(merged.bounds["true"][1])


@pytest.mark.parametrize("kind", ["nmf", "plsa"])
def test_all_three_are_equal_where_nothing_changes(kind):
    """One party, at its own number of topics, from its own topics."""
    counts, _, one = party(kind, 0, exact=True, name="A")
    merged = ch.merge([one], 2, init=one.topics, documents={"A": counts})
    (row,) = merged.bounds.itertuples()
    assert row.bound == pytest.approx(row.own, rel=1e-9)
    assert row.true == pytest.approx(row.own, rel=1e-6)


def test_parties_that_weighted_words_by_their_own_idf():
    corpora = ch.sample_corpus(min_df=10).rows(slice(0, 600)).parties(n=2)
    summaries = [
        ch.publish(
            ch.fit("nmf", each, n_components=3, random_state=0, max_iter=20), each, name=name
        )
        for name, each in zip("AB", corpora.values(), strict=True)
    ]
    merged = ch.merge(summaries, 4, documents=dict(zip("AB", corpora.values(), strict=True)))
    assert (merged.bounds["true"] <= merged.bounds["bound"]).all()
    assert (merged.bounds["true"] >= 0.95 * merged.bounds["own"]).all()
    # By hand, for the first party.
    own, idf = summaries[0].statistics["idf"], merged.vectorizer.idf
    corpus, summary = next(iter(corpora.values())), summaries[0]
    place = {word: column for column, word in enumerate(corpus.vocabulary)}
    rows = corpus.counts[:, [place[word] for word in summary.vocabulary]].toarray()
    common = merged.parts.columns[0]
    importance = 1 / np.maximum(((rows * own) ** 2).sum(axis=1), 1e-300)
    topics = merged.estimator.components_[:, common].T
    left = [nnls(topics, row)[1] ** 2 for row in rows * idf[common]]
    assert merged.true["A"] == pytest.approx(0.5 * (importance * left).sum(), rel=1e-6)


def test_other_documents_are_refused():
    counts, _, one = party("plsa", 0, name="A")
    other = party("plsa", 1, name="B")[2]
    for wrong in (counts[:-1], some_counts(40, seed=5) * 2, counts[:, ::-1]):
        with pytest.raises(InputError, match="These aren't the documents of A's summary"):
            ch.merge([one, other], 2, documents={"A": wrong})
    with pytest.raises(InputError, match="No summary of this merge is called 'C'"):
        ch.merge([one, other], 2, documents={"C": counts})
    lda = party("lda", 0, name="A")
    with pytest.raises(InputError, match="For lda no bound is known"):
        ch.merge([lda[2]], 2, documents={"A": lda[0]})


# Exact summaries


@pytest.mark.parametrize("how", HOW)
def test_through_exact_files_one_party_comes_back(how, tmp_path):
    """Published, written, read and merged, its own topics are a fixed point to 1e-10."""
    _, model, summary = party("nmf", 0, exact=True, **how)
    path = ch.write_summary(summary, tmp_path / "ours")
    merged = ch.merge([path], 2, init=model.estimator.components_)
    assert ch.read_summary(path).exact
    np.testing.assert_allclose(
        merged.estimator.components_, model.estimator.components_, rtol=0, atol=1e-10
    )
    assert merged.bounds["bound"][0] == pytest.approx(merged.bounds["own"][0], rel=1e-10)


def test_so_does_one_of_plsa_but_for_the_pseudo_count(tmp_path):
    _, model, summary = party("plsa", 0, exact=True)
    path = ch.write_summary(summary, tmp_path / "ours")
    merged = ch.merge([path], 2, init=model.topics, max_iter=20)
    np.testing.assert_allclose(merged.topics, model.topics, rtol=0, atol=1e-7)
    np.testing.assert_allclose(summary.topics, model.topics, rtol=0, atol=1e-15)


def test_exact_ones_say_so_and_others_don_t():
    told = party("nmf", 0, exact=True)[2], party("nmf", 0)[2], party("lda", 0, exact=True)[2]
    said = ["to the last digit, as you asked" in " ".join(each.reveals) for each in told]
    assert said == [True, False, False]
    assert [each.exact for each in told] == [True, False, True]


# Documents other than the model's


@pytest.mark.parametrize("kind", ["nmf", "plsa"])
def test_documents_of_another_corpus_are_noticed(kind):
    counts, model, _ = party(kind, 0, n=80)
    with warnings.catch_warnings(record=True) as none:
        warnings.simplefilter("always")
        ch.publish(model, counts)
    assert not none
    main = model.transform(counts).argmax(axis=1)
    others = np.vstack([counts[main == 0]] * 2)
    with pytest.warns(ChathamWarning, match="don't seem to be those that the model was fitted"):
        ch.publish(model, others)


def test_a_party_places_documents_by_the_model_that_it_published():
    counts, model, one = party("plsa", 0, name="A")
    merged = ch.merge([one], 2)
    assert merged.place(counts, model, "A").shape == (40, 2)
    words = [f"v{number}" for number in range(8)]
    wrong = {
        "it is of nmf, and the summary of plsa": party("nmf", 0)[1],
        "it has 1 topic, and topic 1 was published": ch.fit(
            "plsa", counts, vocabulary=WORDS, n_components=1
        ),
        "it lacks 8 words of the summary's": party("plsa", 0, words=words)[1],
        "its topic . is another one": ch.fit(
            "plsa", counts[:, ::-1] * [9, 1, 1, 1, 1, 1, 1, 9], vocabulary=WORDS[::-1],
            n_components=2, init=np.eye(8)[[0, 7]] + 0.01, max_iter=1,
        ),
    }  # fmt: skip
    for says, other in wrong.items():
        with pytest.raises(InputError, match=f"isn't the model that A published: {says}"):
            merged.place(counts, other, "A")


def test_wrong_settings_of_a_merge_are_said_before_it_begins():
    for kind in ("nmf", "plsa", "lda"):
        one = party(kind, 0, name="A")[2]
        for wrong in (0, 1.5, True):
            with pytest.raises(InputError, match="'n_jobs' parameter"):
                ch.merge([one], 2, n_jobs=wrong)
    with pytest.raises(InputError, match="init must be 'base', 'random', 'anchor', or topics"):
        ch.merge([one], 2, init="foo")


def test_a_name_that_stands_twice_is_refused(tmp_path):
    """Readers differ in which of the two they take."""
    _, _, one = party("plsa", 0, name="A")
    path = ch.write_summary(one, tmp_path / "ours")
    content = path.read_bytes()
    start = len(b"chatham summary\n") + 8
    length = int.from_bytes(content[start - 8 : start], "little")
    text = content[start : start + length]
    assert json.loads(text)["documents"] == 40
    twice = text.replace(b'{\n "arrays"', b'{\n "documents": 4000,\n "arrays"', 1)
    assert len(twice) > len(text)
    path.write_bytes(
        content[: start - 8] + len(twice).to_bytes(8, "little") + twice + content[start + length :]
    )
    with pytest.raises(SummaryFileError, match="is not the JSON of a Chatham summary"):
        ch.read_summary(path)
