"""`chatham evaluate`: how good a model is, and which of several is better."""

from chatham.cli.evaluate.command import evaluate

__all__ = ["evaluate"]
