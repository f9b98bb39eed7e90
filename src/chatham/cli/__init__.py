"""The command line: one file or folder per command, each thin: the library does the work."""

from chatham.cli.app import app, main

__all__ = ["app", "main"]
