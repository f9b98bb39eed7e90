"""`chatham topics`: the topics of a saved model, and how they are related."""

from chatham.cli.topics.command import topics

__all__ = ["topics"]
