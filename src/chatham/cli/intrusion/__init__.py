"""`chatham intrusion`: whether people see what the topics of a model are about."""

from chatham.cli.intrusion.command import intrusion

__all__ = ["intrusion"]
