"""`chatham explore`: look at topics and at the documents behind them, in the browser."""

from chatham.cli.explore.command import explore

__all__ = ["explore"]
