"""`chatham demo`: three parties, one model, nothing pooled."""

from chatham.cli.demo.command import demo

__all__ = ["demo"]
