"""`chatham audit`: what would taking part give away, document by document."""

from chatham.cli.audit.command import audit

__all__ = ["audit"]
