"""Word and topic intrusion: can people tell what doesn't belong (section 1.3.7)?

The tasks are those of Chang et al. (2009), "Reading tea leaves". Nothing is drawn from a stream of
random numbers: what a question shows follows from the seed and its content, so that the same model
and seed make the same task again, whatever the order of topics and documents.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from chatham.errors import InputError
from chatham.measures.elsewhere.anything import as_subject
from chatham.measures.intrusion.documents import shelf_of, topic_draft, weighed
from chatham.measures.intrusion.draft import Draft, digest, task_of, turns
from chatham.measures.intrusion.score import IntrusionTask, Key
from chatham.measures.settings import check_share, check_whole
from chatham.measures.subject import Subject
from chatham.naming import plural

INTRUDERS = ("other_topic", "dictionary")


def word_intrusion(
    model: Any, n_words: int = 5, random_state: int = 0, *, intruder: str = "other_topic"
) -> IntrusionTask:
    """A question for each topic: its top words and one that doesn't belong, shuffled.

    The intruder is improbable in the topic (at most as probable there as the median word; in lists
    of words, not in the list) and is drawn evenly from the top words of the other topics, or with
    `intruder="dictionary"` from the whole vocabulary, as in the thesis; a rare word is then easily
    told by its rarity. (The thesis replaces a top word; here the intruder comes on top, as in
    Chang et al.) `model` is a `TopicModel` or anything that `as_subject` takes.

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
    for topic, shown in enumerate(tops):
        if len(shown) < n_words:
            skipped["too_few_words"] += 1
        elif not (strangers := _strangers(subject, tops, topic, intruder)):
            skipped["no_intruder"] += 1
        else:
            drafts.append(_word_draft(topic, shown, strangers, int(random_state)))
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

    Topics are shown by their top `n_words` words. The intruder is drawn evenly from the other
    topics that are at most half as probable in the document as any that is shown, and at most as
    probable as the median topic. `documents` are a `Corpus`, texts, or counts over the model's
    vocabulary. Questions show a document's most frequent words; how its text begins is kept for
    who asks.

    Weights are mixed with a share `smoothing` of the uniform distribution in the log odds, which
    without it would be minus infinity wherever the intruder has no weight at all.

    Left out, and counted in `skipped`: documents without any word of the model, and, among those
    looked at, documents with fewer than `n_topics` topics of their own, of at least a hundredth of
    their weight (of k-means all have one: choose `n_topics=1`), or without an intruder. Documents
    alike are asked about once, and topics without words never. There must be more topics than
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
    shown = [" ".join(words) for words in subject.top_words(n_words)]
    _check_topics(sum(bool(words) for words in shown), n_topics)
    shelf = shelf_of(documents, subject, int(random_state))
    skipped = Counter(without_words=shelf.empty, too_few_topics=0, no_intruder=0)
    drafts: list[Draft] = []
    for place, weights in weighed(shelf, subject):
        if len(drafts) == n_documents:
            break
        draft = topic_draft(shelf, place, weights, shown, n_topics, float(smoothing))
        if isinstance(draft, str):
            skipped[draft] += 1
        else:
            drafts.append(draft)
    return task_of("topic", drafts, subject, skipped, f"{n_topics} topics of each document")


def _word_draft(topic: int, shown: list[str], strangers: list[str], seed: int) -> Draft:
    about = (seed, "word", shown)
    stranger = strangers[digest("intruder", *about) % len(strangers)]
    options = sorted([*shown, stranger], key=turns(*about))
    return Draft(digest(*about), tuple(options), Key(options.index(stranger), topic))


def _strangers(subject: Subject, tops: list[list[str]], topic: int, intruder: str) -> list[str]:
    """The words that may intrude, by spelling; none is a shown word in other letters."""
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
    row = subject.topics[topic]
    return {str(word) for word in subject.vocabulary[row <= np.median(row)]}


def _check_intruder(intruder: str, subject: Subject) -> None:
    if intruder not in INTRUDERS:
        raise InputError(f"intruder must be one of {', '.join(INTRUDERS)}. Got {intruder!r}.")
    if intruder == "other_topic" and subject.n_topics < 2:
        raise InputError(
            "With one topic there is no other to take intruders from; fit more topics, or take "
            "them from the dictionary."
        )


def _check_topics(named: int, n_topics: int) -> None:
    if named <= n_topics:
        raise InputError(
            f"The model has {plural(named, 'topic')} with words, and {n_topics} of them are to be "
            "shown with an intruder, which takes one more; show fewer, or fit more topics."
        )
