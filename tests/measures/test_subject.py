"""A subject's top words are found once, and are those of the plain ordering."""

import gc

import numpy as np
import pytest

from chatham.errors import InputError
from chatham.learners.words import ORDERINGS, best_words, score_words
from chatham.measures import subject as of_subject
from chatham.measures.subject import Subject

WORDS = np.array(["rain", "sun", "tea", "wine", "cake"], dtype=object)
TOPICS = np.array([[0.4, 0.4, 0.1, 0.1, 0.0], [0.0, 0.0, 0.0, 0.25, 0.75], [0.0] * 5])


def test_top_words_of_every_ordering_are_found_once():
    shares = np.array([0.5, 0.3, 0.2])
    subject = Subject(WORDS, TOPICS, prevalence=shares)
    for by in ORDERINGS:
        for lam in (0.0, 0.6):
            for n in (1, 3):
                scores = score_words(TOPICS, shares, by, lam)
                expected = [WORDS[best].tolist() for best in best_words(scores, TOPICS, WORDS, n)]
                assert subject.top_words(n, by, lam) == expected
                assert subject.top_words(np.int64(n), by, lam) == expected
    known = of_subject._TOP_WORDS[subject]
    assert len(known) == 4 * 2 * 2
    known[3, "uplift", 0.6] = [["found before"]]
    assert subject.top_words(3, "uplift") == [["found before"]]
    assert subject.top_words(2) == [["rain", "sun"], ["cake", "wine"], []]
    assert Subject(WORDS, TOPICS[::-1]).top_words(2) == [[], ["cake", "wine"], ["rain", "sun"]]


def test_whoever_changes_the_words_changes_their_own():
    subject = Subject(WORDS, TOPICS)
    subject.top_words(2)[0].append("snow")
    assert subject.top_words(2)[0] == ["rain", "sun"]


def test_words_of_a_subject_that_is_gone_are_forgotten():
    gc.collect()
    before = len(of_subject._TOP_WORDS)
    subject = Subject(WORDS, TOPICS)
    subject.top_words(2)
    assert len(of_subject._TOP_WORDS) == before + 1
    del subject
    gc.collect()
    assert len(of_subject._TOP_WORDS) == before


@pytest.mark.parametrize("wrong", [{"n": 0}, {"n": "3"}, {"n": 2.5}, {"n": 2, "by": ["uplift"]}])
def test_what_is_no_number_of_words_is_refused(wrong):
    with pytest.raises(InputError):
        Subject(WORDS, TOPICS).top_words(**wrong)
