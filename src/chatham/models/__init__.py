"""Learners written once against the sum, and what they make: a topic model."""
