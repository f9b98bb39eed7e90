"""Intrusion tasks: who may intrude, what raters see, and scores worked out by hand."""

import math

import numpy as np
import pandas as pd
import pytest

import chatham as ch
from chatham.errors import InputError
from chatham.measures.elsewhere.anything import subject_of_topics
from chatham.measures.intrusion.tasks import topic_intrusion, word_intrusion

PETS = [
    ["cat", "purr", "kitten", "whiskers"],
    ["dog", "bark", "puppy", "postman"],
    ["cow", "moo", "calf", "milk"],
]


# The median of topic 0 is (0.05 + 0.25) / 2 = 0.15: "d", with 0.25, is no stranger to it, though
# it is the top word of topic 1; "c", "e" and "f" are.
WORDS = list("abcdef")


TOPICS = np.array([[0.4, 0.3, 0.05, 0.25, 0.0, 0.0], [0.0, 0.0, 0.0, 0.5, 0.3, 0.2]])


# Over unit topics a document's weights are its frequencies.
UNITS = subject_of_topics(np.eye(5), ["one", "two", "three", "four", "five"])


DOCUMENT = np.array([[50, 30, 15, 4, 1]])


def intruders(task):
    return [q.options[k.intruder] for q, k in zip(task.questions, task.key, strict=True)]


def by_topic(task):
    return {k.topic: (q, k) for q, k in zip(task.questions, task.key, strict=True)}


@pytest.fixture(scope="module")
def corpus():
    return ch.sample_corpus().rows(slice(0, 300))


@pytest.fixture(scope="module")
def model(corpus):
    return ch.fit("nmf", corpus, n_components=8, random_state=0)


def test_a_question_is_a_topics_words_and_one_of_another_topic():
    for seed in range(30):
        task = word_intrusion(PETS, n_words=3, random_state=seed)
        assert len(task.questions) == 3
        for topic, (question, key) in by_topic(task).items():
            stranger = question.options[key.intruder]
            assert set(question.options) - {stranger} == set(PETS[topic][:3])
            assert stranger in {w for t in range(3) if t != topic for w in PETS[t][:3]}


def test_a_word_that_the_topic_utters_often_does_not_intrude():
    subject = subject_of_topics(TOPICS, WORDS)
    tasks = [word_intrusion(subject, n_words=2, random_state=seed) for seed in range(40)]
    assert {intruder(task, 0) for task in tasks} == {"e"}


def intruder(task, topic):
    question, key = by_topic(task)[topic]
    return question.options[key.intruder]


def test_the_dictionary_gives_any_improbable_word():
    subject = subject_of_topics(TOPICS, WORDS)
    tasks = [
        word_intrusion(subject, n_words=2, random_state=seed, intruder="dictionary")
        for seed in range(60)
    ]
    assert {intruder(task, 0) for task in tasks} == {"c", "e", "f"}


def test_intruders_stand_anywhere_and_are_drawn_evenly():
    tasks = [word_intrusion(PETS, n_words=3, random_state=seed) for seed in range(500)]
    places = np.bincount([key.intruder for task in tasks for key in task.key], minlength=4)
    assert abs(places / places.sum() - 1 / 4).max() < 0.05  # sd 0.011
    words = pd.Series([intruder(task, 0) for task in tasks]).value_counts(normalize=True)
    assert len(words) == 6
    assert abs(words - 1 / 6).max() < 0.08  # sd 0.017


def test_the_same_seed_makes_the_same_task_whatever_the_order(model, corpus):
    again = word_intrusion(PETS[::-1], n_words=3, random_state=4)
    assert again.questions == word_intrusion(PETS, n_words=3, random_state=4).questions
    backwards = corpus.rows(np.arange(len(corpus))[::-1])
    task = topic_intrusion(model, corpus, random_state=3)
    turned = topic_intrusion(model, backwards, random_state=3)
    assert turned.questions == task.questions
    assert turned.key == task.key
    assert topic_intrusion(model, corpus, random_state=4).questions != task.questions


def test_a_saved_model_makes_the_same_task(model, corpus, tmp_path):
    model.save(tmp_path / "m")
    loaded = ch.load(tmp_path / "m")
    assert word_intrusion(loaded) == word_intrusion(model)
    assert topic_intrusion(loaded, corpus).questions == topic_intrusion(model, corpus).questions


def test_letters_do_not_make_an_intruder():
    topics = [["Cat", "purr"], ["cat", "CAT"], ["dog", "bark"]]
    for seed in range(20):
        task = word_intrusion(topics, n_words=2, random_state=seed)
        assert intruder(task, 0) in {"dog", "bark"}


def test_topic_log_odds_by_hand():
    task = topic_intrusion(UNITS, DOCUMENT)
    question, key = task.questions[0], task.key[0]
    stranger = question.options[key.intruder]
    # The median weight is 0.15, that of "three", which is shown: only "four" and "five" are left.
    assert set(question.options) - {stranger} == {"one", "two", "three"}
    weight = {"one": 0.5, "two": 0.3, "three": 0.15, "four": 0.04, "five": 0.01}
    # θ = 0.99·weight + 0.01/5
    theta = {word: 0.99 * each + 0.002 for word, each in weight.items()}
    for option in question.options:
        score = task.score({question.id: option})
        odds = math.log(theta[stranger]) - math.log(theta[option])
        assert score.log_odds == pytest.approx(odds, abs=1e-6)
        assert score.precision == (option == stranger)
    both = pd.DataFrame(
        {"question": [question.id] * 2, "answer": [stranger, "one"], "rater": ["a", "b"]}
    )
    half = (math.log(theta[stranger]) - math.log(theta["one"])) / 2
    assert task.score(both).log_odds == pytest.approx(half, abs=1e-6)
    assert task.score(both).per_topic is None
    assert question.document == "one two three four five"


def test_the_intruding_topic_is_below_the_median():
    # Of 0.6, 0.2, 0.1, 0.06 and 0.04 the median is 0.1: "two" never intrudes beside "one", though
    # it has less than half of its weight.
    document = np.array([[60, 20, 10, 6, 4]])
    tasks = [topic_intrusion(UNITS, document, n_topics=1, random_state=s) for s in range(60)]
    assert {intruders(task)[0] for task in tasks} == {"three", "four", "five"}


def test_a_topic_that_looks_like_a_shown_one_does_not_intrude():
    # Topic 2 begins with the same word as topic 0, and the document has nothing of it.
    topics = np.array([[0.6, 0.4, 0, 0, 0], [0, 0, 1, 0, 0], [0.6, 0, 0, 0.4, 0], [0, 0, 0, 0, 1]])
    subject = subject_of_topics(topics, list("abcde"))
    document = np.array([[60, 40, 50, 0, 0]])
    for seed in range(20):
        task = topic_intrusion(subject, document, n_topics=2, n_words=1, random_state=seed)
        assert sorted(task.questions[0].options) == ["a", "c", "e"]


def test_topics_of_equal_weight_go_by_spelling():
    words = np.array(["one", "two", "three", "four", "five"])
    for order in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3]):
        subject = subject_of_topics(np.eye(5)[order], words)
        task = topic_intrusion(subject, np.array([[5, 5, 5, 1, 1]]), n_topics=2)
        assert set(task.questions[0].options) - set(intruders(task)) == {"one", "three"}


def test_log_odds_are_finite_and_at_best_0(model, corpus):
    task = topic_intrusion(model, corpus, n_documents=50)
    assert len(task.questions) == 50
    for key in task.key:
        assert key.log_odds[key.intruder] == 0
        assert all(math.isfinite(odds) and odds <= 0 for odds in key.log_odds)
        assert sum(odds < 0 for odds in key.log_odds) == 3


def test_raters_see_neither_the_key_nor_a_text(model, corpus, tmp_path):
    task = topic_intrusion(model, corpus, n_documents=5)
    task.write(tmp_path / "q.csv")
    table = pd.read_csv(tmp_path / "q.csv", dtype=str, keep_default_na=False)
    assert list(table) == [
        "question", "document", "option_1", "option_2", "option_3", "option_4", "answer",
    ]  # fmt: skip
    assert (table["answer"] == "").all()
    known = set(corpus.vocabulary)
    assert all(set(words.split()) <= known for words in table["document"])
    assert "snippet" not in repr(task)
    assert task.questions[0].snippet not in repr(task)
    assert "log_odds" not in repr(task)
    shown = task.table(snippets=True)["document"]
    assert shown.tolist() == [question.snippet for question in task.questions]
    starts = [" ".join(text.split())[:50] for text in corpus.texts]
    assert all(snippet[:50] in starts and len(snippet) <= 302 for snippet in shown)


def test_counts_have_no_snippets(model, corpus):
    task = topic_intrusion(model, corpus.counts, n_documents=2)
    assert task.questions[0].snippet is None
    with pytest.raises(InputError, match="no texts to show"):
        task.table(snippets=True)


def test_topics_with_few_words_are_left_out_and_counted():
    topics = np.array([[0.5, 0.5, 0, 0, 0], [0, 0, 0.5, 0.5, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]])
    task = word_intrusion(subject_of_topics(topics, list("abcde")), n_words=2)
    assert sorted(key.topic for key in task.key) == [0, 1]
    assert task.skipped == {"too_few_words": 2, "no_intruder": 0}
    assert task.notes == ["Left out 2 topics with too few words."]
    assert task.score({task.questions[0].id: 1}).per_topic[2:] == (None, None)


def test_topics_all_alike_have_no_intruder():
    with pytest.raises(InputError, match="2 questions for which there is no intruder"):
        word_intrusion([["a", "b"], ["b", "a"]], n_words=2)
    with pytest.raises(InputError, match="2 topics with too few words"):
        word_intrusion([["a", "b"], ["c", "d"]], n_words=5)


def test_one_topic_needs_the_dictionary():
    alone = subject_of_topics(TOPICS[:1], WORDS)
    with pytest.raises(InputError, match="no other to take intruders from"):
        word_intrusion(alone, n_words=2)
    task = word_intrusion(alone, n_words=2, intruder="dictionary")
    assert intruder(task, 0) in {"c", "e", "f"}


def test_documents_without_words_or_topics_are_left_out():
    documents = np.array([[0, 0, 0, 0, 0], [9, 0, 0, 0, 0], [2, 2, 2, 0, 1], [2, 2, 2, 0, 1]])
    task = topic_intrusion(UNITS, documents)
    assert len(task.questions) == 1
    assert task.skipped == {"without_words": 1, "too_few_topics": 1, "no_intruder": 0}
    even = np.ones((1, 5), dtype=int)
    with pytest.raises(InputError, match="1 question for which there is no intruder"):
        topic_intrusion(UNITS, even)
    with pytest.raises(InputError, match="1 document without any word"):
        topic_intrusion(UNITS, documents[:1])


def test_texts_that_say_nothing_known_are_left_out_quietly(model, recwarn):
    task = topic_intrusion(
        model, ["xyzzy", "translation of speech in dialogue systems"], n_topics=1
    )
    assert task.skipped["without_words"] == 1
    assert [str(warning.message) for warning in recwarn] == []


def test_k_must_exceed_the_topics_shown():
    with pytest.raises(InputError, match="5 topics with words, and 5 of them"):
        topic_intrusion(UNITS, DOCUMENT, n_topics=5)
    empty = subject_of_topics(np.vstack([np.eye(3), np.zeros(3)]), list("abc"))
    with pytest.raises(InputError, match="3 topics with words"):
        topic_intrusion(empty, np.array([[3, 2, 1]]), n_topics=3)


def test_k_means_has_one_topic_a_document(corpus):
    model = ch.fit("kmeans", corpus, n_components=5, random_state=0)
    with pytest.raises(InputError, match="300 documents with too few topics"):
        topic_intrusion(model, corpus)
    assert topic_intrusion(model, corpus, n_topics=1).chance == 0.5


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ({"n_words": 1}, "n_words must be a whole number of at least 2"),
        ({"n_words": 2.5}, "n_words must be"),
        ({"random_state": -1}, "random_state must be"),
        ({"random_state": None}, "random_state must be"),
        ({"intruder": "thesaurus"}, "one of other_topic, dictionary"),
    ],
)
def test_wrong_settings_of_words(wrong, rule):
    with pytest.raises(InputError, match=rule):
        word_intrusion(PETS, **wrong)


@pytest.mark.parametrize(
    "wrong", [{"n_documents": 0}, {"n_topics": 0}, {"n_words": True}, {"smoothing": 0}]
)
def test_wrong_settings_of_topics(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        topic_intrusion(UNITS, DOCUMENT, **wrong)


def test_lists_of_words_have_no_weights():
    with pytest.raises(InputError, match="can't give documents weights"):
        topic_intrusion(PETS, np.ones((1, 12)), n_topics=1)
