"""`chatham topics`: the topics of a saved model, and how they go together."""

from chatham.cli.topics.command import topics

__all__ = ["topics"]
