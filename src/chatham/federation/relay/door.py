"""Which connections the relay keeps open: those that send requests, not idle ones.

uvicorn waits for a request as long as it takes, and a process can have only so many connections.
Without this, anybody who opens that many and sends nothing would keep the parties out.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

PATIENCE = 10.0
"""Seconds within which a request must have begun."""
KEPT_FREE = 64
"""How many files the relay needs besides connections."""


class Door(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """uvicorn's HTTP protocol; a connection without a request is closed."""

    most = 2**20
    """The most connections at a time."""

    def connection_made(self, transport: Any) -> None:
        """Accept a connection, if there is room for it."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            transport.abort()
        else:
            self._check_later(self.cycle)

    def _check_later(self, request: Any) -> None:
        asyncio.get_running_loop().call_later(PATIENCE, self._check, request)

    def _check(self, before: Any) -> None:
        """Nobody is cut off in the middle of a request, however long its answer takes."""
        if self.transport.is_closing():
            return
        is_idle = self.cycle is None or self.cycle.response_complete
        if is_idle and self.cycle is before:
            self.transport.abort()
        else:
            self._check_later(self.cycle)


def make_room() -> None:
    """Allow as many open files as the system permits, and no more connections than that."""
    try:
        import resource
    except ImportError:  # this system has neither the module nor such a limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    except (OSError, ValueError):  # the limit stays as it was
        pass
    if soft != resource.RLIM_INFINITY:
        Door.most = max(soft - KEPT_FREE, 1)
