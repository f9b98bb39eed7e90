"""NPMI, UCI and UMass: by hand, against gensim and tomotopy, and where those give NaN."""

import math

import numpy as np
import pytest
from gensim.corpora import Dictionary
from gensim.models import CoherenceModel

from chatham.commons import Alone, Simulated
from chatham.corpus import Corpus, sample_corpus
from chatham.errors import InputError
from chatham.measures.coherence.context import CV
from chatham.measures.coherence.pairwise import NPMI, UCI, ExpectedUMass, UMass
from chatham.measures.measure import UndefinedError
from chatham.measures.subject import Subject, folding
from chatham.measures.texts import TokenTexts
from tests.conftest import plant, split

ALL = [NPMI(), NPMI(window=4), UCI(window=4), UMass(), CV(window=4)]


def subject_of(lists, vocabulary=(), **more):
    return Subject(np.array(vocabulary, dtype=object), lists=lists, **more)


def scored(measure, lists, texts):
    return measure.measure(subject_of(lists), Alone(TokenTexts(texts)))


TEXTS = [["tea", "milk"], ["tea", "milk", "cake"], ["tea"], ["car"], ["car", "cake"], []]
# Five windows: D(tea)=3, D(milk)=2, D(cake)=2, D(car)=2; D(tea,milk)=2, D(tea,cake)=1,
# D(milk,cake)=1, D(car,cake)=1, D(tea,car)=0.


def test_umass_by_hand():
    # log((2+1)/3) + log((1+1)/3) + log((1+1)/2) = log(2/3), better word below.
    score = scored(UMass(), [["tea", "milk", "cake"]], TEXTS)
    assert score.value == pytest.approx(math.log(2 / 3), abs=1e-12)
    assert score.notes == {"windows": 5, "documents": 5, "missing_words": 0}
    # The other way round: log((2+1)/2) for milk before tea.
    assert scored(UMass(), [["milk", "tea"]], TEXTS).value == pytest.approx(math.log(3 / 2))
    mean = scored(UMass(aggregate="mean", smoothing=0.5), [["tea", "milk", "cake"]], TEXTS)
    expected = (math.log(2.5 / 3) + math.log(1.5 / 3) + math.log(1.5 / 2)) / 3
    assert mean.value == pytest.approx(expected, abs=1e-12)


def test_pmi_by_hand():
    # P(tea)=3/5, P(milk)=2/5, P(both)=2/5: log((2/5)/(6/25)) = log(5/3).
    assert scored(UCI(), [["tea", "milk"]], TEXTS).value == pytest.approx(math.log(5 / 3))
    npmi = scored(NPMI(), [["tea", "milk"], ["cake", "car"]], TEXTS)
    # cake, car: log((1/5)/(4/25)) / −log(1/5).
    expected = [math.log(5 / 3) / math.log(5 / 2), math.log(5 / 4) / math.log(5)]
    assert npmi.per_topic == pytest.approx(expected)
    assert npmi.value == pytest.approx(sum(expected) / 2)


def test_a_large_epsilon_by_hand():
    # It is added to P(both) alone: log((2/5 + 1/10)/(6/25)) = log(25/12), over −log(1/2).
    uci = scored(UCI(epsilon=0.1), [["tea", "milk"]], TEXTS)
    assert uci.value == pytest.approx(math.log(25 / 12), abs=1e-12)
    # cake, car: log((1/5 + 1/10)/(4/25)) = log(15/8), over −log(3/10).
    npmi = scored(NPMI(epsilon=0.1), [["tea", "milk"], ["cake", "car"]], TEXTS)
    # More than 1 is 1: log(25/12) / log 2 = 1.06.
    assert npmi.per_topic == pytest.approx([1.0, math.log(15 / 8) / math.log(10 / 3)], abs=1e-12)
    smaller = scored(NPMI(epsilon=0.05), [["tea", "milk"]], TEXTS)  # log((9/20)/(6/25))
    assert smaller.value == pytest.approx(math.log(15 / 8) / math.log(20 / 9), abs=1e-12)


def test_a_mean_is_over_all_pairs():
    pairs = [["tea", "milk"], ["tea", "cake"], ["milk", "cake"]]
    for measure in (UCI(), NPMI()):
        parts = scored(measure, pairs, TEXTS).per_topic
        whole = scored(measure, [["tea", "milk", "cake"]], TEXTS).value
        assert whole == pytest.approx(sum(parts) / 3)


def test_npmi_at_its_ends():
    always = scored(NPMI(), [["tea", "milk"]], [["tea", "milk"], ["tea", "milk"], ["car"]])
    assert always.value == pytest.approx(1.0, abs=1e-9)
    assert always.value <= 1.0
    everywhere = scored(NPMI(), [["tea", "milk"]], [["tea", "milk"]] * 3)
    assert everywhere.value == 1.0  # gensim: −1, since log 1 / −log 1 is 0/0
    one = scored(NPMI(), [["tea", "milk"]], [["tea", "milk"], ["tea"]])
    assert one.value == pytest.approx(0.0, abs=1e-9)  # a word in every window says nothing
    never = scored(NPMI(), [["tea", "car"]], TEXTS).value  # P = 3/5 and 2/5
    assert never == pytest.approx(-1 + math.log(6 / 25) / math.log(1e-12), abs=1e-12)
    nearer = scored(NPMI(epsilon=1e-300), [["tea", "car"]], TEXTS).value
    assert -1 <= nearer < -0.99


def test_expected_umass_weighs_topics_by_their_share():
    vocabulary, topics = np.array(["a", "b", "c", "d"], dtype=object), np.array(
        [[0.6, 0.4, 0.0, 0.0], [0.0, 0.0, 0.7, 0.3]]
    )  # fmt: skip
    counts = np.array([[3, 2, 0, 0], [5, 0, 0, 0], [0, 1, 0, 0], [0, 0, 4, 1], [0, 0, 0, 0]])
    subject = Subject(vocabulary, topics=topics, estimator=folding("plsa", topics))
    commons = Alone(Corpus(counts, vocabulary))
    score = ExpectedUMass(n_words=2).measure(subject, commons)
    # D(a)=2, D(a,b)=1, D(c)=1, D(c,d)=1: log(2/2), log(2/1); three of four documents are topic 1.
    assert score.per_topic == pytest.approx([0.0, math.log(2)])
    assert score.value == pytest.approx(math.log(2) / 4, abs=1e-3)
    assert UMass(n_words=2).measure(subject, commons).value == pytest.approx(math.log(2) / 2)


def test_what_is_needed_follows_the_window():
    assert NPMI.needs == NPMI().needs == {"words", "reference"}
    assert UCI.needs == NPMI(window=10).needs == {"words", "reference", "order"}
    assert UCI(window="document").needs == {"words", "reference"}
    assert ExpectedUMass().needs == {"words", "weights"}
    assert (NPMI().documents, ExpectedUMass().documents) == ("reference", "corpus")
    assert UMass().settings == {
        "n_words": 10, "window": "document", "smoothing": 1.0, "aggregate": "sum"
    }  # fmt: skip


def cut(texts, size):
    """Each window as a text of its own, whose own window gensim can't slide."""
    return [text[i : i + size] for text in texts for i in range(max(1, len(text) - size + 1))]


def by_gensim(kind, lists, texts, window):
    model = CoherenceModel(
        topics=lists, texts=texts, dictionary=Dictionary(texts), coherence=kind,
        window_size=window, processes=1,
    )  # fmt: skip
    return model.get_coherence_per_topic()


def real_texts(n=60):
    corpus = sample_corpus()
    tokenizer = corpus.vectorizer.tokenizer
    texts = [tokenizer(text) for text in corpus.texts[:n]]
    frequent = [w for w, _ in Dictionary(texts).most_common(60)]
    rng = np.random.default_rng(0)
    lists = [[str(w) for w in rng.choice(frequent, 8, replace=False)] for _ in range(5)]
    return [text for text in texts if text], lists


MEASURES = {"c_npmi": NPMI, "c_uci": UCI, "c_v": CV}


@pytest.mark.parametrize(("kind", "window"), [("c_npmi", 10), ("c_uci", 10), ("c_v", 30)])
def test_as_gensim_on_texts_in_which_no_word_repeats(kind, window):
    rng = np.random.default_rng(3)
    words = [f"w{i}" for i in range(60)]
    texts = [[str(w) for w in rng.permutation(words)[:n]] for n in rng.integers(1, 60, 80)]
    lists = [words[start : start + 10] for start in (0, 7, 14, 30)]
    theirs = by_gensim(kind, lists, texts, window)
    ours = scored(MEASURES[kind](window=window), lists, texts)
    np.testing.assert_allclose(ours.per_topic, theirs, atol=1e-6, rtol=0)


@pytest.mark.parametrize(("kind", "window"), [("c_npmi", 10), ("c_uci", 10), ("c_v", 110)])
def test_as_gensim_on_real_text_whose_windows_we_cut(kind, window):
    texts, lists = real_texts()
    theirs = by_gensim(kind, lists, cut(texts, window), window)
    ours = scored(MEASURES[kind](window=window), lists, texts)
    np.testing.assert_allclose(ours.per_topic, theirs, atol=1e-6, rtol=0)


def test_umass_as_gensim():
    texts, lists = real_texts()
    dictionary = Dictionary(texts)
    bags = [dictionary.doc2bow(text) for text in texts]
    theirs = CoherenceModel(topics=lists, corpus=bags, dictionary=dictionary, coherence="u_mass")
    ours = scored(UMass(aggregate="mean", smoothing=1e-12 * len(texts)), lists, texts)
    np.testing.assert_allclose(ours.per_topic, theirs.get_coherence_per_topic(), atol=1e-9)


def test_umass_as_tomotopy_where_all_pairs_meet():
    tomotopy = pytest.importorskip("tomotopy")
    texts, _ = real_texts()
    lists = [list(dict.fromkeys(text))[:8] for text in texts[:6]]  # they meet in that very text
    reference = tomotopy.utils.Corpus()
    for text in texts:
        reference.add_doc(text)
    targets = sorted({word for words in lists for word in words})
    other = tomotopy.coherence.Coherence(reference, coherence="u_mass", targets=targets)
    ours = scored(UMass(aggregate="mean", smoothing=1e-12 * len(texts)), lists, texts)
    np.testing.assert_allclose(
        ours.per_topic, [other.get_score(words=words) for words in lists], atol=1e-9
    )


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_word_that_the_reference_lacks_is_left_out_where_gensim_has_nan():
    lists, known = [["tea", "unheard", "milk", "cake"]], [["tea", "milk", "cake"]]
    dictionary = Dictionary([*TEXTS, ["unheard"]])
    theirs = CoherenceModel(
        topics=lists, texts=TEXTS[:5], dictionary=dictionary, coherence="c_npmi", processes=1
    ).get_coherence()
    assert not math.isfinite(theirs)
    for measure in ALL:
        ours = scored(measure, lists, TEXTS)
        assert ours.value == pytest.approx(scored(measure, known, TEXTS).value, abs=1e-12)
        assert ours.notes["missing_words"] == 1


@pytest.mark.parametrize("measure", ALL)
def test_topics_without_two_known_words_have_none(measure):
    lists = [["tea", "milk"], ["tea", "unheard"], ["tea"], [], ["unheard", "strange"]]
    score = scored(measure, lists, TEXTS)
    assert score.per_topic[1:] == [None] * 4
    assert score.value == score.per_topic[0]
    assert score.notes["missing_words"] == 2
    for nothing in (lists[1:], []):
        with pytest.raises(UndefinedError, match="No topic has two words"):
            scored(measure, nothing, TEXTS)
    for empty in ([], [[]]):
        with pytest.raises(UndefinedError, match="No document of the reference has any word"):
            scored(measure, lists, empty)


@pytest.mark.parametrize("measure", ALL)
def test_one_document_and_fewer_words_than_asked(measure):
    assert math.isfinite(scored(measure, [["tea", "milk"]], [["tea", "milk"]]).value)


@pytest.mark.parametrize("measure", ALL)
def test_order_of_topics_and_documents_and_words_listed_twice(measure):
    lists = [["tea", "milk", "cake"], ["car", "cake"], ["tea", "car"]]
    score = scored(measure, lists, TEXTS)
    turned = scored(measure, lists[::-1], TEXTS[::-1])
    assert turned.value == score.value
    assert turned.per_topic == score.per_topic[::-1]
    twice = scored(measure, [["tea", "milk", "tea", "cake"], *lists[1:]], TEXTS)
    assert twice.per_topic == score.per_topic


def test_nine_holders_as_one():
    counts, topics, _ = plant(n=200)
    words = [f"w{i:02}" for i in range(topics.shape[1])]
    topics = np.vstack([topics, np.zeros(len(words))])  # general NMF may have an empty topic
    subject = Subject(
        np.array(words, dtype=object), topics=topics, estimator=folding("plsa", topics[:-1])
    )
    for measure in (NPMI(), UCI(window="document"), UMass(), CV(window="document")):
        pooled = measure.measure(subject, Alone(Corpus(counts, words)))
        holders = Simulated([Corpus(part, words) for part in split(counts, 9)])
        assert measure.measure(subject, holders) == pooled
        assert pooled.per_topic[-1] is None
    whole = Subject(subject.vocabulary, topics=topics[:-1], estimator=subject.estimator)
    pooled = ExpectedUMass().measure(whole, Alone(Corpus(counts, words)))
    holders = Simulated([Corpus(part, words) for part in [*split(counts, 8), counts[:0]]])
    assert ExpectedUMass().measure(whole, holders).value == pytest.approx(pooled.value, abs=1e-9)


WRONG = {
    "n_words": [1, 2.5, "10", None],
    "window": [1, "10", None],
    "epsilon": [0, 1, 5, -1e-12, math.nan, math.inf, "1e-12", None],
}


@pytest.mark.parametrize("settings", [{name: v} for name, vs in WRONG.items() for v in vs])
def test_settings_that_mean_nothing(settings):
    for measure in (NPMI, UCI, CV):
        with pytest.raises(InputError, match="must be"):
            measure(**settings)


@pytest.mark.parametrize(
    "settings", [{"smoothing": -1}, {"smoothing": "1"}, {"aggregate": "median"}, {"window": ""}]
)
def test_settings_of_umass_that_mean_nothing(settings):
    with pytest.raises(InputError, match="must be"):
        UMass(**settings)
