"""What an agent keeps on its disk: one file, written whole, so that each write is one moment.

The first line says what it is about and where each array is; behind it are the arrays. A file that
isn't what was written is never used: statistics that are half there would be averaged into
everybody's.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import ChangedError, CheckpointError, SessionError
from chatham.federation.files import write_whole
from chatham.gossip.exchange import Owed, Promise, State, as_bytes, statistics_in

Array = NDArray[np.float64]

NAME = "state"
_LONGEST_LINE = 2**20


class StateFile:
    """One agent's state. `about` is the hash of the agents' file, `corpus` of its documents."""

    def __init__(self, folder: Path, about: bytes, corpus: bytes, shape: Sequence[int]) -> None:
        self.path, self._shape = folder / NAME, tuple(shape)
        self._about = {"agents": about.hex(), "corpus": corpus.hex(), "shape": list(self._shape)}

    def keep(self, state: State) -> None:
        """Write it: from here on this is what happened."""
        arrays = [state.statistics]
        places: dict[int, int] = {}  # one exchange owes the same average to several
        owed = []
        for peer, each in sorted(state.owed.items()):
            place = places.setdefault(id(each.average), len(arrays))
            if place == len(arrays):
                arrays.append(each.average)
            owed.append([peer, each.exchange.hex(), place])
        body = b"".join(map(as_bytes, arrays))
        promise = state.promise
        fields: dict[str, Any] = {
            **self._about,
            "exchanges": state.exchanges,
            "updates": state.updates,
            "due": state.due,
            "promise": None if promise is None else [promise.caller, promise.exchange.hex()],
            "owed": owed,
            "progress": list(state.progress),
            "left": sorted(state.left),
            "finished": state.finished,
        }
        fields["sha256"] = _hash(fields, body)
        try:
            write_whole(self.path, json.dumps(fields).encode() + b"\n", body)
        except OSError as error:
            raise CheckpointError(
                f"{self.path.name} can't be written ({error.strerror}), so nothing leaves; make "
                "room and run the command again: it goes on where it stopped."
            ) from None

    def read(self) -> State | None:
        """The state as it was left; None if there is none yet."""
        if not self.path.exists():
            return None
        try:
            with open(self.path, "rb") as file:
                line, body = file.readline(_LONGEST_LINE), file.read()
            fields = json.loads(line)
            self._check_about(fields)
            return self._state(fields, body)
        except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
            if isinstance(error, SessionError | ChangedError):
                raise
            raise self._damaged() from None
        except RuntimeError:  # arrays that no agent could have
            raise self._damaged() from None

    def _check_about(self, fields: dict[str, Any]) -> None:
        if fields["agents"] != self._about["agents"]:
            raise SessionError(
                f"'{self.path.parent}' belongs to other agents (hash {fields['agents'][:16]}…, not "
                f"{self._about['agents'][:16]}…); give these another folder with --folder."
            )
        if fields["corpus"] != self._about["corpus"]:
            raise ChangedError(
                "These aren't the documents with which this agent began: what others hold already "
                "can't be taken back. Go on with the same documents, read in the same way.",
                kind="corpus",
            )

    def _state(self, fields: dict[str, Any], body: bytes) -> State:
        written = fields.pop("sha256")
        if _hash(fields, body) != written:
            raise self._damaged()
        size = 8 * int(np.prod(self._shape))
        arrays = [
            statistics_in(body[first : first + size], self._shape)
            for first in range(0, len(body), size)
        ]
        promise = fields["promise"]
        return State(
            arrays[0],
            exchanges=int(fields["exchanges"]),
            updates=int(fields["updates"]),
            due=bool(fields["due"]),
            promise=None if promise is None else Promise(promise[0], bytes.fromhex(promise[1])),
            owed={
                peer: Owed(bytes.fromhex(number), arrays[place])
                for peer, number, place in fields["owed"]
            },
            progress=tuple(map(int, fields["progress"])),
            left=frozenset(fields["left"]),
            finished=bool(fields["finished"]),
        )

    def _damaged(self) -> CheckpointError:
        return CheckpointError(
            f"'{self.path}' isn't what was written there, and statistics that were altered would "
            "be averaged into everybody's; bring the file back as it was. Without it all agents "
            "must begin again, with a new id in their file."
        )


def _hash(fields: dict[str, Any], body: bytes) -> str:
    return sha256(json.dumps(fields).encode() + b"\n" + body).hexdigest()
