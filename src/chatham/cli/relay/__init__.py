"""`chatham relay`: adds up what it can't read, for the parties of one or more sessions."""

from chatham.cli.relay.command import relay

__all__ = ["relay"]
