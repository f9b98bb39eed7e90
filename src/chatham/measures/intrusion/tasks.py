"""Word and topic intrusion: can people tell what doesn't belong (section 1.3.7)?

The tasks are those of Chang et al. (2009), "Reading tea leaves". Nothing is drawn from a stream of
random numbers: a hash of the seed and the content decides what a question shows, so that the same
model and seed make the same task again, whatever the order of topics and documents.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.measures.elsewhere.anything import as_subject
from chatham.measures.evidence import corpus_in, plain_counts
from chatham.measures.intrusion.score import IntrusionTask, Key, Question, left_out
from chatham.measures.settings import check_share, check_whole
from chatham.measures.subject import Subject, smoothed
from chatham.model.intake import is_texts
from chatham.naming import plural
from chatham.numerics.keyed import row_keys
from chatham.wording import say

INTRUDERS = ("other_topic", "dictionary")
Array = NDArray[np.float64]

LEAST_WEIGHT = 0.01
"""Of a topic that a document has: far less may be a learner's rounding."""
DOCUMENT_WORDS = 10
SNIPPET = 300
"""Characters of a text."""
BLOCK = 256
"""Documents whose weights are found at a time, until there are enough questions."""


def word_intrusion(
    model: Any, n_words: int = 5, random_state: int = 0, *, intruder: str = "other_topic"
) -> IntrusionTask:
    """A question for each topic: its top words and one that doesn't belong, shuffled.

    The intruder is improbable in the topic (at most as probable there as the median word; in lists
    of words, not in the list) and is drawn uniformly from the top words of the other topics, or
    with `intruder="dictionary"` from the whole vocabulary, as in the thesis; a rare word is then
    easily recognised by its rarity. (The thesis replaces a top word; here the intruder is added, as
    in Chang et al.) `model` is a `TopicModel` or anything that `as_subject` takes.

    A topic with fewer than `n_words` words, or without any such intruder, is left out, and
    `skipped` counts it. With one topic there is no other: choose the dictionary.

    >>> topics = [["cat", "purr", "kitten"], ["dog", "bark", "puppy"]]
    >>> task = word_intrusion(topics, n_words=3)
    >>> sorted(task.questions[0].options), task.chance
    (['bark', 'dog', 'kitten', 'puppy'], 0.25)
    >>> task.score({task.questions[0].id: "kitten"}).precision
    1.0
    """
    subject = as_subject(model)
    check_whole("random_state", random_state, 0)
    check_whole("n_words", n_words, 2)
    _check_intruder(intruder, subject)
    tops = [list(dict.fromkeys(words)) for words in subject.top_words(n_words)]
    skipped: Counter[str] = Counter(too_few_words=0, no_intruder=0)
    drafts = []
    for topic, top_words in enumerate(tops):
        if len(top_words) < n_words:
            skipped["too_few_words"] += 1
        elif not (strangers := _strangers(subject, tops, topic, intruder)):
            skipped["no_intruder"] += 1
        else:
            drafts.append(_word_draft(topic, top_words, strangers, int(random_state)))
    return task_of("word", drafts, subject, skipped, f"{n_words} words of each topic")


def topic_intrusion(
    model: Any,
    documents: Any,
    n_documents: int = 20,
    n_topics: int = 3,
    random_state: int = 0,
    *,
    n_words: int = 8,
    smoothing: float = 0.01,
) -> IntrusionTask:
    """A question for each of some documents: its likeliest topics and one that is not its own.

    Topics are shown by their top `n_words` words. The intruder is drawn uniformly from the other
    topics that are at most half as probable in the document as any that is shown, and at most as
    probable as the median topic. `documents` are a `Corpus`, texts, or counts over the model's
    vocabulary. Questions show a document's most frequent words; the beginning of its text is
    kept for those who want it.

    Weights are mixed with a share `smoothing` of the uniform distribution in the log odds, which
    without it would be minus infinity wherever the intruder has no weight at all.

    Left out, and counted in `skipped`: documents without any word of the model, and, among those
    looked at, documents with fewer than `n_topics` topics of their own, of at least a hundredth of
    their weight (with k-means all have one: choose `n_topics=1`), or without an intruder. Identical
    documents are asked about once, and topics without words never. There must be more topics than
    `n_topics`.

    >>> import chatham as ch
    >>> corpus = ch.sample_corpus()
    >>> model = ch.fit("nmf", corpus, n_components=10, random_state=0)
    >>> task = topic_intrusion(model, corpus, n_documents=2)
    >>> [len(question.options) for question in task.questions]
    [4, 4]
    """
    subject = as_subject(model)
    check_whole("random_state", random_state, 0)
    for name, value in (("n_documents", n_documents), ("n_topics", n_topics), ("n_words", n_words)):
        check_whole(name, value, 1)
    check_share("smoothing", smoothing, above_zero=True, below_one=True)
    top_words = [" ".join(words) for words in subject.top_words(n_words)]
    _check_topics(sum(bool(words) for words in top_words), n_topics)
    shelf = shelf_of(documents, subject, int(random_state))
    skipped = Counter(without_words=shelf.empty, too_few_topics=0, no_intruder=0)
    drafts: list[Draft] = []
    for row, weights in with_weights(shelf, subject):
        if len(drafts) == n_documents:
            break
        draft = topic_draft(shelf, row, weights, top_words, n_topics, float(smoothing))
        if isinstance(draft, str):
            skipped[draft] += 1
        else:
            drafts.append(draft)
    return task_of("topic", drafts, subject, skipped, f"{n_topics} topics of each document")


def _word_draft(topic: int, top_words: list[str], strangers: list[str], seed: int) -> Draft:
    about = (seed, "word", top_words)
    stranger = strangers[digest("intruder", *about) % len(strangers)]
    options = sorted([*top_words, stranger], key=turns(*about))
    return Draft(digest(*about), tuple(options), Key(options.index(stranger), topic))


def _strangers(subject: Subject, tops: list[list[str]], topic: int, intruder: str) -> list[str]:
    """The words that may intrude, by spelling; none is a shown word in another case."""
    own = {word.casefold() for word in tops[topic]}
    pool = (
        {word for words in tops for word in words}
        if intruder == "other_topic"
        else {str(word) for word in subject.vocabulary}
    )
    improbable = pool & _improbable(subject, topic)
    return sorted(word for word in improbable if word.casefold() not in own)


def _improbable(subject: Subject, topic: int) -> set[str]:
    if subject.topics is None:
        return {str(word) for word in subject.vocabulary} - set((subject.lists or ())[topic])
    row = subject.ordering[topic]
    return {str(word) for word in subject.vocabulary[row <= np.median(row)]}


def _check_intruder(intruder: str, subject: Subject) -> None:
    if intruder not in INTRUDERS:
        raise InputError(
            say(
                "{intruder} must be one of {listed}. Got {it!r}.",
                listed=", ".join(INTRUDERS),
                it=intruder,
            )
        )
    if intruder == "other_topic" and subject.n_topics < 2:
        raise InputError(
            "With one topic there is no other to take intruders from; fit more topics, or take "
            "them from the dictionary."
        )


def _check_topics(n_with_words: int, n_topics: int) -> None:
    if n_with_words <= n_topics:
        raise InputError(
            f"The model has {plural(n_with_words, 'topic')} with words, and {n_topics} of them are "
            "to be shown with an intruder, which takes one more; show fewer, or fit more topics."
        )


@dataclass(frozen=True, eq=False)
class Shelf:
    """Documents with words, each once, in the order in which they are looked at."""

    counts: sp.csr_array
    keys: NDArray[np.uint64]
    texts: list[str] | None
    vocabulary: NDArray[np.object_]
    empty: int


def shelf_of(documents: Any, subject: Subject, seed: int) -> Shelf:
    """Documents of any form; a random order that follows from the seed and their content."""
    counts, _ = plain_counts(documents, subject)
    filled = np.flatnonzero(np.diff(counts.indptr))
    keys = row_keys(counts.indptr, counts.indices, counts.data, seed)[filled]
    keys, first = np.unique(keys, return_index=True)
    texts, rows = _texts(documents), filled[first]
    return Shelf(
        sp.csr_array(counts[rows]), keys, None if texts is None else [texts[row] for row in rows],
        subject.vocabulary, counts.shape[0] - len(filled),
    )  # fmt: skip


def _texts(documents: Any) -> list[str] | None:
    corpus = corpus_in(documents)
    if corpus is not None:
        return corpus.texts
    return [str(text) for text in documents] if is_texts(documents) else None


def with_weights(shelf: Shelf, subject: Subject) -> Iterator[tuple[int, Array]]:
    """Documents with their weights, of which no more are found than are needed."""
    for start in range(0, len(shelf.keys), BLOCK):
        weights = subject.weights(shelf.counts[start : start + BLOCK])
        yield from enumerate(weights, start=start)


def topic_draft(
    shelf: Shelf, row: int, weights: Array, words: list[str], n_topics: int, smoothing: float
) -> Draft | str:
    """A question about a document, or why there is none."""
    with_words = [topic for topic, shown in enumerate(words) if shown]
    # Rounded, as equal weights may differ in their last digits.
    ranked = sorted(with_words, key=lambda topic: (-round(float(weights[topic]), 9), words[topic]))
    own, most = ranked[:n_topics], float(np.median(weights[with_words]))
    least = float(weights[own[-1]])
    if least < LEAST_WEIGHT:
        return "too_few_topics"
    shown_words = {words[topic] for topic in own}
    strangers = [
        topic for topic in ranked[n_topics:]
        if weights[topic] <= min(least / 2, most) and words[topic] not in shown_words
    ]  # fmt: skip
    if not strangers:
        return "no_intruder"
    key = int(shelf.keys[row])
    strangers.sort(key=words.__getitem__)
    stranger = strangers[digest("intruder", key) % len(strangers)]
    order = turns(key)
    options = sorted([*own, stranger], key=lambda topic: order(words[topic]))
    logs = np.log(smoothed(weights[None, :], smoothing)[0])
    odds = tuple(float(logs[stranger] - logs[topic]) for topic in options)
    answer = Key(options.index(stranger), stranger, odds)
    shown = tuple(words[topic] for topic in options)
    return Draft(key, shown, answer, _frequent(shelf, row), _snippet(shelf, row))


def _frequent(shelf: Shelf, row: int) -> str:
    """The document's most frequent words, ties by spelling."""
    cells = slice(*shelf.counts.indptr[row : row + 2])
    words = shelf.vocabulary[shelf.counts.indices[cells]]
    ranked = sorted(zip(-shelf.counts.data[cells], map(str, words), strict=True))
    return " ".join(word for _, word in ranked[:DOCUMENT_WORDS])


def _snippet(shelf: Shelf, row: int) -> str | None:
    if shelf.texts is None:
        return None
    text = " ".join(shelf.texts[row].split())
    return text if len(text) <= SNIPPET else f"{text[:SNIPPET].rsplit(' ', 1)[0]} …"


@dataclass(frozen=True)
class Draft:
    """A question without its number, and its key; questions are asked in the order of `turn`."""

    turn: int
    options: tuple[str, ...]
    key: Key
    document: str = ""
    snippet: str | None = None


def task_of(
    kind: str, drafts: list[Draft], subject: Subject, skipped: Counter[str], setting: str
) -> IntrusionTask:
    """Put questions in their order and number them; `setting` says what each shows."""
    if not drafts:
        why = "; ".join(f"left out were {reason}" for reason in left_out(skipped))
        raise InputError(
            f"No question of {kind} intrusion that shows {setting} can be made: "
            f"{why or 'there are no documents'}; try a smaller number, or another model."
        )
    drafts = sorted(drafts, key=lambda draft: draft.turn)
    questions = tuple(
        Question(_id(kind, number, draft), draft.options, draft.document, draft.snippet)
        for number, draft in enumerate(drafts, start=1)
    )
    numbers = subject.numbers
    key = tuple(replace(draft.key, topic=numbers[draft.key.topic]) for draft in drafts)
    return IntrusionTask(kind, questions, key, tuple(numbers), dict(skipped))


def _id(kind: str, number: int, draft: Draft) -> str:
    """A number, and a mark of what is shown, by which answers to another task are noticed."""
    mark = digest(kind, draft.document, draft.options) & 0xFFFFFF
    return f"{kind[0]}{number}-{mark:06x}"


def turns(*about: Any) -> Callable[[str], int]:
    """A random order of strings that follows from `about`."""
    return lambda item: digest("turn", *about, item)


def digest(*about: Any) -> int:
    """A number of 64 bits that follows from `about`; text and numbers only."""
    written = json.dumps(about).encode("ascii")
    return int.from_bytes(hashlib.blake2b(written, digest_size=8).digest(), "big")
