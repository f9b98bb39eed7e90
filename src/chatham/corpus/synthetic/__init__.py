"""Corpora whose answer is known: documents drawn from given topics and compositions."""
