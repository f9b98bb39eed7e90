"""Agreeing on a vocabulary: the words that several parties have, and none that only one has."""

from chatham.federation.words.agreeing import agree_vocabulary
from chatham.federation.words.table import offered_words, recount, recounted

__all__ = ["agree_vocabulary", "offered_words", "recount", "recounted"]
