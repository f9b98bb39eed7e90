"""`chatham documents`: the documents that show a topic best, each with its most telling passage."""

from chatham.cli.documents.command import documents

__all__ = ["documents"]
