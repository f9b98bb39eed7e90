"""`chatham gossip`: reach one model with neighbours, and nobody in the middle."""

from chatham.cli.gossip.command import gossip

__all__ = ["gossip"]
