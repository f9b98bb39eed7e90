"""Learners, each written once against the sum: every one reads like its algorithm."""
