"""The passage with most of a topic: against a search of all windows, and cut where it may be."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatham.documents.passages import NEARLY, Passage, best_passage
from chatham.documents.tinting import tinted

TOPICS = np.array([[0.7, 0.3, 0.0], [0.0, 0.3, 0.7]])
WORDS = ["tea", "milk", "rain"]


def passage_of(text, topic=0, longest=40):
    return best_passage(tinted(TOPICS, text, WORDS), topic, longest)


def test_a_short_text_is_its_own_passage_with_one_blank_between_words():
    found = passage_of("  Tea\n\n with   milk. ")
    assert found == Passage("Tea with milk.", ((0, 3), (9, 13)))
    assert passage_of(" \n ") == passage_of("") == Passage("", ())


def test_the_sentence_with_most_of_the_topic_is_found():
    text = "It will rain and rain all day long. Tea with milk, more tea? Then some sun at last."
    assert passage_of(text).text == "… Tea with milk, more tea? …"
    assert passage_of(text, 1).text == "It will rain and rain all day long. …"


def test_a_sentence_is_begun_with_if_it_has_nearly_as_many():
    filler = "nothing " * 6
    text = f"{filler}. Nobody had tea, tea, tea, tea, tea tea tea tea tea tea. {filler}"
    assert passage_of(text, longest=60).text.startswith("… Nobody had tea")
    late = f"{filler} and still more {filler} tea tea tea {filler}."
    assert "tea tea tea" in passage_of(late, longest=30).text


def test_marks_are_the_words_of_the_topic():
    found = passage_of("None of this is here at all. Then TEA with  milk in it. Rain.")
    assert [found.text[begin:end] for begin, end in found.marks] == ["TEA", "milk"]


def test_without_a_word_of_the_topic_it_is_the_beginning():
    assert passage_of("Nothing of it is here at all, whoever looks for it in here.").text == (
        "Nothing of it is here at all, whoever …"
    )


words = st.lists(st.sampled_from(["tea", "rain", "milk", "x", "nothing.", "a"]), max_size=60)


@given(words, st.integers(8, 60))
def test_no_window_has_much_more_of_the_topic(listed, longest):
    """Against all windows of whole words, one by one."""
    document = tinted(TOPICS, " ".join(listed), WORDS)
    found = best_passage(document, 0, longest)
    shown = found.text.removeprefix("… ").removesuffix(" …")
    assert shown in document.text
    assert len(shown) <= max(longest, *map(len, listed or [""]))
    runs = [match.span() for match in re.finditer(r"\S+", document.text)]
    best = max(
        (_expected(document, b, e) for b, _ in runs for _, e in runs if 0 < e - b <= longest),
        default=0.0,
    )
    begin = document.text.find(shown)
    places = [m.start() for m in re.finditer(f"(?={re.escape(shown)})", document.text)] or [begin]
    here = max(_expected(document, place, place + len(shown)) for place in places)
    assert here >= NEARLY**2 * best - 1e-9


def _expected(document, begin, end):
    inside = [begin <= span.begin < end for span in document.spans]
    return document.probabilities[np.array(inside, dtype=bool), 0].sum()


@pytest.mark.parametrize("text", ["茶" * 500, "x" * 1000, "tea" + "é" * 700])
def test_text_without_blanks_is_cut_too(text):
    found = passage_of(text, longest=100)
    assert 30 < len(found.text) <= 104
