"""Coherence of a model's topics against gensim's CoherenceModel, from the same token lists."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.contest import Contender, Result, contest, installed, stopwatch
from chatham.commons import Alone
from chatham.corpus import Corpus
from chatham.learners.plsa import PLSA
from chatham.learners.words import best_words
from chatham.measures.coherence.context import CV
from chatham.measures.coherence.pairwise import NPMI, UCI
from chatham.measures.subject import Subject
from chatham.measures.texts import TokenTexts

ITERATIONS = 10
"""Enough for topics whose words belong together more or less; their quality isn't the matter."""

Tokens = list[list[str]]


def coherence_results(name: str, counts: Any, k: int, threads: int, tries: int) -> list[Result]:
    """NPMI in windows of 10 words, and C_V; nothing for a corpus without texts."""
    corpus: Corpus | None = getattr(counts, "corpus", None)
    if corpus is None or corpus.texts is None:
        return []
    tokens, topics = _tokens(corpus), _topics(counts, corpus, k, threads)
    results = []
    for measure, theirs in ((NPMI(window=10), "c_npmi"), (CV(), "c_v")):
        _ours(measure, topics[:1], topics[:1])  # compile
        contenders = [Contender(f"chatham {measure.name}", partial(_ours, measure, tokens, topics))]
        if installed("gensim"):
            run = partial(_gensim, theirs, int(measure.window), tokens, topics, threads)
            contenders.insert(0, Contender(f"gensim {theirs}", run, is_peer=True))
        results += contest("Coherence", name, k, threads, contenders, tries)
    return results


def _tokens(corpus: Corpus) -> Tokens:
    """The words of each text in their order; a text without words would be a window for gensim."""
    tokenizer = None if corpus.vectorizer is None else corpus.vectorizer.tokenizer
    assert tokenizer is not None, "a corpus that was read from texts has a tokenizer"
    return [tokens for tokens in map(tokenizer, corpus.texts or []) if tokens]


def _topics(counts: Any, corpus: Corpus, k: int, threads: int) -> Tokens:
    model = PLSA(k, max_iter=ITERATIONS, random_state=0, n_jobs=threads).fit(counts)
    places = best_words(model.components_, model.components_, list(corpus.vocabulary), 10)
    return [[str(word) for word in corpus.vocabulary[best]] for best in places]


def _ours(measure: UCI, tokens: Tokens, topics: Tokens) -> tuple[float, float]:
    with stopwatch() as seconds:
        subject = Subject(np.array([], dtype=object), lists=topics)
        score = measure.measure(subject, Alone(TokenTexts(tokens)))
    return seconds[0], score.value


def _gensim(
    kind: str, window: int, tokens: Tokens, topics: Tokens, threads: int
) -> tuple[float, float]:
    from gensim.corpora import Dictionary
    from gensim.models import CoherenceModel

    dictionary = Dictionary(tokens)
    with stopwatch() as seconds:
        model = CoherenceModel(
            topics=topics, texts=tokens, dictionary=dictionary, coherence=kind, window_size=window,
            processes=threads,
        )  # fmt: skip
        value = float(model.get_coherence())
    return seconds[0], value
