"""The moments of the protocol at which a test can watch, stop or kill a process: the one seam.

The code under test knows nothing of moments. Each is just before or just after a call of one of
its functions; `watch` wraps these, so that somebody is told when a moment has come. A function that
gets another name is an error here, and `test_moments` says in which order all moments come.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path

from chatham.federation.party import records
from chatham.federation.party.connection import Connection
from chatham.federation.party.ledger import Ledger
from chatham.federation.party.party import Party
from chatham.federation.party.voice import Voice
from chatham.federation.relay.board import Adding, Board
from chatham.federation.relay.notes import Notes

NOTHING = None


def renaming(source, target):
    """A file that was written under another name gets its own; other libraries rename files too."""
    path = Path(target)
    if path.name == "total":
        return "relay written", "relay renamed"
    is_record = path.suffix in (".total", ".agreed")
    return f"rename {path.suffix}" if is_record else NOTHING, NOTHING


def noting(notes, messages, **more):
    """Headers of a sum are noted all at once, when it is saved: that moment is `Board._save`'s."""
    kind = messages[0].frame.kind
    return NOTHING, NOTHING if kind == "sum" else f"relay {kind}"


SEAM = {
    (Voice, "ask"): lambda voice, frame, *_: (f"say {frame.kind}", f"heard {frame.kind}"),
    (Party, "_add"): lambda *_: ("quantise", NOTHING),
    (Ledger, "_write"): lambda ledger, event, *_, **__: (f"ledger {event}", NOTHING),
    (records, "write_whole"): lambda path, *_: (f"write {path.suffix}", NOTHING),
    (os, "replace"): renaming,
    (Connection, "round"): lambda *_: (NOTHING, "apply"),
    (Notes, "begin"): lambda *_: (NOTHING, "relay hello"),
    (Notes, "add"): noting,
    (Adding, "add"): lambda *_: (NOTHING, "relay sum"),
    (Board, "_save"): lambda *_: (NOTHING, "relay kept"),
}
"""For each function, the moments before and after a call with these arguments."""
ORIGINALS = {(owner, name): getattr(owner, name) for owner, name in SEAM}


def watch(reached, patch=setattr):
    """From now on `reached` is told of every moment in this process, instead of who was before.

    With pytest's `monkeypatch.setattr` for `patch` that ends with the test.
    """
    for (owner, name), function in ORIGINALS.items():
        patch(owner, name, _watched(function, SEAM[owner, name], reached))


def _watched(function, moments_of, reached):
    @functools.wraps(function)
    def watched(*args, **kwargs):
        before, after = moments_of(*args, **kwargs)
        if before:
            reached(before)
        result = function(*args, **kwargs)
        if after:
            reached(after)
        return result

    return watched
