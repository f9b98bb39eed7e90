"""`evaluate`: a tidy table, what it can't measure, sums asked for once."""

import warnings

import numpy as np
import pandas as pd
import pytest

import chatham as ch
from chatham.errors import HolderError, InputError
from chatham.measures.coherence.pairwise import NPMI
from chatham.measures.evaluate import evaluate
from chatham.measures.evidence import Evidence
from chatham.measures.registry import MEASURES
from tests.measures.test_contract import CLASSES, World, corpus_of, words_of


@pytest.fixture(scope="module")
def world():
    return World()


@pytest.fixture(scope="module")
def sample():
    corpus = ch.read_corpus(ch.sample_corpus().rows(range(600)))
    return corpus, ch.fit("nmf", corpus, n_components=4, random_state=0)


def test_the_table_is_tidy(sample):
    corpus, model = sample
    table = ch.evaluate(model, corpus)
    assert list(table.columns) == [
        "measure", "value", "higher_is_better", "per_topic", "settings", "source",
    ]  # fmt: skip
    assert table["measure"].is_unique
    assert table["measure"][0] == "npmi"
    assert np.isfinite(table["value"]).all()
    assert all(isinstance(settings, dict) for settings in table["settings"])
    usual = {
        name for name, measure in MEASURES.items()
        if measure.by_default and "ratings" not in measure.needs
    }  # fmt: skip
    assert set(table["measure"]) | set(table.attrs["skipped"]) == usual


def test_what_could_not_be_measured_says_why(sample):
    corpus, model = sample
    skipped = ch.evaluate(model, corpus).attrs["skipped"]
    assert "held_out=" in skipped["left_to_right"]
    assert "true_topics=" in skipped["l1_to_truth"]
    assert "vectors=" in skipped["embedding_coherence"]


def test_a_measure_asked_for_by_name_must_be_there(sample):
    corpus, model = sample
    with pytest.raises(InputError, match=r"'left_to_right' can't be computed. It needs held-out"):
        ch.evaluate(model, corpus, measures=["npmi", "left_to_right"])
    with pytest.raises(InputError, match="did you mean 'npmi'"):
        ch.evaluate(model, corpus, measures="npim")


def test_lists_of_words_have_what_words_have():
    table = ch.evaluate([["tea", "milk"], ["sea", "sky"]])
    assert "topic_diversity" in set(table["measure"])
    assert "whole topics" in table.attrs["skipped"]["sparsity"]


def test_sliding_windows_of_counts_are_refused(world):
    with pytest.raises(InputError, match="give texts"):
        evaluate(world.subject(), world.corpus.counts, measures="c_v")


def test_documents_without_a_label_are_left_out_of_what_labels_measure(world):
    known = [row for row, label in enumerate(world.corpus.labels) if label is not None]
    assert len(known) < len(world.corpus)
    names = ["ari", "variation_of_information", "accuracy"]
    both = [
        evaluate(world.subject(), corpus, measures=names)["value"].tolist()
        for corpus in (world.corpus, world.corpus.rows(known))
    ]
    assert both[0] == pytest.approx(both[1])


def test_a_class_named_differently_at_a_party_is_refused(world):
    first, second = world.dealt(2)
    renamed = [None if label is None else label.upper() for label in second.corpus.labels]
    other = ch.Corpus(second.corpus.counts, second.corpus.vocabulary, labels=renamed)
    commons = ch.Simulated([first, Evidence(other)])
    with pytest.raises(HolderError, match=r"Holder 2 of 2.*3 of the labels.*not among the 3"):
        evaluate(world.subject(), commons, labels=CLASSES)


def test_one_holder_needs_no_agreement_on_labels(world):
    table = evaluate(world.subject(), ch.Alone(world.corpus), measures="ari")
    assert table["value"][0] == evaluate(world.subject(), world.corpus, measures="ari")["value"][0]


def test_sums_are_asked_for_once(world):
    commons = ch.Recorded(ch.Simulated(world.dealt(3)))
    evaluate(world.subject(), commons, measures=["topic_uniform", "topic_average", "closeness"])
    rounds = [entry.statistic for entry in commons.ledger]
    assert len(rounds) == len(set(rounds))


def test_a_corpus_of_one_document():
    corpus = corpus_of(np.array([[3, 1, 2, 0]]), labels=["a"])
    subject = World().subject()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = evaluate(subject, corpus, held_out=corpus)
    assert np.isfinite(table["value"]).all()
    assert all(reason for reason in table.attrs["skipped"].values())


def test_a_topic_without_words():
    topics = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]])
    counts = np.array([[3, 1, 0, 0], [0, 0, 2, 2], [1, 0, 1, 0], [2, 2, 0, 0]])
    corpus = corpus_of(counts, labels=["a", "b", "a", "a"])
    table = evaluate((topics, words_of(4)), corpus, held_out=corpus)
    assert np.isfinite(table["value"]).all()
    npmi = table.loc[table["measure"] == "npmi", "per_topic"].iloc[0]
    assert npmi[1] is None


def test_words_that_the_reference_has_not():
    corpus = corpus_of(np.array([[3, 1, 0, 0], [1, 1, 2, 2], [1, 0, 1, 0]]))
    known = words_of(4)
    topics = [[known[0], known[1], "zebra"], ["zebra", "yak"]]
    table = ch.evaluate(topics, corpus, measures=["umass", "uci", "npmi", "c_v"])
    assert np.isfinite(table["value"]).all()
    for _, row in table.iterrows():
        assert row["settings"]["missing_words"] == 2
        assert row["per_topic"][1] is None


def test_true_weights_need_a_row_a_document(world):
    with pytest.raises(HolderError, match="a row for each document"):
        evaluate(
            world.subject(), world.corpus, measures="hellinger",
            true_topics=world.true_topics, true_weights=world.true_weights[:5],
        )  # fmt: skip


def test_true_topics_are_over_the_same_words(world):
    with pytest.raises(InputError, match="24"):
        evaluate(world.subject(), true_topics=np.ones((2, 7)), measures="l1_to_truth")


def test_threads_change_no_bit(sample):
    corpus, model = sample
    one, two = (ch.evaluate(model, corpus, held_out=corpus, n_jobs=jobs) for jobs in (1, 2))
    pd.testing.assert_frame_equal(one, two, check_exact=True)


def test_progress_hears_of_every_measure(world):
    heard = []
    evaluate(
        world.subject(),
        measures=["topic_diversity", "overlap"],
        progress=lambda *a: heard.append(a),
    )
    assert heard == [("topic_diversity", 1, 2), ("overlap", 2, 2)]


def test_several_settings_of_one_measure_have_their_own_sums(world):
    settings = [NPMI(), NPMI(n_words=2), NPMI(window=2), NPMI(window=3)]
    together = evaluate(world.subject(), world.corpus, measures=settings)["value"].tolist()
    apart = [evaluate(world.subject(), world.corpus, measures=[s])["value"][0] for s in settings]
    assert together == apart
    assert len(set(apart)) == 4


def test_held_out_documents_have_their_own_sums(world):
    other = World(seed=9)
    names = ["ari", "ari_held_out", "variation_of_information_held_out"]
    options = {"held_out": other.corpus, "labels": CLASSES}
    together = evaluate(world.subject(), world.corpus, measures=names, **options)
    own = evaluate(world.subject(), other.corpus, measures=["ari", "variation_of_information"],
                   labels=CLASSES)  # fmt: skip
    assert together["value"].tolist()[1:] == own["value"].tolist()
    assert together["value"][0] != together["value"][1]


def test_several_labels_in_an_array_are_several(world):
    several = [["a", "b"], ["c"], None, ["b"]] * 10
    rows = world.corpus.rows(range(40))
    of_lists = ch.Corpus(rows.counts, rows.vocabulary, labels=several)
    arrays = [None if label is None else np.array(label) for label in several]
    of_arrays = ch.Corpus(rows.counts, rows.vocabulary, labels=arrays)
    values = [
        evaluate(world.subject(), c, measures="ari")["value"][0] for c in (of_lists, of_arrays)
    ]
    assert values[0] == values[1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"labels": "abc"}, "list of names"),
        ({"vectors": [1, 2]}, "mapping from words"),
        ({"vectors": {"tea": "much"}}, "mapping from words"),
    ],
)
def test_options_that_make_no_sense(world, options, said):
    with pytest.raises(InputError, match=said):
        evaluate(world.subject(), world.corpus, **options)


def test_measures_can_come_third_and_must_be_some(world):
    table = evaluate(world.subject(), world.corpus, ["npmi"])
    assert table["measure"].tolist() == ["npmi"]
    with pytest.raises(InputError, match="No measure was named"):
        evaluate(world.subject(), world.corpus, [])


def test_how_documents_were_weighed_is_said(world):
    names = ["frobenius", "frobenius_held_out", "log_likelihood_held_out"]
    table = evaluate(world.subject(), world.corpus, names, held_out=world.corpus)
    weighed = [settings["weighed_by"] for settings in table["settings"]]
    assert weighed == ["the model", "least squares", "highest likelihood"]
