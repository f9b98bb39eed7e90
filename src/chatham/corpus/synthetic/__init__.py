"""Synthetic corpora with known topics: documents drawn from given topics and compositions."""
