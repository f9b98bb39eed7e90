"""For each topic, in how many windows both of two of its words stand.

Windows that hold a word are a union of intervals of where windows begin; windows that hold both of
two words are those with one plus those with the other less those with either. So a text costs what
its top words cost, not its windows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from chatham.measures.texts import Whole

Words = NDArray[np.int64]
"""The topics' words (k×N) as places in a list of different words; −1 where a topic has no more."""


@dataclass(frozen=True, eq=False)
class Sightings:
    """Where each of some words stands: by text, then by word, then by place."""

    texts: Whole
    words: Whole
    places: Whole
    windows: Whole
    """How many windows each text has."""
    span: int


def count_pairs(found: Sightings, words: Words) -> Whole:
    """Windows with both of each two words of a topic (k×N×N), with one word on the diagonal."""
    new = (np.diff(found.texts) != 0) | (np.diff(found.words) != 0)
    starts = np.flatnonzero(np.concatenate([[len(found.texts) > 0], new]))
    ends = np.append(starts, len(found.texts)).astype(np.int64)
    texts, numbers = found.texts[ends[:-1]], found.words[ends[:-1]]
    member_ends, topics, slots = _membership(words, int(numbers.max(initial=-1)) + 1)
    return np.asarray(
        _count(
            texts, numbers, ends, found.places, found.windows, found.span,
            member_ends, topics, slots, np.zeros((*words.shape, words.shape[1]), np.int64),
        )
    )  # fmt: skip


def _membership(words: Words, n: int) -> tuple[Whole, Whole, Whole]:
    """Of each word, at least of the first `n`, in which topics it is and where there."""
    topics, slots = np.nonzero(words >= 0)
    of_word = words[topics, slots]
    order = np.argsort(of_word, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(of_word, minlength=n))])
    return ends.astype(np.int64), topics[order].astype(np.int64), slots[order].astype(np.int64)


@njit(cache=True, nogil=True)
def _covered(
    places: Whole, a: int, a_end: int, b: int, b_end: int, windows: int, span: int
) -> int:  # fmt: skip
    """Windows with any of the places a to a_end or b to b_end, each of which rise."""
    covered, reached = 0, -1
    while a < a_end or b < b_end:
        if b >= b_end or (a < a_end and places[a] <= places[b]):
            place, a = places[a], a + 1
        else:
            place, b = places[b], b + 1
        first = max(place - span + 1, reached + 1)
        last = min(place, windows - 1)
        if last >= first:
            covered += last - first + 1
            reached = last
    return covered


@njit(cache=True, nogil=True)
def _count_topic(
    pairs: Whole, run_at: Whole, alone: Whole, ends: Whole, places: Whole, windows: int, span: int
) -> None:
    """Add one text's windows to one topic's pairs, and clear the topic's runs."""
    for slot in range(len(run_at)):
        one = run_at[slot]
        if one < 0:
            continue
        pairs[slot, slot] += alone[one]
        for other_slot in range(slot):
            other = run_at[other_slot]
            if other >= 0:
                either = _covered(
                    places, ends[one], ends[one + 1], ends[other], ends[other + 1], windows, span
                )
                both = alone[one] + alone[other] - either
                pairs[slot, other_slot] += both
                pairs[other_slot, slot] += both
    run_at[:] = -1


@njit(cache=True, nogil=True)
def _count(
    run_texts: Whole, run_words: Whole, ends: Whole, places: Whole, windows: Whole, span: int,
    member_ends: Whole, topics: Whole, slots: Whole, pairs: Whole,
) -> Whole:  # fmt: skip
    """Windows with both of each two words of a topic; a run is one word's places in one text."""
    run_at = np.full(pairs.shape[:2], -1, np.int64)
    alone = np.zeros(len(run_texts), np.int64)
    touched = np.empty(len(pairs), np.int64)
    waiting = np.zeros(len(pairs), np.bool_)
    n_touched = 0
    for run in range(len(run_texts)):
        text, word = run_texts[run], run_words[run]
        alone[run] = _covered(places, ends[run], ends[run + 1], 0, 0, windows[text], span)
        for member in range(member_ends[word], member_ends[word + 1]):
            topic = topics[member]
            run_at[topic, slots[member]] = run
            if not waiting[topic]:
                waiting[topic] = True
                touched[n_touched] = topic
                n_touched += 1
        if run + 1 == len(run_texts) or run_texts[run + 1] != text:
            for topic in touched[:n_touched]:
                _count_topic(
                    pairs[topic], run_at[topic], alone, ends, places, windows[text], span
                )  # fmt: skip
                waiting[topic] = False
            n_touched = 0
    return pairs
