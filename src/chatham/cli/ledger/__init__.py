"""`chatham ledger`: what left the building, for a person to read."""

from chatham.cli.ledger.command import ledger

__all__ = ["ledger"]
