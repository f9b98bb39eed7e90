"""What never leaves its holder: documents, their words, and counts that models are fitted to."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chatham.corpus.baskets import read_baskets
    from chatham.corpus.corpus import Corpus
    from chatham.corpus.read import read_corpus
    from chatham.corpus.sample import sample_corpus
    from chatham.corpus.synthetic.compositions import Dirichlet, LogisticNormal, block_covariance
    from chatham.corpus.synthetic.corpora import Synthetic, synthetic_corpus
    from chatham.corpus.synthetic.planting import planted_topics
    from chatham.corpus.text.stop_words import stop_word_languages
    from chatham.corpus.text.tokens import Tokenizer
    from chatham.corpus.text.vectorizer import Vectorizer

# Imported when they are first used: a model has a vectorizer, and looking at its topics
# shouldn't wait for the libraries that reading documents needs.
_HOMES = {
    "Corpus": "corpus",
    "Dirichlet": "synthetic.compositions",
    "LogisticNormal": "synthetic.compositions",
    "Synthetic": "synthetic.corpora",
    "Tokenizer": "text.tokens",
    "Vectorizer": "text.vectorizer",
    "block_covariance": "synthetic.compositions",
    "planted_topics": "synthetic.planting",
    "read_baskets": "baskets",
    "read_corpus": "read",
    "sample_corpus": "sample",
    "stop_word_languages": "text.stop_words",
    "synthetic_corpus": "synthetic.corpora",
}

__all__ = [
    "Corpus",
    "Dirichlet",
    "LogisticNormal",
    "Synthetic",
    "Tokenizer",
    "Vectorizer",
    "block_covariance",
    "planted_topics",
    "read_baskets",
    "read_corpus",
    "sample_corpus",
    "stop_word_languages",
    "synthetic_corpus",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'chatham.corpus' has no attribute {name!r}")
    value = getattr(import_module(f"chatham.corpus.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
