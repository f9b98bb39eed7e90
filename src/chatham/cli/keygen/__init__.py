"""`chatham keygen`: the key that identifies a party."""

from chatham.cli.keygen.command import keygen

__all__ = ["keygen"]
