"""`chatham session`: what will be computed, by whom and how, in a file that all parties share."""

from chatham.cli.session.command import session

__all__ = ["session"]
