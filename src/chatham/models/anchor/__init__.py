"""Rectified anchor words, a step of the algorithm a file."""
