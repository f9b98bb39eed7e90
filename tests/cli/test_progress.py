"""What a waiting party is shown, and what the relay's log leaves out."""

import errno
import logging
import warnings

import pytest

from chatham.cli.progress import in_words, progress
from chatham.cli.relay.server import _is_logged
from chatham.federation.party.voice import AWAY, JOINING, Progress
from chatham.notes import ChathamWarning, FewDocumentsWarning


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


def test_few_documents_are_told_while_one_can_stop(capsys):
    with progress(False) as reporter:
        warnings.warn("Something else.", ChathamWarning, stacklevel=1)
        warnings.warn("Somebody has few.", FewDocumentsWarning, stacklevel=1)
        assert capsys.readouterr().err == "Note: Somebody has few.\n"
    assert capsys.readouterr().err == "Note: Something else.\n"
    assert reporter.warnings == ("Something else.", "Somebody has few.")


def test_quiet_tells_it_to_machines_alone(capsys):
    with progress(True) as reporter:
        warnings.warn("Somebody has few.", FewDocumentsWarning, stacklevel=1)
    assert capsys.readouterr().err == ""
    assert reporter.warnings == ("Somebody has few.",)


def logged(name, function, error=None):
    found = (type(error), error, None) if error else None
    return logging.LogRecord(name, logging.ERROR, "", 1, "any words", (), found, func=function)


def test_the_log_leaves_out_what_is_no_mistake():
    assert not _is_logged(logged("uvicorn.error", "shutdown"))
    assert not _is_logged(logged("asyncio", "handler", OSError(errno.EMFILE, "any words")))
    assert _is_logged(logged("uvicorn.error", "run_asgi", OSError(errno.EMFILE, "any words")))
    assert _is_logged(logged("asyncio", "handler", OSError(errno.ENOSPC, "any words")))
    assert _is_logged(logged("asyncio", "handler"))
