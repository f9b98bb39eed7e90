"""Held-out text: how probable are documents that the model has not seen?"""
