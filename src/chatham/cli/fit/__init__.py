"""`chatham fit`: from a file to topics."""

from chatham.cli.fit.command import fit

__all__ = ["fit"]
