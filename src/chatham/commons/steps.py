"""Named moments of the protocol, so that a test can stop or kill a process at each of them."""

from __future__ import annotations

from collections.abc import Callable

Watcher = Callable[[str], None]
_watchers: list[Watcher] = []


def reached(step: str) -> None:
    """Say that a moment has come; nobody listens unless a test does."""
    for watcher in _watchers:
        watcher(step)


def watch(watcher: Watcher) -> None:
    """From now on, tell this function of every moment in this process."""
    _watchers.append(watcher)
