"""Measures against a known truth, for planted corpora."""
