"""The parts of `rectification.py`: corpora, factors, scores, the study, and what is written."""
