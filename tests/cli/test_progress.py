"""What a waiting party is shown, and what the relay's log leaves out."""

import errno
import logging

import pytest

from chatham.cli.progress import in_words
from chatham.cli.relay.server import _is_logged
from chatham.federation.party.voice import AWAY, JOINING, Progress


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (Progress(1, "any words", ["North"], JOINING), "waiting for North to join"),
        (Progress(1, "any words", [], JOINING), "any words"),
        (Progress(7, "any words", []), "round 7, any words"),
        (Progress(7, "any words", ["A", "B", "C"]), "round 7, any words, waiting for A, B and C"),
        (Progress(7, "any", ["the relay"], AWAY), "round 7, the relay can't be reached just now"),
        (Progress(7, "waiting", ["the relay"]), "round 7, waiting, waiting for the relay"),
    ],
)
def test_progress_goes_by_kind(told, said):
    assert in_words(told) == said


def logged(name, function, error=None):
    found = (type(error), error, None) if error else None
    return logging.LogRecord(name, logging.ERROR, "", 1, "any words", (), found, func=function)


def test_the_log_leaves_out_what_is_no_mistake():
    assert not _is_logged(logged("uvicorn.error", "shutdown"))
    assert _is_logged(logged("uvicorn.error", "run_asgi", OSError(errno.EMFILE, "any words")))
    assert _is_logged(logged("asyncio", "handler", OSError(errno.ENOSPC, "any words")))
    assert _is_logged(logged("asyncio", "handler"))
