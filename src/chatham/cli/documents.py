"""Documents for a model that is there already: its words are counted in them as in its training."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chatham.corpus import Corpus
    from chatham.ensembles.summary import Summary
    from chatham.model.topic_model import TopicModel


def read_for_model(
    file: Path, model: TopicModel | Summary, reading: dict[str, Any], progress: Any
) -> Corpus:
    """Counts keep their own words; in texts the model's words are counted, as in its training."""
    from chatham.corpus import read_baskets, read_corpus
    from chatham.corpus.readers.bags import holds_counts
    from chatham.model.intake import tokenizing

    if "basket" in reading:
        return read_baskets(file, **reading, vocabulary=list(model.vocabulary))
    reading = {**reading, "stop_words": None, "keep_texts": False, "progress": progress}
    if not holds_counts(file):
        reading |= {"vocabulary": list(model.vocabulary), **tokenizing(model.vectorizer)}
    return read_corpus(file, **reading)
