"""The command line: a file or a folder a command, each thin, since the library does the work."""

from chatham.cli.app import app, main

__all__ = ["app", "main"]
