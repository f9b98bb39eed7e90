"""Agreeing on a vocabulary: the words that several parties have, and none that only one has."""
