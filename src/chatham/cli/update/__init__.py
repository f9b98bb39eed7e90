"""`chatham update`: a model that grows by new documents, without the old ones."""

from chatham.cli.update.command import update

__all__ = ["update"]
