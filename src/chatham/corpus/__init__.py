"""What stays behind the wall: documents, their words, and the counts that models are fitted on."""

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
