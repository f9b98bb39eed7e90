"""`chatham report`: the explorer's page as one file."""

from chatham.cli.report.command import report

__all__ = ["report"]
