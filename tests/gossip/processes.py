"""Agents in processes of their own, which may be slow, and are killed at moments with names.

The code under test knows nothing of moments: each is just before or just after a call of one of
its functions, as in `tests/federation/moments.py`.
"""

import functools
import os
import signal
import time

import pytest

from chatham.federation.party.ledger import Ledger
from chatham.gossip import taking_part
from chatham.gossip.links import Links
from chatham.gossip.state_file import StateFile
from chatham.gossip.taking_part import gossip_together
from tests.cli.federation import PROCESSES


def kept(file, state):
    """Which of the protocol's writes this is."""
    before = vars(file).get("before")
    file.before = state
    if before is None or state.finished:
        return "start" if before is None else "finish"
    if state.updates > before.updates:
        return "update"
    if state.exchanges > before.exchanges:
        return "average" if before.promise is None else "averaged"
    if (state.promise is None) != (before.promise is None):
        return "never" if state.promise is None else "promise"
    return "goodbye" if state.left != before.left else "other"


SEAM = {
    (StateFile, "keep"): lambda file, state: f"keep {kept(file, state)}",
    (Ledger, "_write"): lambda ledger, event, *_, **__: f"ledger {event}",
    (Links, "send"): lambda links, peer, message: f"send {message.kind}",
}


def watch(reached):
    """From now on `reached` is told of every moment in this process."""
    for (owner, name), moment_of in SEAM.items():
        setattr(owner, name, watched(getattr(owner, name), moment_of, reached))


def watched(function, moment_of, reached):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        moment = moment_of(*args, **kwargs)
        reached(f"before {moment}")
        result = function(*args, **kwargs)
        reached(f"after {moment}")
        return result

    return wrapped


def run(network, name, killed_at, slow, still):
    """What such a process does. `killed_at` is a moment and which of its times; `slow` is how many
    seconds an update takes besides; `still`: an update changes nothing."""
    counted = {}

    def reached(moment):
        counted[moment] = counted.get(moment, 0) + 1
        if killed_at == (moment, counted[moment]):
            os.kill(os.getpid(), signal.SIGKILL)

    watch(reached)
    update = taking_part._Agent._updated

    def updated(agent):
        time.sleep(slow)
        return agent.exchanges.state.statistics if still else update(agent)

    taking_part._Agent._updated = updated
    model = gossip_together(network.member(name), network.corpus(name), n_jobs=1)
    model.save(network.folder / f"model-{name}")


def start(network, name, *, killed_at=None, slow=0.0, still=False):
    process = PROCESSES.Process(
        target=run, args=(network, name, killed_at, slow, still), daemon=True
    )
    process.start()
    return process


def ended(process, code=0):
    process.join(timeout=300)
    assert process.exitcode == code


@pytest.fixture
def processes():
    """Whatever a test leaves behind is killed."""
    begun = []

    def begin(*args, **kwargs):
        begun.append(start(*args, **kwargs))
        return begun[-1]

    yield begin
    for process in begun:
        if process.is_alive():
            process.kill()
            process.join()
