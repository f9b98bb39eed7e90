"""Windows against counting them one by one; who takes a place in a text; what is refused."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from chatham.commons import Alone, Memory, Recorded, Simulated
from chatham.corpus import Corpus, Tokenizer, Vectorizer
from chatham.errors import HolderError, InputError
from chatham.measures.coherence.pairwise import NPMI
from chatham.measures.coherence.windows import check_window, count_windows, words_of
from chatham.measures.evidence import Evidence
from chatham.measures.measure import UndefinedError
from chatham.measures.subject import Subject
from chatham.measures.texts import TokenTexts


def subject_of(lists, vocabulary=(), **more):
    return Subject(np.array(vocabulary, dtype=object), lists=lists, **more)


def counted(rows, lists, window, n_words=3, **more):
    subject = subject_of(lists, **more)
    sizes, pairs = count_windows(rows, Memory(), subject, *words_of(subject, n_words), window)
    return sizes.tolist(), pairs


def one_by_one(texts, lists, window, n_words):
    """Every window cut out and looked into."""
    windows = []
    for text in texts:
        size = len(text) if window == "document" else window
        windows += [set(text[at : at + size]) for at in range(max(1, len(text) - size + 1)) if text]
    pairs = np.zeros((len(lists), n_words, n_words), dtype=int)
    for topic, words in enumerate(lists):
        for a, first in enumerate(words[:n_words]):
            for b, second in enumerate(words[:n_words]):
                pairs[topic, a, b] = sum(first in w and second in w for w in windows)
    return [len(windows), sum(map(bool, texts))], pairs


def corpus_of(texts, tokenizer, vocabulary):
    vectorizer = Vectorizer(tokenizer, np.array(vocabulary))
    counts = vectorizer.counts(texts)
    return Corpus(counts, vocabulary, texts=texts, vectorizer=vectorizer)


LISTS = [["a", "b", "c"], ["c", "a", "never"], ["d"], []]


@pytest.mark.parametrize("window", [2, 3, 5, 10, 110, "document"])
def test_as_counted_one_by_one(window):
    rng = np.random.default_rng(0)
    lengths = [0, 1, 2, 5, 9, 10, 11, 40, 150, 0]
    texts = [[str(word) for word in rng.choice(list("abcdefghij"), n)] for n in lengths]
    sizes, pairs = counted(TokenTexts(texts), LISTS, window)
    expected_sizes, expected = one_by_one(texts, LISTS, window, 3)
    assert sizes == expected_sizes
    np.testing.assert_array_equal(pairs, expected)


def test_a_word_counts_once_in_a_window_though_it_repeats():
    # Windows of 3: aab, aba. gensim forgets the second a of the first when the window moves.
    sizes, pairs = counted(TokenTexts([list("aaba")]), [["a", "b"]], 3, n_words=2)
    assert sizes == [2, 1]
    assert pairs.tolist() == [[[2, 2], [2, 2]]]


def test_only_words_that_are_kept_take_a_place():
    tokenizer = Tokenizer(stop_words=frozenset({"with", "the"}))
    texts = ["Tea with the 7 sweet milk", "Tea with the 7 milk"]
    corpus = corpus_of(texts, tokenizer, ["milk", "tea"])
    # Kept: tea sweet milk (sweet is outside the vocabulary, and has its place), and tea milk.
    sizes, pairs = counted(corpus, [["tea", "milk"]], 2, n_words=2)
    assert sizes == [3, 2]
    assert pairs.tolist() == [[[2, 1], [1, 2]]]


def test_an_ngram_stands_at_its_last_word():
    corpus = corpus_of(["new york tea bar milk"], Tokenizer(ngrams=(1, 2)), ["new_york", "tea"])
    # Windows of 2 words: new york, york tea, tea bar, bar milk; new_york stands at york's place.
    sizes, pairs = counted(corpus, [["new_york", "new", "tea"]], 2)
    assert sizes == [4, 1]
    assert pairs.tolist() == [[[2, 1, 1], [1, 1, 0], [1, 0, 2]]]


def test_an_ngram_that_repeats_has_rising_places():
    texts = ["tea bar tea bar tea bar tea"]
    corpus = corpus_of(texts, Tokenizer(ngrams=(1, 3)), ["tea"])
    _, pairs = counted(corpus, [["tea", "bar_tea", "tea_bar_tea"]], 2)
    # Places 0 2 4 6; 2 4 6; 2 4 6: windows of 2 words begin at 0 to 5.
    assert pairs[0].tolist() == [[6, 5, 5], [5, 5, 5], [5, 5, 5]]


def test_a_word_that_is_spelled_as_an_ngram():
    corpus = corpus_of(["a b x a_b"], Tokenizer(ngrams=(1, 2), split=str.split), ["a_b"])
    # At places 1 (as two words) and 3 (as one): in all three windows of 2 words.
    _, pairs = counted(corpus, [["a_b"]], 2)
    assert pairs[0, 0, 0] == 3


def test_documents_are_matched_by_spelling():
    counts = np.array([[2, 1, 0], [0, 3, 0], [0, 0, 0], [1, 0, 5]])
    corpus = Corpus(counts, ["milk", "tea", "zebra"])
    sizes, pairs = counted(corpus, [["tea", "milk", "zebra"], ["cake", "tea"]], "document")
    assert sizes == [3, 3]  # the empty document is no window
    assert pairs[0].tolist() == [[2, 1, 0], [1, 2, 1], [0, 1, 1]]
    assert pairs[1].tolist() == [[0, 0, 0], [0, 2, 0], [0, 0, 0]]
    evidence = counted(Evidence(corpus), [["tea", "milk", "zebra"]], "document")
    np.testing.assert_array_equal(evidence[1], pairs[:1])


def test_plain_counts_are_over_the_models_words():
    counts, lists = sp.csr_array(np.array([[1, 1], [0, 2]])), [["tea", "milk"]]
    _, pairs = counted(counts, lists, "document", 2, vocabulary=["tea", "milk"])
    assert pairs.tolist() == [[[1, 1], [1, 2]]]
    with pytest.raises(InputError, match="2 columns of counts and 3 words"):
        counted(counts, lists, "document", 2, vocabulary=["tea", "milk", "car"])


def test_explicit_zeros_are_no_words():
    counts = sp.csr_array((np.array([0, 1]), np.array([0, 1]), np.array([0, 2])), shape=(1, 2))
    _, pairs = counted(Corpus(counts, ["tea", "milk"]), [["tea", "milk"]], "document", 2)
    assert pairs.tolist() == [[[0, 0], [0, 1]]]


def test_sliding_windows_of_counts_alone_are_refused():
    vocabulary = ["tea", "milk"]
    counts = np.array([[1, 1]])
    without_texts = Corpus(counts, vocabulary)
    without_tokenizer = Corpus(counts, vocabulary, texts=["tea milk"])
    for rows in (without_texts, without_tokenizer, counts):
        with pytest.raises(HolderError, match=r"need words in their order.*'document'"):
            NPMI(window=10).measure(subject_of([vocabulary], vocabulary), Alone(rows))


def test_the_models_tokenizer_reads_texts_that_came_without_one():
    corpus = Corpus(np.array([[1, 1]]), ["milk", "tea"], texts=["Tea! Milk?"])
    vectorizer = Vectorizer(Tokenizer(), np.array(["tea"]))
    sizes, pairs = counted(corpus, [["tea", "milk"]], 5, 2, vectorizer=vectorizer)
    assert sizes == [1, 1]
    assert pairs.tolist() == [[[1, 1], [1, 1]]]


def test_texts_are_read_once_for_all_measures():
    memory, subject, seen = Memory(), subject_of([["a", "b"]]), []
    texts = TokenTexts([["a", "b"]])
    for window in (3, 5):
        count_windows(texts, memory, subject, *words_of(subject, 2), window)
        ((_, terms),) = memory._derived.values()
        seen.append(terms)
    assert seen[0] is seen[1]


@pytest.mark.parametrize("window", [4, "document"])
def test_holders_together_have_what_one_would_have(window):
    rng = np.random.default_rng(1)
    texts = [[str(w) for w in rng.choice(list("abcdef"), n)] for n in rng.integers(0, 20, 60)]
    parts = [TokenTexts(texts[start::8]) for start in range(8)] + [TokenTexts([])]
    subject = subject_of(LISTS)
    shared = NPMI(n_words=3, window=window).shared(subject)
    ours = Simulated(parts).sum(NPMI.local_statistics, subject, *shared)
    pooled = Alone(TokenTexts(texts)).sum(NPMI.local_statistics, subject, *shared)
    for part, whole in zip(ours, pooled, strict=True):
        np.testing.assert_array_equal(part, whole)


def test_a_holder_without_documents_needs_no_texts():
    nothing = np.zeros((0, 2))
    for rows in (nothing, sp.csr_array(nothing), Corpus(sp.csr_array(nothing), ["a", "b"])):
        sizes, pairs = counted(rows, [["a", "b"]], 3, n_words=2)
        assert sizes == [0, 0]
        assert pairs.tolist() == [[[0, 0], [0, 0]]]


def test_what_crosses_does_not_grow_with_the_documents():
    shapes = []
    for n in (2, 200):
        commons = Recorded(Alone(TokenTexts([["a", "b"]] * n)))
        NPMI(window=10).measure(subject_of([["a", "b"]] * 3), commons)
        shapes.append([entry.shape for entry in commons.ledger])
    assert shapes[0] == shapes[1] == [(2,), (3, 2, 2)]


def test_no_topics_and_repeated_words():
    sizes, pairs = counted(TokenTexts([["a"]]), [], 5)
    assert sizes == [1, 1]
    assert pairs.shape == (0, 0, 0)
    sizes, pairs = counted(TokenTexts([["a"]]), [[], []], 5)
    assert pairs.shape == (2, 0, 0)
    distinct, words = words_of(subject_of([["b", "a", "b"], ["c"], []]), 3)
    assert distinct == ("a", "b", "c")
    assert words.tolist() == [[1, 0], [2, -1], [-1, -1]]


def test_words_take_the_room_that_they_need():
    """One long word made an array of strings as wide as itself in every cell."""
    lists = [[f"{topic}w{place}" for place in range(10)] for topic in range(50)]
    lists[0][0] = "x" * 2_000_000
    tracemalloc.start()
    try:
        _, words = words_of(subject_of(lists), 20_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert words.shape == (50, 10)
    assert peak < 1_000_000


def test_more_pairs_than_fit_are_refused():
    lists = [[str(number) for number in range(6_000)]]
    with pytest.raises(UndefinedError, match=r"6,000 words have 36,000,000 pairs.*set n_words"):
        NPMI(n_words=6_000).measure(subject_of(lists), Alone(TokenTexts([["1", "2"]])))
    fewer = NPMI(n_words=20_000).measure(subject_of([["1", "2"]]), Alone(TokenTexts([["1", "2"]])))
    assert fewer.value == 1.0


@pytest.mark.parametrize(("wrong", "said"), [(np.nan, "NaN"), (np.inf, "NaN"), (-1.0, "Negative")])
def test_cells_that_are_no_counts_are_refused(wrong, said):
    counts = np.array([[1.0, 1.0], [wrong, 1.0]])
    for rows in (counts, sp.csr_array(counts), sp.coo_array(counts)):
        with pytest.raises(HolderError, match=said):
            NPMI().measure(subject_of([["tea", "milk"]], ["tea", "milk"]), Alone(rows))


@pytest.mark.parametrize("window", [1, 0, -3, 2.5, "10", "documents", None, True, np.array([2, 3])])
def test_windows_that_are_none(window):
    with pytest.raises(InputError, match="window must be 'document' or a whole number"):
        check_window(window)


def test_windows_that_are_some():
    texts = TokenTexts([["a", "b", "c"]])
    sizes = {"document": 1, 2: 2, np.int64(110): 1}
    for window, windows in sizes.items():
        check_window(window)
        assert NPMI(window=window).measure(subject_of([["a", "b"]]), Alone(texts)).notes == {
            "windows": windows, "documents": 1, "missing_words": 0
        }  # fmt: skip


def test_token_texts_are_lists_of_words():
    with pytest.raises(InputError, match="list of its words"):
        TokenTexts(["tea with milk"])
    with pytest.raises(InputError, match="list of its words"):
        TokenTexts("tea")
    with pytest.raises(InputError, match="one of type int"):
        TokenTexts([["tea", 7]])
    assert TokenTexts([np.array(["tea"])]).shape == (1, 0)
