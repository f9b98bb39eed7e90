"""Refinement from the spectral start: corpora, fits, other updates, scores, tables and figure."""
