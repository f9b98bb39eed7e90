"""What stays behind the wall: documents, their words, and the counts that models are fitted on."""

from chatham.corpus.corpus import Corpus
from chatham.corpus.read import read_corpus
from chatham.corpus.sample import sample_corpus
from chatham.corpus.stop_words import stop_word_languages
from chatham.corpus.tokens import Tokenizer
from chatham.corpus.vectorizer import Vectorizer

__all__ = [
    "Corpus",
    "Tokenizer",
    "Vectorizer",
    "read_corpus",
    "sample_corpus",
    "stop_word_languages",
]
