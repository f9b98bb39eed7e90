"""`chatham join`: take part in a session with my own documents."""

from chatham.cli.join.command import join

__all__ = ["join"]
