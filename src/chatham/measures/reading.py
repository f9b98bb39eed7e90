"""Documents read for measuring: as the models that are measured read theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from chatham.corpus import Corpus, read_corpus
from chatham.corpus.bags import holds_counts
from chatham.measures.subject import Subject
from chatham.models.intake import tokenizing


def read_documents(source: Any, subjects: Sequence[Subject], **reading: Any) -> Corpus:
    """Counts keep their own words; in texts the words of all models are counted.

    Where a model is lists of words, every word is counted: a document without any of the few
    listed ones is still one of the documents that coherence is a share of.
    """
    options = {**reading, "stop_words": None}
    if not (isinstance(source, str | Path) and holds_counts(Path(source))):
        whole = all(subject.topics is not None for subject in subjects)
        counted = {"vocabulary": all_words(subjects)} if whole else {"min_df": 1, "max_df": 1.0}
        options |= {**counted, **_common_tokenizing(subjects)}
    return _with_stop_words(read_corpus(source, **options), subjects)


def all_words(subjects: Sequence[Subject]) -> list[str]:
    """Every word of any model, those of the first in its own order."""
    return list(dict.fromkeys(str(word) for each in subjects for word in each.vocabulary))


def _common_tokenizing(subjects: Sequence[Subject]) -> dict[str, Any]:
    """How the models that know it split texts, where they agree."""
    found = [tokenizing(each.vectorizer) for each in subjects if each.vectorizer is not None]
    agreed = bool(found) and all(each == found[0] for each in found)
    return found[0] if agreed else {"stop_words": None}


def _with_stop_words(corpus: Corpus, subjects: Sequence[Subject]) -> Corpus:
    """The corpus with the models' own tokenizer, where they agree.

    Counting given words needs no stop words, so reading forgets them; but in sliding windows they
    would take places that they didn't have when the models were fitted.
    """
    found = [each.vectorizer.tokenizer for each in subjects if each.vectorizer is not None]
    agreed = bool(found) and all(each == found[0] for each in found)
    if not agreed or found[0] is None or corpus.vectorizer is None:
        return corpus
    return replace(corpus, vectorizer=replace(corpus.vectorizer, tokenizer=found[0]))
