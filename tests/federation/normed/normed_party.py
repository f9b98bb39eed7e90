"""One party of a normed sum, as a process.

    python -m tests.federation.normed.normed_party folder i key

Trip wires: the process ends at once if anything is pickled or unpickled.
"""

import logging
import os
import pickle
import sys
from pathlib import Path

import numpy as np

from chatham.errors import ChathamError
from chatham.federation.normed.sum import NormedLinks
from chatham.federation.session import read_session


def end_at_once(*_):
    print("pickle was used", flush=True)
    os._exit(9)


def main(folder, index, key, *options):
    sys.addaudithook(lambda event, _: event.startswith("pickle.") and end_at_once())
    for name in ("load", "loads", "dump", "dumps", "Unpickler", "Pickler"):
        setattr(pickle, name, end_at_once)
    before = list(sys.argv), list(logging.getLogger().handlers), logging.getLogger().level
    found = {}
    listen = next((option for option in options if option.startswith("127.")), None)
    parts = dict(np.load(Path(folder) / f"in-{index}.npz", allow_pickle=False))
    session = read_session(Path(folder) / "session.toml")
    try:
        with NormedLinks(session, int(index), key, limit=20, listen=listen) as links:
            for name, part in parts.items():
                found[name] = links.normed_sum(part, about=b"test")
                if "die" in options:
                    os._exit(0)
                links.limit = 1 if "impatient" in options else links.limit
            assert "transfer" not in vars(links._engine.runtime)
    except ChathamError as error:
        print(f"{type(error).__name__}: {error}")
    after = list(sys.argv), list(logging.getLogger().handlers), logging.getLogger().level
    assert before == after, "MPyC left its traces"
    np.savez(Path(folder) / f"out-{index}.npz", **found)


if __name__ == "__main__":
    main(*sys.argv[1:])
