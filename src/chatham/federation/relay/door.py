"""Who may stay at the relay's door: whoever asks for something, not whoever is silent there.

uvicorn waits for a request as long as it takes, and a process can hold only so many connections.
Without this, anybody who opens more than that and says nothing would keep the parties out.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

PATIENCE = 10.0
"""Seconds within which a request must have begun."""
KEPT_FREE = 64
"""Files that the relay needs besides connections."""


class Door(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """HTTP as uvicorn speaks it; a connection without a request is closed."""

    most = 2**20
    """Connections at a time."""

    def connection_made(self, transport: Any) -> None:
        """Take a connection, if there is room for it."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            transport.abort()
        else:
            self._look_again_after(self.cycle)

    def _look_again_after(self, asked: Any) -> None:
        asyncio.get_running_loop().call_later(PATIENCE, self._look, asked)

    def _look(self, before: Any) -> None:
        """Nobody is cut off in the middle of a request, however long it takes to answer."""
        if self.transport.is_closing():
            return
        is_idle = self.cycle is None or self.cycle.response_complete
        if is_idle and self.cycle is before:
            self.transport.abort()
        else:
            self._look_again_after(self.cycle)


def make_room() -> None:
    """As many files as this process may have, and not more connections than that."""
    try:
        import resource
    except ImportError:  # not on this system, which has no such limit either
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    except (OSError, ValueError):  # then it stays as it was
        pass
    if soft != resource.RLIM_INFINITY:
        Door.most = max(soft - KEPT_FREE, 1)
