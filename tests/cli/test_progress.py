"""What a waiting party is shown, and what the relay's log leaves out."""

import errno
import logging
import warnings

import pytest

from chatham.cli.progress import Lines, in_words, progress
from chatham.cli.relay.server import _is_logged
from chatham.federation.party.voice import AWAY, JOINING, MISTAKEN, Progress
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
        (Progress(7, "A sentence.", ["A", "B"], MISTAKEN), "waiting for A and B: A sentence."),
        (Progress(7, "A sentence.", [], MISTAKEN), "waiting for somebody: A sentence."),
    ],
)
def test_progress_goes_by_kind(told, said):
    assert in_words(told) == said


def test_a_log_has_a_mistake_at_once_and_not_again_and_again(capsys):
    lines = Lines()
    lines.stage("any words")
    for _ in range(3):
        lines.waiting(Progress(7, "adding up", ["A"]))
        lines.waiting(Progress(7, "A sentence.", ["A"], MISTAKEN))
    lines.waiting(Progress(7, "Another.", ["A"], MISTAKEN))
    said = [line for line in capsys.readouterr().err.splitlines() if line.endswith(".")]
    assert said == [
        f"any words; waiting for A: {sentence}" for sentence in ("A sentence.", "Another.")
    ]


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
    assert _is_logged(logged("uvicorn.error", "run_asgi", OSError(errno.EMFILE, "any words")))
    assert _is_logged(logged("asyncio", "handler", OSError(errno.ENOSPC, "any words")))
    assert _is_logged(logged("asyncio", "handler"))
