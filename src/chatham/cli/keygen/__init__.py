"""`chatham keygen`: who a party is, in a key of its own."""

from chatham.cli.keygen.command import keygen

__all__ = ["keygen"]
