"""Documents read for measuring: all their words, so that no model chooses its own reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chatham.corpus import Corpus, Tokenizer, read_corpus
from chatham.corpus.readers.sources import Bag, Table
from chatham.measures.subject import Subject
from chatham.model.intake import as_given, tokenizing


def read_documents(contents: Table | Bag, subjects: Sequence[Subject], **reading: Any) -> Corpus:
    """Texts with all their words, split as the models split theirs, or in the usual way.

    Nothing is pruned: a document without any word of a model is still one of the documents that
    coherence is a share of. Stop words are left out, and take no position in sliding windows,
    except where a model from elsewhere has them among its words. A file of counts keeps its own
    words. What was opened may be read twice, which standard input itself couldn't be.
    """
    if isinstance(contents, Bag):
        return read_corpus(contents, **reading, stop_words=None)
    everything = {**reading, "min_df": 1, "max_df": 1.0}
    agreed = _agreed_tokenizer(subjects)
    if agreed is not None:
        return as_given(read_corpus(contents, **everything, **tokenizing(agreed)), agreed)
    corpus = read_corpus(contents, **everything)
    stop_words = _stop_words_of(corpus) - set(all_words(subjects))
    if stop_words == _stop_words_of(corpus):
        return corpus
    return read_corpus(contents, **everything, stop_words=sorted(stop_words) or None)


def all_words(subjects: Sequence[Subject]) -> list[str]:
    """Every word of any model, those of the first in its own order."""
    return list(dict.fromkeys(str(word) for each in subjects for word in each.vocabulary))


def _agreed_tokenizer(subjects: Sequence[Subject]) -> Any:
    """The vectorizer of the models that can split texts, if they all do it in the same way."""
    vectorizers = [
        s.vectorizer for s in subjects if getattr(s.vectorizer, "tokenizer", None) is not None
    ]
    agreed = vectorizers and all(each.tokenizer == vectorizers[0].tokenizer for each in vectorizers)
    return vectorizers[0] if agreed else None


def _stop_words_of(corpus: Corpus) -> frozenset[str]:
    tokenizer: Tokenizer | None = getattr(corpus.vectorizer, "tokenizer", None)
    return frozenset() if tokenizer is None else tokenizer.stop_words
