"""`chatham merge`: one topic model from the summaries that several parties published."""

from chatham.cli.merge.command import merge

__all__ = ["merge"]
